#include "cmd/commands.h"
#include "cmd/shared/options.h"
#include "cmd/buildid/buildid_cache_priv.h"

#include <errno.h>
#include <limits.h>

#include "probe/cache.h"
#include "report/session/session.h"

struct buildid_cache_opts {
	struct opt_list add, remove, purge, update;
	const char *missing, *kcore;
	bool purge_all, list, force;
	int target_ns, verbose;
};
enum { FAILED = 255 };
#define AT(member) offsetof(struct buildid_cache_opts, member)

static const struct opt buildid_cache_options[] = {
	{ 'a', "add", OPT_LIST, AT(add), "files", "add these files, separated by commas" },
	{ 0, NULL, OPT_INCLUDE, AT(force), .rows = force_options },
	{ 'k', "kcore", OPT_STR, AT(kcore), "file",
	  "keep the code and names of the kernel with this memory: /proc/kcore" },
	{ 'l', "list", OPT_BOOL, AT(list), NULL, "list the contents of the cache" },
	{ 'M', "missing", OPT_STR, AT(missing), "file",
	  "list the objects of this recording that are not in the cache" },
	{ 'p', "purge", OPT_LIST, AT(purge), "files",
	  "remove all versions of files that were added under these paths" },
	{ 'P', "purge-all", OPT_BOOL, AT(purge_all), NULL, "remove everything" },
	{ 'r', "remove", OPT_LIST, AT(remove), "files", "remove the current versions of these files" },
	{ 'u', "update", OPT_LIST, AT(update), "files", "add these files, and remove their old versions" },
	{ 0, "verbose", OPT_INCLUDE, AT(verbose), NULL, "say what was done", .rows = usual_options },
	{ 0, "debuginfod", OPT_STR_OPT, 0, "urls", "fetch what is missing from debuginfod servers", OPT_PLANNED },
	{ 0, "target-ns", OPT_INT, AT(target_ns), "pid", "resolve paths of files as this process sees them" },
	{ 0 },
};

/* A file from the command line: its path, its name in the cache, its id. */
struct file {
	char *path, *name;
	struct build_id id;
};

static void file_release(struct file *f)
{
	free(f->path);
	free(f->name);
}

/*
 * Names of the kernel stay as they are. Other paths lose their links and start at the root of the
 * wanted process.
 */
static int find_file(const struct buildid_cache_opts *opts, const char *word, struct file *f, struct err *e)
{
	char real[PATH_MAX];
	autofree char *root = opts->target_ns ? xasprintf("/proc/%d/root", opts->target_ns) : NULL, *below = NULL;

	*f = (struct file){ 0 };
	if (!strcmp(word, "[kernel.kallsyms]") || !strcmp(word, "[vdso]")) {
		f->path = xstrdup(word[1] == 'k' ? "/proc/kallsyms" : word);
		f->name = xstrdup(word);
		return word[1] == 'k' ? build_id_of_kernel(&f->id, e) : build_id_of_vdso(&f->id, e);
	}
	below = root ? xasprintf("%s/%s", root, word) : xstrdup(word);
	if (!root && !realpath(below, real))
		return err_sys(e, "cannot find it");
	f->path = xstrdup(root ? below : real);
	f->name = xstrdup(root ? word : real);
	return build_id_of_file(f->path, &f->id, e);
}

enum action { ADD, REMOVE, PURGE, UPDATE };

/* Report a failure at once and continue; the exit status tells that something failed. */
static void failed(const char *doing, const char *word, struct err *e, size_t *n_failed)
{
	++*n_failed;
	err_try_by_errno(e);
	/* perf's words, up to the reason */
	say("Couldn't %s %s: %s%s%s", doing, word, e->sys ? strerror(e->sys) : e->what,
	    !e->sys && e->why[0] ? ": " : "", e->sys ? "" : e->why);
	if (e->fix[0])
		say("  try: %s", e->fix);
}

