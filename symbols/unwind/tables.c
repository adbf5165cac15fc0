/* Tables of unwind rules for single objects, built page by page when a stack passes through. */
#include "symbols/unwind/tables.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/search.h"
#include "symbols/file/image.h"
#include "symbols/file/vdso.h"
#include "symbols/name/sources.h"
#include "symbols/unwind/jit.h"
#include "symbols/unwind/rules_priv.h"
#include "symbols/unwind/walk_priv.h"

/*
 * At most PAGES_MAX * PAGE bytes of code get tables; code behind them is decoded row by row. A page
 * gets its table after RARE lookups: one sample in a program that runs for a moment should not cost
 * the rules of a hundred functions.
 */
enum { PAGE = 1 << 12, PAGES_MAX = 1 << 18, RARE = 12 };
/* Release the pages of an object's file after this number of lookups in it. */
enum { LOOKS = 512 };

/* One page of code: where each row begins, and its rule. A gap is a row with RULE_NONE. */
struct rule_page {
	uint32_t n;
	uint16_t *rules; /* behind `low` */
	uint16_t low[];
};

struct unwind_object {
	pthread_mutex_t lock; /* guards opening and building */
	uint32_t number;      /* no other object has it */
	int fd;               /* of the file until it is mapped; -1: none */
	int root;
	void *heap; /* the object's bytes, if they are not in a file */
	size_t heap_len;
	atomic_bool opened;
	struct image image;
	bool has_image;
	char *path;          /* where to look for the debug file; NULL: it was looked for, or has no known place */
	struct image *debug; /* NULL: none */
	struct cfi *cfi;     /* NULL: none */
	atomic_bool asks;    /* the debug file or a second section may describe what the pages leave out */
	uint64_t from;       /* address of the first page */
	size_t n_pages;
	_Atomic(struct rule_page *) *pages;
	uint8_t *asked; /* per page: lookups while it had no table */
	unsigned looks; /* lookups in the file since its pages were released */
	struct rule_set rules;
	uint64_t bytes, n_rows; /* of the pages */
};

/* ---- pages ---- */

struct page_builder {
	struct unwind_object *o;
	uint64_t start; /* of the page */
	uint64_t end;   /* of the last row */
	VEC(uint16_t) low, rules;
};

static void push(struct page_builder *b, uint64_t addr, uint16_t rule)
{
	if (b->rules.len && b->rules.items[b->rules.len - 1] == rule)
		return;
	vec_push(&b->low, (uint16_t)(addr - b->start));
	vec_push(&b->rules, rule);
}

static void add_row(void *ctx, uint64_t start, uint64_t end, const struct cfi_row *row)
{
	struct page_builder *b = ctx;

	start = MAX(start, b->end);
	if (start >= end)
		return;
	if (start > b->end)
		push(b, b->end, RULE_NONE);
	push(b, start, rule_set_put(&b->o->rules, row));
	b->end = end;
}

static struct rule_page *build(struct unwind_object *o, size_t number)
{
	struct page_builder b = { .o = o, .start = o->from + number * PAGE };
	uint64_t end = b.start + PAGE < b.start ? UINT64_MAX : b.start + PAGE;
	struct rule_page *page;

	b.end = b.start;
	cfi_rows(o->cfi, b.start, end, add_row, &b);
	if (b.end < end)
		push(&b, b.end, RULE_NONE);
	page = xmalloc(sizeof(*page) + b.low.len * 2 * sizeof(uint16_t));
	page->n = (uint32_t)b.low.len;
	page->rules = page->low + page->n;
	memcpy(page->low, b.low.items, page->n * sizeof(uint16_t));
	memcpy(page->rules, b.rules.items, page->n * sizeof(uint16_t));
	o->bytes += sizeof(*page) + page->n * 2 * sizeof(uint16_t);
	o->n_rows += page->n;
	vec_free(&b.low);
	vec_free(&b.rules);
	return page;
}

/* The caller holds the lock. */
static void release_file(struct unwind_object *o)
{
	image_release_pages(&o->image);
	if (o->debug)
		image_release_pages(o->debug);
	o->looks = 0;
}

