#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <inttypes.h>
#include <signal.h>

#include "tests/unit/symbols/fixture.h"
#include "symbols/name/kallsyms.h"
#include "symbols/name/kernel_list_priv.h"

/* The expected names are those that perf 7.2 prints with this file as --kallsyms. */
static const char list[] = "ffffffff80ffff00 t before\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000000 T bbb_much_longer_name\n"
			   "ffffffff81000000 T c\n"
			   "ffffffff81000010 t __pfx_foo\n"
			   "ffffffff81000020 W weak\n"
			   "ffffffff81000020 T foo\n"
			   "ffffffff81000020 t local\n"
			   "ffffffff81000030 d data\n"
			   "ffffffff81000040 R rodata\n"
			   "ffffffff81000050 t _ZN3fooEv\n"
			   "ffffffff81000060 A abssym\n"
			   "ffffffff81000070 V vsym\n"
			   "ffffffff81000080 t last\n"
			   "ffffffff81200000 t beyond\n"
			   "ffffffffa0000000 t mod_a\t[mm]\n"
			   "ffffffffa0000010 t mod_b\t[mm]\n"
			   "ffffffffa0000100 t mod_c\t[n_n]\n";

static struct symbols *with_list(uint64_t shift)
{
	struct symbols_opts opts = { .foreign = true, .buildid_dir = "/dev/null", .kallsyms = fixture_path("list") };
	struct symbols *s;
	uint32_t d;

	fixture_write("list", list);
	s = symbols_new(&opts);
	d = symbols_dso(s, &(struct dso_args){ .filename = "[kernel.kallsyms]_text", .kernel = true });
	space_map(s, SPACE_KERNEL,
		  &(struct map_args){ .start = 0xffffffff81000000 + shift,
				      .len = 0x100000,
				      .pgoff = 0xffffffff81000000 + shift,
				      .dso = d });
	d = symbols_dso(s, &(struct dso_args){ .filename = "[mm]", .kernel = true });
	space_map(s, SPACE_KERNEL, &(struct map_args){ .start = 0xffffffffa0000000 + shift, .len = 0x100, .dso = d });
	d = symbols_dso(s, &(struct dso_args){ .filename = "/lib/modules/1/kernel/n-n.ko", .kernel = true });
	space_map(s, SPACE_KERNEL, &(struct map_args){ .start = 0xffffffffa0000100 + shift, .len = 0x4000, .dso = d });
	return s;
}

/* "name+off dso" or "" */
static const char *at(struct symbols *s, uint64_t addr)
{
	static char text[256];
	struct map_hit hit;
	uint32_t symbol;

	text[0] = 0;
	if (!space_find(s, SPACE_KERNEL, 0, addr, &hit))
		return text;
	symbol = dso_find(s, hit.dso, hit.dso_off);
	if (symbol)
		snprintf(text, sizeof(text), "%s+0x%llx %s", symbol_name(s, hit.dso, symbol),
			 (unsigned long long)(dso_address(s, hit.dso, hit.dso_off) -
					      dso_symbol(s, hit.dso, symbol)->start),
			 dso_short_name(s, hit.dso));
	else
		snprintf(text, sizeof(text), "%s", dso_short_name(s, hit.dso));
	return text;
}

static void addresses_are_named_as_perf_does(void **state)
{
	struct symbols *s = with_list(0);

	assert_string_equal(at(s, 0xffffffff81000000), "c+0x0 [kernel.kallsyms]");
	assert_string_equal(at(s, 0xffffffff81000018), "__pfx_foo+0x8 [kernel.kallsyms]");
	assert_string_equal(at(s, 0xffffffff81000021), "local+0x1 [kernel.kallsyms]");
	assert_string_equal(at(s, 0xffffffff81000040), "data+0x10 [kernel.kallsyms]");
	assert_string_equal(at(s, 0xffffffff81000070), "_ZN3fooEv+0x20 [kernel.kallsyms]");
	assert_string_equal(at(s, 0xffffffff810fffff), "last+0xfff7f [kernel.kallsyms]");
	/* The kernel extends as far as its symbols. */
	assert_string_equal(at(s, 0xffffffff80ffffff), "before+0xff [kernel.kallsyms]");
	assert_string_equal(at(s, 0xffffffff81200fff), "beyond+0xfff [kernel.kallsyms]");
	assert_string_equal(at(s, 0xffffffff81201000), "");
	assert_string_equal(at(s, 0xffffffff80fffeff), "");
	symbols_free(s);
}

