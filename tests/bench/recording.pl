#!/usr/bin/perl
# A recording of a long upgrade, as lines: what `dpkgtop report` has to read of one.
#
#   recording.pl [SECONDS [PACKAGES]]     default 1800 1500; to standard output
#
# Full samples each second, thin ones each 250 ms between them, a boundary sample at each change of
# phase; five processes in the tree, three disks, the probe's rows: as many as on a plain machine; for each package the nine lines
# that dpkg.log has of an upgrade, and its postinst. The same arguments give the same bytes.
use strict;
use warnings;

my $seconds = shift // 1800;
my $packages = shift // 1500;
my $second = 1_000_000_000;
my $begin = 5000 * $second;
my ($count, $synced, $cpu) = (0, 0, 0);

sub at {
	my ($ns) = @_;

	return sprintf('"at":{"mono_ns":%d,"boot_ns":%d,"real_ns":%d}', $ns, $ns,
		$ns + 1_700_000_000 * $second);
}

sub event {
	my ($ns, $kind, $members) = @_;

	print qq({"event":"$kind",), at($ns), ",$members}\n";
}

sub disks {
	my ($n) = @_;

	return join(',', map {
		my $busy = $_ ? 0 : $n;
		sprintf('{"name":"%s","major":%d,"minor":%d,"reads":%d,"reads_merged":0,' .
			'"read_sectors":%d,"read_ms":%d,"writes":%d,"writes_merged":%d,' .
			'"written_sectors":%d,"write_ms":%d,"in_flight":0,"busy_ms":%d,"queue_ms":%d,' .
			'"discards":0,"discards_merged":0,"discarded_sectors":0,"discard_ms":0,' .
			'"flushes":%d,"flush_ms":%d}', $_ ? "loop$_" : 'vda', $_ ? 7 : 254, $_,
			40 * $busy, 3000 * $busy, 9 * $busy, 600 * $busy, 30 * $busy, 40000 * $busy,
			400 * $busy, 700 * $busy, 900 * $busy, 150 * $busy, 430 * $busy)
	} 0 .. 2);
}

sub processes {
	return join(',', map {
		sprintf('{"pid":%d,"parent":%d,"start_ticks":%d,"state":"%s","name":"dpkg-%d",' .
			'"command":"/usr/bin/dpkg --status-fd 41 --no-triggers --unpack ' .
			'--auto-deconfigure --recursive /tmp/apt-dpkg-install-x","cpu_ns":%d,' .
			'"reaped_cpu_ns":0,"read_bytes":%d,"written_bytes":%d,"waits":"-","left":"-"}',
			100 + $_, 99 + $_, 500000 + $_, $_ == 4 ? 'D' : 'S', $_, $cpu, 1000 * $cpu,
			9000 * $cpu)
	} 0 .. 4);
}

sub syncs {
	return join(',', map {
		sprintf('{"pid":101,"start_ticks":500001,"call":"%s","class":"%s","count":%d,' .
			'"open":0,"total_ns":%d,"longest_ns":61000000}', @$_, $count, $synced)
	} ['fsync', 'package'], ['fsync', 'database'], ['range-wait', 'package'],
		['range-write', 'writeback']);
}

sub latencies {
	return join(',', map {
		my $hist = join(',', map { ($_, 1 + $count) } 260 .. 284);
		sprintf('{"call":"%s","class":"%s","count":%d,"total_ns":%d,"longest_ns":61000000,' .
			'"hist":[%s]}', @$_, $count, $synced, $hist)
	} ['fsync', 'package'], ['fsync', 'database'], ['range-wait', 'package'],
		['range-write', 'writeback'], ['syncfs', 'other']);
}

sub sample {
	my ($ns, $kind) = @_;
	my $n = int(($ns - $begin) / $second);

	print qq({"sample":"$kind",), at($ns);
	if ($kind eq 'full') {
		print ',"memory":{"total_kib":8000000,"dirty_kib":81000,"writeback_kib":12000,' .
			'"dirty_limit_kib":2400000,"background_limit_kib":1200000},"pressure":' .
			qq({"io_some_us":${n}00000,"io_full_us":${n}00000,"cpu_some_us":0,) .
			'"memory_some_us":0,"memory_full_us":0},"space":[{"path":"/",' .
			'"total_kib":60000000,"free_kib":12000000}],"log":{"skipped":0}';
	}
	print ',"disks":[', disks($n), '],"processes":[', processes(),
		'],"probe":{"lost":0,"missed":0,"full":0,"compat":0,"lacks":""},"syncs":[', syncs(),
		'],"flights":[],"writers":[]';
	print ',"latencies":[', latencies(), ']' if $kind eq 'full';
	print "}\n";
}

sub line {
	my ($ns, $verb, $state, $name, $version, $target) = @_;

	event($ns, 'package', qq("verb":"$verb","state":"$state","name":"$name","arch":"amd64",) .
		qq("version":"$version","target":"$target","ago_ns":0,"detail":""));
}

# What happens to package $i, from $ns on.
sub package_lines {
	my ($i, $ns) = @_;
	my $name = sprintf('library-of-everything-%04d', $i);
	my $step = int($second / 100);
	my @script = (20000 + $i, 600000 + $i);

	sample($ns, 'boundary');
	line($ns, 'upgrade', '', $name, '1.0-1', '1.1-1');
	line($ns + $step, 'status', $_, $name, '1.0-1', '') for qw(half-configured unpacked
		half-installed);
	line($ns + 2 * $step, 'status', 'unpacked', $name, '1.1-1', '');
	sample($ns + 2 * $step, 'boundary');
	line($ns + 2 * $step, 'configure', '', $name, '1.1-1', '');
	line($ns + 3 * $step, 'status', $_, $name, '1.1-1', '') for qw(unpacked half-configured);
	event($ns + 4 * $step, 'exec', qq("pid":$script[0],"parent":101,"start_ticks":$script[1],) .
		'"ago_ns":0,"role":"script","command":"/bin/sh /var/lib/dpkg/info/' .
		qq($name.postinst configure 1.0-1","package":"$name","script":"postinst"));
	event($ns + 6 * $step, 'exit', qq("pid":$script[0],"start_ticks":$script[1],) .
		'"role":"script","status":0');
	line($ns + 7 * $step, 'status', 'installed', $name, '1.1-1', '');
}

print '{"dpkgtop":1,"version":"0.1","host":"bench","kernel":"6.1.0","label":"","tick_ns":10000000,',
	at($begin) =~ s/^"at"/"started"/r, "}\n";
event($begin, 'storage', '"disk":"vda","disk_model":"virtio","rotational":0,"write_cache":' .
	'"write back","filesystem":"ext4","mount_point":"/","mount_options":"rw","stack":"vda"');
event($begin, 'upgrade', '"pid":100,"start_ticks":500000,"frontend":"apt","command":' .
	qq("apt full-upgrade","since_ns":$begin,"where":""));
event($begin, 'mode', '"mode":"safe-io","source":"default"');
event($begin, 'exec', '"pid":101,"parent":100,"start_ticks":500001,"ago_ns":0,"role":"dpkg",' .
	'"command":"dpkg --unpack","package":"","script":""');
line($begin, 'startup', '', '', '', '');
my $done = 0;
for my $tick (0 .. 4 * $seconds - 1) {
	my $ns = $begin + $tick * $second / 4;

	$count += 20;
	$synced += 30_000_000;
	$cpu += 10_000_000;
	sample($ns, $tick % 4 ? 'thin' : 'full');
	while ($done < $packages && $done < ($tick + 1) * $packages / (4 * $seconds)) {
		package_lines($done++, $ns);
	}
}
my $end = $begin + $seconds * $second;
sample($end, 'full');
event($end, 'exit', '"pid":101,"start_ticks":500001,"role":"dpkg","status":0');
event($end, 'end', '"status":0,"resident":0');
