#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shell as a person uses it, in a real terminal (tmux): what comes while a line
# is typed, Ctrl-C everywhere, a device that goes and comes back.

load helper
load terminal

leave() { # STATUS
	last_line '> *$'
	keys C-d
	see '^\$ *$'
	enter 'echo status=$?'
	see "^status=${1:-0}"
	close_terminal
}

# A plain server; orders by `order`.
peer() {
	mkfifo orders
	background peer /usr/bin/python3 "$ROOT/tests/cli/peer.py" orders heard
	PEER_PORT=$(wait_for peer.out '^[0-9]+$')
}
order() { printf '%s\n' "$@" >orders; }

# Whether `tail` runs: what comes then is not above a prompt.
tails() { order 'say tailed' && sleep 0.1 && ends_with 'notifications/tailed'; }

@test "a prompt, commands, tools; Ctrl-D leaves with status 0" {
	terminal
	enter 'mcpctl sim: shell'
	last_line '^pretend-esp32s3> *$'
	see 'connected: pretend-esp32s3'
	enter 'pin'
	see "unknown command 'pin'"
	enter 'ping'
	see '^alive'
	enter 'audio_speaker.set_volume'
	see "argument 'volume' is required"
	enter 'call set_'
	see "no tool 'set_'"
	enter 'nonsense.of.mine'
	see "no tool 'nonsense.of.mine'"
	enter 'self.audio_speaker.set_volume {"volume":'
	last_line '^\.\.\. *$'
	enter ' 33}'
	see '^true'
	enter 'call self.get_device_status | grep -o "volume.:33"'
	see '^volume":33'
	leave 0
	[ "$(stat -c %a "$XDG_STATE_HOME/mcpctl/history")" = 600 ]
	grep -q '^ping$' "$XDG_STATE_HOME/mcpctl/history"
}

@test "secrets and lines behind a space are not kept; --no-history keeps none" {
	terminal
	enter 'mcpctl sim: shell'
	last_line '> *$'
	enter 'call --no-validate self.x password=hunter2'
	see 'error:'
	enter ' ping'
	see '^alive'
	enter 'set'
	see '^timeout'
	last_line 's3> *$'
	keys C-d
	see '^\$ *$'
	absent 'hunter2|ping' "$XDG_STATE_HOME/mcpctl/history"
	grep -q '^set$' "$XDG_STATE_HOME/mcpctl/history"
	rm "$XDG_STATE_HOME/mcpctl/history"
	enter 'clear; mcpctl sim: shell --no-history'
	last_line 's3> *$'
	enter 'ping'
	see '^alive'
	enter 'use ws://127.0.0.1:1/?token=hunter3'
	last_line 'token=\*\*\* \(not connected\)> *$'
	leave 0
	[ ! -e "$XDG_STATE_HOME/mcpctl/history" ]
}

@test "what cannot be written is told, and the shell goes on" {
	terminal
	enter 'mcpctl sim: shell >/dev/full'
	last_line 's3> *$'
	enter 'ping'
	see '^error: output could not be written: No space left on device$'
	last_line 's3> *$'
	enter 'set timeout 9s'
	last_line 's3> *$'
	capture
	[ "$(grep -c '^error:' screen)" = 1 ]
	leave 0
}

@test "a notification stands above the half-typed line, CJK and all" {
	peer
	terminal 60 20
	enter "mcpctl ws://127.0.0.1:$PEER_PORT/ shell"
	last_line '^plain-server> *$'
	type_text 'call echo text="你好 wörld'
	last_line '^plain-server> call echo text="你好 wörld$'
	order 'say first'
	see 'notifications/first'
	last_line '^plain-server> call echo text="你好 wörld$'
	type_text '世界"'
	order 'say second'
	see 'notifications/second'
	keys Enter
	see '^你好 wörld世界'
	leave 0
}

@test "a server that says at each reply that its list changed is asked twice a second at most" {
	local from=$SECONDS
	cat >changes.py <<-'END'
		import json, sys
		for line in sys.stdin:
		    ask = json.loads(line)
		    if "id" not in ask:
		        continue
		    said = [{"id": ask["id"], "result": {}}]
		    if ask["method"] == "initialize":
		        said[0]["result"] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
		                             "serverInfo": {"name": "changes", "version": "1"}}
		    elif ask["method"] == "tools/list":
		        said[0]["result"] = {"tools": []}
		        with open("lists", "a") as lists:
		            print("asked", file=lists)
		    said.append({"method": "notifications/tools/list_changed"})
		    for one in said:
		        print(json.dumps({"jsonrpc": "2.0", **one}), flush=True)
	END
	: >lists
	terminal
	enter 'mcpctl shell -- /usr/bin/python3 changes.py'
	last_line '^changes> *$'
	until_true matches lists asked 3
	[ "$(wc -l <lists)" -le $((2 * (SECONDS - from) + 2)) ]
	leave 0
	# It is not listed at all, and the line is still read.
	terminal
	enter 'mcpctl --no-init shell -- /usr/bin/python3 changes.py'
	last_line '> *$'
	enter ping
	see '^alive'
	last_line '> *$'
	enter version
	see '^mcpctl [0-9]'
	leave 0
}

