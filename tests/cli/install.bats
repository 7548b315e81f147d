#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make install and uninstall, with DESTDIR and PREFIX.

load helper

@test "installed, it runs from where it stands; uninstalled, nothing stays" {
	make -s -C "$ROOT" BUILD="${BUILD#"$ROOT"/}" DESTDIR="$WORK/root" \
		PREFIX=/usr install >make.out 2>&1
	PATH=$WORK/root/usr/bin:$PATH
	[ "$(command -v mcpctl)" = "$WORK/root/usr/bin/mcpctl" ]
	mcp sim: tools
	ends 0
	mcp --wait 200ms listen:127.0.0.1:0 info
	ends 3
	hints 'nothing came'
	for file in backends models firmware; do
		[ -s "$WORK/root/usr/share/mcpctl/facts/$file.json" ]
	done
	while read -r page; do
		[ -s "$WORK/root/usr/share/man/man${page##*.}/$page" ]
	done < <(mcpctl generate man)
	[ "$(find "$WORK/root/usr/share/man" -type f | wc -l)" = "$(mcpctl generate man | wc -l)" ]
	make -s -C "$ROOT" BUILD="${BUILD#"$ROOT"/}" DESTDIR="$WORK/root" \
		PREFIX=/usr uninstall
	[ -z "$(find "$WORK/root" -type f)" ]
}

@test "a module that is missing: what, and which package" {
	mkdir alone
	cp "$BUILD/mcpctl" alone/
	PATH=$WORK/alone:$PATH
	mcp version
	ends 0
	mcp --wait 200ms listen:127.0.0.1:0 info
	ends 3
	hints 'front'
}
