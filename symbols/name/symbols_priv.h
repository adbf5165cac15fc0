#ifndef SYMBOLS_NAME_SYMBOLS_PRIV_H
#define SYMBOLS_NAME_SYMBOLS_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/out.h"
#include "symbols/file/image.h"
#include "symbols/name/bundle.h"
#include "symbols/name/jitdump.h"
#include "symbols/symbols.h"

/* A string table that symbol names point into. The end of the text may lack a NUL. */
struct strings {
	const char *text;
	size_t len;
};

enum {                     /* symbol.flags */
       SYMBOL_ALIASED = 1, /* the next symbol is another name for this one */
       SYMBOL_STUB = 2,    /* shown as NAME@plt; from_plt.c finds the name on request */
       SYMBOL_RAW = 4,     /* never demangled */
       SYMBOL_LINE = 8,    /* the name ends at the end of its line */
       SYMBOL_TAB = 16,    /* the name ends at the next tab */
};
enum { MAX_STRINGS = 16 };

/*
 * State that another file of this folder keeps here. symbols_free() calls `free` (may be NULL)
 * on `state` before it closes the images.
 */
struct attached {
	void *state;
	void (*free)(void *state);
};

struct dso {
	const char *long_name, *short_name;
	const char *path; /* path of its file, as recorded */
	enum dso_kind kind;
	bool guest;
	int32_t pid;         /* DSO_KIND_JIT */
	int32_t mapper;      /* a process that mapped it, 0 = unknown */
	bool private_root;   /* the mapper has its own mount namespace */
	bool is_below_root;  /* `image` is a file below the mapper's root directory */
	uint64_t ino;        /* inode of its file as recorded, 0 = unknown */
	uint64_t generation; /* of that inode, 0 = unknown */
	struct build_id id;
	/*
	 * DSO_KIND_MODULE, DSO_KIND_KSYMBOL: where it lies in memory. DSO_KERNEL: address of
	 * ref_name, 0 = none.
	 */
	uint64_t start, len;
	const char *ref_name; /* DSO_KERNEL: "_text"; DSO_KIND_KSYMBOL, DSO_KIND_JIT_CODE: the one symbol */

	/* guards loading, names and arena; never held while taking another dso's */
	pthread_mutex_t lock;
	atomic_bool loaded;     /* once set, the members below are read-only */
	struct symbol *symbols; /* sorted by start */
	uint32_t n_symbols;
	struct strings strings[MAX_STRINGS];
	uint8_t n_strings;
	uint64_t bias;       /* kernel: recorded address = image's own address + bias */
	struct image *image; /* the code that runs: code bytes, .eh_frame; NULL = not found */
	/* separate file with DWARF and symbols; NULL = none found (DWARF may be in image) */
	struct image *debug;
	struct file_map map_file;  /* DSO_KIND_JIT: holds the names */
	struct image *mini;        /* embedded debug data (.gnu_debugdata), if symbols came from there */
	struct image *module_file; /* module whose symbols came from elsewhere; see module_image */
	bool debug_searched, module_searched;
	enum reason problem;          /* why it has no symbols, or fewer than possible */
	_Atomic(const char *) *names; /* of symbols, filled on request */
	struct kernel_blocks *blocks; /* the kernel: its symbols, instead of `symbols`; NULL: `symbols` has all */
	struct kernel_list *list;     /* holds the names; NULL = other texts do */
	struct arena arena;
	/* from_plt.c (under the lock); dwarf.c and unwind.c (they lock) */
	struct attached plt, dwarf, unwind;
	const uint8_t *lines; /* DSO_KIND_JIT_CODE: the jitdump's line record */
	size_t lines_len;
	bool lines_swapped;
	const uint8_t *unwind_info; /* the same for its .eh_frame */
	size_t unwind_info_len;
	const char *jit_path; /* path of the jitdump, as recorded */
	uint64_t jit_ino;
	const struct bundle_object *bundled; /* what the recording's bundle has about it; NULL = nothing */
	bool from_bundle;                    /* its symbols and `image` come from the bundle */
	uint64_t name_hash;                  /* in symbols.by_name; 0 = not there */
	uint8_t unused;                      /* number of consecutive sweeps that found it unused */
	struct arena names_arena;            /* holds its names as long as it lives */
};

