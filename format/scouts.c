#include "format/scouts.h"

#include "base/parallel.h"
#include "format/reader_priv.h"

enum { SEGMENT = 1 << 19, SEGMENTS = 128, ROW = 8 }; /* ROW: this many samples in a row cannot be chance */

struct scout_part {
	VEC(struct scout_run) runs;
};

static bool is_timed(const struct perfdata *pd, const uint8_t *header, uint16_t size, uint64_t *time)
{
	int at = pd->sample_time;

	if (size < 8 + at + 8)
		return false;
	*time = load_u64(header + 8 + at);
	return *time && *time < OFF_CPU_SUMS;
}

/* Return true if the bytes look like samples in a row. */
static bool is_row(const struct perfdata *pd, struct chunk c)
{
	for (int i = 0; i < ROW; i++) {
		uint16_t size;
		uint64_t time;
		const uint8_t *header = chunk_sample(&c, &size);

		if (!header || size % 8 || !is_timed(pd, header, size, &time))
			return false;
		c.at += size;
	}
	return true;
}

static bool find_row(const struct perfdata *pd, struct chunk *c, const uint8_t *stop)
{
	for (; c->at < stop && c->end - c->at >= 8; c->at += 8)
		if (load_u32(c->at) == RECORD_SAMPLE && is_row(pd, *c))
			return true;
	return false;
}

struct scout_run scout_sum(const struct perfdata *pd, struct chunk *c, uint64_t until, uint64_t least_time)
{
	const uint8_t *at = c->at, *end = c->plain ? c->end : c->at, *stop = c->start + until;
	const size_t time_at = 8 + (size_t)pd->sample_time, least = time_at + 8;
	struct scout_run run = { .from = chunk_pos(c), .least_time = UINT64_MAX };
	const uint8_t *first = at;

	while (at < stop && (size_t)(end - at) >= least && load_u32(at) == RECORD_SAMPLE) {
		uint16_t size = load_u16(at + 6);
		uint64_t time = load_u64(at + time_at);

		if (size < least || size > (size_t)(end - at) || time - least_time >= OFF_CPU_SUMS - least_time)
			break;
		if (time < run.least_time) {
			run.least_time = time;
			first = at;
		}
		run.most_time = MAX(run.most_time, time);
		run.kernel |= (load_u16(at + 4) & MISC_CPUMODE) == CPUMODE_KERNEL;
		run.records++;
		chunk_fetch_header(at);
		at += size;
	}
	c->at = at;
	run.least_pos = (uint64_t)(first - c->start);
	run.to = chunk_pos(c);
	return run;
}

/* Step over a record that is no sample. */
static bool pass_other(struct chunk *c)
{
	uint16_t size = c->end - c->at >= 8 ? load_u16(c->at + 6) : 0;

	if (size < 8 || size > c->end - c->at)
		return false;
	c->at += size;
	return true;
}

static void look(void *ctx, size_t segment, unsigned worker)
{
	enum { LEAST = 64 }; /* shorter runs are walked as quickly */
	struct scouts *x = ctx;
	uint64_t from = x->from + segment * SEGMENT, to = MIN(from + SEGMENT, stream_size(x->pd, x->stream));
	struct chunk c;

	(void)worker;
	stream_fetch(x->pd, x->stream, from, to);
	perfdata_chunk(x->pd, x->stream, from, stream_size(x->pd, x->stream), NULL, &c);
	if (!segment || find_row(x->pd, &c, c.start + to)) {
		do {
			struct scout_run run = scout_sum(x->pd, &c, to, 1);

			if (run.records >= LEAST)
				vec_push(&x->parts[segment].runs, run);
		} while (c.at < c.start + to && pass_other(&c));
	}
	chunk_release(&c);
	if (!x->keep)
		stream_rest(x->pd, x->stream, from, to);
}

/*
 * Return true if samples have copies of stacks. Most bytes are then stacks, and the plain walk
 * skips them.
 */
static bool has_stacks(const struct perfdata *pd)
{
	for (size_t i = 0; i < pd->n_events; i++)
		if (pd->events[i].attr.sample_type & SAMPLE_STACK_USER)
			return true;
	return false;
}

bool scouts_wanted(const struct perfdata *pd, size_t stream)
{
	const struct stream *s = &pd->streams[stream];

	return !pd->swap && !s->n_segments && s->map.data && pd->sample_time >= 0 && parallel_threads() > 1 &&
	       s->size >= (uint64_t)4 * SEGMENT && !has_stacks(pd);
}

void scouts_look(struct scouts *x, const struct perfdata *pd, size_t stream, uint64_t from)
{
	uint64_t left = stream_size(pd, stream) - from, most = x->most ? x->most / SEGMENT : SEGMENTS;
	size_t n = (size_t)MIN((left + SEGMENT - 1) / SEGMENT, most);

	x->pd = pd;
	x->stream = stream;
	x->from = from;
	x->until = n < most ? UINT64_MAX : from + (uint64_t)n * SEGMENT;
	x->next = 0;
	x->parts = xcalloc(n, sizeof(*x->parts));
	vec_clear(&x->runs);
	parallel_for(n, parallel_threads(), look, x);
	for (size_t i = 0; i < n; i++) {
		vec_append(&x->runs, x->parts[i].runs.items, x->parts[i].runs.len);
		vec_free(&x->parts[i].runs);
	}
	free(x->parts);
	x->parts = NULL;
}

const struct scout_run *scouts_find(struct scouts *x, uint64_t pos)
{
	while (x->next < x->runs.len && x->runs.items[x->next].from < pos)
		x->next++;
	return x->next < x->runs.len ? &x->runs.items[x->next] : NULL;
}

void scouts_release(struct scouts *x) { vec_free(&x->runs); }
