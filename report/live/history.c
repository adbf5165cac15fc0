/* Keep the last seconds of a live input. */
#include "report/live/history.h"

#include "base/new_file.h"
#include "base/vec_edit.h"

/* Records that arrived within about a second. */
struct second {
	uint64_t from_ns;
	struct out bytes;
};

struct live_history {
	uint64_t span_ns;
	size_t most, kept; /* bytes of all seconds */
	uint64_t taken;    /* position in the stream up to which records were taken */
	struct out before; /* records about threads and maps from before the first second */
	size_t compacted;  /* bytes of `before` after the last compaction */
	VEC(struct second) seconds;
};

struct live_history *history_new(uint64_t span_ns, size_t most)
{
	struct live_history *h = xcalloc(1, sizeof(*h));

	h->span_ns = span_ns;
	h->most = most;
	out_init_mem(&h->before);
	return h;
}

void history_free(struct live_history *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->seconds.len; i++)
		out_release(&h->seconds.items[i].bytes);
	vec_free(&h->seconds);
	out_release(&h->before);
	free(h);
}

/* ---- processes ---- */

/* Return the process of a record; -1 for the whole system. Source: linux/perf_event.h. */
static int32_t pid_of(const struct record *r)
{
	return r->type == RECORD_MMAP || r->type == RECORD_MMAP2 || r->type == RECORD_COMM || r->type == RECORD_FORK ||
			       r->type == RECORD_EXIT || r->type == RECORD_NAMESPACES
		       ? (int32_t)load_u32(r->body)
		       : -1;
}

/* Return a field. FORK and EXIT have, in order: pid, ppid, tid, ptid, time; COMM begins with pid, tid. */
static int32_t field(const struct record *r, int n) { return (int32_t)load_u32(r->body + 4 * n); }

/* Return the thread of a record that only says something about that thread; -1 for other records. */
static int32_t tid_of(const struct record *r)
{
	switch (r->type) {
	case RECORD_FORK:
	case RECORD_EXIT: return field(r, 2);
	case RECORD_COMM:
	case RECORD_NAMESPACES: return field(r, 1);
	default: return -1;
	}
}

struct kept_process {
	int32_t parent;
	bool ended, needed;
};
struct census {
	struct u64map numbers; /* pid -> index + 1 */
	VEC(struct kept_process) all;
	struct u64map ended; /* tid -> 1: it has ended, and its process goes on; 0: it has not */
};

static struct kept_process *process_of(struct census *c, int32_t pid)
{
	bool is_new;
	uint32_t *at = u64map_put(&c->numbers, (uint64_t)(uint32_t)pid, &is_new);

	if (is_new) {
		vec_push(&c->all, (struct kept_process){ .parent = -1 });
		*at = (uint32_t)c->all.len;
	}
	return &c->all.items[*at - 1];
}

static void count_process(struct census *c, const struct record *r)
{
	struct kept_process *p;

	if (r->type == RECORD_FORK || r->type == RECORD_EXIT)
		*u64map_put(&c->ended, (uint32_t)tid_of(r), NULL) = r->type == RECORD_EXIT && tid_of(r) != pid_of(r);
	if (r->type == RECORD_FORK && field(r, 0) != field(r, 1)) {
		p = process_of(c, field(r, 0)); /* an earlier process may have had this number */
		*p = (struct kept_process){ .parent = field(r, 1) };
	} else if (r->type == RECORD_EXIT && field(r, 0) == field(r, 2)) {
		process_of(c, field(r, 0))->ended = true;
	} else if (r->type == RECORD_COMM && r->misc & MISC_COMM_EXEC) {
		/* It has maps of its own now. The first thread has ended if another one ran the program. */
		*process_of(c, field(r, 0)) = (struct kept_process){ .parent = -1 };
	} else if (pid_of(r) != -1) {
		process_of(c, pid_of(r));
	}
}

/* Mark each living process and its ancestors: it may have inherited maps from them. */
static void mark_needed(struct census *c)
{
	for (size_t i = 0; i < c->all.len; i++) {
		struct kept_process *p = &c->all.items[i];

		while (!c->all.items[i].ended && !p->needed) {
			p->needed = true;
			if (p->parent == -1 || !u64map_find(&c->numbers, (uint64_t)(uint32_t)p->parent))
				break;
			p = process_of(c, p->parent);
		}
	}
}

/* Do we need this record? The records of a thread that ended go, although its process lives. */
static bool is_needed(struct census *c, const struct record *r)
{
	const uint32_t *ended = tid_of(r) == -1 ? NULL : u64map_find(&c->ended, (uint32_t)tid_of(r));

	return pid_of(r) == -1 || (process_of(c, pid_of(r))->needed && !(ended && *ended));
}

static void walk(const struct session *s, const struct out *bytes, struct chunk *c)
{
	chunk_over(s->pd, bytes->buf, bytes->len, c);
}

