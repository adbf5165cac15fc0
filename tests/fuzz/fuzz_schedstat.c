/* /proc/schedstat: other kernels write other lines. What is taken becomes whole records of known types. */
#include "base/mem.h"
#include "format/record.h"
#include "record/machine/schedstat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_records(const struct out *records)
{
	for (size_t at = 0; at < records->len;) {
		uint32_t type;
		uint16_t length;

		if (records->len - at < 8)
			abort();
		memcpy(&type, records->buf + at, 4);
		memcpy(&length, records->buf + at + 6, 2);
		if ((type != RECORD_SCHEDSTAT_CPU && type != RECORD_SCHEDSTAT_DOMAIN) || length < 24 || length % 8 ||
		    length > records->len - at)
			abort();
		at += length;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *text = xstrndup((const char *)data, size);
	struct schedstat_reader r = { 0 };
	struct features f = { 0 };
	struct err e = { 0 };

	if (schedstat_parse(&r, text, &e) < 0 && !e.what[0])
		abort();
	check_records(&r.records);
	schedstat_describe(&r, &f);
	for (uint32_t i = 0; i < f.n_cpu_domains; i++) {
		const struct feature_cpu_domains *cpu = &f.cpu_domains[i];

		if (cpu->n > f.max_domains)
			abort();
		for (uint32_t k = 0; k < cpu->n; k++)
			if (strlen(cpu->domains[k].mask) > size || strlen(cpu->domains[k].name) > size)
				abort();
	}
	schedstat_release(&r);
	return 0;
}
