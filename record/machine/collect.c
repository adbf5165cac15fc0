/* Collect the features that describe this machine; helpers to read /proc and /sys. */
#include <dirent.h>
#include <stdarg.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/file.h"
#include "record/machine/collect_priv.h"

enum { TEXT_MAX = 4 << 20 };

static char *vpath(const struct collect *c, char buf[PATH_MAX], const char *fmt, va_list ap)
{
	int n = snprintf(buf, PATH_MAX, "%s", c->opts->root ? c->opts->root : "");

	if (n >= 0 && n < PATH_MAX)
		vsnprintf(buf + n, (size_t)(PATH_MAX - n), fmt, ap);
	return buf;
}

char *collect_path(const struct collect *c, char buf[PATH_MAX], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vpath(c, buf, fmt, ap);
	va_end(ap);
	return buf;
}

bool collect_line(const struct collect *c, char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;

	va_start(ap, fmt);
	vpath(c, path, fmt, ap);
	va_end(ap);
	return file_read_line(path, buf, size) >= 0;
}

const char *collect_text(const struct collect *c, const char *fmt, ...)
{
	char path[PATH_MAX], line[4096];
	va_list ap;

	va_start(ap, fmt);
	vpath(c, path, fmt, ap);
	va_end(ap);
	return file_read_line(path, line, sizeof(line)) >= 0 && *line ? arena_strdup(c->arena, line) : NULL;
}

uint32_t collect_number(const struct collect *c, uint32_t absent, const char *fmt, ...)
{
	char path[PATH_MAX], line[64], *end;
	unsigned long v;
	va_list ap;

	va_start(ap, fmt);
	vpath(c, path, fmt, ap);
	va_end(ap);
	if (file_read_line(path, line, sizeof(line)) < 0)
		return absent;
	v = strtoul(line, &end, 10);
	return end == line ? absent : (uint32_t)v;
}

const char *collect_value(const struct collect *c, const char *text, const char *key)
{
	size_t key_len = strlen(key), len;

	for (; text && *text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL) {
		const char *at = text + key_len;

		if (strncmp(text, key, key_len))
			continue;
		at += strspn(at, " \t");
		if (*at++ != ':')
			continue;
		at += strspn(at, " \t");
		len = strcspn(at, "\n");
		return len ? arena_strndup(c->arena, at, len) : NULL;
	}
	return NULL;
}

struct str_list name_list_take(struct name_list *t, struct arena *a)
{
	uint32_t n = (uint32_t)t->len;

	return (struct str_list){ .items = vec_to_arena(t, a), .n = n };
}

static int text_order(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

struct str_list collect_names(const struct collect *c, const char *fmt, ...)
{
	char path[PATH_MAX];
	struct name_list names = { 0 };
	struct dirent *entry;
	va_list ap;
	DIR *dir;

	va_start(ap, fmt);
	vpath(c, path, fmt, ap);
	va_end(ap);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			vec_push(&names, arena_strdup(c->arena, entry->d_name));
	if (dir)
		closedir(dir);
	if (names.len)
		qsort(names.items, names.len, sizeof(*names.items), text_order);
	return name_list_take(&names, c->arena);
}

static bool keep_text(struct collect *c, const char **to, const char *text)
{
	*to = *text ? arena_strdup(c->arena, text) : NULL;
	return *to;
}

static bool collect_hostname(struct collect *c)
{
	struct utsname u;

	return !uname(&u) && keep_text(c, &c->f->hostname, u.nodename);
}

static bool collect_osrelease(struct collect *c)
{
	struct utsname u;

	return !uname(&u) && keep_text(c, &c->f->osrelease, u.release);
}

static bool collect_arch(struct collect *c)
{
	struct utsname u;

	return !uname(&u) && keep_text(c, &c->f->arch, u.machine);
}

static bool collect_version(struct collect *c)
{
	/* readers parse the number at the start */
	c->f->version = PERF_VERSION " (strobe " STROBE_VERSION ")";
	return true;
}

static bool collect_nrcpus(struct collect *c)
{
	struct cpuset online = { 0 };
	char path[PATH_MAX];

	if (!c->present.len || cpuset_read(&online, collect_path(c, path, "/sys/devices/system/cpu/online"), NULL) < 0)
		return false;
	c->f->cpus_available = (uint32_t)c->present.items[c->present.len - 1] + 1;
	c->f->cpus_online = (uint32_t)online.len;
	cpuset_free(&online);
	return true;
}

/* Replace each run of blanks by one. */
static char *squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from != ' ' || from[1] != ' ')
			*to++ = *from;
	*to = '\0';
	return text;
}

static char *cpuinfo(const struct collect *c)
{
	char path[PATH_MAX];
	char *text = file_read(collect_path(c, path, "/proc/cpuinfo"), TEXT_MAX, NULL, NULL);
	char *end = text ? strstr(text, "\n\n") : NULL; /* one CPU is enough */

	if (end)
		end[1] = '\0';
	return text;
}

