#!/bin/sh
# floors.sh - does the source keep to its floors, and to what each floor may touch?
#
# Reads src/ and include/, and the objects below $BUILD (default: build) as they were built. What
# offends is listed as comments below the test that found it; so is a tool that fails.
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
sources=$(find src include/dpkgtop -name '*.[ch]' | LC_ALL=C sort)
number=0
failed=0

# One test: its name, and what it found wrong.
result() {
	number=$((number + 1))
	if [ -z "$2" ]; then
		echo "ok $number - $1"
	else
		failed=1
		echo "not ok $number - $1"
		echo "$2" | sed 's/^/# /'
	fi
}

# Every file includes only its own floor and lower ones. A public header belongs to the folder that
# has a .c of its name. Headers are judged too, since what they include is included: those that
# some source file reaches.
includes() {
	# shellcheck disable=SC2086
	awk '
	BEGIN {
		n = split("base frame model source record session stage screen report command main",
			order, " ")
		for (i = 1; i <= n; i++)
			rank[order[i]] = i
		# These draw or write what the model knows, wherever it came from.
		apart["screen"] = apart["report"] = 1

		# Headers without a .c of their own, or whose name stands in two folders.
		folder["bucket.h"] = "base"
		folder["sync.h"] = "frame"
		folder["compare.h"] = "model"
		folder["packages.h"] = "model"
		folder["pressure.h"] = "model"
		folder["record.h"] = "record"
		folder["recording.h"] = "record"
		folder["report.h"] = "report"
		folder["source.h"] = "source"
		folder["session.h"] = "session"
		folder["stage.h"] = "stage"
		folder["span.h"] = "base"
		folder["bucket.h"] = "base"
		folder["sync.h"] = "frame"
		folder["text.h"] = "base"
		folder["view.h"] = "screen"
		for (header in folder)
			listed[header] = 1
	}
	FNR == 1 {
		exists[FILENAME] = 1
		n = split(FILENAME, part, "/")
		if (part[1] == "src" && n > 3)
			print FILENAME ": lies deeper than a folder"
		if (part[1] == "src") {
			floor[FILENAME] = n == 2 ? "main" : part[2]
			if (n == 3 && !(part[2] in rank))
				print FILENAME ": the folder is no floor"
		}
		if (part[1] == "src" && n == 3 && FILENAME ~ /\.c$/) {
			header = part[3]
			sub(/\.c$/, ".h", header)
			if (!(header in listed)) {
				if (header in folder)
					twice[header] = 1
				folder[header] = part[2]
			}
		}
	}
	/^[ \t]*#[ \t]*include/ {
		line = $0
		sub(/^[ \t]*#[ \t]*include[ \t]*/, "", line)
		if (line ~ /^<[^>]*>/ && line !~ /^<dpkgtop\//)
			next
		if (line !~ /^["<][^">]*[">]/) {
			print FILENAME ":" FNR ": can not be judged: " $0
			next
		}
		sub(/^["<]/, "", line)
		sub(/[">].*/, "", line)
		count++
		from[count] = FILENAME
		at[count] = FILENAME ":" FNR
		name[count] = line
	}
	function judge(i, own, header, other) {
		own = floor[from[i]]
		if (name[i] !~ /^dpkgtop\//) {
			if (name[i] !~ /^[A-Za-z0-9_]+\.h$/ || from[i] !~ /^src\// ||
			    !(("src/" own "/" name[i]) in exists))
				print at[i] ": no private header of src/" own ": " name[i]
			return
		}
		header = substr(name[i], 9)
		if (!(("include/" name[i]) in exists)) {
			print at[i] ": there is no include/" name[i]
			return
		}
		if (!(header in folder) || header in twice) {
			print at[i] ": which folder has " name[i] "?"
			return
		}
		other = folder[header]
		if (rank[other] > rank[own] ||
		    (own in apart && other != own && rank[other] > rank["model"]))
			print at[i] ": " own " must not know " other " (" name[i] ")"
		if (!(("include/" name[i]) in floor)) {
			floor["include/" name[i]] = other
			again = 1
		}
	}
	END {
		do {
			again = 0
			for (i = 1; i <= count; i++)
				if (from[i] in floor && !(i in judged)) {
					judged[i] = 1
					judge(i)
				}
		} while (again)
		if (!count)
			print "no include found at all"
	}' $sources
}

# What base, frame and model may take from libc: memory, text, numbers, and nothing that asks the
# machine. A list of what is allowed, because nobody can list what is not.
pure='
malloc calloc realloc reallocarray free abort qsort qsort_r bsearch
memchr memcmp bcmp memcpy mempcpy memmem memmove memrchr memset rawmemchr
stpcpy stpncpy strcasecmp strncasecmp strcasestr strcat strncat strchr strchrnul strcmp strncmp
strcpy strncpy strcspn strdup strndup strlen strnlen strpbrk strrchr strsep strspn strstr strtok_r
strverscmp strerrorname_np strerrordesc_np
snprintf vsnprintf sscanf
strtod strtol strtoll strtoul strtoull strtoimax strtoumax
isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit
tolower toupper __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __errno_location
ceil exp exp2 fabs floor fmax fmin fmod llrint llround log log10 log2 lrint lround nearbyint pow
rint round sqrt trunc
mbrlen mbrtowc mbsinit mbsrtowcs wcrtomb wcswidth wcwidth iswalnum iswcntrl iswprint iswspace
__stack_chk_fail _GLOBAL_OFFSET_TABLE_ __tls_get_addr
'

imports() {
	objects=
	for source in src/base/*.c src/frame/*.c src/model/*.c; do
		[ -e "$source" ] || continue
		object=$build/${source#src/}
		object=${object%.c}.o
		if [ -e "$object" ]; then
			objects="$objects $object"
		else
			echo "$object is not built"
		fi
	done
	if [ -z "$objects" ]; then
		echo "no objects in $build"
		return
	fi
	# shellcheck disable=SC2086
	{
		nm -A -P -g --defined-only $objects || echo "nm failed"
		nm -A -P -u $objects || echo "nm failed"
	} | awk -v pure="$pure" '
	BEGIN {
		n = split(pure, words, /[ \n]+/)
		for (i = 1; i <= n; i++)
			known[words[i]] = 1
	}
	$0 == "nm failed" { print; next }
	$3 != "U" && $3 != "w" && $3 != "v" { known[$2] = 1; next }
	{
		object[++count] = $1
		name[count] = $2
	}
	END {
		for (i = 1; i <= count; i++) {
			plain = name[i]
			# The fortified name, and the one by the C standard in force.
			if (plain ~ /^__.*_chk$/) {
				sub(/^__/, "", plain)
				sub(/_chk$/, "", plain)
			}
			sub(/^__isoc[0-9][0-9]_/, "", plain)
			if (plain in known || name[i] in known)
				continue
			if (name[i] ~ /^__(asan|ubsan|sanitizer)_/)
				continue
			# 64-bit arithmetic in libgcc, where the machine has none.
			if (name[i] ~ /^__(aeabi_|u?(div|mod|divmod|mul|mulo)[dt]i[34]$)/ ||
			    name[i] ~ /^__(float|floatun|fix|fixuns)[dst][fi][dst][fi]$/ ||
			    name[i] ~ /^__(popcount|clz|ctz|ffs|ashl|ashr|lshr|bswap)[dst]i[234]$/)
				continue
			print object[i] " " name[i] " is not on the list of what is pure"
		}
	}'
}

curses() {
	# shellcheck disable=SC2086
	# terminfo.c belongs to term.c: it alone has <term.h>, whose macros clash with other names.
	grep -nE '^[ 	]*#[ 	]*include[ 	]*[<](ncursesw?/)?(n?curses|panel|menu|form|term)\.h[>]' \
		$sources | grep -vE '^src/screen/term(info)?\.c:'
}

# The code without comments and the insides of literals: FILE:LINE:CODE.
code() {
	# shellcheck disable=SC2086
	awk '
	function strip(line, out, token) {
		out = ""
		while (line != "") {
			if (comment) {
				if (!match(line, /\*\//))
					return out
				line = substr(line, RSTART + 2)
				comment = 0
				out = out " "
				continue
			}
			if (!match(line, /\/\*|\/\/|["\047]/))
				return out line
			token = substr(line, RSTART, RLENGTH)
			out = out substr(line, 1, RSTART - 1)
			line = substr(line, RSTART + RLENGTH)
			if (token == "//")
				return out
			if (token == "/*") {
				comment = 1
				continue
			}
			if (token == "\"")
				match(line, /^([^"\\]|\\.)*"/)
			else
				match(line, /^([^\047\\]|\\.)*\047/)
			if (RLENGTH > 0)
				line = substr(line, RLENGTH + 1)
			out = out token token
		}
		return out
	}
	FNR == 1 { comment = 0 }
	{ print FILENAME ":" FNR ":" strip($0) }' $sources
}

# The terminal needs the streams it draws on.
prints() {
	code | grep -vE '^(src/(command/|main\.c:|screen/term\.c:))' |
		grep -E '(^|[^A-Za-z0-9_])((v?printf|puts|putchar|perror|psignal)[ 	]*\(|stdout|stderr)([^A-Za-z0-9_]|$)'
}

# Functions begin and end with a brace in the first column: clang-format sees to it.
long() {
	# shellcheck disable=SC2086
	wc -l $sources | awk '$2 != "total" && $1 > 500 { print $2 ": " $1 " lines" }'
	code | awk '
	{
		file = $0
		sub(/:.*/, "", file)
		line = $0
		sub(/^[^:]*:[0-9]*:/, "", line)
		if (line ~ /^[A-Za-z_].*\(/) {
			name = line
			sub(/\(.*/, "", name)
			sub(/.*[^A-Za-z0-9_]/, "", name)
		}
		lines++
		if (line ~ /^\{/)
			lines = 1
		else if (line ~ /^\}/ && lines > 80)
			print file ": " name "() has " lines " lines"
		if (line ~ /^\}/)
			lines = -1000000
	}'
}

echo 1..5
result "each file includes only its own floor and lower ones" "$(includes 2>&1)"
result "base, frame and model import nothing that asks the machine" "$(imports 2>&1)"
result "only the terminal knows curses" "$(curses 2>&1)"
result "only commands print" "$(prints 2>&1)"
result "no file above 500 lines, no function above 80" "$(long 2>&1)"
exit $failed
