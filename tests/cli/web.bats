#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Attacks by web pages and by hand-made requests, on every port that is opened
# here: pages of others (Origin), names that pages let lead here (Host, DNS
# rebinding), requests that can be read in two ways.

load helper

# The client of a page, which cannot set headers of a WebSocket but has an
# Origin: page.py PORT URL ORIGIN [NAME:VALUE]…; prints the status.
write_page() {
	cat >page.py <<'END'
import asyncio, sockets, sys

async def main(port, url, origin, *headers):
    headers = dict(h.split(":", 1) for h in headers)
    try:
        async with sockets.dial(url, headers, host="127.0.0.1", port=int(port), origin=origin):
            print(101)
    except sockets.Refused as e:
        print(sockets.status(e))

asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), 20))
END
}

# dials STATUS QUERY ORIGIN [HEADER]…: a WebSocket is answered so; $NAME: the
# host that it asks for.
dials() {
	local wanted=$1 url=ws://${NAME:-127.0.0.1}:$PORT/ws$2 got
	shift 2
	got=$(PYTHONPATH=$BATS_TEST_DIRNAME /usr/bin/python3 page.py "$PORT" "$url" "$@")
	[ "$got" = "$wanted" ] || { echo "$url $*: $got, not $wanted" >&2; return 1; }
}

# asks STATUS PATH [CURL ARG]…: a request of HTTP is answered so; head, body.
asks() {
	local wanted=$1 url=http://127.0.0.1:$PORT$2 got
	shift 2
	got=$(curl -sS --max-time 10 -D head -o body -w '%{http_code}' "$url" "$@")
	[ "$got" = "$wanted" ] || { echo "$url $*: $got, not $wanted" >&2; cat head body >&2; return 1; }
}

OTA_PATH=/xiaozhi/ota/
EVIL='Origin: https://evil.example'
ID='Device-Id: aa:aa:aa:aa:aa:01'

# open_port KIND [ARG]…: serve, listen, board or llm; sets PORT and LOG.
open_port() {
	local kind=$1
	shift
	write_page
	case $kind in
	serve)
		serve "$@"
		LOG=serve.out
		;;
	listen)
		listener l "$@" listen:127.0.0.1:0 tail
		LOG=l.err
		;;
	board | llm)
		# shellcheck disable=SC2086 # no word for a board
		background "$kind" mcpctl "$@" sim ${kind#board} --listen 127.0.0.1:0
		PORT=$(wait_for "$kind.err" 'listening at' | sed -E 's|.*:([0-9]+)/.*|\1|')
		LOG=$kind.err
		;;
	esac
}

@test "a page of others opens no WebSocket, at no port" {
	for kind in serve listen board llm; do
		open_port "$kind"
		dials 403 '?device-id=aa:aa:aa:aa:aa:01' https://evil.example
		dials 403 '?device-id=aa:aa:aa:aa:aa:01' null
		dials 403 '' http://127.0.0.1:1
		wait_for "$LOG" "refused: a page of 'https://evil.example'"
		wait_for "$LOG" '--allow-origin https://evil.example'
		dials 101 '' "http://127.0.0.1:$PORT" "${ID/ /}"
	done
}

@test "a page of others posts nothing, at no port" {
	for kind in serve listen board llm; do
		open_port "$kind"
		for path in / $OTA_PATH /vision/explain /upload /mcp /messages; do
			asks 403 "$path" -H "$EVIL" -d '{}'
			asks 403 "$path" -H 'Origin: null' -F file=@page.py
			absent -i access-control head
		done
		asks 403 "$OTA_PATH" -H "$EVIL" -H "$ID"
		asks 403 / -X OPTIONS -H "$EVIL" -H 'Access-Control-Request-Method: POST'
		absent -i access-control head
		wait_for "$LOG" "evil.example"
	done
}

@test "a board is not replaced by a page, nor are its calls answered by one" {
	open_port serve
	device board
	event ready
	dials 403 '?device-id=02:00:00:00:00:01' https://evil.example
	mcp call self.get_device_status
	ends 0
	absent '"event":"replaced"' serve.out
}

