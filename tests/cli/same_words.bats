#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# One board that says odd things, heard by listen: and through serve: the same
# is noted of it.

load helper

# odd_board URL: it says what is odd when there is a file "go"; a call of
# self.odd is answered with its id as a text, one of self.twice twice, one of
# self.broken with a quote in its error, one of self.late when there is "late".
odd_board() {
	cat >odd_board.py <<'END'
import asyncio, json, os, sys
import sockets

HELLO = json.dumps({"type": "hello", "version": 1, "features": {"mcp": True}, "transport": "websocket"})
NAMES = ("odd", "twice", "broken", "late")

async def appears(name):
    while not os.path.exists(name):
        await asyncio.sleep(0.02)

async def main():
    headers = {"Device-Id": "02:00:00:00:00:07", "Client-Id": "c-7", "Authorization": "Bearer hush"}
    async with sockets.dial(sys.argv[1], headers) as ws:
        async def mcp(payload):
            await ws.send(json.dumps({"type": "mcp", "payload": dict(jsonrpc="2.0", **payload)}))

        async def oddities():
            await appears("go")
            await mcp({"id": 99, "result": {}})
            await mcp({"id": "abc", "result": {}})
            await mcp({"id": 5, "method": "notifications/state_changed", "params": {"a": 1}})
            await mcp({"id": 6, "method": "ping"})
            await mcp({"note": 1})
            await ws.send('{"type":"mcp","payload":{"id":')
            await ws.send(HELLO)
            await mcp({"method": "notifications/end"})

        async def late(number):
            await appears("late")
            await mcp({"id": number, "result": {}})

        await ws.send(HELLO)
        tasks = [asyncio.create_task(oddities())]
        done = {"content": [], "isError": False}
        async for text in ws:
            m = json.loads(text)
            m = m["payload"] if m["type"] == "mcp" else {}
            if "id" not in m or "method" not in m:
                continue
            name = m.get("params", {}).get("name")
            if m["method"] == "initialize":
                await mcp({"id": m["id"], "result": {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {"name": "odd", "version": "1"}}})
            elif m["method"] == "tools/list":
                tools = [{"name": "self." + n, "description": n, "inputSchema": {"type": "object", "properties": {}}} for n in NAMES]
                await mcp({"id": m["id"], "result": {"tools": tools}})
            elif name == "self.odd":
                await mcp({"id": str(m["id"]), "result": done})
            elif name == "self.twice":
                await mcp({"id": m["id"], "result": done})
                await mcp({"id": m["id"], "result": done})
            elif name == "self.broken":
                await ws.send('{"type":"mcp","payload":{"jsonrpc":"2.0","id":%d,"error":{"message":"no "such" thing"}}}' % m["id"])
            elif name == "self.late":
                tasks.append(asyncio.create_task(late(m["id"])))

asyncio.run(main())
END
	background board env "PYTHONPATH=$BATS_TEST_DIRNAME" /usr/bin/python3 odd_board.py "$1"
}

# said FILE: what a tail says, without its times; the hello came before serve's.
said() {
	jq -c 'select(.kind != "hello" and .kind != "notice") | del(.at_ms, .time)' "$1"
}

@test "tail through serve notes what listen: notes, word for word" {
	local tail note
	listener direct -o json listen:127.0.0.1:0 tail --count 8
	odd_board "ws://127.0.0.1:$PORT/xiaozhi/v1/"
	wait_for direct.out '"hello"'
	touch go
	finish "$LISTENER" 0
	rm go
	serve
	odd_board "ws://127.0.0.1:$PORT/xiaozhi/v1/"
	event ready
	background attached mcpctl -o json tail --count 8
	tail=$LAST
	# Connected is not yet attached.
	wait_for attached.err 'attached to'
	touch go
	finish "$tail" 0
	said direct.out >direct.said
	said attached.out >attached.said
	diff direct.said attached.said
	for note in D115 'that nobody asked with: id 99' 'nobody asked with: id ..abc' \
		D137 'neither a request nor a reply' \
		'said hello again: 2 times by now'; do
		grep -q "$note" attached.said
	done
	# In the log once a code.
	event finding 'D115 warning  .*: id 99'
	event finding 'D143 warning  .*: neither a request nor a reply'
	event finding D137
	event request 'a request, refused: notifications/state_changed'
	event request 'a request: ping'
}

