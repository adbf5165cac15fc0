#ifndef SYMBOLS_NAME_DEMANGLE_H
#define SYMBOLS_NAME_DEMANGLE_H

#include "base/mem.h"

/*
 * Return the source text of a mangled name (C++, Rust, D, OCaml, Java) in the arena, or NULL
 * when `name` is not mangled. Safe for hostile names: a name whose text would exceed 64 KB
 * counts as not mangled. Needs no lock.
 */
const char *demangle(const char *name, struct arena *arena);
/*
 * Replace template and generic arguments by "<...>". Return a text in the arena, or `text`
 * itself when it has none.
 */
const char *shorten_templates(const char *text, struct arena *arena);
/*
 * Fit printable text into this many terminal columns. Return it unchanged if it fits. Otherwise
 * replace template arguments by "<...>"; if it is still too wide, put "..." in its middle. The
 * result is in the arena, or is `text` itself.
 */
const char *fit_name(const char *text, int columns, struct arena *arena);

#endif
