/*
 * The possible values of options: kinds of values, and which kind the name of a value in help
 * means.
 */
#include "cmd/completion/completion.h"

#include <dirent.h>
#include <pwd.h>
#include <sys/utsname.h>

#include "base/file.h"
#include "events/events.h"
#include "probe/tracefs.h"
#include "record/tracefs/settings.h"
#include "report/import/import.h"
#include "report/rows/keys.h"
#include "report/script/print.h"
#include "report/stacks/export.h"
#include "stat/metrics.h"
#include "symbols/symbols.h"

enum { CGROUP_DEPTH = 4, WORDS_MAX = 20000 };

void candidate_add(struct candidates *c, const char *word, const char *about)
{
	if (c->v.len < WORDS_MAX)
		vec_push(&c->v, ((struct candidate){ arena_strdup(&c->arena, word),
						     about ? arena_strdup(&c->arena, about) : NULL }));
}

/* ---- the kinds ---- */

static void add_commands(struct candidates *c)
{
	for (const struct command *const *k = commands; *k; k++)
		candidate_add(c, (*k)->name, (*k)->summary);
}

static void add_events_of(struct candidates *c, unsigned kinds)
{
	struct event_catalogue all = { 0 };
	struct err e = { 0 };

	event_catalogue_read(&all, kinds, &e); /* leaves out tracepoints if they cannot be read */
	for (size_t i = 0; i < all.events.len; i++) {
		const struct listed_event *event = &all.events.items[i];

		candidate_add(c, event->name, event_kind_name(event->kind));
		if (event->alias)
			candidate_add(c, event->alias, event_kind_name(event->kind));
	}
	event_catalogue_release(&all);
}

static void add_events(struct candidates *c)
{
	add_events_of(c, ((1 << KIND_COUNT) - 1) & ~(1 << KIND_RAW | 1 << KIND_BREAKPOINT | 1 << KIND_SDT));
}

static void add_pfm_events(struct candidates *c) { add_events_of(c, 1 << KIND_VENDOR); }

static void add_pmus(struct candidates *c)
{
	struct pmu_list l = { 0 };

	pmu_list_read(&l);
	for (size_t i = 0; i < l.pmus.len; i++)
		candidate_add(c, l.pmus.items[i].name, NULL);
	pmu_list_release(&l);
}

static void add_probes(struct candidates *c)
{
	struct trace_probes l = { 0 };
	struct err e = { 0 };

	if (trace_probes_read(&l, &e) == 0)
		for (size_t i = 0; i < l.v.len; i++) {
			const struct trace_probe *p = &l.v.items[i];

			candidate_add(c, arena_printf(&c->arena, "%s:%s", p->group, p->event),
				      p->path ? p->path : p->symbol);
		}
	trace_probes_release(&l);
}

/* Sums can only be columns. */
static void add_keys_of(struct candidates *c, bool sums)
{
	autofree const struct key **keys = keys_all();

	for (size_t i = 0; keys[i]; i++)
		if (sums || keys[i]->from != KEY_SUM)
			candidate_add(c, keys[i]->name, keys[i]->title);
}

static void add_sort_keys(struct candidates *c) { add_keys_of(c, false); }

static void add_columns(struct candidates *c) { add_keys_of(c, true); }

/* Add each word of `list` once; `between` has the separators. */
static void add_split(struct candidates *c, const char *list, const char *between, const char *about)
{
	autofree char *copy = xstrdup(list);
	char *save = NULL;

	for (char *word = strtok_r(copy, between, &save); word; word = strtok_r(NULL, between, &save)) {
		bool there = false;

		for (size_t i = 0; i < c->v.len && !there; i++)
			there = !strcmp(c->v.items[i].word, word);
		if (!there)
			candidate_add(c, word, about);
	}
}

static void add_script_fields(struct candidates *c)
{
	struct out names;

	out_init_mem(&names);
	print_fields_names(&names);
	add_split(c, out_text(&names), ",", NULL);
	out_release(&names);
}

static void add_metrics(struct candidates *c)
{
	for (const struct metric_row *row = metric_rows; row->name; row++)
		if (metric_available(row)) {
			add_split(c, row->name, "", row->about);
			if (row->groups)
				add_split(c, row->groups, ";", "metric group");
		}
}

static bool is_number(const char *name) { return *name && !name[strspn(name, "0123456789")]; }

static void add_tasks(struct candidates *c, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (is_number(entry->d_name)) {
			char comm[64] = "";
			autofree char *path = xasprintf("%s/%s/comm", dir, entry->d_name);

			if (file_read_line(path, comm, sizeof(comm)) >= 0)
				candidate_add(c, entry->d_name, comm);
		}
	if (d)
		closedir(d);
}

