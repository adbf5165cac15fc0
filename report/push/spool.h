#ifndef REPORT_PUSH_SPOOL_H
#define REPORT_PUSH_SPOOL_H

#include "base/out.h"

struct push_target;

/* One HTTP request: its target (path and query), the type and encoding of its body ("" = none). */
struct push_batch {
	const char *where, *type, *encoding;
	const void *body;
	size_t len;
};

/*
 * A directory of batches for one target, with a limited size. The name of a batch depends on its content, so the same
 * batch replaces itself. One process at a time has it open.
 */
struct push_spool {
	char *dir;
	uint64_t limit, bytes; /* of all its files */
	int lock;
};
#define SPOOL_USUAL_SIZE "1G"
/* Return the directory for data that must survive a restart; malloc'd. */
char *spool_usual(void);
/*
 * Open the spool for a target below `base`, and create it if needed. Wait while another process has it open. Return -1
 * with e.
 */
int spool_open(struct push_spool *s, const char *base, const char *target, uint64_t limit, struct err *e);
void spool_close(struct push_spool *s);
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
