#ifndef PROBE_KERNEL_PRIV_H
#define PROBE_KERNEL_PRIV_H

#include "probe/fetch_priv.h"
#include "symbols/name/kallsyms.h"

/*
 * Facts about the running kernel: symbols, places where it forbids probes, types (BTF). Each is
 * read on first use.
 */
struct kernel;
struct kernel *kernel_new(void);
void kernel_free(struct kernel *k);

/* A function in kallsyms. */
struct kernel_symbol {
	const char *name, *module; /* module NULL = the kernel itself */
	uint64_t address, end;
	bool ambiguous; /* several symbols have this name: the kernel needs the address */
};
struct kernel_symbols {
	VEC(struct kernel_symbol);
};
/*
 * Find functions by name or glob, in the kernel or in `module` (NULL = any). Also find a function
 * that exists only as a compiler's copy with a suffix ("f.isra.0"). Return -1 with e when symbols
 * are hidden or missing.
 */
int kernel_find(struct kernel *k, const char *name, const char *module, struct kernel_symbols *out, struct err *e);
/* List all names of functions and data. */
int kernel_names(struct kernel *k, const char *module, struct kernel_symbols *out, struct err *e);
/* Return the function with the most similar name; NULL if none is similar, or symbols are hidden. */
const char *kernel_near(struct kernel *k, const char *name);
/* Get the address of the first symbol with this name. Return false if there is none. */
bool kernel_address_of(struct kernel *k, const char *name, uint64_t *address);
/* Return why the kernel forbids a probe at an address, NULL if it allows one. */
const char *kernel_forbids(struct kernel *k, uint64_t address);
/*
 * For the fuzzer and tests: set the text of debugfs' kprobes/blacklist, and kallsyms from memory
 * (ownership passes).
 */
void kernel_set(struct kernel *k, struct kallsyms *symbols, const char *blacklist);

/* Return true if the text begins with a module's name, in which '-' and '_' mean the same. */
bool module_name_begins(const char *text, const char *name);

/* ---- BTF ---- */

struct btf_types;
/*
 * Open the types of the kernel or of a module. `path`: a file with BTF; NULL = /sys/kernel/btf.
 * Return NULL with e on failure.
 */
struct btf_types *btf_types_open(const char *module, const char *path, struct err *e);
void btf_types_close(struct btf_types *b);
struct type_source types_of_btf(struct btf_types *b);
/*
 * Get the n-th parameter (from 0) of a function; return false when there is none. v->place is its
 * place at the function's entry, unless *why gives a reason why it has none.
 */
bool btf_parameter(struct btf_types *b, const char *function, unsigned n, uint16_t machine, struct fetch_variable *v,
		   const char **why);
bool btf_has_function(struct btf_types *b, const char *function);
/* Return "struct sock*"; the caller frees it. */
char *btf_type_name(struct btf_types *b, uint32_t type);

#endif
