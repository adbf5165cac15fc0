#ifndef CMD_REPORT_PIPED_PRIV_H
#define CMD_REPORT_PIPED_PRIV_H

#include "cmd/report/live_rows.h"
#include "cmd/shared/feeding.h"

/*
 * A recording that arrives through a pipe while the browser shows it. Its bytes are kept in memory,
 * as for any pipe. At the end, these bytes become standard input, so the next reader of "-" gets
 * the whole pipe.
 */
struct piped;

/*
 * Wait until the events are known. NULL with e; all bytes that arrived are then at standard input
 * again.
 */
struct piped *piped_open(const struct report_opts *o, struct err *e);
/* Without a screen: wait for the rest, so that standard input can be read. */
void piped_wait(struct piped *p);
void piped_close(struct piped *p);

/* Take in what arrives while `t` waits for keys. */
void piped_feed(struct piped *p, struct tui *t);
bool piped_is_due(const struct piped *p);
/* Return true if everything has arrived: now make a page from all of it. */
bool piped_has_ended(const struct piped *p);

/* Return the session of what has arrived so far; NULL when it was released. */
struct session *piped_session(const struct piped *p);
/* Make a page of what has arrived so far. NULL with e: this is not enough for these options. */
struct browse_data *piped_load(struct piped *p, const struct report_opts *o, struct err *e);
/* Return the live page that this data is; NULL if it is another kind of data. */
struct live_page *piped_page(struct piped *p, struct browse_data *d);
void piped_release(struct piped *p, struct live_page *page);
/* Write what we know about the pipe; the screen shows it below the title. */
void piped_status(const struct piped *p, struct out *o);

#endif
