#include "base/sort/texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"

static int order(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Make texts of few letters: many share a beginning, some are very long, some are equal. */
static const char *made_up(struct arena *arena, unsigned *seed)
{
	static const char *const beginnings[] = {
		"", "a", "acpi_", "amdgpu_display_", "amdgpu_display_something_long_", "\xc3\xa9", "\x7f"
	};
	const char *end = "";

	for (unsigned n = (unsigned)rand_r(seed) % 12; n; n--)
		end = arena_printf(arena, "%s%c", end, "ab_\xff"[rand_r(seed) % 4]);
	return arena_printf(arena, "%s%s", beginnings[(unsigned)rand_r(seed) % ARRAY_SIZE(beginnings)], end);
}

static void as_strcmp_orders_them(void **state)
{
	enum { N = 20000 };
	autofree const char **texts = xcalloc(N, sizeof(*texts)), **expected = xcalloc(N, sizeof(*expected));
	struct arena arena = { 0 };
	unsigned seed = 7;

	for (size_t n = 0; n <= N; n = n < 3 ? n + 1 : n * 7 + 1) {
		for (size_t i = 0; i < n; i++)
			expected[i] = texts[i] = made_up(&arena, &seed);
		if (n)
			qsort(expected, n, sizeof(*expected), order);
		sort_texts(texts, n);
		for (size_t i = 0; i < n; i++)
			assert_string_equal(texts[i], expected[i]);
	}
	arena_release(&arena);
}

/* So similar that comparing by eight bytes takes very many steps. */
static void long_and_alike(void **state)
{
	enum { N = 300, LEN = 5000 };
	const char *texts[N];
	struct arena arena = { 0 };

	for (size_t i = 0; i < N; i++) {
		char *text = arena_alloc(&arena, LEN + 1);

		memset(text, 'x', LEN);
		text[LEN - 1] = (char)('a' + (i * 7) % 26);
		texts[i] = text;
	}
	sort_texts(texts, N);
	for (size_t i = 1; i < N; i++)
		assert_true(strcmp(texts[i - 1], texts[i]) <= 0);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_strcmp_orders_them),
		cmocka_unit_test(long_and_alike),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
