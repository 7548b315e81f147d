# SPDX-License-Identifier: MIT
"""A host of MCP that starts `mcpctl bridge`: what it asks, and what comes back."""
import json
import queue
import subprocess
import threading
import time

PATIENCE = 60


def until_in(path, text):
    while text not in open(path).read():
        time.sleep(0.05)


class Host:
    """One bridge over stdin and stdout. Every line of stdout must be JSON-RPC."""

    def __init__(self, *words, log="bridge.err"):
        self.log = open(log, "ab")
        self.process = subprocess.Popen(["mcpctl", *words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.log)
        self.came = queue.Queue()
        self.replies = {}
        self.notices = []
        self.asked = []
        self.id = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.came.put(line)
        self.came.put(None)

    def send(self, message):
        """An object as a line, or bytes as they are."""
        if not isinstance(message, bytes):
            message = json.dumps(message).encode() + b"\n"
        self.process.stdin.write(message)
        self.process.stdin.flush()

    def take(self, timeout=PATIENCE):
        """The next message; None at the end."""
        line = self.came.get(timeout=timeout)
        if line is None:
            return None
        message = json.loads(line)
        for one in message if isinstance(message, list) else [message]:
            assert one.get("jsonrpc") == "2.0", line
            if "method" in one and "id" in one:
                self.asked.append(one)
                continue
            if "method" in one:
                self.notices.append(one)
                continue
            key = json.dumps(one["id"])
            assert key == "null" or key not in self.replies, "answered twice: %r" % line
            self.replies[key] = one
        return message

    def start(self, method, params=None, ident=None):
        if ident is None:
            self.id += 1
            ident = self.id
        self.send({"jsonrpc": "2.0", "id": ident, "method": method,
                   **({} if params is None else {"params": params})})
        return ident

    def reply(self, ident, timeout=PATIENCE):
        end = time.monotonic() + timeout
        while json.dumps(ident) not in self.replies:
            assert self.take(max(0.01, end - time.monotonic())) is not None, "it ended"
        return self.replies[json.dumps(ident)]

    def ask(self, method, params=None, ident=None, timeout=PATIENCE):
        return self.reply(self.start(method, params, ident), timeout)

    def notice(self, method, seen=0, timeout=PATIENCE):
        """The notification of that method behind the first `seen` of them."""
        end = time.monotonic() + timeout
        while True:
            found = [n for n in self.notices if n["method"] == method]
            if len(found) > seen:
                return found[seen]
            assert self.take(max(0.01, end - time.monotonic())) is not None, "it ended"

    def question(self, method, seen=0, timeout=PATIENCE):
        """What the bridge asks by that method, behind the first `seen` of it."""
        end = time.monotonic() + timeout
        while True:
            found = [q for q in self.asked if q["method"] == method]
            if len(found) > seen:
                return found[seen]
            assert self.take(max(0.01, end - time.monotonic())) is not None, "it ended"

    def answer(self, question, **answer):
        """result=… or error=…"""
        self.send({"jsonrpc": "2.0", "id": question["id"], **answer})

    def initialize(self, revision="2025-06-18", **capabilities):
        reply = self.ask("initialize", {"protocolVersion": revision, "capabilities": capabilities,
                                        "clientInfo": {"name": "test-host", "version": "9"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return reply["result"]

    def tools(self):
        return {t["name"]: t for t in self.ask("tools/list")["result"]["tools"]}

    def until_tool(self, name, there=True, test=lambda tool: True):
        """The tools, listed until that one is there (or not)."""
        end = time.monotonic() + PATIENCE
        while True:
            tools = self.tools()
            if (name in tools and test(tools[name])) == there:
                return tools
            assert time.monotonic() < end, "%s: %s" % (name, sorted(tools))
            time.sleep(0.05)

    def start_call(self, name, arguments=None, meta=None, ident=None):
        params = {"name": name, "arguments": arguments or {}}
        if meta is not None:
            params["_meta"] = meta
        return self.start("tools/call", params, ident)

    def give_up_task(self, name, task, log):
        """Cancel its call once it is that task; the server hears of it, by its log."""
        ident = self.start_call(name)
        until_in(log, "tasks/result " + task)
        self.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                   "params": {"requestId": ident}})
        until_in(log, "tasks/cancel " + task)

    def call(self, name, arguments=None, timeout=PATIENCE):
        """The text of the result or error, and whether it is a failure."""
        reply = self.reply(self.start_call(name, arguments), timeout)
        if "error" in reply:
            return reply["error"]["message"], True
        result = reply["result"]
        return result["content"][0]["text"], result.get("isError", False)

    # 2026-07-28, which has no session

    def start_modern(self, method, params=None, level=None, **capabilities):
        meta = {**({"io.modelcontextprotocol/logLevel": level} if level else {}),
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "modern-host", "version": "3"},
                "io.modelcontextprotocol/clientCapabilities": capabilities}
        return self.start(method, {**(params or {}), "_meta": meta})

    def modern(self, method, params=None, level=None, **capabilities):
        return self.reply(self.start_modern(method, params, level, **capabilities))

    def until_modern_tool(self, name, test=lambda tool: True, **capabilities):
        end = time.monotonic() + PATIENCE
        while True:
            tools = {t["name"]: t for t in
                     self.modern("tools/list", **capabilities)["result"]["tools"]}
            if name in tools and test(tools[name]):
                return
            assert time.monotonic() < end, sorted(tools)
            time.sleep(0.05)

    def modern_call(self, name, arguments=None, answers=None, state=None, level=None, **capabilities):
        """The reply to a call, or to its next round."""
        params = {"name": name, "arguments": arguments or {}}
        if answers is not None:
            params["inputResponses"] = answers
        if state is not None:
            params["requestState"] = state
        return self.modern("tools/call", params, level, **capabilities)

    def end(self, patience=10):
        """EOF on its stdin; status and seconds until its end."""
        began = time.monotonic()
        self.process.stdin.close()
        status = self.process.wait(patience)
        return status, time.monotonic() - began
