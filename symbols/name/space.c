/*
 * Address spaces over time. A space is a list of maps in time order; an exec starts another space.
 * A map hides older ones where they overlap. So the map at an address and time is the last
 * change up to that time that covers the address. Nothing is split or removed, and every time
 * stays answerable.
 *
 * A short list is searched backwards. Longer lists get an index, a segment tree over the
 * addresses: each map is noted in the O(log n) tree nodes that make up its range, in time
 * order. The nodes over an address lie on one path from root to leaf. In each of them, a binary
 * search finds the last note before the time.
 */
#include "base/search.h"
#include "symbols/name/symbols_priv.h"

enum { SHORT_LIST = 24, MAX_DEPTH = 64 };

struct change {
	/* end is exclusive, but a map up to the last address ends at UINT64_MAX */
	uint64_t time_ns, start, end, pgoff;
	uint32_t dso, prot, flags;
};

struct index {
	uint64_t *bounds;        /* sorted, distinct; leaf i covers [bounds[i], bounds[i + 1]) */
	uint32_t n_leaves, size; /* size: leaves rounded up to a power of two */
	uint32_t *first;         /* node -> its first note; 2 * size + 1 of them */
	uint32_t *notes;         /* numbers of changes, ascending per node */
	uint32_t n_changes;      /* how many of the space's changes it covers */
};

struct space {
	uint32_t parent, depth;
	uint32_t inherited; /* how many changes of the parent are visible */
	uint64_t last_ns;
	VEC(struct change) changes;
	struct index index;
	bool changed; /* its number is in changed_spaces */
};

static struct space *get_space(const struct symbols *s, uint32_t space)
{
	struct space *p = space < s->spaces.len ? s->spaces.items[space] : NULL;

	return p ? p : s->spaces.items[SPACE_NONE];
}

static void note_change(struct symbols *s, uint32_t space)
{
	struct space *p = s->spaces.items[space];

	if (p && !p->changed)
		vec_push(&s->changed_spaces, space);
	if (p)
		p->changed = true;
}

static void index_release(struct index *x)
{
	free(x->bounds);
	free(x->first);
	free(x->notes);
	*x = (struct index){ 0 };
}

static void space_free(struct space *p)
{
	if (!p)
		return;
	vec_free(&p->changes);
	index_release(&p->index);
	free(p);
}

void spaces_free(struct symbols *s)
{
	for (size_t i = 0; i < s->spaces.len; i++)
		space_free(s->spaces.items[i]);
	vec_free(&s->spaces);
}

/* Count the changes up to a time. */
static uint32_t changes_until(const struct space *p, uint64_t time_ns)
{
	if (time_ns >= p->last_ns)
		return (uint32_t)p->changes.len;
	return (uint32_t)vec_count_up_to(&p->changes, time_ns, time_ns);
}

uint32_t space_version(const struct symbols *s, uint32_t space, uint64_t time_ns)
{
	return changes_until(get_space(s, space), time_ns);
}

/* ---- forks ---- */

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint32_t sorted_distinct(uint64_t *v, size_t n)
{
	size_t out = 0;

	qsort(v, n, sizeof(*v), compare_u64);
	for (size_t i = 0; i < n; i++)
		if (!i || v[i] != v[i - 1])
			v[out++] = v[i];
	return (uint32_t)out;
}

/* Return the number of the last bound <= address, or -1. */
static int64_t bound_at(const uint64_t *bounds, uint32_t n, uint64_t address)
{
	return (int64_t)search_u64(bounds, sizeof(*bounds), n, address) - 1;
}

static uint32_t next_open(uint32_t *next, uint32_t i)
{
	while (next[i] != i)
		i = next[i] = next[next[i]];
	return i;
}

struct change_list {
	VEC(struct change);
};

/*
 * List the visible maps among the first `seen` of `q` and those that `q` inherits. Walk from the
 * newest map back, and keep those that are still visible somewhere; `next` skips the ranges that
 * newer maps cover.
 */
