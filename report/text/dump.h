#ifndef REPORT_TEXT_DUMP_H
#define REPORT_TEXT_DUMP_H

#include "report/session/session.h"

/*
 * Call `fn` for each record of an input in the order in which `-D` shows them. Tool records come
 * where they lie. Records of the kernel are sorted by time and delivered when a round ends that
 * began after them. If the input has records without times, or with `unsorted`, all records come in
 * file order. Damage is counted in notes, which must not be NULL. Source: strobe.data(5), "Order".
 */
typedef void dump_fn(void *ctx, const struct record *r);
void dump_walk(const struct perfdata *pd, bool unsorted, struct format_notes *notes, dump_fn *fn, void *ctx);

/*
 * Print the text of `-D`: raw bytes and fields of each record, with the thread and object of each
 * sample. Walk the session if that was not done. `printer`, unless NULL, prints each record once
 * more after its dump. `unsorted`: in file order.
 */
struct printer;
int dump_session(struct session *s, struct printer *printer, bool unsorted, struct out *o, struct err *e);

/*
 * Print the text of `report --stats`: the number of records of each type, and of samples of each
 * event.
 */
int stats_print(const struct perfdata *pd, struct format_notes *notes, struct out *o, struct err *e);

#endif
