/* Sum up objects of the kernel's slab allocator, by address and by caller. */
#include "base/sort/sort.h"
#include "report/presets/kernel_name_priv.h"
#include "report/presets/kmem_priv.h"

enum { CALL_SITE, PTR, ASKED, GIVEN, NODE };
#define ALLOC \
	{ \
		"call_site", "ptr", "bytes_req", "bytes_alloc", "node" \
	}
static const struct trace_want wanted[KMEM_EVENTS] = {
	[KMEM_KMALLOC] = { "kmem:kmalloc", ALLOC },
	[KMEM_CACHE_ALLOC] = { "kmem:kmem_cache_alloc", ALLOC },
	[KMEM_KMALLOC_NODE] = { "kmem:kmalloc_node", ALLOC }, /* until Linux 6.0 */
	[KMEM_CACHE_ALLOC_NODE] = { "kmem:kmem_cache_alloc_node", ALLOC },
	[KMEM_KFREE] = { "kmem:kfree", { "call_site", "ptr" } },
	[KMEM_CACHE_FREE] = { "kmem:kmem_cache_free", { "call_site", "ptr" } },
	[KMEM_PAGE_ALLOC] = { "kmem:mm_page_alloc", { "pfn", "page", "order", "gfp_flags", "migratetype" } },
	[KMEM_PAGE_FREE] = { "kmem:mm_page_free", { "pfn", "page", "order" } },
};

/* ---- events ---- */

static struct slab_row *row_of(struct slab_table *table, uint64_t key)
{
	uint32_t *at = u64map_put(&table->index, key, NULL);

	if (!*at) {
		vec_push(&table->rows, (struct slab_row){ .key = key, .cpu = -1 });
		*at = (uint32_t)table->rows.len;
	}
	return &table->rows.items[*at - 1];
}

static struct slab_row *find(const struct slab_table *table, uint64_t key)
{
	const uint32_t *at = u64map_find(&table->index, key);

	return at && *at ? &table->rows.items[*at - 1] : NULL;
}

static void add(struct slab_row *r, const struct trace_event *t)
{
	r->site = trace_number(t, CALL_SITE);
	r->asked += trace_number(t, ASKED);
	r->given += trace_number(t, GIVEN);
	r->last = trace_number(t, GIVEN);
	r->hits++;
	r->cpu = (int32_t)t->cpu;
}

/* Is the memory on another node than the CPU that asks for it? A negative node means any node. */
static bool is_cross(const struct kmem *k, const struct trace_event *t)
{
	const struct features *f = &k->session->pd->features;
	int node = (int)trace_number(t, NODE), at = 0;

	if (!trace_event_has(t, NODE) || node < 0)
		return false;
	for (size_t i = 0; i < f->n_nodes; i++) {
		struct cpuset cpus = { 0 };

		if (cpuset_parse(&cpus, f->nodes[i].cpus, NULL) == 0 && cpuset_has(&cpus, (int)t->cpu))
			at = (int)f->nodes[i].node;
		cpuset_free(&cpus);
	}
	return at != node;
}

static void alloc(struct kmem *k, const struct trace_event *t)
{
	struct slab_row *caller;
	const char *name;

	add(row_of(&k->by_ptr, trace_number(t, PTR)), t);
	caller = row_of(&k->by_caller, trace_number(t, CALL_SITE));
	if (!caller->hits && !k->opts->raw_ip) {
		name = kernel_name(k->session, t, caller->key, &caller->offset);
		caller->name = name ? strtab_intern(&k->texts, name) : 0;
	}
	add(caller, t);
	k->asked += trace_number(t, ASKED);
	k->given += trace_number(t, GIVEN);
	k->allocs++;
	k->cross += is_cross(k, t);
}

