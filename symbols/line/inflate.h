#ifndef SYMBOLS_LINE_INFLATE_H
#define SYMBOLS_LINE_INFLATE_H

#include "symbols/line/dwarf_priv.h"

/*
 * The debug information of an object whose sections are compressed, as an ELF object of its own in memory: without what
 * nothing here asks for, and with what only variables need left out until it is wanted. libelf would inflate every
 * section one after the other as soon as libdw opens the object.
 */
struct inflated;

/*
 * NULL when nothing in the object is compressed, or it is no ELF object. `object` must outlive the struct. Sections
 * that are damaged come out empty; those that would make it over 64 MB and sixteen times as long are left out.
 */
struct inflated *inflated_new(struct elf_bytes object);
/* The same with zeros everywhere but in .debug_aranges until inflated_info() is asked for the first `upto` bytes of
 * .debug_info; false when they cannot be had. */
struct inflated *inflated_new_lazy(struct elf_bytes object);
bool inflated_info(struct inflated *x, uint64_t upto);
struct elf_bytes inflated_bytes(const struct inflated *x);
/* Fill in locations and call frames (.debug_loclists, .debug_loc, .debug_frame), which read as zeros before. */
void inflated_add_locations(struct inflated *x);
void inflated_free(struct inflated *x);

#endif
