#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <alloca.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>
#include "symbols/symbols.h"
#include "tests/unit/symbols/self.h"

/*
 * The sample is this process: registers of its own function, a copy of its stack, its maps.
 * unwind_user() must find the same callers as the C library's backtrace() in the living
 * process.
 */
#if defined(__x86_64__)
enum { IP = 8, SP = 7, BP = 6 };
#define MASK 0xff0fffull
#elif defined(__aarch64__)
enum { IP = 32, SP = 31, BP = 29 };
#define MASK 0x1ffffffffull
#else
#define NO_REGISTERS
enum { IP, SP, BP };
#define MASK 0
#endif

enum { DEPTH = 64, STACK = 64 << 10 };

static struct snap {
	uint64_t regs[64];
	uint8_t stack[STACK];
	uint64_t stack_size;
	/* Return addresses from backtrace(), from [1] on; [0] is the innermost function. */
	void *truth[DEPTH + 1];
	int n_truth;
} snap;

static void *stack_end;

static void take_registers(const ucontext_t *u, uint64_t *regs)
{
#if defined(__x86_64__)
	static const int from[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP };
	static const int high[] = { REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

	for (size_t i = 0; i < ARRAY_SIZE(from); i++)
		regs[i] = (uint64_t)u->uc_mcontext.gregs[from[i]];
	for (size_t i = 0; i < ARRAY_SIZE(high); i++)
		regs[16 + i] = (uint64_t)u->uc_mcontext.gregs[high[i]];
#elif defined(__aarch64__)
	for (size_t i = 0; i < 31; i++)
		regs[i] = u->uc_mcontext.regs[i];
	regs[SP] = u->uc_mcontext.sp;
	regs[IP] = u->uc_mcontext.pc;
#endif
}

static __attribute__((noinline, no_sanitize("address"))) void copy_stack(uint64_t sp)
{
	const volatile uint8_t *from = (const volatile uint8_t *)(uintptr_t)sp;

	snap.stack_size = MIN((uint64_t)STACK, (uintptr_t)stack_end - sp);
	for (size_t i = 0; i < snap.stack_size; i++)
		snap.stack[i] = from[i];
}

static __attribute__((noinline)) void take(void)
{
	void *all[DEPTH], *back = __builtin_return_address(0);
	ucontext_t u;
	int n, skip = 0;

	getcontext(&u);
	take_registers(&u, snap.regs);
	copy_stack(snap.regs[SP]);
	n = backtrace(all, DEPTH);
	while (skip < n && all[skip] != back) /* a sanitizer's backtrace() is in the list too */
		skip++;
	snap.n_truth = 1 + n - skip;
	memcpy(snap.truth + 1, all + skip, (size_t)(n - skip) * sizeof(all[0]));
}

static struct unwind_args args_of(uint32_t space, uint8_t packed[64 * 8])
{
	unsigned n = 0;

	for (unsigned i = 0; i < 64; i++)
		if (MASK >> i & 1)
			memcpy(packed + 8 * n++, &snap.regs[i], 8);
	return (struct unwind_args){ .space = space,
				     .regs_mask = MASK,
				     .regs = packed,
				     .abi = 2,
				     .stack = snap.stack,
				     .stack_size = snap.stack_size };
}

static size_t unwind(uint64_t *ips, size_t max, struct unwind_stop *end)
{
	struct symbols *s = symbols_new(&(struct symbols_opts){ .buildid_dir = NULL });
	uint8_t packed[64 * 8];
	struct unwind_args a = args_of(space_of_self(s, NULL), packed);
	size_t n = unwind_user(s, &a, 0, ips, max, end);

	symbols_free(s);
	return n;
}

static void assert_whole(void)
{
	uint64_t ips[DEPTH];
	struct unwind_stop end;
	size_t n = unwind(ips, DEPTH, &end);

	assert_int_equal(end.end, UNWIND_DONE);
	assert_int_equal(n, snap.n_truth);
	assert_int_equal(ips[0], snap.regs[IP]);
	/* callers are one less, except the interrupted code and its trampoline */
	for (size_t i = 1; i < n; i++)
		if (ips[i] != (uintptr_t)snap.truth[i])
			assert_int_equal(ips[i] + 1, (uintptr_t)snap.truth[i]);
}

/* ---- whole stacks ---- */

static volatile int sink;

static __attribute__((noinline)) int descend(int depth, void (*at_bottom)(void))
{
	volatile char pad[40];

	pad[0] = (char)depth;
	if (!depth)
		at_bottom();
	else
		sink += descend(depth - 1, at_bottom);
	return pad[0];
}

static __attribute__((noinline)) int wide(int n, void (*at_bottom)(void))
{
	char *array = alloca((size_t)n); /* only a frame pointer leads to the frame */

	memset(array, n, (size_t)n);
	sink += array[n / 2];
	return descend(1, at_bottom) + array[0];
}

static void plain_calls(void **state)
{
	descend(6, take);
	assert_true(snap.n_truth > 8);
	assert_whole();
}

static void frames_of_variable_size(void **state)
{
	wide(333, take);
	assert_whole();
}

static int compare(const void *a, const void *b)
{
	take();
	return *(const int *)a - *(const int *)b;
}

static void a_callback_of_the_c_library(void **state)
{
	int v[] = { 2, 1 };

	qsort(v, 2, sizeof(v[0]), compare);
	assert_int_equal(v[0], 1);
	assert_whole();
}

static void on_signal(int sig) { take(); }

static void raise_signal(void) { raise(SIGUSR1); }

static void a_signal_handler(void **state)
{
	uint64_t ips[DEPTH];
	struct unwind_stop end;
	size_t n;
	bool exact = false;

	signal(SIGUSR1, on_signal);
	descend(2, raise_signal);
	assert_whole();
	/* the interrupted instruction is exact, not one less */
	n = unwind(ips, DEPTH, &end);
	for (size_t i = 1; i < n; i++)
		exact |= ips[i] == (uintptr_t)snap.truth[i];
	assert_true(exact);
}

#ifdef __x86_64__
static uint64_t interrupted;

/* As if the sample came between the two instructions that end a handler. */
static void return_halfway(int sig, siginfo_t *info, void *context)
{
	enum { MOV = 7 };
	uint64_t sp = (uintptr_t)__builtin_dwarf_cfa();

	interrupted = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	take();
	snap.regs[IP] = (uintptr_t)__builtin_return_address(0) + MOV;
	snap.regs[SP] = sp;
	copy_stack(sp);
}

static void the_end_of_a_signal_handler(void **state)
{
	struct sigaction action = { .sa_sigaction = return_halfway, .sa_flags = SA_SIGINFO };
	struct symbols *s = symbols_new(&(struct symbols_opts){ .buildid_dir = NULL });
	uint8_t packed[64 * 8];
	uint64_t ips[DEPTH];

	sigaction(SIGUSR1, &action, NULL);
	descend(2, raise_signal);
	for (unsigned by = 0; unwinder_name(by); by++) {
		struct unwind_args a = args_of(space_of_self(s, NULL), packed);
		struct unwind_stop stop;
		size_t n = unwind_user_by(s, &a, 0, by, ips, DEPTH, &stop);

		if (stop.end == UNWIND_UNSUPPORTED)
			continue;
		print_message("%s: %zu frames\n", unwinder_name(by), n);
		assert_true(n > 3);
		assert_int_equal(ips[0], snap.regs[IP]);
		assert_int_equal(ips[1], interrupted);
	}
	symbols_free(s);
}
#endif

static void *in_thread(void *p)
{
	pthread_attr_t attr;
	size_t size;
	void *low, *before = stack_end;

	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &low, &size);
	pthread_attr_destroy(&attr);
	stack_end = (char *)low + size;
	descend(3, take);
	stack_end = before;
	return NULL;
}

