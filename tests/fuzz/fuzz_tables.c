/*
 * Tables of unwind rules from an ELF object, and walks with them: registers and stack are bytes of the input, too.
 * Seeds: those of fuzz_unwind.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "symbols/unwind/tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DEPTH = 64, REGS = 24, WALKS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct unwind_object *o = NULL;
	struct unwind_cache *cache = unwind_cache_new();
	uint64_t regs[REGS] = { 0 }, ips[DEPTH], sps[DEPTH];

	if (fd >= 0 && write_all(fd, data, size) == 0)
		o = unwind_object_open(fd, -1, "/nowhere/fuzz", NULL);
	else if (fd >= 0)
		close(fd);
	for (uint64_t i = 0; o && i < WALKS; i++) {
		const struct unwind_map map = { .end = UINT64_MAX, .object = o };
		const struct unwind_maps maps = { &map, 1, 1 };
		struct unwind_args args = { .regs_mask = 0xff0fff, .regs = (const uint8_t *)regs, .abi = 1 + i % 2 };
		struct unwind_stop stop;
		size_t n;

		memcpy(regs, data, size < sizeof(regs) ? size : sizeof(regs));
		regs[7] = 0x7000;
		regs[8] = i * 8;
		args.stack = data;
		args.stack_size = size;
		n = unwind_by_tables(cache, &maps, &args, ips, sps, DEPTH, &stop);
		if (n > DEPTH)
			abort();
	}
	unwind_cache_free(cache);
	unwind_object_free(o);
	return 0;
}
