#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Logins by OAuth: a server that wants them, with an authorization server that
# behaves as the path says (oauth_server.py), and a browser without a window.

load helper

# In place of the shell that runs it, so that it can be stopped.
python() { exec /usr/bin/python3 "$@"; }

# Sets URL; BROWSER comes back at once.
server() {
	background server python "$BATS_TEST_DIRNAME/oauth_server.py" requests
	URL=http://127.0.0.1:$(wait_for server.out '^port' | cut -d' ' -f2)
	cp "$ROOT/tests/conformance/browser" "$WORK/browser"
	export BROWSER=$WORK/browser
}

# asked FILTER: jq over the requests that came.
asked() { jq -cr "$1" requests; }

# count PATH: so many requests to it.
count() { asked "select(.path == \"$1\") | .method" | wc -l; }

# No secret stands where it does not belong.
no_secrets() {
	local secrets='at-[0-9]|rt-[0-9]|code-[0-9]|s%cr:et'
	if grep -E -- "$secrets" <<<"$out$err"; then return 1; fi
}

# As if the tokens that are kept were over.
over_now() {
	sed -i 's/"expires_at":[0-9]*/"expires_at":1/; s/"obtained_at":[0-9]*/"obtained_at":0/' \
		"$XDG_STATE_HOME"/mcpctl/oauth/*.login.json
}

# The only login that is kept.
kept() { cat "$XDG_STATE_HOME"/mcpctl/oauth/*.login.json; }

@test "a call logs in by itself, once; the token is kept for the next command" {
	server
	mcp --trace t.cap "$URL/ok/mcp" call echo text=hello
	ends 0
	[ "$out" = hello ]
	hints "wants a login at $URL"
	mcp "$URL/ok/mcp" call echo text=again
	ends 0
	[ "$out" = again ]
	[ -z "$err" ]
	[ "$(count /as/ok/authorize)" = 1 ]
	# Nothing but the token goes to the server, and that nowhere else.
	[ "$(asked 'select(.path == "/ok/mcp" and .authorization) | .authorization' | sort -u)" = "Bearer $(kept | jq -r .access_token)" ]
	[ "$(asked 'select(.path != "/ok/mcp" and .authorization)' | wc -l)" = 0 ]
	if grep -E 'at-[0-9]|code-[0-9]|verifier' t.cap; then false; fi
}

@test "what is asked: PKCE, state, resource, scope, the address of our port" {
	server
	mcp "$URL/ok/mcp" tools
	ends 0
	asked 'select(.path == "/as/ok/authorize") | .query' >query
	[ "$(jq -r '[.response_type, .code_challenge_method, .scope, .kept] | join(" ")' query)" = 'code S256 read 1' ]
	[ "$(jq -r .resource query)" = "$URL/ok/mcp" ]
	[ "$(jq -r '.state | length >= 22' query)" = true ]
	[[ $(jq -r .redirect_uri query) == http://127.0.0.1:*/callback ]]
	[ "$(asked 'select(.path == "/as/ok/token") | .form | [.resource, .client_id] | join(" ")')" = "$URL/ok/mcp client-1" ]
	[ "$(asked 'select(.path == "/as/ok/register") | .body | fromjson | [.application_type, .token_endpoint_auth_method, .grant_types[]] | join(" ")')" = \
		'native none authorization_code refresh_token' ]
}

