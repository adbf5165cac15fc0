/* A page of a trace buffer, in both byte orders and word sizes. The seeds are pages of Linux 6.1. */
#include "base/mem.h"
#include "format/trace/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = xmalloc(size + 1); /* of exact size, so that the sanitizer sees reads beyond it */

	if (size)
		memcpy(copy, data, size);
	for (int i = 0; i < 4; i++) {
		struct trace_layout l = { .page_size = 4096,
					  .data_offset = i & 1 ? 12 : 16,
					  .commit_size = i & 1 ? 4 : 8,
					  .big_endian = i & 2,
					  .swap = i & 2 };
		struct trace_page p;
		struct trace_entry entry;
		unsigned sum = 0;

		if (trace_page_open(&p, &l, copy, size, NULL) < 0)
			continue;
		while (trace_page_next(&p, &entry, NULL) > 0)
			for (uint32_t at = 0; at < entry.size; at++)
				sum += entry.data[at];
		if (sum == UINT32_MAX)
			abort();
	}
	free(copy);
	return 0;
}
