#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Bad input: what, where, what to do; status 2 unless said.

load helper

@test "an unknown command proposes the nearest" {
	mcp sim: toolz
	ends 2
	hints "'tools'"
}

@test "words of other tools are known" {
	for pair in ls:tools ps:tools list:tools logs:tail listen:listen: mock:sim; do
		mcp sim: "${pair%%:*}"
		ends 2
		hints "${pair#*:}"
	done
}

@test "an unknown option proposes the nearest" {
	mcp sim: tools --no-usre
	ends 2
	hints '--no-user'
}

@test "a plain secret option is refused with the way that works" {
	mcp --token abc listen: info
	ends 2
	hints 'MCPCTL_TOKEN'
}

@test "too few and too many operands show the usage" {
	mcp sim: call
	ends 2
	hints 'call'
	mcp sim: ping a b
	ends 2
}

@test "a malformed target says which part, and where it came from" {
	mcp listen:99999 info
	ends 2
	hints '99999'
	MCPCTL_TARGET=listne: mcp info
	ends 2
	hints MCPCTL_TARGET
	hints listen
}

@test "no target names the next steps" {
	mcp tools
	ends 2
	hints 'sim:'
	hints 'listen:'
}

@test "a bad duration and a bad choice" {
	mcp --timeout soon sim: ping
	ends 2
	hints soon
	mcp -o xml sim: ping
	ends 2
	hints json
	MCPCTL_TIMEOUT=soon mcp sim: ping
	ends 2
	hints MCPCTL_TIMEOUT
}

@test "nobody listens there: status 3 and the reason in words" {
	mcp ws://127.0.0.1:1/ info
	ends 3
	hints 'refused'
	mcp ws://no-such-host.invalid/ info
	ends 3
	hints 'no-such-host.invalid'
}

@test "a profile that is none" {
	mcp sim:fixtuers tools
	ends 2
	hints fixtures
	echo '{"tools":[{"nam":"x"}]}' >bad.json
	mcp sim:./bad.json tools
	ends 2
	hints bad.json
	hints nam
}

@test "an unreadable secret file" {
	mcp --token-file missing listen:0 info
	ends 2
	hints missing
}

@test "broken JSON as arguments says where" {
	mcp sim: call self.audio_speaker.set_volume '{"volume":'
	ends 2
	hints JSON
}

@test "errors before anything else still come as JSON when asked" {
	mcp -o json sim: toolz
	ends 2
	jq -e '.error.status == 2' <<<"$err"
}
