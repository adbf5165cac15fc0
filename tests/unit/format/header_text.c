#include "format/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

static struct file_event events[] = {
	{ .attr = { .type = 1, .size = 64, .sample_type = 7 },
	  .ids = (const uint64_t[]){ 5, 6 },
	  .n_ids = 2,
	  .name = "cpu-clock",
	  .leader = 0,
	  .n_members = 2 },
	{ .attr = { .type = 1, .size = 64, .config = 1, .sample_type = 7 }, .name = "task-clock", .leader = 0 },
};

static struct perfdata file_with(void (*fill)(struct features *f))
{
	struct perfdata pd = { .header_version = 2,
			       .mtime_ns = 1795168367000000000,
			       .data_offset = 280,
			       .data_size = 96,
			       .feature_offset = 376,
			       .events = events,
			       .n_events = 2 };

	if (fill)
		fill(&pd.features);
	return pd;
}

static void check(const struct perfdata *pd, bool full, const char *expected)
{
	struct out o;

	out_init_mem(&o);
	header_print(pd, full, &o);
	assert_string_equal(out_text(&o), expected);
	out_release(&o);
}

/* Compare the lines between the head of the frame and the list of missing features. */
static void check_lines(void (*fill)(struct features *f), bool full, const char *expected)
{
	struct perfdata pd = file_with(fill);
	struct out o;
	char *from, *to;

	out_init_mem(&o);
	header_print(&pd, full, &o);
	out_text(&o);
	from = strchr(strstr(o.buf, "# feat offset"), '\n') + 1;
	to = strstr(o.buf, "# missing features");
	*to = '\0';
	assert_string_equal(from, expected);
	out_release(&o);
}

#define FRAME  "# ========\n# captured on    : Fri Nov 20 09:52:47 2026\n# header version : 1\n"
#define PLACES "# data offset    : 280\n# data size      : 96\n# feat offset    : 376\n"

static void file_without_features(void **state)
{
	struct perfdata pd = file_with(NULL);

	check(&pd, false,
	      FRAME PLACES "# missing features: TRACING_DATA BUILD_ID HOSTNAME OSRELEASE VERSION ARCH NRCPUS CPUDESC "
			   "CPUID TOTAL_MEM CMDLINE "
			   "EVENT_DESC CPU_TOPOLOGY NUMA_TOPOLOGY BRANCH_STACK PMU_MAPPINGS GROUP_DESC AUXTRACE STAT "
			   "CACHE SAMPLE_TIME MEM_TOPOLOGY "
			   "CLOCKID DIR_FORMAT BPF_PROG_INFO BPF_BTF COMPRESSED CPU_PMU_CAPS CLOCK_DATA "
			   "HYBRID_TOPOLOGY PMU_CAPS CPU_DOMAIN_INFO "
			   "E_MACHINE CLN_SIZE \n# ========\n#\n");
}

static void fill_host(struct features *f)
{
	feature_set(f, FEATURE_HOSTNAME);
	f->hostname = "vm";
}

static void pipe_has_features_behind_the_frame_and_misses_none(void **state)
{
	struct perfdata pd = file_with(fill_host);

	pd.pipe = true;
	pd.data_offset = pd.data_size = pd.feature_offset = 0;
	check(&pd, false,
	      FRAME
	      "# data offset    : 0\n# data size      : 0\n# feat offset    : 0\n# ========\n#\n# hostname : vm\n");
}

static void first_version_of_the_format(void **state)
{
	struct perfdata pd = file_with(NULL);
	struct out o;

	pd.header_version = 1;
	out_init_mem(&o);
	header_print(&pd, false, &o);
	assert_non_null(strstr(out_text(&o), "# header version : 0\n"));
	out_release(&o);
}

static void fill_names(struct features *f)
{
	static const char *cmdline[] = { "/usr/bin/perf", "it's", "a\033[31m\nb" };

	for (unsigned bit = FEATURE_HOSTNAME; bit <= FEATURE_CMDLINE; bit++)
		feature_set(f, bit);
	f->hostname = "h\033]0;x\007";
	f->osrelease = "6.1";
	f->version = "strobe 1";
	f->arch = "x86_64";
	f->cpus_available = 4;
	f->cpus_online = 2;
	f->cpudesc = "CPU";
	f->cpuid = "GenuineIntel,6,85,7";
	f->total_mem_kb = 24684096;
	f->cmdline = (struct str_list){ cmdline, 3 };
}

static void names_are_escaped(void **state)
{
	check_lines(fill_names, false,
		    "# hostname : h\\x1b]0;x\\x07\n# os release : 6.1\n# perf version : strobe 1\n# arch : x86_64\n# "
		    "nrcpus online : 2\n"
		    "# nrcpus avail : 4\n# cpudesc : CPU\n# cpuid : GenuineIntel,6,85,7\n# total memory : 24684096 kB\n"
		    "# cmdline : /usr/bin/perf it\\'s a\\x1b[31m\\x0ab \n");
}

