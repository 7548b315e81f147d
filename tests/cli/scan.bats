#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# targets --scan: who announces a server (on loopback), serves, names.

load helper
bats_require_minimum_version 1.5.0

# shows PATTERN: a line of stdout has it.
shows() {
	if ! grep -aqE -- "$1" "$WORK/stdout"; then
		echo "stdout does not show: $1" >&2
		cat "$WORK/stdout" >&2
		return 1
	fi
}

# One at a time on this machine: all hear the same multicast group.
setup() {
	exec 8>"/tmp/mcpctl-test-scan.$(id -u)"
	flock 8
	places
	PATH=$BUILD:$PATH
	WORK=$BATS_TEST_TMPDIR
	export HOME=$WORK XDG_CONFIG_HOME=$WORK/config XDG_STATE_HOME=$WORK/state
	export XDG_CACHE_HOME=$WORK/cache XDG_RUNTIME_DIR=$WORK/run TMPDIR=$WORK
	export LC_ALL=C.UTF-8
	unset "${!MCPCTL_@}" NO_COLOR PYTHONUNBUFFERED CODEX_HOME
	# shellcheck disable=SC2034 # of helper.bash
	PIDS=()
	cd "$WORK" || return 1
	mkdir -m 700 run
}

responder() {
	background responder "$ROOT/tests/cli/mdns_responder.py" "$@"
	wait_for responder.out ready
}

