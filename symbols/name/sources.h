#ifndef SYMBOLS_NAME_SOURCES_H
#define SYMBOLS_NAME_SOURCES_H

#include "symbols/name/table.h"

/*
 * A source of symbols for some kinds of object. `load` returns 1 when it has given the object its symbols (no other
 * source is asked then), 0 when it has none; it may set d->problem, d->image and d->debug either way. Called with the
 * object's lock held, before it is `loaded`.
 */
struct source {
	const char *name;
	unsigned kinds; /* bit per enum dso_kind */
	int (*load)(struct symbols *s, struct dso *d);
};
extern const struct source sources[]; /* in order of trust, ends with a NULL name */

int from_one_symbol(struct symbols *s, struct dso *d);
int from_perfmap(struct symbols *s, struct dso *d);
int from_vdso(struct symbols *s, struct dso *d);
int from_elf(struct symbols *s, struct dso *d);
int from_kallsyms_option(struct symbols *s, struct dso *d); /* --kallsyms FILE */
int from_kernel_image(struct symbols *s, struct dso *d);
int from_module_file(struct symbols *s, struct dso *d);
int from_kallsyms(struct symbols *s, struct dso *d); /* of the build-id cache, of the running kernel */

/* ---- shared by the sources ---- */

/* Add the functions and objects of one symbol table (SHT_SYMTAB, SHT_DYNSYM). Returns how many. */
size_t elf_add_symbols(struct dso *d, const struct image *im, uint32_t section_type, struct table *t);
/* Add the stubs of the procedure linkage table of d->image; what they are called is looked up when it is asked for. */
void elf_add_plt(struct dso *d, struct table *t);
/* "NAME@plt" of such a stub, as symbol_text. */
const char *plt_stub_text(const struct dso *d, const struct symbol *stub, bool raw, struct arena *arena);
/* All symbols of d->image and of what was split off it. As a source's `load`. */
int elf_load(struct symbols *s, struct dso *d);
/* The embedded, compressed symbol table of some distributions (.gnu_debugdata) as an image of its own, or NULL. */
struct image *elf_debugdata(const struct image *im);

/*
 * Opens the object file a recording calls `path`, below --symfs if there is one and never outside of it. The build-id
 * must be the recorded one where both exist, and exist where one was recorded. Files that gzip, xz or zstd compressed
 * (modules) are decompressed. NULL with *problem set on failure.
 */
struct image *open_object(struct symbols *s, const char *path, const struct build_id *id, enum reason *problem);
/* The file of that path as a living process sees it, in a mount name space of its own. */
struct image *open_in_process(struct symbols *s, int32_t pid, const char *path, const struct build_id *id,
			      enum reason *problem);
/* The file that a living process has mapped under that path, deleted or replaced though it may be; `ino` as recorded, 0
 * = not told. */
struct image *open_mapped(struct symbols *s, int32_t pid, const char *path, uint64_t ino, const struct build_id *id,
			  enum reason *problem);
/* The same as open_object for a file of this machine that --symfs does not move (the build-id cache). */
struct image *open_local(const char *path, const struct build_id *id, enum reason *problem);
/* "DIR/.build-id/ab/cdef...MEMBER" in the build-id cache, malloc'd; NULL when there is no cache or no id. */
char *cache_path(const struct symbols *s, const struct build_id *id, const char *member);
/* What the build-id cache keeps under that id, or NULL. */
struct image *open_cached(struct symbols *s, const struct build_id *id, const char *member);
/*
 * Maps a file that a process wrote for readers of its recording: regular, no link, of root, us (-f: of anybody) or the
 * process's owner, and the inode recorded (0: not told). Looked for at `path`, and while the process lives at
 * `path_in_process` below its root. -1 with *problem set.
 */
int private_file(const struct symbols *s, const char *path, const char *path_in_process, int32_t pid, uint64_t ino,
		 struct file_map *m, enum reason *problem);
/* Whether the process may still be asked: it runs, and on this machine. */
bool process_lives(const struct symbols *s, int32_t pid);
/* What a living process calls itself; `pid` if it has no name space of its own or is gone. */
int32_t pid_in_namespace(int32_t pid);
/* Move the symbols collected so far from the kernel's linked addresses to the recorded ones, by the reference symbol.
 * False if it is missing. */
bool kernel_relocate(struct dso *d, struct table *t);
/* Whether this machine runs the kernel that was recorded, as far as its build-id or release tells; 0 = no, 1 = yes, -1
 * = nothing tells. */
int running_kernel_fits(struct symbols *s);
/*
 * How far the recorded kernel lay behind where it lies now: *delta to be taken from its recorded addresses. False when
 * it is another kernel, or nothing tells where either lies. Modules lie anew in every boot: they are where they were
 * only if *delta is 0.
 */
bool running_kernel_moved(struct symbols *s, uint64_t *delta);
/* There is a file where from_kernel_image would look for the kernel. */
bool kernel_image_expected(struct symbols *s);
/* What runs, as a file: d->image; of a module whose names kallsyms told also its file, if that is the recorded one.
 * Lock held. */
const struct image *module_image(struct symbols *s, struct dso *d);
/* Wait for what symbols_read_ahead began; NULL if it did not, or read another file. The caller owns it. */
struct kallsyms *kallsyms_read_ahead(struct symbols *s, const char *path);
/* The file with the symbols and DWARF that were split off `d`, or NULL. Looked for once. Lock held. */
struct image *debugfile_find(struct symbols *s, struct dso *d);
/* The shared DWARF (dwz) that the object's .gnu_debugaltlink names, or NULL. */
struct image *dwarf_find_alt(struct symbols *s, const struct image *im);

#endif
