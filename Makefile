# SPDX-License-Identifier: MIT
# mcpctl: `make demo` shows it, `make check` tests it, `make V=1` prints commands.

VERSION := 0.1.0
PREFIX ?= /usr/local
bindir = $(PREFIX)/bin
libdir = $(PREFIX)/lib
datadir = $(PREFIX)/share

SANITIZE ?=
BUILD ?= build$(if $(SANITIZE),/san)
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
SANFLAGS = -O1 -g -fsanitize=$(SANITIZE) -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
MODE = $(if $(SANITIZE),$(SANFLAGS),$(HARDEN))
CPPFLAGS += -D_GNU_SOURCE -Isrc -DMCPCTL_VERSION='"$(VERSION)"' \
	-DMCPCTL_LIBDIR='"$(libdir)/mcpctl"' -DMCPCTL_DATADIR='"$(datadir)/mcpctl"'
CFLAGS ?= -g
ALL_CFLAGS = -std=gnu17 $(WARNINGS) $(MODE) -fPIE $(CFLAGS) $(PKG_CFLAGS)
ALL_LDFLAGS = -pie -Wl,-z,relro,-z,now,--as-needed $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(LDFLAGS)

# A module is a few objects linked with the library that they need (see src/base/module.h).
MODULES = ws front http mqtt shell
MODULE_ws_SOURCES = $(wildcard src/net/ws*.c)
MODULE_ws_PKG = libwebsockets libssl libcrypto
MODULE_front_SOURCES = $(wildcard src/net/front*.c)
MODULE_front_PKG = libmicrohttpd
MODULE_http_SOURCES = $(wildcard src/net/http*.c)
MODULE_http_PKG = libcurl
MODULE_mqtt_SOURCES = $(wildcard src/net/mqtt*.c) src/broker/sign.c
MODULE_mqtt_PKG = libmosquitto libssl libcrypto
MODULE_shell_SOURCES = $(wildcard src/shell/edit*.c)
MODULE_shell_PKG = readline

# Our plugin for the broker runs inside mosquitto, without the program.
BROKER_SOURCES = $(wildcard src/broker/*.c) src/wire/broker_topic.c \
	$(addprefix src/base/,buf.c error.c file.c json.c json_scan.c json_span.c mem.c \
	secret_file.c text.c text_code.c text_number.c text_utf8.c)
BROKER = $(BUILD)/mcpctl-broker.so

MODULE_SOURCES = $(foreach m,$(MODULES),$(MODULE_$(m)_SOURCES))
SOURCES = $(filter-out $(MODULE_SOURCES) $(wildcard src/broker/*.c), \
	$(wildcard src/*.c src/*/*.c))
OBJECTS = $(SOURCES:src/%.c=$(BUILD)/%.o)
CORE = $(filter-out $(BUILD)/main.o,$(OBJECTS))
MODULE_FILES = $(MODULES:%=$(BUILD)/mcpctl-%.so) $(BROKER)
PKG_CFLAGS = $(call once,PKG_CFLAGS,$(shell $(PKG_CONFIG) --cflags libuv libcjson))
PKG_LIBS = $(call once,PKG_LIBS,$(shell $(PKG_CONFIG) --libs libuv libcjson) -ldl -lm)

.PHONY: all
all: $(BUILD)/mcpctl $(MODULE_FILES)

$(BUILD)/mcpctl: $(OBJECTS)
	@echo "  LINK    $@"
	$(Q)$(CC) $(ALL_LDFLAGS) -rdynamic -o $@ $^ $(PKG_LIBS)

$(BUILD)/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/pic/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  CC      $< (module)"
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -fPIC -MMD -MP -c -o $@ $<

define module_rule
$(BUILD)/mcpctl-$(1).so: $(MODULE_$(1)_SOURCES:src/%.c=$(BUILD)/pic/%.o)
	@echo "  MODULE  $$@"
	$$(Q)$$(CC) $$(filter-out -pie,$$(ALL_LDFLAGS)) -shared -o $$@ $$^ $$$$($(PKG_CONFIG) --libs $(MODULE_$(1)_PKG))
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
ONLY_door = base/% wire/% net/% serve/door% serve/record serve/tokens serve/aliases
ONLY_edit_terminal = base/%
ONLY_service_listen = base/% wire/% net/% mcp/initialize \
	$(addprefix sim/service_,http listen page post session sse ws)
core_for = $(if $(ONLY_$1),$(filter $(addprefix $(BUILD)/,$(addsuffix .o,$(ONLY_$1))),$(CORE)),$(CORE))

UNIT = $(patsubst tests/unit/%.c,$(BUILD)/%,$(wildcard tests/unit/test_*.c))
$(BUILD)/test_%: tests/unit/test_%.c $(CORE)
	@echo "  TEST    $@"
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP $(ALL_LDFLAGS) -rdynamic \
		-o $@ $< $(call core_for,$*) $(PKG_LIBS) -lcmocka

.PHONY: unit
unit: all $(UNIT)

