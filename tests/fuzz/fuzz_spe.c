/* Packets of Arm SPE. The seed is an area of made records. */
#include "base/mem.h"
#include "format/data_src.h"
#include "format/spe.h"
#include "report/traces/spe_kinds_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What samples say of a record, for cores with and without data sources of their own. */
static bool is_sound(const struct spe_record *r)
{
	static const uint64_t cores[] = { 0, 0x410fd4f0, 0xc00fac40, 0x480fd060 };
	uint64_t branches[SPE_BRANCHES_MOST][3];

	for (size_t i = 0; i < ARRAY_SIZE(cores); i++) {
		uint64_t source = spe_data_src(r, cores[i]);

		if (!data_src_get(source, DATA_SRC_OP) != (r->class != SPE_MEMORY))
			return false;
	}
	return spe_branches(r, branches) <= SPE_BRANCHES_MOST;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = xmalloc(size + 1); /* of exact size, so that the sanitizer sees reads beyond it */
	struct spe_cursor c = { copy, copy + size, 0 };
	struct spe_record r;

	if (size)
		memcpy(copy, data, size);
	while (spe_next(&c, &r))
		if (r.class > SPE_BRANCH || !is_sound(&r))
			abort();
	if (c.at != c.end || c.bad > size)
		abort();
	free(copy);
	return 0;
}
