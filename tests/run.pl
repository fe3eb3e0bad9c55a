#!/usr/bin/perl
# Runs the tests named (or all) and ends with one line: "N passed, N failed, N skipped".
#
# Every test speaks TAP: the programs in $BUILD/tests and the scripts below tests/. A test that is
# skipped says why, and the reason is printed. A program that dies, runs too long, keeps not to
# its plan or tells of no test counts as a failed test. Fails if a test failed or none passed.
#
# An own reader, because cmocka 1.1.5 says "not ok # SKIP" for a skipped test, which
# TAP::Parser takes for a failure. Needs perl-base alone, which every Debian has.
use strict;
use warnings;
use POSIX ();

my $limit_s = $ENV{TEST_LIMIT} // 600;
my $build = $ENV{BUILD} // 'build';
my @tests = @ARGV ? @ARGV : (sort(grep { -f && -x } glob("$build/tests/test_*")),
	sort(grep { !m{/lib\.sh$} } glob('tests/{build,live,e2e}/*.sh')));

$ENV{CMOCKA_MESSAGE_OUTPUT} = 'TAP';
$ENV{LC_ALL} = 'C.UTF-8';
$ENV{TZ} = 'UTC';
delete @ENV{qw(NO_COLOR DPKG_FORCE MAKEFLAGS MAKELEVEL MFLAGS)};
open(STDIN, '<', '/dev/null') or die "/dev/null: $!\n";
$| = 1;

# What we were started with besides is not for the tests: how many descriptors are in use decides
# what can be measured below a limit.
POSIX::close($_) for grep { $_ > 2 } map { m{/(\d+)$} } glob('/proc/self/fd/*');

my $running; # timeout(1) passes signals on to all that the test has started
$SIG{$_} = sub { kill('TERM', $running) if $running; exit(130) } for qw(INT TERM HUP);

# Runs one file and returns how many passed, failed and were skipped.
sub run {
	my ($file) = @_;
	my @command = ('timeout', '-k', '10', $limit_s, $file =~ /\.sh$/ ? ('sh', $file) : $file);
	my ($passed, $failed, $skipped, $ran) = (0, 0, 0, 0);
	my ($plan, $failing, $comment, @wrong) = (undef, 0, '');

	$running = open(my $out, '-|', @command) or die "timeout: $!\n";
	while (my $line = <$out>) {
		chomp($line);
		print "    $line\n" if $ENV{V};
		if ($line =~ /^1\.\.(\d+)(?:\s*#\s*skip\S*\s*(.*))?$/i) {
			$plan = ($plan // 0) + $1;
			next if $1 > 0 || !defined($2);
			$skipped++;
			print "  skipped: $file: $2\n";
		} elsif ($line =~ /^(not )?ok\b\s*\d*\s*(?:- )?(.*)$/) {
			my ($bad, $name) = ($1, $2);
			$ran++;
			$failing = 0;
			if ($name =~ /^(.*?)\s*#\s*skip\S*\s*(.*)$/i) {
				$skipped++;
				# cmocka has no room for a reason: it is the comment before.
				my $what = join(': ', grep { length } $1, $2, $comment);
				print "  skipped: $file: $what\n";
			} elsif ($bad) {
				$failed++;
				$failing = 1;
				print "  FAILED: $file: $name\n";
			} else {
				$passed++;
			}
			$comment = '';
		} elsif ($line =~ /^Bail out!\s*(.*)$/) {
			push(@wrong, "gave up: $1");
		} elsif ($line =~ /^#\s*(.*)$/) {
			$comment = $1 =~ s/^skip\w*:\s*//ir;
			# What follows a failed test says why it failed.
			print "    $line\n" if $failing && !$ENV{V};
		}
	}
	close($out);
	$running = undef;

	my ($signal, $status) = ($? & 127, $? >> 8);
	if ($signal) {
		push(@wrong, "killed by signal $signal");
	} elsif ($status == 124 || $status == 137) {
		push(@wrong, "still running after $limit_s s");
	} elsif ($status && !$failed) {
		push(@wrong, "exit status $status");
	}
	if (!defined($plan)) {
		push(@wrong, 'no plan');
	} elsif ($plan != $ran) {
		push(@wrong, "$ran of $plan tests ran");
	} elsif (!$plan && !$skipped) {
		push(@wrong, 'no test in it');
	}
	if (@wrong) {
		$failed++;
		print "  FAILED: $file: ", join(', ', @wrong), "\n";
	}
	return ($passed, $failed, $skipped);
}

my ($passed, $failed, $skipped) = (0, 0, 0);
for my $file (@tests) {
	my $begun = time();
	my ($p, $f, $s) = run($file);

	printf("%-36s %4d passed %s%s%s\n", $file, $p, $f ? "$f FAILED " : '',
		$s ? "$s skipped " : '', time() - $begun > 1 ? time() - $begun . ' s' : '');
	$passed += $p;
	$failed += $f;
	$skipped += $s;
}
print "no test passed: that is a failure too\n" if !$passed && !$failed;
print "$passed passed, $failed failed, $skipped skipped\n";
exit($failed || !$passed ? 1 : 0);
