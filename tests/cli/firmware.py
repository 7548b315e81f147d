# SPDX-License-Identifier: MIT
"""An image of ESP-IDF that says of itself what is wanted: firmware.py FILE
VERSION [BYTES [CHIP]]. BYTES of its second segment; CHIP: its number."""
import hashlib
import struct
import sys

name, version = sys.argv[1], sys.argv[2].encode()
size = int(sys.argv[3]) if len(sys.argv) > 3 else 100_000
chip = int(sys.argv[4]) if len(sys.argv) > 4 else 9

descriptor = struct.pack("<I12x32s32s16s16s32s32s80x", 0xABCD5432, version, b"xiaozhi", b"10:11:12",
                         b"Nov 23 2026", b"v5.5.1", hashlib.sha256(version).digest())
segments = [descriptor, bytes(range(256)) * (size // 256)]
image = struct.pack("<BBBBI4xHB4x4xB", 0xE9, len(segments), 2, 0x4F, 0x40374000, chip, 0, 1)
for segment in segments:
    image += struct.pack("<II", 0x3C000020, len(segment)) + segment
total = 0xEF
for byte in b"".join(segments):
    total ^= byte
image += bytes(15 - len(image) % 16) + bytes([total])
with open(name, "wb") as out:
    out.write(image + hashlib.sha256(image).digest())
