#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Completion in the real shells: bash's function with COMP_WORDS, fish's
# complete -C, and zsh and bash in a terminal (tab.py).

load helper

SET=self.audio_speaker.set_volume
NOTE='no list yet: run mcpctl tools'

# bash_complete WORD…: candidates for the last word, a line each. BEFORE: bash
# commands that come first.
bash_complete() {
	bash -c '
		source "$1"; shift
		COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
		COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
		eval "${BEFORE-}"
		_mcpctl mcpctl "${@: -1}" "${@: -2:1}"
		printf "%s\n" "${COMPREPLY[@]}"
	' bash "$ROOT/completions/mcpctl.bash" "$@" >got 2>complaints
	quiet
}

# fish_complete LINE: candidates, each with a tab and its description.
fish_complete() {
	# shellcheck disable=SC2016 # fish's
	fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
		"$ROOT/completions/mcpctl.fish" "$1" >got 2>complaints
	quiet
}

# tab bash|zsh LINE: the line behind TAB, then what the terminal shows.
tab() {
	local file=$ROOT/completions/mcpctl.bash
	[ "$1" = bash ] || file=$ROOT/completions
	/usr/bin/python3 "$BATS_TEST_DIRNAME/tab.py" "$1" "$file" "$2" >got
}

# Nothing but candidates is printed.
quiet() {
	[ ! -s complaints ] && return 0
	cat complaints >&2
	return 1
}

# line TEXT: what stands on the command line; got TEXT: a candidate or a part of it.
line() {
	[ "$(head -n 1 got)" = "$1" ] && return 0
	printf 'not: %s\nbut: ' "$1" >&2
	cat got >&2
	return 1
}
got() {
	grep -qF -- "$1" got && return 0
	printf 'not there: %s\nbut: ' "$1" >&2
	cat got >&2
	return 1
}
# Serve has only a moment to answer in: asked again, where the machine is busy.
asked_got() { "${@:2}" && got "$1"; }
asked_line() { tab "${@:2}" && line "$1"; }
soon_got() { until_true asked_got "$@"; } # TEXT COMMAND…
soon_line() { until_true asked_line "$@"; } # TEXT TAB-ARGUMENT…
nothing() {
	[ -z "$(cat got)" ] && return 0
	cat got >&2
	return 1
}

# An mcpctl that must not be run.
broken() {
	mkdir -p broken
	printf '#!/bin/sh\necho run >>%s/was-run\necho noise\necho noise >&2\nexit 1\n' "$WORK" >broken/mcpctl
	chmod +x broken/mcpctl
	PATH=$WORK/broken:$PATH
}

# A serve that notes who asks it, and says nothing.
watched() {
	mkdir -m 700 run/mcpctl
	background watcher /usr/bin/python3 -c 'import socket
s = socket.socket(socket.AF_UNIX)
s.bind("run/mcpctl/serve.sock")
s.listen()
print("ready", flush=True)
while True:
    s.accept()
    open("was-asked", "w").close()'
	wait_for watcher.out ready
}

# odd: a profile with names that shells must quote; its list is kept.
odd() {
	cat >odd.json <<-'END'
		{ "tools": [
		{ "name": "two words.on", "description": "Turns it on", "result": true },
		{ "name": "two words.off", "result": true },
		{ "name": "it's \"quoted\"", "result": true },
		{ "name": "cost$HOME`id`;x", "result": true },
		{ "name": "wo!w!", "result": true },
		{ "name": "en'd'", "result": true },
		{ "name": "灯.设置", "description": "开灯", "arguments": {
			"颜色": { "type": "string" },
			"亮度": { "type": "integer", "minimum": 1, "maximum": 9 },
			"闪": { "type": "boolean", "default": false } }, "result": true },
		{ "name": "bell\u0007.ring", "result": true },
		{ "name": "line\nbreak", "result": true }
		] }
	END
	mcp sim:./odd.json tools
	ends 0
}

