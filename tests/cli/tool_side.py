# SPDX-License-Identifier: MIT
"""An MCP server that dials an access point, says nothing, and waits to be asked, as
mcp_pipe does: tool_side.py URL [NAME [WAY]]. It has one tool, add. What it hears is
written to stdout, and how it ended. WAY: "slow-board" is a board, which says hello
only when it was asked without; "device-id" shows one; "mute" answers nothing. URL
"-": over stdin and stdout; NAME "long": its results are."""
import asyncio
import json
import sys

import websockets.exceptions

from sockets import Refused, dial, status

URL = sys.argv[1]
NAME = sys.argv[2] if len(sys.argv) > 2 else "calc"
WAY = sys.argv[3] if len(sys.argv) > 3 else ""
SCHEMA = {"type": "object", "required": ["a", "b"],
          "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
HELLO = {"type": "hello", "version": 1, "transport": "websocket",
         "features": {"mcp": True}}


def result(method, params):
    if method == "initialize":
        return {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}},
                "serverInfo": {"name": NAME, "version": "1"}}
    if method == "tools/list":
        return {"tools": [{"name": "add", "description": "adds", "inputSchema": SCHEMA}]}
    if method == "tools/call":
        text = str(params["arguments"]["a"] + params["arguments"]["b"])
        if NAME == "long":
            text = "x" * 20000
        return {"content": [{"type": "text", "text": text}], "isError": False}
    return {}


def answer(message):
    """What is said to that; None: nothing."""
    asked = message.get("payload", message)
    if "id" not in asked or "method" not in asked or WAY == "mute":
        return None
    if WAY == "slow-board" and "payload" not in message:
        return HELLO if asked["method"] == "initialize" else None
    reply = {"jsonrpc": "2.0", "id": asked["id"],
             "result": result(asked["method"], asked.get("params", {}))}
    return {"type": "mcp", "payload": reply} if "payload" in message else reply


async def talk():
    headers = {"Device-Id": "02:00:00:00:00:0b"} if WAY == "device-id" else {}
    try:
        async with dial(URL, headers) as ws:
            try:
                async for text in ws:
                    print("<", text, flush=True)
                    reply = answer(json.loads(text))
                    if reply:
                        await ws.send(json.dumps(reply))
            except websockets.exceptions.ConnectionClosed:
                pass
            print("closed", ws.close_code, ws.close_reason, flush=True)
    except Refused as refused:
        print("refused", status(refused), flush=True)


def main():
    if URL != "-":
        asyncio.run(talk())
        return
    for line in sys.stdin:
        reply = answer(json.loads(line))
        if reply:
            print(json.dumps(reply), flush=True)


main()
