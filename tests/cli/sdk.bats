#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A server on the official SDK that speaks both eras (npm, tests/sdk), over stdio
# and HTTP. Without npm they are skipped, but in continuous integration they
# always run.

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

# over stdio|http [modern]: sets TARGET (words), starting the server where it has a port.
over() {
	[ -n "${NODE:-}" ] || skip "$WHY"
	local program="$ROOT/tests/sdk/server.mjs"
	if [ "$1" = stdio ]; then
		TARGET=("stdio:'$NODE' '$program' '$MODULES' ${2:-}")
		return
	fi
	background sdk "$NODE" "$program" "$MODULES" http ${2:+"$2"}
	TARGET=("http://127.0.0.1:$(wait_for sdk.out '^port' | cut -d' ' -f2)/mcp")
}

# asks ERA TRANSPORT: all that a user does with it.
asks() {
	mcp --era "$1" "${TARGET[@]}" call echo text=hello
	ends 0
	[ "$out" = hello ]
	mcp --era "$1" "${TARGET[@]}" read note://one
	ends 0
	[ "$out" = first ]
	mcp --era "$1" -v "${TARGET[@]}" call logs lines=1000
	ends 0
	[ "$(grep -c '^<- .*line [0-9]* of 1000' <<<"$err")" = 1000 ]
	mcp --era "$1" "${TARGET[@]}" call nothing
	ends 2
	hints "no tool 'nothing'"
}

@test "which era it speaks is found out, over stdio and HTTP" {
	local one
	for one in stdio http; do
		over $one
		mcp "${TARGET[@]}" info
		ends 0
		says 'of-the-sdk 2'
		says 'MCP 2026-07-28'
		says 'modern (by its answer to server/discover)'
		mcp --era legacy "${TARGET[@]}" info
		ends 0
		says 'MCP 2025-11-25'
	done
}

@test "both eras over stdio" {
	over stdio
	asks modern
	asks legacy
}

@test "both eras over HTTP" {
	over http
	asks modern
	asks legacy
}

@test "what it asks the user is answered, and the call sent again" {
	local one
	echo '{"sure": true}' >answer
	for one in stdio http; do
		over $one
		mcp --elicit @answer "${TARGET[@]}" call deploy to=prod
		ends 0
		[ "$out" = 'deployed to prod' ]
		hints "the server asks 'Deploy to prod?'"
		# It asks again whatever is declined: that has an end.
		mcp --elicit decline "${TARGET[@]}" call deploy to=prod
		ends 5
		hints 'asked 16 times in a row'
	done
}

@test "a resource that another command changes is told" {
	over http
	background told mcpctl "${TARGET[@]}" subscribe note://one
	wait_for told.err 'subscribed'
	mcp "${TARGET[@]}" call write text=second
	ends 0
	wait_for told.out 'resources/updated.*note://one'
	mcp "${TARGET[@]}" read note://one
	[ "$out" = second ]
}

@test "one that serves no session: --era legacy says what it speaks" {
	over http modern
	mcp "${TARGET[@]}" call echo text=hello
	ends 0
	[ "$out" = hello ]
	mcp --era legacy "${TARGET[@]}" call echo text=hello
	[ "$status" != 0 ]
	hints '2026-07-28'
}
