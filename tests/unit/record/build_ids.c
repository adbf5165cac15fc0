/* The pass over a finished recording: which objects were hit, and flags that are not true. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/mman.h>
#include "record/build_ids.h"
#include "tests/lib/build.h"

/* A map of this very program in process 7, as device and inode; with `misc` as told. */
static char *recording(uint16_t misc)
{
	struct build b = build_start(SAMPLE_TIME | SAMPLE_TID | SAMPLE_IP);
	char *path;

	build_mmap(&b, .pid = 7, .tid = 7, .time = 1, .start = 0x1000, .len = 0x1000, .maj = 254, .ino = 5, .prot = PROT_READ | PROT_EXEC,
		   .filename = "/proc/self/exe", .misc = (uint16_t)(CPUMODE_USER | misc));
	build_sample(&b, .pid = 7, .tid = 7, .time = 20, .ip = 0x1010, .misc = CPUMODE_USER);
	build_sample(&b, .pid = 7, .tid = 7, .time = 30, .ip = 0x9010, .misc = CPUMODE_USER);
	path = build_file(&b);
	build_release(&b);
	return path;
}

/* misc of the first map record in the file. */
static uint16_t map_misc(const char *path)
{
	struct err e = { 0 };
	struct perfdata *pd = perfdata_open(path, &(struct perfdata_opts){ .force = true }, &e);
	struct chunk c;
	struct record r;
	uint16_t misc = 0;

	assert_non_null(pd);
	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), NULL, &c);
	while (chunk_next(&c, &r, &e) > 0)
		if (r.type == RECORD_MMAP2)
			misc = r.misc;
	chunk_release(&c);
	perfdata_close(pd);
	return misc;
}

static void false_flags_are_taken_back(void **state)
{
	char *path = recording(MISC_MMAP_BUILD_ID);
	struct arena a = { 0 };
	struct features f = { .arena = &a };
	uint64_t samples;
	struct err e = { 0 };

	assert_true(map_misc(path) & MISC_MMAP_BUILD_ID);
	assert_int_equal(build_ids_collect(&f, path, &(struct build_ids_opts){ 0 }, &samples, &e), 0);
	assert_int_equal(map_misc(path), CPUMODE_USER);
	unlink(path);
	free(path);
	arena_release(&a);
}

static void first_and_last_sample_are_told(void **state)
{
	char *path = recording(0);
	struct arena a = { 0 };
	struct features f = { .arena = &a };
	uint64_t samples;
	struct err e = { 0 };

	assert_int_equal(build_ids_collect(&f, path, &(struct build_ids_opts){ .no_ids = true }, &samples, &e), 0);
	assert_int_equal(samples, 2);
	assert_true(feature_has(&f, FEATURE_SAMPLE_TIME));
	assert_int_equal(f.first_sample_ns, 20);
	assert_int_equal(f.last_sample_ns, 30);
	assert_int_equal(map_misc(path), CPUMODE_USER);
	unlink(path);
	free(path);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(false_flags_are_taken_back),
		cmocka_unit_test(first_and_last_sample_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
