#include "record/tracefs/settings.h"

#include <errno.h>
#include <fnmatch.h>

#include "base/file.h"
#include "base/out.h"
#include "events/events.h"

enum { MAX_FUNCTIONS = 64 << 20 };

/* ---- names of functions ---- */

static char *read_functions(struct err *e)
{
	const char *tracefs = tracefs_find(e);
	autofree char *path = tracefs ? xasprintf("%s/available_filter_functions", tracefs) : NULL;
	char *text = path ? file_read(path, MAX_FUNCTIONS, NULL, e) : NULL;

	if (!text && path && e && e->sys == EPERM) {
		err_why(e, "%s: the kernel is locked down, or its security modules forbid it", strerror(EPERM));
		err_try(e, "boot with lockdown=integrity or none; 'list tracepoint' shows what -t nop -e can trace");
	}
	return text;
}

/* Return true if a line of the list is this name; a module may follow after a blank. */
static bool has_function(const char *functions, const char *name, size_t len)
{
	for (const char *at = functions; (at = strstr(at, name)); at++)
		if ((at == functions || at[-1] == '\n') && (at[len] == '\n' || at[len] == ' ' || !at[len]))
			return true;
	return false;
}

char *ftrace_function_alias(const char *functions, const char *name)
{
	/* prefixes that architectures put before sys_NAME, then the function behind it */
	static const char *const prefixes[] = { "__x64_", "__arm64_",   "__s390x_", "__riscv_",
						"__se_",  "__powerpc_", "__do_",    "k" };

	if (strncmp(name, "sys_", 4) && strncmp(name, "SyS_", 4))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		char *alias = xasprintf("%ssys_%s", prefixes[i], name + 4);

		if (has_function(functions, alias, strlen(alias)))
			return alias;
		free(alias);
	}
	return NULL;
}

int ftrace_functions_print(const char *glob, struct out *o, struct err *e)
{
	autofree char *text = read_functions(e);
	char *save = NULL;

	if (!text)
		return -1;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		size_t len = strcspn(line, " ");
		char after = line[len];
		bool wanted;

		line[len] = '\0';
		wanted = !glob || fnmatch(glob, line, 0) == 0;
		line[len] = after;
		if (wanted) {
			out_name(o, line);
			out_char(o, '\n');
		}
	}
	return 0;
}

/* Suggest the names that are nearest to `name`. */
static int no_function(const char *functions, const char *option, const char *name, struct err *e)
{
	VEC(const char *) names = { 0 };
	autofree char *copy = xstrdup(functions ? functions : "");
	char *save = NULL;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		line[strcspn(line, " ")] = '\0';
		vec_push(&names, line);
	}
	vec_push(&names, NULL);
	err_set(e, "%s: no function of the kernel that can be traced is called '%s'", option, name);
	e->why[0] = '\0';
	opt_try_near(e, name, names.items, "ftrace -F");
	vec_free(&names);
	return err_exit(e, EXIT_INVALID);
}

/* ---- filters ---- */

struct filter {
	const char *option, *file;
	const struct opt_list *words;
	bool shared;
};

static int add(struct instance *in, const struct filter *f, const char *word, struct err *e)
{
	return f->shared ? instance_add_shared(in, f->file, word, e) : instance_add(in, f->file, word, e);
}

static int add_filter(struct instance *in, const struct filter *f, const char *word, struct err *e)
{
	autofree char *functions = NULL, *alias = NULL;

	if (add(in, f, word, e) == 0)
		return 0;
	if (e->sys == ENOENT) {
		err_set(e, "this kernel has no filter of functions (%s)", f->file);
		err_try(e, "without %s, or a kernel with CONFIG_DYNAMIC_FTRACE", f->option);
		return err_exit(e, EXIT_UNSUPPORTED);
	}
	if (e->sys != EINVAL && e->sys != ENODEV)
		return -1;
	functions = read_functions(NULL);
	alias = functions ? ftrace_function_alias(functions, word) : NULL;
	if (!alias || add(in, f, alias, e) < 0)
		return no_function(functions, f->option, word, e);
	err_clear(e);
	return 0;
}

