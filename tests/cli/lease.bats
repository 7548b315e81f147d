#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# lease: boards of serve for one user of it; who waits, who is refused, what
# ends it. power: what switches them.

# shellcheck disable=SC2016,SC2034 # for the shells below; for the helper
load helper

A=02:00:00:00:00:01
B=02:00:00:00:00:02

# two ARG…: serve with two boards, kitchen and bath; more aliases are away.
two() {
	mkdir -p config/mcpctl
	echo "{\"kitchen\":\"$A\",\"bath\":\"$B\",\"cellar\":\"02:00:00:00:00:99\"}" >config/mcpctl/devices.json
	serve "$@"
	device boards --devices 2
	event ready "$A"
	event ready "$B"
}

# hold NAME WORD…: a lease whose command lasts until the file NAME.end is there.
hold() {
	local name=$1
	shift
	background "$name" mcpctl lease --as "$name" "$@" -- \
		sh -c "echo held; until [ -e $name.end ]; do sleep 0.05; done; exit 7"
}
held() { wait_for "$1.out" held; }
let_go() { touch "$1.end"; }

@test "while its command runs, its calls pass and others' are refused with who and how long" {
	two
	hold one kitchen
	held one
	mcp -d kitchen call self.get_device_status
	ends 3
	hints "'kitchen' is leased by one until its command ends"
	hints "'mcpctl lease kitchen --wait 10m -- COMMAND' waits for it"
	mcp kick '02:*'
	ends 3
	hints 'leased by one'
	mcp -d bath ping
	ends 0
	mcp -d kitchen tail --for 50ms
	ends 0
	mcp devices -o json
	ends 0
	[ "$(jq -r 'select(.alias=="kitchen").lease | "\(.by) \(.until)"' <<<"$out")" = 'one null' ]
	[ "$(jq -r 'select(.alias=="bath").lease' <<<"$out")" = null ]
	mcp devices kitchen
	says 'leased by one'
	# A row says so; the others are asked.
	mcp --all ping
	ends 3
	says "'kitchen' is leased by one"
	says alive
	let_go one
	finish "$LAST" 7
	mcp -d kitchen ping
	ends 0
	event lease 'released: kitchen, by one'
}

@test "the command of a lease may all; its words are no shell's; its status is ours" {
	two
	mcp lease kitchen bath --as x -- sh -c 'mcpctl -d kitchen ping && mcpctl --all ping && mcpctl kick kitchen; exit 9'
	ends 9
	says alive
	hints 'ended 1 connection'
	mcp lease kitchen -- printf '%s|' '$HOME' '*' 'a b'
	ends 0
	[ "$out" = '$HOME|*|a b|' ]
	mcp lease kitchen -- ./no-such-program
	ends 3
	hints no-such-program
	mcp lease kitchen -- sh -c 'kill -9 $$'
	ends 137
}

