#ifndef BASE_SAY_H
#define BASE_SAY_H

#include "base/out.h"

/*
 * Print "strobe record: what\n  why: ...\n  try: ...\n" on `o`. Skip empty slots and escape foreign
 * bytes. `prefix` is for example "strobe record". A `what` that begins with a blank is printed
 * without it (perf's "  Error: unknown switch `x'"). A `why` that begins with a blank is printed
 * under `what` (perf's "event syntax error" and its caret), both on lines of their own.
 */
void err_print(struct out *o, const char *prefix, const struct err *e);

/*
 * Our own messages on stderr. Each call prints one whole line, escaped as a whole, and adds the newline. say() prints
 * unless -q; say_verbose(n, ...) prints from -v times n on. Only cmd/ calls these functions: libraries return errors
 * and notes, and long jobs have a teller (base/tell.h).
 */
/* The level of -v: 0 normal, 1.. more, -1 = -q. One of the few global states, like stop_requested (base/signal.h). */
int verbosity(void);
void set_verbosity(int level);
void raise_verbosity(int level); /* to this level at least */
/*
 * Show on a terminal how far a long job is, once it has taken a second. When `done` equals `all`,
 * end the job and remove the line. `what` is a constant that identifies the job.
 */
void say_progress(const char *what, uint64_t done, uint64_t all);
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void say_verbose(int level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
