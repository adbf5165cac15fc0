/* Join the events that raise, begin and end work of the kernel. */
#include "report/presets/kernel_name_priv.h"
#include "report/presets/kwork_priv.h"

enum { RAISE, ENTRY, EXIT };

/*
 * To add a kind of work, add rows of `wanted`, a row of `steps` for each of them, and a class. The fields are the
 * number and the parts of the name.
 */
enum { IRQ_ENTRY, IRQ_EXIT, VEC_RAISE, VEC_ENTRY, VEC_EXIT, WORK_RAISE, WORK_ENTRY, WORK_EXIT, SWITCH, KINDS };
static const struct trace_want wanted[KINDS] = {
	[IRQ_ENTRY] = { "irq:irq_handler_entry", { "irq", "name" } },
	[IRQ_EXIT] = { "irq:irq_handler_exit", { "irq" } },
	[VEC_RAISE] = { "irq:softirq_raise", { "vec" } },
	[VEC_ENTRY] = { "irq:softirq_entry", { "vec" } },
	[VEC_EXIT] = { "irq:softirq_exit", { "vec" } },
	[WORK_RAISE] = { "workqueue:workqueue_activate_work", { "work", "function" } },
	[WORK_ENTRY] = { "workqueue:workqueue_execute_start", { "work", "function" } },
	[WORK_EXIT] = { "workqueue:workqueue_execute_end", { "work", "function" } },
	[SWITCH] = { "sched:sched_switch", { "prev_pid", "prev_comm", "next_pid", "next_comm" } },
};

static const struct {
	uint32_t class, step;
} steps[KINDS] = {
	[IRQ_ENTRY] = { KWORK_IRQ, ENTRY },        [IRQ_EXIT] = { KWORK_IRQ, EXIT },
	[VEC_RAISE] = { KWORK_SOFTIRQ, RAISE },    [VEC_ENTRY] = { KWORK_SOFTIRQ, ENTRY },
	[VEC_EXIT] = { KWORK_SOFTIRQ, EXIT },      [WORK_RAISE] = { KWORK_WORKQUEUE, RAISE },
	[WORK_ENTRY] = { KWORK_WORKQUEUE, ENTRY }, [WORK_EXIT] = { KWORK_WORKQUEUE, EXIT },
	[SWITCH] = { KWORK_SCHED, EXIT }, /* of one thread, and ENTRY of the next */
};

/* Source: softirq_to_name in kernel/softirq.c. */
static const char *const vectors[] = {
	"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU",
};

/* ---- options ---- */

static const char *const class_names[] = { "irq", "softirq", "workqueue", "sched", NULL };

int kwork_classes(bool classes[KWORK_N_CLASSES], const char *list, struct err *e)
{
	autofree char *copy = xstrdup(list ? list : "irq,softirq,workqueue");
	char *rest = NULL;

	memset(classes, 0, KWORK_N_CLASSES * sizeof(*classes));
	for (char *word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
		if (opt_word("--kwork", word, class_names, e) < 0)
			return -1;
		for (size_t i = 0; i < KWORK_N_CLASSES; i++)
			classes[i] |= !strcmp(word, class_names[i]);
	}
	return 0;
}

