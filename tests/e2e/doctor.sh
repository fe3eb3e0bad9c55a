#!/bin/sh
# doctor: each source tried, in surroundings where it works and where it does not.
. tests/e2e/lib.sh

# The leak detector of a sanitized build needs a /proc of its own.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
export TERM=xterm

says() {
	cat "$work/out"
	grep -qF -e "$1" "$work/out"
}

# examine NAME COMMAND…: runs it with "doctor", as text and as JSON.
examine() {
	where=$1
	shift
	timeout 120 "$@" doctor </dev/null >"$work/out" 2>"$work/err"
	same "$where: status 0" 0 "$?"
	check "$where: nothing on standard error" empty "$work/err"
	check "$where: at most 80 columns" test "$(wc -L <"$work/out")" -le 80
	timeout 120 "$@" doctor --format json </dev/null >"$work/json" 2>"$work/err"
	same "$where: JSON: status 0" 0 "$?"
	same "$where: JSON: an array" '[ ]' "$(sed -n '1p;$p' "$work/json" | paste -sd ' ')"
	same "$where: JSON: as many as in the text" "$(grep -c '^[^ ]' "$work/out")" \
		"$(grep -c '"source":' "$work/json")"
}

# field SOURCE NAME: of the JSON.
field() {
	awk -v source="$1" -v name="$2" '
	/^    "source": / { here = index($0, "\"" source "\"") > 0 }
	here && index($0, "    \"" name "\": ") == 1 {
		sub(/^ *"[a-z]*": /, "")
		sub(/,$/, "")
		gsub(/^"|"$/, "")
		print
	}' "$work/json"
}

# finds SOURCE STATE [ENABLE]
finds() {
	same "$where: $1: $2" "$2" "$(field "$1" state)"
	[ -z "${3:-}" ] || same "$where: $1: what enables it" "$3" "$(field "$1" enable)"
}

sources='upgrade packages mode process disk device space memory pressure sync life BTF lockdown
	tracefs'

test_usage() {
	run 0 'help: status 0' doctor --help
	check 'help: its option' says '--format'
	run 0 'the list of commands' --help
	check 'the list of commands has it' says doctor
	for arguments in '--format nonsense' '--format' surplus '--nonsense'; do
		# shellcheck disable=SC2086
		run 2 "a usage error: $arguments" doctor $arguments
		check "told: $arguments" test -s "$work/err"
	done
	"$DPKGTOP" doctor >/dev/full 2>"$work/err"
	same 'a full disk: status 1' 1 "$?"
	check 'a full disk: told in one line' one_line "$work/err"
}

test_here() {
	before=$(cut -d ' ' -f 2- /proc/self/mountinfo | sort)
	examine here "$DPKGTOP"
	for source in $sources; do
		check "here: $source is listed" test -n "$(field "$source" state)"
		[ "$(field "$source" state)" = works ] || continue
		same "here: $source works: nothing is lost" null "$(field "$source" loss)"
		same "here: $source works: in one line" 1 "$(awk -v source="$source" '
			/^[^ ]/ { here = index($0, source " ") == 1 }
			here { lines++ }
			END { print lines }' "$work/out")"
	done
	finds disk works
	finds memory works
	same 'here: no mount is left' "$before" "$(cut -d ' ' -f 2- /proc/self/mountinfo | sort)"
}

# What may be had here is had: else it would be told to go and get it.
test_root() {
	examine root "$DPKGTOP"
	finds upgrade works
	finds mode works
	finds process works
	case $(field dpkgtop why) in *'built without'*)
		finds sync 'does not' 'make deps && make'
		return
		;;
	esac
	[ -e /sys/kernel/btf/vmlinux ] || {
		skip 'root: sync, life' 'this kernel has no BTF'
		return
	}
	[ "$(field sync why)" != 'BPF is not permitted here, as in many containers' ] || {
		skip 'root: sync, life' 'BPF is not permitted here, as in many containers'
		return
	}
	finds sync works
	finds life works
	finds tracefs works
}

