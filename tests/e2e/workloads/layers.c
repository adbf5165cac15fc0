// layers: something of everything a report has to show: recursion, two functions that call each other, inlined calls,
// system calls, threads that rename themselves, a child that runs another program.
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sink;
#define KEPT __attribute__((noinline))
#define INLINED static inline __attribute__((always_inline))
INLINED void tiny(int n) { for (int i = 0; i < n; i++) sink += (unsigned long)i * 7; }
INLINED void small(int n) { tiny(n); for (int i = 0; i < n / 2; i++) sink ^= (unsigned long)i; }
KEPT static void leaf(int n) { for (int i = 0; i < n; i++) sink += (unsigned long)i; }
KEPT static void inliner(int n) { small(n); sink++; }
KEPT static void recurse(int d) { if (d > 0) { recurse(d - 1); leaf(300); } else { leaf(2000); } sink++; }
static void odd(int d);
KEPT static void even(int d) { if (d > 0) odd(d - 1); else inliner(1000); sink++; }
KEPT static void odd(int d) { if (d > 0) even(d - 1); leaf(100); sink++; }

KEPT static void calls(void)
{
	for (int i = 0; i < 30; i++) {
		int fd[2];

		if (!pipe(fd)) {
			close(fd[0]);
			close(fd[1]);
		}
	}
	sink++;
}

static void *thread(void *name)
{
	prctl(PR_SET_NAME, name);
	for (int i = 0; i < 18000; i++) {
		recurse(i % 7);
		even(i % 5);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	if (argc > 1) {
		for (int i = 0; i < 2000; i++) {
			leaf(300);
			calls();
		}
		return 0;
	}
	pthread_create(&t[0], NULL, thread, "worker one");
	pthread_create(&t[1], NULL, thread, "wk:two%s");
	for (int i = 0; i < 18000; i++) {
		recurse(3);
		even(4);
		inliner(100);
		if (i % 30 == 0)
			calls();
	}
	if (!fork()) {
		for (int i = 0; i < 15000; i++)
			leaf(1000);
		execl("/proc/self/exe", "again", "child", (char *)NULL);
		_exit(1);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	wait(NULL);
	return 0;
}
