/* strobe trace: the system calls of programs, without stopping them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/utsname.h>

#include "base/config.h"
#include "base/units.h"
#include "cmd/commands.h"
#include "cmd/shared/analysis.h"
#include "cmd/shared/live_input.h"
#include "cmd/shared/options.h"
#include "cmd/trace/in_kernel_priv.h"
#include "cmd/trace/selection_priv.h"
#include "cmd/trace/trace.h"
#include "events/events.h"
#include "report/trace/trace.h"

struct trace_cmd {
	struct record_opts record;
	struct trace_opts show;
	struct opt_list words; /* of -e, --filter */
	const char *added;     /* the setting trace.add_events */
	const char *input, *output, *filter_pids, *faults, *summary_mode, *cgroup, *pages;
	bool summary, with_summary, calls, sched, force, sort_events, refused, kernel_chains;
	bool no_bpf;
	double least_ms;
	int v;
	struct sample_filter tasks, not_tasks; /* with -i */
	enum tri in_kernel;                    /* --bpf-summary; unset: if possible */
	struct in_kernel kernel;
};
#define AT(member) offsetof(struct trace_cmd, member)

/* ---- options ---- */

static int set_event(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct trace_cmd *c = opts;

	vec_push(&c->words, value);
	return 0;
}

static int set_filter(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct trace_cmd *c = opts;

	vec_push(&c->words, selection_is_filter);
	vec_push(&c->words, value);
	return 0;
}

static int set_chain(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct trace_cmd *c = opts;

	c->show.chains = true;
	return record_parse_chain(&c->record, value, e);
}

static int set_delay(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return record_parse_delay(&((struct trace_cmd *)opts)->record, value, e);
}

static int set_in_kernel(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	((struct trace_cmd *)opts)->in_kernel = unset ? TRI_OFF : TRI_ON;
	return 0;
}

