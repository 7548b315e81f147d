#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the conformance suite of the MCP project (npm) asks of servers, asked of
# the profile that ships for it. Without npm these are skipped, but in continuous
# integration they always run.

load helper
bats_require_minimum_version 1.5.0

setup_file() {
	local said
	places
	if said=$("$ROOT/tests/conformance/install" "$TOP/fetched/conformance"); then
		export SUITE_FIRST SUITE_SECOND
		SUITE_FIRST=$(sed -n 1p <<<"$said")
		SUITE_SECOND=$(sed -n 2p <<<"$said")
	elif [ -n "${CI:-}" ]; then
		echo "$said" >&2
		return 1
	else
		export WHY=$said
	fi
}

# judged SUITE [ARG…]: the suite's summary is in summary.txt.
judged() {
	[ -n "${SUITE_FIRST:-}" ] || skip "$WHY"
	local line suite=$1
	shift
	background service mcpctl sim conformance --listen 127.0.0.1:0
	line=$(wait_for service.err 'listening at') || return 1
	# shellcheck disable=SC2086 # node and its script are two words
	$suite server --url "${line##* }mcp" "$@" >suite.txt 2>&1 || true
	sed -n '/=== SUMMARY ===/,$p' suite.txt | sed 's/\x1b\[[0-9;]*m//g' >summary.txt
	cat summary.txt
	kill -INT "$LAST"
	finish "$LAST" 130
}

# passes N [NOT SCORED…]: N scenarios passed, and nothing failed but these, as a pattern.
passes() {
	[ "$(grep -c '^✓ ' summary.txt)" -ge "$1" ]
	run ! grep -E '^✗ ' <(grep -vE "^✗ ${2:-nothing}" summary.txt)
}

@test "0.1.16: all 30 scenarios" {
	judged "${SUITE_FIRST:-}"
	passes 30
	grep -q '^Total: 39 passed, 0 failed' summary.txt
}

@test "0.2.0-alpha.12, 2025-11-25: all 30 that are scored, and the 3 that are not" {
	judged "${SUITE_SECOND:-}" --requirements 2025-11-25
	passes 33
	grep -q ', 0 failed' <(grep ^Total: summary.txt)
}

# A service has no tool that asks in rounds first and is a task then.
@test "0.2.0-alpha.12, 2026-07-28: all 37 that are scored, and 12 of 13 that are not" {
	judged "${SUITE_SECOND:-}" --requirements 2026-07-28
	passes 49 tasks-mrtr-composition
	local one
	for one in server-stateless caching http-header-validation \
		http-custom-header-server-validation; do
		grep -q "^✓ $one: [1-9][0-9]* passed, 0 failed" summary.txt
	done
}
