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
	assert_int_equal(w.blocks.len, 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_stay_where_they_are),
		cmocka_unit_test(an_array_larger_than_blocks_has_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
