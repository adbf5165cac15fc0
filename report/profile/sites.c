/* Make sites of named frames. Rows and call graphs show the names of sites. */
#include "report/profile/profile_priv.h"

static bool same_site(const struct profile *p, const struct site *a, const struct site *b)
{
	if (a->dso != b->dso || a->symbol != b->symbol || a->inlined != b->inlined || a->leaf != b->leaf)
		return false;
	if (!a->symbol || p->opts.by_address)
		return a->address == b->address && a->ip == b->ip && a->mode == b->mode && a->dso_off == b->dso_off;
	return !p->opts.by_line ||
	       (a->line == b->line && a->line_file == b->line_file && (a->line_file || a->dso_off == b->dso_off));
}

static uint64_t site_hash(const struct profile *p, const struct site *s)
{
	uint64_t h = hash_mix((uint64_t)s->dso << 32 | s->symbol, (uintptr_t)s->inlined + s->leaf);

	if (!s->symbol || p->opts.by_address)
		return hash_mix(h, s->address);
	return p->opts.by_line ? hash_mix(h, (uintptr_t)s->line_file + s->line) : h;
}

/*
 * Return the number of a site in call graphs: frames with equal numbers are one. Usually these are the frames of one
 * function, or inlined calls with the same name; an address without a symbol has a number of its own.
 */
static uint32_t graph_number(struct profile *p, const struct site *s)
{
	uint64_t hash = s->inlined ? hash_u64((uintptr_t)s->inlined)
				   : hash_mix((uint64_t)s->dso << 32 | s->symbol, s->symbol ? 0 : s->ip);
	struct idtable_probe probe;
	uint32_t id;

	if (p->opts.graph_by == GRAPH_BY_ADDRESS)
		hash = hash_mix(s->dso, s->ip);
	else if (p->opts.graph_by == GRAPH_BY_LINE && s->line_file)
		hash = hash_mix((uintptr_t)s->line_file, s->line);
	probe = idtable_probe(&p->graph_index, hash);
	id = idtable_next(&p->graph_index, &probe);
	if (!id) {
		id = ++p->n_graph;
		idtable_add(&p->graph_index, hash, id);
	}
	return id;
}

static uint32_t site_number(struct profile *p, struct site s)
{
	uint64_t hash = site_hash(p, &s);
	struct idtable_probe probe = idtable_probe(&p->site_index, hash);
	uint32_t id;

	while ((id = idtable_next(&p->site_index, &probe)))
		if (same_site(p, &p->sites.items[id], &s))
			return id;
	s.graph = graph_number(p, &s);
	vec_push(&p->sites, s);
	id = (uint32_t)p->sites.len - 1;
	idtable_add(&p->site_index, hash, id);
	return id;
}

/* Intern a name, so that equal names are equal pointers. */
static const char *keep(struct profile *p, const char *name)
{
	return name ? strtab_get(&p->names, strtab_intern(&p->names, name)) : NULL;
}

/* Take the frames in their order, so that site numbers do not depend on the workers. */
void make_sites(const struct naming *n)
{
	struct profile *p = n->p;

	if (!p->sites.len)
		vec_add(&p->sites, 1);
	vec_add(&p->leaf_sites, p->frames.len - p->leaf_sites.len);
	vec_add(&p->chain_first, p->frames.len + 1 - p->chain_first.len);
	for (uint32_t i = MAX(n->from, 1u); i < p->frames.len; i++) {
		const struct frame *f = &p->frames.items[i];
		const struct frame_names *d = n->dwarf ? &n->dwarf[i - n->from] : &(struct frame_names){ 0 };
		struct site s = { .dso = f->dso,
				  .symbol = n->symbols[i - n->from],
				  .ip = f->ip,
				  .dso_off = f->dso_off,
				  .map_size = f->map_size,
				  .mode = f->mode };

		p->chain_first.items[i] = (uint32_t)p->chain_sites.len;
		for (uint32_t k = 0; k < d->n_inlined; k++) {
			struct site in = s;

			in.inlined = keep(p, d->inlined[k].name);
			in.line_file = keep(p, d->inlined[k].at.file);
			in.line = d->inlined[k].at.line;
			in.address = f->ip;
			vec_push(&p->chain_sites, site_number(p, in));
		}
		s.line_file = keep(p, d->line.file);
		s.line = d->line.line;
		s.address = f->ip;
		if (s.symbol || !p->filter->hide_unresolved)
			vec_push(&p->chain_sites, site_number(p, s));
		if (!s.symbol && p->opts.kind != PROFILE_BRANCHES)
			s.address = f->dso_off;
		if (d->n_inlined) { /* the sampled address itself has the line of the innermost inlined call */
			s.line_file = keep(p, d->inlined[0].at.file);
			s.line = d->inlined[0].at.line;
		}
		s.leaf = !s.symbol || d->n_inlined;
		p->leaf_sites.items[i] = site_number(p, s);
	}
	p->chain_first.items[p->frames.len] = (uint32_t)p->chain_sites.len;
}
