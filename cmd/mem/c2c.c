/* strobe c2c: cache lines that CPUs take from each other. */
#include "cmd/commands.h"
#include "cmd/mem/c2c_screen_priv.h"
#include "cmd/mem/mem_priv.h"
#include "cmd/record_options.h"
#include "cmd/report/report_priv.h"
#include "cmd/shared/rewritten.h"
#include "cmd/shared/screen.h"

#include "report/c2c/c2c.h"
#include "report/session/stitch.h"

/* The options of both subcommands; one struct, because they may also come before the subcommand. */
struct c2c_command_opts {
	struct access_opts access;
	const char *input, *display, *fields;
	struct object_opts objects;
	struct code_opts code;
	struct call_graph graph;
	bool force, double_line, full_symbols, no_lines, show_all, stats, stdio, stitch;
	int node_info, v;
};
#define C2C(member) offsetof(struct c2c_command_opts, member)

static int set_call_graph(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return call_graph_parse(&((struct c2c_command_opts *)opts)->graph, value, unset, e);
}

static const struct opt common_options[] = {
	{ 0, "verbose", OPT_INCLUDE, C2C(v), .rows = usual_options },
	{ 0 },
};

static const struct opt record_c2c_options[] = {
	{ 0, "event", OPT_INCLUDE, C2C(access), NULL, "these events instead of all loads and stores; 'list' shows them",
	  .rows = access_options },
	{ 'l', "ldlat", OPT_INCLUDE, C2C(access), .rows = access_options },
	{ 'k', "all-kernel", OPT_INCLUDE, C2C(access), .rows = access_options },
	{ 'u', "all-user", OPT_INCLUDE, C2C(access), .rows = access_options },
	{ 0, NULL, OPT_INCLUDE, 0, .rows = common_options },
	{ 0 },
};

static const struct opt report_c2c_options[] = {
	{ 0, "input", OPT_INCLUDE, C2C(input), .rows = usual_options },
	{ 0, NULL, OPT_INCLUDE, C2C(force), .rows = force_options },
	{ 'd', "display", OPT_STR, C2C(display), "what",
	  "sort and show lines by tot, lcl or rmt: loads of data that another CPU modified, or by peer: loads that "
	  "another CPU's cache answered (default: tot, on Arm peer)",
	  .values = "tot lcl rmt peer" },
	{ 'c', "coalesce", OPT_STR, C2C(fields), "field,...",
	  "a row for each pid, tid, iaddr or dso that accessed an offset of a line (default: iaddr)",
	  .values = ",pid tid iaddr dso" },
	{ 'g', "call-graph", OPT_CALL_LAST, 0, "how", "how to show call graphs; see report", 0, set_call_graph,
	  .values = ",graph fractal flat folded none caller callee function address srcline percent period count" },
	{ 'N', "node-info", OPT_COUNT, C2C(node_info), NULL,
	  "shares of each node; twice: the CPUs of each node that accessed the place" },
	{ 0, "double-cl", OPT_BOOL, C2C(double_line), NULL, "treat two adjacent lines as one" },
	{ 0, "full-symbols", OPT_BOOL, C2C(full_symbols), NULL, "do not cut names of functions" },
	{ 0, "no-source", OPT_BOOL, C2C(no_lines), NULL, "leave out the column of source lines", OPT_NONEG },
	{ 0, "show-all", OPT_BOOL, C2C(show_all), NULL, "also show lines with less than 0.05 percent" },
	{ 0, "stats", OPT_BOOL, C2C(stats), NULL, "show only the sums" },
	{ 0, "stdio", OPT_BOOL, C2C(stdio), NULL, "show text, also on a terminal", OPT_NONEG },
	{ 0, "stitch-lbr", OPT_INCLUDE, C2C(stitch), NULL,
	  "join call stacks from branch records; the processor keeps only the newest branches", .rows = chain_options },
	{ 0, "disassembler-style objdump", OPT_INCLUDE, C2C(code), .rows = code_options },
	{ 0, "vmlinux kallsyms symfs", OPT_INCLUDE, C2C(objects), .rows = object_options },
	{ 0, NULL, OPT_INCLUDE, 0, .rows = common_options },
	{ 0 },
};
#undef C2C

