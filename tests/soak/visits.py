#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A host of the bridge while boards come and go: visits.py MCPCTL SECONDS VISITS FOLDER

One serve, a few boards, one host that started the bridge and calls all the time.
Boards are killed and started again, serve and the broker of some of them too, for SECONDS
and until boards went VISITS times. Each call has a number of its own, and a board
answers with its id and that number: each call is answered once, within its limit,
by its own board, or says why not; the host's connection never ends. Prints figures;
status 1 and the reason if one is not as it must be.
"""
import os
import random
import re
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../cli"))
# pylint: disable=wrong-import-position
from bridge_host import Host  # noqa: E402

BOARDS = 8
AT_BROKER = 2     # of them
LIMIT = 12        # seconds for a call
LATE = 10         # … and on a busy machine
SERVE_EACH = 100  # visits between two ends of serve
BROKER_EACH = 60  # … and of the broker


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Visits:
    def __init__(self):
        self.port = "0"
        self.serve = None
        self.broker = None
        self.mqtt = free_port()
        self.boards = {}
        self.numbers = 0
        self.good = 0
        self.failed = {}
        self.slowest = 0.0
        self.open = []

    def start_broker(self):
        with open("mosquitto.conf", "w", encoding="utf-8") as file:
            file.write(f"listener {self.mqtt} 127.0.0.1\nallow_anonymous true\n")
        self.broker = subprocess.Popen(["/usr/sbin/mosquitto", "-c", "mosquitto.conf"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start_serve(self):
        log = open("serve.log", "wb")
        self.serve = subprocess.Popen(["mcpctl", "-o", "json", "serve", "--listen", "127.0.0.1:" + self.port,
                                       "--mqtt-broker", f"mqtt://127.0.0.1:{self.mqtt}",
                                       "--topic-up", "up/{client_id}"],
                                      stdout=log, stderr=log)
        while True:
            found = re.search(rb"127\.0\.0\.1:(\d+)/xiaozhi", open("serve.log", "rb").read())
            if found:
                self.port = found.group(1).decode()
                return
            assert self.serve.poll() is None, open("serve.log", "rb").read()
            time.sleep(0.05)

    def start_board(self, number):
        way = ["--connect", f"ws://127.0.0.1:{self.port}/xiaozhi/v1/"]
        if number <= AT_BROKER:
            way = ["--ota", f"http://127.0.0.1:{self.port}/xiaozhi/ota/", "--subscribe"]
        self.boards[number] = subprocess.Popen(
            ["mcpctl", "sim", os.path.join(HERE, "echo.json"), "--device-id", f"02:00:00:00:00:{number:02d}",
             *way, "--reconnect"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def call(self, host):
        self.numbers += 1
        board = random.randint(1, BOARDS)
        ident = host.start_call(f"0000{board:02d}__echo", {"number": self.numbers})
        self.open.append((ident, board, self.numbers, time.monotonic()))

    def take(self, host):
        ident, board, number, began = self.open.pop(0)
        reply = host.reply(ident, LIMIT + LATE)
        took = time.monotonic() - began
        self.slowest = max(self.slowest, took)
        assert "result" in reply, reply
        text = reply["result"]["content"][0]["text"]
        if not reply["result"].get("isError"):
            assert text == f"02:00:00:00:00:{board:02d} {number}", (board, number, text)
            self.good += 1
            return
        assert f"0000{board:02d} " in text, (board, text)
        kind = re.sub(r"\(.*?\)|\d+", "", text)[:60]
        self.failed[kind] = self.failed.get(kind, 0) + 1

    def run(self, seconds, visits):
        self.start_broker()
        self.start_serve()
        for number in range(1, BOARDS + 1):
            self.start_board(number)
        host = Host("--timeout", f"{LIMIT}s", "--wait", f"{LIMIT - 2}s", "bridge", "--rate", "1000")
        host.initialize()
        for number in range(1, BOARDS + 1):
            host.until_tool(f"0000{number:02d}__echo")
        end, went, serves, brokers = time.monotonic() + seconds, 0, 0, 0
        while time.monotonic() < end or went < visits:
            for _ in range(6):
                self.call(host)
            number = random.randint(1, BOARDS)
            self.boards[number].kill()
            self.boards[number].wait()
            self.start_board(number)
            went += 1
            if went % SERVE_EACH == 0:
                self.serve.kill()
                self.serve.wait()
                self.start_serve()
                serves += 1
            if went % BROKER_EACH == 0:
                self.broker.kill()
                self.broker.wait()
                self.start_broker()
                brokers += 1
            while len(self.open) > 24:
                self.take(host)
        while self.open:
            self.take(host)
        assert host.ask("ping")["result"] == {}, "the host's connection stands"
        status, took = host.end()
        assert status == 0 and took < 5, (status, took)
        print(f"{went} times a board went, {serves} times serve, {brokers} times the broker: {self.numbers} calls, {self.good} answered by "
              f"their board, the slowest after {self.slowest:.1f} s; failed: {self.failed or 'none'}")
        assert self.good > self.numbers / 2, "most are answered"

    def close(self):
        for process in [*self.boards.values(), self.serve, self.broker]:
            if process:
                process.kill()
                process.wait()


def main():
    program, seconds, visits, folder = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    os.environ["PATH"] = os.path.dirname(program) + ":" + os.environ["PATH"]
    os.chdir(folder)
    visitors = Visits()
    try:
        visitors.run(seconds, visits)
    except AssertionError as failure:
        print("FAILED:", failure)
        return 1
    finally:
        visitors.close()
    return 0


sys.exit(main())
