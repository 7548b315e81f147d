#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# serve --exec: a smoke test of a board in one line.

# shellcheck disable=SC2016,SC2034 # for the shell of --exec; for the helper
load helper

once() { # ARG…: serve --exec with a board that dials in by itself
	background once mcpctl serve --listen 127.0.0.1:0 --once "$@"
	ONCE=$LAST
	wait_for once.err '/xiaozhi/ota/'
	PORT=$(grep -oE '127\.0\.0\.1:[0-9]+' once.err | head -n 1 | cut -d: -f2)
}

none_runs() { ! pgrep -xf "$1"; }

@test "the status of the command is the status of serve" {
	once --exec 'mcpctl call self.get_device_status && exit 7'
	device board
	finish "$ONCE" 7
	grep -q volume once.out
	grep -q 02:00:00:00:00:01 once.err
	grep -q 'stopping  the command of --once has ended$' once.err
	absent 'tools' once.out
}

@test "target and device are in the environment" {
	once --exec 'echo "$MCPCTL_TARGET $MCPCTL_DEVICE"; mcpctl info' --wait 20s
	device board
	finish "$ONCE" 0
	grep -q 'attach:.* 02:00:00:00:00:01' once.out
}

@test "nobody came: 3, and which step was missing" {
	once --exec true --wait 300ms
	finish "$ONCE" 3
	grep -qi 'nothing\|no device\|nobody' once.err
}

@test "a TLS greeting is named, as listen: names it" {
	once --wait 4 --exec true
	curl -sk "https://127.0.0.1:$PORT/xiaozhi/ota/" || :
	finish "$ONCE" 3
	grep -q 'no device was ready within 4 s: something spoke TLS to this plain port' once.err
	grep -q 'was the board given https:// or wss://?' once.err
	# A browser speaks TLS, too, and a scanner.
	absent ': the board was given' once.err
}

@test "sent on by OTA, and never there: a broker is named to whom it was sent there" {
	local offer
	for offer in mqtt ws; do
		MQTT=$(free_port)
		once "--mqtt=$MQTT" --offer "$offer" --socket "$WORK/$offer.sock" --exec true --wait 4s
		wait_for once.err 'connected to the broker'
		curl -s -d '{}' -H 'Device-Id: 02:00:00:00:00:07' -H 'Client-Id: abc' "http://127.0.0.1:$PORT/xiaozhi/ota/"
		mv once.err "$offer.err"
		mv once.out "$offer.out"
		declare "$offer=$ONCE"
	done
	for offer in mqtt ws; do
		finish "${!offer}" 3
		grep -q "error: no device was ready within 4 s: the board 02:00:00:00:00:07 .* asked OTA, but never dialled" "$offer.err"
	done
	grep -q 'hint: can it reach the broker that OTA gave it?' mqtt.err
	grep -q 'hint: wake it: say the wake word' ws.err
}

@test "somebody came, but not far: who, and how far" {
	once --exec true --wait 5s
	device board --fault no-hello
	finish "$ONCE" 3
	grep -q 'error: .*02:00:00:00:00:01 connected, and said no hello' once.err
	grep -q 'hint: .*--trace' once.err
}

@test "a smoke test with JUnit output" {
	printf 'info\ncall self.get_device_status\n' >smoke.txt
	once --exec "mcpctl run smoke.txt --report junit:$WORK/report.xml"
	device board
	finish "$ONCE" 0
	grep -q '<testcase' report.xml
}

@test "without --once each board gets its run; stopping stops what runs" {
	local mark=600.$$$RANDOM
	background log mcpctl serve --listen 127.0.0.1:0 --exec "echo \"ran \$MCPCTL_DEVICE\"; sleep $mark"
	log=$LAST
	wait_for log.err '/xiaozhi/ota/'
	PORT=$(grep -oE '127\.0\.0\.1:[0-9]+' log.err | head -n 1 | cut -d: -f2)
	device boards --devices 2
	wait_for log.out 'ran 02:00:00:00:00:01'
	wait_for log.out 'ran 02:00:00:00:00:02'
	mcp stop
	ends 0
	wait "$log" || :
	until_true none_runs "sleep $mark"
}

# So many lines say that something ran.
ran() {
	[ "$(grep -c '^ran ' log.out)" = "$1" ]
}

@test "more boards than run at once: each gets one run, in its turn" {
	background log mcpctl serve --listen 127.0.0.1:0 --exec "echo \"ran \$MCPCTL_DEVICE\""
	log=$LAST
	wait_for log.err '/xiaozhi/ota/'
	PORT=$(grep -oE '127\.0\.0\.1:[0-9]+' log.err | head -n 1 | cut -d: -f2)
	device boards --devices 40
	until_true ran 40
	mcp stop
	ends 0
	wait "$log" || :
	ran 40
	[ "$(grep '^ran ' log.out | sort -u | grep -c .)" = 40 ]
}
