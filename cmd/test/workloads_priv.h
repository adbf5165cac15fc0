#ifndef CMD_TEST_WORKLOADS_PRIV_H
#define CMD_TEST_WORKLOADS_PRIV_H

#include "base/err.h"
#include "base/mem.h"
#include "base/signal.h"

/*
 * Programs with a known profile, for tests: `strobe test -w NAME`. Their names, arguments and
 * function names equal those of perf, because scripts look for them. To add one: add a row in
 * workloads.c, its function there or in a file of its own, and its names in workloads.list.
 */
enum { WORKLOAD_ARGS = 2 };
struct workload_args {
	double number[WORKLOAD_ARGS]; /* missing ones have the default of the row */
};

struct test_workload {
	const char *name, *args, *text;                      /* `args`: as shown in help, "" for none */
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

/* Start the timer; when it ends, SIGALRM sets stop_requested. */
int workload_run_for(double seconds, struct err *e);

/* ---- in files of their own, because of their line numbers or size ---- */

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
	int (*run)(struct err *e); /* 0, or -1 with e; prints more when verbose */
};
extern const struct self_test self_tests[]; /* name NULL at the end */

#endif
