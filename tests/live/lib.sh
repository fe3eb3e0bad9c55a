# lib.sh - a root directory of the test's own with a real dpkg in it, and packages for it. To be
# sourced after tests/e2e/lib.sh.
#
# The root holds copies of this machine's dpkg and of what it calls, so it needs no network and
# takes a second. Scripts stop at gates: a test looks at what it wants to see while nothing moves,
# and lets them go on when it has seen it.

[ "$(id -u)" = 0 ] || skip_all 'a dpkg in a root of its own: needs root'

# with_libraries ROOT PROGRAM…: copies each, by its own path, and the libraries it is linked with.
with_libraries() {
	root=$1
	shift
	for program; do
		program=$(command -v "$program") || return 1
		for file in "$program" $(ldd "$program" 2>/dev/null | grep -o '/[^ )]*'); do
			[ -e "$root$file" ] && continue
			mkdir -p "$root$(dirname "$file")"
			cp -L "$file" "$root$file"
		done
	done
}

# make_root DIR
make_root() {
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	mkdir -p "$1/var/lib/dpkg/info" "$1/var/lib/dpkg/updates" "$1/var/log" "$1/tmp" \
		"$1/etc/dpkg" "$1/dev" "$1/bin" "$1/var/log/apt"
	: >"$1/var/lib/dpkg/status"
	: >"$1/var/lib/dpkg/available"
	echo 'log /var/log/dpkg.log' >"$1/etc/dpkg/dpkg.cfg"
	with_libraries "$1" sh dpkg dpkg-deb dpkg-split dpkg-query tar gzip rm cat mkdir touch sleep \
		diff ldconfig start-stop-daemon
	[ -e "$1/bin/sh" ] || cp -L /bin/sh "$1/bin/sh"
}

# make_deb ROOT NAME [POSTINST] [CONFFILE-TEXT]: ROOT/NAME.deb; POSTINST is what its script does.
make_deb() {
	tree=$work/tree
	rm -rf "$tree"
	mkdir -p "$tree/DEBIAN" "$tree/opt"
	echo "of $2" >"$tree/opt/$2"
	cat >"$tree/DEBIAN/control" <<-EOF
		Package: $2
		Version: ${version:-1}
		Architecture: all
		Maintainer: nobody <nobody@example.invalid>
		Description: for a test
	EOF
	[ -z "${3:-}" ] || {
		printf '#!/bin/sh\nset -e\n%s\n' "$3" >"$tree/DEBIAN/postinst"
		chmod 755 "$tree/DEBIAN/postinst"
	}
	[ -z "${4:-}" ] || {
		mkdir "$tree/etc"
		echo "$4" >"$tree/etc/$2.conf"
		echo "/etc/$2.conf" >"$tree/DEBIAN/conffiles"
	}
	dpkg-deb --root-owner-group -Zgzip -z1 --build "$tree" "$1/$2.deb" >/dev/null
}

# gate NAME: what a script does to wait there until the test opens it.
gate() {
	echo "touch /at-$1; read go </gate-$1"
}

make_gate() {
	mkfifo "$1/gate-$2"
}

at_gate() {
	[ -e "$1/at-$2" ]
}

open_gate() {
	echo go >"$1/gate-$2"
}

# in_root ROOT COMMAND…: in the background; its status is in ROOT/status when it has ended.
in_root() {
	root=$1
	shift
	rm -f "$root/status"
	(
		env -u DPKG_FORCE PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C chroot "$root" "$@" \
			>"$root/output" 2>&1 </dev/null
		echo $? >"$root/ended"
		mv "$root/ended" "$root/status"
	) &
}

has_ended() {
	[ -e "$1/status" ]
}