static void fill_events(struct features *f)
{
	feature_set(f, FEATURE_EVENT_DESC);
	feature_set(f, FEATURE_GROUP_DESC);
}

static void events_and_groups(void **state)
{
	check_lines(fill_events, false,
		    "# event : name = cpu-clock, , id = { 5, 6 }, type = 1 (PERF_TYPE_SOFTWARE), size = 64, config = 0 "
		    "(PERF_COUNT_SW_CPU_CLOCK), "
		    "sample_type = IP|TID|TIME\n"
		    "# event : name = task-clock, , type = 1 (PERF_TYPE_SOFTWARE), size = 64, config = 0x1 "
		    "(PERF_COUNT_SW_TASK_CLOCK), "
		    "sample_type = IP|TID|TIME\n"
		    "# group: {cpu-clock,task-clock}\n");
}

static void check_names(const struct file_event *all, const uint32_t *shown, size_t n, const char *expected)
{
	struct perfdata pd = { .events = (struct file_event *)all, .n_events = 3 };
	struct out o;

	out_init_mem(&o);
	header_print_event_names(&pd, shown, n, &o);
	assert_string_equal(out_text(&o), expected);
	out_release(&o);
}

/* As perf names them above its tables. */
static void names_of_an_event_and_of_groups(void **state)
{
	struct file_event all[] = { { .name = "cycles", .n_members = 2 },
				    { .name = "in\033[1m", .leader = 0 },
				    { .name = "faults", .leader = 2, .n_members = 1 } };
	const uint32_t group[] = { 0, 1 }, alone[] = { 2 };

	check_names(all, alone, 1, "faults");
	check_names(all, group, 2, "anon group { cycles, in\\x1b[1m }");
	check_names(all, group, 1, "anon group { cycles }"); /* the others have no samples */
	all[0].group_name = "g\n";
	check_names(all, group, 2, "g\\x0a { cycles, in\\x1b[1m }");
}

static void fill_topology(struct features *f)
{
	static const char *both[] = { "0-1" }, *each[] = { "0", "1" };
	static struct feature_cpu cpus[] = { { 0, 0, 0 }, { UINT32_MAX, 1, 2 } };
	static struct feature_node nodes[] = { { 0, 10971352, 6282944, "0-1" } };
	static struct feature_cache caches[] = { { 1, 64, 64, 8, "Data", "32K", "0" },
						 { 3, 64, 64, 8, "Unified", "36608K", "0-1" } };
	static uint64_t words[] = { 5, 1 };
	static struct feature_mem_node memory[] = { { 0, 100, 100, words }, { 3, 0, 0, NULL } };

	feature_set(f, FEATURE_CPU_TOPOLOGY);
	feature_set(f, FEATURE_NUMA_TOPOLOGY);
	feature_set(f, FEATURE_CACHE);
	feature_set(f, FEATURE_MEM_TOPOLOGY);
	f->packages = f->dies = (struct str_list){ both, 1 };
	f->cores = (struct str_list){ each, 2 };
	f->cpus = cpus;
	f->n_cpus = 2;
	f->has_dies = true;
	f->nodes = nodes;
	f->n_nodes = 1;
	f->caches = caches;
	f->n_caches = 2;
	f->mem_block_size = 1 << 20;
	f->mem_nodes = memory;
	f->n_mem_nodes = 2;
}

static void long_ones_are_only_announced(void **state)
{
	check_lines(
		fill_topology, false,
		"# CPU_TOPOLOGY info available, use -I to display\n# NUMA_TOPOLOGY info available, use -I to display\n"
		"# CACHE info available, use -I to display\n# MEM_TOPOLOGY info available, use -I to display\n");
}

static void topology_in_full(void **state)
{
	check_lines(fill_topology, true,
		    "# sibling sockets : 0-1\n# sibling dies    : 0-1\n# sibling threads : 0\n# sibling threads : 1\n"
		    "# CPU 0: Core ID 0, Die ID 0, Socket ID 0\n# CPU 1: Core ID -1, Die ID 2, Socket ID 1\n"
		    "# node0 meminfo  : total = 10971352 kB, free = 6282944 kB\n# node0 cpu list : 0-1\n"
		    "# CPU cache info:\n#  L1 Data                 32K [0]\n#  L3 Unified           36608K [0-1]\n"
		    "# memory nodes (nr 2, block size 0x100000):\n#    0 [3M]: 0,2,64\n#    3 [0B]: \n");
}

