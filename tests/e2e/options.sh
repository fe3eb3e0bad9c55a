#!/bin/sh
# The command line: help, version, usage errors, and the screen as text without a terminal.
. tests/e2e/lib.sh

says() {
	cat "$1"
	grep -qiF -e "$2" "$1"
}

escape=$(printf '\033')

for option in --help -h --version -V; do
	run 0 "$option: status 0" "$option"
	check "$option: said on standard output" test -s "$work/out"
	check "$option: nothing on standard error" empty "$work/err"
done
run 0 'watch --help: status 0' watch --help
check 'watch --help: names its options' says "$work/out" '--snapshot'
run 0 'demo --help: status 0' demo --help
check 'demo --help: names its options' says "$work/out" '--packages'

# What the README has a row for, some command's help names too.
for command in watch run record replay report compare demo doctor; do
	"$DPKGTOP" $command --help
done >"$work/helps"
for option in $(grep '^| `-' README.md | cut -d'|' -f2 | grep -oE -e '--?[a-z][a-z-]*'); do
	check "$option of the README: in a help" grep -qE -e "^  .*$option([, ]|$)" "$work/helps"
done

usage_error() {
	run 2 "a usage error: $*" "$@"
	check "told on standard error: $*" test -s "$work/err"
	check "and not on standard output: $*" empty "$work/out"
}
usage_error nonsense
usage_error --nonsense
usage_error watch --nonsense
usage_error watch surplus
usage_error watch --snapshot nonsense --size 80x24 -t 1
for size in 0x0 80x0 0x24 80 80x 80x24x1 -80x24 junk 99999999999x24 ''; do
	usage_error watch --snapshot text --size "$size" -t 1
done
usage_error watch -d junk
usage_error watch --snapshot text -t junk

run 0 'snapshot text: status 0' watch $idle --snapshot text --size 80x24 -t 1
same 'snapshot text: a line a row' 24 "$(wc -l <"$work/out")"
check 'snapshot text: no wider than asked' test "$(wc -L <"$work/out")" -le 80
same 'snapshot text: no escape sequence' 0 "$(grep -c "$escape" "$work/out")"
check 'snapshot text: it waits' says "$work/out" waiting
check 'snapshot text: nothing else said' empty "$work/err"

run 0 'snapshot of another size: status 0' watch --snapshot text --size 60x15 -t 1
same 'snapshot of another size: a line a row' 15 "$(wc -l <"$work/out")"
check 'snapshot of another size: no wider' test "$(wc -L <"$work/out")" -le 60

run 0 'snapshot ansi: status 0' watch --snapshot ansi --size 80x24 -t 1
check 'snapshot ansi: has SGR sequences' grep -qE "$escape\[[0-9;]*m" "$work/out"
same 'snapshot ansi: a line a row' 24 "$(wc -l <"$work/out")"

run 0 'snapshot in ASCII: status 0' watch --snapshot text --ascii --size 80x24 -t 1
same 'snapshot in ASCII: every byte is' 0 "$(LC_ALL=C tr -d '\000-\177' <"$work/out" | wc -c)"
plan
