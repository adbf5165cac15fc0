/*
 * tui-profile KIND FILE [N]: recordings with known contents for tests/e2e/tui*.sh.
 *
 *	stacks         call chains with known shares, and names that are wide, long or hostile;
 *	               FILE.kallsyms has the functions
 *	events         the same samples for two events that are not a group
 *	rows N         N addresses, each with one sample
 *	code           samples in the functions of tests/e2e/workloads/listing.s, mapped as
 *	               /opt/app/listing
 *	kernel [FILE]  the same in a kernel loaded 16 MB above its link address, and in a module
 *	               with the build-id 0102030405 (default /lib/modules/1/kernel/listing.ko);
 *	               another word is the kernel's release, which then replaces all build-ids
 *	empty          no samples
 *	large N        at least N bytes of samples with chains
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/build.h"

enum { TYPES = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD };
static const uint64_t kernel = 0xffffffff81000000, markers[] = { (uint64_t)-128, (uint64_t)-512 };

/* Functions, each 0x1000 bytes long. */
static const char *const functions[] = {
	"entry_point",
	"read_all",
	"parse_line",
	"find_word",
	"compute",
	"\xe8\xa1\xa8\xe3\x82\x92\xe8\xaa\xad\xe3\x82\x80\xe9\x96\xa2\xe6\x95\xb0",
	"evil\033[31mred\033]0;title\007",
	"a_function_with_a_name_so_long_that_no_screen_of_eighty_columns_can_show_all_of_it_and_few_of_one_hundred_and_"
	"twenty_can",
	"write_out",
	"wait_for_more",
};
enum { N_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static uint64_t at(unsigned function) { return kernel + function * 0x1000 + 0x10; }

/* Whose sample it is: a thread, then functions from the innermost to the outermost one. */
static const struct stack {
	int32_t tid;
	uint64_t period;
	unsigned n, functions[8];
} stacks[] = {
	{ 11, 300, 4, { 3, 2, 1, 0 } }, { 11, 200, 3, { 2, 1, 0 } },   { 11, 150, 3, { 4, 1, 0 } },
	{ 12, 120, 3, { 5, 4, 0 } },    { 12, 90, 4, { 6, 5, 4, 0 } }, { 12, 60, 2, { 7, 0 } },
	{ 13, 50, 2, { 8, 0 } },        { 13, 29, 2, { 9, 0 } },       { 13, 1, 1, { 0 } },
};

static void write_kallsyms(const char *path)
{
	char name[4096];
	FILE *f;

	snprintf(name, sizeof(name), "%s.kallsyms", path);
	f = fopen(name, "w");
	if (!f)
		exit(1);
	fprintf(f, "%llx T _text\n", (unsigned long long)kernel - 0x1000);
	for (unsigned i = 0; i < N_FUNCTIONS; i++)
		fprintf(f, "%llx T %s\n", (unsigned long long)kernel + i * 0x1000, functions[i]);
	fprintf(f, "%llx T _end\n", (unsigned long long)kernel + N_FUNCTIONS * 0x1000);
	fclose(f);
}

static void begin(struct build *b)
{
	build_mmap(b, .pid = -1, .time = 1, .start = kernel - 0x1000, .len = 0x1000000, .pgoff = kernel - 0x1000,
		   .filename = "[kernel.kallsyms]_text", .misc = CPUMODE_KERNEL);
	build_comm(b, .pid = 11, .tid = 11, .time = 2, .comm = "worker");
	build_comm(b, .pid = 12, .tid = 12, .time = 2, .comm = "\xe4\xb8\xad\xe6\x96\x87\xe8\xbf\x9b\xe7\xa8\x8b");
	build_comm(b, .pid = 13, .tid = 13, .time = 2, .comm = "e\033[2Jvil");
}

static void add_stack(struct build *b, const struct stack *s, uint64_t time, size_t event)
{
	uint64_t chain[10] = { markers[0] };

	for (unsigned i = 0; i < s->n; i++)
		chain[i + 1] = at(s->functions[i]);
	build_sample(b, .pid = s->tid, .tid = s->tid, .time = time, .event = event, .misc = CPUMODE_KERNEL,
		     .ip = chain[1], .period = s->period, .chain = chain, .n_chain = s->n + 1);
}

static void add_stacks(struct build *b, size_t event)
{
	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++)
		add_stack(b, &stacks[i], 10 + i, event);
}