static int add_file(const struct file *f, struct err *e)
{
	if (build_id_cache_add_as(NULL, f->path, f->name, &f->id, e) < 0)
		return -1;
	return f->name[0] == '/' ? probe_cache_keep_markers(f->path, f->name, &f->id, e) : 0;
}

static void told(const char *done, const struct file *f, const char *word)
{
	char hex[41];

	build_id_format(&f->id, hex);
	say_verbose(1, "%s %s %s: Ok", done, hex, word);
}

static void act(const struct buildid_cache_opts *opts, enum action what, const char *word, size_t *n_failed)
{
	static const char *const doing[] = { "add", "remove", "purge", "update" };
	static const char *const done[] = { "Adding", "Removing", "Purging", "Updating" };
	struct err e = { 0 };
	struct file f;
	bool known, failure = false;

	if (find_file(opts, word, &f, &e) < 0) {
		failed(doing[what], word, &e, n_failed);
		file_release(&f);
		return;
	}
	known = build_id_cache_has(NULL, &f.id);
	if (what == REMOVE && !known)
		say_verbose(1, "%s wasn't in the cache", word);
	else if (what == ADD && known)
		say_verbose(1, "%s already in the cache", word);
	else
		failure = (what != ADD && known && build_id_cache_remove(NULL, &f.id, &e) < 0) ||
			  (what != REMOVE && add_file(&f, &e) < 0);
	if (failure)
		failed(doing[what], word, &e, n_failed);
	else if (what == UPDATE || known == (what == REMOVE))
		told(done[what], &f, word);
	file_release(&f);
}

/* Remove everything, or what was added under one name. Return the number removed. */
static size_t purge(const char *name, size_t *n_failed)
{
	struct cached_object *objects;
	size_t n = build_id_cache_list(NULL, &objects), gone = 0;

	for (size_t i = 0; i < n; i++) {
		struct err e = { 0 };

		if (name && strcmp(objects[i].name, name))
			continue;
		if (build_id_cache_remove(NULL, &objects[i].id, &e) < 0)
			failed("purge", objects[i].name, &e, n_failed);
		else
			gone++;
	}
	cached_objects_free(objects, n);
	return gone;
}

/* the file itself may no longer exist, so use its path */
static void purge_word(const char *word, size_t *n_failed)
{
	char real[PATH_MAX];

	if (purge(word[0] != '[' && realpath(word, real) ? real : word, n_failed))
		say_verbose(1, "Purging %s: Ok", word);
	else
		say_verbose(1, "%s wasn't in the cache", word);
}

static void each(const struct buildid_cache_opts *opts, enum action what, const struct opt_list *lists,
		 size_t *n_failed)
{
	for (size_t i = 0; i < lists->len; i++) {
		autofree char *list = xstrdup(lists->items[i]);

		for (char *word, *rest = list; (word = strsep(&rest, ","));) {
			if (!*word)
				continue;
			if (what == PURGE)
				purge_word(word, n_failed);
			else
				act(opts, what, word, n_failed);
		}
	}
}

/* Refuse an option whose list has no word. */
static int check_lists(const struct buildid_cache_opts *opts, struct err *e)
{
	const struct {
		const char *option;
		const struct opt_list *lists;
	} all[] = { { "--add", &opts->add },
		    { "--remove", &opts->remove },
		    { "--purge", &opts->purge },
		    { "--update", &opts->update } };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		for (size_t k = 0; k < all[i].lists->len; k++)
			if (!all[i].lists->items[k][strspn(all[i].lists->items[k], ",")]) {
				err_set(e, "%s: '%s' names no file", all[i].option, all[i].lists->items[k]);
				return err_exit(e, EXIT_BAD_USAGE);
			}
	return 0;
}

static void print_object(const struct build_id *id, const char *name, struct out *o)
{
	char hex[41];

	build_id_format(id, hex);
	out_fmt(o, "%s ", hex);
	out_name(o, name);
	out_char(o, '\n');
}

