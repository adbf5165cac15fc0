/* Choose what to measure, how often and on whom; then open the events and map their rings. */
#include <errno.h>

#include "base/say.h"
#include "base/signal.h"
#include "format/sample.h"
#include "record/attr/attr_config.h"
#include "record/attr/aux_kind.h"
#include "record/session/recorder_priv.h"
#include "record/session/trial.h"

/*
 * Return whether we know our own task number as filters see it: in the first pid namespace.
 * Source: linux/proc_ns.h, PROC_PID_INIT_INO.
 */
static bool knows_own_number(void)
{
	char name[32];
	ssize_t len = readlink("/proc/self/ns/pid", name, sizeof(name) - 1);

	if (len < 0)
		return false;
	name[len] = '\0';
	return !strcmp(name, "pid:[4026531836]");
}

static int no_tracepoint(struct err *e)
{
	err_set(e, "--exclude-perf option should follow a -e tracepoint option");
	err_try(e, "-e sched:sched_switch --exclude-perf");
	return err_exit(e, EXIT_BAD_USAGE);
}

/*
 * Exclude events of this process. The kernel can filter out the main thread by its number. It
 * has no filter by process, and later threads cannot be added, so skip theirs when reading the
 * rings.
 */
static int exclude_self(struct recorder *r, struct err *e)
{
	struct event_list *l = &r->events;
	char filter[64];
	bool known = knows_own_number();

	snprintf(filter, sizeof(filter), "common_pid != %d", (int)getpid());
	for (size_t i = l->last_parsed; i < l->events.len; i++) {
		if (l->events.items[i].system) {
			l->events.items[i].exclude_self = true;
			if (known)
				event_add_filter(l, &l->events.items[i], filter);
			continue;
		}
		return no_tracepoint(e);
	}
	return l->events.len ? 0 : no_tracepoint(e);
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
		else if (words[i] == record_is_cgroup && i + 1 < n)
			bad = event_list_cgroups(&r->events, words[++i], e);
		else if (words[i] == record_is_exclude_self)
			bad = exclude_self(r, e);
		else
			bad = event_list_parse(&r->events, words[i], e);
		if (bad < 0)
			return -1;
	}
	if (!r->events.events.len)
		event_list_add_default(&r->events);
	aux_prepare_workload(&r->events);
	if (r->events.n_cgroups && !r->o.system_wide) {
		err_set(e, "  Error: cgroup monitoring only available in system-wide mode");
		err_try(e, "-a");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return 0;
}

static int rate_too_high(struct record_opts *o, uint64_t limit, struct err *e)
{
	if (o->strict_freq) {
		err_set(e, "maximum frequency rate (%llu Hz) exceeded", (unsigned long long)limit);
		err_try(e,
			"-F with a lower frequency, or raise the limit in /proc/sys/kernel/perf_event_max_sample_rate");
		return err_exit(e, EXIT_INVALID);
	}
	tell(&o->tell, "warning: Maximum frequency rate (%llu Hz) exceeded, throttling from %llu Hz to %llu Hz.",
	     (unsigned long long)limit, (unsigned long long)o->freq, (unsigned long long)limit);
	tell(&o->tell, "         The limit can be raised via /proc/sys/kernel/perf_event_max_sample_rate.");
	tell(&o->tell, "         The kernel will lower it when perf's interrupts take too long.");
	tell(&o->tell, "         Use --strict-freq to disable this throttling, refusing to record.");
	o->freq = limit;
	return 0;
}

static void tell_note(struct recorder *r, const char *note)
{
	if (r->trial)
		vec_push(&r->trial->notes, xstrdup(note));
	else
		tell(&r->o.tell, "%s", note);
}

static void tell_hidden(struct recorder *r)
{
	char note[120];

	if (!r->target.n_hidden)
		return;
	snprintf(note, sizeof(note), "processes of this user left out: %u, which the kernel hides from their own user",
		 (unsigned)r->target.n_hidden);
	tell_note(r, note);
}

static int settle_rate(struct record_opts *o, struct err *e)
{
	uint64_t limit = max_sample_rate();

	if (o->freq_given && o->period) {
		err_set(e, "cannot set frequency and period at the same time");
		err_try(e, "-F or -c, not both");
		return err_exit(e, EXIT_INVALID);
	}
	if (!o->freq && !o->period) {
		err_set(e, "frequency and count are zero, aborting");
		err_try(e, "-F 99 (samples per second), or -c 1000000 (one sample every million events)");
		return err_exit(e, EXIT_INVALID);
	}
	if (o->freq == FREQ_MAX) {
		o->freq = limit;
		tell(&o->tell, "info: Using a maximum frequency rate of %llu Hz", (unsigned long long)limit);
	}
	if (o->period || o->freq <= limit)
		return 0;
	if (o->freq_given)
		return rate_too_high(o, limit, e);
	tell(&o->tell, "Lowering default frequency rate from %llu to %llu.", (unsigned long long)o->freq,
	     (unsigned long long)limit);
	tell(&o->tell, "Please consider tweaking /proc/sys/kernel/perf_event_max_sample_rate.");
	o->freq = limit;
	return 0;
}