static void fill_pmus(struct features *f)
{
	static struct feature_pmu pmus[] = { { 4, "cpu" }, { 11, "ibs_op" } };
	static struct feature_cap caps[] = { { "branches", "32" }, { "max_precise", "0" } };
	static struct feature_pmu_caps pmu_caps[] = { { "cpu_core", NULL, 0 } };
	static struct feature_hybrid hybrids[] = { { "cpu_core", "0-3" } };

	feature_set(f, FEATURE_PMU_MAPPINGS);
	feature_set(f, FEATURE_CPU_PMU_CAPS);
	feature_set(f, FEATURE_HYBRID_TOPOLOGY);
	feature_set(f, FEATURE_PMU_CAPS);
	f->pmus = pmus;
	f->n_pmus = 2;
	f->cpu_caps = caps;
	f->n_cpu_caps = 2;
	f->hybrids = hybrids;
	f->n_hybrids = 1;
	f->pmu_caps = pmu_caps;
	f->n_pmu_caps = 1;
}

static void pmus_and_capabilities(void **state)
{
	check_lines(fill_pmus, true,
		    "# pmu mappings: cpu = 4, ibs_op = 11\n# cpu pmu capabilities: branches=32, max_precise=0\n# "
		    "hybrid cpu system:\n"
		    "# cpu_core cpu list : 0-3\n# cpu_core pmu capabilities: not available\n# AMD systems uses "
		    "ibs_op// PMU for some precise events, "
		    "e.g.: cycles:p, see the 'perf list' man page for further details.\n");
}

static void fill_times(struct features *f)
{
	feature_set(f, FEATURE_SAMPLE_TIME);
	feature_set(f, FEATURE_CLOCKID);
	feature_set(f, FEATURE_CLOCK_DATA);
	f->first_sample_ns = 1980753519000;
	f->last_sample_ns = 1981050797000;
	f->clockid_res_ns = 1;
	f->clockid = 1;
	f->clock_tod_ns = 1795167817466882111;
	f->clock_ns = 2046688925598;
}

static void times_and_clocks(void **state)
{
	check_lines(fill_times, false,
		    "# time of first sample : 1980.753519\n# time of last sample : 1981.050797\n# sample duration :    "
		    "297.278 ms\n"
		    "# clockid frequency: 1000 MHz\n# clockid: monotonic (1)\n"
		    "# reference time: 2026-11-20 09:43:37.466882 = 1795167817.466882 (TOD) = 2046.688925598 "
		    "(monotonic)\n");
}

static void fill_rest(struct features *f)
{
	static struct feature_domain domains[] = { { 0, "MC", "00000003", "0-1" } };
	static struct feature_cpu_domains cpus[] = { { 0, domains, 1 }, { 1, NULL, 0 } };
	static const enum feature bits[] = { FEATURE_BRANCH_STACK,  FEATURE_AUXTRACE,   FEATURE_STAT,
					     FEATURE_DIR_FORMAT,    FEATURE_COMPRESSED, FEATURE_CPU_PMU_CAPS,
					     FEATURE_BPF_PROG_INFO, FEATURE_BPF_BTF,    FEATURE_CPU_DOMAIN_INFO,
					     FEATURE_E_MACHINE,     FEATURE_CLN_SIZE };

	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		feature_set(f, bits[i]);
	f->dir_version = 1;
	f->compressed_type = 1;
	f->compressed_level = 3;
	f->compressed_ratio = 6;
	f->schedstat_version = 17;
	f->max_domains = 1;
	f->cpu_domains = cpus;
	f->n_cpu_domains = 2;
	f->e_machine = 62;
	f->cache_line_size = 64;
}

static void all_the_others(void **state)
{
	check_lines(fill_rest, true,
		    "# contains samples with branch stack\n# contains AUX area data (e.g. instruction trace)\n# "
		    "contains stat data\n"
		    "# directory data version : 1\n# bpf_prog_info empty\n# btf info empty\n# compressed : Zstd, level "
		    "= 3, ratio = 6\n"
		    "# cpu pmu capabilities: not available\n"
		    "# schedstat version\t: 17\n# Maximum sched domains\t: 1\n# cpu\t\t: 0\n# nr_domains\t: 1\n# "
		    "Domain\t\t: 0\n"
		    "# Domain name      : MC\n# Domain cpu map   : 00000003\n# Domain cpu list  : 0-1\n# cpu\t\t: 1\n# "
		    "nr_domains\t: 0\n"
		    "# e_machine : 62\n#   e_flags : 0\n# cacheline size: 64\n");
}

static void put(uint8_t *at, uint64_t v, size_t size) { memcpy(at, &v, size); }

/*
 * Make two programs with ids out of order: one with one function and its own name, and one with two
 * functions named by its type table.
 */
