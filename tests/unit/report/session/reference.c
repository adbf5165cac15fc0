/* Samples without a stack borrow one from the same thread. */
#include "report/session/reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "format/format.h"

#define KERNEL ((uint64_t)-128) /* PERF_CONTEXT_KERNEL */
#define USER   ((uint64_t)-512) /* PERF_CONTEXT_USER */

static void keep(struct reference *r, uint32_t tid, const uint64_t *words, uint64_t n)
{
	struct chain_words c = { .words = (const uint8_t *)words, .n = n, .unwound = n };

	reference_keep(r, tid, &c);
}

/* The stack that thread `tid` borrows for an address. */
static void lends(struct reference *r, uint32_t tid, uint64_t ip, unsigned mode, const uint64_t *wanted, uint64_t n)
{
	struct chain_words c = { 0 };

	reference_borrow(r, tid, ip, mode, &c);
	assert_int_equal(c.n, n);
	assert_memory_equal(c.words, wanted, n * 8);
}

#define KEEP(tid, ...) keep(&r, tid, (const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)
#define LENDS(tid, ip, mode, ...) \
	lends(&r, tid, ip, mode, (const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)

static void the_address_stands_for_the_innermost_place(void **state)
{
	struct reference r = { 0 };

	KEEP(7, USER, 0x10, 0x20, 0x30);
	LENDS(7, 0x15, CPUMODE_USER, USER, 0x15, 0x20, 0x30);
	reference_release(&r);
}

static void kernel_code_has_all_of_a_user_stack_above(void **state)
{
	struct reference r = { 0 };

	KEEP(7, USER, 0x10, 0x20);
	LENDS(7, 0xffff, CPUMODE_KERNEL, KERNEL, 0xffff, USER, 0x10, 0x20);
	reference_release(&r);
}

static void user_code_leaves_the_kernel_s_frames_out(void **state)
{
	struct reference r = { 0 };

	KEEP(7, KERNEL, 0xf0, 0xf1, USER, 0x10, 0x20);
	LENDS(7, 0x11, CPUMODE_USER, USER, 0x11, 0x20);
	LENDS(7, 0xf5, CPUMODE_KERNEL, KERNEL, 0xf5, 0xf1, USER, 0x10, 0x20);
	reference_release(&r);
}

static void threads_have_their_own_and_the_last_counts(void **state)
{
	struct reference r = { 0 };

	KEEP(7, USER, 0x10, 0x20);
	KEEP(8, USER, 0x50, 0x60, 0x70);
	KEEP(7, USER, 0x10, 0x40);
	LENDS(7, 0x15, CPUMODE_USER, USER, 0x15, 0x40);
	LENDS(8, 0x55, CPUMODE_USER, USER, 0x55, 0x60, 0x70);
	reference_release(&r);
}

static void without_a_kept_stack_nothing_changes(void **state)
{
	static const uint64_t own[] = { 1, 2 };
	struct reference r = { 0 };
	struct chain_words c = { .words = (const uint8_t *)own, .n = 2 };

	KEEP(7, USER, 0x10, 0x20);
	reference_borrow(&r, 9, 0x15, CPUMODE_USER, &c);
	assert_ptr_equal(c.words, own);
	assert_int_equal(c.n, 2);
	reference_clear(&r);
	reference_borrow(&r, 7, 0x15, CPUMODE_USER, &c);
	assert_ptr_equal(c.words, own);
	reference_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_address_stands_for_the_innermost_place),
		cmocka_unit_test(kernel_code_has_all_of_a_user_stack_above),
		cmocka_unit_test(user_code_leaves_the_kernel_s_frames_out),
		cmocka_unit_test(threads_have_their_own_and_the_last_counts),
		cmocka_unit_test(without_a_kept_stack_nothing_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
