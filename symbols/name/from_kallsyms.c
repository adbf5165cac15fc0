/*
 * Read the kernel's symbol list: from a given file, from the build-id cache, or from the
 * running kernel.
 */
#include "symbols/name/kallsyms.h"
#include "symbols/name/kernel_blocks_priv.h"

#include <dirent.h>
#include <sys/stat.h>

#include "base/parallel.h"
#include "symbols/name/sources.h"

/*
 * Compute how far the recorded kernel lay from the listed addresses, by the reference symbol:
 * the kernel's base is random. Return false if the list lacks that symbol.
 */
static bool find_delta(struct kernel_list *k, const struct dso *kernel, uint64_t *delta)
{
	uint64_t listed;

	*delta = 0;
	if (!kernel->ref_name || !kernel->start)
		return true;
	if (!kernel_list_find(k, kernel->ref_name, &listed))
		return false;
	*delta = kernel->start - listed;
	return true;
}

static int give_kernel(struct dso *d, struct kernel_list *k)
{
	struct symbol_table t = { 0 };
	uint64_t delta;

	if (!find_delta(k, d, &delta)) {
		d->problem = REASON_KALLSYMS_NO_REFERENCE;
		return 0;
	}
	kernel_list_take(k, d, delta, &t);
	table_finish(&t, d, TABLE_KALLSYMS);
	return 1;
}

/* Let lookups read the list block by block. Return false if it has to be read whole. */
static bool give_blocks(struct dso *d, struct kernel_list *k)
{
	uint64_t delta;

	return find_delta(k, d, &delta) && (d->blocks = kernel_blocks_new(k, d, delta));
}

static int give_module(struct symbols *s, struct dso *d, struct kernel_list *k)
{
	struct symbol_table t = { 0 };
	uint64_t delta;

	/* In another boot the modules lie elsewhere, and the list does not say where. */
	if (!find_delta(k, symbols_get_dso(s, DSO_KERNEL), &delta) || delta) {
		d->problem = REASON_KALLSYMS_OTHER_BOOT;
		return 0;
	}
	kernel_list_module(k, d, &t);
	if (!t.len) {
		d->problem = REASON_KALLSYMS_NO_MODULE;
		return 0;
	}
	table_finish(&t, d, TABLE_KALLSYMS);
	for (uint32_t n = 0; n < d->n_symbols; n++) {
		d->symbols[n].start -= d->start;
		d->symbols[n].end -= d->start;
	}
	return 1;
}

static int give(struct symbols *s, struct dso *d, struct kernel_list *k)
{
	int given;

	if (d->kind == DSO_KIND_KERNEL && !s->opts.demangle_kernel && give_blocks(d, k)) {
		d->list = k;
		kernel_list_rest(k);
		return 1;
	}
	if (kernel_list_problem(k)) {
		d->problem = kernel_list_problem(k);
		return 0;
	}
	given = d->kind == DSO_KIND_KERNEL ? give_kernel(d, k) : give_module(s, d, k);
	d->list = given ? k : NULL;
	kernel_list_rest(k);
	return given;
}

/* Read the list at first need. Keep it for the modules, and because names point into it. */
static struct kernel_list *host_kallsyms(struct symbols *s, const char *path)
{
	pthread_mutex_lock(&s->kallsyms_lock);
	if (!s->kallsyms)
		s->kallsyms = kallsyms_read_ahead(s, path);
	if (!s->kallsyms)
		s->kallsyms = kernel_list_open(path);
	pthread_mutex_unlock(&s->kallsyms_lock);
	return s->kallsyms;
}

int from_kallsyms_option(struct symbols *s, struct dso *d)
{
	if (d->guest) {
		if (!s->opts.guest_kallsyms || d->kind != DSO_KIND_KERNEL) {
			d->problem = REASON_GUEST_KERNEL;
			return 0;
		}
		pthread_mutex_lock(&s->kallsyms_lock);
		if (!s->guest_kallsyms)
			s->guest_kallsyms = kernel_list_open(s->opts.guest_kallsyms);
		pthread_mutex_unlock(&s->kallsyms_lock);
		return give(s, d, s->guest_kallsyms);
	}
	return s->opts.kallsyms ? give(s, d, host_kallsyms(s, s->opts.kallsyms)) : 0;
}

/*
 * Return whether the reference symbol has its recorded address. This proves that the list is of
 * the recorded boot when neither build-id nor release is known.
 */
static bool same_base(const struct symbols *s, struct kernel_list *k)
{
	const struct dso *kernel = symbols_get_dso(s, DSO_KERNEL);
	uint64_t delta;

	return kernel->ref_name && kernel->start && find_delta(k, kernel, &delta) && !delta;
}

/*
 * Find the list of the recorded kernel: the copy in the build-id cache, or this machine's if it
 * *fits (if not, set *fits to 0 and *problem). The caller frees the path.
 */