@test "for a time: the line is for a shell, the token opens, --release gives back" {
	two
	mcp lease kitchen cellar --for 30m --as shell
	ends 0
	hints "'cellar' is not here now"
	[[ $out =~ ^export\ MCPCTL_LEASE=[0-9a-f]{32}$ ]]
	local token=${out#*=}
	mcp -d kitchen ping
	ends 3
	hints 'leased by shell for 30 min more'
	MCPCTL_LEASE=$token mcp -d kitchen ping
	ends 0
	MCPCTL_LEASE=${token/[0-9]/x} mcp -d kitchen ping
	ends 3
	# A second one beside it: both stand in the line.
	MCPCTL_LEASE=$token mcp lease bath --for 1m
	ends 0
	[[ $out == "export MCPCTL_LEASE=$token,"* ]]
	export "${out#export }"
	mcp --all ping
	ends 0
	mcp lease --release bath
	ends 0
	hints 'gave back 1 lease'
	# One of its leases is over, and this board is not its own any more.
	mcp -d bath ping
	ends 3
	hints 'the lease of this command (MCPCTL_LEASE) is over'
	mcp -d kitchen ping
	ends 0
	mcp lease --release
	ends 0
	unset MCPCTL_LEASE
	mcp --all ping
	ends 0
	# A token that could not be written is nobody's.
	status=0
	mcpctl lease kitchen --for 1h >/dev/full || status=$?
	[ "$status" = 8 ]
	mcp -d kitchen ping
	ends 0
	mcp lease kitchen --for 1m -o json --as x
	jq -e '.lease.by == "x" and .devices[0].alias == "kitchen" and (.leases|length) == 32' <<<"$out"
}

@test "a lease for a command, under one for a time, ends alone" {
	two
	eval "$(mcpctl lease kitchen --for 5m --as ann)"
	mcp lease bath -- mcpctl --all ping
	ends 0
	mcp -d kitchen ping
	ends 0
	mcp devices kitchen
	says 'leased by ann'
	mcp devices bath -o json
	[ "$(jq -r .lease <<<"$out")" = null ]
	mcp lease --release
	hints 'gave back 1 lease'
}

@test "what somebody forgot is given back by board and name; a guess is not enough" {
	two
	mcp lease kitchen --for 30m --as 'ci 17'
	ends 0
	mcp lease --release kitchen
	ends 3
	hints 'leased by ci 17 for'
	mcp lease --release kitchen --as 'ci 18'
	ends 3
	mcp lease --release bath --as 'ci 17'
	ends 3
	hints "nobody holds 'bath'"
	mcp lease --release kitchen --as 'ci 17'
	ends 0
	mcp -d kitchen ping
	ends 0
}

@test "time ends it, also under its command, which is told" {
	two
	background brief mcpctl lease kitchen --for 300ms -- sh -c 'until [ -e over ]; do sleep 0.05; done; mcpctl -d kitchen ping; exit 4'
	brief=$LAST
	wait_for brief.err 'the time of the lease is over'
	touch over
	finish "$brief" 4
	grep -q 'the lease of this command (MCPCTL_LEASE) is over' brief.err
	event lease 'the time of the lease is over'
	mcp -d kitchen ping
	ends 0
}

@test "it dies with its holder, even by SIGKILL; a board that restarts keeps it" {
	two
	hold one kitchen
	holder=$LAST
	held one
	mcp lease bath --for 1h --as other
	ends 0
	kill "$DEVICE"
	wait "$DEVICE" || :
	until_true eval '[ -z "$(mcpctl devices)" ]'
	mcp lease kitchen --for 1m
	ends 3
	hints "'kitchen' is leased by one"
	device again --devices 2
	until_true eval 'mcpctl devices kitchen | grep -q tools'
	mcp -d kitchen ping
	ends 3
	hints 'leased by one'
	mcp -d bath ping
	ends 3
	kill -KILL "$holder"
	until_true mcpctl -d kitchen ping
	let_go one
	mcp -d bath ping
	ends 3
}

@test "two jobs that want two boards in other order do not block each other" {
	two
	hold one kitchen
	held one
	hold two bath kitchen --wait 60s
	second=$LAST
	wait_for two.err "waiting: 'kitchen' is leased by one"
	hold three kitchen bath --wait 60s
	third=$LAST
	wait_for three.err "'bath' is wanted by two, who asked earlier"
	# Nobody holds bath meanwhile.
	mcp -d bath ping
	ends 0
	let_go one
	held two
	wait_for three.err 'is leased by two'
	absent held three.out
	let_go two
	finish "$second" 7
	held three
	let_go three
	finish "$third" 7
}

@test "who does not wait is refused; who gives up leaves the queue" {
	two
	hold one kitchen
	held one
	mcp lease kitchen -- true
	ends 3
	hints "'kitchen' is leased by one until its command ends"
	hints '--wait 10m'
	mcp lease kitchen --wait 200ms -- true
	ends 4
	hints 'not leased within 200 ms'
	# Who is before was told a moment ago.
	absent 'told .*(min|h) ago' stderr
	background waits mcpctl lease kitchen --wait 60s --as waits -- true
	waits=$LAST
	wait_for waits.err waiting
	hold last kitchen --wait 60s
	last=$LAST
	wait_for last.err 'wanted by waits'
	kill -INT "$waits"
	finish "$waits" 130
	let_go one
	held last
	let_go last
	finish "$last" 7
}

@test "serve ends: the lease is gone, its command is told, and calls with it are refused" {
	two
	hold one kitchen
	one=$LAST
	held one
	mcp lease bath --for 1h
	export "${out#export }"
	mcp stop
	ends 0
	wait_for one.err 'serve was stopped'
	let_go one
	finish "$one" 7
	two
	mcp -d bath ping
	ends 3
	hints 'serve was started anew'
	unset MCPCTL_LEASE
	mcp -d bath ping
	ends 0
}

@test "a shell that was there before is refused, too; nothing of it reaches the board" {
	two
	mkfifo lines
	background before sh -c 'mcpctl -d kitchen shell -k <lines'
	exec 9>lines
	echo 'call self.audio_speaker.set_volume volume=11' >&9
	wait_for before.out true
	hold one kitchen
	held one
	echo 'call self.audio_speaker.set_volume volume=12' >&9
	wait_for before.err 'leased by one'
	exec 9>&-
	let_go one
	until_true mcpctl -d kitchen ping
	mcp -d kitchen call self.get_device_status
	says '"volume":11'
}

@test "what is asked wrongly" {
	two
	mcp lease
	ends 2
	mcp lease kitchen
	ends 2
	hints '-- COMMAND, or --for'
	mcp lease kitchen --for
	ends 2
	mcp lease nobody --for 1m
	ends 3
	hints 'no alias'
	# Here, 'nobody*' would not be waited for.
	absent 'waited for' "$WORK/stderr"
	mcp lease 'x*' --for 1m
	ends 3
	hints 'no board that is here or known'
	hints 'by its alias or its whole id'
	mcp kick nobody
	ends 3
	absent 'waited for' "$WORK/stderr"
	mcp -d nobody tools
	ends 3
	hints "is waited for as 'nobody*'"
	mcp lease kitchen --for 99999h
	ends 2
	hints '10 days'
	mcp lease kitchen --as "$(printf 'a\nb')" --for 1m
	ends 2
	mcp lease kitchen --as "$(printf '%080d' 1)" --for 1m
	ends 2
	mcp lease kitchen --release --for 1m
	ends 2
	mcp lease --release --as x
	ends 2
	mcp lease --release
	ends 3
	mcp lease kitchen --
	ends 2
	hints 'mcpctl lease kitchen -- make test'
	mcp ws://x lease kitchen --for 1m
	ends 2
	mcp lease kitchen --as x -- mcpctl lease kitchen -- true
	ends 2
	hints 'leased by this command already'
	# Nobody has its token: it must not stay.
	MCPCTL_LEASE=$(printf '%01000d' 0) mcp lease kitchen --for 1m
	ends 2
	hints 'too many leases'
	mcp devices -o json
	[ "$(jq -s 'map(select(.lease))|length' <<<"$out")" = 0 ]
}

@test "--exec is left out for a leased board" {
	background log mcpctl serve --listen 127.0.0.1:0 --exec 'echo "ran $MCPCTL_DEVICE" >>ran'
	wait_for log.err '/xiaozhi/ota/'
	PORT=$(grep -oE '127\.0\.0\.1:[0-9]+' log.err | head -n 1 | cut -d: -f2)
	device boards --devices 2
	wait_for ran "ran $A"
	wait_for ran "ran $B"
	hold one "$A"
	held one
	kill "$DEVICE"
	wait "$DEVICE" || :
	device again --devices 2
	wait_for log.err "$A  the command is left out: leased by one"
	until_true matches ran "ran $B" 2
	matches ran "ran $A" 1
	[ "$(grep -c "ran $A" ran)" = 1 ]
	let_go one
}

@test "--exec --once: a board that is ready, and leased, is not one that did not answer" {
	background log mcpctl serve --listen 127.0.0.1:0 --exec true --once --wait 3s
	SERVER=$LAST
	wait_for log.err '/xiaozhi/ota/'
	PORT=$(grep -oE '127\.0\.0\.1:[0-9]+' log.err | head -n 1 | cut -d: -f2)
	mcpctl lease "$A" --for 1m
	device boards
	finish "$SERVER" 3
	grep -qF "error: no device was ready for the command within 3 s: '$A' is leased by somebody" log.err
	absent 'did not answer' log.err
}

# named NAME VARIABLE=VALUE…: who holds it, where these are set.
named() {
	local name=$1
	shift
	env -u GITHUB_JOB -u GITHUB_RUN_ID -u CI_JOB_NAME -u CI_JOB_ID -u JOB_NAME -u BUILD_NUMBER \
		"$@" mcpctl lease kitchen --for 1m >lease.sh
	mcp devices kitchen
	says "leased by $name"
	# shellcheck source=/dev/null
	(. ./lease.sh && mcpctl lease --release)
}

@test "who holds a board is the job of a CI system and its run, else the user" {
	two
	named 'flash 17' GITHUB_JOB=flash GITHUB_RUN_ID=17
	named 'flash 18' CI_JOB_NAME=flash CI_JOB_ID=18
	named 'flash 19' JOB_NAME=flash BUILD_NUMBER=19
	# As serve takes it: no line ends, and no more than it takes.
	named 'a?b?c 17' GITHUB_JOB=$'a\nb\x7fc' GITHUB_RUN_ID=17
	named "$(printf 'j%.0s' {1..64})" GITHUB_JOB="$(printf 'j%.0s' {1..70})" GITHUB_RUN_ID=17
	# Half of it is none.
	named "$(id -un)" GITHUB_JOB=flash
	named "$(id -un)" GITHUB_JOB= GITHUB_RUN_ID=17
}

@test "power: the command gets the board as an argument, behind the fences" {
	cat >rack <<-'END'
		#!/bin/sh
		echo "$#:$1:$2:$3:$MCPCTL_DEVICE:$MCPCTL_POWER" >>rack.log
		[ "$3" != off ] || { echo 'no outlet'; echo 'twice no' >&2; exit 5; }
	END
	chmod +x rack
	two --power-cmd "$WORK/rack --to={alias} {device}"
	mcp power kitchen on
	ends 0
	hints "the power command for 'kitchen' (on) ended well"
	mcp -d kitchen power cycle
	ends 0
	# The old connection is none any more; the board comes back by itself.
	event gone 'its power was switched .cycle.'
	# It need not be here.
	mcp power cellar off
	ends 5
	hints '| no outlet'
	hints '| twice no'
	hints 'ended with status 5'
	[ "$(cat rack.log)" = "3:--to=kitchen:$A:on:$A:on
3:--to=kitchen:$A:cycle:$A:cycle
3:--to=cellar:02:00:00:00:00:99:off:02:00:00:00:00:99:off" ]
	event power 'power off: the command ended with status 5'
	mcp power '02:*' on
	ends 2
	hints 'power is switched for one'
	mcp power kitchen up
	ends 2
	mcp power on
	ends 2
	mcp power nobody on
	ends 3
	hold one kitchen
	held one
	mcp power kitchen off
	ends 3
	hints 'leased by one'
	let_go one
	# A stranger's id goes into no command.
	mcp power '02:00:00:00:00:77;reboot' on
	ends 3
	hints 'is not given to a command'
	absent reboot rack.log
}

@test "power: one at a time for a board" {
	printf '#!/bin/sh\necho "$*" >>rack.log\n[ "$2" = off ] || [ "$1" != %s ] || read -r go <go\n' "$A" >rack
	chmod +x rack
	mkfifo go
	two --power-cmd "$WORK/rack {device}"
	background first mcpctl power kitchen on
	FIRST=$LAST
	wait_for rack.log "$A on"
	mcp power kitchen off
	ends 3
	hints "'$A' is being switched already (on)"
	# Another's is.
	mcp power bath on
	ends 0
	echo >go
	finish "$FIRST" 0
	mcp power kitchen off
	ends 0
	[ "$(cat rack.log)" = "$A on
$B on
$A off" ]
}

@test "power without --power-cmd, and a --power-cmd that names no board" {
	two
	mcp power kitchen on
	ends 2
	hints 'cannot switch power'
	hints '--power-cmd'
	mcp serve --listen 127.0.0.1:0 --power-cmd 'rack on'
	ends 2
	hints 'does not say which board'
	mcp serve --listen 127.0.0.1:0 --power-cmd "rack '{device}"
	ends 2
	hints "option '--power-cmd'"
}

@test "check --power-cycle: the power goes last, and the board has to be back" {
	printf '#!/bin/sh\necho "$*" >>rack.log\n[ ! -e broken ] || { echo "no outlet" >&2; exit 5; }\n' >rack
	chmod +x rack
	two --power-cmd "$WORK/rack {device}"
	mcp -d kitchen check --power-cycle
	ends 2
	hints 'needs --risk odd or args'
	kill "$DEVICE"
	wait "$DEVICE" || :
	device again --reconnect
	event ready "$A"
	until_true eval 'mcpctl devices kitchen | grep -q tools'
	mcp -d kitchen check --risk odd --power-cycle --skip D124
	ends 0
	says 'cycled, and back after'
	says 'with the same tools'
	[ "$(cat rack.log)" = "$A cycle" ]
	mcp -d kitchen check --risk odd --power-cycle --plan
	ends 0
	says 'switches its power off and on'
	touch broken
	mcp -d kitchen check --risk odd --power-cycle --skip D124
	ends 3
	says 'ended with status 5: no outlet'
	rm broken
	hold one kitchen
	held one
	mcp -d kitchen check --risk odd --power-cycle
	ends 3
	hints 'leased by one'
	let_go one
	until_true mcpctl -d kitchen ping
	# One that stays away.
	kill "$DEVICE"
	wait "$DEVICE" || :
	device last
	until_true eval 'mcpctl devices kitchen | grep -q tools'
	mcp -d kitchen check --risk odd --power-cycle --skip D124 --timeout 2s
	ends 7
	hints 'was not back within 2000 ms'
	hints 'connects only when somebody wakes it'
}

@test "check --power-cycle without a command for it: nothing is asked" {
	two
	mcp -d kitchen check --risk odd --power-cycle
	ends 2
	hints 'cannot switch power'
	hints '--power-cmd'
	[ -z "$out" ]
	mcp sim: check --risk odd --power-cycle
	[ "$status" != 0 ]
	hints 'is for a board of the running serve'
	[ -z "$out" ]
}
