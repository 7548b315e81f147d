#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mcpctl bridge: boards and servers as one MCP server. A host (bridge_host.py)
# starts it, as hosts do; boards come, go and restart meanwhile.
# shellcheck disable=SC2154 # set by helper.bash

load helper

# host ARG…: the host's script is stdin; ARG are its arguments.
host() {
	PYTHONPATH=$BATS_TEST_DIRNAME timeout $((PATIENCE * 2)) /usr/bin/python3 - "$@" || {
		cat bridge.err >&2
		return 1
	}
}

# ready N: so many boards of serve are.
ready() { [ "$(mcpctl devices -o json | grep -c '"state":"ready"')" = "$1" ]; }

# board NUMBER ARG…: a simulated board of that number dials in.
board() {
	local number=$1
	shift
	device "board$number" --device-id "02:00:00:00:00:$number" "$@"
}

@test "initialize and lists are answered, in all revisions, ids as they came" {
	host <<'EOF'
from bridge_host import Host
for said, settled in (("2024-11-05",) * 2, ("2025-03-26",) * 2, ("2025-06-18",) * 2,
                      ("2025-11-25",) * 2, ("1999-01-01", "2025-11-25")):
    h = Host("sim:", "bridge")
    result = h.initialize(said)
    assert result["protocolVersion"] == settled, result
    assert result["serverInfo"]["name"] == "mcpctl"
    tools = h.tools()
    assert "audio_speaker_set_volume" in tools and "devices" in tools, sorted(tools)
    assert "reboot" not in tools and "upgrade_firmware" not in tools, sorted(tools)
    meta = tools["audio_speaker_set_volume"]["_meta"]
    assert meta["mcpctl/tool"] == "self.audio_speaker.set_volume", meta
    assert h.call("audio_speaker_set_volume", {"volume": 5}) == ("true", False)
    for ident in (0, "", "a\"b", -1, 9007199254740993, "7"):
        assert h.ask("ping", ident=ident)["result"] == {}
    h.send(b'{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}\n')
    assert h.take()["id"] == 123456789012345678901234567890
    status, took = h.end()
    assert status == 0 and took < 3, (status, took)
EOF
}

@test "SIGTERM ends it with status 0, as the end of stdin does" {
	host <<'EOF'
import signal
from bridge_host import Host
h = Host("sim:", "bridge")
h.initialize()
h.process.send_signal(signal.SIGTERM)
assert h.process.wait(10) == 0
EOF
}

@test "what hosts say wrong is answered, and the bridge goes on" {
	host <<'EOF'
from bridge_host import Host
h = Host("sim:", "bridge")
assert "audio_speaker_set_volume" in h.tools(), "before initialize"
h.send(b'{"jsonrpc":"2.0",\n')
assert h.take()["error"]["code"] == -32700
h.send(b'\xff\xfe\n')
assert h.take()["error"]["code"] == -32700
h.send(b'[' * 5000 + b'\n')
assert h.take()["error"]["code"] == -32700
for wrong in (b'1\n', b'{}\n', b'{"jsonrpc":"1.0","id":"v","method":"ping"}\n', b'[]\n',
              b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n',
              b'{"jsonrpc":"2.0","id":[1],"method":"ping"}\n', b'[1]\n',
              b'{"jsonrpc":"2.0","id":"w","method":7}\n'):
    h.send(wrong)
    reply = h.take()
    h.replies.clear()
    reply = reply[0] if isinstance(reply, list) else reply
    assert reply["error"]["code"] == -32600, (wrong, reply)
h.replies.clear()
assert h.ask("no/such")["error"]["code"] == -32601
assert h.ask("tools/list", {"cursor": "x"})["error"]["code"] == -32602
assert h.ask("tools/call", {})["error"]["code"] == -32602
assert h.ask("tools/call", {"name": "x", "arguments": []})["error"]["code"] == -32602
assert h.ask("tools/call", {"name": "self.reboot"})["error"]["code"] == -32602
assert h.ask("tools/call", [])["error"]["code"] == -32602
assert h.ask("initialize", {})["error"]["code"] == -32602
h.initialize("2025-06-18")
# Notifications and responses of nobody say nothing; a batch is not of this revision.
h.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}})
h.send({"jsonrpc": "2.0", "method": "no/such"})
h.send({"jsonrpc": "2.0", "id": 99, "result": {}})
h.send(b'[{"jsonrpc":"2.0","id":"b","method":"ping"}]\n')
assert h.take()["error"]["code"] == -32600
h.replies.clear()
h.initialize("2025-03-26")
h.send(b'[{"jsonrpc":"2.0","id":"p","method":"ping"},{"jsonrpc":"2.0","method":"x"},'
       b'{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"get_device_status"}},'
       b'{"jsonrpc":"2.0","id":"i","method":"initialize","params":{}}]\n')
batch = {one["id"]: one for one in h.take()}
assert batch["p"]["result"] == {} and batch["i"]["error"]["code"] == -32600, batch
assert "volume" in batch["c"]["result"]["content"][0]["text"], batch
# Half a line, then the end.
h.send(b'{"jsonrpc":"2.0","id":"half","meth')
assert h.end()[0] == 0
EOF
}

@test "replies that cannot be written are a failure" {
	run bash -c 'echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}" | mcpctl sim: bridge 2>&1 >/dev/full'
	[ "$status" = 8 ]
	[[ $output == *"output could not be written: No space left"* ]]
}

