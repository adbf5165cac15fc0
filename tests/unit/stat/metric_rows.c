/*
 * The table of metrics on simulated machines of each kind: which groups a machine can compute, that each row belongs
 * to one of the machines, and that no formula divides by zero.
 */
#include "tests/unit/events/fake.h"
#include <cmocka.h>

#include <fenv.h>
#include <math.h>
#include <sys/wait.h>

#include "stat/metrics_priv.h"

/* A file of sysfs below /sys/bus/event_source/devices, and names of files that hold only a number. */
struct tree {
	const char *pmu, *formats, *events; /* words separated by blanks; formats: NAME=BITS */
	const char *cpus, *slots;
};
#define X86_FORMATS "event=config:0-7,32-35 umask=config:8-15 edge=config:18 cmask=config:24-31"
#define ARM_EVENTS \
	"cpu_cycles inst_retired stall_frontend stall_backend l1d_cache l1d_cache_refill l1i_cache l1i_cache_refill " \
	"l2d_cache l2d_cache_refill l1d_tlb l1i_tlb l2d_tlb l2d_tlb_refill dtlb_walk itlb_walk br_mis_pred br_pred " \
	"br_mis_pred_retired br_retired ll_cache_rd ll_cache_miss_rd bus_access"
#define ARM_SLOTS " op_retired op_spec stall_slot stall_slot_frontend stall_slot_backend"
#define OLD_TOPDOWN \
	"topdown-total-slots topdown-slots-issued topdown-slots-retired topdown-fetch-bubbles " \
	"topdown-recovery-bubbles"
#define FOUR_TOPDOWN "topdown-retiring topdown-bad-spec topdown-fe-bound topdown-be-bound"
#define NEW_TOPDOWN  "slots topdown-heavy-ops topdown-br-mispredict topdown-fetch-lat topdown-mem-bound "
#define ALL_TOPDOWN  NEW_TOPDOWN FOUR_TOPDOWN
#define INTEL_OTHERS \
	{ "power", "event=config:0-7", "energy-pkg energy-cores energy-ram energy-gpu energy-psys" }, \
		{ "cstate_core", "event=config:0-63", "c6-residency c7-residency" }, \
		{ "cstate_pkg", "event=config:0-63", "c2-residency c6-residency" }, \
	{ \
		"msr", "event=config:0-63", "tsc" \
	}
#define SERVER_MEMORY \
	{ \
		"uncore_imc_0", "event=config:0-7 umask=config:8-15", "cas_count_read cas_count_write" \
	}
#define HYBRID_CORES \
	{ "cpu_core", X86_FORMATS, ALL_TOPDOWN, "0" }, { "cpu_atom", X86_FORMATS, FOUR_TOPDOWN, "1" }
#define HYBRID_MEMORY \
	{ \
		"uncore_imc_free_running_0", "event=config:0-7", "data_read data_write" \
	}
#define ZEN_OTHERS \
	{ "power", "event=config:0-7", "energy-pkg" }, { "amd_l3", "event=config:0-7 umask=config:8-15", "" }, \
	{ \
		"amd_df", "event=config:0-7,32-37 umask=config:8-15,24-27", "" \
	}
#define ZEN_MEMORY \
	{ \
		"amd_umc_0", "event=config:0-7 rdwrmask=config:8-9", "" \
	}

