#include "cmd/agent/agent.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "report/stacks/fleet.h"

struct agent_files {
	const char *dir, *service;
	uint64_t most;
};

/* The files of one interval. */
struct kept_run {
	uint64_t run, bytes, time_ns; /* time_ns: when its last file was written */
};
struct kept_runs {
	VEC(struct kept_run);
	struct u64map index; /* run -> items + 1, before the runs are sorted: a full directory has tens of thousands */
	uint64_t bytes;
};

/* "samples-0123456789abcdef.parquet" */
static bool is_ours(const char *name, uint64_t *run)
{
	static const char *const tables[] = { "frames-", "stacks-", "samples-", "runs-" };
	enum { DIGITS = 16 };

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		size_t len = strlen(tables[i]);

		if (strncmp(name, tables[i], len))
			continue;
		name += len;
		if (strspn(name, "0123456789abcdef") != DIGITS || strcmp(name + DIGITS, ".parquet"))
			return false;
		*run = strtoull(name, NULL, 16);
		return true;
	}
	return false;
}

static struct kept_run *run_of(struct kept_runs *runs, uint64_t run)
{
	uint32_t *at = u64map_put(&runs->index, run, NULL);

	if (!*at) {
		vec_push(runs, (struct kept_run){ .run = run });
		*at = (uint32_t)runs->len;
	}
	return &runs->items[*at - 1];
}

/* Compare by age, oldest first. */
static int by_time(const void *a, const void *b)
{
	const struct kept_run *x = a, *y = b;

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static int list_runs(const char *dir, struct kept_runs *runs, struct err *e)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;
	struct stat st;
	uint64_t run;

	if (!d)
		return err_sys(e, "cannot read the directory '%s'", dir);
	while ((entry = readdir(d))) {
		struct kept_run *kept;

		if (!is_ours(entry->d_name, &run) || fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		kept = run_of(runs, run);
		kept->bytes += (uint64_t)st.st_size;
		kept->time_ns =
			MAX(kept->time_ns, (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec);
		runs->bytes += (uint64_t)st.st_size;
	}
	closedir(d);
	if (runs->len)
		qsort(runs->items, runs->len, sizeof(*runs->items), by_time);
	return 0;
}

static void remove_run(const char *dir, uint64_t run)
{
	static const char *const tables[] = { "runs", "samples", "stacks", "frames" };

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		autofree char *path = xasprintf("%s/%s-%016llx.parquet", dir, tables[i], (unsigned long long)run);

		unlink(path);
	}
}

/* Remove the oldest intervals, but never the newest. */
static int bound_directory(const struct agent_files *f, struct err *e)
{
	struct kept_runs runs = { 0 };
	int rc = list_runs(f->dir, &runs, e);

	for (size_t i = 0; i + 1 < runs.len && runs.bytes > f->most; i++) {
		remove_run(f->dir, runs.items[i].run);
		runs.bytes -= runs.items[i].bytes;
	}
	vec_free(&runs);
	u64map_free(&runs.index);
	return rc;
}

static int put_files(void *of, struct stacks *st, const struct session *s, struct err *e)
{
	const struct agent_files *f = of;
	struct fleet *tables = fleet_new(st, s, f->service);
	int rc = fleet_write_parquet(tables, f->dir, e);

	if (rc < 0) /* a part of an interval is useless, and we may need its space */
		remove_run(f->dir, tables->run);
	fleet_free(tables);
	return rc < 0 ? -1 : bound_directory(f, e);
}

int agent_write_files(const struct agent_opts *o, const char *dir, uint64_t most, struct err *e)
{
	struct agent_files f = { dir, o->service, most };

	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return err_sys(e, "cannot make the directory '%s'", dir);
	if (bound_directory(&f, e) < 0)
		return -1;
	return agent_run(o, &(struct agent_sink){ .put = put_files, .of = &f }, e);
}
