#include "report/push/spool_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/new_file.h"

static const char suffix[] = ".batch";

static char *batch_path(const struct push_spool *s, const char *name)
{
	return xasprintf("%s/%s%s", s->dir, name, suffix);
}

static int make_directories(char *path, struct err *e)
{
	for (char *slash = path + 1;; slash++) {
		char was = *slash;

		if (was && was != '/')
			continue;
		*slash = 0;
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return err_sys(e, "cannot make the spool '%s'", path);
		*slash = was;
		if (!was)
			return 0;
	}
}

static uint64_t file_bytes(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? 0 : (uint64_t)st.st_size;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int spool_list(const struct push_spool *s, struct spool_names *names, struct err *e)
{
	DIR *d = opendir(s->dir);
	const struct dirent *entry;

	*names = (struct spool_names){ 0 };
	if (!d)
		return err_sys(e, "cannot read the spool '%s'", s->dir);
	while ((entry = readdir(d))) {
		const char *end = strstr(entry->d_name, suffix);

		if (end && !strcmp(end, suffix) && entry->d_name[0] != '.')
			vec_push(names, xstrndup(entry->d_name, (size_t)(end - entry->d_name)));
	}
	closedir(d);
	if (names->len)
		qsort(names->items, names->len, sizeof(*names->items), by_name);
	return 0;
}

void spool_names_free(struct spool_names *names)
{
	for (size_t i = 0; i < names->len; i++)
		free(names->items[i]);
	vec_free(names);
}

static int measure_spool(struct push_spool *s, struct err *e)
{
	struct spool_names names;

	if (spool_list(s, &names, e) < 0)
		return -1;
	for (size_t i = 0; i < names.len; i++) {
		autofree char *path = batch_path(s, names.items[i]);

		s->bytes += file_bytes(path);
	}
	spool_names_free(&names);
	return 0;
}

char *spool_usual(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && state[0] == '/')
		return xasprintf("%s/strobe/spool", state);
	return home && home[0] == '/' ? xasprintf("%s/.local/state/strobe/spool", home) : xstrdup("/var/spool/strobe");
}

int spool_open(struct push_spool *s, const char *base, const char *target, uint64_t limit, struct err *e)
{
	autofree char *lock = NULL;

	*s = (struct push_spool){ .limit = limit, .lock = -1 };
	s->dir = xasprintf("%s/%016llx", base, (unsigned long long)hash_bytes(target, strlen(target), HASH_K0));
	if (make_directories(s->dir, e) < 0)
		return -1;
	lock = xasprintf("%s/lock", s->dir);
	s->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (s->lock < 0 || flock(s->lock, LOCK_EX) < 0)
		return err_sys(e, "cannot lock the spool '%s'", s->dir);
	return measure_spool(s, e);
}

void spool_close(struct push_spool *s)
{
	free(s->dir);
	if (s->lock >= 0)
		close(s->lock);
}

/* Make the names in the spool survive a crash: a synced file may still lack its name. */
static void sync_names(const struct push_spool *s)
{
	autoclose int fd = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		fsync(fd); /* ignore errors, as for the files */
}

int spool_put(struct push_spool *s, const char *name, const struct push_batch *b, struct err *e)
{
	autofree char *path = batch_path(s, name);
	uint64_t before = file_bytes(path);
	struct new_file f;

	if (s->bytes - before + b->len > s->limit) {
		err_set(e, "the spool '%s' is full", s->dir);
		err_why(e, "its limit is %llu bytes (--spool-size), and %llu bytes wait", (unsigned long long)s->limit,
			(unsigned long long)s->bytes);
		return -1;
	}
	if (new_file_open_private(&f, path, e) < 0)
		return -1;
	out_fmt(&f.out, "%s\n%s\n%s\n", b->where, b->type, b->encoding);
	out_mem(&f.out, b->body, b->len);
	if (out_flush(&f.out) == 0)
		fsync(f.out.fd); /* ignore errors: file systems without fsync still have the file */
	if (new_file_finish(&f, e) < 0)
		return -1;
	sync_names(s);
	s->bytes += file_bytes(path) - before;
	return 0;
}

int spool_get(const struct push_spool *s, const char *name, struct push_batch *b, char **bytes, struct err *e)
{
	autofree char *path = batch_path(s, name);
	const char **lines[] = { &b->where, &b->type, &b->encoding };
	size_t len;
	char *at;

	*b = (struct push_batch){ 0 };
	*bytes = at = file_read(path, SIZE_MAX / 2, &len, e);
	if (!at)
		return -1;
	for (unsigned i = 0; i < ARRAY_SIZE(lines); i++) {
		char *end = memchr(at, '\n', len - (size_t)(at - *bytes));

		if (!end) {
			free(*bytes);
			return err_set(e, "'%s' is not a batch", path);
		}
		*end = 0;
		*lines[i] = at;
		at = end + 1;
	}
	b->body = at;
	b->len = len - (size_t)(at - *bytes);
	return 0;
}

void spool_remove(struct push_spool *s, const char *name)
{
	autofree char *path = batch_path(s, name);
	uint64_t bytes = file_bytes(path);

	if (unlink(path) == 0)
		s->bytes -= MIN(bytes, s->bytes);
}

void spool_remove_all(struct push_spool *s, const char *prefix)
{
	struct spool_names names;

	if (spool_list(s, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.len; i++)
		if (!strncmp(names.items[i], prefix, strlen(prefix)))
			spool_remove(s, names.items[i]);
	spool_names_free(&names);
}
