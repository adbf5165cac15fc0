#include "cmd/commands.h"
#include "cmd/shared/rewritten.h"
#include "cmd/shared/options.h"
#include "cmd/shared/screen.h"
#include "cmd/shared/screen_settings.h"

#include "base/config.h"
#include "base/parallel.h"
#include "report/text/dump.h"
#include "report/text/text_annotate.h"
#include "report/text/text_types.h"
#include "report/tui/tui_annotate.h"

enum annotate_form { FORM_STDIO, FORM_STDIO2, FORM_SOURCE };

struct annotate_opts_cmd {
	const char *input, *itrace, *symbol, *dsos, *color, *none, *data_type;
	bool tui, force, quiet, dump, stdio, stdio2, source_view, lines, full_paths, skip_missing, source, raw,
		full_names;
	bool samples, period, skip_empty, type_stat, code_with_type;
	int verbose, group;
	struct object_opts objects;
	struct sample_opts samples_of;
	struct code_opts code;
	double percent_limit;
	struct opt_list symbols;
	struct screen_settings settings;
};
#define AT(member) offsetof(struct annotate_opts_cmd, member)

static int set_percent_limit(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct annotate_opts_cmd *o = opts;
	char *end;

	o->percent_limit = strtod(value, &end);
	if (end != value && (!*end || !strcmp(end, "%")) && o->percent_limit >= 0 && o->percent_limit <= 100)
		return 0;
	err_set(e, "--percent-limit: '%s' is no percentage", value);
	err_try(e, "--percent-limit N, where N is 0 to 100");
	return err_exit(e, EXIT_BAD_USAGE);
}

