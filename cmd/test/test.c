/* strobe test: workloads to record, and self-tests of the program. */
#include <limits.h>
#include <poll.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/new_file.h"
#include "base/units.h"
#include "cmd/commands.h"
#include "cmd/shared/options.h"
#include "cmd/test/hardware_priv.h"
#include "cmd/test/workloads_priv.h"
#include "events/control.h"

struct test_opts {
	const char *workload, *record_ctl, *junit, *input, *output;
	bool list_workloads, here, none, hardware;
	int v;
};
#define AT(member) offsetof(struct test_opts, member)

static const char not_ours[] = "these are the tests of perf's sources; ours are run by ctest";
static const struct opt test_options[] = {
	{ 'w', "workload", OPT_STR, AT(workload), "name", "run this program, whose profile is known" },
	{ 0, "list-workloads", OPT_BOOL, AT(list_workloads), NULL,
	  "list the programs that -w runs; -v: and what they do" },
	{ 0, "record-ctl", OPT_STR, AT(record_ctl), "fifo:ctl[,ack]",
	  "write 'enable' to this FIFO before the program of -w and 'disable' after it" },
	{ 0, "hardware", OPT_BOOL, AT(hardware), NULL,
	  "measure programs whose results are known, with each feature of this machine's counters", OPT_OURS },
	{ 'o', "output", OPT_STR, AT(output), "file", "with --hardware: write the results as JSON, for bug reports",
	  OPT_OURS },
	{ 0, "input", OPT_INCLUDE, AT(input), "file",
	  "with --hardware: print the lines for these results instead of measuring", OPT_OURS, .rows = usual_options },
	{ 0, "verbose", OPT_INCLUDE, AT(v), NULL, "say what is tested", .rows = usual_options },
	{ 'F', "dont-fork", OPT_BOOL, AT(here), NULL, "accepted without effect: checks always run in this process" },
	{ 'j', "junit", OPT_STR_OPT, AT(junit), "file", "write the results as JUnit XML (default: test.xml)" },
	{ 'r', "runs-per-test", OPT_STR, AT(none), "n", not_ours, OPT_REFUSED },
	{ 'S', "sequential", OPT_BOOL, AT(none), NULL, not_ours, OPT_REFUSED },
	{ 's', "skip", OPT_STR, AT(none), "tests", not_ours, OPT_REFUSED },
	{ 0, "dso", OPT_STR, AT(none), "dso", not_ours, OPT_REFUSED },
	{ 0, "objdump", OPT_STR, AT(none), "path", not_ours, OPT_REFUSED },
	{ 0, "failure-snippet-lines", OPT_STR, AT(none), "n", not_ours, OPT_REFUSED },
	{ 0 },
};

/* ---- workloads ---- */

/* Print names only, for scripts; with -v also descriptions. */
static int list_workloads(struct err *e)
{
	struct out o;

	out_init_fd(&o, STDOUT_FILENO);
	for (const struct test_workload *w = workloads; w->name; w++)
		if (verbosity())
			out_fmt(&o, "%-20s %-22s %s\n", w->name, w->args, w->text);
		else
			out_fmt(&o, "%s\n", w->name);
	return out_finish(&o, e);
}

static const struct test_workload *find_workload(const char *name, struct err *e)
{
	const char *names[64] = { 0 };
	size_t n = 0;

	for (const struct test_workload *w = workloads; w->name; w++) {
		if (!strcmp(w->name, name))
			return w;
		if (n + 1 < ARRAY_SIZE(names))
			names[n++] = w->name;
	}
	err_set(e, "no workload '%s'", name);
	opt_try_near(e, name, names, "test --list-workloads");
	err_exit(e, EXIT_BAD_USAGE);
	return NULL;
}

static int read_args(const struct test_workload *w, int argc, char **argv, struct workload_args *args, struct err *e)
{
	memcpy(args->number, w->defaults, sizeof(args->number));
	for (int i = 0; i < argc; i++) {
		char *end;

		if (i >= WORKLOAD_ARGS || !w->most[i]) {
			err_set(e, "workload '%s' takes no argument '%s'", w->name, argv[i]);
			err_try(e, "-w %s%s%s", w->name, *w->args ? " " : "", w->args);
			return err_exit(e, EXIT_BAD_USAGE);
		}
		args->number[i] = strtod(argv[i], &end);
		if (!*argv[i] || *end || !(args->number[i] >= 0 && args->number[i] <= w->most[i])) {
			err_set(e, "bad argument '%s' of workload '%s'", argv[i], w->name);
			err_try(e, "-w %s %s, a number up to %.0f", w->name, w->args, w->most[i]);
			return err_exit(e, EXIT_BAD_USAGE);
		}
	}
	return 0;
}

/* Tell the recorder, and wait for its answer if it can answer. */
static int tell_recorder(const struct control *c, const char *word, struct err *e)
{
	struct pollfd answer = { .fd = c->ack, .events = POLLIN };
	enum { PATIENCE_MS = 10000 };
	char text[16];

	if (c->fd < 0)
		return 0;
	if (write_all(c->fd, word, strlen(word)) < 0)
		return err_sys(e, "cannot write to the FIFO of --record-ctl");
	if (c->ack < 0)
		return 0;
	if (poll(&answer, 1, PATIENCE_MS) <= 0 || read(c->ack, text, sizeof(text)) <= 0) {
		err_set(e, "the recorder does not answer on the FIFO of --record-ctl");
		return err_try(e, "record with --control fifo:CTL,ACK and the same two FIFOs");
	}
	return 0;
}

