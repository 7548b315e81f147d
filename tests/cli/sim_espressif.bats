#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sim espressif: a board with Espressif's mcp-c-sdk over HTTP (espressif.md), asked
# by curl as its README does, and by mcpctl.
# shellcheck disable=SC2154 # set by helper.bash

load helper
bats_require_minimum_version 1.5.0

# board [PROFILE]: sets URL and BOARD.
board() {
	local line
	background board mcpctl sim "${1:-espressif}" --listen 127.0.0.1:0
	BOARD=$LAST
	line=$(wait_for board.err 'listening at') || return 1
	URL=${line##* }
}

# ask STATUS [ARG…]: what it answers is in head and body.
ask() {
	local status=$1
	shift
	[ "$(curl -sS --max-time 20 -o body -D head -w '%{http_code}' "$@")" = "$status" ]
}

JSON='Content-Type: application/json'
BEGIN='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}'
PING='{"jsonrpc":"2.0","id":2,"method":"ping"}'

id_of() { sed -n 's/^Mcp-Session-Id: //p' head | tr -d '\r'; }

@test "one path, one type of answer, a session for whoever brings none" {
	board
	[[ $URL == */mcp_server ]]
	ask 200 -H "$JSON" "$URL" -d "$PING"
	grep -q 'initialize must be first interaction' body
	[ "$(id_of | wc -c)" -gt 20 ]
	ask 200 -H "$JSON" -H 'Accept: application/json, text/event-stream' "$URL" -d "$BEGIN"
	grep -q '^Content-Type: application/json' head
	ID=$(id_of)
	ask 200 -H "$JSON" -H "Mcp-Session-Id: $ID" "$URL" -d "$PING"
	ask 200 -H "$JSON" "$URL?sessionId=$ID" -d "$PING"
	grep -q '"result":{}' body
	ask 202 -H "$JSON" -H "Mcp-Session-Id: $ID" "$URL" -d '{"jsonrpc":"2.0","method":"notifications/initialized"}'
	[ "$(id_of)" = "$ID" ]
	ask 404 -H "$JSON" "${URL%/*}/mcp" -d "$BEGIN"
	grep -q '^Content-Type: text/html' head
	ask 404 -H "$JSON" -H 'Mcp-Session-Id: other' "$URL" -d "$PING"
	grep -q 'Unknown MCP session' body
	ask 406 -H "$JSON" -H 'Accept: text/plain' "$URL" -d "$BEGIN"
	ask 406 -H "$JSON" -H 'Accept: text/event-stream' "$URL" -d "$PING"
	ask 400 "$URL" -d "$BEGIN"
	ask 400 -H "$JSON" -H 'MCP-Protocol-Version: 2026-07-28' "$URL" -d "$BEGIN"
	ask 405 -X PUT "$URL"
	ask 204 -I "$URL"
	ask 200 -X DELETE -H "Mcp-Session-Id: $ID" "$URL"
	ask 404 -X DELETE -H "Mcp-Session-Id: $ID" "$URL"
	kill -INT "$BOARD"
	finish "$BOARD" 130
}

@test "a body above 65,535 bytes is 400" {
	board
	printf '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"%070000d"}}' 0 >big
	ask 400 -H "$JSON" "$URL" -d @big
	grep -q 'too long' body
	mcp "$URL" ping
	ends 0
}

@test "commands: every argument, an empty result, the newest first" {
	board
	mcp "$URL" tools
	ends 0
	[ "$(head -n 1 <<<"$out" | cut -d' ' -f1)" = self.calibrate ]
	mcp "$URL" --findings found call self.screen.set_hsv h=3
	ends 1
	hints '--fill-defaults sends the defaults (explain P725)'
	[ "$(jq -c '[.code, .detail]' found)" = '["P725","self.screen.set_hsv: without s, v"]' ]
	mcp "$URL" call self.screen.set_hsv h=3 --fill-defaults
	ends 0
	says '{"h":3,"s":50,"v":100}'
	mcp "$URL" --findings found call self.log.read
	ends 0
	hints 'empty result: no content'
	grep -q '"code":"P726"' found
	mcp "$URL" call self.calibrate --task
	ends 0
	says true
	mcp "$URL" call self.camera.take_photo question=what
	ends 0
	says false
	mcp "$URL" call self.nothing --no-validate
	ends 1
	hints 'error: Tool not found (-32002)'
	mcp "${URL/http/ws}" info
	ends 3
	hints "has no WebSocket at '/mcp_server'"
}

@test "check: what HTTP refuses is no silence" {
	board
	mcp "$URL" check --risk odd
	ends 7
	[[ $out == *'refused: 200 kB'*'(HTTP 400)'* ]]
	[[ $out == *D118* ]]
	[[ $out != *D145* ]]
}

@test "through proxy: a server that does not speak the newest revision is none to blame" {
	board
	background proxy mcpctl proxy "$URL" --listen 127.0.0.1:0 --trace p.cap
	PROXY=$LAST
	through=$(wait_for proxy.err '^listening at' | grep -oE 'http://[^ ]+')
	mcp "$through" call self.log.read
	ends 0
	grep -q '"status":400' p.cap
	kill -INT "$PROXY"
	finish "$PROXY" 0
	grep -q 'P726' proxy.out
	run ! grep -q P713 p.cap
}

@test "a session ends when it was unused, though its stream is open" {
	cat >brief.json <<-'END'
	{ "kind": "service", "extends": "espressif", "ways": { "session_ms": 300 } }
	END
	board ./brief.json
	background tail mcpctl "$URL" -v tail --ping-every 1h
	wait_for tail.err notifications/initialized
	# Swept when somebody asks, and not before.
	until_true ended
	finish "$LAST" 3
	matches tail.err '^error: .*session' 1
}

ended() {
	curl -sS -o /dev/null "$URL" -H "$JSON" -H 'Mcp-Session-Id: other' -d "$PING"
	grep -q 'a session ended: it was unused' board.err
}

@test "who subscribed is told by the GET stream that a resource was changed" {
	board
	background subscribe mcpctl "$URL" subscribe -n 1 device://status
	wait_for subscribe.err '^subscribed'
	mcp "$URL" call self.audio_speaker.set_volume volume=7
	ends 0
	finish "$LAST" 0
	grep -q 'resources/updated' subscribe.out
}

@test "seven sockets: who comes when all are taken waits until one is free" {
	local i first
	board
	for i in 1 2 3 4 5 6 7; do
		background "stream$i" curl -sN "$URL"
		wait_for "stream$i.out" mcp-sse-open
		first=${first:-$LAST}
	done
	mcp "$URL" --timeout 300ms ping
	ends 4
	background late curl -sS -H "$JSON" "$URL" -d "$PING"
	until_true waits
	[ ! -s late.out ]
	kill "$first"
	finish "$LAST" 0
	grep -q 'initialize must be first' late.out
}

# waits: the eighth connection stands.
waits() { [ "$(ss -Htn state established "( dport = :$(grep -oE '[0-9]+/mcp' <<<"$URL" | cut -d/ -f1) )" | wc -l)" -ge 8 ]; }

@test "lists go by pages of bytes" {
	cat >small.json <<-'END'
	{ "kind": "service", "extends": "espressif", "ways": { "page_max": 1024 } }
	END
	board ./small.json
	mcp "$URL" -v tools
	ends 0
	[ "$(grep -c '^self' <<<"$out")" = 9 ]
	[ "$(grep -c '"nextCursor":"self' <<<"$err")" -ge 2 ]
}
