/*
 * Handle failed allocations inside libraries. libdw and others go on with the NULL, or assert, and
 * die by a signal. Here the program ends with one line, as after a failed allocation of its own.
 * Large allocations are different: they are often due to damaged input, and libraries check them.
 * For these, return NULL: the library then gives up only this object.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_ALLOCATOR
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(STROBE_STATIC)
#define HAS_ALLOCATOR
#endif

#if defined(__GLIBC__) && !defined(HAS_ALLOCATOR)

enum { LARGE = 16 << 20 };

/* The C library's own functions, which ours replace. Source: glibc manual, "Replacing malloc". */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static void *checked(void *p, size_t size)
{
	if (!p && size && size < LARGE)
		mem_exhausted(size);
	return p;
}

void *malloc(size_t size) { return checked(__libc_malloc(size), size); }

void *calloc(size_t n, size_t size)
{
	size_t all;

	return checked(__libc_calloc(n, size), __builtin_mul_overflow(n, size, &all) ? SIZE_MAX : all);
}

void *realloc(void *p, size_t size) { return checked(__libc_realloc(p, size), size); }

#endif
