#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Print one line and end the program with status 255, like the allocators below. */
void mem_exhausted(size_t size) __attribute__((noreturn));

/*
 * Allocators that cannot fail: when memory runs out they print one line and end the program with
 * status 255. libiberty has functions of the same names, so ours have other names for the linker.
 */
void *xmalloc(size_t size) __asm__("strobe_xmalloc");
/* also ends the program when n * size overflows */
void *xcalloc(size_t n, size_t size) __asm__("strobe_xcalloc");
/*
 * Like xcalloc, for tables that are read in many places before they are written. xcalloc's
 * untouched pages would fault at the first read and again at the first write, and the second fault
 * interrupts every CPU that runs one of our threads. The table starts at a cache line.
 */
void *xtable(size_t n, size_t size);
/* Like xmalloc, for arrays that will be filled. A large one has large pages, which cost far less at their first use. */
void *xlarge(size_t size);
void *xrealloc(void *p, size_t size) __asm__("strobe_xrealloc");
char *xstrdup(const char *s) __asm__("strobe_xstrdup");
char *xstrndup(const char *s, size_t len) __asm__("strobe_xstrndup");
char *xvasprintf(const char *fmt, va_list ap) __asm__("strobe_xvasprintf");
char *xasprintf(const char *fmt, ...) __asm__("strobe_xasprintf") __attribute__((format(printf, 1, 2)));

/* Locals freed at the end of their scope. */
static inline void autofree_run(void *p) { free(*(void **)p); }
static inline void autoclose_run(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
static inline void autofclose_run(FILE **f)
{
	if (*f)
		fclose(*f);
}
#define autofree   __attribute__((cleanup(autofree_run)))
#define autoclose  __attribute__((cleanup(autoclose_run))) /* an int, -1 = nothing to close */
#define autofclose __attribute__((cleanup(autofclose_run)))

#define ARRAY_SIZE(a)   (sizeof(a) / sizeof((a)[0]))
#define ROUND_UP(n, to) (((n) + (to)-1) / (to) * (to))
#define MIN(a, b)       ((a) < (b) ? (a) : (b))
#define MAX(a, b)       ((a) > (b) ? (a) : (b))

/*
 * An arena: many small allocations that end together. arena_release frees them all and leaves the
 * struct ready for reuse; single allocations cannot be freed. Memory is zeroed and aligned to 16
 * bytes (strings: not aligned). A zeroed struct is a valid empty arena.
 */
struct arena {
	struct arena_block *blocks;
	char *next, *end;
	size_t total; /* bytes handed out, for memory statistics */
};
void *arena_alloc(struct arena *a, size_t size);
void *arena_memdup(struct arena *a, const void *p, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t len);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_release(struct arena *a);

/*
 * A growable array of plain structs. Declare VEC(struct foo) v = {0}; its items are v.items[0 ..
 * v.len). Zeroed memory is a valid empty vec; vec_free releases the items. A push makes pointers to
 * items invalid.
 */
#define VEC(type) \
	struct { \
		type *items; \
		size_t len, cap; \
	}
#define vec_push(v, ...) \
	((v)->len == (v)->cap ? (void)vec_grow_((void **)&(v)->items, &(v)->cap, sizeof(*(v)->items), (v)->len + 1) \
			      : (void)0, \
	 (v)->items[(v)->len++] = (__VA_ARGS__))
/* Append n zeroed items and return the first of them. `len` counts them at once. */
#define vec_add(v, n) \
	__extension__({ \
		size_t vec_n_ = (n), vec_len_ = (v)->len; \
		vec_reserve(v, vec_len_ + vec_n_); \
		vec_zero_((v)->items, vec_len_ * sizeof(*(v)->items), vec_n_ * sizeof(*(v)->items)); \
		(v)->len += vec_n_; \
		(v)->items + vec_len_; \
	})
/* Append copies of the n items at `from`, which may be NULL if n is 0: memcpy() does not allow that. */
#define vec_append(v, from, n) \
	__extension__({ \
		size_t vec_more_ = (n); \
		if (vec_more_) \
			memcpy(vec_add((v), vec_more_), (from), vec_more_ * sizeof(*(v)->items)); \
	})
#define vec_reserve(v, n) \
	((n) > (v)->cap ? (void)vec_grow_((void **)&(v)->items, &(v)->cap, sizeof(*(v)->items), (n)) : (void)0)
#define vec_clear(v) ((void)((v)->len = 0))
#define vec_free(v)  (free((v)->items), (v)->items = NULL, (v)->len = (v)->cap = 0)
/* Give `to` the items of `from`, a vec of the same type. Free the old items of `to`, and leave `from` empty. */
#define vec_move(to, from) \
	(vec_free(to), (to)->items = (from)->items, (to)->len = (from)->len, (to)->cap = (from)->cap, \
	 (from)->items = NULL, (from)->len = (from)->cap = 0)
/* Move the items into an arena and empty the vec. Return where they lie now; NULL if there are none. */
#define vec_to_arena(v, arena) \
	__extension__({ \
		__typeof__((v)->items) vec_kept_ = \
			(v)->len ? arena_memdup((arena), (v)->items, (v)->len * sizeof(*(v)->items)) : NULL; \
		vec_free(v); \
		vec_kept_; \
	})
static inline void vec_zero_(void *items, size_t from, size_t size)
{
	if (size) /* an empty vec has no items to point into */
		memset((char *)items + from, 0, size);
}
void vec_grow_(void **items, size_t *cap, size_t item_size, size_t need);

/* ---- the heap ---- */

/*
 * Settings of the C library's heap. They change time and memory only, and do nothing in libraries other than glibc.
 * Call them before other threads start: threads that run already have heaps of their own.
 */

/*
 * Give freed blocks of at least `large` bytes back to the system, and do not collect them: for programs whose tables
 * come and go, or that run for days. heap_fill() does nothing from then on.
 */
void heap_keep_no_holes(int large);
/*
 * Say that tables of about so many bytes come: use large pages for them, if the kernel gives these to those who ask. A
 * page fault takes longer than to write the page, above all in a virtual machine. Freed memory stays in the heap. Only
 * the first call counts.
 */
void heap_fill(uint64_t bytes);
/* Give all free memory back to the system. */
void heap_trim(void);

#endif
