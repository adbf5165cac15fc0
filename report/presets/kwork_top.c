/* kwork top: show threads by their time on a CPU, without the time of interrupts. */
#include "base/hash.h"
#include "base/sort/sort.h"
#include "report/presets/kwork_priv.h"
#include "report/waits/sched.h"

enum { SWITCH, IRQ_ENTRY, IRQ_EXIT, VEC_ENTRY, VEC_EXIT, KINDS };
static const struct trace_want wanted[KINDS] = {
	[SWITCH] = { "sched:sched_switch",
		     { "prev_pid", "prev_comm", "prev_prio", "prev_state", "next_pid", "next_comm", "next_prio" } },
	[IRQ_ENTRY] = { "irq:irq_handler_entry", { "irq" } },
	[IRQ_EXIT] = { "irq:irq_handler_exit", { "irq" } },
	[VEC_ENTRY] = { "irq:softirq_entry", { "vec" } },
	[VEC_EXIT] = { "irq:softirq_exit", { "vec" } },
};
enum { HARD, SOFT };

/* Times in ns. */
struct kwork_cpu {
	uint64_t since;      /* when the present thread came; 0 = unknown */
	uint64_t entered[2]; /* HARD, SOFT: when one began; 0 = none runs */
	uint64_t stolen;     /* by interrupts, since the present thread came */
	uint64_t total, idle, interrupts[2];
};
struct kwork_thread {
	int32_t tid;
	char comm[SCHED_COMM];
	uint64_t runtime;
	double rate; /* percent of its CPUs' time */
};
/* The time of a thread on a CPU. We compute its share at the end. */
struct kwork_part {
	uint32_t row, cpu;
	uint64_t runtime;
};
struct kwork_tops {
	const struct kwork_top_opts *opts;
	VEC(struct kwork_cpu) cpus;
	VEC(struct kwork_thread) rows;
	VEC(struct kwork_part) parts;
	struct u64map index, part_index; /* thread -> rows + 1; thread and CPU -> parts + 1 */
	uint64_t left_out;
	bool classes[KWORK_N_CLASSES];
};

