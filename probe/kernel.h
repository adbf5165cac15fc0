#ifndef PROBE_KERNEL_H
#define PROBE_KERNEL_H

#include "probe/fetch.h"
#include "symbols/name/kallsyms.h"

/* What the running kernel tells of itself: symbols, where it forbids probes, types (BTF). Read when asked for first. */
struct kernel;
struct kernel *kernel_new(void);
void kernel_free(struct kernel *k);

/* One function by the names of kallsyms. */
struct kernel_symbol {
	const char *name, *module; /* module NULL = the kernel itself */
	uint64_t address, end;
	bool ambiguous; /* others have the same name: the kernel takes it by address only */
};
struct kernel_symbols {
	VEC(struct kernel_symbol);
};
/*
 * By name or glob, of the kernel or of `module` (NULL = any). A name that only lives on with the compiler's suffix
 * ("f.isra.0") is found too. -1 with e when symbols are hidden or missing.
 */
int kernel_find(struct kernel *k, const char *name, const char *module, struct kernel_symbols *out, struct err *e);
/* All names of functions and data for lists. */
int kernel_names(struct kernel *k, const char *module, struct kernel_symbols *out, struct err *e);
const char *kernel_near(struct kernel *k, const char *name);
bool kernel_address_of(struct kernel *k, const char *name, uint64_t *address);
/* Why the kernel allows no probe at an address, NULL when it does. */
const char *kernel_forbids(struct kernel *k, uint64_t address);
/* For the fuzzer and tests: text of debugfs' kprobes/blacklist; and kallsyms from memory (taken). */
void kernel_set(struct kernel *k, struct kallsyms *symbols, const char *blacklist);

/* ---- BTF ---- */

struct btf_types;
/* Of the kernel or one of its modules; `path` (NULL = /sys/kernel/btf) a file with BTF in it. NULL with e. */
struct btf_types *btf_types_open(const char *module, const char *path, struct err *e);
void btf_types_close(struct btf_types *b);
struct type_source types_of_btf(struct btf_types *b);
/* The n-th parameter (from 0) of a function: true while there is one. Its place at the function's entry is in v->place
 * unless *why says what is in the way. */
bool btf_parameter(struct btf_types *b, const char *function, unsigned n, uint16_t machine, struct fetch_variable *v,
		   const char **why);
bool btf_has_function(struct btf_types *b, const char *function);
/* "struct sock*", malloc'd. */
char *btf_type_name(struct btf_types *b, uint32_t type);

#endif
