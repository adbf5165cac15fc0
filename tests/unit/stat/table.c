#include "tests/unit/stat/made.h"

#include <linux/perf_event.h>

struct setup {
	struct arena arena;
	struct topology topology;
	struct measured m[4];
	size_t n;
	struct table table;
};

static void lay_out(struct setup *s, const struct table_opts *o)
{
	s->topology = made_topology();
	table_layout(&s->table, s->m, s->n, &s->topology, o);
	table_add(&s->table, 1000, true);
}

static void done(struct setup *s)
{
	table_release(&s->table);
	topology_release(&s->topology);
	arena_release(&s->arena);
}

static void expect_cells(enum aggregation per, unsigned level, size_t n, const char *const *labels,
			 const double *values, const uint32_t *cpus)
{
	struct setup s = { .n = 1 };

	s.m[0] = made_event(&s.arena, "e", KIND_PLAIN, 1, 100);
	lay_out(&s, &(struct table_opts){ .per = per, .cache_level = level });
	assert_int_equal(s.table.places.len, n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(s.table.places.items[i].label, labels[i]);
		assert_true(table_cell(&s.table, 0, i)->value.mean == values[i]);
		assert_int_equal(table_cell(&s.table, 0, i)->n_cpus, cpus[i]);
	}
	done(&s);
}
#define EXPECT(per, level, ...) expect_cells(per, level, __VA_ARGS__)
#define LIST(type, ...) \
	(const type[]) { __VA_ARGS__ }

static void cpus_are_summed_up_by_where_they_lie(void **state)
{
	/* CPU n counts n + 1; 5 is offline. */
	EXPECT(PER_ALL, 0, 1, LIST(char *const, ""), LIST(double, 30), LIST(uint32_t, 7));
	EXPECT(PER_SOCKET, 0, 2, LIST(char *const, "S0", "S1"), LIST(double, 10, 20), LIST(uint32_t, 4, 3));
	EXPECT(PER_DIE, 0, 2, LIST(char *const, "S0-D0", "S1-D0"), LIST(double, 10, 20), LIST(uint32_t, 4, 3));
	EXPECT(PER_NODE, 0, 2, LIST(char *const, "N0", "N1"), LIST(double, 10, 20), LIST(uint32_t, 4, 3));
	EXPECT(PER_CORE, 0, 4, LIST(char *const, "S0-D0-C0", "S0-D0-C1", "S1-D0-C0", "S1-D0-C1"),
	       LIST(double, 3, 7, 5, 15), LIST(uint32_t, 2, 2, 1, 2));
	EXPECT(PER_CACHE, 0, 2, LIST(char *const, "S0-D0-L3-ID0", "S1-D0-L3-ID4"), LIST(double, 10, 20),
	       LIST(uint32_t, 4, 3));
	EXPECT(PER_CACHE, 2, 4, LIST(char *const, "S0-D0-L2-ID0", "S0-D0-L2-ID2", "S1-D0-L2-ID4", "S1-D0-L2-ID6"),
	       LIST(double, 3, 7, 5, 15), LIST(uint32_t, 2, 2, 1, 2));
	EXPECT(PER_CPU, 0, 7, LIST(char *const, "CPU0", "CPU1", "CPU2", "CPU3", "CPU4", "CPU6", "CPU7"),
	       LIST(double, 1, 2, 3, 4, 5, 7, 8), LIST(uint32_t, 1, 1, 1, 1, 1, 1, 1));
}

static void each_cpu_is_scaled_by_its_own_share(void **state)
{
	struct setup s = { .n = 1 };

	s.m[0] = made_event(&s.arena, "e", KIND_PLAIN, 10, 50);
	lay_out(&s, &(struct table_opts){ .per = PER_SOCKET });
	assert_true(table_cell(&s.table, 0, 0)->value.mean == 200);
	assert_true(table_cell(&s.table, 0, 0)->enabled.mean == 400);
	assert_true(table_cell(&s.table, 0, 0)->running.mean == 200);
	done(&s);
	s = (struct setup){ .n = 1 };
	s.m[0] = made_event(&s.arena, "e", KIND_PLAIN, 10, 50);
	lay_out(&s, &(struct table_opts){ .per = PER_SOCKET, .no_scale = true });
	assert_true(table_cell(&s.table, 0, 0)->value.mean == 100);
	done(&s);
}

static void packages_count_once_where_all_their_cpus_say_the_same(void **state)
{
	struct setup s = { .n = 1 };

	s.m[0] = made_event(&s.arena, "energy", KIND_PLAIN, 1, 100);
	s.m[0].per_package = true;
	lay_out(&s, &(struct table_opts){ .per = PER_ALL });
	assert_true(table_cell(&s.table, 0, 0)->value.mean == 1 + 5); /* CPUs 0 and 4 */
	assert_int_equal(table_cell(&s.table, 0, 0)->n_cpus, 2);
	done(&s);
}