/* The recording's bundle, expanded when first needed. */
struct bundle_state {
	pthread_mutex_t lock;
	struct bundle *bundle;
	bool opened;
};

struct symbols {
	struct symbols_opts opts; /* symfs: only the directory */
	bool flat;                /* files lie in symfs itself, whatever their path */
	/* names and options; only the thread that describes the timeline allocates */
	struct arena arena;
	VEC(struct dso *) dsos;               /* NULL: swept away */
	VEC(uint32_t) free_dsos, free_spaces; /* ids to use again */
	struct idtable by_name;               /* finds objects by their interned long name */
	VEC(uint32_t) changed_spaces;         /* since the last freeze */
	VEC(struct space *) spaces;
	struct kernel_list *kallsyms, *guest_kallsyms; /* read at most once */
	/* of symbols_read_ahead, valid while kallsyms_reading */
	pthread_t kallsyms_thread;
	bool kallsyms_reading;
	const char *kcore; /* the recorded kernel's memory, NULL = none */
	/* path of the copy in the build-id cache; `kallsyms` is then from there too */
	char *cached_kcore;
	bool kcore_searched;
	struct u64map jits; /* process -> enum reason: why its jitdump did not help */
	pthread_mutex_t kallsyms_lock;
	struct attached unwind; /* state of unwind.c */
	struct bundle_state *bundle;
	atomic_bool debuginfod_slow; /* a server sent no byte in time: ask no more */
};

struct dso *symbols_get_dso(const struct symbols *s, uint32_t dso); /* the unknown object for bad ids */
/*
 * Return the object for code at [start, start + len) with this name and one symbol; create it
 * if it is new.
 */
uint32_t symbols_code(struct symbols *s, enum dso_kind kind, const char *name, const char *symbol, uint64_t start,
		      uint64_t len);
/* Find the source line at an address of a DSO_KIND_JIT_CODE object. */
bool jit_source_line(const struct dso *d, uint64_t address, struct source_line *l);
void spaces_free(struct symbols *s);
/*
 * Free the spaces that are not in use, and hidden maps of the others. Mark the objects that are
 * still mapped.
 */
void spaces_sweep(struct symbols *s, const bool *used, bool *dsos);
void dso_free(struct dso *d);
void spaces_freeze(struct symbols *s);
/* Load the object if that was not done yet. Return it. */
struct dso *dso_load(struct symbols *s, uint32_t dso);
/* Compute where the object's first symbol begins and its last one ends. Return false if it has none. */
bool dso_span(struct symbols *s, uint32_t dso, uint64_t *start, uint64_t *end);
bool is_c_library(const struct dso *d);

/* --- bundle.c --- */

struct bundle {
	void *heap;
	struct bytes strings;
	struct arena arena; /* names that were shortened */
	VEC(struct bundle_object) objects;
	struct u64map by_name; /* hash of a name to number + 1 of the first object with it */
	VEC(struct bundle_file) files;
};

/* Index the expanded bytes of a section, which it takes over, also on failure. NULL when they are damaged. */
struct bundle *bundle_index(void *heap, size_t len);
void bundle_free(struct bundle *b); /* NULL is fine */
/* What the bundle knows of an object of the timeline, NULL = nothing. */
struct bundle_object *bundle_find(const struct bundle *b, const struct dso *d);
/* Decode the places and inlined calls. No other thread may do so at the same time. */
void bundle_object_load(struct bundle *b, struct bundle_object *o, bool short_templates);

/* --- jit_lines.c --- */

/*
 * The lines of a piece of code as DWARF sections, for an object in which the code lies at
 * `address`.
 */
struct jit_dwarf {
	struct out line, info, abbrev;
};
void jit_dwarf_init(struct jit_dwarf *d, const struct jitdump *j, const struct jitdump_code *code, uint64_t address);
void jit_dwarf_release(struct jit_dwarf *d);

#endif
