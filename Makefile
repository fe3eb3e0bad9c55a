# dpkgtop: top for upgrades.
#
#   make            build ./dpkgtop
#   make deps       install what is needed to build and test (Debian packages)
#   make check      run every test
#   make demo       watch a real dpkg run in a scratch root
#   make install    PREFIX and DESTDIR are honoured

PREFIX     ?= /usr/local
DESTDIR    ?=
CC         ?= cc
CFLAGS     ?= -O2 -g
BUILD      ?= build
PROGRAM    ?= dpkgtop
PKG_CONFIG ?= pkg-config
VERSION    := 0.1

# Every Debian package that building and testing needs, by its name in Debian 12 and 13.
# Listed here and nowhere else.
DEPS := gcc make pkg-config libc6-dev libncurses-dev libproc2-dev libudev-dev libjson-c-dev \
	libinih-dev
DEPS_CHECK := clang clang-format libcmocka-dev perl tmux debootstrap libclang-rt-dev

LIBS := ncursesw libproc2 libudev json-c inih

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2
CPPFLAGS += -Iinclude -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -DPREFIX='"$(PREFIX)"' \
	    $(shell $(PKG_CONFIG) --cflags $(LIBS) 2>/dev/null)
LDLIBS   += $(shell $(PKG_CONFIG) --libs $(LIBS) 2>/dev/null)
COMPILE   = $(CC) -std=gnu11 $(WARNINGS) $(CPPFLAGS) $(CFLAGS) $(SAN) -MMD -MP

Q = $(if $(V),,@)

SOURCES := $(wildcard src/*/*.c)
OBJECTS := $(SOURCES:src/%.c=$(BUILD)/%.o)
ARCHIVE := $(BUILD)/libdpkgtop.a
UNITS   := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))

.DELETE_ON_ERROR:
.SECONDARY:

all: $(PROGRAM)

$(PROGRAM): $(BUILD)/main.o $(ARCHIVE)
	@echo "  LD   $@"
	$(Q)$(CC) $(CFLAGS) $(SAN) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(ARCHIVE): $(OBJECTS)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: src/%.c
	@echo "  CC   $<"
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -c -o $@ $<

# The default theme is part of the program, so that it runs from anywhere.
$(BUILD)/screen/theme.o: themes/default.theme

$(BUILD)/tests/%: tests/unit/%.c $(ARCHIVE)
	@echo "  TEST $@"
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -Itests/unit -o $@ $< $(ARCHIVE) $(LDFLAGS) $(LDLIBS) -lcmocka

# Tests: unit programs and scripts, all speaking TAP.
SCRIPTS := $(sort $(wildcard tests/build/*.sh tests/live/*.sh tests/e2e/*.sh))

check: $(if $(NODEPS),,deps-check)
	@$(MAKE) --no-print-directory run-tests

run-tests: $(PROGRAM) $(UNITS)
	$(Q)BUILD=$(BUILD) DPKGTOP=$(abspath $(PROGRAM)) perl tests/run.pl $(TESTS)

# The same tests under AddressSanitizer and UndefinedBehaviorSanitizer.
check-asan:
	@$(MAKE) --no-print-directory check BUILD=build-asan PROGRAM=build-asan/dpkgtop \
		SAN="-fsanitize=address,undefined -fno-sanitize-recover=undefined"

# Writes the golden screens anew; look at the diff.
golden: $(BUILD)/tests/test_screen
	GOLDEN=write $(BUILD)/tests/test_screen

demo: deps
	@$(MAKE) --no-print-directory all
	./$(PROGRAM) demo

format:
	clang-format -i $(FORMATTED)
format-check:
	clang-format --dry-run -Werror $(FORMATTED)

FORMATTED = $(wildcard src/*.c src/*/*.c src/*/*.h include/dpkgtop/*.h tests/*/*.c tests/*/*.h)

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/dpkgtop/themes
	install -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/dpkgtop
	install -m 644 themes/*.theme $(DESTDIR)$(PREFIX)/share/dpkgtop/themes
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/dpkgtop
	rm -rf $(DESTDIR)$(PREFIX)/share/dpkgtop

clean:
	rm -rf build build-* $(PROGRAM)

# Installs what is missing of $(1).
install-packages = set -e; missing=; for p in $(1); do \
	dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || \
	missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then \
		sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; $$sudo apt-get update; \
		$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y \
			--no-install-recommends $$missing; \
	fi

deps:
	@$(call install-packages,$(DEPS))
deps-check:
	@$(call install-packages,$(DEPS) $(DEPS_CHECK))

.PHONY: all check run-tests check-asan golden demo format format-check install uninstall clean \
	deps deps-check

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
