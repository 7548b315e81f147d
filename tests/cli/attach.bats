#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Commands attached to a running serve: which device, many at once, all.

load helper
load terminal

three() { # three boards
	serve
	device boards --devices 3
	event ready 02:00:00:00:00:01
	event ready 02:00:00:00:00:02
	event ready 02:00:00:00:00:03
}

@test "several boards need -d: the list is shown" {
	three
	mcp ping
	ends 2
	hints 02:00:00:00:00:02
	hints '-d'
	mcp -d 02:00:00:00:00:02 call self.get_device_status
	ends 0
	mcp -d '*:02' ping
	ends 0
	mcp -d '02:*' ping
	ends 2
	MCPCTL_DEVICE=02:00:00:00:00:03 mcp info
	ends 0
	says 02:00:00:00:00:03
}

@test "a board that is not there is waited for, as long as --wait says" {
	serve
	mcp --wait 300ms ping
	ends 3
	hints 'no device'
	background late mcpctl call self.get_device_status
	late=$LAST
	until_true commands 1
	device board
	finish "$late" 0
	grep -q volume late.out
	mcp --wait 300ms -d nobody ping
	ends 3
	hints nobody
}

@test "--all: an upgrade that a board answers has failed" {
	serve
	cat >fails.json <<-'END'
		{ "brief": "its upgrades fail", "extends": "esp32", "tools": [
		  { "name": "self.upgrade_firmware", "description": "Upgrades.",
		    "arguments": { "url": { "type": "string" } },
		    "result": { "template": "true" } } ] }
	END
	device board "$PWD/fails.json"
	event ready
	mcp --all call self.upgrade_firmware url=http://x/
	ends 1
	says 'the upgrade failed: '
	mcp call self.upgrade_firmware url=http://x/
	ends 1
	hints 'the upgrade failed: '
}

@test "--all: a row each, the worst status" {
	three
	mcp --all call self.audio_speaker.set_volume volume=33
	ends 0
	[ "$(wc -l <<<"$out")" = 3 ]
	mcp -o json --all call self.get_device_status
	ends 0
	[ "$(jq -s 'map(select(.reply.result)) | length' <<<"$out")" = 3 ]
	mcp --all -d '*:0[12]' ping
	ends 0
	[ "$(wc -l <<<"$out")" = 2 ]
	mcp --all call self.audio_speaker.set_volume volume=101
	ends 2
	mcp --all call set_volume volume=34
	ends 0
	mcp -d '*:01' set_volume volume=34
	ends 2
	mcp -d '*:01' call set_volume volume=34
	ends 0
	mcp -d '*:01' audio_speaker.set_volume volume=34
	ends 0
	mcp -d '*:01' call reboot
	ends 2
	hints "its whole name is 'self.reboot'"
	mcp -d '*:01' describe reboot
	ends 0
	says 'self.reboot'
	mcp --all call reboot
	ends 2
	mcp --all call no.such.tool
	ends 2
	mcp --all tools
	ends 0
	mcp --all request no/such
	ends 1
	mcp --all shell-like-nonsense
	ends 2
}

@test "--all info: what is known of each, whose it is first" {
	three
	mcp --all info
	ends 0
	[ "$(grep -c '^device  *02:00:00:00:00:0[123]$' stdout)" = 3 ]
	[ "$(grep -c '^server' stdout)" = 3 ]
	mcp --all -d '*:0[12]' -o json info
	ends 0
	jq -es 'length == 2 and all(.[]; .info.initialize.serverInfo.name and .info.device.device_id == .device.id)' stdout
	mcp --all -d '*:0[12]' -o raw info
	ends 0
	jq -es 'length == 2 and all(.[]; .device.id and .info)' stdout
	mcp --all -d nobody info
	ends 3
}

@test "--all info: one that has no MCP is a row, and the status" {
	serve
	device boards --devices 2
	device odd --device-id 02:00:00:00:00:0a --fault no-features
	event ready 02:00:00:00:00:02
	event ready 02:00:00:00:00:01
	event failed 02:00:00:00:00:0a
	mcp --all --timeout 2s info
	ends 3
	hints '1 of 3 devices failed'
	[ "$(grep -c '^server' stdout)" = 2 ]
	grep -qE '^02:00:00:00:00:0a  error ' stdout
	mcp --all --timeout 2s -o json info
	ends 3
	jq -es 'map(select(.error)) | length == 1 and .[0].device.id == "02:00:00:00:00:0a"' stdout
}

