#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A server with the ways of Espressif's mcp-c-sdk (espressif_server.py): what it
# refuses, forgets and closes without a word.

load helper

# board NAME=VALUE…: sets URL. What comes is in log, what it does on command (do_it)
# in board.out. Its connections end a moment after its refusals, as over Wi-Fi.
board() {
	: >log
	mkfifo orders
	exec {ORDERS}<>orders
	background board sh -c 'exec /usr/bin/python3 "$@" <orders' sh \
		"$BATS_TEST_DIRNAME/espressif_server.py" log lag=0.02 "$@"
	URL=http://127.0.0.1:$(wait_for board.out '^port' | cut -d' ' -f2)/mcp_server
}

do_it() {
	echo "$1" >&"$ORDERS"
	wait_for board.out "^done $1"
}

# came FILTER: jq over the requests.
came() { jq -cr "$1" log; }

@test "the connection that carried a refusal is not used again" {
	board
	mcp "$URL" info
	ends 0
	says 'server         mcp_server 2.0.1'
	says 'legacy (by its answer to server/discover)'
	[ "$(came 'select(.rpc == "server/discover" or .rpc == "initialize") | .connection' | tr '\n' ' ')" = '1 2 ' ]
	[ "$(came 'select(.method).method' | tail -n 1)" = DELETE ]
}

@test "left out arguments: the hint, --fill-defaults, describe" {
	board
	mcp "$URL" call self.screen.set_hsv h=3
	ends 1
	hints 'left out, as the schema allows: s, theme; some servers want every argument all the same: --fill-defaults'
	mcp "$URL" call self.screen.set_hsv h=3 --fill-defaults
	ends 0
	says '{"h": 3, "s": 50, "theme": "light"}'
	mcp "$URL" call self.screen.set_rgb on=true --fill-defaults
	says '{"on": true, "RGB": [255, 255, 255]}'
	mcp "$URL" call self.screen.set_hsv --fill-defaults --no-validate
	ends 2
	hints 'nothing is known of the schema'
	mcp "$URL" describe self.screen.set_hsv
	says '  call self.screen.set_hsv h=0 s=50 theme=light'
	mcp "$URL" -o json describe self.screen.set_hsv
	[ "$(jq -r .example_filled <<<"$out")" = 'call self.screen.set_hsv h=0 s=50 theme=light' ]
	# What is required is another matter, and told as ever.
	mcp "$URL" call self.screen.set_rgb --fill-defaults
	ends 2
	hints "argument 'on' is required"
}

@test "a text that was too long: an empty result, said so" {
	board
	mcp "$URL" call self.big_text
	ends 0
	hints "empty result: no content; Espressif's mcp-c-sdk sends that in place of a text above 8192 bytes"
	mcp "$URL" call self.big_text --expect '{"content":[]}'
	ends 0
	mcp "$URL" call self.get_device_status
	[ -z "$err" ]
}

@test "headers and bodies that are too long for a board" {
	board head=512
	MCPCTL_TOKEN=$(printf '%0400d' 0) mcp "$URL" info
	ends 3
	hints 'does not take headers of this length: HTTP 431'
	hints 'hint: a board may have room for 512 bytes'
	printf '%070000d' 0 >big
	mcp "$URL" call self.get_device_status --no-validate x=@big
	ends 3
	hints "bytes: boards with Espressif's mcp-c-sdk take none above 65535"
}

@test "a token: refused, with the challenge; the login that nobody set up" {
	board token=good 'metadata={"resource":"mcp://esp32","authorization_servers":["https://example.local"],"scopes_supported":["mcp:full"]}'
	mcp "$URL" info
	ends 6
	hints 'resource_metadata="http://127.0.0.1:'
	hints '/.well-known/oauth-protected-resource/mcp_server"'
	MCPCTL_TOKEN=bad mcp "$URL" info
	ends 6
	hints 'does not take this token: HTTP 403'
	mcp "$URL" login
	ends 5
	hints "its authorization server 'https://example.local' is a placeholder, scopes mcp:full"
	# The second answer to a refusal is nobody's.
	MCPCTL_TOKEN=good mcp "$URL" info
	ends 0
	says mcp_server
}

@test "tail and subscribe: a ping so that the session lives, and one connection" {
	board ttl=2
	background tail mcpctl "$URL" tail --ping-every 200ms --level debug
	until_true matches log '"rpc": "ping"' 3
	# One each for what was posted, none of them kept.
	until_true matches log '"gone"' 4
	[ "$(came 'select(.rpc == "ping") | .connection' | sort -u | wc -l)" -ge 3 ]
	do_it tell
	wait_for tail.out notifications/tools/list_changed
	kill -INT "$LAST"
	finish "$LAST" 130
	[ "$(came 'select(.rpc == "initialize") | 1' | wc -l)" = 1 ]
}

@test "the session is forgotten: -F goes on with what was set" {
	board
	background tail mcpctl "$URL" tail -F --level debug
	until_true matches log 'logging/setLevel' 1
	do_it forget
	until_true matches log 'logging/setLevel' 2
	do_it tell
	wait_for tail.out notifications/tools/list_changed
	matches tail.err 'staying until it is back' 1
	background subscribe mcpctl "$URL" subscribe -F -n 2 mcp://a
	wait_for subscribe.err '^subscribed: mcp://a'
	do_it touch
	wait_for subscribe.out resources/updated
	do_it forget
	until_true matches subscribe.err '^subscribed: mcp://a' 2
	do_it touch
	finish "$LAST" 0
	[ "$(grep -c resources/updated subscribe.out)" = 2 ]
	# Without -F that is the end.
	background plain mcpctl "$URL" subscribe mcp://a
	wait_for plain.err '^subscribed'
	do_it forget
	finish "$LAST" 3
	matches plain.err 'does not know the session any more' 1
}

@test "what the board asks by its stream is answered, also a moment after the result" {
	board
	mcp "$URL" --root "$WORK" call self.server.roots_list
	ends 0
	says roots-1
	until_true matches board.out '^answered.*roots-1' 1
	mcp "$URL" --root "$WORK" call self.server.roots_late
	until_true matches board.out '^answered.*roots-1' 2
}

@test "tasks: states of its own, and a result that does not wait" {
	board
	mcp "$URL" call self.slow --task
	ends 0
	says "the task's"
	mcp "$URL" call self.get_device_status --task
	ends 7
	hints 'cannot run as a task'
}
