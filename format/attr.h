#ifndef FORMAT_ATTR_H
#define FORMAT_ATTR_H

#include "base/err.h"
#include "base/out.h"

/*
 * perf_event_attr as stored in files: in host byte order and zero-extended to the longest size we
 * know (144 bytes). We define it ourselves because the system's header may be older than the files
 * that we read; layout and numbers are the kernel's. `flags` holds the bit-field word with bit 0 =
 * disabled on every host (flags of big-endian files are converted). Source: perf_event_open(2);
 * linux/perf_event.h, struct perf_event_attr.
 */
struct attr {
	uint32_t type, size;
	uint64_t config;
	uint64_t sample_period; /* or sample_freq when ATTR_FREQ is set */
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t flags;         /* ATTR_* */
	uint32_t wakeup_events; /* or wakeup_watermark */
	uint32_t bp_type;
	uint64_t config1; /* or bp_addr */
	uint64_t config2; /* or bp_len */
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint32_t sample_stack_user; /* bytes */
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack, reserved_2;
	uint32_t aux_sample_size;
	uint32_t aux_action;
	uint64_t sig_data;
	uint64_t config3, config4;
};
enum { ATTR_SIZE_MIN = 64, ATTR_SIZE_MAX = sizeof(struct attr) };

#define ATTR_DISABLED                 (1ull << 0)
#define ATTR_INHERIT                  (1ull << 1)
#define ATTR_PINNED                   (1ull << 2)
#define ATTR_EXCLUDE_USER             (1ull << 4)
#define ATTR_EXCLUDE_KERNEL           (1ull << 5)
#define ATTR_EXCLUDE_HV               (1ull << 6)
#define ATTR_EXCLUDE_IDLE             (1ull << 7)
#define ATTR_MMAP                     (1ull << 8)
#define ATTR_COMM                     (1ull << 9)
#define ATTR_FREQ                     (1ull << 10)
#define ATTR_INHERIT_STAT             (1ull << 11)
#define ATTR_TASK                     (1ull << 13)
#define ATTR_PRECISE_SHIFT            15 /* two bits */
#define ATTR_MMAP_DATA                (1ull << 17)
#define ATTR_SAMPLE_ID_ALL            (1ull << 18)
#define ATTR_EXCLUDE_HOST             (1ull << 19)
#define ATTR_EXCLUDE_GUEST            (1ull << 20)
#define ATTR_EXCLUDE_CALLCHAIN_KERNEL (1ull << 21)
#define ATTR_EXCLUDE_CALLCHAIN_USER   (1ull << 22)
#define ATTR_MMAP2                    (1ull << 23)
#define ATTR_USE_CLOCKID              (1ull << 25)
#define ATTR_CONTEXT_SWITCH           (1ull << 26)
#define ATTR_WRITE_BACKWARD           (1ull << 27)
#define ATTR_NAMESPACES               (1ull << 28)
#define ATTR_KSYMBOL                  (1ull << 29)
#define ATTR_CGROUP                   (1ull << 32)
#define ATTR_BUILD_ID                 (1ull << 34)

/* Values of attr.type. Dynamic PMUs have larger ones. */
enum {
	ATTR_TYPE_HARDWARE,
	ATTR_TYPE_SOFTWARE,
	ATTR_TYPE_TRACEPOINT,
	ATTR_TYPE_HW_CACHE,
	ATTR_TYPE_RAW,
	ATTR_TYPE_BREAKPOINT
};

/*
 * Decode one attr from at most `avail` bytes at `p`. The attr's own size field says how long it is;
 * 0 means 64. An attr longer than ours is accepted; *unknown_tail is set to whether bytes behind
 * the 144th are not zero. Return -1 when `avail` is too small.
 */
int attr_decode(struct attr *a, const uint8_t *p, size_t avail, bool swap, bool *unknown_tail, struct err *e);
/* Convert what was given to perf_event_open(2) on this machine. config3 and config4 are 0. */
struct perf_event_attr;
void attr_of_kernel(struct attr *a, const struct perf_event_attr *from);
/*
 * Return the smallest size that a kernel has used (64, 72, 80, 96, 104, 112, 120, 128, 136, 144)
 * and that holds all non-zero fields.
 */
uint32_t attr_needed_size(const struct attr *a);
/* Encode in host byte order as `size` bytes (>= attr_needed_size), including the size field. */
void attr_encode(const struct attr *a, uint32_t size, uint8_t *p);

/*
 * Write the name of an event that has no stored name, as perf 7.2 derives it: "cycles",
 * "cpu-clock:u", "L1-dcache-load-misses", "raw 0x1a8", "unknown tracepoint id=0x16b".
 */
void attr_name(const struct attr *a, struct out *o);
/*
 * Write the non-zero fields (type and config always) in struct order, as `evlist -v` prints them:
 * "type: 1 (PERF_TYPE_SOFTWARE), size: 136, config: 0 (PERF_COUNT_SW_CPU_CLOCK), ...". A number
 * gets a name only if the name is the same on every machine. `tracepoint`: the name of the event's
 * tracepoint, NULL if unknown.
 */
void attr_print(const struct attr *a, const char *tracepoint, struct out *o);
/*
 * Write the same fields in the header's form: ", type = 1 (PERF_TYPE_SOFTWARE), size = 136, ...".
 */
void attr_print_header(const struct attr *a, const char *tracepoint, struct out *o);
/* Write the same fields below a title, in columns, one per line, as `record -vv` prints them. */
void attr_print_lines(const struct attr *a, const char *tracepoint, struct out *o);

/*
 * Return true if the event counts nothing and only carries sideband. Source: linux/perf_event.h,
 * PERF_COUNT_SW_DUMMY.
 */
static inline bool attr_is_dummy(const struct attr *a)
{
	enum { SW_DUMMY = 9 };

	return a->type == ATTR_TYPE_SOFTWARE && a->config == SW_DUMMY;
}

/* Return true if the event is the output of a BPF program. Source: linux/perf_event.h, PERF_COUNT_SW_BPF_OUTPUT. */
static inline bool attr_is_bpf_output(const struct attr *a)
{
	enum { SW_BPF_OUTPUT = 10 };

	return a->type == ATTR_TYPE_SOFTWARE && a->config == SW_BPF_OUTPUT;
}

#endif