static const struct opt trace_options[] = {
	{ 'e', "event", OPT_CALL, 0, "list", "system calls (names, globs, groups; ! excludes) and other events",
	  .call = set_event, .flags = OPT_NONEG },
	{ 0, "expr", OPT_CALL, 0, "list", "the same as --event", .call = set_event, .flags = OPT_NONEG, .values = "" },
	{ 0, "filter", OPT_CALL, 0, "filter", "filter for the events of the previous -e", .call = set_filter,
	  .flags = OPT_NONEG },
	{ 0, "comm", OPT_BOOL, AT(show.comm), NULL, "show names of threads beside their ids (default)" },
	{ 0, "tool_stats", OPT_BOOL, AT(refused), NULL, "-v shows the cost of the recording", OPT_REFUSED },
	{ 0, "output", OPT_INCLUDE, AT(output), .rows = usual_options },
	{ 0, "input", OPT_INCLUDE, AT(input), NULL, "print a recording; '-' reads a pipe", .rows = usual_options },
	{ 0, "pid", OPT_INCLUDE, AT(record.pids), NULL, "trace these processes", .rows = target_options },
	{ 0, "tid", OPT_INCLUDE, AT(record.tids), NULL, "trace these threads", .rows = target_options },
	{ 0, "filter-pids", OPT_STR, AT(filter_pids), "pid,...", "leave out these threads", .values = "" },
	{ 0, "all-cpus", OPT_INCLUDE, AT(record.system_wide), NULL, "trace the whole system", .rows = target_options },
	{ 0, "cpu", OPT_INCLUDE, AT(record.cpus), NULL, "trace these CPUs", .rows = target_options },
	{ OPT_NO_LETTER, "no-inherit", OPT_INCLUDE, AT(record.no_inherit), .rows = target_options },
	{ 0, "mmap-pages", OPT_INCLUDE, AT(pages), .rows = target_options },
	{ 'u', "uid", OPT_STR, AT(record.uid), "user", "trace the threads of this user" },
	{ 'G', "cgroup", OPT_STR, AT(cgroup), "name", "trace this control group (with -a)" },
	{ 0, "show-cpu", OPT_BOOL, AT(show.cpu), NULL, "show the CPU" },
	{ 0, "duration", OPT_DOUBLE, AT(least_ms), "ms", "show calls that took at least this long" },
	{ 0, "sched", OPT_BOOL, AT(sched), NULL, "sum up the run time of threads, for -s" },
	{ 0, "verbose", OPT_INCLUDE, AT(v), .rows = usual_options },
	{ 'T', "time", OPT_BOOL, AT(show.clock), NULL, "show the clock, not the time since the start" },
	{ 0, "failure", OPT_BOOL, AT(show.failed), NULL, "show calls that failed" },
	{ 's', "summary", OPT_BOOL, AT(summary), NULL, "a table for each thread, without lines" },
	{ 'S', "with-summary", OPT_BOOL, AT(with_summary), NULL, "lines, and then the tables" },
	{ 0, "errno-summary", OPT_BOOL, AT(show.errno_sums), NULL, "with -s or -S: count each error" },
	{ 0, "summary-mode", OPT_STR, AT(summary_mode), "mode",
	  "a table for each thread or control group, or one in total", .values = "thread total cgroup" },
	{ 0, "max-summary", OPT_U64, AT(show.max_sums), "n", "rows of each table" },
	{ 0, "histogram", OPT_BOOL, AT(show.histogram), NULL, "with -s or -S: how long calls took, by powers of two",
	  OPT_OURS },
	{ 0, "json", OPT_INCLUDE, AT(show.json), .flags = OPT_OURS, .rows = usual_options },
	{ 'F', "pf", OPT_STR, AT(faults), "kind", "also page faults", .values = "all maj min" },
	{ 0, "syscalls", OPT_BOOL, AT(calls), NULL, "system calls (default); --no-syscalls: only other events" },
	{ 0, NULL, OPT_INCLUDE, AT(force), .rows = force_options },
	{ 0, "call-graph", OPT_CALL, 0, "mode", "call chain of each exit: fp, dwarf, live, lbr", .call = set_chain,
	  .flags = OPT_NONEG, .values = "fp dwarf lbr live" },
	{ 0, "kernel-syscall-graph", OPT_BOOL, AT(kernel_chains), NULL, "also the kernel's part of the chain" },
	{ 0, "libtraceevent_print", OPT_BOOL, AT(show.kernel_print), NULL,
	  "tracepoints as text in the kernel's format" },
	{ 0, "max-events", OPT_U64, AT(show.max_events), "n", "end after this many lines" },
	{ 0, "min-stack", OPT_U64, AT(show.min_stack), "n",
	  "show calls with at least this many functions in the chain" },
	{ 0, "max-stack", OPT_INCLUDE, AT(show.max_stack), NULL, "show at most this many functions of a chain",
	  .rows = chain_options },
	{ 0, "sort-events", OPT_BOOL, AT(sort_events), NULL, "accepted: events are always in time order" },
	{ 0, "print-sample", OPT_BOOL, AT(refused), NULL, "see script -D", OPT_REFUSED },
	{ 0, "proc-map-timeout", OPT_U64, AT(record.maps_timeout_ms), "ms",
	  "time limit for reading the maps of one process" },
	{ 'D', "delay", OPT_CALL, 0, "ms", "start after ms milliseconds; -1: never", .call = set_delay,
	  .flags = OPT_NONEG, .values = "" },
	{ 0, "force-btf", OPT_BOOL, AT(refused), NULL, "tables come first, BTF prints the rest", OPT_REFUSED },
	{ 0, "bpf-summary", OPT_CALL_FLAG, 0, NULL,
	  "with -s: sum up in the kernel, or fail; --no-bpf-summary: sum up events", .call = set_in_kernel },
	{ 0, "switch-on", OPT_STR, AT(show.on), "event", "show only lines after this event", .values = "@event" },
	{ 0, "switch-off", OPT_STR, AT(show.off), "event", "show no more lines after this event", .values = "@event" },
	{ 0, "show-on-off-events", OPT_BOOL, AT(show.show_on_off), NULL, "also show these two events" },
	{ 0 },
};
#undef AT

static const struct trace_cmd trace_defaults = {
	.record = RECORD_DEFAULTS,
	.show = TRACE_DEFAULTS,
	.calls = true,
	.least_ms = -1,
};

/* ---- settings ---- */

