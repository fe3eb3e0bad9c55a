# slowdown.pl - what being watched costs a dpkg. To be required by bench.pl, after lib.pl and
# repack.pl.
use strict;
use warnings;

our ($build, $title, $work); # of lib.pl

my ($packages, $each) = (30, 100); # of root.pl's, and their files
my $shared = 5;                    # runs for the shares
my $runs = 0;
my (%real, %flat);                 # what dpkg installs: its debs, their regular files

# A root of its own for each run. None is removed before the end: ext4 looks long for an inode that
# was not just set free, and the next run would pay for that.
sub fresh_root {
	my $root = "$work/slow/" . ++$runs;
	my $db = "$root/var/lib/dpkg";

	run('mkdir', '-p', "$root/var/log", "$db/info", "$db/updates", "$db/triggers");
	for my $name (qw(status available)) {
		open(my $f, '>', "$db/$name") or die "bench: $db/$name: $!\n";
	}
	return $root;
}

# As many as a probe has: the enter and exit of six calls.
sub has_probe {
	my ($pid) = @_;
	my $events = grep { (readlink($_) // '') eq 'anon_inode:[perf_event]' } glob("/proc/$pid/fd/*");

	return $events == 12;
}

sub options_for {
	my ($root) = @_;
	return ('--admindir', "$root/var/lib/dpkg", '--log', "$root/var/log/dpkg.log");
}

# dpkgtop in a terminal, at work when this returns.
sub open_watcher {
	my ($dpkgtop, $root) = @_;
	my $pid = open_terminal($dpkgtop, options_for($root));

	wait_until(10, sub { has_probe($pid) }) or die "bench: dpkgtop has no probe here\n";
	return $pid;
}

# It saw that dpkg end, and counted what it waited for: two calls for each file, but for those before
# it found it.
sub close_watcher {
	my ($pid, $load) = @_;
	my $count = 0;

	wait_until(10, sub { screen() =~ /finished in/ });
	my $shown = screen();
	$count = $1 =~ tr/,//dr if $shown =~ /package files +([\d,]+)/;
	die "bench: dpkgtop did not see that dpkg:\n$shown"
		if $shown !~ /finished in/ || $count < 1.5 * $load->{files};
	close_terminal($pid);
}

# Runs a command: wall time, and with "-b" time in BPF programs (both ns) and their runs.
sub timed {
	my $said = capture('sh', '-c', 'exec "$@" 2>>"$0"', "$work/slow.log", "$build/timed", @_);
	my @figures = $? == 0 ? $said =~ /^(\d+) (\d+) (\d+)$/ : ();

	@figures or die "bench: $_[-1] failed:\n", slurp("$work/slow.log");
	return @figures;
}

# Nothing else is under way: what was written before is on the disk, and who was ended before is
# gone.
sub settle {
	run('sync');
	rest(1);
}

# Safe is what dpkg is by default; a machine may be set up otherwise.
sub timed_dpkg {
	my ($load, $root, @options) = @_;

	local $ENV{BENCH_QUICK} = 1;
	return timed(@options, 'dpkg', "--root=$root", "--log=$root/var/log/dpkg.log",
		'--no-force-unsafe-io', '--no-debsig', '--force-script-chrootless', '-i', @{$load->{debs}});
}

sub watched_dpkg {
	my ($dpkgtop, $load) = @_;
	my $root = fresh_root();
	my $pid = open_watcher($dpkgtop, $root);

	settle();
	my ($wall) = timed_dpkg($load, $root);
	close_watcher($pid, $load);
	return $wall;
}

sub plain_dpkg {
	my ($load) = @_;
	my $root = fresh_root();

	settle();
	my ($wall) = timed_dpkg($load, $root);
	return $wall;
}

# An interval for the median of values in order that holds for any distribution: between two of them,
# the count of values below the median being binomial. At least 95 %; undef for fewer than 6 values.
sub median_interval {
	my @v = @_;
	my ($below, $term) = (0, 0.5 ** @v);

	for my $k (0 .. @v / 2) {
		$below += $term;
		return $k ? ($v[$k - 1], $v[-$k]) : () if $below > 0.025;
		$term *= (@v - $k) / ($k + 1);
	}
	return ();
}

sub median {
	my @v = @_;
	return @v % 2 ? $v[@v / 2] : ($v[@v / 2 - 1] + $v[@v / 2]) / 2;
}

# Percent that a watched run takes longer: median, and the interval's ends.
sub measure_pairs {
	my ($dpkgtop, $load, $pairs) = @_;
	my (@slower, @plain);

	for my $pair (1 .. $pairs) {
		my ($with, $without);
		# Whoever comes second finds the machine another: each does as often.
		$with = watched_dpkg($dpkgtop, $load) if $pair % 2;
		$without = plain_dpkg($load);
		$with //= watched_dpkg($dpkgtop, $load);
		push(@slower, 100 * ($with / $without - 1));
		push(@plain, $without / 1e9);
	}
	@$_ = sort { $a <=> $b } @$_ for \@slower, \@plain;
	my ($low, $high) = median_interval(@slower);
	printf("  real packages, %d pairs, unwatched %.2f s (%.2f to %.2f)\n", $pairs, median(@plain),
		@plain[0, -1]);
	printf("  watched takes longer by %.2f %%, 95 %% interval %s\n", median(@slower),
		defined($low) ? sprintf('%.2f to %.2f %%', $low, $high) : 'of too few pairs');
	return $low;
}

# Percent of the wall time of what `what` runs that dpkgtop, pid, and its BPF programs run. Adds to
# the sums.
sub add_share {
	my ($sum, $pid, $what) = @_;
	my $before = look($pid)->{cpu};
	my ($wall, $bpf, $called) = $what->();
	my $after = look($pid)->{cpu};

	$sum->{cpu} += 1e9 * ($after - $before);
	$sum->{wall} += $wall;
	$sum->{bpf} += $bpf;
	$sum->{runs} += $called;
}

sub tell_share {
	my ($what, $sum) = @_;
	my ($bpf, $cpu) = map { 100 * $sum->{$_} / $sum->{wall} } qw(bpf cpu);

	printf("  %-23s BPF %.3f %% of wall (%d a second, %d ns each), dpkgtop %.3f %%\n", $what, $bpf,
		1e9 * $sum->{runs} / $sum->{wall}, $sum->{bpf} / ($sum->{runs} || 1), $cpu);
	return $bpf + $cpu;
}

# A dpkg that waits for nobody: no scripts, no questions.
sub share_of_install {
	my ($dpkgtop, $load) = @_;
	my %sum;

	for (1 .. $shared) {
		my $root = fresh_root();
		my $pid = open_watcher($dpkgtop, $root);
		settle();
		add_share(\%sum, $pid, sub { timed_dpkg($load, $root, '-b') });
		close_watcher($pid, $load);
	}
	return tell_share("$load->{name}, $shared runs:", \%sum);
}

# dpkg at the pace of a release upgrade.
sub share_of_upgrade {
	my ($dpkgtop, $seconds) = @_;
	my %sum;

	start_upgrade();
	my $pid = open_watcher($dpkgtop, "$work/root");
	rest(4);
	add_share(\%sum, $pid, sub { timed('-b', 'sleep', $seconds) });
	close_terminal($pid);
	end_upgrade();
	return tell_share("$seconds s of an upgrade:", \%sum);
}

# Each run leaves its files until the end: better to say at once that there is no room.
sub demand_room {
	my ($pairs, $bytes) = @_;
	my $needed = ($shared + 2 * $pairs) * $bytes / 2 ** 20;
	my $free = (split(' ', (split(/\n/, ask('df', '-Pk', $work)))[1]))[3] / 2 ** 10;

	die sprintf("bench: %s: %d MiB needed, %d free: see TMPDIR, BENCH_PAIRS\n", $work, $needed,
		$free) if $needed > $free;
}

# What is to be installed. After root.pl, which makes the packages that are installed flat out.
sub prepare_slowdown {
	my ($pairs) = @_;
	my $made = repack();

	# In blocks, and with dpkg's lists.
	demand_room($pairs, 1.2 * $made->{bytes});
	%real = (%$made, name => 'real packages', debs => [sort(glob("$work/real/*.deb"))]);
	%flat = (name => 'flat out', debs => [(sort(glob("$work/debs/*.deb")))[0 .. $packages - 1]],
		files => $each * $packages);
}

sub measure_slowdown {
	my ($dpkgtop, $seconds, $pairs) = @_;
	my %result;

	printf("\nslowdown: safe-io; real packages: %d, %d files, %.0f MiB%s; flat out: %d, %d files\n",
		$real{packages}, $real{files}, $real{bytes} / 2 ** 20,
		join('', map { ", no $_" } @{$real{lacking}}), $packages, $flat{files});
	$result{upgrade} = share_of_upgrade($dpkgtop, $seconds);
	$result{real} = share_of_install($dpkgtop, \%real);
	$result{flat} = share_of_install($dpkgtop, \%flat);
	$result{slower} = measure_pairs($dpkgtop, \%real, $pairs) if $pairs > 0;
	return \%result;
}

1;
