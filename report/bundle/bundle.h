#ifndef REPORT_BUNDLE_BUNDLE_H
#define REPORT_BUNDLE_BUNDLE_H

#include "report/session/session.h"
#include "symbols/bundle/make.h"

/*
 * A bundle: this machine's data about a recording (symbols, lines, code), for reading it on another machine.
 *
 * Example: print how many places and functions a bundle of the recording would have.
 *
 *	struct session *s = session_open("perf.data", &(struct session_opts){ 0 }, NULL);
 *	struct bundle_counts counts = { 0 };
 *	struct bundle_want want = { .code = true };
 *	void *bytes = NULL;
 *	size_t len;
 *
 *	if (s && session_walk(s, NULL) == 0 && session_bundle(s, &want, &bytes, &len, &counts, NULL) == 0)
 *		printf("%ju places in %ju functions\n", (uintmax_t)counts.places, (uintmax_t)counts.functions);
 *	free(bytes);
 *	session_close(s);
 */

/*
 * Make the bundle of a walked session, see bundle_make(). It always keeps the data for unwinding the samples, also if
 * `want` does not ask for it.
 */
int session_bundle(struct session *s, const struct bundle_want *want, void **bytes, size_t *len,
		   struct bundle_counts *counts, struct err *e);

/* Differences between two sessions of the same recording, place by place. */
struct bundle_check {
	uint64_t places, names, lines; /* compared; of those with another name, another line or inlined call */
	uint64_t
		pathless; /* different places in files whose directory the recording does not have: nobody finds them */
	/* the first that differs: its object and offset */
	const char *object;
	uint64_t dso_off;
};
void bundle_compare(struct session *here, struct session *bundled, struct bundle_check *check);

#endif
