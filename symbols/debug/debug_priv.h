#ifndef SYMBOLS_DEBUG_DEBUG_PRIV_H
#define SYMBOLS_DEBUG_DEBUG_PRIV_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "symbols/debug/debug.h"
#include "symbols/line/object.h"
#include "symbols/line/split.h"
#include "symbols/name/sources.h"

enum { DEBUG_MAX_DEPTH = 200 };

/*
 * `top` holds the entries: it is `die`, or the split-off unit. `has_code`: debug.code lists the
 * unit's ranges.
 */
struct debug_unit {
	Dwarf_Die die, top;
	uint64_t header, offset, end;
	uint32_t split;
	bool opened, has_code;
};
struct code_range {
	uint64_t start, end;
	uint32_t unit;
};

/* An entry that has an id, with its unit. */
struct debug_die {
	Dwarf_Die die;
	uint32_t unit;
};

/*
 * The variables of one unit: those at fixed addresses, sorted by address, and those it only
 * declares.
 */
struct debug_static {
	uint64_t address, size;
	uint32_t type;
};
struct debug_declared {
	const char *name, *linkage;
	uint32_t type;
};
struct debug_statics {
	uint32_t unit;
	VEC(struct debug_static) placed;
	VEC(struct debug_declared) declared;
};
struct debug {
	struct symbols *symbols;
	uint32_t dso;
	struct dso *object;
	struct debug_opts opts;
	struct arena arena;
	char *path;
	/* relocated copy of a relocatable object's DWARF */
	struct image *relocated;
	struct dwarf_object dwarf, alt_dwarf;
	struct image *alt, *from; /* from: the image with the DWARF */
	struct dwarf_split *split;
	bool dwarf_tried, across, across_asked; /* across: the result of debug_refers_across() */
	VEC(struct debug_unit) units;
	VEC(struct code_range) code;      /* by start */
	bool code_complete;               /* it covers all units, not only those in .debug_aranges */
	VEC(struct debug_die) dies;       /* id - 1 */
	struct debug_names names, around; /* around: the names up to around_address */
	bool names_read, names_sorted;
	uint64_t around_address;
	unsigned sweeps;
	uint64_t budget;
	Dwarf_CFI *eh_frame, *debug_frame;
	bool cfi_tried;
	VEC(struct debug_statics *) statics; /* of data.c */
};

/* Open the DWARF if that was not done yet; return false when there is none. */
bool debug_dwarf(struct debug *d);
/*
 * The steps of debug_dwarf(), and the reverse. After debug_open_dwarf() no unit is known.
 * debug_close_dwarf() drops all units and ids.
 */
bool debug_open_dwarf(struct debug *d, bool lazy);
void debug_close_dwarf(struct debug *d);
uint32_t debug_id(struct debug *d, const Dwarf_Die *die, uint32_t unit);
Dwarf_Die *debug_die(struct debug *d, uint32_t id, uint32_t *unit); /* NULL for 0 */
void debug_read_units(struct debug *d);
/* Return the unit that contains this offset of .debug_info. */
uint32_t debug_unit_of_offset(const struct debug *d, uint64_t offset);
/* Return a section's bytes as libdw sees them, not compressed; NULL when it does not exist. */
const uint8_t *debug_dwarf_section(struct debug *d, const char *name, size_t *len);
/* Return the index + 1 of the unit with code at an address; 0 if none. */
uint32_t debug_unit_at(struct debug *d, uint64_t address);
/* Return the entries of a unit; opens its split-off part if it has one. */
Dwarf_Die *debug_unit_top(struct debug *d, uint32_t unit);
/*
 * Return whether functions may refer to entries of other units (link time optimisation): then
 * one unit is not enough to know their names.
 */
bool debug_refers_across(struct debug *d);
/*
 * Mark the units that may have a function of that name: marks[i] is set for unit i. It searches
 * for the bytes of the name, so it may mark too many. With a glob, or where the sections cannot
 * be searched, it marks all.
 */
void debug_units_with_name(struct debug *d, const char *name, bool glob, uint8_t *marks);
/* Mark the units that may have lines of a file whose path ends like this. */
void debug_units_with_file(struct debug *d, const char *file, uint8_t *marks);
bool debug_spend(struct debug *d); /* count a visited entry; false when the budget is used up */
/* Return whether the entry has code at the address. */
bool die_has(Dwarf_Die *die, uint64_t address);
bool die_entry(Dwarf_Die *die, uint64_t *entry);
const char *die_string(Dwarf_Die *die, unsigned name);
bool die_flag(Dwarf_Die *die, unsigned name);
uint64_t die_number(Dwarf_Die *die, unsigned name, uint64_t none);
bool die_type(Dwarf_Die *die, Dwarf_Die *type); /* the type that DW_AT_type refers to */
/*
 * Return the offset of a member or base in its struct, in bytes; with DW_AT_data_bit_offset,
 * that of the byte with its first bit. Return false when it differs between objects.
 */
bool die_member_offset(Dwarf_Die *die, uint64_t *offset);
/*
 * Return the name of a file by its number in the unit. A split-off unit may have its own table;
 * otherwise it uses the skeleton's.
 */
const char *debug_unit_file(struct debug *d, uint32_t unit, uint32_t number);
/* Return the file and line of a declaration. */
const char *debug_decl(struct debug *d, Dwarf_Die *die, uint32_t unit, uint32_t *line);
/*
 * Find the innermost copy or function with code at the address: an entry below `from`, or
 * `from` itself.
 */
void debug_innermost(struct debug *d, Dwarf_Die *from, uint64_t address, Dwarf_Die *found);
/*
 * Replace a type by its definition without qualifiers, with `typedefs` also without typedefs.
 * Return false at void.
 */
bool debug_strip_type(Dwarf_Die *die, bool typedefs);
/* Return whether `path` ends with `tail`, at a '/'. */
bool path_ends_with(const char *path, const char *tail);

#endif