int kwork_top_check(const struct kwork_top_opts *k, struct err *e)
{
	static const char *const columns[] = { "rate", "runtime", "tid", NULL };
	autofree char *copy = xstrdup(k->sort ? k->sort : "");
	char *rest = NULL;

	for (char *word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
		if (opt_word("--sort", word, columns, e) < 0)
			return -1;
	return kwork_classes((bool[KWORK_N_CLASSES]){ 0 }, k->classes, e);
}

static void credit(struct kwork_tops *p, const struct sched_side *side, uint32_t cpu, uint64_t ns)
{
	uint32_t *at = u64map_put(&p->index, (uint32_t)side->tid, NULL), *part;

	if (!*at) {
		vec_push(&p->rows, (struct kwork_thread){ .tid = side->tid });
		*at = (uint32_t)p->rows.len;
	}
	p->rows.items[*at - 1].runtime += ns;
	memcpy(p->rows.items[*at - 1].comm, side->comm, SCHED_COMM);
	part = u64map_put(&p->part_index, (uint64_t)cpu << 32 | (uint32_t)side->tid, NULL);
	if (!*part) {
		vec_push(&p->parts, (struct kwork_part){ .row = *at - 1, .cpu = cpu });
		*part = (uint32_t)p->parts.len;
	}
	p->parts.items[*part - 1].runtime += ns;
}

/* Credit the thread that leaves. The time before the first switch of a CPU belongs to no thread. */
static void leave(struct kwork_tops *p, const struct trace_event *t, struct kwork_cpu *c)
{
	struct sched_switch s;
	uint64_t ns;

	sched_switch_read(t, &s);
	if (c->since && t->time > c->since) {
		ns = t->time - c->since;
		c->total += ns;
		ns -= MIN(c->stolen, ns);
		if (s.prev.tid)
			credit(p, &s.prev, t->cpu, ns);
		else
			c->idle += ns;
	}
	c->since = t->time;
	c->stolen = 0;
}

static void interrupt_end(struct kwork_cpu *c, int kind, uint64_t time)
{
	uint64_t ns = c->entered[kind] && time > c->entered[kind] ? time - c->entered[kind] : 0;

	c->entered[kind] = 0;
	if (!c->since)
		return;
	c->interrupts[kind] += ns;
	c->stolen += ns;
	/* If a handler interrupts a softirq, its time does not count for the softirq. */
	if (kind == HARD && c->entered[SOFT])
		c->entered[SOFT] += ns;
}

static void event(struct kwork_tops *p, const struct trace_event *t)
{
	struct kwork_cpu *c;

	if ((p->opts->cpus && !cpuset_has(p->opts->cpus, (int)t->cpu)) ||
	    (p->opts->window && (t->time < p->opts->window->from || t->time > p->opts->window->to)))
		return;
	if (t->cpu >= SCHED_CPUS_MOST) {
		p->left_out++;
		return;
	}
	while (p->cpus.len <= t->cpu)
		vec_push(&p->cpus, (struct kwork_cpu){ 0 });
	c = &p->cpus.items[t->cpu];
	switch (t->want) {
	case SWITCH: leave(p, t, c); break;
	case IRQ_ENTRY: c->entered[HARD] = p->classes[KWORK_IRQ] ? t->time : 0; break;
	case VEC_ENTRY: c->entered[SOFT] = p->classes[KWORK_SOFTIRQ] ? t->time : 0; break;
	case IRQ_EXIT: interrupt_end(c, HARD, t->time); break;
	case VEC_EXIT: interrupt_end(c, SOFT, t->time); break;
	}
}

/* A page of zeros would look like an idle machine. */
static int check_times(const struct kwork_tops *p, struct live *l, struct err *e)
{
	for (size_t i = 0; i < p->cpus.len; i++)
		if (p->cpus.items[i].total)
			return 0;
	err_set(e, "no CPU has two samples of sched:sched_switch%s in '%s', so no time of a thread is known",
		p->opts->cpus || p->opts->window ? " that -C and --time leave" : "", live_session(l)->pd->path);
	return err_try(e, "%s kwork -k irq,softirq,sched record, and then this again", tool_name());
}

/* ---- the page ---- */

static double percent(uint64_t part, uint64_t all) { return all ? 100.0 * (double)part / (double)all : 0; }

static void print_cpus(const struct kwork_tops *p, struct out *o)
{
	enum { BAR = 30 };
	uint64_t total = 0, idle = 0, hard = 0, soft = 0, n = 0;

	for (size_t i = 0; i < p->cpus.len; i++) {
		const struct kwork_cpu *c = &p->cpus.items[i];

		n += c->total > 0;
		total += c->total;
		idle += c->idle;
		hard += c->interrupts[HARD];
		soft += c->interrupts[SOFT];
	}
	out_fmt(o, "\nTotal  : %10.3f ms, %llu cpus\n", (double)total / 1e6, (unsigned long long)n);
	out_fmt(o, "%%Cpu(s): %6.2f%% id, %6.2f%% hi, %6.2f%% si\n", percent(idle, total), percent(hard, total),
		percent(soft, total));
	for (size_t i = 0; i < p->cpus.len; i++) {
		const struct kwork_cpu *c = &p->cpus.items[i];
		double busy = percent(c->total - MIN(c->idle, c->total), c->total);
		int bars = (int)(busy * BAR / 100);

		if (!c->total)
			continue;
		out_fmt(o, "%%Cpu%-4zu[", i);
		out_pad(o, '|', bars);
		out_pad(o, ' ', BAR - bars);
		out_fmt(o, "%7.2f%%]\n", busy);
	}
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct kwork_thread *x = a, *y = b;
	autofree char *copy = xstrdup(ctx);
	char *rest = NULL;

	for (char *word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
		int order = *word == 't'            ? (x->tid < y->tid) - (x->tid > y->tid)
			    : !strcmp(word, "rate") ? (x->rate < y->rate) - (x->rate > y->rate)
						    : (x->runtime < y->runtime) - (x->runtime > y->runtime);

		if (order)
			return order;
	}
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static void print_threads(struct kwork_tops *p, struct out *o)
{
	const char *sort = p->opts->sort ? p->opts->sort : "rate,runtime";

	for (size_t i = 0; i < p->parts.len; i++) {
		const struct kwork_part *part = &p->parts.items[i];

		p->rows.items[part->row].rate += percent(part->runtime, p->cpus.items[part->cpu].total);
	}
	vec_sort_r(&p->rows, compare, (void *)(uintptr_t)sort);
	out_str(o, "\n      PID    %CPU           RUNTIME  COMMAND         \n  ");
	out_pad(o, '-', 52);
	out_char(o, '\n');
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct kwork_thread *r = &p->rows.items[i];

		if (!r->runtime || (p->opts->name && strcmp(p->opts->name, r->comm)))
			continue;
		out_fmt(o, "%9d  %6.2f  %13.3f ms  ", r->tid, r->rate, (double)r->runtime / 1e6);
		out_name_pad(o, r->comm, -16);
		out_char(o, '\n');
	}
	out_char(o, '\n');
}

int kwork_top(struct live *l, const struct kwork_top_opts *k, struct out *o, struct err *e)
{
	struct kwork_tops p = { .opts = k };
	struct live_events events = { .live = l, .rows = wanted, .n_rows = KINDS };
	struct trace_event t;
	int what, rc;

	if (kwork_classes(p.classes, k->classes, e) < 0)
		return -1;
	while ((what = live_events_next(&events, &t, e)) > LIVE_END)
		if (what == LIVE_EVENT)
			event(&p, &t);
	rc = what < 0 ? -1 : 0;
	if (rc == 0 && (!events.wants || !trace_wants_has(events.wants, SWITCH))) {
		err_set(e, "'%s' has no samples of sched:sched_switch", live_session(l)->pd->path);
		err_try(e, "%s kwork -k irq,softirq,sched record, and then this again", tool_name());
		rc = trace_wants_say_cut(live_session(l), e);
	}
	if (rc == 0)
		rc = sched_cpus_check(&events, p.left_out, e);
	if (rc == 0)
		rc = check_times(&p, l, e);
	if (rc == 0) {
		print_cpus(&p, o);
		print_threads(&p, o);
	}
	live_events_release(&events);
	vec_free(&p.cpus);
	vec_free(&p.rows);
	vec_free(&p.parts);
	u64map_free(&p.index);
	u64map_free(&p.part_index);
	return rc;
}
