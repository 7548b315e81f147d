#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a server asks its client: --elicit, --sampling, --root; by themselves and
# at a real terminal (tmux).

load helper
load terminal

# asked ARG…: mcpctl with those arguments, the asking server behind them.
asked() {
	mcp "$@" -- /usr/bin/python3 "$ROOT/tests/cli/asking_server.py" heard
}

@test "only what is answered is declared" {
	asked call capabilities
	ends 0
	says '{}'
	asked --elicit decline --sampling decline --root . call capabilities
	says '"form": {}'
	says '"url": {}'
	says '"sampling": {}'
	says '"roots": {}'
	echo '{}' >values
	asked --elicit @values call capabilities
	says '"form": {}'
	absent url stdout
	MCPCTL_ELICIT=cancel asked call ask
	ends 0
	says '"action": "cancel"'
}

@test "a tool that is not there may be hidden from who declared too little: said, with the options" {
	local words='servers may hide tools from a client that they cannot ask'
	asked call hidden
	ends 2
	hints "no tool 'hidden'"
	hints "$words: --elicit, --sampling and --root say that it can be asked"
	asked --elicit decline --root . describe hidden
	ends 2
	hints "$words: --sampling says that it can be asked"
	asked --sampling decline call hidden
	ends 0
	says found
	# Nothing more can be declared.
	asked --elicit decline --sampling decline --root . call nothing
	ends 2
	absent 'may hide' stderr
	# Devices are told of none of it, and a client without initialize neither.
	mcp sim: call nothing
	ends 2
	absent 'may hide' stderr
	asked --no-init call nothing
	absent 'may hide' stderr
	background board mcpctl sim --listen 127.0.0.1:0
	mcp "$(wait_for board.err 'ws://' | grep -o 'ws://[^ ]*' | head -n 1)" call nothing
	ends 2
	absent 'may hide' stderr
}

@test "what was not declared is refused, and told once with the option for it" {
	asked call twice
	ends 0
	says '-32601'
	hints 'the server asks elicitation/create, which it was not told it may'
	hints '--elicit answers it'
	[ "$(wc -l <stderr)" = 1 ]
	asked -q call sample
	says '-32601'
	[ -z "$err" ]
}

@test "decline, cancel: each answer is noted" {
	asked --elicit decline call ask
	says '{"result": {"action": "decline"}}'
	hints "the server asks 'Who are you?': answered 'decline' (--elicit)"
	asked --elicit cancel call twice
	[ "$(grep -c "answered 'cancel'" stderr)" = 2 ]
	asked -o json --elicit decline call ask
	grep -q '^{"note":"the server asks .*decline' stderr
}

@test "accept-defaults takes the schema's, and declines where one is missing" {
	asked --elicit accept-defaults call ask
	says '"action": "decline"'
	hints 'declined: no value for name (--elicit)'
	asked --elicit accept-defaults call ask 'schema:={"type":"object","properties":{"a":{"type":"integer","default":7},"b":{"type":"string"}}}'
	says '{"action": "accept", "content": {"a": 7}}'
	hints 'accepted (--elicit): a'
	asked --elicit accept-defaults call ask 'schema:={"type":"object","properties":{"a":{"type":"integer","default":"x"}},"required":["a"]}'
	says '"action": "decline"'
	asked --elicit accept-defaults call ask 'schema:={"type":"object","properties":{}}'
	says '{"action": "accept", "content": {}}'
}

@test "@FILE: values that the form has, checked against its schema" {
	echo '{"name":"Ada","age":36,"secret":"geheim"}' >values
	asked --elicit @values call ask
	says '"content": {"age": 36, "color": "blue", "name": "Ada", "news": false}'
	absent geheim stdout stderr heard
	absent Ada stderr
	echo '{"name":"Ada","age":7}' >values
	asked --elicit @values call ask
	says '"action": "decline"'
	hints 'age: 7 is below the minimum of 18'
	echo '{"age":36}' >values
	asked --elicit @values call ask
	hints 'no value for name'
}

