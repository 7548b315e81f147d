#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# adopt: the OTA address in the portal of a board, a stand-in on loopback.
load helper

OURS=http://192.168.1.2:8000/xiaozhi/ota/
THEIRS=https://ota.example/xiaozhi/ota/

# portal [FAULT]: sets PORTAL.
portal() {
	background portal /usr/bin/python3 "$BATS_TEST_DIRNAME/portal.py" "$@"
	PORTAL=http://127.0.0.1:$(wait_for portal.out 'port [0-9]+' | sed 's/port //')
}

adopt() { mcp adopt --portal "$PORTAL" "$@"; }

# posted N: so many, and nothing but the address in each.
posted() {
	[ "$(grep -c '^posted /advanced/submit {"ota_url":"[^"]*"}$' portal.out)" = "$1" ]
	[ "$(grep -c '^posted' portal.out)" = "$1" ]
}

@test "the address alone is set, what was set is kept, and put back" {
	portal
	adopt --ota "$OURS"
	ends 0
	says "before       $THEIRS"
	says "OTA address  $OURS"
	hints 'mcpctl adopt --restore'
	hints 'next: '
	posted 1
	[ "$(stat -c %a state/mcpctl/adopted.json)" = 600 ]
	# A second one does not lose the first.
	adopt --ota http://192.168.1.3:8000/xiaozhi/ota/
	ends 0
	hints 'what was set before is kept'
	hints "next: at $PORTAL choose the board's Wi-Fi"
	mcp -o json adopt --list
	ends 0
	[ "$(jq -rs 'map(.before) | join(" ")' "$WORK/stdout")" = "$OURS $THEIRS" ]
	adopt --restore
	ends 0
	says "OTA address  $OURS"
	hints 'does not say whose it is'
	mcp -o json adopt --portal "$PORTAL" --restore
	ends 0
	[ "$(jq -r '.ota_url, .changed' "$WORK/stdout" | xargs)" = "$THEIRS true" ]
	posted 4
	adopt --restore
	ends 7
	hints 'nothing is kept of this board'
	mcp adopt --list
	ends 0
	hints 'nothing is kept'
}

@test "--jq of what was set, and of what is kept" {
	portal
	adopt --ota "$OURS" --jq .before
	ends 0
	[ "$out" = "$THEIRS" ]
	mcp adopt --list --jq .before
	ends 0
	[ "$out" = "$THEIRS" ]
}

@test "what is set already is not set again" {
	portal
	adopt --ota "$OURS"
	adopt --ota "$OURS"
	ends 0
	hints 'nothing was changed'
	posted 1
	[ "$(jq length state/mcpctl/adopted.json)" = 1 ]
}

@test "two at once: putting back loses nothing that the other one kept" {
	portal waits
	adopt --ota "$OURS"
	ends 0
	background restore mcpctl adopt --portal "$PORTAL" --restore
	RESTORE=$LAST
	wait_for portal.out '^posted .*ota\.example'
	background second /usr/bin/python3 "$BATS_TEST_DIRNAME/portal.py"
	mcp adopt --portal "http://127.0.0.1:$(wait_for second.out 'port [0-9]+' | sed 's/port //')" --ota "$OURS"
	ends 0
	touch go
	finish "$RESTORE" 0
	mcp -o json adopt --list
	ends 0
	[ "$(jq -rs 'map(.portal) | join(" ")' "$WORK/stdout")" = "http://127.0.0.1:$(sed -n 's/^port //p' second.out)" ]
}

@test "none was set: an empty address is put back" {
	portal
	adopt --ota "$OURS"
	sed -i "s|$THEIRS||" state/mcpctl/adopted.json
	# Not what that adopt set.
	curl -s -d '{"ota_url":"http://b.example/ota/"}' "$PORTAL/advanced/submit"
	adopt --restore
	ends 0
	hints 'another address than the one of that adopt was set meanwhile'
	hints "a portal does not say whose it is: this was kept for $PORTAL at 20"
	says 'OTA address  none: the one that the firmware was built with'
	wait_for portal.out '^posted /advanced/submit \{"ota_url":""\}$'
}

@test "without --ota: the address of the running serve, else of this machine" {
	portal
	background here mcpctl -o json serve --listen 127.0.0.1:0 --advertise home.example
	wait_for here.out '"event":"listening"'
	adopt
	ends 0
	says 'OTA address  http://home.example'
	hints 'of the running serve'
}

@test "a serve that no board reaches lends no address, and that is said" {
	portal
	background here mcpctl -o json serve --listen 127.0.0.1:0
	wait_for here.out '"event":"listening"'
	adopt
	if [[ "$err" == *"(of the running serve)"* ]]; then false; fi
	# Without another address of this machine there is none at all.
	if [ "$status" = 0 ]; then
		hints 'of this machine; the running serve has none that a board reaches'
	else
		ends 2
		hints 'cannot be known from the hotspot'
	fi
}

@test "addresses that no board reaches, or reads, are refused before anything is asked" {
	portal
	for url in http://192.168.4.2:8000/xiaozhi/ota/ http://127.0.0.1:8000/ota/ http://localhost:8000/x \
		http://0.0.0.0:8000/ota/ ftp://192.168.1.2/ota/ 192.168.1.2 'http://192.168.1.2/a b' http://:8000/ota/; do
		adopt --ota "$url"
		ends 2
		[ -n "$err" ] && [ -z "$out" ]
	done
	adopt --ota "http://192.168.1.2/$(head -c 2000 /dev/zero | tr '\0' x)"
	ends 2
	hints 'the portal takes 1024'
	# Each for its own reason.
	while IFS=' ' read -r url why; do
		adopt --ota "$url"
		ends 2
		hints "'$url' $why"
	done <<-'END'
		http://192.168.4.2/ota/ is an address in the board's hotspot
		http://127.0.0.1:8000/ is this machine only for itself
		http://0.0.0.0:8000/ is this machine only for itself
		192.168.1.2:8000/ota/ does not begin with http://
		http://:8000/ota/ is no address that a board can read
		http://abc:80:90/x is no address that a board can read
		http://ab is too short, or has characters of no address
		http://abc.d/"x" is too short, or has characters of no address
	END
	adopt --ota ftp://192.168.1.2/
	hints 'such as http://192.168.1.2:8000/xiaozhi/ota/'
	posted 0
	adopt --ota http://192.168.4.2:8000/xiaozhi/ota/ --force
	ends 0
	posted 1
	# As short as firmware asks it.
	adopt --ota http://abc
	ends 0
	says 'OTA address  http://abc'
}

@test "options that do not fit" {
	for words in '--list --restore' '--list --ota http://a.example/' '--restore --ota http://a.example/' '--force' \
		'--portal ftp://127.0.0.1' '--portal http://127.0.0.1:1/path' '--portal http://:1' 'word'; do
		# shellcheck disable=SC2086 # words
		mcp adopt $words
		ends 2
		[ -n "$err" ]
	done
}

@test "nobody is there: what to do" {
	mcp adopt --portal http://127.0.0.1:1 --ota "$OURS"
	ends 3
	hints 'no portal at http://127.0.0.1:1'
	hints 'hotspot'
	[ ! -e state/mcpctl/adopted.json ]
}

# another FAULT WORDS: nothing is sent there, and nothing of it shown raw.
another() {
	portal "$1"
	adopt --ota "$OURS"
	ends 5
	hints "$2"
	hints 'by hand: '
	posted 0
	absent $'\x1b' "$WORK/stderr" "$WORK/stdout"
	[ ! -e state/mcpctl/adopted.json ]
}

@test "a page of HTML is another portal" { another html 'no portal of this firmware'; }
@test "no such page: another, or an older one" { another absent 'there is no /advanced/config'; }
@test "a portal that sends elsewhere is not followed" { another elsewhere 'sends elsewhere'; }
@test "a megabyte is another portal, and not read" { another huge 'more than 8 kB'; }
@test "JSON of something else is another portal" { another alike 'no portal of this firmware'; }

@test "an answer that is cut is none" {
	portal cut
	adopt --ota "$OURS"
	[ "$status" != 0 ]
	hints 'closed before the reply was whole'
	posted 0
}

@test "the board cannot store it: its words, and what was kept stays" {
	portal refuses
	adopt --ota "$OURS"
	[ "$status" != 0 ]
	hints 'Failed to open NVS'
	posted 1
	[ "$(jq -r '.[0].before' state/mcpctl/adopted.json)" = "$THEIRS" ]
}

@test "what the portal shows afterwards is compared" {
	portal forgets
	adopt --ota "$OURS"
	ends 5
	hints "shows '$THEIRS' afterwards"
	[ -z "$out" ]
}

@test "a list that cannot be read, or written, changes no board" {
	portal
	mkdir -p state/mcpctl
	echo '{oops' >state/mcpctl/adopted.json
	adopt --ota "$OURS"
	ends 8
	hints 'no list of JSON'
	rm state/mcpctl/adopted.json
	mkdir state/mcpctl/adopted.json
	adopt --ota "$OURS"
	ends 8
	posted 0
}

@test "what a portal shouts is not shown raw, and comes back byte for byte" {
	portal shouts
	adopt --ota "$OURS"
	ends 0
	absent $'\x1b|\xe2\x80\xae' "$WORK/stderr" "$WORK/stdout"
	adopt --restore
	ends 0
	absent $'\x1b|\xe2\x80\xae' "$WORK/stderr" "$WORK/stdout"
	wait_for portal.out '"http://.u001b\[2J.*a.example/.n"'
	mcp -o json adopt --list
	ends 0
}
