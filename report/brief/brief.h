#ifndef REPORT_BRIEF_BRIEF_H
#define REPORT_BRIEF_BRIEF_H

#include "report/profile/profile.h"

/*
 * A recording on one page: how good the data is, where the time goes, and what is striking about it. Every finding
 * cites its numbers, and none is made without them; rules.c has one row for each kind.
 *
 *	b = brief_new(session, filter); ... brief_print(b, out) or brief_json(b, out); brief_free(b)
 */
struct brief;
/* The session must be walked. It and the filter must outlive the brief. */
struct brief *brief_new(struct session *s, const struct profile_filter *filter);
void brief_free(struct brief *b); /* NULL is fine */
/* Compare with an older recording's brief: which functions take more of the time, and which less. */
void brief_compare(struct brief *b, const struct brief *old);
/* At most 60 lines. */
void brief_print(const struct brief *b, struct out *o);
/* One object; strobe-report(1) describes its members. */
void brief_json(const struct brief *b, struct out *o);

#endif
