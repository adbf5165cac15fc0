#ifndef FORMAT_SPE_H
#define FORMAT_SPE_H

#include "base/bytes.h"

/*
 * The trace of Arm's Statistical Profiling Extension: packets of 1 to 10 bytes, little-endian. A sequence of packets
 * up to a timestamp or an end packet describes one sampled operation. Source: Arm Architecture Reference Manual for
 * A-profile, "Statistical Profiling Extension Sample Record Specification".
 */
enum spe_event {
	SPE_EXCEPTION,
	SPE_RETIRED,
	SPE_L1D_ACCESS,
	SPE_L1D_MISS,
	SPE_TLB_ACCESS,
	SPE_TLB_WALK,
	SPE_NOT_TAKEN,
	SPE_MISPREDICTED,
	SPE_LLC_ACCESS,
	SPE_LLC_MISS,
	SPE_REMOTE,
};
enum spe_class { SPE_OTHER, SPE_MEMORY, SPE_BRANCH };
enum { SPE_STORE = 1 }; /* bit of spe_record.op of class SPE_MEMORY */
/* Bits of spe_record.op of class SPE_BRANCH. SPE_CALL is a value of the bits SPE_CALLS, as are the others. */
enum {
	SPE_CONDITIONAL = 1,
	SPE_INDIRECT = 2,
	SPE_CALLS = 3 << 3,
	SPE_CALL = 1 << 3,
	SPE_RETURN = 2 << 3,
	SPE_JUMP = 3 << 3
};

/* What a record may have: bits of spe_record.has. */
enum spe_has {
	SPE_HAS_PC = 1 << 0,
	SPE_HAS_TARGET = 1 << 1,
	SPE_HAS_ADDRESS = 1 << 2,
	SPE_HAS_PHYSICAL = 1 << 3,
	SPE_HAS_CLASS = 1 << 4,
	SPE_HAS_SOURCE = 1 << 5,
	SPE_HAS_CONTEXT = 1 << 6,
	SPE_HAS_TIME = 1 << 7,
	SPE_HAS_PREVIOUS = 1 << 8,
};

/* One sampled operation. Addresses are canonical: without tag, and the kernel's begin with 0xff. */
struct spe_record {
	unsigned has;
	enum spe_class class;
	uint8_t op;      /* payload of the operation type packet */
	uint64_t events; /* bits 1 << SPE_... */
	uint64_t pc, target, address, physical;
	uint64_t previous; /* target of the last branch that was taken before */
	uint64_t source;   /* what answered a load; its meaning depends on the core */
	uint32_t context;  /* of the process: CONTEXTIDR, where Linux keeps the thread id */
	uint32_t latency;  /* cycles from issue to completion */
	uint64_t time;     /* of the generic timer */
};

/* A place in a trace. Set at, end; `bad` counts bytes that begin no packet and were skipped. */
struct spe_cursor {
	const uint8_t *at, *end;
	uint64_t bad;
};
/* Fill in the next record; false at the end. A record that the trace cuts off is dropped. */
bool spe_next(struct spe_cursor *c, struct spe_record *r);

#endif
