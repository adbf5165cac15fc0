/*
 * Turn lists of processes, threads, users and CPUs into tids and CPU numbers. Source: proc(5);
 * Documentation/ABI/testing/sysfs-devices-system-cpu of the kernel.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>

#include "base/file.h"
#include "events/events_priv.h"

#define PID_MAX (1 << 22) /* PID_MAX_LIMIT of 64-bit kernels */

/* Read the entries of a procfs directory that are numbers. Return -1 when it does not exist. */
static int numbers_in(const char *path, struct target *t)
{
	DIR *dir = opendir(path);
	struct dirent *d;

	if (!dir)
		return -1;
	while ((d = readdir(dir)))
		if (isdigit((unsigned char)d->d_name[0]))
			vec_push(&t->threads, (int32_t)strtol(d->d_name, NULL, 10));
	closedir(dir);
	return 0;
}

static int no_such_task(const char *kind, const char *word, struct err *e)
{
	err_set(e, "Couldn't create thread/CPU maps: No such process");
	err_why(e, "no %s has the id '%s'", kind, word);
	err_try(e, "one that runs: 'pgrep NAME' prints the ids of processes, 'ps -eL' those of threads");
	return err_exit(e, EXIT_NO_SUCH_TASK);
}

static int add_process(struct target *t, uint64_t pid, const char *word, struct err *e)
{
	autofree char *path = sys_path("/proc/%llu/task", (unsigned long long)pid);

	return numbers_in(path, t) < 0 ? no_such_task("process", word, e) : 0;
}

static int add_thread(struct target *t, uint64_t tid, const char *word, struct err *e)
{
	autofree char *path = sys_path("/proc/%llu", (unsigned long long)tid);

	/* /proc/TID exists for every thread, although it is not listed. */
	if (access(path, F_OK) < 0)
		return no_such_task("thread", word, e);
	vec_push(&t->threads, (int32_t)tid);
	return 0;
}

/* Call `add` for each number in "12,34". */
static int add_list(struct target *t, const char *list, const char *kind,
		    int (*add)(struct target *, uint64_t, const char *, struct err *), struct err *e)
{
	autofree char *copy = xstrdup(list);
	char *next = copy, *word;

	while ((word = strsep(&next, ","))) {
		uint64_t id;

		if (parse_u64(word, &id, NULL) < 0 || id == 0) {
			err_set(e, "bad %s id '%s'", kind, word);
			err_try(e, "numbers with commas between them, e.g. -%c 12,34", kind[0]);
			return err_exit(e, EXIT_BAD_USAGE);
		}
		if (id > PID_MAX)
			return no_such_task(kind, word, e);
		if (add(t, id, word, e) < 0)
			return -1;
	}
	return 0;
}

/* Get the effective user of a process; false when it has ended. */
static bool process_user(int32_t pid, uint64_t *uid)
{
	autofree char *path = sys_path("/proc/%d/status", pid);
	autofree char *text = file_read(path, 1 << 16, NULL, NULL);
	char *line = text ? strstr(text, "\nUid:") : NULL, *end;

	if (!line)
		return false;
	strtoull(line + 5, &end, 10); /* the real user comes first */
	*uid = strtoull(end, &end, 10);
	return true;
}

/*
 * Return true if the kernel hides the process from us. It hides processes with secrets, such as
 * ssh-agent, even from their own user. Opening the maps of a process needs the same right as
 * measuring it. Source: proc_pid_maps(5), "Permission to access this file".
 */
static bool is_hidden(int32_t pid)
{
	autofree char *path = sys_path("/proc/%d/maps", pid);
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 && (errno == EACCES || errno == EPERM);
}

/*
 * Keep only the processes that are not hidden from us. If all are hidden, keep all: the attempt to open them then
 * fails with the reason.
 */
static void leave_out_hidden(struct target *t, struct target *processes)
{
	size_t n = 0;

	for (size_t i = 0; i < processes->threads.len; i++)
		if (!is_hidden(processes->threads.items[i]))
			processes->threads.items[n++] = processes->threads.items[i];
	if (!n)
		return;
	t->n_hidden = (uint32_t)(processes->threads.len - n);
	processes->threads.len = n;
}

