#ifndef BASE_SORT_TEXTS_H
#define BASE_SORT_TEXTS_H

#include <stddef.h>

/* Texts in the order of strcmp, in time that grows with their number and the length of what they share. Texts that are
 * equal keep no order. */
void sort_texts(const char **texts, size_t n);

#endif
