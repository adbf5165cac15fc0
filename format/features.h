#ifndef FORMAT_FEATURES_H
#define FORMAT_FEATURES_H

#include "base/err.h"
#include "base/hash.h"
#include "base/out.h"

struct perfdata;

/* Feature bits of the file header. Source: strobe.data(5), "Features". */
enum feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID,
	FEATURE_HOSTNAME,
	FEATURE_OSRELEASE,
	FEATURE_VERSION,
	FEATURE_ARCH,
	FEATURE_NRCPUS,
	FEATURE_CPUDESC,
	FEATURE_CPUID,
	FEATURE_TOTAL_MEM,
	FEATURE_CMDLINE,
	FEATURE_EVENT_DESC,
	FEATURE_CPU_TOPOLOGY,
	FEATURE_NUMA_TOPOLOGY,
	FEATURE_BRANCH_STACK,
	FEATURE_PMU_MAPPINGS,
	FEATURE_GROUP_DESC,
	FEATURE_AUXTRACE,
	FEATURE_STAT,
	FEATURE_CACHE,
	FEATURE_SAMPLE_TIME,
	FEATURE_MEM_TOPOLOGY,
	FEATURE_CLOCKID,
	FEATURE_DIR_FORMAT,
	FEATURE_BPF_PROG_INFO,
	FEATURE_BPF_BTF,
	FEATURE_COMPRESSED,
	FEATURE_CPU_PMU_CAPS,
	FEATURE_CLOCK_DATA,
	FEATURE_HYBRID_TOPOLOGY,
	FEATURE_PMU_CAPS,
	FEATURE_CPU_DOMAIN_INFO,
	FEATURE_E_MACHINE,
	FEATURE_CLN_SIZE,
	FEATURES_OF_PERF,
	FEATURE_UNWOUND = 192, /* ours: far from those that perf may add */
	FEATURE_BUNDLE = 193,
	FEATURE_SUBJECTS = 194,
	FEATURES /* one more than the largest known; between are numbers without a name */
};
enum { FEATURE_BITS = 256 };

struct str_list {
	const char **items;
	uint32_t n;
};
struct feature_build_id {
	int32_t pid;
	uint16_t misc;
	uint8_t id[20];
	uint8_t size;
	const char *filename;
};
struct feature_cpu {
	uint32_t core_id, socket_id, die_id;
};
struct feature_node {
	uint32_t node;
	uint64_t total_kb, free_kb;
	const char *cpus;
};
struct feature_pmu {
	uint32_t type;
	const char *name;
};
struct feature_group {
	const char *name;
	uint32_t leader, n_members;
};
struct feature_cache {
	uint32_t level, line_size, sets, ways;
	const char *type, *size, *cpus;
};
struct feature_mem_node {
	uint64_t node, size, n_bits;
	uint64_t *words;
};
struct feature_cap {
	const char *name, *value;
};
struct feature_pmu_caps {
	const char *pmu;
	struct feature_cap *caps;
	uint32_t n;
};
struct feature_hybrid {
	const char *pmu, *cpus;
};
struct feature_raw {
	const uint8_t *data;
	uint64_t size;
};
struct feature_domain {
	uint32_t domain;
	const char *name, *mask, *cpus;
};
struct feature_cpu_domains {
	uint32_t cpu;
	struct feature_domain *domains;
	uint32_t n;
};

/*
 * How user stacks ended that were unwound while recording, or by inject --convert-callchain. A sample of such an event
 * has the number of its end in bits 4 to 11 of its header's misc; 0: it has no user stack. `code` is one of
 * unwound_ends, or a newer one.
 */
struct feature_unwound_end {
	const char *code;
	uint64_t samples;
};
enum unwound_end {
	UNWOUND_NONE,
	UNWOUND_WHOLE,     /* reached the outermost frame */
	UNWOUND_JOINED,    /* did so by an earlier stack of the thread */
	UNWOUND_CONTINUED, /* the outer part is by frame pointers */
	UNWOUND_WINDOW_FULL,
	UNWOUND_NO_INFO,
	UNWOUND_GUESSED, /* a frame pointer supplied a caller where unwind information lacks */
	UNWOUND_NOT_MAPPED,
	UNWOUND_NO_FILE,
	UNWOUND_BROKEN,
	UNWOUND_DEPTH_LIMIT,
	UNWOUND_UNSUPPORTED,
	N_UNWOUND_ENDS
};
extern const char *const unwound_ends[N_UNWOUND_ENDS];
/* Return the number of an end's code; UNWOUND_UNSUPPORTED if the code is unknown. */
enum unwound_end unwound_end_of(const char *code);
enum { UNWOUND_SHIFT = 4, UNWOUND_MASK = 0xff };

/*
 * All feature sections, decoded. `present` has one bit per feature of the file, known or unknown.
 * If a section cannot be decoded, its bit is cleared and the section is counted in the notes.
 * Decoded strings and arrays belong to `arena`; raw sections are views on the mapping. The recorder
 * fills one of these structs for the writer. Source: strobe.data(5), "Features".
 */
