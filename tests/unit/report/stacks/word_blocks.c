/* Numbers that do not move. */
#include "report/stacks/word_blocks_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { ARRAYS = 20000, LARGE = 1 << 20 };

static void arrays_stay_where_they_are(void **state)
{
	struct word_blocks w = { 0 };
	uint32_t **arrays = xcalloc(ARRAYS, sizeof(*arrays));

	for (uint32_t i = 0; i < ARRAYS; i++) {
		arrays[i] = word_blocks_add(&w, 1 + i % 50);
		for (uint32_t k = 0; k <= i % 50; k++)
			arrays[i][k] = i + k;
	}
	for (uint32_t i = 0; i < ARRAYS; i++)
		for (uint32_t k = 0; k <= i % 50; k++)
			assert_int_equal(arrays[i][k], i + k);
	assert_in_range(w.blocks.len, 2, 20);
	word_blocks_release(&w);
	assert_memory_equal(&w, &(struct word_blocks){ 0 }, sizeof(w));
	free(arrays);
}

static void an_array_larger_than_blocks_has_its_own(void **state)
{
	struct word_blocks w = { 0 };
	uint32_t *small = word_blocks_add(&w, 3), *large = word_blocks_add(&w, LARGE);

	small[0] = small[2] = 1;
	memset(large, 2, LARGE * sizeof(*large));
	assert_int_equal(small[0] + small[2], 2);
	assert_int_equal(word_blocks_add(&w, 1) != NULL, true);
	word_blocks_release(&w);
}

/* Each block is twice as large as the one before, up to 2 MB, which are a huge page. */
static void blocks_grow_up_to_a_huge_page(void **state)
{
	enum { NUMBERS = 1000, HUGE_PAGE = (2 << 20) / sizeof(uint32_t) };
	struct word_blocks w = { 0 };
	size_t last = 0;

	for (int i = 0; i < 3 * HUGE_PAGE / NUMBERS; i++) {
		word_blocks_add(&w, NUMBERS);
		assert_true(w.size == last || w.size == MAX(MIN(2 * last, (size_t)HUGE_PAGE), (size_t)1024));
		last = w.size;
	}
	assert_int_equal(last, HUGE_PAGE);
	word_blocks_add(&w, HUGE_PAGE + 1);
	assert_int_equal(w.size, HUGE_PAGE + 1);
	word_blocks_add(&w, 1);
	assert_int_equal(w.size, HUGE_PAGE);
	word_blocks_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_stay_where_they_are),
		cmocka_unit_test(an_array_larger_than_blocks_has_its_own),
		cmocka_unit_test(blocks_grow_up_to_a_huge_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
