#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Access points, all three sides: mcpctl as one, as a tool side (bridge), and as a
# robot; against a stand-in of mcp-endpoint-server.

load helper

# tool_side NAME URL [WORD...]: one that says nothing until it is asked.
tool_side() {
	local name=$1
	shift
	background "$name" /usr/bin/python3 "$BATS_TEST_DIRNAME/tool_side.py" "$@"
}

# access_point [TOKEN...]: sets POINT, the address without its last parts; order
# tells it what to do.
access_point() {
	mkfifo orders
	exec 7<>orders
	background point /usr/bin/python3 "$BATS_TEST_DIRNAME/access_point.py" orders "$@"
	POINT=ws://127.0.0.1:$(wait_for point.out '^[0-9]+$')/mcp_endpoint
}

order() { printf '%s\n' "$*" >&7; }

# bridge NAME URL...: a tool side with the simulated board behind it.
bridge() {
	local name=$1
	shift
	printf '%s\n' "$@" >"$name.urls"
	background "$name" mcpctl -t sim: bridge --mcp-endpoint-file "$name.urls"
	BRIDGE=$LAST
}

# ---- the point itself ----

@test "serve: tool sides that say nothing are asked, named, listed and called" {
	serve --mcp-endpoint /mcp
	tool_side a "ws://127.0.0.1:$PORT/mcp?agent=bob"
	event ready '"device":"bob"'
	tool_side b "ws://127.0.0.1:$PORT/mcp?token=sesame"
	event ready '"device":"token-[0-9a-f]{8}"'
	tool_side c "ws://127.0.0.1:$PORT/mcp" 'My Calc!'
	event ready '"device":"my-calc"'
	mcp -d bob call add a=2 b=3
	ends 0
	[ "$out" = 5 ]
	mcp -d my-calc tools --jq .name
	[ "$out" = add ]
	mcp -o json devices
	[ "$(jq -r '.id' <<<"$out" | sort | tr '\n' ' ')" = \
		"bob my-calc $(jq -r .id <<<"$out" | grep token) " ]
	absent sesame serve.out serve.err
	# An integer id, and the first revision, as the cloud asks.
	grep -qE '^< \{"jsonrpc":"2.0","id":[0-9]+,"method":"initialize","params":\{"protocolVersion":"2024-11-05"' a.out
	grep -q 'notifications/initialized' a.out
	# A board's envelope is for boards.
	absent '"type"' a.out
	mcp -d bob send '{"type":"system","command":"reboot"}'
	ends 2
	mcp -d bob ping
	ends 0
}

@test "serve: who says no hello within two seconds is asked, at any path" {
	serve
	tool_side a "ws://127.0.0.1:$PORT/any"
	event ready '"device":"calc"'
	mcp -d calc call add a=20 b=3
	[ "$out" = 23 ]
}

@test "serve: a board whose hello is slow is a board after all" {
	serve
	tool_side a "ws://127.0.0.1:$PORT/" calc slow-board
	event ready '"tools":1'
	mcp call add a=20 b=3
	[ "$out" = 23 ]
	mcp info
	grep -q 'device' <<<"$out"
	# It was asked both ways, and answered the one that boards know.
	grep -q '^< {"jsonrpc"' a.out
	grep -q '^< {.*"type":"mcp"' a.out
	absent '"event":"finding"' serve.out
}

@test "serve: the second tool side of a token takes the place, by Close 1000" {
	serve --mcp-endpoint /mcp
	tool_side a "ws://127.0.0.1:$PORT/mcp?token=one"
	event ready token-
	tool_side b "ws://127.0.0.1:$PORT/mcp?token=one"
	wait_for a.out '^closed 1000 新连接替换$'
	event replaced 'dialled in again'
	until_true matches serve.out '"event":"ready"' 2
	mcp call add a=1 b=1
	[ "$out" = 2 ]
}

