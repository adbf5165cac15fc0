/*
 * Write everything into the output that does not come from the rings: what existed before,
 * events, machine, losses.
 */
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/out.h"
#include "format/sample.h"
#include "record/attr/attr_config.h"
#include "record/attr/aux_kind.h"
#include "record/machine/build_ids.h"
#include "record/machine/collect.h"
#include "record/machine/fetch.h"
#include "record/machine/kcore.h"
#include "record/session/recorder_priv.h"

enum { AIO_BYTES = 8 << 20 };

static const char *output_path(const struct recorder *r) { return r->o.output ? r->o.output : "perf.data"; }

bool recorder_makes_directory(const struct recorder *r) { return r->o.threads || r->o.kcore; }

/*
 * Return whether the output is a file that can be renamed and made again: no stream, device or
 * descriptor path.
 */
static bool is_plain_file(const struct recorder *r)
{
	const char *path = output_path(r);
	struct stat st;

	if (r->piped || !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6))
		return false;
	/*
	 * A link will be replaced, not followed. A directory holds the output of several
	 * threads.
	 */
	return lstat(path, &st) < 0 || S_ISREG(st.st_mode) || S_ISLNK(st.st_mode) || S_ISDIR(st.st_mode);
}

/*
 * Check that --kcore can work before anything runs. The copies are made at the end, when all
 * modules are loaded and no ring waits.
 */
int recorder_check_kcore(const struct recorder *r, struct err *e)
{
	const char *other = !r->o.kcore                        ? NULL
			    : !strcmp(output_path(r), "-")     ? "a pipe (-o -)"
			    : r->o.rotate.mode != ROTATE_NEVER ? "--switch-output"
							       : NULL;

	if (!other)
		return r->o.kcore ? kcore_check("/proc", e) : 0;
	err_set(e, "--kcore does not go with %s", other);
	err_why(e, "the copies lie beside the recording, in its directory");
	return err_exit(e, EXIT_INVALID);
}

int recorder_open_output(struct recorder *r, struct err *e)
{
	const char *path = output_path(r);
	autofree char *file = NULL;
	struct writer_opts opts = { .zstd_level = r->o.zstd_level,
				    .max_bytes = r->o.max_bytes,
				    .async_bytes = r->o.aio * AIO_BYTES,
				    .dir_later = recorder_makes_directory(r),
				    .give = r->o.caller.given,
				    .uid = r->o.caller.uid,
				    .gid = r->o.caller.gid };

	if (recorder_makes_directory(r))
		file = xasprintf("%s/data", path);
	r->writer = writer_open(file ? file : path, &opts, e);
	if (!r->writer)
		return -1;
	r->piped = writer_is_pipe(r->writer);
	if (r->o.debuginfod && fetch_prepare(r->o.debuginfod, e) < 0)
		return -1;
	if (!is_plain_file(r) && (r->o.name_by_time || r->o.rotate.mode)) {
		tell(&r->o.tell, "WARNING: --timestamp-filename option is not available in pipe mode%s.",
		     r->piped ? "" : " or for devices");
		r->o.name_by_time = false;
		r->o.rotate.mode = ROTATE_NEVER;
	}
	return 0;
}

int recorder_open_sink(struct recorder *r, writer_put_fn *put, void *of, struct err *e)
{
	r->writer = writer_open_sink(put, of, e);
	r->piped = true;
	return r->writer ? 0 : -1;
}

/* ---- what existed before ---- */

static bool samples_kernel(const struct event_list *l)
{
	for (size_t i = 0; i < l->events.len; i++)
		if (!l->events.items[i].attr.exclude_kernel && !l->events.items[i].is_dummy)
			return true;
	return false;
}

static void tell_no_kernel_map(const struct recorder *r)
{
	struct err e = { 0 };

	advice_kallsyms(access("/proc/kallsyms", F_OK) == 0 ? EACCES : ENOENT, &e);
	tell(&r->o.tell,
	     "WARNING: Kernel address maps (/proc/{kallsyms,modules}) are restricted: samples in the kernel will have "
	     "no names");
	tell(&r->o.tell, "  why: %s", e.why);
	if (e.fix[0])
		tell(&r->o.tell, "  try: %s", e.fix);
}

