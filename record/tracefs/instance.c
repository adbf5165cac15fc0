#include "record/tracefs/instance.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/out.h"
#include "events/events.h"

enum { MAX_TEXT = 64 << 20 };
static const char kind[] = "tracefs", what[] = "tracefs";

static char *path_of(const struct instance *in, const char *file) { return xasprintf("%s/%s", in->dir, file); }

bool instance_has(const struct instance *in, const char *file)
{
	autofree char *path = path_of(in, file);

	return access(path, F_OK) == 0;
}

char *instance_read(const struct instance *in, const char *file, struct err *e)
{
	autofree char *path = path_of(in, file);

	return file_read(path, MAX_TEXT, NULL, e);
}

/* ---- save files of the top instance before they change ---- */

static int save_path(struct instance *in, const char *path, struct err *e)
{
	autofree char *text = NULL, *line = NULL;

	for (size_t i = 0; i < in->saved.len; i++)
		if (!strcmp(in->saved.items[i], path))
			return 0;
	text = file_read(path, MAX_TEXT, NULL, e);
	if (!text)
		return -1;
	line = restore_line(path, text);
	if (keeper_hold(in->keeper, line, e) < 0)
		return -1;
	vec_push(&in->saved, xstrdup(path));
	return 0;
}

/* Save a buffer size. "X" means that the sizes of the CPUs differ; then save each of them. */
static int save_sizes(struct instance *in, const char *path, struct err *e)
{
	autofree char *dir_path = xasprintf("%s/per_cpu", in->tracefs);
	char text[16] = "";
	DIR *dir;
	int rc = 0;

	if (file_read_line(path, text, sizeof(text)) < 0 || *text != 'X')
		return save_path(in, path, e);
	dir = opendir(dir_path);
	for (struct dirent *d; rc == 0 && dir && (d = readdir(dir));) {
		autofree char *size = xasprintf("%s/%s/buffer_size_kb", dir_path, d->d_name);

		if (!strncmp(d->d_name, "cpu", 3))
			rc = save_path(in, size, e);
	}
	if (dir)
		closedir(dir);
	return rc;
}

static int save(struct instance *in, const char *path, struct err *e)
{
	size_t len = strlen(in->tracefs);
	bool in_top = !strncmp(path, in->tracefs, len) && strncmp(path + len, "/instances/", 11);

	if (!in_top)
		return 0;
	if (strlen(path) > 15 && !strcmp(path + strlen(path) - 15, "/buffer_size_kb"))
		return save_sizes(in, path, e);
	return save_path(in, path, e);
}

int instance_save_top(struct instance *in, const char *file, struct err *e)
{
	autofree char *path = xasprintf("%s/%s", in->tracefs, file);

	return access(path, F_OK) == 0 ? save_path(in, path, e) : 0;
}

static int locked_down(const char *path, struct err *e)
{
	err_set(e, "the kernel does not allow its function tracers");
	err_why(e, "%s: %s: it is locked down, or its security modules forbid it", path, strerror(EPERM));
	err_try(e, "boot with lockdown=integrity or none; tracepoints are allowed: -t nop -e EVENT");
	if (e)
		e->sys = EPERM;
	return -1;
}

static int write_path(struct instance *in, const char *path, int flags, const char *text, struct err *e)
{
	autoclose int fd = -1;

	errno = 0;
	if (save(in, path, e) < 0)
		return -1;
	fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	if (fd >= 0 && (!*text || write_all(fd, text, strlen(text)) == 0))
		return 0;
	/* root may write these files, so the kernel itself forbids it */
	if (errno == EPERM && geteuid() == 0)
		return locked_down(path, e);
	return err_sys(e, "cannot write '%s' to %s", text, path);
}

int instance_set(struct instance *in, const char *file, const char *value, struct err *e)
{
	autofree char *path = path_of(in, file);

	return write_path(in, path, 0, value, e);
}

