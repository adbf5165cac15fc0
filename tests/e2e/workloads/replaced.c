/* Use a path, then put another program under our own name. For tests/e2e/trace_calls.sh. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	access("/etc/AAAAAA", F_OK);
	return rename("replaced.new", "replaced") != 0;
}
