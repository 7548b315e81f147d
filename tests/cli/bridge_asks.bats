#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mcpctl bridge: what servers behind it ask and tell by themselves, and which host
# gets it.
# shellcheck disable=SC2154 # set by helper.bash

load helper

# host ARG…: the host's script is stdin; ARG are its arguments.
host() {
	PYTHONPATH=$BATS_TEST_DIRNAME timeout $((PATIENCE * 2)) /usr/bin/python3 - "$@" || {
		cat bridge.err >&2
		return 1
	}
}

PROGRAM="stdio:/usr/bin/python3 $BATS_TEST_DIRNAME"
ASKER="$PROGRAM/asking_server.py asker.log"
LOGGER="$PROGRAM/logging_server.py"
MODERN="$PROGRAM/modern_server.py stdio"

@test "what a server asks goes to the only host, and its answer back; a call waits for it" {
	host "$ASKER" <<'EOF'
import json, sys
from bridge_host import Host
h = Host("--timeout", "2s", "-t", sys.argv[1], "bridge", "--no-own-tools")
h.initialize(sampling={}, elicitation={}, roots={"listChanged": True})
h.until_tool("hidden")
assert json.loads(h.call("capabilities")[0]) == \
    {"elicitation": {"form": {}}, "roots": {}, "sampling": {}}, h.call("capabilities")
i = h.start_call("ask", {"message": "Who?"})
q = h.question("elicitation/create")
assert q["params"]["message"] == "Who?" and q["params"]["requestedSchema"]["required"] == ["name"], q
# Longer than a call may take: a person is asked.
import time
time.sleep(3)
h.answer(q, result={"action": "accept", "content": {"name": "Ada"}})
assert json.loads(h.reply(i)["result"]["content"][0]["text"])["result"]["content"] == {"name": "Ada"}
i = h.start_call("sample", {"prompt": "Hi"})
h.answer(h.question("sampling/createMessage"), error={"code": -1, "message": "User rejected"})
assert json.loads(h.reply(i)["result"]["content"][0]["text"])["error"] == \
    {"code": -1, "message": "User rejected"}, h.reply(i)
i = h.start_call("roots")
h.answer(h.question("roots/list"), result={"roots": [{"uri": "file:///x"}]})
assert "file:///x" in h.reply(i)["result"]["content"][0]["text"]
i = h.start_call("twice")
first, second = h.question("elicitation/create", 1), h.question("elicitation/create", 2)
h.answer(second, result={"action": "decline"})
h.answer(first, result={"action": "cancel"})
assert "decline" in h.reply(i)["result"]["content"][0]["text"]
# One that the server does not wait for any more.
assert h.call("withdraw", {"after": 0.1}) == ("withdrawn", False)
late = h.question("elicitation/create", 3)
assert h.notice("notifications/cancelled")["params"]["requestId"] == late["id"]
h.answer(late, result={"action": "accept", "content": {}})
# A mode that the host does not have.
said = h.call("ask", {"mode": "url", "url": "https://example.org/", "elicitationId": "e"})
assert '"cancel"' in said[0], said
h.send({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})
assert h.call("capabilities")[1] is False
assert h.end()[0] == 0
EOF
	until_true grep -q 'notifications/roots/list_changed' asker.log
	grep -q 'asks elicitation/create: passed on to test-host/9' bridge.err
	absent 'too late' asker.log bridge.err
}

