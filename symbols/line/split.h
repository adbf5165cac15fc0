#ifndef SYMBOLS_LINE_SPLIT_H
#define SYMBOLS_LINE_SPLIT_H

#include <elfutils/libdw.h>

#include "symbols/symbols.h"

/*
 * Find units that the compiler put into separate files (-gsplit-dwarf): NAME.dwo beside the
 * object files, or all of them packed into OBJECT.dwp. The object keeps only a skeleton that
 * names the file.
 *
 * libdw would open whatever path a skeleton names. So it never sees the object's own skeletons.
 * We build a new object with copies of them, which name a descriptor that we opened under our
 * own rules, or filled from the package. Source: DWARF 5, 3.1.3 and 7.3;
 * https://gcc.gnu.org/wiki/DebugFission for version 4.
 */
struct dwarf_split;

/* Create it. `path` is the object's, as recorded; it is copied. */
struct dwarf_split *split_new(struct symbols *s, const char *path);
void split_free(struct dwarf_split *p);
/*
 * Add a skeleton of `main`, whose strings and section contents must outlive this struct. Return
 * its number, from 1; 0 if it is no skeleton that we can follow.
 */
uint32_t split_add(struct dwarf_split *p, Dwarf *main, Dwarf_Die *skeleton);
/*
 * Open the unit behind skeleton `number`. Return false when its file is missing. The unit lives
 * until split_free(). Add all skeletons before the first call.
 */
bool split_unit(struct dwarf_split *p, uint32_t number, Dwarf_Die *unit);

#endif
