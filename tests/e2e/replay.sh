#!/bin/sh
# A recording on the screen: it plays, stops, steps, seeks, and needs no root.
. tests/e2e/lib.sh

sessions=$(pwd)/tests/sessions
clean=$sessions/clean-upgrade.jsonl
long=$sessions/500-packages.jsonl

snapshot() {
	"$DPKGTOP" replay "$@" --snapshot text --size 100x30
}

# The clock at the right of the title.
clock() {
	sed -n '1s/.* \([0-9]*:[0-9][0-9]:[0-9][0-9]\)$/\1/p'
}

# --- without a terminal ---

run 0 'the last screen' replay "$clean" --snapshot text --size 100x30
check 'it has ended' grep -q 'finished in .*exit status 0' "$work/out"
check 'and says that it is a replay' grep -q 'replay' "$work/out"
run 0 'options before the file' replay --snapshot text --size 100x30 "$clean"
run 0 'a screen with colours' replay "$clean" --snapshot ansi
check 'has escapes' grep -q "$(printf '\033')\\[" "$work/out"
run 0 'the overview by its name' replay "$clean" --view overview --snapshot text

same '--at in seconds' 0:00:03 "$(snapshot "$long" --at 3.9 | clock)"
same '--at in minutes' 0:00:03 "$(snapshot "$long" --at 0:03.9 | clock)"
same '--at in hours' 0:00:03 "$(snapshot "$long" --at 0:00:03.9 | clock)"
snapshot "$clean" --at 99:00:00 >"$work/beyond"
snapshot "$clean" >"$work/last"
check '--at beyond the end is the end' cmp "$work/beyond" "$work/last"
check '--at 0 is the beginning' sh -c '! grep -q finished' <<EOT
$(snapshot "$clean" --at 0)
EOT

for time in x 1:60 1:2:3:4 -1 '' 1: 1e99; do
	run 2 "--at $time is refused" replay "$clean" --at "$time" --snapshot text
done
for speed in 0 x -1 2000; do
	run 2 "--speed $speed is refused" replay "$clean" --speed "$speed" --snapshot text
done
run 2 'no file' replay --snapshot text
run 2 'two files' replay "$clean" "$long" --snapshot text
run 2 'a view that there is not' replay "$clean" --view nothing --snapshot text
run 1 'a file that is not there' replay "$work/none" --snapshot text
check 'is named' grep -q "$work/none: No such file" "$work/err"

# --- cut, damaged, newer ---

head -c "$(($(wc -c <"$clean") / 2))" "$clean" >"$work/cut"
run 0 'a file cut off' replay "$work/cut" --snapshot text
check 'is told' grep -q 'ends early' "$work/err"
check 'and shown' grep -q 'PHASES' "$work/out"
: >"$work/empty"
run 3 'an empty file' replay "$work/empty" --snapshot text
check 'is told in one line' one_line "$work/err"
check 'and shows nothing of it' empty "$work/out"
head -c 20 "$clean" >"$work/first"
run 3 'a file cut off in its first line' replay "$work/first" --snapshot text
{ head -n 3 "$clean" && echo '{"sample":' && tail -n +4 "$clean"; } >"$work/damaged"
run 3 'a damaged file' replay "$work/damaged" --snapshot text
check 'says where' grep -q 'damaged:4: ' "$work/err"
check 'and shows nothing' empty "$work/out"
sed '1s/"dpkgtop":1/"dpkgtop":2/' "$clean" >"$work/newer"
run 3 'a newer file' replay "$work/newer" --snapshot text
check 'says so' grep -q 'newer' "$work/err"

# --- as anybody ---

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	cp "$clean" "$work/everybodys" && chmod 755 "$work" && chmod 644 "$work/everybodys"
	cp "$DPKGTOP" "$work/dpkgtop" && chmod 755 "$work/dpkgtop"
	check 'no root is needed' setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$work/dpkgtop" replay "$work/everybodys" --snapshot text
else
	skip 'no root is needed' 'no root, or no setpriv'
fi

# --- on a screen ---

command -v tmux >/dev/null || {
	skip 'on a screen' 'no tmux'
	plan
	exit
}

terminal_open 100 30
start "replay $long --speed 0.0625"
check 'it plays' wait_for ' replay '
check 'from the beginning' wait_last_row '0:00 of '
keys Space
check 'Space stops it' wait_for ' paused '
keys End
check 'End goes to the end' wait_for 'finished in'
keys Home
check 'Home to the beginning' wait_gone 'finished in'
keys n n n n n n n n n n n n n n n n n n n n n n n n
check 'n goes on to a phase' wait_gone '0:00 of '
keys N N N N N N N N N N N N N N N N N N N N N N N N
check 'N and back' wait_last_row '0:00 of '
keys Right
check 'Right goes on' wait_gone '0:00 of '
keys Left
check 'Left back' wait_last_row '0:00 of '
keys . . . . . . . . .
check '. goes on by samples' wait_gone '0:00 of '
keys Home
check 'Home again' wait_last_row '0:00 of '
keys + + + + + + + + + + + +
check '+ makes it faster' wait_last_row '×256'
keys '?'
check '? has its keys' wait_for 'KEYS OF A RECORDING'
keys Escape
keys Space
check 'played to its end' wait_for 'finished in'
check 'where it stops' wait_for ' paused '
keys q
check 'q quits' wait_for 'status=0'

start "replay $work/cut"
keys q
check 'a file cut off is told when the screen is gone' wait_for 'ends early'

plan
