#ifndef REPORT_PRESETS_KMEM_PRIV_H
#define REPORT_PRESETS_KMEM_PRIV_H

#include "base/hash.h"
#include "report/presets/presets.h"
#include "report/waits/calls.h"

enum kmem_event {
	KMEM_KMALLOC,
	KMEM_CACHE_ALLOC,
	KMEM_KMALLOC_NODE,
	KMEM_CACHE_ALLOC_NODE,
	KMEM_KFREE,
	KMEM_CACHE_FREE,
	KMEM_PAGE_ALLOC,
	KMEM_PAGE_FREE,
	KMEM_EVENTS
};

/* Objects at one address, or asked for by one caller. Sizes in bytes. */
struct slab_row {
	uint64_t key;  /* the object's address, or the address of the call */
	uint64_t site; /* address of the last call */
	uint32_t name; /* texts: of a caller; 0 = unknown */
	uint64_t offset;
	uint64_t asked, given, last;
	uint64_t hits, ping_pong;
	int32_t cpu; /* of the last allocation; -1: it was freed */
};
struct slab_table {
	struct u64map index; /* key -> rows + 1 */
	VEC(struct slab_row) rows;
};

/* Pages of one kind, at one place or of one caller. */
struct page_row {
	uint64_t page; /* its number, or its address if the event has no number; 0 for callers */
	uint64_t site; /* address of the call */
	uint32_t name; /* texts */
	uint32_t order, type, flags;
	uint64_t allocs, frees, bytes, freed_bytes;
};
struct page_table {
	struct u64map index; /* what a row is for -> rows + 1 */
	VEC(struct page_row) rows;
};
/* A page that is not free. */
struct page_live {
	uint32_t by_page, by_caller; /* rows + 1 */
};
struct gfp_flags {
	uint32_t value;
	uint32_t text, brief; /* texts: "GFP_KERNEL|__GFP_ZERO", "K|Z" */
};

enum { PAGE_ORDERS = 11, PAGE_TYPES = 5 };
struct kmem_pages {
	struct page_table by_page, by_caller;
	struct u64map live_index; /* page -> live + 1 */
	VEC(struct page_live) live;
	VEC(struct gfp_flags) flags;
	uint64_t allocs, alloc_bytes, frees, free_bytes, fails, fail_bytes, unknown, unknown_bytes;
	uint64_t orders[PAGE_ORDERS][PAGE_TYPES];
};

struct kmem {
	const struct kmem_opts *opts;
	struct session *session;
	struct live_events events;
	struct calls calls;
	struct strtab texts;
	struct slab_table by_ptr, by_caller;
	uint64_t asked, given, freed, allocs, cross;
	struct kmem_pages pages;
};

/* Count an event that allocates or frees pages. */
void kmem_page_event(struct kmem *k, const struct trace_event *t);
void kmem_pages_print(struct kmem *k, struct out *o);
void kmem_pages_release(struct kmem_pages *p);

#endif
