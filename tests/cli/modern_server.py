# SPDX-License-Identifier: MIT
"""A server of MCP 2026-07-28 for tests/cli: modern_server.py http|stdio FOLDER.

FOLDER/heard gets a line of JSON for each message: method, params, id, headers.
FOLDER/mode says how it is, looked at for each message: "modern" (also without
that file), "legacy" (initialize only), "silent" (legacy, and nothing is said to
what it does not know), "ends" (legacy, and the program ends at that), "picky"
(refuses the revision once), and "ttl": lists may be kept.
"""
import base64
import http.server
import json
import os
import sys
import threading
import time

FOLDER = sys.argv[2]
MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
LOCK = threading.Lock()
SCHEMA = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"},
                                           "size": {"type": "integer", "x-mcp-header": "Size"}}}
BAD = {"type": "object", "properties": {"x": {"type": "number", "x-mcp-header": "X"}}}
FORM = {"method": "elicitation/create", "params": {"mode": "form", "message": "Which colour?", "requestedSchema": {
    "type": "object", "properties": {"colour": {"type": "string", "default": "blue"}}}}}
SAMPLE = {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 5}}
VISIT = {"method": "elicitation/create", "params": {"mode": "url", "message": "Sign in", "url": "https://example.org/"}}
STATE = r'"s\u002f\/t\u00e9"'  # escapes that nobody is to change
TOOLS = ["echo", "ask", "both", "sample", "endless", "big", "wrong", "needs", "log", "slow", "question", "visit"]
seen = {"refused": False, "cut": False}


def mode():
    try:
        with open(os.path.join(FOLDER, "mode"), encoding="utf-8") as file:
            return file.read().split()
    except OSError:
        return []


def heard(message, headers):
    with LOCK, open(os.path.join(FOLDER, "heard"), "a", encoding="utf-8") as file:
        file.write(json.dumps({**message, "headers": headers}) + "\n")


def text(words):
    return {"resultType": "complete", "content": [{"type": "text", "text": words}]}


def decoded(value):
    if value and value.startswith("=?base64?") and value.endswith("?="):
        return base64.b64decode(value[9:-2]).decode()
    return value


class Refused(Exception):
    """code, message, data"""


def call(params, say, headers):
    name, arguments, answers = params["name"], params.get("arguments", {}), params.get("inputResponses")
    state = params.get("requestState")
    meta = params["_meta"]
    if name == "where":
        if headers is not None and decoded(headers.get("mcp-param-region")) != arguments.get("region"):
            raise Refused(-32020, "Mcp-Param-Region does not match", None)
        return text("there")
    if name == "ask":
        if answers is None:
            return {"resultType": "input_required", "inputRequests": {"q": FORM}, "requestState": "STATE"}
        return text(json.dumps([answers, state]))
    if name == "both":
        if answers is None:
            return {"resultType": "input_required", "inputRequests": {"one": FORM, "two": FORM}}
        return text(json.dumps([answers, state]))
    if name == "visit":
        return text(json.dumps(answers)) if answers else {"resultType": "input_required", "inputRequests": {"v": VISIT}}
    if name == "sample":
        return text(json.dumps(answers)) if answers else {"resultType": "input_required", "inputRequests": {"s": SAMPLE}}
    if name == "endless":
        return {"resultType": "input_required", "inputRequests": {"q": FORM}}
    if name == "big":
        if state is None:
            return {"resultType": "input_required", "requestState": "x" * (1 << 20)}
        return text(f"{len(state)} bytes of state")
    if name == "wrong":
        return {"resultType": "surprise"}
    if name == "needs" and "elicitation" not in meta[META + "clientCapabilities"]:
        raise Refused(-32021, "not declared", {"requiredCapabilities": {"elicitation": {}}})
    if name == "log":
        level = meta.get(META + "logLevel")
        if level:
            say({"method": "notifications/message", "params": {"level": "error", "data": f"logged at {level}"}})
        say({"method": "notifications/progress", "params": {"progressToken": meta["progressToken"], "progress": 1}})
    if name == "question":
        say({"id": 77, "method": "ping"})
    if name == "slow":
        say({"method": "notifications/progress", "params": {"progressToken": meta["progressToken"], "progress": 1}})
        while headers is not None:
            time.sleep(0.05)
            say(None)
        return None
    return text(json.dumps(arguments))


def listen(message, say):
    wanted = message["params"]["notifications"]
    mine = {"_meta": {META + "subscriptionId": message["id"]}}
    if "test://refused" in wanted.get("resourceSubscriptions", []):
        raise Refused(-32602, "not that one", None)
    uris = [uri for uri in wanted.get("resourceSubscriptions", []) if uri != "test://unknown"]
    while "test://mute" in uris and seen["cut"]:
        time.sleep(0.05)
        say(None)
    say({"method": "notifications/subscriptions/acknowledged",
         "params": {"notifications": {**wanted, "resourceSubscriptions": uris}, **mine}})
    for uri in uris:
        say({"method": "notifications/resources/updated", "params": {"uri": uri, **mine}})
    if wanted.get("toolsListChanged"):
        say({"method": "notifications/tools/list_changed", "params": mine})
    if "test://ends" in uris:
        return {"resultType": "complete", **mine}
    if {"test://cut", "test://mute"} & set(uris) and not seen["cut"]:
        seen["cut"] = True
        raise BrokenPipeError
    return None


