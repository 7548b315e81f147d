#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Silence has layers: after a time-out the layer that is silent is named, over
# each way to a board, and ping measures them.

load helper

# silent FAULT TIME COMMAND…: a board with that fault dials in to the command.
silent() {
	local fault=$1 time=$2
	shift 2
	listener l --timeout "$time" --findings found.json listen:127.0.0.1:0 "$@"
	device board ${fault:+--fault "$fault"}
	finish "$LISTENER" 4
	err=$(cat l.err)
	# shellcheck disable=SC2034 # of helper.bash
	out=$(cat l.out)
}

# behind FAULT TIME COMMAND…: the same through serve.
behind() {
	local fault=$1 time=$2
	shift 2
	serve
	device board ${fault:+--fault "$fault"}
	event ready
	mcp --timeout "$time" --findings found.json "$@"
	ends 4
}

# fits: the error and what follows are at most 6 lines of 80 columns.
fits() {
	local said
	said=$(sed -n '/^error:/,$p' <<<"$err")
	[ "$(wc -l <<<"$said")" -le 6 ]
	! grep -E '.{81}' <<<"$said"
}

found() { grep -q "\"code\":\"$1\"" found.json; }

status_call=(call self.get_device_status)

needs_filter() { # to drop packets, as if the power went
	/usr/bin/python3 - <<-'END' || skip "this kernel lets only root drop packets"
		import ctypes, socket, struct
		drop = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0))
		program = struct.pack("HL", 1, ctypes.addressof(drop))
		socket.socket().setsockopt(socket.SOL_SOCKET, 26, program)
	END
}

@test "the main loop is busy: the tool is still running (D132)" {
	silent busy-loop 1s "${status_call[@]}"
	hints "no reply to 'tools/call self.get_device_status' within 1 s"
	grep -qE '^  tcp   acknowledged, round trip ' <<<"$err"
	grep -qE '^  ws    pong after ' <<<"$err"
	grep -qE '^  loop  silent for 1' <<<"$err"
	hints '  D132  the tool is still running: the main loop is busy'
	fits
	found D132
	absent '^! D132' l.err
}

@test "a tool that ended without an answer (D121)" {
	silent no-reply 500ms "${status_call[@]}"
	grep -qE '^  loop  answers after ' <<<"$err"
	hints '  D121  its answer seems lost: above 65535 B'
	fits
	found D121
}

@test "the network task hangs (D133)" {
	silent hang 1s "${status_call[@]}"
	grep -qE '^  tcp   acknowledged' <<<"$err"
	grep -qE '^  ws    silent for 1' <<<"$err"
	grep -qE '^  loop  silent for 1' <<<"$err"
	hints '  D133  '
	fits
	found D133
}

@test "a board that was stopped looks the same" {
	serve
	device board
	event ready
	kill -STOP "$DEVICE"
	until_true in_state T "$DEVICE"
	mcp --timeout 1s "${status_call[@]}"
	kill -CONT "$DEVICE"
	ends 4
	hints '  D133  '
}

@test "half open: the board is gone (N120)" {
	needs_filter
	silent half-open 3500ms "${status_call[@]}"
	grep -qE '^  tcp   [0-9]+ B unacknowledged for [0-9.]+ s, [0-9]+ retransmissions' <<<"$err"
	hints '  N120  the board or its Wi-Fi is gone, TCP was never closed'
	fits
	found N120
}

@test "half open, asked too early: it is said that this is not known" {
	needs_filter
	silent half-open 500ms "${status_call[@]}"
	hints '  so    nothing is acknowledged, and it is too early to tell why'
	[ ! -s found.json ]
	absent '^! ' l.err
}

@test "through serve: its own connection is asked" {
	behind busy-loop 1s "${status_call[@]}"
	grep -qE '^  tcp   acknowledged.*\(serve.s connection\)' <<<"$err"
	grep -qE '^  ws    pong after ' <<<"$err"
	hints '  D132  the tool is still running'
	fits
	found D132
}
@test "through serve: an answer was lost" {
	behind no-reply 500ms "${status_call[@]}"
	hints '  D121  '
	fits
}
@test "through serve: the network task hangs" {
	behind hang 1s "${status_call[@]}"
	grep -qE '^  ws    silent for 1' <<<"$err"
	hints '  D133  '
	fits
}
@test "through serve: half open" {
	needs_filter
	behind half-open 3500ms "${status_call[@]}"
	hints '  N120  the board or its Wi-Fi is gone'
	fits
}
@test "through serve: the id came back changed" {
	behind wrong-id 500ms "${status_call[@]}"
	hints '  D116  a reply came whose id no call has'
	found D116
}

@test "the id came back changed (D116), found once" {
	silent wrong-id 500ms "${status_call[@]}"
	hints '  D116  a reply came whose id no call has'
	[ "$(grep -c '"code":"D116"' found.json)" = 1 ]
	fits
}

@test "a reply that comes while the layers are asked: it was late" {
	silent late-reply=700ms 500ms "${status_call[@]}"
	hints '  so    the reply came '
	hints '--timeout waits longer'
	absent '"code":"D121"' found.json
}