@test "a line of 100 MB is refused, in little memory, and the next is answered" {
	host <<'EOF'
from bridge_host import Host
h = Host("sim:", "bridge")
h.initialize()
h.send(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"')
for _ in range(100):
    h.send(b"y" * 1000000)
h.send(b'"}}\n')
assert "error" in h.reply(None)
h.replies.clear()
assert h.ask("ping")["result"] == {}
peak = [l for l in open("/proc/%d/status" % h.process.pid) if l.startswith("VmHWM")][0]
assert int(peak.split()[1]) < 400000, peak
assert h.end()[0] == 0
EOF
}

@test "hosts of 2026-07-28 have no handshake" {
	host <<'EOF'
from bridge_host import Host
P = "io.modelcontextprotocol/"
META = {P + "protocolVersion": "2026-07-28", P + "clientCapabilities": {},
        P + "clientInfo": {"name": "new-host", "version": "3"}}
h = Host("sim:", "bridge")
found = h.ask("server/discover", {"_meta": META})["result"]
assert found["supportedVersions"] == ["2026-07-28"] and found["resultType"] == "complete", found
listed = h.ask("tools/list", {"_meta": META})["result"]
assert listed["resultType"] == "complete" and listed["ttlMs"] == 0, listed
assert listed["cacheScope"] == "private"
called = h.ask("tools/call", {"_meta": META, "name": "audio_speaker_set_volume",
                              "arguments": {"volume": 4}})["result"]
assert called["resultType"] == "complete" and called["content"][0]["text"] == "true", called
assert P + "serverInfo" in called["_meta"]
wrong = h.ask("tools/call", {"_meta": META, "name": "audio_speaker_set_volume",
                             "arguments": {"volume": 400}})["result"]
assert wrong["isError"] and "volume" in wrong["content"][0]["text"], wrong
assert h.ask("ping", {"_meta": META})["error"]["code"] == -32601
assert h.ask("tools/list", {"_meta": {P + "protocolVersion": "2026-07-28"}})["error"]["code"] == -32602
late = h.ask("tools/list", {"_meta": {**META, P + "protocolVersion": "2099-01-01"}})["error"]
assert late["code"] == -32022 and late["data"]["supported"] == ["2026-07-28"], late
i = h.start("subscriptions/listen", {"_meta": META, "notifications": {"toolsListChanged": True}}, "sub")
told = h.notice("notifications/subscriptions/acknowledged")
assert told["params"]["_meta"][P + "subscriptionId"] == "sub", told
h.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "sub"}})
assert h.ask("server/discover", {"_meta": META})["result"]
assert h.end()[0] == 0
EOF
	grep -qE '^[0-9]{2}:[0-9:.]+ new-host/3 sim self.audio_speaker.set_volume \{"volume":4\} .* ok' bridge.err
}

