#ifndef REPORT_LIVE_HISTORY_H
#define REPORT_LIVE_HISTORY_H

#include "report/live/live.h"

/*
 * Keep the last seconds of a live input in memory, to save them as a recording. The history also keeps older
 * records about threads and maps: those of living processes, and of the processes from which these were
 * forked.
 *
 *	struct live_history *h = history_new(30 * 1000000000ull, 64 << 20);
 *	after each live_next: history_take(h, live_session(l), now_ns);
 *	history_save(h, live_session(l), "perf.data", &e);
 */
struct live_history;
/* Keep `span_ns`, but at most the last `most` bytes. */
struct live_history *history_new(uint64_t span_ns, size_t most);
void history_free(struct live_history *h);
/*
 * Take in new records since the last call, and forget old ones. `now_ns`: the time of any clock that only
 * goes forward.
 */
void history_take(struct live_history *h, const struct session *s, uint64_t now_ns);
/* Return the kept time, in ns. */
uint64_t history_span(const struct live_history *h, uint64_t now_ns);
/* Write a recording in pipe form; replace an existing file. -1 with e: nothing was written. */
int history_save(const struct live_history *h, const struct session *s, const char *path, struct err *e);

#endif
