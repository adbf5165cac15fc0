#ifndef SYMBOLS_SYMBOLS_H
#define SYMBOLS_SYMBOLS_H

/*
 * Turn addresses into names, source lines and instructions; unwind stacks.
 *
 * Example: print the function at an address.
 *
 *	struct symbols *s = symbols_new(&(struct symbols_opts){ 0 });
 *	uint32_t space = space_new(s, SPACE_NONE, 0), dso;
 *	struct map_hit hit;
 *
 *	dso = symbols_dso(s, &(struct dso_args){ .filename = "/bin/ls", .exec = true });
 *	space_map(s, space, &(struct map_args){ .start = 0x1000, .len = 0x9000, .dso = dso });
 *	if (space_find(s, space, 0, 0x5800, &hit))
 *		printf("%s: %s\n", dso_short_name(s, hit.dso),
 *		       symbol_name(s, hit.dso, dso_find(s, hit.dso, hit.dso_off)));
 *	symbols_free(s);
 *
 * Create one struct symbols per session. Then work in two phases. First describe the timeline
 * in time order (symbols_dso, space_*). After that the tables are read-only, and many threads
 * may call the find functions at once. A dso loads its symbols at its first lookup, under a
 * lock of its own.
 *
 * This folder never sees a record: the session (report/) turns map records into plain
 * arguments. "Foreign text" marks strings that come from a recording or an object file: they
 * may hold any bytes.
 */
#include "base/err.h"
#include "base/mem.h"
#include "base/out.h"
#include "symbols/name/reasons.h"

struct symbols;

/*
 * When the bundle of a recording answers. USUAL: where no object is here that proves to be the recorded one. FIRST:
 * before all others. ALONE: no file of this machine is read.
 */
enum bundle_use { BUNDLE_USUAL, BUNDLE_NEVER, BUNDLE_FIRST, BUNDLE_ALONE };

struct symbols_opts {
	/*
	 * "DIR[,LAYOUT]": look for object files below this directory, by their path (hierarchy)
	 * or by their base name (flat). NULL = "/".
	 */
	const char *symfs;
	const char *kallsyms; /* read this file instead of /proc/kallsyms */
	const char *vmlinux;  /* use this kernel image */
	/*
	 * directory with the recorded kernel's memory and symbols (files kcore and kallsyms);
	 * NULL = none
	 */
	const char *kcore_dir;
	const char *guest_kallsyms; /* the guest kernel's symbols; NULL = none */
	/* kernel release of the recording ("6.1.0-18-amd64"); NULL = unknown */
	const char *osrelease;
	bool no_kernel_image; /* --ignore-vmlinux */
	bool no_demangle;
	bool demangle_kernel; /* demangle kernel names too: parts of a kernel may be Rust or C++ */
	bool no_modules;      /* do not load symbols of modules */
	bool short_templates; /* show "<...>" for template arguments */
	bool no_kernel;       /* do not load symbols of the kernel */
	bool force;           /* accept map files of any owner (-f) */
	/* recorded on another machine or arch: do not ask this machine's kernel or processes */
	bool foreign;
	const char *buildid_dir; /* NULL = $PERF_BUILDID_DIR, else ~/.debug; "/dev/null" = none */
	/*
	 * when the recording ended, in CLOCK_REALTIME; 0 = unknown. A file written later is not
	 * the recorded one.
	 */
	int64_t recorded_ns;
	const char *arch;   /* uname machine of the recording ("x86_64"); NULL = ours */
	const void *bundle; /* the recording's bundle (strobe.data(5)), which outlives the session; NULL = none */
	size_t bundle_len;
	enum bundle_use bundle_use;
	bool debuginfod;                      /* ask the servers in DEBUGINFOD_URLS for what is not here */
	void (*fetching)(const char *object); /* called before each question; foreign text; may be NULL */
	struct fetched *fetched;  /* instead of asking servers: take what is in it, and note there what is missing */
	const char *unwind_style; /* for symbols_set_unwinders, whoever opens the recording calls it; NULL = default */
};

/*
 * Check that the files named in opts can be read and begin like files of their kind, and that the symfs layout is
 * known. Return -1 with e set otherwise.
 */
