#include "cmd/commands.h"

#include <regex.h>
#include <sys/stat.h>

#include "base/config.h"
#include "base/file.h"
#include "base/parallel.h"
#include "report/dump.h"
#include "report/fields.h"
#include "report/hierarchy.h"
#include "report/tasks.h"
#include "report/text.h"
#include "report/threads.h"

struct report_opts {
	const char *input, *callees, *sort, *fields, *parent, *comms, *dsos, *symbols, *symbol_part, *pids, *tids, *cpus, *times, *widths, *separator;
	const char *symfs, *vmlinux, *kallsyms, *color, *percentage;
	bool quiet, dump, stats, tasks, mmaps, header, header_only, full_header, force, stdio, ignore_vmlinux;
	bool samples, period, children, invert, exclude_other, hide_unresolved, demangle, short_templates, inlines, nanoseconds, full_paths;
	bool none;	/* of options that are refused */
	bool threads, pretty_raw;
	bool skip_empty, hierarchy, memory, utilization;
	uint64_t group_sort;
	int64_t socket;
	int verbose, branch, group;	/* branch: -1 = if the input has branch stacks; group: -1 = as recorded */
	uint64_t max_stack;
	double percent_limit;
	uint64_t time_quantum;
	struct call_graph {
		bool given, off, order_given, caller;
		enum graph_form form;
		enum graph_by by;
		enum text_value value;
		double min_percent;
		uint32_t print_limit;
	} graph;
};
#define AT(member) offsetof(struct report_opts, member)

/* attr.branch_sample_type: the branches are a call stack. Source: linux/perf_event.h, PERF_SAMPLE_BRANCH_CALL_STACK. */
#define BRANCH_CALL_STACK (1ull << 11)

/* ---- options with a language of their own ---- */

static bool begins(const char *word, size_t len, const char *of)
{
	return len && len <= strlen(of) && !strncmp(word, of, len);
}

/* One word of -g: 1 if it was understood. */
static int call_graph_word(struct call_graph *g, const char *word, size_t len)
{
	static const struct { const char *name; enum graph_form form; } forms[] = {
		{ "graph", GRAPH_ABSOLUTE }, { "flat", GRAPH_FLAT }, { "fractal", GRAPH_FRACTAL }, { "folded", GRAPH_FOLDED },
	};
	static const struct { const char *name; enum graph_by by; } sorts[] = {
		{ "function", GRAPH_BY_FUNCTION }, { "address", GRAPH_BY_ADDRESS }, { "srcline", GRAPH_BY_LINE },
	};
	static const struct { const char *name; enum text_value value; } values[] = {
		{ "percent", VALUE_PERCENT }, { "period", VALUE_PERIOD }, { "count", VALUE_COUNT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (begins(word, len, forms[i].name))
			return g->form = forms[i].form, 1;
	for (size_t i = 0; i < 2; i++)
		if (begins(word, len, i ? "callee" : "caller"))
			return g->caller = !i, g->order_given = true, 1;
	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++)
		if (begins(word, len, sorts[i].name))
			return g->by = sorts[i].by, 1;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		if (begins(word, len, values[i].name))
			return g->value = values[i].value, 1;
	return 0;
}

static int set_call_graph(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct call_graph *g = &((struct report_opts *)opts)->graph;
	bool threshold_given = false;

	g->given = true;
	g->off = unset || (value && !strcmp(value, "none"));
	if (g->off)
		return 0;
	for (const char *word = value ? value : "graph,0.5,caller"; *word;) {
		size_t len = strcspn(word, ", ");
		char *end;

		if (!call_graph_word(g, word, len)) {
			double number = strtod(word, &end);

			if (end != word + len || !len || !(number >= 0)) {
				err_set(e, "-g does not know '%.*s'", (int)len, word);
				err_try(e, "graph, fractal, flat, folded or none; caller or callee; function, address or srcline; percent, period or count; "
					   "a number: least percent; a second one: frames shown per level");
				return err_exit(e, 129);
			}
			if (threshold_given)
				g->print_limit = (uint32_t)MIN(number, 4e9);
			else
				g->min_percent = number;
			threshold_given = true;
		}
		word += len;
		word += strspn(word, ", ");
	}
	return 0;
}

static int set_inverted(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct call_graph *g = &((struct report_opts *)opts)->graph;

	g->caller = !unset;
	g->order_given = true;
	return 0;
}

static int set_branch(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	((struct report_opts *)opts)->branch = !unset;
	return 0;
}

static int set_group(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	((struct report_opts *)opts)->group = !unset;
	return 0;
}

static int set_percent_limit(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct report_opts *o = opts;
	char *end;

	o->percent_limit = strtod(value, &end);
	if (end == value || (*end && strcmp(end, "%")) || !(o->percent_limit >= 0)) {
		err_set(e, "--percent-limit: '%s' is no percentage", value);
		return err_exit(e, 129);
	}
	o->graph.min_percent = o->percent_limit;
	return 0;
}

static int set_time_quantum(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct report_opts *o = opts;

	if (parse_duration(value, &o->time_quantum, e) < 0)
		return err_exit(e, 129);
	if (!o->time_quantum)
		o->time_quantum = 1;
	return 0;
}

static int set_pretty(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	if (strcmp(value, "normal") && strcmp(value, "raw")) {
		err_set(e, "--pretty is normal or raw, not '%s'", value);
		return err_exit(e, 129);
	}
	((struct report_opts *)opts)->pretty_raw = *value == 'r';
	return 0;
}

static int set_socket(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	uint64_t n;

	((struct report_opts *)opts)->socket = -1;
	if (unset)
		return 0;
	if (parse_u64(value, &n, NULL) < 0 || n > INT32_MAX) {
		err_set(e, "--socket-filter: '%s' is no number of a socket", value);
		return err_exit(e, 129);
	}
	((struct report_opts *)opts)->socket = (int64_t)n;
	return 0;
}

static int set_percentage(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	if (strcmp(value, "relative") && strcmp(value, "absolute")) {
		err_set(e, "--percentage is relative or absolute, not '%s'", value);
		return err_exit(e, 129);
	}
	((struct report_opts *)opts)->percentage = value;
	return 0;
}

static int set_color(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	if (value && strcmp(value, "always") && strcmp(value, "never") && strcmp(value, "auto")) {
		err_set(e, "--stdio-color is always, never or auto, not '%s'", value);
		return err_exit(e, 129);
	}
	((struct report_opts *)opts)->color = value ? value : "always";
	return 0;
}

/* ---- settings of config files ---- */

static int configure_graph(struct call_graph *g, const struct config *c, struct err *e)
{
	static const char *const words[] = { "call-graph.print-type", "call-graph.order", "call-graph.sort-key" };
	static const char *const numbers[] = { "call-graph.threshold", "call-graph.print-limit" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *word = config_find(c, words[i]);

		if (word && !call_graph_word(g, word, strlen(word)))
			return err_set(e, "the setting %s does not know '%s'", words[i], word);
	}
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const char *text = config_find(c, numbers[i]);
		char *end;
		double number = text ? strtod(text, &end) : 0;

		if (!text)
			continue;
		if (end == text || *end || !(number >= 0))
			return err_set(e, "the setting %s is a number, not '%s'", numbers[i], text);
		if (i)
			g->print_limit = (uint32_t)MIN(number, 4e9);
		else
			g->min_percent = number;
	}
	return 0;
}

