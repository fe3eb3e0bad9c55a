#!/bin/sh
# Real dpkgs in roots of their own, watched from outside: found, followed, attached to late, picked
# among several, and seen to fail.
. tests/e2e/lib.sh
. tests/live/lib.sh

command -v tmux >/dev/null || skip_all 'no tmux'

"$DPKGTOP" --snapshot text -t 0.5 | grep -q 'waiting for an upgrade' ||
	skip_all 'an upgrade runs on this machine, and would be watched instead'

one=$work/one
two=$work/two
make_root "$one" || skip_all 'no dpkg to copy'
make_root "$two"
trap 'umount "$two/mnt" 2>/dev/null; cleanup' EXIT

# A whole run, from before its start to its end.
test_found() {
	make_gate "$one" slow
	make_deb "$one" slow "$(gate slow); for i in 1 2 3 4 5 6 7 8; do dpkg --version >/dev/null; done"
	make_deb "$one" plain
	terminal_open 100 30
	start watch
	check 'found: it waits for one' wait_for 'waiting for an upgrade'
	in_root "$one" dpkg --force-unsafe-io -i slow.deb plain.deb
	check 'found: the script is reached' wait_until at_gate "$one" slow
	check 'found: its package' wait_for 'slow:all'
	check 'found: its phase' wait_for 'configur'
	check 'found: the command' wait_for 'dpkg --force-unsafe-io -i slow.deb'
	check 'found: the root' wait_for "$one"
	check 'found: the mode' wait_for 'unsafe-io'
	check 'found: how far' wait_for '2 of 4 steps'
	open_gate "$one" slow
	check 'found: dpkg ends' wait_until has_ended "$one"
	check 'found: so it says' wait_for 'finished in'
	check 'found: with its status' wait_for 'exit status 0'
	check 'found: all steps done' wait_for '4 of 4 steps'
	check 'found: the root can be let go of' lets_go "$(pid)" "$one"
	keys q
	check 'found: q quits' wait_for 'status=0'
}

# Whether no descriptor of the process lies in that root any more.
no_descriptor_in() {
	! readlink "/proc/$1/fd/"* | grep -F "$2"
}

lets_go() {
	wait_until no_descriptor_in "$1" "$2"
}

test_attached_late() {
	make_gate "$one" late
	make_deb "$one" late "$(gate late)"
	in_root "$one" dpkg -i late.deb
	check 'late: the script is reached' wait_until at_gate "$one" late
	terminal_open 100 30
	start watch
	check 'late: the package' wait_for 'late:all'
	check 'late: the phase' wait_for 'configure'
	check 'late: what was done before' wait_for '1 of 2 steps'
	check 'late: of unknown cause' wait_for 'unknown'
	open_gate "$one" late
	check 'late: the end' wait_for 'exit status 0'
}

test_fails() {
	make_gate "$one" bad
	make_deb "$one" bad "$(gate bad); exit 7"
	terminal_open 100 30
	start watch
	check 'fails: it waits' wait_for 'waiting for an upgrade'
	in_root "$one" dpkg -i bad.deb
	check 'fails: the script is reached' wait_until at_gate "$one" bad
	check 'fails: it is seen' wait_for 'bad:all'
	open_gate "$one" bad
	check 'fails: dpkg ends' wait_until has_ended "$one"
	check "fails: dpkg's own status" wait_for 'exit status 1'
	check 'fails: the package' wait_for 'bad'
	check 'fails: left as it is' wait_for 'half-configured'
	# The script's own status needs PIDFD_GET_INFO of Linux 6.15.
	if kernel_tells_status; then
		check "fails: the script's status" wait_for 'exit status 7'
	else
		skip "fails: the script's status" 'Linux before 6.15 does not tell it'
	fi
}

kernel_tells_status() {
	release=$(uname -r)
	major=${release%%.*}
	minor=${release#*.}
	minor=${minor%%[!0-9]*}
	[ "$major" -gt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -ge 15 ]; }
}

test_several() {
	for root in "$one" "$two"; do
		make_gate "$root" many
	done
	make_deb "$one" first "$(gate many)"
	make_deb "$two" second "$(gate many)"
	rm -f "$one/at-many" "$two/at-many"
	in_root "$one" dpkg -i first.deb
	check 'several: the first' wait_until at_gate "$one" many
	terminal_open 100 30
	start watch
	check 'several: it is watched' wait_for 'first:all'
	in_root "$two" dpkg -i second.deb
	check 'several: the second' wait_until at_gate "$two" many
	check 'several: the first is still watched' wait_for 'first:all'
	keys p
	check 'several: the list has the second' wait_for "$two"
	keys j Enter
	check 'several: picked' wait_for 'second:all'
	open_gate "$two" many
	check 'several: its end' wait_for 'exit status 0'
	keys p Enter
	check 'several: back to the first' wait_for 'first:all'
	open_gate "$one" many
	check 'several: and its end' wait_for 'exit status 0'
}

