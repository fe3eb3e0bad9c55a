# dpkgtop: top for upgrades.
#
#   make              build ./dpkgtop
#   make deps         install what building needs (Debian packages; root or sudo)
#   make demo         the same, then build, then watch a real dpkg run in a scratch root
#   make check        install what the tests need too, build, run every test
#   make bench        install peers, and measure dpkgtop's own cost beside theirs (root)
#   make check-asan   the same under AddressSanitizer and UndefinedBehaviorSanitizer
#   make install      PREFIX and DESTDIR are honoured
#
# WITH_BPF=0 builds without the probe, WITH_BPF=1 fails where its tools are missing; else they are
# looked for. NODEPS=1 keeps check and bench from installing anything, V=1 shows the commands,
# TESTS="FILE…" picks tests.

PREFIX     ?= /usr/local
DESTDIR    ?=
CC         ?= cc
CFLAGS     ?= -O2 -g
BUILD      ?= build
PROGRAM    ?= dpkgtop
PKG_CONFIG ?= pkg-config
VERSION    := 0.1

# Every Debian package that building and testing needs, by its name in Debian 12 and 13.
# Listed here and nowhere else. What is essential or comes with make is not named.
DEPS := gcc make pkg-config libc6-dev libncurses-dev libproc2-dev libudev-dev libjson-c-dev \
	libinih-dev libzstd-dev libcap-dev \
	$(if $(filter 0,$(WITH_BPF)),,clang bpftool libbpf-dev libelf-dev zlib1g-dev)
