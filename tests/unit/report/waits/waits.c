#include "report/waits/waits_priv.h"
#include "tests/lib/traced.h"

/*
 * Threads a, b and c switch and wake each other; all times follow from those of the events, in ns. "a <- b 2x 70" is a
 * row: b ended two waits of a, of 70 ns together. "a@f" says where: f is the innermost function.
 */
enum { SWITCH, WAKING, NO_CHAIN, EVENTS };
static const struct traced_event events[EVENTS] = {
	[SWITCH] = { "sched:sched_switch", { "prev_pid", "prev_comm", "prev_state", "next_pid", "next_comm" } },
	[WAKING] = { "sched:sched_waking", { "pid", "comm" } },
	[NO_CHAIN] = { "sched:sched_switch", { "prev_pid", "prev_comm", "prev_state", "next_pid", "next_comm" } },
};
/* Source of the states: include/linux/sched.h. */
#define ASLEEP     " prev_state=1"
#define IN_DISK    " prev_state=2"
#define DEAD       " prev_state=16"
#define PREEMPTED  " prev_state=256"
#define FROM_IDLE  "prev_pid=0 prev_comm=swapper"
#define TO_IDLE    " next_pid=0 next_comm=swapper"
#define FROM_A     "prev_pid=50 prev_comm=a"
#define TO_A       " next_pid=50 next_comm=a"
#define FROM_B     "prev_pid=60 prev_comm=b"
#define TO_B       " next_pid=60 next_comm=b"
#define FROM_C     "prev_pid=70 prev_comm=c"
#define TO_C       " next_pid=70 next_comm=c"
#define A          "pid=50 comm=a"
#define B          "pid=60 comm=b"
#define AT(t, c)   .time = (t), .cpu = (c)
#define BY_B(t, c) .pid = 60, .tid = 60, AT(t, c)
#define BY_C(t, c) .pid = 70, .tid = 70, AT(t, c)

enum { FUTEX, POLL, SLEEP, TIMER, KILL, BACKLOG, SOFTIRQ, KSOFTIRQD, INTERRUPT, FUNCTIONS };
static const char *const functions[FUNCTIONS] = { "futex_wait_queue", "do_epoll_wait",     "hrtimer_nanosleep",
						  "hrtimer_wakeup",   "zap_other_threads", "process_backlog",
						  "handle_softirqs",  "run_ksoftirqd",     "asm_sysvec_timer" };
#define FUNCTION(n)       (0xffffffffc0000000 + (n)*0x100ull)
#define CHAIN(...)        .chain = (const uint64_t[]){ CHAIN_KERNEL, __VA_ARGS__ }, CHAIN_LENGTH(__VA_ARGS__)
#define CHAIN_LENGTH(...) .n_chain = sizeof((const uint64_t[]){ CHAIN_KERNEL, __VA_ARGS__ }) / sizeof(uint64_t)
#define CALLED(n)         (FUNCTION(n) + 0x10)

static const struct waits_opts usual = { .everybody = true };
static const struct waits_opts following = { .everybody = true, .follow = true };

static struct traced start(void)
{
	struct traced t = traced_start(events, EVENTS);

	for (size_t i = 0; i < EVENTS; i++)
		if (i != NO_CHAIN)
			build_attr(&t.b, i)->sample_type |= SAMPLE_CALLCHAIN;
	for (size_t i = 0; i < FUNCTIONS; i++)
		build_ksymbol(&t.b, .time = 1, .addr = FUNCTION(i), .len = 0x100, .type = 1, .name = functions[i]);
	build_comm(&t.b, .pid = 50, .tid = 50, .comm = "a");
	build_comm(&t.b, .pid = 60, .tid = 60, .comm = "b");
	build_comm(&t.b, .pid = 70, .tid = 70, .comm = "c");
	return t;
}

/* ---- what was found, as text ---- */

static void add_time(struct out *o, uint64_t ns, const char *what)
{
	if (ns)
		out_fmt(o, " %llu %s", (unsigned long long)ns, what);
}

/* The times of each wanted thread, which must add up to its life. */
static void thread_texts(const struct waits *w, struct out *o)
{
	for (size_t i = 0; i < w->threads.len; i++) {
		const struct wait_thread *th = &w->threads.items[i];
		uint64_t all = th->running + th->runnable + th->unseen + th->unknown;

		if (!th->wanted)
			continue;
		out_fmt(o, "%s[%d]:", th->comm, th->tid);
		add_time(o, th->running, "running");
		add_time(o, th->runnable, "ready");
		add_time(o, th->unseen, "unseen");
		for (int k = 0; k < WAIT_KINDS; k++) {
			add_time(o, th->blocked[k], wait_kind_names[k]);
			all += th->blocked[k];
		}
		add_time(o, th->unknown, "unknown");
		out_char(o, '\n');
		assert_int_equal(all, th->last - th->first);
	}
}