# The process whose command line begins so.
pid_of_command() {
	for process in /proc/[0-9]*; do
		case $(tr '\0' ' ' 2>/dev/null <"$process/cmdline") in
		"$1"*) echo "${process#/proc/}" ;;
		esac
	done
}

# A frontend that is killed leaves its dpkg at work; that is not the end.
test_orphan() {
	make_gate "$one" orphan
	make_deb "$one" orphan "$(gate orphan)"
	cp "$one/bin/sh" "$one/bin/apt-get"
	in_root "$one" /bin/apt-get -c 'dpkg -i orphan.deb; :'
	check 'orphan: the script is reached' wait_until at_gate "$one" orphan
	terminal_open 100 30
	start watch
	check 'orphan: it is watched' wait_for 'orphan:all'
	kill -KILL "$(pid_of_command '/bin/apt-get -c dpkg -i orphan.deb')"
	check 'orphan: the frontend is gone' wait_until has_ended "$one"
	check 'orphan: its dpkg is not said to have ended' still_shows 'orphan:all' 'finished'
	open_gate "$one" orphan
	# With what status only its new parent knows, once it has waited.
	check "orphan: the dpkg's end is" wait_for 'finished in'
}

# still_shows TEXT NOT: after the next full samples too.
still_shows() {
	sleep 2.5
	shows "$1" && shows_not "$2"
}

# dpkg asks what to do with a changed conffile.
test_question() {
	version=1 make_deb "$one" asks '' 'as shipped'
	in_root "$one" dpkg -i asks.deb
	wait_until has_ended "$one"
	echo 'as changed' >"$one/etc/asks.conf"
	version=2 make_deb "$one" asks '' 'as shipped anew'
	terminal_open 100 30
	start watch
	check 'question: it waits for an upgrade' wait_for 'waiting for an upgrade'
	mux new-window -d -n other "env PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot $one dpkg -i asks.deb"
	check 'question: it says that you are waited for' wait_for 'WAITING FOR YOU'
	mux send-keys -t other n Enter
	check 'question: and no longer' wait_gone 'WAITING FOR YOU'
	check 'question: the end' wait_for 'exit status 0'
}

# The log of a root that is not ours may be anything.
test_hostile_log() {
	make_gate "$one" hostile
	make_deb "$one" hostile "$(gate hostile)"
	in_root "$one" dpkg --log=/dev/null -i hostile.deb
	check 'hostile: the script is reached' wait_until at_gate "$one" hostile
	for kind in symlink fifo device sparse; do
		rm -f "$one/var/log/dpkg.log"
		case $kind in
		symlink) ln -s /etc/passwd "$one/var/log/dpkg.log" ;;
		fifo) mkfifo "$one/var/log/dpkg.log" ;;
		device) mknod "$one/var/log/dpkg.log" c 1 5 ;;
		sparse) truncate -s 10G "$one/var/log/dpkg.log" ;;
		esac
		rm -f "$one/var/log/apt/history.log"
		cp -a "$one/var/log/dpkg.log" "$one/var/log/apt/history.log" 2>/dev/null ||
			truncate -s 10G "$one/var/log/apt/history.log"
		terminal_open 100 30
		start watch
		check "hostile: $kind: the upgrade is seen" wait_for 'dpkg --log=/dev/null -i hostile.deb'
		case $kind in
		fifo | device) check "hostile: $kind: the log is told of" wait_for 'no regular file' ;;
		esac
		keys q
		check "hostile: $kind: it answers" wait_for 'status=0'
	done
	open_gate "$one" hostile
	check 'hostile: dpkg ends' wait_until has_ended "$one"
	rm -f "$one/var/log/dpkg.log"
}

# Many short dpkgs of one frontend, each beginning as soon as the one before has ended: none is
# taken to have left its package half-done.
test_one_after_the_other() {
	make_gate "$one" last
	cp "$one/bin/sh" "$one/bin/apt-get"
	script=
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		make_deb "$one" "chain-$i"
		script="$script dpkg --unpack chain-$i.deb; dpkg --configure chain-$i;"
	done
	make_deb "$one" last "$(gate last)"
	terminal_open 100 30
	start watch
	check 'chain: it waits' wait_for 'waiting for an upgrade'
	in_root "$one" /bin/apt-get -c "$script dpkg -i last.deb; :"
	check 'chain: the last is reached' wait_until at_gate "$one" last
	check 'chain: it is seen' wait_for 'last:all'
	check 'chain: all before it are done' wait_for '25 steps done'
	check 'chain: and none failed' shows_not 'failed'
	open_gate "$one" last
	check 'chain: the end' wait_for 'exit status 0'
	check 'chain: all of them' wait_for '26 steps done'
}

