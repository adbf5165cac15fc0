/*
 * Fold entries into rows. Each worker folds one part. It takes entries group by group (one event,
 * one set of sample values), so that a flat array over the classes of sites finds the row.
 */
#include "report/rows/fold.h"

#include "base/parallel.h"
#include "base/phases.h"
#include "report/rows/keys.h"

enum { SITE_DROPPED = 1, SITE_FILTERED = 2 };

/* ---- classes ---- */

/* Number the classes: sites with equal key values share a class. */
static uint32_t *classify(struct fold *f, enum key_from from, uint32_t **sites, size_t *n_classes)
{
	const struct profile *p = f->profile;
	uint32_t *class_of = xcalloc(p->sites.len, sizeof(*class_of));
	VEC(uint32_t) first = { 0 };
	VEC(uint64_t) values = { 0 };
	struct idtable index = { 0 };
	size_t n = 0;

	for (size_t k = 0; k < f->opts.n_keys; k++)
		n += f->opts.keys[k]->from == from;
	if (!n) /* no key: all sites are one class */
		vec_push(&first, 0);
	for (uint32_t i = 0; n && i < p->sites.len; i++) {
		uint64_t *v = vec_add(&values, n), hash;
		struct idtable_probe probe;
		uint32_t id;

		for (size_t k = 0, at = 0; k < f->opts.n_keys; k++)
			if (f->opts.keys[k]->from == from)
				v[at++] = f->opts.keys[k]->site(f, &p->sites.items[i]);
		hash = hash_bytes(v, n * sizeof(*v), 0);
		probe = idtable_probe(&index, hash);
		while ((id = idtable_next(&index, &probe)))
			if (!memcmp(values.items + first.items[id - 1] * n, v, n * sizeof(*v)))
				break;
		if (!id) {
			vec_push(&first, i);
			id = (uint32_t)first.len;
			idtable_add(&index, hash, id);
		}
		class_of[i] = id - 1;
	}
	vec_free(&values);
	idtable_free(&index);
	*sites = first.items;
	*n_classes = first.len;
	return class_of;
}

/* ---- filters of sites ---- */

static uint8_t flags_of(const struct fold *f, const struct site *s)
{
	const struct profile *p = f->profile;
	const struct profile_filter *filter = p->filter;
	struct symbols *symbols = p->session->symbols;
	uint8_t flags = 0;

	if (filter->hide_unresolved && !s->symbol)
		flags |= SITE_DROPPED;
	if (!sample_filter_wants_place(&filter->who, symbols, s->ip, s->dso, s->symbol))
		flags |= SITE_FILTERED;
	return flags;
}

/* Parents with the same name are the same parent. */
static void find_parents(struct fold *f)
{
	const struct profile *p = f->profile;
	struct idtable index = { 0 };

	f->parent_of = xcalloc(p->sites.len, sizeof(*f->parent_of));
	for (uint32_t i = 1; i < p->sites.len; i++) {
		const struct site *s = &p->sites.items[i];
		const char *name = s->inlined  ? s->inlined
				   : s->symbol ? symbol_name(p->session->symbols, s->dso, s->symbol)
					       : NULL;
		struct idtable_probe probe;
		uint64_t hash;

		if (!name || regexec(f->opts.parent, name, 0, NULL, 0))
			continue;
		hash = hash_bytes(name, strlen(name), 0);
		probe = idtable_probe(&index, hash);
		f->parent_of[i] = idtable_next(&index, &probe);
		if (!f->parent_of[i]) {
			f->parent_of[i] = i;
			idtable_add(&index, hash, i);
		}
	}
	idtable_free(&index);
}

/* ---- groups ---- */

static const uint32_t *chain_sites(const struct part *part, const struct entry *e, size_t *n)
{
	const struct chain *c = &part->chains.items[e->chain];

	*n = c->n;
	return c->n ? part->words.items + c->at : NULL;
}

/* Find the first function on the chain that matches the pattern of parents. */
static uint32_t find_parent(const struct fold *f, const struct part *part, const struct entry *e)
{
	size_t n;
	const uint32_t *sites = chain_sites(part, e, &n);

	for (size_t i = 0; i < n; i++)
		if (f->parent_of[sites[i]])
			return f->parent_of[sites[i]];
	return 0;
}

static bool same_group(const struct fold_group *a, const struct fold_group *b)
{
	return a->event == b->event && a->outer == b->outer && a->parent == b->parent && a->stack == b->stack;
}

