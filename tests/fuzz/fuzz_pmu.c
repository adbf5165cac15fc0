/*
 * The files of a PMU in sysfs: formats, events, scales, units, CPUs. The input is their contents,
 * separated by NUL bytes, in the order of the table below. Missing files are empty; anything more
 * is an event string to parse on that machine.
 */
#include "tests/unit/events/fake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void remove_machine(void) { fake_end(NULL); }

static void check_format(const struct pmu *pmu, const char *name)
{
	struct pmu_format format;
	struct err e = { 0 };
	uint64_t word = 0, max;
	int found = pmu_format_find(pmu, name, &format, &e);

	if (found < 0 && !e.what[0])
		abort();
	if (found != 1)
		return;
	if (!format.bits || format.word >= CONFIG_WORDS || !pmu_format_store(&format, 1, &word, &max))
		abort();
	if (!pmu_format_store(&format, max, &word, &max) || word != format.bits)
		abort();
}

static void parse(const char *text)
{
	struct event_list l = { 0 };
	struct err e = { 0 };

	if (event_list_parse(&l, text, &e) < 0 && (e.exit_code != 129 || !e.what[0] || l.events.len))
		abort();
	event_list_release(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const files[] = { "type",     "cpumask",        "format/f",      "format/g",
					     "events/e", "events/e.scale", "events/e.unit", "events/e.per-pkg" };
	autofree char *text = xcalloc(size + 2, 1);
	struct event_catalogue c = { 0 };
	struct pmu_list pmus = { 0 };
	size_t at = 0;

	if (size)
		memcpy(text, data, size);
	if (!fake_root[0]) {
		if (fake_begin(NULL) < 0)
			abort();
		atexit(remove_machine);
	}
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		autofree char *path = xasprintf(FAKE_PMU "odd_0/%s", files[i]);

		fake_file(path, text + at);
		at = MIN(at + strlen(text + at) + 1, size + 1);
	}
	pmu_list_read(&pmus);
	if (pmus.pmus.len > 1)
		abort();
	for (size_t i = 0; i < pmus.pmus.len; i++) {
		check_format(&pmus.pmus.items[i], "f");
		check_format(&pmus.pmus.items[i], "g");
	}
	pmu_list_release(&pmus);
	parse("odd_0/e/");
	parse("odd/f=1,g=0xff,e/u");
	parse("e");
	parse(text + at);
	event_catalogue_read(&c, 1 << KIND_PMU, NULL);
	event_catalogue_release(&c);
	return 0;
}
