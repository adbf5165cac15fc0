#include "base/phases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/parallel.h"

enum { PIECE_MS = 4 };

/* Spend CPU time of this thread. */
static void spend(unsigned ms)
{
	uint64_t end = phases_thread_ns() + ms * (uint64_t)1000000;

	while (phases_thread_ns() < end)
		;
}

static void piece(void *ctx, size_t item, unsigned worker) { spend(PIECE_MS); }

static void nested(void *ctx, size_t item, unsigned worker) { parallel_for(2, 2, piece, NULL); }

static void write_text(void *ctx, size_t item, unsigned worker, struct out *o) { out_str(o, "text\n"); }

/* The row of a phase in what was printed: wall, serial, parallel, longest. */
static void row_of(const char *text, const char *name, double *to)
{
	autofree char *begin = xasprintf("\n%s ", name);
	const char *at = strstr(text, begin);
	char *end;

	assert_non_null(at);
	end = (char *)at + strlen(begin);
	for (int i = 0; i < 4; i++)
		to[i] = strtod(end, &end);
}

static void times_are_serial_or_parallel(void **state)
{
	struct out o, text;
	double t[4];

	assert_false(phases_on());
	assert_string_equal(phase("nobody counts"), "nobody counts");
	phases_start();
	assert_string_equal(phase("alone"), "start");
	spend(3 * PIECE_MS);
	assert_string_equal(phase("together"), "alone");
	parallel_for(5, 2, piece, NULL);
	phase("shares");
	parallel_for(2, 2, piece, NULL);
	phase("nested");
	parallel_for(2, 2, nested, NULL);
	phase("alone"); /* continues */
	spend(2 * PIECE_MS);
	phase("written");
	out_init_mem(&text);
	parallel_text(50, 2, write_text, NULL, NULL, &text);
	out_release(&text);
	out_init_mem(&o);
	phases_print(&o);

	row_of(out_text(&o), "alone", t);
	assert_true(t[1] >= 5 * PIECE_MS && t[2] == 0);
	row_of(out_text(&o), "together", t);
	assert_true(t[2] >= 5 * PIECE_MS && t[3] >= PIECE_MS && t[1] < PIECE_MS);
	row_of(out_text(&o), "shares", t);
	assert_true(t[2] >= 2 * PIECE_MS && t[3] == 0);
	row_of(out_text(&o), "nested", t);
	assert_true(t[2] >= 4 * PIECE_MS && t[1] < PIECE_MS);
	row_of(out_text(&o), "written", t);
	assert_true(t[1] > 0);
	assert_non_null(strstr(out_text(&o), "times on 16 cores"));
	out_release(&o);
}

static void prediction(void **state)
{
	static const struct phase_times half = { .serial_ns = 50, .shared_ns = 50 }, all = { .shared_ns = 160 },
					uneven = { .shared_ns = 160, .longest_ns = 80 },
					both[] = { { .serial_ns = 50 }, { .shared_ns = 160 } };

	assert_true(phases_predict(&half, 1, 1) == 100);
	assert_true(phases_predict(&half, 1, 2) == 75);
	assert_true(phases_predict(&all, 1, 16) == 10);
	assert_true(phases_predict(&uneven, 1, 16) == 10 + 75);
	assert_true(phases_predict(both, 2, 16) == 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prediction),
		cmocka_unit_test(times_are_serial_or_parallel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