@test "boards of serve come and go; they stay in the list, also after a restart of the bridge" {
	serve
	board 01
	until_true ready 1
	host "$PORT" <<'EOF'
import os, signal, subprocess, sys
from bridge_host import Host
def board(number):
    return subprocess.Popen(["mcpctl", "sim", "--connect", "ws://127.0.0.1:%s/xiaozhi/v1/" % sys.argv[1],
                             "--device-id", "02:00:00:00:00:%02d" % number],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
h = Host("bridge")
h.initialize()
assert h.call("audio_speaker_set_volume", {"volume": 9}) == ("true", False), "the first list has it"
two = board(2)
tools = h.until_tool("000002__get_device_status")
assert h.notice("notifications/tools/list_changed")
assert "000001__get_device_status" in tools and "get_device_status" not in tools
# The name of before is still its.
assert '"volume":9' in h.call("get_device_status")[0]
assert '"volume":9' in h.call("000001__get_device_status")[0]
assert '"volume":70' in h.call("000002__get_device_status")[0]
asleep = lambda tool: "(asleep)" in tool["description"]
two.kill()
h.until_tool("000002__get_device_status", test=asleep)
assert "000002: asleep" in h.call("devices")[0]
assert h.end()[0] == 0
# Another bridge knows it, though serve does not.
h = Host("--wait", "300ms", "bridge")
h.initialize()
assert asleep(h.tools()["000002__get_device_status"])
said, failed = h.call("000002__get_device_status")
assert failed and "000002 is asleep" in said and "wake word" in said, said
assert h.end()[0] == 0
h = Host("bridge")
h.initialize()
i = h.start_call("000002__get_device_status")
two = board(2)
assert "volume" in h.reply(i)["result"]["content"][0]["text"], "it woke meanwhile"
h.end()
h = Host("bridge", "--only-awake")
h.initialize()
two.kill()
h.until_tool("000002__get_device_status", there=False)
h.end()
EOF
}

@test "a board restarts in the midst of a call: what reads is asked again, the rest is said" {
	serve
	host "$PORT" <<'EOF'
import subprocess, sys, time
from bridge_host import Host
def board(*words):
    return subprocess.Popen(["mcpctl", "sim", "--connect", "ws://127.0.0.1:%s/xiaozhi/v1/" % sys.argv[1],
                             "--device-id", "02:00:00:00:00:01", *words],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
def is_asked():
    while '"asked":null' in subprocess.check_output(["mcpctl", "-o", "json", "devices"]).decode():
        time.sleep(0.05)
h = Host("bridge")
h.initialize()
one = board("--fault", "no-reply")
h.until_tool("get_device_status")
i = h.start_call("get_device_status")
is_asked()
one.kill()
one.wait()
one = board()
assert "volume" in h.reply(i)["result"]["content"][0]["text"], h.reply(i)
one.kill()
one.wait()
one = board("--fault", "no-reply")
h.until_tool("camera_take_photo", test=lambda t: not t["description"].startswith("("))
i = h.start_call("camera_take_photo", {"question": "what is it"})
is_asked()
one.kill()
result = h.reply(i)["result"]
assert result["isError"] and "not known" in result["content"][0]["text"], result
h.end()
EOF
}

@test "serve is restarted: calls wait, the host's connection stays" {
	serve
	board 01 --reconnect
	until_true ready 1
	host "$PORT" "$SERVER" <<'EOF'
import os, signal, subprocess, sys, time
from bridge_host import Host
h = Host("bridge")
h.initialize()
assert "volume" in h.call("get_device_status")[0]
os.kill(int(sys.argv[2]), signal.SIGTERM)
h.until_tool("get_device_status", test=lambda t: t["description"].startswith("(away) "))
said = h.call("devices")[0]
assert ": away, " in said and "No 'mcpctl serve' is reached" in said and " over WebSocket" in said, said
i = h.start_call("get_device_status")
again = subprocess.Popen(["mcpctl", "serve", "--listen", "127.0.0.1:" + sys.argv[1]],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
assert "volume" in h.reply(i)["result"]["content"][0]["text"], h.reply(i)
h.end()
again.terminate()
again.wait()
EOF
	grep -q 'serve went away' bridge.err
	grep -q 'serve is there' bridge.err
}

@test "whose broker, or serve, is away is not called asleep: what is missing, where it was, what to do" {
	broker
	local first=$LAST
	disown "$first"
	serve --mqtt-broker "mqtt://127.0.0.1:$MQTT" --topic-up 'up/{client_id}'
	event broker 'connected to the broker'
	background board mcpctl sim --ota "$OTA" --subscribe --reconnect --device-id 02:00:00:00:00:01
	board 02 --reconnect
	until_true ready 2
	host "$SERVER" "$LAST" "$first" <<'EOF'
import os, re, signal, subprocess, sys
from bridge_host import Host
serve, socket_board, broker = sys.argv[1:]
def fails(h, name):
    said, failed = h.call(name)
    assert failed, said
    return said
def is_now(h, name, word):
    h.until_tool(name, test=lambda t: t["description"].startswith(word) if word else
                 not t["description"].startswith("("))
SEEN = r"; it was last seen at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z over "
ONE, TWO = "000001__get_device_status", "000002__get_device_status"
h = Host("--wait", "300ms", "bridge")
h.initialize()
is_now(h, ONE, "")
is_now(h, TWO, "")
assert "volume" in h.call(ONE)[0]
os.kill(int(broker), signal.SIGKILL)
is_now(h, ONE, "(away) ")
said = fails(h, ONE)
assert re.match(r"000001 cannot be reached: serve has no way to the broker \(.*127\.0\.0\.1.*\)" +
                SEEN + "MQTT: see to that broker", said), said
assert "asleep" not in said and "wake" not in said, said
assert "000001: away" in h.call("devices")[0]
assert "volume" in h.call(TWO)[0], "the other has no broker"
assert h.end()[0] == 0
# A bridge that comes meanwhile knows as much.
h = Host("--wait", "300ms", "bridge")
h.initialize()
is_now(h, TWO, "")
is_now(h, ONE, "(away) ")
assert "serve has no way to the broker" in fails(h, ONE)
again = subprocess.Popen(["/usr/sbin/mosquitto", "-c", "mosquitto.conf"],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
is_now(h, ONE, "")
assert "volume" in h.call(ONE)[0]
os.kill(int(socket_board), signal.SIGTERM)
is_now(h, TWO, "(asleep) ")
assert "000002 is asleep: say its wake word" in fails(h, TWO)
os.kill(int(serve), signal.SIGTERM)
is_now(h, TWO, "(away) ")
for name, way in (ONE, "MQTT"), (TWO, "WebSocket"):
    said = fails(h, name)
    assert re.match(name[:6] + " cannot be reached: the 'mcpctl serve' that it comes to is not there" +
                    SEEN + way + ": start serve, then try again; waited ", said), said
assert h.end()[0] == 0
again.kill()
again.wait()
EOF
}

@test "one call at a time; eight wait, the rest is told; a host that waits hears that it goes on" {
	serve
	board 01 --fault late-reply=6s
	until_true ready 1
	host <<'EOF'
from bridge_host import Host
h = Host("--timeout", "9s", "bridge")
h.initialize()
h.until_tool("get_device_status")
first = h.start_call("get_device_status", meta={"progressToken": "t"})
rest = [h.start_call("get_device_status") for _ in range(9)]
busy = h.reply(rest[8])["result"]
assert busy["isError"] and "8 calls wait" in busy["content"][0]["text"], busy
told = h.notice("notifications/progress")["params"]
assert told["progressToken"] == "t" and told["progress"] >= 4, told
assert "volume" in h.reply(first)["result"]["content"][0]["text"]
# One more is with it; what waits behind that has its answer in time, too.
texts = [h.reply(i)["result"]["content"][0]["text"] for i in rest[:8]]
assert all("000001" in t for t in texts), texts
assert any("busy" in t for t in texts), texts
h.end()
EOF
}

@test "what is cancelled is not answered; a late cancel says nothing" {
	serve
	board 01 --fault late-reply=2s
	until_true ready 1
	host <<'EOF'
from bridge_host import Host
h = Host("bridge")
h.initialize()
h.until_tool("get_device_status")
one, two = h.start_call("get_device_status"), h.start_call("screen_set_theme", {"theme": "dark"})
for i in (one, two):
    h.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": i}})
assert h.call("audio_speaker_set_volume", {"volume": 1}) == ("true", False)
assert str(one) not in h.replies and str(two) not in h.replies, h.replies
h.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": h.id}})
assert h.ask("ping")["result"] == {}
h.end()
EOF
	[ "$(grep -c 'the host gave it up' bridge.err)" = 2 ]
}

@test "a call that waits for a server to be known is given up: the log has it" {
	host <<'EOF'
from bridge_host import Host
h = Host("-t", "stdio:/usr/bin/python3 -c input()", "bridge", "--log", "calls.log")
h.initialize()
i = h.start_call("something", {"volume": 1})
h.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": i}})
assert h.ask("ping")["result"] == {}
h.end()
assert str(i) not in h.replies
EOF
	grep -qE ' - something \{"volume":1\} .* failed: the host gave it up$' calls.log
	[ "$(wc -l <calls.log)" = 1 ]
}

@test "without a serve and a target it answers, and says what is missing" {
	host <<'EOF'
from bridge_host import Host
h = Host("bridge")
h.initialize()
assert sorted(h.tools()) == ["devices", "refresh"], h.tools()
assert "serve" in h.call("devices")[0]
h.end()
EOF
	grep -q 'no serve is running' bridge.err
}

@test "several targets and one board, each by its name; a program that dies is started again" {
	serve
	board 01
	board 02
	until_true ready 2
	cat >mcp.json <<-EOF
		{"mcpServers": {"files": {"command": "/usr/bin/python3",
		 "args": ["$BATS_TEST_DIRNAME/stdio_server.py"]}}}
	EOF
	host <<'EOF'
import os, signal, subprocess, time
from bridge_host import Host
h = Host("--config", "mcp.json", "-t", "files", "-t", "sim:", "-d", "*:02", "bridge")
h.initialize()
for name in ("sim__get_device_status", "000002__get_device_status", "files__echo"):
    tools = h.until_tool(name)
assert not [t for t in tools if t.startswith("000001__")], sorted(tools)
own = [t for t in tools if t.startswith("files__")]
assert own, sorted(tools)
child = lambda: subprocess.run(["pgrep", "-P", str(h.process.pid), "python3"],
                               stdout=subprocess.PIPE).stdout.split()
before = child()
os.kill(int(before[0]), signal.SIGKILL)
# A list may be half a second old: another program says that the first one went.
while child() in ([], before):
    time.sleep(0.02)
while "connected" not in h.call("devices")[0]:
    time.sleep(0.02)
said, failed = h.call("files__die")
assert failed and "files went away in the midst of the call" in said, said
h.until_tool(own[0], test=lambda t: not t["description"].startswith("("))
h.end()
EOF
}

@test "equal tools of boards become one; the board is an argument" {
	serve
	board 01
	board 02
	until_true ready 2
	host <<'EOF'
from bridge_host import Host
h = Host("bridge", "--one-tool-a-name", "--generic", "--allow", "self.reboot")
h.initialize()
tools = h.tools()
assert tools["audio_speaker_set_volume"]["inputSchema"]["required"] == ["device", "volume"] or \
    set(tools["audio_speaker_set_volume"]["inputSchema"]["required"]) == {"device", "volume"}, tools
assert "reboot" in tools and "call_device_tool" in tools, sorted(tools)
assert h.call("audio_speaker_set_volume", {"device": "000002", "volume": 3}) == ("true", False)
assert '"volume":3' in h.call("get_device_status", {"device": "000002"})[0]
assert '"volume":70' in h.call("get_device_status", {"device": "000001"})[0]
said, failed = h.call("get_device_status", {"device": "nobody"})
assert failed and "000001" in said, said
said, failed = h.call("get_device_status")
assert failed and "device" in said, said
assert '"volume":3' in h.call("call_device_tool", {"device": "000002", "tool": "self.get_device_status"})[0]
said, failed = h.call("call_device_tool", {"device": "000002", "tool": "self.upgrade_firmware",
                                           "arguments": {"url": "http://x/"}})
assert failed and "no tool" in said, said
h.end()
EOF
}

@test "an argument whose name models refuse has another for hosts; names that clash, too" {
	cat >odd.json <<'EOF'
{"tools": [
  {"name": "self.灯.set", "arguments": {"亮度": {"type": "integer", "minimum": 0, "maximum": 9}},
   "result": {"template": "${亮度}"}},
  {"name": "self.a.b", "result": "first"},
  {"name": "a.b", "result": "second"}
]}
EOF
	host <<'EOF'
import json, re
from bridge_host import Host
h = Host("sim:./odd.json", "bridge")
h.initialize()
tools = h.tools()
assert all(re.fullmatch("[a-zA-Z0-9_-]{1,48}", name) for name in tools), sorted(tools)
lamp = tools["__set"]["inputSchema"]
key, = lamp["properties"]
assert re.fullmatch("[a-zA-Z0-9_.-]{1,64}", key) and lamp["required"] == [key], lamp
assert lamp["properties"][key]["title"] == "亮度", lamp
assert h.call("__set", {key: 7}) == ("7", False)
assert h.call("__set", {"亮度": 8}) == ("8", False)
said, failed = h.call("__set", {key: 10})
assert failed and "亮度" in said, said
# One of two would be checked, and the other one might be carried out.
h.send(('{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"__set",'
        '"arguments":{"%s":1,"%s":99}}}\n' % (key, key)).encode())
assert "stands twice" in json.dumps(h.reply(77)), h.reply(77)
by_title = {t["title"]: name for name, t in tools.items()}
assert h.call(by_title["self.a.b"]) == ("first", False)
assert h.call(by_title["a.b"]) == ("second", False)
h.end()
EOF
}

@test "what a host sees, as a table and as JSON; what is hidden, and why" {
	mcp sim: bridge --list
	ends 0
	says 'audio_speaker_set_volume'
	says 'self.reboot  hidden: it destroys something'
	hints 'all of them are taken by Claude Desktop, Claude Code, Cursor (at most 80), '
	mcp -o json sim: bridge --list --read-only
	ends 0
	jq -es 'map(select(.name == "get_device_status" and .tool == "self.get_device_status" and .hidden == null)) | length == 1' <<<"$out"
	jq -es 'map(select(.tool == "self.screen.set_theme" and .name == null and .hidden != null)) | length == 1' <<<"$out"
	mcp sim: bridge --list --names raw --deny '*screen*' --user-tools
	ends 0
	says 'self.get_system_info'
	hints "Claude Desktop takes none of 6 tools: the name 'self.get_device_status' has '.'"
	absent '^self\.screen' "$WORK/stdout"
}

@test "the broker of boards is killed again and again amid calls: each has one answer, of its board" {
	broker
	local first=$LAST
	disown "$first"
	serve --mqtt-broker "mqtt://127.0.0.1:$MQTT" --topic-up 'up/{client_id}'
	event broker
	host "$PORT" "$MQTT" "$OTA" "$ROOT/tests/soak/echo.json" "$first" <<'EOF'
import os, random, re, signal, subprocess, sys, time
from bridge_host import Host
port, mqtt, ota, profile, first = sys.argv[1:]
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
def board(number, *way):
    return subprocess.Popen(["mcpctl", "sim", profile, *way, "--reconnect",
                             "--device-id", "02:00:00:00:00:%02d" % number], **QUIET)
LIMIT, BOARDS, MARGIN = 8, 4, 10
boards = [board(n, "--ota", ota, "--subscribe") if n < 3 else
          board(n, "--connect", "ws://127.0.0.1:%s/xiaozhi/v1/" % port) for n in range(1, BOARDS + 1)]
h = Host("--timeout", "%ds" % LIMIT, "--wait", "%ds" % (LIMIT - 2), "bridge", "--rate", "1000")
h.initialize()
for n in range(1, BOARDS + 1):
    h.until_tool("00000%d__echo" % n)
number, open_calls, good = 0, [], {n: 0 for n in range(1, BOARDS + 1)}
def start(n):
    global number
    number += 1
    open_calls.append((h.start_call("00000%d__echo" % n, {"number": number}), n, number))
def take():
    ident, n, number = open_calls.pop(0)
    result = h.reply(ident, LIMIT + MARGIN)["result"]
    text = result["content"][0]["text"]
    if not result.get("isError"):
        assert text == "02:00:00:00:00:%02d %d" % (n, number), (n, number, text)
        good[n] += 1
    else:
        assert text.startswith("00000%d " % n), (n, text)
    return not result.get("isError")
os.kill(int(first), signal.SIGKILL)
def dead():
    try:
        return open("/proc/%s/stat" % first).read().split()[2] == "Z"
    except OSError:
        return True
while not dead():
    time.sleep(0.02)
broker = None
for restart in range(3):
    for n in [*good, *good]:
        start(n)
    broker = subprocess.Popen(["/usr/sbin/mosquitto", "-c", "mosquitto.conf"], **QUIET)
    # Every board is there again, each time; at a broker after 10 s, as firmware is.
    for n in good:
        while True:
            start(n)
            while len(open_calls) > 1:
                take()
            if take():
                break
    for n in good:
        start(n)
    broker.kill()
    broker.wait()
while open_calls:
    take()
assert all(count >= 3 for count in good.values()), good
assert h.ask("ping")["result"] == {} and h.end()[0] == 0
print(number, "calls", good)
for one in boards:
    one.kill()
    one.wait()
EOF
}

@test "settings of hosts, with absolute paths" {
	local one
	for one in claude cursor vscode; do
		mcp -t sim: bridge --print-config $one --read-only --log log
		ends 0
		jq -e '.[].boards | (.command | startswith("/")) and
			.args == ["bridge", "--target=sim:", "--read-only", "--log='"$WORK"'/log"]' <<<"$out"
	done
	mcp bridge --print-config codex
	ends 0
	says '[mcp_servers.boards]'
	mcp bridge --print-config emacs
	ends 2
	hints 'claude, cursor, vscode or codex'
}

@test "settings with a secret of a target say so; they are not printed beside a list" {
	local one
	for one in 'ws://127.0.0.1:9/mcp?token=s3cret' 'https://127.0.0.1:9/mcp?a=1&api_key=s3cret'; do
		mcp -t sim: -t "$one" bridge --print-config claude
		ends 0
		jq -e --arg one "--target=$one" '.[].boards.args | index($one)' <<<"$out"
		hints 'a secret stands in what is printed'
		absent s3cret "$WORK/stderr"
	done
	mcp -t sim: bridge --print-config claude
	ends 0
	absent secret "$WORK/stderr"
	mcp -t sim: bridge --print-config claude --list
	ends 2
	[ -z "$out" ]
	hints "'--list' and '--print-config' exclude one another"
}

@test "settings say where serve is, if a host without this environment would not find it" {
	local program words
	serve
	device board
	mcp bridge --print-config cursor
	ends 0
	program=$(jq -r '.[].boards.command' <<<"$out")
	mapfile -t words < <(jq -r '.[].boards.args[]' <<<"$out")
	[ "${words[1]}" = "--socket=$WORK/run/mcpctl/serve.sock" ]
	# So much the official SDK hands on, and Codex little more.
	run env -i HOME="$HOME" PATH="$PATH" "$program" "${words[@]}" --list
	[[ $output == *'audio_speaker_set_volume'* ]]
	# Boards of it also beside another target.
	mcp -t sim: -d '*' bridge --print-config cursor
	jq -e --arg there "${words[1]}" '[.[][].args[]] | index($there)' <<<"$out"
	mcp -t sim: bridge --print-config cursor
	[[ $out != *--socket* ]]
	mcp --socket other.sock bridge --print-config cursor
	ends 0
	jq -e --arg other "--socket=$WORK/other.sock" '.[].boards.args == ["bridge", $other]' <<<"$out"
	MCPCTL_TARGET=attach:/tmp/x.sock mcp bridge --print-config cursor
	jq -e '.[].boards.args == ["bridge", "--target=attach:/tmp/x.sock"]' <<<"$out"
	XDG_RUNTIME_DIR='' TMPDIR='' mcp bridge --print-config cursor
	ends 0
	jq -e '.[].boards.args == ["bridge"]' <<<"$out"
}

@test "settings with a name of a folder's file say that it is not found elsewhere" {
	local said="a file of this folder or of one above: a host that starts elsewhere does not find it"
	echo '{"mcpServers": {"files": {"command": "cat"}}}' >mcp.json
	mcp -t files -t sim: bridge --print-config claude
	ends 0
	hints "'files' stands in '$(pwd -P)/mcp.json', $said"
	MCPCTL_TARGET=files mcp bridge --print-config claude
	hints "$said"
	mcp --config mcp.json -t files bridge --print-config claude
	ends 0
	absent "$said" <<<"$err"
}

@test "each call is a line of the log, without secrets" {
	host <<'EOF'
from bridge_host import Host
h = Host("sim:", "bridge", "--log", "calls.log")
h.initialize()
h.call("audio_speaker_set_volume", {"volume": 5})
h.call("screen_set_theme", {"theme": "token=geheim"})
h.call("nothing")
h.end()
EOF
	grep -qE '^20.*Z test-host/9 sim self\.audio_speaker\.set_volume \{"volume":5\} .* ok$' calls.log
	grep -q 'nothing {} .* failed: unknown tool' calls.log
	absent geheim calls.log bridge.err
}

@test "a short --timeout is kept" {
	host <<'EOF'
from bridge_host import Host
h = Host("--timeout", "300ms", "-t", "sim:?fault=no-reply", "bridge")
h.initialize()
while not any(t["name"] == "get_device_status" for t in h.ask("tools/list")["result"]["tools"]):
    pass
said = str(h.call("get_device_status", {}))
# Not the second more after which it is given up here.
assert "did not answer within 3" in said and " ms: " in said, said
h.end()
EOF
}

@test "a resource that is too large for a host is answered with that" {
	cat >large.py <<'END'
import json, sys
def answer(m):
    if m["method"] == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"resources": {}}, "serverInfo": {"name": "a", "version": "1"}}
    if m["method"] == "resources/read":
        return {"contents": [{"uri": m["params"]["uri"], "text": "x" * int(m["params"]["uri"].split(":")[1])}]}
    return {"resources": [{"uri": "a:5", "name": "five"}]}
for line in sys.stdin:
    m = json.loads(line)
    if "id" in m:
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": answer(m)}), flush=True)
END
	host <<'EOF'
from bridge_host import Host
h = Host("-t", "stdio:/usr/bin/python3 large.py", "bridge")
h.initialize()
read = lambda uri: h.ask("resources/read", {"uri": uri})
assert read("a:5")["result"]["contents"][0]["text"] == "xxxxx"
assert len(read("a:1000000")["result"]["contents"][0]["text"]) == 1000000
assert "more than 1048576 bytes" in read("a:1048576")["error"]["message"]
h.end()
EOF
}

@test "an error whose JSON is broken is a failure, with its words" {
	local says='{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"s","version":"1"}}'
	host "stdio:/usr/bin/python3 $BATS_TEST_DIRNAME/answers.py unescaped 'initialize=$says'" <<'EOF'
import sys
from bridge_host import Host
h = Host("-t", sys.argv[1], "bridge", "--no-own-tools")
h.initialize()
h.until_tool("a")
said, failed = h.call("a")
assert failed and 'no "x" here' in said, said
said = h.ask("resources/read", {"uri": "a:1"})
assert 'no "x" here' in said["error"]["message"], said
h.end()
EOF
	grep -q ' a {} .* failed: .*no "x" here' bridge.err
}

@test "tools that could not be listed are asked for again" {
	cat >late.py <<'END'
import json, sys
lists = 0
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    r = {"result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "a", "version": "1"}}}
    if m["method"] == "tools/list":
        lists += 1
        r = {"result": {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}}
    if m["method"] == "server/discover" or lists in (1, 2):
        r = {"error": {"code": -32603, "message": "warming up"}}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], **r}), flush=True)
