/*
 * Texts of options, which scripts may take from anywhere. The first byte selects the option; the
 * rest is the text.
 */
#include "base/say.h"
#include "record/record.h"
#include "report/rows/fields.h"
#include "report/session/filter.h"
#include "report/script/print.h"
#include "report/session/time_ranges.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int of_record(unsigned which, const char *text, struct err *e)
{
	struct record_opts o = RECORD_DEFAULTS;
	unsigned what;
	uint64_t n;
	int clock;

	switch (which) {
	case 0: return record_parse_chain(&o, text, e);
	case 1: return record_parse_pages(&n, &(uint64_t){ 0 }, text, &(struct teller){ 0 }, e);
	case 2: return record_parse_clock(&clock, text, e);
	case 3: return record_parse_delay(&o, text, e);
	case 4: return record_parse_synth(&what, text, e);
	case 5: return record_parse_branches(&n, text, e);
	default: return record_parse_regs(&n, text, e);
	}
}

static int of_report(unsigned which, const char *text, struct err *e)
{
	struct print_fields print = { 0 };
	struct sample_filter filter = { 0 };
	struct time_ranges times = { 0 };
	struct fields fields = { 0 };
	struct out warnings;
	int rc;

	out_init_mem(&warnings);
	switch (which) {
	case 0: rc = time_ranges_parse(&times, text, 1000, 5000000000, false, e); break;
	case 1:
		print_fields_init(&print);
		rc = print_fields_parse(&print, text, &warnings, e);
		break;
	case 2: rc = fields_parse(&fields, &(struct fields_opts){ .sort = text, .branch = true }, e); break;
	case 3: rc = fields_parse(&fields, &(struct fields_opts){ .fields = text, .children = true }, e); break;
	default:
		/* File names are taken literally: the fuzzer must not read arbitrary files. */
		rc = strstr(text, "file:") ? 0
					   : sample_filter_add(&filter, (enum sample_filter_kind)(which % 6), text, e);
	}
	time_ranges_free(&times);
	sample_filter_free(&filter);
	fields_free(&fields);
	out_release(&warnings);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *text = size ? xstrndup((const char *)data + 1, size - 1) : NULL;
	struct err e = { 0 };
	uint64_t n;
	int rc;

	if (!size)
		return 0;
	set_verbosity(-1);
	switch (data[0] % 20) {
	case 17: rc = parse_u64(text, &n, &e); break;
	case 18: rc = parse_size(text, &n, &e); break;
	case 19: rc = parse_duration(text, &n, &e); break;
	default: rc = data[0] % 20 < 7 ? of_record(data[0] % 20, text, &e) : of_report(data[0] % 20 - 7, text, &e);
	}
	if (rc < 0 && !e.what[0])
		abort();
	return 0;
}