static void place_text(const struct waits *w, uint32_t name, uint32_t stack, struct out *o)
{
	out_str(o, strtab_get(&w->names, name));
	if (stack)
		out_fmt(o, "@%s", waits_frame(w, stack, 0));
}

static void row_texts(const struct waits *w, struct out *o)
{
	for (size_t i = 0; i < w->rows.len; i++) {
		const struct wait_row *r = &w->rows.items[i];

		if (!r->waits.count)
			continue;
		place_text(w, r->comm, r->stack, o);
		out_str(o, " <- ");
		place_text(w, r->waker, r->waker_stack, o);
		out_fmt(o, " %llux %llu%s%s\n", (unsigned long long)r->waits.count, (unsigned long long)r->waits.total,
			r->idle ? " idle" : "", r->unwanted ? " unwanted" : "");
	}
}

/* Read the events, and compare threads and rows; NULL: they do not matter. Releases `t`. */
static void check(struct traced *t, const struct waits_opts *opts, const char *threads, const char *rows)
{
	struct live *l = traced_open(t);
	struct waits *w = waits_new(l, opts);
	struct err e = { 0 };
	struct out o;

	if (waits_read(w, &e) < 0)
		fail_msg("%s", e.what);
	out_init_mem(&o);
	thread_texts(w, &o);
	if (threads)
		assert_string_equal(out_text(&o), threads);
	o.len = 0;
	row_texts(w, &o);
	if (rows)
		assert_string_equal(out_text(&o), rows);
	out_release(&o);
	waits_free(w);
	live_close(l);
	traced_release(t);
}

/* ---- times of threads ---- */

static void a_woken_thread_is_ready_until_it_runs(void **state)
{
	struct traced t = start();

	traced_add(&t, SWITCH, FROM_IDLE TO_A, AT(1000, 0));
	traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(1400, 0));
	traced_add(&t, WAKING, A, BY_B(2000, 1));
	traced_add(&t, SWITCH, FROM_IDLE TO_A, AT(2300, 0));
	traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(2500, 0));
	check(&t, &usual, "a[50]: 600 running 300 ready 600 other\n", "a <- b 1x 600\n");
}

/* Wakeups of threads that are ready or run change nothing. */
static void a_preempted_thread_is_ready(void **state)
{
	struct traced t = start();

	traced_add(&t, SWITCH, FROM_IDLE TO_A, AT(1000, 0));
	traced_add(&t, SWITCH, FROM_A " prev_state=0" TO_C, AT(1100, 0));
	traced_add(&t, WAKING, A, BY_B(1200, 1));
	traced_add(&t, SWITCH, FROM_C PREEMPTED TO_A, AT(1500, 0));
	traced_add(&t, WAKING, A, BY_B(1550, 1));
	traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(1600, 0));
	check(&t, &usual, "a[50]: 200 running 400 ready\nc[70]: 400 running 100 ready\n", "");
}

static void the_place_says_what_a_thread_waits_for(void **state)
{
	struct traced t = start();

	traced_add(&t, SWITCH, FROM_A ASLEEP, AT(1000, 0), CHAIN(CALLED(FUTEX)));
	traced_add(&t, WAKING, A, BY_B(1001, 1));
	traced_add(&t, SWITCH, FROM_A IN_DISK, AT(2001, 0), CHAIN(CALLED(POLL)));
	traced_add(&t, WAKING, A, BY_B(2021, 1));
	traced_add(&t, SWITCH, FROM_A IN_DISK, AT(3021, 0)); /* without a chain, the state decides */
	traced_add(&t, WAKING, A, BY_B(3321, 1));
	traced_add(&t, SWITCH, FROM_A ASLEEP, AT(4321, 0));
	traced_add(&t, WAKING, A, BY_B(8321, 1));
	check(&t, &usual, "a[50]: 3000 ready 300 I/O 1 lock 20 poll 4000 other\n",
	      "a@futex_wait_queue <- b 1x 1\na@do_epoll_wait <- b 1x 20\na <- b 2x 4300\n");
}