static void modules_have_symbols_of_their_own(void **state)
{
	struct symbols *s = with_list(0);

	assert_string_equal(at(s, 0xffffffffa0000009), "mod_a+0x9 [mm]");
	assert_string_equal(at(s, 0xffffffffa00000ff), "mod_b+0xef [mm]");
	assert_string_equal(at(s, 0xffffffffa0001fff), "mod_c+0x1eff [n_n]");
	assert_string_equal(at(s, 0xffffffffa0002100), "[n_n]");
	symbols_free(s);
}

/* What a session says of the first address of this machine's list, or why it cannot. */
static const char *of_this_machine(bool ahead)
{
	struct symbols_opts opts = { .kallsyms = "/proc/kallsyms" };
	struct symbols *s = symbols_new(&opts);
	static char text[512];

	symbols_dso(s, &(struct dso_args){ .filename = "[kernel.kallsyms]_text", .kernel = true });
	if (ahead)
		symbols_read_ahead(s);
	assert_int_equal(s->kallsyms_reading, ahead);
	snprintf(text, sizeof(text), "%s %u", symbol_name(s, DSO_KERNEL, dso_find(s, DSO_KERNEL, UINT64_MAX >> 1)),
		 dso_reason(s, DSO_KERNEL));
	assert_false(s->kallsyms_reading);
	symbols_free(s);
	return text;
}

static void lists_without_size_are_read_ahead(void **state)
{
	autofree char *alone = NULL;
	struct symbols *s;

	if (access("/proc/kallsyms", R_OK))
		skip();
	setenv("STROBE_THREADS", "2", 1);
	alone = xstrdup(of_this_machine(false));
	assert_string_equal(of_this_machine(true), alone);

	/* Nobody asks, or another list is needed. */
	s = symbols_new(&(struct symbols_opts){ .kallsyms = "/proc/kallsyms" });
	symbols_read_ahead(s);
	symbols_free(s);
	s = symbols_new(&(struct symbols_opts){ .kallsyms = "/proc/kallsyms" });
	symbols_dso(s, &(struct dso_args){ .filename = "[kernel.kallsyms]_text", .kernel = true });
	symbols_read_ahead(s);
	s->opts.kallsyms = "/nonexistent";
	assert_int_equal(dso_find(s, DSO_KERNEL, 1), 0);
	assert_string_equal(dso_problem(s, DSO_KERNEL), "the kallsyms file is missing");
	symbols_free(s);

	setenv("STROBE_THREADS", "1", 1);
	s = symbols_new(&(struct symbols_opts){ .kallsyms = "/proc/kallsyms" });
	symbols_read_ahead(s);
	assert_false(s->kallsyms_reading);
	symbols_free(s);
	unsetenv("STROBE_THREADS");
}

/* ---- block by block ---- */

enum { ASKED = 64 };

/* A session with this list. If `whole`, it reads the list whole. */
static struct symbols *kernel_only(bool whole)
{
	struct symbols *s = symbols_new(&(struct symbols_opts){ .kallsyms = fixture_path("list") });

	symbols_dso(s, &(struct dso_args){ .filename = "[kernel.kallsyms]_text", .kernel = true });
	if (whole) {
		s->kallsyms = kernel_list_open(fixture_path("list"));
		kernel_list_problem(s->kallsyms);
	}
	return s;
}

