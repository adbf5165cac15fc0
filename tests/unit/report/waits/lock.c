#include "report/waits/lock.h"
#include "tests/lib/traced.h"

/*
 * Waits for locks of the kernel. Flags: LCB_F_* in the kernel's include/trace/events/lock.h. Times are in ns.
 */
enum { BEGIN, END, EVENTS };
static const struct traced_event events[EVENTS] = {
	[BEGIN] = { "lock:contention_begin", { "lock_addr", "flags" } },
	[END] = { "lock:contention_end", { "lock_addr", "ret" } },
};
#define BY(thread, when) .pid = (thread), .tid = (thread), .time = (when)

/* Columns: how often, sum, longest, shortest, mean; then what the row is for. */
#define FIELDS .fields = "contended,wait_total,wait_max,wait_min,avg_wait", .separator = ";", .max_stack = 8
static const struct lock_opts by_address = { .by = LOCK_BY_ADDRESS, FIELDS };
static const struct lock_opts by_thread = { .by = LOCK_BY_THREAD, FIELDS };
static const struct lock_opts by_caller = { .by = LOCK_BY_CALLER, FIELDS };
static const struct lock_opts by_cgroup = { .by = LOCK_BY_CGROUP, FIELDS };

/* A machine with two callers of locks: work() and other(), which take them by mutex_lock(). */
enum { WORK = 0x1000, OTHER = 0x2000, MUTEX_LOCK = 0x3000, DOWN_HILL = 0x4000 };
#define KERNEL(offset) (0xffffffff81000000 + (offset))
static const uint64_t chain_work[] = { CHAIN_KERNEL, KERNEL(MUTEX_LOCK + 1), KERNEL(WORK + 0x10) };
static const uint64_t chain_work_2[] = { CHAIN_KERNEL, KERNEL(MUTEX_LOCK + 9), KERNEL(WORK + 0x10) };
static const uint64_t chain_other[] = { CHAIN_KERNEL, KERNEL(MUTEX_LOCK + 1), KERNEL(OTHER + 0x20),
					KERNEL(WORK + 0x30) };
static const uint64_t chain_hill[] = { CHAIN_KERNEL, KERNEL(DOWN_HILL + 4), KERNEL(WORK + 0x10) };
#define CHAIN(array) .chain = (array), .n_chain = ARRAY_SIZE(array)

static struct traced start(void)
{
	struct traced t = traced_start(events, EVENTS);
	static const struct {
		uint64_t at;
		const char *name;
	} functions[] = {
		{ WORK, "work" }, { OTHER, "other" }, { MUTEX_LOCK, "mutex_lock" }, { DOWN_HILL, "downhill" }
	};

	for (size_t i = 0; i < EVENTS; i++)
		build_attr(&t.b, i)->sample_type |= SAMPLE_CALLCHAIN | SAMPLE_CGROUP;
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		build_ksymbol(&t.b, .addr = KERNEL(functions[i].at), .len = 0x100, .type = 1,
			      .name = functions[i].name);
	build_comm(&t.b, .pid = 50, .tid = 50, .comm = "a");
	build_comm(&t.b, .pid = 51, .tid = 51, .comm = "b");
	build_cgroup(&t.b, .id = 7, .path = "/work");
	build_cgroup(&t.b, .id = 8, .path = "/rest/\033[2J");
	return t;
}

enum view { CONTENTION, REPORT, INFO_THREADS, INFO_LOCKS };

/* The text, or the error after "error: ". Releases `t`. */
static char *text_of(struct traced *t, const struct lock_opts *opts, enum view view)
{
	struct live *l = traced_open(t);
	struct err e = { 0 };
	struct out o;
	char *text;
	int rc = -1;

	out_init_mem(&o);
	switch (view) {
	case CONTENTION: rc = lock_contention(l, opts, &o, &e); break;
	case REPORT: rc = lock_report(l, opts, &o, &e); break;
	case INFO_THREADS: rc = lock_info(l, true, false, &o, &e); break;
	case INFO_LOCKS: rc = lock_info(l, false, true, &o, &e); break;
	}
	text = rc < 0 ? xasprintf("error %d: %s, try: %s", e.exit_code, e.what, e.fix) : xstrdup(out_text(&o));
	out_release(&o);
	live_close(l);
	traced_release(t);
	return text;
}

