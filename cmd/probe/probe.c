#include "cmd/probe/probe_priv.h"
#include "cmd/shared/options.h"

#include <errno.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include "probe/temporary.h"

#define AT(member) offsetof(struct probe_cmd, member)

/* The option may have the following word as its value, as in perf, or stand alone. */
static int set_list(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct probe_cmd *c = opts;

	c->action = PROBE_LIST;
	c->pattern = value;
	return 0;
}

static int set_funcs(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct probe_cmd *c = opts;

	c->action = PROBE_FUNCS;
	c->pattern = value;
	return 0;
}

static int set_lines(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct probe_cmd *c = opts;

	c->action = PROBE_LINES;
	c->pattern = value;
	return 0;
}

static int set_vars(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct probe_cmd *c = opts;

	c->action = PROBE_VARS;
	c->pattern = value;
	return 0;
}

static int set_prune(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	((struct probe_cmd *)opts)->action = PROBE_PRUNE;
	return 0;
}

/* Definitions keep their order, whichever option adds them. */
static int add_def(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct probe_cmd *c = opts;

	if (opt->short_name == 'D') {
		if (c->defs.len && c->action != PROBE_DEFINITION)
			return err_exit(e, EXIT_BAD_USAGE),
			       err_set(e, "  Error: switch `D' cannot be used with switch `a'");
		c->action = PROBE_DEFINITION;
	}
	vec_push(&c->defs, value);
	return 0;
}

static int add_del(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct probe_cmd *c = opts;

	vec_push(&c->dels, value);
	return 0;
}

static const struct opt probe_options[] = {
	{ 'a', "add", OPT_CALL, 0, "definition",
	  "add a probe: [EVENT=]FUNC[@SRC][+OFF|%return|:LINE|;PATTERN] [ARG...]", OPT_NONEG, add_def },
	{ 'd', "del", OPT_CALL, 0, "[group:]event", "delete the probes of these names (globs)", OPT_NONEG, add_del },
	{ 'l', "list", OPT_CALL_LAST, 0, "[group:]event", "list the defined probes", OPT_NONEG, set_list },
	{ 'D', "definition", OPT_CALL, 0, "definition", "print the definitions for the kernel", OPT_NONEG, add_def },
	{ 'L', "line", OPT_CALL, 0, "range", "show source lines and which of them can be probed: FUNC[:N-M], SRC[:N-M]",
	  OPT_NONEG, set_lines },
	{ 'V', "vars", OPT_CALL, 0, "place", "show the variables that can be fetched at a place", OPT_NONEG, set_vars },
	{ 'F', "funcs", OPT_CALL_LAST, 0, "filter", "list the functions that can be probed", OPT_NONEG, set_funcs },
	{ 'x', "exec", OPT_STR, AT(exec), "file", "probe this program or library" },
	{ 'm', "module", OPT_STR, AT(module), "name", "probe this module of the kernel (name or path)",
	  .values = "@module" },
	{ 'k', "vmlinux", OPT_STR, AT(vmlinux), "file", "kernel image with debug information" },
	{ 's', "source", OPT_STR, AT(source), "dir", "look for source files here" },
	{ 'f', "force", OPT_BOOL, AT(force), NULL, "add a probe under another name if its name is in use" },
	{ 'n', "dry-run", OPT_BOOL, AT(dry_run), NULL, "do everything except writing" },
	{ 0, "quiet", OPT_INCLUDE, AT(quiet), NULL, "print only errors", .rows = usual_options },
	{ 0, "verbose", OPT_INCLUDE, AT(verbose), NULL, "say what is done", .rows = usual_options },
	{ 0, "externs", OPT_BOOL, AT(externs), NULL, "with -V: also variables outside of functions" },
	{ 0, "range", OPT_BOOL, AT(range), NULL, "with -V: where each variable lives" },
	{ 0, "no-inlines", OPT_BOOL, AT(no_inlines), NULL, "do not probe inlined copies" },
	{ 0, "filter", OPT_STR, AT(filter), "filter", "with -V and -F: globs with ! & | ( )" },
	{ 0, "max-probes", OPT_U64, AT(max_probes), "n", "largest number of places for one definition (128)" },
	{ 0, "symfs", OPT_STR, AT(symfs), "dir", "look for files below this directory" },
	{ 0, "target-ns", OPT_INT, AT(target_ns), "pid", "look up the file of -x as this process sees it" },
	{ 0, "demangle-kernel", OPT_BOOL, AT(demangle_kernel), NULL,
	  "with -F: names of the kernel's Rust as in the source" },
	{ 0, "bootconfig", OPT_BOOL, AT(bootconfig), NULL,
	  "with -D: print kernel probes in the form of the boot configuration" },
	{ 0, "cache", OPT_BOOL, AT(cache), NULL,
	  "keep added probes in the build-id cache, and use cached ones; with -l and -d: act on cached probes" },
	{ 0, "prune", OPT_CALL_FLAG, 0, NULL, "remove what killed recordings left behind (with -n: list it)",
	  OPT_NONEG | OPT_OURS, set_prune },
	{ 0, "demangle", OPT_BOOL, AT(demangle), NULL, "with -F: names of C++ and Rust as in the source (default)" },
	{ 0 },
};