static int configure_bool(const struct config *c, const char *key, bool *value, struct err *e)
{
	const char *text = config_find(c, key);

	return !text || config_bool(text, value) ? 0 : err_set(e, "the setting %s is true or false, not '%s'", key, text);
}

/* Of perf's settings those that have to do with text. Unknown ones are for others. */
static int report_configure(void *opts, const struct config *c, struct err *e)
{
	static const struct { const char *name; int (*set)(void *, const struct opt *, const char *, bool, struct err *); } words[] = {
		{ "report.percent-limit", set_percent_limit }, { "hist.percentage", set_percentage },
	};
	struct report_opts *o = opts;
	bool group = o->group > 0;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (config_find(c, words[i].name) && words[i].set(o, NULL, config_find(c, words[i].name), false, e) < 0)
			return err_in(e, "the setting %s", words[i].name);
	if (configure_bool(c, "report.children", &o->children, e) < 0 || configure_bool(c, "report.skip-empty", &o->skip_empty, e) < 0 ||
	    configure_bool(c, "report.group", &group, e) < 0)
		return -1;
	if (config_find(c, "report.group"))
		o->group = group;
	if (config_find(c, "report.sort_order"))
		o->sort = config_find(c, "report.sort_order");
	return configure_graph(&o->graph, c, e);
}

static const struct report_opts report_defaults = {
	.children = true, .demangle = true, .inlines = true, .skip_empty = true, .branch = -1, .group = -1, .socket = -1, .max_stack = 127,
	.time_quantum = 100000000,
	.graph = { .form = GRAPH_ABSOLUTE, .min_percent = 0.5 },
};

