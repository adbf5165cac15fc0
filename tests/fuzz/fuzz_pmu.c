/*
 * What a PMU says of itself in sysfs: lines of the input are its type, a format, an event, the event's scale and unit, and the CPUs; they are used
 * by an event string.
 */
#include "tests/unit/events/fake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void remove_machine(void)
{
	fake_end(NULL);
}

static void parse(const char *text)
{
	struct event_list l = { 0 };
	struct err e = { 0 };

	if (event_list_parse(&l, text, &e) < 0 && (!e.what[0] || l.events.len))
		abort();
	for (size_t i = 0; i < l.events.len; i++)
		if (!l.events.items[i].name[0])
			abort();
	event_list_release(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const files[] = {
		FAKE_PMU "fuzzed/type", FAKE_PMU "fuzzed/format/a", FAKE_PMU "fuzzed/events/b", FAKE_PMU "fuzzed/events/b.scale",
		FAKE_PMU "fuzzed/events/b.unit", FAKE_PMU "fuzzed/cpumask",
	};
	autofree char *text = xstrndup((const char *)data, size);
	char *at = text;

	if (!fake_root[0]) {
		if (fake_begin(NULL) < 0)
			abort();
		atexit(remove_machine);
	}
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *end = i + 1 < ARRAY_SIZE(files) ? strchr(at, '\n') : NULL, *next = end ? end + 1 : at + strlen(at);

		if (end)
			*end = '\0';
		fake_file(files[i], at);
		at = next;
	}
	parse("fuzzed/a=1/");
	parse("fuzzed/a=0xffffffffffffffff/");
	parse("fuzzed/b/");
	parse("fuzzed/b,a=3,name=x/u");
	parse("b");
	return 0;
}
