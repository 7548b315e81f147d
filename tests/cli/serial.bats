# SPDX-License-Identifier: MIT
# Serial logs: --serial on pseudo-terminals, and logs that were saved.

bats_require_minimum_version 1.5.0

load helper

PANIC="Guru Meditation Error: Core  0 panic'ed (LoadProhibited). Exception was unhandled."

# port NAME: a board's port NAME.tty, told what to say by `says NAME`.
port() {
	background "port$1" /usr/bin/python3 "$ROOT/tests/cli/pty_board.py" "$WORK/$1.tty" "$WORK/$1.in"
	wait_for "port$1.out" ready
}

# says NAME LINE…
says() {
	local name=$1
	shift
	printf '%s\n' "$@" >"$WORK/$name.in"
}

# An ELF file as far as it is looked at (EM_XTENSA), and its toolchain.
toolchain() {
	printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\136\0' >app.elf
	mkdir -p bin
	cat >bin/xtensa-esp32s3-elf-addr2line <<-'END'
		#!/bin/sh
		env >"$0.env"
		[ "$1 $2 $3" = "-apfiC -e $HOME/app.elf" ] || exit 9
		echo "$4: app_main at /src/main.cc:28"
		echo " (inlined by) Run at /src/run.cc:7"
		echo "$5: ?? ??:0"
	END
	chmod +x bin/*
}

@test "lines are events of tail, judged, with what passed before" {
	port a
	background tail mcpctl -o json sim: tail --serial "$WORK/a.tty"
	wait_for tail.out '"kind":"hello"'
	says a '\x1b[0;32mI (1234) WS: Session ID: 9c1e\x1b[0m' "$PANIC" \
		'I (1) x: token=abcdefgh'
	wait_for tail.out 'token='
	grep -q '"kind":"serial","name":"serial","message":null,"text":"I (1234) WS: Session ID: 9c1e"' tail.out
	grep -q '"code":"S802"' tail.out
	grep -q "LoadProhibited on core 0; .* after the backend's " tail.out
	absent abcdefgh tail.out tail.err
}

@test "run --fail-on counts what a serial log shows" {
	port a
	background run mcpctl --serial "$WORK/a.tty" sim: run --fail-on error -e ping \
		-e 'tail --filter serial --count 2'
	wait_for run.out ' ms'
	says a "$PANIC" 'I (1) x: y'
	finish "$LAST" 7
	grep -q 'errors were found while the script ran' run.err
}

@test "a serial log shows what a panic was, and where, by --elf" {
	port a
	toolchain
	MCPCTL_TOKEN=hush PATH=$WORK/bin:$PATH background tail mcpctl sim: tail \
		--serial "$WORK/a.tty" --elf app.elf
	wait_for tail.out hello
	says a 'Backtrace: 0x400e14ed:0x3ffb5030 0x400d0802:0x3ffb5050'
	wait_for tail.out 'serial  0x400e14ed: app_main at /src/main.cc:28'
	wait_for tail.out 'inlined by. Run at /src/run.cc:7'
	absent '[?][?]' tail.out
	absent hush bin/*.env
}

@test "a toolchain that is not there is told once, with how to get it" {
	port a
	toolchain
	rm bin/*
	background tail mcpctl sim: tail --serial "$WORK/a.tty" --elf app.elf
	wait_for tail.out hello
	says a 'Backtrace: 0x400e14ed:0x3ffb5030' 'Backtrace: 0x400e14ed:0x3ffb5030' last
	wait_for tail.out last
	wait_for tail.out "xtensa-esp32s3-elf-addr2line.*ESP-IDF"
	[ "$(grep -c xtensa tail.out)" = 1 ]
}

@test "a line too long is cut and said so; one without an end is told all the same" {
	port a
	background tail mcpctl -o json sim: tail --serial "$WORK/a.tty"
	wait_for tail.out '"kind":"hello"'
	says a "$(printf '%05000d' 0)" 'last words\c'
	wait_for tail.out '"note":"cut, 90[0-9] bytes left out"'
	wait_for tail.out '"text":"last words"'
}

@test "a port that goes is told once, and when it is back" {
	port a
	background tail mcpctl sim: tail --serial "$WORK/a.tty"
	wait_for tail.out hello
	says a before '!unplug'
	wait_for tail.out 'a.tty is gone'
	says a '!plug'
	wait_for tail.out 'a.tty is back'
	says a after
	wait_for tail.out 'serial  after'
	[ "$(grep -c 'is gone' tail.out)" = 1 ]
}

@test "serve behind its fences: lines, findings, a port that goes and comes back" {
	port a
	toolchain
	PATH=$WORK/bin:$PATH serve -v --serial "02:00:00:00:00:01=$WORK/a.tty" --elf app.elf
	grep -q '"event":"fences".*no new privileges' serve.out
	says a 'E (9) MCP: Invalid id for method: tools/list'
	wait_for serve.out '"event":"serial".*"device":"02:00:00:00:00:01".*"line":"E .9. MCP'
	wait_for serve.out '"code":"S818"'
	# What was not read yet when a terminal hangs up is gone with it.
	says a '!unplug'
	wait_for serve.out 'a.tty is gone'
	says a '!plug'
	wait_for serve.out 'a.tty is back'
	says a 'Backtrace: 0x400e14ed:0x3ffb5030 0x400d0802:0x3ffb5050'
	wait_for serve.out '"line":"0x400e14ed: app_main at /src/main.cc:28".*"decoded":true'
	# How grave each is, and in which words.
	jq -es 'map(select(.event == "serial")) | map(select(.line)) as $lines | map(select(.note)) as $notes |
		($lines | length >= 3 and all(.level == "info" and .text == "| " + .line and (has("note") | not))) and
		($notes | length >= 2 and all(.level == "warn" and .text == .note and (.decoded | not))) and
		($lines[0].decoded | not) and all(.port == "serial/02:00:00:00:00:01")' serve.out
	jq -es 'map(select(.event == "finding")) | .[0].level == "bad" and .[0].count == 1 and .[0].finding.code == "S818" and
		.[0].text == "! S818 error  the board dropped a message: MCP: Invalid id for method: tools/list"' serve.out
}

@test "serve: each port is of its own board, whose frame came before" {
	port a
	port b
	echo '{"one":"02:00:00:00:00:01","two":"02:00:00:00:00:02"}' >names.json
	serve --serial "one=$WORK/a.tty" --serial "two=$WORK/b.tty" --alias-file names.json
	background sim mcpctl sim --ota "$OTA" --device-id 02:00:00:00:00:01
	wait_for serve.out '"event":"ready"'
	says a "$PANIC"
	wait_for serve.out 'S802.*LoadProhibited on core 0; .* after the '
	says b "$PANIC"
	wait_for serve.out '"device":"02:00:00:00:00:02".*"code":"S802"'
	jq -es 'map(select(.event == "serial" or .event == "finding") | [.device, .alias] | join(" ")) | unique ==
		["02:00:00:00:00:01 one", "02:00:00:00:00:02 two"]' serve.out
	absent '02:00:00:00:00:02.*after the |after the .*02:00:00:00:00:02' serve.out
}

@test "lines stand in the capture" {
	port a
	background tail mcpctl --trace c.jsonl sim: tail --serial "$WORK/a.tty"
	wait_for tail.out hello
	says a 'I (1) x: token=abcdefgh'
	wait_for tail.out 'token='
	kill -INT "$LAST"
	wait "$LAST" || :
	grep -q '"leg":"serial","from":"device","kind":"line"' c.jsonl
	absent abcdefgh c.jsonl
}

@test "lines of a listening command come while it waits" {
	port a
	listener wait listen:127.0.0.1:0 tools --serial "$WORK/a.tty"
	says a 'E (9) WS: Failed to connect to websocket server, code=113'
	wait_for wait.err 'S814'
	wait_for wait.err 'serial  E .9. WS: Failed to connect'
}

@test "what is no serial port, or is not to be had, says what to do" {
	port a
	run -3 --separate-stderr mcpctl sim: tools --serial /dev/ttyNONE7
	[[ $stderr == *"'/dev/ttyNONE7' is not there"* ]]
	echo log >x.log
	run -2 --separate-stderr mcpctl sim: tools --serial x.log
	[[ $stderr == *"'x.log' is no serial port"*"mcpctl check x.log"* ]]
	run -2 --separate-stderr mcpctl sim: tools --serial =/dev/ttyUSB0
	[[ $stderr == *"'/dev/ttyUSB0' names no board before '='"*"[ALIAS=]DEVICE[@BAUD]"* && -z $output ]]
	run -3 --separate-stderr mcpctl sim: tools --serial "$WORK/a.tty" --reset
	[[ $stderr == *"no line to reset the board by"* ]]
	run -2 --separate-stderr mcpctl sim: tools --elf x
	[[ $stderr == *"option '--elf' needs --serial"* ]]
	run -2 --separate-stderr mcpctl sim: tools --serial "$WORK/a.tty" --elf x.log
	[[ $stderr == *"'x.log' is no ELF file"*build/xiaozhi.elf* ]]
	run -2 --separate-stderr mcpctl sim: tools --serial a.tty --serial a.tty
	[[ $stderr == *"'a.tty' is given twice"* ]]
	run -2 --separate-stderr mcpctl stdio:cat tools --serial a.tty
	[[ $stderr == *"option '--serial' is for boards"* ]]
}

@test "a port that another program reads is refused, and that one named" {
	port a
	background other mcpctl sim: tail --serial "$WORK/a.tty"
	wait_for other.out hello
	run -3 --separate-stderr mcpctl sim: tools --serial "$WORK/a.tty"
	[[ $stderr == *"is in use by"* ]]
}

@test "check FILE reads a log that was saved" {
	printf '%s\r\n' 'rst:0x1 (POWERON),boot:0x8 (SPI_FAST_FLASH_BOOT)' \
		'E (900) Ota: Failed to check version, status code: 404' "$PANIC" >x.log
	run -7 mcpctl check x.log
	[[ $output == *S817*"#2 serial device"*S802*"2 errors, 0 warnings, 1 note"* ]]
	run -0 mcpctl check - <<<'I (1) a: b'
	[[ $output == *"lines: 1, starts of the chip: 0"*"0 errors"* ]]
	printf 'I (1) a: b\n' | mcpctl check - >piped.out
	grep -q 'lines: 1' piped.out
	run -2 --separate-stderr mcpctl check - </dev/null
	[[ $stderr == *"is no capture: "* ]]
	echo 'a text of another kind' >x.txt
	run -2 --separate-stderr mcpctl check x.txt
	[[ $stderr == *"no line of it is one of a board's serial log"* ]]
	# What begins as JSON is a capture.
	echo '{"capture":1}' >c.jsonl
	run -0 mcpctl check - <c.jsonl
	[[ $output == *"0 messages"* ]]
}

# proxy ARG…: one before the serve that stands; sets PROXY and HERE.
proxy() {
	background proxy mcpctl proxy --listen 127.0.0.1:0 "$OTA" "$@"
	PROXY=$LAST
	HERE=$(wait_for proxy.err 'restart it:' | grep -oE 'http://127.0.0.1:[0-9]+/[^ "]*')
}

@test "proxy: a log stands in the timeline and in the capture, with what passed before" {
	port a
	toolchain
	serve
	PATH=$WORK/bin:$PATH proxy --trace c.jsonl --findings f.jsonl --serial "$WORK/a.tty" --elf app.elf --fail-on error
	wait_for proxy.out 'serial begins serial'
	background board mcpctl sim --ota "$HERE" --device-id 02:00:00:00:00:01
	wait_for serve.out '"event":"ready"'
	says a '\x1b[0;32mI (1234) WS: connected\x1b[0m' 'I (1) x: token=abcdefgh' "$PANIC" \
		'Backtrace: 0x400e14ed:0x3ffb5030 0x400d0802:0x3ffb5050'
	wait_for proxy.out 'serial  I .1234. WS: connected$'
	wait_for proxy.out 'S802 error .*LoadProhibited on core 0; .* after the '
	wait_for proxy.out 'serial  0x400e14ed: app_main at /src/main.cc:28'
	says a '!unplug'
	wait_for proxy.out 'a.tty is gone'
	kill -INT "$PROXY"
	finish "$PROXY" 7
	wait_for proxy.out ' S802 error  *the chip panicked$'
	# A log is none of the connections of boards.
	wait_for proxy.out '^passed +2 connections: '
	grep -q '"leg":"serial","from":"device","kind":"line","size":22,"text":"I (1234) WS: connected"' c.jsonl
	grep -q '"leg":"serial","kind":"notice".*is gone' c.jsonl
	grep -q '"kind":"finding","finding":{"code":"S802"' c.jsonl
	grep -q '"code":"S802"' f.jsonl
	absent abcdefgh c.jsonl proxy.out
	run -0 mcpctl capture show c.jsonl
	[[ $output == *"> serial  I (1234) WS: connected"* ]]
	run -7 mcpctl check c.jsonl
	[[ $output == *S802*"LoadProhibited on core 0; "*" after"*"the"*"device's reply"* ]]
}

@test "proxy: each port is of its own board; an MCP server has none" {
	port a
	port b
	serve
	proxy -o json --serial "02:00:00:00:00:01=$WORK/a.tty" --serial "02:00:00:00:00:02=$WORK/b.tty"
	background board mcpctl sim --ota "$HERE" --device-id 02:00:00:00:00:01
	wait_for serve.out '"event":"ready"'
	says b "$PANIC"
	wait_for proxy.out '"device":"02:00:00:00:00:02".*"code":"S802"'
	says a "$PANIC"
	wait_for proxy.out '"device":"02:00:00:00:00:01".*"code":"S802".* after the '
	absent '02:00:00:00:00:02.*"code":"S802".*after the ' proxy.out
	run -2 --separate-stderr mcpctl proxy --serial "$WORK/a.tty" stdio:cat
	[[ $stderr == *"option '--serial' is for boards"* ]]
	run -3 --separate-stderr mcpctl proxy --serial /dev/ttyNONE7 --listen 127.0.0.1:0 ws://127.0.0.1:1/
	[[ $stderr == *"'/dev/ttyNONE7' is not there"* ]]
	run -2 --separate-stderr mcpctl proxy --reset ws://127.0.0.1:1/
	[[ $stderr == *"option '--reset' needs --serial"* ]]
}

@test "tail at a running serve sees the log that serve reads, of its own board only" {
	port a
	serve --serial "02:00:00:00:00:01=$WORK/a.tty"
	background one mcpctl sim --ota "$OTA" --device-id 02:00:00:00:00:01
	background two mcpctl sim --ota "$OTA" --device-id 02:00:00:00:00:02
	wait_for serve.out '"event":"ready".*02:00:00:00:00:01|02:00:00:00:00:01.*"event":"ready"'
	wait_for serve.out '"event":"ready".*02:00:00:00:00:02|02:00:00:00:00:02.*"event":"ready"'
	background mine mcpctl --trace t.jsonl -d 02:00:00:00:00:01 tail
	background other mcpctl -d 02:00:00:00:00:02 tail
	background all mcpctl --all tail
	wait_for mine.err attached
	wait_for other.err attached
	wait_for all.err 'watching 2'
	until_true says_until_seen
	wait_for mine.out 'S802.*LoadProhibited'
	absent 'serial  ' other.out
	wait_for t.jsonl '"leg":"serial","from":"device","kind":"line".*E .9. MCP: x'
}

# The commands attach while we speak: once more until they are there.
says_until_seen() {
	says a 'E (9) MCP: x' "$PANIC"
	grep -q 'serial/02:00:00:00:00:01  E .9. MCP: x' mine.out &&
		grep -q '02:00:00:00:00:01.*serial/.*MCP: x' all.out
}

@test "tail --all with ports of its own wants to know whose each is" {
	port a
	serve
	run -2 --separate-stderr mcpctl --all tail --serial "$WORK/a.tty"
	[[ $stderr == *"with --all, say whose '$WORK/a.tty' is: --serial ALIAS=$WORK/a.tty"* ]]
	background one mcpctl sim --ota "$OTA" --device-id 02:00:00:00:00:01
	wait_for serve.out '"event":"ready".*02:00:00:00:00:01'
	background two mcpctl sim --ota "$OTA" --device-id 02:00:00:00:00:02
	wait_for serve.out '"event":"ready".*02:00:00:00:00:02'
	background all mcpctl --all tail -F --serial "02:00:00:00:00:02=$WORK/a.tty"
	wait_for all.err 'watching'
	says a "$PANIC"
	wait_for all.out '02:00:00:00:00:02.*serial/.*  Guru'
	wait_for all.out '02:00:00:00:00:02.*S802'
	absent '02:00:00:00:00:01 .*serial/' all.out
}

@test "run and the shell tell lines of a log while their target is open" {
	port a
	background run mcpctl sim: run --serial "$WORK/a.tty" -e 'tail --for 60s'
	wait_for run.out hello
	says a 'E (9) MCP: x'
	wait_for run.out 'serial  E .9. MCP: x'
	port b
	echo 'tail --for 60s' >lines
	background shell sh -c "exec mcpctl sim: shell --serial '$WORK/b.tty' <lines"
	wait_for shell.out hello
	says b 'E (9) MCP: y'
	wait_for shell.out 'serial  E .9. MCP: y'
	wait_for shell.out 'S823'
}
