#ifndef SYMBOLS_SYMBOLS_H
#define SYMBOLS_SYMBOLS_H

/*
 * Address to name. This folder never sees a record: the session (report/) turns map records into the plain arguments
 * below.
 *
 * Life: one struct symbols per session. First everything that changes over time is told in time order (space_*,
 * symbols_dso); then the tables are read-only and the find functions may run on many threads at once. A dso's symbols
 * are loaded at its first lookup (a lock per dso).
 */
#include "base/err.h"
#include "base/mem.h"
#include "base/out.h"
#include "symbols/name/reasons.h"

struct symbols;

struct symbols_opts {
	const char *symfs; /* "DIR[,LAYOUT]": root under which object files are looked for, by their path (hierarchy) or
			      by their name alone (flat); NULL = "/" */
	const char *kallsyms;  /* file instead of /proc/kallsyms */
	const char *vmlinux;   /* kernel image to use */
	const char *kcore_dir; /* the recorded kernel's memory and symbols, files kcore and kallsyms; NULL = not kept */
	const char *guest_kallsyms; /* the guest kernel's symbols; NULL = it has none */
	const char *osrelease;      /* of the recording ("6.1.0-18-amd64"); NULL = not known */
	bool no_kernel_image;       /* --ignore-vmlinux */
	bool no_demangle;
	bool demangle_kernel; /* names of the kernel, too: parts of it need not be C */
	bool no_modules;      /* symbols of modules are not wanted */
	bool short_templates; /* "<...>" in place of the arguments of templates */
	bool no_kernel;       /* symbols of the kernel are not wanted */
	bool force;           /* use map files whoever owns them (-f) */
	bool foreign;         /* recorded on another machine or arch: do not ask this machine's kernel or processes */
	const char *buildid_dir; /* NULL = $PERF_BUILDID_DIR, else ~/.debug; "/dev/null" = none */
	int64_t recorded_ns; /* when the recording was complete, in CLOCK_REALTIME; 0 = not known. Files written later
				are others */
	const char *arch;    /* uname machine of the recording ("x86_64"); NULL = ours */
};

/* Whether there are the files that opts asks for, and the layout: -1 with e names what there is not. */
int symbols_opts_check(const struct symbols_opts *opts, struct err *e);
/* The texts in opts are copied. */
struct symbols *symbols_new(const struct symbols_opts *opts);
/* The DIR of symfs; NULL = "/". */
const char *symbols_root(const struct symbols *s);
void symbols_free(struct symbols *s);
/*
 * The kernel's symbols will be asked for: begin to read the list they will probably come from, on a thread of its own,
 * while the caller has other work. Once, by the thread that tells the timeline. Answers do not depend on it.
 */
void symbols_read_ahead(struct symbols *s);
/*
 * Neither the kernel nor a module has a function with one of these names (NULL at the end), by the list that its names
 * would be read from: a look through that is cheaper than to read it. False also when nothing is known without reading.
 * For one thread, before names are asked for.
 */
bool symbols_kernel_lacks(struct symbols *s, const char *const *names);
/*
 * The timeline is complete (for now): build the indexes that make lookups fast. Not needed for right answers, and
 * telling more afterwards is fine (a live view freezes again after each round); but no lookup may run while the
 * timeline is told or frozen.
 */
void symbols_freeze(struct symbols *s);

/* ---- objects ---- */

/* Ids of objects that always exist. dso 0 is the unknown object: "[unknown]". */
enum { DSO_UNKNOWN = 0, DSO_KERNEL = 1, DSO_GUEST_KERNEL = 2 };
enum dso_kind {
	DSO_KIND_UNKNOWN,
	DSO_KIND_FILE,
	DSO_KIND_KERNEL, /* of the host or the guest */
	DSO_KIND_MODULE,
	DSO_KIND_VDSO,
	DSO_KIND_VSYSCALL,
	DSO_KIND_JIT,      /* executable memory without a file: its symbols are in a perf-PID.map */
	DSO_KIND_ANON,     /* memory without a file that is not executable */
	DSO_KIND_KSYMBOL,  /* code the kernel generated (BPF programs, trampolines): one symbol */
	DSO_KIND_JIT_CODE, /* a piece of code that a jitdump tells of: one symbol */
};