static void put(struct out *o, const struct record *r) { out_mem(o, (const char *)r->body - 8, r->size + 8u); }

/* Forget threads that have ended, and processes, if no living one was forked from them. */
static void compact(struct live_history *h, const struct session *s)
{
	struct census census = { 0 };
	struct out rest;
	struct chunk c;
	struct record r;

	walk(s, &h->before, &c);
	while (chunk_next(&c, &r, NULL) > 0)
		count_process(&census, &r);
	chunk_release(&c);
	mark_needed(&census);
	out_init_mem(&rest);
	walk(s, &h->before, &c);
	while (chunk_next(&c, &r, NULL) > 0)
		if (is_needed(&census, &r))
			put(&rest, &r);
	chunk_release(&c);
	out_release(&h->before);
	h->before = rest;
	h->compacted = rest.len;
	u64map_free(&census.numbers);
	u64map_free(&census.ended);
	vec_free(&census.all);
}

/* ---- taking in ---- */

/* Do we still need the record after we have dropped the samples of its time? */
static bool outlives(uint32_t type)
{
	return record_is_sideband(type) || (type >= RECORD_HEADER_ATTR && type != RECORD_FINISHED_ROUND &&
					    type != RECORD_FINISHED_INIT && type != RECORD_AUXTRACE);
}

static void forget_first(struct live_history *h, const struct session *s)
{
	struct second *first = &h->seconds.items[0];
	struct chunk c;
	struct record r;

	walk(s, &first->bytes, &c);
	while (chunk_next(&c, &r, NULL) > 0)
		if (outlives(r.type))
			put(&h->before, &r);
	chunk_release(&c);
	h->kept -= first->bytes.len;
	out_release(&first->bytes);
	vec_remove(&h->seconds, 0, 1);
}

static void forget(struct live_history *h, const struct session *s, uint64_t now_ns)
{
	enum { LEAST = 1 << 20 };

	while (h->seconds.len > 1 && (h->kept > h->most || h->seconds.items[1].from_ns + h->span_ns < now_ns))
		forget_first(h, s);
	if (h->before.len > 2 * h->compacted + LEAST)
		compact(h, s);
}

/* Return the second that takes the records arriving now; start one if the last is over. */
static struct second *this_second(struct live_history *h, const struct session *s, uint64_t now_ns)
{
	enum { PIPE_HEADER = 16 }; /* it is in the preamble, but not in the stream */
	struct second *last = h->seconds.len ? &h->seconds.items[h->seconds.len - 1] : NULL;
	size_t preamble;

	if (last && now_ns - last->from_ns < 1000000000)
		return last;
	if (!last) {
		perfdata_preamble(s->pd, &preamble);
		h->taken = preamble - PIPE_HEADER;
	}
	vec_push(&h->seconds, (struct second){ .from_ns = now_ns });
	last = &h->seconds.items[h->seconds.len - 1];
	out_init_mem(&last->bytes);
	return last;
}

void history_take(struct live_history *h, const struct session *s, uint64_t now_ns)
{
	struct out *to = &this_second(h, s, now_ns)->bytes;
	uint64_t end = stream_size(s->pd, 0);
	size_t before = to->len;
	struct chunk c;
	struct record r;

	if (end > h->taken) {
		perfdata_chunk(s->pd, 0, h->taken, end, NULL, &c);
		while (chunk_next(&c, &r, NULL) > 0) {
			put(to, &r);
			if (r.payload)
				out_mem(to, (const char *)r.payload, r.payload_size);
		}
		chunk_release(&c);
		h->kept += to->len - before;
		h->taken = end;
	}
	forget(h, s, now_ns);
}

uint64_t history_span(const struct live_history *h, uint64_t now_ns)
{
	uint64_t had = h->seconds.len ? now_ns - h->seconds.items[0].from_ns : 0;

	return MIN(had, h->span_ns);
}

int history_save(const struct live_history *h, const struct session *s, const char *path, struct err *e)
{
	/* Write everything before the first second as one round. Source: strobe.data(5). */
	static const struct {
		uint32_t type;
		uint16_t misc, size;
	} round = { RECORD_FINISHED_ROUND, 0, 8 };
	struct new_file f;
	size_t len;
	const uint8_t *preamble = perfdata_preamble(s->pd, &len);

	if (new_file_open_private(&f, path, e) < 0)
		return -1;
	out_mem(&f.out, (const char *)preamble, len);
	out_mem(&f.out, h->before.buf, h->before.len);
	out_mem(&f.out, (const char *)&round, sizeof(round));
	for (size_t i = 0; i < h->seconds.len; i++)
		out_mem(&f.out, h->seconds.items[i].bytes.buf, h->seconds.items[i].bytes.len);
	return new_file_finish(&f, e);
}
