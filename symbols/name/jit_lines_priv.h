#ifndef SYMBOLS_NAME_JIT_LINES_PRIV_H
#define SYMBOLS_NAME_JIT_LINES_PRIV_H

#include "base/out.h"
#include "symbols/name/jitdump.h"

/*
 * The lines of a piece of code as DWARF sections, for an object in which the code lies at
 * `address`.
 */
struct jit_dwarf {
	struct out line, info, abbrev;
};
void jit_dwarf_init(struct jit_dwarf *d, const struct jitdump *j, const struct jitdump_code *code, uint64_t address);
void jit_dwarf_release(struct jit_dwarf *d);

#endif
