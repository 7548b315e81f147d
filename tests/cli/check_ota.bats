#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# check ota: asked and followed as a board does, at servers with one fault each.
load helper

WIDE='ws://127.0.0.1:9/xiaozhi/v1/'

# found CODE SEVERITY PROOF: the check names it, with proof and advice.
found() {
	mcp check ota "http://$AT/xiaozhi/ota/"
	if ! grep -qE "^$2 +$1 " stdout || ! tr -s ' \n' ' ' <stdout | grep -qF -- "$3" ||
		! grep -qE '^   do |^         ' stdout; then
		printf 'no %s %s with: %s\n%s\n%s\n' "$2" "$1" "$3" "$out" "$err" >&2
		return 1
	fi
	says "mcpctl explain"
}

# nothing_above_a_note: the last check was healthy.
nothing_above_a_note() {
	ends 0
	says '0 errors, 0 warnings'
}

@test "a healthy backend: all stages, nothing above a note" {
	serve
	mcp check ota "$OTA" --device-id aa:bb:cc:dd:ee:ff
	nothing_above_a_note
	for stage in tcp ota activate upgrade hello init bye; do
		grep -qE "^$stage +ok " stdout
	done
	absent '^stopped|^name' stdout
	grep -qE '^ota +ok +200 in [0-9.]+ m?s, [0-9]+ B, Content-Length$' stdout
	grep -qE '^activate +ok +none is asked for$' stdout
	grep -qE '^upgrade +ok +101 in [0-9.]+ m?s$' stdout
	grep -qE "^hello +ok +the server's came after [0-9.]+ m?s$" stdout
	grep -qE '^init +ok +initialize came and was answered, after [0-9.]+ m?s$' stdout
	grep -qE '^bye +ok +TCP ends without a Close frame, as boards do it$' stdout
	grep -qE '; 1 asked$' stdout
	event ota aa:bb:cc:dd:ee:ff
	mcp -o json check ota "$OTA"
	ends 0
	jq -es 'map(.stage.name? // empty) | index("hello") != null' stdout
}

@test "healthy answers in the shapes of known backends" {
	planted
	backend careful
	url=ws://127.0.0.1:$BACKEND/xiaozhi/v1/
	# Python's server.
	body "{\"server_time\":{\"timestamp\":1779444000000,\"timezone_offset\":480},\"firmware\":{\"version\":\"2.2.6\",\"url\":\"\"},\"websocket\":{\"url\":\"$url\",\"token\":\"\"}}"
	mcp check ota "http://$AT/xiaozhi/ota/"
	nothing_above_a_note
	grep -qE '^init +ok ' stdout
	# Sections that are null, a bare url, chunks instead of a length.
	text="{\"mqtt\":null,\"activation\":null,\"websocket\":{\"url\":\"$url\",\"token\":\"t\",\"version\":1}}"
	raw "HTTP/1.1 200 OK"$'\r\n'"Transfer-Encoding: chunked" "$(printf '%x\r\n%s\r\n0\r\n\r\n' ${#text} "$text")"$'\r\n\r\n'
	mcp check ota "http://$AT/xiaozhi/ota/"
	nothing_above_a_note
	grep -qE '^ota +ok +200 .*chunked' stdout
}

@test "a broker: as far as CONNACK" {
	planted
	broker
	body "{\"mqtt\":{\"endpoint\":\"127.0.0.1:$MQTT\",\"client_id\":\"GID_test@@@aa_bb_cc_dd_ee_ff\",\"username\":\"u\",\"password\":\"p\",\"publish_topic\":\"device-server\",\"subscribe_topic\":\"null\"}}"
	mcp check ota "http://$AT/xiaozhi/ota/"
	nothing_above_a_note
	grep -qE '^connack +ok ' stdout
	body '{"mqtt":{"endpoint":"127.0.0.1:9","publish_topic":"device-server"}}'
	found N102 error '127.0.0.1:9'
	ends 7
	grep -qE '^connack +fail' stdout
	[ "$(grep -c '^connack' stdout)" = 1 ]
}

