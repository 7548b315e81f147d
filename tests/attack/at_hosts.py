# SPDX-License-Identifier: MIT
"""Attacks on what bridge offers to hosts: its port, and its stdin."""
import base64
import json
import os
import re
import socket
import subprocess

import frames
import mutate
from engine import Attack, Broken, GROWTH, Peer, dial

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "host", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}
INIT = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {"sampling": {}},
    "clientInfo": {"name": "host", "version": "1"}}}
CALL = {"jsonrpc": "2.0", "id": "seven", "method": "tools/call", "params": {
    "name": "audio_speaker_set_volume", "arguments": {"volume": 30}, "_meta": {"progressToken": 1}}}
SAYS = [INIT, CALL,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "x"}},
        {"jsonrpc": "2.0", "id": 2**53, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "ping"},
        {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "devices"}},
        {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "refresh", "arguments": {}}},
        {"jsonrpc": "2.0", "id": 6, "method": "logging/setLevel", "params": {"level": "debug"}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "seven"}},
        {"jsonrpc": "2.0", "id": 9, "result": {"content": []}},
        {"jsonrpc": "2.0", "id": 10, "method": "server/discover", "params": {"_meta": META}},
        {"jsonrpc": "2.0", "id": 11, "method": "subscriptions/listen", "params": {
            "_meta": META, "notifications": {"toolsListChanged": True}}},
        {"jsonrpc": "2.0", "id": 12, "method": "tools/call", "params": {
            "_meta": META, "name": "get_device_status", "arguments": {}}},
        [CALL, CALL], []]
TOKEN = "0123456789abcdef"


def said(rng, message=None):
    """One message, more or less."""
    message = rng.choice(SAYS) if message is None else message
    return mutate.maybe_blind(rng, mutate.document(rng, message, rng.choice([0, 0, 1, 3])), 0.1)


class Port(Attack):
    """Bridge at a port: sessions, streams, and those of others."""

    def start(self):
        os.makedirs(f"{self.work}/run", 0o700)
        os.environ["XDG_RUNTIME_DIR"] = f"{self.work}/run"
        with open(f"{self.work}/token", "w", encoding="ascii") as file:
            file.write(TOKEN)
        self.mcpctl("bridge", "sim:", "bridge", "--rate", "1000", "--timeout", "1s",
                    "--listen", "127.0.0.1:0", "--token-file", "token")
        found = self.wait_for("bridge.err", rb"listening at (http://127\.0\.0\.1:(\d+))/mcp")
        self.url, self.port = found.group(1).decode(), int(found.group(2))
        self.sessions = ["0" * 32]
        self.good()
        self.held = self.memory("bridge")

    def good(self):
        """Hosts that behave have their answers, whatever others do."""
        for target in (f"{self.url}/mcp", f"sse+{self.url}/sse", f"ws{self.url[4:]}/ws"):
            said_true = self.run("--token-file", "token", "--timeout", "50s", target, "call",
                                 "audio_speaker_set_volume", "volume=50")
            if said_true.strip() != b"true":
                raise Broken(f"by {target} a good host was answered {said_true!r}")

    def head(self, rng, line, more=()):
        fields = [("Host", rng.choice([f"127.0.0.1:{self.port}"] * 9 + ["evil.example", ""])),
                  ("Authorization", rng.choice(["Bearer " + TOKEN] * 9 + ["Bearer x", "\x1b"])),
                  ("Accept", rng.choice(["application/json, text/event-stream"] * 3 + [
                      "text/event-stream", "*/*", "text/html", ""])), *more]
        if rng.random() < 0.7:
            fields.append(("Mcp-Session-Id", rng.choice(self.sessions[-40:] + ["\x1b[31m", ""])))
        if rng.random() < 0.3:
            fields.append(("MCP-Protocol-Version", rng.choice([
                "2025-11-25", "2026-07-28", "2026-07-28", "2024-11-05", "9999-99-99", "\x1b", ""])))
        if rng.random() < 0.3:
            fields.append(rng.choice([
                ("Last-Event-ID", rng.choice(["0-1", "0-0", "1-1", "0-99999999999999999999", "-", "\xff"])),
                ("Origin", "http://evil.example"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "=?base64?x?="),
                ("Content-Length", "5"), ("Connection", "close"), ("Expect", "100-continue"),
                ("X", "y" * 20000), ("Transfer-Encoding", "chunked")]))
        lines = [line] + [f"{name}: {value}" for name, value in mutate.order(rng, fields)]
        return "\r\n".join(lines).encode("utf-8", "surrogatepass") + b"\r\n\r\n"

    def post(self, rng):
        body = said(rng, INIT if rng.random() < 0.2 else None)
        path = rng.choice(["/mcp"] * 8 + ["/messages?session=" + rng.choice(self.sessions), "/ws", "/"])
        length = rng.choice([len(body)] * 19 + [0, len(body) + 1, 2**31])
        return self.head(rng, f"POST {path} HTTP/1.1", [
            ("Content-Type", "application/json"), ("Content-Length", str(length))]) + body

    def other(self, rng):
        method = rng.choice(["GET"] * 6 + ["DELETE", "DELETE", "HEAD", "PUT", "OPTIONS", "\x1b"])
        path = rng.choice(["/mcp", "/mcp", "/sse", "/", "/health", "/messages", "/ws", "/%1b", "/" + "a" * 9000])
        return self.head(rng, f"{method} {path} HTTP/1.1")

    def converse(self, rng):
        asks = b"".join(rng.choice([self.post, self.post, self.other])(rng)
                        for _ in range(rng.choice([1, 1, 2, 10])))
        return Peer(dial(self.port, rng), mutate.pieces(rng, mutate.maybe_blind(rng, asks, 0.2)), self.heard)

    def heard(self, peer):
        """Ids of sessions, which others are to use as well."""
        for found in re.findall(rb"(?:Mcp-Session-Id: |session=)([0-9a-f]{32})", bytes(peer.got)):
            if found.decode() not in self.sessions[-40:]:
                self.sessions.append(found.decode())
        del peer.got[:-100]

    def probe(self):
        self.good()
        self.until("the memory of the attack is given back",
                   lambda: self.memory("bridge") < self.held + GROWTH)
        self.end("bridge", status=0)

    def report(self):
        return f"{self.number} conversations, {len(self.sessions)} sessions"


