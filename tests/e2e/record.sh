#!/bin/sh
# record, and watch -w: one upgrade in one file, whole whatever ends it.
. tests/e2e/lib.sh

command -v zstd >/dev/null || skip_all 'no zstd'

says() {
	cat "$1"
	grep -qiF -e "$2" "$1"
}

usage_error() {
	run 2 "a usage error: $*" "$@"
	check "told on standard error: $*" test -s "$work/err"
	check "and not on standard output: $*" empty "$work/out"
}

lines() {
	zstd -dcq <"$work/$1" 2>/dev/null
}

# holds FILE TEXT: one of its lines does.
holds() {
	lines "$1" >"$work/lines"
	tail -n 3 "$work/lines"
	grep -qF -e "$2" "$work/lines"
}

# Whole: not even the decompressor has anything to say.
is_whole() {
	zstd -tq "$work/$1" 2>&1
}

file_grows() {
	[ -s "$work/$1" ]
}

# begin ARGUMENTS: a record in the background; its standard error in $work/err, its pid in $pid.
# Its interrupts are the default ones, which those of a background job are not.
begin() {
	# Here, and not by the child: what the one before said is not taken for its.
	: >"$work/err"
	# shellcheck disable=SC2086,SC2016
	env --default-signal=INT,QUIT "$DPKGTOP" "$@" >"$work/out" 2>"$work/err" </dev/null &
	pid=$!
}

waiting() {
	grep -q waiting "$work/err"
}

# finish NAME STATUS
finish() {
	wait "$pid"
	same "$1" "$2" "$?"
}

test_usage() {
	usage_error record
	usage_error record -w
	usage_error record -w -
	usage_error record -w "$work/x" surplus
	usage_error record -w "$work/x" -t junk
	usage_error record -w "$work/x" -l "$(printf '%070d' 0)"
	usage_error watch -w - --snapshot text
	run 0 'record --help: status 0' record --help
	check 'record --help: names its options' says "$work/out" '--keep-going'
}

test_nothing_comes() {
	run 1 'no upgrade comes: status 1' record $idle -w "$work/none.dtop" -t 1
	check 'no upgrade comes: said' says "$work/err" 'no upgrade came'
	check 'no upgrade comes: no file is left' test ! -e "$work/none.dtop"
	for signal in INT:0 TERM:143 HUP:129; do
		begin record $idle -w "$work/none.dtop"
		check "waiting, SIG${signal%:*}: it waits, and says so" wait_until waiting
		kill -s "${signal%:*}" "$pid"
		finish "waiting, SIG${signal%:*}: status" "${signal#*:}"
		check "waiting, SIG${signal%:*}: no file is left" test ! -e "$work/none.dtop"
	done
}

test_files_stay() {
	echo mine >"$work/mine"
	run 1 'a file that is there: status 1' record $idle -w "$work/mine" -t 1
	check 'a file that is there: said' says "$work/err" '--force'
	same 'a file that is there: it stays' mine "$(cat "$work/mine")"
	ln -s "$work/mine" "$work/link"
	run 1 'a symlink: status 1' record $idle -w "$work/link" --force -t 1
	same 'a symlink: what it leads to stays' mine "$(cat "$work/mine")"
	mkfifo "$work/fifo"
	run 1 'a FIFO: status 1' record $idle -w "$work/fifo" --force -t 1
	run 1 'a device: status 1' record $idle -w /dev/null --force -t 1
	check 'a device: it is one still' test -c /dev/null
	run 1 'no such directory: status 1' record $idle -w "$work/no/x" -t 1
	check 'no such directory: said' says "$work/err" 'No such file'
	run 1 'watch to a file that is there: status 1' watch $idle -w "$work/mine" \
		--snapshot text -t 1
	same 'watch to a file that is there: it stays' mine "$(cat "$work/mine")"
}

test_watch_nothing() {
	run 0 'watch -w, no upgrade: status 0' watch $idle -w "$work/watch.dtop" --snapshot text -t 1
	check 'watch -w, no upgrade: said' says "$work/err" 'no upgrade came'
	check 'watch -w, no upgrade: no file is left' test ! -e "$work/watch.dtop"
}

# --- with a real dpkg --------------------------------------------------------------------------

# A root of its own, so that no other dpkg on this machine is taken for it.
root=$work/root
ours="--admindir $root/var/lib/dpkg --log $root/dpkg.log"

