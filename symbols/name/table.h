#ifndef SYMBOLS_NAME_TABLE_H
#define SYMBOLS_NAME_TABLE_H

#include "symbols/name/symbols_priv.h"

/*
 * Symbols of one object while they are collected, in the order of their source. The order
 * decides between equals.
 */
struct symbol_table {
	VEC(struct symbol);
};

/*
 * Register a string table for the object's symbols. Return its number, or -1 when there are
 * already MAX_STRINGS.
 */
int dso_add_strings(struct dso *d, const char *text, size_t len);
/*
 * Return a symbol's raw name, cut at the end of its table; "" when its offset is out of bounds.
 * *len excludes the NUL.
 */
const char *dso_raw_name(const struct dso *d, const struct symbol *s, size_t *len);

/*
 * Return the text at an offset of a string table, cut at its end; "" when the offset is out of
 * bounds.
 */
const char *raw_text(const struct strings *t, uint64_t offset, size_t *len);
/* Return a name of `len` bytes as shown to the user: demangled unless `raw`. In `arena`. */
const char *text_of_name(const char *name, size_t len, bool raw, struct arena *arena);
/*
 * Return the symbol's name as shown to the user: demangled unless `raw` or SYMBOL_RAW; stubs
 * end with "@plt". In `arena`. The object's lock must be held.
 */
const char *symbol_text(const struct dso *d, const struct symbol *s, bool raw, struct arena *arena);
/* Return the best of the names that share one entry of the finished table. */
const char *table_best_text(const struct dso *d, const struct symbol *first, bool raw, struct arena *arena);

/*
 * Turn the collected symbols into the object's table; `t` is empty afterwards. Symbols without
 * size get an end. Of several symbols at one address, the best stays; where that depends on the
 * demangled names, all stay, and table_best_text() chooses later. Map files state every size,
 * so none is invented there, and the last of several equals stays: a JIT writes a new line when
 * it reuses memory.
 */
enum table_kind { TABLE_ELF, TABLE_KALLSYMS, TABLE_MAP_FILE };
void table_finish(struct symbol_table *t, struct dso *d, enum table_kind kind);

/* Sort the symbols, give them ends and choose among those of one address in the same way, in `t`. */
void table_settle(struct symbol_table *t, const struct dso *d, enum table_kind kind);

/*
 * Return index + 1 of the symbol that covers the address (an object's own), 0 = none.
 * table_find_sorted() does so for ascending addresses in one sweep.
 */
uint32_t table_find(const struct dso *d, uint64_t address);
/* Return the first symbol that begins behind the address, 0 = none. */
uint32_t table_find_after(const struct dso *d, uint64_t address);
void table_find_sorted(const struct dso *d, const uint64_t *addresses, uint32_t *found, size_t n);

/* Return whether this is the symbol's raw name. */
bool dso_name_is(const struct dso *d, const struct symbol *s, const char *name);
/* Sort by start, keeping the order of equals. */
void table_sort(struct symbol *symbols, size_t n);

#endif
