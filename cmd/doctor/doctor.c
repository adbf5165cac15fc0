/*
 * Find out what this user can measure here, what blocks a command line, and the smallest grant that
 * helps. We find out by trying.
 */
#include "cmd/doctor/doctor_priv.h"
#include "cmd/shared/options.h"
#include "cmd/trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/syscall.h>

struct doctor_opts {
	bool json;
};
#define AT(member) offsetof(struct doctor_opts, member)

enum { WORDS_MAX = 6 };

static const struct opt doctor_options[] = {
	{ 0, "json", OPT_INCLUDE, AT(json), NULL, "print JSON", OPT_OURS, .rows = usual_options },
	{ 0 },
};

/* ---- what this user can measure ---- */

static int kernel_symbols(struct err *e)
{
	autofclose FILE *f = fopen("/proc/kallsyms", "re");
	char line[512];

	if (!f)
		return advice_kallsyms(errno, e);
	/* Hidden addresses are all zero; some symbols of per-CPU data are at 0 legitimately. */
	for (int i = 0; i < 100000 && fgets(line, sizeof(line), f); i++)
		if (strtoull(line, NULL, 16))
			return 0;
	return advice_kallsyms(EACCES, e);
}

static int define_probes(const char *file, struct err *e)
{
	const char *tracefs = tracefs_path(e);
	autofree char *path = tracefs ? xasprintf("%s/%s", tracefs, file) : NULL;
	autoclose int fd = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;

	return !path ? -1 : fd < 0 ? advice_probes(path, errno, e) : 0;
}

static int define_kprobes(struct err *e) { return define_probes("kprobe_events", e); }
static int define_uprobes(struct err *e) { return define_probes("uprobe_events", e); }

/* Load the shortest program of the kind that reads events. Source: bpf(2), "BPF_PROG_LOAD". */
static int load_bpf(struct err *e)
{
	static const struct bpf_insn program[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K },
						   { .code = BPF_JMP | BPF_EXIT } };
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insn_cnt = ARRAY_SIZE(program),
		.insns = (uint64_t)(uintptr_t)program,
		.license = (uint64_t)(uintptr_t) "Dual MIT/GPL",
	};
	autoclose int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

	return fd < 0 ? advice_bpf(errno, e) : 0;
}

/*
 * To add a check: a row with either the words of a record command line, which is tried as it is, or
 * a function. strobe-doctor(1) documents the names: programs read them.
 */
static const struct check {
	const char *name, *what;
	const char *words[WORDS_MAX];
	int (*try)(struct err *e);
} checks[DOCTOR_CHECKS] = {
	{ "user", "own processes, user space", { "-e", "cpu-clock:u", "true" } },
	{ "kernel", "own processes, their time in the kernel", { "-e", "cpu-clock:k", "true" } },
	{ "system", "the whole system", { "-a", "-e", "cpu-clock" } },
	{ "others", "processes of other users", { "-p", "1", "-e", "cpu-clock:u" } },
	{ "cycles", "hardware counters", { "-e", "cycles:u", "true" } },
	{ "precise", "precise samples", { "-e", "cycles:up", "true" } },
	{ "branches", "branch records", { "-b", "-e", "cycles:u", "true" } },
	{ "stacks", "whole stacks without frame pointers", { "-e", "cpu-clock:u", "--call-graph", "live", "true" } },
	{ "breakpoints", "breakpoints on data", { "-e", "mem:0x1000/8:w:u", "true" } },
	{ "tracepoints", "tracepoints of the whole system", { "-a", "-e", "sched:sched_switch" } },
	{ "uprobes", "defining probes in programs", .try = define_uprobes },
	{ "kprobes", "defining probes in the kernel", .try = define_kprobes },
	{ "symbols", "names of kernel functions", .try = kernel_symbols },
	{ "bpf", "BPF programs (trace: what arguments point at, sums)", .try = load_bpf },
};

/* ---- a command line of record ---- */

struct record_line {
	struct record_opts opts;
	char **argv; /* the command after the options */
};

/* Parse `words` after "record"; this reorders the array. */
static int line_parse(struct record_line *l, int n, char **words, struct err *e)
{
	int rest, level = verbosity(), got;

	l->opts = *(const struct record_opts *)cmd_record.defaults;
	set_verbosity(-1);
	got = opt_parse(cmd_record.options, &l->opts, n, words, true, &l->argv, &rest, e);
	set_verbosity(level);
	if (got > 0)
		err_exit(e, (err_set(e, "name a command line to try, not a call for help"), EXIT_BAD_USAGE));
	else if (got && !e->fix[0])
		err_try(e, "'%s record -h' shows all options", tool_name());
	return got ? -1 : 0;
}