/* Count a free, unless the memory was allocated before the recording. */
static void release(struct kmem *k, const struct trace_event *t)
{
	struct slab_row *r = find(&k->by_ptr, trace_number(t, PTR)), *caller;

	if (!r)
		return;
	k->freed += r->last;
	if (r->cpu != (int32_t)t->cpu) {
		r->ping_pong++;
		caller = find(&k->by_caller, r->site);
		caller->ping_pong++;
	}
	r->cpu = -1;
}

static void event(struct kmem *k, const struct trace_event *t)
{
	const struct time_span *w = k->opts->window;

	if (w && (t->time < w->from || t->time > w->to))
		return;
	switch (t->want) {
	case KMEM_PAGE_ALLOC:
	case KMEM_PAGE_FREE: kmem_page_event(k, t); break;
	case KMEM_KFREE:
	case KMEM_CACHE_FREE: release(k, t); break;
	default: alloc(k, t); break;
	}
}

/* ---- tables ---- */

static double waste(uint64_t asked, uint64_t given)
{
	return given ? 100.0 - 100.0 * (double)asked / (double)given : 0.0;
}

static int compare_column(const struct slab_row *x, const struct slab_row *y, const char *word)
{
	double wx = waste(x->asked, x->given), wy = waste(y->asked, y->given);

	if (!strcmp(word, "frag"))
		return (wx < wy) - (wx > wy);
	if (!strcmp(word, "hit"))
		return (x->hits < y->hits) - (x->hits > y->hits);
	if (!strcmp(word, "bytes"))
		return (x->given < y->given) - (x->given > y->given);
	if (!strcmp(word, "pingpong"))
		return (x->ping_pong < y->ping_pong) - (x->ping_pong > y->ping_pong);
	if (!strcmp(word, "ptr"))
		return (x->key < y->key) - (x->key > y->key);
	return (x->site < y->site) - (x->site > y->site);
}

