#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Both eras of MCP: found out, kept, changed; and what is modern in full, over
# HTTP and over stdio.

load helper

# modern [WORD…]: the stand-in over HTTP; sets URL. Its mode is those words.
modern() {
	echo "$*" >mode
	background modern /usr/bin/python3 "$ROOT/tests/cli/modern_server.py" http "$WORK"
	URL=http://127.0.0.1:$(wait_for modern.out '^port' | cut -d' ' -f2)/mcp
}

# over_stdio ARG…: the same over stdio.
over_stdio() {
	mcp "$@" -- /usr/bin/python3 "$ROOT/tests/cli/modern_server.py" stdio "$WORK"
}

# methods: what was heard so far, in order; and forgotten.
methods() {
	/usr/bin/python3 -c 'import json
for line in open("heard"): print(json.loads(line)["method"], end=" ")'
	rm heard
}

@test "a modern server: one question finds that out, later commands know it" {
	modern
	mcp "$URL" info
	ends 0
	says 'protocol       MCP 2026-07-28'
	says 'modern (by its answer to server/discover)'
	says 'instructions   be brief'
	[ "$(methods)" = "server/discover " ]
	mcp "$URL" read test://a
	ends 0
	says 'hello from a'
	# Nothing but that: no session, no stream, no question before.
	[ "$(methods)" = "resources/read " ]
	mcp -o json --jq .era "$URL" info
	says '{"name":"modern","found":"discover","kept":true}'
	mcp "$URL" ping
	ends 0
	says alive
	mcp "$URL" resources
	says test://a
	mcp "$URL" prompt greet who=you
	says hi
	mcp "$URL" complete prompt greet who=a
	mcp "$URL" request nothing/here
	ends 1
	hints 'method not found (-32601)'
}

@test "each request says who asks; HTTP repeats it in headers that --header does not change" {
	modern
	mcp --header 'Mcp-Method: wrong' --header 'Mcp-Name: wrong' "$URL" request resources/read '{"uri":"test://a","_meta":{"mine":1}}'
	ends 0
	/usr/bin/python3 - <<-'END'
		import json
		last = json.loads(open("heard").readlines()[-1])
		meta, headers = last["params"]["_meta"], last["headers"]
		assert meta["mine"] == 1
		assert meta["io.modelcontextprotocol/clientInfo"]["name"] == "mcpctl"
		assert meta["io.modelcontextprotocol/clientCapabilities"] == {}
		assert headers["mcp-protocol-version"] == meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
		assert headers["mcp-method"] == "resources/read" and headers["mcp-name"] == "test://a"
		assert "mcp-session-id" not in headers
	END
}

@test "over stdio it is the same, and a request that nobody waits for is cancelled" {
	over_stdio info
	ends 0
	says 'modern (by its answer to server/discover)'
	rm heard
	over_stdio call --no-validate echo a=1
	ends 0
	[ "$(methods)" = "tools/call " ]
	over_stdio --timeout 2s call --no-validate slow
	ends 4
	wait_for heard notifications/cancelled
	# The folder is another, and so is what is known.
	mkdir elsewhere
	over_stdio --cwd elsewhere info
	says '(by its answer to server/discover)'
	absent 'earlier command' stdout
}

@test "a legacy server is asked once; one that changes its era is found out" {
	modern legacy
	mcp "$URL" call old
	ends 0
	says 'as ever'
	[[ $(methods) == "server/discover initialize notifications/initialized tools/list tools/call "* ]]
	mcp "$URL" call old
	[[ $(methods) == "initialize notifications/initialized tools/list tools/call "* ]]
	mcp "$URL" info
	says 'legacy (by its answer to server/discover, as an earlier command found out)'
	# It is modern now: initialize is refused.
	echo modern >mode
	mcp "$URL" call --no-validate echo a=1
	ends 0
	says '"a": 1'
	mcp "$URL" info
	says 'modern (it refused initialize'
	# And back: nothing was carried out by the wrong question.
	echo legacy >mode
	rm heard
	mcp "$URL" call old
	ends 0
	says 'as ever'
	[[ $(methods) == "tools/list server/discover initialize "* ]]
}

@test "programs that are silent at the question, or end, are legacy" {
	echo ends >mode
	over_stdio call old
	ends 0
	says 'as ever'
	over_stdio info
	says 'legacy (it ended when it was asked server/discover'
	rm -r cache
	echo silent >mode
	over_stdio --timeout 2s call old
	ends 0
	over_stdio info
	says 'legacy (it did not answer server/discover in time'
}

