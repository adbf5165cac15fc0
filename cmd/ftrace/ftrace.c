#include "cmd/ftrace/ftrace_priv.h"

#include "base/config.h"
#include "base/out.h"
#include "cmd/commands.h"
#include "cmd/shared/options.h"

#define AT(member) offsetof(struct ftrace_opts, member)

/* ---- lists of words as options ---- */

struct word {
	const char *name;
	size_t flag;   /* a bool, or 0 */
	size_t number; /* a uint64_t that follows '=', or 0 */
};

static const struct word func_words[] = {
	{ "call-graph", AT(set.call_graph), 0 },
	{ "irq-info", AT(set.irq_info), 0 },
	{ 0 },
};

static const struct word graph_words[] = {
	{ "args", AT(set.args), 0 },
	{ "retval", AT(set.retval), 0 },
	{ "retval-hex", AT(set.retval_hex), 0 },
	{ "retaddr", AT(set.retaddr), 0 },
	{ "nosleep-time", AT(set.no_sleep_time), 0 },
	{ "noirqs", AT(set.no_irqs), 0 },
	{ "verbose", AT(set.verbose), 0 },
	{ "tail", AT(set.tail), 0 },
	{ "thresh", 0, AT(set.threshold_us) },
	{ "depth", 0, AT(set.depth) },
	{ 0 },
};

static int bad_word(const struct opt *opt, const char *word, const struct word *words, struct err *e)
{
	const char *names[16];
	size_t n = 0;

	for (; words[n].name; n++)
		names[n] = words[n].name;
	names[n] = NULL;
	return opt_word(opt->name, word, names, e);
}

static int set_word(void *opts, const struct opt *opt, char *word, const struct word *words, struct err *e)
{
	char *value = strchr(word, '=');

	if (value)
		*value++ = '\0';
	for (const struct word *w = words; w->name; w++) {
		if (strcmp(w->name, word))
			continue;
		if (!value == !w->number) {
			if (w->number)
				return parse_u64(value, (uint64_t *)((char *)opts + w->number), e);
			*(bool *)((char *)opts + w->flag) = true;
			return 0;
		}
		err_set(e, w->number ? "--%s: '%s' needs a number" : "--%s: '%s' takes no value", opt->name, word);
		if (w->number)
			err_try(e, "--%s %s=10", opt->name, word);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return bad_word(opt, word, words, e);
}

static int set_words(void *opts, const struct opt *opt, const char *value, const struct word *words, struct err *e)
{
	autofree char *copy = xstrdup(value);
	char *save = NULL;

	for (char *word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save))
		if (set_word(opts, opt, word, words, e) < 0)
			return err_exit(e, EXIT_BAD_USAGE);
	return 0;
}

static int set_func_opts(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return set_words(opts, opt, value, func_words, e);
}

static int set_graph_opts(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return set_words(opts, opt, value, graph_words, e);
}

/* ---- the table ---- */