/* Compare the rows below the titles. */
static void check(struct traced *t, const struct lock_opts *opts, const char *want)
{
	autofree char *text = text_of(t, opts, CONTENTION);

	assert_string_equal(strchr(text, '\n') + 1, want);
}

static void check_error(struct traced *t, const struct lock_opts *opts, const char *want)
{
	autofree char *text = text_of(t, opts, CONTENTION);

	if (strncmp(text, "error ", 6) || !strstr(text, want))
		fail_msg("'%s' instead of '%s'", text, want);
}

/* ---- waits ---- */

/* a waits 100 and 300 for one lock, b 50 for it and 40 for another. */
static struct traced some_waits(void)
{
	struct traced t = start();

	traced_add(&t, BEGIN, "lock_addr=0x1000 flags=32", BY(50, 1000), CHAIN(chain_work), .cgroup = 7);
	traced_add(&t, BEGIN, "lock_addr=0x1000 flags=32", BY(51, 1010), CHAIN(chain_other), .cgroup = 8);
	traced_add(&t, END, "lock_addr=0x1000", BY(51, 1060));
	traced_add(&t, END, "lock_addr=0x1000", BY(50, 1100));
	traced_add(&t, BEGIN, "lock_addr=0x1000 flags=32", BY(50, 2000), CHAIN(chain_work_2), .cgroup = 7);
	traced_add(&t, END, "lock_addr=0x1000", BY(50, 2300));
	traced_add(&t, BEGIN, "lock_addr=0x2000 flags=2", BY(51, 3000), CHAIN(chain_other), .cgroup = 8);
	traced_add(&t, END, "lock_addr=0x2000", BY(51, 3040));
	return t;
}

static void waits_are_summed_by_lock_thread_caller_and_cgroup(void **state)
{
	struct traced t = some_waits();

	check(&t, &by_address, "3; 450; 300; 50; 150; 1000; ; mutex\n1; 40; 40; 40; 40; 2000; ; rwsem\n");
	t = some_waits();
	check(&t, &by_thread, "2; 400; 300; 100; 200; 50; a\n2; 90; 50; 40; 45; 51; b\n");
	t = some_waits();
	check(&t, &by_caller, "2; 400; 300; 100; 200; mutex; work+0x10\n2; 90; 50; 40; 45; mutex; other+0x20\n");
	t = some_waits();
	check(&t, &by_cgroup, "2; 400; 300; 100; 200; /work\n2; 90; 50; 40; 45; /rest/\\x1b[2J\n");
}

/* A mutex that spins first tells twice that it waits. */
static void a_wait_that_begins_twice_begins_with_the_first(void **state)
{
	struct traced t = start();

	traced_add(&t, BEGIN, "lock_addr=0x1000 flags=33", BY(50, 1000));
	traced_add(&t, BEGIN, "lock_addr=0x1000 flags=32", BY(50, 1070));
	traced_add(&t, END, "lock_addr=0x1000", BY(50, 1100));
	check(&t, &by_address, "1; 100; 100; 100; 100; 1000; ; mutex\n");
}

/* What has begun before the recording, or ends after it, has no time. Another lock or thread ends no wait. */
static void half_waits_have_no_time(void **state)
{
	struct traced t = start();

	traced_add(&t, END, "lock_addr=0x1000", BY(50, 900));
	traced_add(&t, BEGIN, "lock_addr=0x1000 flags=1", BY(50, 1000));
	traced_add(&t, END, "lock_addr=0x1000", BY(51, 1010));
	traced_add(&t, END, "lock_addr=0x2000", BY(50, 1020));
	traced_add(&t, END, "lock_addr=0x1000", BY(50, 1100));
	traced_add(&t, END, "lock_addr=0x1000", BY(50, 1200));
	traced_add(&t, BEGIN, "lock_addr=0x1000 flags=1", BY(50, 2000));
	check(&t, &by_address, "2; 100; 100; 100; 100; 1000; ; spinlock\n");
	t = start();
	traced_add(&t, BEGIN, "lock_addr=0x1000 flags=1", BY(50, 2000));
	check(&t, &by_address, "1; 0; 0; 0; 0; 1000; ; spinlock\n");
}

