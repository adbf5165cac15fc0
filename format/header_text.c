#include <time.h>

#include "format/features_priv.h"
#include "format/reader.h"

static void line(struct out *o, const char *label, const char *text)
{
	out_str(o, label);
	out_name(o, text);
	out_char(o, '\n');
}

static void print_hostname(const struct perfdata *pd, struct out *o)
{
	line(o, "# hostname : ", pd->features.hostname);
}
static void print_osrelease(const struct perfdata *pd, struct out *o)
{
	line(o, "# os release : ", pd->features.osrelease);
}
static void print_version(const struct perfdata *pd, struct out *o)
{
	line(o, "# perf version : ", pd->features.version);
}
static void print_arch(const struct perfdata *pd, struct out *o) { line(o, "# arch : ", pd->features.arch); }
static void print_cpudesc(const struct perfdata *pd, struct out *o) { line(o, "# cpudesc : ", pd->features.cpudesc); }
static void print_cpuid(const struct perfdata *pd, struct out *o) { line(o, "# cpuid : ", pd->features.cpuid); }

static void print_nrcpus(const struct perfdata *pd, struct out *o)
{
	out_fmt(o, "# nrcpus online : %u\n# nrcpus avail : %u\n", pd->features.cpus_online,
		pd->features.cpus_available);
}

static void print_total_mem(const struct perfdata *pd, struct out *o)
{
	out_fmt(o, "# total memory : %llu kB\n", (unsigned long long)pd->features.total_mem_kb);
}

/* Print the command line: blanks separate the words, and a quote inside a word is escaped. */
static void print_cmdline(const struct perfdata *pd, struct out *o)
{
	out_str(o, "# cmdline : ");
	for (uint32_t i = 0; i < pd->features.cmdline.n; i++) {
		const char *word = pd->features.cmdline.items[i], *quote;

		for (; (quote = strchr(word, '\'')); word = quote + 1) {
			out_name_len(o, word, (size_t)(quote - word));
			out_str(o, "\\'");
		}
		out_name(o, word);
		out_char(o, ' ');
	}
	out_char(o, '\n');
}

static void print_event(const struct file_event *event, struct out *o)
{
	out_str(o, "# event : name = ");
	out_name(o, event->name);
	out_str(o, ", ");
	for (size_t i = 0; i < event->n_ids; i++) {
		out_str(o, i ? ", " : ", id = { ");
		out_u64(o, event->ids[i]);
	}
	if (event->n_ids)
		out_str(o, " }");
	attr_print_header(&event->attr, file_event_tracepoint(event), o);
	out_char(o, '\n');
}

static void print_events(const struct perfdata *pd, struct out *o)
{
	for (size_t i = 0; i < pd->n_events; i++)
		print_event(&pd->events[i], o);
}

static void print_lists(struct out *o, const char *label, const struct str_list *list)
{
	for (uint32_t i = 0; i < list->n; i++)
		line(o, label, list->items[i]);
}

static void print_cpu_topology(const struct perfdata *pd, struct out *o)
{
	const struct features *f = &pd->features;

	print_lists(o, "# sibling sockets : ", &f->packages);
	print_lists(o, "# sibling dies    : ", &f->dies);
	print_lists(o, "# sibling threads : ", &f->cores);
	for (uint32_t i = 0; i < f->n_cpus; i++) {
		out_fmt(o, "# CPU %u: Core ID %d, ", i, (int)f->cpus[i].core_id);
		if (f->has_dies)
			out_fmt(o, "Die ID %d, ", (int)f->cpus[i].die_id);
		out_fmt(o, "Socket ID %d\n", (int)f->cpus[i].socket_id);
	}
	if (!f->n_cpus)
		out_str(o, "# Core ID and Socket ID information is not available\n");
}

static void print_numa_topology(const struct perfdata *pd, struct out *o)
{
	for (uint32_t i = 0; i < pd->features.n_nodes; i++) {
		const struct feature_node *node = &pd->features.nodes[i];

		out_fmt(o, "# node%u meminfo  : total = %llu kB, free = %llu kB\n# node%u cpu list : ", node->node,
			(unsigned long long)node->total_kb, (unsigned long long)node->free_kb, node->node);
		line(o, "", node->cpus);
	}
}

