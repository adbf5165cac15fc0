/* The tables of a profile: the workers' parts, their merge, and the names. */
#include "base/parallel.h"
#include "base/radix.h"
#include "report/session/advance.h"
#include "report/tracepoint/plugin.h"
#include "report/profile/profile_priv.h"

/* ---- texts ---- */

uint64_t texts_number(struct texts *t, const char *text)
{
	uint64_t number = hash_bytes(text, strlen(text), 0);

	*u64map_put(&t->ids, number, NULL) = strtab_intern(&t->table, text);
	return number;
}

const char *texts_get(const struct texts *t, uint64_t number)
{
	const uint32_t *id = u64map_find(&t->ids, number);

	return id ? strtab_get(&t->table, *id) : "";
}

static void texts_free(struct texts *t)
{
	strtab_free(&t->table);
	u64map_free(&t->ids);
}

/* ---- a worker's tables ---- */

static bool same_place(const struct frame *a, const struct frame *b)
{
	return a->dso == b->dso && a->dso_off == b->dso_off && a->ip == b->ip && a->mode == b->mode;
}

uint32_t part_frame(struct part *part, const struct frame *f)
{
	uint64_t hash = hash_mix(f->ip, f->dso_off ^ (uint64_t)f->dso << 40 ^ (uint64_t)f->mode << 60);
	struct idtable_probe probe = idtable_probe(&part->frame_index, hash);
	uint32_t id;

	while ((id = idtable_next(&part->frame_index, &probe)))
		if (same_place(&part->frames.items[id], f))
			return id;
	vec_push(&part->frames, *f);
	id = (uint32_t)part->frames.len - 1;
	idtable_add(&part->frame_index, hash, id);
	return id;
}

uint32_t part_outer(struct part *part, const uint64_t *values, size_t n)
{
	uint64_t hash = hash_bytes(values, n * sizeof(*values), 0);
	struct idtable_probe probe = idtable_probe(&part->outer_index, hash);
	uint32_t id;

	if (!n)
		return 0;
	while ((id = idtable_next(&part->outer_index, &probe)))
		if (!memcmp(part->outers.items + (id - 1) * n, values, n * sizeof(*values)))
			return id - 1;
	for (size_t i = 0; i < n; i++)
		vec_push(&part->outers, values[i]);
	idtable_add(&part->outer_index, hash, ++part->n_outers);
	return part->n_outers - 1;
}

static bool same_entry(const struct entry *a, const struct entry *b)
{
	return a->chain == b->chain && a->self == b->self && a->outer == b->outer && a->event == b->event &&
	       a->other == b->other;
}

static uint64_t entry_hash(const struct entry *e)
{
	return hash_mix((uint64_t)e->self << 32 | e->chain, hash_mix((uint64_t)e->outer << 32 | e->event, e->other));
}

static void entry_more(struct entry *to, const struct entry *e)
{
	to->period += e->period;
	to->samples += e->samples;
	entry_first(to, e->first_time, e->first_thread, e->first_mode);
}

/* Add an entry. Return its number + 1. */
static uint32_t entry_new(struct part *part, const struct entry *e)
{
	vec_push(&part->entries, *e);
	part->entries.items[part->entries.len - 1].next = 0;
	return (uint32_t)part->entries.len;
}

static uint32_t add_by_hash(struct part *part, const struct entry *e)
{
	uint64_t hash = entry_hash(e);
	struct idtable_probe probe = idtable_probe(&part->entry_index, hash);
	uint32_t id;

	while ((id = idtable_next(&part->entry_index, &probe))) {
		if (same_entry(&part->entries.items[id - 1], e)) {
			entry_more(&part->entries.items[id - 1], e);
			return id - 1;
		}
	}
	id = entry_new(part, e);
	idtable_add(&part->entry_index, hash, id);
	return id - 1;
}

/*
 * Most chains have few entries; these are a list at the chain. Entries beyond this number go into a
 * hash table.
 */
enum { CHAIN_ENTRIES = 8 };

