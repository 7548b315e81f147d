#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Strangers at every door, with the program built with sanitizers: see attack.py.
# Each takes ATTACK_SECONDS; a run that failed is named with its seed, and what
# was sent last is in build/attack.

load ../cli/helper

attack() { # KIND
	"$BATS_TEST_DIRNAME/attack.py" "$1" "${ATTACK_SECONDS:-5}"
}

setup() {
	places
	export MCPCTL_BUILD=$BUILD ATTACK_KEPT=$TOP/attack TMPDIR=$BATS_TEST_TMPDIR
	export LC_ALL=C.UTF-8 TERM=xterm-256color PYTHONDONTWRITEBYTECODE=1
}

teardown() { :; }

@test "serve: HTTP, for OTA, pictures and the page" { attack http; }
@test "serve: WebSocket" { attack websocket; }
@test "serve: MQTT, through mosquitto with the plugin" { attack mqtt; }
@test "serve: UDP, for audio" { attack udp; }
@test "serve: the socket of commands" { attack control; }
@test "proxy: HTTP, before an OTA server" { attack proxy-http; }
@test "proxy: WebSocket, with what is changed" { attack proxy-websocket; }
@test "proxy: MQTT, before a broker" { attack proxy-mqtt; }
@test "proxy: HTTP, before an MCP server" { attack proxy-mcp; }
@test "bridge: hosts at its port, over HTTP" { attack hosts-http; }
@test "bridge: hosts at its port, over WebSocket" { attack hosts-websocket; }
@test "bridge: a host at its stdin" { attack hosts-stdio; }
@test "bridge: hosts at its broker" { attack hosts-mqtt; }
@test "bridge: robots behind an access point" { attack from-point; }
@test "what a ws:// server says" { attack to-ws; }
@test "what an http:// server says" { attack to-http; }
@test "what a broker says" { attack to-mqtt; }
@test "what a broker of MCP over MQTT says" { attack to-mcp-mqtt; }
@test "what a program says" { attack to-stdio; }
