#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# serve over WebSocket: boards that come, go, come back and misbehave; its
# limits; how it starts and ends.

load helper

# In place of the shell that runs it, so that it can be stopped.
python() { exec /usr/bin/python3 "$@"; }

is_ready() { mcpctl devices -o json | grep -q ready; }

# heard N: so many frames of audio of the board, or more.
heard() { mcpctl devices -o json | jq -e ".audio.frames >= $1"; }

@test "a board dials in once, and commands find serve by themselves" {
	serve
	device board
	event ready '"device":"02:00:00:00:00:01"'
	mcp call self.audio_speaker.set_volume volume=40
	ends 0
	says true
	mcp call self.get_device_status
	ends 0
	says '"volume":40'
	mcp tools
	ends 0
	says self.audio_speaker.set_volume
	mcp info
	ends 0
	says 2.4.2
	mcp describe self.audio_speaker.set_volume
	ends 0
	says 0..100
	mcp ping
	ends 0
	mcp devices
	ends 0
	says 02:00:00:00:00:01
	says esp32
}

@test "initialize is sent once, with a vision service; nothing is asked twice" {
	serve
	device board
	event ready
	for _ in 1 2 3; do
		mcp call self.get_device_status
		ends 0
	done
	kill -INT "$DEVICE"
	wait "$DEVICE" || :
	absent 'initialize twice|twice' board.out
}

@test "every line of -o json is an object with event, time and text" {
	serve
	device board
	event ready
	mcp stop
	ends 0
	finish "$SERVER" 0
	jq -es 'length > 3 and all(.[]; has("event") and has("time") and has("text"))' serve.out
}

@test "the text log names the board and what to set on it" {
	background log mcpctl serve --listen 127.0.0.1:0
	wait_for log.err '/xiaozhi/ota/'
	port=$(grep -oE '127\.0\.0\.1:[0-9]+' log.err | head -n 1)
	background board mcpctl sim --ota "http://$port/xiaozhi/ota/"
	wait_for log.out '02:00:00:00:00:01.*tools'
	grep -q 'esp32' log.out
	absent $'\x1b' log.out log.err
}

@test "a board that comes back replaces its dead connection" {
	serve
	device one
	event ready
	device two
	event replaced
	until_true matches serve.out '"event":"ready"' 2
	mcp devices -o json
	[ "$(wc -l <<<"$out")" = 1 ]
	mcp call self.get_device_status
	ends 0
}

@test "--no-init leaves the first question to the command" {
	serve --no-init
	device board
	event hello
	mcp devices -o json
	ends 0
	says '"tools":null'
	mcp call self.get_device_status
	ends 0
	says volume
}

@test "a recorded board is served like any other" {
	serve
	device board fixtures
	event ready
	mcp tools -o json
	ends 0
	says self.test
}

@test "wrong path, wrong token, no token: refused, and the log says which" {
	printf 'right\n' >tokens
	serve --path /good/ --token-file tokens
	background a mcpctl sim --connect "ws://127.0.0.1:$PORT/bad/"
	event refused '(path|dialled)'
	background b mcpctl sim --connect "ws://127.0.0.1:$PORT/good/"
	event refused token
	printf 'right\n' >right
	background c mcpctl sim --connect "ws://127.0.0.1:$PORT/good/" --token-file right
	event ready
	printf 'wrong\n' >wrong
	background d mcpctl sim --connect "ws://127.0.0.1:$PORT/good/" --token-file wrong --device-id 02:00:00:00:00:09
	event refused '02:00:00:00:00:09.*wrong|wrong.*02:00:00:00:00:09'
}

@test "one token a device" {
	printf '# boards\n02:00:00:00:00:01 first\n02:00:00:00:00:02 second\n' >tokens
	serve --token-file tokens
	printf 'second\n' >second
	device one --token-file second
	event refused 02:00:00:00:00:01
	device two --token-file second --device-id 02:00:00:00:00:02
	event ready 02:00:00:00:00:02
	# OTA gives each its own.
	curl -s -d '{}' -H 'Device-Id: 02:00:00:00:00:01' "$OTA" | grep -q '"token":"first"'
}

