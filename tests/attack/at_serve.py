# SPDX-License-Identifier: MIT
"""Attacks on what serve listens at: HTTP, WebSocket, MQTT, UDP, its socket."""
import json
import os
import socket
import struct

import frames
import mutate
from engine import Attack, Broken, GROWTH, Peer, dial, strange

FIXTURE = os.path.join(os.path.dirname(__file__), "../fixtures/firmware-2.4.2-websocket.jsonl")


def recorded():
    """What a stock board said in the recording, in its order, and its answers
    by the method that was asked."""
    said, answers, asked = [], {}, {}
    with open(FIXTURE, encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            if line["op"] == "binary" and line["dir"] == "in":
                said.append(bytes.fromhex(line["data"]))
            if line["op"] != "text":
                continue
            try:
                message = json.loads(line["data"])
            except ValueError:
                continue
            payload = message.get("payload", {})
            if line["dir"] == "out":
                asked[payload.get("id")] = payload.get("method")
            elif "id" in payload and payload["id"] in asked:
                answers.setdefault(asked[payload["id"]], []).append(payload)
            else:
                said.append(message)
    return said, answers


SAID, ANSWERS = recorded()
IDENTS = 16        # boards that conversations are of
RANDOM_TOOLS = [{"name": "self.a", "description": "x", "inputSchema": {
    "type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}}}]


def reply(rng, ask):
    """The JSON of a device's answer to that request, more or less."""
    seeds = ANSWERS.get(ask.get("method")) or [{"jsonrpc": "2.0", "result": {
        "content": [{"type": "text", "text": "true"}], "isError": False}}]
    payload = dict(rng.choice(seeds), id=ask["id"])
    if ask.get("method") == "tools/list" and rng.random() < 0.7:
        payload["result"] = {"tools": RANDOM_TOOLS}
        if rng.random() < 0.2:
            payload["result"]["nextCursor"] = rng.choice(["self.a", "b", ""])
    if rng.random() < 0.1:
        payload = {"jsonrpc": "2.0", "id": ask["id"], "error": {"code": -1, "message": "no\x1b"}}
    message = {"session_id": "s", "type": "mcp", "payload": payload}
    return mutate.maybe_blind(rng, mutate.document(rng, message, rng.choice([0, 0, 1, 3])), 0.05)


def upgrade(port, ident, version=1, client="c"):
    return (f"GET /xiaozhi/v1/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: Z8Zpc1H/Suwpzbqr8vvjRg==\r\nProtocol-Version: {version}\r\n"
            f"Device-Id: {ident}\r\nClient-Id: {client}\r\n\r\n"
            ).encode("utf-8", "surrogatepass")


class Board:
    """One that says hello, and keeps what it was told."""

    def __init__(self, port, ident):
        self.sock = socket.create_connection(("127.0.0.1", port), 60)
        self.sock.sendall(upgrade(port, ident) + frames.ws_frame(json.dumps(SAID[0]).encode()))

    def initialize(self):
        got = bytearray()
        while True:
            got += self.sock.recv(65536)
            if got.startswith(b"HTTP/1.1 101") and b"\r\n\r\n" in got:
                del got[:got.index(b"\r\n\r\n") + 4]
            frame = frames.ws_read(got) if not got.startswith(b"HTTP") else None
            while frame:
                del got[:frame[2]]
                if b'"initialize"' in frame[1]:
                    return json.loads(frame[1])["payload"]
                frame = frames.ws_read(got)


class Serve(Attack):
    options = ()
    sides = 0
    # What is asked meanwhile by commands that attach, of boards of that id.
    ident = "02:00:00:00:00:01"
    good = ("--connect", "ws://127.0.0.1:{port}/xiaozhi/v1/")

    def start(self):
        os.makedirs(f"{self.work}/run", 0o700)
        os.environ["XDG_RUNTIME_DIR"] = f"{self.work}/run"
        self.mcpctl("serve", "-v", "serve", "--listen", "127.0.0.1:0", "--handshake", "2s",
                    "--hello-wait", "2s", "--timeout", "1s", "--save-images",
                    f"{self.work}/pictures", *self.options)
        found = self.wait_for("serve.err", rb"http://127\.0\.0\.1:(\d+)/xiaozhi/ota/")
        self.port = int(found.group(1))
        self.dial_good("before")
        self.held = self.memory("serve")

    def dial_good(self, name):
        """A board that behaves, and a call that it answers."""
        word = "02:00:00:00:00:" + ("01" if name == "before" else "02")
        good = [part.format(port=self.port, broker=getattr(self, "broker", 0))
                for part in self.good]
        self.mcpctl(name, "-q", "sim", "--reconnect", "--device-id", word, "--client-id",
                    f"00000000-0000-4000-8000-0000000000{word[-2:]}", *good)
        said = self.run("--wait", "60s", "--timeout", "50s", "-d", word, "call",
                        "self.audio_speaker.set_volume", "volume=50")
        if said.strip() != b"true":
            raise Broken(f"a good board answered {said!r}")

    def each(self):
        if "beside" in self.processes:
            status = self.processes["beside"].poll()
            if status is None:
                return
            del self.processes["beside"]
            if status < 0 or status == 99:
                raise Broken(f"a command beside ended with status {status}: beside-{self.sides}")
        self.sides += 1
        ident = self.ident.format(self.sides % IDENTS)
        words = [("-d", ident, "-v", "tail", "--for", "500ms"), ("--all", "tools"),
                 ("devices",), ("-d", ident, "tools", "--tree"), ("-d", ident, "info"),
                 ("-d", ident, "describe", "self.a"), ("--all", "ping")][self.sides % 7]
        process = self.mcpctl(f"beside-{self.sides}", "--wait", "300ms", "--timeout", "300ms", *words)
        self.processes["beside"] = self.processes.pop(f"beside-{self.sides}", process)

    def may_end(self):
        return ("beside",)

    def probe(self):
        self.dial_good("after")
        self.run("devices")
        self.run("devices", "-o", "json")
        self.until("the memory of the attack is given back",
                   lambda: self.memory("serve") < self.held + GROWTH)
        self.end("serve")

    def report(self):
        return f"{self.number} conversations"


# ---- HTTP ----

OTA_BODY = {"version": 2, "language": "en", "flash_size": 16777216,
            "minimum_free_heap_size": "8000000", "mac_address": "02:00:00:00:00:07",
            "uuid": "u-7", "chip_model_name": "esp32s3",
            "chip_info": {"model": 9, "cores": 2, "revision": 2, "features": 18},
            "application": {"name": "xiaozhi", "version": "2.4.2", "compile_time": "t",
                            "idf_version": "v5", "elf_sha256": "00"},
            "partition_table": [{"label": "nvs", "type": 1, "subtype": 2, "address": 36864,
                                 "size": 16384}],
            "board": {"type": "bread", "name": "bread", "ssid": "x", "rssi": -50, "ip": "1.2.3.4",
                      "mac": "02:00:00:00:00:07"}}
EDGE = b"----ESP32_CAMERA_BOUNDARY"


class Http(Serve):
    """OTA, activation, the page, uploads, and heads as nobody writes them."""

    def start(self):
        super().start()
        self.board = Board(self.port, "02:00:00:00:00:03")
        vision = self.board.initialize()["params"]["capabilities"]["vision"]
        self.vision = "/" + vision["url"].split("/", 3)[3], vision.get("token", "")

    def head(self, rng, line, more):
        odd = [("Host", rng.choice(["127.0.0.1:%d" % self.port] * 4 + ["evil.example", "", "[::1"])),
               ("Device-Id", rng.choice(["02:00:00:00:00:03", f"02:00:00:00:01:{rng.randrange(99):02x}"])),
               ("Client-Id", f"c-{rng.randrange(99)}"), ("User-Agent", "board/2.4.2")]
        if rng.random() < 0.3:
            odd.append(rng.choice([
                ("Origin", "http://evil.example"), ("Transfer-Encoding", "gzip, chunked"),
                ("Content-Length", "5"), ("Content-Length", "-1"), ("Host", "b"),
                ("Expect", "100-continue"), ("Upgrade", "websocket"), ("X", "y" * 20000),
                ("Connection", "close"), ("Connection", "Upgrade"), ("Range", "bytes=0-"),
                ("X-Forwarded-For", "1.2.3.4"), ("Authorization", "Bearer \x1b[31m"),
                ("Device-Id", rng.choice(mutate.TEXTS[:14])), (" folded", "x"), ("", "")]))
        lines = [line] + [f"{name}: {value}" for name, value in
                          mutate.order(rng, odd + more)]
        return "\r\n".join(lines).encode("utf-8", "surrogatepass") + b"\r\n\r\n"

    def chunked(self, rng, parts):
        out = b""
        for part in parts:
            size = rng.choice([b"%x" % len(part)] * 20 + [b"-1", b"ffffffffffffffffff", b"0x5", b""])
            out += size + rng.choice([b""] * 9 + [b";ext=\x1b"]) + b"\r\n" + part + b"\r\n"
        return out + rng.choice([b"0\r\n\r\n"] * 6 + [b"0\r\nX: y\r\n\r\n", b""])

    def upload(self, rng):
        path, token = self.vision
        jpeg = b"\xff\xd8\xff\xe0\0\x10JFIF" + rng.randbytes(rng.choice([0, 100, 5000])) + b"\xff\xd9"
        parts = [b"--" + EDGE + b"\r\nContent-Disposition: form-data; name=\"question\"\r\n\r\n" +
                 rng.choice(mutate.TEXTS).encode("utf-8", "surrogatepass") + b"\r\n",
                 b"--" + EDGE + b"\r\nContent-Disposition: form-data; name=\"file\"; "
                 b"filename=\"" + rng.choice([b"camera.jpg", b"../../x", b"\x1b[2J"]) +
                 b"\"\r\nContent-Type: image/jpeg\r\n\r\n", jpeg,
                 b"\r\n--" + EDGE + b"--\r\n"]
        parts = [mutate.maybe_blind(rng, part) for part in mutate.order(rng, parts)]
        head = self.head(rng, f"POST {path} HTTP/1.1", [
            ("Authorization", "Bearer " + token), ("Transfer-Encoding", "chunked"),
            ("Content-Type", "multipart/form-data; boundary=" + EDGE.decode())])
        return head + self.chunked(rng, parts)

    def ota(self, rng):
        body = mutate.maybe_blind(rng, mutate.document(rng, OTA_BODY))
        path = rng.choice(["/xiaozhi/ota/", "/xiaozhi/ota/", "/xiaozhi/ota/activate"])
        length = rng.choice([len(body)] * 9 + [0, len(body) + 1, 2**31, 2**64])
        return self.head(rng, f"POST {path} HTTP/1.1", [
            ("Content-Type", "application/json"), ("Content-Length", str(length))]) + body

    def other(self, rng):
        method = rng.choice(["GET", "HEAD", "PUT", "OPTIONS", "DELETE", "CONNECT", "\x1b", "get"])
        path = rng.choice(["/", "/xiaozhi/ota/", "/upload", "*", "//", "/%00%1b", "/?" + "a=b&" * 900,
                           "http://x/", "/" + "a" * 9000, "/xiaozhi/v1/?device-id=%1b%5b31m"])
        version = rng.choice(["HTTP/1.1"] * 5 + ["HTTP/1.0", "HTTP/2.0", "HTTP/1.9", "x", ""])
        return self.head(rng, f"{method} {path} {version}", [])

    def converse(self, rng):
        kinds = [self.ota, self.ota, self.upload, self.upload, self.other]
        asks = b"".join(rng.choice(kinds)(rng) for _ in range(rng.choice([1, 1, 1, 2, 10])))
        asks = mutate.maybe_blind(rng, asks, 0.3)
        return Peer(dial(self.port, rng), mutate.pieces(rng, asks))


# ---- WebSocket ----


class WebSocket(Serve):
    """Boards that dial in and answer what they are asked, badly."""
    ident = "02:00:00:00:02:{:02x}"

    def converse(self, rng):
        ident = self.ident.format(rng.randrange(IDENTS))
        version = rng.choice([1, 1, 2, 3])
        if rng.random() < 0.05:
            ident = rng.choice(mutate.TEXTS[:14])
        head = upgrade(self.port, ident, version, f"c{rng.randrange(9)}")
        out = [mutate.maybe_blind(rng, head, 0.05)]
        for message in mutate.order(rng, SAID + [b"audio"] * 3):
            if isinstance(message, bytes):
                out.append(frames.ws_some(rng, frames.audio(rng, version), 2))
            else:
                changes = 0 if message["type"] == "hello" and rng.random() < 0.8 else None
                data = mutate.document(rng, message, changes)
                out.append(frames.ws_some(rng, mutate.maybe_blind(rng, data, 0.05)))
        joined = [part for chunk in out for part in mutate.pieces(rng, chunk)]
        return Peer(dial(self.port, rng), joined, lambda peer: self.heard(rng, peer))

    @staticmethod
    def heard(rng, peer):
        if not peer.got.startswith(b"\x81") and b"\r\n\r\n" in peer.got:
            del peer.got[:peer.got.index(b"\r\n\r\n") + 4]
        out = []
        while True:
            frame = frames.ws_read(peer.got)
            if not frame:
                return out
            del peer.got[:frame[2]]
            try:
                ask = json.loads(frame[1])["payload"]
                out.append(frames.ws_some(rng, reply(rng, {"id": ask["id"], **ask})))
            except (ValueError, KeyError, TypeError):
                pass


# ---- MQTT and the audio beside it ----


class Mqtt(Serve):
    """Packets to mosquitto with the plugin in it, and messages to serve."""
    good = ("--connect", "mqtt://127.0.0.1:{broker}/GID_test@@@02_00_00_00_00_01@@@"
            "00000000-0000-4000-8000-000000000001")

    def start(self):
        self.broker = free_port()
        self.options = (f"--mqtt={self.broker}", "--silence")
        super().start()

    def dial_good(self, name):
        if name == "after":
            self.good = tuple(word.replace("02_00_00_00_00_01", "02_00_00_00_00_02")
                              for word in self.good)
            self.good = tuple(word.replace("8000-000000000001", "8000-000000000002")
                              for word in self.good)
        super().dial_good(name)

    def probe(self):
        super().probe()
        with open(f"{self.work}/serve.out", "rb") as log:
            if b"mosquitto ended" in log.read():
                raise Broken("mosquitto ended: see serve.out")

    @staticmethod
    def client(rng):
        n = rng.randrange(3, 40)
        ident = f"GID_test@@@02_00_00_00_00_{n:02x}@@@00000000-0000-4000-8000-0000000000{n:02x}"
        return mutate.maybe_blind(rng, ident.encode(), 0.05)

    def converse(self, rng):
        hello = dict(SAID[0], version=3, transport="udp")
        out = [frames.mqtt_connect(self.client(rng), rng.choice([2, 2, 2, 0, 4, 0xc2, 0xff]),
                                   rng.choice([b"", b"", b"\0\1u\0\1p"]))]
        parts = [hello] + [m for m in SAID[1:] if isinstance(m, dict)] + [
            {"type": "goodbye", "session_id": "s"}]
        for message in mutate.order(rng, parts):
            topic = rng.choice(["device-server"] * 6 + [
                "mcpctl/up/x", "mcpctl/down/x", "$SYS/x", "mcpctl/tell", "#", "", "a\0b"])
            data = mutate.maybe_blind(rng, mutate.document(rng, message), 0.05)
            out.append(frames.mqtt_publish(topic, data, rng.choice([0x30] * 5 + [0x31, 0x32, 0x36, 0x3f])))
        if rng.random() < 0.3:
            out.insert(rng.randrange(len(out) + 1), frames.mqtt_subscribe(
                rng.choice(["#", "mcpctl/#", "devices/p2p/+", "$SYS/#", "+/+/+", "a\xff", ""])))
        out = [frames.mqtt_some(rng, packet) for packet in mutate.order(rng, out)]
        data = mutate.maybe_blind(rng, b"".join(out), 0.2)
        return Peer(dial(self.broker), mutate.pieces(rng, data), lambda peer: self.heard(rng, peer))

    @staticmethod
    def heard(rng, peer):
        out = []
        while True:
            packet = frames.mqtt_read(peer.got)
            if not packet:
                return out
            del peer.got[:packet[2]]
            if packet[0] >> 4 != 3:
                continue
            try:
                ask = json.loads(packet[1][2 + struct.unpack(">H", packet[1][:2])[0]:])["payload"]
                out.append(frames.mqtt_publish("device-server", reply(rng, {"id": ask["id"], **ask})))
            except (ValueError, KeyError, TypeError, struct.error):
                pass


class Udp(Mqtt):
    """Audio packets into a session, and everything else at that port."""

    def start(self):
        super().start()
        self.offers = []
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.setblocking(False)
        self.packets = 0

    def converse(self, rng):
        """A session of audio: hello, and what was offered is kept."""
        n = rng.randrange(3, 40)
        ident = f"GID_test@@@02_00_00_00_00_{n:02x}@@@00000000-0000-4000-8000-0000000000{n:02x}"
        hello = dict(SAID[0], version=3, transport="udp")
        return Peer(dial(self.broker), [frames.mqtt_connect(ident), frames.mqtt_publish(
            "device-server", json.dumps(hello).encode())], self.offered)

    def offered(self, peer):
        packet = frames.mqtt_read(peer.got)
        while packet:
            del peer.got[:packet[2]]
            if b'"udp"' in packet[1]:
                offer = json.loads(packet[1][packet[1].index(b"{"):])["udp"]
                self.offers = self.offers[-20:] + [(offer["port"], bytes.fromhex(offer["nonce"]))]
            packet = frames.mqtt_read(peer.got)

    def each(self):
        super().each()
        rng = self.rng
        for _ in range(40 if self.offers else 0):
            port, nonce = rng.choice(self.offers)
            body = rng.randbytes(rng.choice([0, 1, 60, 60, 1200, 1500, 9000]))
            head = bytearray(nonce)
            head[2:4] = struct.pack(">H", rng.choice([len(body)] * 6 + [0, 1, 65535]))
            head[12:16] = struct.pack(">I", rng.choice([self.packets & 0xffffffff] * 4 + [
                0, 1, 2**31, 2**32 - 1, rng.randrange(2**32)]))
            data = mutate.maybe_blind(rng, bytes(head) + body, 0.3)[:65000]
            try:
                self.udp.sendto(data, ("127.0.0.1", port))
                self.packets += 1
            except OSError:
                pass

    def probe(self):
        if not self.packets:
            raise Broken("no session of audio was offered")
        super().probe()

    def report(self):
        return f"{self.number} sessions, {self.packets} packets"


# ---- the control socket ----

ASKS = [{"op": "attach", "device": "*", "tail": True}, {"op": "attach", "device": "02:00:00:00:00:01"},
        {"op": "attach", "timeout": 500}, {"op": "devices"}, {"op": "devices", "watch": True},
        {"op": "tool", "name": "self.get_device_status"}, {"op": "names", "prefix": "self."},
        {"op": "names", "device": "*"}, {"op": "status"}, {"op": "kick", "device": "nobody"},
        {"op": "fan", "timeout": 500, "method": "tools/call",
         "params": {"name": "self.get_device_status", "arguments": {}}},
        {"op": "fan", "timeout": 500, "notify": "notifications/x"},
        {"op": "fan", "timeout": 500, "message": {"type": "alert", "status": "x", "message": "y"}}]
FRAMES = [{"session_id": "s", "type": "mcp", "payload": {
    "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": ""}}},
          {"session_id": "s", "type": "mcp", "payload": {
              "jsonrpc": "2.0", "id": "x", "method": "tools/call",
              "params": {"name": "self.get_device_status", "arguments": {}}}},
          {"type": "alert", "status": "s", "message": "m", "emotion": "sad"}]


class Control(Serve):
    """Another program of the same user, at the socket of commands."""

    def start(self):
        super().start()
        self.mcpctl("boards", "-q", "sim", "--reconnect", "--devices", "5", "--device-id",
                    "02:00:00:00:05:01", "--connect", f"ws://127.0.0.1:{self.port}/")
        self.path = f"{self.work}/run/mcpctl/serve.sock"

    def converse(self, rng):
        out = []
        for _ in range(rng.randrange(1, 8)):
            if out and rng.random() < 0.4:
                data = mutate.document(rng, rng.choice(FRAMES))
                out.append(frames.control_some(rng, mutate.maybe_blind(rng, data, 0.1), b"t"))
            else:
                data = mutate.document(rng, rng.choice(ASKS))
                out.append(frames.control_some(rng, mutate.maybe_blind(rng, data, 0.1)))
        data = mutate.maybe_blind(rng, b"".join(out), 0.2)
        sock = socket.socket(socket.AF_UNIX)
        # It waits for room in the queue, which one with settimeout does not.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 10, 0))
        try:
            sock.connect(self.path)
        except OSError as why:
            raise Broken(f"the socket of serve: {why}") from None
        sock.settimeout(10)
        return Peer(sock, mutate.pieces(rng, data))


def free_port():
    """Below those that the system gives to others in the meantime."""
    import random
    while True:
        port = random.randrange(10000, 32000)
        with socket.socket() as sock:
            try:
                sock.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


KINDS = {"http": Http, "websocket": WebSocket, "mqtt": Mqtt, "udp": Udp, "control": Control}
