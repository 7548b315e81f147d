# SPDX-License-Identifier: MIT
"""A plain MCP server over WebSocket for tests/cli: tools_peer.py TOOLS-FILE.

The file holds a tool a line, and is read anew for each listing. A call is
answered with its arguments."""
import asyncio
import json
import sys

import websockets


def result(ask):
    if ask["method"] == "tools/list":
        with open(sys.argv[1], encoding="utf-8") as lines:
            return {"tools": [json.loads(line) for line in lines]}
    if ask["method"] == "tools/call":
        text = json.dumps(ask["params"]["arguments"], ensure_ascii=False)
        return {"content": [{"type": "text", "text": text}]}
    return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "peer", "version": "1"}}


async def serve(ws, _path=None):
    async for text in ws:
        ask = json.loads(text)
        if "id" in ask:
            await ws.send(json.dumps({"jsonrpc": "2.0", "id": ask["id"],
                                      "result": result(ask)}))


async def main():
    server = await websockets.serve(serve, "127.0.0.1", 0, close_timeout=0.1)
    print("port", server.sockets[0].getsockname()[1], flush=True)
    await asyncio.sleep(120)

asyncio.run(main())