@test "answers that a board does not get past: each with code and proof" {
	planted
	ws="\"websocket\":{\"url\":\"$WIDE\",\"token\":\"\"}"
	body '{"mqtt":{},"websocket":{"url":"ws://127.0.0.1:9/"}}'
	found O301 error 'hides websocket'
	ends 7
	says 'connack: not reached'
	body '{"server_time":{}}'
	found O301 error 'neither'
	body '{"mqtt":{"endpoint":"mqtt://h.example:1883","publish_topic":"x"}}'
	found O302 error 'no number'
	body '{"mqtt":{"endpoint":"127.0.0.1:9"}}'
	found O303 error 'unless it has one stored'
	body "{\"websocket\":{\"url\":\"$WIDE\",\"version\":\"3\",\"token\":\"\"}}"
	found O304 warning 'is read as 0'
	body "{\"websocket\":{\"url\":\"$WIDE\",\"a_name_of_many_letters\":\"x\"}}"
	found O305 error 'a_name_of_many_letters'
	says 'activate, upgrade, hello, init: not reached'
	body "{$ws,\"x\":\"$(printf '%8300s' '')\"}"
	found O306 error 'hang'
	body "{$ws,\"firmware\":{\"version\":\"v2.4\",\"url\":\"\"}}"
	found O307 error 'v2.4'
	body '{"websocket":{"url":"ws://127.0.0.1:x/","token":""}}'
	found O309 error 'restarts'
	says 'upgrade, hello, init: not reached'
	body "{\"websocket\":{\"token\":\"\"}}"
	found O316 warning 'websocket'
	ends 3
	hints 'OTA leads a board nowhere'
	body "{$ws,\"firmware\":{\"version\":\"99.0.0\",\"url\":\"http://h.example/f.bin\"}}"
	found O317 note '99.0.0'
	body "{\"websocket\":{\"url\":\"$WIDE\"}}"
	found O318 note 'url'
	body "{\"mqtt\":{\"endpoint\":\"127.0.0.1:9\",\"publish_topic\":\"x\"},$ws}"
	found O319 note 'the board goes to the broker'
	body 'nonsense'
	found O321 error 'nonsense'
	# What a board has no use for is not called good.
	grep -qE '^ota +odd +200 in' stdout
}

@test "an activation holds the board, and is no failure" {
	planted
	body "{\"activation\":{\"code\":\"123456\",\"message\":\"x\"},\"websocket\":{\"url\":\"$WIDE\",\"token\":\"\"}}"
	found O315 warning 'code 123456'
	ends 0
	says 'upgrade, hello, init: not reached'
	grep -qE '^ota +ok ' stdout
	mcp check ota "http://$AT/" --fail-on warning
	ends 7
}

@test "what is said behind an activation" {
	planted
	head=$'HTTP/1.1 200 OK\r\nContent-Length: '
	for after in 'nonsense' '{"firmware":{"version":"v2","url":""}}' \
		"{\"activation\":{\"code\":\"1\"},\"websocket\":{\"url\":\"$WIDE\"}}"; do
		body "{\"activation\":{\"challenge\":\"x\"},\"websocket\":{\"url\":\"$WIDE\",\"token\":\"\"}}"
		printf '%s2\r\n\r\n{}' "$head" >answer-activate
		printf '%s%d\r\n\r\n%s' "$head" "${#after}" "$after" >answer-after
		mcp check ota "http://$AT/"
		grep -E '^activate' -A1 stdout | tr -s ' \n' ' ' >>said
	done
	grep -qE 'activate odd to the challenge it said 200; asked again, it said what no board can read' said
	grep -qE 'activate odd to the challenge it said 200; asked again, it said what a board does not survive' said
	grep -qE 'activate odd to the challenge it said 200; asked again, it wants it still' said
}

