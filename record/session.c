/* A recording from its options to its closed file. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/file.h"
#include "base/out.h"
#include "base/signal.h"
#include "format/format.h"
#include "record/attr_config.h"
#include "record/build_ids.h"
#include "record/collect.h"
#include "record/record.h"
#include "record/rings.h"
#include "record/synthesize.h"
#include "record/workload.h"

enum { SYNC_MS = 1000, BAD_VALUES = 234, PIPE_CLOSED = 141 };

struct recorder {
	struct record_opts o;	/* a copy: the rate is settled in it */
	struct record_result *result;
	struct event_list events;
	struct target target;
	struct workload workload;
	struct rings rings;
	struct synth synth;
	struct writer *writer;
	bool begun;
	struct features features;
	struct arena arena;
	sigset_t unblocked;	/* the signals as they were; ours come only while we wait for the rings */
	uint64_t start_ms, sync_ms;
	uint32_t next_delay;	/* changes of -D made so far: two per span */
	bool enabled;
};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- what, and how often ---- */

static int exclude_self(struct recorder *r, struct err *e)
{
	struct event_list *l = &r->events;
	char filter[64];

	snprintf(filter, sizeof(filter), "common_pid != %d", (int)getpid());
	for (size_t i = l->last_parsed; i < l->events.len; i++) {
		if (l->events.items[i].system) {
			event_add_filter(l, &l->events.items[i], filter);
			continue;
		}
		err_set(e, "--exclude-perf option should follow a -e tracepoint option");
		return err_exit(e, 129);
	}
	return l->events.len ? 0 : err_exit(e, (err_set(e, "--exclude-perf option should follow a -e tracepoint option"), 129));
}

static int parse_events(struct recorder *r, struct err *e)
{
	const char *const *words = r->o.events.items;
	size_t n = r->o.events.len;

	for (size_t i = 0; i < n; i++) {
		int bad;

		if (words[i] == record_is_filter && i + 1 < n)
			bad = event_list_filter(&r->events, words[++i], e);
		else if (words[i] == record_is_pfm && i + 1 < n)
			bad = event_list_parse_pfm(&r->events, words[++i], e);
		else if (words[i] == record_is_exclude_self)
			bad = exclude_self(r, e);
		else
			bad = event_list_parse(&r->events, words[i], e);
		if (bad < 0)
			return -1;
	}
	if (!r->events.events.len)
		event_list_add_default(&r->events);
	return 0;
}

static int rate_too_high(struct record_opts *o, uint64_t limit, struct err *e)
{
	if (o->strict_freq) {
		err_set(e, "maximum frequency rate (%llu Hz) exceeded", (unsigned long long)limit);
		err_try(e, "-F with a lower frequency, or raise the limit in /proc/sys/kernel/perf_event_max_sample_rate");
		return err_exit(e, BAD_VALUES);
	}
	say("warning: Maximum frequency rate (%llu Hz) exceeded, throttling from %llu Hz to %llu Hz.",
		(unsigned long long)limit, (unsigned long long)o->freq, (unsigned long long)limit);
	say("         The limit can be raised via /proc/sys/kernel/perf_event_max_sample_rate.");
	say("         The kernel will lower it when perf's interrupts take too long.");
	say("         Use --strict-freq to disable this throttling, refusing to record.");
	o->freq = limit;
	return 0;
}

static int settle_rate(struct record_opts *o, struct err *e)
{
	uint64_t limit = max_sample_rate();

	if (o->freq_given && o->period) {
		err_set(e, "cannot set frequency and period at the same time");
		return err_exit(e, BAD_VALUES);
	}
	if (!o->freq && !o->period) {
		err_set(e, "frequency and count are zero, aborting");
		return err_exit(e, BAD_VALUES);
	}
	if (o->freq == FREQ_MAX) {
		o->freq = limit;
		say("info: Using a maximum frequency rate of %llu Hz", (unsigned long long)limit);
	}
	if (o->period || o->freq <= limit)
		return 0;
	if (o->freq_given)
		return rate_too_high(o, limit, e);
	say("Lowering default frequency rate from %llu to %llu.", (unsigned long long)o->freq, (unsigned long long)limit);
	say("Please consider tweaking /proc/sys/kernel/perf_event_max_sample_rate.");
	o->freq = limit;
	return 0;
}

/* ---- on whom, and where to ---- */

