#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# serve --mqtt with the real mosquitto and our plugin in it; the target mqtt:.

load helper

ID='GID_test@@@02_00_00_00_00_01@@@9af7e7c8-8d4b-4f9e-9f0e-3c0a1b2c3d4e'

@test "a stock board never subscribes, and is reached in standby" {
	mqtt_serve
	background board mcpctl sim --connect "mqtt://127.0.0.1:$MQTT/$ID"
	event ready
	mcp call self.audio_speaker.set_volume volume=40
	ends 0
	says true
	mcp devices -o json
	says '"transport":"mqtt"'
	says "$ID"
	mcp tools
	ends 0
}

@test "from OTA to MQTT by itself" {
	mqtt_serve
	# Nobody came yet: to wake a board that connects by itself is no advice.
	mcp devices
	ends 0
	hints "as the OTA address of a board and restart it; a board over MQTT comes when it starts"
	absent 'restart it and wake it' stderr
	curl -s -d '{}' -H 'Device-Id: 02:00:00:00:00:01' -H 'Client-Id: abc' "$OTA" >reply
	jq -e '.mqtt.endpoint == "127.0.0.1:'"$MQTT"'" and .mqtt.publish_topic == "device-server"' reply
	jq -e 'has("websocket") | not' reply
	background board mcpctl sim --ota "$OTA"
	event ready
	mcp ping
	ends 0
}

@test "who listens everywhere names an address that boards can use" {
	background serve mcpctl serve --listen 0.0.0.0:0 "--mqtt=$(free_port)"
	wait_for serve.err '  mqtt://[0-9.]+:[0-9]+ \(mosquitto [0-9.]+\)$'
	absent '//0.0.0.0' serve.err serve.out
}

@test "a board that was sent to MQTT and does not come is told, to serve and to tools" {
	mqtt_serve
	curl -s -d '{}' -H 'Device-Id: 02:00:00:00:00:09' -H 'Client-Id: abc' "$OTA" >reply
	event missing '02:00:00:00:00:09.*was sent to MQTT 2[0-9] s ago, and has not come to the broker'
	event missing "TCP port $MQTT of this machine"
	mcp --wait 200ms tools
	ends 3
	hints "'02:00:00:00:00:09' was sent to MQTT"
	# It is not said of who came.
	background board mcpctl sim --ota "$OTA" --device-id 02:00:00:00:00:09
	event ready
	mcp -d zzz --wait 200ms tools
	absent 'was sent to MQTT' stderr
}

@test "a voice session: hello with a key, audio over UDP is counted, goodbye" {
	mqtt_serve --silence
	background board mcpctl sim --connect "mqtt://127.0.0.1:$MQTT/$ID" --audio
	event hello
	event audio
	mcp call self.get_device_status
	ends 0
}

@test "kick of a board in a voice session: goodbye with its session first, then its connection ends" {
	mqtt_serve --no-init
	background board "$BATS_TEST_DIRNAME/board.py" "$MQTT" "$ID" hello told goodbye end
	event hello
	mcp kick -d 02:00:00:00:00:01
	ends 0
	wait_for board.err 'the broker ended the connection'
	wait_for board.out '"session_id": "mcpctl-[0-9a-f]{16}"'
	# A session that was there before serve was: the board shows its id.
	background board "$BATS_TEST_DIRNAME/board.py" "$MQTT" "$ID" publish '{"session_id":"S-1","type":"listen","state":"start"}' told goodbye end
	event message S-1
	mcp kick 02:00:00:00:00:01
	ends 0
	wait_for board.out '"session_id": "S-1"'
	mcp -d x kick y
	ends 2
	hints "two devices: 'y' and 'x' (option --device)"
	mcp kick
	ends 2
	hints "needs DEVICE"
}

@test "send fills in the session id over MQTT, also that of a session that begins later" {
	mqtt_serve --no-init
	background board "$BATS_TEST_DIRNAME/board.py" "$MQTT" "$ID" sleep 1 publish '{"type":"x"}' told stt hello told tts told llm sleep 60
	event connected
	mcp --no-init send '{"type":"stt","text":"a"}'
	ends 0
	wait_for board.out '"type": "stt"'
	event hello
	mcp --no-init send '{"type":"tts","state":"start"}'
	ends 0
	wait_for board.out '"type": "tts"'
	mcp --all send '{"type":"llm","emotion":"sad"}'
	ends 0
	wait_for board.out '"type": "llm"'
	[ "$(jq -r 'select(.type == "tts" or .type == "llm").session_id' board.out | sort -u | grep -c mcpctl-)" = 1 ]
	jq -se 'map(select(.type == "stt" and has("session_id"))) == []' board.out
}

