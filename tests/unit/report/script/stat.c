#include "report/script/print.h"

#include "tests/lib/forms.h"

/* The names are swapped like numbers, but nobody reads them here. */
static void add_threads(struct build *b, int64_t first, int64_t second)
{
	const struct {
		uint64_t n;
		struct {
			int64_t pid;
			char comm[16];
		} threads[2];
	} map = { 2, { { first, "a" }, { second, "b" } } };

	build_record(b, RECORD_THREAD_MAP, 0, &map, sizeof(map), "8888888");
}

static void add_value(struct build *b, uint64_t id, uint32_t cpu, uint32_t thread, uint64_t count)
{
	struct {
		uint64_t id;
		uint32_t cpu, thread;
		uint64_t count, enabled, running;
	} stat = { id, cpu, thread, count, 200, 100 };

	build_record(b, RECORD_STAT, 0, &stat, sizeof(stat), "844888");
}

static void add_round(struct build *b, uint64_t time)
{
	uint64_t round[] = { 0, time };

	build_record(b, RECORD_STAT_ROUND, 0, round, sizeof(round), "88");
}

static void a_table_of_the_values_of_each_round(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_IDENTIFIER);
	struct perfdata *pd;
	struct out o;

	build_event(&b, SAMPLE_IDENTIFIER, "two");
	add_threads(&b, 70, -1);
	add_value(&b, 2, ~0u, 0, 5);
	add_value(&b, 1, ~0u, 0, 1000);
	add_value(&b, 1, 3, 9, 1);  /* a thread that is in no map */
	add_value(&b, 77, 0, 0, 1); /* of no event */
	add_round(&b, 30106370);
	add_round(&b, 30106371);
	add_value(&b, 1, 0, 1, 2000);
	add_round(&b, 63943617);
	add_value(&b, 1, 0, 1, 3000); /* of an unfinished round */
	pd = build_open(&b);
	out_init_mem(&o);
	print_stat(pd, &o);
	assert_string_equal(out_text(&o),
			    "CPU   THREAD             VAL             ENA             RUN            TIME EVENT\n"
			    " -1       70            1000             200             100        30106370 cpu-clock\n"
			    "  3       -1               1             200             100        30106370 cpu-clock\n"
			    " -1       70               5             200             100        30106370 two\n"
			    "  0       -1            2000             200             100        63943617 cpu-clock\n");
	out_release(&o);
	perfdata_close(pd);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FORMS(a_table_of_the_values_of_each_round),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
