#include "cmd/trace/kernel_sums.h"

static void take_sum(void *of, int32_t tid, int32_t number, const struct call_count *count)
{
	trace_add_count(of, &(struct trace_count){ .tid = tid,
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

static void take_error(void *of, int32_t tid, int32_t number, int32_t code, uint64_t n)
{
	trace_add_error_count(of, &(struct trace_error_count){ tid, number, code, n });
}

static void take(void *counter, struct trace *trace, bool end)
{
	if (end)
		call_counter_stop(counter);
	call_counter_take(counter, end, take_sum, take_error, trace);
}

static int read_cpus(struct kernel_sums *k, const char *list, struct err *e)
{
	if (cpuset_parse(&k->cpus, list, e) < 0)
		return -1;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		k->on_cpu[cpu] = cpuset_has(&k->cpus, cpu);
	return 0;
}

int kernel_sums_open(struct kernel_sums *k, const struct record_opts *record, const char *not_tids,
		     struct trace_opts *show, struct err *e)
{
	struct call_counter_opts opts = {
		.calls = show->calls, .n_calls = SYSCALLS_MOST, .histogram = show->histogram, .codes = show->errno_sums
	};

	_Static_assert((int)CALL_BUCKETS == (int)TRACE_BUCKETS, "both are one histogram");
	opts.threads = (struct bpf_threads_opts){ .everyone = record->system_wide || record->cpus,
						  .pids = record->pids,
						  .tids = record->tids,
						  .not_tids = not_tids,
						  .no_inherit = record->no_inherit };
	opts.threads.command = record->command && !opts.threads.everyone && !record->pids && !record->tids;
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

uint64_t kernel_sums_lost(const struct kernel_sums *k) { return k->counter ? call_counter_lost(k->counter) : 0; }

void kernel_sums_close(struct kernel_sums *k)
{
	call_counter_close(k->counter);
	cpuset_free(&k->cpus);
	*k = (struct kernel_sums){ 0 };
}
