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
 * Exit statuses of strobe beside 0. Most are perf's: a command of perf that fails with the error N exits with the low
 * byte of -N.
 */
enum exit_status {
	EXIT_NO = 1,               /* the question is answered: no such command, no such feature */
	EXIT_CANNOT_EXECUTE = 126, /* the command to measure exists, but cannot be executed (as shells say it) */
	EXIT_NO_PROGRAM = 127,     /* the command to measure does not exist (as shells say it) */
	EXIT_BAD_USAGE = 129,      /* options or words that make no sense */
	EXIT_PIPE_CLOSED = 141,    /* the reader closed our output: 128 + SIGPIPE, as shells report it */
	EXIT_UNSUPPORTED = 161,    /* -ENOTSUP: this machine, file or language cannot do it */
	EXIT_INVALID = 234,        /* -EINVAL: well-formed options whose values do not fit */
	EXIT_EXISTS = 239,         /* -EEXIST: the name is taken */
	EXIT_NO_SUCH_TASK = 244,   /* -ENOMEM in perf: no process or thread to measure */
	EXIT_TOO_MANY = 249,       /* -E2BIG: more places, or events of one name, than there may be */
	EXIT_NOT_FOUND = 254,      /* -ENOENT: a function, line, variable, file or object that is not there */
	EXIT_FAILED = 255,         /* any other failure */
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
/* Set the exit status for this error: one of enum exit_status, or the status of another program. */
int err_exit(struct err *e, int exit_code);
void err_clear(struct err *e);

/*
 * Return the name we were called by: "strobe" or "perf", from the base name of argv[0]. main sets it once; it must be a
 * constant.
 */
const char *tool_name(void);
void tool_set_name(const char *name);

#endif
