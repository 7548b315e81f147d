#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Many strangers at one port, who hold what they were given.

crowd.py PORT [KIND COUNT]… : opens so many of each kind, says "there N", and
stays until it is ended. It says "sent N" at each hundred million bytes that they
sent in sum. What is closed is opened again, with --again. They come from so many
addresses as --from=N says, 127.0.1.1 and so on.
"""
import resource
import selectors
import socket
import struct
import sys
import time

KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"


def upgrade(number):
    return (
        "GET /xiaozhi/v1/ HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" + KEY +
        f"Device-Id: 66:00:00:00:{number >> 8:02x}:{number & 255:02x}\r\n\r\n"
    ).encode()


def post(path, length):
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        "Content-Type: multipart/form-data; boundary=x\r\n"
        f"Content-Length: {length}\r\n\r\n"
    ).encode()


def piece(size):
    """The beginning of a message of a megabyte, masked with zeros."""
    return struct.pack(">BBQI", 0x81, 0x80 | 127, 1 << 20, 0) + b" " * size


def publish(size):
    """A PUBLISH of MQTT to the topic "x", with so many bytes behind its head."""
    return (bytes([0x30, size & 127 | 128, size >> 7 & 127 | 128, size >> 14]) +
            b"\0\1x" + b" " * (size - 3))


QUESTION = (
    "POST /xiaozhi/ota/ HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    "Device-Id: 66:00:00:01:{:02x}:{:02x}\r\nContent-Length: 2\r\n\r\n{{}}"
)

# What each says at once; then it is silent, but for those below.
KINDS = {
    "idle": lambda n: b"",
    "head": lambda n: b"GET /xiaozhi/ota/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ",
    "body": lambda n: post("/xiaozhi/ota/", 60000) + b"x" * 30000,
    "upload": lambda n: post("/upload", 7 << 20) + b"x" * 500000,
    "silent": upgrade,
    "socket": lambda n: upgrade(n).replace(b"/xiaozhi/v1/", b"/ws"),
    "sse": lambda n: b"GET /sse HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n",
    "message": lambda n: upgrade(n) + piece(500000),
    "ask": lambda n: QUESTION.format(n >> 8, n & 255).encode(),
    "kept": lambda n: QUESTION.format(n >> 8, n & 255).encode(),
    "connect": lambda n: b"\x10\x10\x00\x04MQTT\x04\x02\x00\x3c\x00\x04%04x" % n,
    "publish": lambda n: KINDS["connect"](n) + publish(160000) * 2 + publish(240000)[:-1],
    "packet": lambda n: b"\x10\x10\x00\x04MQ",
    "stream": lambda n: b"GET /json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "drip": lambda n: post("/xiaozhi/ota/", 60000),
}
DRIP = 0.2  # seconds between two bytes of those that drip


class Stranger:
    sent = 0  # by all of them, in bytes

    def __init__(self, port, kind, number, selector, origins):
        self.address = ("127.0.0.1", port)
        at = number % origins if origins else 0
        self.origin = (f"127.0.{1 + at // 250}.{1 + at % 250}", 0) if origins else None
        self.kind, self.number, self.selector = kind, number, selector
        self.socket = None
        self.dial()

    def dial(self):
        self.rest = KINDS[self.kind](self.number)
        self.socket = socket.socket()
        self.socket.setblocking(False)
        if self.origin:
            self.socket.bind(self.origin)
        self.socket.connect_ex(self.address)
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self.rest else 0)
        self.selector.register(self.socket, events, self)

    def close(self):
        self.selector.unregister(self.socket)
        self.socket.close()
        self.socket = None

    def say(self, data):
        self.rest += data
        self.selector.modify(self.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, self)

    def drip(self):
        """A byte more, once all of it was said."""
        if self.socket and not self.rest:
            self.say(b"x")

    def on(self, events):
        """False: it was closed."""
        try:
            if events & selectors.EVENT_WRITE:
                sent = self.socket.send(self.rest)
                Stranger.sent += sent
                self.rest = self.rest[sent:]
                if not self.rest:
                    self.selector.modify(self.socket, selectors.EVENT_READ, self)
            if events & selectors.EVENT_READ:
                if not self.socket.recv(65536):
                    raise ConnectionError
                if self.kind == "ask":
                    self.say(KINDS["ask"](self.number))
        except BlockingIOError:
            return True
        except OSError:
            self.close()
            return False
        return True


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    again = "--again" in sys.argv
    origins = sum(int(a[7:]) for a in sys.argv if a.startswith("--from="))
    port, kinds = int(arguments[0]), arguments[1:]
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    selector = selectors.DefaultSelector()
    number = 0
    all_of_them = []
    for kind, count in zip(kinds[::2], kinds[1::2]):
        for _ in range(int(count)):
            number += 1
            all_of_them.append(Stranger(port, kind, number, selector, origins))
    dripping = [s for s in all_of_them if s.kind == "drip"]
    told = due = dripped = hundreds = 0
    away = []
    while True:
        for key, events in selector.select(0.1):
            if not key.data.on(events):
                away.append(key.data)
        if not told:
            told = 1
            print("there", number, flush=True)
        while hundreds < Stranger.sent // 100000000:
            hundreds += 1
            print("sent", hundreds * 100000000, flush=True)
        if time.monotonic() > dripped:
            dripped = time.monotonic() + DRIP
            for one in dripping:
                one.drip()
        if again and time.monotonic() > due:
            due = time.monotonic() + 0.2
            for one in away:
                one.dial()
            away.clear()


main()
