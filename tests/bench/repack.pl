# repack.pl - packages of this machine made .debs again, for a dpkg run with real files. To be
# required by bench.pl, after lib.pl.
#
# Contents, sizes, modes, links and conffiles are those that are installed, the compression is that
# of Debian's archive. Left out are maintainer scripts, which would act on the machine, and
# dependencies. The machine's dpkg database is only read.
use strict;
use warnings;

our $work; # of lib.pl

# Named alike in Debian 12 and 13, and all but a few on every machine: essential, required, or what
# apt and dpkg need. The list is fixed so that two machines measure alike; what is lacking is told.
my @real = qw(adduser apt base-files base-passwd bash bsdutils coreutils dash debconf debianutils
	diffutils dpkg e2fsprogs findutils gpgv grep gzip hostname init-system-helpers libc-bin libc6
	libgcc-s1 libpam-modules libpam-runtime libpam0g libstdc++6 libsystemd0 libtinfo6 libzstd1
	login mawk mount ncurses-base ncurses-bin passwd perl-base sed sysvinit-utils tar util-linux);
my @fields = qw(Package Version Architecture Maintainer Installed-Size Description);

sub spew {
	my ($path, $text) = @_;
	open(my $f, '>:raw', $path) or die "bench: $path: $!\n";
	print $f $text;
	close($f) or die "bench: $path: $!\n";
}

# What a command says that must not fail.
sub ask {
	my $said = capture(@_);

	$? == 0 or die "bench: $_[0] failed\n";
	return $said;
}

# What is installed of the list: plain name => dpkg-query's, which is told which architecture's where
# there may be several.
sub installed {
	my ($arch) = split(' ', ask('dpkg', '--print-architecture'));
	# Fails for one that is lacking, and still tells of the others.
	my $said = capture('sh', '-c', 'exec dpkg-query "$@" 2>>"$0"', "$work/slow.log", '-W', '-f',
		'${db:Status-Status} ${Architecture} ${binary:Package}\n', @real);
	my %names;

	for (split(/\n/, $said)) {
		my ($status, $its, $name) = split(' ');
		$names{$name =~ s/:.*//r} = $name
			if $status eq 'installed' && ($its eq $arch || $its eq 'all');
	}
	return %names;
}

# The package's files and links that are there: documentation may have been excluded. Directories
# come along with what is in them. /bin is one to the package, and a link where /usr is merged.
sub files_of {
	my ($name) = @_;
	# Lines on diversions begin otherwise.
	my @paths = grep { m{^/[^/]+/} } split(/\n/, ask('dpkg-query', '-L', $name));
	my %directory = map { s{/[^/]*$}{}r => 1 } @paths;

	return grep { !$directory{$_} && (-l $_ || -f _) } @paths;
}

# How many are regular, one with several names once, and their bytes.
sub count_regular {
	my (%seen, $files, $bytes);

	for (@_) {
		my ($device, $inode, $size) = (lstat($_))[0, 1, 7];
		next if !-f _ || $seen{"$device:$inode"}++;
		$files++;
		$bytes += $size;
	}
	return ($files // 0, $bytes // 0);
}

sub control_of {
	my ($name) = @_;

	return ask('dpkg-query', '-W', '-f', join('', map { "$_: \${$_}\\n" } @fields), $name);
}

# Those among its files: one may be obsolete, or removed.
sub conffiles_of {
	my ($name, @files) = @_;
	my %there = map { $_ => 1 } @files;
	my @paths = ask('dpkg-query', '-W', '-f', '${Conffiles}', $name) =~ m{^ (/.*) [0-9a-f]{32}}mg;

	return join('', map { "$_\n" } grep { $there{$_} } @paths);
}

sub repack_one {
	my ($plain, $name) = @_;
	my ($tree, $list, $tar) = map { "$work/real/$_" } qw(tree list tar);
	my @files = files_of($name);
	my $conffiles = conffiles_of($name, @files);

	run('mkdir', '-p', "$tree/DEBIAN");
	spew("$tree/DEBIAN/control", control_of($name));
	spew("$tree/DEBIAN/conffiles", $conffiles) if $conffiles;
	spew($list, join('', map { ".$_\0" } @files));
	run('tar', '-C', '/', '-cf', $tar, '--no-recursion', '--null', '-T', $list);
	run('tar', '-C', $tree, '-xpf', $tar);
	# Of Debian's defaults, whoever built this dpkg.
	ask('dpkg-deb', '--root-owner-group', '-Zxz', '--build', $tree, "$work/real/$plain.deb");
	run('rm', '-rf', $tree, $list, $tar);
	return count_regular(@files);
}

# $work/real/*.deb; tells what they are, and how many regular files they have.
sub repack {
	my %names = installed();
	my %sum = (packages => scalar(keys %names), files => 0, bytes => 0,
		lacking => [grep { !$names{$_} } @real]);
	my $before = umask(022); # dpkg-deb demands such a mode of DEBIAN

	for my $plain (sort(keys %names)) {
		my ($files, $bytes) = repack_one($plain, $names{$plain});
		$sum{files} += $files;
		$sum{bytes} += $bytes;
	}
	umask($before);
	return \%sum;
}

1;
