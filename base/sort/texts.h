#ifndef BASE_SORT_TEXTS_H
#define BASE_SORT_TEXTS_H

#include <stddef.h>

/*
 * Sort texts in the order of strcmp. The time grows with their number and with the length of their
 * common prefixes. The order of equal texts is undefined.
 */
void sort_texts(const char **texts, size_t n);

#endif