uint32_t part_add(struct part *part, const struct entry *e)
{
	uint32_t id, n = 0, entry;

	if (!e->chain)
		return add_by_hash(part, e);
	if (part->chain_entries.len <= e->chain)
		vec_add(&part->chain_entries, MAX(part->chains.len, e->chain + (size_t)1) - part->chain_entries.len);
	for (id = part->chain_entries.items[e->chain]; id; id = part->entries.items[id - 1].next, n++) {
		if (same_entry(&part->entries.items[id - 1], e)) {
			entry_more(&part->entries.items[id - 1], e);
			return id - 1;
		}
	}
	if (n == CHAIN_ENTRIES)
		return add_by_hash(part, e);
	entry = entry_new(part, e);
	part->entries.items[entry - 1].next = part->chain_entries.items[e->chain];
	part->chain_entries.items[e->chain] = entry;
	return entry - 1;
}

void part_measure(struct part *part, uint32_t entry, const struct measures *m)
{
	if (part->measures.len <= entry)
		vec_add(&part->measures, part->entries.len - part->measures.len);
	measures_add(&part->measures.items[entry], m);
}

static void highest_rank_first(struct kept_samples *l)
{
	struct kept_sample first;
	size_t highest = 0;

	for (size_t i = 1; i < l->len; i++)
		if (l->items[i].rank > l->items[highest].rank)
			highest = i;
	first = l->items[0];
	l->items[0] = l->items[highest];
	l->items[highest] = first;
}

void kept_samples_add(struct kept_samples *l, uint64_t most, const struct kept_sample *s)
{
	if (l->len < most)
		vec_push(l, *s);
	else if (most && s->rank < l->items[0].rank)
		l->items[0] = *s;
	else
		return;
	if (l->len == most)
		highest_rank_first(l);
}

void part_keep(struct part *part, uint32_t entry, uint64_t most, const struct kept_sample *s)
{
	if (part->kept.len < part->entries.len)
		vec_add(&part->kept, part->entries.len - part->kept.len);
	kept_samples_add(&part->kept.items[entry], most, s);
}

/* ---- life ---- */

void part_init(struct part *part, size_t n_events)
{
	vec_add(&part->frames, 1);
	vec_add(&part->chains, 1);
	vec_add(&part->chain_ends, 1);
	if (!n_events)
		return;
	part->totals = xcalloc(n_events, sizeof(*part->totals));
	part->n_samples = xcalloc(n_events, sizeof(*part->n_samples));
}

struct profile *profile_new(struct session *s, const struct profile_opts *opts, const struct profile_filter *filter)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	p->session = s;
	p->opts = *opts;
	p->filter = filter;
	p->n_parts = advance_needed(s->pd) || (opts->want_trace && trace_plugins_wanted(s))
			     ? 1
			     : (unsigned)MAX(MIN(opts->threads, s->chunks.len), (size_t)1);
	p->parts = xcalloc(p->n_parts, sizeof(*p->parts));
	for (unsigned i = 0; i < p->n_parts; i++)
		part_init(&p->parts[i], s->pd->n_events);
	return p;
}

static void free_kept(struct part *part)
{
	for (size_t i = 0; i < part->kept.len; i++)
		vec_free(&part->kept.items[i]);
	vec_free(&part->kept);
}

void part_release(struct part *part)
{
	vec_free(&part->frames);
	idtable_free(&part->frame_index);
	vec_free(&part->outers);
	idtable_free(&part->outer_index);
	vec_free(&part->entries);
	vec_free(&part->places);
	vec_free(&part->measures);
	free_kept(part);
	idtable_free(&part->entry_index);
	vec_free(&part->chain_entries);
	vec_free(&part->chains);
	vec_free(&part->chain_ends);
	idtable_free(&part->chain_index);
	vec_free(&part->words);
	vec_free(&part->branches);
	free(part->totals);
	free(part->n_samples);
	texts_free(&part->texts);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < p->n_parts; i++)
		part_release(&p->parts[i]);
	free(p->parts);
	decoder_free(p->decoder);
	vec_free(&p->faded);
	vec_free(&p->frames);
	vec_free(&p->outers);
	vec_free(&p->sites);
	vec_free(&p->leaf_sites);
	vec_free(&p->chain_sites);
	vec_free(&p->chain_first);
	vec_free(&p->quality.rows);
	strtab_free(&p->names);
	access_free(p->access);
	free(p->types);
	texts_free(&p->texts);
	free(p);
}

