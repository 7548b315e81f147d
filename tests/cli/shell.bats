#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shell with a script on stdin: from a pipe, a file, /dev/null; what lines mean.

load helper

# lines ARG… (script on stdin): mcpctl with it as a pipe; status, out, err.
lines() {
	status=0
	cat | timeout 30 mcpctl "$@" >"$WORK/stdout" 2>"$WORK/stderr" || status=$?
	out=$(cat "$WORK/stdout")
	err=$(cat "$WORK/stderr")
}

@test "a script from a pipe, a file, /dev/null: no prompt, no colour" {
	lines sim: shell <<-'END'
		# smoke
		ping

		call self.get_device_status
	END
	ends 0
	says alive
	says '"volume":70'
	[ -z "$err" ]
	absent $'\x1b' stdout
	absent '>' stdout
	printf 'ping\ntools volume' >smoke.mcp
	status=0
	mcpctl sim: shell <smoke.mcp >stdout 2>stderr || status=$?
	[ "$status" = 0 ]
	grep -q alive stdout
	grep -q self.audio_speaker.set_volume stdout
	mcp sim: shell
	ends 0
	[ -z "$out$err" ]
}

@test "the first failure ends it, with its status and its line" {
	lines sim: shell <<-'END'
		ping
		tools nothing-like-this
		ping
	END
	ends 7
	hints 'stdin:2: no tool matches'
	[ "$(grep -c alive stdout)" = 1 ]
	lines sim: shell < <(printf 'ping\ncall "x\nping\n')
	ends 2
	hints 'stdin:2: double quote'
}

@test "a wrong target is told, also to a script without a line" {
	mcp bogus: shell
	ends 2
	hints "error: target 'bogus:' has the unknown scheme"
	mcp ws://127.0.0.1:1/ shell
	ends 0
	[ -z "$out$err" ]
}

@test "--keep-going goes on, and ends with the first failure's status" {
	lines sim: shell --keep-going <<-'END'
		ping
		tools nothing-like-this
		nope
		ping
	END
	ends 7
	[ "$(grep -c alive stdout)" = 2 ]
	hints '2 of 4 lines failed'
	lines sim: shell -k < <(printf 'nope\nping\n')
	ends 2
}

@test "a tool's name alone calls it; JSON needs no quotes; nothing runs by its beginning" {
	lines sim: shell <<-'END'
		self.audio_speaker.set_volume volume=21
		self.audio_speaker.set_volume {"volume": 22}
		self.get_device_status --expect {"audio_speaker":{"volume":22}}
	END
	ends 0
	lines sim: shell <<<'self.audio_speaker volume=1'
	ends 2
	hints "no tool 'self.audio_speaker'"
	hints "did you mean 'self.audio_speaker.set_volume'?"
	lines sim: shell <<<'inf'
	ends 2
	lines sim: shell <<<'call set_volume volume=5'
	ends 0
	lines sim: shell <<<'self.reb'
	ends 2
	hints "did you mean 'self.reboot'?"
	lines sim: shell <<<'self.audio_speaker.set_volume volume=101'
	ends 2
	hints '101'
}

@test "set, last, help: of the session, nothing is asked again" {
	lines sim: shell <<-'END'
		call self.get_device_status
		set output json
		last
		last -o raw
		last text | cat
		set
		set output text
		set timeout 3s
		set verbose on
		set verbose off
		set
		tools 'self.screen.*'
		last -o json
		describe self.reboot
		last -o json
		info
		last -o json
		help self.screen.set_theme
		help use
		help call
		help targets
	END
	ends 0
	says '"volume":70'
	says '"output":"json"'
	says 'timeout   3s'
	says '"jsonrpc":"2.0"'
	says 'usage: use [DEVICE|TARGET|-- PROGRAM'
	says 'usage: mcpctl'
	says '{"name":"self.screen.set_theme"'
	lines sim: shell <<<'last'
	ends 7
	# Not connected yet, the shell does not know tools.
	lines sim: shell <<<'help take_photo'
	ends 2
	hints 'if it is a tool: describe take_photo; mcpctl help lists both'
	lines sim: shell <<<'help --bogus'
	ends 2
	[[ $err != *'if it is a tool'* ]]
	lines sim: shell <<<'set bogus 1'
	ends 2
	lines sim: shell <<<'set timeout soon'
	ends 2
	lines sim: shell <<<'set outptu json'
	hints "did you mean 'output'?"
}

@test "a setting holds: timeout" {
	lines 'sim:?fault=no-reply' --no-init shell <<-'END'
		set timeout 200ms
		call --no-validate self.get_device_status
	END
	ends 4
	hints '200 ms'
}