struct features {
	uint64_t present[FEATURE_BITS / 64];
	struct arena *arena;
	const char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t cpus_available, cpus_online;
	uint64_t total_mem_kb;
	struct str_list cmdline;
	struct feature_build_id *build_ids;
	uint32_t n_build_ids;
	struct str_list packages, cores, dies; /* sibling lists */
	struct feature_cpu *cpus;
	uint32_t n_cpus;
	bool has_dies;
	struct feature_node *nodes;
	uint32_t n_nodes;
	struct feature_pmu *pmus;
	uint32_t n_pmus;
	struct feature_group *groups;
	uint32_t n_groups;
	struct feature_cache *caches;
	uint32_t n_caches;
	uint64_t first_sample_ns, last_sample_ns;
	uint64_t mem_block_size;
	struct feature_mem_node *mem_nodes;
	uint64_t n_mem_nodes;
	uint64_t clockid_res_ns;
	uint64_t dir_version;
	uint32_t compressed_version, compressed_type, compressed_level, compressed_ratio, compressed_mmap_len;
	struct feature_cap *cpu_caps;
	uint32_t n_cpu_caps;
	struct feature_pmu_caps *pmu_caps;
	uint32_t n_pmu_caps;
	uint32_t clockid;
	uint64_t clock_tod_ns, clock_ns;
	struct feature_hybrid *hybrids;
	uint32_t n_hybrids;
	uint32_t schedstat_version, max_domains;
	struct feature_cpu_domains *cpu_domains;
	uint32_t n_cpu_domains;
	uint32_t e_machine, e_flags;
	uint32_t cache_line_size;
	struct feature_raw bundle; /* symbols/ reads it */
	uint32_t unwound_window;   /* bytes of stack that were copied; 0: inject unwound them */
	uint32_t *unwound_events;  /* numbers of the events that were unwound */
	uint32_t n_unwound_events;
	struct feature_unwound_end *unwound_ends; /* by the number in misc */
	uint32_t n_unwound_ends;
	int32_t *subjects; /* threads that a recording of the whole system is about, with all that they start */
	uint32_t n_subjects;
	/* undecoded, as stored in the file */
	struct feature_raw tracing_data, bpf_prog_info, bpf_btf, auxtrace;
	struct feature_raw raw[FEATURES]; /* every known section as stored, for verbatim copies */
};

static inline bool feature_has(const struct features *f, unsigned bit)
{
	return bit < FEATURE_BITS && f->present[bit / 64] >> bit % 64 & 1;
}
static inline void feature_set(struct features *f, unsigned bit) { f->present[bit / 64] |= 1ull << bit % 64; }
static inline void feature_clear(struct features *f, unsigned bit) { f->present[bit / 64] &= ~(1ull << bit % 64); }

/*
 * Decode one section into f, by the row of `bit` in the feature table. The reader handles
 * EVENT_DESC itself. On a malformed section return -1 and leave f unchanged.
 */
int feature_decode(struct features *f, unsigned bit, const uint8_t *p, size_t len, bool swap, struct err *e);
/*
 * Append the section's bytes in host order to the memory sink. Return false when this feature has
 * nothing to write.
 */
bool feature_encode(const struct features *f, unsigned bit, struct out *o);
const char *feature_name(unsigned bit); /* "HOSTNAME"; NULL if unknown */
/*
 * Return the number stored for a capability of the processor's PMU ("branches",
 * "branch_counter_width"); 0 if none. With several PMUs, the first one that has it counts.
 */
unsigned features_cap(const struct features *f, const char *name);

/* Write the text of `report --header-only`, from "# ========" to the closing "#". `full` = -I. */
void header_print(const struct perfdata *pd, bool full, struct out *o);

/* Write only the lines of features. */
void header_print_features(const struct perfdata *pd, bool full, struct out *o);
/* Write the name of an event, or of a group that events[0] leads: "anon group { cycles, instructions }". */
void header_print_event_names(const struct perfdata *pd, const uint32_t *events, size_t n, struct out *o);
/* Write the lines of one feature, as with -I. */
void header_print_feature(const struct perfdata *pd, unsigned bit, struct out *o);

/* Parts of the tracing_data blob (strobe.data(5), "tracing_data"), as views into it. */
struct tracing_format {
	const char *system; /* "ftrace": the tracers' own formats */
	const char *text;
	size_t len;
};
struct tracing_data {
	bool big_endian;
	uint8_t long_size;
	uint32_t page_size;
	const char *header_page;
	size_t header_page_len;
	const char *header_event;
	size_t header_event_len;
	struct tracing_format *formats; /* malloc'd */
	size_t n_formats;
	const char *kallsyms;
	size_t kallsyms_len;
	const char *printk;
	size_t printk_len;
	const char *cmdlines;
	size_t cmdlines_len;
	size_t size;       /* of all of it in the input */
	struct u64map ids; /* used by tracing_data_find */
};
/* Decode a blob, which must outlive `t`. Return -1 with e, and nothing to release, if it is malformed. */
int tracing_data_decode(struct tracing_data *t, const uint8_t *p, size_t len, struct err *e);
void tracing_data_release(struct tracing_data *t);
/* Find the format with this "ID:" (attr.config of the event). Return NULL if there is none. */
const struct tracing_format *tracing_data_find(const struct tracing_data *t, uint64_t id);
/*
 * Return the text behind `key` ("name: ") on the first line that begins with `key`; NULL if there
 * is none.
 */
const char *tracing_format_line(const struct tracing_format *f, const char *key, size_t *len);
/*
 * Write the names of the event's own fields (not common_*), separated by commas; foreign text.
 * Return how many.
 */
unsigned tracing_format_fields(const struct tracing_format *f, struct out *o);

#endif