@test "odd answers: the command sees its own id, and serve notes them" {
	serve
	odd_board "ws://127.0.0.1:$PORT/xiaozhi/v1/"
	event ready
	mcp -v call self.odd
	ends 0
	hints '! D114 warning  the reply has its id as another type: the id of self.odd is a text'
	event finding 'D114 warning  .*: the id of self.odd is a text'
	mcp call self.twice
	ends 0
	event finding 'D123 warning  .*: self.twice, .* after the first'
	mcp call self.broken
	hints 'no "such" thing'
	event finding 'D124 error  .*, in answer to self.broken'
	mcp --timeout 200ms call self.late
	ends 4
	background attached mcpctl -o json tail --count 1
	wait_for attached.err 'attached to'
	touch late
	finish "$LAST" 0
	jq -e '.kind == "odd" and .code == "B250" and (.note | test(": self.late, late by "))' attached.out
	event finding 'B250 warning  .*: self.late, late by '
}

@test "findings stay with the board: once in the log, counted in devices, all in the file" {
	serve --findings "$PWD/found"
	odd_board "ws://127.0.0.1:$PORT/xiaozhi/v1/"
	event ready
	mcp call self.odd
	ends 0
	hints '! D114 warning  '
	mcp call self.odd
	ends 0
	# A code is told to each command once, and to the log once.
	hints '! D114 warning  '
	[ "$(grep -c '"code":"D114"' serve.out)" = 1 ]
	jq -se 'map(select(.code == "D114")) | length == 1 and .[0].device == "02:00:00:00:00:07" and .[0].count == 1' found
	mcp -o json devices
	jq -e '.findings.warning >= 1 and .findings.error == 0' stdout
	mcp devices
	says warning
	# A new connection counts on, and its log says nothing twice.
	odd_board "ws://127.0.0.1:$PORT/xiaozhi/v1/"
	event replaced
	until_true ready_again
	jq -se 'map(select(.code == "D114")) | last.count == 2' found
	mcp call self.odd
	ends 0
	mcp -o json devices
	jq -e '.findings.warning >= 1' stdout
	mcp -q call self.odd
	ends 0
	absent D114 stderr
}

ready_again() {
	[ "$(grep -c '"event":"ready"' serve.out)" = 2 ]
}

# told FILE: what info says of the board's OTA question and its request.
told() {
	jq -S '{ota, path: .device.path, version: .device.protocol_version, headers: .device.headers}' "$1" |
		sed -E 's/127\.0\.0\.1:[0-9]+/HERE/; s/"Sec-WebSocket-Key": "[^"]*"/"Sec-WebSocket-Key": "KEY"/; s/mcpctl-[0-9a-f]+/TOKEN/'
}

@test "info through serve tells what the board told OTA, and its request" {
	listener direct -o json listen:127.0.0.1:0 info
	background board mcpctl sim --ota "$OTA"
	finish "$LISTENER" 0
	kill "$LAST" 2>/dev/null || :
	serve
	background board mcpctl sim --ota "$OTA"
	event ready
	mcp -o json info
	ends 0
	told direct.out >direct.told
	told stdout >attached.told
	diff direct.told attached.told
	jq -e '.ota.chip == "esp32s3" and (.ota.sent_to | test("^ws://")) and .headers["Device-Id"] == "02:00:00:00:00:01"' attached.told
	mcp info
	says 'sent to'
	says esp32s3
	odd_board "ws://127.0.0.1:$PORT/xiaozhi/v1/"
	event ready 02:00:00:00:00:07
	mcp -d 02:00:00:00:00:07 -o json info
	says '"Authorization":"Bearer ***"'
	absent hush stdout
}