static void count_look(struct unwind_object *o)
{
	if (++o->looks >= LOOKS)
		release_file(o);
}

/* Return the table of a page; NULL if it has none yet. */
static const struct rule_page *page_of(struct unwind_object *o, size_t number)
{
	struct rule_page *page = atomic_load_explicit(&o->pages[number], memory_order_acquire);

	if (page)
		return page;
	pthread_mutex_lock(&o->lock);
	page = atomic_load_explicit(&o->pages[number], memory_order_relaxed);
	if (!page && o->asked[number]++ >= RARE) {
		page = build(o, number);
		count_look(o);
		atomic_store_explicit(&o->pages[number], page, memory_order_release);
	}
	pthread_mutex_unlock(&o->lock);
	return page;
}

static uint16_t find_rule(const struct rule_page *p, uint16_t low)
{
	size_t n = search_count(i, p->n, p->low[i] <= low);

	return p->n ? p->rules[n ? n - 1 : 0] : RULE_NONE;
}

/*
 * Look for the object's debug file. The caller holds the lock. Return false if this found no
 * further rows to ask for.
 */
static bool add_debug(struct unwind_object *o)
{
	GElf_Shdr frames;

	if (!o->path)
		return false;
	o->debug = debugfile_of(o->root, o->path, &o->image);
	free(o->path);
	o->path = NULL;
	if (!o->debug)
		return false;
	if (image_section(o->debug, ".debug_frame", &frames))
		image_will_read(o->debug, &frames);
	cfi_add_debug(o->cfi, o->debug->data, o->debug->len);
	return true;
}

/* Decode a row that is in no table. This is rare, because the caller caches the answers. */
static const struct cfi_row *ask(struct unwind_object *o, uint64_t addr)
{
	union cfi_row_room room;
	const struct cfi_row *row;
	uint16_t rule = RULE_NONE;

	pthread_mutex_lock(&o->lock);
	row = cfi_row_at(o->cfi, addr, &room);
	if (!row && add_debug(o))
		row = cfi_row_at(o->cfi, addr, &room);
	count_look(o);
	atomic_store(&o->asks, o->path || cfi_has_more(o->cfi));
	if (row)
		rule = rule_set_put(&o->rules, row);
	row = rule == RULE_ASK ? cfi_row(o->cfi, addr, &o->rules.arena) : rule_set_at(&o->rules, rule);
	pthread_mutex_unlock(&o->lock);
	return row;
}

static const struct cfi_row *row_of(struct unwind_object *o, uint64_t addr)
{
	const struct cfi_row *row = NULL;
	uint64_t number = (addr - o->from) / PAGE;
	uint16_t rule = RULE_ASK;

	if (!o->cfi)
		return NULL;
	if (addr >= o->from && number < o->n_pages) {
		const struct rule_page *page = page_of(o, number);

		rule = page ? find_rule(page, (uint16_t)((addr - o->from) % PAGE)) : RULE_ASK;
		row = rule == RULE_ASK ? NULL : rule_set_at(&o->rules, rule);
	}
	if (row || (rule != RULE_ASK && !atomic_load(&o->asks)))
		return row;
	return ask(o, addr);
}

/* ---- objects ---- */

static struct unwind_object *object_new(void)
{
	static atomic_uint n;
	struct unwind_object *o = xcalloc(1, sizeof(*o));

	o->number = atomic_fetch_add(&n, 1) + 1;
	o->fd = o->root = -1;
	pthread_mutex_init(&o->lock, NULL);
	return o;
}

struct unwind_object *unwind_object_open(int fd, int root, const char *path, struct err *e)
{
	struct unwind_object *o;
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		err_set(e, "'%s' is no regular file", path);
		close(fd);
		return NULL;
	}
	o = object_new();
	o->fd = fd;
	o->root = root;
	o->path = xstrdup(path);
	return o;
}

struct unwind_object *unwind_object_vdso(void)
{
	struct unwind_object *o = object_new();

	o->heap = vdso_copy(&o->heap_len);
	if (!o->heap) {
		free(o);
		return NULL;
	}
	return o;
}