@test "a session each time: another key, what was dropped is told and counted" {
	mqtt_serve --no-init
	background board "$BATS_TEST_DIRNAME/board.py" "$MQTT" "$ID" \
		hello audio again gap short junk hello audio audio goodbye sleep 60
	event message goodbye
	[ "$(jq -r .key board.out | sort -u | wc -l)" = 2 ]
	[ "$(jq -r .nonce board.out | sort -u | wc -l)" = 2 ]
	event odd 'number 1 came after 1'
	event odd 'its head tells 3 bytes of audio, and 4 came'
	event audio '"text":"audio: 4 frames, 12 bytes, 1 broken packet, 1 repeated or late, 1 gap in all"'
	mcp devices -o json
	says '"audio":{"frames":4,"bytes":12,"broken":1,"repeated":1,"gaps":1,"lost":2,"sent":0,"jitter_ms":null,"late":null,"holes":null,"missing_ms":null,"drift_ppm":null}'
}

@test "a photo, though the board was at the broker before serve was, and asked no OTA" {
	MQTT=$(free_port)
	serve "--mqtt=$MQTT"
	event broker
	background board mcpctl sim --connect "mqtt://127.0.0.1:$MQTT/$ID"
	event ready
	mcp call self.camera.take_photo question=what
	ends 0
	says success
	event vision JPEG
}

@test "who looks at all messages shows the operator's password, and sees nothing below mcpctl/" {
	echo 'pass word' >operator
	mqtt_serve --mqtt-operator-file operator
	background spy mosquitto_sub -p "$MQTT" -u operator -P 'pass word' -t '#' -t 'mcpctl/#' -v
	background board mcpctl sim --connect "mqtt://127.0.0.1:$MQTT/$ID"
	event ready
	mosquitto_pub -p "$MQTT" -t device-server -m 'not a device'
	mosquitto_pub -p "$MQTT" -u operator -P 'pass word' -t elsewhere -m 'by the operator'
	mosquitto_pub -p "$MQTT" -t "mcpctl/kick/$ID" -n || :
	wait_for spy.out 'by the operator'
	wait_for spy.out 'not a device'
	mcp call self.get_device_status
	wait_for spy.out '"type":"mcp"'
	absent '^mcpctl/' spy.out
	mcp devices -o json
	[ "$(wc -l <<<"$out")" = 1 ]
	rm operator
	mcp serve --socket run/other --listen 127.0.0.1:0 "--mqtt=$(free_port)" --mqtt-operator-file operator
	ends 2
	hints 'operator file'
	mcp serve --mqtt-operator-file operator
	ends 2
	hints "needs --mqtt"
}

@test "a foreign device by mosquitto_pub is seen" {
	mqtt_serve
	mosquitto_pub -p "$MQTT" -i "$ID" -t device-server \
		-m '{"type":"hello","version":3,"transport":"udp","features":{"mcp":true}}'
	event connected "($ID|02:00:00:00:00:01)"
}

@test "the broker is killed: said, started again, and the board is back" {
	mqtt_serve
	background board mcpctl sim --connect "mqtt://127.0.0.1:$MQTT/$ID" --reconnect
	event ready
	pid=$(pgrep -P "$(starter)" mosquitto)
	kill -KILL "$pid"
	event broker 'again|died|ended|killed'
	until_true matches serve.out '"event":"ready"' 2
	mcp ping
	ends 0
}

@test "serve is killed: its broker goes too" {
	mqtt_serve
	pid=$(pgrep -P "$(starter)" mosquitto)
	kill -KILL "$SERVER"
	until_true over "$pid"
}

