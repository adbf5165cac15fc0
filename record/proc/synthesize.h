#ifndef RECORD_PROC_SYNTHESIZE_H
#define RECORD_PROC_SYNTHESIZE_H

#include "base/file.h"
#include "base/hash.h"
#include "base/out.h"
#include "base/tell.h"
#include "events/events.h"
#include "format/record.h"
#include "symbols/symbols.h"

struct synth_paths {
	VEC(const char *);
};

/*
 * Write records about what exists before the first event, as the kernel would have written
 * them, but with time 0. They tell readers what runs where. They are built in memory, because
 * nothing is written before the target starts. Things that vanish meanwhile, or that we may not
 * read, are left out. Source: strobe.data(5), "Start of a recording"; proc(5).
 */
struct synth {
	struct out out;   /* the records, in memory */
	uint16_t trailer; /* size of the sample_id trailer of kernel-type records */
	unsigned what;    /* SYNTH_* */
	bool data;        /* include maps that are not executable */
	bool build_ids;   /* maps carry build-ids instead of inodes */
	bool namespaces;
	unsigned threads; /* how many threads read /proc in synth_system; 0 or 1: only ours */
	/* time limit for the maps of one process; the rest is left out. UINT64_MAX = none */
	uint64_t maps_timeout_ms;
	struct teller tell;      /* warnings; zeros drop them */
	bool timed_out;          /* the last text read is incomplete */
	VEC(int32_t) hidden;     /* processes whose maps we may not read */
	struct u64map processes; /* what synth_threads and synth_newcomers have written, by pid */
	size_t start;            /* offset of the record being built */
	struct arena arena;
	VEC(struct synth_object) objects; /* build-ids of the files mapped so far */
	struct idtable by_inode;
	struct synth_paths hugetlbfs; /* mount points, valid if knows_hugetlbfs */
	bool knows_hugetlbfs;
	char *text; /* buffer for files of /proc, reused */
	size_t text_size;
};

/* Initialise. The attr of `tracking` defines the layout of the trailer. */
void synth_init(struct synth *s, const struct event *tracking);
void synth_release(struct synth *s);

/*
 * Write how to convert a cycle counter to a time; nothing if the clock does not support it.
 * Source: perf_event_open(2), cap_user_time_zero.
 */
void synth_time_conv(struct synth *s, const struct perf_event_mmap_page *page);
void synth_id_index(struct synth *s, const struct id_index_entry *ids, size_t n);
/*
 * Write the words that a decoder of this type of trace needs. Source: strobe.data(5),
 * AUXTRACE_INFO.
 */
void synth_auxtrace_info(struct synth *s, uint32_t type, const uint64_t *words, size_t n);
/*
 * Write the maps of the kernel's text and its modules. Return false, and write nothing, when
 * their addresses are hidden.
 */
bool synth_kernel(struct synth *s);
/* Write KSYMBOL and BPF_EVENT for loaded BPF programs; nothing without the privilege to ask. */
void synth_bpf(struct synth *s);
void synth_thread_map(struct synth *s, const int32_t *tids, size_t n); /* {-1} = all */
void synth_cpu_map(struct synth *s, const struct cpuset *cpus);
void synth_cgroups(struct synth *s);
/* Write every process: FORK, COMM per thread, maps. */
void synth_system(struct synth *s);
/* Write these threads: COMM, and the maps of their processes. */
void synth_threads(struct synth *s, const int32_t *tids, size_t n);
/* Return the number of the process or thread that was created last; INT32_MAX if it is not known. */
int32_t synth_last_created(void);
/*
 * Write the threads and processes that the processes of synth_threads() started after the one with the number `last`:
 * FORK, COMM, and maps of processes.
 */
void synth_newcomers(struct synth *s, int32_t last);
/*
 * Write the processes of these threads and all their living descendants: FORK, COMM per thread,
 * maps.
 */
void synth_families(struct synth *s, const int32_t *tids, size_t n);
/* Write our own child before it runs the command. */
void synth_workload(struct synth *s, int32_t pid);
void synth_finished_init(struct synth *s);
/* Write LOST_SAMPLES for the event with this id. */
void synth_lost_samples(struct synth *s, const struct event *tracking, uint64_t id, uint64_t lost);

#endif
