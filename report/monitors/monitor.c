/* What all monitors share: options, wanted events, the loop, lines. */
#include "report/monitors/monitor.h"

#include <fnmatch.h>
#include <time.h>

#include "base/units.h"

/* ---- wanted events ---- */

int monitor_want(struct monitor_run *run, const struct trace_want *row, const char *filter, struct err *e)
{
	struct trace_want copy = *row;

	copy.event = arena_strdup(&run->arena, row->event);
	vec_push(&run->wants, copy);
	vec_push(&run->asked, (struct monitor_event){ .text = arena_strdup(&run->arena, row->event),
						      .filter = filter ? arena_strdup(&run->arena, filter) : NULL });
	return 0;
}

int monitor_check_excludes(const struct monitor_opts *o, struct err *e)
{
	if ((!o->no_user || !o->no_kernel) && (!o->guest || !o->no_guest))
		return 0;
	err_set(e, "without both, nothing is left to watch");
	return err_exit(e, EXIT_BAD_USAGE);
}

int monitor_want_sampled(struct monitor_run *run, const char *event, const char *terms, struct err *e)
{
	const struct monitor_opts *o = run->opts;
	autofree char *text = xasprintf("%s/%s/%s%s%s%s", event, terms, o->no_user ? "k" : "", o->no_kernel ? "u" : "",
					o->guest ? "G" : "", o->no_guest ? "H" : "");

	if (monitor_check_excludes(o, e) < 0)
		return -1;
	if (monitor_want(run, &(struct trace_want){ event }, NULL, e) < 0)
		return -1;
	run->asked.items[run->asked.len - 1].text = arena_strdup(&run->arena, text);
	return 0;
}

bool monitor_has_pmu(void)
{
	struct pmu_list pmus = { 0 };
	bool found = false;

	pmu_list_read(&pmus);
	for (size_t i = 0; i < pmus.pmus.len; i++)
		found |= pmus.pmus.items[i].is_core;
	pmu_list_release(&pmus);
	return found;
}

int monitor_want_listed(struct monitor_run *run, const char *list, const char *filter, struct err *e)
{
	autofree char *copy = xstrdup(list);
	char *rest = NULL;

	for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		word += strspn(word, " ");
		if (!strchr(word, ':')) {
			err_set(e, "'%s' is no tracepoint", word);
			err_try(e, "group:name, as 'list tracepoint' shows them");
			return err_exit(e, EXIT_BAD_USAGE);
		}
		if (monitor_want(run, &(struct trace_want){ .event = word }, filter, e) < 0)
			return -1;
	}
	return 0;
}

bool monitor_glob(const char *pattern, const char *text) { return !fnmatch(pattern, text, 0); }

int monitor_parse_time(uint64_t *ns, const char *text, uint64_t unit_ns, struct err *e)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 } };
	char *end;
	double value = strtod(text, &end);
	bool known = end != text && !*end;

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (end != text && !strcmp(end, units[i].name)) {
			unit_ns = units[i].ns;
			known = true;
		}
	if (!known || !(value >= 0) || value * (double)unit_ns > 1e18) {
		err_set(e, "'%s' is no time", text);
		err_try(e, "a number with s, ms, us or ns: 20ms");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	*ns = (uint64_t)(value * (double)unit_ns);
	return 0;
}

int monitor_parse_percent(double *percent, const char *text, struct err *e)
{
	char *end;

	*percent = strtod(text, &end);
	if (end != text && (!*end || !strcmp(end, "%")) && *percent >= 0 && *percent <= 100)
		return 0;
	err_set(e, "'%s' is no percentage", text);
	err_try(e, "--than 30");
	return err_exit(e, EXIT_BAD_USAGE);
}

int monitor_init(struct monitor_run *run, const struct monitor_opts *opts, struct out *out, struct err *e)
{
	run->monitor = opts->monitor;
	run->opts = opts;
	run->out = out;
	if (opts->json) {
		out_init_mem(&run->text);
		run->out = &run->text;
		run->objects = out;
	}
	run->state = xcalloc(1, MAX(run->monitor->state_size, (size_t)1));
	if (run->monitor->events(run, e) < 0)
		return -1;
	/* Rings bring the ticks and the end, also without an event. */
	return run->asked.len ? 0 : monitor_want(run, &(struct trace_want){ "dummy" }, NULL, e);
}

void monitor_release(struct monitor_run *run)
{
	if (run->state && run->monitor->release)
		run->monitor->release(run);
	calls_release(&run->calls);
	monitor_counts_release(&run->counts);
	strtab_free(&run->stacks);
	u64map_free(&run->stack_index);
	vec_free(&run->wants);
	vec_free(&run->asked);
	arena_release(&run->arena);
	if (run->objects)
		out_release(&run->text);
	free(run->state);
}

/* ---- the loop ---- */

static void interval_ends(struct monitor_run *run, void (*tell)(struct monitor_run *run))
{
	struct timespec t;

	if (run->opts->input == NULL) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		run->now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	}
	monitor_counts_read(run);
	tell(run);
	monitor_counts_clear(run);
}

