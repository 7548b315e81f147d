#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# proxy: strangers at its ports. Pages, poisoned addresses, what they can make it
# hold and dial, few open files.

# shellcheck disable=SC2154,SC2317 # out and status are set by mcp; until_true calls

load helper

ID='GID_test@@@02_00_00_00_00_01@@@9af7e7c8-8d4b-4f9e-9f0e-3c0a1b2c3d4e'
MAC=02:00:00:00:00:01

knock() { /usr/bin/python3 "$BATS_TEST_DIRNAME/knock.py" "$AT" "$@"; }

# listens BYTES: who says that to all who come; sets THERE.
listens() {
	background there /usr/bin/python3 "$BATS_TEST_DIRNAME/knock.py" --told "$1"
	THERE=$(wait_for there.out '^port ' | tr -dc 0-9)
}

# post PATH HEADER…: one request, as bytes.
post() {
	printf 'POST %s HTTP/1.1\r\nContent-Length: 2\r\n' "$1"
	printf '%s\r\n' "${@:2}"
	printf '\r\n{}'
}

# ---- who may ask ----

@test "a page that came by a connection of another one is judged, too" {
	background ota /usr/bin/python3 "$BATS_TEST_DIRNAME/brokers.py" 1
	OTA=http://127.0.0.1:$(wait_for ota.out '^port ' | tr -dc 0-9)/xiaozhi/ota/
	between "$OTA"
	{
		post /xiaozhi/ota/ "Host: 127.0.0.1:$AT" 'Device-Id: a'
		post /xiaozhi/ota/ "Host: 127.0.0.1:$AT" 'Device-Id: b' 'Origin: http://evil.example'
	} | knock >answer
	grep '^HTTP/1.1 200' answer
	grep '^HTTP/1.1 403' answer
	wait_for proxy.err evil.example
	absent 'evil' proxy.out
	kill "$PROXY"
	finish "$PROXY" 0
}

@test "the same at the port for an MCP server, however many are asked at once" {
	listens ''
	between mcp "http://127.0.0.1:$THERE/mcp"
	{
		for _ in {1..20}; do post /mcp "Host: 127.0.0.1:$AT"; done
		post /mcp "Host: 127.0.0.1:$AT" 'Origin: http://evil.example'
	} >asks
	# The server answers none of them: the last one is not read.
	background page bash -c "/usr/bin/python3 '$BATS_TEST_DIRNAME/knock.py' $AT <asks"
	wait_for there.out '^came'
	post /mcp "Host: 127.0.0.1:$AT" 'Origin: http://evil.example' | knock >answer
	grep '^HTTP/1.1 403' answer
	[ "$(grep -c came there.out)" = 1 ]
	absent 'evil' proxy.out
	kill "$PROXY"
	finish "$PROXY" 0
}

@test "requests that can be read in two ways: 400 and the end, also on a kept connection" {
	background ota /usr/bin/python3 "$BATS_TEST_DIRNAME/brokers.py" 1
	OTA=http://127.0.0.1:$(wait_for ota.out '^port ' | tr -dc 0-9)/xiaozhi/ota/
	for upstream in "$OTA" "mcp $OTA" ws://127.0.0.1:1/x; do
		# shellcheck disable=SC2086 # words
		between $upstream
		timeout 120 /usr/bin/python3 "$BATS_TEST_DIRNAME/two_ways.py" "$AT"
		# A WebSocket's upstream answers no first one.
		[[ $upstream == ws* ]] ||
			timeout 120 /usr/bin/python3 "$BATS_TEST_DIRNAME/two_ways.py" "$AT" first
		wait_for proxy.err 'refused|no HTTP|broken|400'
		absent smuggled proxy.err proxy.out
		kill "$PROXY"
		finish "$PROXY" 0
	done
}

# ---- what boards are told ----

