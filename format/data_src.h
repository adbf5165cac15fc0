#ifndef FORMAT_DATA_SRC_H
#define FORMAT_DATA_SRC_H

#include <stdint.h>

/*
 * Parts of PERF_SAMPLE_DATA_SRC: what a sampled access was, and what answered it.
 * Source: perf_event_open(2), PERF_SAMPLE_DATA_SRC; linux/perf_event.h, union perf_mem_data_src and PERF_MEM_*.
 */
#define DATA_SRC_BITS(shift, n) ((shift) | (n) << 8)
enum data_src_part {
	DATA_SRC_OP = DATA_SRC_BITS(0, 5),      /* bits of enum data_op */
	DATA_SRC_LEVEL = DATA_SRC_BITS(5, 14),  /* bits of enum data_level */
	DATA_SRC_SNOOP = DATA_SRC_BITS(19, 5),  /* bits of enum data_snoop */
	DATA_SRC_LOCK = DATA_SRC_BITS(24, 2),   /* bits of enum data_lock */
	DATA_SRC_TLB = DATA_SRC_BITS(26, 7),    /* bits of enum data_tlb */
	DATA_SRC_NUMBER = DATA_SRC_BITS(33, 4), /* one of enum data_number */
	DATA_SRC_REMOTE = DATA_SRC_BITS(37, 1), /* 1: not in this node */
	DATA_SRC_SNOOPX = DATA_SRC_BITS(38, 2), /* bits of enum data_snoopx */
	DATA_SRC_BLOCK = DATA_SRC_BITS(40, 3),  /* bits of enum data_block */
	DATA_SRC_HOPS = DATA_SRC_BITS(43, 3)
};
enum data_op { DATA_OP_NA = 1, DATA_OP_LOAD = 2, DATA_OP_STORE = 4 };
enum data_level {
	DATA_LEVEL_NA = 1,
	DATA_LEVEL_HIT = 2,
	DATA_LEVEL_MISS = 4,
	DATA_LEVEL_L1 = 8,
	DATA_LEVEL_FILL_BUFFER = 16,
	DATA_LEVEL_L2 = 32,
	DATA_LEVEL_L3 = 64,
	DATA_LEVEL_RAM = 128,
	DATA_LEVEL_FAR_RAM = 256 | 512,     /* one hop, two hops */
	DATA_LEVEL_FAR_CACHE = 1024 | 2048, /* one hop, two hops */
	DATA_LEVEL_IO = 4096,
	DATA_LEVEL_UNCACHED = 8192
};
enum data_snoop {
	DATA_SNOOP_NA = 1,
	DATA_SNOOP_NONE = 2,
	DATA_SNOOP_HIT = 4,
	DATA_SNOOP_MISS = 8,
	DATA_SNOOP_MODIFIED = 16
};
enum data_lock { DATA_LOCK_NA = 1, DATA_LOCKED = 2 };
enum data_tlb { DATA_TLB_HIT = 2, DATA_TLB_MISS = 4, DATA_TLB_WALKER = 32 };
enum data_number {
	DATA_NUMBER_L1 = 1,
	DATA_NUMBER_L2 = 2,
	DATA_NUMBER_L3 = 3,
	DATA_NUMBER_L4 = 4,
	DATA_NUMBER_L2_MHB = 5,
	DATA_NUMBER_MSC = 6,
	DATA_NUMBER_UNCACHED = 8,
	DATA_NUMBER_CXL = 9,
	DATA_NUMBER_IO = 10,
	DATA_NUMBER_ANY_CACHE = 11,
	DATA_NUMBER_FILL_BUFFER = 12,
	DATA_NUMBER_RAM = 13,
	DATA_NUMBER_PMEM = 14,
	DATA_NUMBER_NA = 15
};
enum data_snoopx { DATA_SNOOPX_FORWARD = 1, DATA_SNOOPX_PEER = 2 };
enum data_block { DATA_BLOCK_NA = 1, DATA_BLOCKED_BY_DATA = 2, DATA_BLOCKED_BY_ADDRESS = 4 };

/* A value of a part, in its place. */
#define DATA_SRC(part, value) ((uint64_t)(value) << ((part)&0xff))

static inline uint64_t data_src_mask(enum data_src_part part) { return DATA_SRC(part, (1u << (part >> 8)) - 1); }
static inline unsigned data_src_get(uint64_t data_src, enum data_src_part part)
{
	return (unsigned)((data_src & data_src_mask(part)) >> (part & 0xff));
}

#endif
