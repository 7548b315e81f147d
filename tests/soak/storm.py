#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""serve under reconnect storms: storm.py MCPCTL SECONDS CALLS BOARDS FOLDER

One serve, BOARDS simulated boards in four processes that are killed and started
again or kicked all the time, and commands that call for SECONDS, and go on until
CALLS calls were made. Each call has a number of its own, and a board answers
with its id and that number: each is answered once, by its own board, or the
command tells that the board is gone. The memory and the open files of serve are
taken with all boards there and nothing asked: after the first storm and at the
end, the mean of nine looks each time, since single ones swing by a tenth. Prints
figures; status 1 and the reason if one is not as it must be.
"""
import itertools
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import threading
import time

PROCESSES = 4
BATCH = 300        # calls of one command to one board
LOOKS = 9          # at the memory, each after a storm of all boards
PATIENCE = 120     # seconds until boards are back, on a busy machine
ECHO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "echo.json")


def board(number):
    return f"02:00:00:00:{number >> 8:02x}:{number & 255:02x}"


class Storm:
    def __init__(self, program, seconds, calls, boards, folder):
        self.program, self.seconds, self.calls = program, seconds, calls
        self.boards, self.folder = boards, folder
        self.numbers = itertools.count(1)
        self.lock = threading.Lock()
        self.answered = self.gone = self.storms = self.kicked = 0
        self.broken = []
        self.stopping = threading.Event()
        self.fleets = [None] * PROCESSES
        self.until = self.enough = 0
        self.serve, self.port = None, 0
        os.environ["MCPCTL_SOCKET"] = f"{folder}/serve.sock"

    # ---- processes ----

    def start(self):
        with open(f"{self.folder}/serve.log", "wb") as log:
            self.serve = subprocess.Popen(
                [self.program, "-q", "serve", "--listen", "127.0.0.1:0"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        end = time.monotonic() + PATIENCE
        while not self.port:
            done = self.ask("devices", "-o", "json")
            if done.returncode in (0, 7) or b"no device" in done.stderr:
                self.port = self.listening()
            if time.monotonic() > end:
                raise SystemExit("serve does not listen")
            time.sleep(0.1)

    def listening(self):
        """The port that serve has, as the system tells it."""
        nodes = set()
        for name in os.listdir(f"/proc/{self.serve.pid}/fd"):
            try:
                nodes.update(re.findall(r"socket:\[(\d+)\]", os.readlink(
                    f"/proc/{self.serve.pid}/fd/{name}")))
            except OSError:
                pass
        with open("/proc/net/tcp", encoding="ascii") as table:
            for line in list(table)[1:]:
                words = line.split()
                if words[3] == "0A" and words[9] in nodes:
                    return int(words[1].split(":")[1], 16)
        return 0

    def dial(self, number):
        each = self.boards // PROCESSES
        self.fleets[number] = subprocess.Popen(
            [self.program, "-q", "sim", ECHO, "--reconnect", "--devices", str(each), "--device-id",
             board(number * each + 1), "--connect", f"ws://127.0.0.1:{self.port}/"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self, number):
        self.fleets[number].kill()
        self.fleets[number].wait()

    def ask(self, *words, script=None):
        return subprocess.run((self.program,) + words, input=script or b"", capture_output=True,
                              check=False)

    def all_ready(self):
        """Until every board is there."""
        end = time.monotonic() + PATIENCE
        while True:
            ready = self.ask("devices", "-o", "json").stdout.count(b'"state":"ready"')
            if ready == self.boards:
                return
            if time.monotonic() > end:
                self.fail(f"{ready} of {self.boards} boards are ready after {PATIENCE} s")
                return
            time.sleep(0.2)

    def all_gone(self):
        """Until no board is there."""
        end = time.monotonic() + PATIENCE
        while b'"state"' in self.ask("devices", "-o", "json", "--wait", "10ms").stdout:
            if time.monotonic() > end:
                self.fail(f"boards are still there after {PATIENCE} s")
                return
            time.sleep(0.2)

    def held(self):
        """(kB of memory, open files) of serve: the mean of some looks, and the last."""
        looks = [self.look()]
        while len(looks) < LOOKS and not self.broken:
            looks.append(self.look())
        print("memory:", ", ".join(f"{memory} kB" for memory, _ in looks), flush=True)
        return round(statistics.mean(memory for memory, _ in looks)), looks[-1][1]

    def look(self):
        """(kB of memory, open files) of serve, after a storm of all boards, in peace.

        Who came amid calls stands between what those left: that is chance, and
        up to a tenth more or less.
        """
        for number in range(PROCESSES):
            self.kill(number)
        self.all_gone()
        for number in range(PROCESSES):
            self.dial(number)
        self.all_ready()
        time.sleep(5)
        with open(f"/proc/{self.serve.pid}/status", encoding="ascii") as status:
            memory = int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))
        return memory, self.files()

    def files(self):
        return len(os.listdir(f"/proc/{self.serve.pid}/fd"))

    # ---- the storm ----

    def fail(self, why):
        with self.lock:
            self.broken.append(why)
        self.stopping.set()

    def gust(self, rng, which):
        """Those processes of boards are killed, and start again."""
        for number in which:
            self.kill(number)
        self.stopping.wait(rng.choice([0, 0.2, 2]))
        for number in which:
            self.dial(number)
        self.storms += 1

    def blow(self):
        """Storms, each of another kind, until it is over; first one of all boards."""
        rng = random.Random(1)
        self.stopping.wait(1)
        self.gust(rng, range(PROCESSES))
        while not self.stopping.wait(rng.uniform(1, 6)):
            if rng.random() < 0.4:
                done = self.ask("-q", "kick", f"02:00:00:00:{rng.randrange(4):02x}:*")
                self.kicked += done.returncode == 0
            else:
                self.gust(rng, rng.sample(range(PROCESSES), rng.choice([1, 1, 2, PROCESSES])))

    def count(self, answered, gone):
        with self.lock:
            self.answered += answered
            self.gone += gone
            enough = self.answered + self.gone >= self.enough
        if enough and time.monotonic() > self.until:
            self.stopping.set()

    def call_one(self):
        """A script of calls to one board, again and again."""
        rng = random.Random(next(self.numbers))
        while not self.stopping.is_set():
            ident = board(rng.randrange(self.boards) + 1)
            with self.lock:
                numbers = [next(self.numbers) for _ in range(BATCH)]
            script = "".join(f"call self.echo number={n}\n" for n in numbers).encode()
            done = self.ask("-o", "json", "--timeout", "60s", "--wait", "60s", "-d", ident,
                            "run", "-k", "-", script=script)
            self.judge_one(ident, numbers, done)

    def judge_one(self, ident, numbers, done):
        told, before = set(), False
        for line in done.stderr.splitlines():
            error = json.loads(line).get("error")
            if not error:
                continue
            at = re.match(r"stdin:(\d+): ", error["message"])
            is_gone = error["kind"] == "connect" or error["code"] == -32050
            if at and is_gone:
                told.add(numbers[int(at.group(1)) - 1])
            elif at:
                self.fail(f"{ident}: {line.decode()}")
            elif is_gone and not done.stdout:
                before = True
        if before and not told:
            told = set(numbers)
        expected = [f"{ident} {n}" for n in numbers if n not in told]
        got = [json.loads(line)["content"][0]["text"] for line in done.stdout.splitlines()]
        if got != expected:
            odd = [pair for pair in itertools.zip_longest(expected, got) if pair[0] != pair[1]]
            self.fail(f"{ident}: {len(got)} answers, {len(told)} gone, of {len(numbers)}; first "
                      f"wrong, expected and got: {odd[0]}; {done.stderr[-500:].decode()}")
        self.count(len(got), len(told))

    def call_all(self):
        """The same number to all boards at once, each answer with its own id."""
        while not self.stopping.is_set():
            with self.lock:
                number = next(self.numbers)
            done = self.ask("--all", "-o", "json", "--timeout", "60s", "call", "self.echo",
                            f"number={number}")
            seen, answered, gone = set(), 0, 0
            for line in done.stdout.splitlines():
                row = json.loads(line)
                ident = row["device"]["id"]
                if ident in seen:
                    self.fail(f"two rows of {ident} for {number}")
                seen.add(ident)
                if "reply" in row:
                    answered += 1
                    text = row["reply"].get("result", {}).get("content", [{}])[0].get("text")
                    if text != f"{ident} {number}":
                        self.fail(f"--all: {ident} {number} was answered: {line.decode()}")
                elif row["error"]["kind"] == "connect" or row["error"]["code"] == -32050:
                    gone += 1
                else:
                    self.fail(f"--all: {line.decode()}")
            self.count(answered, gone)
            self.stopping.wait(0.5 if seen else 0.1)

    def under(self, seconds, calls):
        """Calls and storms at once, for so long and so many at least."""
        self.stopping.clear()
        self.until, self.enough = time.monotonic() + seconds, calls
        threads = [threading.Thread(target=work) for work in (
            self.call_one, self.call_one, self.call_one, self.call_all, self.blow)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def whole(self):
        self.start()
        for number in range(PROCESSES):
            self.dial(number)
        self.all_ready()
        self.under(5, 1)
        first = self.held()
        began, before = time.monotonic(), self.answered + self.gone
        if not self.broken:
            self.under(self.seconds, before + self.calls)
        took = time.monotonic() - began
        last = self.held()
        calls = self.answered + self.gone - before
        print(f"{calls} calls in {took:.0f} s, {calls / took:.0f} a second; in all {self.answered} answered, "
              f"{self.gone} told as gone; {self.storms} storms, {self.kicked} kicks; memory "
              f"{first[0]} kB after the first storm, {last[0]} kB at the end "
              f"({100 * last[0] / first[0] - 100:+.1f} %); files {first[1]}, {last[1]}")
        if last[0] > first[0] * 1.05:
            self.fail("serve holds over 5 % more memory than after the first storm")
        if last[1] != first[1]:
            self.fail("serve holds another number of open files than after the first storm")
        self.close()

    def close(self):
        self.serve.send_signal(signal.SIGTERM)
        if self.serve.wait(PATIENCE) not in (143, -signal.SIGTERM):
            self.fail(f"serve ended with status {self.serve.returncode}")

    def end(self):
        for process in self.fleets + [self.serve]:
            if process and process.poll() is None:
                process.kill()
                process.wait()


def main():
    storm = Storm(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
    try:
        storm.whole()
    finally:
        storm.stopping.set()
        storm.end()
    for why in storm.broken[:10]:
        print(why, file=sys.stderr)
    sys.exit(bool(storm.broken))


if __name__ == "__main__":
    main()
