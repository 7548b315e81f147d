#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The client scenarios of the official conformance suite (npm), each by
# plain use of the command line (tests/conformance/client). Without npm they
# are skipped, but in continuous integration they always run.

load helper

setup_file() {
	local said
	places
	if said=$("$ROOT/tests/conformance/install" "$TOP/fetched/conformance"); then
		export FIRST SECOND
		FIRST=$(sed -n 1p <<<"$said")
		SECOND=$(sed -n 2p <<<"$said")
	elif [ -n "${CI:-}" ]; then
		echo "$said" >&2
		return 1
	else
		export WHY=$said
	fi
}

# scenario SUITE NAME [ARG…]: its verdict into NAME.status, what was said into NAME.log.
scenario() {
	local suite=$1 name=${2//\//_}
	# shellcheck disable=SC2086 # node and its script are two words
	$suite client --command "$ROOT/tests/conformance/client" \
		--scenario "$2" --timeout 60000 "${@:3}" >"$name.log" 2>&1 3>&-
	echo $? >"$name.status"
}

# all_pass SUITE [ARG…]: those in the file scenarios, four at a time.
all_pass() {
	local one running=0 name failed=0
	while read -r one; do
		scenario "$1" "$one" "${@:2}" &
		running=$((running + 1))
		[ $((running % 4)) != 0 ] || wait
	done <scenarios
	wait
	while read -r one; do
		name=${one//\//_}
		[ "$(<"$name.status")" = 0 ] && continue
		echo "$one:"
		tail -n 40 "$name.log"
		failed=1
	done <scenarios
	[ $failed = 0 ]
}

@test "client scenarios of 0.1.16: all" {
	[ -n "${FIRST:-}" ] || skip "$WHY"
	$FIRST list --client 2>/dev/null | sed -n 's/^  - \([^ ]*\) .*/\1/p' >scenarios
	[ "$(wc -l <scenarios)" = 26 ]
	all_pass "$FIRST"
}

# scored REVISION COUNT: all that the revision requires, of 0.2.0-alpha.12.
scored() {
	# shellcheck disable=SC2086 # node and its script are two words
	$SECOND client --command "$ROOT/tests/conformance/client" \
		--requirements "$1" --timeout 60000 >"$1.log" 2>&1 3>&- || {
		cat "$1.log"
		return 1
	}
	# Extensions and later ones are run, too, and not counted.
	sed '/^Not scored/,$d' "$1.log" | grep -E '^[✓✗] ' | sed 's/:.*//' | sort >all
	sed -n '/^Not scored/,$ s/^  \([✓✗] [^ ]*\) .*/\1/p' "$1.log" | sort >others
	comm -23 all others >counted
	cat counted
	[ "$(grep -c '^✓' counted)" = "$2" ]
	[ "$(wc -l <counted)" = "$2" ]
}

@test "client scenarios of 0.2.0-alpha.12 that 2025-11-25 requires: 18 of 18" {
	[ -n "${SECOND:-}" ] || skip "$WHY"
	scored 2025-11-25 18
}

@test "client scenarios of 0.2.0-alpha.12 that 2026-07-28 requires: 32 of 32" {
	[ -n "${SECOND:-}" ] || skip "$WHY"
	scored 2026-07-28 32
}