@test "a stranger's OTA question in the name of a board moves nothing of its own" {
	serve
	between "$OTA"
	curl -sf -o own -H "Device-Id: $MAC" -d '{}' "$URL"
	curl -sf --interface 127.0.0.9 -o other -H "Device-Id: $MAC" \
		-H 'Host: 203.0.113.9:81' -d '{}' "$URL"
	grep -F "203.0.113.9:81" other
	background board mcpctl sim --device-id "$MAC" --connect "ws://127.0.0.1:$AT/xiaozhi/v1/"
	event ready
	wait_for proxy.out "vision.url .* -> http://127.0.0.1:$AT/"
	absent 'vision.url .*203.0.113' proxy.out
	# Nor does one from its own host, but for who asked.
	kill "$LAST"
	finish "$LAST" 143
	curl -sf -o other -H "Device-Id: $MAC" -H 'Host: 203.0.113.9:81' -d '{}' "$URL"
	background board mcpctl sim --device-id "$MAC" --connect "ws://127.0.0.1:$AT/xiaozhi/v1/"
	until_true matches proxy.out 'vision.url' 2
	absent 'vision.url .*203.0.113' proxy.out
	# One address for pictures has one here, whoever is told it.
	[ "$(grep -oE 'mcpctl-proxy/vision/[0-9a-f]{32}' proxy.out | sort -u | grep -c .)" = 1 ]
	kill "$PROXY"
	finish "$PROXY" 0
}

@test "where a board's WebSocket leads is what it was told itself; a change is told" {
	listens ''
	background ota /usr/bin/python3 "$BATS_TEST_DIRNAME/brokers.py" "$THERE"
	OTA=http://127.0.0.1:$(wait_for ota.out '^port ' | tr -dc 0-9)/xiaozhi/ota/
	between "$OTA"
	# A server that believes what a stranger says of himself.
	curl -sf -o own -H "Device-Id: $MAC" -d '{}' "$URL"
	curl -sf --interface 127.0.0.9 -o other -H "Device-Id: $MAC" -H 'Where: ws://127.0.0.1:1/evil' -d '{}' "$URL"
	grep -F evil other
	printf 'GET /a HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nDevice-Id: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n' "$AT" "$MAC" >upgrade
	background whole bash -c "/usr/bin/python3 '$BATS_TEST_DIRNAME/knock.py' $AT <upgrade"
	wait_for there.out '^came'
	absent 'was not reached' proxy.err proxy.out
	# Its own question moves it, which is a line.
	curl -sf -o other -H "Device-Id: $MAC" -H 'Where: ws://127.0.0.1:1/moved' -d '{}' "$URL"
	wait_for proxy.err "$MAC.* is sent to ws://127.0.0.1:1/moved, no longer to ws://127.0.0.1:$THERE/a"
	kill "$PROXY"
	finish "$PROXY" 0
}

@test "the address for pictures cannot be guessed" {
	serve --save-images pictures
	between "$OTA"
	background board mcpctl sim --ota "$URL" --device-id "$MAC"
	event ready
	mcp call self.camera.take_photo question=what
	ends 0
	wait_for proxy.out 'POST /mcpctl-proxy/vision/[0-9a-f]{32}'
	[ -n "$(ls pictures)" ]
	for guess in 0 1 00000000000000000000000000000000; do
		[ "$(curl -s -o /dev/null -w '%{http_code}' -d x "http://127.0.0.1:$AT/mcpctl-proxy/vision/$guess")" = 404 ]
	done
	kill "$PROXY"
	finish "$PROXY" 0
}

@test "an OTA server that names ever new brokers opens no port for each" {
	background ota /usr/bin/python3 "$BATS_TEST_DIRNAME/brokers.py"
	OTA=http://127.0.0.1:$(wait_for ota.out '^port ' | tr -dc 0-9)/xiaozhi/ota/
	between "$OTA"
	for _ in {1..80}; do curl -sf -H "Device-Id: $MAC" -d '{}' "$URL" >>answers; done
	[ "$(grep -c 127.0.0.1 answers)" = 32 ]
	[ "$(grep -c "broker-.*example" answers)" = 48 ]
	wait_for proxy.err 'mqtt.endpoint stays as it is'
	kill "$PROXY"
	finish "$PROXY" 0
}

# ---- what they make us dial and hold ----

@test "nobody is dialled for who says nothing whole" {
	for upstream in mqtt://HERE http://HERE/mcp ws://HERE/a http://HERE/xiaozhi/ota/; do
		listens ''
		between "${upstream/HERE/127.0.0.1:$THERE}"
		background half bash -c "printf '\x10\x20\x00\x04MQ' >/dev/tcp/127.0.0.1/$AT; sleep 100"
		# Half a body is whole for nobody but an MCP server, which takes it in pieces.
		case $upstream in
		*ota*) crowd "$AT" head 3 idle 3 body 3 ;;
		*) crowd "$AT" head 3 idle 3 ;;
		esac
		# A CONNECT that is whole, a request that is whole.
		case $upstream in
		mqtt*) printf '\x10\x0d\x00\x04MQTT\x04\x02\x00\x3c\x00\x01a' >whole ;;
		*ota*) post /xiaozhi/ota/ "Host: 127.0.0.1:$AT" >whole ;;
		http*) post /mcp "Host: 127.0.0.1:$AT" >whole ;;
		ws*) printf 'GET /a HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n' >whole ;;
		esac
		background whole bash -c "/usr/bin/python3 '$BATS_TEST_DIRNAME/knock.py' $AT <whole"
		wait_for there.out '^came'
		[ "$(grep -c came there.out)" = 1 ]
		kill "$PROXY"
		finish "$PROXY" 0
		crowd_goes
	done
}