@test "over HTTP, in both eras: in the midst of a call, or in its rounds" {
	background server mcpctl sim conformance --listen 127.0.0.1:0
	local line
	line=$(wait_for server.err '127\.0\.0\.1:[0-9]') || return 1
	[[ $line =~ 127\.0\.0\.1:([0-9]+) ]]
	host "http://127.0.0.1:${BASH_REMATCH[1]}/mcp" <<'EOF'
import sys
from bridge_host import Host
for era in ("legacy", "modern"):
    h = Host("--era", era, "-t", sys.argv[1], "bridge")
    h.initialize(sampling={}, elicitation={})
    h.until_tool("test_sampling")
    i = h.start_call("test_sampling", {"prompt": "p"})
    h.answer(h.question("sampling/createMessage"), result={
        "role": "assistant", "content": {"type": "text", "text": "well"}, "model": "m"})
    assert "well" in h.reply(i)["result"]["content"][0]["text"], h.reply(i)
    i = h.start_call("test_elicitation", {"message": "Who?"})
    q = h.question("elicitation/create")
    assert q["params"]["message"] == "Who?", q
    h.answer(q, result={"action": "accept", "content": {"username": "ada", "email": "a@b.c"}})
    assert "ada" in h.reply(i)["result"]["content"][0]["text"], h.reply(i)
    # Refused by the host; given up by it, in the midst of a question.
    i = h.start_call("test_sampling", {"prompt": "p"})
    h.answer(h.question("sampling/createMessage", 1), error={"code": -1, "message": "not now"})
    assert "not now" in h.reply(i)["result"]["content"][0]["text"], h.reply(i)
    i = h.start_call("test_elicitation", {"message": "Who?"})
    q = h.question("elicitation/create", 1)
    h.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": i}})
    assert h.notice("notifications/cancelled")["params"]["requestId"] == q["id"]
    h.answer(q, result={"action": "cancel"})
    assert "simple" in h.call("test_simple_text")[0]
    assert h.end()[0] == 0
EOF
}

@test "a host of 2026-07-28 is asked by the result of its call, which goes on with the answers" {
	host "$ASKER" <<'EOF'
import json, sys
from bridge_host import Host
h = Host("-t", sys.argv[1], "bridge", "--no-own-tools")
CAN = {"elicitation": {"form": {}}, "sampling": {}, "roots": {}}
h.until_modern_tool("hidden", **CAN)
text = lambda reply: reply["result"]["content"][0]["text"]

def asked(reply):
    """The only question, its key, and by what the call goes on."""
    result = reply["result"]
    assert result["resultType"] == "input_required", reply
    assert "io.modelcontextprotocol/serverInfo" in result["_meta"], reply
    (key, question), = result["inputRequests"].items()
    return question, key, result["requestState"]

FORM = {"action": "accept", "content": {"name": "Ada", "n": 9007199254740993}}
said = {"message": "Who?"}
question, key, state = asked(h.modern_call("ask", said, **CAN))
assert question["method"] == "elicitation/create" and question["params"]["message"] == "Who?", question
assert len(state) >= 32, state
# What fits that call not goes nowhere, and leaves it as it is.
for wrong in (h.modern_call("ask", {"message": "You?"}, {key: FORM}, state, **CAN),
              h.modern_call("sample", said, {key: FORM}, state, **CAN),
              h.modern_call("ask", said, {key: FORM}, state[:-1], **CAN),
              h.modern_call("ask", said, {key: FORM}, 7, **CAN),
              h.modern_call("ask", said, {key: FORM}, **CAN)):
    assert wrong["error"]["code"] == -32602 and "no call waits" in wrong["error"]["message"], wrong
# Who answers nothing is asked again, and by the old text it is known no more.
question, key, second = asked(h.modern_call("ask", said, {}, state, **CAN))
assert second != state
assert h.modern_call("ask", said, {key: FORM}, state, **CAN)["error"]["code"] == -32602
done = h.modern_call("ask", said, {key: FORM, "other": 7}, second, **CAN)
assert done["result"]["resultType"] == "complete", done
assert json.loads(text(done))["result"] == FORM, done
assert h.modern_call("ask", said, {key: FORM}, second, **CAN)["error"]["code"] == -32602
# The other kinds; an answer that is none.
question, key, state = asked(h.modern_call("sample", {"prompt": "Hi"}, **CAN))
assert question["method"] == "sampling/createMessage", question
assert "no object" in text(h.modern_call("sample", {"prompt": "Hi"}, {key: 7}, state, **CAN))
question, key, state = asked(h.modern_call("roots", **CAN))
assert question == {"method": "roots/list"}, question
assert "file:///x" in text(h.modern_call("roots", None, {key: {"roots": [{"uri": "file:///x"}]}},
                                         state, **CAN))
# Two at once, in one round or in two.
reply, heard = h.modern_call("twice", **CAN), []
while reply["result"]["resultType"] != "complete":
    asks = reply["result"]["inputRequests"]
    heard += [q["params"]["message"] for q in asks.values()]
    reply = h.modern_call("twice", None, {k: {"action": "decline"} for k in asks},
                          reply["result"]["requestState"], **CAN)
assert sorted(heard) == ["first", "second"] and text(reply).count("decline") == 2, (heard, reply)
# What its host does not declare in that call is not asked.
assert json.loads(text(h.modern_call("ask", **{"sampling": {}})))["result"] == {"action": "cancel"}
assert "error" in json.loads(text(h.modern_call("sample")))
# A question that is withdrawn, and a server that ends, while the host is away.
_, key, state = asked(h.modern_call("withdraw", {"after": 0.1}, **CAN))
assert text(h.modern_call("withdraw", {"after": 0.1}, {key: FORM}, state, **CAN)) in (
    "withdrawn", json.dumps({"too late": {"result": FORM}}, sort_keys=True))
_, key, state = asked(h.modern_call("die", {"after": 0.1}, **CAN))
while "went away" not in open("bridge.err").read():
    h.modern("tools/list")
gone = h.modern_call("die", {"after": 0.1}, {key: FORM}, state, **CAN)
assert gone["result"]["isError"] and "went away" in text(gone), gone
# Its end while a host is away.
h.until_modern_tool("ask", lambda t: not t["description"].startswith("("), **CAN)
asked(h.modern_call("ask", said, **CAN))
assert not h.asked
assert h.end()[0] == 0
EOF
	grep -q 'asks elicitation/create: passed on to modern-host/3' bridge.err
}

