#ifndef RECORD_BPF_CALL_TEXTS_H
#define RECORD_BPF_CALL_TEXTS_H

/*
 * What the arguments of system calls point at, copied in the kernel when the call is entered: file names, addresses,
 * structs. The program that copies runs right before the event of the entry (raw_syscalls:sys_enter) is written, so a
 * copy belongs to the event if it is younger than the thread's event before, and not younger than this one. Both have
 * times of CLOCK_MONOTONIC.
 */
#include "record/bpf/threads.h"

enum { COPIES_MOST = 3, COPY_SIZE = 256 };
enum call_copy_kind { COPY_NONE, COPY_TEXT, COPY_COUNTED, COPY_SIZED };
/* One argument to copy. The program reads it, so its layout is fixed. */
struct call_copy {
	uint8_t argument, kind; /* COUNTED: the next argument says how many */
	uint16_t unit, most;    /* bytes of one; at most, COPY_SIZE */
};
struct call_copies {
	struct call_copy args[COPIES_MOST]; /* the first of kind COPY_NONE ends them */
};

struct call_text {
	uint64_t time;
	int32_t tid;
	int32_t len[COPIES_MOST]; /* below 0: it could not be read; text: with its 0 */
	char bytes[COPIES_MOST][COPY_SIZE];
};

/* `copies`: of each number up to n_calls. NULL with e when the kernel refuses. */
struct call_texts *call_texts_open(const struct bpf_threads_opts *threads, const struct call_copies *copies,
				   unsigned n_calls, struct err *e);
void call_texts_close(struct call_texts *t);
/*
 * The copy of a thread with since < its time <= time; NULL: there is none. Valid until the next call; older ones of the
 * thread are forgotten.
 */
const struct call_text *call_texts_find(struct call_texts *t, int32_t tid, uint64_t since, uint64_t time);

#endif