static void print_branch_stack(const struct perfdata *pd, struct out *o)
{
	out_str(o, "# contains samples with branch stack\n");
}
static void print_stat(const struct perfdata *pd, struct out *o) { out_str(o, "# contains stat data\n"); }
static void print_auxtrace(const struct perfdata *pd, struct out *o)
{
	out_str(o, "# contains AUX area data (e.g. instruction trace)\n");
}

static void print_pmu_mappings(const struct perfdata *pd, struct out *o)
{
	const struct features *f = &pd->features;

	if (!f->n_pmus) {
		out_str(o, "# pmu mappings: not available\n");
		return;
	}
	for (uint32_t i = 0; i < f->n_pmus; i++) {
		out_str(o, i ? ", " : "# pmu mappings: ");
		out_name(o, f->pmus[i].name);
		out_fmt(o, " = %u", f->pmus[i].type);
	}
	out_char(o, '\n');
}

void header_print_event_names(const struct perfdata *pd, const uint32_t *events, size_t n, struct out *o)
{
	const struct file_event *first = &pd->events[events[0]];

	if (first->n_members > 1) {
		out_name(o, first->group_name ? first->group_name : "anon group");
		out_str(o, " { ");
	}
	for (size_t i = 0; i < n; i++) {
		out_str(o, i ? ", " : "");
		out_name(o, pd->events[events[i]].name);
	}
	if (first->n_members > 1)
		out_str(o, " }");
}

static void print_groups(const struct perfdata *pd, struct out *o)
{
	for (size_t i = 0; i < pd->n_events; i++) {
		const struct file_event *leader = &pd->events[i];

		if (leader->leader != i || leader->n_members < 2)
			continue;
		out_str(o, "# group: ");
		out_name(o, leader->group_name ? leader->group_name : "");
		for (size_t k = i; k < i + leader->n_members; k++) {
			out_char(o, k == i ? '{' : ',');
			out_name(o, pd->events[k].name);
		}
		out_str(o, "}\n");
	}
}

static void print_caches(const struct perfdata *pd, struct out *o)
{
	out_str(o, "# CPU cache info:\n");
	for (uint32_t i = 0; i < pd->features.n_caches; i++) {
		const struct feature_cache *c = &pd->features.caches[i];

		out_fmt(o, "#  L%u ", c->level);
		out_name_pad(o, c->type, -15);
		out_char(o, ' ');
		out_name_pad(o, c->size, 8);
		out_str(o, " [");
		out_name(o, c->cpus);
		out_str(o, "]\n");
	}
}

static void print_seconds(struct out *o, const char *label, uint64_t ns)
{
	out_fmt(o, "%s%llu.%06llu\n", label, (unsigned long long)(ns / 1000000000),
		(unsigned long long)(ns % 1000000000 / 1000));
}

static void print_sample_time(const struct perfdata *pd, struct out *o)
{
	uint64_t first = pd->features.first_sample_ns, last = pd->features.last_sample_ns;

	print_seconds(o, "# time of first sample : ", first);
	print_seconds(o, "# time of last sample : ", last);
	out_fmt(o, "# sample duration : %10.3f ms\n", (double)(last - first) / 1e6);
}

/* Print bytes in the largest unit that gives at least 2. */
static void print_bytes(struct out *o, uint64_t n)
{
	const char *unit = "BKMG";

	while (n / 1024 > 1 && unit[1]) {
		n /= 1024;
		unit++;
	}
	out_u64(o, n);
	out_char(o, *unit);
}

static bool bit_at(const struct feature_mem_node *m, uint64_t i)
{
	return i < m->n_bits && m->words[i / 64] >> i % 64 & 1;
}

static void print_mem_node(const struct feature_mem_node *m, uint64_t block_size, struct out *o)
{
	const char *between = "";
	uint64_t set = 0, from;

	for (uint64_t i = 0; i < m->n_bits; i++)
		set += bit_at(m, i);
	out_fmt(o, "# %4llu [", (unsigned long long)m->node);
	print_bytes(o, block_size * set);
	out_str(o, "]: ");
	for (uint64_t i = 0; i < m->n_bits; i++) {
		if (!bit_at(m, i))
			continue;
		for (from = i; bit_at(m, i + 1);)
			i++;
		out_str(o, between);
		out_u64(o, from);
		if (i > from) {
			out_char(o, '-');
			out_u64(o, i);
		}
		between = ",";
	}
	out_char(o, '\n');
}

