/* Measure a feature with the installed perf: the same event over the same work, in `strobe test -w known`. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <sys/wait.h>

#include "base/file.h"
#include "cmd/test/hardware_priv.h"

enum { OUTPUT_MAX = 8 << 20, PATIENCE_S = 20 };

/*
 * Return true if this file is the running program: called as perf, strobe must not take itself for
 * perf.
 */
static bool is_strobe(const char *path)
{
	autofree char *own = realpath("/proc/self/exe", NULL), *other = realpath(path, NULL);

	return own && other && !strcmp(own, other);
}

char *hardware_find_perf(void)
{
	autofree char *path = xstrdup(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
	char *rest = NULL;

	for (char *dir = strtok_r(path, ":", &rest); dir; dir = strtok_r(NULL, ":", &rest)) {
		char *perf = xasprintf("%s/perf", dir);

		if (*dir == '/' && !access(perf, X_OK) && !is_strobe(perf))
			return perf;
		free(perf);
	}
	return NULL;
}

/* ---- running it ---- */

struct peer_command {
	char *argv[32];
	size_t n;
};

static void add(struct peer_command *c, char *word)
{
	if (c->n + 1 < ARRAY_SIZE(c->argv))
		c->argv[c->n++] = word;
}

static void add_copy(struct peer_command *c, const char *word) { add(c, xstrdup(word)); }

static void peer_command_free(struct peer_command *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->argv[i]);
	c->n = 0;
}

