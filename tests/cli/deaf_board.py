# SPDX-License-Identifier: MIT
"""A board that never answers one method: deaf_board.py PORT METHOD. To initialize it
says what a board does, to all else that it is not known."""
import base64
import json
import os
import socket
import struct
import sys


class Board:
    def __init__(self, port):
        self.tcp = socket.create_connection(("127.0.0.1", port))
        key = base64.b64encode(os.urandom(16)).decode()
        self.tcp.sendall((
            f"GET /xiaozhi/v1/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
            "Protocol-Version: 1\r\nDevice-Id: 02:00:00:00:00:07\r\n\r\n").encode())
        self.came = self.tcp.makefile("rb")
        while self.came.readline().strip():
            pass

    def send(self, data, opcode=1):
        size = (bytes([0x80 | len(data)]) if len(data) < 126
                else struct.pack(">BH", 0x80 | 126, len(data)))
        self.tcp.sendall(bytes([0x80 | opcode]) + size + bytes(4) + data)

    def say(self, **message):
        self.send(json.dumps(message).encode())

    def messages(self):
        while head := self.came.read(2):
            size = head[1] & 127
            if size == 126:
                size = struct.unpack(">H", self.came.read(2))[0]
            data = self.came.read(size)
            if head[0] & 15 == 9:
                self.send(data, 10)
            elif head[0] & 15 == 1:
                yield json.loads(data)


def main():
    board = Board(int(sys.argv[1]))
    board.say(type="hello", version=1, transport="websocket", features={"mcp": True})
    for message in board.messages():
        asked = message.get("payload", {})
        answer = {"jsonrpc": "2.0", "id": asked.get("id")}
        if "id" not in asked or asked["method"] == sys.argv[2]:
            continue
        if asked["method"] == "initialize":
            answer["result"] = {"protocolVersion": "2024-11-05",
                                "capabilities": {"tools": {}},
                                "serverInfo": {"name": "board", "version": "1"}}
        else:
            answer["error"] = {"code": -32601, "message": "not known"}
        board.say(session_id=message.get("session_id", ""), type="mcp", payload=answer)


main()
