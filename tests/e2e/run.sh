#!/bin/sh
# `dpkgtop run`: the command is as it would be without us, and what is said of it afterwards.
. tests/e2e/lib.sh

# Where somebody else may read and execute it.
chmod 755 "$work"
cp "$DPKGTOP" "$work/dpkgtop"

# --- statuses ---

: >"$work/plain"
test_statuses() {
	run 0 'true' run -- true
	check 'what ran is told' grep -q '^true' "$work/err"
	check 'and that no dpkg did' grep -q 'in 0 runs of dpkg' "$work/err"
	check 'nothing on standard output' empty "$work/out"
	run 3 "its status" run --no-sync -- sh -c 'exit 3'
	run 3 "without --" run --no-sync sh -c 'exit 3'
	# shellcheck disable=SC2016
	run 137 'SIGKILL' run --no-sync -- sh -c 'kill -9 $$'
	# shellcheck disable=SC2016
	run 143 'SIGTERM' run --no-sync -- sh -c 'kill $$'
	run 127 'not found' run -w "$work/none" -- no-such-command
	check 'told in one line' one_line "$work/err"
	check 'and nothing is recorded' test ! -e "$work/none"
	run 127 'not found, with a path' run -- /nonexistent/command
	run 126 'not executable' run -- "$work/plain"
	check 'told in one line too' one_line "$work/err"
	run 126 'a directory' run -- "$work"
	run 2 'nothing to run' run
	run 2 'an unknown option' run --no-such-option -- true
	run 2 'an unknown format' run --format xml -- true
	echo 'kept' >"$work/there"
	run 1 'a recording that is there already' run -w "$work/there" -- touch "$work/ran"
	same 'it is left alone' kept "$(cat "$work/there")"
	check 'and nothing ran' test ! -e "$work/ran"
	run 127 '--force, not found' run -w "$work/there" --force -- no-such-command
	same 'it is left alone too' kept "$(cat "$work/there")"
	run 0 '--force' run -w "$work/there" --force -- touch "$work/ran"
	check 'then it ran' test -e "$work/ran"
	check 'and is recorded' grep -qv kept "$work/there"
	same 'with no other name left' '' "$(find "$work" -name '.dpkgtop-*')"
}

# --- where the report goes ---

test_output() {
	mkfifo "$work/fifo"
	timeout -k 1 20 "$DPKGTOP" run --no-sync -o "$work/fifo" -- touch "$work/fifo.ran" \
		2>"$work/err" >"$work/out"
	same 'a FIFO that nobody reads' 1 $?
	check 'a FIFO: told in one line' one_line "$work/err"
	check 'a FIFO: and nothing ran' test ! -e "$work/fifo.ran"
	cat "$work/fifo" >"$work/fifo.read" &
	reader=$!
	# The reader may not be there yet.
	check 'a FIFO with a reader' wait_until "$DPKGTOP" run --no-sync -o "$work/fifo" -- true \
		2>"$work/err"
	wait $reader
	check 'a FIFO with a reader: it is told' grep -q 'runs of dpkg' "$work/fifo.read"
	run 2 '-o and -w: the same file' run -o "$work/one" -w "$work/one" -- touch "$work/one.ran"
	check 'the same file: told' grep -q 'are the same file' "$work/err"
	run 2 'by two names' run -o "$work/./one" -w "$work/one" -- touch "$work/one.ran"
	check 'the same file: it was not made' test ! -e "$work/one"
	echo kept >"$work/one"
	ln "$work/one" "$work/another"
	run 2 'by a link' run -o "$work/another" -w "$work/one" --force -- touch "$work/one.ran"
	same 'the same file: it is left alone' kept "$(cat "$work/one")"
	check 'the same file: and nothing ran' test ! -e "$work/one.ran"
}

# --- what the command has ---

# As much of a process as others can tell.
cat >"$work/look" <<'EOF'
grep -E '^(Umask|Uid|Gid|Groups|Sig(Pnd|Blk|Ign|Cgt)|Shd|Cap|NoNewPrivs|Seccomp|Cpus_allowed:|Mems_allowed:)' \
	/proc/self/status
