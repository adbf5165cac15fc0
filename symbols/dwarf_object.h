#ifndef SYMBOLS_DWARF_OBJECT_H
#define SYMBOLS_DWARF_OBJECT_H

#include <elfutils/libdw.h>

#include "symbols/dwarf_priv.h"

/* libdw's handle of an ELF object with DWARF. `copy`: its bytes where libdw may write; NULL where it need not. */
struct dwarf_object { void *copy; Elf *elf; Dwarf *dwarf; };

/* `bytes` must outlive it. False when there is no DWARF. */
bool dwarf_object_open(struct dwarf_object *o, struct elf_bytes bytes);
void dwarf_object_close(struct dwarf_object *o);
/*
 * The file that .gnu_debugaltlink names becomes `alt`, which must outlive `o`; an empty one where it was not found (bytes.data NULL), so that libdw opens none on
 * its own. Nothing happens when `o` names none.
 */
void dwarf_object_set_alt(struct dwarf_object *o, struct dwarf_object *alt, struct elf_bytes bytes);

#endif
