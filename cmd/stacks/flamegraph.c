#include "cmd/stacks/stacks_priv.h"

#include "base/new_file.h"
#include "report/page/page.h"
#include "report/push/push.h"

struct flamegraph_cmd {
	struct stacks_cmd common;
	struct flamegraph_opts graph;
	uint64_t width;
	bool reverse, negate, html, code, source;
	const char *old, *from, *query;
};
#define AT(member) offsetof(struct flamegraph_cmd, member)

static int set_colors(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return flame_colors_parse(value, &((struct flamegraph_cmd *)opts)->graph.colors, e);
}

static const struct opt flamegraph_options[] = {
	{ 0, NULL, OPT_INCLUDE, AT(common), NULL, NULL, OPT_OURS, .rows = stacks_options },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Stacks of an engine" },
	{ 0, "from", OPT_STR, AT(from), "url",
	  "draw the answer of a ClickHouse query: clickhouse://HOST/DATABASE?host=web1, or ?SELECT ...", OPT_OURS },
	{ 0, "query", OPT_STR, AT(query), "file", "with --from: run the query in this file", OPT_OURS },
	{ 0, NULL, OPT_GROUP, 0, NULL, "The picture" },
	{ 0, "html", OPT_BOOL, AT(html), NULL,
	  "write a page instead: flame graph, callers and callees, table, threads, heat map, code", OPT_OURS },
	{ 0, "with-code", OPT_BOOL, AT(code), NULL, "with --html: add the instructions of hot functions", OPT_OURS },
	{ 0, "with-source", OPT_BOOL, AT(source), NULL,
	  "with --html: add the instructions of hot functions and their source lines", OPT_OURS },
	{ 0, "icicle", OPT_BOOL, AT(graph.icicle), NULL, "callers above callees", OPT_OURS },
	{ 0, "reverse", OPT_BOOL, AT(reverse), NULL, "begin stacks with the innermost function, to see its callers",
	  OPT_OURS },
	{ 0, "diff", OPT_STR, AT(old), "file", "compare with this recording: red takes more now, blue takes less",
	  OPT_OURS },
	{ 0, "negate", OPT_BOOL, AT(negate), NULL, "with --diff: draw the widths of the old recording", OPT_OURS },
	{ 0, "colors", OPT_CALL, 0, "name",
	  "kind (the default: program, kernel, inlined, JIT), object, hot, mem, io, or one colour",
	  OPT_NONEG | OPT_OURS, set_colors,
	  .values = "kind object hot mem io red green blue aqua yellow purple orange" },
	{ 0, "title", OPT_STR, AT(graph.title), "text", "title above the picture", OPT_OURS },
	{ 0, "subtitle", OPT_STR, AT(graph.subtitle), "text", "subtitle below the title", OPT_OURS },
	{ 0, "countname", OPT_STR, AT(graph.unit), "text", "unit of the weights (the event's name)", OPT_OURS },
	{ 0, "width", OPT_U64, AT(width), "pixels", "width of the picture (1200)", OPT_OURS },
	{ 0, "minwidth", OPT_DOUBLE, AT(graph.min_width), "pixels", "leave out boxes narrower than this (0.1)",
	  OPT_OURS },
	{ 0 },
};

static const struct flamegraph_cmd flamegraph_defaults = { .common = STACKS_DEFAULTS,
							   .width = 1200,
							   .graph = { .min_width = 0.1 } };

enum { LANE_PIECES = 200000 }; /* of a page's threads */

