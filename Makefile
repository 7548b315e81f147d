# SPDX-License-Identifier: MIT
# mcpctl, for GNU make.
#
#: make demo        build it and see a (simulated) board dial in and answer
#: make check       build it and run every test (ONLY=serve: what is named so)
#: make             build it
#: make install     put it below PREFIX (/usr/local); DESTDIR comes before that
#: make uninstall   take away what install put there
#: make deb         a Debian package
#: make soak        the tests that take long
#: make fuzz        each parser for FUZZ_SECONDS (60)
#: make lint        the lints alone
#: make mutants     small faults (N=40, PART=src/net): which do the tests not see?
#: make bench       measure it (bench/README.md)
#: make generate    the man pages anew, from the command table
#: make clean       remove what was built
#:
#: BUILD=FOLDER     build there instead of in build/; nothing else is written to
#: WERROR=1         warnings are errors
#: V=1              show the commands

VERSION := 0.1.0
PREFIX ?= /usr/local
bindir = $(PREFIX)/bin
libdir = $(PREFIX)/lib
datadir = $(PREFIX)/share

SANITIZE ?=
# Its sanitizers see more than gcc's, and fuzzers are linked of the same objects.
ifneq ($(SANITIZE),)
ifeq ($(origin CC),default)
CC = clang
endif
endif
BUILD ?= build$(if $(SANITIZE),/san)
$(if $(word 2,$(BUILD)),$(error BUILD='$(BUILD)': make cannot work with a space in there))
# Where every kind of build has its folder; that of the sanitized one is the
# only BUILD below it that is used alone.
TOP = $(BUILD:/san=)
V ?= 0
Q := $(if $(filter 0,$(V)),@)
PKG_CONFIG ?= pkg-config

WARN_BOTH = -Wall -Wextra -Wpedantic -Wshadow -Wformat=2 -Wstrict-prototypes \
	-Wmissing-prototypes -Wmissing-declarations -Wold-style-definition \
	-Wredundant-decls -Wnested-externs -Wwrite-strings -Wpointer-arith \
	-Wcast-qual -Wcast-align -Wundef -Wvla -Wdouble-promotion \
	-Wimplicit-fallthrough -Wconversion -Wdate-time
WARN_gcc = -Wnull-dereference -Wduplicated-cond -Wduplicated-branches \
	-Wlogical-op -Wjump-misses-init -Walloc-zero -Wformat-truncation=2 \
	-Wformat-overflow=2 -Wtrampolines
WARN_clang = -Wcomma -Wunreachable-code -Wconditional-uninitialized \
	-Wassign-enum -Wextra-semi-stmt -Wmissing-variable-declarations
COMPILER = $(if $(findstring clang,$(CC)),clang,gcc)
WARNINGS = $(WARN_BOTH) $(WARN_$(COMPILER)) $(if $(WERROR),-Werror)

# once,NAME,VALUE: asked when first needed, since a fresh machine has neither
# compiler nor pkg-config until they are installed, and not again.
once = $(eval $1 := $2)$($1)
HARDEN = $(call once,HARDEN,-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 \
	$(shell scripts/hardening $(BUILD) $(CC)))
SANFLAGS = -O1 -fsanitize=$(SANITIZE) -fno-sanitize-recover=all \
	-fno-omit-frame-pointer -fno-pie $(if $(filter clang,$(COMPILER)),-fsanitize=fuzzer-no-link)
MODE = $(if $(SANITIZE),$(SANFLAGS),$(HARDEN) -fPIE)
# Tests start some ten thousand sanitized processes. Half of what a start costs
# is moving a program with so many tables, and a library for messages alone.
SAN_LDFLAGS = -fsanitize=$(SANITIZE) -no-pie \
	$(if $(and $(filter gcc,$(COMPILER)),$(findstring undefined,$(SANITIZE))),-static-libubsan)
