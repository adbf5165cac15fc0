#ifndef SYMBOLS_LINE_PACKAGE_PRIV_H
#define SYMBOLS_LINE_PACKAGE_PRIV_H

#include "symbols/name/symbols_priv.h"

/*
 * Extract the unit with this id from a package of split DWARF (OBJECT.dwp). Return a memory
 * file that holds it as a split file of its own, -1 if the package does not have it. Compressed
 * sections in the package are not read. Source: DWARF 5, 7.3.5.
 */
int package_unit(const struct image *package, uint64_t id);

#endif
