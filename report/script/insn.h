#ifndef REPORT_SCRIPT_INSN_H
#define REPORT_SCRIPT_INSN_H

#include "base/file.h"
#include "report/script/print_priv.h"

enum { INSN_MAX = 16 }; /* bytes of one */
/* An instruction by its object and address there. */
struct known_insn {
	uint32_t dso;
	uint64_t address;
	uint8_t size, kind, bytes[INSN_MAX];
	const char *text;
}; /* kind: enum insn_kind */
/* What lies at an address that was found in an object; size 0 when its code is not here. Lives until the next call. */
const struct known_insn *insn_at(struct print_job *j, const struct address *a);

/* What stands in a source line, without its end; NULL when the file is not here. Lives until the next call. */
const char *source_text(struct print_job *j, const struct source_line *line, size_t *len);

/* The sampled instruction: " insn: 89 d0", " ilen: 2", its text. Nothing where its code is not here (ilen: 0). */
print_fn print_insn, print_insnlen, print_disasm;
/* The text of the sample's source line, if that is not the line of the sample before. */
print_fn print_srccode;
/* The same of another address, with the line's end behind it. */
void print_srccode_below(struct print_job *j, const struct address *a);

/* What a worker keeps for these; NULL is fine. */
void insn_cache_free(struct insn_cache *c);
void source_cache_free(struct source_cache *c);

#endif
