/* Make a profile of wall-clock time in nanoseconds: CPU samples and waits. */
#include "report/waits/wall.h"

#include "format/writer/writer.h"
#include "report/waits/waits_priv.h"

/* Names that are not functions get sixteen bytes each, as if the kernel had generated code for them. */
#define LABELS_START 0xffffa00000000000ull
enum { LABEL_SIZE = 16, INSIDE = 8, KSYMBOL_OUT_OF_LINE = 2, CHAIN_MOST = 512 };

/* The trailers of other records have these fields, too. We copy them, so samples must have the same ones. */
#define TRAILER_FIELDS (SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_IDENTIFIER)

struct wall_chain {
	VEC(uint64_t); /* with markers */
};
struct wall_thread {
	uint64_t running, periods; /* ns; sum of the times of its CPU samples */
	struct wall_chain chain;   /* where it left its CPU */
};

struct wall {
	const struct wall_opts *opts;
	struct wall_notes *notes;
	struct waits *waits;
	struct waits_watch watch;
	struct live *live;
	struct session *session;
	int cpu_event; /* the event that samples the CPU; -1 = none */
	VEC(struct wall_thread) threads;
	struct chain_buffer buffer;

	struct writer *to; /* NULL: the first pass, which only sums up */
	uint64_t sample_type, id;
	struct strtab labels;
	uint32_t n_labels; /* labels with a record */
	struct wall_chain chain;
	struct out record;
	int status;
	struct err *e;
};

static struct wall_thread *thread_at(struct wall *w, uint32_t number)
{
	while (w->threads.len <= number)
		vec_push(&w->threads, (struct wall_thread){ 0 });
	return &w->threads.items[number];
}

/* ---- records ---- */

static void put(struct wall *w, const void *bytes, size_t n) { out_mem(&w->record, bytes, n); }
static void put_u64(struct wall *w, uint64_t v) { put(w, &v, 8); }
static void put_u32(struct wall *w, uint32_t v) { put(w, &v, 4); }

static void begin(struct wall *w, uint32_t type, uint16_t misc)
{
	uint16_t size = 0;

	w->record.len = 0;
	put_u32(w, type);
	put(w, &misc, 2);
	put(w, &size, 2);
}

static void finish(struct wall *w)
{
	uint16_t size = (uint16_t)w->record.len;

	memcpy(w->record.buf + 6, &size, 2);
	if (w->status == 0)
		w->status = writer_record(w->to, w->record.buf, size, w->e);
}

/* Thread, time and CPU, which samples and trailers contain. */
struct wall_stamp {
	uint32_t pid, tid, cpu;
	uint64_t time;
};

/* Put the fields that a sample and a trailer have in the same order. */
static void put_stamp(struct wall *w, const struct wall_stamp *at)
{
	put_u32(w, at->pid);
	put_u32(w, at->tid);
	put_u64(w, at->time);
	if (w->sample_type & SAMPLE_ID)
		put_u64(w, w->id);
	if (w->sample_type & SAMPLE_STREAM_ID)
		put_u64(w, w->id);
	if (w->sample_type & SAMPLE_CPU) {
		put_u32(w, at->cpu);
		put_u32(w, 0);
	}
}

static void put_trailer(struct wall *w, const struct wall_stamp *at)
{
	put_stamp(w, at);
	if (w->sample_type & SAMPLE_IDENTIFIER)
		put_u64(w, w->id);
}

static uint64_t label_address(uint32_t label) { return LABELS_START + (uint64_t)label * LABEL_SIZE + INSIDE; }

/* Return an address for this text. Write its record before the first sample with it. */
static uint64_t label(struct wall *w, const char *text, uint64_t time)
{
	enum { LABEL_MOST = 4096 };
	uint32_t number = strtab_intern(&w->labels, text);
	uint16_t kind = KSYMBOL_OUT_OF_LINE, flags = 0;

	if (w->n_labels <= number) {
		w->n_labels = number + 1;
		begin(w, RECORD_KSYMBOL, CPUMODE_KERNEL);
		put_u64(w, label_address(number) - INSIDE);
		put_u32(w, LABEL_SIZE);
		put(w, &kind, 2);
		put(w, &flags, 2);
		put(w, text, strnlen(text, LABEL_MOST));
		do
			out_char(&w->record, 0);
		while (w->record.len % 8);
		put_trailer(w, &(struct wall_stamp){ .time = time });
		finish(w);
	}
	return label_address(number);
}

