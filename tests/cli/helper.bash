# SPDX-License-Identifier: MIT
# Shared by the command-line tests: where the program is, a private folder,
# servers on ephemeral ports that are stopped by their process id.
#
# shellcheck disable=SC2034 # variables that the test files use

# places: sets ROOT, BUILD (of the program), TOP (all builds share it); the last
# two may be outside of the sources.
places() {
	ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	BUILD=$(cd "$ROOT" && cd "${MCPCTL_BUILD:-build}" && pwd)
	TOP=${BUILD%/san}
}

setup() {
	places
	PATH=$BUILD:$PATH
	WORK=$BATS_TEST_TMPDIR
	export HOME=$WORK XDG_CONFIG_HOME=$WORK/config XDG_STATE_HOME=$WORK/state
	export XDG_CACHE_HOME=$WORK/cache XDG_RUNTIME_DIR=$WORK/run TMPDIR=$WORK
	export LC_ALL=C.UTF-8 TERM=xterm-256color
	# Else Python writes a line in pieces, and half of one is read.
	unset "${!MCPCTL_@}" NO_COLOR PYTHONUNBUFFERED CODEX_HOME BROWSER
	export PYTHONDONTWRITEBYTECODE=1
	# scripts/mutants wants to know what each test executes.
	[ -z "${GCOV_PREFIX:-}" ] || GCOV_PREFIX=${GCOV_PREFIX%/*}/$BATS_TEST_NUMBER
	PIDS=()
	cd "$WORK" || return 1
	mkdir -m 700 run
	# bats notes the whole stack before each command, which took a tenth of all
	# time. What fails in a function is shown at the line of the test.
	set +T
}

teardown() {
	set +T
	end_all
	is_sound
}

# No program of the test had a fault that the test itself would pass over, since
# something started it again.
is_sound() {
	if grep -sE 'ERROR: [A-Za-z]+Sanitizer|runtime error: |the bridge ended \(status 1(34|36|39)\)' \
		"$WORK"/*.out "$WORK"/*.err; then
		return 1
	fi
}

end_all() {
	local pid
	end_terminals
	for pid in "${PIDS[@]}"; do
		kill "$pid" 2>/dev/null || :
		# One that a failed test left stopped would never end. (Others not:
		# the leak sanitizer never ends where SIGCONT comes amid its work.)
		! in_state T "$pid" || kill -CONT "$pid"
		wait "$pid" 2>/dev/null || :
	done
}

# terminal.bash has something to end.
end_terminals() { :; }

# background NAME COMMAND…: its output goes to NAME.out and NAME.err.
background() {
	local name=$1
	shift
	[ ! -e "$name.out" ] || is_sound # it says no more when its files are used again
	# Here, not in the child: else what the one before said is still read.
	: >"$name.out"
	: >"$name.err"
	"$@" >"$name.out" 2>"$name.err" </dev/null 3>&- &
	PIDS+=($!)
	LAST=$!
}

# How long what must happen may take. Nothing is slower when this is longer.
PATIENCE=60

# nap TIME: so many times it was waited already: a twentieth of a second, later
# more, since looking costs. Without a process: a third of all time went into
# starting them. (Nothing is sent there, so nothing comes.)
nap() {
	local status=0 long=0.05
	(($1 < 10)) || long=0.15
	{ read -r -t $long <>/dev/udp/127.0.0.1/9; } 2>/dev/null || status=$?
	((status > 128)) || sleep $long
}

# until_true COMMAND…: as often as it takes, in silence.
until_true() {
	local end=$((SECONDS + PATIENCE)) naps=0
	until "$@" >/dev/null 2>&1; do
		if ((SECONDS > end)); then
			echo "never true: $*" >&2
			return 1
		fi
		nap $((naps++))
	done
}

# wait_for FILE PATTERN: until a line matches; prints the last match. The file is
# looked through again only when it is another.
wait_for() {
	local end=$((SECONDS + PATIENCE)) naps=0 seen='' now lines
	until [ -e "$1" ] && { now=$(<"$1"); } 2>/dev/null && [ "$now" != "$seen" ] &&
		lines=$(grep -aE -- "$2" "$1"); do
		if ((SECONDS > end)); then
			echo "no line '$2' in $1:" >&2
			cat "$1" >&2
			return 1
		fi
		seen=$now
		nap $((naps++))
	done
	printf '%s\n' "${lines##*$'\n'}"
}

# matches FILE PATTERN N: that many lines match, or more.
matches() { [ "$(grep -acE -- "$2" "$1")" -ge "$3" ]; }

# over PID: it runs no more. A zombie does not; not every first process of a
# container takes the status of those that have nobody else.
over() { [ ! -e "/proc/$1" ] || in_state Z "$1"; }

# in_state LETTER PID: as ps has it; T is stopped, Z a zombie.
in_state() {
	local stat
	read -r stat 2>/dev/null <"/proc/$2/stat" || return 1
	[[ ${stat##*) } == "$1"* ]]
}

# listener NAME ARG…: mcpctl waiting on an ephemeral port; sets OTA and PORT.
listener() {
	local name=$1 line
	shift
	background "$name" mcpctl "$@"
	LISTENER=$LAST
	line=$(wait_for "$name.err" 'http://[^ ]*/xiaozhi/ota/') || return 1
	[[ $line =~ .*(http://[^ ]*:([0-9]+)/xiaozhi/ota/) ]]
	OTA=${BASH_REMATCH[1]} PORT=${BASH_REMATCH[2]}
}

# serve ARG…: mcpctl serve on an ephemeral port, events as JSON in serve.out;
# sets SERVER, PORT, OTA. $SERVE_BEFORE: words before the program.
serve() {
	local line
	# shellcheck disable=SC2086 # words
	background serve ${SERVE_BEFORE:-} mcpctl -o json serve --listen 127.0.0.1:0 "$@"
	SERVER=$LAST
	line=$(wait_for serve.out '"event":"listening"') || return 1
	[[ $line =~ 127\.0\.0\.1:([0-9]+)/xiaozhi ]]
	PORT=${BASH_REMATCH[1]}
	OTA=http://127.0.0.1:$PORT/xiaozhi/ota/
}

# mqtt_serve ARG…: that serve with a broker of its own; sets MQTT, its port.
mqtt_serve() {
	MQTT=$(free_port)
	serve "--mqtt=$MQTT" "$@"
	event broker 'connected to the broker'
}

# between ARG…: mcpctl proxy on an ephemeral port; sets PROXY, AT (its port), and
# URL where it has one. $LIMITED: words before the program.
between() {
	local line
	# shellcheck disable=SC2086 # words
	background proxy ${LIMITED:-} mcpctl proxy --listen 127.0.0.1:0 "$@"
	PROXY=$LAST
	line=$(wait_for proxy.err '(restart it:|listening at) ') || return 1
	URL=$(grep -oE '(http|ws)://127.0.0.1:[0-9]+[^ ]*' <<<"$line" || :)
	AT=$(grep -oE '127\.0\.0\.1:[0-9]+' <<<"$line" | head -n 1)
	AT=${AT#*:}
}

# ota BODY: a server that gives that answer to OTA; sets OTA.
ota() {
	background ota /usr/bin/python3 "$BATS_TEST_DIRNAME/http_says.py" '200 OK' "$1" application/json
	OTA=http://127.0.0.1:$(wait_for ota.out '^port ' | tr -dc 0-9)/xiaozhi/ota/
}

# server_of_tools: an MCP server over HTTP, at UP and a path of http_server.py; what
# it is asked is in log.
server_of_tools() {
	: >log
	background server /usr/bin/python3 "$BATS_TEST_DIRNAME/http_server.py" log
	UP=http://127.0.0.1:$(wait_for server.out '^port' | cut -d' ' -f2)
}

# backend HABIT… [CERTIFICATE KEY]: one in a few lines, for what mcpctl's own
# listen: does not do. BACKEND is its port, backend.out what it saw.
backend() {
	background backend /usr/bin/python3 "$BATS_TEST_DIRNAME/backend.py" "$@"
	BACKEND=$(wait_for backend.out 'port [0-9]+' | sed 's/port //')
}

# planted [CERTIFICATE KEY [AUTHORITY]]: who answers HTTP with the file answer; sets AT.
planted() {
	background planted /usr/bin/python3 "$BATS_TEST_DIRNAME/planted.py" "$WORK/answer" "$@"
	AT=127.0.0.1:$(wait_for planted.out 'port [0-9]+' | sed 's/port //')
}

# raw HEAD BODY: the answer, as it stands there.
raw() { printf '%s\r\n\r\n%s' "$1" "$2" >answer; }

# body JSON: a good answer with that body.
body() { raw "HTTP/1.1 200 OK"$'\r\n'"Content-Type: application/json"$'\r\n'"Content-Length: ${#1}" "$1"; }

# crowd PORT KIND COUNT…: strangers at a port, until crowd_goes. See crowd.py.
crowd() {
	background crowd /usr/bin/python3 "$ROOT/tests/cli/crowd.py" "$@"
	CROWD=$LAST
	wait_for crowd.out '^there'
}

crowd_goes() {
	kill "$CROWD"
	finish "$CROWD" 143
}

# open_files PID
open_files() { find "/proc/$1/fd" -mindepth 1 | wc -l; }

# starter: the process beside that serve which starts programs.
starter() { pgrep -P "$SERVER" mcpctl-starter; }

# device NAME ARG…: a simulated board dials in to that serve; sets DEVICE.
device() {
	local name=$1
	shift
	background "$name" mcpctl sim --connect "ws://127.0.0.1:$PORT/xiaozhi/v1/" "$@"
	DEVICE=$LAST
}

# answers [WORD…]: the target of a server that answers as it is told (answers.py).
answers() {
	echo "stdio:/usr/bin/python3 '$BATS_TEST_DIRNAME/answers.py' $*"
}

# event KIND [PATTERN]: the last record of serve of that kind.
event() {
	wait_for serve.out "\"event\":\"$1\".*${2:-}"
}

# commands N: whether so many, or more, are connected to serve.
commands() {
	local ends
	ends=$(grep -c "$WORK/run/mcpctl/serve.sock\$" /proc/net/unix)
	# One is what it listens at.
	[ "$ends" -gt "$1" ]
}

# finish PID STATUS: it must end with that status.
finish() {
	local status=0
	wait "$1" || status=$?
	if [ "$status" != "$2" ]; then
		echo "process ended with $status, not $2" >&2
		tail -n 20 ./*.err >&2
		return 1
	fi
}

# run without merging: status, out, err.
mcp() {
	status=0
	mcpctl "$@" >"$WORK/stdout" 2>"$WORK/stderr" </dev/null || status=$?
	{
		out=$(<"$WORK/stdout")
		err=$(<"$WORK/stderr")
	} 2>/dev/null # of NUL
}

# in_time LIMIT LINE ARG…: mcp with a shell that asks whether there is an answer to
# ping, however long its start takes, and then LINE within that limit.
in_time() {
	status=0
	mcpctl "${@:3}" shell <<<$'ping\nset timeout '"$1"$'\n'"$2" >"$WORK/stdout" 2>"$WORK/stderr" || status=$?
	out=$(<"$WORK/stdout")
	err=$(<"$WORK/stderr")
}

# ends STATUS: the status of the last mcp, with what it printed when it is another.
ends() {
	[ "$status" = "$1" ] && return 0
	printf 'status %s, not %s\nstdout: %s\nstderr: %s\n' \
		"$status" "$1" "$out" "$err" >&2
	return 1
}

# says TEXT, hints TEXT: stdout, stderr contain it.
says() {
	[[ $out == *"$1"* ]] && return 0
	printf 'stdout does not say: %s\nbut: %s\nstderr: %s\n' "$1" "$out" "$err" >&2
	return 1
}
hints() {
	[[ $err == *"$1"* ]] && return 0
	printf 'stderr does not say: %s\nbut: %s\n' "$1" "$err" >&2
	return 1
}

# absent PATTERN FILE…: no line matches. ("!" alone does not fail a test.)
absent() {
	if grep -En -- "$@"; then
		echo "must not stand there: $1" >&2
		return 1
	fi
}

# broker: a plain one without our plugin; MQTT is its port.
broker() {
	MQTT=$(free_port)
	printf 'listener %s 127.0.0.1\nallow_anonymous true\n' "$MQTT" >mosquitto.conf
	background broker /usr/sbin/mosquitto -c mosquitto.conf
	until_true mosquitto_pub -p "$MQTT" -t test -n
}

# need_nginx: sets NGINX, or skips; in continuous integration it must be there.
need_nginx() {
	local said
	if said=$("$ROOT/tests/nginx" "$TOP/fetched/nginx"); then
		NGINX=$said
	elif [ -n "${CI:-}" ]; then
		echo "$said" >&2
		return 1
	else
		skip "$said"
	fi
}

needs_root() { # WHY; the test is tagged "root" too
	[ "$(id -u)" = 0 ] || skip "needs root: $1"
}

# A port that nobody listens at, for servers that cannot choose one; below
# those that the system gives to others in the meantime.
free_port() {
	local first from port
	read -r first _ </proc/sys/net/ipv4/ip_local_port_range
	from=$((first > 11000 ? 10000 : first - 1000))
	while :; do
		port=$((from + (RANDOM * 32768 + RANDOM) % (first - from)))
		port_taken $port || break
	done
	echo $port
}

# port_taken PORT: a TCP socket of this machine has it, whatever its state.
port_taken() {
	local hex
	printf -v hex ':%04X' "$1"
	grep -qE "^ *[0-9]+: [0-9A-F]+$hex " /proc/net/tcp /proc/net/tcp6
}

# A private authority, and a server's certificate for localhost, as PEM files.
certificates() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem \
		-days 2 -subj /CN=test-ca 2>/dev/null
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key -out server.csr \
		-subj /CN=localhost 2>/dev/null
	printf 'subjectAltName=DNS:localhost' >ext
	openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -days 2 \
		-out server.pem -extfile ext 2>/dev/null
}

# token: sets TOKEN, which serve gave in initialize, as a board hears it. (Our
# own simulator and traces never show it.)
token() {
	cat >spy.py <<END
import asyncio, json, sockets

async def main():
    async with sockets.dial("ws://127.0.0.1:$PORT/x", {"Device-Id": "aa:aa:aa:aa:aa:aa"}) as ws:
        await ws.send(json.dumps({"type": "hello", "version": 1, "features": {"mcp": True}, "transport": "websocket"}))
        while True:
            text = json.loads(await ws.recv())
            if text["type"] == "mcp":
                vision = text["payload"]["params"]["capabilities"]["vision"]
                print(vision["token"], vision["url"], sep="\n", flush=True)
                break
        await asyncio.sleep(600)

asyncio.run(main())
END
	background spy env "PYTHONPATH=$BATS_TEST_DIRNAME" /usr/bin/python3 spy.py
	TOKEN=$(wait_for spy.out '^[0-9a-f]{32}$')
}

# tls_end: openssl's server of pages, with those; sets TLS, its port.
tls_end() {
	certificates
	background tls openssl s_server -accept 127.0.0.1:0 -cert server.pem -key server.key -www -naccept 10
	TLS=$(wait_for tls.out '^ACCEPT' | grep -oE '[0-9]+$')
}

# old_certificate [FROM TO]: of server.key, as old.pem; expired long ago.
old_certificate() {
	: >index
	echo 01 >serial
	cat >old.conf <<-END
		[ca]
		default_ca = old
		[old]
		database = index
		new_certs_dir = .
		serial = serial
		default_md = sha256
		policy = names
		[names]
		commonName = supplied
	END
	openssl ca -batch -config old.conf -in server.csr -cert ca.pem -keyfile ca.key \
		-startdate "${1:-20200101000000Z}" -enddate "${2:-20200102000000Z}" \
		-extfile ext -notext -out old.pem 2>/dev/null
}
