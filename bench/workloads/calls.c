/*
 * calls SECONDS [PER_SECOND [KIND]]: make system calls that do nothing (call), page faults (fault) or
 * calls of a function (hit): as many as possible, or PER_SECOND of them in bursts of a millisecond.
 * Print how many it made.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) void hit(void)
{
	__asm__ volatile("nop; nop; nop");
}

static void call(void)
{
	syscall(SYS_getppid);
}

static void fault(void)
{
	static volatile char *page;

	if (!page)
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*page = 1;
	madvise((void *)page, 4096, MADV_DONTNEED);
}

int main(int argc, char **argv)
{
	void (*act)(void) = argc > 3 && !strcmp(argv[3], "hit")     ? hit
			    : argc > 3 && !strcmp(argv[3], "fault") ? fault
								    : call;
	double start = now(), end = start + (argc > 1 ? atof(argv[1]) : 1), rate = argc > 2 ? atof(argv[2]) : 0, at;
	unsigned long done = 0;

	while ((at = now()) < end) {
		unsigned long due = rate ? (unsigned long)((at - start) * rate) : done + 1000;

		for (; done < due; done++)
			act();
		if (rate)
			nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	}
	printf("%lu\n", done);
	return 0;
}
