#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Servers of MCP over MQTT 5, on raw packets, as SDKs make them, and worse ones.

mcp_mqtt_peer.py PORT ID NAME KIND

KIND: plain; sdk (kwargs, positional, `type: true`, `contents`, no ping); silent
(never answers initialize); dying (ends without a word at tools/call); leaving
(takes back its presence at tools/call); stale (presence alone, then it ends);
garbage (a retained presence that is none, then it ends); draft (the older
draft's topic, then it ends); late (answers a call twice, and another's id); board (upgraded, it does what the last
level of the address says: refuse, stay, leave, or back, which is to leave and come;
told, with a version then).
A line a packet on stdout: "client ID", "props ...", "gone", "call NAME ARGS".
"""
import json
import os
import socket
import struct
import sys

PORT, ID, NAME, KIND = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
CONTROL = f"$mcp-server/{ID}/{NAME}"
PRESENCE = f"$mcp-server/presence/{ID}/{NAME}"
CAPABILITY = f"$mcp-server/capability/{ID}/{NAME}"


def say(*words):
    print(*words, flush=True)


def varint(n):
    out = b""
    while True:
        byte, n = n & 0x7F, n >> 7
        out += bytes([byte | (0x80 if n else 0)])
        if not n:
            return out


def text(value):
    raw = value.encode()
    return struct.pack("!H", len(raw)) + raw


class Broker:
    """One connection, as little of MQTT 5 as is needed."""

    def __init__(self, will=None, retained=False):
        self.sock = socket.create_connection(("127.0.0.1", PORT))
        self.buffer = b""
        self.mid = 0
        flags = 0x02
        body = text(ID)
        if will:
            flags |= 0x04 | (0x20 if retained else 0)
            body += b"\0" + text(will) + b"\0\0"
        head = text("MQTT") + bytes([5, flags]) + struct.pack("!H", 60) + b"\0"
        self.send(0x10, head + body)
        kind, packet = self.packet()
        assert kind == 0x20 and packet[1] == 0, packet

    def send(self, kind, body):
        self.sock.sendall(bytes([kind]) + varint(len(body)) + body)

    def packet(self):
        while True:
            size, shift, at = 0, 0, 1
            while at < len(self.buffer):
                byte = self.buffer[at]
                size |= (byte & 0x7F) << shift
                shift, at = shift + 7, at + 1
                if not byte & 0x80:
                    if len(self.buffer) >= at + size:
                        kind, body = self.buffer[0], self.buffer[at:at + size]
                        self.buffer = self.buffer[at + size:]
                        return kind, body
                    break
            more = self.sock.recv(65536)
            if not more:
                sys.exit("the broker ended the connection")
            self.buffer += more

    def next_mid(self):
        self.mid = self.mid % 65535 + 1
        return struct.pack("!H", self.mid)

    def subscribe(self, topic, no_local=False):
        options = bytes([0x01 | (0x04 if no_local else 0)])
        self.send(0x82, self.next_mid() + b"\0" + text(topic) + options)

    def unsubscribe(self, topic):
        self.send(0xA2, self.next_mid() + b"\0" + text(topic))

    def publish(self, topic, data, retain=False):
        if not isinstance(data, bytes):
            data = json.dumps(data).encode()
        self.send(0x30 | (1 if retain else 0), text(topic) + b"\0" + data)

    def message(self):
        """(topic, user properties, payload) of the next PUBLISH."""
        while True:
            kind, body = self.packet()
            if kind & 0xF0 != 0x30:
                continue
            size = struct.unpack("!H", body[:2])[0]
            topic, at = body[2:2 + size].decode(), 2 + size
            if kind & 0x06:
                self.send(0x40, body[at:at + 2])
                at += 2
            length, shift = 0, 0
            while True:
                byte = body[at]
                length |= (byte & 0x7F) << shift
                shift, at = shift + 7, at + 1
                if not byte & 0x80:
                    break
            pairs, end = {}, at + length
            while at < end:
                if body[at] != 0x26:
                    break
                at += 1
                both = []
                for _ in range(2):
                    size = struct.unpack("!H", body[at:at + 2])[0]
                    both.append(body[at + 2:at + 2 + size].decode())
                    at += 2 + size
                pairs[both[0]] = both[1]
            return topic, pairs, body[end:]


TOOLS = [
    {"name": "led", "description": "switch it",
     "inputSchema": {"type": "object", "properties": {
         "on": {"type": True if KIND == "sdk" else "boolean"},
         "level": {"type": "number"}}, "required": ["level", "on"]}},
    {"name": "who", "description": "its id",
     "inputSchema": {"type": "object", "properties": {}}},
]

if KIND == "board":
    TOOLS.append({"name": "self.upgrade_firmware", "description": "other firmware",
                  "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}},
                                  "required": ["url"]}})


def upgrade(broker, url):
    """Its presence as that says; and its answer."""
    if url.endswith(("leave", "back", "told")):
        broker.publish(PRESENCE, b"", retain=True)
    if url.endswith("back"):
        broker.publish(PRESENCE, presence(), retain=True)
    if url.endswith("told"):
        broker.publish(PRESENCE, presence({"board": "esp32s3 2.6.0"}), retain=True)
    refused = url.endswith("refuse")
    return {"result": {"isError": refused, "content": [
        {"type": "text", "text": "no such image" if refused else "true"}]}}


def sdk_call(params):
    """As the SDK for ESP: {"kwargs": all, in the order of the schema}."""
    kwargs = params.get("arguments", {}).get("kwargs")
    if not isinstance(kwargs, dict):
        return {"error": {"code": -32600, "message": "Invalid params"}}
    for tool in TOOLS:
        if tool["name"] == params["name"] and list(kwargs) == list(
                tool["inputSchema"]["properties"]) and kwargs:
            return {"result": {"content": [
                {"type": "text", "text": json.dumps(kwargs)}]}}
    return {"error": {"code": -32601, "message": "Method not found"}}


def answer(method, params):
    if method == "initialize":
        info = ({"name": "mcp", "version": "0.0.1"} if KIND == "sdk"
                else {"name": "stand-in", "version": "1"})
        return {"result": {"protocolVersion": "2024-11-05", "serverInfo": info,
                           "capabilities": {"tools": {}, "resources": {
                               "subscribe": True}}}}
    if method == "tools/list":
        return {"result": {"tools": TOOLS}}
    if method == "resources/list":
        item = {"uri": "file:///a", "name": "a"}
        return {"result": {
            "contents" if KIND == "sdk" else "resources": [item]}}
    if method == "tools/call":
        say("call", params["name"], json.dumps(params.get("arguments")))
        if KIND == "sdk":
            return sdk_call(params)
        if params["name"] == "who":
            return {"result": {"content": [{"type": "text", "text": ID}]}}
        return {"result": {"content": [
            {"type": "text", "text": json.dumps(params.get("arguments"))}]}}
    if KIND == "sdk":
        return None
    if method in ("ping", "resources/subscribe"):
        return {"result": {}}
    return {"error": {"code": -32601, "message": "Method not found"}}


def presence(meta=None):
    return {"jsonrpc": "2.0", "method": "notifications/server/online",
            "params": {"server_name": NAME, "description": "a stand-in",
                       "meta": meta or {}}}


def handle(broker, topic, pairs, data):
    if topic == CONTROL:
        client = pairs.get("MCP-MQTT-CLIENT-ID")
        say("client", client, json.dumps(pairs, sort_keys=True))
        if not client or KIND == "silent":
            return
        topic = f"$mcp-rpc/{client}/{ID}/{NAME}"
        broker.subscribe(topic, no_local=True)
        broker.subscribe(f"$mcp-client/presence/{client}")
    if topic.startswith("$mcp-client/presence/"):
        say("gone")
        return
    said = json.loads(data)
    if said.get("method") == "notifications/disconnected":
        say("disconnected")
    if "id" not in said or "method" not in said:
        return
    if said["method"] == "tools/call" and KIND == "dying":
        os._exit(1)
    if said["method"] == "tools/call" and KIND == "hanging":
        say("hangs")
        return
    if said["method"] == "tools/call" and KIND == "leaving":
        broker.publish(PRESENCE, b"", retain=True)
        return
    params = said.get("params") or {}
    if params.get("name") == "self.upgrade_firmware":
        reply = upgrade(broker, params["arguments"]["url"])
    else:
        reply = answer(said["method"], params)
    if reply is None:
        return
    if KIND == "late" and said["method"] == "tools/call":
        broker.publish(topic, {"jsonrpc": "2.0", "id": 123456, "result": {}})
        broker.publish(topic, b"no JSON at all")
    broker.publish(topic, {"jsonrpc": "2.0", "id": said["id"], **reply})
    if said["method"] == "resources/subscribe":
        for uri in ("file:///others", said["params"]["uri"]):
            broker.publish(CAPABILITY, {
                "jsonrpc": "2.0", "method": "notifications/resources/updated",
                "params": {"uri": uri}})


def main():
    broker = Broker(will=PRESENCE, retained=KIND != "sdk")
    if KIND in ("stale", "garbage", "draft"):
        if KIND == "draft":
            broker.publish(f"$mcp-service/{NAME}", presence(), retain=True)
        else:
            broker.publish(PRESENCE, presence() if KIND == "stale" else
                           b"\xff\x00 no presence", retain=True)
        broker.send(0xE0, b"")
        say("ready")
        return
    broker.subscribe(CONTROL)
    broker.publish(PRESENCE, presence(), retain=True)
    say("ready")
    while True:
        handle(broker, *broker.message())


main()