@test "a host of 2026-07-28 that does not come back: its server is told, and free for others" {
	host "$ASKER" <<'EOF'
import sys
from bridge_host import Host
h = Host("-t", sys.argv[1], "bridge", "--no-own-tools", "--ask-timeout", "300ms")
CAN = {"elicitation": {}}
h.until_modern_tool("ask")
result = h.modern_call("ask", {"message": "Who?"}, **CAN)["result"]
assert result["resultType"] == "input_required", result
# This one waits for the server, which waits for a host that is away.
assert not h.modern_call("capabilities")["result"]["isError"]
late = h.modern_call("ask", {"message": "Who?"}, {"ask-1": {"action": "decline"}},
                     result["requestState"], **CAN)
assert late["error"]["code"] == -32602, late
assert h.end()[0] == 0
EOF
	grep -q 'the host did not come back in time' asker.log
	grep -q ' modern-host/3 .*ask .*the host gave it up' bridge.err
}

@test "over HTTP a host of 2026-07-28 comes back with its own token, whatever the era of the server" {
	background server mcpctl sim conformance --listen 127.0.0.1:0
	local line era
	line=$(wait_for server.err '127\.0\.0\.1:[0-9]') || return 1
	[[ $line =~ 127\.0\.0\.1:([0-9]+) ]]
	printf '%s\n' first-token-0123456 other-token-0123456 >tokens
	for era in legacy modern; do
		host "http://127.0.0.1:${BASH_REMATCH[1]}/mcp" "$era" <<'EOF' || return 1
import json, re, subprocess, sys, time, urllib.request
name = "bridge-%s.err" % sys.argv[2]
log = open(name, "w+b")
bridge = subprocess.Popen(["mcpctl", "--era", sys.argv[2], "-t", sys.argv[1], "bridge", "--token-file", "tokens",
                           "--listen", "127.0.0.1:0"], stdout=log, stderr=log)
while not (found := re.search(rb"listening at (http://\S+/mcp)", open(name, "rb").read())):
    time.sleep(0.02)
URL = found.group(1).decode()
VERSION, META = "2026-07-28", "io.modelcontextprotocol/"

def post(method, params, token="first-token-0123456"):
    params = {**params, "_meta": {META + "protocolVersion": VERSION,
                                  META + "clientCapabilities": {"elicitation": {}, "sampling": {}}}}
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
               "MCP-Protocol-Version": VERSION, "Mcp-Method": method, "Authorization": "Bearer " + token}
    if "name" in params:
        headers["Mcp-Name"] = params["name"]
    post.id = getattr(post, "id", 0) + 1
    rq = urllib.request.Request(URL, json.dumps({"jsonrpc": "2.0", "id": post.id, "method": method,
                                                 "params": params}).encode(), headers)
    with urllib.request.urlopen(rq, timeout=60) as reply:
        came = json.loads(reply.read())
    assert came["id"] == post.id, came
    return came

end = time.monotonic() + 60
while "test_elicitation" not in [t["name"] for t in post("tools/list", {})["result"]["tools"]]:
    assert time.monotonic() < end
    time.sleep(0.05)