static void print_mem_topology(const struct perfdata *pd, struct out *o)
{
	const struct features *f = &pd->features;

	out_fmt(o, "# memory nodes (nr %llu, block size 0x%llx):\n", (unsigned long long)f->n_mem_nodes,
		(unsigned long long)f->mem_block_size);
	for (uint64_t i = 0; i < f->n_mem_nodes; i++)
		print_mem_node(&f->mem_nodes[i], f->mem_block_size, o);
}

/*
 * Print perf's formula: the resolution times 1000, which is a frequency only for a resolution of 1
 * ns.
 */
static void print_clockid(const struct perfdata *pd, struct out *o)
{
	out_fmt(o, "# clockid frequency: %llu MHz\n", (unsigned long long)pd->features.clockid_res_ns * 1000);
}

static const char *clock_name(uint32_t clockid)
{
	switch (clockid) {
	case 0: return "realtime";
	case 1: return "monotonic";
	case 4: return "monotonic_raw";
	case 7: return "boottime";
	case 11: return "tai";
	default: return "(not found)";
	}
}

static void print_clock_data(const struct perfdata *pd, struct out *o)
{
	const struct features *f = &pd->features;
	const uint64_t second = 1000000000;
	time_t tod = (time_t)(f->clock_tod_ns / second);
	const char *name = clock_name(f->clockid);
	char date[64] = "";
	struct tm tm;

	if (localtime_r(&tod, &tm))
		strftime(date, sizeof(date), "%F %T", &tm);
	out_fmt(o, "# clockid: %s (%u)\n", name, f->clockid);
	out_fmt(o, "# reference time: %s.%06llu = %llu.%06llu (TOD) = %llu.%09llu (%s)\n", date,
		(unsigned long long)(f->clock_tod_ns % second / 1000), (unsigned long long)(f->clock_tod_ns / second),
		(unsigned long long)(f->clock_tod_ns % second / 1000), (unsigned long long)(f->clock_ns / second),
		(unsigned long long)(f->clock_ns % second), name);
}

static void print_dir_format(const struct perfdata *pd, struct out *o)
{
	out_fmt(o, "# directory data version : %llu\n", (unsigned long long)pd->features.dir_version);
}

static void print_compressed(const struct perfdata *pd, struct out *o)
{
	const struct features *f = &pd->features;

	out_fmt(o, "# compressed : %s, level = %u, ratio = %u\n", f->compressed_type == 1 ? "Zstd" : "Unknown",
		f->compressed_level, f->compressed_ratio);
}

static void print_caps(const char *pmu, const struct feature_cap *caps, uint32_t n, struct out *o)
{
	out_str(o, "# ");
	out_name(o, pmu);
	out_str(o, " pmu capabilities: ");
	for (uint32_t i = 0; i < n; i++) {
		out_str(o, i ? ", " : "");
		out_name(o, caps[i].name);
		out_char(o, '=');
		out_name(o, caps[i].value);
	}
	out_str(o, n ? "\n" : "not available\n");
}

static void print_cpu_pmu_caps(const struct perfdata *pd, struct out *o)
{
	print_caps("cpu", pd->features.cpu_caps, pd->features.n_cpu_caps, o);
}

static void print_hybrid_topology(const struct perfdata *pd, struct out *o)
{
	out_str(o, "# hybrid cpu system:\n");
	for (uint32_t i = 0; i < pd->features.n_hybrids; i++) {
		out_str(o, "# ");
		out_name(o, pd->features.hybrids[i].pmu);
		line(o, " cpu list : ", pd->features.hybrids[i].cpus);
	}
}