@test "the limit of devices" {
	serve --devices-max 2
	device boards --devices 3
	event refused limit
	mcp devices -o json
	[ "$(wc -l <<<"$out")" = 2 ]
}

@test "a peer that never says hello is closed" {
	serve --hello-wait 500ms --findings found.json
	device board --fault no-hello
	event finding 'D102'
	event '(refused|gone)' hello
	grep -q '"code":"D102"' found.json
}

@test "hello without MCP: listed with its state, and commands say why" {
	serve
	device board --fault no-features
	event failed
	mcp devices -o json
	ends 0
	says '"state":"no-mcp"'
	mcp tools
	ends 3
	hints mcp
}

@test "a list of tools that fails: the board stays, with the reason" {
	serve
	device board --fault loop-cursor --fill 60
	event failed
	mcp devices
	ends 0
	says cursor
	mcp call self.get_device_status
	ends 0
}

rubbish() { # CODE: a WebSocket client in Python; ws is open
	cat >rubbish.py <<END
import asyncio, json, sockets, sys

async def main():
    async with sockets.dial("ws://127.0.0.1:$PORT/x", {"Device-Id": "aa:aa:aa:aa:aa:aa"}) as ws:
        hello = json.dumps({"type": "hello", "version": 1, "features": {"mcp": True}, "transport": "websocket"})
$1

asyncio.run(main())
END
	background rubbish env "PYTHONPATH=$BATS_TEST_DIRNAME" /usr/bin/python3 rubbish.py
}

@test "hello twice, rubbish before it, an initialize error" {
	serve
	rubbish '
        await ws.send("this is no JSON")
        await ws.send("[1,2]")
        await ws.send(hello)
        await ws.send(hello)
        while True:
            text = json.loads(await ws.recv())
            if text["type"] == "mcp":
                await ws.send(json.dumps({"type": "mcp", "payload": {"jsonrpc": "2.0", "id": text["payload"]["id"], "error": {"message": "not today"}}}))
                break
        await asyncio.sleep(600)'
	event finding 'D143 warning'
	event failed 'not today'
	mcp devices
	says 'not today'
	mcp --timeout 1s check
	ends 4
	grep -qE '^hello +ok +it came$' <<<"$out"
	grep -qE '^init +fail +no reply' <<<"$out"
	absent D102 <<<"$out"
}

@test "a message above the limit closes that board only" {
	serve --message-max 65536
	device good
	event ready
	rubbish '
        await ws.send(hello)
        await ws.send("x" * 100000)
        await asyncio.sleep(600)'
	event gone aa:aa:aa:aa:aa:aa
	mcp -d 02:00:00:00:00:01 call self.get_device_status
	ends 0
}

@test "200 half-open handshakes: a board still gets in, and they are closed" {
	serve --handshake 2s
	cat >half.py <<END
import socket, time
socks = []
for i in range(200):
    s = socket.create_connection(("127.0.0.1", $PORT))
    s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nUpg")
    socks.append(s)
print("open", flush=True)
closed = 0
for s in socks:
    s.settimeout(60)
    try:
        while s.recv(1000):
            pass
    except ConnectionError:
        pass
    closed += 1
print("closed", closed, flush=True)
END
	background half /usr/bin/python3 half.py
	wait_for half.out open
	device board
	event ready
	mcp call self.get_device_status
	ends 0
	wait_for half.out 'closed 200'
	event noise
}

@test "TLS and rubbish at the port get a line that says so" {
	serve
	curl -sk --max-time 60 "https://127.0.0.1:$PORT/" || :
	event noise TLS
	printf 'hello\r\n\r\n' | timeout 60 bash -c "cat >/dev/tcp/127.0.0.1/$PORT" || :
	event noise 'no HTTP'
}

