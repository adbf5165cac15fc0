/* Lines of separated fields. Source of the expected ones: perf-stat(1), "CSV FORMAT", and what perf 6.1 prints. */
#include <math.h>

#include "tests/unit/stat/made.h"
#include "stat/print_priv.h"

/* A line of this cell at a place "S0" of 4 CPUs. Zeros are what most of its members are. */
struct given {
	struct counter counter;
	struct stat_cell cell;
	struct table_opts table;
	struct stat_print_opts print;
	struct print_frame frame;
	struct derived derived[3];
	size_t n_derived;
	bool has_cgroups;
};

static const struct counter plain = { .name = "cs", .unit = "", .scale = 1, .supported = true };

/* Counted once, for all or for a part of the time. */
static struct stat_cell counted(double value, double enabled, double running)
{
	struct stat_cell c = { .n_cpus = 4, .here = true };

	spread_add(&c.value, value);
	spread_add(&c.enabled, enabled);
	spread_add(&c.running, running);
	return c;
}

static void expect_line(const struct given *g, const char *want)
{
	struct table t = { .o = g->table };
	struct stat_print_opts print = g->print;
	struct print_frame frame = g->frame;
	struct out o;
	struct stat_printer p = { .t = &t, .o = &print, .f = &frame, .out = &o, .has_cgroups = g->has_cgroups };
	struct line l = { .counter = &g->counter,
			  .cell = &g->cell,
			  .label = "S0",
			  .derived = g->derived,
			  .n_derived = g->n_derived };

	if (!print.separator)
		print.separator = ",";
	out_init_mem(&o);
	csv_line(&p, &l);
	assert_string_equal(out_text(&o), want);
	out_release(&o);
}
#define EXPECT(want, ...) expect_line(&(struct given){ __VA_ARGS__ }, want)

static void a_count_has_its_unit_name_and_times(void **state)
{
	static const struct counter clock = { .name = "task-clock", .unit = "msec", .scale = 1e-6, .supported = true };

	EXPECT("17,,cs,2000,100.00,,\n", .counter = plain, .cell = counted(17, 2000, 2000));
	EXPECT("17,,cs,500,25.00,,\n", .counter = plain, .cell = counted(17, 2000, 500));
	EXPECT("0,,cs,2000,66.67,,\n", .counter = plain, .cell = counted(0, 3000, 2000));
	/* a scaled count has two digits behind the point, others none */
	EXPECT("1.23,msec,task-clock,9,100.00,,\n", .counter = clock, .cell = counted(1234000, 9, 9));
	EXPECT("18446744073709549568,,cs,1,100.00,,\n", .counter = plain, .cell = counted(18446744073709549568., 1, 1));
}

static void what_did_not_count_says_so(void **state)
{
	struct counter absent = plain;

	absent.supported = false;
	EXPECT("<not counted>,,cs,0,100.00,,\n", .counter = plain, .cell = counted(0, 0, 0));
	EXPECT("<not counted>,,cs,0,0.00,,\n", .counter = plain, .cell = counted(0, 50, 0));
	EXPECT("<not supported>,,cs,0,100.00,,\n", .counter = absent, .cell = counted(0, 0, 0));
	EXPECT("<not supported>,,cs,0,0.00,,\n", .counter = absent, .cell = counted(0, 50, 50));
	EXPECT("<not counted>,,cs,0.00%,0,100.00,,\n", .counter = plain, .cell = counted(0, 0, 0), .print.runs = 3);
}

static void several_runs_add_the_spread(void **state)
{
	struct stat_cell c = counted(4, 100, 100);

	spread_add(&c.value, 6);
	spread_add(&c.enabled, 300);
	spread_add(&c.running, 100);
	/* means 5, 200, 100; deviation sqrt(2), of the mean sqrt(2) / sqrt(2) = 1 */
	EXPECT("5,,cs,20.00%,100,50.00,,\n", .counter = plain, .cell = c, .print.runs = 2);
	EXPECT("5,,cs,100,50.00,,\n", .counter = plain, .cell = c, .print.runs = 1);
}

static void all_lines_have_a_field_for_control_groups_or_none(void **state)
{
	struct counter grouped = plain;

	grouped.cgroup = "a,b";
	EXPECT("1,,cs,\"a,b\",9,100.00,,\n", .counter = grouped, .cell = counted(1, 9, 9), .has_cgroups = true);
	EXPECT("1,,cs,,9,100.00,,\n", .counter = plain, .cell = counted(1, 9, 9), .has_cgroups = true);
}

