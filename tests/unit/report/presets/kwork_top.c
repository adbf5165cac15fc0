#include "report/presets/presets.h"
#include "tests/lib/traced.h"

enum { SWITCH, IRQ_ENTRY, IRQ_EXIT, VEC_ENTRY, VEC_EXIT, EVENTS };
static const struct traced_event events[EVENTS] = {
	[SWITCH] = { "sched:sched_switch", { "prev_comm", "prev_pid", "prev_state", "next_comm", "next_pid" } },
	[IRQ_ENTRY] = { "irq:irq_handler_entry", { "irq" } },
	[IRQ_EXIT] = { "irq:irq_handler_exit", { "irq" } },
	[VEC_ENTRY] = { "irq:softirq_entry", { "vec" } },
	[VEC_EXIT] = { "irq:softirq_exit", { "vec" } },
};

#define AT(ms) .time = 1000000000 + (ms)*1000000ull

static struct traced start(void) { return traced_start(events, EVENTS); }

/* The page, or the error after "error: ". Releases `t`. */
static char *page_of(struct traced *t, const struct kwork_top_opts *opts)
{
	struct live *l = traced_open(t);
	struct err e = { 0 };
	struct out o;
	char *text;

	out_init_mem(&o);
	text = kwork_top(l, opts, &o, &e) < 0 ? xasprintf("error: %s", e.what) : xstrdup(out_text(&o));
	out_release(&o);
	live_close(l);
	traced_release(t);
	return text;
}

/* Fail unless the text has a line of these words. */
static void check_line(const char *text, const char *words)
{
	autofree char *copy = xstrdup(text);
	char *rest = NULL;

	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		const char *want = words;
		char *word, *inner = NULL;

		for (word = strtok_r(line, " ", &inner); word; word = strtok_r(NULL, " ", &inner)) {
			size_t len = strlen(word);

			if (strncmp(want, word, len) || (want[len] && want[len] != ' '))
				break;
			want += len + (want[len] == ' ');
		}
		if (!word && !*want)
			return;
	}
	fail_msg("no '%s' in %s", words, text);
}

/* A runs 40 ms of 100 ms, B 10 ms, an idle CPU the rest. */
static struct traced two_tasks(void)
{
	struct traced t = start();

	traced_add(&t, SWITCH, "next_pid=50 next_comm=a", AT(0));
	traced_add(&t, SWITCH, "prev_pid=50 prev_comm=a next_pid=60 next_comm=b", AT(40));
	traced_add(&t, SWITCH, "prev_pid=60 prev_comm=b next_pid=0", AT(50));
	traced_add(&t, SWITCH, "prev_pid=0 next_pid=50 next_comm=a", AT(100));
	return t;
}

static void threads_have_their_share_of_the_cpu(void **state)
{
	struct traced t = two_tasks();
	autofree char *page = page_of(&t, &(struct kwork_top_opts){ 0 });

	check_line(page, "Total : 100.000 ms, 1 cpus");
	check_line(page, "%Cpu(s): 50.00% id, 0.00% hi, 0.00% si");
	check_line(page, "%Cpu0 [||||||||||||||| 50.00%]");
	check_line(page, "50 40.00 40.000 ms a");
	check_line(page, "60 10.00 10.000 ms b");
	assert_true(strstr(page, " a ") < strstr(page, " b "));
}

