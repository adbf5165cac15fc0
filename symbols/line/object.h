#ifndef SYMBOLS_LINE_OBJECT_H
#define SYMBOLS_LINE_OBJECT_H

#include <elfutils/libdw.h>

#include "symbols/line/inflate.h"
#include "symbols/line/dwarf_priv.h"

/* libdw's handle of an ELF object with DWARF. `inflated`: where its sections were compressed. */
struct dwarf_object {
	struct inflated *inflated;
	Elf *elf;
	Dwarf *dwarf;
	bool has_locations;
};

/* `bytes` must outlive it. False when there is no DWARF. */
bool dwarf_object_open(struct dwarf_object *o, struct elf_bytes bytes);
/* With nothing but .debug_aranges until dwarf_object_need_info() asks for bytes from the beginning of .debug_info.
 * False when there are fewer. */
bool dwarf_object_open_lazy(struct dwarf_object *o, struct elf_bytes bytes);
bool dwarf_object_need_info(struct dwarf_object *o, uint64_t upto);
bool dwarf_object_need_all_info(struct dwarf_object *o);
void dwarf_object_close(struct dwarf_object *o);
/* A section's bytes as libdw has them, not compressed; NULL when there is none. */
const uint8_t *dwarf_object_section(const struct dwarf_object *o, const char *name, size_t *len);
/* To be called before locations of variables or call frames are read. */
void dwarf_object_need_locations(struct dwarf_object *o);
/*
 * The file that .gnu_debugaltlink names becomes `alt`, which must outlive `o`; an empty one where it was not found
 * (bytes.data NULL), so that libdw opens none on its own. Nothing happens when `o` names none.
 */
void dwarf_object_set_alt(struct dwarf_object *o, struct dwarf_object *alt, struct elf_bytes bytes);

#endif
