#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Simulated devices against what real backends do to them.

load helper

@test "OTA that offers MQTT as well is understood as firmware does" {
	cat >ota.py <<'END'
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = b'{"mqtt":{},"websocket":{"url":"ws://127.0.0.1:1/"}}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = HTTPServer(("127.0.0.1", 0), Handler)
print("port", server.server_port, flush=True)
server.serve_forever()
END
	background ota /usr/bin/python3 ota.py
	port=$(wait_for ota.out '^port' | cut -d' ' -f2)
	mcp sim --ota "http://127.0.0.1:$port/xiaozhi/ota/" --for 3s
	[ "$status" != 0 ]
	hints MQTT
}

@test "500 devices at once on one listener: one is served, the others refused" {
	listener l --wait 60 listen:127.0.0.1:0 tail --for 8s
	mcp -o json sim --connect "ws://127.0.0.1:$PORT/" --devices 500 --for 60s
	jq -e '.devices == 500 and .welcomed == 1 and .refused == 499' <<<"$out"
}

@test "the page in a browser says whether a device is connected" {
	listener l --wait 60 listen:127.0.0.1:0 tail --for 60s
	background sim mcpctl sim --ota "$OTA"
	wait_for l.out listen
	curl -s "$OTA" >page.html
	grep -qi 'connected' page.html
	absent 'No device is connected' page.html
}
