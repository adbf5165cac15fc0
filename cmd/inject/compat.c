/*
 * inject --compat=6.1: leave out or rewrite what readers of that time do not know. They know events up to
 * PERF_ATTR_SIZE_VER7, and the records and sections below. Source: linux/perf_event.h of Linux 6.1; strobe.data(5).
 */
#include "cmd/inject/inject_priv.h"

#include "base/say.h"

enum { LAST_KERNEL_RECORD = RECORD_AUX_OUTPUT_HW_ID, LAST_RECORD = RECORD_FINISHED_INIT, LAST_FEATURE = 31 };
#define KNOWN_FLAGS    ((1ull << 38) - 1) /* up to sigtrap */
#define KNOWN_BRANCHES ((1ull << 19) - 1) /* up to priv */
/* Bits of misc in which strobe keeps how an unwound stack ended. */
#define OUR_MISC       (UNWOUND_MASK << UNWOUND_SHIFT)

int inject_compat_check(const struct inject *n, struct err *e)
{
	if (!n->opts->compat || !strcmp(n->opts->compat, "6.1"))
		return 0;
	err_set(e, "--compat knows no version '%s'", n->opts->compat);
	err_try(e, "--compat=6.1");
	return err_exit(e, EXIT_BAD_USAGE);
}

void inject_compat_attr(struct inject *n, struct attr *a)
{
	if (a->flags & ~KNOWN_FLAGS || a->config3 || a->config4 || a->branch_sample_type & ~KNOWN_BRANCHES)
		n->compat.events++;
	a->flags &= KNOWN_FLAGS;
	a->branch_sample_type &= KNOWN_BRANCHES;
	a->config3 = a->config4 = 0;
}

void inject_compat_features(struct inject *n, struct features *f)
{
	for (unsigned bit = LAST_FEATURE + 1; bit < FEATURE_BITS; bit++) {
		n->compat.sections += feature_has(f, bit);
		feature_clear(f, bit);
	}
}

/*
 * Return true if samples of the event must be written again: it has newer flags, or its branches
 * have counters.
 */
static bool is_changed(const struct attr *a)
{
	return a->flags & ~KNOWN_FLAGS || a->branch_sample_type & ~KNOWN_BRANCHES;
}

static int write_sample(struct inject *n, const struct record *r, uint32_t event, struct err *e)
{
	struct chain_words chain;
	struct sample s;

	if (!inject_decode(n, r, event, &s))
		return 1;
	if (s.type & SAMPLE_CALLCHAIN && inject_chain(n, r, &s, UINT16_MAX, &chain)) {
		s.chain = chain.words;
		s.n_chain = chain.n;
	}
	s.branch.counters = NULL;
	return inject_write_sample(n, r, &s, s.type, r->misc & (uint16_t)~OUR_MISC, e);
}

int inject_compat(struct inject *n, const struct record *r, struct err *e)
{
	int event;

	if ((r->type > LAST_KERNEL_RECORD && r->type < RECORD_HEADER_ATTR) || r->type > LAST_RECORD) {
		n->compat.records++;
		return 1;
	}
	event = r->type == RECORD_SAMPLE ? perfdata_event_of(n->s->pd, r) : -1;
	return event >= 0 && is_changed(&n->s->pd->events[event].attr) ? write_sample(n, r, (uint32_t)event, e) : 0;
}

uint16_t inject_compat_misc(const struct inject *n, const struct record *r)
{
	bool ours = n->opts->compat && r->type == RECORD_SAMPLE && n->s->pd->features.n_unwound_events;

	return ours ? r->misc & (uint16_t)~OUR_MISC : r->misc;
}

void inject_compat_say(const struct inject *n)
{
	if (n->opts->compat)
		say("left out for readers of %s: %llu records of newer types, %u sections; newer parts of %u events",
		    n->opts->compat, (unsigned long long)n->compat.records, n->compat.sections, n->compat.events);
}
