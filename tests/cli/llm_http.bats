#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The LLM service at its port, asked by clients that are none of ours: curl,
# and Python's websockets. The model is ollama.py.
# shellcheck disable=SC2154 # set by helper.bash

load helper

# service [ARG…]: the model and the service; sets URL and SERVICE.
service() {
	local line
	background model /usr/bin/python3 "$BATS_TEST_DIRNAME/ollama.py" --log asked.log
	line=$(wait_for model.out '^port [0-9]+') || return 1
	background service mcpctl sim llm --listen 127.0.0.1:0 \
		--ollama "http://127.0.0.1:${line#port }" "$@"
	SERVICE=$LAST
	line=$(wait_for service.err 'http://127') || return 1
	URL=${line##* }
}

# post BODY [ARG…]: the answer's body, on one line.
post() {
	local body=$1
	shift
	curl -sS --max-time 10 "$@" "${URL}$AT" -d "$body"
}

# The request and the answer of the client that the service was written for.
ASKED='{
  "jsonrpc": "2.0",
  "method": "tools/extract_entities",
  "params": {
    "text": "Novo contato: Maria Silva, telefone 11-9999-8888, motivo: apoio emocional",
    "entity_types": ["nome", "telefone", "email", "motivo", "data"]
  },
  "id": "req_123"
}'
RESULT='{"jsonrpc":"2.0","id":"req_123","result":{"entities":{"nome":"Maria Silva","telefone":"11-9999-8888","motivo":"apoio emocional","confianca":0.92}}}'

INIT='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}'
CALL='{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"extract_entities","arguments":{"text":"email: ana@example.com"}}}'

@test "the direct method, by POST, without a session" {
	service
	[ "$(post "$ASKED" -H 'Content-Type: application/json')" = "$RESULT" ]
	AT=rpc
	[ "$(post "$ASKED")" = "$RESULT" ]
	kill -INT "$SERVICE"
	finish "$SERVICE" 130
}

@test "the direct method takes _meta, as any request may have it" {
	service
	[ "$(post "$(jq -c '.params._meta = {progressToken: 1}' <<<"$ASKED")")" = "$RESULT" ]
}

@test "wrong arguments: an error of the tool in a new session, -32602 without one" {
	local id wrong='{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"extract_entities","arguments":{"x":1}}}'
	service
	AT=mcp
	post "${INIT/2025-06-18/2025-11-25}" -D head.txt >init
	id=$(tr -d '\r' <head.txt | sed -n 's/^mcp-session-id: //Ip')
	[[ $(post "$wrong" -H "Mcp-Session-Id: $id") == *'"text":"Invalid arguments: '*'"isError":true}}' ]]
	post "$INIT" -D head.txt >init
	id=$(tr -d '\r' <head.txt | sed -n 's/^mcp-session-id: //Ip')
	[[ $(post "$wrong" -H "Mcp-Session-Id: $id") == *'"code":-32602'* ]]
	[[ $(post "$wrong") == *'"code":-32602'* ]]
}

@test "templates, and what is no request" {
	service
	[[ $(post '{"jsonrpc":"2.0","method":"resources/get","params":{"name":"entity_extraction_prompt"},"id":"req_456"}') == *'"id":"req_456","result":'*'{text}'* ]]
	[ "$(post '{"jsonrpc":"2.0","method":"notifications/initialized"}' -o /dev/null -w '%{http_code} %{size_download}')" = '202 0' ]
	[[ $(post '{oops' -w ' %{http_code}') == *'"code":-32700'*' 400' ]]
	[[ $(post '{"jsonrpc":"2.0","method":"no/such","id":1}' -w ' %{http_code}') == *'"code":-32601'*' 200' ]]
	[[ $(curl -sS "$URL/nothing" -w ' %{http_code}') == *'MCP is at /'*' 404' ]]
	[ "$(curl -sS "${URL}health")" = '{"status":"ok","service":"llm-service"}' ]
	[[ $(curl -sS "$URL" -w ' %{content_type}') == *'llm-service'*'text/html'* ]]
}

@test "a model that takes too long, and none" {
	service --model slow --ollama-timeout 200ms
	[[ $(post "$ASKED") == *'"code":-32000,"message":"Internal error: LLM timeout","data":{"timeout_seconds":'*'"retry_after":'* ]]
	kill "${PIDS[0]}"
	until_true over "${PIDS[0]}"
	[[ $(post "$ASKED") == *'"code":-32001,'*'"retry_after":'* ]]
}