@test "wrong options are told before anything is started" {
	asked --elicit maybe call ask
	ends 2
	hints "option '--elicit': 'maybe' is no way to answer"
	MCPCTL_ELICIT=maybe asked call ask
	ends 2
	hints "environment variable MCPCTL_ELICIT: 'maybe' is no way to answer"
	asked --elicit @nowhere call ask
	ends 2
	hints nowhere
	echo '[1]' >list
	asked --elicit @list call ask
	ends 2
	hints 'no JSON object'
	asked --sampling later call ask
	ends 2
	hints 'expected decline, @FILE or exec:COMMAND'
	asked --sampling exec: call ask
	ends 2
	hints 'a command is missing'
	asked --sampling "exec:a 'b" call ask
	ends 2
	asked --root nowhere call ask
	ends 2
	hints "option '--root': 'nowhere'"
	asked --root list call ask
	ends 2
	hints 'is no folder'
	[ ! -e heard ]
}

@test "forms that are none are refused as wrong parameters" {
	asked --elicit accept-defaults call ask schema:=7
	says '-32602'
	hints 'refused: requestedSchema is no schema of an object'
	asked --elicit accept-defaults call ask mode=odd
	says "the mode 'odd' is not known"
	asked --elicit accept-defaults call url url=https://example.com/
	says '-32602'
	says 'the mode url was not declared'
}

@test "roots are absolute file URIs, percent-encoded" {
	mkdir 'a b%ü'
	asked --root 'a b%ü' --root / call roots
	ends 0
	says "file://$WORK/a%20b%25%C3%BC"
	says '{"name": "/", "uri": "file:///"}'
	[ -z "$err" ]
}

@test "sampling from a file: text, or a result" {
	printf 'Guten Tag\n\n' >said
	asked --sampling @said call sample
	says '"content": {"text": "Guten Tag", "type": "text"}'
	says '"role": "assistant"'
	echo '{"content":"x","model":"m1","stopReason":"maxTokens"}' >said
	asked --sampling @said call sample
	says '"content": {"text": "x", "type": "text"}, "model": "m1", "role": "assistant", "stopReason": "maxTokens"'
	: >said
	asked --sampling @said call sample
	ends 2
	asked --sampling decline call sample
	says '"code": -1'
	hints 'declined (--sampling)'
}

@test "sampling by a command: the request on stdin, the answer on stdout" {
	cat >model <<-'END'
		#!/bin/sh
		grep -o '"text":"[^"]*"' | tr a-z A-Z
	END
	chmod +x model
	asked --sampling 'exec:./model' call sample prompt=hello
	says '\"TEXT\":\"HELLO\"'
	says '"model": "model"'
	hints "answered by 'model' (--sampling)"
	asked --sampling "exec:sh -c 'echo broken >&2; exit 3'" call sample
	says 'the command ended with status 3'
	hints 'refused: the command ended with status 3 (--sampling): broken'
	absent broken stdout
	asked --sampling exec:true call sample
	says 'the command printed nothing'
	asked --sampling exec:/no/such/program call sample
	ends 0
	says '-32603'
	hints /no/such/program
	asked --sampling "exec:printf '\377'" call sample
	says 'the command printed no text'
}

@test "a slow command holds the clock of the call, and many run at once" {
	asked --timeout 3s --sampling "exec:sh -c 'sleep 4; echo done'" call sample
	ends 0
	says 'done'
	asked --sampling "exec:sh -c 'sleep 0.3; echo done'" call many count:=5
	says '5 answered, 0 refused'
	# Those that run wait until the others were refused.
	rm -f heard
	asked --sampling "exec:sh -c 'until [ \$(grep -c error heard) = 12 ]; do sleep 0.05; done; echo done'" call many count:=20
	ends 0
	says '8 answered, 12 refused'
}

@test "other calls go on while a command thinks" {
	asked --sampling "exec:sh -c 'until [ -e come ]; do sleep 0.05; done; echo done'" \
		-e 'call besides prompt=x' -e 'call capabilities' -e 'call answered mark=come'
	ends 0
	says '"sampling"'
	says '2 calls meanwhile'
	grep -q '"text": *"done"' heard
}

