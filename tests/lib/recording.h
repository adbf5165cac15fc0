#ifndef TESTS_LIB_RECORDING_H
#define TESTS_LIB_RECORDING_H

#include "format/format.h"

/*
 * A small recording made with the writer: one process "prog" with one map, and samples that
 * alternate between up to three software events. Its features describe an invented machine with two
 * CPUs.
 */
struct recording {
	struct writer_opts opts;
	int n_events; /* 1..3; several are a group */
	long n_samples;
	bool bare;  /* events without names, no features */
	bool newer; /* with the features that are new in perf 7 */
};

void recording_features(struct features *f, struct arena *a, bool newer);
/* Declare the events to `w`. */
void recording_events(const struct recording *r, struct writer *w);
/* Write everything between writer_begin and writer_finish. -1 and e when the writer fails. */
int recording_records(const struct recording *r, struct writer *w, struct err *e);
/* Write a whole recording to `path`. -1 and e on failure, after writer_abandon. */
int recording_write(const struct recording *r, const char *path, struct err *e);

#endif
