#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# check: what is asked at which risk, what is found, what is told of it, and to
# whom; that nothing is found where nothing is wrong.

# shellcheck disable=SC2154 # out and status are set by mcp

load helper
load terminal

# codes: of the findings above a note in the JSON of a check.
codes() {
	grep -o '"finding":{"code":"[A-Z][0-9]*","severity":"[a-z]*"' |
		grep -v '"note"' | sed 's/.*"code":"\([A-Z0-9]*\)".*/\1/' | sort -u | tr '\n' ' '
}

@test "a healthy device of every profile: nothing above a note" {
	for profile in esp32 fixtures fixtures-ws; do
		run mcpctl -o json "sim:$profile" check --risk args --skip D124
		echo "$profile: $output"
		[ "$status" -eq 0 ]
		[ "$(codes <<<"$output")" = "" ]
	done
}

@test "through serve a check charges a healthy board with nothing" {
	serve --findings "$PWD/found"
	device board
	event ready
	mcp check
	ends 0
	says '0 errors, 0 warnings'
	# What a command asks wrongly is told to it alone.
	mcp call --no-validate self.absent
	ends 1
	hints '! B240 error '
	mcp -o json devices
	jq -e '.findings | .error == 0 and .warning == 0' <<<"$out"
	jq -e '.last_finding | . == null or startswith("D")' <<<"$out"
	absent '"severity":"(error|warning)"' found
	absent '! B2' serve.out
}

@test "no question of a check has an id that was used" {
	run mcpctl --trace t.jsonl sim: check
	[ "$status" -eq 0 ]
	jq -r 'select(.kind == "text" and .from == "backend") | .text' t.jsonl |
		jq '.payload | select(.method) | .id | numbers' >ids
	[ "$(wc -l <ids)" -gt 10 ]
	[ -z "$(sort ids | uniq -d)" ]
}

