#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <poll.h>
#include <time.h>
#include "report/trace/structs_priv.h"

static void expect(const struct struct_layout *l, const void *bytes, size_t len, bool prefix, const char *text)
{
	struct out o;

	out_init_mem(&o);
	layout_print(l, bytes, len, prefix, &o);
	assert_string_equal(out_text(&o), text);
	out_release(&o);
}

static void members_have_names_and_values(void **state)
{
	const struct timespec time = { -1, 250 };
	const struct itimerspec timer = { { 1, 2 }, { 3, 4 } };
	const uint64_t limit[] = { 100, UINT64_MAX };

	expect(&layout_timespec, &time, sizeof(time), false, "{ .tv_sec: -1, .tv_nsec: 250 }");
	expect(&layout_itimerspec, &timer, sizeof(timer), false,
	       "{ .it_interval: { .tv_sec: 1, .tv_nsec: 2 }, .it_value: { .tv_sec: 3, .tv_nsec: 4 } }");
	expect(&layout_rlimit, limit, sizeof(limit), true, "{ .rlim_cur: 100, .rlim_max: RLIM_INFINITY }");
}

static void arrays_end_with_what_is_known(void **state)
{
	const struct pollfd fds[] = { { 3, POLLIN | POLLOUT, 0 }, { -1, 0, 0 } };

	expect(&layout_pollfd, fds, sizeof(fds), false, "[{ .fd: 3, .events: IN|OUT }, { .fd: -1, .events: 0 }]");
	expect(&layout_pollfd, fds, sizeof(fds) - 1, false, "[{ .fd: 3, .events: IN|OUT }]");
	expect(&layout_pollfd, fds, 7, false, "[...]");
	expect(&layout_timespec, fds, 15, false, "...");
}

static void sets_of_signals_are_lists(void **state)
{
	uint64_t set = 1ull << 1 | 1ull << 16 | 1ull << 33;

	expect(&layout_signals, &set, sizeof(set), false, "[INT CHLD RT_2]");
	set = ~(1ull << 8);
	expect(&layout_signals, &set, sizeof(set), false, "~[KILL]");
	set = 0;
	expect(&layout_signals, &set, sizeof(set), false, "[]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_have_names_and_values),
		cmocka_unit_test(arrays_end_with_what_is_known),
		cmocka_unit_test(sets_of_signals_are_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
