#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# In a real terminal (tmux): colour, count-down, control characters, Ctrl-C.

load helper

open_terminal() {
	SOCKET=$WORK/tmux
	tmux -u -S "$SOCKET" -f /dev/null new-session -d -x 80 -y 30 \
		"env PATH=$PATH TERM=screen-256color PS1='\$ ' bash --norc --noprofile"
	see '^\$'
}

type_line() { tmux -S "$SOCKET" send-keys "$1" Enter; }

# see PATTERN [SECONDS]: until it stands on the screen.
see() {
	local tries=$((${2:-10} * 10))
	while ((tries-- > 0)); do
		tmux -S "$SOCKET" capture-pane -p >screen 2>/dev/null || :
		grep -qE -- "$1" screen && return 0
		sleep 0.1
	done
	echo "never on the screen: $1" >&2
	cat screen >&2
	return 1
}

close_terminal() { tmux -S "$SOCKET" kill-server; }

@test "JSON inside a text is laid out, and lines fit the terminal" {
	open_terminal
	type_line 'mcpctl sim: call self.get_device_status'
	see '^  "audio_speaker": \{'
	type_line 'clear; mcpctl sim: tools'
	see '5 tools \+ 7 user-only'
	[ "$(wc -L <screen)" -le 80 ]
	close_terminal
}

@test "a count-down while waiting; Ctrl-C ends it and leaves the line clean" {
	open_terminal
	type_line 'mcpctl --wait 30 listen:127.0.0.1:0 info'
	see 'waiting for a device: [0-9]+ s'
	tmux -S "$SOCKET" send-keys C-c
	see 'interrupted'
	type_line 'echo status $?'
	see 'status 130'
	absent 'waiting for a device' screen
	close_terminal
}

@test "control characters of a peer stay visible and harmless" {
	open_terminal
	type_line "mcpctl 'sim:?fault=control-characters' call self.get_device_status; echo done"
	see '^done'
	tmux -S "$SOCKET" capture-pane -p -e >raw
	grep -q 'x1b' raw
	[ "$(tmux -S "$SOCKET" display -p '#{pane_title}')" != owned ]
	close_terminal
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
