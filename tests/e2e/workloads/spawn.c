/*
 * spawn N: N processes called "child", one after another. They share our memory, so that they cost little, and have had
 * many names: a live session forgets the dead when it knows many changes of few tasks.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char stack[16384] __attribute__((aligned(16)));

static int child(void *unused)
{
	(void)unused;
	for (int i = 0; i < 16; i++)
		prctl(PR_SET_NAME, i % 2 ? "child" : "young");
	_exit(0);
}

int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 0; i--)
		if (clone(child, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL) > 0)
			wait(NULL);
	return 0;
}
