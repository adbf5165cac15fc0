#include "report/waits/sched.h"
#include "tests/lib/traced.h"

/* All numbers follow from the times of the events. A task waits from its wake-up or preemption to its switch. */
enum { SWITCH, WAKING, WAKEUP, NEW, RUNTIME, MIGRATE, EVENTS };
static const struct traced_event events[EVENTS] = {
	[SWITCH] = { "sched:sched_switch", { "prev_comm", "prev_pid", "prev_state", "next_comm", "next_pid" } },
	[WAKING] = { "sched:sched_waking", { "comm", "pid", "success" } },
	[WAKEUP] = { "sched:sched_wakeup", { "comm", "pid" } },
	[NEW] = { "sched:sched_wakeup_new", { "comm", "pid" } },
	[RUNTIME] = { "sched:sched_stat_runtime", { "comm", "pid", "runtime" } },
	[MIGRATE] = { "sched:sched_migrate_task", { "comm", "pid", "orig_cpu", "dest_cpu" } },
};
/* Source: TASK_INTERRUPTIBLE, and bits that say "preempted": include/linux/sched.h. */
#define ASLEEP    " prev_state=1"
#define PREEMPTED " prev_state=256"
#define AT(us)    .time = (us)*1000ull
#define A         "pid=50 comm=a"
#define FROM_A    "prev_pid=50 prev_comm=a"
#define TO_A      " next_pid=50 next_comm=a"
#define FROM_B    "prev_pid=60 prev_comm=b"
#define TO_B      " next_pid=60 next_comm=b"

static const struct sched_latency_opts usual = { .cpu = -1 };

static struct traced start(void) { return traced_start(events, EVENTS); }

/* The table, or the error after "error: ". Releases `t`. */
static char *table_of(struct traced *t, const struct sched_latency_opts *opts)
{
	struct live *l = traced_open(t);
	struct err e = { 0 };
	struct out o;
	char *text;

	out_init_mem(&o);
	if (sched_latency(l, opts ? opts : &usual, &o, &e) < 0)
		text = xasprintf("error: %s, try: %s", e.what, e.fix);
	else
		text = xstrdup(out_text(&o));
	out_release(&o);
	live_close(l);
	traced_release(t);
	return text;
}

/* The rows, without rules and titles, and without blanks at the sides of columns. */
static char *rows_of(const char *text)
{
	struct out o;
	char *rows;

	out_init_mem(&o);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		char last = ' ';

		if (strncmp(line, "  ", 2) || !strncmp(line, "  Task ", 7))
			continue;
		for (const char *c = line + 2; *c != '\n'; c++) {
			if (*c == ' ' && (strchr(" |:", last) || strchr(" |\n", c[1])))
				continue;
			out_char(&o, *c);
			last = *c;
		}
		out_char(&o, '\n');
	}
	rows = xstrdup(out_text(&o));
	out_release(&o);
	return rows;
}

static void check(struct traced *t, const struct sched_latency_opts *opts, const char *want)
{
	autofree char *text = table_of(t, opts), *rows = rows_of(text);

	assert_string_equal(rows, want);
}

/* As printf of perf's builtin-sched.c lays it out. */
static void the_table_is_that_of_perf(void **state)
{
	struct traced t = start();
	autofree char *text = NULL;

	traced_add(&t, RUNTIME, "pid=50 comm=a runtime=2500000", AT(1000000));
	traced_add(&t, WAKEUP, "pid=60 comm=long-name", AT(2000000));
	traced_add(&t, SWITCH, "next_pid=60 next_comm=long-name", AT(2001500));
	traced_add(&t, SWITCH, "prev_pid=60 prev_comm=long-name" ASLEEP, AT(2003000));
	text = table_of(&t, NULL);
	assert_string_equal(text, "\n"
				  " -----------------------------------------------------------------------------------"
				  "--------------------"
				  "------------------------------------\n"
				  "  Task                  |   Runtime ms  |  Count   | Avg delay ms    | Max delay ms "
				  "   | Max delay start  "
				  "         | Max delay end          |\n"
				  " -----------------------------------------------------------------------------------"
				  "--------------------"
				  "------------------------------------\n"
				  "  long-name:60          |      0.000 ms |        1 | avg:   1.500 ms | max:   1.500 "
				  "ms | max start:     "
				  "2.000000 s | max end:     2.001500 s\n"
				  " -----------------------------------------------------------------------------------"
				  "--------------------"
				  "----------\n"
				  "  TOTAL:                |      0.000 ms |        1 |\n"
				  " ---------------------------------------------------\n"
				  "\n");
}

