#include <fcntl.h>

#include "tests/lib/forms.h"

enum { N = 5 };

/* A file of N samples whose times are 1 to N. */
struct file {
	char *path;
	struct perfdata *pd;
	uint64_t pos[N + 1]; /* the last one: the end of the stream */
};

static struct file file_of_samples(void)
{
	struct build b = build_start_as(BUILD_FILE, SAMPLE_TIME);
	struct file f;
	struct err e = { 0 };
	struct record r;
	struct chunk c;

	for (uint64_t i = 1; i <= N; i++)
		build_sample(&b, .time = i);
	f.path = build_file(&b);
	f.pd = perfdata_open(f.path, NULL, &e);
	assert_non_null(f.pd);
	build_release(&b);
	perfdata_chunk(f.pd, 0, 0, stream_size(f.pd, 0), NULL, &c);
	for (size_t i = 0; i < N; i++) {
		assert_int_equal(chunk_next(&c, &r, NULL), 1);
		f.pos[i] = r.pos;
	}
	chunk_release(&c);
	f.pos[N] = stream_size(f.pd, 0);
	return f;
}

static void file_free(struct file *f)
{
	perfdata_close(f->pd);
	unlink(f->path);
	free(f->path);
}

/* Change the time of a sample in the file. A copy made before has the old one. */
static void rewrite(const struct file *f, size_t i, uint64_t time)
{
	int fd = open(f->path, O_WRONLY);

	assert_int_equal(pwrite(fd, &time, 8, (off_t)(f->pd->data_offset + f->pos[i] + 8)), 8);
	close(fd);
}

static void expect_next(struct chunk *c, uint64_t time, uint64_t pos)
{
	struct record r;

	assert_int_equal(chunk_next(c, &r, NULL), 1);
	assert_int_equal(load_u64(r.body), time);
	assert_int_equal(r.pos, pos);
}

static void a_copied_chunk_reads_its_copy(void **state)
{
	struct file f = file_of_samples();
	struct records_copy copy = { 0 };
	struct record r;
	struct chunk c;

	(void)state;
	perfdata_chunk(f.pd, 0, f.pos[1], f.pos[3], NULL, &c);
	chunk_copy(&c, &copy);
	rewrite(&f, 1, 71);
	expect_next(&c, 2, f.pos[1]);
	assert_int_equal(chunk_pos(&c), f.pos[2]);
	expect_next(&c, 3, f.pos[2]);
	assert_int_equal(chunk_next(&c, &r, NULL), 0);
	chunk_seek(&c, f.pos[2]); /* in the copy */
	rewrite(&f, 2, 72);
	expect_next(&c, 3, f.pos[2]);
	chunk_seek(&c, f.pos[0]); /* outside of it, so from now on the file itself */
	expect_next(&c, 1, f.pos[0]);
	expect_next(&c, 71, f.pos[1]);
	chunk_release(&c);
	perfdata_chunk(f.pd, 0, f.pos[1], f.pos[3], NULL, &c);
	chunk_copy(&c, &copy);
	chunk_seek(&c, f.pos[3]); /* where the copy ends */
	expect_next(&c, 4, f.pos[3]);
	chunk_seek(&c, f.pos[4]);
	expect_next(&c, 5, f.pos[4]);
	assert_int_equal(chunk_next(&c, &r, NULL), 0);
	chunk_release(&c);
	free(copy.room);
	file_free(&f);
}