/* Wait, but not forever. Return the exit status, -1 if it did not exit. */
static int wait_for(pid_t pid)
{
	int status = 0;

	for (int tenths = 0; tenths < PATIENCE_S * 10; tenths++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		usleep(100000 / (tenths ? 1 : 10));
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

/*
 * Run with standard error in the file `log`. Return the exit status, -1 if it did not start or did
 * not exit.
 */
static int run(struct peer_command *c, const char *log)
{
	posix_spawn_file_actions_t actions;
	int status = -1;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (!posix_spawn(&pid, c->argv[0], &actions, NULL, c->argv, environ))
		status = wait_for(pid);
	posix_spawn_file_actions_destroy(&actions);
	return status;
}

static void add_work(struct peer_command *c, const struct hardware_feature *f, uint64_t n)
{
	autofree char *self = realpath("/proc/self/exe", NULL);

	add_copy(c, "--");
	add_copy(c, self ? self : "strobe");
	add_copy(c, "test");
	add_copy(c, "-w");
	add_copy(c, "known");
	add(c, xasprintf("%u", f->work ? hardware_work_number(f->work) : 0));
	add(c, xasprintf("%llu", (unsigned long long)n));
}

/* ---- reading what it prints ---- */

/*
 * Return the number behind a name at the start of a line of the first attr that -vv prints; 0 if it
 * is not there.
 */
static uint64_t attr_number(const char *attr, const char *end, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = attr; line && line < end; line = strchr(line, '\n')) {
		line += *line == '\n';
		line += strspn(line, " ");
		if (!strncmp(line, name, len) && line[len] == ' ')
			return strtoull(line + len + strspn(line + len, " "), NULL, 0);
	}
	return 0;
}

/*
 * perf prints an attr for each try, and for events of its own. Read the last one that is like ours, else the
 * first. Return false when there is none.
 */
static bool read_attr(const char *text, const struct hardware_attr *ours, struct hardware_attr *attr)
{
	static const char head[] = "perf_event_attr:";
	bool found = false;

	for (const char *at = strstr(text, head); at; at = strstr(at + 1, head)) {
		const char *end = strstr(at, "\n---");
		struct hardware_attr a = { 0 };

		end = end ? end : at + strlen(at);
		a.type = (uint32_t)attr_number(at, end, "type");
		a.config = attr_number(at, end, "config");
		a.config1 = attr_number(at, end, "{ bp_addr, config1 }") | attr_number(at, end, "config1");
		a.precise = (unsigned)attr_number(at, end, "precise_ip");
		if (!found || (a.type == ours->type && a.config == ours->config))
			*attr = a;
		found = true;
	}
	return found;
}

/*
 * Return the first number of "7,,instructions:u,..."; -1 for "<not counted>". Lines of other text
 * may come first.
 */
static int64_t read_count(const char *path)
{
	autofree char *text = file_read(path, OUTPUT_MAX, NULL, NULL);

	for (char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (isdigit((unsigned char)*line))
			return strtoll(line, NULL, 10);
	return -1;
}

/* Return 17 for "[ perf record: Captured and wrote 0.02 MB FILE (17 samples) ]". */
static int64_t read_samples(const char *text)
{
	const char *wrote = strstr(text, "Captured and wrote"), *open = wrote ? strrchr(wrote, '(') : NULL;

	return open && strstr(open, " samples)") ? strtoll(open + 1, NULL, 10) : wrote ? 0 : -1;
}

/* ---- the two ways to measure ---- */

/* Count the work of size n. Return -1 if perf is refused. */
static int64_t count(const struct hardware_feature *f, const char *perf, const char *dir, uint64_t n,
		     const struct hardware_attr *ours, struct hardware_attr *a)
{
	autofree char *log = xasprintf("%s/log", dir), *csv = xasprintf("%s/csv", dir), *text = NULL;
	struct peer_command c = { 0 };
	int status;

	add_copy(&c, perf);
	add_copy(&c, "stat");
	add_copy(&c, "-vv");
	add_copy(&c, "-x,");
	add_copy(&c, "-o");
	add_copy(&c, csv);
	if (!f->work)
		add_copy(&c, "-a");
	add_copy(&c, "-e");
	add_copy(&c, f->event);
	add_work(&c, f, n);
	status = run(&c, log);
	peer_command_free(&c);
	text = file_read(log, OUTPUT_MAX, NULL, NULL);
	return status || !text || !read_attr(text, ours, a) ? -1 : read_count(csv);
}

/* Record. Return the number of samples, or -1. */
static int64_t record(const struct hardware_feature *f, const char *perf, const char *dir,
		      const struct hardware_attr *ours, struct hardware_attr *a)
{
	autofree char *log = xasprintf("%s/log", dir), *data = xasprintf("%s/data", dir), *text = NULL;
	bool clock = strstr(f->event, "clock");
	struct peer_command c = { 0 };
	int status;

	add_copy(&c, perf);
	add_copy(&c, "record");
	add_copy(&c, "-vv");
	add_copy(&c, "-o");
	add_copy(&c, data);
	if (f->kind == HARDWARE_SAMPLES && f->sample != HARDWARE_TRACED) {
		add_copy(&c, "-c");
		add(&c, xasprintf("%d", clock ? HARDWARE_CLOCK_PERIOD : HARDWARE_PERIOD));
	}
	if (f->sample == HARDWARE_CHAIN)
		add_copy(&c, "-g");
	if (f->sample == HARDWARE_BRANCH)
		add_copy(&c, "-jany,u");
	if (f->sample == HARDWARE_CALL_STACK)
		add_copy(&c, "--call-graph=lbr");
	if (f->sample == HARDWARE_ADDRESS || f->sample == HARDWARE_SOME_ADDRESS)
		add_copy(&c, "-d");
	add_copy(&c, "-e");
	add_copy(&c, f->event);
	add_work(&c, f, f->n);
	status = run(&c, log);
	peer_command_free(&c);
	text = file_read(log, OUTPUT_MAX, NULL, NULL);
	if (status || !text || strstr(text, "trying to fall back to cpu-clock")) /* another event cannot be compared */
		return -1;
	return read_attr(text, ours, a) ? read_samples(text) : -1;
}

void hardware_measure_peer(const struct hardware_feature *f, const char *perf, const struct hardware_attr *ours,
			   struct hardware_peer *peer)
{
	const char *tmp = getenv("TMPDIR");
	autofree char *dir = xasprintf("%s/strobe-hardware-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	static const char *const files[] = { "log", "csv", "data", "data.old" };
	bool sampled = f->kind == HARDWARE_SAMPLES || f->kind == HARDWARE_BYTES;
	int64_t got, start = 0;

	/*
	 * Do not run perf for these: a breakpoint's address is known only in this process; the
	 * truth of a shared count is not known for perf; a trace is not decoded while it records.
	 */
	if (!f->event || f->sample == HARDWARE_TRACED || f->kind == HARDWARE_SCALED ||
	    (f->work && hardware_work_number(f->work) == UINT_MAX) || !mkdtemp(dir))
		return;
	got = sampled ? record(f, perf, dir, ours, &peer->attr) : count(f, perf, dir, f->n, ours, &peer->attr);
	if (got >= 0 && !sampled && f->per_n) { /* subtract what the start of the program counts */
		struct hardware_attr same;

		start = count(f, perf, dir, 0, ours, &same);
	}
	peer->did = got < 0 ? HARDWARE_PEER_REFUSED : HARDWARE_PEER_DID;
	peer->got = got < 0 ? 0 : (uint64_t)(got > start ? got - start : 0);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		autofree char *path = xasprintf("%s/%s", dir, files[i]);

		unlink(path);
	}
	rmdir(dir);
}
