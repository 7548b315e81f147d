# SPDX-License-Identifier: MIT
"""A program for tests/cli that logs while a tool runs, and a tool that fails."""
import json
import sys

TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("log", "fail", "mute")]


def say(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def call(name):
    if name == "log":
        for level in ("debug", "info", "notice", "warning", "error", "loud"):
            say({"method": "notifications/message", "params": {"level": level, "data": f"a {level}"}})
        return {"content": [{"type": "text", "text": "logged"}]}
    text = "the pump is dry" if name == "fail" else ""
    return {"content": [{"type": "text", "text": text}] if text else [], "isError": True}


for line in sys.stdin:
    ask = json.loads(line)
    if "id" not in ask:
        continue
    result = {}
    if ask["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}, "logging": {}},
                  "serverInfo": {"name": "logging", "version": "1"}}
    elif ask["method"] == "tools/list":
        result = {"tools": TOOLS}
    elif ask["method"] == "tools/call":
        result = call(ask["params"]["name"])
    say({"id": ask["id"], "result": result})
