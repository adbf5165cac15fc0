/* Map files that JITs write. */
#include "symbols/name/perfmap_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *text = xmalloc(MAX(size, 1));
	struct dso d = { 0 };
	struct symbol_table t = { 0 };

	memcpy(text, data, size);
	perfmap_parse(&t, text, size, (uint8_t)dso_add_strings(&d, text, size));
	table_finish(&t, &d, TABLE_MAP_FILE);
	for (uint32_t i = 0; i < d.n_symbols; i++) {
		const struct symbol *s = &d.symbols[i];

		if (s->end <= s->start || !table_find(&d, s->start) || !table_best_text(&d, s, false, &d.arena))
			abort();
	}
	free(d.symbols);
	free(d.names);
	arena_release(&d.arena);
	return 0;
}
