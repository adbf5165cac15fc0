#include "tests/unit/report/script/printed.h"

#define TYPE (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_READ)

/* A group of the events 1 and 2, whose samples hold the counts of both: their number, then value and id of each. */
static struct build group(enum build_form form, uint64_t flags)
{
	struct build b = build_start_as(form, TYPE);

	for (size_t i = 0; i < 2; i++) {
		if (i)
			build_event(&b, TYPE, "second");
		build_attr(&b, i)->read_format = READ_ID | READ_GROUP;
		build_attr(&b, i)->flags |= flags;
	}
	return b;
}

static void count(struct build *b, int32_t tid, uint64_t time, uint64_t first, uint64_t second)
{
	const uint64_t read[] = { 2, first, 1, second, 2 };

	build_sample(b, .pid = 7, .tid = tid, .time = time, .read = read, .n_read = 5, .misc = CPUMODE_USER);
}

/* perf gives each counter of a group a sample, whose period is what was counted since the last one. */
static void each_counter_gets_a_sample_with_how_much_it_advanced(void **state)
{
	struct build b = group(FORM, 0);

	count(&b, 7, 2, 100, 7);
	count(&b, 8, 3, 130, 9);
	assert_string_equal(printed(&b, "tid,event,period", NULL, 1), "      7        100 cpu-clock: \n"
								      "      7          7    second: \n"
								      "      8         30 cpu-clock: \n"
								      "      8          2    second: \n");
	build_release(&b);
}

/* With inheritance the kernel counts each thread by itself: perf_event_open(2), "inherit". */
static void inherited_counters_advance_by_thread(void **state)
{
	struct build b = group(FORM, ATTR_INHERIT);

	count(&b, 7, 2, 100, 7);
	count(&b, 8, 3, 130, 9);
	count(&b, 7, 4, 101, 7); /* the second stood still: no sample */
	assert_string_equal(printed(&b, "tid,period", NULL, 1), "      7        100 \n"
								"      7          7 \n"
								"      8        130 \n"
								"      8          9 \n"
								"      7          1 \n");
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FORMS(each_counter_gets_a_sample_with_how_much_it_advanced),
		FORMS(inherited_counters_advance_by_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
