#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The reference server of the MCP project (npm), over stdio, Streamable HTTP
# and HTTP+SSE. Without npm these are skipped, but in continuous integration
# they always run.

load helper

setup_file() {
	local said
	places
	if said=$("$ROOT/tests/everything/install" "$TOP/fetched/everything"); then
		export EVERYTHING=$said
		# Up to that version it has crypto, which the server needs, not by itself.
		[ "$(node -p 'parseInt(process.versions.node)')" -ge 19 ] ||
			export NODE_OPTIONS=--experimental-global-webcrypto
	elif [ -n "${CI:-}" ]; then
		echo "$said" >&2
		return 1
	else
		export WHY=$said
	fi
}

# over TRANSPORT: sets TARGET (words), starting the server where it has a port.
over() {
	[ -n "${EVERYTHING:-}" ] || skip "$WHY"
	local kind=$1 path=$2 port
	if [ "$kind" = stdio ]; then
		TARGET=("stdio:node '$EVERYTHING' stdio")
		return
	fi
	port=$(free_port)
	PORT=$port background server node "$EVERYTHING" "$kind"
	until_true grep -qs "$port" server.err server.out
	TARGET=("http://127.0.0.1:$port/$path")
}

everything() {
	mcp "${TARGET[@]}" info
	ends 0
	says everything
	says 2025-11-25

	mcp "${TARGET[@]}" tools
	ends 0
	says get-structured-content

	mcp "${TARGET[@]}" call echo message=hello
	ends 0
	says hello

	mcp "${TARGET[@]}" call get-sum a=2 b=40
	ends 0
	says 42

	mcp -o json "${TARGET[@]}" call get-structured-content location=Chicago
	ends 0
	[ "$(jq -r .structuredContent.humidity <<<"$out")" = 82 ]

	mcp "${TARGET[@]}" call get-structured-content location=Paris
	ends 2

	mcp "${TARGET[@]}" call get-tiny-image --save tiny.png
	ends 0
	file -b --mime-type tiny.png | grep -q image/png || head -c 4 tiny.png | grep -aq PNG

	mcp "${TARGET[@]}" call get-resource-links count=2
	ends 0
	says 'link '

	mcp "${TARGET[@]}" call get-resource-reference resourceId=1
	ends 0
	says 'resource '

	mcp "${TARGET[@]}" resources
	ends 0
	says 'demo://'
	uri=$(mcpctl -o json "${TARGET[@]}" resources | head -n 1 | jq -r .uri)
	mcp "${TARGET[@]}" read "$uri"
	ends 0
	[ -n "$out" ]

	mcp "${TARGET[@]}" templates
	ends 0
	says '{'

	mcp "${TARGET[@]}" prompts
	ends 0
	says completable-prompt
	mcp "${TARGET[@]}" prompt completable-prompt department=Sales name=Eve
	ends 0
	says 'Eve to the head of the Sales'
	mcp "${TARGET[@]}" prompt completable-prompt department=Sales
	ends 2
	hints name

	mcp "${TARGET[@]}" complete completable-prompt name= department=Sales
	ends 0
	[ "$out" = $'David\nEve\nFrank' ]

	mcp "${TARGET[@]}" loglevel debug
	ends 0
	mcp "${TARGET[@]}" ping
	ends 0
	says alive

	mcp "${TARGET[@]}" call trigger-long-running-operation duration=1 steps=4
	ends 0
	says completed
	[ "$(grep -c progress stderr)" -ge 3 ]

	mcp --elicit accept-defaults "${TARGET[@]}" call trigger-elicitation-request
	[ "$status" -le 1 ]
	hints elicit

	printf 'A wise answer.' >model
	mcp --sampling @model "${TARGET[@]}" call trigger-sampling-request prompt=Why
	ends 0
	says 'A wise answer.'

	# It hides that tool from who has none.
	mcp "${TARGET[@]}" call get-roots-list
	ends 2
	hints 'servers may hide tools'
	hints '--root'
	mcp --root "$WORK" "${TARGET[@]}" call get-roots-list
	ends 0
	says "file://$WORK"
}

@test "the reference server over stdio" {
	over stdio
	everything
}

@test "the reference server over Streamable HTTP" {
	over streamableHttp mcp
	everything
}

@test "the reference server over HTTP+SSE" {
	over sse sse
	TARGET=("sse+${TARGET[0]}")
	everything
}

@test "its tool that can only be a task, over stdio and Streamable HTTP" {
	for kind in stdio 'streamableHttp mcp'; do
		# shellcheck disable=SC2086 # two words
		over $kind
		mcp "${TARGET[@]}" --elicit accept-defaults call simulate-research-query topic=owls ambiguous:=true
		ends 0
		says '# Research Report: owls'
		hints ': input_required: '
		hints "the server asks 'The research query"
		absent 'notifications/tasks/status' stderr
		mcp "${TARGET[@]}" call --task echo message=x
		ends 7
	done
	# Of the one that runs already: the time would be over before node has begun.
	mcp "${TARGET[@]}" call --task simulate-research-query topic=owls --timeout 1500ms
	ends 4
	hints 'hint: the task was cancelled'
}

@test "a script on one connection, with its own stream" {
	over streamableHttp mcp
	printf '%s\n' 'call toggle-subscriber-updates' \
		'subscribe demo://resource/dynamic/text/1 --count 1 --for 20s' \
		'call echo message=end' >script
	mcp "${TARGET[@]}" run script
	ends 0
	says end
}

@test "behind the bridge it asks the host, logs to it, and tells it what changes" {
	[ -n "${EVERYTHING:-}" ] || skip "$WHY"
	PYTHONPATH=$BATS_TEST_DIRNAME timeout $((PATIENCE * 2)) /usr/bin/python3 - "$EVERYTHING" <<'EOF'
import sys
from bridge_host import Host
h = Host("-t", "stdio:node '%s' stdio" % sys.argv[1], "bridge")
h.initialize(sampling={}, elicitation={}, roots={"listChanged": True})
h.answer(h.question("roots/list"), result={"roots": [{"uri": "file:///shelf", "name": "shelf"}]})
h.until_tool("trigger-sampling-request")
h.until_tool("trigger-elicitation-request")
i = h.start_call("trigger-sampling-request", {"prompt": "p"})
h.answer(h.question("sampling/createMessage"), result={
    "role": "assistant", "content": {"type": "text", "text": "well said"}, "model": "m"})
assert "well said" in h.reply(i)["result"]["content"][0]["text"], h.reply(i)
i = h.start_call("trigger-elicitation-request")
h.answer(h.question("elicitation/create"), result={"action": "decline"})
assert "declined" in h.reply(i)["result"]["content"][0]["text"], h.reply(i)
assert "file:///shelf" in h.call("get-roots-list")[0]
assert h.ask("logging/setLevel", {"level": "debug"})["result"] == {}
h.call("toggle-simulated-logging")
assert h.notice("notifications/message")["params"]["level"]
uri = h.ask("resources/list")["result"]["resources"][0]["uri"]
assert h.ask("resources/subscribe", {"uri": uri})["result"] == {}
h.call("toggle-subscriber-updates")
assert h.notice("notifications/resources/updated")["params"] == {"uri": uri}
assert h.end()[0] == 0
EOF
}