#define USUAL_GROUPS "Summary Branches Caches TLB"
/* `pfm`: the name by which libpfm4 knows the CPU; NULL: it does not. */
static const struct machine {
	const char *name, *id, *pfm, *groups;
	struct tree pmus[8];
} machines[] = {
	{ "Haswell",
	  "GenuineIntel-6-3C-3",
	  "hsw",
	  USUAL_GROUPS " TopdownL1 Power",
	  { { "cpu", X86_FORMATS, OLD_TOPDOWN }, INTEL_OTHERS } },
	{ "Skylake",
	  "GenuineIntel-6-5E-3",
	  "skl",
	  USUAL_GROUPS " TopdownL1 TopdownL2 Memory Power",
	  { { "cpu", X86_FORMATS, OLD_TOPDOWN },
	    INTEL_OTHERS,
	    { "uncore_imc", "event=config:0-7", "data_reads data_writes" } } },
	{ "Skylake server",
	  "GenuineIntel-6-55-4",
	  "skx",
	  USUAL_GROUPS " TopdownL1 TopdownL2 Memory Power",
	  { { "cpu", X86_FORMATS, OLD_TOPDOWN }, INTEL_OTHERS, SERVER_MEMORY } },
	{ "Ice Lake server",
	  "GenuineIntel-6-6A-6",
	  "icx",
	  USUAL_GROUPS " TopdownL1 TopdownL2 Memory Power",
	  { { "cpu", X86_FORMATS, "slots " FOUR_TOPDOWN }, INTEL_OTHERS, SERVER_MEMORY } },
	{ "Sapphire Rapids",
	  "GenuineIntel-6-8F-8",
	  "spr",
	  USUAL_GROUPS " TopdownL1 TopdownL2 Memory Power",
	  { { "cpu", X86_FORMATS, ALL_TOPDOWN }, INTEL_OTHERS, SERVER_MEMORY } },
	{ "Alder Lake",
	  "GenuineIntel-6-97-2",
	  NULL,
	  USUAL_GROUPS " TopdownL1 TopdownL2 Memory Power",
	  { HYBRID_CORES, INTEL_OTHERS, HYBRID_MEMORY } },
	{ "Meteor Lake",
	  "GenuineIntel-6-AA-4",
	  NULL,
	  USUAL_GROUPS " TopdownL1 TopdownL2 Memory Power",
	  { HYBRID_CORES, INTEL_OTHERS, HYBRID_MEMORY } },
	{ "Lunar Lake",
	  "GenuineIntel-6-BD-1",
	  NULL,
	  USUAL_GROUPS " TopdownL1 TopdownL2 Memory Power",
	  { HYBRID_CORES, INTEL_OTHERS, HYBRID_MEMORY } },
	{ "Zen 2",
	  "AuthenticAMD-23-31-0",
	  "amd64_fam17h_zen2",
	  USUAL_GROUPS " Memory Power",
	  { { "cpu", X86_FORMATS, "" }, ZEN_OTHERS } },
	{ "Zen 3",
	  "AuthenticAMD-25-1-1",
	  "amd64_fam19h_zen3",
	  USUAL_GROUPS " Memory Power",
	  { { "cpu", X86_FORMATS, "" }, ZEN_OTHERS } },
	{ "Zen 4",
	  "AuthenticAMD-25-11-1",
	  "amd64_fam19h_zen4",
	  USUAL_GROUPS " TopdownL1 TopdownL2 Memory Power",
	  { { "cpu", X86_FORMATS, "" }, ZEN_OTHERS, ZEN_MEMORY } },
	{ "Zen 5",
	  "AuthenticAMD-26-2-1",
	  NULL,
	  USUAL_GROUPS " TopdownL1 TopdownL2 Memory Power",
	  { { "cpu", X86_FORMATS, "" }, ZEN_OTHERS, ZEN_MEMORY } },
	{ "Neoverse N1",
	  "0x00000000413fd0c1",
	  NULL,
	  USUAL_GROUPS " TopdownL1 Memory",
	  { { "armv8_pmuv3_0", "event=config:0-15", ARM_EVENTS, "0-1" } } },
	{ "Neoverse V2",
	  "0x00000000410fd4f0",
	  NULL,
	  USUAL_GROUPS " TopdownL1 Memory",
	  { { "armv8_pmuv3_0", "event=config:0-15", ARM_EVENTS ARM_SLOTS, "0-1", "0x8" } } },
	{ "Neoverse V3",
	  "0x00000000410fd840",
	  NULL,
	  USUAL_GROUPS " TopdownL1 TopdownL2 Memory",
	  { { "armv8_pmuv3_0", "event=config:0-15", ARM_EVENTS ARM_SLOTS, "0-1", "0xa" } } },
};
enum { MAX_ROWS = 512 };
static uint8_t computed_by[ARRAY_SIZE(machines)][MAX_ROWS];

static void put(const char *pmu, const char *file, const char *text)
{
	autofree char *path = xasprintf(FAKE_PMU "%s/%s", pmu, file), *line = xasprintf("%s\n", text);

	fake_file(path, line);
}

/* Write a file of `folder` for each word NAME=TEXT, or NAME with a made text. */
static void put_words(const char *pmu, const char *folder, const char *words)
{
	autofree char *copy = xstrdup(words);
	char *at = copy;

	for (char *word; (word = strsep(&at, " "));) {
		char *text = strchr(word, '=');
		autofree char *file = NULL;

		if (!*word)
			continue;
		if (text)
			*text++ = '\0';
		file = xasprintf("%s/%s", folder, word);
		put(pmu, file, text ? text : "event=0x1");
	}
}

static void build(const struct machine *m)
{
	for (size_t i = 0; i < ARRAY_SIZE(m->pmus) && m->pmus[i].pmu; i++) {
		const struct tree *t = &m->pmus[i];
		autofree char *type = xasprintf("%zu", i ? 10 + i : (size_t)4);

		put(t->pmu, "type", type);
		put_words(t->pmu, "format", t->formats);
		put_words(t->pmu, "events", t->events);
		if (t->cpus)
			put(t->pmu, "cpus", t->cpus);
		if (t->slots)
			put(t->pmu, "caps/slots", t->slots);
	}
}

/* libpfm4 is initialised once per process, so each machine has its own. */
static int ask(const struct machine *m, uint8_t *answers)
{
	int ends[2], status;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		setenv("PERF_CPUID", m->id, 1);
		setenv("LIBPFM_FORCE_PMU", m->pfm ? m->pfm : "perf", 1);
		if (fake_begin(NULL))
			_exit(1);
		build(m);
		for (size_t i = 0; metric_rows[i].name && i < MAX_ROWS; i++)
			answers[i] = metric_available(&metric_rows[i]);
		fake_end(NULL);
		_exit(write(ends[1], answers, MAX_ROWS) != MAX_ROWS);
	}
	close(ends[1]);
	memset(answers, 0, MAX_ROWS);
	for (ssize_t got, done = 0; done < MAX_ROWS && (got = read(ends[0], answers + done, MAX_ROWS - done)) > 0;)
		done += got;
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static int ask_all(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (ask(&machines[i], computed_by[i]))
			return -1;
	return 0;
}