@test "what completion prints is what is installed" {
	mcpctl completion bash | cmp - "$ROOT/completions/mcpctl.bash"
	mcpctl completion zsh | cmp - "$ROOT/completions/_mcpctl"
	mcpctl completion fish | cmp - "$ROOT/completions/mcpctl.fish"
}

@test "bash: commands, options, choices, topics, faults, targets: no question" {
	watched
	bash_complete mcpctl sim: to
	got tools
	bash_complete mcpctl sim: tools --no
	got --no-user
	bash_complete mcpctl -o j
	got json
	bash_complete mcpctl sim: --output=j
	got --output=json
	bash_complete mcpctl -vo json he
	got help
	bash_complete mcpctl help fau
	got faults
	bash_complete mcpctl sim --fault cut-frame,late
	got cut-frame,late-reply
	bash_complete mcpctl mq
	got mqtt://
	bash_complete mcpctl request tools/
	got tools/list
	bash_complete mcpctl completion f
	got fish
	[ ! -e was-asked ]
	bash_complete mcpctl call self.
	until_true [ -e was-asked ]
}

@test "bash: a program that fails is neither heard nor believed" {
	broken
	bash_complete mcpctl sim: call self.
	nothing
	[ -s was-run ]
	rm broken/mcpctl
	PATH=/usr/bin:/bin
	bash_complete mcpctl sim: call self.
	nothing
	fish_complete 'mcpctl sim: call self.'
	nothing
}

@test "bash: tools by segment, arguments, values" {
	mcp sim: tools
	bash_complete mcpctl sim: call self.
	got self.screen.
	got $SET
	absent 'set_theme' got
	bash_complete mcpctl sim: describe self.screen.
	got self.screen.set_theme
	bash_complete mcpctl -t sim: call $SET ''
	[ "$(cat got)" = volume= ]
	bash_complete mcpctl sim: call set_v
	[ "$(cat got)" = set_volume ]
	bash_complete mcpctl sim: call set_volume ''
	[ "$(cat got)" = volume= ]
	# One for users only needs its whole name.
	bash_complete mcpctl sim: call reb
	nothing
	# Not to read about it.
	bash_complete mcpctl sim: describe reb
	[ "$(cat got)" = reboot ]
	bash_complete mcpctl sim: self.aud
	[ "$(cat got)" = $SET ]
	bash_complete mcpctl sim: $SET ''
	[ "$(cat got)" = volume= ]
	bash_complete mcpctl sim: call $SET volume=5 ''
	nothing
	bash_complete mcpctl sim: call $SET volume=
	nothing
	COMP_WORDBREAKS='' bash_complete mcpctl sim:fix
	got sim:fixtures
	bash_complete mcpctl call ''
	got "$NOTE"
}

@test "bash: the program as it was typed" {
	mcp sim: tools
	PATH=/usr/bin:/bin
	bash_complete mcpctl sim: call self.au
	nothing
	bash_complete "$BUILD/mcpctl" sim: call self.au
	got $SET
}

@test "bash: the settings of whoever sources it change nothing, nor are changed" {
	mcp sim: tools
	BEFORE='IFS=:; set -f' bash_complete mcpctl sim: call self.screen.
	got self.screen.set_theme
	BEFORE='set -u' bash_complete mcpctl sim: call self.screen.
	got self.screen.set_theme
	bash -c 'source "$1"; IFS=:; set -f; COMP_WORDS=(mcpctl call x); COMP_CWORD=2
		COMP_LINE="mcpctl call x" COMP_POINT=13; _mcpctl mcpctl x call
		[[ $- == *f* && $IFS == : ]]' bash "$ROOT/completions/mcpctl.bash"
}