@test "over MQTT TCP leads to the broker, and a board has no Ping" {
	MQTT=$(free_port)
	serve "--mqtt=$MQTT"
	event broker 'connected to the broker'
	background board mcpctl sim --fault busy-loop --connect \
		"mqtt://127.0.0.1:$MQTT/GID_test@@@02_00_00_00_00_01@@@9af7e7c8-8d4b-4f9e-9f0e-3c0a1b2c3d4e"
	event ready
	mcp --timeout 1s "${status_call[@]}"
	ends 4
	hints '(the broker, not the board)'
	absent '^  ws ' stderr
	hints '  so    the board is gone or busy with a tool, or the broker passes nothing on'
}

@test "in-process there is the loop alone" {
	mcp --timeout 500ms 'sim:?fault=no-reply' "${status_call[@]}"
	ends 4
	absent '^  (tcp|ws) ' stderr
	hints '  loop  answers after '
	hints '  D121  '
}

@test "-o json: the layers as members of the error, the finding as an event" {
	mcp -o json --timeout 500ms 'sim:?fault=no-reply' "${status_call[@]}"
	ends 4
	grep '"error":' stderr | jq -e '.error.ladder | .verdict == "D121" and
		.waited_ms >= 500 and .ping == false and .ws == null and
		.loop.took_us > 0 and (.words | length) > 10'
	grep -q '"finding":{"code":"D121"' stderr
}

@test "a server that is no board is sent no unknown method" {
	mcp --timeout 500ms --no-init call x --no-validate -- sleep 60
	ends 4
	absent '^  (tcp|ws|loop) ' stderr
}

@test "a server that works on several requests at once: none is called lost" {
	cat >busy.py <<-'END'
		import json, sys
		answers = {"initialize": {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {"name": "a", "version": "1"}},
		           "tools/list": {"tools": [{"name": "slow", "inputSchema": {"type": "object"}}]}, "ping": {}}
		for line in sys.stdin:
		    m = json.loads(line)
		    if m["method"] in answers:
		        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": answers[m["method"]]}), flush=True)
	END
	in_time 500ms 'call slow' "stdio:/usr/bin/python3 busy.py"
	ends 4
	hints '  so    the server answers others: it works on this, or has lost it'
	absent D121 stderr
}

@test "over HTTP there is the connection of the request" {
	background http /usr/bin/python3 -u -c 'import http.server, json, time
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        m = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if m["method"] == "tools/call":
            time.sleep(60)
        r = {"protocolVersion": "2025-03-26", "capabilities": {"tools": {}}, "serverInfo": {"name": "a", "version": "1"},
             "tools": [{"name": "slow", "inputSchema": {"type": "object"}}]}
        body = json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}).encode() if "id" in m else b""
        self.send_response(200 if body else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
print("port", s.server_address[1])
s.serve_forever()'
	mcp --timeout 500ms "http://127.0.0.1:$(wait_for http.out '^port ' | tr -dc 0-9)/mcp" call slow
	ends 4
	hints '  tcp   acknowledged, round trip '
}

@test "ping shows the layers that there are" {
	mcp sim: ping
	ends 0
	says 'alive, '
	listener l listen:127.0.0.1:0 ping
	device board
	finish "$LISTENER" 0
	grep -qE '^alive: tcp [0-9.]+, ws [0-9.]+, loop [0-9.]+ ms$' l.out
	serve
	device board
	event ready
	mcp ping
	ends 0
	grep -qE '^alive: tcp [0-9.]+, ws [0-9.]+, loop [0-9.]+ ms$' stdout
	mcp -o json ping
	jq -e '.alive and .took_us > 0 and .tcp_us > 0 and .ws_us > 0' stdout
	mcp --all ping
	ends 0
	says alive
}

@test "ping --count: loss and percentiles of each layer" {
	serve
	device board
	event ready
	mcp ping -c 5 -i 10ms
	ends 0
	[ "$(grep -c '^alive: ' stdout)" = 5 ]
	grep -qE '^tcp   round trip: p50 [0-9.]+, p90 [0-9.]+, p99 [0-9.]+, max [0-9.]+ ms$' stdout
	grep -qE '^ws    5 sent, 0 lost \(0 %\): p50 ' stdout
	grep -qE '^loop  5 sent, 0 lost \(0 %\): p50 ' stdout
	mcp -o json ping -c 2 -i 10ms
	tail -n 1 stdout | jq -e '.ping | .loop.sent == 2 and .loop.lost == 0 and
		.ws.p50_us > 0 and .tcp.max_us > 0'
	mcp ping --count 0
	ends 2
	mcp --all ping --count 2
	ends 2
}

@test "ping --count: what is lost is counted, and status 4 if all is" {
	serve
	device board
	event ready
	kill -STOP "$DEVICE"
	until_true in_state T "$DEVICE"
	mcp --timeout 300ms ping -c 2 -i 10ms
	kill -CONT "$DEVICE"
	ends 4
	grep -qE '^loop  2 sent, 2 lost \(100 %\)$' stdout
	hints 'none of 2 pings was answered'
	hints '  ws    silent for 1'
}

@test "a list that is not answered while the main loop is: D145; what firmware drops is no fault" {
	listener l --timeout 500ms --findings found.json listen:127.0.0.1:0 request tools/list '[]'
	device board
	finish "$LISTENER" 4
	grep -q 'firmware never answers a request whose params are no object' l.err
	absent '"code":"D145"' found.json
	listener l --timeout 500ms --findings found.json listen:127.0.0.1:0 tools
	background board /usr/bin/python3 "$BATS_TEST_DIRNAME/deaf_board.py" "$PORT" tools/list
	finish "$LISTENER" 4
	grep -q '  D145  the main loop answers others, and gave this no answer' l.err
	found D145
}
