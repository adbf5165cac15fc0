/*
 * Print usual samples fast: the fields at the start of a line, then the chain or the payload of a tracepoint. Nearly
 * all samples of a recording are like that. We make the texts that samples have in common only once, and copy them: the
 * text of a thread on a CPU, and that of a whole chain. print.c prints samples that are new or different in any way.
 */
#include "report/script/chain_texts_priv.h"
#include "report/script/head_priv.h"

enum {
	OWNERS = 64,
	BLOCK = 32, /* short texts are copied in blocks */
	HEAD_MOST = 2 * BLOCK,
	TAIL_MOST = ROUND_UP(START_END_MOST + 1, BLOCK),
	TOGETHER = 16,   /* samples; while we print the first ones, the memory for the later ones is fetched */
	CHAIN_WORDS = 8, /* there are too many different chains longer than this to keep their texts */
};

/* Who was sampled, and where, with the text up to the time. */
struct usual_owner {
	uint64_t ids; /* pid and tid as in the record */
	uint32_t cpu, style, moment;
	bool known;
	uint8_t len;
	char text[HEAD_MOST];
	struct task task;
	struct chain_views views;
	uint64_t seed; /* of the hashes of its chains */
};

struct usual {
	struct usual_owner owners[OWNERS]; /* by tid and CPU */
	struct usual_tail {
		uint64_t period;
		size_t len; /* 0: none yet */
		uint32_t event;
		char text[TAIL_MOST];
	} tail; /* the text of the last line after the time; all samples of a clock event have the same period */
	struct chain_texts chains;
};

static enum usual_kind usual_kind(const struct print_event *event, const struct file_event *file_event)
{
	print_fn *const *rest = &event->prints[event->n_start];
	uint64_t types = file_event->attr.sample_type;

	if (!event->n_start || file_event->layout.tid < 0 || file_event->layout.time < 0 || !rest[0] || rest[1])
		return USUAL_NOT;
	if (rest[0] == print_ip && event->chain && !(types & ~(SAMPLE_FIXED | SAMPLE_CALLCHAIN)))
		return USUAL_CHAIN;
	if (rest[0] == print_trace && types & SAMPLE_RAW && !(types & ~(SAMPLE_FIXED | SAMPLE_RAW)))
		return USUAL_TRACE;
	return USUAL_NOT;
}

void usual_init(struct printer *p)
{
	const struct print_opts *o = &p->opts;
	const struct session *s = p->session;
	uint32_t style = 0;

	if (p->form || o->filter || o->sinks || o->check || o->switch_on || o->switch_off || o->reltime ||
	    o->deltatime || (o->times && o->times->len) || !s->sorted || s->pd->features.n_unwound_events)
		return;
	for (uint32_t i = 0; i < s->pd->n_events; i++) {
		struct print_event *event = &p->events[i], *other = &p->events[style];

		event->usual = usual_kind(event, &s->pd->events[i]);
		if (!event->usual)
			continue;
		if (event->usual != other->usual || event->fields != other->fields ||
		    event->task_style != other->task_style)
			style = i;
		event->usual_style = style;
		p->usual = true;
	}
}

void usual_forget(struct usual *u)
{
	for (unsigned i = 0; u && i < OWNERS; i++)
		u->owners[i].known = false;
}

void usual_free(struct usual *u)
{
	if (!u)
		return;
	chain_texts_release(&u->chains);
	free(u);
}

/* ---- owners ---- */

static inline struct usual_owner *owner_slot(struct usual *u, uint32_t tid, uint32_t cpu)
{
	return &u->owners[(tid + 5 * cpu) % OWNERS];
}