struct build_id {
	uint8_t bytes[20], size;
}; /* size 0 = none */

/* What a map or build-id record tells about an object. */
struct dso_args {
	const char *filename;      /* as recorded. Foreign text */
	const struct build_id *id; /* NULL = not told */
	int32_t pid;    /* names the map file of anonymous executable memory; whose files are meant, while it lives */
	uint64_t ino;   /* of the file, 0 = not told */
	uint32_t flags; /* mmap flags as recorded: MAP_HUGETLB memory counts as anonymous */
	bool exec;      /* mapped executable */
	bool kernel, guest; /* mapped in kernel mode; in a guest */
	bool by_id;         /* of a build-id record, not of a map */
	bool private_root;  /* the process has a mount namespace of its own */
};
/*
 * Intern an object by its name and build-id, or inode where no build-id is told; one without an id and one with an id
 * learned later are the same. Its kind is derived from the name: kernel mode makes "[kernel.kallsyms]_text" and any
 * "...vmlinux..." the kernel itself ("_text" names the symbol whose address the map's pgoff tells), other names
 * modules; in user mode "[vdso]", "[vsyscall]", executable "//anon", "[heap]", "[stack", "/SYSV", "/dev/zero" (these
 * become
 * "/tmp/perf-PID.map"), else files.
 */
uint32_t symbols_dso(struct symbols *s, const struct dso_args *args);
/* Code at [start, start + len) of the kernel that has just this one symbol (PERF_RECORD_KSYMBOL): the object to map
 * there. */
uint32_t symbols_ksymbol(struct symbols *s, const char *name, uint64_t start, uint64_t len);
/* Whether an executable map of this path announces a jitdump: "jit-PID.dump". */
bool is_jitdump(const char *path);
/*
 * Read the jitdump that a process mapped; `ino` as recorded, 0 = not told. Returns how many pieces of code it tells of;
 * *codes is the caller's, in the order of the file, each with the object to map there. *timed: their times are of
 * CLOCK_MONOTONIC, else of no clock known here. None and *problem when the file is not here, not the recorded one or
 * not to be trusted.
 */
struct jit_code {
	uint64_t time_ns, start, len;
	uint32_t dso;
};
size_t symbols_jitdump(struct symbols *s, const char *path, int32_t pid, uint64_t ino, struct jit_code **codes,
		       bool *timed, enum reason *problem);
/* Tell the build-id of an object learned elsewhere (BUILD_ID feature or record). */
void symbols_set_build_id(struct symbols *s, uint32_t dso, const struct build_id *id);
/* The id of an object whose long or short name is exactly this, 0 if none. */
uint32_t symbols_find_dso(const struct symbols *s, const char *name);
size_t symbols_n_dsos(const struct symbols *s); /* valid ids are below */

/*
 * Names as perf shows them: long = path, "[kernel.kallsyms]", "[unknown]", for a module "[e1000]" or the path that a
 * build-id record gave before any map; short = base name, "[kernel.kallsyms]", "[e1000]", "[JIT] tid 7". Foreign text.
 */
const char *dso_name(const struct symbols *s, uint32_t dso);
const char *dso_short_name(const struct symbols *s, uint32_t dso);
/* Where its file lay when it was recorded, as far as that was told; else the long name. Foreign text. */
const char *dso_path(const struct symbols *s, uint32_t dso);
enum dso_kind dso_kind(const struct symbols *s, uint32_t dso);
const struct build_id *dso_build_id(const struct symbols *s, uint32_t dso); /* size 0 = unknown */
/* Why this object has no (or fewer) symbols: "no such file", "build-id differs", "stripped" ...; NULL when all is well
 * or not loaded. */
const char *dso_problem(const struct symbols *s, uint32_t dso);
/* The same as a code; REASON_NONE when all is well. Loads the object. */
enum reason dso_reason(struct symbols *s, uint32_t dso);
/* Why an address in this object has no symbol; not for DSO_UNKNOWN, of which only the recording can tell. Loads the
 * object. */
