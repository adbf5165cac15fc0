/*
 * Make the private words of AUXTRACE_INFO: what a decoder must know about the PMU, the clock
 * and the recording mode. Readers define their order. Source: strobe.data(5), AUXTRACE_INFO;
 * for registers: Documentation/trace/coresight of the kernel and the PMU's files in sysfs.
 */
#include "base/file.h"
#include "record/attr/aux_kind.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

static void add(struct aux_words *w, uint64_t word) { vec_push(w, word); }

/* Read a number from a file of the PMU. The kernel writes hexadecimal numbers without a prefix. */
static uint64_t pmu_number(const char *pmu, const char *file, int base, uint64_t otherwise)
{
	autofree char *text = pmu_text(pmu, file);

	return text ? strtoull(text, NULL, base) : otherwise;
}

static uint64_t bits_of(const struct event *event, const char *format)
{
	uint64_t bits;
	unsigned word;

	return event_format(event, format, &word, &bits) && !word ? bits : 0;
}

/*
 * Add three words that convert the CPU's counter to record times, and a fourth that says
 * whether they are valid.
 */
static void add_clock(const struct aux_about *about, struct aux_words *w)
{
	const struct perf_event_mmap_page *page = about->control;
	bool goes = page->cap_user_time_zero;

	add(w, goes ? page->time_shift : 0);
	add(w, goes ? page->time_mult : 0);
	add(w, goes ? page->time_zero : 0);
	add(w, goes && page->time_mult);
}

/*
 * Read the ratio of the time stamp counter to the crystal's clock. Source: cpuid leaf 0x15,
 * Intel SDM volume 2.
 */
static void crystal_ratio(uint32_t *n, uint32_t *d)
{
	*n = *d = 0;
#if defined(__x86_64__) || defined(__i386__)
	uint32_t c, edx;

	if (__get_cpuid_max(0, NULL) >= 0x15)
		__cpuid_count(0x15, 0, *d, *n, c, edx);
#endif
}

static void add_filter(struct aux_words *w, const char *filter)
{
	size_t len = filter ? strlen(filter) : 0, first;

	add(w, len);
	first = w->len;
	for (size_t i = 0; len && i < ROUND_UP(len + 1, 8); i += 8)
		add(w, 0);
	if (len)
		memcpy(w->items + first, filter, len);
}

void aux_info_intel_pt(const struct aux_about *about, struct aux_words *w)
{
	const struct event *event = about->event;
	uint32_t n, d;

	crystal_ratio(&n, &d);
	add(w, event->attr.type);
	add_clock(about, w);
	add(w, bits_of(event, "tsc"));
	add(w, bits_of(event, "noretcomp"));
	add(w, aux_switches(about->events, about->o, about->t));
	add(w, about->aux->mode == AUX_SNAPSHOT);
	add(w, aux_per_cpu(about->t));
	add(w, bits_of(event, "mtc"));
	add(w, bits_of(event, "mtc_period"));
	add(w, n);
	add(w, d);
	add(w, bits_of(event, "cyc"));
	add(w, pmu_number(event->pmu, "max_nonturbo_ratio", 10, 0));
	add_filter(w, event->filter);
	add(w, pmu_number(event->pmu, "caps/event_trace", 10, 0) != 0);
}

void aux_info_intel_bts(const struct aux_about *about, struct aux_words *w)
{
	add(w, about->event->attr.type);
	add_clock(about, w);
	add(w, about->aux->mode == AUX_SNAPSHOT);
}

/* Collect the CPUs that may be in the trace: the requested ones that are online. */
static void cpus_of(const struct target *t, struct cpuset *cpus)
{
	struct cpuset online = { 0 };

	cpuset_read(&online, "/sys/devices/system/cpu/online", NULL);
	for (size_t i = 0; i < online.len; i++)
		if (t->any_cpu || cpuset_has(&t->cpu_list, online.items[i]))
			vec_push(cpus, online.items[i]);
	cpuset_free(&online);
}

enum { SPE_VERSION = 2, SPE_HEADER_WORDS = 4, SPE_CPU_WORDS = 4, ETM_VERSION = 2 };
static const uint64_t spe_magic = 0x1010101010101010, etm3_magic = 0x3030303030303030, etm4_magic = 0x4040404040404040,
		      ete_magic = 0x5050505050505050;

static void add_spe_cpu(const struct aux_about *about, int cpu, struct aux_words *w)
{
	autofree char *file = xasprintf("/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1", cpu);
	autofree char *midr = file_read(file, 64, NULL, NULL);
	const struct event *own = NULL;

	/* Each kind of core has its own tracer: take the one with this CPU. */
	for (size_t i = 0; i < about->events->events.len && !own; i++) {
		const struct event *event = &about->events->events.items[i];

		if (event_is_aux(event) && (!event->cpus.len || cpuset_has(&event->cpus, cpu)))
			own = event;
	}
	add(w, spe_magic);
	add(w, (uint64_t)cpu);
	add(w, SPE_CPU_WORDS);
	add(w, midr ? strtoull(midr, NULL, 16) : 0);
	add(w, own ? own->attr.type : UINT64_MAX);
	add(w, own ? pmu_number(own->pmu, "caps/min_interval", 10, 0) : 0);
	add(w, own ? pmu_number(own->pmu, "caps/event_filter", 16, 0) : 0);
}

