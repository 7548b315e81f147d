# SPDX-License-Identifier: MIT
"""An upstream that does not do what is wanted of it, as argv[1] says. Prints its
port."""
import socket
import struct
import sys
import threading


def http(status, more="", body="no\n"):
    return ("HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s" % (status, more, len(body), body)).encode()


ANSWERS = {
    "302": http("302 Found", "Location: https://h.example/login\r\n", ""),
    "301ws": http("301 Moved", "Location: ws://h.example/x\r\n", ""),
    "400tls": http("400 Bad Request", "", "The plain HTTP request was sent to HTTPS port"),
    "401": http("401 Unauthorized"),
    "403": http("403 Forbidden"),
    "404": http("404 Not Found"),
    "500": http("500 Internal Server Error"),
    "page": http("200 OK", "Content-Type: text/html\r\n", "<html></html>"),
    "garbage": b"SSH-2.0-OpenSSH_9.2\r\n\0\xff\x1b[31m",
    "http10": b"HTTP/1.0 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n",
}


def end(peer, mode):
    if mode == "reset":
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


def meet(peer, mode):
    """What was asked is read, so that an end is no reset by itself."""
    peer.recv(65536)
    if mode == "never":
        peer.recv(65536)
    if mode in ANSWERS:
        peer.sendall(ANSWERS[mode])
        peer.shutdown(socket.SHUT_WR)
        peer.recv(65536)
    end(peer, mode)


door = socket.create_server(("127.0.0.1", 0))
print("port", door.getsockname()[1], flush=True)
while True:
    visitor = door.accept()[0]
    threading.Thread(target=meet, args=(visitor, sys.argv[1]), daemon=True).start()