@test "one that was modern and is silent now is asked anew by the next command" {
	modern
	over_stdio ping
	ends 0
	echo silent >mode
	over_stdio --timeout 500ms call --no-validate old
	ends 4
	over_stdio --timeout 2s call old
	ends 0
	says 'as ever'
}

@test "--era, MCPCTL_ERA and protocolEra say which; the other is not tried" {
	modern
	mcp --era legacy "$URL" tools
	ends 1
	hints 'unsupported protocol version (-32022)'
	[ "$(methods)" = "initialize " ]
	echo legacy >mode
	MCPCTL_ERA=modern mcp "$URL" tools
	ends 1
	hints "'server/discover' was not understood"
	hints '--era auto'
	[ "$(methods)" = "server/discover " ]
	mkdir -p config/mcpctl
	echo "{\"mcpServers\":{\"s\":{\"url\":\"$URL\",\"protocolEra\":\"legacy\"},\"bad\":{\"url\":\"$URL\",\"protocolEra\":7}}}" >config/mcpctl/mcp.json
	mcp -t s info
	ends 0
	says 'legacy (as the configuration says)'
	mcp -t bad info
	ends 2
	hints '"protocolEra" is no era'
	mcp --era modern listen: info
	ends 2
	hints "option '--era' is for http:, stdio:, ws: and sim:"
	mcp --era newest "$URL" info
	ends 2
}

@test "--era modern is refused where a board is, or may be: those are never asked" {
	mcp --era modern sim: tools
	ends 2
	hints "'sim:esp32' is a board: those are of the legacy era of MCP alone"
	[ ! -s stdout ]
	mcp --era modern --no-init sim: tools
	ends 2
	MCPCTL_ERA=modern mcp sim: tools
	ends 2
	mcp --era legacy sim: tools
	ends 0
	mcp --era modern sim:conformance tools
	ends 0
	background board mcpctl sim --listen 127.0.0.1:0
	local url
	url=$(wait_for board.err 'listening at' | grep -o 'ws://[^ ]*')
	mcp --era modern "$url" tools
	ends 2
	hints 'may be a board'
	hints '--envelope plain says that it is an MCP server'
	mcp "$url" tools
	ends 0
}

@test "a revision that is refused is chosen anew, once" {
	modern picky
	mcp "$URL" tools
	ends 0
	says echo
	[ "$(methods)" = "server/discover server/discover tools/list " ]
}

@test "arguments with x-mcp-header are headers, a tool that cannot have them is left out" {
	modern
	mcp "$URL" tools
	ends 0
	absent bad stdout
	hints "the tool 'bad' is left out: the x-mcp-header 'X' is of no argument of type string, integer or boolean"
	mcp "$URL" call where region=' 世界' size=-7
	ends 0
	says there
	grep -q '"mcp-param-size": "-7"' heard
	grep -q '"mcp-param-region": "=?base64?IOS4lueVjA==?="' heard
}

@test "the bridge leaves out a tool that cannot have its headers, too" {
	modern
	mcp -t "$URL" bridge --list
	ends 0
	grep -qE '^where +' stdout
	absent bad stdout
	hints "the tool 'bad' is left out: the x-mcp-header 'X' is of no argument of type string, integer or boolean"
}

@test "questions come in rounds, and are answered as any others" {
	modern
	mcp --elicit accept-defaults "$URL" call --no-validate ask
	ends 0
	says '{"q": {"action": "accept", "content": {"colour": "blue"}}}'
	# As it came, its escapes too.
	grep -q 's//t\\u00e9' heard
	[ "$(methods)" = "server/discover tools/call tools/call " ]
	mcp --elicit decline "$URL" call --no-validate both
	says '{"one": {"action": "decline"}, "two": {"action": "decline"}}, null'
	mcp "$URL" call --no-validate ask
	ends 5
	hints '--elicit answers it'
	[ ! -s stdout ]
	mcp "$URL" call --no-validate needs
	ends 1
	hints 'missing client capability (-32021)'
	hints '--elicit says that it can'
	mcp --sampling decline "$URL" call --no-validate sample
	ends 7
	hints "('sampling/createMessage') was not answered"
	over_stdio --elicit cancel call --no-validate ask
	says '"action": "cancel"'
}

