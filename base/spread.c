#include "base/spread.h"

#include <math.h>

void spread_add(struct spread *s, double value)
{
	double delta = value - s->mean;

	s->n++;
	s->mean += delta / s->n;
	s->m2 += delta * (value - s->mean);
}

double spread_of_mean(const struct spread *s) { return s->n < 2 ? 0 : sqrt(s->m2 / (s->n - 1) / s->n); }

double spread_percent(const struct spread *s) { return s->mean == 0 ? 0 : 100 * spread_of_mean(s) / s->mean; }
