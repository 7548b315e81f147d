#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# An hour (SOAK_SECONDS) of calls to 1,000 boards that come and go: see storm.py.

load ../cli/helper

@test "a million calls under reconnect storms: each answered once by its own board, or told as gone" {
	local seconds=${SOAK_SECONDS:-3600}
	mkdir -p "$TOP/soak"
	"$BATS_TEST_DIRNAME/storm.py" "$BUILD/mcpctl" "$seconds" \
		"${SOAK_CALLS:-$((1000000 * seconds / 3600))}" "${SOAK_BOARDS:-1000}" "$WORK" |
		tee "$TOP/soak/storm.txt"
	return "${PIPESTATUS[0]}"
}
