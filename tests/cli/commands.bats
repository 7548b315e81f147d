#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Resources, prompts, completion, logging, subscriptions, structured content:
# the commands against a server on stdio that has all of it (mcp_server.py).

load helper
load terminal

# server WORD…: mcpctl with that server; ARGS: the server's own.
server() {
	mcp -t "stdio:/usr/bin/python3 '$ROOT/tests/cli/mcp_server.py' ${ARGS:-}" "$@"
}

@test "info shows revision, capabilities and instructions" {
	server info
	ends 0
	says "test-server 1.2"
	says "A server for tests"
	says "MCP 2025-11-25"
	says "resources (subscribe)"
	says "Ask about items."
}

@test "older revisions are spoken too" {
	for revision in 2024-11-05 2025-03-26 2025-06-18; do
		ARGS="--revision $revision" server info
		ends 0
		says "MCP $revision"
	done
}

@test "resources: all pages, a word, a glob, nothing" {
	server resources
	ends 0
	[ "$(wc -l <stdout)" = 7 ]
	says "test://item/1  item 1: the item number 1  text/plain"
	hints "7 resources, 3 pages"
	server resources "NUMBER 3"
	ends 0
	[ "$(wc -l <stdout)" = 1 ]
	hints "1 shown of 7 resources"
	server resources '*/[45]'
	ends 0
	[ "$(wc -l <stdout)" = 2 ]
	server resources nothing-like-this
	ends 7
	hints "no resource matches"
	server -o json resources 3
	ends 0
	[[ $out == '{"uri":"test://item/3",'* ]]
	hints '{"listing":{"resources":7,"pages":3,"shown":1,"complete":true}}'
	server -o raw resources
	ends 0
	[ "$(wc -l <stdout)" = 3 ]
}

@test "templates and prompts are listed" {
	server templates
	ends 0
	says "test://day/{year}/{month}  day"
	server prompts
	ends 0
	says "city   ask about a city  city= [state=]"
	hints "3 prompts, 2 pages"
}

@test "read prints text exactly, describes bytes, saves both" {
	server read test://item/1
	ends 0
	[ "$out" = '{"item": 1}' ]
	server read 'item 3'
	ends 0
	[ "$out" = '{"item": 3}' ]
	server read test://item/2
	ends 0
	says "resource test://item/2 (application/octet-stream), 4 bytes"
	server read test://item/2 --save bytes
	ends 0
	[ -z "$out" ]
	hints "saved 4 bytes to bytes"
	printf '\0\1\2\3' | cmp - bytes
	server read test://many --save both.txt
	ends 0
	[ "$(cat both.txt)" = one ]
	[ "$(head -c 4 both-2.txt | tail -c 3)" = PNG ]
	server read test://item/2 --save -
	printf '\0\1\2\3' | cmp - stdout
	server read test://escape
	[ "$out" = $'a\e[31mred' ]
}

@test "read: wrong URIs and wrong answers" {
	server read test://itm/1
	ends 1
	hints "(-32002)"
	hints "did you mean 'test://item/1'?"
	server read 'item 33'
	ends 2
	hints "no resource 'item 33'"
	hints "did you mean"
	server read test://broken
	ends 5
	hints "no 'contents' array"
}

@test "prompt: arguments are checked, messages have roles" {
	server prompt greet
	ends 0
	[ "$out" = 'Hello!' ]
	server prompt city city=Rome state=Lazio
	ends 0
	[ "$out" = $'user:\nWhat of Rome, Lazio?\nassistant:\nIt is nice.' ]
	server prompt city
	ends 2
	hints "argument 'city' is required"
	hints "prompt city city=TEXT [state=TEXT]"
	server prompt city city=a cit=b
	ends 2
	hints "did you mean 'city'"
	hints "it takes: city, state"
	server prompt cty
	ends 2
	hints "did you mean 'city'?"
	echo -n Paris >name
	server prompt city city=@name
	ends 0
	says "What of Paris?"
	# Numbers are text all the same.
	server prompt city city=7
	ends 0
	says "What of 7?"
	server prompt nope --no-validate x=1
	ends 1
	server prompt mixed --save shot.png
	ends 0
	hints "saved 29 bytes to shot.png"
	says "resource test://note (text/plain)"
}

@test "complete: values, the rest, context by revision" {
	server complete city city=p
	ends 0
	[ "$out" = $'paris\nparma' ]
	hints "2 values of 3"
	server complete 'test://item/{n}' n=
	ends 0
	[ "$out" = $'1\n2' ]
	server complete city city=x
	ends 7
	server complete city state= city=Rome
	[ "$out" = 'state of Rome' ]
	ARGS='--revision 2025-03-26' server complete city state= city=Rome
	[ "$out" = 'state of nothing' ]
	hints "they are left out"
	server complete city city
	ends 2
	# Scripts of an older version asked so.
	server complete bash call
	ends 2
}

