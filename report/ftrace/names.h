#ifndef REPORT_FTRACE_NAMES_H
#define REPORT_FTRACE_NAMES_H

#include "base/out.h"
#include "symbols/name/kallsyms.h"

/* Names of kernel functions by address, as the kernel prints them. Names are foreign text. */
struct ftrace_names;
struct ftrace_name {
	const char *name, *module; /* module: "[ext4]", NULL for the kernel itself */
	uint64_t offset;
};
/*
 * Takes over `k`. `modules` is the text of /proc/modules, which says where modules end. If it is NULL, a
 * name counts for all addresses in the megabyte after it.
 */
struct ftrace_names *ftrace_names_new(struct kallsyms *k, const char *modules);
void ftrace_names_free(struct ftrace_names *n);
/* Find the function at an address; false: none. `n` may be NULL. */
bool ftrace_names_find(struct ftrace_names *n, uint64_t address, struct ftrace_name *found);
/* Also find code that the kernel made at run time and does not name in its text: "ftrace_trampoline". */
bool ftrace_names_find_all(const struct ftrace_names *n, uint64_t address, struct ftrace_name *found);
/* Print "vfs_read", with_module "ext4_sync [ext4]", or the address if it has no name. */
void ftrace_names_print(struct ftrace_names *n, uint64_t address, bool with_module, struct out *o);
/* Return the address of the kernel's own symbol with this name, 0 = none. */
uint64_t ftrace_names_address(const struct ftrace_names *n, const char *name);
/* Return a number for the name of a function, the same for all its addresses; return the text of the number. */
uint32_t ftrace_names_id(struct ftrace_names *n, uint64_t address);
const char *ftrace_names_text(const struct ftrace_names *n, uint32_t id);

#endif