/* Sort the part's entries by group. Entries of a group keep their order. */
static void group_entries(const struct fold *f, const struct part *part, struct fold_part *fp)
{
	uint32_t *group_of = xcalloc(part->entries.len, sizeof(*group_of)), last = 0;
	VEC(struct fold_group) groups = { 0 };
	struct idtable index = { 0 };

	for (size_t i = 0; i < part->entries.len; i++) {
		const struct entry *e = &part->entries.items[i];
		struct fold_group g = { .event = e->event,
					.outer = e->outer,
					.parent = f->opts.parent ? find_parent(f, part, e) : 0,
					.stack = f->stack_of ? f->stack_of[part - f->profile->parts][e->chain] : 0 };
		uint64_t hash = hash_mix((uint64_t)g.event << 32 | g.outer, (uint64_t)g.stack << 32 | g.parent);
		struct idtable_probe probe = idtable_probe(&index, hash);
		uint32_t id = 0;

		if (last && same_group(&groups.items[last - 1], &g))
			id = last;
		while (!id && (id = idtable_next(&index, &probe)))
			if (!same_group(&groups.items[id - 1], &g))
				id = 0;
		if (!id) {
			vec_push(&groups, g);
			id = (uint32_t)groups.len;
			idtable_add(&index, hash, id);
		}
		last = id;
		group_of[i] = id - 1;
		groups.items[id - 1].to++;
	}
	for (size_t i = 0, at = 0; i < groups.len; i++) {
		size_t n = groups.items[i].to;

		groups.items[i].from = groups.items[i].to = (uint32_t)at;
		at += n;
	}
	fp->order = xcalloc(part->entries.len, sizeof(*fp->order));
	for (size_t i = 0; i < part->entries.len; i++)
		fp->order[groups.items[group_of[i]].to++] = (uint32_t)i;
	fp->groups = groups.items;
	fp->n_groups = groups.len;
	free(group_of);
	idtable_free(&index);
}

void row_sums_add(struct row_sums *to, const struct row_sums *s)
{
	to->period += s->period;
	to->children += s->children;
	to->samples += s->samples;
	for (size_t i = 0; i < LEVELS; i++)
		to->by_level[i] += s->by_level[i];
	to->latency += s->latency;
	to->latency_children += s->latency_children;
	for (size_t i = 0; i < WEIGHTS; i++)
		to->weights[i] += s->weights[i];
}

/* ---- rows of a part ---- */

struct folder {
	const struct fold *f;
	const struct part *part;
	struct fold_part *fp;
	const struct fold_group *group; /* the one that is walked */
	uint32_t next;                  /* its next entry, in fp->order */
	uint32_t *row_of;               /* class -> row + 1; valid while group_stamp belongs to this group */
	uint32_t *group_stamp, *entry_stamp;
	uint32_t group_number, entry_number;
	struct idtable others; /* rows that also depend on the other site */
};

static uint64_t row_hash(const struct row *r)
{
	return hash_mix(hash_mix((uint64_t)r->event << 32 | r->outer, (uint64_t)r->site << 32 | r->other),
			(uint64_t)r->stack << 32 | r->parent);
}

static bool same_row(const struct row *a, const struct row *b)
{
	return a->event == b->event && a->outer == b->outer && a->site == b->site && a->other == b->other &&
	       a->parent == b->parent && a->stack == b->stack;
}

static uint32_t add_row(struct folder *d, const struct row *r)
{
	vec_push(&d->fp->rows, *r);
	return (uint32_t)d->fp->rows.len - 1;
}

/* Find the row of this group, class and other class; make it if it is new. */
static uint32_t row_number(struct folder *d, uint32_t site, uint32_t other)
{
	struct row r = { .event = d->group->event,
			 .outer = d->group->outer,
			 .parent = d->group->parent,
			 .stack = d->group->stack,
			 .site = site,
			 .other = other,
			 .first_time = UINT64_MAX,
			 .first_thread = UINT32_MAX,
			 .first_site = UINT32_MAX };
	struct idtable_probe probe;
	uint64_t hash;
	uint32_t id;

	if (d->f->other_class_sites.len == 1) {
		if (d->group_stamp[site] != d->group_number) {
			d->group_stamp[site] = d->group_number;
			d->row_of[site] = add_row(d, &r);
		}
		return d->row_of[site];
	}
	hash = row_hash(&r);
	probe = idtable_probe(&d->others, hash);
	while ((id = idtable_next(&d->others, &probe)))
		if (same_row(&d->fp->rows.items[id - 1], &r))
			return id - 1;
	id = add_row(d, &r);
	idtable_add(&d->others, hash, id + 1);
	return id;
}

