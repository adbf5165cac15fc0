#include "report/session/hits.h"

/* perf stops at the same number. */
enum { MAX_FRAMES = 127 };

static bool changes_mode(uint64_t word, unsigned *mode)
{
	int next;

	if (word < CHAIN_MARKER_MIN)
		return false;
	next = word == CHAIN_USER_DEFERRED ? CPUMODE_USER : chain_marker_mode(word);
	*mode = next < 0 ? CPUMODE_UNKNOWN : (unsigned)next;
	return true;
}

void sample_objects(const struct session *s, struct hits *h, const struct record *r,
		    void (*hit)(void *ctx, uint32_t dso), void *ctx)
{
	int event = perfdata_event_of(s->pd, r);
	uint64_t pos = session_pos(r->stream, r->pos);
	struct chain_place place;
	struct chain_words chain;
	struct sample sample;
	struct map_hit found;
	struct task task;
	uint32_t moment;
	unsigned mode;

	if (event < 0 || sample_decode(s->pd, r, (uint32_t)event, &sample, NULL) < 0) {
		if (h->notes)
			event < 0 ? h->notes->unknown_ids++ : h->notes->bad_samples++;
		return;
	}
	mode = sample.misc & MISC_CPUMODE;
	moment = session_moment(s, &h->lookup, sample.time, pos);
	session_task(s, &h->lookup, (int32_t)sample.pid, (int32_t)sample.tid, moment, &task);
	if (session_find(s, &task, moment, mode, sample.ip, &found))
		hit(ctx, found.dso);
	place = (struct chain_place){
		.sample = &sample, .task = &task, .pos = pos, .moment = moment, .max = MAX_FRAMES
	};
	chain_of_sample(s, &place, &h->buffer, &chain);
	for (uint64_t i = 0; i < chain.n; i++) {
		uint64_t word = load_u64(chain.words + 8 * i);

		if (!changes_mode(word, &mode) && session_find(s, &task, moment, mode, word, &found))
			hit(ctx, found.dso);
	}
}

void hits_release(struct hits *h)
{
	lookup_release(&h->lookup);
	vec_free(&h->buffer);
}
