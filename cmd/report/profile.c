/* Translate options into what the lower layers need. */
#include "cmd/commands.h"
#include "cmd/report/report_priv.h"

#include "base/parallel.h"
#include "report/tracepoint/plugin.h"

static int make_filter(struct run *r, struct err *e)
{
	const struct report_opts *o = r->o;

	if (sample_opts_filter(&o->samples_of, &r->filter.who, e) < 0)
		return -1;
	if (o->parallelism && cpuset_parse(&r->filter.parallelism, o->parallelism, e) < 0) {
		err_set(e, "--parallelism: '%s' is no list of numbers", o->parallelism);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (sample_filter_check(&r->filter.who, r->session->pd, e) < 0)
		return -1;
	if ((r->live ? windows_begin : windows_find)(&r->filter.windows, r->session, o->switch_on, o->switch_off,
						     o->show_switches, e) < 0)
		return -1;
	r->filter.socket = o->socket + 1;
	r->filter.symbol_part = o->symbol_part;
	r->filter.hide_unresolved = o->hide_unresolved;
	return o->times ? time_ranges_parse(&r->filter.times, o->times, r->session->first_time, r->session->last_time,
					    false, e)
			: 0;
}

/* Return the only name of a list, NULL if there is none or there are several. */
static const char *only_name(const struct strtab *names)
{
	return names->texts.len == 2 ? names->texts.items[1] : NULL;
}

/* Return the only name that the filter for this key lets pass: its column need not be shown. */
const char *report_filtered_name(const struct run *r, const struct key *k)
{
	return !strcmp(k->name, "comm")     ? only_name(&r->filter.who.comms)
	       : !strcmp(k->name, "dso")    ? only_name(&r->filter.who.dsos)
	       : !strcmp(k->name, "symbol") ? only_name(&r->filter.who.symbols)
					    : NULL;
}

/* Parse -w: numbers separated by commas. */
static int parse_widths(struct run *r, struct err *e)
{
	const char *s = r->o->widths;

	while (s && *s) {
		char *end;
		unsigned long width = strtoul(s, &end, 10);

		if (end == s || (*end && *end != ',') || width > 4096) {
			err_set(e, "-w: '%s' is no list of widths", r->o->widths);
			err_try(e, "numbers with commas between them, one for each column: -w 0,20");
			return err_exit(e, EXIT_BAD_USAGE);
		}
		vec_push(&r->widths, (int)width);
		s = end + (*end == ',');
	}
	return 0;
}

uint64_t report_sample_types(const struct perfdata *pd)
{
	uint64_t all = 0;

	for (size_t i = 0; i < pd->n_events; i++)
		all |= file_event_types(&pd->events[i]);
	return all;
}

/* Hide columns in which a filter leaves only one value, unless no column would remain. */
static void hide_columns(struct run *r)
{
	bool others = false;

	r->hidden = xcalloc(r->fields.columns.len, sizeof(*r->hidden));
	for (size_t i = 0; i < r->fields.columns.len; i++) {
		r->hidden[i] = report_filtered_name(r, r->fields.columns.items[i]);
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
	uint64_t types = report_sample_types(r->session->pd);
	bool parallel;

	r->history = o->history && types & SAMPLE_BRANCH_STACK && !branches_are_calls(r->session->pd);
	r->branches = !r->history && types & SAMPLE_BRANCH_STACK && o->branch &&
		      (o->branch > 0 || !branches_are_calls(r->session->pd));
	if ((o->branch == 1 || o->history || o->blocks) && !(types & SAMPLE_BRANCH_STACK))
		return err_set(e, "the samples have no branch stacks"), err_try(e, "%s record -b", tool_name());
	if (o->memory && !(types & SAMPLE_DATA_SRC) && !r->session->pd->pipe) {
		err_set(e, "Selected --mem-mode but no mem data");
		return err_try(e, "%s record -d", tool_name());
	}
	if ((o->latency || o->parallelism) && !parallelism_known(r->session->pd)) {
		err_set(e, "Use of latency profile or parallelism requires --latency flag during record.");
		return err_try(e, "%s record --latency", tool_name());
	}
	if (o->memory && r->branches) {
		err_set(e, "branches and --mem-mode do not go together");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	/* perf decides this before it reads the events of a pipe, and then counts no children */
	r->children = o->children && types & SAMPLE_CALLCHAIN && !r->branches && !o->memory && !o->hierarchy &&
		      (r->live || r->as_file || !r->session->pd->pipe);
	r->branch_chains = r->history || (o->graph.branches && types & SAMPLE_BRANCH_STACK && !r->branches &&
					  !branches_are_calls(r->session->pd));
	r->chains = (types & SAMPLE_CALLCHAIN || r->branch_chains) && !r->branches && !o->graph.off;
	parallel = parallelism_known(r->session->pd);
	r->how = (struct fields_opts){ .history = r->history,
				       .session = r->session,
				       .raw_trace = o->raw_trace,
				       .parallelism = parallel,
				       .no_ipc = r->live,
				       .latency = o->latency,
				       .sort = o->sort,
				       .fields = o->fields,
				       .children = r->children,
				       .branch = r->branches,
				       .memory = o->memory,
				       .utilization = o->utilization,
				       .samples = o->samples,
				       .period = o->period,
				       .tracepoints = only_tracepoints(r->session->pd),
				       .parent = o->parent };
	if (fields_parse(&r->fields, &r->how, e) < 0)
		return -1;
	if (r->live) /* latency needs the number of threads that run at the same time, which is not counted live */
		fields_drop_latency(&r->fields, &r->how);
	if (fields_need(&r->fields, NEEDS_TRACE) && trace_plugins_check(r->session, e) < 0)
		return -1;
	if (!r->children || !fields_need(&r->fields, NEEDS_TYPE))
		return 0;
	/* Callers do not access the data themselves; like perf, count no children by types. */
	fields_free(&r->fields);
	r->fields = (struct fields){ 0 };
	r->how.children = r->children = false;
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
	err_try(e, "a backslash before a character that is meant as it is: '\\('");
	return err_exit(e, EXIT_BAD_USAGE);
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

/* Branches differ by address unless the user wants otherwise. */
static enum graph_by graph_by(const struct run *r)
{
	return r->history && r->o->graph.by == GRAPH_BY_FUNCTION ? GRAPH_BY_ADDRESS : r->o->graph.by;
}

struct profile *report_new_profile(struct run *r)
{
	const struct report_opts *o = r->o;
	bool caller_first = o->graph.order_given ? o->graph.caller : o->children && !r->branches;

	for (size_t i = 0; i < r->fields.sort.len; i++) {
		const struct key *k = r->fields.sort.items[i];

		if (k->from == KEY_SAMPLE)
			vec_push(&r->sample_keys, &k->sample);
		else if (k->site)
			vec_push(&r->site_keys, k);
	}
	return profile_new(
		r->session,
		&(struct profile_opts){
			.kind = r->branches ? PROFILE_BRANCHES
				: o->memory ? PROFILE_MEMORY
					    : PROFILE_SAMPLES,
			.keys = r->sample_keys.items,
			.n_keys = r->sample_keys.len,
			.chains = r->chains || r->children || fields_need(&r->fields, NEEDS_STACKS) || r->has_parent ||
				  r->has_callees,
			.caller_first = caller_first,
			.max_stack = (uint32_t)MIN(o->max_stack, 1u << 20),
			.inlines = o->inlines && !r->branch_chains && (r->chains || r->children) && !r->first_look,
			.branch_history = r->branch_chains,
			.reference_graphs = o->reference_graphs,
			.first_look = r->first_look,
			.steps = r->steps,
			.progress = r->progress,
			.no_notes = r->first_look || r->again,
			.graph_by = graph_by(r),
			.keep_places = r->keep_places && !r->branches && !o->memory,
			.by_address = fields_need(&r->fields, NEEDS_ADDRESS) || graph_by(r) == GRAPH_BY_ADDRESS,
			.by_line = fields_need(&r->fields, NEEDS_LINES_APART) || graph_by(r) == GRAPH_BY_LINE,
			.want_lines =
				o->quality || fields_need(&r->fields, NEEDS_LINE) || graph_by(r) != GRAPH_BY_FUNCTION,
			.want_names = fields_need(&r->fields, NEEDS_NAMES),
			.want_measures = fields_need(&r->fields, NEEDS_MEASURES),
			.want_trace = fields_need(&r->fields, NEEDS_TRACE),
			.want_types = fields_need(&r->fields, NEEDS_TYPE),
			.threads = r->live ? 1 : parallel_threads(),
			.no_quality = r->live,
			.keep_samples = r->keep_samples ? o->keep_samples : 0,
			.time_quantum = o->time_quantum,
			.raw_trace = o->raw_trace },
		&r->filter);
}

bool report_make_profile(struct run *r)
{
	r->profile = report_new_profile(r);
	if (!profile_decode(r->profile))
		return false;
	profile_name(r->profile);
	report_fold_profile(r);
	return true;
}

static struct fold_opts fold_opts(const struct run *r)
{
	return (struct fold_opts){ .keys = r->site_keys.items,
				   .n_keys = r->site_keys.len,
				   .children = r->children,
				   .parent = r->has_parent ? &r->parent : NULL,
				   .only_with_parent = r->o->exclude_other,
				   .stacks = fields_need(&r->fields, NEEDS_STACKS) };
}

bool report_can_follow(const struct run *r, const struct profile *sums)
{
	struct fold_opts opts = fold_opts(r);

	return !r->has_callees && fold_can_follow(&opts) && profile_can_follow(&sums->opts);
}

void report_fold_profile(struct run *r)
{
	struct fold_opts opts = fold_opts(r);

	if (r->has_callees)
		profile_ignore_callees(r->profile, &r->callees);
	r->fold = fold_new(r->profile, &opts);
	/*
	 * record --latency refuses whole CPUs, so switches of whole CPUs were recorded for another
	 * purpose
	 */
	if (profile_is_alone(r->profile) || r->session->parallelism.whole_cpus)
		fields_drop_latency(&r->fields, &r->how);
}

static bool want_color(const struct report_opts *o)
{
	if (o->color && strcmp(o->color, "auto"))
		return !strcmp(o->color, "always");
	return isatty(STDOUT_FILENO) && !o->separator;
}

void report_make_view(struct run *r)
{
	const struct report_opts *o = r->o;

	hide_columns(r);
	r->view = (struct view_opts){
		.fields = r->fields.columns.items,
		.n_fields = r->fields.columns.len,
		.sort = r->fields.sort.items,
		.n_sort = r->fields.sort.len,
		.hidden = o->hierarchy ? NULL : r->hidden,
		.widths = r->widths.items,
		.n_widths = r->widths.len,
		.self_title = r->fields.self_title,
		.children = r->children,
		.sort_event = o->group_sort,
		.relative = o->percentage && !strcmp(o->percentage, "relative"),
		.chains = r->chains,
		.own_order = r->live,
		.caller_first = r->profile->opts.caller_first,
		.verbose = o->verbose > 0,
		.full_paths = o->full_paths,
		.nanoseconds = o->nanoseconds,
		.separated = o->separator || o->widths || o->samples_of.dsos,
	};
	r->text = (struct text_opts){
		.separator = o->separator,
		.min_percent = o->percent_limit,
		.headings = !o->quiet,
		.color = want_color(o),
		.graph = { .form = r->chains ? o->graph.form : GRAPH_NONE, .min_percent = o->graph.min_percent },
		.value = o->graph.value,
		.print_limit = o->graph.print_limit,
		.graph_lines = graph_by(r) != GRAPH_BY_FUNCTION,
		.graph_flags = r->history,
		.graph_addresses = graph_by(r) == GRAPH_BY_ADDRESS,
		.first_is_symbol = r->fields.first_is_symbol,
	};
}

static int check_group(const struct run *r, struct err *e)
{
	const struct perfdata *pd = r->session->pd;

	if (!r->o->group_sort || (r->o->group == 1 ? pd->n_events > 1 : r->o->group && pd->has_groups))
		return 0;
	err_set(e, "--group-sort-idx: events are not shown side by side");
	if (pd->n_events > 1)
		err_try(e, "--group");
	return err_exit(e, EXIT_BAD_USAGE);
}

int report_prepare(struct run *r, struct err *e)
{
	return text_separator_check(r->o->separator, e) < 0 || check_group(r, e) < 0 || make_fields(r, e) < 0 ||
			       make_filter(r, e) < 0 || parse_widths(r, e) < 0 || compile_patterns(r, e) < 0
		       ? -1
		       : 0;
}

void report_profile_release(struct run *r)
{
	fold_free(r->fold);
	profile_free(r->profile);
	fields_free(&r->fields);
	session_close(r->session);
	sample_filter_free(&r->filter.who);
	time_ranges_free(&r->filter.times);
	cpuset_free(&r->filter.parallelism);
	windows_free(&r->filter.windows);
	free(r->hidden);
	vec_free(&r->widths);
	vec_free(&r->sample_keys);
	vec_free(&r->site_keys);
	if (r->has_parent)
		regfree(&r->parent);
	if (r->has_callees)
		regfree(&r->callees);
}
