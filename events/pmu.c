/*
 * PMUs in sysfs. Source: Documentation/ABI/testing/sysfs-bus-event_source-devices{,-format,-events}
 * of the kernel.
 */
#include <ctype.h>
#include <dirent.h>
#include <float.h>
#include <fnmatch.h>
#include <strings.h>

#include "base/file.h"
#include "events/event_files_priv.h"

#define DEVICES  "/sys/bus/event_source/devices"
#define TEXT_MAX 4096

static char *read_text(const char *pmu, const char *file, struct err *e)
{
	autofree char *path = sys_path(DEVICES "/%s/%s", pmu, file);

	return file_read(path, TEXT_MAX, NULL, e);
}

char *pmu_text(const char *pmu, const char *file) { return read_text(pmu, file, NULL); }

static bool pmu_has(const char *pmu, const char *file)
{
	autofree char *path = sys_path(DEVICES "/%s/%s", pmu, file);

	return access(path, F_OK) == 0;
}

/*
 * Return true for core PMUs: "cpu" on most architectures, and the hybrids' cpu_core and cpu_atom
 * and ARM's, which list their CPUs in the file "cpus".
 */
static bool is_core(const char *name) { return !strcmp(name, "cpu") || pmu_has(name, "cpus"); }

static int by_name(const void *a, const void *b)
{
	const struct pmu *x = a, *y = b;

	if (x->is_core != y->is_core)
		return x->is_core ? -1 : 1;
	return strcmp(x->name, y->name);
}

void pmu_list_read(struct pmu_list *l)
{
	autofree char *path = sys_path(DEVICES);
	DIR *dir = opendir(path);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		autofree char *type = NULL;
		struct pmu pmu = { 0 };
		uint64_t number;

		if (d->d_name[0] == '.' || strlen(d->d_name) >= PMU_NAME_MAX || !(type = pmu_text(d->d_name, "type")))
			continue;
		type[strcspn(type, "\n")] = '\0';
		if (parse_u64(type, &number, NULL) < 0 || number > UINT32_MAX)
			continue;
		pmu.name = arena_strdup(&l->arena, d->d_name);
		pmu.type = (uint32_t)number;
		pmu.is_core = is_core(pmu.name);
		pmu.is_uncore = !pmu.is_core && pmu_has(pmu.name, "cpumask");
		vec_push(&l->pmus, pmu);
	}
	if (dir)
		closedir(dir);
	if (l->pmus.len)
		qsort(l->pmus.items, l->pmus.len, sizeof(*l->pmus.items), by_name);
}

void pmu_list_release(struct pmu_list *l)
{
	vec_free(&l->pmus);
	arena_release(&l->arena);
}

bool pmu_is_of_cores(const char *name, const char *kind)
{
	return !strcmp(name, kind) || (!strncmp(name, "cpu_", 4) && !strcmp(name + 4, kind));
}

