/* Turns with call chains and without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/ioctl.h>

#include "record/session/recorder_priv.h"

/* ---- a kernel that notes which descriptors are turned on and off ---- */

static char switched[256]; /* "+3 -4 " */
static bool refuses;

int ioctl(int fd, unsigned long request, ...)
{
	size_t len = strlen(switched);

	assert_true(request == PERF_EVENT_IOC_ENABLE || request == PERF_EVENT_IOC_DISABLE);
	if (refuses) {
		errno = EACCES;
		return -1;
	}
	snprintf(switched + len, sizeof(switched) - len, "%c%d ", request == PERF_EVENT_IOC_ENABLE ? '+' : '-', fd);
	return 0;
}

static void expect_switched(const char *want)
{
	assert_string_equal(switched, want);
	switched[0] = '\0';
}

/* ---- a recorder with two rings, and events that are open as descriptors 1000, 1001 ... ---- */

struct fake {
	struct recorder r;
	struct out told;
};

static void take(void *of, int level, const char *text) { out_fmt(of, "%s\n", text); }

static int set_up(void **state)
{
	struct fake *f = xcalloc(1, sizeof(*f));

	f->r.o = (struct record_opts)RECORD_DEFAULTS;
	f->r.o.waits = true;
	f->r.o.stack_rate = 8000; /* bytes in a millisecond, that is 80000 in 10 ms */
	out_init_mem(&f->told);
	f->r.o.tell = (struct teller){ take, &f->told, 0 };
	for (int i = 0; i < 2; i++)
		vec_push(&f->r.rings.rings, (struct ring){ .head = (uint64_t)i << 40 });
	switched[0] = '\0';
	refuses = false;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fake *f = *state;

	for (size_t i = 0; i < f->r.events.events.len; i++) {
		free(f->r.events.events.items[i].fds);
		vec_free(&f->r.events.events.items[i].cpus);
	}
	vec_free(&f->r.events.events);
	vec_free(&f->r.rings.rings);
	arena_release(&f->r.whole_run);
	out_release(&f->told);
	free(f);
	return 0;
}

static struct event *add(struct fake *f, const char *tp_name)
{
	struct event event = { .name = tp_name, .tp_name = tp_name, .n_members = 1 };

	event.leader = (uint32_t)f->r.events.events.len;
	vec_push(&f->r.events.events, event);
	return &f->r.events.events.items[event.leader];
}

static void open_all(struct fake *f)
{
	for (size_t i = 0; i < f->r.events.events.len; i++) {
		struct event *event = &f->r.events.events.items[i];

		event->n_cpus = event->n_threads = 1;
		event->fds = xmalloc(sizeof(*event->fds));
		event->fds[0] = 1000 + (int)i;
	}
}

/* Two events, and behind them their reserves: descriptors 1000 to 1003. */
static void start(struct fake *f)
{
	add(f, "sched_switch");
	add(f, "sched_waking");
	turns_add_events(&f->r);
	open_all(f);
	turns_start(&f->r);
}

/* Let the present turn be that old, then look. */
static void step(struct fake *f, uint64_t age_us)
{
	struct err e = { 0 };

	f->r.turns.since_us = pace_now_us() - age_us;
	assert_int_equal(turns_step(&f->r, &e), 0);
}

static void record(struct fake *f, size_t ring, uint64_t bytes) { f->r.rings.rings.items[ring].head += bytes; }

/* ---- reserves ---- */

static void switches_and_wakeups_get_a_reserve_without_chains(void **state)
{
	struct fake *f = *state;
	const struct event *reserve;

	add(f, NULL);
	cpuset_add(&add(f, "sched_switch")->cpus, 3);
	add(f, "sched_wakeup");
	add(f, "sched_waking")->attr.config = 77;
	turns_add_events(&f->r);
	assert_true(f->r.turns.any);
	assert_int_equal(f->r.events.events.len, 6);
	reserve = &f->r.events.events.items[4];
	assert_string_equal(reserve->tp_name, "sched_switch");
	assert_true(reserve->is_reserve);
	assert_string_equal(reserve->term_callgraph, "no");
	assert_int_equal(reserve->leader, 4);
	assert_int_equal(reserve->cpus.len, 1);
	assert_int_equal(reserve->cpus.items[0], 3);
	assert_ptr_not_equal(reserve->cpus.items, f->r.events.events.items[1].cpus.items);
	reserve = &f->r.events.events.items[5];
	assert_int_equal(reserve->attr.config, 77);
	assert_int_equal(reserve->leader, 5);
	for (size_t i = 0; i < 4; i++)
		assert_false(f->r.events.events.items[i].is_reserve);
}

