/* Rewrite a recording with an Arm SPE trace: write samples instead of the trace. */
#include "report/traces/traces.h"

#include "format/writer/writer.h"
#include "report/traces/itrace_priv.h"
#include "report/traces/spe_kinds_priv.h"

enum { TRACE_SPE = 4, KINDS_MOST = 16 };
/* The fields that are also in the trailer of other records. */
#define TRAILER_FIELDS (SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_IDENTIFIER)

struct trace_area {
	const uint8_t *data;
	uint64_t size;
	int32_t cpu, tid; /* tid -1: all threads of the CPU */
};
/* The number of operations of a CPU, or of a thread. */
struct area_count {
	int32_t cpu, tid;
	uint64_t n;
};
/* A thread that came on a CPU, and when. */
struct trace_arrival {
	uint64_t time;
	int32_t cpu, pid, tid;
};
/* Convert ticks of the timer to nanoseconds. Source: perf_event_open(2), time_mult. */
struct trace_clock {
	uint64_t shift, mult, zero, cycles, mask;
	bool known, is_short;
};

struct traces {
	const struct traces_opts *opts;
	struct traces_notes *notes;
	const struct session *session;
	uint32_t type; /* of the trace; 0 = none */
	uint64_t pmu;  /* attr.type of the events that make it */
	VEC(struct trace_area) areas;
	VEC(struct trace_arrival) arrivals;
	VEC(struct area_count) counts;
	struct itrace what;  /* the letters of opts */
	VEC(uint64_t) midrs; /* by CPU */
	struct trace_clock clock;

	struct writer *to;
	uint32_t n_events;                     /* of the new recording so far */
	uint64_t sample_type, ids[KINDS_MOST]; /* of the samples' events */
	struct out record;
	uint64_t last_time;
};

/* ---- data of the recording ---- */

static void on_info(struct traces *t, const struct record *r)
{
	enum { WORD = 8, PMU_AT = 2, CPU_MAGIC_AT = 4, MAGIC = 0x10101010 };
	size_t n = (r->size - 8u) / WORD;
	const uint8_t *words = r->body + 8;
	uint64_t magic = (uint64_t)MAGIC << 32 | MAGIC;

	t->type = load_u32(r->body);
	/* an older form has no header before the PMU's type and no CPUs after it */
	t->pmu = n > PMU_AT ? load_u64(words + WORD * PMU_AT) : n ? load_u64(words) : UINT64_MAX;
	for (size_t at = CPU_MAGIC_AT; t->type == TRACE_SPE && at + 3 < n && load_u64(words + WORD * at) == magic;) {
		uint64_t cpu = load_u64(words + WORD * (at + 1)), count = load_u64(words + WORD * (at + 2));

		while (t->midrs.len <= cpu && cpu < UINT16_MAX)
			vec_push(&t->midrs, 0);
		if (cpu < t->midrs.len)
			t->midrs.items[cpu] = load_u64(words + WORD * (at + 3));
		if (count > n)
			return;
		at += 3 + count;
	}
}

static void on_clock(struct traces *t, const struct record *r)
{
	enum { SHORT_SIZE = 42 };

	t->clock = (struct trace_clock){ .shift = MIN(load_u64(r->body), 63ull),
					 .mult = load_u64(r->body + 8),
					 .zero = load_u64(r->body + 16),
					 .known = true };
	if (r->size < SHORT_SIZE || !r->body[41])
		return;
	t->clock.is_short = true;
	t->clock.cycles = load_u64(r->body + 24);
	t->clock.mask = load_u64(r->body + 32);
}

static void on_arrival(struct traces *t, const struct record *r)
{
	struct trailer who;

	if (r->misc & MISC_SWITCH_OUT || !record_trailer(t->session->pd, r, &who))
		return;
	if (r->type == RECORD_ITRACE_START) {
		who.pid = load_u32(r->body);
		who.tid = load_u32(r->body + 4);
	}
	vec_push(&t->arrivals,
		 (struct trace_arrival){ who.time, (int32_t)who.cpu, (int32_t)who.pid, (int32_t)who.tid });
}

