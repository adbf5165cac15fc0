#ifndef CMD_REPORT_COMPLETING_PRIV_H
#define CMD_REPORT_COMPLETING_PRIV_H

#include "cmd/report/report_priv.h"
#include "report/tui/tui.h"

/*
 * A report is shown with the names that are here. Then debuginfod servers are asked for the rest, object by object, the
 * one with the most samples first; what came is in sessions that are opened later with the same `fetched`.
 */

/* For text: fetch all that is missing, and show the progress. ^C ends it. Return whether anything came. */
bool complete_now(const struct run *r);

/* For a screen: fetch on a separate thread. Zeroed memory has not begun. */
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
/* Fetch what the shown profile lacks, unless that is done or in progress. */
void completing_begin(struct completing *c, const struct run *r);
void completing_status(struct completing *c, struct out *o);
void completing_end(struct completing *c);

#endif
