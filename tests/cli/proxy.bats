#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# proxy: between a board, which sim plays, and a backend, which serve is.

load helper

# proxy ARG…: one on an ephemeral port, before UPSTREAM; sets PROXY (its process),
# AT ("127.0.0.1:PORT") and HERE, the address to set. Its lines are in proxy.out.
proxy() {
	local line
	background proxy mcpctl proxy --listen 127.0.0.1:0 "$@"
	PROXY=$LAST
	line=$(wait_for proxy.err '(restart it:|listening at) ') || return 1
	HERE=$(grep -oE '(http|ws)://127.0.0.1:[0-9]+/[^ ]*' <<<"$line")
	AT=$(grep -oE '127.0.0.1:[0-9]+' <<<"$HERE")
}

# board ARG…: dials in by that proxy, whatever kind it is; sets DEVICE.
board() {
	local how=--connect
	[[ $HERE == ws* ]] || how=--ota
	background board mcpctl sim $how "$HERE" "$@"
	DEVICE=$LAST
}

# leave [STATUS]: Ctrl-C ends the proxy.
leave() {
	kill -INT "$PROXY"
	finish "$PROXY" "${1:-0}"
}

ask() {
	curl -sS --max-time 30 -H 'Device-Id: aa:bb:cc:dd:ee:ff' -H 'Content-Type: application/json' \
		-d '{"application":{"version":"2.4.2"},"board":{"name":"kevin","type":"kevin"}}' "$@"
}

@test "a board that was given our OTA address talks to its backend through us" {
	serve
	proxy "$OTA" --trace night.cap
	board
	event ready
	mcp call self.audio_speaker.set_volume volume=31
	ends 0
	says true
	kill -INT "$DEVICE"
	wait_for proxy.out 'ended by'
	leave
	wait_for proxy.out '> hello v1 websocket'
	wait_for proxy.out '< initialize #'
	wait_for proxy.out 'websocket.url: ws://127.0.0.1:[0-9]+/xiaozhi/v1/ -> ws://'"$AT/"
	wait_for proxy.out '< call #.* self.audio_speaker.set_volume'
	wait_for proxy.out '^passed +2 connections: '
	grep -qE '^passed   2 connections: [0-9]+ from boards \([0-9]{4} B\), [0-9]+ from the backend \([0-9]{3,4} B\); changed: [0-9]+$' proxy.out
	wait_for proxy.out '^added +[0-9]+ [nu]?m?s \(p50\)'
	wait_for proxy.out '^capture +night.cap \(mcpctl check night.cap\)$'
	[ "$(stat -c %a night.cap)" = 600 ]
	mcp capture show night.cap
	ends 0
	says initialize
	absent error proxy.err
}

