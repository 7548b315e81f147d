#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# check here: this machine. What it finds depends on the machine; what a test
# plants in the environment does not. Each code is planted in test_here.c too.

load helper

none() { # no proxy is set
	unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY
}

# tells TEXT: as says, wherever the lines end.
tells() {
	[[ $(tr -s ' \n' ' ' <<<"$out") == *"$1"* ]] || says "$1"
}

@test "all stages have their line, in their order, in text and as JSON" {
	none
	mcp check here
	[ "$status" = 0 ] || [ "$status" = 7 ]
	[ "$(grep -oE '^(net|ports|firewall|clock|broker|limits) +(ok|odd)' <<<"$out" | sed 's/ .*//' | tr '\n' ' ')" = "net ports firewall clock broker limits " ]
	[ "$(awk 'length > 80' <<<"$out" | wc -l)" = 0 ]
	mcp -o json check here --skip 'H*'
	ends 0
	[ "$(jq -r 'select(.stage).stage.name' <<<"$out" | tr '\n' ' ')" = "net ports firewall clock broker limits " ]
	jq -se '.[-1].check.errors == 0' <<<"$out"
}

@test "a healthy broker and limit find nothing; mosquitto tells its version" {
	mcp check here --only H805 --only H807 --only H804 --fail-on note
	ends 0
	tells "0 errors, 0 warnings, 0 notes"
	tells "mosquitto 2."
	says mcpctl-broker.so
}

@test "proxies are told by name, without what is in them (H806)" {
	none
	mcp check here --only H806 --fail-on note
	ends 0
	https_proxy=http://user:secret@proxy.example:3128 mcp check here --only H806 --fail-on note
	ends 7
	says H806
	tells "in the environment: https_proxy"
	absent secret stdout stderr
}

@test "mosquitto missing, too old, mute or hanging (H805)" {
	MCPCTL_MOSQUITTO=/nonexistent mcp check here --only H805 --fail-on warning
	ends 7
	tells "serve --mqtt cannot start"
	printf '#!/bin/sh\necho mosquitto version 1.6.9\nexit 3\n' >old
	printf '#!/bin/sh\nexit 3\n' >mute
	printf '#!/bin/sh\nexec sleep 1000\n' >hangs
	chmod +x old mute hangs
	MCPCTL_MOSQUITTO=$PWD/old mcp check here --only H805 --fail-on warning
	ends 7
	tells "mosquitto 1.6.9 is older than 2.0"
	for program in mute hangs; do
		MCPCTL_MOSQUITTO=$PWD/$program mcp check here --only H805 --fail-on warning
		ends 0
		tells "does not tell its version"
	done
}

@test "few descriptors (H807)" {
	(
		ulimit -n 200
		mcp check here --only H807 --fail-on warning
		ends 7
		tells "few file descriptors: 200 at most"
	)
}

@test "a clock that is behind the program's own file (H804)" {
	mkdir bin
	cp "$BUILD/mcpctl" bin/mcpctl
	touch -d 2100-01-01T00:00Z bin/mcpctl
	PATH=$PWD/bin:$PATH mcp check here --only H804 --fail-on warning
	ends 7
	tells "and this program was"
	tells "2100-01-01T00:00"
}

@test "it takes no address, and what is no subject is told" {
	mcp check here mqtt://127.0.0.1
	ends 2
	hints "check here takes no address"
	mcp check there
	ends 2
	hints "'there' is nothing that can be checked"
	mcp check ws://u:secret@127.0.0.1/
	ends 2
	hints "'ws://u:***@127.0.0.1/' is nothing that can be checked"
	mcp check ws://127.0.0.1:1/x.y
	ends 2
	hints "which stands before 'check': mcpctl TARGET check"
}