static void check_same(struct symbols *some, uint32_t found, struct symbols *whole, uint32_t known)
{
	const struct symbol *a = dso_symbol(some, DSO_KERNEL, found), *b = dso_symbol(whole, DSO_KERNEL, known);

	assert_string_equal(symbol_name(some, DSO_KERNEL, found), symbol_name(whole, DSO_KERNEL, known));
	assert_int_equal(!!a, !!b);
	if (!a)
		return;
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->binding, b->binding);
}

static void check_span(struct symbols *some, struct symbols *whole)
{
	uint64_t start = 0, end = 0, known_start = 0, known_end = 0;

	assert_int_equal(dso_span(some, DSO_KERNEL, &start, &end),
			 dso_span(whole, DSO_KERNEL, &known_start, &known_end));
	assert_int_equal(start, known_start);
	assert_int_equal(end, known_end);
}

/*
 * Look up addresses, those around them, and what follows them, in a session that reads blocks, and in one that reads
 * the whole list: the answers are the same, and remain so. Return whether the list was read in blocks.
 */
static bool blocks_answer(const char *text, const uint64_t *asked, size_t n)
{
	struct symbols *some, *whole;
	uint32_t found[ASKED], known[ASKED];
	bool in_blocks;

	fixture_write("list", text);
	some = kernel_only(false);
	whole = kernel_only(true);
	dso_find_sorted(some, DSO_KERNEL, asked, found, n);
	dso_find_sorted(whole, DSO_KERNEL, asked, known, n);
	assert_null(symbols_get_dso(whole, DSO_KERNEL)->blocks);
	in_blocks = symbols_get_dso(some, DSO_KERNEL)->blocks;
	for (size_t i = 0; i < n; i++)
		check_same(some, found[i], whole, known[i]);
	for (size_t i = 0; i < n; i++)
		for (uint64_t at = asked[i] - 64; at < asked[i] + 64; at += 8) {
			check_same(some, dso_find(some, DSO_KERNEL, at), whole, dso_find(whole, DSO_KERNEL, at));
			check_same(some, dso_find_after(some, DSO_KERNEL, at), whole,
				   dso_find_after(whole, DSO_KERNEL, at));
		}
	for (size_t i = 0; i < n; i++)
		assert_int_equal(dso_find(some, DSO_KERNEL, asked[i]), found[i]);
	check_span(some, whole);
	symbols_free(some);
	symbols_free(whole);
	return in_blocks;
}

static void the_usual_list_is_read_in_blocks(void **state)
{
	static const char usual[] = "0000000000000000 A fixed\n"
				    "ffffffff81000000 T _text\n"
				    "ffffffff81000010 t alias_one\n"
				    "ffffffff81000010 T two\n"
				    "ffffffff81000010 r no_code\n"
				    "ffffffff81000010 T three\n"
				    "ffffffff81000020 W weak\t\n"
				    "ffffffff81000028 t $x\n"
				    "ffffffff8100002a t \n"
				    "ffffffff81000030 D data\n"
				    "ffffffff81000034 t between\t[e1000]\n"
				    "ffffffff8100003g D no number\n"
				    "ffffffff81000040 b last\n"
				    "ffffffffc0000000 t mod_init\t[e1000]\n"
				    "ffffffffa0000000 t other\t[nvme]";
	static const uint64_t asked[] = { 0,
					  0xffffffff80ffff00,
					  0xffffffff81000000,
					  0xffffffff8100000f,
					  0xffffffff81000010,
					  0xffffffff8100001f,
					  0xffffffff81000020,
					  0xffffffff8100002f,
					  0xffffffff81000033,
					  0xffffffff81000040,
					  0xffffffff81000fff,
					  0xffffffff81001000,
					  0xffffffff81002000,
					  UINT64_MAX };

	assert_true(blocks_answer(usual, asked, ARRAY_SIZE(asked)));
	/* not ascending */
	assert_true(blocks_answer(usual, (uint64_t[]){ 0xffffffff81000010, 0xffffffff81000000 }, 2));
	/* no newline at the end */
	assert_true(blocks_answer("ffffffff81000000 T a\nffffffff81000008 T b", (uint64_t[]){ 0xffffffff81000009 }, 1));
	/* more symbols of one address than a block holds, and many lines without a symbol */
	for (unsigned lines = 1; lines < 200; lines += 33) {
		struct out o;

		out_init_mem(&o);
		for (unsigned i = 0; i < 3 * lines; i++)
			out_fmt(&o, "ffffffff8100%04x %c name_%u\n", i / lines * 0x10 + 0x10, "TRT"[i / lines], i);
		for (unsigned i = 0; i < lines; i++)
			out_fmt(&o, "ffffffff8200%04x T name_%u\n", i, i);
		assert_true(blocks_answer(out_text(&o), (uint64_t[]){ 0xffffffff81000020, 0xffffffff82000020 }, 2));
		out_release(&o);
	}
}

