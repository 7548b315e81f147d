# SPDX-License-Identifier: MIT
"""Attacks by MCP over MQTT 5 and by access points: a broker that hands to clients
what no server said, one that hands to a bridge what no host said, and a point."""
import json
import os
import random

import frames
import mutate
from at_clients import Client, answers
from at_hosts import INIT, said
from engine import Attack, Broken, GROWTH, Peer

PRESENCE = {"jsonrpc": "2.0", "method": "notifications/server/online", "params": {
    "server_name": "a", "description": "d", "meta": {"version": "1", "tools": ["a", "b"]}}}
GOODBYE = {"jsonrpc": "2.0", "method": "notifications/disconnected"}
POLITE = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "good", "version": "1"}}},
          {"jsonrpc": "2.0", "method": "notifications/initialized"},
          {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}]


class Guest(Peer):
    """One that is asked politely at the end."""
    asked, answered = 0, frozenset()


class Packets(Guest):
    """A client of ours as a broker of MQTT 5 sees it."""
    client = ""
    topics = ()

    def packets(self):
        """(kind, flags, body) of each whole one that came."""
        while True:
            packet = frames.mqtt_read(self.got)
            if not packet:
                return
            del self.got[:packet[2]]
            yield packet[0] >> 4, packet[0] & 15, packet[1]

    def handshake(self, rng, kind, body):
        """What a broker says to all but PUBLISH; None: nothing."""
        if kind == 1:
            size, at = frames.mqtt5_number(body, 10)
            self.client = frames.mqtt5_texts(body, at + size, 1)[0]
            return b"\x20" + frames.mqtt_size(3) + bytes([0, rng.choice([0] * 20 + [0x84, 0x87, 0x9f]), 0])
        if kind == 8:
            size, at = frames.mqtt5_number(body, 2)
            found = []
            at += size
            while at < len(body):
                found += frames.mqtt5_texts(body, at, 1)
                at += 2 + len(found[-1].encode()) + 1
            self.topics = (*self.topics, *found)
            codes = bytes(rng.choice([1] * 30 + [0x87, 0x80]) for _ in found)
            return frames.mqtt_packet(0x90, body[:2] + b"\0" + codes)
        if kind == 10:
            return frames.mqtt_packet(0xb0, body[:2] + b"\0\0")
        if kind == 12:
            return b"\xd0\0"
        return None


def sent(rng, packet, odd=0.01):
    """The packet in pieces, seldom another one: a broker that breaks MQTT is left."""
    if rng.random() < odd:
        packet = mutate.maybe_blind(rng, frames.mqtt_some(rng, packet), 0.3)
    return mutate.pieces(rng, packet)


def leaks_of_library(work):
    """A property that does not exist costs libmosquitto the memory for one (base/assertion.h)."""
    with open(f"{work}/leaks", "w", encoding="ascii") as file:
        file.write("leak:libmosquitto.so\n")
    os.environ["LSAN_OPTIONS"] = f"suppressions={work}/leaks:print_suppressions=0"


class ToMcpMqtt(Client):
    """A broker, and behind it servers that answer as no server does."""
    peer = Packets

    def start(self):
        leaks_of_library(self.work)
        super().start()

    def target(self, rng):
        where = rng.choice(["1/a", "1/a", "1/a", "%2B/a", "2/b%2Fc", ""])
        return f"mcp+mqtt://127.0.0.1:{self.port}/{where}"

    def heard(self, rng, peer):
        out = []
        for kind, flags, body in peer.packets():
            answer = peer.handshake(rng, kind, body)
            if answer:
                out.append(answer)
            if kind == 8 and any("presence" in topic for topic in peer.topics):
                out += self.present(rng)
            if kind == 3:
                out += self.published(rng, peer, flags, body)
        return [part for packet in out for part in sent(rng, packet)]

    @staticmethod
    def present(rng):
        out = []
        for where in ("1/a", "2/b/c", rng.choice(["1/a", "\x1b[31m/x", "3/\u202e", "4", "/", "5/" + "n" * 3000])):
            data = mutate.maybe_blind(rng, mutate.document(rng, PRESENCE, rng.choice([0, 0, 2])), 0.1)
            out.append(frames.mqtt5_publish(
                f"$mcp-server/presence/{where}", rng.choice([data] * 9 + [b""]), head=0x31))
        return out

    @staticmethod
    def published(rng, peer, flags, body):
        topic, number, _, data = frames.mqtt5_published(flags, body)
        out = [frames.mqtt_packet(0x40, number + bytes([rng.choice([0] * 15 + [0x10, 0x87]), 0]))] if number else []
        server = topic.removeprefix("$mcp-server/") if topic.startswith("$mcp-server/") else topic.split("/", 2)[-1]
        try:
            texts = answers(rng, json.loads(data))
        except (ValueError, AttributeError, TypeError):
            texts = []
        if rng.random() < 0.1:
            texts.append(mutate.document(rng, GOODBYE))
        for text in texts:
            to = rng.choice([f"$mcp-rpc/{peer.client}/{server}"] * 20 + [
                f"$mcp-server/capability/{server}", f"$mcp-server/presence/{server}", "$mcp-rpc/x/y/z", ""])
            out.append(frames.mqtt5_publish(to, text, some_pairs(rng)))
        return out


