#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Retry and circuit breaker, with a server that fails as it is told
# (retry_server.py).

load helper

server() { # STEPS…: sets URL
	rm -f requests
	background server /usr/bin/python3 "$BATS_TEST_DIRNAME/retry_server.py" requests "$@"
	URL=http://127.0.0.1:$(wait_for server.out '^port' | cut -d' ' -f2)/mcp
}

# came METHOD: how many requests of it came.
came() { grep -c " $1\$" requests || :; }

# apart METHOD N MIN MAX: seconds between its requests N and N+1.
apart() {
	grep " $1\$" requests | awk -v n="$2" -v min="$3" -v max="$4" '
		NR == n { from = $1 }
		NR == n + 1 { took = $1 - from; found = 1 }
		END {
			if (found && took >= min && took <= max) exit 0
			print "apart: " took > "/dev/stderr"
			exit 1
		}'
}

# let_through OPTION…: a call that the breaker does not stop.
let_through() { mcp "$@" "$URL" call write && [ "$status" != 3 ]; }

@test "three tries towards http, with growing waits, each told by -v" {
	server tools/list=503
	mcp -v "$URL" tools
	ends 3
	hints 'try 1 of 3 failed: '
	hints '; again in 1'
	hints 'try 2 of 3 failed: '
	hints '503'
	hints '(after 3 tries)'
	[ "$(came tools/list)" = 3 ]
	apart tools/list 1 0.95 4
	apart tools/list 2 0.95 5
	[ "$(came initialize)" = 1 ]
}

@test "502, 504 and 429 may pass; 500 and 404 do not" {
	server tools/list=502,504,ok ping=500 resources/list=404 tools/call=429,ok
	mcp "$URL" tools
	ends 0
	says read
	absent 'try|tries' stderr
	[ "$(came tools/list)" = 3 ]
	mcp "$URL" request ping
	ends 3
	[ "$(came ping)" = 1 ]
	mcp "$URL" call read
	ends 0
	[ "$(came tools/call)" = 2 ]
}

@test "Retry-After and data.retry_after say how long" {
	server tools/list=503:2,ok tools/call=-32000:0.2,-32001:1.5,ok
	mcp "$URL" tools
	ends 0
	apart tools/list 1 1.95 6
	mcp -v "$URL" call read
	ends 0
	says 'done'
	hints 'try 1 of 3 failed'
	hints 'again in 200 ms'
	hints 'again in 1.5 s'
	apart tools/call 1 0.19 3
	apart tools/call 2 1.45 6
}

@test "who asks for too long a wait is not tried again" {
	server tools/list=503:3600
	mcp "$URL" tools
	ends 3
	[ "$(came tools/list)" = 1 ]
}

@test "a tool call is repeated only if it is marked, or with --retry-calls" {
	server tools/call=503,503,ok
	mcp "$URL" call write
	ends 3
	[ "$(came tools/call)" = 1 ]
	absent 'after' stderr
	mcp --retry-calls "$URL" call write
	ends 0
	says 'done'
	[ "$(came tools/call)" = 3 ]
}

@test "--retry N, and 1 for none" {
	server tools/list=503
	mcp --retry 1 "$URL" tools
	ends 3
	[ "$(came tools/list)" = 1 ]
	absent 'tries' stderr
	MCPCTL_RETRY=2 mcp "$URL" tools
	ends 3
	[ "$(came tools/list)" = 3 ]
	mcp --retry 0 "$URL" tools
	ends 2
}

@test "refused, then up" {
	server refuse=up
	background tools mcpctl -v "$URL" tools
	wait_for tools.err 'try 1 of 3 failed: .*refused'
	: >up
	finish "$LAST" 0
	grep -q read tools.out
}

@test "refused for good, and once by default where it is no http" {
	server refuse=never
	mcp "$URL" tools
	ends 3
	hints '(after 3 tries)'
	mcp -v "ws${URL#http}" tools
	ends 3
	absent 'try 1|tries' stderr
	mcp -v --retry 2 "ws${URL#http}" tools
	ends 3
	hints 'try 1 of 2 failed: '
	hints '(after 2 tries)'
}

