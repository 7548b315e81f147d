#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# check broker: what a real mosquitto does for a board, plain, with limits, with
# TLS, and with our plugin in it.

load helper

BEFORE=() # options

# configured LINE…: a mosquitto with these lines; MQTT is its port.
configured() {
	MQTT=$(free_port)
	printf '%s\n' "user $(id -un)" "listener $MQTT 127.0.0.1" "$@" >mosquitto.conf
	background broker /usr/sbin/mosquitto -c mosquitto.conf
	wait_for broker.err 'mosquitto version .* running'
}

# As mcp, and what it says in one line.
check() {
	mcp "${BEFORE[@]}" check broker "$@"
	flat=$(tr -s ' \n' ' ' <<<"$out")
}

tells() {
	[[ $flat == *"$1"* ]] || says "$1"
}

@test "a plain broker gives nothing to who never subscribes (M402), and all else is well" {
	configured 'allow_anonymous true'
	check "mqtt://127.0.0.1:$MQTT"
	ends 7
	[ "$(grep -cE '^(error|warning|note) ' <<<"$out")" = 1 ]
	tells M402
	tells "mcpctl serve --mqtt"
	tells "MQTT 3.1.1, accepted after"
	tells "a test message to device-server came through after"
	tells "nothing came to a client that never subscribes"
	tells "nothing below devices/p2p/+"
	tells "9011 bytes of a board come through"
	tells "boards speak plain MQTT at port $MQTT: TLS at 8883 alone"
	tells "; 4 asked"
	[ "$(grep -oE '^(name|connect|up|down|retained|limit|tls) +(ok|odd|-)' <<<"$out" | tr -s ' ' | tr '\n' ';')" = "name ok;connect ok;up ok;down odd;retained ok;limit ok;tls -;" ]
	[ "$(awk 'length > 80' <<<"$out" | wc -l)" = 0 ]
}

@test "a broker with our plugin hands on without a subscription" {
	MQTT=$(free_port)
	serve "--mqtt=$MQTT"
	event broker 'connected to the broker'
	check "mqtt://127.0.0.1:$MQTT" --fail-on note
	ends 0
	tells "a client that never subscribes gets what is sent to it"
	tells "0 errors, 0 warnings, 0 notes"
	event gone
}

@test "a message that waits for a board (M410), shown without its secrets, and where" {
	configured 'allow_anonymous true'
	mosquitto_pub -p "$MQTT" -r -t devices/p2p/02_00_00_00_00_01 \
		-m '{"type":"mcp","token":"0123456789abcdef"}'
	mosquitto_pub -p "$MQTT" -r -t elsewhere/board -m other
	check "mqtt://127.0.0.1:$MQTT" --only M410
	ends 7
	tells "at devices/p2p/02_00_00_00_00_01"
	tells "1 message kept for boards below devices/p2p/+"
	absent 0123456789abcdef stdout
	# Other topics than the official ones.
	check "mqtt://127.0.0.1:$MQTT/board?up=in&down=elsewhere/%7Bclient_id%7D" --only M410
	ends 7
	tells "at elsewhere/board"
	mosquitto_pub -p "$MQTT" -r -t devices/p2p/02_00_00_00_00_01 -n
	check "mqtt://127.0.0.1:$MQTT" --only M410
	ends 0
}

@test "a limit that ends the connection, and one that drops in silence (M405)" {
	configured 'allow_anonymous true' 'max_packet_size 8192'
	check "mqtt://127.0.0.1:$MQTT" --only M405 --fail-on warning
	ends 7
	tells "9011 bytes: it ended the"
	tells "9011 bytes of a board are not taken"
	kill "$LAST"
	configured 'allow_anonymous true' 'message_size_limit 8192'
	check "mqtt://127.0.0.1:$MQTT" --only M405 --fail-on warning
	ends 7
	tells "9011 bytes did not come"
	tells "9011 bytes of a board are not taken"
}

@test "a broker that refuses, is not there, or has no name (M401, N101): the stage, and what was not reached" {
	configured 'allow_anonymous false'
	check "mqtt://127.0.0.1:$MQTT"
	ends 6
	tells M401
	tells "up, down, retained, limit, tls: not reached"
	check "mqtt://127.0.0.1:$(free_port)"
	ends 3
	tells M401
	hints '(M401)' # one code, above and at the end
	check mqtt://nowhere.invalid
	ends 3
	tells "name fail"
	tells N101
}

@test "a user and a password, which the reader shows, too" {
	mosquitto_passwd -b -c passwords board 'pass word'
	echo 'pass word' >password
	configured 'allow_anonymous false' "password_file $PWD/passwords"
	BEFORE=(--mqtt-password-file password)
	check "mqtt://board@127.0.0.1:$MQTT"
	ends 7
	tells M402
	tells "came through after"
	absent 'pass word' stdout stderr
}

@test "who may read nothing is told what is not known, and no fault is made of it" {
	echo 'topic write device-server' >acl
	configured 'allow_anonymous true' "acl_file $PWD/acl"
	check "mqtt://127.0.0.1:$MQTT" --fail-on note
	ends 0
	tells "not known"
	absent '^down +ok' stdout
	tells "a second client could read nothing"
}

# Its own loopback address, since boards know TLS at port 8883 alone.
tls_broker() { # LINE…
	HOST=127.$((RANDOM % 200 + 20)).$((RANDOM % 250)).$((RANDOM % 250 + 1))
	printf '%s\n' "user $(id -un)" "listener 8883 $HOST" 'allow_anonymous true' "$@" >mosquitto.conf
	background broker /usr/sbin/mosquitto -c mosquitto.conf
	wait_for broker.err 'mosquitto version .* running'
}

@test "port 8883 with a private certificate, and plain (M403)" {
	certificates
	tls_broker "certfile $PWD/server.pem" "keyfile $PWD/server.key"
	BEFORE=(--insecure)
	check "mqtts://$HOST" --only M403
	ends 7
	tells "in TLS, certificate not verified"
	tells "the broker's TLS is none that a board accepts"
	tells "a board does not come through here"
	# Without --insecure it ends where a board would.
	BEFORE=()
	check "mqtts://$HOST" --only M401
	ends 3
	tells M401
	kill "$LAST"
	tls_broker
	check "mqtt://$HOST:8883" --only M403
	ends 7
	tells M403
}

@test "--risk look connects and sends nothing" {
	configured 'allow_anonymous true' 'log_type all'
	check "mqtt://127.0.0.1:$MQTT" --risk look
	ends 0
	tells "nothing (--risk ask sends"
	absent 'Received (PUBLISH|SUBSCRIBE)' broker.err
}

@test "what is no broker, and no address" {
	check ws://127.0.0.1/
	ends 2
	hints "is no broker"
	mcp check broker 'ws://u:secret@127.0.0.1/'
	ends 2
	hints "'ws://u:***@127.0.0.1/' is no broker"
	mcp check broker 'mqtt://127.0.0.1:99999' --plan
	ends 2
	hints "target 'mqtt://127.0.0.1:99999': the port"
	mcp check broker 'mqtt://u:secret@127.0.0.1/?qos=1'
	ends 2
	hints "target 'mqtt://u:***@127.0.0.1/?qos=1': "
	check
	ends 2
	hints "needs an address"
}
