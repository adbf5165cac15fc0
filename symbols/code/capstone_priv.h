#ifndef SYMBOLS_CODE_CAPSTONE_PRIV_H
#define SYMBOLS_CODE_CAPSTONE_PRIV_H

#include <capstone/capstone.h>

#include "base/library.h"

/*
 * The functions of capstone; usable after capstone_ready() returned 0. To use another one, add
 * it here.
 */
#define CAPSTONE_FUNCTIONS(F) \
	F(cs_open) F(cs_close) F(cs_option) F(cs_malloc) F(cs_free) F(cs_disasm_iter) F(cs_insn_name) F(cs_regs_access)

struct capstone {
	CAPSTONE_FUNCTIONS(LIBRARY_MEMBER)
};
const struct capstone *capstone(void);

int capstone_ready(struct err *e);

#endif