@test "tools: what is wrong with the list is named by its codes, in one line" {
	cat >board.json <<-'END'
		{"extends": "esp32", "tools": [
		 {"name": "self.a.b", "description": "x", "result": true},
		 {"name": "self.a_b", "description": "y", "result": true},
		 {"name": "self.naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "description": "z", "result": true}]}
	END
	mcp sim:./board.json tools
	ends 0
	hints '2 findings in the list: D117 D113 (mcpctl check tools)'
	# A note, for who asks for more.
	mcp 'sim:?fault=duplicate-tool' tools
	[[ "$err" != *D112* ]]
	mcp -v 'sim:?fault=duplicate-tool' tools
	hints '1 finding in the list: D112 (mcpctl check tools)'
	absent 'in the list' stdout
	mcp sim:./board.json tools self.a
	ends 0
	absent 'in the list' stderr
	mcp sim: tools
	absent 'in the list' stderr
}

@test "a list that fails the second time, too, is no list without an answer" {
	cat >fails.py <<-'END'
		import json, sys
		for line in sys.stdin:
		    m = json.loads(line)
		    answer = {"jsonrpc": "2.0", "id": m.get("id")}
		    if m["method"] == "initialize":
		        answer["result"] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "a", "version": "1"}}
		    else:
		        answer["error"] = {"code": -32603, "message": "boom"}
		    if "id" in m:
		        print(json.dumps(answer), flush=True)
	END
	mcp "stdio:/usr/bin/python3 fails.py" check
	ends 7
	grep -q 'failed: the second list' <(tr -s ' \n' ' ' <stdout)
	absent 'no answer to' stdout
}

@test "a code that does not exist: status 2, and the nearest" {
	mcp sim: check --only D1O6
	ends 2
	hints "--only: no finding is called 'D1O6'"
	hints 'did you mean D106?'
	mcp sim: check --skip 'Z*' --skip 'D*'
	ends 2
	hints "--skip: no finding is called 'Z*'"
	[ ! -s stdout ]
}

@test "over HTTP nothing is connected where the first request fails" {
	mcp http://127.0.0.1:1/ check
	ends 3
	grep -q '^way *fail' stdout
	absent connected stdout
}

@test "a tool that shows it is no frame with a number" {
	mcp sim:canary check --report md:-
	says 'self.a_b'
	absent 'frame 0' stdout
}

@test "a server may leave unanswered what MCP does not know: no finding" {
	mcp --timeout 20s "$(answers strict "'tools/list={\"tools\":[]}'")" check --risk odd --fail-on note
	ends 0
	says 'float id'
}

@test "a board whose answers are no messages does not pass" {
	mcp --timeout 500ms 'sim:?fault=not-json' check --risk read
	ends 7
	says D143
	says D145
}

@test "one that is ended while it waits for the hello blames nobody for it" {
	background ended mcpctl -v 'sim:?fault=no-hello' check
	wait_for ended.err 'ready sim'
	kill -INT "$LAST"
	finish "$LAST" 130
	grep -qE '^way +ok +connected' ended.out
	grep -qE '^stopped +hello, init, ' ended.out
	absent 'D102|fail|error ' ended.out
	background ended mcpctl --report tap:ended.tap listen:127.0.0.1:0 check
	wait_for ended.err 'listening'
	kill -INT "$LAST"
	finish "$LAST" 130
	grep -qE '^stopped +way, hello, init, ' ended.out
	absent 'fail|error ' ended.out
	grep -q 'kind: "interrupted"' ended.tap
	absent unmet ended.tap
}

@test "one that is ended in the middle of a stage blames nobody for it" {
	background ended mcpctl -v --report tap:ended.tap 'sim:?fault=no-reply' check
	wait_for ended.err '"mcpctl.unknown","arguments"'
	kill -INT "$LAST"
	finish "$LAST" 130
	grep -qE '^asked +- +unknown method, unknown cursor, unknown tool; interrupted' ended.out
	grep -q '; 13 asked' ended.out
	absent 'fail|no answer|id 0' ended.out
	grep -q '^ok .* asked: unknown tool # SKIP interrupted by Ctrl-C' ended.tap
	grep -q 'kind: "interrupted"' ended.tap
	absent unmet ended.tap
}

@test "each simulated fault is named by its code" {
	local fault code
	while read -r fault code; do
		run mcpctl -o json --timeout 500ms --wait 7s "sim:?fault=$fault" check --risk read --fail-on note
		echo "$fault: $output"
		grep -q "\"code\":\"$code\"" <<<"$output"
		[ "$status" -eq 7 ] || [ "$status" -eq 3 ]
	done <<-END
		late-reply D145
		no-reply D145
		two-replies D123
		wrong-id D116
		string-id D114
		not-json D143
		cut-frame D134
		close-mid-reply D134
		half-open D145
		huge D120
		deep D124
		bad-utf8 D125
		control-characters D119
		loop-cursor D106
		empty-page D146
		no-features D101
		late-hello D147
		duplicate-tool D112
		notify-storm D148
	END
	run mcpctl -o json --wait 1s 'sim:?fault=no-hello' check
	grep -q '"code":"D102"' <<<"$output"
	[ "$status" -eq 3 ]
}

@test "stages that were not reached are named, the status is that of the failure" {
	run mcpctl ws://127.0.0.1:1/ check
	[ "$status" -eq 3 ]
	grep -qx 'stopped  init, list, asked, calls: not reached' <<<"$output"
	grep -q '^error   N102 ' <<<"$output"
	run mcpctl 'sim:?fault=cut-frame' check
	[ "$status" -eq 7 ]
	grep -qx "stopped  calls: not reached, the connection ended at 'unknown tool'" <<<"$output"
	grep -q "at 'unknown tool'" <<<"$output"
}

@test "since which question nothing is answered is told also behind one that had no answer" {
	mcp --timeout 2s "$(answers no-cursor hangs ping={})" check
	ends 7
	says 'a request is not answered in time: unknown cursor, within 2 s'
	says "stopped  calls: not reached, nothing is answered since 'unknown tool'"
}

@test "odd questions: none is waited for that firmware never answers" {
	local began=$SECONDS
	run mcpctl --timeout 60s sim: check --risk odd --skip D124
	[ "$status" -eq 0 ]
	((SECONDS - began < 60))
	for name in 'quotes in a name' 'string id' 'float id' 'params null' batch '200 kB frame'; do
		tr -s ' \n' ' ' <<<"$output" | grep -q "$name"
	done
	[[ $output != *'no answer'* ]]
}

@test "a name with quotes breaks the replies of stock firmware" {
	run mcpctl sim: check --risk odd --only D124
	[ "$status" -eq 7 ]
	grep -q '^error   D124 ' <<<"$output"
}

@test "--plan prints what is sent, and sends nothing" {
	run mcpctl ws://127.0.0.1:1/ check --plan --risk args --call 'self.x={"a":1}'
	[ "$status" -eq 0 ]
	grep -q '"id":2147483647,' <<<"$output"
	grep -q '"name":"self.x","arguments":{"a":1}' <<<"$output"
	# What --call names may do anything: it is of no level.
	grep -qE '^call +what --call names' <<<"$output"
	# What is planned is what goes out.
	mcpctl -o json sim: tools >/dev/null
	mcpctl -o json sim: check --plan --risk read 2>/dev/null |
		grep -o '"method":"[a-z/]*"' | sort -u >planned
	mcpctl --trace trace.jsonl sim: check --risk read >/dev/null
	# shellcheck disable=SC1003 # tr's own backslash
	grep -o 'method\\*":\\*"[a-z/]*' trace.jsonl | tr -d '\\' | sed 's/$/"/; s/^/"/' | sort -u >sent
	diff planned sent
	mcp sim: check --plan --risk args
	says 'look  who it is (boards; others are asked for '
	says 'look  nothing: that it may begin'
	says 'look  the list, each page'
	says 'ask   whether the network answers, ten times'
	says '      (no Ping this way: a WebSocket has one)'
	says 'ask   how fast its main loop answers, ten times'
	says 'ask   the list a second time'
	says 'read  once, and three times for its time'
	says '      (not this way, which has no frames; a WebSocket has)'
	says 'odd   whether it still answers (boards; others by ping)'
	says 'args  whether it checks arguments'
	hints ' messages are shown, for a board each in an envelope; nothing was sent'
	mcp ws://127.0.0.1:1/ check --plan --risk args
	says '      (a WebSocket Ping, where the peer came by one)'
	says 'read  each tool that is known to read only, once and three times'
	says 'args  each tool that needs an integer and cannot destroy'
	absent 'not this way' stdout
	mcp attach: check --plan --risk odd
	says '      (a WebSocket Ping of serve, where the device came by one)'
	says '      (not through serve, whose ids and frames are its own)'
	mcp sim: check --plan --risk look
	absent '^(ask|read|odd|args) ' stdout
	mcp check tools x.json --plan
	hints '0 messages: a list that is there already is read; nothing was sent'
}

@test "--call calls what is named, and its failure is none of status 0" {
	run mcpctl sim: check --call 'self.audio_speaker.set_volume={"volume":20}'
	[ "$status" -eq 0 ]
	grep -q '^called   ok    self.audio_speaker.set_volume' <<<"$output"
	run mcpctl sim: check --call 'self.audio_speaker.set_volume={"volume":500}'
	[ "$status" -eq 7 ]
	run mcpctl sim: check --call 'self.audio_speaker.set_volume=20'
	[ "$status" -eq 2 ]
	run mcpctl sim: check --call self.audio_speaker.set_volum
	[ "$status" -eq 2 ]
	grep -q "self.audio_speaker.set_volume" <<<"$output"
}

@test "a server that checks no arguments, and does not keep its output schema" {
	local fan='{"name": "fan", "inputSchema": {"type": "object", "properties": {"speed": {"type": "integer", "maximum": 9}}, "required": ["speed"]}}'
	local look='{"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}, "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}'
	run mcpctl check --risk args --fail-on warning -- /usr/bin/python3 "$BATS_TEST_DIRNAME/answers.py" \
		"tools/list={\"tools\": [$fan, $look]}" \
		'tools/call={"structuredContent": {"n": "one"}, "content": [{"type": "text", "text": "true"}]}'
	echo "$output"
	[ "$status" -eq 7 ]
	grep -q '^warning D149 ' <<<"$output"
	grep -q '^warning P710 ' <<<"$output"
}

@test "--plan of every subject: what would be sent, and nothing is" {
	run mcpctl check ota http://127.0.0.1:1/ota/ --plan
	[ "$status" -eq 0 ]
	grep -q '"mac_address"' <<<"$output"
	grep -q 'or CONNECT' <<<"$output"
	grep -q 'nothing was sent' <<<"$output"
	MCPCTL_VISION_TOKEN=sesame-sesame run mcpctl check vision http://127.0.0.1:1/v --plan --risk odd
	[ "$status" -eq 0 ]
	grep -q 'a picture of [0-9]* bytes' <<<"$output"
	grep -q 'before the question' <<<"$output"
	absent sesame-sesame <(echo "$output")
	run mcpctl check broker mqtt://127.0.0.1:1 --plan
	[ "$status" -eq 0 ]
	grep -q 'GID_mcpctl@@@' <<<"$output"
	grep -q 'device-server' <<<"$output"
	grep -q '"features":{"mcp":true}' <<<"$output"
	run mcpctl check broker mqtt://127.0.0.1:1 --plan --risk look
	grep -q '1 message; nothing was sent' <<<"$output"
	run mcpctl check here --plan
	[ "$status" -eq 0 ]
	grep -q '0 messages: this machine is looked at; nothing was sent' <<<"$output"
	run mcpctl ws://127.0.0.1:1/ check tools --plan
	[ "$status" -eq 0 ]
	grep -q '"tools/list"' <<<"$output"
	run mcpctl check broker http://127.0.0.1:1 --plan
	[ "$status" -eq 2 ]
	run mcpctl -o json check ota http://127.0.0.1:1/ --plan
	[ "$(jq -r '.plan.message == null' <<<"$(grep '"plan"' <<<"$output" | tail -1)")" = true ]
}

@test "the codes of a list are in JSON, too" {
	mcpctl -o json sim:canary tools 2>err >/dev/null
	jq -es 'map(select(.listing))[0].listing.findings | index("D113") and index("D110")' err
	mcpctl -o json sim: tools 2>err >/dev/null
	jq -es 'map(select(.listing))[0].listing.findings == []' err
	mcpctl -o json sim:canary tools volume 2>err >/dev/null || :
	jq -es 'map(select(.listing))[0].listing | has("findings") and .findings == null' err
}

@test "noise on stdout has its code at the first command" {
	run mcpctl --timeout 300ms "stdio:sh -c 'echo Listening; cat >/dev/null'" tools
	[ "$status" -eq 4 ]
	grep -q '^! P702 warning ' <<<"$output"
}

@test "what HTTP gives in place of an answer has a code" {
	local status_line code
	while read -r code status_line; do
		background says /usr/bin/python3 "$BATS_TEST_DIRNAME/http_says.py" "$status_line"
		run mcpctl --timeout 2s "http://127.0.0.1:$(wait_for says.out 'port [0-9]+' | sed 's/port //')/mcp" tools
		echo "$output"
		[ "$status" -ne 0 ]
		grep -q "^error: .*($code)" <<<"$output"
	done <<-END
		P713 500 Oops
		P713 404 Not Found
		P714 202 Accepted
	END
}

@test "an HTTP success of another type than MCP's has a code (P728, P708)" {
	local code type
	while read -r code type; do
		background says /usr/bin/python3 "$BATS_TEST_DIRNAME/http_says.py" '200 OK' OK "$type"
		run mcpctl --timeout 2s "http://127.0.0.1:$(wait_for says.out 'port [0-9]+' | sed 's/port //')/mcp" tools
		echo "$output"
		[ "$status" -eq 5 ]
		grep -q "^error: .*($code)" <<<"$output"
	done <<-END
		P728 text/plain
		P728 image/png
		P708 text/html
	END
}

@test "a WebSocket server that lets in and is mute has a code (N122)" {
	background closing /usr/bin/python3 "$BATS_TEST_DIRNAME/closing_server.py"
	run mcpctl --timeout 500ms "ws://127.0.0.1:$(wait_for closing.out 'port [0-9]+' | sed 's/port //')/" tools
	echo "$output"
	[ "$status" -eq 4 ]
	grep -q '^error: .*(N122)$' <<<"$output"
}

@test "a WebSocket server that ends it with a reason has a code (P729, P730)" {
	local code number words
	while read -r code number words; do
		background closing /usr/bin/python3 "$BATS_TEST_DIRNAME/closing_server.py" "$number" "$words"
		run mcpctl --timeout 5s "ws://127.0.0.1:$(wait_for closing.out 'port [0-9]+' | sed 's/port //')/" tools
		echo "$output"
		[ "$status" -eq 3 ]
		grep -q "^error: .*code $number: '$words') ($code)\$" <<<"$output"
		grep -q '^hint: ' <<<"$output"
	done <<-END
		P729 1009 big
		P730 1011 failed
	END
}

@test "what is no answer to the request has a code, in tools and in check" {
	local code body
	while read -r code body; do
		background says /usr/bin/python3 "$BATS_TEST_DIRNAME/http_says.py" '200 OK' "$(printf '%b' "$body")" application/json
		run mcpctl --no-init --timeout 2s "http://127.0.0.1:$(wait_for says.out 'port [0-9]+' | sed 's/port //')/mcp" tools
		echo "$output"
		[ "$status" -eq 5 ]
		grep -q "^error: .*($code)" <<<"$output"
	done <<-'END'
		D116 {"jsonrpc":"2.0","id":77,"result":{"tools":[]}}
		D116 {"jsonrpc":"2.0","id":null,"result":{}}
		D143 {"jsonrpc":"2.0","id":1}
		D124 {"jsonrpc":"2.0","id":1,
		D125 {"jsonrpc":"2.0","id":1,"result":{"x":"\xe9"}}
	END
	cat >strange.py <<-'END'
		import http.server, json

		class Strange(http.server.BaseHTTPRequestHandler):
		    protocol_version = "HTTP/1.1"

		    def do_POST(self):
		        m = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
		        method, number = m["method"], m.get("id")
		        answer = {"jsonrpc": "2.0", "id": number}
		        if method == "initialize":
		            answer["result"] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
		                                "serverInfo": {"name": "s", "version": "1"}}
		        elif method == "tools/list":
		            answer = {"jsonrpc": "2.0", "id": 77, "result": {"tools": []}}
		        else:
		            answer["error"] = {"code": -32601, "message": "no"}
		        body = json.dumps(answer).encode() if number is not None else b""
		        self.send_response(200 if body else 202)
		        self.send_header("Content-Type", "application/json")
		        self.send_header("Content-Length", str(len(body)))
		        self.end_headers()
		        self.wfile.write(body)

		    def do_GET(self):
		        self.send_error(405)

		    def log_message(self, *_):
		        pass

		server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Strange)
		print("port", server.server_port, flush=True)
		server.serve_forever()
	END
	background strange /usr/bin/python3 strange.py
	mcp "http://127.0.0.1:$(wait_for strange.out 'port [0-9]+' | sed 's/port //')/mcp" check
	ends 7
	grep -q '^error  *D116 ' stdout
	says '"id": 77'
}

