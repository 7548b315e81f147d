#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Hosts on the official SDK (npm, tests/sdk) before the bridge: by stdio, HTTP and
# HTTP+SSE, of both eras. Without npm they are skipped, but in continuous
# integration they always run.
# shellcheck disable=SC2154 # set by helper.bash

load helper

setup_file() {
	local said
	places
	if said=$("$ROOT/scripts/npm-install" "$ROOT/tests/sdk" "$TOP/fetched/sdk"); then
		export NODE=$said MODULES=$TOP/fetched/sdk
	elif [ -n "${CI:-}" ]; then
		echo "$said" >&2
		return 1
	else
		export WHY=$said
	fi
}

host() { timeout 60 "$NODE" "$ROOT/tests/sdk/client.mjs" "$MODULES" "$@"; }

# bridge [ARG…]: sets URL (http://127.0.0.1:PORT).
bridge() {
	local line
	[ -n "${NODE:-}" ] || skip "$WHY"
	background bridge mcpctl "${TARGET[@]}" bridge --listen 127.0.0.1:0 "$@"
	line=$(wait_for bridge.err 'listening at http://127.*/mcp$') || return 1
	line=${line##* }
	URL=${line%/mcp}
}

# calls ERA MODE WAY TO…: it sees the tools, and calls one.
calls() {
	local era=$1
	shift
	TOOL=audio_speaker_set_volume ARGUMENTS='{"volume":11}' run host "$@"
	echo "$output"
	[ "$status" = 0 ]
	[[ $output == *"era $era"*"tools get_device_status audio_speaker_set_volume "*" devices refresh"*"answer true"* ]]
}

@test "both eras over HTTP, and HTTP+SSE" {
	TARGET=(sim:)
	echo 0123456789abcdef >token
	bridge --token-file token
	calls legacy legacy http "$URL/mcp" 0123456789abcdef
	calls modern auto http "$URL/mcp" 0123456789abcdef
	calls legacy legacy sse "$URL/sse" 0123456789abcdef
	run host legacy http "$URL/mcp"
	[ "$status" != 0 ]
	wait_for bridge.err ' sdk-host/2 sim self.audio_speaker.set_volume {"volume":11} .* ok$'
}

@test "both eras over stdio: the host starts the bridge" {
	[ -n "${NODE:-}" ] || skip "$WHY"
	calls legacy legacy stdio mcpctl sim: bridge
	calls modern auto stdio mcpctl sim: bridge
}

# asked MODE WAY TO…: amid a call it is asked, and the call goes on.
asked() {
	ANSWER='{"sure":true,"name":"Ada"}' run host "$@"
	echo "$output"
	[ "$status" = 0 ]
}

@test "what a server asks: both eras of hosts, both of servers, over HTTP and stdio" {
	[ -n "${NODE:-}" ] || skip "$WHY"
	local one program="stdio:/usr/bin/python3 $BATS_TEST_DIRNAME/asking_server.py"
	TARGET=(-t "$program")
	bridge
	for one in legacy auto; do
		TOOL=ask asked "$one" stdio mcpctl -t "$program" bridge
		[[ $output == *'asked Who are you?'*'answer {"result": {"action": "accept", "content": {"name": "Ada", "sure": true}}}'* ]]
		TOOL=deploy ARGUMENTS='{"to":"moon"}' asked "$one" stdio \
			mcpctl -t "stdio:$NODE $ROOT/tests/sdk/server.mjs $MODULES modern" bridge
		[[ $output == *'asked Deploy to moon?'*'answer deployed to moon'* ]]
		TOOL=ask asked "$one" http "$URL/mcp"
		[[ $output == *'asked Who are you?'*'"action": "accept"'* ]]
	done
}

@test "a board that comes is told, in both eras, over HTTP and stdio" {
	local one way
	TARGET=()
	serve
	bridge
	for one in legacy auto; do
		CHANGES=1 background "http-$one" "$NODE" "$ROOT/tests/sdk/client.mjs" "$MODULES" "$one" http "$URL/mcp"
		CHANGES=1 background "stdio-$one" "$NODE" "$ROOT/tests/sdk/client.mjs" "$MODULES" "$one" stdio mcpctl bridge
	done
	for one in legacy auto; do
		for way in http stdio; do
			[ "$(wait_for "$way-$one.out" '^tools')" = 'tools devices refresh' ]
		done
	done
	device board
	for one in legacy auto; do
		for way in http stdio; do
			wait_for "$way-$one.out" '^changed .*audio_speaker_set_volume'
		done
	done
}
