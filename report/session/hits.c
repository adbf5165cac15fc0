#include "report/session/hits.h"
#include "report/session/chain.h"

static bool changes_mode(uint64_t word, unsigned *mode)
{
	int next;

	if (word < CHAIN_MARKER_MIN)
		return false;
	next = word == CHAIN_USER_DEFERRED ? CPUMODE_USER : chain_marker_mode(word);
	*mode = next < 0 ? CPUMODE_UNKNOWN : (unsigned)next;
	return true;
}

void sample_objects(const struct session *s, struct lookup *l, const struct record *r,
		    void (*hit)(void *ctx, uint32_t dso), void *ctx)
{
	int event = perfdata_event_of(s->pd, r);
	struct sample sample;
	struct map_hit found;
	struct task task;
	uint32_t moment;
	unsigned mode;

	if (event < 0 || sample_decode(s->pd, r, (uint32_t)event, &sample, NULL) < 0)
		return;
	mode = sample.misc & MISC_CPUMODE;
	moment = session_moment(s, l, sample.time, session_pos(r->stream, r->pos));
	session_task(s, l, (int32_t)sample.pid, (int32_t)sample.tid, moment, &task);
	if (session_find(s, &task, moment, mode, sample.ip, &found))
		hit(ctx, found.dso);
	for (uint64_t i = 0; i < sample.n_chain; i++) {
		uint64_t word = load_u64(sample.chain + 8 * i);

		if (!changes_mode(word, &mode) && session_find(s, &task, moment, mode, word, &found))
			hit(ctx, found.dso);
	}
}
