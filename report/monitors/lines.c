/* Print the output of monitors: lines with their call chains, lines kept for later, tables, JSON objects. */
#include <time.h>

#include "report/monitors/monitor.h"
#include "report/monitors/page_priv.h"
#include "report/waits/open_pairs.h"

/* ---- times and call chains ---- */

/* Write the time of day: "2026-03-02 10:11:12.000123". Return false if it is unknown. */
static bool time_of_day(const struct monitor_run *run, uint64_t time, char *to, size_t size)
{
	const struct features *f = &run->session->pd->features;
	char text[32];
	struct tm tm;
	time_t seconds;
	uint64_t ns;

	if (!time || !feature_has(f, FEATURE_CLOCK_DATA)) /* 0: there was no event */
		return false;
	ns = time - f->clock_ns + f->clock_tod_ns;
	seconds = (time_t)(ns / 1000000000);
	if (!localtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%F %T", &tm))
		return false;
	snprintf(to, size, "%s.%06llu", text, (unsigned long long)(ns / 1000 % 1000000));
	return true;
}

void monitor_time(const struct monitor_run *run, uint64_t time)
{
	char text[64];

	if (!time_of_day(run, time, text, sizeof(text)))
		return;
	out_str(run->out, text);
	out_char(run->out, ' ');
}

static void print_chain(struct monitor_run *run, const struct trace_event *t, struct out *o)
{
	enum { FRAMES_MOST = 127 };

	calls_of(&run->calls, run->session, t, FRAMES_MOST, true);
	for (size_t i = 0; i < run->calls.len; i++) {
		const struct call *c = &run->calls.items[i];

		out_str(o, "    ");
		out_hex_pad(o, c->address, 16, ' ');
		out_char(o, ' ');
		out_name(o, c->name ? c->name : "[unknown]");
		if (c->name && !c->inlined) {
			out_str(o, "+0x");
			out_hex(o, c->offset);
		}
		out_str(o, c->inlined ? " (inlined)\n" : "\n");
	}
}

/* Drop the texts of call chains to which no open start refers. */
static void sweep_stacks(struct monitor_run *run)
{
	struct strtab *texts = &run->stacks.texts;
	autofree bool *keep = xcalloc(texts->texts.len + 1, sizeof(*keep));

	for (size_t i = 0; run->open && i < run->open->len; i++)
		if (run->open->items[i].open)
			keep[run->open->items[i].stack] = true;
	strtab_sweep(texts, keep);
	u64map_free(&run->stacks.index);
	run->stacks.bytes = 0;
	for (uint32_t i = 1; i < texts->texts.len; i++)
		run->stacks.bytes += strlen(strtab_get(texts, i));
}

/* Store the text of a chain. Limit the memory for texts: first drop unused ones, then refuse new ones. */
static uint32_t intern_stack(struct monitor_run *run, const char *text)
{
	enum { BYTES_MOST = 32 << 20, CHAINS_MOST = 1 << 20, TRY_AGAIN = 1 << 16 };
	uint32_t known = strtab_find(&run->stacks.texts, text);
	size_t len = strlen(text);

	if (known)
		return known;
	if (run->stacks.bytes + len > BYTES_MOST || run->stacks.index.len > CHAINS_MOST) {
		if (!run->stacks.full || run->stacks.dropped % TRY_AGAIN == 0)
			sweep_stacks(run);
		run->stacks.full = run->stacks.bytes + len > BYTES_MOST;
	}
	if (run->stacks.full) {
		run->stacks.dropped++;
		return strtab_intern(&run->stacks.texts, "    (not kept: there are too many call chains)\n");
	}
	run->stacks.bytes += len;
	return strtab_intern(&run->stacks.texts, text);
}

uint32_t monitor_stack(struct monitor_run *run, const struct trace_event *t)
{
	uint64_t hash = hash_mix(t->task.space, t->task.space_version);
	struct out text;
	uint32_t *known, id;

	if (!run->opts->chains || !t->sample.n_chain)
		return 0;
	hash = hash_words(t->sample.chain, t->sample.n_chain, hash);
	known = u64map_find(&run->stacks.index, hash);
	if (known)
		return *known;
	out_init_mem(&text);
	print_chain(run, t, &text);
	id = intern_stack(run, out_text(&text));
	out_release(&text);
	*u64map_put(&run->stacks.index, hash, NULL) = id;
	return id;
}

void monitor_print_stack(const struct monitor_run *run, uint32_t stack)
{
	out_str(run->out, strtab_get(&run->stacks.texts, stack));
}

void monitor_chain(struct monitor_run *run, const struct trace_event *t)
{
	monitor_print_stack(run, monitor_stack(run, t));
}

void monitor_durations_head(const struct monitor_run *run, const char *names)
{
	out_fmt(run->out, "%-53s %9s %16s %9s %9s %12s %9s %9s\n", names, "calls", "total(us)", "min(us)", "avg(us)",
		"max(us)", "p50(us)", "p99(us)");
}

void monitor_durations_row(const struct monitor_run *run, const struct durations *d)
{
	out_fmt(run->out, " %9llu %16.3f %9.3f %9.3f %12.3f %9.3f %9.3f\n", (unsigned long long)d->count,
		(double)d->total / 1e3, (double)d->min / 1e3, (double)durations_average(d) / 1e3, (double)d->max / 1e3,
		(double)durations_percentile(d, 50) / 1e3, (double)durations_percentile(d, 99) / 1e3);
}

/* ---- JSON ---- */

bool monitor_json(struct monitor_run *run, struct json *j, const char *kind, uint64_t time)
{
	char text[64];

	if (!run->objects)
		return false;
	*j = json_compact(run->objects);
	out_char(j->o, '{');
	json_text(j, "kind", kind);
	json_unsigned(j, "time_ns", time);
	if (time_of_day(run, time, text, sizeof(text)))
		json_text(j, "time", text);
	return true;
}

void monitor_json_end(struct json *j) { out_str(j->o, "}\n"); }

/* Print the lines of a chain as an array, without their indentation. */
void monitor_json_stack(struct monitor_run *run, struct json *j, uint32_t stack)
{
	autofree char *text = xstrdup(strtab_get(&run->stacks.texts, stack));
	char *rest = NULL, *line = stack ? strtok_r(text, "\n", &rest) : NULL;
	bool more = false;

	if (!line)
		return;
	json_key(j, "stack");
	out_char(j->o, '[');
	for (; line; line = strtok_r(NULL, "\n", &rest)) {
		if (more)
			out_char(j->o, ',');
		json_quote(j->o, line + strspn(line, " "));
		more = true;
	}
	out_char(j->o, ']');
}

void monitor_json_task(struct monitor_run *run, struct json *j, const struct trace_event *t)
{
	char comm[16];

	json_text(j, "comm", session_comm(run->session, t->task.comm, comm));
	json_number(j, "pid", t->task.pid);
	json_number(j, "tid", t->task.tid);
	json_unsigned(j, "cpu", t->cpu);
}

void monitor_json_event(struct monitor_run *run, struct json *j, const struct trace_event *t)
{
	monitor_json_task(run, j, t);
	monitor_json_stack(run, j, monitor_stack(run, t));
}

void monitor_json_durations(struct json *j, const struct durations *d)
{
	json_unsigned(j, "calls", d->count);
	json_unsigned(j, "total_ns", d->total);
	json_unsigned(j, "min_ns", d->min);
	json_unsigned(j, "avg_ns", durations_average(d));
	json_unsigned(j, "max_ns", d->max);
	json_unsigned(j, "p50_ns", durations_percentile(d, 50));
	json_unsigned(j, "p99_ns", durations_percentile(d, 99));
}

static void json_line(struct monitor_run *run, const struct trace_event *t)
{
	bool is_tracepoint = run->session->pd->events[t->event].attr.type == ATTR_TYPE_TRACEPOINT;
	struct out text;
	struct json j;

	if (!monitor_json(run, &j, "event", t->time))
		return;
	json_text(&j, "event", run->wants.items[t->want].event);
	monitor_json_event(run, &j, t);
	if (is_tracepoint) {
		out_init_mem(&text);
		trace_event_text(t, &text);
		json_text(&j, "text", out_text(&text));
		out_release(&text);
	} else {
		json_unsigned(&j, "period", t->sample.period);
	}
	monitor_json_end(&j);
}

static void print_line(struct monitor_run *run, const struct trace_event *t, const char *comm)
{
	bool is_tracepoint = run->session->pd->events[t->event].attr.type == ATTR_TYPE_TRACEPOINT;
	struct out *o = run->out;

	monitor_time(run, t->time);
	/* session_comm() returns ":TID" for a thread without a known name */
	out_name_pad(o, *comm == ':' ? "<...>" : comm, 16);
	out_fmt(o, " %6d ", t->task.tid);
	if (is_tracepoint)
		trace_event_context(t, o);
	else
		out_str(o, "----");
	out_fmt(o, " [%03u] %llu.%06llu: ", t->cpu, (unsigned long long)(t->time / 1000000000),
		(unsigned long long)(t->time / 1000 % 1000000));
	out_name(o, run->wants.items[t->want].event);
	out_str(o, ": ");
	if (is_tracepoint)
		trace_event_text(t, o);
	else
		out_fmt(o, "%llu", (unsigned long long)t->sample.period);
	out_char(o, '\n');
}

void monitor_line(struct monitor_run *run, const struct trace_event *t)
{
	char comm[16];

	if (run->objects) {
		json_line(run, t);
		return;
	}
	print_line(run, t, session_comm(run->session, t->task.comm, comm));
	monitor_chain(run, t);
}

/* ---- starts, and their lines when they end ---- */

/* Copy what the line of a start needs. The payload's size is foreign, so limit it. */
static void keep(struct monitor_run *run, uint32_t slot, const struct trace_event *t)
{
	enum { PAYLOAD_MOST = 1024 };
	char comm[16];
	struct kept_event *k;

	while (run->kept.len <= slot)
		vec_push(&run->kept, (struct kept_event){ 0 });
	k = &run->kept.items[slot];
	k->size = MIN(t->sample.raw_size, (uint32_t)PAYLOAD_MOST);
	if (k->room < k->size) {
		k->room = (k->size + 63) & ~63u;
		k->raw = xrealloc(k->raw, k->room);
	}
	if (k->size)
		memcpy(k->raw, t->sample.raw, k->size);
	k->want = t->want;
	k->event = t->event;
	k->cpu = t->cpu;
	k->tid = t->task.tid;
	k->time = t->time;
	snprintf(k->comm, sizeof(k->comm), "%s", session_comm(run->session, t->task.comm, comm));
}

void monitor_start(struct monitor_run *run, const struct trace_event *t, uint64_t key, uint64_t value)
{
	uint32_t slot = open_pairs_start(run->open, &(struct open_pair){ .key = key,
									 .time = t->time,
									 .value = value,
									 .tid = t->task.tid,
									 .cpu = t->cpu,
									 .stack = monitor_stack(run, t) });

	if (run->keeps_lines && !run->objects)
		keep(run, slot, t);
}

void monitor_start_line(struct monitor_run *run, const struct open_pair *start)
{
	const struct kept_event *k = start->slot < run->kept.len ? &run->kept.items[start->slot] : NULL;
	struct trace_event t = { .wants = run->events.wants };

	if (k) {
		t.want = k->want;
		t.event = k->event;
		t.cpu = k->cpu;
		t.time = k->time;
		t.task.tid = k->tid;
		t.sample.raw = k->raw;
		t.sample.raw_size = k->size;
		print_line(run, &t, k->comm);
	}
	monitor_print_stack(run, start->stack);
}

/* ---- histograms and heat maps ---- */

static void json_counts(struct json *j, const char *key, uint64_t n, bool more)
{
	if (!more) {
		json_key(j, key);
		out_char(j->o, '[');
	}
	out_fmt(j->o, "%s%llu", more ? "," : "", (unsigned long long)n);
}

void monitor_json_slots(struct monitor_run *run, const char *event, const struct heat_slots *s)
{
	int first, last;
	uint64_t most;
	struct json j;

	if (!slots_range(s, &first, &last, &most) || !monitor_json(run, &j, "histogram", run->now))
		return;
	json_text(&j, "event", event);
	json_unsigned(&j, "from_ns", slot_begins(first));
	for (int slot = first; slot <= last; slot++)
		json_counts(&j, "counts", s->counts[slot], slot > first);
	out_char(j.o, ']');
	monitor_json_end(&j);
}

void monitor_json_heat(struct monitor_run *run, const char *event, const struct heat *h)
{
	int first, last;
	uint64_t most;
	struct heat_slots sum;
	struct json j;

	heat_sum(h, &sum);
	if (!slots_range(&sum, &first, &last, &most))
		return;
	for (int slot = last; slot >= first; slot--) {
		if (!monitor_json(run, &j, "heat", run->now))
			return;
		json_text(&j, "event", event);
		json_unsigned(&j, "from_ns", slot_begins(slot));
		for (size_t i = 0; i < h->columns.len; i++)
			json_counts(&j, "counts", h->columns.items[i].counts[slot], i);
		out_char(j.o, ']');
		monitor_json_end(&j);
	}
}

void monitor_page(struct monitor_run *run, const char *name, const struct page_series *series, size_t n)
{
	char until[64] = "";

	time_of_day(run, run->now, until, sizeof(until));
	heat_page_write(&(struct heat_page){ name, until, run->tick_ms, series, n }, run->page);
}