/* Set options that others imply. Source: perf-record(1). */
static void settle_implied(struct record_opts *o)
{
	o->tail_synth |= o->overwrite;
	if (o->rotate_events.len && !o->rotate.mode)
		o->rotate.mode = ROTATE_SIGNAL;
	if (!o->rotate.mode)
		return;
	o->name_by_time = true;
	/* While build-ids are collected, nothing reads the rings. */
	o->no_buildids |= !o->buildids_given;
	o->no_buildid_cache |= !o->buildid_cache_given;
}

int recorder_parse(struct recorder *r, struct err *e)
{
	settle_implied(&r->o);
	if (r->o.control && control_open(&r->control, r->o.control, e) < 0)
		return err_in(e, "--control");
	if (parse_events(r, e) < 0 || settle_rate(&r->o, e) < 0)
		return -1;
	return r->o.off_cpu ? off_cpu_add_event(r, e) : 0;
}

/* ---- whom to record ---- */

static bool is_pipe(const struct recorder *r) { return r->writer && writer_is_pipe(r->writer); }

/* Return whether our records go to stdout, where the workload writes too. */
static bool is_stdout(const struct recorder *r)
{
	const char *path = r->o.output;

	return path && is_pipe(r) && (!strcmp(path, "-") || !strcmp(path, "/dev/stdout") || !strcmp(path, "/dev/fd/1"));
}

static void nothing(int sig) {}

/*
 * Block the signals. From here on they arrive only in rings_wait(), so none is missed between a
 * check of the flag and the sleep.
 */
static void catch_signals(struct recorder *r)
{
	/*
	 * Without --switch-output and --snapshot, SIGUSR2 means nothing to us, but must not
	 * kill us.
	 */
	struct sigaction dump = { .sa_handler =
					  r->o.rotate.mode == ROTATE_SIGNAL || r->o.snapshot ? nothing : SIG_IGN };

	sigaction(SIGUSR2, &dump, NULL);
	stop_on_signals_while_waiting(SIGUSR2, &r->unblocked);
	/* SIGUSR2 is read through a descriptor. */
	r->waiting = r->unblocked;
	sigaddset(&r->waiting, SIGUSR2);
}

/*
 * Drop options that others override: naming threads beats users, CPUs and the system. Order and
 * messages are perf's.
 */
static void drop_overridden(struct record_opts *o)
{
	bool tasks = o->pids || o->tids;

	if (o->cpus && (tasks || o->uid)) {
		tell(&o->tell, "warning: %s switch overriding CPU", tasks ? "PID/TID" : "UID");
		o->cpus = NULL;
	}
	if (tasks && o->uid) {
		tell(&o->tell, "warning: PID/TID switch overriding UID");
		o->uid = NULL;
	}
	if (o->system_wide && (tasks || o->uid)) {
		tell(&o->tell, "warning: %s switch overriding SYSTEM", tasks ? "PID/TID" : "UID");
		o->system_wide = false;
	}
	if (o->per_thread && (o->system_wide || o->cpus)) {
		tell(&o->tell, "warning: SYSTEM/CPU switch overriding PER-THREAD");
		o->per_thread = false;
	}
}

int recorder_find_target(struct recorder *r, char *const argv[], struct err *e)
{
	struct record_opts *o = &r->o;

	if (o->latency && (o->system_wide || o->cpus)) {
		err_set(e, "--latency does not go with the whole system (-a, -C)");
		err_why(e, "latency is measured for threads that work together, not for everything that runs");
		return err_exit(e, EXIT_INVALID);
	}
	if (workload_fork(&r->workload, argv, &o->caller, is_stdout(r), e) < 0)
		return -1;
	if (r->stop_flag)
		sigfillset(&r->waiting); /* the reader handles the signals */
	else
		catch_signals(r);
	drop_overridden(o);
	r->target = (struct target){
		.pids = o->pids,
		.tids = o->tids,
		.uid = o->uid,
		.cpus = o->cpus,
		.system_wide = o->system_wide,
		.per_thread = o->per_thread,
		.workload = r->workload.pid,
	};
	r->result->has_workload = r->workload.pid;
	r->last_created = synth_last_created();
	if (target_resolve(&r->target, e) < 0)
		return -1;
	tell_hidden(r);
	return subjects_find(r, e);
}