@test "a question whose answer is cut has the code of that, and no time that did not pass" {
	cat >cut.py <<-'END'
		import http.server, json

		class Cut(http.server.BaseHTTPRequestHandler):
		    protocol_version = "HTTP/1.1"

		    def do_POST(self):
		        m = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
		        method, number = m["method"], m.get("id")
		        answer = {"jsonrpc": "2.0", "id": number}
		        if method == "initialize":
		            answer["result"] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
		                                "serverInfo": {"name": "s", "version": "1"}}
		        elif method == "tools/list":
		            answer["result"] = {"tools": []}
		        else:
		            answer["error"] = {"code": -32601, "message": "no"}
		        body = json.dumps(answer).encode() if number is not None else b""
		        kind = "application/json"
		        if method == "tools/call":
		            kind, body = "text/event-stream", b": later\n\n"
		        self.send_response(200 if body else 202)
		        self.send_header("Content-Type", kind)
		        self.send_header("Content-Length", str(len(body)))
		        self.end_headers()
		        self.wfile.write(body)

		    def do_GET(self):
		        self.send_error(405)

		    def log_message(self, *_):
		        pass

		server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Cut)
		print("port", server.server_port, flush=True)
		server.serve_forever()
	END
	background cut /usr/bin/python3 cut.py
	mcp "http://127.0.0.1:$(wait_for cut.out 'port [0-9]+' | sed 's/port //')/mcp" check
	ends 7
	grep -q '^error  *P714 .*unknown tool' stdout || grep -A1 '^error  *P714 ' stdout | grep -q 'unknown tool'
	absent 'within 10 s' stdout
}

