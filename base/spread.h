#ifndef BASE_SPREAD_H
#define BASE_SPREAD_H

/*
 * Running mean and sum of squared deviations. A zeroed struct has no values. Source: D. E. Knuth,
 * The Art of Computer Programming, volume 2, 4.2.2 (Welford).
 */
struct spread {
	double n, mean, m2;
};
void spread_add(struct spread *s, double value);
/* standard deviation of the mean; 0 with fewer than two values */
double spread_of_mean(const struct spread *s);
double spread_percent(const struct spread *s); /* the same in percent of the mean; 0 if the mean is 0 */

#endif