/* Without -i, ticks of the running system are there to tidy up. */
static void tick(struct monitor_run *run)
{
	if (run->monitor->tick && !run->tidy_only)
		interval_ends(run, run->monitor->tick);
	/* Texts keep their ids; the spaces in the keys of their index may mean others now. */
	if (live_events_tidy(&run->events))
		u64map_free(&run->stack_index);
}

/* A recording without any of the events can say nothing. */
static int check_events(const struct monitor_run *run, struct err *e)
{
	const struct trace_wants *wants = run->events.wants;

	if (!run->opts->input || (run->objects ? run->objects : run->out)->error)
		return 0;
	for (uint32_t i = 0; i < run->wants.len; i++)
		if (!strcmp(run->wants.items[i].event, "dummy") || (wants && trace_wants_has(wants, i)))
			return 0;
	err_set(e, "'%s' has no events of %s", run->session->pd->path, run->wants.items[0].event);
	return err_try(e, "a recording of --record, or 'record -a -e %s'", run->wants.items[0].event);
}

int monitor_loop(struct monitor_run *run, struct live *live, struct err *e)
{
	const struct monitor *m = run->monitor;
	struct trace_event t;
	int what;

	run->events = (struct live_events){ .live = live, .rows = run->wants.items, .n_rows = run->wants.len };
	run->session = live_session(live);
	while ((what = live_events_next(&run->events, &t, e)) > LIVE_END &&
	       !(run->objects ? run->objects : run->out)->error) {
		if (what == LIVE_EVENT) {
			run->now = run->newest = t.time;
			if (t.want < run->counts.n_wanted)
				monitor_counts_add(run, &t);
			else if (m->sample)
				m->sample(run, &t);
		} else {
			tick(run);
		}
		if (run->objects)
			run->text.len = 0;
		if (!live_is_file(live) && what != LIVE_EVENT)
			out_flush(run->objects ? run->objects : run->out);
	}
	what = what < 0 ? -1 : check_events(run, e);
	if (m->finish && what == 0)
		interval_ends(run, m->finish);
	live_events_release(&run->events);
	return what;
}

/* ---- lines ---- */

/* "2026-03-02 10:11:12.000123"; false: unknown. */
static bool time_of_day(const struct monitor_run *run, uint64_t time, char *to, size_t size)
{
	const struct features *f = &run->session->pd->features;
	char text[32];
	struct tm tm;
	time_t seconds;
	uint64_t ns;

	if (!feature_has(f, FEATURE_CLOCK_DATA))
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

uint32_t monitor_stack(struct monitor_run *run, const struct trace_event *t)
{
	uint64_t seed = hash_mix(t->task.space, t->task.space_version);
	struct out text;
	uint32_t *at;
	bool is_new;

	if (!run->opts->chains || !t->sample.n_chain)
		return 0;
	at = u64map_put(&run->stack_index, hash_words(t->sample.chain, t->sample.n_chain, seed), &is_new);
	if (is_new) {
		out_init_mem(&text);
		print_chain(run, t, &text);
		*at = strtab_intern(&run->stacks, out_text(&text));
		out_release(&text);
	}
	return *at;
}

void monitor_print_stack(const struct monitor_run *run, uint32_t stack)
{
	out_str(run->out, strtab_get(&run->stacks, stack));
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
	*j = (struct json){ .o = run->objects, .comma = ",", .colon = ":" };
	out_char(j->o, '{');
	json_text(j, "kind", kind);
	json_unsigned(j, "time_ns", time);
	if (time_of_day(run, time, text, sizeof(text)))
		json_text(j, "time", text);
	return true;
}

void monitor_json_end(struct json *j) { out_str(j->o, "}\n"); }

/* The lines of the text, without what sets them in. */
void monitor_json_stack(struct monitor_run *run, struct json *j, uint32_t stack)
{
	autofree char *text = xstrdup(strtab_get(&run->stacks, stack));
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

void monitor_json_event(struct monitor_run *run, struct json *j, const struct trace_event *t)
{
	char comm[16];

	json_text(j, "comm", session_comm(run->session, t->task.comm, comm));
	json_number(j, "pid", t->task.pid);
	json_number(j, "tid", t->task.tid);
	json_unsigned(j, "cpu", t->cpu);
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

void monitor_line(struct monitor_run *run, const struct trace_event *t)
{
	char comm[16];
	struct out *o = run->out;

	if (run->objects) {
		json_line(run, t);
		return;
	}
	monitor_time(run, t->time);
	out_name_pad(o, session_comm(run->session, t->task.comm, comm), 16);
	out_fmt(o, " %6d [%03u] %llu.%06llu: ", t->task.tid, t->cpu, (unsigned long long)(t->time / 1000000000),
		(unsigned long long)(t->time / 1000 % 1000000));
	out_name(o, run->wants.items[t->want].event);
	out_str(o, ": ");
	if (run->session->pd->events[t->event].attr.type == ATTR_TYPE_TRACEPOINT)
		trace_event_text(t, o);
	else
		out_fmt(o, "%llu", (unsigned long long)t->sample.period);
	out_char(o, '\n');
	monitor_chain(run, t);
}
