#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# One pass under valgrind: it sees into the libraries, as sanitizers do not.
# Leaks and wrong reads end with 99.

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
	OTA=$(wait_for l.err 'http://[^ ]*/xiaozhi/ota/' 30 |
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