int symbols_opts_check(const struct symbols_opts *opts, struct err *e);
/* Create the store. Copies the strings in opts. */
struct symbols *symbols_new(const struct symbols_opts *opts);
/* Return the DIR of symfs; NULL = "/". */
const char *symbols_root(const struct symbols *s);
void symbols_free(struct symbols *s);
/*
 * Start to read the kernel's symbol list on another thread while the caller does other work, if
 * it is /proc/kallsyms. Of a copy in a file, the first lookup reads only what it needs. Call it at
 * most once, on the thread that describes the timeline. It does not change any answer.
 */
void symbols_read_ahead(struct symbols *s);
/*
 * Return true when neither the kernel nor a module has a function with one of these names
 * (NULL-terminated). This scans the symbol list, which is cheaper than loading it. Return false
 * also when only loading could tell. Call it on one thread, before any lookup of names.
 */
bool symbols_kernel_lacks(struct symbols *s, const char *const *names);
/*
 * Build the indexes that make lookups fast; call it when the timeline is complete for now.
 * Lookups are right without it. You may add to the timeline afterwards and freeze again, as a
 * live view does after each round. No lookup may run while another thread changes or freezes
 * the timeline.
 */
void symbols_freeze(struct symbols *s);
/*
 * Forget the past, for a live view that has no end. Keep only the spaces of processes whose entry in `spaces` (by id)
 * is set; their present maps then count for all times. Keep the objects that are mapped or marked in `dsos` (by id,
 * symbols_n_dsos entries), and for a while others that were mapped before. Their ids do not change; other ids are
 * reused.
 */
void symbols_sweep(struct symbols *s, const bool *spaces, bool *dsos);
size_t symbols_n_spaces(const struct symbols *s); /* valid ids are smaller */

/* ---- objects ---- */

/* Objects that always exist. DSO_UNKNOWN is "[unknown]". */
enum { DSO_UNKNOWN = 0, DSO_KERNEL = 1, DSO_GUEST_KERNEL = 2 };
enum dso_kind {
	DSO_KIND_UNKNOWN,
	DSO_KIND_FILE,
	DSO_KIND_KERNEL, /* of the host or the guest */
	DSO_KIND_MODULE,
	DSO_KIND_VDSO,
	DSO_KIND_VSYSCALL,
	DSO_KIND_JIT,      /* executable memory without a file; symbols come from perf-PID.map */
	DSO_KIND_ANON,     /* memory without a file, not executable */
	DSO_KIND_KSYMBOL,  /* code the kernel generated (BPF programs, trampolines): one symbol */
	DSO_KIND_JIT_CODE, /* a piece of code from a jitdump: one symbol */
};

struct build_id {
	uint8_t bytes[20], size;
}; /* size 0 = none */
static inline bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

/* What a map or build-id record says about an object. */
struct dso_args {
	const char *filename;      /* as recorded; foreign text */
	const struct build_id *id; /* NULL = not recorded */
	/*
	 * process that mapped it: selects the map file of anonymous executable memory, and the
	 * root directory to look in while the process lives
	 */
	int32_t pid;
	uint64_t ino;        /* inode of the file, 0 = not recorded */
	uint64_t generation; /* of the inode: another file of the same number has another one; 0 = not recorded */
	uint32_t flags;      /* mmap flags as recorded; MAP_HUGETLB memory counts as anonymous */
	bool exec;           /* mapped executable */
	bool kernel, guest;  /* mapped in kernel mode; mapped in a guest */
	bool by_id;          /* comes from a build-id record, not from a map */
	bool private_root;   /* the process has its own mount namespace */
};
/*
 * Return the id of an object; create it if it is new. Two objects are the same when they have
 * the same name and build-id, or the same inode where no build-id was recorded. An object
 * without an id may learn its id later.
 *
 * The name decides the kind. In kernel mode "[kernel.kallsyms]_text" and any "...vmlinux..."
 * are the kernel itself; "_text" names the symbol whose address is the map's pgoff. Other names
 * in kernel mode are modules. In user mode "[vdso]" and "[vsyscall]" are known names. "//anon",
 * "[heap]", "[stack", "/SYSV" and "/dev/zero" are anonymous memory; if executable, they become
 * "/tmp/perf-PID.map". All other names are files.
 */
