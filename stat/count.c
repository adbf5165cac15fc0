#include "stat/count.h"

#include <math.h>

uint64_t count_scaled(const struct count *c)
{
	if (!count_ran(c))
		return 0;
	if (c->running >= c->enabled)
		return c->value;
	return (uint64_t)((long double)c->value * (long double)c->enabled / (long double)c->running + 0.5L);
}

void spread_add(struct spread *s, double value)
{
	double delta = value - s->mean;

	s->n++;
	s->mean += delta / s->n;
	s->m2 += delta * (value - s->mean);
}

double spread_of_mean(const struct spread *s) { return s->n < 2 ? 0 : sqrt(s->m2 / (s->n - 1) / s->n); }

double spread_percent(const struct spread *s) { return s->mean == 0 ? 0 : 100 * spread_of_mean(s) / s->mean; }
