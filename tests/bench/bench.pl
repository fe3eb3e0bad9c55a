#!/usr/bin/perl
# What watching costs: dpkgtop beside htop and iotop-c, on this machine, in this run.
#
#   make bench                    some seventeen minutes
#   BENCH_SECONDS=3600            how long each is measured (20)
#   BENCH_TOOLS="dpkgtop htop"    which tools; "plain" is dpkgtop built without the probe
#   BENCH_CASES="upgrade-600"     which cases of waiting, upgrade, waiting-600, upgrade-600, starts,
#                                 slowdown, report
#   BENCH_PAIRS=100               of runs of dpkg with and without dpkgtop (30); a pair takes some
#                                 200 MiB of disk until the end
#   TMPDIR=/srv/tmp               where all is made, and what is measured is written (/var/tmp)
#
# Each tool runs alone in a tmux of its own, 120x40, on its default screen, and is left 4 s to
# settle. "waiting": nothing is upgraded. "upgrade": a real dpkg upgrades synthetic packages in a
# scratch root at the pace of a release upgrade (frontend.c). "-600": with idle processes added up
# to 600. The machine's own packages are not touched, and nothing is left behind.
#
#   CPU %    of one core: run time of its threads by the scheduler (/proc/PID/task/*/schedstat, ns)
#            and of its children that have ended (/proc/PID/stat)
#   ticks %  the same by user and system time in /proc/PID/stat, as top shows it
#   RSS      KiB, the highest of once a second, by /proc/PID/smaps_rollup: what /proc/PID/status
#            says is summed up per core and may be off by some hundred KiB
#   grown    RSS after the last second, less that after the first
#   reads/s  read system calls (syscr in /proc/PID/io)
#   tty B/s  bytes that arrive at the terminal: counted behind the pty (tmux pipe-pane), because
#            wchar in /proc/PID/io counts what is written elsewhere too
#   busy %   of all cores, whoever is at work; log/s: lines of dpkg.log. Did all see the same? A
#            span marked "<" was slower than a real upgrade and is measured again
#
# "slowdown": the same upgrade, and a dpkg alone that installs in fresh roots, writing safely as it
# does by default, whatever the machine is set to:
#
#   real packages   of the machine, made .debs again (repack.pl): contents, sizes and compression are
#                   Debian's. Without maintainer scripts, so it is denser than an upgrade is
#   flat out        synthetic packages of random small files, nothing to decompress, so that sync
#                   calls come as fast as they can. No upgrade looks like it: it is the upper bound
#                   of what the probe can cost, and told without a budget
#
# Of them is measured
#
#   share    of the wall time that the probe's BPF programs run, by the kernel's own account
#            (BPF_ENABLE_STATS), and dpkgtop itself
#   slower   real packages, once watched and once not, in pairs of changing order:
#            the median of how much longer the watched one takes. Its 95 % interval is that of the
#            sign test, between two of the pairs in order (the 10th and 21st of 30): it supposes
#            nothing of how the noise of a machine is distributed
#
# Ends with a line per budget, and status 1 if one is exceeded or could not be measured. Needs root
# (for dpkg and iotop-c), and perl-base alone.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Temp ();
use POSIX ();

