# SPDX-License-Identifier: MIT
"""An MCP server on stdio whose end its parent is not told: undead_server.py FIFO.

A process of its own traces it, and so is told in place of its parent, until the
other end of FIFO is closed. It says "traced" on stderr once that is so, "not
traced" where that is not allowed, and "answered" behind each answer.
"""
import ctypes
import os
import sys

PR_SET_PTRACER, PTRACE_SEIZE = 0x59616D61, 0x4206

libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(PR_SET_PTRACER, ctypes.c_ulong(2**64 - 1), 0, 0, 0)
me = os.getpid()
said, says = os.pipe()
if os.fork() == 0:
    os.setsid()
    hold = os.open(sys.argv[1], os.O_RDONLY)
    failed = libc.ptrace(PTRACE_SEIZE, me, 0, 0)
    for fd in range(3):
        os.close(fd)
    os.write(says, b"no" if failed else b"ok")
    while os.read(hold, 100):
        pass
    os._exit(0)
print("traced" if os.read(said, 2) == b"ok" else "not traced", file=sys.stderr, flush=True)
for line in sys.stdin:
    print('{"jsonrpc":"2.0","id":1,"result":{}}', flush=True)
    print("answered", file=sys.stderr, flush=True)