/* ---- merge ---- */

/* The frame of a sort item. */
static const struct frame *ref_frame(const struct profile *p, const struct radix_item *item)
{
	return &p->parts[item->value >> 32].frames.items[(uint32_t)item->value];
}

/* Sort by dso, dso_off, ip and mode; the radix sort starts with the last of these. */
static void sort_frames(const struct profile *p, struct radix_item *refs, size_t n)
{
	autofree struct radix_item *spare = xmalloc(n * sizeof(*spare) + 1);

	for (int field = 0; field < 4; field++) {
		for (size_t i = 0; i < n; i++) {
			const struct frame *f = ref_frame(p, &refs[i]);

			refs[i].key = field == 0 ? f->mode : field == 1 ? f->ip : field == 2 ? f->dso_off : f->dso;
		}
		radix_sort(refs, spare, n);
	}
}

/*
 * Merge and sort all frames, so that their numbers do not depend on which worker met them first.
 * Fill maps: frame of a part -> frame of the profile.
 */
static void merge_frames(struct profile *p, uint32_t **maps)
{
	VEC(struct radix_item) refs = { 0 };

	for (unsigned i = 0; i < p->n_parts; i++) {
		maps[i] = xcalloc(p->parts[i].frames.len, sizeof(uint32_t));
		vec_reserve(&refs, refs.len + p->parts[i].frames.len);
		for (uint32_t k = 1; k < p->parts[i].frames.len; k++)
			refs.items[refs.len++].value = (uint64_t)i << 32 | k;
	}
	sort_frames(p, refs.items, refs.len);
	vec_add(&p->frames, 1);
	for (size_t i = 0; i < refs.len; i++) {
		const struct frame *frame = ref_frame(p, &refs.items[i]);
		struct frame *last = &p->frames.items[p->frames.len - 1];

		if (p->frames.len == 1 || !same_place(frame, last)) {
			vec_push(&p->frames, *frame);
			last = &p->frames.items[p->frames.len - 1];
		}
		last->map_size = MAX(last->map_size, frame->map_size);
		maps[refs.items[i].value >> 32][(uint32_t)refs.items[i].value] = (uint32_t)p->frames.len - 1;
	}
	vec_free(&refs);
	for (unsigned i = 0; i < p->n_parts; i++) {
		vec_free(&p->parts[i].frames);
		idtable_free(&p->parts[i].frame_index);
	}
}

static void merge_outers(struct profile *p, uint32_t **maps)
{
	struct part all = { 0 };
	size_t n = p->opts.n_keys;

	for (unsigned i = 0; i < p->n_parts; i++) {
		struct part *part = &p->parts[i];

		maps[i] = xcalloc(MAX(part->n_outers, 1u), sizeof(uint32_t));
		for (uint32_t k = 0; k < part->n_outers; k++)
			maps[i][k] = part_outer(&all, part->outers.items + k * n, n);
		vec_free(&part->outers);
		idtable_free(&part->outer_index);
		for (size_t k = 1; k < part->texts.table.texts.len; k++)
			texts_number(&p->texts, part->texts.table.texts.items[k]);
		texts_free(&part->texts);
	}
	p->n_outers = MAX(all.n_outers, 1u);
	vec_move(&p->outers, &all.outers);
	idtable_free(&all.outer_index);
}

/* ---- names ---- */

struct namer {
	struct profile *p;
	uint32_t **frame_maps, **outer_maps;
	uint32_t *symbols; /* frame -> symbol */
	struct dso_run {
		uint32_t from, to;
	} * runs; /* frames of one object */
	size_t n_runs;
	struct idtable site_index, graph_index;
	struct frame_names { /* what DWARF says about a frame */
		struct inline_frame *inlined;
		struct source_line line;
		uint32_t n_inlined;
	} * dwarf;
};