static void waits_begin_with_a_wakeup_or_a_preemption(void **state)
{
	struct traced t = start();

	traced_add(&t, WAKEUP, A, AT(100));
	traced_add(&t, SWITCH, TO_A, AT(110));               /* a waited 10 us */
	traced_add(&t, SWITCH, FROM_A TO_B, AT(200));        /* b is unknown: its wait has length 0 */
	traced_add(&t, SWITCH, FROM_B ASLEEP TO_A, AT(240)); /* 40, after a preemption */
	traced_add(&t, SWITCH, FROM_A ASLEEP, AT(270));
	traced_add(&t, SWITCH, TO_A, AT(500));                  /* the wake-up was lost: no wait */
	traced_add(&t, SWITCH, FROM_A PREEMPTED TO_B, AT(600)); /* this one as well */
	traced_add(&t, SWITCH, FROM_B ASLEEP TO_A, AT(700));    /* 100 */
	traced_add(&t, RUNTIME, A " runtime=130000", AT(710));
	traced_add(&t, RUNTIME, A " runtime=20000", AT(720));
	traced_add(&t, RUNTIME, "pid=70 comm=never-waits runtime=5", AT(720));
	check(&t, NULL,
	      "a:50|0.150 ms|3|avg:0.050 ms|max:0.100 ms|max start:0.000600 s|max end:0.000700 s\n"
	      "b:60|0.000 ms|1|avg:0.000 ms|max:0.000 ms|max start:0.000000 s|max end:0.000000 s\n"
	      "TOTAL:|0.150 ms|4|\n");
}

/* sched_waking comes first, in the waker. Old kernels also report wake-ups that changed nothing. */
static void first_wakeup_counts(void **state)
{
	struct traced t = start();

	traced_add(&t, WAKING, A " success=0", AT(90));
	traced_add(&t, WAKING, A " success=1", AT(100));
	traced_add(&t, WAKEUP, A, AT(104));
	traced_add(&t, SWITCH, TO_A, AT(110));
	traced_add(&t, WAKING, A " success=1", AT(120)); /* it runs, and waits for nothing */
	traced_add(&t, SWITCH, FROM_A ASLEEP, AT(130));
	traced_add(&t, SWITCH, TO_A, AT(150));
	traced_add(&t, NEW, "pid=60 comm=b", AT(160));
	traced_add(&t, SWITCH, FROM_A PREEMPTED TO_B, AT(167));
	check(&t, NULL,
	      "a:50|0.000 ms|1|avg:0.010 ms|max:0.010 ms|max start:0.000100 s|max end:0.000110 s\n"
	      "b:60|0.000 ms|1|avg:0.007 ms|max:0.007 ms|max start:0.000160 s|max end:0.000167 s\n"
	      "TOTAL:|0.000 ms|2|\n");
}

/* Two threads of one name: waits of 10, 30 and 5 us. */
static struct traced some_threads(void)
{
	struct traced t = start();

	traced_add(&t, WAKEUP, "pid=50 comm=w", AT(100));
	traced_add(&t, SWITCH, "next_pid=50 next_comm=w", AT(110));
	traced_add(&t, WAKEUP, "pid=51 comm=w", AT(120));
	traced_add(&t, SWITCH, "prev_pid=50 prev_comm=w prev_state=1 next_pid=51 next_comm=w", AT(150));
	traced_add(&t, WAKEUP, "pid=50 comm=w", AT(160));
	traced_add(&t, SWITCH, "prev_pid=51 prev_comm=w prev_state=1 next_pid=50 next_comm=w", AT(165));
	traced_add(&t, RUNTIME, "pid=50 comm=w runtime=3000", AT(166));
	traced_add(&t, RUNTIME, "pid=51 comm=w runtime=1000", AT(166));
	return t;
}

