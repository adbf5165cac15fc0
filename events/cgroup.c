/*
 * Events of one control group. The user names the group; the event is opened with a descriptor of
 * its directory in place of a pid, on every CPU. Source: perf_event_open(2), PERF_FLAG_PID_CGROUP;
 * perf-record(1), "--cgroup".
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/out.h"
#include "events/events_priv.h"

/* Return true if a comma-separated list contains the word. */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = list; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
		if (!strncmp(p, word, len) && (!p[len] || p[len] == ','))
			return true;
	return false;
}

/*
 * Return where the control groups for perf events are mounted: the version 1 hierarchy with
 * perf_event, else version 2. The caller frees it; NULL if there is neither.
 */
static char *mount_point(void)
{
	autofree char *path = sys_path("/proc/mounts");
	autofree char *mounts = file_read(path, 4 << 20, NULL, NULL);
	char *unified = NULL, *save = NULL;

	for (char *line = mounts ? strtok_r(mounts, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		char *words = NULL, *where, *type, *options;

		strtok_r(line, " ", &words);
		where = strtok_r(NULL, " ", &words);
		type = strtok_r(NULL, " ", &words);
		options = strtok_r(NULL, " ", &words);
		if (!options)
			continue;
		if (!strcmp(type, "cgroup") && has_word(options, "perf_event")) {
			free(unified);
			return xstrdup(where);
		}
		if (!strcmp(type, "cgroup2") && !unified)
			unified = xstrdup(where);
	}
	return unified;
}

int cgroup_open(const char *name, struct err *e)
{
	autofree char *mounted = mount_point();
	autofree char *path = mounted ? sys_path("%s/%s", mounted, name + (*name == '/')) : NULL;
	int fd;

	if (!mounted) {
		err_set(e, "no control groups to bind events to");
		err_why(e, "neither cgroup version 2 nor version 1 with perf_event is mounted");
		return err_try(e, "mount -t cgroup2 none /sys/fs/cgroup");
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	err_sys(e, "no access to cgroup %s", path);
	return err_try(e, "a name below %s, as /proc/PID/cgroup shows it", mounted);
}

static int bad_use(struct err *e, const char *what, const char *fix)
{
	err_set(e, "%s", what);
	err_try(e, "%s", fix);
	return err_exit(e, EXIT_BAD_USAGE);
}

/* Give members their leader's control group: the kernel schedules a group as a whole. */
static void join_leaders(struct event_list *l)
{
	for (size_t i = 0; i < l->events.len; i++)
		l->events.items[i].cgroup = l->events.items[l->events.items[i].leader].cgroup;
}

int event_list_cgroups(struct event_list *l, const char *names, struct err *e)
{
	const char *p = names;

	if (!l->events.len)
		return bad_use(e, "must define events before cgroups", "-e EVENT -G CGROUP");
	for (;; p++) {
		size_t len = strcspn(p, ",");

		if (l->n_cgroups == l->events.len)
			return bad_use(e, "more cgroups than events", "one name for each event, or one for all");
		if (len) {
			const char *name = arena_strndup(&l->arena, p, len);
			int fd = cgroup_open(name, e);

			if (fd < 0)
				return err_exit(e, EXIT_BAD_USAGE);
			close(fd);
			l->events.items[l->n_cgroups].cgroup = name;
		}
		l->n_cgroups++;
		p += len;
		if (!*p)
			break;
	}
	if (l->n_cgroups == 1)
		for (size_t i = 1; i < l->events.len; i++)
			l->events.items[i].cgroup = l->events.items[0].cgroup;
	join_leaders(l);
	return 0;
}

static void copy_events(struct event_list *l, size_t n, const char *cgroup)
{
	uint32_t from = (uint32_t)l->events.len;

	vec_reserve(&l->events, from + n);
	for (size_t i = 0; i < n; i++) {
		struct event copy = l->events.items[i];

		copy.leader += from;
		copy.cgroup = cgroup;
		copy.cpus = (struct cpuset){ 0 };
		for (size_t k = 0; k < l->events.items[i].cpus.len; k++)
			cpuset_add(&copy.cpus, l->events.items[i].cpus.items[k]);
		vec_push(&l->events, copy);
	}
}

int event_list_each_cgroup(struct event_list *l, const char *names, struct err *e)
{
	size_t n = l->events.len, n_groups = 0;

	for (const char *p = names; *p; p += strspn(p, ",")) {
		size_t len = strcspn(p, ",");
		const char *name = arena_strndup(&l->arena, p, len);
		int fd;

		p += len;
		if (!len)
			continue;
		if ((fd = cgroup_open(name, e)) < 0)
			return err_exit(e, EXIT_BAD_USAGE);
		close(fd);
		if (n_groups++) {
			copy_events(l, n, name);
			continue;
		}
		for (size_t i = 0; i < n; i++)
			l->events.items[i].cgroup = name;
	}
	return n_groups ? 0 : bad_use(e, "--for-each-cgroup names no cgroup", "--for-each-cgroup NAME,NAME");
}
