#ifndef SYMBOLS_UNWIND_JIT_H
#define SYMBOLS_UNWIND_JIT_H

#include "symbols/unwind/cfi_priv.h"

/*
 * The unwind information that a JIT writes into its jitdump, read while the JIT writes. Only unwind_jit_row may be
 * called by several threads at once, and unwind_jit_find beside it.
 */
struct unwind_jit;

/* Takes over the descriptor. timed: samples have the clock of jitdumps. NULL: no regular file. */
struct unwind_jit *unwind_jit_open(int fd, bool timed);
void unwind_jit_free(struct unwind_jit *j);
/* Read what was written since. */
void unwind_jit_read(struct unwind_jit *j);
/*
 * Return the number of the piece of code that was at an address at this time; 0: none. Also return 0 if there are no
 * times and several pieces share the address, or if thousands of newer pieces lie on its page.
 */
uint32_t unwind_jit_find(const struct unwind_jit *j, uint64_t addr, uint64_t time_ns);
/* The row of an address in a piece; NULL if the JIT gave none. It lives as long as `j`. */
const struct cfi_row *unwind_jit_row(struct unwind_jit *j, uint32_t piece, uint64_t addr, const struct arch *a);

#endif
