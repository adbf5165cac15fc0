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

#endif
