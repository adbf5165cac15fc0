#include "tests/unit/stat/made.h"

/* Two events of a task in the requested form. */
struct setup {
	struct arena arena;
	struct topology topology;
	struct measured m[6];
	size_t n;
};

static char *print(struct setup *s, const struct table_opts *to, const struct stat_print_opts *po)
{
	struct print_frame f = { .title = "'x'" };
	struct table t;
	struct out o;
	char *text;

	out_init_mem(&o);
	s->topology = made_topology();
	table_layout(&t, s->m, s->n, &s->topology, to);
	table_add(&t, 1000, true);
	if (po->runs > 1) {
		s->m[0].now[0].value += 2;
		table_add(&t, 1000, true);
	}
	print_table(&t, NULL, po, &f, &o);
	text = xstrdup(out_text(&o));
	out_release(&o);
	table_release(&t);
	topology_release(&s->topology);
	arena_release(&s->arena);
	return text;
}

static void hardware(struct setup *s)
{
	s->m[0] = made_task(&s->arena, "task-clock", KIND_CLOCK, 2000000);
	s->m[1] = made_task(&s->arena, "cycles", KIND_CYCLES, 5000000);
	s->m[2] = made_task(&s->arena, "instructions", KIND_INSTRUCTIONS, 10000000);
	s->m[3] = made_task(&s->arena, "stalled-cycles-frontend", KIND_STALLED_FRONT, 1000000);
	s->m[4] = made_task(&s->arena, "branches", KIND_BRANCHES, 1000);
	s->m[5] = made_task(&s->arena, "branch-misses", KIND_BRANCH_MISSES, 25);
	s->n = 6;
}

static void hardware_counts_say_what_follows_from_them(void **state)
{
	struct setup s = { 0 };
	autofree char *text = NULL;

	hardware(&s);
	s.m[4].now[0].running = 250;
	s.m[4].now[0].value = 250;
	text = print(&s, &(struct table_opts){ 0 }, &(struct stat_print_opts){ .form = STAT_TEXT });
	/*
	 * The columns are those of perf 6.1; the second line of instructions begins below the first
	 * one's mark.
	 */
	assert_non_null(strstr(
		text,
		"\n              2.00 msec task-clock                       # 2000.000 CPUs utilized          \n"
		"           5000000      cycles                           #    2.500 GHz                    \n"
		"          10000000      instructions                     #    2.00  insn per cycle         \n"
		"                                                         #    0.10  stalled cycles per insn\n"
		"           1000000      stalled-cycles-frontend          #   20.00% frontend cycles idle   \n"
		"              1000      branches                         #  500.000 K/sec                    "
		"(25.00%)\n"
		"                25      branch-misses                    #    2.50% of all branches        \n\n"));
}

static void separated_fields_survive_any_name(void **state)
{
	struct setup s = { .n = 1 };
	autofree char *text = NULL;

	s.m[0] = made_task(&s.arena, "cpu/event=1,name=\"a,b\"/\n\033[m", KIND_PLAIN, 7);
	s.m[0].unit = "x,y";
	text = print(&s, &(struct table_opts){ 0 }, &(struct stat_print_opts){ .form = STAT_CSV, .separator = "," });
	assert_string_equal(text, "7,\"x,y\",\"cpu/event=1,name=\"\"a,b\"\"/\\x0a\\x1b[m\",1000,100.00,,\n");
}

static void further_metrics_stand_in_the_same_column(void **state)
{
	struct setup s = { 0 };
	autofree char *text = NULL;

	hardware(&s);
	text = print(&s, &(struct table_opts){ 0 }, &(struct stat_print_opts){ .form = STAT_CSV, .separator = "," });
	assert_non_null(strstr(
		text, "10000000,,instructions,1000,100.00,2.00,insn per cycle\n,,,,,0.10,stalled cycles per insn\n"));
}

static void objects_are_whole_for_any_name(void **state)
{
	struct setup s = { .n = 1 };
	autofree char *text = NULL;

	s.m[0] = made_task(&s.arena, "a\"b\\c\n", KIND_PLAIN, 7);
	s.m[0].cgroup = "g\"";
	text = print(&s, &(struct table_opts){ 0 }, &(struct stat_print_opts){ .form = STAT_JSON, .runs = 2 });
	assert_string_equal(text, "{\"counter-value\" : 8.000000, \"unit\" : \"\", \"event\" : \"a\\\"b\\\\c\\u000a\", "
				  "\"cgroup\" : \"g\\\"\", \"variance\" : 12.50, "
				  "\"event-runtime\" : 1000, \"pcnt-running\" : 100.00, \"metric-value\" : 0.000000, "
				  "\"metric-unit\" : \"\"}\n");
}

