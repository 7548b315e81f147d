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
	unset "${!MCPCTL_@}" NO_COLOR PYTHONUNBUFFERED
	export PYTHONDONTWRITEBYTECODE=1
	PIDS=()
	cd "$WORK" || return 1
	mkdir -m 700 run
}

teardown() {
	local pid
	[ ! -S "${SOCKET:-}" ] || tmux -S "$SOCKET" kill-server 2>/dev/null || :
	for pid in "${PIDS[@]}"; do
		kill "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
	done
}

# background NAME COMMAND…: its output goes to NAME.out and NAME.err.
background() {
	local name=$1
	shift
	"$@" >"$name.out" 2>"$name.err" </dev/null 3>&- &
	PIDS+=($!)
	LAST=$!
}

# wait_for FILE PATTERN [SECONDS]: until a line matches; prints the last match.
wait_for() {
	local tries=$((${3:-10} * 20)) line
	while ((tries-- > 0)); do
		if line=$(grep -E -- "$2" "$1" 2>/dev/null | tail -n 1) && [ -n "$line" ]; then
			printf '%s\n' "$line"
			return 0
		fi
		sleep 0.05
	done
	echo "no line '$2' in $1:" >&2
	cat "$1" >&2
	return 1
}

# listener NAME ARG…: mcpctl waiting on an ephemeral port; sets OTA and PORT.
listener() {
	local name=$1 line
	shift
	background "$name" mcpctl "$@"
	LISTENER=$LAST
	line=$(wait_for "$name.err" 'http://[^ ]*/xiaozhi/ota/') || return 1
	OTA=$(sed -n 's|.*\(http://[^ ]*/xiaozhi/ota/\).*|\1|p' <<<"$line")
	PORT=$(sed -E 's|.*:([0-9]+)/.*|\1|' <<<"$OTA")
}

# serve ARG…: mcpctl serve on an ephemeral port, events as JSON in serve.out;
# sets SERVER, PORT, OTA. $SERVE_BEFORE: words before the program.
serve() {
	local line
	rm -f serve.out
	# shellcheck disable=SC2086 # words
	background serve ${SERVE_BEFORE:-} mcpctl -o json serve --listen 127.0.0.1:0 "$@"
	SERVER=$LAST
	line=$(wait_for serve.out '"event":"listening"') || return 1
	PORT=$(grep -o '127\.0\.0\.1:[0-9]*/xiaozhi' <<<"$line" | head -n 1 | tr -dc '0-9\n' | sed 's/^127001//')
	OTA=http://127.0.0.1:$PORT/xiaozhi/ota/
}

# device NAME ARG…: a simulated board dials in to that serve; sets DEVICE.
device() {
	local name=$1
	shift
	background "$name" mcpctl sim --connect "ws://127.0.0.1:$PORT/xiaozhi/v1/" "$@"
	DEVICE=$LAST
}

# event KIND [PATTERN] [SECONDS]: the last record of serve of that kind.
event() {
	wait_for serve.out "\"event\":\"$1\".*${2:-}" "${3:-10}"
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
	out=$(cat "$WORK/stdout")
	err=$(cat "$WORK/stderr")
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

# A port that nobody listens at, for servers that cannot choose one.
free_port() {
	/usr/bin/python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

# A private authority, and a server's certificate for localhost, as PEM files.
certificates() {
	openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem \
		-days 2 -subj /CN=test-ca 2>/dev/null
	openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr \
		-subj /CN=localhost 2>/dev/null
	printf 'subjectAltName=DNS:localhost' >ext
	openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -days 2 \
		-out server.pem -extfile ext 2>/dev/null
}
