#ifndef REPORT_TEXT_DUMP_H
#define REPORT_TEXT_DUMP_H

#include "report/session/session.h"

/*
 * Every record of an input in the order in which `-D` shows them: tool records where they lie; the kernel's sorted by
 * time, delivered when a round ends that began after them. Inputs without times in all records, and all if `unsorted`,
 * in the order they lie. `fn` is called for each; damage is counted in notes, which must not be NULL. Source:
 * strobe.data(5), "Order".
 */
typedef void dump_fn(void *ctx, const struct record *r);
void dump_walk(const struct perfdata *pd, bool unsorted, struct format_notes *notes, dump_fn *fn, void *ctx);

/*
 * Print the text of `-D`: raw bytes and fields of every record, with the thread and the object that each sample belongs
 * to. Walk the session if that was not done. `printer`, unless NULL, prints each record once more after its dump.
 * `unsorted`: in file order.
 */
struct printer;
int dump_session(struct session *s, struct printer *printer, bool unsorted, struct out *o, struct err *e);

/* The text of `report --stats`: how many records of each type there are, and how many samples of each event. */
int stats_print(const struct perfdata *pd, struct format_notes *notes, struct out *o, struct err *e);

#endif
