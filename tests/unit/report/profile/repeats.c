#include "report/profile/repeats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void entries_are_found_until_they_are_forgotten(void **state)
{
	enum { N = 60000 };
	struct repeats r;
	size_t found = 0;

	repeats_init(&r);
	for (uint32_t i = 1; i <= N; i++) {
		uint64_t hash = hash_u64(i) | 1;

		assert_null(repeats_find(&r, hash));
		repeats_keep(&r, (struct repeat){ .hash = hash, .thread = i * 2, .to = i });
		assert_int_equal(repeats_find(&r, hash)->to, i);
	}
	for (uint32_t i = 1; i <= N; i++) {
		const struct repeat *p = repeats_find(&r, hash_u64(i) | 1);

		if (!p)
			continue;
		assert_int_equal(p->to, i);
		assert_int_equal(p->thread, i * 2);
		found++;
	}
	assert_in_range(found, N / 2, N); /* the table grew and kept its contents */
	repeats_release(&r);
}

static void a_newer_entry_replaces_the_older_one(void **state)
{
	struct repeats r;
	uint64_t hash = hash_u64(3) | 1;

	repeats_init(&r);
	repeats_keep(&r, (struct repeat){ .hash = hash, .to = 1 });
	repeats_keep(&r, (struct repeat){ .hash = hash, .to = 2 });
	assert_int_equal(repeats_find(&r, hash)->to, 2);
	assert_int_equal(repeats_line(&r, hash)[1].to, 0);
	repeats_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_found_until_they_are_forgotten),
		cmocka_unit_test(a_newer_entry_replaces_the_older_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
