#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

/*
 * Record events into a perf.data file.
 *
 * Example: record a command.
 *
 *	struct record_opts o = RECORD_DEFAULTS;
 *	char *command[] = { "ls", NULL };
 *	struct record_result result;
 *	struct err e = { 0 };
 *
 *	o.output = "ls.data";
 *	if (record_run(&o, command, &result, &e) < 0)
 *		return fprintf(stderr, "%s\n", e.what), 1;
 *	printf("%s: %llu bytes\n", result.path, (unsigned long long)result.bytes);
 *
 * How the data flows:
 *
 *	options --attr_config--> events --event_list_open--> rings --sweep--> struct writer
 *	/proc, sysfs --synth_*--> records of what already exists, written first
 */
#include "base/err.h"
#include "base/opt.h"
#include "base/tell.h"
#include "events/caller.h"
#include "record/rings/affinity.h"

enum chain_mode { CHAIN_MODE_NONE, CHAIN_MODE_FP, CHAIN_MODE_DWARF, CHAIN_MODE_LBR, CHAIN_MODE_LIVE };
enum tri { TRI_UNSET, TRI_ON, TRI_OFF };

/*
 * A span in which events count: from `start_ms` to `end_ms` after the start of the target;
 * end_ms 0 = until the end.
 */
struct delay_span {
	uint32_t start_ms, end_ms;
};
enum { DELAY_SPANS = 16 };

/* When to continue in another output file: on SIGUSR2, or after `limit` bytes or milliseconds. */
enum rotate_mode { ROTATE_NEVER, ROTATE_SIGNAL, ROTATE_SIZE, ROTATE_TIME };
struct rotate_opts {
	enum rotate_mode mode;
	uint64_t limit;
	uint64_t max_files; /* keep only this many of the newest; 0 = all */
};

/* Which records to write about things that exist before the first event. */
enum { SYNTH_TASK = 1, SYNTH_MMAP = 2, SYNTH_CGROUP = 4, SYNTH_ALL = 7 };

/* How far a recording is: the recorder writes it, and another thread may read it meanwhile. */
struct record_progress {
	_Atomic uint64_t samples, lost; /* that came through the rings; lost: as the kernel has told so far */
};

/*
 * The options of a recording. RECORD_DEFAULTS records the whole system with the default event.
 * The caller owns the strings; they must live as long as the recording.
 */
struct record_opts {
	/*
	 * what: the arguments of -e, --filter, --pfm-events and --exclude-perf in their order;
	 * see record_is_filter
	 */
	struct opt_list events;
	const char *event_files; /* --event-files: the command reads them */

	/* whom to record */
	const char *pids, *tids, *uid, *cpus;
	bool system_wide, per_thread;
	/*
	 * The subjects of a recording of the whole system, which reports show by default: lists of processes and
	 * threads, or the command. NULL and false: all.
	 */
	const char *subject_pids, *subject_tids;
	bool subject_is_command;
	/* record/live.h: run this command and record it; NULL = none. record_run() has a parameter for it. */
	char *const *command;

	/* how often to sample */
	uint64_t freq;   /* Hz, used unless period is set; FREQ_MAX = the highest allowed */
	uint64_t period; /* 0 = sample by frequency */
	bool freq_given, strict_freq;

