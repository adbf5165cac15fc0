#ifndef RECORD_BPF_THREADS_PRIV_H
#define RECORD_BPF_THREADS_PRIV_H

#include "record/bpf/kernel_priv.h"
#include "record/bpf/threads.h"

enum bpf_thread_kind {
	THREAD_WAITING, /* the threads of this process: who is forked by them counts when it runs a program */
	THREAD_WATCHED = 1,
	THREAD_HIDDEN = 3, /* it is left out, its children are not */
};
/* The value of a thread in the map; the key is its id, 4 bytes. */
struct bpf_thread {
	uint64_t entered; /* time of the call that it is in, 0: none */
	int64_t number;   /* of that call */
	uint64_t kind;
};

/*
 * -1 with e when the kernel refuses. `t` needs bpf_threads_release() in any case. Threads are in the set when this
 * returns; whose program is attached later misses nothing but calls in between.
 */
int bpf_threads_open(struct bpf_threads *t, const struct bpf_threads_opts *opts, struct err *e);
void bpf_threads_release(struct bpf_threads *t);

/* Its id goes to FP - 4. Where everyone is watched: jumps to `skip` in this process, and outside of the group. */
void emit_thread_id(struct emit *c, const struct bpf_threads *t, int skip);
/* R0 = the thread's struct bpf_thread, or 0: it is not in the set. Jumps to `skip` when it is not to be watched. */
void emit_thread(struct emit *c, const struct bpf_threads *t, int skip);

#endif
