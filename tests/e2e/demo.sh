#!/bin/sh
# The demo: a real dpkg in a scratch root, and nothing left of either.
. tests/e2e/lib.sh

[ "$(id -u)" = 0 ] || skip_all 'the demo installs packages into a scratch root: needs root'

# A directory of its own for each run, so that one's remains are not another's failure.
fresh_scratch() {
	scratch=$(mktemp -d "$work/scratch.XXXXXX")
}

says() {
	cat "$work/out"
	grep -qwF -e "$1" "$work/out"
}

# What the host's own dpkg would have changed.
host_state() {
	stat -c '%n %i %s %Y' /var/log/dpkg.log /var/lib/dpkg/status 2>/dev/null
	cat /var/log/dpkg.log /var/lib/dpkg/status 2>/dev/null | cksum
}

nothing_left() {
	ls -A "$scratch"
	[ -z "$(ls -A "$scratch")" ]
}

# A dpkg or dpkg-deb that works in the scratch directory.
dpkg_runs() {
	for process in /proc/[0-9]*; do
		{ read -r comm <"$process/comm"; } 2>/dev/null || continue
		case $comm in
		dpkg | dpkg-*)
			grep -qsF "$scratch" "$process/cmdline" && return 0
			;;
		esac
	done
	return 1
}

no_dpkg_runs() {
	! dpkg_runs
}

installs() {
	for process in /proc/[0-9]*; do
		{ read -r comm <"$process/comm"; } 2>/dev/null || continue
		[ "$comm" = dpkg ] && grep -qsF "$scratch" "$process/cmdline" && return 0
	done
	return 1
}

test_headless() {
	fresh_scratch
	before=$(host_state)
	run 0 'headless: status 0' demo --packages 3 --files 5 --headless --dir "$scratch"
	for word in unpack configure total; do
		check "headless: the ledger tells $word" says "$word"
	done
	# Shorter than a tick: what took how long is read at the very end.
	if grep -q 'package files' "$work/out"; then
		check 'headless: how long its syncs took' \
			grep -qE 'package files +[0-9,]+ +[0-9.]+s? +[0-9.]+[num]s' "$work/out"
	else
		skip 'headless: how long its syncs took' 'BPF can not be used here'
	fi
	same 'headless: no escape sequence' 0 "$(grep -c "$(printf '\033')" "$work/out")"
	check 'headless: nothing left' nothing_left
	same "the host's dpkg.log and status are untouched" "$before" "$(host_state)"
}

test_usage() {
	fresh_scratch
	for arguments in '--packages 0' '--packages -1' '--packages many' '--files 0' '--files x' \
		'--modes unsafe-io' '--modes nonsense' '--nonsense' 'surplus'; do
		# shellcheck disable=SC2086
		run 2 "a usage error: $arguments" demo $arguments --headless --dir "$scratch"
		check "told: $arguments" test -s "$work/err"
		check "nothing left: $arguments" nothing_left
	done
	run 1 'a directory that is not there: status 1' demo --packages 1 --files 1 --headless \
		--dir "$work/nowhere"
	check 'told in one line' one_line "$work/err"
}

test_live() {
	fresh_scratch
	terminal_open 100 30
	start "demo --packages 3 --files 5 --dir $scratch"
	check 'live: it says when it has finished' wait_for 'finished'
	check 'live: the phases are listed' wait_for 'unpack'
	check 'live: all of them' wait_for 'configure'
	resize 80 24
	check 'live: a new size is followed' wait_last_row 'quit'
	check 'live: what was found stays' wait_for 'finished'
	check 'live: until a key' alive "$(pid)"
	keys 'q'
	check 'live: q quits with status 0' wait_for 'status=0'
	check 'live: nothing left' nothing_left
}

# Ended while dpkg is at work.
test_ended() {
	fresh_scratch
	terminal_open 100 30
	start "demo --packages 40 --files 100 --dir $scratch"
	wait_until installs || dump "no dpkg was started"
	check "SIG$1: comes while dpkg is at work" alive "$(pid)"
	kill "-$1" "$(pid)"
	check "SIG$1: it ends" wait_for 'status='
	check "SIG$1: the dpkg is gone" wait_until no_dpkg_runs
	check "SIG$1: nothing left" nothing_left
	same "SIG$1: main screen, cursor visible" '0 1' "$(asks '#{alternate_on} #{cursor_flag}')"
}

test_headless
test_usage
command -v tmux >/dev/null || {
	skip 'live' 'no tmux'
	plan
	exit
}
test_live
test_ended INT
test_ended TERM
test_ended HUP
plan
