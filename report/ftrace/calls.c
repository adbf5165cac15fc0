#include "report/ftrace/calls.h"

/* The state of a task: its present functions, and the time of ended calls by depth. */
struct call_task {
	uint64_t path[CALL_DEPTH_MAX], below_ns[CALL_DEPTH_MAX + 1];
};

struct ftrace_calls {
	struct ftrace_meta *m;
	struct u64map by_task; /* ftrace_task_key -> index in tasks + 1 */
	VEC(struct call_task *) tasks;
};

struct ftrace_calls *ftrace_calls_new(struct ftrace_meta *m)
{
	struct ftrace_calls *c = xcalloc(1, sizeof(*c));

	c->m = m;
	return c;
}

void ftrace_calls_free(struct ftrace_calls *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->tasks.len; i++)
		free(c->tasks.items[i]);
	vec_free(&c->tasks);
	u64map_free(&c->by_task);
	free(c);
}

uint64_t ftrace_task_key(const struct ftrace_event *ev)
{
	return ev->pid ? (uint32_t)ev->pid : (uint64_t)ev->cpu << 32 | 1u << 31;
}

static struct call_task *task_of(struct ftrace_calls *c, const struct ftrace_event *ev)
{
	uint32_t *at = u64map_put(&c->by_task, ftrace_task_key(ev), NULL);

	if (!*at) {
		vec_push(&c->tasks, xcalloc(1, sizeof(struct call_task)));
		*at = (uint32_t)c->tasks.len;
	}
	return c->tasks.items[*at - 1];
}

bool ftrace_calls_add(struct ftrace_calls *c, const struct ftrace_event *ev, struct ftrace_call *call)
{
	enum ftrace_kind kind = ftrace_event_kind(ev);
	struct call_task *t;
	uint64_t depth, func, total;

	if (kind != FTRACE_ENTRY && kind != FTRACE_EXIT)
		return false;
	t = task_of(c, ev);
	if (ev->lost)
		memset(t, 0, sizeof(*t));
	depth = ftrace_event_field(c->m, ev, &ev->format->depth);
	func = ftrace_event_field(c->m, ev, &ev->format->ip);
	if (depth >= CALL_DEPTH_MAX)
		return false;
	if (kind == FTRACE_ENTRY) {
		t->path[depth] = func;
		t->below_ns[depth + 1] = 0;
		return false;
	}
	total = ftrace_event_field(c->m, ev, &ev->format->rettime) -
		ftrace_event_field(c->m, ev, &ev->format->calltime);
	t->path[depth] = func;
	*call = (struct ftrace_call){ .func = func, .total_ns = total, .pid = ev->pid, .depth = (unsigned)depth + 1 };
	call->self_ns = total - MIN(total, t->below_ns[depth + 1]);
	memcpy(call->path, t->path, (depth + 1) * sizeof(*call->path));
	t->below_ns[depth + 1] = 0;
	t->below_ns[depth] += total;
	return true;
}
