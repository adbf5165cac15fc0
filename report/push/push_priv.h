#ifndef REPORT_PUSH_PUSH_PRIV_H
#define REPORT_PUSH_PUSH_PRIV_H

#include "report/push/push.h"
#include "report/push/spool_priv.h"

/* What an engine turns into batches. */
struct push_run {
	const struct stacks *st;
	const struct session *s;
	struct fleet *fleet;
};
/*
 * POST a batch to the target. Return -1 with e if the server did not accept it. *may_pass: the reason may pass, so it
 * makes sense to try again.
 */
int push_post(const struct push_target *t, const struct push_batch *b, bool *may_pass, struct err *e);

/* Put the batch with this number of a recording into the spool. */
int push_put(struct push_spool *to, const struct push_run *r, unsigned number, const struct push_batch *b,
	     struct err *e);

int clickhouse_fill(const struct push_target *t, const struct push_run *r, struct push_spool *to, struct err *e);
int clickhouse_query(const struct push_target *t, const char *sql, struct stacks *st, struct err *e);
int clickhouse_init(const struct push_target *t, struct err *e);

#endif