static void a_thread(void **state)
{
	pthread_t t;

	assert_int_equal(pthread_create(&t, NULL, in_thread, NULL), 0);
	pthread_join(t, NULL);
	assert_whole();
}

/* ---- code without CFI ---- */

static void generated_code_by_its_frame_pointer(void **state)
{
#if defined(__x86_64__)
	/* push rbp; mov rbp, rsp; call rdi; pop rbp; ret */
	static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t ips[DEPTH];
	struct unwind_stop end;
	size_t n;

	assert_true(p != MAP_FAILED);
	memcpy(p, code, sizeof(code));
	if (mprotect(p, 4096, PROT_READ | PROT_EXEC) < 0) {
		munmap(p, 4096);
		skip();
	}
	((void (*)(void (*)(void)))p)(take);
	n = unwind(ips, DEPTH, &end);
	munmap(p, 4096);
	assert_int_equal(end.end, UNWIND_DONE);
	assert_true(n > 4);
	assert_int_equal(ips[1], (uintptr_t)p + 5);
#else
	skip();
#endif
}

static void unmapped_code_without_a_frame_pointer_has_no_stack(void **state)
{
	uint64_t ips[DEPTH];
	struct unwind_stop end;

	descend(1, take);
	snap.regs[IP] = 0x1000;
	snap.regs[BP] = 0;
	assert_int_equal(unwind(ips, DEPTH, &end), 0);
	assert_int_equal(end.end, UNWIND_NO_MAP);
}

