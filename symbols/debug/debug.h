#ifndef SYMBOLS_DEBUG_DEBUG_H
#define SYMBOLS_DEBUG_DEBUG_H

/*
 * What one object tells about its source, asked from the name to the address (symbols.h goes the other way): names,
 * functions and their inlined copies, lines, variables and where they live, types. Names come from the symbol tables,
 * all else from the DWARF (2 to 5) of the object or of the file that was split off it. One thread. Everything read is
 * hostile: how much is visited is bounded by the size of the data.
 *
 * Addresses are the object's own (ELF virtual addresses; in a relocatable object those of the layout made here). Texts
 * and ids live as long as the struct; id 0 is none. Texts are foreign.
 */
#include "base/err.h"
#include "base/mem.h"

struct debug;

struct debug_opts {
	const char *symfs;     /* root below which files are looked for; NULL = "/" */
	const char *debug_dir; /* reserved for tests; NULL = /usr/lib/debug */
	bool no_inlines;       /* only functions themselves, no copies */
};
/* An object file: program, library, kernel image, module (also compressed). NULL with e when it is none. The texts in
 * opts are copied. */
struct debug *debug_open(const char *path, const struct debug_opts *opts, struct err *e);
void debug_close(struct debug *d);

bool debug_has_dwarf(struct debug *d);
uint16_t debug_machine(const struct debug *d); /* EM_ */
bool debug_swaps(const struct debug *d);       /* of the other byte order */
bool debug_is_64(const struct debug *d);
bool debug_is_relocatable(const struct debug *d);
/* Where in the file the code of an address lies; false when nowhere. */
bool debug_file_offset(const struct debug *d, uint64_t address, uint64_t *offset);
bool debug_address_of_offset(const struct debug *d, uint64_t offset, uint64_t *address);
/* The object's build-id as hex, "" without one. */
void debug_build_id(const struct debug *d, char text[41]);
/* Its debuglink or debug package is not here: what would be installed to have DWARF; constant or owned text. */
const char *debug_missing(struct debug *d);
/* Bytes of a section of the object, or NULL. */
const uint8_t *debug_section(const struct debug *d, const char *name, size_t *len, uint64_t *address);
/* Code at an address: pointer to up to *len bytes there; NULL when there is none in the file. */
const uint8_t *debug_code(const struct debug *d, uint64_t address, size_t *len);

/* ---- names ---- */

enum { NAME_FUNCTION, NAME_IFUNC, NAME_OBJECT, NAME_PLT };
struct debug_name {
	const char *name;    /* as in the table, without "@VERSION" */
	const char *version; /* NULL = none */
	uint64_t address, size;
	uint8_t kind;
	bool global, default_version;
	bool version_written; /* the table's own text has it */
};
/* All names of all tables by address then name, each name once per address. */
const struct debug_name *debug_names(struct debug *d, size_t *n);
/* The same as they lie in the tables, some twice: what costs less. Valid until debug_names is called. */
const struct debug_name *debug_unsorted_names(struct debug *d, size_t *n);
/* Some of them, into that order. */
struct debug_names {
	VEC(struct debug_name);
};
void debug_sort_names(struct debug_names *l);
/* The text of a mangled name, or the name. */
const char *debug_demangle(struct debug *d, const char *name);
/* The function that an address lies in by the symbol tables, the best of its names; NULL if there is none. Lives as
 * long as d. */
const struct debug_name *debug_name_at(struct debug *d, uint64_t address);
/* Whether a table has that name at the address. */
bool debug_has_name(struct debug *d, const char *name, uint64_t address);
/* "foo" of "a::foo(int)" keeps its scope: the demangled text up to the parameters. In the arena of d. */
const char *debug_plain_name(struct debug *d, const char *demangled);

/* ---- functions ---- */

struct debug_function {
	uint32_t id;            /* this copy */
	uint32_t outer;         /* id of the real function it lies in; the same when not inlined */
	const char *name;       /* in the source */
	const char *outer_name; /* symbol of the real function: linkage name, else plain name */
	const char *file;       /* of the declaration; NULL = unknown */
	uint32_t line;
	uint64_t entry; /* of this copy */
	uint64_t outer_entry;
	bool inlined;
};
struct debug_functions {
	VEC(struct debug_function);
};
/*
 * Every function and inlined copy called `name`: plain name or linkage name, a glob if it has * or ?. `file` (NULL =
 * any): end of the path of the declaration. Appends in the order of the DWARF. False when the object has no DWARF.
 */
bool debug_find_functions(struct debug *d, const char *name, const char *file, struct debug_functions *out);
/*
 * From now on only the unit of the function at an address is known, which spares reading the others; for one whose
 * copies can lie in no other unit, so that nothing is missed of it. To be called before anything but names is asked;
 * false when it cannot be done, and then nothing changed. debug_widen() takes it back: ids of before are void.
 */
bool debug_narrow(struct debug *d, uint64_t address);
void debug_widen(struct debug *d);
/* Of an id. */
bool debug_describe_function(struct debug *d, uint32_t id, struct debug_function *f);
/* The real function at an address. */
bool debug_function_at(struct debug *d, uint64_t address, struct debug_function *f);
/* Whether the copy or function has code there. */
bool debug_function_has(struct debug *d, uint32_t id, uint64_t address);
uint64_t debug_function_end(struct debug *d, uint32_t id);
/* Its code was compiled without optimisation: parameters are stored by its first instructions. */
bool debug_is_unoptimised(struct debug *d, uint32_t id);
/* Where the first statement behind the prologue begins. */
uint64_t debug_skip_prologue(struct debug *d, uint32_t id);
/* The type that it returns, 0 for void. */
uint32_t debug_return_type(struct debug *d, uint32_t id);