for tool, arguments, answer, word in (
        ("test_elicitation", {"message": "Who?"},
         {"action": "accept", "content": {"username": "ada", "email": "a@b.c"}}, "ada"),
        ("test_sampling", {"prompt": "p"},
         {"role": "assistant", "content": {"type": "text", "text": "well"}, "model": "m"}, "well")):
    call = {"name": tool, "arguments": arguments}
    result = post("tools/call", call)["result"]
    assert result["resultType"] == "input_required", result
    again = {**call, "requestState": result["requestState"],
             "inputResponses": {key: answer for key in result["inputRequests"]}}
    assert post("tools/call", again, "other-token-0123456")["error"]["code"] == -32602
    assert word in post("tools/call", again)["result"]["content"][0]["text"]
bridge.terminate()
assert bridge.wait(10) == 0
EOF
	done
}

@test "a host that answers no questions is asked none, and its server is told so" {
	host "$ASKER" <<'EOF'
import json, sys
from bridge_host import Host
h = Host("-t", sys.argv[1], "bridge", "--no-own-tools")
h.initialize()
h.until_tool("ask")
assert "hidden" not in h.tools()
assert h.call("capabilities") == ("{}", False)
for tool in ("ask", "sample", "roots"):
    said = json.loads(h.call(tool)[0])["error"]
    assert said["code"] == -32601 and "host does not answer" in said["message"], said
assert not h.asked
h.end()
EOF
	grep -q 'asks sampling/createMessage, and is told that nobody answers' bridge.err
}

@test "a server that dies in the midst of a question; a host that leaves before its answer" {
	host "$ASKER" <<'EOF'
import json, sys, urllib.request
from bridge_host import Host
h = Host("-t", sys.argv[1], "bridge", "--no-own-tools")
h.initialize(elicitation={})
h.until_tool("die")
i = h.start_call("die", {"after": 0.1})
q = h.question("elicitation/create")
assert h.notice("notifications/cancelled")["params"]["requestId"] == q["id"]
assert h.reply(i)["result"]["isError"], h.reply(i)
h.until_tool("ask", test=lambda t: not t["description"].startswith("("))
i = h.start_call("ask")
h.question("elicitation/create", 1)
assert h.end()[0] == 0
EOF
}

@test "of two hosts at a port none is asked; the one that stays is, with what it answers" {
	host "$ASKER" <<'EOF'
import json, queue, re, subprocess, sys, threading, time, urllib.request
log = open("bridge.err", "w+b")
bridge = subprocess.Popen(["mcpctl", "-t", sys.argv[1], "bridge", "--no-own-tools", "--listen", "127.0.0.1:0"],
                          stdout=log, stderr=log)
while not (found := re.search(rb"listening at (http://\S+/mcp)", open("bridge.err", "rb").read())):
    time.sleep(0.02)
URL = found.group(1).decode()

class Client:
    def __init__(self, **capabilities):
        self.session, self.id = None, 0
        self.post({"method": "initialize", "id": 1, "params": {
            "protocolVersion": "2025-06-18", "capabilities": capabilities,
            "clientInfo": {"name": "port-host", "version": "1"}}})
        self.post({"method": "notifications/initialized"})

    def post(self, message, on_question=None):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self.session:
            headers.update({"Mcp-Session-Id": self.session, "MCP-Protocol-Version": "2025-06-18"})
        rq = urllib.request.Request(URL, json.dumps({"jsonrpc": "2.0", **message}).encode(), headers)
        with urllib.request.urlopen(rq, timeout=60) as reply:
            self.session = reply.headers.get("Mcp-Session-Id") or self.session
            if reply.headers.get_content_type() != "text/event-stream":
                text = reply.read()
                return json.loads(text) if text else None
            for line in reply:
                if not line.startswith(b"data: {"):
                    continue
                came = json.loads(line[6:])
                if "method" in came and "id" in came:
                    self.post({"id": came["id"], "result": on_question(came)})
                elif "id" in came:
                    return came

    def call(self, name, on_question=None):
        self.id += 1
        reply = self.post({"id": "c%d" % self.id, "method": "tools/call",
                           "params": {"name": name, "arguments": {}}}, on_question)
        return reply["result"]["content"][0]["text"]

    def leave(self):
        urllib.request.urlopen(urllib.request.Request(URL, method="DELETE", headers={
            "Mcp-Session-Id": self.session}), timeout=60).read()

def decline(question):
    assert question["method"] == "elicitation/create", question
    return {"action": "decline"}

one = Client(elicitation={})
assert "decline" in one.call("ask", decline)
two = Client(elicitation={})
assert '"cancel"' in one.call("ask") and '"cancel"' in two.call("ask"), "nobody is asked"
one.leave()
assert "decline" in two.call("ask", decline)
two.leave()
# Who comes later, and answers more, is told of: the server's session begins anew.
three = Client(elicitation={}, sampling={})
end = time.monotonic() + 60
while "sampling" not in three.call("capabilities"):
    assert time.monotonic() < end
    time.sleep(0.05)
bridge.terminate()
assert bridge.wait(10) == 0
EOF
	grep -q 'more than one host' bridge.err
}

