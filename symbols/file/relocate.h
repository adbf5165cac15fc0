#ifndef SYMBOLS_FILE_RELOCATE_H
#define SYMBOLS_FILE_RELOCATE_H

#include "symbols/file/image.h"

/*
 * Copy a relocatable object (a kernel module), give each section a separate address, and relocate the debug sections
 * to these addresses. In the original, the functions of every section begin at 0. Compressed sections are inflated.
 * Return NULL when the object is not relocatable, not 64-bit, in the other byte order, or for a machine whose
 * relocations we do not know. Source: the ELF psABI of each machine, "Relocation types".
 */
struct image *relocated_copy(const struct image *im);

#endif