@test "rounds without end are ended, 1 MB of state is not" {
	modern
	mcp --elicit decline "$URL" call --no-validate endless
	ends 5
	hints 'the server asked 16 times in a row, and still has no result'
	mcp "$URL" call --no-validate big
	ends 0
	says '1048576 bytes of state'
	mcp "$URL" call --no-validate wrong
	ends 5
	hints "resultType 'surprise'"
	mcp "$URL" call --no-validate question
	ends 0
	hints 'a request came, which a server of this revision must not send'
}

@test "logs come with the answer to who wants them" {
	modern
	mcp "$URL" call --no-validate log
	ends 0
	hints 'error: logged at warning'
	mcp "$URL" run -e 'loglevel error' -e 'call --no-validate log'
	hints 'error: logged at error'
}

@test "who waits no more closes the stream" {
	modern
	mcp --timeout 300ms "$URL" call --no-validate slow
	ends 4
	wait_for heard '"closed"'
	absent cancelled heard
}

@test "subscribe and tail listen; what is not honoured, ends or is cut is told" {
	modern
	mcp "$URL" subscribe test://a -n 1
	ends 0
	says '{"uri":"test://a"'
	grep -q '"resourceSubscriptions": \["test://a"\]' heard
	mcp "$URL" subscribe test://a test://unknown -n 1
	ends 0
	hints "will not tell of changes of 'test://unknown'"
	# Nor is it waited for where that is all: without an end, for ever.
	mcp "$URL" subscribe test://unknown
	ends 1
	hints "will not tell of changes of 'test://unknown'"
	hints "cannot subscribe to 'test://unknown': the server will not tell of its changes"
	absent 'subscribed:' stderr
	mcp "$URL" subscribe test://refused
	ends 1
	hints "cannot subscribe to 'test://refused': invalid params (-32602): not that one"
	mcp "$URL" subscribe test://ends
	ends 3
	hints 'the server ended the subscription'
	mcp "$URL" subscribe test://cut -n 2
	ends 0
	hints 'the subscription is taken up again; what changes until then is not told'
	modern
	mcp --timeout 500ms "$URL" subscribe test://mute -n 9 --for 20s
	ends 4
	hints 'the server did not acknowledge the subscription in time'
	mcp "$URL" tail --filter tools -n 1 --for 20s
	ends 0
	says tools/list_changed
	over_stdio subscribe test://cut -n 2
	ends 0
	hints "the server ended 'subscriptions/listen'"
}

@test "who is refused one resource is subscribed to none of those that were named with it" {
	modern
	mcp "$URL" subscribe test://a test://a -n 1
	ends 0
	grep -q '"resourceSubscriptions": \["test://a"\]' heard
	cat >older.py <<'EOF'
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    uri = m.get("params", {}).get("uri")
    if uri:
        print(m["method"], uri, file=open("older.log", "a"))
    if "id" not in m:
        continue
    result = {"result": {}}
    if m["method"] == "initialize":
        result = {"result": {"protocolVersion": "2025-06-18", "serverInfo": {"name": "o", "version": "1"},
                  "capabilities": {"resources": {"subscribe": True}}}}
    elif uri == "t:refused":
        result = {"error": {"code": -32602, "message": "not that one"}}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], **result}), flush=True)
EOF
	mcp --era legacy "stdio:/usr/bin/python3 $WORK/older.py" subscribe t:a t:b t:refused t:c
	ends 1
	hints "cannot subscribe to 't:refused'"
	diff - older.log <<-'END'
		resources/subscribe t:a
		resources/subscribe t:b
		resources/subscribe t:refused
		resources/unsubscribe t:b
		resources/unsubscribe t:a
	END
}

@test "a list that may be kept is: a call is one request" {
	modern ttl
	mcp "$URL" tools
	rm heard
	mcp "$URL" call where region=us
	ends 0
	[ "$(methods)" = "tools/call " ]
	# What it refuses is looked up anew.
	mcp "$URL" call nothing
	ends 2
	[ "$(methods)" = "tools/list " ]
	# Of others' credentials nothing is used.
	echo ttl private >mode
	MCPCTL_TOKEN=one mcp "$URL" tools
	rm heard
	MCPCTL_TOKEN=one mcp "$URL" call where region=us
	[ "$(methods)" = "tools/call " ]
	MCPCTL_TOKEN=two mcp "$URL" call where region=us
	[ "$(methods)" = "tools/list tools/call " ]
	absent 'one|two' -r cache
}
