#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# One language to ask and to expect: --jq, --expect-jq; watch; tables.

# shellcheck disable=SC2016 # variables of jq

bats_require_minimum_version 1.5.0
load helper
load terminal

STATUS=self.get_device_status

# counter: a board whose status counts its calls: n is 1, 2, 3, …
counter() {
	cat >count.py <<-'PY'
		import json, sys
		calls = 0
		tool = {"name": "count", "description": "Reads how often it was called.",
		        "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
		slow = dict(tool, name="loud", annotations={"destructiveHint": True})
		def answer(id, result):
		    print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
		for line in sys.stdin:
		    m = json.loads(line)
		    if m["method"] == "initialize":
		        answer(m["id"], {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}},
		                         "serverInfo": {"name": "counter", "version": "1"}})
		    elif m["method"] == "tools/list":
		        answer(m["id"], {"tools": [tool, slow]})
		    elif m["method"] == "tools/call":
		        calls += 1
		        fails = calls == 2 and "--fails" in sys.argv
		        structured = {"n": calls, "text": "a,\"b\"\x1b[31m", "big": 12345678901234567890}
		        answer(m["id"], {"content": [{"type": "text", "text": "broken" if fails else "see there"}],
		                         "structuredContent": structured, "isError": fails})
	PY
	COUNTER=(-t "stdio:/usr/bin/python3 $WORK/count.py ${1:-}")
}

@test "--jq: a string is printed as it is, anything else as JSON" {
	run -0 --separate-stderr mcpctl sim: call $STATUS --jq '.screen.theme, .screen, .nothing'
	[ "$output" = $'light\n{"brightness":75,"theme":"light"}\nnull' ]
	run -0 --separate-stderr mcpctl sim: tools --jq .name
	[ "${lines[0]}" = self.get_device_status ]
	run -0 --separate-stderr mcpctl sim: ping --jq '.alive'
	[ "$output" = true ]
	run -0 --separate-stderr mcpctl sim: call $STATUS --jq '$line.isError'
	[ "$output" = false ]
}

@test "--jq: structuredContent is the value, and large numbers keep their digits" {
	counter
	run -0 --separate-stderr mcpctl "${COUNTER[@]}" call count --jq '.n, .big, $line.content[0].text'
	[ "$output" = $'1\n12345678901234567890\nsee there' ]
}

@test "--jq: what is no expression is status 2, and nothing is sent" {
	mcp sim: call $STATUS --jq '.a |'
	ends 2
	absent stdout .
	grep -q -- "--jq: .*line 1" stderr
	mcp -o raw sim: ping --jq .
	ends 2
	mcp help --jq .
	ends 2
}

@test "--jq: what fails on the data is status 7, with jq's words" {
	mcp sim: call $STATUS --jq '.screen.theme.x'
	ends 7
	grep -q '^error: --jq: Cannot index string with string "x"' stderr
	mcp -o json sim: call $STATUS --jq '.screen.theme.x'
	ends 7
	jq -e '.error.status == 7' stderr
	# The command's own failure stays what it is.
	mcp sim: call nothing --jq .
	ends 2
	grep -q "no tool 'nothing'" stderr
}

@test "--jq: neither the environment nor files are within reach" {
	MCPCTL_TOKEN=secret run -0 --separate-stderr mcpctl sim: ping --jq 'env, $ENV | length'
	[ "$output" = $'0\n0' ]
	mcp sim: ping --jq 'import "passwd" as $p {search: "/etc"}; $p'
	ends 2
}

@test "--jq: an expression without an end is stopped, by time and by Ctrl-C" {
	mcp sim: ping --timeout 100ms --jq 'def f: f; f'
	ends 4
	terminal
	enter "mcpctl -v sim: ping --timeout 60s --jq 'def f: f; f'"
	# It is answered: what runs now is the expression.
	see 'D140'
	keys C-c
	last_line '^\$$'
	enter 'echo "it was $?"'
	see '^it was 130'
}

@test "--jq: a hostile string does nothing to a terminal" {
	counter
	terminal
	enter "mcpctl -t 'stdio:/usr/bin/python3 $WORK/count.py' call count --jq .text"
	see 'a,"b"\\x1b\[31m'
}

