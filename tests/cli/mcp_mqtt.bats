#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# MCP over MQTT: the target mcp+mqtt:, --all, targets --scan, and the bridge's
# side of it, against the real mosquitto and against a broker that says odd things.

# Topics of MCP over MQTT begin with a '$'.
# shellcheck disable=SC2016
load helper

# server NAME ID SERVER-NAME KIND: a stand-in at the broker, or what it left there.
server() {
	background "$1" "$ROOT/tests/cli/mcp_mqtt_peer.py" "$MQTT" "$2" "$3" "$4"
	wait_for "$1.out" ready
}

# odd_broker KIND: sets MQTT.
odd_broker() {
	background odd "$ROOT/tests/cli/mcp_mqtt_broker.py" "$1"
	MQTT=$(wait_for odd.out 'port ')
	MQTT=${MQTT#port }
}

# shows PATTERN, tells PATTERN: a line of stdout has it, of stderr.
shows() { grep -aE -- "$1" stdout || { cat stdout stderr >&2 && return 1; }; }
tells() { grep -aE -- "$1" stderr || { cat stdout stderr >&2 && return 1; }; }

at() { echo "mcp+mqtt://127.0.0.1:$MQTT${1:+/$1}"; }

# boards N: a serve with N boards, at the broker as lab/….
boards() {
	serve --listen 127.0.0.1:0 --mcp-mqtt "mqtt://127.0.0.1:$MQTT/lab"
	background board mcpctl sim --ota "$OTA" --devices "$1"
	for ((i = 1; i <= $1; i++)); do
		event exec "at the broker '127.0.0.1' as .*00000$i"
	done
}

@test "a server by its name: properties, will, topics, the end in good order" {
	odd_broker one
	mcp "$(at 1/ours/a)" ping
	ends 0
	says alive
	wait_for odd.out 'disconnect 00'
	grep -qF 'connect 5 clean 16 {"MCP-COMPONENT-TYPE": "mcp-client", "MCP-META": ' odd.out
	grep -qF 'will $mcp-client/presence/ID {"jsonrpc":"2.0","method":"notifications/disconnected"} passing' odd.out
	# No Local (4) and QoS 1, on both topics that must be there before initialize.
	grep -qE 'subscribe \$mcp-rpc/[0-9a-f]{16}/1/ours/a 0x05' odd.out
	grep -qF 'subscribe $mcp-server/capability/1/ours/a 0x05' odd.out
	grep -qE 'publish \$mcp-server/1/ours/a qos 1 \{"MCP-COMPONENT-TYPE": "mcp-client", "MCP-MQTT-CLIENT-ID": "[0-9a-f]{16}"\}' odd.out
	# initialized, ping and goodbye there; then presence.
	[ "$(grep -c '^publish $mcp-rpc/' odd.out)" = 3 ]
	[ "$(tail -n 2 odd.out | head -n 1 | cut -d/ -f1,2)" = 'publish $mcp-client/presence' ]
}

@test "what is there: listed, called, told of, against a real broker" {
	broker
	server plain a 'lab/the lamp' plain
	mcp "$(at 'a/lab/the%20lamp')" call who
	ends 0
	[ "$out" = a ]
	wait_for plain.out disconnected
	wait_for plain.out gone
	# One fits: it need not be named.
	mcp "$(at)" tools
	ends 0
	says 'led  switch it'
	mcp "$(at '+/lab/%23')" info
	ends 0
	says 'path a/lab/the lamp'
	mcp "$(at 'a/lab/the%20lamp')" request nothing/known
	ends 1
	hints 'Method not found'
}

@test "which one is meant: none, several, one that comes" {
	broker
	mcp "$(at)" tools
	ends 3
	hints "no MCP server is at the broker '127.0.0.1'"
	hints '--wait'
	background waits mcpctl --wait 30s "$(at '+/lab/%23')" call who
	server one a lab/one plain
	wait_for waits.out '^a$'
	server two b lab/two plain
	mcp "$(at '+/lab/%23')" tools
	ends 2
	hints "2 MCP servers at the broker '127.0.0.1' fit '+/lab/#'"
	hints "$(at a/lab/one), $(at b/lab/two)"
	mcp "$(at nobody/lab/one)" tools
	ends 3
	hints "no server 'nobody/lab/one' is at the broker"
	hints "targets --scan $(at)"
	mcp "$(at 'a/lab#x')" tools
	ends 2
	hints 'written %23'
	mcp "$(at 'a/%23/lab')" tools
	ends 2
	hints 'neither SERVER_ID/SERVER_NAME nor a filter'
	mcp "$(at 'a/lab?args=odd')" tools
	ends 2
	hints 'is not args=plain'
}

@test "presence that lies, is none, or is of an older draft" {
	broker
	server stale s lab/stale stale
	mcp "$(at s/lab/stale)" tools
	ends 3
	hints "announces itself at the broker '127.0.0.1', but nobody listens there"
	hints "-r -n -t '\$mcp-server/presence/s/lab/stale'"
	server garbage g lab/garbage garbage
	mcp targets --scan "$(at '+/lab/%23')"
	ends 7
	says 'g/lab/garbage  -  unknown: what it announces is no presence'
	says 's/lab/stale    -  a stand-in'
	# What the hint says helps.
	mosquitto_pub -V mqttv5 -p "$MQTT" -r -n -t '$mcp-server/presence/s/lab/stale'
	mosquitto_pub -V mqttv5 -p "$MQTT" -r -n -t '$mcp-server/presence/g/lab/garbage'
	server draft d lab/draft draft
	mcp "$(at)" tools
	ends 3
	hints 'only servers of an older draft of MCP over MQTT'
}

@test "a server that ends amid a call, that leaves, that says nothing" {
	broker
	server dying d lab/dying dying
	mcp "$(at d/lab/dying)" call led on=true level=1
	ends 3
	hints "the server 'd/lab/dying' went: its presence was taken back"
	server leaving l lab/leaving leaving
	mcp "$(at l/lab/leaving)" call led on=true level=1
	ends 3
	hints 'its presence was taken back'
	server silent s lab/silent silent
	mcp --timeout 300ms "$(at s/lab/silent)" tools
	ends 4
	# A late answer, one that is none, and the one that is meant.
	server late t lab/late late
	mcp "$(at t/lab/late)" call led on=true level=1
	ends 0
	says '{"on": true, "level": 1}'
}

@test "the SDK that takes arguments in kwargs, in the order of the schema" {
	broker
	server sdk b lab/sdk sdk
	mcp "$(at b/lab/sdk)" call led level=3 on=true
	ends 0
	[ "$out" = '{"on": true, "level": 3}' ]
	hints "this SDK takes arguments in 'kwargs'"
	grep -qF 'call led {"kwargs": {"on": true, "level": 3}}' sdk.out
	mcp "$(at 'b/lab/sdk?args=plain')" call led level=3 on=true
	ends 1
	hints 'Invalid params'
	mcp "$(at b/lab/sdk)" call led on=yes level=3
	ends 2
	# It answers no ping.
	mcp "$(at b/lab/sdk)" ping
	ends 0
	mcp "$(at b/lab/sdk)" resources
	ends 0
	says 'file:///a'
	hints "calls them 'contents'"
	mcp "$(at b/lab/sdk)" info
	says 'one long connection'
}

@test "the bridge gives arguments to that SDK in kwargs, too" {
	broker
	server sdk b lab/sdk sdk
	PYTHONPATH=$BATS_TEST_DIRNAME timeout "$PATIENCE" /usr/bin/python3 - "$(at b/lab/sdk)" <<'EOF'
import sys
from bridge_host import Host
h = Host("-t", sys.argv[1], "bridge", "--no-own-tools")
h.initialize()
h.until_tool("led")
assert h.call("led", {"level": 3, "on": True}) == ('{"on": true, "level": 3}', False), h.call("led", {"level": 3, "on": True})
h.end()
EOF
}

last_client() { grep '^client' "$1.out" | tail -n 1 | cut -d' ' -f2; }

@test "--all: each server at the broker, over one connection" {
	broker
	server one a lab/one plain
	server two b lab/two sdk
	server three c else/three plain
	mcp "$(at '+/lab/%23')" --all call led on=true level=2
	ends 0
	shows 'lab/one +ok'
	shows 'lab/two +ok'
	absent else/three
	# Of two instances of one name each is told apart.
	server four d lab/one plain
	mcp "$(at '+/lab/one')" --all call who
	ends 0
	shows 'a/lab/one  ok .* a$'
	shows 'd/lab/one  ok .* d$'
	# By one client, which is one connection.
	[ "$(last_client one)" = "$(last_client four)" ]
	mcp -o json "$(at '+/lab/one')" --all tools who
	ends 0
	jq -se 'sort_by(.device.id) | length == 2 and .[0].device.server_id == "a" and .[0].device.target == "'"$(at a/lab/one)"'"' stdout
	mcp "$(at '+/lab/%23')" --all ping
	ends 0
	mcp "$(at '+/lab/%23')" --all info
	ends 0
	says "target         $(at b/lab/two)"
	mcp "$(at '+/lab/%23')" --all run -e 'call who' -e tools
	ends 1
	shows 'lab/two +error'
	mcp "$(at '+/lab/%23')" --all call nothing
	ends 2
	says "no tool 'nothing'"
	mcp "$(at '+/nowhere/%23')" --all ping
	ends 3
}

@test "-d: which of those that fit the filter, by each of its names" {
	broker
	boards 2
	server one a lab/lamp plain
	server two b lab/lamp plain
	local id name target
	mcp -o json "$(at '+/lab/+/000002')" --all info
	ends 0
	id=$(jq -r .device.server_id stdout)
	target=$(jq -r .device.target stdout)
	for name in 000002 "$id" 02:00:00:00:00:02 '*0002'; do
		mcp -d "$name" "$(at '+/lab/%23')" call self.get_device_status
		ends 0
		mcp -o json -d "$name" "$(at '+/lab/%23')" --all ping
		ends 0
		jq -se "length == 1 and .[0].device.target == \"$target\"" stdout
	done
	mcp -d lamp "$(at '+/lab/%23')" call who
	ends 2
	hints "2 MCP servers at the broker '127.0.0.1' fit '+/lab/#' and -d 'lamp'"
	hints "$(at a/lab/lamp), $(at b/lab/lamp)"
	mcp -d A "$(at)" call who
	ends 0
	[ "$out" = a ]
	mcp -d id:b/lab/lamp "$(at '+/lab/%23')" call who
	ends 0
	[ "$out" = b ]
	mcp -d id:lamp "$(at)" call who
	ends 3
	hints "no MCP server that fits -d 'id:lamp' is at the broker"
	mcp -d lamp "$(at)" --all call who
	ends 0
	[ "$(wc -l <stdout)" = 2 ]
	mcp -d lamp targets --scan "$(at)"
	ends 0
	[ "$(wc -l <stdout)" = 2 ]
	# The target says which; what the environment says of boards is not about it.
	MCPCTL_DEVICE=elsewhere mcp "$(at a/lab/lamp)" call who
	ends 0
	MCPCTL_DEVICE=b mcp "$(at '+/lab/lamp')" call who
	ends 0
	[ "$out" = b ]
	mcp -d b "$(at a/lab/lamp)" call who
	ends 3
	# The list of each is kept apart.
	mcp -d 000001 "$(at '+/lab/%23')" tools
	ends 0
	mcp --cached -d 000001 "$(at '+/lab/%23')" tools
	ends 0
	mcp --cached -d 000003 "$(at '+/lab/%23')" tools
	ends 7
	# It is waited for.
	background waits mcpctl --wait 30s -d late "$(at '+/lab/%23')" call who
	server three c lab/late plain
	wait_for waits.out '^c$'
}

# says_again_to NAME: until somebody listens.
says_again_to() {
	mosquitto_pub -V mqttv5 -p "$MQTT" -t '$mcp-server/capability/a/lab/one' \
		-m '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
	[ -s "$1.out" ]
}

@test "tail --all, and updates of resources that others asked for" {
	broker
	server one a lab/one plain
	mcp "$(at a/lab/one)" subscribe file:///a --count 1
	ends 0
	says file:///a
	absent file:///others
	background tail mcpctl "$(at '+/lab/%23')" --all tail --for 60s --count 1
	# Its session stands as soon as the server was told.
	until_true says_again_to tail
	wait_for tail.out 'lab/one.*notifications/tools/list_changed'
	wait "$LAST"
}

@test "targets --scan: who is alive, with the command that reaches it" {
	broker
	server one a lab/one plain
	server stale s lab/stale stale
	mcp targets --scan "$(at)"
	ends 0
	says "mqtt     a/lab/one    mcpctl $(at a/lab/one) info  a stand-in"
	shows 's/lab/stale  - .* nobody listens there'
	mcp -o json targets --scan "$(at '+/lab/one')"
	ends 0
	jq -se 'length == 1 and .[0].kind == "mqtt" and .[0].peer == "'"$(at a/lab/one)"'" and .[0].problem == null' stdout
	mcp targets --scan http://127.0.0.1/
	ends 2
	mcp targets "$(at)"
	ends 2
	mcp targets --scan "$(at)" --for 1s
	ends 2
}

@test "targets --scan --watch: who announces himself, and who is gone, until the broker is" {
	broker
	local first=$LAST
	server one a lab/one plain
	background watch mcpctl -o json targets --scan --watch "$(at '+/lab/%23')"
	local watch=$LAST
	wait_for watch.out '"change":"present","kind":"mqtt","name":"a/lab/one".*"answers":true'
	server two b lab/two plain
	local two=$LAST
	wait_for watch.out '"change":"came","kind":"mqtt","name":"b/lab/two".*"answers":true'
	kill "$two"
	wait_for watch.out '"change":"gone","kind":"mqtt","name":"b/lab/two".*"command":null,"problem":null'
	server stale s lab/stale stale
	wait_for watch.out '"change":"came","kind":"mqtt","name":"s/lab/stale".*"answers":false,"problem":".*nobody listens there'
	kill "$first"
	finish "$watch" 3
}

@test "what a broker says at the beginning counts: who may be asked, roles" {
	odd_broker filters
	mcp "$(at)" info
	ends 0
	shows 'server  *1/ours/a'
	shows 'roles .*viewer'
	grep -qF 'subscribe $mcp-server/presence/+/ours/#' odd.out
	mcp "$(at '+/theirs/%23')" info
	ends 3
}

@test "a broker that refuses: topics, messages, the protocol, an answer" {
	odd_broker refuse
	mcp "$(at 1/ours/a)" ping
	ends 6
	tells 'refused to subscribe to .\$mcp-rpc/[0-9a-f]{16}/1/ours/a. \(0x87, not authorized\)'
	hints 'access rules'
	odd_broker full
	mcp "$(at 1/ours/a)" ping
	ends 3
	tells 'refused to subscribe to .\$mcp-rpc/[0-9a-f]{16}/1/ours/a. \(0x97, quota exceeded\)'
	absent 'access rules' stderr
	odd_broker nowrite
	mcp "$(at 1/ours/a)" ping
	ends 6
	tells 'refused to publish to .\$mcp-server/1/ours/a.'
	odd_broker old
	mcp "$(at 1/ours/a)" ping
	ends 3
	hints 'it does not speak MQTT 5'
	odd_broker shuts
	mcp "$(at 1/ours/a)" ping
	ends 3
	hints 'closed the connection during the MQTT handshake'
	hints 'does it speak MQTT 5?'
	# The library loses the memory of one property (base/assertion.h).
	echo 'leak:libmosquitto.so' >leaks
	odd_broker odd
	LSAN_OPTIONS="suppressions=$WORK/leaks:print_suppressions=0" mcp "$(at 1/ours/a)" ping
	ends 5
	hints 'something that is no MQTT 5'
	odd_broker mute
	mcp --wait 300ms "$(at 1/ours/a)" ping
	ends 3
	hints 'has not answered SUBSCRIBE'
	mcp --wait 300ms "$(at '+/ours/%23')" ping
	ends 3
	hints 'has not answered SUBSCRIBE'
	MQTT=$(free_port)
	mcp "$(at 1/ours/a)" ping
	ends 3
	hints 'connection refused'
}

@test "a broker of MQTT 3.1.1 alone: the bridge says so once, and asks ever more seldom" {
	odd_broker old
	background bridge mcpctl -t sim: bridge --mcp-mqtt "mqtt://127.0.0.1:$MQTT/lab"
	wait_for bridge.err "it does not speak MQTT 5.*; it is tried again"
	until_true matches odd.out '^at ' 4
	# 1 s, 2 s, 4 s.
	grep '^at ' odd.out | awk '{ t[NR] = $2 } END { exit !(t[4] - t[3] > 2 * (t[2] - t[1])) }'
	[ "$(grep -c 'MQTT 5' bridge.err)" = 1 ]
}

@test "access rules of mosquitto: who may, who may not, by a password from a file" {
	MQTT=$(free_port)
	mosquitto_passwd -b -c passwords reader secret
	mosquitto_passwd -b passwords board secret
	cat >rules <<-'END'
		user board
		topic readwrite $mcp-server/#
		topic readwrite $mcp-rpc/#
		topic read $mcp-client/#
		user reader
		topic read $mcp-server/presence/#
		topic read $mcp-server/capability/#
		pattern readwrite $mcp-rpc/%c/#
		pattern write $mcp-client/presence/%c
		topic write $mcp-server/+/lab/#
	END
	chmod 644 rules passwords
	printf 'listener %s 127.0.0.1\nallow_anonymous false\npassword_file passwords\nacl_file rules\nuser %s\n' \
		"$MQTT" "$(id -un)" >mosquitto.conf
	background broker /usr/sbin/mosquitto -c mosquitto.conf
	until_true port_taken "$MQTT"
	echo secret >password
	chmod 600 password
	serve --listen 127.0.0.1:0 --mqtt-password-file "$WORK/password" --mcp-mqtt "mqtt://board@127.0.0.1:$MQTT/lab"
	background board mcpctl sim --ota "$OTA"
	event exec "at the broker '127.0.0.1' as "
	mcp --mqtt-password-file password "mcp+mqtt://reader@127.0.0.1:$MQTT" call self.get_device_status
	ends 0
	mcp "$(at)" tools
	ends 6
	hints 'not authorised'
}

# bridged: one server at that broker, as the bridge tells it.
bridged() { background bridge mcpctl -t sim: bridge --mcp-mqtt "mqtt://127.0.0.1:$MQTT/lab"; }

@test "a topic that the broker refuses the bridge is told once, with what to do" {
	local rules=': its access rules must let this user read and write \$mcp-server/ and \$mcp-rpc/, and read \$mcp-client/'
	odd_broker refuse
	bridged
	wait_for bridge.err "refused to subscribe to '\\\$mcp-server/[^ ]*/lab/[^ ]*' \(0x87, not authorized\)$rules"
	absent 'tried again' bridge.err
	odd_broker deaf
	bridged
	wait_for bridge.err "refused to subscribe to '\\\$mcp-rpc/c1/[^ ]*/lab/[^ ]*' \(0x87, not authorized\)$rules"
	# Who asked is told, too: else the next question would be met by silence.
	wait_for odd.out "told 1 the broker does not let this server read '.mcp-rpc/c1/[^ ]*/lab/[^ ]*': its access rules must"
	odd_broker nowrite
	bridged
	wait_for bridge.err "refused to publish to '\\\$mcp-server/presence/[^ ]*/lab/[^ ]*' \(0x87, not authorized\)$rules"
}

@test "bridge --mcp-mqtt: a log that is lost is said once, whoever calls" {
	broker
	background bridge mcpctl -t "stdio:/usr/bin/python3 '$ROOT/tests/cli/mcp_server.py'" \
		bridge --mcp-mqtt "mqtt://127.0.0.1:$MQTT/lab" --log /dev/full
	wait_for bridge.err 'at the broker'
	for _ in 1 2; do
		mcp "$(at '+/lab/%23')" call echo text=a
	done
	until_true matches bridge.err ' echo .* (ok|failed)' 2
	[ "$(grep -c 'the log cannot be written' bridge.err)" = 1 ]
}

@test "access rules of mosquitto: that a serve may not answer stands in its log" {
	MQTT=$(free_port)
	printf 'topic %s\n' 'readwrite $mcp-server/#' 'read $mcp-rpc/#' 'readwrite $mcp-client/#' >rules
	chmod 644 rules
	printf 'listener %s 127.0.0.1\nallow_anonymous true\nacl_file rules\nuser %s\n' "$MQTT" "$(id -un)" >mosquitto.conf
	background broker /usr/sbin/mosquitto -c mosquitto.conf
	until_true port_taken "$MQTT"
	boards 2
	for n in 1 2; do
		mcp --timeout 1s "$(at "+/lab/+/00000$n")" ping
		ends 4
	done
	event exec 'refused to publish to .\$mcp-rpc/[0-9a-f]{16}/.* \(0x87, not authorized\): its access rules'
	[ "$(grep -c 'refused to publish to .\$mcp-rpc/' serve.out)" = 1 ]
}

@test "serve --mcp-mqtt: each board a server; asked, told of, gone with serve" {
	broker
	boards 2
	mcp "$(at '+/lab/%23')" --all call self.get_device_status
	ends 0
	[ "$(grep -c ' ok ' stdout)" = 2 ]
	# The board's own names, and what a host may not see is not there.
	mcp "$(at '+/lab/+/000001')" tools
	ends 0
	says 'self.audio_speaker.set_volume'
	absent self.reboot
	mcp "$(at '+/lab/+/000001')" call self.audio_speaker.set_volume volume=7
	ends 0
	mcp "$(at '+/lab/+/000001')" call self.reboot
	ends 2
	mcp "$(at '+/lab/+/000001')" ping
	ends 0
	event exec 'mcpctl/[0-9.]* 000001 self.audio_speaker.set_volume .* ok'
	# A client id that no topic can hold is none; a batch of garbage harms nobody.
	for id in 'a/b' 'a+b' ''; do
		mosquitto_pub -V mqttv5 -p "$MQTT" -t "$(mosquitto_sub -V mqttv5 -p "$MQTT" -t '$mcp-server/presence/+/lab/#' -C 1 -F %t | sed 's/presence.//')" \
			-D publish user-property MCP-MQTT-CLIENT-ID "$id" -m '{"jsonrpc":"2.0","id":1,"method":"initialize"}'
	done
	mcp "$(at '+/lab/+/000001')" ping
	ends 0
	kill "$SERVER"
	until_true gone_all
}

gone_all() {
	mcp "$(at '+/lab/%23')" --all ping
	[ "$status" = 3 ] && grep -q 'no MCP server that fits' stderr
}

# opens ID: a client of that id sends initialize to the board of $SERVER_TOPIC.
opens() {
	mosquitto_pub -V mqttv5 -q 1 -p "$MQTT" -t "\$mcp-server/$SERVER_TOPIC" \
		-D publish user-property MCP-MQTT-CLIENT-ID "$1" \
		-m '{"jsonrpc":"2.0","id":"x","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}'
}

@test "a board has 64 clients at most, and room again when one goes" {
	broker
	boards 1
	SERVER_TOPIC=$(mosquitto_sub -V mqttv5 -p "$MQTT" -t '$mcp-server/presence/+/lab/#' -C 1 -F %t)
	SERVER_TOPIC=${SERVER_TOPIC#*presence/}
	background hears mosquitto_sub -V mqttv5 -p "$MQTT" -t '$mcp-rpc/#' -F '%t %p'
	until_true is_heard
	for ((i = 1; i <= 65; i++)); do opens "client$i"; done
	wait_for hears.out 'client65/.*"id":"x","error":\{"code":-32000,"message":"busy: it has 64 clients already"'
	wait_for hears.out 'client64/.*"id":"x","result":\{"protocolVersion":"2025-06-18"'
	mosquitto_pub -V mqttv5 -q 1 -p "$MQTT" -t '$mcp-client/presence/client7' \
		-m '{"jsonrpc":"2.0","method":"notifications/disconnected"}'
	opens client66
	wait_for hears.out 'client66/.*"result"'
	# A NUL in it ends nothing but its own message.
	{ printf '{"jsonrpc":"2.0","id":"\0' && head -c 9000 /dev/zero | tr '\0' x; } |
		mosquitto_pub -V mqttv5 -q 1 -p "$MQTT" -t "\$mcp-server/$SERVER_TOPIC" -s \
			-D publish user-property MCP-MQTT-CLIENT-ID client8
	wait_for hears.out 'client8/.*"code":-32700'
}

# What is published there comes.
is_heard() {
	mosquitto_pub -V mqttv5 -p "$MQTT" -t '$mcp-rpc/a/b/c' -m x
	[ -s hears.out ]
}

@test "a board that calls itself as another one, nearly, has its own place" {
	broker
	serve --listen 127.0.0.1:0 --mcp-mqtt "mqtt://127.0.0.1:$MQTT/lab"
	background a mcpctl sim --ota "$OTA" --device-id 02:00:00:00:00:01
	event exec "at the broker '127.0.0.1' as .*-020000000001/"
	background b mcpctl sim --ota "$OTA" --device-id 020000000001
	event exec "at the broker '127.0.0.1' as .*-020000000001-[0-9a-f]{8}/"
	background c mcpctl sim --ota "$OTA" --device-id 'x y'
	event exec "at the broker '127.0.0.1' as .*-x_y-[0-9a-f]{8}/"
	mcp -t "$(at +/lab/%23)" --all ping
	ends 0
	[ "$(wc -l <stdout)" = 3 ]
	mcp stop
	ends 0
	absent 'went away' serve.out
}

@test "a board that goes takes back its presence, and is there again when it comes" {
	broker
	boards 1
	kill "$LAST"
	until_true gone_all
	background board mcpctl sim --ota "$OTA"
	until_true mcpctl "$(at '+/lab/%23')" ping
	# The broker takes it back for a bridge that died, too.
	if grep 'the bridge ended' serve.out; then false; fi
}

@test "--keep-asleep: a board that sleeps stays announced, and what changed is told" {
	broker
	serve --listen 127.0.0.1:0
	background board mcpctl sim --ota "$OTA" --device-id 02:00:00:00:00:01
	local board=$LAST
	event ready
	background bridge mcpctl bridge --keep-asleep --mcp-mqtt "mqtt://127.0.0.1:$MQTT/lab"
	wait_for bridge.err "at the broker '127.0.0.1' as"
	SERVER_TOPIC=$(mosquitto_sub -V mqttv5 -p "$MQTT" -t '$mcp-server/presence/+/lab/#' -C 1 -F %t)
	SERVER_TOPIC=${SERVER_TOPIC#*presence/}
	background hears mosquitto_sub -V mqttv5 -p "$MQTT" -t '$mcp-rpc/#' -t '$mcp-server/#' -F '%t %p'
	until_true is_heard
	# One whose initialize is none, and stays, keeps nothing from the others.
	mosquitto_pub -V mqttv5 -q 1 -p "$MQTT" -t "\$mcp-server/$SERVER_TOPIC" \
		-D publish user-property MCP-MQTT-CLIENT-ID client0 -m '{"jsonrpc":"2.0","id":"x","method":"initialize"}'
	wait_for hears.out 'client0/.*"error"'
	opens client1
	wait_for hears.out 'client1/.*"result"'
	kill "$board"
	wait_for hears.out 'presence/.*"state":"asleep"'
	mcp "$(at '+/lab/%23')" tools
	ends 0
	says self.get_device_status
	# That it sleeps stands in the descriptions, so that is a change, too.
	wait_for hears.out 'capability/.*notifications/tools/list_changed'
	background board mcpctl sim fixtures --ota "$OTA" --device-id 02:00:00:00:00:01
	wait_for hears.out 'presence/.*"state":"ready".*self.test.int'
	until_true matches hears.out 'capability/.*list_changed' 2
	absent "self\.reboot" hears.out
}

@test "the broker is killed again and again: boards announce themselves each time" {
	broker
	local one first=$LAST
	boards 2
	for one in 1 2 3; do
		kill -KILL "$first"
		until_true matches serve.out "\"exec\".*the broker '127.0.0.1' went away" "$one"
		until_true over "$first"
		background broker /usr/sbin/mosquitto -c mosquitto.conf
		first=$LAST
		until_true both_answer
	done
}

# both_answer: each of two boards at the broker, once.
both_answer() {
	[ "$(mcpctl -o json "$(at '+/lab/%23')" --all call self.get_device_status |
		jq -s 'map(select(tostring | contains("volume"))) | length')" = 2 ]
}

@test "the broker ends amid a call, and a command that stays comes back to it" {
	broker
	local first=$LAST
	server one a lab/one hanging
	background calls mcpctl "$(at a/lab/one)" call led on=true level=1
	local calls=$LAST
	wait_for one.out hangs
	background stays mcpctl "$(at '+/lab/%23')" tail -F --for 60s --count 1
	local stays=$LAST
	until_true matches one.out '^client' 2
	kill -KILL "$first"
	wait "$calls" && return 1
	tells_in calls.err "the broker '127.0.0.1' went away"
	until_true over "$first"
	background broker /usr/sbin/mosquitto -c mosquitto.conf
	until_true mosquitto_pub -p "$MQTT" -t test -n
	server two a lab/one plain
	until_true says_again_to stays
	wait "$stays"
}

tells_in() { grep -aF -- "$2" "$1" || { cat "$1" >&2 && return 1; }; }

@test "two that show the same board push each other out: that is said" {
	broker
	boards 1
	background bridge mcpctl bridge --mcp-mqtt "mqtt://127.0.0.1:$MQTT/lab"
	# mosquitto says why from some version on.
	event exec '(another client with our client id would end it too|another client at the broker .* has our client id)'
	kill "$LAST"
	until_true mcpctl "$(at '+/lab/%23')" call self.get_device_status
	# Others do.
	odd_broker taken
	mcp "$(at 1/ours/a)" ping
	ends 3
	hints "another client at the broker '127.0.0.1' has our client id"
}

@test "a broker that is none is told at once" {
	broker
	mcp bridge --mcp-mqtt mqtt://u:geheim@127.0.0.1/lab
	ends 2
	hints "option '--mcp-mqtt': 'mqtt://u:***@127.0.0.1/lab': a password cannot be part of it"
	mcp bridge --mcp-mqtt http://127.0.0.1
	ends 2
	hints 'expected mqtt://'
	mcp bridge --mcp-mqtt "mqtt://127.0.0.1:$MQTT/a+b"
	ends 2
}

# tls_broker: TLS is its port with a certificate for localhost, MQTT its plain one.
tls_broker() {
	certificates
	MQTT=$(free_port)
	TLS=$(free_port)
	chmod 644 server.key server.pem
	cat >mosquitto.conf <<-END
		allow_anonymous true
		user $(id -un)
		listener $MQTT 127.0.0.1
		listener $TLS 127.0.0.1
		certfile server.pem
		keyfile server.key
	END
	background broker /usr/sbin/mosquitto -c mosquitto.conf
	until_true port_taken "$TLS"
	until_true mosquitto_pub -p "$MQTT" -t test -n
}

# over_tls HOST ARG…: a ping of a/lab/one there, by TLS.
over_tls() {
	local host=$1
	shift
	mcp "$@" "mcp+mqtts://$host:$TLS/a/lab/one" ping
}

@test "TLS: an authority of one's own, another one, another name, a plain port" {
	tls_broker
	server one a lab/one plain
	over_tls localhost --cacert ca.pem
	ends 0
	mcp --cacert ca.pem "mcp+mqtts://localhost:$TLS/+/lab/%23" info
	ends 0
	shows 'TLSv1\.[23]'
	mcp --cacert ca.pem "mcp+mqtts://localhost:$TLS" --all call who
	ends 0
	mcp --cacert ca.pem targets --scan "mcp+mqtts://localhost:$TLS"
	ends 0
	shows "mcpctl mcp\\+mqtts://localhost:$TLS/a/lab/one info"
	over_tls localhost
	ends 3
	hints "unable to get local issuer certificate"
	hints "--cacert FILE trusts another certificate"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout other.key -out other.pem -days 2 -subj /CN=other 2>openssl.log
	over_tls localhost --cacert other.pem
	ends 3
	hints '--cacert'
	over_tls 127.0.0.1 --cacert ca.pem
	ends 3
	hints 'its certificate is for another name'
	over_tls 127.0.0.1 --insecure
	ends 0
	hints "the certificate of '127.0.0.1' is not verified (--insecure)"
	over_tls localhost --cacert missing.pem
	ends 2
	hints missing.pem
	# The plain port of the same broker, and its other one without TLS.
	mcp --cacert ca.pem "mcp+mqtts://localhost:$MQTT/a/lab/one" ping
	ends 3
	hints 'does it speak TLS there?'
	mcp "mcp+mqtt://localhost:$TLS/a/lab/one" ping
	ends 3
	hints 'does it want mqtts://'
}

@test "TLS: serve --mcp-mqtt and bridge --mcp-mqtt, and what is wrong with it" {
	tls_broker
	serve --listen 127.0.0.1:0 --cacert ca.pem --mcp-mqtt "mqtts://localhost:$TLS/lab"
	background board mcpctl sim --ota "$OTA"
	event exec "at the broker 'localhost' as "
	mcp --cacert ca.pem "mcp+mqtts://localhost:$TLS" call self.get_device_status
	ends 0
	local name options place words
	while IFS='|' read -r name options place words; do
		# shellcheck disable=SC2086 # words
		background "$name" mcpctl bridge $options --mcp-mqtt "$place"
		wait_for "$name.err" "$words"
		kill "$LAST"
	done <<-END
		stranger||mqtts://localhost:$TLS/two|local issuer certificate.*it is tried again
		named|--cacert ca.pem|mqtts://127.0.0.1:$TLS/two|certificate is for another name.*it is tried again
		plain|--cacert ca.pem|mqtts://localhost:$MQTT/two|does it speak TLS there.*it is tried again
		open|--insecure|mqtts://127.0.0.1:$TLS/two|at the broker '127.0.0.1' as
	END
}

@test "serve --mcp-allow, --mcp-deny, --mcp-user-tools, --mcp-read-only: what is shown there" {
	broker
	serve --listen 127.0.0.1:0 --mcp-mqtt "mqtt://127.0.0.1:$MQTT/lab" \
		--mcp-allow self.reboot --mcp-allow 'self.get_sys*' --mcp-deny self.screen.set_theme
	background board mcpctl sim --ota "$OTA"
	event exec "at the broker '127.0.0.1' as "
	mcp "$(at)" tools
	ends 0
	says self.reboot
	says self.get_system_info
	says self.screen.set_brightness
	absent self.screen.set_theme
	absent self.upgrade_firmware
	kill "$SERVER"
	until_true gone_all
	serve --listen 127.0.0.1:0 --mcp-mqtt "mqtt://127.0.0.1:$MQTT/lab" --mcp-read-only --mcp-keep-asleep
	background again mcpctl sim --ota "$OTA"
	local board=$LAST
	event exec "at the broker '127.0.0.1' as "
	mcp "$(at)" tools
	ends 0
	says self.get_device_status
	absent set_volume
	kill "$board"
	until_true is_asleep
	kill "$SERVER"
	until_true gone_all
	serve --listen 127.0.0.1:0 --mcp-mqtt "mqtt://127.0.0.1:$MQTT/lab" --mcp-user-tools
	background third mcpctl sim --ota "$OTA"
	event exec "at the broker '127.0.0.1' as "
	mcp "$(at)" tools
	ends 0
	says self.get_system_info
	mcp serve --mcp-read-only
	ends 2
	hints "option '--mcp-read-only' needs --mcp-mqtt"
}

is_asleep() {
	mcp -o json "$(at)" --all info
	mosquitto_sub -V mqttv5 -p "$MQTT" -t '$mcp-server/presence/+/lab/#' -C 1 | grep -q '"state":"asleep"'
}

# images: a server of the current folder; IMAGES is its address.
images() {
	background images /usr/bin/python3 -u -m http.server -b 127.0.0.1 0
	IMAGES=$(wait_for images.out '^Serving' | grep -oE 'port [0-9]+')
	IMAGES=http://127.0.0.1:${IMAGES#port }
}

@test "upgrade at a broker: one, all, a tool that is hidden, what does not fit" {
	broker
	images
	/usr/bin/python3 "$BATS_TEST_DIRNAME/firmware.py" new.bin 2.5.0
	serve --listen 127.0.0.1:0 --mcp-mqtt "mqtt://127.0.0.1:$MQTT/lab" --mcp-allow self.upgrade_firmware
	background one mcpctl sim --ota "$OTA" --reconnect --device-id 02:00:00:00:00:01
	background two mcpctl sim --ota "$OTA" --reconnect --device-id 02:00:00:00:00:02
	event exec "at the broker '127.0.0.1' as .*000001/"
	event exec "at the broker '127.0.0.1' as .*000002/"
	mcp "$(at '+/lab/%23')" upgrade "$IMAGES/new.bin"
	ends 2
	hints '2 MCP servers fit: which one?'
	mcp -o json -d 02:00:00:00:00:01 -t "$(at '+/lab/%23')" upgrade "$IMAGES/new.bin"
	ends 0
	jq -se 'length == 1 and .[0].verdict == "done" and .[0].before == "2.4.2" and .[0].now == "2.5.0"' stdout
	/usr/bin/python3 "$BATS_TEST_DIRNAME/firmware.py" next.bin 2.6.0
	mcp -t "$(at '+/lab/%23')" --all upgrade "$IMAGES/next.bin" --then 'echo it is done'
	ends 0
	shows 'done  2\.5\.0 -> 2\.6\.0, '
	shows 'done  2\.4\.2 -> 2\.6\.0, '
	says 'it is done'
	# What does not fit a broker.
	mcp -t "$(at)" upgrade new.bin
	ends 2
	hints "'new.bin' is no address: at a broker nobody hosts a file"
	hints 'hint: put it on a server that they reach, and give its address: http://HOST/NAME.bin; or on the machine of their serve, without a target: mcpctl upgrade FILE'
	mcp -t "$(at)" upgrade "$IMAGES/new.bin" --by ota
	ends 2
	hints "option '--by' is for the boards of a running serve"
	kill "$SERVER"
	until_true gone_all
	serve --listen 127.0.0.1:0 --mcp-mqtt "mqtt://127.0.0.1:$MQTT/lab"
	background three mcpctl sim --ota "$OTA" --device-id 02:00:00:00:00:03
	event exec "at the broker '127.0.0.1' as .*000003/"
	mcp -d 02:00:00:00:00:03 -t "$(at '+/lab/%23')" upgrade "$IMAGES/new.bin"
	ends 2
	says 'it does not offer self.upgrade_firmware'
	says '--mcp-allow self.upgrade_firmware'
}

# upgraded STATUS VERDICT WORD ARG…: a board that does what WORD says.
upgraded() {
	local wanted=$1 verdict=$2 word=$3
	shift 3
	mcp -o json "$@" -t "$(at b/lab/board)" upgrade "http://127.0.0.1/$word" --restart 300ms
	ends "$wanted"
	jq -se "length == 1 and .[0].verdict == \"$verdict\" and .[0].fetched == null" stdout
}

@test "upgrade at a broker: a board that cannot fetch, and others that do not end well" {
	broker
	serve --listen 127.0.0.1:0 --mcp-mqtt "mqtt://127.0.0.1:$MQTT/lab" --mcp-allow self.upgrade_firmware
	background one mcpctl sim --ota "$OTA" --reconnect --fault upgrade-never
	event exec "at the broker '127.0.0.1' as "
	mcp -t "$(at '+/lab/%23')" upgrade "http://127.0.0.1:$(free_port)/new.bin"
	ends 7
	shows 'old version  2\.4\.2 -> 2\.4\.2, '
	says 'it is back with the version that it had'
	server board b lab/board board
	upgraded 1 failed refuse
	says 'no such image'
	upgraded 3 'never fetched' stay --timeout 300ms
	says 'did not restart'
	# Meanwhile one whose version was not known before.
	server other c lab/board board
	background told mcpctl -t "$(at c/lab/board)" upgrade http://127.0.0.1/told --restart 300ms
	local told=$LAST
	upgraded 4 'not seen' back
	says 'does not announce its version'
	finish "$told" 4
	grep -q 'it is back with 2\.6\.0, and had announced no version before' told.out
	upgraded 4 'not seen' leave
	says 'is not announced again'
}
