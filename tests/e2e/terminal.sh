#!/bin/sh
# The live screen in a real terminal: it comes, follows the size, and gives the terminal back as
# it was, whatever ends it.
. tests/e2e/lib.sh

command -v tmux >/dev/null || skip_all 'no tmux'

# A terminal with something on it, and its settings noted.
open_marked() {
	terminal_open 80 24
	type_line 'echo was here before; stty -a >before; echo noted'
	wait_for 'noted'
}

settings() {
	sed 's/rows [0-9]*; columns [0-9]*;//' "$work/$1" 2>&1
}

# The shell has its terminal back: main screen with what was on it, visible cursor, no mouse, no
# keypad mode, and the settings of before.
check_clean() {
	check "$1: the shell's screen is back" wait_for 'was here before'
	same "$1: main screen, cursor visible, no mouse, no keypad mode" '0 1 0 0 0' \
		"$(asks '#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_flag} #{keypad_cursor_flag}')"
	type_line 'stty -a >after; echo compare'
	wait_until test -s "$work/after"
	wait_for 'compare' >/dev/null
	same "$1: settings as before" "$(settings before)" "$(settings after)"
	rm -f "$work/after"
}

start_watch() {
	start "watch $idle" "${1:-}"
	wait_for 'waiting'
}

test_sizes() {
	open_marked
	check 'watch waits, and says so' start_watch
	check 'the last row tells the keys' wait_last_row 'quit'
	same 'it has the alternate screen, the cursor hidden, cursor keys as curses knows them' '1 0 1' \
		"$(asks '#{alternate_on} #{cursor_flag} #{keypad_cursor_flag}')"
	for size in 60x15 120x40 40x10 20x3 80x24; do
		resize "${size%x*}" "${size#*x}"
		case $size in
		40x10)
			check "$size: still waiting" wait_for 'waiting'
			;;
		20x3)
			check "$size: lives" alive "$(pid)"
			;;
		*)
			check "$size: keys in the last row" wait_last_row 'quit'
			check "$size: still waiting" wait_for 'waiting'
			;;
		esac
	done
	keys '?'
	check '? opens the help' wait_for 'F10'
	keys '?'
	check '? closes it again' wait_gone 'F10'
	keys 'C-l'
	check '^L draws anew' wait_last_row 'quit'
	keys 'q'
	check 'q quits with status 0' wait_for 'status=0'
	check_clean 'after q'
}

# output TCOOFF, TCOON: what is written to the terminal stops, and goes on.
output() {
	perl -MPOSIX -MFcntl -e '
		sysopen(my $tty, $ARGV[0], O_RDWR | O_NOCTTY) or die "$ARGV[0]: $!\n";
		tcflow(fileno($tty), POSIX->can($ARGV[1])->()) or die "tcflow: $!\n";
	' "$(asks '#{pane_tty}')" "$1"
}

# Grown again to its old size before anything could be shown: what the small one has cut off must be
# told again. That both sizes are seen can not be waited for; were they not, nothing would be cut.
test_stopped_output() {
	open_marked
	start_watch
	check 'at 80 columns the demo is named' wait_for 'dpkgtop demo'
	output TCOOFF
	resize 40 24
	sleep 0.5
	resize 80 24
	sleep 0.5
	output TCOON
	keys 'C-l'
	check 'narrow and wide while the output was stopped: all of it is there' wait_for 'dpkgtop demo'
	keys 'q'
	check_clean 'after stopped output'
}

test_signal() {
	open_marked
	# The sanitizer's own handler would take the place of what is tested.
	start_watch "ASAN_OPTIONS=handle_segv=0 UBSAN_OPTIONS=handle_segv=0" || return
	kill "-$1" "$(pid)"
	check "SIG$1: status $2" wait_for "status=$2"
	check_clean "after SIG$1"
}

test_control_c() {
	open_marked
	start_watch
	keys 'C-c'
	check '^C quits with status 0' wait_for 'status=0'
	check_clean 'after ^C'
}

test_suspend() {
	open_marked
	start_watch
	keys 'C-z'
	check '^Z: the shell says stopped' wait_for 'Stopped'
	check_clean 'while stopped'
	type_line 'fg; echo again=$?'
	check 'fg: the screen is back' wait_for 'waiting'
	check 'fg: with its keys' wait_last_row 'quit'
	same 'fg: on the alternate screen, the cursor hidden' '1 0' \
		"$(asks '#{alternate_on} #{cursor_flag}')"
	keys 'q'
	check 'fg: q quits with status 0' wait_for 'again=0'
	check_clean 'after fg and q'
}

# SGR that sets a colour: 30–38, 40–48, 90–97, 100–107 (ECMA-48, and aixterm's bright ones).
coloured() {
	screen_with_colours | LC_ALL=C grep -E \
		"$(printf '\033')\[([0-9;:]*[;:])?(3[0-8]|4[0-8]|9[0-7]|10[0-7])([;:][0-9;:]*)?m"
}

not_coloured() {
	! coloured
}

test_colours() {
	open_marked
	start_watch
	check 'colours are sent' wait_until coloured
	open_marked
	start_watch 'NO_COLOR=1'
	check 'NO_COLOR=1: none is' not_coloured
	keys '?'
	wait_for 'F10' >/dev/null
	check 'NO_COLOR=1: none in the help' not_coloured
	keys 'q'
}

pipe_has() {
	grep -qF "$1" "$work/sent"
}

test_ascii() {
	terminal_open 100 30
	mux pipe-pane -t test "exec cat >$work/sent"
	check 'LC_ALL=C: it comes' start_watch 'LC_ALL=C'
	keys '?'
	wait_for 'F10' >/dev/null
	keys '?'
	wait_gone 'F10' >/dev/null
	keys 'q'
	wait_until pipe_has 'status=0'
	check 'LC_ALL=C: and ends' wait_for 'status=0'
	same 'LC_ALL=C: every byte sent is ASCII' 0 "$(LC_ALL=C tr -d '\000-\177' <"$work/sent" | wc -c)"
}

test_vanish() {
	open_marked
	start_watch
	program=$(pid)
	mux kill-server
	deadline_s=5
	check 'the terminal vanishes: it ends' wait_until gone "$program"
	# The same when nothing but the lost terminal tells it.
	deadline_s=30
	open_marked
	type_line "trap '' HUP"
	start_watch
	program=$(pid)
	mux kill-server
	deadline_s=5
	check 'the terminal vanishes, SIGHUP ignored: it ends' wait_until gone "$program"
	deadline_s=30
}

test_no_terminal() {
	terminal_open 80 24
	start "watch $idle 2>err" 'TERM=nonsense'
	check 'an unknown TERM is a usage error' wait_for 'status=2'
	check 'and told in one line' one_line "$work/err"
	terminal_open 80 24
	type_line "{ sh start watch $idle 2>err; echo \"status=\$?\" >&2; } | cat"
	check 'output that is no terminal is a failure' wait_for 'status=1'
	check 'and told in one line as well' one_line "$work/err"
	terminal_open 80 24
	type_line "sh start watch $idle 2>err </dev/null; echo status=\$?"
	check 'input that is no terminal is one too' wait_for 'status=1'
	check 'and told so' one_line "$work/err"
}

test_sizes
test_stopped_output
test_control_c
test_signal TERM 143
test_signal INT 0
test_signal HUP 129
test_signal SEGV 139
test_signal ABRT 134
test_suspend
test_colours
test_ascii
test_vanish
test_no_terminal
plan
