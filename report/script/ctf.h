#ifndef REPORT_SCRIPT_CTF_H
#define REPORT_SCRIPT_CTF_H

#include "report/session/session.h"
#include "report/session/time_ranges.h"

/*
 * Write the samples of a walked session as a trace in the Common Trace Format 1.8, as perf's
 * `data convert --to-ctf` does: the directory `dir` with the file "metadata" and a file
 * "perf_stream_N" per CPU. The directory must not exist, unless `replace`. -1 with e; then nothing
 * that we made is left. `samples`: how many were written.
 * Source: https://diamon.org/ctf/v1.8.3/
 */
int ctf_write(struct session *s, const char *dir, bool replace, const struct time_ranges *times, uint64_t *samples,
	      struct err *e);

#endif
