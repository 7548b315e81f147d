#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# One pass under valgrind: it sees into the libraries, as sanitizers do not.
# Leaks and wrong reads end with 99.

# shellcheck disable=SC2034 # for the helper
load ../cli/helper

checked() {
	valgrind -q --error-exitcode=99 --leak-check=full \
		--errors-for-leak-kinds=definite --child-silent-after-fork=yes \
		mcpctl "$@"
}

@test "in this process: info, tools, describe, call, a broken reply" {
	checked sim: run -e info -e tools -e 'describe self.screen.set_theme' \
		-e 'call self.audio_speaker.set_volume volume=50' >out
	grep -q '^true$' out
	local status=0
	checked sim:fixtures call self.test.throw 2>err || status=$?
	[ "$status" = 1 ]
}

@test "a device dials in over a real socket, and both end clean" {
	background l valgrind -q --error-exitcode=99 --leak-check=full \
		--errors-for-leak-kinds=definite mcpctl --wait 30 \
		listen:127.0.0.1:0 run -e tools -e ping
	LISTENER=$LAST
	OTA=$(wait_for l.err 'http://[^ ]*/xiaozhi/ota/' |
		grep -o 'http://[^ ]*/ota/')
	checked sim --ota "$OTA"
	finish "$LISTENER" 0
}

@test "dialling a board that listens, and one that is not there" {
	background board mcpctl sim --listen 127.0.0.1:0
	URL=$(wait_for board.err 'ws://' | grep -o 'ws://[^ ]*' | head -n 1)
	checked "$URL" call self.get_device_status >out
	local status=0
	checked ws://127.0.0.1:1/ info 2>err || status=$?
	[ "$status" = 3 ]
}

# SERVE under valgrind; sets SERVER, PORT, OTA as `serve` does.
watched() {
	SERVE_BEFORE="valgrind -q --error-exitcode=99 --leak-check=full
		--errors-for-leak-kinds=definite --child-silent-after-fork=yes"
	serve "$@"
}

@test "serve: boards come, are asked, replaced, kicked; it ends clean" {
	watched --save-images pictures --trace t.jsonl
	device boards --devices 3
	event ready 02:00:00:00:00:01
	event ready 02:00:00:00:00:02
	event ready 02:00:00:00:00:03
	checked -d '*:01' run -e info -e tools -e 'describe self.reboot' \
		-e 'call self.audio_speaker.set_volume volume=40' -e 'tail --for 100ms'
	checked --all call self.get_device_status
	checked --all tools >/dev/null
	checked -d '*:02' call self.camera.take_photo question=what
	curl -sf -d '{}' -H 'Device-Id: x' "$OTA" >/dev/null
	curl -sf "http://127.0.0.1:$PORT/" >/dev/null
	curl -s -F question=x "http://127.0.0.1:$PORT/upload" >/dev/null
	device twin
	event replaced 02:00:00:00:00:01
	checked kick '*:02'
	checked devices
	checked
	background waits mcpctl -d 02:00:00:00:00:99 ping
	until_true commands 1
	checked stop
	finish "$SERVER" 0
}

@test "serve: hello without MCP, a list that fails, rubbish, SIGHUP, SIGTERM" {
	watched
	device other --fault no-features --device-id 02:00:00:00:00:02
	event failed 02:00:00:00:00:02
	device loops --fault loop-cursor --fill 60 --device-id 02:00:00:00:00:03
	event failed 02:00:00:00:00:03
	printf 'rubbish\r\n\r\n' | timeout 60 bash -c "cat >/dev/tcp/127.0.0.1/$PORT" || :
	event noise
	kill -HUP "$SERVER"
	event reload
	kill -TERM "$SERVER"
	finish "$SERVER" 143
}

@test "serve --exec: the status of the command, and nobody came" {
	background once valgrind -q --error-exitcode=99 --leak-check=full \
		--errors-for-leak-kinds=definite --child-silent-after-fork=yes \
		mcpctl serve --listen 127.0.0.1:0 --once --wait 60s --exec 'mcpctl ping; exit 7'
	ONCE=$LAST
	wait_for once.err '/xiaozhi/ota/'
	PORT=$(grep -oE '127\.0\.0\.1:[0-9]+' once.err | head -n 1 | cut -d: -f2)
	device board
	finish "$ONCE" 7
	grep -q alive once.out
	local status=0
	checked serve --listen 127.0.0.1:0 --once --wait 500ms --exec true 2>err || status=$?
	[ "$status" = 3 ]
}

@test "a script of shell: builtins, pipes, a device lost and opened again" {
	cat >lines <<-'END'
		tools volume
		self.audio_speaker.set_volume {"volume": 33}
		last -o json
		describe self.screen.set_theme
		last
		set output json
		set timeout 20s
		set
		self.get_device_status | cat
		tools | head -n 1
		! true
		run inner
		use sim:?fault=notify-storm=6000
		ping
		self.reboot
		ping
		reconnect
		info
		last
		nope
	END
	printf 'ping\nlast raw\n' >inner
	local status=0
	checked sim: shell <lines >out 2>err || status=$?
	[ "$status" = 2 ]
	grep -q "stdin:20: unknown command 'nope'" err
	checked sim: shell --keep-going >out 2>err < <(printf '"\nnope\ntools nothing\nping\n') || status=$?
	[ "$status" = 2 ]
	grep -q '3 of 4 lines failed' err
}

@test "an MCP server over HTTP and as a child" {
	background server /usr/bin/python3 "$ROOT/tests/cli/http_server.py" requests
	URL=http://127.0.0.1:$(wait_for server.out '^port' | cut -d' ' -f2)
	checked "$URL/sse" run -e tools -e 'call echo text=x' -e ping >out
	grep -q '^echo: x$' out
	checked "$URL/old" call echo text=old >out
	checked "$URL/polled" call echo text=later >out
	local status=0
	checked --timeout 500ms "$URL/hang" call echo 2>err || status=$?
	[ "$status" = 4 ]
	checked ping -- "$BUILD/mcpctl" version 2>err || status=$?
	[ "$status" -lt 99 ]
}

@test "sim llm: called over HTTP and WebSocket, without a model" {
	background llm valgrind -q --error-exitcode=99 --leak-check=full \
		--errors-for-leak-kinds=definite --child-silent-after-fork=yes \
		mcpctl sim llm --listen 127.0.0.1:0 --ollama http://127.0.0.1:1
	LLM=$LAST
	URL=$(wait_for llm.err 'http://127' | grep -o 'http://127[^ ]*' | head -n 1)
	mcpctl "$URL" run -e tools -e prompts -e resources >out
	local status=0
	mcpctl --retry 1 "$URL" call extract_entities text=Maria 2>err || status=$?
	[ "$status" = 1 ]
	mcpctl "ws${URL#http}" prompts >out
	kill "$LLM"
	finish "$LLM" 143
}
