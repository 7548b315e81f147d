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
	background responder "$ROOT/tests/cli/mdns_responder.py" "$@"
	wait_for responder.out ready
}

# server PROFILE: sets PORT.
server() {
	local line
	background server mcpctl sim "$1" --listen 127.0.0.1:0
	line=$(wait_for server.err 'listening at') || return 1
	PORT=${line##*127.0.0.1:}
	PORT=${PORT%%/*}
}

scan() {
	mcp "${form[@]}" targets --scan --interface lo --for 50s "$@"
}

@test "who announces a server, with the command that reaches it" {
	server espressif
	responder lamp "$PORT"
	scan --count 2
	ends 0
	shows 'network  Bare       -  +bare.local on lo  not asked: another address than this one announced it'
	says "network  Desk Lamp  mcpctl http://127.0.0.1:$PORT/mcp_server info  lamp.local on lo, version 1"
	form=(-o json)
	scan --count 2
	ends 0
	says '{"kind":"network","name":"Desk Lamp","peer":"http://127.0.0.1:'"$PORT"'/mcp_server","source":"lamp.local on lo, version 1","command":"mcpctl http://127.0.0.1:'"$PORT"'/mcp_server info","answers":true,"problem":null}'
}

@test "what its text says is taken for its own host alone, and each is asked for initialize" {
	server conformance
	responder found "$PORT" "$PORT" "$(free_port)"
	scan --count 4
	ends 0
	says "network  mcpd          mcpctl http://127.0.0.1:$PORT/mcp info  mcpd.local on lo, version 0.3.1"
	says "network  mcpd          mcpctl ws://127.0.0.1:$PORT/ info "
	says "network  solnera       mcpctl http://127.0.0.1:$PORT/mcp info  sol.local on lo"
	says "network  points away   mcpctl http://127.0.0.1:$PORT/mcp info  away.local on lo"
	shows 'network  is not there  -  +nil.local on lo  no answer to initialize: .*refused'
}

@test "who was found is sent no token, and one that wants it is shown as such" {
	: >log
	mkfifo orders
	# Held open, so that the server's stdin does not end.
	# shellcheck disable=SC2034
	exec {ORDERS}<>orders
	background board sh -c 'exec /usr/bin/python3 "$@" <orders' sh \
		"$BATS_TEST_DIRNAME/espressif_server.py" log token=secret
	PORT=$(wait_for board.out '^port' | cut -d' ' -f2)
	MCPCTL_TOKEN=secret mcp "http://127.0.0.1:$PORT/mcp_server" info
	ends 0
	MCPCTL_TOKEN=secret mcp targets --scan --interface lo --for 1ms --probe "127.0.0.1:$PORT"
	ends 0
	shows '^probe .* wants a token or a login: .*401'
	responder lamp "$PORT"
	MCPCTL_TOKEN=secret scan --count 2
	ends 0
	says "mcpctl http://127.0.0.1:$PORT/mcp_server info"
	shows 'Desk Lamp .* wants a token or a login: .*401'
}

@test "--probe finds who announces nothing, and says nothing of the others" {
	server espressif
	other=$(free_port)
	mcp targets --scan --interface lo --for 1ms --probe "127.0.0.1:$PORT" --probe "127.0.0.1:$other"
	ends 0
	says "probe    127.0.0.1  mcpctl http://127.0.0.1:$PORT/mcp_server info  port $PORT"
	[ "$(grep -c ^probe "$WORK/stdout")" = 1 ]
	# Of a network each place; 127.0.0.1 is one of them.
	mcp -o json targets --scan --interface lo --for 1ms --probe "127.0.0.0:$PORT/30"
	ends 0
	[ "$(jq -r 'select(.kind == "probe").command' "$WORK/stdout")" = "mcpctl http://127.0.0.1:$PORT/mcp_server info" ]
	mcp targets --scan --interface lo --for 1ms --probe "127.0.0.1:$other"
	ends 7
	hints 'none of the 1 places that were probed'
	for bad in '127.0.0.1/8' 'a b' '' 'name.local/24' '127.0.0.1/'; do
		mcp targets --scan --interface lo --for 1ms --probe "$bad"
		ends 2
	done
	mcp targets --probe 127.0.0.1
	ends 2
	hints "option '--probe' is for '--scan'"
}

@test "what was not told with the first answer is asked for" {
	responder pieces
	# A fourth of the time between two questions; it ends with the last answer.
	mcp targets --scan --interface lo --for 10s --count 2
	ends 7
	hints 'none of the 2 that were announced is an MCP server'
	shows 'Last .* last.local on lo .* no answer to initialize'
	shows 'Slow .* slow.local on lo .* no answer to initialize'
}

@test "strangers: garbage, too many, text for a shell or a terminal" {
	responder hostile
	scan --count 200
	ends 7
	says '\x1b[31mred\n\xff'
	says 'it did not tell its port'
	shows '  -  *a.;reboot.local on lo'
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

@test "a word that is no broker is not called one" {
	mcp targets --scan 39651
	ends 2
	hints "'39651' is no broker to scan"
	hints 'hint: expected mcp+mqtt://HOST[:PORT][/FILTER]; --probe HOST[:PORT] dials a host or a network'
	mcp targets --scan --probe 127.0.0.1:1 39651
	ends 2
	hints "'39651' is no broker to scan"
	mcp targets --scan --probe 127.0.0.1:1 mcp+mqtt://127.0.0.1:1
	ends 2
	hints "option '--probe' is for a network, and 'mcp+mqtt://127.0.0.1:1' is a broker"
	mcp targets 39651
	ends 2
	hints "'39651' is a word too many: a broker can stand there, with '--scan'"
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
