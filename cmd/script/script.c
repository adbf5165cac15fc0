#include "cmd/commands.h"
#include "cmd/shared/options.h"
#include "cmd/shared/rewritten.h"

#include <errno.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/new_file.h"
#include "base/parallel.h"
#include "cmd/script/scripts_priv.h"
#include "report/text/dump.h"
#include "report/live/live.h"
#include "report/script/language.h"
#include "report/script/print.h"
#include "report/session/stitch.h"
#include "report/session/time_ranges.h"
#include "report/tracepoint/plugin.h"
#include "stat/sampled.h"

struct script_opts {
	const char *input, *itrace, *time, *stop_at, *script, *starter, *switch_on, *switch_off;
	const char *none; /* target of options that are refused */
	struct session_opts session;
	struct object_opts objects;
	struct print_fields fields;
	bool fields_given;                      /* `fields` is filled in */
	const struct script_language *language; /* of `script` */
	const char *trace_view;                 /* --call-trace and similar: NULL = none */
	const struct config *settings;          /* for scripts that read them */
	struct live *live;                      /* prints a pipe as it arrives; NULL: not live */
	struct print_opts print;
	struct sample_filter filter;
	struct opt_list stops;
	bool stitch;
	bool script_ended; /* before it had all samples */
	bool merge;        /* join user parts of chains that came later */
	bool system_wide;  /* for scripts that record */
	bool dump, unsorted, list, header, header_only, full_header, inlines, per_event;
	int v;
};
#define AT(member) offsetof(struct script_opts, member)

/* ---- options with their own syntax ---- */

static struct print_fields *fields_of(struct script_opts *o)
{
	if (!o->fields_given)
		print_fields_init(&o->fields);
	o->fields_given = true;
	return &o->fields;
}

