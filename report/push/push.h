#ifndef REPORT_PUSH_PUSH_H
#define REPORT_PUSH_PUSH_H

#include "report/push/spool.h"
#include "report/stacks/fleet.h"

/*
 * Send recordings to engines that hold those of many machines. A recording becomes batches, which are HTTP requests.
 * All of them are in the spool, on disk, before the first is sent, and each stays there until the far side has taken
 * it.
 *
 *	push_target_parse -> spool_open -> push_drain (what is left of earlier times) -> push_fill -> push_drain
 */
struct push_run {
	const struct stacks *st;
	const struct session *s;
	struct fleet *fleet;
};
struct push_target;
struct push_engine {
	const char *scheme, *summary;
	unsigned port;
	/* Make the batches of stacks that have `frames` and `each`. -1 with e: the spool did not take them. */
	int (*fill)(const struct push_target *t, const struct push_run *r, struct push_spool *to, struct err *e);
	/* Make tables; NULL: it needs none. */
	int (*init)(const struct push_target *t, struct err *e);
	/* Add the rows of a query, "a;b;c" and a weight, to stacks; NULL: it cannot be asked. */
	int (*query)(const struct push_target *t, const char *sql, struct stacks *st, struct err *e);
};
extern const struct push_engine push_engines[]; /* scheme NULL at the end */

/* "clickhouse+tls://user:password@host:8443/profiles?option=1" in its parts. */
struct push_target {
	const struct push_engine *engine;
	char *base;  /* "https://user:password@host:8443" */
	char *path;  /* "/profiles" or "" */
	char *query; /* "option=1" or "" */
	char *shown; /* the URL without user, password and query: for messages and the spool's name */
};
/* Return -1 with e when the URL is none that we can send to. */
int push_target_parse(struct push_target *t, const char *url, struct err *e);
void push_target_free(struct push_target *t);

/* Put a recording into the spool: all of it or, with -1 and e, nothing. */
int push_fill(const struct push_target *t, const struct stacks *st, const struct session *s, const char *service,
	      struct push_spool *to, struct err *e);
/*
 * Send what is in the spool; what was taken is removed from there. Failures that may pass are tried again, at growing
 * intervals, for patience_ns. Return -1 with e when something is left. *sent: batches taken.
 */
int push_drain(const struct push_target *t, struct push_spool *from, uint64_t patience_ns, uint64_t *sent,
	       struct err *e);
/*
 * POST to the target: `where` is path and query. Return -1 with e if it was not taken; *may_pass: trying again may
 * help.
 */
int push_post(const struct push_target *t, const struct push_batch *b, bool *may_pass, struct err *e);

/*
 * The query that a URL asks behind its question mark: SQL, also as query=SQL, or parameters host=x&service=y of the
 * query in `file` (NULL: the one for flame graphs). A parameter takes the place of % in "host LIKE '%'". The caller
 * frees it; NULL with e.
 */
char *push_query_text(const char *asked, const char *file, struct err *e);

#endif
