#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# run: many commands on one connection, reports, statuses.

load helper

@test "a script from a file, from stdin, and its first failure" {
	printf '# smoke\nping\n\ncall self.get_device_status\n' >smoke.mcp
	mcp sim: run smoke.mcp
	ends 0
	says alive
	run mcpctl sim: run - <smoke.mcp
	[ "$status" = 0 ]
	printf 'ping\ntools zzz\nping\n' >bad.mcp
	mcp sim: run bad.mcp
	ends 7
	hints 'bad.mcp:2'
	[ "$(grep -c alive stdout)" = 1 ]
	mcp sim: run --keep-going bad.mcp
	ends 7
	[ "$(grep -c alive stdout)" = 2 ]
}

@test "a wrong word in a script is found before anything runs" {
	printf 'ping\nnope\n' >wrong.mcp
	mcp sim: run wrong.mcp
	ends 2
	hints 'wrong.mcp:2'
	[ -z "$out" ]
}

@test "pipes and '!' are the shell's, and run says so" {
	printf 'ping\ncall self.get_device_status | jq .\n' >piped
	mcp sim: run piped
	ends 2
	hints "piped:2: '|' is for the shell"
	hints 'mcpctl shell <FILE'
	[ -z "$out" ]
	mcp sim: -e '! ls'
	ends 2
	hints "'!' is for the shell"
	# What is advised works.
	printf 'call self.get_device_status | jq -c .audio_speaker.volume\n! echo over\n' >piped
	run mcpctl sim: shell <piped
	[ "$status" = 0 ]
	[ "${lines[0]}" = 70 ]
	[ "${lines[1]}" = over ]
}

@test "JUnit and TAP reports have a case each" {
	mcp sim: run --keep-going --report junit:report.xml -e ping -e 'tools zzz'
	ends 7
	python3 - <<'END'
import xml.etree.ElementTree as tree
root = tree.parse("report.xml").getroot()
cases = list(root.iter("testcase"))
assert len(cases) == 2, cases
assert len(list(root.iter("failure"))) == 1
END
	mcp sim: run --keep-going --report tap:report.tap -e ping -e 'tools zzz'
	grep -q '^1\.\.2' report.tap
	grep -q '^ok 1' report.tap
	grep -q '^not ok 2' report.tap
}

@test "several reports of one run" {
	mcp sim: run --report junit:report.xml --report tap:report.tap -e ping -e ping
	ends 0
	grep -q 'name="ping (2)"' report.xml
	grep -q '^ok 2 - ping (2)' report.tap
	mcp sim: run --report tap:- --report junit:- -e ping
	ends 2
	hints 'only one can go to stdout'
	[ -z "$out" ]
	# A wrong one leaves the run, and what was opened, alone.
	mcp sim: run --report tap:- --report zip:x -e ping
	ends 2
	[ -z "$out" ]
}

@test "off a terminal it says which command printed what, and how many went well" {
	run mcpctl sim: run -e ping -e 'call self.audio_speaker.set_volume volume=5'
	[ "$status" = 0 ]
	[ "${lines[0]}" = '# ping' ]
	[[ "${lines[1]}" == alive* ]]
	[ "${lines[2]}" = '# call self.audio_speaker.set_volume volume=5' ]
	[ "${lines[3]}" = true ]
	[ "${lines[4]}" = '2 commands, all good' ]
	mcp sim: run -e ping -e 'tools zzz' -e ping -e ping
	ends 7
	grep -qx '4 commands: 1 good, 1 failed, 2 not run' stderr
	mcp sim: run -k -e ping -e 'tools zzz'
	ends 7
	[ "$(grep -c ' of 2 commands failed' stderr)" = 1 ]
	# One alone needs no word.
	mcp -q sim: run -e ping -e ping
	[ -z "$err" ]
	mcp sim: run -e ping
	[ -z "$err" ]
}

@test "command events in JSON" {
	printf '# smoke\nping\ncall x token=geheim\nping\n' >smoke.mcp
	mcp -o json sim: run smoke.mcp
	ends 2
	# shellcheck disable=SC2016 # jq's
	jq -se '[.[] | .command | select(. != null)] == [
		{text: "ping", source: "smoke.mcp", line: 2},
		{text: "call x token=***", source: "smoke.mcp", line: 3}]' stderr
	jq -se '[.[] | .run | select(. != null)] == [
		{commands: 3, good: 1, failed: 1, not_run: 1}]' stderr
	[ "$(jq -s length stdout)" = 1 ]
}

@test "1,000 calls on one connection" {
	yes 'call self.audio_speaker.set_volume volume=5' | head -n 1000 >many
	mcp sim: run many
	ends 0
	[ "$(grep -c '^true$' stdout)" = 1000 ]
}

@test "-e without a command means run" {
	mcp sim: -e ping -e ping
	ends 0
	[ "$(grep -c alive stdout)" = 2 ]
}

@test "a script without a command is none" {
	printf '# later\n\n' >empty
	mcp sim: run empty
	ends 2
	hints "run: 'empty' has no command"
	mcp sim: run - </dev/null
	ends 2
}

@test "what some editors write in front of a file is no command" {
	printf '\357\273\277ping\n' >marked
	mcp sim: run marked
	ends 0
	status=0
	mcpctl sim: shell <marked >stdout 2>stderr || status=$?
	[ "$status" = 0 ]
	grep -q alive stdout
}

@test "what Ctrl-C ended, or kept from being run, has not failed; a report says which" {
	background ended mcpctl 'sim:?fault=no-reply' run -k --report tap:ended.tap \
		-e 'call self.get_device_status' -e ping
	wait_for ended.err '^# call'
	kill -INT "$LAST"
	finish "$LAST" 130
	grep -q '^ok 1 - .* # SKIP interrupted by Ctrl-C' ended.tap
	grep -qx 'ok 2 - ping # SKIP command 1: interrupted by Ctrl-C' ended.tap
	absent 'failed' ended.tap
	absent '^not ok' ended.tap
	grep -qx '2 commands: 0 good, 0 failed, 1 interrupted, 1 not run' ended.err
	background ended mcpctl -o json 'sim:?fault=no-reply' run -k -e 'tools zzz' -e 'call self.get_device_status'
	wait_for ended.err '"text":"call'
	kill -INT "$LAST"
	finish "$LAST" 130
	jq -se '[.[] | .run | select(. != null)] == [{commands: 2, good: 0, failed: 1, not_run: 0, interrupted: 1}]' ended.err
}