static const struct opt report_options[] = {
	{ 'i', "input", OPT_STR, AT(input), "file", "read samples from this file, '-' for a pipe (default: perf.data)" },
	{ 'v', "verbose", OPT_COUNT, AT(verbose), NULL, "show addresses and full names of objects" },
	{ 'q', "quiet", OPT_BOOL, AT(quiet), NULL, "print rows only" },
	{ 'f', "force", OPT_BOOL, AT(force), NULL, "read a file whoever owns it" },
	{ 0, "stdio", OPT_BOOL, AT(stdio), NULL, "show text", OPT_NONEG },
	{ 0, NULL, OPT_GROUP, 0, NULL, "What is shown instead of a profile" },
	{ 'D', "dump-raw-trace", OPT_BOOL, AT(dump), NULL, "every record, with its bytes" },
	{ 0, "stats", OPT_BOOL, AT(stats), NULL, "how many records of each type there are" },
	{ 0, "tasks", OPT_BOOL, AT(tasks), NULL, "the processes and threads, as a tree" },
	{ 0, "mmaps", OPT_BOOL, AT(mmaps), NULL, "the same with what was mapped in the end" },
	{ 0, "header", OPT_BOOL, AT(header), NULL, "what the recorder noted of machine and run, before the profile" },
	{ 0, "header-only", OPT_BOOL, AT(header_only), NULL, "that alone" },
	{ 'I', "show-info", OPT_BOOL, AT(full_header), NULL, "in the header: topology and caches, too" },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Rows and columns" },
	{ 's', "sort", OPT_STR, AT(sort), "key,...", "group samples by these keys ('help' lists them); +key adds to the default" },
	{ 'F', "fields", OPT_STR, AT(fields), "key,...", "show these columns; +key adds to the default" },
	{ 'n', "show-nr-samples", OPT_BOOL, AT(samples), NULL, "show the number of samples" },
	{ 0, "show-total-period", OPT_BOOL, AT(period), NULL, "show the sum of periods" },
	{ 0, "group", OPT_CALL_FLAG, 0, NULL, "show events side by side (default for those recorded as a group)", 0, set_group },
	{ 'b', "branch-stack", OPT_CALL_FLAG, 0, NULL, "count branches instead of samples (default if there are any)", 0, set_branch },
	{ 0, "group-sort-idx", OPT_U64, AT(group_sort), "n", "sort rows by the nth event of the group, counted from 0" },
	{ 0, "show-cpu-utilization", OPT_BOOL, AT(utilization), NULL, "show shares of the kernel and of user space" },
	{ 0, "mem-mode", OPT_BOOL, AT(memory), NULL, "count the cost of memory accesses instead of samples (record -d or mem-loads events)" },
	{ 0, "skip-empty", OPT_BOOL, AT(skip_empty), NULL, "leave out events without samples (default)" },
	{ 'w', "column-widths", OPT_STR, AT(widths), "width,...", "widths of the columns, 0 = as wide as needed" },
	{ 't', "field-separator", OPT_STR, AT(separator), "text", "put this between columns, for machines to read" },
	{ 'T', "threads", OPT_BOOL, AT(threads), NULL, "below the profile: what each thread counted, of recordings made with record -s" },
	{ 0, "pretty", OPT_CALL, 0, "form", "of -T: normal (a table) or raw (a line per thread and event)", OPT_NONEG, set_pretty },
	{ 0, "percent-limit", OPT_CALL, 0, "percent", "leave out rows and branches of call graphs below", OPT_NONEG, set_percent_limit },
	{ 0, "percentage", OPT_CALL, 0, "how", "100 % are the samples that pass the filters (relative) or all (absolute)", 0, set_percentage },
	{ 0, "time-quantum", OPT_CALL, 0, "time", "what the key 'time' rounds to, with unit s, ms, us or ns (default: 100ms)", 0, set_time_quantum },
	{ 0, "ns", OPT_BOOL, AT(nanoseconds), NULL, "show times in nanoseconds" },
	{ 0, "full-source-path", OPT_BOOL, AT(full_paths), NULL, "show directories of source files" },
	{ 0, "stdio-color", OPT_CALL_LAST, 0, "when", "mark large shares: always, never or auto", 0, set_color },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Call graphs" },
	{ 'H', "hierarchy", OPT_BOOL, AT(hierarchy), NULL, "show rows as a tree, a level for each key; without the shares of callers" },
	{ 0, "children", OPT_BOOL, AT(children), NULL, "count a sample for its callers as well (default if there are call chains)" },
	{ 'g', "call-graph", OPT_CALL_LAST, 0, "how", "form,threshold,order,key,value: graph, fractal, flat, folded or none; least percent (0.5); caller or "
	  "callee first; function, address or srcline; percent, period or count", 0, set_call_graph },
	{ 'G', "inverted", OPT_CALL_FLAG, 0, NULL, "callers first", 0, set_inverted },
	{ 0, "max-stack", OPT_U64, AT(max_stack), "n", "keep at most n frames of a call chain (default: 127)" },
	{ 0, "inline", OPT_BOOL, AT(inlines), NULL, "show calls that were inlined, from debug information (default)" },
	{ 0, "ignore-callees", OPT_STR, AT(callees), "regex", "count what the functions that match called as theirs", OPT_NONEG },
	{ 'p', "parent", OPT_STR, AT(parent), "regex", "the key 'parent' is the caller that matches" },
	{ 'x', "exclude-other", OPT_BOOL, AT(exclude_other), NULL, "leave out samples without such a parent" },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Filters" },
	{ 'c', "comms", OPT_STR, AT(comms), "name,...", "threads of these names" },
	{ 'd', "dsos", OPT_STR, AT(dsos), "object,...", "samples in these objects" },
	{ 'S', "symbols", OPT_STR, AT(symbols), "name,...", "samples in these functions" },
	{ 0, "symbol-filter", OPT_STR, AT(symbol_part), "text", "samples in functions whose name contains this" },
	{ 0, "pid", OPT_STR, AT(pids), "pid,...", "these processes" },
	{ 0, "tid", OPT_STR, AT(tids), "tid,...", "these threads" },
	{ 'C', "cpu", OPT_STR, AT(cpus), "list", "these CPUs, such as 0-2,5" },
	{ 0, "socket-filter", OPT_CALL, 0, "n", "samples on the CPUs of this socket", 0, set_socket },
	{ 0, "time", OPT_STR, AT(times), "ranges", "START,STOP in seconds, or percents such as 10%/2 or 0%-10%,30%-40%" },
	{ 'U', "hide-unresolved", OPT_BOOL, AT(hide_unresolved), NULL, "leave out what has no symbol" },
	{ 0, "gtk", OPT_BOOL, AT(none), NULL, "there is no second screen toolkit: see --stdio", OPT_REFUSED },
	{ 0, "itrace", OPT_BOOL, AT(none), NULL, "there is no decoder for hardware traces", OPT_REFUSED },
	{ 0, "stitch-lbr", OPT_BOOL, AT(none), NULL, "call stacks of the hardware are shown as they were recorded", OPT_REFUSED },
	{ 'm', "modules", OPT_BOOL, AT(none), NULL, "symbols of modules are always read: from their files, else from kallsyms", OPT_REFUSED },
	{ 0, "addr2line", OPT_BOOL, AT(none), NULL, "lines come from the debug information itself: no other program is run", OPT_REFUSED },
	{ 0, "addr2line-style", OPT_BOOL, AT(none), NULL, "lines come from the debug information itself: there is one way", OPT_REFUSED },
	{ 0, "unwind-style", OPT_BOOL, AT(none), NULL, "stacks are unwound in one way", OPT_REFUSED },
	{ 0, "disable-order", OPT_BOOL, AT(none), NULL, "nothing here waits for records to be sorted", OPT_REFUSED },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Symbols" },
	{ 'k', "vmlinux", OPT_STR, AT(vmlinux), "file", "the kernel's image" },
	{ 0, "ignore-vmlinux", OPT_BOOL, AT(ignore_vmlinux), NULL, "do not look for the kernel's image" },
	{ 0, "kallsyms", OPT_STR, AT(kallsyms), "file", "the kernel's symbols" },
	{ 0, "symfs", OPT_STR, AT(symfs), "dir", "look for objects below this directory" },
	{ 0, "demangle", OPT_BOOL, AT(demangle), NULL, "show names as in the source (default)" },
	{ 0, "short-templates", OPT_BOOL, AT(short_templates), NULL, "show template arguments as <...>", OPT_OURS },
	{ 0 }
};