END
	host <<'EOF'
from bridge_host import Host
h = Host("-t", "stdio:/usr/bin/python3 late.py", "bridge", "--no-own-tools")
h.initialize()
h.until_tool("a")
h.end()
EOF
	[ "$(grep -c 'its tools could not be listed: .*warming up' bridge.err)" = 1 ]
}

@test "a program that ends at once: what it wrote is told, without secrets" {
	# It ends before it is asked, and while it is: one reason, told once.
	printf '%s\n' 'echo no module >&2' 'echo token=s3cret >&2' \
		'[ ! -e ended ] || read -r _' 'echo >>ended; exit 4' >ends.sh
	host <<'EOF'
import os, time
from bridge_host import Host
h = Host("-t", "stdio:sh ends.sh", "bridge")
h.initialize()
lines = lambda name: open(name).readlines() if os.path.exists(name) else []
while len(lines("ended")) < 4:
    time.sleep(0.02)
h.end()
EOF
	[ "$(grep -c 'wrote to its stderr' bridge.err)" = 1 ]
	grep -q 'with status 4' bridge.err
	grep -qE '^[^:]+: +no module$' bridge.err
	absent s3cret bridge.err
}

@test "a server that ends while its tools are listed is listed when it is back" {
	cat >ends.py <<'END'
import json, os, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    r = {"result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "a", "version": "1"}}}
    if m["method"] == "tools/list":
        r = {"result": {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}}
        if not os.path.exists("ended"):
            open("ended", "w").close()
            sys.exit(1)
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], **r}), flush=True)
END
	host <<'EOF'