/* ---- what stops it ---- */

static void a_short_copy_gives_the_inner_part(void **state)
{
	uint64_t whole[DEPTH], ips[DEPTH];
	struct unwind_stop end;
	size_t n_whole, n, last = 0;

	descend(6, take);
	n_whole = unwind(whole, DEPTH, &end);
	for (uint64_t size = 0; size < 8192; size += 8) {
		snap.stack_size = size;
		n = unwind(ips, DEPTH, &end);
		assert_true(n >= last && n <= n_whole && n >= 1);
		assert_memory_equal(ips, whole, n * sizeof(ips[0]));
		assert_int_equal(end.end, n == n_whole ? UNWIND_DONE : UNWIND_STACK_CUT);
		last = n;
	}
	assert_true(last > 6);
}

static void the_limit_is_kept(void **state)
{
	uint64_t ips[4] = { 0, 0, 0, 77 };
	struct unwind_stop end;

	descend(6, take);
	assert_int_equal(unwind(ips, 3, &end), 3);
	assert_int_equal(end.end, UNWIND_LIMIT);
	assert_int_equal(ips[3], 77);
	assert_int_equal(unwind(ips, 0, &end), 0);
}

static void an_object_without_a_file_ends_the_stack_before_it(void **state)
{
	struct symbols *s = symbols_new(&(struct symbols_opts){ 0 });
	uint64_t ips[DEPTH];
	uint8_t packed[64 * 8];
	struct unwind_stop end;
	struct unwind_args a;
	size_t n;

	descend(6, take);
	a = args_of(space_of_self(s, "libc.so"), packed);
	n = unwind_user(s, &a, 0, ips, DEPTH, &end);
	assert_true(n > 6 && n < (size_t)snap.n_truth);
	assert_int_equal(end.end, UNWIND_NO_FILE);
	symbols_free(s);
}

