#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# http:// and https://: Streamable HTTP and the older HTTP+SSE, with a server
# that misbehaves as its path says (http_server.py).

load helper

# In place of the shell that runs it, so that it can be stopped.
python() { exec /usr/bin/python3 "$@"; }

server() { # [CERTIFICATE KEY]: sets URL
	background server python "$BATS_TEST_DIRNAME/http_server.py" requests "$@"
	URL=http://127.0.0.1:$(wait_for server.out '^port' | cut -d' ' -f2)
}

# asked FILTER: jq over the requests that came.
asked() { jq -cr "$1" requests; }

@test "a JSON answer: session, revision, DELETE, one connection" {
	# The question of which era it is (eras.bats) would be one more.
	export MCPCTL_ERA=legacy
	server
	mcp "$URL/json" call echo text=hello
	ends 0
	[ "$out" = "echo: hello" ]
	[ -z "$err" ]
	[ "$(asked '[.method, (.body | fromjson? | .method)] | join(" ")' | grep -v GET | tr '\n' ',')" = \
		"POST initialize,POST notifications/initialized,POST tools/list,POST tools/call,DELETE," ]
	[ "$(asked 'select(.method == "DELETE") | .headers["mcp-session-id"]')" = s-1 ]
	[ "$(asked 'select(.body | test("tools/call")) | .headers["mcp-protocol-version"]')" = 2025-06-18 ]
	asked 'select(.method == "POST") | .headers.accept' | sort -u >accept
	[ "$(wc -l <accept)" = 1 ]
	grep application/json accept | grep text/event-stream
	[ "$(asked 'select(.method == "POST") | .connection' | sort -u | wc -l)" = 1 ]
	mcp "$URL/json" info --jq .device.address
	ends 0
	[ "$out" = "${URL#http://}" ]
}

@test "an answer as an event stream, with a notification before it" {
	server
	mcp "$URL/sse" call echo text=hello
	ends 0
	says 'echo: hello'
	mcp -o json "$URL/sse" call echo text=hello
	ends 0
	[ "$(jq -r '.content[0].text' <<<"$out")" = 'echo: hello' ]
}

@test "a stream cut into single bytes" {
	server
	mcp "$URL/bytes" call echo text=hello
	ends 0
	says 'echo: hello'
}

@test "half an event, and an end without the answer" {
	server
	mcp "$URL/half" call echo text=hello
	ends 3
	hints 'cut in the middle of an event'
	mcp "$URL/no-answer" call echo text=hello
	ends 3
	hints 'the reply'
}

@test "a call whose connection breaks is sent once, and says that it may have worked" {
	server
	mcp "$URL/hang-up" call echo text=hello
	ends 3
	hints 'closed the connection without an answer'
	hints 'whether the request was carried out is not known'
	[ "$(asked 'select(.body | test("tools/call")) | .path' | wc -l)" = 1 ]
}

@test "a call amid which the server ends may have worked, and is not called unsent" {
	server
	mcp "$URL/exits" call echo text=hello
	ends 3
	hints 'closed the connection without an answer'
	hints 'whether the request was carried out is not known'
}

@test "a stream that is closed before the answer is taken up again after 'retry'" {
	server
	mcp "$URL/polled" call echo text=later
	ends 0
	says 'echo: later'
	asked 'select(.headers["last-event-id"] == "7") | .time' >again
	[ "$(wc -l <again)" = 1 ]
	asked 'select(.body | test("tools/call")) | .time' >first
	# It must wait those 400 ms, and not for long.
	paste first again | awk '{ d = $2 - $1; exit !(d >= 0.395 && d < 20) }'
}

@test "a lost session: initialize again, then the call" {
	server
	mcp "$URL/lost" call echo text=hello
	ends 0
	says 'echo: hello'
	hints 'forgot the session: it was started anew'
	[ "$(asked 'select(.body | test("\"initialize\"")) | .path' | wc -l)" = 2 ]
	[ "$(asked 'select(.body | test("tools/call")) | .path' | wc -l)" = 2 ]
}

@test "the older HTTP+SSE: by fallback, and forced" {
	# The question of which era it is (eras.bats) would be one more.
	export MCPCTL_ERA=legacy
	server
	mcp "$URL/old" call echo text=old
	ends 0
	says 'echo: old'
	mcp "sse+$URL/old" call echo text=old
	ends 0
	says 'echo: old'
	[ "$(asked 'select(.method == "POST" and .path == "/old") | .path' | wc -l)" = 1 ]
	mcp -v "$URL/old" call echo text=old
	hints SSE
}

@test "an endpoint on another host gets nothing" {
	server
	mcp "sse+$URL/foreign" info
	ends 5
	hints example.invalid
	mcp "$URL/foreign" info
	ends 3
	hints example.invalid
}