static void other_lists_are_read_whole(void **state)
{
	static const char *const others[] = {
		"",
		"\n",
		"ffffffff81000000 T",
		"0000000000000000 T a\n0000000000000000 T b\n",
		"ffffffff81000020 T b\nffffffff81000000 T a\n",
		"ffffffff81000000 T a\n\nffffffff81000020 T b\n",
		"ffffffff81000000 T a\n81000020 T b\nffffffff81000030 T c\n",
		"ffffffff81000000 T a\nffffffff81000020 T b\n99 T c\n",
		"FFFFFFFF81000000 T a\nffffffff81000020 T b\n",
		"ffffffff8100000B T b\nffffffff8100000a T a\nffffffff81000020 T c\n",
		"ffffffffg1000000 T b\nffffffffh1000020 T c\n",
		"ffffffff81000000 T a\nffffffff81000010 ? what\nffffffff81000020\tT c\n",
	};
	static const uint64_t asked[] = { 0xffffffff81000000, 0xffffffff81000008, 0xffffffff81000021 };

	struct out o;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(blocks_answer(others[i], asked, ARRAY_SIZE(asked)));
	/* out of order in the middle */
	out_init_mem(&o);
	for (unsigned i = 0; i < 100; i++)
		out_fmt(&o, "ffffffff8100%04x T name_%u\n", i == 50 ? 0x10 : 0x100 + i * 0x10, i);
	assert_false(blocks_answer(out_text(&o), asked, ARRAY_SIZE(asked)));
	out_release(&o);
}

/* If the addresses pass 2^64 when they are moved, their order is another one. */
static void a_list_that_wraps_when_moved_is_read_whole(void **state)
{
	static const char text[] = "0000000000001000 D low\nffffffff81000000 T _text\nffffffff81000100 T f\n";
	static const struct {
		uint64_t start;
		bool in_blocks;
	} kernels[] = { { 0xffffffff81000000, true },
			{ 0xffffffff91000000, true },
			{ 0xffffffff80fff000, true },
			{ 0xffffffff80ffefff, false } };

	fixture_write("list", text);
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct symbols *s = kernel_only(false);
		uint32_t found;

		symbols_get_dso(s, DSO_KERNEL)->start = kernels[i].start;
		found = dso_find(s, DSO_KERNEL, kernels[i].start + 0x100);
		assert_string_equal(symbol_name(s, DSO_KERNEL, found), "f");
		assert_int_equal(!!symbols_get_dso(s, DSO_KERNEL)->blocks, kernels[i].in_blocks);
		symbols_free(s);
	}
}

