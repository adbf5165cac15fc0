/*
 * Tracepoints in tracefs: events/SYSTEM/NAME/{id,format}. Source: Documentation/trace/events.rst of
 * the kernel.
 */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/opt.h"
#include "base/out.h"
#include "events/events_priv.h"

#define FORMAT_MAX (1 << 20) /* bytes of a format file; the largest have about 20 kB */

static const char tracefs_usual[] = "/sys/kernel/tracing";

/* Return true if `path` is a tracefs that we can read. */
static bool has_events(const char *path)
{
	autofree char *events = sys_path("%s/events", path);

	return access(events, F_OK) == 0;
}

/*
 * Find the mount point of file system `type` in the text of /proc/mounts, which this function
 * splits; NULL if it is not mounted.
 */
static const char *mounted(char *mounts, const char *type)
{
	char *line, *save = NULL;

	for (line = strtok_r(mounts, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *words = NULL, *where;

		strtok_r(line, " ", &words);
		where = strtok_r(NULL, " ", &words);
		if (where && words && !strncmp(words, type, strlen(type)) && words[strlen(type)] == ' ')
			return where;
	}
	return NULL;
}

/* Found once: a fact of the running system. */
static char tracefs_found[512];

static bool found_at(const char *where, const char *below)
{
	if ((size_t)snprintf(tracefs_found, sizeof(tracefs_found), "%s%s", where, below) < sizeof(tracefs_found) &&
	    has_events(tracefs_found))
		return true;
	tracefs_found[0] = '\0';
	return false;
}

/* Fill tracefs_found and return 0, or return why there is none: EACCES, or ENOENT if it is not mounted. */
static int look_for_tracefs(void)
{
	autofree char *mounts_path = sys_path("/proc/mounts");
	autofree char *mounts = file_read(mounts_path, 4 << 20, NULL, NULL), *copy = xstrdup(mounts ? mounts : "");
	const char *tracefs = mounts ? mounted(mounts, "tracefs") : NULL, *debugfs = mounted(copy, "debugfs");

	if ((tracefs && found_at(tracefs, "")) || (debugfs && found_at(debugfs, "/tracing")))
		return 0;
	return tracefs ? EACCES : ENOENT;
}

const char *tracefs_find(struct err *e)
{
	int sys = tracefs_found[0] && has_events(tracefs_found) ? 0 : look_for_tracefs();

	if (!sys)
		return tracefs_found;
	advice_tracefs(tracefs_usual, sys, e);
	return NULL;
}

const char *tracefs_path(struct err *e)
{
	int sys = tracefs_found[0] && has_events(tracefs_found) ? 0 : look_for_tracefs();

	if (!sys)
		return tracefs_found;
	/*
	 * It is not mounted: mount it if we may, as perf does, but not below another root (tests).
	 */
	if (sys == ENOENT && !has_events(tracefs_usual) && !*sys_root() &&
	    mount("none", tracefs_usual, "tracefs", 0, NULL) < 0)
		sys = errno == ENODEV ? ENODEV : ENOENT;
	if (sys != EACCES && found_at(tracefs_usual, ""))
		return tracefs_found;
	advice_tracefs(tracefs_usual, sys, e);
	return NULL;
}

static bool is_glob(const char *s) { return strpbrk(s, "*?") != NULL; }

/* Return true if a name from the user is a single path component. */
static bool is_component(const char *s) { return *s && s[0] != '.' && !strchr(s, '/') && strlen(s) < 256; }

bool tracepoint_is_probe(const char *system)
{
	return !strcmp(system, "probe") || !strncmp(system, "probe_", 6) || !strncmp(system, "sdt_", 4);
}

/* Advise how to define a probe that does not exist yet. */
static int try_define(const char *system, const char *name, struct err *e)
{
	if (is_glob(system) || is_glob(name))
		return err_try(e, "define probes first: %s probe FUNCTION, or %s probe -x PROGRAM FUNCTION",
			       tool_name(), tool_name());
	if (!strncmp(system, "sdt_", 4))
		return err_try(e, "define it first: %s buildid-cache -a PROGRAM; %s probe %s:%s", tool_name(),
			       tool_name(), system, name);
	if (!strcmp(system, "probe"))
		return err_try(e, "define it first: %s probe %s", tool_name(), name);
	return err_try(e, "define it first: %s probe -x PROGRAM %s", tool_name(), name);
}

static int not_found(const char *tracefs, const char *system, const char *name, struct err *e)
{
	err_set(e, "unknown tracepoint");
	err_why(e, "File %s/events/%s/%s not found", tracefs, system, name);
	if (tracepoint_is_probe(system))
		return try_define(system, name, e);
	return err_try(e, "Perhaps this kernel misses some CONFIG_ setting to enable this feature?");
}

/* Explain why a tracepoint's file could not be read, from errno. */
static int tracepoint_error(const char *tracefs, const char *system, const char *name, int sys, struct err *e)
{
	autofree char *path = xasprintf("%s/events/%s/%s", tracefs, system, name);

	return sys == EACCES || sys == EPERM ? advice_tracefs(path, sys, e) : not_found(tracefs, system, name, e);
}

int tracepoint_id(const char *system, const char *name, uint64_t *id, struct err *e)
{
	const char *tracefs = tracefs_path(e);
	autofree char *path = NULL;
	char line[32];

	if (!tracefs)
		return -1;
	if (!is_component(system) || !is_component(name))
		return not_found(tracefs, system, name, e);
	path = sys_path("%s/events/%s/%s/id", tracefs, system, name);
	errno = 0;
	if (file_read_line(path, line, sizeof(line)) <= 0)
		return tracepoint_error(tracefs, system, name, errno, e);
	return parse_u64(line, id, e);
}

char *tracepoint_format(const char *system, const char *name, size_t *len, struct err *e)
{
	const char *tracefs = tracefs_path(e);
	autofree char *path = NULL;
	struct err why = { 0 };
	char *text;

	if (!tracefs)
		return NULL;
	if (!is_component(system) || !is_component(name)) {
		not_found(tracefs, system, name, e);
		return NULL;
	}
	path = sys_path("%s/events/%s/%s/format", tracefs, system, name);
	text = file_read(path, FORMAT_MAX, len, &why);
	if (!text)
		tracepoint_error(tracefs, system, name, why.sys, e);
	return text;
}

bool tracepoint_system_exists(const char *system)
{
	const char *tracefs = is_component(system) && !is_glob(system) ? tracefs_path(NULL) : NULL;
	autofree char *path = tracefs ? sys_path("%s/events/%s", tracefs, system) : NULL;

	return path && access(path, F_OK) == 0;
}

/*
 * List the matching entries of events/ or events/SYSTEM/ in directory order. Return -1 with errno
 * when it cannot be read.
 */
static int glob_directory(const char *path, const char *pattern, struct arena *a, struct names *found)
{
	DIR *dir = opendir(path);
	struct dirent *d;

	if (!dir)
		return -1;
	while ((d = readdir(dir)))
		if (is_component(d->d_name) && d->d_type != DT_REG && !fnmatch(pattern, d->d_name, 0))
			vec_push(found, arena_strdup(a, d->d_name));
	closedir(dir);
	return 0;
}

static int find_in_system(const char *tracefs, const char *system, const char *name, struct arena *a,
			  struct tracepoints *found)
{
	autofree char *path = sys_path("%s/events/%s", tracefs, system);
	struct names names = { 0 };
	int result = glob_directory(path, name, a, &names), sys = errno;

	for (size_t i = 0; i < names.len; i++) {
		struct tracepoint t = { .system = arena_strdup(a, system), .name = names.items[i] };

		if (tracepoint_id(system, t.name, &t.id, NULL) == 0)
			vec_push(found, t);
	} /* directories without an id are no events, e.g. ftrace's own */
	vec_free(&names);
	errno = sys;
	return result;
}

int tracepoint_find(const char *system, const char *name, struct arena *a, struct tracepoints *found, struct err *e)
{
	const char *tracefs = tracefs_path(e);
	struct tracepoint t = { .system = system, .name = name };
	struct names systems = { 0 };
	autofree char *path = NULL;
	int sys = ENOENT;

	if (!tracefs)
		return -1;
	if (!is_glob(system) && !is_glob(name)) {
		if (tracepoint_id(system, name, &t.id, e) < 0)
			return -1;
		vec_push(found, t);
		return 0;
	}
	path = sys_path("%s/events", tracefs);
	if (!is_component(system) || !is_component(name))
		return not_found(tracefs, system, name, e);
	if (glob_directory(path, system, a, &systems) < 0)
		sys = errno;
	for (size_t i = 0; i < systems.len; i++)
		if (find_in_system(tracefs, systems.items[i], name, a, found) < 0)
			sys = errno;
	vec_free(&systems);
	return found->len ? 0 : tracepoint_error(tracefs, system, name, sys, e);
}

int tracepoint_systems(struct arena *a, struct names *systems, struct err *e)
{
	const char *tracefs = tracefs_path(e);
	autofree char *path = tracefs ? sys_path("%s/events", tracefs) : NULL;

	if (!path)
		return -1;
	return glob_directory(path, "*", a, systems) < 0 ? advice_tracefs(path, errno, e) : 0;
}

void tracepoint_names(const char *system, struct arena *a, struct names *names)
{
	const char *tracefs = tracefs_path(NULL);
	autofree char *path = tracefs ? sys_path("%s/events/%s", tracefs, system) : NULL;
	size_t n = 0;

	if (path)
		glob_directory(path, "*", a, names);
	for (size_t i = 0; i < names->len; i++) {
		autofree char *id = xasprintf("%s/%s/id", path, names->items[i]);

		if (access(id, F_OK) == 0) /* others cannot be opened: ftrace's own entries */
			names->items[n++] = names->items[i];
	}
	names->len = n;
}

const char *tracepoint_of_name(const char *name, struct arena *a)
{
	struct tracepoints found = { 0 };
	const char *whole = NULL;

	if (!is_glob(name) && tracepoint_find("*", name, a, &found, NULL) == 0)
		whole = arena_printf(a, "%s:%s", found.items[0].system, found.items[0].name);
	vec_free(&found);
	return whole;
}

static bool system_has_id(const char *tracefs, const char *system, uint64_t id, struct arena *a, const char **name)
{
	autofree char *path = sys_path("%s/events/%s", tracefs, system);
	struct names names = { 0 };
	bool found = false;
	uint64_t other;

	glob_directory(path, "*", a, &names);
	for (size_t i = 0; i < names.len && !found; i++) {
		found = tracepoint_id(system, names.items[i], &other, NULL) == 0 && other == id;
		if (found)
			*name = names.items[i];
	}
	vec_free(&names);
	return found;
}

bool tracepoint_of_id(uint64_t id, struct arena *a, const char **system, const char **name)
{
	const char *tracefs = tracefs_path(NULL);
	struct names systems = { 0 };
	bool found = false;

	if (!tracefs || tracepoint_systems(a, &systems, NULL) < 0)
		return false;
	for (size_t i = 0; i < systems.len && !found; i++) {
		found = system_has_id(tracefs, systems.items[i], id, a, name);
		if (found)
			*system = systems.items[i];
	}
	vec_free(&systems);
	return found;
}

/* Return the entry of a tracefs directory nearest to a word; the word itself if it exists. */
static const char *nearest_entry(const char *path, const char *word, struct arena *a)
{
	struct names names = { 0 };
	const char *nearest = NULL;

	glob_directory(path, "*", a, &names);
	for (size_t i = 0; i < names.len && !nearest; i++)
		if (!strcmp(names.items[i], word))
			nearest = names.items[i];
	vec_push(&names, NULL);
	if (!nearest)
		nearest = opt_nearest(word, names.items);
	vec_free(&names);
	return nearest;
}

const char *tracepoint_nearest(const char *system, const char *name, struct arena *a)
{
	const char *tracefs = is_glob(system) || is_glob(name) ? NULL : tracefs_path(NULL), *near_system, *near_name;
	autofree char *path = tracefs ? sys_path("%s/events", tracefs) : NULL, *inner = NULL;

	if (!path || !(near_system = nearest_entry(path, system, a)))
		return NULL;
	inner = xasprintf("%s/%s", path, near_system);
	near_name = nearest_entry(inner, name, a);
	return near_name ? arena_printf(a, "%s:%s", near_system, near_name) : NULL;
}

char *tracepoint_fields(const char *system, const char *name)
{
	autofree char *text = tracepoint_format(system, name, NULL, NULL);
	char *fields = NULL, *line, *save = NULL;

	for (line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		char *end = strchr(line, ';'), *start, *more;

		if (strncmp(line, "\tfield:", 7) || !end || !strncmp(line + 7, "unsigned short common_", 22))
			continue;
		*end = '\0';
		start = strrchr(line, ' ');
		if (!start || !strncmp(start + 1, "common_", 7))
			continue;
		start[1 + strcspn(start + 1, "[")] = '\0';
		more = xasprintf("%s%s%s", fields ? fields : "", fields ? ", " : "", start + 1);
		free(fields);
		fields = more;
	}
	return fields;
}