/* ---- from options to what the layers below want ---- */

/* What a run has, so that one place frees it. */
struct run {
	const struct report_opts *o;
	struct session *session;
	struct fields_opts how;
	struct fields fields;
	struct profile_filter filter;
	struct profile *profile;
	struct fold *fold;
	struct view_opts view;
	struct text_opts text;
	bool *hidden;
	VEC(int) widths;
	VEC(const struct key *) sample_keys, site_keys;	/* those of the fields that rows are grouped by */
	regex_t parent, callees;
	bool has_parent, has_callees, branches, children, chains;
};

static int make_filter(struct run *r, struct err *e)
{
	const struct report_opts *o = r->o;
	const struct { const char *list; enum sample_filter_kind kind; } lists[] = {
		{ o->comms, FILTER_COMMS }, { o->dsos, FILTER_DSOS }, { o->symbols, FILTER_SYMBOLS }, { o->pids, FILTER_PIDS },
		{ o->tids, FILTER_TIDS }, { o->cpus, FILTER_CPUS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (lists[i].list && sample_filter_add(&r->filter.who, lists[i].kind, lists[i].list, e) < 0)
			return err_exit(e, 129);
	r->filter.socket = o->socket + 1;
	r->filter.symbol_part = o->symbol_part;
	r->filter.hide_unresolved = o->hide_unresolved;
	return o->times ? time_ranges_parse(&r->filter.times, o->times, r->session->first_time, r->session->last_time, false, e) : 0;
}

/* The one name of a list, NULL if there is none or there are several. */
static const char *only_name(const struct strtab *names)
{
	return names->texts.len == 2 ? names->texts.items[1] : NULL;
}

/* The name that a filter lets pass alone, by the key whose column need not show it then. */
static const char *filtered_name(const struct run *r, const struct key *k)
{
	return !strcmp(k->name, "comm") ? only_name(&r->filter.who.comms) : !strcmp(k->name, "dso") ? only_name(&r->filter.who.dsos) :
	       !strcmp(k->name, "symbol") ? only_name(&r->filter.who.symbols) : NULL;
}

/* -w: numbers separated by commas. */
static int parse_widths(struct run *r, struct err *e)
{
	const char *s = r->o->widths;

	while (s && *s) {
		char *end;
		unsigned long width = strtoul(s, &end, 10);

		if (end == s || (*end && *end != ',') || width > 4096) {
			err_set(e, "-w: '%s' is no list of widths", r->o->widths);
			return err_exit(e, 129);
		}
		vec_push(&r->widths, (int)width);
		s = end + (*end == ',');
	}
	return 0;
}

static uint64_t sample_types(const struct perfdata *pd)
{
	uint64_t all = 0;

	for (size_t i = 0; i < pd->n_events; i++)
		all |= pd->events[i].attr.sample_type;
	return all;
}

/* Columns that a filter with one value would fill with it, unless that were all of them. */
static void hide_columns(struct run *r)
{
	bool others = false;

	r->hidden = xcalloc(r->fields.columns.len, sizeof(*r->hidden));
	for (size_t i = 0; i < r->fields.columns.len; i++) {
		r->hidden[i] = filtered_name(r, r->fields.columns.items[i]);
		others |= !r->fields.columns.items[i]->sum && !r->hidden[i];
	}
	if (!others)
		memset(r->hidden, 0, r->fields.columns.len * sizeof(*r->hidden));
}

static bool branches_are_calls(const struct perfdata *pd)
{
	for (size_t i = 0; i < pd->n_events; i++)
		if (pd->events[i].attr.branch_sample_type & BRANCH_CALL_STACK)
			return true;
	return false;
}

static bool only_tracepoints(const struct perfdata *pd)
{
	for (size_t i = 0; i < pd->n_events; i++)
		if (pd->events[i].attr.type != ATTR_TYPE_TRACEPOINT)
			return false;
	return pd->n_events > 0;
}

static int make_fields(struct run *r, struct err *e)
{
	const struct report_opts *o = r->o;
	uint64_t types = sample_types(r->session->pd);

	r->branches = types & SAMPLE_BRANCH_STACK && o->branch && (o->branch > 0 || !branches_are_calls(r->session->pd));
	if (o->branch == 1 && !(types & SAMPLE_BRANCH_STACK))
		return err_set(e, "the samples have no branch stacks"), err_try(e, "%s record -b", tool_name);
	if (o->memory && !(types & SAMPLE_DATA_SRC) && !r->session->pd->pipe) {
		err_set(e, "Selected --mem-mode but no mem data");
		return err_try(e, "%s record -d", tool_name);
	}
	if (o->memory && r->branches) {
		err_set(e, "branches and --mem-mode do not go together");
		return err_exit(e, 129);
	}
	/* perf decides this before it reads the events of a pipe, and counts no children there. */
	r->children = o->children && types & SAMPLE_CALLCHAIN && !r->branches && !o->memory && !o->hierarchy && !r->session->pd->pipe;
	r->chains = types & SAMPLE_CALLCHAIN && !r->branches && !o->graph.off;
	r->how = (struct fields_opts){ .sort = o->sort, .fields = o->fields, .children = r->children, .branch = r->branches, .memory = o->memory,
		.utilization = o->utilization, .samples = o->samples, .period = o->period, .tracepoints = only_tracepoints(r->session->pd), .parent = o->parent };
	return fields_parse(&r->fields, &r->how, e);
}

static int compile_pattern(regex_t *compiled, const char *option, const char *pattern, struct err *e)
{
	char why[128];
	int rc = regcomp(compiled, pattern, REG_EXTENDED | REG_NOSUB);

	if (!rc)
		return 0;
	regerror(rc, compiled, why, sizeof(why));
	err_set(e, "%s: '%s' is no regular expression", option, pattern);
	err_why(e, "%s", why);
	return err_exit(e, 129);
}

static int compile_patterns(struct run *r, struct err *e)
{
	const char *parent = r->o->parent ? r->o->parent : "^sys_|^do_page_fault";

	if (r->o->parent || r->o->exclude_other || fields_have(&r->fields, "parent")) {
		if (compile_pattern(&r->parent, "-p", parent, e) < 0)
			return -1;
		r->has_parent = true;
	}
	if (r->o->callees) {
		if (compile_pattern(&r->callees, "--ignore-callees", r->o->callees, e) < 0)
			return -1;
		r->has_callees = true;
	}
	return 0;
}

/* ---- the profile ---- */

static void make_profile(struct run *r)
{
	const struct report_opts *o = r->o;
	bool caller_first = o->graph.order_given ? o->graph.caller : o->children && !r->branches;

	for (size_t i = 0; i < r->fields.sort.len; i++) {
		const struct key *k = r->fields.sort.items[i];

		if (k->from == KEY_SAMPLE)
			vec_push(&r->sample_keys, k);
		else if (k->site)
			vec_push(&r->site_keys, k);
	}
	r->profile = profile_new(r->session, &(struct profile_opts){
		.kind = r->branches ? PROFILE_BRANCHES : o->memory ? PROFILE_MEMORY : PROFILE_SAMPLES, .keys = r->sample_keys.items, .n_keys = r->sample_keys.len,
		.chains = r->chains || r->children || r->has_parent || r->has_callees, .caller_first = caller_first, .max_stack = (uint32_t)MIN(o->max_stack, 1u << 20),
		.inlines = o->inlines && (r->chains || r->children), .graph_by = o->graph.by,
		.by_address = fields_need(&r->fields, NEEDS_ADDRESS) || o->graph.by == GRAPH_BY_ADDRESS,
		.by_line = fields_need(&r->fields, NEEDS_LINES_APART) || o->graph.by == GRAPH_BY_LINE,
		.want_lines = fields_need(&r->fields, NEEDS_LINE) || o->graph.by != GRAPH_BY_FUNCTION,
		.want_trace = fields_need(&r->fields, NEEDS_TRACE), .threads = parallel_threads(), .time_quantum = o->time_quantum }, &r->filter);
	profile_decode(r->profile);
	profile_name(r->profile);
	if (r->has_callees)
		profile_ignore_callees(r->profile, &r->callees);
	r->fold = fold_new(r->profile, &(struct fold_opts){ .keys = r->site_keys.items, .n_keys = r->site_keys.len, .children = r->children,
		.parent = r->has_parent ? &r->parent : NULL, .only_with_parent = o->exclude_other });
}

static bool want_color(const struct report_opts *o)
{
	if (o->color && strcmp(o->color, "auto"))
		return !strcmp(o->color, "always");
	return isatty(STDOUT_FILENO) && !o->separator;
}

static void make_view(struct run *r)
{
	const struct report_opts *o = r->o;

	hide_columns(r);
	r->view = (struct view_opts){
		.fields = r->fields.columns.items, .n_fields = r->fields.columns.len, .sort = r->fields.sort.items, .n_sort = r->fields.sort.len,
		.hidden = o->hierarchy ? NULL : r->hidden, .widths = r->widths.items, .n_widths = r->widths.len, .self_title = r->fields.self_title, .children = r->children,
		.sort_event = o->group_sort,
		.relative = o->percentage && !strcmp(o->percentage, "relative"), .chains = r->chains, .caller_first = r->profile->opts.caller_first,
		.verbose = o->verbose > 0, .full_paths = o->full_paths, .nanoseconds = o->nanoseconds, .separated = o->separator || o->widths || o->dsos,
	};
	r->text = (struct text_opts){
		.separator = o->separator, .min_percent = o->percent_limit, .headings = !o->quiet, .color = want_color(o),
		.graph = { .form = r->chains ? o->graph.form : GRAPH_NONE, .min_percent = o->graph.min_percent }, .value = o->graph.value,
		.print_limit = o->graph.print_limit, .graph_lines = o->graph.by != GRAPH_BY_FUNCTION, .graph_addresses = o->graph.by == GRAPH_BY_ADDRESS, .first_is_symbol = r->fields.first_is_symbol,
	};
}

/* ---- text around the tables ---- */

/* "74 ", "1K": thousands are cut off. */
static void print_count(uint64_t n, struct out *out)
{
	static const char units[] = " KMG";
	size_t unit = 0;

	for (; n > 1000 && unit < 3; unit++)
		n /= 1000;
	out_u64(out, n);
	out_char(out, units[unit]);
}

static void print_event_name(const struct run *r, const uint32_t *events, size_t n, struct out *out)
{
	const struct file_event *all = r->session->pd->events;
	const char *group = all[events[0]].group_name;
	bool recorded = all[events[0]].n_members > 1;

	if (recorded) {
		out_name(out, group && strcmp(group, "{anon_group}") ? group : "anon group");
		out_str(out, " { ");
	}
	for (size_t i = 0; i < n; i++) {
		if (i)
			out_str(out, ", ");
		out_name(out, all[events[i]].name);
	}
	if (recorded)
		out_str(out, " }");
}

static void print_sort_order(const struct run *r, struct out *out)
{
	const char *sort = r->o->sort;

	out_str(out, "\n# Sort order   : ");
	if (!sort || *sort == '+') {
		out_str(out, fields_default_sort(&r->how));
		out_str(out, sort ? "," : "");
	}
	if (sort)
		out_name(out, sort + (*sort == '+'));
	if (sort && fields_have(&r->fields, "ipc_null"))
		out_str(out, ",ipc_null");
}

static void print_event_head(const struct run *r, const struct view *v, const uint32_t *events, size_t n, struct out *out)
{
	struct event_total all = { 0 };

	if (r->o->quiet)
		return;
	for (size_t i = 0; i < v->n_events; i++) {
		all.samples += v->totals[i].samples;
		all.period += v->totals[i].period;
	}
	out_str(out, "# Samples: ");
	print_count(all.samples, out);
	out_fmt(out, " of event%s '", n > 1 || r->session->pd->events[events[0]].n_members > 1 ? "s" : "");
	print_event_name(r, events, n, out);
	out_char(out, '\'');
	if (r->o->times)
		out_fmt(out, " (time slices: %s)", r->o->times);
	out_str(out, r->o->memory ? "\n# Total weight : " : "\n# Event count (approx.): ");
	out_u64(out, all.period);
	if (r->o->memory)
		print_sort_order(r, out);
	if (r->o->socket >= 0)
		out_fmt(out, "\n# Processor Socket: %lld", (long long)r->o->socket);
	out_str(out, "\n#\n");
}

static void print_head(const struct run *r, struct out *out)
{
	const struct report_opts *o = r->o;

	if (o->header)
		header_print(r->session->pd, o->full_header, out);
	if (o->quiet)
		return;
	if (!o->header)
		out_str(out, "# To display the perf.data header info, please use --header/--header-only options.\n#\n");
	for (size_t i = 0; i < r->fields.columns.len; i++) {
		const struct key *k = r->fields.columns.items[i];

		if (!r->hidden[i])
			continue;
		out_fmt(out, "# %s: ", k->name);
		out_name(out, filtered_name(r, k));
		out_char(out, '\n');
	}
	out_fmt(out, "#\n# Total Lost Samples: %llu\n#\n", (unsigned long long)r->session->notes.lost_samples);
}

/* A different one each day, so that output compared with that of the same day stays the same. */
static void print_tip(const struct run *r, struct out *out)
{
	static const char *const tips[] = {
		"See who calls what: record -g, then report --no-children -G",
		"Folded stacks for a flame graph: report -g folded,0,caller --no-children",
		"Only one program: report -c NAME",
		"Less is more: report --percent-limit 1",
		"One line per process: report -s pid",
		"Where in the source: report -s srcline",
		"Columns for other programs: report -t, -F overhead,comm,symbol",
		"How the time passed: report -s time --time-quantum 1s",
		"Part of the recording: report --time 10%-20%",
		"Stacks without frame pointers: record --call-graph dwarf",
		"What was the machine? report --header-only",
		"Every sample, one after the other: script",
	};
	int64_t day = r->session->pd->mtime_ns / 86400000000000;

	if (!r->o->quiet)
		out_fmt(out, "#\n# (Tip: %s)\n#\n", tips[(uint64_t)day % ARRAY_SIZE(tips)]);
}

/* One table: an event, or the events of a group side by side. */
static void print_events(struct run *r, const uint32_t *events, size_t n, struct out *out)
{
	uint32_t *shown = xcalloc(n, sizeof(*shown));
	size_t n_shown = 0;
	struct view *v;

	for (size_t i = 0; i < n; i++)
		if (!i || !r->o->skip_empty || r->fold->totals[events[i]].samples)
			shown[n_shown++] = events[i];
	v = view_new(r->fold, &r->view, shown, n_shown);
	print_event_head(r, v, shown, n_shown, out);
	if (r->o->hierarchy) {
		struct hierarchy *h = hierarchy_new(v);

		text_hierarchy(h, &r->text, out);
		hierarchy_free(h);
	} else {
		text_view(v, &r->text, out);
	}
	out_str(out, "\n\n");
	view_free(v);
	free(shown);
}

static void print_tables(struct run *r, struct out *out)
{
	const struct perfdata *pd = r->session->pd;
	uint32_t *events = xcalloc(pd->n_events, sizeof(*events));
	bool any_group = false;

	for (size_t i = 0; i < pd->n_events; i++)
		any_group |= pd->events[i].n_members > 1;
	for (uint32_t i = 0; i < pd->n_events; i++) {
		size_t n = 0;

		if (r->o->group == 0) {
			events[n++] = i;
		} else if (r->o->group == 1 && !any_group) {
			while (!i && n < pd->n_events)
				events[n] = (uint32_t)n, n++;
		} else {
			for (uint32_t k = i; k < pd->n_events; k++)
				if (pd->events[k].leader == i)
					events[n++] = k;
		}
		if (n && !(r->o->skip_empty && !r->fold->totals[events[0]].samples))
			print_events(r, events, n, out);
	}
	free(events);
}

static uint64_t all_samples(const struct run *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->session->pd->n_events; i++)
		n += r->fold->totals[i].samples;
	return n;
}

/* ---- the command ---- */

static void run_release(struct run *r)
{
	fold_free(r->fold);
	profile_free(r->profile);
	fields_free(&r->fields);
	session_close(r->session);
	sample_filter_free(&r->filter.who);
	time_ranges_free(&r->filter.times);
	free(r->hidden);
	vec_free(&r->widths);
	vec_free(&r->sample_keys);
	vec_free(&r->site_keys);
	if (r->has_parent)
		regfree(&r->parent);
	if (r->has_callees)
		regfree(&r->callees);
}

/* Without -i a pipe at stdin is read, as in "record -o - | report". */
static const char *input_path(const struct report_opts *o)
{
	struct stat st;

	if (o->input)
		return o->input;
	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

/*
 * What was asked for needs call chains that nobody recorded. perf says so, prints its first lines and ends well; of a pipe it cannot know. Returns
 * whether that is so.
 */
static bool no_chains(struct run *r, struct out *out)
{
	static const char graphs[] = "Error:\nSelected -g or --branch-history.\nBut no callchain or branch data.\nDid you call 'perf record' without -g or -b?\n";
	static const char parents[] = "Error:\nSelected --sort parent, but no callchain data. Did you call 'perf record' without -g?\n";
	const char *text = r->has_parent ? parents : r->o->graph.given && !r->o->graph.off ? graphs : NULL;

	if (!text || sample_types(r->session->pd) & SAMPLE_CALLCHAIN || r->session->pd->pipe)
		return false;
	write_all(STDERR_FILENO, text, strlen(text));
	if (!r->o->quiet)
		out_str(out, "# To display the perf.data header info, please use --header/--header-only options.\n#\n");
	return true;
}

/* The names of --sort, as its argument 'help' lists them. */
static int list_keys(struct err *e)
{
	struct out out;

	out_init_fd(&out, STDOUT_FILENO);
	for (const struct key *k = keys; k->name; k++) {
		out_fmt(&out, "%-20s%s", k->name, k->title + strspn(k->title, " "));
		out_str(&out, k->needs & NEEDS_BRANCH ? " (of branches)\n" : "\n");
	}
	return out_finish(&out, e);
}

static int report_profile(struct run *r, struct out *out, struct err *e)
{
	if (session_walk(r->session, e) < 0)
		return -1;
	if (r->o->tasks || r->o->mmaps) {
		tasks_print(r->session, r->o->mmaps, out);
		return 0;
	}
	if (make_fields(r, e) < 0 || make_filter(r, e) < 0 || parse_widths(r, e) < 0 || compile_patterns(r, e) < 0)
		return -1;
	if (no_chains(r, out))
		return 0;
	make_profile(r);
	make_view(r);
	if (!all_samples(r)) {
		say("Error:");
		say("The %s data has no samples!", r->session->pd->path);
		return 0;
	}
	print_head(r, out);
	print_tables(r, out);
	print_tip(r, out);
	if (r->o->threads)
		threads_print(r->session->pd, r->o->pretty_raw, out);
	return 0;
}

/* -D: every record, with whose sample it is. */
static int report_dump(const struct report_opts *o, struct out *out, struct err *e)
{
	struct session *s = session_open(input_path(o), &(struct session_opts){ .force = o->force, .symbols = { .symfs = o->symfs } }, e);
	int rc;

	if (!s)
		return -1;
	rc = dump_session(s, NULL, out, e);
	if (!rc)
		rc = session_notes_say(s);
	session_close(s);
	return rc;
}

/* What needs no session: the input's records and header as they are. */
static int report_file(const struct report_opts *o, struct out *out, struct err *e)
{
	struct perfdata *pd = perfdata_open(input_path(o), &(struct perfdata_opts){ .force = o->force }, e);
	struct format_notes notes;
	int rc = 0;

	if (!pd)
		return -1;
	notes = pd->notes;
	if (o->header_only)
		header_print(pd, o->full_header, out);
	else
		rc = stats_print(pd, &notes, out, e);
	if (!rc)
		rc = notes_say(pd, &notes);
	perfdata_close(pd);
	return rc;
}

static int report_session(struct run *r, struct out *out, struct err *e)
{
	const struct report_opts *o = r->o;
	int rc;

	r->session = session_open(input_path(o), &(struct session_opts){ .force = o->force, .inodes = o->mmaps, .read_ahead = !o->tasks && !o->mmaps, .symbols = {
		.symfs = o->symfs, .kallsyms = o->kallsyms, .vmlinux = o->vmlinux, .no_kernel_image = o->ignore_vmlinux, .no_demangle = !o->demangle, .short_templates = o->short_templates,
		.force = o->force } }, e);
	if (!r->session)
		return -1;
	rc = report_profile(r, out, e);
	return rc ? rc : session_notes_say(r->session);
}

static int report_run(void *opts, int argc, char **argv, struct err *e)
{
	const struct report_opts *o = opts;
	struct run r = { .o = o };
	struct out out;
	int rc;

	if (argc) {
		err_set(e, "report takes no arguments: '%s'", argv[0]);
		err_try(e, "-i '%s' to read that file", argv[0]);
		return err_exit(e, 129);
	}
	if (o->sort && !strcmp(o->sort, "help"))
		return list_keys(e);
	if (o->quiet)
		verbose = -1;
	out_init_fd(&out, STDOUT_FILENO);
	rc = o->header_only || o->stats ? report_file(o, &out, e) : o->dump ? report_dump(o, &out, e) : report_session(&r, &out, e);
	if (out_finish(&out, rc < 0 ? NULL : e) < 0 && rc >= 0)
		rc = -1;
	run_release(&r);
	return rc;
}

const struct command cmd_report = {
	.name = "report", .summary = "show where the samples fell", .run = report_run, .configure = report_configure, .pager = true,
	.usage = (const char *const[]){ "[<options>]", NULL },
	.options = report_options, .defaults = &report_defaults, .opts_size = sizeof(struct report_opts),
};