@test "--jq costs nothing where it is not used: libjq is not loaded" {
	cat >loaded.sh <<-'SH'
		LD_DEBUG=files mcpctl "$@" 2>&1 >/dev/null | grep -c 'libjq'
	SH
	run bash loaded.sh sim: call $STATUS
	[ "$output" = 0 ]
	run bash loaded.sh sim: call $STATUS --jq .
	[ "$output" -gt 0 ]
}

@test "--expect-jq: true of the last output, or status 7 with the value" {
	run -0 mcpctl sim: call $STATUS --expect-jq '.audio_speaker.volume == 70'
	run -0 mcpctl sim: call $STATUS --expect-jq 'false, 0'
	for wrong in '.audio_speaker.volume == 71' false null empty '1, null'; do
		mcp sim: call $STATUS --expect-jq "$wrong"
		ends 7
		grep -q 'the value is {"audio_speaker"' stderr
	done
	mcp sim: call $STATUS --expect-jq '.a |'
	ends 2
	mcp sim: call $STATUS --expect-jq '.screen.theme.x'
	ends 7
}

@test "--jq: what is too much ends it, whatever would come next" {
	mcp sim: call $STATUS --timeout 60s --jq '("x" * 1000000) as $x | (range(70) | $x), last(repeat(1))'
	ends 7
	hints 'more than 64 MB for one value'
}

@test "--expect-jq of what is no tool's: read, prompt, request" {
	run -0 mcpctl sim:llm read prompt://entity_extraction_prompt --expect-jq '.contents[0].uri | startswith("prompt:")'
	mcp sim:llm read prompt://entity_extraction_prompt --expect-jq '.contents | length > 1'
	ends 7
	grep -q 'the value is {"contents"' stderr
	run -0 mcpctl sim:llm prompt entity_extraction_prompt text=x --expect-jq '.messages[0].role == "user"'
	mcp sim:llm prompt entity_extraction_prompt text=x --expect-jq '.messages == []'
	ends 7
	run -0 mcpctl sim: request tools/list --expect-jq '[.tools[].name] | index("self.get_device_status")'
	mcp sim: request tools/list --expect-jq '.tools == []'
	ends 7
	# What failed stays failed; what is no expression sends nothing.
	mcp sim: request resources/list --expect-jq true
	ends 1
	for words in 'read prompt://x' 'prompt entity_extraction_prompt' 'request tools/list'; do
		# shellcheck disable=SC2086 # words
		mcp -v sim:llm $words --expect-jq '.a |'
		ends 2
		absent 'resources/read|prompts/get|tools/list' stderr
	done
}

@test "--expect JSON keeps its meaning: an object is no expression" {
	mcp sim: call $STATUS --expect '{"nothing":1}'
	ends 7
	mcp sim: call $STATUS --expect '{"audio_speaker":{"volume":70}}' --expect-jq false
	ends 7
	mcp sim: call $STATUS --expect '{"nothing":1}' --expect-jq true
	ends 7
}

@test "--expect-jq: a result that is an error stays one" {
	counter --fails
	mcp "${COUNTER[@]}" run -k -e 'call count' -e "call count --expect-jq '\$line.isError'"
	ends 1
}

@test "--jq of one line in a script, and in the shell" {
	cat >lines <<-'END'
		call self.get_device_status --jq .audio_speaker.volume
		call self.audio_speaker.set_volume volume=9
		call self.get_device_status --jq .audio_speaker.volume
	END
	mcp sim: run lines
	ends 0
	[ "$out" = $'70\ntrue\n9' ]
	[ "$(mcpctl sim: shell <lines)" = $'70\ntrue\n9' ]
	# Nothing is sent where one is no expression.
	mcp -v sim: run -e ping -e 'tools --jq .x['
	ends 2
	hints 'command 2: --jq: '
	absent '"ping"' stderr
	# One that fails on its line fails that line alone.
	mcp sim: run -k -e 'tools --jq .name.x' -e 'call self.audio_speaker.set_volume volume=8'
	ends 7
	says true
	mcp -o raw sim: run -e 'tools --jq .name'
	ends 2
}

@test "--expect-jq in a script, and in its reports" {
	run mcpctl sim: run -k --report tap:- -e "call $STATUS --expect-jq true" \
		-e "call $STATUS --expect-jq '.screen == 1'"
	[ "$status" = 7 ]
	grep -q '^ok 1' <<<"$output"
	grep -q '^not ok 2' <<<"$output"
	grep -q '.screen == 1 gives false' <<<"$output"
}

