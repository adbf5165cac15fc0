/* Rows that follow sums which grow are those of a fresh copy of the sums. */
#include "report/live/live.h"
#include "report/rows/graph.h"
#include "tests/unit/report/rows/made.h"

enum { ROUNDS = 30, SAMPLES = 40, LETTERS = 26 };

struct following {
	struct build b;
	const uint8_t *bytes;
	size_t len, at;
	bool paused;
	struct live *live;
	struct fields fields;
	VEC(const struct sample_key *) samples;
	VEC(const struct key *) sites;
	struct profile_filter filter;
	struct profile *sums, *shown;
	struct fold *fold;
};

/* Every second time nothing has come, so that what has come is taken in. */
static ssize_t read_some(void *of, void *to, size_t room, int timeout_ms, struct err *e)
{
	struct following *f = of;
	size_t n = MIN(MIN(room, (size_t)3000), f->len - f->at);

	f->paused = !f->paused;
	if (f->paused)
		return LIVE_LATER;
	memcpy(to, f->bytes + f->at, n);
	f->at += n;
	return (ssize_t)n;
}

static void build_rounds(struct build *b)
{
	uint32_t random = 1;

	*b = build_start_as(BUILD_PIPE, SAMPLE_TID | SAMPLE_TIME | SAMPLE_IP | SAMPLE_PERIOD | SAMPLE_CALLCHAIN);
	for (char c = 'a'; c <= 'z'; c++)
		build_ksymbol(b, .time = 1, .addr = 0xffffffffc0000000 + (uint64_t)(c - 'a') * 0x100, .len = 0x100,
			      .type = 1, .name = (char[]){ c, 0 });
	for (uint64_t i = 0; i < ROUNDS; i++) {
		for (uint64_t k = 0; k < SAMPLES; k++) {
			uint64_t chain[8] = { CHAIN_KERNEL };
			size_t n;

			random = random * 1664525 + 1013904223;
			n = 1 + (random >> 28) % 6;
			for (size_t c = 1; c <= n; c++) {
				random = random * 1664525 + 1013904223;
				/* each round has functions of its own */
				chain[c] = 0xffffffffc0000000 + ((random >> 20) % (1 + i * LETTERS / ROUNDS)) * 0x100 +
					   (random >> 10) % 0x100;
			}
			build_sample(b, .pid = 7 + (int32_t)(random >> 30), .tid = 7 + (int32_t)(random >> 30),
				     .time = 2 + i * SAMPLES + k, .ip = chain[1], .period = 1000 + (random >> 22),
				     .chain = chain, .n_chain = 1 + n, .misc = CPUMODE_KERNEL);
		}
		build_record(b, RECORD_FINISHED_ROUND, 0, NULL, 0, "");
	}
}

static void begin(struct following *f, const char *sort)
{
	struct err e = { 0 };

	*f = (struct following){ 0 };
	build_rounds(&f->b);
	f->bytes = build_bytes(&f->b, &f->len);
	f->live = live_open_source("rounds", &(struct live_bytes){ read_some, f },
				   &(struct live_opts){ .sums = true, .session.force = true }, &e);
	if (!f->live)
		fail_msg("%s", e.what);
	assert_int_equal(fields_parse(&f->fields, &(struct fields_opts){ .sort = sort, .children = true }, NULL), 0);
	for (size_t i = 0; i < f->fields.sort.len; i++) {
		if (f->fields.sort.items[i]->from == KEY_SAMPLE)
			vec_push(&f->samples, &f->fields.sort.items[i]->sample);
		else if (f->fields.sort.items[i]->site)
			vec_push(&f->sites, f->fields.sort.items[i]);
	}
	f->sums = profile_new(live_session(f->live),
			      &(struct profile_opts){ .keys = f->samples.items,
						      .n_keys = f->samples.len,
						      .chains = true,
						      .keep_places = true,
						      .no_quality = true,
						      .max_stack = 127,
						      .threads = 1,
						      .time_quantum = 1 },
			      &f->filter);
}

static struct fold *new_fold(const struct following *f, struct profile *p)
{
	return fold_new(p, &(struct fold_opts){ .keys = f->sites.items, .n_keys = f->sites.len, .children = true });
}

/* Return whether it could go on. */
static bool step(struct following *f)
{
	if (f->shown && profile_follow(f->shown, f->sums)) {
		fold_follow(f->fold);
		return true;
	}
	fold_free(f->fold);
	profile_free(f->shown);
	f->shown = profile_new_follower(f->sums);
	f->fold = new_fold(f, f->shown);
	return false;
}

static void end(struct following *f)
{
	fold_free(f->fold);
	profile_free(f->shown);
	profile_free(f->sums);
	live_close(f->live);
	fields_free(&f->fields);
	vec_free(&f->samples);
	vec_free(&f->sites);
	build_release(&f->b);
}

