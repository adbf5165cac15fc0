/* Chains and entries of frames become those of sites; those that become equal are merged. */
#include "report/profile/entries_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/*
 * A part with frames 1 to 5 of its own, which are 5 to 1 of the profile. Frame f of the part is at site 10 * f; frame
 * 4 is another address in the function of frame 1. With `inlined`, frame 2 has an inlined call: sites 20 and 21, the
 * innermost first. A sample at frame f has the site 100 + 10 * f, again with 4 like 1.
 */
enum { FRAMES = 5, SAME = 4 };
struct made {
	struct profile p;
	struct part part;
	uint32_t map[FRAMES + 1], outers[3];
};

static void make(struct made *m, const struct profile_opts *opts, bool inlined)
{
	*m = (struct made){ .p = { .opts = *opts, .n_parts = 1 }, .outers = { 7, 8, 7 } };
	m->p.parts = &m->part;
	part_init(&m->part, 0);
	vec_add(&m->p.frames, FRAMES + 1);
	vec_push(&m->p.leaf_sites, 0);
	vec_push(&m->p.chain_first, 0);
	for (uint32_t i = 1; i <= FRAMES; i++) {
		uint32_t frame = FRAMES + 1 - i, site = 10 * (frame == SAME ? 1 : frame);

		m->map[frame] = i;
		vec_push(&m->p.chain_first, (uint32_t)m->p.chain_sites.len);
		vec_push(&m->p.chain_sites, site);
		if (inlined && frame == 2)
			vec_push(&m->p.chain_sites, site + 1);
		vec_push(&m->p.leaf_sites, 100 + site);
	}
	vec_push(&m->p.chain_first, (uint32_t)m->p.chain_sites.len);
}

static void release(struct made *m)
{
	part_release(&m->part);
	vec_free(&m->p.frames);
	vec_free(&m->p.leaf_sites);
	vec_free(&m->p.chain_first);
	vec_free(&m->p.chain_sites);
}

/* Add a chain of frames, which a text names; return its number. */
static uint32_t add_chain(struct made *m, const char *frames)
{
	vec_push(&m->part.chains, (struct chain){ .at = m->part.words.len, .n = strlen(frames) });
	for (; *frames; frames++)
		vec_push(&m->part.words, (uint32_t)(*frames - '0'));
	return (uint32_t)m->part.chains.len - 1;
}

static void add_entry(struct made *m, struct frame_entry e)
{
	e.samples = 1;
	vec_push(&m->part.found, e);
}

static void sum(struct made *m)
{
	uint32_t *map = m->map, *outers = m->outers, n = FRAMES + 1;

	sum_sites(&(struct naming){ .p = &m->p, .frame_maps = &map, .outer_maps = &outers, .n_frames = &n });
}

/* The sites of the chain of an entry, as text. */
static void check_chain(const struct made *m, size_t entry, const char *want)
{
	const struct chain *c = &m->part.chains.items[m->part.entries.items[entry].chain];
	struct out o;

	out_init_mem(&o);
	for (uint32_t i = 0; i < c->n; i++)
		out_fmt(&o, i ? " %u" : "%u", m->part.words.items[c->at + i]);
	assert_string_equal(out_text(&o), want);
	out_release(&o);
}

/* ---- chains ---- */

