#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# check backend: we play the board towards servers with one fault each.

load helper

# A backend of that habit (backend.py): BACKEND is its address.
backend() {
	background backend /usr/bin/python3 "$BATS_TEST_DIRNAME/backend.py" "$@"
	BACKEND=ws://127.0.0.1:$(wait_for backend.out 'port [0-9]+' | sed 's/port //')/
}

# line PATTERN: the last mcp printed such a line.
line() {
	grep -Eq -- "$1" stdout && return 0
	printf 'no such line: %s\nbut: %s\nstderr: %s\n' "$1" "$out" "$err" >&2
	return 1
}

# prose TEXT: the last mcp printed it, wherever its lines broke.
prose() {
	tr -s ' \n' ' ' <stdout | grep -qF -- "$1" && return 0
	printf 'not printed: %s\nbut: %s\nstderr: %s\n' "$1" "$out" "$err" >&2
	return 1
}

@test "serve is a healthy backend: every stage, nothing above a note" {
	serve
	mcp check backend "ws://127.0.0.1:$PORT/xiaozhi/v1/" --fail-on warning --for 300ms
	ends 0
	line '^name  *ok  *127\.0\.0\.1$'
	line "^tcp  *ok  *port $PORT\$"
	line '^tls  *-  *none'
	line '^tls  *-  *none: the address is ws://$'
	line '^upgrade  *ok  *101, '
	line '^upgrade  *ok  *101, [0-9.]* m?s after dialling$'
	line '^hello  *ok  *after .*, session '
	line '^init  *ok  *after .*mcpctl'
	prose ', calls itself mcpctl, first id'
	prose ': nobody who is known'
	prose '; user-only tools asked for, too'
	line '^quiet  *ok  *0 calls of tools, 0 other requests; then nothing for 300 ms$'
	line '^bye  *ok  *hung up by us, as a board does: no Close$'
	line '^0 errors, 0 warnings, 0 notes in .*; 0 asked$'
	line '^list  *ok  *to the last page, [0-9]* requests'
	line '^quiet  *ok  *0 calls of tools'
	line '^bye  *ok  *hung up by us'
	line '^0 errors, 0 warnings, '
	# Our own canary is odd on purpose, and no news.
	absent ' D[0-9]{3} ' stdout
	event gone
}

@test "through TLS: the board's view of the certificate" {
	certificates
	backend known server.pem server.key
	mcp --cacert ca.pem check backend "${BACKEND/ws:\/\/127.0.0.1/wss://localhost}" --for 800ms
	ends 0
	line '^tls  *ok  *the certificate is one that is trusted here'
	mcp check backend "${BACKEND/ws:\/\/127.0.0.1/wss://localhost}" --for 800ms
	ends 3
	line '^tcp  *ok'
	line '^tls  *fail'
	line '^error  *N204 '
	line '^stopped .*upgrade, hello, init, list, quiet, bye: not reached$'
}

@test "who it is, by its habits; ids that are used again" {
	backend known
	mcp check backend "$BACKEND" --for 800ms
	ends 0
	line '^init  *ok .*most likely Python server: calls itself'
	prose 'most likely Python server: calls itself XiaozhiClient, first id 1, no session_id in the envelope'
	prose '; user-only tools not asked for'
	line '^list  *ok  *to the last page, 2 requests'
	line '^warning B214 '
	line '^note  *B211 '
	line '^0 errors, 1 warning, '
	mcp check backend "$BACKEND" --for 800ms --fail-on warning --only B214
	ends 7
	line '^0 errors, 1 warning, 0 notes'
}

@test "the first page only: the tools that are lost, by name" {
	backend careful
	mcp check backend "$BACKEND" --for 800ms
	ends 7
	line '^list  *odd  *1 request, not to the last page; [0-9]* tools lost:'
	line 'self\.perch\.lamp[0-9]*\.set'
	prose '; 12 tools lost: self.perch.lamp22.set self.perch.lamp23.set'
	prose 'self.perch.lamp29.set … 4 more'
	line '^init  *ok  *after .*, it does not say who it is$'
	prose '0 calls of tools, 0 other requests; it ended after'
	line '^bye  *odd  *closed by the backend$'
	line '^error  *B230 '
	line '^mcpctl explain B230$'
}

