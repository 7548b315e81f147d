#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What is told of tools beyond a line each: kept lists, trees, differences,
# nested schemas and examples that are accepted.

load helper

# peer [FILE]: a foreign MCP server with the tools of FILE; sets URL.
peer() {
	background peer /usr/bin/python3 "$BATS_TEST_DIRNAME/tools_peer.py" \
		"${1:-$ROOT/tests/fixtures/schemas.jsonl}"
	PEER=$LAST
	URL=ws://127.0.0.1:$(wait_for peer.out 'port [0-9]+' | sed 's/port //')/
}

@test "the last part of any tool's name is enough to read about it" {
	for words in 'describe reboot' 'call reboot --help' 'tools reboot'; do
		# shellcheck disable=SC2086 # words
		mcp sim: $words
		ends 0
		says 'self.reboot'
	done
	mcp sim: call reboot
	ends 2
	hints "its whole name is 'self.reboot'"
}

@test "a complete listing is kept: one private file a target" {
	mcp sim: tools
	[ "$(find cache/mcpctl/tools -type f -printf '%m\n')" = 600 ]
	[ "$(stat -c %a cache/mcpctl/tools)" = 700 ]
	mcp sim: tools volume
	mcp sim: describe self.reboot
	mcp 'sim:?fill=3' call self.audio_speaker.set_volume volume=1
	[ "$(find cache/mcpctl/tools -type f | wc -l)" = 2 ]
	mcp sim:fixtures tools --no-user
	[ "$(find cache/mcpctl/tools -type f | wc -l)" = 2 ]
}

@test "--cached: the same tools, without any connection" {
	peer
	mcp -o json "$URL" tools
	ends 0
	sort stdout >before
	kill "$PEER"
	wait "$PEER" || :
	mcp "$URL" tools
	ends 3
	mcp -o json "$URL" tools --cached
	ends 0
	sort stdout | cmp - before
	jq -e '.listing | .kept and .age_s >= 0 and .tools == 18 and .complete' <<<"$err"
	mcp "$URL" tools --cached 'one*'
	ends 0
	[ "$(wc -l <stdout)" = 1 ]
	hints "1 shown of 18 tools, listed "
	hints " ago from $URL"
	mcp "$URL" tools --cached nothing-like-it
	ends 7
	mcp "$URL" tools --cached --tree
	ends 0
	says '灯.设置'
}

@test "--cached where nothing is kept, or what is there is damaged" {
	mcp ws://127.0.0.1:1/ tools --cached
	ends 7
	hints 'mcpctl ws://127.0.0.1:1/ tools'
	[ -z "$out" ]
	mcp tools --cached
	ends 7
	hints 'mcpctl tools'
	mcp nonsense:1 tools --cached
	ends 2
	mcp sim: tools
	file=$(find cache/mcpctl/tools -type f)
	truncate -s -1 "$file"
	mcp sim: tools --cached
	ends 7
	hints 'mcpctl sim: tools'
	sed -i 's/{"name"/{"name/' "$file"
	printf 'x\n' >>"$file"
	mcp sim: tools --cached
	ends 7
	ln -sf /etc/passwd "$file"
	mcp sim: tools --cached
	ends 7
	mcp sim: tools
	ends 0
	mcp sim: tools --cached
	ends 0
	[ ! -L "$file" ]
}

@test "a home folder that does not exist is not made" {
	local ghost=$WORK/ghost
	(
		unset XDG_CACHE_HOME XDG_STATE_HOME
		HOME=$ghost mcp sim: tools
		ends 0
		[[ $err != *kept* ]]
		HOME=$ghost mcp -v sim: tools
		hints "not kept: the folder '$ghost' is not there"
		HOME=$ghost mcp sim: _complete bash call ''
		HOME=$ghost mcp sim: tools --cached
		ends 7
		HOME=$ghost mcp serve --listen 127.0.0.1:0 --once --wait 100ms --exec true
		ends 3
		[ ! -e "$ghost" ]
	)
	HOME=$ghost/me XDG_CACHE_HOME=$ghost/.cache XDG_STATE_HOME=$ghost/.local/state \
		mcp sim: tools
	ends 0
	[ ! -e "$ghost" ]
}

