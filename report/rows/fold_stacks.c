/*
 * Number whole stacks, so that rows can be grouped by them: chains with the same functions get the
 * same number in every part.
 */
#include "report/rows/fold_priv.h"

/* What identifies a frame: its function; without one, its place in the file, which is the same in all processes. */
struct fold_place {
	uint32_t graph, dso;
	uint64_t dso_off;
};

static struct fold_place place_of(const struct profile *p, uint32_t site)
{
	const struct site *s = &p->sites.items[site];

	if (s->symbol || s->inlined || s->dso == DSO_UNKNOWN || dso_kind(p->session->symbols, s->dso) != DSO_KIND_FILE)
		return (struct fold_place){ .graph = s->graph };
	return (struct fold_place){ .dso = s->dso, .dso_off = s->dso_off };
}

static bool same_functions(const struct profile *p, const uint32_t *a, const uint32_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct fold_place x = place_of(p, a[i]), y = place_of(p, b[i]);

		if (x.graph != y.graph || x.dso != y.dso || x.dso_off != y.dso_off)
			return false;
	}
	return true;
}

static uint64_t functions_hash(const struct profile *p, const uint32_t *sites, size_t n)
{
	uint64_t hash = n;

	for (size_t i = 0; i < n; i++) {
		struct fold_place x = place_of(p, sites[i]);

		hash = hash_mix(hash_mix(hash, (uint64_t)x.graph << 32 | x.dso), x.dso_off);
	}
	return hash;
}

static const uint32_t *sites_of(const struct profile *p, const struct fold_stack *s, size_t *n)
{
	const struct chain *c = &p->parts[s->part].chains.items[s->chain];

	*n = c->n;
	return p->parts[s->part].words.items + c->at;
}

static uint32_t number_of(struct fold *f, struct idtable *index, const struct fold_stack *s)
{
	const struct profile *p = f->profile;
	size_t n, m;
	const uint32_t *sites = sites_of(p, s, &n), *others;
	uint64_t hash = functions_hash(p, sites, n);
	struct idtable_probe probe = idtable_probe(index, hash);
	uint32_t id;

	while ((id = idtable_next(index, &probe))) {
		others = sites_of(p, &f->stacks.items[id], &m);
		if (m == n && same_functions(p, sites, others, n))
			return id;
	}
	vec_push(&f->stacks, *s);
	id = (uint32_t)f->stacks.len - 1;
	idtable_add(index, hash, id);
	return id;
}

void fold_number_stacks(struct fold *f)
{
	const struct profile *p = f->profile;
	struct idtable index = { 0 };

	vec_add(&f->stacks, 1); /* [0] is no stack */
	f->stack_of = xcalloc(p->n_parts, sizeof(*f->stack_of));
	for (uint32_t i = 0; i < p->n_parts; i++) {
		f->stack_of[i] = xcalloc(p->parts[i].chains.len, sizeof(**f->stack_of));
		for (uint32_t k = 1; k < p->parts[i].chains.len; k++)
			if (p->parts[i].chains.items[k].n)
				f->stack_of[i][k] = number_of(f, &index, &(struct fold_stack){ .part = i, .chain = k });
	}
	idtable_free(&index);
}

const uint32_t *fold_stack_sites(const struct fold *f, const struct row *r, size_t *n)
{
	*n = 0;
	return r->stack ? sites_of(f->profile, &f->stacks.items[r->stack], n) : NULL;
}

void fold_free_stacks(struct fold *f)
{
	for (size_t i = 0; f->stack_of && i < f->profile->n_parts; i++)
		free(f->stack_of[i]);
	free(f->stack_of);
	vec_free(&f->stacks);
}
