#ifndef RECORD_SESSION_TRIAL_H
#define RECORD_SESSION_TRIAL_H

/*
 * Check whether a recording would start. A trial does everything that record_run() does before
 * the command runs - events, target, descriptors, rings - and undoes it. It touches no file,
 * measures nothing and prints nothing.
 */
#include "events/events.h"
#include "record/record.h"

struct record_trial {
	bool ok;
	struct err e; /* why it would not start */
	/* what it needs, if it got as far as its events; this decides which right to grant */
	bool system, kernel, trace;
	/* when ok: the kernel is measured if requested, and the maps of named tasks are readable */
	bool whole;
	VEC(char *) notes; /* what was changed or left out to make it start; each malloc'd */
};
/*
 * Make a trial. `strict`: do not change or leave out anything. Release it with
 * record_trial_release().
 */
void record_try(const struct record_opts *o, char *const argv[], bool strict, struct record_trial *trial);
/*
 * Make the trial in another process as a user who owns nothing, is in no group, and has only
 * the capabilities `caps` (bits as in struct facts). Needs root; otherwise the trial's error
 * says so. `notes` stays empty.
 */
void record_try_as(const struct record_opts *o, char *const argv[], uint64_t caps, struct record_trial *trial);
void record_trial_release(struct record_trial *trial);

/* Note what the events of a trial need. */
struct recorder;
void trial_demands(struct recorder *r);

#endif
