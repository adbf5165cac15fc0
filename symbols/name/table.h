#ifndef SYMBOLS_NAME_TABLE_H
#define SYMBOLS_NAME_TABLE_H

#include "symbols/name/symbols_priv.h"

/* Symbols of one object while they are collected, in the order of their source (which decides between equals). */
struct table {
	VEC(struct symbol);
};

/* Register a string table for the object's symbols; returns its number, or -1 when there are MAX_STRINGS already. */
int dso_add_strings(struct dso *d, const char *text, size_t len);
/* A symbol's raw text, cut at the end of its table; *len without the NUL. "" when its offset is out of bounds. */
const char *dso_raw_name(const struct dso *d, const struct symbol *s, size_t *len);

/* The text at an offset of a string table, cut at its end; "" when the offset is out of bounds. */
const char *raw_text(const struct strings *t, uint64_t offset, size_t *len);
/* A name of `len` bytes as it is shown: unless `raw` demangled. In `arena`. */
const char *text_of_name(const char *name, size_t len, bool raw, struct arena *arena);
/* The text to show: unless `raw`, demangled where the object's symbols are, "@plt" behind it for stubs. In `arena`. The
 * object's lock is held. */
const char *symbol_text(const struct dso *d, const struct symbol *s, bool raw, struct arena *arena);
/* The text of the best of the names that one entry of the finished table stands for. */
const char *table_best_text(const struct dso *d, const struct symbol *first, bool raw, struct arena *arena);

/*
 * Who has no size gets an end, of several symbols at one address the best name is kept, and the result becomes the
 * object's symbols. `t` is empty then. Which of several names of one size is the best needs their texts, so such a
 * choice is left to table_best_text. Map files tell every size: none is invented, and of equals the last is kept (a JIT
 * writes again what it puts in the place of old code).
 */
enum table_kind { TABLE_ELF, TABLE_KALLSYMS, TABLE_MAP_FILE };
void table_finish(struct table *t, struct dso *d, enum table_kind kind);

/* Index+1 of the symbol that covers the address (an object's own), 0 = none. The second: of ascending addresses by one
 * sweep. */
uint32_t table_find(const struct dso *d, uint64_t address);
/* The first one that begins behind it. */
uint32_t table_find_after(const struct dso *d, uint64_t address);
void table_find_sorted(const struct dso *d, const uint64_t *addresses, uint32_t *found, size_t n);

/* Whether the symbol's raw name is this one. */
bool dso_name_is(const struct dso *d, const struct symbol *s, const char *name);
/* Sort by start, keeping the order of equals. */
void table_sort(struct symbol *symbols, size_t n);

#endif