uint32_t symbols_dso(struct symbols *s, const struct dso_args *args);
/*
 * Return the object for kernel code at [start, start + len) that has only this one symbol
 * (PERF_RECORD_KSYMBOL). The caller maps it there.
 */
uint32_t symbols_ksymbol(struct symbols *s, const char *name, uint64_t start, uint64_t len);
/* Return whether an executable map of this path announces a jitdump: "jit-PID.dump". */
bool is_jitdump(const char *path);
/*
 * Read the jitdump that a process mapped. `ino` is its inode as recorded, 0 = not recorded.
 * Return the number of code pieces. The caller frees *codes; they are in file order, each with
 * the object to map there. *timed is true when their times are in CLOCK_MONOTONIC; otherwise we
 * do not know their clock. Return 0 and set *problem when the file is missing, is not the
 * recorded one or cannot be trusted.
 */
struct jit_code {
	uint64_t time_ns, start, len;
	uint32_t dso;
};
size_t symbols_jitdump(struct symbols *s, const char *path, int32_t pid, uint64_t ino, struct jit_code **codes,
		       bool *timed, enum reason *problem);
/* Set the build-id of an object when a BUILD_ID feature or record supplies it later. */
void symbols_set_build_id(struct symbols *s, uint32_t dso, const struct build_id *id);
/* Return the object whose long or short name is exactly this, 0 if none. */
uint32_t symbols_find_dso(const struct symbols *s, const char *name);
size_t symbols_n_dsos(const struct symbols *s); /* valid ids are smaller */

/*
 * Return the name as perf shows it. Long name: a path, "[kernel.kallsyms]", "[unknown]"; for a
 * module "[e1000]", or the path from a build-id record that came before any map. Short name:
 * base name, "[kernel.kallsyms]", "[e1000]", "[JIT] tid 7". Foreign text.
 */
const char *dso_name(const struct symbols *s, uint32_t dso);
const char *dso_short_name(const struct symbols *s, uint32_t dso);
/*
 * Return the path of its file at recording time, or the long name if no path was recorded.
 * Foreign text.
 */
const char *dso_path(const struct symbols *s, uint32_t dso);
enum dso_kind dso_kind(const struct symbols *s, uint32_t dso);
const struct build_id *dso_build_id(const struct symbols *s, uint32_t dso); /* size 0 = unknown */
uint64_t dso_inode(const struct symbols *s, uint32_t dso);                  /* as recorded, 0 = unknown */
/*
 * Return why the object has no symbols, or fewer than possible: "no such file", "build-id
 * differs ...", "stripped" ... Return NULL when all is well, or when the object is not loaded.
 */
const char *dso_problem(const struct symbols *s, uint32_t dso);
/* Return the same as a code; REASON_NONE when all is well. Loads the object. */
enum reason dso_reason(struct symbols *s, uint32_t dso);
/*
 * Return why an address in this object has no symbol. Not for DSO_UNKNOWN: only the recording
 * can explain that. Loads the object.
 */
enum reason dso_why_unnamed(struct symbols *s, uint32_t dso);
/* Return whether its name is that of the C library or the dynamic linker. */
bool dso_is_c_library(const struct symbols *s, uint32_t dso);
/* Return whether it has source lines: DWARF, or lines from a JIT. Loads the object. */
bool dso_has_lines(struct symbols *s, uint32_t dso);
/* Return the path of the file to read code bytes and lines from, or NULL. Loads the object. */
const char *dso_file(struct symbols *s, uint32_t dso);

/* Return whether the names of the object, which was loaded, come from the recording's bundle. */
bool dso_is_bundled(const struct symbols *s, uint32_t dso);
/* Return whether the recording has a bundle that cannot be read. Known once an object was loaded. */
bool symbols_bundle_damaged(const struct symbols *s);
/*
 * Return the text of a source file that the bundle keeps under this name of the debug information, with empty lines
 * for those that it lacks; NULL = none. Not terminated; lives as long as the struct symbols.
 */
