#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Files of other MCP clients as names; targets --ping, tools --all-targets.
#
# shellcheck disable=SC2016 # ${…} is theirs

load helper

# shows PATTERN: a line of stdout has it.
shows() {
	if ! grep -aqE -- "$1" "$WORK/stdout"; then
		echo "stdout does not show: $1" >&2
		cat "$WORK/stdout" >&2
		return 1
	fi
}

put() { # FILE, its content on stdin
	mkdir -p "$(dirname "$1")"
	cat >"$1"
}

# Of the user's own. Nothing here is started but what a test dials.
homes() {
	put .cursor/mcp.json <<<'{"mcpServers":{"cursor":{"url":"sim:"},"twice":{"url":"sim:"}}}'
	put .codeium/windsurf/mcp_config.json <<<'{"mcpServers":{
		"wind":{"serverUrl":"http://127.0.0.1:1/w","headers":{"A":"${env:TOKEN_W}"}},
		"off":{"command":"false","disabled":true}}}'
	put .codex/config.toml <<-'END'
		model = "m" # a comment
		[mcp_servers.codex]
		command = "cat"
		args = ["-u", 'a\b']
		[mcp_servers."codex-http"]
		url = "http://127.0.0.1:1/c"
		bearer_token_env_var = "TOKEN_C"
	END
	put config/zed/settings.json <<-'END'
		// Zed
		{ "context_servers": {
		  "zed": { "source": "custom", "command": { "path": "cat", "args": ["z"] } },
		  "twice": { "command": "false" }, } }
	END
	put config/Claude/claude_desktop_config.json <<<'{"mcpServers":{"desktop":{"command":"cat"}}}'
	put 'Library/Application Support/Claude/claude_desktop_config.json' <<<'{"mcpServers":{"mac":{"command":"cat"}}}'
	put .claude.json <<-END
		{"mcpServers":{"code":{"type":"http","url":"http://127.0.0.1:1/cc"}},
		 "projects":{"$WORK/p":{"mcpServers":{"local":{"command":"cat"}}},
		             "/other":{"mcpServers":{"foreign":{"command":"cat"}}}}}
	END
	put config/opencode/opencode.jsonc <<<'{"mcp":{"open":{"type":"local","command":["cat","x"],"environment":{"Q":"{env:HOME}"}}}}'
	put config/Code/User/mcp.json <<<'{"servers":{"vscode":{"command":"cat","args":["${input:key}"]}}}'
	put .continue/config.yaml <<-'END'
		mcpServers:
		  - name: continue
		    type: streamable-http
		    url: http://127.0.0.1:1/y
		    requestOptions:
		      headers:
		        Authorization: Bearer ${{ secrets.X }}
	END
	put .gemini/settings.json <<<'{"mcpServers":{"gemini":{"httpUrl":"http://127.0.0.1:1/g","headers":{"A":"$TOKEN_G"}}}}'
}

@test "each client's file is read, in its own form" {
	homes
	mkdir p
	cd p
	export TOKEN_W=w TOKEN_C=c TOKEN_G=g
	mcp -o json targets
	ends 0
	/usr/bin/python3 - "$WORK/stdout" <<-'END'
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1])]
		seen = {(r["name"], r["client"]): r for r in rows}
		peers = {"cursor": "sim:", "wind": "http://127.0.0.1:1/w", "codex": "stdio:cat -u 'a\\b'",
		         "codex-http": "http://127.0.0.1:1/c", "zed": "stdio:cat z", "desktop": "stdio:cat",
		         "mac": "stdio:cat", "code": "http://127.0.0.1:1/cc", "local": "stdio:cat",
		         "open": "stdio:cat x", "gemini": "http://127.0.0.1:1/g", "continue": "http://127.0.0.1:1/y"}
		for name, peer in peers.items():
		    row = [r for r in rows if r["name"] == name]
		    assert len(row) == 1 and row[0]["peer"] == peer, (name, row)
		    assert bool(row[0]["problem"]) == (name == "continue"), row
		assert ("foreign", "Claude Code") not in seen
		assert seen["off", "Windsurf"]["off"] and not seen["wind", "Windsurf"]["off"]
		assert seen["twice", "Zed"]["hidden"] and not seen["twice", "Cursor"]["hidden"]
		assert "its editor asks for it" in seen["vscode", "VS Code"]["problem"]
		assert "secrets.X }}' cannot be known here" in seen["continue", "Continue"]["problem"]
	END
	mcp -t cursor call self.get_device_status
	ends 0
	says volume
	mcp -t vscode info
	ends 2
	hints 'input:key'
}

