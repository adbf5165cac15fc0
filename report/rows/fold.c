/*
 * Fold entries into rows. Each worker folds one part. It takes entries group by group (one event,
 * one set of sample values), so that a flat array over the classes of sites finds the row.
 */
#include "report/rows/fold_priv.h"

#include "base/parallel.h"
#include "base/phases.h"
#include "report/rows/keys.h"

enum { SITE_DROPPED = 1, SITE_FILTERED = 2 };

/* ---- classes ---- */

/* Number the classes of the sites that have none yet. */
static void classify(struct fold *f, enum key_from from, struct fold_classes *c)
{
	const struct profile *p = f->profile;
	size_t n = 0, at;

	for (size_t k = 0; k < f->opts.n_keys; k++)
		n += f->opts.keys[k]->from == from;
	if (!n && !c->sites.len) /* no key: all sites are one class */
		vec_push(&c->sites, 0);
	for (uint32_t i = (uint32_t)c->of.len; i < p->sites.len; i++) {
		struct idtable_probe probe;
		uint64_t *v, hash;
		uint32_t id = !n;

		v = vec_add(&c->values, n);
		at = 0;
		for (size_t k = 0; k < f->opts.n_keys; k++)
			if (f->opts.keys[k]->from == from)
				v[at++] = f->opts.keys[k]->site(f, &p->sites.items[i]);
		hash = hash_bytes(v, n * sizeof(*v), 0);
		probe = idtable_probe(&c->index, hash);
		while (!id && (id = idtable_next(&c->index, &probe)))
			if (memcmp(c->values.items + (id - 1) * n, v, n * sizeof(*v)))
				id = 0;
			else
				break;
		if (id) {
			c->values.len -= n;
		} else {
			vec_push(&c->sites, i);
			id = (uint32_t)c->sites.len;
			idtable_add(&c->index, hash, id);
		}
		vec_push(&c->of, id - 1);
	}
}

static void classes_release(struct fold_classes *c)
{
	vec_free(&c->of);
	vec_free(&c->sites);
	vec_free(&c->values);
	idtable_free(&c->index);
}

/* ---- filters of sites ---- */

static uint8_t flags_of(const struct fold *f, const struct site *s)
{
	const struct profile *p = f->profile;
	const struct profile_filter *filter = p->filter;
	struct symbols *symbols = p->session->symbols;
	uint8_t flags = 0;

	if (s->left_out || (filter->hide_unresolved && !s->symbol))
		flags |= SITE_DROPPED;
	if (!sample_filter_wants_place(&filter->who, symbols, s->ip, s->dso, s->symbol))
		flags |= SITE_FILTERED;
	return flags;
}

/* Find which sites are parents. Parents with the same name are the same parent. */
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
	fp->n_entries = part->entries.len;
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
	const struct fold_group *group; /* the present one */
	uint32_t next;                  /* its next entry, in fp->order */
	struct folder_class {
		uint32_t row;          /* valid while `group` is the number of the group */
		uint32_t group, entry; /* the last ones that met it */
	} * classes;
	uint32_t group_number, entry_number;
	struct idtable others;    /* rows that also depend on the other site */
	const bool *only_classes; /* meet only rows of these classes; NULL: all */
	bool callers;             /* also meet the rows of callers */
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

/* Return the row of this group, class and other class; make it if it does not exist. */
static uint32_t new_row(struct folder *d, uint32_t site, uint32_t other)
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

	if (d->f->other_classes.sites.len == 1)
		return add_row(d, &r);
	hash = row_hash(&r);
	probe = idtable_probe(&d->others, hash);
	while ((id = idtable_next(&d->others, &probe)))
		if (same_row(&d->fp->rows.items[id - 1], &r))
			return id - 1;
	id = add_row(d, &r);
	idtable_add(&d->others, hash, id + 1);
	return id;
}

static inline uint32_t row_number(struct folder *d, uint32_t site, uint32_t other)
{
	struct folder_class *c = &d->classes[site];

	if (d->f->other_classes.sites.len != 1)
		return new_row(d, site, other);
	if (c->group != d->group_number) {
		c->group = d->group_number;
		c->row = new_row(d, site, other);
	}
	return c->row;
}