static void list_cache(struct out *o)
{
	struct cached_object *objects;
	size_t n = build_id_cache_list(NULL, &objects);

	for (size_t i = 0; i < n; i++)
		print_object(&objects[i].id, objects[i].name, o);
	cached_objects_free(objects, n);
}

struct missing {
	const char *name;
	const struct build_id *id;
};

static int by_name(const void *a, const void *b)
{
	const struct missing *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : memcmp(x->id->bytes, y->id->bytes, sizeof(x->id->bytes));
}

static int list_missing(const struct buildid_cache_opts *opts, struct out *o, struct err *e)
{
	struct session_opts how = { .force = opts->force };
	struct session *s = session_open(opts->missing, &how, e);
	VEC(struct missing) missing = { 0 };
	int status;

	if (!s)
		return -1;
	status = session_walk(s, e);
	for (uint32_t dso = 1; !status && dso < symbols_n_dsos(s->symbols); dso++) {
		const struct build_id *id = dso_build_id(s->symbols, dso);

		if (id->size && !build_id_cache_has(NULL, id))
			vec_push(&missing, (struct missing){ dso_name(s->symbols, dso), id });
	}
	if (missing.len)
		qsort(missing.items, missing.len, sizeof(*missing.items), by_name);
	for (size_t i = 0; i < missing.len; i++)
		print_object(missing.items[i].id, missing.items[i].name, o);
	vec_free(&missing);
	if (!status)
		status = notes_say(s->pd, &s->notes.format);
	session_close(s);
	return status;
}

static int buildid_cache_run(void *options, int argc, char **argv, struct err *e)
{
	const struct buildid_cache_opts *opts = options;
	autofree char *dir = build_id_cache_dir(NULL);
	bool acts = opts->missing || opts->add.len || opts->remove.len || opts->purge.len || opts->update.len ||
		    opts->purge_all || opts->kcore;
	size_t n_failed = 0;
	struct out o;
	int status = 0;

	raise_verbosity(opts->verbose);
	if (target_ns_check(opts->target_ns, e) < 0 || check_lists(opts, e) < 0)
		return -1;
	if (argc || (!acts && !opts->list)) {
		err_set(e, "%s", argc ? "it takes no words but options" : "nothing to do");
		if (argc)
			err_try(e, "-a '%s' adds this file", argv[0]);
		else
			err_try(e,
				"-l lists what is cached, -a FILE adds a file; '%s buildid-cache -h' shows all options",
				tool_name());
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (acts && opts->list) {
		err_set(e, "-l is exclusive.");
		err_try(e, "-l alone");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (!dir)
		return err_set(e, "there is no build-id cache: neither HOME nor PERF_BUILDID_DIR is set");
	out_init_fd(&o, STDOUT_FILENO);
	if (opts->list)
		list_cache(&o);
	each(opts, ADD, &opts->add, &n_failed);
	each(opts, REMOVE, &opts->remove, &n_failed);
	each(opts, PURGE, &opts->purge, &n_failed);
	if (opts->purge_all && purge(NULL, &n_failed))
		say_verbose(1, "Purged all: Ok");
	if (opts->kcore) {
		struct err why = { 0 };

		if (buildid_cache_kcore(dir, opts->kcore, &why) < 0)
			failed("add", opts->kcore, &why, &n_failed);
	}
	if (opts->missing)
		status = list_missing(opts, &o, e);
	each(opts, UPDATE, &opts->update, &n_failed);
	if (out_finish(&o, status < 0 ? NULL : e) < 0)
		status = -1;
	return status ? status : n_failed ? FAILED : 0;
}

const struct command cmd_buildid_cache = {
	.name = "buildid-cache",
	.summary = "manage the cache of object files with build-ids",
	.run = buildid_cache_run,
	.usage = (const char *const[]){ "[<options>]", NULL },
	.options = buildid_cache_options,
	.opts_size = sizeof(struct buildid_cache_opts),
};
