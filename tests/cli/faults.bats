#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Faults by name: each states the fault, a command, and what the user is told.

load helper

# fault NAME STATUS TEXT COMMAND…
fault() {
	local name=$1 status_wanted=$2 text=$3
	shift 3
	mcp --timeout 1 "sim:?fault=$name" "$@"
	ends "$status_wanted"
	[ -z "$text" ] || hints "$text"
}

status_call=(call self.get_device_status)

@test "late-reply" { fault late-reply 4 'within 1' "${status_call[@]}"; }
@test "no-reply" { fault no-reply 4 'no reply' "${status_call[@]}"; }
@test "two-replies" {
	mcp --timeout 1 'sim:?fault=two-replies' run -e 'call self.get_device_status' \
		-e ping
	ends 0
	hints '! D123 warning  a second reply'
}
@test "wrong-id" { fault wrong-id 4 '! D116 error' "${status_call[@]}"; }
@test "string-id" { fault string-id 0 '! D114 warning  ' "${status_call[@]}"; }
@test "not-json" { fault not-json 4 'JSON' "${status_call[@]}"; }
@test "huge" {
	mcp --timeout 2 'sim:?fault=huge' "${status_call[@]}"
	[ "$status" = 0 ] || [ "$status" = 4 ] || [ "$status" = 5 ] || ends 0
}
@test "deep" {
	mcp --timeout 1 'sim:?fault=deep' "${status_call[@]}"
	[ "$status" = 4 ] || ends 5
	hints 'deep'
}
@test "bad-utf8" {
	mcp --timeout 1 'sim:?fault=bad-utf8' "${status_call[@]}"
	[ "$status" = 4 ] || [ "$status" = 1 ] || ends 5
	hints 'UTF-8'
}
@test "control-characters" {
	mcp --timeout 1 'sim:?fault=control-characters' "${status_call[@]}"
	absent $'\x1b' stderr
}
@test "loop-cursor" {
	fault loop-cursor 5 'cursor' tools
	says self.get_device_status
}
@test "empty-page" { fault empty-page 5 'no tools, but a nextCursor' tools; }
@test "no-features" { fault no-features 3 'MCP' info; }
@test "no-hello" {
	mcp --wait 1 'sim:?fault=no-hello' info
	ends 3
	hints hello
}
@test "late-hello" {
	mcp --wait 60 'sim:?fault=late-hello' ping
	ends 0
}
@test "duplicate-tool" {
	mcp 'sim:?fault=duplicate-tool' tools
	ends 0
	grep -q '\[twice\]' stdout
}
@test "notify-storm" {
	mcp 'sim:?fault=notify-storm' tail --for 1s
	ends 0
	[ "$(wc -l <stdout)" -gt 10 ]
	# What came with the last that was wanted is nowhere.
	mcp 'sim:?fault=notify-storm=20' tail --filter hello --count 1
	ends 0
	[ "$(wc -l <stdout)" -eq 1 ]
	absent state_changed stderr
	# But the next command of a script has it.
	mcp 'sim:?fault=notify-storm=20' run -e 'tail --filter state_changed --count 1' -e 'tail --filter state_changed --count 2 --for 20s'
	ends 0
	[ "$(grep -c state_changed stdout)" -eq 3 ]
	grep -q '"number":3}' stdout
}
@test "cut-frame" {
	listener l --wait 60 --timeout 1 listen:127.0.0.1:0 "${status_call[@]}"
	background sim mcpctl sim --ota "$OTA" --fault cut-frame
	finish "$LISTENER" 3
}
@test "close-mid-reply" {
	listener l --wait 60 --timeout 1 listen:127.0.0.1:0 "${status_call[@]}"
	background sim mcpctl sim --ota "$OTA" --fault close-mid-reply
	finish "$LISTENER" 3
}
@test "a fault for the third device only" {
	serve
	background sim mcpctl sim --ota "$OTA" --devices 3 --fault 3:no-reply
	event ready '02:00:00:00:00:02'
	mcp -d '*:02' "${status_call[@]}"
	ends 0
	mcp --timeout 300ms -d '*:03' "${status_call[@]}"
	ends 4
	# Of none that there is it would be lost in silence.
	mcp sim --ota "$OTA" --devices 2 --fault 3:no-reply
	ends 2
	hints 'there is no device 3'
}
@test "an unknown fault: the nearest name, status 2" {
	mcp sim --connect ws://127.0.0.1:1/ --fault late-repyl
	ends 2
	hints late-reply
}
@test "time over says that a reboot is never answered" {
	mcp --timeout 1 'sim:?fault=no-reply' call self.upgrade_firmware url=http://x/
	[ "$status" = 4 ] || [ "$status" = 3 ] || ends 0
}

# Each page names the other one.
round() {
	cat >round.py <<-'END'
		import asyncio, json, sys
		sys.path.append(sys.argv[2])
		import sockets
		async def main():
		    head = {"Device-Id": "02:00:00:00:00:09", "Client-Id": "c", "Protocol-Version": "1"}
		    async with sockets.dial(sys.argv[1], head) as ws:
		        await ws.send(json.dumps({"type": "hello", "version": 1, "transport": "websocket", "features": {"mcp": True}}))
		        async for text in ws:
		            m = json.loads(text).get("payload", {})
		            if "id" not in m:
		                continue
		            result = {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {"name": "a", "version": "1"}}
		            if m["method"] == "tools/list":
		                after = {"a": "b", "b": "a"}.get(m["params"].get("cursor"), "a")
		                result = {"tools": [{"name": "before-" + after, "inputSchema": {"type": "object"}}], "nextCursor": after}
		            await ws.send(json.dumps({"type": "mcp", "payload": {"jsonrpc": "2.0", "id": m["id"], "result": result}}))
		asyncio.run(main())
	END
	background board /usr/bin/python3 round.py "$1" "$BATS_TEST_DIRNAME"
}

@test "a list that goes round by two pages" {
	listener l listen:127.0.0.1:0 tools
	round "ws://127.0.0.1:$PORT/"
	finish "$LISTENER" 5
	grep -q '! D106 error' l.err
	absent B230 l.err
}

@test "a list that goes round by two pages, through serve" {
	serve
	round "ws://127.0.0.1:$PORT/"
	event finding '"code":"D106"'
	kill -INT "$SERVER"
	wait "$SERVER" || :
	absent B230 serve.out
}

@test "a finding without a frame has its time, and what is told as the cause is no second one" {
	for fault in not-json no-reply; do
		mcp --timeout 300ms --findings "$fault.found" "sim:?fault=$fault" call self.get_device_status
		[ "$status" != 0 ]
		jq -e '.count == 1 and .first_us > 0 and .last_us == .first_us' "$fault.found"
	done
	grep -q '"D143"' not-json.found
	grep -q '"D121"' no-reply.found
	mcp --findings - sim: ping
	ends 2
	[ ! -e - ]
	# Two in one file would overwrite each other.
	mcp --trace both --findings both 'sim:?fault=no-reply' --timeout 300ms ping
	ends 8
	hints "another program writes to 'both', or another option of this one"
	mcp sim: check --report tap:both --report json:both
	ends 8
	hints "'both'"
}