static int open_output(struct recorder *r, struct err *e)
{
	struct writer_opts opts = { .zstd_level = r->o.zstd_level, .max_bytes = r->o.max_bytes };

	r->writer = writer_open(r->o.output ? r->o.output : "perf.data", &opts, e);
	return r->writer ? 0 : -1;
}

/* Do our records go where the workload's words would go? */
static bool is_stdout(const struct recorder *r)
{
	const char *path = r->o.output;

	return path && writer_is_pipe(r->writer) && (!strcmp(path, "-") || !strcmp(path, "/dev/stdout") || !strcmp(path, "/dev/fd/1"));
}

static void nothing(int sig)
{
}

/* From here on signals come only in rings_wait, so that none is missed between a look at the flag and the sleep. */
static void catch_signals(struct recorder *r)
{
	struct sigaction child = { .sa_handler = nothing };
	sigset_t ours;

	stop_on_signals();
	sigaction(SIGCHLD, &child, NULL);
	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGHUP);
	sigaddset(&ours, SIGQUIT);
	sigaddset(&ours, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ours, &r->unblocked);
}

/* What names threads wins over what names the system: perf's words for it. */
static void say_overridden(const struct record_opts *o)
{
	if (o->system_wide && (o->pids || o->tids || o->uid))
		say("warning: %s switch overriding SYSTEM", o->pids || o->tids ? "PID/TID" : "UID");
	if (o->per_thread && (o->system_wide || o->cpus))
		say("warning: SYSTEM/CPU switch overriding PER-THREAD");
}

static int find_target(struct recorder *r, char *const argv[], struct err *e)
{
	const struct record_opts *o = &r->o;

	if (workload_fork(&r->workload, argv, is_stdout(r), e) < 0)
		return -1;
	catch_signals(r);
	say_overridden(o);
	r->target = (struct target){
		.pids = o->pids, .tids = o->tids, .uid = o->uid, .cpus = o->cpus, .system_wide = o->system_wide,
		.per_thread = o->per_thread && !o->system_wide && !o->cpus, .workload = r->workload.pid,
	};
	r->result->has_workload = r->workload.pid;
	return target_resolve(&r->target, e);
}

static int open_events(struct recorder *r, struct err *e)
{
	struct open_notes notes = { 0 };
	struct open_opts opts = { .keep_going = true };
	int result;

	if (attr_config(&r->events, &r->o, &r->target, writer_is_pipe(r->writer), e) < 0)
		return -1;
	result = event_list_open(&r->events, &r->target, &opts, &notes, e);
	for (size_t i = 0; !result && i < notes.texts.len; i++)
		say("%s", notes.texts.items[i]);
	vec_free(&notes.texts);
	event_list_drop_failed(&r->events);
	return result;
}

static int map_rings(struct recorder *r, struct err *e)
{
	bool shrunk;

	if (rings_map(&r->rings, &r->events, &r->target, r->o.ring_pages, &shrunk, e) < 0)
		return -1;
	if (shrunk)
		say("ring buffers are only %llu KB each: more would exceed the limit of locked memory (ulimit -l, perf_event_mlock_kb)",
			(unsigned long long)r->rings.rings.items[0].size / 1024);
	return 0;
}

/* ---- what was there before ---- */

static bool samples_kernel(const struct event_list *l)
{
	for (size_t i = 0; i < l->events.len; i++)
		if (!l->events.items[i].attr.exclude_kernel && !l->events.items[i].is_dummy)
			return true;
	return false;
}

static void synthesize(struct recorder *r)
{
	struct synth *s = &r->synth;
	const struct event *tracking = &r->events.events.items[attr_tracking(&r->events)];

	synth_init(s, tracking);
	s->what = r->o.synth;
	s->data = tracking->attr.mmap_data;
	s->build_ids = tracking->attr.build_id;
	s->namespaces = tracking->attr.namespaces;
	if (r->rings.rings.len)
		synth_time_conv(s, &r->rings.rings.items[0]);
	synth_id_index(s, r->rings.ids.items, r->rings.ids.len);
	if (!synth_kernel(s) && samples_kernel(&r->events))
		say("WARNING: Kernel address maps (/proc/{kallsyms,modules}) are restricted: samples in the kernel will have no names "
		    "(see /proc/sys/kernel/kptr_restrict)");
	synth_thread_map(s, r->target.threads.items, r->target.threads.len);
	synth_cpu_map(s, &r->target.cpu_list);
	if (r->o.cgroups)
		synth_cgroups(s);
	if (!r->target.is_task)
		synth_system(s);
	else if (target_is_workload(&r->target))
		synth_workload(s, r->workload.pid);
	else
		synth_threads(s, r->target.threads.items, r->target.threads.len);
	synth_finished_init(s);
}

