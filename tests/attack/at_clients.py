# SPDX-License-Identifier: MIT
"""Attacks on what clients dial: a server that answers as no server does, and
shells that open it again and again, each with many commands."""
import errno
import json
import os
import pty
import random
import socket
import tty

import frames
import mutate
from at_serve import ANSWERS, SAID
from engine import Attack, Broken, Peer, RAW

SHELLS = 8
LINES = ["info", "ping", "tools", "tools --tree", "describe a", "call a n=1", "call a", "call b x=y",
         "resources", "templates", "read test://x", "prompts", "prompt p x=y", "complete p x=",
         "request foo/bar", "notify foo", "loglevel debug", "tail --for 30ms", "tools -o json",
         "call a n=1 -o raw", "call a n=1 -o json", "-v ping", "read test://x -o raw", "last",
         "subscribe test://x --for 30ms", "request tools/list -o json", "-v tools", "reconnect"]
TOOL = {"name": "a", "title": "A", "description": "does\nit", "inputSchema": {
    "type": "object", "properties": {"n": {"type": "integer", "minimum": 0},
                                     "x": {"type": "string", "enum": ["y", "z"]}}},
        "outputSchema": {"type": "object", "properties": {"r": {"type": "number"}}},
        "annotations": {"audience": ["user"], "readOnlyHint": True}}
RESULTS = {
    "initialize": {"protocolVersion": "2025-06-18", "capabilities": {
        "tools": {"listChanged": True}, "resources": {"subscribe": True}, "prompts": {},
        "completions": {}, "logging": {}}, "serverInfo": {"name": "s", "title": "t", "version": "1"},
                   "instructions": "Do as I say."},
    "tools/list": {"tools": [TOOL, dict(TOOL, name="b")], "nextCursor": "2"},
    "tools/call": {"content": [
        {"type": "text", "text": "yes"}, {"type": "image", "data": "/9j/4AAQ", "mimeType": "image/jpeg"},
        {"type": "resource_link", "uri": "test://x", "name": "x", "size": 5},
        {"type": "resource", "resource": {"uri": "test://x", "blob": "AAEC", "mimeType": "a/b"}}],
                   "structuredContent": {"r": 1}, "isError": False},
    "resources/list": {"resources": [{"uri": "test://x", "name": "x", "title": "X", "size": 3,
                                      "description": "d", "mimeType": "text/plain"}]},
    "resources/templates/list": {"resourceTemplates": [{"uriTemplate": "test://{a}", "name": "t"}]},
    "resources/read": {"contents": [{"uri": "test://x", "mimeType": "text/plain", "text": "hello"},
                                    {"uri": "test://y", "blob": "AAEC"}]},
    "prompts/list": {"prompts": [{"name": "p", "description": "d", "arguments": [
        {"name": "x", "description": "e", "required": True}]}]},
    "prompts/get": {"description": "d", "messages": [
        {"role": "user", "content": {"type": "text", "text": "say"}}]},
    "completion/complete": {"completion": {"values": ["yes", "no"], "total": 9, "hasMore": True}},
}
UNASKED = [
    {"method": "notifications/message", "params": {"level": "error", "logger": "l", "data": {"a": 1}}},
    {"method": "notifications/progress", "params": {"progressToken": 1, "progress": 1, "total": 2,
                                                    "message": "m"}},
    {"method": "notifications/tools/list_changed"},
    {"method": "notifications/resources/updated", "params": {"uri": "test://x"}},
    {"id": 7, "method": "ping"}, {"id": "r", "method": "roots/list"},
    {"id": 8, "method": "sampling/createMessage", "params": {"maxTokens": 1, "messages": [
        {"role": "user", "content": {"type": "text", "text": "think"}}]}},
    {"id": 9, "method": "elicitation/create", "params": {"message": "who", "requestedSchema": {
        "type": "object", "properties": {"n": {"type": "string", "title": "N"}}}}}]


