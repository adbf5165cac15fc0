#include "cmd/shared/rewritten.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/out.h"
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

/* Traces are rare: the header of a file tells whether there is one. A pipe cannot be read twice. */
static int has_trace(const char *input, const char *itrace, bool force, struct err *e)
{
	struct perfdata *pd;
	struct stat st;
	int rc;

	if (!strcmp(input, "-") || (!stat(input, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))) {
		if (!itrace)
			return 0;
		err_set(e, "--itrace needs a file, which can be read twice");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (itrace)
		return 1;
	pd = perfdata_open(input, &(struct perfdata_opts){ .force = force }, NULL);
	if (!pd)
		return 0; /* who reads it tells why */
	rc = feature_has(&pd->features, FEATURE_AUXTRACE);
	perfdata_close(pd);
	return rc;
}

const char *traced_input(const char *input, const char *itrace, const char *usual, const struct session_opts *session,
			 struct err *e)
{
	struct traced t = { .input = input, .opts = { .session = *session, .letters = itrace ? itrace : usual } };
	struct err why = { 0 };
	const char *path;
	int rc;

	if (itrace && traces_letters_check(itrace, e) < 0)
		return NULL;
	rc = has_trace(input, itrace, session->force, e);
	if (rc <= 0)
		return rc < 0 ? NULL : input;
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