static void add_pids(struct candidates *c) { add_tasks(c, "/proc"); }

static void add_tids(struct candidates *c)
{
	struct candidates pids = { 0 };

	add_tasks(&pids, "/proc");
	for (size_t i = 0; i < pids.v.len; i++) {
		autofree char *dir = xasprintf("/proc/%s/task", pids.v.items[i].word);

		add_tasks(c, dir);
	}
	vec_free(&pids.v);
	arena_release(&pids.arena);
}

static void add_users(struct candidates *c)
{
	struct passwd *user;

	setpwent();
	while ((user = getpwent()))
		candidate_add(c, user->pw_name, NULL);
	endpwent();
}

static void add_cpus(struct candidates *c)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	for (long i = 0; i < n; i++)
		candidate_add(c, arena_printf(&c->arena, "%ld", i), NULL);
}

static void add_modules(struct candidates *c)
{
	autofree char *text = file_read("/proc/modules", 16 << 20, NULL, NULL);
	char *save = NULL;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		line[strcspn(line, " ")] = 0;
		candidate_add(c, line, NULL);
	}
}

/*
 * Add the functions that ftrace can trace. There are tens of thousands, but only those that begin
 * with the typed part are printed.
 */
static void add_functions(struct candidates *c)
{
	struct out o;
	char *save = NULL;

	out_init_mem(&o);
	if (ftrace_functions_print(NULL, &o, NULL) == 0)
		for (char *line = strtok_r((char *)out_text(&o), "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save)) {
			char *blank = strchr(line, ' ');

			if (blank)
				*blank = '\0';
			candidate_add(c, line, blank ? blank + 1 : NULL);
		}
	out_release(&o);
}

static void add_registers(struct candidates *c)
{
	struct utsname uts;

	if (uname(&uts) < 0)
		return;
	for (unsigned bit = 0; bit < 64; bit++)
		if (arch_reg_name(uts.machine, bit))
			candidate_add(c, arch_reg_name(uts.machine, bit), NULL);
}

/* Add the control groups below `dir`, named by their path below the mount point `root`. */
static void add_cgroups_below(struct candidates *c, const char *dir, size_t root, int depth)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.') {
			autofree char *path = xasprintf("%s/%s", dir, entry->d_name);

			candidate_add(c, path + root, NULL);
			if (depth > 1)
				add_cgroups_below(c, path, root, depth - 1);
		}
	if (d)
		closedir(d);
}

static void add_cgroups(struct candidates *c)
{
	static const char *const mounts[] = { "/sys/fs/cgroup/perf_event",
					      "/sys/fs/cgroup" }; /* of version 1, of version 2 */

	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++)
		if (!access(mounts[i], R_OK)) {
			add_cgroups_below(c, mounts[i], strlen(mounts[i]) + 1, CGROUP_DEPTH);
			return;
		}
}

static void add_settings(struct candidates *c)
{
	for (const char *const *name = setting_names; *name; name++)
		candidate_add(c, *name, NULL);
}

static void add_exporters(struct candidates *c)
{
	for (const struct exporter *x = exporters; x->name; x++)
		candidate_add(c, x->name, x->summary);
}

static void add_importers(struct candidates *c)
{
	for (const struct importer *i = importers; i->name; i++)
		candidate_add(c, i->name, i->summary);
}

static void add_features(struct candidates *c)
{
	for (const struct build_feature *f = build_features; f->name; f++)
		candidate_add(c, f->name, f->macro);
}

/* The meaning of "@NAME" in a spec: a function that adds words, or names that the shell completes. */
static const struct {
	const char *name;
	void (*add)(struct candidates *c);
	enum complete by_shell;
} kinds[] = {
	{ "cgroup", add_cgroups, 0 },
	{ "column", add_columns, 0 },
	{ "command", add_commands, 0 },
	{ "cpu", add_cpus, 0 },
	{ "directory", NULL, COMPLETE_DIRECTORY },
	{ "event", add_events, 0 },
	{ "exporter", add_exporters, 0 },
	{ "feature", add_features, 0 },
	{ "file", NULL, COMPLETE_FILE },
	{ "function", add_functions, 0 },
	{ "importer", add_importers, 0 },
	{ "metric", add_metrics, 0 },
	{ "module", add_modules, 0 },
	{ "pfm-event", add_pfm_events, 0 },
	{ "pid", add_pids, 0 },
	{ "pmu", add_pmus, 0 },
	{ "probe", add_probes, 0 },
	{ "program", NULL, COMPLETE_PROGRAM },
	{ "register", add_registers, 0 },
	{ "script-field", add_script_fields, 0 },
	{ "setting", add_settings, 0 },
	{ "sort-key", add_sort_keys, 0 },
	{ "tid", add_tids, 0 },
	{ "user", add_users, 0 },
};