static void fill_bpf(struct features *f)
{
	static uint8_t programs[1024], tables[512];
	uint8_t *p = programs, *info, *data, *t = tables;
	static const uint32_t counts[] = { 104, 108, 180 };

	put(p, 2, 4);
	p += 4;
	for (int k = 0; k < 2; k++) {
		uint32_t n = k ? 1 : 2;

		put(p, 192, 4), put(p + 4, 64, 4);
		info = p + 16;
		data = info + 192;
		p = data + 64;
		put(info + 4, k ? 3 : 9, 4);
		strcpy((char *)info + 64, "own_name");
		for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
			put(info + counts[i], n, 4);
		put(info + 112, 0, 8), put(info + 120, 16, 8), put(info + 184, 24, 8); /* addresses, lengths, tags */
		put(data, 0xffffffffc0001000, 8), put(data + 8, 0xffffffffc0002000, 8);
		put(data + 16, 72, 4), put(data + 20, 80, 4);
		memcpy(data + 24, "\x01\x02\x03\x04\x05\x06\x07\x08\x11\x12\x13\x14\x15\x16\x17\x18", 16);
		if (k)
			continue;
		put(info + 128, 7, 4), put(info + 132, 8, 4), put(info + 136, 40, 8),
			put(info + 144, 2, 4); /* table, function infos */
		put(data + 44, 1, 4), put(data + 52, 3, 4);
	}
	f->bpf_prog_info = (struct feature_raw){ programs, (size_t)(p - programs) };
	put(t, 1, 4), put(t + 4, 7, 4), put(t + 8, 24 + 40 + 16, 4);
	t += 12;
	put(t, 0xeb9f, 2), put(t + 4, 24, 4), put(t + 12, 40, 4), put(t + 16, 40, 4), put(t + 20, 16, 4);
	t += 24;
	put(t, 1, 4), put(t + 4, 12u << 24, 4);       /* 1: function "main_fn" */
	put(t + 12, 0, 4), put(t + 16, 1u << 24, 4);  /* 2: an integer, with its tail */
	put(t + 28, 9, 4), put(t + 32, 12u << 24, 4); /* 3: function "sub" */
	memcpy(t + 40, "\0main_fn\0sub\0\0\0", 16);
	f->bpf_btf = (struct feature_raw){ tables, 12 + 24 + 40 + 16 };
	feature_set(f, FEATURE_BPF_PROG_INFO);
	feature_set(f, FEATURE_BPF_BTF);
}

static void bpf_programs_are_named_by_their_types(void **state)
{
	check_lines(
		fill_bpf, false,
		"# bpf_prog_info 3: bpf_prog_0102030405060708_own_name addr 0xffffffffc0001000 size 72\n# "
		"bpf_prog_info 9:\n"
		"# \tsub_prog 0: bpf_prog_0102030405060708_main_fn addr 0xffffffffc0001000 size 72\n"
		"# \tsub_prog 1: bpf_prog_1112131415161718_sub addr 0xffffffffc0002000 size 80\n# btf info of id 7\n");
}

static void damaged_bpf_sections_are_survived(void **state)
{
	struct perfdata pd = file_with(fill_bpf);
	struct feature_raw programs = pd.features.bpf_prog_info, tables = pd.features.bpf_btf;

	for (size_t i = 0; i < programs.size + tables.size; i++) {
		const struct feature_raw *whole = i < programs.size ? &programs : &tables;
		struct feature_raw *part = i < programs.size ? &pd.features.bpf_prog_info : &pd.features.bpf_btf;
		size_t at = i < programs.size ? i : i - programs.size;
		uint8_t *copy = xmalloc(whole->size);
		struct out o;

		out_init_mem(&o);
		memcpy(copy, whole->data, whole->size);
		*part = (struct feature_raw){ copy, at };
		header_print(&pd, false, &o);
		copy[at] ^= 0xff;
		*part = (struct feature_raw){ copy, whole->size };
		header_print(&pd, false, &o);
		*part = *whole;
		out_release(&o);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_without_features),
		cmocka_unit_test(pipe_has_features_behind_the_frame_and_misses_none),
		cmocka_unit_test(first_version_of_the_format),
		cmocka_unit_test(names_are_escaped),
		cmocka_unit_test(events_and_groups),
		cmocka_unit_test(names_of_an_event_and_of_groups),
		cmocka_unit_test(long_ones_are_only_announced),
		cmocka_unit_test(topology_in_full),
		cmocka_unit_test(pmus_and_capabilities),
		cmocka_unit_test(times_and_clocks),
		cmocka_unit_test(all_the_others),
		cmocka_unit_test(bpf_programs_are_named_by_their_types),
		cmocka_unit_test(damaged_bpf_sections_are_survived),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
