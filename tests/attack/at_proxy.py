# SPDX-License-Identifier: MIT
"""Attacks on what proxy listens at: before serve's OTA address, its WebSocket,
its broker with the audio beside it, and an MCP server over HTTP."""
import os
import re
import struct

import at_serve
import mutate
from engine import Attack, Broken, GROWTH, Peer, dial

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli/http_server.py")


class Between(at_serve.Serve):
    """As the attack on serve, but by a proxy before it."""
    upstream = "http://127.0.0.1:{port}/xiaozhi/ota/"
    changes = ()

    def start(self):
        super().start()
        words = self.upstream.format(port=self.port, broker=getattr(self, "broker", 0)).split()
        self.mcpctl("proxy", "-v", "proxy", "--listen", "127.0.0.1:0", "--trace",
                    f"{self.work}/proxy.cap", *self.changes, *words)
        found = self.wait_for("proxy.err", rb"(?:it: |at )\D*127\.0\.0\.1:(\d+)")
        self.take(int(found.group(1)))
        self.by_proxy = self.memory("proxy")

    def take(self, port):
        """What is attacked from now on."""
        self.port = port

    def probe(self):
        self.dial_good("after")
        self.until("the memory of the attack is given back",
                   lambda: self.memory("proxy") < self.by_proxy + GROWTH)
        self.end("proxy", status=0)
        with open(f"{self.work}/proxy.out", "rb") as out:
            if not re.search(rb"(?m)^passed ", out.read()):
                raise Broken("the proxy did not say what passed")
        self.end("serve")


class Http(Between, at_serve.Http):
    """OTA, activation, pictures, odd heads, several requests on a connection."""
    good = ("--ota", "http://127.0.0.1:{port}/xiaozhi/ota/")


class WebSocket(Between, at_serve.WebSocket):
    upstream = "ws://127.0.0.1:{port}/xiaozhi/v1/"
    changes = ("--fault", "late-hello=20ms", "--set", "/payload/x=1")


class Mqtt(Between, at_serve.Mqtt):
    upstream = "mqtt://127.0.0.1:{broker}"

    def take(self, port):
        self.broker = port

    def converse(self, rng):
        # Strangers of many addresses, and datagrams for nobody beside them.
        peer = super().converse(rng)
        if rng.random() < 0.2:
            peer.out.append(struct.pack(">BB", rng.choice([0x10, 0x16, 0x30]), 0xff))
        return peer


class Tools(Attack):
    """An MCP server over HTTP."""

    def start(self):
        self.spawn("server", "/usr/bin/python3", SERVER, f"{self.work}/log")
        port = int(self.wait_for("server.out", rb"port (\d+)").group(1))
        self.mcpctl("proxy", "-v", "proxy", "--listen", "127.0.0.1:0", "--trace",
                    f"{self.work}/proxy.cap", "mcp", f"http://127.0.0.1:{port}/json")
        found = self.wait_for("proxy.err", rb"at http://127\.0\.0\.1:(\d+)(/\S*)")
        self.port, self.path = int(found.group(1)), found.group(2).decode()
        self.asks()
        self.held = self.memory("proxy")

    def asks(self):
        self.run("--timeout", "50s", f"http://127.0.0.1:{self.port}{self.path}", "tools")

    def request(self, rng):
        method = rng.choice(["POST"] * 6 + ["GET", "DELETE", "OPTIONS", "HEAD", "\x1b"])
        ask = {"jsonrpc": "2.0", "id": rng.randrange(9), "method": rng.choice(
            ["initialize", "tools/list", "tools/call", "ping", "notifications/x"]), "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "name": "echo",
                "clientInfo": {"name": "t", "version": "1"}, "arguments": {"text": "x"}}}
        body = mutate.maybe_blind(rng, mutate.document(rng, ask), 0.1)
        length = rng.choice([len(body)] * 9 + [0, len(body) + 1, 2**31, 2**64])
        lines = [f"{method} {self.path} HTTP/1.1"] + mutate.order(rng, [
            "Host: " + rng.choice([f"127.0.0.1:{self.port}"] * 8 + ["evil.example", ""]),
            "Accept: application/json, text/event-stream", "Content-Type: application/json",
            f"Content-Length: {length}"] + rng.choice([
                [], [], [], ["Origin: http://evil.example"], ["Mcp-Session-Id: \x1b[2J"],
                ["Transfer-Encoding: chunked"], ["Upgrade: websocket", "Connection: Upgrade"],
                ["Mcp-Session-Id: " + "a" * 9000]]))
        return "\r\n".join(lines).encode("utf-8", "surrogatepass") + b"\r\n\r\n" + body

    def converse(self, rng):
        asks = b"".join(self.request(rng) for _ in range(rng.choice([1, 1, 2, 5, 30])))
        return Peer(dial(self.port, rng), mutate.pieces(rng, mutate.maybe_blind(rng, asks, 0.2)))

    def probe(self):
        self.asks()
        self.until("the memory of the attack is given back",
                   lambda: self.memory("proxy") < self.held + GROWTH)
        self.end("proxy", status=0)
        self.end("server")

    def report(self):
        return f"{self.number} conversations"


KINDS = {"proxy-http": Http, "proxy-websocket": WebSocket, "proxy-mqtt": Mqtt,
         "proxy-mcp": Tools}
