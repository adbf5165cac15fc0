# What runs in the interpreter before a Perl script: the modules that scripts for perf use, and the
# calls of the script's handlers. Values arrive packed in $Strobe::data. Our own code.
package Strobe;
use strict;
use warnings;

our $data = '';
our $state = 0;     # 0: runs, 1: failed, 2: nobody reads its output, 3: it ended itself
our $status = 0;    # its exit status
our $wanted = 0;    # the answer of event()
our $calls = 0;     # depth of calls by strobe
our @common = (0, 0, 0);    # preempt count, flags and lock depth of the current tracepoint
my @events;

# Output of a script that ends in a handler is written when the interpreter ends.
*CORE::GLOBAL::exit = sub (;$) {
	($state, $status) = (3, @_ ? $_[0] : 0);
	die "the script ended\n" if $calls;
	CORE::exit($status);
};
$SIG{PIPE} = sub {
	$state = 2;
	die "nobody reads\n" if $calls;
	CORE::exit(141);
};

sub call {
	my ($function, @args) = @_;
	return if $state;
	local $calls = 1;
	return if eval { $function->(@args); 1 };
	return if $state;
	$state = 1;
	my $error = "$@";
	STDOUT->flush;
	print STDERR $error;
}

sub function {
	my $name = "main::$_[0]";
	no strict 'refs';
	call(\&$name) if defined &$name;
}

# Recordings name the functions that are called. Take only those that the script itself has: a
# recording must not reach the functions of modules.
sub of_script {
	my ($name) = @_;
	no strict 'refs';
	return undef unless $name =~ /^[A-Za-z_]\w*::\w+\z/ && defined &$name;
	require B;
	my $code = B::svref_2object(\&$name);
	return $code->XSUB || $code->FILE =~ /\.pm\z|^Strobe\z/ ? undef : \&$name;
}

# Number $_[0] becomes a tracepoint: its name, and how its samples are packed.
sub event {
	my ($name, $template) = unpack('L/a L/a', $data);
	my $handler = of_script($name);
	$handler = \&main::trace_unhandled if !$handler && defined &main::trace_unhandled;
	$events[$_[0]] = [$name, $template, $handler];
	$wanted = $handler ? 1 : 0;
}

# define_flag_field and the like of the script, which come from Perf::Trace::Core.
sub define {
	my ($function, $event, $field, $value, $text) = unpack('L/a L/a L/a Q L/a', $data);
	my $name = "main::$function";
	no strict 'refs';
	return unless defined &$name;
	call(\&$name, $event, $field, $function =~ /value/ ? ($value, $text) : $function =~ /flag/ ? $text : ());
}

sub chain {
	my @values = unpack('(Q C Q Q Q L/a L/a)*', $_[0]);
	my @frames;
	while (my ($ip, $known, $start, $end, $binding, $name, $dso) = splice(@values, 0, 7)) {
		my %frame = (ip => $ip);
		$frame{sym} = { start => $start, end => $end, binding => $binding, name => $name } if $known & 1;
		$frame{dso} = $dso if $known & 2;
		push @frames, \%frame;
	}
	return \@frames;
}

sub tracepoint {
	my ($name, $template, $handler) = @{ $events[$_[0]] };
	my @args;
	(@common[0, 1, 2], @args) = unpack($template, $data);
	$args[5] = chain($args[5]);
	call($handler, $name, 1, @args);
}

sub sample {
	call(\&main::process_event, unpack('L/a L/a L/a L/a', $data));
}

sub finish {
	return if $state == 2;
	my $failed = $state;
	$state = 0;
	$! = 0;
	return $state = $failed if eval { STDOUT->flush };
	$state = 4 unless $state == 2;
	open(STDOUT, '>', '/dev/null');
}

