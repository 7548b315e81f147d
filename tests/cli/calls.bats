#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# call, describe, tools and their output, against the simulated device.

load helper

@test "piped, a single text item is exactly that text" {
	mcp sim: call self.get_device_status
	ends 0
	jq -e .audio_speaker.volume <<<"$out"
	[ -z "$err" ]
}

@test "an argument is typed by the schema" {
	mcp sim: run -e 'call self.audio_speaker.set_volume volume=12' \
		-e 'call self.get_device_status'
	ends 0
	says '"volume":12'
}

@test "JSON, file and stdin as arguments" {
	echo '{"volume":21}' >args.json
	mcp sim: call self.audio_speaker.set_volume '{"volume":20}'
	ends 0
	mcp sim: call self.audio_speaker.set_volume @args.json
	ends 0
	run mcpctl sim: call self.audio_speaker.set_volume - <args.json
	[ "$status" = 0 ]
	mcp sim: call self.audio_speaker.set_volume volume:=22
	ends 0
}

@test "arguments that do not fit are status 2, name the rule, and nothing is sent" {
	mcp -v sim: call self.audio_speaker.set_volume volume=101
	ends 2
	hints 'volume'
	hints '100'
	absent 'tools/call' stderr
	mcp sim: call self.audio_speaker.set_volume
	ends 2
	hints 'required'
	mcp sim: call self.audio_speaker.set_volume volum=3
	ends 2
	hints "did you mean 'volume'"
	mcp sim: call self.audio_speaker.set_volume volume=loud
	ends 2
}

@test "--no-validate sends as is, without listing first" {
	mcp -v sim: call self.audio_speaker.set_volume --no-validate volume=101
	ends 1
	hints 'Value exceeds maximum allowed: 100'
	absent 'tools/list' stderr
}

@test "errors of firmware before and after the change of error codes" {
	mcp 'sim:esp32?firmware=next' call self.audio_speaker.set_volume \
		--no-validate volume=101
	ends 1
	hints '-32602'
}

@test "--expect: a subset, JSON inside text included" {
	mcp sim: call self.get_device_status \
		--expect '{"content":[{"text":{"audio_speaker":{}}}]}'
	ends 0
	mcp sim: call self.get_device_status --expect '{"isError":true}'
	ends 7
	hints 'isError'
}

@test "an unknown tool is status 2 with the nearest name" {
	mcp sim: call self.audio_speaker.set_volum volume=1
	ends 2
	hints 'self.audio_speaker.set_volume'
}

@test "tools: over all pages, with a count" {
	mcp 'sim:fixtures?fill=40' tools
	ends 0
	[ "$(grep -c '^self\.' stdout)" = 57 ]
	hints '2 pages'
	mcp 'sim:fixtures?fill=40' tools --no-user
	[ "$(grep -c '^self\.' stdout)" = 50 ]
}

@test "tools: 2,000 tools" {
	mcp sim:large tools
	ends 0
	[ "$(wc -l <stdout)" -ge 2000 ]
}

@test "tools WORD and GLOB; nothing found is 7" {
	mcp sim: tools volume
	ends 0
	says set_volume
	mcp sim: tools 'self.screen.*'
	ends 0
	says self.screen.set_theme
	[[ $out != *set_volume* ]]
	mcp sim: tools nothing-like-it
	ends 7
}

@test "tools -o json: MCP's own objects, one a line" {
	mcp -o json sim: tools
	ends 0
	jq -es 'length > 5 and all(.inputSchema.type == "object")' stdout
}

@test "tools -o json is byte for byte what the recording holds" {
	mcp -o json sim:fixtures tools --no-user
	ends 0
	head -n 3 "$ROOT/tests/fixtures/firmware-2.4.2.jsonl" | tail -n 1 |
		jq -r '.recv[0]' >reply
	while IFS= read -r line; do
		grep -qF -- "$line" reply
	done <stdout
}

@test "describe: arguments, example, and what backends do" {
	mcp sim: describe self.audio_speaker.set_volume
	ends 0
	says volume
	says '0'
	says '100'
	says 'self_audio_speaker_set_volume'
	mcp sim: call self.audio_speaker.set_volume --help
	ends 0
	says volume
}

@test "the wrapped image of firmware is unwrapped and saved" {
	mcp sim:fixtures call self.test.image --save picture.png
	ends 0
	[ "$(head -c 4 picture.png | tail -c 3)" = PNG ]
}

