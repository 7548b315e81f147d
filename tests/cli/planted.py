# SPDX-License-Identifier: MIT
"""Answers HTTP with the bytes of a file, read anew each time, then closes.

planted.py FILE [CERTIFICATE KEY [AUTHORITY]]; with AUTHORITY clients must have
a certificate, too. What stands in the file "how" beside it says
more: "first" answers before anything is read, "early" before the body is,
"order" refuses a picture that
comes before its question, "hang up" closes on such a one, "hold" keeps it
waiting, "mute" closes without an answer.
The file "answer-get" is what GET is answered with, "answer-activate" a board's
answer to a challenge; behind that "answer-after" is the answer, if there is one.
"""
import pathlib
import select
import socketserver
import ssl
import sys

FILE = pathlib.Path(sys.argv[1])
HOW = FILE.with_name("how")


class Planted(socketserver.StreamRequestHandler):
    def head(self):
        length, chunked = 0, False
        self.get = self.activate = False
        for line in self.rfile:
            self.get |= line.startswith(b"GET ")
            self.activate |= b"/activate HTTP" in line
            name, _, value = line.decode("latin-1").partition(":")
            if name.lower() == "content-length":
                length = int(value)
            chunked |= name.lower() == "transfer-encoding"
            if not line.strip():
                break
        return length, chunked

    def body(self, length, chunked):
        out = self.rfile.read(length)
        while chunked:
            size = int(self.rfile.readline() or b"0", 16)
            out += self.rfile.read(size)
            self.rfile.readline()
            chunked = size > 0
        return out

    def handle(self):
        how = HOW.read_text().strip() if HOW.exists() else ""
        if how == "first":
            self.wfile.write(FILE.read_bytes())
            self.wfile.flush()
        length, chunked = self.head()
        if how == "early":
            self.rfile.read(20000)
            self.wfile.write(FILE.read_bytes())
            self.wfile.flush()
            gone = select.poll()  # what comes is not read
            gone.register(self.request, select.POLLRDHUP)
            gone.poll()
            return
        if self.get and HOW.with_name("answer-get").exists():
            self.wfile.write(HOW.with_name("answer-get").read_bytes())
            return
        got = self.body(length, chunked)
        if self.activate and HOW.with_name("answer-activate").exists():
            print("activate", got.decode(), flush=True)
            after = HOW.with_name("answer-after")
            if after.exists():  # first: who is answered asks again at once
                after.replace(FILE)
            self.wfile.write(HOW.with_name("answer-activate").read_bytes())
            return
        swapped = got.find(b'"file"') < got.find(b'"question"')
        if how == "mute" or (how == "hang up" and swapped):
            return
        if how == "hold" and swapped:
            self.rfile.read()
            return
        if how == "order" and swapped:
            self.wfile.write(b"HTTP/1.1 422 No\r\nContent-Length: 5\r\n\r\nparts")
        else:
            self.wfile.write(FILE.read_bytes())


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def get_request(self):
        connection, address = super().get_request()
        if sys.argv[2:]:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(*sys.argv[2:4])
            if sys.argv[4:]:
                tls.verify_mode = ssl.CERT_REQUIRED
                tls.load_verify_locations(sys.argv[4])
            connection = tls.wrap_socket(connection, server_side=True)
        return connection, address

    def handle_error(self, request, client_address):
        pass


with Server(("127.0.0.1", 0), Planted) as server:
    print("port", server.server_address[1], flush=True)
    server.serve_forever()