static void kinds_of_locks_have_names(void **state)
{
	static const struct {
		const char *values, *kind, *family;
	} cases[] = {
		{ "flags=0", "semaphore", "semaphore" },    { "flags=1", "spinlock", "spinlock" },
		{ "flags=3", "rwlock:R", "rwlock" },        { "flags=5", "rwlock:W", "rwlock" },
		{ "flags=2", "rwsem:R", "rwsem" },          { "flags=4", "rwsem:W", "rwsem" },
		{ "flags=8", "rt-mutex", "rt-mutex" },      { "flags=10", "rwlock-rt:R", "rwlock-rt" },
		{ "flags=12", "rwlock-rt:W", "rwlock-rt" }, { "flags=18", "pcpu-sem:R", "pcpu-sem" },
		{ "flags=20", "pcpu-sem:W", "pcpu-sem" },   { "flags=32", "mutex", "mutex" },
		{ "flags=33", "mutex", "mutex" },           { "flags=64", "unknown", "unknown" },
		{ "flags=-1", "unknown", "unknown" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		autofree char *kind = xasprintf("1; 0; 0; 0; 0; %s; Unknown\n", cases[i].kind);
		autofree char *family = xasprintf("1; 0; 0; 0; 0; 0; ; %s\n", cases[i].family);
		struct lock_opts only = by_caller;
		struct traced t = start();

		traced_add(&t, BEGIN, cases[i].values, BY(50, 1000));
		check(&t, &by_caller, kind);
		t = start();
		traced_add(&t, BEGIN, cases[i].values, BY(50, 1000));
		check(&t, &by_address, family);
		for (int j = 0; j < 3; j++) {
			autofree char *list = j == 0   ? xasprintf("x, %s", cases[i].kind)
					      : j == 1 ? xstrdup(cases[i].family)
						       : xasprintf("%sx", cases[i].family);

			only.types = list;
			t = start();
			traced_add(&t, BEGIN, cases[i].values, BY(50, 1000));
			check(&t, &only, j < 2 ? kind : "");
		}
	}
}

/* ---- callers ---- */

/* "down" is a function that waits for a lock, and "down_*" are others; "downhill" is not. */
static void callers_are_outside_the_functions_of_locks(void **state)
{
	struct lock_opts opts = by_caller;

	for (unsigned skip = 0; skip < 4; skip++) {
		static const char *const callers[] = { "downhill+0x4", "work+0x10", "Unknown", "Unknown" };
		autofree char *want = xasprintf("1; 0; 0; 0; 0; mutex; %s\n", callers[skip]);
		struct traced t = start();

		opts.skip = skip;
		traced_add(&t, BEGIN, "lock_addr=0x1000 flags=32", BY(50, 1000), CHAIN(chain_hill));
		check(&t, &opts, want);
	}
}

static void short_stacks_have_no_caller(void **state)
{
	struct lock_opts opts = by_caller;
	struct traced t = some_waits();

	opts.max_stack = 1; /* mutex_lock alone */
	check(&t, &opts, "4; 490; 300; 40; 122; mutex; Unknown\n");
}

static void stacks_follow_their_rows(void **state)
{
	struct lock_opts opts = by_caller;
	struct traced t = start();

	opts.stacks = true;
	traced_add(&t, BEGIN, "lock_addr=0x1000 flags=32", BY(50, 1000), CHAIN(chain_work));
	check(&t, &opts,
	      "1; 0; 0; 0; 0; mutex; work+0x10\n"
	      "\t\t\t0xffffffff81003001  mutex_lock+0x1\n"
	      "\t\t\t0xffffffff81001010  work+0x10\n");
}

/* ---- filters ---- */

static void only_some_waits(void **state)
{
	struct lock_opts opts = by_address;
	struct traced t = some_waits();

	opts.addresses = "5,0x2000";
	check(&t, &opts, "1; 40; 40; 40; 40; 2000; ; rwsem\n");
	t = some_waits();
	opts.addresses = "1000";
	check(&t, &opts, "3; 450; 300; 50; 150; 1000; ; mutex\n");
	t = some_waits();
	opts.addresses = "";
	check(&t, &opts, "");
	opts = by_thread;
	opts.callers = "nosuch,the";
	t = some_waits();
	check(&t, &opts, "2; 90; 50; 40; 45; 51; b\n");
	opts = by_thread;
	opts.cgroups = "work";
	t = some_waits();
	check(&t, &opts, "2; 400; 300; 100; 200; 50; a\n");
	opts.cgroups = "x,/work";
	t = some_waits();
	check(&t, &opts, "2; 400; 300; 100; 200; 50; a\n");
	opts.cgroups = "wor";
	t = some_waits();
	check(&t, &opts, "");
}

static void impossible_filters_are_refused(void **state)
{
	static const char *const lists[] = { "1000,x", "10zz", "-" };
	struct lock_opts opts = by_address;

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct traced t = some_waits();

		opts.addresses = lists[i];
		check_error(&t, &opts, "is not the address of a lock");
	}
}