/* ---- the output ---- */

/* The command line as it was typed: our own copy of argv may have been reordered. Strings and array in the arena. */
static char **command_line(struct arena *a, int *argc)
{
	size_t len = 0;
	autofree char *text = file_read("/proc/self/cmdline", 8 << 20, &len, NULL);
	char *copy = text ? arena_memdup(a, text, len + 1) : NULL, **argv;
	int n = 0;

	for (size_t i = 0; copy && i < len; i += strlen(copy + i) + 1)
		n++;
	argv = arena_alloc(a, ((size_t)n + 1) * sizeof(*argv));
	*argc = n;
	for (size_t i = 0, at = 0; (int)i < n; at += strlen(copy + at) + 1)
		argv[i++] = copy + at;
	return argv;
}

static int add_tracing_data(struct recorder *r, struct err *e)
{
	VEC(struct collect_tracepoint) points = { 0 };
	struct out blob;
	int result = 0;

	for (size_t i = 0; i < r->events.events.len; i++) {
		const struct event *event = &r->events.events.items[i];

		if (event->system && !event->open_failed)
			vec_push(&points, (struct collect_tracepoint){ event->system, event->tp_name });
	}
	out_init_mem(&blob);
	if (points.len)
		result = tracing_data_encode(&blob, points.items, points.len, e);
	if (points.len && !result) {
		r->features.tracing_data.data = arena_memdup(&r->arena, blob.buf, blob.len);
		r->features.tracing_data.size = blob.len;
		feature_set(&r->features, FEATURE_TRACING_DATA);
	}
	out_release(&blob);
	vec_free(&points);
	return result;
}

static int describe(struct recorder *r, struct err *e)
{
	struct collect_opts opts = { .branch_stack = r->o.branches != 0, .use_clockid = r->o.use_clockid, .clockid = r->o.clockid };

	opts.argv = command_line(&r->arena, &opts.argc);
	collect_features(&r->features, &r->arena, &opts);
	return add_tracing_data(r, e);
}

static void tell_events(struct recorder *r)
{
	for (uint32_t i = 0; i < r->events.events.len; i++) {
		const struct event *event = &r->events.events.items[i];
		struct writer_event we = {
			.name = event->name, .unit = event->unit, .scale = event->scale, .n_members = event->n_members,
			.group_name = event->group_name, .leader = event->leader,
		};
		VEC(uint64_t) ids = { 0 };

		for (size_t j = 0; event->fds && j < event->n_cpus * event->n_threads; j++)
			if (event->fds[j] >= 0)
				vec_push(&ids, event->ids[j]);
		attr_of_event(&we.attr, event);
		we.ids = ids.items;
		we.n_ids = ids.len;
		writer_event(r->writer, &we);
		vec_free(&ids);
	}
}

/* The target runs: now there will be something to write. */
static int begin_output(struct recorder *r, struct err *e)
{
	struct iovec iov = { r->synth.out.buf, r->synth.out.len };
	sigset_t blocked;
	int result;

	tell_events(r);
	if (writer_is_pipe(r->writer) && describe(r, e) < 0)
		return -1;
	/* A FIFO may wait for its reader for long: signals end that. */
	sigprocmask(SIG_SETMASK, &r->unblocked, &blocked);
	result = writer_begin(r->writer, &r->features, e);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	if (result < 0)
		return -1;
	r->begun = r->result->wrote = true;
	if (!writer_is_pipe(r->writer))
		r->result->path = xstrdup(writer_path(r->writer));
	if (writer_write(r->writer, &iov, 1, e) < 0)
		return -1;
	synth_release(&r->synth);
	return writer_sync(r->writer, e);
}

/* ---- the loop ---- */

/* All that lies in the rings, closed by a round mark, in one write. */
static int sweep(struct recorder *r, uint64_t least, struct err *e)
{
	static const struct { uint32_t type; uint16_t misc, size; } round = { RECORD_FINISHED_ROUND, 0, 8 };

	if (!rings_collect(&r->rings, least))
		return 0;
	vec_push(&r->rings.iov, (struct iovec){ (void *)(uintptr_t)&round, sizeof(round) });
	if (writer_write(r->writer, r->rings.iov.items, (int)r->rings.iov.len, e) < 0)
		return -1;
	rings_advance(&r->rings);
	return 0;
}

