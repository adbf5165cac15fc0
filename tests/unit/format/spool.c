#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "format/spool.h"

enum { MB = 1 << 20 };

static void fill(struct spool *s, size_t pieces)
{
	for (size_t i = 0; i < pieces; i++) {
		memset(spool_room(s, MB), (int)(i % 251), MB);
		s->len += MB;
	}
}

static void expect_filled(const struct spool *s, size_t pieces)
{
	assert_int_equal(s->len, pieces * MB);
	for (size_t i = 0; i < s->len; i += 4095)
		if (s->data[i] != i / MB % 251)
			fail_msg("byte %zu is %u", i, s->data[i]);
}

static void little_stays_in_memory(void **state)
{
	struct spool s = { 0 };

	fill(&s, 3);
	expect_filled(&s, 3);
	assert_int_equal(s.fd, 0);
	spool_rest(&s, 0, s.len); /* has no effect in memory */
	expect_filled(&s, 3);
	spool_release(&s);
	assert_null(s.data);
}

/* A file of 70 MB has room for up to 128, and strobe leaves a quarter of the free space to others. */
static bool has_room(const char *dir)
{
	struct statvfs fs;
	struct rlimit limit;

	return !access(dir, W_OK) && !statvfs(dir, &fs) && (uint64_t)fs.f_bavail * fs.f_frsize > 256 * (uint64_t)MB &&
	       !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur > 128 * (rlim_t)MB;
}

static void much_goes_to_a_file(void **state)
{
	struct spool s = { 0 };

	if (!has_room(spool_place())) {
		print_message("skipped: no room for a temporary file\n");
		skip();
	}
	fill(&s, 70);
	assert_true(s.fd);
	expect_filled(&s, 70);
	spool_rest(&s, 0, s.len); /* reads it back from the file */
	expect_filled(&s, 70);
	spool_release(&s);
}

static void added_bytes_are_there_in_memory_and_in_a_file(void **state)
{
	autofree uint8_t *piece = xmalloc(MB);
	struct spool s = { 0 };

	for (size_t i = 0; i < 40; i++) {
		memset(piece, (int)(i % 251), MB);
		assert_true(spool_add(&s, piece, MB));
	}
	expect_filled(&s, 40);
	spool_release(&s);
}

static void without_a_place_for_files_memory_does(void **state)
{
	char *before = getenv("TMPDIR") ? xstrdup(getenv("TMPDIR")) : NULL;
	struct spool s = { 0 };

	setenv("TMPDIR", "/nonexistent", 1);
	fill(&s, 40);
	assert_int_equal(s.fd, 0);
	expect_filled(&s, 40);
	spool_release(&s);
	before ? setenv("TMPDIR", before, 1) : unsetenv("TMPDIR");
	free(before);
}

/* When neither the file size limit nor memory has enough room, the contents stay. */
static void it_can_be_full(void **state)
{
	struct rlimit limit, small;
	struct spool s = { 0 };

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = (struct rlimit){ .rlim_cur = 40 * MB, .rlim_max = limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	fill(&s, 256);
	assert_int_equal(s.fd, 0);
	assert_false(s.full);
	assert_null(spool_room(&s, MB));
	assert_true(s.full);
	expect_filled(&s, 256);
	spool_release(&s);
	setrlimit(RLIMIT_FSIZE, &limit);
}

static void reads_a_descriptor_to_its_end(void **state)
{
	struct spool s = { 0 };
	struct err e = { 0 };
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "perf", 4), 4);
	close(ends[1]);
	assert_int_equal(spool_read(&s, ends[0], NULL, &e), 0);
	assert_int_equal(s.len, 4);
	assert_memory_equal(s.data, "perf", 4);
	close(ends[0]);
	assert_int_equal(spool_read(&s, ends[0], NULL, &e), -1);
	spool_release(&s);
}

/* Cancel waiting for a pipe that gets no data. */
static void reading_ends_when_it_shall_stop(void **state)
{
	struct spool s = { 0 };
	struct progress progress = { 0 };
	struct err e = { 0 };
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "perf", 4), 4);
	progress_stop(&progress);
	assert_int_equal(spool_read(&s, ends[0], &progress, &e), -1);
	assert_string_equal(e.what, "given up");
	spool_release(&s);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(little_stays_in_memory),
		cmocka_unit_test(much_goes_to_a_file),
		cmocka_unit_test(added_bytes_are_there_in_memory_and_in_a_file),
		cmocka_unit_test(without_a_place_for_files_memory_does),
		cmocka_unit_test(it_can_be_full),
		cmocka_unit_test(reads_a_descriptor_to_its_end),
		cmocka_unit_test(reading_ends_when_it_shall_stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
