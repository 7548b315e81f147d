#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ws:// and wss://: dialling a server, here a board that listens as otto-robot
# boards do, a foreign WebSocket server, and TLS with a private authority.

load helper

board() { # ARG…: mcpctl sim --listen; sets URL
	background board mcpctl sim --listen 127.0.0.1:0 "$@"
	URL=$(wait_for board.err 'ws://' | grep -o 'ws://[^ ]*' | head -n 1)
}

# python CODE…: Debian's python3, which sees Debian's modules.
# In place of the shell that runs it, so that it can be stopped.
python() { exec /usr/bin/python3 "$@"; }

@test "a board that listens: info, tools, call; either envelope" {
	board
	mcp "$URL" call self.audio_speaker.set_volume volume=40
	ends 0
	says true
	mcp --envelope device "$URL" tools
	ends 0
	says self.reboot
	absent '^! ' stderr
	mcp --envelope plain "$URL" tools
	ends 0
}

@test "a board behind its own door is asked for its user-only tools too, by itself" {
	board
	mcp "$URL" tools
	ends 0
	says self.reboot
	hints '5 tools + 7 user-only'
	mcp --no-init "$URL" tools
	hints '+ 7 user-only'
	mcp "$URL" tools --no-user
	ends 0
	absent self.reboot stdout
	# A plain server is sent what MCP knows, and no more.
	cat >foreign.py <<'END'
import asyncio, json, websockets
async def serve(ws, path=None):
    async for text in ws:
        print(text, flush=True)
        ask = json.loads(text)
        tools = {"tools": [{"name": "self.other", "inputSchema": {"type": "object"}}]}
        first = {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}},
                 "serverInfo": {"name": "foreign", "version": "1"}}
        if "id" in ask:
            await ws.send(json.dumps({"jsonrpc": "2.0", "id": ask["id"],
                "result": first if ask["method"] == "initialize" else tools}))
async def main():
    async with websockets.serve(serve, "127.0.0.1", 0) as server:
        print("port", server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()
asyncio.run(main())
END
	background foreign python foreign.py
	mcp "ws://127.0.0.1:$(wait_for foreign.out '^port' | cut -d' ' -f2)/" tools
	ends 0
	says self.other
	wait_for foreign.out tools/list
	absent withUserTools foreign.out
}

@test "only path /ws is a board" {
	board
	mcp "${URL%/ws}/other" info
	ends 3
	hints 404
}

tls_server() {
	certificates
	cat >server.py <<'END'
import asyncio, json, ssl, websockets

async def serve(ws, path=None):
    async for text in ws:
        ask = json.loads(text)
        if "id" not in ask:
            continue
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "foreign", "version": "1"}}
        if ask["method"] == "tools/list":
            result = {"tools": []}
        await ws.send(json.dumps({"jsonrpc": "2.0", "id": ask["id"], "result": result}))

async def main():
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain("server.pem", "server.key")
    async with websockets.serve(serve, "127.0.0.1", 0, ssl=tls) as server:
        print("port", server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()

asyncio.run(main())
END
	background tls python server.py
	TLS_PORT=$(wait_for tls.out '^port' | cut -d' ' -f2)
}

@test "wss: verified by --cacert, refused without, --insecure says so" {
	tls_server
	mcp --cacert ca.pem "wss://localhost:$TLS_PORT/" info
	ends 0
	says foreign
	mcp "wss://localhost:$TLS_PORT/" info
	ends 3
	hints 'certificate'
	hints '--cacert'
	mcp --cacert ca.pem "wss://127.0.0.1:$TLS_PORT/" info
	ends 3
	mcp --insecure "wss://localhost:$TLS_PORT/" info
	ends 0
	hints 'not verified'
}

@test "wss: what --insecure let in before is not believed without it, in one process" {
	tls_server
	mcp --insecure open "wss://localhost:$TLS_PORT/"
	ends 0
	mcp open "wss://localhost:$TLS_PORT/"
	local status_then=$status err_then=$err
	mcpctl stop --quiet
	[ "$status_then" = 3 ]
	[[ $err_then == *certificate* ]]
}