enum { INLINES_MAX = 128 };

/* Read so many objects at a time: most of the work is waiting for the disk. */
enum { FILES_PER_CPU = 4 };

static void name_run(void *ctx, size_t item, unsigned worker)
{
	struct namer *n = ctx;
	const struct dso_run *run = &n->runs[item];
	const struct frame *frames = n->p->frames.items + run->from;
	size_t count = run->to - run->from;
	uint32_t *symbols = n->symbols + run->from;
	uint64_t *offs;

	if (frames->dso == DSO_UNKNOWN || (frames->dso == DSO_KERNEL && n->p->opts.no_kernel_names) ||
	    progress_stopped(n->p->opts.progress))
		return;
	offs = xmalloc(count * sizeof(*offs));
	for (size_t i = 0; i < count; i++)
		offs[i] = frames[i].dso_off;
	dso_find_sorted(n->p->session->symbols, frames->dso, offs, symbols, count);
	for (size_t i = 0; n->p->opts.want_names && i < count; i++)
		if (symbols[i] && (!i || symbols[i] != symbols[i - 1]))
			symbol_name(n->p->session->symbols, frames->dso, symbols[i]);
	progress_add(n->p->opts.progress, count);
	free(offs);
}

static void find_runs(struct namer *n)
{
	const struct frame *frames = n->p->frames.items;
	VEC(struct dso_run) runs = { 0 };

	for (uint32_t i = 1; i < n->p->frames.len; i++) {
		if (i == 1 || frames[i].dso != frames[i - 1].dso)
			vec_push(&runs, (struct dso_run){ .from = i });
		runs.items[runs.len - 1].to = i + 1;
	}
	n->runs = runs.items;
	n->n_runs = runs.len;
}

/* Read DWARF in batches of frames, so that one big object keeps all workers busy. */
enum { DWARF_BATCH = 64 };

static void name_by_dwarf(void *ctx, size_t item, unsigned worker)
{
	struct namer *n = ctx;
	struct profile *p = n->p;
	struct symbols *s = p->session->symbols;
	size_t end = progress_stopped(p->opts.progress) ? 0 : MIN((item + 1) * DWARF_BATCH, p->frames.len);

	for (size_t i = MAX(item * DWARF_BATCH, (size_t)1); i < end; i++) {
		const struct frame *f = &p->frames.items[i];
		struct frame_names *names = &n->dwarf[i];
		struct inline_frame found[INLINES_MAX];
		struct source_line outer = { 0 };
		size_t count;

		if (!n->symbols[i])
			continue;
		count = p->opts.inlines ? dso_inlines(s, f->dso, f->dso_off, found, INLINES_MAX, &outer) : 0;
		if (count) {
			names->inlined = xmalloc(count * sizeof(*found));
			memcpy(names->inlined, found, count * sizeof(*found));
			names->n_inlined = (uint32_t)count;
			names->line = outer;
		} else if (p->opts.want_lines || p->opts.by_line) {
			dso_source_line(s, f->dso, f->dso_off, &names->line);
		}
	}
	progress_add(p->opts.progress, DWARF_BATCH);
}

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
 * Call graphs merge frames of one function, and inlined calls with the same name. An address
 * without a symbol stays by itself.
 */
static uint32_t graph_number(struct namer *n, const struct site *s)
{
	struct profile *p = n->p;
	uint64_t hash = s->inlined ? hash_u64((uintptr_t)s->inlined)
				   : hash_mix((uint64_t)s->dso << 32 | s->symbol, s->symbol ? 0 : s->ip);
	struct idtable_probe probe;
	uint32_t id;

	if (p->opts.graph_by == GRAPH_BY_ADDRESS)
		hash = hash_mix(s->dso, s->ip);
	else if (p->opts.graph_by == GRAPH_BY_LINE && s->line_file)
		hash = hash_mix((uintptr_t)s->line_file, s->line);
	probe = idtable_probe(&n->graph_index, hash);
	id = idtable_next(&n->graph_index, &probe);
	if (!id) {
		id = ++p->n_graph;
		idtable_add(&n->graph_index, hash, id);
	}
	return id;
}

