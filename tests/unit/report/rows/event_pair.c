#include "report/rows/event_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define EVENT(n, t, c, f) \
	{ \
		.name = n, .attr = {.type = t, .config = c, .flags = f } \
	}

/* The name of the event to compare `event` with; "-" if there is none. */
static const char *pair(struct file_event *others, size_t n, struct file_event event)
{
	struct perfdata pd = { .events = others, .n_events = n };
	size_t found = event_pair(&pd, &event);

	return found < n ? others[found].name : "-";
}

static void the_name_wins(void **state)
{
	struct file_event both[] = { EVENT("cpu-clock:k", 1, 0, ATTR_EXCLUDE_USER),
				     EVENT("cpu-clock:u", 1, 0, ATTR_EXCLUDE_KERNEL) };
	struct file_event traces[] = { EVENT("sched:sched_switch", 2, 300, 0), EVENT("sched:sched_wakeup", 2, 310, 0) };

	assert_string_equal(pair(both, 2, (struct file_event)EVENT("cpu-clock:u", 1, 0, ATTR_EXCLUDE_KERNEL)),
			    "cpu-clock:u");
	/* Another machine numbers its tracepoints differently. */
	assert_string_equal(pair(traces, 2, (struct file_event)EVENT("sched:sched_wakeup", 2, 300, 0)),
			    "sched:sched_wakeup");
	assert_string_equal(pair(traces, 2, (struct file_event)EVENT("sched:sched_process_exec", 2, 300, 0)), "-");
}

static void modifiers_do_not_part(void **state)
{
	struct file_event clock[] = { EVENT("task-clock", 1, 1, 0), EVENT("cpu-clock", 1, 0, 0) };
	struct file_event user[] = { EVENT("cpu-clock:u", 1, 0, ATTR_EXCLUDE_KERNEL) };
	struct file_event core[] = { EVENT("cpu_core/cycles/", 10, 0x3c, 0) };
	struct file_event probes[] = { EVENT("probe:Su", 2, 1, 0), EVENT("probe:S:u", 2, 2, ATTR_EXCLUDE_KERNEL) };

	assert_string_equal(pair(clock, 2, (struct file_event)EVENT("cpu-clock:u", 1, 0, ATTR_EXCLUDE_KERNEL)),
			    "cpu-clock");
	assert_string_equal(pair(user, 1, (struct file_event)EVENT("cpu-clock", 1, 0, 0)), "cpu-clock:u");
	assert_string_equal(pair(user, 1, (struct file_event)EVENT("cpu-clock:k", 1, 0, ATTR_EXCLUDE_USER)), "-");
	assert_string_equal(pair(core, 1, (struct file_event)EVENT("cpu_core/cycles/u", 10, 0x3c, ATTR_EXCLUDE_KERNEL)),
			    "cpu_core/cycles/");
	assert_string_equal(pair(core, 1, (struct file_event)EVENT("cpu_atom/cycles/u", 11, 0x3c, ATTR_EXCLUDE_KERNEL)),
			    "-");
	/* The part after a tracepoint's colon is its name. */
	assert_string_equal(pair(probes, 2, (struct file_event)EVENT("probe:S", 2, 3, 0)), "probe:S:u");
}

static void other_names_of_the_same(void **state)
{
	struct file_event plain[] = { EVENT("cycles:P", 0, 0, 0) };
	struct file_event raw[] = { EVENT("r3c", 4, 0x3c, 0) };
	struct file_event other[] = { EVENT("uncore_a/x/", 20, 1, 0) };

	assert_string_equal(pair(plain, 1, (struct file_event)EVENT("cpu-cycles", 0, 0, 0)), "cycles:P");
	assert_string_equal(pair(raw, 1, (struct file_event)EVENT("cpu/event=0x3c/", 4, 0x3c, 0)), "r3c");
	/* Numbers of other PMUs are valid for one boot of one machine. */
	assert_string_equal(pair(other, 1, (struct file_event)EVENT("uncore_b/y/", 20, 1, 0)), "-");
	assert_string_equal(pair(NULL, 0, (struct file_event)EVENT("cycles", 0, 0, 0)), "-");
}

static void one_side_alone_is_uneven(void **state)
{
	struct file_event all = EVENT("cycles", 0, 0, 0), user = EVENT("cycles:u", 0, 0, ATTR_EXCLUDE_KERNEL);

	assert_true(event_pair_uneven(&all, &user));
	assert_false(event_pair_uneven(&user, &user));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_wins),
		cmocka_unit_test(modifiers_do_not_part),
		cmocka_unit_test(other_names_of_the_same),
		cmocka_unit_test(one_side_alone_is_uneven),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