static void make_pages(struct unwind_object *o)
{
	uint64_t from, to;

	if (!cfi_range(o->cfi, &from, &to) && !(add_debug(o) && cfi_range(o->cfi, &from, &to)))
		return;
	o->from = from / PAGE * PAGE;
	o->n_pages = MIN((to - o->from + PAGE - 1) / PAGE, (uint64_t)PAGES_MAX);
	o->pages = xcalloc(o->n_pages, sizeof(*o->pages));
	o->asked = xcalloc(o->n_pages, sizeof(*o->asked));
	o->bytes += o->n_pages * (sizeof(*o->pages) + sizeof(*o->asked));
}

static bool open_image(struct unwind_object *o)
{
	int fd = o->fd;
	struct file_map map;

	if (o->heap)
		return image_open_memory(&o->image, o->heap, o->heap_len, o->heap, NULL) == 0;
	o->fd = -1;
	if (file_map_fd(&map, fd, NULL) < 0) {
		close(fd);
		return false;
	}
	return image_open_map(&o->image, &map, "", NULL) == 0;
}

/*
 * Open the object at its first lookup: stacks pass through few of the objects that a program maps.
 * An object has one architecture, that of the first lookup.
 */
static void open_tables(struct unwind_object *o, const struct arch *a)
{
	pthread_mutex_lock(&o->lock);
	if (!o->opened) {
		o->has_image = open_image(o);
		if (o->has_image)
			o->cfi = cfi_open(o->image.data, o->image.len, NULL, 0, a, NULL);
		if (o->cfi) {
			make_pages(o);
			atomic_store(&o->asks, o->path || cfi_has_more(o->cfi));
		}
		count_look(o); /* later looks release its pages */
		atomic_store(&o->opened, true);
	}
	pthread_mutex_unlock(&o->lock);
}

void unwind_object_free(struct unwind_object *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->n_pages; i++)
		free(o->pages[i]);
	free(o->pages);
	free(o->asked);
	cfi_close(o->cfi);
	image_free(o->debug);
	free(o->path);
	if (o->has_image)
		image_close(&o->image);
	else if (!o->opened)
		free(o->heap);
	if (o->fd >= 0)
		close(o->fd);
	rule_set_release(&o->rules);
	pthread_mutex_destroy(&o->lock);
	free(o);
}

void unwind_object_rest(struct unwind_object *o)
{
	pthread_mutex_lock(&o->lock);
	if (o->looks)
		release_file(o);
	pthread_mutex_unlock(&o->lock);
}

struct unwind_object_size unwind_object_size(struct unwind_object *o)
{
	struct unwind_object_size size;

	pthread_mutex_lock(&o->lock);
	size = (struct unwind_object_size){ o->bytes + o->rules.bytes, o->n_rows, o->rules.n };
	pthread_mutex_unlock(&o->lock);
	return size;
}

/* ---- walks ---- */

enum { CACHED = 1 << 12 };

/* What is known about an address of an object, wherever processes map the object. */
struct object_place {
	uint64_t addr;
	const struct cfi_row *row;
	uint32_t object; /* its number */
	uint8_t state;
};

struct unwind_cache {
	struct place places[CACHED];
	struct object_place object_places[CACHED];
	struct unwind_cache_count count;
	const struct unwind_maps *maps; /* of the current walk */
};

struct table_tour {
	struct walk walk; /* first, so that its address is ours */
	struct unwind_cache *cache;
};

struct unwind_cache *unwind_cache_new(void) { return xcalloc(1, sizeof(struct unwind_cache)); }
void unwind_cache_free(struct unwind_cache *c) { free(c); }
struct unwind_cache_count unwind_cache_count(const struct unwind_cache *c) { return c->count; }

static const struct unwind_map *find_map(const struct unwind_maps *m, uint64_t ip)
{
	size_t n = search_count(i, m->n, m->items[i].start <= ip);

	return n && ip < m->items[n - 1].end ? &m->items[n - 1] : NULL;
}

/*
 * Return the version of a place where a JIT may have put code: 0 = no JIT is known, 1 = there was
 * no code at the time of the walk, else a number that each piece has for itself.
 */
static uint32_t version_of(const struct table_tour *k, uint64_t ip)
{
	return k->cache->maps->jit ? unwind_jit_find(k->cache->maps->jit, ip, k->walk.args->time_ns) + 1 : 0;
}