# A dpkg that ends before it is known well: it is seen or missed, but never thought to go on.
test_over_at_once() {
	terminal_open 100 30
	start watch
	check 'at once: it waits' wait_for 'waiting for an upgrade'
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		in_root "$one" dpkg --unpack nothing-there.deb
		wait_until has_ended "$one"
	done
	check 'at once: it is over or was missed' wait_until is_settled
}

is_settled() {
	shows 'finished in' || shows 'waiting for an upgrade'
}

# What dpkg --root is told to upgrade is what is looked at.
test_other_root() {
	mkdir -p "$two/mnt"
	mount -t tmpfs -o size=128m none "$two/mnt" 2>/dev/null || {
		skip 'root: its filesystem' 'a mount is not allowed here'
		return
	}
	make_root "$two/mnt"
	make_gate "$two/mnt" there
	make_deb "$one" there "$(gate there)"
	terminal_open 100 30
	start watch
	check 'root: it waits' wait_for 'waiting for an upgrade'
	env -u DPKG_FORCE dpkg --root="$two/mnt" --log=/dev/null -i "$one/there.deb" >/dev/null 2>&1 &
	check 'root: the script is reached' wait_until at_gate "$two/mnt" there
	check 'root: it is found' wait_for "$two/mnt"
	check 'root: its filesystem' wait_for 'tmpfs'
	open_gate "$two/mnt" there
	check 'root: its end' wait_for 'finished in'
	keys q
	check 'root: q quits' wait_for 'status=0'
	check 'root: it can be unmounted' wait_until umount "$two/mnt"
}

# unattended-upgrade announces each of its small steps by itself: none is the whole.
test_no_total() {
	make_gate "$one" small
	make_deb "$one" small "$(gate small)"
	cp "$one/bin/sh" "$one/bin/unattended-upgr"
	printf '\nStart-Date: 2026-01-01  00:00:00\nInstall: small:all (1)\n' \
		>"$one/var/log/apt/history.log"
	in_root "$one" /bin/unattended-upgr -c 'dpkg -i small.deb; :'
	check 'no total: the script is reached' wait_until at_gate "$one" small
	terminal_open 100 30
	start watch
	check 'no total: it is not known' wait_for 'how many there are is not known'
	open_gate "$one" small
	check 'no total: the end' wait_for 'finished in'
	rm "$one/var/log/apt/history.log"
}

# Root's eyes see what other users' processes do, though dpkgtop keeps little of root.
test_other_user() {
	with_libraries "$one" setpriv
	make_gate "$one" user
	make_deb "$one" user "touch /at-user
		setpriv --reuid 65534 --clear-groups sh -c 'read go </gate-user'"
	in_root "$one" dpkg -i user.deb
	check 'user: the script is reached' wait_until at_gate "$one" user
	terminal_open 100 40
	start watch
	check 'user: its process is seen' wait_for 'sh -c read go'
	check 'user: and what it has read and written' wait_until knows_bytes 'sh -c read go'
	open_gate "$one" user
	check 'user: the end' wait_for 'exit status 0'
}

knows_bytes() {
	screen | grep -F -e "$1" | grep -q '0 B .*0 B'
}

# A log that is rotated in mid-run to one that root would need its rights for.
test_rotated() {
	make_gate "$one" before
	make_gate "$one" after
	make_deb "$one" before "$(gate before)"
	make_deb "$one" after "$(gate after)"
	cp "$one/bin/sh" "$one/bin/apt-get"
	# Its stamps are whole seconds: what ended in the same one could be taken for a part of it.
	rm -f "$one/var/log/dpkg.log"
	in_root "$one" /bin/apt-get -c 'dpkg -i before.deb; dpkg -i after.deb; :'
	check 'rotated: the first is reached' wait_until at_gate "$one" before
	terminal_open 100 30
	start watch
	check 'rotated: it is seen' wait_for 'before:all'
	mv "$one/var/log/dpkg.log" "$one/var/log/dpkg.log.1"
	: >"$one/var/log/dpkg.log"
	chmod 600 "$one/var/log/dpkg.log"
	chown 65534:65534 "$one/var/log/dpkg.log" "$one/var/log"
	chmod 700 "$one/var/log"
	open_gate "$one" before
	check 'rotated: the second is reached' wait_until at_gate "$one" after
	check 'rotated: it is seen' wait_for 'after:all'
	check 'rotated: and the end of the first' wait_for '3 steps done'
	open_gate "$one" after
	check 'rotated: the end' wait_for 'exit status 0'
	check 'rotated: all of it' wait_for '4 steps done'
	# An upgrade whose log is not root's is never chosen by itself.
	chown -R 0:0 "$one/var/log"
	chmod 755 "$one/var/log"
}

test_found
test_other_user
test_rotated
test_no_total
test_over_at_once
test_other_root
test_one_after_the_other
test_attached_late
test_fails
test_several
test_orphan
test_question
test_hostile_log
wait
plan