# Boards that say something at each call.
talkers() {
	serve
	device boards --devices 3 --fault wrong-id
	event ready 02:00:00:00:00:01
	event ready 02:00:00:00:00:02
	event ready 02:00:00:00:00:03
}

@test "--all tail: messages of each, whose name stands in front" {
	talkers
	background tail mcpctl --all -o json tail -n 3 --for 60s
	local tail=$LAST
	background text mcpctl --all tail -n 3 --for 60s
	local text=$LAST
	background raw mcpctl --all -o raw tail -n 1 --for 60s
	for name in tail text raw; do
		wait_for $name.err 'watching 3 devices'
	done
	mcp --all --timeout 300ms call self.get_device_status
	ends 4
	finish "$tail" 0
	jq -es 'map(.device.id) | unique | length == 3' tail.out
	jq -es 'all(.[]; .event.kind == "odd")' tail.out
	finish "$text" 0
	[ "$(grep -cE '^[0-9:.]+  02:00:00:00:00:0[123]  ' text.out)" = 3 ]
	finish "$LAST" 0
	jq -es 'length == 1 and .[0].device.id' raw.out
	mcp --all tail --filter never -n 1 --for 200ms
	ends 4
	mcp --all tail --filter never --for 200ms
	ends 0
}

calls_show() { # FILE PATTERN: calls until it stands there
	mcpctl --all --timeout 300ms call self.get_device_status >/dev/null || :
	grep -qE -- "$2" "$1"
}

@test "--all tail -F: a board that cannot be watched is told of once" {
	serve
	device mute --device-id 02:00:00:00:00:01 --fault no-features
	until_true no_mcp
	background follow mcpctl --all tail -F
	wait_for follow.err '02:00:00:00:00:01: the device offers no MCP.*staying until it is back'
	# Who comes is found at the next look, in which the other is tried again.
	device late --device-id 02:00:00:00:00:0b --fault wrong-id
	until_true calls_show follow.out '02:00:00:00:00:0b'
	[ "$(grep -c 'staying until it is back' follow.err)" = 1 ]
}

no_mcp() { mcpctl devices | grep -q no-mcp; }

@test "--all tail: who goes is a row; the last one ends it; -F stays" {
	talkers
	background tail mcpctl --all tail --filter never
	local tail=$LAST
	background follow mcpctl --all tail -F
	local follow=$LAST
	for name in tail follow; do
		wait_for $name.err 'watching 3 devices'
	done
	mcp kick 02:00:00:00:00:02
	ends 0
	wait_for tail.out '^02:00:00:00:00:02  error .*kick'
	wait_for follow.err '02:00:00:00:00:02: .*staying until it is back'
	absent '  error  ' follow.out
	: >follow.out
	# It comes again; so does a new one.
	device again --device-id 02:00:00:00:00:02 --fault wrong-id
	wait_for follow.err '02:00:00:00:00:02: it is back'
	until_true calls_show follow.out '02:00:00:00:00:02'
	device late --device-id 02:00:00:00:00:0b --fault wrong-id
	until_true calls_show follow.out '02:00:00:00:00:0b'
	kill "$SERVER"
	finish "$tail" 3
	grep -q 'error: 3 of 3 devices failed' tail.err
	finish "$follow" 3
}

