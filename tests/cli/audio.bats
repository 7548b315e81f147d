#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What boards say, as files: --save-audio of serve, listen: and proxy.

# shellcheck disable=SC2154 # out and status are set by mcp

load helper

ID='GID_test@@@02_00_00_00_00_01@@@9af7e7c8-8d4b-4f9e-9f0e-3c0a1b2c3d4e'

# heard: the first file of what was said; it is whole, and can be played.
heard() {
	local file
	file=$(find said -name '*.opus' | sort | head -n 1)
	[ -n "$file" ] || return 1
	[ "$(stat -c %a "$file")" = 600 ]
	opusinfo "$file" >info 2>&1
	absent WARNING info
	grep -q 'Encoded with mcpctl' info
	opusdec --quiet "$file" said.wav
	echo "$file"
}

# lasts FILE MS: as a player sees it; what the encoder needs is not played.
lasts() {
	opusinfo "$1" | grep -q "$(printf 'Playback length: 0m:%02d.%03ds' $((($2 - 7) / 1000)) $((($2 - 7) % 1000)))"
}

# came N: so many packets were heard.
came() { event audio "audio: $1 frames"; }

# saying EVENTS: a profile whose board says that while it listens.
saying() {
	printf '{"extends":"esp32","events":[%s]}' "$1" >says.json
}

