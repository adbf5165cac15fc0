#ifndef SYMBOLS_UNWIND_CFI_OBJECT_PRIV_H
#define SYMBOLS_UNWIND_CFI_OBJECT_PRIV_H

#include "symbols/unwind/cfi_priv.h"

/* What cfi_object.c finds in an object, and cfi.c reads. */
struct fde {
	uint64_t start;
	uint32_t off;
};

/*
 * One section of CFI and its functions, sorted by address. If the linker sorted them in
 * .eh_frame_hdr, search its table in place: for a large program, a list of our own takes time and
 * memory.
 */
struct cfi_section {
	const uint8_t *data;
	size_t len;
	uint64_t addr; /* load address (.eh_frame) */
	bool is_eh;
	const uint8_t *sorted; /* pairs of 32 bits: start of a function and place of its entry, relative to hdr.addr */
	size_t n;
	VEC(struct fde) fdes; /* without `sorted` */
};

struct segment {
	uint64_t off, size, addr;
};

struct cfi {
	const struct arch *arch;
	bool swap;
	uint8_t word;
	VEC(struct segment) segments;
	struct {
		const uint8_t *data; /* NULL: none */
		size_t len;
		uint64_t addr;
	} hdr;                        /* .eh_frame_hdr */
	struct cfi_section tables[2]; /* .eh_frame first: it always belongs to the file that ran */
	unsigned n_tables;
	void *inflated;
};

/* ---- cfi.c ---- */

/* List the functions of a section, sorted by address. */
void cfi_index(const struct cfi *c, struct cfi_section *t);
/* Read a pointer of this encoding (DW_EH_PE_*), which may count from its own place in the section. */
uint64_t cfi_pointer(const struct cfi *c, const struct cfi_section *t, struct bytes *b, uint8_t enc, uint8_t word);

#endif
