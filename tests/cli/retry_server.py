# SPDX-License-Identifier: MIT
"""An MCP server over HTTP that fails as it is told, method by method.

argv[1]: a file that gets a line "SECONDS METHOD" for each request that comes.
The others: METHOD=STEP,STEP,…: one step for each request of that method, the
last one for all that follow. Steps: ok; an HTTP status, 503 or 503:2 (with
Retry-After); a JSON-RPC code, -32000 or -32000:2 (with data.retry_after);
silent: no answer at all. $SAYS: the message of errors. refuse=FILE: until that is there the
port refuses. Prints its port. The tool `read` is marked as idempotent, `write` not."""
import http.server
import json
import os
import socket
import sys
import threading
import time

LOG = open(sys.argv[1], "a", buffering=1)
STEPS = {name: steps.split(",") for name, steps in
         (word.split("=", 1) for word in sys.argv[2:])}
lock = threading.Lock()


def tool(name, **annotations):
    return {"name": name, "inputSchema": {"type": "object"},
            "annotations": annotations}


RESULTS = {
    "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                   "serverInfo": {"name": "failing", "version": "1"}},
    "tools/list": {"tools": [tool("read", idempotentHint=True), tool("write")]},
    "tools/call": {"content": [{"type": "text", "text": "done"}]},
    "ping": {},
}


def step_of(method):
    with lock:
        LOG.write("%.3f %s\n" % (time.monotonic(), method))
        steps = STEPS.get(method, ["ok"])
        return steps.pop(0) if len(steps) > 1 else steps[0]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def reply(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.reply(405)

    do_DELETE = do_GET

    def do_POST(self):
        ask = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in ask:
            self.reply(202)
            return
        step, _, after = step_of(ask["method"]).partition(":")
        answer = {"jsonrpc": "2.0", "id": ask["id"]}
        if step == "silent":
            time.sleep(600)
            return
        if step == "ok":
            answer["result"] = RESULTS.get(ask["method"], {})
        elif step.startswith("-"):
            answer["error"] = {"code": int(step), "message": os.environ.get("SAYS", "it failed")}
            if after:
                answer["error"]["data"] = {"retry_after": float(after)}
        else:
            more = {"Retry_After": after} if after else {}
            self.reply(int(step), b"not now", Content_Type="text/plain", **more)
            return
        self.reply(200, json.dumps(answer).encode(), Content_Type="application/json")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def server_activate(self):
        """Bound, and not listening yet: whoever dials is refused."""
        print("port %d" % self.server_address[1], flush=True)
        until = STEPS.pop("refuse", [None])[0]
        while until and not os.path.exists(until):
            time.sleep(0.02)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.listen(64)
        print("listening", flush=True)


Server(("127.0.0.1", 0), Handler).serve_forever()
