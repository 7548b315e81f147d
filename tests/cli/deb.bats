#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make deb: a package that holds what it must, and runs where it is unpacked.

load helper

setup_file() {
	places
	DEB=$(MAKEFLAGS='' make -s -C "$ROOT" BUILD="${TOP#"$ROOT"/}" deb | tail -n 1)
	[ -s "$DEB" ]
	export DEB
}

@test "the package: files, owners, the unit" {
	dpkg-deb -c "$DEB" >list
	for file in usr/bin/mcpctl usr/lib/mcpctl/mcpctl-ws.so \
		usr/lib/mcpctl/mcpctl-front.so usr/lib/mcpctl/mcpctl-mqtt.so \
		usr/lib/mcpctl/mcpctl-broker.so usr/lib/mcpctl/mcpctl-shell.so \
		usr/share/bash-completion/completions/mcpctl \
		usr/share/zsh/vendor-completions/_mcpctl \
		usr/share/fish/vendor_completions.d/mcpctl.fish usr/share/man/man1/mcpctl.1.gz \
		usr/lib/systemd/user/mcpctl-serve.service \
		usr/share/doc/mcpctl/copyright usr/share/doc/mcpctl/changelog.gz \
		usr/share/mcpctl/profiles/esp32.json; do
		grep -q " \./$file\$" list
	done
	# Nothing of the builder's, neither users nor places.
	[ "$(awk '{ print $2 }' list | sort -u)" = root/root ]
	dpkg-deb -x "$DEB" root
	absent '@bindir@' root/usr/lib/systemd/user/mcpctl-serve.service
	grep -q '^ExecStart=/usr/bin/mcpctl serve' \
		root/usr/lib/systemd/user/mcpctl-serve.service
	(cd root && md5sum --quiet -c <(dpkg-deb -I "$DEB" md5sums))
}

@test "the package: what it depends on" {
	depends=$(dpkg-deb -f "$DEB" Depends)
	recommends=$(dpkg-deb -f "$DEB" Recommends)
	# Without what the release puts behind the name: 17, 19t64.
	for package in libc6 libuv1 libcjson1 libwebsockets1 libmicrohttpd12 \
		libwebsockets-evlib-uv; do
		[[ $depends == *$package* ]]
	done
	for package in libmosquitto1 mosquitto libreadline8 libpcre2-8-0; do
		[[ $recommends == *$package* ]]
		[[ $depends != *$package* ]]
	done
	[ -z "$(dpkg-deb -f "$DEB" Suggests)" ]
	[[ $(dpkg-deb -f "$DEB" Architecture) == "$(dpkg --print-architecture)" ]]
}

@test "unpacked, it runs: version, a device, a port" {
	dpkg-deb -x "$DEB" root
	PATH=$WORK/root/usr/bin:$PATH
	[ "$(command -v mcpctl)" = "$WORK/root/usr/bin/mcpctl" ]
	mcp version
	ends 0
	says "$(dpkg-deb -f "$DEB" Version)"
	mcp sim: tools
	ends 0
	mcp --wait 200ms listen:127.0.0.1:0 info
	ends 3
	hints 'nothing came'
}