/* ---- errors ---- */

static void part(struct out *o, const char *head, const char *text)
{
	const char *end;

	for (bool first = true; text && *text; text = end && *end ? end + 1 : NULL, first = false) {
		end = strchrnul(text, '\n');
		out_str(o, first || !*head ? head : "       ");
		out_name_len(o, text, (size_t)(end - text));
		out_char(o, '\n');
	}
}

/*
 * Print the error in its own words, which equal perf's where perf has some; then perf's line about
 * the command, and end the program.
 */
int probe_failed(struct err *e, const char *what)
{
	struct out o;
	int code = e->exit_code;

	out_init_fd(&o, STDERR_FILENO);
	part(&o, "", e->what);
	part(&o, "  why: ", e->why);
	part(&o, "  try: ", e->fix);
	out_flush(&o);
	out_release(&o);
	err_clear(e);
	err_set(e, "  Error: %s", what);
	return err_exit(e, code);
}

/* ---- adding ---- */

/* Print several lines: say() takes one. */
static void say_lines(const char *text)
{
	for (const char *end; text; text = *end ? end + 1 : NULL) {
		end = strchrnul(text, '\n');
		say("%.*s", (int)(end - text), text);
	}
}

static void say_notes(struct probe_events *l)
{
	for (size_t i = 0; i < l->notes.len; i++)
		say_lines(l->notes.items[i]);
	vec_clear(&l->notes);
}

static void probe_show_added(const struct probe_events *l)
{
	const struct trace_probe *last = l->v.len ? &l->v.items[l->v.len - 1].trace : NULL;

	if (!last)
		return;
	say("Added new event%s", l->v.len > 1 ? "s:" : ":");
	for (size_t i = 0; i < l->v.len; i++) {
		const struct trace_probe *t = &l->v.items[i].trace;
		autofree char *name = xasprintf("%s:%s", t->group, t->event);

		say("  %-20s (on %s)", name, l->v.items[i].shown);
	}
	say("%s", "");
	say("You can now use it in all %s tools, such as:", tool_name());
	say("%s", "");
	if (verbosity() >= 0) /* say() would escape the tab */
		fprintf(stderr, "\t%s record -e %s:%s -aR sleep 1\n\n", tool_name(), last->group, last->event);
}

/* -v: print where things were looked up, and the result. */
static void say_source(struct prober *p)
{
	struct debug *d = prober_debug(p);

	if (d && debug_has_dwarf(d))
		say_verbose(1, "Open Debuginfo file: %s", prober_path(p));
	else if (d)
		say_verbose(1, "No debug information for %s: its symbols are used", prober_path(p));
	else
		say_verbose(1, "No image of the kernel: kallsyms and BTF are used");
}

static void say_found(const struct probe_events *l, size_t from)
{
	for (size_t i = from; i < l->v.len; i++) {
		const struct trace_probe *t = &l->v.items[i].trace;

		if (t->path || !t->symbol)
			say_verbose(1, "Probe point found: %s:0x%llx", t->path ? t->path : "kernel",
				    (unsigned long long)t->offset);
		else
			say_verbose(1, "Probe point found: %s+%llu", t->symbol, (unsigned long long)t->offset);
		for (size_t k = 0; k < t->args.len; k++)
			say_verbose(1, "Converting variable %s into trace event: %s", t->args.items[k].name,
				    t->args.items[k].fetch);
	}
	say_verbose(1, "Found %zu probe_trace_events.", l->v.len - from);
}

