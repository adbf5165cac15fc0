#ifndef SYMBOLS_NAME_SYMBOLS_PRIV_H
#define SYMBOLS_NAME_SYMBOLS_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/file.h"
#include "base/hash.h"
#include "symbols/file/image.h"
#include "symbols/symbols.h"

/* A string table that symbol names point into. Not trusted to be terminated. */
struct strings {
	const char *text;
	size_t len;
};

enum {                     /* symbol.flags */
       SYMBOL_ALIASED = 1, /* the next symbol is another name of this one */
       SYMBOL_STUB = 2,    /* shown as NAME@plt; from_plt.c finds the name when it is asked for */
       SYMBOL_RAW = 4,     /* never demangled */
       SYMBOL_LINE = 8,    /* the name ends with its line */
};
enum { MAX_STRINGS = 16 };

/* State that another file of this folder keeps here; `free` (may be NULL) is called on `state` before the images are
 * closed. */
struct attached {
	void *state;
	void (*free)(void *state);
};

struct dso {
	const char *long_name, *short_name;
	const char *path; /* of its file, as recorded */
	enum dso_kind kind;
	bool guest;
	int32_t pid;       /* DSO_KIND_JIT */
	int32_t mapper;    /* a process that mapped it, 0 = not told */
	bool private_root; /* whose files are others than ours */
	uint64_t ino;      /* of its file as recorded, 0 = not told */
	struct build_id id;
	uint64_t start, len;  /* DSO_KIND_MODULE, DSO_KIND_KSYMBOL: where it lies in memory. DSO_KERNEL: address of
				 ref_name, 0 = none */
	const char *ref_name; /* DSO_KERNEL: "_text"; DSO_KIND_KSYMBOL, DSO_KIND_JIT_CODE: the one symbol */

	pthread_mutex_t lock;   /* for loading, names and arena; never held while another dso's is taken */
	atomic_bool loaded;     /* what follows is read-only once this is set */
	struct symbol *symbols; /* sorted by start */
	uint32_t n_symbols;
	struct strings strings[MAX_STRINGS];
	uint8_t n_strings;
	uint64_t bias;             /* of the kernel: recorded address = the image's own + bias */
	struct image *image;       /* what runs: code bytes, .eh_frame; NULL = not found */
	struct image *debug;       /* separate file with DWARF and symbols; NULL = none found (DWARF may be in image) */
	struct file_map map_file;  /* DSO_KIND_JIT: where the names are */
	struct image *mini;        /* embedded debug data (.gnu_debugdata), if symbols came from there */
	struct image *module_file; /* of a module whose symbols came from elsewhere; see module_image */
	bool debug_searched, module_searched;
	enum reason problem;          /* why it has no symbols, or fewer than it might */
	_Atomic(const char *) *names; /* of symbols, once asked for */
	struct arena arena;
	struct attached plt, dwarf, unwind; /* of from_plt.c (under the lock), dwarf.c and unwind.c (they guard them) */
	const uint8_t *lines;               /* DSO_KIND_JIT_CODE: as the jitdump tells them */
	size_t lines_len;
	bool lines_swapped;
	const uint8_t *unwind_info; /* the same for its .eh_frame */
	size_t unwind_info_len;
	const char *jit_path; /* the jitdump, as recorded */
	uint64_t jit_ino;
};

struct symbols {
	struct symbols_opts opts; /* symfs: the directory alone */
	bool flat;                /* files lie in symfs itself, whatever their path */
	struct arena arena;       /* names and options; only the thread that tells the timeline allocates */
	VEC(struct dso *) dsos;
	struct idtable by_name; /* of long names as interned */
	VEC(struct space *) spaces;
	struct kallsyms *kallsyms, *guest_kallsyms; /* read at most once */
	pthread_t kallsyms_thread;                  /* of symbols_read_ahead, while kallsyms_reading */
	bool kallsyms_reading;
	const char *kcore;  /* the recorded kernel's memory, NULL = not kept */
	char *cached_kcore; /* that of the build-id cache, which goes with `kallsyms` then */
	bool kcore_searched;
	struct u64map jits; /* process -> enum reason: what became of its jitdump */
	pthread_mutex_t kallsyms_lock;
	struct attached unwind; /* of unwind.c */
};

struct dso *symbols_get_dso(const struct symbols *s, uint32_t dso); /* the unknown object for bad ids */
/* Code at [start, start + len) with one symbol: the object of that name, interned. */
uint32_t symbols_code(struct symbols *s, enum dso_kind kind, const char *name, const char *symbol, uint64_t start,
		      uint64_t len);
/* Line of DSO_KIND_JIT_CODE. */
bool jit_source_line(const struct dso *d, uint64_t address, struct source_line *l);
void spaces_free(struct symbols *s);
void spaces_freeze(struct symbols *s);
/* Loads the object if that was not done yet. Returns it. */
struct dso *dso_load(struct symbols *s, uint32_t dso);
bool is_c_library(const struct dso *d);

#endif
