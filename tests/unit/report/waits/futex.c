#include "report/waits/futex_priv.h"
#include "tests/lib/traced.h"

/*
 * Threads 50 to 53 of process 50 wait; others wake them. Who held the lock follows from the order of the calls.
 * Source of the operations and results: futex(2), futex(7).
 */
enum { ENTER, EXIT, ENTER_WAIT, EXIT_WAIT, ENTER_WAKE, EXIT_WAKE, ENTER_WAITV, EXIT_WAITV, EVENTS };
static const struct traced_event events[EVENTS] = {
	[ENTER] = { "syscalls:sys_enter_futex", { "uaddr", "op", "val", "utime", "uaddr2" } },
	[EXIT] = { "syscalls:sys_exit_futex", { "ret" } },
	[ENTER_WAIT] = { "syscalls:sys_enter_futex_wait", { "uaddr", "flags", "val" } },
	[EXIT_WAIT] = { "syscalls:sys_exit_futex_wait", { "ret" } },
	[ENTER_WAKE] = { "syscalls:sys_enter_futex_wake", { "uaddr", "flags", "nr" } },
	[EXIT_WAKE] = { "syscalls:sys_exit_futex_wake", { "ret" } },
	[ENTER_WAITV] = { "syscalls:sys_enter_futex_waitv", { "waiters", "flags", "nr_futexes" } },
	[EXIT_WAITV] = { "syscalls:sys_exit_futex_waitv", { "ret" } },
};
#define BY(thread, when) .pid = 50, .tid = (thread), .time = (when)
/* Operations on words of one process: 128 is FUTEX_PRIVATE_FLAG. */
#define WAIT             " op=128"
#define WAKE             " op=129"
#define CMP_REQUEUE      " op=132"
#define WAKE_OP          " op=133"
#define LOCK_PI          " op=134"
#define UNLOCK_PI        " op=135"

static const struct futex_opts usual = { .lock = { .separator = ";", .fields = "contended,wait_total,wait_max" } };

static struct traced start(void)
{
	struct traced t = traced_start(events, EVENTS);
	static const char *const names[] = { "a", "b", "c", "d" };

	for (int i = 0; i < 4; i++) {
		build_comm(&t.b, .pid = 50, .tid = 50 + i, .comm = names[i]);
		build_comm(&t.b, .pid = 50, .tid = 60 + i, .comm = "w");
	}
	return t;
}

/* All waits have ended: nothing is left of them. */
static void check_rest(const struct futexes *f)
{
	assert_int_equal(f->n_waiting, 0);
	assert_int_equal(f->n_anywhere, 0);
	for (size_t i = 0; i < f->locks.len; i++)
		assert_int_equal(f->locks.items[i].n_open, 0);
}

/* The rows below the titles, or the error after "error: ". Releases `t`. */
static char *rows_of(struct traced *t, const struct futex_opts *opts)
{
	struct live *l = traced_open(t);
	struct futexes *f = futexes_new(l, opts);
	struct err e = { 0 };
	struct out o;
	char *text;

	out_init_mem(&o);
	if (futexes_read(f, &e) < 0 || futexes_print(f, &o, &e) < 0)
		text = xasprintf("error: %s, try: %s", e.what, e.fix);
	else if (opts->lock.separator)
		text = xstrdup(strchr(out_text(&o), '\n') + 1);
	else
		text = xstrdup(out_text(&o));
	if (!f->unfinished)
		check_rest(f);
	out_release(&o);
	futexes_free(f);
	live_close(l);
	traced_release(t);
	return text;
}

static void check(struct traced *t, const struct futex_opts *opts, const char *want)
{
	autofree char *rows = rows_of(t, opts ? opts : &usual);

	assert_string_equal(rows, want);
}

/* ---- who ended the wait ---- */

static struct traced a_mutex(void)
{
	struct traced t = start();

	traced_add(&t, ENTER, "uaddr=0x1000 val=2" WAIT, BY(50, 1000));
	traced_add(&t, ENTER, "uaddr=0x1000 val=1" WAKE, BY(60, 1400));
	traced_add(&t, EXIT, "ret=1", BY(60, 1410));
	traced_add(&t, EXIT, "ret=0", BY(50, 1500)); /* 500 ns */
	traced_add(&t, ENTER, "uaddr=0x1000 val=2" WAIT, BY(51, 2000));
	traced_add(&t, ENTER, "uaddr=0x1000 val=1" WAKE, BY(61, 2050));
	traced_add(&t, EXIT, "ret=0", BY(51, 2100)); /* 100 ns; its waker's call ends later */
	traced_add(&t, EXIT, "ret=1", BY(61, 2110));
	return t;
}

