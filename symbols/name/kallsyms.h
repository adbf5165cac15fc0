#ifndef SYMBOLS_NAME_KALLSYMS_H
#define SYMBOLS_NAME_KALLSYMS_H

#include "symbols/name/table.h"

/* The text and data symbols of a kallsyms file, in its order. Source: proc_kallsyms(5); `nm` for the type letters. */
struct kallsyms {
	VEC(struct kallsym {
		uint64_t address;
		uint32_t name;
		uint16_t module;
		char type;
	})
	symbols;
	VEC(char) text;         /* of the file; the names in it end with a NUL */
	VEC(uint32_t) modules;  /* names "[e1000]", by number; 0 = the kernel */
	struct idtable by_name; /* of the modules */
	enum reason problem;    /* why there are no symbols */
	char *path;
	bool hidden; /* all addresses were 0 */
};
/* Never NULL; on failure it is empty and tells the problem. Regular files only. */
struct kallsyms *kallsyms_read(const char *path);
/* For tests: from memory. */
struct kallsyms *kallsyms_parse(const char *text, size_t len);
/* The address of one of the kernel's own symbols in the file, which is read no further than there. 0: it is not there,
 * or hidden from us. */
uint64_t kallsyms_address(const char *path, const char *name);
/* No symbol of the file, the kernel's or a module's, has one of these names (NULL at the end). False also when it
 * cannot be read. */
bool kallsyms_lacks(const char *path, const char *const *names);
void kallsyms_free(struct kallsyms *k);

#endif
