/* Sum up pages of the kernel's page allocator, by number and by caller. */
#include "base/sort/sort.h"
#include "report/presets/kmem_priv.h"

enum { PFN, PAGE, ORDER, GFP, TYPE };
enum { PAGE_BYTES = 4096, FRAMES_MOST = 32 };

/*
 * The kinds of pages, by the kernel's number since Linux 4.4. Source: enum migratetype in include/linux/mmzone.h.
 * `column`: its column in the summary.
 */
static const struct {
	const char *name;
	uint32_t column;
} types[] = {
	{ "UNMOVABL", 0 }, { "MOVABLE", 2 }, { "RECLAIM", 1 }, { "RESERVED", 3 }, { "CMA/ISLT", 4 },
};

/* perf's short forms of the kernel's names. */
static const struct {
	const char *name, *brief;
} gfp_names[] = {
	{ "GFP_TRANSHUGE", "THP" },
	{ "GFP_TRANSHUGE_LIGHT", "THL" },
	{ "GFP_HIGHUSER_MOVABLE", "HUM" },
	{ "GFP_HIGHUSER", "HU" },
	{ "GFP_USER", "U" },
	{ "GFP_KERNEL_ACCOUNT", "KAC" },
	{ "GFP_KERNEL", "K" },
	{ "GFP_NOFS", "NF" },
	{ "GFP_ATOMIC", "A" },
	{ "GFP_NOIO", "NI" },
	{ "GFP_NOWAIT", "NW" },
	{ "GFP_DMA", "D" },
	{ "GFP_DMA32", "D32" },
	{ "__GFP_HIGHMEM", "HM" },
	{ "__GFP_HIGH", "H" },
	{ "__GFP_IO", "I" },
	{ "__GFP_FS", "F" },
	{ "__GFP_NOWARN", "NWR" },
	{ "__GFP_RETRY_MAYFAIL", "R" },
	{ "__GFP_NOFAIL", "NF" },
	{ "__GFP_NORETRY", "NR" },
	{ "__GFP_COMP", "C" },
	{ "__GFP_ZERO", "Z" },
	{ "__GFP_NOMEMALLOC", "NMA" },
	{ "__GFP_MEMALLOC", "MA" },
	{ "__GFP_HARDWALL", "HW" },
	{ "__GFP_THISNODE", "TN" },
	{ "__GFP_RECLAIMABLE", "RC" },
	{ "__GFP_MOVABLE", "M" },
	{ "__GFP_ACCOUNT", "AC" },
	{ "__GFP_WRITE", "WR" },
	{ "__GFP_DIRECT_RECLAIM", "DR" },
	{ "__GFP_KSWAPD_RECLAIM", "KR" },
};

/* ---- who asked ---- */

