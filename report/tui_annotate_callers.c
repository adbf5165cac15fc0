/* Who had called when the samples of one instruction were taken. */
#include "report/tui_annotate_priv.h"

enum { MAX_FRAMES = 12, MAX_LINES = 200 };

struct path { const char *text; uint64_t period, samples; };

static void put_frame(const struct profile *p, const struct site *s, struct out *o)
{
	if (s->inlined)
		out_name(o, s->inlined);
	else if (s->symbol)
		out_name(o, symbol_name(p->session->symbols, s->dso, s->symbol));
	else
		out_fmt(o, "0x%llx", (unsigned long long)s->ip);
}

/* "caller < its caller < ...", without the function itself. */
static void put_chain(const struct profile *p, const struct part *part, const struct entry *e, struct out *o)
{
	const struct chain *chain = &part->chains.items[e->chain];
	const uint32_t *words = part->words.items + chain->at;

	o->len = 0;
	for (uint32_t i = 1; i < chain->n && i <= MAX_FRAMES; i++) {
		if (i > 1)
			out_str(o, " < ");
		put_frame(p, &p->sites.items[words[p->opts.caller_first ? chain->n - 1 - i : i]], o);
	}
	out_str(o, chain->n > MAX_FRAMES + 1 ? " < ..." : chain->n <= 1 ? "(no caller was recorded)" : "");
}

static int compare_paths(const void *a, const void *b)
{
	const struct path *x = a, *y = b;

	return x->period != y->period ? (x->period < y->period ? 1 : -1) : strcmp(x->text, y->text);
}

static bool is_there(const struct code_screen *c, const struct entry *e, uint32_t insn)
{
	const struct hot_function *f = &c->hot->functions.items[c->a->function];
	const struct site *s = &c->profile->sites.items[e->self];

	return e->event == c->events[0] && s->dso == f->dso && s->symbol == f->symbol &&
	       annotation_find(c->a, dso_address(c->profile->session->symbols, s->dso, s->dso_off)) == insn;
}

enum tui_then show_callers(struct code_screen *c, uint32_t insn)
{
	const struct profile *p = c->profile;
	const struct event_total *sum = annotation_sum(c->a, insn, c->events[0]);
	struct strtab texts = { 0 };
	VEC(struct path) paths = { 0 };
	struct out o;
	autofree char *title = xasprintf("Callers at %llx", (unsigned long long)annotation_address(c->a, insn));
	enum tui_then then;

	out_init_mem(&o);
	for (unsigned k = 0; p && k < p->n_parts; k++)
		for (size_t i = 0; i < p->parts[k].entries.len; i++) {
			const struct entry *e = &p->parts[k].entries.items[i];
			uint32_t id;

			if (!is_there(c, e, insn))
				continue;
			put_chain(p, &p->parts[k], e, &o);
			id = strtab_intern(&texts, out_text(&o));
			while (paths.len <= id)
				vec_push(&paths, (struct path){ .text = "" });
			paths.items[id].text = strtab_get(&texts, id);
			paths.items[id].period += e->period;
			paths.items[id].samples += e->samples;
		}
	if (paths.len)
		qsort(paths.items, paths.len, sizeof(*paths.items), compare_paths);
	o.len = 0;
	for (size_t i = 0; i < paths.len && i < MAX_LINES && paths.items[i].samples; i++)
		out_fmt(&o, "%6.2f%%  %s\n", 100.0 * (double)paths.items[i].period / (double)MAX(sum->period, (uint64_t)1), paths.items[i].text);
	if (!o.len)
		out_str(&o, "No samples are at this instruction.\n");
	then = tui_text(c->tui, title, out_text(&o));
	out_release(&o);
	vec_free(&paths);
	strtab_free(&texts);
	return then;
}