def answers(rng, ask, envelope=False):
    """The texts of JSON that answer that message, more or less, in their order."""
    out = []
    if "id" in ask and "method" in ask:
        result = RESULTS.get(ask["method"], {})
        if envelope and ask["method"] in ANSWERS:
            result = rng.choice(ANSWERS[ask["method"]]).get("result", {})
        message = {"jsonrpc": "2.0", "id": ask["id"], "result": result}
        if ask["method"] == "tools/list" and (ask.get("params") or {}).get("cursor"):
            message["result"] = {"tools": [dict(TOOL, name="c")]}
        if rng.random() < 0.1:
            message = {"jsonrpc": "2.0", "id": ask["id"], "error": {
                "code": -32602, "message": "no\x1b[2J", "data": {"x": "\x07"}}}
        # An initialize that cannot be used ends the visit: not too often.
        often = [0, 0, 0, 1] if ask["method"] == "initialize" else [0, 1, 1, 3]
        out.append((message, rng.choice(often)))
    while rng.random() < 0.25:
        out.insert(rng.randrange(len(out) + 1),
                   (dict(rng.choice(UNASKED), jsonrpc="2.0"), rng.choice([0, 1])))
    if rng.random() < 0.1:
        out = mutate.order(rng, out)
    texts = []
    for message, changes in out:
        if envelope:
            message = {"session_id": "s", "type": "mcp", "payload": message}
        texts.append(mutate.maybe_blind(rng, mutate.document(rng, message, changes), 0.04))
    return texts


class Client(Attack):
    """The server listens here; shells that dial it are kept running."""
    peer = Peer

    def start(self):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(64)
        self.listener.setblocking(False)
        self.port = self.listener.getsockname()[1]
        self.selector.register(self.listener, 1, self.accept)
        self.shells = {}

    def target(self, rng):
        raise NotImplementedError

    def accept(self):
        self.number += 1
        rng = random.Random(f"{self.seed}-{self.number}")
        try:
            sock = self.listener.accept()[0]
        except OSError:
            return
        self.add(self.peer(sock, (), lambda peer: self.heard(rng, peer), 20))

    def heard(self, rng, peer):
        raise NotImplementedError

    def fill(self):
        for name, ends in list(self.shells.items()):
            self.drain(*ends)
            if self.processes[name].poll() is not None:
                self.ended(name, *ends)
        while len(self.shells) < SHELLS:
            self.shell()

    def script(self, rng):
        lines = []
        for _ in range(3):
            lines.append(f"use '{self.target(rng)}'")
            lines += rng.sample(LINES, 5)
        return "\n".join(lines).encode() + b"\n"

    def shell(self):
        """One on a terminal, with a script: what it prints there is exact."""
        self.visits = getattr(self, "visits", 0) + 1
        rng = random.Random(f"{self.seed}-shell-{self.visits}")
        name = f"shell-{self.visits}"
        with open(f"{self.work}/{name}.in", "wb") as file:
            file.write(self.script(rng))
        ours, theirs = pty.openpty()
        tty.setraw(theirs)
        os.set_blocking(ours, False)
        with open(f"{self.work}/{name}.in", "rb") as script:
            self.mcpctl(name, "--timeout", "150ms", "--wait", "400ms", "--envelope",
                        rng.choice(["auto", "device", "plain", "plain"]), "--elicit", "accept-defaults",
                        "sim:", "shell", "-k", "--no-history", stdin=script, stdout=theirs)
        os.close(theirs)
        self.shells[name] = (ours, open(f"{self.work}/{name}.out", "wb"))

    @staticmethod
    def drain(ours, out):
        try:
            while True:
                data = os.read(ours, 1 << 16)
                if not data:
                    return
                out.write(data)
        except BlockingIOError:
            pass
        except OSError as why:
            if why.errno != errno.EIO:
                raise

    def ended(self, name, ours, out):
        self.drain(ours, out)
        os.close(ours)
        out.close()
        status = self.processes.pop(name).returncode
        del self.shells[name]
        if status < 0 or status > 8:
            raise Broken(f"{name} ended with status {status}")
        for end in ("out", "err"):
            with open(f"{self.work}/{name}.{end}", "rb") as file:
                found = RAW.search(file.read())
            if not found:
                os.unlink(f"{self.work}/{name}.{end}")
            else:
                raise Broken(f"a raw byte at {found.start()} of {name}.{end}")

    def may_end(self):
        return self.shells

    def probe(self):
        """All end by themselves: each line is bounded by its timeout."""
        def over():
            self.turn()
            for name, ends in list(self.shells.items()):
                self.drain(*ends)
                if self.processes[name].poll() is not None:
                    self.ended(name, *ends)
            return not self.shells
        self.until("the end of all shells", over)

    def report(self):
        return f"{self.visits} shells, {self.number} connections"


