# SPDX-License-Identifier: MIT
"""The frames of WebSocket, MQTT and the control socket: well made, or as a
random.Random likes."""
import base64
import hashlib
import struct

# ---- WebSocket ----


def ws_frame(data, opcode=1, fin=True, mask=b"\x01\x02\x03\x04", rsv=0, size=None):
    """size: what the head says, where it is a lie; mask None: without one."""
    said = len(data) if size is None else size
    head = bytes([(128 if fin else 0) | rsv << 4 | opcode])
    masked = 128 if mask else 0
    if said < 126:
        head += bytes([masked | said])
    elif said < 65536:
        head += bytes([masked | 126]) + struct.pack(">H", said)
    else:
        head += bytes([masked | 127]) + struct.pack(">Q", said % 2**64)
    if not mask:
        return head + data
    long_mask = (mask * (len(data) // 4 + 1))[:len(data)]
    hidden = int.from_bytes(data, "big") ^ int.from_bytes(long_mask, "big")
    return head + mask + hidden.to_bytes(len(data), "big")


def ws_some(rng, data, opcode=1, masked=True):
    """The message in frames, of which some are odd."""
    mask = rng.randbytes(4) if masked else None
    kind = rng.randrange(24)
    if kind == 0:
        mask = None if masked else b"abcd"
    if kind == 1:
        return ws_frame(data, rng.randrange(16), rng.random() < 0.5, mask, rng.randrange(8))
    if kind == 2:
        sizes = [0, len(data) + 1, 125, 126, 65535, 2**20 + 1, 2**31, 2**32, 2**63, 2**64 - 1]
        return ws_frame(data, opcode, True, mask, 0, rng.choice(sizes))
    if kind in (3, 4, 5):
        cut = rng.randrange(len(data) + 1)
        between = ws_frame(b"x" * rng.choice([0, 3, 125, 126]), rng.choice([8, 9, 10]), True,
                           mask) if kind == 4 else b""
        return (ws_frame(data[:cut], opcode, False, mask) + between +
                ws_frame(data[cut:], 0 if kind != 5 else opcode, True, mask))
    if kind == 6:
        return b"".join(ws_frame(data[at:at + 1], 0 if at else opcode, at == len(data) - 1, mask)
                        for at in range(min(len(data), 300)))
    if kind == 7:
        body = rng.choice([b"", b"\x03", b"\x03\xe8", b"\x00\x00", b"\x03\xe8\xff\xfe",
                           b"\xff\xffbye", b"\x03\xe8" + b"r" * 123])
        return ws_frame(body, 8, True, mask) + ws_frame(data, opcode, True, mask)
    if kind == 8:
        return ws_frame(rng.randbytes(rng.choice([0, 5, 125, 126])), rng.choice([9, 10]), True,
                        mask) + ws_frame(data, opcode, True, mask)
    return ws_frame(data, opcode, True, mask)


def ws_read(data):
    """(opcode, payload, bytes used) of the first frame, or None."""
    if len(data) < 2:
        return None
    size, at = data[1] & 127, 2
    if size == 126:
        if len(data) < 4:
            return None
        size, at = struct.unpack(">H", data[2:4])[0], 4
    elif size == 127:
        if len(data) < 10:
            return None
        size, at = struct.unpack(">Q", data[2:10])[0], 10
    mask = b""
    if data[1] & 128:
        mask, at = bytes(data[at:at + 4]), at + 4
    if len(data) < at + size:
        return None
    body = bytes(data[at:at + size])
    if mask:
        body = bytes(byte ^ mask[n & 3] for n, byte in enumerate(body))
    return data[0] & 15, body, at + size


def ws_accept(key):
    digest = hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
    return base64.b64encode(digest)


def audio(rng, version):
    data = rng.randbytes(rng.choice([0, 1, 3, 60, 400]))
    said = rng.choice([len(data)] * 5 + [0, len(data) + 1, 65535, 2**32 - 1])
    if version == 2:
        return struct.pack(">HHIII", rng.choice([2, 2, 2, 0, 9]), rng.choice([0, 0, 1, 7]),
                           0, rng.randrange(2**32), said) + data
    if version == 3:
        return struct.pack(">BBH", rng.choice([0, 0, 1, 9]), 0, said & 65535) + data
    return data


# ---- MQTT 3.1.1 ----


def mqtt_size(size):
    data = b""
    while True:
        data += bytes([size & 127 | (128 if size > 127 else 0)])
        size >>= 7
        if not size:
            return data


def mqtt_packet(head, body, size=None):
    return bytes([head]) + mqtt_size(len(body) if size is None else size) + body


def mqtt_text(text):
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return struct.pack(">H", min(len(data), 65535)) + data[:65535]


def mqtt_connect(client_id, flags=2, extra=b""):
    return mqtt_packet(0x10, mqtt_text("MQTT") + bytes([4, flags, 0, 240]) +
                       mqtt_text(client_id) + extra)


def mqtt_publish(topic, data, head=0x30):
    return mqtt_packet(head, mqtt_text(topic) + (b"\0\1" if head & 6 else b"") + data)


def mqtt_subscribe(topic):
    return mqtt_packet(0x82, b"\0\1" + mqtt_text(topic) + b"\0")


def mqtt_some(rng, packet):
    """The packet, not empty, or another length, kind or flag of it."""
    kind = rng.randrange(14)
    body = packet[3:] if packet[1:2] > b"\x7f" else packet[2:]
    if kind == 0:
        return mqtt_packet(rng.randrange(256), body)
    if kind == 1:
        return mqtt_packet(packet[0], body, rng.choice([0, 1, len(body) + 1, 2**14, 2**21, 2**28 - 1]))
    if kind == 2:
        return packet[:1] + b"\xff\xff\xff\xff\xff" + body
    if kind == 3:
        return packet[:1] + packet[1:].replace(b"\0", b"\xff", 1)
    return packet


def mqtt_read(data):
    """(head, body, bytes used) of the first packet, or None."""
    size, at = 0, 1
    while True:
        if at >= len(data) or at > 4:
            return None
        size |= (data[at] & 127) << 7 * (at - 1)
        at += 1
        if not data[at - 1] & 128:
            break
    if len(data) < at + size:
        return None
    return data[0], bytes(data[at:at + size]), at + size


# ---- MQTT 5 ----


def mqtt5_number(data, at):
    """(the variable byte integer there, where it ends)."""
    value = shift = 0
    while True:
        byte, at = data[at], at + 1
        value |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            return value, at


def mqtt5_texts(data, at, count):
    found = []
    for _ in range(count):
        size = struct.unpack(">H", data[at:at + 2])[0]
        found.append(data[at + 2:at + 2 + size].decode(errors="replace"))
        at += 2 + size
    return found


def mqtt5_publish(topic, data, pairs=(), head=0x30):
    """pairs: user properties."""
    own = b"".join(b"\x26" + mqtt_text(name) + mqtt_text(value) for name, value in pairs)
    return mqtt_packet(head, mqtt_text(topic) + (b"\0\1" if head & 6 else b"") + mqtt_size(len(own)) + own + data)


def mqtt5_published(flags, body):
    """(topic, number or nothing, properties, data) of a PUBLISH."""
    size = struct.unpack(">H", body[:2])[0]
    topic, at = body[2:2 + size].decode(errors="replace"), 2 + size
    number, at = (body[at:at + 2], at + 2) if flags & 6 else (b"", at)
    size, at = mqtt5_number(body, at)
    return topic, number, body[at:at + size], body[at + size:]


# ---- the control socket ----


def control_frame(data, kind=b"j", size=None, zero=b"\0\0\0"):
    return struct.pack(">I", len(data) if size is None else size) + kind + zero + data


def control_some(rng, data, kind=b"j"):
    odd = rng.randrange(16)
    if odd == 0:
        return control_frame(data, rng.choice([b"t", b"b", b"j", b"x", b"\0"]))
    if odd == 1:
        return control_frame(data, kind, rng.choice([0, 1, len(data) + 1, 17 << 20, 2**32 - 1]))
    if odd == 2:
        return control_frame(data, kind, None, b"\0\1\0")
    return control_frame(data, kind)