const struct pmu *pmu_list_cores(const struct pmu_list *l, const char *kind)
{
	for (size_t i = 0; i < l->pmus.len; i++)
		if (l->pmus.items[i].is_core && pmu_is_of_cores(l->pmus.items[i].name, kind))
			return &l->pmus.items[i];
	return NULL;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

void pmu_files_read(struct pmu_files *f, const char *pmu, const char *dir)
{
	autofree char *path = sys_path(DEVICES "/%s/%s", pmu, dir);
	DIR *stream = opendir(path);
	struct dirent *d;

	while (stream && (d = readdir(stream)))
		if (d->d_name[0] != '.')
			vec_push(&f->names, arena_strdup(&f->arena, d->d_name));
	if (stream)
		closedir(stream);
	if (f->names.len)
		qsort(f->names.items, f->names.len, sizeof(*f->names.items), by_text);
}

void pmu_files_release(struct pmu_files *f)
{
	vec_free(&f->names);
	arena_release(&f->arena);
}

/* Parse "0-7" or "5" at *p and set the bits. */
static bool bit_range(char **p, uint64_t *bits)
{
	unsigned long from, to;

	if (!isdigit((unsigned char)**p))
		return false;
	from = to = strtoul(*p, p, 10);
	if (**p == '-')
		to = strtoul(*p + 1, p, 10);
	if (from > to || to > 63)
		return false;
	*bits |= (to - from == 63 ? ~0ull : (1ull << (to - from + 1)) - 1) << from;
	return true;
}

int pmu_format_find(const struct pmu *pmu, const char *name, struct pmu_format *format, struct err *e)
{
	autofree char *file = NULL, *text = NULL;
	char *p;

	if (!*name || strchr(name, '/') || name[0] == '.')
		return 0;
	file = xasprintf("format/%s", name);
	text = read_text(pmu->name, file, e);
	if (!text)
		return pmu_has(pmu->name, file) ? -1 : 0;
	*format = (struct pmu_format){ 0 };
	if (strncmp(text, "config", 6))
		goto bad;
	p = text + 6;
	if (isdigit((unsigned char)*p))
		format->word = (unsigned)(*p++ - '0');
	if (format->word >= CONFIG_WORDS || *p != ':')
		goto bad;
	do {
		p++;
		if (!bit_range(&p, &format->bits))
			goto bad;
	} while (*p == ',');
	if (!*p || *p == '\n')
		return 1;
bad:
	text[strcspn(text, "\n")] = '\0';
	return err_set(e, "format '%s' of PMU '%s' is not understood: '%s'", name, pmu->name, text);
}

bool pmu_format_store(const struct pmu_format *format, uint64_t value, uint64_t *word, uint64_t *max)
{
	int width = __builtin_popcountll(format->bits);
	uint64_t placed = 0;

	*max = width == 64 ? ~0ull : (1ull << width) - 1;
	if (value > *max)
		return false;
	for (uint64_t bits = format->bits; bits; bits &= bits - 1, value >>= 1)
		if (value & 1)
			placed |= bits & -bits;
	*word = (*word & ~format->bits) | placed;
	return true;
}

static bool is_extra(const char *name)
{
	static const char *const suffixes[] = { ".scale", ".unit", ".per-pkg", ".snapshot", ".percore" };
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && !strcmp(name + len - n, suffixes[i]))
			return true;
	}
	return false;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void pmu_names(const struct pmu *pmu, const char *what, struct arena *a, struct names *names)
{
	autofree char *path = sys_path(DEVICES "/%s/%s", pmu->name, what);
	DIR *dir = opendir(path);
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (d->d_name[0] != '.' && !is_extra(d->d_name))
			vec_push(names, arena_strdup(a, d->d_name));
	if (dir)
		closedir(dir);
	if (names->len)
		qsort(names->items, names->len, sizeof(*names->items), compare_names);
}

/*
 * Return the file name of an event that was typed in any case; the caller frees it. NULL if there
 * is none.
 */
static char *alias_file(const struct pmu *pmu, const char *name)
{
	autofree char *file = NULL;
	struct arena a = { 0 };
	struct names names = { 0 };
	char *found = NULL;

	if (!*name || strchr(name, '/') || name[0] == '.' || is_extra(name))
		return NULL;
	file = xasprintf("events/%s", name);
	if (pmu_has(pmu->name, file)) {
		found = file;
		file = NULL;
		return found;
	}
	pmu_names(pmu, "events", &a, &names);
	for (size_t i = 0; i < names.len && !found; i++)
		if (!strcasecmp(names.items[i], name))
			found = xasprintf("events/%s", names.items[i]);
	vec_free(&names);
	arena_release(&a);
	return found;
}