@test "the store: 0700 and 0600, no part of a file; others' and open ones are refused" {
	server
	mcp login "$URL/ok/mcp"
	ends 0
	says 'logged in'
	no_secrets
	[ "$(stat -c %a "$XDG_STATE_HOME/mcpctl/oauth")" = 700 ]
	[ "$(stat -c %a "$XDG_STATE_HOME"/mcpctl/oauth/* | sort -u)" = 600 ]
	[ "$(find "$XDG_STATE_HOME" -name '*.json.*' | wc -l)" = 0 ]
	chmod 644 "$XDG_STATE_HOME"/mcpctl/oauth/*.login.json
	unset BROWSER
	mcp "$URL/ok/mcp" tools
	ends 6
	hints 'others may read it'
	no_secrets
}

@test "login, login --list, logout: taken back there and gone here" {
	server
	mcp login --list
	ends 0
	[ -z "$out" ]
	mcp -o json login "$URL/ok/mcp"
	ends 0
	[ "$(jq -r '[.server, .state, .scope, .renews] | join(" ")' <<<"$out")" = "$URL/ok/mcp logged in read true" ]
	mcp login --list
	says "$URL/as/ok"
	no_secrets
	mcp logout "$URL/ok/mcp"
	ends 0
	says 'logged out'
	[ "$(asked 'select(.path == "/as/ok/revoke") | .form.token_type_hint' | tr '\n' ' ')" = 'refresh_token access_token ' ]
	[ -z "$(ls "$XDG_STATE_HOME/mcpctl/oauth")" ]
	mcp logout "$URL/ok/mcp"
	ends 7
	hints 'there is no login'
}

@test "logout where the server cannot take it back: gone here, and said" {
	server
	mcp login "$URL/no-revoke/mcp"
	ends 0
	mcp logout "$URL/no-revoke/mcp"
	ends 6
	hints 'was forgotten here, but not taken back'
	[ -z "$(ls "$XDG_STATE_HOME/mcpctl/oauth")" ]
}

@test "without a terminal and without BROWSER: status 6, and the command that logs in" {
	server
	unset BROWSER
	mcp "$URL/ok/mcp" tools
	ends 6
	hints "mcpctl login $URL/ok/mcp"
	[ "$(asked 'select(.path != "/ok/mcp")' | wc -l)" = 0 ]
}

@test "a token of the user wins, and --no-oauth forbids" {
	server
	MCPCTL_TOKEN=mine mcp "$URL/ok/mcp" tools
	ends 6
	hints 'does not take this token'
	mcp --no-oauth "$URL/ok/mcp" tools
	ends 6
	[ "$(asked 'select(.path != "/ok/mcp")' | wc -l)" = 0 ]
	MCPCTL_TOKEN=mine mcp login "$URL/ok/mcp"
	ends 2
	hints 'wins over a login'
	mcp login sim:
	ends 2
	hints 'http: and https:'
}

@test "secrets of clients: by Basic, encoded first, or in the body" {
	server
	for name in basic post; do
		mcp "$URL/$name/mcp" call echo text=$name
		ends 0
		[ "$out" = $name ]
	done
	[ "$(asked 'select(.path == "/as/post/token") | [.form.client_secret, .authorization]')" = '["s%cr:et",null]' ]
	[ "$(asked 'select(.path == "/as/basic/token") | [.form.client_secret, .authorization]')" = \
		"[null,\"Basic $(printf 'client-1:s%%25cr%%3Aet' | base64)\"]" ]
}

@test "a token that is over is renewed before, one that is refused behind; by rotation" {
	server
	mcp "$URL/ok/mcp" call echo text=one
	ends 0
	[ "$(asked 'select(.form.grant_type == "refresh_token") | .form.resource')" = "" ]
	over_now
	mcp "$URL/ok/mcp" call echo text=two
	ends 0
	[ "$(asked 'select(.form.grant_type == "refresh_token") | .form.resource')" = "$URL/ok/mcp" ]
	[ "$(asked 'select(.path == "/ok/mcp" and .authorization == null) | 1' | wc -l)" = 1 ]
	mcp "$URL/expire/mcp" call echo text=three
	ends 0
	[ "$out" = three ]
	[ "$(count /as/expire/authorize)" = 1 ]
	[ "$(kept | jq -s 'map(.refresh_token) | unique | length')" = 2 ]
}

@test "a refresh that fails for good leads to a new login; to its command, where nobody is" {
	server
	mcp "$URL/dead-refresh/mcp" tools
	ends 0
	over_now
	mcp "$URL/dead-refresh/mcp" tools
	ends 0
	[ "$(count /as/dead-refresh/authorize)" = 2 ]
}

@test "two processes that renew at once: one asks, both go on" {
	server
	mcp "$URL/slow-refresh/mcp" tools
	ends 0
	over_now
	mcpctl "$URL/slow-refresh/mcp" call echo text=a >a.out 2>a.err &
	local first=$!
	mcpctl "$URL/slow-refresh/mcp" call echo text=b >b.out 2>b.err
	wait $first
	[ "$(cat a.out b.out)" = $'a\nb' ]
	[ "$(asked 'select(.form.grant_type == "refresh_token") | 1' | wc -l)" = 1 ]
	[ "$(count /as/slow-refresh/authorize)" = 1 ]
}

@test "a clock that went back: the token is used, not renewed" {
	server
	mcp "$URL/ok/mcp" tools
	ends 0
	sed -i 's/"obtained_at":[0-9]*/"obtained_at":9999999999/; s/"expires_at":[0-9]*/"expires_at":1/' "$XDG_STATE_HOME"/mcpctl/oauth/*.login.json
	mcp "$URL/ok/mcp" tools
	ends 0
	[ "$(asked 'select(.form.grant_type == "refresh_token") | 1' | wc -l)" = 0 ]
}

