/* strobe kmem: which code asks the kernel's allocators for memory. */
#include "cmd/commands.h"
#include "cmd/shared/analysis.h"
#include "report/presets/presets.h"

struct kmem_command_opts {
	struct analysis_opts in;
	struct kmem_opts kmem;
	const char *time;
	bool last_is_caller; /* which of --alloc and --caller came last; -l and -s belong to it */
};
#define AT(member) offsetof(struct kmem_command_opts, member)

static int set_alloc(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct kmem_command_opts *k = opts;

	k->kmem.allocs.shown = !unset;
	k->last_is_caller = false;
	return 0;
}

static int set_caller(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct kmem_command_opts *k = opts;

	k->kmem.callers.shown = !unset;
	k->last_is_caller = !unset;
	return 0;
}

static struct kmem_table *last(struct kmem_command_opts *k)
{
	return k->last_is_caller ? &k->kmem.callers : &k->kmem.allocs;
}

static int set_lines(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	last(opts)->lines = 0;
	return unset ? 0 : parse_u64(value, &last(opts)->lines, e);
}

static int set_sort(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	last(opts)->sort = unset ? NULL : value;
	return 0;
}

static const struct opt kmem_options[] = {
	{ 0, "slab", OPT_BOOL, AT(kmem.slab), NULL, "look at the slab allocator (default)" },
	{ 0, "page", OPT_BOOL, AT(kmem.page), NULL, "look at the page allocator" },
	{ 0, "alloc", OPT_CALL_FLAG, 0, NULL, "a row for each object or page", .call = set_alloc },
	{ 0, "caller", OPT_CALL_FLAG, 0, NULL, "a row for each caller", .call = set_caller },
	{ 'l', "line", OPT_CALL, 0, "n", "show n rows of the table that the option before selects", .call = set_lines,
	  .values = "" },
	{ 's', "sort", OPT_CALL, 0, "key,...", "sort the table that the option before selects", .call = set_sort,
	  .values = ",ptr callsite bytes hit pingpong frag page order migtype gfp" },
	{ 0, "live", OPT_BOOL, AT(kmem.live), NULL, "count only pages that were not freed" },
	{ 0, "raw-ip", OPT_BOOL, AT(kmem.raw_ip), NULL, "show addresses of callers" },
	{ 0, "time", OPT_INCLUDE, AT(time), NULL, "only this time, in seconds", .rows = usual_options },
	{ .kind = OPT_INCLUDE, .offset = AT(in), .rows = analysis_options },
	{ 0 },
};
#undef AT

static int stat_print(struct kmem_command_opts *k, struct err *e)
{
	struct live *live = analysis_open(&k->in, NULL, e);
	struct time_ranges ranges = { 0 };
	struct out o;
	int status = -1;

	if (!live)
		return -1;
	if (analysis_window(live, k->time, &ranges, &k->kmem.window, e) == 0) {
		out_init_fd(&o, STDOUT_FILENO);
		status = analysis_finish(live, &o, kmem_stat(live, &k->kmem, &o, e), e);
	}
	time_ranges_free(&ranges);
	live_close(live);
	return status;
}

static int stat_run(void *opts, int argc, char **argv, struct err *e)
{
	struct kmem_command_opts *k = opts;

	k->kmem.slab |= !k->kmem.page;
	if (analysis_no_words(argc, argv, e) < 0 || kmem_opts_check(&k->kmem, e) < 0)
		return -1;
	return k->in.dump ? analysis_dump(&k->in, e) : stat_print(k, e);
}

static const struct command stat_command = {
	.name = "kmem stat",
	.summary = "show which code asked for memory, and how much",
	.run = stat_run,
	.pager = true,
	.usage = (const char *const[]){ "[<options>]", NULL },
	.options = kmem_options,
	.opts_size = sizeof(struct kmem_command_opts),
};

static int record(const struct kmem_command_opts *k, int argc, char **argv, struct err *e)
{
	static const char *const words[] = { "-a", "-R", "-c", "1", "-g" };
	static const struct analysis_event slab[] = {
		{ "kmem:kmalloc" },         { "kmem:kfree" },        { "kmem:kmem_cache_alloc" },
		{ "kmem:kmem_cache_free" }, { "kmem:kmalloc_node" }, { "kmem:kmem_cache_alloc_node" },
	};
	static const struct analysis_event page[] = { { "kmem:mm_page_alloc" }, { "kmem:mm_page_free" } };
	struct analysis_event events[ARRAY_SIZE(slab) + ARRAY_SIZE(page)];
	bool with_slab = k->kmem.slab || !k->kmem.page;
	size_t n = 0;

	for (size_t i = 0; with_slab && i < ARRAY_SIZE(slab); i++)
		events[n++] = slab[i];
	for (size_t i = 0; k->kmem.page && i < ARRAY_SIZE(page); i++)
		events[n++] = page[i];
	/* Chains name the callers of pages; events of slabs have a field for that. */
	return analysis_record(words, ARRAY_SIZE(words) - !k->kmem.page, events, n, argc, argv, e);
}

static int kmem_run(void *opts, int argc, char **argv, struct err *e)
{
	if (argc && !strcmp(argv[0], "record"))
		return record(opts, argc - 1, argv + 1, e);
	return analysis_call_shared(&cmd_kmem, opts, argc, argv, e);
}

const struct command cmd_kmem = {
	.name = "kmem",
	.summary = "show which code asks the kernel's allocators for memory",
	.run = kmem_run,
	.usage = (const char *const[]){ "[<options>] record|stat [<options>]", NULL },
	.options = kmem_options,
	.opts_size = sizeof(struct kmem_command_opts),
	.stop_at_word = true,
	.words = "record stat @program",
	.subcommands = (const struct command *const[]){ &stat_command, NULL },
};