/* For an empty filter the kernel prints "#### all functions enabled ####". */
static bool is_empty(const struct instance *in, const struct filter *f)
{
	autofree char *path =
		xasprintf("%s/%s", f->shared && !instance_has(in, f->file) ? in->tracefs : in->dir, f->file);
	char line[64];

	return file_read_line(path, line, sizeof(line)) < 0 || !*line || *line == '#';
}

static int apply_filter(struct instance *in, const struct filter *f, struct err *e)
{
	if (!f->words->len && is_empty(in, f))
		return 0;
	if ((f->shared ? instance_clear_shared : instance_clear)(in, f->file, e) < 0) {
		if (e->sys != ENOENT || f->words->len)
			return -1;
		err_clear(e);
	}
	for (size_t i = 0; i < f->words->len; i++) {
		autofree char *copy = xstrdup(f->words->items[i]);
		char *save = NULL;

		for (char *word = strtok_r(copy, ", ", &save); word; word = strtok_r(NULL, ", ", &save))
			if (add_filter(in, f, word, e) < 0)
				return -1;
	}
	return 0;
}

static int apply_filters(struct instance *in, const struct ftrace_settings *s, struct err *e)
{
	bool graph = !strcmp(s->tracer, "function_graph");
	const struct filter filters[] = {
		{ "-T", "set_ftrace_filter", &s->functions, false },
		{ "-N", "set_ftrace_notrace", &s->not_functions, false },
		{ "-G", "set_graph_function", &s->graph_functions, true },
		{ "-g", "set_graph_notrace", &s->not_graph_functions, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
		if ((graph || !filters[i].shared) && apply_filter(in, &filters[i], e) < 0)
			return -1;
	return 0;
}

/* ---- options ---- */

/* Write only a value that the file does not have yet: an unchanged file needs no restoring. */
static int set_other(struct instance *in, const char *file, const char *value, bool shared, struct err *e)
{
	autofree char *path = xasprintf("%s/%s", shared && !instance_has(in, file) ? in->tracefs : in->dir, file);
	char now[64];

	if (file_read_line(path, now, sizeof(now)) >= 0 && !strcmp(now, value))
		return 0;
	return (shared ? instance_set_shared : instance_set)(in, file, value, e);
}

/*
 * Before 6.18 all instances share the options of a tracer, so restore the options of the top instance even when we
 * wrote only to ours.
 */
static int set_option(struct instance *in, const char *file, const char *value, struct err *e)
{
	autofree char *path = xasprintf("%s/%s", in->dir, file);
	char now[64];

	if (file_read_line(path, now, sizeof(now)) >= 0 && !strcmp(now, value))
		return 0;
	if (instance_save_top(in, file, e) < 0)
		return -1;
	return instance_set(in, file, value, e);
}

struct flag {
	const char *file;
	bool on;
	const char *asked_by; /* the option that needs it; NULL: leave it where the kernel lacks it */
};

static int apply_flag(struct instance *in, const struct flag *f, struct err *e)
{
	autofree char *path = xasprintf("options/%s", f->file);

	if (!instance_has(in, path)) {
		if (!f->asked_by)
			return 0;
		err_set(e, "%s: this kernel cannot do that", f->asked_by);
		err_why(e, "it has no option '%s' of its tracer", f->file);
		return err_exit(e, EXIT_UNSUPPORTED);
	}
	return set_option(in, path, f->on ? "1" : "0", e);
}

static int apply_flags(struct instance *in, const struct ftrace_settings *s, struct err *e)
{
	const struct flag flags[] = {
		{ "function-fork", s->inherit, s->inherit ? "--inherit" : NULL },
		{ "event-fork", s->inherit && s->events.len, NULL },
		{ "func_stack_trace", s->call_graph, s->call_graph ? "--func-opts call-graph" : NULL },
		{ "irq-info", s->irq_info, NULL },
		{ "latency-format", s->verbose, NULL },
		{ "funcgraph-proc", s->verbose, NULL },
		{ "funcgraph-abstime", s->verbose, NULL },
		{ "funcgraph-tail", s->tail, NULL },
		{ "sleep-time", !s->no_sleep_time, s->no_sleep_time ? "--graph-opts nosleep-time" : NULL },
		{ "funcgraph-irqs", !s->no_irqs, s->no_irqs ? "--graph-opts noirqs" : NULL },
		{ "funcgraph-args", s->args, s->args ? "--graph-opts args" : NULL },
		{ "funcgraph-retval", s->retval || s->retval_hex, s->retval ? "--graph-opts retval" : NULL },
		{ "funcgraph-retval-hex", s->retval_hex, s->retval_hex ? "--graph-opts retval-hex" : NULL },
		{ "funcgraph-retaddr", s->retaddr, s->retaddr ? "--graph-opts retaddr" : NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (apply_flag(in, &flags[i], e) < 0)
			return -1;
	return 0;
}

/* ---- the rest ---- */

/* Return the kernel's form: hexadecimal words of 32 CPUs, the highest first. */
static char *cpu_mask(const struct cpuset *cpus)
{
	uint32_t words[65536 / 32] = { 0 };
	struct out o;
	size_t last = 0;
	char *text;

	for (size_t i = 0; i < cpus->len; i++) {
		words[cpus->items[i] / 32] |= 1u << cpus->items[i] % 32;
		last = MAX(last, (size_t)cpus->items[i] / 32);
	}
	out_init_mem(&o);
	for (size_t i = last + 1; i-- > 0;)
		out_fmt(&o, i ? "%08x," : "%08x", words[i]);
	text = xstrdup(out_text(&o));
	out_release(&o);
	return text;
}

static int apply_cpus(struct instance *in, const struct ftrace_settings *s, struct err *e)
{
	autofree char *mask = s->cpus ? cpu_mask(s->cpus) : NULL;

	if (!mask || instance_set(in, "tracing_cpumask", mask, e) == 0)
		return 0;
	return err_try(e, "-C with CPUs of this machine");
}

static int apply_number(struct instance *in, const char *file, uint64_t value, bool shared, struct err *e)
{
	autofree char *text = xasprintf("%llu", (unsigned long long)value);

	if (set_other(in, file, text, shared, e) == 0)
		return 0;
	if (e->sys != ENOENT || value)
		return -1;
	err_clear(e);
	return 0;
}

static int apply_events(struct instance *in, const struct ftrace_settings *s, struct err *e)
{
	for (size_t i = 0; i < s->events.len; i++) {
		autofree char *copy = xstrdup(s->events.items[i]);
		char *save = NULL;

		for (char *word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
			if (instance_add(in, "set_event", word, e) == 0)
				continue;
			if (e->sys == EINVAL) {
				err_set(e, "-e: unknown tracepoint '%s'", word);
				e->why[0] = '\0';
				err_try(e, "'%s list tracepoint' shows them", tool_name());
			}
			return err_exit(e, EXIT_INVALID);
		}
	}
	return 0;
}

int ftrace_settings_apply(struct instance *in, const struct ftrace_settings *s, struct err *e)
{
	bool graph = !strcmp(s->tracer, "function_graph");

	if (apply_cpus(in, s, e) < 0 || apply_flags(in, s, e) < 0 || apply_filters(in, s, e) < 0)
		return -1;
	if (graph && (apply_number(in, "max_graph_depth", s->depth, true, e) < 0 ||
		      apply_number(in, "tracing_thresh", s->threshold_us, true, e) < 0))
		return -1;
	if (s->buffer_bytes &&
	    apply_number(in, "buffer_size_kb", MAX(s->buffer_bytes >> 10, UINT64_C(1)), false, e) < 0)
		return err_try(e, "a smaller -m: this much memory is taken for each CPU");
	if (s->clock && instance_set(in, "trace_clock", s->clock, e) < 0)
		return -1;
	if (apply_events(in, s, e) < 0)
		return -1;
	return strcmp(s->tracer, "nop") ? instance_set(in, "current_tracer", s->tracer, e) : 0;
}

int ftrace_settings_task(struct instance *in, const struct ftrace_settings *s, int32_t tid, struct err *e)
{
	autofree char *text = xasprintf("%d", tid);

	if (strcmp(s->tracer, "nop") && instance_add(in, "set_ftrace_pid", text, e) < 0)
		return -1;
	return s->events.len ? instance_add(in, "set_event_pid", text, e) : 0;
}
