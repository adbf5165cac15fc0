#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/ftrace/calls.h"

/* Entries of the graph tracer: address, depth, times. */
struct entry {
	uint64_t ip, from, to;
	uint32_t depth;
};
#define FIELD(member) \
	{ \
		offsetof(struct entry, member), sizeof(((struct entry *)0)->member), false \
	}
#define FORMAT(what) \
	{ \
		.kind = what, .ip = FIELD(ip), .depth = FIELD(depth), .calltime = FIELD(from), .rettime = FIELD(to) \
	}
static const struct ftrace_format entry_format = FORMAT(FTRACE_ENTRY), exit_format = FORMAT(FTRACE_EXIT);

struct tracer {
	struct ftrace_meta m;
	struct ftrace_calls *c;
	struct ftrace_call call; /* the last that ended */
};

static bool add(struct tracer *t, int32_t pid, int cpu, const struct ftrace_format *format, const struct entry *e)
{
	struct ftrace_event ev = {
		.pid = pid, .cpu = cpu, .format = format, .data = (const uint8_t *)e, .size = sizeof(*e)
	};

	return ftrace_calls_add(t->c, &ev, &t->call);
}

static void enters(struct tracer *t, int32_t pid, uint64_t ip, uint32_t depth)
{
	assert_false(add(t, pid, 0, &entry_format, &(struct entry){ .ip = ip, .depth = depth }));
}

static void returns(struct tracer *t, int32_t pid, uint64_t ip, uint32_t depth, uint64_t ns)
{
	assert_true(add(t, pid, 0, &exit_format, &(struct entry){ ip, 1000, 1000 + ns, depth }));
}

static void own_time_is_without_the_calls_below(void **state)
{
	struct tracer t = { .c = NULL };

	t.c = ftrace_calls_new(&t.m);
	enters(&t, 7, 0xa, 0);
	enters(&t, 7, 0xb, 1);
	enters(&t, 8, 0xc, 1); /* of another task */
	enters(&t, 7, 0xd, 2);
	returns(&t, 7, 0xd, 2, 30);
	assert_int_equal(t.call.self_ns, 30);
	returns(&t, 8, 0xc, 1, 1000);
	returns(&t, 7, 0xb, 1, 100);
	assert_int_equal(t.call.total_ns, 100);
	assert_int_equal(t.call.self_ns, 70);
	enters(&t, 7, 0xb, 1);
	returns(&t, 7, 0xb, 1, 50);
	assert_int_equal(t.call.self_ns, 50);
	returns(&t, 7, 0xa, 0, 200);
	assert_int_equal(t.call.self_ns, 50);
	assert_int_equal(t.call.depth, 1);
	assert_int_equal(t.call.path[0], 0xa);
	ftrace_calls_free(t.c);
}

static void each_cpu_has_its_idle_task(void **state)
{
	struct tracer t = { .c = NULL };

	t.c = ftrace_calls_new(&t.m);
	assert_true(add(&t, 0, 0, &exit_format, &(struct entry){ 0xb, 0, 10, 1 }));
	assert_true(add(&t, 0, 1, &exit_format, &(struct entry){ 0xa, 0, 100, 0 }));
	assert_int_equal(t.call.self_ns, 100);
	assert_true(add(&t, 0, 0, &exit_format, &(struct entry){ 0xa, 0, 100, 0 }));
	assert_int_equal(t.call.self_ns, 90);
	ftrace_calls_free(t.c);
}

static void lost_entries_forget_the_stack(void **state)
{
	struct tracer t = { .c = NULL };
	const struct entry e = { 0xb, 0, 10, 1 }, outer = { 0xa, 0, 100, 0 };
	struct ftrace_event ev = { .pid = 7, .format = &exit_format, .size = sizeof(e), .lost = true };

	t.c = ftrace_calls_new(&t.m);
	enters(&t, 7, 0xa, 0);
	returns(&t, 7, 0xc, 1, 60);
	ev.data = (const uint8_t *)&e;
	assert_true(ftrace_calls_add(t.c, &ev, &t.call));
	assert_int_equal(t.call.path[0], 0); /* the caller is unknown now */
	assert_true(add(&t, 7, 0, &exit_format, &outer));
	assert_int_equal(t.call.self_ns, 90);
	ftrace_calls_free(t.c);
}

/* The depth is foreign: one that is too great must not be used. */
static void too_deep_calls_are_left_out(void **state)
{
	struct tracer t = { .c = NULL };

	t.c = ftrace_calls_new(&t.m);
	assert_false(add(&t, 7, 0, &exit_format, &(struct entry){ .depth = CALL_DEPTH_MAX }));
	assert_false(add(&t, 7, 0, &exit_format, &(struct entry){ .depth = UINT32_MAX }));
	returns(&t, 7, 0xa, CALL_DEPTH_MAX - 1, 5);
	assert_int_equal(t.call.depth, CALL_DEPTH_MAX);
	assert_false(add(&t, 7, 0, NULL, &(struct entry){ 0 }));
	ftrace_calls_free(t.c);
}

/* More time below than in the call itself, which clocks of several CPUs can show, is no huge own time. */
static void own_time_is_never_below_zero(void **state)
{
	struct tracer t = { .c = NULL };

	t.c = ftrace_calls_new(&t.m);
	enters(&t, 7, 0xa, 0);
	returns(&t, 7, 0xb, 1, 100);
	returns(&t, 7, 0xa, 0, 90);
	assert_int_equal(t.call.self_ns, 0);
	ftrace_calls_free(t.c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_time_is_without_the_calls_below), cmocka_unit_test(each_cpu_has_its_idle_task),
		cmocka_unit_test(lost_entries_forget_the_stack),       cmocka_unit_test(too_deep_calls_are_left_out),
		cmocka_unit_test(own_time_is_never_below_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
