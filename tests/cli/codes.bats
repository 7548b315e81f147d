#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Findings that a whole connection shows, planted one by one: each is told with
# its code, what shows it, and what to do, and where it is not planted it is
# not told.

load helper

# board ARG…: one that dials the backend, and what it finds.
board() {
	run mcpctl -v --findings found.json sim --connect "ws://127.0.0.1:$BACKEND/" "$@"
	echo "$output"
}

# told CODE TEXT: with words of its own and a line of advice.
told() {
	local line
	line=$(grep "\"code\":\"$1\"" found.json)
	grep -qF -- "$2" <<<"$line"
	jq -es 'map(select(.code == "'"$1"'")) | .[0].do | length > 0' found.json
}

untold() { no grep -q "\"code\":\"$1\"" found.json; }

# no COMMAND…: it finds nothing, and that fails a test wherever it stands.
no() {
	if "$@"; then
		return 1
	fi
}

@test "the code of an error is in the file of findings, once" {
	local code words
	while read -r code words; do
		rm -f found.json
		# shellcheck disable=SC2086 # words
		run mcpctl --findings found.json $words
		[ "$status" != 0 ]
		[ "$(grep -c "^{\"code\":\"$code\"" found.json)" = 1 ]
	done <<-END
		N102 ws://127.0.0.1:1/ tools
		N102 ws://127.0.0.1:1/ check
		N102 check ota http://127.0.0.1:1/
		N102 ws://127.0.0.1:1/ run --keep-going -e tools
		D102 --wait 200ms sim:?fault=no-hello tools
		D116 --timeout 200ms sim:?fault=wrong-id call self.get_device_status
	END
}

@test "D138: a board without Pong, at ping and at check, through serve" {
	serve
	device board --fault no-pong
	event ready
	mcp -v --findings found.json ping
	ends 0
	told D138 'no Pong within 1 s'
	mcp --findings found.json check --fail-on note
	ends 7
	grep -qE '^way +ok ' stdout
	tr -s ' \n' ' ' <stdout | grep -q 'ws silent, main loop'
	grep -q '^note    D138 ' stdout
}

@test "D138 is not told of a board that answers; check shows each layer" {
	serve
	device board
	event ready
	mcp --findings found.json check --fail-on error
	ends 0
	untold D138
	tr -s ' \n' ' ' <stdout | grep -qE 'tcp [0-9.]+ ms, ws pong [0-9.]+ ms, main loop [0-9.]+ ms \(p99 [0-9.]+ ms of 10\)'
	mcp check --risk look
	no grep -q 'main loop' stdout
}

@test "a message in three frames is asked and answered where there are frames" {
	listener l --trace t.jsonl listen:127.0.0.1:0 check --risk odd --skip D124
	device board
	finish "$LISTENER" 0
	tr -s ' \n' ' ' <l.out | grep -q 'fragmented frame'
	no grep -q 'no answer' l.out
	run mcpctl sim: check --risk odd --skip D124
	no grep -q 'fragmented' <<<"$output"
}

@test "B262: a backend that wants Pong cuts who answers none, and nobody else" {
	backend pinging
	board --for 3s --fault no-pong
	told B262 'keepalive ping timeout'
	grep -q 'B262' <<<"$output"
	rm found.json
	board --for 1s
	untold B262
}

@test "B264, B265: Close says that a message is too large, or that nobody is let in" {
	backend small
	board --for 2s
	told B264 '"B264"'
	untold B265
	backend barred
	board --for 2s
	told B265 'no such agent'
	untold B264
}

@test "B206: the token was taken once" {
	backend once
	MCPCTL_SIM_TOKEN=t board --for 5s --reconnect
	told B206 '认证失败'
	backend denies
	rm found.json
	MCPCTL_SIM_TOKEN=t board --for 2s --reconnect
	untold B206
}

@test "B242: the default in place of an optional argument of the wrong type" {
	backend shooting
	board --for 3s
	told B242 'self.screen.snapshot: quality'
	[ "$(jq -s 'map(select(.code == "B242")) | length' found.json)" = 1 ]
	grep -q 'high' found.json
	backend careful
	rm found.json
	board --for 1s
	untold B242
}

@test "N205: a certificate of a public authority, and nothing between" {
	# What only public authorities put in makes the difference to N204.
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem \
		-days 2 -subj /CN=test-root 2>/dev/null
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout mid.key -out mid.csr -subj /CN=between 2>/dev/null
	printf 'basicConstraints=critical,CA:TRUE' >ext
	openssl x509 -req -in mid.csr -CA ca.pem -CAkey ca.key -days 2 -out mid.pem -extfile ext 2>/dev/null
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key -out server.csr -subj /CN=localhost 2>/dev/null
	printf 'subjectAltName=DNS:localhost\n1.3.6.1.4.1.11129.2.4.2=DER:04020000' >ext
	openssl x509 -req -in server.csr -CA mid.pem -CAkey mid.key -days 2 -out server.pem -extfile ext 2>/dev/null
	printf 'subjectAltName=DNS:localhost' >ext
	openssl x509 -req -in server.csr -CA mid.pem -CAkey mid.key -days 2 -out private.pem -extfile ext 2>/dev/null
	cat server.pem mid.pem >whole.pem
	backend careful server.pem server.key
	mcp --cacert ca.pem "wss://localhost:$BACKEND/" tools
	ends 3
	hints 'fullchain.pem'
	mcp check ota "https://localhost:$BACKEND/" --cacert ca.pem
	grep -q '^error   N205 ' stdout
	backend careful private.pem server.key
	mcp check ota "https://localhost:$BACKEND/" --cacert ca.pem
	grep -q '^error   N204 ' stdout
	backend careful whole.pem server.key
	mcp check ota "https://localhost:$BACKEND/" --cacert ca.pem
	no grep -qE 'N20[45]' stdout
	# One of them that has expired lacks nothing.
	printf 'subjectAltName=DNS:localhost\n1.3.6.1.4.1.11129.2.4.2=DER:04020000' >ext
	old_certificate
	backend careful old.pem server.key
	mcp --cacert ca.pem "wss://localhost:$BACKEND/" tools
	ends 3
	hints 'certificate has expired'
	absent 'chain|fullchain' stderr
}

@test "P706: the id 0 has no answer, others have" {
	cat >server.py <<-'END'
		import json, sys
		for line in sys.stdin:
		    m = json.loads(line)
		    if m.get("id") or (m.get("id") == 0 and len(sys.argv) > 1):
		        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}}), flush=True)
	END
	run mcpctl --timeout 3s --findings found.json check -- /usr/bin/python3 server.py
	[ "$status" -eq 7 ]
	told P706 '"P706"'
	untold D145
	rm found.json
	run mcpctl --findings found.json check -- /usr/bin/python3 server.py well
	[ "$status" -eq 0 ]
	untold P706
}

@test "--plan says what this way cannot do" {
	mcp mqtt://127.0.0.1/x check --plan --risk odd
	ends 0
	grep -q 'no Ping this way' stdout
	grep -q 'no frames' stdout
	mcp ws://127.0.0.1:1/ check --plan --risk odd
	no grep -q 'this way' stdout
}

@test "V508: a picture is refused half way, and told by the board that sends it" {
	printf 'HTTP/1.1 413 Too Large\r\nContent-Length: 9\r\n\r\ntoo large' >answer
	echo early >how
	planted
	{
		printf '\377\330\377\340'
		head -c 12000000 /dev/zero
		printf '\377\331'
	} >large.jpg
	listener l --vision-url "http://$AT/" listen:127.0.0.1:0 call self.camera.take_photo question=x
	device board --photo large.jpg --findings found.json
	wait_for board.err 'V508'
	told V508 'HTTP 413'
}