static void the_waker_held_the_lock(void **state)
{
	struct futex_opts opts = usual;
	struct traced t = a_mutex();

	check(&t, NULL, "2; 600; 500; mutex; 1000; 0x1000; 50; 2; 83.3; w[60]\n");
	t = a_mutex();
	opts.by = FUTEX_BY_WAITER;
	check(&t, &opts, "1; 500; 500; a[50]\n1; 100; 100; b[51]\n");
	t = a_mutex();
	opts.by = FUTEX_BY_OWNER;
	check(&t, &opts, "1; 500; 500; w[60]\n1; 100; 100; w[61]\n");
}

static void the_table_for_people(void **state)
{
	static const struct futex_opts opts = { 0 };
	struct traced t = a_mutex();
	autofree char *text = rows_of(&t, &opts);

	assert_string_equal(text, " contended   total wait     max wait     avg wait         type   lock"
				  "                                pid  waiters   held by\n\n"
				  "         2       600 ns       500 ns       300 ns        mutex   0x1000"
				  "                               50        2    83.3% w[60]\n");
}

/* errno(3); the kernel restarts calls that end with -512 to -516. */
static void other_ends_have_names(void **state)
{
	static const struct {
		const char *ret, *row;
	} cases[] = { { "ret=-110", "1; 10; 10; (timed out)\n" }, { "ret=-4", "1; 10; 10; (signal)\n" },
		      { "ret=-512", "1; 10; 10; (signal)\n" },    { "ret=-513", "1; 10; 10; (signal)\n" },
		      { "ret=-514", "1; 10; 10; (signal)\n" },    { "ret=-516", "1; 10; 10; (signal)\n" },
		      { "ret=0", "1; 10; 10; (unknown)\n" },      { "ret=-11", "" } /* EAGAIN: it did not wait */ };
	struct futex_opts opts = usual;

	opts.by = FUTEX_BY_OWNER;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct traced t = start();

		traced_add(&t, ENTER, "uaddr=0x1000" WAIT, BY(50, 1000));
		traced_add(&t, EXIT, cases[i].ret, BY(50, 1010));
		check(&t, &opts, cases[i].row);
	}
}

/* A call without an end lasts until the last event. */
static void waits_that_have_not_ended(void **state)
{
	struct futex_opts opts = usual;

	for (int quiet = 0; quiet < 2; quiet++) {
		struct traced t = start();

		opts.lock.quiet = quiet;
		traced_add(&t, ENTER, "uaddr=0x1000" WAIT, BY(50, 1000));
		traced_add(&t, ENTER, "uaddr=0x1000 val=1" WAKE, BY(60, 1900));
		check(&t, &opts,
		      quiet ? "1; 900; 900; futex; 1000; 0x1000; 50; 1; 100.0; (has not ended)\n"
			    : "1; 900; 900; futex; 1000; 0x1000; 50; 1; 100.0; (has not ended)\n"
			      "\n1 waits had not ended when the recording did.\n");
	}
}

/* The end of its first call was lost: that wait does not count. */
static void a_lost_end_leaves_no_wait(void **state)
{
	struct traced t = start();

	traced_add(&t, ENTER, "uaddr=0x1000" WAIT, BY(50, 1000));
	traced_add(&t, ENTER, "uaddr=0x2000" WAIT, BY(50, 2000));
	traced_add(&t, EXIT, "ret=0", BY(50, 2300));
	traced_add(&t, EXIT, "ret=0", BY(50, 2400)); /* of a call whose start was lost */
	traced_add(&t, EXIT, "ret=0", BY(51, 2400));
	check(&t, NULL, "1; 300; 300; futex; 2000; 0x2000; 50; 1; 100.0; (unknown)\n");
}

