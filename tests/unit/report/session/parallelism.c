#include "report/session/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/build.h"
#include "tests/lib/walked.h"

/* A switch of thread `tid` at `time`, both in its trailer. */
static void build_switch(struct build *b, uint32_t tid, uint64_t time, bool out)
{
	const struct {
		uint32_t pid, tid;
		uint64_t time;
	} trailer = { 7, tid, time };
	uint8_t body[16];

	memcpy(body, &trailer, sizeof(body));
	build_record(b, RECORD_SWITCH, out ? MISC_SWITCH_OUT : 0, body, sizeof(body), "448");
}

static void threads_run_from_switch_to_switch(void **state)
{
	struct build b = build_start(SAMPLE_TID | SAMPLE_TIME);
	size_t hint = 0;
	struct session *s;

	build_attr(&b, 0)->flags |= ATTR_CONTEXT_SWITCH;
	build_comm(&b, .pid = 7, .tid = 7, .time = 10, .comm = "prog", .exec = true);
	build_switch(&b, 8, 20, false);
	build_switch(&b, 9, 30, false);
	build_switch(&b, 9, 30, false); /* recorded twice */
	build_switch(&b, 0, 31, false); /* the idle task */
	build_switch(&b, 8, 40, true);
	build_exit(&b, .pid = 7, .tid = 9, .time = 50);
	build_switch(&b, 7, 60, true);
	build_switch(&b, 5, 70, true); /* it never started running */
	s = walked(&b, &(struct session_opts){ .parallelism = true });
	static const struct {
		uint64_t time;
		uint32_t n;
	} wanted[] = {
		{ 5, 1 },  { 10, 1 }, { 20, 2 }, { 29, 2 }, { 30, 3 }, { 39, 3 },
		{ 40, 2 }, { 50, 1 }, { 65, 1 }, { 75, 1 }, { 30, 3 }, { 5, 1 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		assert_int_equal(parallelism_at(&s->parallelism, wanted[i].time, &hint), wanted[i].n);
	session_close(s);
	build_release(&b);
}

/* Events of the same time happened in the order of the file, whatever the number of the thread. */
static void events_of_one_time_keep_their_order(void **state)
{
	struct build b = build_start(SAMPLE_TID | SAMPLE_TIME);
	size_t hint = 0;
	struct session *s;

	build_attr(&b, 0)->flags |= ATTR_CONTEXT_SWITCH;
	build_switch(&b, 7, 10, false);
	build_switch(&b, 8, 10, false);
	build_switch(&b, 9, 20, false);
	build_switch(&b, 9, 20, true); /* it ran for less than the clock shows */
	build_switch(&b, 8, 30, true);
	build_switch(&b, 8, 30, false);
	s = walked(&b, &(struct session_opts){ .parallelism = true });
	assert_int_equal(parallelism_at(&s->parallelism, 15, &hint), 2);
	assert_int_equal(parallelism_at(&s->parallelism, 25, &hint), 2);
	assert_int_equal(parallelism_at(&s->parallelism, 35, &hint), 2);
	session_close(s);
	build_release(&b);
}

static void without_switch_records_nothing_is_known(void **state)
{
	struct build b = build_start(SAMPLE_TID | SAMPLE_TIME);
	struct session *s;
	size_t hint = 0;

	build_comm(&b, .pid = 7, .tid = 7, .time = 10, .comm = "prog", .exec = true);
	build_comm(&b, .pid = 8, .tid = 8, .time = 11, .comm = "prog", .exec = true);
	s = walked(&b, &(struct session_opts){ .parallelism = true });
	assert_false(parallelism_known(s->pd));
	assert_int_equal(parallelism_at(&s->parallelism, 12, &hint), 1);
	session_close(s);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_run_from_switch_to_switch),
		cmocka_unit_test(events_of_one_time_keep_their_order),
		cmocka_unit_test(without_switch_records_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
