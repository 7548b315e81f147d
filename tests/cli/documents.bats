#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What help, the man page and the README say is true.

load helper

@test "every example of the command table runs and says what it must" {
	local wanted line text count=0
	while IFS=$'\t' read -r wanted line text; do
		status=0
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

@test "every command and option is in the man page" {
	mandoc -T ascii "$ROOT/man/mcpctl.1" | col -b >page
	mcpctl help | grep -oE -- '--[a-z][a-z-]+' | sort -u >options
	[ -s options ]
	while read -r option; do
		grep -qF -- "$option" page
	done <options
	for fault in $(mcpctl help faults | awk '/^  [a-z]/ { print $1 }'); do
		grep -qF -- "$fault" page
	done
}

@test "the README's commands on sim: run" {
	local line count=0
	while read -r line; do
		timeout 60 bash -c "$line" >/dev/null 2>err </dev/null || {
			echo "$line: $(cat err)" >&2
			return 1
		}
		count=$((count + 1))
	done < <(sed -n 's/^    \(.*mcpctl .*sim: .*\)$/\1/p' "$ROOT/README.md")
	[ "$count" -gt 5 ]
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