@test "statuses: 401, 403, 404, 429, 500, 503" {
	server
	mcp "$URL/s401" info
	ends 6
	hints 401
	hints --token-file
	mcp "$URL/s403" info
	ends 6
	hints 403
	mcp "$URL/s404" info
	ends 3
	hints 404
	mcp --retry 1 "$URL/call429" call echo
	ends 3
	hints 429
	mcp "$URL/call500" call echo
	ends 3
	hints 500
	mcp --retry 1 "$URL/call503" call echo
	ends 3
	hints 503
}

@test "a bearer token from a file and from the environment, never shown" {
	server
	printf 'sesame\n' >token
	mcp -v --token-file token "$URL/token" call echo text=in
	ends 0
	says 'echo: in'
	absent sesame stdout stderr
	MCPCTL_TOKEN=sesame mcp --trace trace "$URL/token" info
	ends 0
	absent sesame stdout stderr trace
	MCPCTL_TOKEN=wrong mcp "$URL/token" info
	ends 6
	hints invalid_token
	hints 'realm="crooked"'
	hints 'does not take this token'
	absent 'wrong' stderr
	mcp "$URL/token" info
	ends 6
	hints 'refused: HTTP 401'
	hints 'give credentials'
	# To give some is no advice to who gave some; and others are refused, too.
	MCPCTL_TOKEN=wrong mcp "$URL/s401" info
	ends 6
	hints 'credentials were sent: check them'
	mcp "$URL/s403" info
	ends 6
	hints 'it may also refuse this address or name'
}

@test "a web page, a redirect, broken JSON, an answer that is too large" {
	server
	mcp "$URL/page" info
	ends 5
	hints 'web page'
	mcp "$URL/redirect" info
	ends 3
	hints example.invalid
	mcp "$URL/not-json" info
	ends 5
	hints JSON
	mcp "$URL/big" call echo
	ends 5
	hints 16
}

@test "silence: time over, also in a stream; the server is told" {
	server
	mcp --timeout 2s "$URL/hang" call echo text=x
	ends 4
	hints 'tools/call echo'
	mcp --timeout 2s "$URL/hang-stream" call echo text=x
	ends 4
	[ "$(asked 'select(.body | test("notifications/cancelled")) | .path' | wc -l)" = 2 ]
}

@test "Ctrl-C cancels: the server is told, status 130" {
	server
	background call mcpctl "$URL/hang" call echo text=x
	wait_for requests tools/call
	kill -INT "$LAST"
	finish "$LAST" 130
	[ "$(asked 'select(.body | test("notifications/cancelled")) | .path' | wc -l)" = 1 ]
}

@test "progress: JSON lines on stderr, the clock starts anew" {
	server
	mcp --timeout 2500ms "$URL/slow" call echo text=done
	ends 0
	[ "$out" = 'echo: done' ]
	[ "$(jq -r .message stderr 2>/dev/null | tr '\n' ',' || :)" = 'step 1,step 2,step 3,' ] ||
		[ "$(grep -c 'step [123]' stderr)" = 3 ]
	mcp -q "$URL/slow" call echo text=done
	[ -z "$err" ]
}

@test "revisions: all four, and one that is not known" {
	server
	for r in 2024-11-05 2025-03-26 2025-06-18 2025-11-25; do
		mcp "$URL/revision/$r" call echo text=x
		ends 0
	done
	mcp "$URL/revision/1999-01-01" info
	ends 5
	hints 1999-01-01
	hints 2025-11-25
}

@test "a batch, as 2025-03-26 has it, and as no other revision does" {
	server
	mcp "$URL/batch" call echo text=b
	ends 0
	says 'echo: b'
	absent P709 stderr
	mcp "$URL/batch/2025-06-18" call echo text=b
	ends 5
	hints 'P709 warning  a batch in a revision without batches: it is not read'
}

@test "the server's own stream: a notification for tail" {
	server
	mcp "$URL/stream" tail --count 1 --for 60s
	ends 0
	says notifications/tools/list_changed
}

@test "what a server logs inside a call to its own stream is all there" {
	server
	for _ in 1 2 3; do
		mcp -o json "$URL/logs" call echo text=x
		ends 0
		[ "$(cat stdout stderr | grep -o 'line [0-9]*\.' | sort -u | wc -l)" = 10 ]
		hints '990 more messages'
	done
}

@test "a stream by which nothing can come is not opened, unless somebody waits" {
	server
	mcp "$URL/mute" call echo text=x
	ends 0
	says 'echo: x'
	[ "$(asked 'select(.method == "GET") | .method')" = "" ]
	mcp "$URL/mute" tail --for 200ms
	ends 0
	[ "$(asked 'select(.method == "GET") | .method')" = GET ]
}

@test "who wants nothing but answers opens no stream: it may take the last connection" {
	server
	mcp "$URL/logs" ping
	ends 0
	says alive
	mcp "$URL/logs" info
	ends 0
	mcp --elicit decline "$URL/logs" describe echo
	ends 0
	[ "$(asked 'select(.method == "GET") | .method')" = "" ]
	# In a script another command may want it.
	mcp "$URL/logs" run -e ping -e 'call echo text=x'
	ends 0
	[ "$(asked 'select(.method == "GET") | .method')" = GET ]
}

