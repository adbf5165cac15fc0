/* List single samples of a row, and show what ran around one of them. */
#include "report/tui/browse_priv.h"

/* Mark the rows of the fold that this line shows: for a node of a hierarchy, all rows below it. */
static void mark_rows(const struct browse *b, uint32_t item, uint32_t *wanted)
{
	uint32_t end = b->hierarchy ? b->hierarchy->nodes.items[item].end : item + 1;

	for (uint32_t i = item; i < end; i++)
		wanted[rows_row(&b->rows, i)->row - b->view->fold->rows.items] = 1;
}

static int by_time(const void *a, const void *b)
{
	const struct kept_sample *x = a, *y = b;

	return x->time != y->time ? (x->time > y->time ? 1 : -1) : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Sort by time. Merge the branches of one sample. */
static void sort_samples(struct kept_samples *l)
{
	size_t n = 0;

	if (!l->len)
		return;
	qsort(l->items, l->len, sizeof(*l->items), by_time);
	for (size_t i = 1; i < l->len; i++)
		if (by_time(&l->items[n], &l->items[i]))
			l->items[++n] = l->items[i];
	l->len = n + 1;
}

static struct kept_samples samples_of(const struct browse *b, uint32_t item)
{
	const struct fold *f = b->view->fold;
	const struct profile *p = f->profile;
	uint32_t *wanted = xcalloc(f->rows.len, sizeof(*wanted));
	struct stretch_list *lists = xcalloc(p->n_parts, sizeof(*lists));
	struct kept_samples all = { 0 };

	mark_rows(b, item, wanted);
	fold_stretches(f, wanted, 1, lists);
	for (unsigned k = 0; k < p->n_parts; k++) {
		for (size_t i = 0; i < lists[k].len; i++) {
			const struct kept_samples *l = &p->parts[k].kept.items[lists[k].items[i].entry];

			for (size_t n = 0; n < l->len; n++)
				kept_samples_add(&all, p->opts.keep_samples, &l->items[n]);
		}
		vec_free(&lists[k]);
	}
	free(lists);
	free(wanted);
	sort_samples(&all);
	return all;
}

static bool has_time(const struct kept_sample *s) { return s->time != UINT64_MAX; }
static bool has_cpu(const struct kept_sample *s) { return s->cpu != UINT32_MAX; }
static bool has_thread(const struct kept_sample *s) { return s->tid != UINT32_MAX; }

static char *time_text(uint64_t ns)
{
	return xasprintf("%llu.%09llu", (unsigned long long)ns / 1000000000, (unsigned long long)ns % 1000000000);
}

/* Return "12.345678901  CPU 3  thread 11 worker", without the parts that were not recorded. */
static char *sample_text(const struct session *session, const struct kept_sample *s)
{
	struct out o;
	char buf[16];

	out_init_mem(&o);
	if (has_time(s)) {
		autofree char *time = time_text(s->time);

		out_fmt(&o, "%s", time);
	} else {
		out_str(&o, "no time");
	}
	if (has_cpu(s))
		out_fmt(&o, "  CPU %u", s->cpu);
	if (has_thread(s))
		out_fmt(&o, "  thread %d %s", (int)s->tid, session_comm(session, s->comm, buf));
	out_text(&o);
	return o.buf;
}

/* Show all samples within the context's length before and after this one. */
static void show_context(struct browse *b, const struct kept_sample *s)
{
	const char *lines[3], *args[4] = { "--ns" };
	uint64_t length = b->source->context_ns;
	autofree char *at = time_text(s->time);
	autofree char *from = time_text(s->time > length ? s->time - length : 0);
	autofree char *to = time_text(s->time < UINT64_MAX - 1 - length ? s->time + length : UINT64_MAX - 1);
	autofree char *time = xasprintf("--time=%s,%s", from, to);
	autofree char *thread = xasprintf("--tid=%d", (int)s->tid), *cpu = xasprintf("--cpu=%u", s->cpu);
	autofree char *title = NULL;
	const char *filters[3];
	size_t n = 0;
	int chosen;

	if (has_thread(s)) {
		filters[n] = thread;
		lines[n++] = "of its thread";
	}
	if (has_cpu(s)) {
		filters[n] = cpu;
		lines[n++] = "on its CPU";
	}
	filters[n] = NULL;
	lines[n++] = "of all threads and CPUs";
	chosen = tui_menu(b->tui, "Samples around it", lines, n, 0);
	if (chosen < 0)
		return;
	args[1] = time;
	args[2] = filters[chosen];
	title = xasprintf("Samples around %s, %s", at, lines[chosen]);
	tui_script(b->tui, &b->source->runner, b->source->input(b->source), title, args);
}

static void choose(struct browse *b, const struct kept_samples *l)
{
	char **lines = xcalloc(l->len, sizeof(*lines));
	int chosen = 0;

	for (size_t i = 0; i < l->len; i++)
		lines[i] = sample_text(b->data->session, &l->items[i]);
	while ((chosen = tui_menu(b->tui, "Samples of this row", (const char *const *)lines, l->len, (size_t)chosen)) >=
	       0) {
		if (!b->source->input(b->source))
			tui_message(b->tui, "Samples", "%s", browse_no_script(b));
		else if (!has_time(&l->items[chosen]))
			tui_message(b->tui, "Samples", "the samples have no times: nothing tells what ran around them");
		else
			show_context(b, &l->items[chosen]);
		if (b->tui->quit)
			break;
	}
	for (size_t i = 0; i < l->len; i++)
		free(lines[i]);
	free(lines);
}

void browse_samples(struct browse *b, const struct rows_line *at)
{
	struct kept_samples l = samples_of(b, at->item);

	if (l.len)
		choose(b, &l);
	else
		browse_note(b, "none of this row's samples was kept");
	vec_free(&l);
}