@test "too few scopes: asked for with those that are there; a greedy server ends it" {
	server
	mcp "$URL/step-up/mcp" call echo text=more
	ends 0
	[ "$out" = more ]
	[ "$(asked 'select(.path == "/as/step-up/authorize") | .query.scope' | tail -n 1)" = 'read write' ]
	mcp "$URL/greedy/mcp" call echo text=more
	ends 6
	hints 'again and again'
	[ "$(count /as/greedy/authorize)" -le 3 ]
}

@test "a server that refuses the new token: status 6, and no endless login" {
	server
	mcp "$URL/always/mcp" tools
	ends 6
	hints 'refuses the token that'
	no_secrets
	[ "$(count /as/always/authorize)" = 1 ]
}

@test "servers that lie are told of, and get no token" {
	server
	while read -r name words; do
		mcp "$URL/$name/mcp" tools
		[ "$status" -ge 3 ]
		hints "$words" || { echo "$name: $err"; return 1; }
		no_secrets
		[ "$(count "/as/$name/token")" = 0 ]
	done <<-END
		issuer-lie is of another one
		other-resource is of another resource
		plain-http is plain http
		no-s256 PKCE
		redirect HTTP 302
		huge cannot be had
		lan is plain http
		lan-issuer is plain http
		file is no http or https URL
		iss-wrong of another authorization server
		iss-missing does not say that it is of
		denied did not let you in: access_denied
		no-register lets no client register
	END
	if grep -r secret_words_of_evil err ./*.err; then false; fi
	[ ! -e "$XDG_STATE_HOME/mcpctl/oauth" ] ||
		[ "$(find "$XDG_STATE_HOME/mcpctl/oauth" -name '*.login.json' | wc -l)" = 0 ]
	mcp "$URL/dpop/mcp" tools
	ends 5
	hints 'not Bearer'
}

@test "an error's words are made safe for the terminal" {
	server
	mcp "$URL/denied/mcp" tools
	ends 6
	if grep -q $'\x1b\[31m' <<<"$err"; then false; fi
}

@test "a wrong state is not heard; a browser that never comes back ends by --oauth-timeout" {
	server
	for name in wrong-state silent; do
		mcp --oauth-timeout 1s "$URL/$name/mcp" tools
		ends 4
		hints 'nobody came back'
		[ "$(count "/as/$name/token")" = 0 ]
	done
}

@test "a code that comes twice is used once" {
	server
	mcp "$URL/twice/mcp" call echo text=once
	ends 0
	[ "$out" = once ]
	[ "$(count /as/twice/token)" = 1 ]
}

@test "a code that is refused leads to the browser once more" {
	server
	mcp "$URL/old-code/mcp" call echo text=hello
	ends 0
	[ "$out" = hello ]
	[ "$(count /as/old-code/authorize)" = 2 ]
	[ "$(count /as/old-code/token)" = 2 ]
}

@test "the time of a call does not run while the user logs in" {
	server
	# shellcheck disable=SC2016 # the script's own
	printf '#!/bin/sh\nsleep 1.5\nexec curl -sL -o /dev/null "$1"\n' >browser
	mcp --timeout 1s "$URL/ok/mcp" call echo text=patient
	ends 0
	[ "$out" = patient ]
}

@test "a server of 2025-03-26 without a document of its resource" {
	server
	mcp "$URL/old/mcp" tools
	ends 6
	hints '401'
}

@test "client credentials: a secret, a key; nobody is asked" {
	server
	unset BROWSER
	(umask 077 && printf 's%%cr:et\n' >secret)
	mcp --oauth-grant client-credentials --oauth-client-id me --oauth-client-secret-file secret \
		"$URL/machine/mcp" call echo text=ci
	ends 0
	[ "$out" = ci ]
	[ "$(asked 'select(.path == "/as/machine/token") | .form | [.grant_type, .scope, .client_secret]')" = '["client_credentials","read",null]' ]
	if grep -r 's%cr' "$XDG_STATE_HOME"; then false; fi
	MCPCTL_OAUTH_CLIENT_SECRET='s%cr:et' mcp --oauth-grant client-credentials --oauth-client-id you \
		"$URL/machine/mcp" call echo text=env
	ends 0
	mcp --oauth-client-secret-file secret "$URL/machine/mcp" tools
	ends 2
	hints '--oauth-client-id'
}

@test "a company's identity token in place of a browser" {
	server
	unset BROWSER
	(umask 077 && printf 's%%cr:et\n' >secret && printf 'identity-1\n' >identity)
	# company NAME ARG…
	company() {
		mcp --oauth-client-id me --oauth-client-secret-file secret \
			--oauth-idp-token-file identity --oauth-idp-client-id desk \
			--oauth-idp-token-endpoint "$URL/as/$1/exchange" "$URL/$1/mcp" "${@:2}"
	}
	company machine call echo text=badge
	ends 0
	[ "$out" = badge ]
	[ "$(asked 'select(.path == "/as/machine/exchange") | .form | [.resource, .scope, .authorization]')" = "[\"$URL/machine/mcp\",\"read\",null]" ]
	[ "$(asked 'select(.path == "/as/machine/token") | .form | [.grant_type, .resource, .client_secret]')" = \
		"[\"urn:ietf:params:oauth:grant-type:jwt-bearer\",\"$URL/machine/mcp\",null]" ]
	# The token goes on, and is got anew in the same way when it is over.
	company machine call echo text=again
	ends 0
	[ "$(count /as/machine/exchange)" = 1 ]
	over_now
	company machine call echo text=anew
	ends 0
	[ "$(count /as/machine/exchange)" = 2 ]
	if grep -rE 'grant-[0-9]|identity-1|s%cr' "$XDG_STATE_HOME"; then false; fi
	if grep -E 'grant-[0-9]|identity-1' <<<"$out$err"; then false; fi
	rm -r "$XDG_STATE_HOME"
	company wrong-kind tools
	ends 5
	hints 'in place of an identity assertion grant'
	[ "$(count /as/wrong-kind/token)" = 0 ]
	echo somebody >identity
	company machine tools
	ends 6
	hints 'invalid_grant (who is that?)'
	hints '--oauth-idp-token-file'
}

@test "a company's identity token: what is missing or goes nowhere" {
	server
	unset BROWSER
	echo identity-1 >identity
	mcp --oauth-client-id me --oauth-idp-token-file identity "$URL/machine/mcp" tools
	ends 2
	hints '--oauth-idp-token-endpoint'
	mcp --oauth-idp-token-file identity --oauth-idp-token-endpoint "$URL/as/machine/exchange" "$URL/machine/mcp" tools
	ends 2
	hints '--oauth-client-id'
	mcp --oauth-client-id me --oauth-client-secret-file identity --oauth-idp-token-file identity \
		--oauth-idp-token-endpoint http://idp.example.com/token "$URL/machine/mcp" tools
	ends 5
	hints '--oauth-idp-token-endpoint'
	: >identity
	mcp --oauth-client-id me --oauth-idp-token-file identity \
		--oauth-idp-token-endpoint "$URL/as/machine/exchange" "$URL/machine/mcp" tools
	ends 2
	hints 'holds no token'
}

# verified ALG PUBLIC: the assertion that came last.
verified() {
	asked 'select(.form.client_assertion) | .form.client_assertion' | tail -n 1 | /usr/bin/python3 -c '
import base64, json, subprocess, sys
head, body, mark = sys.stdin.read().strip().split(".")
raw = lambda t: base64.urlsafe_b64decode(t + "=" * (-len(t) % 4))
assert json.loads(raw(head))["alg"] == sys.argv[1]
claims = json.loads(raw(body))
assert claims["iss"] == claims["sub"] == "me" and claims["aud"] == sys.argv[3], claims
assert 0 < claims["exp"] - claims["iat"] <= 300 and claims["jti"]
mark = raw(mark)
if sys.argv[1] == "ES256":
    part = lambda b: (lambda v: b"\x02" + bytes([len(v)]) + v)(
        int.from_bytes(b, "big").to_bytes(int.from_bytes(b, "big").bit_length() // 8 + 1, "big"))
    assert len(mark) == 64
    both = part(mark[:32]) + part(mark[32:])
    mark = b"\x30" + bytes([len(both)]) + both
open("mark", "wb").write(mark)
open("signed", "w").write(head + "." + body)
sys.exit(subprocess.run(["openssl", "dgst", "-sha256", "-verify", sys.argv[2], "-signature", "mark", "signed"]).returncode)
' "$1" "$2" "$3"
}

@test "private_key_jwt: ES256 as r and s, RS256; a wrong key is told of" {
	server
	unset BROWSER
	openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ES256.pem 2>/dev/null
	openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out RS256.pem 2>/dev/null
	for how in ES256 RS256; do
		openssl pkey -in $how.pem -pubout -out public.pem
		mcp --oauth-client-id me --oauth-private-key-file $how.pem "$URL/machine/mcp" call echo text=$how
		ends 0
		verified $how public.pem "$URL/as/machine"
		rm -r "$XDG_STATE_HOME"
	done
	if grep -rl PRIVATE "$XDG_STATE_HOME" 2>/dev/null; then false; fi
	echo nonsense >bad.pem
	mcp --oauth-client-id me --oauth-private-key-file bad.pem "$URL/machine/mcp" tools
	ends 2
	hints 'PKCS#8'
	openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out bad.pem 2>/dev/null
	mcp --oauth-client-id me --oauth-private-key-file bad.pem "$URL/machine/mcp" tools
	ends 2
	hints 'P-256'
}

@test "private_key_jwt: logout without the key says which is missing" {
	server
	openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem 2>/dev/null
	mcp --oauth-client-id me --oauth-private-key-file key.pem "$URL/machine/mcp" tools
	ends 0
	mcp logout "$URL/machine/mcp"
	ends 6
	hints 'was forgotten here, but not taken back: the key of this login was not given (--oauth-private-key-file)'
	[ -z "$(ls "$XDG_STATE_HOME/mcpctl/oauth")" ]
}

@test "a client id is for its issuer, and --oauth-issuer picks one" {
	server
	mcp --oauth-client-id mine "$URL/ok/mcp" tools
	ends 0
	[ "$(count /as/ok/register)" = 0 ]
	[ "$(asked 'select(.path == "/as/ok/authorize") | .query.client_id')" = mine ]
	mcp --oauth-issuer https://other.example.com "$URL/ok/mcp" tools
	ends 6
	hints "does not name the authorization server 'https://other.example.com'"
	sed -i "s|\"issuer\":\"[^\"]*\"|\"issuer\":\"https://before.example.com\"|; s|\"expires_at\":[0-9]*|\"expires_at\":0|; s|at-|no-|; s|\"refresh_token\":\"[^\"]*\",||" \
		"$XDG_STATE_HOME"/mcpctl/oauth/*.login.json
	mcp --oauth-client-id mine "$URL/ok/mcp" tools
	ends 6
	hints 'now names another authorization server'
	[ "$(count /as/ok/authorize)" = 1 ]
}

@test "scopes of the user, and offline_access where the server knows it" {
	server
	mcp --oauth-scope 'read admin' "$URL/offline/mcp" tools
	ends 0
	[ "$(asked 'select(.path == "/as/offline/authorize") | .query.scope')" = 'read admin offline_access' ]
}

@test "an entry of mcp.json: oauth, and what must not stand there" {
	server
	mkdir -p config/mcpctl
	cat >config/mcpctl/mcp.json <<-END
		{"mcpServers": {"shop": {"url": "$URL/ok/mcp", "oauth": {"clientId": "of-file", "scopes": ["write"]}},
		 "off": {"url": "$URL/ok/mcp", "oauth": false},
		 "bad": {"url": "$URL/ok/mcp", "oauth": {"client_secret": "s%cr:et"}}}}
	END
	mcp -t shop tools
	ends 0
	[ "$(asked 'select(.path == "/as/ok/authorize") | .query | [.client_id, .scope] | join(" ")')" = 'of-file write' ]
	mcp -t bad tools
	ends 2
	hints 'must not stand there'
	no_secrets
	rm -r "$XDG_STATE_HOME"
	mcp -t off tools
	ends 6
}

@test "login where logins are forbidden: by the entry, or by the option" {
	mkdir -p config/mcpctl
	echo '{"mcpServers": {"off": {"url": "http://127.0.0.1:1/mcp", "oauth": false}}}' >config/mcpctl/mcp.json
	mcp login off
	ends 2
	hints 'logins are forbidden: "oauth" of its entry is false'
	mcp --no-oauth login http://127.0.0.1:1/mcp
	ends 2
	hints 'logins are forbidden: --no-oauth'
}

@test "a full disk: the call goes on and says so, login fails, nothing is half written" {
	server
	mkdir -p "$XDG_STATE_HOME/mcpctl"
	[ "$(id -u)" != 0 ] || mount -t tmpfs -o size=4k,nr_inodes=2,mode=700 none "$XDG_STATE_HOME/mcpctl" 2>/dev/null ||
		skip 'nothing can be mounted here'
	[ "$(id -u)" = 0 ] || chmod 500 "$XDG_STATE_HOME/mcpctl"
	mcp "$URL/ok/mcp" call echo text=all-the-same
	local left
	left=$(find "$XDG_STATE_HOME/mcpctl" -type f | wc -l)
	mcp login "$URL/ok/mcp"
	[ "$(id -u)" != 0 ] || umount "$XDG_STATE_HOME/mcpctl"
	[ "$left" = 0 ]
	ends 8
	hints 'was not kept'
	no_secrets
}

@test "a browser elsewhere: the address is pasted" {
	server
	unset BROWSER
	cat >paste.py <<-'END'
		import os, pty, re, sys, urllib.request
		child, terminal = pty.fork()
		if child == 0:
		    os.execvp("mcpctl", ["mcpctl", "login", "--no-browser", sys.argv[1]])
		seen = b""
		while b"(n: no): " not in seen:
		    seen += os.read(terminal, 4096)
		url = re.search(rb"  (http://\S+)", seen).group(1).decode()
		class Stay(urllib.request.HTTPRedirectHandler):
		    def redirect_request(self, *_):
		        return None
		try:
		    urllib.request.build_opener(Stay).open(url)
		except urllib.error.HTTPError as e:
		    back = e.headers["Location"]
		os.write(terminal, b"http://127.0.0.1:1/?code=x&state=wrong\n")
		while b"not the answer" not in seen:
		    seen += os.read(terminal, 4096)
		os.write(terminal, back.encode() + b"\n")
		try:
		    while piece := os.read(terminal, 4096):
		        seen += piece
		except OSError:
		    pass
		assert b"logged in" in seen, seen
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
	END
	/usr/bin/python3 paste.py "$URL/ok/mcp"
}

@test "Ctrl-C at the question of a login ends the command with 130" {
	server
	unset BROWSER
	cat >end.py <<-'END'
		import os, pty, sys
		child, terminal = pty.fork()
		if child == 0:
		    os.execvp("mcpctl", ["mcpctl", "login", "--no-browser", sys.argv[1]])
		seen = b""
		while b"(n: no): " not in seen:
		    seen += os.read(terminal, 4096)
		os.write(terminal, b"\x03")
		try:
		    while piece := os.read(terminal, 4096):
		        seen += piece
		except OSError:
		    pass
		sys.stdout.buffer.write(seen)
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
	END
	run /usr/bin/python3 end.py "$URL/ok/mcp"
	[ "$status" = 130 ]
	[[ "$output" != *refused* ]]
}

@test "nothing of it is loaded where it is not needed" {
	server
	mcpctl login "$URL/ok/mcp" >/dev/null 2>&1
	# A folder of logins that others may read is told by who looks there.
	chmod 755 "$XDG_STATE_HOME/mcpctl/oauth"
	LD_DEBUG=files mcpctl version >said 2>loaded
	grep -q mcpctl said
	grep -q 'calling init' loaded
	if grep -E 'oauth|mcpctl-auth' said loaded; then false; fi
	chmod 700 "$XDG_STATE_HOME/mcpctl/oauth"
	LD_DEBUG=files mcpctl "$URL/ok/mcp" tools >said 2>loaded
	grep -q mcpctl-http loaded
	if grep -E 'mcpctl-auth|mcpctl-front' loaded; then false; fi
}

@test "a login at a server that wants none: it says so" {
	local line
	background service mcpctl sim llm --listen 127.0.0.1:0
	line=$(wait_for service.err 'listening at') || return 1
	mcp login "${line##* }mcp"
	[ "$status" -ne 0 ]
	hints "it answers 'tools/list' without a login: none may be needed"
}
