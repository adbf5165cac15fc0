/* Stacks of a session that is walked in steps are those of one that was walked first. */
#include "report/stacks/export.h"
#include "report/stacks/stacks.h"
#include "tests/lib/walked.h"

#define WHEN (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD | SAMPLE_CALLCHAIN)
enum { ROUNDS = 60, RINGS = 2, PER_RING = 10, CHUNK = 1 << 10 };

static const struct session_opts small_chunks = { .force = true, .chunk_size = CHUNK };
static const struct profile_filter all;

static struct stacks *no_stacks(unsigned threads)
{
	return stacks_new(&(struct stacks_opts){ .max_stack = 127, .pid = true, .threads = threads });
}

static char *text_of(struct stacks *st)
{
	struct out o;
	char *text;

	out_init_mem(&o);
	stacks_sort(st, 0);
	export_collapsed(st, false, &o);
	text = xstrdup(out_text(&o));
	out_release(&o);
	stacks_free(st);
	return text;
}

static char *text_of_walked(struct build *b)
{
	struct session *s = walked(b, &small_chunks);
	struct stacks *st = no_stacks(1);
	char *text;

	assert_int_equal(stacks_add(st, s, &all, 0, NULL), 0);
	text = text_of(st);
	session_close(s);
	return text;
}

/* NULL: the session has to be begun anew. `early`: chunks that were due before the last step. */
static char *text_of_steps(struct build *b, unsigned threads)
{
	char *path = build_file(b), *text = NULL;
	struct session *s = session_open(path, &small_chunks, NULL);
	struct stacks *st = no_stacks(threads);
	int rc;

	assert_non_null(s);
	assert_true(session_can_step(s));
	rc = stacks_add_steps(st, s, &all, 0, NULL);
	assert_int_equal(rc, session_is_late(s));
	if (!rc)
		text = text_of(st);
	else
		stacks_free(st);
	session_close(s);
	unlink(path);
	free(path);
	return text;
}

static void sample(struct build *b, int32_t pid, uint64_t time, uint64_t ip)
{
	const uint64_t chain[] = { CHAIN_USER, ip, 0x1000 + ip % 7 * 16, 0x2000 };

	build_sample(b, .pid = pid, .tid = pid, .time = time, .ip = ip, .period = 1 + ip % 3, .chain = chain,
		     .n_chain = ARRAY_SIZE(chain));
}

/* Maps and names come with the samples, between those that they concern and those that they do not. */
static void add_round(struct build *b, uint64_t round)
{
	for (uint64_t ring = 0; ring < RINGS; ring++) {
		for (uint64_t i = 0; i < PER_RING; i++) {
			uint64_t time = 1000 + round * 100 + i * 10 + ring;

			if (!ring && i == 5 && round % 4 == 1)
				build_fork(b, .pid = 8 + (int32_t)round, .tid = 8 + (int32_t)round, .ppid = 7,
					   .ptid = 7, .time = time);
			if (!ring && i == 6 && round % 4 == 1)
				build_mmap(b, .pid = 7, .tid = 7, .time = time, .start = 0x1000, .len = 0x1000,
					   .filename = round % 8 == 1 ? "/nowhere/one" : "/nowhere/two");
			if (!ring && i == 7 && round % 5 == 2)
				build_comm(b, .pid = 7, .tid = 7, .time = time, .comm = round % 2 ? "odd" : "even");
			sample(b, rand() % 2 ? 7 : 8 + rand() % (int)(round + 1) / 4 * 4 + 1, time,
			       0x1000 + (uint64_t)rand() % 64);
		}
	}
	build_round(b);
}

static struct build recording(void)
{
	struct build b = build_start(WHEN);

	srand(5);
	build_comm(&b, .pid = 7, .tid = 7, .time = 0, .comm = "first");
	build_mmap(&b, .pid = 7, .tid = 7, .time = 0, .start = 0x1000, .len = 0x2000, .filename = "/nowhere/zero");
	for (uint64_t round = 0; round < ROUNDS; round++)
		add_round(&b, round);
	return b;
}

static void steps_give_the_stacks_of_the_walk(void **state)
{
	struct build b = recording();
	char *wanted = text_of_walked(&b);

	for (unsigned threads = 1; threads < 4; threads++) {
		char *text = text_of_steps(&b, threads);

		assert_non_null(text);
		assert_string_equal(text, wanted);
		free(text);
	}
	assert_non_null(strstr(wanted, "even"));
	assert_non_null(strstr(wanted, "[two]"));
	free(wanted);
	build_release(&b);
}

struct steps_seen {
	const struct session *s;
	size_t n, due, before_last;
};

static void see_step(void *ctx, size_t from, size_t to)
{
	struct steps_seen *seen = ctx;

	assert_int_equal(from, seen->due);
	assert_true(to >= from && to <= seen->s->chunks.len);
	seen->before_last = from;
	seen->due = to;
	seen->n++;
}

/* Most chunks are due long before the walk is at its end. */
static void chunks_are_due_after_the_next_rounds(void **state)
{
	struct build b = recording();
	char *path = build_file(&b);
	struct session *s = session_open(path, &small_chunks, NULL);
	struct steps_seen seen = { .s = s };

	assert_true(session_steps(s, see_step, &seen));
	assert_true(seen.n > 4);
	assert_true(seen.before_last > s->chunks.len / 2);
	assert_int_equal(seen.due, s->chunks.len);
	assert_false(session_is_late(s));
	session_close(s);
	unlink(path);
	free(path);
	build_release(&b);
}

static void expect_late(struct build *b)
{
	build_round(b);
	assert_null(text_of_steps(b, 2));
	build_release(b);
}

static void a_map_that_comes_after_its_samples_is_late(void **state)
{
	struct build b = recording();

	build_mmap(&b, .pid = 7, .tid = 7, .time = 1500, .start = 0x1000, .len = 0x1000, .filename = "/nowhere/late");
	expect_late(&b);
}

/* It is taken to have lived before. */
static void a_thread_that_nothing_announced_is_late(void **state)
{
	struct build b = recording();

	build_comm(&b, .pid = 70, .tid = 70, .time = 1000 + ROUNDS * 100, .comm = "who");
	expect_late(&b);
}

/* Samples of a thread without a name get its first one. */
static void a_first_name_that_comes_after_samples_is_late(void **state)
{
	struct build b = build_start(WHEN);

	build_mmap(&b, .pid = 7, .tid = 7, .time = 0, .start = 0x1000, .len = 0x2000, .filename = "/nowhere/zero");
	for (uint64_t round = 0; round < ROUNDS; round++) {
		for (uint64_t i = 0; i < PER_RING; i++)
			sample(&b, 7, 1000 + round * 100 + i, 0x1000 + i);
		build_round(&b);
	}
	build_comm(&b, .pid = 7, .tid = 7, .time = 1000 + ROUNDS * 100, .comm = "who");
	expect_late(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_give_the_stacks_of_the_walk),
		cmocka_unit_test(chunks_are_due_after_the_next_rounds),
		cmocka_unit_test(a_map_that_comes_after_its_samples_is_late),
		cmocka_unit_test(a_thread_that_nothing_announced_is_late),
		cmocka_unit_test(a_first_name_that_comes_after_samples_is_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
