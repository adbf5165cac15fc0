#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "record/proc/synthesize_priv.h"

static void expect_wanted(struct synth_processes *all, const bool *wanted)
{
	synth_want_descendants(all);
	for (size_t i = 0; i < all->len; i++)
		assert_int_equal(all->items[i].wanted, wanted[i]);
}

static void descendants_are_found_in_every_order(void **state)
{
	/* 10 -> 20 -> 30 and 10 -> 40 are wanted; 1 -> 50 -> 60 are not */
	static const struct synth_process tree[] = { { .pid = 1 },
						     { .pid = 10, .ppid = 1, .wanted = true },
						     { .pid = 20, .ppid = 10 },
						     { .pid = 30, .ppid = 20 },
						     { .pid = 40, .ppid = 10 },
						     { .pid = 50, .ppid = 1 },
						     { .pid = 60, .ppid = 50 } };
	static const bool wanted[] = { false, true, true, true, true, false, false };
	enum { N = ARRAY_SIZE(tree) };

	for (size_t first = 0; first < N; first++) {
		struct synth_process items[N], backwards[N];
		bool want[N], want_backwards[N];

		for (size_t i = 0; i < N; i++) {
			items[i] = backwards[N - 1 - i] = tree[(first + i) % N];
			want[i] = want_backwards[N - 1 - i] = wanted[(first + i) % N];
		}
		expect_wanted(&(struct synth_processes){ .items = items, .len = N }, want);
		expect_wanted(&(struct synth_processes){ .items = backwards, .len = N }, want_backwards);
	}
}

/* Numbers are given again while we read: parents may be missing, or form a circle. */
static void parents_may_be_wrong(void **state)
{
	struct synth_process items[] = { { .pid = 5, .ppid = 6 },   { .pid = 6, .ppid = 7 },
					 { .pid = 7, .ppid = 5 },   { .pid = 8, .ppid = 8 },
					 { .pid = 9, .ppid = 99 },  { .pid = 10, .ppid = 11, .wanted = true },
					 { .pid = 11, .ppid = 10 }, { .pid = 12, .ppid = 11 } };
	static const bool wanted[] = { false, false, false, false, false, true, true, true };

	expect_wanted(&(struct synth_processes){ .items = items, .len = ARRAY_SIZE(items) }, wanted);
}

/* The worst case of a search per process and generation: it would take hours. */
static void many_generations_may_lie_youngest_first(void **state)
{
	enum { N = 100000 };
	struct synth_processes all = { 0 };

	for (int32_t pid = N; pid > 0; pid--)
		vec_push(&all, (struct synth_process){ .pid = pid, .ppid = pid - 1, .wanted = pid == 2 });
	synth_want_descendants(&all);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(all.items[i].wanted, all.items[i].pid >= 2);
	vec_free(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descendants_are_found_in_every_order),
		cmocka_unit_test(parents_may_be_wrong),
		cmocka_unit_test(many_generations_may_lie_youngest_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
