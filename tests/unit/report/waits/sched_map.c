#include "report/waits/sched.h"
#include "tests/lib/traced.h"

/*
 * The lines of the first scenes are those of perf 7.2 for the same events, see docs/compat.md.
 */
enum { SWITCH, WAKEUP, EVENTS };
static const struct traced_event events[EVENTS] = {
	[SWITCH] = { "sched:sched_switch", { "prev_comm", "prev_pid", "prev_state", "next_comm", "next_pid" } },
	[WAKEUP] = { "sched:sched_wakeup", { "comm", "pid" } },
};
#define AT(ms) .time = (ms)*1000000ull

static const struct sched_map_opts usual = { 0 };

static struct traced start(void) { return traced_start(events, EVENTS); }

/* The map, or the error after "error: ". Releases `t`. */
static char *map_of(struct traced *t, const struct sched_map_opts *opts)
{
	struct live *l = traced_open(t);
	struct err e = { 0 };
	struct out o;
	char *text;

	out_init_mem(&o);
	if (sched_map(l, opts, &o, &e) < 0)
		text = xasprintf("%serror: %s, why: %s, try: %s", out_text(&o), e.what, e.why, e.fix);
	else
		text = xstrdup(out_text(&o));
	out_release(&o);
	live_close(l);
	traced_release(t);
	return text;
}

static void check(struct traced *t, const struct sched_map_opts *opts, const char *want)
{
	autofree char *text = map_of(t, opts);

	assert_string_equal(text, want);
}

/* Three tasks on CPUs 0, 1 and 3. */
static struct traced scene(void)
{
	struct traced t = start();

	build_comm(&t.b, .pid = 50, .tid = 50, .comm = "a");
	build_comm(&t.b, .pid = 60, .tid = 60, .comm = "b");
	build_comm(&t.b, .pid = 70, .tid = 70, .comm = "bc");
	traced_add(&t, SWITCH, "prev_comm=swapper/0 next_pid=50 next_comm=a", AT(1000), .cpu = 0);
	traced_add(&t, SWITCH, "prev_comm=swapper/3 next_pid=60 next_comm=b", AT(1001), .cpu = 3);
	traced_add(&t, SWITCH, "prev_pid=50 prev_comm=a prev_state=1 next_comm=swapper/0", AT(1002), .cpu = 0);
	traced_add(&t, SWITCH, "prev_comm=swapper/1 next_pid=50 next_comm=a", AT(1003), .cpu = 1);
	traced_add(&t, SWITCH, "prev_pid=60 prev_comm=b next_pid=70 next_comm=bc", AT(1004), .cpu = 3);
	traced_add(&t, SWITCH, "prev_pid=70 prev_comm=bc next_pid=60 next_comm=b", AT(1005), .cpu = 3);
	return t;
}

static void each_switch_has_a_line(void **state)
{
	struct traced t = scene();

	check(&t, &usual,
	      "  *A0       1.000000 secs A0 => a:50\n"
	      "   A0         *B0       1.001000 secs B0 => b:60\n"
	      "  *.           B0       1.002000 secs .  => swapper:0\n"
	      "   .  *A0      B0       1.003000 secs \n"
	      "   .   A0     *C0       1.004000 secs C0 => bc:70\n"
	      "   .   A0     *B0       1.005000 secs \n");
}

static void compact_columns_are_in_the_order_of_first_switches(void **state)
{
	const struct sched_map_opts compact = { .compact = true };
	struct traced t = scene();

	check(&t, &compact,
	      "  *A0       1.000000 secs A0 => a:50 (CPU 0)\n"
	      "   A0 *B0       1.001000 secs B0 => b:60 (CPU 3)\n"
	      "  *.   B0       1.002000 secs .  => swapper:0\n"
	      "   .   B0 *A0       1.003000 secs  (CPU 1)\n"
	      "   .  *C0  A0       1.004000 secs C0 => bc:70\n"
	      "   .  *B0  A0       1.005000 secs \n");
}

