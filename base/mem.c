#include "base/mem.h"

#include <limits.h>
#include <malloc.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/err.h"

/*
 * Nothing here may allocate: malloc calls this function when it fails. Other threads that find no memory either wait
 * for the end of the program. If a function that runs at the end fails, do not wait for it.
 */
void mem_exhausted(size_t size)
{
	static _Thread_local bool ending;
	static atomic_flag said = ATOMIC_FLAG_INIT;
	char line[200];
	int len = snprintf(line, sizeof(line), "%s: out of memory: cannot get %zu bytes\n", tool_name(), size);

	if (ending)
		_exit(EXIT_FAILED);
	ending = true;
	while (atomic_flag_test_and_set(&said))
		pause();
	if (write(STDERR_FILENO, line, MIN((size_t)len, sizeof(line) - 1)) < 0)
		_exit(EXIT_FAILED);
	exit(EXIT_FAILED);
}

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		mem_exhausted(size);
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n && size ? n : 1, n && size ? size : 1);
	size_t total;

	if (!p)
		mem_exhausted(__builtin_mul_overflow(n, size, &total) ? SIZE_MAX : total);
	return p;
}

/*
 * Large tables that are read at random miss the TLB at almost every access unless their pages are
 * large. A table smaller than one huge page stays on normal pages.
 */
enum { HUGE_PAGE = 2 << 20, CACHE_LINE = 64 };

static void use_huge_pages(void *p, size_t size)
{
	uintptr_t from = ROUND_UP((uintptr_t)p, HUGE_PAGE), to = ((uintptr_t)p + size) / HUGE_PAGE * HUGE_PAGE;

	if (from < to)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
}

void *xlarge(size_t size)
{
	void *p = NULL;

	if (posix_memalign(&p, size < HUGE_PAGE ? CACHE_LINE : HUGE_PAGE, size ? size : 1))
		mem_exhausted(size);
	use_huge_pages(p, size);
	return p;
}

void *xtable(size_t n, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(n, size, &total))
		mem_exhausted(SIZE_MAX);
	return memset(xlarge(total), 0, total);
}

void *xrealloc(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	if (!p)
		mem_exhausted(size);
	return p;
}

char *xstrdup(const char *s) { return memcpy(xmalloc(strlen(s) + 1), s, strlen(s) + 1); }

char *xstrndup(const char *s, size_t len)
{
	char *copy;

	len = strnlen(s, len);
	copy = xmalloc(len + 1);
	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *s;

	if (vasprintf(&s, fmt, ap) < 0)
		mem_exhausted(strlen(fmt));
	return s;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

struct arena_block {
	struct arena_block *below;
	size_t unused; /* keeps `bytes` aligned to 16 */
	char bytes[];
};

#define ARENA_ALIGN ((size_t)16)

/*
 * Return `size` bytes from a new block. Blocks grow with the arena, so small arenas stay small and
 * big arenas need few calls. An allocation larger than a quarter of a block gets a block of its
 * own; the rest of the current block stays in use.
 */
static void *arena_refill(struct arena *a, size_t size)
{
	size_t room = MIN(MAX(a->total, (size_t)4096), (size_t)1 << 20);
	bool own = size > room / 4;
	struct arena_block *b;

	if (size > SIZE_MAX / 2)
		mem_exhausted(size);
	b = xcalloc(1, sizeof(*b) + (own ? size : room));
	if (own && a->blocks) {
		b->below = a->blocks->below;
		a->blocks->below = b;
		return b->bytes;
	}
	b->below = a->blocks;
	a->blocks = b;
	a->next = b->bytes + size;
	a->end = b->bytes + (own ? size : room);
	return b->bytes;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t pad = -(uintptr_t)a->next & (ARENA_ALIGN - 1), left = (size_t)(a->end - a->next);
	char *p;

	a->total += size;
	if (!a->next || left < pad || size > left - pad)
		return arena_refill(a, size);
	p = a->next + pad;
	a->next = p + size;
	return p;
}

void *arena_memdup(struct arena *a, const void *p, size_t size)
{
	void *copy = arena_alloc(a, size);

	return size ? memcpy(copy, p, size) : copy;
}

char *arena_strdup(struct arena *a, const char *s) { return arena_strndup(a, s, strlen(s)); }

/* Text needs no alignment, so names lie close together. */
char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *p = a->next;

	len = strnlen(s, len);
	if (p && len < (size_t)(a->end - p)) {
		a->next += len + 1;
		a->total += len + 1;
	} else {
		p = arena_alloc(a, len + 1);
	}
	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *s, *copy;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	copy = arena_strdup(a, s);
	free(s);
	return copy;
}

void arena_release(struct arena *a)
{
	for (struct arena_block *b = a->blocks, *below; b; b = below) {
		below = b->below;
		free(b);
	}
	*a = (struct arena){ 0 };
}

void vec_grow_(void **items, size_t *cap, size_t item_size, size_t need)
{
	size_t n = MAX(MAX(*cap + *cap / 2, need), (size_t)8), bytes;

	if (__builtin_mul_overflow(n, item_size, &bytes))
		mem_exhausted(SIZE_MAX);
	*items = xrealloc(*items, bytes);
	*cap = n;
}

/* ---- the heap ---- */

enum {
	HEAP_MOST = 512 << 20, /* heap_fill() asks for no more addresses */
	HEAP_LARGE = 4 << 20,  /* when the heap is full, larger blocks lie outside: they grow without a copy */
};

static bool keeps_no_holes;

void heap_keep_no_holes(int large)
{
	keeps_no_holes = true;
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, large);
	mallopt(M_TRIM_THRESHOLD, large);
#endif
}

void heap_trim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
/* May the heap grow so far? If the user limits addresses or data, leave most of them to others. */
static bool has_room(size_t bytes)
{
	static const int limits[] = { RLIMIT_AS, RLIMIT_DATA };
	struct rlimit limit;
	void *trial;

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (getrlimit(limits[i], &limit) < 0 || limit.rlim_cur / 8 < bytes)
			return false;
	trial = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return trial != MAP_FAILED && munmap(trial, bytes) == 0;
}

/*
 * malloc extends the heap by a few pages at a time, which leaves no room for a large one. So first make it extend the
 * heap by far; that uses addresses, but no memory. All threads share this heap: one may use what another has freed.
 */
void heap_fill(uint64_t bytes)
{
	static bool filled;
	int most = (int)MIN(bytes, (uint64_t)HEAP_MOST);
	const void *end = sbrk(0);
	void *blocks[64];
	size_t n = 0;

	if (keeps_no_holes || filled || !has_room(2 * (size_t)most))
		return;
	filled = true;
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_MMAP_THRESHOLD, HEAP_LARGE);
	mallopt(M_TOP_PAD, most);
	do /* use up what is free: the heap must grow */
		blocks[n++] = xmalloc(HEAP_LARGE / 2);
	while (sbrk(0) == end && n < ARRAY_SIZE(blocks));
	use_huge_pages(blocks[n - 1], (size_t)most);
	while (n)
		free(blocks[--n]);
	mallopt(M_TOP_PAD, HEAP_LARGE);
}
#else
void heap_fill(uint64_t bytes) {}
#endif
