/* strobe profile: record with what works best here, say what is striking, and write a page to look at. */
#include "cmd/commands.h"
#include "cmd/shared/options.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#include "cmd/record_options.h"
#include "record/record.h"
#include "symbols/arch/arch.h"

struct profile_cmd {
	const char *pids, *output;
	bool system_wide, open;
	uint64_t freq;
};
#define AT(member) offsetof(struct profile_cmd, member)

static const struct opt profile_options[] = {
	{ 0, "pid", OPT_INCLUDE, AT(pids), NULL, "profile existing processes", .rows = target_options },
	{ 0, "all-cpus", OPT_INCLUDE, AT(system_wide), NULL, "profile the whole system", .rows = target_options },
	{ 'F', "freq", OPT_U64, AT(freq), "n", "samples per second (999)" },
	{ 'o', "output", OPT_STR, AT(output), "file", "the recording (perf.data); profile.html is written beside it" },
	{ 0, "open", OPT_BOOL, AT(open), NULL, "open the page in $BROWSER, or with xdg-open", OPT_OURS },
	{ 0, NULL, OPT_INCLUDE, 0, .rows = talk_options },
	{ 0 },
};
static const struct profile_cmd profile_defaults = { .output = "perf.data", .freq = 999 };

/* ---- progress ---- */

struct progress_line {
	const char *path;
	pthread_t thread;
	atomic_bool over;
	bool runs;
};

static double seconds_of(const struct timeval *t) { return (double)t->tv_sec + (double)t->tv_usec / 1e6; }

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Show every half second how long it runs, how large the file is, and how much of a CPU we take ourselves. */
static void *show_progress(void *arg)
{
	enum { TICK_MS = 100, TICKS = 5 };
	struct progress_line *p = arg;
	double start = now(CLOCK_MONOTONIC);

	for (unsigned tick = 1; !atomic_load(&p->over); tick++) {
		struct stat st = { 0 };
		struct rusage own;
		double passed = now(CLOCK_MONOTONIC) - start;

		nanosleep(&(struct timespec){ .tv_nsec = TICK_MS * 1000000 }, NULL);
		if (tick % TICKS || getrusage(RUSAGE_SELF, &own) < 0 || stat(p->path, &st) < 0)
			continue;
		fprintf(stderr, "\r[ recording: %.0f s, %.1f MB, own cost %.1f %% of a CPU ]\033[K", passed,
			(double)st.st_size / (1 << 20),
			100 * (seconds_of(&own.ru_utime) + seconds_of(&own.ru_stime)) / passed);
	}
	fputs("\r\033[K", stderr);
	return NULL;
}

static void progress_start(struct progress_line *p)
{
	p->runs = verbose >= 0 && isatty(STDERR_FILENO) && !pthread_create(&p->thread, NULL, show_progress, p);
}

static void progress_end(struct progress_line *p)
{
	atomic_store(&p->over, true);
	if (p->runs)
		pthread_join(p->thread, NULL);
}

/* ---- recording ---- */

/* Whether stacks can be unwound here while recording: the best there is. Else frame pointers must do. */
static bool can_unwind(void)
{
	const struct arch *arch;
	struct utsname u;

	if (uname(&u) < 0)
		return false;
	arch = arch_find(u.machine);
	return arch && arch->n_dwarf;
}

static int record(const struct profile_cmd *p, char **command, struct record_result *result, struct err *e)
{
	struct record_opts o = RECORD_DEFAULTS;
	struct progress_line line = { .path = p->output };
	struct config settings = { 0 };
	int status;

	o.pids = p->pids;
	o.output = p->output;
	o.freq = p->freq;
	o.freq_given = true;
	o.system_wide = p->system_wide || (!p->pids && !command[0]);
	o.tell = usual_teller();
	settings_load(&settings);
	status = record_parse_chain(&o, can_unwind() ? "live" : "fp", e);
	if (!status)
		status = record_apply_settings(&o, &settings, e);
	if (!status) {
		progress_start(&line);
		status = record_run(&o, command, result, e);
		progress_end(&line);
	}
	config_release(&settings);
	return status;
}

/* ---- what comes of it ---- */

static char *page_path(const char *recording)
{
	const char *slash = strrchr(recording, '/');

	return xasprintf("%.*sprofile.html", slash ? (int)(slash + 1 - recording) : 0, recording);
}

/* Start the browser, and do not wait for it. */
static int open_page(const char *path, struct err *e)
{
	const char *browser = getenv("BROWSER"), *program = browser && *browser ? browser : "xdg-open";
	pid_t child = fork();

	if (child < 0)
		return err_sys(e, "cannot start '%s'", program);
	if (!child) {
		setsid();
		execlp(program, program, path, (char *)NULL);
		_exit(127);
	}
	/* A program that is missing ends at once. */
	for (int i = 0, status; i < 20; i++) {
		if (waitpid(child, &status, WNOHANG) == child) {
			if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
				err_set(e, "cannot start '%s'", program);
				return err_try(e, "BROWSER=PROGRAM, or open '%s' yourself", path);
			}
			break;
		}
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	return 0;
}

static int present(const struct profile_cmd *p, const char *recording, struct err *e)
{
	autofree char *page = page_path(recording);
	const char *brief[] = { "report", "--brief", "--input", recording };
	const char *html[] = { "flamegraph", "--html", "--input", recording, "--output", page };
	int status = command_call(&cmd_report, ARRAY_SIZE(brief), (char **)brief, e);

	if (status >= 0 && command_call(&cmd_flamegraph, ARRAY_SIZE(html), (char **)html, e) < 0)
		status = -1;
	if (status >= 0 && p->open)
		status = open_page(page, e);
	return status;
}

static int profile_run(void *options, int argc, char **argv, struct err *e)
{
	const struct profile_cmd *p = options;
	struct record_result result = { 0 };
	int status;

	if (!strcmp(p->output, "-")) {
		err_set(e, "the profile needs a file: it is read again");
		err_try(e, "-o FILE; for a stream, %s record -o -", tool_name());
		return err_exit(e, EXIT_BAD_USAGE);
	}
	status = record(p, argv, &result, e);
	if (!status && result.path)
		status = present(p, result.path, e);
	free(result.path);
	free(result.dump);
	return status;
}

const struct command cmd_profile = {
	.name = "profile",
	.summary = "record, say what is striking, and write a page to look at",
	.run = profile_run,
	.usage = (const char *const[]){ "[<options>] [<command>]", "[<options>] -- <command> [<options>]", NULL },
	.options = profile_options,
	.defaults = &profile_defaults,
	.opts_size = sizeof(struct profile_cmd),
	.stop_at_word = true,
	.words = "@program",
};
