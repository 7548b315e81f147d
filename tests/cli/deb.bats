#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make deb: a package that holds what it must, and runs where it is unpacked; a
# source package that gives the same bytes elsewhere.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
	places
	# Later than any source.
	SOURCE_DATE_EPOCH=$(date +%s)
	export SOURCE_DATE_EPOCH
	DEB=$(MAKEFLAGS='' make -s -C "$ROOT" BUILD="${TOP#"$ROOT"/}" KEEP=1 OBJECTS="$TOP" deb |
		tail -n 1)
	[ -s "$DEB" ]
	export DEB
	# What was compiled is not compiled again.
	[ "$(grep -c '^  CC ' "${DEB%/*}/deb/log")" -lt 60 ]
	cp -r "${DEB%/*}"/deb/mcpctl-*/build "$BATS_FILE_TMPDIR/objects"
	rm -r "${DEB%/*}/deb"
}

@test "the package: files, owners, modes, the units" {
	dpkg-deb -c "$DEB" >list
	for file in usr/bin/mcpctl usr/lib/mcpctl/mcpctl-ws.so \
		usr/lib/mcpctl/mcpctl-front.so usr/lib/mcpctl/mcpctl-mqtt.so \
		usr/lib/mcpctl/mcpctl-broker.so usr/lib/mcpctl/mcpctl-shell.so \
		usr/share/bash-completion/completions/mcpctl \
		usr/share/zsh/vendor-completions/_mcpctl \
		usr/share/fish/vendor_completions.d/mcpctl.fish \
		usr/lib/systemd/user/mcpctl-serve.service \
		usr/lib/systemd/system/mcpctl-serve.service \
		usr/share/doc/mcpctl/copyright usr/share/doc/mcpctl/changelog.gz \
		usr/share/doc/mcpctl/changelog.Debian.gz usr/share/mcpctl/profiles/esp32.json \
		usr/share/mcpctl/facts/backends.json; do
		grep -q " \./$file\$" list
	done
	while read -r page; do
		grep -q " \./usr/share/man/man${page##*.}/$page\.gz\$" list
	done < <(mcpctl generate man)
	# Nothing of the builder's, neither users nor places.
	[ "$(awk '{ print $2 }' list | sort -u)" = root/root ]
	[ "$(awk '{ print $1, $6 ~ /bin\/mcpctl/ }' list | sort -u)" = '-rw-r--r-- 0
-rwxr-xr-x 1
drwxr-xr-x 0' ]
	# Nor what time the builder's files have.
	[ "$(awk '{ print $4, $5 }' list | sort -u | wc -l)" = 1 ]
	dpkg-deb -x "$DEB" root
	for unit in root/usr/lib/systemd/{user,system}/mcpctl-serve.service; do
		absent '@bindir@' "$unit"
		grep -q '^ExecStart=/usr/bin/mcpctl serve' "$unit"
	done
	(cd root && md5sum --quiet -c <(dpkg-deb -I "$DEB" md5sums))
	run -1 grep -rlF "$ROOT" root
	# Nothing is started or changed by installing it.
	dpkg-deb -I "$DEB" >control
	absent 'postinst|preinst|prerm|postrm' control
}

@test "the package: what it depends on" {
	depends=$(dpkg-deb -f "$DEB" Depends)
	recommends=$(dpkg-deb -f "$DEB" Recommends)
	# Without what the release puts behind the name: 17, 19t64.
	for package in libc6 libuv1 libcjson1 libwebsockets1 libmicrohttpd12 \
		libwebsockets-evlib-uv; do
		grep -q "$package" <<<"$depends"
	done
	for package in libmosquitto1 mosquitto libreadline8 libncursesw6 libpcre2-8-0 libjq1 \
		libchafa0 libturbojpeg libpng16; do
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
	version=$(dpkg-deb -f "$DEB" Version)
	mcp version
	ends 0
	says "${version%-*}"
	mcp sim: tools
	ends 0
	mcp --wait 200ms listen:127.0.0.1:0 info
	ends 3
	hints 'nothing came'
}

@test "lintian has no error, and no warning" {
	arch=$(dpkg-deb -f "$DEB" Architecture)
	run -0 lintian --no-cfg --allow-root --fail-on error,warning "${DEB%.deb}.changes"
	[ -e "${DEB%_"$arch".deb}.dsc" ]
}

# objects_elsewhere: what was compiled before, but for a part of it: a compiler
# tells every file alike where it is compiled, only some ask for it, or when.
# (Compiling all of them again, with the same options, tells no more.)
objects_elsewhere() {
	local file
	cp -r "$BATS_FILE_TMPDIR/objects" build
	rm -r build/plugin build/hardening-* build/mcpctl build/*.so
	grep -rlE '__[A-Z_]+__|\<assert\(' --include='*.c' src | sed 's/\.c$/.o/' >asking
	grep -q . asking
	while read -r file; do
		rm -f "build/${file#src/}" "build/pic/${file#src/}"
	done <asking
	rm asking
	[ -n "$(find build -name '*.o')" ]
}

# By somebody with other habits. (With a space in its path dpkg leaves the path in.)
@test "the source package gives the same bytes elsewhere" {
	version=$(dpkg-deb -f "$DEB" Version)
	mkdir -m 700 another
	cd another
	umask 077
	dpkg-source -x "${DEB%/*}/mcpctl_$version.dsc" source >/dev/null
	cd source
	[ -x debian/rules ]
	[ ! -e build ]
	objects_elsewhere
	env -i HOME="$WORK" PATH=/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C TZ=Asia/Tokyo \
		DEB_BUILD_OPTIONS='nocheck noautodbgsym parallel=2' \
		dpkg-buildpackage -us -uc -b -d -nc >log 2>&1 3>&- || {
		tail -n 30 log >&2
		return 1
	}
	[ "$(grep -c '^  CC ' log)" -gt 20 ]
	cmp "$DEB" ../"${DEB##*/}"
}

@test "the changelog's newest entry is of the version that is built" {
	version=$(sed -n 's/^VERSION := //p' "$ROOT/Makefile")
	[ "$(dpkg-deb -f "$DEB" Version)" = "$version-1" ]
	grep -m 1 '^## [0-9]' "$ROOT/doc/changelog.md" | grep -q "^## $version ("
	run -1 "$ROOT/scripts/make-deb" "$WORK/none" 99.9
	[[ $output == *"doc/changelog.md is '## $version ("*"the version is 99.9"* ]]
	dpkg-deb -x "$DEB" root
	zcat root/usr/share/doc/mcpctl/changelog.Debian.gz >debian
	head -n 1 debian | grep -q "^mcpctl ($version-1) "
	grep -q '^  \* ' debian
}