@test "a question that is withdrawn gets no answer; its command is ended" {
	asked --sampling "exec:sh -c 'sleep 60; echo done'" call capabilities
	ends 0
	asked --elicit ask call withdraw
	ends 0
	asked --sampling 'exec:sleep 60' --timeout 5 -e 'call capabilities'
	ends 0
}

@test "a question without a terminal is cancelled, and says why" {
	asked --elicit ask call ask
	ends 0
	says '"action": "cancel"'
	hints 'cancelled: there is no terminal to ask at (--elicit ask)'
}

@test "the server dies while it waits for an answer" {
	asked --sampling 'exec:sleep 60' call die after:=0.2
	ends 3
}

# ---- at a terminal ----

# typed ARG…: the same, as a line of a shell in the file line.
typed() {
	local words
	printf -v words '%q ' "$@"
	printf 'mcpctl %s-- /usr/bin/python3 %q heard\n' "$words" "$ROOT/tests/cli/asking_server.py" >line
}

# at_terminal ARG…: typed in a terminal.
at_terminal() {
	typed "$@"
	terminal 100 40
	enter '. ./line; echo status=$?'
}

@test "who sits at a terminal can be asked, without an option; none of it in pipes or with none" {
	at_terminal call ask
	see "The server 'asker' asks:"
	last_line '^Answer it\? \[Y'
	keys d
	keys Enter
	see 'status=0'
	typed call capabilities
	enter 'clear; . ./line; echo both=$?'
	see 'both=0'
	shows '"elicitation": \{'
	# Each of the two is needed.
	enter 'clear; . ./line 2>errors; echo piped=$?'
	see 'piped=0'
	capture
	absent elicitation screen
	enter 'clear; . ./line <line; echo fed=$?'
	see 'fed=0'
	capture
	absent elicitation screen
	typed --elicit none call capabilities
	enter 'clear; . ./line; echo none=$?'
	see 'none=0'
	capture
	absent '"elicitation"' screen
	asked --elicit ask call capabilities
	says '"form"'
}

@test "a form is asked field by field, checked, shown and sent" {
	at_terminal --elicit ask --timeout 5 call ask
	see "The server 'asker' asks:"
	see '^\| Who are you\?'
	last_line '^Answer it\? \[Y'
	keys Enter
	see '^\| Full name'
	last_line '^name \(.*required\): *$'
	# The clock of the call stands still.
	sleep 6
	keys Enter
	see 'it is required'
	enter A
	see 'shorter'
	enter 'Ada Ω'
	last_line '^age \(integer 18..120\): *$'
	enter 7
	see 'below the minimum'
	keys Enter
	see '^ +1  red'
	last_line '^color \(one of these\) \[blue\]: *$'
	enter 1
	last_line '^news \(boolean\) \[n\]: *$'
	enter y
	see 'This will be sent'
	last_line '^Send it\?'
	enter e
	last_line '^name .* \[Ada Ω\]: *$'
	keys Enter
	last_line '^age'
	enter 36
	last_line '^color .* \[red\]: *$'
	keys Enter
	last_line '^news .* \[y\]: *$'
	keys Enter
	last_line '^Send it\?'
	keys Enter
	see '^status=0'
	grep -q '"content":{"name":"Ada Ω","age":36,"color":"red","news":true}' heard
	# The terminal is as before: Ctrl-C is a signal again.
	enter 'sleep 600; echo done=$?'
	until_true runs sleep
	keys C-c
	enter 'echo back'
	see '^back'
}

@test "d declines, c and Ctrl-C cancel, Ctrl-D too; the call goes on" {
	at_terminal --elicit ask call ask
	last_line '^Answer it'
	enter what
	last_line '^Answer it'
	enter d
	see '"action": "decline"'
	enter '. ./line; echo status=$?'
	last_line '^Answer it'
	enter c
	see '"action": "cancel"'
	see '^status=0'
	anew '. ./line; echo status=$?'
	last_line '^Answer it'
	keys Enter
	last_line '^name'
	type_text 'half a'
	last_line 'half a$'
	keys C-c
	see '"action": "cancel"'
	see '^status=0'
	anew '. ./line; echo status=$?'
	last_line '^Answer it'
	keys C-d
	see '"action": "cancel"'
	see '^status=0'
}

