#include "cmd/commands.h"
#include "cmd/report/report_priv.h"
#include "base/units.h"
#include "report/tracepoint/plugin.h"

#define AT(member) offsetof(struct report_opts, member)

/* ---- options with their own syntax ---- */

static bool begins(const char *word, size_t len, const char *of)
{
	return len && len <= strlen(of) && !strncmp(word, of, len);
}

/* Parse one word of -g. Return 1 if it is known. */
static int call_graph_word(struct call_graph *g, const char *word, size_t len)
{
	static const struct {
		const char *name;
		enum graph_form form;
	} forms[] = {
		{ "graph", GRAPH_ABSOLUTE },
		{ "flat", GRAPH_FLAT },
		{ "fractal", GRAPH_FRACTAL },
		{ "folded", GRAPH_FOLDED },
	};
	static const struct {
		const char *name;
		enum graph_by by;
	} sorts[] = {
		{ "function", GRAPH_BY_FUNCTION },
		{ "address", GRAPH_BY_ADDRESS },
		{ "srcline", GRAPH_BY_LINE },
	};
	static const struct {
		const char *name;
		enum text_value value;
	} values[] = {
		{ "percent", VALUE_PERCENT },
		{ "period", VALUE_PERIOD },
		{ "count", VALUE_COUNT },
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
	if (begins(word, len, "branch"))
		return g->branches = true, 1;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		if (begins(word, len, values[i].name))
			return g->value = values[i].value, 1;
	return 0;
}

static int unknown_graph_word(const char *option, const char *text, size_t len, struct err *e)
{
	static const char *const words[] = { "graph",  "fractal", "flat",     "folded",  "none",
					     "caller", "callee",  "function", "address", "srcline",
					     "branch", "percent", "period",   "count",   NULL };
	autofree char *word = xstrndup(text, len);

	err_set(e, "%s does not know '%s'", option, word);
	err_why(e, "it takes words, and numbers: the least percent, and how many frames are shown per level");
	opt_try_near(e, word, words, NULL);
	return err_exit(e, EXIT_BAD_USAGE);
}

int call_graph_parse(struct call_graph *g, const char *value, bool unset, struct err *e)
{
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

			if (end != word + len || !len || !(number >= 0))
				return unknown_graph_word("-g", word, len, e);
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

static int set_call_graph(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return call_graph_parse(&((struct report_opts *)opts)->graph, value, unset, e);
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

/* Return what the user wrote: some functions serve an option and, without an `opt`, a setting. */
static const char *written(const struct opt *opt, const char *option, const char *setting)
{
	return opt ? option : setting;
}

static int set_percent_limit(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct report_opts *o = opts;
	char *end;

	o->percent_limit = strtod(value, &end);
	if (end == value || (*end && strcmp(end, "%")) || !(o->percent_limit >= 0 && o->percent_limit <= 100)) {
		err_set(e, "%s: '%s' is no percentage",
			written(opt, "--percent-limit", "the setting report.percent-limit"), value);
		err_try(e, "%s N, where N is 0 to 100", written(opt, "--percent-limit", "report.percent-limit ="));
		return err_exit(e, EXIT_BAD_USAGE);
	}
	o->graph.min_percent = o->percent_limit;
	return 0;
}

static int set_verify(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct report_opts *o = opts;

	o->verify = unset ? 0 : 1000;
	o->quality |= !unset;
	if (!value || unset)
		return 0;
	if (parse_u64(value, &o->verify, e) < 0)
		return err_exit(e, EXIT_BAD_USAGE);
	if (!o->verify) {
		err_set(e, "--verify-stacks: there is nothing to learn from 0 stacks");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return 0;
}

static int set_time_quantum(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct report_opts *o = opts;

	if (parse_duration(value, &o->time_quantum, e) < 0)
		return err_exit(e, EXIT_BAD_USAGE);
	if (!o->time_quantum) {
		err_set(e, "--time-quantum: there is no time of length 0");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return 0;
}

static int set_pretty(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	static const char *const forms[] = { "normal", "raw", NULL };

	if (opt_word("--pretty", value, forms, e) < 0)
		return -1;
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
		return err_exit(e, EXIT_BAD_USAGE);
	}
	((struct report_opts *)opts)->socket = (int64_t)n;
	return 0;
}

static int set_percentage(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	static const char *const bases[] = { "relative", "absolute", NULL };

	if (opt_word(written(opt, "--percentage", "the setting hist.percentage"), value, bases, e) < 0)
		return -1;
	((struct report_opts *)opts)->percentage = value;
	return 0;
}

static int set_color(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	static const char *const modes[] = { "always", "never", "auto", NULL };

	if (value && opt_word("--stdio-color", value, modes, e) < 0)
		return -1;
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
			return unknown_graph_word(words[i], word, strlen(word), e);
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

	return !text || config_bool(text, value) ? 0
						 : err_set(e, "the setting %s is true or false, not '%s'", key, text);
}

/* Maximum time around a single sample. */
enum { CONTEXT_MS_MAX = 1000000000 };

static int configure_context(struct report_opts *o, const struct config *c, struct err *e)
{
	const char *text = config_find(c, "samples.context");
	uint64_t ms;

	if (!text)
		return 0;
	if (parse_u64(text, &ms, e) < 0 || ms > CONTEXT_MS_MAX)
		return err_set(e, "the setting samples.context is a number of milliseconds, not '%s'", text);
	o->context_ns = ms * 1000000;
	return 0;
}

/* Apply perf's settings for text. Unknown settings belong to others. */
int report_configure(void *opts, const struct config *c, struct err *e)
{
	static const struct {
		const char *name;
		int (*set)(void *, const struct opt *, const char *, bool, struct err *);
	} words[] = {
		{ "report.percent-limit", set_percent_limit },
		{ "hist.percentage", set_percentage },
	};
	struct report_opts *o = opts;
	bool group = o->group > 0;
	const char *text;

	if (screen_configure(&o->settings, "report", c, e) < 0)
		return -1;
	o->quality_line = !only_perfs_words();
	o->source &= !o->settings.no_source;
	o->code.objdump = o->settings.objdump;
	o->code.style = o->settings.style;
	o->code.percent = o->settings.code.percent;
	o->objects.demangle &= !o->settings.no_demangle;
	o->objects.demangle_kernel |= o->settings.demangle_kernel;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (config_find(c, words[i].name) && words[i].set(o, NULL, config_find(c, words[i].name), false, e) < 0)
			return -1;
	text = config_find(c, "report.trace-text");
	if (text && trace_text_by_parse(text, &o->trace_text, e) < 0)
		return err_in(e, "the setting report.trace-text");
	if (configure_bool(c, "report.children", &o->children, e) < 0 ||
	    configure_bool(c, "report.quality", &o->quality_line, e) < 0 ||
	    configure_bool(c, "report.skip-empty", &o->skip_empty, e) < 0 ||
	    configure_bool(c, "report.group", &group, e) < 0)
		return -1;
	if (config_find(c, "report.group"))
		o->group = group;
	if (config_find(c, "report.sort_order"))
		o->sort = config_find(c, "report.sort_order");
	if (configure_context(o, c, e) < 0)
		return -1;
	return configure_graph(&o->graph, c, e);
}

const struct report_opts report_defaults = { REPORT_DEFAULTS, .inlines = true };

const struct opt report_options[] = {
	{ 0, "input", OPT_INCLUDE, AT(input), NULL, "read samples from this file, '-' for a pipe (default: perf.data)",
	  .rows = usual_options },
	{ 0, "verbose", OPT_INCLUDE, AT(verbose), NULL, "show addresses and full names of objects",
	  .rows = usual_options },
	{ 0, "quiet", OPT_INCLUDE, AT(quiet), .rows = usual_options },
	{ 0, "waits", OPT_BOOL, AT(waits), NULL,
	  "show how threads spent their time, and which threads made them wait; see waits", OPT_OURS },
	{ 0, "wall", OPT_BOOL, AT(wall), NULL, "a profile of wall-clock time: samples of the CPU and waits, in ns",
	  OPT_OURS },
	{ 0, NULL, OPT_INCLUDE, AT(force), .rows = force_options },
	{ 0, "tui", OPT_BOOL, AT(tui), NULL, "browse on the terminal (default if there is one)", OPT_NONEG },
	{ 0, "stdio", OPT_BOOL, AT(stdio), NULL, "show text", OPT_NONEG },
	{ 0, NULL, OPT_GROUP, 0, NULL, "What is shown instead of a profile" },
	{ 0, "dump-raw-trace", OPT_INCLUDE, AT(dump), NULL, "print every record with its bytes",
	  .rows = usual_options },
	{ 0, "stats", OPT_BOOL, AT(stats), NULL, "show the number of records of each type" },
	{ 0, "tasks", OPT_BOOL, AT(tasks), NULL, "the processes and threads, as a tree" },
	{ 0, "brief", OPT_BOOL, AT(brief), NULL, "print one page: where the program spends its time, and findings",
	  OPT_OURS },
	{ 'j', "json", OPT_BOOL, AT(json), NULL, "with --brief: as one object of JSON", OPT_OURS },
	{ 0, "diff", OPT_STR, AT(diff), "old", "with --brief: what changed since this recording", OPT_OURS,
	  .values = ",@file" },
	{ 0, "quality", OPT_BOOL, AT(quality), NULL,
	  "show how many samples lack a symbol, stack or line: by object, with the reason and what helps", OPT_OURS },
	{ 0, "verify-stacks", OPT_CALL_OPT, 0, "n",
	  "with --quality (implied): unwind n distinct stacks (1000) with every unwinder and list the "
	  "differences",
	  OPT_OURS, set_verify },
	{ 0, "mmaps", OPT_BOOL, AT(mmaps), NULL,
	  "print the processes and threads as a tree, with the mappings at the end" },
	{ 0, "header", OPT_BOOL, AT(header), NULL, "first print what the recording says about machine and run" },
	{ 0, "header-only", OPT_INCLUDE, AT(header_only), .rows = usual_options },
	{ 'I', "show-info", OPT_BOOL, AT(full_header), NULL, "also show topology and caches in the header" },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Rows and columns" },
	{ 's', "sort", OPT_STR, AT(sort), "key,...",
	  "group samples by these keys ('help' lists them); +key adds to the default" },
	{ 'F', "fields", OPT_STR, AT(fields), "key,...", "show these columns; +key adds to the default",
	  .values = ",@column" },
	{ 'n', "show-nr-samples", OPT_BOOL, AT(samples), NULL, "show the number of samples" },
	{ 0, "show-total-period", OPT_BOOL, AT(period), NULL, "show the sum of periods" },
	{ 0, "group", OPT_CALL_FLAG, 0, NULL, "show events side by side (default for those recorded as a group)", 0,
	  set_group },
	{ 'b', "branch-stack", OPT_CALL_FLAG, 0, NULL, "count branches instead of samples (default if there are any)",
	  0, set_branch },
	{ 0, "branch-history", OPT_BOOL, AT(history), NULL, "show recorded branches as call chains (record -b)" },
	{ 0, "total-cycles", OPT_BOOL, AT(blocks), NULL,
	  "show blocks of code between branches by their cycles (record -b on CPUs that count them)" },
	{ 0, "group-sort-idx", OPT_U64, AT(group_sort), "n",
	  "sort rows by the nth event of the group, counted from 0" },
	{ 0, "show-cpu-utilization", OPT_BOOL, AT(utilization), NULL, "show shares of the kernel and of user space" },
	{ 0, "showcpuutilization", OPT_BOOL, AT(utilization), NULL, "another spelling of --show-cpu-utilization",
	  OPT_HIDDEN },
	{ 0, "trace-text", OPT_INCLUDE, AT(trace_text), .rows = usual_options },
	{ 0, "latency", OPT_BOOL, AT(latency), NULL,
	  "show shares of wall-clock time first: samples count less if other threads also ran (record --latency)" },
	{ 0, "raw-trace", OPT_BOOL, AT(raw_trace), NULL, "show the raw fields of tracepoints, not the kernel's text" },
	{ 0, "mem-mode", OPT_BOOL, AT(memory), NULL,
	  "count the cost of memory accesses instead of samples (record -d or mem-loads events)" },
	{ 0, "skip-empty", OPT_INCLUDE, AT(skip_empty), .rows = usual_options },
	{ 'w', "column-widths", OPT_STR, AT(widths), "width,...", "widths of the columns, 0 = as wide as needed" },
	{ 0, "field-separator", OPT_INCLUDE, AT(separator), .rows = usual_options },
	{ 'T', "threads", OPT_BOOL, AT(threads), NULL,
	  "below the profile, show the counts of each thread (record -s)" },
	{ 0, "pretty", OPT_CALL, 0, "form", "format of -T: normal (a table) or raw (a line per thread and event)",
	  OPT_NONEG, set_pretty, .values = "normal raw" },
	{ 0, "percent-limit", OPT_CALL, 0, "percent", "leave out rows and branches of call graphs with a smaller share",
	  OPT_NONEG, set_percent_limit },
	{ 0, "percentage", OPT_CALL, 0, "how",
	  "100 % is the samples that pass the filters (relative) or all samples (absolute)", 0, set_percentage,
	  .values = "relative absolute" },
	{ 0, "time-quantum", OPT_CALL, 0, "time",
	  "the key 'time' rounds to this, with unit s, ms, us or ns (default: 100ms)", 0, set_time_quantum },
	{ 0, "ns", OPT_BOOL, AT(nanoseconds), NULL, "show times in nanoseconds" },
	{ 0, "full-source-path", OPT_BOOL, AT(full_paths), NULL, "show directories of source files" },
	{ 0, "stdio-color", OPT_CALL_LAST, 0, "when", "mark large shares: always, never or auto", 0, set_color,
	  .values = "always never auto" },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Call graphs" },
	{ 'H', "hierarchy", OPT_BOOL, AT(hierarchy), NULL,
	  "show rows as a tree, one level per key; without shares of callers" },
	{ 0, "children", OPT_BOOL, AT(children), NULL,
	  "count a sample for its callers as well (default if there are call chains)" },
	{ 'g', "call-graph", OPT_CALL_LAST, 0, "how",
	  "form,threshold,limit,order,key,value: graph, fractal, flat, folded or none; least percent (0.5); most "
	  "branches and frames on a level (all); caller or callee first; function, address or srcline; branch: begin "
	  "with the recorded branches; percent, period or count",
	  0, set_call_graph,
	  .values = ",graph fractal flat folded none caller callee function address srcline branch percent period "
		    "count" },
	{ 'G', "inverted", OPT_CALL_FLAG, 0, NULL, "callers first", 0, set_inverted },
	{ 0, "max-stack", OPT_INCLUDE, AT(max_stack), NULL, "keep at most n frames of a call chain (default: 127)",
	  .rows = chain_options },
	{ 0, "inline", OPT_BOOL, AT(inlines), NULL, "show calls that were inlined, from debug information (default)" },
	{ 0, "ignore-callees", OPT_STR, AT(callees), "regex",
	  "count samples below matching functions for these functions", OPT_NONEG },
	{ 0, "show-ref-call-graph", OPT_BOOL, AT(reference_graphs), NULL,
	  "a sample recorded without a call graph gets the callers of its thread's last sample that has one" },
	{ 0, "stitch-lbr", OPT_INCLUDE, AT(stitch), NULL,
	  "continue call stacks that were too deep for the processor's branch records with earlier ones of their "
	  "thread",
	  .rows = chain_options },
	{ 'p', "parent", OPT_STR, AT(parent), "regex", "the key 'parent' shows the caller that matches" },
	{ 'x', "exclude-other", OPT_BOOL, AT(exclude_other), NULL,
	  "leave out samples without a caller that --parent matches" },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Filters" },
	{ 'c', "comms", OPT_INCLUDE, AT(samples_of), .rows = sample_options },
	{ 0, "dsos symbols", OPT_INCLUDE, AT(samples_of), .rows = sample_options },
	{ 0, "symbol-filter", OPT_STR, AT(symbol_part), "text", "only rows whose function name contains this" },
	{ 0, "pid tid", OPT_INCLUDE, AT(samples_of), .rows = sample_options },
	{ 'C', "cpu", OPT_INCLUDE, AT(samples_of), .rows = sample_options },
	{ 0, "parallelism", OPT_STR, AT(parallelism), "list",
	  "only samples taken while this many threads ran, such as 1,4-8 (record --latency)" },
	{ 0, "socket-filter", OPT_CALL, 0, "n", "only samples on the CPUs of this socket", 0, set_socket },
	{ 0, "time", OPT_INCLUDE, AT(times), NULL,
	  "only samples in START,STOP (seconds) or in percents such as 10%/2 or 0%-10%,30%-40%",
	  .rows = usual_options },
	{ 0, "switch-on", OPT_STR, AT(switch_on), "event", "only samples after one of this event" },
	{ 0, "switch-off", OPT_STR, AT(switch_off), "event", "only samples before one of this event" },
	{ 0, "show-on-off-events", OPT_BOOL, AT(show_switches), NULL,
	  "include the samples of --switch-on and --switch-off" },
	{ 0, "hide-unresolved", OPT_INCLUDE, AT(hide_unresolved), .rows = usual_options },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Code of functions, in the browser (see annotate)" },
	{ 0, "source", OPT_INCLUDE, AT(source), .rows = usual_options },
	{ 0, "asm-raw", OPT_INCLUDE, AT(raw), .rows = usual_options },
	{ 0, "disassembler-style prefix prefix-strip objdump", OPT_INCLUDE, AT(code), .rows = code_options },
	{ 0, "gtk", OPT_BOOL, AT(none), NULL, "strobe has only one browser, for the terminal; see also --stdio",
	  OPT_REFUSED },
	{ 0, "itrace", OPT_INCLUDE, AT(itrace), .rows = usual_options },
	{ 0, NULL, OPT_INCLUDE, AT(unused), .rows = accepted_options },
	{ 0, "unwind-style", OPT_INCLUDE, AT(objects), .rows = object_options },
	{ 0, "percent-type", OPT_INCLUDE, AT(code), .rows = code_options },
	{ 0, "samples", OPT_U64, AT(keep_samples), "n",
	  "keep this many samples of each row; the browser lists them and the samples around them" },
	{ 0, "disable-order", OPT_BOOL, AT(none), NULL, "strobe always sorts records by time", OPT_REFUSED },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Symbols" },
	{ 0, "vmlinux ignore-vmlinux kallsyms symfs modules demangle demangle-kernel", OPT_INCLUDE, AT(objects),
	  .rows = object_options },
	{ 0, "full-names", OPT_INCLUDE, AT(full_names), .rows = usual_options },
	{ 0, "debuginfod bundle-first short-templates", OPT_INCLUDE, AT(objects), .rows = object_options },
	{ 0 }
};