static void put_sample(struct wall *w, const struct wall_stamp *at, uint16_t misc, uint64_t ip, uint64_t ns)
{
	begin(w, RECORD_SAMPLE, misc);
	if (w->sample_type & SAMPLE_IDENTIFIER)
		put_u64(w, w->id);
	put_u64(w, ip);
	put_stamp(w, at);
	put_u64(w, ns);
	put_u64(w, w->chain.len);
	for (size_t i = 0; i < w->chain.len; i++)
		put_u64(w, w->chain.items[i]);
	finish(w);
}

/* ---- chains ---- */

static void take_chain(struct wall *w, const struct chain_place *place, struct wall_chain *to)
{
	struct chain_words chain = { 0 };

	vec_clear(to);
	if (!chain_of_sample(w->session, place, &w->buffer, &chain))
		return;
	for (uint64_t i = 0; i < MIN(chain.n, (uint64_t)CHAIN_MOST); i++)
		vec_push(to, load_u64(chain.words + 8 * i));
}

/* Append a chain to the labels. These are in the kernel's part, so skip its marker in the chain: we have put it. */
static void add_chain(struct wall *w, const struct wall_chain *chain)
{
	for (size_t i = chain->len && chain->items[0] == CHAIN_KERNEL; i < chain->len; i++)
		vec_push(&w->chain, chain->items[i]);
}

/* Put the waker's functions above the wait in reverse order, the outermost first, then its name. */
static void add_waker(struct wall *w, const struct wait_span *s)
{
	char woken[SCHED_COMM + 16];
	uint32_t n = 0;

	while (waits_frame(w->waits, s->waker_stack, n))
		n++;
	while (n)
		vec_push(&w->chain, label(w, waits_frame(w->waits, s->waker_stack, --n), s->to));
	snprintf(woken, sizeof(woken), s->waker[0] == '[' ? "%s" : "[woken by] %s", s->waker);
	vec_push(&w->chain, label(w, woken, s->to));
}

static const char *state_label(const struct wait_span *s, char *buf, size_t size)
{
	snprintf(buf, size, "[%s]",
		 s->state == STATE_RUNNING    ? "running"
		 : s->state == STATE_RUNNABLE ? "runnable"
					      : wait_kind_names[s->kind]);
	return buf;
}

static void span_sample(struct wall *w, const struct wait_span *s)
{
	const struct wall_thread *t = thread_at(w, s->thread);
	char text[32];
	struct wall_stamp at = { (uint32_t)MAX(s->pid, 0), (uint32_t)s->tid, 0, s->to };

	vec_clear(&w->chain);
	vec_push(&w->chain, CHAIN_KERNEL);
	if (w->opts->wakers && s->waker)
		add_waker(w, s);
	vec_push(&w->chain, label(w, state_label(s, text, sizeof(text)), s->to));
	add_chain(w, &t->chain);
	put_sample(w, &at, CPUMODE_KERNEL, w->chain.items[1], s->to - s->from);
	w->notes->waits++;
}

/* ---- watching waits ---- */

static void on_span(void *ctx, const struct wait_span *s)
{
	struct wall *w = ctx;
	struct wall_thread *t = thread_at(w, s->thread);
	char text[32];

	if (!s->tid || s->state == STATE_UNKNOWN || !waits_wants(w->waits, s->thread))
		return;
	if (w->to && w->opts->span)
		w->opts->span(w->opts->ctx, s, state_label(s, text, sizeof(text)));
	if (!w->to)
		t->running += s->state == STATE_RUNNING ? s->to - s->from : 0;
	else if (s->state != STATE_RUNNING || !t->periods)
		span_sample(w, s);
}

