#!/bin/sh
# report and compare as they are used: formats, several files, cut, damaged and newer ones, and an
# output that takes nothing.
. tests/e2e/lib.sh

sessions=$(pwd)/tests/sessions
clean=$sessions/clean-upgrade.jsonl

says() {
	cat "$1"
	grep -qF -e "$2" "$1"
}

for command in report compare; do
	run 0 "$command --help: status 0" $command --help
	check "$command --help: names its options" says "$work/out" --anonymous
	run 2 "$command without a file: a usage error" $command
	run 2 "$command --format junk: a usage error" $command --format junk "$clean" "$clean"
	check "$command --format junk: nothing on standard output" empty "$work/out"
	run 1 "$command of no such file: a failure" $command "$work/none" "$clean"
done
run 2 'report --format markdown: a usage error' report --format markdown "$clean"
run 2 'compare with one file: a usage error' compare "$clean"

run 0 'report: status 0' report "$clean"
check 'report: the ledger' says "$work/out" unpack
check 'report: nothing on standard error' empty "$work/err"
run 0 'options may follow the files' report "$clean" --format json
check 'JSON of one: an object' says "$work/out" '"complete":true'
run 0 'JSON of two: status 0' report --format json "$clean" "$sessions/no-probe.jsonl"
same 'JSON of two: one list of runs' '{"format":1,"runs":[' "$(head -n 1 "$work/out")"
run 0 'two files: status 0' report "$clean" "$sessions/no-probe.jsonl"
check 'two files: a table' says "$work/out" storage
run 0 'CSV: status 0' report --format csv "$clean" "$sessions/no-probe.jsonl"
same 'CSV: a header and a row each' 3 "$(wc -l <"$work/out")"
run 0 'anonymous: status 0' report --anonymous --format json "$clean"
check 'anonymous: no host' says "$work/out" '"host":null'

from_stdin() {
	"$DPKGTOP" report - <"$clean"
}
check 'from standard input' from_stdin
run 0 'a cut file: status 0' report --format json "$sessions/truncated.jsonl"
check 'a cut file: a warning' says "$work/err" 'cut off'
check 'a cut file: not complete' says "$work/out" '"complete":false'
head -n 1 "$clean" >"$work/header"
run 0 'a file cut off behind its header: status 0' report "$work/header"
head -c 20 "$clean" >"$work/first"
: >"$work/empty"
zstd -q -c "$clean" 2>/dev/null | head -c 30 >"$work/packed"
for file in empty first packed; do
	run 3 "not even a header ($file): status 3" report "$work/$file"
	check "not even a header ($file): told in one line" one_line "$work/err"
	check "not even a header ($file): by its name" says "$work/err" "$work/$file"
	check "not even a header ($file): nothing on standard output" empty "$work/out"
	run 3 "not even a header ($file): compare" compare "$clean" "$work/$file"
done

head -n 3 "$clean" >"$work/damaged"
echo '{"event":' >>"$work/damaged"
run 3 'a damaged file: status 3' report "$work/damaged"
check 'a damaged file: told with its line' says "$work/err" "$work/damaged:4:"
check 'a damaged file: nothing on standard output' empty "$work/out"
run 3 'a damaged file among others: status 3' report "$clean" "$work/damaged" "$clean"
same 'a damaged file among others: they are told' 2 "$(grep -c ext4 "$work/out")"
run 3 'compare with a damaged file: status 3' compare "$clean" "$work/damaged"
check 'compare with a damaged file: nothing else' empty "$work/out"
sed '1s/"dpkgtop":1/"dpkgtop":2/' "$clean" >"$work/newer"
run 3 'a newer file: status 3' report "$work/newer"
check 'a newer file: says so' says "$work/err" 'newer'

for format in text json csv markdown; do
	run 0 "compare as $format: status 0" compare --format $format "$clean" \
		"$sessions/failed-postinst.jsonl"
	check "compare as $format: has rows" says "$work/out" real
done
run 0 'compare: status 0' compare "$clean" "$sessions/failed-postinst.jsonl"
check 'compare: not the same work' says "$work/out" 'Not the same work'
check 'compare: no wider than 80 columns' test "$(wc -L <"$work/out")" -le 80

# A full disk, and a reader that has gone.
for command in report compare; do
	"$DPKGTOP" $command "$clean" "$clean" >/dev/full 2>"$work/err"
	same "$command to a full disk: status 1" 1 $?
	check "$command to a full disk: says so" says "$work/err" 'standard output'
	mkfifo "$work/gone.$command"
	sleep 0 <"$work/gone.$command" &
	{
		wait $!
		"$DPKGTOP" $command "$clean" "$clean" 2>"$work/err"
		echo $? >"$work/status"
	} >"$work/gone.$command"
	same "$command to a pipe that nobody reads: status 1" 1 "$(cat "$work/status")"
done
plan
