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
	[ "$err" = $'gone\nP716 the server\'s program: it ended with status 7 before it said anything; a host reads the end of its output, and gives it up' ]
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
	mcp proxy http://u:geheim@127.0.0.1/mcp
	ends 2
	[ "$err" = $'error: a user has no place in the address: hosts bring their own\nhint: leave out what stands before \'@\'' ]
}

@test "P716: a program that is missing, or ends before it answers; what a host sees" {
	printf '%s\n' "$SAYS" | head -1 >first
	run_with() { # STDIN COMMAND…: its findings are in found.json
		rm -f found.json p.cap
		status=0
		mcpctl proxy --findings found.json --trace p.cap -- "${@:2}" <"$1" >out 2>err || status=$?
	}
	run_with first ./no-such-program
	[ "$status" = 3 ]
	grep -q "^error: cannot start './no-such-program': no such file or directory (P716)" err
	grep -q 'a host reads the end of its output, and gives it up' err
	jq -e 'select(.code == "P716") | .do.operator' found.json
	# The capture knows it, too.
	mcp check p.cap
	ends 7
	says 'error   P716 '
	run_with /dev/null sh -c 'echo why >&2; exit 3'
	[ "$status" = 3 ]
	grep -q '^why$' err
	grep -q 'P716 the server.s program: it ended with status 3 before it said anything; a host' err
	run_with first sh -c 'read x; echo "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}"; kill -9 $$'
	[ "$status" = 137 ]
	grep -q 'it ended with status 137, and a request has no answer' err
	mcp check p.cap
	says 'error   P716 '
	# The host is still there, and it ends without a word, as if all were well.
	mkfifo open
	sleep 60 >open 3>&- &
	PIDS+=($!)
	run_with open true
	[ "$status" = 0 ] && [ ! -s err ]
	sh -c 'cat first; exec sleep 60' >open 3>&- &
	PIDS+=($!)
	run_with open sh -c 'read x'
	[ "$status" = 0 ]
	grep -q 'it ended with status 0 before it said anything' err
	# Who answered all, or was told that it is over, may go.
	run_with first true
	[ "$status" = 0 ] && [ ! -s err ]
	run_with first sh -c 'read x; echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}"; exit 4'
	[ "$status" = 4 ] && [ ! -s err ]
	[ ! -s found.json ]
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

@test "a program that does not end is left: what passed is counted all the same" {
	mkfifo keep says
	exec 4<>keep 5<>says
	# shellcheck disable=SC2016 # that shell's own
	background left sh -c 'exec mcpctl proxy -v -- python3 "$0/undead_server.py" keep <says 4>&- 5>&-' "$BATS_TEST_DIRNAME"
	wait_for left.err 'traced$'
	grep -q '^traced' left.err || skip "no process may be traced here"
	echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' >&5
	wait_for left.err '^answered'
	kill "$LAST"
	status=0
	wait "$LAST" || status=$?
	exec 4>&- 5>&-
	[ "$status" = 4 ]
	grep '^passed   1 connection: 1 from the server' left.err
	grep 'did not end within 2 s' left.err
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

@test "what a program said before its end goes on behind it, late or read slowly" {
	local size
	printf '%s\n' "$SAYS" '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"}}' |
		mcpctl proxy --fault late-reply=1200ms -- sh -c 'cat | tail -n 1 | sed s/method/result/' >through
	grep -q '"id":3,"result"' through
	printf '%s\n' "$SAYS" '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"}}' |
		mcpctl proxy --fault late-reply=1ms,two-replies -- sh -c 'cat | tail -n 1 | sed s/method/result/' >through
	[ "$(grep -c '"id":3,"result"' through)" = 2 ]
	# What fits into both pipes and what the proxy holds: the program ends before it is read.
	for size in 1150000 1170000 1190000 1210000 1230000; do
		[ "$(mcpctl proxy -- sh -c "yes 123456789 | head -c $size" </dev/null | { sleep 1; wc -c; })" = $size ]
	done
}

@test "--set changes what a program says" {
	child
	mcpctl proxy --set '/result/serverInfo/name="other"' -- "${CHILD[@]}" <<<"$SAYS" >through
	[ "$(head -n 1 through | jq -r .result.serverInfo.name)" = other ]
	[ "$(tail -n 1 through | jq -r '.result.tools[0].name')" = echo ]
}

@test "HTTP: calls, a session and its end" {
	server_of_tools
	between "$UP/json" --trace p.cap
	mcp --era legacy "$URL" call echo text=hello
	ends 0
	says 'echo: hello'
	# The server was asked by its own name.
	jq -r '.headers.host' log | sort -u >hosts
	[ "$(cat hosts)" = "${UP#http://}" ]
	kill "$PROXY"
	until_true over "$PROXY"
	grep -E '> +initialize' proxy.out
	[ "$(jq -r 'select(.kind == "text") | .c' p.cap | sort -u | wc -l)" = 1 ]
	# A Close is WebSocket's.
	grep -q ' ended' proxy.out
	absent 'ended by Close' proxy.out
}

@test "HTTP: an event stream, also in single bytes, and one that is cut" {
	server_of_tools
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
	server_of_tools
	between "$UP/json"
	[ "$(curl -s -o /dev/null -w '%{http_code}' -H 'Origin: http://evil.example' -d '{}' "$URL")" = 403 ]
	[ "$(curl -s -o /dev/null -w '%{http_code}' -H 'Host: evil.example' -d '{}' "$URL")" = 421 ]
	[ ! -s log ]
	kill "$PROXY"
	until_true over "$PROXY"
	between "http://127.0.0.1:$(free_port)/mcp?token=hush"
	[ "$(curl -s -o body -w '%{http_code}' -d '{}' "$URL")" = 502 ]
	grep 'cannot be reached' body
	absent 'hush' body
	mcp proxy --listen 127.0.0.1:0 --listen 127.0.0.1:0 http://127.0.0.1:1/mcp
	ends 2
}

# ask URL ID TOOL: calls it; the answer in "body", its HTTP status on stdout.
ask() {
	curl -s -m 30 -o body -w '%{http_code}' -H 'Content-Type: application/json' \
		-d '{"jsonrpc":"2.0","id":'"$2"',"method":"tools/call","params":{"name":"'"$3"'","arguments":{"text":"hello"}}}' "$1"
}

# data: the message of an event stream or of an answer in JSON in "body".
data() {
	grep -oE '\{"jsonrpc.*' body
}

@test "HTTP: a server that gives no answer" {
	local mode code status
	while read -r mode code status; do
		background bad /usr/bin/python3 "$BATS_TEST_DIRNAME/bad_upstream.py" "$mode"
		between "http://localhost:$(wait_for bad.out '^port ' | tr -dc 0-9)/mcp" --fail-on warning
		[ "$(ask "$URL" 7 echo)" = "$status" ]
		wait_for proxy.out "! $code "
		kill -INT "$PROXY"
		finish "$PROXY" 7
	done <<-'END'
		close N117 000
		reset N117 000
		garbage N112 000
		302 P715 302
		401 P707 401
		403 P713 403
		500 P713 500
		page P708 200
	END
	between "http://127.0.0.1:$(free_port)/mcp" --fail-on error
	[ "$(ask "$URL" 7 echo)" = 502 ]
	wait_for proxy.out '! N102 '
	kill -INT "$PROXY"
	finish "$PROXY" 7
	# What a host asks to find out is no failure.
	server_of_tools
	between "$UP/json" --fail-on note
	curl -s -m 30 -o body "$URL"
	curl -s -m 30 -o body -X DELETE "$URL"
	kill -INT "$PROXY"
	finish "$PROXY" 0
}

@test "stdio: a program that is not there, and one that ends at once" {
	mcp proxy -- ./nowhere
	ends 3
	grep nowhere stderr
	mcp proxy -- sh -c 'exit 5'
	ends 5
}

@test "HTTP: --set changes answers, events and requests" {
	server_of_tools
	between "$UP/json" --set '/result/content/0/text="set"' --set '/params/arguments/text="bent"' --trace p.cap
	[ "$(ask "$URL" 7 echo)" = 200 ]
	[ "$(jq -c '[.id, .result.content[0].text]' body)" = '[7,"set"]' ]
	[ "$(jq -r '.body | fromjson | .params.arguments.text' log)" = bent ]
	mcp "$URL" call echo text=hello
	ends 0
	says set
	[ "$(jq -r 'select(.c == 1 and .kind == "text" and .passed) | .passed | fromjson | .id' p.cap | tr '\n' ' ')" = '7 7 ' ]
	mcp "${URL%/json}/sse" call echo text=hello
	ends 0
	says set
	mcp "${URL%/json}/bytes" call echo text=hello
	ends 0
	says set
	absent hello stdout
	# Larger than what a client sends without asking first.
	head -c 900000 /dev/zero | tr '\0' x >large
	printf '{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo","arguments":{"text":"%s"}}}' "$(cat large)" >call
	curl -s -m 30 -o body -H 'Expect: 100-continue' -H 'Content-Type: application/json' -d @call "$URL"
	[ "$(jq -r '.body | fromjson | select(.id == 8) | .params.arguments.text' log)" = bent ]
}

@test "HTTP: an answer that comes before its request is whole holds no session, and ends no connection" {
	background up /usr/bin/python3 "$BATS_TEST_DIRNAME/early_upstream.py"
	UP=127.0.0.1:$(wait_for up.out '^port ' | tr -dc 0-9)
	between "http://$UP/mcp"
	# More than there are places of sessions.
	[ "$(/usr/bin/python3 "$BATS_TEST_DIRNAME/early_client.py" "$AT" /mcp 260 | jq .id)" = 7 ]
	wait_for proxy.out '> +ping'
}

@test "OTA: an answer that comes before its question is whole, and one that asks for it" {
	background up /usr/bin/python3 "$BATS_TEST_DIRNAME/early_upstream.py"
	UP=127.0.0.1:$(wait_for up.out '^port ' | tr -dc 0-9)
	between "http://$UP/xiaozhi/ota/"
	[ "$(/usr/bin/python3 "$BATS_TEST_DIRNAME/early_client.py" "$AT" /xiaozhi/ota/ 3 | jq .id)" = 7 ]
	# Which the client gives a second by itself.
	curl -s -m 30 --expect100-timeout 20 -D heads -o body -H 'Expect: 100-continue' \
		-H 'Device-Id: 02:00:00:00:00:01' -d '{"id":8}' "http://127.0.0.1:$AT/xiaozhi/ota/"
	[ "$(grep -o ' [12]00 ' heads | xargs)" = '100 200' ]
	[ "$(jq .id body)" = 8 ]
}

@test "OTA: an answer that comes before its question is whole, and ends it, is passed once" {
	background up /usr/bin/python3 -u -c 'import socketserver
class Meet(socketserver.StreamRequestHandler):
    def handle(self):
        while self.rfile.readline().strip():
            pass
        body = b"{\"websocket\":{\"url\":\"ws://127.0.0.1:9/x\",\"token\":\"t\"}}"
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
s = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Meet)
print("port", s.server_address[1])
s.serve_forever()'
	between "http://127.0.0.1:$(wait_for up.out '^port ' | tr -dc 0-9)/xiaozhi/ota/"
	# What it asks is longer than what waits for its end.
	/usr/bin/python3 - "${AT##*:}" >answers <<-'END'
		import socket, sys
		s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
		s.sendall(b"POST /xiaozhi/ota/ HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nContent-Length: 100000\r\n\r\n" % sys.argv[1].encode() + b" " * 80000)
		while data := s.recv(65536):
		    sys.stdout.buffer.write(data)
	END
	[ "$(grep -o 'HTTP/1.1 200' answers | grep -c .)" = 1 ]
	grep -q "ws://127.0.0.1:${AT##*:}/" answers
	absent '127.0.0.1:9/x' answers
}

@test "HTTP: faults in answers and in events" {
	local at
	server_of_tools
	between "$UP/json" --fault wrong-id:echo
	for at in json sse; do
		[ "$(ask "${URL%/json}/$at" 7 echo)" = 200 ]
		[ "$(data | jq .id)" = 10006 ] || data | jq -e '.id != 7'
		[ "$(ask "${URL%/json}/$at" 7 read)" = 200 ]
		[ "$(data | tail -n 1 | jq .id)" = 7 ]
	done
	kill "$PROXY"
	until_true over "$PROXY"
	wait_for proxy.out 'fault wrong-id'
	between "$UP/json" --fault not-json
	ask "$URL" 7 echo
	[ "$(cat body)" = 'I (48213) MCP: tool done' ]
	ask "${URL%/json}/sse" 7 echo
	grep '^data: I (48213) MCP: tool done$' body
	kill "$PROXY"
	until_true over "$PROXY"
	between "$UP/json" --fault cut-frame
	run curl -s -m 30 -o body -d '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo"}}' "$URL"
	[ "$status" = 56 ]
	[ -s body ]
	run jq . body
	[ "$status" != 0 ]
	kill "$PROXY"
	until_true over "$PROXY"
	between "$UP/json" --fault two-replies
	ask "${URL%/json}/sse" 7 echo
	[ "$(data | grep -c '"id": *7')" = 2 ]
}

@test "HTTP: an answer that is late, and one that never goes on" {
	server_of_tools
	between "$UP/json" --fault late-reply=700ms:echo,no-reply:read
	SECONDS=0
	[ "$(ask "$URL" 7 echo)" = 200 ]
	[ "$(jq -r '.result.content[0].text' body)" = 'echo: hello' ]
	wait_for proxy.out 'fault late-reply'
	mcp --timeout 1s "$URL" call read
	[ "$status" != 0 ]
	wait_for proxy.out 'fault no-reply'
	# The next one is not mistaken for it.
	[ "$(ask "$URL" 9 echo)" = 200 ]
	[ "$(jq .id body)" = 9 ]
	kill "$PROXY"
	until_true over "$PROXY"
	wait_for proxy.out 'dropped: 1'
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

@test "HTTP: a certificate that --insecure alone lets pass is told as any upstream's" {
	tls_end
	between mcp "https://localhost:$TLS/mcp" --insecure
	background curl curl -s -m 60 -o body -d "$(head -n 1 <<<"$SAYS")" "$URL"
	wait_for proxy.out 'TLSv1.3 to localhost, certificate of test-ca'
	wait_for proxy.out 'N204'
	wait_for proxy.err "localhost:$TLS: .*; --insecure lets that pass"
	kill "$PROXY"
	finish "$PROXY" 0
}
