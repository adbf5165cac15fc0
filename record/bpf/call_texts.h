#ifndef RECORD_BPF_CALL_TEXTS_H
#define RECORD_BPF_CALL_TEXTS_H

/*
 * What the arguments of system calls point at, copied in the kernel: file names, addresses, structs when the call is
 * entered; what the kernel has filled when it returned without an error. The program that copies runs right before the
 * event (raw_syscalls:sys_enter, sys_exit) is written, so a copy belongs to the event if it is younger than the
 * thread's event before, and not younger than this one. Both have times of CLOCK_MONOTONIC.
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
	/* below 0: it could not be read; text: with its 0; TEXTS: one more when the NULL was reached */
	int32_t len[COPIES_MOST];
	char bytes[COPIES_MOST][COPY_SIZE];
};

/* What to copy at entries and exits: of each number up to n_calls. NULL with e when the kernel refuses. */
struct call_texts *call_texts_open(const struct bpf_threads_opts *threads, const struct call_copies *entered,
				   const struct call_copies *left, unsigned n_calls, struct err *e);
void call_texts_close(struct call_texts *t);
/*
 * The copy of a thread with since < its time <= time; NULL: there is none. Valid until the next call; older ones of the
 * thread are forgotten.
 */
const struct call_text *call_texts_find(struct call_texts *t, int32_t tid, uint64_t since, uint64_t time);

#endif
