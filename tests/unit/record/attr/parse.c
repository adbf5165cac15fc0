#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/out.h"
#include "record/attr/attr_config.h"
#include "record/record.h"
#include "tests/unit/record/attr/user_regs.h"

static const struct record_opts defaults = RECORD_DEFAULTS;

static void call_graph_modes(void **state)
{
	struct record_opts o = defaults;
	struct err e = { 0 };

	assert_int_equal(record_parse_chain(&o, "fp", &e), 0);
	assert_int_equal(o.chain, CHAIN_MODE_FP);
	assert_int_equal(record_parse_chain(&o, "fp,20", &e), 0);
	assert_int_equal(o.chain_depth, 20);
	assert_int_equal(record_parse_chain(&o, "dwarf", &e), 0);
	assert_int_equal(o.stack_bytes, 8192);
	assert_int_equal(record_parse_chain(&o, "dwarf,1001", &e), 0);
	assert_int_equal(o.chain, CHAIN_MODE_DWARF);
	assert_int_equal(o.stack_bytes, 1008);
	assert_int_equal(record_parse_chain(&o, "dwarf,16K", &e), 0);
	assert_int_equal(o.stack_bytes, 16384);
	assert_int_equal(record_parse_chain(&o, "lbr", &e), 0);
	assert_int_equal(o.chain, CHAIN_MODE_LBR);
}

static void bad_call_graph_modes(void **state)
{
	static const char *const bad[] = { "",         "x",       "fpx",         "fp,",      "fp,0",  "fp,x",
					   "fp,65536", "dwarf,0", "dwarf,65536", "dwarf,-8", "lbr,3", "f" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct record_opts o = defaults;
		struct err e = { 0 };

		assert_int_equal(record_parse_chain(&o, bad[i], &e), -1);
		assert_int_equal(e.exit_code, 129);
		assert_true(e.what[0]);
	}
}

static void deferred_chains_are_refused_by_name(void **state)
{
	static const char *const texts[] = { "fp,defer", "fp,64,defer" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct record_opts o = defaults;
		struct err e = { 0 };

		assert_int_equal(record_parse_chain(&o, texts[i], &e), -1);
		assert_int_equal(e.exit_code, 129);
		assert_non_null(strstr(e.what, "'defer'"));
		assert_non_null(strstr(e.fix, "live"));
	}
}

struct told {
	char text[200];
	int level, n;
};

static void keep(void *of, int level, const char *text)
{
	struct told *t = of;

	snprintf(t->text, sizeof(t->text), "%s", text);
	t->level = level;
	t->n++;
}

static void ring_sizes(void **state)
{
	static const char *const bad[] = { "",   "0",  "-1", "x",           "18446744073709551615",
					   "4Q", "0K", "K",  "9999999999G", "4,x",
					   "4,", "4,0" };
	uint64_t pages, aux = 0, page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct told told = { 0 };
	struct teller teller = { keep, &told, 0 };
	struct err e = { 0 };

	assert_int_equal(record_parse_pages(&pages, &aux, "8", &teller, &e), 0);
	assert_int_equal(pages, 8);
	assert_int_equal(record_parse_pages(&pages, &aux, "3", &teller, &e), 0);
	assert_int_equal(pages, 4);
	assert_int_equal(told.n, 1);
	assert_int_equal(told.level, 0);
	assert_string_equal(told.text, page == 4096 ? "rounding mmap pages size to 16K (4 pages)" : told.text);
	assert_int_equal(record_parse_pages(&pages, &aux, "16,4", &teller, &e), 0);
	assert_int_equal(pages, 16);
	assert_int_equal(aux, 4);
	assert_int_equal(record_parse_pages(&pages, &aux, ",3M", &teller, &e), 0);
	assert_int_equal(pages, 16);
	assert_int_equal(aux, (4 << 20) / page);
	assert_int_equal(record_parse_pages(&pages, &aux, "1M", &teller, &e), 0);
	assert_int_equal(pages, (1 << 20) / page);
	assert_int_equal(record_parse_pages(&pages, &aux, "1B", &teller, &e), 0);
	assert_int_equal(pages, 1);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		err_clear(&e);
		assert_int_equal(record_parse_pages(&pages, &aux, bad[i], &teller, &e), -1);
		assert_true(e.what[0] && e.exit_code == 129);
	}
}

static void sizes_of_files(void **state)
{
	static const char *const bad[] = { "", "20", "20k", "K", "0K", "-1K", "1.5M", "17179869184G", "1KK" };
	uint64_t bytes;
	struct err e = { 0 };

	assert_int_equal(record_parse_max_size(&bytes, "20K", &e), 0);
	assert_int_equal(bytes, 20480);
	assert_int_equal(record_parse_max_size(&bytes, "3B", &e), 0);
	assert_int_equal(bytes, 3);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		err_clear(&e);
		assert_int_equal(record_parse_max_size(&bytes, bad[i], &e), -1);
		assert_true(e.what[0] && e.exit_code == 129);
	}
}

