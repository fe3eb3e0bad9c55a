#!/bin/sh
# Known upgrades: real dpkgs whose scripts do one thing each, for about two seconds, and measure it
# by themselves. What dpkgtop says of it, watching from outside, must be that: each cell of the
# ledger within 3 % or 60 ms.
#
# The scripts' own measure is the truth, so a slow machine is no fault: what a script was kept
# waiting is part of it. Nothing but the deed takes time: the root is in memory, where syncs and
# reading cost nothing. Time in the configure phase is what is looked at: a first script waits at a
# gate till the upgrade is watched, and what was before that is of unknown cause.

# The mounts are in a namespace of the test's own, and are gone with it.
if [ -z "${KNOWN_APART:-}" ]; then
	if unshare --mount --propagation private true 2>/dev/null; then
		KNOWN_APART=1 exec unshare --mount --propagation private sh "$0"
	fi
	echo '1..0 # SKIP no mount namespace: needs root'
	exit 0
fi

. tests/e2e/lib.sh
. tests/live/lib.sh

known=$BUILD/tests/known
root=$work/root
slow=
watcher=
seconds=1

"$DPKGTOP" --snapshot text -t 0.5 | grep -q 'waiting for an upgrade' ||
	skip_all 'an upgrade runs on this machine, and would be watched instead'

mkdir "$root" && mount -t tmpfs known "$root" || skip_all 'no mount of tmpfs'
make_root "$root" || skip_all 'no dpkg to copy'
cp "$BUILD/tests/deed" "$root/bin/deed"
cp "$root/bin/sh" "$root/bin/apt-get"
with_libraries "$root" "$root/bin/deed" head || skip_all 'no libraries to copy'
mkdir "$root/slow"
mknod -m 666 "$root/dev/null" c 1 3
make_gate "$root" start

end_slow() {
	[ -z "$slow" ] || kill -KILL "$slow"
	slow=
	umount -l "$root/slow" 2>/dev/null
}

trap 'end_slow; [ -z "$watcher" ] || kill "$watcher" 2>/dev/null; umount -l "$root"; cleanup' EXIT

# slow_file READ_MS FSYNC_MS
slow_file() {
	end_slow
	"$known" slow "$root/slow" "$1" "$2" >"$work/slow" 2>&1 &
	slow=$!
	wait_until grep -q ready "$work/slow"
}

over() {
	grep -qx over "$work/ledger"
}

# upgrade NAME SCRIPT: installs a package with that script, watched. The script knows dpkg as $DPKG. In $work: ledger and ran, what
# was said; truth, what was.
upgrade() {
	rm -f "$root/truth" "$root/asks" "$root/at-start" "$work/ledger"
	make_deb "$root" "$1" "export DPKG=\$PPID; deed run all sh -ec '$2'"
	printf '#!/bin/sh\n%s\n' "$(gate start)" >"$tree/DEBIAN/preinst"
	chmod 755 "$tree/DEBIAN/preinst"
	dpkg-deb --root-owner-group -Zgzip -z1 --build "$tree" "$root/$1.deb" >/dev/null
	"$known" watch "$work/ledger" "$seconds" &
	watcher=$!
	if [ "$1" = by-dpkg-alone ]; then
		set -- "$1" dpkg --force-unsafe-io -i "/$1.deb"
	else
		set -- "$1" apt-get -c "dpkg --force-unsafe-io -i /$1.deb; exit \$?"
	fi
	shift
	"$known" person "$root" 2000 "$@" >"$work/ran" 2>&1 &
	wait_until at_gate "$root" start && wait_until grep -q watching "$work/ledger" &&
		open_gate "$root" start && wait_until over && wait "$watcher" || return 1
	watcher=
	wait_until grep -q ' 0$' "$work/ran"
	cp "$root/truth" "$work/truth"
}

