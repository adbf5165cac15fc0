#ifndef TESTS_SESSION_CHAINS_H
#define TESTS_SESSION_CHAINS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/session/chain.h"
#include "report/session/session_priv.h"
#include "report/session/stitch.h"
#include "tests/lib/build.h"

enum { CHAINS_MAX = 8, CHAIN_LEN = 32 };
struct chains {
	size_t n;
	uint64_t words[CHAINS_MAX][CHAIN_LEN];
	size_t len[CHAINS_MAX];
	const char *not_stitched;
};

/* The chain of each sample in the order of the file; with `stitch`, after the stacks were joined. */
static inline struct chains chains_of(struct build *b, bool stitch)
{
	char *path = build_file(b);
	struct session *s = session_open(path, &(struct session_opts){ .force = true }, NULL);
	struct chain_buffer buffer = { 0 };
	struct chains all = { 0 };
	struct cursor c = { 0 };
	struct record r;

	unlink(path);
	free(path);
	build_release(b);
	assert_non_null(s);
	assert_int_equal(session_walk(s, NULL), 0);
	if (stitch)
		session_stitch(s);
	all.not_stitched = s->notes.not_stitched;
	c.pd = s->pd;
	while (cursor_next(&c, &r)) {
		struct task task = { 0 };
		struct chain_words words;
		struct sample sample;

		if (r.type != RECORD_SAMPLE)
			continue;
		assert_true(all.n < CHAINS_MAX);
		assert_int_equal(sample_decode(s->pd, &r, 0, &sample, NULL), 0);
		assert_true(chain_of_sample(
			s,
			&(struct chain_place){
				.sample = &sample, .task = &task, .pos = session_pos(r.stream, r.pos), .max = 16 },
			&buffer, &words));
		assert_true(words.n <= CHAIN_LEN);
		for (uint64_t i = 0; i < words.n; i++)
			all.words[all.n][i] = load_u64(words.words + 8 * i);
		all.len[all.n++] = words.n;
	}
	vec_free(&buffer);
	session_close(s);
	return all;
}

/* Fail unless chain `which` has exactly these words. */
#define chain_is(all, which, ...) \
	do { \
		const uint64_t wanted_[] = { __VA_ARGS__ }; \
		assert_int_equal((all)->len[which], ARRAY_SIZE(wanted_)); \
		assert_memory_equal((all)->words[which], wanted_, sizeof(wanted_)); \
	} while (0)

#endif