/* The number of a thread that ended may belong to another one later. */
static void the_next_thread_of_a_number_is_another_one(void **state)
{
	struct traced t = start();

	traced_add(&t, SWITCH, FROM_IDLE TO_A, AT(1000, 0));
	traced_add(&t, SWITCH, FROM_A DEAD TO_IDLE, AT(1100, 0));
	traced_add(&t, SWITCH, FROM_IDLE TO_A, AT(5000, 0));
	traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(5030, 0));
	check(&t, &usual, "a[50]: 100 running\na[50]: 30 running\n", "");
}

static void numbers_and_names_are_foreign(void **state)
{
	struct traced t = start();

	traced_add(&t, SWITCH, "prev_pid=-1 prev_comm=abcdefghijklmnop next_pid=-2147483648" ASLEEP, AT(1, 0));
	traced_add(&t, WAKING, "pid=-1 comm=abcdefghijklmnop", .pid = -7, .tid = -7, AT(9000000000000000001, 1));
	traced_add(&t, SWITCH, "prev_pid=0x100000000 next_pid=0x300000000", AT(9000000000000000002, 0));
	traced_add(&t, WAKING, "pid=0 comm=swapper", BY_B(9000000000000000002, 1)); /* idle tasks are no threads */
	check(&t, &usual,
	      "abcdefghijklmnop[-1]: 1 ready 9000000000000000000 other\n"
	      "[-2147483648]: 9000000000000000001 running\n",
	      "abcdefghijklmnop <- :-7 1x 9000000000000000000\n");
}

/* ---- lost events ---- */

static void a_wait_ends_without_its_wakeup(void **state)
{
	static const struct {
		const char *next;
		uint32_t cpu;
		const char *threads, *rows;
	} cases[] = {
		{ FROM_IDLE TO_A, 0, "a[50]: 700 other\n", "a <- [wakeup not seen] 1x 700\n" },
		{ FROM_A PREEMPTED TO_IDLE, 1, "a[50]: 700 other\n", "a <- [wakeup not seen] 1x 700\n" },
		{ FROM_IDLE TO_C, 0, "a[50]: 700 other\nc[70]:\n", "a <- [not woken yet] 1x 700\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct traced t = start();

		traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(1000, 0));
		traced_add(&t, SWITCH, cases[i].next, AT(1700, cases[i].cpu));
		check(&t, &usual, cases[i].threads, cases[i].rows);
	}
}

/* A CPU leaves a thread to which it never went: what its last thread did since then is unknown. */
static void a_missed_switch_makes_time_unknown(void **state)
{
	struct traced t = start();

	traced_add(&t, SWITCH, FROM_IDLE TO_A, AT(1000, 0));
	traced_add(&t, SWITCH, FROM_C ASLEEP TO_IDLE, AT(1500, 0));
	traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(2000, 0));
	check(&t, &usual, "a[50]: 1000 unknown\nc[70]: 500 other\n", "c <- [not woken yet] 1x 500\n");
}

/* The thread was ready from 1200 on, but its CPU's switch to it is missing. */
static void a_ready_thread_runs_on_an_idle_cpu(void **state)
{
	static const struct {
		const char *before;
		uint64_t time;
		uint32_t cpu;
		const char *threads;
	} cases[] = {
		{ FROM_IDLE TO_IDLE, 1000, 0, "a[50]: 300 running\n" },
		{ FROM_IDLE TO_IDLE, 1400, 0, "a[50]: 100 running 200 ready\n" },
		{ FROM_IDLE TO_IDLE, 1000, 65535, "a[50]: 300 running\n" },
		{ FROM_IDLE TO_IDLE, 1000, 65536, "a[50]: 300 ready\n" }, /* a damaged number */
		{ FROM_IDLE TO_IDLE, 1000, UINT32_MAX, "a[50]: 300 ready\n" },
		/* Another thread had this CPU before; no event tells until when. */
		{ FROM_IDLE TO_C, 1400, 0, "a[50]: 200 ready 100 unknown\nc[70]:\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool is_first = cases[i].time < 1200;
		struct traced t = start();

		if (is_first)
			traced_add(&t, SWITCH, cases[i].before, AT(cases[i].time, cases[i].cpu));
		traced_add(&t, WAKING, A, BY_B(1200, 1));
		if (!is_first)
			traced_add(&t, SWITCH, cases[i].before, AT(cases[i].time, cases[i].cpu));
		traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(1500, cases[i].cpu));
		check(&t, &usual, cases[i].threads, "");
	}
}

