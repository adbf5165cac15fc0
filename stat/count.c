#include "stat/count_priv.h"

uint64_t count_scaled(const struct count *c)
{
	if (!count_ran(c))
		return 0;
	if (c->running >= c->enabled)
		return c->value;
	return (uint64_t)((long double)c->value * (long double)c->enabled / (long double)c->running + 0.5L);
}