@test "a project's file is named, and not used before it is trusted" {
	put p/.vscode/mcp.json <<<'{"servers":{"mine":{"url":"sim:"},"env":{"command":"cat","envFile":".env"},"here":{"command":"cat","args":["${workspaceFolder}/x"]}}}'
	put p/.continue/mcpServers/one.yml <<<'mcpServers: [{name: yam, command: cat}]'
	mkdir -p p/sub
	cd p/sub
	mcp targets
	ends 0
	shows "mine .* not trusted: mcpctl trust $WORK/p/.vscode/mcp.json"
	shows 'yam .* not trusted'
	says "stdio:cat $WORK/p/x"
	mcp -t mine info
	ends 2
	hints 'is not trusted; nothing was run or sent'
	mcp targets --ping
	ends 7
	hints '4 not dialled: their files are not trusted'
	mcp trust
	ends 2
	says "untrusted  $WORK/p/.vscode/mcp.json"
	mcp trust ../.vscode/mcp.json
	ends 0
	mcp trust
	ends 2
	says "trusted    $WORK/p/.vscode/mcp.json"
	mcp -t mine info
	ends 0
	mcp -t env info
	ends 2
	hints '"envFile" is not read here'
	echo '{"servers":{"mine":{"url":"sim:", "headers":{}}}}' >../.vscode/mcp.json
	mcp -t mine info
	ends 2
	mcp trust /etc/hosts
	ends 2
}

@test "bad files are named, and hide no other" {
	put .codex/config.toml <<<'[mcp_servers.x'
	put .continue/config.yaml <<<'a: [b'
	put .gemini/settings.json <<<'{"theme":'
	put config/zed/settings.json <<<'{"theme":"x"}'
	put .codeium/windsurf/mcp_config.json </dev/null
	put .cursor/mcp.json <<<'{"mcpServers":{"good":{"url":"sim:"}}}'
	mcp targets
	ends 0
	shows "'$WORK/.codex/config.toml' is no TOML: a ']' is missing behind a table's name .line 1."
	says "'$WORK/.continue/config.yaml' cannot be read as YAML"
	says "'$WORK/.gemini/settings.json' is no JSON"
	shows 'good .* sim:'
	[ "$(wc -l <"$WORK/stdout")" = 4 ]
	mcp -t good info
	ends 0
}

@test "targets --ping: who answers, and how long; status 7 if one does not" {
	mkdir -p config/mcpctl
	put config/mcpctl/mcp.json <<<'{"mcpServers":{"a":{"url":"sim:"},"off":{"command":"false","enabled":false},"b":{"url":"sim:"},"last":{"command":"false","enabled":false}}}'
	mcp targets --ping
	ends 0
	shows '^a .* sim: .* ms'
	shows '^off .*switched off there'
	shows '^b .* sim: .* ms'
	shows '^last .*switched off there'
	[ "$(wc -l <stdout)" = 4 ]
	put .cursor/mcp.json <<<'{"mcpServers":{"c":{"url":"http://127.0.0.1:1/mcp"},"d":{"url":"http://${NOBODY_SETS_THIS}/"}}}'
	mcp -o json targets --ping
	ends 7
	hints '1 of 3 targets failed'
	shows '"name":"c",.*"answers":false,"took_us":-1,"error":"cannot connect'
	shows '"name":"a",.*"answers":true,"took_us":[0-9]*,"error":null'
	rm .cursor/mcp.json
	put .cursor/mcp.json <<<'{"mcpServers":{"d":{"url":"http://${NOBODY_SETS_THIS}/"}}}'
	mcp targets --ping
	ends 7
	hints '1 cannot be dialled'
}

