/* Add a bundle to a recording. */
#include "cmd/shared/bundling.h"

#include "cmd/commands.h"
#include "format/writer/paths.h"
#include "format/writer/sections.h"
#include "report/bundle/bundle.h"

static int check_input(const struct session *s, const char *path, struct err *e)
{
	if (!s->pd->pipe && !s->pd->dir && !s->pd->notes.unclosed)
		return 0;
	err_set(e, "cannot add a bundle to '%s'", path);
	err_why(e, "%s",
		s->pd->pipe  ? "a stream has no sections at its end"
		: s->pd->dir ? "it is a directory of several files"
			     : "its recorder did not end it");
	return err_try(e, "strobe inject -i '%s' -o FILE, and bundle that file", path);
}

static void say_made(const struct bundle_counts *c, size_t len, const char *path)
{
	say("[ %s: bundle of %.2f MB: %llu places in %llu objects, %llu names, code of %llu functions, %llu files ]",
	    path, (double)len / (1 << 20), (unsigned long long)c->places, (unsigned long long)c->objects,
	    (unsigned long long)c->symbols, (unsigned long long)c->functions, (unsigned long long)c->files);
}

/* Return a path without its directories. Keep names of memory that only look like paths. */
static const char *without_directories(const char *path)
{
	static const char *const kept[] = { "//anon", "/anon_hugepage", "/dev/zero", "/memfd:", "/SYSV", "/tmp/perf-" };
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		if (!strncmp(path, kept[i], strlen(kept[i])))
			return path;
	return path[0] == '/' && slash[1] ? slash + 1 : path;
}

static int take_paths_out(const char *path, struct err *e)
{
	static const unsigned sections[] = { FEATURE_HOSTNAME, FEATURE_CMDLINE };

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		if (sections_set(path, path, sections[i], NULL, 0, e) < 0)
			return -1;
	return paths_rewrite(path, without_directories, e);
}

int bundle_recording(const struct bundling *b, struct err *e)
{
	struct session_opts how = { .force = b->force, .read_ahead = true, .symbols = b->symbols };
	struct session *s = session_open(b->input, &how, e);
	struct bundle_want want = b->want;
	struct bundle_counts counts;
	void *bytes = NULL;
	size_t len = 0;
	int status;

	if (!s)
		return -1;
	want.shown = b->no_paths ? without_directories : NULL;
	status = check_input(s, b->input, e);
	if (!status && b->no_paths && (s->pd->compressed || feature_has(&s->pd->features, FEATURE_AUXTRACE))) {
		err_set(e, "cannot take the paths out of '%s'", b->input);
		err_why(e, "its records are compressed, or it has hardware traces");
		status = err_try(e, "strobe inject -i '%s' -o FILE expands compressed ones", b->input);
	}
	if (!status)
		status = session_walk(s, e);
	if (!status) {
		symbols_freeze(s->symbols);
		status = session_bundle(s, &want, &bytes, &len, &counts, e);
	}
	if (!status)
		status = sections_set(b->input, b->output, FEATURE_BUNDLE, bytes, len, e);
	if (!status && b->no_paths)
		status = take_paths_out(b->output, e);
	if (!status)
		say_made(&counts, len, b->output);
	if (!status)
		status = session_notes_say(s);
	free(bytes);
	session_close(s);
	return status;
}
