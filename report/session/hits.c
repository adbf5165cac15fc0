#include "report/session/hits.h"

#include "format/branch.h"

/* The same limit as in perf. */
enum { MAX_FRAMES = 127 };

typedef void place_fn(void *ctx, const struct map_hit *place, enum hit_kind kind);

/* A sample, and the function to call for each of its places. */
struct visit {
	const struct session *s;
	const struct sample *sample;
	struct task task;
	uint32_t moment;
	place_fn *hit;
	void *ctx;
};

static bool changes_mode(uint64_t word, unsigned *mode)
{
	int next;

	if (word < CHAIN_MARKER_MIN)
		return false;
	next = word == CHAIN_USER_DEFERRED ? CPUMODE_USER : chain_marker_mode(word);
	*mode = next < 0 ? CPUMODE_UNKNOWN : (unsigned)next;
	return true;
}

static bool see(const struct visit *v, unsigned mode, uint64_t address, enum hit_kind kind)
{
	struct map_hit found;

	if (!session_find(v->s, &v->task, v->moment, mode, address, &found))
		return false;
	v->hit(v->ctx, &found, kind);
	return true;
}

static void see_anywhere(const struct visit *v, uint64_t address, enum hit_kind kind)
{
	static const uint8_t modes[] = { CPUMODE_USER, CPUMODE_KERNEL, CPUMODE_GUEST_USER, CPUMODE_GUEST_KERNEL };
	unsigned own = v->sample->misc & MISC_CPUMODE;

	if (see(v, own, address, kind))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (modes[i] != own && see(v, modes[i], address, kind))
			return;
}

static void see_chain(const struct visit *v, struct hits *h, uint64_t pos)
{
	const struct chain_place place = { .sample = v->sample,
					   .task = &v->task,
					   .pos = pos,
					   .moment = v->moment,
					   .max = h->max_frames ? h->max_frames : MAX_FRAMES };
	unsigned mode = v->sample->misc & MISC_CPUMODE;
	struct chain_words chain;

	chain_of_sample(v->s, &place, &h->buffer, &chain);
	for (uint64_t i = 0; i < chain.n; i++) {
		uint64_t word = load_u64(chain.words + 8 * i);

		if (!changes_mode(word, &mode))
			see(v, mode, word, HIT_CALLER);
	}
}

void sample_places(const struct session *s, struct hits *h, const struct record *r, place_fn *hit, void *ctx)
{
	int event = perfdata_event_of(s->pd, r);
	uint64_t pos = session_pos(r->stream, r->pos);
	struct sample sample;
	struct visit v = { .s = s, .sample = &sample, .hit = hit, .ctx = ctx };

	if (event < 0 || sample_decode(s->pd, r, (uint32_t)event, &sample, NULL) < 0) {
		if (h->notes)
			event < 0 ? h->notes->unknown_ids++ : h->notes->bad_samples++;
		return;
	}
	v.moment = session_moment(s, &h->lookup, sample.time, pos);
	session_task(s, &h->lookup, (int32_t)sample.pid, (int32_t)sample.tid, v.moment, &v.task);
	see(&v, sample.misc & MISC_CPUMODE, sample.ip, HIT_SAMPLED);
	see_chain(&v, h, pos);
	for (uint64_t i = 0; i < sample.branch.n; i++) {
		see_anywhere(&v, branch_from(branch_at(sample.branch.entries, i)), HIT_BRANCH);
		see_anywhere(&v, branch_to(branch_at(sample.branch.entries, i)), HIT_BRANCH);
	}
	if (sample.type & SAMPLE_ADDR && sample.addr)
		see_anywhere(&v, sample.addr, HIT_DATA);
}

/* ---- objects alone ---- */

struct object_visit {
	void (*hit)(void *ctx, uint32_t dso);
	void *ctx;
};

static void see_object(void *ctx, const struct map_hit *place, enum hit_kind kind)
{
	const struct object_visit *v = ctx;

	if (kind <= HIT_CALLER)
		v->hit(v->ctx, place->dso);
}

void sample_objects(const struct session *s, struct hits *h, const struct record *r,
		    void (*hit)(void *ctx, uint32_t dso), void *ctx)
{
	sample_places(s, h, r, see_object, &(struct object_visit){ hit, ctx });
}

void hits_release(struct hits *h)
{
	lookup_release(&h->lookup);
	vec_free(&h->buffer);
}
