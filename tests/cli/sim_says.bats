#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a simulated device says of a backend that did not let it in, or gave it
# something odd: the cause, and an advice that fits.

load helper

# Answers every HTTP request alike, see http_says.py; SAYS is its port.
says_http() {
	background says /usr/bin/python3 "$BATS_TEST_DIRNAME/http_says.py" "$@"
	SAYS=$(wait_for says.out 'port [0-9]+' | sed 's/port //')
}

# An OTA whose websocket is at port $SAYS; OTA is its port.
ota_says() {
	background ota /usr/bin/python3 "$BATS_TEST_DIRNAME/http_says.py" \
		'200 OK' "$1"
	OTA=$(wait_for ota.out 'port [0-9]+' | sed 's/port //')
}

@test "refused by 401: with a token, without one, by OTA itself, by what OTA named" {
	says_http 401
	mcp sim --connect "ws://127.0.0.1:$SAYS/"
	ends 6
	hints 'give its token by MCPCTL_SIM_TOKEN or --token-file'
	absent 'broker' stderr
	MCPCTL_SIM_TOKEN=t mcp sim --connect "ws://127.0.0.1:$SAYS/"
	ends 6
	hints 'the token that was given is not taken there'
	absent 'give its token' stderr
	# No token is sent there.
	MCPCTL_SIM_TOKEN=t mcp sim --ota "http://127.0.0.1:$SAYS/"
	ends 6
	hints 'HTTP/1.1 401'
	hints 'a board sends OTA no token'
	absent 'MCPCTL_SIM_TOKEN' stderr
	ota_says "{\"websocket\":{\"url\":\"ws://127.0.0.1:$SAYS/\"}}"
	mcp sim --ota "http://127.0.0.1:$OTA/"
	ends 6
	hints 'the OTA reply gives no token'
	ota_says "{\"websocket\":{\"url\":\"ws://127.0.0.1:$SAYS/\",\"token\":\"u\"}}"
	mcp sim --ota "http://127.0.0.1:$OTA/"
	ends 6
	hints 'the token of the OTA reply is not taken there'
	MCPCTL_SIM_TOKEN=t mcp sim --ota "http://127.0.0.1:$OTA/"
	ends 6
	hints 'the token that was given is not taken there'
}

@test "a status that has 401 in its words is none" {
	says_http '500 HTTP 401 from behind'
	mcp sim --connect "ws://127.0.0.1:$SAYS/"
	ends 3
	absent 'token' stderr
}

@test "a broker that is not there: one advice, not two" {
	mcp -o json sim --connect mqtt://127.0.0.1:1/board-1 --for 30s
	ends 3
	last=$(tail -n 1 <<<"$err")
	[ "$(grep -o 'is a broker running' <<<"$last" | wc -l)" = 1 ]
	absent 'is the backend running' stderr
	ota_says '{"mqtt":{"endpoint":"127.0.0.1:1","client_id":"c"}}'
	mcp sim --ota "http://127.0.0.1:$OTA/" --for 30s
	ends 3
	hints 'stands in the OTA reply'
}

@test "a server that ends the TLS handshake; certificates that cannot be read" {
	cat >deaf.py <<-'END2'
		import socket, time
		s = socket.create_server(("127.0.0.1", 0))
		print("port", s.getsockname()[1], flush=True)
		c = s.accept()[0]
		# All of it, else the end would be a reset: it has 500 bytes, or 1,700.
		head = c.recv(5, socket.MSG_WAITALL)
		c.recv(head[3] << 8 | head[4], socket.MSG_WAITALL)
		c.close()
		time.sleep(60)
	END2
	background deaf /usr/bin/python3 deaf.py
	port=$(wait_for deaf.out 'port [0-9]+' | sed 's/port //')
	mcp sim --connect "wss://127.0.0.1:$port/"
	ends 3
	hints 'it ended the handshake'
	hints 'does it speak TLS there?'
	mcp sim --connect "wss://127.0.0.1:$port/" --cacert missing.pem
	ends 2
	absent 'connected to' stderr
}