static void list_visible(const struct symbols *s, const struct space *q, uint32_t seen, struct change_list *to)
{
	VEC(struct change) all = { 0 };
	uint64_t *bounds;
	uint32_t *next, n;
	size_t kept = 0;

	for (;; q = get_space(s, q->parent)) {
		for (uint32_t i = seen; i-- > 0;)
			vec_push(&all, q->changes.items[i]);
		if (!q->parent)
			break;
		seen = q->inherited;
	}
	bounds = xmalloc((2 * all.len + 1) * sizeof(*bounds));
	for (size_t i = 0; i < all.len; i++) {
		bounds[2 * i] = all.items[i].start;
		bounds[2 * i + 1] = all.items[i].end;
	}
	n = sorted_distinct(bounds, 2 * all.len);
	next = xmalloc((n + 1) * sizeof(*next));
	for (uint32_t i = 0; i <= n; i++)
		next[i] = i;
	for (size_t i = 0; i < all.len; i++) {
		uint32_t at = next_open(next, (uint32_t)bound_at(bounds, n, all.items[i].start));
		uint32_t end = (uint32_t)bound_at(bounds, n, all.items[i].end);
		bool visible = at < end;

		for (; at < end; at = next_open(next, at))
			next[at] = at + 1;
		if (visible)
			all.items[kept++] = all.items[i];
	}
	vec_reserve(to, kept);
	for (size_t i = kept; i-- > 0;) {
		all.items[i].time_ns = 0;
		vec_push(to, all.items[i]);
	}
	vec_free(&all);
	free(bounds);
	free(next);
}

/* Replace the maps of a space at all times. */
static void replace_maps(struct space *p, const struct change_list *by)
{
	vec_free(&p->changes);
	p->changes.items = by->items;
	p->changes.len = by->len;
	p->changes.cap = by->cap;
	p->parent = p->depth = p->inherited = 0;
	index_release(&p->index);
}

static void mark_dsos(const struct space *p, bool *dsos)
{
	for (size_t i = 0; i < p->changes.len; i++)
		dsos[p->changes.items[i].dso] = true;
}

void spaces_sweep(struct symbols *s, const bool *used, bool *dsos)
{
	autofree struct change_list *lists = xcalloc(s->spaces.len, sizeof(*lists));

	/* First list for each space what it inherits; then the parents may go. */
	for (size_t i = SPACE_KERNEL; i < s->spaces.len; i++) {
		const struct space *p = s->spaces.items[i];

		if (p && (i <= SPACE_GUEST_KERNEL || used[i]))
			list_visible(s, p, (uint32_t)p->changes.len, &lists[i]);
	}
	for (size_t i = SPACE_KERNEL; i < s->spaces.len; i++) {
		struct space *p = s->spaces.items[i];

		if (!p)
			continue;
		if (i <= SPACE_GUEST_KERNEL || used[i]) {
			replace_maps(p, &lists[i]);
			note_change(s, (uint32_t)i);
			p->last_ns = 0;
			mark_dsos(p, dsos);
			continue;
		}
		space_free(p);
		s->spaces.items[i] = NULL;
		vec_push(&s->free_spaces, (uint32_t)i);
	}
}

uint32_t space_new(struct symbols *s, uint32_t parent, uint64_t time_ns)
{
	struct space *p = xcalloc(1, sizeof(*p));

	p->last_ns = time_ns;
	if (parent && parent < s->spaces.len && s->spaces.items[parent]) {
		const struct space *above = s->spaces.items[parent];

		p->parent = parent;
		p->inherited = (uint32_t)above->changes.len;
		p->depth = above->depth + 1;
		/* Skip a parent that changed nothing. This keeps lookups short. */
		if (!above->changes.len) {
			p->parent = above->parent;
			p->inherited = above->inherited;
			p->depth = above->depth;
		}
		if (p->depth > MAX_DEPTH) {
			struct change_list all = { 0 };

			list_visible(s, get_space(s, p->parent), p->inherited, &all);
			replace_maps(p, &all);
		}
	}
	if (s->free_spaces.len) {
		uint32_t id = s->free_spaces.items[--s->free_spaces.len];

		s->spaces.items[id] = p;
		note_change(s, id);
		return id;
	}
	vec_push(&s->spaces, p);
	note_change(s, (uint32_t)s->spaces.len - 1);
	return (uint32_t)s->spaces.len - 1;
}