# shellcheck disable=SC2016 # what stands on the line
@test "bash, in a terminal: readline's own cutting at : and =, quotes, files" {
	mcp sim: tools
	odd
	touch 'my file'
	tab bash "mcpctl sim: call $SET vol"
	line "mcpctl sim: call $SET volume="
	tab bash 'mcpctl sim:fixtures-'
	line 'mcpctl sim:fixtures-ws '
	tab bash 'mcpctl --target=sim:la'
	line 'mcpctl --target=sim:large '
	tab bash 'mcpctl sim:./od'
	line 'mcpctl sim:./odd.json '
	tab bash 'mcpctl sim:./odd.json call two'
	line 'mcpctl sim:./odd.json call two\ words.'
	tab bash 'mcpctl sim:./odd.json call "two words.of'
	line 'mcpctl sim:./odd.json call "two words.off"'
	tab bash 'mcpctl sim:./odd.json call it'
	line "mcpctl sim:./odd.json call it\\'s\\ \\\"quoted\\\" "
	# No quote is left open, and none keeps a name from being found.
	tab bash "mcpctl sim:./odd.json call 'it"
	line "mcpctl sim:./odd.json call 'it'\\''s \"quoted\"'"
	tab bash "mcpctl sim:./odd.json call 'it'\\''"
	line "mcpctl sim:./odd.json call 'it'\\''s \"quoted\"'"
	tab bash 'mcpctl sim:./odd.json call "it'
	line "mcpctl sim:./odd.json call \"it's \\\"quoted\\\"\""
	tab bash 'mcpctl sim:./odd.json call "wo'
	line 'mcpctl sim:./odd.json call "wo"\!"w"\!""'
	tab bash "mcpctl sim:./odd.json call 'en"
	line "mcpctl sim:./odd.json call 'en'\\''d'\\'''"
	tab bash 'mcpctl sim:./odd.json call cost'
	line 'mcpctl sim:./odd.json call cost\$HOME\`id\`\;x '
	tab bash 'mcpctl sim:./odd.json call 灯'
	line 'mcpctl sim:./odd.json call 灯.设置 '
	tab bash 'mcpctl sim:./odd.json call 灯.设置 闪=t'
	line 'mcpctl sim:./odd.json call 灯.设置 闪=true '
	tab bash 'mcpctl sim:./odd.json call bell'
	line 'mcpctl sim:./odd.json call bell'
	tab bash 'mcpctl run --report junit:my'
	line 'mcpctl run --report junit:my\ file '
	tab bash 'mcpctl --trace="my'
	line 'mcpctl --trace="my file" '
	tab bash 'mcpctl --output=j'
	line 'mcpctl --output=json '
	tab bash 'mcpctl help  fau'
	line 'mcpctl help  faults '
	tab bash 'mcpctl sim: call "'"$SET"'" vol'
	line "mcpctl sim: call \"$SET\" volume="
	tab bash 'mcpctl run my'
	line 'mcpctl run my\ file '
}

@test "a running serve: devices, aliases, its tools, without a question to the board" {
	mkdir -p config/mcpctl
	echo '{"kitchen": "02:00:00:00:00:01", "客厅": "02:00:00:00:00:09"}' >config/mcpctl/devices.json
	serve
	device board
	event ready '"device":"02:00:00:00:00:01"'
	before=$(wc -l <board.out)
	soon_got kitchen bash_complete mcpctl -d ki
	soon_got 客厅 bash_complete mcpctl kick 客
	soon_got $SET bash_complete mcpctl -d kitchen call self.au
	soon_got volume= bash_complete mcpctl call $SET ''
	soon_line 'mcpctl -d 02:00:00:00:00:01 ' bash 'mcpctl -d 02:'
	soon_line "mcpctl -d 02:00:00:00:00:01 call $SET " zsh 'mcpctl -d 02:00:00:00:00:01 call self.au'
	soon_line 'mcpctl --device=kitchen ' zsh 'mcpctl --device=ki'
	soon_line 'mcpctl devices kitchen ' zsh 'mcpctl devices ki'
	soon_got 02:00:00:00:00:01 fish_complete 'mcpctl -d '
	soon_got kitchen fish_complete 'mcpctl -d '
	# Who is at a broker is nobody of serve, and is not asked.
	fish_complete 'mcpctl -t mcp+mqtt://127.0.0.1:1 -d '
	[ ! -s got ]
	soon_got --device=kitchen fish_complete 'mcpctl --device=ki'
	soon_got volume= fish_complete "mcpctl call $SET "
	grep -qE '^volume=[[:space:]].*0\.\.100' got
	[ "$(wc -l <board.out)" = "$before" ]
	absent '"error"|refused' serve.out
}