/*
 * What a row shows where its samples differ: that of the earliest sample. At equal times the lower number decides, so
 * that the order does not matter.
 */
struct first {
	uint64_t time;
	uint32_t thread, site, other;
	uint8_t mode;
};

static inline void first_of(struct row *r, const struct first *by)
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

static void folder_init(struct folder *d, const struct fold *f, const struct part *part, struct fold_part *fp)
{
	*d = (struct folder){ .f = f, .part = part, .fp = fp, .callers = f->opts.children };
	d->classes = xcalloc(f->classes.sites.len, sizeof(*d->classes));
}

static void folder_release(struct folder *d)
{
	free(d->classes);
	idtable_free(&d->others);
}

bool fold_entry_passes(const struct fold *f, const struct fold_group *g, const struct entry *e)
{
	return (e->samples || e->period) && !(f->site_flags.items[e->self] & (SITE_DROPPED | SITE_FILTERED)) &&
	       (g->parent || !f->opts.only_with_parent);
}

/* ---- the walk over a part ---- */

/* An entry, and a row that it counts for. */
struct meeting {
	const struct entry *entry;
	const uint32_t *sites; /* of its chain */
	size_t n;
	uint32_t row;   /* number in the part */
	bool is_caller; /* the row is that of the caller sites[at]; otherwise it is the entry's own row */
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
		if (fold_entry_passes(d->f, d->group, m->entry))
			return true;
	}
}

/* Step to the next function on the chain whose row has not counted this entry. */
static bool next_caller(struct folder *d, struct meeting *m)
{
	const uint32_t *class_of = d->f->classes.of.items;

	for (m->at = m->is_caller ? m->at + 1 : 0; m->at < m->n; m->at++) {
		uint32_t class = class_of[m->sites[m->at]];

		if (d->classes[class].entry == d->entry_number || (d->only_classes && !d->only_classes[class]))
			continue;
		d->classes[class].entry = d->entry_number;
		m->row = row_number(d, class, 0);
		return m->is_caller = true;
	}
	return false;
}

/*
 * Step to the next pair of an entry and a row that it counts for: first the entry's own row, then, with children, the
 * rows of its callers, each once. All walks over a part use this. It numbers new rows. `m` begins zeroed.
 */
