#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# check vision: uploaded as a board uploads, to servers with one fault each.
load helper

# found CODE SEVERITY PROOF [OPTION…]: the check names it, with proof and advice.
found() {
	local code=$1 severity=$2 proof=$3
	shift 3
	mcp check vision "http://$AT/mcp/vision/explain" "$@"
	if ! grep -qE "^$severity +$code " stdout || ! tr -s ' \n' ' ' <stdout | grep -qF -- "$proof" ||
		! grep -qE '^   do |^         ' stdout; then
		printf 'no %s %s with: %s\n%s\n%s\n' "$severity" "$code" "$proof" "$out" "$err" >&2
		return 1
	fi
}

@test "a healthy server: the text that the model gets, and how long it took" {
	planted
	body '{"success":true,"result":"A cat on a mat"}'
	mcp check vision "http://$AT/mcp/vision/explain"
	ends 0
	says '0 errors, 0 warnings, 0 notes'
	grep -qE '^upload +ok .*chunked' stdout
	grep -qE '^answer +ok +200 in ' stdout
	says 'A cat on a mat'
	says '--risk odd'
	# Any text is an answer.
	raw $'HTTP/1.1 200 OK\r\nContent-Length: 5' 'a cat'
	mcp check vision "http://$AT/" --risk odd
	ends 0
	says '0 errors, 0 warnings, 0 notes'
	grep -qE '^swapped +ok ' stdout
}

@test "serve takes it with the token that it gave, and without one not" {
	serve
	token
	url=$(wait_for spy.out '^http')
	MCPCTL_VISION_TOKEN=$TOKEN mcp check vision "$url" --device-id aa:aa:aa:aa:aa:aa
	ends 0
	says '0 errors, 0 warnings'
	mcp check vision "$url"
	ends 7
	grep -qE '^error +V501 ' stdout
}

@test "answers that a board cannot use: each with code and proof" {
	planted
	raw $'HTTP/1.1 401 No\r\nContent-Length: 21' '{"error":"bad token"}'
	found V501 error 'bad token'
	ends 7
	says 'Failed to upload photo'
	body "$(printf '%8300s' x)"
	found V502 error 'hang'
	raw $'HTTP/1.1 411 Length Required\r\nContent-Length: 0' ''
	found V503 error 'HTTP 411'
	raw $'HTTP/1.1 400 No\r\nContent-Length: 29' 'chunked bodies are not taken.'
	found V503 error 'chunked bodies'
	body '{"success":false,"message":"the model is not there"}'
	found V505 warning 'the model is not there'
	ends 0
	body '{"code":500,"msg":"busy"}'
	found V505 warning 'busy'
	body "$(printf 'a\237b')"
	found V505 warning 'no text in UTF-8'
	raw $'HTTP/1.1 302 Found\r\nLocation: https://h.example/login\r\nContent-Length: 0' ''
	found V501 error "to 'https://h.example/login'"
	raw $'HTTP/1.1 200 OK\r\nContent-Length: 99' 'a c'
	found N117 error 'before the reply was whole'
	printf 'SSH-2.0-x\r\n' >answer
	found N112 error 'SSH-2.0-x'
	body ''
	found V505 warning 'empty'
	raw 'HTTP/1.1 200 OK' 'a cat'
	found V507 warning 'until the connection ends'
}

@test "a long answer is cut between characters" {
	planted
	raw $'HTTP/1.1 200 OK\r\nContent-Length: 601' "x$(printf '图%.0s' {1..200})"
	mcp check vision "http://$AT/"
	ends 0
	absent '\\x' stdout
	tr -d ' \n' <stdout | grep -qF "x$(printf '图%.0s' {1..199})…"
}

@test "parts by position: found only where it may be asked" {
	planted
	body 'a cat'
	echo order >how
	mcp check vision "http://$AT/"
	ends 0
	absent V504 stdout
	found V504 warning 'HTTP 422' --risk odd
	ends 0
	# What fails in any order says nothing of the order.
	body '{"success":false,"message":"no model"}'
	found V505 warning 'no model' --risk odd
	absent V504 stdout
	says 'it failed in the usual order already'
	# Without an answer there is no status to tell.
	body 'a cat'
	echo 'hang up' >how
	found V504 warning "with the picture before the question: $AT: closed before the reply was whole" --risk odd
	# Nor is it known where nobody waited for it any longer.
	echo hold >how
	mcp --timeout 300ms check vision "http://$AT/" --risk odd
	ends 4
	grep -qE '^answer +ok ' stdout
	grep -qE '^swapped +fail ' stdout
}

@test "a picture that is refused half way" {
	planted
	echo early >how
	{
		printf '\377\330\377\340'
		head -c 12000000 /dev/zero
		printf '\377\331'
	} >large.jpg
	raw $'HTTP/1.1 413 Too Large\r\nContent-Length: 9' 'too large'
	found V508 error '413' --photo large.jpg
	ends 7
}

@test "no answer at all is a failure, and says so" {
	planted
	echo mute >how
	mcp check vision "http://$AT/"
	ends 3
	grep -qE '^answer +fail ' stdout
	grep -qE '^error +N117 ' stdout
	mcp check vision http://127.0.0.1:9/
	ends 3
	grep -qE '^error +N102 ' stdout
	says 'upload, answer: not reached'
}

@test "the token goes along, and is never shown" {
	planted
	body 'a cat'
	MCPCTL_VISION_TOKEN=hidden-token mcp -v --trace t.jsonl check vision "http://$AT/"
	ends 0
	says 'with a token'
	absent 'hidden-token' stdout stderr t.jsonl
	printf 'hidden-token\n' >token
	mcp check vision "http://$AT/" --vision-token-file token
	ends 0
	says 'with a token'
}
