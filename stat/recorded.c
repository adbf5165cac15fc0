/* stat report: read the readings of a recording, sum them up, and print them like live ones. */
#include "stat/recorded_priv.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/out.h"
#include "format/format.h"
#include "stat/stat_priv.h"

const struct aggregation_code aggregation_codes[AGGREGATIONS] = {
	[PER_ALL] = { 1, 1 },  [PER_CPU] = { 0, 0 },      [PER_SOCKET] = { 2, 2 },
	[PER_DIE] = { 3, 3 },  [PER_CLUSTER] = { -1, 4 }, [PER_CACHE] = { -1, 5 },
	[PER_CORE] = { 4, 6 }, [PER_THREAD] = { 5, 7 },   [PER_NODE] = { 7, 9 },
};

enum { READINGS_MOST = 1 << 22 }; /* limit of readings: all events at all places */

struct replay {
	const struct stat_report_opts *o;
	struct perfdata *pd;
	struct format_notes notes;
	struct arena arena;
	VEC(struct measured) measured;
	bool **open;              /* per event: which readings exist */
	VEC(int) cpus;            /* in the order of their first readings */
	struct u64map row_of_cpu; /* CPU number -> index into cpus */
	VEC(int32_t) tids;
	VEC(const char *) comms;
	struct topology topology;
	struct table table;
	struct table_opts table_opts;
	struct print_frame frame;
	struct out *out;
	uint64_t interval_ms;
	bool laid_out, printed;
};

/* ---- records before the readings ---- */

static void take_threads(struct replay *p, const struct record *r)
{
	enum { ENTRY = 24, COMM = 16 }; /* u64 pid, char comm[16] */
	uint64_t n = load_u64(r->body);

	vec_clear(&p->tids);
	vec_clear(&p->comms);
	for (uint64_t i = 0; i < n && 8 + (i + 1) * ENTRY <= r->size; i++) {
		const char *comm = (const char *)r->body + 8 + i * ENTRY + 8;

		vec_push(&p->tids, (int32_t)load_u64(r->body + 8 + i * ENTRY));
		vec_push(&p->comms, arena_strndup(&p->arena, comm, strnlen(comm, COMM)));
	}
}

/* Add only the CPUs that readings name, so the map can have any form. */
static void take_cpu(struct replay *p, const struct record *r)
{
	int cpu = (int32_t)load_u32(r->body + 8);
	bool is_new;
	uint32_t *row = u64map_put(&p->row_of_cpu, (uint32_t)cpu, &is_new);

	if (!is_new)
		return;
	*row = (uint32_t)p->cpus.len;
	vec_push(&p->cpus, cpu);
}

static enum aggregation aggregation_of(uint64_t code, bool newer)
{
	for (int per = 0; per < AGGREGATIONS; per++)
		if ((newer ? aggregation_codes[per].newer : aggregation_codes[per].older) ==
		    (int)MIN(code, (uint64_t)INT32_MAX))
			return (enum aggregation)per;
	return PER_ALL;
}

static void take_config(struct replay *p, const struct record *r)
{
	uint64_t n = load_u64(r->body), aggregation = 1, level = 0;
	bool newer = false;

	for (uint64_t i = 0; i < n && 8 + (i + 1) * 16 <= r->size; i++) {
		uint64_t tag = load_u64(r->body + 8 + i * 16), value = load_u64(r->body + 16 + i * 16);

		if (tag == STAT_CONFIG_AGGREGATION)
			aggregation = value;
		else if (tag == STAT_CONFIG_INTERVAL)
			p->interval_ms = value;
		else if (tag == STAT_CONFIG_SCALE)
			p->table_opts.no_scale = !value;
		else if (tag == STAT_CONFIG_LEVEL)
			level = value;
		newer |= tag == STAT_CONFIG_LEVEL;
	}
	if (p->o->table.per_given)
		return;
	p->table_opts.per = aggregation_of(aggregation, newer);
	p->table_opts.cache_level = level < CACHE_LEVELS ? (unsigned)level : 0; /* 5: the last level, whichever it is */
}

/* ---- events ---- */

static const char *pmu_of(const struct features *f, uint32_t type)
{
	for (uint32_t i = 0; i < f->n_pmus; i++)
		if (f->pmus[i].type == type)
			return f->pmus[i].name;
	return NULL;
}

