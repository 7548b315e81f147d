#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# replay, clone, capture diff, capture pcap: what was recorded is said again,
# answered again, compared, and read by others.

# shellcheck disable=SC2154 # out and err are set by mcp

load helper

# recorded ARG…: board.jsonl, a conversation with sim: (ARG: options and target).
recorded() {
	mcp --trace board.jsonl "$@" run -e tools -e 'call self.get_device_status' \
		-e 'call self.screen.get_info'
	ends 0
}

@test "as backend: a device that answers as it did is 0, another one 7 with what is other" {
	recorded sim:
	mcp sim: replay board.jsonl --speed max
	ends 0
	says 'capture  ok    12 messages of 02:00:00:00:00:01'
	says 'left     -     out: 2 events of other conversations, and ends'
	says 'device   ok    is there'
	says 'same     ok    6 steps of the device compared, all as they were'
	mcp sim:fixtures replay board.jsonl --speed max
	ends 7
	says 'reply to tools/call self.get_device_status'
	says '/result/content/0/text/network/ssid: "pretend", now "host"'
	hints 'not as recorded'
	[ "$(wc -L <stdout)" -le 80 ]
	mcp -o json sim:fixtures replay board.jsonl --speed max
	ends 7
	grep -q '"difference":{"kind":"other","from":"device","step":"reply to initialize".*"pointer":"/result/serverInfo/name","old":"pretend-esp32s3","new":"host-board"' <<<"$out"
}

@test "an answer that was none is more; what is said next waits as long as it did" {
	local began
	recorded sim:
	jq -c 'select(.n != 12)' board.jsonl >less.jsonl
	mcp sim: replay less.jsonl --speed max --report tap:less.tap
	ends 7
	says 'more     #11   device   reply to tools/call self.get_device_status'
	says 'same     fail  5 steps of the device compared, 1 more'
	hints '1 step is not as recorded'
	grep -q '^not ok .*reply to tools/call self.get_device_status' less.tap
	grep -q 'more than there was' less.tap
	jq -c 'if .n and .n >= 11 then .t += 400000 else . end' board.jsonl >slow.jsonl
	began=$(date +%s%N)
	mcp sim: replay slow.jsonl --speed 2
	ends 0
	[ $(($(date +%s%N) - began)) -ge 200000000 ]
}

@test "what is ignored is not compared" {
	recorded sim:
	mcp sim:fixtures replay board.jsonl --speed max --ignore /result --ignore /error
	ends 0
	mcp sim: replay board.jsonl --ignore result
	ends 2
	hints "a pointer begins with '/'"
}

@test "a board that dials in is told what the backend said, at its pace" {
	recorded sim:
	listener again listen:127.0.0.1:0 replay board.jsonl --speed 5
	background board mcpctl sim --connect "ws://127.0.0.1:$PORT/xiaozhi/v1/"
	finish "$LISTENER" 0
	grep -q 'all as they were' again.out
}

@test "an answer that does not come is missing, and is waited for once" {
	recorded sim:
	mcp --timeout 300ms 'sim:?fault=no-reply' replay board.jsonl --speed max
	ends 7
	says 'missing  #'
	says 'reply to tools/call self.get_device_status'
	says 'same     fail  6 steps of the device compared, 2 missing'
	hints '2 steps are not as recorded'
	mcp --timeout 300ms 'sim:?fault=close-mid-reply' replay board.jsonl --speed max
	ends 7
	says 'the device ended the connection'
	mcp --wait 50ms listen:127.0.0.1:0 replay board.jsonl
	ends 3
	hints 'no device came'
	mcp sim: replay board.jsonl --report tap:/nope/x
	ends 8
	hints "cannot write the report '/nope/x'"
}

@test "an answer in twice the time is slower" {
	recorded sim:
	mcp 'sim:?fault=late-reply=300ms' replay board.jsonl --speed max
	ends 7
	says 'slower   #'
	says 'answered in'
}

@test "as device: a backend is told what the board said, and compared" {
	serve --trace "$WORK/board.jsonl"
	device d
	event ready
	mcp call self.get_device_status
	ends 0
	kill "$DEVICE"
	event gone
	mcp replay board.jsonl --as device "ws://127.0.0.1:$PORT/xiaozhi/v1/" --wait 1s
	# serve lists by itself, but nobody calls now.
	ends 7
	says 'missing  #'
	says 'tools/call self.get_device_status'
	absent '^other' stdout
	mcp replay board.jsonl --as device
	ends 2
	hints 'needs the address of a backend'
	mcp replay board.jsonl --as device ws://127.0.0.1:1/
	ends 3
}