@test "client id, user name and password are checked with a key" {
	printf 'Secret-Key-42\n' >key
	mqtt_serve --mqtt-key-file key --enroll
	run mosquitto_pub -p "$MQTT" -i "$ID" -u eyJpcCI6IngifQ== -P wrong -t device-server -m '{}'
	[ "$status" != 0 ]
	event refused "($ID|password)"
	password=$(printf '%s|%s' "$ID" eyJpcCI6IngifQ== | openssl dgst -sha256 -hmac Secret-Key-42 -binary | base64)
	mosquitto_pub -p "$MQTT" -i "$ID" -u eyJpcCI6IngifQ== -P "$password" -t device-server -m '{"type":"x"}'
	background board mcpctl sim --ota "$OTA"
	event ready
}

@test "stop is back when the broker has ended too: the port is free" {
	for _ in 1 2 3; do
		MQTT=${MQTT:-$(free_port)}
		serve "--mqtt=$MQTT" --pidfile pid
		mcp stop
		ends 0
		[ ! -e pid ]
	done
}

@test "a simulated board hands on what the broker retained, as firmware does" {
	broker
	mosquitto_pub -p "$MQTT" -r -t down -m '{"type":"mcp","payload":{"jsonrpc":"2.0","id":1,"method":"ping"}}'
	background board mcpctl -v sim --connect "mqtt://127.0.0.1:$MQTT/$ID?down=down" --subscribe
	wait_for board.err '-> .*not implemented: ping'
}

@test "without a key file, too, OTA tells a password and a topic to subscribe to" {
	serve "--mqtt=$(free_port)"
	ota=$(curl -sf -H 'Device-Id: 02:00:00:00:00:07' -H 'Client-Id: c' -d '{}' "$OTA")
	jq -e '.mqtt.password != "" and .mqtt.subscribe_topic == "devices/p2p/02_00_00_00_00_07"' <<<"$ota"
	background board mcpctl sim --ota "$OTA" --subscribe --device-id 02:00:00:00:00:07
	event ready 02:00:00:00:00:07
	mcp -d 02:00:00:00:00:07 call self.get_device_status
	ends 0
}

@test "target mqtt: on a foreign broker, with a device that subscribes" {
	broker
	background board mcpctl sim --connect "mqtt://127.0.0.1:$MQTT/$ID" --subscribe
	wait_for board.err connected
	mcp "mqtt://127.0.0.1:$MQTT/$ID" call self.get_device_status
	ends 0
	says volume
	mcp "mqtt://127.0.0.1:$MQTT/$ID" tools
	ends 0
}

@test "a broker that was away: it is tried every few seconds, and boards are asked so, until they are back" {
	broker
	local first=$LAST
	serve --mqtt-broker "mqtt://127.0.0.1:$MQTT" --topic-up 'up/{client_id}'
	event broker 'connected to the broker'
	background board mcpctl sim --ota "$OTA" --subscribe --device-id 02:00:00:00:00:01
	event ready
	kill "$first"
	# 1 s, 2 s, 4 s, and then ever the same.
	until_true matches serve.out 'connection refused' 4
	grep 'connection refused' serve.out | jq -s 'map(.time[0:19] + "Z" | fromdate) | .[-1] - .[-2] <= 6' | grep -qx true
	background broker /usr/sbin/mosquitto -c mosquitto.conf
	until_true mosquitto_pub -p "$MQTT" -t test -n
	background asked mosquitto_sub -p "$MQTT" -t 'devices/p2p/#' -F %U
	# Firmware comes 10 s after its connection ended. This one does not come at all.
	until_true matches asked.out . 5
	awk 'NR > 1 && $1 - before > 3 { bad = 1 } { before = $1 } END { exit bad }' asked.out
}

@test "target mqtt: waits for a board that is not there yet, and asks it again when it says hello" {
	broker
	background asked mcpctl --timeout 1s "mqtt://127.0.0.1:$MQTT/$ID" tail
	# What was said to nobody is lost: it has to be said again.
	until_true mosquitto_sub -p "$MQTT" -t 'devices/p2p/#' -C 1 -W 20
	background board mcpctl -v sim --connect "mqtt://127.0.0.1:$MQTT/$ID" --subscribe
	local board=${PIDS[-1]}
	wait_for board.err 'initialize'
	wait_for board.err 'notifications/initialized'
	kill "$board"
	wait "$board" || :
	# It starts anew, and a voice session begins.
	background anew mcpctl -v sim --connect "mqtt://127.0.0.1:$MQTT/$ID" --subscribe --audio
	wait_for anew.err '"method":"initialize"|initialize'
	mcp --wait 500ms "mqtt://127.0.0.1:$MQTT/GID_test@@@02_00_00_00_00_02@@@x" tools
	ends 3
	hints "nothing was heard of the device 'GID_test@@@02_00_00_00_00_02@@@x'"
}