@test "a WebSocket upstream: a board that asks OTA here is sent here" {
	serve
	proxy "ws://127.0.0.1:$PORT/xiaozhi/v1/"
	ask "http://$AT/xiaozhi/ota/" >answer
	grep -qF "{\"websocket\":{\"url\":\"ws://$AT/xiaozhi/v1/\"" answer
	board
	event ready
	mcp tools
	ends 0
	says self.audio_speaker.set_volume
	[ "$(curl -s -o /dev/null -w '%{http_code}' "http://$AT/other")" = 404 ]
	wait_for proxy.err "asked OTA; it was sent to ws://$AT/xiaozhi/v1/"
	wait_for proxy.err 'was refused: there is nothing at this path'
	[[ $(curl -s "http://$AT/other") == *'there is nothing at this path'* ]]
	leave
}

@test "a token in the real address is not printed, and what belongs in its place is said" {
	proxy 'http://127.0.0.1:1/xiaozhi/ota/?token=geheim'
	wait_for proxy.err 'in place of \*\*\* belongs what stands there in the address that you gave'
	leave
	absent geheim proxy.err proxy.out
	proxy 'http://127.0.0.1:1/xiaozhi/ota/'
	leave
	absent 'in place' proxy.err
}

@test "only the addresses are changed in an answer to OTA, and newer firmware is withheld" {
	ota '{ "websocket" : {"url":"wss://h.example/x/?a=1", "token":"t\u0041"},"n":1e2, "firmware":{"version":"9.0.0","url":"http://h/f"} }'
	proxy "$OTA"
	ask "$HERE" >answer
	[ "$(cat answer)" = '{ "websocket" : {"url":"ws://'"$AT"'/x/?a=1", "token":"t\u0041"},"n":1e2, "firmware":{} }' ]
	wait_for proxy.out 'firmware: 9.0.0 -> withheld'
	wait_for proxy.out 'firmware: 9.0.0 -> withheld \(--firmware lets it through\)'
	leave
	# Where a board goes is told by OTA, and nothing else is here.
	proxy "$OTA" --rewrite udp,ws
	ask "$HERE" >answer
	grep -qF '"url":"ws://'"$AT"'/x/?a=1"' answer
	leave
	proxy "$OTA" --rewrite udp
	ask "$HERE" >answer
	grep -qF '"url":"wss://h.example/x/?a=1"' answer
	leave
	proxy "$OTA" --firmware pass --rewrite none
	ask "$HERE" | cmp - <(printf %s '{ "websocket" : {"url":"wss://h.example/x/?a=1", "token":"t\u0041"},"n":1e2, "firmware":{"version":"9.0.0","url":"http://h/f"} }')
	leave
}

@test "firmware that is not newer, and an answer that is no JSON, pass as they are" {
	ota '{"firmware":{"version":"2.4.2","url":"http://h/f"}}'
	proxy "$OTA"
	[ "$(ask "$HERE")" = '{"firmware":{"version":"2.4.2","url":"http://h/f"}}' ]
	leave
	ota '{"websocket":{"url":"ws://h/"'
	proxy "$OTA"
	[ "$(ask "$HERE")" = '{"websocket":{"url":"ws://h/"' ]
	wait_for proxy.err 'stays as it is, and is not seen here: it is no JSON'
	leave
}

@test "the real answer is judged, and --fail-on tells by the status" {
	ota '{"websocket":{"token":"s3cretTok-s3cretTok-s3cretTok","url":"ws://h:x/"}}'
	proxy "$OTA" --fail-on error --findings found --trace trace
	ask "$HERE"
	wait_for proxy.out 'O309'
	leave 7
	grep -q '"code":"O309"' found
	# What is shown around it begins amid the secret.
	absent s3cretTok found trace
	wait_for proxy.err 'findings of severity error'
}

@test "a picture passes: its address in initialize is ours" {
	serve --save-images pictures
	proxy "$OTA"
	board
	event ready
	mcp call self.camera.take_photo question=what
	ends 0
	wait_for proxy.out 'pictures come through here: vision.url .* -> http://'"$AT"'/mcpctl-proxy/vision/[0-9a-f]{32}'
	wait_for proxy.out 'POST /mcpctl-proxy/vision/'
	[ -n "$(ls pictures)" ]
	leave
}

@test "faults, in what passes" {
	serve
	proxy "ws://127.0.0.1:$PORT/" --fault no-reply:self.get_device_status,wrong-id:self.audio_speaker.set_volume
	board
	event ready
	mcp --timeout 1s call self.get_device_status
	ends 4
	mcp --timeout 1s call self.audio_speaker.set_volume volume=3
	ends 4
	wait_for proxy.out '\-\-fault no-reply'
	wait_for proxy.out '\-\-fault wrong-id'
	leave
	wait_for proxy.out 'dropped: 1'
}

@test "cut-frame ends both sides amid a reply" {
	serve
	proxy "ws://127.0.0.1:$PORT/" --fault cut-frame
	board
	event ready
	mcp call self.get_device_status
	ends 3
	wait_for proxy.out 'ended'
	leave
}

@test "a reply that is late comes late, and so does all behind it" {
	serve
	proxy "ws://127.0.0.1:$PORT/" --fault late-reply=1500ms
	board
	event ready
	mcp --timeout 1s call self.get_device_status
	ends 4
	mcp --timeout 30s call self.get_device_status
	ends 0
	leave
	# And both of two.
	proxy "ws://127.0.0.1:$PORT/" --fault late-reply=30s,two-replies
	board
	event ready
	mcp --timeout 500ms call self.get_device_status
	ends 4
	leave
}

@test "--set changes a member of what passes" {
	serve
	proxy "ws://127.0.0.1:$PORT/" --set /payload/result/isError=true
	board
	event ready
	mcp call self.get_device_status
	ends 1
	leave
	# The address for pictures, too.
	grep -qE '^passed   1 connection: .*; changed: 2$' proxy.out
	grep -q '^found    nothing$' proxy.out
}

@test "what does not fit is refused with what would" {
	mcp proxy ws://127.0.0.1:1/ --fault huge
	ends 2
	hints late-reply
	mcp proxy ws://127.0.0.1:1/ --set a=1
	ends 2
	hints "begins with '/'"
	mcp proxy ws://127.0.0.1:1/ --set /a=x
	ends 2
	hints '"x"'
	mcp proxy ws://127.0.0.1:1/ --rewrite all
	ends 2
	mcp proxy
	ends 2
	hints 'OTA address'
	mcp proxy ftp://h/
	ends 2
	hints wss://
	mcp proxy mcp ws://h/
	ends 2
	mcp proxy ws://h:x/
	ends 2
	mcp proxy ws://127.0.0.1:1/ --listen x:y
	ends 2
	mcp proxy ws://127.0.0.1:1/ --trace /nowhere/x
	ends 8
}

@test "an upstream that is not there: the stage, and the board sees the same" {
	proxy "http://127.0.0.1:1/xiaozhi/ota/"
	! ask "$HERE" || false
	wait_for proxy.err '127.0.0.1:1 was not reached: connection refused'
	wait_for proxy.out 'N102'
	leave
	proxy ws://127.0.0.1:1/
	mcp sim --connect "$HERE" --for 5s
	[ "$status" != 0 ]
	wait_for proxy.out 'N102'
	leave
	grep -q '^before ws://127.0.0.1:1/$' proxy.err
	grep -qx 'passed   1 connection: 0 from boards (0 B), 0 from the backend (0 B); refused: 1' proxy.out
	grep -qx 'found    N102 error    the connection is refused' proxy.out
	absent '^added' proxy.out
}

@test "TLS upstream is verified as a board does it; --insecure goes on and says so" {
	tls_end
	proxy "https://localhost:$TLS/ota/"
	! curl -sS --max-time 30 "$HERE" || false
	wait_for proxy.out 'N204'
	leave
	proxy "https://localhost:$TLS/ota/" --insecure
	curl -sS --max-time 30 "$HERE" >/dev/null
	wait_for proxy.out 'N204'
	wait_for proxy.err 'a board would go no further'
	leave
	proxy "https://localhost:$TLS/ota/" --cacert ca.pem
	curl -sS --max-time 30 "$HERE" >/dev/null
	wait_for proxy.out 'TLSv1.3 to localhost, certificate of test-ca'
	absent N204 proxy.out
	leave
}

# bad MODE: an upstream that does that to whoever comes; sets BAD ("localhost:PORT").
bad() {
	background bad /usr/bin/python3 "$BATS_TEST_DIRNAME/bad_upstream.py" "$@"
	BADLY=$LAST
	BAD=localhost:$(wait_for bad.out '^port ' | tr -dc 0-9)
}

# finds CODE: that, in what the proxy says; and its end is no success.
finds() {
	wait_for proxy.out "! $1 "
	leave 7
	kill "$BADLY"
	until_true over "$BADLY"
}

@test "a backend that gives no WebSocket: the stage, and what a board makes of it" {
	local mode code
	while read -r mode code; do
		bad "$mode"
		proxy "ws://$BAD/x/" --fail-on error
		mcp sim --connect "$HERE" --for 5s
		[ "$status" != 0 ]
		wait_for proxy.out 'a board takes that for a network error|where a board goes no further'
		finds "$code"
	done <<-'END'
		close N113
		reset N113
		302 N115
		301ws N115
		401 P707
		403 N116
		404 N116
		500 N116
		page N116
		400tls N121
		garbage N112
		http10 N116
	END
	bad close
	proxy "wss://$BAD/x/" --fail-on error
	mcp sim --connect "$HERE" --for 5s
	finds N113
	bad garbage
	proxy "wss://$BAD/x/" --fail-on error
	mcp sim --connect "$HERE" --for 5s
	finds N121
}

@test "a backend that never answers: who leaves, and when" {
	bad never
	proxy "ws://$BAD/x/" --fail-on error
	background early mcpctl sim --connect "$HERE" --for 700ms
	wait_for proxy.out "it left after .*: until then 'localhost' had not begun to answer"
	# A board waits for 10 s.
	mcp sim --connect "$HERE" --for 20s
	finds N111
}

@test "an OTA server that gives no answer" {
	local mode code
	while read -r mode code; do
		bad "$mode"
		proxy "http://$BAD/ota/" --fail-on error
		run ask "$HERE"
		[ "$mode" = 404 ] || wait_for proxy.out "; the board's request fails, as it would without us"
		finds "$code"
	done <<-'END'
		close N117
		reset N117
		garbage N112
		404 O311
	END
}

@test "a board that left before the answer: it left, and its server is not blamed" {
	cat >polite.py <<-'END'
		import socket
		listener = socket.create_server(("127.0.0.1", 0))
		print("port", listener.getsockname()[1], flush=True)
		while True:
		    peer, _ = listener.accept()
		    while peer.recv(1000):
		        print("asked", flush=True)
		    peer.close()
	END
	background polite /usr/bin/python3 polite.py
	proxy "http://127.0.0.1:$(wait_for polite.out '^port ' | tr -dc 0-9)/ota/" --fail-on error
	/usr/bin/python3 - "${HERE#http://}" <<-'END'
		import socket, sys
		host, port = sys.argv[1].split("/")[0].split(":")
		s = socket.create_connection((host, int(port)))
		s.sendall(b"POST /ota/ HTTP/1.1\r\nHost: " + host.encode() + b"\r\nContent-Length: 2\r\n\r\n{}")
		while "asked" not in open("polite.out").read():
		    pass
		s.shutdown(socket.SHUT_WR)
		while s.recv(100):
		    pass
	END
	wait_for proxy.out 'it left after'
	wait_for proxy.out "it left after .*: until then '127.0.0.1' had not begun to answer"
	wait_for proxy.out 'ended by'
	absent N117 proxy.out
	leave
}

@test "a redirect passes as it is, and is found" {
	background ota /usr/bin/python3 "$BATS_TEST_DIRNAME/http_says.py" \
		$'302 Found\r\nLocation: https://h.example/login\r\nContent-Length: 0' ''
	proxy "http://127.0.0.1:$(wait_for ota.out '^port ' | tr -dc 0-9)/ota"
	[ "$(ask -o /dev/null -w '%{http_code} %{redirect_url}' "$HERE")" = '302 https://h.example/login' ]
	wait_for proxy.out 'O311'
	leave
}

@test "pages of others and names that are not ours are kept out" {
	ota '{}'
	proxy "$OTA"
	[ "$(ask -o /dev/null -w '%{http_code}' -H 'Origin: http://evil.example' "$HERE")" = 403 ]
	[ "$(ask -o /dev/null -w '%{http_code}' -H 'Host: evil.example' "$HERE")" = 421 ]
	wait_for proxy.err evil.example
	leave
	absent evil.example proxy.out
}

@test "a WebSocket that did not ask OTA here leads nowhere, which is said" {
	ota '{}'
	proxy "$OTA"
	mcp sim --connect "ws://$AT/x" --for 5s
	[ "$status" != 0 ]
	wait_for proxy.err 'did not ask OTA here before; restart the board'
	leave
}

@test "-o json: events of a capture, and what passed at the end" {
	serve
	background json mcpctl -o json proxy --listen 127.0.0.1:0 "$OTA" --trace both.cap
	PROXY=$LAST
	HERE=$(wait_for json.err 'restart it: ' | grep -oE 'http://127.0.0.1:[0-9]+/[^ "]*')
	board
	event ready
	mcp call self.get_device_status
	ends 0
	leave
	jq -es 'map(.capture // empty) == [1]' json.out
	jq -es '.[-1].proxied.connections == 2 and .[-1].proxied.capture == "both.cap"' json.out
	jq -es '.[-1].proxied.findings | length > 0 and all(. > 0)' json.out
	jq -es 'def from($who): map(select(.from == $who and (.kind |
			IN("request", "response", "text", "binary", "ping", "pong")))) | length;
		{device: from("device"), backend: from("backend")} == .[-1].proxied.frames' json.out
	jq -es '.[-1].proxied | .bytes.device > .bytes.backend and .bytes.backend > 500 and
		.changed > 1 and [.dropped, .refused, .strangers] == [0, 0, 0] and
		.added_ns.p50 > 0 and .added_ns.p50 <= .added_ns.p99 and .findings.O318 == 1' json.out
	jq -es 'map(select(.kind == "text")) | length > 5' json.out
	[ "$(grep -c . json.out)" = $(($(grep -c . both.cap) + 1)) ]
}

