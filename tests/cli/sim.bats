#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The simulated device as a program of its own: dialling, listening, many, profiles.

load helper

@test "sim --listen is a WebSocket MCP server at /ws" {
	background sim mcpctl sim --listen 127.0.0.1:0 --for 120s
	url=$(wait_for sim.err 'ws://' | sed 's/.*\(ws:[^ ]*\).*/\1/')
	mcp "$url" call self.audio_speaker.set_volume volume=31
	ends 0
	mcp --envelope device "$url" call self.get_device_status
	says '"volume":31'
	mcp "${url%/ws}/other" ping
	ends 3
	# A restart takes all connections with it, and none of what is stored.
	mcp "$url" call self.reboot
	ends 0
	hints 'the device restarted'
	wait_for sim.err 'connections dropped by the device'
	mcp "$url" call self.get_device_status
	ends 0
	says '"volume":31'
	[ "$(grep -c 'tools are being listed' sim.err)" = 2 ]
	[ "$(grep -c 'called: self.get_device_status' sim.err)" = 2 ]
}

@test "sim --listen: each client is judged by itself" {
	background sim mcpctl sim --listen 127.0.0.1:0 --for 120s
	url=$(wait_for sim.err 'ws://' | sed 's/.*\(ws:[^ ]*\).*/\1/')
	for _ in one two three; do
		mcp "$url" tools
		ends 0
	done
	kill -INT "$LAST"
	wait_for sim.out '^findings  *none'
	grep -q '^connected  *3' sim.out
	grep -q '^listed  *1;' sim.out
}

@test "OTA answered, and what it names did not: both are said" {
	cat >ota.py <<-'END'
		import http.server
		class Ota(http.server.BaseHTTPRequestHandler):
		    def do_POST(self):
		        found = self.path == "/ota/"
		        body = b'{"websocket":{"url":"ws://127.0.0.1:1/x"}}'
		        if "bare" in self.path:
		            found, body = True, b'{"websocket":{}}'
		        self.rfile.read(int(self.headers["Content-Length"]))
		        self.send_response(200 if found else 404)
		        self.send_header("Content-Length", str(len(body)))
		        self.end_headers()
		        self.wfile.write(body)
		server = http.server.HTTPServer(("127.0.0.1", 0), Ota)
		print("port", server.server_address[1], flush=True)
		server.serve_forever()
	END
	background ota /usr/bin/python3 ota.py
	ota=http://127.0.0.1:$(wait_for ota.out '^port' | cut -d' ' -f2)/ota/
	mcp sim --ota "$ota"
	ends 3
	hints "OTA at '$ota' answered, and 'ws://127.0.0.1:1/x' did not let the device in: connection refused"
	hints 'stands in the OTA reply'
	absent 'is the backend running' stderr
	mcp sim --connect ws://127.0.0.1:1/
	ends 3
	hints 'is the backend running'
	# It runs: its answer names the cause.
	mcp sim --ota "${ota%ota/}other"
	ends 3
	hints '404'
	absent 'is the backend running' stderr
	mcp sim --ota "${ota%ota/}bare"
	ends 3
	hints "OTA at '${ota%ota/}bare' answered, and leads nowhere"
	absent 'error: not connected' stderr
}

@test "who takes the connection and says nothing of TLS: told after 10 s" {
	background silent /usr/bin/python3 -c 'import socket, time
s = socket.create_server(("127.0.0.1", 0))
print("port", s.getsockname()[1], flush=True)
time.sleep(100)'
	mcp sim --connect "wss://127.0.0.1:$(wait_for silent.out '^port' | cut -d' ' -f2)/"
	ends 3
	hints 'no TLS handshake within 10 s'
	hints 'does it speak TLS there?'
}

@test "a port in use, and one that is no port" {
	background sim mcpctl sim --listen 127.0.0.1:0 --for 120s
	taken=$(wait_for sim.err 'ws://' | sed 's/.*:\([0-9]*\).*/\1/')
	mcp sim --listen "127.0.0.1:$taken"
	ends 3
	hints 'in use'
	[ -z "$out" ]
	mcp sim --listen nope:port
	ends 2
}

@test "nobody listens: status 3, and the summary all the same" {
	mcp sim --connect ws://127.0.0.1:1/
	ends 3
	hints 'refused'
	says 'connected    0, refused 1'
	mcp -o json sim --connect ws://127.0.0.1:1/
	ends 3
	[ "$(jq -c '[.devices, .dialled, .refused, .welcome_ms]' <<<"$out")" = '[1,0,1,null]' ]
}

