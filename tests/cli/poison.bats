#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Strangers in the network who say that they are one of the boards: what they
# are told, where a board is sent because of them, and what they get to read.

# shellcheck disable=SC2016 # for the shell of --exec
load helper

A=02:00:00:00:00:01
B=02:00:00:00:00:02

# dialled NAME PYTHON…: a WebSocket with these headers; each message that comes
# goes to NAME.out, a line each.
dialled() {
	local name=$1
	shift
	cat >"$name.py" <<END
import asyncio, json, sys, sockets

async def main():
    headers = json.loads(sys.argv[1])
    async with sockets.dial("ws://127.0.0.1:$PORT/x", headers) as ws:
        await ws.send(json.dumps({"type": "hello", "version": 1, "features": {"mcp": True}, "transport": "websocket"}))
        while True:
            text = await ws.recv()
            print(text, flush=True)
            m = json.loads(text).get("payload", {})
            if "id" in m:
                result = {"tools": [], "serverInfo": {"name": sys.argv[2], "version": "1"}, "content": [{"type": "text", "text": sys.argv[2]}]}
                await ws.send(json.dumps({"type": "mcp", "payload": {"jsonrpc": "2.0", "id": m["id"], "result": result}}))

asyncio.run(main())
END
	background "$name" env "PYTHONPATH=$BATS_TEST_DIRNAME" /usr/bin/python3 "$name.py" "$@"
}

aliases() {
	mkdir -p config/mcpctl
	printf '%s' "$1" >config/mcpctl/devices.json
}

@test "a token belongs to the Device-Id: with it nobody comes as another board" {
	printf '%s one\n%s two\n' "$A" "$B" >tokens
	serve --token-file tokens
	dialled a "{\"Device-Id\":\"$A\",\"Client-Id\":\"x\",\"Authorization\":\"Bearer one\"}" a
	event ready "$A"
	# The board B, with its own token, says that it is a third board, or A.
	code() { curl -s -o body -w '%{http_code}' -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' \
		-H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' -H 'Authorization: Bearer two' --max-time 5 "$@" "http://127.0.0.1:$PORT/x"; }
	[ "$(code -H 'Device-Id: 02:00:00:00:00:03' -H "Client-Id: $B")" = 401 ]
	event refused "another board's"
	absent another body
	[ "$(code -H "Device-Id: $A" -H "Client-Id: $B")" = 401 ]
	mcp -o json devices
	[ "$(jq -r .id <<<"$out")" = "$A" ]
	# Nor does OTA tell the token to who copies a Client-Id only.
	curl -s -d '{}' -H 'Device-Id: 02:00:00:00:00:03' -H "Client-Id: $A" "$OTA" >reply
	jq -e '.websocket | has("token") | not' reply
}

@test "who calls itself by another's alias is shown as what it is, and never picked" {
	aliases "{\"kitchen\":\"$A\"}"
	serve
	dialled id '{"Device-Id":"kitchen"}' false-id
	event ready
	event claim 'calls itself .kitchen., and that is 02:00:00:00:00:01'
	dialled client "{\"Device-Id\":\"$B\",\"Client-Id\":\"$A\"}" false-client
	event ready "$B"
	dialled board '{"Device-Id":"02:00:00:00:00:03"}' kitchen
	event ready 02:00:00:00:00:03
	# The real one is away.
	mcp -d kitchen --wait 200ms call x --no-validate
	ends 3
	mcp -d "$A" --wait 200ms call x --no-validate
	ends 3
	mcp devices
	says 'id:kitchen'
	says "calls itself 'kitchen', and that is $A"
	[ "$(grep -c 'calls itself' <<<"$out")" = 3 ]
	absent '^kitchen' stdout
	mcp -o json devices
	jq -se 'map(.claims.id) == ["'"$A"'", "'"$A"'", "'"$A"'"] and (map(select(.alias)) == [])' <<<"$out"
	# It comes back.
	dialled real "{\"Device-Id\":\"$A\"}" real
	event ready "$A"
	mcp -d kitchen call x --no-validate
	ends 0
	says real
	mcp -d id:kitchen call x --no-validate
	says false-id
	mcp kick id:kitchen
	ends 0
	hints 'ended 1 connection'
}

@test "the command of --exec reaches the board that it was started for" {
	aliases "{\"kitchen\":\"$A\"}"
	background serve mcpctl serve --listen 127.0.0.1:0 --exec 'mcpctl call x --no-validate >"answer.$MCPCTL_DEVICE"'
	wait_for serve.err '/xiaozhi/ota/'
	PORT=$(grep -oE '127\.0\.0\.1:[0-9]+' serve.err | head -n 1 | cut -d: -f2)
	dialled real "{\"Device-Id\":\"$A\"}" real
	wait_for "answer.$A" real
	dialled id '{"Device-Id":"kitchen"}' false-id
	wait_for answer.id:kitchen false-id
	grep -q 'id:kitchen' serve.err
}

# told: the last address for pictures that a board was told (serve --trace).
told() {
	wait_for trace.jsonl /vision/explain | grep -o 'http://[^"\\]*/vision/explain'
}