@test "the cache answers for a peer that is gone" {
	background peer mcpctl sim --listen 127.0.0.1:0
	url=ws://$(wait_for peer.err '127\.0\.0\.1:[0-9]+' | grep -oE '127\.0\.0\.1:[0-9]+' | head -n 1)/ws
	mcp "$url" tools
	ends 0
	kill "$LAST"
	wait "$LAST" || :
	bash_complete mcpctl -t "$url" call self.au
	got $SET
	fish_complete "mcpctl $url call self.au"
	got $SET
	tab zsh "mcpctl $url call self.au"
	line "mcpctl $url call $SET "
}

@test "fish: its own machinery, with descriptions; nothing twice" {
	watched
	fish_complete 'mcpctl sim: to'
	grep -qE '^tools[[:space:]]+[a-z]' got
	fish_complete 'mcpctl sim: tools --no'
	got --no-user
	fish --no-config -c "source '$ROOT/completions/mcpctl.fish'
		source '$ROOT/completions/mcpctl.fish'
		complete -C 'mcpctl '" >got
	got tools
	[ -z "$(sort got | uniq -d)" ]
	[ ! -e was-asked ]
	fish_complete 'mcpctl call self.'
	until_true [ -e was-asked ]
}

@test "fish: what it finds within words, letters of options, values behind them" {
	fish_complete 'mcpctl sim: help ols'
	got tools
	fish_complete 'mcpctl -v'
	grep -qE '^-vo[[:space:]]form of the output' got
	fish_complete 'mcpctl -vo'
	grep -qE '^-vojson[[:space:]]form of the output' got
	fish_complete 'mcpctl sim --fault=3:late-r'
	got --fault=3:late-reply
	mkdir -p sub
	touch sub/one.json
	HOME=$WORK fish_complete 'mcpctl --trace ~/sub/o'
	got /sub/one.json
	fish_complete 'mcpctl --trace=sub/o'
	got --trace=sub/one.json
}

@test "fish: tools by segment, arguments, values, ranges, files" {
	mcp sim: tools
	odd
	touch 'my file'
	fish_complete 'mcpctl sim: call self.s'
	grep -qE '^self\.screen\.[[:space:]]+5 tools' got
	fish_complete 'mcpctl sim: call set_v'
	grep -qE "^set_volume[[:space:]]$SET" got
	fish_complete "mcpctl sim: call $SET "
	grep -qE '^volume=[[:space:]].*0\.\.100' got
	fish_complete "mcpctl sim: call $SET volume="
	grep -qE '^volume=100[[:space:]].*0\.\.100' got
	fish_complete "mcpctl sim: call $SET volume=5"
	nothing
	fish_complete 'mcpctl sim:./odd.json call 灯.设置 闪='
	grep -qE '^闪=false[[:space:]]default' got
	fish_complete 'mcpctl sim:./odd.json call two\ words.o'
	grep -qE '^two words.on[[:space:]]Turns it on' got
	fish_complete 'mcpctl sim:./odd.json call "two words.of'
	got 'two words.off'
	fish_complete 'mcpctl sim:./odd.json call it'
	got "it's \"quoted\""
	fish_complete 'mcpctl sim:./odd.json call bell'
	nothing
	fish_complete 'mcpctl sim:./odd.json call line'
	nothing
	fish_complete 'mcpctl run --report=junit:my'
	got '--report=junit:my file'
	fish_complete 'mcpctl sim:./odd.json call 灯.设置 颜色=@my'
	got '颜色=@my file'
}

@test "fish, zsh, bash: a note where there is no list" {
	fish_complete 'mcpctl call '
	got "$NOTE"
	tab zsh 'mcpctl call '
	line 'mcpctl call '
	got "$NOTE"
	tab zsh 'mcpctl sim: describe x'
	line 'mcpctl sim: describe x'
	got 'no list yet: run mcpctl sim: tools'
	tab bash 'mcpctl call '
	line 'mcpctl call '
	got "$NOTE"
}

