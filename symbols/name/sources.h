#ifndef SYMBOLS_NAME_SOURCES_H
#define SYMBOLS_NAME_SOURCES_H

#include "symbols/name/table.h"

/*
 * A source of symbols for some kinds of object. `load` returns 1 when it has set the object's
 * symbols (then no other source runs), 0 when it has none. It may set d->problem, d->image and
 * d->debug in both cases. Called with the object's lock held, before `loaded` is set.
 */
struct source {
	const char *name;
	unsigned kinds; /* bit per enum dso_kind */
	bool files;     /* it reads files outside of the recording */
	int (*load)(struct symbols *s, struct dso *d);
};
extern const struct source sources[]; /* in order of trust, ends with a NULL name */

/*
 * The recording's bundle: before files that may not be the recorded ones, and for objects that no other source
 * knows.
 */
int from_bundle(struct symbols *s, struct dso *d);
int from_bundle_last(struct symbols *s, struct dso *d);
int from_one_symbol(struct symbols *s, struct dso *d);
int from_perfmap(struct symbols *s, struct dso *d);
int from_vdso(struct symbols *s, struct dso *d);
int from_elf(struct symbols *s, struct dso *d);
int from_kallsyms_option(struct symbols *s, struct dso *d); /* --kallsyms FILE */
int from_kernel_image(struct symbols *s, struct dso *d);
int from_module_file(struct symbols *s, struct dso *d);
int from_kallsyms(struct symbols *s, struct dso *d); /* from the build-id cache or the running kernel */

/* ---- shared by the sources ---- */

/*
 * Add the functions and objects of one symbol table (SHT_SYMTAB, SHT_DYNSYM). Return their
 * number.
 */
size_t elf_add_symbols(struct dso *d, const struct image *im, uint32_t section_type, struct symbol_table *t);
/*
 * Add the stubs of the procedure linkage table of d->image. Their names are read on demand.
 */
void elf_add_plt(struct dso *d, struct symbol_table *t);
/* Return "NAME@plt" for such a stub, in the arena; `raw` as in symbol_text(). */
const char *plt_stub_text(const struct dso *d, const struct symbol *stub, bool raw, struct arena *arena);
/* Load all symbols of d->image and of its separate debug file. Return as a source's `load`. */
int elf_load(struct symbols *s, struct dso *d);
/*
 * Return the embedded, compressed symbol table of some distributions (.gnu_debugdata) as a separate image, or NULL.
 */
struct image *elf_debugdata(const struct image *im);

/*
 * Open the object file that a recording calls `path`, below --symfs if it is set, and never
 * outside it. When a build-id was recorded, the file must have the same one. Files compressed
 * with gzip, xz or zstd (modules) are decompressed. Return NULL with *problem set on failure.
 */
struct image *open_object(struct symbols *s, const char *path, const struct build_id *id, enum reason *problem);
/* Open the file at that path as a living process sees it in its own mount namespace. */
struct image *open_in_process(struct symbols *s, int32_t pid, const char *path, const struct build_id *id,
			      enum reason *problem);
/*
 * Open the file that a living process has mapped under that path, even if it was deleted or
 * replaced. `ino` as recorded, 0 = not recorded.
 */
struct image *open_mapped(struct symbols *s, int32_t pid, const char *path, uint64_t ino, const struct build_id *id,
			  enum reason *problem);
/* Open a file of this machine like open_object(), but ignore --symfs (for the build-id cache). */
struct image *open_local(const char *path, const struct build_id *id, enum reason *problem);
/*
 * Return "DIR/.build-id/ab/cdef...MEMBER" in the build-id cache, NULL when there is no cache or
 * no id. The caller frees it.
 */
char *cache_path(const struct symbols *s, const struct build_id *id, const char *member);
/* Open what the build-id cache keeps for that id. Return NULL if there is nothing. */
struct image *open_cached(struct symbols *s, const struct build_id *id, const char *member);
/*
 * Map a file that a process wrote for the readers of its recording. It must be regular, not a link, owned by root, us
 * (with -f: any user) or the process's owner, and have the recorded inode (0: not recorded). Look for it at `path`
 * and, while the process lives, at `path_in_process` below its root. Return -1 with *problem set on failure.
 */
int private_file(const struct symbols *s, const char *path, const char *path_in_process, int32_t pid, uint64_t ino,
		 struct file_map *m, enum reason *problem);
/* Return whether we can still ask the process: it runs, on this machine. */
bool process_lives(const struct symbols *s, int32_t pid);
/*
 * Return the pid of a living process inside its own pid namespace; `pid` if it has no separate one or has ended.
 */
int32_t pid_in_namespace(int32_t pid);
/*
 * Return whether this machine runs the recorded kernel, judged by build-id or release: 0 = no,
 * 1 = yes, -1 = unknown.
 */
int running_kernel_fits(struct symbols *s);
/*
 * Compute where the recorded kernel is now: subtract *delta from its recorded addresses. Return false when another
 * kernel runs, or when either place is unknown. Every boot places modules anew: they have their old addresses only if
 * *delta is 0.
 */
bool running_kernel_moved(struct symbols *s, uint64_t *delta);
/* Return whether a file exists where from_kernel_image() would look for the kernel. */
bool kernel_image_expected(struct symbols *s);
/*
 * Return the file of the running code: d->image; for a module with symbols from kallsyms its
 * file, if it is the recorded one. The lock must be held.
 */
const struct image *module_image(struct symbols *s, struct dso *d);
/*
 * Wait for the list that symbols_read_ahead() started to read. Return NULL if it did not start,
 * or reads another file. The caller owns the list.
 */
struct kernel_list *kallsyms_read_ahead(struct symbols *s, const char *path);
/*
 * Return the file with the separate symbols and DWARF of `d`, or NULL. Searches once. The lock
 * must be held.
 */
struct image *debugfile_find(struct symbols *s, struct dso *d);
/*
 * The same for an object outside of any session that is, or was, at `path`: look where this machine keeps such files,
 * first below the directory of the descriptor `root`, unless it is -1. The caller frees it with image_free.
 */
struct image *debugfile_of(int root, const char *path, const struct image *of);
/* Return the shared DWARF (dwz) that the object's .gnu_debugaltlink names, or NULL. */
struct image *dwarf_find_alt(struct symbols *s, const struct image *im);

#endif
