/* Show the callers in the samples of one instruction. */
#include "report/tui/tui_annotate_priv.h"

#include "base/parallel.h"
#include "format/live.h"

enum { MAX_FRAMES = 12, MAX_LINES = 200 };

struct path {
	const char *text;
	uint64_t period, samples;
};

static void put_frame(const struct profile *p, const struct site *s, struct out *o)
{
	if (s->inlined)
		out_name(o, s->inlined);
	else if (s->symbol)
		out_name(o, symbol_name(p->session->symbols, s->dso, s->symbol));
	else
		out_fmt(o, "0x%llx", (unsigned long long)s->ip);
}

/* Print "caller < its caller < ...", without the function itself. */
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
	const struct site *s = &c->callers->sites.items[e->self];

	return e->event == c->events[0] && s->dso == f->dso && s->symbol == f->symbol &&
	       annotation_find(c->a, dso_address(c->callers->session->symbols, s->dso, s->dso_off)) == insn;
}

/* ---- decode samples with chains: only of this function, and only on demand ---- */

struct reading {
	struct code_screen *c;
	struct progress progress;
};

static void read_chains(void *ctx)
{
	enum { THREADS = 8 };
	struct reading *r = ctx;
	const struct hot *h = r->c->hot;
	const struct hot_function *f = &h->functions.items[r->c->a->function];
	struct symbols *s = h->session->symbols;

	r->c->callers = profile_new(h->session,
				    &(struct profile_opts){ .kind = PROFILE_SAMPLES,
							    .by_address = true,
							    .chains = true,
							    .max_stack = 127,
							    .threads = MIN(parallel_threads(), (unsigned)THREADS),
							    .time_quantum = 1,
							    .no_notes = true,
							    .beside = true,
							    .progress = &r->progress,
							    .only = { .dso = f->dso,
								      .from = dso_offset(s, f->dso, f->start),
								      .to = dso_offset(s, f->dso, f->end) } },
				    r->c->filter);
	profile_decode(r->c->callers);
	profile_name(r->c->callers);
}

/* Load the chains if needed. Return false if the user gave up. */
static bool have_chains(struct code_screen *c)
{
	struct reading r = { .c = c };

	if (c->callers && c->callers_of == c->a->function)
		return true;
	profile_free(c->callers);
	c->callers = NULL;
	c->callers_of = c->a->function;
	if (tui_wait(c->tui, "Reading call chains", c->hot->session->pd->path, &r.progress, read_chains, &r))
		return true;
	profile_free(c->callers);
	c->callers = NULL;
	return false;
}

enum tui_then show_callers(struct code_screen *c, uint32_t insn)
{
	const struct event_total *sum = annotation_sum(c->a, insn, c->events[0]);
	struct strtab texts = { 0 };
	VEC(struct path) paths = { 0 };
	struct out o;
	autofree char *title = xasprintf("Callers at %llx", (unsigned long long)annotation_address(c->a, insn));
	const struct profile *p;
	enum tui_then then;

	if (perfdata_is_live(c->hot->session->pd)) {
		screen_note(c, "live samples are only summed up: the call graph of the row shows its callers");
		return TUI_STAY;
	}
	if (!have_chains(c))
		return c->tui->quit ? TUI_QUIT : TUI_STAY;
	p = c->callers;
	out_init_mem(&o);
	for (unsigned k = 0; k < p->n_parts; k++)
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
		out_fmt(&o, "%6.2f%%  %s\n",
			100.0 * (double)paths.items[i].period / (double)MAX(sum->period, (uint64_t)1),
			paths.items[i].text);
	if (!o.len)
		out_str(&o, "No samples are at this instruction.\n");
	then = tui_text(c->tui, title, out_text(&o));
	out_release(&o);
	vec_free(&paths);
	strtab_free(&texts);
	return then;
}
