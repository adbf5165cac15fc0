#ifndef SYMBOLS_FILE_NOTES_PRIV_H
#define SYMBOLS_FILE_NOTES_PRIV_H

#include "symbols/symbols.h"

/*
 * Find the GNU build-id among ELF notes. `align` is the alignment of the segment or section (8
 * pads to 8, any other value to 4); `swap` as in base/bytes.h. Ids longer than 20 bytes are
 * cut. Source: elf(5), "Notes"; NT_GNU_BUILD_ID in elf.h.
 */
bool notes_build_id(const void *notes, size_t len, uint64_t align, bool swap, struct build_id *id);

#endif
