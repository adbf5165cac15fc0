/* Print the tables one after another, and the text around them. */
#include "cmd/commands.h"
#include "cmd/report/report_priv.h"

/* Print "74 ", "1K": thousands are truncated. */
static void print_count(uint64_t n, struct out *out)
{
	static const char units[] = " KMG";
	size_t unit = 0;

	for (; n > 1000 && unit < 3; unit++)
		n /= 1000;
	out_u64(out, n);
	out_char(out, units[unit]);
}

static void print_sort_order(const struct run *r, struct out *out)
{
	const char *sort = r->o->sort, *fields = r->o->fields;

	if (!sort && fields && *fields != '+') /* the fields imply the sort keys */
		return;
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

/*
 * Return true if one of the events was recorded with "call-graph=no" while others have call graphs.
 */
static bool without_graph(const struct run *r, const uint32_t *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(r->session->pd->events[events[i]].name, "call-graph=no"))
			return true;
	return false;
}

static void print_event_head(const struct run *r, const struct view *v, const uint32_t *events, size_t n,
			     struct out *out)
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
	header_print_event_names(r->session->pd, events, n, out);
	out_char(out, '\'');
	if (r->o->reference_graphs && without_graph(r, events, n))
		out_str(out, ", show reference callgraph");
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

void report_print_head(const struct run *r, struct out *out)
{
	const struct report_opts *o = r->o;

	if (o->header)
		header_print(r->session->pd, o->full_header, out);
	if (o->quiet)
		return;
	if (!o->header)
		out_str(out, "# To display the perf.data header info, please use --header/--header-only options.\n#\n");
	/* In a pipe these are records of the stream: -I shows them. */
	if (!o->header && o->full_header && r->session->pd->pipe)
		header_print_features(r->session->pd, true, out);
	for (size_t i = 0; i < r->fields.columns.len; i++) {
		const struct key *k = r->fields.columns.items[i];

		if (!r->hidden[i])
			continue;
		out_fmt(out, "# %s: ", k->name);
		out_name(out, report_filtered_name(r, k));
		out_char(out, '\n');
	}
	out_fmt(out, "#\n# Total Lost Samples: %llu\n#\n", (unsigned long long)r->session->notes.lost_samples);
}

/* A different tip each day, so that outputs of the same day can be compared. */
void report_print_tip(const struct run *r, struct out *out)
{
	static const char *const tips[] = {
		"See who calls what: record -g, then report --no-children -G",
		"Stacks for a flame graph: report -g folded,0,caller --no-children",
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

/* Print the blocks of one event. */
static void print_blocks(const struct run *r, uint32_t event, struct out *out)
{
	struct blocks *b = blocks_new(r->profile, event);

	blocks_print(b, r->o->percent_limit, !r->o->quiet, r->o->full_paths, out);
	blocks_free(b);
}

static void print_events(struct run *r, const uint32_t *events, size_t n, struct out *out)
{
	struct view *v = view_new(r->fold, &r->view, events, n);

	print_event_head(r, v, events, n, out);
	if (r->o->blocks && r->branches) {
		print_blocks(r, events[0], out);
		view_free(v);
		return;
	}
	if (r->o->hierarchy) {
		struct hierarchy *h = hierarchy_new(v);

		text_hierarchy(h, &r->text, out);
		hierarchy_free(h);
	} else {
		text_view(v, &r->text, out);
	}
	out_str(out, "\n\n");
	view_free(v);
}

size_t report_table_events(const struct run *r, uint32_t i, uint32_t *events)
{
	const struct perfdata *pd = r->session->pd;
	size_t n = 0, shown = 0;

	if (r->o->group == 0) {
		events[n++] = i;
	} else if (r->o->group == 1 && !pd->has_groups) {
		while (!i && n < pd->n_events)
			events[n] = (uint32_t)n, n++;
	} else {
		for (uint32_t k = i; k < i + pd->events[i].n_members; k++)
			events[n++] = k;
	}
	if (!n || (r->o->skip_empty && !r->fold->totals[events[0]].samples))
		return 0;
	for (size_t k = 0; k < n; k++)
		if (!k || !r->o->skip_empty || r->fold->totals[events[k]].samples)
			events[shown++] = events[k];
	return shown;
}

/*
 * Leave output alone if the user set the widths, if it is for machines, or if whole chains are on
 * one line.
 */
static int columns_to_fit(const struct run *r)
{
	const struct report_opts *o = r->o;
	bool folded = r->chains && o->graph.form == GRAPH_FOLDED;

	return o->full_names || o->separator || o->widths || folded ? 0 : shown_columns(STDOUT_FILENO);
}

void report_print_tables(struct run *r, struct out *out)
{
	uint32_t *events = xcalloc(r->session->pd->n_events, sizeof(*events));
	struct out text;

	r->view.columns = columns_to_fit(r);
	for (uint32_t i = 0; i < r->session->pd->n_events; i++) {
		size_t n = report_table_events(r, i, events);

		if (!n)
			continue;
		if (!r->view.columns) {
			print_events(r, events, n, out);
			continue;
		}
		out_init_mem(&text);
		print_events(r, events, n, &text);
		fit_lines(out, &text, r->view.columns);
		out_release(&text);
	}
	free(events);
}
