#ifndef REPORT_BRIEF_BRIEF_H
#define REPORT_BRIEF_BRIEF_H

#include "report/profile/profile.h"

/*
 * A recording on one page: how good the data is, where the time goes, and what is striking about it. Every finding
 * cites its numbers, and none is made without them; rules.c has one row for each kind.
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
/* What threads did on the wall clock, in ns: running + runnable + blocked is their time. All 0: nothing tells. */
enum { BRIEF_WAITS = 16 };
struct brief_waits {
	uint64_t running, runnable, blocked;
	struct brief_wait {       /* blocked, by what for */
		const char *name; /* NULL at the end */
		uint64_t ns;
		uint64_t avoidable_ns; /* somebody made it wait, and not just for a thread's end */
		uint64_t most_ns;      /* of that, of the thread that waited longest */
		int32_t most_tid;
		char most_comm[16]; /* foreign text */
	} kinds[BRIEF_WAITS];
};
/* The session must be walked. It and the filter must outlive the brief. `waits` NULL: they are not known. */
struct brief *brief_new(struct session *s, const struct profile_filter *filter, const struct brief_waits *waits);
void brief_free(struct brief *b); /* NULL is fine */
/* Compare with an older recording's brief: which functions take more of the time, and which less. */
void brief_compare(struct brief *b, const struct brief *old);
/* At most 60 lines. */
void brief_print(const struct brief *b, struct out *o);
/* One object; strobe-report(1) describes its members. */
void brief_json(const struct brief *b, struct out *o);

#endif