@test "watch: CSV in a pipe, JSON with -o json" {
	counter
	run -0 --separate-stderr mcpctl "${COUNTER[@]}" watch count --jq .n --every 1ms --count 3
	[ "${lines[0]}" = time,value ]
	[ "${#lines[@]}" = 4 ]
	grep -qE '^[0-9T:.-]+Z,3$' <<<"${lines[3]}"
	grep -q '^3 calls in .*, none failed: p50' <<<"$stderr"
	run -0 --separate-stderr mcpctl "${COUNTER[@]}" watch count --jq .text --every 1ms --count 1
	grep -qF ',"a,""b""'$'\e[31m"' <<<"$output"
	run -0 --separate-stderr mcpctl -o json "${COUNTER[@]}" watch count --jq .n --every 1ms --count 2
	[ "$(jq -c '[.changed, .value]' <<<"${lines[1]}")" = '[true,2]' ]
	jq -e '.calls.made == 2 and .calls.failed == 0' <<<"${lines[2]}"
}

@test "watch --until: 0 when it is true, 4 and 7 when it never was" {
	counter
	mcp "${COUNTER[@]}" watch count --jq .n --every 1ms --until '.n == 3'
	ends 0
	[ "$(tail -n 1 stdout | cut -d, -f2)" = 3 ]
	mcp "${COUNTER[@]}" watch count --every 1ms --until '.n < 0' --for 30ms
	ends 4
	mcp "${COUNTER[@]}" watch count --every 1ms --until '.n < 0' --count 2
	ends 7
	mcp "${COUNTER[@]}" watch count --until '.n |'
	ends 2
}

@test "watch: a call that fails is told, counted, and not the end" {
	counter --fails
	mcp "${COUNTER[@]}" watch count --jq .n --every 1ms --count 3
	ends 1
	[ "$(cut -d, -f2 stdout | tr '\n' ' ')" = "value 1 3 " ]
	grep -q '^broken' stderr
	grep -q '^error: 1 of 3 calls failed' stderr
	# So is a value at which an expression fails.
	counter
	mcp "${COUNTER[@]}" watch count --jq 'if .n == 2 then error("odd one") else .n end' --every 1ms --count 3
	ends 7
	[ "$(cut -d, -f2 stdout | tr '\n' ' ')" = "value 1 3 " ]
	hints 'odd one'
	hints '1 of 3 calls failed'
}

@test "watch: what acts is repeated only by its whole name" {
	mcp sim: watch set_volume volume=3 --count 1
	ends 2
	mcp sim: watch self.audio_speaker.set_volume volume=3 --every 1ms --count 2
	ends 0
	grep -q 'acts, and is called again and again' stderr
}

@test "watch on a terminal: changes, a plot, and Ctrl-C is an end" {
	counter
	terminal 60 30 LC_ALL=C.UTF-8
	enter "mcpctl -t 'stdio:/usr/bin/python3 $WORK/count.py' watch count --jq .n --every 20ms --unit °C; echo \"it was \$?\""
	see '^[0-9:]{8}  5 °C  \+1'
	keys C-c
	see '^it was 0'
	see '┤.*(⣀|⢸|⡇)'
	see 'calls in .* none failed'
	# Nor is it a fault where an expression is being asked just then.
	keys C-l
	enter "mcpctl -t 'stdio:/usr/bin/python3 $WORK/count.py' --timeout 60s watch count --every 20ms --jq 'if .n < 3 then .n else last(range(1e9)) end'; echo \"then \$?\""
	see '^[0-9:]{8}  2  \+1'
	keys C-c
	see '^then 0'
	close_terminal
	# Not even half as wide, and without UTF-8.
	terminal 20 40 LC_ALL=C
	enter "mcpctl -t 'stdio:/usr/bin/python3 $WORK/count.py' watch count --jq .n --every 1ms --count 9"
	see '\|.*\*'
	see '^ *0 +[0-9]'
}

@test "watch: Ctrl-C before any call was over is no good end" {
	for how in --every=1s --load=2; do
		background mute mcpctl -v 'sim:?fault=no-reply' watch self.get_device_status "$how"
		wait_for mute.err 'tools/call'
		kill -INT "$LAST"
		finish "$LAST" 130
		grep -q 'interrupted by Ctrl-C' mute.err
	done
}