@test "a refusal in words, in place of the server hello" {
	backend denies
	mcp sim --connect "ws://127.0.0.1:$BACKEND/"
	ends 6
	hints 'said no hello in time; it said: 认证失败'
	hints 'MCPCTL_SIM_TOKEN'
	backend errs
	mcp sim --connect "ws://127.0.0.1:$BACKEND/"
	ends 3
	hints 'the backend says: no such \x1b[31mboard'
	hints 'said no hello in time; it said: no such \x1b[31mboard'
}

@test "the token of a file or of the environment" {
	printf 'secret\n' >token
	MCPCTL_TOKEN=secret listener l --wait 60 listen:127.0.0.1:0 ping
	mcp sim --connect "ws://127.0.0.1:$PORT/xiaozhi/v1/"
	ends 6
	hints 401
	mcp sim --connect "ws://127.0.0.1:$PORT/xiaozhi/v1/" --token-file token
	ends 0
	finish "$LISTENER" 0
	MCPCTL_TOKEN=secret listener l --wait 60 listen:127.0.0.1:0 ping
	MCPCTL_SIM_TOKEN=secret mcp sim --connect "ws://127.0.0.1:$PORT/xiaozhi/v1/"
	ends 0
	finish "$LISTENER" 0
}

@test "twenty devices with ids of their own, and what is found of a sloppy backend" {
	backend sloppy
	mcp -o json sim --connect "ws://127.0.0.1:$BACKEND/" --devices 20 --rate 200/s
	ends 0
	[ "$(jq -c '[.devices, .dialled, .welcomed, .initialized, .listed, .calls, .closed]' \
		<<<"$out")" = '[20,20,20,20,20,20,20]' ]
	[ "$(jq .welcome_ms.p50 <<<"$out")" -ge 0 ]
	[ "$(sort -u backend.out | grep -c '^device 02:')" = 20 ]
	[ "$(jq -r '[.findings[] | select(.connections == 20) | .code] | join(" ")' \
		<<<"$out")" = 'B201 B214 B211 B212 B222 B233' ]
	jq -e '.findings[] | select(.code == "B211") | .detail == "it has none" and
		.severity == "note" and .title == "the envelope has another session_id, or none"' \
		<<<"$out"
}

@test "a careful backend: nothing is found" {
	backend careful
	mcp sim --connect "ws://127.0.0.1:$BACKEND/"
	ends 0
	says 'findings     none'
}

