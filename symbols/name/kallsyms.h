#ifndef SYMBOLS_NAME_KALLSYMS_H
#define SYMBOLS_NAME_KALLSYMS_H

#include "symbols/name/table.h"

enum { MAX_LINE = 64 << 10, MAX_KALLSYMS = 1 << 26 };

/* A line of a kallsyms file: "ffffffff81000000 T _text" or "ffffffffc0000000 t e1000_up\t[e1000]". */
struct kallsyms_line {
	uint64_t address;
	const char *name, *module; /* neither ends with a NUL; module "[e1000]", NULL: of the kernel itself */
	size_t name_len, module_len;
	char type;
};
/*
 * Parse the line up to `end`. `tab` is the first tab in the line; if there is none, any place from `end` on. Return
 * false if the line is no symbol of text or data.
 */
bool kallsyms_line(const char *line, const char *end, const char *tab, struct kallsyms_line *l);

/* Return whether a line in the first bytes of a file is one of a kallsyms file, with any type of symbol. */
bool kallsyms_likely(const char *text, size_t len);

/*
 * The text and data symbols of a kallsyms file, in file order. Source: proc_kallsyms(5); `nm`
 * for the type letters.
 */
struct kallsyms {
	VEC(struct kallsym {
		uint64_t address;
		uint32_t name;
		uint16_t module;
		char type;
	})
	symbols;
	VEC(char) text;         /* of the file; each name in it ends with a NUL */
	VEC(uint32_t) modules;  /* offsets of the names "[e1000]", by module number; 0 = the kernel */
	struct idtable by_name; /* finds modules by name */
	enum reason problem;    /* why there are no symbols */
	char *path;
	bool hidden; /* all addresses were 0 */
};
/*
 * Read a kallsyms file; regular files only. Never returns NULL: on failure the result is empty
 * and `problem` says why.
 */
struct kallsyms *kallsyms_read(const char *path);
/* For tests: parse it from memory. */
struct kallsyms *kallsyms_parse(const char *text, size_t len);
/*
 * Return the address of a kernel symbol. Reads the file only up to that symbol. 0 = not found,
 * or hidden from us.
 */
uint64_t kallsyms_address(const char *path, const char *name);
/*
 * Return true when no symbol of the file, of the kernel or a module, has one of these names
 * (NULL-terminated). Return false also when the file cannot be read.
 */
bool kallsyms_lacks(const char *path, const char *const *names);
void kallsyms_free(struct kallsyms *k);

#endif
