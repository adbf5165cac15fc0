#ifndef SYMBOLS_LINE_NEAR_H
#define SYMBOLS_LINE_NEAR_H

#include "symbols/line/object.h"

/*
 * One unit of an object, found without reading the others. A question about one function then
 * inflates and reads no more than this unit. Source: DWARF 5, 6.1.2 (address ranges), 7.5
 * (units, abbreviations).
 */
struct near_unit {
	uint64_t header, offset, end; /* in .debug_info: of its header, of its first entry, behind its last one */
	Dwarf_Half version;
	Dwarf_Die die; /* the first entry */
};

/*
 * Find the unit with code at an address, in an object opened with dwarf_object_open_lazy, and
 * inflate up to its end. Return false when .debug_aranges does not list it, and for units that
 * are incomplete or special (64-bit DWARF, split-off units, type units).
 */
bool dwarf_near_unit(struct dwarf_object *o, uint64_t address, struct near_unit *u);
/*
 * Return whether its functions may refer to entries of other units (link time optimisation,
 * dwz). Then those units must be inflated, too.
 */
bool dwarf_near_refers_across(const struct dwarf_object *o, const struct near_unit *u);

#endif
