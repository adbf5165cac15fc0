#include "cmd/commands.h"
#include "cmd/shared/options.h"
#include "cmd/shared/wall.h"

#include "base/config.h"
#include "base/parallel.h"
#include "base/units.h"
#include "report/rows/diff.h"
#include "report/rows/event_pair.h"
#include "report/text/dump.h"
#include "report/rows/fields.h"
#include "report/text/streams.h"
#include "report/text/text.h"
#include "report/tracepoint/plugin.h"

struct diff_cmd {
	const char *sort, *times, *separator;
	struct object_opts objects;
	struct sample_opts samples_of;
	bool quiet, force, wall, relative, dump, stream, stat, full_names;
	int verbose;
	uint64_t order, runs;
	enum trace_text_by trace_text;
	struct diff_opts diff;
};
enum { GREW = 3 }; /* exit status */
enum { MAX_STACK = 127, NAMES_TOLD = 4 };
#define AT(member) offsetof(struct diff_cmd, member)

/* One recording, and where its rows come from. */
struct side {
	struct session *session;
	struct fields fields;
	struct profile_filter filter;
	VEC(const struct sample_key *) sample_keys;
	VEC(const struct key *) site_keys;
	struct profile *profile;
	struct fold *fold;
	struct view_opts view;
};

/* ---- options with their own syntax ---- */

/* Parse "wdiff:1,2": the weights of the baseline and of the others. */
static int set_weights(struct diff_opts *d, const char *text, struct err *e)
{
	char *end;

	d->weights[0] = d->weights[1] = 1;
	if (!*text)
		return 0;
	d->weights[0] = strtol(text + 1, &end, 10);
	if (*text != ':' || end == text + 1 || *end != ',')
		goto bad;
	text = end;
	d->weights[1] = strtol(text + 1, &end, 10);
	if (end > text + 1 && !*end)
		return 0;
bad:
	err_set(e, "-c wdiff takes two whole numbers: wdiff:1,2");
	return err_exit(e, EXIT_BAD_USAGE);
}

static int set_compute(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	static const struct {
		const char *name;
		enum diff_method method;
	} methods[] = {
		{ "delta", DIFF_DELTA },
		{ "delta-abs", DIFF_DELTA_ABS },
		{ "ratio", DIFF_RATIO },
		{ "cycles", DIFF_CYCLES },
	};
	static const char *const words[] = { "delta", "delta-abs", "ratio", "cycles", "wdiff:W1,W2", NULL };
	struct diff_opts *d = &((struct diff_cmd *)opts)->diff;

	/* perf once used '+' for an order that is the default now */
	value += *value == '+';
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (!strcmp(value, methods[i].name)) {
			d->method = methods[i].method;
			return 0;
		}
	if (!strncmp(value, "wdiff", 5)) {
		d->method = DIFF_WEIGHTED;
		return set_weights(d, value + 5, e);
	}
	return opt_word(opt ? "-c" : "the setting diff.compute", value, words, e);
}

static int set_percentage(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	static const char *const bases[] = { "relative", "absolute", NULL };

	if (opt_word(opt ? "--percentage" : "the setting hist.percentage", value, bases, e) < 0)
		return -1;
	((struct diff_cmd *)opts)->relative = *value == 'r';
	return 0;
}

static int set_runs(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct diff_cmd *o = opts;

	o->stat = !unset;
	o->runs = 0;
	if (!value || parse_u64(value, &o->runs, NULL) == 0)
		return 0;
	err_set(e, "--stat: '%s' is no number of files", value);
	return err_exit(e, EXIT_BAD_USAGE);
}

