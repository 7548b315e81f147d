#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What serve gives up once it listens, and what the user's commands keep.

# shellcheck disable=SC2016,SC2034 # for the shell of --exec; for the helper
load helper

field() { sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"; } # PID NAME

# executing ARG…: serve whose events go to serve.out, what its commands say to
# commands.out.
executing() {
	local line
	: >serve.out
	background commands mcpctl -o json -v serve --listen 127.0.0.1:0 --log serve.out "$@"
	SERVER=$LAST
	line=$(event listening) || return 1
	PORT=$(grep -o '127\.0\.0\.1:[0-9]*/xiaozhi' <<<"$line" | head -n 1 | tr -dc '0-9\n' | sed 's/^127001//')
}

has_seccomp() { grep -q '"text":"[^;"]*seccomp' serve.out; }

@test "serve and its broker can gain nothing; what starts programs can" {
	MQTT=$(free_port)
	serve -v "--mqtt=$MQTT"
	event fences 'no new privileges'
	[ "$(field "$SERVER" NoNewPrivs)" = 1 ]
	[ "$(field "$(starter)" NoNewPrivs)" = 0 ]
	broker=$(pgrep -P "$(starter)" mosquitto)
	[ "$(field "$broker" NoNewPrivs)" = 1 ]
	has_seccomp || skip "no seccomp here"
	[ "$(field "$SERVER" Seccomp)" = 2 ]
	[ "$(field "$broker" Seccomp)" = 2 ]
}

# capabilities PID: those of all its threads, but for the few that it may keep: to
# open files (Landlock says which) and ports below 1024 (the same).
capabilities() {
	local status all=0
	for status in /proc/"$1"/task/*/status; do
		all=$((all | 0x$(sed -n 's/^CapPrm:[[:space:]]*//p' "$status")))
	done
	printf '%x' $((all & ~0x406))
}

has_few() { [ "$(capabilities "$1")" = 0 ]; }

# bats test_tags=root
@test "of root's capabilities serve and its broker keep those for files and ports" {
	needs_root 'nobody else has any'
	! has_few $$ || skip 'root has none here'
	MQTT=$(free_port)
	executing "--mqtt=$MQTT" --exec 'cat /proc/self/status >whole'
	event broker 'connected to the broker'
	until_true has_few "$SERVER"
	has_few "$(pgrep -P "$(starter)" mosquitto)"
	# What the user named has what the user has.
	device board
	event exec 'status 0'
	grep -qx "CapEff:[[:space:]]*$(field self CapEff)" whole
}

@test "--no-sandbox: it keeps all" {
	serve -v --no-sandbox
	event listening
	[ "$(field "$SERVER" NoNewPrivs)" = "$(field self NoNewPrivs)" ]
	[ "$(field "$SERVER" Seccomp)" = "$(field self Seccomp)" ]
	absent '"event":"fences"' serve.out
}

@test "--exec runs as the user would run it: limits, folder, privileges" {
	ulimit -S -n 512
	executing --exec 'ulimit -S -n; pwd; grep NoNewPrivs /proc/self/status; echo kept >kept'
	device board
	event exec 'status 0'
	grep -qx 512 commands.out
	grep -qx "$WORK" commands.out
	grep -qx "NoNewPrivs:[[:space:]]*$(field self NoNewPrivs)" commands.out
	grep -qx kept kept
}

@test "token and names are read again, and the log is opened anew, from outside the fences" {
	mkdir private
	printf 'first\n' >private/token
	background serve mcpctl -o json -v serve --listen 127.0.0.1:0 \
		--token-file private/token --log private/log
	SERVER=$LAST
	until_true grep -q '"event":"fences"' private/log
	printf 'second\n' >private/other
	mv private/other private/token
	mkdir -p config/mcpctl
	printf '{"kitchen":"02:00:00:00:00:01"}' >config/mcpctl/devices.json
	mv private/log private/log.1
	kill -HUP "$SERVER"
	until_true grep -q 'read again: 1 token, 1 alias"' private/log
}

@test "its pid file and socket go with it" {
	mkdir place
	background serve mcpctl serve --listen 127.0.0.1:0 --pidfile place/pid --socket "$WORK/place/s"
	until_true test -s place/pid
	wait_for serve.err /xiaozhi/ota/
	mcp --socket "$WORK/place/s" stop
	ends 0
	finish "$LAST" 0
	[ -z "$(ls place)" ]
}

@test "serve is killed: what it started ends, and so does its starter" {
	executing --exec 'echo $$ >shell; sleep 600; sleep 600'
	device board
	until_true test -s shell
	starter=$(starter)
	kill -KILL "$SERVER"
	until_true over "$(cat shell)"
	until_true over "$starter"
}

@test "its starter is killed: said, and nothing hangs" {
	executing --exec 'echo $$ >>shell; sleep 600'
	device board
	until_true test -s shell
	kill -KILL "$(starter)"
	event exec 'status 137'
	kill "$(cat shell)"
	mcp devices
	ends 0
}

@test "Ctrl-C on the terminal is for serve, which ends the rest" {
	# Both get it there.
	executing --exec 'trap "echo ended >ended; exit" TERM; echo $$ >shell; while :; do sleep 0.1; done'
	device board
	until_true test -s shell
	kill -INT "$(starter)"
	mcp devices
	ends 0
	kill -INT "$SERVER"
	finish "$SERVER" 130
	grep -qx ended ended
}

# exposed FILE TENTHS: every line of the unit is one that systemd knows, and its
# exposure is at most that. What it is made of is said in the file.
exposed() {
	command -v systemd-analyze >/dev/null || skip "no systemd-analyze here"
	systemd-analyze security --help | grep -q -- --offline || skip "an older one"
	sed "s|@bindir@|$BUILD|" "$ROOT/scripts/$1" >mcpctl-serve.service
	systemd-analyze verify --man=no "$WORK/mcpctl-serve.service" >verified 2>&1
	[ ! -s verified ]
	run systemd-analyze security --offline=true --threshold="$2" --no-pager "$WORK/mcpctl-serve.service"
	echo "$output" | tail -n 1
	[ "$status" = 0 ]
}

@test "the machine's unit: its exposure is below 4" {
	exposed mcpctl-serve-system.service 20
}

@test "the user's unit is as tight as a user's manager allows" {
	exposed mcpctl-serve.service 66
}
