#include "format/writer/writer.h"

#include "base/mem.h"
#include "format/format.h"

struct features writer_features_of(const struct perfdata *pd)
{
	static const uint8_t of_the_input[] = { FEATURE_TRACING_DATA, FEATURE_AUXTRACE,   FEATURE_COMPRESSED,
						FEATURE_DIR_FORMAT,   FEATURE_GROUP_DESC, FEATURE_BRANCH_STACK,
						FEATURE_STAT,         FEATURE_UNWOUND };
	struct features f = pd->features;

	for (size_t i = 0; i < ARRAY_SIZE(of_the_input); i++)
		feature_clear(&f, of_the_input[i]);
	f.tracing_data = (struct feature_raw){ 0 };
	f.auxtrace = (struct feature_raw){ 0 };
	return f;
}
