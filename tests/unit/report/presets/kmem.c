#include "report/presets/presets.h"
#include "tests/lib/traced.h"

/* Sums follow from the events. A page has 4096 bytes. */
enum { KMALLOC, CACHE_ALLOC, KFREE, CACHE_FREE, PAGE_ALLOC, PAGE_FREE, EVENTS };
static const struct traced_event events[EVENTS] = {
	[KMALLOC] = { "kmem:kmalloc", { "call_site", "ptr", "bytes_req", "bytes_alloc", "node" } },
	[CACHE_ALLOC] = { "kmem:kmem_cache_alloc", { "call_site", "ptr", "bytes_req", "bytes_alloc", "node" } },
	[KFREE] = { "kmem:kfree", { "call_site", "ptr" } },
	[CACHE_FREE] = { "kmem:kmem_cache_free", { "call_site", "ptr" } },
	[PAGE_ALLOC] = { "kmem:mm_page_alloc", { "pfn", "order", "gfp_flags", "migratetype" } },
	[PAGE_FREE] = { "kmem:mm_page_free", { "pfn", "order" } },
};

/* Functions of the kernel: two callers, and the allocator of pages. */
enum { WORK = 0x1000, OTHER = 0x2000, ALLOC_PAGES = 0x3000 };
#define KERNEL(offset) (0xffffffff81000000 + (offset))
/* As signed numbers: work+0x10, other+0x20. */
#define FROM_WORK      "call_site=-2130702320"
#define FROM_OTHER     "call_site=-2130698208"
static const uint64_t chain_work[] = { CHAIN_KERNEL, KERNEL(ALLOC_PAGES + 1), KERNEL(WORK + 0x10) };
static const uint64_t chain_other[] = { CHAIN_KERNEL, KERNEL(ALLOC_PAGES + 1), KERNEL(OTHER + 0x20),
					KERNEL(WORK + 0x30) };
static const uint64_t chain_none[] = { CHAIN_KERNEL, KERNEL(ALLOC_PAGES + 1) };
#define CHAIN(array) .chain = (array), .n_chain = ARRAY_SIZE(array)

static void add(struct traced *t, size_t event, const char *values, uint32_t cpu, uint64_t time)
{
	traced_add(t, event, values, .cpu = cpu, .time = time);
}

static void add_kernel(struct traced *t)
{
	for (size_t i = 0; i < t->n; i++)
		build_attr(&t->b, i)->sample_type |= SAMPLE_IP | SAMPLE_CALLCHAIN;
	build_ksymbol(&t->b, .addr = KERNEL(WORK), .len = 0x100, .type = 1, .name = "work");
	build_ksymbol(&t->b, .addr = KERNEL(OTHER), .len = 0x100, .type = 1, .name = "other");
	build_ksymbol(&t->b, .addr = KERNEL(ALLOC_PAGES), .len = 0x100, .type = 1, .name = "__alloc_pages_noprof");
}

static struct traced start(void)
{
	struct traced t = traced_start(events, EVENTS);

	add_kernel(&t);
	return t;
}

/* The text with one blank for each run of them, or the error after "error: ". Releases `t`. */
static char *text_of(struct traced *t, const struct kmem_opts *opts)
{
	struct live *l = traced_open(t);
	struct err e = { 0 };
	struct out o, squeezed;
	char *text;

	out_init_mem(&o);
	out_init_mem(&squeezed);
	if (kmem_stat(l, opts, &o, &e) < 0) {
		text = xasprintf("error: %s, try: %s", e.what, e.fix);
	} else {
		for (const char *at = out_text(&o); *at; at++)
			if (*at != ' ' || (at > out_text(&o) && !strchr(" \n", at[-1])))
				out_char(&squeezed, *at);
		text = xstrdup(out_text(&squeezed));
	}
	out_release(&o);
	out_release(&squeezed);
	live_close(l);
	traced_release(t);
	return text;
}

static void check_has(const char *text, const char *want)
{
	if (!strstr(text, want))
		fail_msg("no '%s' in %s", want, text);
}

