#ifndef SYMBOLS_LINE_INFLATE_H
#define SYMBOLS_LINE_INFLATE_H

#include "symbols/line/dwarf_priv.h"

/*
 * The debug information of an object with compressed sections, as a separate ELF object in memory. It leaves out
 * sections that we never read, and inflates those that only variables need on request. libelf would inflate every
 * section, one after the other, as soon as libdw opens the object.
 */
struct inflated;

/*
 * Inflate an object. Return NULL when nothing in it is compressed, or it is no ELF object.
 * `object` must outlive the struct. Damaged sections become zeros. Sections beyond the growth
 * limit (64 MB plus sixteen times the object) are left out.
 */
struct inflated *inflated_new(struct elf_bytes object);
/*
 * The same, but inflate only .debug_aranges at first. inflated_info() inflates the rest, and at
 * least the first `upto` bytes of .debug_info; it returns false when .debug_info is shorter.
 */
struct inflated *inflated_new_lazy(struct elf_bytes object);
bool inflated_info(struct inflated *x, uint64_t upto);
struct elf_bytes inflated_bytes(const struct inflated *x);
/*
 * Inflate locations and call frames (.debug_loclists, .debug_loc, .debug_frame). They read as
 * zeros before.
 */
void inflated_add_locations(struct inflated *x);
void inflated_free(struct inflated *x);

#endif
