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
