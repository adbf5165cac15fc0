/* Print the output of `sched timehist -s`: a row per task, and the idle time of the CPUs. */
#include "base/sort/sort.h"
#include "report/waits/sched_timehist_priv.h"

enum { NAME_WIDTH = 30 };

/* Print three decimals, truncated as in the lines of switches. */
static void print_ms(uint64_t ns, int width, struct out *o)
{
	out_fmt(o, "%*llu.%03llu", width - 4, (unsigned long long)(ns / 1000000),
		(unsigned long long)(ns / 1000 % 1000));
}

static int32_t parent_of(const struct timehist *h, int32_t tid)
{
	uint32_t thread = session_last_thread(h->session, tid);

	return thread ? h->session->threads.items[thread].ppid : -1;
}

static int32_t process_of(const struct timehist *h, int32_t tid)
{
	uint32_t thread = session_last_thread(h->session, tid);

	return thread ? h->session->threads.items[thread].pid : -1;
}

static void print_name(struct timehist *h, int32_t tid, struct out *o)
{
	char buf[SCHED_COMM], id[32];
	const char *comm = sched_names_last(&h->names, tid, buf);
	int32_t pid = process_of(h, tid);

	if (pid > 0 && pid != tid)
		snprintf(id, sizeof(id), "[%d/%d]", tid, pid);
	else
		snprintf(id, sizeof(id), "[%d]", tid);
	out_pad(o, ' ', NAME_WIDTH - out_name_width(comm) - (int)strlen(id));
	out_name(o, comm);
	out_str(o, id);
	out_fmt(o, "%8d", parent_of(h, tid));
}

static void print_sum(const struct time_sum *s, const struct hist_task *t, struct out *o)
{
	print_ms(s->total, 13, o);
	print_ms(s->min, 11, o);
	print_ms(s->n ? s->total / s->n : 0, 12, o);
	print_ms(s->max, 12, o);
	out_fmt(o, "   %5.2f%8llu\n", spread_percent(&s->spread), (unsigned long long)t->migrations);
}

static void print_waits(const struct hist_task *t, struct out *o)
{
	print_ms(t->run.total, 13, o);
	print_ms(t->sleep, 11, o);
	print_ms(t->io, 12, o);
	print_ms(t->preempted, 12, o);
	print_ms(t->delay, 12, o);
	out_str(o, " \n");
}

static const struct time_sum *sum_of(const struct timehist *h, const struct hist_task *t)
{
	return h->opts->idle ? &t->idle : &t->run;
}

static int by_time(const void *a, const void *b, void *ctx)
{
	const struct hist_task *s = a, *t = b;
	const struct time_sum *x = sum_of(ctx, s), *y = sum_of(ctx, t);

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return (s->tid > t->tid) - (s->tid < t->tid);
}

static void print_heads(const struct timehist *h, struct out *o)
{
	if (h->opts->idle)
		out_fmt(o,
			"\nIdle-time summary\n%30s  parent  sched-out    idle-time   min-idle    avg-idle    max-idle "
			" stddev  migrations\n",
			"comm");
	else if (h->opts->state)
		out_fmt(o,
			"\nWait-time summary\n%30s  parent   sched-in     run-time      sleep      iowait     preempt "
			"      delay\n",
			"comm");
	else
		out_fmt(o,
			"\nRuntime summary\n%30s  parent   sched-in     run-time    min-run     avg-run     max-run  "
			"stddev  migrations\n",
			"comm");
	out_fmt(o, "%30s            (count)       (msec)     (msec)      (msec)      (msec)       %s\n", "",
		h->opts->state && !h->opts->idle ? "(msec)" : "%");
	out_pad(o, '-', 117);
	out_char(o, '\n');
}

static void print_idle_cpu(uint32_t cpu, uint64_t idle, uint64_t all, struct out *o)
{
	out_fmt(o, "    CPU %2u idle for ", cpu);
	print_ms(idle, 10, o);
	out_fmt(o, "  msec  (%6.2f%%)\n", all ? 100.0 * (double)idle / (double)all : 0.0);
}

