#ifndef CMD_SCHED_LOCK_USER_H
#define CMD_SCHED_LOCK_USER_H

#include "base/opt.h"

/* `lock user`, which stands below `lock`. */
extern const struct command lock_user_command;

#endif
