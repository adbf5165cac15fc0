#ifndef BASE_VEC_EDIT_H
#define BASE_VEC_EDIT_H

#include <string.h>

#include "base/mem.h"

/* Insert into a vec, and remove from it, at any place. Both move the items behind that place. */

/* Insert an item before item `at`, or at the end if `at` is the length. */
#define vec_insert(v, at, ...) \
	__extension__({ \
		size_t vec_at_ = (at); \
		__typeof__(*(v)->items) vec_item_ = (__VA_ARGS__); \
		vec_push(v, vec_item_); \
		vec_open_gap_((v)->items, (v)->len, sizeof(*(v)->items), vec_at_); \
		(v)->items[vec_at_] = vec_item_; \
	})
/* Remove n items, from item `at` on. */
#define vec_remove(v, at, n) vec_remove_((v)->items, &(v)->len, sizeof(*(v)->items), (at), (n))
static inline void vec_open_gap_(void *items, size_t len, size_t size, size_t at)
{
	memmove((char *)items + (at + 1) * size, (char *)items + at * size, (len - 1 - at) * size);
}
static inline void vec_remove_(void *items, size_t *len, size_t size, size_t at, size_t n)
{
	*len -= n;
	if (n && at < *len) /* an empty vec has no items to point into */
		memmove((char *)items + at * size, (char *)items + (at + n) * size, (*len - at) * size);
}

#endif
