/* From names of variables to what the kernel fetches: parameters of this program's functions. */
#include "tests/unit/probe/self.h"

struct node {
	int key;
	struct node *next;
};
static int counter_of_calls;

long takes(int number, const char *text, struct node *node, unsigned char small);
__attribute__((noinline)) long takes(int number, const char *text, struct node *node, unsigned char small)
{
	counter_of_calls += small;
	__asm__ volatile("" ::: "memory");
	return number + *text + node->next->key;
}

static void expect(const char *text, const char *const *names, const char *const *fetches, size_t n)
{
	struct prober *p = self_open();
	struct probe_events events;
	struct err e = { 0 };

	if (self_find(p, text, &events, &e) < 0)
		fail_msg("%s: %s", text, e.what);
	assert_int_equal(events.v.len, 1);
	assert_int_equal(events.v.items[0].trace.args.len, n);
	assert_int_equal(events.v.items[0].trace.offset, self_place((void *)takes).offset);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(events.v.items[0].trace.args.items[i].name, names[i]);
		assert_string_equal(events.v.items[0].trace.args.items[i].fetch, fetches[i]);
	}
	probe_events_release(&events);
	prober_close(p);
}
#define EXPECT(text, names, fetches) expect(text, names, fetches, ARRAY_SIZE(names))

static void parameters_are_in_the_registers_of_the_call(void **state)
{
	const char *const names[] = { "number", "text", "t", "small" };
	const char *const fetches[] = { "%di:s32", "%si:x64", "+0(%si):string", "%cx:x8" };

	EXPECT("takes number text t=text:string small", names, fetches);
}

static void members_are_reached_through_pointers(void **state)
{
	const char *const names[] = { "key", "k" };
	const char *const fetches[] = { "+0(+8(%dx)):s32", "+0(%dx):x32" };

	EXPECT("takes node->next->key k=node->key:x32", names, fetches);
}

static void groups_of_variables_are_expanded(void **state)
{
	const char *const names[] = { "number", "text", "node", "small" };
	const char *const fetches[] = { "%di:s32", "%si:x64", "%dx:x64", "%cx:x8" };

	EXPECT("takes $params", names, fetches);
}

static void the_kernels_own_syntax_is_kept(void **state)
{
	const char *const names[] = { "", "r" };
	const char *const fetches[] = { "%ax", "+4(%sp):u32" };

	EXPECT("takes %ax r=+4(%sp):u32", names, fetches);
}

static void unknown_arguments_are_refused(void **state)
{
	static const char *const texts[] = { "takes nothing", "takes node->nothing", "takes number->key" };
	struct prober *p = self_open();

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct probe_events events;
		struct err e = { 0 };

		assert_int_equal(self_find(p, texts[i], &events, &e), -1);
		assert_true(e.what[0]);
		assert_int_equal(events.v.len, 0);
		probe_events_release(&events);
	}
	prober_close(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_are_in_the_registers_of_the_call),
		cmocka_unit_test(members_are_reached_through_pointers),
		cmocka_unit_test(groups_of_variables_are_expanded),
		cmocka_unit_test(the_kernels_own_syntax_is_kept),
		cmocka_unit_test(unknown_arguments_are_refused),
	};
	struct node node = { .next = &node };

#ifndef __x86_64__
	return puts("skipped: the expected registers are those of x86-64"), 77;
#endif
	if (takes(1, "x", &node, 1) < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