static bool is_in(const char *group, const char *groups)
{
	size_t len = strlen(group);

	for (const char *at = groups; (at = strstr(at, group)); at += len)
		if ((at == groups || at[-1] == ';') && (!at[len] || at[len] == ';'))
			return true;
	return false;
}

static bool has_group(size_t machine, const char *group)
{
	for (size_t i = 0; metric_rows[i].name; i++)
		if (computed_by[machine][i] && is_in(group, metric_rows[i].groups))
			return true;
	return false;
}

static void each_machine_has_its_groups(void **state)
{
	static const char *const groups[] = { "Summary", "Branches",  "Caches",    "TLB",
					      "Memory",  "TopdownL1", "TopdownL2", "Power" };

	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		for (size_t k = 0; k < ARRAY_SIZE(groups); k++)
			if (has_group(i, groups[k]) != !!strstr(machines[i].groups, groups[k]))
				fail_msg("%s: %s", machines[i].name, groups[k]);
}

/* How many metrics of the group the machine computes; of rows with one name the first counts. */
static size_t names_in(size_t machine, const char *group)
{
	size_t n = 0;

	for (size_t i = 0; metric_rows[i].name; i++) {
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again |= computed_by[machine][k] && !strcmp(metric_rows[k].name, metric_rows[i].name);
		n += !again && computed_by[machine][i] && is_in(group, metric_rows[i].groups);
	}
	return n;
}

static void top_down_levels_are_whole(void **state)
{
	static const struct {
		const char *name;
		size_t first, second;
	} levels[] = {
		{ "Haswell", 4, 0 },         { "Skylake", 4, 6 },     { "Ice Lake server", 4, 5 },
		{ "Sapphire Rapids", 4, 8 }, { "Alder Lake", 8, 16 }, { "Lunar Lake", 8, 16 },
		{ "Zen 3", 0, 0 },           { "Zen 4", 5, 8 },       { "Zen 5", 5, 8 },
		{ "Neoverse N1", 2, 0 },     { "Neoverse V2", 6, 0 }, { "Neoverse V3", 6, 4 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		for (size_t k = 0; k < ARRAY_SIZE(machines); k++) {
			if (strcmp(levels[i].name, machines[k].name) != 0)
				continue;
			if (names_in(k, "TopdownL1") != levels[i].first || names_in(k, "TopdownL2") != levels[i].second)
				fail_msg("%s: %zu and %zu", levels[i].name, names_in(k, "TopdownL1"),
					 names_in(k, "TopdownL2"));
		}
}

static void each_row_belongs_to_a_machine(void **state)
{
	bool pfm = false; /* libpfm4 is here, with tables for x86 */

	for (size_t i = 0; metric_rows[i].name; i++)
		pfm |= computed_by[0][i] && strstr(metric_rows[i].expression, "br_misp_retired.all_branches");
	if (!pfm) {
		print_message("skipped: no libpfm4 with names of x86 CPUs\n");
		skip();
	}
	for (size_t i = 0; metric_rows[i].name; i++) {
		bool any = false;

		for (size_t k = 0; k < ARRAY_SIZE(machines); k++)
			any |= computed_by[k][i];
		if (!any)
			fail_msg("row %zu, %s: no machine has the events of %s", i, metric_rows[i].name,
				 metric_rows[i].expression);
	}
}

/* Counts of zero leave a metric out; others, all different, give a value. */
static void no_formula_divides_by_zero(void **state)
{
	for (const struct metric_row *row = metric_rows; row->name; row++) {
		struct expression x = { 0 };
		struct err e = { 0 };
		double *values;
		double value;

		assert_int_equal(expression_parse(&x, row->expression, NULL, &e), 0);
		values = xcalloc(x.names.len, sizeof(*values));
		feclearexcept(FE_ALL_EXCEPT);
		for (size_t zero = 0; zero <= x.names.len; zero++) {
			for (size_t i = 0; i < x.names.len; i++)
				values[i] = i == zero ? 0 : zero == x.names.len ? 0 : 1000 + (double)(i * i);
			value = expression_value(&x, values);
			if (fetestexcept(FE_DIVBYZERO | FE_INVALID) || isinf(value))
				fail_msg("%s with nothing of %s", row->name,
					 zero < x.names.len ? x.names.items[zero] : "all");
		}
		for (size_t i = 0; i < x.names.len; i++)
			values[i] = 1000 + (double)(i * i);
		if (!isfinite(expression_value(&x, values)))
			fail_msg("%s has no value", row->name);
		free(values);
		expression_release(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_machine_has_its_groups),
		cmocka_unit_test(top_down_levels_are_whole),
		cmocka_unit_test(each_row_belongs_to_a_machine),
		cmocka_unit_test(no_formula_divides_by_zero),
	};

	return cmocka_run_group_tests(tests, ask_all, NULL);
}
