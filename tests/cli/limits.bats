#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Ports, and few open files: whoever does not fit in is refused, and the others
# live on.

load helper

# limited_serve N ARG…: with so many open files, and no way to more.
limited_serve() {
	SERVE_BEFORE="prlimit --nofile=$1:$1" serve "${@:2}"
}

# here N: whether so many devices, or more, are there; away: whether none is.
here() { [ "$(mcpctl -o json devices | grep -c '"state"')" -ge "$1" ]; }
away() { ! here 1; }

# answered: the simulated board is ready and answers a call. It is started
# again until then: some place was given to strangers that have gone.
answered() {
	over "$DEVICE" && device board
	mcpctl -d 02:00:00:00:00:01 --wait 1s call self.get_device_status
}

# lets_a_board_in: serve, when the strangers who filled it have gone.
lets_a_board_in() {
	until_true here 10
	crowd_goes
	until_true away
	device board
	until_true answered
	kill "$DEVICE"
	wait "$DEVICE" || :
	until_true away
}

# comes_and_goes N: serve with that limit, three times full of strangers. First
# of those whose WebSockets need more files than there are; they come from many
# addresses, and no request is beside them, so no address has all that it gets
# before. Then of all kinds, from one address.
comes_and_goes() {
	limited_serve "$1"
	before=$(open_files "$SERVER")
	crowd "$PORT" silent "$1" head 100 idle 100 --from=50 --again
	event refused 'open files'
	lets_a_board_in
	for _ in 1 2; do
		crowd "$PORT" silent "$1" head 100 body 50 idle 100 --again
		lets_a_board_in
	done
	settled() { [ "$(open_files "$SERVER")" -le "$((before + 2))" ]; }
	until_true settled
	kill "$SERVER"
	finish "$SERVER" 143
	absent 'rror:' serve.err
}

@test "serve: 24 open files are too few, and what is needed is said" {
	prlimit --nofile=24:24 mcpctl serve --listen 127.0.0.1:0 >out 2>err </dev/null && return 1
	grep -F 'serve needs 32 open files at least, and 24 are allowed' err
	grep -F 'ulimit -n' err
}

@test "serve: with 64 open files boards and strangers come and go" {
	comes_and_goes 64
}

@test "serve: with 128 open files boards and strangers come and go" {
	comes_and_goes 128
}

@test "serve: with 256 open files boards and strangers come and go" {
	comes_and_goes 256
}

@test "serve: with 512 open files boards and strangers come and go" {
	comes_and_goes 512
}


@test "listen: with few open files strangers come and go, and the board is served" {
	for count in 24 64 128 256 512; do
		background "listen$count" prlimit "--nofile=$count:$count" \
			mcpctl listen:127.0.0.1:0 --wait 60s info
		LISTENER=$LAST
		line=$(wait_for "listen$count.err" 'http://[^ ]*/xiaozhi/ota/')
		PORT=$(sed -E 's|.*:([0-9]+)/xiaozhi/ota/.*|\1|' <<<"$line")
		crowd "$PORT" head 300 body 100 idle 200 --again
			crowd_goes
		device board
		finish "$LISTENER" 0
		grep -q 'xiaozhi\|pretend' "listen$count.out"
		kill "$DEVICE" || :
		wait "$DEVICE" || :
	done
}

@test "sim --listen: with few open files strangers come and go, and a client is served" {
	for count in 24 64 128 256 512; do
		background "sim$count" prlimit "--nofile=$count:$count" \
			mcpctl sim --listen 127.0.0.1:0
		SIM=$LAST
		line=$(wait_for "sim$count.err" '127\.0\.0\.1:[0-9]+')
		PORT=$(grep -oE '127\.0\.0\.1:[0-9]+' <<<"$line" | head -n 1 | cut -d: -f2)
		crowd "$PORT" silent 300 head 100 body 100 idle 100 --again
		crowd_goes
		until_true mcpctl "ws://127.0.0.1:$PORT/ws" tools
		kill "$SIM"
		finish "$SIM" 143
	done
}

@test "sim llm: with few open files strangers come and go, and a client is served" {
	for count in 24 64 128 256 512; do
		background "llm$count" prlimit "--nofile=$count:$count" \
			mcpctl sim llm --listen 127.0.0.1:0
		SIM=$LAST
		line=$(wait_for "llm$count.err" 'http://127\.0\.0\.1:[0-9]+')
		PORT=$(grep -oE '127\.0\.0\.1:[0-9]+' <<<"$line" | head -n 1 | cut -d: -f2)
		crowd "$PORT" silent 300 head 100 body 100 idle 100 --again
		crowd_goes
		until_true mcpctl "http://127.0.0.1:$PORT/mcp" tools
		kill "$SIM"
		finish "$SIM" 143
	done
}

