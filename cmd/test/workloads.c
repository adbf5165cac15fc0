/*
 * The workloads of `strobe test -w`. This file is compiled without optimization, so functions,
 * loops and frames stay as written.
 */
#include "cmd/test/workloads_priv.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "base/file.h"
#include "cmd/test/hardware_priv.h"

static void time_is_over(int sig) { stop_requested = sig; }

int workload_run_for(double seconds, struct err *e)
{
	struct sigaction action = { .sa_handler = time_is_over };
	struct itimerval timer = { .it_value = { .tv_sec = (time_t)seconds } };

	timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
	if (!timer.it_value.tv_sec && !timer.it_value.tv_usec)
		timer.it_value.tv_usec = 1;
	stop_requested = 0;
	if (sigaction(SIGALRM, &action, NULL) < 0 || setitimer(ITIMER_REAL, &timer, NULL) < 0)
		return err_sys(e, "cannot set the timer");
	return 0;
}

/* ---- one function ---- */

void noploop(void)
{
	while (!stop_requested)
		;
}

static int run_noploop(const struct workload_args *args, struct err *e)
{
	prctl(PR_SET_NAME, "perf-noploop"); /* as in perf: its tests look for it */
	if (workload_run_for(args->number[0], e) < 0)
		return -1;
	noploop();
	return 0;
}

/* ---- the same loop in threads ---- */

void test_loop(void)
{
	while (!stop_requested)
		;
}

void *thfunc(void *arg)
{
	test_loop();
	return NULL;
}

static int start_threads(pthread_t *threads, size_t n, void *(*function)(void *), struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		errno = pthread_create(&threads[i], NULL, function, (void *)i);
		if (!errno)
			continue;
		stop_requested = SIGALRM;
		err_sys(e, "cannot start thread %zu", i + 1);
		while (i-- > 0)
			pthread_join(threads[i], NULL);
		return -1;
	}
	return 0;
}