int probe_find_all(const struct prober_opts *opts, const char *const *defs, size_t n, struct probe_events *events,
		   struct err *e)
{
	struct prober *p = NULL;
	struct arena arena = { 0 };
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		struct probe_spec spec;

		rc = probe_spec_parse(&spec, defs[i], &arena, e);
		if (!rc && !p && !(p = prober_open(opts, e)))
			rc = -1;
		if (!rc) {
			size_t before = events->v.len;

			say_verbose(1, "probe-definition(%zu): %s", i, defs[i]);
			if (verbosity() >= 1)
				say_source(p);
			rc = prober_find(p, &spec, events, e);
			if (!rc)
				say_found(events, before);
		}
		probe_spec_release(&spec);
		say_notes(events);
	}
	/* the texts that events refer to are copied; given names are not */
	for (size_t i = 0; i < events->v.len; i++) {
		struct trace_probe *t = &events->v.items[i].trace;

		t->group = arena_strdup(&events->arena, t->group);
		t->event = arena_strdup(&events->arena, t->event);
		t->symbol = t->symbol ? arena_strdup(&events->arena, t->symbol) : NULL;
		t->module = t->module ? arena_strdup(&events->arena, t->module) : NULL;
		for (size_t j = 0; j < t->args.len; j++) {
			t->args.items[j].name = arena_strdup(&events->arena, t->args.items[j].name);
			t->args.items[j].fetch = arena_strdup(&events->arena, t->args.items[j].fetch);
		}
	}
	arena_release(&arena);
	prober_close(p);
	return rc;
}

/*
 * Use the cache for each definition that it knows. starts[i]: the first event of definition i, with
 * the end as the last element.
 */
static int find_with_cache(const struct probe_cmd *c, struct probe_events *events, size_t *starts, struct err *e)
{
	struct prober_opts opts = probe_prober_opts(c);
	int rc = 0;

	for (size_t i = 0; i < c->defs.len && !rc; i++) {
		bool known;

		starts[i] = events->v.len;
		rc = probe_cached_find(c, c->defs.items[i], events, &known, e);
		if (!rc && !known)
			rc = probe_find_all(&opts, &c->defs.items[i], 1, events, e);
	}
	starts[c->defs.len] = events->v.len;
	return rc;
}

static int keep(const struct probe_cmd *c, const struct probe_events *events, const size_t *starts, struct err *e)
{
	for (size_t i = 0; i < c->defs.len; i++)
		if (probe_cached_keep(c, c->defs.items[i], events, starts[i], starts[i + 1], e) < 0)
			return -1;
	return 0;
}

static int add(const struct probe_cmd *c, struct err *e)
{
	struct prober_opts opts = probe_prober_opts(c);
	struct probe_events events = { 0 };
	struct trace_probes taken = { 0 };
	autofree size_t *starts = xcalloc(c->defs.len + 1, sizeof(*starts));
	int rc = c->cache ? find_with_cache(c, &events, starts, e)
			  : probe_find_all(&opts, c->defs.items, c->defs.len, &events, e);

	if (!rc && trace_probes_read(&taken, c->dry_run ? NULL : e) < 0 && !c->dry_run)
		rc = -1;
	if (!rc)
		rc = probe_events_name(&events, &taken, c->force, e);
	for (size_t i = 0; i < events.v.len && !rc; i++) {
		autofree char *line = trace_probe_format(&events.v.items[i].trace);

		say_verbose(1, "Writing event: %s", line);
	}
	if (!rc && !c->dry_run)
		rc = probe_events_add(&events, e);
	if (!rc)
		probe_show_added(&events);
	if (!rc && c->cache && !c->dry_run)
		rc = keep(c, &events, starts, e);
	trace_probes_release(&taken);
	probe_events_release(&events);
	return rc ? probe_failed(e, "Failed to add events.") : 0;
}

/*
 * Source: Documentation/trace/boottime-trace.rst of the kernel, "Kprobe events": the value is a
 * definition without its name.
 */
static void print_bootconfig(const struct trace_probe *t, const char *line, struct out *o)
{
	const char *place = strchr(line, ' ') + 1, *args = place + strcspn(place, " ");

	out_fmt(o, "ftrace.event.kprobes.%s.probes = '%.*s%s%s'\n", t->event, (int)(args - place), place,
		t->is_return ? "%return" : "", args);
}

