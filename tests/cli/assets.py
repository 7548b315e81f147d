# SPDX-License-Identifier: MIT
"""Assets as firmware reads them: assets.py FILE [BYTES]. BYTES of the second
of its two files."""
import struct
import sys

name = sys.argv[1]
size = int(sys.argv[2]) if len(sys.argv) > 2 else 1000

files = {b"index.json": b'{"version":1}', b"font.bin": bytes(range(256)) * (size // 256)}
table, data = b"", b""
for called, content in files.items():
    table += struct.pack("<32sIIHH", called, len(content), len(data), 0, 0)
    data += b"ZZ" + content
body = table + data
with open(name, "wb") as out:
    out.write(struct.pack("<III", len(files), sum(body) & 0xFFFF, len(body)) + body)