static void interrupts_are_taken_off(void **state)
{
	static const struct {
		const char *classes, *cpu, *thread;
	} cases[] = {
		{ NULL, "%Cpu(s): 0.00% id, 10.00% hi, 5.00% si", "50 85.00 85.000 ms a" },
		{ "irq", "%Cpu(s): 0.00% id, 10.00% hi, 0.00% si", "50 90.00 90.000 ms a" },
		{ "softirq", "%Cpu(s): 0.00% id, 0.00% hi, 15.00% si", "50 85.00 85.000 ms a" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct traced t = start();
		autofree char *page = NULL;

		traced_add(&t, SWITCH, "next_pid=50 next_comm=a", AT(0));
		traced_add(&t, VEC_ENTRY, "", AT(10));
		traced_add(&t, IRQ_ENTRY, "", AT(12)); /* in the softirq: counts once */
		traced_add(&t, IRQ_EXIT, "", AT(22));
		traced_add(&t, VEC_EXIT, "", AT(25));
		traced_add(&t, SWITCH, "prev_pid=50 prev_comm=a next_pid=60 next_comm=b", AT(100));
		page = page_of(&t, &(struct kwork_top_opts){ .classes = cases[i].classes });
		check_line(page, cases[i].cpu);
		check_line(page, cases[i].thread);
		assert_null(strstr(page, " b ")); /* its time has not ended */
	}
}

/* Ends without a start, starts without an end, and what came before the first switch. */
static void halves_of_interrupts_do_not_count(void **state)
{
	autofree char *page = NULL;
	struct traced t = start();

	traced_add(&t, IRQ_ENTRY, "", AT(0));
	traced_add(&t, IRQ_EXIT, "", AT(5));
	traced_add(&t, VEC_ENTRY, "", AT(6));
	traced_add(&t, SWITCH, "prev_pid=40 prev_comm=c next_pid=50 next_comm=a", AT(10));
	traced_add(&t, IRQ_EXIT, "", AT(20));
	traced_add(&t, IRQ_ENTRY, "", AT(30));
	traced_add(&t, IRQ_EXIT, "", AT(40), .cpu = 1);
	traced_add(&t, SWITCH, "prev_pid=50 prev_comm=a next_pid=60 next_comm=b", AT(110));
	page = page_of(&t, &(struct kwork_top_opts){ 0 });
	check_line(page, "Total : 100.000 ms, 1 cpus");
	check_line(page, "%Cpu(s): 0.00% id, 0.00% hi, 0.00% si");
	check_line(page, "50 100.00 100.000 ms a");
	assert_null(strstr(page, " c "));
}

/* An interrupt that began before the thread came takes no more than the thread's time. */
static void a_long_interrupt_takes_the_whole_time(void **state)
{
	autofree char *page = NULL;
	struct traced t = start();

	traced_add(&t, SWITCH, "next_pid=50 next_comm=a", AT(0));
	traced_add(&t, IRQ_ENTRY, "", AT(10));
	traced_add(&t, SWITCH, "prev_pid=50 prev_comm=a next_pid=60 next_comm=b", AT(60));
	traced_add(&t, IRQ_EXIT, "", AT(70));
	traced_add(&t, SWITCH, "prev_pid=60 prev_comm=b next_pid=70 next_comm=c", AT(80));
	traced_add(&t, SWITCH, "prev_pid=70 prev_comm=c next_pid=70 next_comm=c", AT(100));
	page = page_of(&t, &(struct kwork_top_opts){ 0 });
	check_line(page, "50 60.00 60.000 ms a");
	check_line(page, "70 20.00 20.000 ms c"); /* what the interrupt stole before is not its loss */
	assert_null(strstr(page, " b "));
}

/* The rate is of the CPUs that the thread ran on: 100 % on one, 50 % on another. */
static void rates_of_several_cpus_add_up(void **state)
{
	autofree char *page = NULL;
	struct traced t = start();

	traced_add(&t, SWITCH, "next_pid=50 next_comm=a", AT(0), .cpu = 2);
	traced_add(&t, SWITCH, "prev_pid=50 prev_comm=a next_pid=0", AT(100), .cpu = 2);
	traced_add(&t, SWITCH, "next_pid=50 next_comm=new", AT(100), .cpu = 5);
	traced_add(&t, SWITCH, "prev_pid=50 prev_comm=new next_pid=0", AT(110), .cpu = 5);
	traced_add(&t, SWITCH, "prev_pid=0 next_pid=50", AT(120), .cpu = 5);
	page = page_of(&t, &(struct kwork_top_opts){ 0 });
	check_line(page, "Total : 120.000 ms, 2 cpus");
	check_line(page, "%Cpu(s): 8.33% id, 0.00% hi, 0.00% si");
	check_line(page, "50 150.00 110.000 ms new");
	assert_null(strstr(page, "%Cpu0 "));
	assert_null(strstr(page, " a "));
}

static void order_is_as_wanted(void **state)
{
	static const struct {
		const char *sort;
		bool a_first;
	} cases[] = {
		{ NULL, true }, { "runtime", true }, { "tid", false }, { "rate,tid", true }, { "tid rate", false }
	};
	struct err e = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kwork_top_opts opts = { .sort = cases[i].sort };
		struct traced t = two_tasks();
		autofree char *page = page_of(&t, &opts);

		assert_int_equal(kwork_top_check(&opts, &e), 0);
		assert_int_equal(strstr(page, " a ") < strstr(page, " b "), cases[i].a_first);
	}
	assert_int_equal(kwork_top_check(&(struct kwork_top_opts){ .sort = "rate,comm" }, &e), -1);
	assert_int_equal(kwork_top_check(&(struct kwork_top_opts){ .classes = "irq,none" }, &e), -1);
}