static int set_color(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	if (value && strcmp(value, "always") && strcmp(value, "never") && strcmp(value, "auto")) {
		err_set(e, "--stdio-color is always, never or auto, not '%s'", value);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	((struct annotate_opts_cmd *)opts)->color = value ? value : "always";
	return 0;
}

static int set_group(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	((struct annotate_opts_cmd *)opts)->group = !unset;
	return 0;
}

static const struct annotate_opts_cmd annotate_defaults = {
	.source = true, .objects = OBJECT_DEFAULTS, .skip_empty = true, .group = -1
};

static const struct opt annotate_options[] = {
	{ 0, "input", OPT_INCLUDE, AT(input), NULL, "read samples from this file, '-' for a pipe (default: perf.data)",
	  .rows = usual_options },
	{ 0, NULL, OPT_INCLUDE, AT(force), .rows = force_options },
	{ 0, "verbose", OPT_INCLUDE, AT(verbose), NULL, "say which file each function's code is from",
	  .rows = usual_options },
	{ 0, "quiet", OPT_INCLUDE, AT(quiet), NULL, "do not say what is missing", .rows = usual_options },
	{ 0, "dump-raw-trace", OPT_INCLUDE, AT(dump), NULL, "show every record with its bytes instead",
	  .rows = usual_options },
	{ 0, NULL, OPT_GROUP, 0, NULL, "What is annotated" },
	{ 's', "symbol", OPT_LIST, AT(symbols), "symbol", "only this function (the same as an argument)" },
	{ 'd', "dsos", OPT_STR, AT(dsos), "dso,...", "only functions of these objects" },
	{ 'C', "cpu", OPT_INCLUDE, AT(samples_of), .rows = sample_options },
	{ 0, "percent-limit", OPT_CALL, 0, "percent", "only functions with at least this share of all samples",
	  OPT_NONEG, set_percent_limit },
	{ 0, "skip-missing", OPT_BOOL, AT(skip_missing), NULL, "do not mention functions whose code is not here" },
	{ 0, "skip-empty", OPT_BOOL, AT(skip_empty), NULL, "leave out events without samples (default)" },
	{ 0, "group", OPT_CALL_FLAG, 0, NULL, "show events side by side (default for those recorded as a group)", 0,
	  set_group },
	{ 0, NULL, OPT_GROUP, 0, NULL, "What is shown" },
	{ 0, "tui", OPT_BOOL, AT(tui), NULL, "browse the code on a screen (default on a terminal)", OPT_NONEG },
	{ 0, "stdio", OPT_BOOL, AT(stdio), NULL, "print text: addresses and instructions (default without a terminal)",
	  OPT_NONEG },
	{ 0, "stdio2", OPT_BOOL, AT(stdio2), NULL, "print text as on the screen: jumps by offset, with arrows",
	  OPT_NONEG },
	{ 0, "source-view", OPT_BOOL, AT(source_view), NULL,
	  "show source files with the cost of each line, its own and with code inlined there", OPT_OURS | OPT_NONEG },
	{ 0, "source", OPT_BOOL, AT(source), NULL, "show source lines between instructions (default)" },
	{ 0, "asm-raw", OPT_BOOL, AT(raw), NULL, "show the bytes of instructions" },
	{ 'l', "print-line", OPT_BOOL, AT(lines), NULL,
	  "begin with the hottest source lines, and show the line of hot instructions" },
	{ 'P', "full-paths", OPT_BOOL, AT(full_paths), NULL, "show whole paths of objects and source files" },
	{ 'n', "show-nr-samples", OPT_BOOL, AT(samples), NULL, "show numbers of samples instead of percentages" },
	{ 0, "show-total-period", OPT_BOOL, AT(period), NULL, "show sums of periods instead of percentages" },
	{ 0, "percent-type disassembler-style", OPT_INCLUDE, AT(code), .rows = code_options },
	{ 0, "stdio-color", OPT_CALL_LAST, 0, "mode", "colour: always, never or auto (if a terminal reads it)",
	  OPT_NONEG, set_color, .values = "always never auto" },
	{ 0, "data-type", OPT_STR_OPT, AT(data_type), "name",
	  "show the types of accessed data and the share of each member; or only this type", OPT_NONEG },
	{ 0, "type-stat", OPT_BOOL, AT(type_stat), NULL,
	  "first show how many sampled instructions access data of a known type, and what is missing for the others" },
	{ 0, "code-with-type", OPT_BOOL, AT(code_with_type), NULL,
	  "show the type and member that each instruction accesses" },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Where code, names and source are looked for" },
	{ 0, "vmlinux ignore-vmlinux modules symfs", OPT_INCLUDE, AT(objects), .rows = object_options },
	{ 0, "prefix prefix-strip objdump", OPT_INCLUDE, AT(code), .rows = code_options },
	{ 0, "full-names", OPT_BOOL, AT(full_names), NULL, "on a terminal, do not shorten lines to fit it", OPT_OURS },
	{ 0, "demangle demangle-kernel debuginfod bundle-first", OPT_INCLUDE, AT(objects), .rows = object_options },
	{ 0, "gtk", OPT_BOOL, 0, NULL, "there is no graphical interface", OPT_REFUSED },
	{ 0, "addr2line", OPT_INCLUDE, AT(none), .rows = accepted_options },
	{ 0, "itrace", OPT_INCLUDE, AT(itrace), .rows = usual_options },
	{ 0, "insn-stat", OPT_BOOL, 0, NULL, "report --sort type,typeoff tells what data is accessed", OPT_REFUSED },
	{ 0 },
};

struct annotate_run {
	const struct annotate_opts_cmd *o;
	struct session *session;
	struct profile_filter filter;
	struct hot *hot;
	struct annotator annotator;
	struct annotate_text text;
	char **names; /* wanted functions, NULL at the end */
	size_t n_names;
	bool *found; /* of names */
	bool told_newer;
	bool *told; /* objects whose missing code has been reported */
	size_t printed;
	struct err missing; /* the last reason why a function could not be shown */
};

/* ---- which functions ---- */

static bool is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = list; p && *p; p += strcspn(p, ","), p += *p == ',')
		if (strcspn(p, ",") == len && !strncmp(p, name, len))
			return true;
	return false;
}

static bool wanted_dso(const struct annotate_run *r, uint32_t dso)
{
	struct symbols *s = r->session->symbols;

	return !r->o->dsos || is_listed(r->o->dsos, dso_name(s, dso)) || is_listed(r->o->dsos, dso_short_name(s, dso));
}

