#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# top in a real terminal (tmux): boards come, are sorted, filtered, followed,
# called; the terminal is as it was, whatever ends it.

load helper
load terminal

# curses keeps its tables to the end.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

# boards N: a serve with so many.
boards() {
	serve
	device fleet --devices "$1"
	until_true ready_boards "$1"
}
ready_boards() { [ "$(grep -c '"event":"ready"' serve.out)" -eq "$1" ]; }

# top_open WORDS…: top is on the screen.
top_open() {
	enter "mcpctl top $*"
	see '^[0-9]+ boards?, '
}

top_pid() { pgrep -P "$(tmux -S "$SOCKET" display -p '#{pane_pid}')" -x mcpctl; }

# usable: the terminal's modes are those of a shell.
usable() {
	enter 'stty -a | grep -oE " -?(icanon|echo) " | tr -d "\n"; echo "."'
	see '^ icanon +echo \.'
}

# gone PATTERN: until it stands on the screen no more.
is_gone() { capture && ! grep -qE -- "$1" screen; }
gone() { until_true is_gone "$1"; }
third_line() { capture && sed -n 3p screen | grep -q "$1"; }

@test "boards with what they say of themselves; what is unknown is a dash" {
	boards 3
	terminal 160 24
	top_open --every 1s
	see '^3 boards, 3 ready; by name; status every 1 s'
	see '^name .* state .* firmware .* signal .* heap .* calls .* finding'
	see '^02:00:00:00:00:02 +ready .* strong +86% +8\.3 MB +0 +- -'
	mcp -d 02:00:00:00:00:02 call self.audio_speaker.set_volume volume=30
	see '^02:00:00:00:00:02 +ready .* 1 +[0-9.]+ m?s -'
	# Its own questions are no calls.
	see '^02:00:00:00:00:01 +ready .* 0 +- -'
	keys q
	see '^\$ *$'
	enter 'echo status=$?'
	see '^status=0'
	usable
}

@test "a pattern that nobody fits is said" {
	boards 1
	terminal
	top_open kitchn
	see "^no device fits 'kitchn' now; what comes is shown"
	keys j
	see '^q quit '
	keys q
	see '^\$ *$'
}

@test "sorted, filtered, selected; a board that comes and one that goes" {
	boards 3
	terminal
	top_open --sort calls --reverse
	mcp -d 02:00:00:00:00:03 call self.audio_speaker.set_volume volume=30
	until_true third_line '^02:00:00:00:00:03'
	type_text '/:02'
	see '^3 boards, 3 ready, 1 with .:02.'
	gone '^02:00:00:00:00:03'
	keys Escape
	see '^02:00:00:00:00:03'
	type_text '/nonsense'
	see ', 0 with .nonsense.'
	keys Enter
	type_text x
	see 'no board is selected'
	keys Escape
	see '^02:00:00:00:00:01'
	device more --devices 1 --device-id 0a:00:00:00:00:09
	see '^4 boards'
	see '^0a:00:00:00:00:09'
	kill "$DEVICE"
	see '^3 boards'
	keys q
	see '^\$ *$'
}

@test "what a board says, a tool of it, a shell with it" {
	boards 2
	terminal
	top_open
	see '^02:00:00:00:00:02 +ready'
	type_text j
	keys Enter
	see '^what 02:00:00:00:00:02 says by itself *$'
	# What it said when it came.
	see '^[0-9:]{8} \{.type.:.hello.'
	type_text c
	see '^call TOOL'
	type_text 'self.audio_speaker.set_volume volume=41'
	keys Enter
	see '^\(status 0; Enter goes back\)'
	shows '^true'
	keys Enter
	see '^2 boards'
	see '^02:00:00:00:00:02 +ready .* 1 +[0-9.]+ m?s'
	# Words are words, whatever they would be for sh.
	type_text 'c'
	see '^call TOOL'
	type_text "x'; touch planted; '"
	keys Enter
	see 'status [1-9]'
	keys Enter
	see '^2 boards'
	[ ! -e planted ]
	type_text x
	last_line '^02:00:00:00:00:02> *$'
	enter 'call self.get_device_status | grep -o "volume.:41"'
	see '^volume":41'
	keys C-d
	see '^2 boards'
	keys Escape
	gone 'says by itself'
	keys q
	see '^\$ *$'
	usable
}