@test "serve: a tool side with a board's token is told whose it is" {
	printf 'aa:bb:cc:dd:ee:01 one\nrobot two\n' >tokens
	serve --mcp-endpoint /mcp --token-file tokens
	tool_side a "ws://127.0.0.1:$PORT/mcp?token=one"
	event refused 'its token is of another name.*agent=NAME'
	absent 'this Device-Id' serve.out
	tool_side b "ws://127.0.0.1:$PORT/mcp?token=two&agent=robot"
	event ready '"device":"robot"'
}

@test "serve: tokens are asked for at the point, too" {
	printf 'right\n' >tokens
	serve --mcp-endpoint /mcp --token-file tokens
	tool_side none "ws://127.0.0.1:$PORT/mcp"
	event refused 'it gave no token.*a tool side shows it in its address'
	tool_side a "ws://127.0.0.1:$PORT/mcp?token=wrong"
	wait_for a.out '^refused 401$'
	tool_side b "ws://127.0.0.1:$PORT/mcp?token=right"
	event ready token-
}

@test "listen: takes a tool side, by its path at once" {
	listener l listen:127.0.0.1:0/mcp call add a=1 b=4
	tool_side a "ws://127.0.0.1:$PORT/mcp"
	finish "$LISTENER" 0
	[ "$(cat l.out)" = 5 ]
}

@test "listen: takes one that is silent, a slow board, and by --envelope whom it is told" {
	listener l listen:127.0.0.1:0 call add a=1 b=4
	tool_side a "ws://127.0.0.1:$PORT/"
	finish "$LISTENER" 0
	[ "$(cat l.out)" = 5 ]
	listener m listen:127.0.0.1:0 call add a=1 b=4
	tool_side b "ws://127.0.0.1:$PORT/" calc slow-board
	finish "$LISTENER" 0
	[ "$(cat m.out)" = 5 ]
	absent '^! ' m.err
	listener n --envelope plain listen:127.0.0.1:0 call add a=1 b=4
	tool_side c "ws://127.0.0.1:$PORT/" calc device-id
	finish "$LISTENER" 0
	[ "$(cat n.out)" = 5 ]
}

@test "listen: who answers neither way is told so" {
	listener l --timeout 1s listen:127.0.0.1:0/mcp tools
	tool_side a "ws://127.0.0.1:$PORT/mcp" calc mute
	finish "$LISTENER" 4
	grep -q "said no hello, and did not answer 'initialize'" l.err
	grep -q D102 l.err
}

# ---- a sketch with the Arduino library ----

@test "sim arduino: serve takes it, with the headers of its library" {
	serve --mcp-endpoint /mcp
	background sketch mcpctl -v sim arduino --connect "ws://127.0.0.1:$PORT/mcp?token=sesame"
	event ready '"tools":3'
	mcp call led_blink state=on
	[ "$out" = '{"success":true,"state":"on"}' ]
	# Its documents are small: the result of one is lost, the next is not heard.
	mcp call read_log "text=$(printf '%600s' x)"
	grep -q P711 <<<"$err"
	wait_for sketch.err 'its result is lost: [0-9]+ bytes are needed, its document has 2048'
	mcp --timeout 1s call read_log "text=$(printf '%1000s' x)"
	ends 4
	wait_for sketch.err 'a message is dropped: [0-9]+ bytes are needed, its document has 1024'
	grep -q '"method":"notifications/initialized"' sketch.err
	absent sesame sketch.err sketch.out
}

@test "sim arduino: a text as id comes back without quotes, which check finds" {
	listener l --timeout 1s listen:127.0.0.1:0/mcp check --risk odd
	background sketch mcpctl sim arduino --connect "ws://127.0.0.1:$PORT/mcp"
	finish "$LISTENER" 7
	grep -q 'error *P719' l.out
	grep -q '"id":mcpctl-1,"result":{}' l.out
	# Silent at what it does not know, and no worse.
	absent D134 l.out
	absent P706 l.out
	# mcp-endpoint-server makes texts of all ids: nothing works there.
	access_point
	background other mcpctl sim arduino --connect "$POINT/mcp/?token=good"
	wait_for point.out '^joined good'
	mcp --timeout 1s "$POINT/call/?token=good" tools
	ends 4
	wait_for point.out '^tool \{"jsonrpc":"2.0","id":[0-9a-f-]+_n_1,"result"'
}

