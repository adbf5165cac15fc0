#ifndef REPORT_PUSH_SPOOL_H
#define REPORT_PUSH_SPOOL_H

#include "base/out.h"

struct push_target;

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
 * Open the spool for a target below `base`, and create it if needed. `limit`: of its size in bytes. Wait while another
 * process has it open. Return -1 with e. Close it in any case.
 */
int spool_open(struct push_spool *s, const char *base, const char *target, uint64_t limit, struct err *e);
void spool_close(struct push_spool *s);

#endif
