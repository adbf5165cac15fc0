#ifndef SYMBOLS_NAME_DEMANGLE_H
#define SYMBOLS_NAME_DEMANGLE_H

#include "base/mem.h"

/*
 * The source text of a mangled name (C++, Rust, D, OCaml) in the arena, or NULL when `name` is not one. Hostile names
 * cannot make it produce or read without end: a text over 64 KB counts as none. Needs no lock.
 */
const char *demangle(const char *name, struct arena *arena);
/* The text with "<...>" for the arguments of templates and generics, in the arena; `text` itself when there are none.
 */
const char *shorten_templates(const char *text, struct arena *arena);
/*
 * Printable text in so many columns of a terminal: as it is if it fits, else with "<...>" for the arguments of
 * templates, and if that is still too wide with "..." in its middle. In the arena, or `text` itself.
 */
const char *fit_name(const char *text, int columns, struct arena *arena);

#endif
