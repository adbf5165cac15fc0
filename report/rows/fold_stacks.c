/*
 * Number whole stacks, so that rows can be grouped by them: chains with the same text get the same number in every
 * part.
 */
#include "report/rows/fold_priv.h"

/*
 * What identifies a frame: the name of its function, which static functions may share; without a name, its place in the
 * file, which is the same in all processes.
 */
struct fold_place {
	uint32_t name, graph, dso;
	uint64_t dso_off;
};

static struct fold_place place_of(const struct profile *p, struct strtab *names, const struct site *s)
{
	struct symbols *symbols = p->session->symbols;

	if (s->symbol || s->inlined)
		return (struct fold_place){
			.name = strtab_intern(names, s->inlined ? s->inlined : symbol_name(symbols, s->dso, s->symbol))
		};
	if (s->dso == DSO_UNKNOWN || dso_kind(symbols, s->dso) != DSO_KIND_FILE)
		return (struct fold_place){ .graph = s->graph };
	return (struct fold_place){ .dso = s->dso, .dso_off = s->dso_off };
}

/* Return what identifies each site. The caller frees it. */
static struct fold_place *places_of(const struct profile *p)
{
	struct fold_place *places = xcalloc(p->sites.len, sizeof(*places));
	struct strtab names = { 0 };

	for (size_t i = 1; i < p->sites.len; i++)
		places[i] = place_of(p, &names, &p->sites.items[i]);
	strtab_free(&names);
	return places;
}

static bool same_functions(const struct fold_place *places, const uint32_t *a, const uint32_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct fold_place *x = &places[a[i]], *y = &places[b[i]];

		if (x->name != y->name || x->graph != y->graph || x->dso != y->dso || x->dso_off != y->dso_off)
			return false;
	}
	return true;
}

static uint64_t functions_hash(const struct fold_place *places, const uint32_t *sites, size_t n)
{
	uint64_t hash = n;

	for (size_t i = 0; i < n; i++) {
		const struct fold_place *x = &places[sites[i]];

		hash = hash_mix(hash_mix(hash_mix(hash, x->name), (uint64_t)x->graph << 32 | x->dso), x->dso_off);
	}
	return hash;
}

static const uint32_t *sites_of(const struct profile *p, const struct fold_stack *s, size_t *n)
{
	const struct chain *c = &p->parts[s->part].chains.items[s->chain];

	*n = c->n;
	return p->parts[s->part].words.items + c->at;
}

static uint32_t number_of(struct fold *f, const struct fold_place *places, struct idtable *index,
			  const struct fold_stack *s)
{
	const struct profile *p = f->profile;
	size_t n, m;
	const uint32_t *sites = sites_of(p, s, &n), *others;
	uint64_t hash = functions_hash(places, sites, n);
	struct idtable_probe probe = idtable_probe(index, hash);
	uint32_t id;

	while ((id = idtable_next(index, &probe))) {
		others = sites_of(p, &f->stacks.items[id], &m);
		if (m == n && same_functions(places, sites, others, n))
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
	autofree struct fold_place *places = places_of(p);
	struct idtable index = { 0 };

	vec_add(&f->stacks, 1); /* [0] is no stack */
	f->stack_of = xcalloc(p->n_parts, sizeof(*f->stack_of));
	for (uint32_t i = 0; i < p->n_parts; i++) {
		f->stack_of[i] = xcalloc(p->parts[i].chains.len, sizeof(**f->stack_of));
		for (uint32_t k = 1; k < p->parts[i].chains.len; k++)
			if (p->parts[i].chains.items[k].n)
				f->stack_of[i][k] =
					number_of(f, places, &index, &(struct fold_stack){ .part = i, .chain = k });
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