const char *symbols_bundled_source(const struct symbols *s, const char *name, size_t *len);
/*
 * Return true if an object whose names come from the bundle has lines of this source file. Then do not read the file
 * of that name on this machine: it may be another file, and the author of the bundle must not choose which files we
 * read.
 */
bool symbols_bundle_tells(const struct symbols *s, const char *file);
/* Return true if the bundle has code of functions; the second: if it has source lines. */
bool symbols_bundles_code(const struct symbols *s);
bool symbols_bundles_source(const struct symbols *s);

/* ---- address spaces over time ---- */

/*
 * SPACE_NONE has no maps. SPACE_KERNEL holds the host kernel and its modules,
 * SPACE_GUEST_KERNEL the guest's. Other ids are processes.
 */
enum { SPACE_NONE = 0, SPACE_KERNEL = 1, SPACE_GUEST_KERNEL = 2 };

/*
 * Create a space that is valid from time_ns on. It inherits the maps that `parent` (0 = none)
 * has at time_ns, as after a fork; later changes of either do not affect the other.
 */
uint32_t space_new(struct symbols *s, uint32_t parent, uint64_t time_ns);

struct map_args {
	uint64_t time_ns; /* start of validity; must not decrease within a space */
	uint64_t start, len, pgoff;
	uint32_t dso;
	uint32_t prot, flags; /* as recorded */
};
/*
 * Add a map. From its time on, it hides older maps where they overlap. Empty maps are ignored,
 * except one of the kernel at address 0: old recorders did not know its place, so it covers
 * everything. Lengths that overflow are cut at the last address.
 */
void space_map(struct symbols *s, uint32_t space, const struct map_args *m);
/*
 * Return the number of changes up to time_ns. Two lookups in one space see the same maps if
 * their versions are equal.
 */
uint32_t space_version(const struct symbols *s, uint32_t space, uint64_t time_ns);

/*
 * Find the object at addr and the offset in it. For files and modules, dso_off is (addr - start + pgoff): a file
 * offset, or in modules mostly the offset from the module's start. For the kernel, its generated code, JIT maps and
 * anonymous memory, it is the address itself. A vdso's pgoff counts as 0. Return false when nothing is mapped there.
 * Thread-safe while no thread changes the timeline. After symbols_freeze it takes O(log n) in the number of maps.
 */
struct map_hit {
	uint32_t dso;
	uint64_t dso_off, start, len, pgoff;
};
bool space_find(const struct symbols *s, uint32_t space, uint64_t time_ns, uint64_t addr, struct map_hit *hit);

/*
 * List all maps of a space that were ever visible, in address order (for --mmaps and tests).
 * Return their number; fill at most max.
 */
size_t space_maps(const struct symbols *s, uint32_t space, struct map_args *maps, size_t max);

/* ---- symbols ---- */

/*
 * A symbol of a dso. Its addresses are the object's own: ELF virtual addresses; absolute
 * addresses in the kernel and JIT maps; offsets from the start in modules. dso_address()
 * converts. symbol_name() returns its text. A symbol lives as long as the struct symbols.
 */
struct symbol {
	uint64_t start, end;
	uint32_t name; /* offset in string table number `strings` of the dso */
	uint8_t strings;
	uint8_t binding, type; /* STB_, STT_ of elf.h */
	uint8_t flags;         /* private to symbols/ */
};

/* Return index + 1 of the symbol that covers dso_off, 0 if none. Loads the object. Thread-safe. */
uint32_t dso_find(struct symbols *s, uint32_t dso, uint64_t dso_off);
/* The same for the object's own address: variables that start as zero have no offset in the file. */
uint32_t dso_find_address(struct symbols *s, uint32_t dso, uint64_t address);
/*
 * Return the first symbol that starts after dso_off, 0 if none. It helps to name code without a symbol. Loads the
 * object.
 */
uint32_t dso_find_after(struct symbols *s, uint32_t dso, uint64_t dso_off);
const struct symbol *dso_symbol(const struct symbols *s, uint32_t dso, uint32_t symbol); /* NULL for 0 */
/*
 * Convert dso_off to the object's own address, the unit of symbol.start (for sym+0xoff and
 * srcline).
 */
