#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An MCP server over HTTP that wants OAuth, and its authorization server, on
one port of 127.0.0.1: oauth_server.py LOG. Prints "port N". Every request is
written to LOG as a line of JSON.

The server is at /NAME/mcp, its authorization server is BASE/as/NAME, and NAME
says how it behaves: see the tests in oauth.bats. Tokens are at-N, and refresh
tokens rt-N work once."""
import base64
import hashlib
import json
import sys
import threading
import time
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LOCK = threading.Lock()
LOG = open(sys.argv[1], "a", buffering=1, encoding="utf-8")
CODES, TOKENS, REFRESH, CLIENTS = {}, {}, {}, {}
OLD, GRANTS = [], []  # codes that were refused once; what companies granted
COUNT = {"n": 0, "calls": 0}


def number():
    with LOCK:
        COUNT["n"] += 1
        return COUNT["n"]


def s256(verifier):
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
            headers.setdefault("Content_Type", "application/json")
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length).decode()
        url = urllib.parse.urlsplit(self.path)
        self.query = dict(urllib.parse.parse_qsl(url.query))
        self.form = dict(urllib.parse.parse_qsl(self.body))
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        with LOCK:
            LOG.write(json.dumps({
                "method": self.command, "path": url.path, "query": self.query,
                "body": self.body, "form": self.form,
                "authorization": self.headers.get("Authorization")}) + "\n")
        parts = url.path.strip("/").split("/")
        if parts[0] == ".well-known":
            return self.metadata(parts[1], parts[2:])
        if parts[0] == "as" and len(parts) == 3:
            return getattr(self, parts[2])(parts[1])
        if len(parts) == 2 and parts[1] == "mcp":
            return self.mcp(parts[0])
        return self.answer(404)

    do_GET = do_POST = do_DELETE = do_any

    # ---- metadata ----

    def metadata(self, what, path):
        if what == "oauth-protected-resource" and len(path) == 2:
            return self.resource(path[0])
        if what == "oauth-authorization-server" and len(path) == 2:
            return self.issuer(path[1])
        return self.answer(404)

    def resource(self, name):
        issuer = f"{self.base}/as/{name}"
        doc = {"resource": f"{self.base}/{name}/mcp", "authorization_servers": [issuer],
               "scopes_supported": ["read"]}
        if name == "old":
            return self.answer(404)
        if name == "redirect":
            return self.answer(302, Location=f"{self.base}/elsewhere")
        if name == "huge":
            doc["padding"] = "x" * 1000000
        if name == "other-resource":
            doc["resource"] = "https://evil.example.com/mcp"
        if name == "lan-issuer":
            doc["authorization_servers"] = ["http://192.168.77.1/as"]
        return self.answer(200, doc)

    def issuer(self, name):
        base = f"{self.base}/as/{name}"
        doc = {"issuer": base, "authorization_endpoint": base + "/authorize?kept=1",
               "token_endpoint": base + "/token", "registration_endpoint": base + "/register",
               "revocation_endpoint": base + "/revoke",
               "code_challenge_methods_supported": ["S256"],
               "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
               "token_endpoint_auth_methods_supported": ["none"],
               "scopes_supported": ["read", "write", "admin"]}
        if name in ("basic", "post"):
            doc["token_endpoint_auth_methods_supported"] = ["client_secret_" + name]
        if name in ("machine", "wrong-kind"):
            doc["token_endpoint_auth_methods_supported"] = ["client_secret_basic", "private_key_jwt"]
        if name == "issuer-lie":
            doc["issuer"] = base + "/"
        if name == "plain-http":
            doc["token_endpoint"] = "http://as.example.com/token"
        if name == "no-s256":
            doc["code_challenge_methods_supported"] = ["plain"]
        if name == "iss-missing":
            doc["authorization_response_iss_parameter_supported"] = True
        if name == "no-register":
            del doc["registration_endpoint"]
        if name == "offline":
            doc["scopes_supported"].append("offline_access")
        return self.answer(200, doc)

    # ---- the authorization server ----

    def register(self, name):
        asked = json.loads(self.body)
        client = f"client-{number()}"
        CLIENTS[client] = asked
        answer = {"client_id": client,
                  "token_endpoint_auth_method": asked["token_endpoint_auth_method"]}
        if asked["token_endpoint_auth_method"] != "none":
            answer["client_secret"] = "s%cr:et"
        return self.answer(201, answer)

    def authorize(self, name):
        q = self.query
        code = f"code-{number()}"
        CODES[code] = q
        back = {"code": code, "state": q["state"]}
        if name == "silent":
            return self.answer(200, b"nothing happens here")
        if name == "denied":
            back = {"error": "access_denied", "state": q["state"],
                    "error_description": "no \x1b[31mway"}
        if name == "wrong-state":
            back["state"] = "not-the-one"
        if name == "iss-wrong":
            back["iss"] = "https://evil.example.com"
            back["error"] = "secret_words_of_evil"
        to = q["redirect_uri"] + "?" + urllib.parse.urlencode(back)
        if name == "twice":
            urllib.request.urlopen(to).read()
        return self.answer(302, Location=to)

    def client_of(self):
        auth = self.headers.get("Authorization") or ""
        if auth.startswith("Basic "):
            user, secret = base64.b64decode(auth[6:]).decode().split(":")
            return urllib.parse.unquote_plus(user), urllib.parse.unquote_plus(secret)
        return self.form.get("client_id"), self.form.get("client_secret")

    def refuse(self, error, words="said the server"):
        return self.answer(400, {"error": error, "error_description": words})

    def token(self, name):
        form, (client, secret) = self.form, self.client_of()
        if form["grant_type"] == "authorization_code":
            asked = CODES.pop(form["code"], None)
            if name == "old-code" and not OLD:
                OLD.append(form["code"])
                return self.refuse("invalid_grant")
            if not asked or asked["redirect_uri"] != form["redirect_uri"] \
                    or asked["code_challenge"] != s256(form["code_verifier"]):
                return self.refuse("invalid_grant")
            if name in ("basic", "post") and secret != "s%cr:et":
                return self.refuse("invalid_client")
            scope = asked.get("scope", "")
        elif form["grant_type"] == "refresh_token":
            if name == "slow-refresh":
                time.sleep(0.5)
            with LOCK:
                scope = REFRESH.pop(form["refresh_token"], None)
            if scope is None or name == "dead-refresh":
                return self.refuse("invalid_grant")
        elif form["grant_type"].endswith("jwt-bearer"):
            if secret != "s%cr:et" or form["assertion"] not in GRANTS:
                return self.refuse("invalid_grant")
            scope = form.get("scope", "")
        else:
            if secret != "s%cr:et" and "client_assertion" not in form:
                return self.refuse("invalid_client")
            scope = form.get("scope", "")
        n = number()
        TOKENS[f"at-{n}"] = {"scope": scope, "dead": False}
        answer = {"access_token": f"at-{n}", "token_type": "bearer", "scope": scope,
                  "expires_in": 3600}
        if form["grant_type"] in ("authorization_code", "refresh_token"):
            answer["refresh_token"] = f"rt-{n}"
            REFRESH[f"rt-{n}"] = scope
        if name == "dpop":
            answer["token_type"] = "DPoP"
        return self.answer(200, answer)

    def exchange(self, name):
        """The identity provider of a company, in the same place."""
        form, kind = self.form, "urn:ietf:params:oauth:token-type:"
        if form.get("subject_token") != "identity-1" or form["client_id"] != "desk" \
                or form["requested_token_type"] != kind + "id-jag" \
                or form["subject_token_type"] != kind + "id_token" \
                or form["audience"] != f"{self.base}/as/{name}":
            return self.refuse("invalid_grant", "who is that?")
        grant = f"grant-{number()}"
        GRANTS.append(grant)
        return self.answer(200, {"access_token": grant, "token_type": "N_A",
                                 "issued_token_type": kind + ("access_token" if name == "wrong-kind"
                                                              else "id-jag")})

    def revoke(self, name):
        if name == "no-revoke":
            return self.answer(503)
        TOKENS.pop(self.form["token"], None)
        REFRESH.pop(self.form["token"], None)
        return self.answer(200)

    # ---- the MCP server ----

    def challenge(self, name, more=""):
        where = f"{self.base}/.well-known/oauth-protected-resource/{name}/mcp"
        if name == "lan":
            where = "http://192.168.77.1/metadata"
        if name == "file":
            where = "file:///etc/passwd"
        if name in ("old", "silent-challenge"):
            return {}
        return {"WWW_Authenticate": f'Bearer resource_metadata="{where}"{more}'}

    def mcp(self, name):
        token = (self.headers.get("Authorization") or "")[len("Bearer "):]
        known = TOKENS.get(token)
        if not known or name == "always":
            return self.answer(401, b"", **self.challenge(name, ', error="invalid_token"' if token else ""))
        if self.command != "POST":
            return self.answer(405 if self.command == "GET" else 200)
        message = json.loads(self.body)
        method = message["method"]
        if method == "tools/call":
            with LOCK:
                COUNT["calls"] += 1
                calls = COUNT["calls"]
            if name == "expire" and calls == 1:
                del TOKENS[token]
                return self.answer(401, b"", **self.challenge(name))
            if name == "greedy" or (name == "step-up" and "write" not in known["scope"].split()):
                return self.answer(403, b"", **self.challenge(
                    name, ', error="insufficient_scope", scope="write"'))
        if "id" not in message:
            return self.answer(202)
        result = {}
        if method == "initialize":
            result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                      "serverInfo": {"name": "locked", "version": "1"}}
        if method == "tools/list":
            result = {"tools": [{"name": "echo", "inputSchema": {
                "type": "object", "properties": {"text": {"type": "string"}}}}]}
        if method == "tools/call":
            result = {"content": [{"type": "text", "text": message["params"]["arguments"]["text"]}]}
        return self.answer(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})


SERVER = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
SERVER.daemon_threads = True
print("port", SERVER.server_port, flush=True)
SERVER.serve_forever()
