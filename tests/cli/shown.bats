#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a peer says, in every command and form: nothing of it works at the terminal.

load helper
load terminal

SERVER=$BATS_TEST_DIRNAME/shouting_server.py

@test "no command lets a byte of a peer through to the terminal, or out of its place" {
	mkdir -p config/mcpctl
	printf '{"mcpServers":{"a\\u001b]0;owned\\u0007":{"command":"x\\u001b[2J","args":["\\u009b31m"],"env":{"\\u001b":"\\u0000"}}}}' \
		>config/mcpctl/mcp.json
	printf '{"mcpServers":{"folder":{"command":"y\\u001b]0;owned\\u0007"}, "b\\u009b31m":{"url":"z\\u202e"}}}' \
		>.mcp.json
	cat >hostile.jsonl <<-'END'
		{"capture":1,"as":"x\u001b[2J","upstream":"\u009b31m","masked":false}
		{"t":1,"c":1,"kind":"device","device":"d\u001b]0;owned\u0007","board":"\u202e"}
		{"t":2,"c":1,"leg":"ws","from":"device","kind":"text","text":"{\"id\":1,\"method\":\"\u001b]0;owned\u0007\\u001b[2J\"}"}
		{"t":2,"c":1,"leg":"mqtt","from":"device","kind":"text","topic":"\u009b31m","text":"{\"type\":\"hello\",\"session_id\":\"\\u001b[2J\"}"}
		{"t":3,"c":1,"kind":"finding","finding":{"code":"\u001b[2J","severity":"\u0007","title":"\u202e"}}
		{"t":4,"c":1,"leg":"ota","kind":"request","head":["GET \u001b]0;owned\u0007"]}
	END
	/usr/bin/python3 "$BATS_TEST_DIRNAME/firmware.py" firmware.bin 2.5.0 1000
	background serve mcpctl -v serve --listen 127.0.0.1:0
	PORT=$(wait_for serve.err 'http://127.0.0.1:[0-9]+/' | sed -E 's|.*:([0-9]+)/.*|\1|')
	background board /usr/bin/python3 "$SERVER" "$PORT"
	background backend /usr/bin/python3 "$SERVER" listen
	wait_for serve.out 'aa:00:00:00:00:01  .*tools'
	"$BATS_TEST_DIRNAME/shown.py" "$SERVER" "$(wait_for backend.out 'port [0-9]+' | sed 's/port //')"
	LC_ALL=C absent $'[\x01-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]' serve.out serve.err
}

@test "the question whether to trust a folder's file shows what is in it" {
	printf '{"mcpServers":{"folder":{"command":"y\\u001b]0;owned\\u0007\\u001b[2J","args":["-x"]}}}' >.mcp.json
	terminal 100 40
	enter 'mcpctl trust'
	see 'y.*x*1b.*0;owned'
	[ "$(tmux -S "$SOCKET" display -p '#{pane_title}')" != owned ]
	keys C-c
}

@test "the shell at a terminal shows it, and nothing happens" {
	terminal 100 40 MCPCTL_TIMEOUT=20
	enter "mcpctl shell -- /usr/bin/python3 $SERVER"
	last_line '> *$'
	enter 'call t'
	see 'result.x1b.0;owned'
	enter 'call refuses'
	see 'no.x1b.0;owned'
	[ "$(tmux -S "$SOCKET" display -p '#{pane_title}')" != owned ]
}