/* ---- tables ---- */

static void rows_are_sorted_and_cut(void **state)
{
	struct lock_opts opts = { .by = LOCK_BY_ADDRESS, .fields = "wait_max", .separator = ";" };
	static const struct {
		const char *sort, *first;
	} cases[] = { { NULL, "60; 1000; ; spinlock\n" },        { "wait_total", "60; 1000; ; spinlock\n" },
		      { "contended", "60; 1000; ; spinlock\n" }, { "wait_max", "90; 2000; ; spinlock\n" },
		      { "wait_min", "90; 2000; ; spinlock\n" },  { "avg_wait", "90; 2000; ; spinlock\n" } };

	opts.entries = 1;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct traced t = start();

		traced_add(&t, BEGIN, "lock_addr=0x2000 flags=1", BY(50, 500));
		traced_add(&t, END, "lock_addr=0x2000", BY(50, 590));
		for (uint64_t j = 0; j < 2; j++) {
			traced_add(&t, BEGIN, "lock_addr=0x1000 flags=1", BY(50, 1000 * (j + 1)));
			traced_add(&t, END, "lock_addr=0x1000", BY(50, 1000 * (j + 1) + 60 - j));
		}
		opts.sort = cases[i].sort;
		check(&t, &opts, cases[i].first);
	}
}

static void columns_are_checked(void **state)
{
	struct lock_opts opts = { .fields = "acquired" };
	struct err e = { 0 };

	assert_int_equal(lock_opts_check(&opts, true, &e), 0);
	assert_int_equal(lock_opts_check(&opts, false, &e), -1);
	assert_int_equal(e.exit_code, EXIT_BAD_USAGE);
	assert_non_null(strstr(e.what, "only 'lock report'"));
	assert_null(strstr(e.fix, "acquired"));
	opts = (struct lock_opts){ .types = "rwsem,mutex,rwlock-rt:W,percpu-rwsem" };
	assert_int_equal(lock_opts_check(&opts, false, &e), 0);
	err_clear(&e);
	opts = (struct lock_opts){ .types = "rwsem,nosuch" };
	assert_int_equal(lock_opts_check(&opts, false, &e), -1);
	assert_int_equal(e.exit_code, EXIT_BAD_USAGE);
	assert_non_null(strstr(e.what, "'nosuch'"));
	assert_non_null(strstr(e.fix, "rwsem, rt-mutex"));
	opts = (struct lock_opts){ .fields = "nosuch" };
	assert_int_equal(lock_opts_check(&opts, false, &e), -1);
	assert_null(strstr(e.fix, "acquired"));
	opts = (struct lock_opts){ .sort = "nosuch" };
	assert_int_equal(lock_opts_check(&opts, true, &e), -1);
	opts = (struct lock_opts){ .fields = "contended,contended,contended,contended,contended,contended,contended,"
					     "wait_max,wait_max" };
	assert_int_equal(lock_opts_check(&opts, false, &e), 0);
}