static void on_left(void *ctx, uint32_t thread, const struct trace_event *t)
{
	struct wall *w = ctx;
	struct wall_thread *th = thread_at(w, thread);
	struct chain_place place = {
		.sample = &t->sample, .task = &t->task, .pos = t->pos, .moment = t->moment, .max = CHAIN_MOST
	};

	/* If the recorder took no chain, keep the chain of the last wait. */
	if (w->to && w->session->pd->events[t->event].attr.sample_type & SAMPLE_CALLCHAIN)
		take_chain(w, &place, &th->chain);
}

/* Return the time of one sample, in ns: the period for clocks, otherwise computed from the frequency. */
static uint64_t nominal_ns(const struct wall *w, const struct sample *s)
{
	const struct attr *a = &w->session->pd->events[w->cpu_event].attr;
	enum { TASK_CLOCK = 1 };

	if (a->type == ATTR_TYPE_SOFTWARE && a->config <= TASK_CLOCK)
		return s->period;
	return a->flags & ATTR_FREQ && a->sample_period ? 1000000000ull / a->sample_period : 0;
}

static void cpu_sample(struct wall *w, struct live_record *r, const struct task *task, struct wall_thread *t, bool runs)
{
	const struct sample *s = &r->sample;
	struct chain_place place = { .sample = s, .task = task, .pos = r->pos, .moment = r->moment, .max = CHAIN_MOST };
	struct wall_stamp at = { s->pid, s->tid, s->cpu, s->time };
	uint64_t ns = nominal_ns(w, s);

	if (runs && t->periods)
		ns = (uint64_t)((unsigned __int128)s->period * t->running / t->periods);
	if (!ns) {
		w->notes->unplaced++;
		return;
	}
	take_chain(w, &place, &w->chain);
	put_sample(w, &at, s->misc, s->ip, ns);
	w->notes->samples++;
}

/* Is this a record with names of threads or code? */
static bool is_copied(uint32_t type)
{
	static const uint8_t types[] = {
		RECORD_MMAP,
		RECORD_LOST,
		RECORD_COMM,
		RECORD_EXIT,
		RECORD_FORK,
		RECORD_MMAP2,
		RECORD_LOST_SAMPLES,
		RECORD_NAMESPACES,
		RECORD_KSYMBOL,
		RECORD_BPF_EVENT,
		RECORD_CGROUP,
		RECORD_TEXT_POKE,
		RECORD_HEADER_BUILD_ID,
		RECORD_TIME_CONV,
	};

	return memchr(types, (int)type, sizeof(types));
}

static void copy(struct wall *w, const struct record *r)
{
	uint16_t size = (uint16_t)(8 + r->size);

	if (size % 8 || r->size > UINT16_MAX - 8 || w->status < 0)
		return;
	w->record.len = 0;
	put_u32(w, r->type);
	put(w, &r->misc, 2);
	put(w, &size, 2);
	put(w, r->body, r->size);
	w->status = writer_record(w->to, w->record.buf, size, w->e);
}

static void on_other(void *ctx, struct live_record *r)
{
	struct wall *w = ctx;
	uint32_t number;
	struct task task;
	bool runs;

	if (r->record.type != RECORD_SAMPLE) {
		if (w->to && is_copied(r->record.type))
			copy(w, &r->record);
		return;
	}
	if (w->cpu_event < 0 || perfdata_event_of(w->session->pd, &r->record) != w->cpu_event ||
	    !live_sample(w->live, r, &task) || !r->sample.tid || !waits_wants_task(w->waits, &task))
		return;
	runs = waits_state(w->waits, (int32_t)r->sample.tid, &number) == STATE_RUNNING;
	if (w->to)
		cpu_sample(w, r, &task, thread_at(w, number), runs);
	else if (runs)
		thread_at(w, number)->periods += r->sample.period;
}

/* ---- both passes ---- */

/* Return the first event that samples CPUs. */
static int find_cpu_event(const struct perfdata *pd)
{
	enum { TASK_CLOCK = 1 };

	for (size_t i = 0; i < pd->n_events; i++) {
		const struct attr *a = &pd->events[i].attr;

		if (a->type != ATTR_TYPE_TRACEPOINT && (a->type != ATTR_TYPE_SOFTWARE || a->config <= TASK_CLOCK))
			return (int)i;
	}
	return -1;
}