@test "watch --load: so many at once, or a second" {
	counter
	run -0 --separate-stderr mcpctl -o json "${COUNTER[@]}" watch count --load 5 --count 50
	jq -e '.calls | .made == 50 and .failed == 0 and .p50_us <= .max_us' <<<"$output"
	# The first of a rate is begun at once.
	run -0 --separate-stderr mcpctl -o json "${COUNTER[@]}" watch count --load 1/s --for 300ms
	jq -e '.calls.made == 1' <<<"$output"
	run -0 --separate-stderr mcpctl -o json "${COUNTER[@]}" watch count --load 100/s --for 300ms
	jq -e '.calls | .made + .late >= 25 and .made <= 31' <<<"$output"
	# However fast: a number that one reads.
	mcp sim: watch self.get_device_status --load 4 --count 200
	ends 0
	grep -qE '\([0-9,.]+ a second\)' <<<"$out"
	for wrong in 0 x 1000 5/m; do
		mcp "${COUNTER[@]}" watch count --load "$wrong"
		ends 2
	done
	mcp "${COUNTER[@]}" watch count --load 2 --jq .
	ends 2
}

@test "watch --load: how many failed, and one of them with what it said" {
	counter --fails
	mcp "${COUNTER[@]}" watch count --load 1 --count 3
	ends 1
	hints '1 of 3 calls failed'
	hints 'one of them: broken'
	mcp 'sim:?fault=no-reply' --timeout 300ms watch self.get_device_status --load 2 --count 2
	ends 4
	hints '2 of 2 calls failed'
	hints 'one of them: no reply to'
	hints '--timeout waits longer'
}

@test "call --repeat: each result, then how they went" {
	counter --fails
	mcp "${COUNTER[@]}" call count --repeat 3 --jq .n
	ends 1
	[ "$(tr '\n' ' ' <stdout)" = '1 2 3 ' ]
	grep -q '3 calls in .*, 1 failed: p50' stderr
	grep -q '^error: 1 of 3 calls failed' stderr
}

@test "call --repeat: the connection ends amid it, and so does the row, as a failure" {
	mcp 'sim:?fault=cut-frame' call self.get_device_status --repeat 3
	ends 3
	[ "$(grep -c '^error: ' stderr)" = 1 ]
}

@test "-o table: columns fit the terminal; a wrong field lists those there are" {
	run -0 --separate-stderr mcpctl sim: tools --fields name,inputSchema.type
	[ "${lines[0]}" = 'name                           inputSchema.type' ]
	grep -q '^self.get_device_status  *object$' <<<"$output"
	mcp sim: tools --fields name,nme
	ends 2
	grep -q "no field 'nme'" stderr
	grep -q 'there are: name title' stderr
	mcp sim: ping -o table
	ends 2
	for columns in 40 80 200; do
		terminal "$columns" 30
		enter "mcpctl sim: tools -o table"
		see '^name +description'
		see '^self.get_dev.*…'
		capture
		[ "$(wc -L <screen)" -le "$columns" ]
		close_terminal
	done
}

@test "-o table: what has no room is left out from the right, and the first column stays" {
	serve
	device board
	event ready
	terminal 40 30
	enter 'mcpctl devices -o table'
	see '^id +alias +.*  …$'
	see '^02:00:00:00:00:01 '
	capture
	[ "$(wc -L <screen)" -le 40 ]
	close_terminal
	terminal 20 30
	enter 'mcpctl devices -o table'
	see '^02:00:00:00:00:01$'
	close_terminal
}

ready() { [ "$(mcpctl devices --jq 'select(.state == "ready").id' | wc -l)" = "$1" ]; }