@test "stop ends it with 0 and removes the socket" {
	serve
	device board
	event ready
	[ -S "$WORK/run/mcpctl/serve.sock" ]
	[ "$(stat -c %a "$WORK/run/mcpctl/serve.sock")" = 600 ]
	mcp stop
	ends 0
	finish "$SERVER" 0
	event stopping 'mcpctl stop'
	[ ! -e "$WORK/run/mcpctl/serve.sock" ]
	wait_for board.err 'clos|ended|over'
}

@test "SIGTERM closes the boards, removes the socket, and is 143" {
	serve
	device board
	event ready
	kill -TERM "$SERVER"
	finish "$SERVER" 143
	event stopping 'interrupted by a signal'
	[ ! -e "$WORK/run/mcpctl/serve.sock" ]
}

@test "SIGHUP reads aliases again" {
	mkdir -p config/mcpctl
	echo '{"kitchen":"02:00:00:00:00:01"}' >config/mcpctl/devices.json
	serve
	device board
	event ready
	mcp -d kitchen call self.get_device_status
	ends 0
	echo '{"garage":"02:00:00:00:00:01"}' >config/mcpctl/devices.json
	kill -HUP "$SERVER"
	event reload
	mcp -d garage call self.get_device_status
	ends 0
	echo 'no json' >config/mcpctl/devices.json
	kill -HUP "$SERVER"
	event reload '(json|JSON)'
	mcp -d garage ping
	ends 0
}

@test "SIGHUP with nobody behind stderr is no end: that was no terminal" {
	local reader
	mkfifo log
	cat log >heard &
	reader=$!
	PIDS+=("$reader")
	mcpctl -o json serve --listen 127.0.0.1:0 >serve.out 2>log </dev/null 3>&- &
	SERVER=$!
	PIDS+=("$SERVER")
	event listening
	kill "$reader"
	wait "$reader" || :
	kill -HUP "$SERVER"
	event reload
	kill -TERM "$SERVER"
	finish "$SERVER" 143
}

@test "kill -9 leaves a socket that the next serve and command take for what it is" {
	serve
	kill -KILL "$SERVER"
	wait "$SERVER" || :
	[ -e "$WORK/run/mcpctl/serve.sock" ]
	mcp tools
	ends 2
	hints 'no target'
	serve
	device board
	event ready
	mcp ping
	ends 0
}

@test "a second serve, and a port in use: by whom" {
	serve
	mcp serve --listen 127.0.0.1:0
	ends 3
	hints 'another serve'
	mcp --socket "$WORK/other.sock" serve --listen "127.0.0.1:$PORT"
	ends 3
	hints "$PORT"
	hints mcpctl
	hints 'mcpctl stop'
}

@test "a socket folder that is open to others is refused" {
	mkdir -p run/mcpctl
	chmod 777 run/mcpctl
	mcp serve --listen 127.0.0.1:0
	ends 3
	hints run/mcpctl
}

@test "a target makes no sense for serve; neither does -d for another target" {
	mcp sim: serve
	ends 2
	mcp -d x sim: tools
	ends 2
	hints serve
}

@test "--daemon ends when it listens; pidfile; stop" {
	mcp serve --listen 127.0.0.1:0 --daemon --pidfile "$WORK/pid"
	ends 0
	[ -s pid ]
	kill -0 "$(cat pid)"
	mcp devices
	ends 0
	mcp serve --listen 127.0.0.1:0 --daemon --pidfile "$WORK/pid" --socket "$WORK/2.sock"
	[ "$status" != 0 ]
	mcp stop
	ends 0
	until_true [ ! -e pid ]
}

@test "--daemon tells the one who started it what failed" {
	serve
	mcp serve --listen "127.0.0.1:$PORT" --daemon --socket "$WORK/2.sock"
	ends 3
	hints "$PORT"
}

