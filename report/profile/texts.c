/* Number the texts that keys make of samples. A text has the same number for all workers. */
#include "report/profile/profile_priv.h"

uint64_t texts_number(struct texts *t, const char *text)
{
	uint64_t number = hash_bytes(text, strlen(text), 0);

	*u64map_put(&t->ids, number, NULL) = strtab_intern(&t->table, text);
	return number;
}

const char *texts_get(const struct texts *t, uint64_t number)
{
	const uint32_t *id = u64map_find(&t->ids, number);

	return id ? strtab_get(&t->table, *id) : "";
}

void texts_free(struct texts *t)
{
	strtab_free(&t->table);
	u64map_free(&t->ids);
}