static const struct c2c_command_opts c2c_defaults = {
	.access = { .kinds = ACCESS_LOAD | ACCESS_STORE, .latency = 30 },
	.objects = OBJECT_DEFAULTS,
	.graph = { .form = GRAPH_ABSOLUTE },
	.fields = "iaddr",
};

/* ---- record ---- */

static int record_c2c(void *opts, int argc, char **argv, struct err *e)
{
	const struct c2c_command_opts *o = opts;
	struct preset_words w = { 0 };
	int rc;

	raise_verbosity(o->v);
	preset_add(&w, "-d", "--phys-data");
	preset_add(&w, "--sample-cpu", NULL);
	rc = access_record(&o->access, &w, argc, argv, e);
	vec_free(&w);
	return rc;
}

/* ---- report ---- */

/* Return the number of a word in the list; -1 with e. */
static int word_number(const char *option, const char *word, const char *const *names, struct err *e)
{
	int i = 0;

	if (opt_word(option, word, names, e) < 0)
		return -1;
	while (strcmp(names[i], word) != 0)
		i++;
	return i;
}

static int parse_display(const struct c2c_command_opts *o, const struct session *s, enum c2c_display *to, struct err *e)
{
	static const char *const names[] = {
		[C2C_TOTAL] = "tot", [C2C_LOCAL] = "lcl", [C2C_REMOTE] = "rmt", [C2C_PEER] = "peer", NULL
	};
	int which = o->display ? word_number("--display", o->display, names, e) : (int)c2c_usual_display(s);

	*to = (enum c2c_display)MAX(which, 0);
	return which < 0 ? -1 : 0;
}

struct field_list {
	VEC(enum c2c_field);
};
static int parse_fields(const char *text, struct field_list *to, struct err *e)
{
	static const char *const names[] = { "pid", "tid", "iaddr", "dso", NULL };

	for (const char *at = text; *at;) {
		size_t len = strcspn(at, ",");
		autofree char *name = xstrndup(at, len);
		int which = word_number("--coalesce", name, names, e);

		if (which < 0)
			return -1;
		vec_push(to, (enum c2c_field)(1 << which));
		at += len + (at[len] == ',');
	}
	return 0;
}

static bool has_chains(const struct perfdata *pd)
{
	for (size_t i = 0; i < pd->n_events; i++)
		if (pd->events[i].attr.sample_type & SAMPLE_CALLCHAIN)
			return true;
	return false;
}

static void browse(const struct c2c_command_opts *o, struct session *s, struct c2c *c, struct c2c_opts *how,
		   struct tui *tui)
{
	struct tui_annotate_opts code = {
		.code = { .source = !o->no_lines,
			  .objdump = o->code.objdump,
			  .style = o->code.style,
			  .syntax = code_syntax(&o->code) },
		.source = { .root = symbols_root(s->symbols) },
		.runner = screen_runner(&o->objects),
		.input = o->input ? o->input : usual_input(),
	};

	c2c_browse(tui, s, c, how, &code);
}

/* Show it on `tui`; NULL: print it to `out`. */
static int show_session(const struct c2c_command_opts *o, struct session *s, const struct field_list *fields,
			struct tui *tui, struct out *out, struct err *e)
{
	const struct call_graph *g = &o->graph;
	struct text_opts text = { .graph = { .form = g->form, .min_percent = g->min_percent },
				  .value = g->value,
				  .print_limit = g->print_limit,
				  .graph_lines = g->by != GRAPH_BY_FUNCTION,
				  .graph_addresses = g->by == GRAPH_BY_ADDRESS };
	struct c2c_opts how = { .fields = fields->items,
				.n_fields = fields->len,
				.grouping = o->fields,
				.node_info = (uint64_t)MAX(o->node_info, 0),
				.double_line = o->double_line,
				.show_all = o->show_all,
				.stats_only = o->stats,
				.full_symbols = o->full_symbols,
				.no_lines = o->no_lines,
				.chains = has_chains(s->pd) && !g->off && !o->stats,
				.caller_first = g->order_given && g->caller,
				.max_stack = 127,
				.graph_by = g->by,
				.text = &text };
	struct c2c *c;