@test "a stock board at a plain broker is silent: the error says why" {
	broker
	background board mcpctl sim --connect "mqtt://127.0.0.1:$MQTT/$ID"
	wait_for board.err connected
	mcp --timeout 2s --wait 2s "mqtt://127.0.0.1:$MQTT/$ID" tools
	ends 3
	hints subscribe
}

@test "no broker: refused, with the next step" {
	mcp "mqtt://127.0.0.1:$(free_port)/$ID" tools
	ends 3
	hints broker
	mcp mqtt://127.0.0.1 tools
	ends 2
	hints 'client id'
}

@test "no board was ready since the broker cannot be reached: that is the missing step" {
	mcp serve --listen 127.0.0.1:0 --mqtt-broker "mqtt://127.0.0.1:$(free_port)" --exec true --once --wait 500ms
	ends 3
	hints 'error: no device was ready within 500 ms: no connection to the broker'
	hints 'hint: is a broker running there'
}

@test "a password in a URL is not shown, and where it belongs is" {
	mcp serve --mqtt-broker mqtt://u:geheim@127.0.0.1
	ends 2
	hints --mqtt-password-file
	mcp mqtt://u:geheim@127.0.0.1/id tools
	ends 2
	hints MCPCTL_MQTT_PASSWORD
	[[ $err != *geheim* ]]
	mcp serve --mqtt-broker mqtt://u:geheim@127.0.0.1/x
	ends 2
	hints "'mqtt://u:***@127.0.0.1/x' is no URL of a broker"
	mcp help environment
	says MCPCTL_MQTT_PASSWORD
	says MCPCTL_MOSQUITTO
}

@test "two boards and two users at one broker: nobody takes the other's answer" {
	broker
	local other='GID_test@@@02_00_00_00_00_02@@@9af7e7c8-8d4b-4f9e-9f0e-3c0a1b2c3d4f' jobs=() i
	background board mcpctl sim --connect "mqtt://127.0.0.1:$MQTT/$ID" --subscribe
	background other mcpctl sim --connect "mqtt://127.0.0.1:$MQTT/$other" --subscribe
	wait_for board.err connected
	wait_for other.err connected
	for i in 1 2 3 4 5; do
		mcpctl "mqtt://127.0.0.1:$MQTT/$ID" call self.audio_speaker.set_volume volume="$i" >"a.$i" 2>&1 3>&- &
		jobs+=($!)
		mcpctl "mqtt://127.0.0.1:$MQTT/$other" call self.get_device_status >"b.$i" 2>&1 3>&- &
		jobs+=($!)
	done
	wait "${jobs[@]}"
	for i in 1 2 3 4 5; do
		[ "$(cat "a.$i")" = true ]
		grep -q volume "b.$i"
		absent 'reply' "b.$i"
	done
}

@test "serve with a broker that already runs" {
	broker
	serve --mqtt-broker "mqtt://127.0.0.1:$MQTT" --topic-up 'up/{client_id}'
	event broker
	background board mcpctl sim --ota "$OTA" --subscribe
	# In standby a board says nothing: it is asked.
	event ready
	mcp call self.get_device_status
	ends 0
	absent '"event":"odd"' serve.out
	curl -s -d '{}' -H 'Device-Id: 02:00:00:00:00:01' -H 'Client-Id: abc' "$OTA" | jq -e '.mqtt.publish_topic | startswith("up/")'
}

@test "a board with esp_xiaozhi, which no MQTT of ours reaches, is sent to the WebSocket" {
	local asks='{"version":2,"chip_model_name":"esp32s3","board":{"type":"generic","name":"esp32s3","version":"1.0"}}'
	broker
	serve --mqtt-broker "mqtt://127.0.0.1:$MQTT"
	event broker
	curl -s -A esp32s3 -d "$asks" -H 'Device-Id: 02:00:00:00:00:02' -H 'Client-Id: abc' "$OTA" >answer
	jq -e '.websocket.url and (.mqtt | not)' answer
	event ota "it asks as Espressif's esp_xiaozhi does, which MQTT would not reach: .*8883"
	# Stock firmware may be a board of that type.
	curl -s -A generic/2.4.2 -d "$asks" -H 'Device-Id: 02:00:00:00:00:03' -H 'Client-Id: abd' "$OTA" | jq -e .mqtt
}

