#include "report/presets/timechart_priv.h"
#include "tests/lib/traced.h"

enum { SWITCH, WAKEUP, IDLE, FREQ, ENTER_READ, EXIT_READ, ENTER_SEND, EXIT_SEND, EVENTS };
static const struct traced_event events[EVENTS] = {
	[SWITCH] = { "sched:sched_switch", { "prev_comm", "prev_pid", "prev_state", "next_comm", "next_pid" } },
	[WAKEUP] = { "sched:sched_wakeup", { "comm", "pid" } },
	[IDLE] = { "power:cpu_idle", { "state", "cpu_id" } },
	[FREQ] = { "power:cpu_frequency", { "state", "cpu_id" } },
	[ENTER_READ] = { "syscalls:sys_enter_read", { "fd" } },
	[EXIT_READ] = { "syscalls:sys_exit_read", { "ret" } },
	[ENTER_SEND] = { "syscalls:sys_enter_sendto", { "fd" } },
	[EXIT_SEND] = { "syscalls:sys_exit_sendto", { "ret" } },
};

/* Pictures of these tests show 100 ms, 10 pixels each, from START on. */
enum { START = 1000, END = 1100 };
#define AT(ms) .time = (ms)*1000000ull

static const struct opt_list nobody = { 0 };
static const struct timechart_opts usual = { .width = 1000, .tasks_least = 1000, .tasks = &nobody };

static struct traced start(void) { return traced_start(events, EVENTS); }

