#ifndef RECORD_UNWIND_TARGET_MEMORY_PRIV_H
#define RECORD_UNWIND_TARGET_MEMORY_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The present memory of a living process. It keeps each page as it was at the first read. */
struct target_memory {
	int32_t pid;
	bool refused; /* we may not read it */
	unsigned n;
	struct {
		uint64_t addr;
		uint8_t bytes[4096];
	} pages[64];
};
/* Read memory; false: it is not mapped, we may not read it, or there is no space for a page. `ctx` is the struct. */
bool target_memory_read(void *ctx, uint64_t addr, void *to, size_t len);
/*
 * Read the pages of [from, to), at most 16, so that they exist in memory. A page that was never written becomes the
 * shared zero page, which takes no memory. Fails silently.
 */
void target_memory_touch(struct target_memory *m, uint64_t from, uint64_t to);

#endif
