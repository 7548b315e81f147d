#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# serve and very many boards at once: none is lost on the way in, none is
# forgotten at the end. 1000 of them; where no more than 1024 files may be open,
# 500, which is twice what HTTP answers at a time, and what serve takes there.

load helper

hard=$(ulimit -Hn)
MANY=1000
[ "$hard" = unlimited ] || [ "$hard" -ge 4096 ] || MANY=500

count_ready() { mcpctl devices -o json | grep -c '"state":"ready"'; }
are_ready() { [ "$(count_ready)" = "$1" ]; }

# ready N: until that many devices are ready; as long as they become more.
ready() {
	local before=-1 now=0
	while [ "$now" -gt "$before" ]; do
		until_true are_ready "$1" && return 0
		before=$now now=$(count_ready)
	done
	mcpctl devices -o json | jq -r .state | sort | uniq -c >&2
	tail -n 20 fleet.out fleet.err >&2
	return 1
}

# boards N ARG…: a simulated fleet that starts at once; sets DEVICE.
boards() {
	local count=$1
	shift
	background fleet mcpctl -v sim --devices "$count" "$@"
	DEVICE=$LAST
}

@test "$MANY boards dial in at once; at the end each is sent Close" {
	serve
	boards "$MANY" --connect "ws://127.0.0.1:$PORT/xiaozhi/v1/"
	ready "$MANY"
	kill "$SERVER"
	finish "$SERVER" 143
	wait "$DEVICE" || :
	[ "$(grep -c 'the backend sent Close 1000' fleet.err)" = "$MANY" ]
	grep -E "^connected +$MANY, refused 0" fleet.out
}

@test "$MANY boards at once through proxy: each to its own connection, in little memory" {
	local at proxy most
	serve
	background proxy mcpctl proxy "ws://127.0.0.1:$PORT/xiaozhi/v1/" --listen 127.0.0.1:0 --trace many.cap
	proxy=$LAST
	at=$(wait_for proxy.err 'listening at' | grep -oE 'ws://[^ ]*')
	most=$MANY
	# It has a file for each side of each, and few places for those who knock.
	[ "$hard" = unlimited ] || [ "$hard" -ge $((MANY * 2 + 100)) ] || most=$((hard / 8))
	boards "$most" --connect "$at"
	ready "$most"
	[ "$(awk '/VmHWM/ {print $2}' "/proc/$proxy/status")" -lt 100000 ]
	kill -INT "$DEVICE"
	wait "$DEVICE" || :
	kill -INT "$proxy"
	finish "$proxy" 0
	wait_for proxy.out '^passed '
	[ "$(grep '^passed' proxy.out | grep -oE '[0-9,]+ connections' | tr -dc 0-9)" = "$most" ]
	wait_for proxy.out '^found +nothing'
	[ "$(jq -r 'select(.kind == "open").device' many.cap | sort -u | wc -l)" = "$most" ]
}

@test "$MANY boards ask OTA at once, more than are answered at a time" {
	serve
	boards "$MANY" --ota "$OTA"
	ready "$MANY"
	kill -INT "$DEVICE"
	wait "$DEVICE" || :
	grep -E "^connected +$MANY, refused 0" fleet.out
}

@test "--all waits for the first that fits, as --wait says" {
	serve
	mcp --all --wait 300ms -d 02:00:00:00:00:09 call self.get_device_status
	ends 3
	hints "no device fits '02:00:00:00:00:09' yet; waiting up to 300 ms"
	hints "no device of the running serve fits '02:00:00:00:00:09'"
	background waiting mcpctl --all --wait 60s call self.get_device_status
	wait_for waiting.err 'no device is there yet; waiting up to 1 min|no device is there yet; waiting up to 60 s'
	background board mcpctl sim --ota "$OTA" --device-id 02:00:00:00:00:07
	until_true over "${PIDS[-2]}"
	wait_for waiting.out '02:00:00:00:00:07.*volume'
	mcp --all ping
	ends 0
}
