#ifndef SYMBOLS_LINE_DWARF_PRIV_H
#define SYMBOLS_LINE_DWARF_PRIV_H

#include "base/mem.h"
#include "symbols/symbols.h"

/*
 * Lines and inlined calls of one object, read from its DWARF (2 to 5) with libdw. Everything is
 * built on demand and kept: the table of units once, a unit's functions at the first address in
 * it, a function's inlined calls at the first address in that function. The DWARF is hostile:
 * the size of the data limits how many entries are visited, and a constant limits the depth.
 * Thread-safe: each handle has a lock, and objects with many units have several handles.
 */
struct dwarf_info;
struct dwarf_split;

/* Memory that holds an ELF object; data NULL = none. */
struct elf_bytes {
	const void *data;
	size_t len;
};

/*
 * Open the DWARF of an object. Return NULL when it has none. `object` and `alt` must outlive
 * the struct; `alt` is the file that the object's .gnu_debugaltlink names, if it was found.
 * `split` (may be NULL) finds the split-off parts of units; the function takes it over, also on
 * failure.
 */
struct dwarf_info *dwarf_info_new(struct elf_bytes object, struct elf_bytes alt, struct dwarf_split *split,
				  bool no_demangle, bool short_templates);
/*
 * Open only the unit with code at the address, which is much cheaper. Return NULL when that is
 * impossible.
 */
struct dwarf_info *dwarf_info_new_near(struct elf_bytes object, uint64_t addr, bool no_demangle, bool short_templates);
/* Return whether one of its units has code there. */
bool dwarf_info_has(const struct dwarf_info *w, uint64_t addr);
void dwarf_info_free(struct dwarf_info *w);
/*
 * Answer dso_source_line, dso_inlines, dso_function and dso_producer. Addresses are the object's own. Strings
 * live as long as the struct.
 */
bool dwarf_info_line(struct dwarf_info *w, uint64_t addr, struct source_line *l);
size_t dwarf_info_inlines(struct dwarf_info *w, uint64_t addr, struct inline_frame *frames, size_t max,
			  struct source_line *outer);
const char *dwarf_info_producer(struct dwarf_info *w, uint64_t addr);
const char *dwarf_info_function(struct dwarf_info *w, uint64_t addr);

#endif
