// garbage: stacks whose frame pointer leads to values all over the place, as code without frame pointers leaves them.
#include <stdint.h>

int main(void)
{
	uint64_t state = 1;

	for (int i = 0; i < 3000; i++) {
		struct { uint64_t next, address; } frame;

		state = state * 6364136223846793005u + 1442695040888963407u;
		frame.next = 0;
		frame.address = state;
		__asm__ volatile("push %%rbp\n mov %0, %%rbp\n mov %1, %%rcx\n 1: dec %%rcx\n jnz 1b\n pop %%rbp"
				 : : "r"(&frame), "r"(200000l) : "rcx", "memory");
	}
	return 0;
}
