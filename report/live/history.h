#ifndef REPORT_LIVE_HISTORY_H
#define REPORT_LIVE_HISTORY_H

#include "report/live/live.h"

/*
 * The last seconds of a live input, kept in memory, to be saved as a recording. Besides the records of
 * that time it keeps what tells of threads and maps that were there before: for living processes, and
 * for those that these were forked from.
 *
 *	struct live_history *h = history_new(30 * 1000000000ull, 64 << 20);
 *	after each live_next: history_take(h, live_session(l), now_ns);
 *	history_save(h, live_session(l), "perf.data", &e);
 */
struct live_history;
/* Keep `span_ns`, and at most `most` bytes of it: of a lot of data the last part. */
struct live_history *history_new(uint64_t span_ns, size_t most);
void history_free(struct live_history *h);
/*
 * Take in what has arrived since the last call, and forget what is too old. `now_ns`: of any clock
 * that only goes forward.
 */
void history_take(struct live_history *h, const struct session *s, uint64_t now_ns);
/* The time that is kept, in ns. */
uint64_t history_span(const struct live_history *h, uint64_t now_ns);
/* Write a recording in pipe form; an existing file is replaced. -1 with e: nothing was written. */
int history_save(const struct live_history *h, const struct session *s, const char *path, struct err *e);

#endif