# package NAME FILES
package() {
	mkdir -p "$work/$1/DEBIAN" "$work/$1/opt/$1"
	printf 'Package: %s\nVersion: 1\nArchitecture: all\nMaintainer: A <a@example>\n%s\n' \
		"$1" 'Description: a test' >"$work/$1/DEBIAN/control"
	seq "$2" | (cd "$work/$1/opt/$1" && xargs touch)
	dpkg-deb -Znone --build "$work/$1" "$work/$1.deb" >/dev/null
}

fresh_root() {
	rm -rf "$root"
	mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
	: >"$root/var/lib/dpkg/status"
	: >"$root/dpkg.log"
}

# install NAME…: does not end before each of them is installed; its status.
install() {
	fresh_root
	for name in "$@"; do
		set -- "$@" "$work/$name.deb"
		shift
	done
	exec dpkg --root="$root" --log="$root/dpkg.log" --force-all --no-force-unsafe-io \
		--install "$@" >"$work/dpkg" 2>&1
}

attached() {
	grep -q 'recording dpkg' "$work/err"
}

# said COUNT WORDS: so often they have been.
said() {
	[ "$(grep -c "$2" "$work/err")" -ge "$1" ]
}

# It takes dpkg long enough to be seen in any case; the N-th to be.
install_seen() {
	(install big) && wait_until said "$1" 'ended after'
}

test_upgrade() {
	begin record $ours -w "$work/run.dtop" -l first -t 120
	wait_until waiting
	check 'an upgrade: it is seen' install_seen 1
	finish 'an upgrade: status 0' 0
	check 'an upgrade: its begin is said' says "$work/err" 'recording dpkg'
	check 'an upgrade: whole' is_whole run.dtop
	check 'an upgrade: has its end' holds run.dtop '"event":"end"'
	check 'an upgrade: has the cost of watching' holds run.dtop '"event":"own"'
	check 'an upgrade: has its package' holds run.dtop '"verb":"install"'
	check 'an upgrade: waiting took next to no room' test \
		"$(lines run.dtop | sed '/"event":"upgrade"/q' | wc -l)" -lt 10
}

test_keep_going() {
	echo mine >"$work/two.2.dtop"
	begin record $ours -w "$work/two.dtop" --keep-going
	wait_until waiting
	check 'keep going: the first' install_seen 1
	wait_until said 2 waiting
	check 'keep going: the second' install_seen 2
	wait_until said 3 waiting
	kill -s TERM "$pid"
	finish 'keep going: status' 143
	same 'keep going: a number that is taken is passed over' mine "$(cat "$work/two.2.dtop")"
	for file in two.dtop two.3.dtop; do
		check "keep going: $file is whole" is_whole $file
		check "keep going: $file has one upgrade" holds $file '"event":"end"'
	done
	check 'keep going: none for what did not come' test ! -e "$work/two.4.dtop"
}

# By its lock it is found; the file alone is there a moment earlier.
has_lock() {
	grep -qE "POSIX +ADVISORY +WRITE +$1 " /proc/locks
}

# dpkg is held in its midst, so that it does not end first.
hold_dpkg() {
	(install big) &
	dpkg=$!
	wait_until has_lock "$dpkg" && kill -s STOP "$dpkg"
}

# Killed in the middle, a file is what was flushed; told to end, it is whole.
test_stopped() {
	check 'stopped: dpkg is at work' hold_dpkg
	begin record $ours -w "$work/stopped.dtop"
	check 'stopped: it attaches' wait_until attached
	kill -s TERM "$pid"
	finish 'stopped: status' 143
	check 'stopped: whole' is_whole stopped.dtop
	check 'stopped: said' says "$work/err" 'stopped after'
	check 'stopped: has the upgrade' holds stopped.dtop '"event":"upgrade"'
	begin record $ours -w "$work/late.dtop"
	check 'killed: it had attached' wait_until attached
	kill -s KILL "$pid"
	wait "$pid" 2>/dev/null
	check 'killed: has its header' holds late.dtop '"dpkgtop":1'
	run 1 'too late: status 1' record $ours -w "$work/short.dtop" -t 1
	check 'too late: what was seen is whole' is_whole short.dtop
	kill -s CONT "$dpkg"
	wait "$dpkg"
	same 'dpkg was not disturbed' 0 "$?"
}

