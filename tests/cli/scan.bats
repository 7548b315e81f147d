#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# targets --scan: who announces a server (on loopback), serves, names.

load helper
bats_require_minimum_version 1.5.0

# shows PATTERN: a line of stdout has it.
shows() {
	if ! grep -aqE -- "$1" "$WORK/stdout"; then
		echo "stdout does not show: $1" >&2
		cat "$WORK/stdout" >&2
		return 1
	fi
}

# One at a time on this machine: all hear the same multicast group.
setup() {
	exec 8>"/tmp/mcpctl-test-scan.$(id -u)"
	flock 8
	places
	PATH=$BUILD:$PATH
	WORK=$BATS_TEST_TMPDIR
	export HOME=$WORK XDG_CONFIG_HOME=$WORK/config XDG_STATE_HOME=$WORK/state
	export XDG_CACHE_HOME=$WORK/cache XDG_RUNTIME_DIR=$WORK/run TMPDIR=$WORK
	export LC_ALL=C.UTF-8
	unset "${!MCPCTL_@}" NO_COLOR PYTHONUNBUFFERED CODEX_HOME
	# shellcheck disable=SC2034 # of helper.bash
	PIDS=()
	cd "$WORK" || return 1
	mkdir -m 700 run
}

responder() {
	background responder "$ROOT/tests/cli/mdns_responder.py" "$1"
	wait_for responder.out ready
}

scan() {
	mcp "${form[@]}" targets --scan --interface lo --for 50s "$@"
}

@test "who announces a server, with the command that reaches it" {
	responder lamp
	scan --count 2
	ends 0
	says 'network  Bare       mcpctl http://10.1.2.3:8080/mcp info  bare.local on lo'
	says 'network  Desk Lamp  mcpctl http://127.0.0.1/mcp/v1 info   lamp.local on lo'
	form=(-o json)
	scan --count 2
	ends 0
	says '{"kind":"network","name":"Desk Lamp","peer":"http://127.0.0.1/mcp/v1","source":"lamp.local on lo","command":"mcpctl http://127.0.0.1/mcp/v1 info","problem":null}'
}

@test "what was not told with the first answer is asked for" {
	responder pieces
	# A fourth of the time between two questions; it ends with the last answer.
	mcp targets --scan --interface lo --for 10s --count 2
	ends 0
	says 'mcpctl http://127.0.0.1/mcp info'
	says 'mcpctl http://127.0.0.1:8123/x info'
}

@test "strangers: garbage, too many, text for a shell or a terminal" {
	responder hostile
	scan --count 200
	ends 0
	says '\x1b[31mred\n\xff'
	says 'it did not tell its port'
	says 'mcpctl http://127.0.0.1/mcp info'
	hints 'more than 200 were announced'
	run ! grep -aE "http:[^ ]*(reboot|evil)" "$WORK/stdout"
	run ! grep -q $'\x1b' "$WORK/stdout"
	[ "$(wc -l <"$WORK/stdout")" -le 200 ]
}

@test "nobody, no such interface, options without --scan" {
	mcp targets --scan --interface lo --for 200ms
	ends 7
	hints 'nobody answered: no serve of yours, and nobody on lo'
	hints 'hint: only what announces _mcp._tcp can be found'
	mcp targets --scan --interface nothing0
	ends 2
	hints "no interface 'nothing0' is up with an IPv4 address"
	mcp targets --for 1s
	ends 2
	hints "option '--for' is for '--scan'"
	mcp targets --scan --ping
	ends 2
}

@test "serves of this user, in the usual place and beside it; names of files" {
	background serve mcpctl serve --listen "127.0.0.1:$(free_port)" --mqtt="$(free_port)"
	until_true mcpctl devices
	background other mcpctl --socket "$WORK/run/mcpctl/second.sock" serve --listen "127.0.0.1:$(free_port)" --mqtt="$(free_port)"
	until_true mcpctl --socket "$WORK/run/mcpctl/second.sock" devices
	mkdir -p config/mcpctl
	echo '{"mcpServers":{"one":{"url":"sim:"}}}' >config/mcpctl/mcp.json
	mcp targets --scan --interface lo --for 100ms
	ends 0
	shows 'name .* one .* mcpctl -t one info'
	shows "serve .* mcpctl devices .* 0 devices, $WORK/run/mcpctl/serve.sock"
	says "mcpctl --socket $WORK/run/mcpctl/second.sock devices"
}

# asks PID: it has a socket for UDP.
asks() { ss -Hulnp 2>/dev/null | grep -q "pid=$1,"; }

@test "Ctrl-C ends it" {
	background scan mcpctl targets --scan --interface lo --for 500s
	pid=$LAST
	until_true asks "$pid"
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 130 ]
}