uint64_t dso_address(struct symbols *s, uint32_t dso, uint64_t dso_off);
/* Return the offset of a place in its symbol: the 0x8 of "main+0x8". `symbol` is not 0. */
uint64_t symbol_offset(struct symbols *s, uint32_t dso, uint32_t symbol, uint64_t dso_off);
/*
 * Return recorded kernel address minus address in the kernel image; 0 for other objects. Loads
 * the object.
 */
uint64_t dso_bias(struct symbols *s, uint32_t dso);
/*
 * Convert an object's own address to a dso_off; return the address itself where the file has no
 * bytes for it. Loads the object.
 */
uint64_t dso_offset(struct symbols *s, uint32_t dso, uint64_t address);
/*
 * Return the name, demangled unless no_demangle; never NULL ("[unknown]" for 0). Foreign text.
 * Thread-safe.
 */
const char *symbol_name(struct symbols *s, uint32_t dso, uint32_t symbol);
/*
 * Look up many offsets at once. offs[0..n) must be ascending; one sweep over the sorted symbols
 * fills syms[].
 */
void dso_find_sorted(struct symbols *s, uint32_t dso, const uint64_t *offs, uint32_t *syms, size_t n);

/* ---- lines and inlined calls (DWARF) ---- */

/*
 * Find "file:line" of the instruction at dso_off; return false, with file NULL, when unknown.
 * The string lives as long as the struct symbols. Foreign text.
 */
struct source_line {
	const char *file;
	uint32_t line;
};
bool dso_source_line(struct symbols *s, uint32_t dso, uint64_t dso_off, struct source_line *l);
/*
 * Announce that the next questions about lines and inlined calls concern code near dso_off.
 * Then debug information is read only for the compilation unit of that function, unless it has
 * been read already. Other places still get an answer, but that reads everything. Thread-safe.
 */
void dso_expect_near(struct symbols *s, uint32_t dso, uint64_t dso_off);
/*
 * List the functions inlined at dso_off, innermost first, without the real function around
 * them. Each has its name (the demangled linkage name if there is one, otherwise the plain
 * name; foreign text) and the place inside it. *outer gets the place of the call in the real
 * function, or dso_source_line's answer when nothing is inlined. With outer NULL the places are
 * not looked up, which is much cheaper: `at` may be empty. Return their number (0 = nothing inlined
 * or no DWARF), at most max. Thread-safe.
 */
struct inline_frame {
	const char *name;
	struct source_line at;
};
size_t dso_inlines(struct symbols *s, uint32_t dso, uint64_t dso_off, struct inline_frame *frames, size_t max,
		   struct source_line *outer);
/*
 * Return the DWARF name of the real function at dso_off, NULL if unknown. For objects that lack
 * the symbol.
 */
const char *dso_function(struct symbols *s, uint32_t dso, uint64_t dso_off);
/* Return what the debug information says of the compiler of the code there, NULL if unknown. Foreign text. */
const char *dso_producer(struct symbols *s, uint32_t dso, uint64_t dso_off);

/* ---- unwinding user stacks ---- */

struct unwind_args {
	uint32_t space;
	uint64_t time_ns;
	uint64_t regs_mask;   /* perf register numbers of the recording's arch */
	const uint8_t *regs;  /* one u64 per bit of the mask, ascending, in host order */
	uint64_t abi;         /* 1 = 32 bit, 2 = 64 bit */
	const uint8_t *stack; /* copy of the memory from the stack pointer upward */
	uint64_t stack_size;  /* valid bytes in `stack` */
	bool stack_ends;      /* the copy reached the end of the stack, or a page that is not in memory */
	/* NULL, or reads the process's memory behind the copy: native byte order; only the unwinder cfi asks it */
	bool (*memory)(void *ctx, uint64_t addr, void *to, size_t len);
	void *memory_ctx;
};
enum unwind_end {
	UNWIND_DONE,      /* reached the outermost frame */
	UNWIND_STACK_CUT, /* the caller's frame is beyond the copied stack */
	UNWIND_NO_CFI,    /* no unwind information for the last entry, and it has no frame pointer */
	/*
	 * as UNWIND_NO_CFI, and no object is mapped there. If this is the sampled ip itself,
	 * there are no entries.
	 */
	UNWIND_NO_MAP,
	/* the file of the next entry's object is missing. That entry is left out, as perf does. */
	UNWIND_NO_FILE,
	UNWIND_BAD,   /* the next frame repeats the last one, or does not lie in the stack */
	UNWIND_LIMIT, /* filled `max` entries */
	/* cannot unwind this architecture or ABI, or the registers lack ip or stack pointer */
	UNWIND_UNSUPPORTED,
};
/*
 * Where and why unwinding ended. `ip` is the last entry, or the one left out. `guessed` is set
 * when a frame pointer supplied a caller although the code has a file, because its unwind
 * tables do not cover the code; then `ip` is the first such place. Generated code does not set
 * it: frame pointers are all it can have.
 */