# server PROFILE: sets PORT.
server() {
	local line
	background server mcpctl sim "$1" --listen 127.0.0.1:0
	line=$(wait_for server.err 'listening at') || return 1
	PORT=${line##*127.0.0.1:}
	PORT=${PORT%%/*}
}

scan() {
	mcp "${form[@]}" targets --scan --interface lo --for 50s "$@"
}

@test "who announces a server, with the command that reaches it" {
	server espressif
	responder lamp "$PORT"
	scan --count 2
	ends 0
	shows 'network  Bare       -  +bare.local on lo  not asked: another address than this one announced it'
	says "network  Desk Lamp  mcpctl http://127.0.0.1:$PORT/mcp_server info  lamp.local on lo, version 1"
	form=(-o json)
	scan --count 2
	ends 0
	says '{"kind":"network","name":"Desk Lamp","peer":"http://127.0.0.1:'"$PORT"'/mcp_server","source":"lamp.local on lo, version 1","command":"mcpctl http://127.0.0.1:'"$PORT"'/mcp_server info","answers":true,"problem":null}'
}

@test "what its text says is taken for its own host alone, and each is asked for initialize" {
	server conformance
	responder found "$PORT" "$PORT" "$(free_port)"
	scan --count 4
	ends 0
	says "network  mcpd          mcpctl http://127.0.0.1:$PORT/mcp info  mcpd.local on lo, version 0.3.1"
	says "network  mcpd          mcpctl ws://127.0.0.1:$PORT/ info "
	says "network  solnera       mcpctl http://127.0.0.1:$PORT/mcp info  sol.local on lo"
	says "network  points away   mcpctl http://127.0.0.1:$PORT/mcp info  away.local on lo"
	shows 'network  is not there  -  +nil.local on lo  no answer to initialize: .*refused'
}

@test "who was found is sent no token, and one that wants it is shown as such" {
	: >log
	mkfifo orders
	# Held open, so that the server's stdin does not end.
	# shellcheck disable=SC2034
	exec {ORDERS}<>orders
	background board sh -c 'exec /usr/bin/python3 "$@" <orders' sh \
		"$BATS_TEST_DIRNAME/espressif_server.py" log token=secret
	PORT=$(wait_for board.out '^port' | cut -d' ' -f2)
	MCPCTL_TOKEN=secret mcp "http://127.0.0.1:$PORT/mcp_server" info
	ends 0
	MCPCTL_TOKEN=secret mcp targets --scan --interface lo --for 1ms --probe "127.0.0.1:$PORT"
	ends 0
	shows '^probe .* wants a token or a login: .*401'
	responder lamp "$PORT"
	MCPCTL_TOKEN=secret scan --count 2
	ends 0
	says "mcpctl http://127.0.0.1:$PORT/mcp_server info"
	shows 'Desk Lamp .* wants a token or a login: .*401'
}

@test "--probe finds who announces nothing, and says nothing of the others" {
	server espressif
	other=$(free_port)
	mcp targets --scan --interface lo --for 1ms --probe "127.0.0.1:$PORT" --probe "127.0.0.1:$other"
	ends 0
	says "probe    127.0.0.1  mcpctl http://127.0.0.1:$PORT/mcp_server info  port $PORT"
	[ "$(grep -c ^probe "$WORK/stdout")" = 1 ]
	# Of a network each place; 127.0.0.1 is one of them.
	mcp -o json targets --scan --interface lo --for 1ms --probe "127.0.0.0:$PORT/30"
	ends 0
	[ "$(jq -r 'select(.kind == "probe").command' "$WORK/stdout")" = "mcpctl http://127.0.0.1:$PORT/mcp_server info" ]
	mcp targets --scan --interface lo --for 1ms --probe "127.0.0.1:$other"
	ends 7
	hints 'nobody at the place that was probed'
	mcp targets --scan --interface lo --for 1ms --probe "127.0.0.1:$other" --probe "127.0.0.2:$other"
	ends 7
	hints 'none of the 2 places that were probed'
	for bad in '127.0.0.1/8' 'a b' '' 'name.local/24' '127.0.0.1/'; do
		mcp targets --scan --interface lo --for 1ms --probe "$bad"
		ends 2
	done
	mcp targets --probe 127.0.0.1
	ends 2
	hints "option '--probe' is for '--scan'"
}

@test "what was not told with the first answer is asked for" {
	responder pieces
	# A fourth of the time between two questions; it ends with the last answer.
	mcp targets --scan --interface lo --for 10s --count 2
	ends 7
	hints 'none of the 2 that were announced is an MCP server'
	shows 'Last .* last.local on lo .* no answer to initialize'
	shows 'Slow .* slow.local on lo .* no answer to initialize'
}

@test "strangers: garbage, too many, text for a shell or a terminal" {
	responder hostile
	scan --count 200
	ends 7
	says '\x1b[31mred\n\xff'
	says 'it did not tell its port'
	shows '  -  *a.;reboot.local on lo'
	hints 'more than 200 were announced'
	run ! grep -aE "http:[^ ]*(reboot|evil)" "$WORK/stdout"
	run ! grep -q $'\x1b' "$WORK/stdout"
	[ "$(wc -l <"$WORK/stdout")" -le 200 ]
}

@test "--watch: who comes and goes, a line each; what is there at first, names once" {
	server espressif
	printf '{"mcpServers":{"mine":{"command":"true"}}}' >mcp.json
	responder lamp "$PORT"
	background watch mcpctl --config mcp.json targets --scan --watch --interface lo
	local watch=$LAST port=$PORT
	wait_for watch.out '^[0-9:.]+  present  name     mine '
	wait_for watch.out "^[0-9:.]+  present  network  Desk Lamp  mcpctl http://127.0.0.1:$PORT/mcp_server info  lamp.local on lo"
	serve
	wait_for watch.out "^[0-9:.]+  came     serve    pid $SERVER "
	kill "$SERVER"
	kill "${PIDS[0]}" "${PIDS[1]}"
	wait_for watch.out "^[0-9:.]+  gone     serve    pid $SERVER "
	wait_for watch.out '^[0-9:.]+  gone     network  Desk Lamp +- '
	background server mcpctl sim espressif --listen "127.0.0.1:$port"
	wait_for server.err 'listening at'
	responder lamp "$port"
	wait_for watch.out '^[0-9:.]+  came     network  Desk Lamp '
	[ "$(grep -c 'name     mine' watch.out)" = 1 ]
	kill -INT "$watch"
	finish "$watch" 130
	mcp -o json targets --scan --watch --interface lo --for 1s
	ends 0
	jq -se 'map(select(.name == "Desk Lamp")) == [{"change":"present","kind":"network","name":"Desk Lamp",
		"peer":"http://127.0.0.1:'"$port"'/mcp_server","source":"lamp.local on lo, version 1",
		"command":"mcpctl http://127.0.0.1:'"$port"'/mcp_server info","answers":true,"problem":null}]' stdout
	mcp targets --scan --watch --probe 127.0.0.1
	ends 2
	mcp targets --scan --watch --count 1
	ends 2
	mcp targets --watch
	ends 2
	hints "option '--watch' is for '--scan'"
}

# sees_watch PATTERN ARG…: --watch in a terminal shows it, until Ctrl-C.
sees_watch() {
	local pattern=$1
	shift
	background watch "$BATS_TEST_DIRNAME/in_terminal.py" 100 24 mcpctl targets --scan --watch "$@"
	wait_for watch.out "$pattern"
	kill -INT "$(pgrep -P "$LAST" mcpctl)"
	finish "$LAST" 130
}

@test "--watch: a terminal sees what it waits for, though nobody is there" {
	export TERM=xterm-256color
	sees_watch 'watching the network and your serves: nobody there \(Ctrl-C ends\)' --interface lo
	server espressif
	responder lamp "$PORT"
	sees_watch 'watching the network and your serves: 2 there \(Ctrl-C ends\)' --interface lo
	broker
	sees_watch 'watching the broker: nobody there \(Ctrl-C ends\)' "mcp+mqtt://127.0.0.1:$MQTT"
	# What is no terminal has lines alone.
	mcp targets --scan --watch --interface lo --for 1s
	ends 0
	[ ! -s stderr ]
}

@test "--watch: a serve that does not answer is not gone; one whose socket nobody has is" {
	serve
	background watch mcpctl targets --scan --watch --interface lo
	wait_for watch.out "^[0-9:.]+  present  serve    pid $SERVER  mcpctl devices "
	kill -STOP "$SERVER"
	wait_for watch.out "^[0-9:.]+  changed  serve    pid $SERVER  - .* does not answer: it may be busy, or stopped"
	kill -CONT "$SERVER"
	wait_for watch.out "^[0-9:.]+  changed  serve    pid $SERVER  mcpctl devices "
	absent gone watch.out
	kill -KILL "$SERVER"
	wait_for watch.out "^[0-9:.]+  gone     serve    pid $SERVER  - "
}

@test "--watch: who is announced before it listens is asked again; who is not heard of is gone if nobody listens" {
	port=$(free_port)
	responder lamp "$port"
	background watch mcpctl targets --scan --watch --interface lo
	wait_for watch.out '^[0-9:.]+  present  network  Desk Lamp  - .* no answer to initialize: .*refused'
	background server mcpctl sim espressif --listen "127.0.0.1:$port"
	local server=$LAST
	wait_for watch.out "^[0-9:.]+  changed  network  Desk Lamp  mcpctl http://127.0.0.1:$port/mcp_server info"
	# Its announcement is over, and what was announced alone with it: it itself answers.
	kill "${PIDS[0]}"
	wait_for watch.out '^[0-9:.]+  gone     network  Bare +- '
	kill -STOP "$server"
	wait_for watch.out '^[0-9:.]+  changed  network  Desk Lamp  - .* no answer to initialize: '
	kill -KILL "$server"
	wait_for watch.out '^[0-9:.]+  gone     network  Desk Lamp +- '
}

@test "nobody, no such interface, options without --scan" {
	mcp targets --scan --interface lo --for 200ms
	ends 7
	hints 'nobody answered: no serve of yours, and nobody on lo'
	hints 'hint: only what announces _mcp._tcp can be found'
	mcp targets --scan --interface nothing0
	ends 2
	hints "no interface 'nothing0' is up with an IPv4 address"
	mcp targets --for 1s
	ends 2
	hints "option '--for' is for '--scan'"
	mcp targets --scan --ping
	ends 2
}

@test "a serve that does not answer is shown as such" {
	serve
	kill -STOP "$SERVER"
	mcp targets --scan --interface lo --for 200ms
	ends 7
	grep -qE '^serve +- +- +.*does not answer: it may be busy, or stopped' stdout
	hints 'nobody answered: not the serve of yours, and nobody on lo'
	kill -CONT "$SERVER"
	mcp targets --scan --interface lo --for 200ms
	ends 0
	absent 'does not answer' stdout
}

@test "a word that is no broker is not called one" {
	mcp targets --scan 39651
	ends 2
	hints "'39651' is no broker to scan"
	hints 'hint: expected mcp+mqtt://HOST[:PORT][/FILTER]; --probe HOST[:PORT] dials a host or a network'
	mcp targets --scan --probe 127.0.0.1:1 39651
	ends 2
	hints "'39651' is no broker to scan"
	mcp targets --scan --probe 127.0.0.1:1 mcp+mqtt://127.0.0.1:1
	ends 2
	hints "option '--probe' is for a network, and 'mcp+mqtt://127.0.0.1:1' is a broker"
	mcp targets 39651
	ends 2
	hints "'39651' is a word too many: a broker can stand there, with '--scan'"
}

@test "serves of this user, in the usual place and beside it; names of files" {
	background serve mcpctl serve --listen "127.0.0.1:$(free_port)" --mqtt="$(free_port)"
	until_true mcpctl devices
	background other mcpctl --socket "$WORK/run/mcpctl/second.sock" serve --listen "127.0.0.1:$(free_port)" --mqtt="$(free_port)"
	until_true mcpctl --socket "$WORK/run/mcpctl/second.sock" devices
	mkdir -p config/mcpctl
	echo '{"mcpServers":{"one":{"url":"sim:"}}}' >config/mcpctl/mcp.json
	mcp targets --scan --interface lo --for 100ms
	ends 0
	shows 'name .* one .* mcpctl -t one info'
	shows "serve .* mcpctl devices .* 0 devices, $WORK/run/mcpctl/serve.sock"
	says "mcpctl --socket $WORK/run/mcpctl/second.sock devices"
}

# asks PID: it has a socket for UDP.
asks() { ss -Hulnp 2>/dev/null | grep -q "pid=$1,"; }

@test "Ctrl-C ends it" {
	background scan mcpctl targets --scan --interface lo --for 500s
	pid=$LAST
	until_true asks "$pid"
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 130 ]
}

@test "Ctrl-C ends it also while one that was found is asked, and says nothing" {
	background deaf /usr/bin/python3 -c 'import socket, sys, time
s = socket.create_server(("127.0.0.1", 0))
print("port", s.getsockname()[1], flush=True)
c = s.accept()[0], s.accept()[0]
print("asked", flush=True)
time.sleep(500)'
	background scan mcpctl --timeout 500s targets --scan --interface lo --for 1ms \
		--probe "127.0.0.1:$(wait_for deaf.out '^port ' | tr -dc 0-9)"
	wait_for deaf.out '^asked'
	kill -INT "$LAST"
	finish "$LAST" 130
	[ ! -s scan.out ]
}

# announce NAME [ARG…]: a bridge that is announced on loopback; sets PID, PORT.
announce() {
	local name=$1 line
	shift
	background "$name" mcpctl -t sim: bridge --listen 127.0.0.1:0 --announce --interface lo "$@"
	PID=$LAST
	line=$(wait_for "$name.err" "^announced as 'mcpctl on .*' on lo") || return 1
	PORT=$(grep -oE '127\.0\.0\.1:[0-9]+' <<<"$line")
	PORT=${PORT#*:}
}

# peer ARG…: a script that has mdns_peer.py is stdin.
peer() {
	PYTHONPATH=$BATS_TEST_DIRNAME timeout $((PATIENCE * 2)) python3 - "$@"
}

@test "bridge --announce is found, by its name and by its host's; its end is told" {
	announce one
	scan --count 1
	ends 0
	shows "^network  mcpctl on .*  mcpctl http://127.0.0.1:$PORT/mcp info  mcpctl-[0-9a-f]{8}.local on lo, version [0-9.]+"
	host=$(grep -oE 'mcpctl-[0-9a-f]{8}.local' stdout)
	# A host may come by that name; by another one it may not.
	for pair in "$host:$PORT 200" "other.local:$PORT 421"; do
		[ "$(curl -s -o body -w '%{http_code}' -H "Host: ${pair% *}" "http://127.0.0.1:$PORT/health")" = "${pair#* }" ]
	done
	peer "$PORT" "$PID" <<'END'
import os, signal, sys
from mdns_peer import *
port = int(sys.argv[1])
p = asked(SERVICE, PTR)
assert kinds(p.answers) == [PTR] and kinds(p.more) == [A, TXT, SRV], vars(p)
assert all(r[2] <= 10 for r in p.answers + p.more), "kept for long by who knows of no goodbye"
full = p.answers[0][3]
assert full[0].startswith(b"mcpctl on ") and full[1:] == SERVICE, full
by = {r[1]: r for r in p.more}
assert by[SRV][0] == full and by[SRV][3][0] == port, by
assert by[A][0] == by[SRV][3][1] and by[A][3] == bytes([127, 0, 0, 1]), by
words = by[TXT][3]
assert words.startswith(b"\x09path=/mcp") and b"version=" in words and words.count(b"=") == 2, words
assert asked(full, SRV).answers[0][3] == by[SRV][3]
assert kinds(asked(full, ANY).answers) == [TXT, SRV]
assert asked(by[SRV][3][1], A).answers[0][3] == by[A][3]
assert asked(KINDS, PTR).answers[0][3] == SERVICE
ears = opened(5353)
os.kill(int(sys.argv[2]), signal.SIGTERM)
p = heard(ears, lambda p: p.flags & 0x8000 and p.answers and p.answers[0][2] == 0)
assert kinds(p.answers) == [A, PTR, TXT, SRV] and not any(r[2] for r in p.answers), vars(p)
END
	finish "$PID" 0
}

@test "bridge --announce: who hears all is told once, and not what he knows" {
	announce one
	peer <<'END'
from mdns_peer import *
full = asked(SERVICE, PTR).answers[0][3]
s = opened(5353)
known = record(SERVICE, PTR, name(full), ttl=4500)
# Of two questions one was answered already.
p = told(s, packet([question(SERVICE, PTR), question(full, TXT)], [known]), lambda p: kinds(p.answers) == [TXT])
assert not p.id and not p.questions and not p.more, vars(p)
# What is known for a short time yet is told again, with all that belongs to it.
old = record(SERVICE, PTR, name(full), ttl=100)
p = told(s, packet([question(SERVICE, PTR)], [old]), lambda p: kinds(p.answers) == [PTR])
assert p.answers[0][2] == 4500 and SRV in kinds(p.more), vars(p)
# Who wants it alone has it alone.
alone = opened()
alone.sendto(packet([question(SERVICE, PTR, unicast=True)]), GROUP)
assert Packet(alone.recvfrom(9000)[0]).answers[0][3] == full
END
}

@test "bridge --announce: a name that is another's is left to it, from the start and later" {
	announce one
	first=$PID
	announce two
	grep -q "^announced as 'mcpctl on .* (2)' on lo .*; its name without a number is another's" two.err
	scan --count 2
	ends 0
	shows '^network  mcpctl on .* \(2\) '
	kill "$first"
	finish "$first" 0
	# Somebody says that the second name is his, and stays at it.
	peer <<'END'
from mdns_peer import *
full = asked(SERVICE, PTR).answers[0][3]
assert full[0].endswith(b" (2)"), full
s = opened(5353)
mine = packet(answers=[record(full, SRV, place(9, [b"mine", b"local"]))], flags=0x8400)
s.sendto(mine, GROUP)
while True:
    p = heard(s, lambda p: p.claims)
    if p.claims[0][0] == full:
        s.sendto(mine, GROUP)
    if p.claims[0][0][0].endswith(b" (3)"):
        break
END
	wait_for two.err "^announced as 'mcpctl on .* \(3\)' on lo"
	kill "$PID"
	finish "$PID" 0
}

@test "bridge --announce: of two that ask for a name at once one has it" {
	mkfifo go
	background two bash -c 'read -r _ <go; exec mcpctl -t sim: bridge --listen 127.0.0.1:0 --announce --interface lo'
	peer <<'END'
from mdns_peer import *
s = opened(5353)
open("go", "w").write("go\n")
p = heard(s, lambda p: p.claims)
full, kind, _, (port, host) = p.claims[0]
assert kind == SRV and p.questions == [(full, ANY)] and not p.flags, vars(p)
def claim(number):
    return packet([question(full, ANY)], claims=[record(full, SRV, place(number, host))])
def taken():
    return packet(answers=[record(full, SRV, place(port + 1, host))], flags=0x8400)
# Less than it says, and it goes on at once.
s.sendto(claim(port - 1), GROUP)
began = time.monotonic()
heard(s, lambda p: p.claims and p.claims[0][3][0] == port)
assert time.monotonic() - began < 0.9
# More, and it waits a second, and asks anew, all three times: one question may
# have been under way. Meanwhile the name is taken.
s.sendto(claim(port + 1), GROUP)
asked = 0
while True:
    p = heard(s, lambda p: any(r[3][0] == port for r in p.claims + p.answers if r[1] == SRV))
    assert p.claims, "it took the name"
    if p.claims[0][0] != full:
        break
    asked += 1
    if asked > 1:
        s.sendto(taken(), GROUP)
END
	wait_for two.err "^announced as 'mcpctl on .* \(2\)' on lo"
}

@test "bridge --announce: who finds each name taken rests, and tells the last one" {
	mkfifo go
	background one bash -c 'read -r _ <go; exec mcpctl -t sim: bridge --listen 127.0.0.1:0 --announce --interface lo'
	peer <<'END'
from mdns_peer import *
s = opened(5353)
open("go", "w").write("go\n")
names = set()
while len(names) < 15:
    full, _, _, (port, host) = heard(s, lambda p: p.claims).claims[0]
    names.add(full[0])
    s.sendto(packet(answers=[record(full, SRV, place(port + 1, host))], flags=0x8400), GROUP)
END
	wait_for one.err "^15 names were another's, the last one 'mcpctl on .* \(15\)': announced again in a minute"
}

@test "bridge --announce: strangers: garbage, questions for others, a thousand at once" {
	announce one
	peer "$PORT" <<'END'
import os, select, urllib.request, sys
from mdns_peer import *
full = asked(SERVICE, PTR).answers[0][3]
s = opened()
for data in (os.urandom(600), b"\0" * 11, b"\0" * 12, packet([b"\xc0\x0c\0\x0c\0\1"] * 50),
             packet([question(SERVICE, PTR)])[:-1], b"\xff" * 8999,
             packet([question([b"_http", b"_tcp", b"local"], PTR)]), packet([question([b"x", b"local"], A)]),
             packet([question(full, A)]), packet([question(SERVICE, A)])):
    s.sendto(data, GROUP)
for _ in range(1000):
    s.sendto(packet([question(SERVICE, PTR)], ident=9), GROUP)
# The next second is another one: asked until it answers.
count, last, ids = 0, opened(), set()
while not select.select([last], [], [], 0.2)[0]:
    last.sendto(packet([question(full, SRV)], ident=3), GROUP)
while select.select([s], [], [], 0)[0]:
    p = Packet(s.recvfrom(9000)[0])
    ids.add(p.id)
    count += 1
assert ids == {9} and 1 <= count <= 60, (ids, count)
urllib.request.urlopen("http://127.0.0.1:%s/health" % sys.argv[1]).read()
END
	# A torn name and its likes leave no line.
	[ "$(wc -l <one.err)" = 2 ]
}

@test "bridge --announce: who is not in that net is not answered" {
	announce one
	other=$(ip -4 -o address show scope global | grep -oE 'inet [0-9.]+' | head -n 1)
	[ -n "$other" ] || skip "this machine has no address beside loopback"
	peer "${other#* }" <<'END'
import select, sys
from mdns_peer import *
s = opened(bind=sys.argv[1])
for _ in range(3):
    s.sendto(packet([question(SERVICE, PTR)]), GROUP)
# Sent later, answered.
full = asked(SERVICE, PTR).answers[0][3]
assert asked(full, SRV).answers
assert not select.select([s], [], [], 0)[0]
END
}

@test "bridge --announce: what nobody could reach, or is no port, is refused before anything listens" {
	mcp -t sim: bridge --listen 127.0.0.1:0 --announce
	ends 2
	hints "option '--announce': nobody but this machine reaches '127.0.0.1'"
	hints '--interface lo'
	mcp -t sim: bridge --announce
	ends 2
	hints "option '--announce' is for --listen"
	mcp -t sim: bridge --listen 127.0.0.1:0 --interface lo
	ends 2
	hints "option '--interface' is for --announce"
	MCPCTL_BRIDGE_TOKEN=0123456789abcdef mcp -t sim: bridge --listen '[2001:db8::1]:0' --announce
	ends 2
	hints "needs an IPv4 address in --listen, which '2001:db8::1' is not"
	mcp -t sim: bridge --listen 127.0.0.1:0 --announce --interface nothing0
	ends 2
	hints "no interface 'nothing0' is up with the IPv4 address 127.0.0.1"
	absent 'announced as' stderr
}
