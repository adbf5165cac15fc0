/* strobe archive: pack the objects of a recording out of the build-id cache, in perf's form; unpack such a file. */
#include "cmd/commands.h"
#include "cmd/shared/options.h"

#include <errno.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "report/session/session.h"

struct archive_opts {
	bool unpack, force;
	const char *input;
};
#define AT(member) offsetof(struct archive_opts, member)

static const struct opt archive_options[] = {
	{ 0, "unpack", OPT_BOOL, AT(unpack), NULL, "unpack an archive into the build-id cache" },
	{ 0, "input", OPT_INCLUDE, AT(input), NULL, "the recording", .rows = usual_options },
	{ 0, NULL, OPT_INCLUDE, AT(force), .rows = force_options },
	{ 0, NULL, OPT_INCLUDE, 0, .rows = talk_options },
	{ 0 },
};
static const struct archive_opts archive_defaults = { .input = "perf.data" };

extern char **environ;

/*
 * GNU tar ends with this if a file changed while tar read it. Files in the cache never change, but tar sees another
 * time of change if another cache gave one of them one more name.
 */
enum { TAR_CHANGED = 1 };

/* Run tar, as perf does. Its own messages go to our standard error. */
static int run_tar(const char *const *argv, struct err *e)
{
	int status = 0, failed;
	pid_t child;

	failed = posix_spawnp(&child, "tar", NULL, NULL, (char *const *)argv, environ);
	if (!failed)
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	if (!failed && WIFEXITED(status) && WEXITSTATUS(status) <= TAR_CHANGED)
		return 0;
	if (!failed)
		return err_set(e, "tar failed; its messages are above");
	err_set(e, "cannot run tar");
	err_why(e, "%s", strerror(failed));
	return err_try(e, "the packages tar and bzip2");
}

/*
 * List the cache's entries for the recording's objects, one path per line: the link by id, and its
 * target.
 */
static unsigned list_entries(const struct features *f, const char *cache, struct out *list)
{
	unsigned found = 0;

	for (uint32_t i = 0; i < f->n_build_ids; i++) {
		struct build_id id = { .size = MIN(f->build_ids[i].size, (uint8_t)sizeof(id.bytes)) };
		autofree char *place = NULL;
		char hex[41];

		memcpy(id.bytes, f->build_ids[i].id, id.size);
		build_id_format(&id, hex);
		place = id.size ? build_id_cache_place(cache, &id) : NULL;
		if (!place)
			continue;
		out_fmt(list, ".build-id/%.2s/%s\n", hex, hex + 2);
		out_fmt(list, "%s\n", place);
		found++;
	}
	return found;
}

/* Write the list to a file that tar reads; the caller removes it. */
static char *list_file(const struct out *list, struct err *e)
{
	char *path = xasprintf("%s/strobe-archive.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	autoclose int fd = mkstemp(path);

	if (fd >= 0 && write_all(fd, list->buf, list->len) == 0)
		return path;
	err_sys(e, "cannot write '%s'", path);
	if (fd >= 0)
		unlink(path);
	free(path);
	return NULL;
}

static int pack_list(const char *cache, const struct out *list, const char *output, struct err *e)
{
	autofree char *names = list_file(list, e), *part = xasprintf("%s.part", output);
	/* clang-format off */
	const char *argv[] = { "tar", "--warning=no-file-changed", "-cjf", part, "-C", cache,
			       "--verbatim-files-from", "-T", names, NULL };
	/* clang-format on */
	int status = names ? run_tar(argv, e) : -1;

	if (names && status < 0 && !e->fix[0])
		err_try(e, "the package bzip2, or free some space: df -h shows how much there is");
	if (names)
		unlink(names);
	if (!status && rename(part, output) < 0)
		status = err_sys(e, "cannot write '%s'", output);
	if (status < 0)
		unlink(part);
	return status;
}

static int pack(const struct archive_opts *o, const char *input, struct err *e)
{
	autofree char *cache = build_id_cache_dir(NULL), *output = xasprintf("%s.tar.bz2", input);
	struct session_opts how = { .force = o->force };
	struct session *s = session_open(input, &how, e);
	struct out list;
	unsigned n;
	int status = s ? 0 : -1;

	out_init_mem(&list);
	n = s && cache ? list_entries(&s->pd->features, cache, &list) : 0;
	if (!status && !s->pd->features.n_build_ids) {
		err_set(e, "'%s' lists no build-ids, so the cache cannot be searched", input);
		err_why(e, "it is a stream, its end is missing, or it was recorded with -B");
		status = err_try(e, "%s inject -b -i '%s' -o FILE, and archive that file", tool_name(), input);
	} else if (!status && !n) {
		err_set(e, "the build-id cache has none of the objects of '%s'", input);
		status = err_try(e, "record without -N and -B; or strobe bundle, which needs no cache");
	}
	if (!status)
		status = pack_list(cache, &list, output, e);
	if (!status)
		say("%s: %u objects; there: %s archive --unpack %s", output, n, tool_name(), output);
	out_release(&list);
	session_close(s);
	return status;
}

static int unpack(const char *archive, struct err *e)
{
	autofree char *cache = build_id_cache_dir(NULL);
	const char *argv[] = { "tar", "-xf", archive, "-C", cache, "--no-same-owner", NULL };

	if (!cache) {
		err_set(e, "there is no build-id cache to unpack into");
		return err_try(e, "PERF_BUILDID_DIR=DIR");
	}
	if (access(archive, R_OK) < 0)
		return err_sys(e, "cannot read '%s'", archive);
	if (mkdir(cache, 0755) < 0 && errno != EEXIST)
		return err_sys(e, "cannot make '%s'", cache);
	if (run_tar(argv, e) == 0)
		return 0;
	return e->fix[0] ? -1 : err_try(e, "check the archive: tar -tf '%s'", archive);
}

static int archive_run(void *options, int argc, char **argv, struct err *e)
{
	const struct archive_opts *o = options;
	const char *input = argc ? argv[0] : o->input;

	if (argc > 1) {
		err_set(e, "one file at a time: '%s'", argv[1]);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (o->unpack)
		return unpack(argc ? argv[0] : "perf.data.tar.bz2", e);
	if (!strcmp(input, "-")) {
		err_set(e, "it does not read standard input: the archive gets the recording's name");
		err_try(e, "%s archive FILE", tool_name());
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return pack(o, input, e);
}

const struct command cmd_archive = {
	.name = "archive",
	.summary = "pack the cached objects of a recording, for another machine",
	.run = archive_run,
	.usage = (const char *const[]){ "[<file>]", "--unpack [<file.tar.bz2>]", NULL },
	.options = archive_options,
	.defaults = &archive_defaults,
	.opts_size = sizeof(struct archive_opts),
	.words = "@file",
};
