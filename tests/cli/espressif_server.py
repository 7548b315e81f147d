#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A server over HTTP with the ways of Espressif's mcp-c-sdk 2.0.1
(doc/protocol/espressif.md): espressif_server.py LOG [NAME=VALUE]…

LOG gets a JSON line for each request: connection, method, rpc (the method of its
JSON-RPC), session, status, and {"gone": connection}. Prints its port. token=T: bearer T is wanted, by the
SDK's double answer; metadata=JSON: what the protected resource says; head=N:
requests with longer heads get 431; ttl=S: sessions are forgotten after that;
port=N. A line on stdin: "forget" (as a restart, but for the port) drops sessions
and streams, "tell" says list_changed, "touch" that a resource was changed."""
import json
import secrets
import socket
import sys
import threading
import time

LOG = open(sys.argv[1], "a", buffering=1, encoding="utf-8")
SET = dict(word.split("=", 1) for word in sys.argv[2:])
TTL = float(SET.get("ttl", 600))
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
lock = threading.Lock()  # one handler at a time
sessions = {}
tasks = {}


class Drop(Exception):
    """The connection ends."""


class Refused(Exception):
    """code, message, data"""


def prop(kind, **more):
    return {"type": kind, **more}


def tool(name, **properties):
    return {"name": name, "description": name.replace(".", " "), "inputSchema": {
        "type": "object", "properties": properties, "additionalProperties": False,
        "required": [n for n, p in properties.items() if "default" not in p]}}


TOOLS = [
    tool("self.get_device_status"),
    tool("self.audio_speaker.set_volume", volume=prop("integer", minimum=0, maximum=100)),
    tool("self.screen.set_hsv", h=prop("integer", minimum=0, maximum=360, default=0),
         s=prop("integer", minimum=0, maximum=100, default=50), theme=prop("string", default="light")),
    tool("self.screen.set_rgb", RGB=prop("array", default=[255, 255, 255]), on=prop("boolean")),
    tool("self.big_text"),
    tool("self.server.roots_list"),
    tool("self.server.roots_late"),
    {**tool("self.slow"), "execution": {"taskSupport": "optional"}},
]


class Session:
    def __init__(self):
        self.id = secrets.token_hex(15)
        self.used = time.monotonic()
        self.begun = False
        self.ids = set()
        self.stream = None
        self.uris = set()
        self.can = {}
        self.number = 0

    def tell(self, message):
        """False: there is no stream."""
        if not self.stream:
            return False
        self.number += 1
        self.stream.event("%08x-%08x" % (1, self.number + 1), json.dumps(message))
        return True


def text(words):
    return {"content": [{"type": "text", "text": words}], "isError": False}


def call(s, params):
    name, given = params.get("name"), params.get("arguments")
    found = next((t for t in TOOLS if t["name"] == name), None)
    if not found:
        raise Refused(-32002, "Tool not found", None)
    if given is not None:
        for field in found["inputSchema"]["properties"]:
            if field not in given:
                raise Refused(-32602, "Invalid params",
                              {"expected": "params.arguments", "field": "params.arguments"})
    if params.get("task") is not None:
        ident = secrets.token_hex(4)
        tasks[ident] = 0
        return {"task": task(ident)}
    if name == "self.big_text":
        return {"content": [], "isError": False}
    if name == "self.server.roots_list":
        return text(ask_roots(s))
    if name == "self.server.roots_late":
        threading.Timer(0.1, ask_roots, [s]).start()
        return text("roots-1")
    if name == "self.slow":
        time.sleep(1)
    return text(json.dumps(given) if given else "true")


def ask_roots(s):
    if "roots" not in s.can:
        return "false"
    sent = s.tell({"jsonrpc": "2.0", "id": "roots-1", "method": "roots/list"})
    return "roots-1" if sent else "false"


def task(ident):
    status = ("working", "cancelling", "completed")[min(tasks[ident], 2)]
    return {"taskId": ident, "status": status, "createdAt": "2026-01-01T00:00:00Z",
            "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": None, "pollInterval": 50}


def run(s, method, params):
    if method == "initialize":
        s.begun, s.can = True, params.get("capabilities", {})
        wanted = params.get("protocolVersion")
        return {"protocolVersion": wanted if wanted in REVISIONS else REVISIONS[-1],
                "capabilities": {"tools": {"listChanged": True}, "logging": {},
                                 "resources": {"subscribe": True, "listChanged": True},
                                 "tasks": {"list": {}, "cancel": {},
                                           "requests": {"tools": {"call": {}}}}},
                "serverInfo": {"name": "mcp_server", "version": "2.0.1"}}
    if not s.begun:
        raise Refused(-32600, "Invalid Request",
                      {"reason": "initialize must be first interaction"})
    if method == "tools/list":
        return {"tools": TOOLS[::-1]}
    if method == "tools/call":
        return call(s, params)
    if method == "resources/subscribe":
        s.uris.add(params["uri"])
    elif method == "tasks/get":
        tasks[params["taskId"]] += 1
        return task(params["taskId"])
    elif method == "tasks/result":
        if tasks[params["taskId"]] < 2:
            raise Refused(-32000, "Task not complete", None)
        return text("the task's")
    elif method not in ("ping", "logging/setLevel", "resources/unsubscribe", "tasks/cancel"):
        raise Refused(-32601, "Method not found", None)
    return {}


def answer(s, ask):
    out = {"jsonrpc": "2.0", "id": ask["id"]}
    try:
        if str(ask["id"]) in s.ids:
            raise Refused(-32600, "duplicate request id in session", None)
        s.ids.add(str(ask["id"]))
        out["result"] = run(s, ask["method"], ask.get("params") or {})
    except Refused as r:
        code, words, data = r.args
        out["error"] = {"code": code, "message": words, **({"data": data} if data else {})}
    return out


class Peer:
    count = 0

    def __init__(self, sock):
        Peer.count += 1
        self.number, self.sock, self.left = Peer.count, sock, b""
        self.streaming = None

    def more(self):
        got = self.sock.recv(65536)
        if not got:
            raise Drop()
        self.left += got

    def read(self):
        while b"\r\n\r\n" not in self.left:
            self.more()
        head, self.left = self.left.split(b"\r\n\r\n", 1)
        first, *lines = head.decode("latin-1").split("\r\n")
        self.method, self.path, _ = first.split(" ", 2)
        self.headers = {k.lower(): v.strip() for k, v in (line.split(":", 1) for line in lines)}
        self.body = b""
        # The limit is of all lines of headers.
        self.long = len(head) - len(first) > int(SET.get("head", 1 << 20))
        length = int(self.headers.get("content-length", 0))
        self.huge = length > 65535
        while not self.long and not self.huge and len(self.left) < length:
            self.more()
        self.body, self.left = self.left[:length], self.left[length:]

    def reply(self, status, body=b"", kind="application/json", **headers):
        self.status.append(int(status.split()[0]))
        lines = ["HTTP/1.1 " + status, "Content-Type: " + kind, "Content-Length: %d" % len(body)]
        lines += ["%s: %s" % (k.replace("_", "-"), v) for k, v in headers.items()]
        self.sock.sendall("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)

    def page(self, status, words):
        self.reply(status, words.encode(), "text/html")
        raise Drop()

    def event(self, ident, data):
        self.chunk("id: %s\nevent: message\ndata: %s\n\n" % (ident, data))

    def chunk(self, words):
        try:
            self.sock.sendall(b"%x\r\n%s\r\n" % (len(words), words.encode()))
        except OSError:
            pass

    def session(self):
        ident = self.headers.get("mcp-session-id")
        now = time.monotonic()
        for old in [s for s in sessions.values() if now - s.used > TTL]:
            del sessions[old.id]
        if ident is None:
            s = Session()
            sessions[s.id] = s
            return s
        s = sessions.get(ident)
        if not s:
            self.page("404 Not Found", "Unknown MCP session")
        s.used = now
        return s

    def allowed(self):
        if "token" not in SET:
            return True
        given = self.headers.get("authorization")
        if given == "Bearer " + SET["token"]:
            return True
        metadata = "http://%s/.well-known/oauth-protected-resource/mcp_server" % self.headers["host"]
        said = ('Bearer realm="mcp", scope="mcp:full", resource="mcp://esp32", '
                'resource_metadata="%s"' % metadata)
        if given:
            self.reply("403 Forbidden", b"", WWW_Authenticate=said + ', error="invalid_token"')
        else:
            self.reply("401 Unauthorized", b"", WWW_Authenticate=said)
        return False

    def handle(self):
        self.status = []
        if self.long:
            self.page("431 Request Header Fields Too Large", "Header fields are too long")
        if self.path.startswith("/.well-known/oauth-protected-resource") and "metadata" in SET:
            self.reply("200 OK", SET["metadata"].encode())
            return
        if self.path.split("?")[0] != "/mcp_server":
            self.page("404 Not Found", "Nothing matches the given URI")
        if self.huge:
            self.page("400 Bad Request", "Content too long")
        if self.headers.get("mcp-protocol-version", REVISIONS[0]) not in REVISIONS:
            self.page("400 Bad Request", "Unsupported MCP-Protocol-Version")
        s = self.session()
        allowed = self.allowed()
        self.named = s.id
        # The defect: refused and handled all the same.
        if self.method == "GET":
            self.stream(s)
        elif self.method == "DELETE":
            sessions.pop(s.id, None)
            self.reply("200 OK")
        elif self.method != "POST":
            self.reply("405 Method Not Allowed", b"", "text/html")
        elif allowed:
            self.post(s)
        else:
            self.reply("401 Unauthorized", b'{"jsonrpc":"2.0","id":null,"error":'
                       b'{"code":-32001,"message":"Unauthorized"}}', WWW_Authenticate="\x01\x7f\x02")

    def post(self, s):
        ask = json.loads(self.body)
        if isinstance(ask, list):
            out = [answer(s, a) for a in ask if "method" in a and "id" in a]
        elif "method" in ask and "id" in ask:
            out = answer(s, ask)
        else:
            if "method" not in ask:
                print("answered", json.dumps(ask), flush=True)
            self.reply("202 Accepted", MCP_Session_Id=s.id)
            return
        self.reply("200 OK", json.dumps(out).encode(), MCP_Session_Id=s.id)

    def stream(self, s):
        self.status.append(200)
        self.sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                          b"MCP-Session-Id: %s\r\nTransfer-Encoding: chunked\r\n\r\n" % s.id.encode())
        self.chunk("id: 00000001-00000001\ndata: \n\n")
        self.chunk(": mcp-sse-open\n\n")
        s.stream, self.streaming = self, s

    def note(self):
        try:
            rpc = json.loads(self.body)
            rpc = rpc.get("method", "reply") if isinstance(rpc, dict) else "batch"
        except ValueError:
            rpc = ""
        LOG.write(json.dumps({"connection": self.number, "method": self.method, "path": self.path, "rpc": rpc,
                              "session": self.headers.get("mcp-session-id", ""), "status": self.status}) + "\n")

    def live(self):
        try:
            while True:
                self.read()
                with lock:
                    try:
                        self.handle()
                    finally:
                        self.note()
        except (Drop, OSError):
            pass
        finally:
            LOG.write(json.dumps({"gone": self.number}) + "\n")
            if self.streaming and self.streaming.stream is self:
                self.streaming.stream = None
            time.sleep(float(SET.get("lag", 0)))
            # What is unread makes it a reset, as on the board.
            self.sock.close()


def listen():
    to = socket.socket()
    to.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    to.bind(("127.0.0.1", int(SET.get("port", 0))))
    to.listen(64)
    print("port", to.getsockname()[1], flush=True)
    while True:
        sock, _ = to.accept()
        threading.Thread(target=Peer(sock).live, daemon=True).start()


def forget():
    for s in list(sessions.values()):
        if s.stream:
            s.stream.sock.shutdown(socket.SHUT_RDWR)
    sessions.clear()


def tell(message, wanted=lambda s: True):
    for s in list(sessions.values()):
        if wanted(s):
            s.tell({"jsonrpc": "2.0", **message})


threading.Thread(target=listen, daemon=True).start()
for line in sys.stdin:
    with lock:
        if line.strip() == "forget":
            forget()
        elif line.strip() == "tell":
            tell({"method": "notifications/tools/list_changed"})
        elif line.strip() == "touch":
            tell({"method": "notifications/resources/updated", "params": {"uri": "mcp://a"}},
                 lambda s: "mcp://a" in s.uris)
        elif line.strip():
            print("what is", line.strip(), flush=True)
    print("done", line.strip(), flush=True)
while True:
    time.sleep(3600)