static uint32_t site_number(struct namer *n, struct site s)
{
	struct profile *p = n->p;
	uint64_t hash = site_hash(p, &s);
	struct idtable_probe probe = idtable_probe(&n->site_index, hash);
	uint32_t id;

	while ((id = idtable_next(&n->site_index, &probe)))
		if (same_site(p, &p->sites.items[id], &s))
			return id;
	s.graph = graph_number(n, &s);
	vec_push(&p->sites, s);
	id = (uint32_t)p->sites.len - 1;
	idtable_add(&n->site_index, hash, id);
	return id;
}

/* Intern a name, so that equal names are equal pointers. */
static const char *keep(struct profile *p, const char *name)
{
	return name ? strtab_get(&p->names, strtab_intern(&p->names, name)) : NULL;
}

/* Take the frames in their order, so that site numbers do not depend on the workers. */
static void make_sites(struct namer *n)
{
	struct profile *p = n->p;

	vec_add(&p->sites, 1);
	vec_add(&p->leaf_sites, p->frames.len);
	vec_add(&p->chain_first, p->frames.len + 1);
	for (uint32_t i = 1; i < p->frames.len; i++) {
		const struct frame *f = &p->frames.items[i];
		const struct frame_names *d = n->dwarf ? &n->dwarf[i] : &(struct frame_names){ 0 };
		struct site s = { .dso = f->dso,
				  .symbol = n->symbols[i],
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
			vec_push(&p->chain_sites, site_number(n, in));
		}
		s.line_file = keep(p, d->line.file);
		s.line = d->line.line;
		s.address = f->ip;
		if (s.symbol || !p->filter->hide_unresolved)
			vec_push(&p->chain_sites, site_number(n, s));
		if (!s.symbol && p->opts.kind != PROFILE_BRANCHES)
			s.address = f->dso_off;
		if (d->n_inlined) { /* the sampled address itself has the line of the innermost inlined call */
			s.line_file = keep(p, d->inlined[0].at.file);
			s.line = d->inlined[0].at.line;
		}
		s.leaf = !s.symbol || d->n_inlined;
		p->leaf_sites.items[i] = site_number(n, s);
	}
	p->chain_first.items[p->frames.len] = (uint32_t)p->chain_sites.len;
}

/* Turn the frames of a chain into sites, in the order of display. */
static void chain_to_sites(const struct profile *p, const uint32_t *map, const uint32_t *words, size_t n, uint32_t *to)
{
	const uint32_t *first = p->chain_first.items, *sites = p->chain_sites.items;

	for (size_t i = 0; i < n; i++) {
		uint32_t frame = map[words[p->opts.caller_first ? n - 1 - i : i]];
		uint32_t from = first[frame], count = first[frame + 1] - from;

		if (p->opts.caller_first)
			while (count--)
				*to++ = sites[from + count];
		else
			while (count--)
				*to++ = sites[from++];
	}
}

static size_t chain_length(const struct profile *p, const uint32_t *map, const uint32_t *words, size_t n)
{
	size_t length = 0;

	for (size_t i = 0; i < n; i++)
		length += p->chain_first.items[map[words[i]] + 1] - p->chain_first.items[map[words[i]]];
	return length;
}

/*
 * Collects chains of sites. If no chain gets longer, they overwrite the chains of frames, which
 * saves memory.
 */
struct collector {
	bool in_place;
	bool apart; /* do not merge equal chains */
	struct part *part;
	VEC(struct chain) chains;
	VEC(uint32_t) words;
	struct idtable index;
};

