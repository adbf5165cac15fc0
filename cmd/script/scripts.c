/* Find, list and run the pairs of shell scripts that record for a script and evaluate with it. */
#include "cmd/script/scripts_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "base/file.h"
#include "cmd/commands.h"

enum { PAIR_MAX = 64 << 10 }; /* maximum size of such a script, in bytes */

/* Where packages of perf install them. */
static const char *const usual_dirs[] = { "/usr/lib/perf-core", "/usr/libexec/perf-core", "/usr/share/perf-core" };

const char *scripts_dir(void)
{
	const char *dir = getenv("PERF_EXEC_PATH");

	for (size_t i = 0; (!dir || !*dir) && i < ARRAY_SIZE(usual_dirs); i++) {
		autofree char *scripts = xasprintf("%s/scripts", usual_dirs[i]);

		if (!access(scripts, X_OK))
			dir = usual_dirs[i];
	}
	return dir && *dir ? dir : usual_dirs[0];
}

/*
 * Return the text after "# key: " or "#key: " in a script, NULL if there is none. The caller frees
 * it.
 */
static char *told(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = strchr(text, '\n'); line; line = strchr(line, '\n')) {
		line++;
		if (*line != '#')
			continue;
		line += 1 + strspn(line + 1, " \t");
		if (strncmp(line, key, len) || line[len] != ':')
			continue;
		line += len + 1;
		line += strspn(line, " \t");
		return xstrndup(line, strcspn(line, "\n"));
	}
	return NULL;
}

/* Below DIR/scripts, in the order of perf's list. */
static const char *const pair_dirs[] = { "perl", "python" };

/*
 * Return the path of a script in the first language that has it; if none has it, a path that does
 * not exist.
 */
static char *pair_path(const char *name, const char *kind)
{
	char *path = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(pair_dirs); i++) {
		free(path);
		path = xasprintf("%s/scripts/%s/bin/%s-%s", scripts_dir(), pair_dirs[i], name, kind);
		if (!access(path, F_OK))
			break;
	}
	return path;
}

/* ---- the list ---- */

static int is_report(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return d->d_name[0] != '.' && len > 7 && !strcmp(d->d_name + len - 7, "-report");
}

static void list_one(const char *dir, const char *file, struct out *o)
{
	autofree char *path = xasprintf("%s/%s", dir, file);
	autofree char *text = file_read(path, PAIR_MAX, NULL, NULL);
	autofree char *description = text ? told(text, "description") : NULL;
	autofree char *args = text ? told(text, "args") : NULL;
	autofree char *name =
		xasprintf("%.*s%s%s", (int)(strlen(file) - 7), file, args && *args ? " " : "", args ? args : "");

	out_str(o, "  ");
	out_name_pad(o, name, -36);
	out_char(o, ' ');
	out_name(o, description ? description : "");
	out_char(o, '\n');
}

/* Return false when there is no such directory. */
static bool list_language(const char *language, struct out *o)
{
	autofree char *dir = xasprintf("%s/scripts/%s/bin", scripts_dir(), language);
	struct dirent **files = NULL;
	int n = scandir(dir, &files, is_report, alphasort);

	for (int i = 0; i < n; i++) {
		list_one(dir, files[i]->d_name, o);
		free(files[i]);
	}
	free(files);
	return n >= 0;
}

int scripts_list(struct err *e)
{
	bool found = false;
	struct out o;

	out_init_fd(&o, STDOUT_FILENO);
	out_str(&o, "List of available trace scripts:\n");
	for (size_t i = 0; i < ARRAY_SIZE(pair_dirs); i++)
		found |= list_language(pair_dirs[i], &o);
	if (!found) {
		out_release(&o);
		err_sys(e, "cannot list the scripts in '%s/scripts'", scripts_dir());
		return err_try(e, "PERF_EXEC_PATH=DIR, which has scripts/python/bin/NAME-record and NAME-report");
	}
	out_char(&o, '\n');
	return out_finish(&o, e);
}

/* ---- running them ---- */

struct words {
	VEC(char *);
};

static void add(struct words *w, const char *word) { vec_push(w, (char *)word); }

static void add_all(struct words *w, char **words, int n)
{
	for (int i = 0; i < n; i++)
		add(w, words[i]);
}

/* Return true if the words contain a command for record, besides its options. */
static bool have_command(int argc, char **argv)
{
	autofree void *opts = xcalloc(1, cmd_record.opts_size);
	struct words copy = { 0 };
	char **rest;
	int n = 0, rc;

	if (cmd_record.defaults)
		memcpy(opts, cmd_record.defaults, cmd_record.opts_size);
	add(&copy, "record");
	add_all(&copy, argv, argc);
	add(&copy, NULL);
	rc = opt_parse(cmd_record.options, opts, argc + 1, copy.items, true, &rest, &n, NULL);
	vec_free(&copy);
	return rc == 0 && n > 0;
}

