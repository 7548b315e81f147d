#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What is known of backends and models: built in, or in files of the user's.

load helper

facts() { # NAME, the file on stdin
	mkdir -p "$XDG_CONFIG_HOME/mcpctl"
	cat >"$XDG_CONFIG_HOME/mcpctl/$1.json"
}

entry='"id":"x","name":"House server","source":"own","read":"2026-11-23"'

@test "an own backends.json goes instead of the built-in one" {
	facts backends <<<"{\"backends\":[{$entry,\"max_tools\":4,\"names\":\"dots\"}]}"
	mcp sim: tools --no-user
	ends 0
	hints 'the House server keeps 4 tools: it sees none of this one page (D110)'
	absent 'MQTT gateway' stderr
	mcp sim: describe self.audio_speaker.set_volume
	ends 0
	says "the model knows it as 'self_audio_speaker_set_volume' behind the House server"
	absent 'Python' stdout
}

@test "a broken one: path, line, what is expected, once; the built-in one is used" {
	facts backends <<<"{\"backends\":[
{$entry},
{\"id\":\"y\"}]}"
	mcp 'sim:?fill=40' run -e 'tools --no-user' -e 'describe self.get_device_status'
	ends 0
	hints "$XDG_CONFIG_HOME/mcpctl/backends.json: line 3: the entry has no \"name\"; what is built in is used instead"
	[ "$(grep -c 'backends.json' stderr)" = 1 ]
	hints 'the MQTT gateway and the Java server keep 32 tools: they see the first 26 of these (D110)'
	facts backends <<<'{"backends":[{"id":1}]}'
	mcp 'sim:?fill=40' tools --no-user
	ends 0
	hints 'backends.json: line 1: "id" must be a text; what is built in is used instead'
	facts backends <<<'no JSON'
	mcp 'sim:?fill=40' tools --no-user
	ends 0
	hints 'backends.json: line 1: no JSON from here on; what is built in is used instead'
}

@test "who needs no facts reads none; a file that cannot be read is told, too" {
	mkdir -p "$XDG_CONFIG_HOME/mcpctl/backends.json"
	mcp version
	ends 0
	absent 'backends.json' stderr
	mcp 'sim:?fill=40' tools --no-user
	ends 0
	hints 'backends.json'
	hints 'what is built in is used instead'
	mcp -q 'sim:?fill=40' tools --no-user
	ends 0
	absent 'backends.json' stderr
}

@test "describe gives the codes of what it says, in text and in JSON" {
	mcp 'sim:?fill=40' describe self.fill.t030
	ends 0
	says '- D110 it is number '
	says "- the model knows it as 'self_fill_t030'"
	mcp -o json 'sim:?fill=40' describe self.fill.t030
	ends 0
	[ "$(jq -c .codes stdout)" = '["D110",null]' ]
	[ "$(jq '.backends | length' stdout)" = 2 ]
}

@test "an own tools.json says what tools do; a broken one is told" {
	facts tools <<<'{"tools":{"self.get_device_status":{"effect":"destroys","source":"own"}}}'
	mcp sim: check --risk read
	ends 0
	absent 'self.get_device_status' stdout
	facts tools <<<'{"tools":{
"self.x":{"effect":"eats"}}}'
	mcp sim: check --risk read
	ends 0
	hints 'tools.json: line 2: "self.x" needs an "effect": reads, acts or destroys; what is built in is used instead'
	says self.get_device_status
	facts tools <<<'[]'
	mcp sim: check --risk read
	hints 'tools.json: line 1: an object with an object "tools" is expected'
}
