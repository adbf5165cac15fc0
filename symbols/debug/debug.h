#ifndef SYMBOLS_DEBUG_DEBUG_H
#define SYMBOLS_DEBUG_DEBUG_H

/*
 * Questions about the source of one object, from name to address (symbols.h goes the other
 * way): names, functions and their inlined copies, lines, variables and their places, types.
 * Names come from the symbol tables. Everything else comes from the DWARF (2 to 5) of the
 * object or of its separate debug file. Use it on one thread. All data is hostile: the size of
 * the data limits how much is visited.
 *
 * Example: print where the functions named main begin.
 *
 *	struct debug *d = debug_open("/bin/ls", &(struct debug_opts){ 0 }, NULL);
 *	struct debug_functions found = { 0 };
 *	struct debug_line line;
 *
 *	if (d && debug_find_functions(d, "main", NULL, &found))
 *		for (size_t i = 0; i < found.len; i++)
 *			if (debug_line_at(d, found.items[i].entry, &line))
 *				printf("%s:%u\n", line.file, line.line);
 *	vec_free(&found);
 *	debug_close(d);
 *
 * Addresses are the object's own: ELF virtual addresses; in a relocatable object, those of the
 * layout we choose. Texts and ids live as long as the struct; id 0 means none. Texts are
 * foreign.
 */
#include "base/err.h"
#include "base/mem.h"

struct debug;

struct debug_opts {
	const char *symfs; /* directory below which to look for files; NULL = "/" */
	bool no_inlines;   /* report only functions, not their inlined copies */
};
/*
 * Open an object file: program, library, kernel image, module (also compressed). Return NULL
 * with e set when it is none. The texts in opts are copied.
 */
struct debug *debug_open(const char *path, const struct debug_opts *opts, struct err *e);
void debug_close(struct debug *d);

bool debug_has_dwarf(struct debug *d);
uint16_t debug_machine(const struct debug *d); /* EM_ */
bool debug_swaps(const struct debug *d);       /* its byte order is not the host's */
bool debug_is_64(const struct debug *d);
bool debug_is_relocatable(const struct debug *d);
/* Convert an address to its file offset; return false when the file has no bytes for it. */
bool debug_file_offset(const struct debug *d, uint64_t address, uint64_t *offset);
/* Return the address of a file offset, or the offset itself when no segment covers it. */
uint64_t debug_address_of_offset(const struct debug *d, uint64_t offset);
/* Write the object's build-id as hex, "" if it has none. */
void debug_build_id(const struct debug *d, char text[41]);
/*
 * Return what to install to get the separate DWARF that is missing here: a constant text or one
 * owned by d.
 */
const char *debug_missing(struct debug *d);
/* Return the bytes of a section of the object, or NULL. */
const uint8_t *debug_section(const struct debug *d, const char *name, size_t *len, uint64_t *address);
/* Return the code at an address, up to *len bytes; NULL when the file has none there. */
const uint8_t *debug_code(const struct debug *d, uint64_t address, size_t *len);

/* ---- names ---- */

enum { NAME_FUNCTION, NAME_IFUNC, NAME_OBJECT, NAME_PLT };
struct debug_name {
	const char *name;    /* as in the table, without "@VERSION" */
	const char *version; /* NULL = none */
	uint64_t address, size;
	uint8_t kind;
	bool global, default_version;
	bool version_written; /* the name in the table contains the version */
};
/* Return the names of all tables, sorted by address, then name; each name once per address. */
const struct debug_name *debug_names(struct debug *d, size_t *n);
/*
 * Return the same unsorted and with duplicates, which is cheaper. Valid until debug_names() is
 * called.
 */
const struct debug_name *debug_unsorted_names(struct debug *d, size_t *n);
/* A selection of names, and how to sort it like debug_names(). */
struct debug_names {
	VEC(struct debug_name);
};
void debug_sort_names(struct debug_names *l);
/* Return the demangled text of a name, or the name itself. */
const char *debug_demangle(struct debug *d, const char *name);
/*
 * Return the function at an address by the symbol tables, with its best name; NULL if there is
 * none. Lives as long as d.
 */
const struct debug_name *debug_name_at(struct debug *d, uint64_t address);
/* Return whether a table has that name at the address. */
bool debug_has_name(struct debug *d, const char *name, uint64_t address);
/*
 * Cut the demangled text at the parameters; the scope stays: "a::foo(int)" becomes "a::foo". In
 * the arena of d.
 */
const char *debug_plain_name(struct debug *d, const char *demangled);

/* ---- functions ---- */

struct debug_function {
	uint32_t id;            /* of this copy */
	uint32_t outer;         /* id of the real function around it; the same when not inlined */
	const char *name;       /* as in the source */
	const char *outer_name; /* symbol of the real function: linkage name, otherwise plain name */
	const char *file;       /* of the declaration; NULL = unknown */
	uint32_t line;
	uint64_t entry; /* address of this copy */
	uint64_t outer_entry;
	bool inlined;
};
struct debug_functions {
	VEC(struct debug_function);
};
/*
 * Append every function and inlined copy called `name`, in DWARF order. `name` is a plain or
 * linkage name, or a glob if it contains * or ?. `file` (NULL = any) is the end of the
 * declaration's path. Return false when the object has no DWARF.
 */
bool debug_find_functions(struct debug *d, const char *name, const char *file, struct debug_functions *out);
/*
 * Restrict d to the unit of the function at an address, so that the others are not read. Only
 * for a function whose copies cannot lie in another unit: then nothing is missed. Call it
 * before asking for anything but names. Return false, and change nothing, when it is
 * impossible. debug_widen() ends the restriction; earlier ids become invalid.
 */
