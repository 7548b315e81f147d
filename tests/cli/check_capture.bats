#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# check FILE: what was recorded is judged again, without the board.

# shellcheck disable=SC2154 # out and status are set by mcp

load helper

@test "what a device did wrong is found again in the capture of it" {
	local fault code
	while read -r fault code; do
		rm -f "$WORK/c.jsonl"
		run mcpctl --timeout 500ms --wait 7s --trace "$WORK/c.jsonl" \
			"sim:?fault=$fault" check --risk read
		run mcpctl -o json check "$WORK/c.jsonl"
		echo "$fault: $output"
		[ "$status" -eq 7 ]
		grep -q "\"code\":\"$code\"" <<<"$output"
	done <<-END
		wrong-id D116
		deep D124
		bad-utf8 D125
		loop-cursor D106
		no-features D101
	END
}

@test "a healthy device has nothing above a note, and what we asked is not held against anybody" {
	mcp --trace "$WORK/c.jsonl" sim: check --risk read
	mcp check "$WORK/c.jsonl" --fail-on warning
	[ "$status" -eq 0 ]
	grep -q 'the backend was mcpctl' <<<"$out"
	tr -s ' \n' ' ' <<<"$out" | grep -q '; the backend was mcpctl, and is not judged'
	absent '^(error|warn|note) +B[0-9]' "$WORK/stdout"
}

@test "the list as a whole is judged, and the proof has the number of its event" {
	mcp --trace "$WORK/c.jsonl" sim:canary tools -q
	mcp -o json check "$WORK/c.jsonl"
	grep -q '"code":"D113"' <<<"$out"
	mcp --trace "$WORK/d.jsonl" 'sim:?fault=loop-cursor' tools -q
	n=$(grep -n '"from":"device".*nextCursor' "$WORK/d.jsonl" | sed -n 2p | sed 's/.*{"n":\([0-9]*\),.*/\1/')
	mcp -o json check "$WORK/d.jsonl"
	echo "$out"
	grep -q "\"code\":\"D106\".*\"n\":$n," <<<"$out"
}

@test "the proof has the number of its event, of an answer to OTA and of a line, too" {
	cat >ota.cap <<-'END'
		{"capture":1,"made":"2026-11-22T10:02:11.400Z","clock":"us","masked":true}
		{"n":6,"t":10,"c":1,"leg":"ota","from":"device","kind":"request","head":["POST /xiaozhi/ota/ HTTP/1.1","Host: 192.168.1.2:8000"],"size":2,"text":"{}"}
		{"n":7,"t":20,"c":1,"leg":"ota","from":"backend","kind":"response","status":200,"head":["HTTP/1.1 200 OK","Content-Type: application/json"],"size":48,"text":"{\"websocket\":{\"url\":\"ws://192.168.1.2:8001/\"}}"}
		{"n":8,"t":30,"c":2,"leg":"serial","kind":"open"}
		{"n":9,"t":40,"c":2,"leg":"serial","from":"device","kind":"line","size":31,"text":"Brownout detector was triggered"}
	END
	mcp check ota.cap
	ends 7
	says '   #7 ota backend <'
	says '   #9 serial device >'
	# Nobody said who recorded it.
	says 'who recorded it is not'
	tr -s ' \n' ' ' <stdout | grep -q '; who recorded it is not told: it is taken for the backend, which is not judged'
	grep -qE '^capture +ok +trace, 0 messages, 0 of audio, 0.0 s' stdout
	absent 'was mcpctl' stdout
}

@test "what was not reached is found again, though no frame shows it" {
	background proxy mcpctl proxy ws://127.0.0.1:1/ --listen 127.0.0.1:0 --trace none.cap
	at=$(wait_for proxy.err 'listening at' | grep -oE 'ws://[^ ]*')
	mcp sim --connect "$at"
	wait_for proxy.out '! N102 error'
	kill -INT "$LAST"
	wait "$LAST" || :
	mcp check none.cap
	ends 7
	says 'error   N102   the connection is refused'
	says '1 error, 0 warnings'
}