void aux_info_arm_spe(const struct aux_about *about, struct aux_words *w)
{
	struct cpuset cpus = { 0 };

	cpus_of(about->t, &cpus);
	add(w, SPE_VERSION);
	add(w, SPE_HEADER_WORDS);
	add(w, about->event->attr.type);
	add(w, cpus.len);
	for (size_t i = 0; i < cpus.len; i++)
		add_spe_cpu(about, cpus.items[i], w);
	cpuset_free(&cpus);
}

/* ---- CoreSight: per CPU, the kind of trace unit and its settings ---- */

struct etm_bit {
	const char *format;
	uint64_t bits;
};
/* Bits of TRCCONFIGR (ETMv4, ETE) and ETMCR (ETMv3). Source: ARM IHI 0064, ARM IHI 0014. */
static const struct etm_bit etm4_bits[] = {
	{ "cycacc", 1 << 4 },    { "contextid1", 1 << 6 },           { "timestamp", 1 << 11 },
	{ "retstack", 1 << 12 }, { "contextid2", 1 << 7 | 1 << 15 }, { "branch_broadcast", 1 << 3 },
};
static const struct etm_bit etm3_bits[] = { { "cycacc", 1 << 12 }, { "timestamp", 1 << 28 }, { "retstack", 1 << 29 } };
static const char *const etm4_files[] = { "trcidr/trcidr0", "trcidr/trcidr1", "trcidr/trcidr2", "trcidr/trcidr8",
					  "mgmt/trcauthstatus" };
static const char *const etm3_files[] = { "mgmt/etmccer", "mgmt/etmidr" };

static uint64_t etm_config(const struct event *event, const struct etm_bit *bits, size_t n)
{
	uint64_t config = 0;

	for (size_t i = 0; i < n; i++)
		if (event_format_value(event, bits[i].format))
			config |= bits[i].bits;
	return config;
}

static uint64_t etm_number(const struct event *event, int cpu, const char *name, int base, uint64_t otherwise)
{
	autofree char *file = xasprintf("cpu%d/%s", cpu, name);

	return pmu_number(event->pmu, file, base, otherwise);
}

static void add_etm_files(const struct event *event, int cpu, const char *const *files, size_t n, struct aux_words *w)
{
	for (size_t i = 0; i < n; i++)
		add(w, etm_number(event, cpu, files[i], 16, 0));
}

/* Return whether the trace unit has this file; a register with value 0 has one, too. */
static bool etm_has(const struct event *event, int cpu, const char *name)
{
	return etm_number(event, cpu, name, 16, UINT64_MAX) != UINT64_MAX;
}

/* Return the trace id that old kernels gave a CPU; newer ones report it in AUX_OUTPUT_HW_ID. */
static uint64_t legacy_id(int cpu) { return 0x10 + (uint64_t)(cpu % 48) * 2; }

/* Add a CPU; return false when it has no known trace unit. */
static bool add_etm_cpu(const struct event *event, int cpu, struct aux_words *w)
{
	uint64_t arch = etm_number(event, cpu, "mgmt/trcdevarch", 16, 0);
	bool ete = (arch >> 12 & 15) == 5 && (arch & 0xfff) == 0xa13, v4 = ete || etm_has(event, cpu, etm4_files[0]);

	if (!v4 && !etm_has(event, cpu, etm3_files[0]))
		return false;
	add(w, ete ? ete_magic : v4 ? etm4_magic : etm3_magic);
	add(w, (uint64_t)cpu);
	add(w, ete ? 9 : v4 ? 8 : 4);
	add(w, v4 ? etm_config(event, etm4_bits, ARRAY_SIZE(etm4_bits))
		  : etm_config(event, etm3_bits, ARRAY_SIZE(etm3_bits)));
	add(w, legacy_id(cpu));
	if (!v4) {
		add_etm_files(event, cpu, etm3_files, ARRAY_SIZE(etm3_files), w);
		return true;
	}
	add_etm_files(event, cpu, etm4_files, ARRAY_SIZE(etm4_files), w);
	if (ete)
		add(w, arch);
	add(w, etm_number(event, cpu, "ts_source", 10, UINT64_MAX));
	return true;
}

void aux_info_cs_etm(const struct aux_about *about, struct aux_words *w)
{
	struct cpuset cpus = { 0 };
	uint64_t n = 0;

	cpus_of(about->t, &cpus);
	add(w, ETM_VERSION);
	add(w, 0); /* set below, after counting them */
	add(w, about->aux->mode == AUX_SNAPSHOT);
	for (size_t i = 0; i < cpus.len; i++)
		n += add_etm_cpu(about->event, cpus.items[i], w);
	w->items[1] = (uint64_t)about->event->attr.type << 32 | n;
	cpuset_free(&cpus);
}

void aux_info_pmu(const struct aux_about *about, struct aux_words *w) { add(w, about->event->attr.type); }

void aux_info_nothing(const struct aux_about *about, struct aux_words *w) {}