@test "no stream of the server's own: told where somebody waits for it" {
	server
	mcp "$URL/json" tail --for 300ms
	ends 0
	hints 'there is no stream for what the server says by itself'
	hints 'HTTP 405'
	mcp "$URL/json" subscribe a:b --for 300ms
	ends 0
	hints 'HTTP 405'
	mcp "$URL/json" call echo text=x
	ends 0
	[ -z "$err" ]
	printf 'ping\ntail --for 100ms\n' >script
	mcp "$URL/json" run script
	ends 0
	[ "$(grep -c 'HTTP 405' stderr)" = 1 ]
}

@test "the server's own stream: a forgotten session and a dead server end tail" {
	server
	mcp "$URL/forgets" tail --for 60s
	ends 3
	says notifications/tools/list_changed
	hints 'does not know the session any more'
	mcp "$URL/dies" subscribe a:b --for 60s
	ends 3
	hints refused
}

@test "an answer to initialize that is cut is taken up again, with its session" {
	server
	mcp "$URL/cut-initialize" call echo text=x
	ends 0
	says 'echo: x'
}

@test "an answer without end to a notification stops nothing" {
	server
	mcp --timeout 30s "$URL/endless" call echo text=x
	ends 0
	says 'echo: x'
	[ "$(asked 'select(.method == "DELETE") | .path' | wc -l)" = 1 ]
	asked .time | awk 'NR == 1 { first = $1 } END { exit !($1 - first < 20) }'
}

@test "a reply with a byte order mark, and an id with a point" {
	server
	mcp "$URL/loose" call echo text=x
	ends 0
	says 'echo: x'
}

@test "503 with the error of an LLM service: its code, its time, and once more" {
	server
	mcp --retry 1 "$URL/unavailable503" call echo text=x
	ends 1
	hints -32001
	hints retry_after
	mcp --retry-calls "$URL/unavailable503/again" call echo text=x
	ends 0
	says 'echo: x'
	asked 'select(.path | endswith("again")) | select(.body | test("tools/call")) | .time' >moments
	awk 'NR == 1 { first = $1 } END { exit !(NR == 2 && $1 - first >= 0.99) }' moments
}

@test "refused, unknown host: which, and what to do" {
	mcp --retry 1 "http://127.0.0.1:$(free_port)/" info
	ends 3
	hints refused
	mcp --retry 1 http://no-such-host.invalid/ info
	ends 3
	hints no-such-host.invalid
}

@test "--resolve, --header, --proxy none" {
	server
	port=${URL##*:}
	mcp --resolve "some.test:$port:127.0.0.1" --header 'X-Who: me' "http://some.test:$port/json" call echo
	ends 0
	[ "$(asked '.headers["x-who"]' | sort -u)" = me ]
	[ "$(asked .headers.host | sort -u)" = "some.test:$port" ]
	http_proxy=http://127.0.0.1:1 mcp --retry 1 "http://some.test:$port/json" info
	ends 3
	http_proxy=http://127.0.0.1:1 mcp --proxy none "$URL/json" info
	ends 0
	# The proxy is on the same host, and the server is there.
	mcp --proxy http://127.0.0.1:1 --retry 1 "$URL/json" info
	ends 3
	hints 'cannot connect to the proxy 127.0.0.1 port 1: connection refused'
	mcp --proxy "$URL" --retry 1 "http://127.0.0.2:9/json" info
	[ "$(asked 'select(.path | startswith("http://127.0.0.2")) | .method' | head -n 1)" = POST ]
}

@test "--resolve and --proxy that are none: usage, before anything is sent" {
	mcp --resolve some.test:80:there http://some.test/ info
	ends 2
	hints HOST:PORT:ADDRESS
	mcp --proxy ftp://user:geheim@there http://some.test/ info
	ends 2
	hints --proxy
	absent geheim stderr
}

@test "https: a private authority by --cacert, refused without, --insecure says so" {
	certificates
	server server.pem server.key
	port=${URL##*:}
	mcp --cacert ca.pem "https://localhost:$port/json" call echo text=tls
	ends 0
	says 'echo: tls'
	mcp --retry 1 "https://localhost:$port/json" info
	ends 3
	hints --cacert
	mcp --retry 1 --cacert ca.pem "https://127.0.0.1:$port/json" info
	ends 3
	mcp --insecure "https://127.0.0.1:$port/json" info
	ends 0
	hints 'not verified'
	mcp --retry 1 "https://localhost:$(wait_for server.out '^port' | cut -d' ' -f2)/sse" info
	ends 3
}

@test "many calls of a script go over one connection" {
	server
	for i in $(seq 50); do echo "call echo text=$i"; done >script
	mcp "$URL/json" run script
	ends 0
	[ "$(wc -l <stdout)" = 50 ]
	[ "$(asked 'select(.method == "POST") | .connection' | sort -u | wc -l)" = 1 ]
}
