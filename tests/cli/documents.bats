#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What help, the man pages, the README and the guide say is true.

load helper

@test "every example of the command table runs and says what it must" {
	local wanted line text count=0
	while IFS=$'\t' read -r wanted line text; do
		status=0
		# What goes on by itself: are these its options and operands?
		if [ "$wanted" = -1 ]; then
			wanted=0 line="${line%% >*} --help" text='usage: mcpctl'
		fi
		out=$(eval "timeout 60 mcpctl $line" 2>err </dev/null) || status=$?
		if [ "$status" != "$wanted" ] || [[ $out != *"$text"* ]]; then
			echo "mcpctl $line: status $status (wanted $wanted)," \
				"must say '$text': $out $(cat err)" >&2
			return 1
		fi
		count=$((count + 1))
	done < <(mcpctl generate examples)
	[ "$count" -gt 25 ]
}

@test "mcpctl(1) has every common option, mcpctl-faults(7) every fault" {
	mandoc -T ascii "$ROOT/man/mcpctl.1" | col -b >page
	mcpctl help --all | grep -oE -- '--[a-z][a-z-]+' | sort -u >options
	[ -s options ]
	while read -r option; do
		grep -qF -- "$option" page
	done <options
	mandoc -T ascii "$ROOT/man/mcpctl-faults.7" | col -b >page
	mcpctl help faults | awk '/^  [a-z-]+  +[^ ]/ { print $1 }' >fault_names
	[ "$(wc -l <fault_names)" -gt 15 ]
	while read -r fault; do
		grep -qF -- "$fault" page
	done <fault_names
}

# words: the text on stdin as one line, in the spelling of help. (A page may
# break a line behind a hyphen.)
words() {
	sed -E 's/…/.../g; s/(, |^ *)(-[a-zA-Z]) [^ ,]+, --/\1\2, --/; s/\[OPTION \.\.\.\]/[OPTION].../' |
		tr -s '[:space:]' ' ' | sed 's/^ //; s/ $//; s/- /-/g'
}

# section NAME: of ./page. part NAME: of ./helped; 'text' is what has no heading.
section() {
	awk -v name="$1" '/^[A-Z]/ { on = ($0 == name); next } on' page
}
part() {
	awk -v name="$1" 'NR < 2 { next }
		/^Options that every command has/ { exit }
		/^(Options|Examples|Also called):/ { now = $0; sub(/:.*/, "", now); next }
		(now == "" ? "text" : now) == name' helped
}

@test "help and the man page of each command: the same usage, examples, options, text" {
	local name count=0
	for name in $(mcpctl generate man | sed -n 's/^mcpctl-\(.*\)\.1$/\1/p'); do
		# So wide that a term stands in one line.
		mandoc -T ascii -O width=500 "$ROOT/man/mcpctl-$name.1" | col -bx >page
		mcpctl help "$name" >helped
		[ "$(section SYNOPSIS | words)" = "$(sed -n '1s/^usage: //p' helped | words)" ]
		[ -n "$(part Examples)" ]
		diff <(part Examples | sed 's/^ *//; /^$/d') <(section EXAMPLES | sed 's/^ *//; /^$/d')
		diff <(part Options | words) <(section OPTIONS |
			sed '/^ *Those that every command has are in mcpctl(1)\.$/d' | words)
		diff <(part text | words) <(section NOTES | sed -E "s/ Also called '[^.]*\.//" | words)
		while read -r alias; do
			section NOTES | grep -q "Also called .*'$alias'"
		done < <(sed -n "s/^Also called: //p" helped | tr ' ' '\n')
		count=$((count + 1))
	done
	[ "$count" -gt 25 ]
}

@test "help and the man page of each topic: the same text" {
	local name count=0
	for name in $(mcpctl generate man | sed -n 's/^mcpctl-\(.*\.[57]\)$/\1/p'); do
		mandoc -T ascii -O width=500 "$ROOT/man/mcpctl-$name" | col -bx >page
		# A command may be called like the topic: its help comes first.
		mcpctl help "${name%.*}" |
			awk '/^Options that every command has/ { text = ""; getline; next }
				{ text = text $0 "\n" } END { printf "%s", text }' >helped
		[ -s helped ]
		diff <(words <helped) <(section DESCRIPTION | words)
		count=$((count + 1))
	done
	[ "$count" -ge 8 ]
}

