/* Print the tables of waits, and their JSON. */
#include "base/encode/json.h"
#include "report/waits/waits_priv.h"

static uint64_t blocked(const struct wait_thread *t)
{
	uint64_t ns = 0;

	for (int k = 0; k < WAIT_KINDS; k++)
		ns += t->blocked[k];
	return ns;
}

static uint64_t wall(const struct wait_thread *t) { return t->last - t->first - t->unknown; }

static double ms(uint64_t ns) { return (double)ns / 1e6; }

/* ---- threads ---- */

static int by_wall(const void *a, const void *b)
{
	const struct wait_thread *const *x = a, *const *y = b;

	if (blocked(*x) + (*x)->runnable != blocked(*y) + (*y)->runnable)
		return blocked(*x) + (*x)->runnable < blocked(*y) + (*y)->runnable ? 1 : -1;
	return ((*x)->tid > (*y)->tid) - ((*x)->tid < (*y)->tid);
}

static void print_thread(const struct wait_thread *t, struct out *o)
{
	out_fmt(o, "%10.3f %10.3f %10.3f %10.3f ", ms(wall(t)), ms(t->running), ms(t->runnable), ms(blocked(t)));
	for (int k = 0; k < WAIT_KINDS; k++)
		if (t->blocked[k])
			out_fmt(o, " %9.3f", ms(t->blocked[k]));
		else
			out_str(o, "         -");
	out_str(o, "  ");
	out_name(o, t->comm);
	if (t->ended)
		out_fmt(o, "[%u that ended]\n", t->ended);
	else
		out_fmt(o, t->pid > 0 && t->pid != t->tid ? "[%d/%d]\n" : "[%d]\n", t->tid, t->pid);
}

static size_t wanted_threads(const struct waits *w, const struct wait_thread **to)
{
	size_t n = 0;

	for (size_t i = 0; i < w->threads.len; i++)
		if (w->threads.items[i].wanted && wall(&w->threads.items[i]))
			to[n++] = &w->threads.items[i];
	qsort(to, n, sizeof(*to), by_wall);
	return n;
}

static void print_threads(const struct waits *w, struct out *o)
{
	autofree const struct wait_thread **threads = xcalloc(w->threads.len + 1, sizeof(*threads));
	size_t n = wanted_threads(w, threads);

	out_str(o,
		"# Where the time of threads went, in ms: wall = running + runnable + blocked; blocked by kind\n#\n");
	if (w->reduced)
		out_str(o, "# Reduced: there were no wakeups and no call chains to read. A thread that was woken\n"
			   "# counts as blocked until it ran, and what it waited for is not known.\n#\n");
	out_str(o, "#     wall    running   runnable    blocked ");
	for (int k = 0; k < WAIT_KINDS; k++)
		out_fmt(o, " %9s", wait_kind_names[k]);
	out_str(o, "  thread\n");
	for (size_t i = 0; i < n; i++)
		print_thread(threads[i], o);
}

/* ---- waiters and wakers ---- */

static int by_ns(const void *a, const void *b)
{
	const struct wait_row *const *x = a, *const *y = b;

	if ((*x)->waits.total != (*y)->waits.total)
		return (*x)->waits.total < (*y)->waits.total ? 1 : -1;
	return *x < *y ? -1 : *x > *y;
}

static size_t wanted_rows(const struct waits *w, const struct wait_row **to, uint64_t *all)
{
	size_t n = 0;

	for (size_t i = 0; i < w->rows.len; i++)
		if (!w->rows.items[i].unwanted && !w->rows.items[i].idle && w->rows.items[i].waits.count) {
			*all += w->rows.items[i].waits.total;
			to[n++] = &w->rows.items[i];
		}
	qsort(to, n, sizeof(*to), by_ns);
	return n;
}

/* Print the innermost functions of the kernel, and then those of the program, where the reader looks for the cause. */
static void print_stack(const struct waits *w, uint32_t stack, bool unseen, struct out *o)
{
	enum { KERNEL_MOST = 3 };
	const struct wait_stack *s = stack ? &w->stacks.items[stack - 1] : NULL;
	size_t shown = 0, kernel = 0;

	for (uint32_t i = 0; s && i < s->n && shown < w->opts->max_stack; i++) {
		const char *name = strtab_get(&w->names, w->frames.items[s->from + i]);

		if (i < s->n_kernel && (kernel == KERNEL_MOST || wait_says_nothing(name)))
			continue;
		kernel += i < s->n_kernel;
		if (shown++)
			out_str(o, i == s->n_kernel && s->n_kernel > kernel ? " <- ... <- " : " <- ");
		out_name(o, name);
	}
	if (!s)
		out_str(o, unseen ? "(not recorded)" : "(no call chain)");
	out_char(o, '\n');
}

