/*
 * The fields at the start of a line: whose sample it is, where and when it was taken, and of which event.
 */
#include "report/script/head_priv.h"

#include <time.h>

/* ---- fields at the start of a line ---- */

/* Print the comm in eight columns; cut what does not fit. */
static void print_short_comm(struct print_job *j)
{
	char buf[16], cut[9];

	snprintf(cut, sizeof(cut), "%s", session_comm(j->p->session, j->task.comm, buf));
	out_name_pad(j->o, cut, 8);
	out_char(j->o, ' ');
}

/*
 * Print "            spin ", or "spin " before a chain. Cached, because the next sample usually has
 * the same comm.
 */
void head_comm(struct print_job *j)
{
	struct comm_text *c = &j->w->comms[j->event->wide_comm];
	char buf[16];

	if (j->p->opts.latency) {
		print_short_comm(j);
		return;
	}
	if (!c->text.len || c->comm != j->task.comm) {
		c->text.len = 0;
		out_name_pad(&c->text, session_comm(j->p->session, j->task.comm, buf), j->event->wide_comm ? 16 : 0);
		out_char(&c->text, ' ');
		c->comm = j->task.comm;
	}
	out_mem(j->o, c->text.buf, c->text.len);
}

/* Print left-aligned in seven columns. */
static void out_left(struct out *o, int64_t v)
{
	size_t from = o->len;

	out_i64(o, v);
	out_pad(o, ' ', 7 - (long)(o->len - from));
}

static void out_right(struct out *o, int32_t v, int width)
{
	if (v >= 0)
		out_u64_pad(o, (uint64_t)v, width, ' ');
	else
		out_fmt(o, "%*d", width, v);
}

void head_pid(struct print_job *j)
{
	out_right(j->o, (int32_t)j->sample->pid, 7);
	if (!(j->event->fields & BIT(TID))) {
		out_char(j->o, ' ');
		return;
	}
	out_char(j->o, '/');
	out_left(j->o, (int32_t)j->sample->tid);
	out_char(j->o, ' ');
}

void head_tid(struct print_job *j)
{
	if (j->event->fields & BIT(PID))
		return; /* print_task prints it */
	out_right(j->o, (int32_t)j->sample->tid, 7);
	out_char(j->o, ' ');
}

/*
 * Copy `len` bytes of `text`, which has room for `size`. The compiler knows `size`, so this is a
 * few moves.
 */
static inline void out_kept(struct out *o, const char *text, size_t size, size_t len)
{
	memcpy(out_room(o, size), text, size);
	o->len += len;
}

/* Make the text of a task. Return false if it is too long to keep; then it is in w->piece. */
static __attribute__((noinline)) bool keep_task(struct print_job *j, struct task_text *t)
{
	struct out *o = j->o, *text = &j->w->piece;

	text->len = 0;
	j->o = text;
	if (j->event->fields & BIT(COMM))
		head_comm(j);
	if (j->event->fields & BIT(PID))
		head_pid(j);
	if (j->event->fields & BIT(TID))
		head_tid(j);
	j->o = o;
	if (text->len > sizeof(t->text))
		return false;
	*t = (struct task_text){ .style = j->event->task_style,
				 .pid = j->sample->pid,
				 .tid = j->sample->tid,
				 .comm = j->task.comm,
				 .len = (uint32_t)text->len };
	memcpy(t->text, text->buf, text->len);
	return true;
}

/* Return the text of these three fields, cached, because few tasks alternate. NULL: it is too long, and in w->piece. */
static inline const struct task_text *task_text(struct print_job *j)
{
	const struct sample *sample = j->sample;
	struct task_text *t = &j->w->tasks[sample->tid % TASK_TEXTS];

	if (t->style == j->event->task_style && t->pid == sample->pid && t->tid == sample->tid &&
	    t->comm == j->task.comm)
		return t;
	return keep_task(j, t) ? t : NULL;
}

void print_task(struct print_job *j)
{
	const struct task_text *t = task_text(j);

	if (t)
		out_kept(j->o, t->text, sizeof(t->text), t->len);
	else
		out_mem(j->o, j->w->piece.buf, j->w->piece.len);
}

void head_cpu(struct print_job *j)
{
	int32_t cpu = (int32_t)j->sample->cpu;

	if (j->p->opts.latency) {
		out_right(j->o, cpu, 3);
		out_char(j->o, ' ');
		return;
	}
	out_char(j->o, '[');
	if (cpu >= 0)
		out_u64_pad(j->o, (uint64_t)cpu, 3, '0');
	else
		out_fmt(j->o, "%03d", cpu);
	out_str(j->o, "] ");
}

/* Print letters for the bits of the record's misc field, in six columns. */
void head_misc(struct print_job *j)
{
	static const char modes[8] = { [CPUMODE_KERNEL] = 'K',
				       [CPUMODE_USER] = 'U',
				       [CPUMODE_HYPERVISOR] = 'H',
				       [CPUMODE_GUEST_KERNEL] = 'G',
				       [CPUMODE_GUEST_USER] = 'g' };
	const struct record *r = j->record;
	size_t from = j->o->len;
	char mode = modes[r->misc & MISC_CPUMODE];

	if (mode)
		out_char(j->o, mode);
	if ((r->type == RECORD_MMAP || r->type == RECORD_MMAP2) && r->misc & MISC_MMAP_DATA)
		out_char(j->o, 'M');
	if (r->type == RECORD_COMM && r->misc & MISC_COMM_EXEC)
		out_char(j->o, 'E');
	if ((r->type == RECORD_SWITCH || r->type == RECORD_SWITCH_CPU_WIDE) && r->misc & MISC_SWITCH_OUT) {
		out_char(j->o, 'S');
		if (r->misc & MISC_SWITCH_PREEMPT)
			out_char(j->o, 'p');
	}
	out_pad(j->o, ' ', 6 - (long)(j->o->len - from));
}