/* Two events may record one switch, with different settings. */
static void a_switch_may_be_recorded_twice(void **state)
{
	static const struct {
		uint64_t again;
		const char *threads;
	} cases[] = {
		{ 1000 + 99999, "a[50]: 199000 running\n" },
		{ 1000 + 100000, "a[50]: 99000 running 100000 unknown\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct traced t = start();

		traced_add(&t, SWITCH, FROM_IDLE TO_A, AT(1000, 0));
		traced_add(&t, SWITCH, FROM_IDLE TO_A, AT(cases[i].again, 0));
		traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(200000, 0));
		check(&t, &usual, cases[i].threads, "");
	}
}

/* ---- who ended a wait ---- */

/* Source of the flags: TRACE_FLAG_HARDIRQ and TRACE_FLAG_SOFTIRQ, linux/trace_events.h. */
static void an_interrupt_is_not_the_thread_that_it_interrupts(void **state)
{
	static const struct {
		const char *flags;
		int32_t tid;
		const char *waker;
	} cases[] = {
		{ "", 60, "b" },
		{ "", 0, "swapper" },
		{ " common_flags=8", 60, "[interrupt]" },
		{ " common_flags=16", 60, "[interrupt]" },
		{ " common_flags=4", 60, "b" },
		{ " common_preempt_count=255", 60, "b" },
		{ " common_preempt_count=255", 0, "[interrupt]" },
		{ " common_preempt_count=255 common_flags=8", 60, "[interrupt]" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		autofree char *values = xasprintf(A "%s", cases[i].flags), *row = NULL;
		struct traced t = start();

		traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(1000, 0));
		traced_add(&t, WAKING, values, .pid = cases[i].tid, .tid = cases[i].tid, AT(1600, 1));
		row = xasprintf("a <- %s 1x 600\n", cases[i].waker);
		check(&t, &usual, NULL, row);
	}
}

/* A wait of a, which is woken at a place, and a second one, whose wakeup has no chain. */
static void check_wakers(const char *values, int32_t tid, const uint64_t *chain, size_t n_chain, const char *rows)
{
	struct traced t = start();

	traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(1000, 0));
	traced_add(&t, WAKING, values, .pid = tid, .tid = tid, AT(1600, 1), .chain = chain, .n_chain = n_chain);
	traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(2000, 0));
	traced_add(&t, WAKING, values, .pid = tid, .tid = tid, AT(2030, 1));
	check(&t, &usual, NULL, rows);
}

/* Who sends to a thread of this machine runs the softirq itself. Without a chain it is as the last time. */
static void a_softirq_of_the_sender_is_the_sender(void **state)
{
	static const uint64_t sends[] = { CHAIN_KERNEL, CALLED(BACKLOG), CALLED(SOFTIRQ) };
	static const uint64_t of_a_card[] = { CHAIN_KERNEL, CALLED(SOFTIRQ), CALLED(INTERRUPT) };
	static const uint64_t of_its_thread[] = { CHAIN_KERNEL, CALLED(BACKLOG), CALLED(SOFTIRQ), CALLED(KSOFTIRQD) };
	const char *const softirq = A " common_flags=16";

	check_wakers(softirq, 60, sends, 3, "a <- b@process_backlog 1x 600\na <- b 1x 30\n");
	check_wakers(softirq, 0, sends, 3, "a <- [interrupt]@process_backlog 1x 600\na <- [interrupt] 1x 30\n");
	check_wakers(softirq, 60, of_a_card, 3, "a <- [interrupt]@handle_softirqs 1x 600\na <- [interrupt] 1x 30\n");
	check_wakers(softirq, 60, of_its_thread, 4,
		     "a <- [interrupt]@process_backlog 1x 600\na <- [interrupt] 1x 30\n");
}

/* Programs of the recorder copy the fields, and the flags are not among them. */
static void the_chain_shows_an_interrupt_without_flags(void **state)
{
	static const uint64_t chain[] = { CHAIN_KERNEL, CALLED(TIMER), CALLED(INTERRUPT) };

	check_wakers(A " common_preempt_count=255", 60, chain, 3,
		     "a <- [interrupt]@hrtimer_wakeup 1x 600\na <- b 1x 30\n");
}

/* ---- waits for a thread that itself waits ---- */

/* a waits for b from 1000 to 2000, and b for c from 1300 to 1600. */
static struct traced two_waits(const char *wake_b)
{
	struct traced t = start();

	traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(1000, 0));
	traced_add(&t, SWITCH, FROM_B ASLEEP TO_IDLE, AT(1300, 1), CHAIN(CALLED(SLEEP)));
	traced_add(&t, WAKING, wake_b, BY_C(1600, 2));
	traced_add(&t, SWITCH, FROM_IDLE TO_B, AT(1700, 1));
	traced_add(&t, WAKING, A, BY_B(2000, 1));
	return t;
}

static void a_wait_is_divided_by_the_waits_of_its_waker(void **state)
{
	struct traced t = two_waits(B);

	check(&t, &usual, NULL, "b@hrtimer_nanosleep <- c 1x 300\na <- b 1x 1000\n");
	t = two_waits(B);
	check(&t, &following, NULL, "b@hrtimer_nanosleep <- c 1x 300\na <- b 2x 700\na <- c 1x 300\n");
}

/* A timer has no cause: it is b itself, which went to sleep. */
static void who_waits_for_an_interrupt_is_the_cause(void **state)
{
	struct traced t = two_waits(B " common_flags=8");

	check(&t, &following, NULL,
	      "b@hrtimer_nanosleep <- [interrupt] 1x 300\na <- b 2x 700\na <- b@hrtimer_nanosleep 1x 300\n");
}

/* A wait that began before, or that goes on, counts as far as the two overlap. */
static void only_the_common_time_is_divided(void **state)
{
	struct traced t = start();

	traced_add(&t, SWITCH, FROM_B ASLEEP TO_IDLE, AT(1000, 1));
	traced_add(&t, WAKING, B, BY_C(1100, 2)); /* long before */
	traced_add(&t, SWITCH, FROM_B ASLEEP TO_IDLE, AT(2000, 1));
	traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(2090, 0));
	traced_add(&t, WAKING, B, BY_C(2100, 2));
	traced_add(&t, WAKING, A, BY_B(2600, 1));
	check(&t, &following, NULL, "b <- c 2x 200\na <- c 1x 10\na <- b 1x 500\n");
}

/* Of older waits we know nothing, so the waker itself is their cause. */
static void each_thread_has_so_many_past_waits(void **state)
{
	struct traced t = start();

	traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(1000, 0));
	for (uint64_t i = 0; i < PAST_SPANS + 8; i++) {
		traced_add(&t, SWITCH, FROM_B ASLEEP TO_IDLE, AT(2000 + 100 * i, 1));
		traced_add(&t, WAKING, B, BY_C(2010 + 100 * i, 2));
		traced_add(&t, SWITCH, FROM_IDLE TO_B, AT(2020 + 100 * i, 1));
	}
	traced_add(&t, WAKING, A, BY_B(11000, 1));
	check(&t, &following, NULL, "b <- c 40x 400\na <- b 33x 9680\na <- c 32x 320\n");
}

/* ---- idle threads ---- */

/* a, and then a thread of process `pid`, wait at one place until `end`: a function in the waker. */
static void check_idle(uint64_t place, int32_t pid, uint64_t end, const char *flags, const char *threads)
{
	autofree char *values = xasprintf(A "%s", flags);
	struct traced t = start();

	build_comm(&t.b, .pid = pid, .tid = 51, .comm = "other");
	traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(1000, 0), CHAIN(CALLED(place)));
	traced_add(&t, SWITCH, "prev_pid=51 prev_comm=other" ASLEEP TO_IDLE, AT(1000, 1), CHAIN(CALLED(place)));
	traced_add(&t, WAKING, values, BY_B(1600, 2), CHAIN(CALLED(end)));
	check(&t, &usual, threads, NULL);
}

/* A thread is idle if it waits for work. One that waits alone for a lock may be stuck. */
static void waits_for_work_are_idle(void **state)
{
	const char *const in_irq = " common_flags=8";

	check_idle(POLL, 51, TIMER, in_irq, "a[50]: 600 idle\nother[51]: 600 idle\n");
	check_idle(POLL, 51, KILL, "", "a[50]: 600 idle\nother[51]: 600 idle\n");
	check_idle(POLL, 51, FUTEX, "", "a[50]: 600 poll\nother[51]: 600 idle\n");
	check_idle(FUTEX, 51, TIMER, in_irq, "a[50]: 600 idle\nother[51]: 600 lock\n");
	check_idle(FUTEX, 51, KILL, "", "a[50]: 600 lock\nother[51]: 600 lock\n");
	check_idle(FUTEX, 50, KILL, "", "a[50]: 600 idle\nother[51]: 600 idle\n");
	check_idle(FUTEX, 50, FUTEX, "", "a[50]: 600 lock\nother[51]: 600 lock\n");
	check_idle(SLEEP, 50, TIMER, in_irq, "a[50]: 600 timer\nother[51]: 600 timer\n");
}

