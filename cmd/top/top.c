/* top: its options, and the choice between screen and text. */
#include "cmd/commands.h"
#include "cmd/record_options.h"
#include "cmd/top/top_priv.h"

#include <math.h>

#include "base/config.h"
#include "base/signal.h"
#include "base/units.h"

#define TOP(member) offsetof(struct top_opts, member)

static const struct opt *row_of(const struct opt *table, const char *name)
{
	while (table->kind != OPT_END && (!table->name || strcmp(table->name, name)))
		table++;
	return table;
}

static int set_graph(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct top_opts *o = opts;

	o->record.chain_default = false;
	o->record.chain = unset ? CHAIN_MODE_NONE : CHAIN_MODE_FP;
	o->report.graph.off = unset;
	return 0;
}

static bool is_mode(const char *word, size_t len)
{
	static const char *const modes[] = { "fp", "dwarf", "lbr", "dwarf+fp", "live" };

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (strlen(modes[i]) == len && !strncmp(word, modes[i], len))
			return true;
	return false;
}

/*
 * Parse MODE[,SIZE] as record does, then the words of report. A number after dwarf and live is the size of
 * stack copies.
 */
static int set_call_graph(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct top_opts *o = opts;
	const struct opt *look = row_of(report_options, "call-graph");
	size_t len = value ? strcspn(value, ",") : 0;
	autofree char *mode = NULL;

	if (unset || !value || !strcmp(value, "none") || !strcmp(value, "no"))
		return set_graph(opts, opt, value, unset || value, e);
	o->report.graph.off = false;
	if (!is_mode(value, len)) {
		o->record.chain = o->record.chain ? o->record.chain : CHAIN_MODE_FP;
		return look->call(&o->report, look, value, false, e);
	}
	if ((!strncmp(value, "dwarf", 5) || !strncmp(value, "live", 4)) && value[len] &&
	    strspn(value + len + 1, "0123456789"))
		len += 1 + strcspn(value + len + 1, ",");
	mode = xstrndup(value, len);
	if (record_parse_chain(&o->record, mode, e) < 0)
		return -1;
	return value[len] ? look->call(&o->report, look, value + len + 1, false, e) : 0;
}