/* ---- lines ---- */

struct debug_line {
	uint64_t address;
	const char *file;
	uint32_t line;
	uint32_t function;
}; /* function: innermost copy or function when it is of one */
struct debug_lines {
	VEC(struct debug_line);
};
/*
 * Where a probe may stand for a line: addresses that lead back to that line, and with `hidden` also those that lead to
 * another, which shares its address. Of a function (without copies inlined in it but for their calls), ordered by line
 * then address.
 */
void debug_function_lines(struct debug *d, uint32_t id, bool hidden, struct debug_lines *out);
/* The line that hides this one of the function because it shares its first address; 0 when no code is of the line. */
uint32_t debug_line_instead(struct debug *d, uint32_t id, uint32_t line);
/* Of all units in which the file has code. `file`: end of its path. *path gets its whole path, NULL when no unit knows
 * it. */
void debug_file_lines(struct debug *d, const char *file, bool hidden, struct debug_lines *out, const char **path);
/* The line that is shown for an address: at the entry of a function that of its declaration. */
bool debug_line_at(struct debug *d, uint64_t address, struct debug_line *l);
/* Directory that relative paths of the unit at the address start from; NULL. */
const char *debug_directory(struct debug *d, uint32_t id);

/* ---- variables ---- */

struct debug_variable {
	uint32_t id;
	const char *name;
	bool parameter, external; /* external: outside of all functions */
	bool here; /* it can be fetched at the address asked for, or is computed there of what could be, as perf lists
		      them */
};
struct debug_variables {
	VEC(struct debug_variable);
};
/*
 * What is in scope of a copy or function at an address, inner scopes first, and with `externs` also what is outside of
 * all functions in its unit. What a copy inlined at this place has is there, too.
 */
void debug_find_variables(struct debug *d, uint32_t function, uint64_t address, bool externs,
			  struct debug_variables *out);
/* By name, the innermost; 0 if there is none. Looks into copies inlined at this place behind that, and outside of
 * functions last. */
uint32_t debug_find_variable(struct debug *d, uint32_t function, uint64_t address, const char *name);
bool debug_is_array_or_struct(struct debug *d, uint32_t type);

enum debug_where { WHERE_NOWHERE, WHERE_REGISTER, WHERE_MEMORY, WHERE_STATIC, WHERE_CONSTANT, WHERE_UNSUPPORTED };
struct debug_location {
	enum debug_where where;
	uint32_t reg;       /* DWARF number: REGISTER; MEMORY: what the first offset is added to */
	int64_t offsets[4]; /* MEMORY: from the register, then each from what was read there */
	unsigned n_offsets;
	uint64_t address; /* STATIC; CONSTANT: the value */
	bool begins;      /* UNSUPPORTED: it is computed of what a register or an address has */
	const char *why;  /* NOWHERE, UNSUPPORTED: constant text */
};
void debug_locate(struct debug *d, uint32_t variable, uint32_t function, uint64_t address, struct debug_location *l);
/* The ranges of addresses in which it has a place. Everywhere: one of 0 to ~0. */
struct debug_range {
	uint64_t start, end;
};
struct debug_ranges {
	VEC(struct debug_range);
};
void debug_variable_ranges(struct debug *d, uint32_t variable, uint32_t function, struct debug_ranges *out);
/* Where the variable is in scope. */
void debug_scope_ranges(struct debug *d, uint32_t variable, struct debug_ranges *out);
uint32_t debug_variable_type(struct debug *d, uint32_t variable);

/* ---- types ---- */

enum type_kind {
	TYPE_NONE,
	TYPE_SIGNED,
	TYPE_UNSIGNED,
	TYPE_BOOL,
	TYPE_CHAR,
	TYPE_FLOAT,
	TYPE_POINTER,
	TYPE_ARRAY,
	TYPE_STRUCT,
	TYPE_UNION,
	TYPE_ENUM,
	TYPE_FUNCTION
};
struct type_info {
	enum type_kind kind;
	uint64_t size;    /* bytes; 0 = unknown */
	uint32_t target;  /* of pointers and arrays: what they are of; 0 = void */
	uint64_t length;  /* of arrays: elements, 0 = unknown */
	bool is_signed;   /* TYPE_CHAR, TYPE_ENUM */
	const char *name; /* NULL = none */
};
/* Behind typedefs and qualifiers. */
void debug_type(struct debug *d, uint32_t type, struct type_info *t);
struct type_member {
	uint32_t type;
	uint64_t offset;     /* bytes from the struct's start, to the first byte of the container of a bitfield */
	uint32_t bit_size;   /* 0 = no bitfield */
	uint32_t bit_offset; /* from the container's lowest bit */
	uint32_t container;  /* bytes */
};
/* By name, also in members without a name. False if there is none. */
bool debug_member(struct debug *d, uint32_t type, const char *name, struct type_member *m);
/* As perf shows it: "struct node*", "long int"; malloc'd. */
char *debug_type_name(struct debug *d, uint32_t type);
/* A struct, union or enum of that name, 0 if the unit of the function has none. */
uint32_t debug_named_type(struct debug *d, uint32_t function, const char *name);
/* Names of members, for suggestions. Returns how many, up to max. */
size_t debug_member_names(struct debug *d, uint32_t type, const char **names, size_t max);

#endif
