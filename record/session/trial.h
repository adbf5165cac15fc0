#ifndef RECORD_SESSION_TRIAL_H
#define RECORD_SESSION_TRIAL_H

/*
 * Would a recording start? Does all that record_run does before the command runs - events, target, descriptors, rings -
 * and undoes it. No file is touched, nothing is measured, nothing is printed.
 */
#include "events/events.h"
#include "record/record.h"

struct record_trial {
	bool ok;
	struct err e; /* who refused it, when not ok */
	/* what it asks for, when it came as far as its events: these decide which grant it needs */
	bool system, kernel, trace;
	bool whole; /* when ok: what was to be measured in the kernel is, and what named tasks have mapped can be told
		     */
	VEC(char *) notes; /* what was changed or left out to make it start, malloc'd */
};
/* `strict`: nothing may be changed or left out. */
void record_try(const struct record_opts *o, char *const argv[], bool strict, struct record_trial *trial);
/*
 * The same in a process of its own as a user who owns nothing, is in no group and has no capability but `caps` (bits as
 * in struct facts). Needs root; otherwise the trial's error says that it could not be made. Notes stay behind.
 */
void record_try_as(const struct record_opts *o, char *const argv[], uint64_t caps, struct record_trial *trial);
void record_trial_release(struct record_trial *trial);

/* Note what the events of a trial demand. */
struct recorder;
void trial_demands(struct recorder *r);

#endif
