/* Settings files: they belong to the user, but may have been written for another program. */
#include "base/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config c = { 0 };
	struct err e = { 0 };

	if (config_parse(&c, (const char *)data, size, "config", &e) < 0 && !e.what[0])
		abort();
	for (size_t i = 0; i < c.entries.len; i++) {
		const struct config_entry *entry = &c.entries.items[i];
		bool b;

		if (!entry->key[0] || !config_find(&c, entry->key))
			abort();
		if (entry->value)
			config_bool(entry->value, &b);
	}
	config_release(&c);
	return 0;
}