static int set_enabled(struct recorder *r, bool on, struct err *e)
{
	uint32_t tracking = attr_tracking(&r->events);

	for (uint32_t i = 0; i < r->events.events.len; i++) {
		struct event *event = &r->events.events.items[i];

		/* Sideband flows all the time, or readers would miss what was mapped meanwhile. */
		if (event->leader == i && !(i == tracking && event->is_dummy) && event_enable(event, on, e) < 0)
			return -1;
	}
	r->enabled = on;
	return 0;
}

/* Milliseconds after the start at which -D changes the state next; false: no more. */
static bool next_change(const struct recorder *r, uint64_t *ms)
{
	const struct delay_span *span = &r->o.delays[r->next_delay / 2];

	if (r->next_delay / 2 >= r->o.n_delays)
		return false;
	*ms = r->next_delay % 2 ? span->end_ms : span->start_ms;
	return !(r->next_delay % 2) || span->end_ms;
}

static int apply_delays(struct recorder *r, struct err *e)
{
	uint64_t ms;

	while (next_change(r, &ms) && now_ms() - r->start_ms >= ms) {
		bool on = !(r->next_delay++ % 2);

		if (set_enabled(r, on, e) < 0)
			return -1;
		say("Events %s", on ? "enabled" : "disabled");
	}
	return 0;
}

static int timeout(const struct recorder *r)
{
	uint64_t now = now_ms(), at = r->sync_ms + SYNC_MS, change;

	if (next_change(r, &change))
		at = MIN(at, r->start_ms + change);
	return at > now ? (int)(at - now) : 0;
}

static bool is_over(struct recorder *r)
{
	bool attached = r->target.is_task && !target_is_workload(&r->target);

	r->result->full = writer_full(r->writer);
	if (stop_requested || r->result->full)
		return true;
	if (attached && !r->rings.n_alive)
		return true;
	return r->result->has_workload && workload_ended(&r->workload);
}

static int loop(struct recorder *r, struct err *e)
{
	r->sync_ms = now_ms();
	while (!is_over(r)) {
		int ready = rings_wait(&r->rings, timeout(r), &r->unblocked);
		bool due = now_ms() - r->sync_ms >= SYNC_MS;

		r->result->wakeups += ready > 0;
		if (apply_delays(r, e) < 0 || sweep(r, due ? 1 : r->o.flush_bytes, e) < 0)
			return -1;
		if (due) {
			r->sync_ms = now_ms();
			if (writer_sync(r->writer, e) < 0)
				return -1;
		}
	}
	return 0;
}

/* ---- the end ---- */

/* Samples that an event lost, of one descriptor. Source: perf_event_open(2), "Reading results". */
static uint64_t lost_of(const struct event *event, const struct event *leader, size_t at)
{
	uint64_t format = event->attr.read_format, lost = 0;
	bool group = format & PERF_FORMAT_GROUP;
	size_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	size_t n = group ? leader->n_members : 1, stride = group ? 3 : 0;
	autofree uint64_t *words = xcalloc(4 + 3 * n, sizeof(*words));
	ssize_t got = read(event->fds[at], words, (4 + 3 * n) * sizeof(*words)) / 8;

	if (!(format & READ_LOST) || !(format & PERF_FORMAT_ID))
		return 0;
	if (!group)
		return got == (ssize_t)(3 + times) ? words[2 + times] : 0;
	for (size_t i = 1 + times; i + 2 < (size_t)(got < 0 ? 0 : got); i += stride)
		if (words[i + 1] == event->ids[at])
			lost = words[i + 2];
	return lost;
}

/* What did not fit the rings, event by event, as their counters know it: the LOST records miss what was lost at the very end. */
static int tell_lost(struct recorder *r, struct err *e)
{
	const struct event *items = r->events.events.items, *tracking = &items[attr_tracking(&r->events)];
	struct iovec iov;
	struct synth s;
	int result = 0;

	synth_init(&s, tracking);
	for (size_t i = 0; i < r->events.events.len; i++) {
		for (size_t j = 0; items[i].fds && j < items[i].n_cpus * items[i].n_threads; j++) {
			uint64_t lost = items[i].fds[j] >= 0 ? lost_of(&items[i], &items[items[i].leader], j) : 0;

			if (lost)
				synth_lost_samples(&s, tracking, items[i].ids[j], lost);
			r->result->lost += lost;
		}
	}
	iov = (struct iovec){ s.out.buf, s.out.len };
	if (s.out.len)
		result = writer_write(r->writer, &iov, 1, e);
	synth_release(&s);
	return result;
}

