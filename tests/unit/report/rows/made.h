#ifndef TESTS_ROWS_MADE_H
#define TESTS_ROWS_MADE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>

#include "report/rows/fields.h"
#include "report/rows/view.h"
#include "tests/lib/build.h"
#include "tests/lib/walked.h"

/*
 * A sample of thread `tid`; each letter of `calls` is a function, the sampled one first: "cba" is a calls b calls c.
 * A capital letter is a clone of the function, with a compiler's suffix; 'H' is another function with the name of 'h'.
 */
struct made_sample {
	int32_t tid;
	const char *calls;
	uint64_t period;
	size_t event; /* 0, or 1 for a second event */
};

struct made {
	struct session *session;
	struct fields fields;
	struct profile_filter filter;
	struct profile *profile;
	struct fold *fold;
	struct view_opts opts;
	struct view *view;
	VEC(const struct sample_key *) samples;
	VEC(const struct key *) sites;
	uint32_t event;
};

static const char *const made_clones[] = {
	"a.cold", "b.constprop.0", "c.isra.1", "d.part.2", "e.lto_priv.3", "f.llvm.4", "g::h0123456789abcdef", "h",
};

/* '{', behind 'z', is an address without a name. */
static inline uint64_t made_address(char c)
{
	return 0xffffffffc0000000 + (uint64_t)(c >= 'a' ? c - 'a' : 32 + c - 'A') * 0x100;
}

/* Functions are kernel symbols that the recording itself names, so no file is needed. */
static inline struct session *made_session(const struct made_sample *samples, size_t n)
{
	const uint64_t type = SAMPLE_TID | SAMPLE_TIME | SAMPLE_IP | SAMPLE_PERIOD | SAMPLE_CALLCHAIN;
	bool two = false;
	struct session *s;
	struct build b;

	for (size_t i = 0; i < n; i++)
		two |= samples[i].event;
	b = build_start(type | (two ? SAMPLE_IDENTIFIER : 0));
	if (two)
		build_event(&b, type | SAMPLE_IDENTIFIER, "second");
	for (char c = 'a'; c <= 'z'; c++)
		build_ksymbol(&b, .time = 1, .addr = made_address(c), .len = 0x100, .type = 1,
			      .name = (char[]){ c, 0 });
	for (size_t i = 0; i < ARRAY_SIZE(made_clones); i++)
		build_ksymbol(&b, .time = 1, .addr = made_address((char)('A' + i)), .len = 0x100, .type = 1,
			      .name = made_clones[i]);
	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "seven");
	build_comm(&b, .pid = 8, .tid = 8, .time = 1, .comm = "eight");
	for (size_t i = 0; i < n; i++) {
		uint64_t chain[32] = { (uint64_t)-128 /* kernel */ };
		size_t len = strlen(samples[i].calls);

		for (size_t k = 0; k < len; k++)
			chain[1 + k] = made_address(samples[i].calls[k]) + 0x10;
		build_sample(&b, .pid = samples[i].tid, .tid = samples[i].tid, .time = 2 + i, .ip = chain[1],
			     .period = samples[i].period, .chain = chain, .n_chain = 1 + len, .misc = CPUMODE_KERNEL,
			     .event = samples[i].event);
	}
	s = walked(&b, &(struct session_opts){ 0 });
	build_release(&b);
	return s;
}

/* Make a view of a session's first event. `m` owns the session from now on. */
static inline void made_view_of(struct made *m, struct session *s, const char *sort, bool children)
{
	*m = (struct made){ .session = s };
	assert_int_equal(fields_parse(&m->fields, &(struct fields_opts){ .sort = sort, .children = children }, NULL),
			 0);
	for (size_t i = 0; i < m->fields.sort.len; i++) {
		if (m->fields.sort.items[i]->from == KEY_SAMPLE)
			vec_push(&m->samples, &m->fields.sort.items[i]->sample);
		else if (m->fields.sort.items[i]->site)
			vec_push(&m->sites, m->fields.sort.items[i]);
	}
	m->profile = profile_new(m->session,
				 &(struct profile_opts){ .keys = m->samples.items,
							 .n_keys = m->samples.len,
							 .chains = true,
							 .caller_first = true,
							 .max_stack = 127,
							 .threads = 1,
							 .time_quantum = 1 },
				 &m->filter);
	profile_decode(m->profile);
	profile_name(m->profile);
	m->fold = fold_new(m->profile, &(struct fold_opts){ .keys = m->sites.items,
							    .n_keys = m->sites.len,
							    .children = children,
							    .stacks = fields_need(&m->fields, NEEDS_STACKS) });
	m->opts = (struct view_opts){ .fields = m->fields.columns.items,
				      .n_fields = m->fields.columns.len,
				      .sort = m->fields.sort.items,
				      .n_sort = m->fields.sort.len,
				      .self_title = m->fields.self_title,
				      .children = children,
				      .chains = true,
				      .caller_first = true };
	m->view = view_new(m->fold, &m->opts, &m->event, 1);
}

static inline void made_view(struct made *m, const struct made_sample *samples, size_t n, const char *sort,
			     bool children)
{
	made_view_of(m, made_session(samples, n), sort, children);
}
#define MADE(m, samples, sort, children) made_view(m, samples, ARRAY_SIZE(samples), sort, children)

static inline void made_release(struct made *m)
{
	view_free(m->view);
	fold_free(m->fold);
	profile_free(m->profile);
	fields_free(&m->fields);
	vec_free(&m->samples);
	vec_free(&m->sites);
	session_close(m->session);
}

/* The function of a site, one letter; '?' if it has none. */
static inline char made_letter(const struct made *m, uint32_t site)
{
	const struct site *s = &m->profile->sites.items[site];
	const char *name = view_site_name(m->view, s);

	return name && !name[1] && islower((unsigned char)*name) ? *name : '?';
}

#endif