@test "a stranger's OTA question sends no board anywhere" {
	serve --trace trace.jsonl
	# In the board's name: another port of the same host, and a host of its own.
	for host in 127.0.0.1:6666 203.0.113.6; do
		curl -s --interface 127.0.0.2 -d '{"application":{"version":"6.6.6"}}' -H "Host: $host" -H "Device-Id: $A" "$OTA" >/dev/null
	done
	event ota "$A"
	device board --device-id "$A"
	event ready "$A"
	[ "$(told)" = "http://127.0.0.1:$PORT/vision/explain" ]
	mcp -o json devices
	[[ $out != *6.6.6* ]]
	# Now that it is there, it is said; and the board's next time is the same.
	curl -s --interface 127.0.0.2 -d '{}' -H "Host: 203.0.113.6" -H "Device-Id: $A" "$OTA" >/dev/null
	event ota "is connected from 127.0.0.1"
	device again --device-id "$A"
	event replaced "$A"
	absent '"event":"told".*pictures' serve.out
	mcp --wait 10s call self.camera.take_photo question=what
	ends 0
	event vision JPEG
}

@test "a port that is forwarded is known from the board's own connection; a change is told" {
	serve --trace trace.jsonl
	url=$(curl -s -d '{}' -H 'Host: 203.0.113.5:18000' -H "Device-Id: $A" "$OTA" | jq -r .websocket.url)
	[ "$url" = 'ws://203.0.113.5:18000/xiaozhi/v1/?port=18000' ]
	device board --device-id "$A"
	event ready "$A"
	[ "$(told)" = "http://127.0.0.1:$PORT/vision/explain" ]
	background forwarded mcpctl sim --connect "ws://127.0.0.1:$PORT/xiaozhi/v1/?port=18000" --device-id "$A"
	event told "its pictures go to http://127.0.0.1:18000/vision/explain from now on, and went to http://127.0.0.1:$PORT/"
	curl -s -d '{}' -H 'Host: 203.0.113.5:18001' -H "Device-Id: $A" "$OTA" >/dev/null
	event told 'is sent to ws://203.0.113.5:18001/xiaozhi/v1/.port=18001 now, and was sent to ws://203.0.113.5:18000/'
}

@test "a board at the broker takes its pictures where its own connection leads" {
	mqtt_serve
	background board mcpctl sim --ota "$OTA" --reconnect
	event ready
	curl -s --interface 127.0.0.2 -d '{}' -H 'Host: 203.0.113.6' -H "Device-Id: $A" -H 'Client-Id: x' "$OTA" >/dev/null
	event ota 203.0.113.6
	mcp call self.camera.take_photo question=what
	ends 0
	event vision JPEG
	# It was restarted: what the stranger asked is not its own.
	mcp kick "$A"
	event gone kick
	mcp --wait 30s call self.camera.take_photo question=again
	ends 0
	absent '"event":"told".*pictures' serve.out
}

# The token for pictures that a board was told, which no trace of ours shows.
token_of() {
	wait_for "$1" '"vision"' | jq -r '.payload.params.capabilities.vision.token'
}

@test "a token for pictures is one board's, for one connection" {
	serve
	printf 'GIF89a' >photo
	dialled a "{\"Device-Id\":\"$A\"}" a
	dialled b "{\"Device-Id\":\"$B\"}" b
	event ready "$A"
	event ready "$B"
	mine=$(token_of a.out) other=$(token_of b.out)
	[ "$mine" != "$other" ]
	code() { curl -s -o body -w '%{http_code}' -F file=@photo "$@"; }
	explain=http://127.0.0.1:$PORT/vision/explain
	[ "$(code -H "Authorization: Bearer $mine" -H "Device-Id: $A" "$explain")" = 200 ]
	event vision "$A"
	[ "$(code -H "Authorization: Bearer $other" -H "Device-Id: $A" "$explain")" = 401 ]
	event refused "$A.*the token is wrong"
	# Whose picture it is tells the token, where the request does not.
	[ "$(code -H "Authorization: Bearer $other" "$explain")" = 200 ]
	event vision "$B"
	mcp kick "$A"
	event gone "$A"
	[ "$(code -H "Authorization: Bearer $mine" -H "Device-Id: $A" "$explain")" = 401 ]
}