@test "Streamable HTTP: a session from its beginning to its end" {
	local id accept='Accept: application/json, text/event-stream'
	service
	AT=mcp
	post "$INIT" -H "$accept" -D head.txt >init
	grep -q '"name":"llm-service"' init
	id=$(tr -d '\r' <head.txt | sed -n 's/^mcp-session-id: //Ip')
	[ ${#id} = 32 ]
	[ "$(post '{"jsonrpc":"2.0","method":"notifications/initialized"}' -H "Mcp-Session-Id: $id" -w '%{http_code}')" = 202 ]
	[[ $(post "$CALL" -H "$accept" -H "Mcp-Session-Id: $id" -H 'MCP-Protocol-Version: 2025-06-18') == *'"structuredContent":{"entities":{"email":"ana@example.com"'* ]]
	[ "$(post "$CALL" -H "Mcp-Session-Id: $id" -H 'MCP-Protocol-Version: tomorrow' -o /dev/null -w '%{http_code}')" = 400 ]
	[ "$(post "$CALL" -H "Mcp-Session-Id: 0$id" -o /dev/null -w '%{http_code}')" = 404 ]
	[ "$(curl -sS -X DELETE "${URL}mcp" -H "Mcp-Session-Id: $id" -w '%{http_code}')" = 204 ]
	[ "$(post "$CALL" -H "Mcp-Session-Id: $id" -o /dev/null -w '%{http_code}')" = 404 ]
}

@test "a client that takes nothing but events" {
	service
	run post "$ASKED" -N -H 'Accept: text/event-stream'
	[ "$status" = 0 ]
	[[ $output == *"event: message"*"data: $RESULT"* ]]
}

@test "HTTP+SSE: the replies come on the stream" {
	local where
	service
	background stream curl -sSN --max-time 600 "${URL}sse"
	where=$(wait_for stream.out '^data: /messages') || return 1
	AT=${where#data: /}
	[ "$(post "$INIT" -w '%{http_code}')" = 202 ]
	wait_for stream.out '^data: .*"name":"llm-service"'
	post "$ASKED"
	[ "$(wait_for stream.out '^data: .*req_123')" = "data: $RESULT" ]
	kill "$LAST"
	wait_for service.err 'HTTP\+SSE: a client went'
	[ "$(post "$ASKED" -o /dev/null -w '%{http_code}')" = 404 ]
}

@test "WebSocket: one connection, several questions" {
	service
	cat >client.py <<-'END'
		import asyncio, json, sys, websockets

		async def main(url, asked):
		    async with websockets.connect(url, subprotocols=["mcp"]) as ws:
		        print(ws.subprotocol)
		        await ws.send(asked)
		        await ws.send('{"jsonrpc":"2.0","id":"p","method":"ping"}')
		        for _ in range(2):
		            print(await ws.recv())

		asyncio.run(main(*sys.argv[1:]))
	END
	# What needs no model does not wait for one: it comes first, unless the
	# model's answer was there before it was asked.
	for _ in {1..20}; do
		run timeout 20 /usr/bin/python3 client.py "ws${URL#http}some/path" "$ASKED"
		echo "$output"
		[ "$status" = 0 ]
		[ "${lines[0]}" = mcp ]
		[[ ${lines[1]} == *'"id":"p"'* ]] && break
	done
	[[ ${lines[1]} == *'"id":"p"'* ]]
	[ "${lines[2]}" = "$RESULT" ]
	wait_for service.err 'WebSocket: a client went'
}

@test "pages may not ask, but for those that were named" {
	service --allow-origin http://localhost:3000
	[[ $(post "$ASKED" -H 'Origin: http://evil.example' -w ' %{http_code}') == *' 403' ]]
	[[ $(post "$ASKED" -H 'Origin: http://localhost:3001' -w ' %{http_code}') == *' 403' ]]
	[ "$(post "$ASKED" -H 'Origin: http://localhost:3000')" = "$RESULT" ]
	[ ! -s asked.log ] || [ "$(wc -l <asked.log)" = 1 ]
	curl -sS -X OPTIONS -D - "$URL" -H 'Origin: http://localhost:3000' \
		-H 'Access-Control-Request-Method: POST' |
		grep -qi '^access-control-allow-origin: http://localhost:3000'
}

@test "a client that leaves: the model is not waited for" {
	service --model slow
	run curl -sS --max-time 0.3 "$URL" -d "$ASKED"
	[ "$status" = 28 ]
	kill -INT "$SERVICE"
	finish "$SERVICE" 130
	run grep -i timeout service.err
	[ "$status" = 1 ]
}

@test "our own client, by each way" {
	service
	for target in "$URL" "sse+${URL}sse" "ws${URL#http}"; do
		mcp "$target" call extract_entities text='email: ana@example.com'
		ends 0
		says ana@example.com
	done
}

@test "sim:llm needs no port" {
	service
	mcp 'sim:llm' tools
	ends 0
	says extract_entities
	mcp "sim:llm?ollama=http://127.0.0.1:$(sed 's/port //' model.out)" call extract_entities text='email: ana@example.com'
	ends 0
	says ana@example.com
	mcp 'sim:llm?fault=x' tools
	ends 2
	hints 'ollama='
}

@test "options of devices are not for services" {
	for option in --connect=ws://127.0.0.1:1/ --devices=2 --fault=none --audio; do
		mcp sim llm "$option"
		ends 2
		hints "is a service"
	done
	mcp sim llm --listen nowhere:x
	ends 2
	mcp sim llm --listen 127.0.0.1:0 --for 100ms
	ends 0
}