static void places_come_first_and_the_time_before_them(void **state)
{
	const struct stat_cell c = counted(1, 9, 9);

	EXPECT("S0,4,1,,cs,9,100.00,,\n", .counter = plain, .cell = c, .table.per = PER_SOCKET);
	EXPECT("S0,1,,cs,9,100.00,,\n", .counter = plain, .cell = c, .table.per = PER_CPU);
	EXPECT("S0,1,,cs,9,100.00,,\n", .counter = plain, .cell = c, .table.per = PER_THREAD);
	EXPECT("     1.000000005,1,,cs,9,100.00,,\n", .counter = plain, .cell = c,
	       .frame = { .interval = true, .summary = true, .time_ns = 1000000005 });
	EXPECT("1234567.999999999,S0,4,1,,cs,9,100.00,,\n", .counter = plain, .cell = c, .table.per = PER_NODE,
	       .frame = { .interval = true, .time_ns = 1234567999999999 });
	EXPECT("         summary,1,,cs,9,100.00,,\n", .counter = plain, .cell = c, .frame.summary = true);
	EXPECT("1,,cs,9,100.00,,\n", .counter = plain, .cell = c, .frame.summary = true, .print.no_csv_summary = true);
}

/* "Additional metrics may be printed with all earlier fields being empty": perf-stat(1). */
static void further_values_are_below_the_first(void **state)
{
	static const struct derived first = { 2.5, "%8.2f", "GHz", SHADE_NONE },
				    second = { 12.5, "%7.2f%%", "  of all branches", SHADE_HIGH },
				    third = { -1, "%8.1f ", "a;b", SHADE_NONE };

	EXPECT("1,,cs,9,100.00,2.50,GHz\n", .counter = plain, .cell = counted(1, 9, 9), .derived = { first },
	       .n_derived = 1);
	EXPECT("1;;cs;9;100.00;2.50;GHz\n;;;;;12.50;of all branches\n;;;;;-1.0;\"a;b\"\n", .counter = plain,
	       .cell = counted(1, 9, 9), .derived = { first, second, third }, .n_derived = 3, .print.separator = ";");
	EXPECT("S0,4,1,,cs,,0.00%,9,100.00,2.50,GHz\nS0,4,,,,,,,,12.50,of all branches\n", .counter = plain,
	       .cell = counted(1, 9, 9), .derived = { first, second }, .n_derived = 2, .has_cgroups = true,
	       .print.runs = 2, .table.per = PER_CORE);
}

static void expect_field(const char *separator, const char *text, const char *want)
{
	struct stat_print_opts print = { .separator = separator };
	struct out o;
	struct stat_printer p = { .o = &print, .out = &o };

	out_init_mem(&o);
	csv_field(&p, text);
	assert_string_equal(out_text(&o), want);
	out_release(&o);
}

/* Source: RFC 4180, 2.6 and 2.7. */
static void fields_are_quoted_where_readers_need_it(void **state)
{
	expect_field(",", "", "");
	expect_field(",", "cycles:u", "cycles:u");
	expect_field(",", "a b;c", "a b;c");
	expect_field(",", "a,b", "\"a,b\"");
	expect_field(",", ",", "\",\"");
	expect_field(",", "\"", "\"\"\"\"");
	expect_field(",", "say \"x\", y", "\"say \"\"x\"\", y\"");
	expect_field("::", "a:b", "a:b");
	expect_field("::", "a::b", "\"a::b\"");
	/* controls never arrive as such, so no field breaks its line or reaches a terminal */
	expect_field(",", "a\nb\r\033[2J\177", "a\\x0ab\\x0d\\x1b[2J\\x7f");
	expect_field("\t", "a\tb", "a\\x09b");
}

static void expect_number(double value, const char *format, const char *want)
{
	char buf[64];

	assert_string_equal(bare_number(&(struct derived){ value, format, "", SHADE_NONE }, buf, sizeof(buf)), want);
}

static void numbers_lose_their_blanks_and_signs_of_percent(void **state)
{
	expect_number(2.5, "%8.3f", "2.500");
	expect_number(2.5, "%7.2f%%", "2.50");
	expect_number(-0.25, "%9.2f  ", "-0.25");
	expect_number(1e15, "%.1f/s", "1000000000000000.0");
	expect_number(0, "%8.0f", "0");
	expect_number((double)NAN, "%8.2f", "");
	expect_number((double)INFINITY, "%8.2f%%", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_count_has_its_unit_name_and_times),
		cmocka_unit_test(what_did_not_count_says_so),
		cmocka_unit_test(several_runs_add_the_spread),
		cmocka_unit_test(all_lines_have_a_field_for_control_groups_or_none),
		cmocka_unit_test(places_come_first_and_the_time_before_them),
		cmocka_unit_test(further_values_are_below_the_first),
		cmocka_unit_test(fields_are_quoted_where_readers_need_it),
		cmocka_unit_test(numbers_lose_their_blanks_and_signs_of_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