void values_kinds(struct out *o)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		out_fmt(o, " %s", kinds[i].name);
}

/* Return what the shell must complete. */
static enum complete add_kind(const char *name, struct candidates *c, bool *known)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name)) {
			*known = true;
			if (kinds[i].add)
				kinds[i].add(c);
			return kinds[i].by_shell;
		}
	return COMPLETE_NOTHING;
}

bool values_are_list(const char *spec) { return spec && spec[0] == ','; }

enum complete values_find(const char *spec, struct candidates *c)
{
	autofree char *copy = xstrdup(spec + values_are_list(spec));
	enum complete by_shell = COMPLETE_NOTHING;
	bool known = false;
	char *save = NULL;

	for (char *word = strtok_r(copy, " |", &save); word; word = strtok_r(NULL, " |", &save)) {
		if (word[0] == '@') {
			enum complete more = add_kind(word + 1, c, &known);

			by_shell = MAX(by_shell, more);
		} else {
			candidate_add(c, word, NULL);
			known = true;
		}
	}
	if (by_shell)
		return by_shell;
	return known ? COMPLETE_WORDS : COMPLETE_NOTHING;
}

/* ---- names of values ---- */

const char values_unknown[] = "?";

/*
 * What the name of a value means, for rows without `values` of their own, except names like
 * "node|cpu". NULL: numbers and texts that only the user knows. A new name needs a row here, or its
 * options need a spec: tests/e2e/completion.sh checks this.
 */
static const struct {
	const char *arg, *values;
} args[] = {
	{ "[group:]event", "@probe" },
	{ "[lang:]file", "@file" },
	{ "[program ]definition", NULL },
	{ "bytes", NULL },
	{ "command", "@program" },
	{ "cpu", ",@cpu" },
	{ "cpu,...", ",@cpu" },
	{ "cpus", ",@cpu" },
	{ "definition", NULL },
	{ "dir", "@directory" },
	{ "dir[,layout]", "@directory" },
	{ "dso,...", NULL },
	{ "event", ",@event" },
	{ "fd", NULL },
	{ "fd:ctl[,ack] or fifo:ctl[,ack]", "fd: fifo:" },
	{ "fifo:ctl[,ack]", "fifo:" },
	{ "file", "@file" },
	{ "files", ",@file" },
	{ "filter", NULL },
	{ "key,...", ",@sort-key" },
	{ "kind", NULL },
	{ "level", NULL },
	{ "list", NULL },
	{ "metric,...", ",@metric" },
	{ "ms", NULL },
	{ "seconds", NULL },
	{ "n", NULL },
	{ "name", NULL },
	{ "name,...", NULL },
	{ "names", NULL },
	{ "object,...", NULL },
	{ "opts", NULL },
	{ "pages[,pages]", NULL },
	{ "path", "@program" },
	{ "percent", NULL },
	{ "pid", ",@pid" },
	{ "pid,...", ",@pid" },
	{ "pids", ",@pid" },
	{ "pixels", NULL },
	{ "place", NULL },
	{ "pmu", "@pmu" },
	{ "prefix", NULL },
	{ "priority", NULL },
	{ "range", NULL },
	{ "ranges", NULL },
	{ "regex", NULL },
	{ "registers", ",@register" },
	{ "separator", NULL },
	{ "size", NULL },
	{ "symbol", NULL },
	{ "symbol,...", NULL },
	{ "text", NULL },
	{ "tid", ",@tid" },
	{ "tid,...", ",@tid" },
	{ "tids", ",@tid" },
	{ "time", NULL },
	{ "url", NULL },
	{ "urls", NULL },
	{ "user", "@user" },
	{ "width,...", NULL },
};

/* Return true for a name like "node|cpu", which lists the values itself. */
static bool is_choice(const char *arg)
{
	return strchr(arg, '|') && !arg[strspn(arg, "abcdefghijklmnopqrstuvwxyz-_|")];
}

const char *option_values(const struct opt *o)
{
	if (o->values || !o->arg)
		return o->values;
	if (is_choice(o->arg))
		return o->arg;
	for (size_t i = 0; i < ARRAY_SIZE(args); i++)
		if (!strcmp(args[i].arg, o->arg))
			return args[i].values;
	return values_unknown;
}
