#include "report/presets/kernel_name_priv.h"

const char *kernel_name(struct session *s, const struct trace_event *t, uint64_t address, uint64_t *offset)
{
	struct map_hit hit;
	uint32_t symbol;

	if (!session_find(s, &t->task, t->moment, CPUMODE_KERNEL, address, &hit))
		return NULL;
	symbol = dso_find(s->symbols, hit.dso, hit.dso_off);
	if (!symbol)
		return NULL;
	*offset = dso_address(s->symbols, hit.dso, hit.dso_off) - dso_symbol(s->symbols, hit.dso, symbol)->start;
	return symbol_name(s->symbols, hit.dso, symbol);
}
