#ifndef REPORT_PUSH_SPOOL_PRIV_H
#define REPORT_PUSH_SPOOL_PRIV_H

#include "report/push/spool.h"

/* One HTTP request: its target (path and query), the type and encoding of its body ("" = none). */
struct push_batch {
	const char *where, *type, *encoding;
	const void *body;
	size_t len;
};

/* Add a batch, durably. Return -1 with e: the spool would exceed its limit, or the disk failed. */
int spool_put(struct push_spool *s, const char *name, const struct push_batch *b, struct err *e);
/* Return the names of all batches, sorted; the caller frees each of them and the list. */
struct spool_names {
	VEC(char *);
};
int spool_list(const struct push_spool *s, struct spool_names *names, struct err *e);
void spool_names_free(struct spool_names *names);
/* Read a batch. *bytes owns its parts, and the caller frees it. Return -1 with e. */
int spool_get(const struct push_spool *s, const char *name, struct push_batch *b, char **bytes, struct err *e);
void spool_remove(struct push_spool *s, const char *name);
/* Remove batches whose names begin with this. */
void spool_remove_all(struct push_spool *s, const char *prefix);

#endif