/* Longer than the buffer in which it is read, with groups of lines that lie across its end. */
static void random_lists_and_addresses_agree(void **state)
{
	enum { LINES = 20000, TEXT = 64 * LINES };
	static const char types[] = "tTtTtTwWdDbBrRA";
	autofree char *text = xmalloc(TEXT);

	srandom(1);
	for (unsigned round = 0; round < 8; round++) {
		uint64_t address = 0xffffffff81000000, asked[ASKED];
		size_t at = 0;

		for (unsigned i = 0; i < LINES; i++) {
			at += (size_t)snprintf(text + at, TEXT - at, "%016" PRIx64 " %c name_%lx_%u\n", address,
					       types[(unsigned)random() % (sizeof(types) - 1)], random(), i);
			address += random() % 3 ? (uint64_t)random() % 64 : 0;
		}
		snprintf(text + at, TEXT - at, "ffffffffc0000000 t init\t[mod]\n");
		for (size_t i = 0; i < ASKED; i++)
			asked[i] = 0xffffffff81000040 + (address - 0xffffffff81000000) / ASKED * i +
				   (uint64_t)random() % 32;
		assert_true(blocks_answer(text, asked, ASKED));
	}
}

static struct sigaction ours; /* of mapped files; cmocka replaces it */

/* What the file has lost by the time it is read has no names. */
static void a_list_may_shrink_while_it_is_in_use(void **state)
{
	struct symbols *s;
	struct out o;

	sigaction(SIGBUS, &ours, NULL);
	out_init_mem(&o);
	for (unsigned i = 0; i < 10000; i++)
		out_fmt(&o, "ffffffff81%06x t f%u\n", i * 16, i);
	fixture_write("list", out_text(&o));
	out_release(&o);
	s = kernel_only(false);
	assert_string_equal(symbol_name(s, DSO_KERNEL, dso_find(s, DSO_KERNEL, 0xffffffff81000008)), "f0");
	assert_int_equal(truncate(fixture_path("list"), 60), 0);
	assert_int_equal(dso_find(s, DSO_KERNEL, 0xffffffff81010008), 0);
	assert_int_equal(dso_find_after(s, DSO_KERNEL, 0xffffffff81010008) > 0, 1);
	assert_string_equal(symbol_name(s, DSO_KERNEL, dso_find(s, DSO_KERNEL, 0xffffffff81000008)), "f0");
	symbols_free(s);
}

enum { READERS = 4 };

static void *look_up_all(void *of)
{
	struct symbols *s = of;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 10000; i++) {
		uint32_t found = dso_find(s, DSO_KERNEL, 0xffffffff81000000 + i * 16 % 10007 * 16);

		sum = sum * 31 + found + (uint64_t)*symbol_name(s, DSO_KERNEL, found);
	}
	return (void *)(uintptr_t)sum;
}

static void threads_find_the_same_numbers(void **state)
{
	struct symbols *s;
	pthread_t threads[READERS];
	void *sums[READERS];
	struct out o;

	out_init_mem(&o);
	for (unsigned i = 0; i < 10000; i++)
		out_fmt(&o, "ffffffff81%06x t %c%u\n", i * 16, 'a' + i % 26, i);
	fixture_write("list", out_text(&o));
	out_release(&o);
	s = kernel_only(false);
	for (unsigned i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, look_up_all, s), 0);
	for (unsigned i = 0; i < READERS; i++) {
		pthread_join(threads[i], &sums[i]);
		assert_ptr_equal(sums[i], sums[0]);
	}
	assert_non_null(symbols_get_dso(s, DSO_KERNEL)->blocks);
	symbols_free(s);
}

static void modules_can_be_unwanted_and_names_demangled(void **state)
{
	struct symbols *s = with_list(0);

	s->opts.no_modules = s->opts.demangle_kernel = true;
	assert_string_equal(at(s, 0xffffffffa0000009), "[mm]");
	assert_int_equal(dso_why_unnamed(s, symbols_find_dso(s, "[mm]")), REASON_NOT_WANTED);
	assert_string_equal(at(s, 0xffffffff81000018), "__pfx_foo+0x8 [kernel.kallsyms]");
	assert_int_equal(symbols_get_dso(s, DSO_KERNEL)->symbols[0].flags & SYMBOL_RAW, 0);
	symbols_free(s);
}