static uint32_t collect_chain(struct collector *c, const uint32_t *sites, size_t n)
{
	uint64_t hash = hash_bytes(sites, n * sizeof(*sites), 0);
	struct idtable_probe probe = idtable_probe(&c->index, hash);
	uint32_t *base = c->in_place ? c->part->words.items : c->words.items;
	uint32_t id;

	n = MIN(n, (size_t)CHAIN_SITES_MAX);
	while (!c->apart && (id = idtable_next(&c->index, &probe)))
		if (c->chains.items[id].n == n && !memcmp(base + c->chains.items[id].at, sites, n * sizeof(*sites)))
			return id;
	id = (uint32_t)c->chains.len;
	vec_push(&c->chains, (struct chain){ .at = c->words.len, .n = (uint32_t)n });
	if (!c->apart)
		idtable_add(&c->index, hash, id);
	if (c->in_place) {
		memcpy(base + c->words.len, sites, n * sizeof(*sites));
		c->words.len += n;
	} else {
		memcpy(vec_add(&c->words, n), sites, n * sizeof(*sites));
	}
	return id;
}

/* With sums over branches, chains keep their frames and only change their order. */
static void turn_branches(const struct profile *p, struct part *part, const struct chain *from, size_t n)
{
	VEC(struct branch_sums) turned = { 0 };

	for (size_t i = 1; i < n; i++)
		for (size_t k = 0; k < from[i].n; k++)
			vec_push(&turned,
				 part->branches.items[from[i].at + (p->opts.caller_first ? from[i].n - 1 - k : k)]);
	vec_move(&part->branches, &turned);
}

/* Collect the distinct chains of sites; `numbers`: chain of frames -> chain of sites. */
static void sum_chains(const struct profile *p, struct part *part, const uint32_t *map, uint32_t *numbers)
{
	struct collector c = { .in_place = p->chain_sites.len + 1 == p->frames.len,
			       .apart = p->opts.branch_history,
			       .part = part };
	VEC(uint32_t) scratch = { 0 };

	vec_add(&c.chains, 1);
	for (uint32_t i = 1; i < part->chains.len; i++) {
		const uint32_t *from = part->words.items + part->chains.items[i].at;
		size_t n = part->chains.items[i].n, length = c.in_place ? n : chain_length(p, map, from, n);

		vec_reserve(&scratch, length);
		chain_to_sites(p, map, from, n, scratch.items);
		numbers[i] = collect_chain(&c, scratch.items, length);
	}
	if (p->opts.branch_history)
		turn_branches(p, part, part->chains.items, part->chains.len);
	vec_move(&part->chains, &c.chains);
	if (c.in_place)
		part->words.len = c.words.len;
	else
		vec_move(&part->words, &c.words);
	vec_free(&scratch);
	idtable_free(&c.index);
}

static struct sampled_place *get_place(struct part *part, uint32_t *first, uint32_t frame, uint32_t event)
{
	for (uint32_t id = first[frame]; id; id = part->places.items[id - 1].next)
		if (part->places.items[id - 1].event == event)
			return &part->places.items[id - 1];
	vec_push(&part->places, (struct sampled_place){ .frame = frame, .event = event, .next = first[frame] });
	first[frame] = (uint32_t)part->places.len;
	return &part->places.items[part->places.len - 1];
}

/* Sum per address. Call it while entries still hold frames. */
static void sum_places(const struct profile *p, struct part *part, const uint32_t *frames)
{
	uint32_t *first = xcalloc(p->frames.len, sizeof(*first));

	for (size_t i = 0; i < part->entries.len; i++) {
		const struct entry *e = &part->entries.items[i];
		struct sampled_place *place = get_place(part, first, frames[e->self], e->event);

		place->samples += e->samples;
		place->period += e->period;
	}
	free(first);
}