from bridge_host import Host
h = Host("-t", "stdio:/usr/bin/python3 ends.py", "bridge", "--no-own-tools")
h.initialize()
h.until_tool("a")
h.end()
EOF
}

# only_tasks: tasks.py, a server whose tools can only be tasks.
only_tasks() {
	cat >tasks.py <<'EOF'
import json, sys
def say(m): print(json.dumps({"jsonrpc": "2.0", **m}), flush=True)
def tool(name): return {"name": name, "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}}
token = None
for line in sys.stdin:
    m = json.loads(line)
    params = m.get("params", {})
    print(m["method"], params.get("taskId", ""), file=open("tasks.log", "a"))
    if "id" not in m:
        continue
    answer = {"result": {}}
    if m["method"] == "initialize":
        answer = {"result": {"protocolVersion": "2025-11-25", "serverInfo": {"name": "s", "version": "1"},
                  "capabilities": {"tools": {}, "tasks": {"cancel": {}, "requests": {"tools": {"call": {}}}}}}}
    elif m["method"] == "tools/list":
        answer = {"result": {"tools": [tool("slow"), tool("stuck"), tool("fails")]}}
    elif m["method"] == "tools/call" and "task" not in params:
        answer = {"error": {"code": -32601, "message": "only as a task"}}
    elif m["method"] == "tools/call":
        token = params.get("_meta", {}).get("progressToken")
        answer = {"result": {"task": {"taskId": params["name"] + "-1", "status": "working", "ttl": None,
                  "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z"}}}
    elif m["method"] == "tasks/result" and params["taskId"] == "stuck-1":
        continue
    elif m["method"] == "tasks/result" and params["taskId"] == "fails-1":
        answer = {"error": {"code": -32603, "message": "out of luck"}}
    elif m["method"] == "tasks/result":
        say({"method": "notifications/progress", "params": {"progressToken": token, "progress": 1, "message": "half"}})
        answer = {"result": {"content": [{"type": "text", "text": "done " + params["taskId"]}]}}
    say({"id": m["id"], **answer})
EOF
}

@test "a tool that can only be a task is called as one; one that is given up is cancelled" {
	only_tasks
	host "stdio:/usr/bin/python3 $WORK/tasks.py" <<'EOF'
import sys
from bridge_host import Host
h = Host("-t", sys.argv[1], "bridge", "--no-own-tools")
h.initialize()
h.until_tool("slow")
reply = h.reply(h.start_call("slow", meta={"progressToken": "p"}))
assert reply["result"]["content"][0]["text"] == "done slow-1", reply
assert "half" in [n["params"].get("message") for n in h.notices if n["method"] == "notifications/progress"]
assert h.call("fails") == ("out of luck", True), h.call("fails")
h.give_up_task("stuck", "stuck-1", "tasks.log")
assert h.call("slow") == ("done slow-1", False)
h.end()
EOF
	[ "$(grep -c '^tasks/cancel' tasks.log)" = 1 ]
}

@test "so it is where serve keeps its server open" {
	only_tasks
	mcpctl open "stdio:/usr/bin/python3 $WORK/tasks.py"
	host <<'EOF'
from bridge_host import Host
h = Host("--timeout", "5s", "bridge", "--no-own-tools")
h.initialize()
h.until_tool("slow")
assert h.call("slow") == ("done slow-1", False)
assert h.call("fails") == ("out of luck", True), h.call("fails")
h.give_up_task("stuck", "stuck-1", "tasks.log")
assert h.call("slow") == ("done slow-1", False)
h.end()
EOF
	[ "$(grep -c '^tasks/cancel' tasks.log)" = 1 ]
	mcpctl stop
}

@test "arguments that a server wants in headers, too, also at once when it is back" {
	host <<'EOF'
import re, subprocess, time
from bridge_host import Host
def server(port):
    log = open("server.log", "w+b")
    process = subprocess.Popen(["mcpctl", "sim", "conformance", "--listen", "127.0.0.1:%s" % port],
                               stdout=log, stderr=log)
    while not re.search(rb"127\.0\.0\.1:(\d+)", open("server.log", "rb").read()):
        time.sleep(0.05)
    return process, re.search(rb"127\.0\.0\.1:(\d+)", open("server.log", "rb").read()).group(1).decode()
one, port = server(0)
h = Host("--era", "modern", "-t", "http://127.0.0.1:%s/mcp" % port, "bridge")
h.initialize()
h.until_tool("test_custom_headers")
ask = lambda: h.start_call("test_custom_headers", {"region": "eu", "count": 3})
said = lambda ident: h.reply(ident)["result"]["content"][0]["text"]
assert said(ask()) == "region=eu, count=3"
one.kill()
one.wait()
waits = ask()
while "not connected" not in h.call("devices")[0]:
    time.sleep(0.05)
one, port = server(port)
assert said(waits) == "region=eu, count=3", said(waits)
h.end()
one.kill()
one.wait()
EOF
}

@test "headers that do not fit a schema of before: the tools are listed again, and the call is sent again" {
	cat >renamed.py <<'EOF'
import http.server, json
HEADER, FITS = "One", True
META = "io.modelcontextprotocol/"
class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *words): pass
    def do_POST(self):
        global HEADER, FITS
        m = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        print(m["method"], file=open("renamed.log", "a"))
        result, error = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}, None
        if m["method"] == "server/discover":
            result.update(supportedVersions=["2026-07-28"], capabilities={"tools": {}},
                          _meta={META + "serverInfo": {"name": "r", "version": "1"}})
        elif m["method"] == "tools/list":
            result["tools"] = [{"name": name, "inputSchema": {"type": "object", "properties": {
                "a": {"type": "string", "x-mcp-header": HEADER}}}} for name in ("get", "swap", "never")]
        elif m["params"]["name"] == "swap":
            HEADER = "Two"
            result["content"] = [{"type": "text", "text": "swapped"}]
        elif m["params"]["name"] == "never" or not self.headers.get("Mcp-Param-" + HEADER):
            error = {"code": -32020, "message": "headers do not match"}
        else:
            result["content"] = [{"type": "text", "text": self.headers["Mcp-Param-" + HEADER]}]
        body = json.dumps({"jsonrpc": "2.0", "id": m.get("id"),
                           **({"error": error} if error else {"result": result})}).encode()
        self.send_response(400 if error else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
print(server.server_port, flush=True)
server.serve_forever()
EOF
	host <<'EOF'
import subprocess, sys
from bridge_host import Host
server = subprocess.Popen([sys.executable, "renamed.py"], stdout=subprocess.PIPE, text=True)
h = Host("-t", "http://127.0.0.1:%s/" % server.stdout.readline().strip(), "bridge", "--no-own-tools")
h.initialize()
h.until_tool("get")
assert h.call("get", {"a": "x"}) == ("x", False)
assert h.call("swap", {"a": "x"}) == ("swapped", False)
assert h.call("get", {"a": "y"}) == ("y", False)
# Once, and no more.
before = open("renamed.log").read().count("tools/call")
assert h.call("never", {"a": "y"}) == ("headers do not match", True), h.call("never", {"a": "y"})
assert open("renamed.log").read().count("tools/call") == before + 2
assert h.call("get", {"a": "z"}) == ("z", False)
h.end()
server.kill()
server.wait()
EOF
}