@test "pipes: results go to sh, EPIPE is no error, its failure is one" {
	lines sim: shell <<-'END'
		self.get_device_status | python3 -c 'import json,sys; print(json.load(sys.stdin)["audio_speaker"])'
		tools | head -n 1 | cut -c1-10
		ping
	END
	ends 0
	says "{'volume': 70}"
	says self.get_d
	says alive
	# What is saved to stdout, too.
	lines sim:conformance shell <<-'END'
		call test_image_content --save - | wc -c
		last --save - | tail -c +2 | head -c 3
	END
	ends 0
	[ "$(cat stdout)" = $'69\nPNG' ]
	lines sim: shell <<<'ping | grep -q nothing'
	ends 7
	hints "'grep -q nothing' ended with status 1"
	lines sim: shell <<<'tools nothing-like-this | cat'
	ends 7
	lines sim: shell <<<'ping |'
	ends 2
	# More than a pipe holds, and nobody reads it.
	lines 'sim:?fill=2000' shell <<<'tools | true'
	ends 0
	yes 'self.get_device_status | true' | head -n 50 >many
	lines sim: shell <many
	ends 0
}

@test "! runs a command of sh, which does not read the script" {
	lines sim: shell <<-'END'
		! cat; echo "one $((1+1))"
		ping
		! exit 3
		ping
	END
	ends 7
	says 'one 2'
	hints "'exit 3' ended with status 3"
	[ "$(grep -c alive stdout)" = 1 ]
}

@test "a script that is read from stdin leaves none of it to a command" {
	lines sim: shell <<-'END'
		tools --diff -
		ping
	END
	ends 2
	hints 'stdin is read by something else already'
	hints "only one '-'"
	absent alive stdout
}

@test "run FILE, run in it, and itself" {
	printf 'ping\nself.get_device_status | cat\nrun inner.mcp\n' >outer.mcp
	printf 'set timeout 2s\nping\nnope\nping\n' >inner.mcp
	lines sim: shell <<<'run outer.mcp'
	ends 2
	hints "stdin:1: outer.mcp:3: inner.mcp:3: unknown command 'nope'"
	[ "$(grep -c alive stdout)" = 2 ]
	lines sim: shell <<<'run -k inner.mcp'
	ends 2
	[ "$(grep -c alive stdout)" = 2 ]
	echo 'run self.mcp' >self.mcp
	lines sim: shell <<<'run self.mcp'
	ends 2
	hints 'too deep'
	lines sim: shell <<<'run absent.mcp'
	ends 2
}

@test "use another target, with the same settings; quit ends it" {
	lines sim: shell <<-'END'
		set output json
		use
		use sim:?fault=late-hello=100ms
		use
		use sim:
		ping
		quit
		nope
	END
	ends 0
	says '{"target":"sim:?fault=late-hello=100ms"}'
	says '"alive"'
	lines sim: shell < <(printf 'use nope:\n')
	ends 3
	hints "a target has ':'"
	lines sim: shell < <(printf 'use sim:no-such-profile\nping\n')
	ends 2
	lines shell < <(printf 'use http://127.0.0.1:1/mcp\nping\n')
	ends 3
	hints 'connection refused'
	lines shell < <(printf 'use sim:\nping\n')
	ends 0
	lines shell <<<ping
	ends 2
	hints 'no target'
}

@test "a device that restarts is opened again by the next line" {
	lines sim: shell <<-'END'
		self.reboot
		ping
		reconnect
		ping
	END
	ends 0
	[ "$(grep -c alive stdout)" = 2 ]
}

@test "what makes no sense on an open session, and options of the whole run" {
	for word in serve sim shell completion generate; do
		lines sim: shell <<<"$word"
		ends 2
		hints 'makes no sense on an open session'
	done
	lines sim: shell <<<'tools -o json'
	ends 2
	hints "by 'set output'"
	lines sim: shell <<<'tools -o table'
	ends 2
	hints "neither the shell nor 'run' makes tables"
	absent "'set" stderr
	lines sim: shell <<<'tools --header A:b'
	ends 2
	hints "give it on mcpctl's own command line"
	absent "'set" stderr
	mcp sim: run -e 'tools -o json'
	ends 2
	absent "'set" "$WORK/stderr"
	mcp sim: -e ping shell
	ends 2
	mcp --all shell
	ends 2
	lines sim: shell <<<'call self.get_device_status -'
	ends 2
	hints 'something else reads it'
}

@test "proposals are what is possible in a session" {
	for word in serv simm; do
		lines sim: shell <<<"$word"
		ends 2
		hints "'help' lists the commands"
	done
	lines sim: shell <<<'pimg'
	hints "did you mean 'ping'?"
	lines sim: shell <<<'devices'
	ends 2
	hints 'has its own target, as in: ! mcpctl devices'
	mcp sim: devices
	ends 2
	hints 'leave the target out'
}