static void check(struct traced *t, const struct kmem_opts *opts, const char *want)
{
	autofree char *text = text_of(t, opts);

	check_has(text, want);
}

/* ---- objects ---- */

static const struct kmem_opts slab = { .slab = true };
static const struct kmem_opts slab_callers = { .slab = true, .callers.shown = true };
static const struct kmem_opts slab_allocs = { .slab = true, .allocs.shown = true };
#define RULE \
	"----------------------------------------------------------------------------------------------------" \
	"-----\n"

static struct traced some_objects(void)
{
	struct traced t = start();

	add(&t, KMALLOC, FROM_WORK " ptr=0x100 bytes_req=100 bytes_alloc=128 node=-1", 0, 10);
	add(&t, CACHE_ALLOC, FROM_WORK " ptr=0x200 bytes_req=60 bytes_alloc=64 node=-1", 1, 20);
	add(&t, KFREE, "ptr=0x100", 0, 30);
	add(&t, CACHE_FREE, "ptr=0x200", 0, 40); /* on another CPU */
	add(&t, KFREE, "ptr=0x999", 0, 50);      /* from before the recording */
	add(&t, KMALLOC, FROM_OTHER " ptr=0x100 bytes_req=8 bytes_alloc=8 node=-1", 0, 60);
	return t;
}

static void objects_are_summed(void **state)
{
	struct traced t = some_objects();
	autofree char *text = text_of(&t, &slab);

	assert_string_equal(text, "\nSUMMARY (SLAB allocator)\n========================\n"
				  "Total bytes requested: 168\nTotal bytes allocated: 200\nTotal bytes freed: 192\n"
				  "Net total bytes allocated: 8\nTotal bytes wasted on internal fragmentation: 32\n"
				  "Internal fragmentation: 16.000000%\nCross CPU allocations: 0/3\n");
	t = start();
	add(&t, KFREE, "ptr=0x999", 0, 50);
	check(&t, &slab, "Internal fragmentation: 0.000000%\nCross CPU allocations: 0/0\n");
}

static void rows_by_caller_and_by_address(void **state)
{
	struct kmem_opts raw = slab_callers;
	struct traced t = some_objects();

	check(&t, &slab_callers,
	      RULE "Callsite | Total_alloc/Per | Total_req/Per | Hit | Ping-pong | Frag\n" RULE
		   "work+10 | 192/96 | 160/80 | 2 | 1 | 16.667%\n"
		   "other+20 | 8/8 | 8/8 | 1 | 0 | 0.000%\n" RULE "\nSUMMARY");
	t = some_objects();
	check(&t, &slab_allocs,
	      RULE "Alloc Ptr | Total_alloc/Per | Total_req/Per | Hit | Ping-pong | Frag\n" RULE
		   "0x100 | 136/68 | 108/54 | 2 | 0 | 20.588%\n"
		   "0x200 | 64/64 | 60/60 | 1 | 1 | 6.250%\n" RULE "\nSUMMARY");
	raw.raw_ip = true;
	raw.callers.lines = 1;
	t = some_objects();
	check(&t, &raw,
	      "0xffffffff81001010 | 192/96 | 160/80 | 2 | 1 | 16.667%\n"
	      "... | ... | ... | ... | ... | ... \n" RULE);
}

