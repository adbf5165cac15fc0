#include "report/script/chain_texts_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void check(struct chain_texts *c, uint64_t hash, const char *want, size_t len)
{
	const struct chain_text *t = chain_texts_find(c, hash);
	struct out o;

	assert_non_null(t);
	out_init_mem(&o);
	out_str(&o, "before ");
	chain_text_copy(t, &o);
	assert_int_equal(o.len, 7 + len);
	assert_memory_equal(o.buf + 7, want, len);
	out_release(&o);
}

static void texts_are_found_by_hash(void **state)
{
	char text[CHAIN_TEXT_MOST];
	struct chain_texts c = { 0 };

	memset(text, 'x', sizeof(text));
	assert_null(chain_texts_find(&c, 5));
	chain_texts_fetch_slot(&c, 5);
	chain_texts_fetch(&c, 5);
	chain_texts_add(&c, 5, "one\n", 4);
	chain_texts_add(&c, 5 + CHAIN_TEXT_SLOTS, text, sizeof(text)); /* the same slot */
	chain_texts_add(&c, 6, text, CHAIN_TEXT_BLOCK + 1);
	chain_texts_add(&c, 7, "", 0);
	check(&c, 5, "one\n", 4);
	check(&c, 5 + CHAIN_TEXT_SLOTS, text, sizeof(text));
	check(&c, 6, text, CHAIN_TEXT_BLOCK + 1);
	check(&c, 7, "", 0);
	assert_null(chain_texts_find(&c, 8));
	chain_texts_release(&c);
}

static void long_texts_are_not_kept(void **state)
{
	char text[CHAIN_TEXT_MOST + 1] = { 0 };
	struct chain_texts c = { 0 };

	chain_texts_add(&c, 1, text, sizeof(text));
	assert_null(chain_texts_find(&c, 1));
	chain_texts_release(&c);
}

/* Whatever comes, memory has a limit, and what is found is right. */
static void a_full_table_begins_anew(void **state)
{
	struct chain_texts c = { 0 };
	char text[CHAIN_TEXT_MOST] = { 0 };

	for (uint64_t i = 1; i <= 3 * CHAIN_TEXT_SLOTS; i++) {
		size_t len =
			i < CHAIN_TEXT_SLOTS ? sizeof(i) : sizeof(text); /* first the slots are full, then the room */

		memcpy(text, &i, sizeof(i));
		chain_texts_add(&c, hash_u64(i), text, len);
		check(&c, hash_u64(i), text, len);
		assert_true(c.len <= CHAIN_TEXT_SLOTS / 2 && c.used * CHAIN_TEXT_UNIT <= CHAIN_TEXT_BYTES);
	}
	assert_null(chain_texts_find(&c, hash_u64(1)));
	chain_texts_release(&c);
}

/* Half of the slots may be used. Each text must be found twice, or the next ones are not worth their room. */
static void texts_that_nobody_finds_are_useless(void **state)
{
	enum { MOST = CHAIN_TEXT_SLOTS / 2 };
	struct chain_texts c = { 0 };
	uint64_t hash = 1;

	for (int round = 0; round < 3; round++) {
		while (c.len < MOST)
			chain_texts_add(&c, hash_u64(hash++), "x", 1);
		for (int i = 0; i < 2 * MOST - (round == 1); i++)
			assert_non_null(chain_texts_find(&c, hash_u64(hash - 1)));
		assert_null(chain_texts_find(&c, 7)); /* does not count */
		chain_texts_add(&c, hash_u64(hash++), "x", 1);
		assert_int_equal(c.len, 1);
		assert_int_equal(c.useless, round == 1);
	}
	chain_texts_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_found_by_hash),
		cmocka_unit_test(long_texts_are_not_kept),
		cmocka_unit_test(a_full_table_begins_anew),
		cmocka_unit_test(texts_that_nobody_finds_are_useless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