@test "reports have a case for each step" {
	recorded sim:
	mcp sim: replay board.jsonl --speed max --report md:-
	says '### mcpctl replay: '
	absent 'risk|asked' stdout
	mcp sim:fixtures replay board.jsonl --speed max --report junit:r.xml --report tap:-
	ends 7
	grep -q '<testcase .*name="reply to tools/call self.get_device_status"' r.xml
	grep -q '^not ok .*reply to initialize' <<<"$out"
	grep -q '^ok ' <<<"$out"
	grep -q 'says another thing: /result/serverInfo/name was .*pretend-esp32s3.*, is .*host-board' <<<"$out"
	# Nor is it green where nothing could be said.
	mcp ws://127.0.0.1:1/ replay board.jsonl --report tap:-
	ends 3
	grep -q '^not ok .*replay' <<<"$out"
	grep -qx '  status: 3' <<<"$out"
}

@test "without a target it is the board of serve, whose greeting was before" {
	serve --trace serve.jsonl
	device board
	event ready
	mcp call self.get_device_status
	ends 0
	cp serve.jsonl board.jsonl
	mcp replay board.jsonl --speed max
	ends 0
	says 'said by serve before'
	says '3 steps of the device compared, all as they were'
	mcp stop
	ends 0
	mcp -d '*:01' replay board.jsonl
	ends 3
	hints "no serve is running, and -d '*:01' is one of its devices"
}

@test "a capture without a hello, as of MQTT at rest, to a device that waits for one" {
	recorded sim:
	grep -v '\\"type\\":\\"hello\\"' board.jsonl >rest.jsonl
	absent '"hello' rest.jsonl
	# It listens then, as a board that was woken: nothing did that at rest.
	grep -v '\\"type\\":\\"listen\\"' rest.jsonl >quiet.jsonl
	mcp sim: replay quiet.jsonl --speed max
	ends 0
	absent listen stdout
	mcp sim: replay rest.jsonl --speed max
	ends 0
	says 'answered by ours'
	absent slower stdout
}

@test "captures that cannot be said again" {
	echo '{"capture":1}' >empty.jsonl
	mcp sim: replay empty.jsonl
	ends 7
	hints 'has nothing that a backend said'
	echo no >foreign.jsonl
	mcp sim: replay foreign.jsonl
	ends 2
	local speed
	for speed in fast 2x 0 0.0009 1000001 -1; do
		mcp sim: replay board.jsonl "--speed=$speed"
		ends 2
		hints "--speed '$speed': a number as 0.5 or 10, or max"
	done
	mcp sim: replay empty.jsonl --speed 0.001
	ends 7
	mcp sim: replay empty.jsonl --speed 1000000
	ends 7
	mcp sim: replay empty.jsonl ws://127.0.0.1:1/
	ends 2
	hints 'replay --as backend takes no address'
	mcp replay empty.jsonl --as device ws://127.0.0.1:1/ --of me
	ends 7
	hints "'empty.jsonl' has nothing that a board said to or for me"
}

@test "clone: of a capture and of a live device, the simulated board answers as the real one" {
	recorded sim:
	mcpctl clone board.jsonl >board.json
	mcp sim:./board.json replay board.jsonl --speed max
	ends 0
	mcpctl sim: clone >live.json
	mcp sim:./live.json tools
	ends 0
	says self.get_device_status
	mcp sim:./live.json call self.screen.get_info
	ends 0
	says '"width":320'
	mcp sim:./live.json call self.screen.set_theme theme=dark
	ends 1
	hints 'this call was not recorded'
	[[ $err != *B240* ]]
	mcp clone none.jsonl
	ends 2
	# Nothing is left behind of what was asked.
	[ -z "$(find /tmp -maxdepth 1 -name 'mcpctl-clone-*' -newer board.jsonl)" ]
}

@test "clone: faults of what is sent are shown; of others it is said that they are not" {
	recorded sim:
	mcpctl clone board.jsonl >board.json
	mcp --timeout 300ms 'sim:./board.json?fault=no-reply' call self.get_device_status
	ends 4
	mcp --timeout 300ms 'sim:./board.json?fault=late-reply=1h' call self.get_device_status
	ends 4
	mcp 'sim:./board.json?fault=deep' call self.get_device_status
	ends 2
	hints "fault 'deep' cannot be shown"
	mcp sim ./board.json --connect ws://127.0.0.1:1/ --fault wrong-id
	ends 2
	hints "fault 'wrong-id' cannot be shown"
}

@test "clone: a board of MQTT that comes over WebSocket says so in its hello" {
	recorded sim:
	mcpctl clone board.jsonl |
		sed 's/\\"transport\\":\\"websocket\\"/\\"transport\\":\\"udp\\"/
			s/\\"version\\":1/\\"version\\":3/' >mqtt.json
	grep -q '\\"version\\":3.*\\"udp\\"' mqtt.json
	mcp --findings found.jsonl --trace t.jsonl sim:./mqtt.json tools
	ends 0
	[ ! -s found.jsonl ]
	grep -q 'glyph_push.*\\"transport\\":\\"websocket\\"' t.jsonl
}