static int show_definitions(const struct probe_cmd *c, struct err *e)
{
	struct prober_opts opts = probe_prober_opts(c);
	struct probe_events events = { 0 };
	struct out o;
	int rc = probe_find_all(&opts, c->defs.items, c->defs.len, &events, e);

	if (!rc)
		rc = probe_events_name(&events, NULL, true, e);
	out_init_fd(&o, STDOUT_FILENO);
	for (size_t i = 0; i < events.v.len && !rc; i++) {
		autofree char *line = trace_probe_format(&events.v.items[i].trace);

		if (c->bootconfig && events.v.items[i].trace.path) {
			err_set(e, "'%s' cannot be a boot-time probe", events.v.items[i].trace.event);
			err_why(e, "programs do not run yet when the kernel starts");
			err_try(e, "a probe of the kernel (without -x)");
			rc = err_exit(e, EXIT_INVALID);
		} else if (c->bootconfig) {
			print_bootconfig(&events.v.items[i].trace, line, &o);
		} else {
			out_name(&o, line);
			out_char(&o, '\n');
		}
	}
	probe_events_release(&events);
	if (rc) {
		out_release(&o);
		return probe_failed(e, "Failed to add events.");
	}
	return out_finish(&o, e);
}

/* ---- deleting ---- */

/* "[GROUP:]EVENT", each part a glob. */
bool probe_name_matches(const struct trace_probe *p, const char *pattern)
{
	const char *colon = strchr(pattern, ':');
	autofree char *group = colon ? xstrndup(pattern, (size_t)(colon - pattern)) : xstrdup("*");

	return !fnmatch(group, p->group, 0) && !fnmatch(colon ? colon + 1 : pattern, p->event, 0);
}

static bool deleted_before(const struct trace_probes *l, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (!strcmp(l->v.items[i].group, l->v.items[j].group) &&
		    !strcmp(l->v.items[i].event, l->v.items[j].event))
			return true;
	return false;
}

static int del(const struct probe_cmd *c, struct err *e)
{
	struct trace_probes l = { 0 };
	int rc = trace_probes_read(&l, e);

	for (size_t d = 0; d < c->dels.len && !rc; d++) {
		size_t hits = 0;

		for (size_t i = 0; i < l.v.len && !rc; i++) {
			const struct trace_probe *t = &l.v.items[i];

			if (!probe_name_matches(t, c->dels.items[d]) || deleted_before(&l, i))
				continue;
			hits++;
			if (!c->dry_run)
				rc = trace_probe_remove(t->group, t->event, t->path != NULL, e);
			if (!rc)
				say("Removed event: %s:%s", t->group, t->event);
		}
		if (!hits && !rc) {
			err_set(e, "\"%s\" does not hit any event.", c->dels.items[d]);
			err_try(e, "'%s probe -l' lists what there is", tool_name());
			rc = err_exit(e, EXIT_NOT_FOUND);
		}
	}
	trace_probes_release(&l);
	return rc ? probe_failed(e, "Failed to delete events.") : 0;
}

static int prune(const struct probe_cmd *c, struct err *e)
{
	struct leftovers found = { 0 };
	struct arena arena = { 0 };
	int rc = temporary_prune(c->dry_run, &found, &arena, e);

	for (size_t i = 0; i < found.len; i++)
		say("%s event: %s", c->dry_run ? "Leftover" : "Removed", found.items[i]);
	if (!rc && !found.len)
		say("No recording left a probe behind.");
	vec_free(&found);
	arena_release(&arena);
	return rc ? probe_failed(e, "Failed to delete events.") : 0;
}

/* ---- the command ---- */

struct prober_opts probe_prober_opts(const struct probe_cmd *c)
{
	return (struct prober_opts){ .exec = c->exec,
				     .module = c->module,
				     .vmlinux = c->vmlinux,
				     .source = c->source,
				     .symfs = c->symfs,
				     .target_ns = c->target_ns,
				     .no_inlines = c->no_inlines,
				     .show_only = c->action != PROBE_ADD || c->dry_run,
				     .max_probes = (unsigned)MIN(c->max_probes, (uint64_t)1 << 20) };
}

static int usage_error(struct err *e, const char *text, const char *instead)
{
	err_set(e, "  Error: %s", text);
	err_try(e, "%s probe %s", tool_name(), instead);
	return err_exit(e, EXIT_BAD_USAGE);
}