@test "--all: equal answers are one row of -o table; --jq gets each value" {
	serve
	device one --device-id 02:00:00:00:00:01
	device two --device-id 02:00:00:00:00:02
	device three --device-id 02:00:00:00:00:03
	until_true ready 3
	mcpctl -d 02:00:00:00:00:02 call self.audio_speaker.set_volume volume=10
	run -0 --separate-stderr mcpctl --all call $STATUS -o table
	grep -qE '^2 boards: \{.*"volume":70' <<<"$output"
	grep -qE '^  02:00:00:00:00:01, 02:00:00:00:00:03$' <<<"$output"
	grep -qE '^1 board: \{.*"volume":10' <<<"$output"
	run -0 --separate-stderr mcpctl --all call $STATUS --fields id,value.audio_speaker.volume
	grep -qE '^02:00:00:00:00:02  10$' <<<"$output"
	run -0 --separate-stderr mcpctl --all call $STATUS --jq '"\($line.device.id) \(.audio_speaker.volume)"'
	[ "$(sort <<<"$output" | sed -n 2p)" = '02:00:00:00:00:02 10' ]
	run -0 mcpctl --all request tools/list --expect-jq '.tools | length > 1'
	mcp --all request tools/list --expect-jq '.tools == []'
	ends 7
	grep -q 'not as expected: .tools == \[\] gives false' stdout stderr
	mcp --all call $STATUS --expect-jq '.audio_speaker.volume == 70'
	ends 7
	grep -q '1 of 3 devices failed' stderr
	run -0 --separate-stderr mcpctl devices --fields id,state,tools
	grep -qE '^02:00:00:00:00:01  ready  *[0-9]+$' <<<"$output"
	# All that it prints of a device can be a column.
	run -0 --separate-stderr mcpctl devices --fields \
		"$(mcpctl -o json devices | jq -sr '[.[] | keys[]] | unique | join(",")')"
	mcp devices --fields id,nothing
	ends 2
	grep -q 'there are: id client_id alias' stderr
	# Those that failed are a group, too.
	run --separate-stderr mcpctl --all call self.audio_speaker.set_volume volume=101 --no-validate -o table
	[ "$status" = 1 ]
	grep -q '^3 boards: failed: ' <<<"$output"
	# Where the reasons are not among what is picked, one is told.
	for form in '--fields id' '--jq .'; do
		# shellcheck disable=SC2086 # words
		mcp --all call self.audio_speaker.set_volume volume=101 --no-validate $form
		ends 1
		hints '3 of 3 devices failed'
		grep -qE '^  02:00:00:00:00:0[123]: Value exceeds maximum allowed: 100$' stderr
	done
}

# same WORD…: the lines of -o json are what --jq . gives. Numbers may be others.
same() {
	run -0 --separate-stderr mcpctl "$@" --jq .
	jq -S . <<<"$output" | sed -E 's/[0-9.]+/N/g' >asked
	run -0 --separate-stderr mcpctl -o json "$@"
	[ -n "$output" ]
	jq -S . <<<"$output" | sed -E 's/[0-9.]+/N/g' | diff asked -
}

@test "--jq: what is no tool's, no board's, and what is recorded" {
	same version
	same sim --listen 127.0.0.1:0 --for 100ms
	mcp sim: --trace one.jsonl call $STATUS
	ends 0
	same capture show one.jsonl
	same capture mask one.jsonl
	same capture join one.jsonl one.jsonl
	run -0 --separate-stderr mcpctl capture show one.jsonl --jq 'select(.kind == "close").n'
	[ "$output" = "$(jq 'select(.kind == "close").n' one.jsonl)" ]
	mcp capture pcap one.jsonl --jq .
	ends 2
	hints "option '--jq' is for JSON: pcapng is none"
	mcp capture show one.jsonl --jq .n.x
	ends 7
	hints 'and so for'
}

@test "--jq of proxy: each event, the sum last; a server's stdout has no room for it" {
	serve
	background proxy mcpctl proxy --listen 127.0.0.1:0 "ws://127.0.0.1:$PORT/xiaozhi/v1/" \
		--jq '.kind // .proxied.connections // "head"'
	device=$LAST
	device board --connect "$(wait_for proxy.err 'listening at' | grep -oE 'ws://.*')"
	event ready
	kill -INT "$device"
	finish "$device" 0
	[ "$(sed -n '1p;$p' proxy.out | xargs)" = 'head 1' ]
	grep -qx text proxy.out
	mcp proxy --jq . -- cat
	ends 2
	hints "option '--jq': stdout is the server's here"
}

@test "--jq of lease: what names it; a lease that nobody was told of is given back" {
	serve
	device one --device-id 02:00:00:00:00:01
	event ready
	mcp lease 02:00:00:00:00:01 --for 10m --jq '.leases.x'
	ends 7
	hints 'Cannot index string'
	run -0 --separate-stderr mcpctl lease 02:00:00:00:00:01 --for 10m --jq .leases
	MCPCTL_LEASE=$output mcp -d 02:00:00:00:00:01 ping
	ends 0
	mcp -d 02:00:00:00:00:01 ping
	ends 3
}