static int check_options(struct flamegraph_cmd *c, struct err *e)
{
	if (c->width < 100 || c->width > 100000) {
		err_set(e, "--width: a picture of %llu pixels is not drawn", (unsigned long long)c->width);
		err_try(e, "100 to 100000");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (!(c->graph.min_width >= 0 && c->graph.min_width < 1000)) {
		err_set(e, "--minwidth: %g is no number of pixels that a box can have", c->graph.min_width);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (c->negate && !c->old) {
		err_set(e, "--negate has a meaning with --diff only");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (c->html && c->reverse) {
		err_set(e, "--html does not go with --reverse");
		err_try(e, "without --reverse; the page shows the callers of any function");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (!c->html && (c->code || c->source)) {
		err_set(e, "--with-code and --with-source have a meaning with --html only");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	c->common.stacks.slices = c->html;
	c->common.wakers = c->common.wall;
	c->graph.width = (unsigned)c->width;
	c->graph.compared = c->old;
	c->common.stacks.mark_kernel = c->common.stacks.mark_jit = true;
	return 0;
}

static void write_page(const struct flamegraph_cmd *c, const struct stacks *st, const struct flame *f,
		       struct session *s, struct out *o)
{
	const struct page_code_opts opts = { .code = c->code || c->source,
					     .source = c->source,
					     .count_samples = c->common.stacks.count_samples,
					     .filter = &c->common.filter };
	struct page_code *code = c->common.wall ? NULL : page_code_new(s, st, &opts);

	page_write(f,
		   &(struct page_opts){ .title = c->graph.title,
					.unit = c->graph.unit,
					.compared = c->old,
					.samples = flame_samples(f),
					.lanes = c->common.lanes,
					.code = code },
		   o);
	page_code_free(code);
}

static int draw(void *opts, struct stacks *st, struct session *s, struct err *e)
{
	struct flamegraph_cmd *c = opts;
	struct flame *f;
	struct new_file file;
	uint64_t least = c->html ? 0 : flamegraph_least(st, &c->graph);
	int rc;

	if (!c->graph.unit && c->common.wall)
		c->graph.unit = "ns";
	if (!c->graph.unit)
		c->graph.unit = c->common.stacks.count_samples ? "samples"
				: *stacks_event(st)            ? stacks_event(st)
							       : "events";
	if (c->reverse)
		stacks_reverse(st);
	stacks_sort(st, flame_has_waits(st) ? 0 : least);
	f = flame_new(st, c->html ? 0 : MAX(least, 1));
	rc = new_file_open(&file, c->common.output ? c->common.output : "-", e);
	if (!rc) {
		if (c->html)
			write_page(c, st, f, s, &file.out);
		else
			export_flamegraph(f, &c->graph, &file.out);
		rc = new_file_finish(&file, e);
	}
	flame_free(f);
	if (!rc && c->common.output && strcmp(c->common.output, "-"))
		say("[ %s flamegraph: wrote '%s' ]", tool_name(), c->common.output);
	return rc;
}

/* An interactive picture is useless on a terminal: write it to a file. */
static const char *usual_output(const struct flamegraph_cmd *c)
{
	return c->common.output || !isatty(STDOUT_FILENO) ? c->common.output
	       : c->html                                  ? "flamegraph.html"
							  : "flamegraph.svg";
}

/* ---- stacks of an engine ---- */

/* Check the options for stacks from an engine: there, a query chooses the samples. */
static int check_from(const struct flamegraph_cmd *c, char **words, struct err *e)
{
	struct stacks_cmd plain = flamegraph_defaults.common;

	plain.output = c->common.output;
	if (!c->from && c->query) {
		err_set(e, "--query has a meaning with --from only");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (c->from && (*words || c->old || memcmp(&plain, &c->common, sizeof(plain)) != 0)) {
		err_set(e, "--from takes stacks as the query answers them: no recording, and no options that choose "
			   "samples or "
			   "names");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return 0;
}

static int ask(struct flamegraph_cmd *c, const struct push_target *t, const char *asked, struct err *e)
{
	autofree char *sql = NULL;
	struct stacks *st;
	int rc;

	if (!t->engine->query) {
		err_set(e, "%s cannot be asked for stacks", t->engine->scheme);
		err_try(e, "clickhouse://HOST/DATABASE");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	sql = push_query_text(asked, c->query, e);
	if (!sql)
		return -1;
	st = stacks_new(&c->common.stacks);
	rc = t->engine->query(t, sql, st, e);
	if (rc == 0 && stacks_are_empty(st))
		rc = err_set(e, "%s has no stacks that match the query", t->shown);
	if (rc == 0)
		rc = draw(c, st, NULL, e);
	stacks_free(st);
	return rc;
}

static int draw_from(struct flamegraph_cmd *c, struct err *e)
{
	size_t len = strcspn(c->from, "?");
	autofree char *url = xstrndup(c->from, len);
	struct push_target target = { 0 };
	int rc = push_target_parse(&target, url, e);

	if (rc == 0)
		rc = ask(c, &target, c->from[len] ? c->from + len + 1 : "", e);
	else if (!target.engine)
		err_try(e, "--from clickhouse://HOST/DATABASE; with +tls before the colon for TLS");
	push_target_free(&target);
	return rc;
}

static int flamegraph_run(void *opts, int argc, char **argv, struct err *e)
{
	struct flamegraph_cmd *c = opts;
	int rc;

	if (check_from(c, argv, e) < 0 || check_options(c, e) < 0)
		return -1;
	if (c->from) {
		c->common.output = usual_output(c);
		return draw_from(c, e);
	}
	if (c->html && c->common.wall)
		c->common.lanes = lanes_new(LANE_PIECES);
	c->common.output = usual_output(c);
	rc = stacks_run(&c->common,
			&(struct stacks_job){ .old = c->old, .negate = c->negate, .write = draw, .opts = c }, argv, e);
	lanes_free(c->common.lanes);
	return rc;
}

const struct command cmd_flamegraph = {
	.name = "flamegraph",
	.summary = "draw the call stacks of a recording as an SVG file",
	.run = flamegraph_run,
	.usage = (const char *const[]){ "[<options>]", NULL },
	.options = flamegraph_options,
	.defaults = &flamegraph_defaults,
	.opts_size = sizeof(struct flamegraph_cmd),
};