CPPFLAGS += -D_GNU_SOURCE -Isrc -DMCPCTL_VERSION='"$(VERSION)"' \
	-DMCPCTL_LIBDIR='"$(libdir)/mcpctl"' -DMCPCTL_DATADIR='"$(datadir)/mcpctl"'
# Of a report by sanitizers functions and lines are read, no more.
CFLAGS ?= $(if $(SANITIZE),-g1,-g)
ALL_CFLAGS = -std=gnu17 $(WARNINGS) $(MODE) $(CFLAGS) $(PKG_CFLAGS)
ALL_LDFLAGS = $(if $(SANITIZE),$(SAN_LDFLAGS),-pie) -Wl,-z,relro,-z,now,--as-needed $(LDFLAGS)

.DEFAULT_GOAL = all

# A module is a few objects linked with the library that they need (see src/base/module.h).
MODULES = ws front http mqtt tls auth shell fence jq pixels canvas screen audio \
	mdns yaml
MODULE_ws_SOURCES = $(wildcard src/net/ws*.c) src/net/tls_chain.c
MODULE_ws_PKG = libwebsockets libssl libcrypto
MODULE_front_SOURCES = $(wildcard src/net/front*.c)
MODULE_front_PKG = libmicrohttpd
MODULE_http_SOURCES = $(wildcard src/net/http*.c)
MODULE_http_PKG = libcurl
MODULE_mqtt_SOURCES = $(wildcard src/net/mqtt*.c src/net/mcp_*.c) \
	src/broker/sign.c \
	src/net/tls_chain.c
MODULE_mqtt_PKG = libmosquitto libssl libcrypto
MODULE_tls_SOURCES = src/net/tls.c src/net/tls_chain.c
MODULE_tls_PKG = libssl libcrypto
MODULE_auth_SOURCES = src/auth/crypt.c
MODULE_auth_PKG = libcrypto
MODULE_shell_SOURCES = $(wildcard src/shell/edit*.c)
MODULE_shell_PKG = readline
MODULE_fence_SOURCES = src/base/fence_calls.c
MODULE_fence_PKG = libseccomp
# libjq has no .pc file before 1.7.
MODULE_jq_SOURCES = src/base/query_jq.c
MODULE_jq_LIBS = -ljq
MODULE_pixels_SOURCES = src/out/pixels.c
MODULE_pixels_PKG = libturbojpeg libpng
MODULE_canvas_SOURCES = src/out/canvas.c
MODULE_canvas_PKG = chafa
# Headers that are not among the system's.
$(BUILD)/pic/out/canvas.o: MODULE_CFLAGS = $(call once,CHAFA_CFLAGS,$(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags chafa)))
MODULE_screen_SOURCES = src/top/screen.c
MODULE_screen_PKG = ncursesw
MODULE_audio_SOURCES = $(wildcard src/net/ogg*.c)
MODULE_audio_PKG = ogg opus
# glibc's reader of DNS.
MODULE_mdns_SOURCES = src/net/mdns.c
MODULE_mdns_LIBS = -lresolv
MODULE_yaml_SOURCES = src/base/yaml.c
MODULE_yaml_PKG = yaml-0.1

# Our plugin for the broker runs inside mosquitto, without the program.
BROKER_SOURCES = $(wildcard src/broker/*.c) src/wire/broker_topic.c \
	$(addprefix src/base/,buf.c error.c file.c json.c json_scan.c map.c mem.c \
	random.c secret_file.c text.c utf8.c)
BROKER = $(BUILD)/mcpctl-broker.so

MODULE_SOURCES = $(foreach m,$(MODULES),$(MODULE_$(m)_SOURCES))
SOURCES = $(filter-out $(MODULE_SOURCES) $(wildcard src/broker/*.c), \
	$(wildcard src/*.c src/*/*.c))