@test "a full disk while recording: said once when it happens, what passes goes on" {
	serve
	mkfifo says
	# Only the capture is a file, which may have no more than a kilobyte.
	background says cat says
	(trap '' XFSZ && ulimit -f 1 && exec mcpctl proxy --listen 127.0.0.1:0 "$OTA" --trace full.cap >says 2>&1 </dev/null 3>&-) &
	PROXY=$!
	PIDS+=("$PROXY")
	HERE=$(wait_for says.out 'restart it: ' | grep -oE 'http://127.0.0.1:[0-9]+/[^ "]*')
	for _ in {1..20}; do curl -sf -o answer -H 'Device-Id: a' -d '{}' "$HERE"; done
	wait_for says.out "cannot write 'full.cap': .*; the work goes on"
	curl -sf -o answer -H 'Device-Id: a' -d '{}' "$HERE"
	kill "$PROXY"
	finish "$PROXY" 8
	wait_for says.out 'events are lost'
	[ "$(grep -c 'the work goes on' says.out)" = 1 ]
}

@test "many boards at once, and the end of the time ends it" {
	serve
	proxy "$OTA" --for 20s
	mcp sim --ota "$HERE" --devices 40 --for 3s --expect-listed
	ends 0
	leave
	wait_for proxy.out '^passed +80 connections'
	grep -qE 'from boards \([0-9]+ kB\), [0-9]+ from the backend \([0-9]+ kB\)' proxy.out
	grep -qE '^found    O318 note     .* \(40 times\)$' proxy.out
}