static bool collect_cpudesc(struct collect *c)
{
	/* x86 and others; LoongArch; 32-bit Arm; Alpha; s390; MIPS; POWER. */
	static const char *const keys[] = { "model name", "Model Name",  "Processor", "cpu model",
					    "vendor_id",  "system type", "cpu" };
	autofree char *text = cpuinfo(c);

	for (size_t i = 0; i < ARRAY_SIZE(keys) && !c->f->cpudesc; i++) {
		const char *value = collect_value(c, text, keys[i]);

		if (value)
			c->f->cpudesc = squeeze(arena_strdup(c->arena, value));
	}
	return c->f->cpudesc;
}

/* Collect the CPU's id. x86: vendor, family, model and stepping; Arm: the main id register. */
static bool collect_cpuid(struct collect *c)
{
	autofree char *text = cpuinfo(c);
	const char *vendor = collect_value(c, text, "vendor_id"), *family = collect_value(c, text, "cpu family");
	const char *model = collect_value(c, text, "model"), *stepping = collect_value(c, text, "stepping");

	if (vendor && family && model && stepping)
		c->f->cpuid = arena_printf(c->arena, "%s,%s,%s,%s", vendor, family, model, stepping);
	else
		c->f->cpuid = collect_text(c, "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
	return c->f->cpuid;
}

static bool collect_total_mem(struct collect *c)
{
	char path[PATH_MAX];
	autofree char *text = file_read(collect_path(c, path, "/proc/meminfo"), TEXT_MAX, NULL, NULL);
	const char *total = collect_value(c, text, "MemTotal");

	c->f->total_mem_kb = total ? strtoull(total, NULL, 10) : 0;
	return c->f->total_mem_kb;
}

static bool collect_cmdline(struct collect *c)
{
	const struct collect_opts *o = c->opts;
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (o->argc < 1)
		return false;
	self[MAX(n, 0)] = '\0';
	c->f->cmdline.n = (uint32_t)o->argc;
	c->f->cmdline.items = arena_alloc(c->arena, (size_t)o->argc * sizeof(*c->f->cmdline.items));
	for (int i = 0; i < o->argc; i++)
		c->f->cmdline.items[i] = arena_strdup(c->arena, i || n <= 0 ? o->argv[i] : self);
	return true;
}

static bool collect_branch_stack(struct collect *c) { return c->opts->branch_stack; }

static uint64_t in_ns(struct timespec t) { return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec; }

static bool collect_clockid(struct collect *c)
{
	struct timespec res;

	if (!c->opts->use_clockid || clock_getres(c->opts->clockid, &res) < 0)
		return false;
	c->f->clockid_res_ns = in_ns(res);
	return true;
}

/* Read the wall clock and the clock of the samples at the same moment. */
static bool collect_clock_data(struct collect *c)
{
	struct timespec wall, clock;

	if (!c->opts->use_clockid || clock_gettime(CLOCK_REALTIME, &wall) < 0 ||
	    clock_gettime(c->opts->clockid, &clock) < 0)
		return false;
	c->f->clockid = (uint32_t)c->opts->clockid;
	c->f->clock_tod_ns = in_ns(wall);
	c->f->clock_ns = in_ns(clock);
	return true;
}

/*
 * The features and their collectors, ordered by bit: topology needs NRCPUS. To record another
 * one: add a row here, its collector, and a section in format/features.c. CPU_DOMAIN_INFO,
 * E_MACHINE and CLN_SIZE are not recorded: with a bit above 31 set, perf before 7 can read the
 * file, but `perf inject` turns it into an unreadable one.
 */
static const struct {
	enum feature bit;
	collector *collect;
} rows[] = {
	{ FEATURE_HOSTNAME, collect_hostname },
	{ FEATURE_OSRELEASE, collect_osrelease },
	{ FEATURE_VERSION, collect_version },
	{ FEATURE_ARCH, collect_arch },
	{ FEATURE_NRCPUS, collect_nrcpus },
	{ FEATURE_CPUDESC, collect_cpudesc },
	{ FEATURE_CPUID, collect_cpuid },
	{ FEATURE_TOTAL_MEM, collect_total_mem },
	{ FEATURE_CMDLINE, collect_cmdline },
	{ FEATURE_CPU_TOPOLOGY, collect_cpu_topology },
	{ FEATURE_NUMA_TOPOLOGY, collect_numa_topology },
	{ FEATURE_BRANCH_STACK, collect_branch_stack },
	{ FEATURE_PMU_MAPPINGS, collect_pmu_mappings },
	{ FEATURE_CACHE, collect_caches },
	{ FEATURE_MEM_TOPOLOGY, collect_mem_topology },
	{ FEATURE_CLOCKID, collect_clockid },
	{ FEATURE_CPU_PMU_CAPS, collect_cpu_pmu_caps },
	{ FEATURE_CLOCK_DATA, collect_clock_data },
	{ FEATURE_HYBRID_TOPOLOGY, collect_hybrid_topology },
	{ FEATURE_PMU_CAPS, collect_pmu_caps },
};

void collect_features(struct features *f, struct arena *a, const struct collect_opts *opts)
{
	struct collect c = { f, a, opts };
	char path[PATH_MAX];

	f->arena = a;
	if (cpuset_read(&c.present, collect_path(&c, path, "/sys/devices/system/cpu/present"), NULL) < 0)
		vec_clear(&c.present);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].collect(&c))
			feature_set(f, rows[i].bit);
	cpuset_free(&c.present);
}