/* a leaves the pool of the other thread: it waits alone for another lock, and may be stuck. */
static void a_thread_leaves_its_pool(void **state)
{
	struct traced t = start();

	build_comm(&t.b, .pid = 50, .tid = 51, .comm = "other");
	traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(1000, 0), CHAIN(CALLED(FUTEX)));
	traced_add(&t, SWITCH, "prev_pid=51 prev_comm=other" ASLEEP TO_IDLE, AT(1000, 1), CHAIN(CALLED(FUTEX)));
	traced_add(&t, WAKING, A, BY_B(1600, 2), CHAIN(CALLED(KILL)));
	traced_add(&t, SWITCH, FROM_IDLE TO_A, AT(1650, 0));
	traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(1700, 0), CHAIN(CALLED(FUTEX), CALLED(BACKLOG)));
	traced_add(&t, WAKING, "pid=70 comm=c", BY_B(1900, 2));
	check(&t, &usual, "a[50]: 50 running 50 ready 200 lock 600 idle\nother[51]: 900 idle\nc[70]:\n", NULL);
}

/* ---- threads that nobody asked for ---- */

static void others_count_only_for_whom_they_make_wait(void **state)
{
	struct sample_filter only_a = { 0 };
	const struct waits_opts opts = { .filter = &only_a }, follow = { .filter = &only_a, .follow = true };
	struct traced t = two_waits(B);

	assert_int_equal(sample_filter_add(&only_a, FILTER_TIDS, "50", NULL), 0);
	check(&t, &opts, "a[50]: 1000 other\n", "a <- b 1x 1000\n");
	t = two_waits(B);
	check(&t, &follow, "a[50]: 1000 other\n",
	      "b@hrtimer_nanosleep <- c 1x 300 unwanted\na <- b 2x 700\na <- c 1x 300\n");
	sample_filter_free(&only_a);
}

/* ---- watchers ---- */

static void span_text(void *ctx, const struct wait_span *s)
{
	static const char *const states[] = { "unknown", "running", "ready" };

	if (s->tid == 50)
		out_fmt(ctx, "%llu-%llu %s %s %d\n", (unsigned long long)s->from, (unsigned long long)s->to,
			s->state == STATE_BLOCKED ? wait_kind_names[s->kind] : states[s->state],
			s->waker ? s->waker : "-", s->waker_tid);
}

/*
 * For a wait without a recorded chain, a watcher gets the kind of the thread's last one. The recorder takes no chains
 * if another event of the same name does.
 */
static void a_watcher_gets_spans_and_their_ends(void **state)
{
	struct traced t = start();
	struct out o;
	const struct waits_watch watch = { .ctx = &o, .span = span_text };
	const struct waits_opts opts = { .everybody = true, .watch = &watch };

	out_init_mem(&o);
	traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(1000, 0), CHAIN(CALLED(FUTEX)));
	traced_add(&t, WAKING, A, BY_B(1100, 1));
	traced_add(&t, SWITCH, FROM_IDLE TO_A, AT(1150, 0));
	traced_add(&t, NO_CHAIN, FROM_A ASLEEP TO_IDLE, AT(1300, 0));
	traced_add(&t, WAKING, A " common_flags=8", BY_B(1400, 1));
	traced_add(&t, SWITCH, FROM_IDLE TO_A, AT(1450, 0));
	check(&t, &opts, NULL, "a@futex_wait_queue <- b 1x 100\na <- [interrupt] 1x 100\n");
	assert_string_equal(out_text(&o), "1000-1100 lock b 60\n1100-1150 ready - -1\n1150-1300 running - -1\n"
					  "1300-1400 lock [interrupt] -1\n1400-1450 ready - -1\n");
	out_release(&o);
}

/* ---- limits, records of switches, errors ---- */

static struct waits *read_all(struct live *l, const struct waits_opts *opts)
{
	struct waits *w = waits_new(l, opts);
	struct err e = { 0 };

	if (waits_read(w, &e) < 0)
		fail_msg("%s", e.what);
	return w;
}

