#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Names of mcp.json files: listed, opened, in the shell.

load helper

SERVER='"command": "/usr/bin/python3", "args"'

files() {
	mkdir -p project/sub config/mcpctl
	cat >project/.mcp.json <<-END
		{ // comments are fine
		  "mcpServers": {
		    "asker": { $SERVER: ["$ROOT/tests/cli/asking_server.py", "\${HEARD:-heard}"] },
		    "secret": { "url": "https://127.0.0.1:1/mcp?api_key=geheim", "headers": { "X-Key": "geheim" } },
		    "broken": { "command": 7 },
		    "unset": { "url": "http://\${NOBODY_SETS_THIS}/" },
		    "both": { "command": "false" },
		  }
		}
	END
	echo '{"mcpServers":{"pretend":{"url":"sim:"},"both":{"url":"sim:"}}}' >config/mcpctl/mcp.json
	echo '{oops' >project/sub/mcp.json
	mcpctl trust project/.mcp.json
}

@test "none at all is no error and says where they are looked for" {
	mcp targets
	ends 0
	[ -z "$out" ]
	hints 'no mcp.json names a server'
}

@test "a line for each, what is wrong beside it; nothing is started" {
	files
	cd project/sub
	mcp targets
	ends 0
	says 'asker    stdio:/usr/bin/python3'
	says "$WORK/project/.mcp.json"
	says 'https://127.0.0.1:1/mcp?api_key=***'
	says 'command is no text'
	says "the variable 'NOBODY_SETS_THIS' is not set"
	says "'$WORK/project/sub/mcp.json' is no JSON"
	says '(another file before it has the name)'
	absent geheim "$WORK/stdout" "$WORK/stderr"
	[ ! -e heard ] && [ ! -e ../heard ]
	mcp -o json targets
	ends 0
	[ "$(wc -l <"$WORK/stdout")" = 8 ]
	/usr/bin/python3 - "$WORK/stdout" <<-'END'
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1])]
		names = [row.get("name") for row in rows]
		assert names == ["pretend", "both", None, "asker", "secret", "broken", "unset", "both"], names
		assert rows[7]["hidden"] and not rows[1]["hidden"]
		assert rows[5]["problem"] and rows[2]["problem"]
		assert all(row["trusted"] for row in rows)
	END
}

