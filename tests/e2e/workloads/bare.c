/*
 * Code without unwind information, as hand-written loops and interpreters have it (x86-64):
 * - leaf(): saves registers, leaves old return addresses in its frame, is called by pointer;
 * - framed(): keeps a frame pointer and calls C.
 */
#include <stdlib.h>

long leaf(long n), framed(long n, long (*fn)(long));
__asm__(".text\n"
	".type leaf, @function\n"
	"leaf:\n"
	"	push %rbx\n"
	"	push %rbp\n"
	"	sub $200, %rsp\n"
	"	mov $1, %ebp\n"
	"1:	imul %rbp, %rbx\n"
	"	add %rdi, %rbx\n"
	"	sub $1, %rdi\n"
	"	jnz 1b\n"
	"	mov %rbx, %rax\n"
	"	add $200, %rsp\n"
	"	pop %rbp\n"
	"	pop %rbx\n"
	"	ret\n"
	".size leaf, . - leaf\n"
	".type framed, @function\n"
	"framed:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	sub $64, %rsp\n"
	"	call *%rsi\n"
	"	leave\n"
	"	ret\n"
	".size framed, . - framed\n");

static volatile long sum;
__attribute__((noinline)) static long inner(long n)
{
	for (long i = 0; i < n; i++)
		sum += i;
	return sum;
}
/* Leave return addresses of direct calls below the stack pointer. */
__attribute__((noinline)) static long deep(int n) { return n ? deep(n - 1) + sum : inner(1); }

__attribute__((noinline)) static void leaf_caller(long (*volatile fn)(long))
{
	deep(6);
	sum += fn(300000);
}
__attribute__((noinline)) static void framed_caller(long (*volatile fn)(long, long (*)(long)))
{
	sum += fn(1500000, inner);
}

int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 600; i > 0; i--) {
		leaf_caller(leaf);
		framed_caller(framed);
	}
	return sum == 42;
}