/*
 * The earliest sample decides what a row shows where its samples differ; at equal times the lower
 * number, so the order does not matter.
 */
struct first {
	uint64_t time;
	uint32_t thread, site, other;
	uint8_t mode;
};

static void first_of(struct row *r, const struct first *by)
{
	if (by->time > r->first_time || (by->time == r->first_time && by->thread > r->first_thread))
		return;
	if (by->time == r->first_time && by->thread == r->first_thread && by->site >= r->first_site)
		return;
	r->first_time = by->time;
	r->first_thread = by->thread;
	r->first_site = by->site;
	r->first_other = by->other;
	r->first_mode = by->mode;
}

static const struct measures *measures_of(const struct part *part, const struct entry *e)
{
	return part->measures.len ? &part->measures.items[e - part->entries.items] : NULL;
}

static void folder_init(struct folder *d, const struct fold *f, size_t part)
{
	size_t n = f->class_sites.len;

	*d = (struct folder){ .f = f, .part = &f->profile->parts[part], .fp = &f->parts[part] };
	d->row_of = xcalloc(n, sizeof(*d->row_of));
	d->group_stamp = xcalloc(n, sizeof(*d->group_stamp));
	d->entry_stamp = xcalloc(n, sizeof(*d->entry_stamp));
}

static void folder_release(struct folder *d)
{
	free(d->row_of);
	free(d->group_stamp);
	free(d->entry_stamp);
	idtable_free(&d->others);
}

/* Tell whether the entry belongs to any row. */
static bool entry_passes(const struct fold *f, const struct fold_group *g, const struct entry *e)
{
	return !(f->site_flags[e->self] & (SITE_DROPPED | SITE_FILTERED)) && (g->parent || !f->opts.only_with_parent);
}

/* ---- the walk over a part ---- */

/* An entry, and a row that it counts for. */
struct meeting {
	const struct entry *entry;
	const uint32_t *sites; /* of its chain */
	size_t n;
	uint32_t row;   /* number in the part */
	bool is_caller; /* the row is that of sites[at], which called what was sampled; else it is the entry's own */
	size_t at;
};

static bool next_entry(struct folder *d, struct meeting *m)
{
	for (;;) {
		while (!d->group || d->next == d->group->to) {
			if (d->group_number == d->fp->n_groups)
				return false;
			d->group = &d->fp->groups[d->group_number++];
			d->next = d->group->from;
		}
		m->entry = &d->part->entries.items[d->fp->order[d->next++]];
		if (entry_passes(d->f, d->group, m->entry))
			return true;
	}
}

/* Step to the next function on the chain whose row has not counted this entry. */
static bool next_caller(struct folder *d, struct meeting *m)
{
	for (m->at = m->is_caller ? m->at + 1 : 0; m->at < m->n; m->at++) {
		uint32_t class = d->f->class_of[m->sites[m->at]];

		if (d->entry_stamp[class] == d->entry_number)
			continue;
		d->entry_stamp[class] = d->entry_number;
		m->row = row_number(d, class, 0);
		return m->is_caller = true;
	}
	return false;
}

/*
 * The one way through a part: all pairs of an entry and a row that it counts for. First the entry's
 * own row, then with children those of its callers, each once. Rows get their numbers as they are
 * met, so each walk finds the same ones. `m` begins zeroed.
 */
static bool fold_next(struct folder *d, struct meeting *m)
{
	uint32_t class;

	if (m->entry && d->f->opts.children && next_caller(d, m))
		return true;
	if (!next_entry(d, m))
		return false;
	class = d->f->class_of[m->entry->self];
	m->sites = chain_sites(d->part, m->entry, &m->n);
	m->row = row_number(d, class, d->f->other_class_of[m->entry->other]);
	m->is_caller = false;
	m->at = 0;
	d->entry_stamp[class] = ++d->entry_number;
	return true;
}

/* ---- counting ---- */