/*
 * Look up the code of a JIT. It may have unwind information; otherwise it may still keep frame
 * pointers.
 */
static void look_up_generated(struct table_tour *k, uint64_t ip, struct place *p, const struct unwind_map *m)
{
	p->version = version_of(k, ip);
	if (p->version > 1)
		p->row = unwind_jit_row(k->cache->maps->jit, p->version - 1, ip, k->walk.arch);
	p->state = p->row ? PLACE_ROW : m || p->version > 1 ? PLACE_GENERATED : PLACE_NO_MAP;
}

static void look_up_in(struct table_tour *k, struct unwind_object *o, uint64_t addr, struct place *p)
{
	struct object_place *known = &k->cache->object_places[hash_mix(addr, o->number) & (CACHED - 1)];

	if (known->object != o->number || known->addr != addr) {
		const struct cfi_row *row = row_of(o, addr);

		*known = (struct object_place){
			.addr = addr,
			.row = row,
			.object = o->number,
			.state = row                              ? PLACE_ROW
				 : walk_is_start(&o->image, addr) ? PLACE_START
								  : PLACE_NO_CFI,
		};
	}
	p->row = known->row;
	p->state = known->state;
}

static void look_up(struct table_tour *k, uint64_t ip, struct place *p)
{
	const struct unwind_map *m = find_map(k->cache->maps, ip);
	struct unwind_object *o = m ? m->object : NULL;

	*p = (struct place){ .ip = ip, .space = k->cache->maps->id, .state = PLACE_NO_MAP };
	if (k->cache->maps->jit && (!m || m->kind == UNWIND_CODE_NONE)) {
		look_up_generated(k, ip, p, m);
		return;
	}
	if (!m)
		return;
	if (o && !atomic_load(&o->opened))
		open_tables(o, k->walk.arch);
	if (!o || !o->has_image) {
		p->state = m->kind == UNWIND_CODE_NONE ? PLACE_GENERATED : PLACE_NO_FILE;
		return;
	}
	look_up_in(k, o, image_address(&o->image, ip - m->start + m->pgoff), p);
}

static bool code_before(struct walk *walk, uint64_t ip, uint8_t *code)
{
	const struct table_tour *k = (const struct table_tour *)walk;
	const struct unwind_map *m = find_map(k->cache->maps, ip - 1);

	if (!m || !m->object)
		return false;
	if (!atomic_load(&m->object->opened))
		open_tables(m->object, walk->arch);
	if (!m->object->has_image)
		return false;
	return walk_copy_code(&m->object->image, ip - m->start + m->pgoff, code);
}

static const struct place *place_of(struct walk *walk, uint64_t ip)
{
	struct table_tour *k = (struct table_tour *)walk;
	struct unwind_cache *c = k->cache;
	struct place *p = &c->places[hash_mix(ip, c->maps->id) & (CACHED - 1)];

	c->count.asked++;
	if (p->state == PLACE_EMPTY || p->ip != ip || p->space != c->maps->id ||
	    (p->version && p->version != version_of(k, ip))) {
		c->count.missed++;
		look_up(k, ip, p);
	}
	return p;
}

size_t unwind_by_tables(struct unwind_cache *c, const struct unwind_maps *maps, const struct unwind_args *args,
			uint64_t *ips, uint64_t *sps, size_t max, struct unwind_stop *stop)
{
	struct table_tour k = { .cache = c };
	static _Atomic(const struct arch *) native;
	const struct arch *a = atomic_load_explicit(&native, memory_order_relaxed);

	if (!a) {
		a = arch_find(NULL);
		atomic_store_explicit(&native, a, memory_order_relaxed);
	}
	k.walk = (struct walk){ .args = args,
				.arch = arch_of_abi(a, args->abi),
				.place_of = place_of,
				.code_before = code_before,
				.sps = sps };
	c->maps = maps;
	*stop = (struct unwind_stop){ .end = UNWIND_UNSUPPORTED };
	if (!k.walk.arch || !args->regs || !walk_start(&k.walk))
		return 0;
	return walk_stack(&k.walk, ips, max, stop);
}
