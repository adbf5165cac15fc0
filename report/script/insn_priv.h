#ifndef REPORT_SCRIPT_INSN_PRIV_H
#define REPORT_SCRIPT_INSN_PRIV_H

#include "base/file.h"
#include "report/script/print_priv.h"

enum { INSN_MAX = 16 }; /* bytes of one instruction */
/* An instruction, by its object and its address in the object. */
struct known_insn {
	uint32_t dso;
	uint64_t address;
	uint8_t size, kind, bytes[INSN_MAX];
	const char *text;
}; /* kind: enum insn_kind */
/* Return the instruction at an address, valid until the next call; size 0 if its code is not available. */
const struct known_insn *insn_at(struct print_job *j, const struct address *a);

/* Return the text of a source line without its newline, valid until the next call; NULL if the file is missing. */
const char *source_text(struct print_job *j, const struct source_line *line, size_t *len);

/*
 * Print the sampled instruction: " insn: 89 d0", " ilen: 2", its text. Print nothing (or " ilen: 0") if its code is not
 * available.
 */
print_fn print_insn, print_insnlen, print_disasm;
/* Print the sample's source line, unless it is that of the previous sample. */
print_fn print_srccode;
/* The same for another address, followed by a newline. */
void print_srccode_below(struct print_job *j, const struct address *a);

/* Free a worker's cache; may be NULL. */
void insn_cache_free(struct insn_cache *c);
void source_cache_free(struct source_cache *c);

#endif
