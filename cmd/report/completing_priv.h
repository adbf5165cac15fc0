#ifndef CMD_REPORT_COMPLETING_PRIV_H
#define CMD_REPORT_COMPLETING_PRIV_H

#include "cmd/report/report_priv.h"
#include "report/tui/tui.h"

/*
 * A report is shown with the names that are here. Then debuginfod servers are asked for the rest, object by object, the
 * one with the most samples first; what came is in sessions that are opened later with the same `fetched`.
 */

/* Of text: ask for all that is missing, and tell how far that is. ^C ends it. Return whether anything came. */
bool complete_now(const struct run *r);

/* Of a screen: ask on a thread of its own. Zeroed memory has not begun. */
struct completing {
	struct fetched *fetched;
	struct tui *tui; /* woken when something came */
	pthread_t thread;
	bool started;
	atomic_bool stop, ended;
	atomic_uint came, missed;
	pthread_mutex_t lock; /* guards `asked` */
	struct out asked;     /* what is asked for now */
};
void completing_init(struct completing *c, struct fetched *f, struct tui *t);
/* Of a profile that is shown: ask for what it lacks, unless that was done or goes on. */
void completing_begin(struct completing *c, const struct run *r);
void completing_status(struct completing *c, struct out *o);
void completing_end(struct completing *c);

#endif
