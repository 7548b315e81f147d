#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Servers that speak no TLS above 1.1: whatever dials them says that, and not
# that a certificate is the matter.

load helper

# old_tls NAME [ARG]…: a server that speaks no TLS above 1.1; sets OLD.
old_tls() {
	local name=$1
	shift
	# Its standard input must stay open: a pipe that it could write to itself.
	mkfifo "$name.in"
	background "$name" sh -c "exec openssl s_server -accept 127.0.0.1:0 \
		-cipher ALL:@SECLEVEL=0 -cert server.pem -key server.key $* <>$name.in"
	OLD=$(wait_for "$name.out" ACCEPT | sed 's/.*://')
}

@test "servers of TLS 1.0 and 1.1: the reason, and no word of --cacert" {
	certificates
	for version in tls1 tls1_1; do
		old_tls "$version" "-$version"
		for target in "https://localhost:$OLD/" "sse+https://localhost:$OLD/" \
			"wss://localhost:$OLD/" "mqtts://localhost:$OLD/c"; do
			for options in '' '--cacert ca.pem' --insecure; do
				# shellcheck disable=SC2086 # words
				mcp --retry 1 $options "$target" ping
				ends 3
				hints 'neither TLS 1.2 nor 1.3'
				hints 'security level'
				absent 'cacert' stderr
			done
		done
	done
}

# As servers from before TLS 1.3 answer: they choose 1.0 by themselves.
@test "a server that chooses TLS 1.0: the same reason" {
	cat >old.py <<'END'
import socket
s = socket.create_server(("127.0.0.1", 0))
print("port", s.getsockname()[1], flush=True)
hello = b"\x03\x01" + b"r" * 32 + b"\x00" + b"\x00\x2f" + b"\x00"
hello = b"\x02" + len(hello).to_bytes(3, "big") + hello
while True:
    c, _ = s.accept()
    c.recv(4096)
    c.sendall(b"\x16\x03\x01" + len(hello).to_bytes(2, "big") + hello)
    c.recv(4096)
    c.close()
END
	background old /usr/bin/python3 old.py
	OLD=$(wait_for old.out port | cut -d' ' -f2)
	for target in "https://127.0.0.1:$OLD/" "wss://127.0.0.1:$OLD/" "mqtts://127.0.0.1:$OLD/c"; do
		mcp --retry 1 "$target" ping
		ends 3
		hints 'neither TLS 1.2 nor 1.3'
		absent 'cacert' stderr
	done
}
