#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A board whose camera has habits: camera_board.py URL DEVICE_ID NAME

Its pictures are JPEG by their first bytes, then NAME and a number. What it does
with a call of take_photo is its question: plain (a picture, whose answer is the
result), first, last (two pictures, and the answer to that one), none (no picture),
own (a picture, and words of its own), old (no picture, and the answer to the
first picture of all), png, gif, empty, SIZE (a picture of so many bytes, and the
answer or, if it was not taken, its status), stranger (of others: with a wrong
token, in the name of another board, and then none of its own), wait (as plain, when
a call of after came), after (as plain, when the answer to wait has gone).
"""
import asyncio
import json
import sys
import threading
import urllib.parse
import http.client

import sockets

STARTS = {"png": b"\x89PNG\r\n\x1a\n", "gif": b"GIF89a"}


class Camera:
    def __init__(self, device_id, name):
        self.device_id = device_id
        self.name = name
        self.count = 0
        self.vision = None
        self.first = None
        self.came, self.gone = threading.Event(), threading.Event()

    def picture(self, kind="", size=0):
        self.count += 1
        text = ("%s %d " % (self.name, self.count)).encode()
        return (STARTS.get(kind, b"\xff\xd8\xff\xe0") + text).ljust(size, b".")

    def upload(self, data, token=None, device_id=None):
        """As firmware does it; status and body."""
        url = urllib.parse.urlsplit(self.vision["url"])
        line = "----ESP32_CAMERA_BOUNDARY"
        body = (("--%s\r\nContent-Disposition: form-data; name=\"question\"\r\n\r\n?\r\n"
                 "--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"camera.jpg\"\r\n"
                 "Content-Type: image/jpeg\r\n\r\n" % (line, line)).encode()
                + data + ("\r\n--%s--\r\n" % line).encode())
        c = http.client.HTTPConnection(url.hostname, url.port, timeout=30)
        c.request("POST", url.path, body, {
            "Authorization": "Bearer " + (token or self.vision["token"]),
            "Device-Id": device_id or self.device_id, "Client-Id": "c-" + self.name,
            "Content-Type": "multipart/form-data; boundary=" + line})
        answer = c.getresponse()
        said = answer.read().decode()
        if answer.status == 200 and self.first is None:
            self.first = said
        return answer.status, said

    def take(self, what):
        """The text of the result."""
        if what == "wait":
            self.came.wait()
            self.came.clear()
        if what == "after":
            self.came.set()
            self.gone.wait()
            self.gone.clear()
        if what in ("plain", "png", "gif", "wait", "after"):
            return self.upload(self.picture(what))[1]
        if what in ("first", "last"):
            both = [self.upload(self.picture())[1] for _ in range(2)]
            return both[what == "last"]
        if what == "own":
            self.upload(self.picture())
            return "a cat"
        if what == "old":
            return self.first
        if what == "empty":
            return "%d" % self.upload(b"")[0]
        if what == "stranger":
            mine = self.picture()
            said = [self.upload(mine, token="0" * 32), self.upload(mine, device_id="02:00:00:00:00:99")]
            return " ".join("%d" % status for status, _ in said)
        if what.isdigit():
            status, said = self.upload(self.picture(size=int(what)))
            return said if status == 200 else "%d" % status
        return "no picture"


def tool(name, question):
    return {"name": name, "description": "Takes a picture.",
            "inputSchema": {"type": "object", "required": ["question"],
                            "properties": {"question": {"type": "string"}}} if question
            else {"type": "object", "properties": {}}}


async def main(url, device_id, name):
    camera = Camera(device_id, name)
    async with sockets.dial(url, {"Device-Id": device_id, "Client-Id": "c-" + name,
                                  "Protocol-Version": "1"}) as ws:
        await ws.send(json.dumps({"type": "hello", "version": 1, "features": {"mcp": True},
                                  "transport": "websocket", "audio_params": {
                                      "format": "opus", "sample_rate": 16000, "channels": 1,
                                      "frame_duration": 60}}))
        session = ""

        async def called(asked):
            what = asked["params"]["arguments"].get("question", "status")
            text = await asyncio.get_running_loop().run_in_executor(None, camera.take, what)
            await reply(asked, {"content": [{"type": "text", "text": text}], "isError": False})
            if what == "wait":
                camera.gone.set()

        async def reply(asked, result):
            await ws.send(json.dumps({"session_id": session, "type": "mcp", "payload": {
                "jsonrpc": "2.0", "id": asked["id"], "result": result}}))

        calls = []
        while True:
            message = json.loads(await ws.recv())
            session = message.get("session_id", session)
            if message["type"] != "mcp" or "id" not in message["payload"]:
                continue
            asked = message["payload"]
            result = {}
            if asked["method"] == "initialize":
                camera.vision = asked["params"]["capabilities"].get("vision")
                result = {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}},
                          "serverInfo": {"name": name, "version": "2.0.0"}}
            elif asked["method"] == "tools/list":
                result = {"tools": [tool("self.camera.take_photo", True), tool("self.get_device_status", False)]}
            elif asked["method"] == "tools/call":
                calls.append(asyncio.create_task(called(asked)))
                continue
            await reply(asked, result)


asyncio.run(main(*sys.argv[1:]))
