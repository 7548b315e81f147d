#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Simulated services of both eras at a port, asked by curl as anybody can ask it,
# and by mcpctl.
# shellcheck disable=SC2154 # set by helper.bash

load helper
bats_require_minimum_version 1.5.0

# service PROFILE: sets URL and SERVICE.
service() {
	local line
	background service mcpctl sim "$1" --listen 127.0.0.1:0
	SERVICE=$LAST
	line=$(wait_for service.err 'listening at') || return 1
	URL=${line##* }mcp
}

over() {
	kill -INT "$SERVICE"
	finish "$SERVICE" 130
}

BOTH='Accept: application/json, text/event-stream'

# post BODY [ARG…]
post() {
	local body=$1
	shift
	curl -sS --max-time 20 -H "$BOTH" "$@" "$URL" -d "$body"
}

# session CAPABILITIES: sets ID, the header of a new session.
session() {
	local head
	head=$(post '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":'"$1"',"clientInfo":{"name":"curl","version":"1"}}}' -D - -o /dev/null)
	ID="Mcp-Session-Id: $(sed -n 's/^Mcp-Session-Id: //p' <<<"$head" | tr -d '\r')"
}

META='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}'

# modern METHOD PARAMS [ARG…]: the body, then the status.
modern() {
	local method=$1 params=$2
	shift 2
	post '{"jsonrpc":"2.0","id":7,"method":"'"$method"'","params":{'"$params$META"'}}' \
		-H 'MCP-Protocol-Version: 2026-07-28' -H "Mcp-Method: $method" \
		-w '\n%{http_code}' "$@"
}

@test "1,000 of 1,000 log lines come before the result, and not after it" {
	service conformance
	session '{}'
	post '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_many_logs"}}' -H "$ID" >said
	[ "$(grep -c '^data: .*notifications/message' said)" = 1000 ]
	grep -q '"line 1000 of 1000"' said
	[ "$(grep '^data: ' said | tail -n 1 | cut -c 7- | jq .id)" = 1 ]
	modern tools/call '"name":"test_many_logs",' -H 'Mcp-Name: test_many_logs' >said
	run ! grep notifications said
	grep -q '"resultType":"complete"' said
	META=${META%\}},'"io.modelcontextprotocol/logLevel":"debug"}'
	modern tools/call '"name":"test_many_logs",' -H 'Mcp-Name: test_many_logs' >said
	[ "$(grep -c '^data: .*notifications/message' said)" = 1000 ]
	over
}

@test "1,000 of 1,000 log lines reach who calls, in both eras" {
	local era
	service conformance
	for era in legacy modern; do
		mcp -v --era $era "$URL" call test_many_logs
		ends 0
		[ "$(grep -c '^<- .*notifications/message.*line [0-9]* of 1000' <<<"$err")" = 1000 ]
		# Without it a screen takes ten a second; the others are counted.
		mcp --era $era "$URL" run -e 'loglevel info' -e 'call test_many_logs'
		ends 0
		hints 'more messages not shown here: -v shows every frame'
	done
	over
}

@test "who asks is answered on the stream of the call, by another POST" {
	service conformance
	session '{"elicitation":{}}'
	post '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"test_elicitation","arguments":{"message":"Who?"}}}' -H "$ID" -N >said &
	local caller=$! asked
	asked=$(wait_for said elicitation/create) || return 1
	asked=$(cut -c 7- <<<"$asked")
	[ "$(jq -r .params.message <<<"$asked")" = 'Who?' ]
	[ "$(post '{"jsonrpc":"2.0","id":"'"$(jq -r .id <<<"$asked")"'","result":{"action":"accept","content":{"username":"u","email":"e"}}}' -H "$ID" -w '%{http_code}')" = 202 ]
	wait "$caller"
	grep -q 'action=accept' said
	over
}

@test "a stream that the service closes goes on where the client left it" {
	service conformance
	session '{}'
	post '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"test_reconnection"}}' -H "$ID" >said
	run ! grep 'jsonrpc' said
	grep -q '^retry: 100' said
	local last
	last=$(sed -n 's/^id: //p' said | tail -n 1 | tr -d '\r')
	curl -sS --max-time 20 -H 'Accept: text/event-stream' -H "$ID" -H "Last-Event-ID: $last" "$URL" >rest
	grep -q 'the client came back for this' rest
	over
}