@test "serve: a board that is known gets in among 300 strangers who hold all places" {
	mkdir -p config/mcpctl
	echo '{"kitchen": "02:00:00:00:00:01"}' >config/mcpctl/devices.json
	serve --devices-max 60
	crowd "$PORT" silent 120 head 60 body 60 upload 30 message 30 --again
	until_true here 30
	curl -sf -m "$PATIENCE" -H 'Device-Id: 02:00:00:00:00:01' "$OTA" >reply
	jq -e .websocket.url reply
	device board
	until_true mcpctl -d kitchen call self.get_device_status
	crowd_goes
	# All that lost a place are told of in a few lines.
	[ "$(grep -c 'others need its place' serve.out)" -lt 20 ]
}

# quiet N: a client that connects to the broker of serve and says nothing.
quiet() {
	background "quiet$1" mosquitto_sub -p "$MQTT" -i "GID_test@@@02_00_00_00_aa_0$1@@@x" \
		-t "devices/p2p/02_00_00_00_aa_0$1"
	event connected "02:00:00:00:aa:0$1"
}

@test "serve: a board that is known gets in among clients of the broker that hold all places" {
	mkdir -p config/mcpctl
	echo '{"kitchen": "02:00:00:00:00:01"}' >config/mcpctl/devices.json
	mqtt_serve --devices-max 3
	for n in 1 2 3; do
		quiet "$n"
	done
	background board mcpctl sim --ota "$OTA" --reconnect
	board=$LAST
	until_true mcpctl -d kitchen call self.get_device_status
	event refused 'closed: it was not ready, and others need its place'
	kill "$board"
	event gone 02:00:00:00:00:01
	# Now the one that went is back, and that transport is the other one.
	until_true here 3
	device board
	until_true mcpctl -d kitchen call self.get_device_status
}

@test "serve: a board that is known gets in among boards that are not, and answer" {
	mkdir -p config/mcpctl
	echo '{"kitchen": "02:00:00:00:00:01"}' >config/mcpctl/devices.json
	serve --devices-max 3
	device fleet --devices 3 --device-id 02:00:00:00:aa:01 --reconnect
	fleet_there() { [ "$(mcpctl devices -o json | grep -c '"state":"ready"')" = 3 ]; }
	until_true fleet_there
	device other --device-id 02:00:00:00:aa:04
	event refused '3 devices are connected, that is the limit'
	device board
	until_true mcpctl -d kitchen call self.get_device_status
	# Who lost his place to it redials, and finds none.
	wait_for fleet.err 'its place is for a board that is known|no more devices are accepted'
	mcpctl -d kitchen call self.get_device_status
	absent '"event":"gone".*02:00:00:00:00:01' serve.out
}

@test "serve: memory goes back when boards go, and does not grow from storm to storm" {
	[[ $BUILD == */san ]] && skip "sanitizers keep what is freed"
	serve
	hard=$(ulimit -Hn) many=1000
	[ "$hard" = unlimited ] || [ "$hard" -ge 4096 ] || many=500
	resident() { awk '/VmRSS/ {print $2}' "/proc/$SERVER/status"; }
	ready() { [ "$(mcpctl devices -o json | grep -c '"state":"ready"')" = "$1" ]; }
	for round in 1 2 3 4 5; do
		background fleet mcpctl sim --devices "$many" --connect "ws://127.0.0.1:$PORT/xiaozhi/v1/"
		DEVICE=$LAST
		until_true ready "$many"
		kill "$DEVICE"
		wait "$DEVICE" || :
		until_true away
		[ "$round" -gt 1 ] || first=$(resident)
	done
	fits() { [ "$(resident)" -le $((first * 11 / 10 + 4096)) ]; }
	echo "after the first $first kB, after the fifth $(resident) kB" >&2
	until_true fits
}

@test "serve: a large body is taken from a board that is known only" {
	serve
	truncate -s 1M large
	for path in upload vision/explain xiaozhi/ota/; do
		for how in 'X: y' 'Transfer-Encoding: chunked'; do
			curl -s -o reply -w '%{http_code}' -H "$how" \
				-F 'file=@large' "http://127.0.0.1:$PORT/$path" >code
			grep -qx 403 code
			grep 'above 131072 bytes, and who sends it is not known' reply
		done
	done
	event noise 'it showed no token, and no address'
}

@test "too few open files: said, with what to do" {
	local n
	for n in 12 15; do
		run bash -c "ulimit -n $n; mcpctl devices"
		[ "$status" = 2 ]
		[[ $output == *"no more than $n open files are allowed, and 16 are needed"*"ulimit -n"* ]]
	done
	run bash -c "ulimit -n 32; mcpctl sim: call self.get_device_status --jq .battery.level"
	[ "$status" = 0 ]
}
