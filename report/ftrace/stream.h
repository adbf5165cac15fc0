#ifndef REPORT_FTRACE_STREAM_H
#define REPORT_FTRACE_STREAM_H

#include "report/ftrace/meta.h"

/*
 * The entries of all CPUs in order of time. Pages come CPU by CPU, each CPU's in their order, from a
 * file or from a running kernel:
 *
 *	ftrace_stream_add, ... ftrace_stream_round | ftrace_stream_next until 0 | add ... | end, next
 *
 * A round is a sweep over all CPUs. What a later round brings is younger than all that the round
 * before the last had brought, unless a CPU was not emptied; so entries up to that time are in
 * order. An entry waits, at most a round, for the next one of its CPU: the graph of functions prints
 * a call that calls nothing together with its return.
 */
struct ftrace_stream;
struct ftrace_stream *ftrace_stream_new(struct ftrace_meta *m);
void ftrace_stream_free(struct ftrace_stream *s);
/* Add a page. The stream keeps a copy, or with `lasting` the bytes themselves. */
void ftrace_stream_add(struct ftrace_stream *s, int cpu, const uint8_t *page, size_t size, bool lasting);
/* This CPU had more than the round has read. Before ftrace_stream_round(). */
void ftrace_stream_behind(struct ftrace_stream *s, int cpu);
void ftrace_stream_round(struct ftrace_stream *s);
/* Nothing follows: deliver all. */
void ftrace_stream_end(struct ftrace_stream *s);
/* Bytes of pages that wait for their turn. */
size_t ftrace_stream_waiting(const struct ftrace_stream *s);

/* The next entry: 1 with `ev`, or 0 when there is none before the next round. */
int ftrace_stream_next(struct ftrace_stream *s, struct ftrace_event *ev);
/* The entry that follows the last one on its CPU; NULL if it is not known. */
const struct ftrace_event *ftrace_stream_following(const struct ftrace_stream *s);
/* Leave that one out. The last entry stays valid. */
void ftrace_stream_skip(struct ftrace_stream *s);

#endif
