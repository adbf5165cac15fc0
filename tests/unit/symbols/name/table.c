#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <time.h>

#include "symbols/name/table.h"

static void release(struct dso *d)
{
	free(d->symbols);
	free(d->names);
	arena_release(&d->arena);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void sorting_keeps_the_order_of_equals(void **state)
{
	enum { N = 20000 };
	struct symbol *s = xcalloc(N, sizeof(*s));
	uint64_t seed = 5;

	for (uint32_t i = 0; i < N; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		s[i].start = i % 3 ? seed >> 40 : seed & 0xffffffff0000ffff;
		if (i % 7 == 0)
			s[i].start = 77;
		s[i].name = i;
	}
	table_sort(s, N);
	for (uint32_t i = 1; i < N; i++)
		assert_true(s[i - 1].start < s[i].start || (s[i - 1].start == s[i].start && s[i - 1].name < s[i].name));
	table_sort(s, 0);
	table_sort(s, 1);
	free(s);
}

static void ends_are_made_up_where_they_are_missing(void **state)
{
	static const char names[] = "\0a\0b\0c\0d";
	struct dso d = { 0 };
	struct symbol_table t = { 0 };
	uint8_t strings = (uint8_t)dso_add_strings(&d, names, sizeof(names));

	vec_push(&t, (struct symbol){ 0x3000, 0x3000, 7, strings, STB_GLOBAL, STT_FUNC, 0 });
	vec_push(&t, (struct symbol){ 0x1000, 0x1000, 1, strings, STB_GLOBAL, STT_FUNC, 0 });
	vec_push(&t, (struct symbol){ 0x2000, 0x2010, 3, strings, STB_GLOBAL, STT_FUNC, 0 });
	vec_push(&t, (struct symbol){ UINT64_MAX - 5, UINT64_MAX - 5, 5, strings, STB_GLOBAL, STT_FUNC, 0 });
	table_finish(&t, &d, TABLE_ELF);
	assert_int_equal(d.n_symbols, 4);
	assert_int_equal(d.symbols[0].end, 0x2000);
	assert_int_equal(d.symbols[1].end, 0x2010);
	assert_int_equal(d.symbols[2].end, UINT64_MAX - 5);
	assert_int_equal(d.symbols[3].end, UINT64_MAX);
	assert_int_equal(table_find(&d, 0xfff), 0);
	assert_int_equal(table_find(&d, 0x1fff), 1);
	assert_int_equal(table_find(&d, 0x2010), 0);
	release(&d);
}

static void names_outside_of_their_table_are_empty(void **state)
{
	struct dso d = { 0 };
	struct symbol s = { .name = 100 };
	size_t len;

	assert_string_equal(dso_raw_name(&d, &s, &len), "");
	s.strings = (uint8_t)dso_add_strings(&d, "abc", 3); /* no NUL at its end */
	assert_string_equal(dso_raw_name(&d, &s, &len), "");
	s.name = 1;
	assert_memory_equal(dso_raw_name(&d, &s, &len), "bc", 2);
	assert_int_equal(len, 2);
	assert_false(dso_name_is(&d, &s, "bc")); /* which does not prove that it is complete */
	for (int i = 1; i < MAX_STRINGS; i++)
		assert_int_equal(dso_add_strings(&d, "x", 2), i);
	assert_int_equal(dso_add_strings(&d, "x", 2), -1);
	release(&d);
}

static void the_longest_name_without_underscores_is_the_best(void **state)
{
	static const char names[] = "\0ab\0abc\0_abcd";
	struct dso d = { 0 };
	uint8_t strings = (uint8_t)dso_add_strings(&d, names, sizeof(names));
	const struct symbol s[] = { { .name = 1, .strings = strings, .flags = SYMBOL_ALIASED },
				    { .name = 4, .strings = strings, .flags = SYMBOL_ALIASED },
				    { .name = 8, .strings = strings } };
	struct arena arena = { 0 };

	assert_string_equal(table_best_text(&d, s, true, &arena), "abc");
	assert_string_equal(table_best_text(&d, s + 2, true, &arena), "_abcd");
	arena_release(&arena);
	release(&d);
}

/*
 * A string table of 1 MB without an end, shared by 100,000 symbols of one address: reading all
 * names would take 100 GB.
 */
static void shared_names_cannot_stall(void **state)
{
	enum { N = 100000, LEN = 1 << 20 };
	autofree char *text = xmalloc(LEN);
	double before = seconds();

	memset(text, 'x', LEN);
	memcpy(text, "_ZN", 3);
	for (int sized = 0; sized < 2; sized++) {
		struct dso d = { 0 };
		struct symbol_table t = { 0 };
		uint8_t strings = (uint8_t)dso_add_strings(&d, text, LEN);
		const char *name;

		for (uint32_t i = 0; i < N; i++)
			vec_push(&t, (struct symbol){ 0x1000, 0x2000 + (sized ? i : 0), i % 1000, strings, STB_GLOBAL,
						      STT_FUNC, 0 });
		table_finish(&t, &d, TABLE_ELF);
		assert_int_equal(table_find(&d, 0x1800), 1);
		name = table_best_text(&d, &d.symbols[0], false, &d.arena);
		assert_true(strlen(name) > 1000);
		release(&d);
	}
	assert_true(seconds() - before < 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorting_keeps_the_order_of_equals),
		cmocka_unit_test(ends_are_made_up_where_they_are_missing),
		cmocka_unit_test(names_outside_of_their_table_are_empty),
		cmocka_unit_test(the_longest_name_without_underscores_is_the_best),
		cmocka_unit_test(shared_names_cannot_stall),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
