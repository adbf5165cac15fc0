/* Print other records than samples as lines, for --show-mmap-events and similar options. */
#include "report/script/print_priv.h"

static void set_ids(int32_t *pid, int32_t *tid, int32_t new_pid, int32_t new_tid)
{
	*pid = new_pid;
	*tid = new_tid;
}

/* Find the task whose comm begins the line: the one in the record's body, otherwise the one in its trailer. */
static void record_owner(const struct perfdata *pd, const struct record *r, int32_t *pid, int32_t *tid)
{
	struct record_mmap m;
	struct record_comm c;
	struct record_task t;
	struct record_namespaces n;

	switch (r->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		if (record_mmap(pd, r, &m) == 0)
			set_ids(pid, tid, m.pid, m.tid);
		break;
	case RECORD_COMM:
		if (record_comm(pd, r, &c) == 0)
			set_ids(pid, tid, c.pid, c.tid);
		break;
	case RECORD_FORK:
	case RECORD_EXIT:
		if (record_task(r, &t) == 0)
			set_ids(pid, tid, t.pid, t.tid);
		break;
	case RECORD_NAMESPACES:
		if (record_namespaces(r, &n) == 0)
			set_ids(pid, tid, n.pid, n.tid);
		break;
	}
}

static bool wanted(const struct printer *p, const struct record *r)
{
	if (r->type == RECORD_FINISHED_ROUND)
		return p->opts.sideband & PRINT_ROUNDS;
	return r->type < 63 && p->opts.sideband >> r->type & 1;
}

/* Do we print the record after its effect on the timeline? We do so for all sideband records except EXIT. */
static bool takes_effect(uint32_t type) { return record_is_sideband(type) && type != RECORD_EXIT; }

static void print_fields(const struct perfdata *pd, const struct record *r, struct out *o)
{
	struct record_lost l;

	if (r->type == RECORD_LOST && record_lost(r, &l) == 0)
		out_fmt(o, " lost %llu", (unsigned long long)l.lost);
	else
		record_print_fields(pd, r, o);
}

void print_sideband(struct printer *p, struct print_worker *w, const struct record *r, uint64_t pos, struct out *o)
{
	const struct perfdata *pd = p->session->pd;
	int event = perfdata_event_of(pd, r);
	int32_t pid = 0, tid = 0;
	struct sample sample = { 0 };
	struct print_job j = { .p = p, .w = w, .o = o, .record = r, .sample = &sample, .pos = pos };
	struct trailer t;

	if (!wanted(p, r))
		return;
	if (r->type == RECORD_FINISHED_ROUND) {
		out_str(o, "PERF_RECORD_FINISHED_ROUND\n");
		return;
	}
	if (event < 0) {
		w->notes.unknown_ids++;
		return;
	}
	if (record_trailer(pd, r, &t)) {
		sample = (struct sample){ .pid = t.pid, .tid = t.tid, .time = t.time, .cpu = t.cpu };
		pid = (int32_t)t.pid;
		tid = (int32_t)t.tid;
		record_owner(pd, r, &pid, &tid);
	} else {
		record_owner(pd, r, &pid, &tid);
		sample.pid = (uint32_t)pid;
		sample.tid = (uint32_t)tid;
	}
	if (p->opts.filter && !sample_filter_wants_cpu(p->opts.filter, sample.cpu))
		return;
	j.event = &p->events[event];
	j.file_event = &pd->events[event];
	j.moment = session_moment(p->session, &w->lookup, sample.time, pos) + takes_effect(r->type);
	session_task(p->session, &w->lookup, pid, tid, j.moment, &j.task);
	print_head(&j);
	out_str(o, "PERF_RECORD_");
	out_str(o, record_name(r->type));
	print_fields(pd, r, o);
	out_char(o, '\n');
}