@test "lines are run as they come, and the session goes on between them" {
	mkfifo pipe
	mcpctl 'sim:?fault=notify-storm' shell <pipe >shell.out 2>shell.err 3>&- &
	PIDS+=($!)
	local pid=$!
	exec 9>pipe
	echo ping >&9
	wait_for shell.out alive
	sleep 1.2
	echo 'set timeout 5s' >&9
	echo 'info' >&9
	wait_for shell.out pretend
	exec 9>&-
	finish $pid 0
	# A process that shares the pipe finds it as it was.
	(mcpctl sim: shell <<<ping && cat) < <(sleep 0.2; echo rest) >both
	grep -q rest both
}

@test "no line is too odd" {
	lines sim: shell < <(printf 'ping\n\0nope\n')
	ends 2
	hints 'stdin:2: this line is no text'
	lines sim: shell < <(printf 'ping\r\n\t \r\nping')
	ends 0
	[ "$(grep -c alive stdout)" = 2 ]
	lines sim: shell < <(printf 'x %0100000d\n' 0)
	ends 2
	printf 'call self.audio_speaker.set_volume volume=%s\n' {1..60} >many
	lines sim: shell <many
	ends 0
	[ "$(grep -c '^true$' stdout)" = 60 ]
}

@test "a full disk ends a script with status 8" {
	status=0
	printf 'ping\nping\n' | mcpctl sim: shell >/dev/full 2>stderr || status=$?
	[ "$status" = 8 ]
	grep -q 'written: No space left on device$' stderr
	status=0
	# A note behind a result has that written at once.
	printf 'tools\n! echo went on >&2\n' | mcpctl sim: shell >/dev/full 2>stderr || status=$?
	[ "$status" = 8 ]
	absent 'went on' stderr
}

@test "a script on a running serve: its only device, use, devices, kick" {
	serve
	device one --device-id aa:00:00:00:00:01
	event ready aa:00:00:00:00:01
	lines shell <<-'END'
		info
		devices
		use aa:00:00:00:00:01
		ping
	END
	ends 0
	says aa:00:00:00:00:01
	device two --device-id aa:00:00:00:00:02
	event ready aa:00:00:00:00:02
	lines shell <<<ping
	ends 2
	hints 'which one'
	lines shell <<-'END'
		use aa:00:00:00:00:02
		ping
		use aa:00:00:00:00:01
		ping
		devices
		use
	END
	ends 0
	[ "$(grep -c 'aa:00:00:00:00:02' stdout)" = 2 ]
	lines shell <<<'use aa:*'
	ends 2
	hints "2 devices of the running serve fit 'aa:*'"
	lines shell <<<'use zz'
	ends 3
}

@test "a long storm comes whole, in a memory that stays flat" {
	mcp -o json 'sim:?fault=notify-storm=60000' tail --filter 'notifications/*' --count 60000
	ends 0
	[ "$(wc -l <stdout)" = 60000 ]
	absent '"dropped"' stdout
	# More than a connection may queue: the board waits for its reader.
	listener l -o json listen:127.0.0.1:0 tail --filter 'notifications/*' --count 1000000
	background board mcpctl sim --connect "ws://127.0.0.1:$PORT/xiaozhi/v1/" \
		--fault notify-storm=1000000
	local pid=$LISTENER most=0 now
	while now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status") &&
		[ -n "$now" ]; do
		most=$now
		sleep 0.2
	done 2>/dev/null
	finish "$pid" 0
	[ "$(wc -l <l.out)" = 1000000 ]
	absent '"dropped"' l.out
	case $BUILD in
	*/san) ;;
	*) [ "$most" -lt 30000 ] ;;
	esac
}

@test "set leaves loglevel as it is" {
	lines shell -- /usr/bin/python3 "$BATS_TEST_DIRNAME/logging_server.py" <<-'END'
		loglevel debug
		set timeout 5s
		call log
	END
	ends 0
	hints 'debug: a debug'
}

@test "last: a list that ended early, and a kept one, are told as such again" {
	lines 'sim:?fault=loop-cursor' shell -k < <(printf 'tools\nlast\n')
	[ "$(grep -c ', incomplete$' <<<"$err")" = 2 ]
	lines sim: shell < <(printf 'tools\ntools --cached\nlast\nlast -o json\n')
	ends 0
	[ "$(grep -c 'ago from sim:$' <<<"$err")" = 2 ]
	hints '"kept":"sim:","age_s":'
}

@test "last --save writes the picture of the last result, and says where there is none" {
	lines sim:fixtures shell <<-'END'
		call self.test.image
		last --save picture.png
		last --save=again.png
	END
	ends 0
	hints 'to picture.png'
	cmp picture.png again.png
	lines sim: shell <<-'END'
		ping
		last --save none.png
	END
	ends 7
	[ ! -e none.png ]
}