/* Change entries from frames to sites, and merge those that become equal. */
static void sum_entries(const struct profile *p, struct part *part, const uint32_t *frames, const uint32_t *outers,
			const uint32_t *chains)
{
	struct part summed = { 0 };

	idtable_free(&part->entry_index);
	vec_free(&part->chain_entries);
	for (size_t i = 0; i < part->entries.len; i++) {
		struct entry e = part->entries.items[i];
		uint32_t number;

		e.outer = outers[e.outer];
		e.self = p->leaf_sites.items[frames[e.self]];
		e.other = p->leaf_sites.items[frames[e.other]];
		e.chain = chains[e.chain];
		number = part_add(&summed, &e);
		if (p->opts.want_measures)
			part_measure(&summed, number, &part->measures.items[i]);
		for (size_t k = 0; i < part->kept.len && k < part->kept.items[i].len; k++)
			part_keep(&summed, number, p->opts.keep_samples, &part->kept.items[i].items[k]);
	}
	free_kept(part);
	vec_move(&part->kept, &summed.kept);
	vec_move(&part->measures, &summed.measures);
	vec_move(&part->entries, &summed.entries);
	idtable_free(&summed.entry_index);
	vec_free(&summed.chain_entries);
}

static void sum_part(void *ctx, size_t item, unsigned worker)
{
	struct namer *n = ctx;
	struct part *part = &n->p->parts[item];
	uint32_t *chains = xcalloc(part->chains.len, sizeof(*chains));

	idtable_free(&part->chain_index);
	sum_chains(n->p, part, n->frame_maps[item], chains);
	if (n->p->opts.keep_places)
		sum_places(n->p, part, n->frame_maps[item]);
	sum_entries(n->p, part, n->frame_maps[item], n->outer_maps[item], chains);
	free(chains);
}

bool profile_is_alone(const struct profile *p)
{
	uint64_t alone = 0, all = 0;

	for (unsigned i = 0; i < p->n_parts; i++) {
		alone += p->parts[i].n_alone;
		for (size_t k = 0; k < p->session->pd->n_events; k++)
			all += p->parts[i].n_samples[k];
	}
	return 100 * alone / MAX(all, (uint64_t)1) >= 99;
}

void profile_decode(struct profile *p)
{
	decode_run(p);
	for (unsigned i = 0; !p->opts.no_notes && i < p->n_parts; i++) {
		p->session->notes.format.unknown_ids += p->parts[i].notes.unknown_ids;
		p->session->notes.format.bad_samples += p->parts[i].notes.bad_samples;
	}
}

void profile_name(struct profile *p)
{
	struct namer n = { .p = p };

	n.frame_maps = xcalloc(p->n_parts, sizeof(*n.frame_maps));
	n.outer_maps = xcalloc(p->n_parts, sizeof(*n.outer_maps));
	merge_frames(p, n.frame_maps);
	merge_outers(p, n.outer_maps);
	n.symbols = xcalloc(p->frames.len, sizeof(*n.symbols));
	find_runs(&n);
	progress_begin(p->opts.progress, "reading symbols", p->frames.len);
	parallel_for(n.n_runs, p->opts.threads > 1 ? FILES_PER_CPU * p->opts.threads : 1, name_run, &n);
	if (p->opts.inlines || p->opts.want_lines || p->opts.by_line) {
		n.dwarf = xcalloc(p->frames.len, sizeof(*n.dwarf));
		progress_begin(p->opts.progress, "reading debug information", p->frames.len);
		parallel_for((p->frames.len + DWARF_BATCH - 1) / DWARF_BATCH, p->opts.threads, name_by_dwarf, &n);
	}
	make_sites(&n);
	if (p->opts.want_types)
		profile_find_types(p);
	if (p->opts.kind != PROFILE_BRANCHES && !p->opts.no_quality)
		quality_sum(p, n.frame_maps, n.symbols);
	parallel_for(p->n_parts, p->n_parts, sum_part, &n);
	for (unsigned i = 0; i < p->n_parts; i++) {
		free(n.frame_maps[i]);
		free(n.outer_maps[i]);
	}
	for (size_t i = 0; n.dwarf && i < p->frames.len; i++)
		free(n.dwarf[i].inlined);
	free(n.dwarf);
	free(n.frame_maps);
	free(n.outer_maps);
	free(n.symbols);
	free(n.runs);
	idtable_free(&n.site_index);
	idtable_free(&n.graph_index);
}