# What is short is said, and not blamed on the kernel or on rights.
test_shortages() {
	[ "$(field sync state)" = works ] || {
		skip 'shortages' 'no probe here'
		return
	}
	for limit in 24 48 64 72 80; do
		# shellcheck disable=SC2016
		examine "$limit descriptors" sh -c 'ulimit -n "$0"; exec "$DPKGTOP" "$@"' "$limit"
		finds sync 'does not' 'ulimit -n 1024'
		finds life 'does not' 'ulimit -n 1024'
		check "$limit descriptors: said so" says 'descriptors'
		same "$limit descriptors: nothing else lacks any" '' \
			"$(grep 'Too many open files' "$work/json")"
	done
	# All of it or nothing: where the limit is met half attached, it would count a part.
	for limit in 82 84 86 88 90 91 92 93 94 95 96 98; do
		(ulimit -n $limit && exec "$DPKGTOP" doctor --format json) >"$work/json" </dev/null
		echo "$(field sync state), $(field life state), $(field sync enable)"
	done | sort -u >"$work/said"
	same 'descriptors: all of the probe or nothing' \
		'does not, does not, ulimit -n 1024 works, works, null' "$(paste -sd ' ' "$work/said")"
	case $(ldd "$DPKGTOP") in *libasan*)
		skip 'little memory' 'the sanitizers need much'
		return
		;;
	esac
	told=
	for limit in 10000 12000 13000 14000 15000 16000 17000 18000 20000; do
		(ulimit -v $limit && exec "$DPKGTOP" doctor --format json) >"$work/json" \
			2>"$work/err" </dev/null || continue
		[ "$(field sync state)" = works ] || told="$told$(field sync why);"
	done
	check 'little memory: the probe does not work with it' test -n "$told"
	same 'little memory: nothing else is said' '' "$(printf %s "$told" | tr ';' '\n' |
		grep -vxF 'it takes more memory than is allowed (ulimit -v)')"
}

# Rights that nothing here needs are no loss.
test_less_rights() {
	for right in bpf perfmon dac_read_search; do
		setpriv --bounding-set=-$right true 2>/dev/null || {
			skip "without $right" 'setpriv does not know it'
			continue
		}
		examine "without $right" setpriv --bounding-set=-$right "$DPKGTOP"
		check "without $right: it is told" says "root without $right"
		needs=$(grep -c '"enable": "sudo dpkgtop' "$work/json")
		if [ "$(field privileges state)" = partly ]; then
			check "without $right: what lacks it is said" test "$needs" -ge 2
		else
			same "without $right: nothing lacks it" 0 "$needs"
			same "without $right: nothing is lost" null "$(field privileges loss)"
		fi
	done
	examine 'without sys_ptrace' setpriv --bounding-set=-sys_ptrace "$DPKGTOP"
	finds privileges partly
	finds upgrade partly
}

nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

test_nobody() {
	cp "$DPKGTOP" "$work/dpkgtop"
	chmod 755 "$work" "$work/dpkgtop"
	cd / || exit 1
	examine nobody setpriv --reuid 65534 --regid 65534 --clear-groups "$work/dpkgtop"
	finds privileges partly 'sudo dpkgtop'
	finds upgrade partly 'sudo dpkgtop'
	finds process partly 'sudo dpkgtop'
	finds mode partly 'sudo dpkgtop'
	finds disk works
	finds memory works
	case $(field dpkgtop why) in *'built with BPF'*) finds sync 'does not' 'sudo dpkgtop' ;; esac

	if nobody unshare -U true 2>/dev/null; then
		examine 'user namespace' setpriv --reuid 65534 --regid 65534 --clear-groups \
			unshare -U "$work/dpkgtop"
		finds process partly
		finds sync 'does not'
		finds disk works
		examine 'root of a user namespace' setpriv --reuid 65534 --regid 65534 \
			--clear-groups unshare -Ur "$work/dpkgtop"
		finds privileges partly
		finds upgrade partly
		finds sync 'does not'
	else
		skip 'user namespace' 'not allowed here'
	fi
	cd "$top" || exit 1
}