/*
 * Return whether we read the samples again at the end. Then we warn about hidden maps only if
 * they matter. A stream cannot be read again.
 */
static bool looks_at_samples(const struct recorder *r)
{
	return !writer_is_pipe(r->writer) && (!r->o.no_buildids || r->o.time_bounds);
}

static void tell_hidden_maps(const struct recorder *r, const int32_t *pids, size_t n)
{
	struct err e = { 0 };

	advice_maps(pids[0], EACCES, &e);
	if (n > 1)
		tell(&r->o.tell, "WARNING: %s, nor can those of %zu others: their samples will have no names", e.what,
		     n - 1);
	else
		tell(&r->o.tell, "WARNING: %s: its samples will have no names", e.what);
	tell(&r->o.tell, "  why: %s", e.why);
	if (e.fix[0])
		tell(&r->o.tell, "  try: %s", e.fix);
}

/* Warn about hidden maps, but only of processes with samples. */
static void say_seen_hidden(struct recorder *r, const bool *seen)
{
	size_t n = 0;

	for (size_t i = 0; i < r->hidden.len; i++)
		if (seen[i])
			r->hidden.items[n++] = r->hidden.items[i];
	if (n && !r->maps_told)
		tell_hidden_maps(r, r->hidden.items, n);
	r->maps_told |= n > 0;
}

/* Remember the processes with hidden maps that ran when the recording began. */
static void note_hidden_maps(struct recorder *r, const struct synth *s)
{
	vec_clear(&r->hidden);
	for (size_t i = 0; i < s->hidden.len; i++)
		vec_push(&r->hidden, s->hidden.items[i]);
	if (!r->hidden.len || r->maps_told || looks_at_samples(r))
		return;
	tell_hidden_maps(r, r->hidden.items, r->hidden.len);
	r->maps_told = true;
}

/*
 * Write records about the recorded tasks and their maps. `running`: the workload already runs
 * its command.
 */
static void synthesize_tasks(struct recorder *r, bool running)
{
	struct synth *s = &r->synth;
	const struct target *t = &r->target;

	if (!t->is_task)
		synth_system(s);
	else if (target_is_workload(t) && !running)
		synth_workload(s, r->workload.pid);
	else if (running && r->events.events.items[0].attr.inherit)
		synth_families(s, t->threads.items, t->threads.len);
	else
		synth_threads(s, t->threads.items, t->threads.len);
}

/* Write what decoders of the AUX areas must know. */
static void tell_trace(struct recorder *r)
{
	struct aux_about about = { &r->events, r->events.events.items, &r->o, &r->target, &r->aux.plan, NULL };
	struct aux_words words = { 0 };

	if (r->aux.plan.mode == AUX_OFF || !r->rings.rings.len)
		return;
	about.control = r->rings.rings.items[0].control;
	r->aux.plan.kind->info(&about, &words);
	synth_auxtrace_info(&r->synth, r->aux.plan.kind->type, words.items, words.len);
	vec_free(&words);
}

void recorder_synthesize(struct recorder *r)
{
	struct synth *s = &r->synth;
	bool running = r->workload.started || (r->begun && !r->workload.pid);
	const struct event *tracking = &r->events.events.items[attr_tracking(&r->events)];

	synth_init(s, tracking);
	s->what = r->o.synth;
	s->data = tracking->attr.mmap_data;
	s->build_ids = tracking->attr.build_id;
	s->namespaces = tracking->attr.namespaces;
	s->threads = (unsigned)MIN(r->o.synth_threads, UINT_MAX);
	s->maps_timeout_ms = r->o.maps_timeout_ms;
	s->tell = r->o.tell;
	if (r->rings.rings.len)
		synth_time_conv(s, r->rings.rings.items[0].control);
	synth_id_index(s, r->rings.ids.items, r->rings.ids.len);
	tell_trace(r);
	if (!synth_kernel(s) && samples_kernel(&r->events) && !r->begun)
		tell_no_kernel_map(r);
	synth_thread_map(s, r->target.threads.items, r->target.threads.len);
	synth_cpu_map(s, &r->target.cpu_list);
	if (tracking->attr.bpf_event)
		synth_bpf(s);
	if (r->o.cgroups)
		synth_cgroups(s);
	synthesize_tasks(r, running);
	note_hidden_maps(r, s);
	synth_finished_init(s);
	unwind_learn(r);
	tell_more(&r->o.tell, 1, "Synthesizing id index and what exists: %zu bytes", s->out.len);
}