@test "2026-07-28: what a request must carry, and with which status it is refused" {
	service conformance
	[ "$(modern server/discover '' | tail -n 1)" = 200 ]
	[ "$(modern server/discover '' | head -n 1 | jq -c .result.supportedVersions)" = '["2026-07-28"]' ]
	modern ping '' >said
	grep -q -- -32601 said
	[ "$(tail -n 1 said)" = 404 ]
	modern tools/call '"name":"test_simple_text",' -H 'Mcp-Name: other' >said
	grep -q -- -32020 said
	[ "$(tail -n 1 said)" = 400 ]
	modern tools/call '"name":"test_missing_capability",' -H 'Mcp-Name: test_missing_capability' >said
	grep -q '"requiredCapabilities":{"sampling":{}}' said
	[ "$(tail -n 1 said)" = 400 ]
	META=${META/2026-07-28/2027-01-01}
	post '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{'"$META"'}}' \
		-H 'MCP-Protocol-Version: 2027-01-01' -H 'Mcp-Method: tools/list' >said
	grep -q '"code":-32022' said
	[ "$(curl -sS -o /dev/null -w '%{http_code}' -H 'MCP-Protocol-Version: 2026-07-28' -H 'Accept: text/event-stream' "$URL")" = 405 ]
	[ "$(curl -sS -o /dev/null -w '%{http_code}' -X DELETE -H 'MCP-Protocol-Version: 2026-07-28' "$URL")" = 405 ]
	over
}

@test "2026-07-28: a subscription hears of changes until its client goes" {
	service conformance
	modern subscriptions/listen '"notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://watched-resource"]},' -N >said &
	local listener=$!
	wait_for said 'subscriptions/acknowledged' >/dev/null
	modern tools/call '"name":"test_trigger_tool_change",' -H 'Mcp-Name: test_trigger_tool_change' >/dev/null
	wait_for said 'tools/list_changed' >/dev/null
	modern tools/call '"name":"test_resource_update",' -H 'Mcp-Name: test_resource_update' >/dev/null
	wait_for said 'resources/updated' >/dev/null
	modern tools/call '"name":"test_trigger_prompt_change",' -H 'Mcp-Name: test_trigger_prompt_change' >/dev/null
	run ! grep prompts/list_changed said
	kill "$listener"
	wait "$listener" || true
	# JSON only: it cannot hear
	BOTH='Accept: application/json'
	modern subscriptions/listen '"notifications":{},' >one
	grep -q 'needs an event stream' one
	over
}

@test "sessions and subscriptions without end: the service stays, and says so" {
	service conformance
	local i
	for i in $(seq 110); do
		printf 'next\nurl = "%s"\nheader = "%s"\nheader = "MCP-Protocol-Version: 2026-07-28"\nheader = "Mcp-Method: subscriptions/listen"\ndata = "%s"\noutput = "listen.%d"\n' \
			"$URL" "$BOTH" '{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"subscriptions/listen\",\"params\":{\"notifications\":{},'"${META//\"/\\\"}"'}}' "$i"
	done | sed 1d >many
	curl -sS --parallel --parallel-immediate --parallel-max 120 --no-progress-meter -K many 2>/dev/null &
	local many=$!
	until_true sh -c 'grep -qs "100 subscriptions are open already" listen.*'
	[ "$(modern tools/list '' | tail -n 1)" = 200 ]
	kill "$many"
	wait "$many" || true
	over
}

@test "pages of others and names that lead here are refused, in both eras" {
	service conformance
	[ "$(modern tools/list '' -H 'Origin: http://evil.example' | tail -n 1)" = 403 ]
	[ "$(modern tools/list '' -H 'Host: evil.example' | tail -n 1)" = 421 ]
	[ "$(modern tools/list '' -H "Origin: ${URL%/mcp}" | tail -n 1)" = 200 ]
	over
}

@test "a message that is too large, ids that are none, and no JSON at all" {
	service conformance
	head -c 5000000 /dev/zero | tr '\0' x >large
	[ "$(curl -sS -o /dev/null -w '%{http_code}' "$URL" --data-binary @large)" = 413 ]
	post '{"jsonrpc":"2.0","id":{},"method":"tools/list","params":{'"$META"'}}' \
		-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/list' -w '\n%{http_code}' >said
	grep -q -- -32600 said
	[ "$(tail -n 1 said)" = 400 ]
	post '{' -H 'MCP-Protocol-Version: 2026-07-28' -w '\n%{http_code}' >said
	grep -q -- -32700 said
	[ "$(tail -n 1 said)" = 400 ]
	over
}

@test "one era only: the other is told so" {
	jq '.era = "modern"' "$ROOT/src/sim/profiles/conformance.json" >mine.json
	service ./mine.json
	post '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}' -w '\n%{http_code}' >said
	grep -q '"supported":\["2026-07-28"\],"requested":"2025-11-25"' said
	[ "$(tail -n 1 said)" = 400 ]
	over
}

@test "without a port: sim:conformance" {
	mcp sim:conformance --elicit accept-defaults call test_elicitation_sep1034_defaults
	ends 0
	says 'action=accept'
	says 'John Doe'
	mcp sim:conformance read test://template/7/data
	ends 0
	says '"Data for ID: 7"'
	mcp -o json sim:conformance prompt test_prompt_with_image
	ends 0
	says image/png
}