void usual_learn(struct print_job *j)
{
	const struct sample *sample = j->sample;
	struct out *o = j->o, *text = &j->w->text;
	const uint32_t pid_tid[] = { sample->pid, sample->tid };
	struct usual_owner *owner;
	uint64_t ids;

	memcpy(&ids, pid_tid, sizeof(ids));
	if (!j->w->usual)
		j->w->usual = xcalloc(1, sizeof(*j->w->usual));
	text->len = 0;
	j->o = text;
	for (print_fn *const *print = j->event->prints; *print != head_time; print++)
		(*print)(j);
	j->o = o;
	if (text->len > HEAD_MOST)
		return;
	owner = owner_slot(j->w->usual, sample->tid, sample->cpu);
	*owner = (struct usual_owner){ .ids = ids,
				       .cpu = sample->cpu,
				       .style = j->event->usual_style,
				       .moment = j->moment,
				       .known = true,
				       .len = (uint8_t)text->len,
				       .task = j->task,
				       .views = *address_chain_views(j) };
	owner->seed = hash_mix(owner->views.user, owner->views.kernel);
	if (text->len)
		memcpy(owner->text, text->buf, text->len);
}

/* ---- samples ---- */

/* A usual sample as it lies in the record, and its owner. */
struct usual_sample {
	const uint8_t *body, *rest; /* rest: the words of the chain, or the payload */
	const struct layout *layout;
	const struct usual_owner *owner;
	uint64_t pos, time, n, hash; /* n: words or bytes; hash: of the chain */
	uint32_t event, cpu;
	bool chain, kept; /* kept: look for the text of the chain, and keep it */
};

/* Find the chain or payload in the `room` bytes after the fixed fields. Return false if they do not fit. */
static inline bool take_rest(struct usual_sample *s, const uint8_t *at, size_t room)
{
	size_t head = s->chain ? 8 : 4, unit = s->chain ? 8 : 1;

	if (room < head)
		return false;
	s->n = s->chain ? load_u64(at) : load_u32(at);
	s->rest = at + head;
	return s->n <= (room - head) / unit;
}

/* Is the remembered owner still right at the time of the sample? */
static inline bool is_owner(const struct print_worker *w, const struct usual_sample *s, uint32_t style)
{
	const struct usual_owner *owner = s->owner;
	const struct lookup *l = &w->lookup;

	return l->valid && s->time > l->before[0].time && s->time < l->before[1].time && owner->known &&
	       owner->ids == load_u64(s->body + s->layout->tid) && owner->cpu == s->cpu && owner->style == style &&
	       owner->moment == l->moment;
}

/* Read the sample at a position. Return false if it is not a usual sample of a known owner. */
static inline bool sample_at(const struct printer *p, struct print_worker *w, uint64_t pos, struct usual_sample *s)
{
	const struct perfdata *pd = p->session->pd;
	struct chunk *c = &w->reader.chunk;
	struct record r = { .type = RECORD_SAMPLE };
	const struct layout *l;
	const uint8_t *at;
	uint16_t size;
	int event;

	chunk_seek(c, session_pos_offset(pos));
	at = chunk_sample(c, &size);
	if (!at)
		return false;
	chunk_fetch_ahead(at, size);
	r.body = at + 8;
	r.size = (uint16_t)(size - 8);
	event = perfdata_event_of(pd, &r);
	if (event < 0 || !p->events[event].usual)
		return false;
	l = &pd->events[event].layout;
	if (r.size < l->fixed_size)
		return false;
	s->pos = pos;
	s->event = (uint32_t)event;
	s->chain = p->events[event].usual == USUAL_CHAIN;
	s->body = r.body;
	s->layout = l;
	s->time = load_u64(r.body + l->time);
	s->cpu = l->cpu >= 0 ? load_u32(r.body + l->cpu) : UINT32_MAX;
	s->owner = owner_slot(w->usual, load_u32(r.body + l->tid + 4), s->cpu);
	return take_rest(s, r.body + l->fixed_size, r.size - l->fixed_size) &&
	       is_owner(w, s, p->events[event].usual_style);
}

/* Collect the next usual samples, and prefetch the texts of their chains. */
static size_t collect(const struct printer *p, struct print_worker *w, const struct session_place *places, size_t n,
		      struct usual_sample *samples)
{
	struct chain_texts *texts = &w->usual->chains;
	size_t got = 0;