static int open_events(struct recorder *r, struct err *e)
{
	struct open_notes notes = { 0 };
	struct open_opts opts = { .keep_going = !r->strict, .no_fallback = r->strict, .tell = say_progress };
	int result;

	if (!r->trial) {
		unwind_choose_window(r);
		unwind_add_twins(r);
	}
	turns_add_events(r);
	if (aux_plan_make(&r->aux.plan, &r->events, &r->o, &r->target, &r->rings.most_pages, e) < 0 ||
	    attr_config(&r->events, &r->o, &r->target, is_pipe(r), &r->aux.plan, e) < 0)
		return -1;
	off_cpu_config_event(r);
	if (r->trial)
		trial_demands(r);
	picked_prepare(r);
	result = event_list_open(&r->events, &r->target, &opts, &notes, e);
	for (size_t i = 0; !result && i < notes.texts.len; i++)
		tell_note(r, notes.texts.items[i]);
	vec_free(&notes.texts);
	event_list_drop_failed(&r->events);
	return result < 0 ? result : picked_attach(r, e);
}

/*
 * Prepare to skip the samples of --exclude-perf. Process and event are at the same place in
 * samples of all events.
 */
static void skip_self(struct recorder *r)
{
	struct ring_skip *s = &r->skip;
	const struct event *items = r->events.events.items;
	struct layout layout;
	struct attr attr;

	for (size_t i = 0; i < r->events.events.len; i++) {
		const struct event *event = &items[i];

		for (size_t j = 0; event->exclude_self && event->fds && j < event->n_cpus * event->n_threads; j++)
			if (event->fds[j] >= 0)
				vec_push(&s->ids, event->ids[j]);
	}
	if (!s->ids.len)
		return;
	ring_skip_sort(s);
	attr_of_event(&attr, &items[0]);
	layout_init(&layout, &attr);
	s->pid = (uint32_t)getpid();
	s->pid_at = (int16_t)(8 + layout.tid);
	s->id_at = (int16_t)(layout.any_id < 0 ? -1 : 8 + layout.any_id);
	r->rings.skip = s;
}

/* Source: perf_event_open(2), sample_id_all. */
static unsigned trailer_size(const struct perf_event_attr *attr)
{
	const uint64_t fields =
		SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_CPU | SAMPLE_STREAM_ID | SAMPLE_IDENTIFIER;

	return attr->sample_id_all ? 8 * (unsigned)__builtin_popcountll(attr->sample_type & fields) : 0;
}

static int map_rings(struct recorder *r, struct err *e)
{
	const struct perf_event_attr *tracking = &r->events.events.items[attr_tracking(&r->events)].attr;
	char note[160];
	bool shrunk;

	/*
	 * Kernels before 6.0 do not count losses per event; LOST records then report most of
	 * them.
	 */
	r->counts_losses = r->events.events.items[0].attr.read_format & READ_LOST;
	r->rings.count = !r->counts_losses || r->o.progress;
	r->rings.no_build_ids = !tracking->build_id;
	r->rings.trailer_size = trailer_size(tracking);
	r->rings.traced = r->aux.plan.mode != AUX_OFF;
	skip_self(r);
	if (rings_map(&r->rings, &r->events, &r->target, r->o.ring_pages, &shrunk, e) < 0)
		return -1;
	if (!shrunk)
		return 0;
	snprintf(note, sizeof(note),
		 "ring buffers are only %llu KB each: more would exceed the limit of locked memory (ulimit -l, "
		 "perf_event_mlock_kb)",
		 (unsigned long long)r->rings.rings.items[0].size / 1024);
	tell_note(r, note);
	return 0;
}

static int map_aux(struct recorder *r, struct err *e)
{
	uint64_t wanted = r->aux.plan.pages, page = (uint64_t)sysconf(_SC_PAGESIZE);
	bool fixed = r->o.aux_pages || (r->o.snapshot && r->aux.plan.snapshot_bytes < wanted * page) ||
		     r->aux.plan.mode == AUX_SAMPLES;
	char note[160];

	if (r->aux.plan.mode == AUX_OFF)
		return 0;
	/* Take the build-ids of all objects: only decoding the trace could tell which were hit. */
	r->o.buildid_all = true;
	r->aux.on = !r->o.n_delays && !r->o.stay_disabled;
	if (aux_map(&r->aux, &r->events, &r->rings, &r->target, fixed, e) < 0)
		return -1;
	if (r->aux.plan.pages == wanted)
		return 0;
	snprintf(note, sizeof(note),
		 "AUX areas are only %llu KB each: more would exceed the limit of locked memory (ulimit -l, "
		 "perf_event_mlock_kb)",
		 (unsigned long long)(r->aux.plan.pages * page / 1024));
	tell_note(r, note);
	return 0;
}

int recorder_open_events(struct recorder *r, struct err *e)
{
	if (open_events(r, e) < 0 || map_rings(r, e) < 0 || map_aux(r, e) < 0)
		return -1;
	r->rings.one_by_one = r->o.affinity != AFFINITY_ANY;
	return r->o.off_cpu ? recorder_open_off_cpu(r, e) : 0;
}