@test "sim arduino: dials an access point, and nothing else" {
	mcp sim arduino
	ends 2
	hints '--connect ws://127.0.0.1:8000/mcp'
	mcp sim arduino --listen 127.0.0.1:0
	ends 2
	mcp sim:arduino tools
	ends 2
	hints 'sim arduino --connect'
	mcp sim arduino --connect ws://127.0.0.1:1/mcp
	ends 3
	mcp sim arduino --connect 'ws://127.0.0.1:1/mcp?token=sesame' --reconnect --for 100ms
	ends 3
	grep -q "error: not connected to 'ws://127.0.0.1:1/mcp' within the time of --for" stderr
}

# ---- a robot: ws://…/call/?token= ----

@test "a robot without a tool side is told that, and of a token that is none" {
	access_point
	mcp "$POINT/call/?token=good" tools
	ends 1
	grep -q '工具端未连接' <<<"$err"
	grep -q P717 <<<"$err"
	# result: null beside the error is no second answer.
	absent D127 stderr
	mcp "$POINT/call/?token=bad" tools
	ends 6
	grep -q 'token解密失败' <<<"$err"
	hints 'the token= in its address'
}

# ---- a tool side: bridge ----

@test "bridge: robots list and call, with ids that are texts" {
	access_point
	bridge b "$POINT/mcp/?token=good"
	wait_for point.out '^joined good'
	mcp "$POINT/call/?token=good" tools --jq .name
	ends 0
	grep -qx audio_speaker_set_volume <<<"$out"
	[ "$(grep -vcE '^[A-Za-z0-9_]+$' <<<"$out")" = 0 ]
	mcp "$POINT/call/?token=good" call audio_speaker_set_volume volume=33
	[ "$out" = true ]
	mcp "$POINT/call/?token=good" ping
	ends 0
	# Several at once, each with an initialize of its own.
	for i in 1 2 3; do
		background "robot$i" mcpctl "$POINT/call/?token=good" call get_device_status
	done
	for i in 1 2 3; do
		wait_for "robot$i.out" '"volume":33'
	done
	absent '"id":null' point.out
	kill "$BRIDGE"
	finish "$BRIDGE" 0
	absent 'token=good' b.err b.out
}

@test "bridge: notifications get no answer, ids come back as they went" {
	access_point
	bridge b "$POINT/mcp/?token=good"
	wait_for point.out '^joined good'
	order 'say good {"jsonrpc":"2.0","method":"notifications/initialized"}'
	order 'say good {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'
	order 'say good {"jsonrpc":"2.0","id":0,"method":"ping"}'
	order 'say good {"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}'
	order 'say good {"jsonrpc":"2.0","id":"a_s_b","method":"ping"}'
	wait_for point.out '^tool \{"jsonrpc":"2.0","id":"a_s_b","result":\{\}\}$'
	[ "$(grep -c '^tool' point.out)" = 3 ]
	grep -q '"id":0,' point.out
	grep -q '"id":9007199254740993,' point.out
	# A robot that was there before calls without having listed.
	order 'say good {"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"screen_set_brightness","arguments":{"brightness":5}}}'
	wait_for point.out '^tool .*"id":"x".*"text":"true"'
}

@test "bridge: two with one token: the first waits a minute, and says why" {
	access_point
	bridge one "$POINT/mcp/?token=good"
	wait_for point.out '^joined good'
	bridge two "$POINT/mcp/?token=good"
	wait_for one.err 'another tool side came with this token and took the place .*dialled again in 1 min'
	wait_for two.err ': connected$'
	mcp "$POINT/call/?token=good" call audio_speaker_set_volume volume=3
	[ "$out" = true ]
	[ "$(grep -c '^joined' point.out)" = 2 ]
}