int top_parse_delay(const char *text, double *seconds, struct err *e)
{
	char *end;

	*seconds = strtod(text, &end);
	if (end == text || *end || !(*seconds >= 0) || *seconds > 86400) {
		err_set(e, "-d: '%s' is not a number of seconds", text);
		err_try(e, "-d 2, or -d 0.5");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (*seconds == 0)
		*seconds = 1; /* as in perf */
	*seconds = fmax(*seconds, 0.1);
	return 0;
}

static int set_delay(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return top_parse_delay(value, &((struct top_opts *)opts)->delay, e);
}

static const struct opt top_options[] = {
	{ 0, "event filter count pid tid all-cpus cpu", OPT_INCLUDE, TOP(record), .rows = record_options },
	{ 0, "vmlinux ignore-vmlinux kallsyms", OPT_INCLUDE, TOP(report.objects), .rows = object_options },
	{ 'K', "hide_kernel_symbols", OPT_BOOL, TOP(hide_kernel), NULL, "no rows of the kernel" },
	{ 0, "mmap-pages realtime", OPT_INCLUDE, TOP(record), .rows = record_options },
	{ 'd', "delay", OPT_CALL, 0, "seconds", "update the rows after this many seconds (2)", OPT_NONEG, set_delay },
	{ 'D', "dump-symtab", OPT_BOOL, TOP(none), NULL, "no option lists symbols: see report -s sym", OPT_REFUSED },
	{ 'f', "count-filter", OPT_U64, TOP(least), "n", "show only rows with at least this many samples" },
	{ 0, "no-inherit", OPT_INCLUDE, TOP(record), .rows = record_options },
	{ 'z', "zero", OPT_BOOL, TOP(zero), NULL, "each page shows only the samples since the previous page" },
	{ 0, "freq", OPT_INCLUDE, TOP(record), .rows = record_options },
	{ 'E', "entries", OPT_U64, TOP(entries), "n", "show this many rows" },
	{ 'U', "hide_user_symbols", OPT_BOOL, TOP(hide_user), NULL, "no rows of user space" },
	{ 0, "tui stdio", OPT_INCLUDE, TOP(report), .rows = report_options },
	{ 0, "batch", OPT_BOOL, TOP(batch), NULL, "text for logs: one page below the other", OPT_OURS },
	{ 0, "rounds", OPT_U64, TOP(rounds), "n", "end after this many pages", OPT_OURS },
	{ 0, "history", OPT_U64, TOP(history), "seconds",
	  "the key R saves this many seconds as a recording (30); 0: none", OPT_OURS },
	{ 0, "verbose sort", OPT_INCLUDE, TOP(report), .rows = report_options },
	{ OPT_NO_LETTER, "fields", OPT_INCLUDE, TOP(report), .rows = report_options },
	{ 0, "show-nr-samples", OPT_INCLUDE, TOP(report), .rows = report_options },
	{ 'g', NULL, OPT_CALL_FLAG, 0, NULL, "call graphs, by frame pointers", 0, set_graph },
	{ 0, "call-graph", OPT_CALL, 0, "mode,how",
	  "call graphs: fp, dwarf[,bytes of stack], dwarf+fp, live or lbr as in record, then the words of report -g", 0,
	  set_call_graph,
	  .values = ",fp dwarf dwarf+fp live lbr none graph fractal flat folded caller callee function "
		    "address srcline percent period count" },
	{ 0, "children max-stack ignore-callees show-total-period", OPT_INCLUDE, TOP(report), .rows = report_options },
	{ 0, "dsos", OPT_STR, TOP(report.samples_of.dsos), "object,...", "samples in these objects" },
	{ 0, "comms", OPT_STR, TOP(report.samples_of.comms), "name,...", "threads of these names" },
	{ 0, "symbols", OPT_STR, TOP(report.samples_of.symbols), "name,...", "samples in these functions" },
	{ 0, "source asm-raw", OPT_INCLUDE, TOP(report), .rows = report_options },
	{ 0, "demangle-kernel", OPT_INCLUDE, TOP(report.objects), .rows = object_options },
	{ 0, "no-bpf-event", OPT_INCLUDE, TOP(record), .rows = record_options },
	{ 0, "disassembler-style prefix prefix-strip objdump", OPT_INCLUDE, TOP(report.code), .rows = code_options },
	{ 0, "addr2line", OPT_INCLUDE, TOP(none), .rows = accepted_options },
	{ 0, "uid", OPT_INCLUDE, TOP(record), .rows = record_options },
	{ 0, "percent-limit percentage column-widths", OPT_INCLUDE, TOP(report), .rows = report_options },
	{ 0, "proc-map-timeout branch-any branch-filter", OPT_INCLUDE, TOP(record), .rows = record_options },
	{ 0, "raw-trace hierarchy group-sort-idx", OPT_INCLUDE, TOP(report), .rows = report_options },
	{ 0, "num-thread-synthesize cgroup namespaces all-cgroups pfm-events", OPT_INCLUDE, TOP(record),
	  .rows = record_options },
	{ 0, "overwrite", OPT_BOOL, TOP(record.newest), NULL,
	  "rings keep the newest samples and lose the oldest when they are full" },
	{ OPT_NO_LETTER, "force", OPT_INCLUDE, TOP(report.force), NULL, "read map files of other users",
	  .rows = force_options },
	{ 0, "sym-annotate", OPT_STR, TOP(symbol), "symbol", "show the code of this function" },
	{ 0, "branch-history", OPT_BOOL, TOP(none), NULL, "not while samples arrive: use record -b, then report",
	  OPT_REFUSED },
	{ 0, "stitch-lbr", OPT_BOOL, TOP(none), NULL, "not while samples arrive: use record, then report",
	  OPT_REFUSED },
	{ 0, "switch-on switch-off show-on-off-events", OPT_INCLUDE, TOP(report), .rows = report_options },
	{ 0 },
};

static int top_configure(void *opts, const struct config *c, struct err *e)
{
	struct top_opts *o = opts;

	if (report_configure(&o->report, c, e) < 0 || screen_configure(&o->report.settings, "top", c, e) < 0)
		return -1;
	o->report.sort = NULL; /* that setting belongs to report */
	return record_apply_settings(&o->record, c, e);
}

static int check(const struct top_opts *o, int argc, char **argv, struct err *e)
{
	if (argc) {
		err_set(e, "top runs no command: '%s'", argv[0]);
		err_try(e, "start it, then -p with its process id; or '%s record' with it", tool_name());
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (o->history != HISTORY_USUAL && o->batch) {
		err_set(e, "--history is saved by a key, and --batch has no keys");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (o->history != HISTORY_USUAL && o->history > 86400) {
		err_set(e, "--history: %llu seconds are more than a day", (unsigned long long)o->history);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return 0;
}

static int top_run(void *opts, int argc, char **argv, struct err *e)
{
	struct top_opts *o = opts;
	struct top t = { 0 };
	int rc;

	if (check(o, argc, argv, e) < 0)
		return -1;
	if (!o->report.sort && !o->report.fields)
		o->report.sort = "dso,symbol"; /* as in perf */
	o->report.inlines = false;             /* they would read debug information for every page */
	stop_on_signals();
	rc = top_start(&t, o, e);
	t.delay_ms = (unsigned)(o->delay * 1000);
	t.zero = o->zero;
	t.entries = o->entries;
	t.least = o->least;
	t.symbol = o->symbol ? xstrdup(o->symbol) : NULL;
	t.code_percent = 5; /* as in perf */
	if (!rc && !top_screen(&t, &rc, e))
		rc = top_text(&t, e);
	top_stop(&t);
	return rc;
}

static const struct top_opts top_defaults = {
	.record = RECORD_DEFAULTS,
	.report = { REPORT_DEFAULTS },
	.delay = 2,
	.history = HISTORY_USUAL,
};

const struct command cmd_top = {
	.name = "top",
	.summary = "show where the samples fall, while they fall",
	.run = top_run,
	.configure = top_configure,
	.usage = (const char *const[]){ "[<options>]", NULL },
	.options = top_options,
	.defaults = &top_defaults,
	.opts_size = sizeof(struct top_opts),
};