class ToWs(Client):
    def target(self, rng):
        more = rng.choice(["", "", "?x=1"])
        return f"ws://127.0.0.1:{self.port}/{more}"

    def heard(self, rng, peer):
        out = []
        if not hasattr(peer, "up"):
            if b"\r\n\r\n" not in peer.got:
                return []
            head, _, rest = bytes(peer.got).partition(b"\r\n\r\n")
            peer.got[:] = rest
            peer.up = True
            peer.envelope = rng.random() < 0.4
            key = head.lower().partition(b"sec-websocket-key:")[2]
            at = len(head) - len(key)
            key = head[at:].split(b"\r\n")[0].strip()
            answer = (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade"
                      b"\r\nSec-WebSocket-Accept: " + frames.ws_accept(key) + b"\r\n\r\n")
            out.append(mutate.maybe_blind(rng, answer, 0.07))
        while True:
            frame = frames.ws_read(peer.got)
            if not frame:
                break
            del peer.got[:frame[2]]
            if frame[0] == 8 and rng.random() < 0.9:
                out.append(frames.ws_frame(frame[1], 8, True, None))
            try:
                ask = json.loads(frame[1])
            except ValueError:
                continue
            if isinstance(ask, dict) and ask.get("type") == "hello":
                hello = {"type": "hello", "transport": "websocket", "session_id": "s"}
                texts = [mutate.document(rng, hello, rng.choice([0, 0, 1]))]
            else:
                texts = answers(rng, ask.get("payload", ask), peer.envelope or "payload" in ask)
            for text in texts:
                out.append(frames.ws_some(rng, text, 1, rng.random() < 0.02))
            if rng.random() < 0.1:
                message = rng.choice(SAID)
                out.append(frames.ws_some(rng, message, 2, False) if isinstance(message, bytes) else
                           frames.ws_some(rng, mutate.document(rng, message), 1, False))
        return [part for chunk in out for part in mutate.pieces(rng, chunk)]


class ToHttp(Client):
    def target(self, rng):
        return f"{rng.choice(['http', 'http', 'sse+http'])}://127.0.0.1:{self.port}/mcp"

    def heard(self, rng, peer):
        out = []
        while b"\r\n\r\n" in peer.got:
            head, _, rest = bytes(peer.got).partition(b"\r\n\r\n")
            length = 0
            for line in head.lower().split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    length = int(line[15:])
            if len(rest) < length:
                break
            peer.got[:] = rest[length:]
            out.append(self.answer(rng, head.split(b" ")[0], rest[:length]))
        return [part for chunk in out for part in mutate.pieces(rng, chunk)]

    def answer(self, rng, method, body):
        status, kind, data = b"200 OK", b"application/json", b""
        if method == b"POST":
            try:
                texts = answers(rng, json.loads(body))
            except ValueError:
                texts = []
            if not texts:
                status = b"202 Accepted"
            elif rng.random() < 0.5:
                kind, data = b"text/event-stream", self.events(rng, texts)
            else:
                data = texts[0]
        elif method == b"GET":
            kind = b"text/event-stream"
            data = self.events(rng, answers(rng, {}), b"event: endpoint\ndata: " +
                               rng.choice([b"/mcp?s=1", b"http://evil.example/", b"\x1b", b""]) + b"\n\n")
            if rng.random() < 0.4:
                status = b"405 Method Not Allowed"
        if rng.random() < 0.06:
            status = rng.choice([b"404 Not Found", b"500 \x1b[31m", b"301 Moved", b"401 No", b"429 Slow",
                                 b"100 Continue", b"999 x", b"-1 x", b"204 No", b""])
        lines = [b"HTTP/1.1 " + status, b"Content-Type: " + kind]
        if rng.random() < 0.5:
            lines.append(b"Mcp-Session-Id: " + rng.choice([b"s1", b"s1", b"\x1b[31m", b"x" * 9000]))
        if rng.random() < 0.1:
            lines.append(rng.choice([b"Location: file:///etc/passwd", b"Location: /mcp", b"Retry-After: 9",
                                     b"Content-Encoding: gzip", b"WWW-Authenticate: \x1b[2J", b"X:" + b"y" * 99999,
                                     b"Retry-After: -1", b"Set-Cookie: a=b", b"Connection: close"]))
        if rng.random() < 0.4:
            lines.append(b"Transfer-Encoding: chunked")
            cut = rng.randrange(len(data) + 1)
            data = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (data[:cut], data[cut:]) if part)
            data += rng.choice([b"0\r\n\r\n"] * 9 + [b""])
        else:
            lines.append(b"Content-Length: %d" % rng.choice([len(data)] * 15 + [0, len(data) + 1, 2**63]))
        return mutate.maybe_blind(rng, b"\r\n".join(lines) + b"\r\n\r\n", 0.05) + data

    @staticmethod
    def events(rng, texts, first=b""):
        out = first
        for text in texts:
            name = rng.choice([b"", b"event: message\n", b"id: \x1b1\n", b"retry: 1\n", b": c\n", b"event: x\n"])
            end = rng.choice([b"\n\n"] * 8 + [b"\r\n\r\n", b"\r\r", b"\n", b""])
            out += name + b"data: " + text.replace(b"\n", b"\ndata: ") + end
        return mutate.maybe_blind(rng, out, 0.1)