@test "refused in words after 101: the token that was given is meant" {
	background backend /usr/bin/python3 "$BATS_TEST_DIRNAME/backend.py" denies
	port=$(wait_for backend.out 'port [0-9]+' | sed 's/port //')
	mcp sim --connect "ws://127.0.0.1:$port/"
	ends 6
	hints 'give its token by MCPCTL_SIM_TOKEN or --token-file'
	absent 'broker' stderr
	MCPCTL_SIM_TOKEN=t mcp sim --connect "ws://127.0.0.1:$port/"
	ends 6
	hints 'the token that was given is not taken there'
}

@test "--mqtt-password-file is for a broker that is named, not for OTA's" {
	echo secret >password
	chmod 600 password
	mcp sim --ota http://127.0.0.1:1/ --mqtt-password-file password
	ends 2
	hints 'is for devices at a broker'
}

# The device's own fault is not the backend's.
@test "a hello that never went out: not told of the backend" {
	local fault
	background backend /usr/bin/python3 "$BATS_TEST_DIRNAME/backend.py" silent
	port=$(wait_for backend.out 'port [0-9]+' | sed 's/port //')
	for fault in no-hello late-hello=1h; do
		mcp sim --connect "ws://127.0.0.1:$port/" --fault "$fault" --for 300ms
		ends 3
		absent 'backend said no hello' stderr
		hints 'no device said hello itself'
		hints 'as its fault wants it'
	done
	broker
	ota_says "{\"mqtt\":{\"endpoint\":\"127.0.0.1:$MQTT\",\"client_id\":\"c\"}}"
	mcp sim --ota "http://127.0.0.1:$OTA/" --audio --for 5s
	ends 3
	absent 'backend said no hello' stderr
	hints 'no device said hello itself'
	hints 'publish_topic'
	background sim mcpctl sim --connect "ws://127.0.0.1:$port/" --fault no-hello
	wait_for sim.err 'its own hello never went out'
	kill -INT "$LAST"
	wait_for sim.out '^findings'
	absent 'server hello' sim.err sim.out
}

@test "an OTA reply with newer firmware, or without a token: what a board makes of it" {
	local newer
	background backend /usr/bin/python3 "$BATS_TEST_DIRNAME/backend.py" silent
	port=$(wait_for backend.out 'port [0-9]+' | sed 's/port //')
	ws="\"websocket\":{\"url\":\"ws://127.0.0.1:$port/\"}"
	ota_says "{$ws,\"firmware\":{\"version\":\"9.0\",\"url\":\"http://h/f.bin\"}}"
	mcp sim --ota "http://127.0.0.1:$OTA/" --for 1s
	says 'O317 note  OTA has newer firmware: 9.0, and the board has 2.'
	says 'O318 note  websocket without token: the stored one is used'
	hints "leaves the firmware at 'http://h/f.bin' alone"
	hints 'sends no token, it has none'
	absent 'O31[0-9]' stderr
	mcp -v sim --ota "http://127.0.0.1:$OTA/" --for 1s
	hints 'O317 note'
	hints 'O318 note'
	MCPCTL_SIM_TOKEN=t mcp sim --ota "http://127.0.0.1:$OTA/" --for 1s
	hints 'sends the token that was given'
	ota_says "{$ws,\"firmware\":{\"version\":\"0.1\",\"url\":\"\",\"force\":1}}"
	mcp sim --ota "http://127.0.0.1:$OTA/" --for 1s
	says 'force is 1: the board installs 0.1 at once'
	hints 'leaves firmware alone, which has an empty url'
	# The same, an older one, and one that is told without an address.
	for newer in '{"version":"2.4.2","url":"x"}' '{"version":"2.4.1.9","url":"x"}' '{"version":"9.9"}'; do
		ota_says "{\"websocket\":{\"url\":\"ws://127.0.0.1:$port/\",\"token\":\"\"},\"firmware\":$newer}"
		mcp sim --ota "http://127.0.0.1:$OTA/" --for 1s
		absent 'firmware|no token' stderr
		absent 'O31[0-9]' stdout
	done
}

