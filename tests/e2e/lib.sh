# lib.sh - a terminal that a test can type into and look at; TAP. To be sourced.
#
# The terminal is a tmux of the test's own: own socket, own configuration, no status line, so that
# the program has the whole size asked for. An interactive shell runs in it, in $work. Nothing
# waits for a fixed time: each wait_… looks again until its deadline.
#
#   $DPKGTOP   the program under test
#   $work      a directory of the test's own, removed at the end

: "${DPKGTOP:=$(pwd)/dpkgtop}"
export DPKGTOP LC_ALL=C.UTF-8
unset TMUX NO_COLOR ENV

work=$(mktemp -d) || exit 1
export TMUX_TMPDIR="$work"
socket=none
terminals=0
# Options for a watch that finds nothing, whatever else runs on this machine.
idle="--admindir $work/idle"
deadline_s=30
number=0
failures=0

# --- TAP ---

ok() {
	number=$((number + 1))
	echo "ok $number - $1"
}

not_ok() {
	number=$((number + 1))
	failures=$((failures + 1))
	echo "not ok $number - $1"
}

skip() {
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# check NAME COMMAND…: one test, passed if the command succeeds.
check() {
	name=$1
	shift
	if "$@" >"$work/said"; then
		ok "$name"
	else
		not_ok "$name"
		sed 's/^/# /' "$work/said"
	fi
}

# same NAME EXPECTED ACTUAL
same() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1"
		echo "# expected: $2"
		echo "# is:       $3"
	fi
}

# The plan comes last, when it is known.
plan() {
	echo "1..$number"
	[ "$failures" -eq 0 ]
}

# --- waiting ---

# wait_until COMMAND…: until it succeeds.
wait_until() {
	until_s=$(($(date +%s) + deadline_s))
	while ! "$@"; do
		[ "$(date +%s)" -lt "$until_s" ] || return 1
		sleep 0.1
	done
}

shows() {
	screen | grep -qF -e "$1"
}

# There is a screen, and the text is not on it.
shows_not() {
	screen >"$work/now" && ! grep -qF -e "$1" "$work/now"
}

# The word is in the last row: what was drawn for another size is not there.
last_row_shows() {
	screen | tail -n 1 | grep -qF -e "$1"
}

# wait_for TEXT: until it is on the screen; tells what was there instead.
wait_for() {
	wait_until shows "$1" || dump "waited for: $1"
}

wait_last_row() {
	wait_until last_row_shows "$1" || dump "waited for in the last row: $1"
}

wait_gone() {
	wait_until shows_not "$1" || dump "waited for its end: $1"
}

dump() {
	echo "# $1"
	screen | sed 's/^/# |/'
	return 1
}

# --- the terminal ---

mux() {
	tmux -L "$socket" -f "$work/tmux.conf" "$@"
}

# terminal_open COLUMNS ROWS: a fresh one; any before it is gone. Its socket is a new one too: a
# server just told to end may still answer on the old.
terminal_open() {
	terminal_close
	terminals=$((terminals + 1))
	socket=dpkgtop-test-$$-$terminals
	cat >"$work/tmux.conf" <<-EOF
		set -g default-terminal tmux-256color
		set -g status off
		set -s escape-time 0
	EOF
	# Job control's notices and $? are the shell's; one without a line editor sets no modes.
	mux new-session -d -s test -x "$1" -y "$2" -c "$work" \
		"exec env PS1='prompt> ' sh -i" && wait_for 'prompt>' && return
	echo 'Bail out! tmux gives no terminal'
	exit 1
}

# Ends also a program that should have ended by itself.
terminal_close() {
	[ "$terminals" -eq 0 ] || mux kill-server 2>/dev/null
	[ ! -s "$work/pid" ] || [ "$(readlink "/proc/$(pid)/exe")" != "$(readlink -f "$DPKGTOP")" ] ||
		kill -KILL "$(pid)"
	rm -f "$work/pid"
}

resize() {
	mux resize-window -t test -x "$1" -y "$2"
}

keys() {
	mux send-keys -t test "$@"
}

# Types a line.
type_line() {
	mux send-keys -t test -l "$1" && keys Enter
}

screen() {
	mux capture-pane -p -t test 2>/dev/null
}

# With escape sequences for colours and attributes.
screen_with_colours() {
	mux capture-pane -e -p -t test
}

# asks FORMAT: tmux(1), FORMATS.
asks() {
	mux display-message -p -t test "$1"
}

# --- the program in it ---

cat >"$work/start" <<'EOF'
# Leaves the pid that the program is going to have.
ulimit -c 0
echo $$ >pid.new && mv pid.new pid
exec "$DPKGTOP" "$@"
EOF

# start ARGUMENTS [ENVIRONMENT]: runs the program; its end is told as "status=N", a text that the
# line typed does not hold.
start() {
	rm -f "$work/pid"
	type_line "${2:-} sh start $1; echo status''=\$?"
	wait_until test -s "$work/pid"
}

pid() {
	cat "$work/pid"
}

# gone PID: ended; a zombie has ended too.
gone() {
	state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null)
	[ -z "$state" ] || [ "$state" = Z ]
}

alive() {
	! gone "$1"
}

# run STATUS-WANTED NAME ARGUMENTS…: without a terminal; output in $work/out and $work/err.
run() {
	wanted=$1
	what=$2
	shift 2
	env -u TERM timeout 120 "$DPKGTOP" "$@" </dev/null >"$work/out" 2>"$work/err"
	same "$what" "$wanted" "$?"
}

# FILE holds one line that is not empty.
one_line() {
	cat "$1"
	[ "$(wc -l <"$1")" -eq 1 ] && [ "$(wc -c <"$1")" -gt 1 ]
}

empty() {
	cat "$1"
	[ ! -s "$1" ]
}

cleanup() {
	terminal_close
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP
