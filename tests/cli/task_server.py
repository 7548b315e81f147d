#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An MCP server over stdio whose tools run as tasks, in odd ways:
task_server.py legacy|modern [LOG]. A tool's name says how its task is; LOG gets
the method of each request, a line each."""
import json
import sys

MODERN = sys.argv[1] == "modern"
LOG = open(sys.argv[2], "a", buffering=1, encoding="utf-8") if len(sys.argv) > 2 else None
EXTENSION = "io.modelcontextprotocol/tasks"
UNIT = "Ms" if MODERN else ""
HOSTILE = "\x1b]0;owned\x07\x1b[31mred\u202e"
QUESTION = {"method": "elicitation/create", "params": {"message": "Sure?", "requestedSchema": {
    "type": "object", "properties": {"ok": {"type": "boolean", "default": True}}}}}
asked = {}  # id of a task -> how often it was looked at
answers = {}  # id -> the client's
waiting = {}  # "q-ID" -> the id of a tasks/result


class Refused(Exception):
    """code, message"""


def task(name, status, **more):
    return {"taskId": name, "status": status, "createdAt": "2026-01-01T00:00:00Z",
            "lastUpdatedAt": "2026-01-01T00:00:01Z", "ttl" + UNIT: None,
            "pollInterval" + UNIT: 0, **more}


def words(text):
    return {"content": [{"type": "text", "text": text}]}


RESULT = words("good")
# What the task of a tool is at first, and then each time it is looked at; the last stays.
KINDS = {
    "good": [("working", {}), ("completed", {})],
    "odd": [("cancelling", {}), ("\x1b[31modd", {"statusMessage": HOSTILE}), ("completed", {})],
    "zero": [("working", {}), ("working", {}), ("working", {}), ("completed", {})],
    "huge": [("working", {"pollInterval" + UNIT: 1e300})],
    "words": [("completed", {"pollInterval" + UNIT: "soon"})],
    "negative": [("working", {"pollInterval" + UNIT: -5}), ("completed", {})],
    "endless": [("working", {"statusMessage": "still at it"})],
    "stubborn": [("working", {})],
    "hostile": [("completed", {})],
    "escapes": [("working", {}), ("completed", {})],
    "asks": [("input_required", {})],
    "never": [("input_required", {})],
    "broken": [("working", {}), ("completed", {})],
    "bare": [("completed", {})],
    "nostatus": [("working", {}), (None, {})],
    "other": [("working", {}), ("completed", {})],
    "gone": [("working", {})],
    "failed": [("failed", {"statusMessage": "out of luck"})],
    "early": [("completed", {})],
    "doomed": [("failed", {})],
    "blocked": [("input_required", {}), ("input_required", {}), ("completed", {})],
}


def look(name):
    kind = name.split("/")[0]
    if kind not in KINDS:
        raise Refused(-32602, "no such task " + HOSTILE)
    steps = KINDS[kind]
    at = asked.get(name, 0)
    asked[name] = at + 1
    status, more = steps[min(at, len(steps) - 1)]
    if kind == "asks" and name in answers:
        status = "completed"
    if kind == "never" and MODERN:
        more = {**more, "inputRequests": {f"k{at}": QUESTION}}
    if kind == "asks" and MODERN and status == "input_required":
        more = {**more, "inputRequests": {"sure": QUESTION}}
    if MODERN and status == "completed":
        more = {**more, **outcome(kind, name)}
    if MODERN and kind == "doomed":
        more = {**more, "error": {"code": -32000, "message": "no key"}}
    found = task(name, status, **more)
    if status is None:
        del found["status"]
    if kind == "other" and at:
        found["taskId"] = "another"
    if kind == "gone" and at:
        raise Refused(-32602, "there is no such task")
    return found


def outcome(kind, name):
    if kind == "hostile":
        return {"result": words(HOSTILE)}
    if kind == "broken":
        return {"result": "none"}
    if kind == "bare":
        return {}
    if kind == "asks":
        return {"result": words(json.dumps(answers[name], sort_keys=True))}
    return {"result": RESULT}


def result(name, ident):
    """tasks/result; None: later."""
    kind = name.split("/")[0]
    if kind == "failed":
        raise Refused(-32603, "it burnt")
    if kind == "doomed":
        raise Refused(-32000, "no key")
    if kind == "blocked" and asked[name] < 3:
        raise Refused(-32000, "Task not complete")
    if kind == "asks" and name not in answers:
        waiting["q-" + name] = ident
        send({"id": "q-" + name, **QUESTION})
        return None
    return outcome(kind, name).get("result", None if kind == "bare" else {})


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def tools():
    listed = [{"name": name, "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}}
              for name in KINDS]
    return listed + [
        {"name": "plain", "inputSchema": {"type": "object"}},
        {"name": "forbidden", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "forbidden"}},
        {"name": "must", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}}]


def call(params):
    name = params["name"]
    mine = EXTENSION in params.get("_meta", {}).get("io.modelcontextprotocol/clientCapabilities", {}).get(
        "extensions", {}) if MODERN else "task" in params
    if name == "must" and not mine:
        raise Refused(-32601, "only as a task")
    if not mine or name in ("plain", "forbidden"):
        return RESULT
    if name == "must":
        name = "good"
    found = look(name + "/1" if name != "escapes" else "escapes/" + HOSTILE)
    if name in ("early", "doomed"):  # what came of it has tasks/get alone
        found = {member: found[member] for member in found if member not in ("result", "error")}
    return {"resultType": "task", **found} if MODERN else {"task": found}


def answer(method, params, ident):
    if method == "initialize" and not MODERN:
        return {"protocolVersion": "2025-11-25", "serverInfo": {"name": "odd", "version": "1"},
                "capabilities": {"tools": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}}}
    if method == "server/discover" and MODERN:
        return {"resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "public",
                "capabilities": {"tools": {}, "extensions": {EXTENSION: {}}}}
    if method == "tools/list":
        return {"tools": tools()}
    if method == "tools/call":
        return call(params)
    if method == "tasks/get":
        if not MODERN:
            send({"method": "notifications/tasks/status", "params": task(params["taskId"], "working")})
        return look(params["taskId"])
    if method == "tasks/update":
        answers[params["taskId"]] = params["inputResponses"]["sure"] if "sure" in params["inputResponses"] else None
        return {}
    if method == "tasks/cancel":
        if params["taskId"].startswith("stubborn"):
            raise Refused(-32603, "no")
        return {} if MODERN else task(params["taskId"], "cancelled")
    if method == "tasks/list" and not MODERN:
        at = int(params.get("cursor", "0"))
        return {"tasks": [task(f"good/{at}", "working", statusMessage=HOSTILE)], "nextCursor": str(at + 1)}
    if method == "tasks/result" and not MODERN:
        return result(params["taskId"], ident)
    raise Refused(-32601, "method not found: " + method)


for line in sys.stdin:
    came = json.loads(line)
    if "method" not in came:
        name = came["id"][2:]
        answers[name] = came.get("result")
        send({"id": waiting[came["id"]], "result": result(name, None)})
        continue
    if LOG:
        LOG.write(came["method"] + "\n")
    if "id" not in came:
        continue
    try:
        gives = answer(came["method"], came.get("params", {}), came["id"])
        if gives is not None:
            send({"id": came["id"], "result": gives})
    except Refused as why:
        send({"id": came["id"], "error": {"code": why.args[0], "message": why.args[1]}})