@test "an OTA reply is judged as a board reads it; notes on it are no hazards" {
	background backend /usr/bin/python3 "$BATS_TEST_DIRNAME/backend.py" careful
	port=$(wait_for backend.out 'port [0-9]+' | sed 's/port //')
	ws="\"websocket\":{\"url\":\"ws://127.0.0.1:$port/\"}"
	ota_says "{$ws,\"firmware\":{\"version\":\"9.0\",\"url\":\"u\"}}"
	mcp sim --ota "http://127.0.0.1:$OTA/" --for 10s --expect-no-hazards --expect-listed
	ends 0
	says 'O317 note'
	says 'O318 note'
	# What it asked was loopback, too: the pretended board is here.
	absent 'O310|O320|V506' stdout
	mcp sim --ota "http://127.0.0.1:$OTA/" --for 10s --fail-on note
	ends 7
	ota_says '{"websocket":{"url":"ws://host.docker.internal:1/","token":""}}'
	mcp sim --ota "http://127.0.0.1:$OTA/" --for 5s
	absent 'O310|O320' stdout
	ota_says '{"error":"Invalid device ID"}'
	mcp sim --ota "http://127.0.0.1:$OTA/"
	ends 3
	says 'Invalid device ID'
	says 'O312 error'
	ota_says '{"websocket":{"url":"ws://h/","a_name_too_long_":1}}'
	mcp sim --ota "http://127.0.0.1:$OTA/"
	hints 'a real device aborts here, at every start (O305)'
	[ "$(grep -c a_name_too_long_ <<<"$err")" -le 2 ]
	ota_says '{"mqtt":{"endpoint":"mqtt://h:1883","publish_topic":"x"}}'
	mcp sim --ota "http://127.0.0.1:$OTA/"
	hints 'a real device restarts here, over and over (O302)'
	says 'O302 error'
}

@test "an OTA reply without an address: what a board has stored then" {
	ota_says '{"websocket":{}}'
	mcp sim --ota "http://127.0.0.1:$OTA/"
	ends 3
	hints 'without a url that is a text: a real device stays on WebSocket'
	ota_says '{"websocket":{"url":5}}'
	mcp sim --ota "http://127.0.0.1:$OTA/"
	ends 3
	hints 'without a url that is a text: a real device stays on WebSocket'
	ota_says '{"websocket":{"url":""}}'
	mcp sim --ota "http://127.0.0.1:$OTA/"
	ends 3
	hints 'whose url is empty: a real device stores that'
	absent 'stays on WebSocket' stderr
}

@test "a server hello that is ignored: it was said, and why it is none" {
	cat >otherwise.py <<-'END'
		import asyncio, json, websockets
		async def serve(ws, _path=None):
		    await ws.recv()
		    await ws.send(json.dumps({"type": "hello", "transport": "ws"}))
		    await asyncio.sleep(30)
		async def main():
		    s = await websockets.serve(serve, "127.0.0.1", 0, close_timeout=0.1)
		    print("port", s.sockets[0].getsockname()[1], flush=True)
		    await asyncio.sleep(120)
		asyncio.run(main())
	END
	background backend /usr/bin/python3 otherwise.py
	port=$(wait_for backend.out 'port [0-9]+' | sed 's/port //')
	mcp sim --connect "ws://127.0.0.1:$port/" --for 3s
	ends 3
	absent 'said no hello' stderr
	hints "welcomed 0: the server hello has another transport"
}

@test "a hint that fits: two ways, a broker that OTA does not name, time over behind OTA" {
	mcp sim --connect ws://127.0.0.1:1/ --ota http://127.0.0.1:1/
	ends 2
	hints 'exclude each other'
	absent 'sim: tools' stderr
	ota_says '{"mqtt":{"client_id":"c"}}'
	mcp sim --ota "http://127.0.0.1:$OTA/"
	ends 3
	absent "it hides 'websocket'" stderr
	cat >deaf.py <<-'END'
		import socket, time
		s = socket.create_server(("127.0.0.1", 0))
		print("port", s.getsockname()[1], flush=True)
		time.sleep(120)
	END
	background deaf /usr/bin/python3 deaf.py
	port=$(wait_for deaf.out 'port [0-9]+' | sed 's/port //')
	ota_says "{\"websocket\":{\"url\":\"ws://127.0.0.1:$port/\"}}"
	mcp sim --ota "http://127.0.0.1:$OTA/" --for 3s
	ends 4
	hints "not connected to 'ws://127.0.0.1:$port/' within the time of --for"
}