static void count_own(struct row *r, const struct meeting *m, const struct measures *measures)
{
	const struct entry *e = m->entry;

	r->sums.period += e->period;
	if (e->first_mode == CPUMODE_KERNEL || e->first_mode == CPUMODE_USER)
		r->sums.by_level[e->first_mode == CPUMODE_USER] += e->period;
	else if (e->first_mode == CPUMODE_GUEST_KERNEL || e->first_mode == CPUMODE_GUEST_USER)
		r->sums.by_level[LEVEL_GUEST_SYSTEM + (e->first_mode == CPUMODE_GUEST_USER)] += e->period;
	r->sums.samples += e->samples;
	if (measures) {
		r->sums.latency += measures->latency;
		for (size_t i = 0; i < WEIGHTS; i++)
			r->sums.weights[i] += measures->weights[i];
	}
}

static void count(struct row *r, const struct part *part, const struct meeting *m)
{
	const struct entry *e = m->entry;
	const struct measures *measures = measures_of(part, e);

	if (!m->is_caller)
		count_own(r, m, measures);
	r->sums.children += e->period;
	r->sums.latency_children += measures ? measures->latency : 0;
	r->max_depth = MAX(r->max_depth, (uint32_t)(m->n - m->at));
	r->stretches++;
	first_of(r, &(struct first){ .time = e->first_time,
				     .thread = e->first_thread,
				     .site = m->is_caller ? m->sites[m->at] : e->self,
				     .other = e->other,
				     .mode = e->first_mode });
}

static void fold_part(void *ctx, size_t item, unsigned worker)
{
	struct fold *f = ctx;
	struct folder d;
	struct meeting m = { 0 };

	folder_init(&d, f, item);
	group_entries(f, d.part, d.fp);
	while (fold_next(&d, &m))
		count(&d.fp->rows.items[m.row], d.part, &m);
	folder_release(&d);
}

/* ---- all rows ---- */

static void merge_rows(struct fold *f)
{
	struct idtable index = { 0 };

	for (unsigned i = 0; i < f->profile->n_parts; i++) {
		struct fold_part *fp = &f->parts[i];

		fp->global = xcalloc(fp->rows.len, sizeof(*fp->global));
		for (size_t k = 0; k < fp->rows.len; k++) {
			const struct row *r = &fp->rows.items[k];
			uint64_t hash = row_hash(r);
			struct idtable_probe probe = idtable_probe(&index, hash);
			struct row *known;
			uint32_t id;

			while ((id = idtable_next(&index, &probe)))
				if (same_row(&f->rows.items[id - 1], r))
					break;
			if (!id) {
				vec_push(&f->rows, *r);
				idtable_add(&index, hash, (uint32_t)f->rows.len);
				fp->global[k] = (uint32_t)f->rows.len - 1;
				continue;
			}
			fp->global[k] = id - 1;
			known = &f->rows.items[id - 1];
			row_sums_add(&known->sums, &r->sums);
			known->max_depth = MAX(known->max_depth, r->max_depth);
			known->stretches += r->stretches;
			first_of(known, &(struct first){ .time = r->first_time,
							 .thread = r->first_thread,
							 .site = r->first_site,
							 .other = r->first_other,
							 .mode = r->first_mode });
		}
		vec_free(&fp->rows);
	}
	idtable_free(&index);
}

/* ---- stretches ---- */

struct stretcher {
	const struct fold *f;
	const uint32_t *wanted;
	size_t n;
	struct stretch_list *lists;
};

static void stretch_part(void *ctx, size_t item, unsigned worker)
{
	const struct stretcher *s = ctx;
	struct stretch_list *lists = s->lists + item * s->n;
	struct meeting m = { 0 };
	struct folder d;

	folder_init(&d, s->f, item);
	while (fold_next(&d, &m)) {
		uint32_t number = s->wanted[d.fp->global[m.row]];

		if (number && m.n)
			vec_push(&lists[number - 1],
				 (struct stretch){ .entry = (uint32_t)(m.entry - d.part->entries.items),
						   .pos = (uint32_t)m.at });
	}
	vec_free(&d.fp->rows);
	folder_release(&d);
}

void fold_stretches(const struct fold *f, const uint32_t *wanted, size_t n, struct stretch_list *lists)
{
	struct stretcher s = { .f = f, .wanted = wanted, .n = n, .lists = lists };

	parallel_for(f->profile->n_parts, f->profile->n_parts, stretch_part, &s);
}

