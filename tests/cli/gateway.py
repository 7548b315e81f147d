# SPDX-License-Identifier: MIT
"""A backend that is its own broker, as the official gateway: gateway.py HABIT.

It writes PUBLISH to a board that never subscribes. Habits are the functions
below; prints "port N", then what boards do.
"""
import json
import socketserver
import sys

HELLO = {"type": "hello", "transport": "udp", "session_id": "s-1",
         "udp": {"server": "127.0.0.1", "port": 9,
                 "key": "00112233445566778899aabbccddeeff",
                 "nonce": "0100000000112233445566778899aabb"}}
SPEECH = [{"type": "stt", "text": "turn on the \x1b[31mlamp"},
          {"type": "llm", "emotion": "happy"},
          {"type": "tts", "state": "start"},
          {"type": "tts", "state": "sentence_start", "text": "Done."},
          {"type": "tts", "state": "sentence_start", "text": "More?"},
          {"type": "tts", "state": "stop"}]


class Gone(Exception):
    pass


class Board(socketserver.StreamRequestHandler):
    def packet(self):
        head = self.rfile.read(1)
        length, shift = 0, 0
        while head:
            byte = self.rfile.read(1)
            if not byte:
                break
            length |= (byte[0] & 127) << shift
            shift += 7
            if byte[0] < 128:
                return head[0] >> 4, self.rfile.read(length)
        raise Gone

    def heard(self):
        """The next message of the board."""
        while True:
            kind, body = self.packet()
            if kind == 14:
                print("disconnect", flush=True)
                raise Gone
            if kind == 8:
                print("subscribe", flush=True)
            if kind == 3:
                skip = 2 + int.from_bytes(body[:2], "big")
                text = body[skip:].decode()
                print(body[2:skip].decode(), text[:200], flush=True)
                return json.loads(text)

    def say(self, message):
        text = json.dumps(message).encode()
        body = b"\0\4down" + text
        length, left = b"", len(body)
        while True:
            length += bytes([(left & 127) | (128 if left > 127 else 0)])
            left >>= 7
            if not left:
                break
        self.wfile.write(b"\x30" + length + body)
        self.wfile.flush()

    def ask(self, number, method, params):
        self.say({"type": "mcp", "payload": {
            "jsonrpc": "2.0", "id": number, "method": method,
            "params": params}})
        while True:
            message = self.heard()
            if message["type"] == "mcp" and message["payload"]["id"] == number:
                return message["payload"].get("result", {})

    def opening(self):
        self.ask(10000, "initialize", {
            "protocolVersion": "2024-11-05", "capabilities": {},
            "clientInfo": {"name": "xiaozhi-mqtt-client", "version": "1.0.0"}})
        self.say({"type": "mcp", "payload": {
            "jsonrpc": "2.0", "method": "notifications/initialized"}})

    def lists(self):
        more, number = {}, 10001
        while True:
            page = self.ask(number, "tools/list", more)
            number += 1
            if "nextCursor" not in page:
                return
            more = {"cursor": page["nextCursor"]}

    def greets(self, hello):
        while self.heard()["type"] != "hello":
            pass
        self.say(hello)

    def waits(self):
        while True:
            self.heard()

    def handle(self):
        kind, body = self.packet()
        assert kind == 1
        text = body.decode("latin-1")
        print("connect", "".join(c if c.isprintable() else " " for c in text),
              flush=True)
        habit = globals()[sys.argv[1]]
        try:
            if habit not in (refuses, leaves, never):
                self.wfile.write(b"\x20\2\0\0")
            habit(self)
        except (Gone, OSError):
            pass


def good(b):
    b.opening()
    b.lists()
    b.greets(HELLO)
    b.waits()


def talks(b):
    b.opening()
    b.lists()
    b.greets(HELLO)
    while b.heard().get("state") != "detect":
        pass
    b.say(SPEECH[0])
    b.ask(10100, "tools/call", {"name": "self.canary.two", "arguments": {}})
    b.ask(10101, "tools/call", {"name": "self_a_b", "arguments": {}})
    for message in SPEECH[1:]:
        b.say(message)
    b.waits()


def first_page(b):
    b.opening()
    b.ask(10001, "tools/list", {})
    b.greets(HELLO)
    b.waits()


def no_session(b):
    b.opening()
    b.lists()
    b.waits()


def odd_hello(b):
    b.greets({**HELLO, "udp": {**HELLO["udp"], "port": "9"}})
    b.waits()


def silent(b):
    b.waits()


def closes(b):
    del b


def refuses(b):
    b.wfile.write(b"\x20\2\0\5")


def leaves(b):
    del b


def never(b):
    b.waits()


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


with Server(("127.0.0.1", 0), Board) as server:
    print("port", server.server_address[1], flush=True)
    server.serve_forever()