/* Is this a function of the allocator? Ignore underscores before the name, and whatever follows it. */
static bool is_allocator(const char *name)
{
	static const char *const starts[] = {
		"alloc_page", "alloc_frozen_page", "get_free_page",   "get_zeroed_page",         "folio_alloc",
		"vma_alloc_", "alloc_contig",      "alloc_from_pool", "traceiter_mm_page_alloc", "trace_mm_page_alloc",
	};

	name += strspn(name, "_");
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* Find the innermost function of the chain that is not in the allocator; if there is none, use the event's address. */
static void find_caller(struct kmem *k, const struct trace_event *t, struct page_row *r)
{
	r->site = t->sample.ip;
	calls_of(&k->calls, k->session, t, FRAMES_MOST, false);
	for (size_t i = 0; i < k->calls.len; i++) {
		const struct call *c = &k->calls.items[i];

		if (c->name && is_allocator(c->name))
			continue;
		r->site = c->address;
		r->name = c->name && !k->opts->raw_ip ? strtab_intern(&k->texts, c->name) : 0;
		return;
	}
}

/* ---- flags ---- */

static uint32_t brief_of(struct kmem *k, const char *text)
{
	autofree char *copy = xstrdup(text);
	struct out o;
	char *rest = NULL;
	uint32_t id;

	out_init_mem(&o);
	for (char *word = strtok_r(copy, "|", &rest); word; word = strtok_r(NULL, "|", &rest)) {
		const char *brief = word;

		for (size_t i = 0; i < ARRAY_SIZE(gfp_names); i++)
			if (!strcmp(word, gfp_names[i].name))
				brief = gfp_names[i].brief;
		out_str(&o, word == copy ? "" : "|");
		out_name(&o, brief);
	}
	id = strtab_intern(&k->texts, out_text(&o));
	out_release(&o);
	return id;
}

/* Store the names of the event's flags: the text of the event contains them. */
static void learn_flags(struct kmem *k, const struct trace_event *t)
{
	uint32_t value = (uint32_t)trace_number(t, GFP);
	struct gfp_flags f = { .value = value };
	struct out text, name;
	const char *at;

	for (size_t i = 0; i < k->pages.flags.len; i++)
		if (k->pages.flags.items[i].value == value)
			return;
	out_init_mem(&text);
	out_init_mem(&name);
	trace_event_text(t, &text);
	at = strstr(out_text(&text), "gfp_flags=");
	if (at)
		out_name_len(&name, at + 10, strcspn(at + 10, " "));
	else
		out_fmt(&name, "0x%x", value);
	f.text = strtab_intern(&k->texts, out_text(&name));
	f.brief = brief_of(k, out_text(&name));
	vec_push(&k->pages.flags, f);
	out_release(&text);
	out_release(&name);
}

static const char *brief_text(const struct kmem *k, uint32_t value)
{
	for (size_t i = 0; i < k->pages.flags.len; i++)
		if (k->pages.flags.items[i].value == value)
			return strtab_get(&k->texts, k->pages.flags.items[i].brief);
	return "";
}

/* ---- events ---- */

static uint32_t row_of(struct page_table *table, const struct page_row *like, uint64_t what)
{
	uint64_t kind = (uint64_t)like->order << 40 | (uint64_t)like->type << 32 | like->flags;
	uint32_t *at = u64map_put(&table->index, hash_mix(what, kind), NULL);

	if (!*at) {
		vec_push(&table->rows, *like);
		*at = (uint32_t)table->rows.len;
	}
	table->rows.items[*at - 1].site = like->site;
	table->rows.items[*at - 1].name = like->name;
	return *at;
}

static uint64_t page_of(const struct trace_event *t) { return trace_number(t, trace_event_has(t, PFN) ? PFN : PAGE); }

static uint64_t block_size(const struct trace_event *t)
{
	return (uint64_t)PAGE_BYTES << (trace_number(t, ORDER) & 31);
}

static void count_alloc(struct page_row *r, uint64_t bytes)
{
	r->allocs++;
	r->bytes += bytes;
}

static void count_free(struct page_row *r, uint64_t bytes)
{
	r->frees++;
	r->freed_bytes += bytes;
}

static void alloc(struct kmem *k, const struct trace_event *t)
{
	struct kmem_pages *p = &k->pages;
	struct page_row row = { .order = (uint32_t)trace_number(t, ORDER),
				.type = (uint32_t)trace_number(t, TYPE),
				.flags = (uint32_t)trace_number(t, GFP) };
	uint64_t bytes = block_size(t), page = page_of(t);
	struct page_live live;
	uint32_t *at;

	p->allocs++;
	p->alloc_bytes += bytes;
	if (page == (trace_event_has(t, PFN) ? UINT64_MAX : 0)) {
		p->fails++;
		p->fail_bytes += bytes;
		return;
	}
	find_caller(k, t, &row);
	learn_flags(k, t);
	live.by_caller = row_of(&p->by_caller, &row, row.site);
	row.page = page;
	live.by_page = row_of(&p->by_page, &row, page);
	count_alloc(&p->by_caller.rows.items[live.by_caller - 1], bytes);
	count_alloc(&p->by_page.rows.items[live.by_page - 1], bytes);
	if (row.order < PAGE_ORDERS && row.type < ARRAY_SIZE(types))
		p->orders[row.order][types[row.type].column]++;
	at = u64map_put(&p->live_index, page, NULL);
	if (!*at) {
		vec_push(&p->live, (struct page_live){ 0 });
		*at = (uint32_t)p->live.len;
	}
	p->live.items[*at - 1] = live;
}

static void release(struct kmem *k, const struct trace_event *t)
{
	struct kmem_pages *p = &k->pages;
	const uint32_t *at = u64map_find(&p->live_index, page_of(t));
	struct page_live *live = at && *at ? &p->live.items[*at - 1] : NULL;
	uint64_t bytes = block_size(t);

	p->frees++;
	p->free_bytes += bytes;
	if (!live || !live->by_page) {
		p->unknown++;
		p->unknown_bytes += bytes;
		return;
	}
	count_free(&p->by_page.rows.items[live->by_page - 1], bytes);
	count_free(&p->by_caller.rows.items[live->by_caller - 1], bytes);
	*live = (struct page_live){ 0 };
}

void kmem_page_event(struct kmem *k, const struct trace_event *t)
{
	if (t->want == KMEM_PAGE_ALLOC)
		alloc(k, t);
	else
		release(k, t);
}

/* ---- tables ---- */

struct page_order {
	const char *sort;
	bool live;
};
static uint64_t hits(const struct page_row *r, bool live)
{
	return live ? r->allocs - MIN(r->frees, r->allocs) : r->allocs;
}
static uint64_t bytes(const struct page_row *r, bool live)
{
	return live ? r->bytes - MIN(r->freed_bytes, r->bytes) : r->bytes;
}

static uint64_t column(const struct page_row *r, const char *word, bool live)
{
	switch (*word) {
	case 'h': return hits(r, live);
	case 'b': return bytes(r, live);
	case 'p': return r->page;
	case 'o': return r->order;
	case 'm': return r->type;
	case 'g': return r->flags;
	}
	return r->site;
}

/* Sort the greatest first, and equal rows by page or caller. */
static int compare(const void *a, const void *b, void *ctx)
{
	static const char *const rest_of_it[] = { "page", "callsite", "order", "migtype", "gfp" };
	const struct page_row *x = a, *y = b;
	const struct page_order *order = ctx;
	autofree char *copy = xstrdup(order->sort);
	char *rest = NULL;

	for (char *word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
		uint64_t vx = column(x, word, order->live), vy = column(y, word, order->live);

		if (vx != vy)
			return vx > vy ? -1 : 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(rest_of_it); i++) {
		uint64_t vx = column(x, rest_of_it[i], false), vy = column(y, rest_of_it[i], false);

		if (vx != vy && (i != 1 || !x->page))
			return vx < vy ? -1 : 1;
	}
	return 0;
}

static void print_rule(struct out *o)
{
	out_pad(o, '-', 105);
	out_char(o, '\n');
}

static int by_value(const void *a, const void *b)
{
	const struct gfp_flags *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* Print what the flags mean. Return the width of the column of flags. */
static int print_legend(struct kmem *k, struct out *o)
{
	int width = 0;

	vec_sort(&k->pages.flags, by_value);
	for (size_t i = 0; i < k->pages.flags.len; i++)
		width = MAX(width, (int)strlen(strtab_get(&k->texts, k->pages.flags.items[i].brief)));
	out_str(o, "#\n# GFP flags\n# ---------\n");
	for (size_t i = 0; i < k->pages.flags.len; i++) {
		const struct gfp_flags *f = &k->pages.flags.items[i];

		out_fmt(o, "# %08x: %*s: %s\n", f->value, width, strtab_get(&k->texts, f->brief),
			strtab_get(&k->texts, f->text));
	}
	out_char(o, '\n');
	return MAX(width, (int)strlen("GFP flags"));
}

static void print_row(const struct kmem *k, const struct page_row *r, bool has_page, int width, struct out *o)
{
	bool live = k->opts->live;

	if (has_page)
		out_fmt(o, " %16llu |", (unsigned long long)r->page);
	out_fmt(o, " %16llu | %9llu | %5u | %8s | %-*s | ", (unsigned long long)bytes(r, live) / 1024,
		(unsigned long long)hits(r, live), r->order,
		r->type < ARRAY_SIZE(types) ? types[r->type].name : "UNKNOWN", width, brief_text(k, r->flags));
	if (r->name)
		out_name(o, strtab_get(&k->texts, r->name));
	else
		out_fmt(o, "%llx", (unsigned long long)r->site);
	out_char(o, '\n');
}

static void print_table(const struct kmem *k, struct page_table *table, const struct kmem_table *how, bool has_page,
			int width, struct out *o)
{
	struct page_order order = { .sort = how->sort ? how->sort : "bytes,hit", .live = k->opts->live };
	size_t n = 0, all = 0;

	vec_sort_r(&table->rows, compare, &order);
	print_rule(o);
	out_fmt(o, "%s %5s alloc (KB) | Hits      | Order | Mig.type | %-*s | Callsite\n",
		has_page ? " PFN              |" : "", k->opts->live ? "Live" : "Total", width, "GFP flags");
	print_rule(o);
	for (size_t i = 0; i < table->rows.len; i++) {
		if (!hits(&table->rows.items[i], order.live))
			continue;
		all++;
		if (how->lines && n >= how->lines)
			continue;
		print_row(k, &table->rows.items[i], has_page, width, o);
		n++;
	}
	if (n < all)
		out_fmt(o, "%s ...              | ...       | ...   | ...      | %-*s | ...\n",
			has_page ? " ...              |" : "", width, "...");
	print_rule(o);
}

static void print_sum(struct out *o, const char *what, uint64_t n, uint64_t sum)
{
	out_fmt(o, "%-30s: %16llu   [ %16llu KB ]\n", what, (unsigned long long)n, (unsigned long long)sum / 1024);
}

static void print_orders(const struct kmem_pages *p, struct out *o)
{
	out_str(o, "\nOrder     Unmovable   Reclaimable       Movable      Reserved  CMA/Isolated\n"
		   "-----  ------------  ------------  ------------  ------------  ------------\n");
	for (int i = 0; i < PAGE_ORDERS; i++) {
		out_fmt(o, "%5d", i);
		for (int j = 0; j < PAGE_TYPES; j++)
			if (p->orders[i][j])
				out_fmt(o, "  %12llu", (unsigned long long)p->orders[i][j]);
			else
				out_fmt(o, "  %12s", ".");
		out_char(o, '\n');
	}
}

void kmem_pages_print(struct kmem *k, struct out *o)
{
	struct kmem_pages *p = &k->pages;
	uint64_t both = p->frees - p->unknown, both_bytes = p->free_bytes - p->unknown_bytes;
	int width;

	if (k->opts->callers.shown || k->opts->allocs.shown) {
		width = print_legend(k, o);
		if (k->opts->callers.shown)
			print_table(k, &p->by_caller, &k->opts->callers, false, width, o);
		if (k->opts->callers.shown && k->opts->allocs.shown)
			out_char(o, '\n');
		if (k->opts->allocs.shown)
			print_table(k, &p->by_page, &k->opts->allocs, true, width, o);
	}
	out_str(o, "\nSUMMARY (page allocator)\n========================\n");
	print_sum(o, "Total allocation requests", p->allocs, p->alloc_bytes);
	print_sum(o, "Total free requests", p->frees, p->free_bytes);
	out_char(o, '\n');
	print_sum(o, "Total alloc+freed requests", both, both_bytes);
	print_sum(o, "Total alloc-only requests", p->allocs - both, p->alloc_bytes - both_bytes);
	print_sum(o, "Total free-only requests", p->unknown, p->unknown_bytes);
	out_char(o, '\n');
	print_sum(o, "Total allocation failures", p->fails, p->fail_bytes);
	print_orders(p, o);
}

void kmem_pages_release(struct kmem_pages *p)
{
	u64map_free(&p->by_page.index);
	vec_free(&p->by_page.rows);
	u64map_free(&p->by_caller.index);
	vec_free(&p->by_caller.rows);
	u64map_free(&p->live_index);
	vec_free(&p->live);
	vec_free(&p->flags);
}
