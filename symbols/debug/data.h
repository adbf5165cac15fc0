#ifndef SYMBOLS_DEBUG_DATA_H
#define SYMBOLS_DEBUG_DATA_H

/* What lies where: the other way of debug.h's questions about variables and types. */
#include "symbols/debug/debug.h"

/* A variable of a function, or of a copy inlined into it, and one stretch of addresses in which it may have a place.
 * Inner ones come behind outer ones. */
struct debug_place {
	uint32_t variable;
	uint64_t start, end;
};
struct debug_places {
	VEC(struct debug_place);
};
/* `function`: a real one. */
void debug_function_places(struct debug *d, uint32_t function, struct debug_places *out);

/*
 * The variable at a fixed address, as the unit with code at `pc` knows it: by its DWARF, or by the name that the symbol
 * tables have for the address. 0 if there is none, else its type behind qualifiers and typedefs, and how far into it
 * the address lies.
 */
uint32_t debug_static_at(struct debug *d, uint64_t pc, uint64_t address, uint64_t *offset);

/* Behind qualifiers; behind typedefs, too, with `typedefs`. 0 for void. */
uint32_t debug_plain_type(struct debug *d, uint32_t type, bool typedefs);
/* Bytes of a value, elements and all; 0 = unknown. */
uint64_t debug_type_size(struct debug *d, uint32_t type);
/* As in the source: "struct node", "uint8_t", "int[]"; namespaces are left out; malloc'd. */
char *debug_type_text(struct debug *d, uint32_t type);
/* The members of a struct or union and what it inherits from, in their order; none of other types. */
struct debug_field {
	uint32_t type;
	const char *name;
	uint64_t offset;
}; /* name NULL: it has none */
struct debug_fields {
	VEC(struct debug_field);
};
void debug_fields_of(struct debug *d, uint32_t type, struct debug_fields *out);
/*
 * The innermost member at an offset of a struct or union, as it would be written behind a variable of that type
 * ("in.a"), into `path`; of elements of arrays the array. "" where there is none. Returns the member's type, 0 without
 * one, and what is left of the offset.
 */
uint32_t debug_member_at(struct debug *d, uint32_t type, uint64_t offset, char *path, size_t size, uint64_t *rest);

#endif