@test "half a packet of MQTT does not stay: it goes on, or its sender goes" {
	listens '\x20\x02\x00\x00'
	between "mqtt://127.0.0.1:$THERE"
	# No whole CONNECT: it ends by itself.
	printf '\x10\x20\x00\x04MQ' | knock >answer
	[ ! -s answer ]
	wait_for proxy.err 'did not say in time'
	kill "$PROXY"
	finish "$PROXY" 0
}

# says_audio ADDRESS: a datagram with the connection id of the file offer, as its
# board sends it, but from another socket.
says_audio() {
	/usr/bin/python3 - "$1" "$(cat offer)" <<-'END'
		import json, socket, sys
		offer = json.loads(sys.argv[2])
		s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		s.bind((sys.argv[1], 0))
		nonce = bytearray.fromhex(offer["nonce"])
		nonce[3], nonce[15] = 3, 9
		s.sendto(bytes(nonce) + b"xyz", (offer["server"], offer["port"]))
	END
}

# talks ARG…: serve with its broker, a proxy before that, and a board that speaks
# MQTT: a voice session at each "go", audio at "speak".
talks() {
	MQTT=$(free_port)
	serve "--mqtt=$MQTT" --silence --no-init
	event broker 'connected to the broker'
	between "mqtt://127.0.0.1:$MQTT" "$@"
	# shellcheck disable=SC2086 # words
	background board "$BATS_TEST_DIRNAME/board.py" "$AT" "$ID" size 1 $STEPS end
	event connected "$MAC"
}

tells() { mcpctl -d "$MAC" --no-init send "{\"type\":\"$1\"}"; }

@test "audio from elsewhere goes nowhere, and takes no session from its board" {
	STEPS='told go hello told speak audio told speak audio' talks --trace p.cap
	tells go
	wait_for board.out '"nonce"'
	grep '"nonce"' board.out >offer
	# Its connection id from another host, before it speaks itself.
	says_audio 127.0.0.2
	wait_for proxy.err 'UDP from 127\.0\.0\.2:[0-9]+ is of no session'
	tells speak
	wait_for p.cap '"leg":"udp".*"from":"device"'
	# And behind that; from its own host by another port, too.
	says_audio 127.0.0.2
	says_audio 127.0.0.1
	tells speak
	until_true matches p.cap '"leg":"udp".*"from":"device".*"packet"' 2
	kill "$PROXY"
	finish "$PROXY" 0
	wait_for proxy.out 'UDP of no session: 3'
	[ "$(grep '"leg":"udp","from":"device"' p.cap | grep -c '"kind":"packet"')" = 2 ]
}

@test "no open file for audio: that is said, and not that the hello is wrong" {
	STEPS='told go hello told go hello told go hello' talks
	files() { prlimit --pid "$PROXY" "--nofile=$1:"; }
	files 3
	tells go
	wait_for proxy.out 'audio does not come through here.*Too many open files'
	files 256
	tells go
	wait_for proxy.out 'audio: 127.0.0.1:[0-9]+ became'
	files 3
	tells go
	wait_for proxy.out 'is not passed on: no open file is left here'
	absent M407 proxy.out proxy.err
	# Sanitizers open some at the end.
	files 256
	kill "$PROXY"
	finish "$PROXY" 0
}