@test "servers that are no device: lists, noise on stdout, an unknown revision" {
	run mcpctl sim:llm check --risk odd
	[ "$status" -eq 0 ]
	grep -q '3 prompts' <<<"$output"
	cat >server.py <<-'END'
		import json, sys
		print("Listening", flush=True)
		for line in sys.stdin:
		    m = json.loads(line)
		    if "id" in m:
		        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": {"protocolVersion": sys.argv[1], "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}}), flush=True)
	END
	run mcpctl -o json check --risk look -- /usr/bin/python3 server.py 2025-06-18
	[ "$(codes <<<"$output")" = "P702 " ]
	run mcpctl -o json check --risk look -- /usr/bin/python3 server.py 1999-01-01
	[ "$(codes <<<"$output")" = "P701 P702 " ]
	[ "$status" -eq 7 ]
}

@test "check tools: of the target, of a file, as it was kept; against backends" {
	mcpctl -o json sim:large tools >list.json
	run mcpctl check tools list.json --against gw,rust
	[ "$status" -eq 0 ]
	grep -q '^gw       MQTT gateway: keeps [0-9]* of ' <<<"$output"
	grep -q '^   lost     ' <<<"$output"
	run mcpctl sim:large check tools --kept --fail-on warning
	[ "$status" -eq 7 ]
	run mcpctl check tools list.json --against nobody
	[ "$status" -eq 2 ]
	grep -q 'there are py, gw' <<<"$output"
}

