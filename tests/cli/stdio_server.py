#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A small MCP server on stdin and stdout that misbehaves as it is told.

stdio_server.py [FAULT]...

banner: prints a line that is no message, before it answers
marked: has a byte order mark in front of its first line, as .NET does
chatty: writes to stderr at each request
dies: two lines on stderr, then the end with status 3, at once
dies-quietly: the same without a word
deaf: never reads its stdin
silent: reads, and never answers
mute: closes its stdout at the first request, and lives on
endless: does not end when its stdin does
stubborn: neither then nor by SIGTERM
late: ends a while after its stdin, writing "ended" to the file $LATE
huge: answers initialize after a line of 20 MB
no-newline: its last answer has no line end
"""
import json
import os
import signal
import sys
import time

FAULTS = sys.argv[1:]
TOOLS = {
    "echo": "a b n",
    "env": "name",
    "where": "",
    "size": "text",
    "about": "",
    "die": "",
    "note": "text",
    "hang": "",
}


def send(message):
    sys.stdout.write(json.dumps(message, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def about():
    """What a child should not have got."""
    masks = {}
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            name, _, value = line.partition(":")
            if name in ("SigIgn", "SigBlk"):
                # Python itself ignores SIGPIPE and SIGXFSZ.
                own = (1 << (signal.SIGPIPE - 1)) | (1 << (signal.SIGXFSZ - 1))
                masks[name] = int(value, 16) & 0x7FFFFFFF & ~own
    files = sorted(int(name) for name in os.listdir("/proc/self/fd"))
    return {
        "files": [fd for fd in files if os.path.exists(f"/proc/self/fd/{fd}")],
        "group": os.getpgid(0) == os.getpid(),
        "masks": masks,
    }


def call(name, arguments):
    if name == "echo":
        return json.dumps(arguments)
    if name == "env":
        return os.environ.get(arguments["name"], "(unset)")
    if name == "where":
        return os.getcwd()
    if name == "size":
        return str(len(arguments["text"]))
    if name == "about":
        return json.dumps(about())
    if name == "note":
        print(arguments["text"], file=sys.stderr, flush=True)
        return "noted"
    if name == "die":
        send({"jsonrpc": "2.0", "method": "notifications/message",
              "params": {"level": "error", "data": "about to die"}})
        print("no memory left", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(1000)
    return ""


def tool(name, arguments):
    properties = {argument: {} for argument in arguments.split()}
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}}


def answer(request):
    method, params = request["method"], request.get("params", {})
    if method == "initialize":
        if "huge" in FAULTS:
            send({"jsonrpc": "2.0", "method": "x", "params": {"a": "x" * 20000000}})
        return {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "stdio-server", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [tool(name, TOOLS[name]) for name in TOOLS]}
    if method == "tools/call":
        text = call(params["name"], params.get("arguments", {}))
        return {"content": [{"type": "text", "text": text}]}
    return {}


def begin():
    if "stubborn" in FAULTS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "dies" in FAULTS:
        print("Traceback:\nKeyError: 'API_KEY'", file=sys.stderr)
    if "dies" in FAULTS or "dies-quietly" in FAULTS:
        sys.exit(3)
    if "banner" in FAULTS:
        print("Server is listening \x1b[31mnow", flush=True)
    if "marked" in FAULTS:
        sys.stdout.write("\ufeff")
    if "deaf" in FAULTS:
        time.sleep(1000)


def serve(line):
    request = json.loads(line)
    if "chatty" in FAULTS:
        print("asked:", request["method"], file=sys.stderr, flush=True)
    if "mute" in FAULTS:
        sys.stdout.flush()
        os.close(1)
        time.sleep(1000)
    if "id" not in request or "silent" in FAULTS:
        return
    reply = {"jsonrpc": "2.0", "id": request["id"], "result": answer(request)}
    if "no-newline" in FAULTS and request["method"] == "tools/call":
        sys.stdout.write(json.dumps(reply))
        sys.stdout.flush()
        os._exit(0)
    send(reply)


begin()
for text in sys.stdin:
    serve(text)
if "late" in FAULTS:
    time.sleep(0.03)
    with open(os.environ["LATE"], "w", encoding="ascii") as said:
        said.write("ended")
if "endless" in FAULTS or "stubborn" in FAULTS:
    time.sleep(1000)
