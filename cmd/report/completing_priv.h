#ifndef CMD_REPORT_COMPLETING_PRIV_H
#define CMD_REPORT_COMPLETING_PRIV_H

#include "cmd/report/report_priv.h"
#include "report/tui/tui.h"

/*
 * A report is shown first with the names that are on this machine. Then debuginfod servers are
 * asked for the rest, object by object, beginning with the most samples. Sessions that are opened
 * later with the same `fetched` have the files that arrived.
 */

/*
 * For text: fetch everything that is missing, and show the progress. ^C ends it. Return whether
 * anything arrived.
 */
bool complete_now(const struct run *r);

/* For a screen: fetch on a separate thread. Zeroed memory has not begun. */
struct completing {
	struct fetched *fetched;
	struct tui *tui; /* woken when something arrives */
	pthread_t thread;
	bool started;
	atomic_bool stop, ended;
	atomic_uint came, missed;
	pthread_mutex_t lock; /* guards `asked` */
	struct out asked;     /* text: the file that we ask for now */
};
void completing_init(struct completing *c, struct fetched *f, struct tui *t);
/* Fetch what the shown profile lacks, unless that is done or in progress. */
void completing_begin(struct completing *c, const struct run *r);
void completing_status(struct completing *c, struct out *o);
void completing_end(struct completing *c);

#endif
