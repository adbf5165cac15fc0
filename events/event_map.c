/* Find the vendors' event files for this machine: its id, and mapfile.csv. */
#include <regex.h>

#include "base/file.h"
#include "events/event_files_priv.h"

enum { CPUINFO_MAX = 4 << 20 };

/* Copy the value of the first "key : value" line; "" if there is none. */
static void cpuinfo_value(const char *text, const char *key, char value[64])
{
	size_t len = strlen(key);

	value[0] = '\0';
	for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *p = line + len;

		if (strncmp(line, key, len) || (*p != '\t' && *p != ' ' && *p != ':'))
			continue;
		p += strspn(p, "\t ");
		if (*p++ != ':')
			continue;
		p += strspn(p, " ");
		snprintf(value, 64, "%.*s", (int)strcspn(p, "\n"), p);
		return;
	}
}

/*
 * Make the id "GenuineIntel-6-55-4": vendor, family in decimal, model and stepping in hexadecimal.
 */
static bool identify_x86(struct event_map *m)
{
	autofree char *path = sys_path("/proc/cpuinfo");
	autofree char *text = file_read(path, CPUINFO_MAX, NULL, NULL);
	char vendor[64], family[64], model[64], stepping[64];

	if (!text)
		return false;
	cpuinfo_value(text, "vendor_id", vendor);
	cpuinfo_value(text, "cpu family", family);
	cpuinfo_value(text, "model", model);
	cpuinfo_value(text, "stepping", stepping);
	if (!*vendor || !*family || !*model)
		return false;
	snprintf(m->id, sizeof(m->id), "%.40s-%lu-%lX-%lX", vendor, strtoul(family, NULL, 10), strtoul(model, NULL, 10),
		 strtoul(stepping, NULL, 10));
	m->arch = "x86";
	return true;
}

/* Make the id from the MIDR as pmu-events writes it, without variant and revision. */
static bool identify_arm(struct event_map *m)
{
	static const char midr[] = "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1";
	autofree char *path = sys_path(midr);
	char text[32];

	if (file_read_line(path, text, sizeof(text)) <= 0)
		return false;
	snprintf(m->id, sizeof(m->id), "0x%016llx",
		 (unsigned long long)(strtoull(text, NULL, 16) & ~0xf0000full & UINT32_MAX));
	m->arch = "arm64";
	return true;
}

void event_map_identify(struct event_map *m)
{
	const char *given = getenv("PERF_CPUID");

	m->arch = "x86";
	if (given && *given) {
		snprintf(m->id, sizeof(m->id), "%s", given);
		m->arch = !strncmp(given, "0x", 2) ? "arm64" : "x86";
		return;
	}
	if (!identify_x86(m))
		identify_arm(m);
}

/*
 * Return 1 if the pattern matches the whole id, or all of it before the stepping; 0 if not; -1 if
 * the pattern is no regular expression.
 */
static int fits(const char *id, const char *pattern)
{
	const char *dash = strrchr(id, '-');
	size_t len = strlen(id), model = dash ? (size_t)(dash - id) : len;
	regmatch_t found;
	regex_t regex;
	bool yes = false;

	if (regcomp(&regex, pattern, REG_EXTENDED | REG_ICASE) != 0)
		return -1;
	if (*id && regexec(&regex, id, 1, &found, 0) == 0 && found.rm_so == 0)
		yes = (size_t)found.rm_eo == len || (size_t)found.rm_eo == model;
	regfree(&regex);
	return yes;
}

bool event_files_cpu_is(const char *id)
{
	struct event_map m = { 0 };

	event_map_identify(&m);
	return fits(m.id, id) == 1;
}

/* Return the PMU for the role of a hybrid's cores. */
static const char *pmu_of_role(const char *role)
{
	return !strcmp(role, "Core") ? "cpu_core" : !strcmp(role, "Atom") ? "cpu_atom" : NULL;
}

static int parse_line(struct event_map *m, char *line, unsigned n, struct err *e)
{
	enum { ID, VERSION, NAME, TYPE, CORE_TYPE, NATIVE, ROLE, COLUMNS };
	char *columns[COLUMNS] = { 0 };
	struct event_map_row row;
	int fit;

	for (size_t i = 0; i < COLUMNS && line; i++)
		columns[i] = strsep(&line, ",");
	if (!columns[TYPE] || !*columns[NAME])
		return err_set(e, "line %u is not 'id,version,file,type'", n);
	fit = fits(m->id, columns[ID]);
	if (fit < 0)
		return err_set(e, "line %u has a bad regular expression: '%.60s'", n, columns[ID]);
	if (!fit)
		return 0;
	row.file = arena_strdup(&m->arena, columns[NAME] + strspn(columns[NAME], "/"));
	row.type = arena_strdup(&m->arena, columns[TYPE]);
	row.pmu = columns[ROLE] ? pmu_of_role(columns[ROLE]) : NULL;
	if (strstr(row.file, ".."))
		return err_set(e, "line %u leads out of the directory: '%.60s'", n, row.file);
	vec_push(&m->rows, row);
	return 0;
}

int event_map_parse(struct event_map *m, char *text, struct err *e)
{
	unsigned n = 0;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		n++;
		line[strcspn(line, "\r")] = '\0';
		if (!*line || *line == '#' || !strncmp(line, "Family-model", 12))
			continue;
		if (parse_line(m, line, n, e) < 0)
			return -1;
	}
	return 0;
}

void event_map_release(struct event_map *m)
{
	vec_free(&m->rows);
	arena_release(&m->arena);
}