@test "reports: every kind, several at once, one on stdout" {
	mcpctl sim: check --report junit:r.xml --report sarif:r.sarif --report json:r.json --report md:issue.text --report tap:- >r.tap 2>text
	grep -q '^way      ok' text
	head -1 r.tap | grep -qx 'TAP version 13'
	python3 - <<-'END'
		import json, xml.etree.ElementTree as x
		assert x.parse("r.xml").getroot().tag == "testsuites"
		s = json.load(open("r.sarif"))
		rules = s["runs"][0]["tool"]["driver"]["rules"]
		for r in s["runs"][0]["results"]:
		    assert rules[r["ruleIndex"]]["id"] == r["ruleId"]
		assert json.load(open("r.json"))["check"]["notes"] == 1
		assert len(open("issue.text").readlines()) <= 80
	END
	run mcpctl 'sim:?fault=wrong-id' --timeout 500ms check --report tap:fails.tap
	[ "$status" -eq 7 ]
	grep -q '^not ok .* D116 ' fails.tap
	# Why: of what is not heard of any more, and of what is lost.
	run mcpctl 'sim:?fault=half-open' --timeout 500ms check --report tap:fails.tap
	[ "$status" -eq 7 ]
	grep -qF "message: \"no reply to 'a harmless request' within 500 ms\"" fails.tap
	run mcpctl 'sim:?fault=cut-frame' check --report tap:fails.tap
	[ "$status" -eq 7 ]
	grep -qF "message: \"connection lost during 'unknown tool': connection lost in the middle of a reply\"" fails.tap
	run mcpctl ws://127.0.0.1:1/ check --report junit:failed.xml
	[ "$status" -eq 3 ]
	grep -q 'N102' failed.xml
	grep -q '"executionSuccessful":true' r.sarif
	# What could not be looked at is not green.
	run mcpctl check nowhere.jsonl --report junit:failed.xml --report sarif:failed.sarif --report tap:failed.tap
	[ "$status" -eq 2 ]
	grep -q 'errors="1"' failed.xml
	grep -q 'classname="nowhere.jsonl"' failed.xml
	grep -qx 'not ok 1 - stopped: check.*' failed.tap
	grep -qx '  status: 2' failed.tap
	run mcpctl check nowhere.jsonl --report md:failed.markdown --report json:failed.json
	grep -q '^It could not be made to its end: .*nowhere.jsonl' failed.markdown
	jq -e '.check | .error | test("nowhere.jsonl")' failed.json
	jq -e '.check | .error == null and .risk == "ask" and .errors == 0 and .warnings == 0 and .asked > 0' r.json
	jq -e '.check.stages | map(.name)[0:2] == ["way", "hello"] and all(.cases | length > 0)' r.json
	jq -e '[.check.stages[].cases[] | select(.finding)] | length == 1 and .[0].verdict == "odd"' r.json
	jq -e '.runs[0] | .results | length == 1 and .[0].level == "note" and .[0].occurrenceCount >= 1' r.sarif
	grep -q '^### mcpctl check: 02:00:00:00:00:01 at sim:esp32$' issue.text
	grep -qx '0 errors, 0 warnings, 1 note; --risk ask, [0-9]* asked; mcpctl [0-9.]*.*' issue.text
	grep -q '^| way | ok | ' issue.text
	grep -qE '^- \*\*[A-Z][0-9]+\*\* note: ' issue.text
	grep -qE '# SKIP found, below --fail-on: ' r.tap
	jq -e '.runs[0].invocations[0] | .executionSuccessful == false and (.toolExecutionNotifications[0].message.text | test("nowhere.jsonl"))' failed.sarif
	run mcpctl sim: check --report xml:r
	[ "$status" -eq 2 ]
	[[ $output != *'hello '* ]] # nothing is asked for a report that cannot be
	run mcpctl sim: check --report tap:- --report md:-
	[ "$status" -eq 2 ]
}