my $seconds = $ENV{BENCH_SECONDS} // 20;
my $pairs = $ENV{BENCH_PAIRS} // 30;
my @names = split(' ', $ENV{BENCH_TOOLS} // 'dpkgtop plain htop iotop-c');
my @parts = split(' ', $ENV{BENCH_CASES} //
	'waiting upgrade waiting-600 upgrade-600 starts slowdown report');
my @cases = grep { !/^(?:starts|slowdown|report)$/ } @parts;
my %wanted = map { $_ => 1 } @parts;
my $settle = 4;
my $starts = 9; # of each tool, for the times to the first screen and back to the prompt
my $traced = 5; # seconds under strace
my $crowded = 600;
# Lines of dpkg.log a second, below which dpkgtop had less to do than in a real release upgrade (9.2
# from Debian 11 to 12): cheap figures, that say nothing. Such a span is shown and measured again,
# so often; whether it is does not depend on what it cost.
my ($pace, $attempts) = (9.2, 4);

# "Flat" is a growth below this: buffers may still find their size.
my %budget = (cpu => 1.0, rss => 16384, rss_plain => 8192, grown => 256, tty => 3000, syncs => 0,
	first => 50, back => 100, share => 0.5, slower => 1.0, report => 1.0, report_rss => 65536);

my $hertz = POSIX::sysconf(POSIX::_SC_CLK_TCK());
my ($main, %tools) = ($$);
our ($build, $title, $work); # of lib.pl
my $dpkgtop = abs_path($ENV{DPKGTOP} // 'dpkgtop');

$| = 1;
# die() passes on the last errno as the status (perlfunc): here every failure is 1.
$SIG{__DIE__} = sub { $! = 1 };
require './tests/bench/lib.pl';
require './tests/bench/repack.pl';
require './tests/bench/slowdown.pl';

# --- a tool in its terminal ---

sub mux {
	return ('tmux', '-L', 'bench', '-f', "$work/tmux.conf", @_);
}

sub screen {
	return capture(mux('capture-pane', '-p', '-t', 'bench'));
}

sub environment {
	my $path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

	return ('env', '-i', "PATH=$path", "HOME=$work/home", 'TERM=xterm-256color', 'LANG=C.UTF-8');
}

# Its pid: env(1) becomes what it is told to run.
sub open_terminal {
	my (@command) = @_;

	unlink("$work/sent");
	run(mux('new-session', '-d', '-s', 'bench', '-x', 120, '-y', 40, environment(), @command));
	run(mux('pipe-pane', '-t', 'bench', "exec cat >'$work/sent'"));
	chomp(my $pid = capture(mux('display-message', '-p', '-t', 'bench', '#{pane_pid}')));
	return $pid;
}

sub close_terminal {
	my ($pid) = @_;

	# Nothing to end if the tool has ended, and its terminal with it.
	capture(mux('kill-server')) if -e "/proc/$pid";
	wait_until(10, sub { !-e "/proc/$pid" }) or kill('KILL', $pid);
}

sub shows {
	my ($name, $upgrade) = @_;

	return 1 if !$tools{$name}{own};
	return index(screen(), $upgrade ? $title : 'waiting') >= 0;
}

sub rss {
	my ($pid) = @_;

	return $1 if slurp("/proc/$pid/smaps_rollup") =~ /^Rss:\s*(\d+)/m;
	return $1 if slurp("/proc/$pid/status") =~ /^VmRSS:\s*(\d+)/m;
	die "bench: a tool has ended\n";
}

# All that is counted, as it is now.
sub look {
	my ($pid) = @_;
	my $stat = slurp("/proc/$pid/stat");
	my ($running, $io) = (0, slurp("/proc/$pid/io"));

	$stat =~ s/^.*\) // or die "bench: a tool has ended\n";
	# proc(5): utime, stime, cutime and cstime are fields 14 to 17, the state being the third.
	my @ticks = (split(' ', $stat))[11 .. 14];
	$running += (split(' ', slurp($_)))[0] // 0 for glob("/proc/$pid/task/*/schedstat");
	my @all = (split(' ', slurp('/proc/stat')))[1 .. 8];
	my $all = 0;
	$all += $_ for @all;
	return {
		at => now(),
		cpu => $running / 1e9 + ($ticks[2] + $ticks[3]) / $hertz,
		ticks => ($ticks[0] + $ticks[1] + $ticks[2] + $ticks[3]) / $hertz,
		reads => $io =~ /^syscr: (\d+)/m ? $1 : die("bench: /proc/$pid/io can not be read\n"),
		tty => -s "$work/sent" // 0,
		log => log_lines(),
		all => $all,
		busy => $all - $all[3] - $all[4],
	};
}

sub measure {
	my ($name, $upgrade) = @_;
	my $pid = open_terminal(@{$tools{$name}{command}});
	my (@rss, %result);

	rest($settle);
	my $shown = shows($name, $upgrade);
	# Each is what its row says, or its figures are another's.
	$shown &&= $name eq 'dpkgtop' ? has_probe($pid) : !has_probe($pid) if $tools{$name}{own};
	my $first = look($pid);
	for my $second (1 .. $seconds) {
		my $left = $first->{at} + $second - now();
		rest($left) if $left > 0;
		push(@rss, rss($pid));
	}
	my $last = look($pid);
	$shown &&= shows($name, $upgrade);
	close_terminal($pid);
	my %span = map { $_ => $last->{$_} - $first->{$_} } keys %$first;
	$result{$_} = 100 * $span{$_} / $span{at} for qw(cpu ticks);
	$result{$_} = $span{$_} / $span{at} for qw(reads tty log);
	$result{busy} = 100 * $span{busy} / $span{all};
	$result{rss} = (sort { $b <=> $a } @rss)[0];
	$result{grown} = $rss[-1] - $rss[0];
	$result{wrong} = 1 if !$shown;
	return \%result;
}

# --- cases ---

my %results; # case => tool => figures

sub counts {
	my ($r) = @_;
	return $r && !$r->{wrong} && !$r->{slow};
}

sub ratios {
	my ($case, $peer) = @_;
	my ($own, $its) = map { $results{$case}{$_} } 'dpkgtop', $peer;
	my @parts = map { $its->{$_->[0]} > 0 ?
		sprintf('%s %.2f', $_->[1], $own->{$_->[0]} / $its->{$_->[0]}) : () }
		['cpu', 'CPU'], ['rss', 'RSS'], ['reads', 'reads'], ['tty', 'tty'];
	print "  dpkgtop / $peer: ", join(', ', @parts), "\n";
}

sub run_tool {
	my ($case, $name) = @_;
	my $upgrade = $case =~ /^upgrade/;

	for my $attempt (1 .. $attempts) {
		start_upgrade() if $upgrade;
		my $r = $results{$case}{$name} = measure($name, $upgrade);
		end_upgrade() if $upgrade;
		$r->{slow} = $upgrade && $r->{log} < $pace;
		printf("  %-8s %8.2f %8.2f %8d %7d %8.1f %8.0f %7.0f %6.1f%s\n", $name,
			@$r{qw(cpu ticks rss grown reads tty busy log)},
			$r->{wrong} ? ' !' : $r->{slow} ? ' <' : '');
		print "  ! $name is not what it should be: not counted\n" if $r->{wrong};
		last if !$r->{slow};
		print "  < slower than a real upgrade: not counted\n" if $attempt == $attempts;
	}
}

sub run_case {
	my ($case) = @_;
	my $upgrade = $case =~ /^upgrade/;

	set_crowd($case =~ /-600$/ ? $crowded : 0);
	printf("%s, %d processes\n", $upgrade ? 'upgrade on screen' : 'waiting', processes());
	# Without an upgrade to watch both are the same.
	run_tool($case, $_) for grep { $_ ne 'plain' || $case =~ /^upgrade/ } @names;
	return if !counts($results{$case}{dpkgtop});
	ratios($case, $_) for grep { $_ ne 'dpkgtop' && counts($results{$case}{$_}) } @names;
}

# Sync calls under strace, which sees the tool to its end; undef if that failed.
sub count_syncs {
	my ($name) = @_;
	my $calls = join(',', map { "?$_" } qw(fsync fdatasync sync_file_range sync_file_range2 syncfs
		sync msync));

	unlink("$work/trace");
	my $pid = open_terminal('strace', '-f', '-o', "$work/trace", '-e', "trace=$calls",
		@{$tools{$name}{command}});
	rest($traced);
	system(mux('send-keys', '-t', 'bench', 'q'));
	wait_until(10, sub { !-e "/proc/$pid" });
	close_terminal($pid);
	my $trace = slurp("$work/trace");
	if ($trace !~ /\+\+\+ exited with \d+ \+\+\+/) {
		print "  $name: strace did not see its end\n";
		return undef;
	}
	return scalar(() = $trace =~ /^\d+ +(?:f?sync|fdatasync|syncfs|sync_file_range2?|msync)\(/mg);
}

sub measure_starts {
	my ($name) = @_;
	my (@first, @back);

	for (1 .. $starts) {
		my $said = capture(environment(), "$build/terminal", $tools{$name}{word},
			@{$tools{$name}{command}});
		next if $said !~ /^([\d.]+) ([\d.]+)$/;
		push(@first, $1);
		push(@back, $2);
	}
	@$_ = sort { $a <=> $b } @$_ for \@first, \@back;
	return {first => \@first, back => \@back};
}

sub run_starts {
	set_crowd($crowded);
	start_upgrade();
	printf("\nupgrade on screen, %d processes%s\n", processes(),
		"        first screen, ms    back, ms         syncs");
	print ' ' x 40, "median  worst   median  worst   in $traced s\n";
	for my $name (grep { $_ ne 'plain' } @names) {
		my $r = $results{starts}{$name} = measure_starts($name);
		$r->{syncs} = count_syncs($name);
		printf("  %-36s %7s %6s %8s %6s %7s\n", $name, (map {
			@$_ ? map { sprintf('%.1f', $_) } $_->[@$_ / 2], $_->[-1] : ('-', '-')
		} @$r{qw(first back)}), $r->{syncs} // '-');
	}
	end_upgrade();
	set_crowd(0);
}

# --- the verdict ---

my $failed = 0;

sub judge {
	my ($what, $format, $value, $limit, $unit) = @_;

	if (!defined($value)) {
		print "$what: not measured\n";
		$failed = 1;
		return;
	}
	my $beyond = $value > $limit;
	printf("%s: $format%s, budget %s: %s\n", $what, $value, $unit && " $unit", $limit,
		$beyond ? 'BEYOND' : 'within');
	$failed = 1 if $beyond;
}

# The highest of a figure of a tool's in the cases named.
sub highest {
	my ($name, $key, @of) = @_;
	my @r = map { $results{$_}{$name} // () } @of;

	return undef if !@r || grep { !counts($_) } @r;
	return (sort { $b <=> $a } map { $_->{$key} } @r)[0];
}

sub judge_load {
	judge('CPU, 600 processes, upgrade on screen', '%.2f',
		highest('dpkgtop', 'cpu', 'upgrade-600'), $budget{cpu}, '% of a core')
		if $wanted{'upgrade-600'};
	judge('RSS, highest, with the probe', '%d', highest('dpkgtop', 'rss', @cases), $budget{rss},
		'KiB');
	judge('RSS, highest, built without it', '%d', highest('plain', 'rss', @cases),
		$budget{rss_plain}, 'KiB')
		if grep { $_ eq 'plain' } @names and grep { /^upgrade/ } @cases;
	judge("RSS, growth in $seconds s", '%d', highest('dpkgtop', 'grown', @cases), $budget{grown},
		'KiB');
	judge('To the terminal, most', '%.0f', highest('dpkgtop', 'tty', @cases), $budget{tty}, 'B/s');
}

sub judge_starts {
	my $s = $results{starts}{dpkgtop};

	judge('Own sync calls', '%d', $s->{syncs}, $budget{syncs}, '');
	judge('First screen, median', '%.1f', $s->{first}[@{$s->{first}} / 2], $budget{first}, 'ms');
	judge('Back at the prompt after q, median', '%.1f', $s->{back}[@{$s->{back}} / 2],
		$budget{back}, 'ms');
}

sub judge_slowdown {
	my $s = $results{slowdown};

	judge("BPF and own CPU, of an upgrade's wall time", '%.3f', $s->{upgrade}, $budget{share},
		'%');
	judge("BPF and own CPU, of dpkg's wall time, real packages", '%.3f', $s->{real},
		$budget{share}, '%');
	printf("BPF and own CPU, of dpkg's wall time, flat out: %.3f %%, the upper bound: no budget\n",
		$s->{flat});
	judge('dpkg takes longer, real packages, low end of the 95 % interval', '%.2f', $s->{slower},
		$budget{slower}, '%') if $pairs;
}

# `report` on a recording of half an hour and 1500 packages (recording.pl): seconds and KiB, the best
# of three, since others may be at work.
sub measure_report {
	my @best;

	run('sh', '-c', "$^X tests/bench/recording.pl >$work/long.jsonl");
	for (1 .. 3) {
		my ($seconds, $kib) = split(' ', capture('sh', '-c', "$build/cost $dpkgtop report " .
			"--format json $work/long.jsonl 2>&1 >/dev/null"));

		@best = ($seconds, $kib) if !@best || $seconds < $best[0];
	}
	unlink("$work/long.jsonl");
	return @best;
}

sub judge_report {
	my ($seconds, $kib) = measure_report();

	judge('Report on 30 minutes, 1500 packages', '%.2f', $seconds, $budget{report}, 's');
	judge('Report, its memory', '%d', $kib, $budget{report_rss}, 'KiB');
}

sub verdict {
	print "\n";
	judge_load() if @cases;
	judge_starts() if $wanted{starts};
	judge_slowdown() if $wanted{slowdown};
	judge_report() if $wanted{report};
}

# --- all of it ---

sub clean_up {
	local $SIG{$_} = 'IGN' for qw(INT TERM HUP PIPE);
	local $?;

	system("tmux -L bench kill-server 2>/dev/null");
	stop_upgrade();
	set_crowd(0);
	system('rm', '-rf', '--one-file-system', $work);
}

END {
	clean_up() if $work && $$ == $main;
}

sub prepare {
	die "bench: needs root\n" if $> != 0;
	$work = File::Temp::tempdir('dpkgtop-bench-XXXXXX', DIR => $ENV{TMPDIR} // '/var/tmp');
	$ENV{TMUX_TMPDIR} = $work;
	delete(@ENV{qw(TMUX DPKG_FORCE LD_PRELOAD)});
	$SIG{$_} = sub { exit(130) } for qw(INT TERM HUP);
	open(my $conf, '>', "$work/tmux.conf") or die "bench: $work: $!\n";
	print $conf "set -g status off\n";
	close($conf);
	run('mkdir', "$work/home");
	run($^X, 'tests/bench/root.pl', $work, $title);

	# A word of the last row each: terminal.c.
	my @at = (options_for("$work/root"), '--history', "$work/history.log");
	%tools = (
		dpkgtop => {word => 'quit', own => 1, command => [$dpkgtop, @at]},
		plain => {word => 'quit', own => 1, command => ["$build/dpkgtop-plain", @at]},
		htop => {word => 'Quit', command => ['htop']},
		# It has no row of keys; this tells that there are more processes than rows.
		'iotop-c' => {word => "\xe2\x96\xbc", command => ['iotop-c']},
	);
	$tools{$_} or die "bench: no tool $_\n" for @names;
	/^(?:waiting|upgrade)(?:-600)?$/ or die "bench: no case $_\n" for @cases;
	$pairs =~ /^\d+$/ or die "bench: BENCH_PAIRS is a number\n";
	prepare_slowdown($pairs) if $wanted{slowdown};
}

sub header {
	my ($load) = split(' ', slurp('/proc/loadavg'));
	my $cores = () = slurp('/proc/cpuinfo') =~ /^processor/mg;

	printf("%d s each after %d s, 120x40, Linux %s, %d cores, load %s\n\n", $seconds, $settle,
		(POSIX::uname())[2], $cores, $load);
	printf("  %-8s %8s %8s %8s %7s %8s %8s %7s %6s\n", '', 'CPU %', 'ticks %', 'RSS', 'grown',
		'reads/s', 'tty B/s', 'busy %', 'log/s');
}

prepare();
header();
run_case($_) for @cases;
run_starts() if $wanted{starts};
$results{slowdown} = measure_slowdown($dpkgtop, $seconds, $pairs) if $wanted{slowdown};
verdict();
exit($failed);
