# SPDX-License-Identifier: MIT
"""A backend for tests/cli/sim.bats: backend.py HABIT [CERTIFICATE KEY]."""
import asyncio
import json
import ssl
import sys

import sockets
import websockets

seen = False
HABITS = {"pinging": {"ping_interval": 0.2, "ping_timeout": 0.2},
          "small": {"max_size": 185}}
HELLO = {"type": "hello", "transport": "websocket", "session_id": "s"}


async def say(ws, message):
    await ws.send(json.dumps(message))


async def mcp(ws, payload, session="s"):
    message = {"type": "mcp", "payload": {"jsonrpc": "2.0", **payload}}
    if session is not None:
        message["session_id"] = session
    await say(ws, message)


async def answer(ws):
    while True:
        text = await asyncio.wait_for(ws.recv(), 5)
        if isinstance(text, str) and '"mcp","payload"' in text:
            return text


async def sloppy(ws):
    await mcp(ws, {"id": 0, "method": "initialize"}, None)
    await say(ws, HELLO)
    await answer(ws)
    await mcp(ws, {"id": 1, "method": "tools/list", "params": {"cursor": ""}})
    await answer(ws)
    await mcp(ws, {"id": 1, "method": "tools/call",
                   "params": {"name": "self.get_device_status"}})
    await answer(ws)


async def careful(ws):
    await say(ws, HELLO)
    await mcp(ws, {"id": 1, "method": "initialize"})
    await answer(ws)
    await mcp(ws, {"method": "notifications/initialized"})
    await mcp(ws, {"id": 2, "method": "tools/list"})
    await answer(ws)


async def orderly(ws):
    """As careful, and one ping."""
    await careful(ws)
    await mcp(ws, {"id": 3, "method": "ping"})
    await answer(ws)


async def silent(ws):
    await say(ws, HELLO)
    await asyncio.sleep(30)


async def denies(ws):
    await ws.send("认证失败")


async def errs(ws):
    await say(ws, {"type": "error", "message": "no such \x1b[31mboard"})


async def mute(ws):
    await asyncio.sleep(0)


async def curt(ws):
    """A Close that has no code."""
    ws.transport.write(b"\x88\0")
    await ws.wait_closed()


async def wordless(ws):
    await ws.wait_closed()


async def foreign(ws):
    """A hello that boards ignore, and goes on."""
    await say(ws, {**HELLO, "transport": "udp"})
    await mcp(ws, {"id": 1, "method": "initialize"})
    await ws.wait_closed()


async def looping(ws):
    """Asks for the first page over and over, and makes calls that fail."""
    await say(ws, HELLO)
    await mcp(ws, {"id": 1, "method": "initialize"})
    await answer(ws)
    for i in range(2, 102):
        await mcp(ws, {"id": i, "method": "tools/list",
                       "params": {"cursor": "self.fill.t001"}})
        await answer(ws)
    await mcp(ws, {"id": 200, "method": "tools/call",
                   "params": {"name": "self.audio_speaker.set_volume",
                              "arguments": {"volume": 101}}})
    await answer(ws)
    await mcp(ws, {"id": "x", "method": "tools/call",
                   "params": {"name": "self.get_device_status"}})
    await asyncio.sleep(0.2)


async def forgetful(ws):
    await say(ws, {"type": "hello", "session_id": "s"})
    await say(ws, HELLO)
    await say(ws, {"type": "notify", "audio_url": "http://h/a.mp3",
                   "subtitles": [{"start_ms": 0, "text": "T"}]})
    await mcp(ws, {"id": 1, "method": "initialize"})
    await answer(ws)


async def known(ws):
    """Lists all, with the habits of the Python server."""
    await say(ws, HELLO)
    await mcp(ws, {"id": 1, "method": "initialize", "params": {
        "protocolVersion": "2024-11-05", "capabilities": {},
        "clientInfo": {"name": "XiaozhiClient", "version": "1.0.0"}}}, None)
    await answer(ws)
    more = {}
    while more is not None:
        await mcp(ws, {"id": 2, "method": "tools/list", "params": more}, None)
        result = json.loads(await answer(ws))["payload"]["result"]
        cursor = result.get("nextCursor")
        more = {"cursor": cursor} if cursor else None
    await asyncio.sleep(30)