@test "output fits 80 columns" {
	mcpctl sim: check --risk args --call self.reboot >text || :
	mcpctl sim: check tools --against all >>text
	mcpctl ws://127.0.0.1:1/ check >>text || :
	run wc -L text
	((${output%% *} <= 80))
}

@test "output fits narrow terminals" {
	local columns
	for columns in 40 24 20; do
		terminal 80 90
		# tmux would wrap what is too long, and nothing would be seen of it.
		anew "stty cols $columns; mcpctl sim: check; echo over"
		see '^over'
		see '^0 errors'
		capture
		sed -n '/^way/,/^over/p' screen >narrow
		[ "$(wc -L <narrow)" -le "$columns" ]
		grep -qE '^ +\^+$' narrow
		close_terminal
	done
}

@test "run --fail-on counts what was found while it ran" {
	run mcpctl 'sim:?fault=two-replies' run -e ping --fail-on warning
	[ "$status" -eq 0 ]
	run mcpctl 'sim:?fault=two-replies' run -e 'call self.get_device_status' --fail-on warning
	[ "$status" -eq 7 ]
	run mcpctl 'sim:?fault=two-replies' run -e 'call self.get_device_status' --fail-on error
	[ "$status" -eq 0 ]
}

@test "what runs behind a check on the same connection tells its findings again" {
	run mcpctl 'sim:?fault=string-id' run -e 'check --risk look' -e 'call self.get_device_status'
	[ "$status" -eq 0 ]
	grep -q '^! D114 ' <<<"$output"
}
