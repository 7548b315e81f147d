#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# No more memory: whoever comes then is refused, and the others live on.

# shellcheck disable=SC2034 # for the helper
load helper

# room KB: so much more memory may serve take from now on.
room() {
	local size
	size=$(sed -n 's/^VmSize:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$SERVER/status")
	prlimit --pid "$SERVER" "--as=$(((size + $1) * 1024)):"
}

# strange_boards N: so many boards that know nothing of others' limits; sets CROWD.
strange_boards() {
	background strange mcpctl -q sim --connect "ws://127.0.0.1:$PORT/xiaozhi/v1/" \
		--device-id 0b:00:00:00:00:01 --devices "$1"
	CROWD=$LAST
}

# comes ID: that board is ready and answers. It dials again until then.
comes() {
	over "$DEVICE" && device newcomer --device-id "$1"
	mcpctl -d "$1" --wait 1s call self.get_device_status
}

# Sanitizers take memory as they like.
not_sanitized() {
	[ "$BUILD" = "$TOP" ] || skip "a build with sanitizers"
}

@test "serve: boards are refused, one line says so, and those that are there answer" {
	not_sanitized
	serve
	device board
	event ready
	for _ in 1 2 3; do
		room 3000
		strange_boards 500
		event refused 'no memory is left for its connection'
		mcpctl -d 02:00:00:00:00:01 call self.get_device_status
		kill "$CROWD"
		finish "$CROWD" 143
	done
	[ "$(grep -c 'no memory is left for its connection' serve.out)" = 1 ]
	device newcomer --device-id 02:00:00:00:00:99
	until_true comes 02:00:00:00:00:99
	mcpctl -d 02:00:00:00:00:01 call self.get_device_status
	kill "$SERVER"
	finish "$SERVER" 143
}

@test "serve: a board costs it 32 kB at most, touched or not" {
	not_sanitized
	reserved() { awk '/VmData/ {print $2}' "/proc/$SERVER/status"; }
	ready() { [ "$(mcpctl devices -o json | grep -c '"state":"ready"')" = "$1" ]; }
	serve
	device board
	until_true ready 1
	before=$(reserved)
	device boards --devices 100 --device-id 0b:00:00:00:00:01
	until_true ready 101
	[ "$(reserved)" -le $((before + 100 * 32)) ]
}

@test "serve: a large message that comes then ends that board's connection only" {
	not_sanitized
	serve
	device board
	cat >large.py <<END
import asyncio, os, sockets

async def main():
    async with sockets.dial("ws://127.0.0.1:$PORT/x", {"Device-Id": "aa:aa:aa:aa:aa:aa"}) as ws:
        while not os.path.exists("now"):
            await asyncio.sleep(0.05)
        await ws.send("x" * 500000)
        await ws.wait_closed()
        print(ws.close_code)

asyncio.run(main())
END
	background large env "PYTHONPATH=$BATS_TEST_DIRNAME" /usr/bin/python3 large.py
	LARGE=$LAST
	event connected aa:aa:aa:aa:aa:aa
	room 3000
	strange_boards 500
	event refused 'no memory is left for its connection'
	touch now
	event gone 'no memory is left for the message'
	finish "$LARGE" 0
	grep -qx 1013 large.out
	mcpctl -d 02:00:00:00:00:01 call self.get_device_status
	kill "$SERVER"
	finish "$SERVER" 143
}
