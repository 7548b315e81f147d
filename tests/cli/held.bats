#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Servers that are kept open: opened, shared by commands, started again, closed;
# over stdio, HTTP and WebSocket.

load helper

bats_require_minimum_version 1.5.0

# shellcheck disable=SC2034 # of the helper
PATIENCE=15

asking() { echo "stdio:/usr/bin/python3 '$ROOT/tests/cli/asking_server.py' ${1:-}"; }

# What is kept open ends with its serve, which no test may leave.
teardown() {
	mcpctl stop --quiet 2>/dev/null || :
	local pid
	for pid in "${PIDS[@]}"; do
		kill "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
	done
}

# held MEMBER: of the only device.
held() { mcpctl -o json devices | /usr/bin/python3 -c "import json,sys; d=json.loads(sys.stdin.readline()); print(eval(sys.argv[1]))" "$1"; }

# The process that serves.
child() { held 'd["address"].split()[-1]'; }

# devices_are N: serve has so many now.
devices_are() { [ "$(mcpctl devices -q | wc -l)" = "$1" ]; }

@test "open says that no serve is there, and that none could be started" {
	run -3 mcpctl --socket "$WORK/none/s" open "$(asking)"
	[[ "$output" == *"'$WORK/none/s': No such file"*"none could be started"*"mcpctl serve --no-listen"* ]]
}