	if (session_walk(s, e) < 0)
		return -1;
	if (parse_display(o, s, &how.display, e) < 0)
		return -1;
	if (o->stitch)
		session_stitch(s);
	c = c2c_new(s, &how);
	if (tui)
		browse(o, s, c, &how, tui);
	else
		c2c_print(c, out);
	c2c_free(c);
	return 0;
}

static int report_c2c(void *opts, int argc, char **argv, struct err *e)
{
	const struct c2c_command_opts *o = opts;
	struct session_opts how = { .force = o->force, .symbols = object_symbols(&o->objects, o->force) };
	const char *input = o->input ? o->input : usual_input();
	struct field_list fields = { 0 };
	struct session *s = NULL;
	struct out out;
	int rc = -1;

	raise_verbosity(o->v);
	if (analysis_no_words(argc, argv, e) < 0 || code_style_check(&o->code, e) < 0 ||
	    parse_fields(o->fields, &fields, e) < 0)
		return -1;
	input = traced_input(input, NULL, "M", &how, e);
	s = input ? session_open(input, &how, e) : NULL;
	if (s) {
		struct screen_wish wish = { .command = "c2c report",
					    .input = o->input ? o->input : usual_input(),
					    .text = o->stats   ? "--stats is text"
						    : o->stdio ? "--stdio asks for text"
							       : NULL };
		struct tui *tui = screen_open(&wish, NULL);

		if (!tui)
			pager_start();
		out_init_fd(&out, STDOUT_FILENO);
		rc = show_session(o, s, &fields, tui, &out, e);
		if (tui)
			tui_free(tui);
		if (out_finish(&out, rc < 0 ? NULL : e) < 0)
			rc = -1;
		rc = rc < 0 ? rc : session_notes_say(s);
		session_close(s);
	}
	vec_free(&fields);
	return rc;
}

/* ---- the subcommands ---- */

static const struct command record_command = {
	.name = "c2c record",
	.summary = "record accesses to memory, to find shared cache lines",
	.run = record_c2c,
	.usage = (const char *const[]){ "[<options>] [<record options>] [<command>]", NULL },
	.options = record_c2c_options,
	.opts_size = sizeof(struct c2c_command_opts),
	.defaults = &c2c_defaults,
	.stop_at_word = true,
	.words = "@program",
};

static const struct command report_command = {
	.name = "c2c report",
	.summary = "show cache lines that CPUs take from each other, and the code that accesses them",
	.run = report_c2c,
	.usage = (const char *const[]){ "[<options>]", NULL },
	.options = report_c2c_options,
	.opts_size = sizeof(struct c2c_command_opts),
	.defaults = &c2c_defaults,
};

static int c2c_run(void *opts, int argc, char **argv, struct err *e)
{
	const struct command *sub = argc ? command_find_word(&cmd_c2c, argv[0]) : NULL;

	if (sub == &record_command)
		return call_preset(sub, opts, record_options, argc, argv, e);
	return command_call_word(&cmd_c2c, argc, argv, e);
}

const struct command cmd_c2c = {
	.name = "c2c",
	.summary = "find cache lines that CPUs take from each other",
	.run = c2c_run,
	.usage = (const char *const[]){ "[<options>] record|report [<options>]", NULL },
	.options = common_options,
	.opts_size = sizeof(struct c2c_command_opts),
	.defaults = &c2c_defaults,
	.stop_at_word = true,
	.words = "record report",
	.subcommands = (const struct command *const[]){ &record_command, &report_command, NULL },
};
