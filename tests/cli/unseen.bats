#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Characters that nobody sees, and names that look alike: whoever sends them,
# whichever command shows it.

load helper
load terminal

# Characters are written as bytes: without a locale bash makes none of $'\u…'.

# hiding ARG…: that command to a server that hides characters in all it says.
hiding() {
	mcp "$@" -- /usr/bin/python3 "$BATS_TEST_DIRNAME/hiding_server.py"
}

# seen FILE…: nothing in them is hidden.
seen() {
	/usr/bin/python3 - "$@" <<-'END'
		import sys
		hidden = {0xad, 0x200b} | set(range(0xe0000, 0xe1000))
		for name in sys.argv[1:]:
		    for number, line in enumerate(open(name, encoding="utf-8"), 1):
		        if hidden & set(map(ord, line)):
		            sys.exit(f"hidden in {name}, line {number}: {line!a}")
	END
}

@test "a list of tools shows names as they are spelled, and texts with marks" {
	hiding tools
	ends 0
	seen stdout stderr
	says 'hid\u200bden'
	says 'Cyrillic[4 invisible] and [2 invisible]more'
	grep -q $'The good one \xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9' stdout
	hiding tools --tree
	seen stdout stderr
	says 'hid\u200bden'
}

@test "of names that look alike in one list it is said" {
	hiding tools
	hints "'sc\\u0430n' looks like 'scan'"
	hints "'getlnfo' looks like 'getInfo'"
	[ "$(grep -c 'looks like' stderr)" = 2 ]
	hiding tools 'get*'
	[ "$(grep -c 'looks like' stderr)" = 1 ]
	hiding tools hidden-nowhere
	absent 'looks like' stderr
	hiding -q tools
	[ -z "$err" ]
	hiding -o json tools
	jq -r '.note // empty' stderr >notes
	grep -qxF "'sc\\u0430n' looks like 'scan'" notes
	hiding resources
	hints "'test://p\\u0430ge' looks like 'test://page'"
	hints "'test://pa\\u200bge' looks like 'test://page'"
	mcp sim:large tools
	absent 'looks like' stderr
}

@test "more of them are counted" {
	for name in 0000 000O 00O0 00OO 0O00 0O0O 0OO0 0OOO; do
		echo "{\"name\":\"$name\"}"
	done >tools.jsonl
	background peer /usr/bin/python3 "$BATS_TEST_DIRNAME/tools_peer.py" tools.jsonl
	mcp "ws://127.0.0.1:$(wait_for peer.out 'port [0-9]+' | sed 's/port //')/" tools
	[ "$(grep -c 'looks like' stderr)" = 5 ]
	hints '2 more names look like another'
}

@test "describe says what a tool looks like, and hides nothing" {
	hiding describe scan
	ends 0
	says "'scan' looks like 'sc\\u0430n'"
	hiding -o json describe scan
	[ "$(jq -r .looks_like stdout)" = $'sc\xd0\xb0n' ]
	hiding describe $'hid\xe2\x80\x8bden'
	ends 0
	seen stdout stderr
	says 'ar\u00adg'
	says 'argument[4 invisible]'
	absent 'looks like' stdout
	hiding -o json describe $'hid\xe2\x80\x8bden'
	[ "$(jq -r .looks_like stdout)" = null ]
	mcp sim: describe self.reboot
	absent 'looks like' stdout
}

@test "no command that shows what a peer says hides any of it" {
	local -a words
	while read -ra words; do
		hiding "${words[@]}"
		seen stderr || { echo "${words[*]}" >&2; return 1; }
		# Exact is what a program reads: a single text.
		case "${words[*]}" in
		*call* | read* | complete*) ;;
		*) seen stdout || { echo "${words[*]}" >&2; return 1; } ;;
		esac
	done <<-'END'
		info
		tools
		tools --tree
		describe scan
		call scan
		call getInfo
		call nothing
		resources
		templates
		read test://page
		prompts
		prompt nothing
		complete nothing city=
		tail --for 100ms
		ping
		-v call scan
		-v info
	END
}

@test "a program gets the bytes, a terminal sees them all" {
	local command form
	hiding call scan
	[ "$(jq -rn --rawfile t stdout '$t | explode | map(select(. >= 917504)) | length')" = 4 ]
	hiding -o json call scan
	[ "$(jq -r '.content[0].text | explode | map(select(. >= 917504)) | length' stdout)" = 4 ]
	cp stdout exact
	terminal 200 30
	command="mcpctl call scan -- /usr/bin/python3 $BATS_TEST_DIRNAME/hiding_server.py"
	enter "clear; $command"
	see '^result\[4 invisible\] and \[2 invisible\]more'
	for form in json raw; do
		enter "clear; MCPCTL_OUTPUT=$form $command; echo end of \$((1))"
		see '^end of 1'
		seen screen
		grep -qF 'result\udb40\udc6f\udb40\udc62\udb40\udc65\udb40\udc79 and \u200b\u00admore' screen
	done
	# What is shown is the same JSON.
	script -qec "MCPCTL_OUTPUT=json $command" /dev/null </dev/null >typed 2>/dev/null
	grep '^{"content' typed | tr -d '\r' | jq -S . >shown
	jq -S . exact | diff - shown
}

@test "the shell hides nothing, and TAB offers no name that cannot be seen whole" {
	terminal 120 40 MCPCTL_TIMEOUT=20
	enter "mcpctl shell -- /usr/bin/python3 $BATS_TEST_DIRNAME/hiding_server.py"
	see 'server\\U000e006f'
	enter tools
	see "'getlnfo' looks like 'getInfo'"
	see 'hid\\u200bden'
	seen screen
	type_text 'describe '
	keys Tab Tab
	see 'getInfo'
	seen screen
	mkdir -p config/mcpctl
	jq -n --arg f "$BATS_TEST_DIRNAME/hiding_server.py" \
		'{mcpServers:{hid:{command:"/usr/bin/python3",args:[$f]}}}' >config/mcpctl/mcp.json
	mcp -t hid tools
	ends 0
	find cache -type f -exec cat {} + >kept
	grep -q '^scan' kept
	absent '^hid' kept
	mcp -t hid tools --cached
	says scan
}

@test "devices, serve's log and tail show who is who" {
	mkdir -p config/mcpctl
	printf '{"kitchen":"aa:00:00:00:00:01","kit\\u0441hen":"aa:00:00:00:00:02","de\\u200bsk":"aa:00:00:00:00:03"}' \
		>config/mcpctl/devices.json
	background serve mcpctl -v serve --listen 127.0.0.1:0
	# shellcheck disable=SC2034 # of device
	PORT=$(wait_for serve.err 'http://127.0.0.1:[0-9]+/' | sed -E 's|.*:([0-9]+)/.*|\1|')
	local n
	for n in 1 2 3; do
		device "board$n" --device-id "aa:00:00:00:00:0$n"
	done
	for n in kitchen kit.*hen 'de.*sk'; do
		wait_for serve.out "  $n  .*tools"
	done
	seen serve.out serve.err
	mcp devices
	ends 0
	seen stdout stderr
	says 'de\u200bsk'
	hints "looks like '"
	hints 'kit\u0441hen'
	mcp --all ping
	seen stdout stderr
	says 'de\u200bsk'
	mcp -d $'de\xe2\x80\x8bsk' tail --for 100ms
	seen stdout stderr
}
