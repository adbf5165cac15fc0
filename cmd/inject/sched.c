/*
 * inject --sched-stat: write how long threads slept, as samples of the place where they fell
 * asleep. The kernel gives the duration in sched_stat_*, when the sleep is over, with the waker's
 * stack. It gives the place in sched_switch, when the sleep begins.
 */
#include "cmd/commands.h"
#include "cmd/inject/inject_priv.h"

#include "report/tracepoint/wants.h"

enum { SWITCH, EXIT, FIRST_STAT };
static const struct trace_want wanted[] = {
	[SWITCH] = { "sched:sched_switch", { NULL } },
	[EXIT] = { "sched:sched_process_exit", { NULL } },
	[FIRST_STAT] = { "sched:sched_stat_wait", { "pid" } },
	{ "sched:sched_stat_sleep", { "pid" } },
	{ "sched:sched_stat_iowait", { "pid" } },
	{ "sched:sched_stat_blocked", { "pid" } },
	{ "sched:sched_stat_runtime", { "pid" } },
};

/* The last switch of a thread, as a whole record. */
struct inject_switch {
	uint8_t *record;
	size_t size, room;
	uint32_t event;
};

struct inject_sched {
	struct trace_wants *wants;
	struct u64map index; /* tid -> switches + 1 */
	VEC(struct inject_switch) switches;
};

/* We match samples by thread, and give one the time and period of another. */
static int check_fields(const struct inject *n, struct err *e)
{
	enum { NEEDED = SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD };

	for (size_t i = 0; i < n->s->pd->n_events; i++) {
		const struct file_event *f = &n->s->pd->events[i];

		if (f->attr.type != ATTR_TYPE_TRACEPOINT || strncmp(f->name, "sched:sched_s", 13) != 0 ||
		    (f->attr.sample_type & NEEDED) == NEEDED)
			continue;
		err_set(e, "samples of %s lack their thread, time or period", f->name);
		return err_try(e, "%s record -a -g -e sched:sched_stat_sleep -e sched:sched_switch", tool_name());
	}
	return 0;
}

int inject_sched_begin(struct inject *n, struct err *e)
{
	struct inject_sched *x = xcalloc(1, sizeof(*x));
	bool stat = false;

	n->sched = x;
	x->wants = trace_wants_new(n->s, wanted, ARRAY_SIZE(wanted));
	for (uint32_t i = FIRST_STAT; i < ARRAY_SIZE(wanted); i++)
		stat |= trace_wants_has(x->wants, i);
	if (trace_wants_has(x->wants, SWITCH) && stat)
		return check_fields(n, e);
	err_set(e, "'%s' does not tell where threads slept and for how long", n->opts->input);
	err_why(e, "it has no events %s", stat ? "sched:sched_switch" : "sched:sched_stat_*, which some kernels lack");
	return err_try(e, "%s record --waits and %s inject --wall, which need no sched_stat_sleep", tool_name(),
		       tool_name());
}

void inject_sched_free(struct inject_sched *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->switches.len; i++)
		free(x->switches.items[i].record);
	vec_free(&x->switches);
	u64map_free(&x->index);
	trace_wants_free(x->wants);
	free(x);
}

static struct inject_switch *switch_of(struct inject_sched *x, uint32_t tid)
{
	bool is_new;
	uint32_t *at = u64map_put(&x->index, tid, &is_new);

	if (is_new) {
		vec_push(&x->switches, (struct inject_switch){ 0 });
		*at = (uint32_t)x->switches.len;
	}
	return &x->switches.items[*at - 1];
}

static void keep(struct inject_switch *to, const struct record *r, uint32_t event)
{
	struct {
		uint32_t type;
		uint16_t misc, size;
	} head = { r->type, r->misc, (uint16_t)(8 + r->size) };

	to->size = 8 + (size_t)r->size;
	if (to->size > to->room) {
		to->room = to->size;
		to->record = xrealloc(to->record, to->room);
	}
	memcpy(to->record, &head, 8);
	memcpy(to->record + 8, r->body, r->size);
	to->event = event;
}

/*
 * Write the switch again, with the time of the sleep's end, and the sleep as its period. Keep the
 * switch: another event may refer to it.
 */
static int write_slept(struct inject *n, const struct inject_switch *s, const struct sample *stat, struct err *e)
{
	const struct layout *l = &n->s->pd->events[s->event].layout;

	if (!s->size)
		return 0;
	memcpy(s->record + 8 + l->time, &stat->time, 8);
	memcpy(s->record + 8 + l->period, &stat->period, 8);
	return writer_record(n->writer, s->record, s->size, e);
}

int inject_slept(struct inject *n, const struct record *r, struct err *e)
{
	struct trace_event t;

	if (!trace_wants_take(n->sched->wants, r, 0, session_pos(r->stream, r->pos), &t))
		return 0;
	if (t.want == SWITCH)
		keep(switch_of(n->sched, t.sample.tid), r, t.event);
	else if (t.want == EXIT)
		switch_of(n->sched, t.sample.tid)->size = 0;
	else if (write_slept(n, switch_of(n->sched, (uint32_t)trace_number(&t, 0)), &t.sample, e) < 0)
		return -1;
	return 1;
}