@test "serve keeps what a board says, in each version of frames" {
	for version in 1 2 3; do
		rm -rf said
		serve --save-audio said
		[ "$(stat -c %a said)" = 700 ]
		device board --audio --wake word --frame-version $version --for 1s
		finish "$DEVICE" 0
		event utterance
		file=$(heard)
		jq -se --arg file "$file" 'map(select(.event == "utterance"))[0] |
			(.file | endswith($file)) and .packets > 3 and .ms == .packets * 60 and
			.gaps == 0 and .lost == 0 and .left_out == 0 and .device == "02:00:00:00:00:01"' serve.out
		lasts "$file" "$(jq 'select(.event == "utterance").ms' serve.out)"
		grep -q 'Original sample rate: 16000 Hz' info
		[[ $file == said/*-000-02-00-00-00-00-01.opus ]]
		kill "$SERVER"
		finish "$SERVER" 143
	done
}

@test "over MQTT, what is missing is told and filled, and goodbye ends it" {
	MQTT=$(free_port)
	serve "--mqtt=$MQTT" --no-init --save-audio said
	event broker 'connected to the broker'
	background board "$BATS_TEST_DIRNAME/board.py" "$MQTT" "$ID" \
		hello audio audio again gap goodbye sleep 60
	event utterance
	file=$(heard)
	jq -se 'map(select(.event == "utterance"))[0] |
		.packets == 3 and .gaps == 1 and .lost == 2 and .ms == 100' serve.out
	lasts "$file" 100
	event utterance '1 gap, 2 packets lost there'
}

@test "serve ends: what was being said is a whole file, and told" {
	serve --save-audio said
	device board --audio
	event audio
	until_true test -s said/*.opus
	kill "$SERVER"
	finish "$SERVER" 143
	event utterance
	heard
}

@test "what is no Opus is left out, and told" {
	saying '{"after_ms":10,"audio":"f8fffe"},{"after_ms":20,"audio":"fb"},{"after_ms":30,"audio":"f8fffe"}'
	serve --save-audio said
	device board ./says.json --for 1s
	finish "$DEVICE" 0
	event utterance '1 packet left out that is no Opus'
	jq -se 'map(select(.event == "utterance"))[0] | .packets == 2 and .left_out == 1' serve.out
	heard
	rm -rf said/*
	saying '{"after_ms":10,"audio":"fb"}'
	device other ./says.json --for 1s
	finish "$DEVICE" 0
	event utterance 'was not saved, 1 packet left out'
	jq -es 'map(select(.event == "utterance")) | last | .file == null and .level == "warn"' serve.out
	[ -z "$(find said -type f)" ]
}

@test "listen: keeps what its board says, and names the file" {
	listener l --save-audio said -o json listen:127.0.0.1:0 tail --for 1500ms
	background board mcpctl sim --ota "$OTA" --audio
	finish "$LISTENER" 0
	file=$(heard)
	jq -es --arg file "$file" 'map(.event? | select(.file == $file))[0].text |
		test("the board: what it said was saved as .*[0-9] packets$")' l.err
}

@test "proxy keeps what passes, over WebSocket and over MQTT" {
	serve
	background proxy mcpctl proxy --listen 127.0.0.1:0 --save-audio said "ws://127.0.0.1:$PORT/xiaozhi/v1/"
	at=$(wait_for proxy.err 'listening at' | grep -oE '127.0.0.1:[0-9]+')
	background board mcpctl sim --connect "ws://$at/" --audio --frame-version 3 --for 1s
	finish "$LAST" 0
	wait_for proxy.out 'what it said was saved as said/.*packet'
	heard
	kill "$SERVER"
	finish "$SERVER" 143
	MQTT=$(free_port)
	serve "--mqtt=$MQTT"
	event broker 'connected to the broker'
	rm -r said
	background gate mcpctl proxy --listen 127.0.0.1:0 --save-audio said "mqtt://127.0.0.1:$MQTT"
	at=$(wait_for gate.err 'listening at' | grep -oE '127.0.0.1:[0-9]+')
	background board mcpctl sim --connect "mqtt://$at/$ID" --audio --for 2s
	finish "$LAST" 0
	wait_for gate.out 'what it said was saved as said/.*packet'
	heard
}

# uneven: says.json, whose board pauses for 0.6 s again and again, and then says
# what it did not: all at once, or (never) not at all.
uneven() {
	/usr/bin/python3 - "$@" <<-'PY'
		import json, sys
		events, at = [], 0
		def say(ms):
		    global at
		    at += ms
		    events.append({"after_ms": at, "audio": "fb03fffefffefffe"})
		for _ in range(12):
		    for _ in range(60 if "never" in sys.argv else 12):
		        say(60)
		    at += 600
		    for _ in range(0 if "never" in sys.argv else 11):
		        say(0)
		json.dump({"extends": "esp32", "events": events}, open("says.json", "w"))
	PY
}

@test "what comes late, and what never comes, is found (D155, D156)" {
	uneven
	serve -v
	device board ./says.json
	event finding 'D155 note  sound came late: nothing for 0'
	mcp -o json devices
	jq -e '.audio | .late >= 1 and .holes == 0 and .missing_ms == 0' <<<"$out"
	kill "$DEVICE"
	until_true over "$DEVICE"
	uneven never
	device other ./says.json
	event finding 'D156 warning  no sound for a while'
	mcp -o json devices
	jq -e '.audio | .holes >= 1 and .missing_ms >= 400' <<<"$out"
	jq -se 'map(select(.event == "finding" and .finding.code == "D156"))[0].finding |
		.evidence[0].from == "device" and .evidence[0].size == 8 and .do.backend != null' serve.out
}

@test "listen: and proxy find what comes late, too" {
	uneven
	listener l -v listen:127.0.0.1:0 tail --for 12s
	background board mcpctl sim ./says.json --ota "$OTA"
	until_true grep -q 'D155' l.err l.out
	kill "$LISTENER" "$LAST"
	serve
	background proxy mcpctl -v proxy --listen 127.0.0.1:0 "ws://127.0.0.1:$PORT/xiaozhi/v1/"
	at=$(wait_for proxy.err 'listening at' | grep -oE '127.0.0.1:[0-9]+')
	background other mcpctl sim ./says.json --connect "ws://$at/"
	wait_for proxy.out 'D155'
}

@test "over MQTT, packets that never come are found (M415)" {
	MQTT=$(free_port)
	serve "--mqtt=$MQTT" --no-init
	event broker 'connected to the broker'
	background board "$BATS_TEST_DIRNAME/board.py" "$MQTT" "$ID" \
		hello audio gap sleep 60
	event finding "M415 warning  packets of the board's sound are lost, or too late: 2 missing"
	jq -se 'map(select(.event == "finding"))[0].finding |
		.code == "M415" and .evidence[0].leg == "udp" and .evidence[0].from == "device"' serve.out
}

@test "a folder that cannot be used, and targets that say nothing here" {
	touch file
	mcp serve --listen 127.0.0.1:0 --save-audio file/x
	ends 8
	hints '--save-audio: folder '
	mcp --save-audio said sim: tools
	ends 2
	hints "option '--save-audio' is for serve, listen: and proxy"
	mcp --save-audio said devices
	ends 2
	[ ! -e said ]
}

# tone RATE SECONDS: tone.wav.
tone() {
	/usr/bin/python3 - "$@" <<-'PY'
		import math, struct, sys, wave
		rate, seconds = int(sys.argv[1]), float(sys.argv[2])
		f = wave.open("tone.wav", "wb")
		f.setnchannels(1), f.setsampwidth(2), f.setframerate(rate)
		f.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(i * 2764 / rate)))
		                       for i in range(int(rate * seconds))))
	PY
}

# has_read PID: nothing that was sent to it waits in a socket of its.
has_read() { ! ss -Htuanp | awk -v "who=pid=$1," 'index($0, who) && $3 > 0 { found = 1 } END { exit !found }'; }

# board_heard N: as the simulator tells at its end, which this is.
board_heard() {
	# What came last is still read; else it would end with a packet fewer.
	until_true has_read "$DEVICE"
	kill -INT "$DEVICE"
	until_true over "$DEVICE"
	grep -E "audio +[0-9]+ frames sent, $1 received( |$)" board.out
}

@test "speak: a board of serve hears a file, whatever packets it has" {
	tone 16000 0.5
	for version in 1 2 3; do
		opusenc --quiet --framesize $((version * 20)) tone.wav tone.opus
		serve --trace s.jsonl
		device board --frame-version $version
		event ready
		mcp speak tone.wav --text 'Hello'
		ends 0
		grep -q '540 ms of sound: 9 packets of 60 ms, encoded here' <<<"$err"
		mcp speak tone.opus
		ends 0
		case $version in
		1) grep -q 'joined from shorter ones' <<<"$err" ;;
		2) grep -q 'encoded here' <<<"$err" ;;
		3) grep -q 'as they are in the file' <<<"$err" ;;
		esac
		board_heard 18
		[ "$(grep -o '\\"tts\\",\\"state\\":\\"[a-z_]*' s.jsonl | sed 's/.*"//' | xargs)" = \
			"start sentence_start stop start stop" ]
		absent B263 board.out
		kill "$SERVER"
		finish "$SERVER" 143
	done
}

@test "speak: over MQTT it goes by UDP, to a board that spoke" {
	MQTT=$(free_port)
	serve "--mqtt=$MQTT" --silence
	event broker 'connected to the broker'
	background board mcpctl sim --connect "mqtt://127.0.0.1:$MQTT/$ID" --subscribe
	DEVICE=$LAST
	event ready
	tone 24000 0.5
	mcp speak tone.wav
	ends 3
	hints 'where it listens is not known'
	hints 'wake it'
	kill "$DEVICE"
	until_true over "$DEVICE"
	event gone
	background board mcpctl --trace board.jsonl sim --connect "mqtt://127.0.0.1:$MQTT/$ID" --audio
	DEVICE=$LAST
	event audio
	mcp speak tone.wav
	ends 0
	wait_for board.jsonl '\\"tts\\",\\"state\\":\\"stop\\"'
	mcp devices -o json
	says '"gaps":0,"lost":0,"sent":'
	# Silence at tts start, for its own packets until ours began, and all of ours.
	sent=$(sed -E 's/.*"lost":0,"sent":([0-9]+).*/\1/' stdout)
	[ "$sent" -ge 9 ]
	board_heard "$sent"
	absent 'broken|repeated|lost' board.out
	# What it heard is in its capture, deciphered: silence first.
	jq -se --argjson sent "$sent" 'map(select(.leg == "udp" and .from == "backend")) |
		length == $sent and .[0].hex == "f8fffe"' board.jsonl
}

@test "speak: with mqtt:// at a broker of others, to a board that is woken meanwhile" {
	broker
	tone 24000 0.5
	background quiet mcpctl sim --connect "mqtt://127.0.0.1:$MQTT/$ID" --subscribe
	local quiet=$LAST
	wait_for quiet.err connected
	mcp --wait 1s "mqtt://127.0.0.1:$MQTT/$ID" speak tone.wav
	ends 3
	hints 'waiting until the board is woken'
	hints 'the board sent no sound'
	hints 'wake it while this waits'
	kill "$quiet"
	until_true over "$quiet"
	background speak mcpctl "mqtt://127.0.0.1:$MQTT/$ID" speak tone.wav
	local speak=$LAST
	# Its question is there before the board is: that would begin its session with nobody.
	until_true mosquitto_sub -p "$MQTT" -t 'devices/p2p/#' -C 1 -W 20
	background board mcpctl sim --connect "mqtt://127.0.0.1:$MQTT/$ID" --subscribe --audio
	DEVICE=$LAST
	finish "$speak" 0
	grep -q '540 ms of sound: 9 packets' speak.err
	board_heard 9
	absent 'broken|repeated|lost' board.out
}

@test "listen: speaks to its board" {
	tone 24000 0.3
	listener l listen:127.0.0.1:0 speak tone.wav
	background board mcpctl sim --ota "$OTA"
	DEVICE=$LAST
	finish "$LISTENER" 0
	grep -q 'sent 300 ms of sound: 5 packets' l.err
	until_true over "$DEVICE"
	grep -E 'audio +0 frames sent, 5 received$' board.out
}

@test "speak: whatever ends it, the board is told; another speaker is refused" {
	serve --trace s.jsonl
	device board
	event ready
	tone 24000 60
	states() { [ "$(grep -o '\\"tts\\",\\"state\\":\\"[a-z_]*' s.jsonl | sed 's/.*"//' | xargs)" = "$1" ]; }
	background one mcpctl speak tone.wav
	one=$LAST
	wait_for s.jsonl '"kind":"binary"'
	mcp speak tone.wav
	ends 3
	hints 'another command speaks to the device'
	kill -INT "$one"
	finish "$one" 130
	until_true grep -q 'state.*stop' s.jsonl
	background two mcpctl speak tone.wav
	two=$LAST
	until_true states 'start start stop start'
	until_true matches s.jsonl '"kind":"binary"' 20
	kill -KILL "$two"
	until_true states 'start start stop start stop'
}

@test "speak: files that are none, and peers that take no sound" {
	echo text >text
	mcp sim: speak text
	ends 2
	hints "'text': it is neither Ogg Opus nor WAV"
	mcp sim: speak nothing
	ends 2
	hints "No such file"
	tone 44100 0.1
	mcp sim: speak tone.wav
	ends 2
	hints 'ffmpeg'
	tone 8000 0.1
	mcp sim: speak tone.wav
	ends 2
	hints "no sound can be sent over 'sim'"
	hints 'a board of serve (-d), of listen: or of mqtt:// hears it'
	mcp speak tone.wav -- /usr/bin/python3 "$BATS_TEST_DIRNAME/mcp_server.py"
	ends 2
	hints 'the peer is no board'
}

@test "sim --audio: the capture has the bytes of what it says; without, only how many" {
	serve
	device board --audio --wake word --for 1s --trace a.cap
	wait "$LAST" || :
	jq -e 'select(.kind == "binary" and .from == "device") | .hex == "fb03fffefffefffe"' a.cap | sort -u | grep -qx true
	jq -e 'select(.kind == "binary") | has("hex")' a.cap | sort -u | grep -qx true
}