/* The kernel wakes the threads in the order in which they came, and only as many as the call says. */
static void a_call_wakes_so_many(void **state)
{
	static const struct {
		const char *wake, *woke, *rows;
	} cases[] = {
		{ "uaddr=0x1000 val=1" WAKE, "ret=1", "2; 520; 280; (unknown)\n1; 200; 200; w[60]\n" },
		{ "uaddr=0x1000 val=2" WAKE, "ret=2", "1; 280; 280; (unknown)\n2; 440; 240; w[60]\n" },
		{ "uaddr=0x1000 val=2147483647" WAKE, "ret=3", "3; 720; 280; w[60]\n" },
		{ "uaddr=0x1000 val=2147483647" WAKE, "ret=1", "2; 520; 280; (unknown)\n1; 200; 200; w[60]\n" },
		{ "uaddr=0x1000 val=1" WAKE, "ret=0", "3; 720; 280; (unknown)\n" },
		{ "uaddr=0x2000 val=9" WAKE, "ret=0", "3; 720; 280; (unknown)\n" },
		{ "uaddr=0x1000 val=9 op=1", "ret=0", "3; 720; 280; (unknown)\n" }, /* a shared word */
	};
	struct futex_opts opts = usual;

	opts.by = FUTEX_BY_OWNER;
	opts.lock.sort = "wait_max";
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct traced t = start();

		for (int j = 0; j < 3; j++)
			traced_add(&t, ENTER, "uaddr=0x1000" WAIT, BY(50 + j, 1000 + (uint64_t)j));
		traced_add(&t, ENTER, cases[i].wake, BY(60, 1100));
		traced_add(&t, EXIT, cases[i].woke, BY(60, 1110));
		for (int j = 0; j < 3; j++)
			traced_add(&t, EXIT, "ret=0", BY(50 + j, 1200 + 41 * (uint64_t)j));
		check(&t, &opts, cases[i].rows);
	}
}

/* What woke before the wait began did not end it; who waits cannot wake itself. */
static void only_later_calls_of_others_wake(void **state)
{
	struct futex_opts opts = usual;
	struct traced t = start();

	opts.by = FUTEX_BY_OWNER;

	traced_add(&t, ENTER, "uaddr=0x1000" WAIT, BY(51, 800));
	traced_add(&t, ENTER, "uaddr=0x1000 val=1" WAKE, BY(60, 900));
	traced_add(&t, ENTER, "uaddr=0x1000 val=1" WAKE, BY(50, 950));
	traced_add(&t, ENTER, "uaddr=0x1000" WAIT, BY(50, 950));
	traced_add(&t, EXIT, "ret=0", BY(50, 1000));
	traced_add(&t, EXIT, "ret=0", BY(51, 1200));
	check(&t, &opts, "1; 400; 400; w[60]\n1; 50; 50; (unknown)\n");
	t = start();
	traced_add(&t, ENTER, "uaddr=0x1000" WAIT, BY(50, 1000));
	traced_add(&t, ENTER, "uaddr=0x1000 val=1" WAKE, BY(60, 1000)); /* at the same time */
	traced_add(&t, EXIT, "ret=0", BY(50, 1100));
	check(&t, &opts, "1; 100; 100; w[60]\n");
}

/* One of the two ran before the call of the waker told how many it woke. */
static void the_result_counts_who_ran_before(void **state)
{
	struct futex_opts opts = usual;
	struct traced t = start();

	for (int i = 0; i < 3; i++)
		traced_add(&t, ENTER, "uaddr=0x1000" WAIT, BY(50 + i, 1000));
	traced_add(&t, ENTER, "uaddr=0x1000 val=9" WAKE, BY(60, 1100));
	traced_add(&t, EXIT, "ret=0", BY(50, 1200));
	traced_add(&t, EXIT, "ret=2", BY(60, 1210));
	traced_add(&t, EXIT, "ret=0", BY(51, 1300));
	traced_add(&t, EXIT, "ret=0", BY(52, 1301));
	opts.by = FUTEX_BY_OWNER;
	check(&t, &opts, "2; 500; 300; w[60]\n1; 301; 301; (unknown)\n");
}

/* ---- operations ---- */

/* The waker of the second word ends the wait for the first one. */
static void waiters_are_moved(void **state)
{
	struct traced t = start();

	traced_add(&t, ENTER, "uaddr=0x1000" WAIT, BY(50, 1000));
	traced_add(&t, ENTER, "uaddr=0x1000" WAIT, BY(51, 1010));
	traced_add(&t, ENTER, "uaddr=0x1000 val=1 utime=1 uaddr2=0x2000" CMP_REQUEUE, BY(60, 1100));
	traced_add(&t, EXIT, "ret=2", BY(60, 1110));
	traced_add(&t, EXIT, "ret=0", BY(50, 1120));
	traced_add(&t, ENTER, "uaddr=0x2000 val=1" WAKE, BY(61, 1900));
	traced_add(&t, EXIT, "ret=1", BY(61, 1901));
	traced_add(&t, EXIT, "ret=0", BY(51, 2010));
	check(&t, NULL, "2; 1120; 1000; futex; 1000; 0x1000; 50; 2; 89.3; w[61]\n");
}

