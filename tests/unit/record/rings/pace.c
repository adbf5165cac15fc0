#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/rings/pace.h"

enum { MS = 1000, LIMIT = 1000 };

static struct pace started(uint64_t *now_us)
{
	struct pace p;
	struct err e = { 0 };

	assert_int_equal(pace_start(&p, 0, true, &e), 0);
	*now_us = p.looked_us;
	return p;
}

static void a_ring_that_fills_slowly_waits_for_the_kernel(void **state)
{
	uint64_t now;
	struct pace p = started(&now);

	assert_int_equal(pace_timeout(&p, LIMIT), LIMIT);
	pace_looked(&p, now += 500 * MS, 130);
	assert_int_equal(pace_timeout(&p, LIMIT), LIMIT);
	pace_looked(&p, now += 1000 * MS, 0); /* the first second is over */
	assert_int_equal(pace_timeout(&p, LIMIT), LIMIT);
	assert_false(p.urgent);
}

static void a_ring_that_fills_fast_is_looked_at_when_a_quarter_is_used(void **state)
{
	uint64_t now;
	struct pace p = started(&now);

	pace_looked(&p, now += 8 * MS, 128);
	assert_int_equal(pace_timeout(&p, LIMIT), 4);
	pace_looked(&p, now += 4 * MS, 128); /* twice as fast now */
	assert_int_equal(pace_timeout(&p, LIMIT), 2);
	assert_int_equal(pace_timeout(&p, 1), 1);
	pace_looked(&p, now += 2 * MS, 256);
	assert_int_equal(pace_timeout(&p, LIMIT), 1); /* not less, which would be a loop without sleep */
	pace_looked(&p, now += 1 * MS, 0);            /* a pause */
	assert_int_equal(pace_timeout(&p, LIMIT), p.urgent ? 1 : LIMIT); /* the next flood is as fast */
	pace_looked(&p, now += 2000 * MS, 0);
	pace_looked(&p, now += 2000 * MS, 0); /* the flood is over */
	assert_int_equal(pace_timeout(&p, LIMIT), LIMIT);
	pace_end(&p);
}

static int in_a_child(int (*run)(void))
{
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child)
		_exit(run());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int policy_of_us(void) { return sched_getscheduler(0) & ~SCHED_RESET_ON_FORK; }

static int take_priority(void)
{
	return sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 2 }) != 0;
}

static void need_realtime(void)
{
	if (in_a_child(take_priority))
		skip(); /* this user may not */
}

/* Return 0 if it worked, 1 if not. */
static int hurry_and_rest(void)
{
	int before = policy_of_us();
	uint64_t now;
	struct pace p = started(&now);

	if (!p.urgent || policy_of_us() != SCHED_FIFO) /* from the start */
		return 1;
	pace_looked(&p, now += 150 * MS, 128);
	pace_looked(&p, now += 2000 * MS, 1); /* no reason to hurry when judged, but earlier */
	if (!p.urgent || policy_of_us() != SCHED_FIFO)
		return 1;
	pace_looked(&p, now += 2000 * MS, 1); /* nothing since */
	if (p.urgent || policy_of_us() != before)
		return 1;
	pace_looked(&p, now += 500 * MS, 200); /* slow, but the kernel called at 128 */
	if (!p.urgent)
		return 1;
	pace_end(&p);
	return p.urgent || policy_of_us() != before;
}

static int keep_until_the_end(void)
{
	int before = policy_of_us();
	struct pace p;
	uint64_t now;

	if (pace_start(&p, 2, false, NULL) < 0)
		return 1;
	now = p.looked_us;
	pace_looked(&p, now += 2000 * MS, 1);
	pace_looked(&p, now += 2000 * MS, 1);
	if (policy_of_us() != SCHED_FIFO)
		return 1;
	pace_end(&p);
	return policy_of_us() != before;
}

static void a_chosen_priority_stays_until_the_end(void **state)
{
	need_realtime();
	assert_int_equal(in_a_child(keep_until_the_end), 0);
}

static void a_hurrying_reader_is_realtime_until_the_flood_ends(void **state)
{
	need_realtime();
	assert_int_equal(in_a_child(hurry_and_rest), 0);
}