@test "zsh, loaded by compinit: words of tables without a question" {
	watched
	tab zsh 'mcpctl sim: desc'
	line 'mcpctl sim: describe '
	tab zsh 'mcpctl sim: tools --no-u'
	line 'mcpctl sim: tools --no-user '
	tab zsh 'mcpctl -o j'
	line 'mcpctl -o json '
	tab zsh 'mcpctl help fau'
	line 'mcpctl help faults '
	tab zsh 'mcpctl sim --fault cut-frame,late-r'
	line 'mcpctl sim --fault cut-frame,late-reply '
	tab zsh 'mcpctl too'
	line 'mcpctl tools '
	[ ! -e was-asked ]
	tab zsh 'mcpctl call self.'
	until_true [ -e was-asked ]
	broken
	tab zsh 'mcpctl sim: call self.'
	line 'mcpctl sim: call self.'
	absent noise got
	[ -s was-run ]
}

@test "zsh: letters of options, options where nothing else is, values" {
	tab zsh 'mcpctl -v'
	line 'mcpctl -v'
	grep -qE '^o +-- form of the output' got
	tab zsh 'mcpctl version --verb'
	line 'mcpctl version --verbose '
	tab zsh 'mcpctl version '
	line 'mcpctl version -'
	tab zsh 'mcpctl --output='
	grep -qE '^json +raw +table +text' got
	tab zsh 'mcpctl sim --fault='
	grep -qE '^late-reply +-- a call is answered after' got
	tab zsh 'mcpctl --'
	grep -qE '^--output +-- form of the output' got
	tab zsh 'mcpctl -q -'
	absent '^--quiet' got
}

@test "zsh: sourced, and by eval" {
	mcp sim: tools
	/usr/bin/python3 "$BATS_TEST_DIRNAME/tab.py" zsh "$ROOT/completions/_mcpctl" \
		'mcpctl sim: call self.au' >got
	line "mcpctl sim: call $SET "
	# shellcheck disable=SC2016 # not now
	echo 'eval "$(mcpctl completion zsh)"' >by-eval
	/usr/bin/python3 "$BATS_TEST_DIRNAME/tab.py" zsh "$WORK/by-eval" \
		'mcpctl sim: call self.au' >got
	line "mcpctl sim: call $SET "
	# Before compinit it is harmless.
	zsh -f -c "source '$ROOT/completions/_mcpctl'" >complaints 2>&1
	quiet
}

@test "zsh: tools by segment, arguments, values, ranges, quotes, files" {
	mcp sim: tools
	odd
	touch 'my file'
	tab zsh 'mcpctl sim: call self.'
	line 'mcpctl sim: call self.'
	grep -qE '^self\.screen\. +-- 5 tools' got
	grep -qE "^$SET +-- Sets the loudness" got
	tab zsh "mcpctl sim: call $SET vol"
	line "mcpctl sim: call $SET volume="
	tab zsh "mcpctl sim: call $SET volume="
	line "mcpctl sim: call $SET volume="
	got 'volume=<0..100>'
	tab zsh 'mcpctl --target=sim:la'
	line 'mcpctl --target=sim:large '
	tab zsh 'mcpctl sim:./odd.json call two'
	line 'mcpctl sim:./odd.json call two\ words.'
	tab zsh 'mcpctl sim:./odd.json call "two words.of'
	line 'mcpctl sim:./odd.json call "two words.off" '
	tab zsh 'mcpctl sim:./odd.json call it'
	line "mcpctl sim:./odd.json call it\\'s\\ \\\"quoted\\\" "
	tab zsh "mcpctl sim:./odd.json call 'it'\\''s"
	line "mcpctl sim:./odd.json call 'it'\\''s \"quoted\"' "
	tab zsh 'mcpctl sim:./odd.json call 灯.设置 '
	line 'mcpctl sim:./odd.json call 灯.设置 '
	grep -qE '^亮度= +-- integer 1\.\.9' got
	tab zsh 'mcpctl sim:./odd.json call 灯.设置 闪=t'
	line 'mcpctl sim:./odd.json call 灯.设置 闪=true '
	tab zsh 'mcpctl sim:./odd.json call bell'
	line 'mcpctl sim:./odd.json call bell'
	tab zsh 'mcpctl run --report=junit:my'
	line 'mcpctl run --report=junit:my\ file '
	tab zsh 'mcpctl request tools/call @my'
	line 'mcpctl request tools/call @my\ file '
}