static void another_base_is_made_up_for(void **state)
{
	struct symbols *s = with_list(0x10000000);

	assert_string_equal(at(s, 0xffffffff91000018), "__pfx_foo+0x8 [kernel.kallsyms]");
	/* but the modules' places in that boot are unknown */
	assert_string_equal(at(s, 0xffffffffb0000009), "[mm]");
	assert_string_equal(dso_problem(s, symbols_find_dso(s, "[mm]")), "the kallsyms file is of another boot");
	symbols_free(s);
}

static void a_list_without_the_reference_symbol_is_not_used(void **state)
{
	struct symbols *s = with_list(0);
	struct symbols_opts opts = { .foreign = true, .kallsyms = fixture_path("list") };

	symbols_free(s);
	s = symbols_new(&opts);
	symbols_dso(s, &(struct dso_args){ .filename = "[kernel.kallsyms]_stext", .kernel = true });
	space_map(s, SPACE_KERNEL,
		  &(struct map_args){
			  .start = 0xffffffff81000000, .len = 0x1000, .pgoff = 0xffffffff81000000, .dso = DSO_KERNEL });
	assert_string_equal(at(s, 0xffffffff81000010), "[kernel.kallsyms]");
	assert_non_null(dso_problem(s, DSO_KERNEL));
	symbols_free(s);
}

static void nothing_of_this_machine_stands_in_for_another(void **state)
{
	struct symbols *s = fixture_store(NULL);

	assert_int_equal(dso_find(s, DSO_KERNEL, 0xffffffff81000010), 0);
	assert_string_equal(dso_problem(s, DSO_KERNEL), "another kernel runs here than the recorded one");
	symbols_free(s);
}

static void a_guest_has_a_list_of_its_own(void **state)
{
	struct symbols_opts opts = { .foreign = true, .guest_kallsyms = fixture_path("list") };
	struct symbols *s = symbols_new(&opts);
	uint32_t symbol;

	fixture_write("list", list);
	symbol = dso_find(s, DSO_GUEST_KERNEL, 0xffffffff81000010);
	assert_string_equal(symbol_name(s, DSO_GUEST_KERNEL, symbol), "__pfx_foo");
	assert_int_equal(dso_find(s, DSO_KERNEL, 0xffffffff81000010), 0);
	symbols_free(s);
}

static void hidden_addresses_are_reported(void **state)
{
	static const char zeroes[] = "0000000000000000 T _text\n0000000000000000 t x\n";
	struct kallsyms *k = kallsyms_parse(zeroes, strlen(zeroes));

	assert_string_equal(reasons[k->problem].text, "kernel addresses are hidden (sysctl kernel.kptr_restrict)");
	kallsyms_free(k);
	k = kallsyms_read("/nonexistent");
	assert_string_equal(reasons[k->problem].text, "the kallsyms file is missing");
	kallsyms_free(k);
	k = kallsyms_read("/dev/null");
	assert_int_not_equal(k->problem, REASON_NONE);
	kallsyms_free(k);
}

static void odd_lines_are_passed_over(void **state)
{
	static const char odd[] = "\n \nxyz\nffffffff81000000\nffffffff81000000 \nffffffff81000000 T\nffffffff81000000 "
				  "T \n12345678123456781 T too_long\n"
				  "ffffffff81000000 T\ttab\n1 T \t[m]\n2 T $d\n3 t x\t[\n4 t y\t[m]\n5 t z";
	struct kallsyms *k = kallsyms_parse(odd, strlen(odd));

	assert_int_equal(k->symbols.len, 3);
	assert_int_equal(k->symbols.items[0].address, 3);
	assert_int_equal(k->symbols.items[0].module, 0);
	assert_int_equal(k->symbols.items[1].module, 1);
	assert_string_equal(k->text.items + k->modules.items[1], "[m]");
	assert_string_equal(k->text.items + k->symbols.items[2].name, "z");
	kallsyms_free(k);
}