static void instances_of_a_device_are_one_line(void **state)
{
	struct setup s = { .n = 3 };

	for (size_t i = 0; i < 3; i++) {
		s.m[i] = made_event(&s.arena, i < 2 ? "uncore_imc/read/" : "uncore_imc/write/", KIND_PLAIN, 1, 100);
		s.m[i].uncore = true;
		s.m[i].pmu = i == 1 ? "uncore_imc_1" : "uncore_imc_0";
	}
	lay_out(&s, &(struct table_opts){ .per = PER_ALL });
	assert_int_equal(s.table.counters.len, 2);
	assert_true(table_cell(&s.table, 0, 0)->value.mean == 60);
	assert_int_equal(table_cell(&s.table, 0, 0)->n_cpus,
			 table_cell(&s.table, 1, 0)->n_cpus); /* the same CPUs, not counted twice */
	done(&s);
	s = (struct setup){ .n = 2 };
	for (size_t i = 0; i < 2; i++) {
		s.m[i] = made_event(&s.arena, "uncore_imc/read/", KIND_PLAIN, 1, 100);
		s.m[i].uncore = true;
		s.m[i].pmu = i ? "uncore_imc_1" : "uncore_imc_0";
	}
	lay_out(&s, &(struct table_opts){ .per = PER_ALL, .no_merge = true });
	assert_int_equal(s.table.counters.len, 2);
	assert_string_equal(s.table.counters.items[1].name, "uncore_imc/read/ [uncore_imc_1]");
	done(&s);
}

static void kinds_of_cores_are_one_line_only_when_asked_for(void **state)
{
	for (int merge = 0; merge < 2; merge++) {
		struct setup s = { .n = 2 };

		for (size_t i = 0; i < 2; i++) {
			s.m[i] = made_event(&s.arena, "cycles", KIND_CYCLES, 1, 100);
			s.m[i].core_type = i ? 10 : 4;
			s.m[i].pmu = i ? "cpu_atom" : "cpu_core";
		}
		lay_out(&s, &(struct table_opts){ .per = PER_ALL, .hybrid_merge = merge });
		assert_int_equal(s.table.counters.len, merge ? 1 : 2);
		done(&s);
	}
}

static void a_core_is_shown_at_its_first_cpu_or_at_each(void **state)
{
	static const double first[] = { 3, 0, 7, 0, 5, 15, 0 }, each[] = { 3, 3, 7, 7, 5, 15, 15 };

	for (int threads = 0; threads < 2; threads++) {
		struct setup s = { .n = 1 };

		s.m[0] = made_event(&s.arena, "e", KIND_PLAIN, 1, 100);
		s.m[0].percore = true;
		lay_out(&s, &(struct table_opts){ .per = PER_CPU, .show_threads = threads });
		for (size_t i = 0; i < 7; i++) {
			assert_true(table_cell(&s.table, 0, i)->value.mean == (threads ? each : first)[i]);
			assert_int_equal(table_cell(&s.table, 0, i)->here, threads || first[i]);
		}
		assert_string_equal(s.table.places.items[5].core, "S1-D0-C1");
		done(&s);
	}
}

static void runs_have_a_mean_and_a_deviation(void **state)
{
	struct setup s = { .n = 1 };

	s.m[0] = made_task(&s.arena, "e", KIND_PLAIN, 4);
	lay_out(&s, &(struct table_opts){ .per = PER_ALL });
	s.m[0].now[0].value = 6;
	table_add(&s.table, 2000, true);
	s.m[0].now[0].value = 8;
	table_add(&s.table, 3000, true);
	assert_true(table_cell(&s.table, 0, 0)->value.mean == 6);
	assert_float_equal(spread_percent(&table_cell(&s.table, 0, 0)->value), 19.245009, 1e-5);
	assert_true(s.table.elapsed_ns.mean == 2000);
	done(&s);
}

static void unsupported_events_have_a_cell_everywhere(void **state)
{
	static const int any[] = { -1 };
	struct setup s = { .n = 2 };

	s.m[0] = made_event(&s.arena, "e", KIND_PLAIN, 1, 100);
	s.m[1] = made_task(&s.arena, "cycles", KIND_CYCLES, 0);
	s.m[1].supported = false;
	s.m[1].cpus = any;
	lay_out(&s, &(struct table_opts){ .per = PER_SOCKET });
	assert_true(table_cell(&s.table, 1, 1)->here);
	assert_int_equal(table_cell(&s.table, 1, 1)->n_cpus, 1);
	assert_false(cell_counted(&s.table.counters.items[1], table_cell(&s.table, 1, 1)));
	done(&s);
}

static void kinds_follow_from_attrs(void **state)
{
	assert_int_equal(counter_kind_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS), KIND_INSTRUCTIONS);
	assert_int_equal(counter_kind_of(PERF_TYPE_HARDWARE, 10ull << 32 | PERF_COUNT_HW_CPU_CYCLES), KIND_CYCLES);
	assert_int_equal(counter_kind_of(PERF_TYPE_HARDWARE, 4000), KIND_PLAIN);
	assert_int_equal(counter_kind_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK), KIND_CLOCK);
	assert_int_equal(counter_kind_of(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_LL | 1 << 16), KIND_LL_MISSES);
	assert_int_equal(counter_kind_of(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D | 1 << 8),
			 KIND_PLAIN); /* stores */
	assert_int_equal(counter_kind_of(PERF_TYPE_RAW, 0), KIND_PLAIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_are_summed_up_by_where_they_lie),
		cmocka_unit_test(each_cpu_is_scaled_by_its_own_share),
		cmocka_unit_test(packages_count_once_where_all_their_cpus_say_the_same),
		cmocka_unit_test(instances_of_a_device_are_one_line),
		cmocka_unit_test(kinds_of_cores_are_one_line_only_when_asked_for),
		cmocka_unit_test(a_core_is_shown_at_its_first_cpu_or_at_each),
		cmocka_unit_test(runs_have_a_mean_and_a_deviation),
		cmocka_unit_test(unsupported_events_have_a_cell_everywhere),
		cmocka_unit_test(kinds_follow_from_attrs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