OBJECTS = $(SOURCES:src/%.c=$(BUILD)/%.o)
CORE = $(filter-out $(BUILD)/main.o,$(OBJECTS))
MODULE_FILES = $(MODULES:%=$(BUILD)/mcpctl-%.so) $(BROKER)
PKG_CFLAGS = $(call once,PKG_CFLAGS,$(shell $(PKG_CONFIG) --cflags libuv libcjson))
PKG_LIBS = $(call once,PKG_LIBS,$(shell $(PKG_CONFIG) --libs libuv libcjson) -ldl -lm)

PAGES = $(wildcard man/*.[157])

# Built in; copies of them are installed for who wants to change one.
FACTS = $(wildcard src/diag/data/*.json) src/mcp/tools.json
# The program finds its profiles beside it.
PROFILES = $(patsubst src/sim/%,%,$(wildcard src/sim/profiles/*.json))

.PHONY: all
all: $(BUILD)/mcpctl $(MODULE_FILES) $(PROFILES:%=$(BUILD)/%)

.PHONY: help
help:
	@sed -n 's/^#: \{0,1\}//p' Makefile

# The loader looks every name up in the program and its libraries first, those
# of a part's many libraries too: so it shows no more than what parts ask for,
# and libc, which has most of them, comes first.
NM ?= nm
EXPORTED = $(BUILD)/exported.list
$(EXPORTED): $(MODULES:%=$(BUILD)/mcpctl-%.so)
	$(Q){ echo '{'; $(NM) -D -u $^ | sed -n 's/^ *[Uw] \([^@]*\).*/\1;/p' | sort -u; echo '};'; } >$@

$(BUILD)/mcpctl: $(OBJECTS) $(EXPORTED)
	@echo "  LINK    $@"
	$(Q)$(CC) $(ALL_LDFLAGS) -Wl,--dynamic-list=$(EXPORTED) -o $@ $(OBJECTS) -lc $(PKG_LIBS)

