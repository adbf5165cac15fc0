#ifndef SYMBOLS_UNWIND_TABLES_H
#define SYMBOLS_UNWIND_TABLES_H

#include "symbols/symbols.h"

/*
 * Unwind stacks without a session, as a recorder does: objects are opened when they are mapped, and stay usable after
 * their process and file have gone. Of each object only the pages of code that stacks pass through get a table: 4
 * bytes for each row of .eh_frame, and the object's distinct rules once.
 *
 * Objects may be walked by several threads at once, each with a cache of its own.
 */
struct unwind_object;

/*
 * Open what is mapped: a regular file, whose descriptor it takes over (on failure, too). Its debug file is searched by
 * `path`, when a stack passes through code that the object itself does not describe: first below `root`, a descriptor
 * that must live as long as the object, then below our own root directory. -1: there only. NULL with e: no such file.
 */
struct unwind_object *unwind_object_open(int fd, int root, const char *path, struct err *e);
/* The same for the vdso of this machine; NULL if there is none. */
struct unwind_object *unwind_object_vdso(void);
void unwind_object_free(struct unwind_object *o);
/* Release the pages of its file; they fault in again on demand. */
void unwind_object_rest(struct unwind_object *o);
/* Return the bytes of its tables so far, and the number of rows and rules in them. */
struct unwind_object_size {
	uint64_t bytes, rows, rules;
};
struct unwind_object_size unwind_object_size(struct unwind_object *o);

/* A mapping of executable memory. */
enum unwind_code {
	UNWIND_CODE_FILE, /* `object`, or NULL: its file was not there */
	UNWIND_CODE_NONE, /* memory without a file: generated code, which can only keep frame pointers */
};
struct unwind_map {
	uint64_t start, end, pgoff;
	struct unwind_object *object;
	enum unwind_code kind;
};
/* What a process has mapped: sorted by address, without overlaps. `id` names this state of it; never 0. */
struct unwind_maps {
	const struct unwind_map *items;
	size_t n;
	uint32_t id;
	struct unwind_jit *jit; /* NULL, or what describes generated code */
};

/* One thread's cache from addresses to rules. */
struct unwind_cache;
struct unwind_cache *unwind_cache_new(void);
void unwind_cache_free(struct unwind_cache *c);
/* Over all walks: how many addresses were looked up, and how many of these the cache did not have. */
struct unwind_cache_count {
	uint64_t asked, missed;
};
struct unwind_cache_count unwind_cache_count(const struct unwind_cache *c);

/*
 * As unwind_user, for a process of this machine. `sps` gets the stack pointer of each entry. `space` of `args` means
 * nothing here; `time_ns` tells which code of a JIT was there.
 */
size_t unwind_by_tables(struct unwind_cache *c, const struct unwind_maps *maps, const struct unwind_args *args,
			uint64_t *ips, uint64_t *sps, size_t max, struct unwind_stop *stop);

#endif