# keeps KIND: strangers who are silent amid a request, or behind one, and hold
# all places with that; good then gets one, while they are there.
keeps() {
	crowd "$AT" "$1" 200 --from=50
	wait_for proxy.err 'refused|wait for its place|than one gets'
	until_true good
	! over "$CROWD"
	crowd_goes
	kill "$PROXY"
	finish "$PROXY" 0
}

@test "half a body, or silence behind a question, holds no place of an OTA server's proxy" {
	background ota /usr/bin/python3 "$BATS_TEST_DIRNAME/brokers.py" 1
	OTA=http://127.0.0.1:$(wait_for ota.out '^port ' | tr -dc 0-9)/xiaozhi/ota/
	good() { curl -sf -m 5 -o answer -H 'Device-Id: a' -d '{}' "$URL"; }
	for kind in body drip kept; do
		LIMITED="prlimit --nofile=64:64" between "$OTA"
		keeps "$kind"
	done
}

@test "nor of the proxy before an MCP server" {
	server_of_tools
	good() { mcpctl --retry 1 --timeout 5s "$URL" call echo text=hello; }
	for kind in body drip kept; do
		LIMITED="prlimit --nofile=64:64" between mcp "$UP/json"
		keeps "$kind"
	done
}

@test "a picture that comes in pieces is not ended for others" {
	background ota /usr/bin/python3 "$BATS_TEST_DIRNAME/brokers.py" 1
	OTA=http://127.0.0.1:$(wait_for ota.out '^port ' | tr -dc 0-9)/xiaozhi/ota/
	LIMITED="prlimit --nofile=64:64" between "$OTA"
	crowd "$AT" body 200 --from=50 --again
	wait_for proxy.err 'wait for its place|than one gets'
	sent() {
		{
			printf 'POST /xiaozhi/ota/ HTTP/1.1\r\nHost: 127.0.0.1\r\nDevice-Id: a\r\nConnection: close\r\nContent-Length: 10\r\n\r\n'
			for _ in {1..10}; do
				sleep 0.1
				printf x
			done
		} | timeout 20 /usr/bin/python3 "$BATS_TEST_DIRNAME/knock.py" "$AT" 127.0.0.77 >answer || :
		grep '^HTTP/1.1 200' answer
	}
	until_true sent
	crowd_goes
	kill "$PROXY"
	finish "$PROXY" 0
}

@test "one address does not get all places of a broker's proxy" {
	listens ''
	LIMITED="prlimit --nofile=64:64" between "mqtt://127.0.0.1:$THERE"
	crowd "$AT" connect 100
	wait_for proxy.err 'more connections than one gets'
	printf '\x10\x0d\x00\x04MQTT\x04\x02\x00\x3c\x00\x01a' >whole
	# Nor all of the four that are passed on while the broker is silent.
	until_true matches there.out came 3
	before=3
	background whole bash -c "/usr/bin/python3 '$BATS_TEST_DIRNAME/knock.py' $AT 127.0.0.77 <whole"
	until_true matches there.out came $((before + 1))
	[ "$(grep -c came there.out)" = 4 ]
	# Told in a few lines.
	[ "$(grep -c 'than one gets' proxy.err)" -le 2 ]
	kill "$PROXY"
	finish "$PROXY" 0
}

# connects NAME: a CONNECT of MQTT with that client id, in the file whole.
connects() {
	# shellcheck disable=SC2059 # the length is one of its bytes
	printf "\\x10\\x$(printf %02x $((12 + ${#1})))\\0\\x04MQTT\\x04\\x02\\0\\x3c\\0\\x$(printf %02x ${#1})$1" >whole
}

# accepts NAME: a broker that takes that client id, and is silent to others.
accepts() {
	cat >broker.py <<-'END'
		import socket, sys
		listener = socket.create_server(("127.0.0.1", 0), backlog=200)
		print("port", listener.getsockname()[1], flush=True)
		kept = []
		while True:
		    peer, _ = listener.accept()
		    peer.settimeout(60)
		    data = peer.recv(1000)
		    print("came", data[14:], flush=True)
		    if sys.argv[1].encode() in data:
		        peer.sendall(bytes([0x20, 2, 0, 0]))
		    kept.append(peer)
	END
	background there /usr/bin/python3 broker.py "$1"
	THERE=$(wait_for there.out '^port ' | tr -dc 0-9)
}