enum reason dso_why_unnamed(struct symbols *s, uint32_t dso);
/* By its name: the C library or the dynamic linker. */
bool dso_is_c_library(const struct symbols *s, uint32_t dso);
/* Whether lines can be had at all: there is DWARF, or the JIT told them. Loads the object. */
bool dso_has_lines(struct symbols *s, uint32_t dso);
/* Path of the file that code bytes and lines can be read from, or NULL. Loads the object. */
const char *dso_file(struct symbols *s, uint32_t dso);

/* ---- address spaces over time ---- */

/* Space 0 = nothing mapped. SPACE_KERNEL holds the host kernel and its modules, SPACE_GUEST_KERNEL the guest's. Other
 * ids are processes. */
enum { SPACE_NONE = 0, SPACE_KERNEL = 1, SPACE_GUEST_KERNEL = 2 };

/* A new space valid from time_ns on; `parent` (0 = none): it sees the parent's maps as they are at time_ns (fork),
 * later changes apart. */
uint32_t space_new(struct symbols *s, uint32_t parent, uint64_t time_ns);

struct map_args {
	uint64_t time_ns; /* from when on; times must not run backwards within a space */
	uint64_t start, len, pgoff;
	uint32_t dso;
	uint32_t prot, flags; /* as recorded */
};
/*
 * Add a map: it hides what it overlaps from its time on. Empty maps are ignored, but one of the kernel at address 0
 * (old recorders could not tell its place) covers everything; lengths that overflow end at the last address.
 */
void space_map(struct symbols *s, uint32_t space, const struct map_args *m);
/* Drop all maps from time_ns on (exec). */
void space_clear(struct symbols *s, uint32_t space, uint64_t time_ns);
/* Number of changes up to time_ns: two lookups of one space with equal versions see the same maps. */
uint32_t space_version(const struct symbols *s, uint32_t space, uint64_t time_ns);

/*
 * What lies at addr: the object and the offset in it. dso_off is (addr - start + pgoff), a file offset, for file-backed
 * objects and modules (there mostly the offset from the module's start); for the kernel, its generated code, JIT maps
 * and anonymous memory it is the address itself. pgoff of a vdso is 0. Thread-safe while nobody changes the timeline.
 * O(log n) in the number of maps after symbols_freeze.
 */
struct map_hit {
	uint32_t dso;
	uint64_t dso_off, start, len, pgoff;
};
bool space_find(const struct symbols *s, uint32_t space, uint64_t time_ns, uint64_t addr, struct map_hit *hit);

/* All maps of a space that were ever visible, in address order: for --mmaps and tests. Returns how many; fills up to
 * max. */
size_t space_maps(const struct symbols *s, uint32_t space, struct map_args *maps, size_t max);

/* ---- symbols ---- */

/*
 * A symbol of a dso. Addresses are the object's own (ELF virtual addresses; absolute ones in the kernel and JIT maps,
 * offsets from the start in modules): see dso_address. Its text is symbol_name()'s business. Lives as long as the
 * struct symbols.
 */
struct symbol {
	uint64_t start, end;
	uint32_t name; /* offset in the string table `strings` of the dso */
	uint8_t strings;
	uint8_t binding, type; /* STB_, STT_ of elf.h */
	uint8_t flags;         /* private */
};

/* Index+1 of the symbol that covers dso_off, 0 if none. Loads the object on first use. Thread-safe. */
uint32_t dso_find(struct symbols *s, uint32_t dso, uint64_t dso_off);
/* The first symbol that begins behind dso_off, 0 if none: of code without a name it tells where it lies. Loads the
 * object. */
uint32_t dso_find_after(struct symbols *s, uint32_t dso, uint64_t dso_off);
const struct symbol *dso_symbol(const struct symbols *s, uint32_t dso, uint32_t symbol); /* NULL for 0 */
/* dso_off as the object's own address (what symbol.start is measured in): for sym+0xoff and srcline. */
uint64_t dso_address(struct symbols *s, uint32_t dso, uint64_t dso_off);
/* How far the recorded addresses of the kernel lie above those of its image; 0 for all else. Loads the object. */
uint64_t dso_bias(struct symbols *s, uint32_t dso);
/* The other way: an object's own address as a dso_off; the address itself where no bytes of the file lie there. Loads
 * the object. */
