#ifndef CMD_REPORT_PIPED_PRIV_H
#define CMD_REPORT_PIPED_PRIV_H

#include "cmd/report/live_rows.h"
#include "cmd/shared/feeding.h"

/*
 * A recording that comes through a pipe while the browser shows it. Its bytes are kept in memory, as those of any
 * pipe. At its end, these bytes become standard input, so the next reader of "-" gets all of the pipe.
 */
struct piped;

/* Wait until the events are known. NULL with e; whatever came is at standard input again. */
struct piped *piped_open(const struct report_opts *o, struct err *e);
/* Without a screen: wait for the rest, so that standard input can be read. */
void piped_wait(struct piped *p);
void piped_close(struct piped *p);

/* While keys of `t` are waited for, take in what arrives. */
void piped_feed(struct piped *p, struct tui *t);
bool piped_is_due(const struct piped *p);
/* Everything came, and a page has to be made from all of it. */
bool piped_has_ended(const struct piped *p);

/* The profile of what came so far; NULL when it was released. */
struct session *piped_session(const struct piped *p);
/* A page of what came so far. NULL with e: it does not tell enough for these options. */
struct browse_data *piped_load(struct piped *p, const struct report_opts *o, struct err *e);
/* NULL: the data is no such page. */
struct live_page *piped_page(struct piped *p, struct browse_data *d);
void piped_release(struct piped *p, struct live_page *page);
/* Write what we know about the pipe; the screen shows it below the title. */
void piped_status(const struct piped *p, struct out *o);

#endif