static void look_at(struct traces *t, const struct record *r)
{
	switch (r->type) {
	case RECORD_AUXTRACE_INFO: on_info(t, r); break;
	case RECORD_TIME_CONV: on_clock(t, r); break;
	case RECORD_ITRACE_START:
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE: on_arrival(t, r); break;
	case RECORD_AUXTRACE:
		if (r->payload)
			vec_push(&t->areas,
				 (struct trace_area){ r->payload, r->payload_size, (int32_t)load_u32(r->body + 32),
						      (int32_t)load_u32(r->body + 28) });
		break;
	default: break;
	}
}

static int look(struct traces *t, struct live *live, struct err *e)
{
	struct live_record r;
	int what;

	while ((what = live_next(live, e)) > 0)
		while (what == LIVE_ROUND && live_record(live, &r)) {
			look_at(t, &r.record);
			if (t->type && t->type != TRACE_SPE)
				return 0;
		}
	return what;
}

/* ---- records ---- */

static void put(struct traces *t, const void *bytes, size_t n) { out_mem(&t->record, bytes, n); }
static void put_u64(struct traces *t, uint64_t v) { put(t, &v, 8); }
static void put_u32(struct traces *t, uint32_t v) { put(t, &v, 4); }

static void begin(struct traces *t, uint32_t type, uint16_t misc, uint16_t size)
{
	t->record.len = 0;
	put_u32(t, type);
	put(t, &misc, 2);
	put(t, &size, 2);
}

static uint64_t time_of(const struct trace_clock *c, uint64_t ticks)
{
	if (!c->known)
		return ticks;
	if (c->is_short)
		ticks = c->cycles + ((ticks - c->cycles) & c->mask);
	return c->zero + (ticks >> c->shift) * c->mult + (((ticks & ((1ull << c->shift) - 1)) * c->mult) >> c->shift);
}

/* Return the last thread that came on the CPU before this time. */
static struct trace_arrival who_ran(const struct traces *t, int32_t cpu, uint64_t time)
{
	struct trace_arrival found = { .pid = -1, .tid = -1 };

	for (size_t i = 0; i < t->arrivals.len && t->arrivals.items[i].time <= time; i++)
		if (t->arrivals.items[i].cpu == cpu)
			found = t->arrivals.items[i];
	return found;
}

static struct trace_arrival owner(const struct traces *t, const struct trace_area *a, const struct spe_record *r,
				  uint64_t time)
{
	int32_t tid = r->has & SPE_HAS_CONTEXT ? (int32_t)r->context : a->tid;
	uint32_t thread = tid >= 0 ? session_last_thread(t->session, tid) : 0;

	if (tid < 0)
		return who_ran(t, a->cpu, time);
	return (struct trace_arrival){ .pid = thread ? t->session->threads.items[thread].pid : tid, .tid = tid };
}

static uint64_t sample_address(const struct spe_kind *kind, const struct spe_record *r)
{
	return kind->is_branch ? r->target : kind->is_access ? r->address : 0;
}

/* Put a branch stack. As in perf, only samples of all operations and of branches have entries. */
static void put_branches(struct traces *t, const struct spe_kind *k, const struct spe_record *r)
{
	uint64_t entries[SPE_BRANCHES_MOST][3];
	size_t n = k->is_branch ? spe_branches(r, entries) : 0;

	put_u64(t, n);
	put(t, entries, n * sizeof(entries[0]));
}

/* Put the fields in the order of PERF_SAMPLE_*: perf_event_open(2). */
static int put_sample(struct traces *t, size_t kind, const struct trace_area *a, const struct spe_record *r,
		      const struct trace_arrival *who, struct err *e)
{
	const struct spe_kind *k = &spe_kinds[kind];
	uint64_t type = t->sample_type, id = t->ids[kind];
	uint64_t midr = a->cpu >= 0 && (size_t)a->cpu < t->midrs.len ? t->midrs.items[a->cpu] : 0;
	uint16_t size;

	begin(t, RECORD_SAMPLE, r->pc >> 63 ? CPUMODE_KERNEL : CPUMODE_USER, 0);
	if (type & SAMPLE_IDENTIFIER)
		put_u64(t, id);
	put_u64(t, r->pc);
	put_u32(t, (uint32_t)who->pid);
	put_u32(t, (uint32_t)who->tid);
	put_u64(t, t->last_time);
	put_u64(t, sample_address(k, r));
	if (type & SAMPLE_ID)
		put_u64(t, id);
	if (type & SAMPLE_STREAM_ID)
		put_u64(t, id);
	if (type & SAMPLE_CPU) {
		put_u32(t, (uint32_t)a->cpu);
		put_u32(t, 0);
	}
	put_u64(t, t->what.every); /* period */
	if (type & SAMPLE_BRANCH_STACK)
		put_branches(t, k, r);
	put_u64(t, r->latency);
	put_u64(t, spe_data_src(r, midr));
	put_u64(t, r->physical);
	size = (uint16_t)t->record.len;
	memcpy(t->record.buf + 6, &size, 2);
	return writer_record(t->to, t->record.buf, size, e);
}

