#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Requests that can be read in two ways: two_ways.py PORT [FIRST]. Each must be
answered 400, and the connection closed without a word about what stands behind
it. FIRST: a good request that keeps the connection, in front of it."""
import concurrent.futures, socket, sys
port, first = int(sys.argv[1]), len(sys.argv) > 2
good = b"POST /nothing HTTP/1.1\r\nHost: a.localhost\r\nContent-Length: 2\r\n\r\n{}"
inner = b"GET /smuggled HTTP/1.1\r\nHost: a.localhost\r\n\r\n"
post = b"POST /nothing HTTP/1.1\r\n"
host = b"Host: a.localhost\r\n"
requests = {
    "both": post + host + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "both, other order": post + host + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "two": post + host + b"Content-Length: 0\r\nContent-Length: %d\r\n\r\n" % len(inner),
    "two, the same": post + host + b"Content-Length: 0\r\nContent-Length: 0\r\n\r\n",
    "list": post + host + b"Content-Length: 0, 0\r\n\r\n",
    "signed": post + host + b"Content-Length: +0\r\n\r\n",
    "negative": post + host + b"Content-Length: -1\r\n\r\n",
    "no number": post + host + b"Content-Length: zero\r\n\r\n",
    "huge": post + host + b"Content-Length: 99999999999999999999999\r\n\r\n",
    "blank": post + host + b"Content-Length : 0\r\n\r\n",
    "no host": post + b"Content-Length: 0\r\n\r\n",
    "two hosts": post + host + host + b"Content-Length: 0\r\n\r\n",
    "other hosts": post + host + b"Host: 127.0.0.1\r\nContent-Length: 0\r\n\r\n",
    "no host in it": post + b"Host: a b\r\nContent-Length: 0\r\n\r\n",
    "another in the target": b"POST http://127.0.0.1/nothing HTTP/1.1\r\n" + host + b"Content-Length: 0\r\n\r\n",
    "encoding": post + host + b"Transfer-Encoding: identity\r\n\r\n",
    "encodings": post + host + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "1.0 chunked": b"POST /nothing HTTP/1.0\r\n" + host + b"Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n0\r\n\r\n",
    "upgrade with another in the target": b"GET http://127.0.0.1/ HTTP/1.1\r\n" + host + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    "upgrade without a host": b"GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
}

def read_answer(s):
    f = s.makefile("rb")
    lines = [f.readline()]
    while lines[-1] not in (b"\r\n", b""):
        lines.append(f.readline())
    f.read(next(int(l.split(b":")[1]) for l in lines if l.lower().startswith(b"content-length")))
    return lines[0]

def read_all(s):
    answer = b""
    while part := s.recv(4096):
        answer += part
    return answer

def is_bad(name):
    s = socket.create_connection(("127.0.0.1", port))
    s.settimeout(60)
    if first:
        s.sendall(good)
        answer = read_answer(s)
        assert not answer.startswith(b"HTTP/1.1 400"), (name, answer)
    try:
        s.sendall(requests[name] + inner)
        answer = read_all(s)
    except (ConnectionError, socket.timeout) as e:
        answer = repr(e).encode()
    # One that is refused, and none that is not; "huge" may be 413.
    answers = [l[9:12] for l in answer.split(b"\r\n") if l.startswith(b"HTTP/")]
    bad = not answers or set(answers) - ({b"400", b"413"} if name == "huge" else {b"400"})
    if bad:
        print(name, answer)
    s.close()
    return bool(bad)

# Each is listened to for a while before it is closed: so all of them at once.
with concurrent.futures.ThreadPoolExecutor(len(requests)) as pool:
    sys.exit(sum(pool.map(is_bad, requests)))
