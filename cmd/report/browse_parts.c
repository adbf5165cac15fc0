/* What the browser's sources share: sets of events, changes of options, how code is shown. */
#include "cmd/commands.h"
#include "cmd/report/browse_parts.h"

static void add_set(const struct run *r, const uint32_t *events, size_t n, struct browse_data *d)
{
	struct browse_set *set = &d->sets[d->n_sets++];
	struct out name;

	out_init_mem(&name);
	header_print_event_names(r->session->pd, events, n, &name);
	out_text(&name);
	*set = (struct browse_set){ .events = xcalloc(n, sizeof(*events)), .n = n, .name = name.buf };
	memcpy(set->events, events, n * sizeof(*events));
}

/* Return true if a table begins with this event, if it has samples. */
static bool begins_table(const struct run *r, uint32_t i)
{
	const struct perfdata *pd = r->session->pd;

	if (attr_is_dummy(&pd->events[i].attr))
		return false;
	if (r->o->group == 1 && !pd->has_groups)
		return !i;
	return !r->o->group || pd->events[i].leader == i;
}

void report_add_sets(const struct run *r, bool empty, struct browse_data *d)
{
	const struct perfdata *pd = r->session->pd;
	autofree uint32_t *events = xcalloc(pd->n_events, sizeof(*events));

	d->sets = xcalloc(pd->n_events, sizeof(*d->sets));
	for (uint32_t i = 0; i < pd->n_events; i++) {
		size_t n = report_table_events(r, i, events);

		if (n)
			add_set(r, events, n, d);
		else if (empty && begins_table(r, i))
			add_set(r, &i, 1, d);
	}
}

void report_drop_sets(struct browse_data *d)
{
	for (size_t i = 0; i < d->n_sets; i++) {
		free(d->sets[i].events);
		free(d->sets[i].name);
	}
	free(d->sets);
	view_free(d->first);
}

void report_apply_change(struct report_opts *o, const struct perfdata *pd, enum browse_change what, const char *text,
			 struct arena *texts)
{
	switch (what) {
	case BROWSE_SORT:
		o->sort = arena_strdup(texts, text);
		o->fields = NULL;
		break;
	case BROWSE_CALLERS:
		o->graph.caller = !(o->graph.order_given ? o->graph.caller : o->children);
		o->graph.order_given = true;
		break;
	case BROWSE_GROUP: o->group = o->group < 0 ? !pd->has_groups : !o->group; break;
	case BROWSE_HIERARCHY: o->hierarchy = !o->hierarchy; break;
	case BROWSE_CHILDREN: o->children = !o->children; break;
	case BROWSE_INPUT: break;
	}
}

void report_code_form(const struct report_opts *o, const struct session *s, struct annotate_opts *code,
		      struct source_opts *source)
{
	*code = (struct annotate_opts){
		.source = o->source, .objdump = o->code.objdump, .style = o->code.style, .syntax = code_syntax(&o->code)
	};
	*source = (struct source_opts){ .prefix = o->code.prefix,
					.strip = (uint32_t)MIN(o->code.prefix_strip, (uint64_t)1000),
					.root = symbols_root(s->symbols) };
}

bool report_code_opts(const struct report_opts *o, struct browse_source *source, const struct session *s, struct tui *t,
		      struct tui_annotate_opts *opts)
{
	const char *style = o->code.style;

	if (style && !o->code.objdump && strcmp(style, "att") && strcmp(style, "intel")) {
		tui_message(t, "Code", "-M knows att and intel, not '%s'; with --objdump whatever that knows", style);
		return false;
	}
	*opts = (struct tui_annotate_opts){
		.look = o->settings.code,
		.runner = source->runner,
		.input = source->input(source),
	};
	report_code_form(o, s, &opts->code, &opts->source);
	opts->look.raw = o->raw;
	opts->look.percent = o->code.percent; /* from the setting, or --percent-type */
	return true;
}
