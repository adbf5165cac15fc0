/*
 * The options that several commands share. To add one: a row here, its member in the group's
 * struct, and its name in the OPT_INCLUDE rows of commands that list names.
 */
#include "cmd/shared/options.h"

#include "base/say.h"
#include "events/caller.h"
#include "events/event_files.h"
#include "report/tracepoint/plugin.h"

#define AT(member) offsetof(struct object_opts, member)
const struct opt object_options[] = {
	{ 'k', "vmlinux", OPT_STR, AT(vmlinux), "file", "take the kernel's symbols and code from this image" },
	{ 0, "ignore-vmlinux", OPT_BOOL, AT(ignore_vmlinux), NULL, "do not look for an image of the kernel" },
	{ 0, "kallsyms", OPT_STR, AT(kallsyms), "file", "take the kernel's symbols from this list" },
	{ 0, "symfs", OPT_STR, AT(symfs), "dir[,layout]",
	  "look for objects below this directory, by path (hierarchy) or by name alone (flat)" },
	{ 'm', "modules", OPT_BOOL, AT(modules), NULL, "use the symbols of the kernel's modules (default)" },
	{ 0, "demangle", OPT_BOOL, AT(demangle), NULL, "show names as in the source (default)" },
	{ 0, "demangle-kernel", OPT_BOOL, AT(demangle_kernel), NULL, "demangle names of the kernel, too" },
	{ 0, "unwind-style", OPT_STR, AT(unwind_style), "list",
	  "unwinder for copied stacks: cfi (strobe's own), libunwind, libdw; with several, the next continues where "
	  "one stops",
	  0, .values = ",cfi libunwind libdw" },
	{ 0, "debuginfod", OPT_STR_OPT, AT(debuginfod), "urls",
	  "fetch objects and debug information that are not here from these servers (DEBUGINFOD_URLS)", OPT_OURS },
	{ 0, "bundle-first", OPT_BOOL, AT(bundle_first), NULL,
	  "take names from the recording's bundle, even where the recorded files are here", OPT_OURS },
	{ 0, "short-templates", OPT_BOOL, AT(short_templates), NULL, "show template arguments as <...>", OPT_OURS },
	{ 0 },
};
#undef AT

static void say_fetching(const char *object) { say("debuginfod: asking for %s", object); }

/*
 * Return true if servers shall be asked: by option or by DEBUGINFOD_URLS. Put the option's URLs
 * where the library looks.
 */
static bool wants_debuginfod(const char *urls)
{
	const char *usual = getenv("DEBUGINFOD_URLS");
	struct err e = { 0 };

	if (urls && *urls)
		setenv("DEBUGINFOD_URLS", urls, 1);
	if (!(urls && *urls) && !(usual && *usual)) {
		if (urls)
			say("--debuginfod names no server, and DEBUGINFOD_URLS is not set");
		return false;
	}
	if (debuginfod_ready(&e) == 0)
		return true;
	if (urls)
		say("%s: %s", e.what, e.why);
	return false;
}

struct symbols_opts object_symbols(const struct object_opts *o, bool force)
{
	return (struct symbols_opts){
		.vmlinux = o->vmlinux,
		.kallsyms = o->kallsyms,
		.symfs = o->symfs,
		.no_kernel_image = o->ignore_vmlinux,
		.no_modules = !o->modules,
		.no_demangle = !o->demangle,
		.demangle_kernel = o->demangle_kernel,
		.short_templates = o->short_templates,
		.debuginfod = wants_debuginfod(o->debuginfod),
		.fetching = say_fetching,
		.bundle_use = o->bundle_first ? BUNDLE_FIRST : BUNDLE_USUAL,
		.force = force,
		.unwind_style = o->unwind_style,
	};
}

#define AT(member) offsetof(struct sample_opts, member)
const struct opt sample_options[] = {
	{ 'd', "dsos", OPT_STR, AT(dsos), "object,...", "only samples in these objects" },
	{ 'S', "symbols", OPT_STR, AT(symbols), "name,...", "only samples in these functions" },
	{ 0, "pid", OPT_STR, AT(pids), "pid,...", "only samples of these processes" },
	{ 0, "tid", OPT_STR, AT(tids), "tid,...", "only samples of these threads" },
	{ 0, "comms", OPT_STR, AT(comms), "name,...", "only samples of threads with these names" },
	{ 0, "cpu", OPT_STR, AT(cpus), "list", "only samples on these CPUs, such as 0-2,5", .values = ",@cpu" },
	{ 0 },
};
#undef AT