static const struct opt ftrace_options[] = {
	{ 0, NULL, OPT_GROUP, 0, NULL, "Which tasks to trace" },
	{ 0, "pid", OPT_INCLUDE, AT(pids), NULL, "trace existing processes", .rows = target_options },
	{ OPT_NO_LETTER, "tid", OPT_INCLUDE, AT(tids), NULL, "trace existing threads", .rows = target_options },
	{ 0, "all-cpus", OPT_INCLUDE, AT(all_tasks), NULL, "trace all tasks, also with a command",
	  .rows = target_options },
	{ 0, "cpu", OPT_INCLUDE, AT(cpus), NULL, "trace only on these CPUs", .rows = target_options },
	{ 0, "inherit", OPT_BOOL, AT(set.inherit), NULL, "also trace children of the tasks" },
	{ 'D', "delay", OPT_U64, AT(delay_ms), "ms", "begin this many milliseconds after the start" },

	{ 0, NULL, OPT_GROUP, 0, NULL, "What to trace" },
	{ 't', "tracer", OPT_STR, AT(tracer), "tracer",
	  "function_graph (calls with their durations), function (calls), nop (only -e); -T or -N alone mean function",
	  .values = "function_graph function nop" },
	{ 'T', "trace-funcs", OPT_LIST, AT(set.functions), "function",
	  "trace only these functions; a glob names several", .values = "@function" },
	{ 'N', "notrace-funcs", OPT_LIST, AT(set.not_functions), "function", "do not trace these functions",
	  .values = "@function" },
	{ 'G', "graph-funcs", OPT_LIST, AT(set.graph_functions), "function",
	  "trace these functions and all that they call; sys_NAME finds the kernel's own name", .values = "@function" },
	{ 'g', "nograph-funcs", OPT_LIST, AT(set.not_graph_functions), "function",
	  "leave out these functions and all that they call", .values = "@function" },
	{ 'e', "events", OPT_LIST, AT(set.events), "event",
	  "also trace these tracepoints (system:name, system); latency: measure from the first to the second" },
	{ 0, "func-opts", OPT_CALL, 0, "options", "function: call-graph, irq-info", OPT_NONEG, set_func_opts,
	  .values = ",call-graph irq-info" },
	{ 0, "graph-opts", OPT_CALL, 0, "options",
	  "function_graph: depth=N, thresh=US, nosleep-time, noirqs, verbose, tail, args, retval, retval-hex, retaddr",
	  OPT_NONEG, set_graph_opts,
	  .values = ",depth=1 thresh=10 nosleep-time noirqs verbose tail args retval retval-hex retaddr" },
	{ 'm', "buffer-size", OPT_SIZE, AT(set.buffer_bytes), "size", "size of each CPU's buffer (K, M, G)" },
	{ 'F', "funcs", OPT_STR_OPT, AT(list), "pattern",
	  "list the functions that you can trace, all or those that match a glob", .values = "@function" },

	{ 0, NULL, OPT_GROUP, 0, NULL, "latency" },
	{ 'b', "use-bpf", OPT_BOOL, 0, NULL,
	  "strobe reads the kernel's buffers, which is fast enough without a BPF program", OPT_REFUSED },
	{ 'n', "use-nsec", OPT_BOOL, AT(nanoseconds), NULL, "count in nanoseconds" },
	{ 0, "bucket-range", OPT_U64, AT(bucket_range), "n", "buckets of this width, not powers of two" },
	{ 0, "min-latency", OPT_U64, AT(min_latency), "n", "where the first such bucket begins" },
	{ 0, "max-latency", OPT_U64, AT(max_latency), "n", "where the last such bucket ends" },
	{ 0, "hide-empty", OPT_BOOL, AT(hide_empty), NULL, "leave out empty buckets" },

	{ 0, NULL, OPT_GROUP, 0, NULL, "profile" },
	{ 's', "sort", OPT_STR, AT(sort), "key", "total (the default), self, avg, max, count, name",
	  .values = "total self avg max count name" },
	{ 0, "self", OPT_BOOL, AT(self), NULL, "also show the time in the function itself", OPT_OURS },
	{ 0, "folded", OPT_STR, AT(folded), "file", "write the call stacks as folded lines, the input of flame graphs",
	  OPT_OURS },
	{ 0, "flamegraph", OPT_STR, AT(flamegraph), "file", "draw the calls as a flame graph (SVG)", OPT_OURS },

	{ 0, NULL, OPT_GROUP, 0, NULL, "Input and output" },
	{ 0, "input", OPT_INCLUDE, AT(input), NULL, "read a trace.dat instead of tracing", OPT_OURS,
	  .rows = usual_options },
	{ 'o', "output", OPT_STR, AT(output), "file", "record: the file to write (trace.dat)", OPT_OURS },
	{ 0, "verbose", OPT_INCLUDE, AT(verbose), NULL, "print which tracer runs in which instance",
	  .rows = usual_options },
	{ 0 },
};

static const struct ftrace_opts ftrace_defaults = { 0 };

/* ---- subcommands ---- */

static const struct {
	const char *name;
	int (*run)(struct ftrace_opts *o, int argc, char **argv, struct err *e);
} subcommands[] = {
	{ "trace", ftrace_trace },
	{ "latency", ftrace_latency },
	{ "profile", ftrace_profile },
	{ "record", ftrace_record },
};