@test "frames that the selected board sends" {
	serve
	echo '{"events": [{"after_ms": 0, "every_ms": 200,
		"notification": {"method": "notifications/planted"}}]}' >talker.json
	device talker talker.json --device-id 02:00:00:00:00:01
	terminal
	top_open
	see '^02:00:00:00:00:01 +ready'
	keys Enter
	see '^[0-9:]{8} \{.*notifications/planted'
	keys q
	see '^\$ *$'
}

@test "what a board said before it was selected is there at once" {
	serve
	echo '{"events": [{"after_ms": 0,
		"notification": {"method": "notifications/once", "params": {"token": "tiger-tiger"}}}]}' >once.json
	device once once.json --device-id 02:00:00:00:00:01
	until_true grep -q notifications/once serve.out
	terminal
	top_open
	see '^02:00:00:00:00:01 +ready'
	keys Enter
	see '^[0-9:]{8} \{.*notifications/once.*\*\*\*'
	gone tiger
	keys q
	see '^\$ *$'
}

@test "every size, from one line to 200 columns; no UTF-8, no colours" {
	boards 30
	terminal 80 24 LC_ALL=C
	top_open --color=never
	see '^02:00:00:00:00:15'
	for size in '20 6' '1 1' '40 10' '200 60' '80 24'; do
		# shellcheck disable=SC2086 # two words
		set -- $size
		tmux -S "$SOCKET" resize-window -x "$1" -y "$2"
		[ "$1" -lt 20 ] || see '^02:00:00:00:00:01'
	done
	see '^30 boards, 30 ready; by name; status every 10 s *$'
	see '^q quit '
	keys End
	see '^02:00:00:00:00:1e'
	keys Home
	see '^02:00:00:00:00:01'
	keys q
	see '^\$ *$'
	usable
}

@test "Ctrl-C, SIGTERM and Ctrl-Z give the terminal back" {
	boards 1
	terminal
	top_open
	keys C-z
	see 'Stopped'
	usable
	enter 'clear; fg'
	see '^1 board, 1 ready'
	keys C-c
	see 'interrupted by Ctrl-C'
	enter 'echo status=$?'
	see '^status=130'
	usable
	enter clear
	top_open
	kill "$(top_pid)"
	see 'interrupted by a signal'
	enter 'echo status=$?'
	see '^status=143'
	usable
}

@test "what was written over it while it was stopped by SIGSTOP is drawn anew" {
	boards 1
	terminal
	top_open
	kill -STOP "$(top_pid)"
	see 'Stopped'
	enter 'clear; fg'
	see '^1 board, 1 ready'
	see '^02:00:00:00:00:01 +ready '
	keys q
	see '^\$ *$'
	usable
}

@test "a serve that ends is said, with status 3" {
	boards 1
	terminal
	top_open
	mcp stop
	see 'error: the running serve ended'
	enter 'echo status=$?'
	see '^status=3'
	usable
	enter 'clear; mcpctl top'
	see 'no serve is running'
}

@test "a serve that hangs is said; q ends at once" {
	boards 1
	terminal 100 24
	top_open
	kill -STOP "$SERVER"
	see 'serve has not answered for [0-9]+ s'
	kill -CONT "$SERVER"
	gone 'has not answered'
	see '^1 board, 1 ready; by name; status'
	keys q
	see '^\$ *$'
}

@test "an older serve is shown, and not asked for what it cannot say" {
	mkdir -m 700 run/mcpctl
	background other /usr/bin/python3 "$BATS_TEST_DIRNAME/other_serve.py" \
		run/mcpctl/serve.sock
	wait_for other.out listening
	terminal 140 24
	top_open
	see 'no status: this serve is of an older version'
	see 'the running serve does not tell its version, this is .*: restart serve'
	see '^aa:01 +ready .* - +- -'
	keys s
	see '^q quit '
	keys q
	see '^\$ *$'
}