struct measured recorded_event(const struct perfdata *pd, const struct file_event *ev)
{
	static const struct {
		uint64_t flag;
		unsigned left_out;
	} flags[] = {
		{ ATTR_EXCLUDE_USER, LEFT_OUT_USER },   { ATTR_EXCLUDE_KERNEL, LEFT_OUT_KERNEL },
		{ ATTR_EXCLUDE_IDLE, LEFT_OUT_IDLE },   { ATTR_EXCLUDE_HOST, LEFT_OUT_HOST },
		{ ATTR_EXCLUDE_GUEST, LEFT_OUT_GUEST },
	};
	struct measured m = { .name = ev->name,
			      .unit = ev->unit ? ev->unit : "",
			      .scale = ev->scale,
			      .supported = ev->n_ids,
			      .kind = counter_kind_of(ev->attr.type, ev->attr.config),
			      .pmu = pmu_of(&pd->features, ev->attr.type) };

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		m.left_out |= ev->attr.flags & flags[i].flag ? flags[i].left_out : 0;
	m.uncore =
		m.pmu && ev->attr.type > ATTR_TYPE_BREAKPOINT && strncmp(m.pmu, "cpu", 3) && strncmp(m.pmu, "armv", 4);
	if (ev->attr.type == ATTR_TYPE_HARDWARE || ev->attr.type == ATTR_TYPE_HW_CACHE)
		m.core_type = ev->attr.config >> 32;
	if (is_tool_time(m.name)) {
		m.kind = KIND_TOOL_TIME;
		m.unit = "ns";
		m.scale = 1;
	} else if (m.kind == KIND_CLOCK && !*m.unit) {
		m.unit = "msec";
		m.scale = 1e-6;
	}
	return m;
}

static int lay_out(struct replay *p, struct err *e)
{
	size_t n_cpus = MAX(p->cpus.len, (size_t)1), n_threads = MAX(p->tids.len, (size_t)1);

	if (!p->cpus.len)
		vec_push(&p->cpus, -1);
	if (n_cpus * n_threads > READINGS_MOST / MAX(p->pd->n_events, (size_t)1)) {
		err_set(e, "too many readings: %zu events on %zu CPUs in %zu threads", p->pd->n_events, n_cpus,
			n_threads);
		return -1;
	}
	p->open = arena_alloc(&p->arena, (p->pd->n_events + 1) * sizeof(*p->open));
	for (size_t i = 0; i < p->pd->n_events; i++) {
		struct measured m = recorded_event(p->pd, &p->pd->events[i]);

		m.n_cpus = m.supported ? n_cpus : 1;
		m.n_threads = m.supported ? n_threads : 1;
		m.cpus = p->cpus.items;
		m.open = p->open[i] = arena_alloc(&p->arena, n_cpus * n_threads * sizeof(bool));
		m.now = arena_alloc(&p->arena, n_cpus * n_threads * sizeof(*m.now));
		m.before = arena_alloc(&p->arena, n_cpus * n_threads * sizeof(*m.before));
		vec_push(&p->measured, m);
	}
	p->table_opts.comms = p->comms.items;
	p->table_opts.tids = p->tids.items;
	p->table_opts.n_threads = p->tids.len;
	topology_of_features(&p->topology, &p->pd->features);
	table_layout(&p->table, p->measured.items, p->measured.len, &p->topology, &p->table_opts);
	p->laid_out = true;
	return 0;
}

/* ---- readings ---- */

static void take_reading(struct replay *p, const struct record *r)
{
	int i = perfdata_event_by_id(p->pd, load_u64(r->body));
	const uint32_t *row = u64map_find(&p->row_of_cpu, load_u32(r->body + 8));
	uint32_t thread = load_u32(r->body + 12);
	struct measured *m = i < 0 ? NULL : &p->measured.items[i];
	size_t at;

	if (!m || !row || *row >= m->n_cpus || thread >= m->n_threads)
		return;
	at = *row * m->n_threads + thread;
	m->now[at] = (struct count){ load_u64(r->body + 16), load_u64(r->body + 24), load_u64(r->body + 32) };
	p->open[i][at] = true;
}