@test "parts that a server has not are told" {
	ARGS='--without resources' server resources
	ends 7
	hints "resources"
	ARGS='--without prompts' server prompt greet
	ends 7
	ARGS='--without logging' server loglevel debug
	ends 7
	ARGS='--without completions' server complete city city=
	ends 7
	ARGS='--without subscribe' server subscribe test://item/1
	ends 7
}

@test "loglevel, and tail --level" {
	server loglevel info
	ends 0
	hints "notifications/message  warning (info): a warning"
	hints "the server logs from 'info' on"
	server loglevel loud
	ends 2
	hints "levels are debug"
	server loglevel warn
	ends 2
	hints "did you mean 'warning'?"
	server tail --level notice --filter message --count 2 --for 60s
	ends 0
	says "warning (notice): a warning"
	server tail --level loud
	ends 2
}

@test "subscribe: updates, reading again, the end" {
	ARGS="--log $WORK/log" server subscribe test://item/1 test://item/3 -n 2 --for 60s
	ends 0
	[ "$(grep -c 'notifications/resources/updated' stdout)" = 2 ]
	[ "$(grep -c 'resources/subscribe' log)" = 2 ]
	[ "$(grep -c 'resources/unsubscribe' log)" = 2 ]
	server subscribe test://item/1 --read -n 1 --for 60s
	ends 0
	[ "$out" = '{"item": 1}' ]
	server -o json subscribe test://item/1 -n 1
	ends 0
	says '"name":"notifications/resources/updated"'
	server subscribe test://item/1 -n 9 --for 3s
	ends 4
	hints "2 of 9 updates"
	server subscribe test://item/1 --for 300ms
	ends 0
}

@test "subscribe ends with Ctrl-C" {
	background sub mcpctl -t "stdio:/usr/bin/python3 '$ROOT/tests/cli/mcp_server.py'" subscribe test://item/1
	wait_for sub.out resources/updated
	kill -INT "$LAST"
	finish "$LAST" 130
}

@test "structured content: shown once, checked after it was shown" {
	server call weather
	ends 0
	[ "$out" = '{"celsius": 21.5, "sky": "clear"}' ]
	server call weather_bare
	ends 0
	[ "$out" = $'mild\n{"celsius":21.5,"sky":"clear"}' ]
	server call weather_wrong
	ends 5
	says '{"celsius":"warm","sky":"clear"}'
	hints "'celsius'"
	server call weather_missing
	ends 5
	says mild
	server call weather_wrong --no-validate
	ends 0
	server -o json call weather_wrong
	ends 5
	says '"structuredContent":{"celsius":"warm"'
	hints '"kind":"protocol"'
}

@test "audio, resources and links of a result" {
	server call media
	ends 0
	says "image/png, 29 bytes, 3x2"
	says "audio/wav, 12 bytes"
	says "resource test://note (text/plain)"
	says "resource test://blob (image/png), 29 bytes, 3x2"
	says "link test://item/1"
	server call media --save m.bin
	ends 0
	[ "$(head -c 4 m.bin | tail -c 3)" = PNG ]
	[ "$(head -c 4 m-2.bin)" = RIFF ]
	[ "$(head -c 4 m-3.bin | tail -c 3)" = PNG ]
	[ ! -e m-4.bin ]
	# Where there is only text, that is what is kept.
	server call notes --save n.txt
	ends 0
	[ "$(cat n.txt n-2.txt)" = firstsecond ]
}

@test "progress: JSON lines where no terminal is, none with -q" {
	server call slow
	ends 0
	[ "$out" = "done" ]
	[ "$(jq -r .progress.message stderr | tr '\n' ,)" = 'part 1,part 2,part 3,part 4,' ]
	server -o json call slow
	ends 0
	[ "$(grep -c '^{"progress":{' stderr)" = 4 ]
	server -q call slow
	ends 0
	[ -z "$err" ]
	# Some servers give the token back as a text.
	server -o json call slow text_token=true
	ends 0
	[ "$(grep -c '^{"progress":{' stderr)" = 4 ]
}

@test "time over is told to the server" {
	ARGS="--log $WORK/log" server --timeout 5s call hang
	ends 4
	wait_for log notifications/cancelled
}

