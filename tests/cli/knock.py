#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A stranger at a port: knock.py PORT [ADDRESS] sends what comes at its stdin
from that address of this machine, and prints what comes until the other side ends.
knock.py --told BYTES listens instead, prints "port N", and "came" for each who
comes; to each it says BYTES (of Python's escapes), and lets it go on. knock.py
--full is a port whose queue is full: who dials it waits."""
import os
import socket
import sys
import threading


def hold(sock, data):
    """Until the other side ends, as servers do."""
    with sock:
        try:
            sock.sendall(data)
            while sock.recv(65536):
                pass
        except OSError:
            pass


def told(data):
    server = socket.create_server(("127.0.0.1", 0))
    print("port", server.getsockname()[1], flush=True)
    while True:
        sock = server.accept()[0]
        print("came", flush=True)
        threading.Thread(target=hold, args=(sock, data), daemon=True).start()


def full():
    server = socket.create_server(("127.0.0.1", 0), backlog=0)
    first = socket.create_connection(server.getsockname())
    print("port", server.getsockname()[1], flush=True)
    first.recv(1)


def main():
    if sys.argv[1] == "--full":
        full()
    if sys.argv[1] == "--told":
        told(sys.argv[2].encode().decode("unicode_escape").encode("latin-1"))
    origin = (sys.argv[2], 0) if sys.argv[2:] else None
    sock = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60, origin)
    try:
        while said := os.read(0, 65536):
            sock.sendall(said)
    except ConnectionError:
        pass
    while True:
        try:
            data = sock.recv(65536)
        except ConnectionError:
            break
        if not data:
            break
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


main()
