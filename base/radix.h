#ifndef BASE_RADIX_H
#define BASE_RADIX_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sorting by a number, digit by digit: in time that grows with the number of items alone. Items of equal keys keep
 * their order, so what is compared by several keys is sorted by the least one first. `spare` has room for n items.
 */
struct radix_item {
	uint64_t key, value;
};
void radix_sort(struct radix_item *items, struct radix_item *spare, size_t n);

#endif