@test "no file, a foreign one, a cut one" {
	mcp check "$WORK/none.jsonl"
	[ "$status" -eq 2 ]
	grep -q 'No such file' <<<"$err"
	echo hello >"$WORK/foreign.txt"
	mcp check "$WORK/foreign.txt"
	[ "$status" -eq 2 ]
	hints 'is no capture'
	mcp --trace "$WORK/c.jsonl" sim: tools -q
	head -c -20 "$WORK/c.jsonl" >"$WORK/cut.jsonl"
	mcp check "$WORK/cut.jsonl"
	[ "$status" -eq 0 ]
	grep -q 'ends within a line' <<<"$out"
	mcp check "$WORK/c.jsonl" --plan
	[ "$status" -eq 2 ]
}

@test "a pipe with a name is opened once, a capture and a log" {
	mcp --trace "$WORK/c.jsonl" sim: tools -q
	mkfifo "$WORK/pipe"
	cat "$WORK/c.jsonl" >"$WORK/pipe" &
	mcp check "$WORK/pipe"
	wait "$!"
	[ "$status" -eq 0 ]
	grep -q '^capture ' <<<"$out"
	printf 'I (27) boot: ESP-IDF v5.4 2nd stage bootloader\n' >"$WORK/pipe" &
	mcp check "$WORK/pipe"
	wait "$!"
	[ "$status" -eq 0 ]
	grep -q '^serial ' <<<"$out"
}

@test "an address of this machine is right for a board that asked on this machine" {
	answer() { # HOST
		cat <<-END
			{"capture":1,"made":"2026-11-22T10:02:11.400Z","as":"proxy","clock":"us","masked":true}
			{"n":1,"t":10,"c":1,"leg":"ota","from":"device","kind":"request","head":["POST /xiaozhi/ota/ HTTP/1.1","Host: $1:8000"],"size":2,"text":"{}"}
			{"n":2,"t":20,"c":1,"leg":"ota","from":"backend","kind":"response","status":200,"head":["HTTP/1.1 200 OK","Content-Type: application/json"],"size":45,"text":"{\"websocket\":{\"url\":\"ws://127.0.0.1:8001/\"}}"}
		END
	}
	answer 127.0.0.1 >here.cap
	mcp check here.cap
	absent O310 "$WORK/stdout"
	answer 192.168.1.2 >there.cap
	mcp check there.cap
	ends 7
	says O310
}

# talk LINE…: a capture of a board that said hello, was initialized, and those.
talk() {
	local n=3
	cat <<-'END'
		{"capture":1,"made":"2026-11-22T10:02:11.400Z","clock":"us","masked":true}
		{"n":1,"t":1000,"c":1,"leg":"ws","from":"device","kind":"text","size":85,"text":"{\"type\":\"hello\",\"version\":1,\"transport\":\"websocket\",\"features\":{\"mcp\":true}}"}
		{"n":2,"t":2000,"c":1,"leg":"ws","from":"backend","kind":"text","size":60,"text":"{\"type\":\"hello\",\"transport\":\"websocket\",\"session_id\":\"S\"}"}
	END
	for line; do
		printf '{"n":%d,%s}\n' $((n++)) "$line"
	done
}

# says_at SECONDS device|backend PAYLOAD: such a line.
says_at() {
	local text="{\"type\":\"mcp\",\"session_id\":\"S\",\"payload\":$3}"
	printf '"t":%d000000,"c":1,"leg":"ws","from":"%s","kind":"text","size":%d,"text":%s' \
		"$1" "$2" "${#text}" "$(jq -Rn --arg t "$text" '$t')"
}

