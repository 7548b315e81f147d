# SPDX-License-Identifier: MIT
"""What all attacks share: many sockets in one loop, the program under attack,
what it printed, and the verdict."""
import collections
import os
import random
import re
import selectors
import signal
import socket
import subprocess
import time

WIDTH = 24        # conversations at once
LIVES = [0.03, 0.1, 0.1, 0.2, 0.6]  # seconds that one may take
PATIENCE = 60     # seconds that a busy machine may take for what must happen
GROWTH = 96 << 10  # kB that the program may hold more at the end than at first
KEPT = 300        # conversations that are written down when something breaks
SANITIZED = re.compile(rb"ERROR: \w+Sanitizer|runtime error:|SUMMARY: \w+Sanitizer")
# C0 but tab and newline, DEL, and C1 as UTF-8.
RAW = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")


class Broken(Exception):
    """The program did what it must not do."""


class Peer:
    """One conversation: sends its pieces, and what `heard` answers to bytes."""

    def __init__(self, sock, out=(), heard=None, life=None):
        sock.setblocking(False)
        self.sock, self.heard = sock, heard
        self.out = collections.deque(out)
        self.sent, self.got = [], bytearray()
        self.until = time.monotonic() + (life or random.choice(LIVES))

    def wanted(self):
        return selectors.EVENT_READ | (selectors.EVENT_WRITE if self.out else 0)

    def ready(self, mask):
        """False when it is over."""
        try:
            if mask & selectors.EVENT_WRITE and self.out:
                count = self.sock.send(self.out[0])
                self.sent.append(self.out[0][:count])
                self.out[0] = self.out[0][count:]
                if not self.out[0]:
                    self.out.popleft()
            if mask & selectors.EVENT_READ:
                data = self.sock.recv(1 << 16)
                if not data:
                    return False
                self.got += data
                if self.heard:
                    self.out.extend(self.heard(self) or ())
                else:
                    self.got.clear()
        except BlockingIOError:
            pass
        except OSError:
            return False
        return time.monotonic() < self.until


def strange(rng):
    """One of this machine's many addresses: no single one is a flood."""
    return f"127.{rng.randrange(1, 255)}.{rng.randrange(256)}.{rng.randrange(1, 255)}"


def dial(port, rng=None):
    sock = socket.socket()
    if rng:
        sock.bind((strange(rng), 0))
    sock.setblocking(False)
    try:
        sock.connect(("127.0.0.1", port))
    except BlockingIOError:
        pass
    return sock