cat /proc/self/limits /proc/self/oom_score_adj /proc/self/timerslack_ns /proc/self/cgroup
for fd in /proc/$$/fd/*; do
	# Not the one that it was listed with.
	[ -e "$fd" ] || continue
	echo "${fd##*/} $(readlink "$fd") $(grep flags "/proc/$$/fdinfo/${fd##*/}")"
done >list
# Not through a pipe: where there is no standard input the shell's end of it would be that.
sed 's/pipe:.[0-9]*/pipe/' list
for ns in /proc/self/ns/*; do readlink "$ns"; done
cut -d ' ' -f 5-8,19 /proc/self/stat
cat /proc/self/personality
umask; pwd; ulimit -a
env | grep -v '^_=' | sort
EOF

# alike NAME PREFIX…: what the command sees below PREFIX, with and without us.
alike() {
	what=$1
	shift
	(cd "$work" && "$@" sh look) >"$work/seen" 2>"$work/err" <"$work/plain"
	mv "$work/seen" "$work/without"
	(cd "$work" && "$@" "$DPKGTOP" run --no-sync -w seen.$number -- sh look) \
		>"$work/seen" 2>"$work/err" <"$work/plain"
	mv "$work/seen" "$work/with"
	check "$what: seen" grep -q '^SigBlk' "$work/with"
	same_text "$what" "$work/without" "$work/with"
}

same_text() {
	if diff "$2" "$3" >"$work/diff"; then
		ok "$1"
	else
		not_ok "$1"
		sed 's/^/# /' "$work/diff"
	fi
}

# glibc's own two, which a thread of ours makes it handle.
hidden_ignored() {
	perl -e 'my $d = pack("Q5", 1, 0, 0, 0, 0);
		syscall($^O && `uname -m` =~ /x86_64/ ? 13 : 134, $_, $d, 0, 8) for 32, 33;
		exec @ARGV or exit 127' -- "$@"
}

blocked() {
	perl -MPOSIX -e 'sigprocmask(SIG_BLOCK, POSIX::SigSet->new(map { POSIX->can("SIG$_")->() }
		qw(USR1 TERM INT CHLD PIPE))); exec @ARGV or exit 127' -- "$@"
}

ignored() {
	(trap '' INT QUIT TERM HUP PIPE XFSZ CHLD USR2 && exec "$@")
}

limited() {
	(ulimit -n 200 && ulimit -c 0 && ulimit -s 4096 && ulimit -l 32 && umask 027 && exec "$@")
}

more_open() {
	(exec 7<"$work/look" 9>>"$work/more" && exec "$@")
}

without_input() {
	(exec 0<&- && exec "$@")
}

# These two are compared by what is left open.
cat >"$work/closed" <<'EOF'
for fd in 0 1 2 3 4 5 6 7 8 9; do [ -e "/proc/$$/fd/$fd" ] && echo "$fd" >>left; done
exit 6
EOF
test_closed() {
	(cd "$work" && rm -f left; : >left; sh closed 2>&-; mv left left.without; : >left
	sh -c '"$DPKGTOP" run -w closed.rec -- sh closed; echo $? >status' 2>&-)
	same 'stderr closed: its status' 6 "$(cat "$work/status")"
	same_text 'stderr closed: it has it closed' "$work/left.without" "$work/left"
	check 'stderr closed: the summary is not in the recording' no_text "$work/closed.rec"
	(cd "$work" && : >left; sh closed <&- >&- 2>&-; mv left left.without; : >left
	sh -c '"$DPKGTOP" run -w all.rec -- sh closed; echo $? >status' <&- >&- 2>&-)
	same 'all closed: its status' 6 "$(cat "$work/status")"
	same_text 'all closed: it has them closed' "$work/left.without" "$work/left"
}

no_text() {
	! grep -q 'runs of dpkg' "$1"
}

test_alike() {
	alike 'alike: plain' env
	alike 'alike: signals blocked' blocked
	alike 'alike: signals ignored' ignored
	alike 'alike: hidden signals ignored' hidden_ignored
	alike 'alike: limits' limited
	alike 'alike: nice' nice -n 5
	alike 'alike: more files open' more_open
	alike 'alike: no standard input' without_input
	alike 'alike: without new privileges' setpriv --no-new-privs
	[ "$(id -u)" = 0 ] && alike 'alike: fewer capabilities' setpriv --bounding-set -sys_boot
	test_closed
}

test_pipes() {
	head -c 3000000 /dev/urandom >"$work/in"
	"$DPKGTOP" run --no-sync -- cat <"$work/in" 2>/dev/null | cat >"$work/copy"
	check 'its pipes are its own' cmp "$work/in" "$work/copy"
	"$DPKGTOP" run --no-sync -- sh -c 'echo one; echo two >&2' >"$work/out" 2>"$work/err"
	same 'its output' one "$(cat "$work/out")"
	same 'its messages come first' two "$(head -n 1 "$work/err")"
	# A reader that is gone before the summary comes.
	{
		"$DPKGTOP" run --no-sync -- sh -c 'exec 2>/dev/null; sleep 0.2; exit 5' 2>&1 >/dev/null
		echo $? >"$work/status"
	} | true
	same 'nobody reads the summary: its status' 5 "$(cat "$work/status")"
}

# --- who outlives whom ---

wait_pid() {
	wait_until test -s "$1" || dump "no pid in $1"
}

test_outlived() {
	cat >"$work/slow" <<-'EOF'
		echo $$ >slow.pid
		while [ ! -e slow.go ] && [ -e slow ]; do sleep 0.1; done
		echo done >slow.done
	EOF
	for end in 9 15 1 10 12; do
		rm -f "$work"/slow.*
		(cd "$work" && exec "$DPKGTOP" run -w "slow.rec.$end" -- sh slow) \
			2>"$work/err" &
		us=$!
		wait_pid "$work/slow.pid"
		kill "-$end" $us
		wait $us 2>/dev/null
		same "signal $end: ends us" "$((128 + end))" $?
		[ "$end" -eq 9 ] || check "signal $end: told" grep -q 'the command goes on' "$work/err"
		check "signal $end: the command goes on" alive "$(cat "$work/slow.pid")"
		: >"$work/slow.go"
		check "signal $end: to its end" wait_until test -s "$work/slow.done"
	done
}

test_left_behind() {
	# shellcheck disable=SC2016
	run 4 'what is left behind does not hold it' run --no-sync -- \
		sh -c 'sleep 300 >/dev/null 2>&1 & echo $! >"$1"; exit 4' sh "$work/left.pid"
	check 'it lives on' alive "$(cat "$work/left.pid")"
	kill "$(cat "$work/left.pid")"
}

# --- the numbers ---

# number KEY: of the report in $work/json.
number_of() {
	sed -n "s/^  \"$1\":\([0-9.]*\),*$/\1/p" "$work/json"
}

# within A B: 1 % and 10 ms.
within() {
	echo "$1 $2"
	awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; if (d < 0) d = -d; exit d > b / 100 + 0.01 }'
}

test_times() {
	command -v bash >/dev/null || {
		skip 'times' 'no bash'
		return
	}
	cat >"$work/burn" <<-'EOF'
		TIMEFORMAT='%R %U %S'
		time perl -e 'for (1 .. 15000000) { $x += $_ } for (1 .. 1500000) { getppid() }
			if (fork() == 0) { for (1 .. 5000000) { $x += $_ } exit 0 } wait; select(undef,
			undef, undef, 0.5)'
	EOF
	(cd "$work" && "$DPKGTOP" run --format json -o json -l 'a name' -- bash burn 2>times)
	read -r real user system <"$work/times"
	check 'real, as time has it' within "$(number_of wall_s)" "$real"
	check 'user' within "$(number_of user_s)" "$user"
	check 'sys' within "$(number_of sys_s)" "$system"
	check 'trailing sync' awk -v s="$(number_of trailing_sync_s)" 'BEGIN { exit !(s > 0) }'
	check 'the label' grep -q '"label":"a name"' "$work/json"
	check 'the summary is told all the same' grep -q 'runs of dpkg' "$work/times"
	run 0 '--no-sync' run --no-sync --format json -o "$work/json" -- true
	check '--no-sync leaves it unknown' grep -q '"trailing_sync_s":null' "$work/json"
	run 0 'JSON to standard error' run --no-sync --format json -- true
	same 'and nothing but that' '{}' "$(sed -n '1p;$p' "$work/err" | tr -d '\n')"
}

# --- what is wrong on our side ---

test_full() {
	cat >"$work/writes" <<-'EOF'
		for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done
		head -c 100000 /dev/zero >big
	EOF
	# Standard error is no file, so that it is not limited.
	{
		(cd "$work" && ulimit -f 2 && exec "$DPKGTOP" run --no-sync -d 0.05 -w limit.rec -- \
			sh -c 'sh writes; echo $?; exit 9' >out)
		echo $? >"$work/status"
	} 2>&1 | cat >"$work/err"
	same 'a limit on files: its status' 9 "$(cat "$work/status")"
	same 'its own files meet the limit as they would' 153 \
		"$(grep -x '[0-9]*' "$work/out")"
	check 'a limit on files: told' grep -q 'not recorded to the end' "$work/err"
	[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || {
		skip 'a full disk' 'no mounts of our own: needs root'
		return
	}
	mkdir -p "$work/tiny"
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t tmpfs -o size=4k tmpfs "$1/tiny" && cd "$1" &&
		head -c 4096 /dev/zero >tiny/filler && exec "$DPKGTOP" run --no-sync -d 0.05 -w tiny/rec -- sh -c "sh writes; exit 8"' \
		sh "$work" >"$work/out" 2>"$work/err"
	same 'a full disk: its status' 8 $?
	check 'a full disk: told' grep -q 'not recorded to the end' "$work/err"
	check 'a full disk: the summary comes' grep -q 'runs of dpkg' "$work/err"
}

# The command is never what has to do without.
test_few_descriptors() {
	# shellcheck disable=SC2016
	for limit in 14 16 18 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96; do
		rm -f "$work/ran"
		(cd "$work" && ulimit -n $limit && exec timeout 60 "$DPKGTOP" run --no-sync \
			-w few.rec --force -- sh -c 'echo "$1" >ran; exit 5' sh $limit) \
			>"$work/out" 2>"$work/err" </dev/null
		same "$limit descriptors: its status" 5 $?
		same "$limit descriptors: it ran" $limit "$(cat "$work/ran")"
		check "$limit descriptors: measured, or told why not" \
			grep -Eq '^exit status 5|not measured: .*Too many open files' "$work/err"
	done
	check 'few descriptors: what measures is left enough to see what there is' \
		grep -q ', dpkg' "$work/err"
	# So few that some shells can not even read a script.
	for limit in 9 10 11 12 13; do
		(cd "$work" && ulimit -n $limit && exec timeout 60 "$DPKGTOP" run --no-sync -- env true) \
			2>&1 </dev/null | grep not
	done >"$work/reasons"
	check 'few descriptors: not measured' grep -q 'not measured: ' "$work/reasons"
	same 'few descriptors: never without a reason' '' \
		"$(grep -n 'not measured: *$' "$work/reasons")"
	# Well below what is enough, whatever is open besides.
	(cd "$work" && ulimit -n 13 && exec timeout 60 "$DPKGTOP" run -w never.rec -- \
		sh -c 'kill -TERM $PPID; sleep 0.2; echo on >ran') >"$work/out" 2>"$work/err"
	same 'not measured: a signal ends us' 143 $?
	check 'not measured: told why' grep -q 'not measured: .*Too many open files' "$work/err"
	check 'not measured: and not the command' wait_until grep -q on "$work/ran"
	check 'not measured: so it is said' grep -q 'the command goes on' "$work/err"
	check 'not measured: no recording' test ! -e "$work/never.rec"
}

test_rootless() {
	[ "$(id -u)" = 0 ] || {
		skip 'without root' 'the other tests were it'
		return
	}
	mkdir -p "$work/nobody" && chown 65534 "$work/nobody"
	(cd "$work/nobody" && setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$work/dpkgtop" run -w rec --format json -o json -- sh -c 'id -u; exit 7' \
		>out 2>err)
	same 'without root: its status' 7 $?
	same 'without root: its output' 65534 "$(cat "$work/nobody/out")"
	check 'without root: a summary' grep -q 'exit status 7' "$work/nobody/err"
	check 'without root: synced' grep -q '"trailing_sync_s":[0-9]' "$work/nobody/json"
}

# --- a terminal ---

# The summary leaves room for what was there before it.
test_terminal() {
	cat >"$work/stubborn" <<-'EOF'
		trap 'echo caught' INT
		echo started
		sleep 300
		echo went on
		exit 5
	EOF
	terminal_open 80 60
	type_line "\"\$DPKGTOP\" run --no-sync -- sh -c 'echo star''ted; sleep 300'; echo status''=\$?"
	check '^C: it runs' wait_for started
	keys C-c
	check '^C ends it' wait_for 'status=130'
	check '^C: the summary comes' shows 'runs of dpkg'
	terminal_open 80 60
	type_line "\"\$DPKGTOP\" run --no-sync -- sh stubborn; echo status''=\$?"
	check '^C: a command that goes on' wait_for started
	keys C-c
	check '^C: is its own to decide on' wait_for 'caught'
	check '^C: goes on' wait_for 'went on'
	check '^C: has its status' wait_for 'status=5'
	terminal_open 80 60
	type_line "\"\$DPKGTOP\" run --no-sync -- cat; echo status''=\$?"
	# Nothing tells that cat reads; the terminal keeps what is typed until then.
	type_line 'a line for it'
	check 'it reads the terminal' wait_until twice 'a line for it'
	keys C-d
	check 'and its end' wait_for 'status=0'
}

# The line typed, and the line printed.
twice() {
	[ "$(screen | grep -cxF "$1")" -eq 2 ]
}

# bash prints the line of a job that it continues, without a prompt.
continued() {
	screen | grep -q '^"$DPKGTOP" run'
}

test_job_control() {
	command -v bash >/dev/null || {
		skip 'job control' 'no bash'
		return
	}
	terminal_open 80 60
	type_line "PS1='bash> ' exec bash --norc --noprofile -i"
	check 'jobs: a bash' wait_for 'bash>'
	type_line '"$DPKGTOP" run --no-sync -w jobs.rec -- cat'
	type_line 'first'
	check 'jobs: it reads' wait_until twice 'first'
	keys C-z
	check 'jobs: ^Z stops it' wait_for 'Stopped'
	check 'jobs: nothing of ours is shown' shows_not 'runs of dpkg'
	type_line 'fg'
	check 'jobs: fg continues it' wait_until continued
	type_line 'second'
	check 'jobs: and it reads' wait_until twice 'second'
	keys C-d
	check 'jobs: the summary' wait_for 'runs of dpkg'
	type_line "echo status''=\$?"
	check 'jobs: its status' wait_for 'status=0'
	type_line 'clear'
	check 'jobs: a clear screen' wait_gone 'Stopped'
	type_line "\"\$DPKGTOP\" run --no-sync -- sh -c 'kill -STOP \$\$; echo ba''ck; exit 6'"
	check 'jobs: what stops itself gives a prompt' wait_for 'Stopped'
	type_line 'fg'
	check 'jobs: fg continues it too' wait_for 'back'
	type_line "echo status''=\$?"
	check 'jobs: its status too' wait_for 'status=6'
	type_line "clear; \"\$DPKGTOP\" run --no-sync -- sh -c 'exit 4' & wait \$!; echo status''=\$?"
	check 'jobs: in the background' wait_for 'status=4'
}

test_statuses
test_output
test_alike
test_pipes
test_outlived
test_left_behind
test_times
test_full
test_few_descriptors
test_rootless
if command -v tmux >/dev/null; then
	test_terminal
	test_job_control
else
	skip 'a terminal' 'no tmux'
fi
plan
