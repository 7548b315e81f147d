#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A broker of MQTT 5 for one client at a time, which says what real ones rarely do.

mcp_mqtt_broker.py [KIND]

KIND: filters (CONNACK names the servers that may be asked, and roles); refuse
(SUBACK 0x87 for all but presence); full (the same, 0x97); deaf (the same for $mcp-rpc/, and a client that
asks the server at once); nowrite (PUBACK 0x87); old (3.1.1 only, and
when who asked); shuts (as RabbitMQ 3.10, which speaks 3.1.1: no CONNACK at all);
mute (no SUBACK); odd (CONNACK with a property that does not exist); taken (another client has that id); one (grants, and says what came). "port N", then a line a packet.
"""
import json
import socket
import struct
import sys
import time

KIND = sys.argv[1] if sys.argv[1:] else "one"
PRESENCE = json.dumps({"jsonrpc": "2.0", "method": "notifications/server/online",
                       "params": {"description": "d"}}).encode()


def say(*words):
    print(*words, flush=True)


def text(value):
    raw = value.encode()
    return struct.pack("!H", len(raw)) + raw


def read_text(body, at):
    size = struct.unpack("!H", body[at:at + 2])[0]
    return body[at + 2:at + 2 + size].decode(), at + 2 + size


def read_varint(body, at):
    value = shift = 0
    while True:
        byte = body[at]
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if not byte & 0x80:
            return value, at


def pairs(body, at, end):
    """The user properties; what else may stand there is of fixed length."""
    sizes = {0x11: 4, 0x21: 2, 0x27: 4, 0x22: 2, 0x19: 1, 0x17: 1, 0x01: 1}
    out = {}
    while at < end:
        kind, at = body[at], at + 1
        if kind == 0x26:
            name, at = read_text(body, at)
            out[name], at = read_text(body, at)
        else:
            at += sizes[kind]
    return out


class Client:
    def __init__(self, sock):
        self.sock, self.buffer = sock, b""

    def need(self, count):
        while len(self.buffer) < count:
            more = self.sock.recv(65536)
            if not more:
                raise ConnectionError
            self.buffer += more
        out, self.buffer = self.buffer[:count], self.buffer[count:]
        return out

    def packet(self):
        kind, size, shift = self.need(1)[0], 0, 0
        while True:
            byte = self.need(1)[0]
            size |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return kind, self.need(size)

    def send(self, kind, body):
        size, out = len(body), b""
        while True:
            byte, size = size & 0x7F, size >> 7
            out += bytes([byte | (0x80 if size else 0)])
            if not size:
                break
        self.sock.sendall(bytes([kind]) + out + body)


def connect(client, body):
    _, at = read_text(body, 0)
    level, flags = body[at], body[at + 1]
    size, at = read_varint(body, at + 4)
    own, at = pairs(body, at, at + size), at + size
    name, at = read_text(body, at)
    say("connect", level, "clean" if flags & 2 else "", len(name), json.dumps(own, sort_keys=True))
    if flags & 4:
        size, at = read_varint(body, at)
        topic, at = read_text(body, at + size)
        will, at = read_text(body, at)
        say("will", topic.replace(name, "ID"), will, "retained" if flags & 32 else "passing")
    if KIND == "shuts":
        raise ConnectionError
    if KIND == "old":
        say("at", round(time.monotonic(), 2))
        client.send(0x20, b"\0\1")
        raise ConnectionError
    props = b"\x70\0" if KIND == "odd" else b""
    if KIND == "filters":
        for key, value in (("MCP-SERVER-NAME-FILTERS", '["ours/#"]'),
                           ("MCP-RBAC", '[{"server_name":"ours/a","role_name":"viewer"}]')):
            props += b"\x26" + text(key) + text(value)
    client.send(0x20, b"\0\0" + bytes([len(props)]) + props if len(props) < 128 else
                b"\0\0" + bytes([len(props) & 127 | 128, len(props) >> 7]) + props)


def subscribe(client, body):
    size, at = read_varint(body, 2)
    at, codes, found = at + size, b"", []
    while at < len(body):
        topic, at = read_text(body, at)
        options, at = body[at], at + 1
        say("subscribe", topic, f"0x{options:02x}")
        found.append(topic)
        refused = (KIND in ("refuse", "full") and not topic.startswith("$mcp-server/presence/") or
                   KIND == "deaf" and topic.startswith("$mcp-rpc/"))
        codes += (b"\x97" if KIND == "full" else b"\x87") if refused else b"\1"
    if KIND == "taken":
        client.send(0xE0, b"\x8e\0")
    if KIND in ("mute", "taken"):
        return
    client.send(0x90, body[:2] + b"\0" + codes)
    if KIND == "deaf" and not any(x.startswith("$mcp-rpc/") for x in found):
        own = b"\x26" + text("MCP-MQTT-CLIENT-ID") + text("c1")
        client.send(0x30, text(found[0]) + bytes([len(own)]) + own + json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "c", "version": "1"}}}).encode())
    for topic in found:
        if topic.startswith("$mcp-server/presence/+/"):
            for server in ("1/ours/a", "2/theirs/b"):
                if "ours" in topic and "theirs" in server:
                    continue
                client.send(0x31, text("$mcp-server/presence/" + server) + b"\0" + PRESENCE)


def publish(client, kind, body):
    topic, at = read_text(body, 0)
    number = body[at:at + 2]
    size, at = read_varint(body, at + 2)
    own = pairs(body, at, at + size)
    data = body[at + size:]
    say("publish", topic, f"qos {kind >> 1 & 3}", json.dumps(own, sort_keys=True))
    client.send(0x40, number + (b"\x87\0" if KIND == "nowrite" else b"\0\0"))
    said = json.loads(data) if data else {}
    server = topic.split("/", 1 if "mcp-server" in topic else 2)[-1]
    result = {}
    if "error" in said:
        say("told", said["id"], said["error"]["message"])
    if said.get("method") == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                  "serverInfo": {"name": server, "version": "1"}}
    if "id" in said and KIND != "nowrite":
        client.send(0x30, text(f"$mcp-rpc/{own['MCP-MQTT-CLIENT-ID']}/{server}") + b"\0" +
                    json.dumps({"jsonrpc": "2.0", "id": said["id"], "result": result}).encode())


def serve(client):
    while True:
        kind, body = client.packet()
        if kind == 0x10:
            connect(client, body)
        elif kind == 0x82:
            subscribe(client, body)
        elif kind & 0xF0 == 0x30:
            publish(client, kind, body)
        elif kind == 0xC0:
            client.send(0xD0, b"")
        elif kind == 0xE0:
            say("disconnect", body.hex() or "00")
            return


listener = socket.create_server(("127.0.0.1", 0))
say("port", listener.getsockname()[1])
while True:
    one, _ = listener.accept()
    try:
        serve(Client(one))
    except ConnectionError:
        say("lost")
    one.close()