# What was, by cause: lines CAUSE NS. Two at work beside each other have but one clock: of their CPU
# time what fits counts. What the deeds do not explain of their script's time is "other".
truth() {
	awk '$1 == "all" { rest = $2; cpu = $3 }
		$1 == "disk" || $1 == "input" { t[$1] += $2 }
		$1 == "sync" { t["other_sync"] += $2 }
		END {
			for (c in t)
				rest -= t[c]
			t["cpu"] = cpu < rest ? cpu : rest
			t["other"] = rest - t["cpu"]
			for (c in t)
				printf "%s %.0f\n", c, t[c]
		}' "$work/truth"
}

# Each cell of the configure phase against the truth, 0 where that has none; prints all of them.
cells_are_right() {
	truth >"$work/was"
	awk 'FNR == NR { was[$1] = $2; next }
		$1 == "cell" && $2 == "configure" {
			d = $4 - was[$3]
			d = d < 0 ? -d : d
			limit = 0.03 * was[$3]
			wrong = d > (limit > 60e6 ? limit : 60e6)
			bad += wrong
			if (wrong || $4 > 1e6 || was[$3])
				printf "%s %s: %.0f ms, is said to be %.0f ms (%s)\n",
					wrong ? "wrong" : "right", $3, was[$3] / 1e6, $4 / 1e6, $5
		}
		END { exit bad > 0 || !FNR }' "$work/was" "$work/ledger"
}

# Phases sum to the wall time, which is that of the command; no cell is negative.
sums_are_right() {
	tail -n 1 "$work/ran" | cat - "$work/ledger" | awk '
		FNR == 1 { ran = $1 }
		$1 == "elapsed" { elapsed = $2 }
		$1 == "wall" { walls += $3 }
		$1 == "cell" { cells += $4; if ($4 < 0) bad = 1 }
		END {
			printf "ran %.3f s, elapsed %.3f, phases %.6f, cells %.6f\n",
				ran / 1e9, elapsed / 1e9, walls / 1e9, cells / 1e9
			d = ran - elapsed
			d = d < 0 ? -d : d
			exit bad || elapsed != walls || elapsed != cells || d > 60e6 + 0.03 * ran
		}'
}

# Whether what that cause takes is counted on this machine, and not estimated or seen now and then.
is_counted() {
	awk -v cause="$1" '$1 == "cell" && $3 == cause && $5 == "exact" { n++ } END { exit !n }' \
		"$work/ledger"
}

# known NAME SCRIPT [CAUSE]: with a cause that can be told right only where it is counted.
known() {
	if ! upgrade "$1" "$2"; then
		not_ok "$1: runs"
		sed 's/^/# /' "$work/ran"
		return
	fi
	if cells_are_right >"$work/cells"; then
		ok "$1: each cell"
	elif [ -n "${3:-}" ] && ! is_counted "$3"; then
		skip "$1: each cell" "$3 is not counted here"
	else
		not_ok "$1: each cell"
	fi
	sed 's/^/# /' "$work/cells"
	check "$1: sums" sums_are_right
}

known sleep 'sleep 2'
# Who may be gone at its end before it is looked at.
known by-dpkg-alone 'sleep 1' cpu
known burn 'deed burn 2000'
known question ': >/asks; deed run input head -n 1'
# It is none while the child computes, and nothing but the child's end makes it one.
seconds=5
known question-after-a-child 'deed ask 1000'
seconds=1
known stopped '(sleep 1; kill -CONT $DPKG; sleep 1; kill -CONT $$) & kill -STOP $DPKG $$; wait'
slow_file 500 0
known long-reads 'deed read /slow/file 4' disk
slow_file 10 0
known short-reads 'deed read /slow/file 200' disk
slow_file 10 0
known reads-with-pauses 'deed read /slow/file 200 10' disk
slow_file 0 20
known syncs 'deed fsync /slow/file 100' other_sync
# Beside a sync CPU time is none of the clock's: so little that it ends before the syncs do.
known syncs-beside-cpu 'deed fsync /slow/file 100 & deed burn 400; wait' other_sync
plan