@test "a server over HTTP that is of the other era when it is back" {
	cat >era.py <<'END'
import http.server, json, sys
PORT, MODERN = int(sys.argv[1]), sys.argv[2] == "modern"
class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_):
        pass
    def do_POST(self):
        m = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        known = {"tools/list": {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]},
                 "tools/call": {"content": [{"type": "text", "text": sys.argv[2]}]}}
        if MODERN:
            known["server/discover"] = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
        else:
            known["initialize"] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                                   "serverInfo": {"name": "s", "version": "1"}}
        fits = MODERN or "MCP-Protocol-Version" not in self.headers or self.headers["MCP-Protocol-Version"] < "2026"
        says = ({"result": {**({"resultType": "complete"} if MODERN else {}), **known[m["method"]]}}
                if fits and m["method"] in known else {"error": {"code": -32000, "message": "Bad Request"}})
        body = json.dumps({"jsonrpc": "2.0", "id": m["id"], **says}).encode() if "id" in m else b""
        self.send_response(202 if "id" not in m else 200 if "result" in says else 400)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Server)
print(server.server_address[1], flush=True)
server.serve_forever()
END
	host <<'EOF'
import subprocess, time
from bridge_host import Host
def server(port, era):
    process = subprocess.Popen(["/usr/bin/python3", "era.py", str(port), era], stdout=subprocess.PIPE)
    return process, process.stdout.readline().decode().strip()