static int configure(void *opts, const struct config *settings, struct err *e)
{
	struct trace_cmd *c = opts;
	const struct {
		const char *key;
		bool *to;
	} switches[] = {
		{ "trace.show_timestamp", &c->show.timestamp }, { "trace.show_duration", &c->show.duration },
		{ "trace.show_arg_names", &c->show.arg_names }, { "trace.show_zeros", &c->show.zeros },
		{ "trace.show_prefix", &c->show.prefix },       { "trace.no_inherit", &c->record.no_inherit },
	};
	const char *value;

	for (size_t i = 0; i < ARRAY_SIZE(switches); i++)
		if ((value = config_find(settings, switches[i].key)) && !config_bool(value, switches[i].to))
			return err_set(e, "%s: '%s' is neither true nor false", switches[i].key, value);
	if ((value = config_find(settings, "trace.bpf"))) {
		if (!config_bool(value, &c->no_bpf))
			return err_set(e, "trace.bpf: '%s' is neither true nor false", value);
		c->no_bpf = !c->no_bpf;
	}
	if ((value = config_find(settings, "trace.args_alignment")) && parse_u64(value, &c->show.align, e) < 0)
		return err_in(e, "trace.args_alignment");
	if ((value = config_find(settings, "trace.tracepoint_beautifiers")))
		c->show.kernel_print = !strcmp(value, "libtraceevent");
	if ((value = config_find(settings, "trace.add_events")))
		c->added = value;
	return 0;
}

/* The events of the setting come before those of the options. */
static void put_added_first(struct trace_cmd *c)
{
	vec_push(&c->words, c->added);
	memmove(&c->words.items[1], &c->words.items[0], (c->words.len - 1) * sizeof(*c->words.items));
	c->words.items[0] = c->added;
}

/* ---- what to record ---- */

static int bad(struct err *e, const char *what, const char *try)
{
	err_set(e, "%s", what);
	err_try(e, "%s", try);
	return err_exit(e, EXIT_BAD_USAGE);
}

/* Add "common_pid != N" for each of --filter-pids. */
static int exclude_pids(const struct trace_cmd *c, struct selection *s, struct opt_list *events, struct err *e)
{
	autofree char *copy = c->filter_pids ? xstrdup(c->filter_pids) : NULL;
	char *rest = NULL;
	uint64_t pid;

	for (char *word = copy ? strtok_r(copy, ",", &rest) : NULL; word; word = strtok_r(NULL, ",", &rest)) {
		if (parse_u64(word, &pid, NULL) < 0) {
			err_set(e, "--filter-pids: bad thread id '%s'", word);
			err_try(e, "numbers with commas between them, e.g. --filter-pids 12,34");
			return err_exit(e, EXIT_BAD_USAGE);
		}
		vec_push(events, record_is_filter);
		vec_push(events, arena_printf(&s->arena, "common_pid != %llu", (unsigned long long)pid));
	}
	return 0;
}

static int want_calls(const struct trace_cmd *c, struct selection *s, const struct syscall_names *names,
		      struct opt_list *events, struct err *e)
{
	const char *filter = selection_kernel_filter(s, names);

	vec_push(events, "raw_syscalls:sys_enter,raw_syscalls:sys_exit");
	if (filter) {
		vec_push(events, record_is_filter);
		vec_push(events, filter);
	}
	if (c->record.system_wide || c->record.cpus || c->record.uid)
		vec_push(events, record_is_exclude_self);
	return exclude_pids(c, s, events, e);
}

/* `before`: text before each item; NULL = none. */
static int fault_events(const struct trace_cmd *c, struct opt_list *events, const char *before, struct err *e)
{
	static const struct {
		const char *kind, *event;
	} kinds[] = { { "maj", "major-faults" }, { "min", "minor-faults" } };
	bool all = c->faults && !strcmp(c->faults, "all");

	if (!c->faults)
		return 0;
	if (!all && strcmp(c->faults, "maj") && strcmp(c->faults, "min"))
		return bad(e, "-F takes all, maj or min", "-F all");
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!all && strcmp(c->faults, kinds[i].kind) != 0)
			continue;
		if (before)
			vec_push(events, before);
		vec_push(events, kinds[i].event);
	}
	return 0;
}

static bool has_target(const struct trace_cmd *c)
{
	return c->record.pids || c->record.tids || c->record.uid || c->record.cpus || c->record.command;
}