static void threads_of_a_name_share_a_row(void **state)
{
	const struct sched_latency_opts by_tid = { .by_tid = true, .cpu = -1 };
	struct traced t = some_threads();

	check(&t, NULL,
	      "w:(2)|0.004 ms|3|avg:0.015 ms|max:0.030 ms|max start:0.000120 s|max end:0.000150 s\n"
	      "TOTAL:|0.004 ms|3|\n");
	t = some_threads();
	check(&t, &by_tid,
	      "w:51|0.001 ms|1|avg:0.030 ms|max:0.030 ms|max start:0.000120 s|max end:0.000150 s\n"
	      "w:50|0.003 ms|2|avg:0.007 ms|max:0.010 ms|max start:0.000100 s|max end:0.000110 s\n"
	      "TOTAL:|0.004 ms|3|\n");
}

/* a: waits of 1 and 2 us, ran 5; b: 4, ran 1; c: 1 and 1 and 1, ran 9. */
static char *order_of(const char *sort)
{
	static const struct {
		unsigned task, wait;
	} waits[] = { { 'a', 1 }, { 'a', 2 }, { 'b', 4 }, { 'c', 1 }, { 'c', 1 }, { 'c', 1 } };
	static const unsigned ran[] = { 5, 1, 9 };
	struct traced t = start();
	autofree char *text = NULL, *rows = NULL;
	char *order = xcalloc(8, 1);
	uint64_t time = 100;

	for (size_t i = 0; i < ARRAY_SIZE(waits); i++, time += 10) {
		unsigned task = waits[i].task;
		autofree char *wakes = xasprintf("pid=%u comm=%c", task, task);
		autofree char *comes = xasprintf("next_pid=%u next_comm=%c", task, task);
		autofree char *leaves = xasprintf("prev_pid=%u prev_comm=%c prev_state=1", task, task);

		traced_add(&t, WAKEUP, wakes, AT(time));
		traced_add(&t, SWITCH, comes, AT(time + waits[i].wait));
		traced_add(&t, SWITCH, leaves, AT(time + 9));
	}
	for (unsigned i = 0; i < ARRAY_SIZE(ran); i++) {
		autofree char *values = xasprintf("pid=%u comm=%c runtime=%u000", 'a' + i, 'a' + i, ran[i]);

		traced_add(&t, RUNTIME, values, AT(time));
	}
	text = table_of(&t, &(struct sched_latency_opts){ .cpu = -1, .sort = sort });
	rows = rows_of(text);
	for (const char *row = rows; row[1] == ':'; row = strchr(row, '\n') + 1)
		strncat(order, row, 1);
	return order;
}

static void rows_are_sorted_by_columns(void **state)
{
	static const struct {
		const char *sort, *order;
	} cases[] = { { "avg", "bac" },     { "max", "bac" },        { "switch", "cab" },
		      { "runtime", "cab" }, { "pid", "cba" },        { NULL, "bac" },
		      { ",", "abc" },       { "switch,max", "cab" }, { "avg,runtime", "bac" } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		autofree char *order = order_of(cases[i].sort);

		if (strcmp(order, cases[i].order) != 0)
			fail_msg("'%s' instead of '%s' for %s", order, cases[i].order, cases[i].sort);
	}
}

static void unknown_columns_are_refused(void **state)
{
	struct sched_latency_opts opts = { .sort = "avg,nosuch" };
	struct err e = { 0 };

	assert_int_equal(sched_latency_check(&opts, &e), -1);
	assert_int_equal(e.exit_code, EXIT_BAD_USAGE);
	assert_non_null(strstr(e.what, "nosuch"));
	opts.sort = "pid,runtime,switch,max,avg,pid,pid,pid,pid,pid,pid,pid,pid,pid,pid,pid,pid,pid";
	assert_int_equal(sched_latency_check(&opts, &e), 0);
	opts.sort = NULL;
	assert_int_equal(sched_latency_check(&opts, &e), 0);
}

static struct traced moves(void)
{
	struct traced t = start();

	traced_add(&t, MIGRATE, A " orig_cpu=0 dest_cpu=1", AT(100), .cpu = 0);
	traced_add(&t, SWITCH, TO_A, AT(131), .cpu = 1);
	traced_add(&t, SWITCH, FROM_A PREEMPTED, AT(150), .cpu = 1);
	traced_add(&t, MIGRATE, A " orig_cpu=1 dest_cpu=0", AT(160), .cpu = 0);
	traced_add(&t, SWITCH, TO_A, AT(170), .cpu = 0);
	traced_add(&t, SWITCH, FROM_A ASLEEP, AT(180), .cpu = 0);
	traced_add(&t, SWITCH, TO_B, AT(190), .cpu = 1);
	traced_add(&t, WAKEUP, A, AT(200), .cpu = 1);
	traced_add(&t, SWITCH, FROM_B ASLEEP TO_A, AT(205), .cpu = 1);
	traced_add(&t, WAKEUP, "pid=60 comm=b", AT(210), .cpu = 0);
	traced_add(&t, SWITCH, TO_B, AT(250), .cpu = 0);
	return t;
}

