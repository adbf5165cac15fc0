/* Read /proc/schedstat: a line for each CPU, and below it one for each of its domains. */
#include "record/machine/schedstat.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/out.h"
#include "format/record.h"

#define COUNTERS "/proc/schedstat"
#define SWITCH   "/proc/sys/kernel/sched_schedstats"

enum { TEXT_MAX = 64 << 20, VERSION_FIRST = 15, VERSION_NAMES = 17, VERSION_LAST = 17 };
enum { CPU_FIELDS = 9, CPU_SHORT_FIELDS = 6, DOMAIN_FIELDS = 36, DOMAIN_FIELDS_17 = 45 };

/* The state while the lines are read. */
struct schedstat_text {
	struct schedstat_reader *to;
	uint64_t time; /* jiffies */
	int32_t cpu;   /* CPU of the last CPU line; -1 = do not record it */
	VEC(struct feature_domain) domains;
};

static void put(struct out *o, const void *bytes, size_t n) { out_mem(o, bytes, n); }
static void put_u16(struct out *o, uint16_t v) { put(o, &v, 2); }
static void put_u32(struct out *o, uint32_t v) { put(o, &v, 4); }
static void put_u64(struct out *o, uint64_t v) { put(o, &v, 8); }

/* `last`: the domain's number, or padding. */
static void put_record(const struct schedstat_text *t, uint32_t type, uint16_t last, const uint64_t *values, size_t n,
		       size_t n_short)
{
	struct out *o = &t->to->records;
	size_t size = 8 + 16 + 4 * n_short + 8 * (n - n_short), padded = (size + 7) / 8 * 8;

	put_u32(o, type);
	put_u16(o, 0);
	put_u16(o, (uint16_t)padded);
	put_u64(o, t->time);
	put_u32(o, (uint32_t)t->cpu);
	put_u16(o, (uint16_t)t->to->version);
	put_u16(o, last);
	for (size_t i = 0; i < n; i++)
		if (i < n_short)
			put_u32(o, (uint32_t)values[i]);
		else
			put_u64(o, values[i]);
	for (; size < padded; size++)
		out_char(o, 0);
}

/* Parse exactly n numbers. */
static bool numbers(const char *at, uint64_t *values, size_t n)
{
	char *end;

	for (size_t i = 0; i < n; i++, at = end) {
		values[i] = strtoull(at, &end, 10);
		if (end == at)
			return false;
	}
	return !at[strspn(at, " ")];
}

/* Keep the domains of the last CPU: they are complete. */
static void end_cpu(struct schedstat_text *t)
{
	struct feature_cpu_domains cpu = { .cpu = (uint32_t)t->cpu, .n = (uint32_t)t->domains.len };

	if (t->cpu >= 0) {
		t->to->max_domains = MAX(t->to->max_domains, cpu.n);
		cpu.domains = vec_to_arena(&t->domains, &t->to->arena);
		vec_push(&t->to->domains, cpu);
	}
	vec_clear(&t->domains);
}

static bool cpu_line(struct schedstat_text *t, const char *line)
{
	uint64_t values[CPU_FIELDS];
	char *end;
	long cpu = strtol(line, &end, 10);

	end_cpu(t);
	t->cpu = -1;
	if (end == line || cpu < 0 || cpu > UINT16_MAX || !numbers(end, values, CPU_FIELDS))
		return false;
	if (t->to->cpus && !cpuset_has(t->to->cpus, (int)cpu))
		return true;
	t->cpu = (int32_t)cpu;
	put_record(t, RECORD_SCHEDSTAT_CPU, 0, values, CPU_FIELDS, CPU_SHORT_FIELDS);
	return true;
}

/* Convert "00000000,00000003", where the lowest CPUs are last, into "0-1". */
static const char *mask_as_list(struct schedstat_text *t, const char *mask)
{
	struct cpuset set = { 0 };
	char buf[4096];
	int cpu = 0;

	for (size_t i = strlen(mask); i-- > 0;) {
		char digit[] = { mask[i], 0 };
		unsigned bits = (unsigned)strtoul(digit, NULL, 16);

		if (mask[i] == ',')
			continue;
		for (int bit = 0; bit < 4; bit++)
			if (bits & 1u << bit)
				cpuset_add(&set, cpu + bit);
		cpu += 4;
	}
	cpuset_format(&set, buf, sizeof(buf));
	cpuset_free(&set);
	return arena_strdup(&t->to->arena, buf);
}

/* Return the next word of a line, and move *line behind it. */
static const char *word(struct schedstat_text *t, char **line)
{
	char *from = *line + strspn(*line, " ");
	size_t len = strcspn(from, " ");

	*line = from + len;
	return arena_strndup(&t->to->arena, from, len);
}