@test "libraries of devices that send an Origin: by header yes, by query no" {
	open_port serve
	dials 101 '' file:// "${ID/ /}"
	event connected aa:aa:aa:aa:aa:01
	dials 403 '?device-id=aa:aa:aa:aa:aa:02' file://
	event refused 'Device-Id as a header'
	open_port serve --socket other.sock --allow-origin file://
	dials 101 '?device-id=aa:aa:aa:aa:aa:02' file://
}

@test "a name that a page let lead here gets 421, at no port an answer" {
	for kind in serve listen board llm; do
		open_port "$kind"
		for path in / $OTA_PATH; do
			asks 421 "$path" -H "Host: evil.example:$PORT"
			asks 421 "$path" -H "Host: evil.example:$PORT" -H "$ID" -d '{}'
			asks 421 "$path" -H "Host: evil.example:$PORT" -d '{}' \
				-H "Origin: http://evil.example:$PORT"
			absent 'token|ws://|<table' body
		done
		NAME=evil.example dials 421 '?device-id=aa:aa:aa:aa:aa:01' "http://evil.example:$PORT"
		wait_for "$LOG" "evil.example:$PORT.*no name of ours"
		wait_for "$LOG" '--allow-host evil.example'
	done
}

@test "names that are ours, and addresses, are answered" {
	open_port serve --advertise wss://proxy.example/ --allow-host other.example
	for host in 127.0.0.1 "127.0.0.1:$PORT" 192.0.2.7:1 '[::1]' '[2001:db8::1]:8' \
		localhost "LOCALHOST:$PORT" app.localhost "$(hostname)" \
		"$(hostname | cut -d. -f1).local:$PORT" proxy.example other.example:1; do
		asks 200 / -H "Host: $host"
		grep -qE '<h1>mcpctl|>mcpctl</a>' body
		asks 200 "$OTA_PATH" -H "Host: $host" -H "$ID" -d '{}'
	done
	# HTTP/1.0 need not name it; no browser speaks that.
	asks 200 / --http1.0 -H Host:
}

@test "commands that come by a name that is not ours are told what to do" {
	open_port llm
	mcp --retry 1 --resolve "box.example:$PORT:127.0.0.1" "http://box.example:$PORT/" ping
	ends 3
	hints 'HTTP 421'
	hints '--allow-host'
}

@test "--allow-origin: CORS answers for that page, and for no other" {
	for kind in serve listen board llm; do
		open_port "$kind" --allow-origin https://bench.example:443 \
			--allow-origin http://127.0.0.1:3000
		asks 204 / -X OPTIONS -H 'Origin: https://bench.example' \
			-H 'Access-Control-Request-Method: POST' \
			-H 'Access-Control-Request-Headers: content-type, mcp-session-id' \
			-H 'Access-Control-Request-Private-Network: true'
		grep -qi '^access-control-allow-origin: https://bench.example' head
		grep -qi '^access-control-allow-methods: .*POST' head
		grep -qi '^access-control-allow-headers: content-type, mcp-session-id' head
		grep -qi '^access-control-allow-private-network: true' head
		curl -sS -D head -o body "http://127.0.0.1:$PORT/" -H 'Origin: http://127.0.0.1:3000'
		grep -qi '^access-control-allow-origin: http://127.0.0.1:3000' head
		grep -qi '^vary: origin' head
		curl -sS -D head -o body "http://127.0.0.1:$PORT/" -H "Origin: http://127.0.0.1:$PORT"
		absent -i access-control head
		asks 403 / -H "$EVIL"
		dials 403 '' https://bench.example:8443
		dials 101 '' https://bench.example
	done
}

# preflight PATH [HEADERS]: as a browser asks before it posts JSON there.
preflight() {
	asks 204 "$1" -X OPTIONS -H "Origin: $PAGE" \
		-H 'Access-Control-Request-Method: POST' \
		-H "Access-Control-Request-Headers: ${2:-content-type}"
	grep -qix "access-control-allow-origin: $PAGE.*" head
	grep -qi '^access-control-allow-methods: .*POST' head
	grep -qi "^access-control-allow-headers: ${2:-content-type}" head
	grep -qi '^vary: origin' head
	[ ! -s body ]
}

