#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# MCP servers as child processes: '--' and stdio:, what they are given, what
# is said when they fail, and that none is left behind.

# shellcheck disable=SC2154 # out and status are set by mcp

load helper

# The last word tells the processes of this test from others.
server() {
	SERVER=$BATS_TEST_DIRNAME/stdio_server.py
	MARK=test-$BATS_TEST_NUMBER-$$
	CHILD=(/usr/bin/python3 "$SERVER" "$@" "$MARK")
}

# mcp with the server behind '--'.
child() {
	mcp "$@" -- "${CHILD[@]}"
}

# milliseconds since the last time.
clock() {
	local now=$((${EPOCHREALTIME/./} / 1000))
	TOOK=$((now - ${CLOCK:-now}))
	CLOCK=$now
}

none_runs() { ! pgrep -f "$MARK"; }

none_left() {
	until_true none_runs && return 0
	pgrep -af "$MARK" >&2
	echo "a child was left behind" >&2
	return 1
}

@test "tools and calls behind '--', and with stdio:" {
	server
	child tools
	ends 0
	says 'echo'
	says 'where'
	child call echo a:=1 b='x y'
	ends 0
	[ "$out" = '{"a": 1, "b": "x y"}' ]
	[ -z "$err" ]
	mcp "stdio:/usr/bin/python3 '$SERVER' $MARK" call echo
	ends 0
	[ "$out" = '{}' ]
	MCPCTL_TARGET="stdio:/usr/bin/python3 '$SERVER'" mcp info
	ends 0
	says 'stdio-server'
	none_left
}

@test "options behind '--' are the program's" {
	server --verbose -o json
	child call echo
	ends 0
	[ -z "$err" ]
	[ "$out" = '{}' ]
}

@test "several commands use one process" {
	server
	child -e 'call about' -e 'call echo n:=2' -e 'ping'
	ends 0
	says '{"n": 2}'
	printf 'call echo n:=3\ncall where\n' >lines
	mcp run lines -- "${CHILD[@]}"
	ends 0
	says '{"n": 3}'
	says "$WORK"
}

@test "the environment and the folder" {
	server
	mkdir sub
	A=ours B=ours child --env A=theirs --env 'C=x y=z' --cwd sub \
		-e 'call env name=A' -e 'call env name=B' \
		-e 'call env name=C' -e 'call where'
	ends 0
	says 'theirs'
	says 'ours'
	says 'x y=z'
	says "$WORK/sub"
	child --env A tools
	ends 2
	hints "'A' is no NAME=VALUE"
	child --cwd missing tools
	ends 3
	hints "the folder 'missing': no such file or directory"
	mcp sim: --env A=1 tools
	ends 2
	hints "'--env' is for a child process"
}

@test "secrets of ours are not handed on, unless they are named" {
	server
	export MCPCTL_TOKEN=geheim MCPCTL_MQTT_PASSWORD=geheim MCPCTL_SIM_TOKEN=geheim
	export MCPCTL_VISION_TOKEN=geheim MCPCTL_COLOR=never OTHER_TOKEN=kept
	child -e 'call env name=MCPCTL_TOKEN' -e 'call env name=MCPCTL_MQTT_PASSWORD' \
		-e 'call env name=MCPCTL_SIM_TOKEN' -e 'call env name=MCPCTL_VISION_TOKEN' \
		-e 'call env name=MCPCTL_COLOR' -e 'call env name=OTHER_TOKEN'
	ends 0
	absent geheim stdout
	says never
	says kept
	child --env MCPCTL_TOKEN=named call env name=MCPCTL_TOKEN
	ends 0
	says named
	jq -n --arg server "$SERVER" '{mcpServers: {own: {command: "/usr/bin/python3",
		args: [$server], env: {MCPCTL_TOKEN: "${MCPCTL_TOKEN}"}}}}' >mcp.json
	mcpctl trust mcp.json
	mcp -t own call env name=MCPCTL_TOKEN
	ends 0
	says geheim
}

@test "nothing of ours is handed on: files, signals, our group" {
	server
	mcp call about -- "${CHILD[@]}" 7</dev/null
	ends 0
	jq -e '.files == [0, 1, 2] and .group
		and .masks == {"SigIgn": 0, "SigBlk": 0}' <<<"$out"
}

@test "a large message there and back" {
	server
	head -c 3000000 /dev/zero | tr '\0' x >big
	child call size text=@big
	ends 0
	[ "$out" = 3000000 ]
}