/* The row of a fold that has the keys of another fold's row. */
static const struct row *same_in(const struct fold *f, const struct fold *of, const struct row *r)
{
	const struct site *site = fold_site(of, r);

	for (size_t i = 0; i < f->rows.len; i++) {
		const struct row *x = &f->rows.items[i];
		const struct site *s = fold_site(f, x);

		if (s->dso == site->dso && s->symbol == site->symbol && (s->symbol || s->address == site->address) &&
		    (!f->profile->opts.n_keys ||
		     profile_outer(f->profile, x->outer)[0] == profile_outer(of->profile, r->outer)[0]))
			return x;
	}
	fail_msg("a row is missing");
	return NULL;
}

static uint64_t period_of_graph(const struct fold *f, const struct row *r)
{
	uint32_t row = (uint32_t)(r - f->rows.items);
	struct graph *g = graphs_new(f, &row, 1, &(struct graph_opts){ .form = GRAPH_ABSOLUTE });
	uint64_t hits = g->nodes.items[0].hits;

	graph_release(g);
	free(g);
	return hits;
}

static void near(const char *what, uint64_t a, uint64_t b, uint64_t most)
{
	if (a > b + most || b > a + most)
		fail_msg("%s: %ju and %ju", what, (uintmax_t)a, (uintmax_t)b);
}

/* Compare with a fresh copy. Whole numbers lose at most 8 in all when they fade, those of the copy one per entry. */
static void compare(const struct following *f, bool faded)
{
	struct profile *copy = profile_copy(f->sums);
	uint64_t most = faded ? 8 + SAMPLES : 0, places[2] = { 0 };
	struct fold *fold;

	profile_name(copy);
	fold = new_fold(f, copy);
	for (size_t i = 0; i < fold->rows.len; i++) {
		const struct row *r = &fold->rows.items[i], *x = same_in(f->fold, fold, r);

		near("own", x->sums.period, r->sums.period, most);
		near("children", x->sums.children, r->sums.children, most);
		near("samples", x->sums.samples, r->sums.samples, most);
		near("graph", period_of_graph(f->fold, x), period_of_graph(fold, r), faded ? SAMPLES * ROUNDS : 0);
	}
	near("total", f->fold->totals[0].period, fold->totals[0].period, most);
	near("passed", f->fold->passed[0].period, fold->passed[0].period, most * fold->rows.len);
	for (size_t i = 0; i < f->shown->parts[0].places.len; i++)
		places[0] += f->shown->parts[0].places.items[i].period;
	for (size_t i = 0; i < copy->parts[0].places.len; i++)
		places[1] += copy->parts[0].places.items[i].period;
	assert_int_equal(places[0], places[1]);
	assert_int_equal(f->shown->parts[0].places.len, copy->parts[0].places.len);
	fold_free(fold);
	profile_free(copy);
}

static void rows_follow_the_sums(void **state)
{
	static const char *const sorts[] = { "dso,sym", "pid,sym" };

	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		struct following f;
		size_t steps = 0;

		begin(&f, sorts[i]);
		while (live_next(f.live, NULL) > LIVE_END) {
			live_sum(f.live, &f.sums, 1);
			assert_int_equal(step(&f), steps > 0);
			compare(&f, false);
			steps++;
		}
		assert_true(steps > 10);
		assert_true(f.fold->totals[0].samples == ROUNDS * SAMPLES);
		end(&f);
	}
}

static void rows_fade_with_the_sums(void **state)
{
	struct following f;
	size_t n = 0;

	begin(&f, "dso,sym");
	while (live_next(f.live, NULL) > LIVE_END) {
		live_sum(f.live, &f.sums, 1);
		assert_int_equal(step(&f), n > 0);
		profile_fade(f.sums);
		if (n++ % 3 == 0)
			profile_fade(f.sums); /* nothing came */
		step(&f);
		compare(&f, true);
	}
	end(&f);
}

static void what_was_not_seen_or_has_new_numbers_begins_anew(void **state)
{
	struct following f;
	size_t n = 0;

	begin(&f, "dso,sym");
	while (live_next(f.live, NULL) > LIVE_END && ++n < 10) {
		live_sum(f.live, &f.sums, 1);
		if (n == 4)
			profile_fade(f.sums); /* the round was not followed */
		if (n == 6)
			profile_compact(f.sums);
		if (n == 8)
			profile_clear(f.sums);
		assert_int_equal(step(&f), n > 1 && n != 4 && n != 6 && n != 8);
		compare(&f, true);
	}
	assert_int_equal(n, 10);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_follow_the_sums),
		cmocka_unit_test(rows_fade_with_the_sums),
		cmocka_unit_test(what_was_not_seen_or_has_new_numbers_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
