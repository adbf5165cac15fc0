#include "cmd/commands.h"

/*
 * To add a row: the name and macro as perf prints them (a feature that perf lacks gets a name of
 * the same style), and whether the build has it. Features of perf that we do not need are listed as
 * off, so that scripts which ask get an answer.
 */
const struct build_feature build_features[] = {
	{ "aio", "HAVE_AIO_SUPPORT", true },
	{ "bpf", "HAVE_LIBBPF_SUPPORT", true }, /* reads the types of the kernel; we load programs without it */
	{ "bpf_skeletons", "HAVE_BPF_SKEL", false },
	{ "debuginfod", "HAVE_DEBUGINFOD_SUPPORT", true },
	{ "dwarf", "HAVE_LIBDW_SUPPORT", true },
	{ "dwarf_getlocations", "HAVE_LIBDW_SUPPORT", true },
	{ "dwarf-unwind", "HAVE_DWARF_UNWIND_SUPPORT", true },
	{ "libbfd", "HAVE_LIBBFD_SUPPORT", false },
	{ "babeltrace2-ctf-writer", "HAVE_BABELTRACE2_CTF_WRITER_SUPPORT", false },
	{ "libbpf-strings", "HAVE_LIBBPF_STRINGS_SUPPORT", false },
	{ "libcapstone", "HAVE_LIBCAPSTONE_SUPPORT", true },
	{ "libdw-dwarf-unwind", "HAVE_LIBDW_SUPPORT", true },
	{ "libelf", "HAVE_LIBELF_SUPPORT", true },
	{ "libiberty", "HAVE_CXA_DEMANGLE_SUPPORT", true },
	{ "libLLVM", "HAVE_LIBLLVM_SUPPORT", false },
	{ "libnuma", "HAVE_LIBNUMA_SUPPORT", false },
	{ "libopencsd", "HAVE_CSTRACE_SUPPORT", false },
#ifdef STROBE_STATIC
	{ "libperl", "HAVE_LIBPERL_SUPPORT", false },
#else
	{ "libperl", "HAVE_LIBPERL_SUPPORT", true },     /* loaded when a script asks for it */
#endif
	{ "libpfm4", "HAVE_LIBPFM", true },
#ifdef STROBE_STATIC
	{ "libpython", "HAVE_LIBPYTHON_SUPPORT", false },
#else
	{ "libpython", "HAVE_LIBPYTHON_SUPPORT", true }, /* loaded when a script asks for it */
#endif
	{ "libslang", "HAVE_SLANG_SUPPORT", false },
	{ "libtraceevent", "HAVE_LIBTRACEEVENT", true },
#ifdef HAVE_LIBUNWIND
	{ "libunwind", "HAVE_LIBUNWIND_SUPPORT", true }, /* loaded when a stack needs it */
#else
	{ "libunwind", "HAVE_LIBUNWIND_SUPPORT", false },
#endif
	{ "lzma", "HAVE_LZMA_SUPPORT", true },
	{ "ncurses", "HAVE_NCURSES_SUPPORT", true },
	{ "numa_num_possible_cpus", "HAVE_LIBNUMA_SUPPORT", false },
	{ "zlib", "HAVE_ZLIB_SUPPORT", true },
	{ "zstd", "HAVE_ZSTD_SUPPORT", true },
	{ "rust", "HAVE_RUST_SUPPORT", false },
	{ 0 },
};

void build_feature_print(struct out *o, const struct build_feature *f)
{
	out_fmt(o, "%22s: [ %s ]  # %s\n", f->name, f->on ? "on " : "OFF", f->macro);
}