bool debug_narrow(struct debug *d, uint64_t address);
void debug_widen(struct debug *d);
/* Describe the function with this id. */
bool debug_describe_function(struct debug *d, uint32_t id, struct debug_function *f);
/* Describe the real function at an address. */
bool debug_function_at(struct debug *d, uint64_t address, struct debug_function *f);
/* Return whether the copy or function has code there. */
bool debug_function_has(struct debug *d, uint32_t id, uint64_t address);
/*
 * Return whether its code was compiled without optimisation: then its first instructions store
 * the parameters.
 */
bool debug_is_unoptimised(struct debug *d, uint32_t id);
/* Return the address of the first statement behind the prologue. */
uint64_t debug_skip_prologue(struct debug *d, uint32_t id);
/* Return the function's return type, 0 for void. */
uint32_t debug_return_type(struct debug *d, uint32_t id);

/* ---- lines ---- */

struct debug_line {
	uint64_t address;
	const char *file;
	uint32_t line;
	uint32_t function; /* innermost copy or function, 0 = none */
};
struct debug_lines {
	VEC(struct debug_line);
};
/*
 * List where a probe for a line may stand: addresses that map back to that line; with `hidden`
 * also those that map to another line at the same address. Covers the function without the code
 * of inlined copies, but with their call lines. Ordered by line, then address.
 */
void debug_function_lines(struct debug *d, uint32_t id, bool hidden, struct debug_lines *out);
/*
 * Return the line of the function that hides this one because it shares its first address; 0
 * when the line has no code.
 */
uint32_t debug_line_instead(struct debug *d, uint32_t id, uint32_t line);
/*
 * The same for all units in which the file has code. `file` is the end of its path. *path gets
 * the whole path, NULL when no unit knows it.
 */
void debug_file_lines(struct debug *d, const char *file, bool hidden, struct debug_lines *out, const char **path);
/* Find the line to show for an address: at the entry of a function, the line of its declaration. */
bool debug_line_at(struct debug *d, uint64_t address, struct debug_line *l);
/* Return the directory that relative paths of the function's unit start from, or NULL. */
const char *debug_directory(struct debug *d, uint32_t id);

/* ---- variables ---- */

struct debug_variable {
	uint32_t id;
	const char *name;
	bool parameter, external; /* external: outside all functions */
	/*
	 * it can be fetched at the address, or computed there from such a value, as perf lists
	 * them
	 */
	bool here;
};
struct debug_variables {
	VEC(struct debug_variable);
};
/*
 * List the variables in scope of a copy or function at an address, inner scopes first; with
 * `externs` also those outside all functions of its unit. Includes the variables of copies
 * inlined at this place.
 */
void debug_find_variables(struct debug *d, uint32_t function, uint64_t address, bool externs,
			  struct debug_variables *out);
/*
 * Find a variable by name, the innermost first; 0 if there is none. Search the scopes, then
 * copies inlined at this place, then outside all functions.
 */
uint32_t debug_find_variable(struct debug *d, uint32_t function, uint64_t address, const char *name);

enum debug_where { WHERE_NOWHERE, WHERE_REGISTER, WHERE_MEMORY, WHERE_STATIC, WHERE_CONSTANT, WHERE_UNSUPPORTED };
struct debug_location {
	enum debug_where where;
	uint32_t reg;       /* DWARF number: REGISTER; MEMORY: the base of the first offset */
	int64_t offsets[4]; /* MEMORY: first from the register, then from each value read */
	unsigned n_offsets;
	uint64_t address; /* STATIC; CONSTANT: the value */
	bool begins;      /* UNSUPPORTED: the expression starts with a register or an address */
	const char *why;  /* NOWHERE, UNSUPPORTED: constant text */
};
void debug_locate(struct debug *d, uint32_t variable, uint32_t function, uint64_t address, struct debug_location *l);
/*
 * List the address ranges in which the variable has a place. One range from 0 to ~0 means
 * everywhere.
 */
struct debug_range {
	uint64_t start, end;
};
struct debug_ranges {
	VEC(struct debug_range);
};
void debug_variable_ranges(struct debug *d, uint32_t variable, uint32_t function, struct debug_ranges *out);
/* List the address ranges in which the variable is in scope. */
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
	uint32_t target;  /* pointers and arrays: the type they point to or contain; 0 = void */
	uint64_t length;  /* arrays: number of elements, 0 = unknown */
	bool is_signed;   /* TYPE_CHAR, TYPE_ENUM */
	const char *name; /* NULL = none */
};
/* Describe a type, without typedefs and qualifiers. */
void debug_type(struct debug *d, uint32_t type, struct type_info *t);
struct type_member {
	uint32_t type;
	uint64_t offset;     /* bytes from the struct's start; for a bitfield, to its container */
	uint32_t bit_size;   /* 0 = not a bitfield */
	uint32_t bit_offset; /* from the container's lowest bit */
	uint32_t container;  /* size in bytes */
};
/* Find a member by name, also inside unnamed members. Return false if there is none. */
bool debug_member(struct debug *d, uint32_t type, const char *name, struct type_member *m);
/* Return the type as perf shows it: "struct node*", "long int". The caller frees it. */
char *debug_type_name(struct debug *d, uint32_t type);
/* Find a struct, union or enum by name; 0 if the function's unit has none. */
uint32_t debug_named_type(struct debug *d, uint32_t function, const char *name);
/* List the names of members, for suggestions. Return their number, at most max. */
size_t debug_member_names(struct debug *d, uint32_t type, const char **names, size_t max);

#endif
