#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""serve while boards come and go: tide.py MCPCTL TIDES BOARDS FOLDER

One serve. TIDES times BOARDS simulated boards dial in at once, each time others
(every Device-Id comes once), are all ready, answer a call each, and are killed.
The memory and the open files of serve are taken when all of them are there, and
when all are gone. Prints figures; status 1 and the reason if one is not as it
must be: memory that grows from tide to tide (steady.py; 20 tides show it), or
other files at the end than after the first.
"""
import re
import statistics
import subprocess
import sys
import time

import steady
from storm import ECHO, Storm

# Freed memory goes back within seconds: when two looks say the same.
CALM = 3


def ident(number):
    return ":".join(f"{b:02x}" for b in (0x020000000000 + number).to_bytes(6, "big"))


class Tide(Storm):
    def __init__(self, program, tides, boards, folder):
        super().__init__(program, 0, 0, boards, folder)
        self.tides, self.rows = tides, []
        self.fleets = []

    def rise(self, tide):
        self.fleets = [subprocess.Popen(
            [self.program, "-q", "sim", ECHO, "--devices", str(self.boards), "--device-id",
             ident(tide * self.boards + 1), "--connect", f"ws://127.0.0.1:{self.port}/"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)]
        self.all_ready()
        told = self.ask("--all", "-o", "json", "--timeout", "60s", "call", "self.echo",
                        f"number={tide}").stdout
        answered = sum(f" {tide}\"" .encode() in line for line in told.splitlines())
        if answered != self.boards:
            self.fail(f"tide {tide}: {answered} of {self.boards} boards answered")

    def fall(self):
        self.fleets[0].kill()
        self.fleets.pop().wait()
        self.all_gone()

    def memory(self):
        """kB of serve, once they do not change any more."""
        before = -1
        for _ in range(20):
            with open(f"/proc/{self.serve.pid}/status", encoding="ascii") as status:
                now = int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))
            if now == before:
                break
            before = now
            time.sleep(CALM)
        return now

    def one(self, tide):
        self.rise(tide)
        there = self.memory()
        self.fall()
        gone, files = self.memory(), self.files()
        self.rows.append((there, gone, files))
        print(f"tide {tide + 1}: {self.boards} boards there {there} kB, gone {gone} kB, "
              f"{files} files", flush=True)

    def judge(self, what, memory):
        a_tide = steady.growth(memory)
        if a_tide is None:
            print(f"boards {what}: {steady.FEWEST} tides at least show whether memory grows")
            return
        middle = statistics.median(memory[steady.FIRST:])
        print(f"boards {what}: {middle:.0f} kB, from {min(memory[steady.FIRST:])} to "
              f"{max(memory[steady.FIRST:])}, {a_tide:+.2f} % a tide, without the first "
              f"{steady.FIRST} tides")
        if steady.grows(memory):
            self.fail(f"the memory of serve with all boards {what} grows by {a_tide:.2f} % "
                      f"a tide, above {steady.BOUND} %")

    def whole(self):
        self.start()
        for tide in range(self.tides):
            self.one(tide)
            if self.broken:
                return
        there, gone, files = zip(*self.rows)
        self.judge("there", there)
        self.judge("gone", gone)
        if files[-1] != files[0]:
            self.fail(f"serve has {files[-1]} open files, after the first tide {files[0]}")
        self.close()


def main():
    tide = Tide(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    try:
        tide.whole()
    finally:
        tide.end()
    for why in tide.broken[:10]:
        print(why, file=sys.stderr)
    sys.exit(bool(tide.broken))


main()