@test "nobody uploads to an address that serve did not hand out, or twice" {
	serve --save-images "$WORK/pictures"
	printf 'GIF89a' >photo
	dialled a "{\"Device-Id\":\"$A\"}" a
	event ready "$A"
	code() { curl -s -o body -w '%{http_code}' -F file=@photo "$@"; }
	[ "$(code "http://127.0.0.1:$PORT/upload")" = 403 ]
	event refused '/upload refused'
	[ "$(code "http://127.0.0.1:$PORT/upload/0123456789abcdef0123456789abcdef")" = 403 ]
	mcp call x --no-validate --upload url
	ends 0
	url=$(wait_for a.out tools/call | jq -r .payload.params.arguments.url)
	[[ $url =~ ^http://127.0.0.1:$PORT/upload/[0-9a-f]{32}$ ]]
	[ "$(code -H "Device-Id: $B" "${url}0")" = 403 ]
	[ "$(code "$url")" = 200 ]
	event upload "$A"
	[ "$(code "$url")" = 403 ]
	[ "$(find pictures -type f | wc -l)" = 1 ]
	absent "${url##*/}" serve.out
}

A_ID="GID_test@@@02_00_00_00_00_01@@@uuid-a"
B_ID="GID_test@@@02_00_00_00_00_02@@@uuid-b"

@test "at the broker nobody hears what another board says, or speaks to it" {
	mqtt_serve
	background board mcpctl sim --connect "mqtt://127.0.0.1:$MQTT/$A_ID"
	event ready "$A"
	for filter in '#' device-server 'devices/p2p/#' 'devices/p2p/02_00_00_00_00_01' 'mcpctl/#'; do
		run timeout 60 mosquitto_sub -p "$MQTT" -i "$B_ID" -t "$filter" -W 50
		[[ $output == *denied* ]]
	done
	event refused "it may not subscribe to 'devices/p2p/02_00_00_00_00_01': a device has 'devices/p2p/02_00_00_00_00_02' only"
	# Nor as somebody who is no device.
	run timeout 60 mosquitto_sub -p "$MQTT" -t '#' -W 50
	[[ $output == *denied* ]]
	mosquitto_pub -p "$MQTT" -i "$B_ID" -t devices/p2p/02_00_00_00_00_01 -m '{"type":"system","command":"reboot"}'
	event refused "it may not publish to 'devices/p2p/02_00_00_00_00_01': a device publishes to 'device-server' only"
	mcp -d "$A" call self.get_device_status
	ends 0
	says volume
}

@test "OTA signs for boards that are known, and devices shows who was enrolled" {
	printf 'Secret-Key-42\n' >key
	aliases "{\"kitchen\":\"$A\"}"
	asks() { curl -s -o body -w '%{http_code}' -d '{}' -H "Device-Id: $1" -H "Client-Id: $2" "$OTA"; }
	mqtt_serve --mqtt-key-file key
	[ "$(asks "$A" uuid-a)" = 200 ]
	jq -e .mqtt.password body
	[ "$(asks "$B" uuid-b)" = 403 ]
	absent password body
	event refused "$B.*it is not known.*--enroll"
	mcp devices --enrolled
	ends 0
	hints 'no board is enrolled'
	mcp stop
	finish "$SERVER" 0

	# Who shows its token is known; that of another board is none.
	printf '%s two\nany\n' "$B" >tokens
	mqtt_serve --mqtt-key-file key --token-file tokens
	ota=$OTA
	for row in '403 ' '200 ?token=two' '403 ?token=any' '403 ?token=wrong'; do
		OTA=$ota${row#* }
		[ "$(asks "$B" uuid-b)" = "${row%% *}" ]
	done
	OTA="$ota?token=two"
	[ "$(asks 02:00:00:00:00:03 x)" = 403 ]
	OTA="$ota?token=any"
	[ "$(asks 02:00:00:00:00:03 x)" = 200 ]
	OTA=$ota
	mcp stop
	finish "$SERVER" 0

	mqtt_serve --mqtt-key-file key --enroll=1h
	event enrolled 'for 1 h each board that asks OTA is enrolled'
	background board mcpctl sim --ota "$OTA" --device-id "$B"
	event enrolled "$B"
	event ready "$B"
	# Another one who says that it is this board.
	[ "$(asks "$B" stranger)" = 403 ]
	event refused "$B.*its Client-Id is another one"
	mcp devices
	says ', enrolled'
	mcp -o json devices
	jq -e '.enrolled | test("^20.*Z$")' <<<"$out"
	[ "$(stat -c %a state/mcpctl/enrolled.json)" = 600 ]
	mcp stop
	finish "$SERVER" 0

	# The next serve knows it, and nobody else.
	mqtt_serve --mqtt-key-file key
	client=$(jq -r ".[\"$B\"].client_id" state/mcpctl/enrolled.json)
	[ "$(asks "$B" "$client")" = 200 ]
	[ "$(asks 02:00:00:00:00:03 x)" = 403 ]
	mcp -o json devices --enrolled
	jq -e 'select(.id == "'"$B"'" and .state == "away") | .enrolled' <<<"$out"
	mcp devices --enrolled
	says 'away, enrolled'
	echo '{}' >state/mcpctl/enrolled.json
	kill -HUP "$SERVER"
	event reload
	[ "$(asks "$B" "$client")" = 403 ]
}

@test "what --enroll needs, and a file that is broken" {
	printf 'Secret-Key-42\n' >key
	mcp serve --mqtt --enroll
	ends 2
	hints 'needs --mqtt-key-file'
	mcp serve --mqtt --mqtt-key-file key --enroll=soon
	ends 2
	hints "'--enroll'"
	mkdir -p state/mcpctl
	echo 'x' >state/mcpctl/enrolled.json
	mcp serve --mqtt --mqtt-key-file key --listen 127.0.0.1:0
	ends 2
	hints enrolled.json
	hints 'enrol again'
}
