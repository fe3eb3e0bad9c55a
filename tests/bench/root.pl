#!/usr/bin/perl
# `root.pl DIR TITLE`: a scratch root in DIR/root with packages installed, the same packages in
# DIR/debs, and DIR/history.log, in which apt announces an upgrade of them with the command TITLE.
use strict;
use warnings;

my ($count, $files, $bytes) = (60, 100, 8192);
my ($dir, $title) = @ARGV;
die "usage: root.pl DIR TITLE\n" if @ARGV != 2;

sub spew {
	my ($path, $text) = @_;
	open(my $f, '>:raw', $path) or die "bench: $path: $!\n";
	print $f $text;
	close($f) or die "bench: $path: $!\n";
}

# Quietly, unless it fails.
sub run {
	open(my $out, '-|', @_) or die "bench: $_[0]: $!\n";
	my @said = <$out>;
	close($out) or die @said, "bench: $_[0] failed\n";
}

sub make_package {
	my ($random, $name) = @_;
	my ($tree, $payload) = ("$dir/tree", "$dir/tree/opt/bench/$name");

	run('mkdir', '-p', "$tree/DEBIAN", $payload);
	spew("$tree/DEBIAN/control", "Package: $name\nVersion: 1\nArchitecture: all\n" .
		"Maintainer: bench <bench\@example.invalid>\nDescription: payload of the bench\n");
	# Starts one program after the other, as scripts do; but not while the root is made.
	spew("$tree/DEBIAN/postinst", "#!/bin/sh\nset -e\n[ -z \"\$BENCH_QUICK\" ] || exit 0\n" .
		"for step in 1 2 3 4 5 6; do sleep 0.1; done\n");
	chmod(0755, "$tree/DEBIAN/postinst");
	for my $file (1 .. $files) {
		read($random, my $text, $bytes);
		spew("$payload/file-$file", $text);
	}
	run('dpkg-deb', '--root-owner-group', '-Zgzip', '-z1', '--build', $tree,
		"$dir/debs/$name.deb");
	run('rm', '-rf', $tree);
}

my $db = "$dir/root/var/lib/dpkg";
my @names = map { sprintf('bench-%03d', $_) } 1 .. $count;

run('mkdir', '-p', "$dir/debs", "$dir/root/var/log", "$db/info", "$db/updates", "$db/triggers");
spew("$db/$_", '') for qw(status available);
open(my $random, '<:raw', '/dev/urandom') or die "bench: /dev/urandom: $!\n";
make_package($random, $_) for @names;
spew("$dir/history.log", "\nStart-Date: 2026-01-01  00:00:00\nCommandline: $title\nUpgrade: " .
	join(', ', map { "$_:all (1, 1)" } @names) . "\n");

# Every turn is to find them installed, the first too.
$ENV{BENCH_QUICK} = 1;
delete($ENV{DPKG_FORCE});
run('dpkg', "--root=$dir/root", "--log=$dir/root/var/log/dpkg.log", '--force-unsafe-io',
	'--force-script-chrootless', '--no-debsig', '-i', map { "$dir/debs/$_.deb" } @names);
