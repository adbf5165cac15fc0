/* Packets of Arm SPE. The seed is an area of made records. */
#include "base/mem.h"
#include "format/spe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = xmalloc(size + 1); /* of exact size, so that the sanitizer sees reads beyond it */
	struct spe_cursor c = { copy, copy + size, 0 };
	struct spe_record r;

	if (size)
		memcpy(copy, data, size);
	while (spe_next(&c, &r))
		if (r.class > SPE_BRANCH)
			abort();
	if (c.at != c.end || c.bad > size)
		abort();
	free(copy);
	return 0;
}