static int work_too_much(void)
{
	uint64_t now;
	struct pace p = started(&now);

	pace_looked(&p, now += 4 * MS, 128);
	if (!p.urgent)
		return 1;
	p.judged_us = now - 2000 * MS;
	p.cpu_us -= 1500 * MS; /* three quarters of that */
	pace_looked(&p, now += 4 * MS, 128);
	if (p.urgent || p.may_hurry)
		return 1;
	pace_looked(&p, now += 4 * MS, 128);
	return p.urgent;
}

static void a_reader_that_needs_most_of_a_cpu_stays_ordinary(void **state)
{
	need_realtime();
	assert_int_equal(in_a_child(work_too_much), 0);
}

static bool may_run_on(int cpu)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_ISSET(cpu, &set);
}

/* Every flood is read where it is written, the next one too; an ordinary thread runs anywhere. */
static int go_and_return(void)
{
	uint64_t now;
	struct pace p = started(&now);
	int first = 0, last = CPU_SETSIZE - 1;

	while (!CPU_ISSET(first, &p.home))
		first++;
	while (!CPU_ISSET(last, &p.home))
		last--;
	if (pace_hurries(&p))
		return 1;
	pace_looked(&p, now += 4 * MS, 128);
	if (!p.urgent || !pace_hurries(&p))
		return 1;
	pace_go(&p, last);
	if (may_run_on(first) || !may_run_on(last))
		return 1;
	pace_go(&p, first);
	if (!may_run_on(first) || may_run_on(last))
		return 1;
	pace_go(&p, -1); /* a ring of no CPU is read from anywhere */
	pace_go(&p, CPU_SETSIZE);
	if (!may_run_on(first) || may_run_on(last))
		return 1;
	pace_looked(&p, now += 2000 * MS, 1);
	pace_looked(&p, now += 2000 * MS, 1);
	if (pace_hurries(&p) || !may_run_on(first) || !may_run_on(last))
		return 1;
	pace_looked(&p, now += 4 * MS, 128);
	pace_go(&p, last);
	pace_end(&p);
	return !may_run_on(first) || !may_run_on(last);
}

static void a_hurrying_reader_moves_to_the_cpu_of_the_ring(void **state)
{
	cpu_set_t ours;

	need_realtime();
	assert_int_equal(sched_getaffinity(0, sizeof(ours), &ours), 0);
	if (CPU_COUNT(&ours) == 1)
		skip();
	assert_int_equal(in_a_child(go_and_return), 0);
}

/* --affinity decides. */
static int stay(void)
{
	struct pace p;
	struct err e = { 0 };

	if (pace_start(&p, 0, false, &e) < 0)
		return 1;
	pace_looked(&p, p.looked_us + 4 * MS, 128);
	return pace_hurries(&p);
}

static void a_reader_with_an_affinity_stays_there(void **state) { assert_int_equal(in_a_child(stay), 0); }

static void a_patient_reader_waits_for_the_kernel(void **state)
{
	uint64_t now;
	struct pace p = started(&now);

	pace_be_patient(&p);
	assert_false(p.urgent);
	pace_looked(&p, now += 8 * MS, 128);
	pace_others_looked(&p, now += 8 * MS, 128);
	assert_int_equal(pace_timeout(&p, LIMIT), LIMIT);
	assert_false(p.urgent || pace_hurries(&p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ring_that_fills_slowly_waits_for_the_kernel),
		cmocka_unit_test(a_ring_that_fills_fast_is_looked_at_when_a_quarter_is_used),
		cmocka_unit_test(a_chosen_priority_stays_until_the_end),
		cmocka_unit_test(a_hurrying_reader_is_realtime_until_the_flood_ends),
		cmocka_unit_test(a_reader_that_needs_most_of_a_cpu_stays_ordinary),
		cmocka_unit_test(a_hurrying_reader_moves_to_the_cpu_of_the_ring),
		cmocka_unit_test(a_reader_with_an_affinity_stays_there),
		cmocka_unit_test(a_patient_reader_waits_for_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