struct unwind_stop {
	enum unwind_end end;
	bool guessed;
	uint64_t ip;
};
/*
 * Unwind sampled user code. ips[0] is the sampled ip. The other entries are return addresses
 * minus 1, so that each lies inside the calling instruction: perf prints them like this; look
 * up symbols and lines there. Where a signal interrupted the code, the entry is the interrupted
 * ip itself. Return the number of entries (0 when unwinding was impossible), at most max; *stop
 * says why it stopped. Thread-safe: each thread passes its own `worker` (below 72), which
 * selects its unwinder state.
 */
size_t unwind_user(struct symbols *s, const struct unwind_args *args, unsigned worker, uint64_t *ips, size_t max,
		   struct unwind_stop *stop);
/*
 * Choose the unwinders: names with commas, in the order in which we try them. If one stops although the copy goes on,
 * try the next; use its answer if it reaches the outermost frame, and set `guessed`. Without this call the list is
 * "cfi,libunwind"; libunwind is left out where it cannot work. Return -1 with e set when a name is unknown, or cannot
 * work for this recording. Call it before the first walk.
 */
int symbols_set_unwinders(struct symbols *s, const char *list, struct err *e);
const char *unwinder_name(unsigned i); /* in the default order; NULL behind the last */
/* As unwind_user, by unwinder `by` alone: 0 entries and UNWIND_UNSUPPORTED if it cannot. */
size_t unwind_user_by(struct symbols *s, const struct unwind_args *args, unsigned worker, unsigned by, uint64_t *ips,
		      size_t max, struct unwind_stop *stop);
/* How many stacks unwinder `i` was asked to walk, and of how many its answer counted after another one's. */
struct unwind_count {
	uint64_t asked, added;
};
struct unwind_count symbols_unwind_count(struct symbols *s, unsigned i);
/*
 * Return whether a frame-pointer chain skips the caller of the code at dso_off: the unwind
 * tables say that this code has not set up its frame, so the frame pointer still belongs to a
 * frame further out. Return false when the tables say otherwise, say nothing, or when the
 * architecture's tables cannot tell. For a caller pass the byte before the return address.
 * Thread-safe.
 */
bool unwind_skips_caller(struct symbols *s, uint32_t dso, uint64_t dso_off);

/* ---- registers (arch tables) ---- */
/*
 * Return the name of perf register `bit` on that arch ("AX", "x29", as perf prints it), NULL if
 * unknown.
 */
const char *arch_reg_name(const char *arch, unsigned bit);
/* Return the EM_ number of this machine, EM_NONE when we do not know it. */
uint16_t elf_native_machine(void);

/* Return whether servers can be asked, for symbols_opts.debuginfod; -1 with e if not. */
int debuginfod_ready(struct err *e);

/*
 * Files from those servers, for consecutive sessions of one recording. The first session notes which files it lacks.
 * While it is shown, another thread may request them; the next session has the files that arrived.
 */
struct fetched *fetched_new(void);
void fetched_free(struct fetched *f);
/*
 * Request the noted files of objects that have a weight, heaviest first. Return the number of requests that
 * still wait.
 */
size_t fetched_want(struct fetched *f, const struct symbols *s, const uint64_t *weights);
struct fetch_step {
	const char *object;   /* foreign text */
	size_t number, of;    /* of the questions */
	uint64_t bytes, size; /* so far, and in all; 0: unknown */
};
/*
 * Ask for the next one, for five seconds at most. `tell` is called before, and then about once a second; false: give
 * up. 1: it came, 0: it did not, -1: nothing is wanted any more, or `tell` gave up before.
 */