@test "broken JSON in an error still says what the device meant" {
	mcp sim:fixtures call self.test.throw
	ends 1
	hints 'said "no"'
	hints 'JSON'
}

@test "ping: status 4 if no answer comes" {
	cat >mute.py <<-'END'
		import json, sys
		for line in sys.stdin:
		    ask = json.loads(line)
		    if ask["method"] == "server/discover":
		        print(json.dumps({"jsonrpc": "2.0", "id": ask["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
		    if ask["method"] == "initialize":
		        print(json.dumps({"jsonrpc": "2.0", "id": ask["id"], "result": {"protocolVersion": "2025-06-18",
		              "capabilities": {}, "serverInfo": {"name": "mute", "version": "1"}}}), flush=True)
	END
	mcp --timeout 300ms ping -- /usr/bin/python3 mute.py
	ends 4
	hints "no reply to 'ping' within 300 ms"
	[ -z "$out" ]
}

@test "ping: an error is a sign of life" {
	mcp sim: ping
	ends 0
	says alive
}

@test "request, notify and send" {
	mcp sim: request tools/list
	ends 0
	says self.get_device_status
	mcp sim: request nope
	ends 1
	hints 'Method not implemented: nope'
	mcp sim: notify notifications/x '{"a":1}'
	ends 0
	mcp sim: send '{"type":"alert","status":"a","message":"b","emotion":"happy"}'
	ends 0
	mcp sim: send '[1]'
	ends 2
}

@test "-o json: errors are one JSON line on stderr" {
	mcp -o json sim: request nope
	ends 1
	jq -e '.error.status == 1' <<<"$err"
	mcp -o json sim: call nope
	ends 2
	jq -e '.error.kind == "usage"' <<<"$err"
}

@test "-o raw: the received bytes" {
	mcp -o raw sim:fixtures call self.test.int
	ends 0
	says '"result":{"content":[{"type":"text","text":"42"}],"isError":false}}'
}

@test "control characters: escaped in text of our own and in JSON, exact in a piped text" {
	mcp 'sim:?fault=control-characters' tools
	absent $'\x1b' stdout stderr
	mcp -o json sim:fixtures call self.test.types flag=true s=$'\e[31mred'
	ends 0
	absent $'\x1b' stdout
	mcp sim:fixtures call self.test.types flag=true s=$'\e[31mred'
	[ "$out" = $'T/10/\e[31mred' ]
}

@test "a full disk is status 8" {
	run bash -c 'mcpctl sim: tools >/dev/full'
	[ "$status" = 8 ]
}

@test "--trace writes a capture: a header, then an event a line" {
	mcp --trace trace.jsonl sim: ping
	ends 0
	jq -es '.[0].capture == 1 and .[0].masked and .[0].as == "client"' trace.jsonl
	jq -es '.[1:] | length >= 4 and all(has("n") and has("t") and has("c") and has("kind"))' trace.jsonl
	jq -es 'map(select(.kind == "text")) | length >= 4 and all(has("from") and has("size") and .leg == "ws")' trace.jsonl
	jq -es 'map(select(.kind == "device").device) == ["02:00:00:00:00:01"]' trace.jsonl
}

@test "send: a request with a text id is never answered, and it says so" {
	mcp sim: send '{"type":"mcp","payload":{"jsonrpc":"2.0","id":"x","method":"ping"}}'
	ends 0
	hints 'no reply will come'
}

@test "take_photo without a vision service says how to give one" {
	background robot mcpctl sim --listen 127.0.0.1:0
	robot=$(wait_for robot.err "ws://" | grep -o "ws://.*")
	mcp "$robot" call self.camera.take_photo question=what
	ends 1
	hints '--vision-url'
	mcp --vision-url http://192.0.2.1/ sim:fixtures call self.camera.take_photo question=what
	ends 0
}

@test "take_photo uploads a picture, and what comes back is the answer" {
	printf 'HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{"success":true}' >answer
	cat >vision.py <<'END'
import socket
s = socket.create_server(("127.0.0.1", 0))
print("port", s.getsockname()[1], flush=True)
c, _ = s.accept()
data = b""
while not data.endswith(b"\r\n0\r\n\r\n"):
    data += c.recv(65536)
open("request", "wb").write(data)
c.sendall(open("answer", "rb").read())
c.recv(1)
END
	background vision /usr/bin/python3 vision.py
	port=$(wait_for vision.out '^port' | cut -d' ' -f2)
	mcp --vision-url "http://127.0.0.1:$port/explain" sim: call self.camera.take_photo question=what
	ends 0
	says '{"success":true}'
	grep -aq '^POST /explain HTTP/1.1' request
	grep -aq 'filename="camera.jpg"' request
	mcp --vision-url http://127.0.0.1:1/ sim: call self.camera.take_photo question=what
	ends 1
	hints 'Failed to connect to explain URL'
}

@test "a reader that had enough, as head, is no cause for words" {
	mcpctl sim:large tools 2>head.err | head -n 1 >head.out
	[ "$(wc -l <head.out)" = 1 ]
	absent 'error' head.err
}

# An HTTP server that refuses all but initialize, and tells with which token;
# sets PORT.
echoing_server() {
	cat >echoing.py <<'END'
import http.server, json

class Echo(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        ask = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        got = self.headers["Authorization"]
        reply = {"jsonrpc": "2.0", "id": ask.get("id")}
        if ask["method"] == "initialize":
            reply["result"] = {"protocolVersion": "2025-06-18", "capabilities": {},
                               "serverInfo": {"name": "echo", "version": "1"}}
        else:
            reply["error"] = {"code": -32000, "message": f"no: {got}",
                              "data": {"authorization": got}}
        body = json.dumps(reply).encode()
        self.send_response(200 if "id" in ask else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) if "id" in ask else 0))
        self.end_headers()
        if "id" in ask:
            self.wfile.write(body)

    def do_GET(self):
        self.send_error(405)

    do_DELETE = do_GET

server = http.server.HTTPServer(("127.0.0.1", 0), Echo)
print("port", server.server_port, flush=True)
server.serve_forever()
END
	background echoing /usr/bin/python3 echoing.py
	PORT=$(wait_for echoing.out '^port' | cut -d' ' -f2)
}

@test "a token that the server echoes in an error is not shown" {
	echoing_server
	export MCPCTL_TOKEN=ENVTOK
	for form in text json; do
		mcp -o "$form" "http://127.0.0.1:$PORT/mcp" request x/y
		ends 1
		hints 'no: Bearer ***'
		absent ENVTOK stdout stderr
	done
	jq -e '.error.peer.data.authorization == "***"' stderr
	for form in junit tap; do
		mcp "http://127.0.0.1:$PORT/mcp" run --report "$form:report" \
			-e "request x/y '{\"password\":\"SECA\"}'"
		ends 1
		grep -q 'no: Bearer \*\*\*' report
		absent ENVTOK report stderr
		absent SECA report stderr
	done
}

@test "info does not show the secrets of its target" {
	echoing_server
	for form in text json; do
		mcp -o "$form" "http://127.0.0.1:$PORT/mcp?token=SECRETQ" info
		ends 0
		says "http://127.0.0.1:$PORT/mcp"
		absent SECRETQ stdout stderr
	done
}

@test "an empty list is an answer, a search in it finds nothing" {
	cat >empty.py <<'END'
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    r = {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}, "prompts": {}, "resources": {}},
         "serverInfo": {"name": "e", "version": "1"}} if m["method"] == "initialize" else {
        m["method"].split("/")[0]: []}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
END
	for what in tools prompts resources; do
		mcp $what -- /usr/bin/python3 empty.py
		ends 0
		hints "the peer lists no $what"
		mcp $what lamp -- /usr/bin/python3 empty.py
		ends 7
		hints "the peer lists no $what"
	done
}

@test "an upgrade of the firmware ends with the connection, and that is no failure" {
	mcp sim: call self.upgrade_firmware url=http://x/
	ends 0
	hints 'its version tells when it is back'
}

@test "an upgrade that is answered has failed; at a board's own port that is not known" {
	cat >fails.json <<-'END'
		{ "brief": "its upgrades fail", "extends": "esp32", "tools": [
		  { "name": "self.upgrade_firmware", "description": "Upgrades.",
		    "arguments": { "url": { "type": "string" } },
		    "result": { "template": "true" } } ] }
	END
	mcp "sim:$PWD/fails.json" call self.upgrade_firmware url=http://x/
	ends 1
	says true
	hints 'the upgrade failed: '
	mcp -o json "sim:$PWD/fails.json" call self.upgrade_firmware url=http://x/
	ends 1
	jq -e '.content[0].text == "true"' <<<"$out"
	jq -e '.error.status == 1' <<<"$err"
	background door mcpctl sim "$PWD/fails.json" --listen 127.0.0.1:0
	url=$(wait_for door.err 'ws://' | sed 's/.*\(ws:[^ ]*\).*/\1/')
	mcp "$url" call --no-validate self.upgrade_firmware url=http://x/
	ends 0
	hints 'what that means is not known'
}

# logging ARG…: mcp with a program that logs and fails behind it.
logging() { mcp "$@" -- /usr/bin/python3 "$BATS_TEST_DIRNAME/logging_server.py"; }

@test "what a server logs below 'warning' is for -v and loglevel" {
	logging call log
	ends 0
	absent 'a (debug|info|notice)' stderr
	hints 'warning: a warning'
	hints 'error: a error'
	# What is no level is nobody's to hide.
	hints 'loud: a loud'
	logging -v call log
	hints 'a debug'
	logging run -e 'loglevel info' -e 'call log'
	hints 'info: a info'
	hints 'notice: a notice'
	absent 'a debug' stderr
	logging -o json call log
	[ "$(grep -c '"event"' stderr)" = 3 ]
}

@test "what a tool says when it fails is printed once" {
	logging call fail
	ends 1
	[ "$out" = 'the pump is dry' ]
	[ "$err" = "error: 'fail' failed (isError): its text is on stdout" ]
	# A report has it all the same, and so has who keeps nothing of stdout.
	logging run -k --report tap:report -e 'call fail' -e 'call fail'
	grep -q 'message: "the pump is dry"' report
	[ "$(grep -c 'pump' stderr)" = 0 ]
	hints "command 2: 'fail' failed"
	run bash -c 'mcpctl call fail -- /usr/bin/python3 "$0" 2>&1 >/dev/null' "$BATS_TEST_DIRNAME/logging_server.py"
	[ "$output" = 'error: the pump is dry' ]
	logging -o json call fail
	hints '"message":"the pump is dry"'
	logging call mute
	hints 'an error without a text'
}

@test "what goes on and on ends when nobody reads it any more" {
	local line
	# Each would go on for long.
	while read -r line; do
		# shellcheck disable=SC2086 # words
		run timeout 60 bash -c "mcpctl sim: $line | head -n 1 >one; exit \${PIPESTATUS[0]}"
		[ "$status" = 8 ] || { echo "$line: $status"; return 1; }
		[ -s one ]
	done <<-'END'
		watch self.get_device_status --every 20ms
		watch self.get_device_status --every 20ms --until false
		ping --count 100000 --interval 20ms
		call self.get_device_status --repeat 1000000
		watch self.get_device_status --every 10m
	END
	# Also where nothing comes any more that could not be written.
	serve
	device board
	event ready '"device":"02:00:00:00:00:01"'
	for line in 'devices --watch' '-o json devices --watch'; do
		# shellcheck disable=SC2086 # words
		run timeout 60 bash -c "mcpctl $line | head -n 1 >one; exit \${PIPESTATUS[0]}"
		[ "$status" = 8 ] || { echo "$line: $status"; return 1; }
		[ -z "$output" ]
		[ -s one ]
	done
	for line in tail '--all tail'; do
		run timeout 60 bash -c "mcpctl $line | true; exit \${PIPESTATUS[0]}"
		[ "$status" = 8 ] || { echo "$line: $status"; return 1; }
	done
}

@test "a result that is no object is shown, and status 5" {
	local result type
	while read -r result type; do
		mcp -o raw "$(answers "'tools/call=$result'")" call a
		ends 5
		says "\"result\": $result}"
		hints "the tool's result is of type $type, and no object"
	done <<-'END'
		null null
		[] array
		"x" string
	END
}

@test "an error beside a result: nothing is said of an empty one" {
	mcp "$(answers both "'tools/call={\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}'")" call a
	ends 1
	hints 'error 1: no'
	absent 'empty result' stderr
}

@test "a limit on the size of files is a disk that is full, and kills nothing" {
	run bash -c 'ulimit -f 1; exec mcpctl -o json sim: tools 2>&1 >limited.out'
	[ "$status" = 8 ]
	[[ "$output" == *'output could not be written: File too large'* ]]
	run bash -c 'ulimit -f 1; exec mcpctl --trace limited.jsonl sim: -e tools -e ping 2>&1'
	[ "$status" = 8 ]
	[[ "$output" == *'alive'*"'limited.jsonl'"* ]]
}
