#ifndef SYMBOLS_NAME_DEBUGINFOD_PRIV_H
#define SYMBOLS_NAME_DEBUGINFOD_PRIV_H

#include "symbols/name/symbols_priv.h"

/*
 * Files by build-id from the servers in DEBUGINFOD_URLS. libdebuginfod is loaded at the first question, and keeps what
 * it fetched in its own cache. Source: debuginfod_find_debuginfo(3), debuginfod-client-config(7).
 */
enum debuginfod_kind { DEBUGINFOD_EXECUTABLE, DEBUGINFOD_DEBUGINFO };
struct debuginfod_question {
	struct build_id id;
	enum debuginfod_kind kind;
	/* Called about once a second, with a step that has the bytes so far; false: give up. May be NULL. */
	bool (*tell)(void *ctx, const struct fetch_step *step);
	void *ctx;
	struct fetch_step step;
	/* the answer: a path in the library's cache, for the caller to free; NULL: none has it, or it took too long */
	char *path;
	bool silent; /* not a byte came within the limit */
};
/* Ask, for five seconds at most. */
void debuginfod_ask(struct debuginfod_question *q);

/*
 * Return the file, whose build-id was compared, or NULL: the session asks no servers, or none has it in time. A
 * session with a `fetched` asks nobody: it takes what is there and notes the rest. Another one asks at once. After a
 * server was silent, or when the program was asked to stop, no server is asked any more.
 */
struct image *debuginfod_open(struct symbols *s, const struct dso *d, const struct build_id *id,
			      enum debuginfod_kind kind);

/* --- fetched.c --- */
struct image *fetched_open(struct fetched *f, const struct dso *d, const struct build_id *id,
			   enum debuginfod_kind kind);

#endif
