/* The workload `deterministic` runs each of its lines once. Scripts know their numbers: add none. */
#include "cmd/test/workloads_priv.h"

static volatile int sum;
/* clang-format off */

int deterministic_first(int n)
{
	sum += n;
	sum *= 2;
	return sum;
}

int deterministic_second(int n)
{
	sum -= n;
	sum *= 3;
	return sum;
}


int deterministic_run(int n)
{
	sum = n;
	sum += 1;
	sum *= 5;

	deterministic_first(n);

	sum += 7;
	sum *= 11;
	sum -= 13;

	deterministic_second(n);

	return sum;
}

int workload_deterministic(const struct workload_args *args, struct err *e)
{
	deterministic_run(1);
	return 0;
}