	/* contents of a sample */
	enum chain_mode chain;
	bool chain_given;   /* the user chose one, or none */
	bool chain_default; /* -g without a mode: the user's settings may choose one */
	bool stack_bytes_given;
	uint32_t chain_depth; /* frames; 0 = the kernel's limit */
	uint32_t stack_bytes; /* dwarf, live: bytes of user stack to copy */
	uint32_t live_window; /* of live, without stack_bytes_given; the recorder chooses it, 0 = the smallest */
	/* dwarf: also the kernel's own user frames, to continue where the copy ends */
	bool chain_both;
	bool bundle; /* for the command: add a bundle when the file is complete */
	/* for the command: an agent, which sends to this URL or, if it is "", writes files; NULL = none */
	const char *agent, *service, *every;
	bool keep_stacks; /* live: leave the copied stacks in the file, beside the chains */
	bool kernel_chains, user_chains;
	bool data, phys_data, data_page_size, code_page_size, mem_info, data_mmap;
	bool raw, weight, transaction, sample_cpu, identifier, sample_period;
	enum tri timestamp;
	uint64_t intr_regs, user_regs, branches; /* masks, 0 = none */
	bool running_time, stat, no_samples, no_inherit, no_buffering;
	bool all_user, all_kernel;
	bool use_clockid;
	int clockid;
	bool lean; /* live: leave out where and how often; these cost the kernel time, and no reader needs them */

	/* other records */
	bool namespaces, cgroups, switches, no_switches, no_bpf_event, buildid_mmap;
	unsigned synth;                   /* SYNTH_* */
	uint64_t synth_threads;           /* how many threads read /proc */
	struct teller tell;               /* gets messages while the recording runs */
	struct record_progress *progress; /* may be NULL */
	uint64_t maps_timeout_ms;         /* time limit for reading the maps of one process */

	/* rings and output */
	uint64_t ring_pages;  /* data pages, a power of two; 0 = as many as allowed */
	uint64_t flush_bytes; /* write when a ring has at least this many bytes */
	const char *output;   /* NULL = perf.data */
	int zstd_level;
	uint64_t max_bytes;
	/*
	 * 1..4: write in a separate thread; up to this many times 8 MB may wait for it. 0 = no thread
	 */
	uint64_t aio;
	uint64_t aux_pages; /* pages of an AUX area, a power of two; 0 = the tracer's default */
	/*
	 * -S: write the contents of the AUX areas on request. "e" (at exit), bytes, or both;
	 * NULL = write everything all the time
	 */
	const char *snapshot;
	/*
	 * bytes of the AUX area in each sample of events in a tracer's group, "" = default;
	 * NULL = only where event terms ask for it
	 */
	const char *aux_sample;
	bool overwrite; /* flight recorder: rings keep the newest records; written at the end */
	/*
	 * for a reader in this process: rings keep the newest samples, which are written each time we look; rings of
	 * sideband lose nothing
	 */
	bool newest;
	/* write the records about existing things at the end, not at the start */
	bool tail_synth;
	struct rotate_opts rotate;
	struct opt_list rotate_events; /* their samples also switch the output */
	bool name_by_time;             /* append the time to the name of the closed file */
	bool no_buildids, no_buildid_cache, buildid_all, time_bounds;
	const char *debuginfod;                   /* servers to fetch from, "" = the default ones; NULL = none */
	bool buildids_given, buildid_cache_given; /* the user chose these: --switch-output must not change them */
	/* user that runs the command and owns the file; not given: this process's user */
	struct caller caller;
	enum affinity_mode affinity;
	bool kcore; /* keep the kernel's code and names; makes the output a directory */
	/* NULL: one reader; otherwise see thread_groups_make(). Makes the output a directory. */
	const char *threads;
	bool off_cpu;        /* record where threads sleep */
	uint64_t off_cpu_ns; /* longer sleeps get a sample of their own */
	bool latency;        /* record context switches, as latency reports need */
	bool waits, wall;    /* record which threads wait, and for what: see record_add_waits, record_add_wall */
	bool target_only;    /* of waits: pick switches and wakeups of the subjects in the kernel; see picked.c */
	/*
	 * Of waits: take turns without call chains where a ring gets more kB a second than this; 0: never. See turns.c.
	 */
	uint64_t stack_rate;
	bool patient; /* look at the rings when the kernel asks for it: for low rates, and years */
	int realtime; /* SCHED_FIFO priority of the reader, 0 = none */

