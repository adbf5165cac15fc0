/* Find and read the files with events and metrics of a vendor. Layouts: events/event_files.h. */
#include <dirent.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/search.h"
#include "events/event_files_priv.h"

enum { FILE_BYTES_MAX = 32 << 20, MAP_BYTES_MAX = 1 << 20, FILES_MAX = 4096 };

static struct event_files files;

const struct event_files *event_files(void) { return &files; }

static void release(struct event_files *f)
{
	vec_free(&f->events);
	vec_free(&f->metrics);
	arena_release(&f->arena);
}

void event_files_clear(void) { release(&files); }

const struct vendor_event *event_files_find(const struct pmu *pmu, const char *name)
{
	size_t at = search_count(i, files.events.len, strcasecmp(files.events.items[i].name, name) < 0);

	for (; at < files.events.len && !strcasecmp(files.events.items[at].name, name); at++) {
		const struct vendor_event *event = &files.events.items[at];

		if (event->pmu ? pmu_matches(pmu, event->pmu) : pmu->is_core)
			return event;
	}
	return NULL;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), n = strlen(end);

	return len > n && !strcmp(name + len - n, end);
}

static int read_file(struct file_reading *r, struct event_files *into, const char *path, struct err *e)
{
	autofree char *text = NULL;
	size_t len;

	for (size_t i = 0; i < r->done.len; i++)
		if (!strcmp(r->done.items[i], path))
			return 0;
	vec_push(&r->done, arena_strdup(&r->common.arena, path));
	text = file_read(path, FILE_BYTES_MAX, &len, e);
	if (!text)
		return -1;
	return event_json_read(r, into, text, len, e) < 0 ? err_in(e, "cannot read '%s'", path) : 0;
}

/*
 * Read the *.json files of a directory whose names contain `part` (NULL: all), sorted, so that the
 * answer does not depend on the file system. Return their number, or -1.
 */
static int read_directory(struct file_reading *r, struct event_files *into, const char *dir, const char *part,
			  struct err *e)
{
	struct dirent **names;
	int n = scandir(dir, &names, NULL, alphasort), n_read = 0;
	bool failed = false;

	if (n < 0)
		return err_sys(e, "cannot read '%s'", dir);
	for (int i = 0; i < n; i++) {
		autofree char *path = xasprintf("%s/%s", dir, names[i]->d_name);

		if (!failed && ends_with(names[i]->d_name, ".json") && (!part || strstr(names[i]->d_name, part)) &&
		    n_read < FILES_MAX) {
			failed = read_file(r, into, path, e) < 0;
			n_read++;
		}
		free(names[i]);
	}
	free(names);
	return failed ? -1 : n_read;
}

/* The metrics of perfmon lie beside the events: XXX/events/alderlake_gracemont_core.json. */
static int read_metrics_beside(struct file_reading *r, const char *path, struct err *e)
{
	autofree char *dir = xstrdup(path), *metrics = NULL, *codename = NULL;
	const char *file, *from;
	char *slash = strrchr(dir, '/');

	if (!slash || slash - dir < 7 || strncmp(slash - 7, "/events", 7))
		return 0;
	file = path + (slash - dir) + 1;
	slash[-7] = '\0';
	metrics = xasprintf("%s/metrics", dir);
	if (!is_directory(metrics))
		return 0;
	/* hybrid CPUs: only the metrics of this kind of cores */
	from = r->pmu ? strchr(file, '_') : NULL;
	if (from)
		codename = xstrndup(from + 1, strcspn(from + 1, "_."));
	return read_directory(r, r->into, metrics, codename, e) < 0 ? -1 : 0;
}

static int read_row(struct file_reading *r, const char *root, const struct event_map_row *row, struct err *e)
{
	static const char *const types[] = { "core",   "hybridcore",          "offcore",
					     "uncore", "uncore experimental", "fp_arith_inst" };
	autofree char *path = xasprintf("%s/%s", root, row->file);
	bool known = false;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		known |= !strcmp(row->type, types[i]);
	if (!known) /* latencies and the like, which are no events */
		return 0;
	r->pmu = row->pmu;
	if (!is_directory(path))
		return read_file(r, r->into, path, e) < 0 ? -1 : read_metrics_beside(r, path, e);
	/* pmu-events: what "ArchStdEvent" refers to lies beside mapfile.csv */
	if (read_directory(r, &r->common, root, NULL, e) < 0)
		return -1;
	return read_directory(r, r->into, path, NULL, e) < 0 ? -1 : 0;
}

/* Return the directory with mapfile.csv; the caller frees it. NULL if there is none. */
static char *find_root(const char *dir, const struct event_map *m)
{
	static const char *const below[] = { "", "/%s", "/arch/%s", "/pmu-events/arch/%s",
					     "/tools/perf/pmu-events/arch/%s" };

	for (size_t i = 0; i < ARRAY_SIZE(below); i++) {
		const char *arch = strstr(below[i], "%s");
		autofree char *root =
			arch ? xasprintf("%s%.*s%s", dir, (int)(arch - below[i]), below[i], m->arch) : xstrdup(dir);
		autofree char *map = xasprintf("%s/mapfile.csv", root);

		if (access(map, F_OK) == 0) {
			char *found = root;

			root = NULL;
			return found;
		}
	}
	return NULL;
}

static int read_mapped(struct file_reading *r, const char *root, struct event_map *m, struct err *e)
{
	autofree char *path = xasprintf("%s/mapfile.csv", root);
	autofree char *text = file_read(path, MAP_BYTES_MAX, NULL, e);

	if (!text)
		return -1;
	if (event_map_parse(m, text, e) < 0)
		return err_in(e, "cannot read '%s'", path);
	if (!m->rows.len) {
		err_set(e, "'%s' has no events for this CPU", path);
		err_why(e, *m->id ? "its id is %s" : "its id is unknown%s", m->id);
		return err_try(e, "the directory of one model alone, without mapfile.csv");
	}
	for (size_t i = 0; i < m->rows.len; i++)
		if (read_row(r, root, &m->rows.items[i], e) < 0)
			return -1;
	return 0;
}

static int read_all(struct file_reading *r, const char *dir, struct err *e)
{
	struct event_map m = { 0 };
	autofree char *root = NULL;
	int result;

	event_map_identify(&m);
	root = find_root(dir, &m);
	result = root ? read_mapped(r, root, &m, e) : read_directory(r, r->into, dir, NULL, e);
	if (!root && result == 0) {
		err_set(e, "there are no event files in '%s'", dir);
		err_why(e, "it has neither mapfile.csv nor *.json");
		err_try(e, "the top of Intel's perfmon repository, or pmu-events/arch of the sources of perf");
		result = -1;
	}
	event_map_release(&m);
	return result < 0 ? -1 : 0;
}

static int by_name(const void *a, const void *b)
{
	const struct vendor_event *x = a, *y = b;
	int order = strcasecmp(x->name, y->name);

	return order ? order : x->order < y->order ? -1 : 1;
}

int event_files_load(const char *dir, struct err *e)
{
	size_t n_events = files.events.len, n_metrics = files.metrics.len;
	struct file_reading r = { .into = &files };
	int result = read_all(&r, dir, e);

	release(&r.common);
	vec_free(&r.done);
	if (result < 0) {
		files.events.len = n_events;
		files.metrics.len = n_metrics;
		return err_exit(e, EXIT_BAD_USAGE);
	}
	for (size_t i = n_events; i < files.events.len; i++)
		files.events.items[i].order = i;
	if (files.events.len)
		qsort(files.events.items, files.events.len, sizeof(*files.events.items), by_name);
	return 0;
}