/* Return true for AMD machines whose cores cannot sample precisely and need the IBS PMU for it. */
static bool needs_ibs_hint(const struct features *f)
{
	bool ibs = false, imprecise = false;

	for (uint32_t i = 0; i < f->n_pmus; i++)
		ibs |= !strcmp(f->pmus[i].name, "ibs_op");
	for (uint32_t i = 0; i < f->n_cpu_caps; i++)
		imprecise |= !strcmp(f->cpu_caps[i].name, "max_precise") && !atoi(f->cpu_caps[i].value);
	return ibs && imprecise;
}

static void print_pmu_caps(const struct perfdata *pd, struct out *o)
{
	for (uint32_t i = 0; i < pd->features.n_pmu_caps; i++) {
		const struct feature_pmu_caps *caps = &pd->features.pmu_caps[i];

		print_caps(caps->pmu, caps->caps, caps->n, o);
	}
	if (needs_ibs_hint(&pd->features))
		out_str(o, "# AMD systems uses ibs_op// PMU for some precise events, e.g.: cycles:p, see the 'perf "
			   "list' man page for further details.\n");
}

static void print_cpu_domains(const struct perfdata *pd, struct out *o)
{
	const struct features *f = &pd->features;

	out_fmt(o, "# schedstat version\t: %u\n# Maximum sched domains\t: %u\n", f->schedstat_version, f->max_domains);
	for (uint32_t i = 0; i < f->n_cpu_domains; i++) {
		const struct feature_cpu_domains *cpu = &f->cpu_domains[i];

		out_fmt(o, "# cpu\t\t: %u\n# nr_domains\t: %u\n", cpu->cpu, cpu->n);
		for (uint32_t k = 0; k < cpu->n; k++) {
			out_fmt(o, "# Domain\t\t: %u\n", cpu->domains[k].domain);
			if (f->schedstat_version >= 17)
				line(o, "# Domain name      : ", cpu->domains[k].name);
			line(o, "# Domain cpu map   : ", cpu->domains[k].mask);
			line(o, "# Domain cpu list  : ", cpu->domains[k].cpus);
		}
	}
}

static void print_e_machine(const struct perfdata *pd, struct out *o)
{
	out_fmt(o, "# e_machine : %u\n#   e_flags : %u\n", pd->features.e_machine, pd->features.e_flags);
}

static void print_cln_size(const struct perfdata *pd, struct out *o)
{
	out_fmt(o, "# cacheline size: %u\n", pd->features.cache_line_size);
}

static void print_unwound(const struct perfdata *pd, struct out *o)
{
	const struct features *f = &pd->features;
	uint64_t all = 0;

	for (uint32_t i = 1; i < f->n_unwound_ends; i++)
		all += f->unwound_ends[i].samples;
	if (f->unwound_window)
		out_fmt(o, "# user stacks were unwound while recording, from copies of %u bytes: ", f->unwound_window);
	else
		out_str(o, "# user stacks were unwound after recording: ");
	out_fmt(o, "%llu samples", (unsigned long long)all);
	for (uint32_t i = 1; i < f->n_unwound_ends; i++) {
		const struct feature_unwound_end *end = &f->unwound_ends[i];

		if (!end->samples)
			continue;
		out_str(o, ", ");
		out_name(o, end->code);
		out_fmt(o, " %.2f%%", 100.0 * (double)end->samples / (double)all);
	}
	out_char(o, '\n');
}

static void print_subjects(const struct perfdata *pd, struct out *o)
{
	const struct features *f = &pd->features;

	out_str(o, "# recorded for these threads and what they start:");
	for (uint32_t i = 0; i < f->n_subjects; i++)
		out_fmt(o, " %d", f->subjects[i]);
	out_char(o, '\n');
}

static void print_bundle(const struct perfdata *pd, struct out *o)
{
	out_fmt(o, "# bundle: %llu bytes of names, lines and code for readers on other machines\n",
		(unsigned long long)pd->features.bundle.size);
}

