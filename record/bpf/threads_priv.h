#ifndef RECORD_BPF_THREADS_PRIV_H
#define RECORD_BPF_THREADS_PRIV_H

#include "record/bpf/kernel_priv.h"
#include "record/bpf/threads.h"

enum bpf_thread_kind {
	THREAD_WAITING = 0, /* a thread of this process: its children are watched when they run a program */
	THREAD_WATCHED = 1,
	THREAD_HIDDEN = 3, /* not recorded itself, but its children are */
};
/* The value of a thread in the map. The key is its id, 4 bytes. */
struct bpf_thread {
	uint64_t entered; /* time when it entered its current call, 0 = it is in none */
	int64_t number;   /* number of that call */
	uint64_t kind;
};

/*
 * Fill the set with the threads that exist now, and keep it up to date. Return -1 with e if the kernel refuses. Call
 * bpf_threads_release() in any case. A program that you attach afterwards misses only the calls before that.
 */
int bpf_threads_open(struct bpf_threads *t, const struct bpf_threads_opts *opts, struct err *e);
void bpf_threads_release(struct bpf_threads *t);

/*
 * Store the thread's id at FP - 4. If everyone is watched, jump to `skip` for threads of this process, and for threads
 * outside of the control group.
 */
void emit_thread_id(struct emit *c, const struct bpf_threads *t, int skip);
/*
 * Set R0 to the struct bpf_thread of the thread at FP - 4, 0 if it is not in the set. Jump to `skip` if it is not
 * watched.
 */
void emit_thread(struct emit *c, const struct bpf_threads *t, int skip);

#endif
