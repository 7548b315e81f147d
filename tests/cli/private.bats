#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What may hold secrets stays with this user: modes of files, names that others
# took, the environment of children.

# shellcheck disable=SC2016 # for the shells of --exec, --vision-exec
load helper

mode() { stat -c %a "$1"; }

# trap_folder: a folder as /tmp is, where somebody put a link.
trap_folder() {
	mkdir -p shared
	chmod 1777 shared
	echo precious >precious
	ln -sf "$WORK/precious" "shared/$1"
}

@test "traces, reports, saved contents and logs are for this user alone" {
	umask 022
	echo 'call self.get_device_status' >lines.mcp
	mcp --trace t.jsonl sim: run --report junit:report.xml lines.mcp
	ends 0
	[ "$(mode t.jsonl)" = 600 ]
	[ "$(mode report.xml)" = 600 ]
	mcp call media --save shot -- /usr/bin/python3 "$BATS_TEST_DIRNAME/mcp_server.py"
	ends 0
	local file count=0
	for file in shot*; do
		[ "$(mode "$file")" = 600 ]
		count=$((count + 1))
	done
	[ "$count" -ge 2 ]
	mcp read test://item/2 --save item -- /usr/bin/python3 "$BATS_TEST_DIRNAME/mcp_server.py"
	ends 0
	[ "$(mode item)" = 600 ]
	background serve mcpctl serve --listen 127.0.0.1:0 --log log --trace all.jsonl
	wait_for log listening
	[ "$(mode log)" = 600 ]
	[ "$(mode all.jsonl)" = 600 ]
	# What is there already is the user's matter.
	chmod 644 t.jsonl
	mcp --trace t.jsonl sim: ping
	[ "$(mode t.jsonl)" = 644 ]
}

@test "pictures are for this user alone, and the umask counts" {
	umask 077
	serve --save-images shots
	printf '\xff\xd8\xff\xe0photo' >photo.jpg
	device board
	event ready
	mcp call self.camera.take_photo question=x
	event vision '/shots/'
	[ "$(mode shots)" = 700 ]
	[ "$(mode shots/*)" = 600 ]
}

@test "a link that somebody put into a shared folder is not followed" {
	local name
	for name in trace report saved log; do
		trap_folder "$name"
	done
	mcp --trace shared/trace sim: ping
	ends 8
	hints 'it is a link, in a folder that others can write to'
	echo ping >lines.mcp
	mcp sim: run --report tap:shared/report lines.mcp
	ends 8
	hints 'cannot write the report'
	mcp call media --save shared/saved -- /usr/bin/python3 "$BATS_TEST_DIRNAME/mcp_server.py"
	ends 8
	mcp read test://item/2 --save shared/saved -- /usr/bin/python3 "$BATS_TEST_DIRNAME/mcp_server.py"
	ends 8
	mcp serve --listen 127.0.0.1:0 --log shared/log
	ends 8
	hints 'cannot write the log'
	[ "$(cat precious)" = precious ]
	# In a folder of one's own it is what one wanted.
	ln -s "$WORK/elsewhere" mine
	mcp --trace mine sim: ping
	ends 0
	[ -s elsewhere ]
}

@test "a pid file belongs to who holds its lock, whatever number stands in it" {
	# A number that is in use: of this very shell.
	echo $$ >pid
	background first mcpctl serve --listen 127.0.0.1:0 --pidfile pid
	local first=$LAST
	wait_for first.err xiaozhi
	until_true grep -qx "$first" pid
	mcp serve --listen 127.0.0.1:0 --socket "$WORK/2.sock" --pidfile pid
	ends 3
	hints "is held by process $first"
	# A number that nobody has does not open it either.
	echo 1 >pid
	mcp serve --listen 127.0.0.1:0 --socket "$WORK/2.sock" --pidfile pid
	ends 3
	kill -9 "$first"
	wait "$first" || :
	# Its number stays behind, its lock does not.
	mcp serve --listen 127.0.0.1:0 --daemon --pidfile pid
	ends 0
	[ "$(cat pid)" != "$first" ]
	mcp serve --listen 127.0.0.1:0 --socket "$WORK/2.sock" --daemon --pidfile pid
	ends 3
	mcp stop
	ends 0
}

secrets() {
	export MCPCTL_TOKEN=geheim MCPCTL_MQTT_PASSWORD=geheim MCPCTL_VISION_TOKEN=geheim
}

@test "no child that a peer or a device starts has our secrets" {
	secrets
	background serve mcpctl serve --listen 127.0.0.1:0 --exec 'env >exec.env; echo "$MCPCTL_TARGET $MCPCTL_DEVICE" >exec.whom; mv exec.env exec.done' \
		--vision-exec 'env >vision.env; mv vision.env vision.done; echo seen'
	# shellcheck disable=SC2034 # of device
	PORT=$(wait_for serve.err 'http://127.0.0.1:[0-9]+/' | sed -E 's|.*:([0-9]+)/.*|\1|')
	echo geheim >token
	device board --token-file token
	until_true [ -e exec.done ]
	grep -q '^attach:.* 02:00:00:00:00:01$' exec.whom
	grep -q '^MCPCTL_TARGET=' exec.done
	absent geheim exec.done
	mcp call self.camera.take_photo question=x
	until_true [ -e vision.done ]
	grep -q '^MCPCTL_QUESTION=x' vision.done
	absent geheim vision.done
	# mosquitto.
	mcp stop
	MQTT=$(free_port)
	serve "--mqtt=$MQTT"
	event broker 'connected to the broker'
	tr '\0' '\n' <"/proc/$(pgrep -P "$(starter)" mosquitto)/environ" >broker.env
	grep -q ^PATH= broker.env
	absent geheim broker.env
	# A program that a profile names.
	cat >tools.json <<-'END'
		{"extends": "esp32", "tools": [{"name": "self.env", "result": {"exec": "env"}}]}
	END
	mcp sim:./tools.json call self.env
	ends 0
	says PATH=
	absent geheim stdout
}

@test "what the user types into the shell has them, as any shell would" {
	secrets
	printf '%s\n' '! env' >lines
	mcp sim: shell <lines
	mcpctl sim: shell <lines >stdout
	grep -q '^MCPCTL_TOKEN=geheim' stdout
}
