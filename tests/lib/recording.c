#include "tests/lib/recording.h"

static const char *const event_names[] = { "cpu-clock", "task-clock", "page-faults" };

static uint64_t sample_type(const struct recording *r, const struct writer *w)
{
	return SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD |
	       (r->n_events > 1 || writer_is_pipe(w) ? SAMPLE_ID : 0);
}

void recording_events(const struct recording *r, struct writer *w)
{
	for (int i = 0; i < r->n_events; i++) {
		uint64_t ids[] = { 100 + 2 * (uint64_t)i, 101 + 2 * (uint64_t)i };
		struct writer_event event = {
			.attr = { .type = ATTR_TYPE_SOFTWARE,
				  .config = (uint64_t)i,
				  .sample_period = 1000,
				  .sample_type = sample_type(r, w),
				  .read_format = READ_ID,
				  .flags = ATTR_SAMPLE_ID_ALL | ATTR_MMAP | ATTR_MMAP2 | ATTR_COMM | ATTR_FREQ },
			.ids = ids,
			.n_ids = 2,
			.name = r->bare ? NULL : event_names[i],
			.n_members = i ? 0 : (uint32_t)r->n_events,
		};

		writer_event(w, &event);
	}
}

static const char *list_both[] = { "0-1" }, *list_each[] = { "0", "1" },
		  *command[] = { "/usr/bin/strobe", "record", "prog" };

static void simple_features(struct features *f)
{
	f->hostname = "vm";
	f->osrelease = "6.1.0";
	f->version = "strobe 1";
	f->arch = "x86_64";
	f->cpudesc = "A CPU";
	f->cpuid = "GenuineIntel,6,85,7";
	f->cpus_available = f->cpus_online = 2;
	f->total_mem_kb = 1000000;
	f->cmdline = (struct str_list){ command, 3 };
	f->first_sample_ns = 1000000000;
	f->last_sample_ns = 1001000000;
	f->e_machine = 62;
	f->cache_line_size = 64;
}

void recording_features(struct features *f, struct arena *a, bool newer)
{
	static struct feature_cpu cpus[] = { { 0, 0, 0 }, { 1, 0, 0 } };
	static struct feature_node nodes[] = { { 0, 1000, 500, "0-1" } };
	static struct feature_pmu pmus[] = { { 1, "software" }, { 5, "breakpoint" } };
	static struct feature_cache caches[] = { { 1, 64, 64, 8, "Data", "32K", "0" } };
	static uint64_t words[] = { 5 };
	static struct feature_mem_node memory[] = { { 0, 64, 3, words } };
	static struct feature_cap caps[] = { { "max_precise", "3" } };
	static struct feature_pmu_caps pmu_caps[] = { { "cpu_core", caps, 1 } };
	static struct feature_build_id ids[] = {
		{ .pid = -1, .misc = 2, .size = 20, .id = "0123456789abcdefghi", .filename = "/bin/prog" }
	};
	static struct feature_domain domains[] = { { 0, "MC", "00000003", "0-1" } };
	static struct feature_cpu_domains cpu_domains[] = { { 0, domains, 1 }, { 1, domains, 1 } };
	static const enum feature bits[] = { FEATURE_BUILD_ID,        FEATURE_HOSTNAME,     FEATURE_OSRELEASE,
					     FEATURE_VERSION,         FEATURE_ARCH,         FEATURE_NRCPUS,
					     FEATURE_CPUDESC,         FEATURE_CPUID,        FEATURE_TOTAL_MEM,
					     FEATURE_CMDLINE,         FEATURE_CPU_TOPOLOGY, FEATURE_NUMA_TOPOLOGY,
					     FEATURE_PMU_MAPPINGS,    FEATURE_CACHE,        FEATURE_SAMPLE_TIME,
					     FEATURE_MEM_TOPOLOGY,    FEATURE_CPU_PMU_CAPS, FEATURE_PMU_CAPS,
					     FEATURE_CPU_DOMAIN_INFO, FEATURE_E_MACHINE,    FEATURE_CLN_SIZE };

	*f = (struct features){ .arena = a };
	simple_features(f);
	f->packages = f->dies = (struct str_list){ list_both, 1 };
	f->cores = (struct str_list){ list_each, 2 };
	f->has_dies = true;
	f->cpus = cpus, f->n_cpus = 2;
	f->nodes = nodes, f->n_nodes = 1;
	f->pmus = pmus, f->n_pmus = 2;
	f->caches = caches, f->n_caches = 1;
	f->mem_block_size = 0x8000000;
	f->mem_nodes = memory, f->n_mem_nodes = 1;
	f->cpu_caps = caps, f->n_cpu_caps = 1;
	f->pmu_caps = pmu_caps, f->n_pmu_caps = 1;
	f->build_ids = ids, f->n_build_ids = 1;
	f->schedstat_version = 17;
	f->max_domains = 1;
	f->cpu_domains = cpu_domains, f->n_cpu_domains = 2;
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		if (newer || bits[i] < FEATURE_CPU_DOMAIN_INFO)
			feature_set(f, bits[i]);
}