@test "D145: a list that is never answered while the board goes on; not one that is cut off" {
	local list='{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}'
	local noise='{"jsonrpc":"2.0","method":"notifications/x"}'
	local cut='"t":2000000,"c":1,"leg":"ws","from":"device","kind":"text","size":70000,"cut":66000,"sha256":"00","text":"{"'
	talk "$(says_at 1 backend "$list")" "$(says_at 12 device "$noise")" \
		"$(says_at 15 device "$noise")" >silent.cap
	mcp check silent.cap
	ends 7
	says 'error   D145   a request is not answered in time: id 2 (tools/list), for 14 s'
	says '   #5 ws device >'
	says '   do    operator: '
	# A capture that ends before says nothing of it.
	head -n -1 silent.cap >short.cap
	mcp -o json check short.cap
	ends 0
	absent D145 "$WORK/stdout"
	# What was not recorded, or not all of it, may be the answer.
	talk "$(says_at 1 backend "$list")" "$cut" "$(says_at 12 device "$noise")" \
		"$(says_at 15 device "$noise")" >cut.cap
	talk "$(says_at 1 backend "$list")" '"t":2000000,"kind":"lost","count":3' \
		"$(says_at 12 device "$noise")" "$(says_at 15 device "$noise")" >lost.cap
	for file in cut lost; do
		mcp -o json check $file.cap
		ends 0
		absent D145 "$WORK/stdout"
	done
}

# asked N CONNECTION DEVICE BODY: a question of OTA, and that answer.
asked() {
	printf '{"n":%d,"t":%d000000,"c":%d,"leg":"ota","from":"device","kind":"request","device":"%s","head":["POST /ota/ HTTP/1.1"],"size":2,"text":"{}"}\n' \
		"$1" "$1" "$2" "$3"
	printf '{"n":%d,"t":%d500000,"c":%d,"leg":"ota","from":"backend","kind":"response","device":"%s","status":200,"head":["HTTP/1.1 200 OK","Content-Length: %d"],"size":%d,"text":%s}\n' \
		$(($1 + 1)) "$1" "$2" "$3" ${#4} ${#4} "$(jq -Rn --arg t "$4" '$t')"
}

@test "several boards in one capture: a line for each, what was told before only named" {
	local leads='{"websocket":{"url":"ws://192.168.1.2:8001/"}}'
	{
		echo '{"capture":1,"made":"2026-11-22T10:02:11.400Z","as":"proxy","clock":"us","masked":true}'
		asked 1 1 aa:01 "$leads"
		asked 3 2 aa:02 "$leads"
		asked 5 3 aa:02 "$leads"
		asked 7 4 aa:02 '{"x":1}'
		printf '{"n":9,"t":9000000,"c":5,"leg":"ws","from":"device","kind":"text","device":"aa:03","size":2,"text":"{}"}\n'
		printf '{"n":10,"t":9000000,"kind":"lost","count":3}\n'
	} >boards.cap
	mcp check boards.cap
	ends 7
	says 'capture  odd   proxy, 1 message, 0 of audio, 9.0 s'
	says 'lost     odd   3 events were not recorded: what is missing may be there'
	# In the order in which they came.
	[ "$(grep '^device ' stdout | tr -s ' ')" = 'device ok aa:01, 1 connection
device odd aa:02, 3 connections; also O318
device ok aa:03, 1 connection' ]
	[ "$(grep -c '^note  *O318 ' stdout)" = 1 ]
	mcp check boards.cap --report json:boards.json
	jq -e '[.. | objects | select(.code? == "O318") | [.count, .last_us]] == [[3, 5500000]]' boards.json
	mcp check boards.cap --skip O318
	absent 'also' stdout
}

@test "a serial log: starts by its stamps, which fall back at each; long lines" {
	printf '%s\n' 'rst:0x1 (POWERON),boot:0x8' 'I (20000) x: y' \
		'rst:0x1 (POWERON),boot:0x8' 'I (20000) x: y' 'rst:0x1 (POWERON),boot:0x8' >rom.txt
	mcp check rom.txt --only S810
	says 'serial   ok    lines: 5, starts of the chip: 3'
	tr -s ' \n' ' ' <stdout | grep -qF ': 3 starts within 40 s'
	{
		printf 'I (20) boot: ESP-IDF v5.4 2nd stage bootloader\nI (10000) x: y\n%.0s' 1 2 3
		printf '%5000s\n' x
	} >usb.txt
	mcp check usb.txt --only S810
	says 'serial   ok    lines: 7, starts of the chip: 3, some lines were cut at 4 kB'
	tr -s ' \n' ' ' <stdout | grep -qF ': 3 starts within 20 s'
	mcp check /dev/null
	ends 2
	echo 'no log' >other.txt
	mcp check other.txt
	ends 2
	hints "'other.txt' is no capture, and no line of it is one of a board's serial log"
}