/* Layout and units of perf's builtin-lock.c. */
static void the_table_for_people(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = { { 999, "      999 ns" },          { 1000, "     1.00 us" },       { 307270, "   307.27 us" },
		      { 1500000, "     1.50 ms" },      { 2000000000, "     2.00 s " }, { 90000000000, "     1.50 m " },
		      { 7200000000000, "     2.00 h " } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct lock_opts opts = { .by = LOCK_BY_THREAD };
		autofree char *text = NULL, *want = NULL;
		struct traced t = start();

		traced_add(&t, BEGIN, "lock_addr=0x1000", BY(50, 1000));
		traced_add(&t, END, "lock_addr=0x1000", BY(50, 1000 + cases[i].ns));
		text = text_of(&t, &opts, CONTENTION);
		want = xasprintf(" contended   total wait     max wait     avg wait          pid   comm\n\n"
				 "         1 %s %s %s           50   a\n",
				 cases[i].text, cases[i].text, cases[i].text);
		assert_string_equal(text, want);
	}
}

static void report_has_its_own_columns(void **state)
{
	struct lock_opts opts = { .by = LOCK_BY_THREAD };
	struct traced t = some_waits();
	autofree char *threads = text_of(&t, &opts, REPORT), *all = NULL;

	assert_string_equal(threads, "                Name   acquired  contended     avg wait   total wait     max wait"
				     "     min wait \n\n"
				     "                   a          2          2       200 ns       400 ns       300 ns"
				     "       100 ns \n"
				     "                   b          2          2        45 ns        90 ns        50 ns"
				     "        40 ns \n");
	opts.by = LOCK_BY_ALL;
	opts.fields = "acquired,wait_total";
	t = some_waits();
	all = text_of(&t, &opts, REPORT);
	assert_string_equal(all, "                Name   acquired   total wait \n\n"
				 "                              4       490 ns \n");
}

static void info_lists_threads_and_locks(void **state)
{
	struct traced t = some_waits();
	autofree char *threads = text_of(&t, NULL, INFO_THREADS), *locks = NULL;

	assert_string_equal(threads, " Thread ID: comm\n        50: a\n        51: b\n");
	t = some_waits();
	locks = text_of(&t, NULL, INFO_LOCKS);
	assert_string_equal(locks, "Address of instance: name of class\n"
				   " 0x1000: work+0x10\n 0x2000: other+0x20\n");
}

/* Names and numbers are foreign. */
static void hostile_names_and_numbers(void **state)
{
	struct lock_opts opts = by_thread;
	struct traced t = start();

	build_comm(&t.b, .pid = -9, .tid = -9, .comm = "\033[2J");
	traced_add(&t, BEGIN, "lock_addr=-1 flags=1", BY(-9, 1000));
	traced_add(&t, END, "lock_addr=-1", BY(-9, 9000000000000001000));
	opts.fields = "wait_total";
	check(&t, &opts, "9000000000000000000; -9; \\x1b[2J\n");
}

static void a_recording_without_such_events_is_refused(void **state)
{
	static const struct traced_event others[] = { { "sched:sched_wakeup", { "pid" } } };
	struct traced t = traced_start(others, 1);

	traced_add(&t, 0, "pid=1", BY(50, 1));
	check_error(&t, &by_thread, "lock record");
	t = traced_start(events, EVENTS); /* without cgroups */
	traced_add(&t, BEGIN, "lock_addr=0x1000 flags=1", BY(50, 1000));
	check_error(&t, &by_cgroup, "do not contain cgroups");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_are_summed_by_lock_thread_caller_and_cgroup),
		cmocka_unit_test(a_wait_that_begins_twice_begins_with_the_first),
		cmocka_unit_test(half_waits_have_no_time),
		cmocka_unit_test(kinds_of_locks_have_names),
		cmocka_unit_test(callers_are_outside_the_functions_of_locks),
		cmocka_unit_test(short_stacks_have_no_caller),
		cmocka_unit_test(stacks_follow_their_rows),
		cmocka_unit_test(only_some_waits),
		cmocka_unit_test(impossible_filters_are_refused),
		cmocka_unit_test(rows_are_sorted_and_cut),
		cmocka_unit_test(columns_are_checked),
		cmocka_unit_test(the_table_for_people),
		cmocka_unit_test(report_has_its_own_columns),
		cmocka_unit_test(info_lists_threads_and_locks),
		cmocka_unit_test(hostile_names_and_numbers),
		cmocka_unit_test(a_recording_without_such_events_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
