#ifndef BASE_KEEPER_H
#define BASE_KEEPER_H

#include "base/err.h"
#include "base/mem.h"

/*
 * A process that tidies up after this one, even after a SIGKILL: it waits for our end (a pipe closes) and then
 * executes the lines that it keeps. In case it is killed too, it also stores the lines in the file
 * /run/strobe/KIND.PID. A file without a living keeper holds leftovers.
 */
struct keeper;
struct keeper_lines {
	VEC(char *);    /* malloc'd, without their newlines */
	uint64_t began; /* when the keeper began, in ticks since boot; 0 = unknown */
};
/* Execute the lines, in the keeper. Return true when all is done. May change the texts. */
typedef bool keeper_tidy(struct keeper_lines *lines);

/*
 * Start one, with root's rights. `what` is what it keeps, for messages: "the probes"; it must outlive the keeper.
 * Return NULL with e on failure. keeper_end() frees it.
 */
struct keeper *keeper_start(const char *kind, const char *what, keeper_tidy *tidy, struct err *e);
/* Give it a line, which has no newline, before doing what the line undoes. -1 with e if the keeper is gone. */
int keeper_hold(struct keeper *k, const char *line, struct err *e);
/* Let the keeper tidy up now, and wait until it is done. NULL is allowed. */
void keeper_end(struct keeper *k);

/*
 * Call `each` with the lines of each dead keeper of this kind. A return of 1 removes the file, 0
 * keeps it, -1 is an error: keep the file, go on, return -1 at the end. Return -1 also when the
 * files cannot be read; `what` is as above.
 */
typedef int keeper_left(void *ctx, struct keeper_lines *lines, struct err *e);
int keeper_leftovers(const char *kind, const char *what, keeper_left *each, void *ctx, struct err *e);
/*
 * Return true if the process with this pid may be the one that started the keeper of these lines: it lives and did not
 * begin after the keeper. If the machine does not tell when either began, a living process may be the one.
 */
bool keeper_user_lives(const struct keeper_lines *lines, pid_t user);

/* Sleep before the next try: 10 ms at first, later 500 ms. For calls that the kernel refuses as busy for a while. */
void keeper_pause(int tries_so_far);
enum { KEEPER_TRIES = 140 }; /* one minute in total */

#endif