static bool fold_next(struct folder *d, struct meeting *m)
{
	uint32_t class;

	for (;;) {
		if (m->entry && d->callers && next_caller(d, m))
			return true;
		if (!next_entry(d, m))
			return false;
		class = d->f->classes.of.items[m->entry->self];
		m->sites = chain_sites(d->part, m->entry, &m->n);
		m->is_caller = false;
		m->at = 0;
		d->classes[class].entry = ++d->entry_number;
		if (d->only_classes && !d->only_classes[class])
			continue;
		m->row = row_number(d, class, d->f->other_classes.of.items[m->entry->other]);
		return true;
	}
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

static void fold_entries(const struct fold *f, const struct part *part, struct fold_part *fp)
{
	struct folder d;
	struct meeting m = { 0 };

	folder_init(&d, f, part, fp);
	group_entries(f, part, fp);
	while (fold_next(&d, &m))
		count(&fp->rows.items[m.row], part, &m);
	folder_release(&d);
}

static void fold_part(void *ctx, size_t item, unsigned worker)
{
	struct fold *f = ctx;

	fold_entries(f, &f->profile->parts[item], &f->parts[item]);
}

/* ---- all rows ---- */

uint32_t fold_find_row(const struct fold *f, const struct idtable *index, const struct row *r)
{
	struct idtable_probe probe = idtable_probe(index, row_hash(r));
	uint32_t id;

	while ((id = idtable_next(index, &probe)))
		if (same_row(&f->rows.items[id - 1], r))
			break;
	return id;
}

static void append_row(struct fold *f, const struct row *r)
{
	struct fold_event *event = &f->events[r->event];
	uint32_t id;

	vec_push(&f->rows, *r);
	id = (uint32_t)f->rows.len;
	if (event->last)
		f->rows.items[event->last - 1].next = id;
	else
		event->first = id;
	event->last = id;
	idtable_add(&f->row_index, row_hash(r), id);
}

static void merge_rows(struct fold *f, struct fold_part *fp)
{
	for (size_t k = 0; k < fp->rows.len; k++) {
		const struct row *r = &fp->rows.items[k];
		uint32_t id = fold_find_row(f, &f->row_index, r);
		struct row *known;

		if (!id) {
			append_row(f, r);
			continue;
		}
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

static void fold_part_release(struct fold_part *fp)
{
	free(fp->order);
	free(fp->groups);
	*fp = (struct fold_part){ 0 };
}

/* ---- stretches ---- */

struct stretcher {
	const struct fold *f;
	const uint32_t *wanted;
	size_t n;
	bool *classes;        /* those of wanted rows */
	bool own;             /* no stretches of callers */
	struct idtable index; /* of wanted rows */
	struct stretch_list *lists;
};

static void stretch_part(void *ctx, size_t item, unsigned worker)
{
	const struct stretcher *s = ctx;
	const struct part *part = &s->f->profile->parts[item];
	struct fold_part *fp = &s->f->parts[item];
	struct stretch_list *lists = s->lists + item * s->n;
	struct meeting m = { 0 };
	VEC(uint32_t) numbers = { 0 }; /* row of the part -> its list + 1 */
	struct folder d;

	if (fp->n_entries != part->entries.len) { /* the entries are no longer those that were grouped */
		fold_part_release(fp);
		group_entries(s->f, part, fp);
	}
	folder_init(&d, s->f, part, fp);
	d.only_classes = s->classes;
	d.callers &= !s->own;
	while (fold_next(&d, &m)) {
		const struct row *r = &fp->rows.items[m.row];

		if (m.row == numbers.len) {
			uint32_t id = fold_find_row(s->f, &s->index, r);

			vec_push(&numbers, id ? s->wanted[id - 1] : 0);
		}
		if (numbers.items[m.row] && m.n)
			vec_push(&lists[numbers.items[m.row] - 1],
				 (struct stretch){ .entry = (uint32_t)(m.entry - part->entries.items),
						   .pos = (uint32_t)m.at });
	}
	vec_free(&fp->rows);
	vec_free(&numbers);
	folder_release(&d);
}

void fold_index_rows(const struct fold *f, const uint32_t *wanted, struct idtable *index)
{
	for (size_t i = 0; i < f->rows.len; i++)
		if (wanted[i])
			idtable_add(index, row_hash(&f->rows.items[i]), (uint32_t)i + 1);
}

static void find_stretches(struct stretcher *s)
{
	const struct fold *f = s->f;

	s->classes = xcalloc(f->classes.sites.len, sizeof(*s->classes));
	for (size_t i = 0; i < f->rows.len; i++)
		if (s->wanted[i])
			s->classes[f->rows.items[i].site] = true;
	fold_index_rows(f, s->wanted, &s->index);
	parallel_for(f->profile->n_parts, f->profile->n_parts, stretch_part, s);
	free(s->classes);
	idtable_free(&s->index);
}

void fold_stretches(const struct fold *f, const uint32_t *wanted, size_t n, struct stretch_list *lists)
{
	find_stretches(&(struct stretcher){ .f = f, .wanted = wanted, .n = n, .lists = lists });
}

void fold_own_stretches(const struct fold *f, const uint32_t *wanted, size_t n, struct stretch_list *lists)
{
	find_stretches(&(struct stretcher){ .f = f, .wanted = wanted, .n = n, .lists = lists, .own = true });
}

static void add_total(struct event_total *to, const struct event_total *t)
{
	to->samples += t->samples;
	to->period += t->period;
	to->latency += t->latency;
}

/* Count the entries that are not dropped. */
static void sum_known(struct fold *f, const struct part *part)
{
	for (size_t k = 0; k < part->entries.len; k++) {
		const struct entry *e = &part->entries.items[k];
		const struct measures *m = measures_of(part, e);

		if (!(f->site_flags.items[e->self] & SITE_DROPPED))
			add_total(&f->known[e->event], &(struct event_total){ .samples = e->samples,
									      .period = e->period,
									      .latency = m ? m->latency : 0 });
	}
}

static void sum_totals(struct fold *f)
{
	const struct profile *p = f->profile;
	size_t n = p->session->pd->n_events;

	memcpy(f->totals, f->known, n * sizeof(*f->totals));
	memset(f->passed, 0, n * sizeof(*f->passed));
	for (unsigned i = 0; i < p->n_parts; i++)
		for (size_t k = 0; k < n; k++)
			add_total(&f->totals[k], &p->parts[i].totals[k]);
	/* Each sample has several branches. */
	for (unsigned i = 0; p->opts.kind == PROFILE_BRANCHES && i < p->n_parts; i++)
		for (size_t k = 0; k < n; k++)
			f->totals[k].samples = (i ? f->totals[k].samples : 0) + p->parts[i].n_samples[k];
	for (size_t i = 0; i < f->rows.len; i++) {
		const struct row *r = &f->rows.items[i];

		add_total(&f->passed[r->event], &(struct event_total){ .samples = r->sums.samples,
								       .period = r->sums.period,
								       .latency = r->sums.latency });
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

/* Find out what the fold needs to know about each site. */
static void look_at_sites(struct fold *f)
{
	const struct profile *p = f->profile;

	classify(f, KEY_SITE, &f->classes);
	classify(f, KEY_OTHER, &f->other_classes);
	for (size_t i = f->site_flags.len; i < p->sites.len; i++)
		vec_push(&f->site_flags, flags_of(f, &p->sites.items[i]));
}

struct fold *fold_new(struct profile *p, const struct fold_opts *opts)
{
	struct fold *f = xcalloc(1, sizeof(*f));
	size_t n = p->session->pd->n_events;

	phase("fold");
	f->profile = p;
	f->opts = *opts;
	f->events = xcalloc(n, sizeof(*f->events));
	f->totals = xcalloc(n, sizeof(*f->totals));
	f->passed = xcalloc(n, sizeof(*f->passed));
	f->known = xcalloc(n, sizeof(*f->known));
	look_at_sites(f);
	if (opts->parent)
		find_parents(f);
	if (opts->stacks)
		fold_number_stacks(f);
	f->parts = xcalloc(p->n_parts, sizeof(*f->parts));
	parallel_for(p->n_parts, p->n_parts, fold_part, f);
	for (unsigned i = 0; i < p->n_parts; i++) {
		merge_rows(f, &f->parts[i]);
		sum_known(f, &p->parts[i]);
	}
	if (!p->follower)
		idtable_free(&f->row_index);
	sum_totals(f);
	if (p->opts.branch_history && f->rows.len)
		sum_branches(f);
	return f;
}

/* Fade the sums of rows. As in perf, 7/8 is left. */
static void fade_rows(struct fold *f)
{
	for (size_t i = 0; i < f->rows.len; i++) {
		struct row_sums *s = &f->rows.items[i].sums;

		s->period = s->period * 7 / 8;
		s->children = s->children * 7 / 8;
		s->samples = s->samples * 7 / 8;
		for (size_t k = 0; k < LEVELS; k++)
			s->by_level[k] = s->by_level[k] * 7 / 8;
	}
	for (size_t i = 0; i < f->profile->session->pd->n_events; i++) {
		f->known[i].samples = f->known[i].samples * 7 / 8;
		f->known[i].period = f->known[i].period * 7 / 8;
	}
}

void fold_follow(struct fold *f)
{
	unsigned fades;
	const struct part *changed = profile_changed(f->profile, &fades);
	struct fold_part fp = { 0 };

	phase("fold");
	while (fades--)
		fade_rows(f);
	look_at_sites(f);
	fold_entries(f, changed, &fp);
	merge_rows(f, &fp);
	sum_known(f, changed);
	sum_totals(f);
	fold_part_release(&fp);
}

void fold_free(struct fold *f)
{
	if (!f)
		return;
	for (unsigned i = 0; i < f->profile->n_parts; i++)
		fold_part_release(&f->parts[i]);
	free(f->parts);
	classes_release(&f->classes);
	classes_release(&f->other_classes);
	vec_free(&f->site_flags);
	free(f->parent_of);
	fold_free_stacks(f);
	vec_free(&f->rows);
	idtable_free(&f->row_index);
	free(f->events);
	free(f->totals);
	free(f->passed);
	free(f->known);
	free(f->branches);
	free(f);
}