@test "initialize before the hello, without a session, with the id 0" {
	backend sloppy
	mcp check backend "$BACKEND" --for 800ms
	ends 7
	line '^error  *B201 '
	line '^note  *B212 '
	line '^init  *ok  *before the hello'
	line '#2 ws backend < .*"initialize"'
}

@test "tools are asked for without initialize; nothing is asked for at all" {
	backend unlisted
	mcp check backend "$BACKEND" --for 800ms
	ends 7
	line '^init  *odd  *did not come before the list'
	line '^warning B221 '
	kill "$LAST"
	backend silent
	mcp check backend "$BACKEND" --for 800ms
	ends 0
	line '^init  *odd  *initialize did not come'
	line '^list  *odd  *no tools/list came'
	line '^init  *odd  *initialize did not come$'
	line '^list  *odd  *no tools/list came: it knows no tool$'
}

@test "refused behind 101 by a text: where it ended, and why; status 6" {
	backend denies
	mcp check backend "$BACKEND"
	ends 6
	line '^hello  *fail .*the backend said: '
	line '^error  *B205 '
	line '^stopped .*init, list, quiet, bye: not reached$'
	hints 'MCPCTL_SIM_TOKEN'
}

@test "no hello, but the end: a finding, and in words" {
	backend mute
	mcp check backend "$BACKEND"
	ends 3
	line '^hello  *fail'
	line '^hello  *fail  *none came that a board takes; closed by the backend$'
	line '^error  *B209 '
	hints 'no server hello came that a board takes'
	absent 'welcomed' stderr
}

@test "a hello that boards do not survive" {
	backend crashing
	mcp check backend "$BACKEND"
	ends 7
	line '^hello  *fail  *none came that a board takes'
	line '^error  *B202 '
}

@test "not even reached: the stage, the finding, the status" {
	mcp check backend ws://127.0.0.1:1/
	ends 3
	line '^name  *ok'
	line '^tcp  *fail .*refused'
	line '^error  *N102 '
	line '^stopped .*tls, upgrade, hello, init, list, quiet, bye: not reached$'
	mcp check backend ws://no-such-name.invalid/
	ends 3
	line '^name  *fail'
	line '^error  *N101 '
	line '^stopped .*tcp, tls, upgrade, hello, init, list, quiet, bye: not reached$'
	mcp check backend
	ends 2
	mcp check backend http://127.0.0.1:1/
	ends 3
	line '^error  *N102 '
	line '^stopped  ota, activate, upgrade, hello, init, list, quiet, bye: not reached$'
	mcp check backend mqtt://127.0.0.1:1
	ends 3
	line '^tcp  *fail'
	line '^stopped .*tls, connack, hello, init, list, quiet, bye: not reached$'
	mcp check backend ftp://127.0.0.1:1/
	ends 2
	hints 'ws:// or wss://, mqtt:// or mqtts://, or that of OTA'
}

@test "serve --mqtt is a healthy backend: with a voice session, and a goodbye" {
	MQTT=$(free_port)
	serve "--mqtt=$MQTT"
	event broker 'connected to the broker'
	mcp check backend "mqtt://127.0.0.1:$MQTT" --fail-on warning --for 300ms
	ends 0
	line '^connack  *ok  *accepted, .* as GID_test@@@02_00_00_00_00_01@'
	line '^tls  *-  *none: MQTT without TLS$'
	line '^connack  *ok  *accepted, [0-9.]* m?s after dialling, as GID_test@@@'
	line '^hello  *ok  *after .*, session mcpctl-'
	line '^init  *ok  *in standby, .* after CONNACK, calls itself mcpctl'
	line '^list  *ok  *to the last page'
	line '^bye  *ok  *goodbye, then DISCONNECT'
	absent ' D[0-9]{3} ' stdout
	event gone
	# By the id given: that is the board's, too.
	mcp check backend "mqtt://127.0.0.1:$MQTT/GID_x@@@02_00_00_00_00_77@@@u" --for 800ms
	ends 0
	event gone '02:00:00:00:00:77'
	# The answer of OTA leads there.
	mcp check backend "$OTA" --device-id 02:00:00:00:00:78 --for 800ms
	ends 0
	line '^ota  *ok  *200 '
	line '^activate ok  *none'
	line '^connack  *ok .* as GID_mcpctl@@@02_00_00_00_00_7'
	event gone '02:00:00:00:00:78'
}

