#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Strangers who want all places, all memory, all time of a port; and whom a
# reverse proxy asks for. Times are measured in tests/soak/flood.bats.

load helper

# asks ADDRESS HEADER…: the address that serve noted for an OTA question.
asks() {
	local headers=() header id
	ASKED=$((${ASKED:-0} + 1))
	printf -v id '02:00:00:00:01:%02x' "$ASKED"
	for header in "${@:2}"; do headers+=(-H "$header"); done
	curl -sf -o reply -H "Device-Id: $id" "${headers[@]}" -d '{}' "$OTA"
	event ota "$id" | jq -r '.address | sub(":[0-9]+$"; "")' >noted
	[ "$(cat noted)" = "$1" ] || { cat noted; return 1; }
}

@test "serve: a board that is known is served among 300 hostile connections" {
	mkdir flood
	"$ROOT/tests/soak/flood.py" "$BUILD/mcpctl" 300 3 "$WORK/flood" 60
}

@test "proxy: a board that came before is served among 300 hostile connections" {
	mkdir flood
	"$ROOT/tests/soak/flood.py" --proxy "$BUILD/mcpctl" 300 3 "$WORK/flood" 60
}

# question ID: one to OTA, as that board.
question() { curl -sf -o reply -H "Device-Id: $1" -d '{}' "$OTA"; }

