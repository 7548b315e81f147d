#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Nobody comes: the message names the first missing step.

load helper

upgrade=(-H 'Connection: Upgrade' -H 'Upgrade: websocket'
	-H 'Sec-WebSocket-Version: 13'
	-H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==')

@test "nothing came at all" {
	mcp --wait 300ms listen:127.0.0.1:0 info
	ends 3
	hints 'nothing'
	hints '/xiaozhi/ota/'
	[ -z "$out" ]
}

@test "only a browser" {
	listener l --wait 4 listen:127.0.0.1:0 info
	curl -s "http://127.0.0.1:$PORT/xiaozhi/ota/" >page.html
	grep -qi '<html' page.html
	finish "$LISTENER" 3
	grep -qi 'browser' l.err
}

@test "TLS on a plain port" {
	listener l --wait 4 listen:127.0.0.1:0 info
	curl -sk "https://127.0.0.1:$PORT/xiaozhi/ota/" || :
	finish "$LISTENER" 3
	grep -q 'TLS' l.err
}

@test "OTA asked but never woken" {
	listener l --wait 4 listen:127.0.0.1:0 info
	curl -s -H 'Device-Id: 02:00:00:00:00:01' -H 'User-Agent: host-board/2.4.2' \
		-d '{"application":{"version":"2.4.2"}}' "$OTA"
	finish "$LISTENER" 3
	grep -qi 'wake' l.err
	grep -q '2.4.2' l.err
}

@test "wrong path" {
	listener l --wait 4 listen:127.0.0.1:0/right info
	curl -s -o /dev/null "${upgrade[@]}" -H 'Device-Id: 02:00:00:00:00:01' \
		"http://127.0.0.1:$PORT/wrong"
	finish "$LISTENER" 3
	grep -q '/wrong' l.err
}

@test "wrong token" {
	MCPCTL_TOKEN=right listener l --wait 4 listen:127.0.0.1:0 info
	curl -s -o /dev/null "${upgrade[@]}" -H 'Authorization: Bearer wrong' \
		-H 'Device-Id: 02:00:00:00:00:01' "http://127.0.0.1:$PORT/"
	finish "$LISTENER" 3
	grep -q 'token' l.err
}

@test "connected but no hello" {
	listener l --wait 4 listen:127.0.0.1:0 info
	background sim mcpctl sim --connect "ws://127.0.0.1:$PORT/" --fault no-hello
	finish "$LISTENER" 3
	grep -q 'hello' l.err
}

@test "hello without features.mcp" {
	listener l --wait 10 listen:127.0.0.1:0 info
	background sim mcpctl sim --connect "ws://127.0.0.1:$PORT/" --fault no-features
	finish "$LISTENER" 3
	grep -qi 'mcp' l.err
}

@test "the wait is restarted by a sign of life" {
	listener l --wait 6 listen:127.0.0.1:0 ping
	sleep 4
	curl -s -H 'Device-Id: 02:00:00:00:00:01' -d '{}' "$OTA" >/dev/null
	sleep 4
	background sim mcpctl sim --connect "ws://127.0.0.1:$PORT/"
	finish "$LISTENER" 0
}

@test "a port in use: by whom, and what to do" {
	listener l --wait 60 listen:127.0.0.1:0 info
	mcp --wait 1 "listen:127.0.0.1:$PORT" info
	ends 3
	hints "$PORT"
	hints 'in use'
}

@test "rubbish, half heads and slow senders cost nothing" {
	listener l --wait 60 listen:127.0.0.1:0 ping
	for _ in 1 2 3 4 5 6 7 8; do
		printf 'GET / HTTP/1.1\r\nHost:' >/dev/tcp/127.0.0.1/"$PORT" || :
		printf '\001\002\003\004 rubbish\r\n\r\n' >/dev/tcp/127.0.0.1/"$PORT" || :
	done
	background sim mcpctl sim --connect "ws://127.0.0.1:$PORT/"
	finish "$LISTENER" 0
}

@test "Ctrl-C while waiting ends with 130" {
	listener l --wait 60 listen:127.0.0.1:0 info
	kill -INT "$LISTENER"
	finish "$LISTENER" 130
}
