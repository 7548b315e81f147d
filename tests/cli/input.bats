#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Bad input: what, where, what to do; status 2 unless said.

load helper

@test "an unknown command proposes the nearest" {
	mcp sim: toolz
	ends 2
	hints "'tools'"
}

@test "no command: it is said how one is given, with that target" {
	mcp sim:
	ends 2
	[ "$err" = "error: no command for the target 'sim:'
hint: for example: mcpctl sim: tools (mcpctl help lists the commands)" ]
	# What is no word of its own there.
	for target in x 'stdio:a b'; do
		mcp -t "$target"
		ends 2
		[ "$err" = "error: no command for the target '$target'
hint: for example: mcpctl -t '$target' tools (mcpctl help lists the commands)" ]
	done
	mcp -q
	ends 2
	[ "$err" = "error: no command was given
hint: for example: mcpctl sim: tools (mcpctl help lists the commands)" ]
	MCPCTL_TARGET=sim: mcp
	ends 0
	says 'usage: mcpctl'
	mcp --version
	ends 0
	[ "$out" = "$(mcpctl version)" ]
	mcp --version --help
	ends 0
	says 'usage: mcpctl'
}

@test "words of other tools are known" {
	for pair in ls:tools ps:devices list:tools logs:tail listen:listen: mock:sim; do
		mcp sim: "${pair%%:*}"
		ends 2
		hints "${pair#*:}"
	done
}

@test "habits of other tools: a word says what to type" {
	mcp -V
	ends 2
	hints 'mcpctl version'
	mcp sim: call self.audio_speaker.set_volume 'volume: 5'
	ends 2
	hints 'write volume=5'
	mcp sim: call self.audio_speaker.set_volume '"volume":'
	ends 2
	# A colon alone is no YAML.
	mcp sim: call self.screen.preview_image http://h/x.jpg
	ends 2
	hints 'write url=http://h/x.jpg'
	mcp localhost:1/mcp tools
	ends 2
	hints 'did you mean http://localhost:1/mcp?'
	mcp 127.0.0.1:1/ws tools
	ends 2
	hints 'did you mean ws://127.0.0.1:1/ws?'
}

@test "the short help stays short; help --all has the rest" {
	mcp
	ends 0
	[ "$(wc -l <<<"$out")" -le 24 ]
	cp stdout short
	for how in help --help; do
		mcp $how
		ends 0
		cmp short stdout
	done
	[ "$(grep -cE '^(start|use|diagnose|pretend|  {8}) +[a-z]+ {2,}[^ ]' short)" = 11 ]
	mcp help --all
	ends 0
	says '--timeout'
	says 'the values that a server proposes'
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

@test "an address that is refused is told without its password" {
	local at=u:geh@eim@127.0.0.1:1 line
	for line in "proxy ws://$at/ --for 1s" "proxy ftp://$at/" \
		"proxy https://$at/ --serial /dev/null --for 1s" \
		"http://$at/ open http://$at/" "http://$at/ devices" \
		"--all ws://$at/ ping" "sim --connect ws://$at/" "sim --ota http://$at/" \
		"adopt --portal http://$at/" "adopt --ota http://$at/ --portal http://127.0.0.1:1"; do
		# shellcheck disable=SC2086 # words
		mcp $line
		[ "$status" != 0 ]
		absent 'geh|eim' "$WORK/stderr"
	done
}

@test "so is one that stands where another thing is expected, or has one slash" {
	local given
	for given in 'check ftp://u:geheim@h/x' 'run http://u:geheim@h/x' \
		'replay http://u:geheim@h/x' 'capture show http://u:geheim@h/x' \
		'clone http:/u:geheim@h' 'http:/u:geheim@h:80/a tools' \
		'check ota http:/u:geheim@h' 'explain http://u:geheim@h'; do
		# shellcheck disable=SC2086 # words
		mcp $given
		ends 2
		[[ $err = *'u:***@h'* && $err$out != *geheim* ]]
	done
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
