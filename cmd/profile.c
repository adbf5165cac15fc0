/* strobe profile: record with the best options for this machine, print a summary, and write an HTML page. */
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
	bool system_wide, wall, open;
	uint64_t freq;
};
#define AT(member) offsetof(struct profile_cmd, member)

static const struct opt profile_options[] = {
	{ 0, "pid", OPT_INCLUDE, AT(pids), NULL, "profile existing processes", .rows = target_options },
	{ 0, "all-cpus", OPT_INCLUDE, AT(system_wide), NULL, "profile the whole system", .rows = target_options },
	{ 'F', "freq", OPT_U64, AT(freq), "n", "samples per second (999)" },
	{ 'o', "output", OPT_STR, AT(output), "file", "the recording (perf.data); profile.html is written beside it" },
	{ 0, "wall", OPT_BOOL, AT(wall), NULL,
	  "what threads wait for, too: wall-clock time in the page, waits in the brief", OPT_OURS },
	{ 0, "open", OPT_BOOL, AT(open), NULL, "open the page in $BROWSER, or with xdg-open", OPT_OURS },
	{ 0, NULL, OPT_INCLUDE, 0, .rows = talk_options },
	{ 0 },
};
static const struct profile_cmd profile_defaults = { .output = "perf.data", .freq = 999 };

/* ---- progress ---- */

struct progress_line {
	const char *path;
	struct record_progress recorded;
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

/* What was reached at a moment; a rate is the difference of two. */
struct progress_mark {
	double time, cpu; /* seconds; cpu: our own */
	uint64_t samples;
};

static struct progress_mark mark_progress(struct progress_line *p)
{
	struct progress_mark m = { .time = now(CLOCK_MONOTONIC), .samples = atomic_load(&p->recorded.samples) };
	struct rusage own;

	if (getrusage(RUSAGE_SELF, &own) == 0)
		m.cpu = seconds_of(&own.ru_utime) + seconds_of(&own.ru_stime);
	return m;
}

static void print_progress(struct progress_line *p, double start, const struct progress_mark *before)
{
	struct progress_mark m = mark_progress(p);
	double passed = m.time - before->time;
	struct stat st = { 0 };

	if (stat(p->path, &st) < 0)
		return;
	fprintf(stderr, "\r[ recording: %.0f s, %.0f samples/s, %.1f MB, %llu lost, own cost %.1f %% of a CPU ]\033[K",
		m.time - start, (double)(m.samples - before->samples) / passed, (double)st.st_size / (1 << 20),
		(unsigned long long)atomic_load(&p->recorded.lost), 100 * (m.cpu - before->cpu) / passed);
}

/* Show every half second how far the recording is. Rates are those of the last second. */
static void *show_progress(void *arg)
{
	enum { TICK_MS = 100, TICKS = 5, MARKS = 2 };
	struct progress_line *p = arg;
	struct progress_mark marks[MARKS] = { mark_progress(p), mark_progress(p) };
	double start = marks[0].time;

	for (unsigned tick = 1; !atomic_load(&p->over); tick++) {
		struct progress_mark *oldest = &marks[tick / TICKS % MARKS];

		nanosleep(&(struct timespec){ .tv_nsec = TICK_MS * 1000000 }, NULL);
		if (tick % TICKS)
			continue;
		print_progress(p, start, oldest);
		*oldest = mark_progress(p);
	}
	fputs("\r\033[K", stderr);
	return NULL;
}

static void progress_start(struct progress_line *p)
{
	p->runs = verbosity() >= 0 && isatty(STDERR_FILENO) && !pthread_create(&p->thread, NULL, show_progress, p);
}

static void progress_end(struct progress_line *p)
{
	atomic_store(&p->over, true);
	if (p->runs)
		pthread_join(p->thread, NULL);
}

/* ---- recording ---- */

/*
 * Return true if stacks can be unwound here while recording, which is best. Otherwise use frame
 * pointers.
 */
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
	o.wall = p->wall;
	settings_load(&settings);
	status = record_parse_chain(&o, can_unwind() ? "live" : "fp", e);
	if (!status)
		status = record_apply_settings(&o, &settings, e);
	if (!status && p->wall)
		status = record_apply_waits(&o, e);
	if (!status) {
		progress_start(&line);
		o.progress = line.runs ? &line.recorded : NULL;
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

/* Start the browser, but do not wait for it. */
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
	/* a missing program ends at once */
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
	const char *html[] = { "flamegraph", "--html", p->wall ? "--wall" : "--with-code", "--input", recording,
			       "--output",   page };
	int status = command_call(&cmd_report, ARRAY_SIZE(brief), (char **)brief, e);

	session_notes_said();
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
	.summary = "record, print a summary, and write an HTML page",
	.run = profile_run,
	.usage = (const char *const[]){ "[<options>] [<command>]", "[<options>] -- <command> [<options>]", NULL },
	.options = profile_options,
	.defaults = &profile_defaults,
	.opts_size = sizeof(struct profile_cmd),
	.stop_at_word = true,
	.words = "@program",
};
