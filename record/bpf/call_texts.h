#ifndef RECORD_BPF_CALL_TEXTS_H
#define RECORD_BPF_CALL_TEXTS_H

/*
 * Copy in the kernel what the arguments of system calls point at. When a call is entered, copy what it reads: file
 * names, addresses, structs. When it returns without an error, copy what the kernel has filled.
 *
 * The program that copies runs just before the kernel writes the event (raw_syscalls:sys_enter, sys_exit). So the copy
 * of an event is the one made after the thread's previous event, and not after this one. Events and copies have times
 * of CLOCK_MONOTONIC.
 */
#include "record/bpf/threads.h"

enum { COPIES_MOST = 3, COPY_SIZE = 256, COPY_TEXT_SIZE = 32 };
enum call_copy_kind {
	COPY_NONE,
	COPY_TEXT,    /* it ends with 0 */
	COPY_SIZED,   /* `unit` bytes */
	COPY_COUNTED, /* `unit` bytes, as often as the next argument says */
	COPY_LENGTH,  /* ... as the int says that the next argument points at */
	COPY_RESULT,  /* ... as the call returns */
	COPY_TEXTS,   /* pointers to texts up to NULL, COPY_TEXT_SIZE each; no other bytes are copied behind it */
	COPY_NUMBER,  /* right behind COPY_TEXTS: how many pointers there are up to NULL, in `len`; no bytes */
};
/* One argument to copy. The program reads it, so its layout is fixed. */
struct call_copy {
	uint8_t argument, kind;
	uint16_t unit, most; /* bytes of one; at most, COPY_SIZE */
};
struct call_copies {
	struct call_copy args[COPIES_MOST]; /* the first of kind COPY_NONE ends them */
};

struct call_text {
	uint64_t time;
	int32_t tid;
	/*
	 * Bytes that were copied; below 0: they could not be read. TEXT counts its 0. TEXTS adds 1 if it reached the
	 * NULL.
	 */
	int32_t len[COPIES_MOST];
	char bytes[COPIES_MOST][COPY_SIZE];
};

/*
 * Begin to copy. `entered` and `left` say what to copy at entries and exits, by number of the call, n_calls each.
 * Return NULL with e if the kernel refuses.
 */
struct call_texts *call_texts_open(const struct bpf_threads_opts *threads, const struct call_copies *entered,
				   const struct call_copies *left, unsigned n_calls, struct err *e);
void call_texts_close(struct call_texts *t);
/*
 * Return the thread's copy made after `since` and not after `time`, NULL if there is none. It is valid until the next
 * call. Forget older copies of the thread.
 */
const struct call_text *call_texts_find(struct call_texts *t, int32_t tid, uint64_t since, uint64_t time);

#endif
