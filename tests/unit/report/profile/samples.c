/*
 * The sample loop: samples that the filter drops, samples that count outside, and which ones are
 * repeats.
 */
#include "report/profile/samples.h"

#include "tests/lib/forms.h"

enum { N_MAX = 64 };
struct seen {
	uint64_t times[N_MAX];
	bool outside[N_MAX];
	size_t n, n_repeats;
};

/* All results of the loop; `to` of a sample is its number among those taken. */
static struct seen run(struct session *s, const struct profile_filter *f, bool repeats)
{
	struct samples in = { .repeats = repeats, .by_ip = true };
	struct format_notes notes = { 0 };
	struct seen seen = { 0 };
	struct arrival a;
	size_t n;

	samples_init(&in, s, f, &notes);
	for (size_t chunk = 0; chunk < s->chunks.len; chunk++) {
		samples_open(&in, chunk);
		while ((n = samples_ahead(&in))) {
			for (size_t i = 0; i < n; i++) {
				if (in.ahead[i].to) {
					seen.n_repeats++;
					assert_int_equal(samples_period(&in, &in.ahead[i]), 7);
					continue;
				}
				samples_take(&in, &in.ahead[i]);
				while (samples_next(&in, &a)) {
					seen.times[seen.n] = a.sample->time;
					seen.outside[seen.n++] = a.outside;
					samples_keep(&in, a.hash, (uint32_t)seen.n, a.task.thread);
				}
			}
		}
		samples_close(&in);
	}
	samples_release(&in);
	assert_int_equal(notes.unknown_ids + notes.bad_samples, 0);
	return seen;
}

static struct session *open_walked(struct build *b, char **path)
{
	struct session *s = session_open(*path = build_file(b), &(struct session_opts){ 0 }, NULL);

	assert_non_null(s);
	assert_int_equal(session_walk(s, NULL), 0);
	return s;
}

static void end(struct session *s, struct build *b, char *path)
{
	session_close(s);
	unlink(path);
	free(path);
	build_release(b);
}

static void cpus_and_times_drop_and_tasks_count_outside(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU);
	struct profile_filter f = { 0 };
	struct session *s;
	struct seen seen;
	char *path;

	for (uint32_t i = 0; i < 40; i++)
		build_sample(&b, .pid = 1 + (int32_t)i % 2, .tid = 1 + (int32_t)i % 2, .time = 100 + i, .cpu = i / 20,
			     .ip = 0x1000);
	s = open_walked(&b, &path);
	seen = run(s, &f, false);
	assert_int_equal(seen.n, 40);
	assert_false(seen.outside[0] || seen.outside[1]);

	assert_int_equal(sample_filter_add(&f.who, FILTER_CPUS, "1", NULL), 0);
	vec_push(&f.times, (struct time_span){ 100, 129 });
	assert_int_equal(sample_filter_add(&f.who, FILTER_TIDS, "1", NULL), 0);
	seen = run(s, &f, true);
	assert_int_equal(seen.n, 10);
	assert_int_equal(seen.times[0], 120);
	assert_int_equal(seen.times[9], 129);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(seen.outside[i], i % 2);
	assert_int_equal(seen.n_repeats, 0); /* this filter must see every sample */
	sample_filter_free(&f.who);
	vec_free(&f.times);
	end(s, &b, path);
}

static void equal_samples_are_repeats_until_their_thread_changes(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD);
	struct profile_filter f = { 0 };
	struct session *s;
	struct seen seen;
	char *path;

	for (uint64_t i = 0; i < 32; i++)
		build_sample(&b, .pid = 1, .tid = 1, .time = 100 + i, .ip = 0x1000, .period = 7);
	build_comm(&b, .pid = 1, .tid = 1, .time = 200, .comm = "other");
	for (uint64_t i = 0; i < 32; i++)
		build_sample(&b, .pid = 1, .tid = 1, .time = 300 + i, .ip = 0x1000, .period = 7);
	s = open_walked(&b, &path);
	seen = run(s, &f, true);
	assert_int_equal(seen.n + seen.n_repeats, 64);
	/* The look-ahead looks for repeats before its first sample is taken. */
	assert_in_range(seen.n, 2, 2 * SAMPLES_AHEAD);
	assert_int_equal(run(s, &f, false).n, 64);
	end(s, &b, path);
}

static void a_read_of_a_group_is_one_sample_per_counter(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_READ);
	const uint64_t first[] = { 2, 10, 1, 20, 2 }, second[] = { 2, 15, 1, 20, 2 };
	struct samples in = { 0 };
	struct profile_filter f = { 0 };
	struct format_notes notes = { 0 };
	struct session *s;
	struct arrival a;
	uint64_t periods[8];
	size_t n, n_periods = 0;
	char *path;

	build_attr(&b, 0)->read_format = READ_GROUP | READ_ID;
	build_event(&b, SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_READ, "faults");
	build_sample(&b, .pid = 1, .tid = 1, .time = 1, .ip = 1, .read = first, .n_read = ARRAY_SIZE(first));
	build_sample(&b, .pid = 1, .tid = 1, .time = 2, .ip = 1, .read = second, .n_read = ARRAY_SIZE(second));
	s = open_walked(&b, &path);
	samples_init(&in, s, &f, &notes);
	samples_open(&in, 0);
	while ((n = samples_ahead(&in)))
		for (size_t i = 0; i < n; i++)
			for (samples_take(&in, &in.ahead[i]); samples_next(&in, &a);)
				periods[n_periods++] = a.period + 1000 * a.event;
	samples_close(&in);
	samples_release(&in);
	assert_int_equal(n_periods, 3);
	assert_int_equal(periods[0], 10);
	assert_int_equal(periods[1], 1020);
	assert_int_equal(periods[2], 5); /* the second counter did not advance */
	end(s, &b, path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FORMS(cpus_and_times_drop_and_tasks_count_outside),
		FORMS(equal_samples_are_repeats_until_their_thread_changes),
		FORMS(a_read_of_a_group_is_one_sample_per_counter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
