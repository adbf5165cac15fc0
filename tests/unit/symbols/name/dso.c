#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/parallel.h"
#include "tests/unit/symbols/fixture.h"

enum { OFFSETS = 3000, OBJECTS = 3, JOBS = 64 };

struct shared {
	struct symbols *s;
	uint32_t dso[OBJECTS];
	const char *names[JOBS][OBJECTS][OFFSETS];
};

static void ask(void *arg, size_t job, unsigned worker)
{
	struct shared *x = arg;

	for (int o = 0; o < OBJECTS; o++)
		for (size_t i = 0; i < OFFSETS; i++) {
			/*
			 * Each thread begins elsewhere, so that they meet at objects and names
			 * that nobody asked for yet.
			 */
			size_t off = (i + job * 47) % OFFSETS;
			uint32_t symbol = dso_find(x->s, x->dso[o], off * 16);

			x->names[job][o][off] = symbol_name(x->s, x->dso[o], symbol);
		}
}

static void many_threads_get_the_same_names(void **state)
{
	struct symbols_opts opts = { .buildid_dir = "/dev/null" };
	struct shared *x = xcalloc(1, sizeof(*x));
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	assert_true(n > 0);
	self[n] = 0;
	x->s = symbols_new(&opts);
	x->dso[0] = fixture_file(x->s, self);
	x->dso[1] = fixture_file(x->s, "[vdso]");
	x->dso[2] = DSO_KERNEL;
	parallel_for(JOBS, 8, ask, x);
	for (int job = 1; job < JOBS; job++)
		for (int o = 0; o < OBJECTS; o++)
			for (size_t i = 0; i < OFFSETS; i++)
				assert_ptr_equal(x->names[job][o][i],
						 /* the texts are kept, not made again */
						 x->names[0][o][i]);
	symbols_free(x->s);
	free(x);
}

static void unneeded_symbols_are_not_loaded(void **state)
{
	struct symbols *s = fixture_store(NULL);

	assert_null(dso_problem(s, fixture_file(s, "/nonexistent")));
	assert_null(dso_file(s, fixture_file(s, "/nonexistent")));
	assert_non_null(dso_problem(s, fixture_file(s, "/nonexistent")));
	assert_int_equal(dso_find(s, DSO_UNKNOWN, 5), 0);
	assert_int_equal(dso_address(s, DSO_UNKNOWN, 5), 5);
	symbols_free(s);
}

static void kernel_symbols_can_be_unwanted(void **state)
{
	struct symbols_opts opts = { .no_kernel = true };
	struct symbols *s = symbols_new(&opts);

	assert_int_equal(dso_find(s, DSO_KERNEL, 0xffffffff81000000), 0);
	assert_int_equal(dso_reason(s, DSO_KERNEL), REASON_NOT_WANTED);
	symbols_free(s);
}

/* This process runs the vdso that the running kernel mapped. */
static void the_vdso_of_this_machine_has_symbols(void **state)
{
	struct symbols_opts opts = { .buildid_dir = "/dev/null" };
	struct symbols *s;
	struct build_id id;
	uint32_t d;

	fixture_need_vdso();
	assert_int_equal(build_id_of_vdso(&id, NULL), 0);
	s = symbols_new(&opts);
	d = fixture_file(s, "[vdso]");
	for (uint64_t off = 0; off < 0x2000; off += 16)
		if (strstr(fixture_name(s, d, off), "clock_gettime"))
			break;
		else
			assert_true(off < 0x1ff0);
	symbols_free(s);
	s = symbols_new(&opts);
	id.bytes[0] ^= 1;
	d = symbols_dso(s, &(struct dso_args){ .filename = "[vdso]", .exec = true, .id = &id });
	assert_int_equal(dso_find(s, d, 0x700), 0);
	assert_non_null(dso_problem(s, d));
	symbols_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_threads_get_the_same_names),
		cmocka_unit_test(unneeded_symbols_are_not_loaded),
		cmocka_unit_test(kernel_symbols_can_be_unwanted),
		cmocka_unit_test(the_vdso_of_this_machine_has_symbols),
	};

	return cmocka_run_group_tests_name("dso", tests, fixture_setup, fixture_teardown);
}