/* Run the loop in n threads; this thread is one of them. */
static int run_thloop(const struct workload_args *args, struct err *e)
{
	size_t n = args->number[1] < 1 ? 0 : (size_t)args->number[1] - 1;
	autofree pthread_t *threads = xcalloc(n + 1, sizeof(*threads));

	if (workload_run_for(args->number[0], e) < 0 || start_threads(threads, n, thfunc, e) < 0)
		return -1;
	test_loop();
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* ---- threads with names and functions of their own ---- */

static unsigned named_rounds;

#define NAMED(n) \
	void named_threads_thread##n(void); \
	void named_threads_thread##n(void) \
	{ \
		for (volatile unsigned i = 0; i < named_rounds; i++) \
			; \
	}
NAMED(1)
NAMED(2)
NAMED(3)
NAMED(4)
NAMED(5)
NAMED(6)
NAMED(7)
NAMED(8)
NAMED(9)
NAMED(10)
#undef NAMED

static void (*const named_functions[])(void) = {
	named_threads_thread1, named_threads_thread2,  named_threads_thread3, named_threads_thread4,
	named_threads_thread5, named_threads_thread6,  named_threads_thread7, named_threads_thread8,
	named_threads_thread9, named_threads_thread10,
};

static void *named_thread(void *arg)
{
	size_t i = (size_t)arg;
	char name[16];

	snprintf(name, sizeof(name), "thread%zu", i + 1);
	prctl(PR_SET_NAME, name);
	named_functions[i]();
	return NULL;
}

static int run_named_threads(const struct workload_args *args, struct err *e)
{
	pthread_t threads[ARRAY_SIZE(named_functions)];
	size_t n = MAX((size_t)args->number[0], (size_t)1);

	named_rounds = 10000 * (unsigned)args->number[1];
	if (start_threads(threads, n, named_thread, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* ---- three frames ---- */

void leaf(void)
{
	while (!stop_requested)
		;
}

void parent(void) { leaf(); }

void leafloop(void) { parent(); }

static int run_leafloop(const struct workload_args *args, struct err *e)
{
	if (workload_run_for(args->number[0], e) < 0)
		return -1;
	leafloop();
	return 0;
}

/* ---- a child that computes ---- */

void sqrtloop(void)
{
	volatile double x = 2;

	while (!stop_requested)
		x = sqrt(x) + 1;
}

static int run_sqrtloop(const struct workload_args *args, struct err *e)
{
	pid_t child = fork();
	int status = 0;

	if (child < 0)
		return err_sys(e, "cannot fork");
	if (!child) {
		if (workload_run_for(args->number[0], e) == 0)
			sqrtloop();
		_exit(0);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status ? err_set(e, "the child that computes ended with status %#x", status) : 0;
}

/* ---- branches of each kind ---- */

static volatile unsigned brstack_count;

int brstack_bar(void) { return (int)brstack_count++; }

int brstack_foo(void)
{
	brstack_bar();
	return (int)brstack_count++;
}

/* Direct and indirect calls, returns, and a branch on a changing condition. */
void brstack_bench(void)
{
	int (*volatile indirect)(void) = brstack_foo;

	if (brstack_count % 3)
		brstack_bar();
	brstack_foo();
	indirect();
}

void brstack(uint64_t rounds)
{
	for (;;) {
		if (!rounds--)
			break;
		brstack_bench();
	}
}

static int run_brstack(const struct workload_args *args, struct err *e)
{
	brstack((uint64_t)args->number[0]);
	return 0;
}

/* ---- traps ---- */

/* A harmless instruction that the kernel must emulate, where there is one; else a system call. */
void trap_bench(void)
{
#ifdef __aarch64__
	uint64_t value;

	asm volatile("mrs %0, ID_AA64ISAR0_EL1" : "=r"(value)); /* emulated by the kernel */
#else
	syscall(SYS_getppid);
#endif
}

static int run_traploop(const struct workload_args *args, struct err *e)
{
	for (uint64_t i = 0; i < (uint64_t)args->number[0]; i++)
		trap_bench();
	return 0;
}

/* ---- data at known offsets ---- */

/* data1 is at 0 and data2 at 56, in a cache line of their own. */
struct buf {
	char data1;
	char reserved[55];
	char data2;
} __attribute__((aligned(64)));
/*
 * Even a stripped program must have this name: scripts look for it. With a value, it is stored in
 * the file.
 */
extern struct buf workload_datasym_buf1;
struct buf workload_datasym_buf1 = { .reserved = { 1 } };

void datasym(void)
{
	volatile struct buf *b = &workload_datasym_buf1;

	while (!stop_requested) {
		b->data1++;
		b->data2 += b->data1;
	}
}

static int run_datasym(const struct workload_args *args, struct err *e)
{
	if (workload_run_for(args->number[0], e) < 0)
		return -1;
	datasym();
	return 0;
}

/* ---- system calls with known arguments that the kernel refuses ---- */

static int run_landlock(const struct workload_args *args, struct err *e)
{
#ifdef SYS_landlock_add_rule
	enum { NO_RULESET = 11, PATH_BENEATH = 1, NET_PORT = 2, NO_FLAGS = 45 };
	uint64_t rule[2] = { 4, 14 };

	syscall(SYS_landlock_add_rule, NO_RULESET, PATH_BENEATH, rule, NO_FLAGS);
	syscall(SYS_landlock_add_rule, NO_RULESET, NET_PORT, rule, NO_FLAGS);
	return 0;
#else
	return err_set(e, "this program was built without the system calls of landlock");
#endif
}

/* ---- two processes that alternate ---- */

static bool pass_on(int in, int out)
{
	char byte = 0;
	ssize_t n;

	while ((n = read(in, &byte, 1)) < 0 && errno == EINTR)
		;
	return n == 1 && write_all(out, &byte, 1) == 0;
}

void context_switch_loop_proc1(int in, int out, unsigned rounds)
{
	for (unsigned i = 0; i < rounds && pass_on(in, out); i++)
		for (volatile unsigned k = 0; k < 1000; k++)
			;
}

void context_switch_loop_proc2(int in, int out, unsigned rounds)
{
	for (unsigned i = 0; i < rounds && pass_on(in, out); i++)
		for (volatile unsigned k = 0; k < 1000; k++)
			;
}

static int run_context_switch_loop(const struct workload_args *args, struct err *e)
{
	unsigned rounds = (unsigned)args->number[0];
	int there[2], back[2], status = 0;
	pid_t child;

	if (pipe(there) < 0 || pipe(back) < 0)
		return err_sys(e, "cannot make a pipe");
	child = fork();
	if (child < 0)
		return err_sys(e, "cannot fork");
	if (!child) {
		prctl(PR_SET_NAME, "proc2");
		close(there[1]);
		close(back[0]);
		context_switch_loop_proc2(there[0], back[1], rounds);
		_exit(0);
	}
	prctl(PR_SET_NAME, "proc1");
	close(there[0]);
	close(back[1]);
	if (write_all(there[1], "", 1) == 0)
		context_switch_loop_proc1(back[0], there[1], rounds);
	close(there[1]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status ? err_set(e, "the second process ended with status %#x", status) : 0;
}

/* ---- all of them ---- */

enum { MANY = 1000000000, LONG = 86400 };

static int run_known(const struct workload_args *args, struct err *e)
{
	hardware_work((unsigned)args->number[0])((uint64_t)args->number[1]);
	return 0;
}

const struct test_workload workloads[] = {
	{ "noploop", "[SECONDS]", "one function that runs in a loop", { 1 }, { LONG }, run_noploop },
	{ "thloop", "[SECONDS] [THREADS]", "the same in threads", { 1, 2 }, { LONG, 10000 }, run_thloop },
	{ "named_threads",
	  "[THREADS] [LOOPS]",
	  "up to 10 threads, each with its own name and function",
	  { 10, 10 },
	  { 10, 100000 },
	  run_named_threads },
	{ "leafloop", "[SECONDS]", "leafloop calls parent, which calls leaf", { 1 }, { LONG }, run_leafloop },
	{ "sqrtloop", "[SECONDS]", "a child that takes square roots", { 1 }, { LONG }, run_sqrtloop },
	{ "brstack", "[LOOPS]", "calls, indirect calls, returns and branches", { 1000000 }, { MANY }, run_brstack },
	{ "datasym", "[SECONDS]", "writes at offsets 0 and 56 of workload_datasym_buf1", { 1 }, { LONG }, run_datasym },
	{ "landlock", "", "two system calls of landlock that the kernel refuses", { 0 }, { 0 }, run_landlock },
	{ "traploop", "[LOOPS]", "traps into the kernel", { 10000 }, { MANY }, run_traploop },
	{ "inlineloop", "[SECONDS]", "a function with two inlined ones", { 1 }, { LONG }, workload_inlineloop },
	{ "jitdump",
	  "[SECONDS]",
	  "code made at run time, with jit-PID.dump in the working directory",
	  { 0.1 },
	  { LONG },
	  workload_jitdump },
	{ "context_switch_loop",
	  "[LOOPS]",
	  "two processes, proc1 and proc2, that take turns",
	  { 100 },
	  { MANY },
	  run_context_switch_loop },
	{ "deterministic", "", "runs each of its lines once", { 0 }, { 0 }, workload_deterministic },
	{ "known",
	  "[WORK] [N]",
	  "work of --hardware: 0 loop, 1 branches, 2 calls, 3 pages, 4 reads, 5 stores",
	  { 0, 20000000 },
	  { 5, MANY },
	  run_known },
	{ 0 },
};

#define SYMBOL(name) \
	{ \
#name, (const void *)&name \
	}
const struct workload_symbol workload_symbols[] = {
	SYMBOL(noploop),
	SYMBOL(test_loop),
	SYMBOL(thfunc),
	SYMBOL(named_threads_thread1),
	SYMBOL(named_threads_thread10),
	SYMBOL(leaf),
	SYMBOL(parent),
	SYMBOL(leafloop),
	SYMBOL(sqrtloop),
	SYMBOL(brstack),
	SYMBOL(brstack_bar),
	SYMBOL(brstack_foo),
	SYMBOL(brstack_bench),
	SYMBOL(datasym),
	SYMBOL(workload_datasym_buf1),
	SYMBOL(trap_bench),
	SYMBOL(inlineloop),
	SYMBOL(context_switch_loop_proc1),
	SYMBOL(context_switch_loop_proc2),
	SYMBOL(deterministic_run),
	{ 0 },
};
