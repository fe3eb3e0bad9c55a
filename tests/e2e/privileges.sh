#!/bin/sh
# What dpkgtop keeps of root, and that nobody else loses anything by it.
. tests/e2e/lib.sh

[ "$(id -u)" = 0 ] || skip_all 'there is nothing to drop: needs root'
command -v tmux >/dev/null || skip_all 'no tmux'

# Numbers of linux/capability.h.
dac_override=1 dac_read_search=2 fowner=3 sys_ptrace=19 bpf=39

status_of() {
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"
}

# The set of those that are named and that the test has itself, as the kernel writes it.
set_of() {
	sum=0
	for capability; do
		sum=$((sum | 1 << capability))
	done
	printf '%016x' "$((sum & 0x$(status_of self CapEff)))"
}

# Before Linux 5.19 reading what BPF counted takes CAP_BPF.
kept="$sys_ptrace $dac_read_search"
kernel=$(uname -r)
major=${kernel%%.*}
minor=${kernel#*.}
minor=${minor%%[!0-9]*}
if [ "$major" -lt 5 ] || { [ "$major" -eq 5 ] && [ "$minor" -lt 19 ]; }; then
	kept="$kept $bpf"
fi

# The probe is tried a moment after the first screen.
has_dropped() {
	[ "$(status_of "$(pid)" NoNewPrivs)" = 1 ]
}

# dropped NAME CAPABILITY…
dropped() {
	what=$1
	shift
	check "$what: drops" wait_until has_dropped
	for set in CapEff CapPrm CapBnd; do
		same "$what: $set" "$(set_of "$@")" "$(status_of "$(pid)" $set)"
	done
	for set in CapInh CapAmb; do
		same "$what: $set" "$(set_of)" "$(status_of "$(pid)" $set)"
	done
}

# All that a program inherits of rights; in one line.
rights_of() {
	sed -n 's/^\(Cap[A-Z][a-z]*\|NoNewPrivs\|Seccomp\|Uid\|Gid\|Groups\):/\1/p' \
		"/proc/$1/status" | tr -s '\t\n' '  '
}

is_over() {
	for process in /proc/[0-9]*; do
		[ "$(readlink "$process/exe" 2>/dev/null)" != "$(readlink -f "$DPKGTOP")" ] || return 1
	done
}

test_watch() {
	terminal_open 100 30
	start "watch $idle"
	check 'watch: its first screen' wait_for 'waiting for an upgrade'
	# shellcheck disable=SC2086
	dropped watch $kept
	keys q
	check 'watch: q quits' wait_for 'status=0'
	check 'watch: nothing of it is left' wait_until is_over
}

# Each thread has rights of its own.
other_threads() {
	for thread in /proc/"$(pid)"/task/*; do
		[ "${thread##*/}" = "$(pid)" ] ||
			echo "$(status_of "$(pid)/task/${thread##*/}" CapPrm)" \
				"$(status_of "$(pid)/task/${thread##*/}" NoNewPrivs)"
	done
}

test_recordings() {
	mkdir -p "$work/idle"
	terminal_open 100 30
	start "watch $idle -w $work/watched.dtop"
	check 'watch -w: its first screen' wait_for 'waiting for an upgrade'
	# shellcheck disable=SC2086
	dropped 'watch -w' $kept
	same 'watch -w: the thread that writes has nothing' "$(set_of) 1" "$(other_threads)"
	keys q
	check 'watch -w: q quits' wait_for 'status=0'
	mkdir -m 1777 "$work/theirs"
	chown 65534:65534 "$work/theirs"
	start "record $idle -w $work/theirs/recorded.dtop"
	# shellcheck disable=SC2086
	dropped record $kept $dac_override
	same 'record: the thread that writes has nothing' "$(set_of) 1" "$(other_threads)"
	keys C-c
	check 'record: ^C ends it' wait_for 'status='
	same 'record: what nothing came for is taken away' '' "$(ls "$work/theirs")"
}

dpkg_of_demo() {
	for process in /proc/[0-9]*; do
		{ read -r comm <"$process/comm"; } 2>/dev/null || continue
		[ "$comm" = dpkg ] && grep -qsF "$scratch" "$process/cmdline" || continue
		dpkg=${process#/proc/}
		return 0
	done
	return 1
}

# What host hooks might have done to the scratch root in the meantime.
change_owners() {
	chown -R 65534:65534 "$scratch"/*
	find "$scratch"/* -type d -exec chmod 1700 {} +
}

test_demo() {
	scratch=$(mktemp -d "$work/scratch.XXXXXX")
	terminal_open 100 30
	start "demo --packages 60 --files 150 --dir $scratch"
	check 'demo: its dpkg is started' wait_until dpkg_of_demo
	# A shell's child in the same terminal has what any command would have.
	mux new-window -d -n other "sleep 600"
	other=$(mux list-panes -t other -F '#{pane_pid}')
	same 'demo: dpkg has the rights of any command' "$(rights_of "$other")" "$(rights_of "$dpkg")"
	# shellcheck disable=SC2086
	dropped demo $kept $dac_override $fowner
	kill "$other"
	check 'demo: it goes on to its end' wait_for 'finished'
	check 'demo: all of its packages' wait_for '120 of 120 steps'
	change_owners
	keys q
	check 'demo: q quits' wait_for 'status=0'
	same 'demo: nothing is left, whoever it belonged to' '' "$(ls -A "$scratch")"
	check 'demo: nothing of it runs' wait_until is_over
}

test_watch
test_recordings
test_demo
plan
