#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An MCP server on stdin and stdout that hides characters in all it says."""
import json
import sys

ZWSP, SHY, CYRILLIC_A = "\u200b", "\u00ad", "\u0430"
TAGS = "".join(chr(0xE0000 + ord(c)) for c in "obey")
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


def said(words):
    return f"{words}{TAGS} and {ZWSP}{SHY}more"


TOOLS = [
    {"name": "scan", "description": f"The good one {FAMILY}."},
    {"name": f"sc{CYRILLIC_A}n", "description": said("Cyrillic"),
     "title": said("title"), "annotations": {"hint": said("hint")}},
    {"name": f"hid{ZWSP}den", "description": said("zero width"), "inputSchema": {
        "type": "object", "properties": {f"ar{SHY}g": {
            "type": "string", "description": said("argument"),
            "default": said("default"), "enum": [said("one"), said("two")]}}}},
    {"name": "getInfo", "description": "as getlnfo"},
    {"name": "getlnfo", "description": "as getInfo"},
]
RESOURCES = [{"uri": f"test://{name}", "name": said("resource"),
              "mimeType": f"text/{SHY}plain", "description": said("words")}
             for name in ("page", f"p{CYRILLIC_A}ge", f"pa{ZWSP}ge")]
PROMPTS = [{"name": f"gre{ZWSP}et", "title": said("title"), "description": said("words"),
            "arguments": [{"name": f"ci{SHY}ty", "description": said("a city")}]}]
TEXT = {"type": "text", "text": said("result")}


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False), flush=True)


def notify(method, params):
    send({"method": method, "params": params})


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": "2025-06-18", "instructions": said("instructions"),
                "serverInfo": {"name": said("server"), "version": said("1")},
                "capabilities": {"tools": {}, "resources": {}, "prompts": {},
                                 "completions": {}, "logging": {}}}
    if method == "tools/call":
        notify("notifications/message", {"level": "info", "logger": said("logger"),
                                         "data": said("log")})
        if params["name"] == "scan":
            return {"content": [TEXT]}
        return {"content": [TEXT, {"type": "resource_link", "uri": f"test://{ZWSP}",
                                   "mimeType": SHY}], "isError": True}
    return {"tools/list": {"tools": TOOLS}, "resources/list": {"resources": RESOURCES},
            "resources/templates/list": {"resourceTemplates": [
                {"uriTemplate": f"test://{ZWSP}{{n}}", "name": said("template")}]},
            "resources/read": {"contents": [{"uri": "test://page", "text": TEXT["text"]}]},
            "prompts/list": {"prompts": PROMPTS},
            "prompts/get": {"description": said("prompt"), "messages": [
                {"role": "user", "content": TEXT}, {"role": SHY, "content": TEXT}]},
            "completion/complete": {"completion": {"values": [said("value")]}},
            "logging/setLevel": {}, "ping": {}}.get(method)


for line in sys.stdin:
    ask = json.loads(line)
    if "id" not in ask:
        continue
    result = answer(ask["method"], ask.get("params", {}))
    if result is None:
        send({"id": ask["id"], "error": {"code": -32601, "message": said("no")}})
    else:
        send({"id": ask["id"], "result": result})