static bool wanted_name(struct annotate_run *r, uint32_t function)
{
	bool any = !r->n_names;

	for (size_t i = 0; i < r->n_names; i++)
		if (hot_is_named(r->hot, function, r->names[i]))
			any = r->found[i] = true;
	return any;
}

static bool is_wanted(struct annotate_run *r, uint32_t function, uint32_t event)
{
	const struct event_total *all = &r->hot->totals[event], *own = hot_sum(r->hot, function, event);

	if (!wanted_dso(r, r->hot->functions.items[function].dso) || !wanted_name(r, function))
		return false;
	return !all->period || 100.0 * (double)own->period / (double)all->period >= r->o->percent_limit;
}

/* The functions with samples of this event, hottest first. The caller frees the array. */
static uint32_t *list_functions(struct annotate_run *r, uint32_t event, size_t *n)
{
	size_t n_all;
	uint32_t *order = hot_order(r->hot, event, &n_all);

	*n = 0;
	for (size_t i = 0; i < n_all; i++)
		if (is_wanted(r, order[i], event))
			order[(*n)++] = order[i];
	return order;
}

/* ---- what cannot be shown ---- */

static uint64_t all_samples(const struct annotate_run *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->hot->n_events; i++)
		n += r->hot->totals[i].samples;
	return n;
}

/*
 * Find the object with the most samples without a symbol; prefer the wanted objects if any has such
 * samples. NULL: none.
 */
static const struct unnamed *most_unnamed(const struct annotate_run *r)
{
	for (size_t i = 0; i < r->hot->n_unnamed; i++)
		if (wanted_dso(r, r->hot->unnamed[i].dso))
			return &r->hot->unnamed[i];
	return r->hot->n_unnamed ? r->hot->unnamed : NULL;
}

/* Explain samples without a symbol: name their object and what it lacks. */
static int why_unnamed(const struct annotate_run *r, struct err *e)
{
	const struct unnamed *u = most_unnamed(r);
	struct symbols *s = r->session->symbols;
	const char *problem = dso_problem(s, u->dso);

	err_why(e, "%llu samples lie in '%s' without a function: %s", (unsigned long long)u->samples,
		dso_name(s, u->dso),
		u->dso == DSO_UNKNOWN ? "nothing was mapped there"
		: problem             ? problem
				      : "it has no symbols there (stripped)");
	return err_try(e, "the recorded object below --symfs DIR or in the build-id cache, or its debug package");
}

/*
 * The name may be mistyped or incomplete: suggest the hottest function that contains it ("__GI_"
 * before it, ".part.0" after it).
 */
static int no_such_function(const struct annotate_run *r, const char *asked, struct err *e)
{
	const char **names = xcalloc(r->hot->functions.len + 1, sizeof(*names));
	const char *near, *part = NULL;
	const struct unnamed *unnamed = most_unnamed(r);
	uint64_t most = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->hot->functions.len; i++) {
		uint64_t samples = 0;

		if (!wanted_dso(r, r->hot->functions.items[i].dso))
			continue;
		names[n++] = hot_name(r->hot, i);
		for (uint32_t k = 0; k < r->hot->n_events; k++)
			samples += hot_sum(r->hot, i, k)->samples;
		if (samples > most && *asked && strstr(names[n - 1], asked)) {
			part = names[n - 1];
			most = samples;
		}
	}
	near = *asked ? opt_nearest(asked, names) : NULL;
	err_set(e, "no samples lie in a function '%s'%s%s", asked, r->o->dsos ? " of " : "",
		r->o->dsos ? r->o->dsos : "");
	if (near && part && strcmp(near, part))
		err_try(e, "'%s' or '%s'?", part, near);
	else if (near || part)
		err_try(e, "'%s'?", near ? near : part);
	else if (unnamed && (r->o->dsos ? wanted_dso(r, unnamed->dso) : unnamed->samples * 10 > all_samples(r)))
		why_unnamed(r, e); /* the function may be one of these */
	else
		err_try(e, "'%s report --sort symbol' lists the functions with samples", tool_name());
	free(names);
	return -1;
}