@test "serve: of strangers ten lines of a kind are told, the others counted; a listed board's all" {
	local i
	mkdir -p config/mcpctl
	echo '{"kitchen":"02:00:00:00:00:01"}' >config/mcpctl/devices.json
	serve
	for i in $(seq -w 10 39); do question "66:00:00:00:00:$i"; done
	for i in $(seq 12); do question 02:00:00:00:00:01; done
	# WebSockets that say nothing.
	crowd "$PORT" silent 30 --from=30
	device board
	event ready 02:00:00:00:00:01
	[ "$(grep -c '"event":"ota".*"66:' serve.out)" = 10 ]
	[ "$(grep -c '"event":"ota".*"kitchen"' serve.out)" = 12 ]
	[ "$(grep -c '"event":"connected".*"66:' serve.out)" = 10 ]
	[ "$(grep -c '"event":"connected".*"kitchen"' serve.out)" = 1 ]
	# What is asked of serve is not cut.
	until_true mcpctl -d kitchen call self.get_device_status
	mcp -o json devices
	[ "$(grep -oE '"66:[0-9a-f:]+"' stdout | sort -u | wc -l)" = 30 ]
	kill "$SERVER"
	finish "$SERVER" 143
	jq -se 'map(select(.event == "more" and .of == "ota")) | length == 1 and
		.[0].count == 20 and (.[0].text | test("and 20 more like that since, the last one: 66:00:00:00:00:39: "))' serve.out
	jq -se 'map(select(.event == "more" and .of == "connected")) | length == 1 and .[0].count == 20' serve.out
}

@test "a chunk whose head is larger than all room keeps nobody waiting, and ends" {
	serve
	background stranger /usr/bin/python3 -u -c '
import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n2;" + b"x" * 70000)
print("sent")
try:
    while s.recv(4096):
        pass
except ConnectionResetError:
    pass' "$PORT"
	local stranger=$LAST
	wait_for stranger.out sent
	curl -sf -m 10 -o reply "http://127.0.0.1:$PORT/"
	mcpctl devices
	device board
	event ready
	finish "$stranger" 0
	# Not since its time was over.
	absent 'never finished' serve.out
}

# pages: 15 pages of strangers ask that port.
pages() {
	local n
	for n in $(seq 15); do
		curl -s -o reply -H "Origin: https://page$n.example" "http://127.0.0.1:$PORT/"
	done
}

@test "serve, listen, bridge: pages that are refused are counted to the end" {
	local port rest='5 more requests of pages, or for names that are not ours, were refused since'
	serve
	pages
	kill "$SERVER"
	finish "$SERVER" 143
	event refused "$rest"
	listener l listen:127.0.0.1:0 tail
	pages
	kill -INT "$LISTENER"
	finish "$LISTENER" 130
	grep "$rest" l.err
	background port mcpctl bridge --listen 127.0.0.1:0
	port=$LAST
	PORT=$(wait_for port.err 'listening at' | sed -E 's|.*:([0-9]+)/.*|\1|')
	pages
	kill "$port"
	wait "$port" || :
	grep "$rest" port.err
}

@test "serve: a board that lists its tools is told of at each start, listed or not" {
	serve
	background fleet mcpctl sim --devices 25 --connect "ws://127.0.0.1:$PORT/xiaozhi/v1/"
	until_true matches serve.out '"event":"ready"' 25
	[ "$(grep -c '"event":"connected"' serve.out)" = 10 ]
	absent '"event":"more"' serve.out
}

@test "serve: messages that strangers do not finish fit into what they get" {
	[[ $BUILD == */san ]] && skip "sanitizers keep what is freed"
	serve
	crowd "$PORT" message 600 --from=50
	event refused 'what strangers may make us hold is used up'
	# 128 MB of them, and room that grows by doubling.
	[ "$(awk '/VmHWM/ {print $2}' "/proc/$SERVER/status")" -lt 330000 ]
	device board
	until_true mcpctl -d 02:00:00:00:00:01 --wait 1s call self.get_device_status
	# All of them in a few lines.
	[ "$(grep -c 'used up' serve.out)" -lt 20 ]
}

@test "serve: whom a trusted proxy asks for is who asked, and nobody else's word counts" {
	serve --trusted-proxy 127.0.0.0/8 --trusted-proxy 2001:db8::/32
	asks 203.0.113.9 'X-Forwarded-For: 203.0.113.9'
	asks 203.0.113.9 'X-Forwarded-For: 198.51.100.1, 203.0.113.9, 127.0.0.1'
	asks '[2001:db9::1]' 'Forwarded: for="[2001:db9::1]:4711";proto=https'
	asks 127.0.0.1
	asks 127.0.0.1 'X-Forwarded-For: unknown'
	asks 127.0.0.1 'X-Forwarded-For: 203.0.113.9' 'Forwarded: for=203.0.113.10'
	# A WebSocket too.
	curl -s -m 1 -o reply -H 'Connection: Upgrade' -H 'Upgrade: websocket' \
		-H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' \
		-H 'Device-Id: 02:00:00:00:00:01' -H 'X-Forwarded-For: 203.0.113.9' \
		"http://127.0.0.1:$PORT/xiaozhi/v1/" || :
	event connected '"address":"203\.0\.113\.9"'
}

@test "serve: without --trusted-proxy nobody speaks for another" {
	serve --trusted-proxy 192.0.2.1
	asks 127.0.0.1 'X-Forwarded-For: 203.0.113.9'
	asks 127.0.0.1 'Forwarded: for=203.0.113.9'
}

@test "listen: whom a trusted proxy asks for is who asked" {
	listener info listen:127.0.0.1:0 --trusted-proxy 127.0.0.1 --wait 60s info
	curl -sf -o reply -H 'Device-Id: 02:00:00:00:01:01' -H 'X-Forwarded-For: 203.0.113.9' \
		-d '{}' "$OTA"
	wait_for info.err '203\.0\.113\.9'
	device board
	finish "$LISTENER" 0
}

@test "--trusted-proxy is checked before anything listens" {
	for wrong in bench.example 10.0.0.0/33 127.0.0.1:80; do
		mcp serve --listen 127.0.0.1:0 --trusted-proxy "$wrong"
		ends 2
		hints '--trusted-proxy'
		hints '10.0.0.0/8'
	done
	mcp sim --listen 127.0.0.1:0 --trusted-proxy nobody
	ends 2
}

@test "sim, bridge: of clients that come and go ten lines of a kind are told, the others counted" {
	for row in 'sim --listen 127.0.0.1:0' 'sim llm --listen 127.0.0.1:0' \
		'sim espressif --listen 127.0.0.1:0' 'bridge --listen 127.0.0.1:0'; do
		# shellcheck disable=SC2086 # words
		background port mcpctl $row
		port=$LAST
		PORT=$(wait_for port.err 'listening at' | sed -E 's|.*:([0-9]+)/.*|\1|')
		crowd "$PORT" socket 25 sse 25
		crowd_goes
		kill "$port"
		wait "$port" || :
		sed -E 's/[0-9.]+:[0-9]+/ADDRESS/; s/^and [0-9]+ more.*/more/' port.err | sort | uniq -c >kinds
		awk '$1 > 10 { exit 1 }' kinds || { echo "$row"; cat kinds; return 1; }
		[[ $row == *espressif* ]] || grep -q 'and [0-9]* more like that since' port.err
	done
}

@test "listen: of strangers ten lines of a kind are told in a minute" {
	listener l listen:127.0.0.1:0 tail
	for n in $(seq 10 24); do
		curl -sf -o reply -H "Device-Id: 66:00:00:00:00:$n" -d '{}' "http://127.0.0.1:$PORT/xiaozhi/ota/"
		curl -s -o reply "http://127.0.0.1:$PORT/nothing"
	done
	device board
	until_true grep -q hello l.out l.err
	crowd "$PORT" silent 25
	crowd_goes
	kill -INT "$LISTENER"
	finish "$LISTENER" 130
	# The others are told as one at the end.
	grep -v 'more like that since' l.err >each
	[ "$(grep -c '66:00:00:00:00:.. asked OTA' each)" -eq 10 ]
	[ "$(grep -c 'a second device, while' each)" -eq 10 ]
	[ "$(grep -c 'there is nothing' each)" -eq 10 ]
	grep -E 'and 5 more like that since, the last one: .* asked OTA' l.err
	grep -E 'and 5 more like that since, the last one: .*there is nothing' l.err
	grep -E 'and [0-9]+ more like that since, the last one: .*a second device, while' l.err
}