class Sockets(Port):
    """The same by WebSocket."""

    def converse(self, rng):
        key = base64.b64encode(rng.randbytes(16)).decode()
        head = self.head(rng, f"GET {rng.choice(['/ws'] * 9 + ['/mcp'])} HTTP/1.1", [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", key)]) if rng.random() < 0.3 else (
                f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
                f"Authorization: Bearer {TOKEN}\r\n\r\n").encode()
        out = [head] + [frames.ws_some(rng, said(rng)) for _ in range(rng.choice([1, 5, 100]))]
        return Peer(dial(self.port, rng), [part for one in out for part in mutate.pieces(rng, one)])

    def report(self):
        return f"{self.number} conversations"


class Stdin(Attack):
    """A host that started it: lines, halves of lines, and an end amid them."""
    lives = 0

    def start(self):
        os.makedirs(f"{self.work}/run", 0o700)
        os.environ["XDG_RUNTIME_DIR"] = f"{self.work}/run"

    def fill(self):
        while len(self.open) < 3:
            self.number += 1
            ours, theirs = socket.socketpair()
            # A new name each: what each printed is judged.
            name = f"bridge-{self.number}"
            self.mcpctl(name, "sim:", "bridge", "--rate", "1000", "--timeout", "1s",
                        stdin=theirs, stdout=theirs)
            theirs.close()
            self.add(Peer(ours, self.lines(), lambda peer, name=name: self.heard(peer, name), 1.5))

    def lines(self):
        out = []
        for _ in range(self.rng.choice([3, 30, 300])):
            line = said(self.rng) + self.rng.choice([b"\n"] * 9 + [b"\r\n", b"", b"\n\n", b"\0\n"])
            if self.rng.random() < 0.005:
                line = b"x" * (17 << 20) + b"\n"
            out.extend(mutate.pieces(self.rng, line))
        return out

    @staticmethod
    def heard(peer, name):
        """Each line is a message, and has nothing raw in it."""
        *lines, rest = bytes(peer.got).split(b"\n")
        peer.got[:] = rest
        for line in lines:
            try:
                if not isinstance(json.loads(line), (dict, list)):
                    raise ValueError("no message")
            except ValueError as why:
                raise Broken(f"{name} said {line[:300]!r}: {why}") from None

    def may_end(self):
        return tuple(self.processes)

    def each(self):
        """It ends with its host, and with 0."""
        for name, process in list(self.processes.items()):
            status = process.poll()
            if status is not None:
                del self.processes[name]
                self.lives += 1
                if status:
                    raise Broken(f"{name} ended with status {status}")

    def probe(self):
        for name, process in list(self.processes.items()):
            try:
                status = process.wait(60)
            except subprocess.TimeoutExpired:
                raise Broken(f"{name} does not end with its host") from None
            self.lives += 1
            if status:
                raise Broken(f"{name} ended with status {status}")
        self.processes.clear()

    def report(self):
        return f"{self.lives} lives"


KINDS = {"hosts-http": Port, "hosts-websocket": Sockets, "hosts-stdio": Stdin}