int sample_opts_filter(const struct sample_opts *o, struct sample_filter *f, struct err *e)
{
	const struct {
		const char *list;
		enum sample_filter_kind kind;
	} lists[] = {
		{ o->comms, FILTER_COMMS }, { o->dsos, FILTER_DSOS }, { o->symbols, FILTER_SYMBOLS },
		{ o->pids, FILTER_PIDS },   { o->tids, FILTER_TIDS }, { o->cpus, FILTER_CPUS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (lists[i].list && sample_filter_add(f, lists[i].kind, lists[i].list, e) < 0)
			return err_exit(e, EXIT_BAD_USAGE);
	return 0;
}

static int set_filter(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	static const struct {
		const char *option;
		enum sample_filter_kind kind;
	} kinds[] = {
		{ "pid", FILTER_PIDS },        { "pids", FILTER_PIDS },   { "tid", FILTER_TIDS },
		{ "tids", FILTER_TIDS },       { "comms", FILTER_COMMS }, { "dsos", FILTER_DSOS },
		{ "symbols", FILTER_SYMBOLS }, { "cpu", FILTER_CPUS },    { "graph-function", FILTER_CALLERS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].option, opt->name))
			return sample_filter_add(opts, kinds[i].kind, value, e);
	return 0;
}

const struct opt filter_options[] = {
	{ 'C', "cpu", OPT_CALL, 0, "cpus", "only samples on these CPUs", OPT_NONEG, set_filter, .values = ",@cpu" },
	{ 0, "pid", OPT_CALL, 0, "pids", "only samples of these processes", OPT_NONEG, set_filter },
	{ 0, "tid", OPT_CALL, 0, "tids", "only samples of these threads", OPT_NONEG, set_filter },
	{ 0, "pids", OPT_CALL, 0, "pids", "only samples of these processes", OPT_NONEG, set_filter },
	{ 0, "tids", OPT_CALL, 0, "tids", "only samples of these threads", OPT_NONEG, set_filter },
	{ 0, "comms", OPT_CALL, 0, "names", "only samples of threads with these names", OPT_NONEG, set_filter },
	{ 0, "dsos", OPT_CALL, 0, "names", "only samples in these objects", OPT_NONEG, set_filter },
	{ 'S', "symbols", OPT_CALL, 0, "names", "only samples in these functions", OPT_NONEG, set_filter },
	{ 0, "graph-function", OPT_CALL, 0, "names", "only samples in these functions and their callees", OPT_NONEG,
	  set_filter },
	{ 0 },
};

static int set_percent_type(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return percent_type_parse(value, &((struct code_opts *)opts)->percent, e);
}

#define AT(member) offsetof(struct code_opts, member)
const struct opt code_options[] = {
	{ 'M', "disassembler-style", OPT_STR, AT(style), "style",
	  "att or intel; with --objdump a style of that program", .values = "att intel" },
	{ 0, "prefix", OPT_STR, AT(prefix), "prefix", "put this before paths of source files" },
	{ 0, "prefix-strip", OPT_U64, AT(prefix_strip), "n", "first remove this many leading directories" },
	{ 0, "objdump", OPT_STR, AT(objdump), "path", "disassemble with this program" },
	{ 0, "percent-type", OPT_CALL, 0, "type",
	  "shares of instructions: local (of the function) or global (of all samples), -period or -hits (default: "
	  "local-period)",
	  OPT_NONEG, set_percent_type, .values = "local-period local-hits global-period global-hits" },
	{ 0 },
};
#undef AT

int code_style_check(const struct code_opts *o, struct err *e)
{
	if (o->objdump || !o->style || !strcmp(o->style, "att") || !strcmp(o->style, "intel"))
		return 0;
	err_set(e, "-M knows att and intel, not '%s'", o->style);
	err_try(e, "--objdump objdump -M %s", o->style);
	return err_exit(e, EXIT_BAD_USAGE);
}

int target_ns_check(int pid, struct err *e)
{
	autofree char *dir = xasprintf("/proc/%d", pid);

	if (!pid || access(dir, F_OK) == 0)
		return 0;
	err_set(e, "--target-ns: no process has the id %d", pid);
	return err_try(e, "one that runs: 'pgrep NAME' prints the ids of processes");
}

enum disasm_syntax code_syntax(const struct code_opts *o)
{
	return o->style && !strcmp(o->style, "intel") ? DISASM_INTEL : DISASM_ATT;
}

static int set_trace_text(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return trace_text_by_parse(value, opts, e) < 0 ? err_in(e, "--%s", opt->name) : 0;
}

const struct opt usual_options[] = {
	{ 'i', "input", OPT_STR, 0, "file", "read this recording; '-' for a pipe" },
	{ 'v', "verbose", OPT_COUNT, 0, NULL, "print more messages" },
	{ 'q', "quiet", OPT_BOOL, 0, NULL, "print rows only" },
	{ 'D', "dump-raw-trace", OPT_BOOL, 0, NULL, "print the bytes and fields of every record" },
	{ 0, "itrace", OPT_STR_OPT, 0, "letters",
	  "samples to make of an Arm SPE trace: b branches, M accesses, f and m first and last level of caches, t TLB, "
	  "a remote accesses, i1i all operations, i100i each hundredth; l with branch stacks (default: all kinds)",
	  OPT_NONEG, .values = "b M f m t a i1i bl" },
	{ 0, "time", OPT_STR, 0, "ranges",
	  "only samples in START,STOP (seconds) or in percents of the recording: 10%/2, 0%-10%,30%-40%" },
	{ 'o', "output", OPT_STR, 0, "file", "write to this file" },
	{ 't', "field-separator", OPT_STR, 0, "text", "separate columns with this, for programs" },
	{ 0, "full-names", OPT_BOOL, 0, NULL, "on a terminal, do not shorten names to fit it", OPT_OURS },
	{ 0, "header-only", OPT_BOOL, 0, NULL, "print only the header" },
	{ 'U', "hide-unresolved", OPT_BOOL, 0, NULL, "leave out addresses without a symbol" },
	{ 'j', "json", OPT_BOOL, 0, NULL, "an object of JSON for each line" },
	{ 0, "skip-empty", OPT_BOOL, 0, NULL, "leave out events without samples (default)" },
	{ 0, "source", OPT_BOOL, 0, NULL, "show source lines between instructions (default)" },
	{ 0, "asm-raw", OPT_BOOL, 0, NULL, "show the bytes of instructions" },
	{ 0, "trace-text", OPT_CALL, 0, "kernel|plugins",
	  "format tracepoints by the kernel's formats, or by plugins of libtraceevent", OPT_OURS, set_trace_text },
	{ 0 },
};

const struct opt chain_options[] = {
	{ 'g', "call-graph", OPT_BOOL, 0, NULL, "show call chains, if they were recorded" },
	{ 0, "max-stack", OPT_U64, 0, "n", "show at most n functions of a chain" },
	{ 0, "stitch-lbr", OPT_BOOL, 0, NULL,
	  "join call stacks of branch records that were too deep for the processor with earlier ones of their thread" },
	{ 0 },
};

static int set_verbose(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	set_verbosity(unset ? 0 : MAX(verbosity(), 0) + 1);
	return 0;
}

static int set_quiet(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	set_verbosity(unset ? 0 : -1);
	return 0;
}

const struct opt talk_options[] = {
	{ 'v', "verbose", OPT_CALL_FLAG, 0, NULL, "print more messages", 0, set_verbose },
	{ 'q', "quiet", OPT_CALL_FLAG, 0, NULL, "print only errors", 0, set_quiet },
	{ 0 },
};

static int set_caller(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return caller_find(opts, e);
}

const struct opt target_options[] = {
	{ 'p', "pid", OPT_STR, 0, "pid", "of existing processes" },
	{ 't', "tid", OPT_STR, 0, "tid", "of existing threads" },
	{ 'a', "all-cpus", OPT_BOOL, 0, NULL, "of the whole system" },
	{ 'C', "cpu", OPT_STR, 0, "cpu", "on these CPUs: numbers and ranges" },
	{ 'i', "no-inherit", OPT_BOOL, 0, NULL, "do not follow children" },
	{ 'm', "mmap-pages", OPT_STR, 0, "pages", "size of each ring", .values = "" },
	{ 0, "all-kernel", OPT_BOOL, 0, NULL, "all events count in the kernel only" },
	{ 0, "all-user", OPT_BOOL, 0, NULL, "all events count in user space only" },
	{ 0, "as-caller", OPT_CALL_FLAG, 0, NULL, "under sudo: run the command as the calling user",
	  OPT_OURS | OPT_NONEG, set_caller },
	{ 0 },
};

const struct opt event_file_options[] = {
	{ 0, "event-files", OPT_STR, 0, "dir", "also the events and metrics in these files of the CPU's vendor",
	  OPT_OURS },
	{ 0, "cputype", OPT_STR, 0, "type", "only events of this kind of cores: core, atom", .values = "core atom" },
	{ 0 },
};

int event_files_use(const char *dir, const struct config *c, struct err *e)
{
	const char *set = config_find(c, "stat.event-files");

	if (dir)
		return event_files_load(dir, e) < 0 ? err_in(e, "--event-files") : 0;
	return set && event_files_load(set, e) < 0 ? err_in(e, "stat.event-files") : 0;
}

const struct opt agent_options[] = {
	{ 0, "every", OPT_STR, 0, "time", "with --agent: the length of an interval (default: one minute)", OPT_OURS },
	{ 0, "service", OPT_STR, 0, "name", "a name for what the host runs; queries can select by it", OPT_OURS },
	{ 0 },
};

const struct opt force_options[] = {
	{ 'f', "force", OPT_BOOL, 0, NULL, "read files of other users" },
	{ 0 },
};

const struct opt accepted_options[] = {
	{ 0, "addr2line", OPT_STR, 0, "path", "accepted without effect: lines come from the debug information" },
	{ 0, "addr2line-style", OPT_STR, 0, "list", "accepted without effect: libdw reads lines" },
	{ 0 },
};
