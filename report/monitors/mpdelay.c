/* The time from each event of a row of events to the next one, on one CPU or in one thread. */
#include "report/monitors/monitor.h"

/* Where a CPU, or with -p and -t a thread, stands. */
struct delay_place {
	uint64_t id;
	uint64_t time;
	uint32_t event;              /* the last one's place in the row + 1; 0: none */
	VEC(struct durations) cells; /* [i]: from event i to i + 1 */
};

struct delays {
	struct u64map index; /* CPU or tid -> instances + 1 */
	VEC(struct delay_place) instances;
	VEC(struct durations) cells; /* of all */
	uint64_t than_ns;
};

static int events(struct monitor_run *run, struct err *e)
{
	const struct monitor_opts *o = run->opts;
	struct delays *s = run->state;

	for (size_t i = 0; i < o->events.len; i++)
		if (monitor_want_listed(run, o->events.items[i], o->filter, e) < 0)
			return -1;
	if (run->wants.len < 2) {
		err_set(e, "two events at least are needed");
		err_try(e, "-e irq:softirq_entry,irq:softirq_exit");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	vec_add(&s->cells, run->wants.len - 1);
	return o->than ? monitor_parse_time(&s->than_ns, o->than, 1000, e) : 0;
}

static struct delay_place *instance_of(struct monitor_run *run, const struct trace_event *t)
{
	bool by_thread = run->opts->pids || run->opts->tids;
	struct delays *s = run->state;
	uint64_t id = by_thread ? (uint32_t)t->task.tid : t->cpu;
	bool is_new;
	uint32_t *at = u64map_put(&s->index, id, &is_new);

	if (is_new) {
		vec_push(&s->instances, (struct delay_place){ .id = id });
		*at = (uint32_t)s->instances.len;
		vec_add(&s->instances.items[*at - 1].cells, run->wants.len - 1);
	}
	return &s->instances.items[*at - 1];
}

static void report_slow(struct monitor_run *run, const struct trace_event *t, uint64_t delay)
{
	struct json j;

	if (monitor_json(run, &j, "slow", t->time)) {
		json_text(&j, "from", run->wants.items[t->want - 1].event);
		json_text(&j, "to", run->wants.items[t->want].event);
		json_unsigned(&j, "ns", delay);
		monitor_json_event(run, &j, t);
		monitor_json_end(&j);
		return;
	}
	monitor_time(run, t->time);
	out_str(run->out, "== ");
	out_name(run->out, run->wants.items[t->want - 1].event);
	out_str(run->out, " => ");
	out_name(run->out, run->wants.items[t->want].event);
	out_fmt(run->out, ": %.3f us\n", (double)delay / 1e3);
	monitor_line(run, t);
}

static void sample(struct monitor_run *run, const struct trace_event *t)
{
	struct delays *s = run->state;
	struct delay_place *in = instance_of(run, t);

	/* Any other order than that of the row makes no pair. */
	if (t->want && in->event == t->want) {
		uint64_t delay = t->time > in->time ? t->time - in->time : 0;

		durations_add(&s->cells.items[t->want - 1], delay);
		if (run->opts->percpu)
			durations_add(&in->cells.items[t->want - 1], delay);
		if (s->than_ns && delay > s->than_ns)
			report_slow(run, t, delay);
	}
	in->event = t->want + 1;
	in->time = t->time;
}

static const char *short_name(const char *event) { return strchr(event, ':') ? strchr(event, ':') + 1 : event; }

/* `place`: NULL for the sum of all. */
static void print_cells(struct monitor_run *run, const struct delay_place *place, struct durations *cells)
{
	bool by_thread = run->opts->pids || run->opts->tids;
	struct json j;

	for (size_t i = 0; i + 1 < run->wants.len; i++) {
		if (!cells[i].count)
			continue;
		if (monitor_json(run, &j, "delay", run->now)) {
			if (place)
				json_unsigned(&j, by_thread ? "tid" : "cpu", place->id);
			json_text(&j, "from", run->wants.items[i].event);
			json_text(&j, "to", run->wants.items[i + 1].event);
			monitor_json_durations(&j, &cells[i]);
			monitor_json_end(&j);
		}
		out_name_pad(run->out, short_name(run->wants.items[i].event), 25);
		out_str(run->out, " => ");
		out_name_pad(run->out, short_name(run->wants.items[i + 1].event), -24);
		monitor_durations_row(run, &cells[i]);
		durations_clear(&cells[i]);
	}
}

static void print(struct monitor_run *run)
{
	struct delays *s = run->state;

	monitor_time(run, run->now);
	out_char(run->out, '\n');
	monitor_durations_head(run, "                     from => to");
	print_cells(run, NULL, s->cells.items);
	for (size_t i = 0; run->opts->percpu && i < s->instances.len; i++) {
		out_fmt(run->out, "[%03llu]\n", (unsigned long long)s->instances.items[i].id);
		print_cells(run, &s->instances.items[i], s->instances.items[i].cells.items);
	}
}

static void release(struct monitor_run *run)
{
	struct delays *s = run->state;

	for (size_t i = 0; i < s->cells.len; i++)
		durations_free(&s->cells.items[i]);
	for (size_t k = 0; k < s->instances.len; k++) {
		for (size_t i = 0; i < s->instances.items[k].cells.len; i++)
			durations_free(&s->instances.items[k].cells.items[i]);
		vec_free(&s->instances.items[k].cells);
	}
	vec_free(&s->instances);
	vec_free(&s->cells);
	u64map_free(&s->index);
}

const struct monitor monitor_mpdelay = { .events = events,
					 .sample = sample,
					 .tick = print,
					 .finish = print,
					 .release = release,
					 .ring_pages = 64,
					 .state_size = sizeof(struct delays) };
