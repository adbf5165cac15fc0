/* --ignore-callees: what runs below a matching function counts for this function. */
#include "report/profile/profile_priv.h"
#include "tests/unit/report/rows/made.h"

/* The letter of a site's function, and the sum of all entries that have it as their own. */
static uint64_t own(const struct profile *p, char letter)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < p->n_parts; i++)
		for (size_t k = 0; k < p->parts[i].entries.len; k++) {
			const struct entry *e = &p->parts[i].entries.items[k];
			const struct site *s = &p->sites.items[e->self];

			if (s->symbol && *symbol_name(p->session->symbols, s->dso, s->symbol) == letter)
				sum += e->period;
		}
	return sum;
}

static void ignoring(const char *pattern, bool caller_first, const uint64_t wanted[3])
{
	static const struct made_sample samples[] = {
		{ 7, "cba", 1 }, { 7, "ba", 10 }, { 7, "ca", 100 }, { 8, "cbcba", 1000 }
	};
	struct session *s = made_session(samples, ARRAY_SIZE(samples));
	struct profile_filter filter = { 0 };
	struct profile *p = profile_new(s,
					&(struct profile_opts){ .chains = true,
								.max_stack = 127,
								.threads = 1,
								.time_quantum = 1,
								.caller_first = caller_first },
					&filter);
	regex_t regex;

	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	profile_decode(p);
	profile_name(p);
	profile_ignore_callees(p, &regex);
	for (char c = 'a'; c <= 'c'; c++)
		assert_int_equal(own(p, c), wanted[c - 'a']);
	regfree(&regex);
	profile_free(p);
	session_close(s);
}

static void samples_move_to_the_outermost_match(void **state)
{
	for (int first = 0; first < 2; first++) {
		ignoring("^b$", first, (const uint64_t[]){ 0, 1011, 100 });
		ignoring("^a$", first, (const uint64_t[]){ 1111, 0, 0 });
		ignoring("^[bc]$", first, (const uint64_t[]){ 0, 1011, 100 });
		ignoring("^nothing$", first, (const uint64_t[]){ 0, 10, 1101 });
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_move_to_the_outermost_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