int kwork_opts_check(const struct kwork_opts *k, enum kwork_view view, struct err *e)
{
	static const char *const columns[][4] = {
		[KWORK_REPORT] = { "runtime", "max", "count" },
		[KWORK_LATENCY] = { "avg", "max", "count" },
		[KWORK_TIMEHIST] = { "" },
	};
	bool classes[KWORK_N_CLASSES];
	autofree char *copy = xstrdup(k->sort ? k->sort : "");
	char *rest = NULL;

	for (char *word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
		if (opt_word("--sort", word, columns[view], e) < 0)
			return -1;
	return kwork_classes(classes, k->classes, e);
}

/* ---- items ---- */

static uint32_t text_of(struct kwork *w, const struct trace_event *t, unsigned field)
{
	char text[64];

	trace_string(t, field, text, sizeof(text));
	return *text ? strtab_intern(&w->texts, text) : 0;
}

static uint32_t name_of(struct kwork *w, const struct trace_event *t, uint32_t class, uint64_t id, bool next)
{
	const char *name = NULL;
	uint64_t offset;

	switch (class) {
	case KWORK_IRQ: return text_of(w, t, 1);
	case KWORK_SCHED: return text_of(w, t, next ? 3 : 1);
	case KWORK_SOFTIRQ: name = id < ARRAY_SIZE(vectors) ? vectors[id] : NULL; break;
	case KWORK_WORKQUEUE: name = kernel_name(w->session, t, trace_number(t, 1), &offset); break;
	}
	return name ? strtab_intern(&w->texts, name) : 0;
}

static uint32_t item_of(struct kwork *w, const struct trace_event *t, uint32_t class, uint64_t id, bool next)
{
	bool is_new;
	uint32_t *at = u64map_put(&w->index, hash_mix(hash_mix(id, t->cpu), class), &is_new);
	struct kwork_item *i;

	if (is_new) {
		vec_push(&w->items, (struct kwork_item){ .id = id, .cpu = t->cpu, .class = class });
		*at = (uint32_t)w->items.len;
	}
	i = &w->items.items[*at - 1];
	if (!i->name) /* some events have only the number */
		i->name = name_of(w, t, class, id, next);
	return *at - 1;
}

/* ---- events ---- */

static void add(struct kwork_item *i, uint64_t start, uint64_t end)
{
	uint64_t ns = end > start ? end - start : 0;

	i->count++;
	i->total += ns;
	if (i->count > 1 && ns <= i->max)
		return;
	i->max = ns;
	i->max_start = start;
	i->max_end = end;
}

static void entry(struct kwork *w, const struct trace_event *t, uint32_t at)
{
	struct open_pair raise = { 0 };
	/* Interrupt handlers have no event that raises them, so their entries count as unmatched, as in perf. */
	bool found = w->view != KWORK_REPORT && open_pairs_end(&w->raised, at, &raise);

	if (w->view == KWORK_LATENCY && found)
		add(&w->items.items[at], raise.time, t->time);
	if (w->view != KWORK_LATENCY)
		open_pairs_start(&w->entered, &(struct open_pair){ .key = at, .time = t->time, .value = raise.time });
}

static void leave(struct kwork *w, const struct trace_event *t, uint32_t at)
{
	struct open_pair start;

	if (w->view == KWORK_LATENCY || !open_pairs_end(&w->entered, at, &start))
		return;
	add(&w->items.items[at], start.time, t->time);
	if (w->view == KWORK_TIMEHIST)
		kwork_print_line(w, &w->items.items[at], &start, t);
}

static bool wants(const struct kwork *w, const struct trace_event *t, uint32_t at)
{
	uint32_t name = w->items.items[at].name;

	if (w->opts->cpus && !cpuset_has(w->opts->cpus, (int)t->cpu))
		return false;
	if (w->opts->window && (t->time < w->opts->window->from || t->time > w->opts->window->to))
		return false;
	return !w->opts->name || (name && !strcmp(strtab_get(&w->texts, name), w->opts->name));
}

static void take(struct kwork *w, const struct trace_event *t, uint32_t class, uint32_t step, uint64_t id)
{
	uint32_t at = item_of(w, t, class, id, step == ENTRY);

	if (!wants(w, t, at))
		return;
	w->first = w->n ? w->first : t->time;
	w->last = t->time;
	w->n++;
	if (step == EXIT)
		leave(w, t, at);
	else if (step == ENTRY)
		entry(w, t, at);
	else
		open_pairs_start(&w->raised, &(struct open_pair){ .key = at, .time = t->time });
}

static void event(struct kwork *w, const struct trace_event *t)
{
	uint32_t class = steps[t->want].class, step = steps[t->want].step;
	bool shown = step == RAISE ? w->view != KWORK_REPORT : step == EXIT ? w->view != KWORK_LATENCY : true;

	if (!w->classes[class] || !shown)
		return;
	/* Numbers of interrupts and threads are ints; the idle task is not work. */
	if (class == KWORK_WORKQUEUE)
		take(w, t, class, step, trace_number(t, 0));
	else if (class != KWORK_SCHED || trace_number(t, 0))
		take(w, t, class, step, (uint32_t)trace_number(t, 0));
	if (class == KWORK_SCHED && trace_number(t, 2))
		take(w, t, class, ENTRY, (uint32_t)trace_number(t, 2));
}

int presets_need(const struct live_events *events, const char *what, const char *record, struct err *e)
{
	for (uint32_t i = 0; events->wants && i < events->n_rows; i++)
		if (trace_wants_has(events->wants, i))
			return 0;
	err_set(e, "'%s' has no events of %s", live_session(events->live)->pd->path, what);
	err_try(e, "%s %s, and then this again", tool_name(), record);
	return trace_wants_say_cut(live_session(events->live), e);
}

/* Read the whole input, and print the lines of KWORK_TIMEHIST meanwhile. Return -1 with e on failure. */
static int kwork_read(struct kwork *w, struct live *l, struct err *e)
{
	struct trace_event t;
	int what;

	w->session = live_session(l);
	w->events = (struct live_events){ .live = l, .rows = wanted, .n_rows = KINDS };
	w->raised.nested = w->entered.nested = true;
	if (kwork_classes(w->classes, w->opts->classes, e) < 0)
		return -1;
	while ((what = live_events_next(&w->events, &t, e)) > LIVE_END)
		if (what == LIVE_EVENT)
			event(w, &t);
	return what < 0 ? -1 : presets_need(&w->events, "interrupts or work items", "kwork record", e);
}

static void kwork_release(struct kwork *w)
{
	live_events_release(&w->events);
	calls_release(&w->calls);
	strtab_free(&w->texts);
	u64map_free(&w->index);
	vec_free(&w->items);
	open_pairs_free(&w->raised);
	open_pairs_free(&w->entered);
}

int kwork_report(struct live *l, const struct kwork_opts *k, enum kwork_view view, struct out *o, struct err *e)
{
	struct kwork w = { .opts = k, .view = view, .out = o };
	int rc;

	if (view == KWORK_TIMEHIST)
		kwork_print_head(view, o);
	rc = kwork_read(&w, l, e);
	if (rc == 0 && view != KWORK_TIMEHIST) {
		kwork_print_head(view, o);
		kwork_print_rows(&w, o);
	}
	kwork_release(&w);
	return rc;
}
