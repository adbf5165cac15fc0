#ifndef REPORT_PRINT_INSN_H
#define REPORT_PRINT_INSN_H

#include "base/file.h"
#include "report/print_priv.h"

/* The sampled instruction: " insn: 89 d0", " ilen: 2", its text. Nothing where its code is not here (ilen: 0). */
print_fn print_insn, print_insnlen, print_disasm;
/* The text of the sample's source line, if that is not the line of the sample before. */
print_fn print_srccode;

/* What a worker keeps for these; NULL is fine. */
void insn_cache_free(struct insn_cache *c);
void source_cache_free(struct source_cache *c);

#endif
