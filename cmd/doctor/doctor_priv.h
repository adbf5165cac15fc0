#ifndef CMD_DOCTOR_DOCTOR_PRIV_H
#define CMD_DOCTOR_DOCTOR_PRIV_H

/* What strobe doctor finds (cmd/doctor/doctor.c) and how it prints it (cmd/doctor/print.c). */
#include "cmd/commands.h"
#include "events/events.h"
#include "record/session/trial.h"

enum { DOCTOR_CHECKS = 14 };

struct check_result {
	const char *name, *what;
	bool ok;
	struct err e; /* if not ok */
};

/* An obstacle, and the ways to remove it, smallest first. */
struct doctor_step {
	const char *cause;
	VEC(struct grant) grants;
};

struct diagnosis {
	char **words; /* the command line; we own the array */
	int n_words;
	bool ok;
	struct record_trial trial;
	VEC(struct doctor_step) steps;
	char *instead; /* options that work without any grant; NULL if none were found */
	/*
	 * For a command line that runs with privilege: what a plain user would need, tested as such
	 * a user.
	 */
	bool tested;
	char *least;            /* the grant; "" = none; NULL: it is not enough, */
	struct err least_error; /* and this tells what else is in the way */
};

/* Return whether a grant to the user can remove this cause. */
bool doctor_is_permission(const char *cause);

/* strobe-doctor(1) documents the JSON. */
void doctor_text(struct out *o, const struct facts *f, const struct check_result results[DOCTOR_CHECKS],
		 const struct diagnosis *d);
void doctor_json(struct out *o, const struct facts *f, const struct check_result results[DOCTOR_CHECKS],
		 const struct diagnosis *d);

#endif