def some_pairs(rng, client="c1"):
    if rng.random() < 0.002:  # which no client of MQTT takes
        client = "\x1b[31m"
    return rng.choice([[("MCP-COMPONENT-TYPE", "mcp-client"), ("MCP-MQTT-CLIENT-ID", client)]] * 9 + [
        [], [("MCP-MQTT-CLIENT-ID", rng.choice(["a/b", "+", "#", "x" * 3000, ""]))],
        [("MCP-MQTT-CLIENT-ID", client)] * 50])


class HostsMqtt(Attack):
    """A bridge at a broker whose hosts say what they like."""
    BRIDGES = 3

    def start(self):
        leaks_of_library(self.work)
        self.listen()
        os.makedirs(f"{self.work}/run", 0o700)
        os.environ["XDG_RUNTIME_DIR"] = f"{self.work}/run"
        self.polite = False
        for number in range(self.BRIDGES):
            self.mcpctl(f"bridge-{number}", "sim:", "bridge", "--rate", "1000", "--timeout", "1s",
                        *self.way(number))
        self.until("a board at the broker", lambda: self.turn() or self.ready())
        self.held = self.memory("bridge-0")

    def way(self, number):
        return "--mcp-mqtt", f"mqtt://127.0.0.1:{self.port}/lab{number}"

    def listen(self):
        Client.start(self)

    def accept(self):
        sock = self.listener.accept()[0]
        self.add(Packets(sock, (), self.heard, 3600))

    def ready(self):
        return [peer for peer in self.open.values() if self.control(peer)]

    @staticmethod
    def control(peer):
        """The topic at which the board of this connection is to be greeted."""
        found = [topic for topic in peer.topics
                 if topic.startswith("$mcp-server/") and topic.split("/")[1] == peer.client]
        return found[0] if found else None

    def heard(self, peer):
        out = []
        for kind, flags, body in peer.packets():
            answer = peer.handshake(self.rng if not self.polite else random.Random(1), kind, body)
            if answer:
                out.append(answer)
            if kind == 3:
                topic, number, _, data = frames.mqtt5_published(flags, body)
                if number:
                    out.append(frames.mqtt_packet(0x40, number + b"\0\0"))
                self.answer(peer, topic, data)
        return out

    @staticmethod
    def answer(peer, topic, data):
        """All that it says is JSON, or an empty presence."""
        try:
            message = json.loads(data) if data else {}
        except ValueError as why:
            raise Broken(f"the bridge said {data[:300]!r} to {topic}: {why}") from None
        if topic.startswith("$mcp-rpc/good/") and "result" in message:
            peer.answered = {*peer.answered, message["id"]}

    def fill(self):
        """Something more to each connection that has nothing to be said."""
        for peer in self.ready():
            if len(peer.out) < 20:
                for _ in range(10):
                    self.number += 1
                    peer.out.extend(sent(self.rng, self.says(peer), 0.002))

    def says(self, peer):
        rng, control = self.rng, self.control(peer)
        server, client = control.removeprefix("$mcp-server/"), rng.choice(["c1", "c2", f"c{rng.randrange(999)}"])
        if rng.random() < 0.2:
            return frames.mqtt5_publish(control, said(rng, INIT), some_pairs(rng, client))
        if rng.random() < 0.1:
            data = rng.choice([b"", mutate.document(rng, GOODBYE), said(rng)])
            return frames.mqtt5_publish(rng.choice([
                f"$mcp-client/presence/{client}", f"$mcp-client/capability/{client}", "$mcp-rpc//", "x", control,
                f"$mcp-server/presence/{server}"]), data, some_pairs(rng, client))
        return frames.mqtt5_publish(f"$mcp-rpc/{client}/{server}", said(rng), some_pairs(rng, client))

    def say_politely(self, peer, message):
        control = self.control(peer)
        own = [("MCP-COMPONENT-TYPE", "mcp-client"), ("MCP-MQTT-CLIENT-ID", "good")]
        topic = control if message.get("id") == 1 else f"$mcp-rpc/good/{control.removeprefix('$mcp-server/')}"
        peer.out.append(frames.mqtt5_publish(topic, json.dumps(message).encode(), own))

    def probe(self):
        """Whoever behaves has answers; what the others made it hold is given back."""
        self.polite = True

        def served():
            """Its initialize is answered first."""
            self.turn()
            for peer in self.ready():
                if peer.asked < (len(POLITE) if 1 in peer.answered else 1):
                    self.say_politely(peer, POLITE[peer.asked])
                    peer.asked += 1
            return any({1, 2} <= peer.answered for peer in self.open.values())
        self.until("an answer to a host that behaves", served)
        self.until("the memory of the attack is given back",
                   lambda: self.turn() or self.memory("bridge-0") < self.held + GROWTH)
        for number in range(self.BRIDGES):
            self.end(f"bridge-{number}", status=0)

    def report(self):
        return f"{self.number} messages"


