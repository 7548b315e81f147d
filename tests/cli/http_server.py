# SPDX-License-Identifier: MIT
"""A small MCP server over HTTP that misbehaves as its path says, byte by byte
under control. Prints its port; writes a JSON line for each request to the file
in argv[1] (method, path, headers, body, time). argv[2], argv[3]: certificate
and key, for TLS."""
import asyncio
import json
import os
import ssl
import sys
import time

LOG = open(sys.argv[1], "a", buffering=1)
TOOLS = [{"name": "echo", "description": "gives back what it gets",
          "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}},
         {"name": "read", "inputSchema": {"type": "object"},
          "annotations": {"readOnlyHint": True, "idempotentHint": True}}]
counts = {}
open_streams = {}


def answer(ask, revision="2025-06-18", **parts):
    method, params = ask["method"], ask.get("params") or {}
    if method == "initialize":
        result = {"protocolVersion": revision,
                  "capabilities": dict({"tools": {}, "resources": {"subscribe": True}}, **parts),
                  "serverInfo": {"name": "crooked", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": TOOLS}
    elif method == "tools/call":
        text = params.get("arguments", {}).get("text", "")
        result = {"content": [{"type": "text", "text": "echo: " + text}]}
    elif method in ("ping", "resources/subscribe", "resources/unsubscribe"):
        result = {}
    else:
        return {"jsonrpc": "2.0", "id": ask["id"],
                "error": {"code": -32601, "message": "unknown " + method}}
    return {"jsonrpc": "2.0", "id": ask["id"], "result": result}


def event(data, ident=None, kind=None, retry=None):
    lines = []
    if kind:
        lines.append("event: " + kind)
    if ident is not None:
        lines.append("id: " + ident)
    if retry is not None:
        lines.append("retry: %d" % retry)
    lines.append("data: " + (data if isinstance(data, str) else json.dumps(data)))
    return ("\n".join(lines) + "\n\n").encode()


class Exchange:
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    async def read(self):
        head = await self.reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        self.method, self.path, _ = first.split(" ", 2)
        self.headers = {}
        for line in lines:
            if ":" in line:
                name, value = line.split(":", 1)
                self.headers[name.strip().lower()] = value.strip()
        self.body = await self.reader.readexactly(int(self.headers.get("content-length", 0)))
        self.ask = json.loads(self.body) if self.body else None
        self.mode = self.path.strip("/").split("?")[0].split("/")[0]
        LOG.write(json.dumps({"time": time.time(), "method": self.method, "path": self.path,
                              "headers": self.headers, "body": self.body.decode(),
                              "connection": id(self.writer)}) + "\n")

    def head(self, status, kind=None, length=None, **headers):
        text = "HTTP/1.1 %d X\r\n" % status
        if kind:
            text += "Content-Type: %s\r\n" % kind
        if length is not None:
            text += "Content-Length: %d\r\n" % length
        for name, value in headers.items():
            text += "%s: %s\r\n" % (name.replace("_", "-"), value)
        self.writer.write((text + "\r\n").encode())

    async def reply(self, status, body=b"", kind="application/json", **headers):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.head(status, kind if body else None, len(body), **headers)
        self.writer.write(body)
        await self.writer.drain()

    async def result(self, **headers):
        if "id" not in self.ask:
            await self.reply(202)
        else:
            await self.reply(200, answer(self.ask), **headers)

    async def stream(self, *parts, close=True):
        self.head(200, "text/event-stream", Connection="close")
        for part in parts:
            self.writer.write(part)
            await self.writer.drain()
        if close:
            self.writer.close()


def is_call(e):
    return e.method == "POST" and e.ask.get("method") == "tools/call"


async def plain(e):
    if e.method == "GET":
        await e.reply(405)
    elif e.method == "DELETE":
        await e.reply(200)
    else:
        headers = {"Mcp_Session_Id": "s-1"} if e.ask["method"] == "initialize" else {}
        await e.result(**headers)


async def status(e, code, **headers):
    """The status for tools/call; everything else is good."""
    if is_call(e):
        await e.reply(code, b"no\n", "text/plain", **headers)
    else:
        await plain(e)


async def first_times(e, code, times, **headers):
    count = counts[e.path] = counts.get(e.path, 0) + is_call(e)
    if is_call(e) and count <= times:
        await e.reply(code, b"busy\n", "text/plain", **headers)
    else:
        await plain(e)


async def sse(e):
    if e.method != "POST" or "id" not in e.ask:
        return await plain(e)
    await e.stream(event({"jsonrpc": "2.0", "method": "notifications/message",
                          "params": {"level": "info", "data": "first"}}),
                   event(answer(e.ask)))


async def single_bytes(e):
    if e.method != "POST" or "id" not in e.ask:
        return await plain(e)
    e.head(200, "text/event-stream", Connection="close")
    for byte in b": hello\r\n\r\n" + event(answer(e.ask)):
        e.writer.write(bytes([byte]))
        await e.writer.drain()
        await asyncio.sleep(0)
    e.writer.close()


async def half(e):
    """Ends amid the event."""
    if not is_call(e):
        return await plain(e)
    await e.stream(event(answer(e.ask))[:-30])


async def no_answer(e):
    """An event, then the end, without an id to go on from."""
    if not is_call(e):
        return await plain(e)
    await e.stream(event({"jsonrpc": "2.0", "method": "notifications/message",
                          "params": {"level": "info", "data": "x"}}))


async def polled(e):
    """The stream is closed before the answer; it is fetched by GET after `retry`."""
    if is_call(e):
        open_streams["call"] = e.ask
        await e.stream(event("", ident="7", retry=400))
    elif e.method == "GET" and e.headers.get("last-event-id") == "7":
        await e.stream(event(answer(open_streams["call"]), ident="8"))
    else:
        await plain(e)


async def lost(e):
    """The session is unknown once, at the first call."""
    if is_call(e) and not counts.get("lost"):
        counts["lost"] = 1
        await e.reply(404, {"jsonrpc": "2.0", "id": None,
                            "error": {"code": -32001, "message": "Session not found"}})
    else:
        await plain(e)


async def old(e):
    """The transport of 2024-11-05."""
    if e.method == "GET":
        e.head(200, "text/event-stream")
        e.writer.write(event("/old/messages?id=1", kind="endpoint"))
        open_streams["old"] = e.writer
        await e.writer.drain()
        await asyncio.sleep(3600)
    elif "messages" in e.path:
        await e.reply(202, b"Accepted", "text/plain")
        if "id" in e.ask:
            open_streams["old"].write(event(answer(e.ask, "2024-11-05"), kind="message"))
            await open_streams["old"].drain()
    else:
        await e.reply(405)


async def foreign(e):
    """An endpoint on another host, where nothing may be sent."""
    if e.method == "GET":
        await e.stream(event("http://example.invalid/steal", kind="endpoint"), close=False)
        await asyncio.sleep(3600)
    else:
        await e.reply(404)


async def hang(e):
    if not is_call(e):
        return await plain(e)
    await asyncio.sleep(3600)


async def hang_up(e):
    """Takes a call, and closes the connection that was kept."""
    if not is_call(e):
        return await plain(e)
    e.writer.close()


async def exits(e):
    """Takes a call, and nobody is there any more."""
    if is_call(e):
        os._exit(0)
    await plain(e)


async def hang_stream(e):
    """Answers with a stream in which nothing comes."""
    if not is_call(e):
        return await plain(e)
    await e.stream(b": waiting\n\n", close=False)
    await asyncio.sleep(3600)


async def slow(e):
    """Progress, then the answer."""
    if not is_call(e):
        return await plain(e)
    token = e.ask["params"].get("_meta", {}).get("progressToken")
    e.head(200, "text/event-stream", Connection="close")
    for step in (1, 2, 3):
        e.writer.write(event({"jsonrpc": "2.0", "method": "notifications/progress",
                              "params": {"progressToken": token, "progress": step,
                                         "total": 3, "message": "step %d" % step}}))
        await e.writer.drain()
        await asyncio.sleep(1)
    e.writer.write(event(answer(e.ask)))
    await e.writer.drain()
    e.writer.close()


async def page(e):
    await e.reply(200, b"<!DOCTYPE html><title>A router</title>", "text/html")


async def redirect(e):
    await e.reply(307, Location="http://example.invalid/mcp")


async def not_json(e):
    await e.reply(200, b"{\"jsonrpc\":", "application/json")


async def big(e):
    if not is_call(e):
        return await plain(e)
    await e.reply(200, b"x" * (17 << 20))


async def batch(e):
    """2025-03-26: answers may come as an array; batch/REVISION: another, which has none."""
    if e.method == "POST" and e.ask.get("method") == "initialize":
        await e.reply(200, answer(e.ask, [*e.path.split("/"), "2025-03-26"][2]))
    elif e.method == "POST" and "id" in e.ask:
        await e.reply(200, [{"jsonrpc": "2.0", "method": "notifications/message",
                             "params": {"level": "info", "data": "in a batch"}}, answer(e.ask)])
    else:
        await plain(e)


async def revision(e):
    if e.method == "POST" and e.ask.get("method") == "initialize":
        await e.reply(200, answer(e.ask, e.path.split("/")[2]))
    else:
        await plain(e)


async def unavailable(e, code):
    """Errors of the LLM service, as a server that is none sends them."""
    count = counts[e.path] = counts.get(e.path, 0) + is_call(e)
    if is_call(e) and count <= 1:
        await e.reply(code, {"jsonrpc": "2.0", "id": e.ask["id"],
                             "error": {"code": -32001, "message": "not now",
                                       "data": {"retry_after": 1}}})
    else:
        await plain(e)


async def token(e):
    if e.headers.get("authorization") == "Bearer sesame":
        await plain(e)
    else:
        await e.reply(401, b"{}", WWW_Authenticate='Bearer realm="crooked", error="invalid_token"')


async def server_stream(e):
    """A GET stream that brings a notification."""
    if e.method != "GET":
        return await plain(e)
    e.head(200, "text/event-stream")
    e.writer.write(event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))
    await e.writer.drain()
    await asyncio.sleep(3600)


async def short_stream(e):
    """A GET stream that brings a notification and ends: True the first time."""
    counts[e.mode] = counts.get(e.mode, 0) + 1
    if counts[e.mode] > 1:
        return False
    await e.stream(event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"},
                         retry=100))
    return True


async def forgets(e):
    """The session is gone when the GET stream is taken up again."""
    if e.method != "GET":
        await plain(e)
    elif not await short_stream(e):
        await e.reply(404)


async def dies(e):
    if e.method != "GET":
        await plain(e)
    elif await short_stream(e):
        await asyncio.sleep(0.05)
        os._exit(0)


async def cut_initialize(e):
    """The answer to initialize is fetched by GET, which does not repeat the session id."""
    if e.method == "POST" and e.ask["method"] == "initialize":
        open_streams["initialize"] = e.ask
        e.head(200, "text/event-stream", Connection="close", Mcp_Session_Id="s-1")
        e.writer.write(event("", ident="1", retry=100))
        e.writer.close()
    elif e.headers.get("mcp-session-id") != "s-1":
        await e.reply(400)
    elif e.method == "GET" and e.headers.get("last-event-id") == "1":
        await e.stream(event(answer(open_streams["initialize"]), ident="2"))
    else:
        await plain(e)


async def endless(e):
    """Notifications are taken by an answer whose body never ends."""
    if e.method == "POST" and "id" not in e.ask:
        e.head(202)
        await e.writer.drain()
        await asyncio.sleep(3600)
    else:
        await plain(e)


async def logs(e, resources):
    """A call logs 1,000 lines to the GET stream, if that is there, and is answered."""
    if e.method == "GET":
        e.head(200, "text/event-stream")
        await e.writer.drain()
        open_streams["logs"] = e.writer
        await asyncio.sleep(3600)
    elif e.method == "POST" and e.ask["method"] == "initialize":
        open_streams.pop("logs", None)
        await e.reply(200, answer(e.ask, resources=resources, logging={} if resources else None),
                      Mcp_Session_Id="s-1")
    elif is_call(e):
        for line in range(1000):
            if "logs" in open_streams:
                open_streams["logs"].write(event({
                    "jsonrpc": "2.0", "method": "notifications/message",
                    "params": {"level": "error", "data": "line %d." % line}}))
        await plain(e)
    else:
        await plain(e)


async def loose(e):
    """JSON with a byte order mark, and an id that is a number all the same."""
    if not is_call(e):
        return await plain(e)
    reply = answer(e.ask)
    reply["id"] = float(reply["id"])
    await e.reply(200, b"\xef\xbb\xbf" + json.dumps(reply).encode())


MODES = {
    "json": plain, "sse": sse, "bytes": single_bytes, "half": half, "no-answer": no_answer,
    "polled": polled, "lost": lost, "old": old, "foreign": foreign, "hang": hang, "hang-up": hang_up,
    "exits": exits,
    "hang-stream": hang_stream, "slow": slow, "page": page, "redirect": redirect,
    "not-json": not_json, "big": big, "batch": batch, "revision": revision,
    "unavailable": lambda e: unavailable(e, 200),
    "unavailable503": lambda e: unavailable(e, 503), "token": token, "stream": server_stream,
    "forgets": forgets, "dies": dies, "cut-initialize": cut_initialize, "endless": endless,
    "loose": loose, "logs": lambda e: logs(e, {"subscribe": True}), "mute": lambda e: logs(e, {}),
    "s401": lambda e: e.reply(401), "s403": lambda e: e.reply(403),
    "s404": lambda e: e.reply(404, b"nothing here", "text/plain"),
    "call404": lambda e: status(e, 404), "call429": lambda e: status(e, 429),
    "call500": lambda e: status(e, 500), "call503": lambda e: status(e, 503),
    "busy": lambda e: first_times(e, 503, 2, Retry_After="1"),
    "once": lambda e: first_times(e, 429, 1),
}


async def serve(reader, writer):
    try:
        while not writer.is_closing():
            e = Exchange(reader, writer)
            await e.read()
            await MODES[e.mode](e)
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    tls = None
    if len(sys.argv) > 2:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(sys.argv[2], sys.argv[3])
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    print("port", server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Future()


asyncio.run(main())
