#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"
#include "record/unwind/known_stacks_priv.h"

static void add(struct known_stacks *s, int32_t tid, const char *frames, uint8_t end)
{
	uint64_t ips[16], sps[16];
	size_t n = strlen(frames);

	for (size_t i = 0; i < n; i++) {
		ips[i] = (uint8_t)frames[i];
		sps[i] = 0x1000 - (n - i) * 16;
	}
	known_stacks_add(s, known_stacks_thread(s, tid), ips, sps, n, end);
}

/* The callers of a frame that has `depth` frames outside it, as text; "?" if it is not known. */
static void expect(const struct known_stacks *s, int32_t tid, char frame, unsigned depth, const char *callers,
		   uint8_t end)
{
	uint32_t at = known_stacks_find(s, known_stacks_thread(s, tid), (uint8_t)frame, 0x1000 - (depth + 1) * 16);
	const struct known_frame *f = known_stacks_frame(s, at);

	if (!strcmp(callers, "?")) {
		assert_int_equal(at, 0);
		return;
	}
	assert_int_not_equal(at, 0);
	for (; *callers; callers++) {
		assert_int_not_equal(f->caller, 0);
		f = known_stacks_frame(s, f->caller);
		assert_int_equal(f->ip, (uint8_t)*callers);
	}
	assert_int_equal(f->caller, 0);
	assert_int_equal(f->end, end);
}

static void callers_are_those_of_the_latest_stack(void **state)
{
	struct known_stacks *s = known_stacks_new();

	add(s, 1, "xcbas", 1);
	expect(s, 1, 'c', 3, "bas", 1);
	expect(s, 1, 'x', 4, "?", 0); /* it was interrupted there */
	add(s, 1, "xcdas", 1);
	expect(s, 1, 'c', 3, "das", 1);
	expect(s, 1, 'b', 2, "as", 1);
	add(s, 1, "xcbas", 1);
	expect(s, 1, 'c', 3, "bas", 1);
	add(s, 1, "ycbat", 2); /* the start is another */
	expect(s, 1, 'c', 3, "bat", 2);
	expect(s, 1, 'd', 2, "as", 1);
	add(s, 1, "xcbas", 2); /* the same frames end otherwise */
	expect(s, 1, 'c', 3, "bas", 2);
	known_stacks_free(s);
}

static void threads_have_their_own(void **state)
{
	struct known_stacks *s = known_stacks_new();

	add(s, 1, "xbas", 1);
	expect(s, 2, 'b', 2, "?", 0);
	add(s, 2, "xbos", 1);
	expect(s, 1, 'b', 2, "as", 1);
	expect(s, 2, 'b', 2, "os", 1);
	known_stacks_forget(s, 1);
	expect(s, 1, 'b', 2, "?", 0);
	expect(s, 2, 'b', 2, "os", 1);
	add(s, 1, "xbus", 1);
	expect(s, 1, 'b', 2, "us", 1);
	known_stacks_free(s);
}

static void memory_is_bounded(void **state)
{
	struct known_stacks *s = known_stacks_new();
	uint64_t ips[2] = { 0 }, sps[2] = { 0, 16 };

	for (uint64_t i = 1; i < 200000; i++) {
		ips[1] = i;
		known_stacks_add(s, 1, ips, sps, 2, 1);
		assert_true(known_stacks_find(s, 1, i, 16) <= 1 << 16);
	}
	assert_int_equal(known_stacks_find(s, 1, 1, 16), 0);
	assert_int_not_equal(known_stacks_find(s, 1, 199999, 16), 0);
	known_stacks_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_are_those_of_the_latest_stack),
		cmocka_unit_test(threads_have_their_own),
		cmocka_unit_test(memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