static void groups_and_chosen_chains_stay_as_they_are(void **state)
{
	struct fake *f = *state;

	add(f, "sched_switch")->n_members = 2;
	add(f, "sched_waking")->n_members = 0;
	add(f, "sched_switch")->term_callgraph = "fp";
	turns_add_events(&f->r);
	assert_int_equal(f->r.events.events.len, 3);
	assert_false(f->r.turns.any);
}

static void others_who_turn_events_on_and_off_exclude_turns(void **state)
{
	struct fake *f = *state;
	const struct record_opts usual = f->r.o;
	struct record_opts no[9];

	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		no[i] = usual;
	no[0].waits = false;
	no[1].stack_rate = 0;
	no[2].target_only = true;
	no[3].n_delays = 1;
	no[4].stay_disabled = true;
	no[5].control = "fd:3";
	no[6].overwrite = true;
	no[7].threads = "cpu";
	no[8].chain = CHAIN_MODE_LIVE;
	add(f, "sched_switch");
	for (size_t i = 0; i < ARRAY_SIZE(no); i++) {
		f->r.o = no[i];
		turns_add_events(&f->r);
		assert_int_equal(f->r.events.events.len, 1);
	}
	f->r.o = no[0];
	f->r.o.wall = true; /* has waits, too */
	f->r.trial = (struct record_trial *)f;
	turns_add_events(&f->r); /* a trial asks about the events that the user sees */
	assert_int_equal(f->r.events.events.len, 1);
	f->r.trial = NULL;
	turns_add_events(&f->r);
	assert_int_equal(f->r.events.events.len, 2);
}

/* ---- turns ---- */

static void few_switches_keep_their_chains(void **state)
{
	struct fake *f = *state;

	start(f);
	record(f, 0, 79000);
	record(f, 1, 79000); /* each ring counts alone */
	step(f, 10000);
	record(f, 1, 79000); /* and each turn */
	step(f, 10000);
	expect_switched("");
	assert_false(f->r.turns.lean);
	assert_int_equal(turns_timeout(&f->r, 100), 100);
	turns_end(&f->r);
	assert_string_equal(out_text(&f->told), "");
}

static void a_turn_is_not_judged_before_its_end(void **state)
{
	struct fake *f = *state;

	start(f);
	record(f, 0, 1 << 20);
	step(f, 8000); /* of 10 ms */
	expect_switched("");
	step(f, 10000);
	expect_switched("+1002 +1003 -1000 -1001 ");
	step(f, 30000); /* of 40 ms without */
	expect_switched("");
	step(f, 40000);
	expect_switched("+1000 +1001 -1002 -1003 ");
}

static void the_rate_is_that_of_the_whole_turn(void **state)
{
	struct fake *f = *state;

	start(f);
	record(f, 1, 790000); /* 100 ms are worth 800000 */
	step(f, 100000);
	expect_switched("");
	record(f, 1, 830000); /* room for 3 ms that the test may lose */
	step(f, 100000);
	expect_switched("+1002 +1003 -1000 -1001 ");
}

