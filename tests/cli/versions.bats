#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A command that meets a serve of another version: it says so, works where it
# can, and tells what to restart.

load helper

# other_serve [GREETING]: without one, as before there were greetings.
other_serve() {
	mkdir -m 700 run/mcpctl 2>/dev/null || :
	rm -f other.out run/mcpctl/serve.sock
	background other /usr/bin/python3 "$BATS_TEST_DIRNAME/other_serve.py" \
		run/mcpctl/serve.sock "$@"
	OTHER=$LAST
	wait_for other.out listening
}

newer='{"op":"greeting","protocol":1,"pid":77,"version":"99.1"}'
foreign='{"op":"greeting","protocol":99,"pid":77,"version":"99.2"}'

@test "serve of this version: nothing is told" {
	serve
	device board
	event ready
	mcp devices
	ends 0
	[ -z "$err" ]
	mcp call self.get_device_status
	ends 0
	[ -z "$err" ]
}

@test "another version: one line, and the answer all the same" {
	other_serve "$newer"
	mcp devices
	ends 0
	says aa:01
	[ "$(wc -l <<<"$err")" = 1 ]
	hints 'serve (pid 77) is version 99.1, this is'
	hints "restart serve as this version ('mcpctl stop', then start it as before)"
	hints 'or use its version here'
	mcp -q devices
	ends 0
	[ -z "$err" ]
	mcp -o json devices
	ends 0
	jq -e . <<<"$out" >/dev/null
	jq -e . <<<"$err" >/dev/null
	mcp stop
	ends 0
	finish "$OTHER" 0
}

@test "another version: open and bridge tell it, too" {
	other_serve "$newer"
	mcp open "stdio:python3 '$BATS_TEST_DIRNAME/mcp_server.py'"
	ends 5
	hints 'serve (pid 77) is version 99.1, this is'
	hints "serve knows no question 'hold'"
	mcp bridge --list
	[ "$(grep -c 'serve (pid 77) is version 99.1, this is' <<<"$err")" = 1 ]
	mcp stop
	finish "$OTHER" 0
}

@test "what the other does not know is said to come of that" {
	other_serve "$newer"
	mcp call x
	ends 5
	hints "serve knows no question 'attach'"
	hints '(pid 77) is version 99.1'
	mcp kick x
	ends 5
	hints "serve knows no question 'kick'"
	hints '(pid 77) is version 99.1'
}

@test "one from before there were greetings works, and is told of" {
	other_serve
	mcp devices
	ends 0
	says aa:01
	hints 'the running serve does not tell its version'
	mcp stop
	ends 0
	finish "$OTHER" 0
}

@test "another protocol: no answer is taken for what it may not be, stop works" {
	other_serve "$foreign"
	for command in devices 'kick x' 'call x' '--all tools'; do
		# shellcheck disable=SC2086 # words
		mcp $command
		ends 5
		[ -z "$out" ]
		hints 'serve (pid 77) is version 99.2, this is'
		hints 'protocol 99 and 1'
		hints 'mcpctl stop'
	done
	mcp stop
	ends 0
	[[ $err != *99.2* ]]
	finish "$OTHER" 0
}

# completes NAME: it is among the candidates for what begins so.
completes() {
	mcp _complete bash call self.o
	[ "$status" = 0 ] && [[ $out == *$1* ]]
}

@test "completion says nothing of it, and takes what it understands" {
	other_serve "$newer"
	# It asks for a moment only, which may be too short on a busy machine.
	until_true completes self.old
	[ -z "$err" ]
	mcp stop
	finish "$OTHER" 0
	other_serve "$foreign"
	mcp _complete bash call self.o
	[ -z "$err" ]
	[[ $out != *self.old* ]]
}