@test "--all run: each line for all, a suite for each device" {
	three
	printf 'ping\ncall self.audio_speaker.set_volume volume=7\n' >smoke
	mcp --all run --report junit:all.xml --report tap:all.tap smoke
	ends 0
	[ "$(wc -l <stdout)" = 6 ]
	/usr/bin/python3 - <<'END'
import xml.etree.ElementTree as tree
root = tree.parse("all.xml").getroot()
assert root.tag == "testsuites", root.tag
suites = {s.get("name"): s for s in root}
assert sorted(suites) == ["02:00:00:00:00:0%d" % i for i in (1, 2, 3)], suites
for s in suites.values():
    assert (s.get("tests"), s.get("failures"), s.get("errors")) == ("2", "0", "0"), s.attrib
    assert [c.get("name") for c in s][0] == "ping"
END
	grep -q '^1\.\.6$' all.tap
	grep -qE '^ok [0-9] - 02:00:00:00:00:02: ping ' all.tap
	mcp --all run -k --report tap:all.tap -e 'call self.audio_speaker.set_volume volume=101' -e ping
	ends 2
	[ "$(grep -c '^not ok' all.tap)" = 3 ]
	[ "$(grep -c '^ok' all.tap)" = 3 ]
	mcp --all run --report tap:all.tap -e 'call self.audio_speaker.set_volume volume=101' -e ping
	ends 2
	[ "$(grep -c '# SKIP' all.tap)" = 3 ]
	mcp --all -o json -e ping -e info
	ends 0
	jq -es 'length == 6 and all(.[]; .device.id)' stdout
}

@test "--all run: what cannot be done is said before, who went counts as failed" {
	three
	mcp --all run -e ping -e 'describe self.reboot'
	ends 2
	hints "command 2: 'describe' cannot be done with --all"
	[ -z "$out" ]
	device late --device-id 02:00:00:00:00:0b
	event ready 02:00:00:00:00:0b
	background run mcpctl --all run -k --report tap:all.tap \
		-e ping -e 'tail --for 3s --filter never' -e ping
	local script=$LAST
	wait_for run.err 'watching 4 devices'
	kill -KILL "$DEVICE"
	finish "$script" 3
	grep -q '4 of 4 devices\|2 of 3 commands failed' run.err
	[ "$(grep -c '^not ok [0-9]* - 02:00:00:00:00:0b' all.tap)" = 2 ]
	grep -q 'the device is not there any more' all.tap
	[ "$(grep -c '^ok' all.tap)" = 10 ]
	mcp --all -d nobody run --report tap:none.tap -e ping
	ends 3
	grep -q '^not ok 1 - ping' none.tap
}

@test "--all: boards with other firmware are asked by their own schema" {
	serve
	device a
	device b fixtures --device-id 02:00:00:00:00:0b
	event ready 02:00:00:00:00:01
	event ready 02:00:00:00:00:0b
	mcp --all call self.get_device_status
	ends 0
	[ "$(wc -l <<<"$out")" = 2 ]
}

@test "commands at once do not disturb one another" {
	serve
	device board
	event ready
	cat >script <<'END'
call self.audio_speaker.set_volume volume=50
call self.get_device_status
END
	for _ in $(seq 100); do
		echo 'call self.get_device_status --expect {"audio_speaker":{"volume":50}}'
	done | sed "s/{.*/'&'/" >>script
	local pids=()
	for i in 1 2 3 4 5 6 7 8; do
		background "run$i" mcpctl run script
		pids+=("$LAST")
	done
	for pid in "${pids[@]}"; do
		finish "$pid" 0
	done
}

@test "notifications go to all that tail, replies to who asked" {
	serve
	device board --fault notify-storm=20
	event ready
	background t1 mcpctl -o json tail
	background t2 mcpctl -o json tail
	wait_for t1.err 'attached to'
	wait_for t2.err 'attached to'
	mcp kick 02:00:00:00:00:01
	ends 0
	wait_for t1.err 'closed|gone|kick'
	wait_for t2.err 'closed|gone|kick'
}

@test "a board that goes ends the command, which says so" {
	serve
	device board --fault no-reply
	event ready
	background call mcpctl -v call self.get_device_status --timeout 60s
	call=$LAST
	wait_for call.err tools/call
	kill -KILL "$DEVICE"
	finish "$call" 3
	grep -qi 'gone\|closed\|lost\|went' call.err
}

@test "serve that dies ends the command, which says so" {
	serve
	device board --fault no-reply
	event ready
	background call mcpctl -v call self.get_device_status --timeout 60s
	call=$LAST
	wait_for call.err tools/call
	kill -KILL "$SERVER"
	finish "$call" 3
	grep -q 'serve' call.err
}

