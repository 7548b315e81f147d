#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Run a command in a terminal and write what came there to stdout:
in_terminal.py COLUMNS ROWS COMMAND…. Its status is the command's."""
import fcntl
import os
import pty
import struct
import sys
import termios

columns, rows, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.execvp(command[0], command)
while True:
    try:
        came = os.read(terminal, 65536)
    except OSError:
        break
    if not came:
        break
    sys.stdout.buffer.write(came)
    sys.stdout.buffer.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256)