void recorder_synthesize_newcomers(struct recorder *r)
{
	struct synth *s = &r->synth;
	size_t before = s->out.len;

	if (!r->target.is_task || target_is_workload(&r->target) || !r->events.events.items[0].attr.inherit ||
	    (r->o.tail_synth && !r->rewriter))
		return;
	synth_newcomers(s, r->last_created);
	if (r->rewriter)
		rewriter_learn(r->rewriter, s->out.buf + before, s->out.len - before);
}

/* ---- the output ---- */

/*
 * Return the command line as the user typed it: option parsing may have reordered our argv.
 * Strings and array are in the arena.
 */
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

int recorder_describe(struct recorder *r, struct err *e)
{
	struct collect_opts opts = { .branch_stack = r->o.branches != 0,
				     .use_clockid = r->o.use_clockid,
				     .clockid = r->o.clockid };

	if (r->described)
		return 0;
	r->described = true;
	opts.argv = command_line(&r->arena, &opts.argc);
	collect_features(&r->features, &r->arena, &opts);
	if (r->aux.plan.mode != AUX_OFF && !r->piped)
		feature_set(&r->features, FEATURE_AUXTRACE);
	if (r->o.threads) {
		r->features.dir_version = 1;
		feature_set(&r->features, FEATURE_DIR_FORMAT);
	}
	unwind_describe(r);
	subjects_describe(r);
	return add_tracing_data(r, e);
}

struct event_ids {
	VEC(uint64_t);
};

static void add_ids(const struct event *event, struct event_ids *ids)
{
	for (size_t j = 0; event->fds && j < event->n_cpus * event->n_threads; j++)
		if (event->fds[j] >= 0)
			vec_push(ids, event->ids[j]);
}

static void tell_events(struct recorder *r)
{
	const struct event *items = r->events.events.items;
	uint32_t n = 0, twins = 0;

	for (uint32_t i = 0; i < r->events.events.len; i++) {
		const struct event *event = &items[i];
		struct writer_event we = {
			.name = event->name,
			.unit = event->unit,
			.scale = event->scale,
			.n_members = event->n_members,
			.group_name = event->group_name,
		};
		struct event_ids ids = { 0 };

		if (event->is_twin) { /* its ids belong to the event before it */
			twins++;
			continue;
		}
		we.leader = twins ? n : event->leader; /* events with twins have no groups */
		n++;
		add_ids(event, &ids);
		if (i + 1 < r->events.events.len && items[i + 1].is_twin)
			add_ids(&items[i + 1], &ids);
		attr_of_event(&we.attr, event);
		unwind_describe_event(r, i, &we.attr);
		we.ids = ids.items;
		we.n_ids = ids.len;
		writer_event(r->writer, &we);
		vec_free(&ids);
	}
}

/* Write the synthesized records into the output. */
static int write_synth(struct recorder *r, struct err *e)
{
	struct iovec iov = { r->synth.out.buf, r->synth.out.len };
	int result = iov.iov_len ? writer_write(r->writer, &iov, 1, e) : 0;

	synth_release(&r->synth);
	return result;
}

static int make_directory(struct recorder *r, bool *moved, struct err *e)
{
	const char *path = output_path(r);

	if (writer_make_directory(path, moved, e) < 0)
		return -1;
	if (r->o.caller.given && lchown(path, r->o.caller.uid, r->o.caller.gid) < 0) {
		err_sys(e, "cannot give '%s' to user %u", path, (unsigned)r->o.caller.uid);
		err_try(e, "name an output on another file system: -o DIRECTORY");
		writer_undo_directory(path, *moved);
		return -1;
	}
	return 0;
}