static void many_switches_have_chains_in_a_fifth_of_the_time(void **state)
{
	struct fake *f = *state;

	start(f);
	for (int i = 0; i < 3; i++) {
		record(f, 0, 1 << 20);
		step(f, 10000);
		record(f, 0, 1 << 10);
		step(f, 40000);
	}
	expect_switched("+1002 +1003 -1000 -1001 +1000 +1001 -1002 -1003 "
			"+1002 +1003 -1000 -1001 +1000 +1001 -1002 -1003 "
			"+1002 +1003 -1000 -1001 +1000 +1001 -1002 -1003 ");
	assert_in_range(f->r.turns.full_us, 30000, 31000);
	assert_in_range(f->r.turns.lean_us, 120000, 121000);
	f->r.turns.since_us = pace_now_us() - 120000; /* the last one, with chains */
	turns_end(&f->r);
	assert_in_range(f->r.turns.full_us, 150000, 152000);
	/* 150 of 270 ms */
	assert_non_null(strstr(out_text(&f->told), "call chains were taken in 56% of the time"));
	assert_non_null(strstr(out_text(&f->told), "try: --stack-rate=0"));
}

static void a_recording_may_end_without_chains(void **state)
{
	struct fake *f = *state;

	start(f);
	record(f, 0, 1 << 20);
	step(f, 10000);
	f->r.turns.since_us = pace_now_us() - 30000;
	turns_end(&f->r);
	assert_in_range(f->r.turns.lean_us, 30000, 31000);
	assert_non_null(strstr(out_text(&f->told), "in 25% of the time"));
}

static void only_the_events_of_turns_are_switched(void **state)
{
	struct fake *f = *state;

	add(f, "page_fault_user");
	start(f);
	f->r.events.events.items[2].is_twin = true; /* 1002: sched_waking; its other form counts instead */
	record(f, 0, 1 << 20);
	step(f, 10000);
	expect_switched("+1003 +1004 -1001 ");
}

static void the_reader_wakes_for_the_end_of_a_turn(void **state)
{
	struct fake *f = *state;

	start(f);
	record(f, 0, 1 << 20);
	step(f, 10000); /* now without chains, for 40 ms */
	f->r.turns.since_us = pace_now_us() - 10000;
	assert_in_range(turns_timeout(&f->r, 1000), 28, 30);
	assert_int_equal(turns_timeout(&f->r, 5), 5);
	f->r.turns.since_us = pace_now_us() - 50000; /* overdue */
	assert_int_equal(turns_timeout(&f->r, 1000), 0);
	step(f, 40000); /* with chains, for 10 ms */
	f->r.turns.since_us = pace_now_us();
	assert_in_range(turns_timeout(&f->r, 1000), 8, 10);
	record(f, 0, 1);
	step(f, 10000); /* there are few now, so nothing is due */
	assert_int_equal(turns_timeout(&f->r, 1000), 1000);
}

static void without_reserves_nothing_happens(void **state)
{
	struct fake *f = *state;
	struct err e = { 0 };

	f->r.o.stack_rate = 0;
	start(f);
	record(f, 0, 1 << 20);
	assert_int_equal(turns_step(&f->r, &e), 0);
	assert_int_equal(turns_timeout(&f->r, 7), 7);
	turns_end(&f->r);
	expect_switched("");
	assert_int_equal(f->r.turns.full_us, 0);
	assert_string_equal(out_text(&f->told), "");
}

static void a_refusal_of_the_kernel_is_reported(void **state)
{
	struct fake *f = *state;
	struct err e = { 0 };

	start(f);
	record(f, 0, 1 << 20);
	refuses = true;
	f->r.turns.since_us = pace_now_us() - 10000;
	assert_int_equal(turns_step(&f->r, &e), -1);
	assert_string_equal(e.what, "cannot enable event 'sched_switch'");
	assert_int_equal(e.sys, EACCES);
}

#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(switches_and_wakeups_get_a_reserve_without_chains),
		T(groups_and_chosen_chains_stay_as_they_are),
		T(others_who_turn_events_on_and_off_exclude_turns),
		T(few_switches_keep_their_chains),
		T(a_turn_is_not_judged_before_its_end),
		T(the_rate_is_that_of_the_whole_turn),
		T(many_switches_have_chains_in_a_fifth_of_the_time),
		T(a_recording_may_end_without_chains),
		T(only_the_events_of_turns_are_switched),
		T(the_reader_wakes_for_the_end_of_a_turn),
		T(without_reserves_nothing_happens),
		T(a_refusal_of_the_kernel_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
