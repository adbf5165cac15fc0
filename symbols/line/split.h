#ifndef SYMBOLS_LINE_SPLIT_H
#define SYMBOLS_LINE_SPLIT_H

#include <elfutils/libdw.h>

#include "symbols/symbols.h"

/*
 * Units whose entries the compiler put into files of their own (-gsplit-dwarf): NAME.dwo beside the object files, or
 * all of them packed into OBJECT.dwp. What is left in the object is a skeleton that names the file.
 *
 * libdw would open whatever path a skeleton names. So it never sees the object's own skeletons but an object made up
 * here that holds copies of them, and these name a descriptor that we opened, as all files are opened, or filled from
 * the package. Source: DWARF 5, 3.1.3 and 7.3; https://gcc.gnu.org/wiki/DebugFission for version 4.
 */
struct dwarf_split;

/* `path` is the object's, as recorded; copied. */
struct dwarf_split *split_new(struct symbols *s, const char *path);
void split_free(struct dwarf_split *p);
/* Tell a skeleton of `main`, whose strings and section contents must outlive this. Returns its number, from 1; 0 if it
 * is no skeleton that we can follow. */
uint32_t split_add(struct dwarf_split *p, Dwarf *main, Dwarf_Die *skeleton);
/* The unit behind skeleton `number`; false when its file is not here. It lives until split_free. All must have been
 * told before. */
bool split_unit(struct dwarf_split *p, uint32_t number, Dwarf_Die *unit);

#endif
