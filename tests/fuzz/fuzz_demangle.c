/*
 * Symbol names as compilers mangle them: a few bytes can expand to endless text or endless
 * recursion.
 */
#include "symbols/name/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *name = xstrndup((const char *)data, size);
	struct arena a = { 0 };
	const char *text = demangle(name, &a);

	if (text && strlen(text) > (128 << 10))
		abort();
	arena_release(&a);
	return 0;
}
