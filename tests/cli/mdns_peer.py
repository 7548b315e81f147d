# SPDX-License-Identifier: MIT
"""Multicast DNS on loopback, as one who asks, hears, or has a name himself."""
import socket
import struct
import time

GROUP = ("224.0.0.251", 5353)
SERVICE = [b"_mcp", b"_tcp", b"local"]
KINDS = [b"_services", b"_dns-sd", b"_udp", b"local"]
PTR, TXT, A, SRV, ANY = 12, 16, 1, 33, 255
PATIENCE = 30


def name(labels):
    return b"".join(bytes([len(x)]) + x for x in labels) + b"\0"


def question(labels, kind, unicast=False):
    return name(labels) + struct.pack("!HH", kind, 0x8001 if unicast else 1)


def record(labels, kind, data, ttl=120):
    return name(labels) + struct.pack("!HHIH", kind, 1, ttl, len(data)) + data


def place(port, host):
    """The data of an SRV record."""
    return struct.pack("!HHH", 0, 0, port) + name(host)


def packet(questions=(), answers=(), claims=(), flags=0, ident=0):
    return struct.pack("!HHHHHH", ident, flags, len(questions), len(answers), len(claims), 0) + \
        b"".join(questions) + b"".join(answers) + b"".join(claims)


def opened(port=0, bind="127.0.0.1"):
    """A socket that sends on loopback; from 5353 it hears the group, too."""
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
    s.bind((GROUP[0] if port else bind, port))
    if port:
        s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                     socket.inet_aton(GROUP[0]) + socket.inet_aton("127.0.0.1"))
    s.settimeout(PATIENCE)
    return s


class Packet:
    """id, flags; questions (labels, kind); answers and more (labels, kind, ttl, data)."""

    def __init__(self, data):
        self.data = data
        self.id, self.flags, *counts = struct.unpack("!HHHHHH", data[:12])
        self.at = 12
        self.questions = [self.question() for _ in range(counts[0])]
        self.answers, self.claims, self.more = [[self.record() for _ in range(n)] for n in counts[1:]]
        assert self.at == len(data), "bytes are left over"

    def labels(self):
        out, at, end = [], self.at, None
        while True:
            size = self.data[at]
            if size >= 0xc0:
                end = end or at + 2
                at = (size & 0x3f) << 8 | self.data[at + 1]
                continue
            at += 1
            if not size:
                break
            out.append(self.data[at:at + size])
            at += size
        self.at = end or at
        return out

    def question(self):
        labels = self.labels()
        kind, _ = self.take("!HH")
        return labels, kind

    def take(self, form):
        size = struct.calcsize(form)
        self.at += size
        return struct.unpack(form, self.data[self.at - size:self.at])

    def record(self):
        labels = self.labels()
        kind, _, ttl, size = self.take("!HHIH")
        end = self.at + size
        data = self.data[self.at:end]
        if kind == PTR:
            data = self.labels()
        elif kind == SRV:
            _, _, port = self.take("!HHH")
            data = (port, self.labels())
        self.at = end
        return labels, kind, ttl, data


def heard(s, fits, timeout=PATIENCE):
    """The first packet that fits."""
    end = time.monotonic() + timeout
    while True:
        s.settimeout(max(0.01, end - time.monotonic()))
        p = Packet(s.recvfrom(9000)[0])
        if fits(p):
            return p


def told(s, question, fits):
    """What all are told: asked again, since what they heard a moment ago is not repeated."""
    end = time.monotonic() + PATIENCE
    while True:
        s.sendto(question, GROUP)
        try:
            return heard(s, lambda p: p.flags & 0x8000 and fits(p), 0.5)
        except socket.timeout:
            assert time.monotonic() < end


def asked(labels, kind, bind="127.0.0.1", ident=7):
    """The answer to who asks as other DNS does."""
    s = opened(bind=bind)
    s.sendto(packet([question(labels, kind)], ident=ident), GROUP)
    p = Packet(s.recvfrom(9000)[0])
    assert p.id == ident and p.flags == 0x8400 and p.questions == [(labels, kind)], vars(p)
    return p


def kinds(records):
    return sorted(r[1] for r in records)