/* Explain why nothing was shown: the samples' objects have no symbols. */
static int no_function(const struct annotate_run *r, struct err *e)
{
	if (r->missing.what[0]) {
		*e = r->missing;
		return -1;
	}
	if (r->o->dsos && (r->hot->functions.len || r->hot->n_unnamed)) {
		err_set(e, "no samples lie in functions of '%s'", r->o->dsos);
		if (most_unnamed(r) && wanted_dso(r, most_unnamed(r)->dso))
			return why_unnamed(r, e);
		return err_try(e, "`report --sort dso` lists the objects with samples");
	}
	if (!all_samples(r)) {
		say("Error:");
		say("The %s data has no samples!", r->session->pd->path);
		return 0;
	}
	if (r->hot->functions.len) {
		err_set(e, "no function has %g %% of the samples", r->o->percent_limit);
		return err_try(e, "a lower --percent-limit");
	}
	err_set(e, "no function is known for any sample");
	return why_unnamed(r, e);
}

/* Report missing code once per object: it is missing for all its functions. */
static void tell_missing(struct annotate_run *r, uint32_t function, const struct err *e)
{
	uint32_t dso = r->hot->functions.items[function].dso;

	r->missing = *e;
	if (r->o->skip_missing || r->o->quiet || r->told[dso])
		return;
	r->told[dso] = true;
	say("cannot annotate '%s': %s", hot_name(r->hot, function), e->what);
	if (e->why[0])
		say("  why: %s", e->why);
	if (e->fix[0])
		say("  try: %s", e->fix);
}

/* Report samples that belong to no function. */
static void tell_unnamed(const struct annotate_run *r)
{
	struct err e = { 0 };
	uint64_t n = 0;

	for (size_t i = 0; i < r->hot->n_unnamed; i++)
		n += r->hot->unnamed[i].samples;
	if (r->o->quiet || r->n_names || n * 10 < all_samples(r))
		return;
	why_unnamed(r, &e);
	say("%llu of %llu samples lie in no known function", (unsigned long long)n, (unsigned long long)all_samples(r));
	say("  why: %s", e.why);
	say("  try: %s", e.fix);
}

static void tell_sources(struct annotate_run *r)
{
	for (size_t i = 0; i < r->annotator.sources.files.len; i++) {
		const struct source_file *f = r->annotator.sources.files.items[i];

		if (!f->problem || r->o->quiet)
			continue;
		say("the source '%s' is not here: %s", f->path ? f->path : f->name, f->problem);
		say("  try: --prefix DIR --prefix-strip N, if it lies elsewhere");
		return; /* usually all objects have the same reason */
	}
}

static void tell_newer(struct annotate_run *r, uint32_t function)
{
	const struct source_file *newer =
		r->o->quiet || r->told_newer ? NULL : annotator_newer_source(&r->annotator, function);

	if (newer)
		say("the source '%s' is newer than the code of '%s': its lines may have moved since", newer->path,
		    hot_name(r->hot, function));
	r->told_newer |= newer != NULL;
}

/* ---- showing ---- */

static void show_function(struct annotate_run *r, uint32_t function, struct out *out)
{
	struct err e = { 0 };
	struct annotation *a = annotation_new(&r->annotator, function, &e);
	struct out fitting;
	int columns;

	if (!a) {
		tell_missing(r, function, &e);
		return;
	}
	if (verbosity() > 0)
		say("%s: code from %s", hot_name(r->hot, function), a->code.from ? a->code.from : "memory");
	columns = r->o->full_names ? 0 : shown_columns(STDOUT_FILENO);
	out_init_mem(&fitting);
	(r->o->stdio2 ? text_annotate_short : text_annotate)(a, &r->text, columns ? &fitting : out);
	if (columns)
		fit_lines(out, &fitting, columns);
	out_release(&fitting);
	r->printed++;
	tell_newer(r, function);
	annotation_free(a);
}

static void no_lines(const struct annotate_run *r, uint32_t function, struct err *e)
{
	err_set(e, "no source lines are known of '%s' and its like", hot_name(r->hot, function));
	err_why(e, "'%s' has no debug information",
		dso_name(r->session->symbols, r->hot->functions.items[function].dso));
	err_try(e, "compile with -g, or install its debug package; without --source-view its instructions are shown");
}

