#ifndef REPORT_TRACE_TYPES_PRIV_H
#define REPORT_TRACE_TYPES_PRIV_H

/*
 * Types of the running kernel (BTF): structs that arguments point at, and names of enums.
 *
 *	struct kernel_types *types = kernel_types_open(NULL);
 *	uint32_t size, id = types ? kernel_type_find(types, "struct rseq", &size) : 0;
 *	kernel_type_print(types, id, bytes, size, NULL, false, out);		{ .cpu_id_start: 1, .cpu_id: 1 }
 *
 * Source: Documentation/bpf/btf.rst of the kernel.
 */
#include "base/out.h"

struct kernel_types;

/* Open the types in a file, or of the running kernel if `path` is NULL. Return NULL if there are none. */
struct kernel_types *kernel_types_open(const char *path);
void kernel_types_close(struct kernel_types *types);
/* Find "struct NAME", "union NAME" or "enum NAME" and store its size. Return 0 if there is none. */
uint32_t kernel_type_find(const struct kernel_types *types, const char *name, uint32_t *size);
/*
 * Print the members that lie in `len` bytes, which have this machine's byte order. Print members that are 0 only with
 * `zeros`. If a member called size says that the struct is shorter, stop there. Of a union, print only the alternative
 * with the member `of_union`: the struct with this name, or one without a name.
 */
void kernel_type_print(struct kernel_types *types, uint32_t id, const uint8_t *bytes, size_t len, const char *of_union,
		       bool zeros, struct out *o);
/* Return the name of an enum's value; NULL if it has none. */
const char *kernel_enum_name(const struct kernel_types *types, uint32_t id, int64_t value);

#endif