static void rows_are_sorted_by_columns(void **state)
{
	static const struct {
		const char *sort, *rows;
	} cases[] = {
		{ "hit", "0x2 0x1 0x3 " }, { "bytes", "0x3 0x2 0x1 " },           { "frag", "0x1 0x3 0x2 " },
		{ "ptr", "0x3 0x2 0x1 " }, { "callsite", "0x1 0x3 0x2 " },        { "pingpong", "0x2 0x1 0x3 " },
		{ NULL, "0x1 0x3 0x2 " },  { "pingpong, bytes", "0x2 0x3 0x1 " },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kmem_opts opts = slab_allocs;
		autofree char *text = NULL;
		struct traced t = start();
		char rows[32] = "";

		/* 0x1: half of it is wasted; 0x2: twice, freed elsewhere; 0x3: the greatest */
		add(&t, KMALLOC, "call_site=9 ptr=0x1 bytes_req=8 bytes_alloc=16", 0, 10);
		add(&t, KMALLOC, "call_site=7 ptr=0x2 bytes_req=32 bytes_alloc=32", 0, 10);
		add(&t, KFREE, "ptr=0x2", 1, 20);
		add(&t, KMALLOC, "call_site=7 ptr=0x2 bytes_req=32 bytes_alloc=32", 0, 30);
		add(&t, KMALLOC, "call_site=8 ptr=0x3 bytes_req=90 bytes_alloc=100", 0, 10);
		opts.allocs.sort = cases[i].sort;
		text = text_of(&t, &opts);
		for (const char *at = text; (at = strstr(at, "\n0x")); at++)
			strncat(rows, at + 1, 4);
		if (strcmp(rows, cases[i].rows) != 0)
			fail_msg("'%s' instead of '%s' for %s", rows, cases[i].rows, cases[i].sort);
	}
}

/* Equal rows are in the order of their addresses. */
static void addresses_are_used_again(void **state)
{
	for (int tables = 0; tables < 2; tables++) {
		struct traced t = start();

		add(&t, KMALLOC, FROM_WORK " ptr=0x9 bytes_req=100 bytes_alloc=128", 0, 10);
		add(&t, KFREE, "ptr=0x9", 0, 20);
		add(&t, KMALLOC, FROM_WORK " ptr=0x9 bytes_req=36 bytes_alloc=8", 0, 30);
		add(&t, KFREE, "ptr=0x9", 0, 40);
		add(&t, KMALLOC, FROM_WORK " ptr=0x1 bytes_req=100 bytes_alloc=128", 0, 50);
		add(&t, KMALLOC, FROM_WORK " ptr=0x1 bytes_req=36 bytes_alloc=8", 0, 60);
		if (tables)
			check(&t, &slab_allocs,
			      "0x1 | 136/68 | 136/68 | 2 | 0 | 0.000%\n0x9 | 136/68 | 136/68 | 2 | 0 | 0.000%\n");
		else
			check(&t, &slab, "Total bytes freed: 136\nNet total bytes allocated: 136\n");
	}
}

/* As in perf: the second one is on no CPU, so it changed its CPU. */
static void objects_freed_twice(void **state)
{
	struct traced t = start();

	add(&t, KMALLOC, FROM_WORK " ptr=0x1 bytes_req=10 bytes_alloc=16", 0, 10);
	add(&t, KFREE, "ptr=0x1", 0, 20);
	add(&t, KFREE, "ptr=0x1", 0, 30);
	check(&t, &slab_callers, "work+10 | 16/16 | 10/10 | 1 | 1 | 37.500%\n");
	t = start();
	add(&t, KMALLOC, FROM_WORK " ptr=0x1 bytes_req=10 bytes_alloc=16", 0, 10);
	add(&t, KFREE, "ptr=0x1", 0, 20);
	add(&t, KFREE, "ptr=0x1", 0, 30);
	check(&t, &slab, "Total bytes freed: 32\nNet total bytes allocated: -16\n");
}

/* Two nodes: CPUs 0 and 1, CPU 2. The layout of the feature: strobe.data(5). */
static void memory_of_other_nodes(void **state)
{
	static const struct {
		uint32_t n;
		struct {
			uint32_t node;
			uint32_t total[2], free[2], len;
			char cpus[8];
		} nodes[2];
	} topology = { 2, { { 0, { 0 }, { 0 }, 8, "0-1" }, { 1, { 0 }, { 0 }, 8, "2" } } };
	static const struct {
		const char *node;
		uint32_t cpu;
		bool is_cross;
	} cases[] = { { "node=1", 0, true },   { "node=1", 2, false }, { "node=0", 2, true }, { "node=0", 1, false },
		      { "node=-1", 2, false }, { "node=1", 7, true },  { "node=0", 7, false } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		autofree char *want = xasprintf("Cross CPU allocations: %d/1\n", cases[i].is_cross);
		struct traced t = start();

		build_feature(&t.b, FEATURE_NUMA_TOPOLOGY, &topology, sizeof(topology));
		add(&t, KMALLOC, cases[i].node, cases[i].cpu, 10);
		check(&t, &slab, want);
	}
}

