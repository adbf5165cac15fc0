/* Turn the branches that a sample recorded into a chain: branch_history of struct profile_opts. */
#include "report/profile/decode_priv.h"

/* The addresses of a call and of its return are at most this far apart. */
enum { CALL_BYTES = 8, HISTORY_MAX = 1 << 10 };

struct history {
	struct {
		const uint8_t *words;
		uint64_t rounds, cycles;
	} branches[HISTORY_MAX]; /* rounds, cycles: of the rounds of a loop that were left out before the branch */
	size_t n;
};

/*
 * Leave out rounds of loops that repeat the previous round, because they tell little. Like perf, leave out every second
 * one, and count it at the branch that follows. Branches are equal if their sources are equal.
 */
static void drop_rounds(struct history *h)
{
	for (size_t i = 1; i < h->n; i++) {
		size_t last = i, round, same = 0;

		while (last-- && branch_from(h->branches[last].words) != branch_from(h->branches[i].words))
			;
		if (last == SIZE_MAX)
			continue;
		round = i - last;
		while (same < round && i + same < h->n &&
		       branch_from(h->branches[last + same].words) == branch_from(h->branches[i + same].words))
			same++;
		if (same < round)
			continue;
		for (size_t k = i; k < i + round && k + round < h->n; k++) {
			h->branches[k + round].rounds += 1 + h->branches[k].rounds;
			h->branches[k + round].cycles +=
				h->branches[k].cycles + branch_cycles(branch_flags(h->branches[k].words));
		}
		memmove(&h->branches[i], &h->branches[i + round], (h->n - i - round) * sizeof(h->branches[0]));
		h->n -= round;
	}
}

static struct branch_sums *history_frame(struct decoder *d, uint32_t frame)
{
	vec_push(&d->history_frames, frame);
	vec_push(&d->history_sums, (struct branch_sums){ 0 });
	return &d->history_sums.items[d->history_sums.len - 1];
}

/*
 * Add the target and the source of a branch. They are shown in this order in both directions, so swap them here if
 * callers come first.
 */
static void history_branch(struct decoder *d, const struct arrival *a, const struct history *h, size_t n)
{
	const uint8_t *branch = h->branches[n].words;
	uint32_t to = frame_anywhere(d, a, branch_to(branch)), from = frame_anywhere(d, a, branch_from(branch));
	uint64_t flags = branch_flags(branch);
	struct branch_sums went = { .to = 1,
				    .predicted = !!(flags & BRANCH_PREDICTED),
				    .aborted = !!(flags & BRANCH_ABORTED) },
			   left = { .from = 1,
				    .cycles = branch_cycles(flags),
				    .rounds = h->branches[n].rounds,
				    .round_cycles = h->branches[n].cycles };

	if (d->profile->opts.caller_first) {
		*history_frame(d, from) = left;
		*history_frame(d, to) = went;
	} else {
		*history_frame(d, to) = went;
		*history_frame(d, from) = left;
	}
}

/* Add the rest of the call chain: the callers outside of the calls that are among the branches. */
static void history_callers(struct decoder *d, const struct arrival *a, const struct history *h)
{
	const struct sample *s = a->sample;
	int mode = CPUMODE_USER;
	size_t called = 0;
	bool innermost = true;

	for (uint64_t i = 0; i < s->n_chain; i++) {
		uint64_t ip = load_u64(s->chain + 8 * i);
		size_t k = called;

		if (ip >= CHAIN_MARKER_MIN) {
			mode = chain_marker_mode(ip);
			if (mode < 0)
				return;
			continue;
		}
		while (k < h->n && !(branch_from(h->branches[k].words) < ip &&
				     branch_from(h->branches[k].words) + CALL_BYTES >= ip))
			k++;
		if (k < h->n)
			called = k + 1;
		else if (!innermost || !h->n)
			history_frame(d, frame_number(d, a, (unsigned)mode, version_number(d, a, (unsigned)mode), ip));
		innermost = false;
	}
}

/* Keep chains of different entries apart, so that the sums over branches belong to one entry. */
uint32_t history_number(struct decoder *d, const struct arrival *a, const struct frame_entry *e)
{
	struct part *part = d->part;
	struct history h = { 0 }; /* some 24 KB */
	struct idtable_probe probe;
	uint64_t hash;
	uint32_t id;
	size_t n;

	vec_clear(&d->history_frames);
	vec_clear(&d->history_sums);
	for (uint64_t i = 0; i < a->sample->branch.n && h.n < HISTORY_MAX; i++)
		h.branches[h.n++].words = branch_at(a->sample->branch.entries, i);
	drop_rounds(&h);
	for (size_t i = 0; i < h.n; i++)
		history_branch(d, a, &h, i);
	history_callers(d, a, &h);
	n = MIN(d->history_frames.len, (size_t)d->profile->opts.max_stack * 2);
	if (!n)
		return 0;
	hash = hash_bytes(d->history_frames.items, n * sizeof(uint32_t),
			  hash_mix((uint64_t)e->event << 32 | e->outer, e->frame));
	probe = idtable_probe(&part->chain_index, hash);
	id = idtable_next(&part->chain_index, &probe);
	if (!id) {
		vec_push(&part->chains, (struct chain){ .at = part->words.len, .n = (uint32_t)n });
		vec_push(&part->chain_ends, (struct chain_end){ 0 });
		id = (uint32_t)part->chains.len;
		idtable_add(&part->chain_index, hash, id);
		vec_append(&part->words, d->history_frames.items, n);
		vec_add(&part->branches, n);
	}
	for (size_t i = 0; i < n; i++)
		branch_sums_add(&part->branches.items[part->chains.items[id - 1].at + i], &d->history_sums.items[i]);
	return id - 1;
}