DEPS_CHECK := clang clang-format libclang-rt-dev libcmocka-dev tmux debootstrap strace eatmydata \
	zstd linux-perf $(if $(filter x86_64,$(shell uname -m)),gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
DEPS_BENCH := htop iotop-c tmux strace

LIBS := ncursesw libproc2 libudev json-c inih libzstd libcap

# The probe: libbpf, and clang and bpftool to build its programs (bpftool lies in /usr/sbin).
CLANG   ?= clang
BPFTOOL ?= $(shell PATH="$$PATH:/usr/sbin:/sbin" command -v bpftool 2>/dev/null)
ifeq ($(origin WITH_BPF),undefined)
WITH_BPF := $(shell $(PKG_CONFIG) --exists libbpf 2>/dev/null && \
	command -v $(CLANG) >/dev/null 2>&1 && [ -n "$(BPFTOOL)" ] && echo 1 || echo 0)
endif
ifneq ($(WITH_BPF),0)
LIBS += libbpf
endif

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2
# Asked once, as the file is read: a target that installs packages first runs make anew after it.
LIBS_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LIBS) 2>/dev/null)
LIBS_LIBS   := $(shell $(PKG_CONFIG) --libs $(LIBS) 2>/dev/null)
COMPILE = $(CC) -std=gnu11 $(WARNINGS) -Iinclude -D_GNU_SOURCE -DVERSION='"$(VERSION)"' \
	  $(LIBS_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(SAN) -MMD -MP

Q = $(if $(V),,@)

PROBE   := $(filter-out src/source/probe_none.c,$(wildcard src/source/probe*.c))
SOURCES := $(filter-out %.bpf.c $(if $(filter 0,$(WITH_BPF)),$(PROBE),src/source/probe_none.c), \
	$(wildcard src/*/*.c))
OBJECTS := $(SOURCES:src/%.c=$(BUILD)/%.o)
ARCHIVE := $(BUILD)/libdpkgtop.a
UNITS   := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
LIVE    := $(patsubst tests/live/%.c,$(BUILD)/tests/%,$(wildcard tests/live/*.c))

.DELETE_ON_ERROR:
.SECONDARY:

all: $(PROGRAM)

$(PROGRAM): $(BUILD)/main.o $(ARCHIVE)
	@echo "  LD   $@"
	$(Q)$(CC) $(CFLAGS) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS_LIBS) $(LDLIBS)

$(ARCHIVE): $(OBJECTS) $(BUILD)/with-bpf
	$(Q)rm -f $@ && $(AR) rcs $@ $(OBJECTS)

$(BUILD)/%.o: src/%.c | $(BUILD)/libraries
	@echo "  CC   $<"
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -c -o $@ $<

# A missing library is told once and in words, not by each compiler run.
$(BUILD)/libraries:
	@command -v $(PKG_CONFIG) >/dev/null && $(PKG_CONFIG) --exists --print-errors $(LIBS) || \
		{ echo "A library is missing; 'make deps' installs it." >&2; exit 1; }
	@mkdir -p $(@D) && touch $@

# Machines differ in none of what these programs read by name; the folder is that of asm/types.h.
BPF_ASM ?= /usr/include/$(shell gcc -print-multiarch 2>/dev/null || uname -m)
BPF_FLAGS = -std=gnu11 -g -O2 -target bpf $(filter-out -Wmissing-prototypes,$(WARNINGS)) -Iinclude \
	-idirafter $(BPF_ASM) -ffile-prefix-map=$(CURDIR)=.
$(BUILD)/bpf/%.bpf.o: src/source/%.bpf.c | $(BUILD)/libraries
	@echo "  BPF  $<"
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_FLAGS) -MMD -MP -c -o $@ $<
# Linked once more, which leaves the debugger's information out.
$(BUILD)/bpf/%.skel.h: $(BUILD)/bpf/%.bpf.o
	$(Q)$(BPFTOOL) gen object $(BUILD)/bpf/$*.o $<
	$(Q)$(BPFTOOL) gen skeleton $(BUILD)/bpf/$*.o name $*_probe >$@

ifneq ($(WITH_BPF),0)
$(PROBE:src/%.c=$(BUILD)/%.o): $(BUILD)/bpf/sync.skel.h
$(PROBE:src/%.c=$(BUILD)/%.o): CPPFLAGS += -isystem $(BUILD)/bpf
endif

# The default theme is part of the program, so that it runs from anywhere.
$(BUILD)/screen/theme.o: themes/default.theme $(BUILD)/prefix
$(BUILD)/screen/theme.o: CPPFLAGS += -DPREFIX='"$(PREFIX)"'

# Changes when PREFIX does: `make && make install PREFIX=/usr` must not install what looks for its
# themes elsewhere.
$(BUILD)/prefix: always
	@mkdir -p $(@D)
	@echo '$(PREFIX)' | cmp -s - $@ || echo '$(PREFIX)' >$@
# So does this: with or without the probe the same objects are not the same program.
$(BUILD)/with-bpf: always
	@mkdir -p $(@D)
	@echo '$(WITH_BPF)' | cmp -s - $@ || echo '$(WITH_BPF)' >$@
always:

$(BUILD)/tests/%: tests/unit/%.c $(ARCHIVE)
	@echo "  TEST $@"
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -Itests/unit -o $@ $< $(ARCHIVE) $(LDFLAGS) $(LIBS_LIBS) $(LDLIBS) \
		-lcmocka

# These need root and BPF, and say so where they have not.
$(BUILD)/tests/%: tests/live/%.c $(ARCHIVE)
	@echo "  TEST $@"
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -o $@ $< $(ARCHIVE) $(LDFLAGS) $(LIBS_LIBS) $(LDLIBS) -lcmocka

# Runs in a root without /proc, which a leak checker needs.
$(BUILD)/tests/deed: private override SAN :=

# Tests are unit programs and scripts, all speaking TAP; tests/run.pl finds them.
check: $(if $(NODEPS),,deps-check)
	@$(MAKE) --no-print-directory run-tests

run-tests: $(PROGRAM) $(UNITS) $(LIVE)
	$(Q)BUILD=$(BUILD) DPKGTOP=$(abspath $(PROGRAM)) perl tests/run.pl $(TESTS)

# What watching costs, beside peers: budgets are judged here and nowhere else, for they depend on
# the machine. tests/bench/bench.pl says what is measured, and how to have it longer or shorter.
bench: $(if $(NODEPS),,deps-bench)
	@$(MAKE) --no-print-directory run-bench

run-bench: $(PROGRAM) $(BUILD)/bench/apt-get $(BUILD)/bench/terminal $(BUILD)/bench/crowd \
		$(BUILD)/bench/timed $(BUILD)/bench/cost
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/plain WITH_BPF=0 \
		PROGRAM=$(BUILD)/bench/dpkgtop-plain all
	$(Q)BUILD=$(BUILD) DPKGTOP=$(abspath $(PROGRAM)) perl tests/bench/bench.pl

$(BUILD)/bench/apt-get: tests/bench/frontend.c
$(BUILD)/bench/terminal: tests/bench/terminal.c
$(BUILD)/bench/crowd: tests/bench/crowd.c
$(BUILD)/bench/timed: tests/bench/timed.c
$(BUILD)/bench/cost: tests/bench/cost.c
$(BUILD)/bench/%:
	@echo "  CC   $@"
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -o $@ $<

SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer

check-asan:
	@LSAN_OPTIONS=suppressions=$(abspath tests/lsan.supp):print_suppressions=0 \
		$(MAKE) --no-print-directory check BUILD=build-asan PROGRAM=build-asan/dpkgtop \
		SAN="$(SANITIZERS)"

# A program that feeds libFuzzer's bytes to the reader of recordings and to the model.
$(BUILD)/fuzz/recording: tests/fuzz/recording.c $(wildcard src/base/*.c src/frame/*.c \
		src/model/*.c src/record/*.c)
	@echo "  FUZZ $@"
	@mkdir -p $(@D)
	$(Q)$(CLANG) -std=gnu11 -Iinclude -D_GNU_SOURCE -DVERSION='"$(VERSION)"' $(LIBS_CFLAGS) -O1 -g \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -o $@ \
		$(filter %.c,$^) -ljson-c -lzstd -lcap -lm

# Writes the golden screens and reports anew; look at the diff.
golden: $(BUILD)/tests/test_screen $(BUILD)/tests/test_sessions
	GOLDEN=write $(BUILD)/tests/test_screen
	GOLDEN=write TZ=UTC $(BUILD)/tests/test_sessions

demo: deps
	@$(MAKE) --no-print-directory all
	./$(PROGRAM) demo

format:
	clang-format -i $(FORMATTED)
# Releases of clang-format differ in details: that of Debian 12 is the measure.
format-check:
	@if clang-format --version | grep -q 'version 14\.'; then \
		clang-format --dry-run -Werror $(FORMATTED) && echo "The format is right."; \
	else \
		echo "format-check: skipped, needs clang-format 14"; \
	fi

FORMATTED = $(wildcard src/*.c src/*/*.c src/*/*.h include/dpkgtop/*.h tests/*/*.c tests/*/*.h)

install: all
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/dpkgtop/themes"
	install -m 755 $(PROGRAM) "$(DESTDIR)$(PREFIX)/bin/dpkgtop"
	install -m 644 themes/*.theme "$(DESTDIR)$(PREFIX)/share/dpkgtop/themes"
uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/dpkgtop"
	rm -rf "$(DESTDIR)$(PREFIX)/share/dpkgtop"

clean:
	rm -rf build build-* $(PROGRAM)

# Installs what is missing of $(1). A repository that does not answer is no reason to give up: the
# packages may come from another.
install-packages = set -e; missing=; for p in $(1); do \
	dpkg-query -W -f='$${Status}\n' $$p 2>/dev/null | grep -q 'ok installed' || \
		missing="$$missing $$p"; done; \
	[ -n "$$missing" ] || exit 0; \
	echo "Installing$$missing"; \
	sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	[ -z "$$sudo" ] || command -v sudo >/dev/null || \
		{ echo "As root: apt-get install$$missing" >&2; exit 1; }; \
	$$sudo apt-get update || true; \
	$$sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y \
		--no-install-recommends $$missing

deps:
	@$(call install-packages,$(DEPS))
deps-check:
	@$(call install-packages,$(DEPS) $(DEPS_CHECK))
deps-bench:
	@$(call install-packages,$(DEPS) $(DEPS_BENCH))

.PHONY: all always check run-tests check-asan bench run-bench golden demo format format-check install \
	uninstall clean deps deps-check deps-bench

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
