#ifndef REPORT_TRACES_TRACES_H
#define REPORT_TRACES_TRACES_H

#include "report/live/live.h"

/*
 * Turn hardware traces into samples: decode the AUX areas of a recording, and rewrite the recording with a sample for
 * each operation in the trace. Then all commands for recordings work on traces. It decodes traces of Arm SPE.
 *
 * Example: decode the trace of a recording.
 *
 *	struct traces_opts opts = { .itrace = NULL };
 *	struct traces_notes notes = { 0 };
 *	const char *other;
 *	struct err e = { 0 };
 *
 *	if (traces_write("perf.data", &opts, "samples.data", &notes, &other, &e) < 0)
 *		fprintf(stderr, "%s\n", e.what);
 */

struct traces_opts {
	struct session_opts session;
	const char *itrace; /* letters of --itrace: which samples to make */
};
struct traces_notes {
	uint64_t bad_bytes; /* bytes that do not begin a packet */
	uint64_t nobody;    /* records whose thread is unknown */
};
/*
 * Decode `input`, a file, into the new file `output`. Return 1 if it has no trace, or one of another kind; *other is
 * then its name (else NULL), and `output` is unchanged. -1 with e on failure, also if the letters are not for Arm SPE.
 */
int traces_write(const char *input, const struct traces_opts *opts, const char *output, struct traces_notes *notes,
		 const char **other, struct err *e);

#endif