@test "one file: what is wrong with it is an error where it was given, a line where it was found" {
	echo '{"mcpServers":{"pretend":{"url":"sim:"}}}' >one.json
	mcp --config one.json targets
	ends 0
	[[ "$out" = "pretend  sim:  "*one.json ]]
	mkdir -p config/mcpctl
	echo '{oops' >config/mcpctl/mcp.json
	mcp targets
	ends 0
	says 'mcp.json  '
	says 'is no JSON'
	mcp --config config/mcpctl/mcp.json targets
	ends 2
	hints 'is no JSON'
	# Columns are as wide as what stands in them.
	echo '{"mcpServers":{"a":{"url":"sim:"},"longer":{"url":"http://127.0.0.1:1/mcp"}}}' >config/mcpctl/mcp.json
	mcp targets
	ends 0
	[ "$out" = "a       sim:                    $WORK/config/mcpctl/mcp.json
longer  http://127.0.0.1:1/mcp  $WORK/config/mcpctl/mcp.json" ]
}

@test "-t NAME opens it: a program runs in the folder of its file" {
	files
	cd project/sub
	mcp -t asker call capabilities
	ends 0
	says '{}'
	[ -e ../heard ]
	HEARD=other mcp -t asker call capabilities
	[ -e ../other ]
	mcp -t asker --cwd "$WORK" call capabilities
	ends 0
	[ -e "$WORK/heard" ]
	MCPCTL_TARGET=pretend mcp call self.get_device_status
	ends 0
	says volume
}

@test "--config FILE is read alone, and must be good" {
	files
	mcp --config config/mcpctl/mcp.json -t both info
	ends 0
	says esp32
	mcp --config config/mcpctl/mcp.json targets
	ends 0
	absent broken stdout
	mcp --config project/sub/mcp.json targets
	ends 2
	hints "'project/sub/mcp.json' is no JSON"
	mcp --config nowhere targets
	ends 2
	hints nowhere
	MCPCTL_CONFIG=nowhere mcp -t asker info
	ends 2
}

@test "wrong names and broken entries say what and where" {
	files
	cd project
	mcp -t askr tools
	ends 2
	hints "'askr' is no target: it has no ':', and no mcp.json names it"
	hints "did you mean 'asker'?"
	hints "$WORK/project/.mcp.json"
	mcp -t sim tools
	ends 2
	hints "did you mean 'sim:'?"
	mcp -t broken tools
	ends 2
	hints "server 'broken' of '$WORK/project/.mcp.json': command is no text"
	mcp -t unset tools
	ends 2
	hints 'url: the variable'
	hints '{NOBODY_SETS_THIS:-'
}

@test "secrets of an entry are in no message" {
	files
	cd project
	mcp -t secret --retry 1 tools
	ends 3
	absent geheim "$WORK/stdout" "$WORK/stderr"
	mcp -v -o json -t secret --retry 1 tools
	ends 3
	absent geheim "$WORK/stdout" "$WORK/stderr"
	mcp -t secret --env A=b tools
	ends 2
	absent geheim "$WORK/stdout" "$WORK/stderr"
}

@test "the user's own name wins, and that is told once" {
	files
	cd project
	mcp -t both run -e ping -e ping
	ends 0
	hints "'both' is the one of your own '$WORK/config/mcpctl/mcp.json'; the one of '$WORK/project/.mcp.json' does not count"
	[ "$(grep -c 'does not count' "$WORK/stderr")" = 1 ]
	mcp -q -t both ping
	[ -z "$err" ]
	mcp -t pretend ping
	absent 'does not count' "$WORK/stderr"
	cd "$WORK"
	mcp -t both ping
	absent 'does not count' "$WORK/stderr"
}

@test "in the shell: use NAME, targets" {
	files
	cd project
	printf '%s\n' 'use pretend' 'ping' 'use asker' 'call capabilities' 'targets' 'use nobody' >lines
	status=0
	mcpctl shell <lines >"$WORK/stdout" 2>"$WORK/stderr" || status=$?
	out=$(cat "$WORK/stdout")
	says alive
	says '{}'
	says 'stdio:/usr/bin/python3'
	grep -q "or is a name of 'targets'" "$WORK/stderr"
	[ "$status" != 0 ]
}

# bats test_tags=root
@test "a file of another user is not used" {
	files
	needs_root 'only root can give files away'
	chown 12345 project/.mcp.json
	cd project
	mcp targets
	ends 0
	says 'belongs to another user'
	mcp -t secret tools
	ends 2
	mcp --config .mcp.json -t asker call capabilities
	ends 0
}

@test "tools --cached takes a name, wherever it was given" {
	files
	mcp -t pretend tools
	ends 0
	listed=$(sort <<<"$out")
	mcp -t pretend tools --cached
	ends 0
	[ "$(sort <<<"$out")" = "$listed" ]
	MCPCTL_TARGET=pretend mcp tools --cached
	ends 0
	mcp -t pretend run -e 'tools --cached'
	ends 0
	says self.get_device_status
	for start in '-t pretend' sim:nowhere; do
		status=0
		# shellcheck disable=SC2086 # words
		printf 'use pretend\ntools --cached\n' | mcpctl $start shell >"$WORK/stdout" || status=$?
		[ "$status" = 0 ]
		grep -q self.get_device_status "$WORK/stdout"
	done
}

@test "tools --cached without a list proposes the name, as it was given" {
	files
	cd project
	mcp -t asker tools --cached
	ends 7
	hints 'list them once, and it is kept: mcpctl -t asker tools'
	cd "$WORK"
	mcp --config 'project/.mcp.json' -t asker tools --cached
	ends 7
	hints 'mcpctl --config project/.mcp.json -t asker tools'
	mcp 'https://127.0.0.1:1/mcp?key=geheim' tools --cached
	ends 7
	hints 'mcpctl https://127.0.0.1:1/mcp tools'
	mcp -t nobody tools --cached
	ends 2
	hints "'nobody' is no target"
}

@test "a broken file that is passed over is told once" {
	files
	cd project/sub
	mcp -t asker run -e ping -e ping
	ends 0
	hints "'$WORK/project/sub/mcp.json' is no JSON"
	hints 'it was passed over'
	[ "$(grep -c 'passed over' "$WORK/stderr")" = 1 ]
	mcp -t asker tools --cached
	hints 'it was passed over'
	mcp -q -t asker ping
	ends 0
	[ -z "$err" ]
	printf 'use asker\nping\n' | mcpctl sim: shell >"$WORK/stdout" 2>"$WORK/stderr"
	[ "$(grep -c 'passed over' "$WORK/stderr")" = 1 ]
	mcp -t pretend ping
	ends 0
	absent 'passed over' "$WORK/stderr"
	cd "$WORK/project"
	mcp -t asker ping
	ends 0
	absent 'passed over' "$WORK/stderr"
}

@test "a name that a broken file may have: the hint says so, beside the nearest" {
	files
	cd project/sub
	mcp -t askr tools
	ends 2
	hints "a file that may name it is of no use: '$WORK/project/sub/mcp.json' is no JSON"
	hints "did you mean 'asker'?"
}

# bats test_tags=root
@test "a file of another user that is passed over is told, with what to do" {
	files
	needs_root 'only root can give files away'
	chown 12345 project/sub/mcp.json
	cd project/sub
	mcp -t asker ping
	ends 0
	hints 'belongs to another user'
	hints "passed over (to use it all the same: --config $WORK/project/sub/mcp.json)"
}