# documents WHAT: what documents.py says of them.
documents() { python3 "$ROOT/tests/cli/documents.py" "$@" "$ROOT/README.md" "$ROOT"/doc/guide/*.md; }

@test "the README's and the guide's commands on sim: run" {
	local line count=0
	while read -r line; do
		timeout 60 bash -c "$line" >/dev/null 2>err </dev/null || {
			echo "$line: $(cat err)" >&2
			return 1
		}
		count=$((count + 1))
	done < <(sed -n 's/^    \([^$].*mcpctl .*sim: .*\|mcpctl .*sim: .*\)$/\1/p' "$ROOT/README.md" "$ROOT"/doc/guide/*.md)
	[ "$count" -gt 5 ]
}

@test "what the README and the guide show is what is printed" {
	documents shown >count
	[ "$(cat count)" -gt 4 ]
}

@test "the options of all commands in the README and the guide are there" {
	local line count=0
	while read -r line; do
		# Of these --help would be the program's, or ask the peer.
		[[ $line != *' -- '* && $line != *' call '* && $line != *' watch '* ]] || continue
		out=$(eval "timeout 60 $line --help" 2>err </dev/null) || {
			echo "$line: $(cat err)" >&2
			return 1
		}
		[[ $line == *'>'* || $out == *'usage: mcpctl'* ]]
		count=$((count + 1))
	done < <(documents commands)
	[ "$count" -gt 30 ]
}

# As it stands there but for numbers: ports, addresses, times.
@test "what the README shows of serve is what serve prints" {
	local line port
	documents block 'listening on port' | sed -E 's/[0-9]+/N/g' | grep -v '^…$' >wanted
	[ "$(wc -l <wanted)" -gt 5 ]
	background serve bash -c 'exec mcpctl serve --listen 127.0.0.1:0 2>&1'
	port=$(wait_for serve.out 'listening on port .*:')
	background board mcpctl sim --connect "ws://${port##* }/"
	wait_for serve.out ' tools \+ '
	sed -E 's/[0-9]+/N/g; s/port N\.N\.N\.N:/port /' serve.out >printed
	while IFS= read -r line; do
		grep -qxF -- "$line" printed
	done <wanted
}

@test "the guide's smoke test runs" {
	python3 "$ROOT/tests/cli/documents.py" block isError "$ROOT/doc/guide/ci.md" >smoke.mcp
	mcp sim: run --report junit:report.xml smoke.mcp
	ends 0
	grep -q 'tests="4" failures="0"' report.xml
}

@test "the guide's profile extends that of the installed service" {
	mkdir -p config/mcpctl/profiles
	documents block '"kind": "service"' >config/mcpctl/profiles/meu.json
	mcp sim:meu prompt entity_extraction_prompt text=Maria entity_types=nome
	ends 0
	says 'Extraia nome, em JSON, do texto:'
}

@test "the guide's mcp.json names two servers" {
	mkdir -p config/mcpctl
	documents block '"mcpServers"' >config/mcpctl/mcp.json
	mcp targets
	ends 0
	says files
	says http://127.0.0.1:8088/mcp
}

@test "the README's exit statuses are those of help" {
	mcpctl help status >table
	for status in 0 1 2 3 4 5 6 7 8; do
		grep -qE "^ *$status  *" table
		grep -q "^| $status | " "$ROOT/README.md"
	done
}

@test "mcpctl alone: at most 24 lines of 80 columns" {
	mcp
	ends 0
	[ "$(wc -l <stdout)" -le 24 ]
	[ "$(wc -L <stdout)" -le 80 ]
}

@test "every topic and command has help within 80 columns" {
	for word in info tools describe call resources templates read subscribe prompts prompt \
		complete tail ping request notify send loglevel run shell sim \
		help version completion serve targets board backend status json profile faults; do
		mcp help $word
		ends 0
		# An example may be longer: it is copied, not read.
		[ "$(grep -v '^  mcpctl ' stdout | wc -L)" -le 80 ]
	done
}
