#ifndef REPORT_BUNDLE_BUNDLE_H
#define REPORT_BUNDLE_BUNDLE_H

#include "report/session/session.h"
#include "symbols/bundle/make.h"

/*
 * Make the bundle of a walked session, see bundle_make(). What its samples need for unwinding is kept in any case:
 * `want` need not say so.
 */
int session_bundle(struct session *s, const struct bundle_want *want, void **bytes, size_t *len,
		   struct bundle_counts *counts, struct err *e);

/* How the answers of two sessions about the same recording differ, place by place. */
struct bundle_check {
	uint64_t places, names, lines; /* compared; of those with another name, another line or inlined call */
	/* the first that differs: its object and offset */
	const char *object;
	uint64_t dso_off;
};
void bundle_compare(struct session *here, struct session *bundled, struct bundle_check *check);

#endif
