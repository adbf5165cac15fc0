#ifndef REPORT_PUSH_PUSH_H
#define REPORT_PUSH_PUSH_H

#include "report/push/spool.h"
#include "report/stacks/fleet.h"

/*
 * Send recordings to engines that store recordings of many machines. A recording becomes batches; each is an HTTP
 * request. All of them are in the spool, on disk, before the first is sent. Each stays there until the server has
 * accepted it.
 *
 *	push_target_parse -> spool_open -> push_drain (earlier batches) -> push_fill -> push_drain
 *
 * Example: send a recording of a web server.
 *
 *	struct stacks_opts opts = { .max_stack = 127, .frames = true, .each = true, .pid = true, .tid = true };
 *	struct session *s = session_open("perf.data", &(struct session_opts){ 0 }, NULL);
 *	struct stacks *st = stacks_new(&opts);
 *	struct profile_filter all = { 0 };
 *	struct push_target to = { 0 };
 *	struct push_spool spool = { 0 };
 *	uint64_t sent = 0;
 *
 *	if (!s || session_walk(s, NULL) < 0 || stacks_add(st, s, &all, 0, NULL) < 0 ||
 *	    push_target_parse(&to, "clickhouse://localhost/profiles", NULL) < 0 ||
 *	    spool_open(&spool, "spool", to.shown, 1 << 30, NULL) < 0)
 *		return 1;
 *	stacks_sort(st, 0);
 *	if (push_fill(&to, st, s, "web", &spool, NULL) == 0 && push_drain(&to, &spool, 0, &sent, NULL) == 0)
 *		printf("sent %ju batches\n", (uintmax_t)sent);
 */
struct push_run;
struct push_target;
struct push_engine {
	const char *scheme, *summary;
	unsigned port;
	/* Put the batches of stacks that have `frames` and `each` into the spool. -1 with e: it refused them. */
	int (*fill)(const struct push_target *t, const struct push_run *r, struct push_spool *to, struct err *e);
	/* Make tables; NULL: the engine needs none. */
	int (*init)(const struct push_target *t, struct err *e);
	/* Add the rows of a query, "a;b;c" and a weight, to stacks; NULL: the engine has no queries. */
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
/* Return -1 with e: we cannot send to this URL. Free the target in any case. */
int push_target_parse(struct push_target *t, const char *url, struct err *e);
/* Refuse --init for an engine without tables. -1 with e. */
int push_no_init(const struct push_target *t, struct err *e);
void push_target_free(struct push_target *t);

/*
 * Put a recording into the spool: all of it, or, with -1 and e, nothing. `service`: what the host runs, as for
 * fleet_new().
 */
int push_fill(const struct push_target *t, const struct stacks *st, const struct session *s, const char *service,
	      struct push_spool *to, struct err *e);
/*
 * Send the batches in the spool, and remove each accepted one. After a failure that may be temporary, try again at
 * growing intervals, for patience_ns. Return -1 with e: some batches are left. *sent: number of accepted batches.
 */
int push_drain(const struct push_target *t, struct push_spool *from, uint64_t patience_ns, uint64_t *sent,
	       struct err *e);

/*
 * Return the query after the question mark of a URL: SQL, also as query=SQL, or parameters host=x&service=y of the
 * query in `file` (NULL: the query for flame graphs). A parameter replaces % in "host LIKE '%'". The caller frees it;
 * NULL with e.
 */
char *push_query_text(const char *asked, const char *file, struct err *e);

#endif