static void u32(struct out *o, uint32_t v) { out_mem(o, (char *)&v, 4); }
static void u64(struct out *o, uint64_t v) { out_mem(o, (char *)&v, 8); }

/* Begin a record with a header without size; end_record fills it in. */
static size_t begin_record(struct out *o, uint32_t type, uint16_t misc)
{
	size_t at = o->len;

	u32(o, type);
	out_mem(o, (char *)&misc, 2);
	out_mem(o, "\0\0", 2);
	return at;
}

static void end_record(struct out *o, size_t at)
{
	uint16_t size;

	out_pad(o, '\0', (8 - (long)((o->len - at) % 8)) % 8);
	size = (uint16_t)(o->len - at);
	memcpy(o->buf + at + 6, &size, 2);
}

static void trailer(struct out *o, uint64_t type, uint32_t pid)
{
	u32(o, pid), u32(o, pid);
	u64(o, 1000000000);
	if (type & SAMPLE_ID)
		u64(o, 100);
	u32(o, 0), u32(o, 0);
}

static void put_map(struct out *o, uint64_t type, uint16_t misc, uint32_t pid, uint64_t start, uint64_t len,
		    const char *name)
{
	size_t at = begin_record(o, RECORD_MMAP, misc);

	u32(o, pid), u32(o, pid == UINT32_MAX ? 0 : pid);
	u64(o, start), u64(o, len), u64(o, misc == CPUMODE_KERNEL ? start : 0);
	out_mem(o, name, strlen(name) + 1);
	out_pad(o, '\0', (8 - (long)((strlen(name) + 1) % 8)) % 8);
	trailer(o, type, pid == UINT32_MAX ? 0 : pid);
	end_record(o, at);
}

static void put_sample(struct out *o, uint64_t type, long i, int n_events)
{
	size_t at = begin_record(o, RECORD_SAMPLE, CPUMODE_USER);

	u64(o, 0x400100 + (uint64_t)(i % 50) * 16);
	u32(o, 7), u32(o, 7);
	u64(o, 1000000000 + (uint64_t)i * 1000);
	if (type & SAMPLE_ID)
		u64(o, 100 + 2 * (uint64_t)(i % n_events));
	u32(o, (uint32_t)(i & 1)), u32(o, 0);
	u64(o, 1000);
	end_record(o, at);
}

static int put_all(struct writer *w, struct out *o, struct err *e)
{
	for (size_t at = 0; at < o->len;) {
		uint16_t size;

		memcpy(&size, o->buf + at + 6, 2);
		if (writer_record(w, o->buf + at, size, e) < 0)
			return -1;
		at += size;
	}
	o->len = 0;
	return 0;
}

static int put_samples(const struct recording *r, struct writer *w, uint64_t type, struct out *o, struct err *e)
{
	for (long i = 0; i < r->n_samples; i++) {
		put_sample(o, type, i, r->n_events);
		/* A round from a ring that wraps around: its pieces may end inside records. */
		if (o->len > 300000 || i + 1 == r->n_samples) {
			struct iovec iov[] = { { o->buf, o->len / 3 },
					       { o->buf + o->len / 3, o->len - o->len / 3 },
					       { "D\0\0\0\0\0\10", 8 } };

			if (writer_write(w, iov, 3, e) < 0)
				return -1;
			o->len = 0;
		}
	}
	return 0;
}

int recording_records(const struct recording *r, struct writer *w, struct err *e)
{
	uint64_t type = sample_type(r, w);
	struct out o;
	size_t at;
	int ret;

	out_init_mem(&o);
	put_map(&o, type, CPUMODE_KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text");
	at = begin_record(&o, RECORD_COMM, MISC_COMM_EXEC);
	u32(&o, 7), u32(&o, 7);
	out_mem(&o, "prog\0\0\0\0", 8);
	trailer(&o, type, 7);
	end_record(&o, at);
	put_map(&o, type, CPUMODE_USER, 7, 0x400000, 0x10000, "/bin/prog");
	end_record(&o, begin_record(&o, RECORD_FINISHED_INIT, 0));
	ret = put_all(w, &o, e);
	if (!ret)
		ret = put_samples(r, w, type, &o, e);
	out_release(&o);
	return ret;
}

int recording_write(const struct recording *r, const char *path, struct err *e)
{
	struct writer *w = writer_open(path, &r->opts, e);
	struct arena a = { 0 };
	struct features f = { .arena = &a };

	if (!w)
		return -1;
	if (!r->bare)
		recording_features(&f, &a, r->newer);
	recording_events(r, w);
	if (!writer_begin(w, &f, e) && !recording_records(r, w, e))
		return writer_finish(w, &f, e);
	writer_abandon(w, false);
	return -1;
}
