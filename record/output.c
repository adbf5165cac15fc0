/* What goes into the output besides the rings: what existed before, which events, what machine, what was lost. */
#include <errno.h>

#include "base/file.h"
#include "base/out.h"
#include "format/sample.h"
#include "record/attr_config.h"
#include "record/build_ids.h"
#include "record/collect.h"
#include "record/recorder_priv.h"

int recorder_open_output(struct recorder *r, struct err *e)
{
	struct writer_opts opts = { .zstd_level = r->o.zstd_level, .max_bytes = r->o.max_bytes };

	r->writer = writer_open(r->o.output ? r->o.output : "perf.data", &opts, e);
	return r->writer ? 0 : -1;
}

/* ---- what was there before ---- */

static bool samples_kernel(const struct event_list *l)
{
	for (size_t i = 0; i < l->events.len; i++)
		if (!l->events.items[i].attr.exclude_kernel && !l->events.items[i].is_dummy)
			return true;
	return false;
}

static void say_no_kernel_map(void)
{
	struct err e = { 0 };

	advice_kallsyms(access("/proc/kallsyms", F_OK) == 0 ? EACCES : ENOENT, &e);
	say("WARNING: Kernel address maps (/proc/{kallsyms,modules}) are restricted: samples in the kernel will have no names");
	say("  why: %s", e.why);
	if (e.fix[0])
		say("  try: %s", e.fix);
}

void recorder_synthesize(struct recorder *r)
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
		say_no_kernel_map();
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
int recorder_begin_output(struct recorder *r, struct err *e)
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
int recorder_tell_lost(struct recorder *r, struct err *e)
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

int recorder_finish_output(struct recorder *r, struct err *e)
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
