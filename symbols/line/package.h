#ifndef SYMBOLS_LINE_PACKAGE_H
#define SYMBOLS_LINE_PACKAGE_H

#include "symbols/name/symbols_priv.h"

/*
 * One unit of a package of split DWARF (OBJECT.dwp), found by its id, as a split file of its own in a descriptor of
 * memory; -1 if it is not there. Sections deflated in the package are not read. Source: DWARF 5, 7.3.5.
 */
int package_unit(const struct image *package, uint64_t id);

#endif
