#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An error in the three parts that a user reads: what failed, why, and what to try. The caller owns
 * the struct (zeroed, on its stack) and passes it down. A function that fails fills it and returns
 * -1 (or NULL). Nothing below cmd/ prints it. A text that is too long for its slot is cut. Foreign
 * names are escaped when the error is printed (err_print in base/out.h).
 */
struct err {
	char what[512];
	char why[512];
	char fix[512];
	int sys;           /* the errno behind the error, 0 if none */
	int exit_code;     /* exit status of the command; 0 = default (255, as perf) */
	const char *cause; /* the obstacle in one word, for programs: a constant, or NULL if not set */
};

/*
 * All return -1, so that a function can set the error and return in one line. `e` may be NULL when
 * the caller needs only the failure and not its text.
 */
int err_set(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Like err_set; also put the text of errno into `why` and errno into `sys`. */
int err_sys(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Like err_set, but append " at offset 0x...": for damage found in a file. */
int err_at(struct err *e, uint64_t offset, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Fill the other slots of an error that is already set. */
int err_why(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int err_try(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Put context before `what`: err_in(e, "cannot read '%s'", path) gives "cannot read 'x': <what>".
 */
int err_in(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Set the exit status for this error, for example 129 for bad usage. */
int err_exit(struct err *e, int exit_code);
void err_clear(struct err *e);

#endif
