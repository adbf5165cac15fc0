#include "symbols/name/reasons.h"

#include <string.h>

#define NO_FILE     "put it where it was, or below --symfs; record without -B keeps a copy"
#define STRIPPED    "install its debug symbols (package NAME-dbgsym), or do not strip it"
#define MAP_REFUSED "-f, if you trust who wrote it"
#define KERNEL      "record and report on one machine, or --vmlinux FILE, or --kallsyms FILE of the recorded boot"

/*
 * To add a reason: add its enumerator and a row here, set it in the code that detects it, and
 * list its code in strobe-report(1). Keep the rows of one code together, the most general
 * first: a summary prints the cure of that one. A cure begins with a part that can stand alone,
 * up to ", " or " (". A cure that begins with "nothing" means there is none.
 */
const struct reason_row reasons[N_REASONS] = {
	[REASON_NONE] = { "", "", "", false },

	[REASON_NO_FILE] = { "no-file", "no such file", NO_FILE, false },
	[REASON_NO_PATH] = { "no-file", "not a file", NO_FILE, false },
	[REASON_NOT_REGULAR] = { "no-file", "not a regular file", NO_FILE, false },
	[REASON_NOT_PERMITTED] = { "no-file", "not permitted to read it", "read it as a user who may", false },
	[REASON_NOT_OPENED] = { "no-file", "cannot open it", NO_FILE, false },
	[REASON_NO_ROOM] = { "no-file", "no address space is left to map it", "allow more of it: ulimit -v", false },
	[REASON_NOT_ELF] = { "not-elf", "not an ELF object", NO_FILE, false },
	[REASON_OTHER_BUILD_ID] = { "build-id-differs", "build-id differs from the recorded one",
				    "the file as it was recorded, below --symfs or in the build-id cache", false },
	[REASON_NO_BUILD_ID] = { "build-id-differs", "it has no build-id to compare with the recorded one",
				 "the file as it was recorded", false },
	/* the build-id of the mapped file is unknown; a copy in a chroot has another inode, too */
	[REASON_OTHER_INODE] = { "other-file",
				 "the recorded file had another inode: it was replaced, or its process saw another "
				 "root",
				 "record --buildid-mmap, which tells whether they are equal", true },
	[REASON_REPLACED] = { "other-file", "the recorded file was replaced by another one, which got its inode number",
			      "record --buildid-mmap, which tells whether they are equal", true },
	[REASON_CHANGED] = { "other-file", "the file was changed after the recording",
			     "link with --build-id, and record --buildid-mmap", true },
	[REASON_PROCESS_GONE] = { "process-gone", "only its process could see the file, and that has ended",
				  "report while it runs, or record without -B, which keeps a copy", false },
	[REASON_STRIPPED] = { "stripped", "it has no symbols (stripped)", STRIPPED, false },
	[REASON_ONLY_DYNAMIC] = { "stripped", "it has only dynamic symbols (stripped)", STRIPPED, false },
	[REASON_LIBC_STRIPPED] = { "stripped", "the C library has only dynamic symbols (stripped)",
				   "install libc6-dbg (Debian, Ubuntu; elsewhere glibc-debuginfo or musl-dbg)", false },
	[REASON_NO_SYMBOL] = { "no-symbol", "no symbol covers the address",
			       "nothing: assembler code without a symbol, or padding", false },

	[REASON_NO_MAP_FILE] = { "no-map-file", "no map file", "keep the jitdump until the report is made", false },
	[REASON_MAP_UNREADABLE] = { "no-map-file", "cannot read the map file", "read it as a user who may", false },
	[REASON_MAP_TOO_LARGE] = { "no-map-file", "the map file is over 1 GB", "record for a shorter time", false },
	[REASON_MAP_EMPTY] = { "no-map-file", "the map file has no symbols", "let the JIT write it", false },
	[REASON_NOT_JITDUMP] = { "no-map-file", "it is not a jitdump file", "let the JIT write it anew", false },
	[REASON_DUMP_CHANGED] = { "no-map-file", "the jitdump no longer contains this code",
				  "keep the jitdump until the report is made", false },
	[REASON_JITDUMP_SYMFS] = { "no-map-file", "objects are looked for below another root", "report without --symfs",
				   false },
	[REASON_MAP_FOREIGN] = { "map-refused", "the map file belongs to another user (-f uses it)", MAP_REFUSED,
				 false },
	[REASON_MAP_IS_LINK] = { "map-refused", "the map file is a symbolic link", "replace it by the file it leads to",
				 false },
	[REASON_MAP_NOT_REGULAR] = { "map-refused", "the map file is not a regular file", "a regular file in its place",
				     false },
	[REASON_MAP_OTHER] = { "map-refused", "the map file is another than the recorded one",
			       "keep the jitdump until the report is made", false },
	[REASON_JIT_WITHOUT_MAP] = { "jit-without-map", "generated code that nobody tells the names of",
				     "let the JIT write /tmp/perf-PID.map or a jitdump (java: -XX:+DumpPerfMapAtExit, "
				     "node: --perf-basic-prof, python: -X perf)",
				     false },
	[REASON_NOT_IN_MAP] = { "no-symbol", "the JIT's map file does not list the address",
				"nothing: the JIT did not report it", false },
	[REASON_VDSO_FOREIGN] = { "no-vdso", "the vdso of the recorded machine is not here",
				  "record without -B, which keeps a copy", false },
	[REASON_VDSO_OTHER] = { "no-vdso", "the recorded vdso is another than this kernel's",
				"record without -B, which keeps a copy", false },
	[REASON_VDSO_32] = { "no-vdso", "only the 64-bit vdso is known", "nothing", false },

	[REASON_KALLSYMS_HIDDEN] = { "kallsyms-hidden", "kernel addresses are hidden (sysctl kernel.kptr_restrict)",
				     "sysctl kernel.kptr_restrict=0, or as root, when recording and when reporting",
				     false },
	[REASON_OTHER_KERNEL] = { "other-kernel", "another kernel runs here than the recorded one", KERNEL, false },
	[REASON_KERNEL_UNPROVEN] = { "other-kernel", "nothing proves that this kernel is the recorded one", KERNEL,
				     false },
	[REASON_MODULE_UNPROVEN] = { "other-kernel", "nothing tells that the module's file is the recorded one", KERNEL,
				     false },
	[REASON_KALLSYMS_MISSING] = { "other-kernel", "the kallsyms file is missing", KERNEL, false },
	[REASON_KALLSYMS_UNREADABLE] = { "other-kernel", "cannot read the kallsyms file", KERNEL, false },
	[REASON_KALLSYMS_EMPTY] = { "other-kernel", "the kallsyms file has no symbols", KERNEL, false },
	[REASON_KALLSYMS_NO_REFERENCE] = { "other-kernel",
					   "the kallsyms file lacks the symbol that tells where the recorded kernel "
					   "lay",
					   KERNEL, false },
	[REASON_KALLSYMS_OTHER_BOOT] = { "other-kernel", "the kallsyms file is of another boot", KERNEL, false },
	[REASON_KALLSYMS_NO_MODULE] = { "other-kernel", "the kallsyms file does not list this module", KERNEL, false },
	[REASON_KALLSYMS_SYMFS] = { "other-kernel", "kernel symbols below a symfs need a kallsyms file", KERNEL,
				    false },
	[REASON_IMAGE_NO_REFERENCE] = { "other-kernel",
					"the kernel image lacks the symbol that tells where the recorded kernel lay",
					KERNEL, false },
	[REASON_IMAGE_STRIPPED] = { "stripped", "the kernel image has no symbols (stripped)",
				    "the image of the debug package", false },
	[REASON_MODULE_STRIPPED] = { "stripped", "the module's file has no symbols", "the file of the debug package",
				     false },
	[REASON_NOT_WANTED] = { "not-wanted", "symbols of it were not asked for", "report without --no-modules",
				false },
	[REASON_GUEST_FILE] = { "guest", "files of a guest are not here", "record in the guest", false },
	[REASON_GUEST_KERNEL] = { "guest", "symbols of a guest kernel need its kallsyms file", "record in the guest",
				  false },

	[REASON_LOST_MAP] = { "lost-map", "no map is known there, and records were lost", "a larger buffer: record -m",
			      false },
	[REASON_MAPS_TIMEOUT] = { "lost-map",
				  "nothing is known to be mapped there, and the maps of processes were not read in "
				  "time",
				  "record --proc-map-timeout", false },
	[REASON_NOT_MAPPED] = { "not-mapped", "nothing is mapped there", "start the recording before the program",
				false },
	[REASON_NOT_CODE] = { "not-mapped", "no code is mapped there",
			      "nothing: the program jumped to data, or made code of it later", false },

	[REASON_WINDOW_FULL] = { "window-full", "the stack continues behind its copied part",
				 "record --call-graph live,65528", false },
	[REASON_NO_UNWIND_INFO] = { "no-unwind-info", "there is no unwind information to find the caller",
				    "compile with -fasynchronous-unwind-tables, or with -fno-omit-frame-pointer and "
				    "record --call-graph fp",
				    false },
	[REASON_GUESSED_BY_POINTER] = { "no-unwind-info",
					"the callers were found by a frame pointer that may not be one",
					"compile with -fasynchronous-unwind-tables", true },
	[REASON_NO_FRAME_POINTER] = { "no-frame-pointer", "the chain of frame pointers leads nowhere",
				      "record --call-graph live, or compile with -fno-omit-frame-pointer", false },
	[REASON_CALLER_SKIPPED] = { "caller-skipped", "the code keeps no frame pointer: its caller is left out",
				    "record --call-graph live, or compile with -fno-omit-frame-pointer", false },
	/*
	 * gcc 12 for x86-64 drops the frame of a function that calls no other and needs no
	 * stack, whatever -m[no-]omit-leaf-frame-pointer says; clang 14 keeps it
	 */
	[REASON_LEAF_SKIPPED] = { "leaf-skipped",
				  "the sampled function had set up no frame, mostly because it calls no other: its "
				  "caller is left out",
				  "record --call-graph live (gcc leaves the frame out even with "
				  "-fno-omit-frame-pointer, clang does not)",
				  false },
	[REASON_DEPTH_LIMIT] = { "depth-limit", "the stack is deeper than what was kept",
				 "sysctl kernel.perf_event_max_stack, report --max-stack", false },
	[REASON_STACK_BROKEN] = { "stack-broken", "the frame does not lead to a caller",
				  "nothing: taken while the frame was being built, or the stack is damaged", false },
	[REASON_UNSUPPORTED] = { "unsupported", "stacks of this architecture cannot be unwound",
				 "record --call-graph fp", false },

	[REASON_NO_DEBUG_INFO] = { "no-debug-info", "it has no debug information",
				   "compile with -g, or install its debug symbols", false },
	[REASON_NO_LINE] = { "no-line", "the debug information does not cover the address",
			     "nothing: code without a source", false },
};

enum reason reason_class(enum reason r)
{
	for (enum reason c = 0; c < N_REASONS; c++)
		if (!strcmp(reasons[c].code, reasons[r].code))
			return c;
	return r;
}

size_t reason_cure_len(enum reason r)
{
	static const char none[] = "nothing";
	const char *cure = reasons[r].cure, *comma = strstr(cure, ", "), *open = strstr(cure, " (");
	size_t len = strlen(cure);

	if (!strncmp(cure, none, sizeof(none) - 1))
		return 0;
	if (comma)
		len = (size_t)(comma - cure);
	return open && (size_t)(open - cure) < len ? (size_t)(open - cure) : len;
}
