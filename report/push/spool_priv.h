#ifndef REPORT_PUSH_SPOOL_PRIV_H
#define REPORT_PUSH_SPOOL_PRIV_H

#include "report/push/spool.h"

/* One HTTP request: its target (path and query), the type and encoding of its body ("" = none). */
struct push_batch {
	const char *where, *type, *encoding;
	const void *body;
	size_t len;
};

/*
 * Add a batch; it survives a crash of the system. Return -1 with e if the spool would exceed its limit, or if it cannot
 * be written.
 */
int spool_put(struct push_spool *s, const char *name, const struct push_batch *b, struct err *e);

struct spool_names {
	VEC(char *);
};
/* Return the names of all batches, sorted. Free them with spool_names_free. */
int spool_list(const struct push_spool *s, struct spool_names *names, struct err *e);
void spool_names_free(struct spool_names *names);
/* Read a batch. Its parts point into *bytes, which the caller frees. Return -1 with e on failure. */
int spool_get(const struct push_spool *s, const char *name, struct push_batch *b, char **bytes, struct err *e);
void spool_remove(struct push_spool *s, const char *name);
/* Remove batches whose names begin with this. */
void spool_remove_all(struct push_spool *s, const char *prefix);

#endif