/* On one CPU, tasks that come from others begin to wait, and those that leave for others do not wait. */
static void only_one_cpu(void **state)
{
	const struct sched_latency_opts one = { .cpu = 1 };
	struct traced t = moves();

	check(&t, &one,
	      "a:50|0.000 ms|2|avg:0.018 ms|max:0.031 ms|max start:0.000100 s|max end:0.000131 s\n"
	      "b:60|0.000 ms|1|avg:0.000 ms|max:0.000 ms|max start:0.000000 s|max end:0.000000 s\n"
	      "TOTAL:|0.000 ms|3|\n");
	t = moves(); /* on all CPUs, moves change nothing */
	check(&t, NULL,
	      "b:60|0.000 ms|2|avg:0.020 ms|max:0.040 ms|max start:0.000210 s|max end:0.000250 s\n"
	      "a:50|0.000 ms|3|avg:0.008 ms|max:0.020 ms|max start:0.000150 s|max end:0.000170 s\n"
	      "TOTAL:|0.000 ms|5|\n");
}

/* What the task does elsewhere is not known, also if it is back without a move. */
static void tasks_do_not_wait_where_they_have_left(void **state)
{
	const struct sched_latency_opts one = { .cpu = 1 };
	struct traced t = start();

	traced_add(&t, SWITCH, TO_A, AT(100), .cpu = 1);
	traced_add(&t, SWITCH, FROM_A PREEMPTED, AT(110), .cpu = 1);
	traced_add(&t, MIGRATE, A " orig_cpu=1 dest_cpu=0", AT(120), .cpu = 1);
	traced_add(&t, SWITCH, TO_A, AT(150), .cpu = 1);
	check(&t, &one,
	      "a:50|0.000 ms|1|avg:0.000 ms|max:0.000 ms|max start:0.000000 s|max end:0.000000 s\n"
	      "TOTAL:|0.000 ms|1|\n");
}

/* With one CPU it is not known whether a task runs elsewhere: each wake-up counts, and the last one. */
static void each_wakeup_counts_on_one_cpu(void **state)
{
	const struct sched_latency_opts one = { .cpu = 0 };
	struct traced t = start();

	traced_add(&t, SWITCH, TO_A, AT(100));
	traced_add(&t, WAKING, A " success=1", AT(110));
	traced_add(&t, WAKEUP, A, AT(112));
	traced_add(&t, SWITCH, TO_A, AT(120));
	check(&t, &one,
	      "a:50|0.000 ms|2|avg:0.004 ms|max:0.008 ms|max start:0.000112 s|max end:0.000120 s\n"
	      "TOTAL:|0.000 ms|2|\n"
	      "INFO:50.000% context switch bugs (1 out of 2)\n");
}

/* The task that leaves is not the one that came. */
static void missing_switches_are_counted(void **state)
{
	struct traced t = start();

	traced_add(&t, SWITCH, TO_A, AT(100));
	traced_add(&t, SWITCH, FROM_B ASLEEP TO_A, AT(110));
	traced_add(&t, SWITCH, FROM_A ASLEEP, AT(120));
	traced_add(&t, SWITCH, TO_A, AT(130), .cpu = 1); /* the first of another CPU */
	check(&t, NULL,
	      "a:50|0.000 ms|1|avg:0.000 ms|max:0.000 ms|max start:0.000000 s|max end:0.000000 s\n"
	      "TOTAL:|0.000 ms|1|\n"
	      "INFO:25.000% context switch bugs (1 out of 4)\n");
	t = start();
	traced_add(&t, SWITCH, TO_A, AT(100));
	build_lost(&t.b, .id = 1, .lost = 3, AT(105));
	build_lost(&t.b, .id = 1, .lost = 4, AT(106));
	traced_add(&t, SWITCH, FROM_B ASLEEP, AT(110));
	check(&t, NULL,
	      "a:50|0.000 ms|1|avg:0.000 ms|max:0.000 ms|max start:0.000000 s|max end:0.000000 s\n"
	      "TOTAL:|0.000 ms|1|\n"
	      "INFO:7 events were lost, in 2 places\n"
	      "INFO:50.000% context switch bugs (1 out of 2) (due to lost events?)\n");
}