@test "what they send does nothing to the terminal" {
	ota $'{"websocket":{"url":"ws://h/\\u001b]0;x\\u0007"},"firmware":{"version":"9.\\u001b[2J","url":"u"}}'
	proxy "$OTA" --fault late-hello
	ask -H $'User-Agent: \xc2\x9b2J' -H 'Device-Id: a\u202eb' "$HERE$(printf '%%1b%%5b2J')" >answer
	ask "$HERE" >answer
	leave
	absent $'[\x01-\x08\x0b-\x1f\x7f]' proxy.out proxy.err
	absent $'\xc2\x9b' proxy.out proxy.err
}

@test "a disk that is full: said once, what passes goes on, the loss stands in the capture, status 8" {
	mkdir disk
	mount -t tmpfs -o size=128k tmpfs disk || skip "no file system can be mounted"
	serve
	proxy "$OTA" --trace disk/c.cap
	board
	event ready
	dd if=/dev/zero of=disk/other bs=4096 count=64 2>dd.err || grep -q 'No space left' dd.err
	# The end of a line may still have had room.
	for _ in 1 2 3 4 5 6 7 8; do
		mcp call self.get_device_status
		ends 0
	done
	wait_for proxy.err "cannot write 'disk/c.cap': No space left on device; the work goes on"
	rm disk/other
	mcp call self.audio_speaker.set_volume volume=31
	ends 0
	leave 8
	grep -c 'the work goes on' proxy.err >said
	[ "$(<said)" = 1 ]
	wait_for proxy.err "error: 'disk/c.cap' could not be written whole: [0-9]+ events are lost"
	cp disk/c.cap c.cap
	umount disk
	wait_for c.cap '"kind":"lost","count":[0-9]+'
	mcp capture show c.cap
	ends 0
	says 'events missing here: not recorded'
	says '< call #'
	says 'self.audio_speaker.set_volume {"volume":31}'
}

