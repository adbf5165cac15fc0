#ifndef TESTS_LIB_FORMS_H
#define TESTS_LIB_FORMS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/build.h"

/*
 * A test in each form: *state points at the enum build_form. In a group write FORMS(test), ...
 * instead of cmocka_unit_test(test).
 */
#define FORMS(test) \
	{ #test " (file)", test, NULL, NULL, &(enum build_form){ BUILD_FILE } }, \
		{ #test " (file, swapped)", test, NULL, NULL, &(enum build_form){ BUILD_FILE_SWAPPED } }, \
		{ #test " (pipe)", test, NULL, NULL, &(enum build_form){ BUILD_PIPE } }, \
	{ \
#test " (pipe, swapped)", test, NULL, NULL, &(enum build_form) { BUILD_PIPE_SWAPPED } \
	}
#define FORM (*(enum build_form *)*state)

/* Return the first record of `type`; fail when there is none. The caller releases `c`. */
static inline struct record first_record(const struct perfdata *pd, struct chunk *c, uint32_t type)
{
	struct err e = { 0 };
	struct record r;

	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), NULL, c);
	while (chunk_next(c, &r, &e) > 0)
		if (r.type == type)
			return r;
	fail_msg("no record of type %u: %s", type, e.what);
	return r;
}

#endif