ends_of() { jq -c 'select(.kind == "end") | [.from, .how, .text]' "$1"; }

@test "a capture tells how the broker went, and who that was where it is known" {
	broker
	local broker=$LAST
	background board mcpctl --trace d.cap sim --connect "mqtt://127.0.0.1:$MQTT/$ID"
	background tail mcpctl --trace b.cap --no-init "mqtt://127.0.0.1:$MQTT/$ID" tail
	until_true grep -q '"kind":"open"' b.cap
	until_true grep -q '"kind":"open"' d.cap
	kill "$broker"
	until_true grep -q '"kind":"end"' b.cap
	until_true grep -q '"kind":"end"' d.cap
	# The device's side saw the other one go; the backend's knows of the broker alone.
	ends_of d.cap | grep -q '^."backend","fin","the broker .127.0.0.1. went away'
	ends_of b.cap | grep -q '^.null,"fin","the broker .127.0.0.1. went away'
}

@test "a capture that ends since the broker is silent: timeout, by nobody" {
	broker
	local broker=$LAST
	background says /usr/bin/python3 "$BATS_TEST_DIRNAME/http_says.py" '200 OK' \
		"{\"mqtt\":{\"endpoint\":\"127.0.0.1:$MQTT\",\"client_id\":\"$ID\",\"publish_topic\":\"up\",\"keepalive\":5}}" \
		application/json
	local port
	port=$(wait_for says.out 'port [0-9]+')
	background board mcpctl --trace t.cap sim --ota "http://127.0.0.1:${port#port }/"
	until_true grep -q '"leg":"mqtt".*"kind":"open"' t.cap
	kill -STOP "$broker"
	until_true grep -q '"leg":"mqtt".*"kind":"end"' t.cap
	kill -CONT "$broker"
	ends_of t.cap | grep -q '^.null,"timeout","the connection to the broker .127.0.0.1. is dead'
}

@test "serve at a broker that runs: the topics and the port of sound are those that it was told" {
	local udp
	broker
	udp=$(free_port)
	serve --mqtt-broker "mqtt://127.0.0.1:$MQTT" --topic-up 'up/{client_id}' --topic-down 'down/{mac}' --udp-port "$udp"
	event broker 'connected to the broker'
	curl -s -d '{}' -H 'Device-Id: 02:00:00:00:00:01' -H 'Client-Id: abc' "$OTA" >reply
	jq -e '.mqtt.publish_topic == "up/" + .mqtt.client_id and
		.mqtt.subscribe_topic == "down/02_00_00_00_00_01"' reply
	background board mcpctl -v sim --connect "mqtt://127.0.0.1:$MQTT/$ID?up=up/$ID&down=down/02_00_00_00_00_01" --subscribe --audio
	event ready
	wait_for board.err "\"port\":$udp"
}

@test "serve at a broker over TLS: verified by --cacert, refused without, --insecure" {
	local options
	certificates
	MQTT=$(free_port)
	printf 'listener %s 127.0.0.1\nallow_anonymous true\ncertfile %s/server.pem\nkeyfile %s/server.key\nuser root\n' \
		"$MQTT" "$PWD" "$PWD" >mosquitto.conf
	background broker /usr/sbin/mosquitto -c mosquitto.conf
	wait_for broker.err 'running'
	for options in '--cacert ca.pem' --insecure; do
		# shellcheck disable=SC2086 # words
		serve --mqtt-broker "mqtts://localhost:$MQTT" --topic-up 'up/{client_id}' $options
		event broker 'connected to the broker'
		kill "$SERVER"
		finish "$SERVER" 143
	done
	serve --mqtt-broker "mqtts://localhost:$MQTT" --topic-up 'up/{client_id}'
	event broker "TLS with the broker 'localhost' failed: unable to get local issuer certificate"
	event broker '"hint":"--cacert FILE trusts another certificate'
}