/* A second call moves only who still waits for the first word. */
static void waiters_are_moved_once(void **state)
{
	struct futex_opts opts = usual;
	struct traced t = start();

	traced_add(&t, ENTER, "uaddr=0x1000" WAIT, BY(50, 1000));
	traced_add(&t, ENTER, "uaddr=0x1000 utime=9 uaddr2=0x2000" CMP_REQUEUE, BY(60, 1100));
	traced_add(&t, EXIT, "ret=1", BY(60, 1100));
	traced_add(&t, ENTER, "uaddr=0x1000" WAIT, BY(51, 1200));
	traced_add(&t, ENTER, "uaddr=0x1000 utime=9 uaddr2=0x3000" CMP_REQUEUE, BY(60, 1300));
	traced_add(&t, EXIT, "ret=1", BY(60, 1300));
	traced_add(&t, ENTER, "uaddr=0x2000 val=9" WAKE, BY(61, 1400));
	traced_add(&t, ENTER, "uaddr=0x3000 val=9" WAKE, BY(62, 1400));
	traced_add(&t, EXIT, "ret=0", BY(50, 1500));
	traced_add(&t, EXIT, "ret=0", BY(51, 1500));
	opts.by = FUTEX_BY_OWNER;
	check(&t, &opts, "1; 500; 500; w[61]\n1; 300; 300; w[62]\n");
}

static void one_call_wakes_both_words(void **state)
{
	struct traced t = start();

	traced_add(&t, ENTER, "uaddr=0x1000" WAIT, BY(50, 1000));
	traced_add(&t, ENTER, "uaddr=0x2000" WAIT, BY(51, 1000));
	traced_add(&t, ENTER, "uaddr=0x1000 val=1 utime=1 uaddr2=0x2000" WAKE_OP, BY(60, 1100));
	traced_add(&t, EXIT, "ret=2", BY(60, 1110));
	traced_add(&t, EXIT, "ret=0", BY(50, 1200));
	traced_add(&t, EXIT, "ret=0", BY(51, 1300));
	check(&t, NULL,
	      "1; 300; 300; futex; 2000; 0x2000; 50; 1; 100.0; w[60]\n"
	      "1; 200; 200; futex; 1000; 0x1000; 50; 1; 100.0; w[60]\n");
}

/* FUTEX_UNLOCK_PI has no number; its result is 0. */
static void locks_with_priorities(void **state)
{
	struct traced t = start();

	traced_add(&t, ENTER, "uaddr=0x1000 val=2" LOCK_PI, BY(50, 1000));
	traced_add(&t, ENTER, "uaddr=0x1000 val=2" LOCK_PI, BY(51, 1000));
	traced_add(&t, ENTER, "uaddr=0x1000" UNLOCK_PI, BY(60, 1100));
	traced_add(&t, EXIT, "ret=0", BY(60, 1110));
	traced_add(&t, EXIT, "ret=0", BY(50, 1200));
	traced_add(&t, EXIT, "ret=0", BY(51, 1210));
	check(&t, NULL, "2; 410; 210; pi-mutex; 1000; 0x1000; 50; 2; 51.2; (unknown)\n");
}

/* The kernel clears the word with the number of a thread when it ends: pthread_join(3) waits for this. */
static void joins_wait_for_a_thread(void **state)
{
	struct traced t = start();

	traced_add(&t, ENTER, "uaddr=0x1000 op=0 val=60", BY(50, 1000));
	traced_add(&t, EXIT, "ret=0", BY(50, 1200));
	traced_add(&t, ENTER, "uaddr=0x2000 op=0 val=999", BY(51, 1000)); /* no such thread */
	traced_add(&t, EXIT, "ret=0", BY(51, 1100));
	traced_add(&t, ENTER, "uaddr=0x3000 val=60" WAIT, BY(52, 1000)); /* the kernel's word is shared */
	traced_add(&t, EXIT, "ret=0", BY(52, 1010));
	check(&t, NULL,
	      "1; 200; 200; join; 1000; 0x1000; 50; 1; 100.0; w[60]\n"
	      "1; 100; 100; futex; 2000; 0x2000; 50; 1; 100.0; (unknown)\n"
	      "1; 10; 10; futex; 3000; 0x3000; 50; 1; 100.0; (unknown)\n");
}

