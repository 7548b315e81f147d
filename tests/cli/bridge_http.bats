#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The bridge at a port: hosts that are none of ours (curl, Python, the official
# SDK) come by Streamable HTTP, HTTP+SSE and WebSocket, in both eras.
# shellcheck disable=SC2154 # set by helper.bash

load helper

# bridge [ARG…]: sets URL (http://127.0.0.1:PORT) and BRIDGE. Target words go in front: TARGET.
TARGET=(sim:)
bridge() {
	local line
	background bridge mcpctl "${TARGET[@]}" bridge --listen 127.0.0.1:0 "$@"
	BRIDGE=$LAST
	line=$(wait_for bridge.err 'listening at http://127.*/mcp$') || return 1
	line=${line##* }
	URL=${line%/mcp}
}

BOTH='Accept: application/json, text/event-stream'
# post BODY [ARG…]: the answer's body at /mcp, and behind it its status.
post() {
	local body=$1
	shift
	curl -sS --max-time 30 -w ' %{http_code}' -H "$BOTH" "$@" "$URL/mcp" -d "$body"
}
INIT='{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}'
LIST='{"jsonrpc":"2.0","id":0,"method":"tools/list"}'
CALL='{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"audio_speaker_set_volume","arguments":{"volume":30}}}'

# begin [ARG…]: a session; sets ID, and SESSION, a header.
begin() {
	[[ $(post "$INIT" -D head.txt "$@") == *'"protocolVersion":"2025-11-25"'*' 200' ]] || return 1
	ID=$(tr -d '\r' <head.txt | sed -n 's/^mcp-session-id: //Ip')
	[ ${#ID} = 32 ] || return 1
	SESSION="Mcp-Session-Id: $ID"
}

# stream NAME [ARG…]: the stream of the session, in NAME.out; sets LAST.
stream() {
	local name=$1
	shift
	background "$name" curl -sSN --max-time 600 -H 'Accept: text/event-stream' -H "$SESSION" "$@" "$URL/mcp"
	wait_for "$name.out" '^:'
}

@test "Streamable HTTP: a session from its beginning to its end" {
	bridge
	begin
	[ "$(post '{"jsonrpc":"2.0","method":"notifications/initialized"}' -H "$SESSION")" = ' 202' ]
	until_true board_listed
	[[ $(post "$CALL" -H "$SESSION" -H 'MCP-Protocol-Version: 2025-11-25') == '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"true"}],"isError":false}} 200' ]]
	wait_for bridge.err 'curl/1 sim self.audio_speaker.set_volume {"volume":30} .* ok$'
	[[ $(post "$LIST" -H "$SESSION" -H 'MCP-Protocol-Version: tomorrow') == *' 400' ]]
	[[ $(post "$LIST" -H "Mcp-Session-Id: x${ID:1}") == *' 404' ]]
	[ "$(curl -sS -X DELETE "$URL/mcp" -H "$SESSION" -w '%{http_code}')" = 204 ]
	[[ $(post "$LIST" -H "$SESSION") == *' 404' ]]
	kill "$BRIDGE"
	finish "$BRIDGE" 0
}

board_listed() { [[ $(post "$LIST" -H "$SESSION") == *'"id":0,'*'"audio_speaker_set_volume"'*' 200' ]]; }

@test "HTTP+SSE, by curl and by our own client" {
	local where
	bridge
	background stream curl -sSN --max-time 600 "$URL/sse"
	where=$(wait_for stream.out '^data: /messages') || return 1
	# What a proxy of stdio lets through has no headers (mcp-remote).
	curl -sS "$URL${where#data: }" -d '{"jsonrpc":"2.0","id":8,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
	wait_for stream.out '^data: {"jsonrpc":"2.0","id":8,"result":.*"supportedVersions"'
	[ "$(curl -sS "$URL${where#data: }" -d "$INIT" -w '%{http_code}')" = 202 ]
	wait_for stream.out '^data: {"jsonrpc":"2.0","id":"i","result":'
	mcp "sse+$URL/sse" call audio_speaker_set_volume volume=20
	ends 0
	[ "$out" = true ]
	curl -sS "$URL${where#data: }" -d "$CALL"
	wait_for stream.out '^data: {"jsonrpc":"2.0","id":7,"result":'
	kill "$LAST"
	wait_for bridge.err 'HTTP\+SSE: a client went'
	[ "$(curl -sS "$URL${where#data: }" -d "$INIT" -o /dev/null -w '%{http_code}')" = 404 ]
}

@test "WebSocket at /ws, and nowhere else" {
	bridge
	mcp "ws${URL#http}/ws" call audio_speaker_set_volume volume=20
	ends 0
	[ "$out" = true ]
	mcp "ws${URL#http}/" tools
	ends 3
	hints 'HTTP 404'
	cat >client.py <<-'END'
		import asyncio, sys, websockets

		async def main(url, *asked):
		    async with websockets.connect(url, subprotocols=["mcp"]) as ws:
		        for one in asked:
		            await ws.send(one)
		            print(await ws.recv())

		asyncio.run(main(*sys.argv[1:]))
	END
	run timeout 30 /usr/bin/python3 client.py "ws${URL#http}/ws" "$INIT" "$CALL" 'oops'
	echo "$output"
	[ "$status" = 0 ]
	[[ ${lines[0]} == *'"id":"i","result":{"protocolVersion":"2025-11-25"'* ]]
	[[ ${lines[1]} == *'"id":7,"result":'*'"true"'* ]]
	[[ ${lines[2]} == *'"code":-32700'* ]]
	wait_for bridge.err 'WebSocket: a client went'
	absent 'the device' bridge.err
}

@test "both eras: requests of 2026-07-28 need no session" {
	local meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}'
	bridge
	[[ $(post '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{'"$meta"'}}' -D head.txt \
		-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/list') == *'"tools":['*' 200' ]]
	absent '[Ss]ession' head.txt
	[[ $(post '{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{'"$meta"'}}' \
		-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: server/discover') == *'"supportedVersions"'*' 200' ]]
	mcp --era modern "$URL/mcp" call audio_speaker_set_volume volume=20
	ends 0
	mcp --era legacy "$URL/mcp" call audio_speaker_set_volume volume=20
	ends 0
	wait_for bridge.err 'a session was ended by its client'
}

@test "web pages and names of others are refused, but for those that were named" {
	local page='Origin: http://evil.example'
	bridge --allow-origin http://localhost:6274 --allow-host boards.example
	[[ $(post "$INIT" -H "$page") == *' 403' ]]
	[[ $(post "$INIT" -H 'Origin: null') == *' 403' ]]
	[[ $(post "$INIT" -H 'Host: evil.example') == *' 421' ]]
	[[ $(post "$INIT" -H 'Host: boards.example') == *' 200' ]]
	[[ $(post "$INIT" -H 'Origin: http://localhost:6274' -D head.txt) == *' 200' ]]
	grep -qi '^access-control-allow-origin: http://localhost:6274' head.txt
	[ "$(curl -sS "$URL/sse" -H "$page" -o /dev/null -w '%{http_code}')" = 403 ]
	[ "$(curl -sS -X DELETE "$URL/mcp" -H "$page" -o /dev/null -w '%{http_code}')" = 403 ]
	[ "$(curl -sS "$URL/ws" -H "$page" -H 'Connection: Upgrade' -H 'Upgrade: websocket' \
		-H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==' \
		-o /dev/null -w '%{http_code}')" = 403 ]
	[[ $(post "$INIT") == *' 200' ]]
}

@test "who shows no token gets 401, and the token goes to no target" {
	local key='Authorization: Bearer 0123456789abcdef'
	printf '%s\n' 'another-0123456789' 0123456789abcdef >tokens
	# What it dials tells what it was sent.
	/usr/bin/python3 - >port.txt <<-'END' &
		import http.server, sys

		class Deaf(http.server.BaseHTTPRequestHandler):
		    def do_POST(self):
		        with open("sent.txt", "a") as out:
		            out.write(str(self.headers) + "\n")
		        self.send_error(503)

		    def log_message(self, *args):
		        pass

		server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Deaf)
		print("port", server.server_port, flush=True)
		server.serve_forever()
	END
	PIDS+=($!)
	TARGET=("http://127.0.0.1:$(wait_for port.txt '^port' | cut -d' ' -f2)/mcp")
	bridge --token-file tokens
	[[ $(post "$INIT" -D head.txt) == *'a token is needed'*' 401' ]]
	grep -qi '^www-authenticate: Bearer' head.txt
	[[ $(post "$INIT" -H "${key}0") == *'the token is wrong'*' 401' ]]
	[[ $(post "$INIT" -H "$key") == *'"protocolVersion"'*' 200' ]]
	[[ $(post "$INIT" -H 'Authorization: Bearer another-0123456789') == *' 200' ]]
	[ "$(curl -sS "$URL/sse" -o /dev/null -w '%{http_code}')" = 401 ]
	mcp "ws${URL#http}/ws" tools
	ends 6
	echo 0123456789abcdeF >token
	mcp --token-file token "ws${URL#http}/ws" tools
	ends 6
	echo 0123456789abcdef >token
	mcp --token-file token "ws${URL#http}/ws" tools
	ends 0
	[[ $(curl -sS "$URL/") == *'It asks for a token.'* ]]
	wait_for sent.txt '^User-Agent'
	absent '[Aa]uthorization' sent.txt
	absent cdef sent.txt
	wait_for bridge.err '^127.0.0.1:[0-9]+ was refused: it shows no token, or a wrong one$'
	absent 0123456789 bridge.err
}

@test "where others reach it, it wants a token, and no short one" {
	mcp sim: bridge --listen 0.0.0.0:0
	ends 2
	hints '--token-file FILE, or MCPCTL_BRIDGE_TOKEN'
	mcp sim: bridge --listen '[::]:0'
	ends 2
	echo short >token
	mcp sim: bridge --listen 0.0.0.0:0 --token-file token
	ends 2
	hints '5 bytes, of 16 at least'
	MCPCTL_BRIDGE_TOKEN=0123456789abcdef background open mcpctl sim: bridge --listen 0.0.0.0:0
	URL=http://127.0.0.1:$(wait_for open.err 'listening at' | sed 's/.*:\([0-9]*\).*/\1/')
	[[ $(post "$INIT") == *' 401' ]]
	[[ $(post "$INIT" -H 'Authorization: Bearer 0123456789abcdef') == *' 200' ]]
	# A port alone is of this machine.
	background home mcpctl sim: bridge --listen 0
	wait_for home.err 'listening at http://127.0.0.1:[0-9]*/mcp$'
	mcp sim: bridge --allow-host x
	ends 2
	hints "option '--allow-host' is for --listen"
	mcp sim: bridge --listen nonsense:
	ends 2
	bridge
	mcp sim: bridge --listen "${URL#http://}"
	ends 3
}

@test "fifty hosts at once, each with a session and a stream" {
	bridge
	run timeout 120 /usr/bin/python3 "$BATS_TEST_DIRNAME/mcp_hosts.py" "$URL/mcp" 50
	echo "$output"
	[ "$status" = 0 ]
	[[ $output == *'50 hosts, 50 sessions'* ]]
	# As many again, and the first ones are gone.
	echo 0123456789abcdef >token
	bridge --token-file token
	run timeout 120 /usr/bin/python3 "$BATS_TEST_DIRNAME/mcp_hosts.py" "$URL/mcp" 100 0123456789abcdef
	echo "$output"
	[ "$status" = 0 ]
}

@test "boards come: told on the stream, and told again to who missed it" {
	TARGET=()
	serve
	bridge
	begin
	stream one
	device first --device-id aa:bb:cc:00:00:01
	wait_for one.out '^id: 0-1$'
	wait_for one.out '^data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}$'
	kill -9 "${PIDS[-2]}" # the stream
	until_true over "${PIDS[-2]}"
	device second --device-id aa:bb:cc:00:00:02
	until_true listed_twice
	stream two -H 'Last-Event-ID: 0-1'
	wait_for two.out '^id: 0-2$'
	absent '^id: 0-1$' two.out
}

listed_twice() { [ "$(post "$LIST" -H "$SESSION" | grep -o '__get_device_status' | wc -l)" -ge 2 ]; }

@test "one host's end, or its nonsense, touches no other" {
	local dying i
	bridge
	begin
	stream kept
	until_true board_listed
	for i in {1..10}; do
		(
			begin
			stream "dying$i"
			post "$CALL" -H "$SESSION" >/dev/null &
			kill -9 "$LAST"
		) || true
	done
	printf 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9999\r\n\r\n{' >half
	dying=${URL##*:}
	exec {fd}<>"/dev/tcp/127.0.0.1/$dying"
	cat half >&"$fd"
	exec {fd}>&-
	[[ $(post '{"jsonrpc":"2.0","id":1,"method":') == *'-32700'*' 400' ]]
	[[ $(post "[$LIST,$LIST]" -H "$SESSION") == *'-32600'* ]]
	[[ $(head -c 5000000 /dev/zero | tr '\0' x | curl -sS --max-time 30 "$URL/mcp" --data-binary @- -o /dev/null -w '%{http_code}') == 413 ]]
	[[ $(post "$CALL" -H "$SESSION") == *'"id":7,"result":'*' 200' ]]
	[ -e "/proc/$BRIDGE" ]
	grep -q '^:' kept.out
}

@test "stdin and stdout beside the port" {
	mkfifo in
	mcpctl sim: bridge --stdio --listen 127.0.0.1:0 <in >host.out 2>host.err 3>&- &
	PIDS+=($!)
	BRIDGE=$!
	exec {fd}>in
	URL=$(wait_for host.err 'listening at http' | sed 's/.* \(.*\)\/mcp/\1/')
	echo "$INIT" >&"$fd"
	wait_for host.out '^{"jsonrpc":"2.0","id":"i","result":'
	[[ $(post "$INIT") == *' 200' ]]
	exec {fd}>&-
	finish "$BRIDGE" 0
	# Its list of tools may come behind that, and is told of then.
	[ "$(grep -vc list_changed host.out)" = 1 ]
}

@test "--list fails where what was named could not be asked; what settings leave out is said" {
	mcp -t sim: -t nosuch bridge --list
	ends 3
	says sim__audio_speaker_set_volume
	grep -qF "the tools of 1 of 2 targets are not known" stderr
	mcp -d nobody bridge --list
	ends 3
	grep -qF 'no board that fits -d is there' stderr
	mcp --header 'X-Key: s3cret' sim: bridge --print-config claude
	ends 0
	absent s3cret stdout
	hints '--header is left out'
	mcp --env 'X_KEY=s3cret' --proxy 'http://u:s3cret@127.0.0.1:9' --cacert ca.pem sim: bridge --print-config claude
	ends 0
	absent s3cret stdout stderr
	hints '--env is left out'
	hints '--proxy is left out'
	absent --trust stderr
	jq -e '.[].boards.args == ["bridge", "--target=sim:", "--cacert='"$WORK"'/ca.pem"]' <<<"$out"
	mcp --trust sim: bridge --print-config claude
	ends 0
	absent --trust stdout
	hints '--trust is left out'
	mcp bridge --keep-asleep
	ends 2
	mcp bridge --list
	ends 0
}

@test "with -v what is said to a server is shown under its name, to its end" {
	TARGET=(-v -t sim:)
	bridge
	begin
	kill -TERM "$BRIDGE"
	finish "$BRIDGE" 0
	grep -qE '^-> .* sim .*"method":"initialize"' bridge.err
	grep -qE '^-- .* sim closed' bridge.err
}

@test "boards restart while twenty hosts call: each question has its answer in time" {
	local n
	TARGET=(--timeout 8s)
	serve
	for n in 1 2 3; do
		device "board$n" --device-id "aa:bb:cc:00:00:0$n" --fault late-reply=100ms
		eval "BOARD$n=$LAST"
	done
	bridge --rate 1000
	begin
	until_true listed_all
	cat >callers.py <<-'END'
		import http.client, json, sys, threading, time
		from urllib.parse import urlsplit

		url, count, calls = urlsplit(sys.argv[1]), 20, 12
		answers, lock = [], threading.Lock()

		def caller(name):
		    headers = {"Accept": "application/json, text/event-stream"}
		    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=20)

		    def ask(number, method, params):
		        connection.request("POST", url.path, json.dumps({
		            "jsonrpc": "2.0", "id": number, "method": method, "params": params}), headers)
		        answer = connection.getresponse()
		        reply = json.loads(answer.read())
		        assert reply["id"] == number, reply
		        return answer, reply["result"]

		    answer, _ = ask("i", "initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
		                                        "clientInfo": {"name": "h%d" % name, "version": "1"}})
		    headers["Mcp-Session-Id"] = answer.getheader("Mcp-Session-Id")
		    for number in range(calls):
		        # Seven hosts a board: eight calls may wait for one.
		        board = name % 3 + 1
		        begun = time.monotonic()
		        _, result = ask(number, "tools/call", {
		            "name": "00000%d__get_device_status" % board, "arguments": {}})
		        took = time.monotonic() - begun
		        with lock:
		            answers.append((took, bool(result.get("isError")), result["content"][0]["text"]))

		threads = [threading.Thread(target=caller, args=(n,), daemon=True) for n in range(count)]
		for thread in threads:
		    thread.start()
		for thread in threads:
		    thread.join(120)
		print("answers", len(answers), "of", count * calls)
		print("good", sum(not failed and "volume" in text for _, failed, text in answers))
		late = [took for took, _, _ in answers if took > 10]
		odd = [text for _, failed, text in answers if not failed and "volume" not in text]
		sys.exit(len(answers) != count * calls or bool(late) or bool(odd))
	END
	background callers /usr/bin/python3 callers.py "$URL/mcp"
	CALLERS=$LAST
	for n in 1 2 3 1 2 3 1 2 3; do
		eval "kill -9 \$BOARD$n"
		device "board$n" --device-id "aa:bb:cc:00:00:0$n" --fault late-reply=100ms
		eval "BOARD$n=$LAST"
		wait_for "board$n.err" 'connected'
	done
	if over "$CALLERS"; then
		echo 'that was not amid calls' >&2
		return 1
	fi
	finish "$CALLERS" 0
	wait_for callers.out '^answers 240 of 240$'
	[ "$(sed -n 's/^good //p' callers.out)" -ge 120 ]
	[[ $(post "$LIST" -H "$SESSION") == *' 200' ]]
}

listed_all() { [ "$(post "$LIST" -H "$SESSION" | grep -o '__get_device_status"' | wc -l)" -ge 3 ]; }
