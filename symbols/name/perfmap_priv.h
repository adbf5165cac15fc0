#ifndef SYMBOLS_NAME_PERFMAP_PRIV_H
#define SYMBOLS_NAME_PERFMAP_PRIV_H

#include "symbols/name/table.h"

/*
 * Add the symbols in the text of a map file, which is the object's string table `strings`. Skip
 * malformed lines.
 */
void perfmap_parse(struct symbol_table *t, const char *text, size_t len, uint8_t strings);

#endif
