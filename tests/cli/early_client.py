# SPDX-License-Identifier: MIT
"""early_client.py PORT PATH COUNT: so many requests with X-Early, each of another
session: half of one, its answer, the rest; then a whole one on the same connection,
whose answer's body is printed."""
import socket
import sys

PORT, PATH, COUNT = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
line = socket.create_connection(("127.0.0.1", PORT), timeout=30)
answers = line.makefile("rb")


def head(body, *more):
    return "\r\n".join(["POST %s HTTP/1.1" % PATH, "Host: 127.0.0.1:%d" % PORT,
                        "Device-Id: 02:00:00:00:00:01", "Content-Type: application/json",
                        "Content-Length: %d" % len(body), *more, "", ""]).encode()


def answer():
    status, size = answers.readline(), 0
    while field := answers.readline().strip():
        if field.lower().startswith(b"content-length:"):
            size = int(field.split(b":")[1])
    return status, answers.read(size)


SAYS = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}' + b" " * 70000
for i in range(COUNT):
    line.sendall(head(SAYS, "X-Early: 413 Content Too Large", "Mcp-Session-Id: s%d" % i) + SAYS[:66000])
    status, _ = answer()
    assert b" 413 " in status, status
    line.sendall(SAYS[66000:])
LAST = b'{"jsonrpc":"2.0","id":7,"method":"ping"}'
line.sendall(head(LAST, "Mcp-Session-Id: last") + LAST)
status, body = answer()
assert b" 200 " in status, status
print(body.decode())
