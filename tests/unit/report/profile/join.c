/* Entries of equal chains of several parts become one. */
#include "report/profile/entries_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { PARTS = 3, CHAINS = 40 };

/* Chain number `which`: its sites follow from the number. */
static uint32_t add_chain(struct part *part, uint32_t which)
{
	vec_push(&part->chains, (struct chain){ .at = part->words.len, .n = 1 + which % 5 });
	for (uint32_t i = 0; i < 1 + which % 5; i++)
		vec_push(&part->words, 100 * which + i);
	return (uint32_t)part->chains.len - 1;
}

static void add_entry(struct part *part, uint32_t chain, uint32_t self, uint64_t time)
{
	vec_push(&part->entries, (struct entry){ .chain = chain,
						 .self = self,
						 .period = 10,
						 .samples = 1,
						 .first_time = time,
						 .first_thread = (uint32_t)time });
	vec_push(&part->measures, (struct measures){ .latency = 1 });
}

/* Each part has all chains, each in another order, and each one more of its own. */
static struct profile *make(bool branch_history)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	p->n_parts = PARTS;
	p->parts = xcalloc(PARTS, sizeof(*p->parts));
	p->opts = (struct profile_opts){ .want_measures = true, .branch_history = branch_history };
	for (uint32_t i = 0; i < PARTS; i++) {
		part_init(&p->parts[i], 0);
		for (uint32_t k = 0; k < CHAINS; k++)
			add_entry(&p->parts[i], add_chain(&p->parts[i], (k * 7 + i) % CHAINS), 5, 50 - i);
		add_entry(&p->parts[i], add_chain(&p->parts[i], CHAINS + i), 6, 9);
		add_entry(&p->parts[i], 0, 4, 7); /* without a chain */
	}
	return p;
}

/* Join with the hashes that summing up chains leaves. */
static void join(struct profile *p)
{
	uint64_t *hashes[PARTS];

	for (unsigned i = 0; i < PARTS; i++) {
		const struct part *part = &p->parts[i];

		hashes[i] = xcalloc(part->chains.len, sizeof(*hashes[i]));
		for (size_t k = 1; k < part->chains.len; k++)
			hashes[i][k] = hash_bytes(part->words.items + part->chains.items[k].at,
						  part->chains.items[k].n * sizeof(uint32_t), 0);
	}
	join_entries(p, hashes);
	for (unsigned i = 0; i < PARTS; i++)
		free(hashes[i]);
}

static void release(struct profile *p)
{
	for (unsigned i = 0; i < PARTS; i++)
		part_release(&p->parts[i]);
	free(p->parts);
	free(p);
}

static void equal_chains_are_one(void **state)
{
	struct profile *p = make(false);
	size_t entries = 0, most = 0;
	uint64_t period = 0, samples = 0, latency = 0;

	join(p);
	for (unsigned i = 0; i < PARTS; i++) {
		const struct part *part = &p->parts[i];

		for (size_t k = 0; k < part->entries.len; k++) {
			const struct entry *e = &part->entries.items[k];
			const struct chain *c = &part->chains.items[e->chain];

			period += e->period;
			samples += e->samples;
			latency += part->measures.items[k].latency;
			if (e->self == 5) { /* the earliest sample is that of the last part */
				assert_int_equal(e->samples, PARTS);
				assert_int_equal(e->first_time, 50 - (PARTS - 1));
				assert_int_equal(c->n, 1 + part->words.items[c->at] / 100 % 5);
			}
		}
		entries += part->entries.len;
		most = MAX(most, part->entries.len);
	}
	assert_int_equal(entries, CHAINS + PARTS + 1);
	assert_int_equal(samples, PARTS * (CHAINS + 2));
	assert_int_equal(period, 10 * samples);
	assert_int_equal(latency, samples);
	assert_true(most < entries); /* all parts have some */
	release(p);
}

static void chains_with_branches_stay_apart(void **state)
{
	struct profile *p = make(true);

	join(p);
	for (unsigned i = 0; i < PARTS; i++)
		assert_int_equal(p->parts[i].entries.len, CHAINS + 2);
	release(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_chains_are_one),
		cmocka_unit_test(chains_with_branches_stay_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