/* Print the lines and release them. */
static void say_lines(struct out *lines)
{
	char *rest = NULL;

	out_text(lines);
	for (char *line = strtok_r(lines->buf, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		say("%s", line);
	out_release(lines);
}

static int set_fields(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct print_fields *f = fields_of(opts);
	struct out warnings;
	int rc;

	out_init_mem(&warnings);
	rc = print_fields_parse(f, value, &warnings, e);
	say_lines(&warnings);
	return rc;
}

/* Views of hardware traces, as fields of perf. Source: perf-script(1), --insn-trace, --call-trace. */
static const struct trace_view {
	const char *option, *mode, *fields;
} trace_views[] = {
	{ "insn-trace", "disasm", "+disasm,-event,-period" },
	{ "insn-trace", "raw", "+insn,-event,-period" },
	{ "insn-trace", NULL, "+insn,-event,-period" },
	{ "call-trace", NULL, "-ip,-event,-period,+callindent" },
	{ "call-ret-trace", NULL, "-ip,-event,-period,+flags,+callindent" },
};

static int set_trace_view(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct script_opts *o = opts;

	for (size_t i = 0; i < ARRAY_SIZE(trace_views); i++) {
		const struct trace_view *v = &trace_views[i];

		if (strcmp(v->option, opt->name) || !v->mode != !value || (value && strcmp(v->mode, value)))
			continue;
		o->trace_view = v->option;
		o->print.ns = true;
		return set_fields(opts, opt, v->fields, false, e);
	}
	err_set(e, "--%s has no mode '%s'", opt->name, value);
	err_try(e, strcmp(opt->name, "insn-trace") ? "--%s alone" : "--%s=raw or --insn-trace=disasm", opt->name);
	return err_exit(e, EXIT_BAD_USAGE);
}

/* -f means --force today; with a list of fields it is -F, as in the first versions of perf. */
static int set_force(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct script_opts *o = opts;

	if (value && print_fields_are(value))
		return set_fields(opts, opt, value, false, e);
	if (value) {
		err_set(e, "there is no script '%s', and it is no list of fields", value);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	o->session.force = !unset;
	return 0;
}

static int set_form(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	((struct script_opts *)opts)->print.form = unset                        ? PRINT_TEXT
						   : !strcmp(opt->name, "json") ? PRINT_JSON
										: PRINT_CSV;
	return 0;
}

/* Refuse a script, and say: "a file whose name ends in .py or .pl, or Python:FILE, Perl:FILE". */
static int unknown_language(const char *script, struct err *e)
{
	struct out suffixes, names;
	const struct script_language *l;

	out_init_mem(&suffixes);
	out_init_mem(&names);
	for (size_t i = 0; (l = script_language_at(i)); i++) {
		out_fmt(&suffixes, "%s%s", i ? " or " : "", l->suffix);
		out_fmt(&names, "%s%s:FILE", i ? ", " : "", l->name);
	}
	err_set(e, "'%s' is in no known language", script);
	err_try(e, "a file whose name ends in %s, or %s", out_text(&suffixes), out_text(&names));
	out_release(&suffixes);
	out_release(&names);
	return err_exit(e, EXIT_BAD_USAGE);
}

/* Take the language from "Python:file" or "pl:file", or from the suffix of "file.py". */
static int set_script(void *opts, const struct opt *opt, const char *script, bool unset, struct err *e)
{
	struct script_opts *o = opts;
	const char *colon = strchr(script, ':');

	o->language = colon ? script_language_named(script, (size_t)(colon - script)) : script_language_of(script);
	if (!o->language)
		return unknown_language(script, e);
	o->script = colon ? colon + 1 : script;
	return 0;
}

static int show_sideband(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	static const struct {
		const char *option;
		uint64_t records;
	} shown[] = {
		{ "show-task-events", 1ull << RECORD_COMM | 1ull << RECORD_FORK | 1ull << RECORD_EXIT },
		{ "show-mmap-events", 1ull << RECORD_MMAP | 1ull << RECORD_MMAP2 },
		{ "show-switch-events", 1ull << RECORD_SWITCH | 1ull << RECORD_SWITCH_CPU_WIDE },
		{ "show-namespace-events", 1ull << RECORD_NAMESPACES },
		{ "show-cgroup-events", 1ull << RECORD_CGROUP },
		{ "show-lost-events", 1ull << RECORD_LOST },
		{ "show-round-events", PRINT_ROUNDS },
		{ "show-bpf-events", 1ull << RECORD_KSYMBOL | 1ull << RECORD_BPF_EVENT },
		{ "show-text-poke-events", 1ull << RECORD_KSYMBOL | 1ull << RECORD_TEXT_POKE },
	};
	struct script_opts *o = opts;

	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		if (strcmp(shown[i].option, opt->name))
			continue;
		if (unset)
			o->print.sideband &= ~shown[i].records;
		else
			o->print.sideband |= shown[i].records;
	}
	return 0;
}

#define NO_TRACES  "there is no decoder for hardware traces"
#define NO_FILTERS "strobe loads no shared objects as filters: a script (-s) gets every sample and can leave some out"
#define NO_GUESTS  "strobe does not read symbols of guests; their samples have only addresses"

static const struct opt script_options[] = {
	{ 0, "input", OPT_INCLUDE, AT(input), .rows = usual_options },
	{ 'F', "fields", OPT_CALL, 0, "list",
	  "print these fields: comm,tid,... for all events, sw:... for one kind of them (hw, sw, trace, raw, break); "
	  "+field and -field change the usual ones",
	  OPT_NONEG, set_fields, .values = ",@script-field" },
	{ 'f', "force", OPT_CALL_LAST, 0, "fields", "read files of other users; with a list of fields: the same as -F",
	  0, set_force, .values = ",@script-field" },
	{ 0, "header", OPT_BOOL, AT(header), NULL, "first print the header of the recording" },
	{ 0, "header-only", OPT_INCLUDE, AT(header_only), .rows = usual_options },
	{ 'I', "show-info", OPT_BOOL, AT(full_header), NULL,
	  "with --header, or for a pipe: also show the machine's topology" },
	{ 0, "dump-raw-trace", OPT_INCLUDE, AT(dump), .rows = usual_options },
	{ 0, "dump-unsorted-raw-trace", OPT_BOOL, AT(unsorted), NULL, "the same, in file order" },
	{ 'd', "debug-mode", OPT_BOOL, AT(print.check), NULL,
	  "print no samples; count those whose time is before that of the previous sample" },
	{ 'L', "Latency", OPT_BOOL, AT(print.latency), NULL,
	  "print the CPU without brackets and cut thread names to eight columns" },
	{ 0, "per-event-dump", OPT_BOOL, AT(per_event), NULL,
	  "print the samples of each event into a separate file, INPUT.EVENT.dump" },
	{ 0, "json", OPT_CALL_FLAG, 0, NULL, "print samples as JSON, one object per line", OPT_OURS, set_form },
	{ 0, "csv", OPT_CALL_FLAG, 0, NULL, "print samples as CSV, with a line of titles", OPT_OURS, set_form },
	{ 0, "verbose", OPT_INCLUDE, AT(v), .rows = usual_options },

	{ 0, NULL, OPT_GROUP, 0, NULL, "Scripts" },
	{ 's', "script", OPT_CALL, 0, "[lang:]file", "pass samples to the functions of this Python or Perl script",
	  OPT_NONEG, set_script },
	{ 'g', "gen-script", OPT_STR, AT(starter), "lang",
	  "write a starter script: perf-script.py or perf-script.pl, or the named file", OPT_NONEG,
	  .values = "python perl" },
	{ 0, "all-cpus", OPT_INCLUDE, AT(system_wide), NULL, "with 'record NAME' or NAME: record all CPUs",
	  .rows = target_options },
	{ 'l', "list", OPT_BOOL, AT(list), NULL, "list the scripts that 'record NAME' and 'report NAME' find",
	  OPT_NONEG },

	{ 0, NULL, OPT_GROUP, 0, NULL, "Which samples" },
	{ 0, "time", OPT_INCLUDE, AT(time), .rows = usual_options },
	{ 0, "cpu pid tid", OPT_INCLUDE, AT(filter), .rows = filter_options },
	{ 'c', "comms", OPT_INCLUDE, AT(filter), .rows = filter_options },
	{ 0, "dsos", OPT_INCLUDE, AT(filter), .rows = filter_options },
	{ 0, "symbols", OPT_INCLUDE, AT(filter), NULL, "only samples in these functions or at these addresses",
	  .rows = filter_options },
	{ 0, "graph-function", OPT_INCLUDE, AT(filter), .rows = filter_options },
	{ 0, "switch-on", OPT_STR, AT(switch_on), "event", "start at a sample of this event" },
	{ 0, "switch-off", OPT_STR, AT(switch_off), "event",
	  "stop at a sample of this event, and start again at the next --switch-on" },
	{ 0, "show-on-off-events", OPT_BOOL, AT(print.show_switches), NULL,
	  "also print the samples of --switch-on and --switch-off" },
	{ 0, "addr-range", OPT_U64, AT(filter.address_range), "bytes",
	  "with addresses in -S: also include this many bytes after each address" },

	{ 0, NULL, OPT_GROUP, 0, NULL, "Call chains and names" },
	{ 'G', "hide-call-graph", OPT_BOOL, AT(print.hide_chain), NULL,
	  "print the sampled address instead of the call chain" },
	{ 0, "max-stack", OPT_INCLUDE, AT(print.max_stack), NULL, "print at most n frames of a call chain",
	  .rows = chain_options },
	{ 0, "stop-bt", OPT_STR, AT(stop_at), "names", "end call chains at these functions" },
	{ 0, "merge-callchains", OPT_BOOL, AT(merge), NULL,
	  "add the user parts of call chains that were recorded later (the default)" },
	{ 0, "stitch-lbr", OPT_INCLUDE, AT(stitch), .rows = chain_options },
	{ 0, "inline", OPT_BOOL, AT(inlines), NULL, "print inlined calls (the default)" },
	{ 0, "demangle demangle-kernel short-templates debuginfod bundle-first", OPT_INCLUDE, AT(objects),
	  .rows = object_options },
	{ 0, "full-source-path", OPT_BOOL, AT(print.full_source_path), NULL, "print the whole path of source files" },
	{ 0, "max-blocks", OPT_U64, AT(print.max_blocks), "n",
	  "with brstackinsn: at most the last n blocks between branches" },
	{ 0, "show-kernel-path", OPT_BOOL, AT(print.kernel_path), NULL, "print the path of the kernel's image" },
	{ 0, "vmlinux kallsyms symfs", OPT_INCLUDE, AT(objects), .rows = object_options },
	{ 0, "trace-text", OPT_INCLUDE, AT(session.trace_text), .rows = usual_options },

	{ 0, NULL, OPT_GROUP, 0, NULL, "Times" },
	{ 0, "ns", OPT_BOOL, AT(print.ns), NULL, "print times in nanoseconds" },
	{ 0, "reltime", OPT_BOOL, AT(print.reltime), NULL, "print times relative to the first printed record" },
	{ 0, "deltatime", OPT_BOOL, AT(print.deltatime), NULL, "print times relative to the previous record" },

	{ 0, NULL, OPT_GROUP, 0, NULL, "Other records" },
	{ 0, "show-task-events", OPT_CALL_FLAG, 0, NULL, "print when threads start, end and change their names", 0,
	  show_sideband },
	{ 0, "show-mmap-events", OPT_CALL_FLAG, 0, NULL, "print memory mappings", 0, show_sideband },
	{ 0, "show-switch-events", OPT_CALL_FLAG, 0, NULL, "print context switches", 0, show_sideband },
	{ 0, "show-namespace-events", OPT_CALL_FLAG, 0, NULL, "print the namespaces of threads", 0, show_sideband },
	{ 0, "show-cgroup-events", OPT_CALL_FLAG, 0, NULL, "print cgroups", 0, show_sideband },
	{ 0, "show-lost-events", OPT_CALL_FLAG, 0, NULL, "print where records were lost", 0, show_sideband },
	{ 0, "show-round-events", OPT_CALL_FLAG, 0, NULL, "print where the recorder's rounds end", 0, show_sideband },
	{ 0, "show-bpf-events", OPT_CALL_FLAG, 0, NULL, "print when BPF programs are loaded and unloaded", 0,
	  show_sideband },
	{ 0, "show-text-poke-events", OPT_CALL_FLAG, 0, NULL, "print changes of the kernel's code", 0, show_sideband },

	{ 0, NULL, OPT_GROUP, 0, NULL,
	  "Views, of recordings without a hardware trace (there is no decoder for those)" },
	{ 0, "insn-trace", OPT_CALL_OPT, 0, "raw|disasm", "print the instruction of each sample, as bytes or as text",
	  OPT_NONEG, set_trace_view, .values = "raw disasm" },
	{ 0, "call-trace", OPT_CALL_OPT, 0, NULL, "print calls, indented by their depth", OPT_NONEG, set_trace_view },
	{ 0, "call-ret-trace", OPT_CALL_OPT, 0, NULL, "also print returns", OPT_NONEG, set_trace_view },

	{ 0, "xed", OPT_BOOL, AT(none), NULL, "strobe runs no other program: --insn-trace=disasm disassembles",
	  OPT_REFUSED },
	{ 0, "itrace", OPT_INCLUDE, AT(itrace), .rows = usual_options },
	{ 0, "dlfilter", OPT_STR, AT(none), "file", NO_FILTERS, OPT_REFUSED },
	{ 0, "dlarg", OPT_STR, AT(none), "arg", NO_FILTERS, OPT_REFUSED },
	{ 0, "list-dlfilters", OPT_BOOL, AT(none), NULL, NO_FILTERS, OPT_REFUSED },
	{ 0, "unwind-style", OPT_INCLUDE, AT(objects), .rows = object_options },
	{ 0, "addr2line", OPT_INCLUDE, AT(none), .rows = accepted_options },
	{ 0, "guestmount", OPT_STR, AT(none), "dir", NO_GUESTS, OPT_REFUSED },
	{ 0, "guestvmlinux", OPT_STR, AT(none), "file", NO_GUESTS, OPT_REFUSED },
	{ 0, "guestkallsyms", OPT_STR, AT(none), "file", NO_GUESTS, OPT_REFUSED },
	{ 0, "guestmodules", OPT_STR, AT(none), "file", NO_GUESTS, OPT_REFUSED },
	{ 0, "guest-code", OPT_BOOL, AT(none), NULL, NO_GUESTS, OPT_REFUSED },
	{ 0 },
};

static const struct script_opts script_defaults = {
	.objects = OBJECT_DEFAULTS, .inlines = true, .merge = true, .print.max_stack = UINT64_MAX
};

/* ---- the command ---- */

static int check_options(struct script_opts *o, struct err *e)
{
	if (o->print.reltime && o->print.deltatime) {
		err_set(e, "--reltime and --deltatime exclude each other");
		return err_try(e, "one of them");
	}
	return 0;
}

static int check_cpus(const struct script_opts *o, const struct perfdata *pd, struct err *e)
{
	if (!o->filter.cpus.len)
		return 0;
	for (size_t i = 0; i < pd->n_events; i++)
		if (!(pd->events[i].attr.sample_type & SAMPLE_CPU)) {
			err_set(e, "File does not contain CPU events. Remove -C option to proceed.");
			return err_why(e, "samples of '%s' do not say on which CPU they were taken",
				       pd->events[i].name);
		}
	return 0;
}

static void prepare(struct script_opts *o, char **stops)
{
	char *rest = NULL;

	raise_verbosity(o->v);
	fields_of(o);
	o->session.forget_exited = true;
	o->session.split_chains = !o->merge;
	o->session.symbols = object_symbols(&o->objects, o->session.force);
	o->print.inlines = o->inlines;
	o->print.filter = &o->filter;
	if (o->print.max_stack == UINT64_MAX)
		o->print.max_stack = usual_chain_depth();
	if (!o->stop_at)
		return;
	*stops = xstrdup(o->stop_at);
	for (char *name = strtok_r(*stops, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
		vec_push(&o->stops, name);
	o->print.stop_at = &o->stops;
}

/* ---- a file per event ---- */

/*
 * Return "perf.data.cpu-clock.dump"; a second event with the same name gets a number. The caller
 * frees it.
 */
static char *dump_path(const struct perfdata *pd, size_t event)
{
	const char *input = strcmp(pd->path, "-") ? pd->path : "perf.data";
	unsigned same = 0;
	char *path, *name;

	for (size_t i = 0; i < event; i++)
		same += !strcmp(pd->events[i].name, pd->events[event].name);
	path = same ? xasprintf("%s.%s.%u.dump", input, pd->events[event].name, same + 1)
		    : xasprintf("%s.%s.dump", input, pd->events[event].name);
	for (name = path + strlen(input); *name; name++)
		if (*name == '/') /* as in "cpu/cycles/" */
			*name = '-';
	return path;
}

/* Open a file for each event. On failure, the caller closes those that are open. */
static int open_dumps(const struct perfdata *pd, struct new_file *files, struct print_sink *sinks, struct err *e)
{
	for (size_t i = 0; i < pd->n_events; i++) {
		autofree char *path = dump_path(pd, i);
		struct stat st;

		if (!lstat(path, &st) && !S_ISREG(st.st_mode))
			unlink(path); /* the name may be a link or a FIFO made by someone else */
		if (new_file_open(&files[i], path, e) < 0)
			return -1;
		sinks[i].out = &files[i].out;
	}
	return 0;
}

static void say_dump(const char *path, uint64_t samples, struct out *out)
{
	struct stat st = { 0 };

	stat(path, &st);
	out_fmt(out, "[ %s script: Wrote %.3f MB ", tool_name(), (double)st.st_size / (1 << 20));
	out_name(out, path);
	out_fmt(out, " (%llu samples) ]\n", (unsigned long long)samples);
}

/* Report each file that failed and remove incomplete ones. */
static int finish_dumps(const struct perfdata *pd, struct new_file *files, const struct print_sink *sinks,
			struct out *out, struct err *e)
{
	enum { NAMES_BYTES = 400 };
	struct out failed;
	unsigned more = 0;
	int rc = 0;

	out_init_mem(&failed);
	for (size_t i = 0; i < pd->n_events; i++) {
		autofree char *path = dump_path(pd, i);

		if (!new_file_finish(&files[i], rc ? NULL : e)) {
			say_dump(path, sinks[i].samples, out);
			continue;
		}
		if (failed.len + strlen(path) < NAMES_BYTES)
			out_fmt(&failed, "%s'%s'", failed.len ? ", " : "", path);
		else
			more++;
		rc = -1;
	}
	if (more)
		out_fmt(&failed, " and %u more", more);
	errno = e->sys;
	if (rc)
		err_sys(e, "cannot write %s", out_text(&failed));
	out_release(&failed);
	return rc;
}

static void drop_dumps(const struct perfdata *pd, struct new_file *files)
{
	for (size_t i = 0; i < pd->n_events; i++)
		if (files[i].path)
			new_file_drop(&files[i]);
}

/* ---- printing ---- */

/*
 * Return true if a pipe is printed while it arrives: unless the options need all of it, for a dump
 * of what lies where, files for each event, or shares of its time.
 */
static bool comes_in_rounds(const struct script_opts *o)
{
	struct stat st;

	if (strcmp(o->input ? o->input : usual_input(), "-") || fstat(STDIN_FILENO, &st) || S_ISREG(st.st_mode))
		return false;
	return !o->dump && !o->unsorted && !o->per_event && !o->time && !o->header_only && !o->print.check &&
	       !o->trace_view && !o->stitch && !(o->print.sideband & PRINT_ROUNDS);
}

static int print_rounds(struct live *l, struct printer *p, struct out *out, struct err *e)
{
	const struct session_place *places;
	size_t n;
	int what = 0;

	print_begin(p, out);
	while (!out->error && (what = live_next(l, e)) > LIVE_END) {
		places = live_places(l, &n);
		print_places(p, places, n, out);
		out_flush(out);
	}
	return what;
}

/* Print all records. With -D, each sample follows its dump. */
static int print_records(const struct script_opts *o, struct printer *p, struct session *s, struct out *out,
			 struct err *e)
{
	if (o->dump || o->unsorted) {
		if (dump_session(s, p, o->unsorted, out, e) < 0)
			return -1;
	} else if (o->live && !live_is_file(o->live)) {
		if (print_rounds(o->live, p, out, e) < 0)
			return -1;
	} else {
		print_all(p, out);
	}
	if (o->print.check)
		say("Misordered timestamps: %llu", (unsigned long long)print_misordered(p));
	printer_notes(p, &s->notes.format);
	return 0;
}

/* Find the event with this name; return its number + 1. */
static int find_switch(const struct perfdata *pd, const char *name, uint32_t *event, struct err *e)
{
	for (size_t i = 0; name && i < pd->n_events; i++) {
		if (!strcmp(pd->events[i].name, name)) {
			*event = (uint32_t)i + 1;
			return 0;
		}
	}
	if (!name)
		return 0;
	err_set(e, "switch event not found (%s)", name);
	err_try(e, "'%s evlist' lists the events of a recording", tool_name());
	return err_exit(e, EXIT_NOT_FOUND);
}

static void find_metrics(void *of, const struct print_count *counts, size_t n, struct out *lines)
{
	VEC(struct sampled_count) c = { 0 };

	for (size_t i = 0; i < n; i++)
		vec_push(&c, (struct sampled_count){ counts[i].event, counts[i].value });
	sampled_metrics(of, c.items, n, lines);
	vec_free(&c);
}

static int print_with(struct script_opts *o, struct session *s, struct out *out, struct err *e)
{
	struct out warnings;
	struct printer *p;
	int rc;

	out_init_mem(&warnings);
	o->print.warnings = &warnings;
	p = printer_new(s, &o->fields, &o->print, parallel_threads(), e);
	say_lines(&warnings);
	rc = p ? print_records(o, p, s, out, e) : -1;
	printer_free(p);
	return rc;
}

static int print_dumps(struct script_opts *o, struct session *s, struct out *out, struct err *e)
{
	autofree struct new_file *files = xcalloc(s->pd->n_events, sizeof(*files));
	autofree struct print_sink *sinks = xcalloc(s->pd->n_events, sizeof(*sinks));

	o->print.sinks = sinks;
	if (open_dumps(s->pd, files, sinks, e) < 0 || print_with(o, s, out, e) < 0 || out->error) {
		drop_dumps(s->pd, files);
		return out->error ? 0 : -1; /* the end of the output reports its error */
	}
	return finish_dumps(s->pd, files, sinks, out, e);
}

static int print_walked(struct script_opts *o, struct session *s, struct out *out, struct err *e)
{
	struct sampled *sampled;
	int rc;

	if (find_switch(s->pd, o->switch_on, &o->print.switch_on, e) < 0 ||
	    find_switch(s->pd, o->switch_off, &o->print.switch_off, e) < 0)
		return -1;
	sampled = sampled_new(s->pd);
	o->print.metrics = find_metrics;
	o->print.metrics_of = sampled;
	rc = o->per_event ? print_dumps(o, s, out, e) : print_with(o, s, out, e);
	sampled_free(sampled);
	return rc;
}

/* A recording of stat record has no samples: print its counts. */
static int print_counts(const struct script_opts *o, const struct session *s, struct out *out, struct err *e)
{
	if (o->print.form == PRINT_TEXT) {
		print_stat(s->pd, out);
		return 0;
	}
	if (o->print.form == PRINT_SCRIPT) {
		script_stat(s->pd, o->print.interpreter, out);
		return 0;
	}
	err_set(e, "'%s' has counts, no samples: they are printed as text only", s->pd->path);
	return err_try(e, "%s stat report -j, or -x ,", tool_name());
}

static int refuse_trace(const struct script_opts *o, const struct session *s, struct err *e)
{
	err_set(e, "--%s: the hardware trace in '%s' cannot be shown", o->trace_view, s->pd->path);
	err_why(e, NO_TRACES);
	return err_try(e, "without it strobe prints the samples next to the trace; or perf script --%s", o->trace_view);
}

static int print_samples(struct script_opts *o, struct session *s, struct out *out, struct err *e)
{
	const struct features *f = &s->pd->features;
	bool stated = feature_has(f, FEATURE_SAMPLE_TIME) && f->last_sample_ns;
	struct time_ranges times = { 0 };
	int rc;

	if (!o->live && session_walk(s, e) < 0)
		return -1;
	if (o->stitch)
		session_stitch(s);
	if (o->trace_view && s->types[RECORD_AUXTRACE])
		return refuse_trace(o, s, e);
	if (s->types[RECORD_STAT_ROUND] && !s->types[RECORD_SAMPLE])
		return print_counts(o, s, out, e);
	if (o->time && time_ranges_parse(&times, o->time, stated ? f->first_sample_ns : s->first_time,
					 stated ? f->last_sample_ns : s->last_time, o->print.reltime, e) < 0) {
		time_ranges_free(&times);
		return -1;
	}
	o->print.times = &times;
	rc = print_walked(o, s, out, e);
	time_ranges_free(&times);
	return rc;
}

static int print_session(struct script_opts *o, struct session *s, struct out *out, struct err *e)
{
	if (o->header || o->header_only)
		header_print(s->pd, o->full_header, out);
	else if (o->full_header && s->pd->pipe) /* in a pipe these are records of the stream: -I shows them */
		header_print_features(s->pd, true, out);
	if (o->header_only)
		return 0;
	if (check_cpus(o, s->pd, e) < 0)
		return -1;
	return print_samples(o, s, out, e);
}

/* ---- scripts ---- */

static int run_script(struct script_opts *o, char **args, struct session *s, struct out *out, struct err *e)
{
	const struct script_language *l = o->language;
	struct interpreter *interpreter;
	int rc = 0;

	setenv("PERF_EXEC_PATH", scripts_dir(), 0); /* scripts add directories below it to their path */
	interpreter = l->open(o->script, args, o->settings, e);
	if (!interpreter)
		return -1;
	o->print.form = PRINT_SCRIPT;
	o->print.interpreter = interpreter;
	l->run(interpreter);
	if (!interpreter->failed)
		l->call(interpreter, "trace_begin");
	if (!interpreter->failed)
		rc = print_session(o, s, out, e);
	if (!rc && !interpreter->failed)
		l->call(interpreter, "trace_end");
	o->script_ended = interpreter->ended;
	return l->close(interpreter, rc ? NULL : e) < 0 ? -1 : rc;
}

/*
 * Write a starter script: -g LANGUAGE writes perf-script.SUFFIX; -g FILE.SUFFIX writes that file.
 */
static int write_starter(struct script_opts *o, struct err *e)
{
	const struct script_language *named = script_language_named(o->starter, strlen(o->starter));
	const struct script_language *l = named ? named : script_language_of(o->starter);
	autofree char *path = named ? xasprintf("perf-script%s", named->suffix) : xstrdup(o->starter);
	struct new_file file;
	struct session *s;
	int rc;

	if (!l) {
		err_set(e, "no script to begin with in '%s'", o->starter);
		err_try(e, "-g python, -g perl, -g FILE.py or -g FILE.pl");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	s = session_open(o->input ? o->input : usual_input(), &o->session, e);
	if (!s)
		return -1;
	rc = new_file_open(&file, path, e);
	if (!rc) {
		l->starter(s->pd, &file.out);
		rc = new_file_finish(&file, e);
	}
	session_close(s);
	if (!rc)
		say("generated %s script: %s", l->name, path);
	return rc;
}

/* Report problems of the recording, and if there were no samples: a script may print nothing. */
static int tell_notes(const struct script_opts *o, const struct session *s)
{
	if (!o->dump && !o->unsorted && !o->header_only && !o->script_ended && !s->types[RECORD_SAMPLE] &&
	    !s->types[RECORD_STAT_ROUND])
		say("'%s' has no samples", s->pd->path);
	return o->header_only ? header_notes_say(s->pd) : session_notes_say(s);
}

static int print_input(struct script_opts *o, char **args, struct err *e)
{
	struct session *s;
	struct out out;
	int rc;

	if (comes_in_rounds(o))
		o->live = live_open_pipe(STDIN_FILENO, &(struct live_opts){ .session = o->session }, e);
	s = o->live              ? live_session(o->live)
	    : comes_in_rounds(o) ? NULL
				 : session_open(o->input ? o->input : usual_input(), &o->session, e);
	if (!s)
		return -1;
	out_init_fd(&out, STDOUT_FILENO);
	rc = o->script ? run_script(o, args, s, &out, e) : print_session(o, s, &out, e);
	if (rc < 0) {
		out_flush(&out);
		out_release(&out);
	} else if ((rc = out_finish(&out, e)) == 0) {
		rc = tell_notes(o, s);
	}
	if (o->live)
		live_close(o->live);
	else
		session_close(s);
	return rc;
}

/* Print the entries of a trace.dat. They are no samples, so refuse all other options. */
static int print_trace_dat(const struct script_opts *o, struct err *e)
{
	autofree struct script_opts *others = xmalloc(sizeof(*others));

	memcpy(others, o, sizeof(*o));
	others->input = script_defaults.input;
	others->settings = script_defaults.settings;
	others->session.trace_text = script_defaults.session.trace_text;
	if (!memcmp(others, &script_defaults, sizeof(*others)))
		return script_trace_dat(o->input, e);
	err_set(e, "'%s' is a trace.dat: it has no samples that the options of script could choose from", o->input);
	err_try(e, "%s script -i %s alone, or %s ftrace trace -i %s", tool_name(), o->input, tool_name(), o->input);
	return err_exit(e, EXIT_BAD_USAGE);
}

/* Replace a hardware trace by its samples; but listings of records show the trace. */
static int take_traces(struct script_opts *o, struct err *e)
{
	if (comes_in_rounds(o) || o->dump || o->header_only || o->trace_view)
		return 0;
	o->input = traced_input(o->input ? o->input : usual_input(), o->itrace, "", &o->session, e);
	return o->input ? 0 : -1;
}

static int script_run(void *opts, int argc, char **argv, struct err *e)
{
	struct script_opts *o = opts;
	autofree char *stops = NULL;
	int rc;

	if (o->list)
		return scripts_list(e);
	if (argc && !o->script)
		return scripts_run(argc, argv, o->input, o->system_wide, e);
	if (o->input && is_trace_dat(o->input))
		return print_trace_dat(o, e);
	rc = check_options(o, e);
	if (!rc) {
		prepare(o, &stops);
		rc = take_traces(o, e);
	}
	if (!rc) {
		rc = o->starter ? write_starter(o, e) : print_input(o, argv, e);
	}
	sample_filter_free(&o->filter);
	vec_free(&o->stops);
	return rc;
}

static const char *const script_usage[] = { "[<options>]", "[<options>] record <script> [<record-options>] <command>",
					    "[<options>] report <script> [<script-args>]",
					    "[<options>] <script> [<script-args>] <command>", NULL };

static int script_configure(void *opts, const struct config *settings, struct err *e)
{
	struct script_opts *o = opts;
	const char *text = config_find(settings, "script.trace-text");

	o->settings = settings;
	if (text && trace_text_by_parse(text, &o->session.trace_text, e) < 0)
		return err_in(e, "the setting script.trace-text");
	return 0;
}

const struct command cmd_script = {
	.name = "script",
	.summary = "print the samples of a recording, one by one",
	.usage = script_usage,
	.options = script_options,
	.defaults = &script_defaults,
	.opts_size = sizeof(struct script_opts),
	.stop_at_word = true,
	.words = "record report @file",
	.pager = true,
	.configure = script_configure,
	.run = script_run,
};
