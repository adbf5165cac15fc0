/* Sum samples by function: those in the function itself, and those in it or its callees. */
#include "report/brief/brief_priv.h"

/* Does a function with this name, in a C library or the kernel, copy or fill memory? */
static bool copies_memory(const char *name)
{
	static const char *const parts[] = { "memcpy", "memmove", "memset", "copy_user", "clear_page", "copy_page" };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strstr(name, parts[i]))
			return true;
	return false;
}

/* Do threads or processes begin in a function with this name, in a C library or the kernel? */
static bool starts_threads(const char *name)
{
	static const char *const names[] = {
		"_start",   "__libc_start_call_main", "start_thread",      "thread_start", "clone", "clone3", "__clone",
		"__clone3", "ret_from_fork",          "ret_from_fork_asm", "kthread"
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return !strncmp(name, "__libc_start_main", 17) || !strncmp(name, "entry_SYSCALL_64", 16);
}

static const char *site_name(const struct brief *b, const struct site *s)
{
	return s->inlined ? s->inlined : symbol_name(b->session->symbols, s->dso, s->symbol);
}

static uint64_t name_hash(const struct brief *b, const struct site *s)
{
	const char *name = site_name(b, s);

	return hash_mix(hash_bytes(name, strlen(name), 0), s->symbol || s->inlined ? s->dso : ~(uint64_t)s->dso);
}

static bool is_function(const struct brief *b, const struct brief_function *f, const struct site *s)
{
	return b->profile->sites.items[f->site].dso == s->dso && !strcmp(f->name, site_name(b, s));
}

static uint32_t function_of_site(struct brief *b, struct idtable *index, uint32_t site)
{
	const struct site *s = &b->profile->sites.items[site];
	uint64_t hash = name_hash(b, s);
	struct idtable_probe p = idtable_probe(index, hash);
	uint32_t id;

	while ((id = idtable_next(index, &p)))
		if (is_function(b, &b->functions.items[id - 1], s))
			return id;
	vec_push(&b->functions,
		 (struct brief_function){ .site = site,
					  .name = site_name(b, s),
					  .object = dso_short_name(b->session->symbols, s->dso),
					  .copies = copies_memory(site_name(b, s)),
					  .starts = (!s->symbol && !s->inlined) || starts_threads(site_name(b, s)),
					  .kernel = s->mode == CPUMODE_KERNEL });
	idtable_add(index, hash, (uint32_t)b->functions.len);
	return (uint32_t)b->functions.len;
}

/* Return the function of an entry's innermost frame, NULL = none. */
static struct brief_function *brief_self(const struct brief *b, const struct entry *x)
{
	uint32_t id = b->of_site[x->self];

	return id ? &b->functions.items[id - 1] : NULL;
}

static void count(struct brief *b, uint32_t site, uint64_t period, size_t stamp)
{
	struct brief_function *f = b->of_site[site] ? &b->functions.items[b->of_site[site] - 1] : NULL;

	if (!f || f->stamp == stamp)
		return;
	f->stamp = stamp;
	f->total += period;
}

static void sum_entry(struct brief *b, const struct part *part, const struct entry *x, size_t stamp)
{
	const struct chain *c = &part->chains.items[x->chain];
	struct brief_function *self = brief_self(b, x);

	b->samples += x->samples;
	b->period += x->period;
	if (self)
		self->self += x->period;
	count(b, x->self, x->period, stamp);
	for (size_t i = 0; i < c->n; i++)
		count(b, part->words.items[c->at + i], x->period, stamp);
}

static int by_self(const void *a, const void *b, void *ctx)
{
	const struct brief_function *f = ctx, *x = &f[*(const uint32_t *)a], *y = &f[*(const uint32_t *)b];

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int by_total(const void *a, const void *b, void *ctx)
{
	const struct brief_function *f = ctx, *x = &f[*(const uint32_t *)a], *y = &f[*(const uint32_t *)b];

	if (x->starts != y->starts)
		return x->starts - y->starts;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return strcmp(x->name, y->name);
}

static uint32_t *in_order(struct brief *b, int (*compare)(const void *, const void *, void *))
{
	uint32_t *order = xcalloc(b->functions.len + 1, sizeof(*order));

	for (uint32_t i = 0; i < b->functions.len; i++)
		order[i] = i;
	if (b->functions.len)
		qsort_r(order, b->functions.len, sizeof(*order), compare, b->functions.items);
	return order;
}

void brief_sum_functions(struct brief *b)
{
	const struct profile *p = b->profile;
	struct idtable index = { 0 };
	size_t stamp = 0;

	b->of_site = xcalloc(p->sites.len + 1, sizeof(*b->of_site));
	for (uint32_t i = 1; i < p->sites.len; i++)
		b->of_site[i] = function_of_site(b, &index, i);
	idtable_free(&index);
	for (unsigned k = 0; k < p->n_parts; k++)
		for (size_t i = 0; i < p->parts[k].entries.len; i++)
			if (p->parts[k].entries.items[i].event == b->event)
				sum_entry(b, &p->parts[k], &p->parts[k].entries.items[i], ++stamp);
	b->by_self = in_order(b, by_self);
	b->by_total = in_order(b, by_total);
}

uint64_t brief_period_below(const struct brief *b, const struct profile *p, const struct brief_function *f)
{
	autofree bool *in = xcalloc(p->sites.len + 1, sizeof(*in));
	uint64_t sum = 0;

	for (uint32_t i = 1; i < p->sites.len; i++)
		in[i] = p->sites.items[i].dso == b->profile->sites.items[f->site].dso &&
			!strcmp(site_name(b, &p->sites.items[i]), f->name);
	for (unsigned k = 0; k < p->n_parts; k++)
		for (size_t i = 0; i < p->parts[k].entries.len; i++) {
			const struct entry *x = &p->parts[k].entries.items[i];
			const struct chain *c = &p->parts[k].chains.items[x->chain];
			bool below = in[x->self];

			for (size_t n = 0; n < c->n && !below; n++)
				below = in[p->parts[k].words.items[c->at + n]];
			sum += below && x->event == b->event ? x->period : 0;
		}
	return sum;
}

/* ---- paths ---- */

/* Return the function `depth` frames outside of the innermost one; NULL: the chain is shorter. */
static const struct brief_function *caller(const struct brief *b, const struct part *part, const struct entry *x,
					   size_t depth)
{
	const struct chain *c = &part->chains.items[x->chain];
	const struct brief_function *last = brief_self(b, x);

	for (size_t i = 0; i < c->n; i++) {
		uint32_t id = b->of_site[part->words.items[c->at + i]];
		const struct brief_function *f = id ? &b->functions.items[id - 1] : NULL;

		if (!f || f == last)
			continue;
		last = f;
		if (!--depth)
			return f;
	}
	return NULL;
}

static bool follows(const struct brief *b, const struct part *part, const struct entry *x,
		    const struct brief_function *const *path, size_t n)
{
	if (x->event != b->event || brief_self(b, x) != path[0])
		return false;
	for (size_t i = 1; i < n; i++)
		if (caller(b, part, x, i) != path[i])
			return false;
	return true;
}

/* Return the caller of the path with the most samples, if it has nearly all of them. */
static const struct brief_function *next_of(const struct brief *b, const struct brief_function *const *path, size_t n)
{
	autofree uint64_t *periods = xcalloc(b->functions.len + 1, sizeof(*periods));
	const struct profile *p = b->profile;
	const struct brief_function *best = NULL;
	uint64_t most = 0;

	for (unsigned k = 0; k < p->n_parts; k++)
		for (size_t i = 0; i < p->parts[k].entries.len; i++) {
			const struct entry *x = &p->parts[k].entries.items[i];
			const struct brief_function *f =
				follows(b, &p->parts[k], x, path, n) ? caller(b, &p->parts[k], x, n) : NULL;

			if (!f)
				continue;
			periods[f - b->functions.items] += x->period;
			if (periods[f - b->functions.items] > most) {
				most = periods[f - b->functions.items];
				best = f;
			}
		}
	return most >= path[0]->self - path[0]->self / 10 ? best : NULL;
}

size_t brief_path(const struct brief *b, const struct brief_function *f, const struct brief_function **path, size_t max)
{
	size_t n = 0;

	if (!f->self)
		return 0;
	for (path[n++] = f; n < max; n++) {
		path[n] = next_of(b, path, n);
		for (size_t i = 0; path[n] && i < n; i++)
			if (path[i] == path[n]) /* recursion */
				return n;
		if (!path[n] || path[n]->starts)
			break;
	}
	return n;
}