static int add_user(struct target *t, const char *name, struct err *e)
{
	autofree char *proc = sys_path("/proc");
	struct target processes = { 0 };
	uint64_t wanted, uid;
	size_t n = 0;

	if (parse_u64(name, &wanted, NULL) < 0) {
		const struct passwd *user = getpwnam(name);

		if (!user) {
			err_set(e, "Invalid User: %s", name);
			err_why(e, "no user has this name");
			err_try(e, "a name or number that 'getent passwd' shows");
			return err_exit(e, EXIT_BAD_USAGE);
		}
		wanted = user->pw_uid;
	}
	numbers_in(proc, &processes);
	for (size_t i = 0; i < processes.threads.len; i++)
		if (process_user(processes.threads.items[i], &uid) && uid == wanted)
			processes.threads.items[n++] = processes.threads.items[i];
	processes.threads.len = n;
	if (!event_privileged())
		leave_out_hidden(t, &processes);
	for (size_t i = 0; i < processes.threads.len; i++)
		/* it may have ended, which is no error */
		add_process(t, (uint64_t)processes.threads.items[i], name, NULL);
	vec_free(&processes.threads);
	if (!t->threads.len) {
		err_set(e, "nothing to measure: user '%s' has no process", name);
		return err_exit(e, EXIT_NO_SUCH_TASK);
	}
	return 0;
}

/* Add all running tasks; some will end before they are opened. */
static void add_everybody(struct target *t)
{
	autofree char *proc = sys_path("/proc");
	struct target processes = { 0 };

	numbers_in(proc, &processes);
	for (size_t i = 0; i < processes.threads.len; i++)
		add_process(t, (uint64_t)processes.threads.items[i], "", NULL);
	vec_free(&processes.threads);
}

static int compare_tids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return x < y ? -1 : x > y;
}

static void sort_threads(struct target *t)
{
	size_t n = 0;

	if (!t->threads.len)
		return;
	qsort(t->threads.items, t->threads.len, sizeof(*t->threads.items), compare_tids);
	for (size_t i = 0; i < t->threads.len; i++)
		if (!i || t->threads.items[i] != t->threads.items[n - 1])
			t->threads.items[n++] = t->threads.items[i];
	t->threads.len = n;
}

static int resolve_threads(struct target *t, struct err *e)
{
	if (t->pids && add_list(t, t->pids, "process", add_process, e) < 0)
		return -1;
	if (t->tids && add_list(t, t->tids, "thread", add_thread, e) < 0)
		return -1;
	if (t->uid && add_user(t, t->uid, e) < 0)
		return -1;
	if (t->every_thread)
		add_everybody(t);
	/*
	 * If tasks are given, the command only decides how long we measure. With -a or CPUs it is
	 * one of many tasks.
	 */
	t->is_task = t->pids || t->tids || t->uid || t->every_thread || (t->workload && !t->system_wide && !t->cpus);
	if (t->is_task && !t->pids && !t->tids && !t->uid && !t->every_thread)
		vec_push(&t->threads, t->workload);
	if (!t->is_task)
		vec_push(&t->threads, -1);
	sort_threads(t);
	return 0;
}

void cpus_online(struct cpuset *cpus)
{
	autofree char *path = sys_path("/sys/devices/system/cpu/online");

	if (cpuset_read(cpus, path, NULL) < 0 || !cpus->len) {
		long n = sysconf(_SC_NPROCESSORS_ONLN);

		for (int cpu = 0; cpu < n; cpu++)
			cpuset_add(cpus, cpu);
	}
}

static int resolve_cpus(struct target *t, struct err *e)
{
	struct cpuset online = { 0 };
	char text[256];
	int result = 0;

	t->any_cpu = t->is_task && t->per_thread && !t->cpus;
	if (t->any_cpu) {
		vec_push(&t->cpu_list, -1);
		return 0;
	}
	if (!t->cpus) {
		cpus_online(&t->cpu_list);
		return 0;
	}
	if (cpuset_parse(&t->cpu_list, t->cpus, e) < 0) {
		err_try(e, "numbers and ranges with commas between them, e.g. -C 0-3,5");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	cpus_online(&online);
	for (size_t i = 0; i < t->cpu_list.len && result == 0; i++) {
		if (cpuset_has(&online, t->cpu_list.items[i]))
			continue;
		result = err_set(e, "cannot measure CPU %d: it is not online", t->cpu_list.items[i]);
		err_why(e, "the CPUs online are %s", cpuset_format(&online, text, sizeof(text)));
		err_try(e, "-C %s, or some of them", cpuset_format(&online, text, sizeof(text)));
	}
	cpuset_free(&online);
	return result;
}

int target_resolve(struct target *t, struct err *e)
{
	if (resolve_threads(t, e) < 0 || resolve_cpus(t, e) < 0) {
		target_release(t);
		return -1;
	}
	return 0;
}

void target_release(struct target *t)
{
	vec_free(&t->threads);
	cpuset_free(&t->cpu_list);
}
