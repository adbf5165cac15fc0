#ifndef SYMBOLS_UNWIND_WALK_PRIV_H
#define SYMBOLS_UNWIND_WALK_PRIV_H

#include "symbols/file/image.h"
#include "symbols/symbols.h"
#include "symbols/unwind/cfi_priv.h"

/*
 * Walk a copied stack by CFI rows. The caller supplies the rows: from the objects of a session
 * (unwind_cfi.c), or from tables that a recorder keeps (tables.c).
 */

/* What is known about an address, as a cache entry. The caller defines `space` and `version`. */
struct place {
	uint64_t ip;
	uint32_t space, version;
	const struct cfi_row *row;
	uint8_t state;
};
enum {
	PLACE_EMPTY,
	PLACE_ROW,
	PLACE_NO_CFI,
	PLACE_START, /* as PLACE_NO_CFI, but here the program begins */
	PLACE_GENERATED,
	PLACE_DATA,
	PLACE_NO_MAP,
	PLACE_NO_FILE
};
/* The start code of a program is not longer. The longest is that of glibc's dynamic linker. */
enum { START_CODE = 64 };
enum { WALK_CODE = 8 };

struct walk {
	const struct unwind_args *args;
	const struct arch *arch;
	/* The place of an address; valid until the next call. */
	const struct place *(*place_of)(struct walk *k, uint64_t ip);
	/* Read the WALK_CODE bytes of code before an address; false: they are in no file. */
	bool (*code_before)(struct walk *k, uint64_t ip, uint8_t *code);
	uint64_t *sps; /* NULL, or room for the stack pointer of each entry */
	bool swap;     /* the stack's byte order is not ours */
	bool native;   /* words of eight bytes in our byte order, below the end of memory */
	uint64_t regs[ARCH_MAX_REGS];
	uint64_t known; /* a bit per register that has a value */
	uint64_t sp;    /* where the copy begins */
	bool beyond;    /* a load went behind the end of the copy, where the stack continues */
	bool missed;    /* a load went there, even if no stack is known to be there */
};

/* Load a word of the copied stack. Return false if it is not there; this may set `beyond`. */
bool walk_load_word(const struct walk *k, uint64_t addr, uint64_t *value);
static inline bool walk_has(const struct walk *k, unsigned reg) { return k->known >> reg & 1; }
void walk_set(struct walk *k, unsigned reg, uint64_t value); /* the register has a value from now on */

/*
 * Step out of code without unwind information, on machines whose calls push the return address.
 * Take the first word of the stack that lies behind a call which can have led here. If no such word
 * lies below the frame pointer's frame, the frame pointer is sure. If the walk ends badly from
 * there, take the next such word.
 */
enum guess { GUESS_NONE, GUESS_CALLER, GUESS_SURE };
struct walk_retry {
	unsigned tries; /* tries that are left */
	uint64_t next;  /* where to continue the search */
	uint64_t known, regs[ARCH_MAX_REGS];
};
enum guess walk_guess(struct walk *k, struct walk_retry *again);
bool walk_guess_again(struct walk *k, struct walk_retry *again);

/* Return whether this address of an object is in the start code of a program. */
static inline bool walk_is_start(const struct image *im, uint64_t addr)
{
	return im->entry && addr >= im->entry && addr - im->entry < START_CODE;
}
/*
 * Copy the WALK_CODE bytes of an object that end at this file offset; false if they are not there.
 */
static inline bool walk_copy_code(const struct image *im, uint64_t end, uint8_t *code)
{
	if (end < WALK_CODE || end > im->len)
		return false;
	memcpy(code, im->data + end - WALK_CODE, WALK_CODE);
	return true;
}

/* Take the registers of `args`. Return false if the instruction or stack pointer is not among them. */
bool walk_start(struct walk *k);
/*
 * Walk from the sampled registers outward, as unwind_user tells.
 */
size_t walk_stack(struct walk *k, uint64_t *ips, size_t max, struct unwind_stop *stop);

#endif
