#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Long output on a terminal: the pager, and who does without.

load helper
load terminal

@test "what does not fit is shown by the pager, what fits is not" {
	terminal 80 20 "PAGER='sed s/^/p:/'"
	enter 'mcpctl help faults | wc -l; mcpctl help --all | tail -n 1'
	see '^[0-9]+'
	absent '^p:' screen
	anew 'mcpctl help --all; echo over'
	see '^over'
	capture
	grep -q '^p:' screen
	anew 'mcpctl sim: targets; mcpctl sim: tools; echo over'
	see '^over'
	absent '^p:' screen
	anew 'mcpctl --no-pager help --all; echo over'
	see '^over'
	absent '^p:' screen
	# On a terminal headings stand out, elsewhere not.
	mcp --color always help call
	grep -q $'^\e\\[1mOptions:' stdout
	mcp help call
	[[ $out != *$'\e'* ]]
	# One that is not there loses nothing.
	anew 'PAGER=/no/such/pager mcpctl help --all; echo over'
	see '^over'
	grep -q 'mcpctl help TOPIC\|what nobody' screen
}

@test "the usual pager is less, which q leaves" {
	terminal 80 20
	enter 'mcpctl help --all; echo status $?'
	last_line '^:'
	grep -q 'usage: mcpctl' screen
	keys q
	see '^status 0'
}

@test "a pager is given so much of a capture, and it is said that there is more" {
	head -c 900000 /dev/zero | tr '\0' x >text
	{
		echo '{"capture":1,"made":"2026-11-22T10:02:11.400Z","as":"proxy","clock":"us","masked":true}'
		for n in {1..40}; do
			printf '{"n":%d,"t":%d000,"c":1,"leg":"ws","from":"device","kind":"text","size":9,"text":"' "$n" "$n"
			cat text
			echo '"}'
		done
	} >long.jsonl
	terminal 80 20 "PAGER='wc -c'"
	enter 'mcpctl -vv capture show long.jsonl; echo over'
	see '^over'
	grep -q 'more than a pager is given' screen
	anew 'mcpctl -vv --no-pager capture show long.jsonl | wc -c; echo over'
	see '^over'
	absent 'more than a pager' screen
}