@test "audio: its bytes are kept where --audio asks for them" {
	serve
	proxy "$OTA" --trace audio.cap --audio
	board --audio
	event ready
	wait_for audio.cap '"from":"device","kind":"binary",.*"size":[0-9]+,"hex":"'
	leave
	grep -qE '; of these binary: [1-9]' proxy.out
	mcp proxy --audio ws://127.0.0.1:1/
	ends 2
	hints "option '--audio' needs --trace, or -o json"
	mcp --audio sim: tools
	ends 2
	hints "option '--audio' needs --trace"
}

@test "-o json whose reader reads nothing: what passes does not wait, what is left out is told" {
	serve
	mkfifo lines
	exec 7<>lines
	mcpctl -o json proxy --listen 127.0.0.1:0 "ws://127.0.0.1:$PORT/xiaozhi/v1/" >lines 2>proxy.err 7<&- 3>&- &
	PIDS+=($!)
	PROXY=$!
	HERE=$(wait_for proxy.err 'listening at' | grep -oE 'ws://127[^"]*')
	board --fill 200
	event ready
	# Some 10 MB, of which a pipe takes 64 kB and proxy keeps 4 MB.
	for _ in {1..60}; do
		mcpctl --timeout 20s tools >tools.out
	done
	kill -INT "$DEVICE"
	finish "$DEVICE" 130
	kill -INT "$PROXY"
	cat <&7 >read.jsonl 3>&- &
	PIDS+=($!)
	finish "$PROXY" 0
	wait_for read.jsonl '"proxied":'
	grep -q 'lines were not shown: their reader is slow' proxy.err
	[ "$(jq -s 'map(select(.kind == "lost").count) | add > 0' read.jsonl)" = true ]
}