def answer(message, say, headers):
    """The result; None: there is none."""
    method, params, how = message["method"], message.get("params", {}), mode()
    meta = params.get("_meta", {})
    if {"legacy", "silent", "ends"} & set(how):
        return legacy(method, params, how)
    if method == "initialize":
        raise Refused(-32022, "unsupported", {"supported": [MODERN], "requested": params.get("protocolVersion")})
    if meta.get(META + "protocolVersion") != MODERN or META + "clientCapabilities" not in meta:
        raise Refused(-32602, "_meta is missing", None)
    if headers is not None and (headers.get("mcp-method") != method or headers.get("mcp-protocol-version") != MODERN):
        raise Refused(-32020, "headers do not match", None)
    if "picky" in how and not seen["refused"]:
        seen["refused"] = True
        raise Refused(-32022, "try again", {"supported": [MODERN]})
    kept = {"resultType": "complete", "ttlMs": 300000 if "ttl" in how else 0,
            "cacheScope": "private" if "private" in how else "public"}
    if method == "server/discover":
        return {**kept, "supportedVersions": ["2025-11-25", MODERN], "instructions": "be brief",
                "capabilities": {"tools": {"listChanged": True}, "resources": {"subscribe": True}, "prompts": {},
                                 "completions": {}, "logging": {}},
                "_meta": {META + "serverInfo": {"name": "modern", "version": "3"}}}
    if method == "tools/list":
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]
        tools += [{"name": "where", "inputSchema": SCHEMA}, {"name": "bad", "inputSchema": BAD}]
        return {**kept, "tools": tools}
    if method == "tools/call":
        return call(params, say, headers)
    if method == "resources/list":
        return {**kept, "resources": [{"uri": "test://a", "name": "a"}]}
    if method == "resources/templates/list":
        return {**kept, "resourceTemplates": []}
    if method == "resources/read":
        if params["uri"] != "test://a":
            raise Refused(-32602, "no such resource", None)
        return {**kept, "contents": [{"uri": "test://a", "text": "hello from a"}]}
    if method == "prompts/list":
        return {**kept, "prompts": [{"name": "greet", "arguments": [{"name": "who"}]}]}
    if method == "prompts/get":
        return {"resultType": "complete", "messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}]}
    if method == "completion/complete":
        return {"resultType": "complete", "completion": {"values": ["alice", "albert"]}}
    if method == "subscriptions/listen":
        return listen(message, say)
    raise Refused(-32601, "no such method", None)


def legacy(method, params, how):
    if method == "initialize":
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "older", "version": "1"}}
    if method == "tools/list" and META + "protocolVersion" not in params.get("_meta", {}):
        return {"tools": [{"name": "old", "inputSchema": {"type": "object"}}]}
    if method == "tools/call" and META + "protocolVersion" not in params.get("_meta", {}):
        return {"content": [{"type": "text", "text": "as ever"}]}
    if "silent" in how:
        return None
    if "ends" in how:
        os._exit(1)
    raise Refused(-32600, "initialize comes first", None)


def reply(message, say, headers):
    """The text of the reply; None: there is none."""
    try:
        result = answer(message, say, headers)
        if result is None:
            return None
        body = {"jsonrpc": "2.0", "id": message["id"], "result": result}
    except Refused as why:
        code, words, data = why.args
        body = {"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": words}}
        if data is not None:
            body["error"]["data"] = data
    return json.dumps(body).replace('"STATE"', STATE)


class Http(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def plain(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        heard({"method": "GET"}, {})
        self.plain(405, b"")

    def do_DELETE(self):
        heard({"method": "DELETE"}, {})
        self.plain(405, b"")

    def say(self, message):
        if not self.streams:
            self.streams = True
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
        line = ": alive\n\n" if message is None else f"data: {json.dumps({'jsonrpc': '2.0', **message})}\n\n"
        self.wfile.write(line.encode())
        self.wfile.flush()

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.streams = False
        heard(message, headers)
        if "id" not in message:
            self.plain(202, b"")
            return
        try:
            self.respond(message, headers)
        except OSError:
            heard({"method": "closed", "id": message["id"]}, {})
            self.close_connection = True

    def respond(self, message, headers):
        body = reply(message, self.say, headers)
        if self.streams:
            if body is not None:
                self.wfile.write(f"data: {body}\n\n".encode())
            while body is None:
                time.sleep(0.05)
                self.say(None)
            self.close_connection = True
            return
        code = json.loads(body).get("error", {}).get("code") if body else 0
        self.plain({-32601: 404, None: 200}.get(code, 400), (body or "").encode())


def write(line):
    with LOCK:
        print(line, flush=True)


def one(message):
    def say(out):
        if out is not None:
            write(json.dumps({"jsonrpc": "2.0", **out}))

    try:
        body = reply(message, say, None)
    except BrokenPipeError:
        say({"method": "notifications/cancelled", "params": {"requestId": message["id"]}})
        return
    if body is not None:
        write(body)


if sys.argv[1] == "http":
    http.server.ThreadingHTTPServer.daemon_threads = True
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Http)
    print("port", server.server_address[1], flush=True)
    server.serve_forever()
for line in sys.stdin:
    came = json.loads(line)
    heard(came, None)
    if "id" in came and "method" in came:
        one(came)