int instance_clear(struct instance *in, const char *file, struct err *e)
{
	autofree char *path = path_of(in, file);

	return write_path(in, path, O_TRUNC, "", e);
}

/* End each word with a newline; otherwise the kernel waits for the rest of the word. */
static int add_word(struct instance *in, const char *path, const char *word, struct err *e)
{
	autofree char *line = xasprintf("%s\n", word);

	if (write_path(in, path, O_APPEND, line, e) == 0)
		return 0;
	if (e)
		snprintf(e->what, sizeof(e->what), "cannot add '%s' to %s", word, path);
	return -1;
}

int instance_add(struct instance *in, const char *file, const char *word, struct err *e)
{
	autofree char *path = path_of(in, file);

	return add_word(in, path, word, e);
}

static char *shared_path(const struct instance *in, const char *file)
{
	return xasprintf("%s/%s", instance_has(in, file) ? in->dir : in->tracefs, file);
}

int instance_set_shared(struct instance *in, const char *file, const char *value, struct err *e)
{
	autofree char *path = shared_path(in, file);

	return write_path(in, path, 0, value, e);
}

int instance_clear_shared(struct instance *in, const char *file, struct err *e)
{
	autofree char *path = shared_path(in, file);

	return write_path(in, path, O_TRUNC, "", e);
}

int instance_add_shared(struct instance *in, const char *file, const char *word, struct err *e)
{
	autofree char *path = shared_path(in, file);

	return add_word(in, path, word, e);
}

/* ---- opening ---- */

static bool lists_word(const char *path, const char *word)
{
	autofree char *text = file_read(path, MAX_TEXT, NULL, NULL);
	char *save = NULL;

	for (char *w = text ? strtok_r(text, " \n", &save) : NULL; w; w = strtok_r(NULL, " \n", &save))
		if (!strcmp(w, word))
			return true;
	return false;
}

static int refused(const char *path, struct err *e)
{
	int sys = errno;

	err_sys(e, "cannot make %s", path);
	if (sys == EACCES || sys == EPERM) {
		err_set(e, "ftrace is for root only");
		err_why(e, "%s: %s", path, strerror(sys));
		err_try(e, "sudo %s ftrace ...", tool_name());
		e->sys = sys;
	} else if (sys == EROFS) {
		err_try(e, "mount tracefs writable: mount -o remount,rw /sys/kernel/tracing");
	}
	return -1;
}

/* Make an instance. Its name has our pid, so that two runs never share one. */
static int make_instance(struct instance *in, struct err *e)
{
	autofree char *line = NULL;

	for (int i = 0;; i++) {
		free(in->dir);
		in->dir = xasprintf("%s/instances/strobe-%d-%d", in->tracefs, getpid(), i);
		if (access(in->dir, F_OK) < 0)
			break;
	}
	/* tell the keeper first: it may try to remove an instance that does not exist */
	line = xasprintf("i %s", in->dir);
	if (keeper_hold(in->keeper, line, e) < 0)
		return -1;
	return mkdir(in->dir, 0700) < 0 ? refused(in->dir, e) : 0;
}

/* Count the entries in the buffers of the top instance. Source: ftrace.rst, per_cpu/cpuN/stats. */
static uint64_t entries_of(const char *tracefs)
{
	autofree char *path = xasprintf("%s/per_cpu", tracefs);
	DIR *dir = opendir(path);
	uint64_t sum = 0;

	for (struct dirent *d; dir && (d = readdir(dir));) {
		autofree char *stats = xasprintf("%s/%s/stats", path, d->d_name), *text = NULL;

		if (strncmp(d->d_name, "cpu", 3) || !(text = file_read(stats, 4096, NULL, NULL)))
			continue;
		if (!strncmp(text, "entries: ", 9))
			sum += strtoull(text + 9, NULL, 10);
	}
	if (dir)
		closedir(dir);
	return sum;
}

