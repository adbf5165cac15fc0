/* Programs whose counts, addresses, branches and calls are known. */
#include <limits.h>
#include <sys/mman.h>

#include "cmd/test/hardware_priv.h"

enum { BUFFER_BYTES = 4 << 20, PAGE = 4096 };

static volatile uint32_t word;
static const char *buffer;

/* Keep one copy of a function: its labels and its address are facts for the tests. */
#if __has_attribute(noipa)
#define ONE_COPY __attribute__((noipa))
#else
#define ONE_COPY __attribute__((noinline))
#endif

/* Labels around the loop. */
extern const char hardware_loop_begin[], hardware_loop_end[];

ONE_COPY void hardware_loop(uint64_t n)
{
#if defined(__x86_64__)
	__asm__ volatile(".globl hardware_loop_begin\nhardware_loop_begin:\n"
			 "nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n"
			 "sub $1, %0\n jnz hardware_loop_begin\n"
			 ".globl hardware_loop_end\nhardware_loop_end:\n"
			 : "+r"(n)
			 :
			 : "cc");
#elif defined(__aarch64__)
	__asm__ volatile(".globl hardware_loop_begin\nhardware_loop_begin:\n"
			 "nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n"
			 "subs %0, %0, #1\n b.ne hardware_loop_begin\n"
			 ".globl hardware_loop_end\nhardware_loop_end:\n"
			 : "+r"(n)
			 :
			 : "cc");
#elif defined(__s390x__)
	__asm__ volatile(".globl hardware_loop_begin\nhardware_loop_begin:\n"
			 "nopr 0\n nopr 0\n nopr 0\n nopr 0\n nopr 0\n nopr 0\n nopr 0\n nopr 0\n"
			 "aghi %0, -1\n jne hardware_loop_begin\n"
			 ".globl hardware_loop_end\nhardware_loop_end:\n"
			 : "+d"(n)
			 :
			 : "cc");
#else /* the loop has an unknown length here, so its counts are not compared */
	__asm__ volatile(".globl hardware_loop_begin\nhardware_loop_begin:\n");
	while (n--)
		__asm__ volatile("");
	__asm__ volatile(".globl hardware_loop_end\nhardware_loop_end:\n");
#endif
}

/*
 * Blocks a to d lie in this order and run as a, c, b, d, a ...: all branches are taken, and each
 * goes from and to a block of its own.
 */
extern const char hardware_block_a[], hardware_block_b[], hardware_block_c[], hardware_block_d[], hardware_block_end[];

#define BLOCK(name) ".globl hardware_block_" name "\nhardware_block_" name ":\n"

ONE_COPY void hardware_branches(uint64_t n)
{
#if defined(__x86_64__)
	__asm__ volatile(
		BLOCK("a") "jmp hardware_block_c\n" BLOCK("b") "jmp hardware_block_d\n" BLOCK(
			"c") "jmp hardware_block_b\n" BLOCK("d") "sub $1, %0\n jnz hardware_block_a\n" BLOCK("end")
		: "+r"(n)
		:
		: "cc");
#elif defined(__aarch64__)
	__asm__ volatile(
		BLOCK("a") "b hardware_block_c\n" BLOCK("b") "b hardware_block_d\n" BLOCK(
			"c") "b hardware_block_b\n" BLOCK("d") "subs %0, %0, #1\n b.ne hardware_block_a\n" BLOCK("end")
		: "+r"(n)
		:
		: "cc");
#else /* CPUs with other architectures have no such branch records */
	__asm__ volatile(BLOCK("a") BLOCK("b") BLOCK("c") BLOCK("d") BLOCK("end"));
	hardware_loop(n);
#endif
}

/* Return the number of the block with this address, -1 for none. */
static int block_of(uint64_t address)
{
	const char *const starts[] = { hardware_block_a, hardware_block_b, hardware_block_c, hardware_block_d,
				       hardware_block_end };

	for (int i = 0; i < (int)ARRAY_SIZE(starts) - 1; i++)
		if (address >= (uintptr_t)starts[i] && address < (uintptr_t)starts[i + 1])
			return i;
	return -1;
}