@test "time over names the call, and serve lives on" {
	serve
	device board --fault no-reply
	event ready
	mcp call self.get_device_status --timeout 1s
	ends 4
	hints self.get_device_status
	mcp info
	ends 0
}

@test "devices --watch tells who comes and goes" {
	serve
	background watch mcpctl -o json devices --watch
	device board
	wait_for watch.out '"state":"ready"'
	kill -KILL "$DEVICE"
	wait_for watch.out gone
}

@test "devices --watch where a board is there, and a broker" {
	serve "--mqtt=$(free_port)"
	device board
	event ready
	background watch mcpctl -o json devices --watch
	wait_for watch.out '"state":"ready"'
	kill -KILL "$DEVICE"
	wait_for watch.out gone
}

@test "kick ends a board's connection; an unknown one is named" {
	serve
	device board
	event ready
	mcp kick nobody
	ends 3
	hints "'nobody' is no alias, and no board that is here has that id"
	hints 'these are here: 02:00:00:00:00:01'
	mcp kick 02:00:00:00:00:02
	ends 3
	hints "no device of the running serve fits '02:00:00:00:00:02'"
	mcp kick 02:00:00:00:00:01
	ends 0
	event gone
}

@test "no serve: devices, kick and stop say what to start" {
	for command in devices 'kick x' stop; do
		# shellcheck disable=SC2086
		mcp $command
		ends 3
		hints 'mcpctl serve'
	done
	mcp tools
	ends 2
	hints 'mcpctl serve'
}

# bats test_tags=root
@test "a socket that is not ours is refused" {
	needs_root 'only root can make a file of another user'
	serve
	chown 65534 "$WORK/run/mcpctl/serve.sock"
	mcp ping
	[ "$status" = 3 ] || [ "$status" = 6 ]
	hints 'another user'
}

@test "send and notify reach the board; raw output keeps its bytes" {
	serve
	device board --reconnect
	event ready
	mcp send '{"type":"system","command":"reboot"}'
	ends 0
	event gone
	mcp -o raw call self.get_device_status
	ends 0
	mcpctl sim: -o raw call self.get_device_status >direct
	[ "$(sed 's|"id":[0-9]*|"id":N|' stdout)" = "$(sed 's|"id":[0-9]*|"id":N|' direct)" ]
}

@test "a line of devices fits into 80 columns; a pipe gets all of it" {
	serve
	device board
	event ready
	mcp devices
	ends 0
	says '127.0.0.1:'
	terminal 80 24
	enter 'mcpctl devices; echo over'
	see '^over'
	grep -qE '^02:00:00:00:00:01  pretend-esp32s3  2.4.2 +ws  12 tools .*(ago|now)$' screen
	grep -qE '^device .* last seen$' screen
}

@test "-d names a board of serve: without one, that is what is said" {
	mcp -d kitchen tools
	ends 3
	hints 'no serve is running'
	hints kitchen
	MCPCTL_DEVICE=kitchen mcp tools
	ends 2
	hints 'no target'
}

@test "a serve that was started in another environment is found" {
	unset XDG_RUNTIME_DIR
	serve
	device board
	event ready
	export XDG_RUNTIME_DIR=$WORK/run
	mcp ping
	ends 0
	mcp devices
	ends 0
	says 02:00:00:00:00:01
}

@test "no board now, but there was one: wake it" {
	serve
	mcp devices
	ends 0
	hints "$OTA"
	device board
	event ready
	mcp devices '*:01'
	ends 0
	mcp devices nobody
	ends 7
	hints "no device fits 'nobody'"
	mcp -d nobody devices
	ends 7
	kill -KILL "$DEVICE"
	event gone
	mcp devices
	ends 0
	hints 'wake'
	mcp --wait 200ms ping
	ends 3
	hints 'wake'
}

@test "a hello to a board of serve is refused before it is sent" {
	serve
	device board
	event ready
	mcp send '{"type":"hello"}'
	ends 2
	hints 'hello'
	mcp --all send '{"type":"hello"}'
	ends 2
}

