/* Programs whose counts, addresses, branches and calls are known. */
#include <sys/mman.h>

#include "cmd/test/hardware.h"

enum { BUFFER_BYTES = 4 << 20, PAGE = 4096 };

volatile uint32_t hardware_word;
const char *hardware_buffer;
size_t hardware_buffer_size;

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
#else /* of unknown length: the counts are then not compared */
	__asm__ volatile(".globl hardware_loop_begin\nhardware_loop_begin:\n");
	while (n--)
		__asm__ volatile("");
	__asm__ volatile(".globl hardware_loop_end\nhardware_loop_end:\n");
#endif
}

bool hardware_in_loop(uint64_t address)
{
	/* an interrupt may hit just behind the last instruction */
	return address >= (uintptr_t)hardware_loop_begin && address <= (uintptr_t)hardware_loop_end;
}

/*
 * Asking for its frame gives a function one, also where the compiler leaves frame pointers out. The memory
 * clobber behind a call keeps the compiler from making a jump of it.
 */
#define KEEP_FRAME() __asm__ volatile("" ::"r"(__builtin_frame_address(0)) : "memory")

/* The caller of a function without a frame, as the loop is, does not show in chains of frame pointers. */
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

/* The functions are short, so a return address lies close behind their start. */
static bool within(uint64_t address, uintptr_t function) { return address >= function && address - function < 96; }

unsigned hardware_chain(const uint64_t *chain, uint64_t n)
{
	const uintptr_t functions[] = { (uintptr_t)innermost, (uintptr_t)middle, (uintptr_t)hardware_calls };
	unsigned found = 0;

	for (uint64_t i = 0; i < n && found < ARRAY_SIZE(functions); i++)
		found += within(chain[i], functions[found]);
	return found;
}

void hardware_stores(uint64_t n)
{
	while (n--)
		hardware_word = (uint32_t)n;
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
	if (!hardware_buffer) {
		char *buffer = xmalloc(BUFFER_BYTES);

		memset(buffer, 1, BUFFER_BYTES);
		hardware_buffer = buffer;
		hardware_buffer_size = BUFFER_BYTES;
	}
	while (n--)
		for (size_t i = 0; i < hardware_buffer_size; i += 64)
			(void)((const volatile char *)hardware_buffer)[i];
}