@test "the summary counts what came, was answered, refused and lost" {
	backend looping
	mcp sim --connect "ws://127.0.0.1:$BACKEND/" --fill 100
	ends 0
	[ "$(sed -E 's/ after [0-9]+ ms( \(p50\), [0-9]+ ms \(p99\))?$/ after MS/
		s/ after [0-9]+\.[0-9] ms( \(p50\), [0-9]+\.[0-9] ms \(p99\))?$/ after US/' stdout | head -n 8)" = \
		'devices      1
connected    1, refused 0
welcomed     1  after MS
initialized  1
listed       1; to the last page: 0
requests     103: answered 101, refused 1, unanswered 1
calls        2: answered 0, refused 1, unanswered 1
answers      after US' ]
	grep -qE '^never listed (self\.fill\.t[0-9]+ \(1\), ){7}self\.fill\.t[0-9]+ \(1\) and [0-9]+ more$' stdout
	grep -qx 'closed       1' stdout
	absent '^(first call|audio) ' stdout
	says 'listed       1; to the last page: 0'
	says 'requests     103: answered 101, refused 1, unanswered 1'
	says 'calls        2: answered 0, refused 1, unanswered 1'
	says 'never listed self.fill.'
	says 'no reply to  self.get_device_status (1)'
	says 'B231 error  the same page is asked for again: cursor "self.fill.t001"  1 connection, 99 times'
	# What never was a call's duration is not told as one.
	absent 'calls .* after' <(printf '%s' "$out")
	mcp -o json sim --connect "ws://127.0.0.1:$BACKEND/" --fill 100
	jq -e '[.devices, .dialled, .refused, .welcomed, .initialized, .listed, .listed_whole, .calls, .closed] ==
			[1, 1, 0, 1, 1, 1, 0, 0, 1] and
		.requests == {came: 103, answered: 101, refused: 1, unanswered: 1} and
		.first_call_ms == null and .welcome_ms.p50 <= .welcome_ms.p99 and
		.audio == {sent: 0, received: 0, broken: 0, repeated: 0, lost: 0} and
		all(.lost_tools[]; .connections == 1 and (.name | startswith("self.fill.t")))' <<<"$out"
	[ "$(jq -c '.tool_calls' <<<"$out")" = '{"came":2,"answered":0,"refused":1,"unanswered":1}' ]
	[ "$(jq -c '.lost_replies' <<<"$out")" = '[{"name":"self.get_device_status","times":1}]' ]
	jq -e '.answer_us.p50 >= 0 and (.lost_tools | length) > 20' <<<"$out"
	jq -e '.findings[] | select(.code == "B231" and .times == 99 and .connections == 1 and (.fatal | not))' <<<"$out"
}

@test "the summary tells what came of the sound" {
	backend clipped
	mcp sim --connect "ws://127.0.0.1:$BACKEND/" --frame-version 3
	ends 0
	grep -qx 'audio        0 frames sent, 2 received' stdout
	says 'B263 error  a binary frame is shorter than its head says: 1 bytes  1 connection, 1 time'
	mcp -o json sim --connect "ws://127.0.0.1:$BACKEND/" --frame-version 3
	ends 0
	[ "$(jq -c .audio <<<"$out")" = '{"sent":0,"received":2,"broken":0,"repeated":0,"lost":0}' ]
}

@test "nobody welcomed, a board that dies, what was expected: the status says so" {
	backend mute
	mcp sim --connect "ws://127.0.0.1:$BACKEND/"
	ends 3
	hints 'welcomed 0'
	backend crashing
	mcp sim --connect "ws://127.0.0.1:$BACKEND/"
	ends 7
	hints "a real board does not survive this backend: the server hello has no transport"
	backend sloppy
	mcp sim --connect "ws://127.0.0.1:$BACKEND/" --expect-calls 1 --expect-listed
	ends 0
	grep -qE '^first call   [0-9]+ ms after dialling$' stdout
	grep -qx 'calls        1: answered 1, refused 0, unanswered 0' stdout
	mcp sim --connect "ws://127.0.0.1:$BACKEND/" --devices 2 --rate 6000/m
	ends 0
	hints 'device 2: connected as 02:00:00:00:00:02'
	absent '^device 3' stderr
	mcp sim --connect "ws://127.0.0.1:$BACKEND/" --expect-calls 2
	ends 7
	hints 'answered with a result: 1, expected 2 (1 came)'
	mcp sim --connect "ws://127.0.0.1:$BACKEND/" --expect-listed --fill 100
	ends 7
	hints 'the tools of 0 of 1 devices were listed'
	mcp sim --connect "ws://127.0.0.1:$BACKEND/" --expect-no-hazards
	ends 7
	hints 'none was expected'
	backend careful
	mcp sim --connect "ws://127.0.0.1:$BACKEND/" --expect-no-hazards --expect-listed
	ends 0
}

@test "what is found: a line as it comes, -q, -v, -o json, --findings, --fail-on" {
	backend sloppy
	mcp --findings f.jsonl sim --connect "ws://127.0.0.1:$BACKEND/"
	ends 0
	hints '! B201 error  initialize came before the server hello: '
	hints '! B214 warning  a request id is used again: id 1 was tools/list, answered'
	absent B211 stderr
	says 'findings     B201 error  '
	says '             B211 note  the envelope has another session_id, or none: it has none  1 connection, 1 time'
	[ "$(jq -r '.device + " " + .code' f.jsonl | sort -u | head -n 1)" = '02:00:00:00:00:01 B201' ]
	jq -e 'select(.code == "B214") | .severity == "warning" and
		.evidence[0].from == "backend" and .evidence[0].leg == "ws"' <(grep B214 f.jsonl)
	mcp -q sim --connect "ws://127.0.0.1:$BACKEND/"
	hints B201
	absent B214 stderr
	mcp -v sim --connect "ws://127.0.0.1:$BACKEND/"
	hints '! B211 note  '
	mcp -o json sim --connect "ws://127.0.0.1:$BACKEND/" --devices 2
	[ "$(grep -h '"finding"' stderr | jq -r '.finding | select(.code == "B201") | .device' |
		sort | tr '\n' ' ')" = '02:00:00:00:00:01 02:00:00:00:00:02 ' ]
	mcp sim --connect "ws://127.0.0.1:$BACKEND/" --devices 2
	hints '! B201 error  02:00:00:00:00:02: initialize came'
	grep -q 'B201 error  .*  2 connections, 2 times' stdout
	for severity in error warning note; do
		mcp sim --connect "ws://127.0.0.1:$BACKEND/" --fail-on "$severity"
		ends 7
		hints 'found: B201 error  initialize came'
		hints 'mcpctl explain B201'
	done
	backend orderly
	mcp sim --connect "ws://127.0.0.1:$BACKEND/" --fail-on warning
	ends 0
	mcp sim --connect "ws://127.0.0.1:$BACKEND/" --fail-on note
	ends 7
	hints 'found: B223 note  ping is used'
	mcp sim --connect "ws://127.0.0.1:$BACKEND/" --fail-on all
	ends 2
	# What its own fault makes it say is told, and is not of the backend.
	backend careful
	mcp sim --connect "ws://127.0.0.1:$BACKEND/" --fault no-features --expect-no-hazards
	ends 0
	hints '! D101 error  the device does not offer MCP'
	mcp sim --connect "ws://127.0.0.1:$BACKEND/" --fault no-features --fail-on error
	ends 7
}

# Profiles of devices; the others are services.
device_profiles() {
	local file
	for file in "$BATS_TEST_DIRNAME"/../../src/sim/profiles/*.json; do
		jq -e '.kind == "service"' "$file" >/dev/null || basename "$file" .json
	done
}

is_ready() { mcpctl devices -o json | grep -q ready; }

@test "every profile with serve, listen: and its own port: nothing is found above a note" {
	local profile
	[ "$(device_profiles | wc -l)" -ge 4 ]
	for profile in $(device_profiles); do
		serve
		background sim mcpctl sim "$profile" --ota "$OTA" --fail-on warning
		SIM=$LAST
		until_true is_ready
		mcp tools
		ends 0
		mcp call self.get_device_status
		ends 0
		kill "$SERVER"
		finish "$SERVER" 143
		finish "$SIM" 0
		grep -q '^calls  *1: answered 1' sim.out
		absent '^! ' sim.err
		listener l --wait 60 listen:127.0.0.1:0 tools
		mcp sim "$profile" --ota "$OTA" --fail-on warning
		ends 0
		absent '^! ' stderr
		finish "$LISTENER" 0
		background sim mcpctl sim "$profile" --listen 127.0.0.1:0 --for 120s
		url=$(wait_for sim.err 'ws://' | sed 's/.*\(ws:[^ ]*\).*/\1/')
		mcp "$url" tools
		ends 0
		kill -INT "$LAST"
		wait_for sim.out '^findings'
		absent ' (error|warning)  ' sim.out
	done
}

@test "-v shows every frame of a device, --trace keeps it; of a service, too" {
	backend sloppy
	mcp -v --trace t.jsonl sim --connect "ws://127.0.0.1:$BACKEND/"
	ends 0
	hints ' B {"type":"hello"'
	hints '"method": "tools/list"'
	[ "$(jq -rs '[.[] | select(.from == "device") | .text | fromjson | .type] | join(" ")' \
		t.jsonl)" = 'hello listen mcp mcp mcp' ]
	[ "$(jq -rs '.[1:] | map(.kind) | unique | join(" ")' t.jsonl)" = 'device end finding open text' ]
	mcp -v sim --connect "ws://127.0.0.1:$BACKEND/" --devices 2
	hints ' 02:00:00:00:00:02 181 B {"type":"hello"'
	listener l --wait 60 listen:127.0.0.1:0 ping
	mcp -v sim --ota "$OTA"
	hints '"mac_address":"02:00:00:00:00:01"'
	hints ' B {"websocket":{"url"'
	background sim mcpctl -v --trace door.jsonl sim --listen 127.0.0.1:0 --for 120s
	url=$(wait_for sim.err 'ws://' | sed 's/.*\(ws:[^ ]*\).*/\1/')
	mcp "$url" ping
	wait_for sim.err '-> .*not implemented: ping'
	wait_for door.jsonl '"from":"backend".*ping'
	background sim mcpctl -v --trace llm.jsonl sim llm --listen 127.0.0.1:0 --for 120s
	url=$(wait_for sim.err 'http://' | sed 's/.*\(http:[^ ]*\).*/\1/')
	mcp "$url" tools
	ends 0
	wait_for sim.err '<- .*"tools/list"'
	wait_for llm.jsonl '"from":"device".*inputSchema'
	mcp --trace /nowhere/t sim --connect "ws://127.0.0.1:$BACKEND/"
	ends 8
}

@test "firmware 2.5.0, also called next: codes, no crash on a hello, the asker alone" {
	for version in 2.5.0 next; do
		mcp -o raw "sim:esp32?firmware=$version" call --no-validate \
			self.audio_speaker.set_volume volume=101
		ends 1
		[[ $out$err == *"Property 'volume': value 101 exceeds maximum 100"* ]]
		mcp "sim:esp32?firmware=$version" info
		says 'pretend-esp32s3 2.5.0'
	done
	mcp 'sim:?firmware=2.6' info
	ends 2
	hints '2.4.2 or 2.5.0'
	backend forgetful
	mcp sim --connect "ws://127.0.0.1:$BACKEND/" --firmware 2.5.0
	ends 0
	hints "the server hello was ignored: it has no 'transport'"
	hints 'notifies: plays http://h/a.mp3, 1 subtitles'
	says 'welcomed     1'
	backend crashing
	mcp sim --connect "ws://127.0.0.1:$BACKEND/" --firmware 2.5.0 --for 300ms
	ends 3
	hints "welcomed 0: the server hello has no transport"
	absent 'never said hello' stderr
	background sim mcpctl sim --listen 127.0.0.1:0 --firmware 2.5.0 --for 120s
	url=$(wait_for sim.err 'ws://' | sed 's/.*\(ws:[^ ]*\).*/\1/')
	background other mcpctl -v --no-init "$url" tail --for 60s
	wait_for sim.err 'connected:'
	mcp "$url" ping
	ends 0
	absent 'not implemented' other.err
}

@test "--wake word: two packets of sound, what was heard, then listening" {
	backend silent
	mcp --trace t.jsonl sim --connect "ws://127.0.0.1:$BACKEND/" --wake word --for 3s
	ends 0
	[ "$(jq -rs '[.[] | select(.from == "device" and (.kind == "text" or .kind == "binary")) |
		if .kind == "text" then (.text | fromjson | .state // .type) else .kind end] |
		join(" ")' t.jsonl)" = 'hello binary binary detect start' ]
	mcp sim --listen 127.0.0.1:0 --wake word
	ends 2
}

# An OTA address over TLS, which answers with its argument.
ota_over_tls() {
	cat >ota.py <<'END'
import ssl, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = self.rfile.read(int(self.headers["Content-Length"]))
        print(asked.decode(), flush=True)
        body = sys.argv[1].encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = HTTPServer(("127.0.0.1", 0), Handler)
tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.load_cert_chain("server.pem", "server.key")
server.socket = tls.wrap_socket(server.socket, server_side=True)
print("port", server.server_port, flush=True)
server.serve_forever()
END
	background ota /usr/bin/python3 ota.py "$1"
	OTA_PORT=$(wait_for ota.out '^port' | cut -d' ' -f2)
}

@test "TLS: OTA and WebSocket, verified as a board does; --cacert, --insecure" {
	certificates
	backend careful server.pem server.key
	mcp sim --connect "wss://localhost:$BACKEND/"
	ends 3
	hints "TLS with 'localhost' failed"
	hints '--cacert'
	says 'connected    0, refused 1'
	mcp --cacert ca.pem sim --connect "wss://localhost:$BACKEND/" --expect-listed
	ends 0
	mcp --insecure sim --connect "wss://localhost:$BACKEND/" --expect-listed
	ends 0
	ota_over_tls "{\"websocket\":{\"url\":\"wss://localhost:$BACKEND/\",\"token\":\"\"}}"
	mcp --cacert ca.pem sim --ota "https://localhost:$OTA_PORT/" --expect-listed
	ends 0
	says 'findings     none'
	# As firmware: the type of the board is the name it was built under.
	[ "$(grep '^{' ota.out | jq -r '.board.type == .board.name')" = true ]
	mcp sim --ota "https://localhost:$OTA_PORT/"
	ends 3
	hints 'OTA: TLS with'
	backend careful
	mcp --insecure sim --connect "wss://localhost:$BACKEND/"
	ends 3
	hints 'TLS'
	mcp --cacert none.pem sim --connect "wss://localhost:$BACKEND/"
	[ "$status" != 0 ]
	hints none.pem
}

@test "--for ends it, Ctrl-C too, with the summary" {
	backend silent
	mcp sim --connect "ws://127.0.0.1:$BACKEND/" --for 3s
	ends 0
	says 'connected    1'
	background sim mcpctl sim --connect "ws://127.0.0.1:$BACKEND/"
	wait_for sim.err connected
	kill -INT "$LAST"
	finish "$LAST" 130
	grep -q 'connected    1' sim.out
}

@test "a profile of one's own, over another" {
	mkdir -p "$XDG_CONFIG_HOME/mcpctl/profiles"
	cat >"$XDG_CONFIG_HOME/mcpctl/profiles/lamp.json" <<-'EOF'
	{
	  "brief": "a lamp", "extends": "esp32", "board": "lamp-board",
	  "state": { "on": false },
	  "remove": [ "self.screen.*" ],
	  "tools": [
	    { "name": "self.lamp.set", "description": "Switches the lamp.",
	      "arguments": { "on": { "type": "boolean" } },
	      "result": { "set": { "on": "${on}" } } },
	    { "name": "self.lamp.get", "description": "Tells if it is on.",
	      "result": { "template": "the lamp is ${state.on?on:off}" } }
	  ]
	}
	EOF
	mcp sim:lamp run -e 'call self.lamp.get' -e 'call self.lamp.set on=true' \
		-e 'call self.lamp.get'
	ends 0
	[ "$out" = $'the lamp is off\ntrue\nthe lamp is on' ]
	mcp help profile
	says 'a lamp'
	mcp sim:lmap ping
	ends 2
	hints "did you mean 'lamp'?"
}

@test "extends: a path, too, is looked for beside the file first" {
	mkdir w
	printf '{ "tools": [ { "name": "where", "result": "beside" } ] }' >w/base2.json
	for name in base2 base2.json ./base2.json; do
		printf '{ "extends": "%s" }' "$name" >w/ext.json
		mcp sim:./w/ext.json call where
		ends 0
		says beside
		mcp sim:w/ext.json call where
		ends 0
		(cd w && mcp sim:ext.json call where && ends 0 && says beside)
	done
	printf '{ "extends": "none.json" }' >w/ext.json
	mcp sim:w/ext.json tools
	ends 2
	hints "cannot read the profile 'none.json': No such file"
	hints 'looked for in w, beside the file that extends it, and from the current folder'
	mcp sim:none.json tools
	ends 2
	hints "cannot read the profile 'none.json': No such file"
}

@test "a profile with a mistake: which file, where, what is expected" {
	printf '{\n "tools": [ { "name": "x", "rseult": 1 } ] }' >bad.json
	mcp sim:./bad.json ping
	ends 2
	hints "profile './bad.json', tools[0]: a tool has no member 'rseult' (did you mean 'result'?)"
	printf '{\n "tools": [,] }' >bad.json
	mcp sim:bad.json ping
	ends 2
	hints 'line 2, column'
}

@test "wrong options" {
	mcp sim
	ends 2
	hints '--connect, --ota or --listen'
	mcp sim --connect ws://h/ --ota http://h/
	ends 2
	mcp sim --connect ws://h/ --rate fast
	ends 2
	hints 50/s
	mcp sim --connect ws://h/ --devices 10001
	ends 2
	# What it would not heed is not taken.
	mcp sim --listen 127.0.0.1:0 --reconnect
	ends 2
	hints "option '--reconnect' is for devices that dial"
	mcp sim --connect ws://h/ --allow-host h
	ends 2
	hints 'with --listen'
	mcp sim --connect ws://h/ --timeout 5s
	ends 2
	hints "'sim' has no use for option '--timeout'"
}

@test "of many boards 200 lines are shown, and -v shows all" {
	mcp sim --connect ws://127.0.0.1:1/ --devices 150
	ends 3
	[ "$(grep -c '^device ' stderr)" = 200 ]
	[ "$(grep -c '^further lines are left out; -v shows all$' stderr)" = 1 ]
	mcp -v sim --connect ws://127.0.0.1:1/ --devices 150
	ends 3
	[ "$(grep -c '^device ' stderr)" = 300 ]
	absent 'further lines' stderr
	mcp sim --connect ws://127.0.0.1:1/ --devices 100
	ends 3
	[ "$(grep -c '^device ' stderr)" = 200 ]
	absent 'further lines' stderr
}