/* The others keep their columns. A task is announced where it is first seen. */
static void only_switches_of_some_cpus(void **state)
{
	struct cpuset cpus = { 0 };
	struct sched_map_opts opts = { .cpus = &cpus };
	struct traced t = scene();

	assert_int_equal(cpuset_parse(&cpus, "1,3", NULL), 0);
	check(&t, &opts,
	      "   A0         *B0       1.001000 secs B0 => b:60\n"
	      "   .  *A0      B0       1.003000 secs A0 => a:50\n"
	      "   .   A0     *C0       1.004000 secs C0 => bc:70\n"
	      "   .   A0     *B0       1.005000 secs \n");
	cpuset_free(&cpus);
	assert_int_equal(cpuset_parse(&cpus, "3", NULL), 0);
	opts.compact = true;
	t = scene();
	check(&t, &opts,
	      "   A0 *B0       1.001000 secs B0 => b:60 (CPU 3)\n"
	      "   .  *C0  A0       1.004000 secs C0 => bc:70\n"
	      "   .  *B0  A0       1.005000 secs \n");
	cpuset_free(&cpus);
}

static void only_some_tasks_have_letters(void **state)
{
	struct sched_map_opts opts = { .tasks = "b" };
	struct traced t = scene();

	check(&t, &opts,
	      "   -          *A0       1.001000 secs A0 => b:60\n"
	      "   .   -      *-        1.004000 secs \n"
	      "   .   -      *A0       1.005000 secs \n");
	opts = (struct sched_map_opts){ .tasks = "x,b", .fuzzy = true };
	t = scene();
	check(&t, &opts,
	      "   -          *A0       1.001000 secs A0 => b:60\n"
	      "   .   -      *B0       1.004000 secs B0 => bc:70\n"
	      "   .   -      *A0       1.005000 secs \n");
	opts = (struct sched_map_opts){ .tasks = "nobody" };
	t = scene();
	check(&t, &opts, "");
}

/* A thread begins with the name of its parent, and takes its own with the program. */
static void a_new_name_is_announced(void **state)
{
	const struct sched_map_opts one = { .tasks = "ls" };

	for (int marked = 0; marked < 2; marked++) {
		struct traced t = start();

		traced_add(&t, SWITCH, "next_pid=50 next_comm=sh", AT(1));
		traced_add(&t, SWITCH, "prev_pid=50 prev_comm=sh next_pid=51 next_comm=cat", AT(2));
		traced_add(&t, SWITCH, "prev_pid=51 prev_comm=cat next_pid=50 next_comm=ls", AT(3));
		traced_add(&t, SWITCH, "prev_pid=50 prev_comm=ls next_pid=50 next_comm=ls", AT(4));
		if (marked)
			check(&t, &one,
			      "  *A0       0.003000 secs A0 => ls:50\n"
			      "  *A0       0.004000 secs \n");
		else
			check(&t, &usual,
			      "  *A0       0.001000 secs A0 => sh:50\n"
			      "  *B0       0.002000 secs B0 => cat:51\n"
			      "  *A0       0.003000 secs A0 => ls:50\n"
			      "  *A0       0.004000 secs \n");
	}
}

/* A0 to Z0, A1 to Z9, and A0 again. */
static void names_start_again_after_260_tasks(void **state)
{
	static const struct {
		int task;
		const char *name;
	} some[] = {
		{ 1, "A0" }, { 26, "Z0" }, { 27, "A1" }, { 53, "A2" }, { 260, "Z9" }, { 261, "A0" }, { 262, "B0" }
	};
	struct traced t = start();
	autofree char *text = NULL;

	for (int i = 1; i <= 262; i++) {
		autofree char *values = xasprintf("prev_pid=%d next_pid=%d next_comm=t", i - 1, i);

		traced_add(&t, SWITCH, values, AT(i));
	}
	text = map_of(&t, &usual);
	for (size_t i = 0; i < ARRAY_SIZE(some); i++) {
		autofree char *line = xasprintf("  *%s       0.%03d000 secs %s => t:%d\n", some[i].name, some[i].task,
						some[i].name, some[i].task);

		if (!strstr(text, line))
			fail_msg("no '%s' in %s", line, text);
	}
}