static void only_a_window(void **state)
{
	const struct time_span window = { .from = 20, .to = 59 };
	struct kmem_opts opts = slab;
	struct traced t = some_objects();

	opts.window = &window; /* from the second to the fifth event; only the object of the second is known */
	check(&t, &opts, "requested: 60\nTotal bytes allocated: 64\nTotal bytes freed: 64\n");
}

/* Sizes are foreign, too. */
static void hostile_numbers(void **state)
{
	struct traced t = start();

	add(&t, KMALLOC, "call_site=-1 ptr=-1 bytes_req=-1 bytes_alloc=0 node=0x7fffffff", UINT32_MAX, 10);
	add(&t, CACHE_FREE, "ptr=-1", 0, 20);
	check(&t, &slab_allocs,
	      "0xffffffffffffffff | 0/0 | 18446744073709551615/18446744073709551615 | 1 | 1 | 0.000%");
}

/* ---- pages ---- */

static const struct kmem_opts page = { .page = true };
static const struct kmem_opts page_tables = { .page = true, .allocs.shown = true, .callers.shown = true };

static struct traced some_pages(void)
{
	struct traced t = start();

	traced_add(&t, PAGE_ALLOC, "pfn=100 order=0 gfp_flags=0xcc0 migratetype=0", .time = 10, CHAIN(chain_work));
	traced_add(&t, PAGE_ALLOC, "pfn=200 order=2 gfp_flags=0xdc0 migratetype=1", .time = 20, CHAIN(chain_other));
	traced_add(&t, PAGE_ALLOC, "pfn=-1 order=1 gfp_flags=0xcc0 migratetype=0", .time = 30, CHAIN(chain_work));
	traced_add(&t, PAGE_FREE, "pfn=100 order=0", .time = 40);
	traced_add(&t, PAGE_FREE, "pfn=300 order=3", .time = 50); /* from before the recording */
	return t;
}

static void pages_are_summed(void **state)
{
	struct traced t = some_pages();
	autofree char *text = text_of(&t, &page);

	assert_string_equal(text, "\nSUMMARY (page allocator)\n========================\n"
				  "Total allocation requests : 3 [ 28 KB ]\nTotal free requests : 2 [ 36 KB ]\n\n"
				  "Total alloc+freed requests : 1 [ 4 KB ]\nTotal alloc-only requests : 2 [ 24 KB ]\n"
				  "Total free-only requests : 1 [ 32 KB ]\n\n"
				  "Total allocation failures : 1 [ 8 KB ]\n\n"
				  "Order Unmovable Reclaimable Movable Reserved CMA/Isolated\n"
				  "----- ------------ ------------ ------------ ------------ ------------\n"
				  "0 1 . . . .\n1 . . . . .\n2 . . 1 . .\n3 . . . . .\n4 . . . . .\n5 . . . . .\n"
				  "6 . . . . .\n7 . . . . .\n8 . . . . .\n9 . . . . .\n10 . . . . .\n");
}

