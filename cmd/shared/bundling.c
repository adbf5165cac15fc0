/* Add a bundle to a recording. */
#include "cmd/shared/bundling.h"

#include "cmd/commands.h"
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

int bundle_recording(const struct bundling *b, struct err *e)
{
	struct session_opts how = { .force = b->force, .read_ahead = true, .symbols = b->symbols };
	struct session *s = session_open(b->input, &how, e);
	struct bundle_counts counts;
	void *bytes = NULL;
	size_t len = 0;
	int status;

	if (!s)
		return -1;
	status = check_input(s, b->input, e);
	if (!status)
		status = session_walk(s, e);
	if (!status) {
		symbols_freeze(s->symbols);
		status = session_bundle(s, &b->want, &bytes, &len, &counts, e);
	}
	if (!status)
		status = sections_set(b->input, b->output, FEATURE_BUNDLE, bytes, len, e);
	if (!status)
		say_made(&counts, len, b->output);
	if (!status)
		status = session_notes_say(s);
	free(bytes);
	session_close(s);
	return status;
}
