#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

/*
 * Recording: kernel to bytes.
 *
 *	options --attr_config--> events --event_list_open--> rings --sweep--> struct writer
 *	/proc, sysfs --synth_*--> records of what already exists, written first
 */
#include "base/err.h"
#include "base/opt.h"
#include "events/caller.h"
#include "record/rings/affinity.h"

enum chain_mode { CHAIN_MODE_NONE, CHAIN_MODE_FP, CHAIN_MODE_DWARF, CHAIN_MODE_LBR };
enum tri { TRI_UNSET, TRI_ON, TRI_OFF };

/* When events count: `start_ms` after the start of the target until `end_ms` (0 = until the end). */
struct delay_span {
	uint32_t start_ms, end_ms;
};
enum { DELAY_SPANS = 16 };

/* When the output goes on in another file: on SIGUSR2, or at `limit` bytes or milliseconds. */
enum rotate_mode { ROTATE_NEVER, ROTATE_SIGNAL, ROTATE_SIZE, ROTATE_TIME };
struct rotate_opts {
	enum rotate_mode mode;
	uint64_t limit;
	uint64_t max_files; /* earlier ones are removed; 0 = all stay */
};

/* What to write about what exists before the first event. */
enum { SYNTH_TASK = 1, SYNTH_MMAP = 2, SYNTH_CGROUP = 4, SYNTH_ALL = 7 };

/*
 * What a recording was asked for. Zeroes plus record_defaults are a recording of the whole system with the default
 * event; strings are the caller's and live as long as the recording.
 */
struct record_opts {
	/* what: the words of -e, --filter, --pfm-events and --exclude-perf in their order; see record_events */
	struct opt_list events;
	/* on whom */
	const char *pids, *tids, *uid, *cpus;
	bool system_wide, per_thread;
	/* how often */
	uint64_t freq;   /* Hz, used unless period; FREQ_MAX = the highest that is allowed */
	uint64_t period; /* 0 = sample by frequency */
	bool freq_given, strict_freq;
	/* what each sample holds */
	enum chain_mode chain;
	bool chain_default; /* -g without a mode: the user's settings may name one */
	bool stack_bytes_given;
	uint32_t chain_depth; /* frames, 0 = the kernel's limit */
	uint32_t stack_bytes; /* copy of the user stack: dwarf */
	bool chain_both;      /* dwarf: the kernel's own user frames as well, to go on where the copy ends */
	bool kernel_chains, user_chains;
	bool data, phys_data, data_page_size, code_page_size, mem_info, data_mmap;
	bool raw, weight, transaction, sample_cpu, identifier, sample_period;
	enum tri timestamp;
	uint64_t intr_regs, user_regs, branches; /* masks, 0 = none */
	bool running_time, stat, no_samples, no_inherit, no_buffering;
	bool all_user, all_kernel;
	bool use_clockid;
	int clockid;
	/* what else is told */
	bool namespaces, cgroups, switches, no_switches, no_bpf_event, buildid_mmap;
	unsigned synth;           /* SYNTH_* */
	uint64_t synth_threads;   /* that read /proc at once */
	uint64_t maps_timeout_ms; /* for the maps of one process */
	/* rings and output */
	uint64_t ring_pages;  /* data pages, a power of two; 0 = what fits */
	uint64_t flush_bytes; /* least bytes worth a write */
	const char *output;   /* NULL = perf.data */
	int zstd_level;
	uint64_t max_bytes;
	uint64_t aio;           /* 1..4: a thread writes, so many times 8 MB may wait for it; 0 = none */
	uint64_t aux_pages;     /* of an AUX area, a power of two; 0 = what is usual for the tracer */
	const char *snapshot;   /* -S: what the AUX areas hold is written on request; "e", bytes or both; NULL = all is
				   written all the time */
	const char *aux_sample; /* bytes of the AUX area that each sample of events in a tracer's group holds, "" = as
				   usual; NULL = only where terms say so */
	bool overwrite;         /* flight recorder: rings keep the newest records, the file gets them at the end */
	bool tail_synth;        /* what exists is told at the end instead of at the start */
	struct rotate_opts rotate;
	struct opt_list rotate_events; /* events whose samples switch the output, too */
	bool name_by_time;             /* the closed file gets the time into its name */
	bool no_buildids, no_buildid_cache, buildid_all, time_bounds;
	const char *debuginfod;  /* servers to fetch from, "" = the usual ones; NULL = none */
	const char *buildid_dir; /* of the build-id cache, NULL = the usual one */
	bool buildids_given,
		buildid_cache_given; /* the two were set or unset: --switch-output does not change them then */
	struct caller caller;        /* whom the command runs as, and who gets the file; not given: us */
	enum affinity_mode affinity;
	bool kcore;          /* keep the kernel's code and names. The output is a directory then */
	const char *threads; /* NULL: one; else which, see thread_groups_make. The output is a directory then */
	bool off_cpu;        /* where threads sleep */
	uint64_t off_cpu_ns; /* sleeps of this length get a sample of their own */
	bool latency;        /* what reports of wall-clock time need: context switches */
	int realtime;        /* SCHED_FIFO priority of the reader, 0 = none */
	/* when */
	struct delay_span delays[DELAY_SPANS];
	uint32_t n_delays;
	bool stay_disabled;  /* -D -1 */
	const char *control; /* where commands come from: see events/control.h; NULL = nowhere */
	bool dry_run;
};

