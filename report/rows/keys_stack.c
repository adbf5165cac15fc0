/* Keys of call chains: the parent on the chain, and whole stacks. */
#include "report/rows/keys_priv.h"

/* ---- parent ---- */

static const char *parent_name(const struct view *v, const struct row *r)
{
	return r->parent ? view_site_name(v, &v->fold->profile->sites.items[r->parent]) : NULL;
}

static void parent_text(const struct view *v, const struct row *r, struct out *o)
{
	if (r->parent)
		out_name(o, parent_name(v, r));
	else
		out_str(o, "[other]");
}

static int parent_compare(const struct view *v, const struct row *a, const struct row *b)
{
	if (!a->parent || !b->parent)
		return !a->parent - !b->parent;
	return strcmp(parent_name(v, a), parent_name(v, b));
}

/* ---- whole stacks ---- */

/* Print a frame without a name by its place in the file: it is the same in another run, unlike the address. */
static void put_nameless(const struct profile *p, const struct site *s, struct out *o)
{
	struct symbols *names = p->session->symbols;

	if (s->dso == DSO_UNKNOWN || dso_kind(names, s->dso) != DSO_KIND_FILE) {
		key_put_address(s->ip, 0, o);
		return;
	}
	out_char(o, '[');
	out_name(o, dso_short_name(names, s->dso));
	out_fmt(o, "+0x%llx]", (unsigned long long)s->dso_off);
}

/* Print the stack with the outermost function first, as `collapse` does. */
static void stack_text(const struct view *v, const struct row *r, struct out *o)
{
	const struct profile *p = v->fold->profile;
	size_t n;
	const uint32_t *sites = fold_stack_sites(v->fold, r, &n);

	for (size_t i = 0; i < n; i++) {
		const struct site *s = &p->sites.items[sites[p->opts.caller_first ? i : n - 1 - i]];
		const char *name = view_site_name(v, s);

		if (i)
			out_char(o, ';');
		if (name)
			out_name(o, name);
		else
			put_nameless(p, s, o);
	}
	if (!n)
		out_str(o, "[no stack]");
}

static int stack_compare(const struct view *v, const struct row *a, const struct row *b)
{
	struct out x, y;
	int order;

	if (a->stack == b->stack)
		return 0;
	out_init_mem(&x);
	out_init_mem(&y);
	stack_text(v, a, &x);
	stack_text(v, b, &y);
	order = strcmp(out_text(&x), out_text(&y));
	out_release(&x);
	out_release(&y);
	return order;
}

/* ---- the table ---- */

const struct key keys_stack[] = { { .name = "parent",
				    .title = "Parent symbol",
				    .from = KEY_CHAIN,
				    .rank = 20,
				    .compare = parent_compare,
				    .text = parent_text },
				  { .name = "stack",
				    .title = "Stack",
				    .from = KEY_CHAIN,
				    .rank = 21,
				    .compare = stack_compare,
				    .text = stack_text,
				    .needs = NEEDS_STACKS,
				    .ragged = true },
				  { 0 } };
