#ifndef RECORD_BPF_THREADS_H
#define RECORD_BPF_THREADS_H

/*
 * Which threads a program of ours watches. The kernel keeps the set: children join it, threads that end leave it, and a
 * thread that runs another program under its leader's id stays in it.
 */
#include "base/err.h"
#include "base/mem.h"

struct emit;

struct bpf_threads_opts {
	bool everyone;           /* all but this process */
	int cgroup;              /* ... in this control group (version 2), a descriptor of its directory; 0: in all */
	bool command;            /* what this process will run */
	const char *pids, *tids; /* lists with commas */
	const char *not_tids;
	bool no_inherit;
	bool until_freed; /* threads stay in the set until their last switch is over */
	/*
	 * Emit code that runs when a thread ends, before it leaves the set. There R8 is its struct bpf_thread, and
	 * FP - 4 has its id. NULL: no code.
	 */
	void (*at_end)(struct emit *c, void *of);
	void *of;
};
struct bpf_threads {
	int map, groups; /* groups: a map with the one group; -1: none */
	bool everyone;
	VEC(int) fds;
};

#endif