/* futex_wait and futex_wake tell by their flags whether the word is shared; so do the operations of futex. */
static void private_words_of_two_processes_differ(void **state)
{
	for (int private = 0; private < 2; private ++) {
		const char *waits = private ? "uaddr=0x1000 flags=130" : "uaddr=0x1000 flags=2";
		const char *wakes = private ? "uaddr=0x1000 nr=1 flags=130" : "uaddr=0x1000 nr=1 flags=2";
		struct traced t = start();

		traced_add(&t, ENTER_WAIT, waits, .pid = 50, .tid = 50, .time = 1000);
		traced_add(&t, ENTER_WAIT, waits, .pid = 70, .tid = 70, .time = 1000);
		traced_add(&t, ENTER_WAKE, wakes, .pid = 80, .tid = 80, .time = 1100);
		traced_add(&t, EXIT_WAKE, "ret=1", .pid = 80, .tid = 80, .time = 1100);
		traced_add(&t, EXIT_WAIT, "ret=0", .pid = 50, .tid = 50, .time = 1300);
		traced_add(&t, EXIT_WAIT, "ret=0", .pid = 70, .tid = 70, .time = 1200);
		check(&t, NULL,
		      private ? "1; 300; 300; futex; 1000; 0x1000; 50; 1; 100.0; (unknown)\n"
				"1; 200; 200; futex; 1000; 0x1000; 70; 1; 100.0; (unknown)\n"
			      : "2; 500; 300; futex; 1000; 0x1000; 50; 2; 60.0; (unknown)\n");
	}
}

/* A wait for several words was for the one whose waker ended it: the last one. */
static void waits_for_several_words(void **state)
{
	struct traced t = start();

	traced_add(&t, ENTER_WAITV, "waiters=0x9000 nr_futexes=2", BY(50, 1000));
	traced_add(&t, ENTER, "uaddr=0x3000 val=1" WAKE, BY(61, 1090));
	traced_add(&t, ENTER, "uaddr=0x2000 val=1" WAKE, BY(60, 1100));
	traced_add(&t, EXIT, "ret=1", BY(60, 1110));
	traced_add(&t, ENTER, "uaddr=0x4000 val=1" WAKE, BY(62, 1095));
	traced_add(&t, EXIT_WAITV, "ret=0", BY(50, 1200));
	traced_add(&t, ENTER_WAITV, "waiters=0x9000 nr_futexes=2", BY(51, 2000));
	traced_add(&t, EXIT_WAITV, "ret=-110", BY(51, 2050));
	check(&t, NULL,
	      "1; 200; 200; futex; 2000; 0x2000; 50; 1; 100.0; w[60]\n"
	      "1; 50; 50; futex; 0; (several words); 50; 1; 100.0; (timed out)\n");
}

/* ---- tables ---- */

static void rows_are_sorted_and_cut(void **state)
{
	struct futex_opts opts = usual;

	opts.lock.sort = "contended";
	opts.lock.entries = 1;
	for (int i = 0; i < 2; i++) {
		struct traced t = start();

		traced_add(&t, ENTER, "uaddr=0x1000" WAIT, BY(50, 1000));
		traced_add(&t, EXIT, "ret=0", BY(50, 1110));
		traced_add(&t, ENTER, "uaddr=0x1000" WAIT, BY(50, 2000));
		traced_add(&t, EXIT, "ret=0", BY(50, 2010));
		traced_add(&t, ENTER, "uaddr=0x2000" WAIT, BY(50, 3000));
		traced_add(&t, EXIT, "ret=0", BY(50, 3210));
		check(&t, &opts,
		      i ? "1; 210; 210; futex; 2000; 0x2000; 50; 1; 100.0; (unknown)\n"
			: "2; 120; 110; futex; 1000; 0x1000; 50; 1; 100.0; (unknown)\n");
		opts.lock.sort = "wait_total";
	}
}

