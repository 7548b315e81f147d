# SPDX-License-Identifier: MIT
"""A plain MCP server for tests/cli/shell_terminal.bats: peer.py ORDERS LOG.

Prints its port; orders are lines of the fifo ORDERS: say NAME, storm COUNT
RATE, device TYPE, drop. What it receives goes to LOG, a line a message.
"""
import asyncio
import json
import sys

import websockets

TOOLS = [
    {"name": "echo", "description": "Says it again.", "inputSchema": {
        "type": "object", "properties": {"text": {"type": "string"}}}},
    {"name": "slow.one", "description": "Never answers.",
     "inputSchema": {"type": "object", "properties": {}}},
    {"name": "slow.two", "description": "Never answers either.",
     "inputSchema": {"type": "object", "properties": {}}},
]
clients = set()


def answer(message):
    method, params = message.get("method"), message.get("params", {})
    if method == "initialize":
        return {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}},
                "serverInfo": {"name": "plain-server", "version": "1.0"}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call" and params["name"] == "echo":
        text = params.get("arguments", {}).get("text", "")
        return {"content": [{"type": "text", "text": text}]}
    return None if method == "tools/call" else {}


async def serve(ws, log):
    clients.add(ws)
    try:
        async for text in ws:
            log.write(text + "\n")
            log.flush()
            message = json.loads(text)
            result = answer(message) if "id" in message else None
            if result is not None:
                await ws.send(json.dumps(
                    {"jsonrpc": "2.0", "id": message["id"], "result": result}))
    finally:
        clients.discard(ws)


async def notify(name):
    text = json.dumps({"jsonrpc": "2.0", "method": "notifications/" + name,
                       "params": {"n": 1}})
    for ws in list(clients):
        await ws.send(text)


async def storm(count, rate):
    start, loop = 0, asyncio.get_event_loop()
    began = loop.time()
    while start < count:
        await notify("storm")
        start += 1
        ahead = start / rate - (loop.time() - began)
        if ahead > 0.005:
            await asyncio.sleep(ahead)
        elif start % 50 == 0:
            await asyncio.sleep(0)


async def obey(path):
    while True:
        line = await asyncio.to_thread(lambda: open(path).read())
        for order in line.splitlines():
            words = order.split()
            if words[0] == "say":
                await notify(words[1])
            elif words[0] == "storm":
                await storm(int(words[1]), int(words[2]))
            elif words[0] == "drop":
                for ws in list(clients):
                    ws.transport.abort()


async def main():
    with open(sys.argv[2], "w") as log:
        server = await websockets.serve(
            lambda ws, *_: serve(ws, log), "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        await obey(sys.argv[1])


asyncio.run(main())