static int run_workload(const struct test_opts *t, int argc, char **argv, struct err *e)
{
	const struct test_workload *w = find_workload(t->workload, e);
	struct control c = { .fd = -1, .ack = -1 };
	struct workload_args args;
	int result;

	if (!w || read_args(w, argc, argv, &args, e) < 0)
		return -1;
	if (t->record_ctl && control_open(&c, t->record_ctl, e) < 0)
		return err_in(e, "--record-ctl");
	result = tell_recorder(&c, "enable\n", e);
	if (!result)
		result = w->run(&args, e);
	if (!result)
		result = tell_recorder(&c, "disable\n", e);
	control_close(&c);
	return result;
}

/* ---- tests ---- */

/* Select by a part of the name, in any case, or by number; without words select all. */
static bool is_meant(const struct self_test *test, int argc, char **argv)
{
	char number[16];

	snprintf(number, sizeof(number), "%zu", (size_t)(test - self_tests) + 1);
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], number) || strcasestr(test->name, argv[i]))
			return true;
	return argc == 0;
}

static int list_tests(int argc, char **argv, struct err *e)
{
	struct out o;

	out_init_fd(&o, STDOUT_FILENO);
	for (const struct self_test *test = self_tests; test->name; test++)
		if (is_meant(test, argc, argv))
			out_fmt(&o, "%3zu: %s (%s)\n", (size_t)(test - self_tests) + 1, test->name, test->text);
	return out_finish(&o, e);
}

struct result {
	const struct self_test *test;
	struct err why; /* empty if it passed */
	double seconds;
};
struct results {
	VEC(struct result);
	size_t failed;
};

static void run_test(const struct self_test *test, struct results *all)
{
	struct result r = { .test = test };
	uint64_t start = now_ns();
	bool failed = test->run(&r.why) < 0;

	r.seconds = (double)(now_ns() - start) / 1e9;
	all->failed += failed;
	vec_push(all, r);
	say("%3zu: %-40s : %s", (size_t)(test - self_tests) + 1, test->name, failed ? "FAILED!" : "Ok");
	if (failed)
		say("     %s%s%s", r.why.what, r.why.why[0] ? ": " : "", r.why.why);
}

/*
 * Write the form that Jenkins and others read: a suite with a case for each test, and why it
 * failed.
 */
static int write_junit(const struct results *all, const char *path, struct err *e)
{
	struct new_file file;

	if (new_file_open(&file, path, e) < 0)
		return -1;
	out_fmt(&file.out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		"  <testsuite name=\"strobe\" tests=\"%zu\" failures=\"%zu\">\n",
		all->len, all->failed);
	for (size_t i = 0; i < all->len; i++) {
		const struct result *r = &all->items[i];

		out_str(&file.out, "    <testcase classname=\"strobe\" name=\"");
		out_xml(&file.out, r->test->name);
		out_fmt(&file.out, "\" time=\"%.3f\"", r->seconds);
		if (!r->why.what[0]) {
			out_str(&file.out, "/>\n");
			continue;
		}
		out_str(&file.out, ">\n      <failure message=\"");
		out_xml(&file.out, r->why.what);
		out_str(&file.out, "\">");
		out_xml(&file.out, r->why.why);
		out_str(&file.out, "</failure>\n    </testcase>\n");
	}
	out_str(&file.out, "  </testsuite>\n</testsuites>\n");
	return new_file_finish(&file, e);
}

static int run_tests(const char *junit, int argc, char **argv, struct err *e)
{
	struct results all = { 0 };
	int status;

	for (const struct self_test *test = self_tests; test->name; test++)
		if (is_meant(test, argc, argv))
			run_test(test, &all);
	status = all.failed ? 1 : 0;
	if (junit && write_junit(&all, *junit ? junit : "test.xml", e) < 0) {
		status = -1;
	} else if (!all.len) {
		status = err_set(e, "no test '%s'", argv[0]);
		err_try(e, "'%s test list' lists them; perf's own tests are not here", tool_name());
	}
	vec_free(&all);
	return status;
}

static int test_run(void *opts, int argc, char **argv, struct err *e)
{
	const struct test_opts *t = opts;

	raise_verbosity(t->v);
	if (t->hardware && (t->workload || t->list_workloads || argc)) {
		err_set(e, "--hardware runs programs of its own and takes no '%s'",
			t->workload         ? "-w"
			: t->list_workloads ? "--list-workloads"
					    : argv[0]);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (t->hardware)
		return hardware_test(t->input, t->output, e);
	if (t->output || t->input) {
		err_set(e, "-%c is for --hardware", t->output ? 'o' : 'i');
		err_try(e, "--hardware -%c FILE", t->output ? 'o' : 'i');
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (t->list_workloads)
		return list_workloads(e);
	if (t->workload)
		return run_workload(t, argc, argv, e);
	if (t->record_ctl) {
		err_set(e, "--record-ctl is for a workload");
		err_try(e, "-w NAME; --list-workloads lists the names");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (argc && !strcmp(argv[0], "list"))
		return list_tests(argc - 1, argv + 1, e);
	return run_tests(t->junit, argc, argv, e);
}

const struct command cmd_test = {
	.name = "test",
	.summary = "run a program with a known profile, or check this program",
	.run = test_run,
	.usage = (const char *const[]){ "-w <workload> [<number>...]", "[<options>] [list] [<name>...]", NULL },
	.options = test_options,
	.opts_size = sizeof(struct test_opts),
};
