#include "cmd/commands.h"
#include "cmd/shared/options.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/config.h"
#include "base/file.h"
#include "base/units.h"
#include "cmd/agent/agent.h"
#include "cmd/probe/record_probe.h"
#include "cmd/shared/bundling.h"
#include "cmd/record_options.h"
#include "events/events.h"
#include "record/record.h"

#define AT(member) offsetof(struct record_opts, member)

static int set_event(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct record_opts *o = opts;

	if (unset)
		vec_clear(&o->events);
	else
		vec_push(&o->events, value);
	return 0;
}

static int add_probe(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return record_probe_add(value, &((struct record_opts *)opts)->events, e);
}

static int set_filter(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct record_opts *o = opts;

	vec_push(&o->events, opt->name[0] == 'f'   ? record_is_filter
			     : opt->name[0] == 'c' ? record_is_cgroup
						   : record_is_pfm);
	vec_push(&o->events, value);
	return 0;
}

static int set_exclude_self(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct record_opts *o = opts;

	vec_push(&o->events, record_is_exclude_self);
	return 0;
}

static int set_freq(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct record_opts *o = opts;

	o->freq_given = true;
	if (!strcmp(value, "max")) {
		o->freq = FREQ_MAX;
		return 0;
	}
	if (parse_u64(value, &o->freq, e) < 0 || o->freq > UINT32_MAX) {
		err_clear(e);
		err_set(e, "bad frequency '%s'", value);
		err_try(e, "-F with a number of samples per second, or -F max");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return 0;
}

static int set_chain(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct record_opts *o = opts;

	o->chain_given = true;
	o->chain_default = false;
	if (unset || (value && !strcmp(value, "no"))) {
		o->chain = CHAIN_MODE_NONE;
		return 0;
	}
	if (value)
		return record_parse_chain(o, value, e);
	o->chain = CHAIN_MODE_FP;
	o->chain_default = true;
	return 0;
}

static int set_pages(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct record_opts *o = opts;
	struct teller teller = usual_teller();

	return record_parse_pages(&o->ring_pages, &o->aux_pages, value, &teller, e);
}

static int set_timestamp(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	((struct record_opts *)opts)->timestamp = unset ? TRI_OFF : TRI_ON;
	return 0;
}

static int set_switches(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct record_opts *o = opts;

	o->switches = !unset;
	o->no_switches = unset;
	return 0;
}

static int set_clock(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct record_opts *o = opts;

	o->use_clockid = !unset;
	return unset ? 0 : record_parse_clock(&o->clockid, value, e);
}

static int set_delay(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return record_parse_delay(opts, value, e);
}

static int set_rotation(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct rotate_opts *o = &((struct record_opts *)opts)->rotate;

	if (!unset)
		return record_parse_rotation(o, value, e);
	o->mode = ROTATE_NEVER;
	return 0;
}

static int set_max_size(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	uint64_t *bytes = &((struct record_opts *)opts)->max_bytes;

	if (!unset)
		return record_parse_max_size(bytes, value, e);
	*bytes = 0;
	return 0;
}

/* --switch-output disables build-ids unless the user asked for them. */
static int set_no_buildid(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct record_opts *o = opts;

	if (opt->short_name == 'B') {
		o->no_buildids = !unset;
		o->buildids_given = true;
	} else {
		o->no_buildid_cache = !unset;
		o->buildid_cache_given = true;
	}
	return 0;
}

static int set_off_cpu_limit(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	uint64_t ms;

	if (parse_u64(value, &ms, e) < 0 || ms > UINT32_MAX) {
		err_clear(e);
		err_set(e, "bad length of sleeps '%s'", value);
		err_try(e, "--off-cpu-thresh with a number of milliseconds");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	((struct record_opts *)opts)->off_cpu_ns = ms * 1000000;
	return 0;
}

/* Check the file and do no more, as perf does when it has no program to compile. */
static int check_vmlinux(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct stat st;

	if (!access(value, R_OK) && !stat(value, &st) && S_ISREG(st.st_mode))
		return 0;
	err_set(e, "invalid file: '%s'", value);
	err_try(e, "the path of a vmlinux that can be read");
	return err_exit(e, EXIT_INVALID);
}

static int set_affinity(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return affinity_parse(&((struct record_opts *)opts)->affinity, value, e);
}

static int set_synth(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct record_opts *o = opts;

	if (unset) {
		o->synth = 0;
		return 0;
	}
	return record_parse_synth(&o->synth, value, e);
}

static int set_branches(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return record_parse_branches(&((struct record_opts *)opts)->branches, value ? value : "any", e);
}

static int set_regs(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return record_parse_regs((uint64_t *)((char *)opts + opt->offset), value, e);
}

static int set_level(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct record_opts *o = opts;
	uint64_t level = 1;

	if (value && (parse_u64(value, &level, e) < 0 || level > 22)) {
		err_clear(e);
		err_set(e, "bad compression level '%s'", value);
		err_try(e, "-z1 (fast) to -z22 (small)");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	o->zstd_level = unset ? 0 : (int)level;
	return 0;
}

static int set_aio(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct record_opts *o = opts;

	o->aio = !unset;
	if (value && (parse_u64(value, &o->aio, e) < 0 || !o->aio || o->aio > 4)) {
		err_clear(e);
		err_set(e, "bad number of buffers '%s'", value);
		err_try(e, "--aio=1 to --aio=4");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return 0;
}

/*
 * Rows are in the order of perf's help. An option that sets more than one member has a setter
 * above.
 */
const struct opt record_options[] = {
	{ 'e', "event", OPT_CALL, 0, "event", "event selector; 'strobe list' lists them", 0, set_event },
	{ 0, "probe", OPT_CALL, 0, "[program ]definition", "define a probe, record it, and remove it at the end",
	  OPT_NONEG | OPT_OURS, add_probe },
	{ 0, "filter", OPT_CALL, 0, "filter",
	  "let the kernel drop tracepoint records that do not match this expression", OPT_NONEG, set_filter },
	{ 0, "exclude-perf", OPT_CALL_FLAG, 0, NULL,
	  "leave out the events that the tool itself causes (follows a tracepoint)", OPT_NONEG, set_exclude_self },
	{ 0, "event-files", OPT_INCLUDE, AT(event_files), .rows = event_file_options },
	{ 0, "pfm-events", OPT_CALL, 0, "event", "event by its libpfm4 name", OPT_NONEG, set_filter,
	  .values = ",@pfm-event" },
	{ 'G', "cgroup", OPT_CALL, 0, "name,...",
	  "count only tasks of these control groups, one for each event or one for all (with -a)", OPT_NONEG,
	  set_filter, .values = ",@cgroup" },
	{ 0, "pid", OPT_INCLUDE, AT(pids), NULL, "record existing processes", .rows = target_options },
	{ 0, "tid", OPT_INCLUDE, AT(tids), NULL, "record existing threads", .rows = target_options },
	{ 'u', "uid", OPT_STR, AT(uid), "user", "record the processes of a user" },
	{ 0, "all-cpus", OPT_INCLUDE, AT(system_wide), NULL, "record the whole system", .rows = target_options },
	{ 0, "cpu", OPT_INCLUDE, AT(cpus), NULL, "record these CPUs: numbers and ranges", .rows = target_options },
	{ 0, "per-thread", OPT_BOOL, AT(per_thread), NULL, "one ring buffer per thread instead of per CPU" },
	{ 'F', "freq", OPT_CALL, 0, "freq or 'max'", "samples per second", OPT_NONEG, set_freq,
	  .values = "max 99 999" },
	{ 'c', "count", OPT_U64, AT(period), "n", "one sample every n events" },
	{ 0, "strict-freq", OPT_BOOL, AT(strict_freq), NULL, "fail if the frequency is higher than the kernel allows" },
	{ 'g', NULL, OPT_CALL_FLAG, 0, NULL, "record call graphs by frame pointers", 0, set_chain },
	{ 0, "call-graph", OPT_CALL, 0, "mode",
	  "record call graphs: fp[,depth], dwarf[,bytes of stack], dwarf+fp[,bytes], live[,bytes] or lbr", 0, set_chain,
	  .values = "fp dwarf dwarf+fp live lbr no" },
	{ 0, "agent", OPT_STR_OPT, AT(agent), "url",
	  "record all CPUs until a signal, at 19 Hz, with --call-graph live: each minute write sums as Parquet files "
	  "into "
	  "the directory -o, or send them as push does",
	  OPT_OURS },
	{ 0, "every", OPT_INCLUDE, AT(every), .rows = agent_options },
	{ 0, "service", OPT_INCLUDE, AT(service), NULL,
	  "with --agent: a name for what the host runs; queries can select by it", .rows = agent_options },
	{ 0, "bundle", OPT_BOOL, AT(bundle), NULL,
	  "at the end, add the names and lines of its addresses, for other machines", OPT_OURS },
	{ 0, "keep-stacks", OPT_BOOL, AT(keep_stacks), NULL,
	  "with --call-graph live: also keep the copied stacks in the file", OPT_OURS },
	{ 0, "kernel-callchains", OPT_BOOL, AT(kernel_chains), NULL, "only the kernel's part of call graphs" },
	{ 0, "user-callchains", OPT_BOOL, AT(user_chains), NULL, "only the user's part of call graphs" },
	{ 'o', "output", OPT_STR, AT(output), "file", "output file, '-' for a stream (perf.data)" },
	{ 0, "no-inherit", OPT_INCLUDE, AT(no_inherit), .rows = target_options },
	{ 'm', "mmap-pages", OPT_CALL, 0, "pages[,pages]",
	  "size of each ring buffer, and after a comma of each AUX area: pages, or bytes with a suffix", OPT_NONEG,
	  set_pages },
	{ 0, "mmap-flush", OPT_SIZE, AT(flush_bytes), "bytes",
	  "write the data of a ring buffer only when there are at least this many bytes" },
	{ 'n', "no-samples", OPT_BOOL, AT(no_samples), NULL, "take no samples" },
	{ 's', "stat", OPT_BOOL, AT(stat), NULL, "store counts per thread" },
	{ 'd', "data", OPT_BOOL, AT(data), NULL, "sample addresses of data" },
	{ 0, "phys-data", OPT_BOOL, AT(phys_data), NULL, "sample physical addresses of data" },
	{ 0, "data-page-size", OPT_BOOL, AT(data_page_size), NULL, "sample page sizes of data" },
	{ 0, "code-page-size", OPT_BOOL, AT(code_page_size), NULL, "sample page sizes of code" },
	{ 0, "data-mmap", OPT_BOOL, AT(data_mmap), NULL, "record mappings of data too" },
	{ 0, "sample-mem-info", OPT_BOOL, AT(mem_info), NULL, "sample where data came from" },
	{ 0, "sample-cpu", OPT_BOOL, AT(sample_cpu), NULL, "store the CPU in each sample" },
	{ 0, "sample-identifier", OPT_BOOL, AT(identifier), NULL,
	  "store the event's id in each sample, at a fixed place" },
	{ 'T', "timestamp", OPT_CALL_FLAG, 0, NULL, "store the time in each sample", 0, set_timestamp },
	{ 'P', "period", OPT_BOOL, AT(sample_period), NULL, "store the period in each sample" },
	{ 'R', "raw-samples", OPT_BOOL, AT(raw), NULL, "store the raw data of each sample (fields of tracepoints)" },
	{ 'W', "weight", OPT_BOOL, AT(weight), NULL, "store the cost of each sample" },
	{ 0, "transaction", OPT_BOOL, AT(transaction), NULL, "store transaction flags" },
	{ 'b', "branch-any", OPT_CALL_FLAG, 0, NULL, "sample taken branches", OPT_NONEG, set_branches },
	{ 'j', "branch-filter", OPT_CALL, 0, "filter",
	  "sample these branches: any, any_call, any_ret, ind_call, u, k ...", OPT_NONEG, set_branches,
	  .values = ",any any_call any_ret ind_call ind_jmp call cond u k hv in_tx no_tx abort_tx stack save_type "
		    "no_flags no_cycles" },
	{ 'I', "intr-regs", OPT_CALL_OPT, AT(intr_regs), "registers", "sample these registers at the interrupt",
	  OPT_NONEG, set_regs },
	{ 0, "user-regs", OPT_CALL_OPT, AT(user_regs), "registers", "sample these user registers", OPT_NONEG,
	  set_regs },
	{ 0, "running-time", OPT_BOOL, AT(running_time), NULL,
	  "store how long events were enabled and running, with :S" },
	{ 'D', "delay", OPT_CALL, 0, "ms",
	  "start after ms milliseconds; -1: do not start; 10-20,30-40: measure only in these time ranges", OPT_NONEG,
	  set_delay },
	{ 'k', "clockid", OPT_CALL, 0, "clock", "take times from this clock: mono, mono_raw, boot, real, tai", 0,
	  set_clock, .values = "monotonic monotonic_raw realtime boottime tai mono mono_raw real boot" },
	{ 0, "namespaces", OPT_BOOL, AT(namespaces), NULL, "record namespaces" },
	{ 0, "all-cgroups", OPT_BOOL, AT(cgroups), NULL, "record control groups" },
	{ 0, "switch-events", OPT_CALL_FLAG, 0, NULL, "record context switches (default for hardware traces)", 0,
	  set_switches },
	{ 0, "all-kernel", OPT_INCLUDE, AT(all_kernel), .rows = target_options },
	{ 0, "all-user", OPT_INCLUDE, AT(all_user), .rows = target_options },
	{ 0, "no-bpf-event", OPT_BOOL, AT(no_bpf_event), NULL, "do not record BPF programs" },
	{ 0, "no-buffering", OPT_BOOL, AT(no_buffering), NULL, "wake up for every sample" },
	{ 0, "waits", OPT_BOOL, AT(waits), NULL,
	  "record which threads wait and what ends each wait, on all CPUs, for 'strobe waits'", OPT_OURS },
	{ 0, "wall", OPT_BOOL, AT(wall), NULL, "as --waits, and samples of the CPUs: for report --wall", OPT_OURS },
	{ 0, "target-only", OPT_BOOL, AT(target_only), NULL,
	  "with --waits: record only switches and wakeups of the target; BPF programs select them", OPT_OURS },
	{ 0, "stack-rate", OPT_U64, AT(stack_rate), "kB",
	  "with --waits: if a CPU makes more data per second, record call chains only in a part of the time "
	  "(0: always)",
	  OPT_OURS, .values = "" },
	{ 0, "latency", OPT_BOOL, AT(latency), NULL, "record the data for reports of wall-clock time" },
	{ 0, "affinity", OPT_CALL, 0, "node|cpu", "read each ring buffer on its own CPU or memory node", OPT_NONEG,
	  set_affinity },
	{ 0, "as-caller", OPT_INCLUDE, AT(caller), NULL,
	  "under sudo: run the command as the calling user, who also owns the file", .rows = target_options },
	{ 0, "threads", OPT_STR_OPT, AT(threads), "spec",
	  "read the ring buffers with several threads, each into a file of a directory: per cpu, core, package, numa, "
	  "or CPU lists maps/affinity:...",
	  .values = "cpu core package numa" },
	{ 0, "kcore", OPT_BOOL, AT(kcore), NULL,
	  "store the kernel's code and symbol names with the recording, in a directory" },
	{ 0, "off-cpu", OPT_BOOL, AT(off_cpu), NULL, "record where threads sleep and how long, as event offcpu-time" },
	{ 0, "off-cpu-thresh", OPT_CALL, 0, "ms",
	  "write a separate sample for each sleep of at least this length (500), and add up shorter ones", OPT_NONEG,
	  set_off_cpu_limit },
	{ 'r', "realtime", OPT_INT, AT(realtime), "priority", "read with this SCHED_FIFO priority" },
	{ 0, "synth", OPT_CALL, 0, "no|all|task|mmap|cgroup", "which records to write about existing processes", 0,
	  set_synth, .values = ",no all task mmap cgroup" },
	{ 0, "tail-synthesize", OPT_BOOL, AT(tail_synth), NULL,
	  "write the records about existing processes at the end instead of at the start" },
	{ 0, "overwrite", OPT_BOOL, AT(overwrite), NULL,
	  "flight recorder: keep the newest records in the ring buffers, write them at the end" },
	{ 0, "num-thread-synthesize", OPT_U64, AT(synth_threads), "n",
	  "read /proc with this many threads when recording the whole system" },
	{ 0, "proc-map-timeout", OPT_U64, AT(maps_timeout_ms), "ms",
	  "stop reading the maps of one process after this many milliseconds (500)" },
	{ 0, "control", OPT_STR, AT(control), "fd:ctl[,ack] or fifo:ctl[,ack]",
	  "take commands while recording: enable, disable [event], evlist [-v|-g|-F], snapshot, stop, ping" },
	{ 'B', "no-buildid", OPT_CALL_FLAG, 0, NULL, "do not look up build-ids at the end", 0, set_no_buildid },
	{ 'N', "no-buildid-cache", OPT_CALL_FLAG, 0, NULL, "do not copy objects into the build-id cache", 0,
	  set_no_buildid },
	{ 0, "buildid-all", OPT_BOOL, AT(buildid_all), NULL,
	  "store build-ids of all objects, not only of those with samples" },
	{ 0, "buildid-mmap", OPT_BOOL, AT(buildid_mmap), NULL, "let the kernel store build-ids in its map records" },
	{ 0, "timestamp-boundary", OPT_BOOL, AT(time_bounds), NULL, "store times of the first and last sample" },
	{ 'z', "compression-level", OPT_CALL_OPT, 0, "level", "compress with zstd", 0, set_level },
	{ 0, "max-size", OPT_CALL, 0, "size", "stop at this size of the output: a number with B, K, M or G", 0,
	  set_max_size },
	{ 0, "timestamp-filename", OPT_BOOL, AT(name_by_time), NULL, "append the time to the name of the output" },
	{ 0, "switch-output", OPT_CALL_OPT, 0, "signal or size[BKMG] or time[smhd]",
	  "continue in a new file on SIGUSR2, at a size or after a time; append the time to names", 0, set_rotation,
	  .values = "signal" },
	{ 0, "switch-output-event", OPT_LIST, AT(rotate_events), "event",
	  "continue in a new file when this event occurs" },
	{ 0, "switch-max-files", OPT_U64, AT(rotate.max_files), "n",
	  "keep only the newest n files of --switch-output" },
	{ 'S', "snapshot", OPT_STR_OPT, AT(snapshot), "opts",
	  "keep the newest part of a hardware trace and write it on SIGUSR2; e: also at the end; a number: this many "
	  "bytes" },
	{ 0, "aux-sample", OPT_STR_OPT, AT(aux_sample), "bytes",
	  "store the newest part of a hardware trace in the samples of its group (4096)" },
	{ 0, "aio", OPT_CALL_OPT, 0, "n",
	  "write in a separate thread; up to n times 8 MB (1 to 4, default 1) wait in memory for a slow disk", 0,
	  set_aio },
	{ 0, "debuginfod", OPT_STR_OPT, AT(debuginfod), "urls",
	  "fetch missing objects and debug information from these servers (DEBUGINFOD_URLS) into the build-id cache" },
	{ 0, "setup-filter", OPT_STR, 0, "pin|unpin",
	  "strobe does not filter samples by BPF programs, so there is nothing to set up", OPT_REFUSED },
	{ 0, "vmlinux", OPT_CALL, 0, "file", "image of the kernel; it must be readable, but has no effect", OPT_NONEG,
	  check_vmlinux },
	{ 0, "dry-run", OPT_BOOL, AT(dry_run), NULL, "check the options, but record nothing" },
	{ 0, "quiet", OPT_INCLUDE, 0, NULL, "print only errors", .rows = talk_options },
	{ 0, "verbose", OPT_INCLUDE, 0, NULL,
	  "print more messages; twice: also the settings and descriptors of each event", .rows = talk_options },
	{ 0 },
};

static const struct record_opts record_defaults = RECORD_DEFAULTS;

/*
 * Old texts put the mode after -g ("record -ag dwarf sleep 1"); perf would run a program with that
 * name. We take it as the mode if it is one of the three, comes directly after -g, and a command
 * follows.
 */
static int old_chain(struct record_opts *o, int *argc, char ***argv, struct err *e)
{
	static const char *const modes[] = { "fp", "dwarf", "lbr" };
	size_t len = 0;
	autofree char *line = file_read("/proc/self/cmdline", 8 << 20, &len, NULL);
	const char *before = NULL;
	int words = 0, at = 0;

	if (*argc < 2 || !line || o->chain != CHAIN_MODE_FP)
		return 0;
	for (size_t i = 0; i < len; i += strlen(line + i) + 1)
		words++;
	for (size_t i = 0; i < len && at < words - *argc; i += strlen(line + i) + 1, at++)
		before = line + i;
	if (!before || before[0] != '-' || before[1] == '-' || before[strlen(before) - 1] != 'g')
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		size_t n = strlen(modes[i]);

		if (strncmp((*argv)[0], modes[i], n) || ((*argv)[0][n] && (*argv)[0][n] != ','))
			continue;
		say("taking '-g %s' as --call-graph %s", (*argv)[0], (*argv)[0]);
		if (record_parse_chain(o, (*argv)[0], e) < 0)
			return -1;
		/* Options may follow the mode, which stands where a program's name would. */
		return opt_parse(record_options, o, *argc, *argv, true, argv, argc, e) < 0 ? -1 : 0;
	}
	return 0;
}

/* Apply the settings: the mode of a plain -g, and the default size of stack copies. */
static int apply_chain_settings(struct record_opts *o, const struct config *c, struct err *e)
{
	const char *mode = config_find(c, "call-graph.record-mode"), *size = config_find(c, "call-graph.dump-size");
	struct record_opts dwarf = RECORD_DEFAULTS;
	autofree char *text = size ? xasprintf("dwarf,%s", size) : NULL;

	if (!mode)
		mode = config_find(c, "record.call-graph");
	if (mode && o->chain_default && record_parse_chain(o, mode, e) < 0)
		return err_in(e, "call-graph.record-mode");
	if (size && !o->stack_bytes_given) {
		if (record_parse_chain(&dwarf, text, e) < 0)
			return err_in(e, "call-graph.dump-size");
		o->stack_bytes = dwarf.stack_bytes;
	}
	return 0;
}

int record_apply_settings(struct record_opts *o, const struct config *c, struct err *e)
{
	const char *ids = config_find(c, "record.build-id"), *timeout = config_find(c, "core.proc-map-timeout");
	const char *aio = config_find(c, "record.aio");

	if (ids && !strcmp(ids, "no-cache"))
		o->no_buildid_cache |= !o->buildid_cache_given;
	else if (ids && !strcmp(ids, "skip"))
		o->no_buildids |= !o->buildids_given;
	else if (ids && !strcmp(ids, "mmap"))
		o->buildid_mmap = true;
	else if (ids && strcmp(ids, "cache") && strcmp(ids, "no-mmap"))
		return err_set(e, "record.build-id '%s' is none of cache, no-cache, skip, mmap and no-mmap", ids);
	if (timeout && o->maps_timeout_ms == record_defaults.maps_timeout_ms &&
	    parse_u64(timeout, &o->maps_timeout_ms, e) < 0)
		return err_in(e, "core.proc-map-timeout");
	if (aio && !o->aio && set_aio(o, NULL, aio, false, e) < 0)
		return err_in(e, "record.aio");
	if (!o->debuginfod)
		o->debuginfod = config_find(c, "record.debuginfod");
	return apply_chain_settings(o, c, e);
}

static double megabytes(uint64_t bytes) { return (double)bytes / 1024 / 1024; }

/* The closing lines have perf's words, because tools look for them. */
static void closing_lines(const struct record_result *r)
{
	char samples[64] = "", packed[96] = "";

	if (r->full)
		say("[ %s record: perf size limit reached (%llu KB), stopping session ]", tool_name(),
		    (unsigned long long)r->bytes / 1024);
	say("[ %s record: Woken up %llu times to write data ]", tool_name(), (unsigned long long)r->wakeups);
	if (r->dump)
		say("[ %s record: Dump %s ]", tool_name(), r->dump);
	if (r->samples)
		snprintf(samples, sizeof(samples), " (%llu samples)", (unsigned long long)r->samples);
	if (r->compressed)
		snprintf(packed, sizeof(packed), ", compressed (original %.3f MB, ratio is %.3f)",
			 megabytes(r->raw_bytes), r->bytes ? (double)r->raw_bytes / (double)r->bytes : 0);
	say("[ %s record: Captured and wrote %.3f MB %s%s%s%s ]", tool_name(), megabytes(r->bytes),
	    r->path ? r->path : "-", r->dump ? ".<timestamp>" : "", packed, samples);
	if (r->chains_broken * 5 > r->chains && verbosity() >= 0)
		say("[ %s record: %.0f%% of the user stacks lead nowhere: the program keeps no frame pointers; "
		    "try: --call-graph live ]",
		    tool_name(), 100.0 * (double)r->chains_broken / (double)r->chains);
	if (r->aux_lost)
		say("AUX data lost %llu times out of %llu!", (unsigned long long)r->aux_lost,
		    (unsigned long long)r->aux_records);
	if (r->aux_gaps)
		say("AUX data had gaps in it %llu times out of %llu!", (unsigned long long)r->aux_gaps,
		    (unsigned long long)r->aux_records);
	if (r->aux_collisions)
		say("AUX data detected collision %llu times out of %llu!", (unsigned long long)r->aux_collisions,
		    (unsigned long long)r->aux_records);
	if (r->aux_lost)
		say("  try: larger AUX areas (-m ,4096), less to trace (:u, a filter), or the newest part only (-S)");
	if (r->lost) {
		say("%llu samples were lost: the ring buffers were full", (unsigned long long)r->lost);
		say("  try: larger ones (-m), a lower rate (-F, -c) or fewer events");
	}
}

/*
 * perf without -o writes to a pipe. Tell a user who expects this, and waits for a recording there.
 */
static void hint_at_pipe(const struct record_opts *o, const struct record_result *r)
{
	struct stat st;

	if (!o->output && r->path && !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode))
		say("  hint: the recording is in '%s'; -o - writes it into the pipe instead", r->path);
}

static int exit_status(const struct record_result *r)
{
	if (r->stopped_by)
		die_by(r->stopped_by);
	if (!r->has_workload || r->workload_killed)
		return 0;
	if (WIFSIGNALED(r->wait_status)) {
		die_by(WTERMSIG(r->wait_status));
		return 128 + WTERMSIG(r->wait_status);
	}
	return WEXITSTATUS(r->wait_status);
}

/*
 * A user who may not read tracepoints gets only the switches of their own program, which show less:
 * see waits(1).
 */
static bool may_read_tracepoints(void)
{
	const char *dir = tracefs_find(NULL);
	char path[512];

	snprintf(path, sizeof(path), "%s/events/sched/sched_switch/id", dir ? dir : "/sys/kernel/tracing");
	return access(path, R_OK) == 0 || errno != EACCES;
}

int record_apply_waits(struct record_opts *o, struct err *e)
{
	if (!may_read_tracepoints() && !o->system_wide) {
		say("You may not read tracepoints: this records only when threads run, not what they wait for or who "
		    "wakes them");
		o->switches = true;
		if (!o->events.len)
			vec_push(&o->events, o->wall ? "cpu-clock:u" : "dummy:u");
		return 0;
	}
	if (o->target_only && o->system_wide) {
		err_set(e, "--target-only goes with a command, -p or -t, not with the whole system");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (o->cpus || o->uid || o->per_thread) {
		err_set(e, "--%s goes with a command, -p, -t or -a only", o->wall ? "wall" : "waits");
		err_why(e, "it records the whole system: any other thread, or an interrupt, may wake a thread");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (!o->system_wide) {
		o->subject_is_command = !o->pids && !o->tids;
		o->subject_pids = o->pids;
		o->subject_tids = o->tids;
		o->pids = o->tids = NULL;
	}
	if (o->wall)
		record_add_wall(o);
	else
		record_add_waits(o);
	return 0;
}

/* Refuse options that have no effect without --waits and --wall. */
static int check_waits_options(const struct record_opts *o, struct err *e)
{
	bool stack_rate = o->stack_rate != record_defaults.stack_rate;

	if (o->waits || o->wall || (!o->target_only && !stack_rate))
		return 0;
	err_set(e, "--%s is about switches and wakeups", stack_rate ? "stack-rate" : "target-only");
	err_try(e, "--waits or --wall with it");
	return err_exit(e, EXIT_BAD_USAGE);
}

/* A bundle is a section at the end of one file. */
static int check_bundle(const struct record_opts *o, struct err *e)
{
	if (!o->bundle ||
	    (!o->threads && (!o->output || strcmp(o->output, "-")) && !o->rotate.mode && !o->rotate_events.len))
		return 0;
	err_set(e, "--bundle needs a recording that is one file");
	err_try(e, "record without it; for each file, %s bundle -i FILE -o FILE", tool_name());
	return err_exit(e, EXIT_BAD_USAGE);
}

static int add_bundle(const struct record_opts *o, const struct record_result *r, struct err *e)
{
	if (!o->bundle || !r->path || !r->wrote)
		return 0;
	return bundle_recording(&(struct bundling){ .input = r->path, .output = r->path, .force = true }, e);
}

/* ---- the agent ---- */

enum { AGENT_KEEPS = 1 << 30 }; /* bytes of files */

static int run_agent(struct record_opts *o, char **argv, struct err *e)
{
	struct agent_opts a = { .command = "record", .stacks = AGENT_STACKS, .service = o->service, .every = o->every };

	if (agent_prepare(o, e) < 0)
		return -1;
	a.stacks.max_stack = usual_chain_depth();
	a.record = *o;
	a.record.command = *argv ? argv : NULL;
	if (!*o->agent)
		return agent_write_files(&a, o->output ? o->output : "profiles",
					 o->max_bytes ? o->max_bytes : (uint64_t)AGENT_KEEPS, e);
	if (o->output || o->max_bytes) {
		err_set(e, "--agent=URL writes no files: %s has no meaning", o->output ? "--output" : "--max-size");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return agent_send(&a, &(struct sender_opts){ .url = o->agent }, e);
}

static int check_agent(const struct record_opts *o, struct err *e)
{
	if (o->agent || (!o->every && !o->service))
		return 0;
	err_set(e, "%s has a meaning with --agent only", o->every ? "--every" : "--service");
	return err_exit(e, EXIT_BAD_USAGE);
}

static int record_run_command(void *opts, int argc, char **argv, struct err *e)
{
	struct record_opts *o = opts;
	struct record_result result = { 0 };
	struct config settings = { 0 };
	int status = old_chain(o, &argc, &argv, e);

	settings_load(&settings);
	if (!status)
		status = record_apply_settings(o, &settings, e);
	if (!status)
		status = event_files_use(o->event_files, &settings, e);
	if (!status)
		status = check_waits_options(o, e);
	if (!status && (o->waits || o->wall))
		status = record_apply_waits(o, e);
	o->tell = usual_teller();
	if (!status)
		status = check_bundle(o, e);
	if (!status)
		status = check_agent(o, e);
	if (!status)
		status = o->agent ? run_agent(o, argv, e) : record_run(o, argv, &result, e);
	config_release(&settings);
	if (!status && !o->dry_run && !o->agent) {
		closing_lines(&result);
		hint_at_pipe(o, &result);
		status = add_bundle(o, &result, e);
	}
	free(result.path);
	free(result.dump);
	vec_free(&o->events);
	record_probe_end();
	return status < 0 ? -1 : exit_status(&result);
}

const struct command cmd_record = {
	.name = "record",
	.summary = "run a command and record its profile into perf.data",
	.run = record_run_command,
	.usage = (const char *const[]){ "[<options>] [<command>]", "[<options>] -- <command> [<options>]", NULL },
	.options = record_options,
	.defaults = &record_defaults,
	.opts_size = sizeof(struct record_opts),
	.stop_at_word = true,
	.words = "@program",
};