size_t symbols_n_spaces(const struct symbols *s) { return s->spaces.len; }

/* ---- changes ---- */

void space_map(struct symbols *s, uint32_t space, const struct map_args *m)
{
	struct space *p = get_space(s, space);
	struct dso *d = symbols_get_dso(s, m->dso);
	uint64_t len = m->len;

	if (d->kind == DSO_KIND_KERNEL && !m->start && !len)
		len = UINT64_MAX;
	if (space == SPACE_NONE || !len || p->changes.len == UINT32_MAX)
		return;
	if (d->kind == DSO_KIND_KERNEL && !d->start && d->ref_name)
		d->start = m->pgoff;
	if (d->kind == DSO_KIND_MODULE) {
		d->start = m->start;
		d->len = len;
	}
	p->last_ns = MAX(p->last_ns, m->time_ns);
	note_change(s, space < s->spaces.len ? space : SPACE_NONE);
	vec_push(&p->changes, (struct change){
				      .time_ns = p->last_ns,
				      .start = m->start,
				      .end = len > UINT64_MAX - m->start ? UINT64_MAX : m->start + len,
				      .pgoff = d->kind == DSO_KIND_VDSO ? 0 : m->pgoff,
				      .dso = m->dso,
				      .prot = m->prot,
				      .flags = m->flags,
			      });
}

