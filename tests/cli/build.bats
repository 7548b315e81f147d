#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The make targets, install-deps and tests/run, in places and on systems that
# are not those of whoever wrote them.

load helper
bats_require_minimum_version 1.5.0

# sources FOLDER: a copy of them.
sources() {
	mkdir -p "$1"
	tar -c -C "$ROOT" --exclude=./build --exclude=./.git . | tar -x -C "$1"
}

# objects FOLDER: what was built, so that little has to be built again.
objects() {
	mkdir -p "$1"
	(
		cd "$TOP" || return
		for folder in "$ROOT"/src/*/; do
			folder=$(basename "$folder")
			[ ! -d "$folder" ] || echo "$folder"
		done | tar -c -T - mcpctl ./*.so ./*.o hardening-* profiles pic plugin
	) |
		tar -x -C "$1"
	rm "$1/main.o"
}

# alone [NAME=VALUE…] COMMAND…: without what the bats around it exports.
alone() {
	env -i PATH="$(tr : '\n' <<<"$PATH" | grep -v 'bats-core$' | paste -s -d :)" \
		HOME="$WORK" TMPDIR="$WORK" "$@"
}

# quiet_make ARG…: make without what the one around told it.
quiet_make() {
	env -u MAKEFLAGS -u MAKELEVEL make -s "$@" >make.out 2>&1 || {
		cat make.out >&2
		return 1
	}
}

@test "a path with spaces: built, shown, installed, taken away" {
	sources 'a b'
	objects 'a b/build'
	quiet_make -C 'a b' demo
	grep -q 'It works' make.out
	quiet_make -C 'a b' DESTDIR="$WORK/d e" PREFIX='/opt/m c' install
	PATH="$WORK/d e/opt/m c/bin:$PATH"
	[ "$(command -v mcpctl)" = "$WORK/d e/opt/m c/bin/mcpctl" ]
	rm -r 'a b'
	mcp sim: tools
	ends 0
	mcp --wait 200ms listen:127.0.0.1:0 info
	ends 3
	hints 'nothing came'
	mcp "stdio:python3 '$ROOT/tests/cli/mcp_server.py'" ping
	ends 0
	for place in user system; do
		grep -q '^ExecStart="/opt/m c/bin/mcpctl" serve ' \
			"d e/opt/m c/lib/systemd/$place/mcpctl-serve.service"
	done
	# Of what somebody put there, nothing is taken away.
	mkdir -p 'd e/opt/m c/lib/other'
	for file in bin/other lib/other/x share/man/man1/mcpctl-mine.1 \
		share/mcpctl/profiles/mine.json; do
		echo '{}' >"d e/opt/m c/$file"
	done
	quiet_make -C "$ROOT" BUILD="${TOP#"$ROOT"/}" DESTDIR="$WORK/d e" \
		PREFIX='/opt/m c' uninstall
	[ "$(find 'd e' -type f | sort)" = "d e/opt/m c/bin/other
d e/opt/m c/lib/other/x
d e/opt/m c/share/man/man1/mcpctl-mine.1
d e/opt/m c/share/mcpctl/profiles/mine.json" ]
	[ ! -e 'd e/opt/m c/lib/mcpctl' ]
}

@test "installed files have their modes, whatever the umask" {
	umask 077
	quiet_make -C "$ROOT" BUILD="${TOP#"$ROOT"/}" DESTDIR="$WORK/root" \
		PREFIX=/usr install
	[ -x root/usr/bin/mcpctl ]
	[ -z "$(find root -type d ! -perm 755)" ]
	[ "$(find root -type f ! -perm 644)" = root/usr/bin/mcpctl ]
	[ "$(stat -c %a root/usr/bin/mcpctl)" = 755 ]
}

@test "BUILD elsewhere: nothing is written to the sources, and clean is of that one" {
	sources tree
	objects out
	(cd tree && find . -printf '%p %T@ %s\n' | sort) >before
	chmod -R a-w tree
	quiet_make -C tree BUILD="$WORK/out" demo
	quiet_make -C tree BUILD="$WORK/out" DESTDIR="$WORK/root" install
	mv tree away
	"$WORK/out/mcpctl" sim: tools | grep -q self.reboot
	mv away tree
	alone MCPCTL_BUILD="$WORK/out" ONLY=install tree/tests/run cli >run.out || {
		cat run.out >&2
		return 1
	}
	quiet_make -C tree BUILD="$WORK/out" clean
	[ ! -e out ]
	chmod -R u+w tree
	(cd tree && find . -printf '%p %T@ %s\n' | sort) >after
	cmp before after
	run ! quiet_make -C tree BUILD=.. clean
	[ -e tree/Makefile ]
	run ! quiet_make -C tree BUILD='/a b' all
	[[ $output == *"BUILD='/a b'"* ]]
}

@test "hardening: each flag that the compiler takes, asked once" {
	cat >cc <<-'END'
		#!/bin/sh
		echo "$*" >>asked
		case "$*" in *-fcf-protection* | *clash*) exit 1 ;; esac
	END
	chmod +x cc
	run "$ROOT/scripts/hardening" kept ./cc --target=other
	[ "$output" = '-fstack-protector-strong -mbranch-protection=standard ' ]
	mv asked first
	run "$ROOT/scripts/hardening" kept ./cc --target=other
	[ "$output" = '-fstack-protector-strong -mbranch-protection=standard ' ]
	[ ! -e asked ]
	run "$ROOT/scripts/hardening" kept ./cc
	[ -e asked ]
}

@test "make: without a word it builds the program" {
	quiet_make -n -C "$ROOT" BUILD="$WORK/new"
	grep -q -- "-o $WORK/new/mcpctl " make.out
}

@test "make help: every target that is there for people" {
	quiet_make -C "$ROOT" help
	for target in demo check install uninstall deb soak fuzz lint mutants bench generate clean; do
		grep -q "^make $target " make.out
		grep -qE "^$target( [a-z]+)*:" "$ROOT/Makefile" ||
			grep -qE "^\.PHONY:.* $target( |$)" "$ROOT/Makefile"
	done
}

# system [sudo]: a Debian in a folder, with nothing installed but what is in
# $INSTALLED; apt-get does what $REMOVES and $FAILS say. Sets PATH to it alone.
system() {
	local tool
	mkdir -p bin
	for tool in sh env sed grep tr mktemp rm tail fold cat; do
		ln -sf "$(command -v $tool)" bin/
	done
	for tool in npm google-chrome systemd-analyze; do
		ln -sf "$(command -v true)" bin/$tool
	done
	echo 1000 >uid
	cat >bin/id <<-END
		#!/bin/sh
		cat $WORK/uid
	END
	printf '#!/bin/sh\necho amd64\n' >bin/dpkg
	cat >bin/dpkg-query <<-'END'
		#!/bin/sh
		for package in $INSTALLED; do echo "installed $package:amd64 "; done
		for package in $FOREIGN; do echo "installed $package:arm64 "; done
	END
	cat >bin/apt-get <<-END
		#!/bin/sh
		case "\$*" in
		-s*) for word in \$REMOVES; do
			case " \$* " in *" \${word%:*} "*) echo "Remv \${word#*:} [1]" ;; esac
			done ;;
		*) echo "apt-get \$*" >>$WORK/ran ;;
		esac
		case "\$*" in \$FAILS) echo 'E: it does not work' >&2; exit 100 ;; esac
	END
	if [ "${1:-}" = sudo ]; then
		printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
	fi
	find bin -type f -exec chmod +x {} +
	export INSTALLED='' FOREIGN='' REMOVES='' FAILS='none'
	rm -f ran
}

deps() {
	status=0
	# shellcheck disable=SC2034 # for the helper
	out=$(PATH=$WORK/bin "$ROOT/scripts/install-deps" "$@" 2>stderr) || status=$?
	# shellcheck disable=SC2034
	err=$(cat stderr)
}

@test "install-deps: without sudo it says what to run, with update" {
	system
	deps build
	ends 1
	hints 'no sudo'
	hints 'apt-get update && apt-get install --no-install-recommends gcc '
	[ ! -e ran ]
	system sudo
	deps build
	ends 0
	says '  sudo apt-get update'
	says 'apt-get install -y -q --no-remove'
	[ "$(head -n 1 ran)" = 'apt-get update -q' ]
	grep -q '^apt-get install .*--no-remove.* gcc .* libcurl4-openssl-dev ' ran
	absent 'bats|debhelper' ran
	echo 0 >uid
	rm ran
	deps deb
	ends 0
	absent sudo ran
	grep -q '^apt-get install .* debhelper' ran
}

@test "install-deps: it removes nothing; which, and what to do" {
	system sudo
	REMOVES=libmosquitto-dev:mine-dev
	deps build
	ends 1
	hints 'installing libmosquitto-dev would remove mine-dev'
	hints 'nothing was changed'
	absent install ran
	# Another libcurl than the first choice is as good.
	system sudo
	INSTALLED=libcurl4-gnutls-dev REMOVES=libcurl4-openssl-dev:libcurl4-gnutls-dev
	deps build
	ends 0
	absent libcurl ran
	# What is there for another processor is not there.
	INSTALLED='' REMOVES='' FOREIGN=libuv1-dev
	deps build
	grep -q 'libuv1-dev' ran
}

@test "install-deps: what fails is said; tests do without what is optional" {
	system sudo
	FAILS='update*'
	deps build
	ends 0
	hints "'sudo apt-get update' failed"
	hints 'it does not work'
	grep -q '^apt-get install' ran
	FAILS='install*'
	deps build
	ends 1
	hints 'it does not work'
	hints 'apt-get update && apt-get install'
	system sudo
	rm bin/npm bin/google-chrome bin/systemd-analyze
	REMOVES=npm:nodejs FAILS='-s*install chromium'
	deps check
	ends 0
	hints 'skipped: npm (it would remove nodejs'
	hints 'skipped: chromium (apt-get cannot install it)'
	absent 'npm|chromium' ran
	grep -q 'install .* systemd$' ran
	REMOVES='' FAILS=none
	deps check
	grep -q 'install .* npm chromium systemd$' ran
	# With all the rest there, it is not worth a word to sudo.
	INSTALLED=$(sed -n 's/^apt-get install .*recommends \(.*\) npm chromium systemd$/\1/p' ran)
	rm -f ran bin/sudo
	deps check
	ends 0
	hints 'npm (not root, and no sudo)'
	hints 'systemd (not root, and no sudo)'
	[ ! -e ran ]
}

# service: what systemctl answers: mosquitto is $SERVICE (enabled, or not).
service() {
	cat >bin/systemctl <<-END
		#!/bin/sh
		case "\$1" in
		is-enabled) [ "\$SERVICE" = enabled ] ;;
		is-active) [ "\$SERVICE" = enabled ] ;;
		*) echo "systemctl \$*" >>$WORK/ran
			[ -z "\$STUCK" ] || { echo "Failed: \$STUCK" >&2; exit 1; } ;;
		esac
	END
	chmod +x bin/systemctl
	export SERVICE=enabled STUCK=''
}

@test "install-deps: no broker stays that was not there before" {
	system sudo
	service
	deps check
	ends 0
	grep -q '^apt-get install .* mosquitto ' ran
	[ "$(grep '^systemctl' ran)" = 'systemctl disable mosquitto
systemctl stop mosquitto' ]
	hints 'stopped and disabled'
	hints 'sudo systemctl enable --now mosquitto'
	STUCK='no bus'
	deps check
	ends 0
	hints 'could not be stopped'
	hints 'Failed: no bus'
	# One that somebody had stays as it is, running or not.
	system sudo
	service
	INSTALLED=mosquitto
	deps check
	ends 0
	absent 'systemctl|mosquitto ' ran
	# Nor is there a word where nothing starts it.
	system sudo
	service
	SERVICE=disabled
	deps check
	ends 0
	absent systemctl ran
	[ -z "$err" ]
	# Who has to do it alone is told.
	system
	service
	rm bin/sudo
	deps check
	ends 1
	hints '  systemctl disable --now mosquitto '
	deps build
	[[ $err != *systemctl* ]]
}

# suites: a tree with tests/run and two tests that were built.
suites() {
	mkdir -p tree/tests/unit tree/tests/cli tree/build/san
	cp "$ROOT/tests/run" tree/tests/
	: >tree/tests/unit/test_one.c
	printf '\tneeds_root();\n' >tree/tests/unit/test_two.c
	cat >tree/build/test_one <<-'END'
		#!/bin/sh
		printf '1..3\nok 1 - a\nskipped: no moon\nnot ok 2 # SKIP b\nok 3 - c\n'
	END
	cat >tree/build/test_two <<-'END'
		#!/bin/sh
		printf '1..1\nskipped: needs root: x\nok 1 # SKIP r\n'
	END
	chmod +x tree/build/test_*
	cp tree/build/test_* tree/build/san/
	printf '@test "t" { skip "no sun"; }\n# bats test_tags=root\n@test "u" { :; }\n' \
		>tree/tests/cli/three.bats
}

@test "tests/run: the sum, reasons, times, parts" {
	suites
	run -0 alone tree/tests/run unit
	[ "${lines[-1]}" = '4 passed, 0 failed, 4 skipped' ]
	[[ $output == *'  build/test_one: b (no moon)'* ]]
	[[ $output == *'  build/test_two: r (needs root: x)'* ]]
	[[ $output == *' s build/san/test_one'* ]]
	run -0 alone ROOT_APART=1 tree/tests/run unit
	[ "${lines[-1]}" = '4 passed, 0 failed, 2 skipped' ]
	run -0 alone tree/tests/run cli
	[ "${lines[-1]}" = '1 passed, 0 failed, 1 skipped' ]
	[[ $output == *'  build tests/cli/three.bats: t (no sun)'* ]]
	run -0 alone tree/tests/run root
	[ "${lines[-1]}" = '2 passed, 0 failed, 2 skipped' ]
	run -0 alone ONLY='on thr' tree/tests/run unit
	[ "${lines[-1]}" = '4 passed, 0 failed, 2 skipped' ]
	run -1 alone ONLY=nothing tree/tests/run unit
	[[ $output == *'named like: nothing'* ]]
	# A package's build has no sanitizers, and runs these.
	rm -r tree/build/san
	run -0 alone tree/tests/run plain
	[ "${lines[-1]}" = '2 passed, 0 failed, 2 skipped' ]
	grep -q 'tests/run plain$' "$ROOT/scripts/debian/rules"
}

@test "tests/run: what fails, dies or was not built is a failure" {
	suites
	printf '#!/bin/sh\nprintf "1..1\\nnot ok 1 - a\\n"\n' >tree/build/test_one
	printf '#!/bin/sh\nprintf "1..2\\nok 1 - a\\n"\nkill -9 $$\n' >tree/build/test_two
	rm tree/build/san/test_two
	run -1 alone tree/tests/run unit
	[[ $output == *'FAILED build/test_one: not ok 1 - a'* ]]
	[[ $output == *'FAILED build/test_two: ended with status 137'* ]]
	[[ $output == *'FAILED build/san/test_two: ended with status 127'* ]]
	[ "${lines[-1]}" = '3 passed, 3 failed, 1 skipped' ]
}

# libFuzzer ends with 77 after a crash, unless it is told another status.
@test "tests/run: what a fuzzer finds is no skipped test" {
	suites
	mkdir -p tree/tests/fuzz/corpus/bad tree/build/fuzz
	: >tree/tests/fuzz/fuzz_bad.c
	cat >tree/build/fuzz/fuzz_bad <<-'END'
		#!/bin/sh
		status=77
		for word in "$@"; do
			case $word in -error_exitcode=*) status=${word#*=} ;; esac
		done
		echo 'deadly signal'
		exit "$status"
	END
	chmod +x tree/build/fuzz/fuzz_bad
	run -1 alone tree/tests/run fuzz 1
	[[ $output == *'FAILED fuzz bad:'*'deadly signal'* ]]
	[ "${lines[-1]}" = '0 passed, 1 failed, 0 skipped' ]
}
