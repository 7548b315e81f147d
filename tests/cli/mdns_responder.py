#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Stands in for servers that announce themselves, on loopback: answers
questions of multicast DNS. mdns_responder.py lamp|pieces|hostile|found [PORT…];
of lamp and found the ports where a server is."""
import os
import socket
import struct
import sys

GROUP = ("224.0.0.251", 5353)
SERVICE = [b"_mcp", b"_tcp", b"local"]
PTR, TXT, A, SRV = 12, 16, 1, 33


def name(labels):
    return b"".join(bytes([len(x)]) + x for x in labels) + b"\0"


def record(labels, kind, data, ttl=120):
    return name(labels) + struct.pack("!HHIH", kind, 0x8001, ttl, len(data)) + data


def text(*strings):
    return b"".join(bytes([len(x)]) + x for x in strings)


def service(label, host, port, *strings, address="127.0.0.1"):
    instance = [label] + SERVICE
    return [record(SERVICE, PTR, name(instance)),
            record(instance, SRV, struct.pack("!HHH", 0, 0, port) + name(host)),
            record(instance, TXT, text(*strings)),
            record(host, A, socket.inet_aton(address))]


def packet(asked, records):
    return asked[:2] + struct.pack("!HHHHH", 0x8400, 0, 1, 0, len(records) - 1) + b"".join(records)


PORTS = [int(x) for x in sys.argv[2:]]


def lamp(asked):
    yield packet(asked, service(b"Desk Lamp", [b"lamp", b"local"], PORTS[0], b"version=1", b"path=/mcp_server"))
    yield packet(asked, service(b"Bare", [b"bare", b"local"], 8080, address="10.1.2.3"))


def pieces(asked):
    """What belongs to it only when it is asked for; behind the last of that, another one."""
    kind = struct.unpack("!H", asked[-4:-2])[0]
    every = service(b"Slow", [b"slow", b"local"], 8123, b"path=/x")
    yield packet(asked, [every[[PTR, SRV, TXT, A].index(kind)]])
    if kind == A:
        yield packet(asked, service(b"Last", [b"last", b"local"], 80))


def found(asked):
    """As mcpd, solnera and somebody who wants others to be dialled."""
    http, ws = b"%d" % PORTS[0], b"%d" % PORTS[1]
    yield packet(asked, service(b"mcpd", [b"mcpd", b"local"], PORTS[0], b"version=0.3.1",
                                b"path=/mcp", b"ws_port=" + ws))
    yield packet(asked, service(b"solnera", [b"sol", b"local"], 1, b"endpoint=http://SOL.local:" + http + b"/mcp"))
    yield packet(asked, service(b"points away", [b"away", b"local"], PORTS[0], b"path=/mcp",
                                b"endpoint=http://192.0.2.1:" + http + b"/x", b"ws_port=70000"))
    yield packet(asked, service(b"is not there", [b"nil", b"local"], PORTS[2], b"path=/mcp"))


def hostile(asked):
    yield os.urandom(600)
    yield asked[:2] + struct.pack("!HHHHH", 0x8400, 0, 65535, 0, 65535) + b"\xc0\x0c" * 50
    yield packet(asked, [record(SERVICE, PTR, b"\xc0\x0c")])
    yield packet(asked, service(b"\x1b[31mred\n\xff", [b"a;reboot", b"local"], 80, b"path=/x;reboot"))
    yield packet(asked, service(b"portless", [b"p", b"local"], 0))
    yield packet(asked, service(b"elsewhere", [b"e", b"local"], 80, b"path=http://evil/"))
    for i in range(150):
        yield packet(asked, service(b"many %03d" % i, [b"h%d" % i, b"local"], 80))
    # What is too many comes at once.
    yield packet(asked, [record(SERVICE, PTR, name([b"more %03d" % i] + SERVICE)) for i in range(100)])


answers = {"lamp": lamp, "pieces": pieces, "hostile": hostile, "found": found}[sys.argv[1]]
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(GROUP)
s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
             socket.inet_aton(GROUP[0]) + socket.inet_aton("127.0.0.1"))
print("ready", flush=True)
while True:
    asked, who = s.recvfrom(9000)
    for answer in answers(asked):
        s.sendto(answer, who)