@test "what servers log goes to hosts that asked for it, from that level on" {
	host "$LOGGER" <<'EOF'
import sys
from bridge_host import Host
h = Host("-t", sys.argv[1], "bridge", "--no-own-tools")
assert "logging" in h.initialize()["capabilities"]
h.until_tool("log")
assert h.call("log") == ("logged", False)
logged = lambda: [n["params"] for n in h.notices if n["method"] == "notifications/message"]
assert h.ask("ping")["result"] == {} and not logged(), h.notices
assert h.ask("logging/setLevel", {"level": "loud"})["error"]["code"] == -32602
assert h.ask("logging/setLevel", {"level": "notice"})["result"] == {}
assert h.call("log") == ("logged", False)
h.notice("notifications/message", 2)
said = logged()
assert [(s["level"], s["data"]) for s in said] == \
    [(level, "a " + level) for level in ("notice", "warning", "error")], said
assert all(s["logger"] for s in said), said
h.end()
EOF
}

@test "hosts of 2026-07-28 are told logs amid their request, from the level on that it names" {
	host "$LOGGER" "$MODERN $WORK" <<'EOF'
import sys
from bridge_host import Host
h = Host("-t", sys.argv[1], "bridge", "--no-own-tools")
logged = lambda: [n["params"]["data"] for n in h.notices if n["method"] == "notifications/message"]
assert "logging" in h.modern("server/discover")["result"]["capabilities"]
h.until_modern_tool("log")
assert h.modern("tools/list", level="loud")["error"]["code"] == -32602
h.modern_call("log")
assert not logged(), logged()
h.modern_call("log", level="notice")
assert logged() == ["a notice", "a warning", "a error"], logged()
h.modern_call("log")
assert len(logged()) == 3, logged()
h.end()
# A server of that revision is told with each request; so it is by a host of before.
h = Host("--era", "modern", "-t", sys.argv[2], "bridge", "--no-own-tools")
h.until_modern_tool("log")
h.modern_call("log", level="info")
assert logged() == ["logged at info"], logged()
h.modern_call("log")
assert len(logged()) == 1, logged()
h.initialize()
h.call("log")
assert len(logged()) == 1, logged()
h.ask("logging/setLevel", {"level": "error"})
h.call("log")
assert logged()[1:] == ["logged at error"], logged()
h.end()
EOF
}

@test "a server of 2026-07-28 asks for a visit: a host of before is given an id of it" {
	host "$MODERN $WORK" <<'EOF'
import re, sys
from bridge_host import Host
h = Host("--era", "modern", "-t", sys.argv[1], "bridge", "--no-own-tools")
h.initialize("2025-11-25", elicitation={"url": {}})
h.until_tool("visit")
ids = set()
for n in range(2):
    i = h.start_call("visit")
    q = h.question("elicitation/create", n)
    ident = q["params"].pop("elicitationId")
    assert re.fullmatch("[0-9a-f]{32}", ident), ident
    assert q["params"] == {"mode": "url", "message": "Sign in", "url": "https://example.org/"}, q
    ids.add(ident)
    h.answer(q, result={"action": "accept"})
    assert h.reply(i)["result"]["content"][0]["text"] == '{"v": {"action": "accept"}}', h.reply(i)
assert len(ids) == 2
h.end()
EOF
}

