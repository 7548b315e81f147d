#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An MCP server over stdio that asks its client. Each answer of the client
becomes the text of the tool's result.

asking_server.py [LOG]: what the client answers is also written to LOG, a line
each, so that answers without a call can be seen."""
import json
import os
import sys
import threading
import time

LOCK = threading.Lock()
PENDING = {}  # id -> what to do with the answer
STATE = {"capabilities": {}, "next": 0, "meanwhile": 0}
LOG = open(sys.argv[1], "a", buffering=1, encoding="utf-8") if len(sys.argv) > 1 else None

NAME = {"type": "string", "title": "Full name", "minLength": 2}
CONTACT = {
    "type": "object",
    "properties": {
        "name": NAME,
        "age": {"type": "integer", "minimum": 18, "maximum": 120},
        "color": {"type": "string", "enum": ["red", "blue"], "default": "blue"},
        "news": {"type": "boolean", "default": False},
    },
    "required": ["name"],
}


def send(message):
    with LOCK:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def ask(method, params, then, ident=None):
    STATE["next"] += 1
    ident = ident if ident is not None else STATE["next"]
    PENDING[json.dumps(ident)] = then
    message = {"id": ident, "method": method}
    if params is not None:
        message["params"] = params
    send(message)
    return ident


def elicit(arguments, then, ident=None):
    params = {
        "message": arguments.get("message", "Who are you?"),
        "requestedSchema": arguments.get("schema", CONTACT),
    }
    for name in ("mode", "url", "elicitationId"):
        if name in arguments:
            params[name] = arguments[name]
    if "url" in arguments:
        del params["requestedSchema"]
    return ask("elicitation/create", params, then, ident)


def finish(call, answer):
    text = answer if isinstance(answer, str) else json.dumps(answer, sort_keys=True)
    send({"id": call, "result": {"content": [{"type": "text", "text": text}]}})


def tool_ask(call, arguments):
    elicit(arguments, lambda a: finish(call, a), arguments.get("id"))


def tool_twice(call, arguments):
    got = []

    def then(answer):
        got.append(answer.get("result", answer))
        if len(got) == 2:
            finish(call, got)

    elicit({**arguments, "message": "first"}, then)
    elicit({**arguments, "message": "second"}, then)


def tool_many(call, arguments):
    got = []

    def then(answer):
        got.append("error" if "error" in answer else "result")
        if len(got) == arguments["count"]:
            finish(call, f"{got.count('result')} answered, {got.count('error')} refused")

    for _ in range(arguments["count"]):
        sample(arguments, then)


def sample(arguments, then):
    content = {"type": "text", "text": arguments.get("prompt", "Hi")}
    return ask("sampling/createMessage",
               {"messages": [{"role": "user", "content": content}], "maxTokens": 9}, then)


def tool_sample(call, arguments):
    sample(arguments, lambda a: finish(call, a))


def tool_roots(call, _):
    ask("roots/list", None, lambda a: finish(call, a))


def tool_capabilities(call, _):
    finish(call, STATE["capabilities"])


def tool_hidden(call, _):
    """Listed only to those who can be asked for what a model says."""
    finish(call, "found")


def tool_withdraw(call, arguments):
    """Asked, and not wanted any more a while later."""
    ident = elicit(arguments, lambda a: finish(call, {"too late": a}), "with \"quotes\"")

    def cancel():
        send({"method": "notifications/cancelled", "params": {"requestId": ident}})
        finish(call, "withdrawn")

    threading.Timer(arguments.get("after", 0.5), cancel).start()


def tool_later(call, arguments):
    """The call is over when the question comes; when: a file that is waited for."""

    def ask():
        while "when" in arguments and not os.path.exists(arguments["when"]):
            time.sleep(0.02)
        elicit(arguments, lambda a: None)

    finish(call, "wait")
    threading.Timer(arguments.get("after", 0.3), ask).start()


def tool_besides(call, arguments):
    """Asked, and the call does not wait for the answer."""
    (sample if "prompt" in arguments else elicit)(arguments, lambda a: None)
    finish(call, "wait")


def tool_answered(call, arguments):
    """Waits for the answers to all questions, and tells how many calls came
    before they did. mark: a file to make first."""
    if "mark" in arguments:
        open(arguments.pop("mark"), "w", encoding="utf-8").close()
    if PENDING:
        threading.Timer(0.02, tool_answered, (call, arguments)).start()
    else:
        finish(call, f"{STATE['meanwhile']} calls meanwhile")


def tool_url(call, arguments):
    def then(answer):
        finish(call, answer)
        send({"method": "notifications/elicitation/complete",
              "params": {"elicitationId": arguments.get("elicitationId", "")}})

    elicit({"mode": "url", **arguments}, then)


def tool_die(call, arguments):
    elicit(arguments, lambda a: None)
    threading.Timer(arguments.get("after", 0.3), lambda: sys.exit(0)).start()
    threading.Timer(arguments.get("after", 0.3) + 0.1, lambda: __import__("os")._exit(0)).start()


TOOLS = {name[5:]: f for name, f in list(globals().items()) if name.startswith("tool_")}


def answer_request(message):
    method, ident = message["method"], message["id"]
    params = message.get("params") or {}
    if method == "initialize":
        STATE["capabilities"] = params.get("capabilities")
        send({"id": ident, "result": {
            "protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
            "serverInfo": {"name": "asker", "version": "1"}}})
    elif method == "tools/list":
        send({"id": ident, "result": {"tools": [
            {"name": name, "inputSchema": {"type": "object"}} for name in sorted(TOOLS)
            if name != "hidden" or "sampling" in STATE["capabilities"]]}})
    elif method == "tools/call" and params.get("name") in TOOLS:
        STATE["meanwhile"] += bool(PENDING)
        TOOLS[params["name"]](ident, params.get("arguments") or {})
    else:
        send({"id": ident, "error": {"code": -32601, "message": method}})


for line in sys.stdin:
    received = json.loads(line)
    if "method" in received and "id" in received:
        answer_request(received)
    elif "id" in received:
        if LOG:
            LOG.write(line)
        PENDING.pop(json.dumps(received["id"]), lambda a: None)(
            {k: v for k, v in received.items() if k in ("result", "error")})
    elif LOG:
        LOG.write(line)