@test "what refuses has its finding, in words and as JSON" {
	mcp ws://127.0.0.1:1/ tools
	ends 3
	hints "port 1: connection refused (N102)"
	mcp -o json ws://127.0.0.1:1/ tools
	ends 3
	[ "$(jq -r .error.finding <<<"$err")" = N102 ]
	[ "$(jq -r .error.message <<<"$err")" = "cannot connect to '127.0.0.1' port 1: connection refused" ]
	mcp explain N102
	ends 0
	mcp -o json ws://nosuch.invalid/ tools
	[ "$(jq -r .error.finding <<<"$err")" = N101 ]
	mcp -o json sim: call no_such_tool
	[ "$(jq -r .error.finding <<<"$err")" = null ]
}

@test "initialize is tried again too" {
	server initialize=503,-32000:0.1,ok
	mcp "$URL" tools
	ends 0
	says read
	[ "$(came initialize)" = 3 ]
}

@test "Ctrl-C ends the wait" {
	server refuse=never
	background waiting mcpctl -v --retry 100 "$URL" tools
	wait_for waiting.err 'try 2 of 100'
	kill -INT "$LAST"
	finish "$LAST" 130
}

@test "the breaker of a run: five failures, then at once" {
	server tools/call=-32001
	for _ in 1 2 3 4 5 6 7; do echo 'call write'; done >script
	mcp --retry 1 "$URL" run --keep-going script
	[ "$status" != 0 ]
	[ "$(came tools/call)" = 5 ]
	hints '5 failed in a row: the circuit breaker is open'
	hints 'not sent: the circuit breaker is open for'
	hints 'reconnect'
}

@test "--breaker=off: all are sent" {
	server tools/call=-32001
	for _ in 1 2 3 4 5 6 7; do echo 'call write'; done >script
	mcp --breaker=off --retry 1 "$URL" run --keep-going script
	[ "$(came tools/call)" = 7 ]
}

