/* A jitdump file and the lines of its code. tests/e2e/workloads/jitter.c wrote the seed. */
#include "symbols/name/jitdump.h"
#include "symbols/name/symbols_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jitdump j = { 0 };
	enum reason problem;

	if (jitdump_parse(&j, data, size, &problem) < 0 && !problem)
		abort();
	for (size_t i = 0; i < j.codes.len; i++) {
		const struct jitdump_code *code = &j.codes.items[i];
		struct dso d = { .lines = code->lines, .lines_len = code->lines_len, .lines_swapped = j.swap };
		struct source_line l;

		if (strlen(code->name) >= size || code->bytes < data || code->bytes + code->len > data + size)
			abort();
		if (d.lines && jit_source_line(&d, code->start, &l) && strlen(l.file) >= size)
			abort();
	}
	vec_free(&j.codes);
	return 0;
}
