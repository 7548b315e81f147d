#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# check backend: we play the board towards servers with one fault each.

load helper

# A backend of that habit (backend.py): BACKEND is its address.
backend() {
	background backend /usr/bin/python3 "$BATS_TEST_DIRNAME/backend.py" "$@"
	BACKEND=ws://127.0.0.1:$(wait_for backend.out 'port [0-9]+' | sed 's/port //')/
}

# line PATTERN: the last mcp printed such a line.
line() {
	grep -Eq -- "$1" stdout && return 0
	printf 'no such line: %s\nbut: %s\nstderr: %s\n' "$1" "$out" "$err" >&2
	return 1
}

@test "serve is a healthy backend: every stage, nothing above a note" {
	serve
	mcp check backend "ws://127.0.0.1:$PORT/xiaozhi/v1/" --fail-on warning --for 300ms
	ends 0
	line '^name  *ok  *127\.0\.0\.1$'
	line "^tcp  *ok  *port $PORT\$"
	line '^tls  *-  *none'
	line '^upgrade  *ok  *101, '
	line '^hello  *ok  *after .*, session '
	line '^init  *ok  *after .*mcpctl'
	line '^list  *ok  *to the last page, [0-9]* requests'
	line '^quiet  *ok  *0 calls of tools'
	line '^bye  *ok  *hung up by us'
	line '^0 errors, 0 warnings, '
	# Our own canary is odd on purpose, and no news.
	absent ' D[0-9]{3} ' stdout
	event gone
}

@test "through TLS: the board's view of the certificate" {
	certificates
	backend known server.pem server.key
	mcp --cacert ca.pem check backend "${BACKEND/ws:\/\/127.0.0.1/wss://localhost}" --for 100ms
	ends 0
	line '^tls  *ok  *the certificate is one that is trusted here'
	mcp check backend "${BACKEND/ws:\/\/127.0.0.1/wss://localhost}" --for 100ms
	ends 3
	line '^tcp  *ok'
	line '^tls  *fail'
	line '^error  *N204 '
	line '^stopped .*upgrade, hello, init, list, quiet, bye: not reached$'
}

@test "who it is, by its habits; ids that are used again" {
	backend known
	mcp check backend "$BACKEND" --for 100ms
	ends 0
	line '^init  *ok .*most likely Python server: calls itself'
	line '^list  *ok  *to the last page, 2 requests'
	line '^warning B214 '
	line '^note  *B211 '
	line '^0 errors, 1 warning, '
	mcp check backend "$BACKEND" --for 100ms --fail-on warning --only B214
	ends 7
	line '^0 errors, 1 warning, 0 notes'
}

@test "the first page only: the tools that are lost, by name" {
	backend careful
	mcp check backend "$BACKEND" --for 100ms
	ends 7
	line '^list  *odd  *1 request, not to the last page; [0-9]* tools lost:'
	line 'self\.perch\.lamp[0-9]*\.set'
	line '^error  *B230 '
	line '^mcpctl explain B230$'
}

@test "initialize before the hello, without a session, with the id 0" {
	backend sloppy
	mcp check backend "$BACKEND" --for 100ms
	ends 7
	line '^error  *B201 '
	line '^note  *B212 '
	line '^init  *ok  *before the hello'
	line '#2 ws backend < .*"initialize"'
}

@test "tools are asked for without initialize; nothing is asked for at all" {
	backend unlisted
	mcp check backend "$BACKEND" --for 100ms
	ends 7
	line '^init  *odd  *did not come before the list'
	line '^warning B221 '
	kill "$LAST"
	backend silent
	mcp check backend "$BACKEND" --for 100ms
	ends 0
	line '^init  *odd  *initialize did not come'
	line '^list  *odd  *no tools/list came'
}

@test "refused behind 101 by a text: where it ended, and why; status 6" {
	backend denies
	mcp check backend "$BACKEND"
	ends 6
	line '^hello  *fail .*the backend said: '
	line '^error  *B205 '
	line '^stopped .*init, list, quiet, bye: not reached$'
	hints 'MCPCTL_SIM_TOKEN'
}

@test "a hello that boards do not survive" {
	backend crashing
	mcp check backend "$BACKEND"
	ends 7
	line '^hello  *fail  *none came that a board takes'
	line '^error  *B202 '
}

@test "not even reached: the stage, the finding, the status" {
	mcp check backend ws://127.0.0.1:1/
	ends 3
	line '^name  *ok'
	line '^tcp  *fail .*refused'
	line '^error  *N102 '
	line '^stopped .*tls, upgrade, hello, init, list, quiet, bye: not reached$'
	mcp check backend ws://no-such-name.invalid/
	ends 3
	line '^name  *fail'
	line '^error  *N101 '
	line '^stopped .*tcp, tls, upgrade, hello, init, list, quiet, bye: not reached$'
	mcp check backend
	ends 2
	mcp check backend http://127.0.0.1:1/
	ends 2
	hints 'ws:// or wss://'
}

@test "a page in its place, and a port that never speaks TLS" {
	background web /usr/bin/python3 -u -m http.server 0 --bind 127.0.0.1
	port=$(wait_for web.out 'port [0-9]+' | sed 's/.*port \([0-9]*\).*/\1/')
	mcp check backend "ws://127.0.0.1:$port/"
	ends 3
	line '^tcp  *ok'
	line '^upgrade  *fail'
	mcp check backend "wss://127.0.0.1:$port/"
	ends 3
	line '^tls  *fail'
}

@test "frames by -v and --trace, findings by --findings, stages as JSON" {
	backend careful
	mcp -o json -v --trace trace --findings found check backend "$BACKEND" --for 100ms
	ends 7
	line '"stage":.*"name":"list","verdict":"odd"'
	grep -q '"code":"B230"' found
	grep -q 'tools/list' trace
	grep -q 'tools/list' stderr
}
