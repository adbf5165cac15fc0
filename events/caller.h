#ifndef EVENTS_CALLER_H
#define EVENTS_CALLER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * The user who called sudo. With --as-caller root opens the events while the command runs as that
 * user, who also gets the output file. Source: sudo(8), "ENVIRONMENT", SUDO_UID, SUDO_GID,
 * SUDO_USER; credentials(7).
 */
struct caller {
	bool given;
	uid_t uid;
	gid_t gid;
	char name[64];
	char home[256], shell[256];
};

/*
 * Read the caller from the environment and the user database, which must agree. Return -1 with e
 * when we are not root or were not called through sudo.
 */
int caller_find(struct caller *c, struct err *e);
/*
 * Become the caller for good, in a child that is about to run a command: set the groups, the user,
 * and their names in the environment. Return -1 with errno; the process must then exit.
 */
int caller_become(const struct caller *c);

#endif
