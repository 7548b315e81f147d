#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A known board among strangers: flood.py [--proxy] MCPCTL STRANGERS SECONDS FOLDER LIMIT [USUAL]

One serve with a board in its devices.json, and STRANGERS connections that want
it to have no place, no memory and no time for it: half heads, silent ones,
bodies that stall or drip, WebSockets that say nothing or half of a message,
questions without an end; what is closed comes again. They come from 300
addresses. For SECONDS, and ten times at least, the board is switched on: it
asks OTA, dials in, says hello, and a command calls it; each is timed. Prints
figures; status 1 and the reason if one of it failed, took above LIMIT seconds, or
one of ten took above USUAL: what others do on the machine may delay a few.

--proxy: they, and the board, come to a proxy before the OTA address of serve. It
knows the board since that came once before them.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import time

BOARD = "02:00:00:00:00:01"
CROWD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli/crowd.py")
# Of a hundred strangers.
MIX = {"idle": 10, "head": 20, "body": 20, "drip": 10, "upload": 5, "silent": 10,
       "message": 15, "ask": 10}
ADDRESSES = 300
AT_LEAST = 10


def event(log, pattern):
    """The first line of serve that has it, once it is there."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with open(log, encoding="utf-8") as lines:
            for line in lines:
                if re.search(pattern, line):
                    return line
        time.sleep(0.05)
    raise SystemExit(f"{log}: nobody said '{pattern}'")


def start(program, folder):
    os.makedirs(f"{folder}/config/mcpctl", exist_ok=True)
    os.environ.update(XDG_CONFIG_HOME=f"{folder}/config", MCPCTL_SOCKET=f"{folder}/serve.sock")
    with open(f"{folder}/config/mcpctl/devices.json", "w", encoding="utf-8") as names:
        json.dump({"kitchen": BOARD}, names)
    serve = command([program, "-o", "json", "serve", "--listen", "127.0.0.1:0"],
                    f"{folder}/serve.log")
    return serve, port_in(event(f"{folder}/serve.log", '"listening"'))


def command(arguments, log):
    with open(log, "wb") as out:
        return subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=out,
                                stderr=subprocess.STDOUT)


def port_in(line):
    return re.search(r"127\.0\.0\.1:(\d+)/", line).group(1)


def stand_before(program, port, folder):
    """A proxy before that serve; it has seen the board."""
    proxy = command([program, "proxy", "--listen", "127.0.0.1:0",
                     f"http://127.0.0.1:{port}/xiaozhi/ota/"], f"{folder}/proxy.log")
    port = port_in(event(f"{folder}/proxy.log", "restart it:"))
    before = switch_on(program, port)
    if isinstance(before, str):
        raise SystemExit(before)
    return proxy, port


def crowd(port, strangers, folder):
    kinds = [str(word) for kind, part in MIX.items() for word in (kind, strangers * part // 100)]
    with open(f"{folder}/crowd.out", "wb") as out:
        process = subprocess.Popen(
            ["/usr/bin/python3", CROWD, port, *kinds, "--again", f"--from={ADDRESSES}"],
            stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
    event(f"{folder}/crowd.out", "^there")
    return process


def switch_on(program, port):
    """Seconds until OTA was answered, and until the call was; or why not."""
    began = time.monotonic()
    done = subprocess.run(
        ["curl", "-sf", "-m", "60", "-H", f"Device-Id: {BOARD}", "-d", "{}",
         f"http://127.0.0.1:{port}/xiaozhi/ota/"], capture_output=True, check=False)
    asked = time.monotonic() - began
    if b"websocket" not in done.stdout:
        return f"OTA: {done.returncode} {done.stdout!r}"
    board = subprocess.Popen(
        [program, "-q", "sim", "--device-id", BOARD,
         "--ota", f"http://127.0.0.1:{port}/xiaozhi/ota/"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    began = time.monotonic()
    done = subprocess.run(
        [program, "-d", "kitchen", "--wait", "60s", "call", "self.get_device_status"],
        stdin=subprocess.DEVNULL, capture_output=True, check=False)
    called = time.monotonic() - began
    board.kill()
    said = board.communicate()[0]
    if done.returncode:
        return f"call: {done.stderr.decode()} board: {said.decode()}"
    return asked, called


def figures(name, seconds):
    print(f"{name}: median {statistics.median(seconds) * 1000:.0f} ms, "
          f"worst {max(seconds) * 1000:.0f} ms of {len(seconds)}")


def resident(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1)) / 1000


def ends_well(process):
    process.terminate()
    return process.wait() in (0, 143, -15)


def main():
    proxied = "--proxy" in sys.argv
    if proxied:
        sys.argv.remove("--proxy")
    program, strangers, seconds, folder, limit = (
        sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4], float(sys.argv[5]))
    usual = float(sys.argv[6]) if sys.argv[6:] else limit
    running = {}
    running["serve"], port = start(program, folder)
    if proxied:
        running["proxy"], port = stand_before(program, port, folder)
    print(f"{strangers} strangers from {ADDRESSES} addresses")
    many = crowd(port, strangers, folder)
    times, bad = [], None
    end = time.monotonic() + seconds
    while not bad and (time.monotonic() < end or len(times) < AT_LEAST):
        took = switch_on(program, port)
        if isinstance(took, str):
            bad = took
            break
        times.append(took)
        if max(took) > limit:
            bad = f"it took {took} s"
    many.kill()
    many.wait()
    slow = [called for _, called in times if called > usual]
    if not bad and len(slow) * 10 > len(times):
        bad = f"{len(slow)} of {len(times)} calls took above {usual:g} s"
    if times:
        figures("OTA", [asked for asked, _ in times])
        figures("OTA, hello and an answered call", [called for _, called in times])
    for name, process in reversed(running.items()):
        print(f"memory of {name} at most {resident(process):.0f} MB, "
              f"log {os.path.getsize(f'{folder}/{name}.log') / 1000:.0f} kB")
        if not ends_well(process):
            bad = f"{name} ended with {process.returncode}"
    if bad:
        print(bad)
    return 1 if bad else 0


sys.exit(main())
