#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A small HTTP server that speaks Ollama's API, in the place of a language model.

    ollama.py [--port N] [--mode MODE] [--log FILE]

Prints "port N" when it listens. The model's name in a request says how it
behaves, unless --mode does; any name that is no mode is a good model, which
finds the entities of the text between <<< and >>> by itself. With "stream" it
answers in pieces, one JSON object a line. Each request's body goes to FILE,
one a line.

    slow[:SECONDS]  answers late (60 s)       missing  404: no such model
    wrong           says a sentence           busy[:N] 503 with Retry-After
    half            says half of the JSON              (the first N times: all)
    fence           puts it in a fence        memory   500 with words
    odd             says other members        html     200 with a web page
    nothing         says it in capitals, with a full stop
    cut             breaks off in the middle  dead     closes without a word
    broken          200 with broken JSON      empty    200 with nothing
"""
import argparse
import http.server
import json
import re
import sys
import time

PATTERNS = {
    "nome": r"(?:contato|paciente|nome)\s*:\s*([^,.\n]+)",
    "telefone": r"(?:tel(?:efone)?\.?|fone)\s*:?\s*([\d() -]{8,})",
    "email": r"([\w.+-]+@[\w.-]+\w)",
    "motivo": r"motivo\s*:\s*([^,.\n]+)",
    "data": r"(\d{1,2}/\d{1,2}(?:/\d{2,4})?)",
}


def extract(prompt):
    """What a good model would say."""
    found = re.findall(r"<<<\n(.*?)\n>>>", prompt, re.S)
    text = found[-1] if found else prompt
    said = {}
    for name, pattern in PATTERNS.items():
        match = re.search(pattern, text, re.I)
        said[name] = match.group(1).strip() if match else None
    found = sum(1 for value in said.values() if value)
    said["confianca"] = round(0.5 + 0.14 * min(found, 3), 2)
    return said


def words(mode, prompt):
    said = json.dumps(extract(prompt), ensure_ascii=False)
    if mode == "wrong":
        return "Desculpe, não posso ajudar com isso."
    if mode == "half":
        return said[: len(said) // 2]
    if mode == "fence":
        return "Claro!\n```json\n" + said + "\n```\n"
    if mode == "nothing":
        return json.dumps({"nome": "null", "motivo": "Não informado.",
                           "telefone": "NÃO INFORMADO", "CONFIANÇA": 0.7}, ensure_ascii=False)
    if mode == "odd":
        return json.dumps({"entities": {"Name": "  Ana \n Maria ", "email": "nenhum",
                                        "telefone": 1199998888, "x": 1},
                           "confidence": "92%"})
    return said


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, kind="application/json", headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path == "/":
            self.answer(200, b"Ollama is running", "text/plain")
        elif self.path == "/api/version":
            self.answer(200, {"version": "0.0.0"})
        elif self.path == "/api/tags":
            self.answer(200, {"models": [{"name": "llama3:8b", "model": "llama3:8b"}]})
        else:
            self.answer(404, b"404 page not found", "text/plain")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/api/chat":
            self.answer(404, b"404 page not found", "text/plain")
            return
        try:
            asked = json.loads(body)
            model, messages = asked["model"], asked["messages"]
            prompt = messages[-1]["content"]
        except (ValueError, KeyError, IndexError, TypeError):
            self.answer(400, {"error": "invalid request"})
            return
        if self.server.log:
            with open(self.server.log, "a", encoding="utf-8") as log:
                log.write(json.dumps(asked, ensure_ascii=False) + "\n")
        mode, _, number = (self.server.mode or model).partition(":")
        if not self.refuse(mode, number, model):
            self.chat(mode, model, words(mode, prompt), asked.get("stream", True))

    def refuse(self, mode, number, model):
        """True: there will be no words."""
        if mode == "slow":
            time.sleep(float(number or 60))
        elif mode == "missing":
            self.answer(404, {"error": f"model '{model}' not found"})
        elif mode == "busy":
            self.server.refused += 1
            if number and self.server.refused > int(number):
                return False
            self.answer(503, {"error": "server busy, please try again"},
                        headers=[("Retry-After", "1")])
        elif mode == "memory":
            self.answer(500, {"error": "model requires more system memory"})
        elif mode == "html":
            self.answer(200, b"<!doctype html><title>x</title>", "text/html")
        elif mode == "broken":
            self.answer(200, b"{not json")
        elif mode == "empty":
            self.answer(200, b"")
        elif mode == "dead":
            self.close_connection = True
        return mode in ("missing", "busy", "memory", "html", "broken", "empty", "dead")

    def chat(self, mode, model, text, stream):
        head = {"model": model, "created_at": "2025-01-01T00:00:00Z"}
        last = {"done": True, "done_reason": "stop", "total_duration": 1}
        if not stream:
            message = {"role": "assistant", "content": text}
            body = json.dumps({**head, "message": message, **last}, ensure_ascii=False).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if mode == "cut" else body)
            self.close_connection = mode == "cut"
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for at in range(0, len(text), 7):
            piece = {"role": "assistant", "content": text[at: at + 7]}
            self.chunk({**head, "message": piece, "done": False})
            if mode == "cut" and at >= 14:
                self.close_connection = True
                return
        self.chunk({**head, "message": {"role": "assistant", "content": ""}, **last})
        self.wfile.write(b"0\r\n\r\n")

    def chunk(self, value):
        data = json.dumps(value, ensure_ascii=False).encode() + b"\n"
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    mode = log = None
    refused = 0

    def handle_error(self, *_):
        pass  # who asked is gone


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--mode")
    parser.add_argument("--log")
    given = parser.parse_args()
    server = Server(("127.0.0.1", given.port), Handler)
    server.mode, server.log = given.mode, given.log
    print("port", server.server_port, flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