@test "a server of 2026-07-28 is asked for what changes: lists, and resources that hosts subscribed to" {
	host "$MODERN $WORK" <<'EOF'
import sys
from bridge_host import Host
h = Host("--era", "modern", "-t", sys.argv[1], "bridge", "--no-own-tools")
h.initialize()
h.until_tool("echo")
assert h.ask("resources/subscribe", {"uri": "test://a"})["result"] == {}
refused = h.ask("resources/subscribe", {"uri": "test://unknown"})["error"]
assert "does not tell of changes of 'test://unknown'" in refused["message"], refused
# It says so whenever it is asked to tell of it.
assert h.notice("notifications/resources/updated")["params"] == {"uri": "test://a"}
# What ends is asked for again.
assert h.ask("resources/subscribe", {"uri": "test://ends"})["result"] == {}
seen = lambda: sum(n["params"]["uri"] == "test://ends" for n in h.notices if n["method"].endswith("updated"))
while seen() < 2:
    h.ask("ping")
assert h.ask("resources/unsubscribe", {"uri": "test://a"})["result"] == {}
h.end()
EOF
	grep '"subscriptions/listen"' heard | tail -n 1 | jq -e '.params.notifications.resourceSubscriptions == ["test://ends"]'
	host "$MODERN $WORK" <<'EOF'
import sys
from bridge_host import Host
h = Host("--era", "modern", "-t", sys.argv[1], "bridge", "--no-own-tools")
h.until_modern_tool("echo")
one = h.start_modern("subscriptions/listen", {"notifications": {"resourceSubscriptions": ["test://b"]}})
assert h.notice("notifications/subscriptions/acknowledged")["params"]["notifications"] == \
    {"resourceSubscriptions": ["test://b"]}
assert h.notice("notifications/resources/updated")["params"] == \
    {"uri": "test://b", "_meta": {"io.modelcontextprotocol/subscriptionId": one}}
h.end()
EOF
	grep '"subscriptions/listen"' heard | head -n 1 | jq -e '.params.notifications == {"toolsListChanged": true}'
	# Each time it said that its tools changed.
	[ "$(grep -c '"tools/list"' heard)" -ge 2 ]
}

@test "a resource that a host subscribed to: it is told, until it does not want it; lists that change, too" {
	cat >shelf.py <<'EOF'
import json, os, sys
def say(m):
    print(json.dumps({"jsonrpc": "2.0", **m}), flush=True)
watched, level = set(), "none"
log = open(sys.argv[1], "a", buffering=1)
for line in sys.stdin:
    m = json.loads(line)
    log.write(m["method"] + " " + json.dumps(m.get("params")) + "\n")
    if "id" not in m:
        continue
    p, result = m.get("params") or {}, {}
    if m["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "shelf", "version": "1"},
                  "capabilities": {"tools": {}, "prompts": {"listChanged": True}, "logging": {},
                                   "resources": {"subscribe": True, "listChanged": True}}}
    elif m["method"] == "tools/list":
        result = {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in ("touch", "grow", "die")]}
    elif m["method"] == "resources/list":
        result = {"resources": [{"uri": "shelf://a", "name": "a"}]}
    elif m["method"] == "prompts/list":
        result = {"prompts": []}
    elif m["method"] == "resources/subscribe":
        if p["uri"] != "shelf://a":
            say({"id": m["id"], "error": {"code": -32002, "message": "no such resource"}})
            continue
        watched.add(p["uri"])
    elif m["method"] == "resources/unsubscribe":
        watched.discard(p["uri"])
    elif m["method"] == "tools/call":
        if p["name"] == "die":
            os._exit(0)
        if p["name"] == "touch":
            for uri in watched:
                say({"method": "notifications/resources/updated", "params": {"uri": uri}})
        else:
            for what in ("resources", "prompts"):
                say({"method": "notifications/%s/list_changed" % what})
        result = {"content": [{"type": "text", "text": "%d" % len(watched)}]}
    say({"id": m["id"], "result": result})
EOF
	host "stdio:/usr/bin/python3 $WORK/shelf.py $WORK/shelf.log" <<'EOF'
import sys
from bridge_host import Host
h = Host("-t", sys.argv[1], "bridge", "--no-own-tools")
offered = h.initialize()["capabilities"]
assert offered["resources"] == {"listChanged": True, "subscribe": True}, offered
assert offered["prompts"] == {"listChanged": True}, offered
h.until_tool("touch")
updates = lambda: [n for n in h.notices if n["method"] == "notifications/resources/updated"]
assert h.call("touch") == ("0", False)
assert h.ask("resources/subscribe", {"uri": "shelf://b"})["error"]["code"] == -32002
assert h.ask("resources/subscribe", {"uri": "shelf://a"})["result"] == {}
assert h.ask("logging/setLevel", {"level": "error"})["result"] == {}
assert h.call("touch") == ("1", False)
assert h.notice("notifications/resources/updated")["params"] == {"uri": "shelf://a"}
seen = {what: len([n for n in h.notices if n["method"] == "notifications/%s/list_changed" % what])
        for what in ("resources", "prompts")}
