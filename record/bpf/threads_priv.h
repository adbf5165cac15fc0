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
 * Return -1 with e when the kernel refuses. `t` needs bpf_threads_release() in any case. When this
 * returns, the set has the threads. A program that is attached later misses only the calls until
 * then.
 */
int bpf_threads_open(struct bpf_threads *t, const struct bpf_threads_opts *opts, struct err *e);
void bpf_threads_release(struct bpf_threads *t);

/*
 * FP - 4 = the thread's id. If all threads are watched: jump to `skip` for this process, and
 * outside of the group.
 */
void emit_thread_id(struct emit *c, const struct bpf_threads *t, int skip);
/*
 * R0 = the thread's struct bpf_thread, or 0: it is not in the set. Jump to `skip` if it shall not
 * be watched.
 */
void emit_thread(struct emit *c, const struct bpf_threads *t, int skip);

#endif