class Attack:
    """Subclasses give start, converse (a Peer), and may give each, alive, probe."""
    quiet_out = True   # stdout of the program holds no raw byte either

    def __init__(self, program, work, kept, seed, seconds):
        self.program, self.work, self.kept = program, work, kept
        self.seed, self.seconds = seed, seconds
        self.rng = random.Random(f"{seed}")
        self.number = 0
        self.open, self.past = {}, collections.deque(maxlen=KEPT)
        self.selector = selectors.DefaultSelector()
        self.processes = {}
        # What was freed is kept by the sanitizer for a while: not for long, so
        # that memory tells something.
        os.environ["ASAN_OPTIONS"] = "quarantine_size_mb=4:exitcode=99:intercept_tls_get_addr=0"
        os.environ["UBSAN_OPTIONS"] = "print_stacktrace=1:exitcode=99"

    # ---- processes ----

    def spawn(self, name, *words, **more):
        with open(f"{self.work}/{name}.out", "wb") as out, \
                open(f"{self.work}/{name}.err", "wb") as err:
            more.setdefault("stdin", subprocess.DEVNULL)
            more.setdefault("stdout", out)
            process = subprocess.Popen(words, stderr=err, cwd=self.work, **more)
        self.processes[name] = process
        return process

    def mcpctl(self, name, *words, **more):
        return self.spawn(name, self.program, *words, **more)

    def wait_for(self, name, pattern):
        """The first match in what that process printed."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with open(f"{self.work}/{name}", "rb") as file:
                found = re.search(pattern, file.read())
            if found:
                return found
            process = self.processes.get(name.rsplit(".", 1)[0])
            if process and process.poll() is not None:
                break
            time.sleep(0.05)
        raise Broken(f"never in {name}: {pattern.decode()}")

    def run(self, *words):
        """A whole command that must end well, within PATIENCE."""
        try:
            done = subprocess.run((self.program,) + words, stdin=subprocess.DEVNULL, cwd=self.work,
                                  capture_output=True, timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            raise Broken(f"no end within {PATIENCE} s: {' '.join(words)}") from None
        if done.returncode:
            raise Broken(f"status {done.returncode}: {' '.join(words)}: {done.stderr.decode()}")
        return done.stdout

    def until(self, what, check):
        """check() as often as it takes."""
        end = time.monotonic() + PATIENCE
        while not check():
            if time.monotonic() > end:
                raise Broken(f"never: {what}")
            time.sleep(0.05)

    def end(self, name, signal_number=signal.SIGTERM, status=143):
        process = self.processes.pop(name)
        if signal_number:
            process.send_signal(signal_number)
        try:
            got = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Broken(f"{name} does not end") from None
        if got not in (status, -(signal_number or 0)):
            raise Broken(f"{name} ended with status {got}, not {status}")

    def memory(self, name):
        with open(f"/proc/{self.processes[name].pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))

    # ---- the loop ----

    def add(self, peer):
        self.open[peer.sock] = peer
        self.selector.register(peer.sock, peer.wanted(), peer)

    def drop(self, peer):
        self.selector.unregister(peer.sock)
        del self.open[peer.sock]
        if self.rng.random() < 0.2:
            try:
                peer.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            except OSError:
                pass
        peer.sock.close()
        self.past.append(peer)

    def fill(self):
        """As many conversations as are held at once; for attacks on servers."""
        while len(self.open) < WIDTH:
            self.number += 1
            self.add(self.converse(random.Random(f"{self.seed}-{self.number}")))

    def turn(self):
        for key, mask in self.selector.select(0.02):
            if isinstance(key.data, Peer):
                if not key.data.ready(mask):
                    self.drop(key.data)
            else:
                key.data()
        now = time.monotonic()
        for peer in list(self.open.values()):
            if now > peer.until:
                self.drop(peer)
            elif self.selector.get_key(peer.sock).events != peer.wanted():
                self.selector.modify(peer.sock, peer.wanted(), peer)

    def attack(self):
        end = time.monotonic() + self.seconds
        while time.monotonic() < end:
            self.fill()
            self.turn()
            self.each()
            for name, process in self.processes.items():
                if name not in self.may_end() and process.poll() is not None:
                    raise Broken(f"{name} ended with status {process.returncode}")

    def each(self):
        """Once in each turn."""

    def may_end(self):
        """Names of processes whose end is judged elsewhere."""
        return ()

    # ---- the verdict ----

    def judge_output(self):
        for name in sorted(os.listdir(self.work)):
            if not name.endswith((".out", ".err")):
                continue
            with open(f"{self.work}/{name}", "rb") as file:
                text = file.read()
            if SANITIZED.search(text):
                raise Broken(f"{name}:\n{text[-6000:].decode(errors='replace')}")
            if name.endswith(".out") and not self.quiet_out:
                continue
            found = RAW.search(text)
            if found:
                around = text[max(0, found.start() - 100):found.start() + 100]
                raise Broken(f"a raw byte at {found.start()} of {name}: {around!r}")

    def write_down(self):
        """What was sent last, oldest first, into a folder of its own."""
        os.makedirs(self.kept, exist_ok=True)
        peers = list(self.past) + list(self.open.values())
        for number, peer in enumerate(peers):
            with open(f"{self.kept}/{number:03}", "wb") as file:
                file.write(b"".join(peer.sent))
        for name in os.listdir(self.work):
            if name.endswith((".out", ".err")):
                with open(f"{self.work}/{name}", "rb") as file, \
                        open(f"{self.kept}/{name}", "wb") as copy:
                    copy.write(file.read())

    def whole(self):
        """None, or what broke."""
        broken = None
        try:
            self.start()
            self.attack()
            for peer in list(self.open.values()):
                self.drop(peer)
            self.probe()
        except Broken as why:
            broken = str(why)
        finally:
            for process in self.processes.values():
                process.terminate()
            for process in self.processes.values():
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        try:
            self.judge_output()
        except Broken as why:
            broken = f"{broken or ''}\n{why}".strip()
        if broken or os.environ.get("ATTACK_WRITE"):
            self.write_down()
        return broken