/* Read several buffers, with a line longer than a buffer. */
static void a_look_tells_which_names_a_list_lacks(void **state)
{
	struct out o;

	out_init_mem(&o);
	/* several buffers, with the wanted names at every position of one */
	for (size_t i = 0; i < 20000; i++)
		out_fmt(&o, "ffffffff81%06zx t name_%zu%s\n", i, i, i % 7 ? "" : "\t[mod]");
	out_str(&o, "ffffffff82000000 T at_the_end");
	fixture_write("long", out_text(&o));
	for (size_t i = 0; i < 20000; i += 97) {
		autofree char *name = xasprintf("name_%zu", i), *longer = xasprintf("name_%zux", i);

		assert_false(kallsyms_lacks(fixture_path("long"), (const char *const[]){ "none", name, NULL }));
		assert_true(kallsyms_lacks(fixture_path("long"), (const char *const[]){ longer, name + 1, NULL }));
	}
	assert_false(kallsyms_lacks(fixture_path("long"), (const char *const[]){ "at_the_end", NULL }));
	assert_true(kallsyms_lacks(fixture_path("long"),
				   (const char *const[]){ "at_the_en", "the_end", "[mod]", "t", NULL }));
	assert_false(kallsyms_lacks(fixture_path("nothing there"), (const char *const[]){ "x", NULL }));
	fixture_write("list", list);
	assert_false(kallsyms_lacks(fixture_path("list"), (const char *const[]){ "mod_c", NULL }));
	assert_true(kallsyms_lacks(fixture_path("list"), (const char *const[]){ "mod", NULL }));
	fixture_write("list", "");
	assert_false(kallsyms_lacks(fixture_path("list"), (const char *const[]){ "mod", NULL }));
	out_release(&o);
}

static void long_files_are_read_in_pieces(void **state)
{
	enum { LINES = 60000 };
	FILE *f = fopen(fixture_path("long"), "w");
	struct kallsyms *k;

	for (int i = 0; i < LINES; i++) {
		fprintf(f, "%x t symbol_number_%d\n", 0x1000 + i, i);
		if (i == LINES / 2) {
			fprintf(f, "77 t ");
			for (int n = 0; n < 3 << 20; n++)
				putc('x', f);
			putc('\n', f);
		}
	}
	assert_int_equal(fclose(f), 0);
	k = kallsyms_read(fixture_path("long"));
	assert_int_equal(k->problem, REASON_NONE);
	assert_int_equal(k->symbols.len, LINES);
	for (uint32_t i = 0; i < LINES; i++)
		assert_int_equal(k->symbols.items[i].address, 0x1000 + i);
	kallsyms_free(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_named_as_perf_does),
		cmocka_unit_test(modules_have_symbols_of_their_own),
		cmocka_unit_test(lists_without_size_are_read_ahead),
		cmocka_unit_test(the_usual_list_is_read_in_blocks),
		cmocka_unit_test(other_lists_are_read_whole),
		cmocka_unit_test(a_list_that_wraps_when_moved_is_read_whole),
		cmocka_unit_test(random_lists_and_addresses_agree),
		cmocka_unit_test(a_list_may_shrink_while_it_is_in_use),
		cmocka_unit_test(threads_find_the_same_numbers),
		cmocka_unit_test(another_base_is_made_up_for),
		cmocka_unit_test(modules_can_be_unwanted_and_names_demangled),
		cmocka_unit_test(a_list_without_the_reference_symbol_is_not_used),
		cmocka_unit_test(nothing_of_this_machine_stands_in_for_another),
		cmocka_unit_test(a_guest_has_a_list_of_its_own),
		cmocka_unit_test(hidden_addresses_are_reported),
		cmocka_unit_test(odd_lines_are_passed_over),
		cmocka_unit_test(a_look_tells_which_names_a_list_lacks),
		cmocka_unit_test(long_files_are_read_in_pieces),
	};

	struct file_map self;

	assert_int_equal(file_map(&self, "/proc/self/exe", NULL), 0); /* installs the handler */
	sigaction(SIGBUS, NULL, &ours);
	file_unmap(&self);
	return cmocka_run_group_tests_name("from_kallsyms", tests, fixture_setup, fixture_teardown);
}