static void what_is_not_wanted_does_not_count(void **state)
{
	const struct time_span middle = { 1040000000, 1050000000 };
	struct cpuset cpus = { 0 };
	struct traced t = two_tasks();
	autofree char *named = page_of(&t, &(struct kwork_top_opts){ .name = "b" }), *window = NULL, *other = NULL;

	check_line(named, "60 10.00 10.000 ms b");
	assert_null(strstr(named, " a "));
	t = two_tasks();
	window = page_of(&t, &(struct kwork_top_opts){ .window = &middle });
	check_line(window, "Total : 10.000 ms, 1 cpus");
	check_line(window, "60 100.00 10.000 ms b");
	t = two_tasks();
	cpuset_add(&cpus, 1);
	other = page_of(&t, &(struct kwork_top_opts){ .cpus = &cpus });
	assert_non_null(
		strstr(other, "error: no CPU has two samples of sched:sched_switch that -C and --time leave in '"));
	cpuset_free(&cpus);
}

/* Times lie between the switches of one CPU. perf prints zeros. */
static void without_a_time_there_is_no_page(void **state)
{
	struct traced t = start();
	autofree char *none = NULL, *single = NULL, *same = NULL;

	traced_add(&t, IRQ_ENTRY, "", AT(0));
	none = page_of(&t, &(struct kwork_top_opts){ 0 });
	assert_non_null(strstr(none, "error: no CPU has two samples of sched:sched_switch in '"));
	t = start();
	traced_add(&t, SWITCH, "next_pid=50 next_comm=a", AT(0));
	traced_add(&t, SWITCH, "prev_pid=50 prev_comm=a next_pid=0", AT(40), .cpu = 1);
	single = page_of(&t, &(struct kwork_top_opts){ 0 });
	assert_non_null(strstr(single, "error: no CPU has two samples"));
	t = start();
	traced_add(&t, SWITCH, "next_pid=50 next_comm=a", AT(0), .cpu = 1);
	traced_add(&t, SWITCH, "prev_pid=50 prev_comm=a next_pid=0", AT(40), .cpu = 1);
	same = page_of(&t, &(struct kwork_top_opts){ 0 });
	check_line(same, "50 100.00 40.000 ms a");
}

static void impossible_inputs_are_errors(void **state)
{
	struct traced t = traced_start(events + IRQ_ENTRY, 1);
	autofree char *none = NULL, *cpu = NULL;

	traced_add(&t, 0, "", AT(0));
	none = page_of(&t, &(struct kwork_top_opts){ 0 });
	assert_non_null(strstr(none, "has no samples of sched:sched_switch"));
	t = two_tasks();
	traced_add(&t, SWITCH, "next_pid=1", AT(200), .cpu = 8192);
	traced_add(&t, SWITCH, "next_pid=1", AT(200), .cpu = UINT32_MAX);
	cpu = page_of(&t, &(struct kwork_top_opts){ 0 });
	assert_non_null(strstr(cpu, "is damaged: 2 events were left out"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_have_their_share_of_the_cpu),
		cmocka_unit_test(interrupts_are_taken_off),
		cmocka_unit_test(halves_of_interrupts_do_not_count),
		cmocka_unit_test(a_long_interrupt_takes_the_whole_time),
		cmocka_unit_test(rates_of_several_cpus_add_up),
		cmocka_unit_test(order_is_as_wanted),
		cmocka_unit_test(what_is_not_wanted_does_not_count),
		cmocka_unit_test(without_a_time_there_is_no_page),
		cmocka_unit_test(impossible_inputs_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
