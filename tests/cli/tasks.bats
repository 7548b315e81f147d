#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Tools that run as tasks, in both eras: over HTTP with sim, over stdio with a
# server whose tasks are odd, on sessions that are kept open.
# shellcheck disable=SC2154 # set by helper.bash

load helper
bats_require_minimum_version 1.5.0

# shellcheck disable=SC2034 # of the helper
PATIENCE=15

teardown() {
	mcpctl stop --quiet 2>/dev/null || :
	local pid
	for pid in "${PIDS[@]}"; do
		kill "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
	done
}

# service [PROFILE]: sets URL.
service() {
	local line
	background service mcpctl sim "${1:-tasks}" --listen 127.0.0.1:0
	line=$(wait_for service.err 'listening at') || return 1
	URL=${line##* }mcp
}

# odd ERA ARG…: the server whose tasks are odd, over stdio; its log is `heard`.
odd() {
	local era=$1
	shift
	: >heard
	mcp --era "$era" "$@" -- /usr/bin/python3 "$ROOT/tests/cli/task_server.py" "$era" heard
}

# outlasts ERA TOOL [HINT]: that task is not over when the time is; then it is
# cancelled, or HINT says why not.
outlasts() {
	in_time 500ms "call --task $2" --era "$1" "stdio:/usr/bin/python3 '$ROOT/tests/cli/task_server.py' $1"
	ends 4
	hints "the task is not over when the time is"
	hints "${3-the task was cancelled}"
}

# told ERA: what is said of a task there that goes on, though the server took
# that it is cancelled; in the older one it says that it is.
told() {
	[ "$1" = modern ] && echo 'the server was told to cancel the task' && return
	echo 'the task was cancelled'
}

# silent: the last mcp has nothing on stdout.
silent() { [ -z "$out" ]; }

@test "over HTTP a tool runs as a task, waited for, with its result, in both eras" {
	service
	for era in legacy modern; do
		mcp --era $era "$URL" call --task research topic=owls
		ends 0
		[ "$out" = "all about owls" ]
		hints ': working: gathering'
		hints ': completed: writing'
		mcp --era $era -o json "$URL" call --task research topic=owls --expect-jq '. == "all about owls"'
		ends 0
		says '"content":[{"type":"text","text":"all about owls"}]'
		mcp --era $era "$URL" call --task fails
		ends 1
		says "no luck"
		mcp --era $era "$URL" --elicit accept-defaults call --task deploy
		ends 0
		[ "$out" = "accept: staging" ]
		mcp --era $era "$URL" --elicit decline call --task deploy
		ends 0
		[[ "$out" == "decline:"* ]]
	done
}

@test "the end of --timeout, and Ctrl-C, cancel the task and say so" {
	service
	for era in legacy modern; do
		mcp --era $era "$URL" call --task endless --timeout 600ms
		ends 4
		silent
		hints 'the task is not over when the time is (working: at it)'
		hints 'hint: the task was cancelled'
		background waits mcpctl --era $era "$URL" call --task endless
		wait_for waits.err 'working: at it' >/dev/null
		kill -INT "$LAST"
		finish "$LAST" 130
		grep 'hint: the task was cancelled' waits.err
	done
	[ "$(grep -c 'endless: cancelled' service.err service.out | awk -F: '{n += $2} END {print n}')" = 4 ]
}

@test "a tool that can only be a task is called as one without the option" {
	service
	for era in legacy modern; do
		mcp --era $era "$URL" --elicit accept-defaults call deploy
		ends 0
		[ "$out" = "accept: staging" ]
		hints ': input_required'
	done
	mcp --era modern "$URL" request tools/call '{"name":"deploy"}'
	ends 1
	hints "hint: it runs as a task only: 'call --task'"
	# Also where serve keeps the list, and is asked for this one tool.
	mcp --era legacy open "$URL"
	ends 0
	mcp --elicit accept-defaults "$URL" call deploy
	ends 0
	[ "$out" = "accept: staging" ]
	mcp close "$URL"
	ends 0
	# What it needs besides is told as ever.
	mcp --era modern "$URL" call deploy
	ends 1
	mcp --era legacy "$URL" call research topic=x
	ends 0
	[ "$out" = "all about x" ]
	absent 'task ' stderr
}

@test "what cannot be a task is refused before it is called" {
	mcp sim: call --detach self.get_device_status
	ends 7
	hints "the server 'pretend-esp32s3' has no tasks"
	service
	mcp --era legacy "$URL" call --task plain
	ends 7
	hints "the tool 'plain' cannot run as a task"
	# The server decides there.
	mcp --era modern "$URL" call --task plain
	ends 0
	[ "$out" = "done" ]
	for tool in plain forbidden; do
		odd legacy call --task $tool
		ends 7
		hints "'call' without --task calls it"
		absent 'tools/call' heard
	done
	mcp sim:llm call --task nlp.extract_entities --no-validate
	ends 7
	hints 'has no tasks'
	mcp sim:llm task list
	ends 7
	mcp sim: task get x
	ends 7
}

@test "detached over HTTP of 2026-07-28: get, wait, cancel, by the id alone" {
	service
	mcp --era modern "$URL" call --detach research topic=owls
	ends 0
	id=$out
	[[ "$id" =~ ^[0-9a-f]{32}$ ]]
	mcp --era modern "$URL" task get "$id"
	ends 0
	[[ "$out" == "$id  "* ]]
	mcp --era modern "$URL" task wait "$id"
	ends 0
	[ "$out" = "all about owls" ]
	mcp --era modern "$URL" task wait "$id" --expect '"all about cats"'
	ends 7
	mcp --era modern "$URL" task cancel "$id"
	ends 7
	hints "the task was not cancelled: it is 'completed'"
	hints "'task wait' shows its result"
	mcp --era modern -o json "$URL" task get "$id"
	ends 0
	jq -e --arg id "$id" '.id == $id and .status == "completed" and .over and .message == "writing" and .ttl_ms == 600000
		and .poll_ms == 100 and (.created | type) == "string" and (keys | length) == 8' stdout
	mcp --era modern -o json "$URL" call --detach endless
	ends 0
	id=$(jq -r .id stdout)
	mcp --era modern "$URL" task cancel "$id"
	ends 0
	says cancelled
	mcp --era modern "$URL" task wait "$id"
	ends 1
	hints 'the task was cancelled'
	mcp --era modern "$URL" task list
	ends 7
	hints 'has no list of its tasks'
	absent 'no tasks' stderr
	mcp --era modern "$URL" task get 0123
	ends 1
	hints 'there is no such task'
	hints 'a server forgets a task'
}

@test "who waits for a task that others began leaves it alone" {
	service
	mcp --era modern "$URL" call --detach endless
	id=$out
	mcp --era modern "$URL" task wait "$id" --timeout 300ms
	ends 4
	hints "hint: the task goes on: 'task wait' waits again"
	background waits mcpctl --era modern "$URL" task wait "$id"
	wait_for waits.err 'working: at it' >/dev/null
	kill -INT "$LAST"
	finish "$LAST" 130
	mcp --era modern "$URL" task get "$id"
	says working
}

@test "what a task waits for is answered by another command" {
	service
	mcp --era modern --elicit decline "$URL" call --detach deploy
	id=$out
	mcp --era modern "$URL" task wait "$id"
	ends 7
	hints 'the task waits for an answer, and nobody here gives one'
	hints "'task answer'"
	mcp --era modern "$URL" task answer "$id"
	ends 7
	mcp --era modern --elicit accept-defaults "$URL" task answer "$id"
	ends 0
	[[ "$out" == "$id  "* ]]
	mcp --era modern "$URL" task wait "$id"
	ends 0
	[ "$out" = "accept: staging" ]
	mcp --era modern --elicit accept-defaults "$URL" task answer "$id"
	ends 7
	hints "the task waits for no answer: it is 'completed'"
	hints "'task wait' shows its result"
	# One that is at work has none to be shown.
	mcp --era modern "$URL" call --detach endless
	mcp --era modern --elicit accept-defaults "$URL" task answer "$out"
	ends 7
	hints "the task waits for no answer: it is 'working'"
	absent 'shows its result' stderr
}

@test "a task of a session is detached only where that is kept open: HTTP" {
	service
	mcp --era legacy "$URL" call --detach endless
	ends 7
	silent
	hints "option '--detach': the task would end with this command"
	hints "'mcpctl open' keeps a server"
	mcpctl --era legacy open "$URL"
	mcp --era legacy "$URL" task list
	ends 0
	silent
	hints 'no tasks'
	mcp --era legacy "$URL" call --detach endless
	ends 0
	id=$out
	mcp --era legacy "$URL" --elicit accept-defaults call --detach deploy
	ends 0
	asks=$out
	mcp --era legacy -o json "$URL" task list
	ends 0
	[ "$(jq -r .id stdout)" = "$asks"$'\n'"$id" ]
	absent 'no tasks' stderr
	mcp --era legacy "$URL" --elicit accept-defaults task answer "$asks"
	ends 0
	mcp --era legacy "$URL" task wait "$asks"
	ends 0
	[ "$out" = "accept: staging" ]
	mcp --era legacy "$URL" task cancel "$id"
	ends 0
	says cancelled
	mcp --era legacy "$URL" task cancel "$id"
	ends 1
	hints "the task is over: 'cancelled'"
	mcp --era legacy "$URL" task wait "$id"
	ends 1
}

@test "a task of a session is detached only where that is kept open: stdio" {
	target="stdio:/usr/bin/python3 '$ROOT/tests/cli/task_server.py' legacy"
	mcp -t "$target" --era legacy call --detach good
	ends 7
	mcpctl open --era legacy "$target"
	mcp -t "$target" --era legacy call --detach good
	ends 0
	[ "$out" = good/1 ]
	mcp -t "$target" --era legacy task wait good/1
	ends 0
	[ "$out" = good ]
	mcp -t "$target" --era legacy task get other/2
	ends 0
	mcp -t "$target" --era legacy task get other/2
	ends 5
	hints "was asked for the task 'other/2', and tells of 'another'"
	mcpctl close "$target"
}

@test "the shell keeps its connection: tasks of it can be detached" {
	service
	printf '%s\n' 'call --detach research topic=owls' 'task list' >script
	status=0
	mcpctl --era legacy "$URL" shell <script >stdout 2>stderr || status=$?
	[ "$status" = 0 ]
	id=$(head -n 1 stdout)
	[ "$(sed -n 2p stdout | cut -d' ' -f1)" = "$id" ]
	odd modern call --detach good
	ends 7
	hints 'the shell keeps its connection'
}

@test "a person answers what a task asks, at the terminal" {
	service
	for era in legacy modern; do
		ERA=$era URL=$URL /usr/bin/python3 - <<-'END'
			import os, pty, select, sys, time
			pid, fd = pty.fork()
			if pid == 0:
			    os.execvp("mcpctl", ["mcpctl", "--era", os.environ["ERA"], os.environ["URL"], "call", "--task", "deploy"])
			out, say = b"", [(b"Answer it?", b"y\r"), (b"[staging]:", b"prod\r"), (b"accept: prod", b"")]
			until = time.time() + 30
			while say:
			    assert select.select([fd], [], [], until - time.time())[0], out
			    out += os.read(fd, 4096)
			    if say[0][0] in out:
			        os.write(fd, say.pop(0)[1])
			while True:
			    try:
			        if not os.read(fd, 4096):
			            break
			    except OSError:
			        break
			assert os.waitpid(pid, 0)[1] == 0, out
		END
	done
}

@test "a task that is over at once: what came of it is asked for" {
	local era
	for era in legacy modern; do
		odd $era call --task early
		ends 0
		[ "$out" = good ]
		odd $era call --task doomed
		ends 1
		hints 'no key'
	done
}

@test "odd intervals, odd words: waited for within bounds" {
	for era in legacy modern; do
		for tool in good zero words negative odd must; do
			odd $era call --task $tool
			ends 0
			[ "$out" = good ]
		done
		outlasts $era huge "$(told $era)"
		outlasts $era endless "$(told $era)"
		hints 'still at it'
		outlasts $era stubborn 'the server did not take that the task is cancelled'
	done
}

@test "what the server tells by itself of a task that is waited for is not told twice" {
	odd legacy call --task zero
	ends 0
	[ "$(grep -c working stderr)" = 1 ]
	absent 'notifications/tasks/status' stderr
}

@test "a hostile task shows nothing raw, and a broken one is told" {
	for era in legacy modern; do
		for tool in escapes odd; do
			odd $era call --task $tool
			ends 0
			absent $'\x1b|\x07|\u202e' stderr
		done
		odd $era -o json call --task hostile
		absent $'\x1b' stdout
		odd $era call --task other
		ends 5
		odd $era call --task nostatus
		ends 5
		hints "without a 'status'"
		odd $era call --task gone
		ends 1
		hints 'there is no such task'
		odd $era call --task failed
		ends 1
		odd $era task get nothing
		ends 1
		absent $'\x1b' stderr
		odd $era task fetch x
		ends 2
		hints 'list, get, wait, answer, cancel'
		odd $era task get
		ends 2
		odd $era task list x
		ends 2
		odd $era task get x --save y
		ends 2
		odd $era call --detach good --save y
		ends 2
	done
	odd modern call --task broken
	ends 5
	hints "no 'result' that is an object"
	odd modern call --task bare
	ends 5
	odd legacy call --task failed
	hints 'it burnt'
	odd modern call --task failed
	hints 'the task failed: out of luck'
}

@test "what a task asks is answered once, and has an end" {
	odd legacy --elicit accept-defaults call --task asks
	ends 0
	[ "$(grep -c 'tasks/result' heard)" = 1 ]
	odd modern --elicit accept-defaults call --task asks
	ends 0
	says '"action": "accept"'
	[ "$(grep -c 'tasks/update' heard)" = 1 ]
	odd modern --elicit accept-defaults call --task never
	ends 5
	hints 'the server asked 16 times in a row, and still has no result'
	odd modern call --task asks
	ends 7
	# One that does not let tasks/result wait is asked for the state instead.
	odd legacy --elicit accept-defaults call --task blocked
	ends 0
	[ "$out" = good ]
}

@test "a list of tasks without end has one, and shows nothing raw" {
	odd legacy task list
	ends 5
	hints 'the list of tasks has no end'
	absent $'\x1b|\x07|\u202e' stdout
	[ "$(wc -l <stdout)" = 100 ]
}
