#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A board at a broker, step by step: board.py PORT CLIENT_ID STEP…

hello: a voice session; prints the udp object of the answer. Then UDP packets,
numbered from 1 in each session: audio, again (the last once more), gap (two
are lost), key (a wrong one), short (the length does not fit), junk (1,000 of
random bytes). mcp METHOD: wait for that request, and answer it with {}.
publish TEXT, size BYTES (a message of so many), sleep SECONDS. told TYPE: wait
for that device message, and print it; end: until the broker ends the connection.
"""
import json
import os
import socket
import struct
import subprocess
import sys
import time


class Board:
    def __init__(self, port, client_id):
        self.tcp = socket.create_connection(("127.0.0.1", port), 10)
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.offer = None
        self.number = 0
        self.last = b""
        variable = self.text("MQTT") + bytes([4, 2, 0, 240])
        self.packet(0x10, variable + self.text(client_id))
        if self.read()[0] != 0x20:
            sys.exit("no CONNACK")

    @staticmethod
    def text(value):
        data = value.encode()
        return struct.pack(">H", len(data)) + data

    def packet(self, head, body):
        size, rest = b"", len(body)
        while True:
            rest, low = rest >> 7, rest & 127
            size += bytes([low | (128 if rest else 0)])
            if not rest:
                break
        self.tcp.sendall(bytes([head]) + size + body)

    def publish(self, data):
        self.packet(0x30, self.text("device-server") + data)

    def exactly(self, count):
        data = b""
        while len(data) < count:
            piece = self.tcp.recv(count - len(data))
            if not piece:
                sys.exit("the broker ended the connection")
            data += piece
        return data

    def read(self):
        head, size, shift = self.exactly(1)[0], 0, 0
        while True:
            byte = self.exactly(1)[0]
            size |= (byte & 127) << shift
            shift += 7
            if not byte & 128:
                return head, self.exactly(size)

    def message(self, fits):
        while True:
            head, body = self.read()
            if head >> 4 != 3:
                continue
            skip = 2 + struct.unpack(">H", body[:2])[0]
            found = json.loads(body[skip:])
            if fits(found):
                return found

    def send(self, data, key=None, extra=b""):
        nonce = bytearray.fromhex(self.offer["nonce"])
        nonce[2:4] = struct.pack(">H", len(data))
        nonce[12:16] = struct.pack(">I", self.number)
        hidden = subprocess.run(
            ["openssl", "enc", "-aes-128-ctr", "-K", key or self.offer["key"],
             "-iv", bytes(nonce).hex()],
            input=data, stdout=subprocess.PIPE, check=True).stdout
        self.last = bytes(nonce) + hidden + extra
        self.udp.send(self.last)

    # ---- steps ----

    def hello(self):
        self.publish(b'{"type":"hello","version":3,"transport":"udp",'
                     b'"features":{"mcp":true},"audio_params":{"format":'
                     b'"opus","sample_rate":16000,"channels":1,'
                     b'"frame_duration":60}}')
        answer = self.message(lambda m: m.get("type") == "hello")
        self.offer = answer["udp"]
        self.session = answer["session_id"]
        self.number = 0
        self.udp.connect((self.offer["server"], self.offer["port"]))
        print(json.dumps(self.offer), flush=True)

    def audio(self):
        self.number += 1
        self.send(b"\xf8\xff\xfe")

    def again(self):
        self.udp.send(self.last)

    def gap(self):
        self.number += 2
        self.audio()

    def key(self):
        self.number += 1
        self.send(b"\xf8\xff\xfe", key="00" * 16)

    def short(self):
        self.number += 1
        self.send(b"\xf8\xff\xfe", extra=b"x")

    def junk(self):
        for size in range(1000):
            self.udp.send(os.urandom(size % 200))

    def end(self):
        self.message(lambda m: False)

    def goodbye(self):
        self.publish(json.dumps({"session_id": self.session,
                                 "type": "goodbye"}).encode())


def main():
    board = Board(int(sys.argv[1]), sys.argv[2])
    steps = iter(sys.argv[3:])
    for step in steps:
        if step == "publish":
            board.publish(next(steps).encode())
        elif step == "size":
            board.publish(b"x" * int(next(steps)))
        elif step == "sleep":
            time.sleep(float(next(steps)))
        elif step == "told":
            kind = next(steps)
            print(json.dumps(board.message(lambda m: m.get("type") == kind)),
                  flush=True)
        elif step == "mcp":
            method = next(steps)
            asked = board.message(lambda m: m.get("payload", {}).get("method")
                                  == method)["payload"]
            board.publish(json.dumps(
                {"session_id": "", "type": "mcp",
                 "payload": {"jsonrpc": "2.0", "id": asked["id"],
                             "result": {}}}).encode())
        else:
            getattr(board, step)()


main()