@test "of strangers a few are passed on at a time; who was taken before goes past them" {
	accepts kitchen
	LIMITED="prlimit --nofile=64:64" between "mqtt://127.0.0.1:$THERE"
	connects kitchen
	said() {
		timeout 3 /usr/bin/python3 "$BATS_TEST_DIRNAME/knock.py" "$AT" "$@" <whole >answer || :
		[ -s answer ]
	}
	said
	# From many addresses, and the broker answers none of them.
	crowd "$AT" connect 10 --from=50
	until_true matches there.out came 5
	# The same name from elsewhere proves nothing.
	if said 127.0.0.77; then return 1; fi
	[ "$(grep -c came there.out)" = 5 ]
	said
	[ "$(grep -c came there.out)" = 6 ]
	# The others are told when they waited for long enough.
	wait_for proxy.err 'refused: it waited 10 s to be passed on'
	[ "$(grep -c came there.out)" = 6 ]
	crowd_goes
	kill "$PROXY"
	finish "$PROXY" 0
}

@test "strangers before an upstream that is not there: ten lines, and how many more" {
	between ws://127.0.0.1:1/xiaozhi/v1/
	crowd "$AT" silent 60 --from=50
	until_true matches proxy.out 'was not reached' 60
	[ "$(grep -c 'was not reached' proxy.err)" = 10 ]
	crowd_goes
	kill "$PROXY"
	finish "$PROXY" 0
	grep 'and 50 more like that since, the last one: .*was not reached' proxy.err
}

@test "who was passed on and is silent makes room for who waits" {
	serve
	device board
	LIMITED="prlimit --nofile=64:64" between "ws://127.0.0.1:$PORT/xiaozhi/v1/"
	crowd "$AT" silent 12 --from=50
	wait_for proxy.err 'others wait for its place'
	# One that nobody knows says hello in time.
	background other mcpctl sim --connect "$URL" --device-id 02:00:00:00:00:09
	event ready '02:00:00:00:00:09'
	crowd_goes
	kill "$PROXY"
	finish "$PROXY" 0
}

# stuffs KIND ARG…: that proxy, and as many connections as 1,024 open files allow:
# what they do not finish would be 190 MB. It stays below the 128 MB that are for
# them, with room that grows by doubling, however much more they send.
stuffs() {
	LIMITED='prlimit --nofile=1024:1024' between "${@:2}"
	crowd "$AT" "$1" 400 --from=50 --again
	# Where that line is lost among others, it is told again after a minute.
	PATIENCE=150 wait_for proxy.err 'memory that is for strangers'
	wait_for crowd.out '^sent 300000000'
	[ "$(awk '/VmHWM/ {print $2}' "/proc/$PROXY/status")" -lt 200000 ]
	[ "$(grep -c 'for strangers' proxy.err)" -lt 5 ]
	kill "$PROXY"
	until_true over "$PROXY"
	crowd_goes
}

@test "messages that strangers do not finish fit into what they get" {
	[[ $BUILD == */san ]] && skip "sanitizers keep what is freed"
	listens 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: eDrr+h9VKDIa3Sbfqj4RSYPnVSY=\r\n\r\n'
	stuffs message "ws://127.0.0.1:$THERE/xiaozhi/v1/" --fault late-hello
}

@test "nor more than that at the port for a broker" {
	[[ $BUILD == */san ]] && skip "sanitizers keep what is freed"
	# That of a broker which is not reached (yet): whole messages wait, too.
	background there /usr/bin/python3 "$BATS_TEST_DIRNAME/knock.py" --full
	THERE=$(wait_for there.out '^port ' | tr -dc 0-9)
	stuffs publish "mqtt://127.0.0.1:$THERE"
}

@test "nor more than that at the port for an MCP server" {
	[[ $BUILD == */san ]] && skip "sanitizers keep what is freed"
	listens ''
	stuffs upload mcp "http://127.0.0.1:$THERE/mcp"
}

