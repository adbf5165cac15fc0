/* Objects with one symbol each, which the recording itself names: BPF programs, generated code. */
#include "symbols/name/sources.h"

int from_one_symbol(struct symbols *s, struct dso *d)
{
	struct symbol_table t = { 0 };
	int strings = dso_add_strings(d, d->ref_name, strlen(d->ref_name) + 1);

	vec_push(&t, (struct symbol){ d->start, d->start + d->len, 0, (uint8_t)strings, STB_GLOBAL, STT_FUNC,
				      d->kind == DSO_KIND_KSYMBOL ? SYMBOL_RAW : 0 });
	table_finish(&t, d, TABLE_MAP_FILE);
	return 1;
}
