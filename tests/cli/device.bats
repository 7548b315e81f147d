#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The main job: a device that was only given an OTA address dials in.

load helper

@test "a device dials in by way of OTA and is shown, listed and called" {
	listener l --wait 60 listen:127.0.0.1:0 run -e info -e tools \
		-e 'call self.audio_speaker.set_volume volume=33' \
		-e 'call self.get_device_status'
	background sim mcpctl sim --ota "$OTA" --device-id 02:00:00:00:00:07
	finish "$LISTENER" 0
	grep -q '02:00:00:00:00:07' l.out
	grep -q 'self.audio_speaker.set_volume' l.out
	grep -q '"volume":33' l.out
}

@test "info says what the OTA request told" {
	listener l --wait 60 -o json listen:127.0.0.1:0 info
	background sim mcpctl sim --ota "$OTA"
	finish "$LISTENER" 0
	jq -e '.hello.features.mcp == true' l.out
	jq -e '.initialize.serverInfo.name | length > 0' l.out
	jq -e '.ota.version | length > 0' l.out
	jq -e '.timing_ms.up >= 0' l.out
}

@test "OTA answers with and without the last slash, by the request's Host" {
	listener l --wait 60 listen:127.0.0.1:0/xiaozhi/v1/ tools
	for path in /xiaozhi/ota/ /xiaozhi/ota; do
		run curl -s -H 'Device-Id: 02:00:00:00:00:01' -d '{}' \
			"http://127.0.0.1:$PORT$path"
		[ "$(jq -r .websocket.url <<<"$output")" = \
			"ws://127.0.0.1:$PORT/xiaozhi/v1/" ]
		[ "$(jq -r 'keys | join(",")' <<<"$output")" = websocket ]
	done
}

@test "--advertise is the address that OTA gives" {
	listener l --wait 60 --advertise wss://bench.example/ws listen:127.0.0.1:0 tools
	run curl -s -H 'Device-Id: 02:00:00:00:00:01' -d '{}' \
		"http://127.0.0.1:$PORT/xiaozhi/ota/"
	[[ $(jq -r .websocket.url <<<"$output") == wss://bench.example* ]]
}

@test "a wrong token is refused with 401 before the upgrade" {
	MCPCTL_TOKEN=secret-token listener l --wait 6 listen:127.0.0.1:0 info
	run curl -s -o /dev/null -w '%{http_code}' -H 'Connection: Upgrade' \
		-H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' \
		-H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' \
		-H 'Authorization: Bearer wrong' "http://127.0.0.1:$PORT/x"
	[ "$output" = 401 ]
	MCPCTL_SIM_TOKEN=wrong mcp sim --connect "ws://127.0.0.1:$PORT/" --for 60s
	ends 6
	hints MCPCTL_SIM_TOKEN
	finish "$LISTENER" 3
	grep -qi 'token' l.err
	absent 'secret-token' l.err
}

@test "the right token, given by OTA, is accepted" {
	MCPCTL_TOKEN=secret-token listener l --wait 60 -v listen:127.0.0.1:0 ping
	background sim mcpctl sim --ota "$OTA"
	finish "$LISTENER" 0
	absent 'secret-token' l.err l.out
}

@test "a second device is refused, and the user is told" {
	listener l --wait 60 listen:127.0.0.1:0 tail
	background first mcpctl sim --connect "ws://127.0.0.1:$PORT/"
	wait_for first.err 'welcomed|hello'
	background second mcpctl sim --connect "ws://127.0.0.1:$PORT/" \
		--device-id 02:00:00:00:00:02
	wait_for l.err 'refused 02:00:00:00:00:02: a second device'
	kill -INT "$LISTENER"
	finish "$LISTENER" 130
}

@test "a device that was reset and dials in again ends the dead connection" {
	listener l --wait 60 listen:127.0.0.1:0 tail --for 120s
	background first mcpctl sim --connect "ws://127.0.0.1:$PORT/" --for 120s
	wait_for l.out listen
	kill -STOP "$LAST"
	background second mcpctl sim --connect "ws://127.0.0.1:$PORT/" --for 120s
	local first=${PIDS[-2]}
	finish "$LISTENER" 3
	kill -CONT "$first"
	grep -q 'dialled in again' l.err
	grep -q 'run the command again' l.err
}

@test "--vision-url goes into initialize" {
	listener l --wait 60 -v --vision-url http://192.0.2.1/vision listen:127.0.0.1:0 \
		call self.camera.take_photo question=what
	background sim mcpctl sim fixtures --ota "$OTA"
	finish "$LISTENER" 0
	grep -q '"vision":{"url":"http://192.0.2.1/vision"' l.err
}

@test "tail shows listen messages and counts audio" {
	listener l --wait 60 listen:127.0.0.1:0 tail
	background sim mcpctl sim --ota "$OTA" --audio
	wait_for l.out ' listen '
	wait_for l.out ' audio '
	kill -INT "$LISTENER"
	finish "$LISTENER" 130
}

@test "tail --count ends when they came, and is 4 when they did not" {
	listener l --wait 60 listen:127.0.0.1:0 tail --filter listen --count 1 --for 60s
	background sim mcpctl sim --ota "$OTA"
	finish "$LISTENER" 0
	listener m --wait 60 listen:127.0.0.1:0 tail --filter nothing --count 1 --for 1s
	background sim2 mcpctl sim --ota "$OTA"
	finish "$LISTENER" 4
}

@test "binary frames of versions 2 and 3 are decoded" {
	for version in 2 3; do
		listener l$version --wait 60 -o json listen:127.0.0.1:0 \
			tail --filter audio --count 1 --for 60s
		background sim$version mcpctl sim --connect "ws://127.0.0.1:$PORT/" \
			--audio --frame-version $version
		finish "$LISTENER" 0
		grep -q '"kind":"audio"' l$version.out
	done
}

@test "reboot is no failure: the connection drops as documented" {
	listener l --wait 60 listen:127.0.0.1:0 call self.reboot
	background sim mcpctl sim --ota "$OTA"
	finish "$LISTENER" 0
}

@test "the device goes in the middle of a call: which call, status 3" {
	listener l --wait 60 listen:127.0.0.1:0 call self.get_device_status
	background sim mcpctl sim --ota "$OTA" --fault close-mid-reply
	finish "$LISTENER" 3
	grep -q 'self.get_device_status' l.err
}
