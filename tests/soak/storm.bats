#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# An hour (SOAK_SECONDS) of calls to 1,000 boards that come and go: see storm.py.
# And what serve holds when 10,000 came and went, again and again: see tide.py.

load ../cli/helper

@test "a million calls under reconnect storms: each answered once by its own board, or told as gone" {
	local seconds=${SOAK_SECONDS:-3600}
	mkdir -p "$TOP/soak"
	"$BATS_TEST_DIRNAME/storm.py" "$BUILD/mcpctl" "$seconds" \
		"${SOAK_CALLS:-$((1000000 * seconds / 3600))}" "${SOAK_BOARDS:-1000}" "$WORK" |
		tee "$TOP/soak/storm.txt"
	[ "${PIPESTATUS[0]}" = 0 ]
}

@test "boards come and go, 10,000 at once where that many files may be open, twenty times: memory goes back" {
	local boards=${SOAK_TIDE:-10000} files
	files=$(ulimit -Hn)
	[ "$files" = unlimited ] || [ "$boards" -lt $((files - 500)) ] || boards=$((files - 500))
	mkdir -p "$TOP/soak"
	"$BATS_TEST_DIRNAME/tide.py" "$BUILD/mcpctl" "${SOAK_TIDES:-20}" "$boards" "$WORK" |
		tee "$TOP/soak/tide.txt"
	[ "${PIPESTATUS[0]}" = 0 ]
}
