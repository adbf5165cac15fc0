#ifndef REPORT_PUSH_PUSH_PRIV_H
#define REPORT_PUSH_PUSH_PRIV_H

#include "report/push/push.h"

/* Put the batch with this number of a recording into the spool. */
int push_put(struct push_spool *to, const struct push_run *r, unsigned number, const struct push_batch *b,
	     struct err *e);

int clickhouse_fill(const struct push_target *t, const struct push_run *r, struct push_spool *to, struct err *e);
int clickhouse_query(const struct push_target *t, const char *sql, struct stacks *st, struct err *e);
int clickhouse_init(const struct push_target *t, struct err *e);

#endif