static void write_file(struct build *b, const char *path)
{
	size_t len;
	const uint8_t *bytes = build_bytes(b, &len);
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(bytes, 1, len, f) != len || fclose(f))
		exit(1);
	build_release(b);
}

/*
 * Offsets from the start of the text: count_words is at 0, store_result at 0x29, the hostile
 * function at 0x31.
 */
static void add_hits(struct build *b, uint64_t text, uint16_t misc)
{
	static const struct {
		uint64_t at, period, caller;
	} hits[] = {
		{ 0x0b, 300, 0x32 }, { 0x0e, 180, 0x32 }, { 0x11, 90, 0x30 }, { 0x13, 60, 0x30 }, { 0x17, 200, 0x32 },
		{ 0x1d, 50, 0x30 },  { 0x04, 2, 0x30 },   { 0x29, 70, 0x27 }, { 0x31, 48, 0 },
	};

	for (size_t i = 0; i < sizeof(hits) / sizeof(hits[0]); i++) {
		uint64_t chain[] = { markers[misc == CPUMODE_USER], text + hits[i].at, text + hits[i].caller };

		build_sample(b, .pid = 11, .tid = 11, .time = 10 + i, .misc = misc, .ip = chain[1],
			     .period = hits[i].period, .chain = chain, .n_chain = hits[i].caller ? 3 : 2);
	}
}

static void add_code(struct build *b)
{
	build_mmap(b, .pid = 11, .tid = 11, .time = 3, .start = 0x401000, .len = 0x1000, .pgoff = 0x1000,
		   .filename = "/opt/app/listing", .misc = CPUMODE_USER);
	add_hits(b, 0x401000, CPUMODE_USER);
}

static void add_kernel(struct build *b, const char *file, const char *release)
{
	const uint64_t text = kernel + 0x1000000, module = 0xffffffffc0100000;

	build_mmap(b, .pid = -1, .time = 1, .start = text, .len = 0x1000000, .pgoff = text,
		   .filename = "[kernel.kallsyms]_text", .misc = CPUMODE_KERNEL);
	build_mmap(b, .pid = -1, .time = 1, .start = module, .len = 0x4000, .filename = file, .misc = CPUMODE_KERNEL,
		   .build_id = (const uint8_t[]){ 1, 2, 3, 4, 5 }, .build_id_size = release ? 0 : 5);
	if (release)
		build_feature_text(b, FEATURE_OSRELEASE, release);
	add_hits(b, text, CPUMODE_KERNEL);
	add_hits(b, module, CPUMODE_KERNEL);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[1] : "";
	long n = argc > 3 ? atol(argv[3]) : 0;
	bool chains = strcmp(kind, "rows");
	struct build b = build_start(TYPES | (chains ? SAMPLE_CALLCHAIN : 0));

	if (strcmp(kind, "kernel"))
		begin(&b);
	if (!strcmp(kind, "stacks")) {
		add_stacks(&b, 0);
	} else if (!strcmp(kind, "events")) {
		size_t second = build_event(&b, TYPES | SAMPLE_CALLCHAIN, "page-faults");

		add_stacks(&b, 0);
		add_stacks(&b, second);
	} else if (!strcmp(kind, "code")) {
		add_code(&b);
	} else if (!strcmp(kind, "kernel")) {
		add_kernel(&b, argc > 3 ? argv[3] : "/lib/modules/1/kernel/listing.ko", argc > 4 ? argv[4] : NULL);
	} else if (!strcmp(kind, "rows")) {
		for (long i = 0; i < n; i++)
			build_sample(&b, .pid = 11, .tid = 11, .time = 10 + (uint64_t)i, .misc = CPUMODE_USER,
				     .ip = 0x400000 + (uint64_t)i * 16, .period = 1 + (uint64_t)i % 1000);
	} else if (!strcmp(kind, "large")) {
		for (uint64_t time = 10; b.records.len < (size_t)n; time++)
			add_stack(&b, &stacks[time % (sizeof(stacks) / sizeof(stacks[0]))], time, 0);
	} else if (strcmp(kind, "empty")) {
		fprintf(stderr, "usage: tui-profile stacks|events|code|kernel|rows|empty|large FILE [N]\n");
		return 2;
	}
	if (chains && strcmp(kind, "kernel"))
		write_kallsyms(argv[2]);
	write_file(&b, argv[2]);
	return 0;
}