@test "whom a trusted proxy asks for is who asked" {
	server_of_tools
	between --trusted-proxy 127.0.0.1 --trace p.cap mcp "$UP/json"
	curl -s -o answer -H 'X-Forwarded-For: 203.0.113.9' -H 'Origin: http://evil.example' -d '{}' "$URL"
	wait_for proxy.err '203\.0\.113\.9'
	kill "$PROXY"
	finish "$PROXY" 0
}

# ---- few open files ----

# lives N KIND…: with so many open files, thrice full of strangers; good then
# comes through.
lives() {
	before=$(open_files "$PROXY")
	for _ in 1 2; do
		crowd "$AT" "${@:2}" --again
		wait_for proxy.err 'refused|no open file|wait for its place|than one gets'
		crowd_goes
		until_true good
	done
	settled() { [ "$(open_files "$PROXY")" -le "$((before + 6))" ]; }
	until_true settled
	[ "$(wc -l <proxy.err)" -lt 60 ]
	kill "$PROXY"
	finish "$PROXY" 0
}

few() { # N: does it say what is needed?
	prlimit "--nofile=$1:$1" mcpctl proxy --listen 127.0.0.1:0 "${@:2}" >out 2>err </dev/null && return 1
	grep -F 'open files at least' err
	grep -F 'ulimit -n' err
}

@test "open files that it was started with count: it says how many are needed with them" {
	cat >full.py <<-'END'
		import os, sys
		while os.dup(0) < 49:
		    pass
		for fd in range(3, 50):
		    os.set_inheritable(fd, True)
		os.execvp(sys.argv[1], sys.argv[1:])
	END
	prlimit --nofile=64:64 python3 full.py mcpctl proxy --listen 127.0.0.1:0 http://127.0.0.1:1/ota/ >out 2>err </dev/null && return 1
	[[ $(<err) =~ 'proxy needs '([0-9]+)' open files at least, and 64 are allowed' ]]
	[ "${BASH_REMATCH[1]}" -gt 64 ]
}

@test "24 open files are too few, and what is needed is said" {
	few 24 http://127.0.0.1:1/ota/
	few 24 ws://127.0.0.1:1/
	few 24 mqtt://127.0.0.1:1
	few 24 http://127.0.0.1:1/mcp
}

@test "with 64 to 512 open files strangers come and go before an OTA server" {
	ota '{}'
	good() { curl -sf -m 5 -o answer -H 'Device-Id: a' -d '{}' "$URL"; }
	for limit in 64 128 256 512; do
		LIMITED="prlimit --nofile=$limit:$limit" between "$OTA"
		lives "$limit" head "$limit" ask 50 body 50 idle 50
	done
}

@test "with 64 to 512 open files strangers come and go before a WebSocket" {
	serve
	good() {
		over "$DEVICE" && { background board mcpctl sim --connect "$URL" --device-id "$MAC"; DEVICE=$LAST; }
		mcpctl -d "$MAC" --wait 1s call self.get_device_status
	}
	for limit in 64 128 256 512; do
		LIMITED="prlimit --nofile=$limit:$limit" between "ws://127.0.0.1:$PORT/xiaozhi/v1/"
		background board mcpctl sim --connect "$URL" --device-id "$MAC"
		DEVICE=$LAST
		lives "$limit" silent "$limit" head 50 idle 50
		kill "$DEVICE" || :
	done
}

@test "with 64 to 512 open files strangers come and go before a broker" {
	listens '\x20\x02\x00\x00'
	good() {
		timeout 3 /usr/bin/python3 "$BATS_TEST_DIRNAME/knock.py" "$AT" <whole >answer || :
		[ -s answer ]
	}
	printf '\x10\x0d\x00\x04MQTT\x04\x02\x00\x3c\x00\x01a' >whole
	for limit in 64 128 256 512; do
		LIMITED="prlimit --nofile=$limit:$limit" between "mqtt://127.0.0.1:$THERE"
		lives "$limit" connect "$limit" packet 50 idle 50
	done
}

@test "with 64 to 512 open files strangers come and go before an MCP server" {
	server_of_tools
	good() { mcpctl --timeout 5s "$URL" call echo text=hello; }
	for limit in 64 128 256 512; do
		LIMITED="prlimit --nofile=$limit:$limit" between mcp "$UP/json"
		lives "$limit" head "$limit" stream 50 idle 50
	done
}