static enum wait_kind kind_of_row(const struct waits *w, const struct wait_row *r)
{
	if (r->idle)
		return WAIT_IDLE;
	return r->stack ? w->stacks.items[r->stack - 1].kind : WAIT_OTHER;
}

static void print_row(const struct waits *w, const struct wait_row *r, uint64_t all, struct out *o)
{
	out_fmt(o, "%12.3f ms %6.2f%% %8llu x   p50 %.3f  p99 %.3f  max %.3f ms  %s\n", ms(r->waits.total),
		all ? 100.0 * (double)r->waits.total / (double)all : 0.0, (unsigned long long)r->waits.count,
		ms(durations_percentile(&r->waits, 50)), ms(durations_percentile(&r->waits, 99)), ms(r->waits.max),
		wait_kind_names[kind_of_row(w, r)]);
	out_str(o, "      waits:    ");
	out_name_pad(o, strtab_get(&w->names, r->comm), -16);
	out_char(o, ' ');
	print_stack(w, r->stack, r->unseen & UNSEEN_VICTIM, o);
	out_str(o, w->opts->follow ? "      due to:   " : "      woken by: ");
	out_name_pad(o, strtab_get(&w->names, r->waker), -16);
	out_char(o, ' ');
	print_stack(w, r->waker_stack, r->unseen & UNSEEN_WAKER, o);
}

/* Sum all idle waits, for one row, so that they do not hide other rows. */
static void sum_idle(const struct waits *w, struct durations *d)
{
	for (size_t i = 0; i < w->rows.len; i++) {
		const struct wait_row *r = &w->rows.items[i];

		if (!r->idle || r->unwanted)
			continue;
		d->total += r->waits.total;
		d->count += r->waits.count;
		d->max = MAX(d->max, r->waits.max);
	}
}

static void print_idle(const struct waits *w, struct out *o)
{
	struct durations d = { 0 };

	sum_idle(w, &d);
	if (d.count)
		out_fmt(o,
			"%12.3f ms    idle %8llu x   max %.3f ms: threads that had no work: no other thread made "
			"them wait\n",
			ms(d.total), (unsigned long long)d.count, ms(d.max));
}

/*
 * Print how many stacks were recorded, and why not more. All threads have the same turns, so a busy thread takes stacks
 * from those that the reader asked for.
 */
static void print_turns(const struct waits *w, struct out *o)
{
	const struct wait_thread *busiest = NULL;

	out_fmt(o,
		"\n# The stacks of %.1f%% of the waits were recorded; there were too many for all. The other "
		"waits\n# are estimated from the thread, its waker and the length; times of threads are "
		"exact.\n",
		100.0 * (double)w->with_stack / (double)(w->with_stack + w->without));
	for (size_t i = 0; i < w->threads.len; i++) {
		const struct wait_thread *th = &w->threads.items[i];

		if (!th->wanted && th->switches && (!busiest || th->switches > busiest->switches))
			busiest = th;
	}
	if (!busiest || 2 * w->others_switches < w->switches)
		return;
	out_fmt(o, "# %.0f%% of the switches are those of other threads, most of them of ",
		100.0 * (double)w->others_switches / (double)w->switches);
	out_name(o, busiest->comm);
	out_fmt(o, "[%d]. Without these there\n# would be more stacks; try: %s record --waits --target-only\n",
		busiest->tid, tool_name());
}

static void print_rows(const struct waits *w, struct out *o)
{
	autofree const struct wait_row **rows = xcalloc(w->rows.len + 1, sizeof(*rows));
	uint64_t all = 0;
	size_t n = wanted_rows(w, rows, &all);

	if (w->without)
		print_turns(w, o);
	out_str(o, w->opts->follow ? "\n# Who made whom wait, followed through wakers that waited themselves\n#\n"
				   : "\n# Who made whom wait\n#\n");
	for (size_t i = 0; i < n && (!w->opts->rows || i < w->opts->rows); i++)
		print_row(w, rows[i], all, o);
	if (w->opts->rows && n > w->opts->rows)
		out_fmt(o, "# and %zu more\n", n - (size_t)w->opts->rows);
	print_idle(w, o);
}

