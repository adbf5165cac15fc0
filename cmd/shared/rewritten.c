#include "cmd/shared/rewritten.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/say.h"
#include "report/traces/traces.h"

const char *rewritten_input(const char *what, int (*write)(void *of, const char *path, struct err *e), void *of,
			    struct err *e)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	char *name;
	int fd;

	snprintf(path, sizeof(path), "%s/strobe-%s-XXXXXX", dir && *dir ? dir : "/tmp", what);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0) {
		err_sys(e, "cannot create '%s'", path);
		return NULL;
	}
	close(fd);
	if (write(of, path, e) != 0) {
		unlink(path);
		return NULL;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	unlink(path); /* whatever happens, nothing is left behind */
	if (fd < 0) {
		err_sys(e, "cannot open '%s'", path);
		return NULL;
	}
	name = xmalloc(32);
	snprintf(name, 32, "/proc/self/fd/%d", fd);
	return name;
}

/* ---- hardware traces ---- */

enum { COPY_BYTES = 1 << 16 };

struct traced {
	const char *input, *other;
	struct traces_opts opts;
};

static int write_traced(void *of, const char *path, struct err *e)
{
	struct traced *t = of;
	struct traces_notes notes;
	int rc = traces_write(t->input, &t->opts, path, &notes, &t->other, e);

	if (!rc && notes.bad_bytes)
		say("WARNING: %llu bytes of the trace are no packets", (unsigned long long)notes.bad_bytes);
	if (!rc && notes.nobody)
		say("WARNING: no context and no switch tells which thread %llu operations of the trace belong to",
		    (unsigned long long)notes.nobody);
	return rc;
}

/* Copy a recording from a pipe to a file, because the trace is read twice. */
static int copy_pipe(void *of, const char *path, struct err *e)
{
	const char *input = of;
	autoclose int from = strcmp(input, "-") ? open(input, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
	autoclose int to = open(path, O_WRONLY | O_CLOEXEC);
	autofree char *buf = xmalloc(COPY_BYTES);
	ssize_t n;

	if (from < 0 || to < 0)
		return err_sys(e, "cannot open '%s'", from < 0 ? input : path);
	while ((n = read(from, buf, COPY_BYTES)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && write_all(to, buf, (size_t)n) < 0)
			return err_sys(e, "cannot write '%s'", path);
	return n < 0 ? err_sys(e, "cannot read '%s'", input) : 0;
}

static bool is_pipe(const char *input)
{
	struct stat st;

	return !strcmp(input, "-") || (!stat(input, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

/* Look for the description of a trace: in the pipe form, it comes before the samples. */
static bool begins_with_trace(const struct perfdata *pd)
{
	struct format_notes notes = { 0 };
	struct record r;
	struct chunk c;
	bool has = false;

	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), &notes, &c);
	while (!has && chunk_next(&c, &r, NULL) > 0 && r.type != RECORD_SAMPLE)
		has = r.type == RECORD_AUXTRACE_INFO;
	chunk_release(&c);
	return has;
}

/*
 * Return true if the recording has a hardware trace. This is rare; the header of a file or its
 * first records tell.
 */
static bool has_trace(const char *input, bool force)
{
	struct perfdata *pd = perfdata_open(input, &(struct perfdata_opts){ .force = force }, NULL);
	/* the real reader reports why it cannot be opened */
	bool has = pd && (feature_has(&pd->features, FEATURE_AUXTRACE) ||
			  (pd->pipe && pd->n_streams && begins_with_trace(pd)));

	if (pd)
		perfdata_close(pd);
	return has;
}

const char *traced_input(const char *input, const char *itrace, const char *usual, const struct session_opts *session,
			 struct err *e)
{
	struct traced t = { .opts = { .session = *session, .itrace = itrace ? itrace : usual } };
	struct err why = { 0 };
	const char *path;

	if (!itrace && !*usual && is_pipe(input))
		return input;
	if (is_pipe(input))
		input = rewritten_input("pipe", copy_pipe, (void *)input, e);
	if (!input || (!itrace && !has_trace(input, session->force)))
		return input;
	t.input = input;
	path = rewritten_input("trace", write_traced, &t, &why);
	if (path || (!why.what[0] && !(itrace && t.other)))
		return path ? path : input;
	*e = why;
	if (!why.what[0]) {
		err_set(e, "there is no decoder for %s", t.other);
		err_try(e, "without --itrace: the samples beside the trace");
	}
	return NULL;
}
