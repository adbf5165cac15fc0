/* Print the functions as text. */
#include "cmd/annotate/annotate_priv.h"

#include "cmd/commands.h"
#include "report/text/text_types.h"

static void show_function(struct annotate_run *r, uint32_t function, struct out *out)
{
	struct err e = { 0 };
	struct annotation *a = annotation_new(&r->annotator, function, &e);
	struct out fitting;
	int columns;

	if (!a) {
		annotate_tell_missing(r, function, &e);
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
	annotate_tell_newer(r, function);
	annotation_free(a);
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
	err_why(&r->missing, "types are known only for x86 code with debug information");
	err_try(&r->missing, "--type-stat, which shows what is missing");
	return true;
}

/* Show one event, or the events of a group. */
static void show_events(struct annotate_run *r, const uint32_t *events, size_t n, struct out *out)
{
	size_t n_functions;
	autofree uint32_t *functions = annotate_list(r, events[0], &n_functions);
	autofree char *name = annotate_event_names(r, events, n);

	r->text.events = events;
	r->text.n_events = n;
	r->text.event_name = name;
	r->text.first = !r->printed;
	if (r->o->source_view) {
		if (n_functions &&
		    !text_source_view(r->hot, functions, n_functions, &r->annotator.sources, &r->text, out))
			annotate_no_lines(r, functions[0], &r->missing);
		else
			r->printed += n_functions;
		if (n_functions)
			annotate_tell_newer(r, functions[0]);
		return;
	}
	if (show_types(r, functions, n_functions, out))
		return;
	for (size_t i = 0; i < n_functions; i++)
		show_function(r, functions[i], out);
}

void annotate_show_all(struct annotate_run *r, struct out *out)
{
	const struct perfdata *pd = r->session->pd;
	autofree uint32_t *events = xcalloc(pd->n_events, sizeof(*events));

	for (uint32_t i = 0; i < pd->n_events; i++) {
		size_t n = annotate_members(r, i, r->o->group == 1 && !pd->has_groups, events);

		if (n && r->hot->totals[events[0]].samples)
			show_events(r, events, n, out);
	}
}
