#ifndef SYMBOLS_DEBUG_DATA_H
#define SYMBOLS_DEBUG_DATA_H

/*
 * Find the variable or member at an address. debug.h answers the opposite question: where a
 * variable is.
 */
#include "symbols/debug/debug.h"

/*
 * One address range in which a variable of a function, or of a copy inlined into it, may have a
 * place. Inner variables come after outer ones.
 */
struct debug_place {
	uint32_t variable;
	uint64_t start, end;
};
struct debug_places {
	VEC(struct debug_place);
};
/* List the places of all variables of `function`, which must be a real function. */
void debug_function_places(struct debug *d, uint32_t function, struct debug_places *out);

/*
 * Find the variable at a fixed address, as seen from the unit with code at `pc`: by its DWARF,
 * or by the name that the symbol tables have for the address. Return its type without
 * qualifiers and typedefs, 0 if there is none. *offset is the address minus the start of the
 * variable.
 */
uint32_t debug_static_at(struct debug *d, uint64_t pc, uint64_t address, uint64_t *offset);

/* Remove qualifiers, with `typedefs` also typedefs. Return 0 for void. */
uint32_t debug_plain_type(struct debug *d, uint32_t type, bool typedefs);
/* Return the size of a value in bytes, of arrays as a whole; 0 = unknown. */
uint64_t debug_type_size(struct debug *d, uint32_t type);
/*
 * Return the type as written in the source, without namespaces: "struct node", "uint8_t",
 * "int[]". The caller frees it.
 */
char *debug_type_text(struct debug *d, uint32_t type);
/* The members of a struct or union and what it inherits from, in their order; none of other types. */
struct debug_field {
	uint32_t type;
	const char *name; /* NULL = none */
	uint64_t offset;  /* bytes from the start of the type */
};
struct debug_fields {
	VEC(struct debug_field);
};
void debug_fields_of(struct debug *d, uint32_t type, struct debug_fields *out);
/*
 * Find the innermost member at an offset of a struct or union. Write to `path` what follows a
 * variable of that type in source ("in.a"); an array element counts as its array. `path` is ""
 * where no member is. Return the member's type, or 0, and the rest of the offset.
 */
uint32_t debug_member_at(struct debug *d, uint32_t type, uint64_t offset, char *path, size_t size, uint64_t *rest);

#endif
