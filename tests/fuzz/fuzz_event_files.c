/* The vendors' event files: the first byte decides between a JSON file and a mapfile.csv. */
#include "events/event_files_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_json(const char *text, size_t size)
{
	struct event_files files = { 0 };
	struct file_reading r = { .into = &files, .pmu = size % 2 ? "cpu_core" : NULL };
	struct err e = { 0 };

	if (event_json_read(&r, &files, text, size, &e) < 0 && !e.what[0])
		abort();
	for (size_t i = 0; i < files.events.len; i++)
		if (!files.events.items[i].name || !files.events.items[i].terms)
			abort();
	for (size_t i = 0; i < files.metrics.len; i++)
		if (!files.metrics.items[i].expression[0])
			abort();
	vec_free(&files.events);
	vec_free(&files.metrics);
	arena_release(&files.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *text = NULL;

	if (!size)
		return 0;
	text = xstrndup((const char *)data + 1, size - 1);
	if (*data == 'm') {
		struct event_map m = { .id = "GenuineIntel-6-55-4" };
		struct err e = { 0 };

		if (event_map_parse(&m, text, &e) < 0 && !e.what[0])
			abort();
		event_map_release(&m);
	} else {
		read_json((const char *)data + 1, size - 1);
	}
	return 0;
}