@test "answers of HTTP that are none of OTA" {
	planted
	raw $'HTTP/1.1 302 Found\r\nLocation: https://h.example/login\r\nContent-Length: 0' ''
	found O311 error 'https://h.example/login'
	raw $'HTTP/1.1 500 Oops\r\nContent-Length: 9' 'it broke.'
	found O311 error 'it broke'
	body '{"error":"Device ID is required"}'
	found O312 error 'Device ID is required'
	raw $'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 40' '<html><title>Router login</title></html>'
	found O313 error 'Router login'
	raw 'HTTP/1.1 200 OK' "{\"websocket\":{\"url\":\"$WIDE\",\"token\":\"\"}}"
	found O314 warning 'at once'
	raw 'SSH-2.0-OpenSSH_9.2' ''
	found N112 error "$AT"
	ends 3
	hints '(N112)'
	# A banner has no empty line behind it.
	printf 'SSH-2.0-OpenSSH_9.2\r\n' >answer
	found N112 error 'SSH-2.0-OpenSSH_9.2'
	ends 3
	absent 'N117' stdout
	printf 'HTTP/1.1 200 O' >answer
	found N117 error 'before the reply was whole'
	body '{"code":500,"msg":"no such device","data":null}'
	found O312 error 'no such device'
	body '{"code":0,"msg":"","data":{"websocket":{"url":"ws://127.0.0.1:9/"}}}'
	found O301 error "stand in 'data'"
	raw $'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked' $'zz\r\n{}\r\n0\r\n\r\n'
	found O321 error 'the chunked reply is broken'
	absent 'it is empty' stdout
	raw $'HTTP/1.1 200 OK\r\nContent-Length: 999' "{\"websocket\":{\"url\":\"$WIDE\",\"token\":\"\"}}"
	found O321 error 'closed before the reply was whole'
	ends 7
	raw $'HTTP/1.1 200 OK\r\nContent-Length: 99' '{"websocket":{'
	found O321 error 'it did not come whole'
}

@test "a server that cannot be reached: the stage, the code, the status" {
	mcp check ota http://127.0.0.1:9/
	ends 3
	grep -qE '^tcp +fail ' stdout
	grep -qE '^error +N102 ' stdout
	says 'ota, activate, upgrade, hello, init: not reached'
	hints '127.0.0.1:9'
	mcp check ota http://no.such.name.invalid/
	ends 3
	grep -qE '^name +fail ' stdout
	grep -qE '^error +N101 ' stdout
	hints 'no.such.name.invalid'
}