static char *find_list(struct symbols *s, int *fits, enum reason *problem)
{
	char *cached = cache_path(s, &symbols_get_dso(s, DSO_KERNEL)->id, "/kallsyms");

	*fits = 1;
	if (cached && !access(cached, R_OK))
		return cached;
	free(cached);
	*fits = s->opts.symfs ? 0 : running_kernel_fits(s);
	if (*fits)
		return xstrdup("/proc/kallsyms");
	*problem = s->opts.symfs ? REASON_KALLSYMS_SYMFS : REASON_OTHER_KERNEL;
	return NULL;
}

/* Use the list of a kcore copy, and the memory beside it, if it is of the recorded boot. */
static bool take_copy(struct symbols *s, const char *dir, const char *name)
{
	autofree char *path = xasprintf("%s/%s/kallsyms", dir, name);
	struct kernel_list *k = kernel_list_open(path);

	if (!same_base(s, k) || kernel_list_problem(k)) {
		kernel_list_free(k);
		return false;
	}
	s->kallsyms = k;
	s->cached_kcore = xasprintf("%s/%s/kcore", dir, name);
	s->kcore = s->cached_kcore;
	return true;
}

/* Return the list that buildid-cache -k kept of the recorded kernel, or NULL. Searches once. */
static struct kernel_list *kcore_list(struct symbols *s)
{
	const struct build_id *id = &symbols_get_dso(s, DSO_KERNEL)->id;
	autofree char *dir = NULL;
	char hex[41];
	DIR *copies;

	pthread_mutex_lock(&s->kallsyms_lock);
	if (!s->kcore_searched && !s->kallsyms && s->opts.buildid_dir && id->size) {
		s->kcore_searched = true;
		build_id_format(id, hex);
		dir = xasprintf("%s/[kernel.kcore]/%s", s->opts.buildid_dir, hex);
		copies = opendir(dir);
		for (struct dirent *f; copies && (f = readdir(copies));)
			if (f->d_name[0] != '.' && take_copy(s, dir, f->d_name))
				break;
		if (copies)
			closedir(copies);
	}
	pthread_mutex_unlock(&s->kallsyms_lock);
	return s->cached_kcore ? s->kallsyms : NULL;
}

int from_kallsyms(struct symbols *s, struct dso *d)
{
	autofree char *path = NULL;
	struct kernel_list *k;
	int fits;

	/* handled by from_kallsyms_option(); no other list may replace a given one */
	if (d->guest || s->opts.kallsyms)
		return 0;
	k = kcore_list(s);
	if (k)
		return give(s, d, k);
	path = find_list(s, &fits, &d->problem);
	if (!path)
		return 0;
	k = host_kallsyms(s, path);
	if (fits < 0 && !same_base(s, k) && !kernel_list_problem(k)) {
		d->problem = REASON_KERNEL_UNPROVEN;
		return 0;
	}
	return give(s, d, k);
}

/* Return whether buildid-cache -k kept copies of this kernel; each has its own list. */
static bool has_kcore_lists(struct symbols *s)
{
	const struct build_id *id = &symbols_get_dso(s, DSO_KERNEL)->id;
	autofree char *dir = NULL;
	char hex[41];

	if (!s->opts.buildid_dir || !id->size)
		return false;
	build_id_format(id, hex);
	dir = xasprintf("%s/[kernel.kcore]/%s", s->opts.buildid_dir, hex);
	return !access(dir, F_OK);
}

bool symbols_kernel_lacks(struct symbols *s, const char *const *names)
{
	autofree char *path = NULL;
	enum reason problem;
	int fits;

	if (s->kallsyms || s->kallsyms_reading || s->opts.kallsyms || s->opts.demangle_kernel ||
	    kernel_image_expected(s) || has_kcore_lists(s))
		return false;
	path = find_list(s, &fits, &problem);
	return path && fits > 0 && kallsyms_lacks(path, names);
}

/* ---- reading ahead ---- */

static void *read_list(void *path)
{
	struct kernel_list *k = kernel_list_open(path);

	kernel_list_problem(k);
	free(path);
	return k;
}

/*
 * Start to read the list in a thread. If a build-id arrives later and selects another list, this
 * work is lost.
 */
void symbols_read_ahead(struct symbols *s)
{
	enum reason problem;
	struct stat st;
	char *path;
	int fits;

	if (s->kallsyms_reading || s->opts.no_kernel || parallel_threads() < 2 ||
	    (!s->opts.kallsyms && kernel_image_expected(s)))
		return;
	path = s->opts.kallsyms ? xstrdup(s->opts.kallsyms) : find_list(s, &fits, &problem);
	/* If the file has a size, the first lookup reads only a part of it. */
	if (path && !stat(path, &st) && !st.st_size && !pthread_create(&s->kallsyms_thread, NULL, read_list, path))
		s->kallsyms_reading = true;
	else
		free(path);
}

struct kernel_list *kallsyms_read_ahead(struct symbols *s, const char *path)
{
	struct kernel_list *k;
	void *result;

	if (!s->kallsyms_reading)
		return NULL;
	s->kallsyms_reading = false;
	pthread_join(s->kallsyms_thread, &result);
	k = result;
	if (!strcmp(kernel_list_path(k), path))
		return k;
	kernel_list_free(k);
	return NULL;
}