/* Names are foreign text: a task may be called anything, or nothing. */
static void hostile_names_and_numbers(void **state)
{
	struct traced t = start();

	traced_add(&t, SWITCH, "next_pid=-7 next_comm=\033[2Jx", AT(1));
	traced_add(&t, SWITCH, "next_pid=8 next_comm=", AT(2));
	traced_add(&t, SWITCH, "next_pid=8 next_comm=", AT(3));
	traced_add(&t, SWITCH, "next_pid=9 next_comm=0123456789abcdef", .time = 9223372036854775807ull);
	check(&t, &usual,
	      "  *A0       0.001000 secs A0 => \\x1b[2Jx:-7\n"
	      "  *B0       0.002000 secs B0 => :8\n"
	      "  *B0       0.003000 secs \n"
	      "  *C0   9223372036.854775 secs C0 => 0123456789abcdef:9\n");
}

/* A missing switch, and one that comes late: the map shows who came. */
static void lost_switches_do_not_matter(void **state)
{
	struct traced t = start();

	traced_add(&t, SWITCH, "next_pid=50 next_comm=a", AT(5));
	build_lost(&t.b, .id = 1, .lost = 3, AT(6));
	traced_add(&t, SWITCH, "prev_pid=60 prev_comm=b next_pid=50 next_comm=a", AT(7));
	traced_add(&t, WAKEUP, "pid=60 comm=b", AT(8));
	check(&t, &usual,
	      "  *A0       0.005000 secs A0 => a:50\n"
	      "  *A0       0.007000 secs \n");
}

/* A column for each such CPU would fill the memory. */
static void impossible_cpus_are_an_error(void **state)
{
	struct traced t = start();
	autofree char *text = NULL;

	traced_add(&t, SWITCH, "next_pid=50 next_comm=a", AT(1), .cpu = 8192);
	traced_add(&t, SWITCH, "next_pid=50 next_comm=a", AT(2), .cpu = UINT32_MAX);
	traced_add(&t, SWITCH, "next_pid=60 next_comm=b", AT(3), .cpu = 1);
	text = map_of(&t, &usual);
	if (!strstr(text, "      *A0       0.003000 secs A0 => b:60\nerror: ") ||
	    !strstr(text, "is damaged: 2 events were left out, why: they name CPUs from 8192 on"))
		fail_msg("%s", text);
}

static void the_last_cpu_has_a_column(void **state)
{
	struct traced t = start();
	autofree char *text = NULL;

	traced_add(&t, SWITCH, "next_pid=50 next_comm=a", AT(1), .cpu = 8191);
	text = map_of(&t, &usual);
	assert_int_equal(strcspn(text, "*"), 2 + 8191 * 4);
	assert_string_equal(text + 2 + 8191 * 4, "*A0       0.001000 secs A0 => a:50\n");
}

static void a_recording_without_switches_is_refused(void **state)
{
	static const struct traced_event wakeups[] = { { "sched:sched_wakeup", { "comm", "pid" } } };

	for (int empty = 0; empty < 2; empty++) {
		struct traced t = empty ? start() : traced_start(wakeups, 1);
		autofree char *text = NULL;

		if (!empty)
			traced_add(&t, 0, "pid=60 comm=b", AT(8));
		text = map_of(&t, &usual);
		if (strncmp(text, "error: ", 7) || !strstr(text, "has no samples of sched:sched_switch") ||
		    !strstr(text, "sched record"))
			fail_msg("%s", text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_switch_has_a_line),
		cmocka_unit_test(compact_columns_are_in_the_order_of_first_switches),
		cmocka_unit_test(only_switches_of_some_cpus),
		cmocka_unit_test(only_some_tasks_have_letters),
		cmocka_unit_test(a_new_name_is_announced),
		cmocka_unit_test(names_start_again_after_260_tasks),
		cmocka_unit_test(hostile_names_and_numbers),
		cmocka_unit_test(lost_switches_do_not_matter),
		cmocka_unit_test(impossible_cpus_are_an_error),
		cmocka_unit_test(the_last_cpu_has_a_column),
		cmocka_unit_test(a_recording_without_switches_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
