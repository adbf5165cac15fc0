#ifndef REPORT_FTRACE_STREAM_H
#define REPORT_FTRACE_STREAM_H

#include "report/ftrace/meta.h"

/*
 * The entries of all CPUs in time order. Pages come CPU by CPU, in order for each CPU, from a file or from
 * a running kernel:
 *
 *	ftrace_stream_add, ... ftrace_stream_round | ftrace_stream_next until 0 | add ... | end, next
 *
 * A round reads the pages of each CPU once. After a round, the stream delivers the entries up to the newest time
 * that an earlier round has seen: each CPU was read since then, so no older entry can follow. If a round did not
 * read all pages of a CPU, the stream delivers only entries up to the newest one of that CPU.
 *
 * The stream keeps an entry back until the next entry of its CPU is there, for at most one round: if a call has no
 * callees, the function graph prints it together with its return.
 */
struct ftrace_stream;
struct ftrace_stream *ftrace_stream_new(struct ftrace_meta *m);
void ftrace_stream_free(struct ftrace_stream *s);
/* Add a page. The stream keeps a copy, or with `lasting` the bytes themselves. */
void ftrace_stream_add(struct ftrace_stream *s, int cpu, const uint8_t *page, size_t size, bool lasting);
/* Say that this CPU had more than the round has read. Call it before ftrace_stream_round(). */
void ftrace_stream_behind(struct ftrace_stream *s, int cpu);
void ftrace_stream_round(struct ftrace_stream *s);
/* Say that nothing follows, so that all entries are delivered. */
void ftrace_stream_end(struct ftrace_stream *s);
/* Return the bytes of waiting pages. */
size_t ftrace_stream_waiting(const struct ftrace_stream *s);

/* Return the next entry: 1 with `ev`; 0: none before the next round. */
int ftrace_stream_next(struct ftrace_stream *s, struct ftrace_event *ev);
/* Return the entry after the last one on its CPU; NULL: unknown. */
const struct ftrace_event *ftrace_stream_following(const struct ftrace_stream *s);
/* Skip that entry. The last entry stays valid. */
void ftrace_stream_skip(struct ftrace_stream *s);

#endif
