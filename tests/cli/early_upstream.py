# SPDX-License-Identifier: MIT
"""An upstream that answers a request which has X-Early (its status) before the
body is there, asks for one by "100 Continue" where that is expected, and answers
others when they are whole. It keeps connections. Prints its port."""
import json
import socketserver


class Meet(socketserver.StreamRequestHandler):
    def answer(self, status, body=b""):
        self.wfile.write(b"HTTP/1.1 %s\r\nContent-Type: application/json\r\n"
                         b"Content-Length: %d\r\n\r\n%s" % (status, len(body), body))

    def one(self):
        if not self.rfile.readline():
            return False
        head = {}
        while line := self.rfile.readline().strip():
            name, value = line.decode().split(":", 1)
            head[name.lower()] = value.strip()
        if "x-early" in head:
            self.answer(head["x-early"].encode())
        if "expect" in head:
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = self.rfile.read(int(head.get("content-length", 0)))
        if "x-early" not in head:
            asked = json.loads(body or b"{}").get("id")
            self.answer(b"200 OK", json.dumps({"jsonrpc": "2.0", "id": asked, "result": {}}).encode())
        return True

    def handle(self):
        while self.one():
            pass


class Door(socketserver.ThreadingTCPServer):
    daemon_threads = True


with Door(("127.0.0.1", 0), Meet) as door:
    print("port", door.server_address[1], flush=True)
    door.serve_forever()