static void line_release(struct record_line *l) { vec_free(&l->opts.events); }

static bool run_check(const struct check *c, struct err *e)
{
	char *argv[WORDS_MAX + 2] = { "record" };
	struct record_trial trial = { 0 };
	struct record_line line = { 0 };
	int n = 0;

	if (c->try)
		return c->try(e) == 0;
	for (; n < WORDS_MAX && c->words[n]; n++)
		/* The array may be reordered, but the words are not changed. */
		argv[n + 1] = (char *)(uintptr_t)c->words[n];
	if (line_parse(&line, n + 1, argv, e) == 0) {
		record_try(&line.opts, line.argv, true, &trial);
		*e = trial.e;
	}
	line_release(&line);
	record_trial_release(&trial);
	return trial.ok;
}

static void run_checks(struct check_result results[DOCTOR_CHECKS])
{
	for (size_t i = 0; i < DOCTOR_CHECKS; i++) {
		results[i] = (struct check_result){ .name = checks[i].name, .what = checks[i].what };
		results[i].ok = run_check(&checks[i], &results[i].e);
	}
}

/* ---- what blocks a command line, and what would allow it ---- */

bool doctor_is_permission(const char *cause)
{
	return cause && (!strcmp(cause, "paranoid") || !strcmp(cause, "capability") || !strcmp(cause, "other-user"));
}

static bool is_tracefs(const char *cause) { return cause && !strncmp(cause, "tracefs-", 8); }

static struct doctor_step *add_step(struct diagnosis *d, const char *cause)
{
	vec_push(&d->steps, (struct doctor_step){ .cause = cause });
	return &d->steps.items[d->steps.len - 1];
}

/* Add what would allow it. `trace`: tracepoints are not readable yet. */
static void add_permission(struct diagnosis *d, const struct facts *f, bool trace)
{
	const char *cause = trace ? "paranoid" : d->trial.e.cause;
	struct permission want = {
		.system = d->trial.system,
		.kernel = d->trial.kernel,
		.trace = trace || d->trial.trace,
		.others = !strcmp(cause, "other-user"),
		.needs_capability = strcmp(cause, "paranoid") != 0,
	};
	struct doctor_step *step = add_step(d, cause);
	struct grant grant;

	for (unsigned i = 0; (grant = permission_grant(f, &want, i)).text; i++)
		vec_push(&step->grants, grant);
}

static void add_error(struct diagnosis *d, const struct err *e)
{
	struct doctor_step *step = add_step(d, e->cause ? e->cause : "other");

	if (e->fix[0])
		vec_push(&step->grants, (struct grant){ .text = xstrdup(e->fix) });
}

/*
 * Try the smallest possible event with the same rings, sampling and output: if this fails,
 * something else is in the way.
 */
static void look_behind(struct diagnosis *d, const struct record_line *line)
{
	const char *least = "cpu-clock:u";
	struct record_opts o = line->opts;
	char *argv[] = { "true", NULL };
	struct record_trial trial;

	o.events.items = &least;
	o.events.len = 1;
	o.pids = o.tids = o.uid = o.cpus = NULL;
	o.system_wide = o.phys_data = o.namespaces = false;
	record_try(&o, argv, false, &trial);
	if (!trial.ok && !doctor_is_permission(trial.e.cause))
		add_error(d, &trial.e);
	record_trial_release(&trial);
}

/* ---- without a grant ---- */

/* Smaller demands, from least to most painful. */
static const struct lesser {
	bool user_only, own_only;
	const char *text;
} lessers[] = {
	{ true, false, "--all-user" },
	{ false, true, "a command of yours instead of -a, -C, -p, -t or -u" },
	{ true, true, "--all-user, and a command of yours instead of -a, -C, -p, -t or -u" },
};

static void try_lesser(struct diagnosis *d, const struct record_line *line)
{
	char *own[] = { "true", NULL };

	for (size_t i = 0; i < ARRAY_SIZE(lessers) && !d->instead; i++) {
		struct record_opts o = line->opts;
		struct record_trial trial;

		o.all_user |= lessers[i].user_only;
		if (lessers[i].own_only) {
			o.system_wide = false;
			o.pids = o.tids = o.uid = o.cpus = NULL;
		}
		record_try(&o, lessers[i].own_only && !line->argv[0] ? own : line->argv, false, &trial);
		if (trial.ok)
			d->instead = xstrdup(lessers[i].text);
		record_trial_release(&trial);
	}
}

