/*
 * A stack that cfi cannot leave and libunwind can: code without unwind information whose return address stands behind
 * no call, on a stack of its own that holds no other; its frame pointer leads on to where threads of it start.
 */
void begin(void *stack);
__asm__(".text\n"
	".type begin, @function\n"
	"begin:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	mov %rdi, %rsp\n"
	"	xor %ebp, %ebp\n"
	"	lea 1f(%rip), %rax\n"
	"	push %rax\n"
	"	jmp bare\n"
	"1:	mov $60, %eax\n" /* exit(0) */
	"	xor %edi, %edi\n"
	"	syscall\n"
	"	.cfi_endproc\n"
	".size begin, . - begin\n"
	".type bare, @function\n"
	"bare:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	sub $64, %rsp\n"
	"	mov $200000000, %rcx\n"
	"1:	imul %rcx, %rdx\n"
	"	dec %rcx\n"
	"	jnz 1b\n"
	"	leave\n"
	"	ret\n"
	".size bare, . - bare\n");
static char stack[1 << 16] __attribute__((aligned(4096)));
int main(void)
{
	begin(stack + sizeof(stack) / 2 + 2048);
	return 0;
}
