#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# proxy before an MCP server: a program whose stdin and stdout pass through, with
# its end; and HTTP, where requests, answers and streams go on as they are.

# shellcheck disable=SC2154 # out and status are set by mcp

load helper

SAYS='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}'

child() { # FAULT…
	CHILD=(/usr/bin/python3 "$BATS_TEST_DIRNAME/stdio_server.py" "$@")
}

@test "a host does not see that it is there: the same bytes, recorded" {
	child
	"${CHILD[@]}" <<<"$SAYS" >direct 2>/dev/null
	mcpctl proxy --trace p.cap -- "${CHILD[@]}" <<<"$SAYS" >through 2>noise
	cmp direct through
	[ ! -s noise ]
	[ "$(jq -r 'select(.kind == "text") | .from' p.cap | sort | uniq -c | tr -s ' ' | tr '\n' ';')" = ' 2 backend; 2 device;' ]
	mcp tools -- mcpctl proxy -- "${CHILD[@]}"
	ends 0
	says echo
	mcp call echo a=1 -- mcpctl proxy "stdio:${CHILD[*]}"
	ends 0
}

@test "-v shows lines on stderr, and nothing of ours on stdout" {
	child
	mcpctl proxy -v -- "${CHILD[@]}" <<<"$SAYS" >through 2>lines
	[ "$(wc -l <through)" = 2 ]
	grep -E '> +tools/list' lines
	grep '^passed' lines
	mcp proxy -o json -- true
	ends 2
	hints '--trace'
}

@test "the program's end is ours: its status, its signal, its stderr" {
	mcp proxy -- sh -c 'echo gone >&2; exit 7'
	ends 7
	[ "$err" = gone ]
	mcp proxy -- sh -c 'kill -9 $$'
	ends 137
	mcp proxy -- true
	ends 0
	[ -z "$out$err" ]
	mcp proxy --trace e.cap -- true
	mcp capture show e.cap
	says 'ended by the end of its output'
	mcp proxy -- ./no-such-program
	ends 3
	hints 'no such'
}

@test "a signal to us ends it, too" {
	mkfifo keep
	exec 4<>keep
	background second sh -c 'exec mcpctl proxy -- sh -c "echo up; exec sleep 1000" <keep'
	wait_for second.out up
	kill "$LAST"
	until_true over "$LAST"
	exec 4>&-
}

@test "a large message, one without a line end, and one that nobody reads" {
	child huge
	"${CHILD[@]}" <<<"$SAYS" >direct 2>/dev/null
	mcpctl proxy -- "${CHILD[@]}" <<<"$SAYS" >through
	cmp direct through
	child no-newline
	"${CHILD[@]}" <<<"$SAYS" >direct 2>/dev/null
	mcpctl proxy -- "${CHILD[@]}" <<<"$SAYS" >through
	cmp direct through
	# Its reader goes: so does the program, which meets it as it would alone.
	mcpctl proxy -- yes | head -n 1 >first
	[ "$(cat first)" = y ]
}

@test "--set changes what a program says" {
	child
	mcpctl proxy --set '/result/serverInfo/name="other"' -- "${CHILD[@]}" <<<"$SAYS" >through
	[ "$(head -n 1 through | jq -r .result.serverInfo.name)" = other ]
	[ "$(tail -n 1 through | jq -r '.result.tools[0].name')" = echo ]
}

server() {
	: >log
	background server python3 "$BATS_TEST_DIRNAME/http_server.py" log
	UP=http://127.0.0.1:$(wait_for server.out '^port' | cut -d' ' -f2)
}

between() { # UPSTREAM ARG…
	local line
	background proxy mcpctl proxy --listen 127.0.0.1:0 "$@"
	PROXY=$LAST
	line=$(wait_for proxy.err 'listening at') || return 1
	URL=$(grep -oE 'http://127\.0\.0\.1:[0-9]+[^ ]*' <<<"$line")
}

@test "HTTP: calls, a session and its end" {
	server
	between "$UP/json" --trace p.cap
	mcp "$URL" call echo text=hello
	ends 0
	says 'echo: hello'
	# The server was asked by its own name.
	jq -r '.headers.host' log | sort -u >hosts
	[ "$(cat hosts)" = "${UP#http://}" ]
	kill "$PROXY"
	until_true over "$PROXY"
	grep -E '> +initialize' proxy.out
	[ "$(jq -r 'select(.kind == "text") | .c' p.cap | sort -u | wc -l)" = 1 ]
}

@test "HTTP: an event stream, also in single bytes, and one that is cut" {
	server
	between "$UP/sse"
	mcp "$URL" call echo text=hello
	ends 0
	says 'echo: hello'
	mcp "${URL%/sse}/bytes" call echo text=hello
	ends 0
	says 'echo: hello'
	mcp "${URL%/sse}/half" call echo text=hello
	ends 3
	wait_for proxy.out 'echo'
}

@test "HTTP: a page of another origin, another name, and no server there" {
	server
	between "$UP/json"
	[ "$(curl -s -o /dev/null -w '%{http_code}' -H 'Origin: http://evil.example' -d '{}' "$URL")" = 403 ]
	[ "$(curl -s -o /dev/null -w '%{http_code}' -H 'Host: evil.example' -d '{}' "$URL")" = 421 ]
	[ ! -s log ]
	kill "$PROXY"
	until_true over "$PROXY"
	between "http://127.0.0.1:$(free_port)/mcp"
	[ "$(curl -s -o body -w '%{http_code}' -d '{}' "$URL")" = 502 ]
	grep 'cannot be reached' body
	mcp proxy --set /a=1 http://127.0.0.1:1/mcp
	ends 2
	mcp proxy --listen 127.0.0.1:0 --listen 127.0.0.1:0 http://127.0.0.1:1/mcp
	ends 2
}

@test "what is found of a plain server is told without what is known of boards" {
	cat >twice <<-'END'
		read -r ask
		printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{}}' '{"jsonrpc":"2.0","id":1,"result":{}}'
	END
	mcpctl proxy --trace t.cap -- sh twice <<<'{"jsonrpc":"2.0","id":1,"method":"ping"}' >/dev/null
	mcp check t.cap
	says D123
	says 'host: never use an id twice'
	! grep -iE '^ +(hits|do) .*(board|firmware)' stdout || false
}