static bool domain_line(struct schedstat_text *t, char *line)
{
	struct feature_domain d = { .name = "" };
	uint64_t values[DOMAIN_FIELDS_17];
	bool named = t->to->version >= VERSION_NAMES;
	size_t n = named ? DOMAIN_FIELDS_17 : DOMAIN_FIELDS;
	char *end;

	if (t->cpu < 0)
		return true;
	d.domain = (uint32_t)strtoul(line, &end, 10);
	if (end == line || d.domain >= UINT16_MAX)
		return false;
	if (named)
		d.name = word(t, &end);
	d.mask = word(t, &end);
	d.cpus = mask_as_list(t, d.mask);
	if (!numbers(end, values, n))
		return false;
	vec_push(&t->domains, d);
	put_record(t, RECORD_SCHEDSTAT_DOMAIN, (uint16_t)d.domain, values, n, n);
	return true;
}

static int read_line(struct schedstat_text *t, char *line, struct err *e)
{
	bool good = true;

	if (!strncmp(line, "version ", 8)) {
		t->to->version = (uint32_t)strtoul(line + 8, NULL, 10);
		if (t->to->version < VERSION_FIRST || t->to->version > VERSION_LAST)
			return err_set(e, COUNTERS " has counters of version %u; those from %d to %d are known",
				       t->to->version, VERSION_FIRST, VERSION_LAST);
	} else if (!strncmp(line, "timestamp ", 10)) {
		t->time = strtoull(line + 10, NULL, 10);
	} else if (!strncmp(line, "cpu", 3)) {
		good = t->to->version && cpu_line(t, line + 3);
	} else if (!strncmp(line, "domain", 6)) {
		good = t->to->version && domain_line(t, line + 6);
	}
	return good ? 0 : err_set(e, COUNTERS " has a line that is not known: '%.40s'", line);
}

int schedstat_parse(struct schedstat_reader *r, char *text, struct err *e)
{
	struct schedstat_text t = { .to = r, .cpu = -1 };
	char *save = NULL;
	int rc = 0;

	out_release(&r->records);
	out_init_mem(&r->records);
	vec_clear(&r->domains);
	r->version = r->max_domains = 0;
	for (char *line = strtok_r(text, "\n", &save); line && !rc; line = strtok_r(NULL, "\n", &save))
		rc = read_line(&t, line, e);
	end_cpu(&t);
	vec_free(&t.domains);
	if (!rc && !r->records.len)
		rc = err_set(e, COUNTERS " has no counters%s", r->cpus ? " of these CPUs" : "");
	return rc;
}

int schedstat_read(struct schedstat_reader *r, struct err *e)
{
	autofree char *path = xasprintf("%s" COUNTERS, r->root ? r->root : "");
	autofree char *text = file_read(path, TEXT_MAX, NULL, e);

	if (!text) {
		err_why(e, "only kernels built with CONFIG_SCHEDSTATS have it");
		err_try(e, "another kernel; 'sched record' and 'sched latency' work without it");
		return -1;
	}
	return schedstat_parse(r, text, e);
}

void schedstat_describe(const struct schedstat_reader *r, struct features *f)
{
	f->schedstat_version = r->version;
	f->max_domains = r->max_domains;
	f->cpu_domains = r->domains.items;
	f->n_cpu_domains = (uint32_t)r->domains.len;
	feature_set(f, FEATURE_CPU_DOMAIN_INFO);
}

void schedstat_release(struct schedstat_reader *r)
{
	out_release(&r->records);
	vec_free(&r->domains);
	arena_release(&r->arena);
}

/* ---- whether the kernel counts ---- */

static int set_switch(const char *root, const char *value, struct err *e)
{
	autofree char *path = xasprintf("%s" SWITCH, root ? root : "");
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, value, strlen(value)) > 0;

	if (!ok)
		err_sys(e, "cannot write '%s'", path);
	if (fd >= 0)
		close(fd);
	return ok ? 0 : -1;
}

int schedstat_start(const char *root, bool *was_off, struct err *e)
{
	autofree char *path = xasprintf("%s" SWITCH, root ? root : "");
	char line[16];

	*was_off = file_read_line(path, line, sizeof(line)) >= 0 && !atoi(line);
	if (!*was_off || set_switch(root, "1", e) == 0)
		return 0;
	*was_off = false;
	return -1;
}

void schedstat_stop(const char *root)
{
	struct err none = { 0 };

	set_switch(root, "0", &none);
}
