/* Lines of threads over time: short pieces grow together, long ones and the whole time stay. */
#include "report/stacks/lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void add(struct lanes *l, uint32_t thread, const char *label, uint64_t from, uint64_t to, int32_t waker)
{
	lanes_add(l, &(struct lane_span){ .thread = thread,
					  .pid = 10,
					  .tid = 10 + (int32_t)thread,
					  .comm = "</script>",
					  .label = label,
					  .from = from,
					  .to = to,
					  .waker_tid = waker });
}

static void few_spans_stay_as_they_are(void **state)
{
	struct lanes *l = lanes_new(100);
	struct out o;

	add(l, 0, "[running]", 1000, 3000, -1);
	add(l, 0, "[lock]", 3000, 9000, 11);
	add(l, 1, "[runnable]", 2000, 2500, -1);
	add(l, 1, "[running]", 2500, 9000, -1);
	assert_int_equal(lanes_pieces(l), 4);
	out_init_mem(&o);
	lanes_json(l, &o);
	assert_non_null(strstr(out_text(&o), "\"ns\":8000"));
	assert_non_null(strstr(out_text(&o), "\"pieces\":[0,2000,1,100,0,2000,6000,4,0,2]"));
	assert_null(strstr(out_text(&o), "</script>"));
	out_release(&o);
	lanes_free(l);
}

/* However many there are, their number has a limit; a long one keeps what it was. */
static void many_short_spans_become_few(void **state)
{
	enum { N = 100000, MOST = 500 };
	struct lanes *l = lanes_new(MOST);
	uint64_t at = 0;
	struct out o;

	for (int i = 0; i < N; i++, at += 150) {
		add(l, 0, "[running]", at, at + 100, -1);
		add(l, 0, "[pipe]", at + 100, at + 150, 11);
	}
	add(l, 0, "[lock]", at, at + 10000000, 11);
	assert_true(lanes_pieces(l) <= MOST && lanes_pieces(l) > 20);
	out_init_mem(&o);
	lanes_json(l, &o);
	assert_non_null(strstr(out_text(&o), ",10000000,4,0,"));
	assert_non_null(strstr(out_text(&o), ",0,66,0,")); /* two thirds of such a piece it ran */
	out_release(&o);
	lanes_free(l);
}

static void labels_are_found_with_marks(void **state)
{
	assert_int_equal(flame_wait_find("lock"), 0);
	assert_int_equal(flame_wait_find("[lock]x"), 0);
	assert_true(flame_wait_find("[lock]") > 2);
	assert_int_equal(flame_wait_find("[lock]_[k]"), flame_wait_find("[lock]"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_spans_stay_as_they_are),
		cmocka_unit_test(many_short_spans_become_few),
		cmocka_unit_test(labels_are_found_with_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