bool hardware_sequence(const uint64_t *branches, uint64_t n)
{
	enum { A, B, C, D, ENOUGH = 4 };
	static const int next[] = { [A] = C, [B] = D, [C] = B, [D] = A };
	unsigned right = 0;
	int newer = -1; /* the block where the previous, newer branch began */

	for (uint64_t i = 0; i < n; i++) {
		int from = block_of(branches[3 * i]), to = block_of(branches[3 * i + 1]);

		if (from < 0 || to < 0) { /* the way into the blocks, or back from an interrupt */
			newer = -1;
			continue;
		}
		if (to != next[from] || (newer >= 0 && newer != to))
			return false;
		newer = from;
		right++;
	}
	return right >= ENOUGH;
}

void hardware_branch(unsigned which, uint64_t *from, uint64_t *to)
{
	const char *const order[] = { hardware_block_d, hardware_block_b, hardware_block_c, hardware_block_a };
	unsigned i = which % ARRAY_SIZE(order);

	*from = (uintptr_t)order[i];
	*to = (uintptr_t)order[(i + ARRAY_SIZE(order) - 1) % ARRAY_SIZE(order)];
}

bool hardware_in_loop(uint64_t address)
{
	/* an interrupt may come directly after the last instruction */
	return address >= (uintptr_t)hardware_loop_begin && address <= (uintptr_t)hardware_loop_end;
}

/*
 * Using its frame address gives a function a frame, even if the compiler omits frame pointers. The
 * memory clobber behind a call prevents the compiler from turning the call into a jump.
 */
#define KEEP_FRAME() __asm__ volatile("" ::"r"(__builtin_frame_address(0)) : "memory")

/*
 * Call the loop. The loop has no frame, so chains of frame pointers do not show its caller: use
 * this one as the caller.
 */
ONE_COPY static void caller_of_loop(uint64_t n)
{
	hardware_loop(n);
	KEEP_FRAME();
}

ONE_COPY static void innermost(uint64_t n)
{
	caller_of_loop(n);
	KEEP_FRAME();
}

ONE_COPY static void middle(uint64_t n)
{
	innermost(n);
	KEEP_FRAME();
}

ONE_COPY void hardware_calls(uint64_t n)
{
	middle(n);
	KEEP_FRAME();
}

/* The functions are short, so a return address is close behind their start. */
static bool within(uint64_t address, uintptr_t function) { return address >= function && address - function < 96; }

uint64_t hardware_call(unsigned which)
{
	const uintptr_t functions[HARDWARE_CALLS] = { (uintptr_t)innermost, (uintptr_t)middle,
						      (uintptr_t)hardware_calls };

	return functions[which];
}

bool hardware_chain(const uint64_t *chain, uint64_t n, unsigned stride)
{
	unsigned found = 0;

	for (uint64_t i = 0; i < n && found < HARDWARE_CALLS; i++)
		found += within(chain[i * stride], hardware_call(found));
	return found == HARDWARE_CALLS;
}

const volatile uint32_t *hardware_word(void) { return &word; }

void hardware_stores(uint64_t n)
{
	while (n--)
		word = (uint32_t)n;
}

void hardware_pages(uint64_t n)
{
	char *pages = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return;
	madvise(pages, n * PAGE, MADV_NOHUGEPAGE); /* a huge page would be one fault */
	for (uint64_t i = 0; i < n; i++)
		((volatile char *)pages)[i * PAGE] = 1;
	munmap(pages, n * PAGE);
}

void hardware_reads(uint64_t n)
{
	if (!buffer)
		buffer = memset(xmalloc(BUFFER_BYTES), 1, BUFFER_BYTES);
	while (n--)
		for (size_t i = 0; i < BUFFER_BYTES; i += 64)
			(void)((const volatile char *)buffer)[i];
}

const char *hardware_buffer(void) { return buffer; }
bool hardware_in_buffer(uint64_t address) { return buffer && address - (uintptr_t)buffer < BUFFER_BYTES; }

static void (*const works[])(uint64_t n) = { hardware_loop,  hardware_branches, hardware_calls,
					     hardware_pages, hardware_reads,    hardware_stores };

void (*hardware_work(unsigned number))(uint64_t n) { return number < ARRAY_SIZE(works) ? works[number] : NULL; }

unsigned hardware_work_number(void (*work)(uint64_t n))
{
	for (unsigned i = 0; i < ARRAY_SIZE(works); i++)
		if (works[i] == work)
			return i;
	return UINT_MAX;
}
