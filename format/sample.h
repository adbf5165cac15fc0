#ifndef FORMAT_SAMPLE_H
#define FORMAT_SAMPLE_H

#include "base/err.h"
#include "base/mem.h"

/* Bits of attr.sample_type. Source: linux/perf_event.h, enum perf_event_sample_format. */
#define SAMPLE_IP             (1ull << 0)
#define SAMPLE_TID            (1ull << 1)
#define SAMPLE_TIME           (1ull << 2)
#define SAMPLE_ADDR           (1ull << 3)
#define SAMPLE_READ           (1ull << 4)
#define SAMPLE_CALLCHAIN      (1ull << 5)
#define SAMPLE_ID             (1ull << 6)
#define SAMPLE_CPU            (1ull << 7)
#define SAMPLE_PERIOD         (1ull << 8)
#define SAMPLE_STREAM_ID      (1ull << 9)
#define SAMPLE_RAW            (1ull << 10)
#define SAMPLE_BRANCH_STACK   (1ull << 11)
#define SAMPLE_REGS_USER      (1ull << 12)
#define SAMPLE_STACK_USER     (1ull << 13)
#define SAMPLE_WEIGHT         (1ull << 14)
#define SAMPLE_DATA_SRC       (1ull << 15)
#define SAMPLE_IDENTIFIER     (1ull << 16)
#define SAMPLE_TRANSACTION    (1ull << 17)
#define SAMPLE_REGS_INTR      (1ull << 18)
#define SAMPLE_PHYS_ADDR      (1ull << 19)
#define SAMPLE_AUX            (1ull << 20)
#define SAMPLE_CGROUP         (1ull << 21)
#define SAMPLE_DATA_PAGE_SIZE (1ull << 22)
#define SAMPLE_CODE_PAGE_SIZE (1ull << 23)
#define SAMPLE_WEIGHT_STRUCT  (1ull << 24)
/* The bits whose fields have a fixed offset, which struct layout stores. */
#define SAMPLE_FIXED \
	(SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR | SAMPLE_ID | SAMPLE_STREAM_ID | \
	 SAMPLE_CPU | SAMPLE_PERIOD)

/* Bits of attr.read_format. */
#define READ_TIME_ENABLED (1ull << 0)
#define READ_TIME_RUNNING (1ull << 1)
#define READ_ID           (1ull << 2)
#define READ_GROUP        (1ull << 3)
#define READ_LOST         (1ull << 4)

/* Bits of attr.branch_sample_type that a reader needs. */
#define BRANCH_ANY        (1ull << 3)
#define BRANCH_CALL_STACK (1ull << 11)
#define BRANCH_HW_INDEX   (1ull << 17)
#define BRANCH_COUNTERS   (1ull << 19)

/*
 * Callchain entries from this value on are context markers. Source: linux/perf_event.h, enum
 * perf_callchain_context.
 */
#define CHAIN_MARKER_MIN    ((uint64_t)-4095)
#define CHAIN_HV            ((uint64_t)-32)
#define CHAIN_KERNEL        ((uint64_t)-128)
#define CHAIN_USER          ((uint64_t)-512)
#define CHAIN_USER_DEFERRED ((uint64_t)-640)
#define CHAIN_GUEST         ((uint64_t)-2048)
#define CHAIN_GUEST_KERNEL  ((uint64_t)-2176)
#define CHAIN_GUEST_USER    ((uint64_t)-2560)

/*
 * Offsets of the fixed-offset fields, in bytes from the start of the body; -1 = absent. Computed
 * once per attr.
 */
struct layout {
	int16_t identifier, ip, tid, time, addr, id, stream_id, cpu, period;
	int16_t any_id;        /* identifier or id */
	uint16_t fixed_size;   /* bytes of all fixed-offset fields: the shortest body */
	uint16_t trailer_size; /* sample_id_all trailer of other records; 0 = none */
	/* Offsets in the trailer, in bytes back from the record's end; -1 = absent. */
	int16_t trailer_tid, trailer_time, trailer_id, trailer_stream_id, trailer_cpu;
};

struct sample_regs {
	uint64_t abi; /* 0 none, 1 32 bit, 2 64 bit */
	uint64_t mask;
	const uint8_t *values; /* one u64 per bit of mask, lowest bit first; NULL if none */
};

/*
 * One sample: decoded numbers, and arrays as views on the record (host order, maybe unaligned: use
 * load_u64). `type` says which fields are present. Absent fields have perf's defaults: ip 0, pid
 * and tid -1, time ~0, cpu -1, period = attr's sample_period, the rest 0. Source:
 * perf_event_open(2), PERF_RECORD_SAMPLE.
 */
struct sample {
	uint64_t type;  /* SAMPLE_* bits of its attr */
	uint32_t event; /* index into perfdata.events */
	uint16_t misc;
	uint32_t pid, tid, cpu;
	uint64_t ip, time, addr, id, stream_id, period;
	struct {
		uint64_t format; /* READ_* bits of its attr */
		uint64_t enabled, running;
		uint64_t n;            /* number of values: 1 unless READ_GROUP */
		const uint8_t *values; /* n x { value, [id], [lost] } */
		size_t stride;         /* bytes per value */
	} read;
	uint64_t n_chain;
	const uint8_t *chain; /* u64 each, markers included */
	uint32_t raw_size;
	const uint8_t *raw;
	struct {
		uint64_t n, hw_idx;      /* hw_idx ~0 when not recorded */
		const uint8_t *entries;  /* n x { from, to, flags }: format/branch.h; the flags in host order, too */
		const uint8_t *counters; /* n x u64, NULL if none */
	} branch;
	struct sample_regs regs_user, regs_intr;
	struct {
		uint64_t size, dyn_size;
		const uint8_t *data;
	} stack_user;                 /* dyn_size <= size: the valid bytes */
	uint64_t weight;              /* WEIGHT: all bits; WEIGHT_STRUCT: the low 32 bits */
	uint16_t ins_lat, retire_lat; /* WEIGHT_STRUCT: var2, var3 */
	uint64_t data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	uint64_t aux_size;
	const uint8_t *aux;
};

struct attr;
struct perfdata;
struct record;

void layout_init(struct layout *l, const struct attr *a);
/*
 * Decode a SAMPLE record of event `event` (from perfdata_event_of). Return -1 with e when a field
 * runs past the record's end; the caller counts the sample and drops it.
 */
int sample_decode(const struct perfdata *pd, const struct record *r, uint32_t event, struct sample *s, struct err *e);
/* The same, into a sample that is zeroed or holds an earlier one, which saves clearing most of it. */
int sample_decode_next(const struct perfdata *pd, const struct record *r, uint32_t event, struct sample *s,
		       struct err *e);
/*
 * Encode the sample of record `r` again, in host order, as the body of a SAMPLE record with the
 * fields of `type`. The fixed-offset fields are those of `r`, with ip and addr from `s`; all other
 * fields come from `s`. Return the size, a multiple of 8; 0 if it exceeds `room`.
 */
size_t sample_encode(const struct perfdata *pd, const struct record *r, const struct sample *s, uint64_t type,
		     uint8_t *body, size_t room);
/* Get one value of a group or single read: i < read.n. id and lost are 0 when not recorded. */
void sample_read_value(const struct sample *s, uint64_t i, uint64_t *value, uint64_t *id, uint64_t *lost);
#endif