char *pmu_alias(const struct pmu *pmu, const char *name, struct err *e)
{
	autofree char *file = alias_file(pmu, name);
	const struct vendor_event *vendor = file ? NULL : event_files_find(pmu, name);
	char *text = file ? read_text(pmu->name, file, e) : vendor ? xstrdup(vendor->terms) : NULL;

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

/* Parse by hand: it has a decimal point in every locale. */
double number_scale(const char *s, const char **end)
{
	double v = 0, place = 1;
	bool negative = *s == '-';

	*end = s;
	s += negative;
	if (!isdigit((unsigned char)*s) && *s != '.')
		return 1;
	for (; isdigit((unsigned char)*s); s++)
		v = v * 10 + (*s - '0');
	if (*s == '.')
		for (s++; isdigit((unsigned char)*s); s++)
			v += (*s - '0') * (place /= 10);
	*end = s;
	if ((*s == 'e' || *s == 'E') && isdigit((unsigned char)s[1 + (s[1] == '-' || s[1] == '+')])) {
		long exponent = strtol(s + 1, (char **)end, 10);

		if (exponent < -400 || exponent > 400)
			return 1;
		for (; exponent > 0; exponent--)
			v *= 10;
		for (; exponent < 0; exponent++)
			v /= 10;
	}
	if (v > DBL_MAX) /* too large to multiply by */
		return 1;
	return negative ? -v : v;
}

/* The same from a vendor's file. Its period is a proposal: options change it. */
static void vendor_extras(const struct pmu *pmu, const char *name, struct event *event)
{
	const struct vendor_event *vendor = event_files_find(pmu, name);

	if (!vendor)
		return;
	event->scale = vendor->scale;
	event->unit = vendor->unit;
	event->per_package = vendor->per_package;
	if (!event->user_period)
		event->attr.sample_period = vendor->period;
}

void pmu_alias_extras(const struct pmu *pmu, const char *name, struct arena *a, struct event *event)
{
	autofree char *file = alias_file(pmu, name);
	autofree char *scale_file = xasprintf("%s.scale", file ? file : "-");
	autofree char *unit_file = xasprintf("%s.unit", file ? file : "-");
	autofree char *package_file = xasprintf("%s.per-pkg", file ? file : "-");
	autofree char *snapshot_file = xasprintf("%s.snapshot", file ? file : "-");
	autofree char *scale = NULL, *unit = NULL;
	const char *end;

	if (!file) {
		vendor_extras(pmu, name, event);
		return;
	}
	scale = pmu_text(pmu->name, scale_file);
	unit = pmu_text(pmu->name, unit_file);
	if (scale)
		event->scale = number_scale(scale, &end);
	if (unit) {
		unit[strcspn(unit, "\n")] = '\0';
		event->unit = arena_strdup(a, unit);
	}
	event->per_package = pmu_has(pmu->name, package_file);
	event->snapshot = pmu_has(pmu->name, snapshot_file);
}

/* Return true if `name` continues behind its first `len` characters with "_" and only digits. */
static bool is_instance(const char *name, size_t len)
{
	const char *p = name + len;

	if (*p == '_')
		p++;
	if (!*p)
		return false;
	return strspn(p, "0123456789abcdef") == strlen(p) && (name[len] == '_' || isdigit((unsigned char)*p));
}

bool pmu_matches(const struct pmu *pmu, const char *typed)
{
	const char *names[] = { pmu->name, !strncmp(pmu->name, "uncore_", 7) ? pmu->name + 7 : NULL };
	size_t len = strlen(typed);

	if (len >= PMU_NAME_MAX)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names) && names[i]; i++) {
		if (!strcmp(names[i], typed) || (strpbrk(typed, "*?[") && !fnmatch(typed, names[i], 0)))
			return true;
		/*
		 * "cpu" must not match cpu_atom: accept only numbered instances of devices outside
		 * the cores.
		 */
		if (!pmu->is_core && len && !strncmp(names[i], typed, len) && is_instance(names[i], len))
			return true;
	}
	return false;
}

int pmu_cpus(const struct pmu *pmu, struct cpuset *cpus, struct err *e)
{
	const char *file = pmu->is_core ? "cpus" : "cpumask";
	autofree char *path = sys_path(DEVICES "/%s/%s", pmu->name, file);

	return pmu_has(pmu->name, file) ? cpuset_read(cpus, path, e) : 0;
}

uint64_t pmu_slots(const struct pmu *pmu)
{
	autofree char *text = pmu_text(pmu->name, "caps/slots");

	return text ? strtoul(text, NULL, 0) : 0;
}

bool pmu_has_address_filters(const char *name)
{
	autofree char *path = xasprintf(DEVICES "/%s/nr_addr_filters", name);

	return sys_number(path, 0) > 0;
}