class Sockets(Guest):
    """A tool side as an access point sees it."""
    up = False

    def texts(self):
        """What it says; answers its upgrade first."""
        if not self.up:
            head, end, rest = bytes(self.got).partition(b"\r\n\r\n")
            if not end:
                return
            self.got[:] = rest
            key = next(line.split(b":")[1].strip() for line in head.split(b"\r\n")
                       if line.lower().startswith(b"sec-websocket-key"))
            self.up = True
            self.out.append(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            b"Sec-WebSocket-Accept: " + frames.ws_accept(key) + b"\r\n\r\n")
        while True:
            frame = frames.ws_read(self.got)
            if not frame:
                return
            del self.got[:frame[2]]
            if frame[0] == 1:
                yield frame[1]


class FromPoint(HostsMqtt):
    """A bridge that dials access points, whose robots say what they like."""
    POINTS = 16   # who breaks WebSocket is dialled again seconds later: there are others

    def way(self, number):
        with open(f"{self.work}/points-{number}", "w", encoding="ascii") as file:
            file.writelines(f"ws://127.0.0.1:{self.port}/mcp/?token={number}-{each}\n" for each in range(self.POINTS))
        return "--mcp-endpoint-file", f"points-{number}"

    def accept(self):
        self.add(Sockets(self.listener.accept()[0], (), self.heard, 3600))

    def ready(self):
        return [peer for peer in self.open.values() if peer.up]

    def heard(self, peer):
        for text in peer.texts():
            self.answer(peer, "$mcp-rpc/good/", text)
        return ()

    def fill(self):
        for peer in self.ready():
            if len(peer.out) < 20:
                for _ in range(10):
                    self.number += 1
                    text = said(self.rng, INIT if self.rng.random() < 0.1 else None)
                    frame = frames.ws_frame(text, mask=None)
                    if self.rng.random() < 0.005:
                        frame = frames.ws_some(self.rng, text, masked=False)
                    peer.out.extend(mutate.pieces(self.rng, frame))

    def say_politely(self, peer, message):
        peer.out.append(frames.ws_frame(json.dumps(message).encode(), mask=None))


KINDS = {"to-mcp-mqtt": ToMcpMqtt, "hosts-mqtt": HostsMqtt, "from-point": FromPoint}
