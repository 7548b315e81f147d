# SPDX-License-Identifier: MIT
"""Changes what a peer says: values of a JSON document, bytes, and the order of
what is said. All of it hangs on the random.Random that is given."""
import json

HUGE = 70000
TEXTS = [
    "", " ", "\x1b[31mred", "\x1b]0;owned\x07", "\x1bPq\x1b\\", "\x00", "a\x00b",
    "\x9b31m\x85\x90", "\u202ereversed\u2066", "hid\u200bden\u00ad", "\ufeff",
    "\U000e0041", "A" * HUGE, "\u00e9" * 3000, "%s%n%x", "../" * 40 + "etc/passwd",
    "/dev/stdin", "${HOME}", "$(id)", "line\r\nX: y\n", "\"'\\", "\ud800", "\U0001f600",
    "self.get_device_status", "notifications/progress", "null", "\x7f\b\x08\x0c",
]
NUMBERS = [0, -1, 1, 255, 256, 65535, 65536, 2**31 - 1, 2**31, -2**31 - 1, 2**32,
           2**53 + 1, 2**63 - 1, 2**63, 2**64, 10**40, 0.5, -0.0, 1e308]
# Text that no serializer writes; put in by its place.
RAW = ["1e999", "-", "01", "[" * 3000, "{\"a\":" * 1500, "nul", "\"\\ud800\"",
       "\"\\u0000\"", "'x'", "NaN", "1E400", "0x10", "\"\x1b[2J\"", "[1,]", "{\"a\":1,\"a\":2}",
       "\"" + "\\u001b" * 200 + "\"", "1" * 5000, "tru", "\"\\q\"", "//x\n1"]
BYTES = [b"\x00", b"\xff", b"\x1b", b"\r\n", b"\n", b"\r", b":", b" ", b"\t", b"{", b"}",
         b"\"", b"\\", b"\xc2\x9b", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf",
         b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"\x80\x00", b"0", b"-1", b"%00"]
PLACE = "place-of-raw-text"


def nodes(value, found, path=()):
    found.append(path)
    if isinstance(value, dict):
        for key in value:
            nodes(value[key], found, path + (key,))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            nodes(item, found, path + (index,))


def hostile(rng):
    """A value that nobody asked for."""
    return rng.choice([
        lambda: rng.choice(TEXTS), lambda: rng.choice(NUMBERS), lambda: None,
        lambda: rng.choice([True, False]), lambda: {}, lambda: [],
        lambda: [hostile(rng)], lambda: {rng.choice(TEXTS): rng.choice(TEXTS)},
        lambda: [0] * 2000, lambda: {str(n): n for n in range(500)},
    ])()


def change(rng, value):
    """Changes one node of the document; returns it."""
    found = []
    nodes(value, found)
    path = rng.choice(found)
    if not path:
        return hostile(rng) if rng.random() < 0.1 else value
    at = value
    for step in path[:-1]:
        at = at[step]
    last = path[-1]
    kind = rng.randrange(8)
    if kind == 0:
        del at[last]
    elif kind == 1 and isinstance(at, list):
        at.extend(at[:50])
    elif kind == 2 and isinstance(at, dict):
        at[rng.choice(TEXTS)] = at[last]
    elif kind == 3:
        at[last] = PLACE
    else:
        at[last] = hostile(rng)
    return value


def document(rng, value, changes=None):
    """The JSON text of value with that many changes, as bytes."""
    value = json.loads(json.dumps(value))
    for _ in range(rng.randrange(4) if changes is None else changes):
        value = change(rng, value)
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5)
    while f'"{PLACE}"' in text:
        text = text.replace(f'"{PLACE}"', rng.choice(RAW), 1)
    return text.encode("utf-8", "surrogatepass")


def blind(rng, data, changes=None):
    """The bytes with some flipped, cut, doubled, put in."""
    data = bytearray(data)
    for _ in range(rng.randrange(1, 5) if changes is None else changes):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(7)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at:at] = rng.choice(BYTES)
        elif kind == 2:
            del data[at:at + rng.randrange(1, 20)]
        elif kind == 3:
            del data[at:]
        elif kind == 4:
            data[at:at] = data[at:at + rng.randrange(1, 200)] * rng.randrange(1, 4)
        elif kind == 5:
            data[at:at] = rng.randbytes(rng.randrange(1, 30))
        else:
            data[at:at + 1] = rng.choice(BYTES) * rng.choice([1, 1, 2, 100, 5000])
    return bytes(data)


def maybe_blind(rng, data, often=0.15):
    return blind(rng, data) if rng.random() < often else data


def order(rng, parts):
    """Some left out, some twice, some in another place."""
    parts = list(parts)
    for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
        if not parts:
            break
        at = rng.randrange(len(parts))
        kind = rng.randrange(4)
        if kind == 0:
            del parts[at]
        elif kind == 1:
            parts[at:at] = [parts[at]] * rng.choice([1, 1, 5, 50])
        elif kind == 2:
            parts.insert(rng.randrange(len(parts)), parts.pop(at))
        else:
            del parts[at + 1:]
    return parts


def pieces(rng, data):
    """The same bytes as they may come from a socket."""
    kind = rng.randrange(4)
    if kind < 2 or not data:
        return [data] if data else []
    if kind == 2:
        cut = rng.randrange(len(data))
        return [part for part in (data[:cut], data[cut:]) if part]
    size = max(1, len(data) // rng.randrange(2, 40))
    return [data[at:at + size] for at in range(0, len(data), size)]