@test "a storm is cut on the screen and counted, and the line stays usable" {
	peer
	terminal 80 40
	enter "mcpctl ws://127.0.0.1:$PEER_PORT/ shell"
	last_line '^plain-server> *$'
	order 'storm 20000 10000'
	type_text 'call echo te'
	see 'notifications/storm'
	type_text 'xt=usable'
	last_line '^plain-server> call echo text=usable$'
	keys Enter
	see '^usable$'
	see '[0-9,]+ more messages not shown here'
	[ "$(grep -c 'notifications/storm' screen)" -le 40 ]
	leave 0
}

@test "Ctrl-C: at the prompt, in a line, in a call, in a wait, in a storm of them" {
	peer
	terminal 80 50
	enter "mcpctl ws://127.0.0.1:$PEER_PORT/ shell"
	last_line '^plain-server> *$'
	keys C-c
	see '^plain-server> \^C$'
	last_line '^plain-server> *$'
	type_text 'half a line'
	last_line 'half a line$'
	keys C-c
	see 'half a line\^C$'
	last_line '^plain-server> *$'
	enter 'slow.one'
	wait_for heard slow.one
	keys C-c
	see 'interrupted by Ctrl-C'
	see 'the peer was told to cancel it'
	wait_for heard '"method":"notifications/cancelled","params":\{"requestId":[0-9]+,"reason"'
	last_line '^plain-server> *$'
	enter 'slow.two'
	wait_for heard slow.two
	keys C-c C-c C-c C-c C-c
	last_line '^plain-server> *$'
	enter 'tail'
	until_true tails
	keys C-c C-c
	last_line '^plain-server> *$'
	enter "! sleep 600.$$"
	until_true pgrep -xf "sleep 600.$$"
	keys C-c C-c C-c
	last_line '^plain-server> *$'
	enter "echo text=x | sleep 601.$$"
	until_true pgrep -xf "sleep 601.$$"
	keys C-c C-c
	last_line '^plain-server> *$'
	enter 'slow.one | cat'
	until_true matches heard slow.one 2
	keys C-c C-c
	last_line '^plain-server> *$'
	enter 'call echo text=alive'
	see '^alive$'
	leave 0
}

@test "Ctrl-C in a call to a board says that it may still be working" {
	terminal 200 30
	enter "mcpctl -v 'sim:?fault=no-reply' shell"
	last_line '> *$'
	enter 'self.audio_speaker.set_volume volume=1'
	see '#3 tools/call'
	keys C-c
	see 'firmware has no cancel: the board may still'
	last_line 's3> *$'
	leave 0
}

@test "a lost server: said once, the prompt shows it, the next command opens it" {
	peer
	terminal
	enter "mcpctl ws://127.0.0.1:$PEER_PORT/ shell"
	last_line '^plain-server> *$'
	enter 'set timeout 7s'
	type_text 'call echo te'
	order drop
	last_line '^plain-server \(lost\)> call echo te$'
	see "'reconnect'"
	[ "$(grep -c 'reconnect' screen)" = 1 ]
	enter 'xt=again'
	see '^again$'
	last_line '^plain-server> *$'
	order drop
	last_line '\(lost\)> *$'
	enter reconnect
	last_line '^plain-server> *$'
	enter set
	see '^timeout   7s'
	leave 0
}

@test "nobody there: the prompt comes at once, and the reason once" {
	terminal
	enter 'mcpctl ws://127.0.0.1:1/ shell'
	last_line '\(not connected\)> *$'
	[ "$(grep -c 'refused' screen)" -ge 1 ]
	enter 'help info'
	see 'usage: mcpctl'
	enter 'use sim:'
	last_line '^pretend-esp32s3> *$'
	leave 0
}

@test "listen: waits in the background, loses the board, has it back" {
	terminal 100 60
	enter 'mcpctl --wait 30s listen:127.0.0.1:0 shell'
	last_line '\(waiting\)> *$'
	see 'http://127.0.0.1:[0-9]+/'
	# shellcheck disable=SC2034 # for device
	PORT=$(grep -oE '127\.0\.0\.1:[0-9]+/' screen | head -n 1 | tr -dc '0-9\n' | sed 's/^127001//')
	type_text 'pi'
	device first
	last_line '^pretend-esp32s3> pi$'
	enter ng
	see '^alive'
	type_text 'half'
	kill "$DEVICE"
	last_line '^pretend-esp32s3 \(waiting\)> half$'
	see 'waiting for it to come back'
	keys C-c
	see 'half\^C$'
	last_line '\(waiting\)> *$'
	enter ping
	see 'waiting for a device: [0-9]+ s'
	keys C-c
	last_line '\(waiting\)> *$'
	device second
	last_line '^pretend-esp32s3> *$'
	enter 'clear'
	enter '! clear'
	enter ping
	see '^alive'
	leave 0
}