/* Return true if we record only one thread: lines then have no thread names. */
static bool is_one_thread(const struct trace_cmd *c)
{
	char path[64];
	size_t n = 0;
	DIR *tasks;

	if (c->record.command || c->record.system_wide || c->record.cpus || c->record.uid || c->input)
		return false;
	if (c->record.tids)
		return !strchr(c->record.tids, ',');
	if (!c->record.pids || strchr(c->record.pids, ','))
		return false;
	snprintf(path, sizeof(path), "/proc/%.20s/task", c->record.pids);
	tasks = opendir(path);
	for (const struct dirent *d; tasks && (d = readdir(tasks));)
		n += d->d_name[0] != '.';
	if (tasks)
		closedir(tasks);
	return n == 1;
}

/* Return why this run needs events; NULL: sums are sufficient. */
static const char *why_events(const struct trace_cmd *c)
{
	const struct {
		bool is;
		const char *why;
	} needs[] = {
		{ !c->show.sums, "-s is not given" },
		{ c->show.lines, "each call gets a line" },
		{ c->show.no_calls, "no calls are selected" },
		{ c->show.chains, "call chains are recorded" },
		{ c->show.on || c->show.off, "other events switch tracing on and off" },
		{ c->show.max_events, "--max-events counts events" },
		{ c->record.n_delays || c->record.stay_disabled, "-D starts later" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(needs); i++)
		if (needs[i].is)
			return needs[i].why;
	return NULL;
}

/* Let the kernel sum up the calls if possible; it then passes no events to us. */
static int sum_in_kernel(struct trace_cmd *c, struct err *e)
{
	const char *why = why_events(c);
	struct err refused = { 0 };

	if (why && c->in_kernel != TRI_ON && c->show.sums && !c->show.lines)
		say_verbose(1, "strobe sums up system calls from events: %s", why);
	if (c->in_kernel == TRI_OFF || (c->no_bpf && c->in_kernel != TRI_ON) || (why && c->in_kernel == TRI_UNSET))
		return 0;
	if (why) {
		err_set(e, "--bpf-summary sums up in the kernel, which is not possible: %s", why);
		err_try(e, "-s alone");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (in_kernel_sums(&c->kernel, &c->record, c->cgroup, c->filter_pids, &c->show,
			   c->in_kernel == TRI_ON ? e : &refused) == 0) {
		say_verbose(1, "the kernel sums up system calls");
		return 0;
	}
	if (c->in_kernel == TRI_ON)
		return -1;
	say_verbose(1, "strobe sums up system calls from events: %s", refused.what);
	err_clear(&refused);
	return 0;
}

/* Record the separate event of each call: in newer kernels it has the data that arguments point to. */
static int want_texts(const struct trace_cmd *c, struct selection *s, const struct syscall_names *names,
		      struct opt_list *events, struct err *e)
{
	size_t n = 0;

	if (!c->show.lines || c->show.no_calls || c->kernel.texts || !c->show.shapes)
		return 0;
	for (int i = 0; i < SYSCALLS_MOST; i++) {
		if (!names->names[i] || (c->show.calls && !c->show.calls[i]) || !call_has_text(c->show.shapes, i))
			continue;
		vec_push(events, arena_printf(&s->arena, "syscalls:sys_enter_%s", trace_call_event(names->names[i])));
		if (c->record.system_wide || c->record.cpus || c->record.uid)
			vec_push(events, record_is_exclude_self);
		if (exclude_pids(c, s, events, e) < 0)
			return -1;
		n++;
	}
	if (n)
		say_verbose(1, "the kernel's events of %zu calls have the data that their arguments point to", n);
	return 0;
}

/* Let the kernel copy the data that arguments point to, if possible; otherwise use its events, or read it later. */
static void copy_in_kernel(struct trace_cmd *c, const struct syscall_names *names)
{
	struct err refused = { 0 };

	if (!c->show.lines || c->show.no_calls)
		return;
	c->show.shapes = call_shapes_new(names);
	if (c->no_bpf)
		return;
	if (in_kernel_texts(&c->kernel, &c->record, c->cgroup, names, &c->show, &refused) == 0)
		say_verbose(1, "the kernel copies arguments");
	else
		say_verbose(1, "strobe reads arguments later: %s", refused.what);
	err_clear(&refused);
}

static int make_record(struct trace_cmd *c, struct selection *s, const struct syscall_names *names,
		       struct opt_list *events, struct err *e)
{
	struct record_opts *o = &c->record;

	if (c->cgroup && !o->system_wide)
		return bad(e, "-G needs the whole system", "-a -G NAME");
	if (!c->show.no_calls && !c->kernel.counter && want_calls(c, s, names, events, e) < 0)
		return -1;
	if (want_texts(c, s, names, events, e) < 0 || fault_events(c, events, NULL, e) < 0)
		return -1;
	for (size_t i = 0; i < s->events.len; i++)
		vec_push(events, s->events.items[i]);
	if (c->sched)
		vec_push(events, "sched:sched_stat_runtime");
	if (c->show.on)
		vec_push(events, c->show.on);
	if (c->show.off)
		vec_push(events, c->show.off);
	if (!events->len && c->kernel.counter)
		vec_push(events, "dummy:u"); /* names of threads, and the end of the run */
	if (!events->len)
		return bad(e, "there is nothing to trace", "leave out --no-syscalls, or name events with -e");
	if (c->cgroup) {
		vec_push(events, record_is_cgroup);
		vec_push(events, c->cgroup);
	}
	o->events = *events;
	o->period = 1;
	o->raw = o->sample_cpu = true;
	o->timestamp = TRI_ON;
	o->data = c->faults;
	o->data_mmap = c->show.lines;
	o->cgroups = c->show.by == TRACE_SUMS_CGROUP;
	o->synth = (o->system_wide || c->kernel.counter) && !c->show.chains && !c->faults ? SYNTH_TASK | SYNTH_CGROUP
											  : SYNTH_ALL;
	if (o->chain != CHAIN_MODE_NONE)
		o->user_chains = !c->kernel_chains;
	if (!o->ring_pages)
		o->ring_pages = 1024;
	return 0;
}

/* ---- run ---- */

static int settle(struct trace_cmd *c, struct err *e)
{
	struct trace_opts *show = &c->show;
	struct teller teller = usual_teller();

	raise_verbosity(c->v);
	if (c->pages && record_parse_pages(&c->record.ring_pages, &c->record.aux_pages, c->pages, &teller, e) < 0)
		return -1;
	show->lines = !c->summary;
	show->sums = c->summary || c->with_summary;
	show->least_ms = c->least_ms;
	show->no_calls = !c->calls;
	show->sched = c->sched;
	show->zeros |= !show->arg_names;
	show->objects = c->v;
	if (!show->max_stack)
		show->max_stack = 127;
	if (c->summary_mode && !strcmp(c->summary_mode, "total"))
		show->by = TRACE_SUMS_TOTAL;
	else if (c->summary_mode && !strcmp(c->summary_mode, "cgroup"))
		show->by = TRACE_SUMS_CGROUP;
	else if (c->summary_mode && strcmp(c->summary_mode, "thread"))
		return bad(e, "--summary-mode takes thread, total or cgroup", "--summary-mode=total");
	if (show->histogram && !show->sums)
		return bad(e, "--histogram is for the tables", "-s --histogram, or -S --histogram with lines");
	if ((show->min_stack || show->max_stack != 127) && !show->chains && !c->input) {
		show->chains = true;
		return record_parse_chain(&c->record, "dwarf", e);
	}
	return 0;
}

static const char *machine_here(void)
{
	static struct utsname name;

	return uname(&name) == 0 ? name.machine : "";
}

/* Decide whether to show calls: not if only events are named, as in "-e sched:*". */
static void decide_calls(struct trace_cmd *c, const struct selection *s)
{
	if (!s->any && s->events.len && !c->show.sums)
		c->show.no_calls = true;
	c->show.calls = s->any ? s->calls : NULL;
	c->show.limits = s->limits.items;
	c->show.n_limits = s->limits.len;
}

/* Learn the names of descriptors 0, 1 and 2: the command inherits ours. */
static void learn_files(struct trace_cmd *c, char names[3][4096])
{
	for (int fd = 0; fd < 3; fd++) {
		char path[32];
		ssize_t len;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		len = readlink(path, names[fd], sizeof(names[fd]) - 1);
		if (len > 0 && c->record.command) {
			names[fd][len] = '\0';
			c->show.first_files[fd] = names[fd];
		}
	}
}

/* Check the right to read events of calls: root has it, and users that may read tracefs. */
static int explain(struct err *e)
{
	const char *tracefs = tracefs_path(NULL);
	autofree char *path = xasprintf("%s/events/raw_syscalls", tracefs ? tracefs : "/sys/kernel/tracing");

	if (geteuid() == 0 || access(path, R_OK) == 0)
		return -1;
	err_clear(e);
	err_set(e, "no permission to read %s/sys_(enter|exit), the events for system calls", path);
	err_try(e, "%s doctor -- trace ..., which shows the smallest permission", tool_name());
	return -1;
}

/* Use the options that select live threads to filter a recording, as far as it has their data. */
static int filter_recording(struct trace_cmd *c, struct err *e)
{
	struct record_opts *o = &c->record;

	if (o->uid || c->cgroup || o->n_delays || o->stay_disabled || c->faults)
		return bad(e, "-u, -G, -D and -F say what to record, but -i reads a recording", "-i FILE -p PID");
	if ((o->pids && sample_filter_add(&c->tasks, FILTER_PIDS, o->pids, e) < 0) ||
	    (o->tids && sample_filter_add(&c->tasks, FILTER_TIDS, o->tids, e) < 0) ||
	    (o->cpus && sample_filter_add(&c->tasks, FILTER_CPUS, o->cpus, e) < 0) ||
	    (c->filter_pids && sample_filter_add(&c->not_tasks, FILTER_TIDS, c->filter_pids, e) < 0))
		return -1;
	if (o->pids || o->tids || o->cpus)
		c->show.tasks = &c->tasks;
	if (c->filter_pids)
		c->show.not_tasks = &c->not_tasks;
	return 0;
}

static int trace_input(struct trace_cmd *c, struct live_input *in, struct selection *s, struct opt_list *events,
		       struct err *e)
{
	struct live_opts opts = { .session.force = c->force };
	const struct syscall_names *names = syscall_names_of(machine_here());

	opts.session.symbols.force = c->force;
	if (c->input) {
		if (c->in_kernel == TRI_ON)
			return bad(e, "--bpf-summary sums up in the kernel, but -i reads a recording", "-i FILE -s");
		if (filter_recording(c, e) < 0 || live_input_open(in, c->input, NULL, &opts, e) < 0)
			return -1;
		if (live_session(in->live)->pd->features.arch)
			names = syscall_names_of(live_session(in->live)->pd->features.arch);
		if (selection_make(s, &c->words, names, e) < 0)
			return -1;
		decide_calls(c, s);
		return 0;
	}
	c->show.memory = c->show.lines;
	if (selection_make(s, &c->words, names, e) < 0)
		return -1;
	decide_calls(c, s);
	if (!has_target(c))
		c->record.system_wide = true;
	copy_in_kernel(c, names);
	if (sum_in_kernel(c, e) < 0 || make_record(c, s, names, events, e) < 0)
		return -1;
	/* Do not keep maps while tracing the whole system: a run of days would need too much memory for them. */
	c->show.inodes = opts.session.inodes = c->show.lines && !c->record.system_wide && !c->record.cpus;
	in->look_ms = c->show.lines ? 20 : 0;
	c->record.lean = !why_events(c) && !c->faults && !s->events.len;
	return live_input_open(in, NULL, &c->record, &opts, e) < 0 ? explain(e) : 0;
}

static int run(struct trace_cmd *c, struct out *out, struct err *e)
{
	static char first[3][4096];
	struct live_input in = { 0 };
	struct selection s = { 0 };
	struct opt_list events = { 0 };
	struct record_result result;
	uint64_t shown = 0;
	int rc = -1;

	learn_files(c, first);
	c->show.task = !is_one_thread(c);
	if (trace_input(c, &in, &s, &events, e) == 0) {
		say_verbose(1, "tracing");
		c->show.shown = &shown;
		rc = trace_calls(in.live, &c->show, out, e);
	}
	if (rc >= 0 && c->input && c->show.lines && !shown)
		say("the recording has no event to show");
	if (in.live && rc >= 0)
		rc = session_notes_say(live_session(in.live));
	live_input_end(&in, &result);
	if (in_kernel_lost(&c->kernel))
		say("%llu system calls were not counted: the table of sums was full",
		    (unsigned long long)in_kernel_lost(&c->kernel));
	in_kernel_close(&c->kernel);
	call_shapes_free(c->show.shapes);
	selection_release(&s);
	vec_free(&events);
	sample_filter_free(&c->tasks);
	sample_filter_free(&c->not_tasks);
	return rc;
}

/* Find options before the word "record" that say how to record or to show. */
static bool has_misplaced(const struct trace_cmd *c)
{
	const struct record_opts *r = &c->record;

	return c->record.pids || r->tids || r->uid || r->cpus || r->system_wide || c->pages || r->n_delays ||
	       r->stay_disabled || c->cgroup || c->filter_pids || c->input || c->output || c->summary ||
	       c->with_summary || c->sched || c->least_ms >= 0 || c->show.failed || c->show.json || c->show.chains ||
	       c->show.max_events || c->show.on || c->show.off;
}

/* Record everything that trace -i can print, as perf does. Only -F and --no-syscalls apply to both. */
static int record_word(struct trace_cmd *c, int argc, char **argv, struct err *e)
{
	struct opt_list words = { 0 };
	int rc;

	if (c->words.len)
		return bad(e, "trace record records all system calls", "trace record -e EVENT for further events");
	if (has_misplaced(c))
		return bad(e, "only -F and --no-syscalls may come before 'record'", "trace record [options] [command]");
	if (!c->calls && !c->faults)
		return bad(e, "there is nothing to record", "trace -F all --no-syscalls record");
	for (const char *const *word = (const char *const[]){ "-R", "-m", "1024", "-c", "1", NULL }; *word; word++)
		vec_push(&words, *word);
	if (c->calls) {
		vec_push(&words, "-e");
		vec_push(&words, "raw_syscalls:sys_enter,raw_syscalls:sys_exit");
	}
	if (fault_events(c, &words, "-e", e) < 0) {
		vec_free(&words);
		return -1;
	}
	if (c->faults)
		vec_push(&words, "-d");
	rc = analysis_record(words.items, words.len, NULL, 0, argc - 1, argv + 1, e);
	vec_free(&words);
	return rc;
}

int trace_record_words(int argc, char **argv, struct opt_list *words, struct err *e)
{
	struct trace_cmd c = trace_defaults;
	char **rest;
	int n;
	int status = opt_parse(trace_options, &c, argc, argv, true, &rest, &n, e);
	const struct {
		const char *option, *value;
	} targets[] = {
		{ "-p", c.record.pids }, { "-t", c.record.tids }, { "-u", c.record.uid }, { "-C", c.record.cpus }
	};

	vec_free(&c.words);
	if (status)
		return -1;
	vec_push(words, "record");
	vec_push(words, "-e");
	vec_push(words, "raw_syscalls:sys_enter,raw_syscalls:sys_exit");
	vec_push(words, "-c");
	vec_push(words, "1");
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
		if (targets[i].value) {
			vec_push(words, targets[i].option);
			vec_push(words, targets[i].value);
		}
	c.record.command = n ? rest : NULL;
	if (c.record.system_wide || !has_target(&c))
		vec_push(words, "-a");
	for (int i = 0; i < n; i++)
		vec_push(words, rest[i]);
	return 0;
}

static int trace_run(void *opts, int argc, char **argv, struct err *e)
{
	struct trace_cmd *c = opts;
	struct out out;
	int rc, fd = STDOUT_FILENO;

	if (argc && !strcmp(argv[0], "record"))
		return record_word(c, argc, argv, e);
	if (argc && c->input)
		return bad(e, "-i reads a recording, and cannot run a command", "-i FILE alone");
	c->record.command = argc ? argv : NULL;
	if (settle(c, e) < 0)
		return -1;
	if (c->output && (fd = open(c->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
		return err_sys(e, "cannot write '%s'", c->output);
	c->show.color = !c->output && isatty(fd) && !c->show.json;
	/* Write to stderr, as perf does, to keep the command's own output separate. */
	out_init_fd(&out, c->output || c->input ? fd : STDERR_FILENO);
	if (c->added)
		put_added_first(c);
	rc = run(c, &out, e);
	if (out_finish(&out, rc < 0 ? NULL : e) < 0)
		rc = -1;
	if (fd != STDOUT_FILENO)
		close(fd);
	vec_free(&c->words);
	return rc;
}

const struct command cmd_trace = {
	.name = "trace",
	.summary = "show the system calls of programs, without stopping them",
	.run = trace_run,
	.usage = (const char *const[]){ "[<options>] [<command>]", "[<options>] -- <command> [<options>]",
					"record [<options>] [<command>]", "[<options>] -i <file>", NULL },
	.options = trace_options,
	.defaults = &trace_defaults,
	.opts_size = sizeof(struct trace_cmd),
	.configure = configure,
	.stop_at_word = true,
	.words = "record @program",
};
