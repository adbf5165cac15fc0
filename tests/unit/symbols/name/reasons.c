/* Reasons: the rows of the table and what is made of them. */
#include "symbols/name/reasons.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

static void every_reason_has_its_row(void **state)
{
	for (enum reason r = REASON_NO_FILE; r < N_REASONS; r++) {
		if (!reasons[r].code || !reasons[r].text || !reasons[r].cure)
			fail_msg("reason %d has no row", r);
		assert_int_equal(strspn(reasons[r].code, "abcdefghijklmnopqrstuvwxyz-0123456789"),
				 strlen(reasons[r].code));
		assert_true(*reasons[r].text && *reasons[r].cure);
	}
}

static void a_class_is_the_first_of_its_code(void **state)
{
	for (enum reason r = REASON_NO_FILE; r < N_REASONS; r++) {
		enum reason class = reason_class(r);

		assert_true(class <= r);
		assert_string_equal(reasons[class].code, reasons[r].code);
		assert_int_equal(reason_class(class), class);
	}
}

static void the_first_part_of_a_cure_can_stand_alone(void **state)
{
	for (enum reason r = REASON_NO_FILE; r < N_REASONS; r++) {
		const char *cure = reasons[r].cure;
		size_t len = reason_cure_len(r);

		if (!strncmp(cure, "nothing", 7)) {
			assert_int_equal(len, 0);
			continue;
		}
		assert_true(len && len <= strlen(cure));
		assert_true(!cure[len] || !strncmp(cure + len, ", ", 2) || !strncmp(cure + len, " (", 2));
		assert_null(memmem(cure, len, ", ", 2));
		assert_null(memmem(cure, len, " (", 2));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_reason_has_its_row),
		cmocka_unit_test(a_class_is_the_first_of_its_code),
		cmocka_unit_test(the_first_part_of_a_cure_can_stand_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
