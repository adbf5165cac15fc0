#include "report/monitors/delays_priv.h"

#include "report/monitors/page_priv.h"

/* The times from one event of the row to the next. */
struct delay_cell {
	struct durations durations;
	struct heat_slots slots; /* with --histogram: of this interval */
	struct heat heat;        /* with --heatmap or --html */
	uint64_t above;          /* number of times longer than --than */
};

/* A CPU with --percpu, or a thread with -p and -t. */
struct delay_place {
	uint64_t id;
	struct durations *cells; /* as many as the row has */
};

/* ---- wanted events ---- */

/* Refuse an event with two places in the row: a sample says only of which event it is. */
static int check_places(const struct monitor_run *run, struct err *e)
{
	for (size_t i = 1; i < run->wants.len; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(run->wants.items[i].event, run->wants.items[k].event)) {
				err_set(e, "'%s' is listed twice", run->wants.items[i].event);
				err_why(e, "each event has one place in the row");
				return err_exit(e, EXIT_BAD_USAGE);
			}
	return 0;
}

int delays_events(struct monitor_run *run, struct err *e)
{
	const struct monitor_opts *o = run->opts;
	struct delays *s = run->state;

	for (size_t i = 0; i < o->events.len; i++)
		if (monitor_want_listed(run, o->events.items[i], o->filter, e) < 0)
			return -1;
	if (run->wants.len < 2) {
		err_set(e, "at least two events are needed, not %zu", run->wants.len);
		err_try(e, "-e block:block_rq_issue,block:block_rq_complete --key sector");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (check_places(run, e) < 0)
		return -1;
	s->n_cells = run->wants.len - 1;
	s->cells = xcalloc(s->n_cells, sizeof(*s->cells));
	s->by_thread = o->pids || o->tids;
	run->open = &s->open;
	run->keeps_lines = o->than;
	if (o->heatmap || o->html) {
		for (size_t i = 0; i < s->n_cells; i++)
			heat_init(&s->cells[i].heat);
		run->tick_ms = o->interval_ms == MONITOR_UNSET ? 1000 : o->interval_ms;
	}
	return o->than ? monitor_parse_time(&s->than_ns, o->than, 1000, e) : 0;
}

/* ---- events ---- */

static uint64_t key_of(const struct delays *s, const struct trace_event *t)
{
	switch (s->key) {
	case DELAY_BY_CPU: return t->cpu;
	case DELAY_BY_TID: return (uint32_t)t->task.tid;
	case DELAY_BY_FIELD: break;
	}
	return trace_key(t, 0);
}

/*
 * Return the sums of the event's CPU or thread. There is a limit for the number of threads, so that short-lived threads
 * do not need more and more memory: all threads above the limit share one place.
 */
static struct durations *place_of(struct delays *s, const struct trace_event *t)
{
	enum { PLACES_MOST = 4096 };
	uint64_t id = s->by_thread ? (uint32_t)t->task.tid : t->cpu;
	uint32_t *at = u64map_find(&s->place_index, id);
	uint64_t other = UINT64_MAX;

	if (at)
		return s->places.items[*at - 1].cells;
	if (s->places.len >= PLACES_MOST)
		id = other;
	at = u64map_put(&s->place_index, id, NULL);
	if (!*at) {
		vec_push(&s->places, (struct delay_place){ id, xcalloc(s->n_cells, sizeof(struct durations)) });
		*at = (uint32_t)s->places.len;
	}
	return s->places.items[*at - 1].cells;
}

static const char *short_name(const struct monitor_run *run, size_t want)
{
	const char *event = run->wants.items[want].event;

	return strchr(event, ':') ? strchr(event, ':') + 1 : event;
}

static void print_names(const struct monitor_run *run, size_t cell, bool aligned)
{
	out_name_pad(run->out, short_name(run, cell), aligned ? 25 : 0);
	out_str(run->out, " => ");
	out_name_pad(run->out, short_name(run, cell + 1), aligned ? -24 : 0);
}

static void tell_slow(struct monitor_run *run, const struct trace_event *t, const struct open_pair *start, uint64_t ns)
{
	struct json j;

	if (monitor_json(run, &j, "slow", t->time)) {
		json_text(&j, "from", run->wants.items[t->want - 1].event);
		json_text(&j, "to", run->wants.items[t->want].event);
		json_unsigned(&j, "ns", ns);
		json_number(&j, "from_tid", start->tid);
		json_unsigned(&j, "from_cpu", start->cpu);
		monitor_json_event(run, &j, t);
		monitor_json_end(&j);
		return;
	}
	monitor_time(run, t->time);
	out_str(run->out, "== ");
	print_names(run, t->want - 1, false);
	out_fmt(run->out, ": %.3f us, since thread %d on CPU %u\n", (double)ns / 1e3, start->tid, start->cpu);
	monitor_start_line(run, start);
	monitor_line(run, t);
}

static void take_end(struct monitor_run *run, const struct trace_event *t, const struct open_pair *start)
{
	struct delays *s = run->state;
	struct delay_cell *cell = &s->cells[t->want - 1];
	uint64_t ns = t->time > start->time ? t->time - start->time : 0;

	durations_add(&cell->durations, ns);
	if (run->opts->histogram)
		slots_add(&cell->slots, ns);
	if (heat_is_on(&cell->heat))
		heat_add(&cell->heat, ns);
	if (run->opts->percpu)
		durations_add(&place_of(s, t)[t->want - 1], ns);
	if (!run->opts->than || ns <= s->than_ns)
		return;
	cell->above++;
	tell_slow(run, t, start, ns);
}

void delays_sample(struct monitor_run *run, const struct trace_event *t)
{
	struct delays *s = run->state;
	struct open_pair start;
	uint64_t key = key_of(s, t);

	if (t->want && open_pairs_end(&s->open, key, &start)) {
		if (start.value + 1 == t->want)
			take_end(run, t, &start);
		else
			s->open.unmatched++;
	}
	if (t->want < s->n_cells)
		monitor_start(run, t, key, t->want);
}

/* Forget all open pairs when events are lost: a pair may have ended in the gap, and its time would be too long. */
void delays_lost(struct monitor_run *run)
{
	struct delays *s = run->state;

	s->n_lost += open_pairs_forget(&s->open);
}

/* ---- output ---- */

static void json_cell(struct monitor_run *run, const struct delay_place *place, size_t i, const struct durations *d)
{
	const struct delays *s = run->state;
	struct json j;

	if (!monitor_json(run, &j, "delay", run->now))
		return;
	if (place && place->id == UINT64_MAX)
		json_text(&j, s->by_thread ? "tid" : "cpu", "other");
	else if (place)
		json_unsigned(&j, s->by_thread ? "tid" : "cpu", place->id);
	json_text(&j, "from", run->wants.items[i].event);
	json_text(&j, "to", run->wants.items[i + 1].event);
	monitor_json_durations(&j, d);
	if (run->opts->than && !place)
		json_unsigned(&j, "above", s->cells[i].above);
	monitor_json_end(&j);
}

/* Print a row, and start its sums again. */
static void print_cell(struct monitor_run *run, const struct delay_place *place, size_t i, struct durations *d)
{
	if (!d->count)
		return;
	json_cell(run, place, i, d);
	print_names(run, i, true);
	monitor_durations_row(run, d);
	durations_clear(d);
}

static void print_places(struct monitor_run *run)
{
	struct delays *s = run->state;

	for (size_t k = 0; k < s->places.len; k++) {
		struct delay_place *place = &s->places.items[k];
		uint64_t calls = 0;

		for (size_t i = 0; i < s->n_cells; i++)
			calls += place->cells[i].count;
		if (!calls)
			continue;
		if (place->id == UINT64_MAX)
			out_str(run->out, "[other]\n");
		else
			out_fmt(run->out, "[%03llu]\n", (unsigned long long)place->id);
		for (size_t i = 0; i < s->n_cells; i++)
			print_cell(run, place, i, &place->cells[i]);
	}
}

static void print_notes(struct monitor_run *run)
{
	struct delays *s = run->state;
	struct open_pairs *open = &s->open;
	struct json j;

	if (monitor_json(run, &j, "starts", run->now)) {
		json_unsigned(&j, "open", open->n);
		json_unsigned(&j, "unmatched", open->unmatched);
		json_unsigned(&j, "replaced", open->replaced);
		json_unsigned(&j, "dropped", open->dropped);
		json_unsigned(&j, "lost", s->n_lost);
		monitor_json_end(&j);
	}
	if (open->n || open->unmatched || open->replaced || open->dropped || s->n_lost)
		out_fmt(run->out,
			"# starts without an end %zu, ends without a start %llu, starts replaced %llu, "
			"dropped because too many were open %llu, because events were lost %llu\n",
			open->n, (unsigned long long)open->unmatched, (unsigned long long)open->replaced,
			(unsigned long long)open->dropped, (unsigned long long)s->n_lost);
}

/* Report a pair that has been open for longer than --than, once, before its end. */
static void print_open(struct monitor_run *run)
{
	struct delays *s = run->state;

	for (size_t i = 0; run->opts->than && i < s->open.len; i++) {
		struct open_pair *p = &s->open.items[i];
		struct json j;

		/* Use the time of events, because an end may not have reached us yet. */
		if (!p->open || p->told || run->newest < p->time || run->newest - p->time <= s->than_ns)
			continue;
		p->told = true;
		if (monitor_json(run, &j, "open", run->now)) {
			json_text(&j, "from", run->wants.items[p->value].event);
			json_unsigned(&j, "ns", run->newest - p->time);
			json_number(&j, "from_tid", p->tid);
			json_unsigned(&j, "from_cpu", p->cpu);
			monitor_json_stack(run, &j, p->stack);
			monitor_json_end(&j);
			continue;
		}
		monitor_time(run, run->now);
		out_str(run->out, "== ");
		print_names(run, p->value, false);
		out_fmt(run->out, ": %.3f us so far, since thread %d on CPU %u\n",
			(double)(run->newest - p->time) / 1e3, p->tid, p->cpu);
		monitor_start_line(run, p);
	}
}

static void print(struct monitor_run *run)
{
	struct delays *s = run->state;
	uint64_t above = 0;

	print_open(run);
	monitor_time(run, run->now);
	out_char(run->out, '\n');
	monitor_durations_head(run, "                     from => to");
	for (size_t i = 0; i < s->n_cells; i++) {
		struct delay_cell *cell = &s->cells[i];

		above += cell->above;
		print_cell(run, NULL, i, &cell->durations);
		cell->above = 0;
	}
	print_places(run);
	if (run->opts->than)
		out_fmt(run->out, "# %llu above the limit\n", (unsigned long long)above);
	print_notes(run);
	for (size_t i = 0; i < s->n_cells && run->opts->histogram; i++) {
		autofree char *title = xasprintf("%s(ns)", short_name(run, i + 1));

		slots_print(&s->cells[i].slots, title, run->out);
		monitor_json_slots(run, run->wants.items[i + 1].event, &s->cells[i].slots);
		s->cells[i].slots = (struct heat_slots){ 0 };
	}
}

/* End an interval. With a heat map, it becomes a column and prints nothing. */
void delays_tick(struct monitor_run *run)
{
	struct delays *s = run->state;

	if (heat_is_on(&s->cells[0].heat))
		for (size_t i = 0; i < s->n_cells; i++)
			heat_tick(&s->cells[i].heat);
	else
		print(run);
}

void delays_skip(struct monitor_run *run, uint64_t n)
{
	struct delays *s = run->state;

	for (size_t i = 0; i < s->n_cells; i++)
		heat_skip(&s->cells[i].heat, n);
}

static void write_page(struct monitor_run *run)
{
	const struct delays *s = run->state;
	autofree struct page_series *series = xcalloc(s->n_cells, sizeof(*series));

	for (size_t i = 0; i < s->n_cells; i++)
		series[i] = (struct page_series){ arena_printf(&run->arena, "%s => %s", run->wants.items[i].event,
							       run->wants.items[i + 1].event),
						  &s->cells[i].heat };
	monitor_page(run, "How long it takes from one event to the next", series, s->n_cells);
}

void delays_finish(struct monitor_run *run)
{
	struct delays *s = run->state;

	print(run);
	for (size_t i = 0; i < s->n_cells && run->opts->heatmap; i++) {
		if (s->n_cells > 1) {
			print_names(run, i, false);
			out_char(run->out, '\n');
		}
		heat_print(&s->cells[i].heat, run->out);
		monitor_json_heat(run, run->wants.items[i + 1].event, &s->cells[i].heat);
	}
	if (run->opts->html)
		write_page(run);
}

void delays_release(struct monitor_run *run)
{
	struct delays *s = run->state;

	for (size_t i = 0; i < s->n_cells; i++) {
		durations_free(&s->cells[i].durations);
		heat_release(&s->cells[i].heat);
	}
	free(s->cells);
	for (size_t k = 0; k < s->places.len; k++) {
		for (size_t i = 0; i < s->n_cells; i++)
			durations_free(&s->places.items[k].cells[i]);
		free(s->places.items[k].cells);
	}
	vec_free(&s->places);
	u64map_free(&s->place_index);
	open_pairs_free(&s->open);
}