/* Choose the tracer for the options: function filters alone need no graph. */
static int choose_tracer(struct ftrace_opts *o, struct err *e)
{
	struct ftrace_settings *s = &o->set;
	bool graph = s->graph_functions.len || s->not_graph_functions.len,
	     function = s->functions.len || s->not_functions.len;

	s->tracer = graph             ? "function_graph"
		    : function        ? "function"
		    : o->tracer       ? o->tracer
		    : o->usual_tracer ? o->usual_tracer
				      : "function_graph";
	/* with -t function_graph, -T also limits the graph */
	if (o->tracer && !strcmp(o->tracer, "function_graph"))
		s->tracer = o->tracer;
	if (strcmp(s->tracer, "function") && (s->call_graph || s->irq_info) && !o->input) {
		err_set(e, "--func-opts is for the tracer 'function'");
		err_try(e, "-t function, or -T with the functions to trace");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return 0;
}

int ftrace_run(struct ftrace_opts *o, int argc, char **argv, const struct ftrace_sink *sink, struct err *e)
{
	o->set.all_tasks = o->all_tasks;
	if (o->input && argc) {
		err_set(e, "-i reads a file, so it does not trace '%s'", argv[0]);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (o->input)
		return ftrace_input(o->input, sink, e);
	if (choose_tracer(o, e) < 0)
		return -1;
	return ftrace_live(o, argc, argv, sink, e);
}

static int list_functions(const char *glob, struct err *e)
{
	struct out out;

	out_init_fd(&out, STDOUT_FILENO);
	if (ftrace_functions_print(*glob ? glob : NULL, &out, e) < 0) {
		out_release(&out);
		return -1;
	}
	return out_finish(&out, e);
}

/* Refuse options of other subcommands. */
static int check_options(const struct ftrace_opts *o, const char *name, struct err *e)
{
	const struct ftrace_settings *s = &o->set;
	const struct {
		const char *option, *of;
		bool given;
	} rows[] = {
		{ "--use-nsec", "latency", o->nanoseconds },
		{ "--bucket-range", "latency", o->bucket_range },
		{ "--min-latency", "latency", o->min_latency },
		{ "--max-latency", "latency", o->max_latency },
		{ "--hide-empty", "latency", o->hide_empty },
		{ "--sort", "profile", o->sort },
		{ "--self", "profile", o->self },
		{ "--folded", "profile", o->folded },
		{ "--flamegraph", "profile", o->flamegraph },
		{ "--output", "record", o->output },
		{ "--funcs", "trace", o->list },
		{ "--tracer", "trace record", o->tracer },
		{ "--func-opts", "trace record", s->call_graph || s->irq_info },
		{ "--notrace-funcs", "trace record profile", s->not_functions.len },
		{ "--graph-funcs", "trace record profile", s->graph_functions.len },
		{ "--nograph-funcs", "trace record profile", s->not_graph_functions.len },
		{ "--events", "trace record latency", s->events.len },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].given && !strstr(rows[i].of, name)) {
			err_set(e, "%s is an option of ftrace %.*s, not of %s", rows[i].option,
				(int)strcspn(rows[i].of, " "), rows[i].of, name);
			return err_exit(e, EXIT_BAD_USAGE);
		}
	return 0;
}

/* Refuse options that choose what the kernel records if the trace already exists. */
static int check_input(const struct ftrace_opts *o, bool latency, struct err *e)
{
	const struct ftrace_settings *s = &o->set;
	const struct {
		const char *option;
		bool given;
	} rows[] = {
		{ "--pid", o->pids },
		{ "--tid", o->tids },
		{ "--cpu", o->cpus },
		{ "--all-cpus", o->all_tasks },
		{ "--inherit", s->inherit },
		{ "--delay", o->delay_ms },
		{ "--tracer", o->tracer },
		{ "--trace-funcs", s->functions.len && !latency },
		{ "--notrace-funcs", s->not_functions.len },
		{ "--graph-funcs", s->graph_functions.len },
		{ "--nograph-funcs", s->not_graph_functions.len },
		{ "--events", s->events.len && !latency },
		{ "--func-opts call-graph", s->call_graph },
		{ "--graph-opts depth, thresh, nosleep-time or args",
		  s->depth || s->threshold_us || s->no_sleep_time || s->args },
		{ "--buffer-size", s->buffer_bytes },
	};

	for (size_t i = 0; o->input && i < ARRAY_SIZE(rows); i++)
		if (rows[i].given) {
			err_set(e, "%s says what to record, but '%s' is a finished recording", rows[i].option,
				o->input);
			return err_exit(e, EXIT_BAD_USAGE);
		}
	return 0;
}

static int ftrace_help(struct err *e)
{
	struct out out;

	out_init_fd(&out, STDOUT_FILENO);
	command_help(&cmd_ftrace, &out);
	return out_finish(&out, e) < 0 ? -1 : EXIT_BAD_USAGE;
}

static int ftrace_command(void *opts, int argc, char **argv, struct err *e)
{
	struct ftrace_opts *o = opts;
	size_t which = 0;

	for (size_t i = 0; argc && i < ARRAY_SIZE(subcommands); i++)
		if (!strcmp(argv[0], subcommands[i].name)) {
			int status = opt_parse(ftrace_options, o, argc, argv, true, &argv, &argc, e);

			if (status)
				return status < 0 ? -1 : ftrace_help(e);
			which = i;
			break;
		}
	if (check_options(o, subcommands[which].name, e) < 0 ||
	    check_input(o, subcommands[which].run == ftrace_latency, e) < 0)
		return -1;
	if (o->list)
		return list_functions(o->list, e);
	return subcommands[which].run(o, argc, argv, e);
}

static int configure(void *opts, const struct config *settings, struct err *e)
{
	const char *tracer = config_find(settings, "ftrace.tracer");

	if (tracer && strcmp(tracer, "function_graph") && strcmp(tracer, "function"))
		return err_set(e, "ftrace.tracer: '%s' is neither function_graph nor function", tracer);
	((struct ftrace_opts *)opts)->usual_tracer = tracer;
	return 0;
}

const struct command cmd_ftrace = {
	.name = "ftrace",
	.summary = "trace functions of the kernel, with their durations",
	.run = ftrace_command,
	.usage = (const char *const[]){ "[<options>] [trace] [<options>] [--] [<command>]",
					"[<options>] latency [<options>] -T <function> [--] [<command>]",
					"[<options>] latency [<options>] -e <event>,<event> [--] [<command>]",
					"[<options>] profile [<options>] [--] [<command>]",
					"[<options>] record [<options>] [--] [<command>]", NULL },
	.options = ftrace_options,
	.defaults = &ftrace_defaults,
	.opts_size = sizeof(struct ftrace_opts),
	.configure = configure,
	.stop_at_word = true,
	.words = "trace latency profile record @program",
};
