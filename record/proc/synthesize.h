#ifndef RECORD_PROC_SYNTHESIZE_H
#define RECORD_PROC_SYNTHESIZE_H

#include "base/file.h"
#include "base/hash.h"
#include "base/out.h"
#include "events/events.h"
#include "format/record.h"
#include "symbols/symbols.h"

/*
 * Records of what exists before the first event, as the kernel would have written them, with times of 0: readers then
 * know what runs where. They are made in memory, so that nothing is written before the target has started. What
 * vanishes while we look at it is left out; what may not be read as well. Source: strobe.data(5), "Start of a
 * recording"; proc(5).
 */
struct synth_paths {
	const char **items;
	size_t len, cap;
}; /* a vec */

struct synth {
	struct out out;   /* the records; a memory sink */
	uint16_t trailer; /* bytes of the sample_id trailer that each kernel-type record carries */
	unsigned what;    /* SYNTH_* */
	bool data;        /* maps that are not executable too */
	bool build_ids;   /* maps tell build-ids instead of inodes */
	bool namespaces;
	unsigned threads;         /* that read /proc at once in synth_system; 0 or 1: ours alone */
	uint64_t maps_timeout_ms; /* for the maps of one process; what was not read by then is missing. UINT64_MAX =
				     none */
	bool timed_out;           /* the last text that was read is not whole */
	VEC(int32_t) hidden;      /* processes whose maps we may not read */
	size_t start;             /* of the record that is being made */
	struct arena arena;
	VEC(struct synth_object) objects; /* build-ids of files mapped so far */
	struct idtable by_inode;
	struct synth_paths hugetlbfs; /* mount points, once looked for */
	bool knows_hugetlbfs;
	char *text; /* of the maps file that is read, reused */
	size_t text_size;
};

/* attr_tracking's attr tells the shape of the trailer. */
void synth_init(struct synth *s, const struct event *tracking);
void synth_release(struct synth *s);

/* How a cycle counter becomes a time; nothing when the clock cannot tell. Source: perf_event_open(2),
 * cap_user_time_zero. */
void synth_time_conv(struct synth *s, const struct perf_event_mmap_page *page);
void synth_id_index(struct synth *s, const struct id_index_entry *ids, size_t n);
/* Words that a decoder of this type of trace wants. Source: strobe.data(5), AUXTRACE_INFO. */
void synth_auxtrace_info(struct synth *s, uint32_t type, const uint64_t *words, size_t n);
/* The kernel's text and its modules; nothing when their addresses are hidden. false: they are hidden. */
bool synth_kernel(struct synth *s);
/* BPF programs that are loaded: KSYMBOL and BPF_EVENT. Nothing without the privilege to ask. */
void synth_bpf(struct synth *s);
void synth_thread_map(struct synth *s, const int32_t *tids, size_t n); /* {-1} = all */
void synth_cpu_map(struct synth *s, const struct cpuset *cpus);
void synth_cgroups(struct synth *s);
/* Every process: FORK, COMM per thread, maps. */
void synth_system(struct synth *s);
/* These threads: COMM, and the maps of their processes. */
void synth_threads(struct synth *s, const int32_t *tids, size_t n);
/* The processes of these threads and all that came from them and still run: FORK, COMM per thread, maps. */
void synth_families(struct synth *s, const int32_t *tids, size_t n);
/* Our own child before it runs the command. */
void synth_workload(struct synth *s, int32_t pid);
void synth_finished_init(struct synth *s);
/* LOST_SAMPLES of the event with this id. */
void synth_lost_samples(struct synth *s, const struct event *tracking, uint64_t id, uint64_t lost);

#endif