static void rotations(void **state)
{
	static const struct {
		const char *text;
		enum rotate_mode mode;
		uint64_t limit;
	} good[] = {
		{ NULL, ROTATE_SIGNAL, 0 },      { "signal", ROTATE_SIGNAL, 0 }, { "2M", ROTATE_SIZE, 2 << 20 },
		{ "30s", ROTATE_TIME, 30000 },   { "2m", ROTATE_TIME, 120000 },  { "1h", ROTATE_TIME, 3600000 },
		{ "1d", ROTATE_TIME, 86400000 },
	};
	static const char *const bad[] = { "", "5", "5k", "s", "0s", "-5s", "5ms", "99999999999999999d", "signals" };

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct rotate_opts o = { 0 };

		assert_int_equal(record_parse_rotation(&o, good[i].text, NULL), 0);
		assert_int_equal(o.mode, good[i].mode);
		assert_int_equal(o.limit, good[i].limit);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct rotate_opts o = { 0 };
		struct err e = { 0 };

		assert_int_equal(record_parse_rotation(&o, bad[i], &e), -1);
		assert_true(e.what[0] && e.exit_code == 234);
	}
}

static void clocks(void **state)
{
	struct err e = { 0 };
	int clock;

	assert_int_equal(record_parse_clock(&clock, "mono", &e), 0);
	assert_int_equal(clock, CLOCK_MONOTONIC);
	assert_int_equal(record_parse_clock(&clock, "CLOCK_BOOTTIME", &e), 0);
	assert_int_equal(clock, CLOCK_BOOTTIME);
	assert_int_equal(record_parse_clock(&clock, "4", &e), 0);
	assert_int_equal(clock, CLOCK_MONOTONIC_RAW);
	assert_int_equal(record_parse_clock(&clock, "sundial", &e), -1);
	assert_int_equal(record_parse_clock(&clock, "-1", &e), -1);
	assert_int_equal(record_parse_clock(&clock, "99", &e), -1);
}

static void delays(void **state)
{
	static const char *const bad[] = { "",      "x",           "-2",          "10-",   "-10",  "10-5",
					   "10-10", "10-20,15-30", "10-20,20-30", "10,20", "1,,2", "99999999999" };
	struct record_opts o = defaults;
	struct err e = { 0 };

	assert_int_equal(record_parse_delay(&o, "100", &e), 0);
	assert_int_equal(o.n_delays, 1);
	assert_int_equal(o.delays[0].start_ms, 100);
	assert_int_equal(o.delays[0].end_ms, 0);
	assert_int_equal(record_parse_delay(&o, "-1", &e), 0);
	assert_true(o.stay_disabled && !o.n_delays);
	assert_int_equal(record_parse_delay(&o, "0", &e), 0);
	assert_true(!o.stay_disabled && !o.n_delays);
	assert_int_equal(record_parse_delay(&o, "10-20,30-40,50", &e), 0);
	assert_int_equal(o.n_delays, 3);
	assert_int_equal(o.delays[1].end_ms, 40);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		o = defaults;
		err_clear(&e);
		assert_int_equal(record_parse_delay(&o, bad[i], &e), -1);
		assert_true(e.what[0]);
	}
}

static void kinds_of_synthesised_records(void **state)
{
	struct err e = { 0 };
	unsigned what;

	assert_int_equal(record_parse_synth(&what, "no", &e), 0);
	assert_int_equal(what, 0);
	assert_int_equal(record_parse_synth(&what, "task", &e), 0);
	assert_int_equal(what, SYNTH_TASK);
	assert_int_equal(record_parse_synth(&what, "mmap,cgroup", &e), 0);
	assert_int_equal(what, SYNTH_ALL);
	assert_int_equal(record_parse_synth(&what, "mmap,", &e), -1);
	assert_int_equal(record_parse_synth(&what, "all,x", &e), -1);
}

static void branch_filters(void **state)
{
	struct err e = { 0 };
	uint64_t mask;

	assert_int_equal(record_parse_branches(&mask, "any_call,u", &e), 0);
	assert_int_equal(mask, 1 << 4 | 1 << 0);
	assert_int_equal(record_parse_branches(&mask, "k", &e), 0);
	assert_int_equal(mask, 1 << 3 | 1 << 1);
	assert_int_equal(record_parse_branches(&mask, "most", &e), -1);
	assert_non_null(strstr(e.what, "most"));
}

static void registers(void **state)
{
	struct err e = { 0 };
	uint64_t mask;

	need_user_regs();
	assert_int_equal(record_parse_regs(&mask, NULL, &e), 0);
	assert_int_equal(mask, attr_user_regs());
#ifdef __x86_64__
	assert_int_equal(record_parse_regs(&mask, "ax,R15", &e), 0);
	assert_int_equal(mask, 1u << 0 | 1u << 23);
#endif
	assert_int_equal(record_parse_regs(&mask, "?", &e), -1);
	assert_memory_equal(e.what, "available registers: ", 21);
	assert_int_equal(e.exit_code, 129);
	assert_int_equal(record_parse_regs(&mask, "quux", &e), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(call_graph_modes),
		cmocka_unit_test(bad_call_graph_modes),
		cmocka_unit_test(deferred_chains_are_refused_by_name),
		cmocka_unit_test(ring_sizes),
		cmocka_unit_test(sizes_of_files),
		cmocka_unit_test(rotations),
		cmocka_unit_test(clocks),
		cmocka_unit_test(delays),
		cmocka_unit_test(kinds_of_synthesised_records),
		cmocka_unit_test(branch_filters),
		cmocka_unit_test(registers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
