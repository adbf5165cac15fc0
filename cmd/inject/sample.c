/* Write changed samples. */
#include "cmd/inject/inject_priv.h"

bool inject_decode(struct inject *n, const struct record *r, uint32_t event, struct sample *s)
{
	bool ok = sample_decode(n->s->pd, r, event, s, NULL) == 0;

	n->s->notes.format.bad_samples += !ok;
	return ok;
}

bool inject_chain(struct inject *n, const struct record *r, const struct sample *s, uint32_t max,
		  struct chain_words *chain)
{
	struct task task;
	struct chain_place place = { .pos = session_pos(r->stream, r->pos), .max = max, .sample = s, .task = &task };

	place.moment = session_moment(n->s, &n->hits.lookup, s->time, place.pos);
	session_task(n->s, &n->hits.lookup, (int32_t)s->pid, (int32_t)s->tid, place.moment, &task);
	return chain_of_sample(n->s, &place, &n->hits.buffer, chain);
}

int inject_write_sample(struct inject *n, const struct record *r, const struct sample *s, uint64_t type, uint16_t misc,
			struct err *e)
{
	size_t size = sample_encode(n->s->pd, r, s, type, n->buffer + 8, RECORD_SIZE_MAX - 8);
	struct {
		uint32_t type;
		uint16_t misc, size;
	} head = { r->type, misc, (uint16_t)(8 + size) };

	if (!size) { /* it would be larger than any record; the kernel writes no sample that can grow that much */
		n->s->notes.format.bad_samples++;
		return 1;
	}
	memcpy(n->buffer, &head, 8);
	return writer_record(n->writer, n->buffer, 8 + size, e) < 0 ? -1 : 1;
}