uint64_t dso_offset(struct symbols *s, uint32_t dso, uint64_t address);
/* Demangled unless no_demangle; never NULL. Foreign text. Thread-safe. */
const char *symbol_name(struct symbols *s, uint32_t dso, uint32_t symbol);
/*
 * For many lookups at once: offs[0..n) ascending; fills syms[] by one sweep over the object's sorted symbols.
 */
void dso_find_sorted(struct symbols *s, uint32_t dso, const uint64_t *offs, uint32_t *syms, size_t n);

/* ---- lines and inlined calls (DWARF) ---- */

/* "file:line" of the instruction at dso_off; file NULL when unknown. Strings live as long as the struct symbols.
 * Foreign text. */
struct source_line {
	const char *file;
	uint32_t line;
};
bool dso_source_line(struct symbols *s, uint32_t dso, uint64_t dso_off, struct source_line *l);
/*
 * What is asked next of lines and inlined calls lies near this place: of debug information that was not read yet, only
 * the part of this function's file is. Other places are answered as well, at the cost of reading all. Thread-safe.
 */
void dso_expect_near(struct symbols *s, uint32_t dso, uint64_t dso_off);
/*
 * Functions inlined at dso_off, innermost first, without the outermost real function. Each has its name (the demangled
 * linkage name if there is one, else the plain name; foreign text) and the place inside it; *outer gets the place of
 * the call in the real function, or without inlined calls dso_source_line's answer. Returns their number (0 = nothing
 * inlined or no DWARF), at most max. Thread-safe.
 */
struct inline_frame {
	const char *name;
	struct source_line at;
};
size_t dso_inlines(struct symbols *s, uint32_t dso, uint64_t dso_off, struct inline_frame *frames, size_t max,
		   struct source_line *outer);
/*
 * The real function at dso_off by its DWARF name, NULL if unknown: for objects without the symbol.
 */
const char *dso_function(struct symbols *s, uint32_t dso, uint64_t dso_off);

/* ---- unwinding user stacks ---- */

struct unwind_args {
	uint32_t space;
	uint64_t time_ns;
	uint64_t regs_mask;   /* perf register numbers of the recording's arch */
	const uint8_t *regs;  /* u64 each in host order, ascending bit order */
	uint64_t abi;         /* 1 = 32 bit, 2 = 64 bit */
	const uint8_t *stack; /* memory from the stack pointer upward, as it was there */
	uint64_t stack_size;  /* bytes of it that are valid */
	bool stack_ends;      /* there was no more: the copy is not full */
};
enum unwind_end {
	UNWIND_DONE,      /* the outermost frame was reached */
	UNWIND_STACK_CUT, /* the caller's frame lies beyond the copied stack */
	UNWIND_NO_CFI,    /* nothing tells how to go on from the last entry, and it keeps no frame pointer */
	UNWIND_NO_MAP, /* the same, and no object is mapped there; if that is the sampled ip itself there are no entries
			*/
	UNWIND_NO_FILE,     /* the next entry lies in an object whose file is not here; it is left out, as perf does */
	UNWIND_BAD,         /* the next frame would be the same again, or lies where no stack is */
	UNWIND_LIMIT,       /* `max` entries were filled */
	UNWIND_UNSUPPORTED, /* architecture or ABI that we cannot unwind, or no ip and stack pointer among the registers
			     */
};
/*
 * Where it ended: `ip` is the last entry, or the one left out. `guessed`: a caller was found by a frame pointer
 * although the code has a file, whose unwind tables do not tell of it; then `ip` is the first such place. Generated
 * code is not counted: frame pointers are all that it can have.
 */
struct unwind_stop {
	enum unwind_end end;
	bool guessed;
	uint64_t ip;
};
/*
 * The sampled user code and its callers: ips[0] is the sampled ip; the others are return addresses less one, so that
 * each lies in the calling instruction (perf prints them like this, and symbols and lines are to be looked up there);
 * where a signal interrupted the code, the interrupted ip itself. Returns the number of entries (0 when nothing could
 * be done), at most max; *stop tells why it stopped. Thread-safe: `worker` (below 72) selects the caller's own unwinder
 * state.
 */
