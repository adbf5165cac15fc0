#ifndef SYMBOLS_NAME_PERFMAP_H
#define SYMBOLS_NAME_PERFMAP_H

#include "symbols/name/table.h"

/* Add the symbols of a map file's text, which becomes string table `strings`. Lines that make no symbol are passed
 * over. */
void perfmap_parse(struct table *t, const char *text, size_t len, uint8_t strings);

#endif