/* With `n_rows` rows already, the next row's stack has two functions; the second one is `want`. */
static void check_second_function(struct traced *t, size_t n_rows, const char *want)
{
	struct live *l = traced_open(t);
	struct waits *w = waits_new(l, &usual);
	struct err e = { 0 };

	if (n_rows)
		vec_add(&w->rows, n_rows);
	assert_int_equal(waits_read(w, &e), 0);
	assert_int_equal(w->rows.len, n_rows + 1);
	assert_string_equal(waits_frame(w, w->rows.items[n_rows].stack, 0), functions[FUTEX]);
	assert_string_equal(waits_frame(w, w->rows.items[n_rows].stack, 1), want);
	assert_null(waits_frame(w, w->rows.items[n_rows].stack, 2));
	waits_free(w);
	live_close(l);
}

/* With very many rows, further ones differ only by the functions of the kernel. */
static void many_rows_cut_further_stacks(void **state)
{
	struct traced t = start();

	traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(1000, 0), CHAIN(CALLED(FUTEX), CHAIN_USER, 0x401000));
	traced_add(&t, WAKING, A, BY_B(1100, 1));
	check_second_function(&t, 0, "[unknown]");
	check_second_function(&t, (1 << 17) - 1, "[unknown]");
	check_second_function(&t, 1 << 17, "[further stacks]");
	traced_release(&t);
}

static void states_and_frames_can_be_asked_for(void **state)
{
	static const struct {
		int32_t tid;
		enum wait_state state;
	} cases[] = { { 50, STATE_RUNNABLE }, { 60, STATE_UNKNOWN }, { 70, STATE_BLOCKED }, { 99, STATE_UNKNOWN } };
	struct traced t = start();
	struct live *l;
	struct waits *w;

	traced_add(&t, SWITCH, FROM_C ASLEEP TO_IDLE, AT(900, 0), CHAIN(CALLED(POLL)));
	traced_add(&t, SWITCH, FROM_B DEAD TO_IDLE, AT(1000, 0));
	traced_add(&t, WAKING, A, BY_B(1100, 1));
	l = traced_open(&t);
	w = read_all(l, &usual);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t thread = 77;

		assert_int_equal(waits_state(w, cases[i].tid, &thread), cases[i].state);
		assert_int_equal(cases[i].state ? w->threads.items[thread].tid : (int32_t)thread,
				 cases[i].state ? cases[i].tid : 0);
	}
	assert_string_equal(waits_frame(w, 1, 0), functions[POLL]);
	assert_null(waits_frame(w, 1, 1));
	assert_null(waits_frame(w, 0, 0));
	waits_free(w);
	live_close(l);
	traced_release(&t);
}

/* The second wait has no chain, because its event takes none: it is like the first one. */
static void events_and_chains_are_counted(void **state)
{
	struct sample_filter only_a = { 0 };
	const struct waits_opts opts = { .filter = &only_a };
	struct traced t = start();
	struct live *l;
	struct waits *w;

	assert_int_equal(sample_filter_add(&only_a, FILTER_TIDS, "50", NULL), 0);
	traced_add(&t, SWITCH, FROM_A ASLEEP TO_C, AT(1000, 0), CHAIN(CALLED(FUTEX)));
	traced_add(&t, WAKING, A, BY_B(1100, 1));
	traced_add(&t, SWITCH, FROM_C PREEMPTED TO_A, AT(1200, 0));
	traced_add(&t, NO_CHAIN, FROM_A ASLEEP TO_IDLE, AT(2000, 0));
	traced_add(&t, WAKING, A, BY_B(2300, 1));
	traced_add(&t, SWITCH, FROM_IDLE TO_A, AT(2400, 0));
	traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(2500, 0), CHAIN(CALLED(FUTEX)));
	traced_add(&t, WAKING, A, BY_B(2600, 1));
	l = traced_open(&t);
	w = read_all(l, &opts);
	assert_int_equal(w->switches, 5);
	assert_int_equal(w->others_switches, 1);
	assert_int_equal(w->wakes, 3);
	assert_int_equal(w->threads.items[0].switches, 3);
	assert_int_equal(w->with_stack, 2);
	assert_int_equal(w->without, 1);
	waits_free(w);
	live_close(l);
	check(&t, &opts, "a[50]: 900 running 200 ready 500 lock\n", "a@futex_wait_queue <- b 3x 500\n");
	sample_filter_free(&only_a);
}