/* The numbers of threads are as foreign as all others. */
static void hostile_numbers_and_names(void **state)
{
	static const int32_t tids[] = { INT32_MIN, INT32_MIN + 1, -100000, -5 };
	struct futex_opts opts = usual;
	struct traced t = start();
	autofree char *rows = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(tids); i++) {
		traced_add(&t, ENTER, "uaddr=-1 val=-1 op=0x7fffffffffffff80", .tid = tids[i], .time = 1000);
		traced_add(&t, ENTER, "uaddr=-1 val=-1" WAIT, .tid = tids[i], .time = 1000);
		traced_add(&t, EXIT, "ret=0", .tid = tids[i], .time = 1100);
	}
	opts.by = FUTEX_BY_WAITER;
	rows = rows_of(&t, &opts);
	assert_non_null(strstr(rows, "[-2147483648]\n"));
	assert_non_null(strstr(rows, "[-100000]\n"));
	assert_non_null(strstr(rows, "[-5]\n"));
	t = start();
	build_comm(&t.b, .pid = 50, .tid = 53, .comm = "\033[2J");
	traced_add(&t, ENTER, "uaddr=-1" WAIT, BY(53, 1000));
	traced_add(&t, EXIT, "ret=0x7fffffffffffffff", BY(53, 9000000000000001000));
	check(&t, &opts, "1; 9000000000000000000; 9000000000000000000; \\x1b[2J[53]\n");
}

/* Calls that could wake a thread that waits for ever must not fill the memory. */
static void old_wakes_are_forgotten(void **state)
{
	struct traced t = start();
	struct err e = { 0 };
	struct futexes *f;
	struct live *l;

	traced_add(&t, ENTER, "uaddr=0x1000" WAIT, BY(50, 1));
	for (int i = 0; i < 3000; i++) {
		traced_add(&t, ENTER, "uaddr=0x1000 val=1" WAKE, BY(100 + i, 1000 + (uint64_t)i));
		if (i % 2)
			traced_add(&t, EXIT, "ret=0", BY(100 + i, 1000 + (uint64_t)i));
	}
	l = traced_open(&t);
	f = futexes_new(l, &usual);
	assert_int_equal(futexes_read(f, &e), 0);
	assert_int_equal(f->locks.len, 1);
	assert_true(f->locks.items[0].wakes.len <= 1024);
	assert_true(f->locks.items[0].wakes.items[0].tid > 1100);
	assert_int_equal(f->locks.items[0].wakes.items[f->locks.items[0].wakes.len - 1].tid, 3099);
	for (size_t i = 1; i < f->locks.items[0].wakes.len; i++)
		assert_true(f->locks.items[0].wakes.items[i - 1].time < f->locks.items[0].wakes.items[i].time);
	futexes_free(f);
	live_close(l);
	traced_release(&t);
}

static void errors(void **state)
{
	static const struct traced_event others[] = { { "syscalls:sys_enter_read", { "fd" } } };
	struct futex_opts opts = usual;
	struct traced t = traced_start(others, 1);
	autofree char *none = NULL, *column = NULL;

	traced_add(&t, 0, "fd=1", BY(50, 1));
	none = rows_of(&t, &opts);
	if (strncmp(none, "error: ", 7) || !strstr(none, "has no samples of syscalls:sys_enter_futex") ||
	    !strstr(none, "lock user record"))
		fail_msg("%s", none);
	opts.lock.fields = "contended,nosuch";
	t = a_mutex();
	column = rows_of(&t, &opts);
	if (strncmp(column, "error: ", 7) || !strstr(column, "nosuch"))
		fail_msg("%s", column);
	futexes_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_waker_held_the_lock),
		cmocka_unit_test(the_table_for_people),
		cmocka_unit_test(other_ends_have_names),
		cmocka_unit_test(waits_that_have_not_ended),
		cmocka_unit_test(a_lost_end_leaves_no_wait),
		cmocka_unit_test(a_call_wakes_so_many),
		cmocka_unit_test(only_later_calls_of_others_wake),
		cmocka_unit_test(the_result_counts_who_ran_before),
		cmocka_unit_test(waiters_are_moved),
		cmocka_unit_test(waiters_are_moved_once),
		cmocka_unit_test(one_call_wakes_both_words),
		cmocka_unit_test(locks_with_priorities),
		cmocka_unit_test(joins_wait_for_a_thread),
		cmocka_unit_test(private_words_of_two_processes_differ),
		cmocka_unit_test(waits_for_several_words),
		cmocka_unit_test(rows_are_sorted_and_cut),
		cmocka_unit_test(hostile_numbers_and_names),
		cmocka_unit_test(old_wakes_are_forgotten),
		cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
