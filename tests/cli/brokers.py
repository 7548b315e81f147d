# SPDX-License-Identifier: MIT
"""An OTA server that names another broker in each answer. With a PORT it names the
WebSocket there instead, or what the field Where of the question says."""
import http.server
import itertools
import sys

NUMBERS = itertools.count()


class Says(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = b'{"mqtt":{"endpoint":"broker-%d.example:1883"}}\n' % next(NUMBERS)
        if sys.argv[1:]:
            where = self.headers.get("Where", f"ws://127.0.0.1:{sys.argv[1]}/a")
            body = b'{"websocket":{"url":"%s"}}\n' % where.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Says)
print("port", server.server_port, flush=True)
server.serve_forever()
