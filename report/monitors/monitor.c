/* The common parts of all monitors: wanted events, limits, the loop. */
#include "report/monitors/monitor.h"

#include <fnmatch.h>

#include "base/clock.h"
#include "base/signal.h"
#include "base/units.h"
#include "report/waits/open_pairs.h"

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
	err_set(e, "these options together exclude everything");
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

bool monitor_allows(const struct monitor_opts *o, const struct sample *sample)
{
	switch (sample->misc & MISC_CPUMODE) {
	case CPUMODE_USER: return !o->guest && !o->no_user;
	case CPUMODE_GUEST_KERNEL: return !o->no_guest && !o->no_kernel;
	case CPUMODE_GUEST_USER: return !o->no_guest && !o->no_user;
	default: return !o->guest && !o->no_kernel;
	}
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
	/* Open rings even if the monitor needs no event: they bring the ticks and the end of the run. */
	return run->asked.len ? 0 : monitor_want(run, &(struct trace_want){ "dummy" }, NULL, e);
}

void monitor_release(struct monitor_run *run)
{
	if (run->state && run->monitor->release)
		run->monitor->release(run);
	calls_release(&run->calls);
	monitor_counts_release(&run->counts);
	strtab_free(&run->stacks.texts);
	u64map_free(&run->stacks.index);
	for (size_t i = 0; i < run->kept.len; i++)
		free(run->kept.items[i].raw);
	vec_free(&run->kept);
	vec_free(&run->wants);
	vec_free(&run->asked);
	arena_release(&run->arena);
	if (run->objects)
		out_release(&run->text);
	free(run->state);
}

/* ---- intervals ---- */

uint64_t monitor_interval_ms(const struct monitor_run *run)
{
	uint64_t asked = run->opts->interval_ms;

	return run->tick_ms ? run->tick_ms : asked == MONITOR_UNSET ? run->monitor->interval_ms : asked;
}

/* Does the clock end intervals, not the times of events? It does if we read the values ourselves. */
static bool is_by_clock(const struct monitor_run *run)
{
	return run->monitor->by_clock || run->counts.events.events.len;
}

static void interval_ends(struct monitor_run *run, uint64_t end, void (*tell)(struct monitor_run *run))
{
	run->now = is_by_clock(run) && !run->opts->input ? now_ns() : end;
	monitor_counts_read(run);
	if (tell)
		tell(run);
	monitor_counts_clear(run);
	run->interval.used = false;
	run->interval.reads = 0;
}

/*
 * End the intervals before an event. Intervals follow the times of events, so that a recording has the same intervals
 * as the running system. An interval without events prints nothing, but has a column in a heat map.
 */
static void pass_time(struct monitor_run *run, uint64_t time)
{
	uint64_t length = monitor_interval_ms(run) * 1000000, *end = &run->interval.end, empty;

	if (!length || is_by_clock(run))
		return;
	if (!*end)
		*end = time + length;
	if (time >= *end && run->interval.used) {
		interval_ends(run, *end, run->monitor->tick);
		*end += length;
	}
	if (time >= *end) {
		empty = (time - *end) / length + 1;
		*end += empty * length;
		if (run->monitor->skip)
			run->monitor->skip(run, empty);
	}
	run->interval.used = true;
}

/*
 * End an interval by the clock: it must be reported even if no event comes after it. After ^C the recorder first stops
 * all events, which may take long, and then reads the last ones. monitor_loop() ends that interval when it has them.
 */
static void tick(struct monitor_run *run)
{
	enum { ARRIVES_NS = 500000000, READS = 4 }; /* events may arrive this late, and after this many reads */
	uint64_t length = monitor_interval_ms(run) * 1000000;

	if (is_by_clock(run) && length)
		interval_ends(run, run->newest, run->monitor->tick);
	else if (length && !run->opts->input && !stop_requested && run->interval.used &&
		 now_ns() > run->interval.end + ARRIVES_NS && ++run->interval.reads > READS) {
		interval_ends(run, run->interval.end, run->monitor->tick);
		run->interval.end += length;
	}
	/* The keys of the index contain numbers of spaces, which may now have another meaning. Texts keep their ids. */
	if (live_events_tidy(&run->events))
		u64map_free(&run->stacks.index);
}

