#include "cmd/trace/in_kernel_priv.h"

#include <time.h>
#include <unistd.h>

#include "events/events.h"

static void take_sum(void *of, int32_t id, int32_t number, const struct call_count *count)
{
	trace_add_count(of, &(struct trace_count){ .id = id,
						   .number = number,
						   .n = count->n,
						   .unentered = count->unentered,
						   .errors = count->errors,
						   .total_ns = count->total_ns,
						   .min_ns = count->min_ns,
						   .max_ns = count->max_ns,
						   .squares_high = count->squares_high,
						   .squares_low = count->squares_low,
						   .buckets = count->buckets });
}

static void take_error(void *of, int32_t id, int32_t number, int32_t code, uint64_t n)
{
	trace_add_error_count(of, &(struct trace_error_count){ id, number, code, n });
}

static void take(void *counter, struct trace *trace, bool end)
{
	if (end)
		call_counter_stop(counter);
	call_counter_take(counter, end, take_sum, take_error, trace);
}

static int read_cpus(struct in_kernel *k, const char *list, struct err *e)
{
	if (cpuset_parse(&k->cpus, list, e) < 0)
		return -1;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		k->on_cpu[cpu] = cpuset_has(&k->cpus, cpu);
	return 0;
}

/* List the threads of a user, as the recorder does. */
static int user_threads(struct in_kernel *k, const char *uid, struct err *e)
{
	struct target target = { .uid = uid };
	struct out list;
	int rc = target_resolve(&target, e);

	out_init_mem(&list);
	for (size_t i = 0; rc == 0 && i < target.threads.len; i++)
		out_fmt(&list, i ? ",%d" : "%d", target.threads.items[i]);
	free(k->tids);
	k->tids = rc == 0 ? xstrdup(out_text(&list)) : NULL;
	out_release(&list);
	target_release(&target);
	return rc;
}

static int threads_of(struct in_kernel *k, const struct record_opts *record, const char *cgroup,
		      struct bpf_threads_opts *opts, struct err *e)
{
	bool everyone = record->system_wide || record->cpus;

	if (record->uid && user_threads(k, record->uid, e) < 0)
		return -1;
	if (cgroup && !k->cgroup && (k->cgroup = cgroup_open(cgroup, e)) < 0) {
		k->cgroup = 0;
		return -1;
	}
	*opts = (struct bpf_threads_opts){ .everyone = everyone,
					   .cgroup = k->cgroup,
					   .command = record->command && !everyone && !record->pids && !record->tids &&
						      !record->uid,
					   .pids = record->pids,
					   .tids = record->uid ? k->tids : record->tids,
					   .no_inherit = record->no_inherit };
	return 0;
}

int in_kernel_sums(struct in_kernel *k, const struct record_opts *record, const char *cgroup, const char *not_tids,
		   struct trace_opts *show, struct err *e)
{
	struct call_counter_opts opts = { .calls = show->calls,
					  .n_calls = SYSCALLS_MOST,
					  .histogram = show->histogram,
					  .codes = show->errno_sums,
					  .by_cgroup = show->by == TRACE_SUMS_CGROUP };

	_Static_assert((int)CALL_BUCKETS == (int)TRACE_BUCKETS, "both describe the same histogram");
	if (threads_of(k, record, cgroup, &opts.threads, e) < 0)
		return -1;
	opts.threads.not_tids = not_tids;
	if (record->cpus) {
		if (read_cpus(k, record->cpus, e) < 0)
			return -1;
		opts.cpus = k->on_cpu;
		opts.n_cpus = CPU_SETSIZE;
	}
	k->counter = call_counter_open(&opts, e);
	if (!k->counter)
		return -1;
	show->counts = take;
	show->counter = k->counter;
	return 0;
}

/* ---- copies of arguments ---- */

static bool fetched(void *of, int32_t tid, uint64_t since, uint64_t time, struct trace_fetched *to)
{
	const struct call_text *text = call_texts_find(of, tid, since, time);

	for (unsigned i = 0; text && i < COPIES_MOST; i++) {
		to->bytes[i] = text->bytes[i];
		to->len[i] = text->len[i];
	}
	return text;
}

static void copies_of(struct call_copies *copies, struct call_shapes *shapes, int number, bool at_exit)
{
	static const enum call_copy_kind kinds[] = {
		[TRACE_POINTS_TEXT] = COPY_TEXT,       [TRACE_POINTS_SIZED] = COPY_SIZED,
		[TRACE_POINTS_COUNTED] = COPY_COUNTED, [TRACE_POINTS_LENGTH] = COPY_LENGTH,
		[TRACE_POINTS_RESULT] = COPY_RESULT,   [TRACE_POINTS_TEXTS] = COPY_TEXTS,
		[TRACE_POINTS_NUMBER] = COPY_NUMBER,
	};
	struct trace_pointer pointers[COPIES_MOST];
	unsigned n = trace_pointers(shapes, number, at_exit, pointers, COPIES_MOST);

	for (unsigned i = 0; i < n; i++)
		copies->args[i] = (struct call_copy){ .argument = pointers[i].argument,
						      .kind = (uint8_t)kinds[pointers[i].kind],
						      .unit = pointers[i].unit,
						      .most = pointers[i].most };
}

int in_kernel_texts(struct in_kernel *k, struct record_opts *record, const char *cgroup,
		    const struct syscall_names *names, struct trace_opts *show, struct err *e)
{
	autofree struct call_copies *entered = xcalloc(SYSCALLS_MOST, sizeof(*entered));
	autofree struct call_copies *left = xcalloc(SYSCALLS_MOST, sizeof(*left));
	struct bpf_threads_opts threads;

	_Static_assert((int)COPY_SIZE == (int)TRACE_POINTED_SIZE && (int)COPIES_MOST == (int)TRACE_POINTED_MOST &&
			       (int)COPY_TEXT_SIZE == (int)TRACE_TEXT_SIZE,
		       "a copy has the printed length");
	for (int i = 0; i < SYSCALLS_MOST; i++) {
		if (!names->names[i] || (show->calls && !show->calls[i]))
			continue;
		copies_of(&entered[i], show->shapes, i, false);
		copies_of(&left[i], show->shapes, i, true);
	}
	if (threads_of(k, record, cgroup, &threads, e) < 0)
		return -1;
	k->texts = call_texts_open(&threads, entered, left, SYSCALLS_MOST, e);
	if (!k->texts)
		return -1;
	show->fetched = fetched;
	show->fetcher = k->texts;
	record->use_clockid = true;
	record->clockid = CLOCK_MONOTONIC;
	return 0;
}

uint64_t in_kernel_lost(const struct in_kernel *k) { return k->counter ? call_counter_lost(k->counter) : 0; }

void in_kernel_close(struct in_kernel *k)
{
	call_counter_close(k->counter);
	call_texts_close(k->texts);
	cpuset_free(&k->cpus);
	free(k->tids);
	if (k->cgroup)
		close(k->cgroup);
	*k = (struct in_kernel){ 0 };
}
