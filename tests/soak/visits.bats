#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# An hour (SOAK_SECONDS) of a host's calls through the bridge: see visits.py.

load ../cli/helper

@test "boards come and go 1,000 times and more, serve too: each call of a host has one answer, of its board" {
	mkdir -p "$TOP/soak"
	"$BATS_TEST_DIRNAME/visits.py" "$BUILD/mcpctl" "${SOAK_SECONDS:-3600}" "${SOAK_VISITS:-1000}" "$WORK" |
		tee "$TOP/soak/visits.txt"
	[ "${PIPESTATUS[0]}" = 0 ]
}