/* Begin a command line: the script's interpreter and the script, with `perf` set to this program. */
static void begin_words(struct words *w, const char *path)
{
	autofree char *text = file_read(path, PAIR_MAX, NULL, NULL);
	bool bash = text && strstr(text, "bash") && strstr(text, "bash") < strchrnul(text, '\n');

	add(w, bash ? "/bin/bash" : "/bin/sh");
	add(w, "-c");
	add(w, "perf() { \"$STROBE_SELF\" \"$@\"; }; . \"$0\"");
	add(w, path);
}

/*
 * Start the command. `in`, `out`: its standard input and output; -1 = ours. Return -1 with e on
 * failure.
 */
static pid_t start(struct words *w, int in, int out, struct err *e)
{
	pid_t pid;

	add(w, NULL);
	pid = fork();
	if (pid == 0) {
		if ((in >= 0 && dup2(in, STDIN_FILENO) < 0) || (out >= 0 && dup2(out, STDOUT_FILENO) < 0))
			_exit(127);
		execv(w->items[0], w->items);
		_exit(127);
	}
	return pid < 0 ? err_sys(e, "cannot start '%s'", w->items[0]) : pid;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_FAILED;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int not_found(const char *name, struct err *e)
{
	err_set(e, "  Error: Couldn't find script `%s'", name);
	err_try(e, "'%s script -l' lists those in %s", tool_name(), scripts_dir());
	return err_exit(e, EXIT_BAD_USAGE);
}

static int run_one(const char *name, const char *kind, struct words *args, struct err *e)
{
	autofree char *path = pair_path(name, kind);
	struct words w = { 0 };
	pid_t pid;

	if (strchr(name, '/') || access(path, R_OK))
		return not_found(name, e);
	begin_words(&w, path);
	add_all(&w, args->items, (int)args->len);
	pid = start(&w, -1, -1, e);
	vec_free(&w);
	return pid < 0 ? -1 : wait_for(pid);
}

/* Count the words in angle brackets after "# args:", which must be given. */
static int args_needed(const char *path)
{
	autofree char *text = file_read(path, PAIR_MAX, NULL, NULL);
	autofree char *args = text ? told(text, "args") : NULL;
	int n = 0;

	for (const char *s = args; s && *s; s++)
		n += *s == '<';
	return n;
}

/* Run both scripts: one records into a pipe, the other reads from it. */
static int run_live(const char *name, int argc, char **argv, bool all_cpus, struct err *e)
{
	autofree char *recorder = pair_path(name, "record"), *reporter = pair_path(name, "report");
	int needed = args_needed(reporter), pipe_ends[2], status;
	struct words record = { 0 }, report = { 0 };
	pid_t first, second;

	if (strchr(name, '/') || access(recorder, R_OK) || access(reporter, R_OK))
		return not_found(name, e);
	if (argc < needed) {
		err_set(e, "  Error: `%s' script requires options.", name);
		err_try(e, "'%s script -l' tells which", tool_name());
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (pipe2(pipe_ends, O_CLOEXEC) < 0)
		return err_sys(e, "cannot make a pipe");
	begin_words(&record, recorder);
	add(&record, "-q");
	if (all_cpus || argc == needed)
		add(&record, "-a");
	add(&record, "-o");
	add(&record, "-");
	add_all(&record, argv + needed, argc - needed);
	begin_words(&report, reporter);
	add_all(&report, argv, needed);
	add(&report, "-i");
	add(&report, "-");
	first = start(&record, -1, pipe_ends[1], e);
	second = first < 0 ? -1 : start(&report, pipe_ends[0], -1, e);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
	vec_free(&record);
	vec_free(&report);
	status = second < 0 ? -1 : wait_for(second);
	if (first >= 0)
		wait_for(first);
	return status;
}

int scripts_run(int argc, char **argv, const char *input, bool all_cpus, struct err *e)
{
	bool record = !strcmp(argv[0], "record"), report = !strcmp(argv[0], "report");
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct words args = { 0 };
	int rc;

	if (len < 0)
		return err_sys(e, "cannot find this program for the script to call");
	self[len] = '\0';
	setenv("STROBE_SELF", self, 1);
	setenv("PERF_EXEC_PATH", scripts_dir(), 1);
	if (!record && !report)
		return run_live(argv[0], argc - 1, argv + 1, all_cpus, e);
	if (argc < 2)
		return not_found(argv[0], e);
	if (record && (all_cpus || !have_command(argc - 2, argv + 2)))
		add(&args, "-a");
	add_all(&args, argv + 2, argc - 2);
	if (report && input) {
		add(&args, "-i");
		add(&args, input);
	}
	rc = run_one(argv[1], argv[0], &args, e);
	vec_free(&args);
	return rc;
}