# Fuzzers: everything but main, once more, instrumented by clang.
FUZZ_SECONDS ?= 60
FUZZERS = $(patsubst tests/fuzz/%.c,build/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_FLAGS = -std=gnu17 -O1 -g -fsanitize=fuzzer-no-link,address,undefined \
	-fno-sanitize-recover=all $(PKG_CFLAGS)
FUZZ_OBJECTS = $(CORE:$(BUILD)/%.o=build/fuzz/%.o)
build/fuzz/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  FUZZ    $<"
	$(Q)clang $(CPPFLAGS) $(FUZZ_FLAGS) -MMD -MP -c -o $@ $<
build/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_OBJECTS)
	@echo "  LINK    $@"
	$(Q)clang $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer -rdynamic -o $@ $< \
		$(FUZZ_OBJECTS) $(PKG_LIBS)

.PHONY: fuzzers fuzz
fuzzers: $(FUZZERS)
fuzz: deps-check
	$(Q)$(MAKE) -s fuzzers
	$(Q)tests/run fuzz $(FUZZ_SECONDS)

.PHONY: deps-build deps-check
deps-build:
	$(Q)scripts/install-deps build
deps-check:
	$(Q)scripts/install-deps check

.PHONY: demo
demo: deps-build
	$(Q)$(MAKE) -s -j$(JOBS) all
	$(Q)scripts/demo $(BUILD)/mcpctl

JOBS = $(shell nproc)
SAN = SANITIZE=address,undefined
.PHONY: check
check: deps-check
	$(Q)$(MAKE) -s -j$(JOBS) WERROR=1 unit
	$(Q)$(MAKE) -s -j$(JOBS) WERROR=1 $(SAN) unit
	$(Q)$(MAKE) -s -j$(JOBS) WERROR=1 CC=clang BUILD=build/clang all
	$(Q)$(MAKE) -s -j$(JOBS) fuzzers
	$(Q)tests/run all 5

.PHONY: lint
lint: deps-check
	$(Q)tests/run lint

# The man page and the completions come from the command table.
GENERATED = man/mcpctl.1:man completions/mcpctl.bash:bash \
	completions/_mcpctl:zsh completions/mcpctl.fish:fish
.PHONY: generate
generate: all
	$(Q)$(foreach g,$(GENERATED),$(BUILD)/mcpctl generate \
		$(lastword $(subst :, ,$(g))) >$(firstword $(subst :, ,$(g))) &&) true

# Floors have nothing of ours in them.
FLOORS = $(patsubst %,$(BUILD)/bench_%,attached server client library)
$(FLOORS): $(BUILD)/bench_%: bench/%.c
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $<

$(BUILD)/bench_%: bench/%.c $(CORE) $(MODULE_FILES)
	@echo "  BENCH   $@"
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP $(ALL_LDFLAGS) -rdynamic \
		-o $@ $< $(CORE) $(PKG_LIBS) $(if $(filter echo,$*),-lwebsockets)

.PHONY: bench
bench: deps-check
	$(Q)$(MAKE) -s -j$(JOBS) all
	$(Q)bench/run

.PHONY: install uninstall
install: all
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(libdir)/mcpctl \
		$(DESTDIR)$(datadir)/mcpctl/profiles $(DESTDIR)$(datadir)/man/man1 \
		$(DESTDIR)$(datadir)/bash-completion/completions \
		$(DESTDIR)$(datadir)/zsh/site-functions \
		$(DESTDIR)$(datadir)/fish/vendor_completions.d \
		$(DESTDIR)$(libdir)/systemd/user
	install -m 755 $(BUILD)/mcpctl $(DESTDIR)$(bindir)/
	install -m 644 $(MODULE_FILES) $(DESTDIR)$(libdir)/mcpctl/
	install -m 644 src/sim/profiles/*.json $(DESTDIR)$(datadir)/mcpctl/profiles/
	install -m 644 man/mcpctl.1 $(DESTDIR)$(datadir)/man/man1/
	install -m 644 completions/mcpctl.bash \
		$(DESTDIR)$(datadir)/bash-completion/completions/mcpctl
	install -m 644 completions/_mcpctl $(DESTDIR)$(datadir)/zsh/site-functions/
	install -m 644 completions/mcpctl.fish \
		$(DESTDIR)$(datadir)/fish/vendor_completions.d/
	sed 's|@bindir@|$(bindir)|' scripts/mcpctl-serve.service \
		>$(DESTDIR)$(libdir)/systemd/user/mcpctl-serve.service

uninstall:
	rm -f $(DESTDIR)$(bindir)/mcpctl $(DESTDIR)$(datadir)/man/man1/mcpctl.1 \
		$(DESTDIR)$(datadir)/bash-completion/completions/mcpctl \
		$(DESTDIR)$(datadir)/zsh/site-functions/_mcpctl \
		$(DESTDIR)$(datadir)/fish/vendor_completions.d/mcpctl.fish \
		$(DESTDIR)$(libdir)/systemd/user/mcpctl-serve.service
	rm -rf $(DESTDIR)$(libdir)/mcpctl $(DESTDIR)$(datadir)/mcpctl

# A Debian package of what was built for /usr.
.PHONY: deb
deb: deps-build
	$(Q)$(MAKE) -s -j$(JOBS) BUILD=build/deb PREFIX=/usr SANITIZE= all
	$(Q)scripts/make-deb build/deb $(VERSION) \
		build/mcpctl_$(VERSION)_$$(dpkg --print-architecture).deb

.PHONY: clean
clean:
	$(Q)rm -rf build

-include $(shell find build $(BUILD) -name "*.d" 2>/dev/null)