test_watch() {
	check 'watch -w: dpkg is at work' hold_dpkg
	run 0 'watch -w: status 0' watch $ours -w "$work/watch.dtop" -l 'a label' \
		--snapshot text -t 3
	same 'watch -w: mode' 600 "$(stat -c %a "$work/watch.dtop")"
	check 'watch -w: whole' is_whole watch.dtop
	check 'watch -w: has its label' holds watch.dtop '"label":"a label"'
	check 'watch -w: has the upgrade' holds watch.dtop '"event":"upgrade"'
	check 'watch -w: has what was watched' holds watch.dtop '"sample":"full"'
	run 0 'watch -w --force: status 0' watch $ours -w "$work/watch.dtop" --force \
		--snapshot text -t 3
	check 'watch -w --force: it was replaced' sh -c "! zstd -dcq '$work/watch.dtop' |
		grep -q 'a label'"
}

# No file may grow, and so none of ours is written but through a pipe.
test_full() {
	{
		# shellcheck disable=SC2016
		sh -c 'ulimit -f 0; exec "$DPKGTOP" "$@" 2>&1' sh watch $ours \
			-w "$work/full.dtop" --snapshot text --size 80x24 -t 3 </dev/null
		echo "status $?"
	} | cat >"$work/out"
	check 'a full disk: watched to the end' says "$work/out" 'PROCESSES'
	check 'a full disk: said' says "$work/out" 'not recorded to the end'
	check 'a full disk: status 1' says "$work/out" 'status 1'
}

# On a screen it is said at once, and again when the screen is gone.
test_full_screen() {
	command -v tmux >/dev/null || {
		skip 'a full disk on the screen' 'no tmux'
		return
	}
	terminal_open 80 24
	# One block, which the header fits into.
	start "watch $ours -w $work/small.dtop -d 0.1" 'ulimit -f 1;'
	check 'a full disk: the screen says it' wait_for 'No longer recorded: File too large.'
	keys q
	check 'a full disk: status 1' wait_for 'status=1'
	check 'a full disk: said again' wait_for 'not recorded to the end'
	terminal_close
}

# What comes after the end is no part of it, as long as it is looked at.
test_watched_to_the_end() {
	command -v tmux >/dev/null || {
		skip 'watch -w to the end' 'no tmux'
		return
	}
	terminal_open 80 24
	start "watch $ours -w $work/ended.dtop -d 0.1"
	check 'watch -w to the end: it attaches' wait_for 'PROCESSES'
	kill -s CONT "$dpkg"
	wait "$dpkg"
	same 'watch -w: dpkg was not disturbed' 0 "$?"
	check 'watch -w to the end: it ends' wait_for 'finished in'
	sleep 1
	keys q
	check 'watch -w to the end: q quits' wait_for 'status=0'
	check 'watch -w to the end: whole' is_whole ended.dtop
	same 'watch -w to the end: next to nothing after it' few \
		"$(lines ended.dtop | sed '1,/"event":"end"/d' | wc -l |
			awk '{ print $1 < 4 ? "few" : $1 }')"
	terminal_close
}

# A frozen ssh: the upgrade is recorded all the same, and `q` is heard.
test_watched_unread() {
	mkfifo "$work/quit"
	"$BUILD/tests/unread" "$DPKGTOP" watch $ours -w "$work/unread.dtop" -d 0.1 <"$work/quit" \
		>"$work/unread" 2>"$work/err" &
	pid=$!
	exec 9>"$work/quit"
	check 'a terminal that nobody reads: it is full' wait_until grep -q full "$work/unread"
	(install big 9>&-)
	same 'a terminal that nobody reads: dpkg ends' 0 "$?"
	wait_until file_grows unread.dtop
	exec 9>&-
	finish 'a terminal that nobody reads: q quits' 0
	check 'a terminal that nobody reads: whole' is_whole unread.dtop
	check 'a terminal that nobody reads: has the upgrade' holds unread.dtop '"event":"end"'
}

test_usage
test_files_stay
test_nothing_comes
test_watch_nothing
if [ "$(id -u)" = 0 ]; then
	package big 3000
	test_upgrade
	test_keep_going
	test_stopped
	test_watch
	test_full
	test_full_screen
	test_watched_to_the_end
	test_watched_unread
else
	skip 'with a real dpkg' 'needs root'
fi
plan
