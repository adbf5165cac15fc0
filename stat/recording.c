/*
 * stat record: write the readings as records of a perf.data file. The caller has collected the
 * features that describe machine and command. Source: strobe.data(5), "THREAD_MAP", "CPU_MAP",
 * "STAT_CONFIG", "STAT", "STAT_ROUND".
 */
#include "format/format.h"
#include "stat/recorded_priv.h"
#include "stat/stat_priv.h"

struct count_recording {
	struct writer *writer;
	struct features features;
	struct out body; /* the record being made, with its header */
};

static void put_u16(struct out *o, uint16_t v) { out_mem(o, (const char *)&v, sizeof(v)); }
static void put_u32(struct out *o, uint32_t v) { out_mem(o, (const char *)&v, sizeof(v)); }
static void put_u64(struct out *o, uint64_t v) { out_mem(o, (const char *)&v, sizeof(v)); }

static void begin(struct count_recording *r, uint32_t type)
{
	r->body.len = 0;
	put_u32(&r->body, type);
	put_u32(&r->body, 0);
}

static int end(struct count_recording *r, struct err *e)
{
	uint16_t size;

	out_pad(&r->body, '\0', (long)(ROUND_UP(r->body.len, (size_t)8) - r->body.len));
	size = (uint16_t)r->body.len;
	memcpy(r->body.buf + 6, &size, sizeof(size));
	return writer_record(r->writer, r->body.buf, r->body.len, e);
}

/* Make an id for an event that we measure ourselves: far above the kernel's ids. */
static uint64_t tool_id(size_t event) { return (1ull << 60) + event; }

static void add_event(struct count_recording *r, const struct counting *s, size_t i)
{
	const struct event *event = &s->events.events.items[i];
	const struct measured *m = &s->measured.items[i];
	struct perf_event_attr attr = event->attr;
	struct writer_event we = { .name = event->name,
				   .unit = *m->unit ? m->unit : NULL,
				   .scale = m->scale,
				   .n_members = event->n_members,
				   .group_name = event->group_name,
				   .leader = event->leader };
	VEC(uint64_t) ids = { 0 };
	struct err ignored = { 0 };
	bool tail;

	if (event->tool) { /* readers know no such type: use a software event that does nothing */
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_DUMMY;
		vec_push(&ids, tool_id(i));
	}
	attr.size = sizeof(attr);
	attr_decode(&we.attr, (const uint8_t *)&attr, sizeof(attr), false, &tail, &ignored);
	we.attr.config3 = event->config3;
	we.attr.config4 = event->config4;
	for (size_t k = 0; event->fds && k < event->n_cpus * event->n_threads; k++)
		if (event->fds[k] >= 0)
			vec_push(&ids, event->ids[k]);
	we.ids = ids.items;
	we.n_ids = ids.len;
	writer_event(r->writer, &we);
	vec_free(&ids);
}

static int put_maps(struct count_recording *r, const struct counting *s, struct err *e)
{
	/* one record must hold them all */
	enum { THREADS_MOST = (RECORD_SIZE_MAX - 16) / 24, CPUS_MOST = 32000 };
	size_t n = s->target.threads.len, n_cpus = s->target.cpu_list.len;

	if (n > THREADS_MOST || n_cpus > CPUS_MOST) {
		err_set(e, "cannot record the counts of %zu threads", n);
		return err_why(e, "a recording names %d at most", THREADS_MOST);
	}
	begin(r, RECORD_THREAD_MAP);
	put_u64(&r->body, n);
	for (size_t i = 0; i < n; i++) {
		char comm[16] = "";

		if (s->comms)
			strncpy(comm, s->comms[i], sizeof(comm) - 1);
		put_u64(&r->body, (uint64_t)(int64_t)s->target.threads.items[i]);
		out_mem(&r->body, comm, sizeof(comm));
	}
	if (end(r, e) < 0)
		return -1;
	begin(r, RECORD_CPU_MAP);
	put_u16(&r->body, CPU_MAP_CPUS);
	put_u16(&r->body, (uint16_t)n_cpus);
	for (size_t i = 0; i < n_cpus; i++)
		put_u16(&r->body, (uint16_t)s->target.cpu_list.items[i]); /* -1 becomes 0xffff: any */
	return end(r, e);
}

static int put_config(struct count_recording *r, const struct counting *s, struct err *e)
{
	enum aggregation per = s->o->table.per;
	bool newer = aggregation_codes[per].older < 0; /* perf 6.1 has no code for it */
	const uint64_t entries[][2] = {
		{ STAT_CONFIG_AGGREGATION,
		  (uint64_t)(newer ? aggregation_codes[per].newer : aggregation_codes[per].older) },
		{ STAT_CONFIG_INTERVAL, s->o->interval_ms },
		{ STAT_CONFIG_SCALE, !s->o->table.no_scale },
		{ STAT_CONFIG_LEVEL, s->o->table.cache_level ? s->o->table.cache_level : 5 },
	};
	uint64_t n = ARRAY_SIZE(entries) - !newer;

	begin(r, RECORD_STAT_CONFIG);
	put_u64(&r->body, n);
	out_mem(&r->body, (const char *)entries, n * sizeof(entries[0]));
	return end(r, e);
}

struct count_recording *recording_begin(struct counting *s, struct err *e)
{
	struct writer_opts wo = { 0 };
	struct count_recording *r = xcalloc(1, sizeof(*r));

	out_init_mem(&r->body);
	if (s->o->features)
		r->features = *s->o->features;
	feature_set(&r->features, FEATURE_STAT);
	r->writer = writer_open(s->o->record_to, &wo, e);
	for (size_t i = 0; r->writer && i < s->events.events.len; i++)
		add_event(r, s, i);
	if (r->writer && !writer_begin(r->writer, &r->features, e) && !put_maps(r, s, e) && !put_config(r, s, e))
		return r;
	recording_end(r, true, NULL);
	return NULL;
}

int recording_round(struct count_recording *r, const struct counting *s, bool final, uint64_t time_ns, struct err *e)
{
	for (size_t i = 0; i < s->measured.len; i++) {
		const struct event *event = &s->events.events.items[i];
		const struct measured *m = &s->measured.items[i];

		for (size_t k = 0; k < m->n_cpus * m->n_threads; k++) {
			if ((!event->tool && !event->ids) || !m->open[k])
				continue;
			begin(r, RECORD_STAT);
			put_u64(&r->body, event->tool ? tool_id(i) : event->ids[k]);
			/* Readers need a CPU of the map, even for a reading without a CPU. */
			put_u32(&r->body,
				(uint32_t)(event->tool ? s->target.cpu_list.items[0] : m->cpus[k / m->n_threads]));
			put_u32(&r->body, (uint32_t)(k % m->n_threads));
			put_u64(&r->body, m->now[k].value);
			put_u64(&r->body, m->now[k].enabled);
			put_u64(&r->body, m->now[k].running);
			if (end(r, e) < 0)
				return -1;
		}
	}
	begin(r, RECORD_STAT_ROUND);
	put_u64(&r->body, final ? STAT_ROUND_FINAL : STAT_ROUND_INTERVAL);
	put_u64(&r->body, time_ns);
	return end(r, e) < 0 ? -1 : writer_sync(r->writer, e);
}

int recording_end(struct count_recording *r, bool failed, struct err *e)
{
	int result = 0;

	if (failed && r->writer)
		writer_abandon(r->writer, false);
	else if (r->writer)
		result = writer_finish(r->writer, &r->features, e);
	out_release(&r->body);
	free(r);
	return result;
}
