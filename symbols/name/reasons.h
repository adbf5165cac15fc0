#ifndef SYMBOLS_NAME_REASONS_H
#define SYMBOLS_NAME_REASONS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Why a frame is incomplete: it has no name, it ends a stack that goes on, or it was guessed.
 * Several reasons may share one code, the word that users and scripts see. All reasons of one
 * code have the same cure.
 */
enum reason {
	REASON_NONE,
	/* object files */
	REASON_NO_FILE,
	REASON_NO_PATH,
	REASON_NOT_REGULAR,
	REASON_NOT_PERMITTED,
	REASON_NOT_OPENED,
	REASON_NO_ROOM,
	REASON_NOT_ELF,
	REASON_OTHER_BUILD_ID,
	REASON_NO_BUILD_ID,
	REASON_OTHER_INODE,
	REASON_REPLACED,
	REASON_CHANGED,
	REASON_PROCESS_GONE,
	REASON_STRIPPED,
	REASON_ONLY_DYNAMIC,
	REASON_LIBC_STRIPPED,
	REASON_NO_SYMBOL,
	/* code without a file */
	REASON_NO_MAP_FILE,
	REASON_MAP_IS_LINK,
	REASON_MAP_UNREADABLE,
	REASON_MAP_NOT_REGULAR,
	REASON_MAP_OTHER,
	REASON_MAP_FOREIGN,
	REASON_MAP_TOO_LARGE,
	REASON_MAP_EMPTY,
	REASON_NOT_JITDUMP,
	REASON_DUMP_CHANGED,
	REASON_JITDUMP_SYMFS,
	REASON_JIT_WITHOUT_MAP,
	REASON_NOT_IN_MAP,
	REASON_VDSO_32,
	REASON_VDSO_FOREIGN,
	REASON_VDSO_OTHER,
	/* the kernel */
	REASON_KALLSYMS_HIDDEN,
	REASON_KALLSYMS_MISSING,
	REASON_KALLSYMS_UNREADABLE,
	REASON_KALLSYMS_EMPTY,
	REASON_KALLSYMS_NO_REFERENCE,
	REASON_KALLSYMS_OTHER_BOOT,
	REASON_KALLSYMS_NO_MODULE,
	REASON_KALLSYMS_SYMFS,
	REASON_OTHER_KERNEL,
	REASON_KERNEL_UNPROVEN,
	REASON_IMAGE_NO_REFERENCE,
	REASON_IMAGE_STRIPPED,
	REASON_MODULE_UNPROVEN,
	REASON_MODULE_STRIPPED,
	REASON_NOT_WANTED,
	REASON_GUEST_FILE,
	REASON_GUEST_KERNEL,
	/* maps */
	REASON_LOST_MAP,
	REASON_MAPS_TIMEOUT,
	REASON_NOT_MAPPED,
	REASON_NOT_CODE,
	/* stacks */
	REASON_WINDOW_FULL,
	REASON_NO_UNWIND_INFO,
	REASON_GUESSED_BY_POINTER,
	REASON_NO_FRAME_POINTER,
	REASON_CALLER_SKIPPED,
	REASON_LEAF_SKIPPED,
	REASON_DEPTH_LIMIT,
	REASON_STACK_BROKEN,
	REASON_UNSUPPORTED,
	/* lines */
	REASON_NO_DEBUG_INFO,
	REASON_NO_LINE,
	N_REASONS,
};

struct reason_row {
	const char *code; /* "no-file" */
	const char *text; /* explanation, a phrase */
	const char *cure; /* the smallest change that helps */
	bool guess;       /* the frame still gets a name, but it may be wrong */
};
extern const struct reason_row reasons[N_REASONS];

/* Return the first reason with the same code. */
enum reason reason_class(enum reason r);
/*
 * Return the length of the cure's first part, which can stand alone: up to its first ", " or "
 * (". 0 if nothing helps.
 */
size_t reason_cure_len(enum reason r);

#endif