@test "a list that cannot be kept is no failure, and told by -v only" {
	XDG_CACHE_HOME=/dev/null mcp sim: tools
	ends 0
	[[ $err != *kept* ]]
	XDG_CACHE_HOME=/dev/null mcp -v sim: tools
	ends 0
	hints 'not kept'
	(
		unset XDG_CACHE_HOME
		mcp sim: tools
		ends 0
		[ -d .cache/mcpctl/tools ]
	)
}

@test "kept files tell no secrets" {
	peer
	mcp "${URL}?token=hunter2&x=y" tools
	ends 0
	absent hunter2 cache/mcpctl/tools/*
	[[ $(ls cache/mcpctl/tools) != *hunter* ]]
	mcp "$URL" tools --cached
	ends 0
}

@test "of serve: by the device's id, with and without the serve" {
	serve
	device board --device-id 02:ab:cd:ef:00:01
	event ready
	mcp tools
	ends 0
	count=$(wc -l <stdout)
	mcp tools --cached
	ends 0
	[ "$(wc -l <stdout)" = "$count" ]
	hints 'from attach:'
	id=$(sed -n 's/.* ago from attach://p' stderr)
	device other --device-id 02:00:00:00:00:99
	event ready 02:00:00:00:00:99
	mcp tools --cached
	ends 2
	hints '-d'
	mcp -d "$id" tools --cached
	ends 0
	kill "$SERVER"
	wait "$SERVER" || :
	mcp tools --cached
	ends 0
	[ "$(wc -l <stdout)" = "$count" ]
	mcp -d "$id" tools --cached
	ends 0
	mkdir -p config/mcpctl
	printf '{"kitchen":"%s"}' "$id" >config/mcpctl/devices.json
	mcp -d kitchen tools --cached
	ends 0
	# As with a serve, letters may be large: for completion too.
	mcp -d KITCHEN tools --cached
	ends 0
	mcp -d "${id^^}" tools --cached
	ends 0
	[ "$(wc -l <stdout)" = "$count" ]
	mcp _complete fish -d "${id^^}" call self.
	says self.
	printf '{"kitchen":"%s"}' "${id^^}" >config/mcpctl/devices.json
	mcp -d kitchen tools --cached
	ends 0
	mcp -d nobody tools --cached
	ends 7
}

@test "--tree groups by the parts of names" {
	mcp sim: tools --tree
	ends 0
	grep -qx 'self' stdout
	grep -qE '^  audio_speaker.set_volume  +Sets' stdout
	grep -qx '  screen' stdout
	grep -qE '^    get_info +\[user-only\] Tells' stdout
	hints '5 tools + 7 user-only'
	mcp sim: tools --tree '*.set_volume'
	ends 0
	grep -qE '^self.audio_speaker.set_volume  ' stdout
	mcp -o json sim: tools --tree
	ends 2
	hints 'text'
	mcp sim: tools --tree --diff x
	ends 2
	mcp --all tools --tree
	ends 2
}

@test "--diff: nothing differs from what was saved a moment ago" {
	mcp -o json sim: tools
	tac stdout >saved
	mcp sim: tools --diff saved
	ends 0
	[ -z "$out" ]
	hints 'no difference: 12 tools'
	mcp sim: tools --diff saved --cached
	ends 0
	jq -s . saved >array
	mcp sim: tools --diff array
	ends 0
	jq -s '{jsonrpc:"2.0",id:1,result:{tools:.}}' saved >reply
	mcp sim: tools --diff reply
	ends 0
	jq -c .result reply >result
	mcp sim: tools --diff result volume
	ends 0
	hints 'no difference: 2 tools'
	mcp sim: tools --diff result 'self.scren.*'
	ends 7
	hints "no tool matches 'self.scren.*'"
	mcp -o raw sim: tools
	cp stdout raw
	mcp sim: tools --diff raw
	ends 0
	mcp sim: tools --no-user --diff saved
	ends 7
	says '- self.reboot'
	status=0
	mcpctl sim: tools --diff - <saved || status=$?
	[ "$status" = 0 ]
}

@test "--diff: tools that came, went and changed; status 7" {
	mcp -o json sim: tools
	cp stdout saved
	mcp 'sim:?fill=2' tools --diff saved
	ends 7
	[ "$out" = $'+ self.fill.t000\n+ self.fill.t001' ]
	hints '2 added, 0 removed, 0 changed'
	mcp sim:fixtures tools --diff saved
	ends 7
	says '+ self.test.image'
	jq -c 'select(.name != "self.reboot")
		| if .name == "self.audio_speaker.set_volume" then
			.description = "Louder." | .inputSchema.properties.volume.maximum = 80
			| .inputSchema.properties.mute = {"type":"boolean"}
			| .inputSchema.required = ["mute"] | .annotations = {"readOnlyHint":true}
		else . end' saved >older
	mcp sim: tools --diff older
	ends 7
	says '+ self.reboot'
	says '~ self.audio_speaker.set_volume'
	says '    argument volume: maximum 80 -> 100'
	says '    argument mute: removed, boolean, required'
	says '    argument volume: optional -> required'
	says '    annotations {"readOnlyHint":true} -> (none)'
	says '      - "Louder."'
	mcp -o json sim: tools --diff older
	ends 7
	jq -es 'map(.change) == ["changed","added"]' stdout
	jq -es '.[0] | .old.name == .name and .new.name == .name
		and (.differences | map(select(.path == "/inputSchema/properties/volume/maximum"))
		== [{path:"/inputSchema/properties/volume/maximum",what:"argument volume: maximum",old:80,new:100}])' stdout
	jq -es '.[1].tool.name == "self.reboot"' stdout
}

@test "--diff: a file that is no list" {
	mcp sim: tools --diff nowhere
	ends 2
	hints nowhere
	mcp -o json sim: tools
	{ head -n 2 stdout; echo '{"name":'; } >bad
	mcp sim: tools --diff bad
	ends 2
	hints "line 3 of 'bad'"
	hints 'o json tools'
	echo '{"error":"x"}' >bad
	mcp sim: tools --diff bad
	ends 2
	hints 'neither a name nor tools'
	echo '[{"name":"a"},7]' >bad
	mcp sim: tools --diff bad
	ends 2
	hints 'element 2'
	: >bad
	mcp sim: tools --diff bad
	ends 2
	head -c 100000 /dev/urandom >bad
	mcp sim: tools --diff bad
	ends 2
	# Told before anything is connected to.
	mcp ws://127.0.0.1:1/ tools --diff bad
	ends 2
}

@test "describe: nested objects and arrays, references, choices" {
	peer
	mcp "$URL" describe nested
	ends 0
	says 'route[].at.lat            number -90..90, required'
	says 'Degrees north.'
	says 'options.deep.deeper.deepest[][].x  boolean, required'
	says 'steps[].ms  integer >= 0'
	says 'idempotentHint: true'
	mcp "$URL" describe tree
	ends 0
	says 'array, as root.children above'
	mcp "$URL" describe either
	ends 0
	says 'target (1 of 3)  object'
	says 'target.id        string, pattern ^dev-'
	mcp "$URL" describe one-of-names
	says "At least one is needed: 'id', or 'name'"
	mcp "$URL" describe impossible
	ends 0
	says "none was found that fits the schema: 'code'"
}

# examples TARGET: each tool's example, called as it stands there.
examples() {
	mcp -o json "$1" tools
	ends 0
	jq -r '@sh "describe \(.name)"' stdout >script
	mcpctl -o json "$1" run script >described
	[ "$(wc -l <described)" = "$(wc -l <script)" ]
	jq -r 'select(.example != null) | .example' described >script
	mcpctl "$1" run --keep-going script >called 2>refused || :
	absent 'does not fit|error: argument|usage' refused
}

@test "describe: every example is accepted, of profiles and of nasty schemas" {
	peer
	examples "$URL"
	[ "$(wc -l <script)" = 17 ]
	[ "$(wc -l <called)" = 17 ]
	for profile in esp32 fixtures fixtures-ws large; do
		examples "sim:$profile"
		jq -es 'all(.example != null)' described
	done
}

@test "formats that JSON Schema names are checked, others are nobody's warning" {
	cat >tools.jsonl <<'END'
{"name":"a","inputSchema":{"type":"object","properties":{"at":{"type":"string","format":"date-time"},"as":{"type":"string","format":"color"}}}}
END
	background peer /usr/bin/python3 "$BATS_TEST_DIRNAME/tools_peer.py" tools.jsonl
	PORT=$(wait_for peer.out port | cut -d' ' -f2)
	mcp "ws://127.0.0.1:$PORT/" call a at=2025-01-31T12:00:00Z as=blue
	ends 0
	[ -z "$err" ]
	mcp "ws://127.0.0.1:$PORT/" call a at=yesterday
	ends 2
	hints "argument 'at': \"yesterday\" is not of the format date-time"
}
