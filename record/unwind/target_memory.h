#ifndef RECORD_UNWIND_TARGET_MEMORY_H
#define RECORD_UNWIND_TARGET_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The memory of a living process as it is now. Pages that were read once stay as they were then. */
struct target_memory {
	int32_t pid;
	bool refused; /* we may not read it */
	unsigned n;
	struct {
		uint64_t addr;
		uint8_t bytes[4096];
	} pages[8];
};
/* Read; false if it is not there, or may not be read, or there is no room for one more page. `ctx` is the struct. */
bool target_memory_read(void *ctx, uint64_t addr, void *to, size_t len);
/*
 * Read the pages of [from, to) so that they are in memory, at most 16. A page that was never written becomes the
 * shared page of zeros, which takes no memory. Fails silently.
 */
void target_memory_touch(struct target_memory *m, uint64_t from, uint64_t to);

#endif