@test "--config FILE says what a name stands for, and is in the note" {
	mkdir other
	odd
	echo '{"mcpServers":{"same":{"url":"sim:"}}}' >mcp.json
	mcpctl trust mcp.json
	echo '{"mcpServers":{"same":{"url":"sim:./odd.json"},"new":{"url":"sim:esp32"}}}' >other/o.json
	mcp -t same tools
	ends 0
	# What cannot be given is not offered.
	echo '{"mcpServers":{"same":{"url":"sim:"},"t:x":{"url":"sim:"}}}' >mcp.json
	mcpctl trust mcp.json
	mcp _complete bash -t ''
	says same
	absent 't:x' stdout
	mcp _complete bash -t same call ''
	says self.
	mcp _complete bash --config other/o.json -t same call ''
	says 'two\ words.'
	absent 'self\.' stdout
	MCPCTL_CONFIG=other/o.json mcp _complete bash -t same call ''
	says 'two\ words.'
	mcp _complete fish --config other/o.json -t new call ''
	says 'note no list yet: run mcpctl --config other/o.json -t new tools'
}

@test "the note names the peer as it was given, without secrets" {
	mcp _complete zsh -t 'a b' call ''
	says "note no list yet: run mcpctl -t 'a b' tools"
	mcp _complete fish 'https://me:geheim@127.0.0.1:1/mcp?key=geheim' read ''
	says 'note no list yet: run mcpctl https://127.0.0.1:1/mcp resources'
	mcp _complete fish -d kitchen call ''
	says 'note no list yet: run mcpctl -d kitchen tools'
	mcp _complete fish call ''
	says 'note no list yet: run mcpctl tools'
}

@test "the options of a command stand before those of every command" {
	for shell in bash zsh fish; do
		COMP_LINE='mcpctl call --' mcpctl _complete "$shell" call -- >stdout
		own=$(grep -nm1 -e '--upload' stdout | cut -d: -f1)
		common=$(grep -nm1 -e '--advertise' stdout | cut -d: -f1)
		((own < common))
	done
	COMP_LINE='mcpctl call --' mcpctl _complete bash -- | grep -qx 'words nosort'
}

@test "bash says on TAB what there is no list of, and inserts nothing" {
	tab bash 'mcpctl call '
	line 'mcpctl call '
	got "$NOTE"
	bash_complete mcpctl call self
	[ "$(cat got)" = "$NOTE"$'\n ' ]
}

@test "what check checks, and what each of that takes" {
	bash_complete mcpctl check ''
	for word in backend broker here ota tools vision; do got "$word"; done
	bash_complete mcpctl check br
	line broker
	bash_complete mcpctl check backend ''
	got ws://
	got wss://
	bash_complete mcpctl check here ''
	nothing
	fish_complete 'mcpctl check '
	got "vision	a vision address"
	fish_complete 'mcpctl check ota '
	got https://
	tab zsh 'mcpctl check bro'
	line 'mcpctl check broker '
	tab zsh 'mcpctl check broker mqtts'
	line 'mcpctl check broker mqtts://'
}

@test "hosts whose settings bridge prints" {
	bash_complete mcpctl bridge --print-config ''
	[ "$(sort got | tr '\n' ' ')" = 'claude codex cursor vscode ' ]
	bash_complete mcpctl bridge --print-config=vs
	got vscode
}

@test "a file of names that is no file keeps nobody waiting" {
	mkdir -p config/mcpctl
	mkfifo config/mcpctl/devices.json
	timeout 20 mcpctl _complete bash call a
	run timeout 20 mcpctl serve --listen 127.0.0.1:0
	[ "$status" = 2 ]
	[[ $output == *"devices.json': it is no regular file"* ]]
}
