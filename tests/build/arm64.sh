#!/bin/sh
# arm64.sh - does all of it compile for arm64, and is the probe the same program there?
#
# Cross-compiled on amd64 by the Makefile's own rules, warnings being errors. The libraries' headers
# are this machine's (they declare the same on both), so it ends before linking.
cd "$(dirname "$0")/../.." || exit 1
tools=aarch64-linux-gnu
headers=/usr/$tools/include
number=0
failed=0

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

[ "$(uname -m)" = x86_64 ] || skip_all 'cross-compiles from amd64 alone'
command -v $tools-gcc >/dev/null || skip_all "no $tools-gcc"
[ -e $headers/asm/types.h ] && [ -e $headers/stdio.h ] || skip_all "no libc headers in $headers"

# As the tested program was built.
with_bpf=$(cat "${BUILD:-build}/with-bpf") || exit 1

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

# check NAME COMMAND…: one test, passed if the command succeeds; what it said if not.
check() {
	number=$((number + 1))
	name=$1
	shift
	if "$@" >"$work/said" 2>&1; then
		echo "ok $number - $name"
	else
		failed=1
		echo "not ok $number - $name"
		tail -n 20 "$work/said" | sed 's/^/# /'
	fi
}

# make_for DIR TARGET…: below $work/DIR.
make_for() {
	dir=$work/$1
	shift
	make -j2 WITH_BPF="$with_bpf" BUILD="$dir" CC="$tools-gcc -idirafter /usr/include" AR=$tools-ar \
		CFLAGS='-O2 -g -Werror' BPF_ASM=$headers "$@"
}

compiles() {
	make_for arm64 "$work/arm64/libdpkgtop.a" "$work/arm64/main.o"
}

# An object of another machine would mean that the test tests nothing.
is_arm64() {
	$tools-objdump -f "$work/arm64/main.o" | grep 'architecture: aarch64'
}

same_probe() {
	make BUILD="$work/own" "$work/own/bpf/sync.bpf.o" &&
		cmp "$work/own/bpf/sync.bpf.o" "$work/arm64/bpf/sync.bpf.o"
}

# What the probe and its reader share lies in memory as the reader's machine has it.
layouts() {
	cat >"$work/layouts.c" <<-EOF
		#include "$PWD/src/source/sync_bpf.h"
		struct all {
			struct member member;
			struct sync_slot slot;
			struct latency_value latency;
			struct flight flight;
			struct ring_exec exec;
			struct ring_exit exit;
			struct ring_slow slow;
		};
		char all[sizeof(struct all)];
	EOF
	clang -target "$1" -Iinclude -idirafter "$2" -fsyntax-only -Xclang -fdump-record-layouts \
		"$work/layouts.c"
}

same_layouts() {
	layouts bpf $headers >"$work/layouts.bpf" &&
		layouts aarch64-linux-gnu $headers >"$work/layouts.arm64" &&
		grep 'struct ring_slow' "$work/layouts.bpf" &&
		diff "$work/layouts.bpf" "$work/layouts.arm64"
}

check 'all of the source compiles' compiles
check 'for arm64' is_arm64
if [ "$with_bpf" != 0 ]; then
	check 'the probe is byte for byte the same program' same_probe
	check 'its structs lie in memory as their reader has them' same_layouts
else
	number=$((number + 1))
	echo "ok $number - the probe # SKIP built without BPF"
fi
echo "1..$number"
exit $failed