/* The picture, or the error after "error: ". Releases `t`. */
static char *drawn(struct traced *t, const struct timechart_opts *opts)
{
	struct live *l = traced_open(t);
	struct err e = { 0 };
	uint64_t ns = 0;
	struct out o;
	char *text;

	out_init_mem(&o);
	if (timechart(l, opts ? opts : &usual, &o, &ns, &e) < 0)
		text = xasprintf("error: %s, try: %s", e.what, e.fix);
	else
		text = xstrdup(out_text(&o));
	out_release(&o);
	live_close(l);
	traced_release(t);
	return text;
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

/* Fail unless there is a box of this class on this row, counted from 1 on, from one place to another in ms. */
static void check_box(const char *svg, const char *class, unsigned row, unsigned from, unsigned to)
{
	autofree char *box = xasprintf("<rect class=\"%s\" x=\"%u.00\" y=\"%u.00\" width=\"%u.00\" height=\"16.00\"",
				       class, 10 * from, 60 + 22 * (row - 1), 10 * (to - from));

	if (count(svg, box) != 1)
		fail_msg("%zu boxes %s in %s", count(svg, box), box, svg);
}

/* The boxes of a class, with those of the CPUs and without the legend. */
static size_t boxes(const char *svg, const char *class)
{
	autofree char *part = xasprintf("<rect class=\"%s\" x=", class);

	return count(svg, part) - 1;
}

static void check_text(const char *svg, const char *text)
{
	if (!strstr(svg, text))
		fail_msg("no '%s' in %s", text, svg);
}

/* ---- tasks ---- */

static void tasks_run_wait_and_are_blocked(void **state)
{
	autofree char *svg = NULL;
	struct traced t = start();

	traced_add(&t, SWITCH, "next_pid=50 next_comm=a", AT(START));
	traced_add(&t, SWITCH, "prev_pid=50 prev_comm=a prev_state=2 next_pid=60 next_comm=b", AT(START + 30));
	traced_add(&t, WAKEUP, "pid=50 comm=a", AT(START + 50), .tid = 60);
	traced_add(&t, SWITCH, "prev_pid=60 prev_comm=b prev_state=0 next_pid=50 next_comm=a", AT(START + 70));
	traced_add(&t, SWITCH, "prev_pid=50 prev_comm=a prev_state=1", AT(START + 80));
	traced_add(&t, WAKEUP, "pid=7 comm=late", AT(END));
	svg = drawn(&t, NULL);
	check_text(svg, ">a:50, 40.000 ms</text>");
	check_text(svg, ">b:60, 40.000 ms</text>");
	check_box(svg, "run", 2, 0, 30);
	check_box(svg, "block", 2, 30, 50);
	check_box(svg, "wait", 2, 50, 70);
	check_box(svg, "run", 2, 70, 80);
	check_box(svg, "run", 3, 30, 70);
	check_box(svg, "wait", 3, 70, 100); /* until the end */
	assert_int_equal(boxes(svg, "block"), 1);
	assert_int_equal(boxes(svg, "wait"), 2);
	assert_int_equal(boxes(svg, "run"), 2 * 3); /* each on the CPU's row, too */
}

/* A switch may be missing: the time before is nobody's. */
static void missing_switches_leave_holes(void **state)
{
	autofree char *svg = NULL;
	struct traced t = start();

	traced_add(&t, WAKEUP, "pid=70 comm=any", AT(START));
	traced_add(&t, SWITCH, "prev_pid=60 prev_comm=b prev_state=1", AT(START + 10)); /* the first of its CPU */
	traced_add(&t, SWITCH, "prev_pid=60 prev_comm=b prev_state=1 next_pid=50 next_comm=a", AT(START + 50));
	traced_add(&t, SWITCH, "prev_pid=70 prev_comm=c prev_state=1 next_pid=60 next_comm=b", AT(START + 90));
	traced_add(&t, SWITCH, "prev_pid=60 prev_comm=b prev_state=1", AT(END));
	svg = drawn(&t, NULL);
	check_text(svg, ">b:60, 20.000 ms</text>");
	check_text(svg, ">a:50, 0.000 ms</text>");
	check_text(svg, ">c:70, 0.000 ms</text>");
	check_box(svg, "run", 3, 0, 10);
	check_box(svg, "run", 3, 90, 100);
	assert_int_equal(boxes(svg, "run"), 2 * 2);
	assert_int_equal(boxes(svg, "wait"), 0); /* c came at some time since it was woken */
}

static void only_busy_or_named_tasks_are_shown(void **state)
{
	static const char *const names[] = { "short", "70", "none" };
	const struct opt_list list = { .items = (const char **)(uintptr_t)names, .len = ARRAY_SIZE(names) };
	struct timechart_opts opts[] = { usual, usual, usual };
	static const char *const wanted[] = { "long:60 ", "long:60 short:50 ", "short:50 third:70 " };

	opts[0].tasks_least = 1; /* those that ran for 10 ms are enough */
	opts[1].tasks_least = 2;
	opts[2].tasks = &list;
	for (size_t i = 0; i < ARRAY_SIZE(opts); i++) {
		struct traced t = start();
		autofree char *svg = NULL;

		traced_add(&t, SWITCH, "next_pid=50 next_comm=short", AT(START));
		traced_add(&t, SWITCH, "prev_pid=50 prev_comm=short next_pid=60 next_comm=long", AT(START + 9));
		traced_add(&t, SWITCH, "prev_pid=60 prev_comm=long next_pid=70 next_comm=third", AT(START + 99));
		traced_add(&t, SWITCH, "prev_pid=70 prev_comm=third", AT(START + 99));
		traced_add(&t, WAKEUP, "pid=70 comm=third", AT(START + 50), .tid = 60);
		traced_add(&t, WAKEUP, "pid=7 comm=late", AT(END));
		svg = drawn(&t, &opts[i]);
		assert_int_equal(count(svg, "long:60,"), strstr(wanted[i], "long:60 ") != NULL);
		assert_int_equal(count(svg, "short:50,"), strstr(wanted[i], "short:50 ") != NULL);
		assert_int_equal(count(svg, "third:70,"), strstr(wanted[i], "third:70 ") != NULL);
		assert_int_equal(count(svg, "class=\"irq\"") + count(svg, "class=\"wake\""), 0); /* of whom, by whom? */
	}
}

static void names_are_foreign_text(void **state)
{
	autofree char *svg = NULL;
	struct traced t = start();

	traced_add(&t, WAKEUP, "pid=0 comm=swapper", AT(START));
	traced_add(&t, WAKEUP, "pid=-5 comm=negative", AT(START));
	traced_add(&t, SWITCH, "next_pid=50 next_comm=0123456789abcdefgh", AT(START)); /* 16 bytes without a NUL */
	traced_add(&t, SWITCH, "prev_pid=50 prev_comm=0123456789abcdefgh next_pid=60 next_comm=</svg>&", AT(END));
	svg = drawn(&t, NULL);
	check_text(svg, ">0123456789abcdef:50, 100.000 ms</text>");
	check_text(svg, ">&lt;/svg&gt;&amp;:60, 0.000 ms</text>");
	assert_int_equal(count(svg, "</svg>"), 1);
	assert_int_equal(count(svg, "swapper") + count(svg, "negative"), 0);
}

static void runs_can_be_marked(void **state)
{
	static const struct {
		uint64_t ns;
		const char *name;
		size_t high;
	} cases[] = { { 30000000, NULL, 1 }, { 30000001, NULL, 0 }, { 0, "b", 1 }, { 10000000, "b", 2 }, { 0, "", 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct timechart_opts opts = usual;
		autofree char *svg = NULL;
		struct traced t = start();

		opts.high_ns = cases[i].ns;
		opts.high_name = cases[i].name;
		opts.tasks_only = true;
		traced_add(&t, SWITCH, "next_pid=50 next_comm=a", AT(START));
		traced_add(&t, SWITCH, "prev_pid=50 prev_comm=a next_pid=60 next_comm=b", AT(START + 30));
		traced_add(&t, SWITCH, "prev_pid=60 prev_comm=b prev_state=2", AT(START + 40));
		traced_add(&t, WAKEUP, "pid=7 comm=late", AT(END)); /* b was blocked even longer */
		svg = drawn(&t, &opts);
		assert_int_equal(boxes(svg, "high"), cases[i].high);
	}
}

/* ---- wakeups ---- */

static void wakeups_are_lines_from_the_waker(void **state)
{
	autofree char *svg = NULL;
	struct traced t = start();

	traced_add(&t, WAKEUP, "pid=50 comm=a", AT(START));                                 /* by an idle CPU */
	traced_add(&t, WAKEUP, "pid=60 comm=b", AT(START + 10), .tid = 50);                 /* a is above b */
	traced_add(&t, WAKEUP, "pid=50 comm=a", AT(START + 20), .tid = 60);                 /* and b below a */
	traced_add(&t, WAKEUP, "pid=60 comm=b common_flags=8", AT(START + 30), .tid = 50);  /* an interrupt */
	traced_add(&t, WAKEUP, "pid=60 comm=b common_flags=16", AT(START + 40), .tid = 50); /* or a softirq */
	traced_add(&t, WAKEUP, "pid=60 comm=b common_flags=1", AT(END), .tid = 50);
	svg = drawn(&t, NULL);
	assert_int_equal(count(svg, "<line class=\"wake\""), 3);
	assert_int_equal(count(svg, "<circle class=\"irq\""), 3);
	check_text(svg, "<circle class=\"irq\" cx=\"0.00\" cy=\"98\" r=\"1.5\"/>");
	check_text(svg, "<line class=\"wake\" x1=\"100.00\" y1=\"98\" x2=\"100.00\" y2=\"104\"/>");
	check_text(svg, "<line class=\"wake\" x1=\"200.00\" y1=\"104\" x2=\"200.00\" y2=\"98\"/>");
	check_box(svg, "wait", 2, 0, 100);
	check_box(svg, "wait", 3, 10, 100);
}

/* ---- CPUs ---- */

static void cpus_are_idle_and_have_frequencies(void **state)
{
	autofree char *svg = NULL;
	struct traced t = start();

	traced_add(&t, IDLE, "state=2 cpu_id=0", AT(START));
	traced_add(&t, FREQ, "state=2000000 cpu_id=0", AT(START + 10));
	traced_add(&t, IDLE, "state=4294967295 cpu_id=0", AT(START + 20)); /* busy */
	traced_add(&t, FREQ, "state=4000000 cpu_id=0", AT(START + 30));
	traced_add(&t, IDLE, "state=0 cpu_id=0", AT(START + 50)); /* polls, until the end */
	traced_add(&t, IDLE, "state=2 cpu_id=2", AT(END));        /* as another CPU */
	svg = drawn(&t, NULL);
	check_box(svg, "idle", 1, 0, 20);
	check_box(svg, "idle", 1, 50, 100);
	assert_int_equal(boxes(svg, "idle"), 2);
	check_text(svg, "idle, state C2, 20.000 ms at 1.000000 s");
	check_text(svg, "idle, state C1, 50.000 ms at 1.050000 s");
	check_text(svg, "opacity=\"0.60\"");
	/* the highest frequency takes 0.3 of the height, others take less */
	check_text(svg, "<rect class=\"freq\" x=\"100.00\" y=\"73.60\" width=\"200.00\" height=\"2.40\"");
	check_text(svg, "<rect class=\"freq\" x=\"300.00\" y=\"71.20\" width=\"700.00\" height=\"4.80\"");
	check_text(svg, "frequency 4000 MHz, 70.000 ms at 1.030000 s");
	check_text(svg, ">CPU 0</text>");
	check_text(svg, ">CPU 2</text>");
	assert_null(strstr(svg, ">CPU 1</text>"));
}

/* No CPU has a number from 8192 on. A table for such ones would take all memory. */
static void impossible_cpus_are_left_out(void **state)
{
	autofree char *svg = NULL;
	struct traced t = start();

	traced_add(&t, IDLE, "state=1 cpu_id=8191", AT(START));
	traced_add(&t, IDLE, "state=1 cpu_id=8192", AT(START));
	traced_add(&t, IDLE, "state=1 cpu_id=-1", AT(START));
	traced_add(&t, FREQ, "state=1 cpu_id=4294967295", AT(START));
	traced_add(&t, SWITCH, "next_pid=50 next_comm=a", AT(START), .cpu = 8192);
	traced_add(&t, IDLE, "state=4294967295 cpu_id=8191", AT(END));
	svg = drawn(&t, NULL);
	assert_int_equal(count(svg, ">CPU "), 2);
	check_text(svg, ">CPU 0</text>"); /* where these events happened */
	check_text(svg, ">CPU 8191</text>");
	check_box(svg, "idle", 2, 0, 100);
	assert_null(strstr(svg, "a:50"));
}

static void cpus_can_be_sorted_by_their_place(void **state)
{
	const uint32_t four[] = { 4, 4 };
	const uint32_t places[] = { 0, 0, 0, 1, 1, 1, 0, 1, 0, 0 }; /* no lists; core and socket of each CPU */
	struct timechart_opts opts = usual;
	static const unsigned rows[] = { 2, 4, 3, 1 };

	opts.topology = true;
	for (int sorted = 0; sorted < 2; sorted++) {
		struct traced t = start();
		autofree char *svg = NULL;

		build_feature(&t.b, FEATURE_NRCPUS, four, sizeof(four));
		build_feature(&t.b, FEATURE_CPU_TOPOLOGY, places, sizeof(places));
		for (unsigned cpu = 0; cpu < 4; cpu++) {
			autofree char *values = xasprintf("state=1 cpu_id=%u", cpu);

			traced_add(&t, IDLE, values, AT(START + cpu), .cpu = cpu);
		}
		traced_add(&t, IDLE, "state=1 cpu_id=0", AT(END));
		svg = drawn(&t, sorted ? &opts : NULL);
		for (unsigned cpu = 0; cpu < 4; cpu++)
			check_box(svg, "idle", sorted ? rows[cpu] : cpu + 1, cpu, 100);
	}
}

/* ---- calls ---- */

static struct traced some_calls(void)
{
	struct traced t = start();

	build_comm(&t.b, .pid = 50, .tid = 50, .comm = "reader");
	traced_add(&t, ENTER_READ, "", AT(START), .pid = 50, .tid = 50);
	traced_add(&t, EXIT_READ, "ret=30000", AT(START + 10), .pid = 50, .tid = 50);
	traced_add(&t, ENTER_SEND, "", AT(START + 15), .pid = 50, .tid = 50);
	traced_add(&t, EXIT_SEND, "ret=10000", AT(START + 20), .pid = 50, .tid = 50);
	traced_add(&t, ENTER_READ, "", AT(START + 25), .pid = 50, .tid = 50);
	traced_add(&t, EXIT_READ, "ret=-2", AT(START + 30), .pid = 50, .tid = 50);
	traced_add(&t, ENTER_READ, "", AT(START + 35), .pid = 50, .tid = 50);
	traced_add(&t, EXIT_READ, "ret=-11", AT(START + 40), .pid = 50, .tid = 50); /* EAGAIN */
	traced_add(&t, ENTER_READ, "", AT(START + 42), .pid = 50, .tid = 50);
	traced_add(&t, EXIT_READ, "ret=10000", AT(START + 50), .pid = 50, .tid = 50);
	traced_add(&t, ENTER_READ, "", AT(END), .pid = 50, .tid = 50); /* never returns */
	return t;
}

static void calls_are_as_high_as_their_bytes(void **state)
{
	struct traced t = some_calls();
	autofree char *svg = drawn(&t, NULL);

	check_text(svg, ">reader:50, 50000 bytes</text>");
	check_box(svg, "disk", 1, 0, 10);
	check_text(svg, "<rect class=\"net\" x=\"150.00\" y=\"68.00\" width=\"50.00\" height=\"8.00\"");
	check_text(svg, "<rect class=\"disk\" x=\"420.00\" y=\"68.00\" width=\"80.00\" height=\"8.00\"");
	check_box(svg, "error", 1, 25, 30);
	check_box(svg, "error", 1, 35, 40);
	assert_int_equal(boxes(svg, "disk"), 2);
	check_text(svg, "files, 30000 bytes, 10.000 ms at 1.000000 s");
	assert_null(strstr(svg, ">CPU "));
}

static void calls_that_would_block_can_be_left_out(void **state)
{
	struct timechart_opts opts = usual;
	struct traced t = some_calls();
	autofree char *svg = NULL;

	opts.skip_eagain = true;
	svg = drawn(&t, &opts);
	check_box(svg, "error", 1, 25, 30);
	assert_int_equal(boxes(svg, "error"), 1);
}

static void near_calls_of_a_kind_are_joined(void **state)
{
	struct timechart_opts opts = usual;
	struct traced t = some_calls();
	autofree char *near = NULL, *far = NULL;

	opts.io_join_ns = 32000000; /* the pause between both reads that did not fail */
	near = drawn(&t, &opts);
	check_box(near, "disk", 1, 0, 50);
	check_text(near, "files, 40000 bytes, 50.000 ms");
	check_box(near, "error", 1, 25, 40);
	assert_int_equal(boxes(near, "disk"), 1);
	assert_int_equal(boxes(near, "net"), 1);
	opts.io_join_ns--;
	t = some_calls();
	far = drawn(&t, &opts);
	assert_int_equal(boxes(far, "disk"), 2);
}

static void calls_of_two_threads_are_not_joined(void **state)
{
	struct timechart_opts opts = usual;
	autofree char *svg = NULL;
	struct traced t = start();

	opts.io_join_ns = 10000000;
	traced_add(&t, ENTER_READ, "", AT(START), .tid = 50);
	traced_add(&t, EXIT_READ, "ret=20000", AT(START + 10), .tid = 50);
	traced_add(&t, ENTER_READ, "", AT(START + 15), .tid = 60);
	traced_add(&t, EXIT_READ, "ret=20000", AT(END), .tid = 60);
	svg = drawn(&t, &opts);
	check_box(svg, "disk", 1, 0, 10);
	check_box(svg, "disk", 2, 15, 100);
}

/* What returns without having begun, or from another call, tells nothing. */
static void returns_need_their_calls(void **state)
{
	autofree char *svg = NULL;
	struct traced t = start();

	traced_add(&t, EXIT_READ, "ret=1", AT(START), .tid = 50);
	traced_add(&t, ENTER_READ, "", AT(START + 10), .tid = 50);
	traced_add(&t, EXIT_SEND, "ret=2", AT(START + 20), .tid = 50);
	traced_add(&t, EXIT_READ, "ret=4", AT(START + 30), .tid = 50);
	traced_add(&t, ENTER_READ, "", AT(START + 40), .tid = 50);
	traced_add(&t, EXIT_READ, "ret=8", AT(START + 50), .tid = 60);
	traced_add(&t, ENTER_READ, "", AT(START + 60), .tid = 60);
	traced_add(&t, EXIT_READ, "ret=0x7fffffffffffffff", AT(END), .tid = 60);
	svg = drawn(&t, NULL);
	assert_int_equal(boxes(svg, "disk"), 1);
	check_box(svg, "disk", 1, 60, 100);
	check_text(svg, ":60, 9223372036854775807 bytes</text>");
}

static void a_recording_without_such_events_is_refused(void **state)
{
	struct traced t = start();
	autofree char *text = drawn(&t, NULL);

	if (strncmp(text, "error: ", 7) || !strstr(text, "timechart record"))
		fail_msg("%s", text);
}

/* All events at one time: there is no scale, but a picture. */
static void a_moment_has_no_width(void **state)
{
	autofree char *svg = NULL;
	struct traced t = start();

	traced_add(&t, SWITCH, "next_pid=50 next_comm=a", AT(START));
	traced_add(&t, SWITCH, "prev_pid=50 prev_comm=a prev_state=2", AT(START));
	svg = drawn(&t, NULL);
	check_text(svg, ">a:50, 0.000 ms</text>");
	assert_int_equal(boxes(svg, "run"), 0);
	assert_null(strstr(svg, "nan"));
	assert_null(strstr(svg, "inf"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_run_wait_and_are_blocked),
		cmocka_unit_test(missing_switches_leave_holes),
		cmocka_unit_test(only_busy_or_named_tasks_are_shown),
		cmocka_unit_test(names_are_foreign_text),
		cmocka_unit_test(runs_can_be_marked),
		cmocka_unit_test(wakeups_are_lines_from_the_waker),
		cmocka_unit_test(cpus_are_idle_and_have_frequencies),
		cmocka_unit_test(impossible_cpus_are_left_out),
		cmocka_unit_test(cpus_can_be_sorted_by_their_place),
		cmocka_unit_test(calls_are_as_high_as_their_bytes),
		cmocka_unit_test(calls_that_would_block_can_be_left_out),
		cmocka_unit_test(near_calls_of_a_kind_are_joined),
		cmocka_unit_test(calls_of_two_threads_are_not_joined),
		cmocka_unit_test(returns_need_their_calls),
		cmocka_unit_test(a_recording_without_such_events_is_refused),
		cmocka_unit_test(a_moment_has_no_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