/* Return the number of files that belong to the baseline; half of them by default. */
static int split_runs(struct diff_cmd *o, size_t n, struct err *e)
{
	if (!o->runs && n % 2) {
		err_set(e, "--stat: %zu files cannot be halved", n);
		err_try(e, "--stat=N: how many of them are runs of the baseline");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (!o->runs)
		o->runs = n / 2;
	if (o->runs >= 2 && n >= 4 && o->runs <= n - 2)
		return 0;
	err_set(e, "--stat=%llu: there are %zu files", (unsigned long long)o->runs, n);
	err_try(e, "at least two runs of each: strobe diff --stat=2 a1 a2 b1 b2");
	return err_exit(e, EXIT_BAD_USAGE);
}

/* diff.order, diff.compute and hist.percentage set the defaults of -o, -c and --percentage. */
static int diff_configure(void *opts, const struct config *c, struct err *e)
{
	const char *order = config_find(c, "diff.order"), *method = config_find(c, "diff.compute");
	const char *base = config_find(c, "hist.percentage");
	struct diff_cmd *o = opts;

	if (base && set_percentage(o, NULL, base, false, e) < 0)
		return -1;
	if (order && parse_u64(order, &o->order, NULL) < 0)
		return err_set(e, "the setting diff.order is a number, not '%s'", order);
	return method ? set_compute(o, NULL, method, false, e) : 0;
}

static const struct diff_cmd diff_defaults = {
	.sort = "dso,sym", .objects = OBJECT_DEFAULTS, .order = 1, .diff = { .method = DIFF_DELTA_ABS }
};

static const struct opt diff_options[] = {
	{ 0, "verbose", OPT_INCLUDE, AT(verbose), NULL, "say which files are compared", .rows = usual_options },
	{ 0, "quiet", OPT_INCLUDE, AT(quiet), .rows = usual_options },
	{ 0, NULL, OPT_INCLUDE, AT(force), .rows = force_options },
	{ 0, "wall", OPT_BOOL, AT(wall), NULL,
	  "compare wall-clock time: samples of the CPU, and waits of record --waits", OPT_OURS },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Rows and columns" },
	{ 'c', "compute", OPT_CALL, 0, "method",
	  "delta-abs (default): change of the share, largest first; delta: most grown first; ratio; wdiff:W1,W2; "
	  "cycles: average cycles of blocks, of branch stacks",
	  0, set_compute, .values = "delta delta-abs ratio cycles wdiff:" },
	{ 'o', "order", OPT_U64, AT(order), "n",
	  "sort by file n (default 1: the first after the baseline); 0: by the baseline's shares" },
	{ 0, "stat", OPT_CALL_OPT, 0, "n",
	  "the first n files (default: the first half) are runs of the baseline, the others runs to compare: show "
	  "changes, and how large they are by chance; exit status 3 if a share grew by more",
	  OPT_OURS, set_runs },
	{ 'b', "baseline-only", OPT_BOOL, AT(diff.baseline_only), NULL,
	  "only what both the baseline and another file have" },
	{ 'p', "period", OPT_BOOL, AT(diff.periods), NULL, "show the sums of periods" },
	{ 'F', "formula", OPT_BOOL, AT(diff.formula), NULL, "show how values were computed" },
	{ 's', "sort", OPT_STR, AT(sort), "key,...",
	  "compare by these keys (default: dso,symbol); see report --sort help" },
	{ 0, "full-names", OPT_INCLUDE, AT(full_names), .rows = usual_options },
	{ 0, "field-separator", OPT_INCLUDE, AT(separator), .rows = usual_options },
	{ 0, "percentage", OPT_CALL, 0, "how",
	  "100 % is the samples that pass the filters (relative) or all samples (absolute)", 0, set_percentage,
	  .values = "relative absolute" },
	{ 0, "trace-text", OPT_INCLUDE, AT(trace_text), NULL,
	  "for keys of tracepoints' text: the kernel's formats, or plugins of libtraceevent", .rows = usual_options },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Filters" },
	{ 'C', "comms", OPT_INCLUDE, AT(samples_of), .rows = sample_options },
	{ 0, "dsos symbols pid tid cpu", OPT_INCLUDE, AT(samples_of), .rows = sample_options },
	{ 0, "time", OPT_INCLUDE, AT(times), NULL,
	  "START,STOP in seconds, or percents such as 10%/2; after a ':' those of the next file",
	  .rows = usual_options },
	{ 0, "dump-raw-trace", OPT_INCLUDE, AT(dump), NULL, "show every record of the files instead",
	  .rows = usual_options },
	{ 0, "modules", OPT_INCLUDE, AT(objects), .rows = object_options },
	{ 0, "cycles-hist", OPT_BOOL, AT(diff.histogram), NULL,
	  "with -c cycles: show how the changes of single rounds spread" },
	{ 0, "stream", OPT_BOOL, AT(stream), NULL,
	  "compare the hottest streams of branches of two files: chains of recorded branches" },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Symbols" },
	{ 0, "kallsyms symfs", OPT_INCLUDE, AT(objects), .rows = object_options },
	{ 0 },
};

/* ---- one recording ---- */

/*
 * Return the part of "10%/1:10%/2" for file n; the last part for files beyond. The caller frees it.
 */
static char *times_of(const char *times, size_t n)
{
	const char *end = strchr(times, ':');

	for (; n && end; n--) {
		times = end + 1;
		end = strchr(times, ':');
	}
	return end ? xstrndup(times, (size_t)(end - times)) : xstrdup(times);
}

static int make_filter(struct side *s, const struct diff_cmd *o, size_t n, struct err *e)
{
	autofree char *times = o->times ? times_of(o->times, n) : NULL;

	if (sample_opts_filter(&o->samples_of, &s->filter.who, e) < 0)
		return -1;
	if (sample_filter_check(&s->filter.who, s->session->pd, e) < 0)
		return -1;
	return times ? time_ranges_parse(&s->filter.times, times, s->session->first_time, s->session->last_time, false,
					 e)
		     : 0;
}

static void make_rows(struct side *s, const struct diff_cmd *o)
{
	const struct fields *f = &s->fields;

	for (size_t i = 0; i < f->sort.len; i++) {
		const struct key *k = f->sort.items[i];

		if (k->from == KEY_SAMPLE)
			vec_push(&s->sample_keys, &k->sample);
		else if (k->site)
			vec_push(&s->site_keys, k);
	}
	s->profile = profile_new(s->session,
				 &(struct profile_opts){ .keys = s->sample_keys.items,
							 .n_keys = s->sample_keys.len,
							 .chains = o->stream || fields_need(f, NEEDS_STACKS),
							 .max_stack = MAX_STACK,
							 .branch_history = o->stream,
							 .graph_by = o->stream ? GRAPH_BY_LINE : GRAPH_BY_FUNCTION,
							 .by_address = fields_need(f, NEEDS_ADDRESS),
							 .by_line = o->stream || fields_need(f, NEEDS_LINES_APART),
							 .want_lines = o->stream || fields_need(f, NEEDS_LINE),
							 .want_trace = fields_need(f, NEEDS_TRACE),
							 .want_types = fields_need(f, NEEDS_TYPE),
							 .threads = parallel_threads(),
							 .time_quantum = 100000000 },
				 &s->filter);
	profile_decode(s->profile);
	profile_name(s->profile);
	s->fold = fold_new(s->profile, &(struct fold_opts){ .keys = s->site_keys.items,
							    .n_keys = s->site_keys.len,
							    .stacks = fields_need(f, NEEDS_STACKS) });
	s->view = (struct view_opts){ .fields = f->columns.items,
				      .n_fields = f->columns.len,
				      .sort = f->sort.items,
				      .n_sort = f->sort.len,
				      .relative = o->relative,
				      .separated = o->separator || o->samples_of.dsos };
}

static int side_open(struct side *s, const struct diff_cmd *o, const char *path, size_t n, struct err *e)
{
	struct session_opts opts = { .force = o->force,
				     .trace_text = o->trace_text,
				     .symbols = object_symbols(&o->objects, o->force) };

	if (o->wall)
		path = wall_input(path, &(struct wall_opts){ .session = opts }, e);
	s->session = path ? session_open(path, &opts, e) : NULL;
	if (!s->session || session_walk(s->session, e) < 0)
		return -1;
	if (fields_parse(&s->fields, &(struct fields_opts){ .sort = o->sort, .no_ipc = true }, e) < 0 ||
	    (fields_need(&s->fields, NEEDS_TRACE) && trace_plugins_check(s->session, e) < 0) ||
	    make_filter(s, o, n, e) < 0)
		return -1;
	make_rows(s, o);
	return 0;
}

static void side_release(struct side *s)
{
	fold_free(s->fold);
	profile_free(s->profile);
	fields_free(&s->fields);
	session_close(s->session);
	sample_filter_free(&s->filter.who);
	time_ranges_free(&s->filter.times);
	vec_free(&s->sample_keys);
	vec_free(&s->site_keys);
}

/* ---- all of them ---- */

static void print_head(const struct diff_cmd *o, const struct side *sides, size_t n, const char *event, struct out *out)
{
	if (o->quiet)
		return;
	out_str(out, "# Event '");
	out_name(out, event);
	out_str(out, "'\n#\n");
	if (n < 3 && !o->verbose)
		return;
	out_str(out, "# Data files:\n");
	for (size_t i = 0; i < n; i++) {
		out_fmt(out, "#  [%zu] ", i);
		out_name(out, sides[i].session->pd->path);
		out_str(out, i ? " \n" : " (Baseline)\n");
	}
	out_str(out, "#\n");
}

static struct view *view_of(const struct side *s, const struct file_event *event, uint32_t *number)
{
	const struct perfdata *pd = s->session->pd;

	*number = (uint32_t)event_pair(pd, event);
	return *number < pd->n_events ? view_new(s->fold, &s->view, number, 1) : NULL;
}

/* Return "a, b, c": as many names as fit on a line. The caller frees it. */
static char *event_names(const struct perfdata *pd)
{
	struct out text;
	char *names;

	out_init_mem(&text);
	for (size_t i = 0; i < MIN(pd->n_events, (size_t)NAMES_TOLD); i++)
		out_fmt(&text, "%s'%s'", i ? ", " : "", pd->events[i].name);
	if (pd->n_events > NAMES_TOLD)
		out_fmt(&text, " and %zu more", pd->n_events - NAMES_TOLD);
	names = xstrdup(out_text(&text));
	out_release(&text);
	return names;
}

/* Report which events are compared with a different event, and which with none. */
static void tell_pair(const struct perfdata *pd, const struct file_event *event, uint32_t number)
{
	autofree char *others = event_names(pd);

	if (number == pd->n_events)
		say("Warning: nothing is compared with '%s': '%s' has %s instead", event->name, pd->path,
		    *others ? others : "no events");
	else if (event_pair_uneven(event, &pd->events[number]))
		say("Warning: '%s' is compared with '%s' of '%s': only one of the two has samples of both kernel and "
		    "user space",
		    event->name, pd->events[number].name, pd->path);
}

static void print_streams(const struct view *old, const struct view *now, struct out *out)
{
	struct streams *a = streams_new(old), *b = now ? streams_new(now) : NULL;

	if (b)
		streams_print(a, b, out);
	streams_free(a);
	streams_free(b);
}

/* With --stat, tell whether a share grew by more than chance explains. */
static bool print_event(const struct diff_cmd *o, const struct side *sides, size_t n, const struct file_event *event,
			struct out *out)
{
	struct view **views = xcalloc(n, sizeof(*views));
	uint32_t *numbers = xcalloc(n, sizeof(*numbers));
	struct blocks **blocks = xcalloc(n, sizeof(*blocks));
	struct diff_opts how = o->diff;
	bool grew = false;
	struct diff *d;

	for (size_t i = 0; i < n; i++) {
		views[i] = view_of(&sides[i], event, &numbers[i]);
		if (how.method == DIFF_CYCLES && views[i])
			blocks[i] = blocks_new(sides[i].profile, numbers[i]);
	}
	how.blocks = blocks;
	if (o->stream) {
		print_streams(views[0], views[1], out);
		goto done;
	}
	print_head(o, sides, n, event->name, out);
	d = diff_new((const struct view *const *)views, n, &how);
	if (o->stat)
		grew = diff_stat_print(d, o->runs, out);
	else
		diff_print(d, out);
	diff_free(d);
done:
	for (size_t i = 1; i < n; i++)
		if (views[0]->totals[0].period)
			tell_pair(sides[i].session->pd, event, numbers[i]);
	for (size_t i = 0; i < n; i++)
		view_free(views[i]), blocks_free(blocks[i]);
	free(blocks);
	free(views);
	free(numbers);
	return grew;
}

static bool has_branches(const struct perfdata *pd)
{
	for (size_t i = 0; i < pd->n_events; i++)
		if (pd->events[i].attr.sample_type & SAMPLE_BRANCH_STACK)
			return true;
	return false;
}

static int compare(const struct diff_cmd *o, struct side *sides, char *const *paths, size_t n, struct err *e)
{
	const struct perfdata *pd;
	int columns = o->full_names || o->diff.separator ? 0 : shown_columns(STDOUT_FILENO);
	struct out out;
	bool grew = false;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		if (side_open(&sides[i], o, paths[i], i, e) < 0)
			return -1;
	pd = sides[0].session->pd;
	for (size_t i = 0; i < (o->stream ? n : o->diff.method == DIFF_CYCLES); i++)
		if (!has_branches(sides[i].session->pd)) {
			err_set(e, "%s: the samples of '%s' have no branch stacks",
				o->stream ? "--stream" : "-c cycles", sides[i].session->pd->path);
			return err_try(e, "%s record -b", tool_name());
		}
	out_init_fd(&out, STDOUT_FILENO);
	for (size_t i = 0; i < pd->n_events; i++) {
		struct out fitting;

		if (i && !o->quiet && !o->stream)
			out_char(&out, '\n');
		out_init_mem(&fitting);
		grew |= print_event(o, sides, n, &pd->events[i], columns ? &fitting : &out);
		if (columns)
			fit_lines(&out, &fitting, columns);
		out_release(&fitting);
	}
	if (out_finish(&out, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		rc |= session_notes_say(sides[i].session);
	return grew ? GREW : rc;
}

static int dump_all(const struct diff_cmd *o, char *const *paths, size_t n, struct err *e)
{
	struct out out;
	int rc = 0;

	out_init_fd(&out, STDOUT_FILENO);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		struct session *s = session_open(
			paths[i], &(struct session_opts){ .force = o->force, .symbols = { .symfs = o->objects.symfs } },
			e);

		rc = !s || dump_session(s, NULL, false, &out, e) < 0 ? -1 : rc | session_notes_say(s);
		session_close(s);
	}
	return out_finish(&out, rc < 0 ? NULL : e) < 0 ? -1 : rc;
}

static int diff_run(void *opts, int argc, char **argv, struct err *e)
{
	static char before[] = "perf.data.old", now[] = "perf.data";
	char *usual[] = { argc == 1 ? now : before, argc == 1 ? argv[0] : now };
	struct diff_cmd *o = opts;
	size_t n = argc < 2 ? 2 : (size_t)argc;
	struct side *sides;
	int rc;

	if (o->quiet)
		set_verbosity(-1);
	if (text_separator_check(o->separator, e) < 0)
		return -1;
	if (o->dump)
		return dump_all(o, argc < 2 ? usual : argv, n, e);
	if (o->diff.histogram && o->diff.method != DIFF_CYCLES) {
		err_set(e, "--cycles-hist is about cycles");
		err_try(e, "-c cycles");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (o->order >= n) {
		err_set(e, "-o %llu: there are %zu files", (unsigned long long)o->order, n);
		err_try(e, "a number from 0 to %zu", n - 1);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (o->stream && (n > 2 || o->stat)) {
		err_set(e, "--stream compares two files");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (o->stat && split_runs(o, n, e) < 0)
		return -1;
	o->diff.order = o->order;
	o->diff.headings = !o->quiet;
	o->diff.separator = o->separator;
	sides = xcalloc(n, sizeof(*sides));
	rc = compare(o, sides, argc < 2 ? usual : argv, n, e);
	for (size_t i = 0; i < n; i++)
		side_release(&sides[i]);
	free(sides);
	return rc;
}

const struct command cmd_diff = {
	.name = "diff",
	.summary = "compare the profiles of two or more recordings",
	.run = diff_run,
	.configure = diff_configure,
	.pager = true,
	.usage = (const char *const[]){ "[<options>] [<baseline>] [<file>...]", NULL },
	.words = "@file",
	.options = diff_options,
	.defaults = &diff_defaults,
	.opts_size = sizeof(struct diff_cmd),
};
