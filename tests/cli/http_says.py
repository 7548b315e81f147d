# SPDX-License-Identifier: MIT
"""Answers each HTTP request alike: http_says.py STATUS-LINE [BODY [TYPE]]."""
import socketserver
import sys


class Says(socketserver.StreamRequestHandler):
    def handle(self):
        length, chunked = 0, False
        for line in self.rfile:
            name, _, value = line.decode("latin-1").partition(":")
            if name.lower() == "content-length":
                length = int(value)
            chunked |= name.lower() == "transfer-encoding"
            if not line.strip():
                break
        while chunked and self.rfile.readline().strip() != b"0":
            pass
        self.rfile.read(length)
        body = (sys.argv[2] if sys.argv[2:] else "").encode("utf-8", "surrogateescape")
        head = f"HTTP/1.1 {sys.argv[1]}\r\n"
        if sys.argv[3:]:
            head += f"Content-Type: {sys.argv[3]}\r\n"
        if body:
            head += f"Content-Length: {len(body)}\r\n"
        self.wfile.write(head.encode() + b"\r\n" + body)


with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Says) as server:
    server.daemon_threads = True
    print("port", server.server_address[1], flush=True)
    server.serve_forever()
