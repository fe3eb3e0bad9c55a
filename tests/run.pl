#!/usr/bin/perl
# Runs the tests named (or all) and ends with one line: "N passed, N failed, N skipped".
#
# Every test speaks TAP: the programs in $BUILD/tests and the scripts below tests/. A test that is
# skipped says why; its reason is printed. Fails if a test failed, if a program died, or if
# nothing ran at all.
use strict;
use warnings;
use TAP::Harness;

my $build = $ENV{BUILD} // 'build';
my @tests = @ARGV ? @ARGV : (sort(grep { -x && !/\.d$/ } glob("$build/tests/test_*")),
	sort(glob('tests/{build,live,e2e}/*.sh')));
$ENV{CMOCKA_MESSAGE_OUTPUT} = 'TAP';
$ENV{LC_ALL} = 'C.UTF-8';
$ENV{TZ} = 'UTC';
delete $ENV{NO_COLOR};

my %reasons;
my $harness = TAP::Harness->new({
	exec => sub { my (undef, $file) = @_; return $file =~ /\.sh$/ ? ['sh', $file] : [$file] },
	verbosity => $ENV{V} ? 1 : 0, merge => 0, color => 0,
});
$harness->callback(made_parser => sub {
	my ($parser, $job) = @_;
	$parser->callback(test => sub {
		my $t = shift;
		print "  skipped: $job->[0]: ", $t->explanation, "\n" if $t->has_skip;
	});
});
my $result = $harness->runtests(@tests);
my $skipped = $result->skipped;
my $passed = $result->passed - $skipped;
my $failed = $result->failed + scalar(grep { $result->{parser_for}{$_}->exit } $result->descriptions);
$failed ||= 1 if !$result->all_passed;
print "$passed passed, $failed failed, $skipped skipped\n";
exit($failed || !$passed ? 1 : 0);