# Names of flags, in the order of their values. Nothing has no name: undef.
sub join_names {
	my ($value, $names, $between) = @_;
	return $names->{0} unless $value;
	my @found;
	for my $bits (sort { $a <=> $b } keys %$names) {
		next unless $bits && ($value & $bits) == $bits;
		push @found, $names->{$bits};
		$value &= ~$bits;
	}
	return @found ? join($between, @found) : undef;
}

package Perf::Trace::Core;
use strict;
use warnings;
require Exporter;
our @ISA = ('Exporter');
our @EXPORT = qw(define_flag_field define_flag_value flag_str dump_flag_fields
	define_symbolic_field define_symbolic_value symbol_str dump_symbolic_fields trace_flag_str);
$INC{'Perf/Trace/Core.pm'} = 'Strobe';

my (%flags, %delimiters, %symbols);
# Source: the flags that the kernel prints before a line of its trace, Documentation/trace/ftrace.rst.
my %trace_flags = (0 => 'NONE', 1 => 'IRQS_OFF', 2 => 'IRQS_NOSUPPORT', 4 => 'NEED_RESCHED', 8 => 'HARDIRQ',
	16 => 'SOFTIRQ');

sub define_flag_field {
	my ($event, $field, $delimiter) = @_;
	$delimiters{$event}{$field} = $delimiter;
	$flags{$event}{$field} ||= {};
}

sub define_flag_value {
	my ($event, $field, $value, $text) = @_;
	$flags{$event}{$field}{$value} = $text;
}

sub define_symbolic_field {
	my ($event, $field) = @_;
	$symbols{$event}{$field} ||= {};
}

sub define_symbolic_value {
	my ($event, $field, $value, $text) = @_;
	$symbols{$event}{$field}{$value} = $text;
}

sub flag_str {
	my ($event, $field, $value) = @_;
	my $names = ($flags{$event} || {})->{$field} or return undef;
	my $delimiter = ($delimiters{$event} || {})->{$field};
	return Strobe::join_names($value, $names, defined $delimiter && length $delimiter ? " $delimiter " : '');
}

sub symbol_str {
	my ($event, $field, $value) = @_;
	my $names = ($symbols{$event} || {})->{$field} or return undef;
	return $names->{ $value + 0 };
}

sub trace_flag_str { Strobe::join_names($_[0], \%trace_flags, ' | ') }

sub dump_names {
	my ($events, $delimiters) = @_;
	for my $event (sort keys %$events) {
		print "event $event:\n";
		for my $field (sort keys %{ $events->{$event} }) {
			my $names = $events->{$event}{$field};
			print "    field: $field:\n";
			print "        delim: $delimiters->{$event}{$field}\n" if $delimiters;
			print "        value $_: $names->{$_}\n" for sort { $a <=> $b } keys %$names;
		}
	}
}

sub dump_flag_fields { dump_names(\%flags, \%delimiters) }
sub dump_symbolic_fields { dump_names(\%symbols) }

package Perf::Trace::Context;
use strict;
use warnings;
our @ISA = ('Exporter');
our @EXPORT = qw(common_pc common_flags common_lock_depth);
$INC{'Perf/Trace/Context.pm'} = 'Strobe';

# The context is always that of the current sample.
sub common_pc { $Strobe::common[0] }
sub common_flags { $Strobe::common[1] }
sub common_lock_depth { $Strobe::common[2] }

package Perf::Trace::Util;
use strict;
use warnings;
our @ISA = ('Exporter');
our @EXPORT = qw(avg nsecs nsecs_secs nsecs_nsecs nsecs_str clear_term);
$INC{'Perf/Trace/Util.pm'} = 'Strobe';

use constant SECOND => 1000000000;

sub avg { $_[0] / $_[1] }
sub nsecs { $_[0] * SECOND + $_[1] }
sub nsecs_secs { $_[0] / SECOND }
sub nsecs_nsecs { $_[0] % SECOND }
sub nsecs_str { sprintf('%5u.%09u', int($_[0] / SECOND), $_[0] % SECOND) }
sub clear_term { print "\e[H\e[2J" }

1;
