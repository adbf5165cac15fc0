/* The profile of a session that is walked in steps is that of one that was walked first. */
#include "base/out.h"
#include "report/profile/profile.h"
#include "tests/lib/walked.h"

#define WHEN (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD | SAMPLE_CALLCHAIN)
enum { ROUNDS = 60, PER_ROUND = 20, CHUNK = 1 << 10, ADDRESSES = 64 };

static const struct session_opts small_chunks = { .force = true, .chunk_size = CHUNK };
static const struct profile_filter all;

static struct build recording(void)
{
	struct build b = build_start(WHEN);

	srand(5);
	build_comm(&b, .pid = 7, .tid = 7, .time = 0, .comm = "first");
	for (uint64_t round = 0; round < ROUNDS; round++) {
		for (uint64_t i = 0; i < PER_ROUND; i++) {
			uint64_t time = 1000 + round * 100 + i, ip = 0x1000 + (uint64_t)rand() % ADDRESSES;
			const uint64_t chain[] = { CHAIN_USER, ip, 0x1000 + ip % 7, 0x1000 };

			if (i == 9 && round % 8 == 1) /* the same addresses are other places from here on */
				build_mmap(&b, .pid = 7, .tid = 7, .time = time, .start = 0x1000, .len = 0x1000,
					   .filename = round % 16 == 1 ? "/nowhere/one" : "/nowhere/two");
			build_sample(&b, .pid = 7, .tid = 7, .time = time, .ip = ip, .period = 1 + ip % 3,
				     .chain = chain, .n_chain = ARRAY_SIZE(chain));
		}
		build_round(&b);
	}
	return b;
}

/* The sums of each address and object; NULL: the session has to be begun anew. */
static char *text_of(struct session *s, const struct profile_opts *opts)
{
	static const char *const names[] = { "", "one", "two" };
	struct profile *p = profile_new(s, opts, &all);
	uint64_t sums[ARRAY_SIZE(names)][ADDRESSES] = { 0 };
	char *text = NULL;
	struct out o;

	if (profile_decode(p)) {
		profile_name(p);
		for (unsigned i = 0; i < p->n_parts; i++)
			for (size_t k = 0; k < p->parts[i].entries.len; k++) {
				const struct entry *e = &p->parts[i].entries.items[k];
				const struct site *self = &p->sites.items[e->self];
				const char *dso = dso_short_name(s->symbols, self->dso);

				assert_int_equal(p->parts[i].chains.items[e->chain].n, 3);
				sums[!strcmp(dso, names[1])   ? 1
				     : !strcmp(dso, names[2]) ? 2
							      : 0][self->ip - 0x1000] += e->period;
			}
		out_init_mem(&o);
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			for (size_t k = 0; k < ADDRESSES; k++)
				out_fmt(&o, "%s %llu\n", names[i], (unsigned long long)sums[i][k]);
		text = xstrdup(out_text(&o));
		out_release(&o);
	}
	profile_free(p);
	return text;
}

static char *text_of_steps(struct build *b, unsigned threads)
{
	struct profile_opts opts = { .chains = true, .by_address = true, .max_stack = 127, .steps = true };
	char *path = build_file(b), *text;
	struct session *s = session_open(path, &small_chunks, NULL);

	assert_non_null(s);
	assert_true(session_can_step(s));
	opts.threads = threads;
	text = text_of(s, &opts);
	assert_int_equal(!text, session_is_late(s));
	session_close(s);
	unlink(path);
	free(path);
	return text;
}

static void steps_give_the_sums_of_the_walk(void **state)
{
	struct build b = recording();
	struct session *s = walked(&b, &small_chunks);
	struct profile_opts opts = { .chains = true, .by_address = true, .max_stack = 127, .threads = 1 };
	char *wanted = text_of(s, &opts);

	for (unsigned threads = 1; threads < 4; threads++) {
		char *text = text_of_steps(&b, threads);

		assert_string_equal(text, wanted);
		free(text);
	}
	free(wanted);
	session_close(s);
	build_release(&b);
}

static void late_maps_are_noticed(void **state)
{
	struct build b = recording();

	build_mmap(&b, .pid = 7, .tid = 7, .time = 1500, .start = 0x1000, .len = 0x1000, .filename = "/nowhere/late");
	build_round(&b);
	assert_null(text_of_steps(&b, 2));
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_give_the_sums_of_the_walk),
		cmocka_unit_test(late_maps_are_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
