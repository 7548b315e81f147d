#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Many hosts at once at a port of MCP: each has a session, a stream, and calls.

usage: mcp_hosts.py URL COUNT [TOKEN]

Each begins a session, opens its stream, and when all have one asks and calls
thrice. Prints how many had all their answers, and ends with 0 if those are all.
"""
import http.client
import json
import sys
import threading
from urllib.parse import urlsplit

url, count = urlsplit(sys.argv[1]), int(sys.argv[2])
token = {"Authorization": "Bearer " + sys.argv[3]} if len(sys.argv) > 3 else {}
together = threading.Barrier(count, timeout=60)
good, ids, lock = [], set(), threading.Lock()
BOTH = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def ask(connection, headers, number, method, params):
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    connection.request("POST", url.path, body, headers)
    answer = connection.getresponse()
    reply = json.loads(answer.read())
    assert answer.status == 200 and reply["id"] == number, (answer.status, reply)
    return answer, reply["result"]


def host(name):
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    stream = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    headers = dict(BOTH, **token)
    answer, result = ask(connection, headers, name, "initialize", {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "host-%d" % name, "version": "1"}})
    headers["Mcp-Session-Id"] = session = answer.getheader("Mcp-Session-Id")
    headers["MCP-Protocol-Version"] = result["protocolVersion"]
    stream.request("GET", url.path, None, dict(headers, Accept="text/event-stream"))
    assert stream.getresponse().status == 200
    together.wait()
    for number in (0, "text", 4294967296 + name):
        _, result = ask(connection, headers, number, "tools/list", {})
        assert any(tool["name"] == "devices" for tool in result["tools"]), result
        _, result = ask(connection, headers, number, "tools/call", {"name": "devices", "arguments": {}})
        assert not result.get("isError") and result["content"], result
    together.wait()
    with lock:
        good.append(name)
        ids.add(session)


threads = [threading.Thread(target=host, args=(i,), daemon=True) for i in range(count)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(90)
print(len(good), "hosts,", len(ids), "sessions")
sys.exit(len(good) != count or len(ids) != count)