@test "from OTA to a WebSocket, with the token of the answer" {
	serve
	mcp --report junit:out.xml --report tap:out.tap --report sarif:out.sarif --report json:out.json --report md:out.markdown check backend "$OTA" --for 300ms --say hi --timeout 300ms
	ends 0
	line '^upgrade  *ok  *101, '
	line '^say  *odd  *nothing came for 300 ms$'
	line '^bye  *ok'
	for stage in ota activate upgrade hello init list quiet say bye; do
		grep -q "testsuite name=\"$stage\"" out.xml
		grep -q "$stage" out.tap
		jq -e --arg s $stage '[.. | .name? // empty] | index($s)' out.json
	done
	jq -e . out.sarif
	grep -q activate out.markdown
	grep -q "mcpctl check: $OTA" out.markdown
}

# gateway HABIT: a backend that is its own broker (gateway.py); AT.
gateway() {
	background gateway /usr/bin/python3 "$BATS_TEST_DIRNAME/gateway.py" "$@"
	AT=127.0.0.1:$(wait_for gateway.out 'port [0-9]+' | sed 's/port //')
}

@test "a gateway: who it is; it hears hello, no SUBSCRIBE, goodbye, DISCONNECT" {
	gateway good
	MCPCTL_MQTT_PASSWORD=sesame mcp check backend "mqtt://me@$AT/GID_a@@@02_00_00_00_00_01@@@u?up=top" --for 200ms
	ends 0
	line '^init  *ok .*most likely MQTT gateway:'
	prose 'calls itself xiaozhi-mqtt-client, first id 10000, no session_id in the envelope'
	line '^note  *B213 '
	line '^list  *ok  *to the last page, 2 requests'
	wait_for gateway.out disconnect
	grep -q '^connect .*GID_a@@@02_00_00_00_00_01@@@u.*me.*sesame' gateway.out
	grep -q '^top {"type":"hello","version":3,"transport":"udp"' gateway.out
	grep -q '^top {"session_id":"s-1","type":"goodbye"}' gateway.out
	absent subscribe gateway.out
	absent sesame stdout
}

@test "--say: what it heard, called and said; a renamed tool; never by default" {
	gateway talks
	mcp --trace trace check backend "mqtt://$AT" --for 200ms
	ends 0
	absent '"detect"' trace
	absent '^say' stdout
	mcp -o json check backend "mqtt://$AT" --for 200ms --say 'turn "on" the lamp'
	ends 7
	line '"name":"say","verdict":"ok"'
	mcp check backend "mqtt://$AT" --for 200ms --say 'turn "on" the lamp'
	ends 7
	line '^say  *ok  *first word after .*; heard '
	prose "heard 'turn on the \x1b[31mlamp'; called self.canary.two, self_a_b; said 'Done.' and 1 sentence more; emotion 'happy'; spoke to its end after "
	line '^error  *B240 .*self_a_b'
	grep -qF '"state":"detect","text":"turn \"on\" the lamp"' gateway.out
	mcp check backend "mqtt://$AT" --say ''
	ends 2
	mcp check backend "mqtt://$AT" --say $'a\nb'
	ends 2
	mcp sim: check --say hi
	ends 2
	hints 'is for check backend'
}

@test "--say on a WebSocket: a tool that takes 6 s is waited for; it hangs up instead" {
	backend talks
	mcp check backend "$BACKEND" --for 200ms --say hello
	line '^say  *ok  *first word after '
	prose "called self.canary.slow; said 'Well.'; emotion 'happy'; spoke to its end after 6"
	line '^bye  *ok'
	kill "$LAST"
	backend deaf
	mcp check backend "$BACKEND" --for 200ms --say hello
	ends 0
	line '^init  *odd  *initialize did not come'
	line '^say  *odd  *nothing came: '
	line '^bye  *odd'
	kill "$LAST"
	backend cuts
	mcp check backend "$BACKEND" --for 5s --say hello
	line '^quiet  *ok .*; it ended after '
	line '^say  *odd  *nothing was said: '
}

@test "over MQTT the first page only: the tools that are lost, by name" {
	gateway first_page
	mcp check backend "mqtt://$AT" --for 800ms
	ends 7
	line '^list  *odd  *1 request, not to the last page; 12 tools lost:'
	line '^error  *B230 '
}

