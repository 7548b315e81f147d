# SPDX-License-Identifier: MIT
"""An access point as mcp-endpoint-server is one (backends.md 3): access_point.py ORDERS
[TOKEN...] prints its port. Tool sides dial /mcp_endpoint/mcp/?token=T, robots
/mcp_endpoint/call/?token=T. Ids become texts on their way to the tool side. What
tool sides say is written to stdout, a line each. Lines of the pipe ORDERS: "say T
TEXT" sends TEXT to the tool side of T, "close T CODE REASON" ends its connection."""
import asyncio
import json
import sys
import urllib.parse
import uuid

import websockets
import websockets.exceptions

TOKENS = set(sys.argv[2:] or ["good"])
NO_TOOL_SIDE = "工具端未连接"
tools, robots, asked = {}, {}, {}


def say(*words):
    print(*words, flush=True)


def path_of(ws):
    return ws.path if hasattr(ws, "path") else ws.request.path


async def tool_side(ws, token):
    older = tools.get(token)
    tools[token] = ws
    say("joined", token)
    if older:
        await older.close(1000, "新连接替换")
    async for text in ws:
        say("tool", text)
        try:
            message = json.loads(text)
        except ValueError:
            continue
        robot, own = asked.pop(str(message.get("id")), (None, None))
        if robot:
            message["id"] = own
            await robot.send(json.dumps(message))
    say("left", token, ws.close_code, ws.close_reason or "-")
    if tools.get(token) is ws:
        del tools[token]


async def robot(ws, token):
    name = str(uuid.uuid4())
    async for text in ws:
        message = json.loads(text)
        side = tools.get(token)
        if not side:
            if "id" in message:
                await ws.send(json.dumps({
                    "jsonrpc": "2.0", "id": message["id"], "result": None,
                    "error": {"code": -32001, "message": NO_TOOL_SIDE, "data": None}}))
            continue
        if "id" in message:
            own = message["id"]
            message["id"] = f"{name}_n_{own}"
            asked[message["id"]] = (ws, own)
        await side.send(json.dumps(message))


async def serve(ws, *_):
    where = urllib.parse.urlsplit(path_of(ws))
    token = urllib.parse.parse_qs(where.query).get("token", [""])[0]
    if token not in TOKENS:
        await ws.close(1008, "token解密失败")
        return
    try:
        await (robot if "/call/" in where.path else tool_side)(ws, token)
    except websockets.exceptions.ConnectionClosed:
        say("left", token, ws.close_code, ws.close_reason or "-")
        if tools.get(token) is ws:
            del tools[token]


async def orders():
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), open(sys.argv[1], "r+b", 0))
    while line := await lines.readline():
        word, token, rest = line.decode().rstrip("\n").split(" ", 2)
        if word == "say":
            await tools[token].send(rest)
        else:
            code, reason = rest.split(" ", 1)
            await tools[token].close(int(code), reason)


async def main():
    server = await websockets.serve(serve, "127.0.0.1", 0)
    say(server.sockets[0].getsockname()[1])
    await orders()
    await asyncio.Event().wait()

asyncio.run(main())
