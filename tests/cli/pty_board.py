# SPDX-License-Identifier: MIT
"""A board's serial port on a pseudo-terminal.

usage: pty_board.py LINK FIFO

LINK becomes the device. What is written into FIFO comes out of it, but for
lines of their own: '!unplug' takes it away, '!plug' brings it back, '!end'
ends it. '\\xNN' in a line stands for a byte, a line that ends with '\\c' has
no end.
"""

import os
import sys
import tty


def plug(link):
    master, slave = os.openpty()
    tty.setraw(slave)
    name = os.ttyname(slave)
    os.symlink(name, link + ".new")
    os.rename(link + ".new", link)
    os.close(slave)
    return master


def main():
    link, fifo = sys.argv[1:]
    os.mkfifo(fifo)
    master = plug(link)
    print("ready", flush=True)
    while True:
        with open(fifo, "rb") as lines:
            for line in lines:
                word = line.rstrip(b"\n")
                if word == b"!end":
                    return
                if word == b"!unplug":
                    os.unlink(link)
                    os.close(master)
                elif word == b"!plug":
                    master = plug(link)
                else:
                    end = b"" if word.endswith(b"\\c") else b"\r\n"
                    text = word.removesuffix(b"\\c").decode("utf-8", "surrogateescape")
                    data = text.encode("utf-8", "surrogateescape")
                    data = data.decode("unicode_escape").encode("latin-1") if b"\\x" in data else data
                    os.write(master, data + end)


main()