@test "a server is started once for many commands, and ends with close" {
	run -0 mcpctl open "$(asking)"
	[[ "$output" == *"is open (process "*"); mcpctl close "*" ends it"* ]]
	local pid closes=${output#*); }
	pid=$(child)
	run -0 mcpctl -t "$(asking)" tools
	[[ "$output" == *capabilities* ]]
	run -0 mcpctl -t "$(asking)" call capabilities
	[[ "$output" == *'"elicitation"'*'"roots"'*'"sampling"'* ]]
	[ "$(child)" = "$pid" ]
	[ "$(held 'd["held"]["restarts"]')" = 0 ]
	[ "$(held 'd["transport"], d["state"]')" = "('stdio', 'ready')" ]
	run -0 eval "${closes% ends it}"
	[ "$output" = "closed 1 server" ]
	over "$pid"
	run -0 mcpctl devices
	[[ "$output" == *"nothing is kept open now"* ]]
}

@test "open twice is no failure, and starts nothing" {
	mcpctl open "$(asking)"
	run -0 mcpctl open "$(asking)"
	[[ "$output" == *"is open already"* ]]
	[ "$(mcpctl devices -q | wc -l)" = 1 ]
	# A name that is none does not keep it open.
	run -7 mcpctl close nothing "$(asking)" nothing
	[[ "$output" == *"no server that is kept open fits 'nothing'"*"closed 1 server" ]]
}

@test "another folder or environment is another instance" {
	mcpctl open "$(asking)"
	run -0 env OTHER=1 mcpctl -t "$(asking)" call capabilities
	[ "$output" = "{}" ]
	mkdir elsewhere
	(cd elsewhere && mcpctl -t "$(asking)" call capabilities) >out
	[ "$(cat out)" = "{}" ]
	OTHER=1 mcpctl open "$(asking)"
	[ "$(mcpctl devices -q | wc -l)" = 2 ]
	run -0 env OTHER=1 SHLVL=7 mcpctl -t "$(asking)" call capabilities
	[[ "$output" == *sampling* ]]
	run -0 mcpctl close '*'
	[ "$output" = "closed 2 servers" ]
}

@test "names that differ in capitals alone are those of two servers" {
	local name pid
	for name in Files files; do
		cp "$ROOT/tests/cli/asking_server.py" $name.py
		mcpctl open "stdio:/usr/bin/python3 $WORK/$name.py"
	done
	devices_are 2
	for name in Files files; do
		pid=$(mcpctl -o json -d "stdio:/usr/bin/python3 $WORK/$name.py" devices | jq -r '.address | split(" ") | last')
		grep -qz "/$name.py" "/proc/$pid/cmdline"
	done
	run -0 mcpctl close "stdio:/usr/bin/python3 $WORK/files.py"
	[ "$output" = "closed 1 server" ]
	grep -qz "/Files.py" "/proc/$(child)/cmdline"
	run -0 mcpctl close '*'
	[ "$output" = "closed 1 server" ]
}

@test "many that open at once start one serve, and none says that it failed" {
	local i
	for i in 1 2 3 4; do
		background "open$i" mcpctl open "$(asking) $i"
	done
	for i in 1 2 3 4; do
		wait_for "open$i.err" 'is open \(process'
		absent 'error|another serve' "open$i.err"
	done
	run -0 mcpctl close '*'
	[ "$output" = "closed 4 servers" ]
}

@test "an open that Ctrl-C ended says nothing later on" {
	mcpctl open "$(asking)"
	timeout -s INT 0.5 mcpctl open "stdio:sh -c 'sleep 1; exec $(asking | cut -d: -f2)'" 2>gone || :
	until_true devices_are 1
	[ ! -s gone ]
}

@test "what another command is opening is not open yet: what comes of it counts" {
	background first mcpctl --timeout 1s open stdio:sleep\ 60
	local first=$LAST
	until_true devices_are 1
	run -4 mcpctl --timeout 300ms open stdio:sleep\ 60
	[[ "$output" == *"no reply to 'initialize' within 300 ms"* ]]
	finish "$first" 4
}

@test "--all --wait waits for one that is being opened" {
	mkfifo hold
	background first mcpctl open "stdio:sh -c 'read -r _ <hold; exec $(asking | cut -d: -f2)'"
	until_true devices_are 1
	background all mcpctl --all --wait 15s call capabilities
	local all=$LAST
	wait_for all.err 'not all devices are ready yet; waiting up to 15 s'
	echo go >hold
	finish "$all" 0
	grep -q sampling all.out
}

@test "what the server asks comes to the command that called" {
	mcpctl open "$(asking)"
	run -0 --separate-stderr mcpctl -t "$(asking)" call ask --elicit decline
	[ "$output" = '{"result": {"action": "decline"}}' ]
	run -0 --separate-stderr mcpctl -t "$(asking)" call roots --root "$WORK"
	[[ "$output" == *"file://$WORK"* ]]
	# Who cannot answer says so, truly.
	run -0 --separate-stderr mcpctl -t "$(asking)" call ask
	[ "$output" = '{"result": {"action": "cancel"}}' ]
	[[ "$stderr" == *"nobody here answers"*"--elicit answers it"* ]]
	run -0 --separate-stderr mcpctl -t "$(asking)" call sample
	[[ "$output" == *'"code": -1'* ]]
	run -0 --separate-stderr mcpctl -t "$(asking)" call roots
	[ "$output" = '{"result": {"roots": []}}' ]
}

@test "a question that waits for an answer blocks no other command" {
	mcpctl open "$(asking)"
	mkfifo hold
	background first mcpctl -t "$(asking)" call sample --sampling "exec:sh -c 'touch asked; cat hold'"
	until_true test -e asked
	run -0 mcpctl -t "$(asking)" call capabilities
	[[ "$output" == *sampling* ]]
	run -0 --separate-stderr mcpctl -t "$(asking)" call ask --elicit accept-defaults
	echo "the answer" >hold
	finish "$LAST" 0
	grep -q "the answer" first.out
}

@test "a command that dies leaves its question answered, and its call cancelled" {
	mcpctl open "$(asking log)"
	mkfifo hold
	background first mcpctl -t "$(asking log)" call sample --sampling "exec:sh -c 'touch asked; cat hold'"
	until_true test -e asked
	kill -KILL "$LAST"
	wait_for log '"code":-1'
	wait_for log 'notifications/cancelled'
	run -0 mcpctl -t "$(asking log)" call capabilities
}

@test "one that died is started again by the next command, which says so" {
	run -3 mcpctl "$(asking)" call die
	[[ "$output" == *"ended, with status"*"carried out is not known"* ]]
	mcpctl open "$(asking)"
	local pid
	pid=$(child)
	run -3 mcpctl -t "$(asking)" call die
	[[ "$output" == *"ended, with status"* ]]
	[[ "$output" == *"carried out is not known"* ]]
	[ "$(held 'd["state"]')" = ended ]
	run -0 --separate-stderr mcpctl -t "$(asking)" call capabilities
	[[ "$output" == *sampling* ]]
	[[ "$stderr" == *"had ended ("*"and was started again"* ]]
	[ "$(child)" != "$pid" ]
	[ "$(held 'd["held"]["restarts"]')" = 1 ]
	run -0 --separate-stderr mcpctl -t "$(asking)" call capabilities
	[[ "$stderr" != *"started again"* ]]
	# In the folder where it was opened, which who keeps it has left.
	mkdir here
	cp "$ROOT/tests/cli/asking_server.py" here/own.py
	cd here
	mcpctl open -- /usr/bin/python3 own.py
	run -3 mcpctl call die -- /usr/bin/python3 own.py
	run -0 --separate-stderr mcpctl call capabilities -- /usr/bin/python3 own.py
	[[ "$output" == *sampling* ]]
	[[ "$stderr" == *"was started again"* ]]
}

@test "what cannot be opened, dies at once or never answers" {
	run -3 mcpctl open 'stdio:/nowhere/at/all'
	[[ "$output" == *"/nowhere/at/all"* ]]
	run -3 mcpctl open "stdio:sh -c 'echo no key >&2; exit 5'"
	[[ "$output" == *"ended"*"status 5"*"no key"* ]]
	run -4 mcpctl --timeout 300ms open "stdio:sh -c 'exec cat >/dev/null'"
	[[ "$output" == *"initialize"* ]]
	run -2 mcpctl open sim:
	[[ "$output" == *"cannot be kept open"* ]]
	run -2 mcpctl open
	[[ "$output" == *"needs NAME or TARGET"* ]]
	run -2 mcpctl open --idle soon "$(asking)"
	run -7 mcpctl close nothing
	[[ "$output" == *"no server that is kept open fits 'nothing'"* ]]
	[[ "$output" != *closed* ]]
	# One that cannot does not keep another from being opened.
	[ "$(mcpctl devices -q | wc -l)" = 0 ]
	run -3 mcpctl open nonexistent stdio:./no-such mqtt://127.0.0.1/board
	[[ "$output" == *"'nonexistent' is no target"* ]]
	[[ "$output" == *"cannot start './no-such'"* ]]
	[[ "$output" == *"'mqtt://127.0.0.1/board' cannot be kept open"* ]]
}

@test "a name that there is not starts nothing, and says where it came from" {
	mcp open nonexistent
	ends 2
	hints "target (from the argument): 'nonexistent' is no target"
	hints 'mcpctl targets --help'
	[ "$(wc -l <stderr)" -lt 8 ]
	mcp devices
	ends 3
	hints 'no serve is running'
}

@test "without a serve there is nothing to close" {
	run -3 mcpctl close nothing
	[[ "$output" == *"no serve is running"* ]]
}

@test "the serve that open starts has no port, and ends itself without servers" {
	mcpctl open "$(asking)"
	local serve
	serve=$(mcpctl -o json devices >/dev/null; pgrep -f -- "serve --no-listen --daemon --quiet --socket $WORK/run" | head -n 1)
	[ -n "$serve" ]
	run ! grep -q ' 0A ' <(find "/proc/$serve/fd" -lname 'socket:*' -printf '%l\n' | tr -dc '0-9\n' | while read -r n; do grep " $n " /proc/net/tcp /proc/net/tcp6; done)
	run -2 mcpctl tools
	[[ "$output" == *"only keeps servers open"* ]]
	mcpctl close '*'
	until_true over "$serve"
}

@test "idle ends it" {
	run -0 mcpctl open --idle 300ms "$(asking)"
	local keeper=${output#*process }
	until_true over "${keeper%%)*}"
}

@test "stop ends what is kept, and a killed serve too" {
	mcpctl open "$(asking)"
	local pid
	pid=$(child)
	mcpctl stop
	until_true over "$pid"
	mcpctl open "$(asking)"
	pid=$(child)
	kill -KILL "$(pgrep -f -- "serve --no-listen --daemon --quiet --socket $WORK/run" | head -n 1)"
	until_true over "$pid"
	# What is not kept is dialled.
	run -0 mcpctl -t "$(asking)" call capabilities
	[[ "$output" == *"{}"* ]]
}

@test "what a killed keeper left is told, and not used" {
	mcpctl open "$(asking)"
	kill -KILL "$(held 'd["held"]["pid"]')"
	until_true devices_are 0
	run -0 --separate-stderr mcpctl -t "$(asking)" call capabilities
	[ "$output" = "{}" ]
	[[ "$stderr" == *"was killed: it is dialled directly"* ]]
	run -0 --separate-stderr mcpctl -t "$(asking)" call capabilities
	[ -z "$stderr" ]
}

@test "HTTP and WebSocket servers are kept open as well" {
	background service mcpctl sim llm --listen 127.0.0.1:0
	local url ws
	url=$(wait_for service.err 'http://' | sed 's/.*\(http:[^ ]*\).*/\1/')
	ws=ws${url#http}
	mcpctl open "$url" "$ws"
	run -0 mcpctl devices -q
	[[ "$output" == *"  http  "*"  ws  "* ]]
	run -0 mcpctl -v "$url" tools
	[[ "$output" == *extract_entities* ]]
	run -0 mcpctl "$ws" tools
	[[ "$output" == *extract_entities* ]]
	run -0 mcpctl --all ping
	[ "$(held 'd["calls"]')" = 0 ]
	mcpctl close "$url"
	[ "$(mcpctl devices -q | wc -l)" = 1 ]
}

@test "what fails at a kept server fails for the command that asked, at once" {
	background crooked /usr/bin/python3 "$ROOT/tests/cli/http_server.py" "$WORK/log"
	local url
	url=http://127.0.0.1:$(wait_for crooked.out '[0-9]+' | grep -oE '[0-9]+')/call500
	mcpctl open "$url"
	run -3 mcpctl --timeout 20s "$url" call echo text=a
	[[ "$output" == *"HTTP 500"* ]]
	run -0 mcpctl "$url" tools -q
}

@test "a running serve keeps them beside its boards, and --all means both" {
	serve --open "$(asking)"
	device board
	event ready
	until_true devices_are 2
	until_true sh -c "mcpctl -o json devices | grep -q '\"transport\":\"stdio\".*\"state\":\"ready\"'"
	# Who names none means the board.
	run -0 mcpctl tools
	[[ "$output" == *self.get_device_status* ]]
	run -0 mcpctl --all ping
	[[ "$output" == *asking_server* ]]
	run -0 mcpctl -d 'stdio:*' call capabilities
	[[ "$output" == *sampling* ]]
	mcpctl close '*'
	[ "$(mcpctl devices -q | wc -l)" = 1 ]
}

@test "serve --open: what does not open is tried again, and serve is not alone meanwhile" {
	mkdir -p config/mcpctl
	printf '{"mcpServers":{"weather":{"command":"%s"}}}' "$WORK/weather" >config/mcpctl/mcp.json
	background serve mcpctl serve --no-listen --open weather
	SERVER=$LAST
	wait_for serve.out '--open weather: it could not be opened \(status 3\); it is tried again in 2 s'
	printf '#!/bin/sh\nexec /usr/bin/python3 %s\n' "$ROOT/tests/cli/asking_server.py" >weather
	chmod +x weather
	wait_for serve.out "--open weather: 'weather' is open"
	[ "$(held 'd["id"], d["state"]')" = "('weather', 'ready')" ]
	mcpctl close weather
	# The last is closed.
	finish "$SERVER" 0
	grep -q 'nothing is kept open, and there is no port' serve.out
}

@test "serve --open: what can never be opened ends a serve without a port, and no other" {
	background serve mcpctl serve --no-listen --open nobody --open mqtt://127.0.0.1/board --open http://u:sekret@127.0.0.1/
	SERVER=$LAST
	finish "$SERVER" 2
	grep -qF -- '--open nobody: it could not be opened (status 2), and is not tried again' serve.out
	grep -qF -- '--open mqtt://127.0.0.1/board: it could not be opened (status 2), and is not tried again' serve.out
	grep -qF -- '--open http://u:***@127.0.0.1/: it could not be opened' serve.out
	absent sekret serve.out
	grep -q 'nothing of --open can be opened, and without a port (--no-listen) nothing comes' serve.err
	serve --open nobody
	event exec 'nobody: it could not be opened \(status 2\), and is not tried again'
	mcpctl devices
}

@test "who calls itself as a kept server does not take its place" {
	serve
	printf '{"mcpServers":{"weather":{"command":"%s","args":["%s"]}}}' python3 "$ROOT/tests/cli/asking_server.py" >named.json
	run -0 mcpctl --config named.json open weather
	local pid
	pid=$(child)
	background a mcpctl sim --connect "ws://127.0.0.1:$PORT/" --device-id weather
	event refused 'it calls itself as a server that is kept open'
	background b mcpctl sim arduino --connect "ws://127.0.0.1:$PORT/?agent=weather"
	wait_for b.err 503
	[ "$(child)" = "$pid" ]
	[ "$(held 'd["id"], d["state"]')" = "('weather', 'ready')" ]
}

@test "a program whose requests stand alone is kept open, and spoken to as directly" {
	: >mode
	local alone="stdio:/usr/bin/python3 '$ROOT/tests/cli/modern_server.py' stdio '$WORK'"
	run -0 mcpctl open "$alone"
	local pid
	pid=$(child)
	# One process for all, which refused initialize once.
	run -0 --separate-stderr mcpctl -t "$alone" info
	[[ "$output" == *'MCP 2026-07-28'*'modern (by its answer to server/discover)'* ]]
	rm heard
	run -0 mcpctl -t "$alone" tools
	[[ "$output" == *echo* ]]
	run -0 mcpctl -t "$alone" call --no-validate echo a=1
	[[ "$output" == *'"a": 1'* ]]
	run -0 mcpctl --all call --no-validate echo a=2
	[[ "$output" == *'"a": 2'* ]]
	run -7 mcpctl --all call --no-validate ask
	[[ "$output" == *'it asks its user first'* ]]
	run -0 mcpctl -t "$alone" ping
	run -0 mcpctl -t "$alone" read test://a
	[[ "$output" == *'hello from a'* ]]
	[ "$(child)" = "$pid" ]
	# Each request says who asks; nobody begins a session.
	python3 - <<-'END'
		import json
		for line in open("heard"):
		    message = json.loads(line)
		    meta = message["params"]["_meta"]
		    assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28", message
		    assert meta["io.modelcontextprotocol/clientInfo"]["name"] == "mcpctl", message
		    assert message["method"] != "initialize", message
	END
	run -2 mcpctl --era legacy -t "$alone" tools
	[[ "$output" == *'is kept open in the modern era of MCP'*"not in the legacy one (--era)"* ]]
	run -0 mcpctl --era modern -t "$alone" tools
	# A bridge calls it through serve, where nobody can be asked.
	PYTHONPATH=$BATS_TEST_DIRNAME python3 - <<-'END'
		from bridge_host import Host
		h = Host("bridge", "--no-own-tools")
		h.initialize()
		h.until_tool("ask")
		assert h.call("echo", {"a": 3}) == ('{"a": 3}', False)
		said, failed = h.call("ask")
		assert failed and "it asks its user first" in said, said
		h.end()
	END
	# What it asks in rounds, this command answers; another one declares nothing.
	run -0 mcpctl --elicit accept-defaults -t "$alone" call --no-validate ask
	[[ "$output" == *'{"q": {"action": "accept", "content": {"colour": "blue"}}}'* ]]
	run -1 mcpctl -t "$alone" call --no-validate needs
	[[ "$output" == *'missing client capability (-32021)'* ]]
	run -0 mcpctl --elicit decline -t "$alone" call --no-validate needs
	run -0 mcpctl -t "$alone" call --no-validate log
	[[ "$output" == *'logged at warning'* ]]
	# Subscriptions are told to who has them.
	run -0 mcpctl -t "$alone" subscribe test://a -n 1
	[[ "$output" == *'{"uri":"test://a"'* ]]
	run -4 mcpctl --timeout 1s -t "$alone" call --no-validate slow
	wait_for heard notifications/cancelled
	# It crashes, and is started again.
	kill "$pid"
	until_true sh -c "mcpctl -o json devices | grep -q '\"state\":\"ended\"'"
	run -0 mcpctl -t "$alone" call --no-validate echo a=2
	[[ "$output" == *'was started again'*'"a": 2'* ]]
	mcpctl close '*'
	run -0 mcpctl --era modern open "$alone"
	rm heard
	run -0 mcpctl -t "$alone" call --no-validate echo a=3
	[[ "$output" == *'"a": 3'* ]]
}

@test "over HTTP, requests that stand alone have nothing to be kept open, and that is said" {
	: >mode
	background modern /usr/bin/python3 "$ROOT/tests/cli/modern_server.py" http "$WORK"
	local url
	url=http://127.0.0.1:$(wait_for modern.out '^port' | cut -d' ' -f2)/mcp
	run -2 mcpctl open "$url"
	[[ "$output" == *'has no session that could be kept open: each of its requests stands alone (MCP 2026-07-28 over HTTP)'* ]]
	run -2 mcpctl --era modern open "$url"
	[[ "$output" == *'has no session that could be kept open'* ]]
	run -0 mcpctl "$url" call --no-validate echo a=1
}

@test "close completes what is kept open" {
	mcpctl open "$(asking)"
	# shellcheck disable=SC2016 # the inner bash's
	run -0 bash -c 'source "$1"; COMP_WORDS=(mcpctl close ""); COMP_CWORD=2
		COMP_LINE="mcpctl close " COMP_POINT=13; _mcpctl mcpctl "" close
		printf "%s\n" "${COMPREPLY[@]}"' bash "$ROOT/completions/mcpctl.bash"
	[[ "$output" == *asking_server* ]]
}

@test "secrets of the environment are nowhere to be read" {
	export API_KEY=tiger-tiger
	mcpctl open "$(asking)"
	run -0 mcpctl -t "$(asking)" call capabilities
	mcpctl -o json devices >shown
	run ! grep -rqa tiger-tiger shown state run
}