@test "--breaker: kept for the next commands; one trial; a good one closes it" {
	server tools/call=-32000,-32000,ok
	# Longer than four commands take on a busy machine.
	export MCPCTL_BREAKER=2,6s
	for _ in 1 2; do
		mcp --retry 1 "$URL" call write
		ends 1
	done
	hints 'circuit breaker is open'
	[ "$(came tools/call)" = 2 ]
	mcp "$URL" call write
	ends 3
	hints 'not sent: the circuit breaker is open for'
	hints '--breaker=off'
	mcp -o json "$URL" tools
	ends 3
	[ "$(came initialize)" = 2 ]
	[ "$(find state/mcpctl/breakers -name '*.json' | wc -l)" = 1 ]
	jq -e '.failures == 2 and .opened_at > 0 and .method == "tools/call"' state/mcpctl/breakers/*.json
	# It is let through when the time is over, and not before.
	until_true let_through -v
	ends 0
	hints 'lets one trial through'
	hints 'the circuit breaker is closed'
	[ "$(find state/mcpctl/breakers -name '*.json' | wc -l)" = 0 ]
	mcp "$URL" call write
	ends 0
}

@test "a trial that fails opens it again" {
	server tools/call=-32000
	export MCPCTL_BREAKER=1,1s
	mcp --retry 1 "$URL" call write
	ends 1
	until_true let_through --retry 1
	ends 1
	[ "$(came tools/call)" = 2 ]
	mcp "$URL" call write
	ends 3
	[ "$(came tools/call)" = 2 ]
}

@test "a target that refuses is not dialled any more" {
	server refuse=never
	export MCPCTL_BREAKER=2,1m MCPCTL_RETRY=1
	for _ in 1 2; do
		mcp "$URL" tools
		ends 3
		hints refused
	done
	mcp "$URL" tools
	ends 3
	hints 'not sent'
	hints 'the last one: '
	# Another target is another matter, and so is no breaker.
	mcp sim: ping
	ends 0
	mcp --breaker=off "$URL" tools
	ends 3
	absent 'not sent' stderr
}

@test "calls that time out count" {
	server tools/call=silent
	export MCPCTL_BREAKER=2,1m
	for _ in 1 2; do
		mcp --timeout 2s "$URL" call write
		ends 4
	done
	mcp "$URL" call write
	ends 3
	hints 'circuit breaker is open'
}

@test "what is no --breaker is refused; a broken state counts as closed" {
	server
	for wrong in 0 x '5,' '5,x' ',1s'; do
		mcp --breaker=$wrong "$URL" tools
		ends 2
		hints "'$wrong' is no N[,DURATION]"
	done
	mcp --breaker "$URL" tools
	ends 0
	mkdir -p state/mcpctl/breakers
	server tools/call=-32000
	mcp --breaker --retry 1 "$URL" call write
	ends 1
	file=$(echo state/mcpctl/breakers/*.json)
	echo '{' >"$file"
	mcp --breaker --retry 1 "$URL" call write
	ends 1
	hints 'counts as closed'
	# What goes well repairs it, too.
	echo '{' >"$file"
	mcp --breaker "$URL" call read
	hints 'counts as closed'
	[ ! -e "$file" ] || jq -e .failures "$file"
	mcp --breaker "$URL" ping
	absent 'counts as closed' stderr
}

@test "a token that the server tells in its error is not kept" {
	SAYS='bad: Bearer geheim1' server tools/call=-32000
	mcp --breaker=1,1m --retry 1 "$URL" call write
	ends 1
	absent geheim1 stderr state/mcpctl/breakers/*.json
	grep -q 'Bearer' state/mcpctl/breakers/*.json
}

@test "a tool's own method is a call of it: not repeated without being asked to" {
	server tools/write=-32001:0.1,ok
	mcp "$URL" request tools/write '{}'
	ends 1
	hints --retry-calls
	[ "$(came tools/write)" = 1 ]
	mcp --retry-calls "$URL" request tools/write '{}'
	ends 0
}

@test "many at once share the state" {
	server tools/call=-32000
	export MCPCTL_BREAKER=100,1m MCPCTL_RETRY=1
	for _ in 1 2 3 4 5 6 7 8; do
		mcpctl "$URL" call write >/dev/null 2>&1 </dev/null 3>&- &
		PIDS+=($!)
	done
	for pid in "${PIDS[@]:1}"; do
		wait "$pid" || :
	done
	[ "$(jq .failures state/mcpctl/breakers/*.json)" = 8 ]
}

@test "in the shell reconnect closes it" {
	server tools/call=-32001,-32001,-32001,-32001,-32001,ok
	printf 'call write\n%.0s' 1 2 3 4 5 6 >script
	printf 'reconnect\ncall write\n' >>script
	mcpctl --retry 1 "$URL" shell --keep-going <script >stdout 2>stderr || :
	[ "$(came tools/call)" = 6 ]
	grep -q 'not sent: the circuit breaker is open' stderr
	grep -q 'done' stdout
}

@test "serve: a device that does not answer is not asked any more" {
	serve
	device board --fault busy-loop
	event ready
	# What asks which layer is silent counts, too.
	for _ in 1 2 3; do
		mcp --timeout 1s call self.get_device_status
		ends 4
	done
	event breaker 'no answer to 5 calls in a row'
	mcp --timeout 1s call self.get_device_status
	ends 3
	hints 'circuit breaker is open for'
	mcp -o json devices
	[ "$(jq -r .breaker <<<"$out")" = open ]
}

@test "-32000 means anything: tried again only where the server says when" {
	server tools/call=-32000,ok
	mcp "$URL" call read
	ends 1
	[ "$(came tools/call)" = 1 ]
	server tools/call=-32000:0.1,ok
	mcp "$URL" call read
	ends 0
	[ "$(came tools/call)" = 2 ]
}