@test "TLS as a board sees it" {
	certificates
	planted server.pem server.key
	port=${AT##*:}
	body "{\"websocket\":{\"url\":\"$WIDE\",\"token\":\"\"}}"
	mcp check ota "https://localhost:$port/"
	ends 3
	grep -qE '^tls +fail ' stdout
	grep -qE '^error +N204 ' stdout
	mcp check ota "https://127.0.0.1:$port/" --cacert ca.pem
	grep -qE '^error +N203 ' stdout
	mcp check ota "https://localhost:$port/" --cacert ca.pem
	grep -qE '^name +ok +localhost is 127.0.0.1' stdout
	grep -qE '^tls +ok +TLSv1.3, by test-ca, [12] days? left' stdout
	grep -qE '^error +N102 ' stdout
	mcp -o json check ota "https://localhost:$port/" --cacert ca.pem
	jq -es 'map(.finding.code? // empty) | index("N102") != null' stdout
	mcp check ota "https://localhost:$port/" --insecure
	says 'the certificate was not checked'
	mcp check ota "http://localhost:$port/"
	ends 3
	grep -qE '^tcp +ok ' stdout
	grep -qE '^error +N117 ' stdout
	absent 'M414|broker' stdout
}

@test "a server that wants a certificate of the board" {
	certificates
	planted server.pem server.key ca.pem
	mcp check ota "https://localhost:${AT##*:}/" --cacert ca.pem
	ends 3
	grep -qE '^tls +ok ' stdout
	grep -qE '^ota +fail ' stdout
	grep -qE '^error +N207 ' stdout
	hints 'certificate of its clients'
}

@test "certificates whose time is over, or has not come" {
	certificates
	old_certificate
	planted old.pem server.key
	mcp check ota "https://localhost:${AT##*:}/" --cacert ca.pem
	ends 3
	grep -qE '^tls +fail .*expired' stdout
	grep -qE '^error +N201 ' stdout
	mcp check ota "https://localhost:${AT##*:}/" --insecure
	grep -qE '^tls +ok +TLSv1.3, by test-ca, expired; the certificate was not checked' stdout
	# An hour ago is no day ago.
	old_certificate 20200101000000Z "$(date -u -d '1 hour ago' +%Y%m%d%H%M%SZ)"
	planted old.pem server.key
	mcp check ota "https://localhost:${AT##*:}/" --insecure
	grep -qE '^tls +ok +TLSv1.3, by test-ca, expired; ' stdout
	old_certificate 20900101000000Z 20910101000000Z
	planted old.pem server.key
	mcp check ota "https://localhost:${AT##*:}/" --cacert ca.pem
	ends 3
	grep -qE '^error +N202 ' stdout
}

@test "plain HTTP at a port that was thought to have TLS" {
	planted
	raw 'HTTP/1.1 400 What' ''
	echo first >how
	mcp check ota "https://$AT/"
	ends 3
	grep -qE '^error +N121 ' stdout
}

@test "the WebSocket that OTA names: who refuses, and who says nothing" {
	planted
	backend denies
	body "{\"websocket\":{\"url\":\"ws://127.0.0.1:$BACKEND/\",\"token\":\"wrong\"}}"
	found B205 error '认证失败'
	ends 7
	grep -qE '^hello +fail ' stdout
	says 'init: not reached'
	# No WebSocket at all there, but HTTP.
	body "{\"websocket\":{\"url\":\"ws://$AT/\",\"token\":\"\"}}"
	mcp check ota "http://$AT/"
	[ "$status" != 0 ]
	grep -qE '^upgrade +fail ' stdout
}

@test "a proxy that takes Upgrade away; a token that is not taken" {
	planted
	body "{\"websocket\":{\"url\":\"ws://$AT/\",\"token\":\"t\"}}"
	printf 'HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n' >answer-get
	found N110 error 426
	ends 7
	says 'hello, init: not reached'
	printf 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n' >answer-get
	found P707 error 401
	printf 'HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\n\r\nwho, you?' >answer-get
	found N116 error 'who, you?'
	printf 'HTTP/1.1 302 Found\r\nLocation: https://h.example/x\r\nContent-Length: 0\r\n\r\n' >answer-get
	found N115 error "'https://h.example/x'"
	printf 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok' >answer-get
	mcp check ota "http://$AT/"
	[ "$status" != 0 ]
	grep -qE '^upgrade +fail +.*200' stdout
}

@test "no server hello that a board takes: 10 s, as a board waits" {
	planted
	backend crashing
	body "{\"websocket\":{\"url\":\"ws://127.0.0.1:$BACKEND/\",\"token\":\"t\"}}"
	found B202 error transport
	# One came, and in time.
	absent 'B209' stdout
	grep -qE '^hello +fail ' stdout
	# None at all, nobody hangs up: not waited for longer than a board does.
	backend wordless
	body "{\"websocket\":{\"url\":\"ws://127.0.0.1:$BACKEND/\",\"token\":\"t\"}}"
	found B209 error 'none came within 10 s'
	grep -qE '^hello +fail +no server hello that a board takes within 10 s' stdout
	says 'init: not reached'
	# It hangs up instead.
	backend mute
	body "{\"websocket\":{\"url\":\"ws://127.0.0.1:$BACKEND/\",\"token\":\"t\"}}"
	found B209 error 'Close 1000'
	# By a Close that has no code.
	backend curt
	body "{\"websocket\":{\"url\":\"ws://127.0.0.1:$BACKEND/\",\"token\":\"t\"}}"
	found B209 error 'the backend sent Close'
	grep -qE '^hello +fail +the backend sent Close$' stdout
}

@test "an initialize before the hello" {
	planted
	backend sloppy
	body "{\"websocket\":{\"url\":\"ws://127.0.0.1:$BACKEND/\",\"token\":\"t\"}}"
	found B201 error initialize
	grep -qE '^init +ok +initialize came before the server hello, and was answered$' stdout
	grep -qE "^hello +ok +the server's came after [0-9.]+ ms" stdout
	# A hello that the board ignores is none.
	backend foreign
	body "{\"websocket\":{\"url\":\"ws://127.0.0.1:$BACKEND/\",\"token\":\"t\"}}"
	found B210 error udp
	absent 'B209' stdout
	grep -qE '^hello +fail ' stdout
}

@test "a broker that refuses" {
	planted
	MQTT=$(free_port)
	printf 'listener %s 127.0.0.1\nallow_anonymous false\n' "$MQTT" >mosquitto.conf
	background broker /usr/sbin/mosquitto -c mosquitto.conf
	until_true bash -c "exec 3<>/dev/tcp/127.0.0.1/$MQTT"
	body "{\"mqtt\":{\"endpoint\":\"127.0.0.1:$MQTT\",\"client_id\":\"c\",\"publish_topic\":\"p\"}}"
	found M401 error refused
	ends 7
}

@test "a stage that Ctrl-C ended has not failed" {
	background silent /usr/bin/python3 -c 'import socket, time
s = socket.create_server(("127.0.0.1", 0))
print("port", s.getsockname()[1], flush=True)
for way in "ota", "vision":
    c = s.accept()[0]
    c.recv(1)
    print("asked for", way, flush=True)
time.sleep(600)'
	port=$(wait_for silent.out 'port [0-9]+' | sed 's/port //')
	for way in ota vision; do
		background ended mcpctl check "$way" --report tap:ended.tap "http://127.0.0.1:$port/"
		wait_for silent.out "asked for $way"
		kill -INT "$LAST"
		finish "$LAST" 130
		grep -qE '^(ota|answer) +- +interrupted' ended.out
		absent fail ended.out
		grep -q 'kind: "interrupted"' ended.tap
		absent unmet ended.tap
	done
}

@test "--timeout ends what never answers, with status 4" {
	background silent /usr/bin/python3 -c 'import socket, time
s = socket.create_server(("127.0.0.1", 0))
print("port", s.getsockname()[1], flush=True)
time.sleep(600)'
	port=$(wait_for silent.out 'port [0-9]+' | sed 's/port //')
	mcp --timeout 300ms check ota "http://127.0.0.1:$port/"
	ends 4
	grep -qE '^ota +fail ' stdout
	says 'activate, upgrade, hello, init: not reached'
	planted
	body "{\"websocket\":{\"url\":\"ws://127.0.0.1:$port/\",\"token\":\"t\"}}"
	mcp --timeout 1s check ota "http://$AT/"
	ends 4
	grep -qE '^tcp +ok ' stdout
	grep -qE '^upgrade +fail +time over$' stdout
	says 'stopped  -     hello, init: not reached'
	body "{\"websocket\":{\"url\":\"wss://127.0.0.1:$port/\",\"token\":\"t\"}}"
	mcp --timeout 1s check ota "http://$AT/"
	ends 4
	grep -qE '^tls +fail +time over$' stdout
	says 'stopped  -     upgrade, hello, init: not reached'
	mcp --timeout 1s check ota "https://127.0.0.1:$port/"
	ends 4
	grep -qE '^tls +fail +time over$' stdout
	absent '^ota ' stdout
}

@test "usage: an address, of HTTP; an id that fits" {
	mcp check ota
	ends 2
	hints 'needs an address'
	mcp check ota ws://127.0.0.1:9/
	ends 2
	hints 'http:// or https://'
	mcp check ota http://127.0.0.1:9/ --device-id $'a\nb'
	ends 2
	mcp sim: check --device-id x
	ends 2
	mcp check ota http://127.0.0.1:9/ --photo x.jpg
	ends 2
	mcp check ota http://127.0.0.1:9/ --cacert nowhere.pem
	ends 2
	mcp --header 'X: y' check ota http://127.0.0.1:9/
	ends 2
	hints "no use for '--header'"
}

@test "-v and --trace show what went over the wire" {
	serve
	mcp -v --trace t.jsonl check ota "$OTA"
	ends 0
	jq -se 'map(select(.leg == "ota" and .kind == "response").text) | map(test("websocket")) | any' t.jsonl
	jq -se 'map(select(.from == "device").text | fromjson) | map(.type) | index("hello") != null' t.jsonl
	hints 'initialize'
}
