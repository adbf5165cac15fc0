/* Write a starter script: it describes the arguments of handlers, and its handlers print all of them. */
#include "report/script/python_priv.h"

#include <ctype.h>

#include "report/tracepoint/trace_format.h"

/* Names in formats are foreign: turn them into Python identifiers. */
static void put_identifier(struct out *o, const char *s)
{
	static const char *const keywords[] = {
		"and",    "as",   "assert", "async",  "await",  "break",   "class",    "continue",
		"def",    "del",  "elif",   "else",   "except", "finally", "for",      "from",
		"global", "if",   "import", "in",     "is",     "lambda",  "nonlocal", "not",
		"or",     "pass", "raise",  "return", "try",    "while",   "with",     "yield",
	};

	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (!strcmp(keywords[i], s))
			out_char(o, '_');
	if (!*s || isdigit((unsigned char)*s))
		out_char(o, '_');
	for (; *s; s++)
		out_char(o, isalnum((unsigned char)*s) ? *s : '_');
}

static void put_handler(struct out *o, const char *system, const struct trace_format *f)
{
	out_str(o, "\ndef ");
	put_identifier(o, system);
	out_str(o, "__");
	put_identifier(o, f->name);
	out_str(o, "(event_name, context, common_cpu, common_secs, common_nsecs,\n\t\tcommon_pid, common_comm, "
		   "common_callchain");
	for (size_t i = 0; i < f->fields.len; i++) {
		if (f->fields.items[i].flags & TRACE_FIELD_COMMON)
			continue;
		out_str(o, ", ");
		put_identifier(o, f->fields.items[i].name);
	}
	out_str(o, ",\n\t\tperf_sample_dict):\n"
		   "\tprint_header(event_name, common_cpu, common_secs, common_nsecs, common_pid, common_comm)\n"
		   "\tprint(\", \".join([");
	for (size_t i = 0; i < f->fields.len; i++) {
		if (f->fields.items[i].flags & TRACE_FIELD_COMMON)
			continue;
		out_str(o, "\n\t\t\"");
		put_identifier(o, f->fields.items[i].name);
		out_str(o, "=%s\" % (");
		put_identifier(o, f->fields.items[i].name);
		out_str(o, ",),");
	}
	out_str(o, "\n\t]))\n\tprint_chain(common_callchain)\n");
}

static const char head[] =
	"# Functions that are called for the events of a recording:  %s script -s FILE.py\n"
	"# Described in strobe-script(1), PYTHON SCRIPTS. What is not needed may be deleted.\n"
	"\n"
	"import os\n"
	"import sys\n"
	"\n"
	"sys.path.append(os.environ.get('PERF_EXEC_PATH', '') + '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')\n"
	"\n"
	"from perf_trace_context import *\n"
	"from Core import *\n"
	"\n"
	"\n"
	"def trace_begin():\n"
	"\tprint(\"in trace_begin\")\n"
	"\n"
	"def trace_end():\n"
	"\tprint(\"in trace_end\")\n";

static const char foot[] =
	"\n"
	"# Tracepoints that have no function above.\n"
	"def trace_unhandled(event_name, context, event_fields_dict, perf_sample_dict):\n"
	"\tprint(event_name, event_fields_dict)\n"
	"\n"
	"# Events that are no tracepoints.\n"
	"def process_event(param_dict):\n"
	"\tsample = param_dict[\"sample\"]\n"
	"\tprint_header(param_dict[\"ev_name\"], sample[\"cpu\"], sample[\"time\"] // 1000000000, sample[\"time\"] % "
	"1000000000,\n"
	"\t\tsample[\"pid\"], param_dict[\"comm\"])\n"
	"\tprint(param_dict.get(\"symbol\", \"[unknown]\"), param_dict.get(\"dso\", \"[unknown]\"))\n"
	"\tprint_chain(param_dict[\"callchain\"])\n"
	"\n"
	"def print_header(event_name, cpu, secs, nsecs, pid, comm):\n"
	"\tprint(\"%-20s %5u %05u.%09u %8u %-20s \" % (event_name, cpu, secs, nsecs, pid, comm), end=\"\")\n"
	"\n"
	"def print_chain(chain):\n"
	"\tfor frame in chain:\n"
	"\t\tname = frame[\"sym\"][\"name\"] if \"sym\" in frame else \"[unknown]\"\n"
	"\t\tprint(\"\\t%x %s (%s)\" % (frame[\"ip\"], name, frame.get(\"dso\", \"[unknown]\")))\n";

void python_starter(const struct perfdata *pd, struct out *o)
{
	out_fmt(o, head, tool_name());
	script_formats(pd, o, put_handler);
	out_str(o, foot);
}
