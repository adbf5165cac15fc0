/* The page: its data is one JSON object that nothing foreign can leave. */
#include "report/stacks/export.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/report/stacks/made.h"

static char *page(struct stacks *st, const char *title)
{
	struct flame *f;
	struct out o;
	char *text;

	for (size_t i = 0; i < st->names.len; i++)
		if (!st->names.items[i].object)
			st->names.items[i].object = "";
	f = flame_new(st, 0);
	out_init_mem(&o);
	export_html(f, &(struct flamegraph_opts){ .unit = "ns", .title = title }, &o);
	text = xstrdup(out_text(&o));
	out_release(&o);
	flame_free(f);
	made_release(st);
	return text;
}

static void boxes_are_columns_of_numbers(void **state)
{
	struct stacks st = { 0 };
	autofree char *text = NULL;

	made_stack(&st, "ab", 7, 0);
	made_stack(&st, "c", 3, 0);
	text = page(&st, NULL);
	assert_non_null(strstr(text, "\"depth\":[0,1,2,1]"));
	assert_non_null(strstr(text, "\"name\":[0,1,2,3]"));
	assert_non_null(strstr(text, "\"names\":[\"all\",\"a\",\"b\",\"c\""));
	assert_non_null(strstr(text, "\"title\":\"Profile\""));
	assert_null(strstr(text, "@DATA@"));
	assert_null(strstr(text, "@SCRIPT@"));
}

static void slices_of_time_point_at_boxes(void **state)
{
	struct stacks st = { .opts = { .time_bins = 4 }, .bin_ns = 500000000 };
	autofree char *text = NULL;

	made_stack(&st, "ab", 7, 0);
	vec_push(&st.slices, (struct stack_slice){ .bin = 1, .weight = 5 });
	vec_push(&st.slices, (struct stack_slice){ .bin = 3, .weight = 2 });
	st.stacks.items[0].n_slices = 2;
	text = page(&st, NULL);
	assert_non_null(strstr(text, "\"bins\":4,\"seconds\":2.000000"));
	assert_non_null(strstr(text, "\"box\":[2,2]"));
	assert_non_null(strstr(text, "\"bin\":[1,3]"));
	assert_non_null(strstr(text, "\"weight\":[5,2]"));
	vec_free(&st.slices);
}

static void foreign_texts_stay_inside_their_quotes(void **state)
{
	struct stacks st = { 0 };
	autofree char *text = NULL;

	made_stack(&st, "a", 7, 0);
	st.names.items[1].text = "</script>\"";
	st.names.items[1].len = 10;
	st.names.items[1].object = "</script>";
	text = page(&st, "</script><b>");
	assert_null(strstr(text, "</script>\\\""));
	assert_null(strstr(text, "</script><b>"));
	assert_non_null(strstr(text, "\\u003c/script>\\\""));
}

static void marks_of_kinds_are_not_shown(void **state)
{
	struct stacks st = { 0 };
	autofree char *text = NULL;

	made_stack(&st, "a", 7, 0);
	st.names.items[1].text = "schedule_[k]";
	st.names.items[1].len = 12;
	text = page(&st, NULL);
	assert_non_null(strstr(text, "\"schedule\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_are_columns_of_numbers),
		cmocka_unit_test(slices_of_time_point_at_boxes),
		cmocka_unit_test(foreign_texts_stay_inside_their_quotes),
		cmocka_unit_test(marks_of_kinds_are_not_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
