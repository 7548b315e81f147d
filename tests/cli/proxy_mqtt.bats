#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# proxy before a broker: a board that never subscribes, its voice session, its
# audio; what cannot be reached, and TLS above.

# shellcheck disable=SC2154 # out and status are set by mcp

load helper

ID='GID_test@@@02_00_00_00_00_01@@@9af7e7c8-8d4b-4f9e-9f0e-3c0a1b2c3d4e'
MAC=02:00:00:00:00:01

mqtt_serve() { # ARG…
	MQTT=$(free_port)
	serve "--mqtt=$MQTT" "$@"
	event broker 'connected to the broker'
}

between() { # UPSTREAM ARG…
	local line
	background proxy mcpctl proxy --listen 127.0.0.1:0 "$@"
	PROXY=$LAST
	line=$(wait_for proxy.err 'listening at|OTA address') || return 1
	AT=$(grep -oE '127\.0\.0\.1:[0-9]+' <<<"$line" | head -n 1)
	AT=${AT#*:}
}

@test "push to a board that never subscribes goes through, and is shown" {
	mqtt_serve
	between "mqtt://127.0.0.1:$MQTT" --trace p.cap
	background board mcpctl sim --connect "mqtt://127.0.0.1:$AT/$ID"
	event ready
	mcp call self.audio_speaker.set_volume volume=40
	ends 0
	says true
	wait_for proxy.out "$MAC +< +initialize"
	wait_for proxy.out "$MAC +> +tools/list"
	wait_for proxy.out 'self.audio_speaker.set_volume'
	kill "$PROXY"
	until_true over "$PROXY"
	wait_for proxy.out '^passed +1 connection'
	grep '"leg":"mqtt"' p.cap | grep '"topic":"device-server"' | grep '"from":"device"'
	# Credentials are not in it.
	absent password p.cap
}

@test "a voice session: the address of audio is ours, and audio passes both ways" {
	mqtt_serve --silence
	between "mqtt://127.0.0.1:$MQTT" --trace p.cap
	background board mcpctl sim --connect "mqtt://127.0.0.1:$AT/$ID" --audio
	event hello
	event audio
	wait_for proxy.out "audio: 127.0.0.1:[0-9]+ became 127.0.0.1:[0-9]+"
	wait_for p.cap '"leg":"udp".*"from":"device"'
	kill "$PROXY"
	until_true over "$PROXY"
	# The board was told another port than the backend said.
	grep '"passed"' p.cap | grep -q '"udp'
	absent '"leg":"udp".*"hex"' p.cap
	# What decrypts it has a name, the same one in what was passed on.
	grep -qE '"key\\":\\"\*\*\*([0-9]+)\\".*"passed".*"key\\":\\"\*\*\*\1\\"' p.cap
	grep -q '"nonce\\":\\"\*\*\*' p.cap
	mcp check p.cap --skip O310
	! grep 'hex digits' stdout stderr || false
	# A copy says nothing of bytes that are not in it.
	mcpctl capture mask p.cap >copy.cap
	absent '"hex":""' copy.cap
}

@test "with --rewrite none the hello stays as it is" {
	mqtt_serve
	between "mqtt://127.0.0.1:$MQTT" --rewrite none --trace p.cap
	background board "$BATS_TEST_DIRNAME/board.py" "$AT" "$ID" hello told goodbye end
	event hello
	mcp kick "$MAC"
	ends 0
	wait_for board.err 'the broker ended the connection'
	kill "$PROXY"
	until_true over "$PROXY"
	absent '"passed"' p.cap
}

@test "the end of the broker ends the board's connection, and it is told" {
	mqtt_serve
	between "mqtt://127.0.0.1:$MQTT"
	background board "$BATS_TEST_DIRNAME/board.py" "$AT" "$ID" end
	event connected "$MAC"
	kill "$SERVER"
	wait_for board.err 'the broker ended the connection'
	wait_for proxy.out "$MAC .*ended"
}

@test "nobody listens at the broker's address: why, and the board is cut off" {
	local none
	none=$(free_port)
	between "mqtt://127.0.0.1:$none"
	background board "$BATS_TEST_DIRNAME/board.py" "$AT" "$ID" end
	until_true over "$LAST"
	wait_for proxy.err "127.0.0.1.*$none"
	wait_for proxy.out 'N102'
}

@test "bad addresses of brokers" {
	mcp proxy mqtt://
	ends 2
	mcp proxy mqtt://127.0.0.1:1/topic
	ends 2
	mcp proxy mqtt://user@127.0.0.1
	ends 2
	hints "leave out what stands before '@'"
	mcp proxy mqtt://127.0.0.1:99999
	ends 2
}