@test "a broker that refuses, leaves, ends it at once: the stage and the status" {
	gateway refuses
	mcp check backend "mqtt://$AT"
	ends 6
	line '^connack  *fail .*'
	line '^error  *M401 '
	line '^stopped .*hello, init, list, quiet, bye: not reached$'
	hints 'mqtt-password-file'
	gateway leaves
	mcp check backend "mqtt://$AT"
	ends 3
	line '^error  *N113 '
	gateway closes
	mcp check backend "mqtt://$AT"
	ends 3
	line '^connack  *ok'
	line '^hello  *fail  *ours did not go out: '
	prose "ours did not go out: the broker '127.0.0.1' went away"
	hints 'nothing came of the backend'
}

@test "no hello over MQTT: 10 s, as a board waits; MCP goes on without" {
	gateway no_session
	mcpctl check backend "mqtt://$AT" --for 800ms >first.out 2>&1 || echo "status $?" >>first.out &
	first=$!
	gateway odd_hello
	mcpctl check backend "mqtt://$AT" --for 800ms >second.out 2>&1 || echo "status $?" >>second.out &
	second=$!
	gateway silent
	mcp check backend "mqtt://$AT" --for 800ms --say hi
	ends 3
	line '^hello  *fail  *none came that a board takes$'
	line '^error  *B209 '
	line '^stopped .*init, list, quiet, say, bye: not reached$'
	hints 'mcpctl check broker'
	wait $first $second
	grep -q '^init  *ok  *in standby' first.out
	grep -q '^list  *ok' first.out
	grep -q 'error  *B209 ' first.out
	grep -q '^status 7' first.out
	grep -q '^error  *M407 ' second.out
	grep -q '^hello  *fail' second.out
	grep -q '^status 3' second.out
}

# planted: an OTA that answers with the file answer; AT. See planted.py.
planted() {
	background planted /usr/bin/python3 -u "$BATS_TEST_DIRNAME/planted.py" "$WORK/answer"
	AT=127.0.0.1:$(wait_for planted.out 'port [0-9]+' | sed 's/port //')
}

# body JSON: a whole answer with it, on stdout.
body() { printf 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' ${#1} "$1"; }

@test "an activation: its code is told, and nobody waits for ever; status 6" {
	planted
	ws='"websocket":{"url":"ws://127.0.0.1:9/x/","token":""}'
	body "{\"activation\":{\"code\":\"123456\"},$ws}" >answer
	mcp check backend "http://$AT/ota/"
	ends 6
	line '^activate odd  *a board shows the code 123456 and waits$'
	line '^warning O315 '
	line '^stopped .*upgrade, hello, init, list, quiet, bye: not reached$'
	hints 'wants this board to be activated first, with the code 123456'
	hints 'enter the code there'
	printf 'HTTP/1.1 202 Wait\r\nContent-Length: 0\r\n\r\n' >answer-activate
	body "{\"activation\":{\"code\":\"123456\",\"challenge\":\"c\"},$ws}" >answer
	mcp check backend "http://$AT/ota/"
	ends 6
	line '^activate odd  *a board shows the code 123456 and waits; to the challenge it'
	prose 'a board shows the code 123456 and waits; to the challenge it said 202: it is to wait'
	grep -q '^activate {}$' planted.out
	mcp check ota "http://$AT/ota"
	ends 0
	line '^activate odd .*to the challenge it'
	# Without a code there is none to show; another answer, and none at all.
	body "{\"activation\":{\"challenge\":\"c\"},$ws}" >answer
	printf 'HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n' >answer-activate
	mcp check backend "http://$AT/ota/"
	ends 6
	line '^activate odd  *to the challenge it said 403$'
	hints 'wants this board to be activated first'
	hints 'activate the board there, then check again'
	absent ', with the code' stderr
	: >answer-activate
	mcp check backend "http://$AT/ota/"
	ends 6
	prose "activate odd the challenge stayed unanswered: $AT: closed before the reply was"
}

@test "a challenge that activates: asked again, and on with the new answer" {
	planted
	backend known
	body "{\"activation\":{\"challenge\":\"c\"}}" >answer
	printf 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}' >answer-activate
	body "{\"websocket\":{\"url\":\"$BACKEND\",\"token\":\"tok\",\"version\":3}}" >answer-after
	mcp check backend "http://$AT/ota/" --for 800ms
	line '^activate ok  *to the challenge it said 200; asked again, it wants no activation$'
	line '^list  *ok  *to the last page'
	ends 0
	# It wants it still; or what it says then is nothing that a board reads.
	body "{\"activation\":{\"challenge\":\"c\"}}" >answer
	body "{\"activation\":{\"code\":\"77\"}}" >answer-after
	mcp check backend "http://$AT/ota/"
	ends 6
	line '^activate odd  *to the challenge it said 200; asked again, it wants it still$'
	hints 'activated first, with the code 77'
	body "{\"activation\":{\"challenge\":\"c\"}}" >answer
	body 'no' >answer-after
	mcp check backend "http://$AT/ota/"
	ends 7
	prose 'said 200; asked again, it said what no board can read'
	line '^error  *O321 '
	line '^stopped .*upgrade, hello, init, list, quiet, bye: not reached$'
}