/* Its trailer says which thread: PID, TID, TIME. */
static void add_switch(struct build *b, uint32_t tid, uint64_t time, uint16_t misc)
{
	struct {
		uint32_t pid, tid;
		uint64_t time;
	} trailer = { tid, tid, time };

	build_record(b, RECORD_SWITCH, misc, &trailer, sizeof(trailer), "448");
}

/* Records of switches do not say when a thread was woken, so it waits until it runs. */
static void records_of_switches_give_times(void **state)
{
	struct traced t = { build_start(SAMPLE_TID | SAMPLE_TIME) };

	build_comm(&t.b, .pid = 50, .tid = 50, .time = 1, .comm = "a");
	add_switch(&t.b, 50, 1000, 0);
	add_switch(&t.b, 50, 1100, MISC_SWITCH_OUT);
	add_switch(&t.b, 50, 1130, 0);
	add_switch(&t.b, 50, 1137, MISC_SWITCH_OUT | MISC_SWITCH_PREEMPT);
	add_switch(&t.b, 50, 1141, 0);
	add_switch(&t.b, 0, 1200, 0);          /* the idle task */
	add_switch(&t.b, UINT32_MAX, 1200, 0); /* a thread that has ended */
	build_exit(&t.b, .pid = 50, .tid = 50, .time = 1200);
	build_exit(&t.b, .pid = 51, .tid = 51, .time = 1200); /* it had no switch */
	build_comm(&t.b, .pid = 52, .tid = 52, .time = 9000, .comm = "later");
	check(&t, &usual, "a[50]: 166 running 4 ready 30 other\n", "");
}

static void errors_say_what_is_missing(void **state)
{
	static const struct waits_watch watch = { .span = span_text };
	const struct waits_opts watched = { .watch = &watch }, no_file = { .kinds_file = "/nonexistent" };
	const struct waits_opts *const opts[] = { &usual, &watched, &no_file };

	for (size_t i = 0; i < ARRAY_SIZE(opts); i++) {
		struct traced t =
			i == 1 ? (struct traced){ build_start(SAMPLE_TID | SAMPLE_TIME) } : traced_start(events, 1);
		struct err e = { 0 };
		struct waits *w;
		struct live *l;

		if (i == 1)
			add_switch(&t.b, 50, 1000, 0);
		else
			traced_add(&t, SWITCH, FROM_A ASLEEP TO_IDLE, AT(1000, 0));
		l = traced_open(&t);
		w = waits_new(l, opts[i]);
		assert_int_equal(waits_read(w, &e), -1);
		assert_non_null(strstr(e.what, i == 2 ? "/nonexistent" : "does not contain wakeups"));
		waits_free(w);
		live_close(l);
		traced_release(&t);
	}
	waits_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_woken_thread_is_ready_until_it_runs),
		cmocka_unit_test(a_preempted_thread_is_ready),
		cmocka_unit_test(the_place_says_what_a_thread_waits_for),
		cmocka_unit_test(the_next_thread_of_a_number_is_another_one),
		cmocka_unit_test(numbers_and_names_are_foreign),
		cmocka_unit_test(a_wait_ends_without_its_wakeup),
		cmocka_unit_test(a_missed_switch_makes_time_unknown),
		cmocka_unit_test(a_ready_thread_runs_on_an_idle_cpu),
		cmocka_unit_test(a_switch_may_be_recorded_twice),
		cmocka_unit_test(an_interrupt_is_not_the_thread_that_it_interrupts),
		cmocka_unit_test(a_softirq_of_the_sender_is_the_sender),
		cmocka_unit_test(the_chain_shows_an_interrupt_without_flags),
		cmocka_unit_test(a_wait_is_divided_by_the_waits_of_its_waker),
		cmocka_unit_test(who_waits_for_an_interrupt_is_the_cause),
		cmocka_unit_test(only_the_common_time_is_divided),
		cmocka_unit_test(each_thread_has_so_many_past_waits),
		cmocka_unit_test(waits_for_work_are_idle),
		cmocka_unit_test(a_thread_leaves_its_pool),
		cmocka_unit_test(others_count_only_for_whom_they_make_wait),
		cmocka_unit_test(a_watcher_gets_spans_and_their_ends),
		cmocka_unit_test(many_rows_cut_further_stacks),
		cmocka_unit_test(states_and_frames_can_be_asked_for),
		cmocka_unit_test(events_and_chains_are_counted),
		cmocka_unit_test(records_of_switches_give_times),
		cmocka_unit_test(errors_say_what_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
