#include "report/waits/sched.h"

/* All rows about one task have its fields at the same numbers, for sched_side_read(). */
const struct trace_want sched_wants[SCHED_KINDS] = {
	[SCHED_SWITCH] = { "sched:sched_switch",
			   { "prev_pid", "prev_comm", "prev_prio", "prev_state", "next_pid", "next_comm",
			     "next_prio" } },
	[SCHED_WAKING] = { "sched:sched_waking", { "pid", "comm", NULL, NULL, NULL, "prio", "success" } },
	[SCHED_WAKEUP] = { "sched:sched_wakeup", { "pid", "comm", NULL, NULL, NULL, "prio", "success" } },
	[SCHED_WAKEUP_NEW] = { "sched:sched_wakeup_new", { "pid", "comm", NULL, NULL, NULL, "prio", "success" } },
	[SCHED_RUNTIME] = { "sched:sched_stat_runtime", { "pid", "comm", "runtime" } },
	[SCHED_MIGRATE] = { "sched:sched_migrate_task", { "pid", "comm", NULL, "orig_cpu", "dest_cpu", "prio" } },
};

void sched_switch_read(const struct trace_event *t, struct sched_switch *s)
{
	s->prev.tid = (int32_t)trace_number(t, 0);
	trace_string(t, 1, s->prev.comm, sizeof(s->prev.comm));
	s->prev.prio = (int32_t)trace_number(t, 2);
	s->state = trace_number(t, 3);
	s->next.tid = (int32_t)trace_number(t, 4);
	trace_string(t, 5, s->next.comm, sizeof(s->next.comm));
	s->next.prio = (int32_t)trace_number(t, 6);
}

void sched_side_read(const struct trace_event *t, struct sched_side *s)
{
	s->tid = (int32_t)trace_number(t, 0);
	trace_string(t, 1, s->comm, sizeof(s->comm));
	s->prio = (int32_t)trace_number(t, 5);
}

bool sched_woke(const struct trace_event *t) { return !trace_event_has(t, 6) || trace_number(t, 6); }

int sched_events_check(const struct live_events *events, struct err *e)
{
	if (events->wants && trace_wants_has(events->wants, SCHED_SWITCH))
		return 0;
	err_set(e, "'%s' has no samples of sched:sched_switch", live_session(events->live)->pd->path);
	err_try(e, "%s sched record, and then this again", tool_name());
	return trace_wants_say_cut(live_session(events->live), e);
}

int sched_cpus_check(const struct live_events *events, uint64_t left_out, struct err *e)
{
	if (sched_events_check(events, e) < 0)
		return -1;
	if (!left_out)
		return 0;
	err_set(e, "'%s' is damaged: %llu events were left out", live_session(events->live)->pd->path,
		(unsigned long long)left_out);
	err_why(e, "they name CPUs from %d on", SCHED_CPUS_MOST);
	return -1;
}

char sched_state_letter(uint64_t state)
{
	static const char letters[] = "SDTtXZPI"; /* from the lowest bit on */

	for (unsigned bit = 0; bit < sizeof(letters) - 1; bit++)
		if (state & 1u << bit)
			return letters[bit];
	return 'R';
}

void sched_names_init(struct sched_names *n, struct session *s) { *n = (struct sched_names){ .session = s }; }

void sched_names_release(struct sched_names *n)
{
	lookup_release(&n->lookup);
	u64map_free(&n->index);
	vec_free(n);
}

void sched_names_clear(struct sched_names *n)
{
	u64map_free(&n->index);
	vec_clear(n);
}

/* Copy a name. This happens at each switch, and snprintf would take longer than all the rest. */
static void copy_name(char to[SCHED_COMM], const char *from)
{
	size_t len = strnlen(from, SCHED_COMM - 1);

	memcpy(to, from, len);
	to[len] = '\0';
}

void sched_names_tell(struct sched_names *n, int32_t tid, const char *comm)
{
	bool is_new;
	uint32_t *at = u64map_put(&n->index, (uint32_t)tid, &is_new);

	if (is_new) {
		vec_push(n, (struct sched_name){ .tid = tid });
		*at = (uint32_t)n->len;
	}
	copy_name(n->items[*at - 1].comm, comm);
}

static const char *told_name(const struct sched_names *n, int32_t tid, char buf[SCHED_COMM])
{
	const uint32_t *at = u64map_find(&n->index, (uint32_t)tid);

	if (at)
		return n->items[*at - 1].comm;
	snprintf(buf, SCHED_COMM, ":%d", tid);
	return buf;
}

const char *sched_names_last(const struct sched_names *n, int32_t tid, char buf[SCHED_COMM])
{
	uint32_t thread = session_last_thread(n->session, tid);

	if (!tid)
		return "swapper";
	if (thread && n->session->threads.items[thread].comms.len)
		return session_comm(n->session, thread_last_comm(n->session, thread, tid), buf);
	return told_name(n, tid, buf);
}

const char *sched_names_now(struct sched_names *n, const struct trace_event *t, int32_t tid, char buf[SCHED_COMM])
{
	struct task task;

	if (!tid)
		return "swapper";
	session_task(n->session, &n->lookup, -1, tid, t->moment, &task);
	if (task.thread && n->session->threads.items[task.thread].comms.len)
		return session_comm(n->session, task.comm, buf);
	return told_name(n, tid, buf);
}