@test "no such program, no program, no command" {
	mcp tools -- no-such-program-here
	ends 3
	hints "cannot start 'no-such-program-here': there is no such program in PATH"
	mcp tools -- ./none
	ends 3
	hints "no such file or directory"
	mcp tools --
	ends 2
	hints "a program is missing"
	mcp -- cat
	ends 2
	hints 'mcpctl tools -- PROGRAM'
	mcp sim: tools -- cat
	ends 2
	hints 'two targets'
	mcp 'stdio:cat "x' tools
	ends 2
	hints 'double quote'
}

@test "it dies at once: its status, and its last words" {
	server dies
	child tools
	ends 3
	hints 'python3'
	hints 'with status 3'
	hints "KeyError: 'API_KEY'"
	hints '--env NAME=VALUE'
	server dies-quietly
	child tools
	ends 3
	hints 'nothing to its stderr'
	mcp -o json tools -- "${CHILD[@]}"
	ends 3
	jq -e . stderr
}

@test "it dies between an event and the answer" {
	server
	child call die
	ends 3
	hints 'about to die'
	hints '128 + SIGKILL'
	hints 'no memory left'
}

@test "the last answer needs no line end" {
	server no-newline
	child call echo a:=1
	ends 0
	says '{"a": 1}'
}

@test "what is printed on stdout by mistake is shown, and harms nothing" {
	server banner
	child call echo
	ends 0
	says '{}'
	hints "no JSON-RPC message: 'Server is listening \x1b[31mnow'"
	absent $'\x1b' stderr
}

@test "a line above the limit is left out" {
	server huge
	child call echo
	ends 0
	says '{}'
	hints 'a line of more than 16777216 bytes'
}

@test "stderr is shown with -v" {
	server chatty
	child call note text=hello
	ends 0
	[ -z "$err" ]
	child -v call note text=hello
	ends 0
	hints 'asked: tools/call'
	hints 'hello'
}

@test "it never answers, it never reads" {
	server silent
	clock
	child --timeout 500ms tools
	clock
	ends 4
	hints "'python3' runs, but no message came on its stdout"
	[ "$TOOK" -lt 5000 ]
	server deaf
	child --timeout 500ms tools
	ends 4
	none_left
}

@test "it closes its stdout, but lives" {
	server mute
	clock
	child tools
	clock
	ends 3
	hints 'closed its stdout, but went on running'
	[ "$TOOK" -lt 8000 ]
	none_left
}

@test "ends well by itself, also when that takes a moment" {
	server late
	LATE=$WORK/late child call echo
	ends 0
	[ "$(cat late)" = ended ]
}

@test "a byte order mark in front of the first line is not in the way" {
	server marked
	PYTHONIOENCODING=utf-8 child call echo a:=1
	ends 0
	[ "$out" = '{"a": 1}' ]
	[ -z "$err" ]
}

@test "a closed terminal ends the child as well" {
	server endless
	background tail env --default-signal=HUP mcpctl tail -v -- "${CHILD[@]}"
	wait_for tail.err initialized
	kill -HUP "$LAST"
	finish "$LAST" 129
	none_left
	# nohup stays.
	background tail env --ignore-signal=HUP mcpctl tail -v --for 5s -- "${CHILD[@]}"
	wait_for tail.err initialized
	kill -HUP "$LAST"
	finish "$LAST" 0
	none_left
}

@test "does not end when its stdin does: SIGTERM, then SIGKILL" {
	server endless
	clock
	child call echo
	clock
	ends 0
	[ "$TOOK" -lt 5000 ]
	none_left
	server stubborn
	clock
	child call echo
	clock
	ends 0
	[ "$TOOK" -ge 1050 ]
	[ "$TOOK" -lt 8000 ]
	none_left
}

@test "Ctrl-C ends us, and we end it" {
	server endless
	background main mcpctl -v call hang -- "${CHILD[@]}"
	wait_for main.err 'tools/call'
	kill -INT "$LAST"
	finish "$LAST" 130
	none_left
}

@test "in the shell: use -- PROGRAM" {
	server
	printf 'use -- %s\ncall echo a:=1\nuse\nuse sim:\ntools\n' \
		"${CHILD[*]}" >lines
	mcp sim: shell <lines
	run mcpctl sim: shell <lines
	[ "$status" = 0 ]
	[[ $output == *'{"a": 1}'* ]]
	[[ $output == *"stdio:${CHILD[*]}"* ]]
	none_left
}