static bool is_asked(const struct traces *t, const struct spe_kind *k) { return itrace_wants(&t->what, k->letter); }

/* Return the count of operations for an area. The pointer is valid until the next call. */
static uint64_t *count_of(struct traces *t, const struct trace_area *a)
{
	for (size_t i = 0; i < t->counts.len; i++)
		if (t->counts.items[i].cpu == a->cpu && t->counts.items[i].tid == a->tid)
			return &t->counts.items[i].n;
	vec_push(&t->counts, (struct area_count){ a->cpu, a->tid, 0 });
	return &t->counts.items[t->counts.len - 1].n;
}

static int put_area(struct traces *t, const struct trace_area *a, struct err *e)
{
	struct spe_cursor c = { a->data, a->data + a->size, 0 };
	uint64_t *count = count_of(t, a);
	struct spe_record r;

	while (spe_next(&c, &r)) {
		struct trace_arrival who;
		bool nth = ++*count % t->what.every == 0;

		if (r.has & SPE_HAS_TIME)
			t->last_time = time_of(&t->clock, r.time);
		who = owner(t, a, &r, t->last_time);
		t->notes->nobody += who.tid < 0;
		for (size_t i = 0; i < n_spe_kinds; i++)
			if (nth && is_asked(t, &spe_kinds[i]) && spe_kinds[i].wants(&r) &&
			    put_sample(t, i, a, &r, &who, e) < 0)
				return -1;
	}
	t->notes->bad_bytes += c.bad;
	return 0;
}

/* ---- the new recording ---- */

/* Do we copy this record? Copy all records of the kernel, and those that describe them, but not the trace. */
static bool is_copied(uint32_t type)
{
	enum { FIRST_OF_PERF = 64 };
	static const uint8_t types[] = { RECORD_HEADER_BUILD_ID, RECORD_TIME_CONV, RECORD_THREAD_MAP, RECORD_CPU_MAP };

	if (type < FIRST_OF_PERF)
		return type != RECORD_AUX && type != RECORD_ITRACE_START && type != RECORD_AUX_OUTPUT_HW_ID;
	return memchr(types, (int)type, sizeof(types));
}

static int copy(struct traces *t, const struct record *r, struct err *e)
{
	uint16_t size = (uint16_t)(8 + r->size);

	if (!is_copied(r->type) || size % 8 || r->size > UINT16_MAX - 8)
		return 0;
	begin(t, r->type, r->misc, size);
	put(t, r->body, r->size);
	return writer_record(t->to, t->record.buf, size, e);
}

static int copy_all(struct traces *t, struct live *live, struct err *e)
{
	struct live_record r;
	int what;

	while ((what = live_next(live, e)) > 0)
		while (what == LIVE_ROUND && live_record(live, &r))
			if (copy(t, &r.record, e) < 0)
				return -1;
	return what;
}

static void add_event(struct traces *t, const struct attr *attr, const uint64_t *ids, size_t n_ids, const char *name)
{
	writer_event(t->to, &(struct writer_event){ .attr = *attr,
						    .ids = ids,
						    .n_ids = n_ids,
						    .name = name,
						    .leader = t->n_events++,
						    .n_members = 1 });
}

/*
 * Write the events of the input, and one for each wanted kind of samples. The event of the trace itself has no samples,
 * but gets the same fields: readers check all events for the fields that they can show.
 */