static void print_round(struct replay *p, const struct record *r)
{
	bool interval = load_u64(r->body) == STAT_ROUND_INTERVAL;
	uint64_t time = load_u64(r->body + 8);

	table_clear(&p->table);
	/* perf's report does not print the length of intervals, so it has no "CPUs utilized". */
	table_add(&p->table, interval ? 0 : (double)time, !interval);
	p->frame.interval = interval;
	p->frame.time_ns = time;
	print_table(&p->table, NULL, &p->o->print, &p->frame, p->out);
	for (size_t i = 0; i < p->measured.len; i++) {
		struct measured *m = &p->measured.items[i];

		memcpy(m->before, m->now, m->n_cpus * m->n_threads * sizeof(*m->now));
	}
	p->printed = true;
}

/*
 * Call `take` for each record in one walk over the file. Pass `notes` in only one of the walks, so
 * that each problem is counted once.
 */
static int walk(struct replay *p, struct format_notes *notes,
		int (*take)(struct replay *, const struct record *, struct err *), struct err *e)
{
	int result = 0;

	for (size_t i = 0; i < p->pd->n_streams && !result; i++) {
		struct chunk c;
		struct record r;
		int got;

		perfdata_chunk(p->pd, i, 0, stream_size(p->pd, i), notes, &c);
		while (!result && ((got = chunk_next(&c, &r, NULL)) > 0 || (got < 0 && chunk_skip(&c))))
			if (got > 0)
				result = take(p, &r, e);
		chunk_release(&c);
	}
	return result;
}

static int learn(struct replay *p, const struct record *r, struct err *e)
{
	if (r->type == RECORD_THREAD_MAP && r->size >= 8)
		take_threads(p, r);
	else if (r->type == RECORD_STAT_CONFIG && r->size >= 8)
		take_config(p, r);
	else if (r->type == RECORD_STAT && r->size >= 40)
		take_cpu(p, r);
	return p->cpus.len > 65536 ? err_set(e, "the readings name more CPUs than a machine can have") : 0;
}

static int replay(struct replay *p, const struct record *r, struct err *e)
{
	if (r->type == RECORD_STAT && r->size >= 40)
		take_reading(p, r);
	else if (r->type == RECORD_STAT_ROUND && r->size >= 16)
		print_round(p, r);
	return 0;
}

static char *make_title(const struct perfdata *pd)
{
	const struct str_list *words = &pd->features.cmdline;
	struct out text;
	char *title;

	if (pd->pipe || !feature_has(&pd->features, FEATURE_CMDLINE))
		return xstrdup("'pipe'");
	out_init_mem(&text);
	for (uint32_t i = 0; i < words->n; i++) {
		out_str(&text, i ? " " : "");
		out_str(&text, words->items[i]);
	}
	title = xasprintf("'%s'", out_text(&text));
	out_release(&text);
	return title;
}

static void release(struct replay *p)
{
	vec_free(&p->measured);
	vec_free(&p->cpus);
	u64map_free(&p->row_of_cpu);
	vec_free(&p->tids);
	vec_free(&p->comms);
	table_release(&p->table);
	topology_release(&p->topology);
	arena_release(&p->arena);
}

int stat_report_data(const struct stat_report_opts *o, struct perfdata *pd, struct out *out, struct err *e)
{
	struct replay p = { .o = o, .pd = pd, .notes = pd->notes, .table_opts = o->table, .out = out };
	autofree char *title = make_title(pd);
	int result;

	p.frame.title = title;
	result = walk(&p, NULL, learn, e) < 0 || lay_out(&p, e) < 0 || walk(&p, &p.notes, replay, e) < 0 ? -1 : 0;
	if (!result && !p.printed) {
		result = err_set(e, "'%s' has no counts", pd->path);
		err_why(e, "stat record did not make it, or ended before it wrote any");
		err_try(e, "%s report -i FILE for a recording of samples; %s stat record writes counts", tool_name(),
			tool_name());
	}
	if (!result && o->tell) {
		out_flush(out);
		result = o->tell(pd, &p.notes);
	}
	release(&p);
	return result;
}

int stat_report(const struct stat_report_opts *o, struct err *e)
{
	struct perfdata_opts po = { .force = o->force };
	struct perfdata *pd = perfdata_open(o->input, &po, e);
	struct out out;
	bool ours;
	int result = -1;

	if (pd && !stat_open_output(&out, &ours, o->output, o->append, -1, o->print.form, e)) {
		int fd = out.fd;

		result = stat_report_data(o, pd, &out, e);
		if (out_finish(&out, result < 0 ? NULL : e) < 0)
			result = -1;
		if (ours)
			close(fd);
	}
	perfdata_close(pd);
	return result;
}