@test "serve: the shell's device goes and comes back; use another" {
	serve
	device one --device-id aa:00:00:00:00:01
	event ready aa:00:00:00:00:01
	terminal 100 50
	enter 'mcpctl shell'
	last_line '^aa:00:00:00:00:01> *$'
	device two --device-id aa:00:00:00:00:02
	event ready aa:00:00:00:00:02
	local two=$DEVICE
	enter 'use aa:00:00:00:00:02'
	last_line '^aa:00:00:00:00:02> *$'
	type_text 'pi'
	kill "$two"
	last_line '^aa:00:00:00:00:02 \(waiting\)> pi$'
	device two --device-id aa:00:00:00:00:02
	last_line '^aa:00:00:00:00:02> pi$'
	enter ng
	see '^alive'
	enter 'use nobody'
	see "'nobody' is no alias"
	type_text 'in'
	kill "$SERVER"
	last_line '\(waiting\)> in$'
	finish "$SERVER" 143
	serve
	device two --device-id aa:00:00:00:00:02
	last_line '^aa:00:00:00:00:02> in$'
	enter fo
	see '^device id'
	leave 0
}

@test "two devices and none picked: said, and use picks one" {
	serve
	device one --device-id aa:00:00:00:00:01
	device two --device-id aa:00:00:00:00:02
	event ready aa:00:00:00:00:01
	event ready aa:00:00:00:00:02
	terminal
	enter 'mcpctl shell'
	see 'which one'
	see "'use NAME' picks one"
	enter 'use aa:00:00:00:00:01'
	last_line '^aa:00:00:00:00:01> *$'
	leave 0
}

@test "TERM=dumb, a narrow terminal, a line of 2,000 columns, a resize" {
	terminal 80 24 TERM=dumb
	enter 'mcpctl sim: shell'
	last_line '> *$'
	enter ping
	see '^alive'
	tmux -S "$SOCKET" capture-pane -p -e >raw
	absent $'\x1b\\[[0-9;]*m' raw
	leave 0
	peer
	terminal 40 20
	enter "mcpctl ws://127.0.0.1:$PEER_PORT/ shell"
	last_line '^plain-server> *$'
	type_text "echo text=$(printf 'x%.0s' {1..1990})end"
	see 'xend$'
	order 'say one'
	# The line is longer than the screen, and below what was said. Put back while
	# the size changes, it can stand anywhere.
	until_true scrolled_away notifications/one
	last_line 'xend$'
	tmux -S "$SOCKET" resize-window -x 100 -y 30
	type_text ing
	see 'xending$'
	order 'say two'
	see notifications/two
	last_line 'xending$'
	keys C-a C-k
	last_line '^plain-server> *$'
	enter 'call echo text=fine'
	see '^fine$'
	leave 0
}

@test "suspended and resumed" {
	peer
	terminal
	enter "mcpctl ws://127.0.0.1:$PEER_PORT/ shell"
	last_line '^plain-server> *$'
	type_text 'call echo te'
	last_line 'call echo te$'
	keys C-z
	see 'Stopped'
	last_line '^\$ *$'
	enter 'echo outside'
	see '^outside'
	order 'say meanwhile'
	enter fg
	see 'notifications/meanwhile'
	last_line '^plain-server> call echo te$'
	type_text 'xt=back'
	keys Enter
	see '^back$'
	leave 0
}

@test "SIGTERM and a terminal that goes end it, with the history written" {
	terminal
	enter 'mcpctl sim: shell'
	last_line '> *$'
	enter 'ping'
	see '^alive'
	local pid
	pid=$(pgrep -P "$(tmux -S "$SOCKET" display -p '#{pane_pid}')" mcpctl)
	kill "$pid"
	see '^\$ *$'
	enter 'echo status=$?'
	see '^status=143'
	grep -q '^ping$' "$XDG_STATE_HOME/mcpctl/history"
	enter 'clear; mcpctl sim: shell'
	last_line 's3> *$'
	enter 'info'
	see '^server'
	close_terminal
	wait_for "$XDG_STATE_HOME/mcpctl/history" '^info$'
}

@test "results to a file, the line on the terminal" {
	terminal
	enter 'mcpctl sim: shell >results'
	last_line '^pretend-esp32s3> *$'
	enter 'ping'
	wait_for results '^alive'
	leave 0
}