@test "of a message above 64 kB the beginning is not said to a device" {
	recorded sim:
	jq -c 'select(.kind != "end")' board.jsonl >cut.jsonl
	jq -c 'select(.kind == "text" and .from == "backend")' board.jsonl | tail -1 |
		jq -c '.n = 99 | .t += 1 | .size = 70000 | .cut = 20 | .text = .text[:20]' >>cut.jsonl
	mcp sim: replay cut.jsonl --speed max
	ends 0
	says 'out: message 99, of which'
}

@test "clone: the address of a live server is told without its secrets" {
	server_of_tools
	mcp "$UP/json?token=geheim" clone --no-calls
	ends 0
	says '"brief": "cloned from http://127'
	[[ "$out" != *geheim* ]]
}

@test "clone: a target in the place of a file" {
	mcp clone ws://127.0.0.1:1/
	ends 2
	hints 'mcpctl ws://127.0.0.1:1/ clone'
	mcp clone ws://u:secret@127.0.0.1:1/
	ends 2
	absent secret stderr
}

@test "clone: an answer that was broken is broken again; a second answer comes second" {
	mcp --trace broken.jsonl 'sim:?fault=deep' call self.get_device_status
	mcpctl clone broken.jsonl >broken.json
	mcp sim:./broken.json call self.get_device_status
	status1=$status
	mcp 'sim:?fault=deep' call self.get_device_status
	[ "$status" = "$status1" ]
}

@test "capture diff: the same is 0, a difference 7" {
	recorded sim:
	mv board.jsonl one.jsonl
	recorded sim:
	mcp capture diff one.jsonl board.jsonl --ignore '/params/capabilities/vision/url'
	ends 0
	[ -z "$out" ]
	recorded sim:fixtures
	mcp capture diff one.jsonl board.jsonl
	ends 7
	says 'other    #'
	mcp capture diff one.jsonl
	ends 2
	mcp capture diff - -
	ends 2
}

@test "capture diff: what one of them lacks may differ; a line that is too long is named" {
	recorded sim:
	python3 - <<-'END'
		line = '{"n":9000,"t":1,"c":1,"leg":"ws","from":"device","kind":"text","text":"%s"}\n'
		text = open("board.jsonl").read()
		open("long.jsonl", "w").write(text + line % ("a" * 9000000))
		open("lost.jsonl", "w").write(text + '{"n":9000,"t":1,"kind":"lost","count":2}\n')
	END
	mcp capture diff board.jsonl long.jsonl
	ends 7
	hints "'long.jsonl', line $(wc -l <long.jsonl) is longer than 8 MB"
	hints "no difference, but 'long.jsonl' lacks 1 event: what is there may differ"
	mcp capture diff lost.jsonl board.jsonl
	ends 7
	hints "no difference, but 'lost.jsonl' lacks 2 events"
	mcp capture mask long.jsonl
	ends 0
	hints 'is longer than 8 MB'
}

@test "capture pcap: a CONNECT is as long as it was, though its password is not there" {
	cat >mqtt.jsonl <<-'END'
		{"capture":1,"made":"2026-11-22T10:02:11.400Z","clock":"us","masked":true}
		{"n":1,"t":10,"c":1,"leg":"mqtt","from":"device","kind":"open"}
		{"n":2,"t":20,"c":1,"leg":"mqtt","from":"device","kind":"packet","size":81,"cut":12,"hex":"104f00044d515454040200f0"}
		{"n":3,"t":30,"c":1,"leg":"mqtt","from":"device","kind":"text","topic":"device-server","size":16,"text":"{\"type\":\"hello\"}"}
	END
	mcpctl capture pcap mqtt.jsonl >mqtt.pcapng
	python3 - <<-'END'
		import struct
		data = open("mqtt.pcapng", "rb").read()
		at, found = 0, []
		while at < len(data):
		    kind, size = struct.unpack_from("<II", data, at)
		    if kind == 6:
		        kept, was = struct.unpack_from("<II", data, at + 20)
		        found.append((was - kept, b"MQTT" in data[at:at + size], b"device-server" in data[at:at + size]))
		    at += size
		assert (81 - 12, True, False) in found and (0, False, True) in found, found
	END
}

@test "capture pcap: blocks of pcapng with the messages in them" {
	recorded sim:
	mcpctl capture pcap board.jsonl >board.pcapng
	python3 - <<-'END'
		import struct
		data = open("board.pcapng", "rb").read()
		at = packets = 0
		while at < len(data):
		    kind, size = struct.unpack_from("<II", data, at)
		    assert size % 4 == 0 and size >= 12
		    assert struct.unpack_from("<I", data, at + size - 4)[0] == size
		    packets += kind == 6
		    at += size
		assert at == len(data) and packets > 10
		assert data[:4] == b"\x0a\x0d\x0d\x0a"
		assert b'"method":"tools/list"' in data
	END
}
