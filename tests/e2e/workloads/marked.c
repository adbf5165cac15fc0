/* A marker as <sys/sdt.h> writes it, by hand: provider "strobe", name "mark", arguments n (32 bit, signed) and 7. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int work(int n)
{
#if defined(__x86_64__)
	__asm__ volatile("990: nop\n"
			 ".pushsection .note.stapsdt,\"?\",\"note\"\n"
			 ".balign 4\n.4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"
			 "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte 0\n.asciz \"strobe\"\n"
			 ".asciz \"mark\"\n.asciz \"-4@%0 4@$7\"\n994: .balign 4\n"
			 ".popsection\n"
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
			 ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n"
			 ".size _.stapsdt.base,1\n.popsection\n" : : "r"(n));
#endif
	return n * 2;
}

int main(int argc, char **argv)
{
	int total = 0;

	for (int i = 0; i < 3; i++)
		total += work(40 + i);
	printf("%d\n", total);
	return 0;
}