# The server's next life is told of it again.
h.call("die")
h.until_tool("touch", test=lambda t: not t["description"].startswith("("))
while h.call("touch")[0] != "1":
    pass
h.notice("notifications/resources/updated", 1)
h.call("grow")
for what in seen:
    h.notice("notifications/%s/list_changed" % what, seen[what])
assert h.ask("resources/unsubscribe", {"uri": "shelf://a"})["result"] == {}
while h.call("touch")[0] != "0":
    pass
before = len(updates())
h.call("touch")
assert h.ask("ping")["result"] == {} and len(updates()) == before
h.end()
EOF
	host "stdio:/usr/bin/python3 $WORK/shelf.py $WORK/modern.log" <<'EOF'
import sys
from bridge_host import Host
h = Host("-t", sys.argv[1], "bridge", "--no-own-tools")
META = "io.modelcontextprotocol/subscriptionId"
touched = lambda: h.modern_call("touch")["result"]["content"][0]["text"]
updates = lambda: [n["params"] for n in h.notices if n["method"] == "notifications/resources/updated"]
# Before its server is there: the acknowledgement waits for it.
one = h.start_modern("subscriptions/listen", {"notifications": {
    "toolsListChanged": True, "resourceSubscriptions": ["shelf://a", 7, "x" * 5000]}})
first = h.notice("notifications/subscriptions/acknowledged")["params"]
assert first["notifications"] == {"toolsListChanged": True, "resourceSubscriptions": ["shelf://a"]}, first
assert h.modern("server/discover")["result"]["capabilities"]["resources"]["subscribe"]
two = h.start_modern("subscriptions/listen", {"notifications": {"resourceSubscriptions": ["shelf://a"]}})
assert h.notice("notifications/subscriptions/acknowledged", 1)["params"]["_meta"] == {META: two}
h.until_modern_tool("touch")
assert touched() == "1"
h.notice("notifications/resources/updated", 1)
assert sorted(u["_meta"][META] for u in updates()) == [one, two], updates()
assert all(u["uri"] == "shelf://a" for u in updates()), updates()
# One of them ends: the other one is told as before; then no one.
h.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": one}})
assert touched() == "1"
assert h.notice("notifications/resources/updated", 2)["params"]["_meta"] == {META: two}
h.modern_call("die")
h.until_modern_tool("touch", lambda t: not t["description"].startswith("("))
while touched() != "1":
    pass
assert h.notice("notifications/resources/updated", 3)["params"]["_meta"] == {META: two}
h.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": two}})
while touched() != "0":
    pass
h.end()
EOF
	[ "$(grep -c '^resources/subscribe {"uri": "shelf://a"}' shelf.log)" = 2 ]
	[ "$(grep -c '^logging/setLevel {"level": "error"}' shelf.log)" = 2 ]
}

@test "a server that changes its tools whenever they are listed is left alone between" {
	cat >changing.py <<'EOF'
import json, sys
def say(m): print(json.dumps({"jsonrpc": "2.0", **m}), flush=True)
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    result = {"content": [{"type": "text", "text": "fine"}]}
    if m["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "s", "version": "1"},
                  "capabilities": {"tools": {"listChanged": True}}}
    elif m["method"] == "tools/list":
        print("listed", file=open(sys.argv[1], "a"))
        say({"method": "notifications/tools/list_changed"})
        result = {"tools": [{"name": "ok", "inputSchema": {"type": "object"}}]}
    say({"id": m["id"], "result": result})
EOF
	host "stdio:/usr/bin/python3 $WORK/changing.py $WORK/changing.log" <<'EOF'
import sys, time
from bridge_host import Host
h = Host("-t", sys.argv[1], "bridge", "--no-own-tools")
h.initialize()
h.until_tool("ok")
time.sleep(2)
assert h.call("ok") == ("fine", False)
EOF
	[ "$(wc -l <changing.log)" -lt 20 ]
}