static char *name_of_events(const struct annotate_run *r, const uint32_t *events, size_t n)
{
	const struct file_event *all = r->session->pd->events;
	bool recorded = all[events[0]].n_members > 1;
	const char *group = all[events[0]].group_name;
	struct out o;
	char *name;

	out_init_mem(&o);
	if (recorded) {
		out_str(&o, group && strcmp(group, "{anon_group}") ? group : "anon group");
		out_str(&o, " { ");
	}
	for (size_t i = 0; i < n; i++) {
		out_str(&o, i ? ", " : "");
		out_str(&o, all[events[i]].name);
	}
	out_str(&o, recorded ? " }" : "");
	name = xstrdup(out_text(&o));
	out_release(&o);
	return name;
}

/*
 * Show data types instead of code, or a summary of the types before the code. Tell whether this is
 * the whole output.
 */
static bool show_types(struct annotate_run *r, const uint32_t *functions, size_t n, struct out *out)
{
	const char *name = r->o->data_type;
	struct type_sums *sums;
	size_t n_types = 0;

	if (!name && !r->o->type_stat)
		return false;
	sums = type_sums_new(r->hot, functions, n);
	if (r->o->type_stat)
		text_type_stat(sums, out);
	if (name)
		n_types = text_types(sums, &r->text, *name ? name : NULL, out);
	type_sums_free(sums);
	r->printed += n_types;
	if (!name || n_types || !n)
		return name;
	if (*name)
		err_set(&r->missing, "no sample accessed data of type '%s'", name);
	else
		err_set(&r->missing, "no sample accessed data of a known type");
	err_why(&r->missing, "types are known of x86 code with debug information");
	err_try(&r->missing, "--type-stat, which tells what is missing");
	return true;
}

/* Show one event, or the events of a group. */
static void show_events(struct annotate_run *r, const uint32_t *events, size_t n, struct out *out)
{
	size_t n_functions;
	autofree uint32_t *functions = list_functions(r, events[0], &n_functions);
	autofree char *name = name_of_events(r, events, n);

	r->text.events = events;
	r->text.n_events = n;
	r->text.event_name = name;
	r->text.first = !r->printed;
	if (r->o->source_view) {
		if (n_functions &&
		    !text_source_view(r->hot, functions, n_functions, &r->annotator.sources, &r->text, out))
			no_lines(r, functions[0], &r->missing);
		else
			r->printed += n_functions;
		if (n_functions)
			tell_newer(r, functions[0]);
		return;
	}
	if (show_types(r, functions, n_functions, out))
		return;
	for (size_t i = 0; i < n_functions; i++)
		show_function(r, functions[i], out);
}

/* The members with samples of the group that event i leads; n 0 when it leads none. */
static size_t members(const struct annotate_run *r, uint32_t i, bool all_together, uint32_t *events)
{
	const struct perfdata *pd = r->session->pd;
	size_t n = 0;

	for (uint32_t k = i; k < pd->n_events; k++) {
		bool member = r->o->group == 0 ? k == i : all_together ? !i : pd->events[k].leader == i;

		if (member && (k == i || !r->o->skip_empty || r->hot->totals[k].samples))
			events[n++] = k;
	}
	return n;
}

static void show_all(struct annotate_run *r, struct out *out)
{
	const struct perfdata *pd = r->session->pd;
	autofree uint32_t *events = xcalloc(pd->n_events, sizeof(*events));
	bool any_group = false;

	for (size_t i = 0; i < pd->n_events; i++)
		any_group |= pd->events[i].n_members > 1;
	for (uint32_t i = 0; i < pd->n_events; i++) {
		size_t n = members(r, i, r->o->group == 1 && !any_group, events);

		if (n && r->hot->totals[events[0]].samples)
			show_events(r, events, n, out);
	}
}

/* ---- on a screen ---- */

/* Open the screen; NULL: text. Options about text imply text, unless --tui was given. */
static struct tui *open_screen(const struct annotate_opts_cmd *o)
{
	struct screen_wish wish = {
		.command = "annotate", .tui = o->tui, .quiet = o->quiet, .input = o->input ? o->input : usual_input()
	};