struct text_row {
	void (*print)(const struct perfdata *pd, struct out *o);
	bool full_only; /* long: without -I print only that the section exists */
};
static const struct text_row rows[FEATURES] = {
	[FEATURE_HOSTNAME] = { print_hostname },
	[FEATURE_OSRELEASE] = { print_osrelease },
	[FEATURE_VERSION] = { print_version },
	[FEATURE_ARCH] = { print_arch },
	[FEATURE_NRCPUS] = { print_nrcpus },
	[FEATURE_CPUDESC] = { print_cpudesc },
	[FEATURE_CPUID] = { print_cpuid },
	[FEATURE_TOTAL_MEM] = { print_total_mem },
	[FEATURE_CMDLINE] = { print_cmdline },
	[FEATURE_EVENT_DESC] = { print_events },
	[FEATURE_CPU_TOPOLOGY] = { print_cpu_topology, true },
	[FEATURE_NUMA_TOPOLOGY] = { print_numa_topology, true },
	[FEATURE_BRANCH_STACK] = { print_branch_stack },
	[FEATURE_PMU_MAPPINGS] = { print_pmu_mappings },
	[FEATURE_GROUP_DESC] = { print_groups },
	[FEATURE_AUXTRACE] = { print_auxtrace },
	[FEATURE_STAT] = { print_stat },
	[FEATURE_CACHE] = { print_caches, true },
	[FEATURE_SAMPLE_TIME] = { print_sample_time },
	[FEATURE_MEM_TOPOLOGY] = { print_mem_topology, true },
	[FEATURE_CLOCKID] = { print_clockid },
	[FEATURE_DIR_FORMAT] = { print_dir_format },
	[FEATURE_BPF_PROG_INFO] = { bpf_print_programs },
	[FEATURE_BPF_BTF] = { bpf_print_btfs },
	[FEATURE_COMPRESSED] = { print_compressed },
	[FEATURE_CPU_PMU_CAPS] = { print_cpu_pmu_caps },
	[FEATURE_CLOCK_DATA] = { print_clock_data },
	[FEATURE_HYBRID_TOPOLOGY] = { print_hybrid_topology, true },
	[FEATURE_PMU_CAPS] = { print_pmu_caps },
	[FEATURE_CPU_DOMAIN_INFO] = { print_cpu_domains, true },
	[FEATURE_E_MACHINE] = { print_e_machine },
	[FEATURE_CLN_SIZE] = { print_cln_size },
	[FEATURE_BUNDLE] = { print_bundle },
	[FEATURE_SUBJECTS] = { print_subjects },
	[FEATURE_UNWOUND] = { print_unwound },
};

void header_print_feature(const struct perfdata *pd, unsigned bit, struct out *o)
{
	if (bit < FEATURES && rows[bit].print)
		rows[bit].print(pd, o);
}

void header_print_features(const struct perfdata *pd, bool full, struct out *o)
{
	for (unsigned bit = 1; bit < FEATURES; bit++) {
		if (!feature_has(&pd->features, bit) || !rows[bit].print)
			continue;
		if (rows[bit].full_only && !full)
			out_fmt(o, "# %s info available, use -I to display\n", feature_name(bit));
		else
			rows[bit].print(pd, o);
	}
}

static void print_missing(const struct perfdata *pd, struct out *o)
{
	out_str(o, "# missing features: ");
	for (unsigned bit = 1; bit < FEATURES_OF_PERF; bit++)
		if (!feature_has(&pd->features, bit))
			out_fmt(o, "%s ", feature_name(bit));
	out_char(o, '\n');
}

void header_print(const struct perfdata *pd, bool full, struct out *o)
{
	time_t captured = (time_t)(pd->mtime_ns / 1000000000);
	char date[64] = "?";

	ctime_r(&captured, date);
	out_str(o, "# ========\n# captured on    : ");
	out_mem(o, date, strcspn(date, "\n"));
	out_fmt(o,
		"\n# header version : %u\n# data offset    : %llu\n# data size      : %llu\n# feat offset    : %llu\n",
		pd->header_version ? pd->header_version - 1 : 0, (unsigned long long)pd->data_offset,
		(unsigned long long)pd->data_size, (unsigned long long)pd->feature_offset);
	/* A pipe's features come as records behind its header, so it lists no missing features. */
	if (pd->pipe)
		out_str(o, "# ========\n#\n");
	header_print_features(pd, full, o);
	if (!pd->pipe) {
		print_missing(pd, o);
		out_str(o, "# ========\n#\n");
	}
}