def until_it_says(h, era):
    end = time.monotonic() + 60
    while h.call("a") != (era, False):
        assert time.monotonic() < end, h.call("a")
        time.sleep(0.1)
one, port = server(0, "modern")
h = Host("-t", "http://127.0.0.1:%s/mcp" % port, "bridge")
h.initialize()
h.until_tool("a")
until_it_says(h, "modern")
h.end()
one.kill()
one.wait()
# What was found out of it is kept, and wrong; then it is so while the bridge runs.
for era in ("legacy", "modern", "legacy"):
    one, port = server(port, era)
    if h.process.poll() is not None:
        h = Host("-t", "http://127.0.0.1:%s/mcp" % port, "bridge")
        h.initialize()
        h.until_tool("a")
    until_it_says(h, era)
    one.kill()
    one.wait()
h.end()
EOF
}

@test "progress of a server that gives the token back as a text is passed on" {
	cat >text.py <<'END'
import json, sys
def send(m):
    print(json.dumps({"jsonrpc": "2.0", **m}), flush=True)
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    r = {"result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "a", "version": "1"}}}
    if m["method"] == "tools/list":
        r = {"result": {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}}
    if m["method"] == "tools/call":
        send({"method": "notifications/progress", "params": {
            "progressToken": str(m["params"]["_meta"]["progressToken"]), "progress": 0.5}})
        r = {"result": {"content": []}}
    if m["method"] == "server/discover":
        r = {"error": {"code": -32601, "message": "no"}}
    send({"id": m["id"], **r})
END
	host <<'EOF'
from bridge_host import Host
h = Host("-t", "stdio:/usr/bin/python3 text.py", "bridge", "--no-own-tools")
h.initialize()
h.until_tool("a")
h.reply(h.start_call("a", meta={"progressToken": "mine"}))
assert [n["params"] for n in h.notices if n["method"] == "notifications/progress"] == \
    [{"progressToken": "mine", "progress": 0.5}], h.notices
h.end()
EOF
}

@test "resources and prompts of servers are passed on, each from whoever has it" {
	host <<'EOF'
from bridge_host import Host
h = Host("-t", "sim:conformance", "-t", "sim:llm", "-t", "sim:", "bridge")
capabilities = h.initialize()["capabilities"]
assert "resources" in capabilities and "prompts" in capabilities, capabilities
prompts = {p["name"]: p for p in h.ask("prompts/list")["result"]["prompts"]}
resources = {r["uri"]: r for r in h.ask("resources/list")["result"]["resources"]}
templates = h.ask("resources/templates/list")["result"]["resourceTemplates"]
assert "test_simple_prompt" in prompts and "test://static-text" in resources, (prompts, resources)
assert [p for p in prompts if not p.startswith("test_")], "those of llm, too"
read = h.ask("resources/read", {"uri": "test://static-text"})["result"]["contents"][0]
assert read["uri"] == "test://static-text" and read["text"], read
said = h.ask("prompts/get", {"name": "test_simple_prompt"})["result"]["messages"]
assert said[0]["content"]["text"], said
# Nobody listed it: whoever knows the template answers.
read = h.ask("resources/read", {"uri": "test://template/123/data"})["result"]["contents"][0]
assert "123" in read["text"], read
assert "error" in h.ask("resources/read", {"uri": "test://nowhere"})
assert "error" in h.ask("prompts/get", {"name": "nobody"})
assert h.ask("prompts/get", {})["error"]["code"] == -32602
done = h.ask("completion/complete", {"ref": {"type": "ref/prompt", "name": "test_prompt_with_arguments"},
                                     "argument": {"name": "arg1", "value": "p"}})
assert "completion" in done["result"], done
i = h.start_call("conformance__test_tool_with_progress", meta={"progressToken": "mine"})
h.reply(i)
told = [n["params"] for n in h.notices if n["method"] == "notifications/progress"]
assert told and all(n["progressToken"] == "mine" for n in told), told
assert [n["progress"] for n in told] == sorted({n["progress"] for n in told}), told
h.end()
h = Host("bridge")
assert "resources" not in h.initialize()["capabilities"]
assert h.ask("resources/list")["result"]["resources"] == []
h.end()
EOF
}

@test "a server over HTTP restarts: its session is begun anew, and calls wait while it is down" {
	host <<'EOF'
import re, subprocess, time
from bridge_host import Host
def server(port):
    log = open("server.log", "w+b")
    process = subprocess.Popen(["mcpctl", "sim", "conformance", "--listen", "127.0.0.1:%s" % port],
                               stdout=log, stderr=log)
    while not re.search(rb"127\.0\.0\.1:(\d+)", open("server.log", "rb").read()):
        time.sleep(0.05)
    return process, re.search(rb"127\.0\.0\.1:(\d+)", open("server.log", "rb").read()).group(1).decode()
for era in ("legacy", "modern"):
    one, port = server(0)
    h = Host("--era", era, "-t", "http://127.0.0.1:%s/mcp" % port, "bridge")
    h.initialize()
    h.until_tool("test_simple_text")
    assert "simple text" in h.call("test_simple_text")[0]
    one.kill()
    one.wait()
    one, port = server(port)
    assert "simple text" in h.call("test_simple_text")[0], "it does not know the session"
    one.kill()
    one.wait()
    waits = h.start_call("test_simple_text")
    assert h.ask("ping")["result"] == {}
    one, port = server(port)
    assert "simple text" in h.reply(waits)["result"]["content"][0]["text"]
    said, failed = h.call("test_elicitation", {"message": "x"})
    assert failed and "elicitation" in said, said
    assert h.end()[0] == 0
    one.kill()
    one.wait()
EOF
}

@test "a call amid which its server over HTTP ends is sent once, though that is back" {
	cat >ends.py <<'END'
import json, os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def say(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_POST(self):
        m = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if m["method"] == "tools/call":
            open("calls", "a").write("one\n")
            os._exit(0)
        r = {"initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "a", "version": "1"}},
             "tools/list": {"tools": [{"name": "buy", "inputSchema": {"type": "object"}}]}}.get(m["method"], {})
        self.say(200 if "id" in m else 202, json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}).encode() if "id" in m else b"")
    def do_GET(self):
        self.say(405)
    do_DELETE = do_GET
    def log_message(self, *words):
        pass
server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Server)
print(server.server_port, flush=True)
server.serve_forever()
END
	host <<'EOF'