size_t unwind_user(struct symbols *s, const struct unwind_args *args, unsigned worker, uint64_t *ips, size_t max,
		   struct unwind_stop *stop);
/*
 * Whether a chain of frame pointers leads past the caller of the code at dso_off: the unwind tables tell that this code
 * has set up no frame, so the frame pointer is still that of somebody further out. False where they tell otherwise, or
 * nothing, or belong to an architecture whose tables do not tell. Of a caller ask for the byte before the return
 * address. Thread-safe.
 */
bool unwind_skips_caller(struct symbols *s, uint32_t dso, uint64_t dso_off);

/* ---- registers (arch tables) ---- */
/* Name of perf register `bit` of that arch ("AX", "x29" as perf prints), NULL if unknown. */
const char *arch_reg_name(const char *arch, unsigned bit);
/* EM_ of this machine; EM_NONE when it is none we know. */
uint16_t elf_native_machine(void);

/* ---- build-ids of files here (record, buildid-list, inject) ---- */
int build_id_of_file(const char *path, struct build_id *id, struct err *e);   /* ELF note; regular files only */
int build_id_of_notes(const char *path, struct build_id *id, struct err *e);  /* a file of ELF notes alone */
int build_id_of_kernel(struct build_id *id, struct err *e);                   /* /sys/kernel/notes */
int build_id_of_module(const char *name, struct build_id *id, struct err *e); /* sysfs notes */
int build_id_of_vdso(struct build_id *id, struct err *e);
/* Of an object: the recorded one; else that of its file, unless the inode is another, or of the running kernel, module
 * or vdso, if it is the recorded kernel. */
bool dso_find_build_id(struct symbols *s, uint32_t dso, struct build_id *id);
void build_id_format(const struct build_id *id, char text[41]); /* lower-case hex */
/* The build-id cache: `asked`, else $PERF_BUILDID_DIR, else ~/.debug. malloc'd; NULL = none ("/dev/null", or no home).
 */
char *build_id_cache_dir(const char *asked);
/* Put a copy (or hard link) of the object into the build-id cache in perf's layout. */
int build_id_cache_add(const char *asked_dir, const char *path, const struct build_id *id, struct err *e);
/* The same under the name `path` for a file that lies at `from` (a process's own root). */
int build_id_cache_add_as(const char *asked_dir, const char *from, const char *path, const struct build_id *id,
			  struct err *e);
/* The debug information of the object `path`, which lies apart at `from`. */
int build_id_cache_add_debug(const char *asked_dir, const char *from, const char *path, const struct build_id *id,
			     struct err *e);
/* Is its debug information there? */
bool build_id_cache_has_debug(const char *asked_dir, const struct build_id *id);
/* What the cache holds, ordered by id. `name` is the path it was added under, foreign text. The array and its names are
 * the caller's. */
struct cached_object {
	struct build_id id;
	char *name;
};
size_t build_id_cache_list(const char *asked_dir, struct cached_object **objects);
void cached_objects_free(struct cached_object *objects, size_t n);
bool build_id_cache_has(const char *asked_dir, const struct build_id *id);
/* Remove what the cache holds under the id: only files of the cache's own names, and nothing outside of it. */
int build_id_cache_remove(const char *asked_dir, const struct build_id *id, struct err *e);

/* ---- ELF files made of a jitdump (inject) ---- */
/* A piece of code at [start, start + len) from time_ns on: it lies at `pgoff` of the file `path`. */
struct jit_file {
	char *path;
	uint64_t time_ns, start, len, pgoff, ino;
};
/* Write them all beside the jitdump, see symbols_jitdump. On failure those written stay. The array is the caller's. */
int jit_files_write(struct symbols *s, const char *dump, int32_t pid, uint64_t ino, struct jit_file **files, size_t *n,
		    struct err *e);
void jit_files_free(struct jit_file *files, size_t n);

#endif
