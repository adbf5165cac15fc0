#include "report/text/dump.h"

#include "report/script/print.h"

/* A record that waits for its turn. */
struct waiting {
	uint64_t time, seq, pos;
	uint32_t stream;
};

/*
 * How much of a stream to release from memory at once. Records that waited are a little before the reader; when they
 * are read again, their pages fault in again.
 */
enum { REST_BYTES = 4 << 20, BEHIND_BYTES = 16 * REST_BYTES };

struct dump {
	const struct perfdata *pd;
	dump_fn *fn;
	void *ctx;
	VEC(struct waiting) heap; /* ordered by time, then by the order in which they were met */
	struct chunk *readers;    /* one per stream, for records that waited */
	uint64_t *rested;         /* how far the stream has been released from memory */
	uint64_t seq, newest, deliver_to;
	bool ordered;
};

static bool before(const struct waiting *a, const struct waiting *b)
{
	return a->time != b->time ? a->time < b->time : a->seq < b->seq;
}

static void heap_push(struct dump *d, struct waiting w)
{
	size_t at = d->heap.len;

	vec_push(&d->heap, w);
	for (; at && before(&w, &d->heap.items[(at - 1) / 2]); at = (at - 1) / 2)
		d->heap.items[at] = d->heap.items[(at - 1) / 2];
	d->heap.items[at] = w;
}

static struct waiting heap_pop(struct dump *d)
{
	struct waiting first = d->heap.items[0], last = d->heap.items[--d->heap.len];
	size_t at = 0, n = d->heap.len;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= n)
			break;
		if (child + 1 < n && before(&d->heap.items[child + 1], &d->heap.items[child]))
			child++;
		if (!before(&d->heap.items[child], &last))
			break;
		d->heap.items[at] = d->heap.items[child];
		at = child;
	}
	if (n)
		d->heap.items[at] = last;
	return first;
}

static void hand_over(struct dump *d, const struct record *r)
{
	uint32_t stream = r->stream;
	uint64_t pos = r->pos;

	d->fn(d->ctx, r);
	if (pos < d->rested[stream] + REST_BYTES)
		return;
	stream_rest(d->pd, stream, pos > BEHIND_BYTES ? pos - BEHIND_BYTES : 0, pos);
	d->rested[stream] = pos;
}

static void deliver(struct dump *d, uint64_t up_to)
{
	while (d->heap.len && d->heap.items[0].time <= up_to) {
		struct waiting w = heap_pop(d);
		struct record r;

		chunk_seek(&d->readers[w.stream], w.pos);
		if (chunk_next(&d->readers[w.stream], &r, NULL) > 0)
			hand_over(d, &r);
	}
}

static void take(struct dump *d, const struct record *r)
{
	uint64_t time;

	if (d->ordered && record_time(d->pd, r, &time) && time && time != UINT64_MAX) {
		heap_push(d, (struct waiting){ time, d->seq++, r->pos, r->stream });
		d->newest = MAX(d->newest, time);
		return;
	}
	hand_over(d, r);
	if (r->type == RECORD_FINISHED_ROUND) {
		deliver(d, d->deliver_to);
		d->deliver_to = d->newest;
	}
}

void dump_walk(const struct perfdata *pd, bool unsorted, struct format_notes *notes, dump_fn *fn, void *ctx)
{
	struct cursor c = { .pd = pd, .notes = notes };
	struct record r;
	struct dump d = {
		.pd = pd, .fn = fn, .ctx = ctx, .ordered = !unsorted && pd->events[0].attr.flags & ATTR_SAMPLE_ID_ALL
	};

	notes->no_records = true;
	d.readers = xcalloc(pd->n_streams, sizeof(*d.readers));
	d.rested = xcalloc(pd->n_streams, sizeof(*d.rested));
	for (size_t i = 0; i < pd->n_streams; i++)
		perfdata_chunk(pd, i, 0, 0, NULL, &d.readers[i]);
	while (cursor_next(&c, &r)) {
		notes->no_records = false;
		take(&d, &r);
	}
	deliver(&d, UINT64_MAX);
	for (size_t i = 0; i < pd->n_streams; i++)
		chunk_release(&d.readers[i]);
	free(d.readers);
	free(d.rested);
	vec_free(&d.heap);
}

struct dump_print {
	const struct perfdata *pd;
	struct out *o;
	const struct session *session;
	struct printer *printer;
	struct lookup lookup;
};

/* Print the sample's thread and the object of its ip. */
static void print_owner(void *ctx, const struct record *r)
{
	struct dump_print *p = ctx;
	int event = perfdata_event_of(p->pd, r);
	struct sample s;
	struct task task;
	struct map_hit hit;
	uint32_t moment;
	char buf[16];

	if (event < 0 || sample_decode(p->pd, r, (uint32_t)event, &s, NULL) < 0)
		return;
	moment = session_moment(p->session, &p->lookup, s.time, session_pos(r->stream, r->pos));
	session_task(p->session, &p->lookup, (int32_t)s.pid, (int32_t)s.tid, moment, &task);
	out_str(p->o, " ... thread: ");
	out_name(p->o, session_comm(p->session, task.comm, buf));
	out_fmt(p->o, ":%d\n ...... dso: ", task.tid);
	if (session_find(p->session, &task, moment, s.misc & MISC_CPUMODE, s.ip, &hit))
		out_name(p->o, dso_name(p->session->symbols, hit.dso));
	else
		out_str(p->o, (s.misc & MISC_CPUMODE) == CPUMODE_HYPERVISOR ? "[hypervisor]" : "<not found>");
	out_char(p->o, '\n');
}

static void print_record(void *ctx, const struct record *r)
{
	struct dump_print *p = ctx;

	/* the walk also delivers the records inside, one by one */
	if (r->type == RECORD_COMPRESSED || r->type == RECORD_COMPRESSED2)
		return;
	record_dump(p->pd, r, p->o);
	record_print(p->pd, r, p->o);
	if (p->printer)
		print_record_again(p->printer, r, print_owner, p, p->o);
	else if (r->type == RECORD_SAMPLE)
		print_owner(p, r);
}

int dump_session(struct session *s, struct printer *printer, bool unsorted, struct out *o, struct err *e)
{
	struct dump_print p = { .pd = s->pd, .o = o, .session = s, .printer = printer };
	struct format_notes counted = { 0 }; /* ignored: the session's walk counts the same again */

	if (!s->chunks.len && session_walk(s, e) < 0)
		return -1;
	dump_walk(s->pd, unsorted, &counted, print_record, &p);
	s->notes.format.no_records = counted.no_records;
	lookup_release(&p.lookup);
	return 0;
}
