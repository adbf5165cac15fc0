/* Test the pass over a finished recording: which objects were hit, and wrong build-id flags. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/mman.h>
#include "record/machine/build_ids.h"
#include "tests/lib/build.h"

/* A map of this very program in process 7, as device and inode. */
static char *recording(void)
{
	struct build b = build_start(SAMPLE_TIME | SAMPLE_TID | SAMPLE_IP);
	char *path;

	build_mmap(&b, .pid = 7, .tid = 7, .time = 1, .start = 0x1000, .len = 0x1000, .maj = 254, .ino = 5,
		   .prot = PROT_READ | PROT_EXEC, .filename = "/proc/self/exe", .misc = CPUMODE_USER);
	build_sample(&b, .pid = 7, .tid = 7, .time = 20, .ip = 0x1010, .misc = CPUMODE_USER);
	build_sample(&b, .pid = 7, .tid = 7, .time = 30, .ip = 0x9010, .misc = CPUMODE_USER);
	path = build_file(&b);
	build_release(&b);
	return path;
}

static void first_and_last_sample_are_printed(void **state)
{
	char *path = recording();
	struct arena a = { 0 };
	struct features f = { .arena = &a };
	uint64_t samples;
	struct err e = { 0 };

	assert_int_equal(build_ids_collect(&f, path, &(struct build_ids_opts){ .no_ids = true }, &samples, &e), 0);
	assert_int_equal(samples, 2);
	assert_true(feature_has(&f, FEATURE_SAMPLE_TIME));
	assert_int_equal(f.first_sample_ns, 20);
	assert_int_equal(f.last_sample_ns, 30);
	unlink(path);
	free(path);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_and_last_sample_are_printed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