static void add_events(struct traces *t)
{
	const struct perfdata *pd = t->session->pd;
	struct attr kind = { .type = ATTR_TYPE_HARDWARE,
			     .config = 1,
			     .size = sizeof(kind),
			     .sample_period = 1,
			     .sample_type = t->sample_type,
			     .branch_sample_type = t->what.stacks ? BRANCH_ANY : 0,
			     .flags = ATTR_SAMPLE_ID_ALL };
	uint64_t next_id = 1;

	for (size_t i = 0; i < pd->n_events; i++) {
		const struct file_event *f = &pd->events[i];
		struct attr attr = f->attr;

		for (size_t k = 0; k < f->n_ids; k++)
			next_id = MAX(next_id, f->ids[k] + 1);
		if (attr.type == t->pmu) {
			attr.sample_type = t->sample_type;
			attr.branch_sample_type = kind.branch_sample_type;
		}
		add_event(t, &attr, f->ids, f->n_ids, f->name);
	}
	for (size_t i = 0; i < n_spe_kinds; i++) {
		t->ids[i] = next_id++;
		if (is_asked(t, &spe_kinds[i]))
			add_event(t, &kind, &t->ids[i], 1, spe_kinds[i].name);
	}
}

/* Give samples the trailer's fields of the other events, so that all records identify their event in the same way. */
static int describe(struct traces *t, struct err *e)
{
	const struct perfdata *pd = t->session->pd;
	uint64_t trailer = pd->n_events ? pd->events[0].attr.sample_type & TRAILER_FIELDS : 0;

	for (size_t i = 0; i < pd->n_events; i++)
		if ((pd->events[i].attr.sample_type & TRAILER_FIELDS) != trailer)
			trailer = 0;
	if ((trailer & (SAMPLE_TID | SAMPLE_TIME)) != (SAMPLE_TID | SAMPLE_TIME) ||
	    !(trailer & (SAMPLE_IDENTIFIER | SAMPLE_ID)))
		return err_set(e, "the events of '%s' do not all store thread, time and event in the same way",
			       pd->path);
	t->sample_type =
		trailer | SAMPLE_IP | SAMPLE_ADDR | SAMPLE_PERIOD | SAMPLE_WEIGHT | SAMPLE_DATA_SRC | SAMPLE_PHYS_ADDR;
	if (t->what.stacks)
		t->sample_type |= SAMPLE_BRANCH_STACK;
	add_events(t);
	return 0;
}

static int write_samples(struct traces *t, struct live *live, const char *output, struct err *e)
{
	struct features f = writer_features_of(t->session->pd);
	int rc;

	t->to = writer_open(output, &(struct writer_opts){ 0 }, e);
	if (!t->to)
		return -1;
	rc = describe(t, e);
	if (rc < 0 || writer_begin(t->to, &f, e) < 0) {
		writer_abandon(t->to, false);
		return -1;
	}
	rc = copy_all(t, live, e);
	for (size_t i = 0; i < t->areas.len && !rc; i++)
		rc = put_area(t, &t->areas.items[i], e);
	if (rc < 0)
		writer_abandon(t->to, true);
	else
		rc = writer_finish(t->to, &f, e);
	return rc;
}

/* ---- decoding a file ---- */

static const char *trace_name(uint32_t type)
{
	static const char *const names[] = { NULL,      "Intel PT",    "Intel BTS",    "CoreSight ETM",
					     "Arm SPE", "s390 CPU-MF", "HiSilicon PTT" };

	return type < ARRAY_SIZE(names) ? names[type] : "an unknown tracer";
}

int traces_write(const char *input, const struct traces_opts *opts, const char *output, struct traces_notes *notes,
		 const char **other, struct err *e)
{
	struct traces t = { .opts = opts, .notes = notes };
	struct live_opts how = { .session = opts->session };
	struct live *first = live_open_file(input, &how, e), *second = NULL;
	int rc = -1;

	*notes = (struct traces_notes){ 0 };
	*other = NULL;
	if (!first)
		return -1;
	t.session = live_session(first);
	out_init_mem(&t.record);
	if (look(&t, first, e) == 0) {
		rc = 1;
		*other = t.type == TRACE_SPE ? NULL : trace_name(t.type);
		if (!*other && itrace_parse(opts->itrace, &t.what, e) < 0) {
			rc = -1;
		} else if (t.type == TRACE_SPE) {
			second = live_open_file(input, &how, e); /* the areas are in the first input */
			rc = second ? write_samples(&t, second, output, e) : -1;
		}
	}
	if (second)
		live_close(second);
	live_close(first);
	vec_free(&t.areas);
	vec_free(&t.arrivals);
	vec_free(&t.counts);
	vec_free(&t.midrs);
	out_release(&t.record);
	return rc;
}
