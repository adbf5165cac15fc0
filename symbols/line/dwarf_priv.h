#ifndef SYMBOLS_LINE_DWARF_PRIV_H
#define SYMBOLS_LINE_DWARF_PRIV_H

#include "base/mem.h"
#include "symbols/symbols.h"

/*
 * Lines and inlined calls of one object, read from its DWARF (2 to 5) through libdw. Everything is built for the part
 * that is asked for: the table of units once, a unit's functions at the first address in it, a function's inlined calls
 * at the first address in that. Answers are kept. The DWARF is hostile: how many entries are visited is bounded by the
 * size of the data, and depth by a constant. Thread-safe: a lock per handle; objects of many units have several
 * handles.
 */
struct dwarf_info;
struct dwarf_split;

/* A piece of memory that holds an ELF object; data NULL = none. */
struct elf_bytes {
	const void *data;
	size_t len;
};

/*
 * `object` and `alt` must outlive the struct; `alt` is the file that the object's .gnu_debugaltlink names, if it was
 * found. `split` (taken; may be NULL) finds what was split off its units. NULL when there is no DWARF in it.
 */
struct dwarf_info *dwarf_info_new(struct elf_bytes object, struct elf_bytes alt, struct dwarf_split *split,
				  bool no_demangle, bool short_templates);
/* With nothing but the unit that has code at the address, which costs far less; NULL when that cannot be told from the
 * others. */
struct dwarf_info *dwarf_info_new_near(struct elf_bytes object, uint64_t addr, bool no_demangle, bool short_templates);
bool dwarf_info_has(const struct dwarf_info *w, uint64_t addr); /* is it in code of one of its units? */
void dwarf_info_free(struct dwarf_info *w);
/* Addresses are the object's own. See dso_source_line, dso_inlines and dso_function. Strings live as long as the
 * struct. */
bool dwarf_info_line(struct dwarf_info *w, uint64_t addr, struct source_line *l);
size_t dwarf_info_inlines(struct dwarf_info *w, uint64_t addr, struct inline_frame *frames, size_t max,
			  struct source_line *outer);
const char *dwarf_info_function(struct dwarf_info *w, uint64_t addr);

#endif
