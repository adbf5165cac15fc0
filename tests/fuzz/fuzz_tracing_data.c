/* The tracing_data blob: everything found in it must lie inside it. */
#include "format/features.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *text, size_t len, const uint8_t *data, size_t size)
{
	const uint8_t *at = (const uint8_t *)text;

	if (len && (at < data || at > data + size || len > (size_t)(data + size - at)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tracing_data t;
	struct err e = { 0 };

	if (tracing_data_decode(&t, data, size, &e) < 0) {
		if (!e.what[0] || t.formats)
			abort();
		return 0;
	}
	check(t.header_page, t.header_page_len, data, size);
	check(t.header_event, t.header_event_len, data, size);
	check(t.kallsyms, t.kallsyms_len, data, size);
	check(t.printk, t.printk_len, data, size);
	check(t.cmdlines, t.cmdlines_len, data, size);
	for (size_t i = 0; i < t.n_formats; i++) {
		check(t.formats[i].text, t.formats[i].len, data, size);
		if (strlen(t.formats[i].system) > size)
			abort();
	}
	tracing_data_release(&t);
	return 0;
}