static void sum_totals(struct fold *f)
{
	const struct profile *p = f->profile;
	size_t n = p->session->pd->n_events;

	f->totals = xcalloc(n, sizeof(*f->totals));
	f->passed = xcalloc(n, sizeof(*f->passed));
	for (unsigned i = 0; i < p->n_parts; i++) {
		for (size_t k = 0; k < n; k++) {
			f->totals[k].samples += p->parts[i].totals[k].samples;
			f->totals[k].period += p->parts[i].totals[k].period;
			f->totals[k].latency += p->parts[i].totals[k].latency;
		}
		for (size_t k = 0; k < p->parts[i].entries.len; k++) {
			const struct entry *e = &p->parts[i].entries.items[k];
			const struct measures *m = measures_of(&p->parts[i], e);

			if (f->site_flags[e->self] & SITE_DROPPED)
				continue;
			f->totals[e->event].samples += e->samples;
			f->totals[e->event].period += e->period;
			f->totals[e->event].latency += m ? m->latency : 0;
		}
	}
	/* Each sample has several branches. */
	for (unsigned i = 0; p->opts.kind == PROFILE_BRANCHES && i < p->n_parts; i++)
		for (size_t k = 0; k < n; k++)
			f->totals[k].samples = (i ? f->totals[k].samples : 0) + p->parts[i].n_samples[k];
	for (size_t i = 0; i < f->rows.len; i++) {
		f->passed[f->rows.items[i].event].samples += f->rows.items[i].sums.samples;
		f->passed[f->rows.items[i].event].period += f->rows.items[i].sums.period;
		f->passed[f->rows.items[i].event].latency += f->rows.items[i].sums.latency;
	}
}

static void sum_branches(struct fold *f)
{
	uint32_t *wanted = xcalloc(f->rows.len, sizeof(*wanted));
	struct stretch_list *lists = xcalloc(f->rows.len * f->profile->n_parts, sizeof(*lists));

	f->branches = xcalloc(f->rows.len, sizeof(*f->branches));
	for (size_t i = 0; i < f->rows.len; i++)
		wanted[i] = (uint32_t)i + 1;
	fold_stretches(f, wanted, f->rows.len, lists);
	for (size_t i = 0; i < f->rows.len * f->profile->n_parts; i++) {
		const struct part *part = &f->profile->parts[i / f->rows.len];

		for (size_t k = 0; k < lists[i].len; k++) {
			const struct chain *c = &part->chains.items[part->entries.items[lists[i].items[k].entry].chain];

			for (size_t at = lists[i].items[k].pos; at < c->n; at++)
				branch_sums_add(&f->branches[i % f->rows.len], &part->branches.items[c->at + at]);
		}
		vec_free(&lists[i]);
	}
	free(lists);
	free(wanted);
}

struct fold *fold_new(struct profile *p, const struct fold_opts *opts)
{
	struct fold *f = xcalloc(1, sizeof(*f));

	phase("fold");
	f->profile = p;
	f->opts = *opts;
	f->class_of = classify(f, KEY_SITE, &f->class_sites.items, &f->class_sites.len);
	f->other_class_of = classify(f, KEY_OTHER, &f->other_class_sites.items, &f->other_class_sites.len);
	f->site_flags = xcalloc(p->sites.len, sizeof(*f->site_flags));
	for (size_t i = 0; i < p->sites.len; i++)
		f->site_flags[i] = flags_of(f, &p->sites.items[i]);
	if (opts->parent)
		find_parents(f);
	if (opts->stacks)
		fold_number_stacks(f);
	f->parts = xcalloc(p->n_parts, sizeof(*f->parts));
	parallel_for(p->n_parts, p->n_parts, fold_part, f);
	merge_rows(f);
	sum_totals(f);
	if (p->opts.branch_history && f->rows.len)
		sum_branches(f);
	return f;
}

void fold_free(struct fold *f)
{
	if (!f)
		return;
	for (unsigned i = 0; i < f->profile->n_parts; i++) {
		free(f->parts[i].order);
		free(f->parts[i].groups);
		free(f->parts[i].global);
	}
	free(f->parts);
	free(f->class_of);
	free(f->other_class_of);
	vec_free(&f->class_sites);
	vec_free(&f->other_class_sites);
	free(f->site_flags);
	free(f->parent_of);
	fold_free_stacks(f);
	vec_free(&f->rows);
	free(f->totals);
	free(f->passed);
	free(f->branches);
	free(f);
}