static void sites_are_in_the_order_of_display(void **state)
{
	static const struct {
		bool caller_first, inlined;
		const char *sites;
	} cases[] = {
		{ false, false, "10 20 30" },
		{ true, false, "30 20 10" },
		{ false, true, "10 20 21 30" },
		{ true, true, "30 21 20 10" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct made m;

		make(&m, &(struct profile_opts){ .caller_first = cases[i].caller_first }, cases[i].inlined);
		add_entry(&m, (struct frame_entry){ .frame = 1, .chain = add_chain(&m, "123") });
		add_entry(&m, (struct frame_entry){ .frame = 2 }); /* without a chain */
		sum(&m);
		assert_int_equal(m.part.entries.len, 2);
		check_chain(&m, 0, cases[i].sites);
		check_chain(&m, 1, "");
		release(&m);
	}
}

/* Chains of equal sites are one, also the empty one, and those around them stay what they are. */
static void chains_of_equal_sites_are_one(void **state)
{
	static const char *const chains[] = { "1", "123", "4", "423", "12", "5", "", "1", "523" };
	static const char *const with_inlined[] = { "10", "10 20 21 30", "10",         "10 20 21 30", "10 20 21", "50",
						    "",   "10",          "50 20 21 30" };
	static const char *const without[] = {
		"10", "10 20 30", "10", "10 20 30", "10 20", "50", "", "10", "50 20 30"
	};

	for (int inlined = 0; inlined < 2; inlined++) {
		struct made m;

		make(&m, &(struct profile_opts){ 0 }, inlined);
		for (uint32_t i = 0; i < ARRAY_SIZE(chains); i++)
			add_entry(&m,
				  (struct frame_entry){ .event = i, .frame = 1, .chain = add_chain(&m, chains[i]) });
		sum(&m);
		assert_int_equal(m.part.entries.len, ARRAY_SIZE(chains));
		for (size_t i = 0; i < ARRAY_SIZE(chains); i++)
			check_chain(&m, i, inlined ? with_inlined[i] : without[i]);
		assert_int_equal(m.part.chains.len, 1 + 6);
		assert_int_equal(m.part.words.len, inlined ? 13 : 10);
		release(&m);
	}
}

/* Not each frame has one site, although there are as many sites as frames. */
static void a_frame_without_sites_adds_nothing(void **state)
{
	struct made m;

	make(&m, &(struct profile_opts){ 0 }, true);
	/* frame 1 of the part is the last one of the profile */
	m.p.chain_first.items[FRAMES + 1] = (uint32_t)--m.p.chain_sites.len;
	add_entry(&m, (struct frame_entry){ .frame = 1, .chain = add_chain(&m, "123") });
	sum(&m);
	check_chain(&m, 0, "20 21 30");
	release(&m);
}

/* They are taken 16 at a time. */
static void all_of_many_chains_are_taken(void **state)
{
	static const uint32_t counts[] = { 0, 1, 15, 16, 17, 32, 33, 200 };

	for (size_t k = 0; k < ARRAY_SIZE(counts); k++) {
		struct made m;

		make(&m, &(struct profile_opts){ 0 }, k % 2);
		for (uint32_t i = 0; i < counts[k]; i++) {
			char text[] = { (char)('1' + i % 3),      (char)('1' + i / 3 % 3), (char)('1' + i / 9 % 3),
					(char)('1' + i / 27 % 3), (char)('1' + i / 81),    0 };

			add_entry(&m, (struct frame_entry){ .frame = 3, .chain = add_chain(&m, text) });
		}
		sum(&m);
		assert_int_equal(m.part.chains.len, 1 + counts[k]);
		assert_int_equal(m.part.entries.len, counts[k]);
		for (uint32_t i = 0; i < counts[k]; i++)
			assert_int_equal(m.part.entries.items[i].chain, 1 + i);
		release(&m);
	}
}

/* So long a chain cannot be recorded, but many inlined calls may make it. */
static void chains_are_cut_at_a_limit(void **state)
{
	enum { SIDE = 1 << 12 };
	struct made m;

	make(&m, &(struct profile_opts){ 0 }, false);
	/* frame 1 of the part, the last one of the profile, becomes 4096 calls */
	for (uint32_t i = 1; i < SIDE; i++)
		vec_push(&m.p.chain_sites, 1000 + i);
	m.p.chain_first.items[FRAMES + 1] = (uint32_t)m.p.chain_sites.len;
	vec_push(&m.part.chains, (struct chain){ .at = 0, .n = SIDE });
	for (uint32_t i = 0; i < SIDE; i++)
		vec_push(&m.part.words, 1);
	sum(&m);
	assert_int_equal(m.part.chains.len, 2);
	assert_int_equal(m.part.chains.items[1].n, CHAIN_SITES_MAX);
	assert_int_equal(m.part.words.len, CHAIN_SITES_MAX);
	assert_int_equal(m.part.words.items[0], 10);
	assert_int_equal(m.part.words.items[CHAIN_SITES_MAX - 1], 1000 + SIDE - 2);
	release(&m);
}

/* Each chain has branches of its own, which are turned with it. */
static void chains_with_branches_stay_apart(void **state)
{
	for (int caller_first = 0; caller_first < 2; caller_first++) {
		struct made m;

		make(&m, &(struct profile_opts){ .branch_history = true, .caller_first = caller_first }, false);
		for (uint32_t i = 0; i < 2; i++)
			add_entry(&m, (struct frame_entry){ .frame = 1, .chain = add_chain(&m, "") });
		add_entry(&m, (struct frame_entry){ .frame = 1, .chain = add_chain(&m, "12") });
		add_chain(&m, "423");
		for (uint64_t i = 0; i < 5; i++)
			vec_push(&m.part.branches, (struct branch_sums){ .to = i });
		sum(&m);
		assert_int_equal(m.part.chains.len, 1 + 4);
		assert_int_equal(m.part.entries.len, 3);
		for (size_t i = 0; i < 5; i++)
			assert_int_equal(m.part.branches.items[i].to, caller_first ? (i < 2 ? 1 - i : 6 - i) : i);
		release(&m);
	}
}

/* ---- entries ---- */

/* The second entry differs from the first one in one value, or not at all. */
static void entries_are_one_if_all_their_values_are(void **state)
{
	static const struct {
		struct frame_entry second;
		size_t n;
	} cases[] = {
		{ { .event = 1, .outer = 0, .chain = 1, .frame = 1, .other_frame = 3 }, 1 },
		{ { .event = 1, .outer = 2, .chain = 1, .frame = SAME, .other_frame = 3 }, 1 }, /* they look the same */
		{ { .event = 2, .outer = 0, .chain = 1, .frame = 1, .other_frame = 3 }, 2 },
		{ { .event = 1, .outer = 1, .chain = 1, .frame = 1, .other_frame = 3 }, 2 },
		{ { .event = 1, .outer = 0, .chain = 2, .frame = 1, .other_frame = 3 }, 2 },
		{ { .event = 1, .outer = 0, .chain = 3, .frame = 1, .other_frame = 3 }, 1 }, /* the same sites */
		{ { .event = 1, .outer = 0, .chain = 0, .frame = 1, .other_frame = 3 }, 2 },
		{ { .event = 1, .outer = 0, .chain = 1, .frame = 2, .other_frame = 3 }, 2 },
		{ { .event = 1, .outer = 0, .chain = 1, .frame = 1, .other_frame = 0 }, 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct made m;

		make(&m, &(struct profile_opts){ 0 }, false);
		add_chain(&m, "12");
		add_chain(&m, "13");
		add_chain(&m, "42");
		add_entry(&m, (struct frame_entry){ .event = 1, .chain = 1, .frame = 1, .other_frame = 3 });
		add_entry(&m, cases[i].second);
		sum(&m);
		assert_int_equal(m.part.entries.len, cases[i].n);
		assert_int_equal(m.part.entries.items[0].samples, 3 - cases[i].n);
		assert_int_equal(m.part.entries.items[0].self, 110);
		assert_int_equal(m.part.entries.items[0].other, 130);
		assert_int_equal(m.part.entries.items[0].outer, 7);
		assert_int_equal(m.part.found.len, 0);
		release(&m);
	}
}

/* Equal times come from several CPUs; then the lower thread is the first one. */
static void the_earliest_sample_names_an_entry(void **state)
{
	static const struct frame_entry all[] = {
		{ .frame = 1, .first_time = 50, .first_thread = 9, .period = 1, .first_mode = 1 },
		{ .frame = SAME, .first_time = 40, .first_thread = 8, .period = 2, .first_mode = 2 },
		{ .frame = 1, .first_time = 40, .first_thread = 3, .period = UINT64_MAX - 8, .first_mode = 3 },
		{ .frame = 1, .first_time = 40, .first_thread = 4, .period = 4, .first_mode = 4 },
	};
	struct made m;

	make(&m, &(struct profile_opts){ 0 }, false);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		add_entry(&m, all[i]);
	sum(&m);
	assert_int_equal(m.part.entries.len, 1);
	assert_int_equal(m.part.entries.items[0].first_time, 40);
	assert_int_equal(m.part.entries.items[0].first_thread, 3);
	assert_int_equal(m.part.entries.items[0].first_mode, 3);
	assert_int_equal(m.part.entries.items[0].period, UINT64_MAX - 1);
	release(&m);
}

/* A chain has a short list of entries; further ones are in a table. */
static void a_chain_may_have_many_entries(void **state)
{
	enum { ENTRIES = 3 * CHAIN_ENTRIES };
	struct part part = { 0 };

	for (uint32_t again = 0; again < 2; again++)
		for (uint32_t chain = 0; chain < 3; chain++)
			for (uint32_t self = 0; self < ENTRIES; self++)
				assert_int_equal(
					part_add_entry(&part,
						       &(struct entry){ .chain = chain, .self = self, .samples = 1 }),
					chain * ENTRIES + self);
	assert_int_equal(part.entries.len, 3 * ENTRIES);
	for (size_t i = 0; i < part.entries.len; i++)
		assert_int_equal(part.entries.items[i].samples, 2);
	part_release(&part);
}

static void what_entries_measured_and_kept_goes_with_them(void **state)
{
	const struct profile_opts opts = { .want_measures = true, .keep_samples = 2 };
	struct made m;

	make(&m, &opts, false);
	for (uint64_t i = 0; i < 4; i++) {
		add_entry(&m, (struct frame_entry){ .frame = i == 1 ? 2 : i == 2 ? SAME : 1 });
		vec_push(&m.part.measures, (struct measures){ .latency = 1ull << i });
		vec_add(&m.part.kept, 1);
		part_keep(&m.part, (uint32_t)i, 2, &(struct kept_sample){ .rank = 10 - i });
	}
	sum(&m);
	assert_int_equal(m.part.entries.len, 2);
	assert_int_equal(m.part.measures.items[0].latency, 1 + 4 + 8);
	assert_int_equal(m.part.measures.items[1].latency, 2);
	assert_int_equal(m.part.kept.items[0].len, 2); /* those of the lowest ranks */
	assert_int_equal(m.part.kept.items[0].items[0].rank + m.part.kept.items[0].items[1].rank, 8 + 7);
	assert_int_equal(m.part.kept.items[1].len, 1);
	assert_int_equal(m.part.kept.items[1].items[0].rank, 9);
	release(&m);
}

/* Places are addresses: those of one function stay apart, and so do events. */
static void samples_are_summed_by_address(void **state)
{
	static const struct {
		uint32_t frame, event;
		uint64_t samples, period;
	} want[] = { { 5, 0, 2, 11 }, { 5, 1, 1, 100 }, { 2, 0, 1, 1000 } };
	struct made m;

	make(&m, &(struct profile_opts){ .keep_places = true }, false);
	add_entry(&m, (struct frame_entry){ .frame = 1, .period = 1 });
	add_entry(&m, (struct frame_entry){ .frame = 1, .event = 1, .period = 100 });
	add_entry(&m, (struct frame_entry){ .frame = SAME, .period = 1000 });
	add_entry(&m, (struct frame_entry){ .frame = 1, .outer = 1, .period = 10 });
	sum(&m);
	assert_int_equal(m.part.places.len, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(m.part.places.items[i].frame, want[i].frame);
		assert_int_equal(m.part.places.items[i].event, want[i].event);
		assert_int_equal(m.part.places.items[i].samples, want[i].samples);
		assert_int_equal(m.part.places.items[i].period, want[i].period);
	}
	release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sites_are_in_the_order_of_display),
		cmocka_unit_test(chains_of_equal_sites_are_one),
		cmocka_unit_test(a_frame_without_sites_adds_nothing),
		cmocka_unit_test(all_of_many_chains_are_taken),
		cmocka_unit_test(chains_are_cut_at_a_limit),
		cmocka_unit_test(chains_with_branches_stay_apart),
		cmocka_unit_test(entries_are_one_if_all_their_values_are),
		cmocka_unit_test(the_earliest_sample_names_an_entry),
		cmocka_unit_test(a_chain_may_have_many_entries),
		cmocka_unit_test(what_entries_measured_and_kept_goes_with_them),
		cmocka_unit_test(samples_are_summed_by_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