/* The caller is the first function outside the allocator. */
static void rows_of_pages(void **state)
{
	struct kmem_opts opts = page_tables;
	struct traced t = some_pages();

	check(&t, &opts,
	      "# 00000cc0: 0xcc0: 0xcc0\n# 00000dc0: 0xdc0: 0xdc0\n\n" RULE
	      "Total alloc (KB) | Hits | Order | Mig.type | GFP flags | Callsite\n" RULE
	      "16 | 1 | 2 | MOVABLE | 0xdc0 | other\n"
	      "4 | 1 | 0 | UNMOVABL | 0xcc0 | work\n" RULE "\n" RULE
	      "PFN | Total alloc (KB) | Hits | Order | Mig.type | GFP flags | Callsite\n" RULE
	      "200 | 16 | 1 | 2 | MOVABLE | 0xdc0 | other\n"
	      "100 | 4 | 1 | 0 | UNMOVABL | 0xcc0 | work\n" RULE "\nSUMMARY");
	opts.live = true;
	t = some_pages();
	check(&t, &opts,
	      "PFN | Live alloc (KB) | Hits | Order | Mig.type | GFP flags | Callsite\n" RULE
	      "200 | 16 | 1 | 2 | MOVABLE | 0xdc0 | other\n" RULE "\nSUMMARY");
	opts.live = false;
	opts.raw_ip = true;
	opts.callers.lines = opts.allocs.lines = 1;
	opts.callers.sort = "order,hit";
	opts.allocs.sort = "gfp";
	t = some_pages();
	check(&t, &opts,
	      "16 | 1 | 2 | MOVABLE | 0xdc0 | ffffffff81002020\n"
	      "... | ... | ... | ... | ... | ...\n" RULE);
	t = start();
	traced_add(&t, PAGE_ALLOC, "pfn=1 gfp_flags=1", .time = 10, .ip = 0x1234, CHAIN(chain_none));
	check(&t, &page_tables, "4 | 1 | 0 | UNMOVABL | 0x1 | 1234\n");
}

/* A caller has a row for each order, kind and set of flags. */
static void rows_of_one_caller(void **state)
{
	static const char *const values[] = { "pfn=1 order=0", "pfn=2 order=1", "pfn=3 order=0 migratetype=1",
					      "pfn=4 order=0 gfp_flags=1", "pfn=5 order=0" };
	struct kmem_opts opts = page;
	struct traced t = start();

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		traced_add(&t, PAGE_ALLOC, values[i], .time = 10 + i, CHAIN(chain_work));
	opts.callers = (struct kmem_table){ .shown = true, .sort = "hit,order,gfp,migtype" };
	check(&t, &opts,
	      RULE "8 | 2 | 0 | UNMOVABL | 0x0 | work\n"
		   "8 | 1 | 1 | UNMOVABL | 0x0 | work\n"
		   "4 | 1 | 0 | UNMOVABL | 0x1 | work\n"
		   "4 | 1 | 0 | MOVABLE | 0x0 | work\n" RULE);
}

/* The kernel hands out one page twice. The first user freed it: two allocations, one free. */
static void pages_are_used_again(void **state)
{
	struct kmem_opts opts = page_tables;
	struct traced t = start();

	for (uint64_t i = 0; i < 2; i++) {
		traced_add(&t, PAGE_ALLOC, "pfn=100 order=1 migratetype=2", .time = 10 + 20 * i, CHAIN(chain_work));
		if (!i)
			traced_add(&t, PAGE_FREE, "pfn=100 order=1", .time = 20);
	}
	opts.live = true;
	check(&t, &opts, "\n100 | 8 | 1 | 1 | RECLAIM | 0x0 | work\n");
	t = start();
	traced_add(&t, PAGE_ALLOC, "pfn=100", .time = 10);
	traced_add(&t, PAGE_FREE, "pfn=100", .time = 20);
	traced_add(&t, PAGE_FREE, "pfn=100", .time = 30); /* the allocation between was lost */
	check(&t, &page,
	      "Total alloc+freed requests : 1 [ 4 KB ]\nTotal alloc-only requests : 0 [ 0 KB ]\n"
	      "Total free-only requests : 1 [ 4 KB ]\n");
}