@test "bridge: back after a close, later after 4004, never after a refusal" {
	access_point good other
	bridge b "$POINT/mcp/?token=good" "$POINT/mcp/?token=other" "$POINT/mcp/?token=bad"
	wait_for b.err 'line 3\): .*token解密失败.*not dialled again'
	wait_for point.out '^joined good'
	wait_for point.out '^joined other'
	order 'close other 4004 Internal server error'
	wait_for b.err 'line 2\): .*4004.*dialled again in 3[0-9] s'
	order 'close good 1001 going away'
	wait_for b.err 'line 1\): .*1001.*dialled again in'
	until_true matches point.out '^joined good' 2
	mcp "$POINT/call/?token=good" call audio_speaker_set_volume volume=3
	[ "$out" = true ]
	# The last address that is refused is the end.
	bridge c "$POINT/mcp/?token=bad"
	finish "$BRIDGE" 6
	MCPCTL_MCP_ENDPOINT="$POINT/mcp/?token=bad" mcp -t sim: bridge
	ends 6
	absent 'token=bad' c.err
	absent 'token=bad' stderr
}

@test "bridge: at most 32 tools, results of 8192 bytes, and what is left out is said" {
	access_point
	printf '%s\n' "$POINT/mcp/?token=good" >urls
	background b mcpctl -t 'sim:?fill=40' bridge --mcp-endpoint-file urls
	wait_for point.out '^joined good'
	wait_for b.err '32 tools shown, [0-9]+ left out \(--mcp-endpoint-tools 32\): '
	[ "$(grep -o 'left out' b.err | wc -l)" = 1 ]
	mcp "$POINT/call/?token=good" tools --jq .name
	[ "$(wc -l <<<"$out")" = 32 ]
	background c mcpctl -t stdio:"/usr/bin/python3 $BATS_TEST_DIRNAME/tool_side.py - long" \
		bridge --mcp-endpoint-file urls --mcp-endpoint-tools 2
	wait_for c.err ': connected$'
	wait_for c.err '2 tools shown, 1 left out .*: refresh'
	mcp "$POINT/call/?token=good" call add a=1 b=2
	grep -q '(cut: [0-9]* bytes; the access point takes 8192)' <<<"$out"
	[ "${#out}" -lt 8192 ]
}

@test "bridge: addresses that are none are refused, without their secret" {
	printf 'https://h/mcp/?token=s3cret\n' >urls
	mcp -t sim: bridge --mcp-endpoint-file urls
	ends 2
	absent s3cret stderr
	printf '# none\n' >urls
	mcp -t sim: bridge --mcp-endpoint-file urls
	ends 2
	MCPCTL_MCP_ENDPOINT="ws://h/call/?token=s3cret" mcp -t sim: bridge
	ends 2
	absent s3cret stderr
}

@test "bridge: boards of serve come behind the access point, which is told" {
	access_point
	serve
	printf '%s\n' "$POINT/mcp/?token=good" >urls
	background b mcpctl bridge --mcp-endpoint-file urls
	wait_for b.err ': connected$'
	# Only of a list that was asked for is it told that there is another.
	order 'say good {"jsonrpc":"2.0","id":"before","method":"tools/list"}'
	wait_for point.out '^tool .*"id":"before"'
	device board --device-id 02:00:00:00:00:07
	wait_for point.out '^tool .*notifications/tools/list_changed'
	# Who was there before and did not ask again.
	order 'say good {"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"audio_speaker_set_volume","arguments":{"volume":5}}}'
	wait_for point.out '^tool .*"id":"x".*"text":"true"'
	mcp "$POINT/call/?token=good" tools --jq .name
	grep -qx audio_speaker_set_volume <<<"$out"
}
