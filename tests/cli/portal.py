# SPDX-License-Identifier: MIT
"""The portal of a board in its Wi-Fi setup, on loopback: portal.py [FAULT].
Prints its port, then each body that was posted. FAULT: one of FAULTS below."""
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
FAULTS = ("", "html", "absent", "elsewhere", "huge", "refuses", "forgets", "alike", "cut", "shouts", "waits")
assert FAULT in FAULTS
SET = {
    "ota_url": "https://ota.example/xiaozhi/ota/", "max_tx_power": 78, "remember_bssid": False,
    "sleep_mode": True, "show_ota_config": False, "show_sleep_config": True,
}
if FAULT == "shouts":
    SET["ota_url"] = "http://\x1b[2J\u202ea.example/\n"


class Portal(BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def say(self, status, body, kind="application/json", **fields):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) + (9 if FAULT == "cut" else 0)))
        self.send_header("Connection", "close")
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        assert self.path == "/advanced/config", self.path
        if FAULT == "html":
            self.say(200, b"<html>\x1b[2J a router", "text/html")
        elif FAULT == "absent":
            self.say(404, b"Nothing matches the given URI", "text/html")
        elif FAULT == "elsewhere":
            self.say(302, b"", Location="http://login.example/\x1b[2J")
        elif FAULT == "huge":
            self.say(200, b'{"ota_url":"' + b"x" * (1 << 20) + b'"}')
        elif FAULT == "alike":
            self.say(200, b'{"ota_url":"http://a.example/","success":true}')
        else:
            # As firmware: an empty address is left out.
            self.say(200, json.dumps({k: v for k, v in SET.items() if v != ""}).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        print("posted", self.path, body.decode(), flush=True)
        if FAULT == "refuses":
            self.say(500, b"Failed to open NVS", "text/html")
            return
        # What was set at first is put back only when somebody says so.
        while FAULT == "waits" and "ota.example" in body.decode() and not os.path.exists("go"):
            time.sleep(0.02)
        if FAULT != "forgets":
            SET.update(json.loads(body))
        self.say(200, b'{"success":true}')


server = HTTPServer(("127.0.0.1", 0), Portal)
print("port", server.server_port, flush=True)
server.serve_forever()