int fetched_ask(struct fetched *f, bool (*tell)(void *ctx, const struct fetch_step *step), void *ctx);

/* ---- build-ids of files here (record, buildid-list, inject) ---- */
/* from its ELF note; regular files only */
int build_id_of_file(const char *path, struct build_id *id, struct err *e);
/* a file that holds only ELF notes */
int build_id_of_notes(const char *path, struct build_id *id, struct err *e);
int build_id_of_kernel(struct build_id *id, struct err *e);                   /* /sys/kernel/notes */
int build_id_of_module(const char *name, struct build_id *id, struct err *e); /* from sysfs */
int build_id_of_vdso(struct build_id *id, struct err *e);
/*
 * Find the build-id of an object: the recorded one; otherwise that of its file, unless the
 * inode differs, or that of the running kernel, module or vdso, if this is the recorded kernel.
 */
bool dso_find_build_id(struct symbols *s, uint32_t dso, struct build_id *id);
void build_id_format(const struct build_id *id, char text[41]); /* lower-case hex */
/*
 * Return "DIR/.build-id/ab/cdef...MEMBER", the layout of the build-id cache and of /usr/lib/debug; NULL if the id has
 * less than 2 bytes, or dir is NULL. The caller frees it.
 */
char *build_id_path(const char *dir, const struct build_id *id, const char *member);
/* Return where a package of debug information installs the file of this id; NULL and freed as above. */
char *build_id_debug_path(const struct build_id *id);
/*
 * Return the directory of the build-id cache: `asked`, else $PERF_BUILDID_DIR, else ~/.debug.
 * The caller frees it. NULL = no cache ("/dev/null", or no home directory).
 */
char *build_id_cache_dir(const char *asked);
/* Put a copy of (or a hard link to) the object into the build-id cache, in perf's layout. */
int build_id_cache_add(const char *asked_dir, const char *path, const struct build_id *id, struct err *e);
/*
 * The same, for a file that must be read at `from` (below a process's own root) but is named
 * `path` in the cache.
 */
int build_id_cache_add_as(const char *asked_dir, const char *from, const char *path, const struct build_id *id,
			  struct err *e);
/* The same for the separate debug information of the object `path`, which lies at `from`. */
int build_id_cache_add_debug(const char *asked_dir, const char *from, const char *path, const struct build_id *id,
			     struct err *e);
/* Return whether the cache has the object's debug information. */
bool build_id_cache_has_debug(const char *asked_dir, const struct build_id *id);
/*
 * List the objects in the cache, ordered by id. `name` is the path it was added under, foreign
 * text. The caller frees the list with cached_objects_free().
 */
struct cached_object {
	struct build_id id;
	char *name;
};
size_t build_id_cache_list(const char *asked_dir, struct cached_object **objects);
void cached_objects_free(struct cached_object *objects, size_t n);
/*
 * Return where the cache `dir` keeps the object, relative to it: "usr/bin/ls/ID". NULL when it has none, or leads out
 * of the cache. The caller frees it.
 */
char *build_id_cache_place(const char *dir, const struct build_id *id);
bool build_id_cache_has(const char *asked_dir, const struct build_id *id);
/*
 * Remove what the cache holds for this id. Only removes the known member files, and nothing
 * outside the cache.
 */
int build_id_cache_remove(const char *asked_dir, const struct build_id *id, struct err *e);

/* ---- ELF files made from a jitdump (inject) ---- */
/* Code at [start, start + len) from time_ns on. It lies at offset `pgoff` of the file `path`. */
struct jit_file {
	char *path;
	uint64_t time_ns, start, len, pgoff, ino;
};
/*
 * Write one ELF file per piece of code beside the jitdump; see symbols_jitdump. On failure,
 * files written so far stay. The caller frees the array with jit_files_free().
 */
int jit_files_write(struct symbols *s, const char *dump, int32_t pid, uint64_t ino, struct jit_file **files, size_t *n,
		    struct err *e);
void jit_files_free(struct jit_file *files, size_t n);

#endif
