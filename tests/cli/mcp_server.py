#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An MCP server on stdin and stdout, with everything that the commands show.

mcp_server.py [--revision R] [--without PART]... [--log FILE]

--revision: what initialize answers, whatever was asked for.
--without: a part that is not declared and not known (tools, resources,
prompts, completions, logging, subscribe).
--log: each message of the client as a line, for tests to look into.
"""
import argparse
import base64
import json
import sys
import threading
import time

PNG = base64.b64encode(
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x03\0\0\0\x02\x08\2\0\0\0"
).decode()
WAV = base64.b64encode(b"RIFF\x04\0\0\0WAVE").decode()
WEATHER = {
    "type": "object",
    "properties": {"celsius": {"type": "number"}, "sky": {"enum": ["clear", "grey"]}},
    "required": ["celsius"],
}
TOOLS = [
    {"name": "weather", "description": "structured, with a copy", "outputSchema": WEATHER},
    {"name": "weather_bare", "description": "structured alone", "outputSchema": WEATHER},
    {"name": "weather_wrong", "description": "breaks its own schema", "outputSchema": WEATHER},
    {"name": "weather_missing", "description": "forgets it", "outputSchema": WEATHER},
    {"name": "media", "description": "image, audio, resources, a link"},
    {"name": "notes", "description": "resources with text only"},
    {"name": "slow", "description": "tells how far it is"},
    {"name": "echo", "description": "gives back its arguments"},
    {"name": "hang", "description": "never answers"},
]
RESOURCES = [
    {
        "uri": f"test://item/{n}",
        "name": f"item {n}",
        "mimeType": "text/plain" if n % 2 else "application/octet-stream",
        "description": f"the item number {n}\nand more about it",
    }
    for n in range(1, 8)
]
TEMPLATES = [
    {"uriTemplate": "test://item/{n}", "name": "item", "description": "an item by its number"},
    {"uriTemplate": "test://day/{year}/{month}", "name": "day"},
]
PROMPTS = [
    {"name": "greet", "title": "Greeting", "description": "say hello"},
    {
        "name": "city",
        "description": "ask about a city",
        "arguments": [
            {"name": "city", "description": "which one", "required": True},
            {"name": "state"},
        ],
    },
    {"name": "mixed", "description": "text, image and resource"},
]
VALUES = {"city": ["paris", "parma", "pisa", "rome"], "n": ["1", "2"], "month": []}

options = argparse.ArgumentParser()
options.add_argument("--revision")
options.add_argument("--without", action="append", default=[])
options.add_argument("--log")
options = options.parse_args()
lock = threading.Lock()
subscribed = set()
level = "emergency"


class Refused(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


def send(message):
    with lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False) + "\n")
        sys.stdout.flush()


def notify(method, params):
    send({"method": method, "params": params})


def text(words):
    return {"type": "text", "text": words}


def inside(uri, words):
    return {"type": "resource", "resource": {"uri": uri, "mimeType": "text/plain", "text": words}}


def without(part):
    return part in options.without


def initialize(params):
    every = {
        "tools": {"listChanged": True},
        "resources": {} if without("subscribe") else {"subscribe": True},
        "prompts": {},
        "completions": {},
        "logging": {},
    }
    return {
        "protocolVersion": options.revision or params["protocolVersion"],
        "capabilities": {k: v for k, v in every.items() if not without(k)},
        "serverInfo": {"name": "test-server", "title": "A server for tests", "version": "1.2"},
        "instructions": "Ask about items.",
    }


def page(member, items, params, size):
    """Three to a page; the cursor is where the next one begins."""
    start = int(params.get("cursor", "0"))
    result = {member: items[start : start + size]}
    if start + size < len(items):
        result["nextCursor"] = str(start + size)
    return result


def tools_list(params):
    tools = [{"inputSchema": {"type": "object"}, **t} for t in TOOLS]
    return page("tools", tools, params, 5)


def slow(params):
    token = params.get("_meta", {}).get("progressToken")
    if params.get("arguments", {}).get("text_token"):
        token = str(token)
    for i in range(1, 5):
        time.sleep(params.get("arguments", {}).get("pause", 0))
        if token is not None:
            notify(
                "notifications/progress",
                {"progressToken": token, "progress": i, "total": 4, "message": f"part {i}"},
            )
    return {"content": [text("done")]}


def tools_call(params):
    name = params["name"]
    good = {"celsius": 21.5, "sky": "clear"}
    results = {
        "weather": lambda: {"content": [text(json.dumps(good))], "structuredContent": good},
        "weather_bare": lambda: {"content": [text("mild")], "structuredContent": good},
        "weather_wrong": lambda: {
            "content": [],
            "structuredContent": {"celsius": "warm", "sky": "clear"},
        },
        "weather_missing": lambda: {"content": [text("mild")]},
        "media": lambda: {
            "content": [
                {"type": "image", "mimeType": "image/png", "data": PNG},
                {"type": "audio", "mimeType": "audio/wav", "data": WAV},
                inside("test://note", "inside"),
                {
                    "type": "resource",
                    "resource": {"uri": "test://blob", "mimeType": "image/png", "blob": PNG},
                },
                {"type": "resource_link", "uri": "test://item/1", "name": "item 1"},
            ]
        },
        "notes": lambda: {"content": [inside("test://a", "first"), inside("test://b", "second")]},
        "slow": lambda: slow(params),
        "echo": lambda: {"content": [text(json.dumps(params.get("arguments", {})))]},
    }
    if name == "hang":
        return None
    if name not in results:
        raise Refused(-32602, f"unknown tool {name}")
    return results[name]()


def resources_list(params):
    return page("resources", RESOURCES, params, 3)


def templates_list(params):
    return page("resourceTemplates", TEMPLATES, params, 3)


def resources_read(params):
    uri = params["uri"]
    if uri == "test://many":
        return {
            "contents": [
                {"uri": "test://many/1", "mimeType": "text/plain", "text": "one"},
                {"uri": "test://many/2", "mimeType": "image/png", "blob": PNG},
            ]
        }
    if uri == "test://broken":
        return {"content": []}
    if uri == "test://escape":
        return {"contents": [{"uri": uri, "text": "a\x1b[31mred"}]}
    if not uri.startswith("test://item/"):
        raise Refused(-32002, "Resource not found", {"uri": uri})
    n = uri.rsplit("/", 1)[1]
    if int(n) % 2:
        return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": f'{{"item": {n}}}'}]}
    return {
        "contents": [
            {"uri": uri, "mimeType": "application/octet-stream", "blob": "AAECAw=="}
        ]
    }


def update(uri, times):
    for _ in range(times):
        notify("notifications/resources/updated", {"uri": uri})


def resources_subscribe(params):
    subscribed.add(params["uri"])
    threading.Timer(0.05, update, (params["uri"], 2)).start()
    return {}


def resources_unsubscribe(params):
    subscribed.discard(params["uri"])
    return {}


def prompts_list(params):
    return page("prompts", PROMPTS, params, 2)


def prompts_get(params):
    name, given = params["name"], params.get("arguments", {})
    if name == "greet":
        return {"messages": [{"role": "user", "content": text("Hello!")}]}
    if name == "city":
        where = ", ".join(given.values())
        return {
            "description": "about a city",
            "messages": [
                {"role": "user", "content": text(f"What of {where}?")},
                {"role": "assistant", "content": text("It is nice.")},
            ],
        }
    if name == "mixed":
        return {
            "messages": [
                {"role": "user", "content": text("Look:")},
                {"role": "user", "content": {"type": "image", "mimeType": "image/png", "data": PNG}},
                {"role": "user", "content": inside("test://note", "inside")},
            ]
        }
    raise Refused(-32602, f"unknown prompt {name}")


def complete(params):
    argument = params["argument"]
    values = [v for v in VALUES.get(argument["name"], []) if v.startswith(argument["value"])]
    known = params.get("context", {}).get("arguments", {})
    if argument["name"] == "state":
        values = [f"state of {known.get('city', 'nothing')}"]
    return {"completion": {"values": values[:2], "total": len(values), "hasMore": len(values) > 2}}


def set_level(params):
    global level
    level = params["level"]
    for words in ("debug", "warning"):
        notify("notifications/message", {"level": words, "logger": level, "data": f"a {words}"})
    return {}


METHODS = {
    "initialize": (None, initialize),
    "ping": (None, lambda params: {}),
    "tools/list": ("tools", tools_list),
    "tools/call": ("tools", tools_call),
    "resources/list": ("resources", resources_list),
    "resources/read": ("resources", resources_read),
    "resources/templates/list": ("resources", templates_list),
    "resources/subscribe": ("subscribe", resources_subscribe),
    "resources/unsubscribe": ("subscribe", resources_unsubscribe),
    "prompts/list": ("prompts", prompts_list),
    "prompts/get": ("prompts", prompts_get),
    "completion/complete": ("completions", complete),
    "logging/setLevel": ("logging", set_level),
}


def answer(message):
    part, method = METHODS.get(message["method"], (None, None))
    if method is None or without(part):
        raise Refused(-32601, "Method not found")
    return method(message.get("params", {}))


def handle(message):
    if "id" not in message or "method" not in message:
        return
    try:
        result = answer(message)
        if result is not None:
            send({"id": message["id"], "result": result})
    except Refused as refused:
        send({"id": message["id"], "error": refused.error})


def main():
    log = open(options.log, "a", encoding="utf-8") if options.log else None
    for line in sys.stdin:
        if log:
            log.write(line)
            log.flush()
        handle(json.loads(line))


main()
