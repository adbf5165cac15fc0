/*
 * Hardware tracers: PMUs that write a trace into an AUX area. This file sets the defaults of their
 * events. Source: perf-intel-pt(1), "new event", "config terms"; perf-arm-spe(1); files of the PMU
 * in sysfs.
 */
#include "events/events_priv.h"

/*
 * The event of s390's cpum_sf that fills an AUX area. Source: arch/s390/include/asm/perf_event.h of
 * the kernel.
 */
enum { CPUM_SF_DIAG = 0xbd000 };

bool event_is_aux(const struct event *event)
{
	static const char *const tracers[] = { "intel_pt", "intel_bts", "arm_spe", "cs_etm", "hisi_ptt" };

	for (size_t i = 0; event->pmu && i < ARRAY_SIZE(tracers); i++)
		if (!strncmp(event->pmu, tracers[i], strlen(tracers[i])))
			return true;
	return event->pmu && !strcmp(event->pmu, "cpum_sf") && event->attr.config == CPUM_SF_DIAG;
}

static uint64_t number_of(const struct pmu *pmu, const char *file, int base, uint64_t otherwise)
{
	autofree char *text = pmu_text(pmu->name, file);

	return text ? strtoull(text, NULL, base) : otherwise;
}

static void set_format(const struct pmu *pmu, struct event *event, const char *name, uint64_t value)
{
	struct pmu_format format;
	uint64_t max, word;

	if (pmu_format_find(pmu, name, &format, NULL) <= 0)
		return;
	word = event_config(event, format.word);
	if (pmu_format_store(&format, value, &word, &max))
		event_set_config(event, format.word, word);
}

/*
 * Return the highest value up to `most` that the PMU accepts (one bit per value in `valid`), else
 * the lowest.
 */
static uint64_t best_of(uint64_t valid, unsigned most)
{
	uint64_t low = valid & ((2ull << most) - 1);

	return low ? 63 - (uint64_t)__builtin_clzll(low) : (uint64_t)__builtin_ctzll(valid);
}

/*
 * Set how often the trace contains the time: often enough to order events of different CPUs, but not so often that
 * the trace grows much.
 */
static void intel_pt_defaults(const struct pmu *pmu, struct event *event)
{
	uint64_t mtc = number_of(pmu, "caps/mtc", 10, 1) ? number_of(pmu, "caps/mtc_periods", 16, 0) : 0;
	uint64_t psb = mtc && number_of(pmu, "caps/psb_cyc", 10, 1) ? number_of(pmu, "caps/psb_periods", 16, 0) : 0;
	struct pmu_format format;

	set_format(pmu, event, "tsc", 1);
	if (mtc) {
		set_format(pmu, event, "mtc", 1);
		set_format(pmu, event, "mtc_period", best_of(mtc, 3));
	}
	if (psb)
		set_format(pmu, event, "psb_period", best_of(psb, 3));
	if (pmu_format_find(pmu, "pt", &format, NULL) > 0 && pmu_format_find(pmu, "branch", &format, NULL) > 0) {
		set_format(pmu, event, "pt", 1);
		set_format(pmu, event, "branch", 1);
	}
}

void tracer_defaults(const struct pmu *pmu, struct event *event)
{
	if (!strcmp(pmu->name, "intel_pt"))
		intel_pt_defaults(pmu, event);
}

/* ---- for commands that record them ---- */

static bool format_of(const struct event *event, const char *name, struct pmu_format *format)
{
	const struct pmu pmu = { .name = event->pmu };

	return event->pmu && pmu_format_find(&pmu, name, format, NULL) > 0;
}

bool event_format(const struct event *event, const char *name, unsigned *word, uint64_t *bits)
{
	struct pmu_format format;

	if (!format_of(event, name, &format))
		return false;
	*word = format.word;
	*bits = format.bits;
	return true;
}

uint64_t event_format_value(const struct event *event, const char *name)
{
	struct pmu_format format;
	uint64_t word, value = 0;
	int at = 0;

	if (!format_of(event, name, &format))
		return 0;
	word = event_config(event, format.word);
	for (uint64_t bits = format.bits; bits; bits &= bits - 1)
		value |= (uint64_t) !!(word & bits & -bits) << at++;
	return value;
}

void event_format_default(struct event *event, const char *name, uint64_t value)
{
	struct pmu_format format;
	uint64_t word, max;

	if (!format_of(event, name, &format) || event->given[format.word] & format.bits)
		return;
	word = event_config(event, format.word);
	if (pmu_format_store(&format, value, &word, &max))
		event_set_config(event, format.word, word);
}

/*
 * Check that the PMU accepts a value. The bits of `values_file` are the accepted values. 0 is
 * always valid, even without the file or the feature.
 */
int event_format_check(const struct event *event, const char *name, const char *values_file, const char *supported_file,
		       struct err *e)
{
	const struct pmu pmu = { .name = event->pmu };
	uint64_t value = event_format_value(event, name), valid = number_of(&pmu, values_file, 16, 0);
	struct cpuset values = { 0 };
	char text[256];

	if (!number_of(&pmu, supported_file, 10, 1))
		valid = 0;
	valid |= 1;
	if (value < 64 && valid >> value & 1)
		return 0;
	for (int i = 0; i < 64; i++)
		if (valid >> i & 1)
			cpuset_add(&values, i);
	err_set(e, "Invalid %s for %s. Valid values are: %s", name, event->pmu,
		cpuset_format(&values, text, sizeof(text)));
	cpuset_free(&values);
	err_why(e, "it is %llu; the PMU lists the valid values in %s", (unsigned long long)value, values_file);
	return err_exit(e, EXIT_INVALID);
}