/* The rings of two CPUs are read one after the other. */
static void events_need_not_be_in_order(void **state)
{
	struct traced t = start();

	traced_add(&t, SWITCH, TO_A, AT(110), .cpu = 1);
	traced_add(&t, SWITCH, FROM_A TO_B, AT(200), .cpu = 1);
	traced_add(&t, WAKEUP, "pid=60 comm=b", AT(190), .cpu = 0);
	traced_add(&t, WAKEUP, A, AT(100), .cpu = 0);
	check(&t, NULL,
	      "a:50|0.000 ms|1|avg:0.010 ms|max:0.010 ms|max start:0.000100 s|max end:0.000110 s\n"
	      "b:60|0.000 ms|1|avg:0.010 ms|max:0.010 ms|max start:0.000190 s|max end:0.000200 s\n"
	      "TOTAL:|0.000 ms|2|\n");
}

/* Names are foreign text, and numbers may be anything. The idle task has no row. */
static void hostile_names_and_numbers(void **state)
{
	struct traced t = start();

	traced_add(&t, WAKEUP, "pid=-7 comm=\033[2J", AT(1));
	traced_add(&t, SWITCH, "next_pid=-7 next_comm=\033[2J", .time = 9000000000001000ull, .cpu = UINT32_MAX);
	traced_add(&t, SWITCH, "prev_pid=-7 prev_comm=x prev_state=1 next_comm=idle", .time = 9000000000001000ull,
		   .cpu = UINT32_MAX);
	traced_add(&t, SWITCH, "next_pid=8 next_comm=", .time = 9000000000002000ull);
	traced_add(&t, RUNTIME, "pid=8 comm=y runtime=0x7fffffffffffffff", .time = 9000000000002000ull);
	check(&t, NULL,
	      "x:-7|0.000 ms|1|avg:9000000000.000 ms|max:9000000000.000 ms|max start:0.000001 s|max end:"
	      "9000000.000001 s\n"
	      "y:8|9223372036854.775 ms|1|avg:0.000 ms|max:0.000 ms|max start:0.000000 s|max end:0.000000 s\n"
	      "TOTAL:|9223372036854.775 ms|2|\n");
}

static void control_bytes_are_escaped(void **state)
{
	struct traced t = start();

	traced_add(&t, SWITCH, "next_pid=50 next_comm=\033[2J", AT(1));
	check(&t, NULL,
	      "\\x1b[2J:50|0.000 ms|1|avg:0.000 ms|max:0.000 ms|max start:0.000000 s|max end:0.000000 s\n"
	      "TOTAL:|0.000 ms|1|\n");
}

static void a_recording_without_switches_is_refused(void **state)
{
	static const struct traced_event wakeups[] = { { "sched:sched_wakeup", { "comm", "pid" } } };
	struct traced t = traced_start(wakeups, 1);
	autofree char *text = NULL;

	traced_add(&t, 0, A, AT(8));
	text = table_of(&t, NULL);
	if (strncmp(text, "error: ", 7) || !strstr(text, "has no samples of sched:sched_switch") ||
	    !strstr(text, "sched record"))
		fail_msg("%s", text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_is_that_of_perf),
		cmocka_unit_test(waits_begin_with_a_wakeup_or_a_preemption),
		cmocka_unit_test(first_wakeup_counts),
		cmocka_unit_test(threads_of_a_name_share_a_row),
		cmocka_unit_test(rows_are_sorted_by_columns),
		cmocka_unit_test(unknown_columns_are_refused),
		cmocka_unit_test(only_one_cpu),
		cmocka_unit_test(tasks_do_not_wait_where_they_have_left),
		cmocka_unit_test(each_wakeup_counts_on_one_cpu),
		cmocka_unit_test(missing_switches_are_counted),
		cmocka_unit_test(events_need_not_be_in_order),
		cmocka_unit_test(hostile_names_and_numbers),
		cmocka_unit_test(control_bytes_are_escaped),
		cmocka_unit_test(a_recording_without_switches_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
