/*
 * Spins under names that no one should print as they are: its thread's, its function's (put into the file by
 * tests/e2e/hostile.sh), and that of code it makes, with a map file for it. Prints its pid.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define COMM "\033[31m\nFORGED\x9b\x7f"
#define SYMBOL "jit\033]0;x\aFORGED\x9b\xc2\x9b\xe2\x80\xae\xff</script><forged>&\"'"

__attribute__((noinline)) void hostile_symbol_of_this_program(void)
{
	for (volatile int i = 0; i < 20000000; i++)
		;
}

static void spin_made_code(void)
{
#ifdef __x86_64__
	/* mov $n,%ecx; 1: dec %ecx; jnz 1b; ret */
	static const unsigned char code[] = { 0xb9, 0, 0, 0, 3, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *f;

	if (p == MAP_FAILED)
		return;
	memcpy(p, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "wx");
	if (f) {
		fprintf(f, "%lx 1000 " SYMBOL "\n", (unsigned long)p);
		fclose(f);
	}
	((void (*)(void))p)();
#endif
}

int main(void)
{
	prctl(PR_SET_NAME, COMM);
	printf("%d\n", getpid());
	fflush(stdout);
	spin_made_code();
	hostile_symbol_of_this_program();
	return 0;
}