@test "many commands on one connection, and names completed from what was listed" {
	local target="stdio:/usr/bin/python3 '$ROOT/tests/cli/mcp_server.py'"
	mcp -t "$target" -e prompts -e 'prompt greet' -e 'read "item 1"' -e templates
	ends 0
	says 'Hello!'
	says '{"item": 1}'
	mcp _complete fish -t "$target" prompt ''
	ends 0
	says $'city\task about a city'
	mcp _complete fish -t "$target" prompt city ''
	says $'city=\tstring, required: which one'
	mcp _complete fish -t "$target" read test://item/2
	says 'test://item/2'
	mcp _complete fish -t "$target" complete 'test://day/{year}/{month}' ''
	says 'year='
	mcp _complete fish --root ''
	says files
	mcp _complete fish loglevel w
	says warning
	mcp _complete fish -t 'stdio:never listed' prompt ''
	says "note no list yet: run mcpctl 'stdio:never listed' prompts"
}

@test "at the prompt of the shell subscribing returns; progress is one line" {
	terminal
	enter "mcpctl -t \"stdio:/usr/bin/python3 '$ROOT/tests/cli/mcp_server.py'\" shell"
	last_line '^test-server> *$'
	enter 'subscribe test://item/1'
	see 'resources/updated +\{"uri"'
	last_line '^test-server> *$'
	enter 'prompts'
	see '^city +ask about a city'
	type_text 'prompt ci'
	keys Tab
	type_text 'ci'
	keys Tab
	enter 'Oslo'
	see '^What of Oslo'
	enter 'call slow pause:=0.5'
	see '^\[#+\.+\] 25 %  part 1$'
	see '^\[#+\.+\] 75 %  part 3$'
	absent 'part 1' screen
	see '^done'
	absent 'part 4' screen
	enter 'unknown-thing'
	see "unknown command 'unknown-thing'"
}

@test "devices have none of these: they answer so" {
	mcp sim: resources
	ends 1
	hints "a device has tools, and nothing else of MCP: 'tools' lists them"
	mcp --all sim: prompts
	ends 2
}

@test "odd answers of a server: what is shown, and how it ends" {
	# A failure that was asked for is none.
	mcp -t "$(answers "'tools/call={\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"broken\"}]}'")" \
		call a --expect '{"isError":true}'
	ends 0
	[ "$out" = broken ]
	[ -z "$err" ]
	# The bytes have stdout for themselves.
	mcp -t "$(answers "'tools/call={\"content\":[{\"type\":\"text\",\"text\":\"seen\"},{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AAEC\"}]}'")" \
		call a --save -
	ends 0
	printf '\0\1\2' | cmp - stdout
	hints seen
	local completions="'initialize={\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"completions\":{},\"logging\":{}},\"serverInfo\":{\"name\":\"a\",\"version\":\"1\"}}'"
	mcp -v -t "$(answers "$completions" "'completion/complete={\"completion\":{}}'")" \
		complete greet city=R state=S 'land=a "b"'
	ends 5
	hints "the result of completion/complete has no 'completion.values' array"
	hints '"params":{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"city","value":"R"},"context":{"arguments":{"state":"S","land":"a \"b\""}}}'
	mcp -o raw -t "$(answers "$completions")" complete 'x://{n}' n=
	ends 1
	[ "$(jq .error.code <<<"$out")" = -32601 ]
	mcp -t "$(answers "$completions")" loglevel error
	ends 1
	hints '(-32601): no'
	mcp -o raw -t "$(answers "$completions")" loglevel error
	ends 1
	[ "$(jq .error.code <<<"$out")" = -32601 ]
	local subscriptions="'initialize={\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"resources\":{\"subscribe\":true}},\"serverInfo\":{\"name\":\"a\",\"version\":\"1\"}}'"
	mcp -t "$(answers "$subscriptions")" subscribe x://a x://b
	ends 1
	hints "cannot subscribe to 'x://a'"
	mcp -t "$(answers "$subscriptions" "'resources/subscribe={}'")" subscribe x://a x://b --for 1ms
	ends 0
	[ "$err" = 'subscribed: x://a, …' ]
	mcp -t "$(answers "$subscriptions" "'resources/subscribe={}'")" subscribe x://a --for 1ms
	ends 0
	[ "$err" = 'subscribed: x://a' ]
}

@test "what a server does not offer is said, by each command that needs it: status 7" {
	local command word
	while read -r word command; do
		# shellcheck disable=SC2086
		mcp -t "$(answers)" $command
		ends 7
		[ -z "$out" ]
		hints "the server 'answers' offers no $word"
		hints 'it offers: tools'
	done <<-END
		resources read x://a
		resources read a
		resources resources
		resources templates
		resources subscribe x://a
		prompts prompts
		prompts prompt a
		logging loglevel error
		completions complete x://{n} n=
	END
}