	/* when to record */
	struct delay_span delays[DELAY_SPANS];
	uint32_t n_delays;
	bool stay_disabled;  /* -D -1 */
	const char *control; /* source of commands, see events/control.h; NULL = none */
	bool dry_run;
};

#define FREQ_MAX UINT64_MAX
#define RECORD_DEFAULTS \
	{ \
		.freq = 4000, .stack_bytes = 8192, .synth = SYNTH_ALL, .synth_threads = 1, .maps_timeout_ms = 500, \
		.flush_bytes = 1, .off_cpu_ns = 500000000, .stack_rate = 8000 \
	}

/*
 * Markers in record_opts.events. The next word is a filter, a libpfm4 name, or cgroups;
 * record_is_exclude_self has no word: it excludes events of this tool itself.
 */
extern const char record_is_filter[], record_is_pfm[], record_is_exclude_self[], record_is_cgroup[];

/*
 * The outcome of a recording, for the closing lines and the exit status. If record_run() fails,
 * it is filled up to that point. The caller frees path and dump.
 */
struct record_result {
	char *path;                /* malloc'd; NULL when no file was written */
	char *dump;                /* malloc'd; the name with the time, NULL = none */
	uint64_t bytes, raw_bytes; /* size of the output; size before compression */
	/* AUX records from the kernel, and how many of them report missing data */
	uint64_t aux_records, aux_lost, aux_gaps, aux_collisions;
	/*
	 * samples: counted when the file was read again for its build-ids, otherwise 0. lost:
	 * samples without room in a ring, by the events' counters
	 */
	uint64_t samples, lost;
	uint64_t unwound, unwound_whole; /* live: stacks; those that lead to a root */
	/* by frame pointers: chains with a user part; those that cannot be whole. As `samples`. */
	uint64_t chains, chains_broken;
	uint64_t wakeups;
	bool wrote, full, compressed; /* full: max_bytes was reached */
	bool has_workload;
	int wait_status;      /* the workload's, as from waitpid */
	bool workload_killed; /* we ended it, so its status means nothing */
	int stopped_by;       /* signal that stopped us, 0 = none */
};

/*
 * Record until the workload (argv, may be empty) or the target ends, or a signal arrives. Messages
 * go to o->tell. Return -1 with e set on failure. If the command cannot start
 * (exit_code 127 or 126), no file was touched. If the disk is full, the part that fitted stays
 * readable.
 */
int record_run(const struct record_opts *o, char *const argv[], struct record_result *result, struct err *e);

/*
 * Add the events that show which threads wait and what ends each wait, each with a call chain. Record on all CPUs,
 * because any thread or interrupt may wake a thread.
 */
void record_add_waits(struct record_opts *o);
/* The same, and an event that samples the CPUs, unless there is one: for profiles of wall-clock time. */
void record_add_wall(struct record_opts *o);

/* Parse the value of a command-line option. Return -1 with e set when it is malformed. */
/* fp[,depth] dwarf[,bytes] live[,bytes] lbr */
int record_parse_chain(struct record_opts *o, const char *text, struct err *e);
/* "16,1M": rings and AUX areas. `teller` hears when it rounds. */
int record_parse_pages(uint64_t *pages, uint64_t *aux_pages, const char *text, const struct teller *teller,
		       struct err *e);
int record_parse_clock(int *clockid, const char *text, struct err *e);
int record_parse_delay(struct record_opts *o, const char *text, struct err *e); /* ms, -1, a-b,c-d */
int record_parse_max_size(uint64_t *bytes, const char *text, struct err *e);
int record_parse_rotation(struct rotate_opts *o, const char *text, struct err *e); /* signal (NULL too), 10M, 30s */
int record_parse_synth(unsigned *what, const char *text, struct err *e);
int record_parse_branches(uint64_t *mask, const char *text, struct err *e);
int record_parse_regs(uint64_t *mask, const char *text, struct err *e); /* names, NULL = all */

#endif
