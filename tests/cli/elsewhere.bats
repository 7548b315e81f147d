#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# scripts/enter-root: what was begun in a root ends with who began it.

load helper
bats_require_minimum_version 1.5.0

# small_root FOLDER: a root in which env, sh and sleep run.
small_root() {
	local tool
	mkdir -p "$1"/{proc,sys,dev,mnt,usr/bin}
	for tool in env sh sleep; do
		tool=$(command -v $tool)
		cp -L "$tool" "$1/usr/bin/"
		ldd "$tool" | grep -o '/[^ ]*' | xargs cp -L --parents -t "$1"
	done
}

# asleep SECONDS: whether one sleeps so long.
asleep() { pgrep -f "^sleep $1\$"; }

awake() { ! asleep "$1"; }

# bats test_tags=root
@test "enter-root: TERM to who entered a root leaves nothing running in there" {
	needs_root 'it mounts'
	unshare --mount --pid --fork true 2>/dev/null || skip 'no namespaces can be made here'
	small_root root
	enter=$ROOT/scripts/enter-root
	# As long as no other process does.
	long=$((10000000 + $$))
	cat >caller <<-END
		"$enter" "$WORK/root" sh -c 'sleep $long & wait'
		echo went on
	END
	for signal in TERM HUP KILL; do
		background caller sh caller
		until_true asleep $long
		kill -$signal "$LAST"
		until_true awake $long
		absent 'went on' caller.out
	done
	# And of the one that did it.
	background entered "$enter" "$WORK/root" sh -c "sleep $long & wait"
	until_true asleep $long
	kill -KILL "$LAST"
	until_true awake $long
}
