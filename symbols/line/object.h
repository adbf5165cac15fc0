#ifndef SYMBOLS_LINE_OBJECT_H
#define SYMBOLS_LINE_OBJECT_H

#include <elfutils/libdw.h>

#include "symbols/line/inflate.h"
#include "symbols/line/dwarf_priv.h"

/*
 * libdw's handle of an ELF object with DWARF. `inflated` is NULL unless its sections were
 * compressed.
 */
struct dwarf_object {
	struct inflated *inflated;
	Elf *elf;
	Dwarf *dwarf;
	bool has_locations;
};

/* Open the object. `bytes` must outlive it. Return false when it has no DWARF. */
bool dwarf_object_open(struct dwarf_object *o, struct elf_bytes bytes);
/*
 * Open the object with only .debug_aranges inflated. dwarf_object_need_info() inflates at least
 * the first `upto` bytes of .debug_info, and returns false when the section is shorter.
 */
bool dwarf_object_open_lazy(struct dwarf_object *o, struct elf_bytes bytes);
bool dwarf_object_need_info(struct dwarf_object *o, uint64_t upto);
bool dwarf_object_need_all_info(struct dwarf_object *o);
void dwarf_object_close(struct dwarf_object *o);
/* Return a section's bytes as libdw sees them, not compressed; NULL when it does not exist. */
const uint8_t *dwarf_object_section(const struct dwarf_object *o, const char *name, size_t *len);
/* Inflate the sections for locations of variables and call frames. Call it before reading those. */
void dwarf_object_need_locations(struct dwarf_object *o);
/*
 * Set the file that .gnu_debugaltlink names: `alt` gets it and must outlive `o`. If it was not found (bytes.data
 * NULL), `alt` becomes an empty object, so that libdw does not look for a file itself. Does nothing when `o` names no
 * such file.
 */
void dwarf_object_set_alt(struct dwarf_object *o, struct dwarf_object *alt, struct elf_bytes bytes);

#endif
