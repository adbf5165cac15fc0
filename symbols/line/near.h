#ifndef SYMBOLS_LINE_NEAR_H
#define SYMBOLS_LINE_NEAR_H

#include "symbols/line/object.h"

/*
 * One unit of an object, found without a look at the others: who asks for one function need neither inflate nor read
 * more. Source: DWARF 5, 6.1.2 (address ranges), 7.5 (units, abbreviations).
 */
struct near_unit {
	uint64_t header, offset, end;
	Dwarf_Half version;
	Dwarf_Die die;
}; /* in .debug_info: its header, its first entry (`die`), behind its last one */

/*
 * The unit with code at an address, of an object that dwarf_object_open_lazy opened; inflated as far as its end. False
 * when .debug_aranges does not tell of it, and for units that are not whole in themselves (64-bit DWARF, split off, of
 * types).
 */
bool dwarf_near_unit(struct dwarf_object *o, uint64_t address, struct near_unit *u);
/* Functions of it may be copies of what other units state (link time optimisation, dwz): those have to be there, too.
 */
bool dwarf_near_refers_across(const struct dwarf_object *o, const struct near_unit *u);

#endif