static int check_source(const char *dir, struct err *e)
{
	struct stat st;

	if (!dir || (!stat(dir, &st) && S_ISDIR(st.st_mode)))
		return 0;
	if (stat(dir, &st) < 0)
		err_sys(e, "--source: cannot use the directory '%s'", dir);
	else
		err_set(e, "--source: '%s' is no directory", dir);
	return err_exit(e, EXIT_NOT_FOUND);
}

static int check(const struct probe_cmd *c, struct err *e)
{
	if (check_source(c->source, e) < 0)
		return -1;
	if (c->exec && c->module)
		return usage_error(e, "switch `m' cannot be used with switch `x'", "-x FILE, or -m MODULE");
	if (c->exec && c->vmlinux)
		return usage_error(e, "switch `k' cannot be used with switch `x'", "-x FILE, or -k FILE");
	if (c->action == PROBE_LIST && (c->exec || c->module))
		return usage_error(e, c->exec ? "Don't use --list with --exec." : "Don't use --list with --module.",
				   "-l, which lists those of all files");
	if (c->defs.len && c->action != PROBE_ADD && c->action != PROBE_DEFINITION)
		return usage_error(e, "a definition cannot be used with -l, -L, -V and -F",
				   "DEFINITION, or with one of them");
	if (c->action == PROBE_ADD && !c->defs.len && !c->dels.len)
		return usage_error(
			e, "nothing to do",
			"FUNCTION adds a probe, -l lists, -d removes them, -F shows the functions there are");
	return 0;
}

/*
 * The words that are not options: an absolute path at the start is the program; the rest is one
 * definition.
 */
static void take_words(struct probe_cmd *c, int argc, char **argv)
{
	char *text = NULL;

	if (argc && argv[0][0] == '/' && !c->exec) {
		c->exec = argv[0];
		argc--, argv++;
	}
	if (argc && c->action != PROBE_ADD && c->action != PROBE_DEFINITION && !c->pattern && !c->defs.len) {
		c->pattern = argv[0];
		argc--, argv++;
	}
	if (c->dels.len && !c->defs.len && c->action == PROBE_ADD) { /* more names to delete */
		for (int i = 0; i < argc; i++)
			vec_push(&c->dels, argv[i]);
		return;
	}
	for (int i = 0; i < argc; i++) {
		char *more = xasprintf("%s%s%s", text ? text : "", text ? " " : "", argv[i]);

		free(text);
		text = more;
	}
	if (text) {
		c->words = text;
		vec_push(&c->defs, text);
	}
}

static int run(const struct probe_cmd *c, struct err *e)
{
	int rc = 0;

	switch (c->action) {
	case PROBE_LIST: return c->cache ? probe_cached_list(c, e) : probe_list(c, e);
	case PROBE_FUNCS: return probe_funcs(c, e);
	case PROBE_LINES: return probe_lines(c, e);
	case PROBE_VARS: return probe_vars(c, e);
	case PROBE_PRUNE: return prune(c, e);
	case PROBE_DEFINITION: return show_definitions(c, e);
	default:
		if (c->dels.len)
			rc = c->cache ? probe_cached_delete(c, e) : del(c, e);
		return rc || !c->defs.len ? rc : add(c, e);
	}
}

static int probe_run(void *options, int argc, char **argv, struct err *e)
{
	struct probe_cmd *c = options;
	int rc;

	set_verbosity(c->quiet ? -1 : MAX(verbosity(), c->verbose));
	take_words(c, argc, argv);
	if (target_ns_check(c->target_ns, e) < 0)
		rc = err_exit(e, EXIT_BAD_USAGE);
	else
		rc = check(c, e) < 0 ? -1 : run(c, e);
	vec_free(&c->defs);
	vec_free(&c->dels);
	free(c->words);
	return rc;
}

static const struct probe_cmd probe_defaults = { .max_probes = 128, .demangle = true };

const struct command cmd_probe = {
	.name = "probe",
	.summary = "define probes in programs and the kernel",
	.run = probe_run,
	.pager = true,
	.usage = (const char *const[]){ "[<options>] 'PROBEDEF' ['PROBEDEF' ...]",
					"[<options>] --add 'PROBEDEF' [--add 'PROBEDEF' ...]",
					"[<options>] --del '[GROUP:]EVENT' ...", "--list [GROUP:]EVENT ...",
					"[<options>] --line 'LINEDESC'", "[<options>] --vars 'PROBEPOINT'",
					"[<options>] --funcs", NULL },
	.options = probe_options,
	.defaults = &probe_defaults,
	.opts_size = sizeof(struct probe_cmd),
};
