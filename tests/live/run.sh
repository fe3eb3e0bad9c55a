#!/bin/sh
# Real dpkgs below `dpkgtop run`, in roots of their own: found whatever started them, told apart from
# others, recorded, and left alone when dpkgtop is killed.
. tests/e2e/lib.sh
. tests/live/lib.sh

one=$work/one
two=$work/two
make_root "$one" || skip_all 'no dpkg to copy'
make_root "$two"
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
unset DPKG_FORCE

says() {
	cat "$work/err"
	grep -q -e "$1" "$work/err"
}

test_chroot() {
	make_deb "$one" first 'dpkg --version >/dev/null; sleep 0.5'
	make_deb "$one" second
	run 0 'chroot: its status' run -w "$work/rec" -- \
		chroot "$one" dpkg --force-unsafe-io -i first.deb second.deb
	check 'chroot: its output' grep -q '^Setting up second' "$work/out"
	check 'chroot: what was done' says '^2 unpacked, 2 configured, 0 triggers, 0 removed in 1 run of'
	check 'chroot: the mode' says 'unsafe-io'
	check 'chroot: the script took time' says '^configure '
	check 'chroot: so did the sync' says '^trailing '
	run 0 'chroot: recorded' replay --snapshot text "$work/rec"
	check 'chroot: to its end' grep -q 'exit status 0' "$work/out"
	check 'chroot: all of it' grep -q '4 of 4 steps' "$work/out"
}

# The second is known by a log that was followed before it began.
test_script() {
	run 0 'script: its status' run --no-sync -- sh -c \
		"chroot '$one' dpkg --force-unsafe-io -i first.deb
		sleep 0.5
		chroot '$one' dpkg --force-unsafe-io -r second; true"
	check 'script: both dpkgs' says '^1 unpacked, 1 configured, 0 triggers, 1 removed in 2 runs of'
	check 'script: what was between' says '^between '
}

# Many are gone before they are looked at: they stay in the root of the one before, and no frame is
# older than the one before it.
test_brief() {
	# shellcheck disable=SC2016
	run 0 'brief: its status' run --no-sync -w "$work/brief" -- chroot "$one" sh -c '
		n=0
		while [ $((n += 1)) -le 30 ]; do
			dpkg --force-unsafe-io -i first.deb
			dpkg --force-unsafe-io --configure -a
		done'
	check 'brief: each is counted' says ' in 60 runs of'
	run 0 'brief: what was recorded can be read' report "$work/brief"
	check 'brief: they stay in their root' test \
		"$(zstd -dcq "$work/brief" | grep -c '"event":"software"')" -le 2
}

test_wrapped() {
	run 0 'wrapped: its status' run --no-sync -- nice env -i "PATH=$PATH" \
		chroot "$one" dpkg --force-unsafe-io -i second.deb
	check 'wrapped: found' says '^1 unpacked, 1 configured, 0 triggers, 0 removed in 1 run of'
}

test_root_and_log() {
	mkdir -p "$work/three/var/lib/dpkg/info" "$work/three/var/lib/dpkg/updates"
	: >"$work/three/var/lib/dpkg/status"
	: >"$work/three/var/lib/dpkg/available"
	run 0 '--root: its status' run --no-sync -- dpkg "--root=$work/three" --force-unsafe-io \
		"--log=$work/three.log" --no-triggers --unpack "$one/second.deb"
	check '--root: found by the log that it names' says '^1 unpacked, 0 configured, .* in 1 run of'
}

test_fails() {
	make_deb "$one" bad 'exit 7'
	run 1 "fails: dpkg's own status" run --no-sync -- chroot "$one" dpkg --force-unsafe-io -i bad.deb
	check 'fails: told' says '^exit status 1 after'
	check 'fails: with the package' says '^failed: bad'
}

# One that is none of the command's, at work all the time.
test_stranger() {
	make_gate "$two" wait
	make_deb "$two" wait "$(gate wait)"
	in_root "$two" dpkg --force-unsafe-io -i wait.deb
	check 'stranger: is at work' wait_until at_gate "$two" wait
	run 0 'stranger: a command without dpkg' run --no-sync -- sleep 0.5
	check 'stranger: has none' says '^0 unpacked, 0 configured, .* in 0 runs of'
	run 0 'stranger: a command with one' run --no-sync -- \
		chroot "$one" dpkg --force-unsafe-io -i first.deb
	check 'stranger: has its own only' says '^1 unpacked, 1 configured, .* in 1 run of'
	open_gate "$two" wait
	check 'stranger: ends' wait_until has_ended "$two"
}

is_installed() {
	grep -A1 "^Package: $1$" "$one/var/lib/dpkg/status" | grep -q 'install ok installed'
}

test_killed() {
	make_gate "$one" killed
	make_deb "$one" killed "$(gate killed)"
	"$DPKGTOP" run -w "$work/killed.rec" -- chroot "$one" dpkg --force-unsafe-io -i killed.deb \
		>/dev/null 2>&1 &
	us=$!
	check 'killed: dpkg is at work' wait_until at_gate "$one" killed
	kill -KILL $us
	wait $us 2>/dev/null
	same 'killed: by that signal' 137 $?
	open_gate "$one" killed
	check 'killed: dpkg goes on to its end' wait_until is_installed killed
	run 0 'killed: what was recorded is there' replay --snapshot text "$work/killed.rec"
	check 'killed: and says that it ends so' says .
}

test_chroot
test_script
test_brief
test_wrapped
test_root_and_log
test_fails
test_stranger
test_killed
plan
