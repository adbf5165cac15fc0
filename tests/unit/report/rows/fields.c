#include "report/rows/fields.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Columns and sort order as names. */
static void check(const struct fields_opts *o, const char *columns, const char *sort)
{
	struct fields f = { 0 };
	struct err e = { 0 };
	struct out text;

	if (fields_parse(&f, o, &e) < 0)
		fail_msg("%s", e.what);
	out_init_mem(&text);
	for (size_t i = 0; i < f.columns.len; i++)
		out_fmt(&text, "%s%s", i ? "," : "", f.columns.items[i]->name);
	assert_string_equal(out_text(&text), columns);
	text.len = 0;
	for (size_t i = 0; i < f.sort.len; i++)
		out_fmt(&text, "%s%s", i ? "," : "", f.sort.items[i]->name);
	assert_string_equal(out_text(&text), sort);
	out_release(&text);
	fields_free(&f);
}

#define CHECK(columns, sort, ...) check(&(struct fields_opts){ __VA_ARGS__ }, columns, sort)

static void defaults(void **state)
{
	CHECK("overhead,comm,dso,symbol", "overhead,comm,dso,symbol", 0);
	CHECK("overhead_children,overhead,comm,dso,symbol", "overhead_children,overhead,comm,dso,symbol",
	      .children = true);
	CHECK("overhead,trace", "overhead,trace", .tracepoints = true);
	CHECK("overhead,comm,dso_from,symbol_from,symbol_to,cycles",
	      "overhead,comm,dso_from,symbol_from,symbol_to,cycles", .branch = true);
}

static void counts_stand_behind_shares(void **state)
{
	CHECK("overhead,sample,period,comm", "overhead,comm,sample,period", .sort = "comm", .samples = true,
	      .period = true);
}

static void keys_may_be_shortened_and_repeated(void **state)
{
	CHECK("overhead,symbol,comm", "overhead,symbol,comm", .sort = "sym,comm,sym");
	CHECK("overhead,symbol_from", "overhead,symbol_from", .sort = "sym_from", .branch = true);
}

static void plus_adds_to_the_default(void **state)
{
	CHECK("overhead,comm,dso,symbol,cpu", "overhead,comm,dso,symbol,cpu", .sort = "+cpu");
	CHECK("overhead,period,comm,dso,symbol", "overhead,comm,dso,symbol,period", .fields = "+period");
}

static void fields_alone_tell_the_order(void **state)
{
	CHECK("comm,overhead", "comm,overhead", .fields = "comm,overhead", .children = true, .samples = true);
	CHECK("symbol,dso", "dso,symbol", .fields = "sym", .sort = "dso");
}

static void a_pattern_of_parents_adds_the_key(void **state)
{
	CHECK("overhead,comm,parent", "overhead,comm,parent", .sort = "comm", .parent = true);
}

static void unknown_keys_are_bad_usage(void **state)
{
	struct fields f = { 0 };
	struct err e = { 0 };

	assert_int_equal(fields_parse(&f, &(struct fields_opts){ .sort = "comm,xyz" }, &e), -1);
	assert_string_equal(e.what, "Unknown --sort key: `xyz'");
	assert_int_equal(e.exit_code, 129);
	fields_free(&f);
	memset(&f, 0, sizeof(f));
	assert_int_equal(fields_parse(&f, &(struct fields_opts){ .fields = "xyz" }, &e), -1);
	assert_string_equal(e.what, "Unknown --fields key: `xyz'");
	fields_free(&f);
	memset(&f, 0, sizeof(f));
	assert_int_equal(fields_parse(&f, &(struct fields_opts){ .sort = "symbol_from" }, &e), -1);
	assert_string_equal(e.what, "Invalid --sort key: `symbol_from'");
	fields_free(&f);
}

static void the_table_is_whole(void **state)
{
	autofree const struct key **keys = keys_all();

	for (size_t i = 0; keys[i]; i++) {
		const struct key *k = keys[i];

		assert_non_null(k->title);
		assert_true(k->from != KEY_SUM || k->sum);
		assert_true(k->from != KEY_SAMPLE || k->sample.value);
		assert_true((k->from != KEY_SITE && k->from != KEY_OTHER) || k->site);
		assert_true(k->sum || k->text);
		assert_ptr_equal(key_find(k->name, strlen(k->name)), k);
		assert_true(!i || keys[i - 1]->rank < k->rank || !k->rank);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(counts_stand_behind_shares),
		cmocka_unit_test(keys_may_be_shortened_and_repeated),
		cmocka_unit_test(plus_adds_to_the_default),
		cmocka_unit_test(fields_alone_tell_the_order),
		cmocka_unit_test(a_pattern_of_parents_adds_the_key),
		cmocka_unit_test(unknown_keys_are_bad_usage),
		cmocka_unit_test(the_table_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