	for (; got < n && session_pos_stream(places[got].pos) == w->reader.stream; got++) {
		struct usual_sample *s = &samples[got];

		if (!sample_at(p, w, places[got].pos, s))
			break;
		s->kept = s->chain && s->n <= CHAIN_WORDS && !texts->useless;
		if (!s->kept)
			continue;
		s->hash = hash_words(s->rest, s->n, s->owner->seed);
		chain_texts_fetch_slot(texts, s->hash);
	}
	for (size_t i = 0; i < got; i++)
		if (samples[i].kept)
			chain_texts_fetch(texts, samples[i].hash);
	return got;
}

/* Does the text of the chain depend only on its words and the owner? Other markers than user and kernel may not. */
static bool is_plain_chain(const struct usual_sample *s)
{
	for (uint64_t i = 0; i < s->n; i++) {
		uint64_t word = load_u64(s->rest + 8 * i);

		if (word >= CHAIN_MARKER_MIN && word != CHAIN_USER && word != CHAIN_KERNEL)
			return false;
	}
	return true;
}

static void print_words(struct printer *p, struct print_worker *w, const struct usual_sample *s, struct out *o)
{
	const struct usual_owner *owner = s->owner;
	struct print_job j = { .p = p,
			       .w = w,
			       .o = o,
			       .event = &p->events[s->event],
			       .file_event = &p->session->pd->events[s->event],
			       .task = owner->task,
			       .moment = owner->moment,
			       .pos = s->pos };

	address_print_chain(&j, &(struct chain_words){ .words = s->rest, .n = s->n, .unwound = s->n }, &owner->views);
	out_char(o, '\n');
}

/* Print the chain and the empty line after it. */
static inline void print_usual_chain(struct printer *p, struct print_worker *w, const struct usual_sample *s,
				     struct out *o)
{
	struct chain_texts *texts = &w->usual->chains;
	const struct chain_text *t;
	size_t from = o->len;

	if (!s->kept) {
		print_words(p, w, s, o);
		return;
	}
	t = chain_texts_find(texts, s->hash);
	if (t) {
		chain_text_copy(t, o);
		return;
	}
	print_words(p, w, s, o);
	if (is_plain_chain(s))
		chain_texts_add(texts, s->hash, o->buf + from, o->len - from);
}

static const struct usual_tail *usual_tail(struct printer *p, struct print_worker *w, uint32_t event, uint64_t period)
{
	struct usual_tail *t = &w->usual->tail;

	if (!t->len || t->period != period || t->event != event) {
		char *end = print_start_end(w, &p->events[event], period, t->text);

		if (p->events[event].usual == USUAL_CHAIN)
			*end++ = '\n';
		t->len = (size_t)(end - t->text);
		t->event = event;
		t->period = period;
	}
	return t;
}

static inline char *put_blocks(char *to, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i += BLOCK)
		memcpy(to + i, text + i, BLOCK);
	return to + len;
}

static inline void print_usual_start(struct printer *p, struct print_worker *w, const struct usual_sample *s,
				     struct out *o)
{
	const struct usual_owner *owner = s->owner;
	const struct usual_tail *tail =
		usual_tail(p, w, s->event,
			   s->layout->period >= 0 ? load_u64(s->body + s->layout->period)
						  : p->session->pd->events[s->event].default_period);
	char *to = out_room(o, HEAD_MOST + TIME_MOST + TAIL_MOST);

	to = put_blocks(to, owner->text, owner->len);
	to = put_time(w, s->time, p->opts.ns, to);
	to = put_blocks(to, tail->text, tail->len);
	o->len = (size_t)(to - o->buf);
}

size_t print_usual(struct printer *p, struct print_worker *w, const struct session_place *places, size_t n,
		   struct out *o)
{
	struct usual_sample samples[TOGETHER];

	if (!w->usual || !w->reader.open || session_defers_chains(p->session))
		return 0;
	n = collect(p, w, places, MIN(n, (size_t)TOGETHER), samples);
	for (size_t i = 0; i < n; i++) {
		print_usual_start(p, w, &samples[i], o);
		if (samples[i].chain) {
			print_usual_chain(p, w, &samples[i], o);
		} else {
			print_payload(p, w, samples[i].event, samples[i].cpu, samples[i].rest, samples[i].n, o);
			out_char(o, '\n');
		}
	}
	w->samples += n;
	return n;
}
