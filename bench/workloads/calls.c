/* calls SECONDS [PER_SECOND]: system calls that do nothing, as many as possible or so many per second in bursts of a millisecond. Prints how many. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double start = now(), end = start + (argc > 1 ? atof(argv[1]) : 1), rate = argc > 2 ? atof(argv[2]) : 0, at;
	unsigned long done = 0;

	while ((at = now()) < end) {
		unsigned long due = rate ? (unsigned long)((at - start) * rate) : done + 1000;

		for (; done < due; done++)
			syscall(SYS_getppid);
		if (rate)
			nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	}
	printf("%lu\n", done);
	return 0;
}
