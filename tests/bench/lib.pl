# lib.pl - what bench.pl sets up around the tools: an upgrade, idle processes. To be required.
use strict;
use warnings;
use Cwd qw(abs_path);
use POSIX ();

our $build = abs_path($ENV{BUILD} // 'build') . '/bench';
our $title = 'apt-get dist-upgrade'; # what frontend.c is called
our $work;                           # the directory of all that is made, removed at the end
my ($frontend, $crowd);

# --- helpers ---

# Empty when it can not be read: who asks looks for what it needs.
sub slurp {
	my ($path) = @_;
	local $/;
	open(my $f, '<', $path) or return '';
	return scalar(<$f>) // '';
}

sub run {
	system(@_) == 0 or die "bench: $_[0] failed\n";
}

sub capture {
	local $/;
	open(my $out, '-|', @_) or die "bench: $_[0]: $!\n";
	return scalar(<$out>) // '';
}

sub rest {
	select(undef, undef, undef, $_[0]);
}

# Hundredths are the finest clock of perl-base: half a per mille of 20 s.
sub now {
	return (split(' ', slurp('/proc/uptime')))[0] // die "bench: /proc can not be read\n";
}

sub wait_until {
	my ($limit, $what) = @_;
	for (my $until = now() + $limit; now() < $until; rest(0.05)) {
		return 1 if $what->();
	}
	return 0;
}

# --- the upgrade ---

sub log_lines {
	return slurp("$work/root/var/log/dpkg.log") =~ tr/\n//;
}

sub start_upgrade {
	my $before = log_lines();

	$frontend = fork() // die "bench: fork: $!\n";
	if (!$frontend) {
		# Out of reach of ^C, which would hit dpkg too: it is ended by stop_upgrade().
		POSIX::setpgid(0, 0);
		open(STDIN, '<', '/dev/null');
		open(STDOUT, '>>', "$work/frontend.log");
		open(STDERR, '>&', \*STDOUT);
		chdir($work) && exec { "$build/apt-get" } split(' ', $title);
		POSIX::_exit(127);
	}
	wait_until(30, sub { log_lines() > $before }) or die "bench: the upgrade does not begin:\n",
		slurp("$work/frontend.log");
}

# False if it went wrong.
sub stop_upgrade {
	my $pid = $frontend or return 1;

	$frontend = undef;
	kill('TERM', $pid);
	waitpid($pid, 0);
	return $? == 0;
}

sub end_upgrade {
	stop_upgrade() or die "bench: the upgrade failed:\n", slurp("$work/frontend.log");
}

sub processes {
	opendir(my $proc, '/proc') or die "bench: /proc: $!\n";
	return scalar(grep { /^\d+$/ } readdir($proc));
}

sub set_crowd {
	my ($wanted) = @_;

	if (!$wanted) {
		close($crowd) if $crowd;
		$crowd = undef;
	} elsif (!$crowd && $wanted > processes()) {
		open($crowd, '|-', "$build/crowd", $wanted - processes()) or die "bench: crowd: $!\n";
		rest(2);
	}
}

1;
