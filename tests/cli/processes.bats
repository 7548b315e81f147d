#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# No more processes and threads (ulimit -u): who needs one is told so, and all
# else lives on.

# shellcheck disable=SC2016,SC2034 # for the shell of --exec; for the helper
load helper

# What a user runs is counted in all, and root's is not: so this is a user who
# runs nothing else, or, where it takes root to be another, a user namespace.
setup() {
	local user=$((200000 + $$))
	places
	PATH=$BUILD:$PATH
	WORK=$BATS_TEST_TMPDIR
	ALONE=(unshare --user --map-current-user)
	if [ "$(id -u)" = 0 ]; then
		ALONE=(setpriv "--reuid=$user" "--regid=$user" --clear-groups)
		WORK=$(mktemp -d "${TMPDIR:-/tmp}/mcpctl-test-XXXXXX")
		chown "$user:$user" "$WORK"
		# Nor may that user look into a home of root's.
		mkdir "$WORK/bin"
		cp -rL "$BUILD"/mcpctl "$BUILD"/*.so "$BUILD"/profiles "$WORK/bin"
		PATH=$WORK/bin:$PATH
	fi
	export HOME=$WORK XDG_RUNTIME_DIR=$WORK TMPDIR=$WORK LC_ALL=C.UTF-8
	unset "${!MCPCTL_@}"
	# The search for leaks is a process.
	export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
	SERVE_BEFORE="${ALONE[*]}"
	PIDS=()
	cd "$WORK" || return 1
	"${ALONE[@]}" mcpctl version >/dev/null || skip "no user who runs nothing else here"
}

teardown() {
	local pid
	for pid in "${PIDS[@]}"; do
		kill "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
	done
	[ "$WORK" = "$BATS_TEST_TMPDIR" ] || rm -rf "$WORK"
}

# lonely ARG…: mcpctl as that user, who may run one process.
lonely() {
	status=0
	"${ALONE[@]}" prlimit --nproc=1 mcpctl "$@" >stdout 2>stderr </dev/null || status=$?
	out=$(cat stdout)
	err=$(cat stderr)
}

# processes N: what serve and its starter may have from now on, in all.
processes() {
	"${ALONE[@]}" prlimit --pid "$SERVER" "--nproc=$1:"
	"${ALONE[@]}" prlimit --pid "$(starter)" "--nproc=$1:"
}

@test "a program: it cannot be started, and where to look" {
	lonely stdio:cat ping
	[ "$status" = 3 ]
	[[ $err == *"cannot start 'cat': "*"ulimit -u"* ]]
}

@test "a name: it cannot be looked up, and that is no crash" {
	for target in ws http mqtt; do
		lonely --timeout 5s "$target://localhost:9/x" ping
		[ "$status" = 3 ]
	done
	lonely ws://localhost:9/x ping
	[[ $err == *"cannot find the host 'localhost': resource temporarily unavailable"* ]]
	lonely mqtt://localhost:9/x ping
	[[ $err == *"cannot find the broker's host 'localhost': resource temporarily unavailable"* ]]
	lonely sim --connect ws://localhost:9/
	[ "$status" = 3 ]
}

@test "serve: without the process that starts programs there is none" {
	lonely serve --listen 127.0.0.1:0
	[ "$status" = 3 ]
	[[ $err == *"ulimit -u"* ]]
}

@test "--exec: one board goes without, the next has its command" {
	background commands "${ALONE[@]}" mcpctl -o json serve --listen 127.0.0.1:0 \
		--log log --exec 'echo run >>runs'
	SERVER=$LAST
	line=$(wait_for log '"event":"listening"')
	PORT=$(grep -oE '[0-9]+/xiaozhi' <<<"$line" | head -n 1 | tr -dc '0-9')
	processes 2
	device first
	wait_for log '"event":"exec".*was not started: .*ulimit -u.*"status":3'
	[ ! -e runs ]
	processes 100
	device second --device-id 02:00:00:00:00:02
	wait_for log '"event":"exec".*ended with status 0'
	grep -qx run runs
}

@test "--exec --once: no success where nothing ran" {
	background once "${ALONE[@]}" mcpctl serve --listen 127.0.0.1:0 --once --exec true
	SERVER=$LAST
	line=$(wait_for once.err 'http://[^ ]*/xiaozhi/ota/')
	PORT=$(grep -oE '[0-9]+/xiaozhi' <<<"$line" | tr -dc '0-9')
	processes 2
	device first
	finish "$SERVER" 3
	grep -q 'was not started' once.err
}

@test "--vision-exec: that picture is answered so, the next is looked at" {
	serve --vision-exec 'echo a cat'
	device board
	event ready
	processes 2
	"${ALONE[@]}" mcpctl call self.camera.take_photo question=what >told 2>&1 || :
	grep -q 'cannot start' told
	processes 100
	"${ALONE[@]}" mcpctl call self.camera.take_photo question=what >told
	grep -q 'a cat' told
}

@test "the broker: it is down until there is room again, and boards stay" {
	command -v mosquitto >/dev/null || command -v /usr/sbin/mosquitto >/dev/null || skip "no mosquitto here"
	serve --mqtt="$(free_port)"
	device board
	event ready
	processes 2
	kill -KILL "$(pgrep -P "$(starter)" mosquitto)"
	event broker 'cannot start .*emporarily unavailable'
	"${ALONE[@]}" mcpctl call self.get_device_status
	processes 100
	event broker 'started again'
}