async def state(ws, wanted):
    while True:
        text = await asyncio.wait_for(ws.recv(), 5)
        if isinstance(text, str) and f'"state":"{wanted}"' in text:
            return


async def talks(ws):
    """Lists all; what a user says makes it call a slow tool and speak."""
    await say(ws, HELLO)
    await mcp(ws, {"id": 1, "method": "initialize"})
    await answer(ws)
    await mcp(ws, {"id": 2, "method": "tools/list"})
    cursor = json.loads(await answer(ws))["payload"]["result"]["nextCursor"]
    await mcp(ws, {"id": 3, "method": "tools/list", "params": {"cursor": cursor}})
    await answer(ws)
    await state(ws, "detect")
    await say(ws, {"type": "stt", "text": "how \x1b[31mare you"})
    await mcp(ws, {"id": 4, "method": "tools/call",
                   "params": {"name": "self.canary.slow", "arguments": {}}})
    await asyncio.wait_for(ws.recv(), 15)
    await say(ws, {"type": "llm", "emotion": "happy"})
    await say(ws, {"type": "tts", "state": "start"})
    # White space before it is JSON, too.
    await ws.send("\n " + json.dumps(
        {"type": "tts", "state": "sentence_start", "text": "Well."}))
    await say(ws, {"type": "tts", "state": "stop"})
    await asyncio.sleep(30)


async def deaf(ws):
    """Lists all, and ends the connection when a user says something."""
    await say(ws, HELLO)
    await state(ws, "detect")


async def cuts(ws):
    """Hangs up when nobody speaks."""
    await say(ws, HELLO)
    await mcp(ws, {"id": 1, "method": "initialize"})
    await answer(ws)
    await asyncio.sleep(0.3)


async def unlisted(ws):
    await say(ws, HELLO)
    await mcp(ws, {"id": 1, "method": "tools/list"})
    await answer(ws)
    await asyncio.sleep(30)


async def shooting(ws):
    """An optional argument of the wrong type, and one that is null."""
    await careful(ws)
    for i, quality in (3, None), (4, "high"):
        await mcp(ws, {"id": i, "method": "tools/call", "params": {
            "name": "self.screen.snapshot",
            "arguments": {"url": "http://127.0.0.1:1/", "quality": quality}}})
        await answer(ws)


async def pinging(ws):
    """Is there until it is cut for want of a Pong."""
    await careful(ws)
    await ws.wait_closed()


async def once(ws):
    """Lets the first one in, and nobody after it."""
    global seen
    if seen:
        await ws.send("认证失败")
        return
    seen = True
    await careful(ws)


async def small(ws):
    await say(ws, HELLO)
    await mcp(ws, {"id": 1, "method": "initialize"})
    await ws.wait_closed()


async def clipped(ws):
    """As careful, with sound of which the second packet has no whole head."""
    await careful(ws)
    await ws.send(b"\0\0\0\1x")
    await ws.send(b"\0")
    await mcp(ws, {"id": 3, "method": "ping"})
    await answer(ws)


async def barred(ws):
    await ws.close(1008, "no such agent")


async def crashing(ws):
    await say(ws, {"type": "hello", "session_id": "s"})
    await ws.wait_closed()


async def serve(ws, _path=None):
    print("device", sockets.heard(ws)["Device-Id"], flush=True)
    await ws.recv()
    await globals()[sys.argv[1]](ws)


async def main():
    tls = None
    if sys.argv[2:]:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*sys.argv[2:])
    server = await websockets.serve(serve, "127.0.0.1", 0, close_timeout=0.1,
                                    ssl=tls, **HABITS.get(sys.argv[1], {}))
    print("port", server.sockets[0].getsockname()[1], flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