#define FREQ_MAX UINT64_MAX
#define RECORD_DEFAULTS \
	{ \
		.freq = 4000, .stack_bytes = 8192, .synth = SYNTH_ALL, .synth_threads = 1, .maps_timeout_ms = 500, \
		.flush_bytes = 1, .off_cpu_ns = 500000000 \
	}

/* Markers in record_opts.events: the word behind is a filter, a libpfm4 name; events of the tool itself are to be left
 * out. */
extern const char record_is_filter[], record_is_pfm[], record_is_exclude_self[], record_is_cgroup[];

/* How it went, for the closing lines and the exit status. Filled as far as it got also when record_run fails. */
struct record_result {
	char *path;                /* malloc'd; NULL when nothing was written */
	char *dump;                /* malloc'd; the name by time that it has now, NULL = none */
	uint64_t bytes, raw_bytes; /* of the output; before compression */
	uint64_t aux_records, aux_lost, aux_gaps,
		aux_collisions; /* what the kernel told of AUX areas, and how often that something is missing there */
	uint64_t samples, lost; /* samples: of a file that was read again for its build-ids, else 0; lost: found no room
				   in a ring, as the events' counters say */
	uint64_t wakeups;
	bool wrote, full, compressed; /* full: max_bytes was reached */
	bool has_workload;
	int wait_status;      /* of the workload, as from waitpid */
	bool workload_killed; /* we ended it, its status means nothing */
	int stopped_by;       /* signal that asked us to end, 0 = none */
};

/*
 * Record until the workload (argv, may be empty) or the target ends or a signal comes. Messages on the way go to stderr
 * through say(). -1 and e on failure: when the command cannot be started (exit_code 127 or 126) no file was touched; on
 * a full disk what fitted stays readable.
 */
int record_run(const struct record_opts *o, char *const argv[], struct record_result *result, struct err *e);

/* Values of options, as the command line gives them. -1 and e when malformed. */
int record_parse_chain(struct record_opts *o, const char *text, struct err *e); /* fp[,depth] dwarf[,bytes] lbr */
int record_parse_pages(uint64_t *pages, uint64_t *aux_pages, const char *text,
		       struct err *e); /* "16,1M", of rings and AUX areas; tells when it rounds */
int record_parse_clock(int *clockid, const char *text, struct err *e);
int record_parse_delay(struct record_opts *o, const char *text, struct err *e); /* ms, -1, a-b,c-d */
int record_parse_max_size(uint64_t *bytes, const char *text, struct err *e);
int record_parse_rotation(struct rotate_opts *o, const char *text, struct err *e); /* signal (NULL too), 10M, 30s */
int record_parse_synth(unsigned *what, const char *text, struct err *e);
int record_parse_branches(uint64_t *mask, const char *text, struct err *e);
int record_parse_regs(uint64_t *mask, const char *text, struct err *e); /* names, NULL = all */

#endif
