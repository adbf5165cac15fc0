#ifndef SYMBOLS_FILE_RELOCATE_H
#define SYMBOLS_FILE_RELOCATE_H

#include "symbols/file/image.h"

/*
 * A copy of a relocatable object (a kernel module) in which each section has an address of its own and its debug
 * sections are relocated to these: until then all its functions begin at 0. What is compressed is inflated. NULL for
 * what is none, of another byte order, of 32 bit, or of a machine whose relocations are not known here. Source: the ELF
 * psABI of each machine, "Relocation types".
 */
struct image *relocated_copy(const struct image *im);

#endif