$(BUILD)/profiles/%: src/sim/profiles/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(BUILD)/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# It holds them as they are.
$(BUILD)/cli/cmd_completion.o: $(wildcard completions/*)
$(BUILD)/serve/pages_parts.o: src/serve/pages.css src/serve/pages.js src/serve/pages.svg
$(BUILD)/mcp/tool_effect.o: src/mcp/tools.json
$(BUILD)/diag/facts.o: $(FACTS)
$(BUILD)/diag/codebook.o: $(wildcard src/diag/findings/*.json)

$(BUILD)/pic/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  CC      $< (module)"
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(MODULE_CFLAGS) -fPIC -MMD -MP -c -o $@ $<

define module_rule
$(BUILD)/mcpctl-$(1).so: $(MODULE_$(1)_SOURCES:src/%.c=$(BUILD)/pic/%.o)
	@echo "  MODULE  $$@"
	$$(Q)$$(CC) $$(filter-out -pie -no-pie,$$(ALL_LDFLAGS)) -shared -o $$@ $$^ $$(MODULE_$(1)_LIBS) $$(if $$(MODULE_$(1)_PKG),$$$$($(PKG_CONFIG) --libs $(MODULE_$(1)_PKG)))
endef
$(foreach m,$(MODULES),$(eval $(call module_rule,$(m))))

# mosquitto itself is not instrumented: the plugin never is.
$(BROKER): MODE = $(HARDEN)
$(BROKER): $(BROKER_SOURCES:src/%.c=$(BUILD)/plugin/%.o)
	@echo "  MODULE  $@"
	$(Q)$(CC) $(CFLAGS) -Wl,-z,relro,-z,now -shared -o $@ $^ $$($(PKG_CONFIG) --libs libcrypto libcjson)

$(BUILD)/plugin/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  CC      $< (plugin)"
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

# A test that stands in for some parts itself links only with those named here.
ONLY_door = base/% wire/% net/% diag/% mcp/% rpc/% serve/door% \
	$(addprefix serve/,aliases enrolled leases missing photos record registry tokens)
ONLY_edit_terminal = base/%
core_for = $(if $(ONLY_$1),$(filter $(addprefix $(BUILD)/,$(addsuffix .o,$(ONLY_$1))),$(CORE)),$(CORE))

# Some 400 programs are linked for the tests; lld takes a third of the time, half
# of that without merging strings, and make has a link for each processor anyway.
# What a debugger reads is in the sanitized ones: 16 MB a program.
TEST_LDFLAGS = $(call once,TEST_LDFLAGS,$(if $(SANITIZE),,-Wl$(comma)-S) \
	$(if $(shell command -v ld.lld),-fuse-ld=lld -Wl$(comma)-O0$(comma)--threads=1))
comma = ,
UNIT = $(patsubst tests/unit/%.c,$(BUILD)/%,$(wildcard tests/unit/test_*.c))
.SECONDARY: $(UNIT:$(BUILD)/%=$(BUILD)/unit/%.o)
# Half the time of the compiler went into making tests themselves fast.
UNIT_CFLAGS = -O0 $(if $(SANITIZE),$(if $(filter clang,$(COMPILER)),-fno-sanitize=fuzzer-no-link),-g0 -U_FORTIFY_SOURCE)
$(BUILD)/unit/%.o: tests/unit/%.c
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(UNIT_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/test_%: $(BUILD)/unit/test_%.o $(CORE) | $(PROFILES:%=$(BUILD)/%)
	@echo "  TEST    $@"
	$(Q)$(CC) $(ALL_LDFLAGS) $(TEST_LDFLAGS) -rdynamic -o $@ $< $(call core_for,$*) $(PKG_LIBS) -lcmocka

# named,FILES: those that have a word of ONLY in their names; all without it.
named = $(if $(ONLY),$(foreach f,$1,$(if $(strip \
	$(foreach w,$(ONLY),$(findstring $w,$(notdir $f)))),$f)),$1)

.PHONY: unit
unit: all $(call named,$(UNIT))

# All that is compiled, not linked: what a compiler says of it (scripts/check-compilers).
.PHONY: objects
objects: $(OBJECTS) $(MODULE_SOURCES:src/%.c=$(BUILD)/pic/%.o) \
	$(BROKER_SOURCES:src/%.c=$(BUILD)/plugin/%.o) $(UNIT:$(BUILD)/%=$(BUILD)/unit/%.o)

# Fuzzers: everything but main, of the sanitized build.
FUZZ_SECONDS ?= 60
FUZZERS = $(patsubst tests/fuzz/%.c,$(TOP)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
$(TOP)/fuzz/profiles/%: src/sim/profiles/%
	@mkdir -p $(@D)
	$(Q)cp $< $@
# What these read with is in a module.
FUZZ_PKG_pixels = $(MODULE_pixels_PKG)
$(TOP)/fuzz/fuzz_pixels: $(MODULE_pixels_SOURCES:src/%.c=$(BUILD)/pic/%.o)
FUZZ_PKG_speech = $(MODULE_audio_PKG)
FUZZ_LIBS_mdns = $(MODULE_mdns_LIBS)
$(TOP)/fuzz/fuzz_mdns: $(MODULE_mdns_SOURCES:src/%.c=$(BUILD)/pic/%.o)
FUZZ_PKG_yaml = $(MODULE_yaml_PKG)
$(TOP)/fuzz/fuzz_yaml: $(MODULE_yaml_SOURCES:src/%.c=$(BUILD)/pic/%.o)
# What libFuzzer asks for has no prototype.
$(TOP)/fuzz/fuzz_%: private WARNINGS =
$(TOP)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(CORE)
	@mkdir -p $(@D)
	@echo "  FUZZ    $@"
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(TEST_LDFLAGS) -fsanitize=fuzzer -rdynamic -o $@ $(filter %.c %.o,$^) \
		$(PKG_LIBS) $(FUZZ_LIBS_$*) $(if $(FUZZ_PKG_$*),$$($(PKG_CONFIG) --libs $(FUZZ_PKG_$*)))

.PHONY: fuzzers fuzz
fuzzers: $(call named,$(FUZZERS)) $(PROFILES:%=$(TOP)/fuzz/%)
fuzz: deps-check
	$(Q)$(MAKE) -s $(SAN) fuzzers
	$(Q)$(RUN) fuzz $(FUZZ_SECONDS)

.PHONY: deps-build deps-check deps-deb
deps-build deps-check deps-deb: deps-%:
	$(Q)scripts/install-deps $*

.PHONY: demo
demo: deps-build
	$(Q)$(MAKE) -s -j$(JOBS) all
	$(Q)scripts/demo $(BUILD)/mcpctl

JOBS = $(shell nproc)
SAN = SANITIZE=address,undefined BUILD=$(TOP)/san
RUN = MCPCTL_BUILD=$(TOP) ONLY='$(ONLY)' tests/run
# timed,NAME,COMMAND: and how long that took.
timed = +$(Q)start=$$(date +%s); $2 && echo "$1: $$(($$(date +%s) - start)) s"
PLAIN = SANITIZE= BUILD=$(TOP)

.PHONY: check soak
check: deps-check
	$(call timed,build,$(MAKE) -s -j$(JOBS) WERROR=1 $(PLAIN) unit)
	$(call timed,build with sanitizers,$(MAKE) -s -j$(JOBS) WERROR=1 $(SAN) unit)
	$(Q)$(RUN) all 1

# Whatever takes longer than belongs into `make check`.
soak: deps-check
	$(Q)$(MAKE) -s -j$(JOBS) $(PLAIN) all
	$(Q)$(MAKE) -s -j$(JOBS) $(SAN) all fuzzers
	$(Q)$(RUN) soak $(FUZZ_SECONDS)

.PHONY: lint
lint: deps-check
	$(Q)$(MAKE) -s -j$(JOBS) all
	$(Q)$(RUN) lint

# Faults put into a copy of the tree, one at a time (see scripts/mutants).
.PHONY: mutants
mutants: deps-check
	$(Q)N='$(N)' PART='$(PART)' SEED='$(SEED)' PLANT='$(PLANT)' \
		MCPCTL_BUILD=$(TOP) nice -n 19 scripts/mutants

# The man pages come from the command table.
.PHONY: generate
generate: all
	$(Q)rm -f $(PAGES)
	$(Q)for page in $$($(BUILD)/mcpctl generate man); do \
		$(BUILD)/mcpctl generate man "$$page" >"man/$$page" || exit 1; done

# Floors have nothing of ours in them.
FLOORS = $(patsubst %,$(BUILD)/bench_%,attached server client library relay)
$(FLOORS): $(BUILD)/bench_%: bench/%.c
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $<

$(BUILD)/bench_%: bench/%.c $(CORE) $(MODULE_FILES)
	@echo "  BENCH   $@"
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP $(ALL_LDFLAGS) -rdynamic \
		-o $@ $< $(CORE) $(PKG_LIBS) $(if $(filter echo,$*),-lwebsockets)

.PHONY: bench
bench: deps-check
	$(Q)$(MAKE) -s -j$(JOBS) all
	$(Q)MCPCTL_BUILD=$(BUILD) bench/run

.PHONY: install uninstall
install: all
	install -d -m 755 "$(DESTDIR)$(bindir)" "$(DESTDIR)$(libdir)/mcpctl" \
		"$(DESTDIR)$(datadir)/mcpctl/profiles" "$(DESTDIR)$(datadir)/mcpctl/facts" \
		"$(DESTDIR)$(datadir)/man/man1" \
		"$(DESTDIR)$(datadir)/man/man5" "$(DESTDIR)$(datadir)/man/man7" \
		"$(DESTDIR)$(datadir)/bash-completion/completions" \
		"$(DESTDIR)$(datadir)/zsh/site-functions" \
		"$(DESTDIR)$(datadir)/fish/vendor_completions.d" \
		"$(DESTDIR)$(libdir)/systemd/user" "$(DESTDIR)$(libdir)/systemd/system"
	install -m 755 $(BUILD)/mcpctl "$(DESTDIR)$(bindir)/"
	install -m 644 $(MODULE_FILES) "$(DESTDIR)$(libdir)/mcpctl/"
	install -m 644 $(PROFILES:%=src/sim/%) "$(DESTDIR)$(datadir)/mcpctl/profiles/"
	install -m 644 $(FACTS) "$(DESTDIR)$(datadir)/mcpctl/facts/"
	install -m 644 $(filter %.1,$(PAGES)) "$(DESTDIR)$(datadir)/man/man1/"
	install -m 644 $(filter %.5,$(PAGES)) "$(DESTDIR)$(datadir)/man/man5/"
	install -m 644 $(filter %.7,$(PAGES)) "$(DESTDIR)$(datadir)/man/man7/"
	install -m 644 completions/mcpctl.bash \
		"$(DESTDIR)$(datadir)/bash-completion/completions/mcpctl"
	install -m 644 completions/_mcpctl "$(DESTDIR)$(datadir)/zsh/site-functions/"
	install -m 644 completions/mcpctl.fish \
		"$(DESTDIR)$(datadir)/fish/vendor_completions.d/"
	$(call install_unit,scripts/mcpctl-serve.service,user)
	$(call install_unit,scripts/mcpctl-serve-system.service,system)

# install_unit,FILE,FOLDER
define install_unit
sed 's|@bindir@/mcpctl|$(call unit_word,$(bindir)/mcpctl)|' $1 \
		>"$(DESTDIR)$(libdir)/systemd/$2/mcpctl-serve.service"
	chmod 644 "$(DESTDIR)$(libdir)/systemd/$2/mcpctl-serve.service"
endef

# One word for systemd.
unit_word = $(if $(word 2,$1),"$1",$1)

# Folders that hold something else stay.
uninstall:
	rm -f "$(DESTDIR)$(bindir)/mcpctl" \
		$(foreach p,$(PAGES),"$(DESTDIR)$(datadir)/man/man$(subst .,,$(suffix $p))/$(notdir $p)") \
		"$(DESTDIR)$(datadir)/bash-completion/completions/mcpctl" \
		"$(DESTDIR)$(datadir)/zsh/site-functions/_mcpctl" \
		"$(DESTDIR)$(datadir)/fish/vendor_completions.d/mcpctl.fish" \
		"$(DESTDIR)$(libdir)/systemd/user/mcpctl-serve.service" \
		"$(DESTDIR)$(libdir)/systemd/system/mcpctl-serve.service"
	rm -f $(foreach m,$(notdir $(MODULE_FILES)),"$(DESTDIR)$(libdir)/mcpctl/$m") \
		$(foreach p,$(PROFILES),"$(DESTDIR)$(datadir)/mcpctl/$p") \
		$(foreach f,$(notdir $(FACTS)),"$(DESTDIR)$(datadir)/mcpctl/facts/$f")
	for folder in "$(DESTDIR)$(libdir)/mcpctl" "$(DESTDIR)$(datadir)/mcpctl/profiles" \
		"$(DESTDIR)$(datadir)/mcpctl/facts" "$(DESTDIR)$(datadir)/mcpctl"; do \
		[ ! -d "$$folder" ] || rmdir --ignore-fail-on-non-empty "$$folder" || exit 1; \
	done

# A Debian package and its source package.
.PHONY: deb
deb: deps-deb
	$(Q)scripts/make-deb $(TOP) $(VERSION)

.PHONY: clean
clean:
	$(Q)case "$(CURDIR)/" in "$(abspath $(BUILD))"/*) \
		echo "make clean: BUILD=$(BUILD) holds the sources" >&2; exit 1 ;; esac
	$(Q)rm -rf $(BUILD)

# What tests fetch has files of that name, too, and so have copies of the tree.
-include $(shell find $(BUILD) \( -name fetched -o -name mutants \) -prune -o -name '*.d' -type f -print 2>/dev/null)