/* Make the attr of the new recording. We copy records with their trailers, so one attr must describe all of these. */
static int describe(struct wall *w, struct err *e)
{
	const struct perfdata *pd = w->session->pd;
	struct attr attr = { .type = ATTR_TYPE_SOFTWARE, .size = sizeof(attr), .sample_period = 1 };
	VEC(uint64_t) ids = { 0 };
	uint64_t trailer = pd->n_events ? pd->events[0].attr.sample_type & TRAILER_FIELDS : 0;

	for (size_t i = 0; i < pd->n_events; i++) {
		const struct file_event *f = &pd->events[i];

		attr.flags |= f->attr.flags & (ATTR_MMAP | ATTR_MMAP2 | ATTR_COMM | ATTR_TASK | ATTR_KSYMBOL);
		if ((f->attr.sample_type & TRAILER_FIELDS) != trailer || !(f->attr.flags & ATTR_SAMPLE_ID_ALL))
			trailer = 0;
		for (size_t k = 0; k < f->n_ids; k++)
			vec_push(&ids, f->ids[k]);
	}
	if ((trailer & (SAMPLE_TID | SAMPLE_TIME)) != (SAMPLE_TID | SAMPLE_TIME) || !ids.len) {
		vec_free(&ids);
		err_set(e, "the events of '%s' do not all store thread and time in the same way", pd->path);
		return err_try(e, "%s record --waits", tool_name());
	}
	w->sample_type = attr.sample_type = trailer | SAMPLE_IP | SAMPLE_PERIOD | SAMPLE_CALLCHAIN;
	attr.flags |= ATTR_SAMPLE_ID_ALL | ATTR_KSYMBOL;
	w->id = ids.items[0];
	writer_event(w->to, &(struct writer_event){
				    .attr = attr, .ids = ids.items, .n_ids = ids.len, .name = "wall", .n_members = 1 });
	vec_free(&ids);
	return 0;
}

static int read_all(struct wall *w, struct err *e)
{
	struct waits_opts opts = { .kinds_file = w->opts->kinds_file, .watch = &w->watch };
	int rc;

	w->waits = waits_new(w->live, &opts);
	rc = waits_read(w->waits, e);
	waits_free(w->waits);
	return rc < 0 ? rc : w->status;
}

static int write_all(struct wall *w, const char *output, struct err *e)
{
	struct features f = writer_features_of(w->session->pd);
	int rc;

	w->to = writer_open(output, &(struct writer_opts){ 0 }, e);
	if (!w->to)
		return -1;
	rc = describe(w, e);
	if (rc < 0 || writer_begin(w->to, &f, e) < 0) {
		writer_abandon(w->to, false);
		return -1;
	}
	rc = read_all(w, e);
	if (rc < 0)
		writer_abandon(w->to, true);
	else
		rc = writer_finish(w->to, &f, e);
	return rc;
}

static int pass(struct wall *w, const char *input, const char *output, struct err *e)
{
	struct live_opts opts = { .session = w->opts->session };
	int rc;

	w->live = live_open_file(input, &opts, e);
	if (!w->live)
		return -1;
	w->session = live_session(w->live);
	w->cpu_event = find_cpu_event(w->session->pd);
	rc = output ? write_all(w, output, e) : read_all(w, e);
	live_close(w->live);
	return rc;
}

int wall_write(const char *input, const struct wall_opts *opts, const char *output, struct wall_notes *notes,
	       struct err *e)
{
	struct wall w = { .opts = opts, .notes = notes, .e = e };
	int rc;

	*notes = (struct wall_notes){ 0 };
	if (!strcmp(input, "-")) {
		err_set(e, "a profile of wall-clock time needs a file, because strobe reads it twice");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	w.watch = (struct waits_watch){ .ctx = &w, .left = on_left, .span = on_span, .other = on_other };
	out_init_mem(&w.record);
	rc = pass(&w, input, NULL, e);
	if (!rc)
		rc = pass(&w, input, output, e);
	for (size_t i = 0; i < w.threads.len; i++)
		vec_free(&w.threads.items[i].chain);
	vec_free(&w.threads);
	vec_free(&w.chain);
	vec_free(&w.buffer);
	strtab_free(&w.labels);
	out_release(&w.record);
	return rc;
}
