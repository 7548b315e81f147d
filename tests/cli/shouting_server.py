#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A peer that puts into every text what a terminal obeys: an MCP server on stdin
and stdout; with PORT, a board that dials in there, and answers and tells the
same; with "listen", a backend that a board can dial, which prints its port."""
import asyncio
import json
import sys

ESCAPES = ("\x1b]0;owned\x07\x1b[2J\x1b[31m\x1bPq\x1b\\\x9b31m\x9d0;owned\x9c\x00\x08\x7f\r\x0b"
           "\u202eback\u2066\u2069")


def bad(words):
    return words + ESCAPES + "end"


HUGE = bad("x" * 20000)
TOOLS = [
    {"name": "t", "title": bad("title"), "description": bad("words\n") + HUGE,
     "inputSchema": {"type": "object", "properties": {
         bad("arg"): {"type": "string", "description": bad("d"), "default": bad("e"),
                      "enum": [bad("f"), "g"]},
         "n": {"type": "integer", "maximum": 5, "description": bad("n")}}},
     "annotations": {"title": bad("a"), "hint": bad("h")}},
    {"name": "fails", "description": bad("it fails")},
    {"name": "refuses", "description": "an error of the protocol"},
    {"name": "odd", "description": "does not fit",
     "outputSchema": {"type": "object", "properties": {"r": {"type": "number", "title": bad("r")}}}},
    {"name": bad("name"), "description": HUGE},
]
RESOURCE = {"uri": bad("test://y"), "name": bad("r"), "title": bad("t"), "mimeType": bad("a/b"),
            "description": bad("d"), "size": 3}
PROMPT = {"name": "p", "title": bad("t"), "description": bad("d"), "arguments": [
    {"name": bad("x"), "description": bad("y")}]}
TEXT = {"type": "text", "text": bad("result")}
LINK = {"type": "resource_link", "uri": bad("test://"), "name": bad("l"), "mimeType": bad("m")}
CONTENT = [TEXT, LINK, {"type": bad("kind"), "x": bad("y")},
           {"type": "image", "data": "AAAA", "mimeType": bad("image/png")},
           {"type": "resource", "resource": {"uri": bad("u"), "mimeType": bad("v"), "text": bad("w")}}]
TOLD = [{"method": "notifications/message", "params": {"level": "error", "logger": bad("l"),
                                                      "data": {bad("k"): bad("v")}}},
        {"method": bad("notifications/x"), "params": {"x": bad("y")}},
        {"method": "notifications/resources/updated", "params": {"uri": "test://x", "t": bad("u")}},
        {"method": bad("notifications/"), "params": {bad("a"): bad("b")}}]
RESULTS = {
    "initialize": {"protocolVersion": "2025-06-18", "instructions": bad("do"), "serverInfo": {
        "name": bad("server"), "title": bad("t"), "version": bad("1")}, "capabilities": {
            "tools": {}, "resources": {"subscribe": True}, "prompts": {}, "completions": {},
            "logging": {}, bad("c"): {bad("d"): bad("e")}}},
    "tools/list": {"tools": TOOLS},
    "resources/list": {"resources": [RESOURCE]},
    "resources/templates/list": {"resourceTemplates": [dict(RESOURCE, uriTemplate=bad("test://{a}"))]},
    "resources/read": {"contents": [{"uri": bad("u"), "mimeType": bad("m"), "text": bad("text")},
                                    {"uri": bad("u"), "mimeType": bad("m"), "blob": "AAAA"}]},
    "prompts/list": {"prompts": [PROMPT, dict(PROMPT, name=bad("q"))]},
    "prompts/get": {"description": bad("d"), "messages": [
        {"role": bad("user"), "content": part} for part in CONTENT]},
    "completion/complete": {"completion": {"values": [bad("one"), bad("two")], "hasMore": True}},
}


def answer(ask):
    """The messages that follow that one."""
    if ask.get("method") == "notifications/initialized":
        return list(TOLD)
    if "id" not in ask or "method" not in ask:
        return []
    said, method = {"id": ask["id"]}, ask["method"]
    if method in RESULTS:
        said["result"] = RESULTS[method]
    elif method in ("ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"):
        said["result"] = {}
    elif method == "tools/call" and ask["params"].get("name") != "refuses":
        name = ask["params"].get("name")
        said["result"] = {"content": [TEXT] if name == "t" else CONTENT, "isError": name == "fails"}
        if name == "odd":
            said["result"]["structuredContent"] = {"r": bad("s"), bad("t"): 1}
    else:
        said["error"] = {"code": -32000, "message": bad("no"), "data": {bad("d"): bad("e")}}
    token = ((ask.get("params") or {}).get("_meta") or {}).get("progressToken")
    told = list(TOLD) if method != "initialize" else []
    if token is not None:
        told.append({"method": "notifications/progress", "params": {
            "progressToken": token, "progress": 1, "total": 2, "message": bad("p")}})
    return told + [said]


def text(message):
    return json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False)


def stdio():
    print(bad("no JSON"), flush=True)
    sys.stderr.write(bad("said on stderr") + "\n")
    sys.stderr.flush()
    for line in sys.stdin:
        for message in answer(json.loads(line)):
            print(text(message), flush=True)


def envelope(message):
    return json.dumps({"session_id": bad("s"), "type": "mcp", "payload": json.loads(text(message))},
                      ensure_ascii=False)


async def board(port):
    import sockets
    async with sockets.dial(f"ws://127.0.0.1:{port}/", {
            "Device-Id": "aa:00:00:00:00:01", "Client-Id": "c-1"}, max_size=None) as ws:
        await ws.send(json.dumps({"type": "hello", "version": 1, "transport": "websocket",
                                  "features": {"mcp": True, bad("f"): bad("g")}, bad("x"): bad("y"),
                                  "audio_params": {"format": bad("opus"), "sample_rate": 16000,
                                                   "channels": 1, "frame_duration": 60}}))
        await ws.send(json.dumps({"type": "listen", "state": "detect", "text": bad("hi")},
                                 ensure_ascii=False))
        async for frame in ws:
            said = json.loads(frame)
            for message in answer(said.get("payload", {})):
                await ws.send(envelope(message))
            await ws.send(json.dumps({"type": bad("t"), "text": bad("u")}, ensure_ascii=False))


async def backend():
    import websockets

    async def serve(ws, *_):
        async for frame in ws:
            if isinstance(frame, str) and json.loads(frame).get("type") == "hello":
                await ws.send(json.dumps({"type": "hello", "transport": "websocket",
                                          "session_id": bad("s"), "audio_params": {}}))
                await ws.send(json.dumps({"type": bad("tts"), "text": bad("u")}))
                await ws.send(envelope({"id": 1, "method": bad("m"), "params": {bad("a"): bad("b")}}))
                await ws.send(bad("no JSON"))
    server = await websockets.serve(serve, "127.0.0.1", 0)
    print("port", server.sockets[0].getsockname()[1], flush=True)
    await asyncio.sleep(600)


if len(sys.argv) < 2:
    stdio()
elif sys.argv[1] == "listen":
    asyncio.run(backend())
else:
    asyncio.run(board(sys.argv[1]))