/* Until Linux 4.0 events have the address of a page; 0 is a failure. */
static void pages_without_numbers(void **state)
{
	static const struct traced_event old[] = { { "kmem:mm_page_alloc",
						     { "page", "order", "gfp_flags", "migratetype" } },
						   { "kmem:mm_page_free", { "page", "order" } } };
	struct traced t = traced_start(old, 2);

	traced_add(&t, 0, "page=0 order=3", .time = 10);
	traced_add(&t, 0, "page=-1 order=0", .time = 20);
	traced_add(&t, 1, "page=-1 order=0", .time = 30);
	check(&t, &page,
	      "Total alloc+freed requests : 1 [ 4 KB ]\nTotal alloc-only requests : 1 [ 32 KB ]\n"
	      "Total free-only requests : 0 [ 0 KB ]\n\nTotal allocation failures : 1 [ 32 KB ]\n");
}

static void impossible_orders_and_kinds(void **state)
{
	struct traced t = start();

	traced_add(&t, PAGE_ALLOC, "pfn=1 order=11 migratetype=0", .time = 10);
	traced_add(&t, PAGE_ALLOC, "pfn=2 order=0 migratetype=5", .time = 10);
	traced_add(&t, PAGE_ALLOC, "pfn=3 order=-1 migratetype=-1", .time = 10);
	check(&t, &page_tables,
	      "3 | 8589934592 | 1 | 4294967295 | UNKNOWN | 0x0 | 0\n"
	      "1 | 8192 | 1 | 11 | UNMOVABL | 0x0 | 0\n"
	      "2 | 4 | 1 | 0 | UNKNOWN | 0x0 | 0\n");
}

/* ---- errors ---- */

static void columns_are_checked(void **state)
{
	static const struct {
		struct kmem_opts opts;
		bool is_right;
	} cases[] = {
		{ { .slab = true, .allocs.sort = "ptr,callsite,hit,bytes,frag,pingpong" }, true },
		{ { .slab = true, .callers.sort = "frag, hit" }, true },
		{ { .slab = true, .callers.sort = "order" }, false },
		{ { .slab = true, .allocs.sort = "hit,nosuch" }, false },
		{ { .page = true, .allocs.sort = "page,callsite,hit,bytes,order,migtype,gfp" }, true },
		{ { .page = true, .callers.sort = "frag" }, false },
		{ { .page = true, .slab = true, .callers.sort = "frag" }, false },
		{ { .page = true, .slab = true, .callers.sort = "bytes" }, true },
		{ { .allocs.sort = "nosuch" }, true }, /* of no table */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { 0 };
		int rc = kmem_opts_check(&cases[i].opts, &e);

		assert_int_equal(rc, cases[i].is_right ? 0 : -1);
		assert_int_equal(e.exit_code, cases[i].is_right ? 0 : EXIT_BAD_USAGE);
	}
}

static void recordings_of_the_other_allocator_are_refused(void **state)
{
	for (int pages = 0; pages < 2; pages++) {
		struct traced t = traced_start(events + (pages ? KMALLOC : PAGE_ALLOC), 1);
		autofree char *text = NULL;

		traced_add(&t, 0, "", .time = 10);
		text = text_of(&t, pages ? &page : &slab);
		assert_ptr_equal(strstr(text, "error: "), text);
		check_has(text, pages ? "has no events of the page allocator" : "has no events of the slab allocator");
		check_has(text, pages ? "kmem --page record" : "kmem --slab record");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_are_summed),
		cmocka_unit_test(rows_by_caller_and_by_address),
		cmocka_unit_test(rows_are_sorted_by_columns),
		cmocka_unit_test(addresses_are_used_again),
		cmocka_unit_test(objects_freed_twice),
		cmocka_unit_test(memory_of_other_nodes),
		cmocka_unit_test(only_a_window),
		cmocka_unit_test(hostile_numbers),
		cmocka_unit_test(pages_are_summed),
		cmocka_unit_test(rows_of_pages),
		cmocka_unit_test(rows_of_one_caller),
		cmocka_unit_test(pages_are_used_again),
		cmocka_unit_test(pages_without_numbers),
		cmocka_unit_test(impossible_orders_and_kinds),
		cmocka_unit_test(columns_are_checked),
		cmocka_unit_test(recordings_of_the_other_allocator_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
