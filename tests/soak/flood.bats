#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A minute (FLOOD_SECONDS) of 3,000 strangers at one serve, and at a proxy before
# one: see flood.py.

load ../cli/helper

@test "a board that is known is served among 3,000 hostile connections" {
	mkdir -p "$TOP/soak"
	"$BATS_TEST_DIRNAME/flood.py" "$BUILD/mcpctl" "${FLOOD_STRANGERS:-3000}" \
		"${FLOOD_SECONDS:-60}" "$WORK" 10 1 | tee "$TOP/soak/flood.txt"
	[ "${PIPESTATUS[0]}" = 0 ]
}

@test "nor do they keep it out of a proxy" {
	mkdir -p "$TOP/soak"
	"$BATS_TEST_DIRNAME/flood.py" --proxy "$BUILD/mcpctl" "${FLOOD_STRANGERS:-3000}" \
		"${FLOOD_SECONDS:-60}" "$WORK" 10 1 | tee "$TOP/soak/flood-proxy.txt"
	[ "${PIPESTATUS[0]}" = 0 ]
}