import subprocess
from bridge_host import Host
def server(port):
    process = subprocess.Popen(["/usr/bin/python3", "ends.py", port], stdout=subprocess.PIPE)
    return process, process.stdout.readline().decode().strip()
one, port = server("0")
h = Host("--era", "legacy", "-t", "http://127.0.0.1:%s/mcp" % port, "bridge", "--no-own-tools")
h.initialize()
h.until_tool("buy")
asked = h.start_call("buy")
one.wait()
one, port = server(port)
result = h.reply(asked)["result"]
assert result["isError"] and "whether it was carried out is not known" in result["content"][0]["text"], result
h.end()
one.kill()
one.wait()
assert open("calls").readlines() == ["one\n"]
EOF
}

@test "a hundred restarts of boards in the midst of calls: each call has one answer, of its board" {
	serve
	host "$PORT" <<'EOF'
import subprocess, sys
from bridge_host import Host
def board(number):
    return subprocess.Popen(["mcpctl", "sim", "--connect", "ws://127.0.0.1:%s/xiaozhi/v1/" % sys.argv[1],
                             "--device-id", "02:00:00:00:00:%02d" % number],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
h = Host("bridge", "--rate", "1000")
h.initialize()
boards = {n: board(n) for n in range(1, 5)}
for n in boards:
    h.until_tool("00000%d__audio_speaker_set_volume" % n)
open_calls, answers = [], 0
def take():
    result = h.reply(open_calls.pop(0))["result"]
    text = result["content"][0]["text"]
    assert text == "true" or (result["isError"] and text.startswith("00000")), result
for restart in range(100):
    for n in range(1, 5):
        open_calls.append(h.start_call("00000%d__audio_speaker_set_volume" % n, {"volume": n * 10}))
    n = restart % 4 + 1
    boards[n].kill()
    boards[n].wait()
    boards[n] = board(n)
    while len(open_calls) > 12:
        take()
        answers += 1
while open_calls:
    take()
    answers += 1
assert answers == 400
for n in boards:
    assert h.call("00000%d__audio_speaker_set_volume" % n, {"volume": n * 10}) == ("true", False)
for n in boards:
    assert '"volume":%d0' % n in h.call("00000%d__get_device_status" % n)[0]
assert h.end()[0] == 0
for one in boards.values():
    one.kill()
    one.wait()
EOF
}
