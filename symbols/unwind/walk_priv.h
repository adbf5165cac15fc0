#ifndef SYMBOLS_UNWIND_WALK_PRIV_H
#define SYMBOLS_UNWIND_WALK_PRIV_H

#include "symbols/symbols.h"
#include "symbols/unwind/cfi_priv.h"

/*
 * Walk a copied stack by CFI rows. Where the rows come from is the caller's business: from the objects of a session
 * (unwind_cfi.c), or from tables that a recorder keeps (tables.c).
 */

/* What lies at an address, as a cache entry: `space` and `version` are the caller's. */
struct place {
	uint64_t ip;
	uint32_t space, version;
	const struct cfi_row *row;
	uint8_t state;
};
enum { PLACE_EMPTY, PLACE_ROW, PLACE_NO_CFI, PLACE_GENERATED, PLACE_DATA, PLACE_NO_MAP, PLACE_NO_FILE };

struct walk {
	const struct unwind_args *args;
	const struct arch *arch;
	/* The place of an address; valid until the next call. */
	const struct place *(*place_of)(struct walk *k, uint64_t ip);
	uint64_t *sps; /* NULL, or room for the stack pointer of each entry */
	bool swap;     /* the stack's byte order is not ours */
	uint64_t regs[ARCH_MAX_REGS];
	uint64_t known; /* a bit per register that has a value */
	uint64_t sp;    /* where the copy begins */
	bool beyond;    /* a load missed behind the end of the copy */
};

/* Take the registers of `args`. Return false if the instruction or stack pointer is not among them. */
bool walk_start(struct walk *k);
/*
 * Walk from the sampled registers outward, as unwind_user tells.
 */
size_t walk_stack(struct walk *k, uint64_t *ips, size_t max, struct unwind_stop *stop);

#endif
