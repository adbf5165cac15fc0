#ifndef TESTS_LIB_WALKED_H
#define TESTS_LIB_WALKED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "report/session/session.h"
#include "tests/lib/build.h"

/* Open a built stream as a file and walk it. The caller closes the session, and releases `b`. */
static inline struct session *walked(struct build *b, const struct session_opts *opts)
{
	struct session_opts forced = *opts;
	char *path = build_file(b);
	struct session *s;
	struct err e = { 0 };

	forced.force = true;
	s = session_open(path, &forced, &e);
	unlink(path);
	free(path);
	if (!s || session_walk(s, &e) < 0)
		fail_msg("%s", e.what);
	return s;
}

#endif
