#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "symbols/file/notes_priv.h"

static void the_build_id_is_found_behind_other_notes(void **state)
{
	static const uint8_t notes[] = {
		4,
		0,
		0,
		0,
		5,
		0,
		0,
		0,
		9,
		0,
		0,
		0,
		'A',
		'B',
		'C',
		0,
		1,
		2,
		3,
		4,
		5,
		0,
		/* without its padding */
		0,
		0,
		4,
		0,
		0,
		0,
		3,
		0,
		0,
		0,
		3,
		0,
		0,
		0,
		'G',
		'N',
		'U',
		0,
		0xaa,
		0xbb,
		0xcc,
	};
	struct build_id id = { 0 };

	assert_true(notes_build_id(notes, sizeof(notes), 4, false, &id));
	assert_int_equal(id.size, 3);
	assert_int_equal(id.bytes[2], 0xcc);
	for (size_t len = 0; len < sizeof(notes); len++)
		assert_false(notes_build_id(notes, len, 4, false, &id));
}

static void other_byte_order_and_wide_padding(void **state)
{
	static const uint8_t notes[] = {
		0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 9, 'A', 0,   0,   0, 7,    0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 3, 'G', 'N', 'U', 0, 0xaa, 0, 0, 0, 0, 0, 0, 0,
	};
	struct build_id id = { 0 };

	assert_true(notes_build_id(notes, sizeof(notes), 8, true, &id));
	assert_int_equal(id.size, 1);
	assert_int_equal(id.bytes[0], 0xaa);
}

static void huge_sizes_end_the_search(void **state)
{
	uint8_t notes[64] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 3 };
	struct build_id id = { 0 };

	assert_false(notes_build_id(notes, sizeof(notes), 4, false, &id));
	notes[0] = 4;
	notes[1] = notes[2] = notes[3] = 0;
	memcpy(notes + 12, "GNU", 4);
	assert_false(notes_build_id(notes, sizeof(notes), 4, false, &id));
	/* Ids longer than 20 bytes are cut. */
	notes[4] = 40;
	notes[5] = notes[6] = notes[7] = 0;
	assert_true(notes_build_id(notes, sizeof(notes), 4, false, &id));
	assert_int_equal(id.size, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_build_id_is_found_behind_other_notes),
		cmocka_unit_test(other_byte_order_and_wide_padding),
		cmocka_unit_test(huge_sizes_end_the_search),
	};

	return cmocka_run_group_tests_name("notes", tests, NULL, NULL);
}
