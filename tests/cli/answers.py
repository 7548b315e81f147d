#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A small MCP server on stdin and stdout that answers as it is told.

answers.py [WORD|METHOD=RESULT]...

METHOD=RESULT: this JSON is the result of that method; what is not named is
answered with an error, but for initialize and a list of one tool, "a".

strict: leaves unanswered ids that are no whole numbers, and params of null
no-cursor: leaves unanswered what has a cursor
hangs: at tools/call, for good
both: an error stands beside the result of tools/call
unescaped: quotes within the words of an error break its JSON
"""
import json
import sys
import time

answers = {
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "answers", "version": "1"},
    },
    "tools/list": {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]},
}
words = []
for argument in sys.argv[1:]:
    method, told, result = argument.partition("=")
    if told:
        answers[method] = json.loads(result)
    else:
        words.append(method)

for line in sys.stdin:
    message = json.loads(line)
    params = message.get("params", {})
    if "id" not in message:
        continue
    if "strict" in words and (isinstance(message["id"], float) or params is None):
        continue
    if "no-cursor" in words and "cursor" in (params or {}):
        continue
    if "hangs" in words and message["method"] == "tools/call":
        time.sleep(1000)
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] in answers:
        reply["result"] = answers[message["method"]]
    else:
        reply["error"] = {"code": -32601, "message": "no"}
    if "both" in words and message["method"] == "tools/call":
        reply["error"] = {"code": 1, "message": "no"}
    text = json.dumps(reply)
    print(text.replace('"no"', '"no "x" here"') if "unescaped" in words else text, flush=True)
