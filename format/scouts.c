#include "format/scouts.h"

#include "base/parallel.h"
#include "format/reader_priv.h"

enum { SEGMENT = 1 << 19, SEGMENTS = 8, ROW = 8 }; /* ROW: this many samples in a row cannot be chance */

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

/* Read a segment, and look for runs in it. */
static void look(void *ctx, size_t segment, unsigned worker)
{
	enum { LEAST = 64 }; /* shorter runs are walked as quickly */
	struct scouts *x = ctx;
	uint64_t from = x->from + segment * SEGMENT, to = MIN(from + SEGMENT, x->copy.to);
	struct chunk c;

	(void)worker;
	if (!records_copy_fill(&x->copy, x->pd, from, segment + 1 == x->n_parts ? x->copy.to : to)) {
		__atomic_store_n(&x->failed, true, __ATOMIC_RELAXED);
		return;
	}
	perfdata_chunk(x->pd, x->stream, from, to, NULL, &c);
	chunk_use(&c, &x->copy);
	if (!segment || find_row(x->pd, &c, c.start + to)) {
		do {
			struct scout_run run = scout_sum(x->pd, &c, to, 1);

			if (run.records >= LEAST)
				vec_push(&x->parts[segment].runs, run);
		} while (c.at < c.start + to && pass_other(&c));
	}
	chunk_release(&c);
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

	return !pd->swap && !s->n_segments && s->map.data && pd->sample_time >= 0 && s->size >= (uint64_t)4 * SEGMENT &&
	       !has_stacks(pd);
}

void scouts_begin(struct scouts *x, uint64_t most)
{
	x->most = most;
	x->next = 0;
	x->until = 0;
	vec_clear(&x->runs);
}

/* Read the part into x->copy. The last record may end behind it. */
static void read_part(struct scouts *x, uint64_t end)
{
	enum { RECORD = 1 << 16 };

	records_copy_begin(&x->copy, x->pd, x->stream, x->from, MIN(x->from + x->n_parts * SEGMENT + RECORD, end));
	x->failed = false;
	x->parts = xcalloc(x->n_parts, sizeof(*x->parts));
	parallel_for(x->n_parts, parallel_threads(), look, x);
	for (size_t i = 0; i < x->n_parts; i++) {
		vec_append(&x->runs, x->parts[i].runs.items, x->parts[i].runs.len);
		vec_free(&x->parts[i].runs);
	}
	free(x->parts);
	if (x->failed)
		x->copy.to = x->copy.from;
}

void scouts_look(struct scouts *x, const struct perfdata *pd, size_t stream, uint64_t from)
{
	uint64_t end = stream_size(pd, stream),
		 most = x->most ? x->most / SEGMENT : MAX(2 * parallel_threads(), SEGMENTS);

	x->pd = pd;
	x->stream = stream;
	x->from = from;
	x->n_parts = (size_t)MIN((end - from + SEGMENT - 1) / SEGMENT, most);
	x->until = x->n_parts < most ? UINT64_MAX : from + (uint64_t)x->n_parts * SEGMENT;
	x->next = 0;
	vec_clear(&x->runs);
	if (x->n_parts)
		read_part(x, end);
}

const struct scout_run *scouts_find(struct scouts *x, uint64_t pos)
{
	while (x->next < x->runs.len && x->runs.items[x->next].from < pos)
		x->next++;
	return x->next < x->runs.len ? &x->runs.items[x->next] : NULL;
}

void scouts_release(struct scouts *x)
{
	free(x->copy.room);
	x->copy = (struct records_copy){ 0 };
	vec_free(&x->runs);
}