@test "without a terminal that it can draw on it says what to use" {
	serve
	mcp -o json top
	[ "$status" = 2 ]
	grep -q 'mcpctl -o json devices' <<<"$err"
	mcp top
	[ "$status" = 2 ]
	[ -z "$out" ]
	grep -q "'mcpctl devices --watch'" <<<"$err"
	terminal
	enter 'mcpctl top | cat'
	see "is not both one|are not both one"
	enter 'clear; TERM=dumb mcpctl top'
	see "'dumb' is none that can be drawn on"
	enter 'clear; TERM=no-such mcpctl top; echo status=$?'
	see '^status=2'
	usable
}

@test "a hostile status is shown as it is, and does nothing" {
	serve
	cat >hostile.json <<-'END'
		{"board": "板子", "tools": [{"name": "self.get_device_status", "result": {"json":
		  {"battery": {"level": 1e9}, "network": {"signal": "\u001b]2;owned\u0007\u001b[2J"}}}}]}
	END
	device hostile hostile.json --device-id 02:00:00:00:00:01
	event ready
	terminal 160 24
	top_open --every 1s
	see '^02:00:00:00:00:01 +ready +板子 .* \\x1b\]2;.* - +- +0 '
	see '^1 board, 1 ready'
	[ "$(tmux -S "$SOCKET" display -p '#{pane_title}')" != owned ]
	keys q
	see '^\$ *$'
}

# servers N: a serve with N boards at a broker, as lab/….
servers() {
	broker
	serve --listen 127.0.0.1:0 --mcp-mqtt "mqtt://127.0.0.1:$MQTT/lab"
	device fleet --devices "$1"
	for ((i = 1; i <= $1; i++)); do
		event exec "at the broker '127.0.0.1' as .*00000$i"
	done
}

at() { echo "mcp+mqtt://127.0.0.1:$MQTT${1:+/$1}"; }

@test "servers at a broker: by presence, filtered, followed, called; gone" {
	servers 2
	terminal 160 24
	enter "mcpctl -t '$(at '+/lab/%23')' top"
	see '^2 servers, 2 present; by name; as they announce themselves'
	see '^name .* state .* board .* firmware .* tools'
	# What nobody announces is not known.
	see '^000001 +present +pretend-esp32s3 .* - +- '
	type_text '/000002'
	see '^2 servers, 2 present, 1 with'
	keys Enter
	keys Enter
	see '^what 000002 says by itself: nothing yet'
	type_text 'c'
	see '^call TOOL'
	type_text 'self.audio_speaker.set_volume volume=41'
	keys Enter
	see '^\(status 0; Enter goes back\)'
	shows '^true'
	keys Enter
	see '^2 servers'
	local topic
	# shellcheck disable=SC2016 # a topic
	topic=$(mosquitto_sub -V mqttv5 -p "$MQTT" -t '$mcp-server/presence/+/lab/+/000002' -C 1 -F %t)
	topic=${topic/presence/capability}
	until_true told_of "$topic"
	keys Escape Escape
	kill "$DEVICE"
	see '^2 servers, 0 present'
	see '^000001 +gone '
	type_text c
	see '^call TOOL'
	type_text x
	keys Enter
	see '^000001 went'
	device again --devices 1
	see '^2 servers, 1 present'
	keys q
	see '^\$ *$'
	usable
}

told_of() {
	mosquitto_pub -V mqttv5 -p "$MQTT" -t "$1" \
		-m '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
	capture && grep -qE '^[0-9:]{8} .*list_changed' screen
}

@test "a broker with nobody, one that is not there, one that ends" {
	broker
	terminal
	enter "mcpctl -t '$(at)' top"
	see '^0 servers, 0 present'
	kill "$LAST"
	see '^error: .*the broker .127.0.0.1. went away'
	usable
	enter "mcpctl -t '$(at)' top; echo status=\$?"
	see '^status=3'
	mcp -t "$(at)" top
	ends 2
	hints 'draws on a terminal'
}