static void failed_unwinding_says_so(void **state)
{
	struct symbols *s = symbols_new(&(struct symbols_opts){ 0 });
	uint8_t packed[64 * 8];
	struct unwind_stop end;
	uint64_t ips[4];
	struct unwind_args a;

	descend(0, take);
	a = args_of(space_of_self(s, NULL), packed);
	a.abi = 0;
	assert_int_equal(unwind_user(s, &a, 0, ips, 4, &end), 0);
	assert_int_equal(end.end, UNWIND_UNSUPPORTED);
	a.abi = 2;
	a.regs_mask = MASK & ~(UINT64_C(1) << SP);
	assert_int_equal(unwind_user(s, &a, 0, ips, 4, &end), 0);
	assert_int_equal(end.end, UNWIND_UNSUPPORTED);
	symbols_free(s);
	s = symbols_new(&(struct symbols_opts){ .arch = "riscv64" });
	a = args_of(space_of_self(s, NULL), packed);
	assert_int_equal(unwind_user(s, &a, 0, ips, 4, &end), 0);
	assert_int_equal(end.end, UNWIND_UNSUPPORTED);
	symbols_free(s);
}

static void random_stacks_end(void **state)
{
	struct symbols *s = symbols_new(&(struct symbols_opts){ 0 });
	uint8_t packed[64 * 8];
	uint64_t ips[DEPTH], seed = 1;
	struct unwind_stop end;
	struct unwind_args a;

	descend(6, take);
	a = args_of(space_of_self(s, NULL), packed);
	for (unsigned i = 0; i < 20000; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		snap.stack[(seed >> 20) % MIN(snap.stack_size, 1024u)] ^= (uint8_t)(seed >> 50);
		assert_true(unwind_user(s, &a, 0, ips, DEPTH, &end) >= 1 || end.end == UNWIND_NO_MAP);
	}
	symbols_free(s);
}

/* ---- threads of ours ---- */

struct job {
	struct symbols *s;
	struct unwind_args a;
	unsigned worker;
	uint64_t ips[DEPTH];
	size_t n;
};

static void *work(void *p)
{
	struct job *j = p;
	struct unwind_stop end;

	for (int i = 0; i < 200; i++)
		j->n = unwind_user(j->s, &j->a, j->worker, j->ips, DEPTH, &end);
	return NULL;
}

static void workers_agree(void **state)
{
	struct symbols *s = symbols_new(&(struct symbols_opts){ 0 });
	struct job jobs[4] = { 0 };
	pthread_t threads[4];
	uint8_t packed[64 * 8];
	struct unwind_args a;

	descend(6, take);
	a = args_of(space_of_self(s, NULL), packed);
	for (unsigned i = 0; i < 4; i++) {
		jobs[i] = (struct job){ .s = s, .a = a, .worker = i };
		assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(jobs[0].n, snap.n_truth);
	for (unsigned i = 1; i < 4; i++) {
		assert_int_equal(jobs[i].n, jobs[0].n);
		assert_memory_equal(jobs[i].ips, jobs[0].ips, jobs[0].n * sizeof(uint64_t));
	}
	symbols_free(s);
}

static void find_stack_end(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[4096];
	unsigned long start, end;

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "[stack]") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			stack_end = (void *)end;
	if (f)
		fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_calls),
		cmocka_unit_test(frames_of_variable_size),
		cmocka_unit_test(a_callback_of_the_c_library),
		cmocka_unit_test(a_signal_handler),
#ifdef __x86_64__
		cmocka_unit_test(the_end_of_a_signal_handler),
#endif
		cmocka_unit_test(a_thread),
		cmocka_unit_test(generated_code_by_its_frame_pointer),
		cmocka_unit_test(unmapped_code_without_a_frame_pointer_has_no_stack),
		cmocka_unit_test(a_short_copy_gives_the_inner_part),
		cmocka_unit_test(the_limit_is_kept),
		cmocka_unit_test(an_object_without_a_file_ends_the_stack_before_it),
		cmocka_unit_test(failed_unwinding_says_so),
		cmocka_unit_test(random_stacks_end),
		cmocka_unit_test(workers_agree),
	};

#ifdef NO_REGISTERS
	print_message("this test knows the registers of x86-64 and arm64 only\n");
	return 77;
#endif
	find_stack_end();
	if (!stack_end) {
		print_message("cannot tell where the stack ends (/proc/self/maps)\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