@test "targets --ping: what is not to be dialled fails nobody, however wrong it is" {
	mkdir -p config/mcpctl
	put config/mcpctl/mcp.json <<<'{"mcpServers":{"a":{"url":"sim:"},"off":{"command":7,"enabled":false}}}'
	put .mcp.json <<<'{"mcpServers":{"a":{"command":7},"b":{"url":"sim:"}}}'
	mcp targets --ping
	ends 0
	hints '2 not dialled: their files are not trusted'
	mcpctl trust .mcp.json
	mcp targets --ping
	ends 0
	shows '^b .* sim: .* ms'
	says 'another file before it has the name'
	absent 'not dialled' stderr
	put config/mcpctl/mcp.json <<<'{"mcpServers":{"a":{"command":7},"off":{"command":7,"enabled":false}}}'
	mcp targets --ping
	ends 7
	hints '1 cannot be dialled'
}

@test "targets --ping: one that says nothing holds up nobody, and has its time" {
	mkdir -p config/mcpctl
	put config/mcpctl/mcp.json <<<'{"mcpServers":{"mute":{"command":"sleep","args":["1000"]},"a":{"url":"sim:"}}}'
	mcp targets --ping --timeout 1s
	ends 7
	shows 'mute .* within 1 s'
	shows 'a .* sim: .* ms'
}

@test "--all-targets, targets --ping: what one says beside its answer has its name" {
	mkdir -p config/mcpctl
	put noisy.py <<-EOF
		import json, sys
		def say(message):
		    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
		print("starting", flush=True)
		for line in sys.stdin:
		    ask = json.loads(line)
		    if ask["method"] == "tools/list":
		        say({"method": "notifications/message", "params": {"level": "error", "data": "the pump is dry"}})
		    if "id" in ask:
		        say({"id": ask["id"], "result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
		             "serverInfo": {"name": "n", "version": "1"}, "tools": []}})
	EOF
	put config/mcpctl/mcp.json <<-EOF
		{"mcpServers":{"a":{"command":"python3","args":["noisy.py"]},"bb":{"command":"python3","args":["noisy.py"]}}}
	EOF
	local name
	mcp --era legacy tools --all-targets --findings found
	ends 0
	for name in a bb; do
		hints "  $name: 'python3' printed on its stdout"
		hints "  $name: notifications/message  error: the pump is dry"
		hints "P702 warning  $name: lines on stdout that are no messages"
		grep -q "\"P702\".*\"device\":\"$name\"" found
	done
	mcp -o json --era legacy tools --all-targets
	for name in a bb; do
		grep -q "^{\"event\":.*the pump is dry.*,\"device\":\"$name\"}}$" <<<"$err"
		grep -q "^{\"finding\":.*\"P702\".*\"device\":\"$name\"" <<<"$err"
	done
}

@test "tools WORD --all-targets: the tools of all, each with its target" {
	mkdir -p config/mcpctl
	put config/mcpctl/mcp.json <<<'{"mcpServers":{"a":{"url":"sim:"},"bb":{"url":"sim:"}}}'
	mcp tools set_volume --all-targets
	ends 0
	shows '^a   self.audio_speaker.set_volume '
	shows '^bb  self.audio_speaker.set_volume '
	mcp -o json tools set_volume --all-targets
	shows '^\{"target":"bb","tool":{"name":"self.audio_speaker.set_volume"'
	mcp tools nothing-like-this --all-targets
	ends 7
	hints "no tool of 2 targets matches 'nothing-like-this'"
	put .cursor/mcp.json <<<'{"mcpServers":{"c":{"url":"http://127.0.0.1:1/mcp"}}}'
	mcp tools set_volume --all-targets
	ends 7
	shows '^bb  self.audio'
	hints 'c: cannot connect'
	hints '1 of 3 targets failed'
	mcp sim: tools --all-targets
	ends 2
	mcp tools --all-targets --tree
	ends 2
}