/* Sort the greatest first, and equal rows by address. */
static int compare(const void *a, const void *b, void *sort)
{
	const struct slab_row *x = a, *y = b;
	autofree char *copy = xstrdup(sort);
	char *rest = NULL;
	int order;

	for (char *word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
		if ((order = compare_column(x, y, word)))
			return order;
	return (x->key > y->key) - (x->key < y->key);
}

static void print_row(const struct kmem *k, const struct slab_row *r, struct out *o)
{
	char what[128];

	if (r->name)
		snprintf(what, sizeof(what), "%s+%llx", strtab_get(&k->texts, r->name), (unsigned long long)r->offset);
	else
		snprintf(what, sizeof(what), "0x%llx", (unsigned long long)r->key);
	out_char(o, ' ');
	out_name_pad(o, what, -34);
	out_fmt(o, " | %9llu/%-5llu | %9llu/%-5llu | %8llu | %9llu | %6.3f%%\n", (unsigned long long)r->given,
		(unsigned long long)(r->given / r->hits), (unsigned long long)r->asked,
		(unsigned long long)(r->asked / r->hits), (unsigned long long)r->hits, (unsigned long long)r->ping_pong,
		waste(r->asked, r->given));
}

static void print_rule(struct out *o)
{
	out_pad(o, '-', 105);
	out_char(o, '\n');
}

static void print_table(const struct kmem *k, struct slab_table *table, const struct kmem_table *how, const char *title,
			struct out *o)
{
	const char *sort = how->sort ? how->sort : "frag,hit,bytes";
	size_t n = how->lines ? MIN(table->rows.len, how->lines) : table->rows.len;

	vec_sort_r(&table->rows, compare, (void *)(uintptr_t)sort);
	print_rule(o);
	out_fmt(o, " %-34s | Total_alloc/Per | Total_req/Per   | Hit      | Ping-pong | Frag\n", title);
	print_rule(o);
	for (size_t i = 0; i < n; i++)
		print_row(k, &table->rows.items[i], o);
	if (n < table->rows.len)
		out_fmt(o, " ...                                | ...             | ...             | ...      "
			   "| ...       | ...   \n");
	print_rule(o);
}

static void print_slab(struct kmem *k, struct out *o)
{
	if (k->opts->callers.shown)
		print_table(k, &k->by_caller, &k->opts->callers, "Callsite", o);
	if (k->opts->allocs.shown)
		print_table(k, &k->by_ptr, &k->opts->allocs, "Alloc Ptr", o);
	out_fmt(o, "\nSUMMARY (SLAB allocator)\n========================\n");
	out_fmt(o, "Total bytes requested: %llu\n", (unsigned long long)k->asked);
	out_fmt(o, "Total bytes allocated: %llu\n", (unsigned long long)k->given);
	out_fmt(o, "Total bytes freed:     %llu\n", (unsigned long long)k->freed);
	out_fmt(o, "Net total bytes allocated: %lld\n", (long long)(k->given - k->freed));
	out_fmt(o, "Total bytes wasted on internal fragmentation: %lld\n", (long long)(k->given - k->asked));
	out_fmt(o, "Internal fragmentation: %f%%\n", waste(k->asked, k->given));
	out_fmt(o, "Cross CPU allocations: %llu/%llu\n", (unsigned long long)k->cross, (unsigned long long)k->allocs);
}

/* ---- kmem stat ---- */

static int check_list(const char *list, const char *const *words, struct err *e)
{
	autofree char *copy = xstrdup(list ? list : "");
	char *rest = NULL;

	for (char *word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
		if (opt_word("--sort", word, words, e) < 0)
			return -1;
	return 0;
}

int kmem_opts_check(const struct kmem_opts *k, struct err *e)
{
	static const char *const slab[] = { "ptr", "callsite", "hit", "bytes", "frag", "pingpong", NULL };
	static const char *const page[] = { "page", "callsite", "hit", "bytes", "order", "migtype", "gfp", NULL };

	if (k->slab && (check_list(k->allocs.sort, slab, e) < 0 || check_list(k->callers.sort, slab, e) < 0))
		return -1;
	if (k->page && (check_list(k->allocs.sort, page, e) < 0 || check_list(k->callers.sort, page, e) < 0))
		return -1;
	return 0;
}

static int check_events(const struct kmem *k, struct err *e)
{
	bool slab = false, page = false;

	for (uint32_t i = 0; k->events.wants && i < KMEM_EVENTS; i++)
		if (trace_wants_has(k->events.wants, i))
			*(i < KMEM_PAGE_ALLOC ? &slab : &page) = true;
	if ((!k->opts->slab || slab) && (!k->opts->page || page))
		return 0;
	err_set(e, "'%s' has no events of the %s allocator", k->session->pd->path,
		k->opts->slab && !slab ? "slab" : "page");
	err_try(e, "%s kmem %s record, and then this again", tool_name(), k->opts->slab && !slab ? "--slab" : "--page");
	return trace_wants_say_cut(k->session, e);
}

int kmem_stat(struct live *l, const struct kmem_opts *opts, struct out *o, struct err *e)
{
	struct kmem k = { .opts = opts, .session = live_session(l) };
	struct trace_event t;
	int what, rc;

	k.events = (struct live_events){ .live = l, .rows = wanted, .n_rows = KMEM_EVENTS };
	while ((what = live_events_next(&k.events, &t, e)) > LIVE_END)
		if (what == LIVE_EVENT)
			event(&k, &t);
	rc = what < 0 ? -1 : check_events(&k, e);
	if (rc == 0 && opts->slab)
		print_slab(&k, o);
	if (rc == 0 && opts->page)
		kmem_pages_print(&k, o);
	live_events_release(&k.events);
	calls_release(&k.calls);
	strtab_free(&k.texts);
	u64map_free(&k.by_ptr.index);
	vec_free(&k.by_ptr.rows);
	u64map_free(&k.by_caller.index);
	vec_free(&k.by_caller.rows);
	kmem_pages_release(&k.pages);
	return rc;
}