static void print_idle_cpus(struct timehist *h, uint64_t all, struct out *o)
{
	out_str(o, "\nIdle stats:\n");
	for (uint32_t cpu = 0; cpu < MAX(h->n_cpus, h->cpus.len); cpu++) {
		const struct hist_cpu *c = cpu < h->cpus.len ? &h->cpus.items[cpu] : NULL;

		if (c && c->idle)
			print_idle_cpu(cpu, c->idle, all, o);
		else if (c && c->switched)
			out_fmt(o, "    CPU %2u never idle\n", cpu);
		else
			out_fmt(o, "    CPU %2u idle entire time window\n", cpu);
	}
}

static int by_idle(const void *a, const void *b)
{
	const struct idle_why *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->ns < y->ns) - (x->ns > y->ns);
}

static void print_whys(struct timehist *h, struct out *o)
{
	size_t i = 0; /* they are sorted by CPU */

	vec_sort(&h->idles, by_idle);
	out_str(o, "\nIdle stats by callchain:\n");
	for (uint32_t cpu = 0; cpu < MAX(h->n_cpus, h->cpus.len); cpu++) {
		out_fmt(o, "  CPU %2u:", cpu);
		print_ms(cpu < h->cpus.len ? h->cpus.items[cpu].idle : 0, 10, o);
		out_str(o, "  msec\n");
		out_str(o, "  Idle time (msec)     Count  Callchains\n");
		out_str(o, "  ----------------  --------  --------------------------------------------------\n");
		for (; i < h->idles.len && h->idles.items[i].cpu == cpu; i++) {
			const struct idle_why *w = &h->idles.items[i];

			out_str(o, "  ");
			print_ms(w->ns, 16, o);
			out_fmt(o, "  %8llu  %s\n", (unsigned long long)w->n, strtab_get(&h->whys, w->why));
		}
		out_char(o, '\n');
	}
}

static bool has_ended(const struct hist_task *t) { return t->state & (SCHED_DEAD | SCHED_ZOMBIE); }

struct totals {
	uint64_t tasks, slices, ns;
};

/* Print the tasks that have ended, or the others. Return their number. */
static size_t print_tasks(struct timehist *h, bool ended, struct totals *all, struct out *o)
{
	size_t n = 0;

	for (size_t i = 0; i < h->tasks.len; i++) {
		const struct hist_task *t = &h->tasks.items[i];
		const struct time_sum *s = sum_of(h, t);

		if (!s->n || has_ended(t) != ended)
			continue;
		all->slices += s->n;
		if (!t->tid)
			continue;
		print_name(h, t->tid, o);
		out_fmt(o, "%11llu", (unsigned long long)s->n);
		if (h->opts->state && !h->opts->idle)
			print_waits(t, o);
		else
			print_sum(s, t, o);
		n++;
		all->ns += s->total;
	}
	all->tasks += n;
	return n;
}

static void print_totals(const struct timehist *h, const struct totals *all, struct out *o)
{
	out_fmt(o, "\n    Total number of unique tasks: %llu\n", (unsigned long long)all->tasks);
	out_fmt(o, "Total number of context switches: %llu\n", (unsigned long long)all->slices);
	out_str(o, "           Total run time (msec): ");
	print_ms(all->ns, 6, o);
	out_str(o, " \n    Total scheduling time (msec): ");
	print_ms(h->last - h->first, 6, o);
	out_fmt(o, "  (x %u)\n", h->n_cpus);
}

void sched_timehist_summary(struct timehist *h)
{
	struct totals all = { 0 };
	struct out *o = h->out;

	print_heads(h, o);
	vec_sort_r(&h->tasks, by_time, h);
	if (!print_tasks(h, false, &all, o))
		out_str(o, "<no still running tasks>\n");
	out_str(o, "\nTerminated tasks:\n");
	if (!print_tasks(h, true, &all, o))
		out_str(o, "<no terminated tasks>\n");
	print_idle_cpus(h, h->last - h->first, o);
	if (h->opts->idle && h->idles.len)
		print_whys(h, o);
	print_totals(h, &all, o);
}
