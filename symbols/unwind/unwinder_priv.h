#ifndef SYMBOLS_UNWIND_UNWINDER_PRIV_H
#define SYMBOLS_UNWIND_UNWINDER_PRIV_H

#include "symbols/name/symbols_priv.h"
#include "symbols/arch/arch.h"

enum { UNWIND_WORKERS = 72 };

/* One walk: whose stack, by which worker. */
struct unwinding {
	struct symbols *s;
	const struct unwind_args *args;
	const struct arch *arch; /* of the sample's ABI */
	uint32_t version;        /* of the space at that time */
	void **state;            /* of this worker and unwinder; NULL until the unwinder makes one */
	uint64_t regs[ARCH_MAX_REGS];
};

/*
 * A way to walk stacks. To add one, write unwind_NAME.c with its struct, declare that here, and add a row in
 * unwinders.c.
 */
struct unwinder {
	const char *name;
	/*
	 * Return whether it can walk stacks of this architecture; -1 with e: why not, and what to
	 * do.
	 */
	int (*supports)(const struct arch *a, struct err *e);
	/* As unwind_user. */
	size_t (*walk)(struct unwinding *u, uint64_t *ips, size_t max, struct unwind_stop *stop);
	void (*free)(void *state);
};
extern const struct unwinder unwinder_cfi, unwinder_libunwind, unwinder_libdw;

/*
 * Return the CFI of an object, opened at the first call; NULL: it has none, or is of another
 * architecture.
 */
struct cfi *unwind_cfi(struct symbols *s, struct dso *d, const struct arch *a);
/* Read a word of the process: from the copy of its stack, else from a mapped file. */
bool unwinding_word(const struct unwinding *u, uint64_t addr, uint64_t *value);
const struct arch *unwind_arch(struct symbols *s);

#endif