static int compare_maps(const void *a, const void *b)
{
	const struct map_args *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

size_t space_maps(const struct symbols *s, uint32_t space, struct map_args *maps, size_t max)
{
	const struct space *p = get_space(s, space);
	uint32_t seen = (uint32_t)p->changes.len;
	VEC(struct map_args) all = { 0 };
	size_t n;

	for (;; p = get_space(s, p->parent)) {
		for (uint32_t i = 0; i < seen; i++) {
			const struct change *c = &p->changes.items[i];

			vec_push(&all, (struct map_args){ c->time_ns, c->start, c->end - c->start, c->pgoff, c->dso,
							  c->prot, c->flags });
		}
		if (!p->parent)
			break;
		seen = p->inherited;
	}
	n = all.len;
	if (n) {
		qsort(all.items, n, sizeof(*all.items), compare_maps);
		if (max)
			memcpy(maps, all.items, MIN(n, max) * sizeof(*maps));
	}
	vec_free(&all);
	return n;
}

/* ---- the index ---- */

/*
 * Visit the nodes whose ranges make up leaves [from, to). In the first pass count in first[node
 * + 1]; once `notes` exists, add the note.
 */
static void note(struct index *x, uint32_t from, uint32_t to, uint32_t change)
{
	for (from += x->size, to += x->size; from < to; from /= 2, to /= 2) {
		uint32_t nodes[2] = { from & 1 ? from++ : 0, to & 1 ? --to : 0 };

		for (int i = 0; i < 2; i++) {
			if (nodes[i] && x->notes)
				x->notes[x->first[nodes[i]]++] = change;
			else if (nodes[i])
				x->first[nodes[i] + 1]++;
		}
	}
}

static void note_all(struct index *x, const struct space *p)
{
	for (uint32_t i = 0; i < x->n_changes; i++) {
		const struct change *c = &p->changes.items[i];

		note(x, (uint32_t)bound_at(x->bounds, x->n_leaves, c->start),
		     (uint32_t)bound_at(x->bounds, x->n_leaves, c->end), i);
	}
}

static void build(struct space *p)
{
	struct index *x = &p->index;
	size_t n = p->changes.len;
	uint64_t sum = 0;

	index_release(x);
	x->n_changes = (uint32_t)n;
	x->bounds = xmalloc(2 * n * sizeof(*x->bounds));
	for (size_t i = 0; i < n; i++) {
		x->bounds[2 * i] = p->changes.items[i].start;
		x->bounds[2 * i + 1] = p->changes.items[i].end;
	}
	x->n_leaves = sorted_distinct(x->bounds, 2 * n);
	for (x->size = 1; x->size < x->n_leaves; x->size *= 2)
		;
	x->first = xcalloc(2 * (size_t)x->size + 2, sizeof(*x->first));
	note_all(x, p);
	for (size_t i = 0; i < 2 * (size_t)x->size + 2; i++) {
		sum += x->first[i];
		x->first[i] = (uint32_t)sum;
	}
	if (sum >= UINT32_MAX) { /* more maps than fit into memory */
		index_release(x);
		return;
	}
	x->notes = xmalloc((sum + 1) * sizeof(*x->notes));
	note_all(x, p);
	/* Filling moved each node's start to its end, which is the next node's start. */
	memmove(x->first + 1, x->first, (2 * (size_t)x->size + 1) * sizeof(*x->first));
	x->first[0] = 0;
}

void spaces_freeze(struct symbols *s)
{
	for (size_t i = 0; i < s->changed_spaces.len; i++) {
		struct space *p = s->spaces.items[s->changed_spaces.items[i]];

		if (!p)
			continue;
		p->changed = false;
		/* A live view adds little each time: search a short tail without an index. */
		if (p->changes.len > SHORT_LIST &&
		    p->changes.len - p->index.n_changes > MAX(SHORT_LIST, p->index.n_changes / 8))
			build(p);
	}
	vec_clear(&s->changed_spaces);
}

/* ---- lookup ---- */

/* Return the last of the first `to` changes that covers the address, or -1. */
static int64_t find_indexed(const struct index *x, uint64_t address, uint32_t to)
{
	int64_t leaf = bound_at(x->bounds, x->n_leaves, address), best = -1;

	if (leaf < 0)
		return -1;
	for (uint32_t node = (uint32_t)leaf + x->size; node; node /= 2) {
		const uint32_t *notes = x->notes + x->first[node];
		size_t n = search_count(i, x->first[node + 1] - x->first[node], notes[i] < to);

		if (n)
			best = MAX(best, (int64_t)notes[n - 1]);
	}
	return best;
}

static int64_t find_change(const struct space *p, uint64_t address, uint32_t to)
{
	uint32_t indexed = MIN(to, p->index.n_changes);

	for (uint32_t i = to; i-- > indexed;)
		if (address >= p->changes.items[i].start && address < p->changes.items[i].end)
			return i;
	return indexed ? find_indexed(&p->index, address, indexed) : -1;
}

/*
 * Find kernel code outside the recorded map (trampolines, early code). The kernel's symbols
 * show how far it reaches.
 */
static bool find_kernel(const struct symbols *s, uint64_t address, struct map_hit *hit)
{
	uint64_t start, end;

	/* loading changes nothing that callers see */
	if (!dso_span((struct symbols *)s, DSO_KERNEL, &start, &end) || address < start || address >= end)
		return false;
	*hit = (struct map_hit){ DSO_KERNEL, address, start, end - start, 0 };
	return true;
}

bool space_find(const struct symbols *s, uint32_t space, uint64_t time_ns, uint64_t addr, struct map_hit *hit)
{
	const struct space *p = get_space(s, space);
	uint32_t seen = changes_until(p, time_ns);
	const struct change *c;
	int64_t found;

	while ((found = find_change(p, addr, seen)) < 0) {
		if (!p->parent)
			return space == SPACE_KERNEL && seen && find_kernel(s, addr, hit);
		seen = p->inherited;
		p = get_space(s, p->parent);
	}
	c = &p->changes.items[found];
	*hit = (struct map_hit){ c->dso, addr - c->start + c->pgoff, c->start, c->end - c->start, c->pgoff };
	switch (symbols_get_dso(s, c->dso)->kind) {
	case DSO_KIND_KERNEL:
	case DSO_KIND_KSYMBOL:
	case DSO_KIND_JIT:
	case DSO_KIND_JIT_CODE:
	case DSO_KIND_ANON: hit->dso_off = addr; break;
	default: break;
	}
	return true;
}