@test "a digital human's page may ask OTA and post pictures, if it is allowed" {
	PAGE=https://human.example
	printf '\377\330\377\340' >photo.jpg
	printf 'sesame\n' >token
	chmod 600 token
	open_port serve --allow-origin "$PAGE" --token-file token
	for path in /xiaozhi/ota/ /xiaozhi/ota /xiaozhi/ota/activate; do
		preflight "$path" 'content-type,device-id,client-id'
	done
	asks 200 "$OTA_PATH" -H "Origin: $PAGE" -H "$ID" -H 'Client-Id: c' \
		-H 'Content-Type: application/json' -d '{}'
	grep -qix "access-control-allow-origin: $PAGE.*" head
	jq -e .websocket.url body
	# What a browser asks without a preflight, and a path that is none.
	asks 200 "$OTA_PATH" -H "Origin: $PAGE"
	grep -qix "access-control-allow-origin: $PAGE.*" head
	got=$(curl -sS -D head -o body -w '%{http_code}' -H "Origin: $PAGE" "http://127.0.0.1:$PORT/nothing")
	[ "$got" = 404 ]
	grep -qix "access-control-allow-origin: $PAGE.*" head
	for path in /vision/explain /mcp/vision/explain; do
		preflight "$path" 'authorization,device-id,client-id'
	done
	# The page must be able to read a refusal too.
	got=$(curl -sS -D head -o body -w '%{http_code}' -H "Origin: $PAGE" \
		-F question=what -F file=@photo.jpg "http://127.0.0.1:$PORT/vision/explain")
	[ "$got" != 200 ]
	grep -qix "access-control-allow-origin: $PAGE.*" head
	# Others get nothing, and are told which option.
	for path in $OTA_PATH /vision/explain; do
		asks 403 "$path" -X OPTIONS -H "$EVIL" -H 'Access-Control-Request-Method: POST'
		absent -i access-control head
		grep -q -- --allow-origin body
	done
	wait_for serve.out '"event":"refused".*--allow-origin https://evil.example'
}

@test "--allow-origin and --allow-host are checked before anything listens" {
	for target in 'serve --listen 127.0.0.1:0' 'listen:127.0.0.1:0 info' \
		'sim --listen 127.0.0.1:0' 'sim llm --listen 127.0.0.1:0'; do
		for wrong in 'origin null' 'origin *' 'origin bench.example' 'host a:1' 'host https://a'; do
			# shellcheck disable=SC2086 # words
			mcp "--allow-${wrong% *}=${wrong#* }" $target
			ends 2
			hints "option '--allow-${wrong% *}': '${wrong#* }' is no"
			absent 'listening' stdout stderr
		done
	done
}

@test "a flood of refusals is counted, and does not fill the log" {
	open_port serve
	cat >flood.py <<END
import http.client
c = http.client.HTTPConnection("127.0.0.1", $PORT)
for i in range(300):
    c.request("POST", "/", "{}", {"Origin": "https://evil%d.example" % (i % 150)})
    r = c.getresponse()
    assert r.status == 403, r.status
    r.read()
END
	timeout 60 /usr/bin/python3 flood.py
	asks 200 /
	event browser
	[ "$(grep -c '"event":"refused"' serve.out)" = 10 ]
	# Escape sequences of theirs stay out of a terminal.
	open_port llm
	asks 403 / -H $'Origin: https://\xe2\x80\xaeevil\x9b31m' -d '{}'
	wait_for llm.err 'refused: a page'
	absent $'\x9b|\xe2\x80\xae' llm.err
}

@test "who came to listen: only by a wrong name is told when it ends" {
	write_page
	listener l --wait 5s listen:127.0.0.1:0 info
	asks 421 "$OTA_PATH" -H 'Host: board.example' -H "$ID" -d '{}'
	finish "$LISTENER" 3
	grep -q 'no device was let in.*board.example' l.err
	grep -q 'hint: .*--allow-host board.example' l.err
}

@test "requests that can be read in two ways: 400 and the end, at every port" {
	for kind in serve listen board llm; do
		open_port "$kind"
		timeout 120 /usr/bin/python3 "$BATS_TEST_DIRNAME/two_ways.py" "$PORT"
	done
	absent smuggled ./*.err ./*.out
}

@test "the same on a connection that was kept" {
	for kind in serve listen board llm; do
		open_port "$kind"
		timeout 120 /usr/bin/python3 "$BATS_TEST_DIRNAME/two_ways.py" "$PORT" first
	done
	absent smuggled ./*.err ./*.out
}
