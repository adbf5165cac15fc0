#ifndef CMD_TEST_WORKLOADS_H
#define CMD_TEST_WORKLOADS_H

#include "base/err.h"
#include "base/mem.h"
#include "base/signal.h"

/*
 * Programs whose profile is known, for tests: `strobe test -w NAME`. Their names, their arguments and the names of
 * their functions are those of perf's, because scripts look for them. To add one: a row in workloads.c, its function
 * there or in a file of its own, and its names in workloads.list.
 */
enum { WORKLOAD_ARGS = 2 };
struct workload_args {
	double number[WORKLOAD_ARGS]; /* those not given are the defaults of the row */
};

struct test_workload {
	const char *name, *args, *text;                      /* `args`: how help names them, "" for none */
	double defaults[WORKLOAD_ARGS], most[WORKLOAD_ARGS]; /* most 0: there is no such argument */
	int (*run)(const struct workload_args *args, struct err *e);
};
extern const struct test_workload workloads[]; /* name NULL at the end */

/* Functions and data that scripts look for. */
struct workload_symbol {
	const char *name;
	const void *address;
};
extern const struct workload_symbol workload_symbols[]; /* name NULL at the end */

/* ---- what workloads share ---- */

/* Start the time; at its end SIGALRM sets stop_requested. */
int workload_run_for(double seconds, struct err *e);

/* ---- in files of their own, for their line numbers or their size ---- */

int workload_inlineloop(const struct workload_args *args, struct err *e);
int workload_deterministic(const struct workload_args *args, struct err *e);
int workload_jitdump(const struct workload_args *args, struct err *e);

/* ---- functions that scripts look for ---- */

void inlineloop(void);
void noploop(void);
void test_loop(void);
void *thfunc(void *arg);
void leaf(void);
void parent(void);
void leafloop(void);
void sqrtloop(void);
int brstack_bar(void);
int brstack_foo(void);
void brstack_bench(void);
void brstack(uint64_t rounds);
void trap_bench(void);
void datasym(void);
void context_switch_loop_proc1(int in, int out, unsigned rounds);
void context_switch_loop_proc2(int in, int out, unsigned rounds);
int deterministic_first(int n);
int deterministic_second(int n);
int deterministic_run(int n);

/* ---- self.c ---- */

struct self_test {
	const char *name, *text;
	int (*run)(struct err *e); /* 0, or -1 with e; says more with verbose */
};
extern const struct self_test self_tests[]; /* name NULL at the end */

#endif