static int drain(struct recorder *r, struct err *e)
{
	event_list_disable(&r->events, NULL);
	r->result->wakeups += r->result->wakeups == 0;
	if (sweep(r, 1, e) < 0 || tell_lost(r, e) < 0)
		return -1;
	r->result->samples = r->rings.samples;
	/* Kernels before 6.0 count no losses per event; LOST records then tell most of it. */
	if (!(r->events.events.items[0].attr.read_format & READ_LOST))
		r->result->lost = r->rings.lost;
	return writer_sync(r->writer, e);
}

static int finish(struct recorder *r, struct err *e)
{
	struct build_ids_opts ids = { .all = r->o.buildid_all, .no_ids = r->o.no_buildids, .cache = !r->o.no_buildid_cache };
	struct writer *w = r->writer;

	r->result->bytes = writer_bytes(w);
	r->result->raw_bytes = writer_raw_bytes(w);
	r->result->compressed = r->o.zstd_level > 0;
	if (!writer_is_pipe(w)) {
		struct err why = { 0 };

		if (describe(r, e) < 0)
			return -1;
		if ((!r->o.no_buildids || r->o.time_bounds) && build_ids_collect(&r->features, writer_path(w), &ids, &why) < 0)
			say_verbose(1, "build-ids are left out: %s", why.what);
	}
	r->writer = NULL;
	return writer_finish(w, &r->features, e);
}

static void release(struct recorder *r)
{
	writer_abandon(r->writer, false);
	event_list_close(&r->events);
	rings_release(&r->rings);
	synth_release(&r->synth);
	sigprocmask(SIG_SETMASK, &r->unblocked, NULL);
	/* The workload of a recording that failed or was stopped ends with it. */
	r->result->workload_killed = workload_finish(&r->workload);
	r->result->wait_status = r->workload.status;
	r->result->stopped_by = stop_requested;
	event_list_release(&r->events);
	target_release(&r->target);
	arena_release(&r->arena);
}

static int start(struct recorder *r, char *const argv[], struct err *e)
{
	bool by_exec = target_is_workload(&r->target), later = r->o.n_delays || r->o.stay_disabled;

	if (later)
		say("Events disabled");
	else if (!by_exec && set_enabled(r, true, e) < 0)
		return -1;
	r->start_ms = now_ms();
	return workload_start(&r->workload, argv ? argv[0] : NULL, e);
}

static int be_realtime(int priority, struct err *e)
{
	struct sched_param param = { .sched_priority = priority };

	if (priority && sched_setscheduler(0, SCHED_FIFO, &param) < 0) {
		err_sys(e, "cannot take realtime priority %d", priority);
		return err_try(e, "a priority from 1 to 99, as root");
	}
	return 0;
}

static int record(struct recorder *r, char *const argv[], struct err *e)
{
	if (parse_events(r, e) < 0 || settle_rate(&r->o, e) < 0 || open_output(r, e) < 0)
		return -1;
	if (r->o.dry_run)
		return 0;
	if (find_target(r, argv, e) < 0 || open_events(r, e) < 0 || map_rings(r, e) < 0 || be_realtime(r->o.realtime, e) < 0)
		return -1;
	synthesize(r);
	if (start(r, argv, e) < 0 || begin_output(r, e) < 0 || loop(r, e) < 0 || drain(r, e) < 0)
		return -1;
	return finish(r, e);
}

int record_run(const struct record_opts *o, char *const argv[], struct record_result *result, struct err *e)
{
	struct recorder r = { .o = *o, .result = result, .workload = { .cork = -1, .report = -1 }, .rings = { .epoll = -1 } };
	int status;

	*result = (struct record_result){ 0 };
	sigprocmask(SIG_SETMASK, NULL, &r.unblocked);
	status = record(&r, argv, e);
	if (status < 0 && e->sys == EPIPE && r.begun && writer_is_pipe(r.writer)) {
		err_clear(e);	/* who read our stream has had enough: the end of a recording like any other */
		err_exit(e, PIPE_CLOSED);
	}
	release(&r);
	return status;
}