@test "--daemon whose start was interrupted does not stay" {
	local rest
	mkfifo log
	background start mcpctl serve --listen 127.0.0.1:0 --daemon --log log
	# It waits for who reads the log.
	until_true pgrep -P "$LAST"
	rest=$(pgrep -P "$LAST")
	kill -TERM "$LAST"
	until_true over "$LAST"
	cat log >log.out &
	PIDS+=($!)
	until_true over "$rest"
	[ ! -e run/mcpctl/serve.sock ]
}

@test "a log that cannot be written is said, and boards are still served" {
	background full bash -c 'exec mcpctl serve --listen 127.0.0.1:0 >/dev/full'
	wait_for full.err '/xiaozhi/ota/'
	PORT=$(grep -oE '127\.0\.0\.1:[0-9]+' full.err | head -n 1 | cut -d: -f2)
	device board
	until_true is_ready
	mcp ping
	ends 0
	wait_for full.err 'No space'
}

@test "mcpctl alone says which boards are there" {
	serve
	device board
	event ready
	mcp
	ends 0
	says 02:00:00:00:00:01
}

@test "two boards with one Device-Id: the log says what this is" {
	serve
	for i in 1 2 3 4; do
		device "twin$i"
		until_true matches serve.out '"event":"connected"' "$i"
	done
	event replaced 'two boards with one Device-Id'
	serve --socket "$WORK/other.sock"
	device one --client-id 00000000-0000-4000-8000-00000000000a
	event ready
	device two --client-id 00000000-0000-4000-8000-00000000000b
	event replaced 'client id.*two boards with one Device-Id'
	device three --client-id 00000000-0000-4000-8000-00000000000a
	event replaced 'two boards with one Device-Id.*for ever'
	device four --client-id 00000000-0000-4000-8000-00000000000b
	until_true matches serve.out '"event":"replaced"' 3
	[ "$(grep -c 'for ever' serve.out)" = 1 ]
}

@test "audio of a board that listens is told when it begins, not for ever" {
	serve
	device board --audio
	event audio
	until_true heard 40
	[ "$(grep -c '"event":"audio"' serve.out)" = 1 ]
}

@test "--trace keeps every frame of every board" {
	serve --trace "$WORK/t.jsonl"
	device boards --devices 2
	event ready 02:00:00:00:00:01
	event ready 02:00:00:00:00:02
	mcp stop
	finish "$SERVER" 0
	jq -es '(map(select(.device == "02:00:00:00:00:02")) | .[0].c) as $c |
		map(select(.c == $c) | .kind) |
		index("open") == 0 and index("device") == 1 and
		index("text") == 2 and index("end") > 2' t.jsonl
	jq -es 'map(select(.kind == "open").c) | length == 2 and .[0] != .[1]' t.jsonl
	jq -es 'any(.[]; .from == "backend" and (.text // "" | contains("\"initialize\"")))' t.jsonl
	# The token for pictures is a secret here too.
	jq -rs '.[].text // empty' t.jsonl | grep -o '"token":"[^"]*"' | sort -u >token
	absent '[0-9a-f]{32}' token
	mcp --trace none/t serve --listen 127.0.0.1:0
	ends 8
	hints none/t
}

@test "--daemon says where its log is and how to end it" {
	mcp serve --listen 127.0.0.1:0 --daemon
	ends 0
	hints "$WORK/state/mcpctl/serve.log"
	hints 'mcpctl stop'
	mcp stop
	ends 0
}

@test "another serve is told before anything about its ports" {
	serve
	mcp serve --listen "127.0.0.1:$PORT"
	ends 3
	hints 'another serve'
	hints 'mcpctl stop'
}

@test "an address that only this machine reaches is said to be one" {
	background log mcpctl serve --listen 127.0.0.1:0
	wait_for log.err 'only this machine'
}

# bats test_tags=root
@test "the runtime folder of another user is not used" {
	needs_root 'only root can make a folder of another user'
	mkdir -m 700 other
	chown 65534 other
	export XDG_RUNTIME_DIR=$WORK/other
	serve
	mcp devices
	ends 0
	[ ! -e other/mcpctl ]
}