/* ---- JSON: an object for each line ---- */

static void json_stack(const struct waits *w, const char *key, uint32_t stack, struct json *j)
{
	const struct wait_stack *s = stack ? &w->stacks.items[stack - 1] : NULL;

	json_array(j, key);
	for (uint32_t i = 0; s && i < s->n; i++)
		json_text(j, NULL, strtab_get(&w->names, w->frames.items[s->from + i]));
	json_end(j, "]");
}

static void json_thread(const struct waits *w, const struct wait_thread *t, struct out *o)
{
	struct json j = json_compact(o);

	json_object(&j, NULL);
	json_object(&j, "thread");
	json_number(&j, "pid", t->pid);
	json_number(&j, "tid", t->tid);
	json_text(&j, "comm", t->comm);
	if (t->ended)
		json_unsigned(&j, "ended", t->ended);
	json_end(&j, "}");
	json_unsigned(&j, "wall", wall(t));
	json_unsigned(&j, "running", t->running);
	json_unsigned(&j, "runnable", t->runnable);
	json_object(&j, "blocked");
	for (int k = 0; k < WAIT_KINDS; k++)
		json_unsigned(&j, wait_kind_names[k], t->blocked[k]);
	json_end(&j, "}");
	if (w->reduced)
		json_bool(&j, "reduced", true);
	json_end(&j, "}");
	out_char(o, '\n');
}

static void json_row(const struct waits *w, const struct wait_row *r, struct out *o)
{
	struct json j = json_compact(o);

	json_object(&j, NULL);
	json_text(&j, "victim", strtab_get(&w->names, r->comm));
	json_text(&j, "waker", strtab_get(&w->names, r->waker));
	json_text(&j, "kind", wait_kind_names[kind_of_row(w, r)]);
	json_unsigned(&j, "ns", r->waits.total);
	json_unsigned(&j, "count", r->waits.count);
	json_unsigned(&j, "p50", durations_percentile(&r->waits, 50));
	json_unsigned(&j, "p99", durations_percentile(&r->waits, 99));
	json_unsigned(&j, "max", r->waits.max);
	if (w->without)
		json_unsigned(&j, "estimated", r->estimated);
	json_stack(w, "victim_stack", r->stack, &j);
	json_stack(w, "waker_stack", r->waker_stack, &j);
	json_end(&j, "}");
	out_char(o, '\n');
}

static void json_idle(const struct waits *w, struct out *o)
{
	struct json j = json_compact(o);
	struct durations d = { 0 };

	sum_idle(w, &d);
	if (!d.count)
		return;
	json_object(&j, NULL);
	json_text(&j, "victim", "[idle]");
	json_text(&j, "waker", "");
	json_text(&j, "kind", "idle");
	json_unsigned(&j, "ns", d.total);
	json_unsigned(&j, "count", d.count);
	json_unsigned(&j, "max", d.max);
	json_stack(w, "victim_stack", 0, &j);
	json_stack(w, "waker_stack", 0, &j);
	json_end(&j, "}");
	out_char(o, '\n');
}

static void json(const struct waits *w, struct out *o)
{
	autofree const struct wait_thread **threads = xcalloc(w->threads.len + 1, sizeof(*threads));
	autofree const struct wait_row **rows = xcalloc(w->rows.len + 1, sizeof(*rows));
	uint64_t all = 0;
	size_t n = wanted_threads(w, threads);

	for (size_t i = 0; i < n; i++)
		json_thread(w, threads[i], o);
	n = wanted_rows(w, rows, &all);
	for (size_t i = 0; i < n && (!w->opts->rows || i < w->opts->rows); i++)
		json_row(w, rows[i], o);
	json_idle(w, o);
}

void waits_print(const struct waits *w, struct out *o)
{
	if (w->opts->json) {
		json(w, o);
		return;
	}
	print_threads(w, o);
	if (!w->reduced)
		print_rows(w, o);
}
