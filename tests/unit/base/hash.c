#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void hash_depends_on_every_byte_the_length_and_the_seed(void **state)
{
	uint8_t buf[200] = { 0 };

	for (size_t len = 0; len < sizeof(buf); len++) {
		uint64_t h = hash_bytes(buf, len, 0);

		assert_int_equal(h, hash_bytes(buf, len, 0));
		assert_true(h != hash_bytes(buf, len, 1));
		assert_true(h != hash_bytes(buf, len + 1, 0));
		for (size_t i = 0; i < len; i++) {
			buf[i] ^= 0x40;
			assert_true(h != hash_bytes(buf, len, 0));
			buf[i] ^= 0x40;
		}
	}
}

/* The tables use the low bits: consecutive numbers must not share them. */
static void hash_spreads_over_the_low_bits(void **state)
{
	unsigned count[64] = { 0 };

	for (uint64_t i = 0; i < 64000; i++) {
		uint64_t chain[4] = { 0xffffffff81000000 + i * 16, 0x400000, i, 7 };

		count[hash_bytes(chain, sizeof(chain), 0) & 63]++;
	}
	for (size_t i = 0; i < 64; i++)
		assert_in_range(count[i], 850, 1150);
}

/* Many callers search for a pair by its hash alone. */
static void pairs_of_numbers_that_lie_close_together_have_hashes_of_their_own(void **state)
{
	const uint64_t as[] = { 0, 0xffffffff81000000, 0x7f0000000000, (uint64_t)77 << 32 },
		       bs[] = { 0, 0x1000, 0x55d0c0de0000, (uint64_t)78 << 32 | 77 };

	for (size_t i = 0; i < sizeof(as) / sizeof(*as); i++) {
		for (size_t k = 0; k < sizeof(bs) / sizeof(*bs); k++) {
			struct u64map m = { 0 };
			bool is_new;

			for (uint64_t a = 0; a < 64; a++) {
				for (uint64_t b = 0; b < 4096; b++) {
					u64map_put(&m, hash_mix(as[i] + a, bs[k] + b), &is_new);
					if (!is_new)
						fail_msg("%#llx, %#llx", (unsigned long long)(as[i] + a),
							 (unsigned long long)(bs[k] + b));
				}
			}
			u64map_free(&m);
		}
	}
}

static void u64map_holds_any_key(void **state)
{
	struct u64map m = { 0 };
	bool is_new;

	assert_null(u64map_find(&m, 0));
	for (uint64_t i = 0; i < 10000; i++) {
		uint32_t *v = u64map_put(&m, i * 0x100000000u, &is_new);

		assert_true(is_new);
		assert_int_equal(*v, 0);
		*v = (uint32_t)i + 1;
	}
	assert_int_equal(*u64map_put(&m, 0, &is_new), 1);
	assert_false(is_new);
	*u64map_put(&m, UINT64_MAX, NULL) = 77;
	assert_int_equal(m.len, 10001);
	assert_true(m.len * 10 <= m.cap * 7);
	for (uint64_t i = 0; i < 10000; i++)
		assert_int_equal(*u64map_find(&m, i * 0x100000000u), i + 1);
	assert_int_equal(*u64map_find(&m, UINT64_MAX), 77);
	assert_null(u64map_find(&m, 5));
	u64map_free(&m);
	assert_null(u64map_find(&m, 0));
}

static void idtable_tells_equal_hashes_apart(void **state)
{
	struct idtable t = { 0 };
	struct idtable_probe p = idtable_probe(&t, 9);
	uint64_t seen = 0;
	uint32_t id;

	assert_int_equal(idtable_next(&t, &p), 0);
	for (id = 1; id <= 1000; id++)
		idtable_add(&t, hash_u64(id), id);
	for (id = 1001; id <= 1040; id++)
		idtable_add(&t, 9, id);
	for (uint32_t i = 1; i <= 1000; i++) {
		p = idtable_probe(&t, hash_u64(i));
		assert_int_equal(idtable_next(&t, &p), i);
		assert_int_equal(idtable_next(&t, &p), 0);
	}
	p = idtable_probe(&t, 9);
	while ((id = idtable_next(&t, &p)))
		seen |= UINT64_C(1) << (id - 1001);
	assert_int_equal(seen, (UINT64_C(1) << 40) - 1);
	idtable_free(&t);
}

static void strings_are_stored_once(void **state)
{
	struct strtab t = { 0 };
	uint32_t ids[3000];
	const char *first;
	char name[16];

	assert_string_equal(strtab_get(&t, 0), "");
	assert_int_equal(strtab_find(&t, "x"), 0);
	assert_int_equal(strtab_intern(&t, ""), 0);
	assert_int_equal(strtab_intern_len(&t, NULL, 0), 0);
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "name%d", i);
		ids[i] = strtab_intern(&t, name);
		assert_true(ids[i] > 0);
	}
	first = strtab_get(&t, ids[0]);
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "name%d", i);
		assert_int_equal(strtab_intern(&t, name), ids[i]);
		assert_int_equal(strtab_find(&t, name), ids[i]);
		assert_string_equal(strtab_get(&t, ids[i]), name);
	}
	assert_ptr_equal(first, strtab_get(&t, ids[0]));
	assert_int_equal(t.texts.len, 3001);
	strtab_free(&t);
	assert_string_equal(strtab_get(&t, ids[5]), "");
}

static void strings_end_at_nul_or_length(void **state)
{
	struct strtab t = { 0 };
	uint32_t ab = strtab_intern_len(&t, "ab\0cd", 5);

	assert_string_equal(strtab_get(&t, ab), "ab");
	assert_int_equal(strtab_intern_len(&t, "abcd", 2), ab);
	assert_true(strtab_intern(&t, "abc") != ab);
	assert_int_equal(strtab_find(&t, "a"), 0);
	assert_int_equal(strtab_intern_len(&t, "\0x", 2), 0);
	strtab_free(&t);
}

static void swept_strings_give_their_ids_to_others(void **state)
{
	struct strtab t = { 0 };
	uint32_t a = strtab_intern(&t, "a"), b = strtab_intern(&t, "b");
	bool keep[3] = { false };

	keep[b] = true;
	strtab_sweep(&t, keep);
	assert_int_equal(strtab_find(&t, "a"), 0);
	assert_string_equal(strtab_get(&t, a), "");
	assert_int_equal(strtab_find(&t, "b"), b);
	assert_string_equal(strtab_get(&t, b), "b");
	assert_int_equal(strtab_intern(&t, "c"), a);
	strtab_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hash_depends_on_every_byte_the_length_and_the_seed),
		cmocka_unit_test(hash_spreads_over_the_low_bits),
		cmocka_unit_test(pairs_of_numbers_that_lie_close_together_have_hashes_of_their_own),
		cmocka_unit_test(u64map_holds_any_key),
		cmocka_unit_test(idtable_tells_equal_hashes_apart),
		cmocka_unit_test(strings_are_stored_once),
		cmocka_unit_test(strings_end_at_nul_or_length),
		cmocka_unit_test(swept_strings_give_their_ids_to_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