	if (o->data_type || o->type_stat || o->code_with_type)
		wish.text = "types of data are text";
	else if (o->source_view)
		wish.text = "--source-view is text";
	else if (o->stdio || o->stdio2)
		wish.text = "--stdio asks for text";
	else if (!o->tui && (o->settings.text || o->lines || o->color))
		wish.text = "the options or settings are about text";
	return screen_open(&wish, &o->settings.colors);
}

/* "61.02%  function". The caller frees it. */
static char *function_line(const struct annotate_run *r, uint32_t event, uint32_t function)
{
	const struct event_total *all = &r->hot->totals[event], *own = hot_sum(r->hot, function, event);

	return xasprintf("%6.2f%%  %s", all->period ? 100.0 * (double)own->period / (double)all->period : 0,
			 hot_name(r->hot, function));
}

/*
 * List the functions and show the chosen ones until the user leaves. A single function is shown at
 * once.
 */
static enum tui_then walk_functions(struct annotate_run *r, struct tui *t, const uint32_t *events, size_t n_events)
{
	struct tui_annotate_opts opts = { .code = r->annotator.opts,
					  .source = r->annotator.sources.opts,
					  .look = r->o->settings.code,
					  .runner = { .program = "/proc/self/exe",
						      .symfs = r->o->objects.symfs,
						      .vmlinux = r->o->objects.vmlinux },
					  .input = strcmp(r->session->pd->path, "-") ? r->session->pd->path : NULL };
	enum tui_then then = TUI_LEAVE;
	size_t n;
	autofree uint32_t *functions = list_functions(r, events[0], &n);
	char **lines = xcalloc(n + 1, sizeof(*lines));
	int chosen = 0;

	opts.look.raw = r->o->raw;
	opts.look.column = r->text.column;
	opts.look.percent = r->o->code.percent;
	for (size_t i = 0; i < n; i++)
		lines[i] = function_line(r, events[0], functions[i]);
	r->printed += n;
	while (n && chosen >= 0 && then != TUI_QUIT) {
		if (n > 1)
			chosen = tui_menu(t, "Functions, hottest first", (const char *const *)lines, n, (size_t)chosen);
		if (chosen >= 0)
			then = tui_annotate(t, r->hot, &r->filter, events, n_events, functions[chosen], &opts);
		if (n == 1)
			break;
	}
	for (size_t i = 0; i < n; i++)
		free(lines[i]);
	free(lines);
	return t->quit ? TUI_QUIT : then;
}

/* A unit to show: an event that has samples, or its group. */
struct shown_function {
	uint32_t *events;
	size_t n;
	char *name;
};

static size_t list_shown(const struct annotate_run *r, struct shown_function *shown)
{
	const struct perfdata *pd = r->session->pd;
	size_t n_shown = 0;

	for (uint32_t i = 0; i < pd->n_events; i++) {
		struct shown_function s = { .events = xcalloc(pd->n_events, sizeof(*s.events)) };

		s.n = members(r, i, false, s.events);
		if (s.n && r->hot->totals[s.events[0]].samples) {
			s.name = name_of_events(r, s.events, s.n);
			shown[n_shown++] = s;
		} else {
			free(s.events);
		}
	}
	return n_shown;
}

static void show_on_screen(struct annotate_run *r, struct tui *t)
{
	struct shown_function *shown = xcalloc(r->session->pd->n_events + 1, sizeof(*shown));
	size_t n = list_shown(r, shown);
	const char **names = xcalloc(n + 1, sizeof(*names));
	int chosen = 0;

	for (size_t i = 0; i < n; i++)
		names[i] = shown[i].name;
	while (n && chosen >= 0) {
		if (n > 1)
			chosen = tui_menu(t, "Events", names, n, (size_t)chosen);
		if (chosen < 0 || walk_functions(r, t, shown[chosen].events, shown[chosen].n) == TUI_QUIT || n == 1)
			break;
	}
	for (size_t i = 0; i < n; i++) {
		free(shown[i].events);
		free(shown[i].name);
	}
	free(shown);
	free(names);
}

/* ---- the run ---- */

