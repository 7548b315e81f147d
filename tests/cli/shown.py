#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every command of mcpctl, to a peer that shouts at the terminal: shown.py
SERVER-PROGRAM BACKEND-PORT. In every form of output, to a terminal and to pipes;
prints what reached them and must not. A board of that kind is at the running
serve already, with the id aa:00:00:00:00:01."""
import concurrent.futures
import os
import pty
import re
import shlex
import subprocess
import sys
import tty

SERVER, BACKEND = sys.argv[1], sys.argv[2]
# What a command shows of a peer, a line or more each; {server} is a target.
SHOWN = {
    "info": ["info", "-v info"],
    "ping": ["ping", "-v ping"],
    "targets": ["targets", "-t nothing ping", "targets --scan --interface lo --for 100ms",
                "targets --ping --timeout 1s"],
    "trust": ["trust", "trust .mcp.json", "trust --list", "-t folder ping"],
    "login": ["login", "login --list"],
    "logout": ["logout", "logout ws://[::1]:1/"],
    "tools": ["tools", "tools --tree", "tools nothing", "-v tools"],
    "describe": ["describe t", "describe nothing", "describe odd"],
    "call": ["call t", "call fails", "call refuses", "call odd", "call nothing", "call t n=7",
             "call t --expect '{\"x\":1}'", "-v call t", "call t --expect-jq false",
             "call t --repeat 2"],
    "task": ["task list", "task get nothing", "call t --task"],
    "watch": ["watch t --count 1", "watch t --count 1 --jq ."],
    "resources": ["resources"],
    "templates": ["templates"],
    "read": ["read test://x"],
    "subscribe": ["subscribe test://x --count 1 --for 2s", "subscribe test://x --read --count 1 --for 2s"],
    "prompts": ["prompts"],
    "prompt": ["prompt p", "prompt nothing"],
    "complete": ["complete p x="],
    "tail": ["tail --for 1s"],
    "replay": ["sim: replay hostile.jsonl"],
    "clone": ["clone hostile.jsonl"],
    "capture": ["capture show hostile.jsonl", "-vv capture show hostile.jsonl",
                "capture mask hostile.jsonl"],
    "check": ["check --timeout 1s", "check --report md:-", "check tools --against all"],
    "request": ["request tools/list", "request nothing"],
    "notify": ["notify nothing", "-v notify nothing"],
    "loglevel": ["loglevel debug"],
    "run": ["run -k -e info -e 'call t'", "run -k -e info -e 'call refuses' --report tap:-",
            "run -k -e 'call refuses' --report junit:-"],
    "shell": ["shell -k"],
    "help": ["call t --help"],
    "bridge": ["bridge --list", "-v bridge --list --names raw"],
}
# The same for the board at serve; devices and the like want no other target.
ATTACHED = {
    "devices": ["devices"],
    "send": ["send alert status=a message=b emotion=c"],
    "kick": ["kick nothing"],
    "close": ["close nothing"],
    "lease": ["lease aa:00:00:00:00:99 --as x --for 1m", "lease --release aa:00:00:00:00:01"],
    "power": ["power aa:00:00:00:00:01 on"],
    "upgrade": ["upgrade nothing.bin", "upgrade firmware.bin --timeout 1s",
                "upgrade firmware.bin --by ota --timeout 1s"],
    "assets": ["assets nothing.bin", "assets firmware.bin", "assets firmware.bin --force --timeout 1s"],
}
BOTH = ["info", "ping", "tools", "describe", "call", "tail", "request", "shell"]
ALL = ["--all tools", "--all call t", "--all call t --expect-jq false", "--all call refuses", "--all ping"]
# They say nothing that a peer said; serve's log is looked at by the test itself.
# What proxy shows of a board and a backend is looked at in proxy.bats, the screen
# of top in top.bats and tests/unit/test_top.c.
NOTHING = {"adopt", "open", "proxy", "speak", "top", "stop", "serve", "version", "completion", "sim", "explain"}
# A program gets the bytes of a result as they came.
EXACT = {"call", "watch", "read", "subscribe", "prompt", "complete", "request", "run", "shell"}
# C0 but tab and newline, DEL, C1 as UTF-8, and what turns the direction.
RAW = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]")
C0 = re.compile(rb"[\x00-\x08\x0b-\x1f]")
# What is ours: the line of progress is written anew.
ANEW = re.compile(rb"\r\x1b\[K|^\r|(?<=\n)\r")
COLOUR = re.compile(rb"\x1b\[[0-9;]*m|\x1b\[K")
SHELL = b"info\ntools\ncall t\nt n:=1\nt n:=9\nlast\ndescribe t\nfails\nrefuses\nuse\n"


# Not by options: some commands have no use for them, and say so.
PATIENT = {**os.environ, "MCPCTL_TIMEOUT": "30s", "MCPCTL_WAIT": "30s"}


def terminal():
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    return ours, theirs


def read_all(descriptor):
    data = b""
    while True:
        try:
            part = os.read(descriptor, 1 << 16)
        except OSError:
            part = b""
        if not part:
            os.close(descriptor)
            return data
        data += part


def run(words, stdin, on_terminal):
    """(stdout, stderr) of the command, as bytes."""
    ends = [terminal() if on_terminal else os.pipe() for _ in range(2)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=ends[0][1], stderr=ends[1][1],
                               env=PATIENT)
    for end in ends:
        os.close(end[1])
    with concurrent.futures.ThreadPoolExecutor(2) as both:
        read = [both.submit(read_all, end[0]) for end in ends]
        try:
            process.communicate(stdin, timeout=120)
        except subprocess.TimeoutExpired:
            process.kill()
            return b"\x00it does not end", b""
        return read[0].result(), read[1].result()


def judge(command, line, form, on_terminal, attached):
    """A complaint, or None."""
    words = ["mcpctl", "-o", form if form != "colour" else "text"]
    words += ["--color", "always" if form == "colour" else "never"] + shlex.split(line)
    if not attached and command not in ("targets", "trust", "login", "logout"):
        words += ["-t", f"stdio:/usr/bin/python3 {SERVER}"]
    out, err = run(words, SHELL if command == "shell" else b"", on_terminal)
    if on_terminal:
        err = ANEW.sub(b"", err)
    if form == "colour":
        out, err = COLOUR.sub(b"", out), COLOUR.sub(b"", err)
    found = {"stderr": (err, RAW.search(err)), "stdout": (out, RAW.search(out))}
    if not on_terminal:
        if form == "json":
            found["stderr"] = (err, C0.search(err))
        if form in ("json", "raw"):
            found["stdout"] = (out, C0.search(out) if command not in ("shell", "run") else None)
        elif command in EXACT:
            found["stdout"] = (out, None)
    for name, (text, match) in found.items():
        if match:
            around = text[max(0, match.start() - 60):match.start() + 60]
            return f"{line} -o {form}, {'terminal' if on_terminal else 'pipe'}, {name}: {around!r}"
    return None if out or err or command in ("notify", "send") else f"{line} -o {form}: nothing printed"


def commands():
    """The command table, as help prints it."""
    text = subprocess.run(["mcpctl", "help", "--all"], capture_output=True, check=True, text=True).stdout
    rows = text.split("\n\n", 2)[2].split("\n\nMore:")[0]
    return set(re.findall(r"^(?:[a-z]+)? {2,}([a-z]+) {2,}\S", rows, re.M))


def main():
    table = commands()
    known = set(SHOWN) | set(ATTACHED) | NOTHING
    complaints = [f"no line here shows what '{name}' prints of a peer" for name in table - known]
    if len(table) < 20:
        complaints.append(f"no commands in help: {table}")
    jobs = [(name, line, False) for name, lines in SHOWN.items() for line in lines]
    jobs += [(name, line, True) for name, lines in ATTACHED.items() for line in lines]
    jobs += [(name, SHOWN[name][0], True) for name in BOTH]
    jobs += [("all", line, True) for line in ALL]
    jobs += [("sim", f"sim --connect ws://127.0.0.1:{BACKEND}/ --for 300ms {more}", True)
             for more in ("", "-v")]
    ways = [("text", False), ("text", True), ("json", False), ("json", True), ("raw", True),
            ("colour", True)]
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(judge, name, line, form, on_terminal, attached)
                 for name, line, attached in jobs for form, on_terminal in ways]
        complaints += [done.result() for done in asked if done.result()]
    for line in complaints:
        print(line)
    print(len(asked), "outputs were looked at", file=sys.stderr)
    sys.exit(bool(complaints))


main()