@test "a page in the browser needs a yes; its host stands out" {
	at_terminal --elicit ask call url 'url=https://bank.example@xn--evil-9n0b.example\@x/?q' elicitationId=e1 'message=Log in'
	see '^host: xn--evil-9n0b.example  \(not plain letters'
	see '^URL:  https://bank.example@xn--evil'
	see 'Nothing is opened for you'
	last_line '^Do you agree\?'
	keys Enter
	last_line '^Do you agree\?'
	enter y
	see '"action": "accept"'
	absent content heard
	see '^status=0'
}

@test "two questions come one after the other; a withdrawn one leaves the terminal" {
	at_terminal --elicit ask call twice
	see '^\| first'
	last_line '^Answer it'
	enter d
	see '^\| second'
	last_line '^Answer it'
	enter c
	see 'decline.*cancel'
	see '^status=0'
	printf 'mcpctl --elicit ask call withdraw -- /usr/bin/python3 %q heard\n' \
		"$ROOT/tests/cli/asking_server.py" >line
	anew '. ./line; echo status=$?'
	see 'the server does not want an answer any more'
	see '^withdrawn'
	absent 'notifications/cancelled' screen
	absent 'withdrawn by the server' screen
	see '^status=0'
	enter 'echo back'
	see '^back'
}

@test "what is printed meanwhile stands above the prompt" {
	at_terminal -v --elicit ask call ask message=x
	last_line '^Answer it\? \[Y: yes, d: decline, c: cancel\] *$'
	enter d
	see '^status=0'
}

@test "other calls go on while a person thinks" {
	at_terminal --elicit ask -e 'call besides' -e 'call capabilities' -e 'call answered'
	see '"elicitation": \{'
	last_line '^Answer it\? \[Y: yes, d: decline, c: cancel\] *$'
	enter d
	see '^2 calls meanwhile'
	see '^status=0'
}

@test "control characters of a server do nothing, its lines stand behind a bar" {
	printf '{"message":"a\\u001b]0;owned\\u0007\\nSend it? [Y] ","schema":{"properties":{"x\\ny":{"enum":["v\\nSend it? "]}}}}' >ask.json
	at_terminal --elicit ask call ask @ask.json
	see '^\| a\\x1b\]0;owned'
	see '^\| Send it\? \[Y\]'
	last_line '^Answer it'
	keys Enter
	see '^ +1  v\\nSend it\?'
	last_line '^x\\ny \(one'
	keys C-c
	see '^status=0'
	[ "$(tmux -S "$SOCKET" display -p '#{pane_title}')" != owned ]
}

@test "in the shell: while a command runs, and between lines; what was typed comes back" {
	at_terminal --elicit ask shell
	last_line '^asker> *$'
	enter 'call ask'
	last_line '^Answer it'
	enter d
	see '"action": "decline"'
	last_line '^asker> *$'
	enter 'call later when=typed'
	see '^wait'
	last_line '^asker> *$'
	type_text 'call capab'
	last_line '^asker> call capab *$'
	touch typed
	see '^\| Who are you'
	last_line '^Answer it'
	keys Enter
	last_line '^name'
	enter Bob
	last_line '^age'
	keys C-c
	last_line '^asker> call capab *$'
	enter 'ilities'
	see '"elicitation"'
	last_line '^asker> *$'
	wait_for heard '"action":"cancel"'
	enter 'call later after:=0.1'
	last_line '^Answer it'
	enter d
	last_line '^asker> *$'
	keys C-d
	see '^status=0'
}

@test "in the shell the server may die while it asks" {
	at_terminal --elicit ask shell
	last_line '^asker> *$'
	enter 'call die after:=0.5'
	see '^Answer it'
	see 'status|exit|closed|ended'
	last_line '^asker \(lost\)> *$'
	keys C-d
	see '^status=0'
}

@test "a question that is open at the end of the command is cancelled" {
	at_terminal --elicit ask run -e 'call later after:=0'
	see '^status=0'
	enter 'stty -a | grep -o "intr = [^;]*"'
	see 'intr = \^C'
}