/* ---- the loop ---- */

/* Refuse a recording without any of the events. */
static int check_events(const struct monitor_run *run, struct err *e)
{
	const struct trace_wants *wants = run->events.wants;

	if (!run->opts->input || (run->objects ? run->objects : run->out)->error)
		return 0;
	for (uint32_t i = 0; i < run->wants.len; i++)
		if (!strcmp(run->wants.items[i].event, "dummy") || (wants && trace_wants_has(wants, i)))
			return 0;
	err_set(e, "'%s' has no events of %s", run->session->pd->path, run->wants.items[0].event);
	err_try(e, "a recording of --record, or 'record -a -e %s'", run->wants.items[0].event);
	return trace_wants_say_cut(run->session, e);
}

/*
 * Report lost events, at most once a second. If we only read counters, the rings contain nothing but names of threads,
 * which counters do not need: report no loss.
 */
static void take_other(void *ctx, struct live_record *r)
{
	struct monitor_run *run = ctx;
	struct record_lost lost;
	struct trailer trailer;
	struct json j;

	if (run->counts.events.events.len && !strcmp(run->wants.items[0].event, "dummy"))
		return;
	if ((r->record.type != RECORD_LOST && r->record.type != RECORD_LOST_SAMPLES) ||
	    record_lost(&r->record, &lost) < 0)
		return;
	run->lost.n += lost.lost;
	if (run->monitor->lost)
		run->monitor->lost(run);
	if (run->lost.told && r->time - run->lost.told < 1000000000)
		return;
	run->lost.told = r->time;
	record_trailer(run->session->pd, &r->record, &trailer);
	if (monitor_json(run, &j, "lost", r->time)) {
		json_unsigned(&j, "events", run->lost.n);
		json_unsigned(&j, "cpu", trailer.cpu);
		monitor_json_end(&j);
	} else {
		monitor_time(run, r->time);
		out_fmt(run->out, "lost %llu events on CPU #%u\n", (unsigned long long)run->lost.n, trailer.cpu);
	}
	run->lost.n = 0;
}

/* Refuse an event that lacks the field by which the monitor joins events. */
static int check_key(const struct monitor_run *run, const struct trace_event *t, struct err *e)
{
	const struct trace_want *want = &run->wants.items[t->want];

	if (!run->monitor->by_field || !want->fields[0] || trace_event_has(t, 0))
		return 0;
	err_set(e, "%s has no field '%s'", want->event, want->fields[0]);
	err_try(e, "a field that '%s list --details %s' shows", tool_name(), want->event);
	return err_exit(e, EXIT_BAD_USAGE);
}

static int take_event(struct monitor_run *run, const struct trace_event *t, struct err *e)
{
	pass_time(run, t->time);
	run->now = run->newest = t->time;
	if (t->want < run->counts.n_wanted)
		monitor_counts_add(run, t);
	else if (check_key(run, t, e) < 0)
		return -1;
	else if (run->monitor->sample)
		run->monitor->sample(run, t);
	return 0;
}

int monitor_loop(struct monitor_run *run, struct live *live, struct err *e)
{
	const struct monitor *m = run->monitor;
	struct trace_event t;
	bool refused = false;
	int what;

	run->events = (struct live_events){
		.live = live, .rows = run->wants.items, .n_rows = run->wants.len, .other = take_other, .ctx = run
	};
	run->session = live_session(live);
	while ((what = live_events_next(&run->events, &t, e)) > LIVE_END &&
	       !(run->objects ? run->objects : run->out)->error) {
		if (what != LIVE_EVENT)
			tick(run);
		else if ((refused = take_event(run, &t, e) < 0))
			break;
		if (run->objects)
			run->text.len = 0;
		if (!live_is_file(live) && what != LIVE_EVENT)
			out_flush(run->objects ? run->objects : run->out);
	}
	what = what < 0 || refused ? -1 : check_events(run, e);
	if (m->finish && what == 0)
		interval_ends(run, run->newest, m->finish);
	if (run->stacks.dropped && what == 0)
		out_fmt(run->out, "# call chains not kept, because there were too many different ones: %llu\n",
			(unsigned long long)run->stacks.dropped);
	live_events_release(&run->events);
	return what;
}