static void metrics_alone_are_columns(void **state)
{
	struct setup s = { 0 };
	autofree char *text = NULL, *csv = NULL, *json = NULL;

	hardware(&s);
	text = print(&s, &(struct table_opts){ 0 },
		     &(struct stat_print_opts){ .form = STAT_TEXT, .metric_only = true });
	assert_non_null(strstr(text, "                 GHz       insn per cycle stalled cycles per insn frontend "
				     "cycles idle branch-misses of all branches \n"
				     "               2.500                2.00                 0.10                "
				     "20.00%                2.50% \n"));
	s = (struct setup){ 0 };
	hardware(&s);
	csv = print(&s, &(struct table_opts){ 0 },
		    &(struct stat_print_opts){ .form = STAT_CSV, .separator = ",", .metric_only = true });
	assert_string_equal(csv, "GHz,insn per cycle,stalled cycles per insn,frontend cycles idle,branch-misses of all "
				 "branches,\n2.500,2.00,0.10,20.00,2.50,\n");
	s = (struct setup){ 0 };
	hardware(&s);
	json = print(&s, &(struct table_opts){ 0 },
		     &(struct stat_print_opts){ .form = STAT_JSON, .metric_only = true });
	assert_string_equal(json, "{\"GHz\" : 2.500000, \"insn per cycle\" : 2.000000, \"stalled cycles per insn\" : "
				  "0.100000, \"frontend cycles idle\" : 20.000000, "
				  "\"branch-misses of all branches\" : 2.500000}\n");
}

static void counts_of_other_modes_and_groups_are_not_mixed(void **state)
{
	struct setup s = { .n = 4 };
	autofree char *text = NULL;

	s.m[0] = made_task(&s.arena, "cycles:u", KIND_CYCLES, 100);
	s.m[0].left_out = LEFT_OUT_KERNEL;
	s.m[1] = made_task(&s.arena, "instructions", KIND_INSTRUCTIONS, 1000);
	s.m[2] = made_task(&s.arena, "instructions:u", KIND_INSTRUCTIONS, 300);
	s.m[2].left_out = LEFT_OUT_KERNEL;
	s.m[3] = made_task(&s.arena, "instructions:u", KIND_INSTRUCTIONS, 300);
	s.m[3].left_out = LEFT_OUT_KERNEL;
	s.m[3].cgroup = "g";
	text = print(&s, &(struct table_opts){ 0 }, &(struct stat_print_opts){ .form = STAT_CSV, .separator = ";" });
	assert_string_equal(text, "100;;cycles:u;;1000;100.00;;\n1000;;instructions;;1000;100.00;;\n300;;instructions:"
				  "u;;1000;100.00;3.00;insn per cycle\n"
				  "300;;instructions:u;g;1000;100.00;;\n");
}

static void threads_come_by_what_they_did(void **state)
{
	static const char *const comms[] = { "a\033b", "busy" };
	static const int32_t tids[] = { 10, 2000 };
	struct setup s = { .n = 1 };
	autofree char *text = NULL;
	struct count now[2] = { { 1, 10, 10 }, { 9, 10, 10 } }, before[2] = { { 0 } };

	s.m[0] = made_task(&s.arena, "cs", KIND_PLAIN, 0);
	s.m[0].n_threads = 2;
	s.m[0].now = now;
	s.m[0].before = before;
	text = print(&s, &(struct table_opts){ .per = PER_THREAD, .comms = comms, .tids = tids, .n_threads = 2 },
		     &(struct stat_print_opts){ .form = STAT_TEXT });
	assert_non_null(strstr(text, "\n            busy-2000                      9      cs                           "
				     "                                      \n"
				     "          a\\x1bb-10                        1      cs                            "
				     "                                     \n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hardware_counts_say_what_follows_from_them),
		cmocka_unit_test(separated_fields_survive_any_name),
		cmocka_unit_test(further_metrics_stand_in_the_same_column),
		cmocka_unit_test(objects_are_whole_for_any_name),
		cmocka_unit_test(metrics_alone_are_columns),
		cmocka_unit_test(counts_of_other_modes_and_groups_are_not_mixed),
		cmocka_unit_test(threads_come_by_what_they_did),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