@test "--header is sent, and a secret one is not shown" {
	cat >headers.py <<'END'
import asyncio, sockets, websockets

async def serve(ws, path=None):
    print("header", sockets.heard(ws).get("X-Key"), flush=True)

async def main():
    async with websockets.serve(serve, "127.0.0.1", 0) as server:
        print("port", server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()

asyncio.run(main())
END
	PYTHONPATH=$BATS_TEST_DIRNAME background h python headers.py
	port=$(wait_for h.out '^port' | cut -d' ' -f2)
	mcp --timeout 3 -v --header 'X-Key: abc' "ws://127.0.0.1:$port/" info
	ends 3
	wait_for h.out 'header abc'
}

@test "a server that accepts and never answers" {
	background nc python -c '
import socket, time
s = socket.create_server(("127.0.0.1", 0))
print("port", s.getsockname()[1], flush=True)
time.sleep(600)'
	port=$(wait_for nc.out '^port' | cut -d' ' -f2)
	mcp --wait 2 "ws://127.0.0.1:$port/" info
	ends 3
}

# Reset before we look, or amid the request: it was connected to, and only once.
@test "a server that answers in binary frames, one that ends properly: said" {
	cat >says.py <<-'END'
		import asyncio, json, websockets

		async def serve(ws, path=None):
		    path = path or getattr(ws, "path", None) or ws.request.path
		    if path == "/ends":
		        return await ws.close()
		    async for text in ws:
		        ask = json.loads(text)
		        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
		                  "serverInfo": {"name": "peer", "version": "1"}}
		        answer = json.dumps({"jsonrpc": "2.0", "id": ask.get("id"), "result": result})
		        if ask["method"] == "tools/list":
		            answer = answer.encode()
		        if "id" in ask:
		            await ws.send(answer)

		async def main():
		    server = await websockets.serve(serve, "127.0.0.1", 0, close_timeout=0.1)
		    print("port", server.sockets[0].getsockname()[1], flush=True)
		    await asyncio.Future()

		asyncio.run(main())
	END
	background says python says.py
	URL=ws://127.0.0.1:$(wait_for says.out 'port [0-9]+' | sed 's/port //')
	mcp --timeout 300ms "$URL/binary" tools
	ends 4
	hints '! D143 warning  '
	hints 'a binary frame, where messages are text'
	hints '  D143  what came is no message'
	mcp "$URL/ends" tools
	ends 3
	hints "connection lost during 'initialize': the server closed the connection (Close frame, code 1000)"
}

@test "a server that accepts and resets" {
	background reset python -c '
import socket, struct
s = socket.create_server(("127.0.0.1", 0))
print("port", s.getsockname()[1], flush=True)
while True:
    c, _ = s.accept()
    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    print("accepted", flush=True)
    c.close()'
	port=$(wait_for reset.out '^port' | cut -d' ' -f2)
	for _ in {1..10}; do
		mcp --retry 1 "ws://127.0.0.1:$port/" ping
		ends 3
		hints 'closed the connection during the handshake'
	done
	[ "$(grep -c accepted reset.out)" -eq 10 ]
}

@test "the address at which tools dial in is not dialled as a client" {
	background trap /usr/bin/python3 -c 'import socket, sys
s = socket.create_server(("127.0.0.1", 0))
print("port", s.getsockname()[1], flush=True)
s.accept()
print("dialled", flush=True)'
	PORT=$(wait_for trap.out port | cut -d' ' -f2)
	mcp "ws://127.0.0.1:$PORT/mcp_endpoint/mcp/?token=geheim" tools
	ends 2
	hints 'a client that does throws them off'
	hints '/mcp_endpoint/call/'
	[[ $err != *geheim* ]]
	mcp "wss://api.xiaozhi.me/mcp/?token=geheim" tools
	ends 2
	absent dialled trap.out
	# Where clients dial; and one that only looks like it.
	mcp --wait 100ms "ws://127.0.0.1:$PORT/mcp_endpoint/call/?token=x" tools
	wait_for trap.out dialled
}