static int prepare(struct annotate_run *r, char **argv, int argc, struct err *e)
{
	const struct annotate_opts_cmd *o = r->o;

	if (code_style_check(&o->code, e) < 0)
		return -1;
	if (o->code.prefix_strip && !o->code.prefix) {
		err_set(e, "--prefix-strip needs --prefix");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	r->names = xcalloc((size_t)argc + o->symbols.len + 1, sizeof(*r->names));
	for (size_t i = 0; i < o->symbols.len; i++)
		r->names[r->n_names++] = xstrdup(o->symbols.items[i]);
	for (int i = 0; i < argc; i++)
		r->names[r->n_names++] = xstrdup(argv[i]);
	r->found = xcalloc(r->n_names + 1, sizeof(*r->found));
	r->annotator.opts = (struct annotate_opts){ .source = o->source,
						    .lines = o->lines,
						    .few = r->n_names,
						    .objdump = o->code.objdump,
						    .style = o->code.style,
						    .syntax = code_syntax(&o->code) };
	r->annotator.sources.opts =
		(struct source_opts){ .prefix = o->code.prefix, .strip = (uint32_t)MIN(o->code.prefix_strip, 1000) };
	r->text = (struct annotate_text){
		.percent = o->code.percent,
		.column = o->samples  ? COLUMN_SAMPLES
			  : o->period ? COLUMN_PERIOD
				      : o->settings.code.column,
		.summary = o->lines,
		.full_paths = o->full_paths,
		.raw = o->raw,
		.quiet = o->quiet,
		.color = o->color && strcmp(o->color, "auto") ? !strcmp(o->color, "always") : isatty(STDOUT_FILENO),
	};
	return sample_opts_filter(&o->samples_of, &r->filter.who, e);
}

/* If only `named` functions are wanted, the kernel's names may be unnecessary. */
static struct session *open_session(const struct annotate_opts_cmd *o, bool named, struct progress *progress,
				    struct err *e)
{
	return session_open(o->input ? o->input : usual_input(),
			    &(struct session_opts){ .force = o->force,
						    .progress = progress,
						    .read_ahead = !o->dump && !named,
						    .symbols = object_symbols(&o->objects, o->force) },
			    e);
}

static void count_samples(struct annotate_run *r, bool kernel, struct progress *progress)
{
	struct profile *p = profile_new(r->session,
					&(struct profile_opts){ .kind = PROFILE_SAMPLES,
								.keep_places = true,
								.max_stack = 127,
								.threads = parallel_threads(),
								.time_quantum = 1,
								.no_kernel_names = !kernel,
								.no_notes = r->hot,
								.no_quality = true,
								.progress = progress },
					&r->filter);

	profile_decode(p);
	profile_name(p);
	hot_free(r->hot);
	r->hot = hot_new(p);
	r->annotator.hot = r->hot;
	profile_free(p);
}

static bool all_found(struct annotate_run *r)
{
	bool found = true;

	for (size_t i = 0; i < r->hot->functions.len; i++)
		wanted_name(r, (uint32_t)i);
	for (size_t i = 0; i < r->n_names; i++) {
		found &= r->found[i];
		r->found[i] = false;
	}
	return found;
}

/* Count samples per address. -1 with e, also when `progress` says stop. */
static int load(struct annotate_run *r, struct progress *progress, struct err *e)
{
	bool kernel;

	r->session = open_session(r->o, r->n_names, progress, e);
	if (!r->session)
		return -1;
	r->annotator.sources.opts.root = symbols_root(r->session->symbols);
	r->annotator.sources.opts.bundled = r->session->symbols;
	r->session->progress = progress;
	if (session_walk(r->session, e) < 0)
		return -1;
	kernel = !r->n_names || !symbols_kernel_lacks(r->session->symbols, (const char *const *)r->names);
	count_samples(r, kernel, progress);
	if (!kernel && !all_found(r)) /* the name may be anywhere, so look everywhere for suggestions */
		count_samples(r, true, progress);
	r->session->progress = NULL;
	return 0;
}

struct loading {
	struct annotate_run *run;
	struct progress progress;
	struct err *e;
	int rc;
};

static void load_beside(void *ctx)
{
	struct loading *l = ctx;

	l->rc = load(l->run, &l->progress, l->e);
}

/* The result of the command: report what could not be shown. */
static int conclude(struct annotate_run *r, struct err *e)
{
	for (size_t i = 0; i < r->n_names; i++)
		if (!r->found[i])
			return no_such_function(r, r->names[i], e);
	if (!r->printed)
		return no_function(r, e);
	tell_unnamed(r);
	return 0;
}

/* 1 when the user gave up before anything was shown. */
static int annotate_on_screen(struct annotate_run *r, struct tui *t, struct err *e)
{
	struct loading l = { .run = r, .e = e };
	bool kept = tui_wait(t, "Loading", r->o->input ? r->o->input : usual_input(), &l.progress, load_beside, &l);

	if (kept && l.rc >= 0)
		show_on_screen(r, t);
	return kept ? l.rc : 1;
}

static int annotate_text(struct annotate_run *r, struct out *out, struct err *e)
{
	if (load(r, NULL, e) < 0)
		return -1;
	if (r->o->code_with_type)
		r->text.types = access_new(r->session->symbols);
	r->told = xcalloc(symbols_n_dsos(r->session->symbols), sizeof(*r->told));
	pager_start();
	show_all(r, out);
	return 0;
}

static int annotate(struct annotate_run *r, struct out *out, struct err *e)
{
	struct tui *t = open_screen(r->o);
	int rc = t ? annotate_on_screen(r, t, e) : annotate_text(r, out, e);

	tui_free(t);
	return rc ? MIN(rc, 0) : conclude(r, e);
}

static int annotate_dump(struct annotate_run *r, struct out *out, struct err *e)
{
	r->session = open_session(r->o, false, NULL, e);
	return r->session ? dump_session(r->session, NULL, false, out, e) : -1;
}

static void release(struct annotate_run *r)
{
	access_free(r->text.types);
	annotator_release(&r->annotator);
	hot_free(r->hot);
	session_close(r->session);
	sample_filter_free(&r->filter.who);
	for (size_t i = 0; i < r->n_names; i++)
		free(r->names[i]);
	free(r->names);
	free(r->found);
	free(r->told);
}

/* Samples in place of a hardware trace. */
static int take_traces(struct annotate_opts_cmd *o, struct err *e)
{
	struct session_opts session = { .force = o->force };

	o->input = traced_input(o->input ? o->input : usual_input(), o->itrace, "", &session, e);
	return o->input ? 0 : -1;
}

static int annotate_run(void *opts, int argc, char **argv, struct err *e)
{
	struct annotate_opts_cmd *o = opts;
	struct annotate_run r = { .o = o };
	struct out out;
	int rc;

	if (o->quiet)
		set_verbosity(-1);
	else
		set_verbosity(o->verbose);
	if (!o->dump && take_traces(o, e) < 0)
		return -1;
	out_init_fd(&out, STDOUT_FILENO);
	rc = prepare(&r, argv, argc, e);
	if (!rc)
		rc = o->dump ? annotate_dump(&r, &out, e) : annotate(&r, &out, e);
	if (out_finish(&out, rc < 0 ? NULL : e) < 0 && rc >= 0)
		rc = -1;
	if (r.hot)
		tell_sources(&r);
	if (rc >= 0 && (r.hot || o->dump))
		rc = session_notes_say(r.session);
	release(&r);
	return rc;
}

/* Options are parsed later, so they override settings. */
static int annotate_configure(void *opts, const struct config *c, struct err *e)
{
	struct annotate_opts_cmd *o = opts;

	if (screen_configure(&o->settings, "annotate", c, e) < 0)
		return -1;
	o->source = !o->settings.no_source;
	o->code.objdump = o->settings.objdump;
	o->code.style = o->settings.style;
	o->objects.demangle &= !o->settings.no_demangle;
	o->objects.demangle_kernel |= o->settings.demangle_kernel;
	return 0;
}

const struct command cmd_annotate = {
	.name = "annotate",
	.summary = "show the code of a function with the samples of each instruction",
	.run = annotate_run,
	.configure = annotate_configure,
	.usage = (const char *const[]){ "[<options>] [<symbol>...]", NULL },
	.options = annotate_options,
	.defaults = &annotate_defaults,
	.opts_size = sizeof(struct annotate_opts_cmd),
};