/* ---- with less privilege ---- */

static void try_least(struct diagnosis *d, const struct record_line *line, const struct facts *f)
{
	static const uint64_t perfmon = 1ull << FACT_CAP_PERFMON, ptrace = 1ull << FACT_CAP_SYS_PTRACE;
	const uint64_t caps[] = { 0, perfmon, perfmon | ptrace };
	struct permission want = { .needs_capability = true };
	struct record_trial trial = { 0 };
	size_t i;

	if (f->uid || f->user_namespace || !f->has_cap_perfmon || (f->caps & caps[2]) != caps[2])
		return;
	d->tested = true;
	for (i = 0; i < ARRAY_SIZE(caps); i++) {
		record_try_as(&line->opts, line->argv, caps[i], &trial);
		if (trial.ok ? trial.whole : !doctor_is_permission(trial.e.cause))
			break;
	}
	want.others = i == 2;
	if (trial.ok && trial.whole)
		d->least = i ? permission_grant(f, &want, 0).text : xstrdup("");
	else
		d->least_error = trial.e;
}

static void diagnose(struct diagnosis *d, const struct record_line *line, const struct facts *f)
{
	record_try(&line->opts, line->argv, false, &d->trial);
	d->ok = d->trial.ok;
	if (d->ok) {
		try_least(d, line, f);
		return;
	}
	if (is_tracefs(d->trial.e.cause)) {
		add_error(d, &d->trial.e);
		if (f->level > -1 && !facts_privileged(f))
			add_permission(d, f, true);
	} else if (doctor_is_permission(d->trial.e.cause)) {
		add_permission(d, f, false);
	} else {
		add_error(d, &d->trial.e);
		return;
	}
	look_behind(d, line);
	try_lesser(d, line);
}

static void diagnosis_release(struct diagnosis *d)
{
	for (size_t i = 0; i < d->steps.len; i++) {
		for (size_t j = 0; j < d->steps.items[i].grants.len; j++)
			free(d->steps.items[i].grants.items[j].text);
		vec_free(&d->steps.items[i].grants);
	}
	vec_free(&d->steps);
	free(d->instead);
	free(d->least);
	free(d->words);
	record_trial_release(&d->trial);
}

/* ---- the command ---- */

static int doctor_run(void *opts, int argc, char **argv, struct err *e)
{
	const struct doctor_opts *o = opts;
	char *plain[] = { "record", "true", NULL };
	char **words = argc ? argv : plain;
	struct diagnosis d = { .n_words = argc ? argc : 2 };
	struct check_result results[DOCTOR_CHECKS];
	struct record_line line = { 0 };
	struct facts facts;
	struct opt_list traced = { 0 };
	struct out out;
	int status;

	if (!strcmp(words[0], "trace")) {
		if (trace_record_words(argc, argv, &traced, e) < 0) {
			vec_free(&traced);
			return err_exit(e, EXIT_BAD_USAGE);
		}
		d.n_words = (int)traced.len;
		vec_push(&traced, NULL);
		words = (char **)traced.items;
	}
	if (strcmp(words[0], "record")) {
		err_set(e, "'%s' is no command line that can be tried", words[0]);
		err_try(e, "%s doctor -- record ...", tool_name());
		return err_exit(e, EXIT_BAD_USAGE);
	}
	d.words = xcalloc((size_t)d.n_words, sizeof(*d.words)); /* as they are now: parsing reorders them */
	memcpy(d.words, words, (size_t)d.n_words * sizeof(*d.words));
	status = line_parse(&line, d.n_words, words, e);
	if (!status) {
		facts_read(&facts);
		run_checks(results);
		diagnose(&d, &line, &facts);
		status = !d.ok;
		out_init_fd(&out, STDOUT_FILENO);
		(o->json ? doctor_json : doctor_text)(&out, &facts, results, &d);
		if (out_finish(&out, e) < 0)
			status = -1;
	}
	line_release(&line);
	diagnosis_release(&d);
	vec_free(&traced);
	return status;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.summary = "show what you can measure on this machine, and which permissions a command line lacks",
	.run = doctor_run,
	.usage = (const char *const[]){ "[<options>]", "[<options>] -- record [<options>] [<command>]",
					"[<options>] -- trace [<options>] [<command>]", NULL },
	.options = doctor_options,
	.opts_size = sizeof(struct doctor_opts),
	.stop_at_word = true,
	.words = "record trace",
	.subcommands = (const struct command *const[]){ &cmd_record, NULL },
};
