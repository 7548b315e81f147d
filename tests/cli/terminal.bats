#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# In a real terminal (tmux): colour, count-down, control characters, Ctrl-C.

load helper
load terminal

@test "JSON inside a text is laid out, and lines fit the terminal" {
	terminal
	enter 'mcpctl sim: call self.get_device_status'
	see '^  "audio_speaker": \{'
	enter 'clear; mcpctl sim: tools'
	see '5 tools \+ 7 user-only'
	[ "$(wc -L <screen)" -le 80 ]
	enter 'clear; mcpctl sim: bridge --list'
	see '7 tools of 14'
	see '^ +only; --user-tools or --allow shows it$'
}

@test "-v tells frames in words; -vv, and -v in a pipe, as they are" {
	terminal 100 60
	enter 'mcpctl -v sim: call self.audio_speaker.set_volume volume=3'
	see '^-> [0-9:.]+ #3 tools/call self.audio_speaker.set_volume {"volume":3}$'
	see '^<- [0-9:.]+ #3 result [0-9.]+ ms "true"$'
	see '^<- [0-9:.]+ hello {"version":1,'
	enter 'clear; mcpctl -vv sim: ping 2>&1 | grep -c payload'
	see '^[1-9]'
	enter 'clear; mcpctl -vv sim: ping'
	see '"type":"mcp","payload"'
	mcp -v sim: ping
	hints '"type":"mcp","payload"'
}

@test "a count-down while waiting; Ctrl-C ends it and leaves the line clean" {
	terminal
	enter 'mcpctl --wait 30 listen:127.0.0.1:0 info'
	see 'waiting for a device: [0-9]+ s'
	keys C-c
	see 'interrupted'
	enter 'echo status $?'
	see 'status 130'
	absent 'waiting for a device' screen
}

@test "a call shows that it waits, and how long it took" {
	terminal
	enter "mcpctl 'sim:?fault=late-reply=3s' call self.get_device_status | wc -l"
	see '^waiting for self.get_device_status: [12] s \(Ctrl-C ends\)'
	see '^took 3'
	capture
	absent '^waiting for' screen
	# Not worth a line.
	anew 'mcpctl sim: call self.get_device_status | wc -l; echo over'
	see '^over'
	absent '^took|^waiting' screen
	# In a pipe nothing moves; -v says the time.
	mcp 'sim:?fault=late-reply=1100ms' call self.get_device_status
	[ -z "$err" ]
	mcp -v sim: call self.get_device_status
	grep -qE '^took [0-9.]+ m?s$' stderr
}

@test "a pause between two tries counts down" {
	terminal
	enter "mcpctl --retry 2 http://127.0.0.1:1/mcp tools"
	see '^try 1 of 2 failed; again in [12] s \(Ctrl-C ends\)'
	see 'after 2 tries'
	capture
	absent '^try 1' screen
}

@test "control characters of a peer stay visible and harmless" {
	terminal
	enter "mcpctl 'sim:?fault=control-characters' call self.get_device_status; echo done"
	see '^done'
	tmux -S "$SOCKET" capture-pane -p -e >raw
	grep -q 'x1b' raw
	[ "$(tmux -S "$SOCKET" display -p '#{pane_title}')" != owned ]
}

@test "a terminal of another charset gets ASCII alone" {
	local said
	# U+4E9B is e4 ba 9b, and 9b begins a sequence where bytes are characters.
	printf '{"extends":"esp32","tools":[{"name":"self.x","description":"一些 text that is long enough to be cut by any terminal of eighty columns, or of more","result":"一些"}]}' >p.json
	for said in "mcpctl sim:p.json tools" "mcpctl sim:p.json call self.x" \
		"mcpctl sim:p.json check" "mcpctl explain D106" "mcpctl sim:p.json describe self.x"; do
		LC_ALL=zh_CN.ISO-8859-1 LESS=-FX script -qec "$said" typescript >/dev/null 2>&1 || :
		grep -q . typescript
		if LC_ALL=C grep -aP '[\x80-\xff]' typescript; then return 1; fi
		grep -aqE 'self.x|paging|[?][?]|calls' typescript
	done
	# No charset is named: what all terminals of today take.
	LC_ALL=C script -qec "mcpctl sim:p.json call self.x" typescript >/dev/null
	LC_ALL=C grep -aqP '[\x80-\xff]' typescript
}

@test "NO_COLOR, TERM=dumb and a pipe mean no colour" {
	mcp --color always sim: describe self.screen.set_theme
	grep -q $'\x1b\\[' stdout
	mcp sim: describe self.screen.set_theme
	absent $'\x1b' stdout
}

@test "an idle wait wakes at most once a second" {
	listener l --wait 20 listen:127.0.0.1:0 tail --for 15s
	background sim mcpctl sim --connect "ws://127.0.0.1:$PORT/" --for 14s
	wait_for l.out listen
	sleep 0.5
	local before after
	before=$(awk '/^voluntary/ { print $2 }' "/proc/$LISTENER/status")
	sleep 4
	after=$(awk '/^voluntary/ { print $2 }' "/proc/$LISTENER/status")
	[ $((after - before)) -le 8 ]
}