/* Print the time of day, computed from the two clocks that the recorder read together. */
void head_tod(struct print_job *j)
{
	const struct features *f = &j->p->session->pd->features;
	uint64_t ns = j->sample->time - f->clock_ns + f->clock_tod_ns;
	time_t seconds = (time_t)(ns / SECOND_NS);
	char text[64];
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S.", &tm))
		return;
	out_str(j->o, text);
	if (j->p->opts.ns)
		out_u64_pad(j->o, ns % SECOND_NS, 9, '0');
	else
		out_u64_pad(j->o, ns % SECOND_NS / 1000, 6, '0');
	out_char(j->o, ' ');
}

/* Return the time to show: the record's own, or the time since another record. */
static uint64_t shown_time(struct print_job *j)
{
	struct printer *p = j->p;
	uint64_t time = j->sample->time, last;

	if (p->opts.reltime) {
		if (!p->started && time) {
			p->started = true;
			p->start_time = time;
		}
		return time > p->start_time ? time - p->start_time : 0;
	}
	if (!p->opts.deltatime)
		return time;
	last = p->last_time;
	p->last_time = time;
	return last && time > last ? time - last : 0;
}

void print_new_second(struct print_worker *w, uint64_t time)
{
	struct second_text *t = &w->second;

	t->from = time / SECOND_NS * SECOND_NS;
	w->piece.len = 0;
	out_u64_pad(&w->piece, time / SECOND_NS, 5, ' ');
	out_char(&w->piece, '.');
	t->len = w->piece.len;
	memcpy(t->text, w->piece.buf, t->len);
}

void head_time(struct print_job *j)
{
	char *to = out_room(j->o, TIME_MOST);

	j->o->len += (size_t)(put_time(j->w, shown_time(j), j->p->opts.ns, to) - to);
}

/* Return the text of a period. Cached, because all samples of a clock event have the same period. */
static inline const struct period_text *period_text(struct print_worker *w, uint64_t period)
{
	struct period_text *t = &w->period;

	if (!t->len || t->period != period) {
		struct out *text = &w->piece;

		text->len = 0;
		out_u64_pad(text, period, 10, ' ');
		out_char(text, ' ');
		t->period = period;
		t->len = text->len;
		memcpy(t->text, text->buf, t->len);
	}
	return t;
}

void head_period(struct print_job *j)
{
	const struct period_text *t = period_text(j->w, j->sample->period);

	out_kept(j->o, t->text, sizeof(t->text), t->len);
}

void head_event(struct print_job *j) { out_mem(j->o, j->event->name, j->event->name_len); }

void print_head(struct print_job *j)
{
	for (size_t i = 0; i < j->event->n_head; i++)
		j->event->prints[i](j);
}

/* ---- the usual fields together ---- */

/* Count the fields that are in the order of the usual line, each at most once. The name must fit into NAME_BLOCK. */
size_t print_start_fields(const struct printer *p, const struct print_event *event)
{
	size_t n = 0;

	if (p->opts.latency || event->name_len > NAME_BLOCK)
		return 0;
	n += event->prints[n] == print_task;
	n += event->prints[n] == head_cpu;
	if (event->prints[n] != head_time)
		return 0;
	n++;
	n += event->prints[n] == head_period;
	n += event->prints[n] == head_event;
	return n;
}

static const struct cpu_text *cpu_text(struct print_job *j)
{
	struct cpu_text *t = &j->w->cpus[j->sample->cpu % CPU_TEXTS];
	struct out *o = j->o;

	if (!t->len || t->cpu != j->sample->cpu) {
		j->w->piece.len = 0;
		j->o = &j->w->piece;
		head_cpu(j);
		j->o = o;
		t->cpu = j->sample->cpu;
		t->len = (uint32_t)j->w->piece.len;
		memcpy(t->text, j->w->piece.buf, t->len);
	}
	return t;
}

char *print_start_end(struct print_worker *w, const struct print_event *event, uint64_t period, char *to)
{
	if (event->fields & BIT(PERIOD)) {
		const struct period_text *t = period_text(w, period);

		to = put(to, t->text, sizeof(t->text), t->len);
	}
	return event->fields & BIT(EVENT) ? put(to, event->name, NAME_BLOCK, event->name_len) : to;
}

bool print_start(struct print_job *j)
{
	static const struct task_text nobody;
	enum { ROOM = sizeof(nobody.text) + sizeof(struct cpu_text) + TIME_MOST + START_END_MOST };
	const struct print_event *event = j->event;
	const struct task_text *task = event->fields & TASK_FIELDS ? task_text(j) : &nobody;
	char *to;

	if (!task)
		return false;
	to = put(out_room(j->o, ROOM), task->text, sizeof(task->text), task->len);
	if (event->fields & BIT(CPU)) {
		const struct cpu_text *cpu = cpu_text(j);

		to = put(to, cpu->text, sizeof(cpu->text), cpu->len);
	}
	to = put_time(j->w, shown_time(j), j->p->opts.ns, to);
	to = print_start_end(j->w, event, j->sample->period, to);
	j->o->len = (size_t)(to - j->o->buf);
	return true;
}