class ToMqtt(Client):
    """A broker that hands over what no broker would."""

    def target(self, rng):
        return f"mqtt://127.0.0.1:{self.port}/board-1"

    def heard(self, rng, peer):
        out = []
        while True:
            packet = frames.mqtt_read(peer.got)
            if not packet:
                break
            del peer.got[:packet[2]]
            kind, body = packet[0] >> 4, packet[1]
            if kind == 1:
                out.append(b"\x20\x02\0" + bytes([rng.choice([0] * 12 + [1, 2, 5, 255])]))
            elif kind == 8:
                out.append(b"\x90\x03" + body[:2] + bytes([rng.choice([0] * 9 + [128, 2])]))
            elif kind == 12:
                out.append(b"\xd0\0")
            elif kind == 3:
                out += self.published(rng, body)
        out = [frames.mqtt_some(rng, part) if rng.random() < 0.1 else part for part in out]
        return [part for chunk in out
                for part in mutate.pieces(rng, mutate.maybe_blind(rng, chunk, 0.02))]

    @staticmethod
    def published(rng, body):
        size = int.from_bytes(body[:2], "big")
        try:
            ask = json.loads(body[2 + size:])
            ask = ask.get("payload", ask)
        except (ValueError, AttributeError):
            return []
        texts = answers(rng, ask, True)
        if rng.random() < 0.2:
            message = rng.choice([m for m in SAID if isinstance(m, dict)])
            texts.append(mutate.document(rng, dict(message, transport="udp")))
        topic = rng.choice(["device-server"] * 9 + ["x", "", "a\x1b[31m"])
        return [frames.mqtt_publish(topic, text) for text in texts]


STRANGER = '''import json, random, sys
sys.path.insert(0, sys.argv[1])
import at_clients
rng, out = random.Random(sys.argv[2]), sys.stdout.buffer
at_clients.child(rng, sys.stdin.buffer, out)
'''


def child(rng, asks, out):
    """A program that is a server, on its stdin and stdout."""
    import sys
    for line in asks:
        try:
            ask = json.loads(line)
        except ValueError:
            continue
        for text in answers(rng, ask):
            out.write(mutate.maybe_blind(rng, text, 0.03) + rng.choice([b"\n"] * 20 + [b"\r\n", b"", b"\0\n", b"\n\n"]))
        if rng.random() < 0.1:
            sys.stderr.write("\x1b]0;owned\x07\x9b31m said\n" * rng.choice([1, 50]))
            sys.stderr.flush()
        if rng.random() < 0.03:
            return
        out.flush()


class ToStdio(Client):
    """Programs that are servers."""
    programs = 0

    def target(self, rng):
        self.programs += 1
        return (f"stdio:/usr/bin/python3 -B {self.work}/stranger.py {os.path.dirname(__file__)} "
                f"{self.seed}-{self.programs}")

    def start(self):
        super().start()
        with open(f"{self.work}/stranger.py", "w", encoding="utf-8") as file:
            file.write(STRANGER)

    def report(self):
        return f"{self.visits} shells, {self.programs} programs"

    def script(self, rng):
        lines = []
        for _ in range(3):
            lines.append(f"use '{self.target(rng)}'")
            lines += rng.sample(LINES, 9)
        return "\n".join(lines).encode() + b"\n"


KINDS = {"to-ws": ToWs, "to-http": ToHttp, "to-mqtt": ToMqtt, "to-stdio": ToStdio}
