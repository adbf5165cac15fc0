#ifndef SYMBOLS_DEBUG_DEBUG_PRIV_H
#define SYMBOLS_DEBUG_DEBUG_PRIV_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "symbols/debug/debug.h"
#include "symbols/line/object.h"
#include "symbols/line/split.h"
#include "symbols/name/sources.h"

enum { DEBUG_MAX_DEPTH = 200 };

/* `top` holds the entries: `die`, or what was split off it. `code`: stretches of its code are in debug.code. */
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

/* An entry that has an id, with its unit. `parent`: of an inlined copy the copy or function around it. */
struct debug_die {
	Dwarf_Die die;
	uint32_t unit;
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
	struct image *alt, *from; /* from: the image that the DWARF is in */
	struct dwarf_split *split;
	bool dwarf_tried, across, across_asked; /* across: debug_refers_across() */
	VEC(struct debug_unit) units;
	VEC(struct code_range) code;      /* by start */
	bool code_complete;               /* else of the units that .debug_aranges tells of */
	VEC(struct debug_die) dies;       /* id - 1 */
	struct debug_names names, around; /* around: those before around_address */
	bool names_read, names_sorted;
	uint64_t around_address;
	unsigned sweeps;
	uint64_t budget;
	Dwarf_CFI *eh_frame, *debug_frame;
	bool cfi_tried;
	struct debug_unit_statics *statics; /* debug/data.c */
};

/* The DWARF, opened at the first use; false when there is none. */
bool debug_dwarf(struct debug *d);
/* Its parts: no unit is known behind the first, none and no id behind the second. */
bool debug_open_dwarf(struct debug *d, bool lazy);
void debug_close_dwarf(struct debug *d);
uint32_t debug_id(struct debug *d, const Dwarf_Die *die, uint32_t unit);
Dwarf_Die *debug_die(struct debug *d, uint32_t id, uint32_t *unit); /* NULL for 0 */
void debug_read_units(struct debug *d);
/* The unit that a byte of .debug_info belongs to. */
uint32_t debug_unit_of_offset(const struct debug *d, uint64_t offset);
/* A section's bytes as libdw has them, not compressed; NULL when there is none. */
const uint8_t *debug_dwarf_section(struct debug *d, const char *name, size_t *len);
/* The unit with code at an address, as index + 1; 0 if none. */
uint32_t debug_unit_at(struct debug *d, uint64_t address);
/* The entries of a unit, found when they were split off. */
Dwarf_Die *debug_unit_top(struct debug *d, uint32_t unit);
/* Functions may be copies of what other units state (link time optimisation): a unit alone does not tell their names.
 */
bool debug_refers_across(struct debug *d);
/*
 * Which units may have a function of that name: marks[i] is set for unit i. Looks for the bytes of the name, so it may
 * err on the side of too many. With a glob (or where the sections cannot be searched) all.
 */
void debug_units_with_name(struct debug *d, const char *name, bool glob, uint8_t *marks);
/* Which units may have lines of a file whose path ends like this. */
void debug_units_with_file(struct debug *d, const char *file, uint8_t *marks);
bool debug_spend(struct debug *d); /* one entry visited; false when the budget is spent */
/* Whether the entry has code at the address. */
bool die_has(Dwarf_Die *die, uint64_t address);
bool die_entry(Dwarf_Die *die, uint64_t *entry);
const char *die_string(Dwarf_Die *die, unsigned name);
bool die_flag(Dwarf_Die *die, unsigned name);
uint64_t die_number(Dwarf_Die *die, unsigned name, uint64_t none);
bool die_type(Dwarf_Die *die, Dwarf_Die *type); /* what DW_AT_type refers to */
/* Where a member or base begins in its struct, in bytes; of one that DW_AT_data_bit_offset tells of the byte with its
 * first bit. False when it is not the same in all objects. */
bool die_member_offset(Dwarf_Die *die, uint64_t *offset);
/* The name of the file that a number stands for in the unit; what was split off may have a table of its own, else it
 * uses the skeleton's. */
const char *debug_unit_file(struct debug *d, uint32_t unit, uint32_t number);
/* The file and line of a declaration. */
const char *debug_decl(struct debug *d, Dwarf_Die *die, uint32_t unit, uint32_t *line);
/* The innermost copy or function (an entry below `from`, or itself) with code at the address. */
void debug_innermost(struct debug *d, Dwarf_Die *from, uint64_t address, Dwarf_Die *found);
/* Behind qualifiers and, unless names matter, typedefs, to the definition. False at void. */
bool debug_strip_type(Dwarf_Die *die, bool typedefs);
void debug_statics_free(struct debug *d);
/* Whether `path` ends with `tail` at a '/'. */
bool path_ends_with(const char *path, const char *tail);

#endif
