#ifndef SYMBOLS_NAME_DEBUGINFOD_PRIV_H
#define SYMBOLS_NAME_DEBUGINFOD_PRIV_H

#include "symbols/name/symbols_priv.h"

/*
 * Fetch files by build-id from the servers in DEBUGINFOD_URLS. The first question loads
 * libdebuginfod, which caches what it fetched. Source: debuginfod_find_debuginfo(3),
 * debuginfod-client-config(7).
 */
enum debuginfod_kind { DEBUGINFOD_EXECUTABLE, DEBUGINFOD_DEBUGINFO };
struct debuginfod_question {
	struct build_id id;
	enum debuginfod_kind kind;
	/* Called about once a second, with a step that has the bytes so far; false: give up. May be NULL. */
	bool (*tell)(void *ctx, const struct fetch_step *step);
	void *ctx;
	struct fetch_step step;
	/*
	 * the answer: a path in the library's cache, which the caller frees; NULL: no server has
	 * the file, or it took too long
	 */
	char *path;
	bool silent; /* no byte arrived within the limit */
};
/* Ask, and wait at most five seconds. */
void debuginfod_ask(struct debuginfod_question *q);

/*
 * Return the file if its build-id matches. NULL: the session asks no servers, or no server sent the
 * file in time. A session with a `fetched` asks no server: it takes what has arrived and notes the
 * rest. Other sessions ask at once. No server is asked any more after one was silent, or when the
 * program was asked to stop.
 */
struct image *debuginfod_open(struct symbols *s, const struct dso *d, const struct build_id *id,
			      enum debuginfod_kind kind);

/* --- fetched.c --- */
struct image *fetched_open(struct fetched *f, const struct dso *d, const struct build_id *id,
			   enum debuginfod_kind kind);

#endif
