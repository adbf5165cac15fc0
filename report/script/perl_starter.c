/* Write a starter script: it describes the arguments of handlers, and its handlers print all of them. */
#include "report/script/perl_priv.h"

#include <ctype.h>

#include "report/tracepoint/trace_format.h"

/* Names in formats are foreign: turn them into Perl identifiers. */
static void put_identifier(struct out *o, const char *s)
{
	if (!*s || isdigit((unsigned char)*s))
		out_char(o, '_');
	for (; *s; s++)
		out_char(o, isalnum((unsigned char)*s) ? *s : '_');
}

/* Return the kind of names that values of this field have, if any. */
static int names_of(const struct trace_format *f, uint32_t field)
{
	for (size_t i = 0; i < f->nodes.len; i++)
		if (script_named_field(f, &f->nodes.items[i]) == field)
			return f->nodes.items[i].kind;
	return TRACE_UNKNOWN;
}

static void put_value(struct out *o, const char *system, const struct trace_format *f, uint32_t field)
{
	int kind = names_of(f, field);

	if (kind != TRACE_UNKNOWN) {
		out_fmt(o, "%s(\"", kind == TRACE_FLAGS ? "flag_str" : "symbol_str");
		put_identifier(o, system);
		out_str(o, "::");
		put_identifier(o, f->name);
		out_str(o, "\", \"");
		put_identifier(o, f->fields.items[field].name);
		out_str(o, "\", ");
	}
	out_char(o, '$');
	put_identifier(o, f->fields.items[field].name);
	if (kind != TRACE_UNKNOWN)
		out_char(o, ')');
}

static void put_handler(struct out *o, const char *system, const struct trace_format *f)
{
	out_str(o, "\nsub ");
	put_identifier(o, system);
	out_str(o, "::");
	put_identifier(o, f->name);
	out_str(o, "\n{\n\tmy ($event_name, $context, $common_cpu, $common_secs, $common_nsecs,\n"
		   "\t    $common_pid, $common_comm, $common_callchain");
	for (size_t i = 0; i < f->fields.len; i++) {
		if (f->fields.items[i].flags & TRACE_FIELD_COMMON)
			continue;
		out_str(o, ", $");
		put_identifier(o, f->fields.items[i].name);
	}
	out_str(o, ") = @_;\n\n"
		   "\tprint_header($event_name, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm);\n"
		   "\tprint join(\", \",");
	for (uint32_t i = 0; i < f->fields.len; i++) {
		if (f->fields.items[i].flags & TRACE_FIELD_COMMON)
			continue;
		out_str(o, "\n\t\t\"");
		put_identifier(o, f->fields.items[i].name);
		out_str(o, "=\" . text(");
		put_value(o, system, f, i);
		out_str(o, "),");
	}
	out_str(o, "\n\t), \"\\n\";\n\tprint_chain($common_callchain);\n}\n");
}

static const char head[] = "# Functions that are called for the events of a recording:  %s script -s FILE.pl\n"
			   "# Described in strobe-script(1), PERL SCRIPTS. What is not needed may be deleted.\n"
			   "\n"
			   "use strict;\n"
			   "use warnings;\n"
			   "\n"
			   "use lib \"$ENV{'PERF_EXEC_PATH'}/scripts/perl/Perf-Trace-Util/lib\";\n"
			   "use Perf::Trace::Core;\n"
			   "use Perf::Trace::Context;\n"
			   "use Perf::Trace::Util;\n"
			   "\n"
			   "sub trace_begin\n"
			   "{\n"
			   "\tprint \"in trace_begin\\n\";\n"
			   "}\n"
			   "\n"
			   "sub trace_end\n"
			   "{\n"
			   "\tprint \"in trace_end\\n\";\n"
			   "}\n";

static const char foot[] =
	"\n"
	"# Tracepoints that have no function above.\n"
	"sub trace_unhandled\n"
	"{\n"
	"\tmy ($event_name, $context, $common_cpu, $common_secs, $common_nsecs,\n"
	"\t    $common_pid, $common_comm, $common_callchain) = @_;\n"
	"\n"
	"\tprint_header($event_name, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm);\n"
	"\tprint \"\\n\";\n"
	"}\n"
	"\n"
	"# Each sample as bytes: the record, its attr, its numbers, its raw data.\n"
	"sub process_event\n"
	"{\n"
	"\tmy ($event, $attr, $sample, $raw_data) = @_;\n"
	"\n"
	"\tmy ($ip, $pid, $tid, $time, $addr) = unpack(\"Q L L Q Q\", $sample);\n"
	"\tprintf(\"%d/%d %d: %x\\n\", $pid, $tid, $time, $ip);\n"
	"}\n"
	"\n"
	"sub print_header\n"
	"{\n"
	"\tmy ($event_name, $cpu, $secs, $nsecs, $pid, $comm) = @_;\n"
	"\n"
	"\tprintf(\"%-20s %5u %05u.%09u %8u %-20s \", $event_name, $cpu, $secs, $nsecs, $pid, $comm);\n"
	"}\n"
	"\n"
	"sub text\n"
	"{\n"
	"\treturn defined $_[0] ? $_[0] : \"\";\n"
	"}\n"
	"\n"
	"sub print_chain\n"
	"{\n"
	"\tfor my $frame (@{$_[0]}) {\n"
	"\t\tprintf(\"\\t%x %s (%s)\\n\", $frame->{ip}, $frame->{sym} ? $frame->{sym}{name} : \"[unknown]\",\n"
	"\t\t\t$frame->{dso} || \"[unknown]\");\n"
	"\t}\n"
	"}\n";

void perl_starter(const struct perfdata *pd, struct out *o)
{
	out_fmt(o, head, tool_name());
	script_formats(pd, o, put_handler);
	out_str(o, foot);
}
