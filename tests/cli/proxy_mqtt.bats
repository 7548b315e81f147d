#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# proxy before a broker: a board that never subscribes, its voice session, its
# audio; what cannot be reached, and TLS above.

# shellcheck disable=SC2154 # out and status are set by mcp

load helper

ID='GID_test@@@02_00_00_00_00_01@@@9af7e7c8-8d4b-4f9e-9f0e-3c0a1b2c3d4e'
MAC=02:00:00:00:00:01

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
	mqtt_serve --silence --trace s.cap --audio
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
	# At its end it has its leg, within the connection that agreed on it.
	wait_for s.cap '"c":1,"leg":"udp","from":"device","kind":"binary",.*"hex":"fb03fffefffefffe"'
	absent '"leg":"mqtt".*"kind":"binary"' s.cap
	# What decrypts it has a name, the same one in what was passed on.
	grep -qE '"key\\":\\"\*\*\*([0-9]+)\\".*"passed".*"key\\":\\"\*\*\*\1\\"' p.cap
	grep -q '"nonce\\":\\"\*\*\*' p.cap
	mcp check p.cap --skip O310
	! grep 'hex digits' stdout stderr || false
	absent ', 0 of audio' stdout
	says ' of audio, '
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

@test "a broker that does not answer as one" {
	local mode code
	while read -r mode code; do
		background bad /usr/bin/python3 "$BATS_TEST_DIRNAME/bad_upstream.py" "$mode"
		between "mqtt://localhost:$(wait_for bad.out '^port ' | tr -dc 0-9)" --fail-on error
		run mosquitto_sub -h 127.0.0.1 -p "${AT#*:}" -i 'GID_test@@@aa_bb_cc_dd_ee_ff@@@u' -t x -W 3
		[ "$status" != 0 ]
		wait_for proxy.out "! $code "
		[ "$code" != N113 ] || wait_for proxy.out 'the board sees its connection fail, and tries again'
		kill -INT "$PROXY"
		finish "$PROXY" 7
	done <<-'END'
		close N113
		reset N113
		garbage N112
		403 N112
	END
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
	# None is repeated with its password.
	for address in mqtt://u:geheim@127.0.0.1/topic mqtt://u:geheim@127.0.0.1 tcp://u:geheim@127.0.0.1; do
		mcp proxy "$address"
		ends 2
		[[ "$err" != *geheim* ]]
	done
}

@test "a broker whose certificate --insecure alone lets pass is told as any upstream" {
	tls_end
	between "mqtts://localhost:$TLS" --insecure
	printf '\x10\x0d\x00\x04MQTT\x04\x02\x00\x3c\x00\x01a' >whole
	background board bash -c "/usr/bin/python3 '$BATS_TEST_DIRNAME/knock.py' $AT <whole"
	wait_for proxy.out 'TLSv1.3 to localhost, certificate of test-ca'
	wait_for proxy.out 'N204'
	wait_for proxy.err "localhost:$TLS: .*; a board would go no further"
	kill "$PROXY"
	finish "$PROXY" 0
}
