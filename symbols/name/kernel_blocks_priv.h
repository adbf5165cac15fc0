#ifndef SYMBOLS_NAME_KERNEL_BLOCKS_PRIV_H
#define SYMBOLS_NAME_KERNEL_BLOCKS_PRIV_H

#include "symbols/name/kernel_list_priv.h"

/*
 * The symbols of the kernel, read block by block when first needed: the list is long, and most commands need little of
 * it. The number of a symbol depends on its place in the list only, not on the order of lookups.
 */
struct kernel_blocks;

/*
 * Index the list for the kernel's object. `delta`: recorded address = listed address + delta. Return NULL if
 * kernel_list_index() refuses the list, or if moving the addresses changes their order: then read it whole. The
 * kernel's lock must be held. Any thread may call the functions below.
 */
struct kernel_blocks *kernel_blocks_new(struct kernel_list *k, struct dso *kernel, uint64_t delta);
void kernel_blocks_free(struct kernel_blocks *b);

/* Return the number of the symbol that covers a recorded address, 0 = none. Takes the kernel's lock to read a block. */
uint32_t kernel_blocks_find(struct kernel_blocks *b, uint64_t address);
/* Return the number of the first symbol that begins behind the address, 0 = none. */
uint32_t kernel_blocks_find_after(struct kernel_blocks *b, uint64_t address);
/* Compute where the first symbol begins and the last one ends. */
void kernel_blocks_span(struct kernel_blocks *b, uint64_t *start, uint64_t *end);
/* Return a symbol that one of these functions found. */
const struct symbol *kernel_blocks_symbol(const struct kernel_blocks *b, uint32_t number);
/* Return where to keep its name once it is known. */
_Atomic(const char *) *kernel_blocks_name(const struct kernel_blocks *b, uint32_t number);

#endif
