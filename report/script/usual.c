/*
 * The usual sample in one go: the fields at the start of a line, then the chain. Nearly all samples of a recording are
 * like that. What samples have in common is made once and copied: the text of a thread on a CPU, and that of a whole
 * chain. A sample that is new or different in any way goes the general way (print.c).
 */
#include "report/script/chain_texts_priv.h"
#include "report/script/head_priv.h"

enum {
	OWNERS = 32,
	BLOCK = 32, /* short texts are copied in blocks */
	HEAD_MOST = 2 * BLOCK,
	TAIL_MOST = ROUND_UP(START_END_MOST + 1, BLOCK),
	TOGETHER = 16,   /* samples; what we know of the later ones comes from memory while the first are printed */
	CHAIN_WORDS = 8, /* longer chains are too many to keep their texts */
};

/* Who was sampled, where, by which event, with the text up to the time. */
struct usual_owner {
	uint64_t ids; /* pid and tid as in the record */
	uint32_t cpu, event, moment;
	bool known;
	uint8_t len;
	char text[HEAD_MOST];
	struct task task;
	struct chain_views views;
	uint64_t seed; /* of the hashes of its chains */
};

struct usual {
	struct usual_owner owners[OWNERS]; /* by tid */
	struct usual_tail {
		uint64_t period;
		size_t len; /* 0: none yet */
		uint32_t event;
		char text[TAIL_MOST];
	} tail; /* what the last line had behind the time; samples of clock events all have the same period */
	struct chain_texts chains;
};

static bool is_usual_event(const struct print_event *event, const struct file_event *file_event)
{
	return !(file_event->attr.sample_type & ~(SAMPLE_FIXED | SAMPLE_CALLCHAIN)) && file_event->layout.tid >= 0 &&
	       file_event->layout.time >= 0 && event->chain && event->n_start &&
	       event->prints[event->n_start] == print_ip && !event->prints[event->n_start + 1];
}

void usual_init(struct printer *p)
{
	const struct print_opts *o = &p->opts;
	const struct session *s = p->session;

	if (p->form || o->filter || o->sinks || o->check || o->switch_on || o->switch_off || o->reltime ||
	    o->deltatime || (o->times && o->times->len) || !s->sorted || s->pd->features.n_unwound_events)
		return;
	for (size_t i = 0; i < s->pd->n_events; i++) {
		p->events[i].usual = is_usual_event(&p->events[i], &s->pd->events[i]);
		p->usual |= p->events[i].usual;
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

static inline struct usual_owner *owner_slot(struct usual *u, uint64_t ids) { return &u->owners[(ids >> 32) % OWNERS]; }

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
	owner = owner_slot(j->w->usual, ids);
	*owner = (struct usual_owner){ .ids = ids,
				       .cpu = sample->cpu,
				       .event = sample->event,
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
	const uint8_t *body, *words;
	const struct layout *layout;
	const struct usual_owner *owner;
	uint64_t pos, time, n_words, hash; /* of the chain */
	bool kept;                         /* look for its text, and keep it */
};

static inline bool sample_at(const struct printer *p, struct print_worker *w, uint64_t pos, struct usual_sample *s)
{
	const struct perfdata *pd = p->session->pd;
	struct chunk *c = &w->reader.chunk;
	struct record r = { .type = RECORD_SAMPLE };
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
	s->pos = pos;
	s->body = r.body;
	s->layout = &pd->events[event].layout;
	if (r.size < s->layout->fixed_size + 8)
		return false;
	s->words = r.body + s->layout->fixed_size + 8;
	s->n_words = load_u64(s->words - 8);
	s->time = load_u64(s->body + s->layout->time);
	s->owner = owner_slot(w->usual, load_u64(s->body + s->layout->tid));
	return s->owner->event == (uint32_t)event && s->n_words <= (size_t)(r.body + r.size - s->words) / 8;
}

/* Is it its owner at the time of the sample? */
static inline bool is_owner(const struct print_worker *w, const struct usual_sample *s)
{
	const struct usual_owner *owner = s->owner;
	const struct lookup *l = &w->lookup;
	uint32_t cpu = s->layout->cpu >= 0 ? load_u32(s->body + s->layout->cpu) : UINT32_MAX;

	return l->valid && s->time > l->before[0].time && s->time < l->before[1].time && owner->known &&
	       owner->ids == load_u64(s->body + s->layout->tid) && owner->cpu == cpu && owner->moment == l->moment;
}

/* Collect the next usual samples of known owners. Fetch what we know of their chains into the cache. */
static size_t collect(const struct printer *p, struct print_worker *w, const struct session_place *places, size_t n,
		      struct usual_sample *samples)
{
	struct chain_texts *texts = &w->usual->chains;
	size_t got = 0;

	for (; got < n && session_pos_stream(places[got].pos) == w->reader.stream; got++) {
		struct usual_sample *s = &samples[got];

		if (!sample_at(p, w, places[got].pos, s) || !is_owner(w, s))
			break;
		s->kept = s->n_words <= CHAIN_WORDS && !texts->useless;
		if (!s->kept)
			continue;
		s->hash = hash_words(s->words, s->n_words, s->owner->seed);
		chain_texts_fetch_slot(texts, s->hash);
	}
	for (size_t i = 0; i < got; i++)
		if (samples[i].kept)
			chain_texts_fetch(texts, samples[i].hash);
	return got;
}

/* The markers in it depend on nothing but the owner. */
static bool is_plain_chain(const struct usual_sample *s)
{
	for (uint64_t i = 0; i < s->n_words; i++) {
		uint64_t word = load_u64(s->words + 8 * i);

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
			       .event = &p->events[owner->event],
			       .file_event = &p->session->pd->events[owner->event],
			       .task = owner->task,
			       .moment = owner->moment,
			       .pos = s->pos };

	address_print_chain(&j, &(struct chain_words){ .words = s->words, .n = s->n_words, .unwound = s->n_words },
			    &owner->views);
	out_char(o, '\n');
}

/* Print the chain and the empty line behind it. */
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
		usual_tail(p, w, owner->event,
			   s->layout->period >= 0 ? load_u64(s->body + s->layout->period)
						  : p->session->pd->events[owner->event].default_period);
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
		print_usual_chain(p, w, &samples[i], o);
	}
	w->samples += n;
	return n;
}