# A root of its own with dpkgtop in it and nothing else.
test_chroot() {
	root=$work/root
	mkdir -p "$root"
	cp "$DPKGTOP" "$root/dpkgtop"
	for file in $(ldd "$DPKGTOP" | grep -o '/[^ )]*'); do
		mkdir -p "$root$(dirname "$file")"
		cp -L "$file" "$root$file"
	done
	case $(ldd "$DPKGTOP") in *libasan*)
		skip 'chroot' 'the sanitizers need a /proc'
		return
		;;
	esac
	for kind in 'no /proc' 'an empty /proc'; do
		examine "$kind" chroot "$root" /dpkgtop
		finds /proc 'does not' 'mount -t proc proc /proc'
		finds process 'does not' 'mount -t proc proc /proc'
		finds disk 'does not' 'mount -t proc proc /proc'
		finds memory 'does not' 'mount -t proc proc /proc'
		finds sync 'does not'
		finds terminal 'does not'
		mkdir -p "$root/proc" "$root/sys"
	done
}

# in_namespace COMMAND…: with mounts of its own, gone when it ends.
in_namespace() {
	unshare -m --propagation private sh -c "$@"
}

test_namespaces() {
	if unshare -p --fork true 2>/dev/null; then
		examine 'pid namespace' unshare -p --fork "$DPKGTOP"
		finds /proc partly 'mount -t proc proc /proc'
		finds sync 'does not'
		finds disk works
	else
		skip 'pid namespace' 'not allowed here'
	fi
	in_namespace 'mount -t proc -o hidepid=2 proc /proc' 2>/dev/null || {
		skip 'hidden processes, lockdown' 'a mount is not allowed here'
		return
	}
	cat >"$work/hidden" <<-'END'
		mount -t proc -o hidepid=2 proc /proc
		cd /
		exec setpriv --reuid 65534 --regid 65534 --clear-groups "${0%/*}/dpkgtop" "$@"
	END
	examine 'hidden processes' unshare -m --propagation private sh "$work/hidden"
	finds process partly 'sudo dpkgtop'
	finds upgrade partly 'sudo dpkgtop'
	finds mode partly 'sudo dpkgtop'
	check 'hidden processes: said so' says hidepid
	same 'hidden processes: of the mode too' "$(field process why)" "$(field mode why)"
	# shellcheck disable=SC2016
	examine 'no /sys' unshare -m --propagation private sh -c \
		'umount -l /sys && exec "$DPKGTOP" "$@"' sh
	finds BTF 'does not' 'mount -t sysfs sysfs /sys'
	case $(field dpkgtop why) in *'built with BPF'*)
		finds sync 'does not' 'mount -t sysfs sysfs /sys'
		same 'no /sys: of the probe too' 'there is no /sys here' "$(field sync why)"
		;;
	esac
	[ -d /sys/kernel/security ] || {
		skip 'lockdown' 'no /sys/kernel/security here'
		return
	}
	cat >"$work/locked" <<-'END'
		mount -t tmpfs none /sys/kernel/security
		echo 'none integrity [confidentiality]' >/sys/kernel/security/lockdown
		exec "$DPKGTOP" "$@"
	END
	examine lockdown unshare -m --propagation private sh "$work/locked"
	finds lockdown 'does not' "lockdown=integrity on the kernel's command line"
}

test_without_bpf() {
	command -v make >/dev/null && command -v cc >/dev/null || {
		skip 'without BPF' 'no make or no cc'
		return
	}
	env -u SAN make -s WITH_BPF=0 CFLAGS=-O0 BUILD="$work/build" PROGRAM="$work/without" \
		>"$work/made" 2>&1 || {
		not_ok 'without BPF: it is built'
		sed 's/^/# /' "$work/made"
		return
	}
	examine 'without BPF' "$work/without"
	check 'without BPF: said so' says 'built without BPF'
	finds sync 'does not' 'make deps && make'
	finds life 'does not' 'make deps && make'
	finds disk works
	mkdir -p "$work/idle"
	# shellcheck disable=SC2086
	"$work/without" $idle --snapshot text --size 100x30 -t 1 >"$work/out" 2>"$work/err"
	check 'without BPF: the screen says so' says '~ flushes only: built without BPF'
}

top=$(pwd)
test_usage
test_here
if [ "$(id -u)" = 0 ]; then
	test_root
	test_shortages
	test_less_rights
	test_nobody
	test_chroot
	test_namespaces
else
	skip 'as root, as nobody, in a chroot, in namespaces' 'needs root'
fi
test_without_bpf
plan