@test "Ctrl-C while many are asked: who has not answered" {
	serve
	device boards --devices 2 --fault 2:no-reply
	event ready 02:00:00:00:00:01
	event ready 02:00:00:00:00:02
	terminal 100 30
	enter 'mcpctl --all call self.audio_speaker.set_volume volume=1; echo status=$?'
	see '^02:00:00:00:00:01 +ok'
	keys C-c
	see 'no answer so far from 02:00:00:00:00:02$'
	see '^status=130'
}

@test "tail says to whom it listens, since a board may be silent" {
	serve
	device board
	event ready
	mcp tail --for 200ms
	ends 0
	hints 'attached to 02:00:00:00:00:01'
	[ -z "$out" ]
}

@test "every JSON that attached commands print is valid" {
	three
	for command in devices info tools ping 'describe self.reboot' 'call self.get_device_status' \
		'request tools/list' 'tail --for 200ms'; do
		# shellcheck disable=SC2086 # words
		mcp -o json -d 02:00:00:00:00:02 $command
		ends 0
		jq -es 'all(.[]; type == "object" or type == "array")' stdout
		jq -es . stderr
	done
	for command in tools ping 'call self.get_device_status' 'request no/such' 'notify notifications/x'; do
		# shellcheck disable=SC2086
		mcp -o json --all $command
		jq -es 'length == 3 and all(.[]; .device.id)' stdout
		jq -es . stderr
	done
}

@test "a serve that is stopped does not hang commands, which say so" {
	serve
	kill -STOP "$SERVER"
	mcp --wait 500ms ping
	ends 3
	hints 'does not answer'
	hints Ctrl-Z
	mcp --timeout 500ms kick x
	ends 4
	hints Ctrl-Z
	mcp tools --cached
	ends 7
	kill -CONT "$SERVER"
	mcp devices
	ends 0
}

@test "a word that can be no device fails at once, with the nearest; one that may come is waited for" {
	mkdir -p config/mcpctl
	echo '{"kitchen":"02:00:00:00:00:02"}' >config/mcpctl/devices.json
	serve
	device board
	event ready
	for command in '-d kitchem info' 'kick kitchem' '--wait 60s --all -d kitchem call x' '--wait 60s -d kitchem tools'; do
		# shellcheck disable=SC2086
		mcp $command
		ends 3
		hints "error: 'kitchem' is no alias, and no board that is here has that id"
		hints "hint: did you mean 'kitchen'?"
	done
	status=0
	mcpctl shell <<<'use kitchem' 2>shell.err || status=$?
	[ "$status" = 3 ]
	wait_for shell.err "did you mean 'kitchen'?"
	for word in kitchen 02:00:00:00:00:02 '02*2'; do
		mcp --wait 300ms -d "$word" info
		ends 3
		hints "no device fits '$word' yet (there: 02:00:00:00:00:01); waiting"
	done
}

@test "tail -F stays when the board goes, and goes on when it is back" {
	serve
	device board
	event ready
	background tail mcpctl tail -F --filter never
	local follower=$LAST
	wait_for tail.err 'attached to 02:00:00:00:00:01'
	mcp kick 02:00:00:00:00:01
	ends 0
	wait_for tail.err "ended by 'kick'; staying until it is back"
	: >serve.out
	device again
	event ready
	until_true matches tail.err 'attached to 02:00:00:00:00:01' 2
	kill -INT "$follower"
	finish "$follower" 130
}

@test "--no-init: send and tail reach a board without MCP, other commands are told" {
	mcp --no-init 'sim:?fault=no-features' send '{"type":"alert","status":"s","message":"m","emotion":"happy"}'
	ends 0
	mcp --no-init 'sim:?fault=no-features' tail --for 300ms
	ends 0
	says hello
	mcp 'sim:?fault=no-features' send '{"type":"tts"}'
	ends 3
	hints 'offers no MCP'
	mcp --no-init 'sim:?fault=no-features' tools
	ends 3
	hints 'offers no MCP'
}

@test "a reply with a text as id is told by its call, whose number is the board's own" {
	serve
	device board --fault string-id
	event ready
	mcp -v call self.get_device_status
	hints 'the id of self.get_device_status is a text'
}
