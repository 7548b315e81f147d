# SPDX-License-Identifier: MIT
"""serve's socket for tests/cli/versions.bats: other_serve.py SOCKET GREETING.

Answers the first question of each command with GREETING, devices with one
device, names with one tool, stop by ending; it knows nothing else.
"""
import contextlib
import json
import os
import socket
import struct
import sys
import threading

DEVICE = {"id": "aa:01", "client_id": None, "alias": None, "board": "b",
          "version": "1", "transport": "websocket", "address": "10.0.0.1:5",
          "since": "2026-01-01T00:00:00Z", "seen": "2026-01-01T00:00:00Z",
          "state": "ready", "reason": None, "tools": 1, "user_tools": 0,
          "list": "00"}


def unknown(question):
    return {"op": "error", "error": {
        "kind": "protocol", "hint": "",
        "text": "serve knows no question '%s'" % question}}


def answers(op):
    if op == "devices":
        return [{"op": "device", "device": DEVICE}, {"op": "end", "count": 1}]
    if op == "names":
        return [{"op": "names", "tools": [["self.old", ""]], "count": 1,
                 "lists": ["00"]}]
    if op == "stop":
        return [{"op": "stopping"}]
    return [unknown(op)]


def frames(connection):
    data = b""
    while piece := connection.recv(65536):
        data += piece
        while len(data) >= 8:
            size = struct.unpack(">I", data[:4])[0] + 8
            if len(data) < size:
                break
            yield json.loads(data[8:size])
            data = data[size:]


def converse(connection, greeting):
    for question in frames(connection):
        op = question["op"]
        for answer in [greeting] if op == "greet" else answers(op):
            text = json.dumps(answer).encode()
            connection.sendall(struct.pack(">I", len(text)) + b"j\0\0\0" + text)
        if op == "stop":
            os._exit(0)


def serve(connection, greeting):
    with connection, contextlib.suppress(OSError):
        converse(connection, greeting)


def main(path, greeting):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    os.chmod(path, 0o600)
    listener.listen(8)
    print("listening", flush=True)
    while True:
        connection = listener.accept()[0]
        threading.Thread(target=serve, args=(connection, greeting), daemon=True).start()


main(sys.argv[1], json.loads(sys.argv[2]) if len(sys.argv) > 2
     else unknown("greet"))
