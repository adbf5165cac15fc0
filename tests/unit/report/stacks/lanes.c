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
	const struct thread_lane *lane;
	size_t n;

	add(l, 0, "[running]", 1000, 3000, -1);
	add(l, 0, "[lock]", 3000, 9000, 11);
	add(l, 1, "[runnable]", 2000, 2500, -1);
	add(l, 1, "[running]", 2500, 9000, -1);
	assert_int_equal(lanes_pieces(l), 4);
	lane = lanes_all(l, &n);
	assert_int_equal(n, 2);
	assert_int_equal(lane[0].pieces.len, 2);
	assert_true(lane[0].pieces.items[0].from == 1000 && lane[0].pieces.items[0].ran == 2000);
	assert_true(lane[0].pieces.items[1].from == 3000 && lane[0].pieces.items[1].to == 9000);
	assert_int_equal(lane[0].pieces.items[1].what, flame_wait_find("[lock]"));
	assert_int_equal(lane[0].pieces.items[1].waker_tid, 11);
	lanes_free(l);
}

/* However many there are, their number has a limit; a long one keeps what it was. */
static void many_short_spans_become_few(void **state)
{
	enum { N = 100000, MOST = 500 };
	struct lanes *l = lanes_new(MOST);
	const struct lane_piece *last, *first;
	uint64_t at = 0;
	size_t n;

	for (int i = 0; i < N; i++, at += 150) {
		add(l, 0, "[running]", at, at + 100, -1);
		add(l, 0, "[pipe]", at + 100, at + 150, 11);
	}
	add(l, 0, "[lock]", at, at + 10000000, 11);
	assert_true(lanes_pieces(l) <= MOST && lanes_pieces(l) > 20);
	first = lanes_all(l, &n)->pieces.items;
	last = &first[lanes_all(l, &n)->pieces.len - 1];
	assert_true(last->to - last->from == 10000000 && last->what == flame_wait_find("[lock]"));
	assert_int_equal(100 * first->ran / (first->to - first->from), 66); /* two thirds of such a piece it ran */
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