static int make_output(struct recorder *r, struct err *e)
{
	sigset_t blocked;
	bool moved;
	int result;

	tell_events(r);
	if (recorder_describe(r, e) < 0)
		return -1;
	if (recorder_makes_directory(r) && make_directory(r, &moved, e) < 0)
		return -1;
	/* Opening a FIFO may wait long for its reader: let signals end that. */
	sigprocmask(SIG_SETMASK, &r->waiting, &blocked);
	result = writer_begin(r->writer, &r->features, e);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	if (result < 0) {
		if (recorder_makes_directory(r))
			writer_undo_directory(output_path(r), moved);
		return -1;
	}
	r->begun = r->ready = r->result->wrote = true;
	r->rotate.begun_ms = now_ms();
	if (!writer_is_pipe(r->writer) && !r->result->path)
		r->result->path = xstrdup(recorder_makes_directory(r) ? output_path(r) : writer_path(r->writer));
	return write_synth(r, e);
}

int recorder_begin_output(struct recorder *r, struct err *e)
{
	int result;

	recorder_start_keeper(r);
	result = make_output(r, e);
	recorder_stop_keeper(r);
	return result < 0 || recorder_write_early(r, e) < 0 ? -1 : writer_sync(r->writer, e);
}

/* ---- the end ---- */

/* Use the file's descriptor: another recording may have taken its name. */
static int collect_build_ids(struct recorder *r, struct err *e)
{
	struct build_ids_opts ids = { .all = r->o.buildid_all,
				      .tell = r->o.tell,
				      .no_ids = r->o.no_buildids,
				      .cache = !r->o.no_buildid_cache,
				      .fetch = r->o.debuginfod != NULL };
	autofree char *own =
		r->o.threads ? xstrdup(output_path(r)) : xasprintf("/proc/self/fd/%d", writer_fd(r->writer));
	autofree bool *seen = xcalloc(r->hidden.len + 1, sizeof(*seen));
	int result;

	ids.pids = r->hidden.items;
	ids.n_pids = r->hidden.len;
	ids.seen = seen;
	if (r->o.chain == CHAIN_MODE_FP && !r->o.kernel_chains) {
		ids.chains = &r->result->chains;
		ids.broken = &r->result->chains_broken;
	}
	result = build_ids_collect(&r->features, access(own, R_OK) ? writer_path(r->writer) : own, &ids,
				   &r->result->samples, e);
	say_seen_hidden(r, seen);
	return result;
}

int recorder_finish_output(struct recorder *r, struct err *e)
{
	struct writer *w = r->writer;
	int status, kept = 0;

	if (r->o.tail_synth) {
		recorder_synthesize(r);
		if (write_synth(r, e) < 0)
			return -1;
	}
	if (writer_settle(w, e) < 0)
		return -1;
	r->result->bytes = writer_bytes(w) + r->part_bytes;
	r->result->raw_bytes = writer_raw_bytes(w) + r->part_raw_bytes;
	r->result->compressed = r->o.zstd_level > 0;
	if (!writer_is_pipe(w)) {
		struct err why = { 0 };

		/* refresh the names of tasks; if that fails, keep the old ones */
		add_tracing_data(r, NULL);
		if (looks_at_samples(r) && collect_build_ids(r, &why) < 0)
			tell_more(&r->o.tell, 1, "build-ids are left out: %s", why.what);
	}
	if (r->o.kcore)
		kept = kcore_copy("/proc", output_path(r), &r->o.caller, e);
	r->ready = false;
	r->writer = NULL;
	unwind_describe(r);
	status = writer_finish(w, &r->features, kept < 0 ? NULL : e);
	/* Another file may follow, with features of its own. */
	r->features = (struct features){ 0 };
	r->described = false;
	arena_release(&r->arena);
	return status < 0 || kept < 0 ? -1 : recorder_name_by_time(r, e);
}