@test "an answer of OTA that leads nowhere" {
	planted
	body '{"mqtt":{}}' >answer
	mcp check backend "http://$AT/ota/"
	ends 7
	line '^error  *O301 '
	line '^stopped .*upgrade, hello, init, list, quiet, bye: not reached$'
	mcp check backend "http://$AT/ota/" --skip 'O*'
	ends 3
	hints 'OTA leads a board nowhere'
	body '{"mqtt":{"endpoint":"127.0.0.1:1","publish_topic":"x"}}' >answer
	mcp check backend "http://$AT/ota/"
	ends 3
	line '^tcp  *fail'
	line '^stopped .*tls, connack, hello, init, list, quiet, bye: not reached$'
}

@test "--plan: what would be said, and nothing is" {
	gateway good
	mcp check backend "mqtt://$AT" --plan --say hi --for 800ms
	ends 0
	line '"transport":"udp"'
	line '"state":"detect","text":"hi"'
	line '"type":"goodbye"'
	line '^look  hello, at a broker once it was quiet for 1.5 s$'
	line '"session_id":"\(as the backend says\)","type":"listen","state":"start"'
	line '^look  answers to initialize, tools/list and tools/call, as it asks$'
	line '^look  what --say has the user say$'
	hints '5 messages; nothing was sent'
	hints 'nothing was sent'
	absent connect gateway.out
	mcp check backend http://127.0.0.1:1/ota/ --plan
	ends 0
	line '"transport":"websocket"'
	line '"mac_address":'
	line '^look  the question of OTA \(POST\)$'
	line '^look  if the answer has a challenge \(POST …/activate\)$'
	line '^look  hello, at a WebSocket$'
	line '^look  the session ends$'
	hints '9 messages, of one way or the other; nothing was sent'
	absent detect stdout
	mcp check backend ws://127.0.0.1:x/ --plan
	ends 2
}

@test "options that do not fit the address" {
	echo x >secret
	chmod 600 secret
	mcp --token-file secret check backend mqtt://127.0.0.1:1
	ends 2
	hints 'mqtt-password-file'
	mcp --mqtt-password-file secret check backend ws://127.0.0.1:1/
	ends 2
	mcp check backend 'mqtt://127.0.0.1:1/id?down=x'
	ends 2
	hints 'never does'
	mcp check backend 'ftp://u:secret@127.0.0.1/'
	ends 2
	hints "'ftp://u:***@127.0.0.1/': an address with"
}

@test "Ctrl-C in the middle: what was told stays, the rest is named; 130" {
	gateway silent
	background check mcpctl check backend "mqtt://$AT"
	wait_for gateway.out '"type":"hello"'
	kill -INT "$LAST"
	finish "$LAST" 130
	grep -q '^connack  *ok' check.out
	grep -q '^stopped .*hello, init, list, quiet, bye: not reached' check.out
	grep -q '^[0-9]* errors*, ' check.out
}

@test "a page in its place, and a port that never speaks TLS" {
	background web /usr/bin/python3 -u -m http.server 0 --bind 127.0.0.1
	port=$(wait_for web.out 'port [0-9]+' | sed 's/.*port \([0-9]*\).*/\1/')
	mcp check backend "ws://127.0.0.1:$port/"
	ends 3
	line '^tcp  *ok'
	line '^upgrade  *fail'
	mcp check backend "wss://127.0.0.1:$port/"
	ends 3
	line '^tls  *fail'
}

@test "frames by -v and --trace, findings by --findings, stages as JSON" {
	backend careful
	mcp -o json -v --trace trace --findings found check backend "$BACKEND" --for 800ms
	ends 7
	line '"stage":.*"name":"list","verdict":"odd"'
	grep -q '"code":"B230"' found
	grep -q 'tools/list' trace
	grep -q 'tools/list' stderr
}