/* The third record is only partly in the copy. */
static void a_chunk_goes_on_behind_its_copy(void **state)
{
	struct file f = file_of_samples();
	struct records_copy copy = { 0 };
	struct record r;
	struct chunk c;

	(void)state;
	assert_true(records_copy_begin(&copy, f.pd, 0, 0, f.pos[2] + 12));
	assert_true(records_copy_fill(&copy, f.pd, 0, f.pos[2] + 12));
	perfdata_chunk(f.pd, 0, 0, f.pos[4], NULL, &c);
	chunk_use(&c, &copy);
	for (size_t i = 0; i < N; i++)
		rewrite(&f, i, 71 + i);
	expect_next(&c, 1, f.pos[0]);
	assert_true(chunk_is_copy(&c));
	expect_next(&c, 2, f.pos[1]);
	expect_next(&c, 73, f.pos[2]);
	assert_false(chunk_is_copy(&c));
	expect_next(&c, 74, f.pos[3]);
	assert_int_equal(chunk_next(&c, &r, NULL), 0);
	chunk_seek(&c, 0);
	chunk_use(&c, &copy); /* again, from the file to a copy */
	expect_next(&c, 1, f.pos[0]);
	assert_true(records_copy_begin(&copy, f.pd, 0, f.pos[3], f.pos[4]));
	assert_true(records_copy_fill(&copy, f.pd, f.pos[3], f.pos[4]));
	chunk_use(&c, &copy); /* it does not have the next record */
	assert_false(chunk_is_copy(&c));
	expect_next(&c, 72, f.pos[1]);
	chunk_release(&c);
	free(copy.room);
	file_free(&f);
}

static void a_moved_range_keeps_what_it_has(void **state)
{
	struct file f = file_of_samples();
	struct records_copy copy = { 0 };
	struct chunk c;

	(void)state;
	assert_true(records_copy_begin(&copy, f.pd, 0, f.pos[0], f.pos[2]));
	assert_true(records_copy_fill(&copy, f.pd, f.pos[0], f.pos[2]));
	rewrite(&f, 1, 71);
	assert_true(records_copy_begin(&copy, f.pd, 0, f.pos[1], f.pos[5]));
	assert_true(records_copy_fill(&copy, f.pd, f.pos[2], f.pos[5]));
	assert_false(records_copy_has(&copy, 0, f.pos[0]));
	assert_true(records_copy_has(&copy, 0, f.pos[1]));
	assert_false(records_copy_has(&copy, 1, f.pos[1]));
	assert_false(records_copy_has(&copy, 0, f.pos[5]));
	perfdata_chunk(f.pd, 0, f.pos[1], f.pos[5], NULL, &c);
	chunk_use(&c, &copy);
	expect_next(&c, 2, f.pos[1]);
	expect_next(&c, 3, f.pos[2]);
	chunk_release(&c);
	free(copy.room);
	file_free(&f);
}

static void a_file_that_became_shorter_is_not_copied(void **state)
{
	struct file f = file_of_samples();
	struct records_copy copy = { 0 };
	struct chunk c;

	(void)state;
	assert_int_equal(truncate(f.path, (off_t)(f.pd->data_offset + f.pos[3])), 0);
	assert_true(records_copy_begin(&copy, f.pd, 0, 0, f.pos[5]));
	assert_false(records_copy_fill(&copy, f.pd, f.pos[2], f.pos[5]));
	assert_true(records_copy_fill(&copy, f.pd, f.pos[2], f.pos[3]));
	perfdata_chunk(f.pd, 0, 0, f.pos[5], NULL, &c);
	chunk_copy(&c, &copy);
	expect_next(&c, 1, 0); /* out of the mapping */
	chunk_release(&c);
	free(copy.room);
	file_free(&f);
}

static void memory_is_not_copied(void **state)
{
	struct build b = build_start_as(BUILD_FILE, SAMPLE_TIME);
	struct records_copy copy = { 0 };
	struct perfdata *pd;
	struct chunk c;

	(void)state;
	build_sample(&b, .time = 1);
	pd = build_open(&b);
	assert_false(records_copy_begin(&copy, pd, 0, 0, stream_size(pd, 0)));
	assert_false(records_copy_has(&copy, 0, 0));
	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), NULL, &c);
	chunk_copy(&c, &copy);
	expect_next(&c, 1, 0);
	assert_null(copy.room);
	chunk_release(&c);
	perfdata_close(pd);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copied_chunk_reads_its_copy),
		cmocka_unit_test(a_chunk_goes_on_behind_its_copy),
		cmocka_unit_test(a_moved_range_keeps_what_it_has),
		cmocka_unit_test(a_file_that_became_shorter_is_not_copied),
		cmocka_unit_test(memory_is_not_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
