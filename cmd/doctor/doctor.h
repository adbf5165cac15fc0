#ifndef CMD_DOCTOR_DOCTOR_H
#define CMD_DOCTOR_DOCTOR_H

/* What strobe doctor found (cmd/doctor/doctor.c) and how it tells it (cmd/doctor/doctor_print.c). */
#include "cmd/commands.h"
#include "events/events.h"
#include "record/session/trial.h"

enum { DOCTOR_CHECKS = 13 };

struct check_result {
	const char *name, *what;
	bool ok;
	struct err e; /* when not ok */
};

/* One thing that is in the way, and the ways to have it out of it: smallest first. */
struct doctor_step {
	const char *cause;
	VEC(struct grant) grants;
};

struct diagnosis {
	char **words; /* the command line; the array is ours */
	int n_words;
	bool ok;
	struct record_trial trial;
	VEC(struct doctor_step) steps;
	char *instead; /* options that work without any grant; NULL if none was found */
	/* when it runs by privilege: what a user would need, tried as such */
	bool tested;
	char *least;            /* the grant; "" = none; NULL: it is not enough, and */
	struct err least_error; /* says what more is in the way */
};

/* Is this cause something that a grant to the user takes away? */
bool doctor_is_permission(const char *cause);

/* The JSON is documented in strobe-doctor(1). */
void doctor_text(struct out *o, const struct facts *f, const struct check_result results[DOCTOR_CHECKS],
		 const struct diagnosis *d);
void doctor_json(struct out *o, const struct facts *f, const struct check_result results[DOCTOR_CHECKS],
		 const struct diagnosis *d);

#endif
