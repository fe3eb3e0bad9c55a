#!/bin/sh
# fuzz.sh - bytes that libFuzzer makes out of a recording do no harm to the reader and the model.
#
# So many runs as take some ten seconds, always the same ones. For longer:
#   make build/fuzz/recording && build/fuzz/recording DIRECTORY
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

command -v "${CLANG:-clang}" >/dev/null || skip_all 'no clang'
echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' >"$work/try.c"
"${CLANG:-clang}" -fsanitize=fuzzer -o "$work/try" "$work/try.c" 2>/dev/null ||
	skip_all 'clang has no libFuzzer'

echo 1..3
ok() {
	if [ "$2" -eq 0 ]; then
		echo "ok $1 - $3"
	else
		echo "not ok $1 - $3"
		sed 's/^/# /' "$work/said" | tail -n 40
	fi
}

mkdir "$work/corpus"
cp tests/fuzz/seed.jsonl "$work/corpus/plain"
command -v zstd >/dev/null && zstd -q <tests/fuzz/seed.jsonl >"$work/corpus/zstd"
make --no-print-directory BUILD="$build" "$build/fuzz/recording" >"$work/said" 2>&1
ok 1 $? 'it builds'
# The artifact of a failure stays in $work, so its content is told.
"$build/fuzz/recording" -runs=0 "$work/corpus" >"$work/said" 2>&1
ok 2 $? 'the seeds do no harm'
"$build/fuzz/recording" -seed=1 -runs=3000 -max_len=8000 -timeout=60 -print_final_stats=1 \
	-artifact_prefix="$work/" "$work/corpus" >"$work/said" 2>&1
ok 3 $? 'nor does what is made of them'