/* Save and stop everything that runs in the top instance. */
static int take_top(struct instance *in, struct err *e)
{
	free(in->dir);
	in->dir = xstrdup(in->tracefs);
	in->is_top = true;
	in->dropped = entries_of(in->tracefs);
	if (instance_set(in, "tracing_on", "0", e) < 0 || instance_set(in, "current_tracer", "nop", e) < 0 ||
	    instance_clear(in, "set_event", e) < 0 || instance_clear(in, "set_ftrace_filter", e) < 0 ||
	    instance_clear(in, "set_ftrace_notrace", e) < 0 || instance_clear(in, "set_ftrace_pid", e) < 0)
		return -1;
	if (instance_has(in, "set_ftrace_notrace_pid") && instance_clear(in, "set_ftrace_notrace_pid", e) < 0)
		return -1;
	return 0;
}

static int no_tracer(const struct instance *in, const char *tracer, struct err *e)
{
	autofree char *path = xasprintf("%s/available_tracers", in->tracefs), *all = file_read(path, 4096, NULL, NULL);

	err_set(e, "this kernel has no tracer '%s'", tracer);
	if (all)
		err_why(e, "it has: %.*s", (int)strcspn(all, "\n"), all);
	if (!strcmp(tracer, "function_graph"))
		err_try(e, "a kernel with CONFIG_FUNCTION_GRAPH_TRACER; '-t function' lists calls without durations");
	return err_exit(e, EXIT_UNSUPPORTED);
}

/*
 * Until Linux 5.12, the function tracer takes stacks only in the top instance; other instances
 * accept the option and ignore it. Later versions have one more option, which identifies them.
 * Source: kernel/trace/trace_functions.c, function_trace_init().
 */
static bool stacks_need_top(const struct instance *in)
{
	autofree char *newer = xasprintf("%s/options/func-no-repeats", in->tracefs);

	return access(newer, F_OK) < 0;
}

static int open_with(struct instance *in, const char *tracer, bool stacks, struct err *e)
{
	autofree char *own = NULL, *top = xasprintf("%s/available_tracers", in->tracefs);

	if (make_instance(in, e) < 0)
		return -1;
	own = path_of(in, "available_tracers");
	if (!lists_word(own, tracer) || (stacks && stacks_need_top(in))) {
		if (!lists_word(top, tracer))
			return no_tracer(in, tracer, e);
		rmdir(in->dir);
		return take_top(in, e);
	}
	return instance_set(in, "tracing_on", "0", e);
}

int instance_open(struct instance *in, const char *tracer, bool stacks, struct err *e)
{
	const char *tracefs = tracefs_find(e);

	*in = (struct instance){ 0 };
	if (!tracefs)
		return -1;
	in->tracefs = xstrdup(tracefs);
	in->keeper = keeper_start(kind, what, restore_all, e);
	if (in->keeper && open_with(in, tracer, stacks, e) == 0)
		return 0;
	instance_close(in);
	return -1;
}

void instance_close(struct instance *in)
{
	keeper_end(in->keeper);
	for (size_t i = 0; i < in->saved.len; i++)
		free(in->saved.items[i]);
	vec_free(&in->saved);
	free(in->dir);
	free(in->tracefs);
	*in = (struct instance){ 0 };
}

/* Return true if the run that made one of these instances may still live. Its pid is in the name of the instance. */
static bool in_use(const struct keeper_lines *lines)
{
	for (size_t i = 0; i < lines->len; i++) {
		const char *name = strstr(lines->items[i], "/instances/strobe-");
		int pid = name ? atoi(name + 18) : 0;

		if (pid > 0 && keeper_user_lives(lines, pid))
			return true;
	}
	return false;
}

static int restore_left(void *ctx, struct keeper_lines *lines, struct err *e)
{
	if (in_use(lines))
		return 0;
	return restore_all(lines) ? 1 : err_set(e, "cannot restore what a killed run left in tracefs");
}

int instance_prune(struct err *e) { return keeper_leftovers(kind, what, restore_left, NULL, e); }
