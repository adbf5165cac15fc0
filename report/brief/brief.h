#ifndef REPORT_BRIEF_BRIEF_H
#define REPORT_BRIEF_BRIEF_H

#include "report/profile/profile.h"

/*
 * Print a recording on one page: the quality of the data, the functions with the most time, and findings. Every finding
 * has its numbers; rules.c has one row for each kind of finding.
 *
 * Example: print the page.
 *
 *	struct session *s = session_open("perf.data", &(struct session_opts){ 0 }, NULL);
 *	struct profile_filter all = { 0 };
 *	struct brief *b = s && session_walk(s, NULL) == 0 ? brief_new(s, &all, NULL) : NULL;
 *	struct out o;
 *
 *	out_init_fd(&o, STDOUT_FILENO);
 *	if (b)
 *		brief_print(b, &o);
 *	out_flush(&o);
 *	out_release(&o);
 *	brief_free(b);
 *	session_close(s);
 */
struct brief;
/* Wall-clock time of threads, in ns: running + runnable + blocked is their time. All 0: unknown. */
enum { BRIEF_WAITS = 16 };
struct brief_waits {
	uint64_t running, runnable, blocked;
	struct brief_wait {       /* blocked, by kind of wait */
		const char *name; /* NULL at the end */
		uint64_t ns;
		/* waits for input and output, locks, pipes and pages, shorter than half of the recording */
		uint64_t avoidable_ns;
		uint64_t most_ns; /* part of the thread that waited longest */
		int32_t most_tid;
		char most_comm[16]; /* foreign text */
	} kinds[BRIEF_WAITS];
};
/* The session must be walked. It and the filter must outlive the brief. `waits` NULL: unknown. */
struct brief *brief_new(struct session *s, const struct profile_filter *filter, const struct brief_waits *waits);
void brief_free(struct brief *b); /* NULL is fine */
/* Compare with an older recording's brief: which functions take a larger or smaller share of the time. */
void brief_compare(struct brief *b, const struct brief *old);
/* Print at most 60 lines. */
void brief_print(const struct brief *b, struct out *o);
/* Print one JSON object; strobe-report(1) describes its members. */
void brief_json(const struct brief *b, struct out *o);

#endif
